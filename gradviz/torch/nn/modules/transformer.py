"""`Transformer` and its parts, down to `MultiheadAttention`, which has the parameters and settings of
`F.multi_head_attention_forward`. The operations are those of PyTorch's ordinary path, which can be trained.

Note [Where padding becomes zero] In inference PyTorch packs sequences of different length into a nested tensor, and the
output of the encoder is zero where the input was padding. Here the layers also run over the padding, and the same zeros
are written at the end."""

from __future__ import annotations

import contextlib
import copy
import enum
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.attention import additive, only_kernels
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules.activation import GELU, ReLU
from gradviz.torch.nn.modules.container import ModuleList
from gradviz.torch.nn.modules.linear import Dropout, Linear, NonDynamicallyQuantizableLinear, Shapes
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.modules.normalization import LayerNorm
from gradviz.torch.nn.parameter import Parameter, fill_parameters, make_parameters


class MultiheadAttention(Module):
    """Several scaled dot products side by side (Vaswani et al., 2017); returns the output and the attention weights."""

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: object = None,
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
        packed = self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        shapes: Shapes = {
            "in_proj_weight": (3 * embed_dim, embed_dim) if packed else None,
            "q_proj_weight": None if packed else (embed_dim, embed_dim),
            "k_proj_weight": None if packed else (embed_dim, self.kdim),
            "v_proj_weight": None if packed else (embed_dim, self.vdim),
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        learned: Shapes = {"bias_k": (1, 1, embed_dim), "bias_v": (1, 1, embed_dim)}
        make_parameters(self, {**shapes, **(learned if add_bias_kv else {})}, dtype, device)
        if not add_bias_kv:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        with paused():  # its bias is filled again below
            self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        fill_parameters(self, self._reset_parameters)

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

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
        masks = key_padding_mask, attn_mask
        at_once = query is key and key is value and self.runs_at_once(query, *masks)
        padding = additive(key_padding_mask, "key_padding_mask", query, attn_mask, "attn_mask")
        mask = additive(attn_mask, "attn_mask", query)
        turned = self.batch_first and query.ndim == 3
        if turned:
            query, key, value = _turned(query, key, value)
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=padding,
            need_weights=need_weights or at_once,
            attn_mask=mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal and not at_once,
        )
        out = out.transpose(1, 0) if turned else out
        return (out.contiguous() if at_once else out), weights if need_weights else None

    def runs_at_once(self, query: Tensor, *masks: Tensor | None) -> bool:
        """Whether PyTorch uses its fused inference path: the same numbers, laid out row by row."""
        plain = self.bias_k is None and not self.add_zero_attn and self.num_heads % 2 == 0
        plain = plain and self.in_proj_weight is not None and self.in_proj_bias is not None
        if self.training or query.ndim != 3 or not self.batch_first or not plain:
            return False
        if any(each is not None and each.dtype.is_floating_point for each in masks):
            return False
        return not (state.grad and (query.requires_grad or any(each.requires_grad for each in self.parameters())))


