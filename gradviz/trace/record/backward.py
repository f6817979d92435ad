"""The backward pass as reported by the engine: calls, arriving gradients, nodes that run, leaves that get their
`.grad`, hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gradviz.engine.kernel.graph import Edge, Node
from gradviz.trace.record.chains import Question, answer
from gradviz.trace.record.forward import Writes
from gradviz.trace.record.location import COUNT, PLACE
from gradviz.trace.record.rows import RowWriter, pack_ran
from gradviz.trace.table.encoding import PACK
from gradviz.trace.table.kinds import Kind

if TYPE_CHECKING:
    from gradviz.engine.kernel.tensor import Tensor

Array = NDArray[Any]

_CONTRIBUTION = int(Kind.CONTRIBUTION)
_pack_step, _pack_flow, _pack_arrival = (PACK[name] for name in ("steps", "flows", "arrivals"))


class BackwardPass:
    """Backward calls, nested if a hook makes another call."""

    def __init__(self, rows: RowWriter, writes: Writes, question: Question | None) -> None:
        self._rows = rows
        self._writes = writes
        self._value, self._alive = rows.value, rows.alive
        self._ran, tables = rows.compact.ran, rows.writer.rows
        self._steps, self._flows, self._arrivals = tables["steps"], tables["flows"], tables["arrivals"]
        self._arrival_count = 0
        self._running = -1  # the node that ran last in this backward pass
        self._site = -1  # the site of the backward call
        self._outer: list[tuple[int, int, int]] = []  # calls interrupted by the one in progress
        self._question = question
        self.loop = 0  # height of the stack of regions in the loop around the latest call
        # The two gradients recorded last: most arrive, or are passed on, right after they were sent.
        self._last: tuple[Array | None, int] = (None, -1)
        self._before_last: tuple[Array | None, int] = (None, -1)

    def before_write(self, tensor: Tensor) -> None:
        """Memory is about to be overwritten: remembered gradients are no longer valid. What `.data` returned still
        shares it."""
        if tensor._tag == -1 and "_detached_from" in tensor.__dict__:
            self._rows.tensor_of(tensor)
        self._last = self._before_last = (None, -1)

    def forget(self) -> None:
        """Memory may have been written while nothing was observed."""
        self._last = self._before_last = (None, -1)

    def _grad_value(self, data: Array) -> int:
        """The value of a gradient: the same index again for the same array."""
        last = self._last
        if data is last[0]:
            return last[1]
        before = self._before_last
        if data is before[0]:
            return before[1]
        number = self._value(data)
        self._before_last, self._last = last, (data, number)
        return number

    def begin(
        self,
        roots: Sequence[Tensor],
        gradients: Sequence[Tensor | None],
        retain_graph: bool,
        create_graph: bool,
        inputs: Sequence[Tensor] | None,
    ) -> None:
        """A backward pass starts at `roots`."""
        rows = self._rows
        self._outer.append((rows.call, self._site, self._running))
        add, site = rows.writer.add, rows.sites.here(3)
        rows.call, self._site, self._running = rows.writer.count("calls"), site, -1
        self.loop = rows.regions.innermost_loop()
        if self.loop and rows.training is not rows.stack[self.loop + PLACE]:
            rows.training, rows.training_index = rows.stack[self.loop + PLACE], rows.stack[self.loop + COUNT]
        tensors = [rows.tensor_of(root) for root in roots]
        step = rows.add_step(Kind.BACKWARD_CALL, -1, tensors[0] if tensors else -1, site, rows.call)
        add("calls", step, site, retain_graph, create_graph)
        for tensor, given in zip(tensors, gradients, strict=True):
            add("roots", rows.call, tensor, -1 if given is None else rows.writer.value(given._data))
        for each in inputs or ():
            add("wanted", rows.call, rows.tensor_of(each))
        asked = self._question
        if asked is not None and asked.call == rows.call and not asked.nudges:
            answer(asked, roots, gradients, self._tensor_of_edge, rows.writer)

    def end(self) -> None:
        """The backward pass is over."""
        rows = self._rows
        rows.writer.add("ends", rows.step - 1, rows.call)
        rows.call, self._site, self._running = self._outer.pop()

    def _tensor_of_edge(self, edge: Edge) -> int:
        """The tensor whose gradient flows along an edge, -1 if it is not recorded."""
        rows = self._rows
        node, output_nr = edge
        if node._leaf is not None:
            return node._leaf._tag
        first = rows.first_output[node._tag] if node._tag >= 0 else -1
        return first + output_nr if first >= 0 else -1

    def contribution(self, node: Node, input_nr: int, grad: Tensor, total: Tensor, arrived: int, expected: int) -> None:
        """A gradient arrived at a node's input buffer."""
        rows = self._rows
        made_by = node._tag
        if made_by >= 0:
            tensor = rows.first_output[made_by]  # -1 if its forward was not recorded
            if tensor >= 0:
                tensor += input_nr
        else:
            tensor = -1 if node._leaf is None else rows.tensor_of(node._leaf)
        step, call = rows.step, rows.call
        row = self._arrival_count
        self._arrival_count = row + 1
        if expected > 1:
            rows.step = step + 1
            self._steps += _pack_step(_CONTRIBUTION, self._running, tensor, self._site, call, row)
        else:
            step -= 1
        data = grad._data
        value = self._last[1] if data is self._last[0] else self._grad_value(data)
        summed = value if total is grad else self._grad_value(total._data)
        self._arrivals += _pack_arrival(step, tensor, self._running, value, summed, arrived, expected, call)

    def node_ran(
        self, node: Node, grads_in: Sequence[Tensor | None], grads_out: Sequence[Tensor | None], freed: bool
    ) -> None:
        """One node ran, and its buffers may have been freed."""
        rows = self._rows
        number = node._tag
        if number < 0:
            number = rows.adopt_node(node)
        self._running = number
        step = rows.step
        rows.step = step + 2 if freed else step + 1
        if node.retained is not None:
            for kept in node.retained.values():
                tensor = kept()
                if tensor is not None:
                    self._writes.grad_changed(step, tensor)
        first = second = -1
        slots = node.slots
        for at, grad in enumerate(grads_out):
            if grad is not None:
                slot = at if slots is None else slots[at]
                data = grad._data
                value = self._last[1] if data is self._last[0] else self._grad_value(data)
                if slot == 0:
                    first = value
                elif slot == 1:
                    second = value
                else:
                    self._flows += _pack_flow(step, number, slot, value)
        if freed:
            self._alive.pop(number, None)
        self._ran += pack_ran(step, number, self._site, rows.call, first, second, freed)

    def accumulated(self, node: Node, variable: Tensor, incoming: Tensor) -> None:
        """`AccumulateGrad` ran."""
        rows = self._rows
        tensor = rows.tensor_of(variable)
        step = rows.add_step(Kind.ACCUMULATE, -1, tensor, self._site, rows.writer.count("grads"))
        self._writes.grad_changed(step, variable)

    def hook(self, kind: str, target: object, before: object, after: object) -> None:
        """A hook was called."""
        rows = self._rows
        variable: Any = target._leaf if isinstance(target, Node) else target
        tensor = -1 if variable is None else rows.tensor_of(variable)
        node = target._tag if isinstance(target, Node) and variable is None else -1
        if node >= 0 and kind == "tensor":
            tensor = rows.first_output[node]
        site = self._site if rows.call >= 0 else rows.sites.here(3)
        step = rows.add_step(Kind.HOOK, node, tensor, site, rows.writer.count("hooks"))
        values = [self._first_value(each) for each in (before, after)]
        rows.writer.add("hooks", step, rows.writer.text(kind), node, tensor, *values)

    def _first_value(self, grads: Any) -> int:
        """The value of a gradient, or of the first one of several."""
        several = grads if isinstance(grads, (tuple, list)) else (grads,)
        return next((self._grad_value(each._data) for each in several if each is not None), -1)
