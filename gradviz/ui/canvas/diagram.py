"""A trace as things to draw: `Diagram` holds all cards, operations and edges of all graphs of a trace in NumPy arrays,
without positions (`placed` adds them) and without a cursor (`moment` says what of it is seen when).

Note [References]
A leaf that many operations use (the weight of a recurrence) is drawn once, at its first use; every further use gets a
small tag with its name. Long edges to everywhere are unreadable, and they are what makes layered layouts slow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.records import LayoutInput
from gradviz.ui.canvas import sizes

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

TENSOR, OPERATION, REFERENCE = 0, 1, 2
LEAF, CONSTANT, INTERMEDIATE, OUTPUT, OP, PLAIN_OP = range(6)
MOST_DIRECT_USES = 8
MODULES = re.compile(r"\b(?:torch\.nn\.functional|torch|self|nn|F)\.(?=[\w.]+\()")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Diagram:
    """Items sorted by graph and step. `row` of an edge is the row of `trace.inputs`, or -1 from operation to result."""

    trace: Trace
    kind: NDArray[np.uint8]
    index: Ints  # tensor or node
    graph: Ints
    step: Ints  # seen when step < cursor
    category: NDArray[np.uint8]
    size: Floats
    card: Floats  # (n, 2) of the card without its badge, or of the circle without its labels
    edges: Ints
    row: Ints
    port: Floats
    names: list[str]  # for tensors and references, by item
    badge: Flags  # more than one gradient may arrive here
    first: Ints  # by graph: the step that begins it
    until: Ints  # and the step at which another takes its place

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def item_of_node(self) -> Ints:
        """By node, -1 where it is not drawn."""
        result = np.full(len(self.trace.nodes), -1, np.int64)
        ops = np.flatnonzero(self.kind == OPERATION)
        result[self.index[ops]] = ops
        return result

    @cached_property
    def bounds(self) -> Ints:
        """Items of graph g: bounds[g] up to bounds[g + 1]."""
        return np.searchsorted(self.graph, np.arange(len(self.first) + 1))

    @cached_property
    def edge_bounds(self) -> Ints:
        """Edges of graph g, likewise."""
        return np.searchsorted(self.graph[self.edges[:, 1]], np.arange(len(self.first) + 1))

    def shown(self, cursor: int) -> Flags:
        """Which graphs are shown: before the first operation, the graph that it will begin."""
        shown = (self.first < cursor) & (self.until >= cursor)
        coming = np.flatnonzero(self.first >= cursor)
        if not shown.any() and len(coming):
            shown[coming[0]] = True
        return shown

    def items_of_tensor(self, tensor: int) -> Ints:
        """Every card and tag of a tensor, in all graphs."""
        return np.flatnonzero((self.index == tensor) & (self.kind != OPERATION))

    def layout_input(self, graph: int) -> LayoutInput:
        """One graph as the layout wants it."""
        start, end = self.bounds[graph], self.bounds[graph + 1]
        first, last = self.edge_bounds[graph], self.edge_bounds[graph + 1]
        return LayoutInput(self.size[start:end], self.edges[first:last] - start, self.port[first:last])


def build(trace: Trace, ruler: sizes.Measure) -> Diagram:
    """The diagram of a trace."""
    graph_of_node = np.append(np.asarray(trace.graph_of_node, np.int64), -1)  # the last is that of node -1: none
    uses = _Uses(trace.inputs.node.astype(np.int64), trace.inputs.tensor.astype(np.int64), graph_of_node)
    first, until = _merge(trace, graph_of_node)
    tensors = _tensor_items(trace, uses)
    if not len(first):  # tensors only: they are shown as one graph
        first, until = np.array([-1]), np.array([np.iinfo(np.int64).max])
        tensors = np.column_stack((np.zeros(len(trace.tensors), np.int64), np.arange(len(trace.tensors))))
    home, tagged = _homes(trace, tensors, uses)
    nodes = np.flatnonzero(graph_of_node >= 0)
    step_of_node = trace.nodes.step.astype(np.int64)
    kind = np.repeat(np.array([TENSOR, OPERATION, REFERENCE], np.uint8), [len(tensors), len(nodes), len(tagged)])
    index = np.concatenate((tensors[:, 1], nodes, uses.tensor[tagged]))
    graph = np.concatenate((tensors[:, 0], graph_of_node[nodes], graph_of_node[uses.node[tagged]]))
    step = np.concatenate((trace.tensors.step[tensors[:, 1]], step_of_node[nodes], step_of_node[uses.node[tagged]]))
    order = np.lexsort((index, kind, step, graph))
    item = np.empty(len(order), np.int64)
    item[order] = np.arange(len(order))
    item_of_node = np.full(len(graph_of_node), -1, np.int64)
    item_of_node[nodes] = item[len(tensors) : len(tensors) + len(nodes)]
    tail = item[home]
    tail[tagged] = item[len(tensors) + len(nodes) :]
    producer = trace.tensors.producer[tensors[:, 1]].astype(np.int64)
    made = np.flatnonzero((producer >= 0) & (graph_of_node[producer] == tensors[:, 0]))
    edges = np.concatenate(
        (
            np.column_stack((tail, item_of_node[uses.node])),
            np.column_stack((item_of_node[producer[made]], item[made])),
        )
    )
    row = np.concatenate((np.arange(len(tail)), np.full(len(made), -1)))
    kept = np.flatnonzero((edges >= 0).all(1))
    kept = kept[np.lexsort((row[kept], edges[kept, 1]))]
    look = _measure(trace, ruler, kind[order], index[order])
    return Diagram(
        trace=trace, kind=kind[order], index=index[order], graph=graph[order], step=step[order],
        category=look.category, size=look.size, card=look.card, edges=edges[kept], row=row[kept],
        port=_ports(trace, edges[kept], row[kept], look.size, look.card),
        names=look.names, badge=look.badge, first=np.asarray(first, np.int64), until=np.asarray(until, np.int64),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Uses:
    """The rows of `trace.inputs`: which operation uses which tensor."""

    node: Ints
    tensor: Ints
    graph_of_node: Ints

    @property
    def graph(self) -> Ints:
        return self.graph_of_node[self.node]


def _merge(trace: Trace, graph_of_node: Ints) -> tuple[Ints, Ints]:
    """First and last step of each graph. Untracked operations whose results only one other graph uses join that graph:
    `graph_of_node` is changed, and their own graph is left empty."""
    first, until = np.array(trace.graphs.first, np.int64), np.array(trace.graphs.until, np.int64)
    maker = trace.tensors.producer[trace.inputs.tensor]
    mine, other = graph_of_node[maker], graph_of_node[trace.inputs.node]
    loose = np.flatnonzero((mine >= 0) & (mine != other))
    loose = loose[[not trace.nodes.name[node] for node in maker[loose].tolist()]]
    pairs = np.unique(np.column_stack((mine[loose], other[loose])), axis=0)
    users = np.bincount(pairs[:, 0], minlength=len(first))
    into = np.arange(len(first))
    for graph, user in pairs[users[pairs[:, 0]] == 1].tolist()[::-1]:
        into[graph] = into[user]
        first[into[user]] = min(first[into[user]], first[graph])
    gone = into != np.arange(len(first))
    until[gone] = first[gone]
    graph_of_node[graph_of_node >= 0] = into[graph_of_node[graph_of_node >= 0]]
    return first, until


def _tensor_items(trace: Trace, uses: _Uses) -> Ints:
    """(graph, tensor) of every card, sorted: what an operation of the graph reads or makes."""
    producer = trace.tensors.producer.astype(np.int64)
    made = np.flatnonzero(producer >= 0)
    seen = trace.tensors.output_nr == 0  # a second result that has no name and no use would only puzzle
    seen[trace.names.tensor] = True
    seen[uses.tensor] = True
    made = made[seen[made]]
    pairs = np.concatenate(
        (np.column_stack((uses.graph, uses.tensor)), np.column_stack((uses.graph_of_node[producer[made]], made)))
    )
    return np.unique(pairs[pairs[:, 0] >= 0], axis=0)


def _homes(trace: Trace, tensors: Ints, uses: _Uses) -> tuple[Ints, Ints]:
    """For each use the card that its edge begins at, and the uses that get a tag instead: Note [References]."""
    count = len(trace.tensors) + 1
    home = np.searchsorted(tensors[:, 0] * count + tensors[:, 1], uses.graph * count + uses.tensor)
    if not len(home):
        return home, home
    by_home = np.argsort(home, kind="stable")
    first = np.zeros(len(home), bool)
    first[by_home[np.concatenate(([True], np.diff(home[by_home]) > 0))]] = True
    often = np.bincount(home, minlength=len(tensors))[home] > MOST_DIRECT_USES
    producer = trace.tensors.producer[uses.tensor]
    from_here = (producer >= 0) & (uses.graph_of_node[producer] == uses.graph)
    return home, np.flatnonzero(often & ~first & ~from_here)


def _ports(trace: Trace, edges: Ints, row: Ints, size: Floats, card: Floats) -> Floats:
    """Where edges touch: arguments in order at an operation, half-way up the card (not its badge) at a tensor."""
    middle = (card - size)[:, 1] / 2
    port = middle[edges]
    count = np.bincount(trace.inputs.node, minlength=len(trace.nodes))
    argument = row >= 0
    uses = row[argument]
    counts = count[trace.inputs.node[uses]]
    pitch = np.minimum(sizes.PORT_PITCH, sizes.PORT_SPREAD / np.maximum(counts - 1, 1))
    port[argument, 1] = (trace.inputs.slot[uses] - (counts - 1) / 2) * pitch
    port[~argument, 0] = 0.0
    return port


@dataclass(frozen=True, eq=False)
class _Look:
    category: NDArray[np.uint8]
    size: Floats
    card: Floats
    names: list[str]
    badge: Flags


def _measure(trace: Trace, ruler: sizes.Measure, kind: NDArray[np.uint8], index: Ints) -> _Look:
    """Category, sizes and names of all items."""
    known = _KnownOfTensors(trace)
    operation = kind == OPERATION
    category = np.empty(len(kind), np.uint8)
    category[operation] = np.where(trace.nodes.sequence_nr >= 0, OP, PLAIN_OP)[index[operation]]
    category[~operation] = known.category[index[~operation]]
    size, card = np.empty((len(kind), 2)), np.empty((len(kind), 2))
    badge = kind == TENSOR
    badge[~operation] &= known.badged[index[~operation]]
    saved = _saved_names(trace)
    names = [""] * len(kind)
    for item, (what, which) in enumerate(zip(kind.tolist(), index.tolist(), strict=True)):
        if what == OPERATION:
            text = operation_text(trace, which)
            size[item] = sizes.operation_size(ruler, *text, saved.get(which, ()))
            card[item] = sizes.symbol_width(ruler, text[0]), 2 * sizes.RADIUS
            continue
        names[item] = card_name(trace, which, len(trace))
        if what == REFERENCE:
            size[item] = sizes.reference_size(ruler, names[item])
        else:
            size[item] = known.card_size(ruler, which, names[item])
        card[item] = size[item]
    size[badge, 1] += sizes.BADGE_GAP + sizes.BADGE_HEIGHT
    return _Look(category, size, card, names, badge)


class _KnownOfTensors:
    """What the whole trace says of each tensor, at any cursor."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.requires = trace.tensors.requires_grad.astype(bool)
        np.logical_or.at(self.requires, trace.flags.tensor, trace.flags.requires_grad)
        self.bound = np.zeros(len(trace.tensors), bool)
        self.bound[trace.names.tensor] = True
        self.versioned = trace.tensors.version > 0
        self.versioned[trace.writes.tensor] = True
        self.badged = np.zeros(len(trace.tensors), bool)
        self.badged[trace.arrivals.tensor[(trace.arrivals.expected > 1) & (trace.arrivals.tensor >= 0)]] = True
        tracked = np.where(trace.tensors.is_leaf, LEAF, INTERMEDIATE)
        self.category = np.where(self.requires, tracked, CONSTANT)
        self.category[trace.roots.tensor] = OUTPUT

    def card_size(self, ruler: sizes.Measure, tensor: int, name: str) -> tuple[float, float]:
        """How large a tensor's card must be for whatever it will say."""
        meta = meta_text(self._trace, tensor, int(self.category[tensor]))
        return sizes.card_size(
            ruler,
            name,
            f"v10 · {meta}" if self.versioned[tensor] else meta,
            sizes.shape_of(self._trace.tensors.shape[tensor], str(self._trace.tensors.dtype[tensor])),
            grad=bool(self.requires[tensor]),
            badge=bool(self.badged[tensor]),
            expression=not self.bound[tensor],
        )


def _saved_names(trace: Trace) -> dict[int, tuple[str, ...]]:
    names: dict[int, tuple[str, ...]] = {}
    for node, name in zip(trace.saved.node.tolist(), trace.saved.name.tolist(), strict=True):
        names[node] = (*names.get(node, ()), name)
    return names


def card_name(trace: Trace, tensor: int, cursor: int) -> str:
    """What a card is called: as the snippet calls it, expressions without the modules that functions come from."""
    name = trace.naming.name(tensor, cursor)
    return MODULES.sub("", name) if "(" in name else name


def operation_text(trace: Trace, node: int) -> tuple[str, str, str]:
    """Symbol, label and scope of an operation."""
    nodes = trace.nodes
    return str(nodes.symbol[node]), str(nodes.name[node] or nodes.op[node]), str(nodes.scope[node])


def meta_text(trace: Trace, tensor: int, category: int) -> str:
    """What stands on the right of a card's header."""
    tensors = trace.tensors
    kind = sizes.shape_text(str(tensors.dtype[tensor]), tensors.shape[tensor])
    if category == LEAF:
        return f"{'parameter' if tensors.is_parameter[tensor] else 'leaf'} · {kind}"
    return f"output · {kind}" if category == OUTPUT else kind
