"""Putting names to functions: what `torch.exp`, `x.exp()`, `x.exp_()` and `torch.nn.functional.relu` call.
Functions register here with `api`; `gradviz.torch` looks the names up. No mathematics; see `elementwise.py` for
the families that are made from rows alone."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

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
        offered = with_numpy_names(fn)
        for place in where.split():
            for name in names:
                if place == "method":
                    setattr(Tensor, name, offered)
                else:
                    _NAMESPACES[place][name] = offered
        return fn

    return register


def with_numpy_names(fn: F) -> F:
    """PyTorch takes NumPy's `axis` and `keepdims` wherever it has `dim` and `keepdim`."""
    known = inspect.signature(fn).parameters
    takes_dim, takes_keepdim = "dim" in known and "axis" not in known, "keepdim" in known and "keepdims" not in known
    if not (takes_dim or takes_keepdim):
        return fn

    def call(*args: Any, **keywords: Any) -> Any:
        if keywords:
            if takes_dim and "axis" in keywords:
                keywords["dim"] = keywords.pop("axis")
            if takes_keepdim and "keepdims" in keywords:
                keywords["keepdim"] = keywords.pop("keepdims")
        return fn(*args, **keywords)

    functools.update_wrapper(call, fn)
    del call.__wrapped__  # type: ignore[attr-defined]
    return cast(F, call)


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
