"""Interactive training charts built on pyqtgraph: lines, or distributions of many numbers, over iterations that all
charts of a page share, with a line at the cursor and the values under the mouse in words. Only this module
imports pyqtgraph. The import takes a third of a second, so it runs in a thread when the training page is first
shown."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import repeat
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QKeyEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.session.timeline.training_curves import Axis, Spread
from gradviz.ui import look
from gradviz.ui.theme import Theme

Array = NDArray[Any]

FEW = 40  # points of a line up to which each has a marker
COLUMNS = 2_000  # of a distribution that are drawn; if there are more points, each column combines several
NEAR = 40.0  # pixels around a line within which the pointer selects it
WIDE = 1_000.0  # if the largest number is this many times the smallest, the scale is logarithmic at first
# Lines differ by dashes and markers first, and only then by colour.
DASHES: tuple[tuple[float, ...], ...] = (
    (), (6, 3), (1.5, 2.5), (9, 3, 1.5, 3), (14, 4), (3, 1.5), (9, 3, 1.5, 3, 1.5, 3), (2, 7),
)  # fmt: skip
SIGNS = ("o", "s", "t", "d", "+", "x", "star", "p")


@contextmanager
def _without_opengl() -> Iterator[None]:
    """pyqtgraph requires Qt's OpenGL bindings when it is imported, and one base class from them. They are 9 MB that
    none of our packages contain, and they are never used."""
    names = [name for name in ("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets") if name not in sys.modules]
    for name in names:
        stand_in = ModuleType(name)
        stand_in.__dict__["QOpenGLWidget"] = type("QOpenGLWidget", (QWidget,), {})
        sys.modules[name] = stand_in
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


with _without_opengl():
    pg = importlib.import_module("pyqtgraph")


@dataclass(frozen=True)
class Style:
    """How a line is distinguished from others: `number` counts them."""

    number: int

    def pen(self, theme: Theme, width: float = 1.6) -> QPen:
        """Dashes and colour."""
        colours = (theme.forward, theme.leaf, theme.inplace, theme.accumulate, theme.text, theme.backward)
        pen = QPen(QColor(colours[self.number % len(colours)]), width * theme.scale)
        pen.setCosmetic(True)
        dash = DASHES[self.number % len(DASHES)]
        if dash:
            pen.setDashPattern(dash)
        return pen

    @property
    def sign(self) -> str:
        """The marker of each point, if there are few points."""
        return SIGNS[self.number % len(SIGNS)]

    def sample(self, theme: Theme) -> QPixmap:
        """A sample of the line for a list."""
        from PySide6.QtGui import QPainter

        made = QPixmap(theme.px(34), theme.px(12))
        made.fill(Qt.GlobalColor.transparent)
        with QPainter(made) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self.pen(theme, 2.0))
            middle = made.height() / 2
            painter.drawLine(QPointF(1, middle), QPointF(made.width() - 1, middle))
        return made


@dataclass(frozen=True, eq=False)
class Line:
    """One line: its points, the steps at which they were made, and its style."""

    name: str
    steps: Array
    numbers: Array
    style: Style
    stands_out: bool = False
    beside: Axis | None = (
        None  # the iterations of another run, which made this line; it is thin, its markers are hollow
    )

    @property
    def width(self) -> float:
        """Of the pen, in pixels at normal text size."""
        return 2.8 if self.stands_out else 0.8 if self.beside is not None else 1.6

    def on(self, axis: Axis, places: Array) -> Line:
        """The same line, whose points are at these positions, at the steps of the iterations of an axis."""
        if self.beside is None:
            return self
        return replace(self, steps=np.ceil(axis.steps(places)).astype(np.int64) - 1)


class Bands:
    """A distribution as pyqtgraph items: bands from the smallest to the largest number, darker where more of them are,
    with the median as a line."""

    def __init__(self, x: Array, levels: Array, theme: Theme) -> None:
        there = np.isfinite(levels).all(axis=0)
        self._x, self._levels = x[there], levels[:, there]
        count, colour = len(levels), QColor(theme.gradient)
        self.edges = [pg.PlotCurveItem(pen=_edge(colour, row, count, theme)) for row in range(count)]
        self.items: list[Any] = []
        for low in range(count // 2):
            tint = QColor(colour)
            tint.setAlpha((26, 60, 110)[low + 3 - count // 2])
            band = pg.FillBetweenItem(self.edges[low], self.edges[count - 1 - low], brush=tint)
            band.setZValue(low - 5)
            self.items.append(band)
        self.items += self.edges
        self.draw(-math.inf, math.inf)

    def draw(self, low: float, high: float) -> None:
        """Draw the visible part, in at most `COLUMNS` columns."""
        first = max(int(np.searchsorted(self._x, low)) - 1, 0)
        last = min(int(np.searchsorted(self._x, high, "right")) + 1, len(self._x))
        x, levels = _in_columns(self._x[first:last], self._levels[:, first:last])
        for edge, level in zip(self.edges, levels, strict=True):
            edge.setData(x, level)


def _edge(colour: QColor, row: int, count: int, theme: Theme) -> QPen:
    """The median is a thick line; the smallest and the largest are dotted."""
    pen = QPen(colour, (1.8 if row == count // 2 else 1.0) * theme.scale)
    pen.setCosmetic(True)
    if row in (0, count - 1):
        pen.setStyle(Qt.PenStyle.DotLine)
    elif row != count // 2:
        pen.setStyle(Qt.PenStyle.NoPen)
    return pen


def _dress(axis: Any, theme: Theme) -> None:
    """Set the colours and sizes of an axis."""
    axis.setTickFont(look.sans(theme, look.SMALL))
    axis.setPen(QColor(theme.card_border))
    axis.setTextPen(QColor(theme.muted))
    axis.enableAutoSIPrefix(False)


def _signs(line: Line, colour: QColor, theme: Theme) -> dict[str, Any]:
    """pyqtgraph's arguments for the markers of a line."""
    if len(line.steps) > FEW:
        return {}
    inside = colour if line.beside is None else None
    return {"symbol": line.style.sign, "symbolSize": theme.px(6), "symbolPen": colour, "symbolBrush": inside}


