"""The error of an array that does not fit: NumPy's in what it is, PyTorch's in what it says.

The engine's arrays are NumPy's, so NumPy raises its MemoryError; PyTorch raises a RuntimeError, and
tutorials catch that. In the worker NumPy's class is both. Next: `runner`, which puts the limit into words.
"""

from __future__ import annotations

import math
from typing import Any


def speak_as_pytorch() -> None:
    """Give NumPy's error the words and the name of PyTorch's; its C code keeps the class, so that is what changes."""
    from numpy._core import _exceptions

    error: Any = _exceptions._ArrayMemoryError
    error.__bases__ = (MemoryError, RuntimeError)
    error.__str__ = _words
    error.__repr__ = lambda raised: f"RuntimeError({str(raised)!r})"
    error.__name__ = error.__qualname__ = "RuntimeError"
    error.__module__ = "builtins"


def _words(raised: Any) -> str:
    size = math.prod(raised.shape) * int(raised.dtype.itemsize)
    return (
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: "
        f"you tried to allocate {size} bytes. Error code 12 (Cannot allocate memory)"
    )
