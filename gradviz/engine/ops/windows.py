"""Sliding windows over the last dimensions of an array: what convolution, pooling and unfold are computed with.
NumPy only."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

Array = Any  # an ndarray: what NumPy's own annotations say of indexing with tuples is too narrow
Sizes = tuple[int, ...]


def sizes(value: Any, count: int) -> Sizes:
    """One number for each of `count` dimensions."""
    found = tuple(int(v) for v in value) if isinstance(value, (tuple, list)) else (int(value),)
    return found * count if len(found) == 1 else found


def window_count(n: int, kernel: int, stride: int, padding: int, dilation: int = 1, *, ceil_mode: bool = False) -> int:
    """How many windows fit along a dimension of size n; with `ceil_mode` one that sticks out counts if it starts
    inside."""
    rest = n + 2 * padding - dilation * (kernel - 1) - 1
    count = (-(-rest // stride) if ceil_mode else rest // stride) + 1
    if ceil_mode and (count - 1) * stride >= n + padding:
        count -= 1
    return count


def spans(kernel: Sizes, dilation: Sizes) -> Sizes:
    """How far each window reaches."""
    return tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))


def windows(x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The windows of x over its last dimensions, zeros around it: (…, windows in each dimension, kernel in each)."""
    n = len(kernel)
    if any(padding):
        x = np.pad(x, [(0, 0)] * (x.ndim - n) + [(p, p) for p in padding])
    axes = tuple(range(x.ndim - n, x.ndim))
    view: Any = np.lib.stride_tricks.sliding_window_view(x, spans(kernel, dilation), axes)
    steps = tuple(slice(None, None, s) for s in (*stride, *dilation))
    return view[(..., *steps)]


def put_windows(cols: Array, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The transpose of `windows`: adds each window back to where it came from, in an array whose last dimensions
    are `shape`."""
    n = len(shape)
    counts, kernel = cols.shape[-2 * n : -n], cols.shape[-n:]
    wide = [
        max(size + 2 * p, (c - 1) * s + d * (k - 1) + 1)
        for size, p, c, s, d, k in zip(shape, padding, counts, stride, dilation, kernel, strict=True)
    ]
    out: Any = np.zeros((*cols.shape[: -2 * n], *wide), cols.dtype)
    for offset in itertools.product(*map(range, kernel)):
        place = tuple(
            slice(o * d, o * d + (c - 1) * s + 1, s)
            for o, d, c, s in zip(offset, dilation, counts, stride, strict=True)
        )
        out[(..., *place)] += cols[(..., *offset)]
    return np.ascontiguousarray(out[(..., *(slice(p, p + size) for p, size in zip(padding, shape, strict=True)))])


def convolve(x: Array, w: Array, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Array:
    """Cross-correlation: x (N, C, …), w (O, C / groups, kernel) to (N, O, …)."""
    kernel = w.shape[2:]
    n = len(kernel)
    view = windows(x, kernel, stride, padding, dilation)
    batch, channels, out = view.shape[0], view.shape[1], view.shape[2 : 2 + n]
    split = view.reshape(batch, groups, channels // groups, math.prod(out), math.prod(kernel))
    cols = split.transpose(0, 1, 3, 2, 4).reshape(batch, groups, math.prod(out), -1)
    flat = w.reshape(groups, w.shape[0] // groups, -1)
    return np.matmul(flat, cols.swapaxes(-1, -2)).reshape(batch, w.shape[0], *out)


def transposed(
    x: Array, w: Array, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes, groups: int
) -> Array:
    """The transpose of `convolve` in x: x (N, C, …), w (C, O / groups, kernel) to (N, O, …)."""
    kernel, at = w.shape[2:], x.shape[2:]
    batch, channels = x.shape[:2]
    outs = w.shape[1]
    flat = w.reshape(groups, channels // groups, outs * math.prod(kernel))
    cols = np.matmul(flat.swapaxes(-1, -2), x.reshape(batch, groups, channels // groups, -1))
    ordered = cols.reshape(batch, groups * outs, math.prod(kernel), math.prod(at)).swapaxes(-1, -2)
    shape = tuple(
        (size - 1) * s - 2 * p + d * (k - 1) + 1 + extra
        for size, s, p, d, k, extra in zip(at, stride, padding, dilation, kernel, output_padding, strict=True)
    )
    return put_windows(ordered.reshape(batch, groups * outs, *at, *kernel), shape, stride, padding, dilation)


def kernel_gradient(
    x: Array, g: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """The gradient of `convolve` in w, from that of its result g (N, O, …)."""
    view = windows(x, kernel, stride, padding, dilation)
    n = len(kernel)
    out = g.shape[2:]
    view = view[(slice(None), slice(None), *(slice(0, size) for size in out))]
    batch, channels = view.shape[:2]
    split = view.reshape(batch, groups, channels // groups, math.prod(out), math.prod(kernel))
    cols = split.transpose(1, 0, 3, 2, 4).reshape(groups, batch * math.prod(out), -1)
    rows = (
        g.reshape(batch, groups, g.shape[1] // groups, -1)
        .transpose(1, 2, 0, 3)
        .reshape(groups, g.shape[1] // groups, -1)
    )
    return np.matmul(rows, cols).reshape(g.shape[1], channels // groups, *kernel[:n])
