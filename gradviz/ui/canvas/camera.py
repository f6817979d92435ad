"""Where the canvas looks, and what moves on it by itself. `Camera` is a zoom and the world point at the top left corner
of the widget, as plain numbers. `Flight` moves the camera along a short eased path instead of jumping, so that the eye
can follow. `Transition` moves items to their places in another layout. `Motion` animates the dashes and numbers of the
current step's gradients and cross-fades what a step has changed.

Where nothing should move by itself (no screen, or animations are switched off in the system) there are no flights or
transitions, and dashes move only during playback; if the user has switched motion off, nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEasingCurve, QElapsedTimer, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QStyle

SMALLEST, LARGEST = 0.0001, 6.0
KEPT = 80.0  # pixels of the graph that stay in view however far the user pans
FURTHEST = 0.5  # of the zoom at which everything is in view: zooming out further is useless
FIT_MARGIN = 28.0
LARGEST_FIT = 1.7
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Camera:
    """`scale` is in pixels per world unit; `left` and `top` are in world units."""

    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0

    def to_world(self, x: float, y: float) -> tuple[float, float]:
        """The world point under a pixel."""
        return self.left + x / self.scale, self.top + y / self.scale

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """The pixel at a world point."""
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def world_box(self, box: Box, margin: float = 2.0) -> Box:
        """A box of pixels, grown by `margin`, as left, top, right, bottom in world units."""
        left, top = self.to_world(box[0] - margin, box[1] - margin)
        right, bottom = self.to_world(box[2] + margin, box[3] + margin)
        return left, top, right, bottom

    def moved(self, dx: float, dy: float) -> Camera:
        """Pan by dx, dy pixels to the right and down, on whole pixels so that painted pixels can be reused."""
        left, top = round(self.left * self.scale + dx), round(self.top * self.scale + dy)
        return replace(self, left=left / self.scale, top=top / self.scale)

    def zoomed(self, factor: float, x: float, y: float, smallest: float = SMALLEST) -> Camera:
        """Zoom while keeping the point under the pixel x, y in place."""
        scale = min(LARGEST, max(smallest, self.scale * factor))
        world_x, world_y = self.to_world(x, y)
        return Camera(scale, world_x - x / scale, world_y - y / scale).moved(0, 0)

    def centred(self, x: float, y: float, width: float, height: float) -> Camera:
        """Put a world point in the middle of a widget of this size."""
        return replace(self, left=x - width / 2 / self.scale, top=y - height / 2 / self.scale).moved(0, 0)


def kept(camera: Camera, extent: Box, width: float, height: float) -> Camera:
    """The same camera, moved just far enough to keep part of the graph in view."""
    left = _kept(camera.left, width, camera.scale, extent[0], extent[2])
    top = _kept(camera.top, height, camera.scale, extent[1], extent[3])
    if (left, top) == (camera.left, camera.top):
        return camera
    return replace(camera, left=left, top=top).moved(0, 0)


def _kept(start: float, pixels: float, scale: float, low: float, high: float) -> float:
    some = min(KEPT, pixels / 2, (high - low) * scale) / scale
    return min(max(start, low + some - pixels / scale), high - some)


def furthest(extent: Box, width: float, height: float) -> float:
    """The smallest zoom at which anything can still be seen."""
    return max(SMALLEST, min(1.0, fitting(extent, width, height).scale) * FURTHEST)


def on_the_way(start: Camera, target: Camera, part: float) -> Camera:
    """The camera after a fraction (0 to 1) of the way: the zoom changes at a constant rate, and whatever is at the same
    pixel at both ends stays there."""
    if abs(start.scale / target.scale - 1) < 1e-6:
        share, scale = part, target.scale
    else:
        scale = start.scale * (target.scale / start.scale) ** part
        share = (1 / scale - 1 / start.scale) / (1 / target.scale - 1 / start.scale)
    left = start.left + (target.left - start.left) * share
    top = start.top + (target.top - start.top) * share
    return Camera(scale, left, top).moved(0, 0)


def within(camera: Camera, extent: Box, width: float, height: float) -> Camera:
    """Keep the camera within the graph: centre it if all of it fits, otherwise stop at its edge."""
    margin = FIT_MARGIN / min(camera.scale, 1.0)
    left = _within(camera.left, width / camera.scale, extent[0] - margin, extent[2] + margin)
    top = _within(camera.top, height / camera.scale, extent[1] - margin, extent[3] + margin)
    return replace(camera, left=left, top=top).moved(0, 0)


def _within(start: float, length: float, low: float, high: float) -> float:
    if high - low <= length:
        return (low + high - length) / 2
    return min(max(start, low), high - length)


def fitting(extent: Box, width: float, height: float, largest: float = LARGEST_FIT, text: float = 1.0) -> Camera:
    """The camera that shows a whole extent, with room for a line of words of this text scale above and below."""
    across, down = max(extent[2] - extent[0], 1.0), max(extent[3] - extent[1], 1.0)
    fits = _fitting(width, across, FIT_MARGIN), _fitting(height, down, FIT_MARGIN * max(text, 1.0))
    scale = min(largest, LARGEST, max(SMALLEST, min(fits)))
    return Camera(scale).centred((extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2, width, height)


def _fitting(pixels: float, length: float, margin: float) -> float:
    """The zoom at which a length fits, with a margin that grows with what is enlarged: words on edges stand in it."""
    scale = max(pixels - 2 * margin, 20.0) / length
    return scale if scale <= 1 else max(1.0, pixels / (length + 2 * margin))


def holds(camera: Camera, extent: Box | None, size: tuple[int, int]) -> bool:
    """Whether a whole extent is visible in a view of this size."""
    if extent is None:
        return True
    left, top = camera.to_world(-1, -1)
    right, bottom = camera.to_world(*(length + 1 for length in size))
    return left <= extent[0] and top <= extent[1] and right >= extent[2] and bottom >= extent[3]


def meets(camera: Camera, extent: Box | None, size: tuple[int, int]) -> bool:
    """Whether any part of an extent is visible in a view of this size."""
    if extent is None:
        return True
    left, top = camera.to_world(0, 0)
    right, bottom = camera.to_world(*size)
    return extent[0] < right and extent[1] < bottom and left < extent[2] and top < extent[3]


# -- flights, transitions, motion

FRAME = 15  # milliseconds between the pictures of a flight or transition
FLIGHT = 180  # milliseconds of a flight
WHEEL_FLIGHT = 110
LENGTH = 220  # milliseconds of a transition
TICK = 33  # milliseconds between the pictures of moving dashes
PHASE = 0.07  # of a dash, per picture
FADE = 300  # milliseconds of the cross-fade after a step
LINGER = 2600  # milliseconds that dashes keep moving after a step
WITHOUT_SCREEN = ("offscreen", "minimal")


def animated() -> bool:
    """Whether things may move by themselves."""
    style = QApplication.style()
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return QGuiApplication.platformName() not in WITHOUT_SCREEN and style.styleHint(hint) > 0


class Flight(QObject):
    """Flies the camera, one flight at a time: `look` is called with each camera on the way. A new flight, or a move by
    the user, ends the current one."""

    landed = Signal()

    def __init__(self, look: Callable[[Camera], None], parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = animated()
        self.wanted = True  # the user wants motion
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
        """Where the camera is heading; `camera` is where it is now."""
        return self._target if self.is_flying else camera

    def fly(self, start: Camera, target: Camera, milliseconds: int = FLIGHT) -> None:
        """Fly from one camera to another, or jump if flights are not wanted."""
        self._timer.stop()
        if not (self.enabled and self.wanted) or start == target or milliseconds <= 0:
            self._look(target)
            self.landed.emit()
            return
        self._start, self._target, self._milliseconds = start, target, milliseconds
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        """Stop where the camera is now."""
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
    """An eased transition, one at a time, which can be finished early at any moment."""

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
        """Whether a transition is under way."""
        return self._end is not None

    def begin(self, show: Callable[[float], None], end: Callable[[], None]) -> None:
        """`show` is called for every picture with the fraction of the way, 0 to 1, and `end` once at the end."""
        self.finish()
        self._show, self._end = show, end
        self._clock.start()
        self._timer.start()
        show(0.0)

    def finish(self) -> None:
        """Jump to the end."""
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
    """`ticked` is emitted for every picture; `phase` and `fade` tell the progress. Motion stops a while after a step,
    or when playback ends."""

    ticked = Signal()
    rested = Signal()  # motion has stopped

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = animated()
        self.wanted = True  # the user has not switched motion off
        self.phase = 0.0
        self.fade = 1.0
        self.travels = False  # numbers travel along their edges in this step
        self._playing = False
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=TICK)
        self._timer.timeout.connect(self._tick)

    def set_playing(self, playing: bool) -> None:
        """Tell whether playback is running."""
        self._playing = playing
        if playing and self.wanted:
            self._timer.start()
        elif not self._lingers:
            self.stop()

    def begin(self) -> bool:
        """A step was made; returns whether it is animated."""
        if not (self.enabled and self.wanted):
            return False
        self.travels = self.fade >= 1  # otherwise the previous step is still animating: a key is being held
        self.fade = 0.0
        self._clock.start()
        self._timer.start()
        return True

    def stop(self) -> None:
        """Stop all motion, with cross-fades at their end."""
        moved = self._timer.isActive()
        self._timer.stop()
        self.fade, self.phase = 1.0, 0.0  # at rest, a step has one picture
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
