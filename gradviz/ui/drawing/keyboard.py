"""Keys on the canvas of a drawing. Arrows walk from node to node, and with Ctrl they move the selection (Shift:
further); a letter, a digit or a sign opens the entry box; Enter edits in place; Ctrl+L begins a wire; Esc cancels what
is in progress. (With `KeyWiring`, Tab or arrows go from port to port and Enter makes the wire.) Keys of commands with
another meaning here run the drawing's command. All other keys belong to the canvas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen

from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.nodes import InPort, inputs_for
from gradviz.document.shaping.queries import outputs, port_name
from gradviz.ui.drawing.drag import move_label
from gradviz.ui.drawing.geometry import NOTHING
from gradviz.ui.drawing.gesture import GRID, Gesture, Ground, Keys, Press
from gradviz.ui.drawing.wiring import DISCONNECT, Dropped, Loose, Wire

if TYPE_CHECKING:
    from gradviz.ui.drawing.interactions import Interactions


NEXT = (Qt.Key.Key_Tab, Qt.Key.Key_Right)
BACK = (Qt.Key.Key_Backtab, Qt.Key.Key_Left)
OUTPUTS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
NO_PORT = "No port is free for {}. Add an operation, then connect it."
PICK_ONE = "Select the node at which the wire starts."


def targets(drawing: Drawing, source: Ref) -> tuple[InPort, ...]:
    """The ports where the wire could end, followed by those where it already does."""
    ended = [
        (node.id, port)
        for node in drawing.nodes
        for port, operand in enumerate(node.inputs if isinstance(node, Operation) else ())
        if operand == source
    ]
    return (*inputs_for(drawing, source), *ended)


class KeyWiring(Gesture):
    """In effect until Enter or Esc."""

    def __init__(self, ground: Ground, source: Ref) -> None:
        super().__init__(ground, Press(QPointF(), NOTHING))
        self.source = source
        node = ground.drawing.by_id[source.node]
        self.outputs = outputs(node) if isinstance(node, Operation) else 1
        self.at = 0
        self.targets = self._targets()

    def _targets(self) -> list[InPort]:
        """The free ports, nearest node first, and then those with such a wire."""
        drawing, geometry = self.ground.drawing, self.ground.geometry
        start, free = geometry.port_out(self.source), set(inputs_for(drawing, self.source))
        return sorted(
            targets(drawing, self.source),
            key=lambda port: (port not in free, QLineF(start, geometry.port_in(port[0], 0)).length(), port),
        )

    @property
    def target(self) -> InPort:
        """The port that Enter would connect."""
        return self.targets[self.at]

    @property
    def takes_off(self) -> bool:
        """Whether the wire exists already."""
        there = self.ground.drawing.by_id[self.target[0]]
        assert isinstance(there, Operation)
        return self.target[1] < len(there.inputs) and there.inputs[self.target[1]] == self.source

    @property
    def words(self) -> str:
        """What Enter would do."""
        drawing = self.ground.drawing
        if not self.targets:
            return f"No free port is left for {self.start}: type what it goes to"
        there = drawing.by_id[self.target[0]]
        assert isinstance(there, Operation)
        port = f"{port_name(there, self.target[1])} of {shaping.label(drawing, there.id)}"
        count = f"{self.at + 1} of {len(self.targets)}"
        start = f"{self.start} " if self.outputs > 1 else ""
        if self.takes_off:
            return f"Take the wire {f'of {start}' if start else ''}off {port} ({count})"
        return f"Connect {start}to {port} ({count})"

    @property
    def start(self) -> str:
        """The name of the output at which the wire begins."""
        name = self.ground.geometry.name(self.source)
        return name or f"output {self.source.output + 1} of {shaping.label(self.ground.drawing, self.source.node)}"

    def begin(self) -> None:
        self.ground.announce(self.words)

    def step(self, way: int) -> None:
        """Go to the next port, or the previous one."""
        self.at = (self.at + way) % max(1, len(self.targets))
        self.ground.overlay.update()
        self.ground.announce(self.words)

    def step_output(self, way: int) -> None:
        """Begin at the next output, or the previous one; if there is only one, go to another port."""
        if self.outputs == 1:
            self.step(way)
            return
        self.source = Ref(self.source.node, (self.source.output + way) % self.outputs)
        self.at, self.targets = 0, self._targets()
        self.step(0)

    def take(self) -> None:
        """Enter: make or remove the wire."""
        if not self.targets:
            self.ground.refuse(
                NO_PORT.format(self.start), self.ground.pixel(self.ground.geometry.port_out(self.source))
            )
            return
        ground, at = self.ground, self.ground.pixel(self.ground.geometry.port_in(*self.target))
        if not self.takes_off:
            Dropped(ground, Loose(source=self.source), Wire(self.source, self.target), at).make()
            return
        try:
            ground.edit(DISCONNECT, shaping.disconnect(ground.drawing, *self.target))
        except UserError as error:
            ground.refuse(str(error), at)

    def paint(self, painter: QPainter) -> None:
        ground, theme = self.ground, self.ground.overlay.theme
        painter.setPen(QPen(QColor(theme.focus), 1.4))
        painter.setBrush(QColor(theme.panel))
        for port in self.targets:
            painter.drawEllipse(ground.pixel(ground.geometry.port_in(*port)), ground.port_radius, ground.port_radius)
        keys = "Enter   ·   Tab: next port" + ("   ·   ↑↓: output" if self.outputs > 1 else "") + "   ·   Esc"
        if not self.targets:
            ground.overlay.paint_hint(painter, self.words, ground.pixel(ground.geometry.port_out(self.source)))
            return
        end = ground.pixel(ground.geometry.port_in(*self.target))
        pen = QPen(QColor(theme.focus), 2.6)
        if self.takes_off:
            pen.setDashPattern([3, 3])
        ground.paint_wire(painter, pen, ground.geometry.port_out(self.source), ground.world(end))
        painter.setBrush(QColor(theme.selection))
        painter.drawEllipse(end, 8, 8)
        ground.overlay.paint_hint(painter, f"{self.words}   ·   {keys}", end)


ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
GAP = 75.0  # world units from an output to the next typed node
FAR = 5  # grid steps with Shift
MENU_KEYS = {Qt.Key.Key_D: "draw.duplicate", Qt.Key.Key_G: "draw.group"}  # other commands in other places
CONTROL, SHIFT = Keys.ControlModifier, Keys.ShiftModifier


class Keyboard:
    """The keys of one drawing canvas."""

    def __init__(self, hands: Interactions, do: Callable[[str], None]) -> None:
        self._hands = hands
        self._ground = hands.ground
        self._do = do
        self._wire: InPort | None = None  # the wire that was clicked

    def handle(self, kind: QEvent.Type, event: QKeyEvent) -> bool:
        """Handle a key; False leaves it to the canvas and the window."""
        action = self._action(event)
        if action is None:
            return False
        if kind == QEvent.Type.ShortcutOverride:
            event.accept()
        elif kind == QEvent.Type.KeyPress:
            action()
        return kind in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)

    def _action(self, event: QKeyEvent) -> Callable[[], None] | None:
        """What a key does in the present state."""
        key, keys = Qt.Key(event.key()), event.modifiers() & ~Keys.KeypadModifier
        hands, ground = self._hands, self._ground
        if isinstance(hands.gesture, KeyWiring):
            return self._wiring_action(hands.gesture, key, event.text() if not keys & ~SHIFT else "")
        if key == Qt.Key.Key_Escape:
            return self._escape_action()
        if hands.gesture is not None:
            return None
        if key in ARROWS and not keys:
            return lambda: self._walk(*ARROWS[key])
        if key in ARROWS and keys in (CONTROL, CONTROL | SHIFT) and ground.picked:
            far = GRID * (FAR if keys & SHIFT else 1)
            return lambda: self._move(ARROWS[key][0] * far, ARROWS[key][1] * far)
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and not keys:
            return self._delete
        if key in ENTER and not keys and len(ground.picked) == 1:
            return lambda: _ignore(hands.inline.open(next(iter(ground.picked))))
        if keys == CONTROL:
            return self._control_action(key)
        text = event.text()
        if not keys & ~SHIFT and text.isprintable() and text.strip():
            return lambda: hands.typing.open_beside(text)
        return None

    def _control_action(self, key: Qt.Key) -> Callable[[], None] | None:
        if key == Qt.Key.Key_L:
            return self.start_wire
        if key == Qt.Key.Key_A:
            return self.select_all
        if key in MENU_KEYS and self._ground.picked:
            return lambda: self._do(MENU_KEYS[key])
        return None

    def _escape_action(self) -> Callable[[], None] | None:
        hands, ground = self._hands, self._ground
        if hands.gesture is not None:
            return lambda: _ignore(hands.cancel())
        if ground.store.state.shows_layout_progress:
            return None  # the window's Escape ends that
        if ground.overlay.sentence:
            return ground.overlay.drop_bubble
        if self._wire is not None:
            return lambda: self.choose_wire(None)
        if ground.picked:
            return lambda: ground.store.pick(frozenset())
        return None

    # -- selecting

    def select_all(self) -> None:
        """Select everything."""
        drawing = self._ground.drawing
        hidden = {member for group in drawing.groups if group.closed for member in group.members}
        closed = [group.id for group in drawing.groups if group.closed]
        seen = [one.id for one in (*drawing.nodes, *drawing.comments) if one.id not in hidden]
        self._ground.store.pick(frozenset((*seen, *closed)))

    def _walk(self, right: int, down: int) -> None:
        """Select the nearest thing in a direction."""
        ground, drawing = self._ground, self._ground.drawing
        boxes = {id: box.center() for id, box in ground.geometry.boxes.items() if ground.geometry.box(id) == box}
        boxes = {id: place for id, place in boxes.items() if ground.geometry.closed_group(id) is None}
        open_groups = {group.id for group in drawing.groups if not group.closed}
        boxes = {id: place for id, place in boxes.items() if id not in open_groups}
        if not boxes:
            return
        picked = sorted(id for id in ground.picked if id in boxes)
        if not picked:
            first = min(boxes, key=lambda id: (boxes[id].x() + boxes[id].y(), id))
        else:
            start = boxes[picked[-1] if right + down > 0 else picked[0]]
            ways = {id: place - start for id, place in boxes.items() if id not in picked}
            ahead = [
                (_effort(way, right, down), id) for id, way in ways.items() if way.x() * right + way.y() * down > 1
            ]
            if not ahead:
                return
            first = min(ahead)[1]
        ground.store.pick(frozenset({first}))
        ground.reveal(frozenset({first}))

    # -- changing

    def _move(self, dx: float, dy: float) -> None:
        ground = self._ground
        label = move_label(ground.drawing, ground.picked)
        key = f"keys {sorted(ground.picked)}"
        ground.store.edit(label, shaping.move(ground.drawing, ground.picked, dx, dy), merge=key)
        ground.reveal(ground.picked)

    def _delete(self) -> None:
        ground = self._ground
        wire = self._wire
        if wire is not None:
            self.choose_wire(None)
            ground.edit(DISCONNECT, shaping.disconnect(ground.drawing, *wire))
        else:
            self._do("draw.delete")

    # -- wires

    def choose_wire(self, wire: InPort | None) -> None:
        """Mark the wire that ends at this port; Delete removes it."""
        self._wire = wire
        if wire is not None:
            self._ground.store.pick(frozenset())
            self._ground.overlay.show_these(self._paint_wire)
        elif self._hands.gesture is None:
            self._ground.overlay.show_these()

    @property
    def wire(self) -> InPort | None:
        """The wire that was clicked."""
        return self._wire

    def start_wire(self) -> None:
        """Begin a wire at the selection."""
        ground = self._ground
        nodes = [id for id in ground.picked if id in ground.drawing.by_id]
        if len(nodes) != 1:
            ground.refuse(PICK_ONE, QPointF(ground.view.rect().center()))
            return
        gesture = KeyWiring(ground, Ref(nodes[0]))
        if not gesture.targets and gesture.outputs == 1:
            there = shaping.label(ground.drawing, nodes[0])
            ground.refuse(NO_PORT.format(there), ground.pixel(ground.geometry.port_out(gesture.source)))
            return
        self._hands.begin(gesture)

    def _wiring_action(self, gesture: KeyWiring, key: Qt.Key, text: str) -> Callable[[], None] | None:
        if key == Qt.Key.Key_Escape:
            return lambda: _ignore(self._hands.cancel())
        if key in NEXT:
            return lambda: gesture.step(1)
        if key in BACK:
            return lambda: gesture.step(-1)
        if key in OUTPUTS:
            return lambda: gesture.step_output(OUTPUTS[key])
        if key in ENTER:
            return self._take_wire
        return (lambda: self._type_on(gesture, text)) if text.isprintable() and text.strip() else None

    def _type_on(self, gesture: KeyWiring, text: str) -> None:
        """Wire it to what is typed next."""
        self._hands.cancel()
        start = self._ground.geometry.port_out(gesture.source) + QPointF(GAP, 0)
        self._hands.typing.open(self._ground.pixel(start), text, (gesture.source,))

    def _take_wire(self) -> None:
        gesture = self._hands.end()
        if isinstance(gesture, KeyWiring):
            gesture.take()

    def _paint_wire(self, painter: QPainter) -> None:
        wire, ground = self._wire, self._ground
        if wire is None or not isinstance(ground.drawing.by_id.get(wire[0]), Operation):
            return
        ground.in_world(painter)
        painter.setPen(QPen(QColor(ground.overlay.theme.halo), 4 / ground.view.camera.scale))
        painter.drawPath(ground.geometry.wire(*wire))


def _effort(way: QPointF, right: int, down: int) -> float:
    """How far something is in a direction; sideways distance counts double."""
    ahead = way.x() * right + way.y() * down
    aside = abs(way.x() * down) + abs(way.y() * right)
    return ahead + 2 * aside


def _ignore(_: object) -> None:
    """Ignore the result: for keys it does not matter whether anything happened."""
