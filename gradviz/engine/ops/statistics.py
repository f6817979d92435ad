"""Statistics: covariance and correlation; and functions that sort or count the elements: quantiles and medians, with or
without NaN, the mode, histograms and `bincount`. Sorting itself is in `order.py`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.batched import one_by_one
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import no_derivative, op
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import overflow
from gradviz.engine.ops.creation import made
from gradviz.engine.ops.derivatives import scaled
from gradviz.engine.ops.order import (
    INSERTED,
    back_to_one,
    by_insertion,
    by_sorting,
    check_median,
    comparable,
    has_nan,
    median_of_nothing,
    order,
    selected,
)
from gradviz.engine.ops.reduce import even_share, wrap_dim
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import apply, call, call_all
from gradviz.engine.run.arguments import Named, along, return_type

F = FUNCTIONS
_WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def _check_quantile(input: Tensor, q: Tensor, interpolation: str, name: str) -> None:
    if interpolation not in _WAYS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if not input._data.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if q._data.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if not ((q._data >= 0) & (q._data <= 1)).all():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")


def _sorted_rows(input: Tensor, dim: int | None) -> Tensor:
    """The values in order, along the last dimension."""
    if dim is None:
        return F["sort"](input.flatten())[0]
    if dim == input._data.ndim - 1 or not input._data.ndim:
        return F["sort"](input)[0]
    return F["sort"](input.unsqueeze(-1).transpose(dim, -1))[0]


def _kept_shape(input: Tensor, dim: int | None, keepdim: bool) -> list[int]:
    shape = list(input._data.shape)
    if dim is None or not shape:
        return [1] * len(shape) if keepdim else []
    return [*shape[:dim], 1, *shape[dim + 1 :]] if keepdim else [*shape[:dim], *shape[dim + 1 :]]


def _ranks(rows: Tensor, q: Tensor, without_nan: bool) -> Tensor:
    """The position of each quantile along its row; at the end, where a NaN is, if NaN counts."""
    nan = F["isnan"](rows)
    if without_nan:
        ranks = q * (F["logical_not"](nan).sum(-1, keepdim=True) - 1)
        return ranks.masked_fill_(ranks < 0, 0)
    last = rows._data.shape[-1] - 1
    wide, bad = F["broadcast_tensors"](scaled(q, last), F["any"](nan, -1, keepdim=True))
    return wide.masked_fill(bad, last)


def _quantile(
    input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, without_nan: bool, name: str
) -> Tensor:
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
        q = F["tensor"](q, dtype=input.dtype)
    _check_quantile(input, q, interpolation, name)
    axis = None if dim is None else wrap_dim(dim, input._data.ndim)
    rows = _sorted_rows(input, axis)
    rows = rows.view([*_kept_shape(input, axis, keepdim), (rows._data.shape or (1,))[-1]])
    ranks = _ranks(rows, q, without_nan)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": ranks.floor_, "higher": ranks.ceil_, "nearest": ranks.round_}[interpolation]()
    below = ranks.to(dtypes.int64)
    found = rows.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weights = ranks - below if interpolation == "linear" else F["full_like"](ranks, 0.5)
        above = ranks.ceil_().to(dtypes.int64)
        found.lerp_(rows.gather(-1, above), weights)
    if q._data.ndim:
        found.unsqueeze_(0).transpose_(0, -1)
    return found.squeeze_(-1)


@api("quantile")
def quantile(
    input: Tensor, q: object, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """Quantiles, interpolated between the neighbours; several of `q` make a first dimension."""
    return _quantile(input, q, dim, keepdim, interpolation, False, "quantile")


@api("nanquantile")
def nanquantile(
    input: Tensor, q: object, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """Quantiles, ignoring NaN."""
    return _quantile(input, q, dim, keepdim, interpolation, True, "quantile")


# --- the median ignoring NaN ---


def _nanmedian(x: Array) -> Any:
    known = np.sort(x[~has_nan(x)], axis=None)
    if not known.size:
        return median_of_nothing(x.dtype)
    return known[(known.size - 1) // 2]


def _nanmedian_along(x: Array, *, dim: int, keepdim: bool = False) -> tuple[Array, ...]:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    axis = wrap_dim(dim, x.ndim)
    order = np.argsort(comparable(x), axis=axis, kind="stable")
    count = (~has_nan(x)).sum(axis, keepdims=True)
    at = np.take_along_axis(order, np.maximum((count - 1) // 2, 0), axis)
    found = np.take_along_axis(x, at, axis), at
    return found if keepdim else tuple(part.squeeze(axis) for part in found)


_SHOWN: dict[str, Any] = {"category": "reductions", "symbol": "nanmedian", "latex": r"\tilde{x}"}
NANMEDIAN = op(
    "nanmedian",
    "self",
    _nanmedian,
    **_SHOWN,
    brief="The lower median, ignoring NaN.",
    self=sentence("grad at the median (shared equally at ties), 0 elsewhere", even_share),
)
NANMEDIAN_DIM = op(
    "nanmedian",
    "self",
    _nanmedian_along,
    key="nanmedian_dim",
    number=1,
    outputs="values, indices",
    **_SHOWN,
    brief="The lower median, ignoring NaN, along a dimension.",
    self=sentence("grad at the places the values came from, 0 elsewhere", back_to_one),
)


@api("nanmedian")
@along("nanmedian")
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Named | Tensor:
    """The lower median ignoring NaN, of all elements or along `dim` with its index."""
    check_median(input, dim)
    if dim is None:
        return call(NANMEDIAN, input)
    axis = wrap_dim(dim, input._data.ndim)
    return return_type("nanmedian")(*call_all(NANMEDIAN_DIM, input, dim=axis, keepdim=keepdim))


# --- histograms ---


def _counted(x: Array, weight: Array | None, *, edges: Sequence[Array], density: bool) -> Array:
    """How many rows of `x` fall into each cell of a grid, or the sum of their weights."""
    at = []
    inside = np.ones(len(x), np.bool_)
    for column, edge in zip(x.T, edges, strict=True):
        place = np.searchsorted(edge, column, "right") - 1
        place = np.where(column == edge[-1], len(edge) - 2, place)
        inside &= (column >= edge[0]) & (column <= edge[-1])
        at.append(place)
    found = np.zeros([len(edge) - 1 for edge in edges], x.dtype)
    np.add.at(found, tuple(place[inside] for place in at), 1 if weight is None else weight[inside])
    if density:
        found = found / found.sum()
        for d, edge in enumerate(edges):
            width = np.diff(edge).reshape([-1 if i == d else 1 for i in range(found.ndim)])
            found = found / width
    return found.astype(x.dtype)


HISTOGRAM = op(
    "histogram",
    "self, weight",
    _counted,
    node="NotImplemented",
    category="reductions",
    symbol="hist",
    brief="How many elements fall into each cell; PyTorch has no gradient of it.",
    joint=no_derivative("aten::histogram"),
)


def _edges(column: Array, bins: int, low: float, high: float) -> Array:
    if low == high:
        low, high = low - 0.5, high + 0.5
    steps = F["linspace"](float(low), float(high), bins + 1, dtype=dtypes.of(column))
    return steps._data


def _limits(rows: Array, d: int, given: Sequence[float] | None) -> tuple[float, float]:
    """The ends of the bins of one dimension."""
    if given is not None:
        low, high = given[2 * d], given[2 * d + 1]
    elif not rows.size:
        low, high = 0.0, 1.0
    else:
        low, high = float(rows[:, d].min()), float(rows[:, d].max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {d}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {d}"
        )
    return low, high


def _check_span(span: Sequence[float] | None, dims: int) -> None:
    if span is not None and len(span) != 2 * dims:
        raise RuntimeError(
            f"torch.histogramdd: for a {dims}-dimensional histogram range should have {2 * dims} elements, but got "
            f"{len(span)}"
        )


def _check_histogram(rows: Tensor, bins: Sequence[Any], span: Sequence[float] | None, weight: Tensor | None) -> None:
    """The checks of `histogramdd`, in PyTorch's order; `rows` has a column for each dimension."""
    name, count = "torch.histogramdd", rows.size(-1)
    for d, each in enumerate(bins):
        if isinstance(each, Tensor):
            if each.dtype is not rows.dtype:
                raise RuntimeError(
                    f"{name}: input tensor and bins tensors should have the same dtype, but got input with dtype "
                    f"{rows.dtype.cpp} and bins for dimension {d} with dtype {each.dtype.cpp}"
                )
            if each._data.ndim != 1:
                raise RuntimeError(
                    f"{name}: bins tensor should have one dimension, but got {each._data.ndim} dimensions in the bins "
                    f"tensor for dimension {d}"
                )
    if weight is not None:
        if weight.dtype is not rows.dtype:
            raise RuntimeError(
                f"{name}: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
                f"got input({rows.dtype.cpp}), and weight({weight.dtype.cpp})"
            )
        if weight._data.shape != rows._data.shape[:-1]:
            raise RuntimeError(
                f"{name}: if weight tensor is provided it should have the same shape as the input tensor excluding its "
                f"innermost dimension, but got input with shape {list(rows._data.shape)} and weight with shape "
                f"{list(weight._data.shape)}"
            )
    _check_span(span, count)
    if rows.dtype not in (dtypes.float32, dtypes.float64):
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{rows.dtype.title}'")


