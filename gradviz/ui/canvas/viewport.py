"""Where the canvas looks: fit, zoom, pan, flights to an item, and the rule that some of the graph stays in view. What
the user does with mouse and keys is in `input`, the numbers of a camera in `camera`, the painting in `surface`."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.camera import (
    FLIGHT,
    LARGEST_FIT,
    SMALLEST,
    Box,
    Camera,
    Flight,
    fitting,
    furthest,
    holds,
    kept,
    within,
)
from gradviz.ui.canvas.surface import Surface

ZOOM_STEP = 1.25
SHARPEN = 80  # milliseconds after the last zoom
READABLE = 0.45  # the smallest zoom at which a graph is opened whole: name, value and gradient are read from there on
LEGIBLE = 0.42  # the smallest zoom at which a single item is looked at
OPENED = 0.8  # the zoom at which a larger one is opened
EDGE = 16.0  # pixels that stay between what is brought in and the edge
LARGER = 1.25  # times the room, from which on what was all in view is fitted to it
AROUND = 1.6  # how much of its surroundings is seen with what one zooms to


class Viewport(QObject):
    """Moves the camera of a surface."""

    changed = Signal()  # the camera looks elsewhere, or something else is there to be seen

    def __init__(self, widget: QWidget, surface: Surface, *, centres_nothing: bool = False) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self._centres_nothing = centres_nothing  # where nothing is shown, the middle of the world is in the middle
        self.is_fitted = True  # the user has not looked elsewhere
        self.flight = Flight(self._fly_by, self)
        self._sharpening = QTimer(self, singleShot=True, interval=SHARPEN)
        self.flight.landed.connect(self._sharpening.start)
        self._sharpening.timeout.connect(self.sharpen)

    @property
    def _size(self) -> tuple[int, int]:
        return self._widget.width(), self._widget.height()

    @property
    def extent(self) -> Box | None:
        """The box around all graphs that are shown, in the world."""
        scene = self._surface.scene
        return scene.extent() if scene is not None else None

    @property
    def shows_everything(self) -> bool:
        """Whether all of the graphs is in view."""
        return holds(self._surface.camera, self.extent, self._size)

    @property
    def shows_something(self) -> bool:
        """Whether the box around the graphs is in view, if only a part of it."""
        extent, camera = self.extent, self._surface.camera
        if extent is None:
            return True
        left, top = camera.to_screen(extent[0], extent[1])
        right, bottom = camera.to_screen(extent[2], extent[3])
        return QRectF(self._widget.rect()).intersects(QRectF(QPointF(left, top), QPointF(right, bottom)))

    # -- everything, or some of it

    def open(self) -> None:
        """Look as at a graph that was just opened: fit, unless nothing could be read then; else begin at the current
        step, large enough. No flight: it is new."""
        self.is_fitted = True
        self.flight.stop()
        extent, scene, scale = self.extent, self._surface.scene, self._surface.theme.scale
        if extent is None and self._centres_nothing:
            camera = self._surface.camera
            self._look(camera.zoomed(scale / camera.scale, 0, 0).centred(0, 0, *self._size))
        if scene is None or extent is None:
            return
        self._look(fitting(extent, *self._size, LARGEST_FIT * scale))
        if self._surface.camera.scale >= READABLE * scale:
            return
        place = scene.place_of(scene.start_item())
        if place is not None:
            self._look(self._aimed(Camera(OPENED * scale), place))

    def fit(self) -> None:
        """All of the graphs that are shown in view."""
        self.is_fitted = True
        if (extent := self.extent) is not None:
            self._fly(fitting(extent, *self._size, LARGEST_FIT * self._surface.theme.scale))

    def fit_items(self, items: list[int]) -> None:
        """Some items in view, with what is around them, not larger than text is meant to be."""
        scene = self._surface.scene
        boxes = [scene.world_box(item) for item in items if item >= 0] if scene is not None else []
        if not boxes:
            return
        self.is_fitted = False
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        box = min(lefts), min(tops), max(rights), max(bottoms)
        width, height = self._size
        camera = fitting(box, width / AROUND, height / AROUND, self._surface.theme.scale)
        self._fly(self._aimed(camera, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)))

    def fit_selection(self) -> None:
        """The selection, or the current step, in view and large enough to read."""
        scene = self._surface.scene
        if scene is not None:
            self.fit_items([scene.selected] if scene.selected >= 0 else list(scene.moment.current))

    # -- one thing

    def center_on(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle."""
        scene = self._surface.scene
        place = scene.place_of(scene.find(kind, index)) if scene is not None else None
        if place is not None:
            self.is_fitted = False
            self._fly(self._aimed(self.flight.target(self._surface.camera), place))

    def show_thing(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle, large enough to read."""
        scene, camera, text = self._surface.scene, self._surface.camera, self._surface.theme.scale
        place = scene.place_of(scene.find(kind, index)) if scene is not None else None
        if place is not None:
            self.is_fitted = False
            near = camera.scale if camera.scale >= LEGIBLE * text else OPENED * text
            self._fly(self._aimed(Camera(near, camera.left, camera.top), place))

    def show_item(self, item: int) -> None:
        """Bring an item into the middle if it is not wholly in view."""
        scene, camera = self._surface.scene, self._surface.camera
        if scene is not None and not self._widget.rect().contains(scene.screen_box(item, camera)):
            place = scene.place_of(item)
            assert place is not None
            self._fly(self._aimed(camera, place))

    def follow_step(self) -> None:
        """Centre on the item of the current step if it is not wholly in view."""
        scene, rect = self._surface.scene, self._widget.rect()
        if scene is None or scene.moment.focus < 0:
            return
        box = scene.screen_box(scene.moment.focus, self._surface.camera, 0)
        if rect.contains(box) or box.width() > rect.width() or box.height() > rect.height():
            return
        place = scene.place_of(scene.moment.focus)
        assert place is not None
        self.flight.stop()
        self._look(self._aimed(self._surface.camera, place))

    def bring_in(self, box: Box) -> None:
        """A box of the world wholly in view: nothing moves if it is, and all is fitted where all can be read; else the
        camera moves a little, or to the box alone where it does not fit in at this zoom."""
        camera, scale = self.flight.target(self._surface.camera), self._surface.theme.scale
        (left, top), (right, bottom) = camera.to_screen(*box[:2]), camera.to_screen(*box[2:])
        room_x, room_y = (length - 2 * EDGE for length in self._size)
        across = max(right - EDGE - room_x, 0.0) + min(left - EDGE, 0.0)
        down = max(bottom - EDGE - room_y, 0.0) + min(top - EDGE, 0.0)
        if not across and not down:
            return
        self.fit()
        if self.flight.target(self._surface.camera).scale < READABLE * scale:
            self.is_fitted = False
            fits = right - left <= room_x and bottom - top <= room_y
            self._fly(camera.moved(across, down) if fits else fitting(box, *self._size, scale))

    # -- zoom

    def zoom_in(self) -> None:
        """Larger, around the middle."""
        self.zoom(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Smaller, around the middle."""
        self.zoom(1 / ZOOM_STEP)

    def zoom_reset(self) -> None:
        """Text at its own size."""
        self.zoom(self._surface.theme.scale / self.flight.target(self._surface.camera).scale)

    def zoom(self, factor: float, at: QPointF | None = None, milliseconds: int = FLIGHT) -> None:
        """Zoom at a pixel, or around the middle; during a flight, on from where that one would end."""
        self.is_fitted = False
        extent, (width, height) = self.extent, self._size
        smallest = furthest(extent, width, height) if extent is not None else SMALLEST
        at = at if at is not None else QPointF(width / 2, height / 2)
        camera = self.flight.target(self._surface.camera).zoomed(factor, at.x(), at.y(), smallest)
        self._fly(self._kept(camera), milliseconds)

    def sharpen(self) -> None:
        """Zooming has paused: paint everything at its true size."""
        scene = self._surface.scene
        if scene is not None:
            scene.set_coarse(False)
            if self._surface.is_still:
                self._surface.repaint_all()
            self._widget.update()

    # -- pan

    def look_at(self, x: float, y: float) -> None:
        """Bring a point of the world into the middle, at once."""
        self.is_fitted = False
        self.jump(self._surface.camera.centred(x, y, *self._size))

    def jump(self, camera: Camera) -> None:
        """Look through this camera at once, or one near to it by which some of the graph is in view."""
        self.flight.stop()
        self._look(self._kept(camera))

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture dx pixels to the right and dy down, as if dragged."""
        self.flight.stop()
        camera = self._surface.camera
        moved = self._kept(camera.moved(-dx, -dy))
        if moved != camera:
            self.is_fitted = False
            self._look(moved)

    def resized(self, before: tuple[int, int]) -> None:
        """The widget has another size. Where all was in view it stays so, and it takes a much larger room, as on a
        stage; wherever else the user has looked, that stays."""
        width, height = self._size
        is_larger = width * height > LARGER * before[0] * before[1]
        is_whole = holds(self._surface.camera, self.extent, before) and (is_larger or not self.shows_everything)
        if self._surface.scene is not None and (self.is_fitted or is_whole):
            self.open()
        self._surface.repaint_all()
        self.changed.emit()

    # -- the camera

    def _aimed(self, camera: Camera, place: tuple[float, float]) -> Camera:
        """The camera with a place in the middle, or as near to it as there is something to see around it."""
        extent, camera = self.extent, camera.centred(*place, *self._size)
        return camera if extent is None else within(camera, extent, *self._size)

    def _kept(self, camera: Camera) -> Camera:
        """The camera, moved so that some of the graph is in view."""
        return camera if (extent := self.extent) is None else kept(camera, extent, *self._size)

    def _look(self, camera: Camera) -> None:
        if camera != self._surface.camera:
            self._surface.look(camera)
            self.changed.emit()

    def _fly(self, camera: Camera, milliseconds: int = FLIGHT) -> None:
        surface = self._surface
        if surface.scene is not None and camera.scale != surface.camera.scale:
            surface.scene.set_coarse(True)
            surface.freeze()
        self.flight.fly(surface.camera, camera, milliseconds)

    def _fly_by(self, camera: Camera) -> None:
        """One picture of a flight: a kept picture is shown scaled, else all is painted."""
        if not self._surface.is_still:
            self._look(camera)
        elif camera != self._surface.camera:
            self._surface.camera = camera
            self._widget.update()
            self.changed.emit()
