"""A `Frame`: the state of everything after `cursor` steps, computed from the columns by comparison, never by replay, so
that stepping back is exact: the step itself, each tensor, the nodes and edges, the saved buffers. `gradviz.trace.words`
says what the step means, and why a gradient is missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.tables import span
from gradviz.trace.table.values import Value

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Array = NDArray[Any]
Rows = NDArray[np.int64]

MOST_CONTRIBUTIONS = 64  # that a Buffer lists individually
NO_GRAD, NORMAL, ZERO, NOT_FINITE = range(4)  # values of `input_grad_flag`


@dataclass(frozen=True, slots=True)
class Buffer:
    """The input buffer of a tensor's grad_fn or AccumulateGrad in the current backward call."""

    arrived: int
    expected: int
    contributions: tuple[tuple[int, Value], ...]  # the latest: (node that sent it, -1 for the root's; gradient)
    total: Value
    used: bool  # the waiting node has run


@dataclass(frozen=True, slots=True)
class StepView:
    """The current step; its title is `words.explain.title`."""

    index: int
    kind: Kind
    line: int  # -1 unknown
    node: int  # -1 none
    tensor: int
    call: int
    ref: int

    @property
    def is_error(self) -> bool:
        """Whether it is an error, one that ended the run or one that the snippet caught."""
        return self.kind in (Kind.ERROR, Kind.CAUGHT)


@dataclass(frozen=True, slots=True)
class SavedBuffer:
    """One tab on an operation."""

    name: str
    tensor: int  # -1: its own memory
    nbytes: int
    state: str  # "held" | "freed" | "stale"
    version_saved: int
    version_now: int
    freed_at: int  # cursor at which it is freed, -1 never

    @property
    def is_packed(self) -> bool:
        """Whether a pack hook took the tensor and the node holds what the hook returned, as in a checkpoint."""
        return self.tensor < 0 and not self.nbytes


