"""Order: sort, topk, median, kthvalue, cummax. Gradients of values go to the places that they were taken from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.memory import laid_as
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.reduce import even_share, wrap_dim
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.arguments import Named, along, return_type

# --- ties: which of several equal elements is chosen ---


Selection = Callable[[list[int], int], list[int]]  # ranks and how many of the first are wanted → places in order
INSERTED = 16  # as many as C++'s `sort` does not partition
LONGEST = 127  # from 128 on PyTorch's topk uses a heap


def ranks(rows: Array) -> Array:
    """For sorted rows: the rank of each element among the distinct ones; NaN are equal."""
    same = (rows[:, 1:] == rows[:, :-1]) | ((rows[:, 1:] != rows[:, 1:]) & (rows[:, :-1] != rows[:, :-1]))
    found = np.zeros(rows.shape, np.int64)
    np.cumsum(~same, axis=1, out=found[:, 1:])
    return found


def selected(order: Array, rows: Array, k: int, select: Selection) -> Array:
    """The places of sorted rows, `order`, with the first `k` in the order in which `select` leaves equal elements."""
    n = order.shape[1]
    if not 2 <= n <= LONGEST or not len(order):
        return order
    numbers = ranks(rows)
    tied = np.flatnonzero((numbers[:, -1] < n - 1) | (select is by_partition))
    if not len(tied):
        return order
    given = np.empty((len(tied), n), np.int64)
    np.put_along_axis(given, order[tied], numbers[tied], 1)
    patterns, which = np.unique(given, axis=0, return_inverse=True)
    places = np.array([select(pattern, k) for pattern in patterns.tolist()])
    order = order.copy()
    order[tied, :k] = places[which.reshape(-1)][:, :k]
    return order


def in_order(keys: list[int], k: int) -> list[int]:
    """Equal elements keep their order."""
    return sorted(range(len(keys)), key=keys.__getitem__)


def by_sorting(keys: list[int], k: int) -> list[int]:
    """Like C++'s `sort`, which `mode` uses."""
    at = list(range(len(keys)))
    _sort_in_place(keys, at, len(at))
    return at


def by_insertion(row: list[float]) -> list[int]:
    """Like C++'s `sort` of at most sixteen numbers: NaN, which is neither less nor more than another, stops what is
    inserted behind it, unless it is less than the first."""
    at = [0]
    for i in range(1, len(row)):
        place = 0 if row[i] < row[at[0]] else i
        while place > 0 and row[i] < row[at[place - 1]]:
            place -= 1
        at.insert(place, i)
    return at


def by_partition(keys: list[int], k: int) -> list[int]:
    """Like C++'s `nth_element` for the k-th: what `topk` does if it need not sort."""
    at = list(range(len(keys)))
    if k == 1 and len(keys) >= 64:
        return in_order(keys, k)
    low, high = 0, len(at)
    while high - low > 3:
        cut = _parted(keys, at, low, high)
        low, high = (cut, high) if cut <= k - 1 else (low, cut)
    at[low:high] = sorted(at[low:high], key=keys.__getitem__)
    return at


def by_partitions(keys: list[int], k: int) -> list[int]:
    """Like `by_partition`, followed by C++'s `sort` of those before the k-th: what `topk` does."""
    at = by_partition(keys, k)
    _sort_in_place(keys, at, k - 1)
    return at


def _sort_in_place(keys: list[int], at: list[int], end: int) -> None:
    """C++'s `sort` of the first places: long stretches are partitioned, then everything is sorted by insertion."""
    pending = [(0, end)]
    while pending:
        low, high = pending.pop()
        if high - low > INSERTED:
            cut = _parted(keys, at, low, high)
            pending += [(low, cut), (cut, high)]
    at[:end] = sorted(at[:end], key=keys.__getitem__)


def _parted(keys: list[int], at: list[int], low: int, high: int) -> int:
    """Partition a stretch around the median of three of its elements, which goes to the front; return where the second
    part begins."""
    a, b, c = low + 1, low + (high - low) // 2, high - 1
    x, y, z = (keys[at[i]] for i in (a, b, c))
    if x < y:
        pivot = b if y < z else c if x < z else a
    else:
        pivot = a if x < z else c if y < z else b
    at[low], at[pivot] = at[pivot], at[low]
    middle = keys[at[low]]
    left, right = low + 1, high
    while True:
        while keys[at[left]] < middle:
            left += 1
        right -= 1
        while middle < keys[at[right]]:
            right -= 1
        if left >= right:
            return left
        at[left], at[right] = at[right], at[left]
        left += 1


