"""A figure that can be looked into: the wheel zooms at the mouse, dragging moves, and there are keys for both. What is
seen is the same figure with other limits; the numbers and the look are those of `view`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from gradviz.trace.figures import Axes, Figure
from gradviz.ui.figures.scales import Span, sharing
from gradviz.ui.figures.view import FigureView
from gradviz.ui.theme import Theme

HOW = "Zoom: wheel, + and −.  Move: drag, Ctrl+arrows.  All of it: Home, double-click."
NOTCH = 120  # what a wheel reports for one step
NEARER = 0.8  # what is left of a range after one step nearer
MOVE = 0.1  # of a range, by one key
FINEST = 1e-7  # a range compared with its numbers, beyond which ticks would all read the same
KEYS = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1}
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
LARGEST = 1e300
Ends = tuple[float, float]


class ZoomView(FigureView):
    """Shows one figure, in part or whole."""

    def __init__(self, theme: Theme, on_number: Callable[[str], None]) -> None:
        super().__init__(theme, on_number)
        self._whole: Figure | None = None
        self._held: QPointF | None = None

    def show_figure(self, figure: Figure | None, theme: Theme) -> None:
        """Show this one whole."""
        self._whole = figure
        super().show_figure(figure, theme)

    def show_all(self) -> None:
        """Back to the whole figure."""
        super().show_figure(self._whole, self._theme)

    def zoom(self, steps: float, place: QPointF) -> None:
        """So many steps nearer; what is at this place stays there."""
        self._look(place, NEARER**steps, QPointF())

    def move_by(self, pixels: QPointF, place: QPointF) -> None:
        """Let the axes at this place show what is so many pixels away."""
        self._look(place, 1.0, pixels)

    def _look(self, place: QPointF, share: float, shift: QPointF) -> None:
        """Give the axes at this place, and those that share limits with them, other limits: this share of what is
        seen around the place, so many pixels further."""
        figure = self._figure
        if figure is None:
            return
        self._drawn(figure)  # what was changed last may not have been painted
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
        """Of the axes under the mouse, else of the first ones."""
        under = self.mapFromGlobal(self.cursor().pos()).toPointF()
        areas = [placed for placed in self._placed if placed.area.contains(under)] or self._placed
        return areas[0].area.center() if areas else QPointF()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the mouse."""
        self.zoom(event.angleDelta().y() / NOTCH, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the axes."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._held = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what is held, else tell the number under the mouse."""
        if self._held is None:
            super().mouseMoveEvent(event)
            return
        self.move_by(self._held - event.position(), self._held)
        self._held = event.position()

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        """Let go."""
        self._held = None

    def mouseDoubleClickEvent(self, _: QMouseEvent) -> None:
        """Show all of it."""
        self.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """+ and − zoom, Ctrl with an arrow moves, Home shows all; the other keys are those of every plot."""
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
    """The numbers at these pixels; None where numbers come to their ends."""
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