class Frame:
    """The state of a trace at a cursor. Masks are over all rows of the table; numbers out of range raise IndexError."""

    def __init__(self, trace: Trace, cursor: int) -> None:
        self.trace = trace
        self.cursor = cursor

    # -- the step and its backward call

    @cached_property
    def step(self) -> StepView | None:
        """The step just completed, None at the very start."""
        if not self.cursor:
            return None
        steps, at = self.trace.steps, self.cursor - 1
        row = (int(column[at]) for column in (steps.line, steps.node, steps.tensor, steps.call, steps.ref))
        return StepView(at, Kind(int(steps.kind[at])), *row)

    @cached_property
    def began(self) -> int:
        """The first step of what counts as now: what a node frees belongs to its backward."""
        steps, at = self.trace.steps, self.cursor - 1
        return at - 1 if at > 0 and steps.kind[at] == Kind.FREE and steps.node[at] == steps.node[at - 1] else at

    @property
    def current_node(self) -> int:
        """The node of the current step, -1 for none."""
        return int(self.trace.steps.node[self.cursor - 1]) if self.cursor else -1

    @property
    def current_tensor(self) -> int:
        """The tensor of the current step, -1 for none."""
        return int(self.trace.steps.tensor[self.cursor - 1]) if self.cursor else -1

    @property
    def current_line(self) -> int:
        """The line of the snippet that was running, -1 if unknown."""
        return int(self.trace.steps.line[self.cursor - 1]) if self.cursor else -1

    @cached_property
    def call(self) -> int:
        """The backward call in progress, otherwise the latest one, otherwise -1."""
        now = int(self.trace.steps.call[self.cursor - 1]) if self.cursor else -1
        return now if now >= 0 else int(np.searchsorted(self.trace.calls.step, self.cursor)) - 1

    @cached_property
    def in_call(self) -> bool:
        """Whether the backward call is still in progress."""
        return self.call >= 0 and self.trace.call_end(self.call) >= self.cursor

    def _call_steps(self) -> tuple[int, int]:
        return (int(self.trace.calls.step[self.call]), self.cursor) if self.call >= 0 else (0, 0)

    def root_name(self) -> str:
        """The name of the root of the backward call."""
        if self.call < 0 or not len(self.trace.roots_of(self.call)):
            return "out"
        return self.name(int(self.trace.roots_of(self.call)[0]))

    # -- tensors

    def value(self, tensor: int) -> Value | None:
        """The tensor's value."""
        row = self.trace.history("writes", "tensor").last(tensor, self.cursor)
        return self.trace.value(self.trace.writes.value[row] if row >= 0 else self.trace.tensors.value[tensor])

    def dtype(self, tensor: int) -> str:
        """The type of its numbers: a module that is converted gives its parameters another one."""
        return value.dtype if (value := self.value(tensor)) is not None else str(self.trace.tensors.dtype[tensor])

    def version(self, tensor: int) -> int:
        """The tensor's version: how many times it was written in place."""
        row = self.trace.history("writes", "tensor").last(tensor, self.cursor)
        return int(self.trace.writes.version[row] if row >= 0 else self.trace.tensors.version[tensor])

    def grad(self, tensor: int) -> Value | None:
        """What `.grad` holds, None for None."""
        row = self.trace.history("grads", "tensor").last(tensor, self.cursor)
        return self.trace.value(self.trace.grads.value[row]) if row >= 0 else None

    def passing(self, tensor: int) -> Value | None:
        """The gradient that has passed (or is arriving) at a non-leaf in this backward call; it is not stored."""
        return None if self.is_leaf(tensor) else self.arriving(tensor)

    def arriving(self, tensor: int) -> Value | None:
        """The sum in the input buffer of this tensor in this backward call, as its hooks left it."""
        return self.trace.value(self.arrived(tensor))

    def arrived(self, tensor: int) -> int:
        """The number of that value, -1 if there is none."""
        rows, hooks = _arrivals(self, tensor), self.trace.hooks
        if not len(rows):
            return -1
        changed = self.trace.history("hooks", "tensor").last(tensor, self.cursor)
        if changed >= 0 and hooks.after[changed] >= 0 and hooks.step[changed] >= self.trace.arrivals.step[rows[-1]]:
            return int(hooks.after[changed])
        return int(self.trace.arrivals.total[rows[-1]])

    def buffer(self, tensor: int) -> Buffer | None:
        """The input buffer in which this tensor's gradient is summed, None if nothing has arrived in this call."""
        rows = _arrivals(self, tensor)
        if not len(rows):
            return None
        table, last = self.trace.arrivals, rows[-1]
        total = self.trace.value(table.total[last])
        parts = [(int(table.from_node[row]), self.trace.value(table.value[row])) for row in rows[-MOST_CONTRIBUTIONS:]]
        contributions = tuple((sender, part) for sender, part in parts if part is not None)
        if total is None:
            return None
        return Buffer(
            int(table.arrived[last]), int(table.expected[last]), contributions, total, self._used(tensor, int(last))
        )

    def _used(self, tensor: int, arrival: int) -> bool:
        """Whether the node waiting for a gradient of this tensor ran after the latest arrival."""
        steps, producer = self.trace.steps, int(self.trace.tensors.producer[tensor])
        if producer >= 0 and not self.is_leaf(tensor):
            return bool(self.node_ran[producer])
        since = int(self.trace.arrivals.step[arrival])
        return bool(
            ((steps.kind[since : self.cursor] == Kind.ACCUMULATE) & (steps.tensor[since : self.cursor] == tensor)).any()
        )

    def requires_grad(self, tensor: int) -> bool:
        """Whether it requires grad."""
        row = self.trace.history("flags", "tensor").last(tensor, self.cursor)
        return bool(self.trace.flags.requires_grad[row] if row >= 0 else self.trace.tensors.requires_grad[tensor])

    def is_leaf(self, tensor: int) -> bool:
        """Whether it is a leaf."""
        row = self.trace.history("flags", "tensor").last(tensor, self.cursor)
        return bool(self.trace.flags.is_leaf[row] if row >= 0 else self.trace.tensors.is_leaf[tensor])

    def retains_grad(self, tensor: int) -> bool:
        """Whether retain_grad() was called."""
        row = self.trace.history("flags", "tensor").last(tensor, self.cursor)
        return row >= 0 and bool(self.trace.flags.retains_grad[row])

    def name(self, tensor: int) -> str:
        """Its name in the snippet, or the expression that made it."""
        return self.trace.naming.shown(tensor, self.cursor)

    # -- nodes and edges

    def shown_graphs(self) -> Array:
        """The indices of the visible graphs."""
        return np.flatnonzero(self.trace.graphs.shown(self.cursor))

    @cached_property
    def shown_nodes(self) -> Array:
        """Which nodes exist and belong to a visible graph."""
        graphs = self.trace.graphs
        return graphs.shown(self.cursor)[graphs.of_node] & self.node_created

    @cached_property
    def shown_tensors(self) -> Array:
        """Which tensors are visible: results in visible graphs, and leaves that they use, or that are used later or
        never."""
        trace, graphs = self.trace, self.trace.graphs
        shown = graphs.shown(self.cursor)
        result = np.append(shown, False)[graphs.of_tensor]
        user, tensor = trace.inputs.node, trace.inputs.tensor
        last_use = trace.last_use
        leaf = graphs.of_tensor < 0
        result |= leaf & ((last_use < 0) | (last_use >= self.cursor))
        result[tensor[shown[graphs.of_node[user]]]] = True
        return result & self.tensor_created & ~trace.superseded

    @cached_property
    def node_created(self) -> Array:
        """Which operations have run forward."""
        return self.trace.nodes.step < self.cursor

    @cached_property
    def tensor_created(self) -> Array:
        """Which tensors exist."""
        return self.trace.tensors.step < self.cursor

    @cached_property
    def node_ran(self) -> Array:
        """Which nodes have run backward in the present or latest backward call."""
        steps = self.trace.steps
        low, high = self._call_steps()
        ran = np.zeros(len(self.trace.nodes), bool)
        nodes = steps.node[low:high]
        ran[nodes[(steps.kind[low:high] == Kind.BACKWARD) & (steps.call[low:high] == self.call) & (nodes >= 0)]] = True
        return ran

    @cached_property
    def node_freed(self) -> Array:
        """Which nodes have freed their saved buffers."""
        frees = self.trace.frees
        freed = np.zeros(len(self.trace.nodes), bool)
        nodes = frees.node[: span(frees.step, self.cursor, self.cursor)[0]]
        freed[nodes[nodes >= 0]] = True
        return freed

    @cached_property
    def _flows(self) -> tuple[Array, Array]:
        """What has flowed in this backward call: the row of `inputs` of each gradient, and its value."""
        flows = self.trace.flows
        low, high = span(flows.step, *self._call_steps())
        inputs, values = flows.input[low:high], flows.value[low:high]
        mine = (inputs >= 0) & (self.trace.steps.call[flows.step[low:high]] == self.call)
        return (inputs, values) if mine.all() else (inputs[mine], values[mine])

    @cached_property
    def input_grad_norm(self) -> Array:
        """For each row of `trace.inputs`, the norm of the gradient that flowed there in this call, otherwise NaN."""
        norm, (inputs, values) = np.full(len(self.trace.inputs), np.nan), self._flows
        norm[inputs] = self.trace.values.norm[values]
        return norm

    @cached_property
    def input_grad_flag(self) -> Array:
        """For each row of `trace.inputs`: 0 no gradient, 1 normal, 2 all zero, 3 with NaN or infinity."""
        inputs, values = self._flows
        flag = np.zeros(len(self.trace.inputs), np.uint8)
        flag[inputs] = self.trace.value_flag[values]
        return flag

    @cached_property
    def input_grad_now(self) -> Array:
        """For each row of `trace.inputs`, whether a gradient is moving along it now."""
        trace, now = self.trace, np.zeros(len(self.trace.inputs), bool)
        low, high = span(trace.flows.step, self.began, self.cursor)
        rows = trace.flows.input[low:high]
        now[rows[rows >= 0]] = True
        if self.step is not None and self.step.kind == Kind.CONTRIBUTION:
            now[_arriving_row(self, self.step.ref)] = True
        return now

    # -- saved buffers

    def saved(self, node: int) -> tuple[SavedBuffer, ...]:
        """The buffers that a node saved, in its order; () before it has run forward."""
        table = self.trace.saved
        low, high = span(table.node, node, node + 1)
        rows = (row for row in range(low, high) if table.step[row] < self.cursor)
        return tuple(self._saved(row) for row in rows if _is_used(self.trace, node, row))

    def _saved(self, row: int) -> SavedBuffer:
        table = self.trace.saved
        version, freed = int(table.version[row]), int(table.freed[row])
        last = self.trace.history("versions", "storage").last(int(table.storage[row]), self.cursor)
        now = int(self.trace.versions.version[last]) if last >= 0 else version
        state = "freed" if freed < self.cursor else "stale" if now != version else "held"
        freed_at = freed + 1 if freed < len(self.trace) else -1
        tensor, nbytes = int(table.tensor[row]), int(table.nbytes[row])
        return SavedBuffer(table.name[row], tensor, nbytes, state, version, now, freed_at)


