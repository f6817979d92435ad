"""Sliding windows over the last dimensions of an array, as used by convolution, pooling and unfold. NumPy only."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradviz.engine.kernel.memory import sliding

Array = Any  # an ndarray: NumPy's own annotations are too narrow for indexing with tuples
Sizes = tuple[int, ...]


def sizes(value: Any, count: int) -> Sizes:
    """One number for each of `count` dimensions."""
    found = tuple(int(v) for v in value) if isinstance(value, (tuple, list)) else (int(value),)
    return found * count if len(found) == 1 else found


def channels_last(x: Array) -> bool:
    """Whether the channels of an image or a volume are innermost in memory, as PyTorch tells from the strides."""
    if x.ndim not in (4, 5) or not x.strides[1]:
        return False
    least = 0
    for dim in (1, *range(x.ndim - 1, 1, -1), 0):
        if not x.shape[dim] or x.strides[dim] < least or (dim == 0 and least == x.strides[1]):
            return False
        least = x.strides[dim] * max(x.shape[dim], 1)
    return True


def keeps_layout(forward: Callable[..., object]) -> Callable[..., object]:
    """Make a forward return channels-last results if an operand is channels-last."""

    @functools.wraps(forward)
    def run(*arrays: object, **params: object) -> Array | tuple[Array, ...]:
        made = forward(*arrays, **params)
        if not any(x is not None and channels_last(x) for x in arrays[:2]):
            return made
        if isinstance(made, tuple):
            return tuple(map(_turned, made))
        return _turned(made)

    return run


def _turned(x: Array) -> Array:
    if x.ndim not in (4, 5):
        return x
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)


def window_count(n: int, kernel: int, stride: int, padding: int, dilation: int = 1, *, ceil_mode: bool = False) -> int:
    """The number of windows that fit along a dimension of size n; with `ceil_mode` one that sticks out counts if it
    starts inside."""
    rest = n + 2 * padding - dilation * (kernel - 1) - 1
    count = (-(-rest // stride) if ceil_mode else rest // stride) + 1
    if ceil_mode and (count - 1) * stride >= n + padding:
        count -= 1
    return count


def spans(kernel: Sizes, dilation: Sizes) -> Sizes:
    """The extent of each window."""
    return tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))


def windows(x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The windows of x over its last dimensions, with zero padding: (…, windows in each dimension, kernel in each)."""
    n = len(kernel)
    if any(padding):
        x = np.pad(x, [(0, 0)] * (x.ndim - n) + [(p, p) for p in padding])
    axes = tuple(range(x.ndim - n, x.ndim))
    view: Array = sliding(x, spans(kernel, dilation), axes)
    steps = tuple(slice(None, None, s) for s in (*stride, *dilation))
    return view[(..., *steps)]


def padded(
    x: Array, counts: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, value: object = 0
) -> Array:
    """x padded with `value` so that so many windows fit; x itself if no padding is needed."""
    n = len(kernel)
    ends = [
        (p, max(0, (c - 1) * s + d * (k - 1) + 1 - size - p))
        for size, c, k, s, p, d in zip(x.shape[-n:], counts, kernel, stride, padding, dilation, strict=True)
    ]
    if not any(map(any, ends)):
        return x
    inner = [before + size + after for (before, after), size in zip(ends, x.shape[-n:], strict=True)]
    wide: Array = np.full((*x.shape[:-n], *inner), value, x.dtype)
    wide[(..., *(slice(p, p + size) for (p, _), size in zip(ends, x.shape[-n:], strict=True)))] = x
    return wide


