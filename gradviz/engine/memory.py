"""The memory that an array looks at, and views of it with any sizes and strides. NumPy itself doesn't check such views,
so every one is made here, after it was compared with the memory that is really there; a test keeps `as_strided` and the
like out of all other modules. The operations are in `ops/strided.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.checks import plain_numbers

Array = np.ndarray[Any, Any]

_LARGEST = 2**63 - 1  # bytes that NumPy and PyTorch can count


def root_of(x: Array) -> Array:
    """The array that an array is a view of in the end: itself, if it is none."""
    root: Array = x
    below: Any = x.base
    while below is not None:
        if isinstance(below, np.ndarray):
            root = below
        below = getattr(below, "base", None)  # views of sliding windows have an object between them and their base
    return root


def memory_of(x: Array) -> Array:
    """The bytes of the whole memory that an array looks at, whatever types and views lie between them."""
    root = np.asarray(root_of(x))
    found: Array = root.ravel(order="K")
    if np.may_share_memory(found, root) or not root.size:
        return found.view(np.uint8)
    low, high = np.lib.array_utils.byte_bounds(root)  # every second element of a foreign buffer, say: all between them
    lowest = root[tuple(-1 if step < 0 else 0 for step in root.strides)]
    return np.lib.stride_tricks.as_strided(lowest.reshape(1).view(np.uint8), (high - low,), (1,))


def start_of(x: Array, memory: Array) -> int:
    """Where the first element lies in this memory, in bytes; 0 where there is no element or it lies elsewhere."""
    if not x.size:
        return 0
    start: int = x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return start if 0 <= start < memory.size else 0


def extent(size: Sequence[int], steps: Sequence[int]) -> tuple[int, int]:
    """The places of the lowest and of the highest element, counted from the first one."""
    reaches = [(n - 1) * step for n, step in zip(size, steps, strict=True)]
    return sum(each for each in reaches if each < 0), sum(each for each in reaches if each > 0)


def repeated(size: Sequence[int], steps: Sequence[int]) -> list[int]:
    """The dimensions along which all elements are one and the same."""
    return [dim for dim, (n, step) in enumerate(zip(size, steps, strict=True)) if n > 1 and not step]


def held_bytes(x: Array) -> int:
    """How much memory an array keeps from its lowest element to its highest: less than its size where it repeats."""
    low, high = extent(x.shape, x.strides)
    return min(x.nbytes, high - low + x.itemsize)


def occurrences(x: Array) -> tuple[Array, Any]:
    """Elements in which all of an array's stand, and how often each one does: a number for all of them, or one for
    each. The array itself where it has no more elements than its memory; so the way is never longer than that."""
    many = repeated(x.shape, x.strides)
    once = x[tuple(slice(1) if dim in many else slice(None) for dim in range(x.ndim))]
    times = math.prod(x.shape[dim] for dim in many)
    low, high = extent(once.shape, once.strides)
    if once.size * x.itemsize <= high - low + x.itemsize or any(step % x.itemsize for step in x.strides):
        return once, times
    memory = memory_of(once)
    count = (high - low) // x.itemsize + 1
    elements = strided(memory, x.dtype, (count,), (x.itemsize,), start_of(once, memory) + low)
    often = np.zeros(count, np.int64)
    often[0] = times
    for n, step in zip(once.shape, once.strides, strict=True):
        often = _shifted_sum(often, n, abs(step) // x.itemsize)
    return elements, often


def _shifted_sum(x: Array, count: int, step: int) -> Array:
    """The sum of the array shifted by no step, by one, by two, … `count` times in all; what falls off its end is 0."""
    if count == 1:
        return x
    rows = np.zeros((-(-len(x) // step), step), x.dtype)
    rows.reshape(-1)[: len(x)] = x
    sums = rows.cumsum(0)
    if count < len(rows):
        sums[count:] -= sums[:-count].copy()
    return sums.reshape(-1)[: len(x)]


def strided(memory: Array, dtype: Any, size: Sequence[int], steps: Sequence[int], start: int) -> Array:
    """Some bytes seen as elements of a type: `steps` and `start` count bytes. Raises ValueError where an element would
    lie outside."""
    size, steps = tuple(size), tuple(steps)
    kind = np.dtype(dtype)
    if any(n < 0 for n in size) or len(size) != len(steps):
        raise ValueError(f"no view has the sizes {list(size)} and steps of {list(steps)} bytes")
    if 0 in size:
        memory, start = np.empty(kind.itemsize, np.uint8), 0  # NumPy does not check views of no bytes
    else:
        low, high = extent(size, steps)
        if start + low < 0 or start + high + kind.itemsize > memory.size:
            raise ValueError(
                f"a view of sizes {list(size)} with steps of {list(steps)} bytes from byte {start} lies outside of "
                f"{memory.size} bytes of memory"
            )
    return np.ndarray(size, kind, memory.data, start, steps)


def sliding(x: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Windows of these sizes along some dimensions, at every place; a view that can be written to where x can be."""
    plain = plain_numbers(sizes)  # NumPy compares them as Python does, and would believe what a class of numbers says
    found: Array = np.lib.stride_tricks.sliding_window_view(x, plain, tuple(axes), writeable=bool(x.flags.writeable))
    return found


