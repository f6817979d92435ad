"""The recorder: the observer of the engine that writes what happens into the tables of `schema.py`, as packed rows.
Forward, in-place and views are in `forward.py`, names in `binding.py`; here are the backward pass and everything else
that is reported.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradviz.engine.graph import Edge, Node
from gradviz.trace.binding import Binder
from gradviz.trace.catching import Catcher
from gradviz.trace.chains import Question, answer
from gradviz.trace.compact import Compact, pack_ran
from gradviz.trace.encoding import BUDGET, PACK, Writer
from gradviz.trace.forward import ForwardRecorder
from gradviz.trace.instrument import ALSO, CATCH, HOOK, ITERATE
from gradviz.trace.instrument_regions import STACK
from gradviz.trace.kinds import Kind
from gradviz.trace.memory import Memory
from gradviz.trace.region_stack import RegionStack
from gradviz.trace.schema import Batch
from gradviz.trace.sites import Sites

if TYPE_CHECKING:
    from gradviz.engine.tensor import Tensor

_CONTRIBUTION = int(Kind.CONTRIBUTION)
_pack_step, _pack_flow, _pack_arrival = (PACK[name] for name in ("steps", "flows", "arrivals"))


class Recorder(ForwardRecorder):
    """Records one run. `filename` is the name under which the snippet was compiled."""

    def __init__(
        self,
        source: str,
        filename: str,
        budget: int = BUDGET,
        question: Question | None = None,
    ) -> None:
        super().__init__(source, filename, budget)
        self._flows = self.writer.rows["flows"]
        self._arrivals = self.writer.rows["arrivals"]
        self._arrival_count = 0
        self._running = -1  # the node that ran last in this backward pass
        self._site = -1  # where the backward call is
        self._outer: list[tuple[int, int, int]] = []  # calls that wait for the one that is going on
        self._question = question
        self._binder = Binder(self)
        self._catcher = Catcher(self)

    # -- what the worker calls

    def hooks(self) -> dict[str, object]:
        """The names that instrumented code needs."""
        binder = self._binder
        return {
            HOOK: binder.bind,
            ITERATE: binder.iterate,
            ALSO: binder.also,
            STACK: self.regions.stack,
            CATCH: self._catcher.catch,
        }

    @property
    def busy(self) -> bool:
        """Whether an event is being recorded right now, so that a batch must not be taken."""
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code in _CODES:
                return True
            frame = frame.f_back  # type: ignore[assignment]
        return False

    def take_batch(self) -> Batch | None:
        """What was recorded since the last call, None when there is nothing."""
        dropped, self.dropped = self.dropped, []
        for step, node in dropped:
            self.writer.add("drops", step, node)
        self.compact.expand(self.writer.rows)
        return self.writer.take() if any(self.writer.rows.values()) else None

    def text(self, stream: str, text: str) -> None:
        """The snippet printed ("out"), or a warning was shown ("err")."""
        kind = Kind.PRINT if stream == "out" else Kind.WARNING
        step = self.add_step(kind, -1, -1, self.sites.here(2), self.writer.count("texts"))
        self.writer.add("texts", step, self.writer.text(stream), self.writer.text(text))

    def raised(self, kind: str, message: str, line: int, traceback: str, last_line: str) -> None:
        """The snippet ended with an error; only the first one counts."""
        if self.writer.count("errors"):
            return
        text = self.writer.text
        step = self.add_step(Kind.ERROR, -1, -1, self.sites.at_line(line), 0)
        self.writer.add("errors", step, text(kind), text(message), line, text(traceback), text(last_line))

    # -- the backward pass

    def backward_begin(
        self,
        roots: Sequence[Tensor],
        gradients: Sequence[Tensor | None],
        retain_graph: bool,
        create_graph: bool,
        inputs: Sequence[Tensor] | None,
    ) -> None:
        """A backward pass starts at `roots`."""
        self._outer.append((self.call, self._site, self._running))
        add, site = self.writer.add, self.sites.here(3)
        self.call, self._site, self._running = self.writer.count("calls"), site, -1
        tensors = [self.tensor_of(root) for root in roots]
        step = self.add_step(Kind.BACKWARD_CALL, -1, tensors[0] if tensors else -1, site, self.call)
        add("calls", step, site, retain_graph, create_graph)
        for tensor, given in zip(tensors, gradients, strict=True):
            add("roots", self.call, tensor, -1 if given is None else self.writer.value(given._data))
        for each in inputs or ():
            add("wanted", self.call, self.tensor_of(each))
        if self._question is not None and self._question.call == self.call:
            answer(self._question, roots, gradients, self._tensor_of_edge, self.writer)

    def backward_end(self) -> None:
        """The backward pass is over."""
        self.writer.add("ends", self.step - 1, self.call)
        self.call, self._site, self._running = self._outer.pop()

    def _tensor_of_edge(self, edge: Edge) -> int:
        """The tensor whose gradient goes along an edge, -1 for one that is not recorded."""
        node, output_nr = edge
        if node._leaf is not None:
            return node._leaf._tag
        first = self.first_output[node._tag] if node._tag >= 0 else -1
        return first + output_nr if first >= 0 else -1

    def contribution(self, node: Node, input_nr: int, grad: Tensor, total: Tensor, arrived: int, expected: int) -> None:
        """A gradient arrived at a node's input buffer."""
        made_by = node._tag
        if made_by >= 0:
            tensor = self.first_output[made_by]  # -1: its forward was not recorded
            if tensor >= 0:
                tensor += input_nr
        else:
            tensor = -1 if node._leaf is None else self.tensor_of(node._leaf)
        step, call = self.step, self.call
        row = self._arrival_count
        self._arrival_count = row + 1
        if expected > 1:
            self.step = step + 1
            self._steps += _pack_step(_CONTRIBUTION, self._running, tensor, self._site, call, row)
        else:
            step -= 1
        data = grad._data
        value = self._last[1] if data is self._last[0] else self.grad_value(data)
        summed = value if total is grad else self.grad_value(total._data)
        self._arrivals += _pack_arrival(step, tensor, self._running, value, summed, arrived, expected, call)

    def backward_node(
        self, node: Node, grads_in: Sequence[Tensor | None], grads_out: Sequence[Tensor | None], freed: bool
    ) -> None:
        """One node ran, and perhaps its buffers were freed."""
        number = node._tag
        if number < 0:
            number = self.adopt_node(node)
        self._running = number
        step = self.step
        self.step = step + 2 if freed else step + 1
        if node.retained is not None:
            for kept in node.retained.values():
                tensor = kept()
                if tensor is not None:
                    self.grad_changed(step, tensor)
        first = second = -1
        slots = node.slots
        for at, grad in enumerate(grads_out):
            if grad is not None:
                slot = at if slots is None else slots[at]
                data = grad._data
                value = self._last[1] if data is self._last[0] else self.grad_value(data)
                if slot == 0:
                    first = value
                elif slot == 1:
                    second = value
                else:
                    self._flows += _pack_flow(step, number, slot, value)
        if freed:
            self._alive.pop(number, None)
        self._ran += pack_ran(step, number, self._site, self.call, first, second, freed)

    def accumulated(self, node: Node, variable: Tensor, incoming: Tensor) -> None:
        """`AccumulateGrad` ran."""
        tensor = self.tensor_of(variable)
        step = self.add_step(Kind.ACCUMULATE, -1, tensor, self._site, self.writer.count("grads"))
        self.grad_changed(step, variable)

    # -- everything else

    def hook(self, kind: str, target: object, before: object, after: object) -> None:
        """A hook was called."""
        variable: Any = target._leaf if isinstance(target, Node) else target
        tensor = -1 if variable is None else self.tensor_of(variable)
        node = target._tag if isinstance(target, Node) and variable is None else -1
        if node >= 0 and kind == "tensor":
            tensor = self.first_output[node]
        site = self._site if self.call >= 0 else self.sites.here(3)
        step = self.add_step(Kind.HOOK, node, tensor, site, self.writer.count("hooks"))
        values = [self._first_value(each) for each in (before, after)]
        self.writer.add("hooks", step, self.writer.text(kind), node, tensor, *values)

    def _first_value(self, grads: Any) -> int:
        """The value of a gradient, or of the first one of several."""
        several = grads if isinstance(grads, (tuple, list)) else (grads,)
        return next((self.grad_value(each._data) for each in several if each is not None), -1)

    def cleared(self, tensor: Tensor, to_none: bool) -> None:
        """`.grad` was set to None, to zeros or to another tensor."""
        number = self.tensor_of(tensor)
        step = self.add_step(Kind.CLEAR_GRAD, -1, number, self.sites.here(3), self.writer.count("grads"))
        self.grad_changed(step, tensor)

    def optimizer(self, name: str, params: Sequence[Tensor]) -> None:
        """An optimizer updated its parameters."""
        step = self.add_step(Kind.OPTIMIZER, -1, -1, self.sites.here(3), self.writer.count("optimizers"))
        self.writer.add("optimizers", step, self.writer.text(name))
        for each in params:
            self.tensor_of(each)
            self.written(step, each)

    def enter(self, module_name: str) -> None:
        """A module's `forward` begins."""
        self.regions.enter(module_name)

    def exit(self) -> None:
        """A module's `forward` is over."""
        self.regions.exit()

    def metadata_changed(self, tensor: Tensor) -> None:
        """`requires_grad_`, `retain_grad`, `detach_` or `.data = ...` changed the tensor."""
        number, step = self.tensor_of(tensor), self.step - 1
        retains = bool(tensor.retains_grad)
        self.writer.add("flags", step, number, tensor.requires_grad, retains, tensor.is_leaf)
        self.written(step, tensor)


_CODES = {
    function.__code__
    for owner in (*Recorder.__mro__[:-1], Binder, Catcher, RegionStack, Sites, Writer, Memory, Compact)
    for name, function in vars(owner).items()
    if hasattr(function, "__code__") and name != "__init__"
}
