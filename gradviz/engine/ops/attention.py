"""scaled_dot_product_attention: the fused row that PyTorch runs on four dimensions, and the way of several
operations for all else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.apply import call, call_all
from gradviz.engine.elementwise import check_broadcast
from gradviz.engine.formula import jointly
from gradviz.engine.ops.matmul import matmul
from gradviz.engine.ops.neural import in_single, is_half, not_differentiable, times
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor, wrap

F = FUNCTIONS


def _safe_softmax(x: Any, *, dim: int) -> Any:
    """Softmax that is 0 in rows where all is −inf."""
    top = np.max(x, axis=dim, keepdims=True)
    e = np.exp(x - np.where(np.isinf(top), 0, top))
    total = np.sum(e, axis=dim, keepdims=True)
    return (e / np.where(total == 0, 1, total)).astype(x.dtype)


SAFE_SOFTMAX = op(
    "_safe_softmax",
    "self",
    in_single(_safe_softmax),
    node="SafeSoftmaxBackward0",
    category="activations",
    symbol="softmax",
    latex=r"e^{x_i} / \sum_j e^{x_j}",
    brief="Exponentials that sum to 1; zeros where everything is masked.",
    self="grad * result - result * sum(grad * result, dim, keepdim=True)",
)


def _scores(q: Any, k: Any, mask: Any, is_causal: bool, scale: float) -> Any:
    scores = np.matmul(q, k.swapaxes(-1, -2)) * q.dtype.type(scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
    return scores if mask is None else scores + mask


def _fused(q: Any, k: Any, v: Any, mask: Any, *, dropout_p: float, is_causal: bool, scale: float | None) -> Any:
    scores = _scores(q, k, mask, is_causal, 1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    top = np.max(scores, axis=-1, keepdims=True)
    top = np.where(np.isinf(top), 0, top)
    e = np.exp(scores - top)
    total = e.sum(-1, keepdims=True)
    out = np.matmul(e / np.where(total == 0, 1, total), v)
    return out.astype(q.dtype), (np.log(total) + top)[..., 0].astype(q.dtype)


def _fused_backward(
    g: Any, q: Any, k: Any, v: Any, mask: Any, output: Any, logsumexp: Any, *, is_causal: bool, scale: float | None
) -> Any:
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    masked = np.isneginf(logsumexp)[..., None]  # nothing to attend to
    weights = np.where(masked, 0, np.exp(_scores(q, k, mask, is_causal, factor) - logsumexp[..., None])).astype(q.dtype)
    through = np.matmul(g, v.swapaxes(-1, -2)) - (g * output).sum(-1, keepdims=True)
    inner = weights * through * q.dtype.type(factor)
    found = np.matmul(inner, k), np.matmul(inner.swapaxes(-1, -2), q), np.matmul(weights.swapaxes(-1, -2), g)
    return tuple(x.astype(q.dtype) for x in found)


FLASH_BACKWARD = op(
    "_scaled_dot_product_flash_attention_for_cpu_backward",
    "grad_out, query, key, value, attn_mask, out, logsumexp",
    in_single(_fused_backward),
    outputs="query_gradient, key_gradient, value_gradient",
    node="NotImplemented",
    category="layers",
    symbol="attention′",
    latex="g",
    brief="The gradients through attention.",
    fixed="attn_mask, out, logsumexp",
    joint=not_differentiable("_scaled_dot_product_flash_attention_for_cpu_backward"),
)


def _fused_grads(
    grads: Any,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    output: Any,
    logsumexp: Any,
    needs: Any,
    is_causal: bool,
    scale: float | None,
) -> Any:
    buffers = query, key, value, attn_mask, output.detach(), logsumexp.detach()
    found = call_all(FLASH_BACKWARD, grads[0], *buffers, is_causal=is_causal, scale=scale)
    return (*(x if need else None for x, need in zip(found, needs, strict=False)), None)


FLASH = op(
    "_scaled_dot_product_flash_attention_for_cpu",
    "query, key, value, attn_mask",
    in_single(_fused),
    outputs="output, logsumexp",
    hidden=1,
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    category="layers",
    symbol="attention",
    latex=r"\operatorname{softmax}(Q K^\top / \sqrt{d})\, V",
    brief="Each query takes the mean of values, weighted by matching keys.",
    joint=jointly(
        _fused_grads, query="through softmax, @ key", key="through softmax, @ query", value="weightsᵀ @ grad"
    ),
    fixed="attn_mask",
)


def _check(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, is_causal: bool) -> None:
    if len({q.dtype, k.dtype, v.dtype}) > 1:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{q.dtype.cpp} key.dtype: {k.dtype.cpp} and value.dtype: {v.dtype.cpp} instead."
        )
    dims = q._data.ndim, k._data.ndim, v._data.ndim
    if min(dims) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{dims[0]} key.dim: {dims[1]} and value.dim: {dims[2]} instead."
        )
    if mask is None:
        return
    if mask.dtype not in (dtypes.bool_, dtypes.float32, q.dtype):
        kind = {"long": "long int"}.get(mask.dtype.cpp, mask.dtype.cpp)
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{kind} and  query.dtype: {q.dtype.cpp} instead."
        )
    if is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")


def _added(mask: Tensor, q: Tensor) -> Tensor:
    """A boolean mask as what is added to the scores."""
    if mask.dtype is dtypes.bool_:
        return wrap(np.where(mask._data, 0.0, -np.inf).astype(q._data.dtype))
    return mask


def _takes_fused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> bool:
    shapes = q._data.shape, k._data.shape, v._data.shape
    if dropout_p != 0 or any(len(s) != 4 for s in shapes) or (mask is not None and mask._requires_grad):
        return False
    (b, h, _, d), (bk, hk, s, dk), (bv, hv, sv, dv) = shapes
    same = (b, h, d) == (bk, hk, dk) == (bv, hv, dv) and s == sv
    fits = mask is None or mask._data.ndim in (2, 4)
    return same and fits and bool(q._data.size and k._data.size)


@api("scaled_dot_product_attention", where="F")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ keyᵀ / √d) @ value."""
    _check(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        groups = query._data.shape[-3] // key._data.shape[-3]
        key, value = key.repeat_interleave(groups, -3), value.repeat_interleave(groups, -3)
    mask = None if attn_mask is None else _added(attn_mask, query)
    if _takes_fused(query, key, value, mask, dropout_p):
        if mask is not None:
            check_broadcast(np.empty((*query._data.shape[:3], key._data.shape[2])), mask._data)
        return call_all(FLASH, query, key, value, mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale)[0]
    return _by_steps(query, key, value, mask, dropout_p, is_causal, scale)


def _by_steps(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool, scale: float | None
) -> Tensor:
    if is_half(q._data):
        added = None if mask is None else mask.float()
        found = _by_steps(q.float(), k.float(), v.float(), added, dropout_p, is_causal, scale)
        return found.to(q.dtype)
    if is_causal:
        allowed = np.tri(q._data.shape[-2], k._data.shape[-2], dtype=np.bool_)
        mask = wrap(np.where(allowed, 0.0, -np.inf).astype(q._data.dtype))
    root = math.sqrt(1 / math.sqrt(q._data.shape[-1]) if scale is None else scale)
    scores = matmul(times(q, root), times(k.transpose(-2, -1), root))
    if mask is not None:
        scores = scores.add_(mask)
    weights = call(SAFE_SOFTMAX, scores, dim=-1)
    if dropout_p > 0:
        weights = FUNCTIONAL["dropout"](weights, dropout_p)
    return matmul(weights, v)
