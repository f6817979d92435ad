"""Order: sort, topk, median, kthvalue, unique, cummax, searchsorted, counting. Values carry gradients to the
places they were taken from."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.apply import call
from gradviz.engine.batched import one_by_one
from gradviz.engine.creation import made
from gradviz.engine.named import return_type
from gradviz.engine.ops.reduce import even_share, wrap_dim
from gradviz.engine.rows import OpRow, no_derivative, op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS
Array = np.ndarray[Any, Any]


def _back_to_places(grad: Any, indices: Any, self_shape: Any, dim: int) -> Any:
    if not self_shape:
        return grad
    return grad.new_zeros(self_shape).scatter(dim, indices, grad)


def back_to_one(grad: Any, indices: Any, self_shape: Any, dim: int, keepdim: bool) -> Any:
    if self_shape and not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return _back_to_places(grad, indices, self_shape, dim)


def comparable(x: Any) -> Any:
    """The values in a type that NumPy orders with NaN at the end."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def _order(x: Any, axis: int, descending: bool) -> Any:
    """Indices that sort; equal elements keep their order, NaN counts as the largest."""
    x = comparable(x)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    turned = np.flip(x, axis)
    return x.shape[axis] - 1 - np.flip(np.argsort(turned, axis=axis, kind="stable"), axis)


def _sort(x: Any, *, dim: int, descending: bool = False) -> Any:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    axis = wrap_dim(dim, x.ndim)
    at = _order(x, axis, descending)
    return np.take_along_axis(x, at, axis), at


def _topk(x: Any, *, k: int, dim: int, largest: bool = True) -> Any:
    values, at = _sort(x, dim=dim, descending=largest)
    if not x.ndim:
        return values, at
    key = (slice(None),) * wrap_dim(dim, x.ndim) + (slice(0, k),)
    return values[key].copy(), at[key].copy()


_DERIVATIVE = {"self": "grad, at the places the values came from"}


def _sort_row(key: str, number: int) -> OpRow:
    """`sort`, and `sort` that was asked to be stable; here it always is."""
    return op(
        "sort",
        "self",
        _sort,
        key=key,
        number=number,
        outputs="values, indices",
        category="selection",
        symbol="sort",
        latex=r"x_{(i)}",
        brief="Sorted along a dimension, and where each came from.",
        derivatives=_DERIVATIVE,
        self=_back_to_places,
    )


SORT, SORT_STABLE = _sort_row("sort", 0), _sort_row("sort_stable", 1)
TOPK = op(
    "topk",
    "self",
    _topk,
    outputs="values, indices",
    category="selection",
    symbol="topk",
    latex=r"x_{(1 … k)}",
    brief="The k largest, and where they are.",
    derivatives=_DERIVATIVE,
    self=_back_to_places,
)


@api("sort")
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """Sorted along `dim`, and where each element came from."""
    wrap_dim(dim, input._data.ndim)
    row = SORT if stable is None else SORT_STABLE
    return return_type("sort")(*call(row, input, dim=dim, descending=descending))


@api("argsort")
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort."""
    found: Tensor = sort(input, dim, descending)[1]
    return found


@api("msort")
def msort(input: Tensor) -> Tensor:
    """Sorted along the first dimension."""
    found: Tensor = sort(input, 0)[0]
    return found


@api("topk")
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` largest (or smallest) along `dim`, and where they are."""
    n = input._data.shape[wrap_dim(dim, input._data.ndim)] if input._data.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    if input.dtype.rank == 0:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return return_type("topk")(*call(TOPK, input, k=k, dim=dim, largest=largest))


def _kth(x: Any, *, k: int, dim: int, keepdim: bool = False) -> Any:
    values, at = _sort(x, dim=dim)
    if not x.ndim:
        return values, at
    axis = wrap_dim(dim, x.ndim)
    picked = [np.take(part, [k - 1], axis) for part in (values, at)]
    return picked if keepdim else [part.squeeze(axis) for part in picked]


KTHVALUE = op(
    "kthvalue",
    "self",
    _kth,
    outputs="values, indices",
    category="selection",
    symbol="kth",
    latex=r"x_{(k)}",
    brief="The k-th smallest, and where it is.",
    derivatives=_DERIVATIVE,
    self=back_to_one,
)


def has_nan(x: Any) -> Any:
    return np.isnan(x) if x.dtype.kind in "fV" else np.zeros(x.shape, np.bool_)


