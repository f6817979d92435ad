"""The canvas widget: it keeps the camera and what was painted, and turns input into signals. One widget and arrays, no
object per item; the forward edges are kept as a picture, a step repaints only what it changed, a drag scrolls the
pixels. What is painted comes from `painter`. NumPy arrives with the first trace: see `set_trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.ui import look
from gradviz.ui.canvas.camera import Camera, fitting, within
from gradviz.ui.canvas.placing import Placing
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.scene import Scene

ZOOM_STEP = 1.25
WHEEL = 1.0016
TICK = 33  # milliseconds between two pictures of moving dashes
PHASE = 0.07
MOST_PARTS = 6
EMPTY = "Run a snippet to see its graph"
ARROWS = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}


class CanvasView(QWidget):
    """Shows a trace at a cursor."""

    nodeSelected = Signal(str, int)  # "tensor" or "node", and its number in the trace
    nothingSelected = Signal()
    laidOut = Signal(bool)  # a drawing is shown; False: a draft, a better one follows

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Graph")
        self.setObjectName("canvas")
        self.follow = True
        self._theme = theme
        self._camera = Camera()
        self._fitted = True
        self._cursor = 0
        self._scene: Scene | None = None
        self._wanted: tuple[str, int] | None = None
        self._layer: QPixmap | None = None
        self._dirty = QRegion()
        self._drag: QPointF | None = None
        self._moved = False
        self._phase = 0.0
        self._timer = QTimer(self, interval=TICK)
        self._timer.timeout.connect(self._tick)
        self._placing = Placing()
        self._placing.placed.connect(self._on_placed)
        self.destroyed.connect(self._placing.close)

    # -- what is shown

    def set_trace(self, trace: Trace | None) -> None:
        """Show another trace, or the same one after it grew; the layout follows by itself."""
        from gradviz.ui.canvas.diagram import build
        from gradviz.ui.canvas.sizes import Ruler

        if trace is None:
            self._scene = None
            self._repaint_all()
            return
        self._placing.place(build(trace, Ruler()))

    def _on_placed(self, diagram: object, placed: object, final: bool) -> None:
        from gradviz.ui.canvas.diagram import Placed
        from gradviz.ui.canvas.scene import Scene

        assert isinstance(placed, Placed)
        old = self._scene
        same = old is not None and old.trace is placed.diagram.trace
        self._scene = Scene(placed, self._theme)
        self._scene.move_to(self._cursor)
        if not same or self._fitted:
            self._open()
        if self._wanted is not None:
            self._scene.select(*self._wanted)
        self._describe()
        self._repaint_all()
        self.laidOut.emit(final)

    def set_cursor(self, cursor: int) -> None:
        """Show the state when `cursor` steps are done; repaints only what differs."""
        self._cursor = cursor
        scene = self._scene
        if scene is None:
            return
        change = scene.move_to(cursor)
        self._describe()
        if change.other_graph and not self._extent_is_seen():
            self._open()
            self._repaint_all()
            return
        if self.follow and self._bring_into_view():
            self._repaint_all()
            return
        if change.many:
            self._repaint_all()
            return
        edges = scene.screen_region(change.edges, self._camera)
        self._dirty += edges & QRegion(self.rect())
        rest = scene.changed_region(change, self._camera, self.devicePixelRatioF())
        self.update((edges + rest) & QRegion(self.rect()))

    def set_theme(self, theme: Theme) -> None:
        """Other colours; the theme's scale is the zoom that `zoom_reset` goes to."""
        self._theme = theme
        if self._scene is not None:
            self._scene.set_theme(theme)
        self._repaint_all()

    def set_playing(self, playing: bool) -> None:
        """Whether the dashes of the current step's gradients move."""
        if playing:
            self._timer.start()
        else:
            self._timer.stop()

    def shutdown(self) -> None:
        """End the layout and the animation; the widget may still be painted."""
        self._timer.stop()
        self._placing.close()

    # -- camera

    def fit(self) -> None:
        """All of the graphs that are shown in view."""
        self._fitted = True
        extent = self._scene.extent() if self._scene is not None else None
        if extent is not None:
            self._look(fitting(extent, self.width(), self.height(), 1.35 * self._theme.scale))

    def _open(self) -> None:
        """Fit, unless nothing could be read then: begin at the current step, large enough."""
        self.fit()
        if self._scene is None or self._camera.scale >= 0.3:
            return
        scale = 0.75 * self._theme.scale
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
        self._look(self._camera.zoomed(factor, at.x(), at.y()))

    def pan(self, dx: float, dy: float) -> None:
        """Look dx, dy pixels further right and down."""
        moved = self._camera.moved(dx, dy)
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

    def center_on(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle."""
        place = self._scene.place_of(self._scene.find(kind, index)) if self._scene is not None else None
        if place is not None:
            self._fitted = False
            self._look(self._aimed(self._camera, place))

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
        if scene is None or not scene.moment.current:
            return False
        box = scene.screen_box(scene.moment.current[0], self._camera)
        if self.rect().contains(box) or box.width() > self.width() or box.height() > self.height():
            return False
        place = scene.place_of(scene.moment.current[0])
        assert place is not None
        self._camera = self._aimed(self._camera, place)
        return True

    def _aimed(self, camera: Camera, place: tuple[float, float]) -> Camera:
        """The camera with a place in the middle, or as near to it as there is something to see around it."""
        camera = camera.centred(*place, self.width(), self.height())
        extent = self._scene.extent() if self._scene is not None else None
        return camera if extent is None else within(camera, extent, self.width(), self.height())

    # -- selection

    @property
    def selection(self) -> tuple[str, int] | None:
        """What is selected: ("tensor" or "node", its number)."""
        return self._scene.selection if self._scene is not None else None

    def select(self, kind: str, index: int) -> None:
        """Select a tensor or node, from outside: no signal."""
        self._wanted = (kind, index)
        if self._scene is not None:
            self._scene.select(kind, index)
            self.update()

    def clear_selection(self) -> None:
        """Select nothing, from outside: no signal."""
        self._wanted = None
        if self._scene is not None:
            self._scene.select_item(-1)
            self.update()

    def _choose(self, item: int) -> None:
        """Select by mouse or keyboard."""
        scene = self._scene
        if scene is None:
            return
        scene.select_item(item)
        self._wanted = scene.selection
        self.update()
        if scene.selection is None:
            self.nothingSelected.emit()
        else:
            kind, index = scene.selection
            self.nodeSelected.emit(kind, index)

    # -- painting

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
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, EMPTY)

    def _tick(self) -> None:
        self._phase = (self._phase + PHASE) % 1.0
        if self._scene is not None:
            self.update(self._scene.moving_region(self._camera) & QRegion(self.rect()))

    def _describe(self) -> None:
        if self._scene is not None:
            self.setAccessibleDescription(self._scene.description())

    # -- events

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

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._tooltip(event)
            return True
        return super().event(event)

    def _tooltip(self, event: QHelpEvent) -> None:
        scene = self._scene
        item = scene.item_at(self._camera, event.pos()) if scene is not None else -1
        if scene is None or item < 0:
            QToolTip.hideText()
            return
        QToolTip.showText(event.globalPos(), scene.tooltip(item), self, scene.screen_box(item, self._camera))

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta()
        if not pixels.isNull() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.pan(-pixels.x(), -pixels.y())  # a touchpad: two fingers pan, a pinch or Ctrl zooms
        else:
            self._zoom(WHEEL ** event.angleDelta().y(), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._drag = event.position()
        self._moved = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            over = self._scene is not None and self._scene.item_at(self._camera, event.position().toPoint()) >= 0
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
            return
        moved = (self._drag - event.position()).toPoint()
        if self._moved or moved.manhattanLength() > 3:
            self._moved = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan(moved.x(), moved.y())
            self._drag = self._drag - QPointF(moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._drag is not None and not self._moved
        self._drag = None
        if clicked and event.button() == Qt.MouseButton.LeftButton and self._scene is not None:
            self._choose(self._scene.item_at(self._camera, event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._scene is not None and self._scene.item_at(self._camera, event.position().toPoint()) < 0:
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, scene = Qt.Key(event.key()), self._scene
        if scene is None or (key not in ARROWS and key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)):
            super().keyPressEvent(event)
            return
        if key == Qt.Key.Key_Escape:
            self._choose(-1)
        elif key in ARROWS:
            self._arrow(scene, ARROWS[key])
        elif scene.selected >= 0:
            self._choose(scene.selected)
            self.center_on(*scene.selection or ("", -1))

    def _arrow(self, scene: Scene, direction: str) -> None:
        item = scene.next_item(direction)
        if item < 0:
            return
        self._choose(item)
        box = scene.screen_box(item, self._camera)
        if not self.rect().contains(box):
            place = scene.place_of(item)
            assert place is not None
            self._look(self._aimed(self._camera, place))


def _rectangles(region: QRegion) -> list[QRect]:
    """The parts of a region, or the box around them where they are many."""
    if region.rectCount() > MOST_PARTS:
        return [region.boundingRect()]
    return list(region)  # type: ignore[call-overload, no-any-return]
