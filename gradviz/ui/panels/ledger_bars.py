"""The ledger of a `.grad` as bars, one for each backward call: hatched for what was left from earlier calls, solid for
what this call added, and a line at the resulting `.grad`. A missing zero_grad() shows as a growing hatched part. For
arrays, the bars show the norm or a chosen element. The numbers are in `gradviz.session.inspect.ledger`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from gradviz.ui import look

if TYPE_CHECKING:
    from gradviz.session.inspect.ledger import Bar
    from gradviz.trace.table.values import Value
    from gradviz.ui.theme import Theme

NORM = "norm"
WITH_WORDS, WITH_CHART = 300, 210  # height of a panel from which on it has room for them
HEIGHT, LOWEST, WIDEST, NARROWEST, GAP = 76, 36, 26, 6, 3  # pixels
LEGEND = "▨ from before   ■ this call   ― .grad"
KEYS = "Left and Right choose a backward call, Return goes to its step."
Measure = Callable[["Value | None"], float]


class LedgerBars(QWidget):
    """The chart, what it shows of an array, and the current bar in words."""

    step_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._bars: tuple[Bar, ...] = ()
        self._name = ""
        self._which = NORM
        self.title, self.words, self.legend = QLabel(), QLabel(), QLabel(LEGEND)
        self.title.setWordWrap(True)  # there is little room beside the choice
        self.words.setWordWrap(True)
        for label in (self.title, self.words, self.legend):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # the panel keeps its width
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.choice = look.DropDown()
        self.choice.setAccessibleName("What of the gradient the bars show")
        self.choice.setToolTip("The norm, or one element.")
        self.choice.activated.connect(lambda _: self._choose())
        self.chart = Chart(theme)
        self.chart.looked_at.connect(self._tell)
        self.chart.chosen.connect(lambda at: self.step_wanted.emit(self._bars[at].step))
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.choice)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 0)
        column.setSpacing(4)
        column.addLayout(head)
        for each in (self.chart, self.legend, self.words):
            column.addWidget(each)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and text sizes."""
        self.title.setFont(look.sans(theme, 12.5, bold=True))
        self.words.setFont(look.sans(theme, 11.5))
        self.legend.setFont(look.sans(theme, 11))
        self.legend.setStyleSheet(f"color: {theme.muted}")
        self.chart.set_theme(theme)

    def fit(self, room: int, theme: Theme) -> None:
        """Give way in a low panel of this height in pixels, whose text says the same: first the words and half of the
        chart, then the rest."""
        for label in (self.legend, self.words):
            label.setVisible(room >= theme.px(WITH_WORDS))
        self.chart.setMaximumHeight(theme.px(HEIGHT if room >= theme.px(WITH_WORDS) else LOWEST))
        self.setVisible(bool(self._bars) and room >= theme.px(WITH_CHART))

    def show_bars(self, bars: tuple[Bar, ...], name: str) -> None:
        """Show other bars; the chosen element stays if it exists there."""
        if bars == self._bars and name == self._name:
            return
        self._bars, self._name = bars, name
        choices = [NORM, *elements(bars)]
        if choices != [self.choice.itemText(at) for at in range(self.choice.count())]:
            self.choice.clear()
            self.choice.addItems(choices)
        self._which = self._which if self._which in choices else NORM
        self.choice.setCurrentText(self._which)
        self.choice.setVisible(len(choices) > 1)
        self._show()

    def _choose(self) -> None:
        self._which = self.choice.currentText()
        self._show()

    def _show(self) -> None:
        measure = measured(self._bars, self._which)
        self.title.setText(f"{self._name}.grad by call")
        self.title.setToolTip(f"What each backward() call added to {self._name}.grad, and what was left in it.")
        triples = [tuple(map(measure, (bar.left, bar.added, bar.total))) for bar in self._bars]
        self.chart.show_bars(triples, [self._sentence(at) for at in range(len(self._bars))])
        self.chart.setAccessibleName(f"Ledger of {self._name}.grad as bars")
        self._tell(self.chart.at)

    def _sentence(self, at: int) -> str:
        measure = measured(self._bars, self._which)

        def number(value: Value | None) -> str:
            from gradviz.trace.table.values import number_text

            if value is None:
                return "None"
            return f"norm {number_text(measure(value))}" if is_norm(value) else number_text(measure(value))

        def is_norm(value: Value) -> bool:
            return self._which == NORM and (value.scalar is None or isinstance(value.scalar, complex))

        bar = self._bars[at]
        return bar.sentence(number, adds=bar.total is None or not is_norm(bar.total))

    def _tell(self, at: int) -> None:
        if 0 <= at < len(self._bars):
            self.words.setText(self._sentence(at))


def elements(bars: tuple[Bar, ...]) -> list[str]:
    """The elements of a small array, "[0, 2]"; empty for a number, or if only summaries were kept."""
    from gradviz.session.inspect.ledger import MOST_ELEMENTS

    values = [value for bar in bars for value in (bar.left, bar.added, bar.total) if value is not None]
    if not values or any(value.array is None or value.shape != values[0].shape for value in values):
        return []
    if not 1 < values[0].numel <= MOST_ELEMENTS or values[0].dtype.startswith("complex"):
        return []
    import numpy as np

    return [str(list(place)) for place in np.ndindex(*values[0].shape)]


