"""What a user does on the canvas: mouse, wheel, touchpad and keys, turned into signals, camera moves, a selection and
collapsed groups. `hover` handles the resting pointer; `view` passes the events on.

Of the selection, changes by the user emit signals, calls by the program do not. Groups collapse into one box and expand
again by double click, by Enter, by their triangles, or when something inside is revealed; the session keeps which ones
are open, `trace_view` draws them, and the place the user is looking at stays put."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QInputDevice,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from gradviz.session.folding import Folding, Presentation
from gradviz.ui.canvas.camera import WHEEL_FLIGHT
from gradviz.ui.canvas.hover import Hover
from gradviz.ui.canvas.surface import Surface
from gradviz.ui.canvas.viewport import Viewport

if TYPE_CHECKING:
    from gradviz.session.inspect.lineage import Family
    from gradviz.session.inspect.search import Hits
    from gradviz.ui.canvas.scene import Scene


class ItemSelection(QObject):
    """The selected item of a surface, even if it is not drawn yet."""

    chosen = Signal(str, int)  # by the user: "tensor", "node" or "group", and its index in the trace
    cleared = Signal()  # by the user

    def __init__(self, widget: QWidget, surface: Surface) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self.wanted: tuple[str, int] | None = None  # what is selected, whether it is drawn yet or not
        self._family: Family | None = None
        self._hits: Hits | None = None

    @property
    def current(self) -> tuple[str, int] | None:
        """The selection: "tensor", "node" or "group", and its index."""
        scene = self._surface.scene
        return scene.selection if scene is not None else None

    # -- by the program

    def select(self, kind: str, index: int) -> None:
        """Select a tensor or node without a signal."""
        self.wanted = (kind, index)
        scene = self._surface.scene
        if scene is not None:
            scene.select(kind, index)
            self._announce(scene)
            self._widget.update()

    def clear(self) -> None:
        """Select nothing, without a signal."""
        self.wanted = None
        if self._surface.scene is not None:
            self._surface.scene.select_item(-1)
            self._widget.update()

    def restore(self, scene: Scene) -> None:
        """There is a new scene: select and highlight the same things there."""
        scene.marks.show_family(self._family)
        scene.marks.show_hits(self._hits)
        if self.wanted is not None:
            scene.select(*self.wanted)

    # -- by the user

    def choose(self, item: int) -> None:
        """Select an item by mouse or keyboard; -1 for nothing."""
        scene = self._surface.scene
        if scene is None:
            return
        scene.select_item(item)
        self.wanted = scene.selection
        self._announce(scene)
        self._widget.update()
        if scene.selection is None:
            self.cleared.emit()
        else:
            self.chosen.emit(*scene.selection)

    def _announce(self, scene: Scene) -> None:
        """Tell a screen reader what is selected."""
        said = scene.words(scene.selected) if scene.selected >= 0 else None
        text = f"Selected: {said.title}, {said.kind}" if said is not None else ""
        self._widget.setAccessibleDescription(f"{scene.description()}. {text}".removesuffix(". "))
        if text and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._widget, text))

    # -- what stands out

    def show_family(self, family: Family | None) -> None:
        """Fade everything except these operations and tensors; None for nothing."""
        nothing, self._family = family is None and self._family is None, family
        scene = self._surface.scene
        if scene is not None and not nothing:
            scene.marks.show_family(family)
            self._surface.repaint_all()

    def show_hits(self, hits: Hits | None) -> None:
        """Mark search hits."""
        self._hits = hits
        scene = self._surface.scene
        if scene is not None:
            scene.marks.show_hits(hits)
            self._widget.update()

    def forget_marks(self) -> None:
        """Drop highlights that belong to another trace than that of the next scene."""
        self._family = self._hits = None


# --- Collapsed groups ---

Held = tuple[tuple[str, int], tuple[float, float]]


class Collapse(QObject):
    """Opens and closes the groups of a scene."""

    changed = Signal()  # the presentation changed, so the graph has to be laid out again
    refolded = Signal(object)  # the Folding chosen by the user

    def __init__(self, widget: QWidget, surface: Surface, viewport: Viewport, selection: ItemSelection) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self._viewport = viewport
        self._selection = selection
        self.presentation = Presentation()
        self.anchor: tuple[str, int] | None = None  # what stays in place in the next layout

    def present(self, presentation: Presentation) -> None:
        """Use this folding and orientation."""
        if presentation != self.presentation:
            self.presentation = presentation
            self.changed.emit()

    # -- opening and closing

    def toggle_selected(self) -> None:
        """Open the selected group, or close the open group that is selected or contains the selection."""
        scene = self._surface.scene
        if scene is not None:
            self.toggle(scene, scene.groups.at(scene.selected))

    def toggle(self, scene: Scene, group: int) -> None:
        """Open or close a group of the scene; -1 is none."""
        if group < 0:
            return
        key = frozenset((scene.groups.all.key[group],))
        folding = self.presentation.folding
        opens = scene.groups.is_closed(group)
        self.anchor = self._selection.wanted = ("group", int(scene.groups.all.index[group]))
        scene.select(*self.anchor)
        chosen = self.anchor
        self._refold(folding.with_open(key) if opens else folding.with_closed(key))
        self._selection.chosen.emit(*chosen)

    def reveal(self, kind: str, index: int) -> bool:
        """Open the groups around a tensor, operation or group; False if nothing had to be opened."""
        scene = self._surface.scene
        closed = scene.groups.closed_around(kind, index) if scene is not None else []
        if scene is None or not closed:
            return False
        self.anchor = self._selection.wanted = (kind, index)
        keys = frozenset(scene.groups.all.key[group] for group in closed)
        self._refold(self.presentation.folding.with_open(keys))
        return True

    def _refold(self, folding: Folding) -> None:
        self.present(replace(self.presentation, folding=folding))
        self.refolded.emit(folding)

    # -- keeping the place

    def held_place(self) -> Held | None:
        """What should stay in place in the next layout, and where it is on screen."""
        scene, camera = self._surface.scene, self._surface.camera
        if scene is None:
            return None
        middle = camera.to_world(self._widget.width() / 2, self._widget.height() / 2)
        for thing in (self.anchor, scene.selection, scene.thing_near(*middle)):
            place = scene.corner_of(*thing) if thing is not None else None
            if thing is not None and place is not None:
                return thing, camera.to_screen(*place)
        return None

    def hold_place(self, held: Held | None) -> None:
        """Move the camera so that it appears at the same place in the new layout."""
        scene, camera = self._surface.scene, self._surface.camera
        place = scene.corner_of(*held[0]) if scene is not None and held is not None else None
        if held is None or place is None:
            return
        x, y = held[1]
        left, top = place[0] - x / camera.scale, place[1] - y / camera.scale
        self._viewport.jump(replace(camera, left=left, top=top).moved(0, 0))


# --- Mouse and keys ---

WHEEL = 1.0016
NOTCH = 0.5  # pixels per wheel notch when the wheel pans
DRAG = 3  # pixels that the pointer may move during a click
PAN = 80  # pixels per key press
ARROWS = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}
PANS = {"left": (PAN, 0), "right": (-PAN, 0), "up": (0, PAN), "down": (0, -PAN)}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Input(QObject):
    """Lets the user look around, select, collapse and expand."""

    opened = Signal(str, int)  # double-clicked, or Enter was pressed
    number_chosen = Signal(int, str, int)  # clicked on the selected card, or double-clicked: a tensor, "value" or
    # "grad", and the index of the number
    other_end = Signal(str, int)  # clicked with Shift: the path from the selection to this is wanted

    def __init__(
        self,
        widget: QWidget,
        surface: Surface,
        viewport: Viewport,
        hover: Hover,
        selection: ItemSelection,
        collapse: Collapse,
    ) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self._viewport = viewport
        self._hover = hover
        self._selection = selection
        self._collapse = collapse
        self._drag: QPointF | None = None
        self._moved = False
        self._hand = False  # Space is held
        self._pressed = QPoint()
        self._acted = False  # the click that may become a double click opened or closed a group, or asked something

    # -- wheel and touchpad

    def native_gesture(self, event: QNativeGestureEvent) -> bool:
        """Act on a touchpad gesture; False if the canvas does not use it."""
        kind, at = event.gestureType(), event.position()
        if kind == Qt.NativeGestureType.ZoomNativeGesture:
            self._viewport.zoom(max(0.2, 1 + event.value()), at, 0)
        elif kind == Qt.NativeGestureType.SmartZoomNativeGesture:
            item = self._hover.item_at(at.toPoint())
            if item >= 0 and self._viewport.is_fitted:
                self._viewport.fit_items([item])
            else:
                self._viewport.fit()
        else:
            return False
        event.accept()
        return True

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom; a touchpad, or a wheel with Shift, pans."""
        self._hover.leave_card()
        pixels, turn, keys = event.pixelDelta(), event.angleDelta(), event.modifiers()
        if pixels.isNull() and event.device().type() == QInputDevice.DeviceType.TouchPad:
            pixels = _pixels(turn)
        if keys & Qt.KeyboardModifier.ShiftModifier:
            moved = pixels if not pixels.isNull() else _pixels(turn)
            self._viewport.pan(moved.x() or moved.y(), 0)
        elif not pixels.isNull() and not keys & Qt.KeyboardModifier.ControlModifier:
            self._viewport.pan(pixels.x(), pixels.y())  # on a touchpad, two fingers pan, and a pinch or Ctrl zooms
        else:
            self._viewport.zoom(WHEEL ** turn.y(), event.position(), WHEEL_FLIGHT)
        event.accept()

    # -- mouse

    def press(self, event: QMouseEvent) -> None:
        """A click or drag begins; the right button selects what its menu will be about."""
        self._pressed = event.position().toPoint()
        self._acted = False
        self._hover.leave_card()
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._viewport.flight.stop()
            self._drag = event.position()
            self._moved = False
        elif event.button() == Qt.MouseButton.RightButton and self._hover.item_at(self._pressed) >= 0:
            self._selection.choose(self._hover.item_at(self._pressed))

    def move(self, event: QMouseEvent) -> None:
        """Pan while a button is down, otherwise hover."""
        if self._drag is None:
            self._hover.move_to(event.position().toPoint())
            if self._hand:
                self._widget.setCursor(Qt.CursorShape.OpenHandCursor)
            return
        moved = (event.position() - self._drag).toPoint()
        if self._moved or moved.manhattanLength() > DRAG:
            self._moved = True
            self._widget.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._viewport.pan(moved.x(), moved.y())
            self._drag = self._drag + QPointF(moved)

    def release(self, event: QMouseEvent) -> None:
        """It was a click if the pointer has not moved."""
        clicked = self._drag is not None and not self._moved and not self._hand
        self._drag = None
        scene, at = self._surface.scene, event.position().toPoint()
        if clicked and event.button() == Qt.MouseButton.LeftButton and scene is not None:
            self._click(scene, self._hover.item_at(at), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        self._hover.move_to(at)

    def _click(self, scene: Scene, item: int, shift: bool) -> None:
        """Open or close a group at its triangle, otherwise select, or ask about a number of what is selected; with
        Shift, ask for the path from the selection."""
        thing = self._thing_at(scene, self._pressed) if item < 0 else item
        if scene.groups.is_triangle(thing, self._surface.camera, self._pressed):
            self._acted = True
            self._collapse.toggle(scene, scene.groups.at(thing))
        elif not shift or thing < 0 or scene.selected in (-1, thing):
            asks = thing >= 0 and thing == scene.selected and not shift
            self._selection.choose(thing)
            number = scene.number_at(thing, self._surface.camera, self._pressed) if asks else None
            if number is not None:
                self._acted = True
                self.number_chosen.emit(*number)
        else:
            before = scene.selected
            scene.select_item(thing)
            other = scene.selection
            scene.select_item(before)
            if other is not None:
                self.other_end.emit(*other)

    def double_click(self, event: QMouseEvent) -> None:
        """Open or close a group, ask about a number, or open an item; on empty space, fit everything."""
        scene, at = self._surface.scene, event.position().toPoint()
        if self._acted or scene is None:
            return
        thing = self._thing_at(scene, at)
        group = scene.groups.at(thing) if thing < -1 or scene.groups.is_group(thing) else -1
        if group >= 0:
            self._collapse.toggle(scene, group)
        elif event.button() == Qt.MouseButton.LeftButton:
            item = self._hover.item_at(at)
            if item < 0:
                self._viewport.fit()
            else:
                self._selection.choose(item)
                number = scene.number_at(item, self._surface.camera, at)
                if number is None:
                    self._open_selection()
                else:
                    self.number_chosen.emit(*number)

    def _thing_at(self, scene: Scene, pixel: QPoint) -> int:
        """The item under a pixel, or the frame whose title it is (-2 - frame), -1 for nothing."""
        return scene.thing_at(self._surface.camera, pixel)

    def _open_selection(self) -> None:
        """Open or close the selected group, or show where the selected item comes from."""
        scene = self._surface.scene
        if scene is not None and (scene.selected < -1 or scene.groups.is_group(scene.selected)):
            self._collapse.toggle_selected()
        elif self._selection.current is not None:
            self.opened.emit(*self._selection.current)

    # -- keys

    def press_key(self, event: QKeyEvent) -> bool:
        """Act on a key; False if the canvas does not use it."""
        key, scene = Qt.Key(event.key()), self._surface.scene
        if scene is None:
            return False
        if key == Qt.Key.Key_Escape:
            if not self._hover.leave_card():
                self._selection.choose(-1)
        elif key in ARROWS and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._viewport.pan(*PANS[ARROWS[key]])
        elif key in ARROWS:
            self._arrow(scene, ARROWS[key])
        elif key in ENTER:
            self._open_selection()
        elif key == Qt.Key.Key_Space:
            self._hold(True)
        elif event.text() in ("+", "-", "="):
            (self._viewport.zoom_out if event.text() == "-" else self._viewport.zoom_in)()
        else:
            return False
        return True

    def release_key(self, event: QKeyEvent) -> bool:
        """Act on the release of a key; False if the canvas does not use it."""
        if event.key() != Qt.Key.Key_Space or event.isAutoRepeat():
            return False
        self._hold(False)
        return True

    def _hold(self, hand: bool) -> None:
        """While Space is held, dragging pans and nothing is selected."""
        self._hand = hand
        self._widget.setCursor(Qt.CursorShape.OpenHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def _arrow(self, scene: Scene, direction: str) -> None:
        item = scene.next_item(direction)
        if item >= 0:
            self._selection.choose(item)
            self._viewport.show_item(item)


def _pixels(turn: QPoint) -> QPoint:
    return QPoint(round(turn.x() * NOTCH), round(turn.y() * NOTCH))
