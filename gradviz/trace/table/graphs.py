"""Which operations belong together: the connected components of the forward graph, when each of them is shown, and,
from the order of steps, which node's backward made each node in the graph of gradients. Such a graph is kept by
`create_graph`, see `schema.Calls`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import NEVER, Calls, Inputs, Names, Nodes, Steps, Tensors

Array = NDArray[Any]


def components(count: int, a: Array, b: Array) -> Array:
    """The smallest member of each node's component; `a` and `b` are the ends of the links."""
    parent = np.arange(count)
    while True:
        one, other = parent[a], parent[b]
        low, high = np.minimum(one, other), np.maximum(one, other)
        if (low == high).all():
            return parent
        np.minimum.at(parent, high, low)
        while True:
            up = parent[parent]
            if np.array_equal(up, parent):
                break
            parent = up


@dataclass(frozen=True, slots=True)
class Graphs:
    """Per graph: the step that begins it, and the step at which another graph takes its place (NEVER if none does)."""

    first: Array
    until: Array
    of_node: Array
    of_tensor: Array  # -1: a leaf, which belongs to every graph that uses it

    def __len__(self) -> int:
        return len(self.first)

    def shown(self, cursor: int) -> Array:
        """A mask of the graphs that are shown at a cursor."""
        return (self.first < cursor) & (self.until >= cursor)


def find_graphs(steps: Steps, nodes: Nodes, inputs: Inputs, tensors: Tensors, origin: Array) -> Graphs:
    """Note [Graphs]: operations are linked through tracked tensors that are not leaves; untracked results link only
    untracked operations. What a backward call made under create_graph is linked to its `origin`. A graph is shown from
    its first step until another graph starts after its last event (a step of one of its nodes, or a use of its results
    elsewhere); a tracked graph is replaced only by a tracked one."""
    count = len(nodes)
    if not count:
        none = np.empty(0, np.int64)
        return Graphs(none, none, none, np.full(len(tensors), -1))
    tracked = nodes.name != ""
    maker = tensors.producer[inputs.tensor]
    made = maker >= 0
    user, maker, through = inputs.node[made], maker[made], inputs.tensor[made]
    link = np.where(tracked[maker], tracked[user] & tensors.requires_grad[through], ~tracked[user])
    made_back = np.flatnonzero(tracked & (origin >= 0))
    made_back = made_back[tracked[origin[made_back]]]
    one, other = np.append(user[link], made_back), np.append(maker[link], origin[made_back])
    root, of_node = np.unique(components(count, one, other), return_inverse=True)
    first = nodes.step[root].astype(np.int64)
    last = first.copy()
    np.maximum.at(last, of_node, nodes.step)
    own = np.flatnonzero(steps.node >= 0)
    np.maximum.at(last, of_node[steps.node[own]], own)
    np.maximum.at(last, of_node[maker], nodes.step[user])
    until = np.full(len(root), NEVER, np.int64)
    graph_tracked = tracked[root]
    for mine, starts in ((~graph_tracked, first), (graph_tracked, first[graph_tracked])):
        after = np.searchsorted(starts, last[mine], "right")
        until[mine] = np.append(starts, NEVER)[after]
    of_tensor = np.where(
        (tensors.producer >= 0) & ~(tensors.requires_grad & tensors.is_leaf), of_node[tensors.producer], -1
    )
    return Graphs(first, until, of_node, of_tensor)


def last_uses(nodes: Nodes, inputs: Inputs, tensors: Tensors) -> Array:
    """Per tensor the last step at which an operation read it, -1 for never."""
    last = np.full(len(tensors), -1, np.int64)
    last[inputs.tensor] = nodes.step[inputs.node]  # in order of nodes, so the last one remains
    return last


def find_superseded(tensors: Tensors, names: Names, last_use: Array) -> Array:
    """Leaves that are never used, have no name, and whose memory another leaf has taken over."""
    nameless = (tensors.producer < 0) & (last_use < 0)
    nameless[names.tensor[names.tensor >= 0]] = False
    leaf_storage, counts = np.unique(tensors.storage[tensors.producer < 0], return_counts=True)
    found: Array = nameless & np.isin(tensors.storage, leaf_storage[counts > 1])
    return found


_ENDS = (Kind.BACKWARD, Kind.CONTRIBUTION, Kind.ACCUMULATE, Kind.HOOK)


def find_origins(steps: Steps, nodes: Nodes, calls: Calls) -> Array:
    """Per node the one whose backward made it, -1 for all others.

    Note [Origins]: within a backward call, what a node's formula makes is reported first, followed by the node's own
    step. Likewise sums of gradients come before the arrival that they are for, and what hooks make before the hook's
    step: these have no origin, and neither has a formula if a hook follows before its node is reported. Steps of a call
    within the call have its own number and do not interfere."""
    origin = np.full(len(nodes), -1, np.int64)
    made = np.flatnonzero((nodes.call >= 0) & (nodes.step >= 0))
    made = made[calls.create_graph[nodes.call[made]]]
    made = made[(nodes.site[made] >= 0) | (steps.node[nodes.step[made]] == made)]  # not one that was only met there
    ends = np.flatnonzero(np.isin(steps.kind, _ENDS) & (steps.call >= 0))
    if not len(made) or not len(ends):
        return origin
    keys = steps.call[ends].astype(np.int64) << 32 | ends
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], nodes.call[made].astype(np.int64) << 32 | nodes.step[made])
    end = ends[order[np.minimum(at, len(ends) - 1)]]
    known = (at < len(ends)) & (steps.call[end] == nodes.call[made]) & (steps.kind[end] == Kind.BACKWARD)
    origin[made[known]] = steps.node[end[known]]
    return origin
