"""A diagram at a cursor: which items and edges are visible, where gradients flow, what the current step is about. All
of it is a handful of comparisons over arrays, so scrubbing costs the same in both directions. `content` has the words
and numbers on the cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.tables import span
from gradviz.trace.words.errors import explain_at
from gradviz.ui.canvas.content import where_in
from gradviz.ui.canvas.diagram import GROUP, REFERENCE, TENSOR, Diagram, Flags, Floats, Ints

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame

NO_FLOW, FLOW, ZERO_FLOW, BAD_FLOW = range(4)
ABOUT_THE_OPERATION = {Kind.FORWARD, Kind.INPLACE, Kind.BACKWARD, Kind.FREE}


@dataclass(frozen=True, eq=False)
class Moment:
    """The visible part of a diagram; masks and numbers are per item or per edge."""

    frame: Frame
    graphs: Flags
    items: Flags
    frames: Flags  # of open groups
    edges: Flags
    ran: Flags  # operations that have run backward in this call, and groups of which all have
    flow: NDArray[np.uint8]
    norm: Floats
    now: Flags
    current: tuple[int, ...]
    failed: tuple[tuple[int, str], ...]  # items that the error is about, each with the reason

    @property
    def focus(self) -> int:
        """The item to look at: what failed, otherwise what the step is about, -1 for none."""
        return self.failed[0][0] if self.failed else self.current[0] if self.current else -1

    def around(self, edges: Ints) -> Ints:
        """The item to look at and those to which its gradients go in this step, or which it is computed from; `edges`
        are those of the diagram."""
        ends = edges[self.now] if self.now.any() else edges[self.edges & (edges == self.focus).any(axis=1)]
        found: Ints = np.unique(np.append(ends, self.focus))
        return found


def moment(diagram: Diagram, frame: Frame) -> Moment:
    """The diagram at the frame's cursor."""
    graphs = diagram.shown(frame.cursor)
    items = graphs[diagram.graph] & (diagram.step < frame.cursor)
    edges: Flags = items[diagram.edges[:, 0]] & items[diagram.edges[:, 1]]
    went = diagram.item_of_node[np.flatnonzero(frame.node_ran)]
    ran = (np.bincount(went[went >= 0], minlength=len(items)) >= diagram.operations_in) & (diagram.operations_in > 0)
    flow, norm, now = _flows(diagram, frame)
    flow[~edges] = NO_FLOW
    frames: Flags = graphs[diagram.frame_graph] & (diagram.frame_step < frame.cursor)
    return Moment(
        frame, graphs, items, frames, edges, ran, flow, norm, now & edges,
        _current(diagram, frame, items), _failed(diagram, frame, items),
    )  # fmt: skip


def _failed(diagram: Diagram, frame: Frame, items: Flags) -> tuple[tuple[int, str], ...]:
    """What the error in the current step is about, whether it ended the run or was caught."""
    explained = explain_at(frame) if frame.step is not None and frame.step.is_error else None
    marks = explained.marks if explained is not None else ()
    found: dict[int, str] = {}
    for mark in marks:
        item = int(diagram.item_of_node[mark.node])
        if item >= 0 and items[item] and diagram.kind[item] == GROUP:  # a single mark that says where in the group
            found.setdefault(item, f"{where_in(diagram, frame, mark.node)}: {mark.reason}")
        elif item >= 0 and items[item]:
            found[item] = mark.reason
    return tuple(found.items())


FLOW_OF_FLAG = np.array([NO_FLOW, FLOW, ZERO_FLOW, BAD_FLOW], np.uint8)
FLAG_ORDER = np.array([0, 2, 1, 3], np.uint8)  # of several gradients the worst counts, and zero only if all are zero


