"""The mini-map in the corner of the canvas: the whole graph as blocks, and the part that is in view as a frame that can
be moved. Its picture is painted once per layout and set of shown graphs; a step costs nothing, a camera move one
frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QTransform, QWheelEvent
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.camera import Box
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.ink import Ink
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.canvas.view import CanvasView

WIDTH, HEIGHT = 168, 112  # at most
LEAST = 44
GAP = 12  # to the edges of the canvas
INSIDE = 6
CORNER = 5.0
WIDEST_VIEW = 900.0  # pixels of canvas below which the map is smaller
SMALLEST_BLOCK = 1.5  # pixels
ROOM = 3.0  # it is hidden on a canvas that is not so many times as large


class Minimap(QWidget):
    """Lies over a canvas and moves its camera."""

    def __init__(self, view: CanvasView, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._picture: QPixmap | None = None
        self._shown: tuple[object, bytes, QSize] | None = None  # what the picture is of
        self._extent: Box = (0.0, 0.0, 1.0, 1.0)
        self.wanted = True
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Mini-map")
        self.setToolTip("Overview of the graph. Click or drag to move the view.")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()
        view.viewport.changed.connect(self.refresh)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        self._shown = None
        self.refresh()

    def refresh(self) -> None:
        """Follow the camera and what is shown; away where there is nothing that is not in view."""
        scene, extent = self._view.scene, self._view.viewport.extent
        if not self.wanted or scene is None or extent is None or self._view.viewport.shows_everything:
            self.hide()
            return
        size = self._size_for(extent)
        if size.width() * ROOM > self._view.width() or size.height() * ROOM > self._view.height():
            self.hide()
            return
        self._extent = extent
        self.setGeometry(QRect(self._view.width() - size.width() - GAP, GAP, size.width(), size.height()))
        key = scene.placed.corner, scene.moment.graphs.tobytes(), size
        if self._shown is None or self._shown[0] is not key[0] or self._shown[1:] != key[1:]:
            self._shown = key
            self._picture = None
        self.show()
        self.update()

    def _size_for(self, extent: Box) -> QSize:
        """As large as allowed in the shape of the graph."""
        across, down = max(extent[2] - extent[0], 1.0), max(extent[3] - extent[1], 1.0)
        part = min(1.0, self._view.width() / WIDEST_VIEW)  # a small canvas needs its room itself
        width, height = round(WIDTH * part), round(HEIGHT * part)
        least = LEAST
        scale = min((width - 2 * INSIDE) / across, (height - 2 * INSIDE) / down)
        return QSize(
            max(least, round(across * scale) + 2 * INSIDE), max(least, round(down * scale) + 2 * INSIDE)
        ).boundedTo(QSize(width, height))

    def _transform(self) -> QTransform:
        """From the world to the map."""
        left, top, right, bottom = self._extent
        across, down = max(right - left, 1.0), max(bottom - top, 1.0)
        scale = min((self.width() - 2 * INSIDE) / across, (self.height() - 2 * INSIDE) / down)
        x, y = (self.width() - across * scale) / 2, (self.height() - down * scale) / 2
        return QTransform(scale, 0, 0, scale, x - left * scale, y - top * scale)

    @property
    def frame(self) -> QRectF:
        """The part that is in view, in the map's pixels."""
        left, top = self._view.camera.to_world(0, 0)
        right, bottom = self._view.camera.to_world(self._view.width(), self._view.height())
        inside = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        seen = self._transform().mapRect(QRectF(QPointF(left, top), QPointF(right, bottom))).intersected(inside)
        return seen.adjusted(0, 0, max(0.0, 4 - seen.width()), max(0.0, 4 - seen.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            scene = self._view.scene
            if scene is None:
                return
            if self._picture is None:
                self._picture = self._painted(scene)
            painter.drawPixmap(0, 0, self._picture)
            focus = QColor(self._theme.focus)
            painter.setPen(QPen(focus, 1.5))
            focus.setAlphaF(0.14)
            painter.setBrush(focus)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawRect(self.frame)

    def _painted(self, scene: Scene) -> QPixmap:
        """The whole of the shown graphs, also what is still to come of them."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._theme.canvas))
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.card_border), 1.0))
            painter.setBrush(QColor(self._theme.panel))
            painter.drawRoundedRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1), CORNER, CORNER)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setTransform(self._transform(), True)
            paint_blocks(painter, scene, scene.painter.ink, painter.transform().m11() / ratio)
            scene.paint_on_map(painter)
        return picture

    # -- moving the camera

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        inverse, _ = self._transform().inverted()
        at = inverse.map(event.position())
        self._view.viewport.look_at(at.x(), at.y())

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y()
        if turn:
            (self._view.viewport.zoom_in if turn > 0 else self._view.viewport.zoom_out)()
        event.accept()


def paint_blocks(painter: QPainter, scene: Scene, ink: Ink, scale: float) -> None:
    """All items of the shown graphs as blocks in the colours of their kinds, with few lines for their edges."""
    import numpy as np
    from shiboken6 import Shiboken

    from gradviz.ui.canvas.edge_painter import draw_lines, far_lines

    placed, diagram = scene.placed, scene.placed.diagram
    items = scene.moment.graphs[diagram.graph]
    infinity = float("inf")
    painter.setPen(ink.hairline("edge", 0.35))
    edges = items[diagram.edges[:, 1]] if len(diagram.edges) else np.zeros(0, bool)
    draw_lines(painter, far_lines(placed, (-infinity, -infinity, infinity, infinity), edges))
    painter.setPen(Qt.PenStyle.NoPen)
    for category, frame in ink.frames.items():
        chosen = np.flatnonzero(items & (diagram.category == category))
        if len(chosen):
            size = np.maximum(diagram.card[chosen], SMALLEST_BLOCK / scale)
            boxes = np.ascontiguousarray(np.column_stack((placed.card_corner[chosen], size)))
            painter.setBrush(frame.border)
            painter.drawRects(Shiboken.wrapInstance(boxes.ctypes.data, QRectF), len(boxes))  # type: ignore[call-overload]
