"""`MultiheadAttention`, by the operations of PyTorch's ordinary path (not the fused one of its inference mode)."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.dtypes import bool_
from gradviz.engine.dtypes import dtype as DType
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules import creating
from gradviz.torch.nn.modules.linear import Linear, Shapes
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that PyTorch prints for the output projection."""


class MultiheadAttention(Module):
    """Several scaled dot products side by side (Vaswani et al., 2017); returns the output and the attention weights."""

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, "
                f"got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        packed = self.kdim == embed_dim and self.vdim == embed_dim
        shapes: Shapes = {
            "in_proj_weight": (3 * embed_dim, embed_dim) if packed else None,
            "q_proj_weight": None if packed else (embed_dim, embed_dim),
            "k_proj_weight": None if packed else (embed_dim, self.kdim),
            "v_proj_weight": None if packed else (embed_dim, self.vdim),
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        creating.make(self, shapes, dtype)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        creating.fill(self, self._reset_parameters)

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        if is_causal and attn_mask is None:
            raise RuntimeError(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                "`generate_square_subsequent_mask` to create this mask."
            )
        batched = query.ndim == 3
        if not batched:
            query, key, value = _alike(query, key, value, lambda x: x.unsqueeze(1))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = _alike(query, key, value, lambda x: x.transpose(1, 0))
        q, k, v = self._project(query, key, value)
        causal = is_causal and key_padding_mask is None and not need_weights
        mask = None if causal else self._mask(attn_mask, key_padding_mask, query, key)
        out, weights = self._attend(q, k, v, mask, need_weights, average_attn_weights, causal)
        if not batched:
            return out.squeeze(1), None if weights is None else weights.squeeze(0)
        return (out.transpose(1, 0) if self.batch_first else out), weights

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> Any:
        """Queries, keys and values from the inputs; in one product where the inputs are one tensor."""
        if self.in_proj_weight is not None and query is key and key is value:
            joined = F.linear(query, self.in_proj_weight, self.in_proj_bias).unflatten(-1, (3, self.embed_dim))
            joined = joined.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
            return joined[0], joined[1], joined[2]
        if self.in_proj_weight is not None:
            weights = self.in_proj_weight.chunk(3)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None, None, None) if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        pairs = zip((query, key, value), weights, biases, strict=True)
        return tuple(F.linear(x, weight, bias) for x, weight, bias in pairs)

    def _mask(self, attn_mask: Tensor | None, padding: Tensor | None, query: Tensor, key: Tensor) -> Tensor | None:
        """One additive mask of shape (batch * heads, target, source)."""
        batch, source = key.shape[1], key.shape[0]
        found = None if attn_mask is None else _additive(attn_mask, query)
        if found is not None and found.ndim == 2:
            if tuple(found.shape) != (query.shape[0], source):
                raise RuntimeError(
                    f"The shape of the 2D attn_mask is {found.shape}, but should be {(query.shape[0], source)}."
                )
            found = found.unsqueeze(0)
        if padding is not None:
            spread = _additive(padding, query).view(batch, 1, 1, source).expand(-1, self.num_heads, -1, -1)
            spread = spread.reshape(batch * self.num_heads, 1, source)
            found = spread if found is None else found + spread
        return found

    def _attend(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, need_weights: bool, average: bool, is_causal: bool
    ) -> tuple[Tensor, Tensor | None]:
        target, batch, _ = q.shape
        source = k.shape[0]
        rows = batch * self.num_heads
        q = q.view(target, rows, self.head_dim).transpose(0, 1)
        k = k.view(source, rows, self.head_dim).transpose(0, 1)
        v = v.view(source, rows, self.head_dim).transpose(0, 1)
        if not need_weights:
            return self._attend_at_once(q, k, v, mask, (target, batch, source), is_causal), None
        scaled = q * math.sqrt(1.0 / float(self.head_dim))
        turned = k.transpose(-2, -1)
        scores = T["bmm"](scaled, turned) if mask is None else T["baddbmm"](mask, scaled, turned)
        weights = F.softmax(scores, dim=-1)
        if self.dropout and self.training:
            weights = F.dropout(weights, self.dropout)
        out = T["bmm"](weights, v).transpose(0, 1).reshape(target * batch, self.embed_dim)
        out = F.linear(out, self.out_proj.weight, self.out_proj.bias).view(target, batch, self.embed_dim)
        weights = weights.view(batch, self.num_heads, target, source)
        return out, weights.mean(dim=1) if average else weights

    def _attend_at_once(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, lengths: tuple[int, int, int], is_causal: bool
    ) -> Tensor:
        """The output alone, by scaled_dot_product_attention of (batch, heads, length, head)."""
        target, batch, source = lengths
        heads = (batch, self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(*heads, -1, source)
        q, k, v = (x.view(*heads, -1, self.head_dim) for x in (q, k, v))
        dropped = self.dropout if self.training else 0.0
        out = F.scaled_dot_product_attention(q, k, v, mask, dropped, is_causal)
        out = out.permute(2, 0, 1, 3).reshape(batch * target, self.embed_dim)
        return F.linear(out, self.out_proj.weight, self.out_proj.bias).view(target, batch, self.embed_dim)  # type: ignore[no-any-return]


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    """A mask of numbers to add: minus infinity where a boolean mask is true."""
    if mask.dtype is not bool_:
        return mask
    return T["zeros_like"](mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))  # type: ignore[no-any-return]


def _alike(query: Tensor, key: Tensor, value: Tensor, fn: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The same change to all three, once for what is one tensor."""
    new = fn(query)
    new_key = new if key is query else fn(key)
    return new, new_key, new_key if value is key else fn(value)