def by_quickselect(keys: list[int], k: int) -> list[int]:
    """Like PyTorch's own quickselect, which `kthvalue` uses: only the k-th place is meaningful."""
    at = list(range(len(keys)))
    low, high, wanted = 0, len(at) - 1, k - 1
    while high > low + 1:
        _exchange(at, (low + high) >> 1, low + 1)
        for one, other in ((low + 1, high), (low, high), (low + 1, low)):
            if keys[at[one]] > keys[at[other]]:
                _exchange(at, one, other)
        cut, right = _crossed(keys, at, low, high)
        _exchange(at, low, right)
        low, high = (cut if right <= wanted else low), (right - 1 if right >= wanted else high)
    if high == low + 1 and keys[at[low]] > keys[at[high]]:
        _exchange(at, low, high)
    return at


def _crossed(keys: list[int], at: list[int], low: int, high: int) -> tuple[int, int]:
    """Exchange elements on the wrong side of the pivot at `low`; return where the two scans crossed."""
    pivot, left, right = keys[at[low]], low + 1, high
    while True:
        left += 1
        while keys[at[left]] < pivot:
            left += 1
        right -= 1
        while keys[at[right]] > pivot:
            right -= 1
        if right < left:
            return left, right
        _exchange(at, left, right)


def _exchange(at: list[int], i: int, j: int) -> None:
    at[i], at[j] = at[j], at[i]


F = FUNCTIONS


def _back_to_places(grad: Tensor, indices: Tensor, self_shape: object, dim: int) -> Tensor:
    if not self_shape:
        return grad
    return grad.new_zeros(self_shape).scatter(dim, indices, grad)


def back_to_one(grad: Tensor, indices: Tensor, self_shape: object, dim: int, keepdim: bool) -> Tensor:
    if self_shape and not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return _back_to_places(grad, indices, self_shape, dim)


def comparable(x: Array) -> Array:
    """The values in a type that NumPy orders with NaN at the end."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def order(x: Array, axis: int, descending: bool) -> Any:
    """Indices that sort; equal elements keep their order, NaN counts as the largest."""
    x = comparable(x)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    turned = np.flip(x, axis)
    return x.shape[axis] - 1 - np.flip(np.argsort(turned, axis=axis, kind="stable"), axis)


def _sort(x: Array, *, dim: int, descending: bool = False) -> tuple[Array, ...]:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    axis = wrap_dim(dim, x.ndim)
    at = order(x, axis, descending)
    return laid_as(np.take_along_axis(x, at, axis), x, None), laid_as(at, x, None)


def _topk(x: Array, *, k: int, dim: int, largest: bool = True, sorted: bool = True) -> tuple[Array, ...]:
    return _first(x, k, dim, largest, by_partitions if sorted else by_partition)


def _first(x: Array, k: int, dim: int, descending: bool, select: Selection) -> tuple[Array, ...]:
    """The first `k` of the sorted values and their places, equal elements in the order that `select` gives them."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    axis = wrap_dim(dim, x.ndim)
    rows = np.moveaxis(x, axis, -1)
    at = order(rows, -1, descending)
    if k and x.size:
        flat = np.take_along_axis(comparable(rows), at, -1).reshape(-1, rows.shape[-1])
        at = selected(at.reshape(flat.shape), flat, k, select).reshape(rows.shape)
    at = np.array(np.moveaxis(at[..., :k], -1, axis), order="C")  # `ascontiguousarray` keeps the strides of nothing
    return np.ascontiguousarray(np.take_along_axis(x, at, axis)), at


_DERIVATIVE = "grad at the places the values came from, 0 elsewhere"


def _sort_row(key: str, number: int) -> OpRow:
    """`sort`, and the explicitly stable `sort`; here it is always stable."""
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
        self=sentence(_DERIVATIVE, _back_to_places),
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
    self=sentence(_DERIVATIVE, _back_to_places),
)


@api("sort")
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Named:
    """Sorted along `dim`, and where each element came from."""
    wrap_dim(dim, input._data.ndim)
    row = SORT if stable is None else SORT_STABLE
    return return_type("sort")(*call_all(row, input, dim=dim, descending=descending))


