"""Covariance and correlation of variables in rows, weighted or not, in PyTorch's order of operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.ops.derivatives import scaled
from gradviz.engine.state import warn_once
from gradviz.engine.tensor import Tensor, wrap

F = FUNCTIONS
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
        warn_once("cov", _FREEDOM)
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
        parts: tuple[Any, Any] = F["real"](found).clip(-1, 1), F["imag"](found).clip(-1, 1)
        return F["complex"](*parts)  # type: ignore[no-any-return]
    return found.clip(-1, 1)  # type: ignore[no-any-return]
