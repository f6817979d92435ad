"""A trace as things to draw. `Diagram` holds the visible cards, operations and closed groups, and the edges between
them, in NumPy arrays, without positions (`placed` adds them) and without a cursor (`moment` says what is visible when).
The contents of closed groups appear only in the arrays that map each operation and tensor to its item. The user's
choice decides which groups are open; everywhere else as much is open as can be read: small graphs completely, larger
ones from the outside inwards until there would be too many boxes.

Note [References] A leaf that many operations use (the weight of a recurrence) is drawn once, at its first use; every
further use gets a small tag with its name. Long edges in all directions are unreadable, and they are what makes layered
layouts slow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.session.folding import Folding, Presentation
from gradviz.trace.table.regions import RegionKind
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.groups import NUMBERED, Flags, Groups, Ints
from gradviz.ui.canvas.sizes import (
    CONSTANT,
    FOLDED,
    GROUP,
    INTERMEDIATE,
    LEAF,
    OP,
    OPERATION,
    OUTPUT,
    PLAIN_OP,
    REFERENCE,
    TENSOR,
    card_name,
    frame_header,
    measure,
    meta_text,
    operation_text,
)
from gradviz.ui.canvas.structure import Structure, find_links, find_structure

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.structure import Excerpt, Links


# -- which groups are open

OPEN_THROUGHOUT = 120  # items of a graph that needs no folding
OPEN_LOOPS = 100  # items of a graph that shows every iteration of its loops
MOST_BOXES = 130
FEW = 6  # items of a small group
LONG_LOOP = 8  # iterations
OPEN_INSIDE = 40  # items of a group inside a closed one that is open once its turn comes


def open_groups(structure: Structure, folding: Folding, at_first: Flags | None = None) -> Flags:
    """By group: whether it is open (possibly inside one that is not); `at_first` decides where the user has not."""
    groups = structure.groups
    if folding.level is None:
        found = readable(structure) if at_first is None else at_first.copy()
    else:
        found = groups.depth < folding.level
    for keys, is_open in ((folding.opened, True), (folding.closed, False)):
        for key in keys:
            found[groups.number_of.get(key, [])] = is_open
    return found


def readable(structure: Structure) -> Flags:
    """By group: whether it is open if there are to be no more boxes than can be read."""
    groups = structure.groups
    if not len(groups):
        return np.zeros(0, bool)
    inner = structure.items_in + np.bincount(groups.parent[groups.parent >= 0], minlength=len(groups))
    total = _totals(groups, structure.items_in)
    of_graph = np.bincount(structure.cards[:, 0], minlength=len(structure.first))
    drawn = structure.graph_of_node[structure.graph_of_node >= 0]
    of_graph = of_graph + np.bincount(drawn, minlength=len(structure.first))
    long = _long_loops(groups)
    turns = np.append(long, False)[groups.parent] & (groups.kind == RegionKind.ITERATION)
    folded = (long | turns) & (of_graph[groups.graph] > OPEN_LOOPS) | groups.loads
    found: Flags = ~folded & ((total <= OPEN_INSIDE) | (of_graph[groups.graph] <= OPEN_THROUGHOUT))
    for graph in np.unique(groups.graph[of_graph[groups.graph] > OPEN_THROUGHOUT]).tolist():
        top = (groups.graph == graph) & (groups.parent < 0)
        outside = int(of_graph[graph] - total[top].sum() + top.sum())
        _open_from_outside(groups, graph, found, inner, total, folded, outside)
    return found


def _totals(groups: Groups, items: Ints) -> Ints:
    """By group: the items inside it, at any depth."""
    total = items.copy()
    for level in groups.levels[:0:-1]:
        np.add.at(total, groups.parent[level], total[level])
    return total


def _long_loops(groups: Groups) -> Flags:
    """Loops with many iterations, unless each iteration is the call of a module, which is recognizable by its name."""
    plain = [" = " in title or title.startswith(NUMBERED) for title in groups.title]
    iteration = (groups.kind == RegionKind.ITERATION) & (groups.parent >= 0) & np.array(plain, bool)
    many = np.bincount(groups.parent[iteration], minlength=len(groups)) > LONG_LOOP
    found: Flags = many & (groups.kind == RegionKind.LOOP)
    return found


def _open_from_outside(
    groups: Groups, graph: int, found: Flags, inner: Ints, total: Ints, folded: Flags, boxes: int
) -> None:
    """Open the groups of a large graph level by level while there is room: the whole level if it fits, otherwise its
    small groups."""
    inside = np.zeros(len(groups), bool)  # in the groups that are open so far
    for nth, level in enumerate(groups.levels):
        rows = np.flatnonzero(groups.graph[level] == graph) + level.start
        if nth:
            rows = rows[inside[groups.parent[rows]]]
        found[rows] = False
        rows = rows[~folded[rows]]
        if boxes + (inner[rows] - 1).sum() > MOST_BOXES:
            rows = rows[inner[rows] <= FEW]
        gain = int((inner[rows] - 1).sum())
        if boxes + gain <= MOST_BOXES:
            boxes += gain
            found[rows] = inside[rows] = True


Floats = NDArray[np.float64]
__all__ = [
    "CONSTANT", "FOLDED", "GROUP", "INTERMEDIATE", "LEAF", "OP", "OPERATION", "OUTPUT", "PLAIN_OP", "REFERENCE",
    "TENSOR", "Diagram", "Flags", "Floats", "Ints", "build", "card_name", "diagram_of", "meta_text", "operation_text",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Diagram:
    """Items sorted by graph and step. An edge stands for the rows `uses[use_start[e]:use_start[e + 1]]` of
    `trace.inputs`; `row` is the first of them, or -1 from an operation to its result."""

    structure: Structure
    drawing: Presentation
    kind: NDArray[np.uint8]
    index: Ints  # tensor, node or group: for a group its row of trace.regions, or -2 - c, see `groups`
    group: Ints  # the number of a closed group, -1 for other items
    graph: Ints
    step: Ints  # visible when step < cursor
    category: NDArray[np.uint8]
    size: Floats
    card: Floats  # (n, 2): the card without its badge, or the circle without its labels
    edges: Ints
    row: Ints
    uses: Ints
    use_start: Ints
    port: Floats
    names: list[str]  # by item; set only for operations whose name differs from the trace's
    badge: Flags  # more than one gradient may arrive here
    frames: Ints  # the numbers of the open groups, outer ones first
    frame_parent: Ints  # by frame, -1: none
    frame_of: Ints  # by item: the innermost frame around it, -1: none
    item_of_node: Ints  # the item that shows or contains an operation, -1 if it is not drawn
    item_of_card: Ints  # the same for the cards of `structure`

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def trace(self) -> Trace:
        """The trace being drawn."""
        return self.structure.trace

    @property
    def first(self) -> Ints:
        """By graph: the step at which it begins."""
        return self.structure.first

    @property
    def until(self) -> Ints:
        """By graph: the step at which another graph takes its place."""
        return self.structure.until

    @cached_property
    def bounds(self) -> Ints:
        """The items of graph g are bounds[g] to bounds[g + 1]."""
        return np.searchsorted(self.graph, np.arange(len(self.first) + 1))

    @cached_property
    def edge_bounds(self) -> Ints:
        """Edges of graph g, likewise."""
        return np.searchsorted(self.graph[self.edges[:, 1]], np.arange(len(self.first) + 1))

    @cached_property
    def frame_graph(self) -> Ints:
        """The graph of each frame."""
        return self.structure.groups.graph[self.frames]

    @cached_property
    def frame_step(self) -> Ints:
        """A frame is visible when its step is before the cursor."""
        return self.structure.group_step[self.frames]

    @cached_property
    def operations_in(self) -> Ints:
        """By item: how many operations that can run backward it stands for."""
        tracked = np.flatnonzero((self.item_of_node >= 0) & (self.trace.nodes.sequence_nr >= 0))
        return np.bincount(self.item_of_node[tracked], minlength=len(self))

    @cached_property
    def last_node(self) -> Ints:
        """By item: the last operation that it shows or contains, -1 for none."""
        last = np.full(len(self) + 1, -1, np.int64)
        last[self.item_of_node] = np.arange(len(self.item_of_node))
        return last[:-1]

    @cached_property
    def parameters_in(self) -> Ints:
        """By item: how many elements there are in the parameters that it, or its contents, use."""
        inputs, tensors = self.trace.inputs, self.trace.tensors
        uses = np.flatnonzero(tensors.is_parameter[inputs.tensor] & (self.item_of_node[inputs.node] >= 0))
        tensor = inputs.tensor[uses].astype(np.int64)
        pairs = np.unique(np.column_stack((self.item_of_node[inputs.node[uses]], tensor)), axis=0)
        one, which = np.unique(pairs[:, 1], return_inverse=True)
        numel = np.array([math.prod(tensors.shape[tensor]) for tensor in one.tolist()], np.int64)
        return np.bincount(pairs[:, 0], numel[which], len(self)).astype(np.int64)

    @cached_property
    def not_finite(self) -> Ints:
        """Results that contain NaN, and results with infinities that leave the item that made them (a mask inside may
        well contain some), in the order in which they were made."""
        tensors, inputs = self.trace.tensors, self.trace.inputs
        made = np.flatnonzero((tensors.producer >= 0) & (tensors.value >= 0))
        norm = self.trace.values.norm[tensors.value[made]].astype(np.float64)
        leaves = np.zeros(len(tensors), bool)
        maker = tensors.producer[inputs.tensor]
        leaves[inputs.tensor[(maker >= 0) & (self.item_of_node[maker] != self.item_of_node[inputs.node])]] = True
        return made[np.isnan(norm) | (np.isinf(norm) & leaves[made])]

    @cached_property
    def _edges_by_head(self) -> Ints:
        return np.searchsorted(self.edges[:, 1], np.arange(len(self) + 1))

    def rows_into(self, item: int) -> Ints:
        """The rows of `trace.inputs` through which an item reads from outside."""
        low, high = self._edges_by_head[item], self._edges_by_head[item + 1]
        return self.uses[self.use_start[low] : self.use_start[high]]

    @cached_property
    def _cards_by_tensor(self) -> tuple[Ints, Ints]:
        tensor = self.structure.cards[:, 1]
        order = np.argsort(tensor, kind="stable")
        return tensor[order], self.item_of_card[order]

    def shown(self, cursor: int) -> Flags:
        """Which graphs are shown; before the first tensor, the graph that it will begin."""
        since = self.structure.since
        shown = (since < cursor) & (self.until >= cursor)
        coming = np.flatnonzero(since >= cursor)
        if not shown.any() and len(coming):
            shown[coming[np.argmin(since[coming])]] = True
        return shown

    def items_of_tensor(self, tensor: int) -> Ints:
        """Every card and tag of a tensor, in all graphs."""
        return np.flatnonzero((self.index == tensor) & ((self.kind == TENSOR) | (self.kind == REFERENCE)))

    def items_around_tensor(self, tensor: int) -> Ints:
        """For each graph, the item that shows a tensor or the closed group that contains it."""
        tensors, items = self._cards_by_tensor
        low, high = np.searchsorted(tensors, [tensor, tensor + 1])
        found: Ints = items[low:high]
        return found

    def items_of_group(self, index: int) -> Ints:
        """The closed groups with this index, in all graphs."""
        return np.flatnonzero((self.index == index) & (self.kind == GROUP))

    def frames_of_group(self, index: int) -> Ints:
        """The frames of open groups with this index, in all graphs."""
        return np.flatnonzero(self.structure.groups.index[self.frames] == index)

    def frames_in(self, graph: int) -> Ints:
        """The frames of one graph, outer ones first."""
        order, bounds, _ = self.frames_by_graph
        return order[bounds[graph] : bounds[graph + 1]]

    @cached_property
    def frames_by_graph(self) -> tuple[Ints, Ints, Ints]:
        """The frames, graph after graph; where each graph begins among them; and by frame, which of those of its graph
        it is, with a -1 at the end for "no frame"."""
        order = np.argsort(self.frame_graph, kind="stable")
        bounds = np.searchsorted(self.frame_graph[order], np.arange(len(self.first) + 1))
        local = np.full(len(order) + 1, -1, np.int64)
        local[order] = np.arange(len(order)) - bounds[self.frame_graph[order]]
        return order, bounds, local

    def arrays_of(self, graph: int, ruler: sizes.Measure) -> tuple[Floats, Ints, Floats, Ints, Ints, Floats]:
        """One graph in the form the layout needs: the arrays of a `NestedInput`."""
        start, end = self.bounds[graph], self.bounds[graph + 1]
        first, last = self.edge_bounds[graph], self.edge_bounds[graph + 1]
        frames, local = self.frames_in(graph), self.frames_by_graph[2]
        groups = self.structure.groups
        titles = [(groups.title[group], groups.detail[group]) for group in self.frames[frames].tolist()]
        header = np.array([frame_header(ruler, *words) for words in titles]).reshape(-1, 2)
        return (
            self.size[start:end], self.edges[first:last] - start, self.port[first:last],
            local[self.frame_of[start:end]], local[self.frame_parent[frames]], header,
        )  # fmt: skip


def build(
    trace: Trace, ruler: sizes.Measure, drawing: Presentation | None = None, excerpt: Excerpt | None = None
) -> Diagram:
    """The diagram of a trace, or of an excerpt of it."""
    return diagram_of(find_structure(trace, excerpt), ruler, drawing or Presentation())


def diagram_of(
    structure: Structure, ruler: sizes.Measure, drawing: Presentation, at_first: Flags | None = None
) -> Diagram:
    """The visible part of a structure under this folding; `at_first` lists the groups that are open where the folding
    does not decide."""
    trace, groups = structure.trace, structure.groups
    links = find_links(structure, open_groups(structure, drawing.folding, at_first), drawing)
    kind, index = links.kind, links.index
    look = measure(trace, groups, ruler, kind, index, vertical=drawing.vertical)
    closed = kind == GROUP
    outward = index.copy()
    outward[closed] = groups.index[index[closed]]
    return Diagram(
        structure=structure, drawing=drawing, kind=kind, index=outward, group=np.where(closed, index, -1),
        graph=links.graph, step=links.step, category=look.category, size=look.size, card=look.card,
        edges=links.edges, row=links.row, uses=links.uses, use_start=links.use_start,
        port=find_ports(trace, links, look.size, look.card, vertical=drawing.vertical),
        names=look.names, badge=look.badge,
        frames=links.frames, frame_parent=links.frame_parent, frame_of=links.frame_of,
        item_of_node=links.item_of_node, item_of_card=links.item_of_card,
    )  # fmt: skip


GROUP_SPREAD = 0.7  # of the side of a closed group along which edges end
GROUP_PITCH = 16.0


def find_ports(trace: Trace, links: Links, size: Floats, card: Floats, *, vertical: bool) -> Floats:
    """For each edge, where it leaves and where it arrives."""
    port = np.zeros(links.edges.shape)
    if not vertical:
        port = ((card - size)[:, 1] / 2)[links.edges]
    at_operation = links.kind[links.edges] == OPERATION
    port[at_operation] = 0.0
    argument = at_operation[:, 1] & (links.row >= 0)
    count = np.bincount(trace.inputs.node, minlength=len(trace.nodes))
    uses = links.row[argument]
    counts = count[trace.inputs.node[uses]]
    pitch = np.minimum(sizes.PORT_PITCH, sizes.PORT_SPREAD / np.maximum(counts - 1, 1))
    port[argument, 1] = (trace.inputs.slot[uses] - (counts - 1) / 2) * pitch
    room = GROUP_SPREAD * size[:, 0 if vertical else 1]
    tensor = np.where(links.row >= 0, np.append(trace.inputs.tensor, -1)[links.row], links.index[links.edges[:, 1]])
    for end in (0, 1):
        rows = np.flatnonzero(links.kind[links.edges[:, end]] == GROUP)
        port[rows, end] = _spread(links.edges[rows, end], tensor[rows], room)
    return port


def _spread(group: Ints, thing: Ints, room: Floats) -> Floats:
    """Spread the ends along the side of each group, one place per thing, in order of creation."""
    pairs, inverse = np.unique(np.column_stack((group, thing)), axis=0, return_inverse=True)
    first = np.searchsorted(pairs[:, 0], pairs[:, 0])
    many = np.bincount(pairs[:, 0], minlength=len(room))[pairs[:, 0]]
    pitch = np.minimum(GROUP_PITCH, room[pairs[:, 0]] / np.maximum(many - 1, 1))
    place: Floats = (np.arange(len(pairs)) - first - (many - 1) / 2) * pitch
    return place[inverse.reshape(-1)]
