"""The recorder: the observer of the engine that writes what happens into the tables of `schema.py`, as packed rows. It
consists of parts that share the rows (`rows`): `forward` has the forward pass and writes, `BackwardPass` the backward
pass (calls, arriving gradients, nodes that run, leaves that get their `.grad`, hooks), `instrument` names and caught
errors. Everything else is here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gradviz.engine.kernel.graph import Edge, Node
from gradviz.engine.kernel.state import RENAMING, identity, set_observer
from gradviz.engine.kernel.tensor import Tensor
from gradviz.trace.record.binding import Binder, Catcher, write_given
from gradviz.trace.record.chains import Question, answer
from gradviz.trace.record.forward import ForwardPass, Writes
from gradviz.trace.record.gaps import AVERAGES, SQUARES, Gaps, count_of, iterations_left
from gradviz.trace.record.instrument import ALSO, CATCH, HOOK, ITERATE, LEFT, SIZED, STACK
from gradviz.trace.record.location import COUNT, PLACE, TOTAL, RegionStack, Sites
from gradviz.trace.record.location import Place as CodePlace
from gradviz.trace.record.partials import PartialsWriter, Place
from gradviz.trace.record.rows import Compact, Memory, RowWriter, pack_ran, stands_as_leaf
from gradviz.trace.table.encoding import BUDGET, PACK, Parts, Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import ENDS_HERE

UNWRITTEN = (
    ENDS_HERE + "what changed in the iterations that are not recorded could not be written ({why}). What the run "
    "printed and drew is shown.\n"
)

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
        self._numberless = False  # the call is on the meta device
        self.loop = 0  # height of the stack of regions in the loop around the latest call
        # The two gradients recorded last, and all that the latest node sent if they were more: most arrive, or are
        # passed on, right after they were sent.
        self._last: tuple[Array | None, int] = (None, -1)
        self._before_last: tuple[Array | None, int] = (None, -1)
        self._sent: dict[int, tuple[Array, int]] = {}  # by identity

    def before_write(self, tensor: Tensor) -> None:
        """Memory is about to be overwritten: remembered gradients are no longer valid. What `.data` or `detach()`
        returned still shares it, and gets its step with the value that it has now."""
        for each in self._rows.memory.waiting_for(tensor):
            self._rows.tensor_of(each)
        self.forget()

    def before_numpy_writes(self, array: Array) -> None:
        """NumPy is about to overwrite memory of tensors."""
        self._writes.before_numpy_writes(array)
        self.forget()

    def forget(self) -> None:
        """Memory may have been written while nothing was observed."""
        self._last = self._before_last = (None, -1)
        self._sent.clear()

    def _grad_value(self, data: Array) -> int:
        """The value of a gradient: the same index again for the same array."""
        last = self._last
        if data is last[0]:
            return last[1]
        before = self._before_last
        if data is before[0]:
            return before[1]
        if self._sent and (sent := self._sent.get(identity(data))) is not None:
            return sent[1]
        number = self._value(data) if not self._numberless else self._rows.writer.no_numbers(data)
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
        self._numberless = any(root._on_meta for root in roots)
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
            tensor = max(-2 - made_by, -1) if node._leaf is None else rows.tensor_of(node._leaf)
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
        slots, several = node.slots, len(grads_out) > 2
        self._sent.clear()
        for at, grad in enumerate(grads_out):
            if grad is not None:
                slot = at if slots is None else slots[at]
                data = grad._data
                value = self._last[1] if data is self._last[0] else self._grad_value(data)
                if several:
                    self._sent[identity(data)] = data, value
                if slot == 0:
                    first = value
                elif slot == 1:
                    second = value
                else:
                    self._flows += _pack_flow(step, number, slot, value)
        if freed:
            self._alive.pop(number, None)
        self._ran += pack_ran(step, number, self._site, rows.call, first, second, freed)

    def accumulated(self, node: Node, variable: Tensor, incoming: Tensor, first: bool) -> None:
        """`AccumulateGrad` ran; the `first` gradient became `.grad` as it is."""
        rows = self._rows
        tensor = rows.tensor_of(variable)
        step = rows.add_step(Kind.ACCUMULATE, -1, tensor, self._site, rows.writer.count("grads"))
        self._writes.grad_changed(step, variable, self._grad_value(incoming._data) if first else -1)

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


class Recorder:
    """Records one run. `filename` is the name under which the snippet was compiled."""

    def __init__(
        self,
        source: str,
        filename: str,
        budget: int = BUDGET,
        question: Question | None = None,
        places: Sequence[Place] = (),
    ) -> None:
        rows = self._rows = RowWriter(source, filename, budget)
        writes = self._writes = Writes(rows)
        self._binder, self._catcher = Binder(rows), Catcher(rows)
        forward = ForwardPass(rows, writes, self._binder.made_anew)
        backward = BackwardPass(rows, writes, question)
        # The engine's reports go directly to the part that writes them.
        self.created, self.forward, self.detached = forward.created, forward.forward, rows.detached
        self.shown_as, self.exported, self.is_shared = forward.shown_as, writes.exported, rows.memory.is_shared
        self.backward_begin, self.backward_end = backward.begin, backward.end
        self.contribution, self.backward_node = backward.contribution, backward.node_ran
        self.accumulated, self.hook, self.before_write = backward.accumulated, backward.hook, backward.before_write
        self.before_numpy_writes, self.numpy_wrote = backward.before_numpy_writes, writes.numpy_wrote
        self.enter, self.exit = rows.regions.enter, rows.regions.exit
        if places:
            self.forward = PartialsWriter(rows, forward.forward, places).forward
        self._backward = backward
        self._gaps = Gaps(rows, writes)
        self.failure = ""  # why what changed in a gap could not be written, after which nothing is recorded

    # -- what the worker calls

    def hooks(self) -> dict[str, object]:
        """The names that instrumented code needs."""
        binder = self._binder
        return {
            HOOK: binder.bind,
            ITERATE: binder.iterate,
            ALSO: binder.also,
            SIZED: binder.sized,
            LEFT: binder.left,
            STACK: self._rows.regions.stack,
            CATCH: self._catcher.catch,
        }

    @property
    def step(self) -> int:
        """The number of the next step."""
        return self._rows.step

    @property
    def busy(self) -> bool:
        """Whether an event is being recorded right now, so that no batch may be taken."""
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code in _CODES or frame.f_code in RENAMING:
                return True
            frame = frame.f_back  # type: ignore[assignment]
        return False

    def take_parts(self) -> Parts | None:
        """What was recorded since the last call, None if nothing was."""
        rows = self._rows
        dropped, rows.dropped = rows.dropped, []
        for step, node in dropped:
            rows.writer.add("drops", step, node)
        rows.compact.expand(rows.writer.rows)
        return rows.writer.take_parts() if any(rows.writer.rows.values()) else None

    def text(self, stream: str, text: str) -> None:
        """The snippet printed ("out"), or a warning was shown ("err")."""
        rows = self._rows
        if rows.in_gap:
            rows.writer.add("texts", rows.step - 1, rows.writer.text(stream), rows.writer.text(text))
            return
        kind = Kind.PRINT if stream == "out" else Kind.WARNING
        step = rows.add_step(kind, -1, -1, rows.sites.here(2), rows.writer.count("texts"))
        rows.writer.add("texts", step, rows.writer.text(stream), rows.writer.text(text))

    def raised(self, error: BaseException, place: CodePlace, texts: tuple[str, str, str, str]) -> None:
        """The snippet ended with an error: its type, message, traceback and last line. Only the first one counts."""
        rows = self._rows
        if rows.writer.count("errors"):
            return
        self.finish()
        kind, message, traceback, last_line = map(rows.writer.text, texts)
        step = rows.add_step(Kind.ERROR, -1, -1, rows.sites.at(place)[0], 0)
        rows.writer.add("errors", step, kind, message, place[0] or -1, traceback, last_line)
        write_given(rows, step, rows.sites.raised(error.__traceback__)[1])

    @property
    def is_between_backwards(self) -> bool:
        """Whether an iteration of the loop around the latest backward pass begins, or there was none."""
        around = self._backward.loop
        return not around or len(self._rows.regions.stack) == around

    def on_turn(self, turned: Callable[[], None], left: Callable[[], None]) -> None:
        """Call these when an iteration of the training loop begins, and after any loop."""
        self._binder.turned, self._binder.left_loop = turned, left

    def end_loops(self) -> int:
        """Make the current iteration of each loop the last one, if all can be ended; returns how many loops end."""
        return self._binder.end_loops()

    def tell_every_turn(self) -> None:
        """Report the iterations of all loops from now on."""
        self._binder.every_turn = True

    @property
    def turning(self) -> object:
        """The place of the loop of which an iteration begins."""
        return self._rows.stack[PLACE]

    @property
    def training(self) -> object:
        """The place of the loop around the latest backward pass, None for none."""
        return self._rows.training

    @property
    def training_index(self) -> int:
        """How many of its iterations were over when it turned out to be the training loop."""
        return self._rows.training_index

    def takes_for_training(self) -> None:
        """The loop of which an iteration begins trains: its backward passes ran while nothing was recorded."""
        rows = self._rows
        rows.training, rows.training_index = rows.stack[PLACE], rows.stack[COUNT] - 1

    @property
    def is_in_loop(self) -> bool:
        """Whether the program is inside any loop."""
        return bool(self._rows.regions.innermost_loop())

    @property
    def is_in_one_loop(self) -> bool:
        """Whether there is no loop around the innermost one."""
        return self._gaps.loops_around == 1

    @property
    def iterations_left(self) -> int:
        """How many iterations follow the one that begins, -1 if unknown."""
        return iterations_left(self._rows.stack)

    @property
    def index_in_loop(self) -> int:
        """How many iterations of the innermost loop were over before the one that begins."""
        return int(self._rows.stack[COUNT])

    @property
    def left_of_loop(self) -> int:
        """How many iterations of the innermost loop follow, those of the loops around it not counted; -1 if unknown."""
        total: int = self._rows.stack[TOTAL]
        return total - 1 - self._rows.stack[COUNT] if total >= 0 else -1

    @property
    def in_gap(self) -> bool:
        """Whether nothing is recorded at the moment."""
        return self._gaps.is_open

    @property
    def gap_is_left(self) -> bool:
        """Whether nothing is recorded, and the loops in which the gap began have been left."""
        return self._gaps.is_left

    def pause(self, turn: int) -> None:
        """Record nothing but printed text from here on."""
        self._binder.rest()
        self._gaps.begin(turn)

    def skip(self) -> None:
        """An iteration begins that is not recorded."""
        self._gaps.skip()

    def resume(self, turn: int) -> None:
        """Record again."""
        self._backward.forget()
        self._end_gap(turn)
        if not self.failure:
            self._binder.wake()

    def finish(self) -> str:
        """The run is over: an open gap writes what has changed. Returns what there is to say, "" for nothing."""
        if self._gaps.is_open:
            self._end_gap(-2)
            set_observer(None)
        return UNWRITTEN.format(why=self.failure) if self.failure else ""

    def _end_gap(self, turn: int) -> None:
        """Where its end can't be written, for lack of memory or because of a mistake of ours, the gap stays open: the
        trace is true as far as it goes, and the run must not end for it."""
        if not self.failure:
            try:
                self._gaps.end(turn)
            except Exception as error:  # noqa: BLE001 whatever it is
                self.failure = f"{type(error).__name__}: {error}".removesuffix(": ")

    # -- everything else

    def cleared(self, tensor: Tensor, to_none: bool) -> None:
        """`.grad` was set to None, to zeros or to another tensor."""
        rows = self._rows
        number = rows.tensor_of(tensor)
        step = rows.add_step(Kind.CLEAR_GRAD, -1, number, rows.sites.here(3), rows.writer.count("grads"))
        self._writes.grad_changed(step, tensor)

    def optimizer(
        self, name: str, params: Sequence[Tensor], groups: Sequence[Mapping[str, Any]], states: Mapping[Tensor, Any]
    ) -> None:
        """An optimizer updated its parameters."""
        rows = self._rows
        step = rows.add_step(Kind.OPTIMIZER, -1, -1, rows.sites.here(3), rows.writer.count("optimizers"))
        rows.writer.add("optimizers", step, rows.writer.text(name))
        distinct = {identity(group): group for group in groups}
        settings = {key: rows.writer.text(settings_text(group)) for key, group in distinct.items()}
        for each, group in zip(params, groups, strict=True):
            number = rows.tensor_of(each)
            self._writes.written(step, each)
            kept = states.get(each)
            state = kept if type(kept) is dict else {}
            count, average, square = 0, -1, -1
            if state:
                count = count_of(state)
                average, square = (rows.remembered(state, names) for names in (AVERAGES, SQUARES))
                self._gaps.optimizer(name, each, state)
            rows.writer.add("updates", step, number, settings[identity(group)], count, average, square)

    def clipped(self, name: str, params: Sequence[Tensor], settings: Mapping[str, float]) -> None:
        """The gradients of these tensors were scaled or cut."""
        rows = self._rows
        step = rows.add_step(Kind.OPTIMIZER, -1, -1, rows.sites.here(4), rows.writer.count("optimizers"))
        rows.writer.add("optimizers", step, rows.writer.text(name))
        text = rows.writer.text(", ".join(f"{key}={float(value)}" for key, value in settings.items()))
        for each in params:
            self._writes.grad_changed(step, each)
            grad = each._grad
            if grad is not None and grad._tag >= 0:
                self._writes.count_write(step, grad, rows.memory.sharing(grad))
            rows.writer.add("updates", step, rows.tensor_of(each), text, 0, -1, -1)

    def nudged(self, element: int, up: float, down: float, above: float, below: float, here: float) -> None:
        """The value of a root of the requested call when an element of the leaf is nudged."""
        self._rows.writer.add("nudges", element, up, down, above, below, here)

    def metadata_changed(self, tensor: Tensor) -> None:
        """`requires_grad_`, `retain_grad`, `detach_` or `.data = ...` changed the tensor."""
        rows = self._rows
        number, step = rows.tensor_of(tensor), rows.step - 1
        retains = bool(tensor.retains_grad)
        rows.writer.add("flags", step, number, tensor.requires_grad, retains, stands_as_leaf(tensor))
        self._writes.written(step, tensor)


_SETTINGS = """lr momentum dampening weight_decay nesterov betas alpha eps maximize amsgrad centered lr_decay rho lambd
    etas momentum_decay decoupled_weight_decay""".split()


def settings_text(group: Mapping[str, Any]) -> str:
    """The options of a parameter group that matter for its rule and are in effect."""
    shown: list[str] = []
    for name in _SETTINGS if type(group) is dict else ():
        value: Any = group.get(name)
        if isinstance(value, Tensor) and value._data.size == 1:
            value = float(value._data)
        kind = type(value)
        if (kind is float or kind is int or kind is bool) and value:
            shown.append(f"{name}={value}")
        elif kind is tuple and all(type(each) in (int, float, bool) for each in value):
            shown += [f"{name}{at}={each}" for at, each in enumerate(value, 1)]
    return ", ".join(shown)


# What writes for a recorder, and is as little for a snippet.
PARTS = (RowWriter, Writes, ForwardPass, BackwardPass, PartialsWriter)
_CODES = {
    function.__code__
    for owner in (Recorder, *PARTS, Gaps, Binder, Catcher, RegionStack, Sites, Writer, Memory, Compact)
    for name, function in vars(owner).items()
    if hasattr(function, "__code__") and name != "__init__"
}