@api("histogram")
def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Named:
    """How many elements fall into each bin, and the edges of the bins."""
    weights = None if weight is None else weight.reshape(-1)
    found, edges = _histogrammed(input.reshape(-1, 1), [bins], range, weights, density)
    return return_type("histogram")(found, edges[0])


@api("histogramdd", where="torch")
def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Named:
    """How many rows fall into each cell of a grid, and the edges of the grid."""
    dims = input.size(-1)
    if input._data.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    counts = [bins] * dims if isinstance(bins, int) else list(bins)
    if not counts or not isinstance(counts[0], Tensor):
        _check_span(range, dims)
        if len(counts) != dims:
            raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    elif len(counts) != dims:
        raise RuntimeError(
            f"torch.histogramdd: expected {dims} sequences of bin edges for a {dims}-dimensional histogram but got "
            f"{len(counts)}"
        )
    return return_type("histogramdd")(*_histogrammed(input, counts, range, weight, density))


def _histogrammed(
    input: Tensor, bins: Sequence[Any], span: Any, weight: Tensor | None, density: bool
) -> tuple[Tensor, Any]:
    for d, each in enumerate(bins):
        if not isinstance(each, Tensor) and each <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {each} for dimension {d}")
    _check_histogram(input, bins, span, weight)
    rows = input._data.reshape(-1, input._data.shape[-1])
    limits = [(0.0, 1.0) if isinstance(each, Tensor) else _limits(rows, d, span) for d, each in enumerate(bins)]
    for d, each in enumerate(bins):
        count = len(each._data) - 1 if isinstance(each, Tensor) else each
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {d}")
    edges = [
        each._data if isinstance(each, Tensor) else _edges(rows[:, d], each, *limits[d]) for d, each in enumerate(bins)
    ]
    weights = None if weight is None else weight._data.reshape(-1)
    found = apply(HISTOGRAM, (input, weight), (rows, weights), {"edges": tuple(edges), "density": density})
    return found, tuple(made(each.copy()) for each in edges)


