"""`MultiheadAttention`: the parameters and settings of `F.multi_head_attention_forward`."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.attention import additive, only_kernels
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules.linear import NonDynamicallyQuantizableLinear, Shapes
from gradviz.torch.nn.modules.module import Module
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