def _median(x: Any) -> Any:
    if x.dtype.kind == "b":
        raise NotImplementedError("\"median_cpu\" not implemented for 'Bool'")
    if not x.size:
        return x.dtype.type(np.nan) if x.dtype.kind in "fV" else np.iinfo(x.dtype).min
    return x.dtype.type(np.nan) if has_nan(x).any() else np.sort(x, axis=None)[(x.size - 1) // 2]


def _median_along(x: Any, *, dim: int, keepdim: bool = False) -> Any:
    """The lower median along a dimension and its index; where there is a NaN, the first of them."""
    values, at = _kth(x, k=(x.shape[dim] + 1) // 2 if x.ndim else 1, dim=dim, keepdim=keepdim)
    nan = has_nan(x)
    if not x.ndim or not nan.any():
        return values, at
    axis = wrap_dim(dim, x.ndim)
    bad, first = nan.any(axis, keepdims=keepdim), np.expand_dims(nan.argmax(axis), axis)
    return np.where(bad, np.nan, values).astype(x.dtype), np.where(bad, first if keepdim else first.squeeze(axis), at)


MEDIAN_DIM = op(
    "median",
    "self",
    _median_along,
    key="median_dim",
    number=1,
    outputs="values, indices",
    category="reductions",
    symbol="median",
    latex=r"\tilde{x}",
    brief="The lower median along a dimension.",
    derivatives=_DERIVATIVE,
    self=back_to_one,
)
MEDIAN = op(
    "median",
    "self",
    _median,
    category="reductions",
    symbol="median",
    latex=r"\tilde{x}",
    brief="The lower median.",
    derivatives={"self": "grad, shared by the places of the median"},
    self=even_share,
)


@api("kthvalue")
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest along `dim`, and where it is."""
    n = input._data.shape[wrap_dim(dim, input._data.ndim)] if input._data.ndim else 1
    if not 1 <= k <= n:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {wrap_dim(dim, input._data.ndim)}"
        )
    if input.dtype.rank == 0:
        raise NotImplementedError("\"kthvalue_cpu\" not implemented for 'Bool'")
    return return_type("kthvalue")(*call(KTHVALUE, input, k=k, dim=dim, keepdim=keepdim))


@api("median")
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of all elements, or along `dim` with its index."""
    if dim is None:
        return call(MEDIAN, input)
    axis = wrap_dim(dim, input._data.ndim)
    if input.dtype.rank == 0:
        raise NotImplementedError("\"median_out\" not implemented for 'Bool'")
    if input._data.ndim and not input._data.shape[axis]:
        raise IndexError(f"median(): Expected reduction dim {axis} to have non-zero size.")
    return return_type("median")(*call(MEDIAN_DIM, input, dim=dim, keepdim=keepdim))


# --- running extremes ---


def _running(ufunc: Any) -> Any:
    def forward(x: Any, *, dim: int) -> Any:
        if not x.ndim:
            return x.copy(), np.zeros((), np.int64)
        if not x.size:
            return x.copy(), np.zeros(x.shape, np.int64)
        axis = wrap_dim(dim, x.ndim)
        values = ufunc.accumulate(x, axis=axis)
        shape = [1] * x.ndim
        shape[axis] = x.shape[axis]
        here = np.where(x == values, np.arange(x.shape[axis]).reshape(shape), 0)
        return values, np.maximum.accumulate(here, axis=axis).astype(np.int64)

    return forward


def _running_grad(grad: Any, indices: Any, self: Any, dim: int) -> Any:
    return grad.new_zeros(self.shape).scatter_add(dim, indices, grad) if self.ndim else grad


CUMMAX = op(
    "cummax",
    "self",
    _running(np.maximum),
    outputs="values, indices",
    category="reductions",
    symbol="cummax",
    latex=r"\max_{j \le i} x_j",
    brief="Running maxima.",
    derivatives=_DERIVATIVE,
    self=_running_grad,
)
CUMMIN = op(
    "cummin",
    "self",
    _running(np.minimum),
    outputs="values, indices",
    category="reductions",
    symbol="cummin",
    latex=r"\min_{j \le i} x_j",
    brief="Running minima.",
    derivatives=_DERIVATIVE,
    self=_running_grad,
)


def _running_extreme(name: str, row: OpRow) -> None:
    def function(input: Tensor, dim: int) -> Any:
        if not input._data.ndim and dim not in (0, -1):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        if input._data.size:
            wrap_dim(dim, input._data.ndim)
        return return_type(name)(*call(row, input, dim=dim))

    function.__name__ = name
    api(name)(function)


_running_extreme("cummax", CUMMAX)
_running_extreme("cummin", CUMMIN)

# --- counting and looking up: no gradients ---


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
    found = np.bincount(x, weights, minlength)
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
    found: Tensor = call(BINCOUNT, input, weights, minlength=minlength)
    return found


@api("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal parts of the range."""
    return made(one_by_one(_histogram, (input._data, bins, min, max), {}))


def _histogram(data: Any, bins: int, low: float, high: float) -> Any:
    if low == high == 0 and data.size:
        low, high = float(data.min()), float(data.max())
    return np.histogram(data, bins, (low, high))[0].astype(data.dtype)


def _mode(x: Any, *, dim: int, keepdim: bool = False) -> Any:
    """The most frequent value of each row, the smallest of several, and the last place where it stands."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    axis = wrap_dim(dim, x.ndim)
    n = x.shape[axis]
    order = np.moveaxis(_order(x, axis, False), axis, -1)
    rows = np.take_along_axis(np.moveaxis(comparable(x), axis, -1), order, -1)
    first = np.ones(rows.shape, np.bool_)
    first[..., 1:] = rows[..., 1:] != rows[..., :-1]
    start = np.maximum.accumulate(np.where(first, np.arange(n), 0), axis=-1)
    length = np.arange(n) - start + 1
    best = np.argmax(length, axis=-1)[..., None]  # the first longest run ends here
    index = np.ascontiguousarray(np.moveaxis(np.take_along_axis(order, best, -1), -1, axis))
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
    derivatives=_DERIVATIVE,
    self=back_to_one,
)


@api("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent value along `dim`, and an index of it."""
    axis = wrap_dim(dim, input._data.ndim)
    if input._data.ndim and not input._data.shape[axis]:
        raise IndexError(f"mode(): Expected reduction dim {axis} to have non-zero size.")
    return return_type("mode")(*call(MODE, input, dim=axis, keepdim=keepdim))


@api("isin", where="torch")
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among the others."""
    a, b = (x._data if isinstance(x, Tensor) else np.asarray(x) for x in (elements, test_elements))
    return made(np.isin(a, b, invert=invert))
