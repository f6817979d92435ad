"""Putting names to functions: what `torch.exp`, `x.exp()`, `x.exp_()` and `torch.nn.functional.relu` call.
Functions register here with `api`; `gradviz.torch` looks the names up. No mathematics; see `elementwise.py` for
the families that are made from rows alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from gradviz.engine.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Any]] = {}  # torch.<name>
FUNCTIONAL: dict[str, Callable[..., Any]] = {}  # torch.nn.functional.<name>
LINALG: dict[str, Callable[..., Any]] = {}  # torch.linalg.<name>
SPECIAL: dict[str, Callable[..., Any]] = {}  # torch.special.<name>
FFT: dict[str, Callable[..., Any]] = {}  # torch.fft.<name>

_NAMESPACES = {"torch": FUNCTIONS, "F": FUNCTIONAL, "linalg": LINALG, "special": SPECIAL, "fft": FFT}


def api(*names: str, where: str = "torch method") -> Callable[[F], F]:
    """Register a function under each of `names` in each place of `where`: torch, method, F, linalg, special, fft."""

    def register(fn: F) -> F:
        for place in where.split():
            for name in names:
                if place == "method":
                    setattr(Tensor, name, fn)
                else:
                    _NAMESPACES[place][name] = fn
        return fn

    return register


def method(*names: str) -> Callable[[F], F]:
    """Register a function as a method of tensors only."""
    return api(*names, where="method")


def alias(existing: str, *names: str, where: str = "torch method") -> None:
    """More names for what `torch.<existing>` calls."""
    api(*names, where=where)(FUNCTIONS[existing])


def prop(name: str) -> Callable[[Callable[[Tensor], Any]], Callable[[Tensor], Any]]:
    """Register a read-only property of tensors."""

    def register(fn: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
        setattr(Tensor, name, property(fn))
        return fn

    return register
