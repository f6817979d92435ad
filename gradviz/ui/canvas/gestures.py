"""What the user does on the canvas: mouse, wheel, touchpad, keys, and the selection that they make. It turns input into
signals and camera moves; what is shown is set in `view`, what is painted in `surface`, the resting pointer is in
`hovering`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QInputDevice, QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.flight import WHEEL_FLIGHT
from gradviz.ui.canvas.hovering import Hovering
from gradviz.ui.canvas.viewport import OPENED, READABLE
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.lineage import Family
    from gradviz.session.search import Hits
    from gradviz.ui.canvas.scene import Scene

WHEEL = 1.0016
NOTCH = 0.5  # pixels for one unit of a wheel that pans
DRAG = 3  # pixels that a click may move
PAN = 80  # pixels for one key press
ARROWS = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}
PANS = {"left": (PAN, 0), "right": (-PAN, 0), "up": (0, PAN), "down": (0, -PAN)}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Gestures(Hovering):
    """A surface that is looked around on, with a selection."""

    nodeSelected = Signal(str, int)  # "tensor" or "node", and its number in the trace
    nothingSelected = Signal()
    opened = Signal(str, int)  # double-clicked, or Enter pressed
    otherEnd = Signal(str, int)  # clicked with Shift: the way from the selection to this is wanted

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(theme, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._wanted: tuple[str, int] | None = None  # what is selected, whether or not it is drawn yet
        self._family: Family | None = None
        self._hits: Hits | None = None
        self._drag: QPointF | None = None
        self._moved = False
        self._hand = False  # Space is held

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

    def center_on(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle."""
        place = self._scene.place_of(self._scene.find(kind, index)) if self._scene is not None else None
        if place is not None:
            self._fitted = False
            self._fly(self._aimed(self.flight.target(self._camera), place))

    def show_thing(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle, large enough to read."""
        scene, scale = self._scene, self._camera.scale
        place = scene.place_of(scene.find(kind, index)) if scene is not None else None
        if place is not None:
            self._fitted = False
            near = scale if scale >= READABLE * self._theme.scale else OPENED * self._theme.scale
            self._fly(self._aimed(Camera(near, self._camera.left, self._camera.top), place))

    def fit_selection(self) -> None:
        """The selection, or the current step, in view and large enough to read."""
        if self._scene is not None:
            chosen = self._scene.selected
            self.fit_items([chosen] if chosen >= 0 else list(self._scene.moment.current))

    def show_details(self) -> None:
        """The card with everything about the selection, as if the pointer rested on it."""
        if self._scene is not None:
            item = self._scene.selected if self._scene.selected >= 0 else self._scene.start_item()
            self.show_card(item)

    def show_family(self, family: Family | None) -> None:
        """Let everything but these operations and tensors fade; None for nothing."""
        self._family = family
        if self._scene is not None:
            self._scene.marks.show_family(family)
            self._repaint_all()

    def show_hits(self, hits: Hits | None) -> None:
        """Mark what a search has found."""
        self._hits = hits
        if self._scene is not None:
            self._scene.marks.show_hits(hits)
            self.update()

    def _mark_again(self) -> None:
        """The scene is new: what stood out stands out in it too."""
        if self._scene is not None:
            self._scene.marks.show_family(self._family)
            self._scene.marks.show_hits(self._hits)
        self.cameraChanged.emit()

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

    def _open_selection(self) -> None:
        """Show where the selected item comes from."""
        if self.selection is not None:
            self.opened.emit(*self.selection)

    # -- wheel and touchpad

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            return self._native(event)
        return super().event(event)

    def _native(self, event: QNativeGestureEvent) -> bool:
        kind, at = event.gestureType(), event.position()
        if kind == Qt.NativeGestureType.ZoomNativeGesture:
            self._zoom(max(0.2, 1 + event.value()), at, 0)
        elif kind == Qt.NativeGestureType.SmartZoomNativeGesture:
            item = self._item_at(at.toPoint())
            if item >= 0 and self._fitted:
                self.fit_items([item])
            else:
                self.fit()
        else:
            return False
        event.accept()
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.leave_card()
        pixels, turn, keys = event.pixelDelta(), event.angleDelta(), event.modifiers()
        if pixels.isNull() and event.device().type() == QInputDevice.DeviceType.TouchPad:
            pixels = _pixels(turn)
        if keys & Qt.KeyboardModifier.ShiftModifier:
            moved = pixels if not pixels.isNull() else _pixels(turn)
            self.pan(moved.x() or moved.y(), 0)
        elif not pixels.isNull() and not keys & Qt.KeyboardModifier.ControlModifier:
            self.pan(pixels.x(), pixels.y())  # a touchpad: two fingers pan, a pinch or Ctrl zooms
        else:
            self._zoom(WHEEL ** turn.y(), event.position(), WHEEL_FLIGHT)
        event.accept()

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.leave_card()
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self.flight.stop()
            self._drag = event.position()
            self._moved = False
        elif event.button() == Qt.MouseButton.RightButton and self._item_at(event.position().toPoint()) >= 0:
            self._choose(self._item_at(event.position().toPoint()))  # what the menu will be about

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            self.hover_at(event.position().toPoint())
            if self._hand:
                self.setCursor(Qt.CursorShape.OpenHandCursor)
            return
        moved = (event.position() - self._drag).toPoint()
        if self._moved or moved.manhattanLength() > DRAG:
            self._moved = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan(moved.x(), moved.y())
            self._drag = self._drag + QPointF(moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._drag is not None and not self._moved and not self._hand
        self._drag = None
        at = event.position().toPoint()
        if clicked and event.button() == Qt.MouseButton.LeftButton and self._scene is not None:
            self._click(self._item_at(at), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        self.hover_at(at)

    def _click(self, item: int, shift: bool) -> None:
        """Select; with Shift ask for the way from what is selected."""
        scene = self._scene
        if scene is None or not shift or item < 0 or scene.selected in (-1, item):
            self._choose(item)
            return
        before = scene.selected
        scene.select_item(item)
        other = scene.selection
        scene.select_item(before)
        if other is not None:
            self.otherEnd.emit(*other)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._scene is None:
            return
        item = self._item_at(event.position().toPoint())
        if item < 0:
            self.fit()
        else:
            self._choose(item)
            self._open_selection()

    # -- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, scene = Qt.Key(event.key()), self._scene
        if scene is None or not self._key(scene, key, event):
            super().keyPressEvent(event)

    def _key(self, scene: Scene, key: Qt.Key, event: QKeyEvent) -> bool:
        """Act on a key; False if it is none of the canvas's."""
        if key == Qt.Key.Key_Escape:
            if not self.leave_card():
                self._choose(-1)
        elif key in ARROWS and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(*PANS[ARROWS[key]])
        elif key in ARROWS:
            self._arrow(scene, ARROWS[key])
        elif key in ENTER:
            self._open_selection()
        elif key == Qt.Key.Key_Space:
            self._hold(True)
        elif event.text() in ("+", "-", "="):
            (self.zoom_out if event.text() == "-" else self.zoom_in)()
        else:
            return False
        return True

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._hold(False)
        else:
            super().keyReleaseEvent(event)

    def _hold(self, hand: bool) -> None:
        """While Space is held the mouse moves the picture and selects nothing."""
        self._hand = hand
        self.setCursor(Qt.CursorShape.OpenHandCursor if hand else Qt.CursorShape.ArrowCursor)

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


def _pixels(turn: QPoint) -> QPoint:
    return QPoint(round(turn.x() * NOTCH), round(turn.y() * NOTCH))
