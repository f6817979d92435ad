"""Mouse handling for a drawing: each press goes to the gesture that it begins, and everything until the release goes to
that gesture. This is installed on the canvas, which still pans (middle button, Space and drag) and zooms (wheel) by
itself. The keys are in `keyboard`; drags, including those from the palette, are in `drag`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip

from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Number, Operation, Ref
from gradviz.document.shaping import label
from gradviz.document.shaping.queries import port_name
from gradviz.document.tables import write_number
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.ui import look
from gradviz.ui.canvas.sizes import shape_text
from gradviz.ui.drawing.drag import MoveGesture, PaletteDrop, ResizeGesture, RubberBand
from gradviz.ui.drawing.geometry import NOTHING, Hit
from gradviz.ui.drawing.gesture import Gesture, GestureOverlay, Ground, Keys, Press
from gradviz.ui.drawing.inline_editing import InlineEditing
from gradviz.ui.drawing.keyboard import Keyboard
from gradviz.ui.drawing.node_entry import NodeEntry
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.drawing.wiring import Then, WireChecks, Wiring, loose_wire
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.drawing.view import DrawingView


EDGE = 24.0  # pixels from the edge that scroll
FASTEST = 14.0  # pixels at a time
FRAME = 16  # milliseconds


class AutoScroll:
    """Scrolls, and calls `move` so that the gesture follows."""

    def __init__(self, view: DrawingView, move: Callable[[QPointF, Keys], None]) -> None:
        self._view, self._move = view, move
        self._at, self._keys = QPointF(), Keys.NoModifier
        self._been_inside = False  # a gesture that begins at the edge must not start scrolling
        self._timer = QTimer(view, interval=FRAME)
        self._timer.timeout.connect(self.scroll)

    @property
    def is_going(self) -> bool:
        """Whether it is scrolling."""
        return self._timer.isActive()

    def hold(self, at: QPointF, keys: Keys) -> None:
        """The pointer of a gesture is here."""
        self._at, self._keys = at, keys
        if self._speed().isNull():
            self._been_inside = True
            self._timer.stop()
        elif self._been_inside and not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """The gesture has ended."""
        self._been_inside = False
        self._timer.stop()

    def scroll(self) -> None:
        """Scroll once, as far as the pointer's position demands."""
        speed, before = self._speed(), self._view.camera
        self._view.viewport.pan(-speed.x(), -speed.y())
        if self._view.camera != before:
            self._move(self._at, self._keys)

    def _speed(self) -> QPointF:
        room = self._view.rect()
        return QPointF(_pull(self._at.x(), room.width()), _pull(self._at.y(), room.height()))


def _pull(at: float, length: float) -> float:
    """The speed for a position within this length: 0 except near both ends."""
    beyond = max(at - (length - EDGE), 0.0) if at > length / 2 else min(at - EDGE, 0.0)
    return round(max(-1.0, min(1.0, beyond / EDGE)) * FASTEST)


DRAG = 4  # pixels that the pointer may move during a click
Maker = Callable[[Ground, Press], Gesture | None]