def offset_slices(x: Array, counts: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Iterator[Array]:
    """For each position in the kernel, in order, the elements of all windows at that position: views of the size of the
    result."""
    each = list(zip(counts, stride, dilation, strict=True))
    for offset in itertools.product(*map(range, kernel)):
        yield x[(..., *(slice(o * d, o * d + (c - 1) * s + 1, s) for o, (c, s, d) in zip(offset, each, strict=True)))]


def put_windows(cols: Array, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The transpose of `windows`: adds each window back to where it came from, in an array whose last dimensions are
    `shape`."""
    n = len(shape)
    counts, kernel = cols.shape[-2 * n : -n], cols.shape[-n:]
    wide = [
        max(size + 2 * p, (c - 1) * s + d * (k - 1) + 1)
        for size, p, c, s, d, k in zip(shape, padding, counts, stride, dilation, kernel, strict=True)
    ]
    out: Array = np.zeros((*cols.shape[: -2 * n], *wide), cols.dtype)
    for offset in itertools.product(*map(range, kernel)):
        place = tuple(
            slice(o * d, o * d + (c - 1) * s + 1, s)
            for o, d, c, s in zip(offset, dilation, counts, stride, strict=True)
        )
        out[(..., *place)] += cols[(..., *offset)]
    return np.ascontiguousarray(out[(..., *(slice(p, p + size) for p, size in zip(padding, shape, strict=True)))])


_AT_ONCE = 1 << 21  # bytes of windows that are laid out at a time: few enough to stay in the cache


def _chunks(batch: int, each: int) -> Iterator[slice]:
    """Parts of a batch whose windows, `each` bytes per sample, fit into memory."""
    step = max(1, min(batch, _AT_ONCE // max(each, 1)))
    return (slice(start, start + step) for start in range(0, batch, step))


def _columns(x: Array, kernel: Sizes, settings: tuple[Sizes, Sizes, Sizes], out: Sizes, groups: int) -> Array:
    """The windows of x as columns: (N, groups, C / groups · kernel, windows)."""
    n = len(kernel)
    view = windows(x, kernel, *settings)[(slice(None), slice(None), *(slice(0, size) for size in out))]
    batch, channels = view.shape[:2]
    order = (0, 1, *range(2 + n, 2 + 2 * n), *range(2, 2 + n))
    return view.transpose(order).reshape(batch, groups, channels // groups * math.prod(kernel), math.prod(out))


def _rows_of_windows(x: Array, kernel: Sizes, settings: tuple[Sizes, Sizes, Sizes], out: Sizes, groups: int) -> Array:
    """The windows of x as rows: (groups, N · windows, C / groups · kernel)."""
    n, (batch, channels) = len(kernel), x.shape[:2]
    each = channels // groups
    shape = (groups, batch * math.prod(out), each * math.prod(kernel))
    if groups == 1:  # the rows are long: it pays to lay out the columns first, and to turn them
        return _columns(x, kernel, settings, out, groups).transpose(1, 0, 3, 2).reshape(shape)
    view = windows(x, kernel, *settings)[(slice(None), slice(None), *(slice(0, size) for size in out))]
    apart = view.reshape(batch, groups, each, *view.shape[2:])
    return apart.transpose(1, 0, *range(3, 3 + n), 2, *range(3 + n, 3 + 2 * n)).reshape(shape)


def _counts(x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    each = zip(x.shape[2:], kernel, stride, padding, dilation, strict=True)
    return tuple(window_count(*one) for one in each)


def convolve(x: Array, w: Array, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Array:
    """Cross-correlation: x (N, C, …), w (O, C / groups, kernel) to (N, O, …)."""
    kernel, settings = w.shape[2:], (stride, padding, dilation)
    out = _counts(x, kernel, *settings)
    flat = w.reshape(groups, w.shape[0] // groups, -1)
    each = x.shape[1] * math.prod(kernel) * math.prod(out) * x.itemsize
    parts = [np.matmul(flat, _columns(x[at], kernel, settings, out, groups)) for at in _chunks(x.shape[0], each)]
    found = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros(0, x.dtype)
    return found.reshape(x.shape[0], w.shape[0], *out)


def transposed(
    x: Array, w: Array, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes, groups: int
) -> Array:
    """The transpose of `convolve` with respect to x: x (N, C, …), w (C, O / groups, kernel) to (N, O, …)."""
    kernel, at = w.shape[2:], x.shape[2:]
    batch, channels = x.shape[:2]
    outs = w.shape[1]
    flat = w.reshape(groups, channels // groups, outs * math.prod(kernel)).swapaxes(-1, -2)
    shape = tuple(
        (size - 1) * s - 2 * p + d * (k - 1) + 1 + extra
        for size, s, p, d, k, extra in zip(at, stride, padding, dilation, kernel, output_padding, strict=True)
    )
    made = np.empty((batch, groups * outs, *shape), np.result_type(x, w))
    for part in _chunks(batch, groups * outs * math.prod(kernel) * math.prod(at) * x.itemsize):
        rows = x[part]
        times = np.multiply if channels == groups else np.matmul  # a sum of one product
        cols = times(flat, rows.reshape(rows.shape[0], groups, channels // groups, -1))
        apart = cols.reshape(rows.shape[0], groups * outs, *kernel, *at)
        n = len(kernel)
        ordered = apart.transpose(0, 1, *range(2 + n, 2 + 2 * n), *range(2, 2 + n))
        made[part] = put_windows(ordered, shape, stride, padding, dilation)
    return made


def kernel_gradient(
    x: Array, g: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """The gradient of `convolve` with respect to w, from that of its result g (N, O, …)."""
    settings, out = (stride, padding, dilation), g.shape[2:]
    batch, channels, outs = x.shape[0], x.shape[1], g.shape[1]
    found = np.zeros((groups, outs // groups, channels // groups * math.prod(kernel)), np.result_type(x, g))
    for part in _chunks(batch, channels * math.prod(kernel) * math.prod(out) * x.itemsize):
        cols = _rows_of_windows(x[part], kernel, settings, out, groups)
        rows = g[part].reshape(len(x[part]), groups, outs // groups, math.prod(out)).transpose(1, 2, 0, 3)
        found += np.matmul(rows.reshape(groups, outs // groups, -1), cols)
    return found.reshape(outs, channels // groups, *kernel)
