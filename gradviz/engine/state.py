"""The three switches that every operation looks at: gradient mode, inference mode and the observer. `modes.py`
flips the first two, `observe.py` the last; they live in one small object so that an operation pays for one look-
up. And warnings that PyTorch gives once in a process, or each time after `torch.set_warn_always(True)`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any

from gradviz.engine.run_state import on_new_run

if TYPE_CHECKING:
    from gradviz.engine.observe import Observer
    from gradviz.engine.tensor import Tensor


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