def _is_used(trace: Trace, node: int, row: int) -> bool:
    """Whether a buffer is in use: an embedding bag keeps the places of the maxima only if it takes these."""
    is_of_maxima = trace.saved.name[row] == "result3" and trace.nodes.op[node] == "_embedding_bag"
    return not is_of_maxima or "mode=2" in str(trace.nodes.params[node])


def _arrivals(frame: Frame, tensor: int) -> Rows:
    rows = frame.trace.history("arrivals", "tensor").before(tensor, frame.cursor)
    here: Rows = rows[frame.trace.arrivals.call[rows] == frame.call]
    return here if frame.call >= 0 else here[:0]


def _arriving_row(frame: Frame, arrival: int) -> Array:
    """The row of `inputs` along which a gradient arrives: a node that uses a tensor more than once sends the gradients
    one after the other."""
    inputs, of = frame.trace.inputs, frame.trace.arrivals
    sender, tensor, call = (int(column[arrival]) for column in (of.from_node, of.tensor, of.call))
    low, high = span(inputs.node, sender, sender + 1)
    rows = np.flatnonzero((inputs.tensor[low:high] == tensor) & (frame.input_grad_flag[low:high] > 0)) + low
    first = max(0, arrival - (high - low))
    same = (of.from_node[first:arrival] == sender) & (of.tensor[first:arrival] == tensor)
    place = int((same & (of.call[first:arrival] == call)).sum())
    return rows[place : place + 1]


def current_site(frame: Frame) -> int:
    """The place in the program that was running, -1 if unknown."""
    return int(frame.trace.steps.site[frame.cursor - 1]) if frame.cursor else -1
