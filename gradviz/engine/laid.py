"""In which order a tensor's elements lie in memory: what a `memory_format` asks for. Which formats there are is in
`formats.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_LAST = {"torch.channels_last": 4, "torch.channels_last_3d": 5}


def dense(x: Array) -> bool:
    """Whether the elements fill their memory without holes and without sharing it."""
    step = x.itemsize
    for n, stride in sorted(zip(x.shape, x.strides, strict=True), key=lambda each: (each[1], each[0])):
        if n != 1:
            if stride != step:
                return False
            step *= n
    return True


def laid(x: Array, memory_format: Any) -> Array:
    """A copy of the array in a format; None keeps the order of dense arrays."""
    if memory_format is None and x.flags.c_contiguous:
        return x.copy()
    name = str(memory_format or "torch.preserve_format")
    if name in _LAST:
        check_rank(x.ndim, name)
        return np.moveaxis(np.array(np.moveaxis(x, 1, -1), order="C"), -1, 1)
    if name == "torch.preserve_format" and dense(x):
        return x.copy(order="K")
    return x.copy(order="C")


def check_rank(ndim: int, name: str) -> None:
    """Refuse a format that is made for another number of dimensions."""
    if _LAST.get(name, ndim) != ndim:
        raise RuntimeError(f"required rank {_LAST[name]} tensor to use {name.removeprefix('torch.')} format")


def laid_as(made: Array, like: Array, memory_format: Any) -> Array:
    """A new array in the order of another one, or in a format."""
    if (memory_format is None and like.flags.c_contiguous) or type(made) is not np.ndarray:
        return made
    name = str(memory_format or "torch.preserve_format")
    if name != "torch.preserve_format":
        return made if name == "torch.contiguous_format" else laid(made, memory_format)
    if like.flags.c_contiguous or type(like) is not np.ndarray or not dense(like):
        return made
    order = sorted(range(like.ndim), key=lambda d: (-like.strides[d], d))
    return np.array(made.transpose(order), order="C").transpose(np.argsort(order))


def is_laid(x: Array, memory_format: Any) -> bool:
    """Whether the elements lie in a format."""
    name = str(memory_format or "torch.contiguous_format")
    if name in _LAST:
        return x.ndim == _LAST[name] and bool(np.moveaxis(x, 1, -1).flags.c_contiguous)
    return bool(x.flags.c_contiguous)
