"""What there is to draw of a trace, whatever is folded: its graphs, the cards in each, who uses what, and the groups
that all of it is in. `diagram` makes of it what is seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.regions import RegionKind
from gradviz.ui.canvas.groups import Groups, find_groups

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Structure:
    """Graphs with their cards: (graph, tensor) pairs, sorted. Everything that is -1 is none."""

    trace: Trace
    first: Ints  # by graph: the step that begins it
    until: Ints  # and the step at which another takes its place
    graph_of_node: Ints
    cards: Ints  # (n, 2) graph, tensor
    producer: Ints  # by card: the operation of this graph that made it
    card_of_use: Ints  # by row of trace.inputs
    groups: Groups
    group_of_card: Ints  # the innermost group that it belongs to

    @cached_property
    def items_in(self) -> Ints:
        """By group: operations and cards that are directly in it."""
        count = len(self.groups)
        of_node, of_card = self.groups.of_node, self.group_of_card
        nodes = np.bincount(of_node[of_node >= 0], minlength=count)
        found: Ints = nodes + np.bincount(of_card[of_card >= 0], minlength=count)
        return found

    @cached_property
    def group_step(self) -> Ints:
        """By group: the step that made the first thing in it, be it an operation or a parameter."""
        groups, inside = self.groups, self.group_of_card >= 0
        found = groups.step.copy()
        np.minimum.at(found, self.group_of_card[inside], self.trace.tensors.step[self.cards[inside, 1]])
        for level in groups.levels[:0:-1]:
            np.minimum.at(found, groups.parent[level], found[level])
        return found


def find_structure(trace: Trace) -> Structure:
    """The structure of a trace as long as it is now."""
    graph_of_node = np.append(np.asarray(trace.graph_of_node, np.int64), -1)  # the last is that of node -1: none
    first, until = _merge(trace, graph_of_node)
    cards = _find_cards(trace, graph_of_node)
    if not len(first):  # tensors only: they are shown as one graph
        first, until = np.array([-1]), np.array([np.iinfo(np.int64).max])
        cards = np.column_stack((np.zeros(len(trace.tensors), np.int64), np.arange(len(trace.tensors))))
    node, tensor = trace.inputs.node, trace.inputs.tensor.astype(np.int64)
    count = len(trace.tensors) + 1
    card_of_use = np.searchsorted(cards[:, 0] * count + cards[:, 1], graph_of_node[node] * count + tensor)
    card_of_use[graph_of_node[node] < 0] = -1
    producer = trace.tensors.producer[cards[:, 1]].astype(np.int64)
    producer[graph_of_node[producer] != cards[:, 0]] = -1
    groups = find_groups(trace, graph_of_node[:-1])
    return Structure(
        trace, np.asarray(first, np.int64), np.asarray(until, np.int64), graph_of_node[:-1], cards, producer,
        card_of_use, groups, _group_of_cards(trace, cards, producer, card_of_use, groups),
    )  # fmt: skip


def _merge(trace: Trace, graph_of_node: Ints) -> tuple[Ints, Ints]:
    """First and last step of each graph. Untracked operations whose results only one other graph uses join that graph:
    `graph_of_node` is changed, and their own graph is left empty."""
    first, until = np.array(trace.graphs.first, np.int64), np.array(trace.graphs.until, np.int64)
    maker = trace.tensors.producer[trace.inputs.tensor]
    mine, other = graph_of_node[maker], graph_of_node[trace.inputs.node]
    loose = np.flatnonzero((mine >= 0) & (mine != other))
    loose = loose[(trace.nodes.name == "")[maker[loose]]]
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


def _find_cards(trace: Trace, graph_of_node: Ints) -> Ints:
    """(graph, tensor) of every card, sorted: what an operation of the graph reads or makes."""
    producer, used = trace.tensors.producer.astype(np.int64), trace.inputs.tensor.astype(np.int64)
    made = np.flatnonzero(producer >= 0)
    seen = trace.tensors.output_nr == 0  # a second result that has no name and no use would only puzzle
    seen[trace.names.tensor] = True
    seen[used] = True
    made = made[seen[made]]
    graph = np.concatenate((graph_of_node[trace.inputs.node], graph_of_node[producer[made]]))
    tensor = np.concatenate((used, made))
    count = len(trace.tensors) + 1
    keys = np.unique((graph * count + tensor)[graph >= 0])
    return np.column_stack((keys // count, keys % count))


def _group_of_cards(trace: Trace, cards: Ints, producer: Ints, card_of_use: Ints, groups: Groups) -> Ints:
    """Note [Where cards belong]: a result belongs to the group of the operation that made it; what came from elsewhere
    to the innermost group that holds all its uses and is no loop, but if it is no parameter and was there before that
    group began, it comes in from outside. The results that a backward call began at, and the last one, stand beside
    all groups."""
    made = producer >= 0
    found = np.append(groups.of_node, -1)[producer]
    if not len(groups):
        return found
    uses = np.flatnonzero((card_of_use >= 0) & ~np.append(made, True)[card_of_use])
    owner = card_of_use[uses]
    common = _common_group(groups, owner, groups.of_node[trace.inputs.node[uses]], len(cards))
    loop = np.append(groups.kind == RegionKind.LOOP, False)
    while loop[common].any():  # what all iterations use is not of the loop
        common = np.where(loop[common], np.append(groups.parent, -1)[common], common)
    found[~made] = common[~made]
    owned = trace.tensors.is_parameter.astype(bool).copy()
    owned[trace.names.tensor[trace.names.owner != ""]] = True
    step = trace.tensors.step[cards[:, 1]]
    guests = np.flatnonzero(~made & (found >= 0) & ~owned[cards[:, 1]])
    while len(guests := guests[(found[guests] >= 0) & (groups.step[found[guests]] > step[guests])]):
        found[guests] = groups.parent[found[guests]]
    used = np.zeros(len(cards), bool)
    used[card_of_use[card_of_use >= 0]] = True
    ends = np.zeros(len(trace.tensors), bool)
    ends[trace.roots.tensor] = True
    last = np.zeros(len(trace.nodes) + 1, bool)
    last[_last_nodes(groups, cards, producer)] = True
    found[~used & (ends[cards[:, 1]] | last[producer]) & made] = -1
    return found


def _last_nodes(groups: Groups, cards: Ints, producer: Ints) -> Ints:
    """The last operation of each graph that has cards for its results."""
    last = np.full(int(cards[:, 0].max(initial=-1)) + 1, -1, np.int64)
    np.maximum.at(last, cards[:, 0], producer)
    return last[last >= 0]


def _common_group(groups: Groups, owner: Ints, group: Ints, count: int) -> Ints:
    """For each of `count` owners the innermost group that holds the groups of all its rows."""
    depth = np.append(groups.depth, -1)
    parent = np.append(groups.parent, -1)
    order = np.argsort(owner, kind="stable")
    owner, group = owner[order], group[order].copy()
    found = np.full(count, -1, np.int64)
    while len(owner):
        starts = np.flatnonzero(np.concatenate(([True], np.diff(owner) > 0)))
        many = np.diff(np.append(starts, len(owner)))
        low, high = np.minimum.reduceat(group, starts), np.maximum.reduceat(group, starts)
        agree = low == high
        found[owner[starts[agree]]] = low[agree]
        shallow = np.repeat(np.minimum.reduceat(depth[group], starts), many)
        deepest = np.repeat(np.maximum.reduceat(depth[group], starts), many)
        lifted = (depth[group] > shallow) | (shallow == deepest)
        group = np.where(lifted, parent[group], group)
        going = np.repeat(~agree, many)
        owner, group = owner[going], group[going]
    return found
