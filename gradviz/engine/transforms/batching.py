"""How the forward of an operation runs on the data of `vmap`: at once if its row is known to ignore the leading
dimensions, through the geometry of one example for views, and example by example for all others. The array itself is in
`batched.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.batched import BatchedArray, aligned, levels_of, no_dynamic, one_by_one, spread
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import memory_of, start_of, strided
from gradviz.engine.kernel.rows import ROWS, OpRow
from gradviz.engine.kernel.state import warn_once

Forward = Callable[[OpRow, Sequence[Any], Mapping[str, object]], Any]

# Rows whose forward treats every element (of the broadcast operands) separately, whatever the shapes are.
_ELEMENTWISE = frozenset(
    """add sub rsub mul div neg reciprocal floor_divide remainder fmod div_mode pow_scalar pow pow_base clone addcmul
    addcdiv lerp_scalar lerp tanh_backward sigmoid_backward mul_scalar add_number sub_number mul_number div_number
    clamp_min gelu_backward gelu silu mish softplus_backward softplus eq ne lt le gt ge isnan isinf isfinite signbit
    isposinf isneginf logical_not isreal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
    bitwise_left_shift bitwise_right_shift bitwise_not where maximum minimum fmax fmin masked_fill clamp clamp_tensor
    complex polar exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh
    atanh sigmoid erf erfc relu threshold_backward abs sign sgn floor ceil trunc frac round _conj angle
    leaky_relu_backward leaky_relu elu_backward elu celu_backward celu hardtanh_backward hardtanh hardsigmoid_backward
    hardsigmoid hardswish_backward hardswish softshrink_backward softshrink hardshrink_backward hardshrink threshold
    lgamma digamma polygamma erfinv deg2rad rad2deg sinc logit atan2 hypot xlogy logaddexp logaddexp2 copysign
    heaviside nan_to_num _to_copy""".split()
)
# Rows with one operand that work along `dim` and leave the other dimensions alone.
_ALONG = frozenset(
    """sum_dim mean_dim prod_dim max_dim min_dim amax amin argmax argmin any all var std var_mean std_mean logsumexp
    softmax log_softmax cumsum cumprod sort topk kthvalue median_dim cummax cummin flip logcumsumexp norm_along
    linalg_vector_norm glu _softmax_backward_data _log_softmax_backward_data""".split()
)
# Rows over all elements of one operand, and the row that does the same along dimensions.
_WHOLE = {"sum": "sum_dim", "mean": "mean_dim", "max": "amax", "min": "amin"}
_PRODUCTS = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1)}


# Operations of which PyTorch says that it runs them example by example.
_SLOW = frozenset(
    """max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss soft_margin_loss take masked_scatter
    index_reduce ormqr""".split()
)
_NO_RULE = (
    "There is a performance drop because we have not yet implemented the batching rule for aten::{}. Please file us an "
    "issue on GitHub so that we can prioritize its implementation."
)
_NO_MASK = (
    "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each "
    "batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature."
)


def forward(row: OpRow, arrays: Sequence[Any], params: Mapping[str, object]) -> Any:
    """The row's forward, for all examples if any of the operands is batched."""
    if not any(isinstance(each, BatchedArray) for each in arrays) and not levels_of(dict(params)):
        return row.forward(*arrays, **params)
    if row.view:
        return _view(row, arrays, params)
    if row.name in ("nonzero", "_unique2", "unique_dim", "unique_consecutive"):
        raise RuntimeError(no_dynamic(row.name))
    if row.key == "masked_select" and isinstance(arrays[1], BatchedArray):
        raise RuntimeError(_NO_MASK)
    if row.key in _SLOW:
        warn_once(f"vmap {row.key}", _NO_RULE.format(row.key))
    known = levels_of(list(arrays))
    arrays = [_without_copies(each) for each in arrays]
    if not any(isinstance(each, BatchedArray) for each in arrays) and not levels_of(dict(params)):
        return _repeated(row.forward(*arrays, **params), known)
    rule = _rule(row)
    made = None if rule is None or levels_of(dict(params)) else rule(row, arrays, params)
    return one_by_one(row.forward, arrays, params) if made is None else made


