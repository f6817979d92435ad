"""`torch.jit`: functions and modules are returned as they are. A compiled program computes the same numbers; here
nothing is compiled, so that every operation remains visible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.nn.modules.module import Module

__all__ = [
    "Final",
    "ScriptModule",
    "annotate",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "script",
    "script_if_tracing",
    "script_method",
    "trace",
    "trace_module",
    "unused",
]


class ScriptModule(Module):
    """What a script would be, were anything compiled: no module is one, unless the snippet derives from it."""


def script(obj: object, *args: object, **options: object) -> Any:
    """Return the function, class or module itself."""
    if not callable(obj):
        raise TypeError(f"{type(obj)} is a built-in class")
    return obj


def trace(func: object, example_inputs: object = None, *args: object, **options: object) -> object:
    """Return the function or module itself."""
    return func


def trace_module(mod: object, inputs: object = None, *args: object, **options: object) -> object:
    """Return the module itself."""
    return mod


def script_method(fn: Callable[..., object]) -> Callable[..., object]:
    """Return the method itself."""
    return fn


def script_if_tracing(fn: Callable[..., object]) -> Callable[..., object]:
    """Return the function itself."""
    return fn


def export(fn: Callable[..., object]) -> Callable[..., object]:
    """Return the method itself."""
    return fn


def unused(fn: Callable[..., object]) -> Callable[..., object]:
    """Return the method itself."""
    return fn


def ignore(drop: object = False, **options: object) -> Any:
    """Return the function itself; with or without brackets."""
    return drop if callable(drop) else lambda fn: fn


def is_scripting() -> bool:
    """Return False."""
    return False


def is_tracing() -> bool:
    """Return False."""
    return False


def annotate(the_type: object, the_value: object) -> object:
    """Return the value."""
    return the_value


def save(m: object, f: object, *args: object, **options: object) -> None:
    """Refused: there is no compiled program to save."""
    raise RuntimeError("torch.jit.save is not in GradViz: nothing is compiled; use torch.save(model.state_dict(), ...)")


def load(f: object, *args: object, **options: object) -> Tensor:
    """Refused: there is no compiled program to load."""
    raise RuntimeError("torch.jit.load is not in GradViz: nothing is compiled; build the model and load its state dict")
