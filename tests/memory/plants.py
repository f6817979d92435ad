"""Faults that are put into the engine on purpose, in the process of the trials, to see that they are found."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel.rows import ROWS


def views_are_not_compared() -> None:
    """Views lie where the sizes and strides say, as NumPy makes them."""

    def strided(memory: Any, dtype: Any, size: Any, steps: Any, start: int) -> Any:
        if 0 <= start < memory.size:
            memory = memory[start:]
        return np.lib.stride_tricks.as_strided(memory[: np.dtype(dtype).itemsize].view(dtype), size, steps)

    for name in ("memory", "batching", "ranges", "facts", "ops.strided"):
        vars(importlib.import_module(f"gradviz.engine.{name}"))["strided"] = strided
    vars(importlib.import_module("gradviz.engine.ops.strided"))["check_view"] = lambda *_: None


def _forward(key: str, change: Callable[[Any, Any], Any]) -> None:
    row = ROWS[key]
    honest = row.forward
    row.forward = lambda x, *more, **params: change(x, honest(x, *more, **params))


def writes_beside() -> None:
    """`cumsum` writes to the element behind its operand."""

    def write(x: Any, found: Any) -> Any:
        if x.size and x.flags.writeable and x.flags.c_contiguous:
            np.lib.stride_tricks.as_strided(x.reshape(-1), (x.size + 1,), (x.itemsize,))[-1] = 0
        return found

    _forward("cumsum", write)


def reads_beside() -> None:
    """`cumsum` adds the element behind its operand."""

    def read(x: Any, found: Any) -> Any:
        if x.size and x.flags.c_contiguous:
            return found + np.lib.stride_tricks.as_strided(x.reshape(-1), (x.size + 1,), (x.itemsize,))[-1]
        return found

    _forward("cumsum", read)


def shows_old_memory() -> None:
    """`cumsum` returns memory that nobody has written to."""
    _forward("cumsum", lambda x, found: np.empty_like(found))


def returns_a_view_beside() -> None:
    """`cumsum` returns an array that begins before its memory."""

    def shifted(x: Any, found: Any) -> Any:
        return np.lib.stride_tricks.as_strided(found, found.shape, [-step for step in found.strides])

    _forward("cumsum", shifted)


PLANTS = {
    each.__name__: each
    for each in (views_are_not_compared, writes_beside, reads_beside, shows_old_memory, returns_a_view_beside)
}
