"""The painted surface of the canvas: what it paints and what it keeps of it. The forward edges are kept as a picture,
so that a step repaints only what it changed. `viewport` moves its camera, `gestures` lets the user do that, `view`
gives it a trace and a cursor; `scene` knows what there is to paint."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QPixmap, QRegion
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.ui import look
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.motion import Motion
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene

MOST_PARTS = 6
FILLED = 0.6  # of the box around a region
PATIENCE = 0.01  # seconds that new items may take in one picture; the others are painted with the next
SLOW = 0.008  # seconds; a picture that takes longer to paint is not painted anew for every frame of a zoom
EMPTY = "Run a snippet to see its graph"
NO_TENSOR = "No tensors yet, so there is no graph"


Overlay = Callable[[QPainter, "Scene", Camera], None]  # paints over the items


class Surface(QWidget):
    """Paints a scene through a camera."""

    cameraChanged = Signal()  # it looks elsewhere, or something else is there to be seen

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._theme = theme
        self._scene: Scene | None = None
        self._camera = Camera()
        self._invitation = EMPTY
        self._layer: QPixmap | None = None
        self._dirty = QRegion()
        self._seconds = 0.0  # what the latest picture of everything took
        self._still: tuple[QPixmap, Camera] | None = None  # a picture that is shown scaled while one zooms
        self.overlay: Overlay | None = None
        self.motion = Motion(self)
        self.motion.ticked.connect(self._tick)

    @property
    def scene(self) -> Scene | None:
        """What is painted, None before the first layout."""
        return self._scene

    @property
    def camera(self) -> Camera:
        """Where it looks."""
        return self._camera

    # -- painting

    def set_playing(self, playing: bool) -> None:
        """Whether the dashes of the current step's gradients move all the time."""
        self.motion.set_playing(playing)

    def _tick(self) -> None:
        scene = self._scene
        if scene is not None and self._still is None:
            dissolving = scene.dissolve(self.motion.fade, self._camera)
            self.update((scene.moving_region(self._camera) + dissolving) & QRegion(self.rect()))

    def _repaint_all(self) -> None:
        self._layer = None
        self._dirty = QRegion()
        self._still = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            scene = self._scene
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
                    self.update(scene.screen_box(item, self._camera) & self.rect())
                if event.rect() == self.rect():
                    self._seconds = thread_time() - began

    def _paint_region(self, painter: QPainter, scene: Scene, region: QRegion) -> None:
        from gradviz.ui.canvas.sticky import paint_sticky  # it has NumPy, which an empty window does without

        layer = self._edge_layer(scene)
        ratio = self.devicePixelRatioF()
        for area in _rectangles(region):
            painter.setClipRect(area)
            source = QRectF(area.x() * ratio, area.y() * ratio, area.width() * ratio, area.height() * ratio)
            painter.drawPixmap(QRectF(area), layer, source)
            scene.paint_rest(painter, self._camera, QRectF(area), self.motion.phase, ratio)
            scene.paint_selection(painter, self._camera, self.hasFocus())
            paint_sticky(painter, scene.painter.ink, scene.placed, scene.moment, self._camera, self.size())
            if self.overlay is not None:
                self.overlay(painter, scene, self._camera)

    def _freeze(self) -> None:
        """Keep the present picture, to be shown scaled until the next `_repaint_all`, if painting it takes long."""
        if self._scene is None or self._still is not None or self._seconds < SLOW:
            return
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        with QPainter(picture) as painter:
            self._paint_region(painter, self._scene, QRegion(self.rect()))
        self._still = picture, self._camera

    def _paint_still(self, painter: QPainter, picture: QPixmap, camera: Camera) -> None:
        """The kept picture where it belongs now; around it there is nothing yet."""
        grown = self._camera.scale / camera.scale
        left, top = self._camera.to_screen(camera.left, camera.top)
        where = QRectF(left, top, self.width() * grown, self.height() * grown)
        for rest in QRegion(self.rect()) - QRegion(where.toRect().adjusted(1, 1, -1, -1)):  # type: ignore[attr-defined]
            painter.fillRect(rest, QColor(self._theme.canvas))
        painter.drawPixmap(where, picture, QRectF(picture.rect()))

    def _edge_layer(self, scene: Scene) -> QPixmap:
        """The picture of the forward edges, brought up to date."""
        ratio = self.devicePixelRatioF()
        if self._layer is None:
            self._layer = QPixmap(self.size() * ratio)
            self._layer.setDevicePixelRatio(ratio)
            self._dirty = QRegion(self.rect())
        if not self._dirty.isEmpty():
            with QPainter(self._layer) as painter:
                for area in _rectangles(self._dirty):
                    painter.setClipRect(area)
                    painter.fillRect(area, QColor(self._theme.canvas))
                    painter.save()
                    scene.paint_edges(painter, self._camera, QRectF(area))
                    painter.restore()
            self._dirty = QRegion()
        return self._layer

    def _paint_empty(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        painter.setPen(QColor(self._theme.muted))
        painter.setFont(look.sans(self._theme, 14))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._invitation)

    def sizeHint(self) -> QSize:
        return QSize(720, 480)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()


def _rectangles(region: QRegion) -> list[QRect]:
    """The parts of a region; the box around them where they are many, or fill most of it, as what is left around a
    widget over the canvas does: each part is looked through for all that is in it."""
    around = region.boundingRect()
    if region.rectCount() > MOST_PARTS:
        return [around]
    parts: list[QRect] = list(region)  # type: ignore[call-overload]
    filled = sum(part.width() * part.height() for part in parts)
    return [around] if filled > FILLED * around.width() * around.height() else parts
