"""Combining several values at one index (`scatter_reduce`, `index_reduce`), and writing elements by their position in
the flattened tensor (`put`). Writing and adding by index are in `gathering.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.memory import laid_as
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.rounding import widened
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.creation import made
from gradviz.engine.ops.derivatives import plus, scaled
from gradviz.engine.ops.elementwise import Prepared, register
from gradviz.engine.ops.gathering import check_index, check_places, check_range, check_scatter, check_slices, places
from gradviz.engine.ops.reduce import norm_forward, norm_gradient, wrap_dim
from gradviz.engine.run.api import FUNCTIONS, LINALG, api
from gradviz.engine.run.function import delayed_error

F = FUNCTIONS


def _lowest(kind: np.dtype[Any]) -> float | int:
    return -math.inf if kind.kind in "fV" else False if kind.kind == "b" else np.iinfo(kind).min


def _highest(kind: np.dtype[Any]) -> float | int:
    return math.inf if kind.kind in "fV" else True if kind.kind == "b" else np.iinfo(kind).max


_REDUCTIONS: dict[str, tuple[np.ufunc, Callable[[np.dtype[Any]], float]]] = {
    "sum": (np.add, lambda kind: 0),
    "mean": (np.add, lambda kind: 0),
    "prod": (np.multiply, lambda kind: 1),
    "amax": (np.maximum, _lowest),
    "amin": (np.minimum, _highest),
}


def _meeting(x: Array, key: tuple[Array, ...], source: Array, reduce: str, include_self: bool) -> Array:
    """`x` combined with the values that `source` brings to the places `key`."""
    ufunc, neutral = _REDUCTIONS[reduce]
    small = x.dtype.kind in "fV" and x.dtype.itemsize == 2
    out = np.array(x, np.float32 if small else x.dtype)
    if not include_self:
        out[key] = neutral(x.dtype)
    ufunc.at(out, key, source.astype(out.dtype))
    if reduce == "mean":
        count = np.ones(x.shape, np.int64) if include_self else np.zeros(x.shape, np.int64)
        np.add.at(count, key, 1)
        count = np.maximum(count, 1)
        out = out // count if x.dtype.kind in "iu" else out / count
    return out.astype(x.dtype)


@dataclass(frozen=True)
class _Way:
    """How an index names places: entry by entry (`scatter_reduce`) or slice by slice (`index_reduce`)."""

    name: str
    source: str
    key: Callable[[Array, Array, int], tuple[Any, ...]]
    gather: Callable[[Tensor, int, Tensor], Tensor]
    add: Callable[[Tensor, int, Tensor, Tensor], Tensor]
    clear: Callable[[Tensor, int, Tensor], Tensor]

    def forward(self, x: Array, index: Array, source: Array, *, dim: int, reduce: str, include_self: bool) -> Array:
        """The combined values."""
        if not x.ndim:
            one = self.forward(
                x.reshape(1), index.reshape(-1), source.reshape(-1), dim=0, reduce=reduce, include_self=include_self
            )
            return one.reshape(())
        if not index.ndim and self.source == "src":
            index, source = index.reshape(1), source.reshape(-1)
        if source.shape != index.shape and self.source == "src":
            source = source[tuple(slice(n) for n in index.shape)]
        return _meeting(x, self.key(x, index, dim), source, reduce, include_self)

    def again(self, x: Tensor, dim: int, index: Tensor, source: Tensor, include_self: bool) -> Tensor:
        """The product computed again."""
        return F[self.name](x, dim, index, source, "prod", include_self=include_self)

    def both(
        self, grad: Tensor, x: Tensor, index: Tensor, source: Tensor, result: Tensor, how: tuple[int, str, bool]
    ) -> tuple[Tensor, ...]:
        """The gradients of the tensor and of the source."""
        dim, reduce, include_self = how
        if reduce == "sum":
            mine, theirs = grad, self.gather(grad, dim, index)
        elif reduce == "mean":
            start = F["ones_like"](grad) if include_self else F["zeros_like"](grad)
            count = self.add(start, dim, index, F["ones_like"](source))
            count = count.masked_fill(count == 0, 1)
            mine, theirs = grad / count, self.gather(grad, dim, index) / self.gather(count, dim, index)
        elif reduce == "prod":
            mine, theirs = self._of_product(grad, x, index, source, result, dim, include_self)
        else:
            value = self.gather(result, dim, index)
            own, brought = (x == result).to(x.dtype), (source == value).to(x.dtype)
            share = grad / self.add(own, dim, index, brought)
            mine, theirs = own * share, brought * self.gather(share, dim, index)
        return mine if include_self else self.clear(mine, dim, index), theirs

    def _of_product(
        self, grad: Tensor, x: Tensor, index: Tensor, source: Tensor, result: Tensor, dim: int, include_self: bool
    ) -> tuple[Tensor, Tensor]:
        nonzero = x.masked_fill(x == 0, 1)
        mine = grad * self.again(nonzero, dim, index, source, include_self) / nonzero
        zero = source == 0
        zeros = self.gather(self.add(F["zeros_like"](x), dim, index, zero.to(x.dtype)), dim, index)
        single = F["logical_and"](zero, zeros == 1)
        others = self.again(x, dim, index, source.masked_fill(single, 1), include_self)
        masked = source.masked_fill(zero, 1)  # PyTorch computes the arguments of `where` from the last to the first
        shares = self.gather(grad * result, dim, index) / masked
        theirs = F["where"](single, self.gather(grad * others, dim, index), shares)
        if state.grad and bool(((zeros > 1) & zero)._data.any()):
            what = f"when >1 zeros in {self.source} are scattered to the same position in self"
            theirs = delayed_error(f"{self.name}(): Double backward is unsupported for {self.source} {what}", 1)(theirs)
        return mine, theirs


_SCATTER = _Way(
    "scatter_reduce",
    "src",
    lambda x, index, dim: places(index, dim),
    lambda t, dim, index: t.gather(dim, index),
    lambda t, dim, index, source: t.scatter_add(dim, index, source),
    lambda t, dim, index: t.scatter(dim, index, 0),
)
_INDEX = _Way(
    "index_reduce",
    "source",
    lambda x, index, dim: (slice(None),) * dim + (index,),
    lambda t, dim, index: t.index_select(dim, index),
    lambda t, dim, index, source: t.index_add(dim, index, source),
    lambda t, dim, index: F["index_fill"](t, dim, index, 0),
)
SCATTER_REDUCE = op(
    "scatter_reduce",
    "self, index, src",
    _SCATTER.forward,
    category="indexing",
    symbol="scatter∘",
    latex=r"x_{i} \leftarrow x_i \circ v",
    brief="Values that meet at an index are put together.",
    self=sentence(
        "grad times the share of each element",
        lambda grad, self, index, src, result, dim, reduce, include_self: _SCATTER.both(
            grad, self, index, src, result, (dim, reduce, include_self)
        )[0],
    ),
    src=sentence(
        "grad at the index times the share of each value",
        lambda grad, self, index, src, result, dim, reduce, include_self: _SCATTER.both(
            grad, self, index, src, result, (dim, reduce, include_self)
        )[1],
    ),
)
INDEX_REDUCE = op(
    "index_reduce",
    "self, index, source",
    _INDEX.forward,
    category="indexing",
    symbol="index∘",
    latex=r"x_{i} \leftarrow x_i \circ v",
    brief="Slices that meet at an index are put together.",
    self=sentence(
        "grad times the share of each element",
        lambda grad, self, index, source, result, dim, reduce, include_self: _INDEX.both(
            grad, self, index, source, result, (dim, reduce, include_self)
        )[0],
    ),
    source=sentence(
        "grad at the index times the share of each value",
        lambda grad, self, index, source, result, dim, reduce, include_self: _INDEX.both(
            grad, self, index, source, result, (dim, reduce, include_self)
        )[1],
    ),
)


def _prepare_scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Prepared:
    axis = wrap_dim(dim, input._data.ndim)
    check_index(index, "scatter")
    check_scatter(input, index, src, axis)
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    check_range(index, input, axis)
    params = {"dim": axis, "reduce": reduce, "include_self": include_self}
    return SCATTER_REDUCE, (input, index, src), (input._data, index._data, src._data), params


def _prepare_index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Prepared:
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    axis = wrap_dim(dim, input._data.ndim)
    check_slices("index_reduce_", input, index, source, axis)
    warn_once(
        "index_reduce",
        "index_reduce() is in beta and the API may change at any time. (Triggered internally at "
        "/__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:1523.)",
        stacklevel=5,
    )
    n = input._data.shape[axis] if input._data.ndim else 1
    if ((index._data < 0) | (index._data >= n)).any():
        raise IndexError("index out of range in self")
    params = {"dim": axis, "reduce": reduce, "include_self": include_self}
    return INDEX_REDUCE, (input, index, source), (input._data, index._data, source._data), params


register(_prepare_scatter_reduce, ("scatter_reduce",))
register(_prepare_index_reduce, ("index_reduce",))


# --- by position in the flattened tensor ---


def _put(x: Array, index: Array, source: Array, *, accumulate: bool) -> Array:
    flat = x.reshape(-1).copy()
    if accumulate:
        np.add.at(flat, index.reshape(-1), source.reshape(-1))
    else:
        flat[index.reshape(-1)] = source.reshape(-1)
    return laid_as(flat.reshape(x.shape), x, None)


PUT = op(
    "put",
    "self, index, source",
    _put,
    category="indexing",
    symbol="put",
    latex=r"x_{i} \leftarrow v",
    brief="Elements of the flattened tensor are written.",
    self=sentence(
        "grad, 0 at the places written",
        lambda grad, index, accumulate: (
            grad if accumulate else F["put"](grad, index, grad.new_zeros(index.shape), False)
        ),
    ),
    source=sentence(
        "grad at the places written", lambda grad, index, source: F["take"](grad, index).reshape(source.shape)
    ),
)


def _prepare_put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Prepared:
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype.title}")
    if input.dtype is not source.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {input.dtype.title} and "
            f"source.dtype = {source.dtype.title}"
        )
    if index._data.size != source._data.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._data.size}, index.numel() = {index._data.size}"
        )
    if index._data.size and not input._data.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    check_places("put_", index, input._data.size)
    return PUT, (input, index, source), (input._data, index._data, source._data), {"accumulate": accumulate}


register(_prepare_put, ("put",))


# --- lengths limited along a dimension ---


def _renorm_grad(grad: Tensor, self: Tensor, p: object, dim: int, maxnorm: float) -> Tensor:
    dims = [d for d in range(self.ndim) if d != dim]
    norm = LINALG["vector_norm"](self, p, dims, True)
    shared = (conj(self) * grad).sum(dims, keepdim=True)
    shared = F["real"](shared) if self.dtype.is_complex else shared
    along = norm_gradient(shared, self, norm, p, tuple(dims), True)
    inverse = plus(norm, 1e-7).reciprocal()
    return F["where"](norm > maxnorm, scaled(inverse, maxnorm) * (grad - inverse * along), grad)


def _renorm(x: Array, *, p: object, dim: int, maxnorm: object) -> Array:
    dims = tuple(d for d in range(x.ndim) if d != dim)
    wide = widened(x)
    norm = norm_forward(wide, ord=p, dim=dims, keepdim=True)
    factor = np.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1).astype(x.dtype)
    made: Array = (wide * factor.astype(wide.dtype)).astype(x.dtype)
    return made


RENORM = op(
    "renorm",
    "self",
    _renorm,
    category="reductions",
    symbol="renorm",
    latex=r"x \min(1, m / \|x\|_p)",
    brief="Slices along a dimension, shortened to a largest norm.",
    self=sentence("grad scaled as the slice was, less its part along a slice that was shortened", _renorm_grad),
)


def _prepare_renorm(input: Tensor, p: Any, dim: int, maxnorm: Any) -> Prepared:
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input._data.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._data.ndim} dimensions")
    axis = wrap_dim(dim, input._data.ndim)
    if input.dtype.rank < 2:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {input.dtype.title}"
        )
    return RENORM, (input,), (input._data,), {"p": p, "dim": axis, "maxnorm": maxnorm}


register(_prepare_renorm, ("renorm",))


@api("nonzero_static")
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first `size` indices of elements that are not zero, followed by `fill_value` if there are fewer."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    known = np.argwhere(input._data)[:size]
    found = np.full((size, input._data.ndim), fill_value, np.int64)
    found[: len(known)] = known
    return made(found)
