"""Moves the camera in a short eased flight instead of a jump, so that one sees where one goes. Every new flight and
every move of the user ends the one before. Where nothing should move by itself (no screen, or the system has
animations switched off) there are no flights."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QElapsedTimer, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QStyle

from gradviz.ui.canvas.camera import Camera, on_the_way

FRAME = 15  # milliseconds between two pictures of a flight
FLIGHT = 180  # milliseconds of one
WHEEL_FLIGHT = 110
WITHOUT_SCREEN = ("offscreen", "minimal")


def animated() -> bool:
    """Whether things may move by themselves."""
    style = QApplication.style()
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return QGuiApplication.platformName() not in WITHOUT_SCREEN and style.styleHint(hint) > 0


class Flight(QObject):
    """One flight at a time; `look` is called with every camera on the way."""

    landed = Signal()

    def __init__(self, look: Callable[[Camera], None], parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = animated()
        self.wanted = True  # the user wants things to move
        self._look = look
        self._start = self._target = Camera()
        self._milliseconds = FLIGHT
        self._clock = QElapsedTimer()
        self._curve = QEasingCurve(QEasingCurve.Type.OutCubic)
        self._timer = QTimer(self, interval=FRAME)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._frame)

    @property
    def is_flying(self) -> bool:
        """True between `fly` and `landed`."""
        return self._timer.isActive()

    def target(self, camera: Camera) -> Camera:
        """Where the camera will be; `camera` is where it is."""
        return self._target if self.is_flying else camera

    def fly(self, start: Camera, target: Camera, milliseconds: int = FLIGHT) -> None:
        """Go from one camera to another; at once where flights are not wanted."""
        self._timer.stop()
        if not (self.enabled and self.wanted) or start == target or milliseconds <= 0:
            self._look(target)
            self.landed.emit()
            return
        self._start, self._target, self._milliseconds = start, target, milliseconds
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        """Stay where the camera is now."""
        if self.is_flying:
            self._timer.stop()
            self.landed.emit()

    def _frame(self) -> None:
        part = self._clock.elapsed() / self._milliseconds
        if part < 1:
            self._look(on_the_way(self._start, self._target, self._curve.valueForProgress(part)))
            return
        self._timer.stop()
        self._look(self._target)
        self.landed.emit()
