"""NumPy functions that compute a size or an address without checking for overflow, or ignore the layout of an output,
and then read or write outside memory. Here they check first. A test keeps NumPy's own out of all other modules; a
snippet that imports NumPy gets these, too."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array

_LARGEST = 2**63 - 1
_FURTHEST = 2**31 - 1  # the offset of a diagonal is a C int, whose smallest value can't be negated
_TOO_BIG = "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."


def _check(size: Sequence[int], itemsize: int) -> None:
    if math.prod(size) * itemsize > _LARGEST:
        raise ValueError(_TOO_BIG)


def repeat(a: Array, repeats: Array, axis: Any = None) -> Array:
    """Repeat each element, or each part along an axis, by its own count or by the single count."""
    array = np.asarray(a)
    counts = repeats if isinstance(repeats, np.ndarray | np.generic) else np.array(repeats, np.intp)  # as NumPy does
    counts = counts.astype(np.intp, casting="safe").reshape(-1)
    if counts.size:
        size = [array.size] if axis is None else list(array.shape)
        along = 0 if axis is None else operator.index(axis)
        n = size.pop(along) if -len(size) <= along < len(size) else 1
        _check([sum(counts.tolist()) * (n if len(counts) == 1 else 1), *size], array.itemsize)
    return np.repeat(array, counts, axis)


def tile(A: Array, reps: tuple[int, ...]) -> Array:
    """Copies side by side, as many along each dimension as its number says."""
    array = np.asarray(A)
    times = np.asarray(reps).reshape(-1).tolist()
    _check([array.size, *(n for n in times if n > 0)], array.itemsize)
    made = np.tile(A, reps)
    return made if made.size else np.empty(made.shape, array.dtype)  # NumPy would give it in the memory of A


def bincount(x: Array, /, weights: Array | None = None, minlength: Any = 0) -> Array:
    """How often each whole number occurs, or the sum of its weights."""
    values = np.asarray(x)
    if values.size and values.dtype.kind == "i" and values.max() == _LARGEST:
        raise ValueError(_TOO_BIG)
    return np.bincount(x, weights, minlength)


def _near(offset: int) -> int:
    """The offset, limited: one beyond all diagonals is as good as another."""
    return max(-_FURTHEST, min(operator.index(offset), _FURTHEST))


def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """A read-only view of a diagonal."""
    return np.diagonal(a, _near(offset), axis1, axis2)


def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """The sum of a diagonal."""
    return np.trace(a, _near(offset), axis1, axis2, dtype, out)


def diag(v: Any, k: Any = 0) -> Array:
    """The diagonal of a matrix, or the matrix that has this diagonal."""
    return np.diag(v, _near(k) if np.ndim(v) == 2 else k)


def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """Choose elements from several arrays by the numbers in one array."""
    if not isinstance(out, np.ndarray) or out.flags.c_contiguous:
        return np.choose(a, choices, out, mode)
    found = np.choose(a, choices, mode=mode)
    if found.shape != out.shape:
        raise TypeError("choose: invalid shape for output array.")
    out[...] = found
    return out


def clip(a: object, *limits: Any, **options: Any) -> Any:
    """The elements limited to a range. `where` is refused: for the elements that it excludes NumPy returns what was in
    memory."""
    if options.pop("where", True) is not True:
        raise TypeError("clip with where= would return whatever was in memory; use where(condition, clip(a), a)")
    return np.asarray(a).clip(*limits, **{_LIMITS.get(name, name): value for name, value in options.items()})


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Array:
    """An array with a border; an "empty" one is filled with zeros, not with what was in memory."""
    return np.pad(array, pad_width, "constant" if mode == "empty" else mode, **options)


def _accumulation(name: str) -> Callable[..., object]:
    """A running sum or product."""

    def run(a: Array, axis: int | None = None, dtype: object = None, out: object = None, **options: object) -> Any:
        if isinstance(out, np.ndarray):
            size = list(np.shape(a)) if axis is not None or np.ndim(a) == 1 else [np.size(a)]
            if options.get("include_initial"):
                size[axis or 0] += 1
            if out.shape != tuple(size):
                raise ValueError("provided out is the wrong size for the accumulation.")
        return getattr(np, name)(a, axis=axis, dtype=dtype, out=out, **options)

    run.__name__ = name
    return run


def _inverse(name: str) -> Callable[..., Array]:
    """A Fourier transform to real numbers: NumPy begins with the first element, be there one or not."""

    def run(a: Array, *args: Array, **named: Array) -> Array:
        size, axes = np.shape(a), args[1] if len(args) > 1 else named.get("axes", named.get("axis"))
        along = (np.ravel(-1 if axes is None else axes).tolist() or [-1])[-1]
        if -len(size) <= along < len(size) and not size[along]:
            raise ValueError("Invalid number of FFT data points (0) specified.")
        transform: Callable[..., Array] = getattr(np.fft, name)
        return transform(a, *args, **named)

    run.__name__ = name
    return run


def within(draw: Callable[..., Array]) -> Callable[..., Array]:
    """A generator's method that draws whole numbers within limits: NumPy reads limits that are not there."""

    def run(low: Array, high: Array | None = None, size: object = None, *args: object, **named: object) -> Array:
        if size is not None and 0 in (np.size(low), np.size(low if high is None else high)):
            raise ValueError("limits without elements can't be broadcast to a size")
        return draw(low, high, size, *args, **named)

    run.__name__ = draw.__name__
    return run


_RUNNING = "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod".split()
_LIMITS = {"a_min": "min", "a_max": "max"}  # a function's names, and the method's
CAREFUL: dict[str, Callable[..., object]] = {
    **{"repeat": repeat, "tile": tile, "bincount": bincount, "choose": choose},
    **{"diagonal": diagonal, "trace": trace, "diag": diag, "clip": clip, "pad": pad},
    **{name: _accumulation(name) for name in _RUNNING},
}
OF_FFT = {name: _inverse(name) for name in ("irfft", "irfft2", "irfftn", "hfft")}
OF_LINALG: dict[str, Callable[..., object]] = {
    "diagonal": lambda x, /, *, offset=0: diagonal(x, offset, -2, -1),
    "trace": lambda x, /, *, offset=0, dtype=None: trace(x, offset, -2, -1, dtype),
}
