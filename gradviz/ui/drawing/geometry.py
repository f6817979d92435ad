"""Where everything in a drawing is, in world coordinates, computed only from the drawing and the known sizes: the same
before a run, after it and at every step. Before anything has run, leaves have their own shape and results are assumed
to be scalars; `Sizes` holds what a trace has told. Hit testing prefers ports, which may be a little off, then nodes,
wires, and what lies behind them. `painting` and `diagram` take positions from here; nothing is painted here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from gradviz.document.catalogue import Entry, Port, catalogue, outputs
from gradviz.document.drawing import Comment, Drawing, Group, Leaf, Node, Number, Operation, Ref
from gradviz.document.leaf_forms import leaf_dtype, leaf_shape
from gradviz.document.literals import literal_text
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.sizes import group_size

# -- hit testing

FRAME_TITLE = 26.0  # of an open group
CORNER = 14.0  # the part of a comment that resizes it
NUMBER_ROOM = 80.0  # how far the number at a port may extend
SAMPLES = 16  # points of a wire that are tested


@dataclass(frozen=True)
class Hit:
    """What is under a point: kind is "node", "in" (`index` is the port), "out" (`index` is the output), "wire" (to port
    `index` of node `id`), "comment", "corner" (of a comment), "group" (its title or its box), "call" (`index` of the
    drawing's calls, `id` is its root) or "nothing"."""

    kind: str = "nothing"
    id: int = 0
    index: int = 0

    def __bool__(self) -> bool:
        return self.kind != "nothing"


NOTHING = Hit()


def hit_at(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    """What is under a point; for ports and wires, also near it."""
    return (
        _port_at(geometry, point, radius) or _call_at(geometry, point) or _node_at(geometry, point)
        or _wire_at(geometry, point, radius) or _behind(geometry, point, radius)
    )  # fmt: skip


def _port_at(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    best, found = radius, NOTHING
    reach = radius + NUMBER_ROOM
    for node in geometry.drawing.nodes:
        around = geometry.boxes[node.id].adjusted(-reach, -reach, reach, reach)
        if node.id in geometry.hidden or not around.contains(point):
            continue
        places = [("out", k, geometry.port_out(Ref(node.id, k))) for k in range(geometry.outputs(node.id))]
        if isinstance(node, Operation):
            places += [("in", k, geometry.port_in(node.id, k)) for k in range(geometry.port_counts[node.id])]
        for kind, index, place in places:
            away = math.hypot(place.x() - point.x(), place.y() - point.y())
            if kind == "in" and geometry.number_box(node.id, index).contains(point):
                return Hit(kind, node.id, index)
            if away <= best:
                best, found = away, Hit(kind, node.id, index)
    return found


def _call_at(geometry: Geometry, point: QPointF) -> Hit:
    for index, call in enumerate(geometry.drawing.calls):
        if geometry.call_mark(index).contains(point):
            return Hit("call", call.root.node, index)
    return NOTHING


def _node_at(geometry: Geometry, point: QPointF) -> Hit:
    for group in geometry.drawing.groups:
        if group.closed and group.id in geometry.boxes and geometry.boxes[group.id].contains(point):
            return Hit("group", group.id)
    for node in reversed(geometry.drawing.nodes):
        if node.id in geometry.hidden or not geometry.boxes[node.id].contains(point):
            continue
        circle = geometry.circles.get(node.id)
        cards = (geometry.cards[Ref(node.id, k)] for k in range(geometry.outputs(node.id)))
        if (circle is not None and circle.contains(point)) or any(card.contains(point) for card in cards):
            return Hit("node", node.id)
    return NOTHING


def _wire_at(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    best, found = radius, NOTHING
    for (node, port), cubic in geometry.cubics.items():
        away = _distance(cubic, point, best)
        if away <= best:
            best, found = away, Hit("wire", node, port)
    return found


def _behind(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    for group in geometry.drawing.groups:
        if not group.closed and group.id in geometry.boxes:
            frame = geometry.boxes[group.id]
            if QRectF(frame.left(), frame.top(), frame.width(), FRAME_TITLE).contains(point):
                return Hit("group", group.id)
    for comment in reversed(geometry.drawing.comments):
        box = geometry.boxes[comment.id]
        if _corner(comment, max(CORNER, radius)).contains(point):
            return Hit("corner", comment.id)
        if box.contains(point):
            return Hit("comment", comment.id)
    return NOTHING


def _corner(comment: Comment, size: float) -> QRectF:
    return QRectF(comment.x + comment.width - size, comment.y + comment.height - size, size, size)


def _distance(cubic: Cubic, point: QPointF, most: float) -> float:
    """Approximate distance of a point from a curve; infinite if it exceeds `most`."""
    xs, ys = [p.x() for p in cubic], [p.y() for p in cubic]
    x, y = point.x(), point.y()
    if not (min(xs) - most <= x <= max(xs) + most and min(ys) - most <= y <= max(ys) + most):
        return math.inf
    best = math.inf
    before = xs[0], ys[0]
    for nth in range(1, SAMPLES + 1):
        t = nth / SAMPLES
        a, b, c, d = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3
        now = a * xs[0] + b * xs[1] + c * xs[2] + d * xs[3], a * ys[0] + b * ys[1] + c * ys[2] + d * ys[3]
        best = min(best, _to_segment(x, y, *before, *now))
        before = now
    return best


def _to_segment(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    part = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / square)) if square else 0.0
    return math.hypot(x - ax - part * dx, y - ay - part * dy)


# -- sizes

RESULT = (sizes.CARD_MIN, sizes.HEADER + 8 + sizes.LINE + sizes.LINE + sizes.NOTE)
UNKNOWN = Entry("", "?", "", "?", "", "", ())


@dataclass(frozen=True)
class Sizes:
    """Sizes known from a trace: width and height of cards without what is below them, and the height including it."""

    cards: Mapping[Ref, tuple[float, float]] = field(default_factory=dict)


def entry_of(node: Operation) -> Entry:
    """Its row of the catalogue, or one without ports."""
    return catalogue().get(node.op, UNKNOWN)


def symbol_of(node: Operation) -> str:
    """The symbol in its circle."""
    entry = catalogue().get(node.op)
    return entry.symbol if entry is not None else node.op.rpartition(".")[2]


def ports_of(node: Operation) -> tuple[Port, ...]:
    """Its ports: for a variadic operation those connected and one more, for an unknown one those connected."""
    ports = entry_of(node).ports
    if ports and ports[-1].variadic:
        *fixed, each = ports
        many = max(len(node.inputs) - len(fixed), 0)
        least = 0 if each.optional else 1
        return (*fixed, *(Port(f"{each.name}[{k}]", optional=k >= max(many, least)) for k in range(many + 1)))
    missing = range(len(ports), len(node.inputs))
    return (*ports, *(Port(f"input {k}", optional=True) for k in missing))


def outputs_of(drawing: Drawing) -> dict[int, int]:
    """How many outputs each node has."""
    used: dict[int, int] = {}
    refs = [operand for node in drawing.nodes if isinstance(node, Operation) for operand in node.inputs]
    for ref in (*refs, *(call.root for call in drawing.calls)):
        if isinstance(ref, Ref):
            used[ref.node] = max(used.get(ref.node, 1), ref.output + 1)
    for node in drawing.nodes:
        own = 1 if isinstance(node, Leaf) else max(len(outputs(entry_of(node), node)), len(node.names), 1)
        used[node.id] = max(used.get(node.id, 1), own)
    return used


def leaf_size(leaf: Leaf, ink: Ink, *, shared: bool) -> tuple[float, float]:
    """Width and height of the card of a leaf, as the canvas will make it; `shared`: gradients may accumulate there."""
    shape = leaf_shape(leaf)
    dtype = leaf_dtype(leaf)
    meta = sizes.shape_text(dtype, shape)
    if leaf.requires_grad:
        meta = f"leaf · {meta}"
    return sizes.card_size(
        ink, leaf.name, meta, sizes.shape_of(shape, dtype),
        grad=leaf.requires_grad, badge=leaf.requires_grad and shared, expression=False,
    )  # fmt: skip


def name_of(node: Node, output: int = 0) -> str:
    """The name of an output, "" for none."""
    if isinstance(node, Leaf):
        return node.name
    return node.names[output] if output < len(node.names) else ""


RESULT_GAP = 44.0  # between a circle and its result
RESULT_PITCH = 34.0  # between two results, including room for a badge
PORT_SPREAD = 32.0  # of the side of a circle along which ports are
FRAME_ROOM = 18.0  # around the members of an open group
NUMBER_HEIGHT = 17.0  # of the chip of a plain number
CALL_WIDTH, CALL_HEIGHT = 92.0, 20.0
BEND = 44.0  # the shortest handle of a wire

Cubic = tuple[QPointF, QPointF, QPointF, QPointF]
__all__ = ["FRAME_TITLE", "NOTHING", "Cubic", "Geometry", "Hit", "curve", "path_of", "result_curve"]


class Geometry:
    """The positions in one drawing. Wires of the previous drawing in `before` are reused where nothing moved."""

    def __init__(self, drawing: Drawing, ink: Ink, known: Sizes | None = None, before: Geometry | None = None) -> None:
        self.drawing = drawing
        self._before = before
        if before is not None:
            before._before = None
        self._ink = ink
        self._known = known or Sizes()
        self._outputs = outputs_of(drawing)
        self.hidden = {member: group for group in drawing.groups if group.closed for member in group.members}

    def of(self, drawing: Drawing) -> Geometry:
        """The same positions for a drawing that differs only in values."""
        other = copy(self)
        other.drawing = drawing
        return other

    # -- nodes

    def closed_group(self, node: int) -> Group | None:
        """The closed group that hides a node."""
        return self.hidden.get(node)

    def outputs(self, node: int) -> int:
        """How many outputs it has."""
        return self._outputs.get(node, 1)

    @cached_property
    def uses(self) -> dict[Ref, int]:
        """How many wires begin at each output."""
        found: dict[Ref, int] = {}
        for node in self.drawing.nodes:
            for operand in node.inputs if isinstance(node, Operation) else ():
                if isinstance(operand, Ref):
                    found[operand] = found.get(operand, 0) + 1
        return found

    @cached_property
    def circles(self) -> dict[int, QRectF]:
        """The circle of each operation."""
        found = {}
        for node in self.drawing.nodes:
            if isinstance(node, Operation):
                width = sizes.symbol_width(self._ink, symbol_of(node))
                found[node.id] = QRectF(node.x - width / 2, node.y - sizes.RADIUS, width, 2 * sizes.RADIUS)
        return found

    @cached_property
    def cards(self) -> dict[Ref, QRectF]:
        """The card of each leaf, and of each result, which is to the right of its circle."""
        found: dict[Ref, QRectF] = {}
        known = self._known.cards
        for node in self.drawing.nodes:
            if isinstance(node, Leaf):
                ref = Ref(node.id)
                size = known.get(ref) or leaf_size(node, self._ink, shared=self.uses.get(ref, 0) > 1)
                found[ref] = QRectF(node.x - size[0] / 2, node.y - size[1] / 2, *size)
                continue
            refs = [Ref(node.id, output) for output in range(self.outputs(node.id))]
            each = [known.get(ref, RESULT) for ref in refs]
            left = self.circles[node.id].right() + RESULT_GAP
            top = node.y - (sum(height for _, height in each) + RESULT_PITCH * (len(each) - 1)) / 2
            for ref, size in zip(refs, each, strict=True):
                found[ref] = QRectF(left, top, *size)
                top += size[1] + RESULT_PITCH
        return found

    @cached_property
    def boxes(self) -> dict[int, QRectF]:
        """The box around each node with its results, around each comment, and around each group."""
        found: dict[int, QRectF] = {}
        for ref, card in self.cards.items():
            found[ref.node] = found[ref.node].united(card) if ref.node in found else QRectF(card)
        for node, circle in self.circles.items():
            found[node] = found[node].united(circle)
        for comment in self.drawing.comments:
            found[comment.id] = QRectF(comment.x, comment.y, comment.width, comment.height)
        for group in self.drawing.groups:
            around = QRectF()
            for member in group.members:
                around = around.united(found.get(member, QRectF()))
            if not around.isNull():
                found[group.id] = self._closed_box(group, around) if group.closed else _framed(around)
        return found

    def _closed_box(self, group: Group, around: QRectF) -> QRectF:
        width, height = group_size(self._ink, group.title, "")
        box = QRectF(0, 0, width, height)
        box.moveCenter(around.center())
        return box

    def box(self, node: int) -> QRectF:
        """The box around a node with its results (or a comment, a group), or the closed group that contains it; empty
        if unknown."""
        group = self.hidden.get(node)
        return QRectF(self.boxes.get(group.id if group is not None else node, QRectF()))

    def extent(self) -> QRectF:
        """The box around everything."""
        return QRectF(self._extent)

    @cached_property
    def _extent(self) -> QRectF:
        found = QRectF()
        for box in self.boxes.values():
            found = found.united(box)
        for index in range(len(self.drawing.calls)):
            found = found.united(self.call_mark(index))
        return found

    @cached_property
    def port_counts(self) -> dict[int, int]:
        """How many ports each operation has."""
        return {node.id: len(ports_of(node)) for node in self.drawing.nodes if isinstance(node, Operation)}

    # -- ports and wires

    def port_in(self, node: int, port: int) -> QPointF:
        """Where a wire ends."""
        group = self.hidden.get(node)
        if group is not None:
            return _side(self.boxes[group.id], self._entries[group.id], ("in", node, port))
        circle, count = self.circles[node], self.port_counts[node]
        pitch = min(sizes.PORT_PITCH, PORT_SPREAD / max(count - 1, 1))
        away = (port - (count - 1) / 2) * pitch
        bulge = sizes.RADIUS - math.sqrt(max(sizes.RADIUS**2 - away**2, 0.0))
        return QPointF(circle.left() + bulge, circle.center().y() + away)

    def number_box(self, node: int, port: int) -> QRectF:
        """The chip of the plain number at a port."""
        operation = self.drawing.by_id[node]
        inputs = operation.inputs if isinstance(operation, Operation) else ()
        operand = inputs[port] if port < len(inputs) else None
        if not isinstance(operand, Number):
            return QRectF()
        text = literal_text(operand.value)
        place, width = self.port_in(node, port), self._ink.width(sizes.CELL, text) + 10
        return QRectF(place.x() - width - 3, place.y() - NUMBER_HEIGHT / 2, width, NUMBER_HEIGHT)

    def port_out(self, ref: Ref) -> QPointF:
        """Where the wires of an output begin."""
        group = self.hidden.get(ref.node)
        if group is not None:
            return _side(self.boxes[group.id], self._entries[group.id], ("out", ref.node, ref.output))
        card = self.cards.get(ref)
        if card is None:  # a result that no longer exists
            return self.box(ref.node).center()
        return QPointF(card.right(), card.center().y())

    @cached_property
    def _entries(self) -> dict[int, dict[tuple[str, int, int], tuple[int, int]]]:
        """By closed group: the position of each port along its side, and their number."""
        sides: dict[int, dict[str, list[tuple[str, int, int]]]] = {
            group.id: {"in": [], "out": []} for group in self.drawing.groups
        }
        for ref, node, port in self.wires():
            tail, head = self.hidden.get(ref.node), self.hidden.get(node)
            if tail is not head or tail is None:
                for group, key in ((tail, ("out", ref.node, ref.output)), (head, ("in", node, port))):
                    if group is not None and key not in sides[group.id][key[0]]:
                        sides[group.id][key[0]].append(key)
        return {
            group: {key: (nth, len(keys)) for keys in both.values() for nth, key in enumerate(keys)}
            for group, both in sides.items()
        }

    def wires(self) -> Iterator[tuple[Ref, int, int]]:
        """All wires: where each begins, and the node and port where it ends."""
        for node in self.drawing.nodes:
            for port, operand in enumerate(node.inputs if isinstance(node, Operation) else ()):
                if isinstance(operand, Ref) and operand.node in self.drawing.by_id:
                    yield operand, node.id, port

    def is_hidden(self, ref: Ref, node: int) -> bool:
        """Whether a wire is inside a closed group."""
        group = self.hidden.get(node)
        return group is not None and self.hidden.get(ref.node) is group

    def cubic(self, node: int, port: int) -> Cubic | None:
        """The Bézier curve of the wire to a port; None without one, or if it is inside a closed group."""
        operation = self.drawing.by_id.get(node)
        operand = operation.inputs[port] if isinstance(operation, Operation) and port < len(operation.inputs) else None
        if not isinstance(operand, Ref) or operand.node not in self.drawing.by_id or self.is_hidden(operand, node):
            return None
        return curve(self.port_out(operand), self.port_in(node, port))

    @cached_property
    def cubics(self) -> dict[tuple[int, int], Cubic]:
        """The curves of all visible wires, by node and port."""
        found = {}
        before, self._before = self._before, None
        kept = before.cubics if before is not None and not (self.hidden or before.hidden) else {}
        still = self._still(before) if before is not None and kept else frozenset()
        for ref, node, port in self.wires():
            cubic = kept.get((node, port)) if node in still and ref.node in still else None
            cubic = cubic or self.cubic(node, port)
            if cubic is not None:
                found[node, port] = cubic
        return found

    def _still(self, before: Geometry) -> frozenset[int]:
        """The nodes that are unchanged, with all their results where they were."""
        known, circles, cards = before.drawing.by_id, before.circles, before.cards
        same = {node.id for node in self.drawing.nodes if known.get(node.id) is node}
        same -= {id for id, circle in self.circles.items() if circle != circles.get(id)}
        return frozenset(same - {ref.node for ref, card in self.cards.items() if card != cards.get(ref)})

    def wire(self, node: int, port: int) -> QPainterPath:
        """The path of the wire to a port; empty without one."""
        cubic = self.cubics.get((node, port))
        return path_of(cubic) if cubic is not None else QPainterPath()

    def call_mark(self, index: int) -> QRectF:
        """The mark at the root of a backward call: above its card, several of them side by side."""
        root = self.drawing.calls[index].root
        before = sum(1 for call in self.drawing.calls[:index] if call.root == root)
        card = self.cards.get(root)
        card = self.box(root.node) if card is None or root.node in self.hidden else card
        left = card.right() - CALL_WIDTH - before * (CALL_WIDTH + 6)
        return QRectF(left, card.top() - CALL_HEIGHT - 6, CALL_WIDTH, CALL_HEIGHT)

    def name(self, ref: Ref) -> str:
        """The name of an output, "" for none."""
        node = self.drawing.by_id.get(ref.node)
        return name_of(node, ref.output) if node is not None else ""

    def hit(self, point: QPointF, radius: float) -> Hit:
        """What is under a point; for ports and wires, also near it."""
        return hit_at(self, point, radius)


def curve(begin: QPointF, end: QPointF) -> Cubic:
    """A wire from an output to a port: it leaves to the right and arrives from the left."""
    across, down = end.x() - begin.x(), abs(end.y() - begin.y())
    bend = max(BEND, across / 2 if across >= 0 else min(-across * 0.6, 4 * BEND) + down / 6)
    bend = min(bend, max(BEND, math.hypot(across, down)))
    return begin, QPointF(begin.x() + bend, begin.y()), QPointF(end.x() - bend, end.y()), end


def result_curve(geometry: Geometry, ref: Ref) -> Cubic:
    """From the circle of an operation to one of its results."""
    circle, card = geometry.circles[ref.node], geometry.cards[ref]
    begin, end = QPointF(circle.right(), circle.center().y()), QPointF(card.left(), card.center().y())
    bend = QPointF((end.x() - begin.x()) / 2, 0)
    return begin, begin + bend, end - bend, end


def path_of(cubic: Cubic) -> QPainterPath:
    """A curve as a path."""
    path = QPainterPath(cubic[0])
    path.cubicTo(*cubic[1:])
    return path


def _framed(around: QRectF) -> QRectF:
    return around.adjusted(-FRAME_ROOM, -FRAME_ROOM - FRAME_TITLE, FRAME_ROOM, FRAME_ROOM + sizes.LABEL_HEIGHT)


def _side(box: QRectF, entries: dict[tuple[str, int, int], tuple[int, int]], key: tuple[str, int, int]) -> QPointF:
    """A position on the left or right side of a closed group."""
    nth, many = entries.get(key, (0, 1))
    x = box.left() if key[0] == "in" else box.right()
    return QPointF(x, box.top() + box.height() * (nth + 1) / (many + 1))
