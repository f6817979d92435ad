"""`torch.compiler`: nothing is compiled, so functions are returned as they are."""

from __future__ import annotations

import contextlib

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "disable", "is_compiling", "reset"]


def compile(model: object = None, **options: object) -> object:
    """Return the function or module itself."""
    return model if model is not None else lambda function: function


def disable(fn: object = None, recursive: bool = True, **options: object) -> object:
    """Return the function itself; with or without brackets."""
    return fn if fn is not None else lambda function: function


def allow_in_graph(fn: object) -> object:
    """Return the function itself."""
    return fn


def assume_constant_result(fn: object) -> object:
    """Return the function itself."""
    return fn


def is_compiling() -> bool:
    """Return False."""
    return False


def is_dynamo_compiling() -> bool:
    """Return False."""
    return False


def reset() -> None:
    """Do nothing: there is nothing to reset."""


def cudagraph_mark_step_begin() -> None:
    """Do nothing: there is nothing to mark."""


class set_stance(contextlib.ContextDecorator):
    """Accepted, for a block or a function."""

    def __init__(self, stance: str = "default", **options: object) -> None:
        self.stance = stance

    def __enter__(self) -> None:
        """Nothing to change."""

    def __exit__(self, *exc: object) -> None:
        """Nothing to restore."""
