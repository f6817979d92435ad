"""Which items there are of a drawing that ran: closed groups, operations, cards; and the `Structure` in which the
canvas looks up what is in which. No sizes and no places: `diagram` has these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.session.drawn import Drawn
from gradviz.ui.canvas.groups import Groups
from gradviz.ui.canvas.measure import GROUP, OPERATION, TENSOR
from gradviz.ui.canvas.structure import Structure

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

FOREVER = np.iinfo(np.int64).max
OWN = -1_000_000  # the index of a group of the drawing: no region of a trace, and no call
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Items:
    """Closed groups with something that ran in them come first, then operations, then cards."""

    groups: Mapping[int, int]
    operations: Mapping[int, int]
    cards: Mapping[Ref, int]
    hidden: Mapping[int, int]  # the closed group that a node is in

    @property
    def kind(self) -> NDArray[np.uint8]:
        """As in `Diagram`."""
        counts = [len(self.groups), len(self.operations), len(self.cards)]
        return np.repeat(np.array([GROUP, OPERATION, TENSOR], np.uint8), counts)

    def index(self, drawn: Drawn) -> Ints:
        """The number of the group, the row of the operation or of the tensor."""
        rows = [drawn.rows[node][-1] for node in self.operations]
        return np.array([*range(len(self.groups)), *rows, *(drawn.tensors[ref] for ref in self.cards)], np.int64)

    def step(self, trace: Trace, drawn: Drawn, index: Ints) -> Ints:
        """When each is first seen: an operation of several from the first of them on."""
        groups = [min(trace.nodes.step[row] for row in rows) for rows in self.rows_in(drawn).values()]
        operations = [int(trace.nodes.step[drawn.rows[node][0]]) for node in self.operations]
        tensors = trace.tensors.step[index[len(groups) + len(operations) :]].tolist()
        return np.array([*groups, *operations, *tensors], np.int64)

    def rows_in(self, drawn: Drawn) -> dict[int, list[int]]:
        """By closed group: the operations of the trace in it, in their order."""
        found: dict[int, list[int]] = {group: [] for group in self.groups}
        for node, group in self.hidden.items():
            if group in found:
                found[group] += drawn.rows.get(node, ())
        return {group: sorted(rows) for group, rows in found.items()}

    def heads(self) -> Iterator[tuple[int, int]]:
        """Every node that wires may lead to, and the item that it is or is in, by item."""
        for group, item in self.groups.items():
            yield from ((node, item) for node, around in self.hidden.items() if around == group)
        yield from self.operations.items()

    def tail(self, ref: Ref) -> int:
        """The item at which a wire begins, -1 for none."""
        if ref.node in self.hidden:
            return self.groups.get(self.hidden[ref.node], -1)
        return self.cards.get(ref, -1)


def find_items(drawing: Drawing, drawn: Drawn) -> Items:
    """What of a drawing is in a trace."""
    hidden = {member: group.id for group in drawing.groups if group.closed for member in sorted(group.members)}
    ran = [node.id for node in drawing.nodes if node.id in drawn.rows and isinstance(node, Operation)]
    busy = {hidden[node] for node in ran if node in hidden}
    groups = {group.id: nth for nth, group in enumerate(each for each in drawing.groups if each.id in busy)}
    operations = {node: len(groups) + nth for nth, node in enumerate(node for node in ran if node not in hidden)}
    refs = [ref for ref in drawn.tensors if ref.node in drawing.by_id and ref.node not in hidden]
    refs.sort(key=lambda ref: (drawn.tensors[ref], ref.node))
    first = len(groups) + len(operations)
    return Items(groups, operations, {ref: first + nth for nth, ref in enumerate(refs)}, hidden)


def find_structure(drawing: Drawing, trace: Trace, drawn: Drawn, items: Items) -> tuple[Structure, Ints, Ints]:
    """One graph that is always there; and the item that each operation and each tensor is or is in."""
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
        trace=trace, first=np.array([-1]), until=np.array([FOREVER]),
        graph_of_node=np.where(item_of_node >= 0, 0, -1),
        cards=np.column_stack((np.zeros(len(tensors), np.int64), tensors)),
        producer=trace.tensors.producer[tensors].astype(np.int64), card_of_use=where[trace.inputs.tensor],
        groups=_groups(drawing, trace, drawn, items), group_of_card=np.full(len(tensors), -1, np.int64),
    )  # fmt: skip
    return structure, item_of_node, np.array([item_of[tensor] for tensor in tensors.tolist()], np.int64)


def _groups(drawing: Drawing, trace: Trace, drawn: Drawn, items: Items) -> Groups:
    """The closed groups of the drawing as the canvas knows groups; open ones are only painted."""
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
        key=tuple(str(group) for group in rows), of_node=of_node,
    )  # fmt: skip
