"""`TransformerEncoderLayer` and `TransformerEncoder`, by the operations of PyTorch's ordinary path, which is the
one that can be trained."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.dtypes import bool_
from gradviz.engine.dtypes import dtype as DType
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.activation import GELU, ReLU
from gradviz.torch.nn.modules.attention import MultiheadAttention
from gradviz.torch.nn.modules.container import ModuleList
from gradviz.torch.nn.modules.dropout import Dropout
from gradviz.torch.nn.modules.linear import Linear
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.modules.normalization import LayerNorm

Activation = Callable[[Tensor], Tensor]


def _activation(given: str | Activation) -> Any:
    if not isinstance(given, str):
        return given
    if given == "relu":
        return F.relu
    if given == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {given}")


def _additive(mask: Tensor | None, like: Tensor) -> Tensor | None:
    """A boolean mask as what is added to the scores."""
    if mask is None or mask.dtype is not bool_:
        return mask
    return T["zeros_like"](mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))  # type: ignore[no-any-return]


class TransformerEncoderLayer(Module):
    """Self-attention and two linear layers, each with a residual connection and a layer norm (Vaswani et al., 2017)."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)

    @property
    def activation_relu_or_gelu(self) -> int:
        """1 for relu, 2 for gelu, 0 for any other activation."""
        if self.activation is F.relu or isinstance(self.activation, ReLU):
            return 1
        return 2 if self.activation is F.gelu or isinstance(self.activation, GELU) else 0

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        padding, mask = _additive(src_key_padding_mask, src), _additive(src_mask, src)
        x = src
        if self.norm_first:
            x = x + self._attend(self.norm1(x), mask, padding, is_causal)
            return x + self._feed(self.norm2(x))  # type: ignore[no-any-return]
        x = self.norm1(x + self._attend(x, mask, padding, is_causal))
        return self.norm2(x + self._feed(x))  # type: ignore[no-any-return]

    def _attend(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool) -> Any:
        found, _ = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
        )
        return self.dropout1(found)

    def _feed(self, x: Tensor) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """Several encoder layers, copies of one, one after another."""

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = _why_not_nested(encoder_layer)
        if enable_nested_tensor and why:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}", stacklevel=2
            )
        self.use_nested_tensor = enable_nested_tensor and not why

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        padding, mask = _additive(src_key_padding_mask, src), _additive(mask, src)
        causal = is_causal is True or (is_causal is None and mask is not None and _is_causal(mask))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return output if self.norm is None else self.norm(output)


def _is_causal(mask: Tensor) -> bool:
    n = mask.shape[-2]
    wanted = T["triu"](T["full"]((n, n), float("-inf")), diagonal=1)
    return mask.shape == wanted.shape and bool((mask == wanted).all())


def _why_not_nested(layer: Any) -> str:
    """Why PyTorch would not use nested tensors, in its words; here they are never used."""
    name = "encoder_layer"
    if not isinstance(layer, TransformerEncoderLayer):
        return f"{name} was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        f"{name}.norm_first was True": layer.norm_first,
        f"{name}.self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        f"{name}.self_attn._qkv_same_embed_dim was not True": attention.in_proj_weight is None,
        f"{name}.self_attn was passed bias=False": attention.in_proj_bias is None,
        f"{name}.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        f"{name}.norm1.eps was not equal to {name}.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        f"{name}.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((text for text, holds in reasons.items() if holds), "")