def _flows(diagram: Diagram, frame: Frame) -> tuple[NDArray[np.uint8], Floats, Flags]:
    """Gradients on the edges: from an operation to its arguments, and from a result to the operation that made it."""
    count = len(diagram.edges)
    flow, norm, now = np.zeros(count, np.uint8), np.full(count, np.nan), np.zeros(count, bool)
    argument = np.flatnonzero(diagram.row >= 0)
    if len(argument):
        rows, start = diagram.uses, diagram.use_start[argument]
        flags = np.maximum.reduceat(FLAG_ORDER[frame.input_grad_flag[rows]], start)
        flow[argument] = FLOW_OF_FLAG[FLAG_ORDER[flags]]
        norms = frame.input_grad_norm[rows].astype(np.float64)
        some = ~np.isnan(norms) if len(argument) < len(rows) else None
        if some is not None:
            norms = np.sqrt(np.add.reduceat(np.square(np.where(some, norms, 0.0)), start))
            norms[~np.logical_or.reduceat(some, start)] = np.nan
        norm[argument] = norms
        now[argument] = np.logical_or.reduceat(frame.input_grad_now[rows], start)
    result = np.flatnonzero(diagram.row < 0)
    tensor = diagram.index[diagram.edges[result, 1]]
    maker = frame.trace.tensors.producer[tensor]
    ran = frame.node_ran[maker]
    norm[result] = np.where(ran, _arrived(frame)[tensor], np.nan)
    had = ran & ~np.isnan(norm[result])
    flow[result[had]] = FLOW
    flow[result[had & (norm[result] == 0)]] = ZERO_FLOW
    flow[result[ran & _not_finite(frame)[tensor]]] = BAD_FLOW
    step = frame.step
    if step is not None and step.kind in (Kind.BACKWARD, Kind.FREE):
        now[result] = (maker == step.node) & (flow[result] != NO_FLOW)
    return flow, norm, now


def _arrival_rows(frame: Frame) -> Ints:
    if frame.call < 0:
        return np.empty(0, np.int64)
    arrivals = frame.trace.arrivals
    low, high = np.searchsorted(arrivals.step, [int(frame.trace.calls.step[frame.call]), frame.cursor])
    rows: Ints = np.arange(low, high)
    kept = (arrivals.call[rows] == frame.call) & (arrivals.tensor[rows] >= 0) & (arrivals.total[rows] >= 0)
    found: Ints = rows[kept]
    return found


def _arrived(frame: Frame) -> Floats:
    """By tensor: the norm of the gradient that has arrived in this call so far."""
    rows, arrivals = _arrival_rows(frame), frame.trace.arrivals
    norm = np.full(len(frame.trace.tensors), np.nan)
    norm[arrivals.tensor[rows]] = frame.trace.values.norm[arrivals.total[rows]]
    return norm


def _not_finite(frame: Frame) -> Flags:
    """By tensor: whether NaN or infinity has arrived in this call."""
    rows, arrivals = _arrival_rows(frame), frame.trace.arrivals
    bad = np.zeros(len(frame.trace.tensors), bool)
    bad[arrivals.tensor[rows]] = ~np.isfinite(frame.trace.values.norm[arrivals.total[rows]].astype(np.float64))
    return bad


def _current(diagram: Diagram, frame: Frame, items: Flags) -> tuple[int, ...]:
    """The items that the current step is about: one operation, the card of one tensor, or those of all parameters of
    an optimizer."""
    step = frame.step
    if step is None:
        return ()
    if step.kind == Kind.OPTIMIZER:
        updates, graph = frame.trace.updates, _graph_of_call(diagram, frame)
        low, high = span(updates.step, step.index, step.index + 1)
        cards = [_card(diagram, items, graph, each) for each in updates.tensor[low:high].tolist()]
        return tuple(dict.fromkeys(card for card in cards if card >= 0))
    if step.node >= 0 and (step.kind in ABOUT_THE_OPERATION or step.tensor < 0):
        item = int(diagram.item_of_node[step.node])
        return (item,) if item >= 0 and items[item] else ()
    if step.tensor < 0:
        return ()
    if step.kind == Kind.CONTRIBUTION:
        tag = _tag_at(diagram, step.tensor, int(frame.trace.arrivals.from_node[step.ref]))
        if tag >= 0 and items[tag]:
            return (tag,)
    card = _card(diagram, items, _graph_of_call(diagram, frame), step.tensor)
    return (card,) if card >= 0 else ()


