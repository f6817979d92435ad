"""`torch.masked`: reductions and normalisations of the elements under a mask. Each replaces masked-out elements by the
neutral value and calls the ordinary function; tensors that carry a mask (`MaskedTensor`) are left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np

from gradviz.engine.kernel import dtypes as _dtypes
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONAL as _F
from gradviz.engine.run.api import FUNCTIONS as _T
from gradviz.engine.run.api import LINALG as _L

Dims = int | Sequence[int] | None


def _smallest(dtype: _dtypes.dtype) -> float | int:
    return -math.inf if dtype.rank >= 2 else np.iinfo(dtype.np).min


def _largest(dtype: _dtypes.dtype) -> float | int:
    return math.inf if dtype.rank >= 2 else np.iinfo(dtype.np).max


def _mask_of(input: Tensor, mask: Tensor) -> Tensor:
    """The mask in the shape of the input."""
    if mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask.shape != input.shape:
        mask = _T["broadcast_to"](mask.clone(), input.shape)
    return mask.to(_dtypes.bool_)


def _filled(input: Tensor, mask: Tensor | None, value: object, dtype: _dtypes.dtype | None = None) -> Tensor:
    """The input with `value` where it is masked out."""
    if mask is None:
        return input
    fill = _T["tensor"](value, dtype=dtype or input.dtype)
    return _T["where"](_mask_of(input, mask), input, fill)


def _dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dimensions in order, counted from the front; None and () are all of them."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    n = max(ndim, 1)
    found: list[int] = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -n <= d < n:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})")
        found.append(d % n)
    return tuple(sorted(found))


def _summed_type(input: Tensor, dtype: _dtypes.dtype | None) -> _dtypes.dtype:
    return dtype or (_dtypes.int64 if input.dtype.rank < 2 else input.dtype)


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The sum of the elements under the mask."""
    found: Tensor = _T["sum"](
        _filled(input, mask, 0), _dims(dim, input.ndim), bool(keepdim), dtype=_summed_type(input, dtype)
    )
    return found


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The product of the elements under the mask."""
    found = _filled(input, mask, 1).to(_summed_type(input, dtype))
    for d in reversed(_dims(dim, input.ndim)):
        found = found.prod(dim=d, keepdim=bool(keepdim))
    return found


def _running(name: str, neutral: int) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int, *, dtype: _dtypes.dtype | None = None, mask: Tensor | None = None) -> Tensor:
        kind = dtype or input.dtype
        axis = _dims(dim, input.ndim)[0]
        return _T[name](_filled(input, mask, neutral), axis, dtype=kind).to(kind)

    function.__name__ = name
    return function


cumsum, cumprod = _running("cumsum", 0), _running("cumprod", 1)


def _extreme(name: str, value: Callable[[_dtypes.dtype], float]) -> Callable[..., Tensor]:
    def function(
        input: Tensor,
        dim: Dims = None,
        *,
        keepdim: bool = False,
        dtype: _dtypes.dtype | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        found = _filled(input, mask, value(input.dtype))
        return _T[name](found, _dims(dim, input.ndim), bool(keepdim)).to(dtype or input.dtype)

    function.__name__ = name
    return function


def _position(name: str, value: Callable[[_dtypes.dtype], float]) -> Callable[..., Tensor]:
    def function(
        input: Tensor,
        dim: int | None = None,
        *,
        keepdim: bool = False,
        dtype: _dtypes.dtype | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        found = _filled(input, mask, value(input.dtype))
        return _T[name](found, dim, bool(keepdim)).to(dtype or input.dtype)

    function.__name__ = name
    return function


amax, amin = _extreme("amax", _smallest), _extreme("amin", _largest)
argmax, argmin = _position("argmax", _smallest), _position("argmin", _largest)


def _count(input: Tensor, dim: Dims, keepdim: bool, mask: Tensor | None) -> Tensor:
    if mask is None:
        return sum(_T["ones"](input.shape, dtype=_dtypes.int64), dim, keepdim=keepdim)
    return _mask_of(input, mask).sum(dim=dim, keepdim=bool(keepdim))


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The mean of the elements under the mask; NaN if there are none."""
    source = "Input" if dtype is None else "Optional"
    dtype = dtype or input.dtype
    if dtype.rank < 2:
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. "
            f"Got: {dtype}"
        )
    count = _count(input, dim, keepdim, mask)
    return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask) / count


def median(
    input: Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The lower median of the elements under the mask; NaN if there are none."""
    dtype = dtype or input.dtype
    axis = _dims(dim, input.ndim)[0]
    whole = not dtype.is_floating_point
    filled = _filled(input.to(_dtypes.float32) if whole else input, mask, math.nan)
    found: Tensor = _T["nanmedian"](filled, axis, keepdim)[0]
    if not whole:
        return found
    if found.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(dtype)


def logsumexp(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of exponentials under the mask."""
    found = _filled(input, mask, _smallest(input.dtype))
    return _T["logsumexp"](found, _dims(dim, input.ndim), keepdim=keepdim).to(dtype or input.dtype)


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: _dtypes.dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of a sum of exponentials, each under its own mask."""
    x, y = _filled(input, input_mask, -math.inf), _filled(other, other_mask, -math.inf)
    return _T["logaddexp"](x, y).to(dtype or input.dtype)


def norm(
    input: Tensor,
    ord: float = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The vector norm of the elements under the mask."""
    found = _filled(input, mask, math.inf if ord == -math.inf else 0)
    return _L["vector_norm"](found, ord, _dims(dim, input.ndim), bool(keepdim), dtype=dtype or input.dtype)


def _spread(
    input: Tensor,
    dim: Dims,
    unbiased: bool | None,
    correction: SupportsFloat | None,
    keepdim: bool,
    dtype: _dtypes.dtype | None,
    mask: Tensor | None,
) -> Tensor:
    by = float(correction) if correction is not None else 1.0 if unbiased is None or unbiased else 0.0
    dtype = dtype or (input.dtype if input.dtype.rank >= 2 else _dtypes.float32)
    work = dtype if dtype.rank >= 2 else _dtypes.float32
    count = _count(input, dim, True, mask)
    center = _T["div"](sum(input, dim, keepdim=True, dtype=dtype, mask=mask), count)
    x = _T["sub"](input, center)
    total = sum(x * x.conj(), dim, keepdim=keepdim, dtype=work, mask=mask)
    if not keepdim:
        count = count.reshape(total.shape)
    if by:
        count = _T["sub"](count.to(work.to_real()), by)
        count = _T["maximum"](count, count.new_zeros([]))
    return _T["div"](total, count).to(dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: SupportsFloat | None = None,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance of the elements under the mask."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: SupportsFloat | None = None,
    keepdim: bool = False,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation of the elements under the mask."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def _soft(name: str, value: Callable[[_dtypes.dtype], float]) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int, *, dtype: _dtypes.dtype | None = None, mask: Tensor | None = None) -> Tensor:
        found = _filled(input, mask, value(input.dtype))
        return _F[name](found, _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)

    function.__name__ = name
    return function


softmax, log_softmax, softmin = _soft("softmax", _smallest), _soft("log_softmax", _smallest), _soft("softmin", _largest)


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: _dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The elements under the mask, divided by their norm; 0 where masked out."""
    length = norm(input, ord, dim, keepdim=True, dtype=dtype or input.dtype, mask=mask)
    least = _T["maximum"](length, length.new_full([], eps))
    return _T["div"](_filled(input, mask, 0), least)


if TYPE_CHECKING:  # at run time `pytorch_names.py` answers for the names that are not here

    def __getattr__(name: str) -> Any: ...
