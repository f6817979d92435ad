"""Activations as modules: each holds its settings and calls the function of the same name in `nn.functional`."""

from __future__ import annotations

import warnings

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONAL
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter, fill_parameters, make_parameters


class _Plain(Module):
    """An activation without settings."""

    function = ""

    def forward(self, input: Tensor) -> Tensor:
        return FUNCTIONAL[self.function](input)


class Sigmoid(_Plain):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        return T["sigmoid"](input)


class Tanh(_Plain):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        return T["tanh"](input)


class LogSigmoid(_Plain):
    """log(1 / (1 + exp(-x)))."""

    function = "logsigmoid"


class Softsign(_Plain):
    """x / (1 + |x|)."""

    function = "softsign"


class Tanhshrink(_Plain):
    """x - tanh(x)."""

    function = "tanhshrink"


class _Inplace(Module):
    """An activation that can overwrite its input."""

    function = ""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return FUNCTIONAL[self.function](input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """max(0, x)."""

    function = "relu"


class ReLU6(_Inplace):
    """min(max(0, x), 6)."""

    function = "relu6"


class SiLU(_Inplace):
    """x * sigmoid(x)."""

    function = "silu"


class Mish(_Inplace):
    """x * tanh(softplus(x))."""

    function = "mish"


class SELU(_Inplace):
    """Self-normalising exponential unit."""

    function = "selu"


class Hardsigmoid(_Inplace):
    """relu6(x + 3) / 6."""

    function = "hardsigmoid"

    def extra_repr(self) -> str:
        return ""


class Hardswish(_Inplace):
    """x * relu6(x + 3) / 6."""

    function = "hardswish"

    def extra_repr(self) -> str:
        return ""


def _inplace(text: str, inplace: bool) -> str:
    return f"{text}, inplace=True" if inplace else text


class LeakyReLU(Module):
    """x where positive, otherwise negative_slope * x."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(f"negative_slope={self.negative_slope}", self.inplace)


class ELU(Module):
    """x where positive, otherwise alpha * (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(f"alpha={self.alpha}", self.inplace)


class CELU(Module):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(f"alpha={self.alpha}", self.inplace)


class GELU(Module):
    """x times the normal distribution function of x."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta, linear above the threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


def _renamed(name: str, value: float, by_old_name: float | None) -> float:
    if by_old_name is None:
        return value
    text = f"keyword argument `{name}ue` is deprecated and renamed to `{name}`"
    warnings.warn(text, FutureWarning, stacklevel=3)
    return by_old_name


class Hardtanh(Module):
    """x clamped to [min_val, max_val]."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        self.min_val = _renamed("min_val", min_val, min_value)
        self.max_val = _renamed("max_val", max_val, max_value)
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(f"min_val={self.min_val}, max_val={self.max_val}", self.inplace)


class Threshold(Module):
    """x where above the threshold, otherwise the value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(f"threshold={self.threshold}, value={self.value}", self.inplace)


class _Shrink(Module):
    function = ""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return FUNCTIONAL[self.function](input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(_Shrink):
    """Moves x towards zero by lambd."""

    function = "softshrink"


class Hardshrink(_Shrink):
    """x, or zero where |x| <= lambd."""

    function = "hardshrink"


class PReLU(Module):
    """Like LeakyReLU, with a slope that is trained."""

    weight: Parameter

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: object = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        make_parameters(self, {"weight": (num_parameters,)}, dtype, device)
        fill_parameters(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Set the slope to its initial value."""
        self.weight._data.fill(self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _AlongDim(Module):
    """An activation along one dimension."""

    function = ""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return FUNCTIONAL[self.function](input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """Exponentials that sum to one along a dimension."""

    function = "softmax"


class Softmin(_AlongDim):
    """Softmax of -x."""

    function = "softmin"


class LogSoftmax(_AlongDim):
    """The logarithm of softmax."""

    function = "log_softmax"


class GLU(Module):
    """First half times the sigmoid of the second half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Softmax over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class RReLU(Module):
    """Scales negative elements by a random number in training, by the mean of its range otherwise."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"