BINCOUNT = op(
    "bincount",
    "self, weights",
    lambda x, w, *, minlength: _occurrences(x, w, minlength),
    node="NotImplemented",
    category="reductions",
    symbol="count",
    brief="How often each integer occurs; PyTorch has no gradient of the weights.",
    joint=no_derivative("aten::bincount"),
)


def _occurrences(x: Array, weights: Array | None, minlength: int) -> Array:
    found = overflow.bincount(x, weights, minlength)
    return found.astype(np.float32) if weights is not None and weights.dtype == np.float32 else found


@api("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each integer occurs, or the sum of its weights."""
    if input.dtype.rank != 1:
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{input.dtype.title}'")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input._data.ndim != 1 or (input._data < 0).any():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights._data.shape != input._data.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if input._data.size and (most := int(input._data.max())) == 2**63 - 1:
        raise RuntimeError(f"maximum value of input overflowed, it should be < {2**63 - 1} but got {most}")
    return call(BINCOUNT, input, weights, minlength=minlength)


@api("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal parts of the range."""
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if input.dtype.rank != 2:
        kernel = "linspace_cpu" if input.dtype is dtypes.bool_ else "histogram_cpu"
        if input.dtype.is_complex and input._data.size and min == max == 0:
            kernel = "aminmax_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")
    return made(one_by_one(_histogram, (input._data, bins, min, max), {}))


def _histogram(data: Array, bins: int, low: float, high: float) -> Array:
    if low == high == 0 and data.size:
        low, high = float(data.min()), float(data.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    return np.histogram(data, bins, (low, high))[0].astype(data.dtype)


def _mode(x: Array, *, dim: int, keepdim: bool = False) -> tuple[Array, ...]:
    """The most frequent value of each row, the smallest if there are several, and one of its places."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    axis = wrap_dim(dim, x.ndim)
    n = x.shape[axis]
    across = np.moveaxis(comparable(x), axis, -1)
    at = order(across, -1, False)
    rows = np.take_along_axis(across, at, -1)
    at = selected(at.reshape(-1, n), rows.reshape(-1, n), n, by_sorting).reshape(rows.shape)
    unordered = np.argwhere(np.isnan(rows[..., -1])) if n <= INSERTED and rows.dtype.kind == "f" else ()
    for place in map(tuple, unordered):
        at[place] = by_insertion(across[place].tolist())
        rows[place] = across[place][at[place]]
    first = np.ones(rows.shape, np.bool_)
    first[..., 1:] = rows[..., 1:] != rows[..., :-1]
    start = np.maximum.accumulate(np.where(first, np.arange(n), 0), axis=-1)
    length = np.arange(n) - start + 1
    best = np.argmax(length, axis=-1)[..., None]  # the first longest run ends here
    index = np.array(np.moveaxis(np.take_along_axis(at, best, -1), -1, axis), order="C")
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
    self=sentence("grad at the places the values came from, 0 elsewhere", back_to_one),
)


@api("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Named:
    """The most frequent value along `dim`, and an index of it."""
    axis = wrap_dim(dim, input._data.ndim)
    if input._data.ndim and not input._data.shape[axis]:
        raise IndexError(f"mode(): Expected reduction dim {axis} to have non-zero size.")
    return return_type("mode")(*call_all(MODE, input, dim=axis, keepdim=keepdim))


# --- covariance and correlation of variables in rows, weighted or not, in PyTorch's order of operations ---


_FREEDOM = (
    "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations. (Triggered "
    "internally at /__w/pytorch/pytorch/aten/src/ATen/native/Correlation.cpp:129.)"
)


def _check_dims(x: Tensor, name: str) -> None:
    if x._data.ndim > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {x._data.ndim} dimensions"
        )


def _check_weights(name: str, w: Tensor, rank: int, kind: str, count: int) -> None:
    if w._data.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {w._data.ndim} dimensions"
        )
    if w.dtype.rank != rank:
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with {w.dtype.title} dtype")
    if w._data.size != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{w._data.size} != {count}"
        )
    if (w._data < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


def _weights(fweights: Tensor | None, aweights: Tensor | None, count: int) -> Tensor | None:
    """The product of frequencies and weights."""
    found = fweights
    if fweights is not None:
        _check_weights("fweights", fweights, 1, "integral", count)
    if aweights is not None:
        _check_weights("aweights", aweights, 2, "floating point", count)
        found = aweights if found is None else found * aweights
    return found


@api("cov")
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables in rows, their observations in columns."""
    _check_dims(input, "cov")
    if input.dtype is dtypes.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input.view(1, -1) if input._data.ndim < 2 else input
    count = x._data.shape[1]
    w = _weights(fweights, aweights, count)
    total = wrap(np.asarray(count)) if w is None else w.sum()
    if w is not None and not total._data:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = (x if w is None else x * w).sum(1) / total
    if w is not None and aweights is not None and correction:
        factor = total - scaled((w * aweights).sum(), correction) / total
    else:
        factor = total - correction
    if factor._data <= 0:
        warnings.warn(_FREEDOM, UserWarning, stacklevel=2)
        factor = F["zeros_like"](factor)
    x = x - mean.unsqueeze(1)
    turned = (x if w is None else x * w).t()
    found: Tensor = x.mm(turned.conj() if x.dtype.is_complex else turned)
    return (found / factor).squeeze()


@api("corrcoef")
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables in rows."""
    _check_dims(input, "corrcoef")
    found = cov(input)
    if not found._data.ndim:
        return found / found
    diagonal = found.diagonal()
    spread = (F["real"](diagonal) if diagonal.dtype.is_complex else diagonal).sqrt()
    found = found / spread.view(-1, 1)
    found = found / spread.view(1, -1)
    if found.dtype.is_complex:
        parts: tuple[object, object] = F["real"](found).clip(-1, 1), F["imag"](found).clip(-1, 1)
        return F["complex"](*parts)
    return found.clip(-1, 1)
