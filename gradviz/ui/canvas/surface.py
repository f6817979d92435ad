"""The painted surface of the canvas: a scene seen by a camera, and the parts of the picture that are kept. The forward
edges are kept as a picture, so that a step repaints only what it changed. `viewport` moves the camera, `view` is the
widget painted on, and `scene` knows what there is to paint."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap, QRegion
from PySide6.QtWidgets import QWidget

from gradviz.ui import look
from gradviz.ui.canvas.camera import Camera, Motion
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Change, Scene

MOST_PARTS = 6
FILLED = 0.6  # of the box around a region
PATIENCE = 0.01  # seconds that new items may take in one picture; the rest are painted with the next
WHOLE_PIXEL = 1e-3  # how close the distance between two cameras must be to whole pixels for a picture to be scrolled
SLOW = 0.008  # seconds; a picture that takes longer is not repainted for every frame of a zoom
EMPTY = "Run a snippet to see its graph"


Overlay = Callable[[QPainter, "Scene", Camera], None]  # paints over the items


def legible(theme: Theme) -> Theme:
    """Text below the usual size is meant for the surroundings of a graph: inside it, the smallest text is already as
    small as can be read."""
    return theme.scaled(max(theme.scale, 1.0))


class Surface:
    """Paints a scene through a camera on a widget."""

    def __init__(self, widget: QWidget, theme: Theme) -> None:
        self._widget = widget
        self.theme = legible(theme)
        self.scene: Scene | None = None  # what is painted, None before the first layout
        self.camera = Camera()
        self.invitation = EMPTY  # shown while there is no scene
        self.overlay: Overlay | None = None
        self._layer: QPixmap | None = None
        self._dirty = QRegion()
        self._seconds = 0.0  # how long the latest full repaint took
        self._still: tuple[QPixmap, Camera] | None = None  # a picture that is shown scaled during a zoom
        self.motion = Motion(widget)
        self.motion.ticked.connect(self._tick)
        self.motion.rested.connect(self.repaint_all)  # lines that were painted in parts have seams

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = legible(theme)
        if self.scene is not None:
            self.scene.set_theme(self.theme)

    def describe(self) -> None:
        """Tell a screen reader what is visible."""
        if self.scene is not None:
            self._widget.setAccessibleDescription(self.scene.description())

    # -- what has to be repainted

    def repaint_all(self) -> None:
        """Everything looks different."""
        self._layer = None
        self._dirty = QRegion()
        self._still = None
        self._widget.update()

    def repaint_change(self, scene: Scene, change: Change) -> None:
        """Repaint what a step changed."""
        widget = self._widget
        edges = scene.screen_region(change.edges, self.camera)
        self._dirty += edges & QRegion(widget.rect())
        rest = scene.changed_region(change, self.camera, QRectF(widget.rect()), widget.devicePixelRatioF())
        widget.update((edges + rest) & QRegion(widget.rect()))

    def begin_step(self, scene: Scene) -> None:
        """A step begins: what changes cross-fades, if motion is on."""
        if self.motion.begin():
            self._widget.update(scene.dissolve(0.0, self.camera) + self._travel(scene))

    def _tick(self) -> None:
        scene, widget = self.scene, self._widget
        if scene is not None and self._still is None:
            changing = scene.dissolve(self.motion.fade, self.camera) + self._travel(scene)
            widget.update((scene.moving_region(self.camera) + changing) & QRegion(widget.rect()))

    def _travel(self, scene: Scene) -> QRegion:
        """Move the numbers of this step along their edges as far as the clock says; returns the pixels that this
        changes."""
        pills, region = scene.painter.pills, QRegion()
        part = self.motion.fade if self.motion.travels else 1.0
        if min(part, pills.travelled) < 1:
            for left, top, right, bottom in pills.ways(scene.moment, self.camera.scale):
                corners = self.camera.to_screen(left, top), self.camera.to_screen(right, bottom)
                region += QRectF(QPointF(*corners[0]), QPointF(*corners[1])).adjusted(-3, -3, 3, 3).toAlignedRect()
        pills.travelled = part
        return region

    def look(self, camera: Camera) -> None:
        """Look through another camera: at the same zoom, painted pixels are moved and only the rest is painted."""
        before, self.camera = self.camera, camera
        across, down = (before.left - camera.left) * camera.scale, (before.top - camera.top) * camera.scale
        if camera.scale == before.scale and max(abs(across - round(across)), abs(down - round(down))) < WHOLE_PIXEL:
            self._scroll(round(across), round(down))
        else:
            self.repaint_all()

    def _scroll(self, across: int, down: int) -> None:
        """Move the painted pixels and paint what comes into view; whatever lies over the canvas stays where it is."""
        widget = self._widget
        ratio = widget.devicePixelRatioF()
        big = abs(across) >= widget.width() or abs(down) >= widget.height()
        if self._layer is None or self._still or big or ratio != int(ratio):
            self.repaint_all()
            return
        self._layer.scroll(across * int(ratio), down * int(ratio), self._layer.rect())
        self._dirty.translate(across, down)
        self._dirty += QRegion(widget.rect()) - QRegion(widget.rect().translated(across, down))
        self._dirty &= QRegion(widget.rect())
        widget.scroll(across, down, widget.rect())
        for box in self._unmoved():
            widget.update(box.translated(across, down))
            widget.update(box)

    def _unmoved(self) -> list[QRect]:
        """Where something that lies over the canvas stays put: widgets, and the title of a frame that begins
        outside."""
        found = self._widget.findChildren(QWidget)
        boxes = [child.geometry() for child in found if child.parent() is self._widget and child.isVisible()]
        if self.scene is not None and len(self.scene.placed.frames):
            from gradviz.ui.canvas.group_painter import sticky_strip

            boxes.append(sticky_strip(self.theme.scale, self._widget.size()))
        return boxes

    # -- a picture that is kept during a zoom

    @property
    def is_still(self) -> bool:
        """Whether a kept picture is shown scaled."""
        return self._still is not None

    def freeze(self) -> None:
        """Keep the present picture, to be shown scaled until the next `repaint_all`, if painting takes long."""
        if self.scene is None or self._still is not None or self._seconds < SLOW:
            return
        ratio = self._widget.devicePixelRatioF()
        picture = QPixmap(self._widget.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        with QPainter(picture) as painter:
            self._paint_region(painter, self.scene, QRegion(self._widget.rect()))
        self._still = picture, self.camera

    def _paint_still(self, painter: QPainter, picture: QPixmap, camera: Camera) -> None:
        """Paint the kept picture where it belongs now; around it there is nothing yet."""
        widget, grown = self._widget, self.camera.scale / camera.scale
        left, top = self.camera.to_screen(camera.left, camera.top)
        where = QRectF(left, top, widget.width() * grown, widget.height() * grown)
        covered = QRegion(where.toRect().adjusted(1, 1, -1, -1))
        for rest in QRegion(widget.rect()) - covered:  # type: ignore[attr-defined]
            painter.fillRect(rest, QColor(self.theme.canvas))
        painter.drawPixmap(where, picture, QRectF(picture.rect()))

    # -- painting

    def paint(self, event: QPaintEvent) -> None:
        """Paint what the event asks for."""
        widget, scene = self._widget, self.scene
        with QPainter(widget) as painter:
            if scene is None:
                self._paint_empty(painter)
            elif self._still is not None:
                self._paint_still(painter, *self._still)
            else:
                began = thread_time()
                scene.painter.patience = PATIENCE if self.motion.enabled else None
                scene.painter.unfinished.clear()
                self._paint_region(painter, scene, event.region())
                for item in scene.painter.unfinished:
                    widget.update(scene.screen_box(item, self.camera) & widget.rect())
                if event.rect() == widget.rect():
                    self._seconds = thread_time() - began

    def _paint_region(self, painter: QPainter, scene: Scene, region: QRegion) -> None:
        layer = self._edge_layer(scene)
        ratio = self._widget.devicePixelRatioF()
        for area in _rectangles(region):
            painter.setClipRect(area)
            source = QRectF(area.x() * ratio, area.y() * ratio, area.width() * ratio, area.height() * ratio)
            painter.drawPixmap(QRectF(area), layer, source)
            scene.paint_rest(painter, self.camera, QRectF(area), self.motion.phase, ratio)
            scene.paint_selection(painter, self.camera, self._widget.hasFocus())
            if len(scene.placed.frames):
                self._paint_sticky_title(painter, scene)
            if self.overlay is not None:
                self.overlay(painter, scene, self.camera)

    def _paint_sticky_title(self, painter: QPainter, scene: Scene) -> None:
        from gradviz.ui.canvas.group_painter import (
            paint_sticky_title,  # imports NumPy, which an empty window does without
        )

        paint_sticky_title(painter, scene.painter.ink, scene.placed, scene.moment, self.camera, self._widget.size())

    def _edge_layer(self, scene: Scene) -> QPixmap:
        """The picture of the forward edges, brought up to date."""
        ratio = self._widget.devicePixelRatioF()
        if self._layer is None:
            self._layer = QPixmap(self._widget.size() * ratio)
            self._layer.setDevicePixelRatio(ratio)
            self._dirty = QRegion(self._widget.rect())
        if not self._dirty.isEmpty():
            with QPainter(self._layer) as painter:
                for area in _rectangles(self._dirty):
                    painter.setClipRect(area)
                    painter.fillRect(area, QColor(self.theme.canvas))
                    painter.save()
                    scene.paint_edges(painter, self.camera, QRectF(area))
                    painter.restore()
            self._dirty = QRegion()
        return self._layer

    def _paint_empty(self, painter: QPainter) -> None:
        painter.fillRect(self._widget.rect(), QColor(self.theme.canvas))
        self.paint_invitation(painter, self.invitation)

    def paint_invitation(self, painter: QPainter, text: str) -> None:
        """Write a text in the middle of an empty canvas."""
        painter.setPen(QColor(self.theme.muted))
        painter.setFont(look.sans(self.theme, 14))
        painter.drawText(self._widget.rect(), Qt.AlignmentFlag.AlignCenter, text)


def _rectangles(region: QRegion) -> list[QRect]:
    """The parts of a region, or the box around them if they are many or fill most of it (as the area around an
    overlying widget does): the items are searched once per part."""
    around = region.boundingRect()
    if region.rectCount() > MOST_PARTS:
        return [around]
    parts: list[QRect] = list(region)  # type: ignore[call-overload]
    filled = sum(part.width() * part.height() for part in parts)
    return [around] if filled > FILLED * around.width() * around.height() else parts
