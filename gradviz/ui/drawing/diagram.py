"""A drawing as a `Diagram` and a `Placed`, so that the ordinary canvas paints it: what the trace has of its nodes is
items, and all places are the drawing's. Nothing is laid out. One node is one operation, however many of the trace it
is; what is made inside of it is in it. What has not run is not in here, `painting` paints it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.session.drawn import Drawn
from gradviz.session.folding import Presentation
from gradviz.ui.canvas.diagram import Diagram, Ints
from gradviz.ui.canvas.groups import Groups
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.measure import OPERATION, TENSOR, measure
from gradviz.ui.canvas.placed import Placed, placed_at
from gradviz.ui.canvas.structure import Structure
from gradviz.ui.drawing.geometry import Cubic, Geometry, result_curve
from gradviz.ui.drawing.shapes import Sizes, symbol_of

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.measure import Look

FOREVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Sketch:
    """The two, with what is where: the item of each operation and of each output, and the edge of each wire."""

    geometry: Geometry
    drawn: Drawn
    placed: Placed
    operations: Mapping[int, int]
    cards: Mapping[Ref, int]
    wires: Mapping[tuple[int, int], int]
    sizes: Sizes

    @property
    def diagram(self) -> Diagram:
        """What is painted."""
        return self.placed.diagram


@dataclass(frozen=True, eq=False)
class _Edges:
    ends: list[tuple[int, int]]
    row: list[int]
    uses: list[list[int]]
    cubics: list[Cubic]
    wires: dict[tuple[int, int], int]


def draw(drawing: Drawing, drawn: Drawn, trace: Trace, ink: Ink, before: Sizes | None = None) -> Sketch:
    """The diagram of what a trace has of a drawing; `before`: sizes of what is not in this trace."""
    hidden = {member for group in drawing.groups if group.closed for member in group.members}
    nodes = [node.id for node in drawing.nodes if node.id in drawn.rows and node.id not in hidden]
    refs = [ref for ref in drawn.tensors if ref.node in drawing.by_id and ref.node not in hidden]
    refs.sort(key=lambda ref: (drawn.tensors[ref], ref.node))
    kind = np.repeat(np.array([OPERATION, TENSOR], np.uint8), [len(nodes), len(refs)])
    index = np.array([*(drawn.rows[node][-1] for node in nodes), *(drawn.tensors[ref] for ref in refs)], np.int64)
    structure, item_of_node, item_of_card = _structure(trace, drawn, nodes, refs)
    look = measure(trace, structure.groups, ink, kind, index)
    sizes = Sizes(
        {**(before.cards if before is not None else {})}
        | {ref: _pair(look.card[len(nodes) + nth]) for nth, ref in enumerate(refs)}
    )
    geometry = Geometry(drawing, ink, sizes)
    operations = {node: item for item, node in enumerate(nodes)}
    cards = {ref: len(nodes) + nth for nth, ref in enumerate(refs)}
    names = _widen(look, geometry, drawing, operations)
    edges = _edges(trace, drawn, geometry, operations, cards)
    first_row = [drawn.rows[node][0] for node in nodes]
    step = np.concatenate((trace.nodes.step[first_row], trace.tensors.step[index[len(nodes) :]])).astype(np.int64)
    none = np.empty(0, np.int64)
    ends = np.array(edges.ends, np.int64).reshape(-1, 2)
    many = [len(uses) for uses in edges.uses]
    diagram = Diagram(
        structure=structure, drawing=Presentation(), kind=kind, index=index, group=np.full(len(kind), -1, np.int64),
        graph=np.zeros(len(kind), np.int64), step=step, category=look.category, size=look.size, card=look.card,
        edges=ends, row=np.array(edges.row, np.int64),
        uses=np.array([row for uses in edges.uses for row in uses], np.int64),
        use_start=np.concatenate(([0], np.cumsum(many))).astype(np.int64), port=np.zeros(ends.shape),
        names=names, badge=look.badge, frames=none, frame_parent=none, frame_of=np.full(len(kind), -1, np.int64),
        item_of_node=item_of_node, item_of_card=item_of_card,
    )  # fmt: skip
    return Sketch(
        geometry, drawn, _placed(diagram, geometry, nodes, refs, edges), operations, cards, edges.wires, sizes
    )


def again(shown: Sketch, drawing: Drawing, drawn: Drawn, trace: Trace) -> Sketch:
    """The same diagram with the values of another trace, which has the same rows."""
    diagram = shown.diagram
    structure = replace(diagram.structure, trace=trace)
    placed = replace(shown.placed, diagram=replace(diagram, structure=structure))
    return replace(shown, geometry=shown.geometry.of(drawing), drawn=drawn, placed=placed)


def _structure(trace: Trace, drawn: Drawn, nodes: list[int], refs: list[Ref]) -> tuple[Structure, Ints, Ints]:
    """One graph that is always there, without groups; and the item that each operation and each tensor is or is in."""
    place = {node: item for item, node in enumerate(nodes)}
    item_of_node = np.full(len(trace.nodes) + 1, -1, np.int64)
    for row, node in drawn.node_of_row.items():
        item_of_node[row] = place.get(node, -1)
    own = {drawn.tensors[ref]: len(nodes) + nth for nth, ref in reversed(list(enumerate(refs)))}
    inside = {tensor: place[node] for tensor, node in drawn.node_of_tensor.items() if node in place}
    item_of = inside | own
    tensors = np.array(sorted(item_of), np.int64)
    item_of_card = np.array([item_of[tensor] for tensor in tensors.tolist()], np.int64)
    none = np.empty(0, np.int64)
    groups = Groups(
        index=none, kind=none.astype(np.uint8), graph=none, parent=none, depth=none, size=none, step=none,
        title=(), detail=(), key=(), of_node=np.full(len(trace.nodes), -1, np.int64),
    )  # fmt: skip
    where = np.full(len(trace.tensors), -1, np.int64)
    where[tensors] = np.arange(len(tensors))
    structure = Structure(
        trace=trace, first=np.array([-1]), until=np.array([FOREVER]),
        graph_of_node=np.where(item_of_node[:-1] >= 0, 0, -1),
        cards=np.column_stack((np.zeros(len(tensors), np.int64), tensors)),
        producer=trace.tensors.producer[tensors].astype(np.int64), card_of_use=where[trace.inputs.tensor],
        groups=groups, group_of_card=np.full(len(tensors), -1, np.int64),
    )  # fmt: skip
    return structure, item_of_node[:-1], item_of_card


def _widen(look: Look, geometry: Geometry, drawing: Drawing, operations: Mapping[int, int]) -> list[str]:
    """Circles are as wide as the symbol in the drawing needs, whatever the trace calls the last part of a node; returns
    the names of the items, those of operations being these symbols."""
    names = list(look.names)
    for node, item in operations.items():
        operation = drawing.by_id[node]
        assert isinstance(operation, Operation)
        width = geometry.circles[node].width()
        look.size[item, 0] = max(look.size[item, 0], width + 6)
        look.card[item, 0] = width
        names[item] = symbol_of(operation)
    return names


def _edges(
    trace: Trace, drawn: Drawn, geometry: Geometry, operations: Mapping[int, int], cards: Mapping[Ref, int]
) -> _Edges:
    """The wires that ran, and from each operation to its results, by the item at their end."""
    begin = np.searchsorted(trace.inputs.node, np.arange(len(trace.nodes) + 1)).tolist()
    tensors = trace.inputs.tensor.tolist()
    edges = _Edges([], [], [], [], {})
    for node, item in operations.items():
        operation = geometry.drawing.by_id[node]
        assert isinstance(operation, Operation)
        rows = [row for part in drawn.rows[node] for row in range(begin[part], begin[part + 1])]
        ports = [ref for ref in operation.inputs if isinstance(ref, Ref)]
        for port, ref in enumerate(operation.inputs):
            if not isinstance(ref, Ref) or ref not in cards or (node, port) not in geometry.cubics:
                continue
            same = [row for row in rows if tensors[row] == drawn.tensors[ref]]
            nth, many = sum(1 for each in operation.inputs[:port] if each == ref), ports.count(ref)
            uses = same[nth : nth + 1] if nth < many - 1 else same[nth:]
            if uses:
                edges.wires[node, port] = len(edges.ends)
                _add(edges, (cards[ref], item), uses, geometry.cubics[node, port])
    for ref, item in cards.items():
        if ref.node in operations:
            _add(edges, (operations[ref.node], item), [], result_curve(geometry, ref))
    return edges


def _add(edges: _Edges, ends: tuple[int, int], uses: list[int], cubic: Cubic) -> None:
    edges.ends.append(ends)
    edges.row.append(uses[0] if uses else -1)
    edges.uses.append(uses)
    edges.cubics.append(cubic)


def _placed(diagram: Diagram, geometry: Geometry, nodes: list[int], refs: list[Ref], edges: _Edges) -> Placed:
    corner = np.empty((len(diagram), 2))
    for item, node in enumerate(nodes):
        centre = geometry.circles[node].center()
        corner[item] = centre.x() - diagram.size[item, 0] / 2, centre.y() - diagram.size[item, 1] / 2
    for item, ref in enumerate(refs, len(nodes)):
        card = geometry.cards[ref]
        corner[item] = card.left(), card.top()
    cubics = np.array([[(p.x(), p.y()) for p in cubic] for cubic in edges.cubics]).reshape(-1, 4, 2)
    return placed_at(diagram, corner, np.empty((0, 4)), cubics, np.arange(len(cubics)))


def _pair(size: Ints) -> tuple[float, float]:
    return float(size[0]), float(size[1])
