"""The state of the running program: the switches that every operation looks at (gradient mode, inference mode, the
observer), in one small object so that an operation pays for one look-up; warnings that PyTorch gives once per process,
or each time after `torch.set_warn_always(True)`; and what modules keep from one run to the next.

The engine does not know who listens: it calls the methods of the one installed observer, and costs next to nothing if
there is none. `gradviz.trace.record.recorder` observes the program.

A module that keeps something while a program runs (modes, defaults, hooks of all modules, the random numbers)
registers, where it makes it, how to reset it; `begin_run` does that before each run. So a run finds everything as in a
new process, and there is no central list of such state."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from gradviz.engine.kernel.dtypes import Array
    from gradviz.engine.kernel.graph import Node
    from gradviz.engine.kernel.rows import OpRow
    from gradviz.engine.kernel.tensor import Tensor


F = TypeVar("F", bound=Callable[..., object])
Hook = Callable[..., Any]  # it is given gradients, and returns others in their place, or None

# Tells one object from another as `id` does; but of each call of `id` Python tells a worker's audit hook.
identity = object.__hash__

_renewals: list[Callable[[], object]] = []


def on_new_run(renew: F) -> F:
    """Call this function before each run; a decorator."""
    _renewals.append(renew)
    return renew


def begin_run() -> None:
    """Reset everything to the state of a new process."""
    for renew in _renewals:
        renew()


class State:
    """The state of the running program."""

    __slots__ = (
        "anomaly",
        "anomaly_nan",
        "autocast",
        "grad",
        "inference",
        "layered",
        "multithreading",
        "node",
        "observer",
        "overriding",
        "passes",
        "reached",
        "running",
        "saved_hooks",
        "saved_hooks_refusal",
        "sequence",
        "sparse",
        "warn_always",
        "warned",
        "write_guard",
    )

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.layered = False  # a function transform is open, or graphs hold tensors made by one
        self.multithreading = True  # what was asked for; nothing reads it
        self.node: Any = None  # the node that a backward pass is running
        self.observer: Observer | None = None
        self.overriding = True  # classes may say for themselves what functions do with their objects
        self.sparse: Any = None  # `sparse.Rules`, once there are sparse tensors
        self.sequence = 0  # number of the next node made in the forward pass
        self.anomaly = False
        self.anomaly_nan = True
        self.autocast: Any = None  # the type that `autocast.py` converts to, while it is on
        self.saved_hooks: list[tuple[Callable[..., object], Callable[..., object]]] = []  # innermost last
        self.saved_hooks_refusal: str | None = None  # why saved_tensors_hooks can't be opened
        self.reached: Container[Any] = ()  # the nodes of the running backward pass
        self.running: Any = None  # the running backward pass
        self.passes = 0  # backward passes that were begun
        self.warned: set[str] = set()  # warnings that PyTorch gives once per process
        self.warn_always = False
        self.write_guard: Callable[[Tensor], None] | None = None  # called before memory is overwritten


state = State()
on_new_run(lambda: State.__init__(state))


def warn_once(key: str, text: str, stacklevel: int = 4) -> None:
    """Warn with `text` unless that was done before with the same key."""
    if key not in state.warned or state.warn_always:
        state.warned.add(key)
        warnings.warn(text, UserWarning, stacklevel=stacklevel)


# --- who listens ---

DATA_LOADER = "DataLoader"  # what `Observer.enter` is told while a batch is put together


class Observer(Protocol):
    """The reports, in the order in which things happen; every call returns before the engine goes on."""

    def created(self, tensor: Tensor) -> None:
        """A factory made a tensor."""

    def forward(
        self,
        row: OpRow,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        node: Node | None,
        params: Mapping[str, object],
    ) -> None:
        """An operation ran (a missing operand is None); `node` is None if not tracked. In place: `outputs[0] is
        inputs[0]`, already written."""

    def before_write(self, tensor: Tensor) -> None:
        """The memory of this tensor is about to be overwritten."""

    def exported(self, tensor: Tensor) -> None:
        """`numpy()` returned an array over the memory of this tensor."""

    def is_shared(self, array: Array) -> bool:
        """Whether a tensor may look at the memory of a NumPy array, so that writes to it are reported."""

    def before_numpy_writes(self, array: Array) -> None:
        """NumPy is about to write to this array."""

    def numpy_wrote(self, array: Array) -> None:
        """NumPy has written to this array, of which autograd knows nothing."""

    def backward_begin(
        self,
        roots: Sequence[Tensor],
        gradients: Sequence[Tensor | None],
        retain_graph: bool,
        create_graph: bool,
        inputs: Sequence[Tensor] | None,
    ) -> None:
        """A backward pass starts at `roots`."""

    def backward_end(self) -> None:
        """The backward pass is over, normally or with an error."""

    def contribution(self, node: Node, input_nr: int, grad: Tensor, total: Tensor, arrived: int, expected: int) -> None:
        """A gradient arrived at a node's input buffer, whose running sum is `total`; `expected` contributions arrive in
        all."""

    def backward_node(
        self, node: Node, grads_in: Sequence[Tensor | None], grads_out: Sequence[Tensor | None], freed: bool
    ) -> None:
        """One node ran; `grads_out` is parallel to its `next_functions`; `node.slots` says which operands these are."""

    def accumulated(self, node: Node, variable: Tensor, incoming: Tensor, first: bool) -> None:
        """`AccumulateGrad` ran: `variable.grad` is the new value, that of `incoming` itself if it was the `first`."""

    def hook(self, kind: str, target: object, before: object, after: object) -> None:
        """A hook was called: "tensor", "pre", "post" or "post_accumulate"."""

    def detached(self, source: Tensor, result: Tensor) -> None:
        """`detach()` or `.data` made `result`, over the memory of `source` and without its history."""

    def shown_as(self, node: Node) -> None:
        """The node of the latest operation has another name than its row: it became the history of an operand. Only a
        function that is marked by `renaming` says so."""

    def cleared(self, tensor: Tensor, to_none: bool) -> None:
        """`.grad` was set to None, to zeros, or to another tensor by assignment."""

    def optimizer(
        self,
        name: str,
        params: Sequence[Tensor],
        groups: Sequence[Mapping[str, object]],
        states: Mapping[Tensor, object],
    ) -> None:
        """An optimizer updated its parameters, each with the options of its group; and its state for each."""

    def clipped(self, name: str, params: Sequence[Tensor], settings: Mapping[str, float]) -> None:
        """The gradients of these tensors were scaled or clipped: by which function, and by how much."""

    def enter(self, module_name: str) -> None:
        """A module's `forward` begins, or under the name `DATA_LOADER` the loading of a batch."""

    def exit(self) -> None:
        """A module's `forward` has ended."""

    def metadata_changed(self, tensor: Tensor) -> None:
        """`requires_grad_`, `retain_grad` or `detach_` changed the tensor."""


RENAMING: set[CodeType] = set()


def renaming(function: F) -> F:
    """Decorator of what gives an operation another name after it was reported: an observer hands nothing on before it
    returns."""
    assert isinstance(function, FunctionType)
    RENAMING.add(function.__code__)
    return function


def set_observer(observer: Observer | None) -> None:
    """Install the observer, or none."""
    state.observer = observer


@contextmanager
def paused() -> Iterator[None]:
    """Report nothing inside the `with` block: for printing, initialisers and updates that are a single step to the
    user."""
    held, state.observer = state.observer, None
    try:
        yield
    finally:
        state.observer = held


@contextmanager
def resumed() -> Iterator[None]:
    """Report inside the `with` block even during a backward pass, which otherwise reports for itself: for code of the
    snippet that the pass calls to recompute something."""
    held = state.observer
    if held is None and state.running is not None:
        state.observer = state.running.observer
    try:
        yield
    finally:
        state.observer = held
