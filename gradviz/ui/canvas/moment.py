"""A diagram at a cursor: which items and edges are seen, where gradients flow, what the current step is about. All of
it is a handful of comparisons over arrays, so scrubbing costs the same forwards and backwards. The words and numbers
on the cards are in `content`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.errors import explain_error
from gradviz.trace.kinds import Kind
from gradviz.ui.canvas.diagram import OPERATION, REFERENCE, TENSOR, Diagram, Flags, Floats, Ints

if TYPE_CHECKING:
    from gradviz.trace.frame import Frame

NO_FLOW, FLOW, ZERO_FLOW, BAD_FLOW = range(4)
ABOUT_THE_OPERATION = {Kind.FORWARD, Kind.INPLACE, Kind.BACKWARD, Kind.FREE}


@dataclass(frozen=True, eq=False)
class Moment:
    """What is seen of a diagram; masks and numbers are per item or per edge."""

    frame: Frame
    graphs: Flags
    items: Flags
    edges: Flags
    ran: Flags  # operations that have run backward in this call
    flow: NDArray[np.uint8]
    norm: Floats
    now: Flags
    current: tuple[int, ...]
    failed: tuple[tuple[int, str], ...]  # items that the error is about, with the reason

    @property
    def focus(self) -> int:
        """The item to look at: what failed, else what the step is about, -1 none."""
        return self.failed[0][0] if self.failed else self.current[0] if self.current else -1


def moment(diagram: Diagram, frame: Frame) -> Moment:
    """The diagram at the frame's cursor."""
    graphs = diagram.shown(frame.cursor)
    items = graphs[diagram.graph] & (diagram.step < frame.cursor)
    edges: Flags = items[diagram.edges[:, 0]] & items[diagram.edges[:, 1]]
    operation = diagram.kind == OPERATION
    ran = np.zeros(len(items), bool)
    ran[operation] = frame.node_ran[diagram.index[operation]]
    flow, norm, now = _flows(diagram, frame, ran)
    flow[~edges] = NO_FLOW
    return Moment(
        frame, graphs, items, edges, ran, flow, norm, now & edges,
        _current(diagram, frame, items), _failed(diagram, frame, items),
    )  # fmt: skip


def _failed(diagram: Diagram, frame: Frame, items: Flags) -> tuple[tuple[int, str], ...]:
    """What the error that ended the run is about, once it is the current step."""
    step = frame.step
    if step is None or step.kind != Kind.ERROR:
        return ()
    explained = explain_error(frame.trace)
    marks = explained.marks if explained is not None else ()
    found = [(int(diagram.item_of_node[mark.node]), mark.reason) for mark in marks]
    return tuple((item, reason) for item, reason in found if item >= 0 and items[item])


def _flows(diagram: Diagram, frame: Frame, ran: Flags) -> tuple[NDArray[np.uint8], Floats, Flags]:
    """Gradients on the edges: from an operation to its arguments, and from a result to the operation that made it."""
    count = len(diagram.edges)
    flow, norm, now = np.zeros(count, np.uint8), np.full(count, np.nan), np.zeros(count, bool)
    argument = diagram.row >= 0
    rows = diagram.row[argument]
    flow[argument], norm[argument] = frame.input_grad_flag[rows], frame.input_grad_norm[rows]
    now[argument] = frame.input_grad_now[rows]
    result = np.flatnonzero(~argument)
    maker, tensor = diagram.edges[result, 0], diagram.index[diagram.edges[result, 1]]
    norm[result] = np.where(ran[maker], _arrived(frame)[tensor], np.nan)
    had = ran[maker] & ~np.isnan(norm[result])
    flow[result[had]] = FLOW
    flow[result[had & (norm[result] == 0)]] = ZERO_FLOW
    flow[result[ran[maker] & _not_finite(frame)[tensor]]] = BAD_FLOW
    step = frame.step
    if step is not None and step.kind == Kind.BACKWARD:
        now[result] = (diagram.index[maker] == step.node) & (flow[result] != NO_FLOW)
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
    """The items that the current step is about: one operation, or one tensor's card."""
    step = frame.step
    if step is None:
        return ()
    if step.node >= 0 and (step.kind in ABOUT_THE_OPERATION or step.tensor < 0):
        item = int(diagram.item_of_node[step.node])
        return (item,) if item >= 0 and items[item] else ()
    if step.tensor < 0:
        return ()
    if step.kind == Kind.CONTRIBUTION:
        tag = _tag_at(diagram, step.tensor, int(frame.trace.arrivals.from_node[step.ref]))
        if tag >= 0 and items[tag]:
            return (tag,)
    found = diagram.items_of_tensor(step.tensor)
    found = found[items[found]]
    return tuple(found[diagram.kind[found] == TENSOR].tolist()[:1])


def _tag_at(diagram: Diagram, tensor: int, node: int) -> int:
    """The tag that stands for a tensor at an operation, -1 where an edge leads to its card."""
    if node < 0:
        return -1
    first, last = np.searchsorted(diagram.edges[:, 1], [diagram.item_of_node[node], diagram.item_of_node[node] + 1])
    tails = diagram.edges[first:last, 0]
    tags = tails[(diagram.kind[tails] == REFERENCE) & (diagram.index[tails] == tensor)]
    return int(tags[0]) if len(tags) else -1
