"""The painted surface of the canvas: camera, painting, and what is kept of it. The forward edges are kept as a picture,
so that a step repaints only what it changed and a drag scrolls the pixels. `view` makes a widget of it that has a
trace, a cursor and a selection; `scene` knows what there is to paint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QPixmap, QRegion, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.ui import look
from gradviz.ui.canvas.camera import LARGEST_FIT, Camera, fitting, within
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene

ZOOM_STEP = 1.25
MOST_PARTS = 6
TICK = 33  # milliseconds between two pictures of moving dashes
PHASE = 0.07
SHARPEN = 90  # milliseconds after the last zoom
READABLE = 0.42  # the smallest zoom at which a graph is opened whole
OPENED = 0.75  # the zoom at which a larger one is opened
EMPTY = "Run a snippet to see its graph"


class Surface(QWidget):
    """Paints a scene through a camera."""

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._theme = theme
        self._scene: Scene | None = None
        self._camera = Camera()
        self._fitted = True
        self._phase = 0.0
        self._invitation = EMPTY
        self._layer: QPixmap | None = None
        self._dirty = QRegion()
        self._timer = QTimer(self, interval=TICK)
        self._timer.timeout.connect(self._tick)
        self._sharpening = QTimer(self, singleShot=True, interval=SHARPEN)
        self._sharpening.timeout.connect(self._sharpen)

    # -- camera

    def fit(self) -> None:
        """All of the graphs that are shown in view."""
        self._fitted = True
        extent = self._scene.extent() if self._scene is not None else None
        if extent is not None:
            self._look(fitting(extent, self.width(), self.height(), LARGEST_FIT * self._theme.scale))

    def _open(self) -> None:
        """Fit, unless nothing could be read then: begin at the current step, large enough."""
        self.fit()
        if self._scene is None or self._camera.scale >= READABLE * self._theme.scale:
            return
        scale = OPENED * self._theme.scale
        place = self._scene.place_of(self._scene.start_item())
        if place is not None:
            self._look(self._aimed(Camera(scale), place))

    def _look(self, camera: Camera) -> None:
        if camera != self._camera:
            self._camera = camera
            self._repaint_all()

    def zoom_in(self) -> None:
        """Larger, around the middle."""
        self._zoom(ZOOM_STEP, QPointF(self.width() / 2, self.height() / 2))

    def zoom_out(self) -> None:
        """Smaller, around the middle."""
        self._zoom(1 / ZOOM_STEP, QPointF(self.width() / 2, self.height() / 2))

    def zoom_reset(self) -> None:
        """Text at its own size."""
        self._zoom(self._theme.scale / self._camera.scale, QPointF(self.width() / 2, self.height() / 2))

    def _zoom(self, factor: float, at: QPointF) -> None:
        self._fitted = False
        if self._scene is not None:
            self._scene.set_coarse(True)
            self._sharpening.start()
        self._look(self._camera.zoomed(factor, at.x(), at.y()))

    def _sharpen(self) -> None:
        """Zooming has paused: paint near items at their true size."""
        if self._scene is not None:
            self._scene.set_coarse(False)
            self.update()

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture dx pixels to the right and dy down, as if dragged."""
        moved = self._camera.moved(-dx, -dy)
        ratio = self.devicePixelRatioF()
        across = round((moved.left - self._camera.left) * moved.scale)
        down = round((moved.top - self._camera.top) * moved.scale)
        if not across and not down:
            return
        self._fitted = False
        self._camera = moved
        big = abs(across) >= self.width() or abs(down) >= self.height()
        if self._layer is None or big or ratio != int(ratio) or not self._dirty.isEmpty():
            self._repaint_all()
            return
        step = int(ratio)
        self._layer.scroll(-across * step, -down * step, self._layer.rect())
        whole = QRegion(self.rect())
        self._dirty += whole - QRegion(self.rect().translated(-across, -down))
        self.scroll(-across, -down)

    def _aimed(self, camera: Camera, place: tuple[float, float]) -> Camera:
        """The camera with a place in the middle, or as near to it as there is something to see around it."""
        camera = camera.centred(*place, self.width(), self.height())
        extent = self._scene.extent() if self._scene is not None else None
        return camera if extent is None else within(camera, extent, self.width(), self.height())

    def _extent_is_seen(self) -> bool:
        extent = self._scene.extent() if self._scene is not None else None
        if extent is None:
            return True
        left, top = self._camera.to_screen(extent[0], extent[1])
        right, bottom = self._camera.to_screen(extent[2], extent[3])
        return QRectF(self.rect()).intersects(QRectF(QPointF(left, top), QPointF(right, bottom)))

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
        before, self._camera = self._camera, self._aimed(self._camera, place)
        return self._camera != before

    # -- painting

    def set_playing(self, playing: bool) -> None:
        """Whether the dashes of the current step's gradients move."""
        if playing:
            self._timer.start()
        else:
            self._timer.stop()

    def _tick(self) -> None:
        self._phase = (self._phase + PHASE) % 1.0
        if self._scene is not None:
            self.update(self._scene.moving_region(self._camera) & QRegion(self.rect()))

    def _repaint_all(self) -> None:
        self._layer = None
        self._dirty = QRegion()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        scene = self._scene
        if scene is None:
            self._paint_empty(painter)
            return
        layer = self._edge_layer(scene)
        region = event.region()
        areas = _rectangles(region)
        ratio = self.devicePixelRatioF()
        for area in areas:
            painter.setClipRect(area)
            source = QRectF(area.x() * ratio, area.y() * ratio, area.width() * ratio, area.height() * ratio)
            painter.drawPixmap(QRectF(area), layer, source)
            scene.paint_rest(painter, self._camera, QRectF(area), self._phase, ratio)
            scene.paint_selection(painter, self._camera, self.hasFocus())

    def _edge_layer(self, scene: Scene) -> QPixmap:
        """The picture of the forward edges, brought up to date."""
        ratio = self.devicePixelRatioF()
        if self._layer is None:
            self._layer = QPixmap(self.size() * ratio)
            self._layer.setDevicePixelRatio(ratio)
            self._dirty = QRegion(self.rect())
        if not self._dirty.isEmpty():
            painter = QPainter(self._layer)
            for area in _rectangles(self._dirty):
                painter.setClipRect(area)
                painter.fillRect(area, QColor(self._theme.canvas))
                painter.save()
                scene.paint_edges(painter, self._camera, QRectF(area))
                painter.restore()
            painter.end()
            self._dirty = QRegion()
        return self._layer

    def _paint_empty(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        painter.setPen(QColor(self._theme.muted))
        painter.setFont(look.sans(self._theme, 14))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._invitation)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._fitted and self._scene is not None:
            self._open()
        self._repaint_all()

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
    """The parts of a region, or the box around them where they are many."""
    if region.rectCount() > MOST_PARTS:
        return [region.boundingRect()]
    return list(region)  # type: ignore[call-overload, no-any-return]
