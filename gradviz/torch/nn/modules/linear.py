"""The smallest layers: `Linear`, `Bilinear` and `Identity`, `Flatten` and `Unflatten`, and dropout."""

from __future__ import annotations

import math

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONAL
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter, fill_parameters, make_parameters

Shapes = dict[str, tuple[int, ...] | None]


class Identity(Module):
    """Returns its input, whatever arguments it was made with."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """`x @ weight.T + bias`; weight has the shape (out_features, in_features)."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: object = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        shapes: dict[str, tuple[int, ...] | None] = {
            "weight": (out_features, in_features),
            "bias": (out_features,) if bias else None,
        }
        make_parameters(self, shapes, dtype, device)
        fill_parameters(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

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
        device: object = None,
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
        make_parameters(self, shapes, dtype, device)
        fill_parameters(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


# --- shapes ---


class Flatten(Module):
    """Joins the dimensions from start_dim to end_dim."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dimension into several."""

    def __init__(self, dim: int, unflattened_size: object) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for position, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, "
                    f"but found element of type {type(size).__name__} at pos {position}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


# --- dropout ---


class _Dropout(Module):
    function = ""
    writes = True  # those for self-normalising networks show `inplace` and do not heed it

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return FUNCTIONAL[self.function](input, self.p, self.training, self.inplace and self.writes)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zeroes elements with probability p while training, and scales the rest by 1 / (1 - p)."""

    function = "dropout"


class Dropout1d(_Dropout):
    """Zeroes whole channels."""

    function = "dropout1d"


class Dropout2d(_Dropout):
    """Zeroes whole channels."""

    function = "dropout2d"


class Dropout3d(_Dropout):
    """Zeroes whole channels."""

    function = "dropout3d"


class AlphaDropout(_Dropout):
    """Dropout that keeps mean and variance of self-normalising networks."""

    function, writes = "alpha_dropout", False


class FeatureAlphaDropout(_Dropout):
    """Like AlphaDropout, for whole channels."""

    function, writes = "feature_alpha_dropout", False
