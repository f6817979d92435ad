"""scaled_dot_product_attention: the fused row that PyTorch runs on four dimensions, and several operations for
everything else; and multi_head_attention_forward, several attentions side by side, made of ordinary operations. The
layer with its parameters is `gradviz.torch.nn.modules.activation`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly
from gradviz.engine.kernel.memory import laid_as
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import on_new_run
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops.derivatives import scaled
from gradviz.engine.ops.elementwise import check_broadcast
from gradviz.engine.ops.matmul import matmul
from gradviz.engine.ops.neural import in_single, is_half, not_differentiable
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.run.apply import call, call_all

F = FUNCTIONS


def _safe_softmax(x: Array, *, dim: int) -> Any:
    """Softmax that is 0 in rows that are −inf throughout."""
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
    layout="rows",
    symbol="softmax",
    latex=r"e^{x_i} / \sum_j e^{x_j}",
    brief="Exponentials that sum to 1; zeros where everything is masked.",
    self="grad * result - result * sum(grad * result, dim, keepdim=True)",
)


def _scores(q: Array, k: Array, mask: Array | None, is_causal: bool, scale: float) -> Any:
    scores = np.matmul(q, k.swapaxes(-1, -2)) * q.dtype.type(scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
    return scores if mask is None else scores + mask


def _fused(
    q: Array, k: Array, v: Array, mask: Array | None, *, dropout_p: float, is_causal: bool, scale: float | None
) -> tuple[Array, ...]:
    scores = _scores(q, k, mask, is_causal, 1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    top = np.max(scores, axis=-1, keepdims=True)
    top = np.where(np.isinf(top), 0, top)
    e = np.exp(scores - top)
    total = e.sum(-1, keepdims=True)
    out = np.matmul(e / np.where(total == 0, 1, total), v)
    return out.astype(q.dtype), (np.log(total) + top)[..., 0].astype(q.dtype)


def _fused_backward(
    g: Array,
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    output: Array,
    logsumexp: Array,
    *,
    is_causal: bool,
    scale: float | None,
) -> tuple[Array, ...]:
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
    grads: Sequence[Tensor | None],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    output: Tensor,
    logsumexp: Tensor,
    needs: tuple[bool, ...],
    is_causal: bool,
    scale: float | None,
) -> tuple[Tensor | None, ...]:
    buffers = query, key, value, attn_mask, output.detach(), logsumexp.detach()
    found = call_all(FLASH_BACKWARD, grads[0], *buffers, is_causal=is_causal, scale=scale)
    return (*(x if need else None for x, need in zip(found, needs, strict=False)), None)


def _fused_as_query(query: Array, key: Array, value: Array, mask: Array | None, **params: Any) -> tuple[Array, ...]:
    """The result is laid out like the query: heads that were split off by `transpose` can be joined by `view`."""
    out, *kept = _fused(query, key, value, mask, **params)
    return laid_as(out, query, None), *kept


FLASH = op(
    "_scaled_dot_product_flash_attention_for_cpu",
    "query, key, value, attn_mask",
    in_single(_fused_as_query),
    outputs="output, logsumexp",
    hidden=1,
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    category="layers",
    symbol="attention",
    latex=r"\operatorname{softmax}(Q K^\top / \sqrt{d})\, V",
    brief="Each query takes the mean of values, weighted by matching keys.",
    joint=jointly(
        _fused_grads,
        query="(the gradient of query @ keyᵀ) @ key",
        key="(the gradient of query @ keyᵀ)ᵀ @ query",
        value="the attention weightsᵀ @ grad",
    ),
    fixed="attn_mask",
)


def _check(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
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
    if q.dtype.rank < 2:
        if max(dims) == 2:
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: float != {q.dtype.cpp}")
        raise RuntimeError(f"expected scalar type Float but found {q.dtype.title}")
    if q.dtype.is_complex:
        raise NotImplementedError(f"\"softmax_lastdim_kernel_impl\" not implemented for '{q.dtype.title}'")
    if mask is not None and mask.dtype not in (dtypes.bool_, dtypes.float32, q.dtype):
        kind = {"long": "long int"}.get(mask.dtype.cpp, mask.dtype.cpp)
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{kind} and  query.dtype: {q.dtype.cpp} instead."
        )


def _added(mask: Tensor, q: Tensor) -> Tensor:
    """A boolean mask as numbers that are added to the scores."""
    if mask.dtype is dtypes.bool_:
        return wrap(np.where(mask._data, 0.0, -np.inf).astype(q._data.dtype))
    return mask


ALL_KERNELS = "flash", "math", "mem_efficient", "cudnn"
KERNELS = set(ALL_KERNELS)  # those that a program has not switched off; the CPU has the first two
on_new_run(lambda: KERNELS.update(ALL_KERNELS))


@contextmanager
def only_kernels(names: Iterable[str]) -> Iterator[dict[object, object]]:
    """Run only these kernels of attention in a block."""
    before, wanted = set(KERNELS), set(names)
    KERNELS.clear()
    KERNELS.update(wanted)
    try:
        yield {}
    finally:
        KERNELS.clear()
        KERNELS.update(before)


_NO_BACKEND = (
    "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
    "kernel and the fused kernels."
)


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
    _check(query, key, value, attn_mask)
    if enable_gqa:
        groups = query.size(-3) // key.size(-3)
        key, value = key.repeat_interleave(groups, -3), value.repeat_interleave(groups, -3)
    mask = None if attn_mask is None else _added(attn_mask, query)
    if "flash" in KERNELS and _takes_fused(query, key, value, mask, dropout_p):
        if mask is not None:
            check_broadcast(np.empty((*query._data.shape[:3], key._data.shape[2])), mask._data)
        return call_all(FLASH, query, key, value, mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale)[0]
    if "math" not in KERNELS:
        if "flash" not in KERNELS:
            raise RuntimeError(_NO_BACKEND)
        warnings.warn("Flash attention kernel not used because:", stacklevel=2)
        if dropout_p:
            warnings.warn("Both fused kernels do not support non-zero dropout.", stacklevel=2)
        raise RuntimeError("No available kernel.  Aborting execution.")
    if mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
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
    scores = matmul(scaled(q, root), scaled(k.transpose(-2, -1), root))
    if mask is not None:
        scores = scores.add_(mask)
    weights = call(SAFE_SOFTMAX, scores, dim=-1)
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if dropout_p > 0:
        weights = FUNCTIONAL["dropout"](weights, dropout_p)
    return matmul(weights, v)


# --- several attentions side by side ---


T = FUNCTIONS
Mask = Tensor | None


def additive(mask: Mask, name: str, like: Tensor, other: Mask = None, other_name: str = "") -> Mask:
    """A mask as numbers to add: minus infinity where a boolean mask is true. Its type should be that of `other`."""
    if mask is None:
        return None
    if mask.dtype is not dtypes.bool_ and not mask.dtype.is_floating_point:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=4,
        )
    if mask.dtype is not dtypes.bool_:
        return mask
    return T["zeros_like"](mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))


def _check_dimensions(query: Tensor, key: Tensor, value: Tensor, padding: Mask, mask: Mask, heads: int) -> bool:
    """Check the dimensions; return whether there is a batch."""
    batched = query.dim() == 3
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    ndim, kind = (3, "batched") if batched else (2, "unbatched")
    start = f"For {kind} ({ndim}-D) `query`, expected"
    if key.dim() != ndim or value.dim() != ndim:
        raise AssertionError(
            f"{start} `key` and `value` to be {ndim}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if padding is not None and padding.dim() != ndim - 1:
        raise AssertionError(
            f"{start} `key_padding_mask` to be `None` or {ndim - 1}-D but found {padding.dim()}-D tensor instead"
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(f"{start} `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead")
    if not batched and mask is not None and mask.dim() == 3:
        wanted = (heads, query.shape[0], key.shape[0])
        if mask.shape != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {mask.shape}")
    return batched


def _check_sizes(query: Tensor, key: Tensor, value: Tensor, width: int, heads: int, separate: bool) -> None:
    size = query.shape[2]
    if size != width:
        raise AssertionError(f"was expecting embedding dimension of {width}, but got {size}")
    if size % heads:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {heads}")
    if separate and key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _packed(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor | None, bias: Tensor | None
) -> tuple[Tensor, ...]:
    """Project queries, keys and values by one weight for all three; a single product if they are the same tensor."""
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    width = query.shape[-1]
    if key is value and query is key:
        return _unpacked(FUNCTIONAL["linear"](query, weight, bias), 3, width)
    if key is value:
        first, both = weight.split([width, width * 2])
        ends = (None, None) if bias is None else bias.split([width, width * 2])
        q = FUNCTIONAL["linear"](query, first, ends[0])
        return (q, *_unpacked(FUNCTIONAL["linear"](key, both, ends[1]), 2, width))
    biases = (None, None, None) if bias is None else bias.chunk(3)
    given = zip((query, key, value), weight.chunk(3), biases, strict=True)
    return tuple(FUNCTIONAL["linear"](x, w, b) for x, w, b in given)


def _unpacked(joined: Tensor, count: int, width: int) -> tuple[Tensor, ...]:
    parts = joined.unflatten(-1, (count, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(parts[i] for i in range(count))


def _separate(
    inputs: tuple[Tensor, ...], weights: tuple[Tensor | None, ...], bias: Tensor | None
) -> tuple[Tensor, ...]:
    """Project queries, keys and values by separate weights."""
    width = inputs[0].shape[-1]
    for name, weight in zip("qkv", weights, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases = (None, None, None) if bias is None else bias.chunk(3)
    for name, x, weight in zip(("query", "key", "value"), inputs, weights, strict=True):
        wanted = (width, x.shape[-1])
        if weight is not None and weight.shape != wanted:
            raise AssertionError(f"expecting {name} weights shape of {wanted}, but got {weight.shape}")
    return tuple(FUNCTIONAL["linear"](x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True))


def _three_dimensional(mask: Tensor, target: int, source: int, rows: int) -> Tensor:
    if mask._data.ndim == 2:
        if mask.shape != (target, source):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(target, source)}.")
        return mask.unsqueeze(0)
    if mask.shape != (rows, target, source):
        raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be {(rows, target, source)}.")
    return mask


def _wider(*masks: Mask) -> tuple[Mask, ...]:
    """The masks with one more column, which masks nothing."""
    return tuple(None if each is None else FUNCTIONAL["pad"](each, (0, 1)) for each in masks)


def _head_rows(x: Tensor, static: Tensor | None, rows: int, size: int, name: str) -> Tensor:
    if static is None:
        return x.view(x.shape[0], rows, size).transpose(0, 1)
    if static.shape[0] != rows:
        raise AssertionError(f"expecting {name}.size(0) of {rows}, but got {static.shape[0]}")
    if static.shape[2] != size:
        raise AssertionError(f"expecting {name}.size(2) of {size}, but got {static.shape[2]}")
    return static


def _merged(mask: Mask, padding: Mask, batch: int, heads: int, source: int) -> Mask:
    if padding is None:
        return mask
    for dim, size in enumerate((batch, source)):
        if padding.shape[dim] != size:
            raise AssertionError(f"Expected key_padded_mask.shape[{dim}] to be {size}, but got {padding.shape[dim]}")
    spread = padding.view(batch, 1, 1, source).expand(-1, heads, -1, -1).reshape(batch * heads, 1, source)
    return spread if mask is None else mask + spread


def _with_weights(q: Tensor, k: Tensor, v: Tensor, mask: Mask, dropout: float) -> tuple[Tensor, Tensor]:
    scaled = q * math.sqrt(1.0 / float(q.shape[2]))
    turned = k.transpose(-2, -1)
    scores = T["bmm"](scaled, turned) if mask is None else T["baddbmm"](mask, scaled, turned)
    weights = FUNCTIONAL["softmax"](scores, dim=-1)
    if dropout > 0.0:
        weights = FUNCTIONAL["dropout"](weights, p=dropout)
    return T["bmm"](weights, v).transpose(0, 1), weights


def _at_once(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask, dropout: float, causal: bool, lead: tuple[int, int]
) -> Tensor:
    source = k.shape[1]
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(*lead, -1, source)
    q, k, v = (x.view(*lead, -1, x.shape[-1]) for x in (q, k, v))
    return FUNCTIONAL["scaled_dot_product_attention"](q, k, v, mask, dropout, causal).permute(2, 0, 1, 3)


def _lengthened(
    k: Tensor,
    v: Tensor,
    masks: tuple[Mask, Mask],
    bias: tuple[Tensor | None, Tensor | None],
    static: tuple[Tensor | None, Tensor | None],
) -> tuple[Tensor, Tensor, tuple[Tensor | None, ...]] | tuple[Tensor, Tensor, tuple[Tensor | None, Tensor | None]]:
    """Keys and values with the learned ones appended."""
    if bias[0] is None and bias[1] is None:
        return k, v, masks
    if bias[0] is None or bias[1] is None:
        have, lack = ("bias_v", "bias_k") if bias[0] is None else ("bias_k", "bias_v")
        raise AssertionError(f"{have} is set but {lack} is None")
    for name, each in zip(("key", "value"), static, strict=True):
        if each is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")
    batch = k.shape[1]
    k, v = (T["cat"]([x, b.repeat(1, batch, 1)]) for x, b in zip((k, v), bias, strict=True) if b is not None)
    return k, v, _wider(*masks)


@api("multi_head_attention_forward", where="F")
def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None,
    add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True,
    key_padding_mask: Mask = None, need_weights: bool = True, attn_mask: Mask = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Attention of `num_heads` heads over (length, batch, width): the output, and the weights if requested."""
    batched = _check_dimensions(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    padding = additive(key_padding_mask, "key_padding_mask", query, attn_mask, "attn_mask")
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    is_causal = is_causal and padding is None
    mask = None if is_causal and not need_weights else additive(attn_mask, "attn_mask", query)
    _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        q, k, v = _separate((query, key, value), (q_proj_weight, k_proj_weight, v_proj_weight), in_proj_bias)
    else:
        q, k, v = _packed(query, key, value, in_proj_weight, in_proj_bias)
    (target, batch, width), rows = query.shape, query.shape[1] * num_heads
    mask = None if mask is None else _three_dimensional(mask, target, key.shape[0], rows)
    k, v, (mask, padding) = _lengthened(k, v, (mask, padding), (bias_k, bias_v), (static_k, static_v))
    size = width // num_heads
    q = q.view(target, rows, size).transpose(0, 1)
    k, v = _head_rows(k, static_k, rows, size, "static_k"), _head_rows(v, static_v, rows, size, "static_v")
    if add_zero_attn:
        k, v = (T["cat"]([x, T["zeros"]((rows, 1, size), dtype=x.dtype)], dim=1) for x in (k, v))
        mask, padding = _wider(mask, padding)
    mask = _merged(mask, padding, batch, num_heads, k.shape[1])
    dropout = dropout_p if training else 0.0
    if need_weights:
        out, weights = _with_weights(q, k, v, mask, dropout)
        weights = weights.view(batch, num_heads, target, k.shape[1])
    else:
        out, weights = _at_once(q, k, v, mask, dropout, is_causal, (batch, num_heads)), None
    out = FUNCTIONAL["linear"](out.reshape(target * batch, width), out_proj_weight, out_proj_bias)
    return _shown(out.view(target, batch, out.shape[1]), weights, average_attn_weights, batched)


def _shown(out: Tensor, weights: Tensor | None, average: bool, batched: bool) -> tuple[Tensor, Tensor | None]:
    """What the caller gets, without a batch dimension if the input had none."""
    if weights is not None and average:
        weights = weights.mean(dim=1)
    if batched:
        return out, weights
    return out.squeeze(1), None if weights is None else weights.squeeze(0)
