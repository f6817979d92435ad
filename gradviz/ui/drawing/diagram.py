"""A drawing as a `Diagram` and a `Placed`, so that the ordinary canvas can paint it: its nodes in the trace become
items (closed groups, operations, cards), and all positions come from the drawing. No layout is computed. One node is
one operation, however many operations of the trace it stands for; intermediate results are inside it. Nodes that have
not run are not included; `painting` paints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.document.drawing import Drawing, Operand, Operation, Ref
from gradviz.session.drawn import Drawn
from gradviz.session.folding import Presentation
from gradviz.ui.canvas.diagram import Diagram
from gradviz.ui.canvas.groups import Groups
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.placed import Placed, placed_at
from gradviz.ui.canvas.sizes import GROUP, OPERATION, TENSOR, measure
from gradviz.ui.canvas.structure import Excerpt, Structure
from gradviz.ui.drawing.geometry import Cubic, Geometry, Sizes, outputs_of, result_curve, symbol_of

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.sizes import Look


# -- which items there are, and what contains what

FOREVER = np.iinfo(np.int64).max
OWN = -1_000_000  # the index of a group of the drawing: neither a region of a trace nor a call
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Items:
    """Closed groups in which something has run come first, then operations, then cards."""

    groups: Mapping[int, int]
    operations: Mapping[int, int]
    cards: Mapping[Ref, int]
    hidden: Mapping[int, int]  # the closed group that contains a node

    @property
    def kind(self) -> NDArray[np.uint8]:
        """As in `Diagram`."""
        counts = [len(self.groups), len(self.operations), len(self.cards)]
        return np.repeat(np.array([GROUP, OPERATION, TENSOR], np.uint8), counts)

    def index(self, drawn: Drawn) -> Ints:
        """The number of the group, or the row of the operation or tensor."""
        rows = [drawn.rows[node][-1] for node in self.operations]
        return np.array([*range(len(self.groups)), *rows, *(drawn.tensors[ref] for ref in self.cards)], np.int64)

    def step(self, trace: Trace, drawn: Drawn, index: Ints) -> Ints:
        """When each first becomes visible: an operation that stands for several, from the first of them on; the result
        of an in-place method, which may be as old as what it changed, when that has run."""
        groups = [min(trace.nodes.step[row] for row in rows) for rows in self.rows_in(drawn).values()]
        operations = [int(trace.nodes.step[drawn.rows[node][0]]) for node in self.operations]
        tensors = trace.tensors.step[index[len(groups) + len(operations) :]].tolist()
        for at, ref in enumerate(self.cards):
            rows = drawn.rows.get(ref.node)
            if rows and tensors[at] < trace.nodes.step[rows[0]]:
                tensors[at] = int(trace.nodes.step[rows[-1]])
        return np.array([*groups, *operations, *tensors], np.int64)

    def rows_in(self, drawn: Drawn) -> dict[int, list[int]]:
        """By closed group: the operations of the trace inside it, in order."""
        found: dict[int, list[int]] = {group: [] for group in self.groups}
        for node, group in self.hidden.items():
            if group in found:
                found[group] += drawn.rows.get(node, ())
        return {group: sorted(rows) for group, rows in found.items()}

    def heads(self) -> Iterator[tuple[int, int]]:
        """By item: every node that wires may lead to and that the item is or contains."""
        for group, item in self.groups.items():
            yield from ((node, item) for node, around in self.hidden.items() if around == group)
        yield from self.operations.items()

    def tail(self, ref: Ref) -> int:
        """The item at which a wire begins, -1 for none."""
        if ref.node in self.hidden:
            return self.groups.get(self.hidden[ref.node], -1)
        return self.cards.get(ref, -1)


def find_items(drawing: Drawing, drawn: Drawn) -> Items:
    """The part of a drawing that is in a trace."""
    hidden = {member: group.id for group in drawing.groups if group.closed for member in sorted(group.members)}
    ran = [node.id for node in drawing.nodes if node.id in drawn.rows and isinstance(node, Operation)]
    busy = {hidden[node] for node in ran if node in hidden}
    groups = {group.id: nth for nth, group in enumerate(each for each in drawing.groups if each.id in busy)}
    operations = {node: len(groups) + nth for nth, node in enumerate(node for node in ran if node not in hidden)}
    outputs = outputs_of(drawing)  # a trace of the previous drawing may have more
    there = (ref for ref in drawn.tensors if ref.node in drawing.by_id and ref.output < outputs[ref.node])
    refs = [ref for ref in there if ref.node not in hidden]
    refs.sort(key=lambda ref: (drawn.tensors[ref], ref.node))
    first = len(groups) + len(operations)
    return Items(groups, operations, {ref: first + nth for nth, ref in enumerate(refs)}, hidden)


def find_structure(drawing: Drawing, trace: Trace, drawn: Drawn, items: Items) -> tuple[Structure, Ints, Ints]:
    """A single graph that is always there, with the item that shows or contains each operation and tensor."""
    place = {**items.operations}
    place |= {node: items.groups[group] for node, group in items.hidden.items() if group in items.groups}
    item_of_node = np.full(len(trace.nodes), -1, np.int64)
    for row, node in drawn.node_of_row.items():
        item_of_node[row] = place.get(node, -1)
    inside = {tensor: place[node] for tensor, node in drawn.node_of_tensor.items() if node in place}
    item_of = inside | {drawn.tensors[ref]: item for ref, item in reversed(list(items.cards.items()))}
    tensors = np.array(sorted(item_of), np.int64)
    where = np.full(len(trace.tensors), -1, np.int64)
    where[tensors] = np.arange(len(tensors))
    structure = Structure(
        trace=trace, first=np.array([-1]), since=np.array([-1]), until=np.array([FOREVER]),
        graph_of_node=np.where(item_of_node >= 0, 0, -1),
        cards=np.column_stack((np.zeros(len(tensors), np.int64), tensors)),
        producer=trace.tensors.producer[tensors].astype(np.int64), card_of_use=where[trace.inputs.tensor],
        groups=_groups(drawing, trace, drawn, items), group_of_card=np.full(len(tensors), -1, np.int64),
        excerpt=Excerpt(np.zeros(1, np.int64), 0, FOREVER),
    )  # fmt: skip
    return structure, item_of_node, np.array([item_of[tensor] for tensor in tensors.tolist()], np.int64)


def _groups(drawing: Drawing, trace: Trace, drawn: Drawn, items: Items) -> Groups:
    """The closed groups of the drawing in the canvas's terms; open ones are only painted."""
    rows = items.rows_in(drawn)
    title = {group.id: group.title for group in drawing.groups}
    of_node = np.full(len(trace.nodes), -1, np.int64)
    for number, inside in enumerate(rows.values()):
        of_node[inside] = number
    count = len(rows)
    zeros = np.zeros(count, np.int64)
    return Groups(
        index=OWN - np.array(list(rows), np.int64), kind=zeros.astype(np.uint8), graph=zeros, parent=zeros - 1,
        depth=zeros, size=np.array([len(inside) for inside in rows.values()], np.int64),
        step=np.array([trace.nodes.step[inside[0]] for inside in rows.values()], np.int64),
        title=tuple(title[group] for group in rows), detail=("",) * count,
        key=tuple(str(group) for group in rows), of_node=of_node, loads=np.zeros(count, bool),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Sketch:
    """Both, with an index: the item of each operation, output and closed group, and the edge of each wire."""

    geometry: Geometry
    drawn: Drawn
    placed: Placed
    items: Items
    wires: Mapping[tuple[int, int], int]
    results: Mapping[Ref, int]  # the edge that leads to each output
    sizes: Sizes

    @property
    def diagram(self) -> Diagram:
        """The diagram being painted."""
        return self.placed.diagram

    @property
    def operations(self) -> Mapping[int, int]:
        """The item of each operation."""
        return self.items.operations

    @property
    def cards(self) -> Mapping[Ref, int]:
        """The item of each output."""
        return self.items.cards

    @property
    def groups(self) -> Mapping[int, int]:
        """The item of each closed group."""
        return self.items.groups


@dataclass(frozen=True, eq=False)
class _Edges:
    ends: list[tuple[int, int]]
    row: list[int]
    uses: list[list[int]]
    cubics: list[Cubic]
    wires: dict[tuple[int, int], int]
    results: dict[Ref, int]


def draw(
    drawing: Drawing, drawn: Drawn, trace: Trace, ink: Ink, before: Sizes | None = None, latest: Geometry | None = None
) -> Sketch:
    """The diagram of a trace of a drawing. `before` has sizes of what is not in this trace; `latest` has the positions
    in the previous drawing."""
    items = find_items(drawing, drawn)
    index = items.index(drawn)
    structure, item_of_node, item_of_card = find_structure(drawing, trace, drawn, items)
    look = measure(trace, structure.groups, ink, items.kind, index)
    sizes = Sizes(
        {**(before.cards if before is not None else {})}
        | {ref: (float(look.card[item, 0]), float(look.card[item, 1])) for ref, item in items.cards.items()}
    )
    geometry = Geometry(drawing, ink, sizes, latest)
    names = _widen(look, geometry, drawing, items.operations)
    edges = _edges(trace, drawn, geometry, items)
    none, count = np.empty(0, np.int64), len(items.kind)
    ends = np.array(edges.ends, np.int64).reshape(-1, 2)
    many = [len(uses) for uses in edges.uses]
    closed = items.kind == GROUP
    outward = index.copy()
    outward[closed] = structure.groups.index
    diagram = Diagram(
        structure=structure, drawing=Presentation(), kind=items.kind, index=outward, group=np.where(closed, index, -1),
        graph=np.zeros(count, np.int64), step=items.step(trace, drawn, index), category=look.category,
        size=look.size, card=look.card, edges=ends, row=np.array(edges.row, np.int64),
        uses=np.array([row for uses in edges.uses for row in uses], np.int64),
        use_start=np.concatenate(([0], np.cumsum(many))).astype(np.int64), port=np.zeros(ends.shape),
        names=names, badge=look.badge, frames=none, frame_parent=none, frame_of=np.full(count, -1, np.int64),
        item_of_node=item_of_node, item_of_card=item_of_card,
    )  # fmt: skip
    placed = _placed(diagram, geometry, items, edges.cubics)
    return Sketch(geometry, drawn, placed, items, edges.wires, edges.results, sizes)


def again(shown: Sketch, drawing: Drawing, drawn: Drawn, trace: Trace) -> Sketch:
    """The same diagram with the values of another trace that has the same rows."""
    diagram = shown.diagram
    structure = replace(diagram.structure, trace=trace)
    placed = replace(shown.placed, diagram=replace(diagram, structure=structure))
    return replace(shown, geometry=shown.geometry.of(drawing), drawn=drawn, placed=placed)


def elsewhere(shown: Sketch, drawing: Drawing, ink: Ink) -> Sketch:
    """The same diagram for a drawing that differs only in positions."""
    geometry = Geometry(drawing, ink, shown.sizes, shown.geometry)
    at = {edge: geometry.cubics[wire] for wire, edge in shown.wires.items()}
    at |= {edge: result_curve(geometry, ref) for ref, edge in shown.results.items()}
    placed = _placed(shown.diagram, geometry, shown.items, [at[edge] for edge in range(len(at))])
    return replace(shown, geometry=geometry, placed=placed)


def _widen(look: Look, geometry: Geometry, drawing: Drawing, operations: Mapping[int, int]) -> list[str]:
    """Make circles as wide as the symbol in the drawing needs, whatever the trace calls the last part of a node;
    returns the names of the items, which are these symbols for operations."""
    names = list(look.names)
    for node, item in operations.items():
        operation = drawing.by_id[node]
        assert isinstance(operation, Operation)
        width = geometry.circles[node].width()
        look.size[item, 0] = max(look.size[item, 0], width + 6)
        look.card[item, 0] = width
        names[item] = symbol_of(operation)
    return names


def _edges(trace: Trace, drawn: Drawn, geometry: Geometry, items: Items) -> _Edges:
    """The wires that ran, and those from each operation to its results, by the item at their end."""
    begin = np.searchsorted(trace.inputs.node, np.arange(len(trace.nodes) + 1)).tolist()
    tensors = trace.inputs.tensor.tolist()
    edges = _Edges([], [], [], [], {}, {})
    for node, head in items.heads():
        operation = geometry.drawing.by_id[node]
        if not isinstance(operation, Operation):
            continue
        rows: dict[int, list[int]] = {}  # by tensor
        for part in drawn.rows.get(node, ()):
            for row in range(begin[part], begin[part + 1]):
                rows.setdefault(tensors[row], []).append(row)
        many, before = Counter(operation.inputs), Counter[Operand]()
        for port, ref in enumerate(operation.inputs):
            nth = before[ref]
            before[ref] += 1
            tail = items.tail(ref) if isinstance(ref, Ref) and (node, port) in geometry.cubics else -1
            if tail < 0 or not isinstance(ref, Ref) or ref not in drawn.tensors:
                continue
            same = rows.get(drawn.tensors[ref], [])
            uses = same[nth : nth + 1] if nth < many[ref] - 1 else same[nth:]
            if uses:
                edges.wires[node, port] = len(edges.ends)
                _add(edges, (tail, head), uses, geometry.cubics[node, port])
    for ref, item in items.cards.items():
        if ref.node in items.operations:
            edges.results[ref] = len(edges.ends)
            _add(edges, (items.operations[ref.node], item), [], result_curve(geometry, ref))
    return edges


def _add(edges: _Edges, ends: tuple[int, int], uses: list[int], cubic: Cubic) -> None:
    edges.ends.append(ends)
    edges.row.append(uses[0] if uses else -1)
    edges.uses.append(uses)
    edges.cubics.append(cubic)


def _placed(diagram: Diagram, geometry: Geometry, items: Items, edges: list[Cubic]) -> Placed:
    corner = np.empty((len(diagram), 2))
    for group, item in items.groups.items():
        corner[item] = geometry.boxes[group].left(), geometry.boxes[group].top()
    for node, item in items.operations.items():
        centre = geometry.circles[node].center()
        corner[item] = centre.x() - diagram.size[item, 0] / 2, centre.y() - diagram.size[item, 1] / 2
    for ref, item in items.cards.items():
        corner[item] = geometry.cards[ref].left(), geometry.cards[ref].top()
    cubics = np.array([[(p.x(), p.y()) for p in cubic] for cubic in edges]).reshape(-1, 4, 2)
    return placed_at(diagram, corner, np.empty((0, 4)), cubics, np.arange(len(cubics)))
