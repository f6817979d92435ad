"""What the user does on the canvas: mouse, wheel, touchpad, keys. It turns input into signals, selections and camera
moves. The resting pointer is in `hovering`, what is selected in `selecting`; what is shown is set in `view`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QInputDevice,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.flight import WHEEL_FLIGHT
from gradviz.ui.canvas.selecting import Selecting
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene

WHEEL = 1.0016
NOTCH = 0.5  # pixels for one unit of a wheel that pans
DRAG = 3  # pixels that a click may move
PAN = 80  # pixels for one key press
ARROWS = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}
PANS = {"left": (PAN, 0), "right": (-PAN, 0), "up": (0, PAN), "down": (0, -PAN)}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Gestures(Selecting):
    """A surface that is looked around on, with a selection."""

    opened = Signal(str, int)  # double-clicked, or Enter pressed
    otherEnd = Signal(str, int)  # clicked with Shift: the way from the selection to this is wanted

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(theme, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._drag: QPointF | None = None
        self._moved = False
        self._hand = False  # Space is held

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
