"""The steps of two runs as two strips over one axis; mouse and keys move both playheads. Between
them are ticks where they differ, and the bytes held by both are drawn over the same axis. All of this is painted once
per comparison and size; the playhead is painted on top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.lists import size_text
from gradviz.session.comparison.compare import ALONE, Comparison, Merged
from gradviz.session.state import State
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.ui import look
from gradviz.ui.panels.panel import Context
from gradviz.ui.panels.timeline_paint import colour_of
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.comparison.compare import Comparison, Merged

Array = NDArray[Any]
TELLING = (  # the kind shown by a column that stands for several steps: the last of these that occurs in it
    *("FREE", "HOOK", "LEAF", "FORWARD", "BACKWARD", "CONTRIBUTION", "PRINT", "INPLACE", "CLEAR_GRAD", "OPTIMIZER"),
    *("COLLECTIVE", "ACCUMULATE", "BACKWARD_CALL", "GAP", "WARNING", "CAUGHT", "ERROR"),
)
TITLES = 0.24  # maximum share of the width for the names of the runs


@dataclass(frozen=True)
class ComparisonGeometry:
    """Positions in a twin strip of this size."""

    width: float
    height: float
    theme: Theme
    count: int  # places on the axis
    titles: float  # width of the column of titles

    def row(self, which: int) -> QRectF:
        """The strip of the front run (0) or the other (1)."""
        px = self.theme.px
        top = px(6) + which * (px(20) + px(14))
        left = px(12) + self.titles
        return QRectF(left, top, max(1.0, self.width - left - px(12)), px(20))

    @property
    def ticks(self) -> QRectF:
        """The row of ticks between the strips."""
        first, second = self.row(0), self.row(1)
        return QRectF(first.left(), first.bottom() + 2, first.width(), second.top() - first.bottom() - 4)

    @property
    def curve(self) -> QRectF:
        """The area of the curves of bytes held."""
        row = self.row(1)
        top = row.bottom() + self.theme.px(24)
        return QRectF(row.left(), top, row.width(), max(0.0, self.height - top - self.theme.px(8)))

    def left_of(self, place: float) -> float:
        """x of the start of a place."""
        row = self.row(0)
        return row.left() + row.width() * place / max(1, self.count)

    def place_at(self, x: float) -> int:
        """The place under the mouse, -1 before the first."""
        row = self.row(0)
        place = int(np.floor((x - row.left()) / row.width() * self.count))
        return min(max(place, -1), self.count - 1)


def titles_width(theme: Theme, titles: tuple[str, str], width: float) -> float:
    """How wide the column of titles is."""
    metrics = QFontMetricsF(look.sans(theme, look.SMALL))
    return min(max(metrics.horizontalAdvance(title) for title in titles) + theme.px(10), TITLES * width)


def paint_comparison(
    painter: QPainter, geometry: ComparisonGeometry, found: Comparison, merged: Merged, titles: tuple[str, str]
) -> None:
    """Everything except the playhead."""
    _titles(painter, geometry, titles)
    for which, (trace, steps) in enumerate(((found.here, merged.step_here), (found.there, merged.step_there))):
        _strip(painter, geometry, geometry.row(which), trace, steps)
    _ticks(painter, geometry, found, merged)
    if geometry.curve.height() > geometry.theme.px(12):
        _curves(painter, geometry, found, merged, titles)


def _titles(painter: QPainter, geometry: ComparisonGeometry, titles: tuple[str, str]) -> None:
    theme = geometry.theme
    painter.setFont(look.sans(theme, look.SMALL))
    painter.setPen(QColor(theme.text))
    metrics = painter.fontMetrics()
    for which, title in enumerate(titles):
        row = geometry.row(which)
        box = QRectF(theme.px(12), row.top(), geometry.titles - theme.px(8), row.height())
        text = metrics.elidedText(title, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)


def _strip(painter: QPainter, geometry: ComparisonGeometry, row: QRectF, trace: Trace, steps: Array) -> None:
    """The most telling kind of step in each column; gaps are hatched."""
    theme = geometry.theme
    columns = max(1, min(len(steps), int(row.width())))
    kinds = np.full(len(steps), -1, np.int64)
    kinds[steps >= 0] = trace.steps.kind[steps[steps >= 0]]
    rank = np.zeros(len(Kind) + 1, np.int64)
    rank[[Kind[name] for name in TELLING]] = np.arange(1, len(TELLING) + 1)
    starts = np.arange(columns) * len(steps) // columns
    best = np.maximum.reduceat(rank[kinds], starts)
    colours = np.array(
        [QColor(theme.header).rgba(), *(QColor(colour_of(theme, name)).rgba() for name in TELLING)], np.uint32
    )
    painter.fillRect(row, QColor(theme.header))
    painter.fillRect(row, _hatch(theme))
    if row.width() / len(steps) < 4:
        line = colours[best]
        line[best == 0] = 0
        pixels = np.ascontiguousarray(line[None, :])
        image = QImage(pixels.tobytes(), columns, 1, 4 * columns, QImage.Format.Format_ARGB32)
        painter.drawImage(row, image)
        return
    width = row.width() / len(steps)
    gap = min(2.0, width / 5)
    painter.setPen(Qt.PenStyle.NoPen)
    for place in np.flatnonzero(best).tolist():
        painter.setBrush(QColor(int(colours[best[place]])))
        painter.drawRoundedRect(
            QRectF(row.left() + place * width + gap / 2, row.top(), width - gap, row.height()), 2, 2
        )


def _hatch(theme: Theme) -> Any:
    from PySide6.QtGui import QBrush

    return QBrush(QColor(theme.panel_border), Qt.BrushStyle.BDiagPattern)


def _ticks(painter: QPainter, geometry: ComparisonGeometry, found: Comparison, merged: Merged) -> None:
    """A tick where corresponding steps differ, an arrowhead towards the run that alone has a step."""
    differs = np.zeros(merged.count, np.uint8)
    differs[merged.here] |= found.steps_here
    differs[merged.there] |= found.steps_there
    alone_here = np.zeros(merged.count, bool)
    alone_here[merged.here] = (found.steps_here & ALONE) > 0
    area, theme = geometry.ticks, geometry.theme
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.inplace))
    drawn = -10.0
    half = min(4.0, area.height() / 2)
    for place in np.flatnonzero(differs).tolist():
        x = geometry.left_of(place + 0.5)
        if x - drawn < 2.5:
            continue
        drawn = x
        if not differs[place] & ALONE:
            painter.drawRect(QRectF(x - 1, area.top(), 2, area.height()))
            continue
        tip, base = (area.top(), area.bottom()) if alone_here[place] else (area.bottom(), area.top())
        painter.drawPolygon(QPolygonF([QPointF(x, tip), QPointF(x - half, base), QPointF(x + half, base)]))


def _curves(
    painter: QPainter, geometry: ComparisonGeometry, found: Comparison, merged: Merged, titles: tuple[str, str]
) -> None:
    """Bytes of saved buffers over the same axis: solid for the front run, dashed for the other."""
    theme, area = geometry.theme, geometry.curve
    most = max(int(found.here.held_bytes.max()), int(found.there.held_bytes.max()), 1)
    runs = (
        (found.here, merged.here, theme.saved, Qt.PenStyle.SolidLine),
        (found.there, merged.there, theme.inplace, Qt.PenStyle.DashLine),
    )
    legend = area.left()
    baseline = area.top() - theme.px(8)
    painter.setFont(look.sans(theme, look.SMALL))
    metrics = painter.fontMetrics()
    room = area.width() / 2 - theme.px(40)
    for (trace, places, colour, style), title in zip(runs, titles, strict=True):
        held = _per_place(trace.held_bytes[1:], places, merged.count)
        columns = max(1, min(merged.count, int(area.width())))
        held = np.maximum.reduceat(held, np.arange(columns) * merged.count // columns)
        ends = area.left() + area.width() * np.arange(columns + 1) / columns
        heights = area.bottom() - area.height() * held / most
        line = QPolygonF()
        for x, after, y in zip(ends[:-1].tolist(), ends[1:].tolist(), heights.tolist(), strict=True):
            line.append(QPointF(x, y))
            line.append(QPointF(after, y))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colour), 2.0, style))
        painter.drawPolyline(line)
        painter.drawLine(QPointF(legend, baseline - 4), QPointF(legend + theme.px(22), baseline - 4))
        painter.setPen(QColor(theme.muted))
        peak = int(trace.held_bytes.max())
        text = metrics.elidedText(f"{title}: {size_text(peak)} held", Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(QPointF(legend + theme.px(28), baseline), text)
        legend += area.width() / 2


def _per_place(held: Array, places: Array, count: int) -> Array:
    """What is held at each place; in a gap, what was held before it."""
    last = np.zeros(count, np.int64)
    last[places] = np.arange(1, len(places) + 1)
    return np.append(0, held)[np.maximum.accumulate(last)]


def paint_heads(painter: QPainter, geometry: ComparisonGeometry, places: tuple[float, float]) -> None:
    """The playheads of both runs."""
    theme = geometry.theme
    for which, place in enumerate(places):
        row = geometry.row(which)
        x = geometry.left_of(place)
        bottom = geometry.curve.bottom() if which else geometry.row(1).top()
        painter.setPen(QPen(QColor(theme.text), 2))
        painter.drawLine(QPointF(x, row.top() - 4), QPointF(x, max(bottom, row.bottom() + 3)))


PAGE = 10  # steps per PageUp or PageDown


class ComparisonTimeline(QWidget):
    """Painted by hand; the picture is made once per comparison and size."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self._picture: QPixmap | None = None
        self._merged: tuple[Comparison, Merged] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Steps of both runs")
        self.setAccessibleDescription("Arrow keys step both runs, Home and End go to the ends.")

    def sizeHint(self) -> QSize:
        return QSize(480, self._theme.px(150))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self._theme.px(66))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self._picture = None
        self.update()

    def show_state(self, before: State, after: State) -> None:
        """Follow both cursors."""
        if before is after or before.what_if is not after.what_if:
            former, beside = before.what_if, after.what_if
            if before is after or former is None or beside is None or former.comparison is not beside.comparison:
                self._picture = None
            if beside is None:
                self._merged = None
            self.update()

    # painting

    def _found(self) -> Comparison | None:
        beside = self._context.shell.store.state.what_if
        return beside.comparison if beside is not None else None

    def _axis(self, found: Comparison) -> Merged:
        from gradviz.session.comparison.compare import merge

        if self._merged is None or self._merged[0] is not found:
            self._merged = found, merge(found.alignment.steps)
        return self._merged[1]

    def _geometry(self, merged: Merged) -> ComparisonGeometry:
        from gradviz.ui.panels.comparison_timeline import ComparisonGeometry, titles_width

        beside = self._context.shell.store.state.what_if
        titles = beside.short_titles if beside is not None else ("", "")
        wide = titles_width(self._theme, titles, self.width())
        return ComparisonGeometry(self.width(), self.height(), self._theme, merged.count, wide)

    def paintEvent(self, _: QPaintEvent) -> None:
        beside, found = self._context.shell.store.state.what_if, self._found()
        with QPainter(self) as painter:
            if beside is None or found is None:
                return
            from gradviz.ui.panels.comparison_timeline import paint_heads

            merged = self._axis(found)
            geometry = self._geometry(merged)
            if self._picture is None:
                self._picture = self._draw(geometry, found, merged)
            painter.drawPixmap(0, 0, self._picture)
            state = self._context.shell.store.state
            heads = [
                float(places[cursor - 1]) + 0.5 if cursor else 0.0
                for places, cursor in ((merged.here, state.cursor), (merged.there, beside.cursor))
            ]
            paint_heads(painter, geometry, (heads[0], heads[1]))

    def _draw(self, geometry: ComparisonGeometry, found: Comparison, merged: Merged) -> QPixmap:
        from gradviz.ui.panels.comparison_timeline import paint_comparison

        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._theme.panel)
        beside = self._context.shell.store.state.what_if
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_comparison(painter, geometry, found, merged, beside.short_titles if beside is not None else ("", ""))
        return picture

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        super().resizeEvent(event)

    # moving

    def _go(self, place: int) -> None:
        """Move both runs to the step at this place on the axis."""
        found, store = self._found(), self._context.shell.store
        if found is None:
            return
        merged = self._axis(found)
        store.play(False)
        if place < 0:
            store.move(0)
        elif merged.step_here[place] >= 0:
            store.move(int(merged.step_here[place]) + 1)
        else:
            store.move_there(int(merged.step_there[place]) + 1)

    def _scrub(self, x: float) -> None:
        found = self._found()
        if found is not None:
            self._go(self._geometry(self._axis(found)).place_at(x))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._scrub(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scrub(event.position().x())

    def _place(self) -> int:
        """The place of the playheads: the later one, because one of them waits in a gap."""
        beside, found, state = self._context.shell.store.state.what_if, self._found(), self._context.shell.store.state
        if beside is None or found is None:
            return -1
        merged = self._axis(found)
        cursors = ((merged.here, state.cursor), (merged.there, beside.cursor))
        return max(int(places[cursor - 1]) if cursor else -1 for places, cursor in cursors)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        found = self._found()
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageUp: -PAGE,
            Qt.Key.Key_PageDown: PAGE,
        }
        if found is None:
            super().keyPressEvent(event)
            return
        last = self._axis(found).count - 1
        ends = {Qt.Key.Key_Home: -1, Qt.Key.Key_End: last}
        if event.key() in ends:
            self._go(ends[Qt.Key(event.key())])
        elif event.key() in steps:
            self._go(min(max(self._place() + steps[Qt.Key(event.key())], -1), last))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Describe the step under the mouse."""
        found = self._found()
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and found is not None:
            merged = self._axis(found)
            place = self._geometry(merged).place_at(event.pos().x())
            if place >= 0:
                QToolTip.showText(event.globalPos(), look.tip(_words(found, merged, place)), self)
            return True
        return super().event(event)


def _words(found: Comparison, merged: Merged, place: int) -> str:
    """What the step at a place is, and how it differs."""
    from gradviz.session.comparison.compare import WORDS
    from gradviz.trace.words.explain import step_title

    is_here = merged.step_here[place] >= 0
    trace, steps, marks = (
        (found.here, merged.step_here, found.steps_here)
        if is_here
        else (found.there, merged.step_there, found.steps_there)
    )
    step = int(steps[place])
    differs = [word for flag, word in WORDS.items() if marks[step] & flag]
    return " · ".join([f"Step {step + 1:,}", step_title(trace.frame_at(step + 1)), *differs])
