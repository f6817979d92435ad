"""How a tensor lies in memory: `torch.layout` and `torch.memory_format`, and the order of the elements that a
`memory_format` asks for. A tensor lies row by row unless it is asked for another order, which changes no number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class _Name(str):
    """A name that prints as PyTorch's object does."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class layout(_Name):
    """How the elements are kept: `torch.strided`."""

    __slots__ = ()
    __module__ = "torch"


class memory_format(_Name):
    """In which order the dimensions lie: `torch.contiguous_format` and its kin."""

    __slots__ = ()
    __module__ = "torch"


STRIDED = layout("torch.strided")
FORMATS = {
    name: memory_format(f"torch.{name}")
    for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
}


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


def laid_by(made: Array, strides: Sequence[int]) -> Array:
    """A new array whose dimensions lie in the order in which one operand's do; a stride of 0 says nothing about it."""
    order = [made.ndim - 1]
    for dim in range(made.ndim - 2, -1, -1):  # from the innermost on, as PyTorch's TensorIterator sorts them
        order.append(dim)
        at = len(order) - 1
        for i in range(at - 1, -1, -1):
            inner, outer = strides[order[i]], strides[order[at]]
            if not inner or not outer:
                continue
            if inner < outer or (inner == outer and made.shape[order[i]] <= made.shape[order[at]]):
                break
            order[i], order[at] = order[at], order[i]
            at = i
    order.reverse()
    return np.array(made.transpose(order), order="C").transpose(np.argsort(order))


def as_leaf(x: Array, leaf: Array) -> Array:
    """A copy of a gradient, in the order in which the leaf lies if that is dense."""
    if leaf.flags.c_contiguous or type(leaf) is not np.ndarray or not dense(leaf):
        return x.copy()
    return laid_as(x, leaf, None)


def is_as_leaf(x: Array, leaf: Array) -> bool:
    """Whether a gradient lies as `as_leaf` would lay it."""
    if x.strides == leaf.strides or (x.flags.c_contiguous and (leaf.flags.c_contiguous or not dense(leaf))):
        return True
    return dense(leaf) and all(n == 1 or a == b for n, a, b in zip(x.shape, x.strides, leaf.strides, strict=True))


def is_laid(x: Array, memory_format: Any) -> bool:
    """Whether the elements lie in a format."""
    name = str(memory_format or "torch.contiguous_format")
    if name in _LAST:
        return x.ndim == _LAST[name] and bool(np.moveaxis(x, 1, -1).flags.c_contiguous)
    return bool(x.flags.c_contiguous)
