"""The widget that shows one figure. It reports the number under the mouse, or at the point reached by the arrow keys.
`ZoomView` can zoom: the wheel zooms at the mouse, dragging pans, and there are keys for both; it shows the same figure
with other limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from gradviz.trace.figures import Axes, Figure, Layer
from gradviz.ui.figures.painter import Placed, paint_figure
from gradviz.ui.figures.scales import Span, sharing, short_number
from gradviz.ui.theme import Theme

NEAR = 40.0  # pixels within which the mouse selects a point
STRETCH = 1.2  # how far the aspect ratio may differ from the requested one
POINTS = {"line": ("x", "y"), "points": ("x", "y"), "area": ("x", "high"), "segments": ("x1", "y1")}


class FigureView(QWidget):
    """Shows a figure; `on_number` receives the number at the mouse, "" for none."""

    def __init__(self, theme: Theme, on_number: Callable[[str], None]) -> None:
        super().__init__()
        self._theme = theme
        self._figure: Figure | None = None
        self._picture: QPixmap | None = None
        self._placed: list[Placed] = []
        self._on_number = on_number
        self._at: tuple[int, int] = (0, -1)  # the curve, and the point on it that the arrow keys have reached
        self._spot: QPointF | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 80)

    def sizeHint(self) -> QSize:
        return QSize(480, 360)

    @property
    def figure(self) -> Figure | None:
        """The figure being shown."""
        return self._figure

    def show_figure(self, figure: Figure | None, theme: Theme) -> None:
        """Show this figure with this look."""
        if figure is self._figure and theme == self._theme:
            return
        self._figure, self._theme = figure, theme
        self._at, self._spot = (0, -1), None
        self.setAccessibleName(f"Plot {figure.name}".strip() if figure is not None else "Plot")
        self._redraw()

    def _redraw(self) -> None:
        self._picture = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spot = None
        self._redraw()

    def paintEvent(self, _: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self._figure is None:
                painter.fillRect(self.rect(), QColor(self._theme.panel))
                return
            painter.drawPixmap(0, 0, self._drawn(self._figure))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._spot is not None:
                painter.setPen(QPen(QColor(self._theme.text), 1.5))
                painter.drawEllipse(self._spot, 6, 6)
            if self.hasFocus():
                painter.setPen(QPen(QColor(self._theme.focus), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _drawn(self, figure: Figure) -> QPixmap:
        """The figure as it is now, painted on demand."""
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatioF() != ratio:
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._placed = []
            with QPainter(self._picture) as painter:
                painter.fillRect(self.rect(), QColor(self._theme.panel))
                self._placed = paint_figure(painter, figure, self._box(figure), self._theme)
        return self._picture

    def _box(self, figure: Figure) -> QRectF:
        """Where it is painted: with about the aspect ratio that the snippet asked for."""
        ratio = figure.size[1] / figure.size[0]
        high = min(self.height(), self.width() * max(ratio, 0.75) * STRETCH)
        wide = min(self.width(), high / ratio * STRETCH**2)
        return QRectF((self.width() - wide) / 2, 0, wide, high)

    # the numbers

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the number under the mouse."""
        text, self._spot = self.number_at(event.position())
        self._on_number(text)
        self.update()

    def leaveEvent(self, _: object) -> None:
        """The mouse has left."""
        self._spot = None
        self._on_number("")
        self.update()

    def number_at(self, place: QPointF) -> tuple[str, QPointF | None]:
        """The number nearest to a position, and where it is drawn."""
        best, text, spot = NEAR, "", None
        for placed in self._placed:
            if not placed.area.contains(place):
                continue
            for layer in placed.axes.layers:
                found = _nearest(layer, placed, place)
                if found is not None and found[0] < best:
                    best, text, spot = found
        if not text:
            inside = [placed for placed in self._placed if placed.area.contains(place)]
            text = next((each for placed in inside if (each := _under(placed, place))), "")
        return text, spot

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move from point to point, Up and Down to another curve."""
        steps = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
        step = steps.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
            return
        curves = [
            (placed, layer)
            for placed in self._placed
            for layer in placed.axes.layers
            if layer.kind in POINTS and len(layer.columns[POINTS[layer.kind][0]])
        ]
        if curves:
            curve = (self._at[0] + step[0]) % len(curves)
            placed, layer = curves[curve]
            count = len(layer.columns[POINTS[layer.kind][0]])
            self._at = (curve, min(max(self._at[1] + step[1], 0), count - 1))
            text, self._spot = _point(layer, placed, self._at[1])
            self._on_number(text)
            self.update()


def _point(layer: Layer, placed: Placed, at: int) -> tuple[str, QPointF | None]:
    across, up = POINTS[layer.kind]
    x, y = float(layer.columns[across][at]), float(layer.columns[up][at])
    named = f"{layer.style.label}: " if layer.style.label else ""
    spot = QPointF(placed.x.at(x), placed.y.at(y))
    known = placed.area.adjusted(-1, -1, 1, 1).contains(spot)  # but not outside the limits, or if it is not a number
    return f"{named}x = {_named(placed, x)}, y = {short_number(y)}", spot if known else None


def _named(placed: Placed, x: float) -> str:
    """x, or the name of its tick."""
    scale = placed.axes.x
    if scale.ticks is not None and scale.names and x in scale.ticks:
        return scale.names[scale.ticks.index(x)] or short_number(x)
    return short_number(x)


def _nearest(layer: Layer, placed: Placed, place: QPointF) -> tuple[float, str, QPointF | None] | None:
    names = POINTS.get(layer.kind)
    if names is None or not len(layer.columns[names[0]]):
        return None
    x, y = placed.x.to(layer.columns[names[0]]), placed.y.to(layer.columns[names[1]])
    far = np.nan_to_num(np.hypot(x - place.x(), y - place.y()), nan=np.inf)
    at = int(far.argmin())
    return (float(far[at]), *_point(layer, placed, at))


def _under(placed: Placed, place: QPointF) -> str:
    """The number of the bar or cell at this position, otherwise the position itself."""
    x, y = placed.x.back(place.x()), placed.y.back(place.y())
    for layer in reversed(placed.axes.layers):
        if layer.kind == "bars":
            left, low, right, high = (layer.columns[name] for name in ("left", "bottom", "right", "top"))
            hit = np.flatnonzero(
                (left <= x) & (x <= right) & (np.minimum(low, high) <= y) & (y <= np.maximum(low, high))
            )
            if hit.size and np.isfinite(high[hit[0]]):
                at, named = int(hit[0]), f"{layer.style.label}: " if layer.style.label else ""
                level = f"{short_number(float(left[at]))} to {short_number(float(right[at]))}"
                return f"{named}{level}: {short_number(float(low[at]))} to {short_number(float(high[at]))}"
        if layer.kind == "image" and layer.shape[2] == 1:
            rows, columns, _ = layer.shape
            left_end, right_end, bottom, top = layer.extent
            wide, tall = right_end - left_end, bottom - top
            column, row = (x - left_end) / wide * columns if wide else -1, (y - top) / tall * rows if tall else -1
            if 0 <= column < columns and 0 <= row < rows:
                value = float(layer.columns["value"][int(row) * columns + int(column)])
                return f"x = {short_number(x)}, y = {short_number(y)}: {short_number(value)}"
    return f"x = {short_number(x)}, y = {short_number(y)}"


# -- zooming

HOW = "Zoom: wheel, + and −.  Move: drag, Ctrl+arrows.  All of it: Home, double-click."
NOTCH = 120  # the wheel's report for one notch
NEARER = 0.8  # share of a range left after zooming in by one step
MOVE = 0.1  # share of a range moved by one key press
FINEST = 1e-7  # relative range below which all ticks would read the same
KEYS = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1}
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
LARGEST = 1e300
Ends = tuple[float, float]


class ZoomView(FigureView):
    """Shows a figure, in part or whole."""

    def __init__(self, theme: Theme, on_number: Callable[[str], None]) -> None:
        super().__init__(theme, on_number)
        self._whole: Figure | None = None
        self._held: QPointF | None = None

    def show_figure(self, figure: Figure | None, theme: Theme) -> None:
        """Show all of this figure."""
        self._whole = figure
        super().show_figure(figure, theme)

    def show_all(self) -> None:
        """Show the whole figure again."""
        super().show_figure(self._whole, self._theme)

    def zoom(self, steps: float, place: QPointF) -> None:
        """Zoom in by this many steps around a position."""
        self._look(place, NEARER**steps, QPointF())

    def move_by(self, pixels: QPointF, place: QPointF) -> None:
        """Pan the axes at this position by this many pixels."""
        self._look(place, 1.0, pixels)

    def _look(self, place: QPointF, share: float, shift: QPointF) -> None:
        """Set the limits of the axes at this position, and of those that share them, to this share of the visible range
        around it, panned by this many pixels."""
        figure = self._figure
        if figure is None:
            return
        self._drawn(figure)  # the latest change may not have been painted yet
        under = [placed for placed in self._placed if placed.area.contains(place)]
        chosen: dict[Axes, dict[str, Ends]] = {}
        for placed in under:
            ways = (("x", placed.x, place.x(), shift.x()), ("y", placed.y, place.y(), shift.y()))
            for name, span, at, more in ways:
                limits = _limits(span, *(at + (end - at) * share + more for end in (span.start, span.end)))
                if limits is None:
                    return
                for axes in sharing(figure, placed.axes, name):
                    chosen.setdefault(axes, {})[name] = limits
        if not chosen:
            return
        seen = replace(figure, axes=tuple(_within(axes, chosen.get(axes, {})) for axes in figure.axes))
        super().show_figure(seen, self._theme)

    def _middle(self) -> QPointF:
        """The middle of the axes under the mouse, or of the first ones."""
        under = self.mapFromGlobal(self.cursor().pos()).toPointF()
        areas = [placed for placed in self._placed if placed.area.contains(under)] or self._placed
        return areas[0].area.center() if areas else QPointF()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the mouse."""
        self.zoom(event.angleDelta().y() / NOTCH, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Grab the axes."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._held = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while the button is held, otherwise report the number under the mouse."""
        if self._held is None:
            super().mouseMoveEvent(event)
            return
        self.move_by(self._held - event.position(), self._held)
        self._held = event.position()

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        """Release."""
        self._held = None

    def mouseDoubleClickEvent(self, _: QMouseEvent) -> None:
        """Show the whole figure."""
        self.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """+ and − zoom, Ctrl with an arrow pans, Home shows everything; other keys work as in every plot."""
        key = Qt.Key(event.key())
        if key in KEYS:
            self.zoom(KEYS[key], self._middle())
        elif key is Qt.Key.Key_Home:
            self.show_all()
        elif key in ARROWS and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            across, down = ARROWS[key]
            self.move_by(QPointF(across * self.width(), down * self.height()) * MOVE, self._middle())
        else:
            super().keyPressEvent(event)


def _limits(span: Span, start: float, end: float) -> Ends | None:
    """The numbers at these pixels; None if they overflow."""
    try:
        low, high = sorted((span.back(start), span.back(end)))
    except OverflowError:
        return None
    largest = max(abs(low), abs(high))
    if not math.isfinite(largest) or largest > LARGEST or high - low <= FINEST * largest:
        return None
    return (low, high) if low > 0 or not span.log else None


def _within(axes: Axes, limits: dict[str, Ends]) -> Axes:
    x, y = (replace(scale, limits=limits.get(name, scale.limits)) for name, scale in (("x", axes.x), ("y", axes.y)))
    return replace(axes, x=x, y=y) if limits else axes
