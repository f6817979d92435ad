"""What holds now for the running program: the switches that every operation looks at (gradient mode, inference mode,
the observer), in one small object so that an operation pays for one look-up; warnings that PyTorch gives once in a
process, or each time after `torch.set_warn_always(True)`; and what modules keep from one run to the next.

The engine does not know who listens: it calls the methods of the one observer that is installed, and costs next to
nothing when none is. `gradviz.trace.record.recorder` is the observer of the program.

A module that keeps something while a program runs (modes, defaults, hooks of all modules, the random numbers)
registers, where it makes it, how to make it new; `begin_run` does that before each run. So a run finds everything as in
a new process, and nobody has a list of what there is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from gradviz.engine.kernel.graph import Node
    from gradviz.engine.kernel.rows import OpRow
    from gradviz.engine.kernel.tensor import Tensor


F = TypeVar("F", bound=Callable[[], object])

_renewals: list[Callable[[], object]] = []


def on_new_run(renew: F) -> F:
    """Call this before each run; a decorator."""
    _renewals.append(renew)
    return renew


def begin_run() -> None:
    """Make everything as in a new process."""
    for renew in _renewals:
        renew()


class State:
    """What holds now for the running program."""

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
        "reached",
        "running",
        "saved_hooks",
        "saved_hooks_refusal",
        "sequence",
        "warn_always",
        "warned",
        "write_guard",
    )

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.layered = False  # a function transform is open, or graphs hold what one made
        self.multithreading = True  # what was asked for; nothing looks at it
        self.node: Any = None  # the node that runs now in a backward pass
        self.observer: Observer | None = None
        self.sequence = 0  # number of the next node made in the forward pass
        self.anomaly = False
        self.anomaly_nan = True
        self.autocast: Any = None  # the type that `autocast.py` converts to, while it is on
        self.saved_hooks: list[tuple[Callable[..., Any], Callable[..., Any]]] = []  # innermost last
        self.saved_hooks_refusal: str | None = None  # why saved_tensors_hooks can't be opened
        self.reached: Container[Any] = ()  # the nodes of the backward pass that runs
        self.running: Any = None  # the backward pass that runs
        self.warned: set[str] = set()  # what PyTorch says once per process
        self.warn_always = False
        self.write_guard: Callable[[Tensor], None] | None = None  # called before memory is overwritten


state = State()
on_new_run(lambda: State.__init__(state))


def warn_once(key: str, text: str, stacklevel: int = 4) -> None:
    """Warn with `text` unless that was done before under the same key."""
    if key not in state.warned or state.warn_always:
        state.warned.add(key)
        warnings.warn(text, UserWarning, stacklevel=stacklevel)


# --- who listens ---


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
        """One operation ran (an operand left out is None); `node` is None when not tracked. In place: `outputs[0]
        is inputs[0]`, already written."""

    def before_write(self, tensor: Tensor) -> None:
        """Memory of this tensor is about to be overwritten."""

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
        """The backward pass is over, by its end or by an error."""

    def contribution(self, node: Node, input_nr: int, grad: Tensor, total: Tensor, arrived: int, expected: int) -> None:
        """A gradient arrived at a node's input buffer, whose running sum is `total`; `expected` contributions come
        in all."""

    def backward_node(
        self, node: Node, grads_in: Sequence[Tensor | None], grads_out: Sequence[Tensor | None], freed: bool
    ) -> None:
        """One node ran; `grads_out` is parallel to its `next_functions`; `node.slots` says which operands these are."""

    def accumulated(self, node: Node, variable: Tensor, incoming: Tensor) -> None:
        """`AccumulateGrad` ran: `variable.grad` is the new value."""

    def hook(self, kind: str, target: object, before: object, after: object) -> None:
        """A hook was called: "tensor", "pre", "post" or "post_accumulate"."""

    def detached(self, source: Tensor, result: Tensor) -> None:
        """`detach()` or `.data` made `result`, over the memory of `source` and without its history."""

    def cleared(self, tensor: Tensor, to_none: bool) -> None:
        """`.grad` was set to None, to zeros, or by assignment to another tensor."""

    def optimizer(
        self, name: str, params: Sequence[Tensor], groups: Sequence[Mapping[str, Any]], states: Mapping[Tensor, object]
    ) -> None:
        """An optimizer updated its parameters, each by the options of its group; what it remembers of each."""

    def clipped(self, name: str, params: Sequence[Tensor], settings: Mapping[str, float]) -> None:
        """The gradients of these tensors were scaled or cut: by which function, and by how much."""

    def enter(self, module_name: str) -> None:
        """A module's `forward` begins."""

    def exit(self) -> None:
        """A module's `forward` is over."""

    def metadata_changed(self, tensor: Tensor) -> None:
        """`requires_grad_`, `retain_grad` or `detach_` changed the tensor."""


def set_observer(observer: Observer | None) -> None:
    """Install the observer, or none."""
    state.observer = observer


@contextmanager
def paused() -> Iterator[None]:
    """While this is open nothing is reported: for printing, initialisers and updates that are one step to a person."""
    held, state.observer = state.observer, None
    try:
        yield
    finally:
        state.observer = held


@contextmanager
def resumed() -> Iterator[None]:
    """While this is open what happens is reported also within a backward pass, which otherwise reports for itself: for
    code of the snippet that the pass calls to compute something again."""
    held = state.observer
    if held is None and state.running is not None:
        state.observer = state.running.observer
    try:
        yield
    finally:
        state.observer = held