def storage_bytes(size: Sequence[int], stride: Sequence[int], itemsize: int, offset: int = 0) -> int:
    """How much memory a tensor needs, as PyTorch counts it: without signs, refusing what 64 bits can't hold."""
    if 0 in size:
        return 0
    found = 1 + offset
    for n, step in zip(size, stride, strict=True):
        found += (step % 2**64) * ((n - 1) % 2**64)
    if found * itemsize > _LARGEST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    return found * itemsize


def check_count(size: Sequence[int], itemsize: int) -> None:
    """Refuse more elements than 64 bits can count."""
    count = 1
    for n in size:
        count *= n
        if not 0 <= count <= _LARGEST or n < 0:
            raise RuntimeError("numel: integer multiplication overflow")
    larger = itemsize
    for n in size:
        larger *= max(n, 1)  # NumPy counts the sizes beside a 0, too
    if larger > _LARGEST:
        raise RuntimeError(f"tensors of size {list(size)} are not in GradViz; NumPy has no arrays of so many bytes")


def check_room(size: Sequence[int], itemsize: int) -> None:
    """Refuse memory whose bytes 64 bits can't count: of some of its functions NumPy computes such a size, and finds
    place for another one."""
    if math.prod(size) * itemsize > _LARGEST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")


def expanded(x: Array, *, size: Sequence[int]) -> Array:
    """An array repeated along new dimensions and those of size 1, without copying."""
    try:
        return _expanded(x, size)
    except ValueError:
        check_count(size, x.itemsize)
        raise


def _expanded(x: Array, size: Sequence[int]) -> Array:
    if type(x) is not np.ndarray or not x.size:
        return np.broadcast_to(x, size)
    steps = _expanded_steps(x, size)  # within the array: nothing has to be compared
    if x.flags.c_contiguous and x.dtype.kind != "V":  # as below, in a tenth of the time
        return np.ndarray(size, x.dtype, x, 0, steps)
    if 1 in size:  # a dimension of size 1 has a step in PyTorch, and none in NumPy
        memory = memory_of(x)
        return strided(memory, x.dtype, size, steps, start_of(x, memory))
    made = np.broadcast_to(x, size)
    if x.flags.writeable:
        made.flags.writeable = True  # a write to one element of the view is a write to the memory that it looks at
    return made


def _expanded_steps(x: Array, size: Sequence[int]) -> list[int]:
    """The strides of an expanded array: those of the array, 0 where it is repeated."""
    extra, steps, inner = len(size) - x.ndim, [0] * len(size), x.itemsize
    for i in reversed(range(len(size))):
        own, step = (x.shape[i - extra], x.strides[i - extra]) if i >= extra else (1, inner)
        if own != 1 and own != size[i]:
            raise ValueError(f"{x.shape} can't be broadcast to {size}")
        steps[i] = step if size[i] == own else 0
        inner = size[i] * steps[i]
    return steps
