"""What moves on the canvas by itself. `Flight`: the camera moves in a short eased flight instead of a jump, so that one
sees where one goes. `Transition`: what is elsewhere in another layout goes there. `Motion`: the dashes of the current
step's gradients, and what a step has changed as it dissolves into its new look.

Where nothing should move by itself (no screen, or the system has animations switched off) there are no flights and no
transitions, and dashes move only while the user plays; where the user said so, nothing moves.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QElapsedTimer, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QStyle

from gradviz.ui.canvas.camera import Camera, on_the_way

FRAME = 15  # milliseconds between two pictures of a flight or a transition
FLIGHT = 180  # milliseconds of one
WHEEL_FLIGHT = 110
LENGTH = 220  # milliseconds of a transition
TICK = 33  # milliseconds between two pictures of dashes
PHASE = 0.07  # of a dash, by picture
FADE = 250  # milliseconds in which one look dissolves into the next
LINGER = 2600  # milliseconds that dashes move after a step
WITHOUT_SCREEN = ("offscreen", "minimal")


def animated() -> bool:
    """Whether things may move by themselves."""
    style = QApplication.style()
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return QGuiApplication.platformName() not in WITHOUT_SCREEN and style.styleHint(hint) > 0


class Flight(QObject):
    """Flies the camera, one flight at a time: `look` is called with every camera on the way. Every new flight and every
    move of the user ends the one before."""

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


class Transition(QObject):
    """An eased part of the way for every picture, then the end; one at a time, which can be ended at any time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._show: Callable[[float], None] | None = None
        self._end: Callable[[], None] | None = None
        self._clock = QElapsedTimer()
        self._curve = QEasingCurve(QEasingCurve.Type.OutCubic)
        self._timer = QTimer(self, interval=FRAME)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._frame)

    @property
    def is_going(self) -> bool:
        """Whether something is on its way."""
        return self._end is not None

    def begin(self, show: Callable[[float], None], end: Callable[[], None]) -> None:
        """`show` is called with the part of the way, 0 to 1, for every picture, and `end` once at its end."""
        self.finish()
        self._show, self._end = show, end
        self._clock.start()
        self._timer.start()
        show(0.0)

    def finish(self) -> None:
        """Be at the end at once."""
        self._timer.stop()
        end, self._show, self._end = self._end, None, None
        if end is not None:
            end()

    def _frame(self) -> None:
        part = self._clock.elapsed() / LENGTH
        if part < 1 and self._show is not None:
            self._show(self._curve.valueForProgress(part))
        else:
            self.finish()


class Motion(QObject):
    """`ticked` comes for every picture; `phase` and `fade` say how far it is. A while after a step, or when playing
    ends, all is still."""

    ticked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = animated()
        self.wanted = True  # the user has not switched movements off
        self.phase = 0.0
        self.fade = 1.0
        self._playing = False
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=TICK)
        self._timer.timeout.connect(self._tick)

    def set_playing(self, playing: bool) -> None:
        """Whether the user plays."""
        self._playing = playing
        if playing and self.wanted:
            self._timer.start()
        elif not self._lingers:
            self.stop()

    def begin(self) -> bool:
        """A step was made; returns whether it is shown as a movement."""
        if not (self.enabled and self.wanted):
            return False
        self.fade = 0.0
        self._clock.start()
        self._timer.start()
        return True

    def stop(self) -> None:
        """Be still."""
        self._timer.stop()
        self.fade = 1.0

    @property
    def _lingers(self) -> bool:
        return self.enabled and self._clock.isValid() and self._clock.elapsed() < LINGER

    def _tick(self) -> None:
        self.phase = (self.phase + PHASE) % 1.0
        self.fade = min(1.0, self._clock.elapsed() / FADE) if self._lingers else 1.0
        self.ticked.emit()
        if not self._playing and not self._lingers:
            self.stop()
