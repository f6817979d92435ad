"""Where the canvas looks: fit, zoom, pan, flights to an item, and the rule that part of the graph stays in view.
`input` handles mouse and keys, `camera` the numbers, `surface` the painting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QTimer, Signal
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
    meets,
    within,
)
from gradviz.ui.canvas.surface import Surface

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene

ZOOM_STEP = 1.25
SHARPEN = 80  # milliseconds after the last zoom
READABLE = 0.45  # the smallest zoom at which a graph opens in full: name, value and gradient are legible from here on
LEGIBLE = 0.42  # the smallest zoom for looking at a single item
OPENED = 0.8  # the zoom at which a larger graph opens
PRESENTED = 600.0  # height of a canvas, in pixels, that shows a larger graph at zoom 1 while presenting
SHARE = 0.75  # of the zoom at which a larger graph opens: while presenting, a graph opens in full from here on
MOST_AROUND = 40  # items that are brought into view with that of the step
EDGE = 16.0  # pixels kept between a revealed box and the edge
LARGER = 1.25  # growth of the widget from which on a graph that was fully visible is fitted to it
AROUND = 1.6  # how much of its surroundings is shown around what the user zooms to


@dataclass(frozen=True)
class Zooms:
    """The zooms at which a graph opens: it is shown in full between `smallest` and `largest`, and one that would have
    to be smaller opens at `part`."""

    smallest: float
    part: float
    largest: float


def zooms(scale: float, height: int, presented: bool) -> Zooms:
    """Those for a canvas of this height and texts of this scale. On a projector things are as large as its height
    allows, so that numbers can be read from the back row."""
    if not presented:
        return Zooms(READABLE * scale, OPENED * scale, LARGEST_FIT * scale)
    part = max(scale, height / PRESENTED)
    return Zooms(SHARE * part, part, LARGEST_FIT * part)


Point = tuple[float, float]


class Viewport(QObject):
    """Moves the camera of a surface."""

    changed = Signal()  # the camera has moved, or something else is there to be seen

    def __init__(self, widget: QWidget, surface: Surface, *, centres_nothing: bool = False) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self._centres_nothing = centres_nothing  # if nothing is shown, put the origin of the world in the middle
        self.is_fitted = True  # the user has not moved the camera
        self._presented = False
        self.flight = Flight(self._fly_by, self)
        self._sharpening = QTimer(self, singleShot=True, interval=SHARPEN)
        self.flight.landed.connect(self._sharpening.start)
        self._sharpening.timeout.connect(self.sharpen)

    def present(self, presented: bool) -> None:
        """Show the graph to an audience, or no longer."""
        before, self._presented = self._presented, presented
        if before != presented and self.is_fitted:
            self.open()

    @property
    def _zooms(self) -> Zooms:
        return zooms(self._surface.theme.scale, self._widget.height(), self._presented)

    @property
    def _size(self) -> tuple[int, int]:
        return self._widget.width(), self._widget.height()

    @property
    def extent(self) -> Box | None:
        """The box around all visible graphs, in world coordinates."""
        scene = self._surface.scene
        return scene.extent() if scene is not None else None

    @property
    def shows_everything(self) -> bool:
        """Whether all of the graphs are in view."""
        return holds(self._surface.camera, self.extent, self._size)

    @property
    def shows_something(self) -> bool:
        """Whether any part of the box around the graphs is in view."""
        return meets(self._surface.camera, self.extent, self._size)

    @property
    def is_astray(self) -> bool:
        """Whether to look anew if other graphs are shown: the user did not choose the view, or none is in it."""
        return self.is_fitted or not self.shows_something

    # -- everything, or part of it

    def open(self) -> None:
        """The camera for a graph that was just opened: fit it if it is legible then, otherwise start at the current
        step at a legible zoom. There is no flight, because the graph is new."""
        self.is_fitted = True
        self.flight.stop()
        extent, scene, scale = self.extent, self._surface.scene, self._surface.theme.scale
        if extent is None and self._centres_nothing:
            camera = self._surface.camera
            self._look(camera.zoomed(scale / camera.scale, 0, 0).centred(0, 0, *self._size))
        if scene is None or extent is None:
            return
        self._look(fitting(extent, *self._size, self._zooms.largest, self._surface.theme.scale))
        if self._surface.camera.scale >= self._zooms.smallest:
            return
        place = scene.place_of(scene.start_item())
        if place is not None:
            self._look(self._aimed(Camera(self._zooms.part), place))
            self.follow_step()

    def fit(self) -> None:
        """Bring all visible graphs into view."""
        self.is_fitted = True
        if (extent := self.extent) is not None:
            self._fly(fitting(extent, *self._size, self._zooms.largest, self._surface.theme.scale))

    def fit_items(self, items: list[int]) -> None:
        """Bring some items and their surroundings into view, no larger than the normal text size."""
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
        """Bring the selection, or the current step, into view at a legible size."""
        scene = self._surface.scene
        if scene is not None:
            self.fit_items([scene.selected] if scene.selected >= 0 else list(scene.moment.current))

    # -- a single thing

    def show_thing(self, kind: str, index: int) -> None:
        """Bring a tensor or node to the middle at a legible size."""
        scene, camera, text = self._surface.scene, self._surface.camera, self._surface.theme.scale
        place = scene.place_of(scene.find(kind, index)) if scene is not None else None
        if place is not None:
            self.is_fitted = False
            near = camera.scale if camera.scale >= LEGIBLE * text else self._zooms.part
            self._fly(self._aimed(Camera(near, camera.left, camera.top), place))

    def show_item(self, item: int) -> None:
        """Bring an item to the middle if it is not completely in view."""
        scene, camera = self._surface.scene, self._surface.camera
        if scene is not None and not self._widget.rect().contains(scene.screen_box(item, camera)):
            place = scene.place_of(item)
            assert place is not None
            self._fly(self._aimed(camera, place))

    def follow_step(self) -> None:
        """Centre on the item of the current step with those at the other ends of its edges and what is said there, or
        on it alone if there is no room for all of them; if they are completely in view already, nothing moves."""
        scene, rect = self._surface.scene, self._widget.rect()
        if scene is None or scene.moment.focus < 0:
            return
        camera, around = self._surface.camera, scene.moment.around(scene.placed.diagram.edges).tolist()
        ways = [(one, said) for one in (around, [scene.moment.focus]) for said in (words_box(scene, camera), QRect())]
        for items, said in ways if len(around) <= MOST_AROUND else ways[2:]:
            box = reduce(QRect.united, (scene.screen_box(item, camera, 0) for item in items), said)
            if rect.contains(box):
                return
            if box.width() <= rect.width() and box.height() <= rect.height():
                self.flight.stop()
                corners = camera.to_world(box.left(), box.top()), camera.to_world(box.right(), box.bottom())
                self._look(self._aimed(camera, camera.to_world(box.center().x(), box.center().y()), corners))
                return

    def bring_in(self, box: Box) -> None:
        """Bring a box completely into view. If it already is, nothing moves. If everything is legible when fitted, fit
        it; otherwise move the camera a little, or show only the box if it does not fit at this zoom."""
        camera, scale = self.flight.target(self._surface.camera), self._surface.theme.scale
        (left, top), (right, bottom) = camera.to_screen(*box[:2]), camera.to_screen(*box[2:])
        room_x, room_y = (length - 2 * EDGE for length in self._size)
        across = max(right - EDGE - room_x, 0.0) + min(left - EDGE, 0.0)
        down = max(bottom - EDGE - room_y, 0.0) + min(top - EDGE, 0.0)
        if not across and not down:
            return
        self.fit()
        if self.flight.target(self._surface.camera).scale < self._zooms.smallest:
            self.is_fitted = False
            fits = right - left <= room_x and bottom - top <= room_y
            self._fly(camera.moved(across, down) if fits else fitting(box, *self._size, scale))

    # -- zoom

    def zoom_in(self) -> None:
        """Zoom in around the middle."""
        self.zoom(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Zoom out around the middle."""
        self.zoom(1 / ZOOM_STEP)

    def zoom_reset(self) -> None:
        """Zoom to the normal text size."""
        self.zoom(self._surface.theme.scale / self.flight.target(self._surface.camera).scale)

    def zoom(self, factor: float, at: QPointF | None = None, milliseconds: int = FLIGHT) -> None:
        """Zoom at a pixel, or around the middle; during a flight, continue from where it would have ended."""
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
        """Centre on a world point at once."""
        self.is_fitted = False
        self.jump(self._surface.camera.centred(x, y, *self._size))

    def jump(self, camera: Camera) -> None:
        """Use this camera at once, or the nearest one that keeps part of the graph in view."""
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
        """The widget was resized. A graph that was fully visible stays so, and fills a much larger area (as when
        presenting); a view chosen by the user stays as it is."""
        width, height = self._size
        is_larger = width * height > LARGER * before[0] * before[1]
        is_whole = holds(self._surface.camera, self.extent, before) and (is_larger or not self.shows_everything)
        if self._surface.scene is not None and (self.is_fitted or is_whole):
            self.open()
        self._surface.repaint_all()
        self.changed.emit()

    # -- the camera

    def _aimed(self, camera: Camera, place: Point, beyond: tuple[Point, Point] | None = None) -> Camera:
        """The camera with a place in the middle, or as near to it as the graph's edges or what is `beyond` allow."""
        extent, camera = self.extent, camera.centred(*place, *self._size)
        if extent is None:
            return camera
        low, high = beyond or (extent[:2], extent[2:])
        around = *map(min, extent[:2], low), *map(max, extent[2:], high)
        return within(camera, cast(Box, around), *self._size)

    def _kept(self, camera: Camera) -> Camera:
        """The camera, moved if necessary to keep part of the graph in view."""
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
        """One picture of a flight: a kept picture is shown scaled, otherwise everything is painted."""
        if not self._surface.is_still:
            self._look(camera)
        elif camera != self._surface.camera:
            self._surface.camera = camera
            self._widget.update()
            self.changed.emit()


def words_box(scene: Scene, camera: Camera) -> QRect:
    """The pixels of the words that stand beside the items in this step; null without any."""
    from gradviz.ui.canvas.painter import words  # imports NumPy, which an empty window does without

    found = QRect()
    for left, top, right, bottom in words(scene.painter, scene.moment, camera.scale):
        box = QRectF(QPointF(*camera.to_screen(left, top)), QPointF(*camera.to_screen(right, bottom)))
        found = found.united(box.toAlignedRect())
    return found