class Interactions:
    """The gestures of one drawing canvas. `makers` are asked in order for the gesture that a press begins."""

    def __init__(self, ground: Ground, do: Callable[[str], None]) -> None:
        self.ground = ground
        self.gesture: Gesture | None = None  # the gesture in progress
        self.typing = NodeEntry(ground)
        self.inline = InlineEditing(ground)
        self.keyboard = Keyboard(self, do)
        self.dropping = PaletteDrop(ground)
        self.auto_scroll = AutoScroll(ground.view, self._go_on)
        self.makers: list[Maker] = [self._own_gesture]
        self._pressed: Gesture | None = None  # the gesture that starts once the pointer moves
        self._hand = False  # Space is held: dragging pans
        ground.view.setAcceptDrops(True)
        ground.view.install(self)
        ground.view.viewport.changed.connect(ground.overlay.update)
        self.leave = ground.store.subscribe(self._changed)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self.ground.overlay.theme = theme
        self.ground.overlay.update()

    # -- the gesture in progress

    def begin(self, gesture: Gesture) -> None:
        """Start this gesture."""
        pressed = self._pressed
        self.cancel()
        self._pressed = pressed if pressed is gesture else None
        self.gesture = gesture
        gesture.begin()
        self.ground.overlay.show_these(gesture.paint)

    def cancel(self) -> bool:
        """Cancel the gesture in progress without a trace; returns whether there was one."""
        gesture, self.gesture, self._pressed = self.gesture, None, None
        self.ground.overlay.show_these()
        self.ground.view.unsetCursor()
        self.auto_scroll.stop()
        if gesture is not None:
            gesture.cancel()
        return gesture is not None

    def end(self) -> Gesture | None:
        """The gesture in progress is finished."""
        gesture, self.gesture, self._pressed = self.gesture, None, None
        self.ground.overlay.show_these()
        self.ground.view.unsetCursor()
        self.auto_scroll.stop()
        return gesture

    def _changed(self, before: State, after: State) -> None:
        """The drawing has changed, by undo or from elsewhere: a gesture on the old one ends."""
        if self.keyboard.wire is not None and (after.picked or before.document is not after.document):
            self.keyboard.choose_wire(None)
        if before.document is not after.document:
            self.cancel()
            self.inline.close()
            if after.drawing is None:
                self.typing.close()

    # -- events of the canvas

    def handle(self, event: QEvent) -> bool:
        """Handle an event of the canvas; False leaves it to the canvas."""
        kind = event.type()
        if isinstance(event, QMouseEvent):
            return self._mouse(kind, event)
        if isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Space and not event.modifiers():
                self._hand = kind == QEvent.Type.KeyPress or (self._hand and kind != QEvent.Type.KeyRelease)
            return self.keyboard.handle(kind, event)
        if kind == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return self._tell(event)
        if kind == QEvent.Type.Leave:
            self.ground.view.set_hovered(NOTHING)
        elif kind == QEvent.Type.FocusOut:
            self._hand = False
        return self.dropping.handle(event)

    def _tell(self, event: QHelpEvent) -> bool:
        """Describe the port under the pointer."""
        ground = self.ground
        text = words(ground.view, ground.store.state.trace, ground.hit(QPointF(event.pos())))
        if text and self.gesture is None:
            QToolTip.showText(event.globalPos(), look.tip(text), ground.view)
        return bool(text)

    def _mouse(self, kind: QEvent.Type, event: QMouseEvent) -> bool:
        at, keys = event.position(), event.modifiers()
        left = event.button() == Qt.MouseButton.LeftButton
        if kind == QEvent.Type.MouseMove:
            return self._moved(at, keys, event)
        if self._hand and self.gesture is None:
            return False
        if kind == QEvent.Type.MouseButtonPress:
            return self._press(at, keys) if left else self._other_button(event)
        if kind == QEvent.Type.MouseButtonRelease:
            return left and self._release(at, keys)
        if kind == QEvent.Type.MouseButtonDblClick:
            return left and self._double(at)
        return False

    def _press(self, at: QPointF, keys: Keys) -> bool:
        self.cancel()
        self.keyboard.choose_wire(None)
        view = self.ground.view
        view.hover.leave_card()
        view.viewport.flight.stop()
        view.setFocus(Qt.FocusReason.MouseFocusReason)
        self.ground.overlay.drop_bubble()
        press = Press(at, self.ground.hit(at), keys)
        self._pressed = next((found for maker in self.makers if (found := maker(self.ground, press)) is not None), None)
        if self._pressed is not None and self._pressed.begins_at_once:
            self.begin(self._pressed)
        return True

    def _other_button(self, event: QMouseEvent) -> bool:
        """Other buttons do nothing during a gesture; otherwise the right one selects what its menu will be about."""
        if self.gesture is not None or self._pressed is not None:
            return True
        if event.button() == Qt.MouseButton.RightButton:
            hit = self.ground.hit(event.position())
            if hit.kind in ("node", "comment", "group", "corner") and hit.id not in self.ground.picked:
                self.ground.store.pick(frozenset({hit.id}))
            return True
        return False

    def _moved(self, at: QPointF, keys: Keys, event: QMouseEvent) -> bool:
        pressed = self._pressed
        if self.gesture is None and pressed is not None and (at - pressed.press.at).manhattanLength() > DRAG:
            self.begin(pressed)
        if self.gesture is not None:
            self.ground.view.setCursor(self.gesture.cursor)
            self.auto_scroll.hold(at, keys)
            self._go_on(at, keys)
            return True
        if pressed is not None:
            return True
        return event.buttons() == Qt.MouseButton.NoButton and not self._hand and self._hover(at)

    def _go_on(self, at: QPointF, keys: Keys) -> None:
        if self.gesture is not None:
            self.gesture.move(at, keys)
            self.ground.overlay.update()

    def _hover(self, at: QPointF) -> bool:
        """Enlarge the port under the pointer; the canvas itself reacts to everything else."""
        hit = self.ground.hit(at)
        view = self.ground.view
        view.set_hovered(hit)
        if hit.kind in ("in", "out"):
            view.hover.leave_card()
            view.setCursor(Qt.CursorShape.CrossCursor)
        elif hit.kind == "corner":
            view.setCursor(Qt.CursorShape.SizeFDiagCursor)
        else:
            return False
        return True

    def _release(self, at: QPointF, keys: Keys) -> bool:
        pressed, going = self._pressed, self.gesture
        if going is not None and going is pressed:
            self.end()
            going.finish(at, keys)
        elif pressed is not None:
            self._pressed = None
            self._click(pressed.press)
        else:
            return False
        self._hover(at)
        return True

    def _click(self, press: Press) -> None:
        hit, store = press.hit, self.ground.store
        if hit.kind == "wire":
            self.keyboard.choose_wire((hit.id, hit.index))
            return
        if not hit:
            if not press.adds:
                store.pick(frozenset())
            return
        if press.adds:
            store.pick(store.state.picked ^ {hit.id})
        else:
            store.pick(frozenset({hit.id}))

    def _double(self, at: QPointF) -> bool:
        self.cancel()
        hit = self.ground.hit(at)
        if hit.kind in ("nothing", "wire"):
            self.typing.open(at)
        elif hit.kind == "group":
            self._double_group(hit, at)
        elif hit.kind in ("node", "comment", "corner"):
            self.inline.open(hit.id)
        elif hit.kind == "call":
            self.ground.store.pick(frozenset({hit.id}))  # the inspector has the full call at its root
        return True

    def _double_group(self, hit: Hit, at: QPointF) -> None:
        """Double-clicking the box of a group opens it; on the title of an open one, the words are edited and the rest
        closes it."""
        drawing = self.ground.drawing
        group = next((one for one in drawing.groups if one.id == hit.id), None)
        if group is None:  # what is on the screen may be one edit behind
            return
        if not group.closed and self.inline.is_title(hit.id, at):
            self.inline.open(hit.id)
        else:
            label = "Open Group" if group.closed else "Close Group"
            self.ground.edit(label, shaping.set_group_closed(drawing, hit.id, not group.closed))

    def _own_gesture(self, ground: Ground, press: Press) -> Gesture | None:
        hit = press.hit
        loose = loose_wire(ground.drawing, hit.kind, hit.id, hit.index)
        if loose is not None:
            wiring = Wiring(ground, press, loose)
            wiring.to_empty = self.typing.open_for_wire
            return wiring
        if hit.kind == "corner":
            return ResizeGesture(ground, press)
        if hit.kind in ("node", "comment", "group"):
            return MoveGesture(ground, press)
        return RubberBand(ground, press)