def is_wide(lines: Sequence[Line]) -> bool:
    """Whether the numbers are so far apart that a logarithmic scale shows more."""
    found = [line.numbers[np.isfinite(line.numbers) & (line.numbers > 0)] for line in lines]
    found = [numbers for numbers in found if len(numbers)]
    return bool(found) and bool(max(one.max() for one in found) > WIDE * min(one.min() for one in found))


class Headline(QLabel):
    """A title, followed by a text as far as there is room."""

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__()
        self.title, self._theme, self.said = title, theme, ""
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self.setFont(look.sans(theme, look.SMALL))
        self.say(self.said)

    def say(self, text: str) -> None:
        """Show this text."""
        self.said = text
        bold = QFontMetrics(look.sans(self._theme, look.SMALL, bold=True)).horizontalAdvance(f"{self.title}  ")
        room = max(0, self.width() - bold - self._theme.px(6))
        short = look.escape(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room))
        said = f"<span style='color:{self._theme.muted}; font-weight:400'> {short}</span>"
        self.setText(f"<span style='font-weight:600'>{look.escape(self.title)}</span>{said}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.say(self.said)


def _said_of(axis: Axis, known: Sequence[tuple[int, str]]) -> str:
    """The iteration of the latest of these (step, value), and all of them, older ones with their own."""
    if not known:
        return ""
    latest = axis.title(max(step for step, _ in known))
    older = ("" if (title := axis.title(step)) == latest else f" ({title})" for step, _ in known)
    return f"{latest}: {' · '.join(text + when for (_, text), when in zip(known, older, strict=True))}"


class Chart(QWidget):
    """A plot below a title, which also says what is under the mouse or at the cursor. Clicking a line goes to the step
    of that point; the arrow keys move from point to point, + and - zoom, 0 shows everything."""

    picked = Signal(int)  # a step

    def __init__(self, title: str, theme: Theme, *, can_be_log: bool = True) -> None:
        super().__init__()
        self._can_be_log = can_be_log
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.label = Headline(title, theme)
        self.plot = pg.PlotWidget(enableMenu=False)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.item = self.plot.getPlotItem()
        self.item.hideButtons()
        self.item.ctrlMenu.setParent(self)  # it has a menu that is never shown and would outlive the window
        self.item.setMouseEnabled(x=True, y=False)
        self.view = self.item.getViewBox()
        self.view.setAutoVisible(y=True)
        self.view.sigXRangeChanged.connect(self._draw_spread)
        self.cursor_line = pg.InfiniteLine(angle=90, movable=True)
        self.cursor_line.sigDragged.connect(lambda line: self._drag(float(line.value())))
        self.mark = pg.ScatterPlotItem(size=9)
        for each in (self.cursor_line, self.mark):
            each.setZValue(10)
            self.item.addItem(each, ignoreBounds=True)
        self.plot.scene().sigMouseClicked.connect(self._click)
        self.plot.scene().sigMouseMoved.connect(self._hover)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.label)
        column.addWidget(self.plot, 1)
        self.axis: Axis | None = None
        self.lines: tuple[Line, ...] = ()
        self.spread: Spread | None = None
        self.curves: list[Any] = []
        self.log = False
        self._bands: Bands | None = None
        self._places: list[Array] = []  # for the points of each line
        self._cursor = 0
        self.set_theme(theme)

    # -- what is drawn

    def show_lines(self, axis: Axis, lines: Sequence[Line]) -> None:
        """Show these lines."""
        self._clear(axis)
        self._places = [(line.beside or axis).positions(line.steps + 1) for line in lines]
        self.lines = tuple(map(Line.on, lines, repeat(axis), self._places))
        for line, x in zip(self.lines, self._places, strict=True):
            pen = line.style.pen(self.theme, line.width)
            y, signs = self._drawn(line.numbers), _signs(line, pen.color(), self.theme)
            there = ~np.isnan(y)  # pyqtgraph warns if everything visible is NaN
            curve = pg.PlotDataItem(x[there], y[there], pen=pen, antialias=True, **signs)
            curve.setZValue(2 if line.stands_out else 1)
            self.curves.append(curve)
            self.item.addItem(curve)
            curve.setClipToView(True)  # not earlier: the item has no view until now
            curve.setDownsampling(auto=True, method="peak")
        self._bound()
        self.go_to(self._cursor)

    def show_spread(self, axis: Axis, spread: Spread | None, name: str) -> None:
        """Show the quantiles of many numbers."""
        self._clear(axis)
        self.label.title = name
        self.setAccessibleName(name)
        self.spread = spread
        if spread is not None:
            self._places = [axis.positions(spread.steps + 1)]
            self._bands = Bands(self._places[0], spread.levels, self.theme)
            self.curves = self._bands.items
            for each in self.curves:
                self.item.addItem(each)
        self._bound()
        self.go_to(self._cursor)

    def _draw_spread(self) -> None:
        if self._bands is not None:
            low, high = self.view.viewRange()[0]
            self._bands.draw(*((-math.inf, math.inf) if self.view.autoRangeEnabled()[0] else (low, high)))

    def _drawn(self, numbers: Array) -> Array:
        """The numbers as drawn: a logarithmic scale has no place for zero and negative numbers."""
        finite = np.where(np.isfinite(numbers), numbers, math.nan)
        return np.where(finite > 0, finite, math.nan) if self.log else finite

    def _clear(self, axis: Axis) -> None:
        for curve in self.curves:
            self.item.removeItem(curve)
        self.axis, self.lines, self.spread, self.curves, self._places = axis, (), None, [], []
        self._bands = None
        self.mark.setData([], [])

    def _bound(self) -> None:
        """Limit the view to the iterations, those of another run included."""
        if self.axis is not None:
            last = max(self.axis.length, *(line.beside.length for line in self.lines if line.beside is not None), 0)
            edge = 0.02 * last
            self.view.setLimits(xMin=-edge, xMax=last + edge, minXRange=min(0.5, last))

    def set_log(self, log: bool) -> None:
        """Switch between a logarithmic and a linear scale."""
        self.log = log and self._can_be_log
        self.item.setLogMode(x=False, y=self.log)

    # -- where the cursor is

    def go_to(self, cursor: int) -> None:
        """Move the cursor to this number of completed steps."""
        self._cursor = cursor
        if self.axis is not None:
            self.cursor_line.setValue(float(self.axis.positions(np.array([cursor]))[0]))
            self._say(self._at_cursor())

    def _at_cursor(self) -> str:
        """The values of the lines at the cursor."""
        if self.axis is None:
            return ""
        known: list[tuple[int, str]] = []  # the last step that had a value, and the value
        if self.spread is not None and len(self.spread.steps):
            row = int(np.searchsorted(self.spread.steps, self._cursor)) - 1
            known = [(int(self.spread.steps[row]), self.spread.at(row))] if row >= 0 else []
        for line in sorted(self.lines, key=lambda one: not one.stands_out):
            row = int(np.searchsorted(line.steps, self._cursor)) - 1
            if row >= 0:
                known.append((int(line.steps[row]), f"{line.name} {line.numbers[row]:.4g}"))
        return _said_of(self.axis, known)

    def _say(self, text: str) -> None:
        self.label.say(text)
        self.setAccessibleDescription(text)

    def _drag(self, place: float) -> None:
        if self.axis is not None:
            self.picked.emit(self.axis.step(place))

    # -- mouse and keys

    def _hover(self, at: QPointF) -> None:
        found = self._nearest(at) if self.item.sceneBoundingRect().contains(at) else None
        if found is None or self.axis is None:
            self.mark.setData([], [])
            self._say(self._at_cursor())
            return
        row, line = found
        step = int(self._steps(line)[row])
        if self.spread is not None:
            self._say(f"{self.axis.title(step)}: {self.spread.at(row)}")
            return
        number = float(self.lines[line].numbers[row])
        self.mark.setData([self._places[line][row]], [math.log10(number) if self.log else number])
        self._say(f"{self.axis.title(step)}: {self.lines[line].name} {number:.6g}")

    def _click(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self.setFocus()
        found = self._nearest(event.scenePos())
        if found is not None:
            row, line = found
            self.picked.emit(int(self._steps(line)[row]))
        elif self.axis is not None:
            self._drag(float(self.view.mapSceneToView(event.scenePos()).x()))

    def _steps(self, line: int) -> Array:
        found: Array = self.spread.steps if self.spread is not None else self.lines[line].steps
        return found

    def _nearest(self, at: QPointF) -> tuple[int, int] | None:
        """(row, line) of the point that the mouse means: the nearest in time on each line, and the nearest of those."""
        place = self.view.mapSceneToView(at)
        best, far = None, NEAR if self.spread is None else math.inf
        for line, x in enumerate(self._places):
            if not len(x):
                continue
            row = int(np.searchsorted(x, place.x()))
            row = row - 1 if row == len(x) or (row and place.x() - x[row - 1] < x[row] - place.x()) else row
            if self.spread is not None:
                return row, line
            number = float(self._drawn(self.lines[line].numbers[row : row + 1])[0])
            if math.isnan(number):
                continue
            point = self.view.mapViewToScene(QPointF(float(x[row]), math.log10(number) if self.log else number))
            away = abs(point.y() - at.y())
            if away < far:
                best, far = (row, line), away
        return best

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.mark.setData([], [])
        self._say(self._at_cursor())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go(key)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            centre = QPointF(float(self.cursor_line.value()), 0.0)
            self.view.scaleBy(x=1.5 if key == Qt.Key.Key_Minus else 1 / 1.5, center=centre)
        elif key == Qt.Key.Key_0:
            self.view.enableAutoRange(x=True, y=True)
        else:
            super().keyPressEvent(event)

    def _go(self, key: int) -> None:
        """Go to the next point of the highlighted line, or of the first line."""
        at = next((row for row, line in enumerate(self.lines) if line.stands_out), 0)
        steps = self._steps(at) if self._places else np.empty(0, np.int64)
        if not len(steps):
            return
        before = int(np.searchsorted(steps, self._cursor - 1))
        after = int(np.searchsorted(steps, self._cursor - 1, "right"))
        rows = {Qt.Key.Key_Left: before - 1, Qt.Key.Key_Right: after, Qt.Key.Key_Home: 0, Qt.Key.Key_End: len(steps)}
        self.picked.emit(int(steps[min(max(rows[Qt.Key(key)], 0), len(steps) - 1)]))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._frame()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._frame()

    # -- look

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes; the owner has to show the lines again."""
        self.theme = theme
        self.label.set_theme(theme)
        self.plot.setBackground(QColor(theme.panel))
        for name in ("left", "bottom"):
            _dress(self.item.getAxis(name), theme)
        self.item.showGrid(x=False, y=True, alpha=0.15)
        line = QPen(QColor(theme.halo), 2 * theme.scale)
        line.setCosmetic(True)
        self.cursor_line.setPen(line)
        self.cursor_line.setHoverPen(line)
        self.mark.setPen(QPen(QColor(theme.text), 1.5))
        self.mark.setBrush(QColor(theme.panel))
        self._frame()

    def _frame(self) -> None:
        """A ring that shows the keyboard focus."""
        self.view.setBorder(QPen(QColor(self.theme.focus), 2) if self.hasFocus() else None)


def _in_columns(x: Array, levels: Array) -> tuple[Array, Array]:
    """Reduce to at most `COLUMNS` columns: of the points in one column, the smallest of the lower levels, the largest
    of the upper ones, and the mean of the middle."""
    stride = -(-len(x) // COLUMNS)
    if stride <= 1:
        return x, levels
    starts, middle = np.arange(0, len(x), stride), len(levels) // 2
    counts = np.diff(np.append(starts, len(x)))
    lower = np.minimum.reduceat(levels[:middle], starts, axis=1)
    upper = np.maximum.reduceat(levels[middle + 1 :], starts, axis=1)
    between = np.add.reduceat(levels[middle : middle + 1], starts, axis=1) / counts
    return x[starts], np.concatenate((lower, between, upper))
