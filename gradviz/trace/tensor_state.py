"""What is known of one tensor at a moment: value, version, gradients, input buffer, name. `Frame` (`frame.py`) adds
the step, the nodes and the edges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.kinds import Kind
from gradviz.trace.values import Value

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

Array = NDArray[Any]
Rows = NDArray[np.int64]

MOST_CONTRIBUTIONS = 64  # that a Buffer lists one by one


@dataclass(frozen=True, slots=True)
class Buffer:
    """The input buffer of a tensor's grad_fn or AccumulateGrad in the current backward call."""

    arrived: int
    expected: int
    contributions: tuple[tuple[int, Value], ...]  # the last ones: (node that sent it, -1 for the root's; gradient)
    total: Value
    used: bool  # the node that waited has run


class TensorState:
    """The state of the tensors of a trace at a cursor. Numbers out of range raise IndexError."""

    def __init__(self, trace: Trace, cursor: int) -> None:
        self.trace = trace
        self.cursor = cursor

    @cached_property
    def call(self) -> int:
        """The backward call that is going on, else the last one, else -1."""
        now = int(self.trace.steps.call[self.cursor - 1]) if self.cursor else -1
        return now if now >= 0 else int(np.searchsorted(self.trace.calls.step, self.cursor)) - 1

    @cached_property
    def in_call(self) -> bool:
        """Whether the backward call is still going on."""
        return self.call >= 0 and self.trace.call_end(self.call) >= self.cursor

    def _call_steps(self) -> tuple[int, int]:
        return (int(self.trace.calls.step[self.call]), self.cursor) if self.call >= 0 else (0, 0)

    @cached_property
    def node_ran(self) -> Array:
        """Which nodes have run backward in the current or last backward call."""
        steps = self.trace.steps
        low, high = self._call_steps()
        ran = np.zeros(len(self.trace.nodes), bool)
        nodes = steps.node[low:high]
        ran[nodes[(steps.kind[low:high] == Kind.BACKWARD) & (steps.call[low:high] == self.call) & (nodes >= 0)]] = True
        return ran

    def value(self, tensor: int) -> Value | None:
        """The tensor's value."""
        row = self.trace.history("writes", "tensor").last(tensor, self.cursor)
        return self.trace.value(self.trace.writes.value[row] if row >= 0 else self.trace.tensors.value[tensor])

    def version(self, tensor: int) -> int:
        """The tensor's version: how often it was written in place."""
        row = self.trace.history("writes", "tensor").last(tensor, self.cursor)
        return int(self.trace.writes.version[row] if row >= 0 else self.trace.tensors.version[tensor])

    def grad(self, tensor: int) -> Value | None:
        """What `.grad` holds, None for None."""
        row = self.trace.history("grads", "tensor").last(tensor, self.cursor)
        return self.trace.value(self.trace.grads.value[row]) if row >= 0 else None

    def _arrivals(self, tensor: int) -> Rows:
        rows = self.trace.history("arrivals", "tensor").before(tensor, self.cursor)
        here: Rows = rows[self.trace.arrivals.call[rows] == self.call]
        return here if self.call >= 0 else here[:0]

    def passing(self, tensor: int) -> Value | None:
        """The gradient that passed (or is arriving) at a non-leaf in this backward call; it is not stored."""
        rows = self._arrivals(tensor)
        if not len(rows) or self.is_leaf(tensor):
            return None
        hooks = self.trace.hooks
        changed = self.trace.history("hooks", "tensor").last(tensor, self.cursor)
        if changed >= 0 and hooks.after[changed] >= 0 and hooks.step[changed] >= self.trace.arrivals.step[rows[-1]]:
            return self.trace.value(hooks.after[changed])
        return self.trace.value(self.trace.arrivals.total[rows[-1]])

    def arriving(self, tensor: int) -> Value | None:
        """The sum in the input buffer of this tensor in this backward call."""
        rows = self._arrivals(tensor)
        return self.trace.value(self.trace.arrivals.total[rows[-1]]) if len(rows) else None

    def buffer(self, tensor: int) -> Buffer | None:
        """The input buffer where this tensor's gradient is summed, None while nothing has arrived in this call."""
        rows = self._arrivals(tensor)
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
        """Whether the node that waited for a gradient of this tensor ran after its last arrival."""
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
        """What the snippet calls it, falling back to the expression that made it."""
        return self.trace.naming.name(tensor, self.cursor)

    def no_grad_reason(self, tensor: int) -> str | None:
        """Why `.grad` is None, in words; None when it is not."""
        from gradviz.trace.reasons import no_grad_reason

        return no_grad_reason(self, tensor)

    def root_name(self) -> str:
        """The name of what the backward call differentiates."""
        if self.call < 0 or not len(self.trace.roots_of(self.call)):
            return "out"
        return self.name(int(self.trace.roots_of(self.call)[0]))