def attach(
    view: DrawingView, store: Store, theme: Theme, ask: Callable[[Drawing, Then], None], do: Callable[[str], None]
) -> Interactions:
    """Let the user draw on this canvas; `ask` tries out a drawing, `do` runs a command."""
    return Interactions(Ground(view, store, GestureOverlay(view, theme), WireChecks(ask)), do)


UNKNOWN = "not computed yet"


def words(view: DrawingView, trace: Trace | None, hit: Hit) -> str:
    """A sentence about a port; "" if it is not one."""
    node = view.drawing.by_id.get(hit.id)
    if node is None or hit.kind not in ("in", "out"):
        return ""
    if hit.kind == "out":
        return f"{label(view.drawing, hit.id)}: {type_of(view, trace, Ref(hit.id, hit.index))}"
    assert isinstance(node, Operation)
    operand = node.inputs[hit.index] if hit.index < len(node.inputs) else None
    name = f"{port_name(node, hit.index)} of {label(view.drawing, hit.id)}"
    if isinstance(operand, Ref):
        return f"{name}: {label(view.drawing, operand.node)}, {type_of(view, trace, operand)}"
    if isinstance(operand, Number):
        return f"{name}: the number {write_number(operand.value)}"
    return f"{name}: nothing is connected"


def type_of(view: DrawingView, trace: Trace | None, ref: Ref) -> str:
    """Type and shape of an output, as far as they have been computed."""
    tensor = view.drawn.tensors.get(ref) if view.drawn is not None else None
    if tensor is None or trace is None:
        return UNKNOWN
    tensors = trace.tensors
    return shape_text(str(tensors.dtype[tensor]), tuple(tensors.shape[tensor]))
