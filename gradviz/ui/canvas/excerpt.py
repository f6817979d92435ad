"""Which graphs of a trace are drawn together. In a short run these are all of them; a long training has thousands, of
which a few are shown at a time, and drawing them all would cost more than the training. So an `Excerpt` holds the
graphs around a cursor, and the canvas asks for another one when the cursor leaves it. `structure` says what there is to
draw of an excerpt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.schema import NEVER

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.groups import Flags, Ints

ENOUGH = 1_000  # operations of a run that is drawn as a whole
PART = 8  # an excerpt has a PARTth of that before what is shown at its cursor, and after it: a jump should cost little


@dataclass(frozen=True, eq=False)
class DrawnGraphs:
    """The graphs of a trace as they are drawn: the step at which each begins, those from which and until which it is
    shown, the graph of each node (and -1 for no node, at the end), and the number of operations of each graph."""

    first: Ints
    since: Ints
    until: Ints
    of_node: Ints
    operations: Ints

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Graphs in ascending order; `start` and `end` are the first and the last cursor at which all graphs that are shown
    are among them."""

    graphs: Ints
    start: int
    end: int

    def covers(self, cursor: int) -> bool:
        """Whether everything that is shown at a cursor is drawn."""
        return self.start <= cursor <= self.end

    @property
    def is_whole(self) -> bool:
        """Whether it covers every cursor."""
        return self.start <= 0 and self.end >= NEVER


def drawn_graphs(trace: Trace) -> DrawnGraphs:
    """The graphs of a trace. Untracked operations whose results are used by only one other graph join that graph, and
    their own graph is left empty."""
    return trace.kept("drawn graphs", lambda: _find(trace))


def _find(trace: Trace) -> DrawnGraphs:
    first, until = np.array(trace.graphs.first, np.int64), np.array(trace.graphs.until, np.int64)
    of_node = np.append(np.asarray(trace.graph_of_node, np.int64), -1)
    maker = trace.tensors.producer[trace.inputs.tensor]
    mine, other = of_node[maker], of_node[trace.inputs.node]
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
    of_node[of_node >= 0] = into[of_node[of_node >= 0]]
    since = np.where(gone, NEVER, _since(trace, of_node, first, until[~gone]))
    return DrawnGraphs(first, since, until, of_node, np.bincount(of_node[of_node >= 0], minlength=len(first)))


def _since(trace: Trace, of_node: Ints, first: Ints, ends: Ints) -> Ints:
    """A graph is shown with the first tensor that no operation makes and that no graph before it reads, unless one of
    those that end is shown in its place until it begins."""
    graph, tensor = of_node[trace.inputs.node], trace.inputs.tensor
    read = np.flatnonzero((graph >= 0) & (trace.tensors.producer[tensor] < 0))
    read = read[np.lexsort((first[graph[read]], tensor[read]))]
    leaves, earliest = np.unique(tensor[read], return_index=True)
    since = first.copy()
    np.minimum.at(since, graph[read[earliest]], trace.tensors.step[leaves])
    replaces = np.searchsorted(np.sort(ends), np.stack((since, first)), "right")
    found: Ints = np.where(replaces[0] == replaces[1], since, first)
    return found


def whole(trace: Trace) -> Excerpt:
    """All graphs."""
    return Excerpt(np.arange(len(drawn_graphs(trace))), 0, NEVER)


def excerpt_around(trace: Trace, cursor: int) -> Excerpt:
    """What is shown at a cursor, and as much of what comes before and after it as is drawn in no time."""
    graphs = drawn_graphs(trace)
    if graphs.operations.sum() <= ENOUGH:
        return whole(trace)
    since, until = graphs.since, graphs.until
    shown = (since < cursor) & (until >= cursor)
    later, earlier = np.flatnonzero(since >= cursor), np.flatnonzero(until < cursor)
    later, earlier = later[np.argsort(since[later], kind="stable")], earlier[np.argsort(-until[earlier], kind="stable")]
    ahead, back = (_fitting(graphs.operations[each]) for each in (later, earlier))
    ahead = max(ahead, 0 if shown.any() else 1)  # before the first operation, the graph that it will begin is shown
    shown[later[:ahead]] = shown[earlier[:back]] = True
    return Excerpt(
        np.flatnonzero(_with_those_above(graphs, shown)),
        int(until[earlier[back]]) + 1 if back < len(earlier) else 0,
        int(since[later[ahead]]) if ahead < len(later) else NEVER,
    )


def _fitting(operations: Ints) -> int:
    """How many graphs there is room for on one side."""
    return int(np.searchsorted(np.cumsum(operations), ENOUGH // PART, "right"))


def _with_those_above(graphs: DrawnGraphs, chosen: Flags) -> Flags:
    """Note [Where a graph is]: `layout.rows.stack` puts a graph below those that are shown when it begins, so it is in
    the same place in each excerpt that has these, too, and those that they were put below."""
    order = np.argsort(graphs.first, kind="stable")
    beyond = np.searchsorted(graphs.first[order], graphs.until[order])  # the first that begins after each has ended
    found = chosen[order]
    while True:
        before = np.concatenate(([0], np.cumsum(found)))
        more = found | (before[beyond] > before[1:])
        if np.array_equal(more, found):
            break
        found = more
    flags = np.empty(len(order), bool)
    flags[order] = found
    return flags