def direct(row: OpRow, arrays: Sequence[object], params: Mapping[str, object]) -> Any:
    """The row's forward on batched data as they are."""
    return row.forward(*arrays, **params)


def _without_copies(array: Array | None) -> Array | None:
    """An array whose examples all share the same memory, as a single array."""
    if not isinstance(array, BatchedArray):
        return array
    kept = [i for i, (n, stride) in enumerate(zip(array.sizes, array.phys.strides, strict=False)) if stride or n < 2]
    if len(kept) == len(array.levels):
        return array
    phys = array.phys[tuple(slice(None) if i in kept else 0 for i in range(len(array.levels)))]
    return BatchedArray(phys, tuple(array.levels[i] for i in kept)) if kept else phys


def _repeated(made: object, known: Mapping[int, int]) -> Any:
    """A result that is the same for every example, repeated."""
    if isinstance(made, (tuple, list)):
        return tuple(_repeated(each, known) for each in made)
    if made is None:
        return None
    return BatchedArray(spread(np.asarray(made), tuple(known), tuple(known.values())), tuple(known))


def _rule(row: OpRow) -> Forward | None:
    key = row.key
    if row.ufunc is not None or key in _ELEMENTWISE:
        return _elementwise
    if key in _ALONG:
        return _along
    if key in _WHOLE:
        return _whole
    if key in _PRODUCTS or key in ("addmm", "baddbmm"):
        return _product
    return _RULES.get(key)


def _wrapped(made: object, levels: tuple[int, ...], place: int = 0) -> Any:
    if isinstance(made, (tuple, list)):
        return tuple(_wrapped(each, levels) for each in made)
    return None if made is None else BatchedArray(np.asarray(made), levels, place)


def _elementwise(row: OpRow, arrays: Sequence[Any], params: Mapping[str, object]) -> Any:
    levels, given = aligned([each for each in arrays if each is not None])
    values = iter(given)
    others = any(each is not None and each.ndim for each in arrays[1:])
    only = arrays[0] if isinstance(arrays[0], BatchedArray) and not others else None
    made = row.forward(*[None if each is None else next(values) for each in arrays], **params)
    return _wrapped(made, levels, 0 if only is None else only.place)


def _shifted(dim: Any, ndim: int, by: int) -> Any:
    if isinstance(dim, (tuple, list)):
        return tuple(_shifted(each, ndim, by) for each in dim)
    return int(dim) % ndim + by


def _along(row: OpRow, arrays: Sequence[Any], params: Mapping[str, object]) -> Any:
    name = "dim" if "dim" in params else "dims" if "dims" in params else "axis"
    dim = params.get(name)
    known = levels_of(list(arrays))
    n = len(known)
    ndim = arrays[0].ndim
    if name not in params or not ndim or (isinstance(dim, (tuple, list)) and not dim):
        return None
    if dim is None:
        if row.key not in _EVERY:
            return None
        dim = tuple(range(ndim))
    given = [spread(each, tuple(known), tuple(known.values())) for each in arrays]
    return _wrapped(row.forward(*given, **{**params, name: _shifted(dim, ndim, n)}), tuple(known))


_EVERY = frozenset("sum_dim mean_dim amax amin var std logsumexp flip".split())


def _whole(row: OpRow, arrays: Sequence[Any], params: Mapping[str, object]) -> Any:
    x = arrays[0]
    if not x.ndim or not x.size:
        return None
    n = len(x.levels)
    flat = np.ascontiguousarray(x.phys).reshape((*x.sizes, x.size))
    made = ROWS[_WHOLE[row.key]].forward(flat, dim=(n,), keepdim=False)
    return _wrapped(made, x.levels)


