"""A `Frame`: the state of everything when `cursor` steps are done, computed from the columns by comparison, never
by replay, so that stepping back is exact. What the current step means in words is in `explain.py`, why a gradient
is missing in `reasons.py`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.index import span
from gradviz.trace.kinds import Kind
from gradviz.trace.tensor_state import TensorState

if TYPE_CHECKING:
    from gradviz.trace.explain import Explanation

Array = NDArray[Any]
Rows = NDArray[np.int64]

NO_GRAD, NORMAL, ZERO, NOT_FINITE = range(4)  # values of `input_grad_flag`


@dataclass(frozen=True, slots=True)
class StepView:
    """The current step."""

    index: int
    kind: Kind
    title: str  # "MulBackward0 (line 8)"
    line: int  # -1 unknown
    node: int  # -1 none
    tensor: int
    call: int
    ref: int


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
        """True if a pack hook took the tensor and the node holds what it returned, as a checkpoint does."""
        return self.tensor < 0 and not self.nbytes


class Frame(TensorState):
    """The state of a trace at a cursor. Masks are over all rows of the table; numbers out of range raise IndexError."""

    # -- the step

    @cached_property
    def step(self) -> StepView | None:
        """The step just done, None at the very start."""
        if not self.cursor:
            return None
        from gradviz.trace.explain import title

        steps, at = self.trace.steps, self.cursor - 1
        kind = Kind(int(steps.kind[at]))
        place = (
            int(steps.line[at]),
            int(steps.node[at]),
            int(steps.tensor[at]),
            int(steps.call[at]),
            int(steps.ref[at]),
        )
        return StepView(at, kind, title(self), *place)

    @cached_property
    def explanation(self) -> Explanation:
        """What happened in this step, in a sentence with the numbers put in, and what comes next."""
        from gradviz.trace.explain import explain

        return explain(self)

    @property
    def current_node(self) -> int:
        """The node of the current step, -1 none."""
        return int(self.trace.steps.node[self.cursor - 1]) if self.cursor else -1

    @property
    def current_tensor(self) -> int:
        """The tensor of the current step, -1 none."""
        return int(self.trace.steps.tensor[self.cursor - 1]) if self.cursor else -1

    @property
    def current_line(self) -> int:
        """The line of the snippet that was running, -1 unknown."""
        return int(self.trace.steps.line[self.cursor - 1]) if self.cursor else -1

    # -- nodes and edges

    def shown_graphs(self) -> Array:
        """The numbers of the graphs that are shown now."""
        return np.flatnonzero(self.trace.graphs.shown(self.cursor))

    @cached_property
    def shown_nodes(self) -> Array:
        """Which nodes exist and belong to a graph that is shown."""
        graphs = self.trace.graphs
        return graphs.shown(self.cursor)[graphs.of_node] & self.node_created

    @cached_property
    def shown_tensors(self) -> Array:
        """Which tensors to show: results of shown graphs; leaves that they use, or that are used later or never."""
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
    def node_freed(self) -> Array:
        """Which nodes have freed their saved buffers."""
        frees = self.trace.frees
        freed = np.zeros(len(self.trace.nodes), bool)
        nodes = frees.node[: span(frees.step, self.cursor, self.cursor)[0]]
        freed[nodes[nodes >= 0]] = True
        return freed

    @cached_property
    def _flows(self) -> tuple[Array, Array]:
        """What flowed in this backward call: the row of `inputs` of each gradient, and its value."""
        flows = self.trace.flows
        low, high = span(flows.step, *self._call_steps())
        inputs, values = flows.input[low:high], flows.value[low:high]
        mine = (inputs >= 0) & (self.trace.steps.call[flows.step[low:high]] == self.call)
        return (inputs, values) if mine.all() else (inputs[mine], values[mine])

    @cached_property
    def input_grad_norm(self) -> Array:
        """For each row of `trace.inputs` the norm of the gradient that flowed there in this call; NaN where none
        did."""
        inputs, values = self._flows
        norm = np.full(len(self.trace.inputs), np.nan)
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
        """For each row of `trace.inputs`: whether a gradient moves along it in exactly this step."""
        trace, now = self.trace, np.zeros(len(self.trace.inputs), bool)
        low, high = span(trace.flows.step, self.cursor - 1, self.cursor)
        rows = trace.flows.input[low:high]
        now[rows[rows >= 0]] = True
        if self.step is not None and self.step.kind == Kind.CONTRIBUTION:
            sender = int(trace.arrivals.from_node[self.step.ref])
            low, high = span(trace.inputs.node, sender, sender + 1)
            now[low:high] |= trace.inputs.tensor[low:high] == self.step.tensor
        return now

    # -- saved buffers

    def saved(self, node: int) -> tuple[SavedBuffer, ...]:
        """The buffers that a node saved, in its order; () before it ran forward."""
        table = self.trace.saved
        low, high = span(table.node, node, node + 1)
        return tuple(self._saved(row) for row in range(low, high) if table.step[row] < self.cursor)

    def _saved(self, row: int) -> SavedBuffer:
        table = self.trace.saved
        version, freed = int(table.version[row]), int(table.freed[row])
        last = self.trace.history("versions", "storage").last(int(table.storage[row]), self.cursor)
        now = int(self.trace.versions.version[last]) if last >= 0 else version
        state = "freed" if freed < self.cursor else "stale" if now != version else "held"
        freed_at = freed + 1 if freed < len(self.trace) else -1
        return SavedBuffer(
            table.name[row], int(table.tensor[row]), int(table.nbytes[row]), state, version, now, freed_at
        )

    @property
    def held_bytes(self) -> int:
        """Bytes of saved buffers held now, every storage counted once."""
        return int(self.trace.held_bytes[self.cursor])
