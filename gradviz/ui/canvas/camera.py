"""Where the canvas looks, and what moves on it by itself. `Camera` is a zoom and the point of the world at the widget's
top left corner, in plain numbers. `Flight`: the camera moves in a short eased flight instead of a jump, so that the eye
can follow. `Transition`: what is elsewhere in another layout goes there. `Motion`: the dashes of the current step's
gradients and their numbers that travel, and what a step has changed as it dissolves into its new look.

Where nothing should move by itself (no screen, or the system has animations switched off) there are no flights and no
transitions, and dashes move only while the user plays; where the user said so, nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEasingCurve, QElapsedTimer, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QStyle

SMALLEST, LARGEST = 0.0001, 6.0
KEPT = 80.0  # pixels of the graph that stay in view however far one goes
FURTHEST = 0.5  # of the zoom at which all is in view: no use in going further away
FIT_MARGIN = 28.0
LARGEST_FIT = 1.7
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Camera:
    """`scale` pixels per world unit; `left`, `top` in world units."""

    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0

    def to_world(self, x: float, y: float) -> tuple[float, float]:
        """The point of the world under a pixel."""
        return self.left + x / self.scale, self.top + y / self.scale

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """The pixel of a point of the world."""
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def world_box(self, box: Box, margin: float = 2.0) -> Box:
        """Left, top, right, bottom in the world of a box of pixels, a little larger."""
        left, top = self.to_world(box[0] - margin, box[1] - margin)
        right, bottom = self.to_world(box[2] + margin, box[3] + margin)
        return left, top, right, bottom

    def moved(self, dx: float, dy: float) -> Camera:
        """Look dx, dy pixels further right and down, on whole pixels, so that what was painted can be reused."""
        left, top = round(self.left * self.scale + dx), round(self.top * self.scale + dy)
        return replace(self, left=left / self.scale, top=top / self.scale)

    def zoomed(self, factor: float, x: float, y: float, smallest: float = SMALLEST) -> Camera:
        """Zoom so that the point under the pixel x, y stays there."""
        scale = min(LARGEST, max(smallest, self.scale * factor))
        world_x, world_y = self.to_world(x, y)
        return Camera(scale, world_x - x / scale, world_y - y / scale).moved(0, 0)

    def centred(self, x: float, y: float, width: float, height: float) -> Camera:
        """Look so that a point of the world is in the middle of a widget of this size."""
        return replace(self, left=x - width / 2 / self.scale, top=y - height / 2 / self.scale).moved(0, 0)


def kept(camera: Camera, extent: Box, width: float, height: float) -> Camera:
    """The same camera, moved no further than needed for some of what there is to stay in view."""
    left = _kept(camera.left, width, camera.scale, extent[0], extent[2])
    top = _kept(camera.top, height, camera.scale, extent[1], extent[3])
    if (left, top) == (camera.left, camera.top):
        return camera
    return replace(camera, left=left, top=top).moved(0, 0)


def _kept(start: float, pixels: float, scale: float, low: float, high: float) -> float:
    some = min(KEPT, pixels / 2, (high - low) * scale) / scale
    return min(max(start, low + some - pixels / scale), high - some)


def furthest(extent: Box, width: float, height: float) -> float:
    """The smallest zoom at which there is still something to see."""
    return max(SMALLEST, min(1.0, fitting(extent, width, height).scale) * FURTHEST)


def on_the_way(start: Camera, target: Camera, part: float) -> Camera:
    """The camera when a part (0 to 1) of the way is done: the zoom changes evenly, and what is at the same pixel in
    both stays there."""
    if abs(start.scale / target.scale - 1) < 1e-6:
        share, scale = part, target.scale
    else:
        scale = start.scale * (target.scale / start.scale) ** part
        share = (1 / scale - 1 / start.scale) / (1 / target.scale - 1 / start.scale)
    left = start.left + (target.left - start.left) * share
    top = start.top + (target.top - start.top) * share
    return Camera(scale, left, top).moved(0, 0)


def within(camera: Camera, extent: Box, width: float, height: float) -> Camera:
    """Do not look past what there is: where all of it fits it is centred, else its edge stays at the edge."""
    margin = FIT_MARGIN / camera.scale
    left = _within(camera.left, width / camera.scale, extent[0] - margin, extent[2] + margin)
    top = _within(camera.top, height / camera.scale, extent[1] - margin, extent[3] + margin)
    return replace(camera, left=left, top=top).moved(0, 0)


def _within(start: float, length: float, low: float, high: float) -> float:
    if high - low <= length:
        return (low + high - length) / 2
    return min(max(start, low), high - length)


def fitting(extent: Box, width: float, height: float, largest: float = LARGEST_FIT) -> Camera:
    """All of an extent in view."""
    across, down = max(extent[2] - extent[0], 1.0), max(extent[3] - extent[1], 1.0)
    room_x, room_y = max(width - 2 * FIT_MARGIN, 20.0), max(height - 2 * FIT_MARGIN, 20.0)
    scale = min(largest, LARGEST, max(SMALLEST, min(room_x / across, room_y / down)))
    return Camera(scale).centred((extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2, width, height)


def holds(camera: Camera, extent: Box | None, size: tuple[int, int]) -> bool:
    """Whether all of an extent is seen in a view of this size."""
    if extent is None:
        return True
    left, top = camera.to_world(-1, -1)
    right, bottom = camera.to_world(*(length + 1 for length in size))
    return left <= extent[0] and top <= extent[1] and right >= extent[2] and bottom >= extent[3]


# -- flights, transitions, motion

FRAME = 15  # milliseconds between two pictures of a flight or a transition
FLIGHT = 180  # milliseconds of one
WHEEL_FLIGHT = 110
LENGTH = 220  # milliseconds of a transition
TICK = 33  # milliseconds between two pictures of dashes
PHASE = 0.07  # of a dash, by picture
FADE = 300  # milliseconds in which one look dissolves into the next
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
    rested = Signal()  # all is still again

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = animated()
        self.wanted = True  # the user has not switched movements off
        self.phase = 0.0
        self.fade = 1.0
        self.travels = False  # numbers go along their edges in this step
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
        self.travels = self.fade >= 1  # else the step before is still on its way: keys repeat
        self.fade = 0.0
        self._clock.start()
        self._timer.start()
        return True

    def stop(self) -> None:
        """Be still; what dissolves is at its end."""
        moved = self._timer.isActive()
        self._timer.stop()
        self.fade = 1.0
        if moved:
            self.ticked.emit()
            self.rested.emit()

    @property
    def _lingers(self) -> bool:
        return self.enabled and self._clock.isValid() and self._clock.elapsed() < LINGER

    def _tick(self) -> None:
        self.phase = (self.phase + PHASE) % 1.0
        self.fade = min(1.0, self._clock.elapsed() / FADE) if self._lingers else 1.0
        self.ticked.emit()
        if not self._playing and not self._lingers:
            self.stop()
