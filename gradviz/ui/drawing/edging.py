"""The canvas scrolls while a gesture is held at its edge, so that one gets to what is out of view: faster the nearer
the pointer is to the edge, or beyond it. `interactions` says when."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QTimer

from gradviz.ui.drawing.gesture import Keys
from gradviz.ui.drawing.view import DrawingView

EDGE = 24.0  # pixels in which it scrolls
FASTEST = 14.0  # pixels at once
FRAME = 16  # milliseconds


class Edging:
    """Scrolls, and lets the gesture follow with `move`."""

    def __init__(self, view: DrawingView, move: Callable[[QPointF, Keys], None]) -> None:
        self._view, self._move = view, move
        self._at, self._keys = QPointF(), Keys.NoModifier
        self._been_inside = False  # what begins at the edge is not carried away
        self._timer = QTimer(view, interval=FRAME)
        self._timer.timeout.connect(self.scroll)

    @property
    def is_going(self) -> bool:
        """Whether it scrolls."""
        return self._timer.isActive()

    def hold(self, at: QPointF, keys: Keys) -> None:
        """The pointer of a gesture is here."""
        self._at, self._keys = at, keys
        if self._speed().isNull():
            self._been_inside = True
            self._timer.stop()
        elif self._been_inside and not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """The gesture has ended."""
        self._been_inside = False
        self._timer.stop()

    def scroll(self) -> None:
        """Once, by as much as the pointer asks for."""
        speed, before = self._speed(), self._view.camera
        self._view.viewport.pan(-speed.x(), -speed.y())
        if self._view.camera != before:
            self._move(self._at, self._keys)

    def _speed(self) -> QPointF:
        room = self._view.rect()
        return QPointF(_pull(self._at.x(), room.width()), _pull(self._at.y(), room.height()))


def _pull(at: float, length: float) -> float:
    """How fast a place in this length pulls: 0 but at both ends."""
    beyond = max(at - (length - EDGE), 0.0) if at > length / 2 else min(at - EDGE, 0.0)
    return round(max(-1.0, min(1.0, beyond / EDGE)) * FASTEST)
