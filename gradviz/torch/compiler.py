"""`torch.compiler`: nothing is compiled, so functions are given back as they are."""

from __future__ import annotations

import contextlib
from typing import Any

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "disable", "is_compiling", "reset"]


def compile(model: object = None, **options: object) -> Any:
    """The function or module itself."""
    return model if model is not None else lambda function: function


def disable(fn: object = None, recursive: bool = True, **options: object) -> Any:
    """The function itself; with or without brackets."""
    return fn if fn is not None else lambda function: function


def allow_in_graph(fn: object) -> Any:
    """The function itself."""
    return fn


def assume_constant_result(fn: object) -> Any:
    """The function itself."""
    return fn


def is_compiling() -> bool:
    """False."""
    return False


def is_dynamo_compiling() -> bool:
    """False."""
    return False


def reset() -> None:
    """Nothing to forget."""


def cudagraph_mark_step_begin() -> None:
    """Nothing to mark."""


def set_stance(stance: str = "default", **options: object) -> contextlib.AbstractContextManager[None]:
    """Accepted."""
    return contextlib.nullcontext()
