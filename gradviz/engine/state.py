"""The three switches that every operation looks at: gradient mode, inference mode and the observer. `modes.py`
flips the first two, `observe.py` the last; they live in one small object so that an operation pays for one look-
up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.engine.observe import Observer


class State:
    """What holds now for the running program."""

    __slots__ = ("anomaly", "anomaly_nan", "grad", "inference", "observer", "saved_hooks", "sequence", "warned")

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.observer: Observer | None = None
        self.sequence = 0  # number of the next node made in the forward pass
        self.anomaly = False
        self.anomaly_nan = True
        self.saved_hooks: list[tuple[Callable[..., Any], Callable[..., Any]]] = []  # innermost last
        self.warned: set[str] = set()  # what PyTorch says once per process


state = State()
