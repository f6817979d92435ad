"""What the user does on the canvas: mouse, wheel, keys, and the selection that they make. It turns input into signals
and camera moves; what is shown is set in `view`, what is painted in `surface`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.ui.canvas.viewport import Viewport
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene

WHEEL = 1.0016
DRAG = 3  # pixels that a click may move
ARROWS = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Gestures(Viewport):
    """A surface that is looked around on, with a selection."""

    nodeSelected = Signal(str, int)  # "tensor" or "node", and its number in the trace
    nothingSelected = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(theme, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._wanted: tuple[str, int] | None = None  # what is selected, whether or not it is drawn yet
        self._drag: QPointF | None = None
        self._moved = False

    # -- camera

    def center_on(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle."""
        place = self._scene.place_of(self._scene.find(kind, index)) if self._scene is not None else None
        if place is not None:
            self._fitted = False
            self._fly(self._aimed(self._camera, place))

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

    # -- events

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
            self.pan(pixels.x(), pixels.y())  # a touchpad: two fingers pan, a pinch or Ctrl zooms
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
        moved = (event.position() - self._drag).toPoint()
        if self._moved or moved.manhattanLength() > DRAG:
            self._moved = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan(moved.x(), moved.y())
            self._drag = self._drag + QPointF(moved)

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
        if scene is None or (key not in ARROWS and key not in (*ENTER, Qt.Key.Key_Escape)):
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
            self._fly(self._aimed(self._camera, place))