def _turned(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Put the length first; tensors that are the same object stay one."""
    new = query.transpose(1, 0)
    new_key = new if key is query else key.transpose(1, 0)
    return new, new_key, new_key if value is key else value.transpose(1, 0)


# --- `torch.nn.attention`: which kernels may run ---


class SDPBackend(enum.Enum):
    """The kernels that PyTorch has."""

    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION, OVERRIDEABLE = -1, 0, 1, 2, 3, 4


@contextlib.contextmanager
def sdpa_kernel(backends: object, set_priority: bool = False) -> Iterator[dict[object, object]]:
    """Run only these kernels in a block."""
    given = backends if isinstance(backends, (list, tuple)) else [backends]
    chosen = [each for each in given if isinstance(each, SDPBackend)]
    if len(chosen) < len(given):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    names = {each.name.removesuffix("_ATTENTION").lower().replace("efficient", "mem_efficient") for each in chosen}
    with only_kernels(names) as flags:
        yield flags


Activation = Callable[[Tensor], Tensor]
_NESTED = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
    "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has "
    "better operator coverage, and works with torch.compile. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/NestedTensorImpl.cpp:177.)"
)


def _activation(given: str | Activation) -> Callable[..., Tensor] | Callable[[Tensor], Tensor]:
    if not isinstance(given, str):
        return given
    if given == "relu":
        return F.relu
    if given == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {given}")


class _Layer(Module):
    """The common part of encoder and decoder layers: self-attention, two linear maps, norms and dropouts."""

    norms = 2

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
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        given: dict[str, Any] = {"dropout": dropout, "bias": bias, "batch_first": batch_first}
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, **given, **place)
        if self.norms == 3:
            self.multihead_attn = MultiheadAttention(d_model, nhead, **given, **place)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **place)
        self.norm_first = norm_first
        for i in range(1, self.norms + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place))
        for i in range(1, self.norms + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def _attend_impl(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool) -> Any:
        found, _ = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
        )
        return self.dropout1(found)

    def _feed_impl(self, x: Tensor) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and two linear layers, each with a residual connection and a layer norm (Vaswani et al., 2017)."""

    def __init__(self, d_model: int, nhead: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(d_model, nhead, *args, **kwargs)
        self.activation_relu_or_gelu = 0
        if self.activation is F.relu or isinstance(self.activation, ReLU):
            self.activation_relu_or_gelu = 1
        elif self.activation is F.gelu or isinstance(self.activation, GELU):
            self.activation_relu_or_gelu = 2

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        padding = additive(src_key_padding_mask, "src_key_padding_mask", src, src_mask, "src_mask")
        mask = additive(src_mask, "src_mask", src)
        if self._runs_at_once_impl(src):  # there every nonzero mask element hides: PyTorch makes it boolean
            mask, padding = (None if each is None else each != 0 for each in (mask, padding))
        x = src
        if self.norm_first:
            x = x + self._attend_impl(self.norm1(x), mask, padding, is_causal)
            x = x + self.dropout2(self._feed_impl(self.norm2(x)))
        else:
            x = self.norm1(x + self._attend_impl(x, mask, padding, is_causal))
            x = self.norm2(x + self.dropout2(self._feed_impl(x)))
        return x  # type: ignore[no-any-return]

    def _runs_at_once_impl(self, src: Tensor) -> bool:
        """Whether PyTorch uses its fused inference path."""
        same = self.norm1.eps == self.norm2.eps and self.activation_relu_or_gelu != 0
        hooked = any(each._forward_hooks or each._forward_pre_hooks for each in self.modules())
        if self.training or hooked or not same or not self.self_attn.runs_at_once(src):
            return False
        return not (state.grad and any(each.requires_grad for each in self.parameters()))


class TransformerDecoderLayer(_Layer):
    """Like the encoder's layer, with attention to the encoder's output in between."""

    norms = 3

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory, memory_mask, memory_key_padding_mask, memory_is_causal
        x = tgt
        if self.norm_first:
            x = x + self._attend_impl(self.norm1(x), *own)
            x = x + self._look_impl(self.norm2(x), *other)
            return x + self.dropout3(self._feed_impl(self.norm3(x)))  # type: ignore[no-any-return]
        x = self.norm1(x + self._attend_impl(x, *own))
        x = self.norm2(x + self._look_impl(x, *other))
        return self.norm3(x + self.dropout3(self._feed_impl(x)))  # type: ignore[no-any-return]

    def _look_impl(
        self, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Any:
        found, _ = self.multihead_attn(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False
        )
        return self.dropout2(found)


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
        padding = additive(src_key_padding_mask, "src_key_padding_mask", src, mask, "mask")
        mask = additive(mask, "mask", src)
        causal = _is_causal(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._packs_impl(src, padding):
            if "nested" not in state.warned:
                state.warned.add("nested")
                warnings.warn(_NESTED, UserWarning, stacklevel=3)
            output = output.masked_fill(T["isinf"](padding).unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _packs_impl(self, src: Tensor, padding: Tensor) -> bool:
        """Whether padding becomes zero; see Note [Where padding becomes zero]."""
        if not self.use_nested_tensor or self.layers[0].training or src.ndim != 3:
            return False
        hidden = padding._data != 0
        if self.mask_check and bool((hidden[:, :-1] & ~hidden[:, 1:]).any()):
            return False
        tracked = src.requires_grad or any(each.requires_grad for each in self.layers[0].parameters())
        return not (state.grad and tracked)


def _is_causal(mask: Tensor | None, hint: bool | None, x: Tensor, batch_first: bool) -> bool:
    """Whether the mask hides exactly the later positions; a hint is believed."""
    if hint is not None or mask is None:
        return hint is True
    length = x.shape[1 if batch_first and x.ndim == 3 else 0]
    wanted = square_subsequent_mask(length, mask.dtype)
    return mask.shape == wanted.shape and bool((mask == wanted).all())


def square_subsequent_mask(size: int, dtype: DType | None = None) -> Tensor:
    """Minus infinity above the diagonal, zeros elsewhere."""
    return T["triu"](T["full"]((size, size), float("-inf"), dtype=dtype), diagonal=1)


def _why_not_nested(layer: object) -> str:
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
        f"{name}.self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        f"{name}.self_attn was passed bias=False": attention.in_proj_bias is None,
        f"{name}.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        f"{name}.norm1.eps was not equal to {name}.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        f"{name}.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((text for text, holds in reasons.items() if holds), "")


class TransformerDecoder(Module):
    """Several decoder layers, copies of one, one after another."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        output = tgt
        causal = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """Encoder and decoder (Vaswani et al., 2017)."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        settings = dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)

        if custom_encoder is None:
            layer = TransformerEncoderLayer(d_model, nhead, *settings)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(
                TransformerDecoderLayer(d_model, nhead, *settings), num_decoder_layers, norm()
            )
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        batch = 0 if self.batch_first else 1
        if src.size(batch) != tgt.size(batch) and src.ndim == 3:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(  # type: ignore[no-any-return]
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: object = None, dtype: DType | None = None) -> Tensor:
        """Minus infinity above the diagonal, zeros elsewhere."""
        return square_subsequent_mask(sz, dtype)

    def _reset_parameters(self) -> None:
        """Draw new matrices."""
        for param in self.parameters():
            if param.ndim > 1:
                init.xavier_uniform_(param)
