"""A surface whose camera moves: fit, zoom, pan, flights to an item, and the rule that some of the graph stays in view.
What the user does with mouse and keys is in `gestures`, the numbers of a camera in `camera`."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QTimer
from PySide6.QtGui import QRegion, QResizeEvent
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.camera import LARGEST_FIT, SMALLEST, Box, Camera, fitting, furthest, kept, within
from gradviz.ui.canvas.flight import FLIGHT, Flight
from gradviz.ui.canvas.surface import Surface
from gradviz.ui.theme import Theme

ZOOM_STEP = 1.25
SHARPEN = 80  # milliseconds after the last zoom
READABLE = 0.17  # the smallest zoom at which a graph is opened whole: names and numbers are seen from there on
LEGIBLE = 0.42  # the smallest zoom at which a single item is looked at
OPENED = 0.75  # the zoom at which a larger one is opened
EDGE = 16.0  # pixels that stay between what is brought in and the edge
AROUND = 1.6  # how much of its surroundings is seen with what one zooms to


class Viewport(Surface):
    """Looks at a part of a scene."""

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(theme, parent)
        self._fitted = True
        self.flight = Flight(self._fly_by, self)
        self.flight.landed.connect(self._landed)
        self._sharpening = QTimer(self, singleShot=True, interval=SHARPEN)
        self._sharpening.timeout.connect(self._sharpen)

    # -- where to look

    def fit(self) -> None:
        """All of the graphs that are shown in view."""
        self._fitted = True
        extent = self.extent
        if extent is not None:
            self._fly(fitting(extent, self.width(), self.height(), LARGEST_FIT * self._theme.scale))

    def fit_items(self, items: list[int]) -> None:
        """Some items in view, with what is around them, not larger than text is meant to be."""
        scene = self._scene
        boxes = [scene.world_box(item) for item in items if item >= 0] if scene is not None else []
        if not boxes:
            return
        self._fitted = False
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        box = min(lefts), min(tops), max(rights), max(bottoms)
        camera = fitting(box, self.width() / AROUND, self.height() / AROUND, self._theme.scale)
        self._fly(self._aimed(camera, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)))

    def bring_in(self, box: Box) -> None:
        """A box of the world wholly in view: nothing moves if it is, a little if it fits in at this zoom; else all is
        fitted, or the box alone where nothing of all could be read."""
        camera = self.flight.target(self._camera)
        (left, top), (right, bottom) = camera.to_screen(*box[:2]), camera.to_screen(*box[2:])
        room_x, room_y = self.width() - 2 * EDGE, self.height() - 2 * EDGE
        if right - left <= room_x and bottom - top <= room_y:
            across = max(right - EDGE - room_x, 0.0) + min(left - EDGE, 0.0)
            down = max(bottom - EDGE - room_y, 0.0) + min(top - EDGE, 0.0)
            if across or down:
                self._fitted = False
                self._fly(camera.moved(across, down))
            return
        self.fit()
        if self.flight.target(self._camera).scale < READABLE * self._theme.scale:
            self._fitted = False
            self._fly(fitting(box, self.width(), self.height(), self._theme.scale))

    def look_afresh(self) -> None:
        """Look as at a graph that was just opened."""
        self._open()

    def _open(self) -> None:
        """Fit, unless nothing could be read then: begin at the current step, large enough. No flight: it is new."""
        self._fitted = True
        self.flight.stop()
        extent = self.extent
        if self._scene is None or extent is None:
            return
        self._look(fitting(extent, self.width(), self.height(), LARGEST_FIT * self._theme.scale))
        if self._camera.scale >= READABLE * self._theme.scale:
            return
        place = self._scene.place_of(self._scene.start_item())
        if place is not None:
            self._look(self._aimed(Camera(OPENED * self._theme.scale), place))

    @property
    def extent(self) -> Box | None:
        """The box around all graphs that are shown, in the world."""
        return self._scene.extent() if self._scene is not None else None

    def _aimed(self, camera: Camera, place: tuple[float, float]) -> Camera:
        """The camera with a place in the middle, or as near to it as there is something to see around it."""
        camera = camera.centred(*place, self.width(), self.height())
        extent = self.extent
        return camera if extent is None else within(camera, extent, self.width(), self.height())

    def _kept(self, camera: Camera) -> Camera:
        """The camera, moved so that some of the graph is in view."""
        extent = self.extent
        return camera if extent is None else kept(camera, extent, self.width(), self.height())

    def _extent_is_seen(self) -> bool:
        extent = self.extent
        if extent is None:
            return True
        left, top = self._camera.to_screen(extent[0], extent[1])
        right, bottom = self._camera.to_screen(extent[2], extent[3])
        return QRectF(self.rect()).intersects(QRectF(QPointF(left, top), QPointF(right, bottom)))

    @property
    def shows_everything(self) -> bool:
        """Whether all of the graphs is in view."""
        extent = self.extent
        if extent is None:
            return True
        left, top = self._camera.to_world(-1, -1)
        right, bottom = self._camera.to_world(self.width() + 1, self.height() + 1)
        return left <= extent[0] and top <= extent[1] and right >= extent[2] and bottom >= extent[3]

    # -- zoom

    def zoom_in(self) -> None:
        """Larger, around the middle."""
        self._zoom(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Smaller, around the middle."""
        self._zoom(1 / ZOOM_STEP)

    def zoom_reset(self) -> None:
        """Text at its own size."""
        self._zoom(self._theme.scale / self.flight.target(self._camera).scale)

    def _zoom(self, factor: float, at: QPointF | None = None, milliseconds: int = FLIGHT) -> None:
        """Zoom at a pixel, or around the middle; during a flight, on from where that one would end."""
        self._fitted = False
        extent = self.extent
        smallest = furthest(extent, self.width(), self.height()) if extent is not None else SMALLEST
        at = at if at is not None else QPointF(self.width() / 2, self.height() / 2)
        camera = self.flight.target(self._camera).zoomed(factor, at.x(), at.y(), smallest)
        self._fly(self._kept(camera), milliseconds)

    def _fly(self, camera: Camera, milliseconds: int = FLIGHT) -> None:
        if self._scene is not None and camera.scale != self._camera.scale:
            self._scene.set_coarse(True)
            self._freeze()
        self.flight.fly(self._camera, camera, milliseconds)

    def _fly_by(self, camera: Camera) -> None:
        """One picture of a flight: a kept picture is shown scaled, else all is painted."""
        if self._still is None:
            self._look(camera)
        elif camera != self._camera:
            self._camera = camera
            self.update()
            self.cameraChanged.emit()

    def _landed(self) -> None:
        self._sharpening.start()

    def _sharpen(self) -> None:
        """Zooming has paused: paint everything at its true size."""
        if self._scene is not None:
            self._scene.set_coarse(False)
            if self._still is not None:
                self._repaint_all()
            self.update()

    def _look(self, camera: Camera) -> None:
        if camera != self._camera:
            self._camera = camera
            self._repaint_all()
            self.cameraChanged.emit()

    # -- pan

    def look_at(self, x: float, y: float) -> None:
        """Bring a point of the world into the middle, at once."""
        self.flight.stop()
        self._fitted = False
        self._look(self._kept(self._camera.centred(x, y, self.width(), self.height())))

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture dx pixels to the right and dy down, as if dragged."""
        self.flight.stop()
        moved = self._kept(self._camera.moved(-dx, -dy))
        across = round((moved.left - self._camera.left) * moved.scale)
        down = round((moved.top - self._camera.top) * moved.scale)
        if not across and not down:
            return
        self._fitted = False
        self._camera = moved
        self._scroll(-across, -down)
        self.cameraChanged.emit()

    def _scroll(self, across: int, down: int) -> None:
        """Move what was painted, and paint what comes into view; what lies over the canvas stays where it is."""
        ratio = self.devicePixelRatioF()
        big = abs(across) >= self.width() or abs(down) >= self.height()
        if self._layer is None or self._still or big or ratio != int(ratio) or not self._dirty.isEmpty():
            self._repaint_all()
            return
        self._layer.scroll(across * int(ratio), down * int(ratio), self._layer.rect())
        self._dirty += QRegion(self.rect()) - QRegion(self.rect().translated(across, down))
        self.scroll(across, down, self.rect())
        for box in self._overlays():
            self.update(box.translated(across, down))
            self.update(box)

    def _overlays(self) -> list[QRect]:
        """Where widgets lie over the canvas."""
        found = self.findChildren(QWidget)
        return [child.geometry() for child in found if child.parent() is self and child.isVisible()]

    def _bring_into_view(self) -> bool:
        """Centre on the item of the current step if it is not wholly in view; whether the camera moved."""
        scene = self._scene
        if scene is None or scene.moment.focus < 0:
            return False
        box = scene.screen_box(scene.moment.focus, self._camera, 0)
        if self.rect().contains(box) or box.width() > self.width() or box.height() > self.height():
            return False
        place = scene.place_of(scene.moment.focus)
        assert place is not None
        self.flight.stop()
        before, self._camera = self._camera, self._aimed(self._camera, place)
        if self._camera == before:
            return False
        self.cameraChanged.emit()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._fitted and self._scene is not None:
            self._open()
        self._repaint_all()
        self.cameraChanged.emit()
