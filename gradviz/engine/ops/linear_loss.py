"""linear_cross_entropy: cross entropy of a linear map. PyTorch can compute it in parts, to save memory; here it is
always computed at once, with the same numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONAL, api
from gradviz.engine.tensor import Tensor

F = FUNCTIONAL


def _check(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    x, w = input._data.shape, weight._data.shape
    if len(x) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(x)}")
    if len(w) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(w)}")
    if x[-1] != w[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {x[-1]} and {w[-1]}, respectively"
        )
    if bias is not None and bias._data.shape != w[:-1]:
        raise RuntimeError(f"expected linear_bias shape {tuple(w[:-1])}, got {tuple(bias._data.shape)}")
    if len(w) > 2 and len(x) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(w)} requires batched input, (N, {x[-1]}), got "
            f"unbatched input with shape {tuple(x)}"
        )


def _warn_of_options(target: Tensor, out: tuple[int, ...], reduction: str, smoothing: float, bias: Any) -> None:
    if not out and reduction in ("mean", "sum", "none") and smoothing == 0.0 and target.dtype is dtypes.int64:
        return
    warnings.warn(
        "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
        "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
        f"reduction={reduction!r}, label_smoothing={smoothing}, target.dtype={target.dtype}, out_features={out}, "
        f"tracing=False, linear_bias.shape={None if bias is None else tuple(bias._data.shape)}.",
        stacklevel=3,
    )


@api("linear_cross_entropy", where="F")
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """Cross entropy of input @ linear_weightᵀ + linear_bias."""
    _check(input, linear_weight, linear_bias)
    lead, (classes, *out) = input._data.shape[:-1], linear_weight._data.shape[:-1]
    if target._data.shape == (*lead, classes, *out) and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if options is not None:
        _warn_of_options(target, tuple(out), reduction, label_smoothing, linear_bias)
    if out:
        linear_weight = linear_weight.reshape(math.prod((classes, *out)), linear_weight._data.shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(math.prod((classes, *out)))
    scores = F["linear"](input, linear_weight, linear_bias).reshape(*lead, classes, *out)
    made: Tensor = F["cross_entropy"](
        scores,
        target,
        weight=weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
    return made