@api("argsort")
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort."""
    return sort(input, dim, descending)[1]


@api("msort")
def msort(input: Tensor) -> Tensor:
    """Sorted along the first dimension."""
    return sort(input, 0)[0]


@api("topk")
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Named:
    """The `k` largest (or smallest) along `dim`, and where they are."""
    axis = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[axis] if input._data.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    if input.dtype.rank in (0, 3):
        words = "topk does not support bool dtypes on CPU", " topk does not support complex dtypes on CPU"
        raise RuntimeError(words[input.dtype.rank == 3])
    return return_type("topk")(*call_all(TOPK, input, k=k, dim=dim, largest=largest, sorted=sorted))


def _kth(
    x: Array, *, k: int, dim: int, keepdim: bool = False, select: Selection = by_quickselect
) -> list[Array] | tuple[Array, Array]:
    values, at = _first(x, k, dim, False, select)
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
    self=sentence(_DERIVATIVE, back_to_one),
)


def has_nan(x: Array) -> Array:
    return np.isnan(x) if x.dtype.kind in "fV" else np.zeros(x.shape, np.bool_)


def median_of_nothing(kind: np.dtype[Any]) -> Any:
    """NaN, or what C makes of it as an integer: the smallest value for 32 bits or more, 0 for fewer."""
    if kind.kind in "iu":
        return kind.type(np.iinfo(kind).min if kind.itemsize > 2 else 0)
    return kind.type(np.nan)


def check_median(input: Tensor, dim: int | None) -> None:
    """Refuse element types that have no order, and dimensions without elements."""
    if dim is not None:
        axis = wrap_dim(dim, input._data.ndim)
        if input._data.ndim and not input._data.shape[axis]:
            raise IndexError(f"median(): Expected reduction dim {axis} to have non-zero size.")
    if input.dtype.rank in (0, 3) and (dim is not None or input._data.size):
        kernel = "median_cpu" if dim is None else "median_out"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")


def _median(x: Array) -> Any:
    if not x.size:
        return median_of_nothing(x.dtype)
    return x.dtype.type(np.nan) if has_nan(x).any() else np.sort(x, axis=None)[(x.size - 1) // 2]


def _median_along(x: Array, *, dim: int, keepdim: bool = False) -> tuple[Array, ...]:
    """The lower median along a dimension and its index; if there is a NaN, the first of them."""
    k = (x.shape[dim] + 1) // 2 if x.ndim else 1
    values, at = _kth(x, k=k, dim=dim, keepdim=keepdim, select=in_order)
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
    self=sentence(_DERIVATIVE, back_to_one),
)
MEDIAN = op(
    "median",
    "self",
    _median,
    category="reductions",
    symbol="median",
    latex=r"\tilde{x}",
    brief="The lower median.",
    self=sentence("grad at the median (shared equally at ties), 0 elsewhere", even_share),
)


@api("kthvalue")
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Named:
    """The k-th smallest along `dim`, and where it is."""
    axis = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[axis] if input._data.ndim else 1
    if not n:
        raise IndexError(f"kthvalue(): Expected reduction dim {axis} to have non-zero size.")
    if not 1 <= k <= n:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    if input.dtype.rank in (0, 3) and input._data.ndim:
        raise NotImplementedError(f"\"kthvalue_cpu\" not implemented for '{input.dtype.title}'")
    return return_type("kthvalue")(*call_all(KTHVALUE, input, k=k, dim=dim, keepdim=keepdim))


@api("median")
@along("median")
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Named | Tensor:
    """The lower median of all elements, or along `dim` with its index."""
    check_median(input, dim)
    if dim is None:
        return call(MEDIAN, input)
    return return_type("median")(*call_all(MEDIAN_DIM, input, dim=dim, keepdim=keepdim))


# --- running extremes ---


def _running(ufunc: np.ufunc) -> Any:
    def forward(x: Array, *, dim: int) -> tuple[Array, ...]:
        if not x.ndim:
            return x.copy(), np.zeros((), np.int64)
        if not x.size:
            return x.copy(), np.zeros(x.shape, np.int64)
        axis = wrap_dim(dim, x.ndim)
        values = ufunc.accumulate(x, axis=axis)
        shape = [1] * x.ndim
        shape[axis] = x.shape[axis]
        reached = (x == values) | (x != x)  # each NaN is a new extreme
        here = np.where(reached, np.arange(x.shape[axis]).reshape(shape), 0)
        return values, np.maximum.accumulate(here, axis=axis).astype(np.int64)

    return forward


def _running_grad(grad: Tensor, indices: Tensor, self: Tensor, dim: int) -> Tensor:
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
    self=sentence(_DERIVATIVE, _running_grad),
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
    self=sentence(_DERIVATIVE, _running_grad),
)


def _running_extreme(name: str, row: OpRow) -> None:
    def function(input: Tensor, dim: int) -> Named:
        if not input._data.ndim and dim not in (0, -1):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        if input._data.size:
            wrap_dim(dim, input._data.ndim)
        return return_type(name)(*call_all(row, input, dim=dim))

    function.__name__ = name
    api(name)(function)


_running_extreme("cummax", CUMMAX)
_running_extreme("cummin", CUMMIN)
