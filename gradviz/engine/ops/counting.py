"""Counting: bincount, histc, mode. What sorts is in `order.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import overflow
from gradviz.engine.api import api
from gradviz.engine.apply import call, call_all
from gradviz.engine.batched import one_by_one
from gradviz.engine.creation import made
from gradviz.engine.formula import sentence
from gradviz.engine.named import return_type
from gradviz.engine.ops.order import back_to_one, comparable, order
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.ops.ties import by_sorting, selected
from gradviz.engine.rows import no_derivative, op
from gradviz.engine.tensor import Tensor

BINCOUNT = op(
    "bincount",
    "self, weights",
    lambda x, w, *, minlength: _counted(x, w, minlength),
    node="NotImplemented",
    category="reductions",
    symbol="count",
    brief="How often each integer stands; PyTorch has no gradient of the weights.",
    joint=no_derivative("bincount"),
)


def _counted(x: Any, weights: Any, minlength: int) -> Any:
    found = overflow.bincount(x, weights, minlength)
    return found.astype(np.float32) if weights is not None and weights.dtype == np.float32 else found


@api("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each integer stands, or the sum of its weights."""
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input._data.ndim != 1 or (input._data.size and input.dtype.rank != 1) or (input._data < 0).any():
        if input.dtype.rank != 1:
            raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{input.dtype.title}'")
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights._data.shape != input._data.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if input._data.size and (most := int(input._data.max())) == 2**63 - 1:
        raise RuntimeError(f"maximum value of input overflowed, it should be < {2**63 - 1} but got {most}")
    return call(BINCOUNT, input, weights, minlength=minlength)


@api("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal parts of the range."""
    return made(one_by_one(_histogram, (input._data, bins, min, max), {}))


def _histogram(data: Any, bins: int, low: float, high: float) -> Any:
    if low == high == 0 and data.size:
        low, high = float(data.min()), float(data.max())
    return np.histogram(data, bins, (low, high))[0].astype(data.dtype)


def _mode(x: Any, *, dim: int, keepdim: bool = False) -> Any:
    """The most frequent value of each row, the smallest of several, and one of its places."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    axis = wrap_dim(dim, x.ndim)
    n = x.shape[axis]
    across = np.moveaxis(comparable(x), axis, -1)
    at = order(across, -1, False)
    rows = np.take_along_axis(across, at, -1)
    at = selected(at.reshape(-1, n), rows.reshape(-1, n), n, by_sorting).reshape(rows.shape)
    first = np.ones(rows.shape, np.bool_)
    first[..., 1:] = rows[..., 1:] != rows[..., :-1]
    start = np.maximum.accumulate(np.where(first, np.arange(n), 0), axis=-1)
    length = np.arange(n) - start + 1
    best = np.argmax(length, axis=-1)[..., None]  # the first longest run ends here
    index = np.ascontiguousarray(np.moveaxis(np.take_along_axis(at, best, -1), -1, axis))
    found = np.take_along_axis(x, index, axis), index
    return found if keepdim else tuple(part.squeeze(axis) for part in found)


MODE = op(
    "mode",
    "self",
    _mode,
    outputs="values, indices",
    category="selection",
    symbol="mode",
    latex=r"\operatorname{mode} x",
    brief="The most frequent value (the smallest of several), and an index of it.",
    self=sentence("grad, at the places the values came from", back_to_one),
)


@api("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent value along `dim`, and an index of it."""
    axis = wrap_dim(dim, input._data.ndim)
    if input._data.ndim and not input._data.shape[axis]:
        raise IndexError(f"mode(): Expected reduction dim {axis} to have non-zero size.")
    return return_type("mode")(*call_all(MODE, input, dim=axis, keepdim=keepdim))