def _card(diagram: Diagram, items: Flags, graph: int, tensor: int) -> int:
    """The visible card of a tensor, that in the graph if there are several, or the closed group that contains it; -1
    for none."""
    found = diagram.items_around_tensor(tensor)
    found = found[items[found]]
    if len(found) > 1:  # a parameter has a card in each graph
        found = found[np.argsort(diagram.graph[found] != graph, kind="stable")]
    return int(found[0]) if len(found) else -1


def _graph_of_call(diagram: Diagram, frame: Frame) -> int:
    """The graph through which the backward call at the cursor goes, or the last one went; -1 for none."""
    trace = frame.trace
    low, high = span(trace.roots.call, frame.call, frame.call + 1) if frame.call >= 0 else (0, 0)
    nodes = trace.tensors.producer[trace.roots.tensor[low:high]]
    made = diagram.item_of_node[nodes[nodes >= 0]]
    return int(diagram.graph[made[made >= 0][0]]) if (made >= 0).any() else -1


def _tag_at(diagram: Diagram, tensor: int, node: int) -> int:
    """The tag that stands for a tensor at an operation, -1 if an edge leads to its card."""
    if node < 0:
        return -1
    first, last = np.searchsorted(diagram.edges[:, 1], [diagram.item_of_node[node], diagram.item_of_node[node] + 1])
    tails = diagram.edges[first:last, 0]
    tags = tails[(diagram.kind[tails] == REFERENCE) & (diagram.index[tails] == tensor)]
    return int(tags[0]) if len(tags) else -1


# -- what may say something else

MOST_STEPS = 256  # steps between two moments beyond which everything is recomputed


def touched(diagram: Diagram, before: Frame, after: Frame) -> Flags | None:
    """Which items may say something else at another moment of the same trace: those of the tensors and operations that
    the steps in between were about. None means any item."""
    trace, (low, high) = after.trace, sorted((before.cursor, after.cursor))
    if before.trace is not trace or before.call != after.call or high - low > MOST_STEPS:
        return None
    first, last = span(trace.names.step, low, high)
    if first < last:  # a newly bound name can change what other things are called
        return None
    low = max(low - 1, 0)  # the step that was current at the earlier moment

    def rows(steps: Ints) -> slice:
        return slice(*span(steps, low, high))

    made = span(trace.nodes.step, low, high)
    written = trace.versions.storage[rows(trace.versions.step)].tolist()
    nodes = np.zeros(len(trace.nodes) + 1, bool)  # the last entry is what -1 refers to
    nodes[trace.steps.node[low:high]] = nodes[slice(*made)] = True
    for of_nodes in (trace.flows, trace.saved, trace.frees, trace.drops):
        nodes[of_nodes.node[rows(of_nodes.step)]] = True
    nodes[[node for storage in set(written) for node in trace.saved_on(storage, len(trace))]] = True
    tensors = np.zeros(len(trace.tensors) + 1, bool)
    tensors[trace.steps.tensor[low:high]] = tensors[rows(trace.tensors.step)] = True
    for of_tensors in (trace.writes, trace.grads, trace.arrivals, trace.flags, trace.hooks):
        tensors[of_tensors.tensor[rows(of_tensors.step)]] = True
    tensors[trace.inputs.tensor[slice(*span(trace.inputs.node, *made))]] = True
    for node in np.flatnonzero(nodes[:-1]).tolist():
        tensors[trace.outputs_of(node)] = True
    items = np.zeros(len(diagram) + 1, bool)
    items[diagram.item_of_node[nodes[: len(diagram.item_of_node)]]] = True
    cards = np.flatnonzero((diagram.kind == TENSOR) | (diagram.kind == REFERENCE))
    items[cards[tensors[diagram.index[cards]]]] = True
    found: Flags = items[:-1]
    return found