def _product(row: OpRow, arrays: Sequence[Any], params: Mapping[str, object]) -> Any:
    """Products of matrices: NumPy accepts leading dimensions, in the types that it supports."""
    if arrays[0].dtype.kind not in "fc" or arrays[0].dtype.itemsize == 2:
        return None
    if row.key in ("addmm", "baddbmm"):
        levels, given = aligned(list(arrays))
        return None if arrays[0].ndim > arrays[1].ndim else _wrapped(row.forward(*given, **params), levels)
    x, y = arrays
    levels = tuple(levels_of([x, y]))
    if isinstance(x, BatchedArray) and not isinstance(y, BatchedArray) and y.ndim == 2 and x.phys.size:
        return BatchedArray(_rows_times(x.phys, y), levels)
    if isinstance(y, BatchedArray) and not isinstance(x, BatchedArray) and (x.ndim, y.ndim) == (2, 1) and y.phys.size:
        return BatchedArray(_rows_times(y.phys, x.T), levels)
    a = _lifted(x, levels) if x.ndim > 1 else _lifted(x, levels)[..., None, :]
    b = _lifted(y, levels) if y.ndim > 1 else _lifted(y, levels)[..., :, None]
    made = np.matmul(a, b)
    made = made[..., 0] if y.ndim == 1 else made
    return _wrapped(made[..., 0] if x.ndim == 1 else made, levels)


def _rows_times(rows: Array, matrix: Array) -> Array:
    """The product of all rows of all examples with one matrix: as PyTorch rounds it, and fast."""
    flat = np.ascontiguousarray(rows).reshape(-1, rows.shape[-1])
    made: Array = np.matmul(flat, matrix).reshape(*rows.shape[:-1], matrix.shape[1])
    return made


def _lifted(array: object, levels: tuple[int, ...]) -> Any:
    if not isinstance(array, BatchedArray):
        return array
    return array.phys[(*[slice(None) if level in array.levels else None for level in levels], ...)]


# --- views ---


def _view(row: OpRow, arrays: Sequence[Any], params: Mapping[str, object]) -> Any:
    """The view of every example, with the geometry that the first example's has in its memory."""
    source: BatchedArray = arrays[0]
    first = source.first
    made = row.forward(first, *arrays[1:], **params)
    if row.single:
        return _same_view(row, source, first, made, params)
    return tuple(_same_view(row, source, first, each, params) for each in made)


def _same_view(row: OpRow, source: BatchedArray, first: Array, made: Array, params: Mapping[str, object]) -> Any:
    n = len(source.levels)
    shape = (*source.sizes, *made.shape)
    if not made.size or 0 in source.sizes:
        return BatchedArray(np.empty(shape, made.dtype), source.levels)
    if not np.may_share_memory(first, made):
        return one_by_one(row.forward, (source,), params)
    memory = memory_of(source.phys)
    steps = (*source.phys.strides[:n], *made.strides)
    return BatchedArray(strided(memory, made.dtype, shape, steps, start_of(made, memory)), source.levels)


# --- rows with special rules ---


def _convolution(row: OpRow, arrays: Sequence[object], params: Mapping[str, object]) -> BatchedArray | None:
    """The examples of one level become more images, if all have the same weights."""
    x = arrays[0]
    if any(isinstance(each, BatchedArray) for each in arrays[1:]) or x is None or not isinstance(x, BatchedArray):
        return None
    count, n = x.shape[0], len(x.levels)
    images = np.ascontiguousarray(x.phys).reshape(-1, *x.phys.shape[n + 1 :])
    made = row.forward(images, *arrays[1:], **params)
    return BatchedArray(made.reshape((*x.sizes, count, *made.shape[1:])), x.levels)


def _joined(row: OpRow, arrays: Sequence[Any], params: Mapping[str, object]) -> Any:
    """Rules of cat and stack."""
    known = levels_of(list(arrays))
    ndim = arrays[0].ndim + (row.key == "stack")
    if len({each.ndim for each in arrays}) > 1 or not ndim:
        return None
    given = [spread(each, tuple(known), tuple(known.values())) for each in arrays]
    return _wrapped(row.forward(*given, dim=_shifted(params["dim"], ndim, len(known))), tuple(known))


def _leading(row: OpRow, arrays: Sequence[object], params: Mapping[str, object]) -> Any:
    """The examples are one more leading dimension to NumPy."""
    known = levels_of(list(arrays))
    given = [spread(each, tuple(known), tuple(known.values())) for each in arrays]
    return _wrapped(row.forward(*given, **params), tuple(known))


_RULES: dict[str, Forward] = {
    "convolution": _convolution,
    "cat": _joined,
    "stack": _joined,
    "linalg_inv_ex": _leading,
    "linalg_cholesky_ex": _leading,
    "tril": _leading,
    "triu": _leading,
}