def measured(bars: tuple[Bar, ...], which: str) -> Measure:
    """What a bar shows of a value: the number or chosen element with its sign, otherwise the norm."""
    at = elements(bars).index(which) if which != NORM else -1

    def measure(value: Value | None) -> float:
        if value is None:
            return 0.0
        if at >= 0 and value.array is not None:
            return float(value.array.reshape(-1)[at])
        if value.scalar is not None and not isinstance(value.scalar, complex):
            return float(value.scalar)
        return float(value.norm)

    return measure


class Chart(QWidget):
    """The bars. The current one, chosen by pointer or keys, has a frame; at first it is the last."""

    looked_at = Signal(int)
    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.at = -1
        self._bars: list[tuple[float, ...]] = []
        self._words: list[str] = []
        self._theme = theme
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.setMinimumHeight(theme.px(LOWEST))
        self.setMaximumHeight(theme.px(HEIGHT))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, self._theme.px(HEIGHT))

    def show_bars(self, bars: list[tuple[float, ...]], words: list[str]) -> None:
        """Bars of what was left, what was added and the result, with a sentence each."""
        self._bars, self._words = bars, words
        self.at = len(bars) - 1
        self.setAccessibleDescription(f"{'. '.join(words[-3:])}. {KEYS}")
        self.update()

    @property
    def first(self) -> int:
        """The first bar that fits."""
        return max(0, len(self._bars) - self.width() // (NARROWEST + GAP))

    @property
    def _pitch(self) -> float:
        return min(WIDEST + GAP, self.width() / max(1, len(self._bars) - self.first))

    def bar_at(self, x: float) -> int:
        """The bar at this place, -1 for none."""
        at = self.first + int(x / self._pitch)
        return at if 0 <= at < len(self._bars) else -1

    def box(self, at: int) -> QRectF:
        """The area of a bar, over the whole height."""
        return QRectF((at - self.first) * self._pitch, 1, self._pitch - GAP, self.height() - 2)

    def _range(self) -> tuple[float, float]:
        """The lowest and highest number drawn; non-finite ones extend to the edge."""
        ends = [0.0]
        for left, added, total in self._bars[self.first :]:
            parts = [part for part in (left, added) if math.isfinite(part)]
            ends += [sum(part for part in parts if part > 0), sum(part for part in parts if part < 0)]
            ends += [total] if math.isfinite(total) else []
        low, high = min(ends), max(ends)
        if not math.isfinite(high - low):
            return -1.0, 1.0
        return (low, high) if high > low else (0.0, 1.0)

    def paintEvent(self, _: QPaintEvent) -> None:
        theme, (low, high) = self._theme, self._range()
        room = self.height() - 8

        def y(number: float) -> float:
            return 4 + room * (high - min(max(number, low), high)) / (high - low)

        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for at in range(self.first, len(self._bars)):
                self._paint_bar(painter, at, y)
            painter.setPen(QPen(QColor(theme.muted), 1))
            painter.drawLine(QPointF(0, y(0)), QPointF(self.width(), y(0)))

    def _paint_bar(self, painter: QPainter, at: int, y: Callable[[float], float]) -> None:
        theme, box, (left, added, total) = self._theme, self.box(at), self._bars[at]
        ink = QColor(theme.gradient)
        begin = left if left * added > 0 and math.isfinite(left) else 0.0
        parts = ((0.0, left, True), (begin, begin + added, False))
        for start, end, is_left in parts:
            if not math.isfinite(end):
                painter.setPen(ink)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "×")  # NaN or infinity has no height
            elif end != start:
                bar = QRectF(QPointF(box.left(), y(start)), QPointF(box.right(), y(end))).normalized()
                painter.setPen(QPen(ink, 1))
                painter.setBrush(QColor(theme.gradient_fill) if is_left else ink)
                painter.drawRect(bar)
                if is_left:
                    painter.setBrush(QBrush(ink, Qt.BrushStyle.BDiagPattern))
                    painter.drawRect(bar)
        if math.isfinite(total):
            painter.setPen(QPen(QColor(theme.text), 2))
            painter.drawLine(QPointF(box.left() - 1, y(total)), QPointF(box.right() + 1, y(total)))
        if at == self.at:
            style = Qt.PenStyle.SolidLine if self.hasFocus() else Qt.PenStyle.DotLine
            painter.setPen(QPen(QColor(theme.focus), 1.5, style))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-1, 0, 1, 0), 2, 2)

    # hover, keys

    def _look_at(self, at: int) -> None:
        if at >= 0 and at != self.at:
            self.at = at
            self.looked_at.emit(at)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._look_at(self.bar_at(event.position().x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.bar_at(event.position().x())
        if at >= 0 and event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(at)

    def leaveEvent(self, event: QEvent) -> None:
        self._look_at(len(self._bars) - 1)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is not None:
            self._look_at(min(max(self.at + by, self.first), len(self._bars) - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.at >= 0:
            self.chosen.emit(self.at)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusOutEvent(event)

    def event(self, event: QEvent) -> bool:
        """Describe what is under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = self.bar_at(event.pos().x())
            QToolTip.showText(event.globalPos(), look.tip(self._words[at]) if at >= 0 else "", self)
            return True
        return super().event(event)
