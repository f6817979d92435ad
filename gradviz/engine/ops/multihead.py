"""multi_head_attention_forward: several attentions side by side, from ordinary operations. What one attention is stands
in `attention.py`; the layer with its parameters is `gradviz.torch.nn.modules.attention`."""

from __future__ import annotations

import math
import warnings
from typing import Any

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.tensor import Tensor

T = FUNCTIONS
F = FUNCTIONAL
Mask = Tensor | None


def additive(mask: Mask, name: str, like: Tensor, other: Mask = None, other_name: str = "") -> Mask:
    """A mask as numbers to add: minus infinity where a boolean one is true. `other` ought to have its type."""
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
    return T["zeros_like"](mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))  # type: ignore[no-any-return]


def _check_dimensions(query: Tensor, key: Tensor, value: Tensor, padding: Mask, mask: Mask, heads: int) -> bool:
    """Whether there is a batch."""
    batched = query._data.ndim == 3
    if query._data.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query._data.ndim}-D query tensor"
        )
    ndim, kind = (3, "batched") if batched else (2, "unbatched")
    start = f"For {kind} ({ndim}-D) `query`, expected"
    if key._data.ndim != ndim or value._data.ndim != ndim:
        raise AssertionError(
            f"{start} `key` and `value` to be {ndim}-D but found {key._data.ndim}-D and {value._data.ndim}-D tensors "
            "respectively"
        )
    if padding is not None and padding._data.ndim != ndim - 1:
        raise AssertionError(
            f"{start} `key_padding_mask` to be `None` or {ndim - 1}-D but found {padding._data.ndim}-D tensor instead"
        )
    if mask is not None and mask._data.ndim not in (2, 3):
        raise AssertionError(
            f"{start} `attn_mask` to be `None`, 2-D or 3-D but found {mask._data.ndim}-D tensor instead"
        )
    if not batched and mask is not None and mask._data.ndim == 3:
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


def _packed(query: Tensor, key: Tensor, value: Tensor, weight: Tensor | None, bias: Tensor | None) -> Any:
    """Queries, keys and values by one weight for all three; one product for what is one tensor."""
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    width = query.shape[-1]
    if key is value and query is key:
        return _unpacked(F["linear"](query, weight, bias), 3, width)
    if key is value:
        first, both = weight.split([width, width * 2])
        ends = (None, None) if bias is None else bias.split([width, width * 2])
        q = F["linear"](query, first, ends[0])
        return (q, *_unpacked(F["linear"](key, both, ends[1]), 2, width))
    biases = (None, None, None) if bias is None else bias.chunk(3)
    given = zip((query, key, value), weight.chunk(3), biases, strict=True)
    return tuple(F["linear"](x, w, b) for x, w, b in given)


def _unpacked(joined: Tensor, count: int, width: int) -> Any:
    parts = joined.unflatten(-1, (count, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(parts[i] for i in range(count))


def _separate(inputs: tuple[Tensor, ...], weights: tuple[Tensor | None, ...], bias: Tensor | None) -> Any:
    """Queries, keys and values by a weight each."""
    width = inputs[0].shape[-1]
    for name, weight in zip("qkv", weights, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases = (None, None, None) if bias is None else bias.chunk(3)
    for name, x, weight in zip(("query", "key", "value"), inputs, weights, strict=True):
        wanted = (width, x.shape[-1])
        if weight is not None and weight.shape != wanted:
            raise AssertionError(f"expecting {name} weights shape of {wanted}, but got {weight.shape}")
    return tuple(F["linear"](x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True))


def _three_dimensional(mask: Tensor, target: int, source: int, rows: int) -> Tensor:
    if mask._data.ndim == 2:
        if mask.shape != (target, source):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(target, source)}.")
        return mask.unsqueeze(0)
    if mask.shape != (rows, target, source):
        raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be {(rows, target, source)}.")
    return mask


def _wider(*masks: Mask) -> tuple[Mask, ...]:
    """The masks with one more column, which hides nothing."""
    return tuple(None if each is None else F["pad"](each, (0, 1)) for each in masks)


def _head_rows(x: Tensor, static: Tensor | None, rows: int, size: int, name: str) -> Tensor:
    if static is None:
        return x.view(x.shape[0], rows, size).transpose(0, 1)  # type: ignore[no-any-return]
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
    return spread if mask is None else mask + spread  # type: ignore[no-any-return]


def _with_weights(q: Tensor, k: Tensor, v: Tensor, mask: Mask, dropout: float) -> tuple[Tensor, Tensor]:
    scaled = q * math.sqrt(1.0 / float(q.shape[2]))
    turned = k.transpose(-2, -1)
    scores = T["bmm"](scaled, turned) if mask is None else T["baddbmm"](mask, scaled, turned)
    weights = F["softmax"](scores, dim=-1)
    if dropout > 0.0:
        weights = F["dropout"](weights, p=dropout)
    return T["bmm"](weights, v).transpose(0, 1), weights


def _at_once(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask, dropout: float, causal: bool, lead: tuple[int, int]
) -> Tensor:
    source = k.shape[1]
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(*lead, -1, source)
    q, k, v = (x.view(*lead, -1, x.shape[-1]) for x in (q, k, v))
    return F["scaled_dot_product_attention"](q, k, v, mask, dropout, causal).permute(2, 0, 1, 3)  # type: ignore[no-any-return]


def _lengthened(
    k: Tensor,
    v: Tensor,
    masks: tuple[Mask, Mask],
    bias: tuple[Tensor | None, Tensor | None],
    static: tuple[Tensor | None, Tensor | None],
) -> Any:
    """Keys and values with the learned ones at the end."""
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
    """Attention of `num_heads` heads over (length, batch, width): the output, and the weights if they are wanted."""
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
    out = F["linear"](out.reshape(target * batch, width), out_proj_weight, out_proj_bias)
    return _shown(out.view(target, batch, out.shape[1]), weights, average_attn_weights, batched)


def _shown(out: Tensor, weights: Tensor | None, average: bool, batched: bool) -> tuple[Tensor, Tensor | None]:
    """What the caller gets, without the batch that was not there."""
    if weights is not None and average:
        weights = weights.mean(dim=1)
    if batched:
        return out, weights
    return out.squeeze(1), None if weights is None else weights.squeeze(0)
