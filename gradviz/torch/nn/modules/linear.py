"""`Linear`, `Bilinear` and `Identity`."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.dtypes import dtype as DType
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules import creating
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter

Shapes = dict[str, tuple[int, ...] | None]


class Identity(Module):
    """Returns its input, whatever arguments it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """`x @ weight.T + bias`; weight has the shape (out_features, in_features)."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        shapes: dict[str, tuple[int, ...] | None] = {
            "weight": (out_features, in_features),
            "bias": (out_features,) if bias else None,
        }
        creating.make(self, shapes, dtype)
        creating.fill(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that PyTorch prints for the output projection of attention."""


class Bilinear(Module):
    """`x1 @ weight[k] @ x2 + bias[k]` for every output k."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shapes: dict[str, tuple[int, ...] | None] = {
            "weight": (out_features, in1_features, in2_features),
            "bias": (out_features,) if bias else None,
        }
        creating.make(self, shapes, dtype)
        creating.fill(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
