"""leaky_relu and the exponential linear units elu, selu and celu. Their in-place forms are rows of their own, as
the gradient is then computed from the result. Made as the functions in `activation.py` are."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.ops.activation import activation, in_place_name, of_result, run
from gradviz.engine.tensor import Tensor

F = FUNCTIONS

LEAKY_RELU = activation(
    "leaky_relu",
    "negative_slope",
    lambda x, *, negative_slope: np.where(x > 0, x, x * negative_slope),
    lambda x, *, negative_slope: np.where(x > 0, 1, negative_slope).astype(x.dtype),
    None,
    latex=r"\max(x, 0) + a \min(x, 0)",
    brief="Negative elements are scaled down.",
    formula="where(self > 0, grad, grad * negative_slope)",
    symbol="leaky",
)
LEAKY_RELU_ = of_result(
    "leaky_relu",
    "negative_slope",
    LEAKY_RELU,
    lambda x, *, negative_slope: np.where(x > 0, 1, negative_slope).astype(x.dtype),
    None,
    "where(result > 0, grad, grad * negative_slope)",
)


def _elu(x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    below = np.where(x > 0, x.dtype.type(0), x)  # not the minimum with 0, which may lose the sign of -0
    return np.where(x > 0, x * scale, np.expm1(below * input_scale) * (alpha * scale))


def _elu_slope(x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return np.where(x > 0, scale, np.exp(np.minimum(x, 0) * input_scale) * (input_scale * alpha * scale))


def _elu_curvature(x: Any, alpha: float, scale: float, input_scale: float) -> Any:
    return F["where"](x < 0, (x * input_scale).exp() * (input_scale * input_scale * alpha * scale), 0.0)


def _elu_result_slope(x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return np.where(x > 0, scale, (x + alpha * scale) * input_scale)


_ELU = "alpha, scale, input_scale"
_ELU_LATEX = r"s \max(x, 0) + s \alpha (e^{\min(x, 0)} - 1)"
ELU = activation(
    "elu",
    _ELU,
    _elu,
    _elu_slope,
    _elu_curvature,
    latex=_ELU_LATEX,
    brief="Negative elements bend towards −α.",
    formula="where(self > 0, grad * scale, grad * alpha * scale * exp(self))",
)
ELU_ = of_result(
    "elu",
    _ELU,
    ELU,
    _elu_result_slope,
    lambda x, alpha, scale, input_scale: (x <= 0).to(x.dtype) * input_scale,
    "where(result > 0, grad * scale, grad * (result + alpha * scale))",
)
CELU = activation(
    "celu",
    "alpha",
    lambda x, *, alpha: _elu(x, alpha=alpha, scale=1, input_scale=1 / alpha),
    lambda x, *, alpha: _elu_slope(x, alpha=alpha, scale=1, input_scale=1 / alpha),
    lambda x, alpha: _elu_curvature(x, alpha, 1, 1 / alpha),
    latex=r"\max(x, 0) + \min(0, \alpha (e^{x / \alpha} - 1))",
    brief="ELU with a smooth slope for every α.",
    formula="where(self > 0, grad, grad * exp(self / alpha))",
    backward_node="EluBackwardBackward0",
)
CELU_ = of_result(
    "celu",
    "alpha",
    CELU,
    lambda x, *, alpha: _elu_result_slope(x, alpha=alpha, scale=1, input_scale=1 / alpha),
    lambda x, alpha: (x <= 0).to(x.dtype) / alpha,
    "where(result > 0, grad, grad * (result + alpha) / alpha)",
    node="EluBackwardBackward0",
)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@api("leaky_relu", where="F")
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where positive, negative_slope · x elsewhere."""
    return run(LEAKY_RELU, LEAKY_RELU_, input, inplace, "leaky_relu_cpu", negative_slope=negative_slope)


@api("elu", where="F")
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, α (eˣ − 1) elsewhere."""
    return run(ELU, ELU_, input, inplace, "elu_cpu", alpha=alpha, scale=1, input_scale=1)


@api("selu", where="torch F")
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """ELU with the constants that keep mean 0 and variance 1."""
    return run(ELU, ELU_, input, inplace, "elu_cpu", alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1)


@api("celu", where="torch F")
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, α (e^(x/α) − 1) elsewhere."""
    return run(CELU, CELU_, input, inplace, "elu_cpu", alpha=alpha)


for _fn in (leaky_relu, elu, selu, celu):
    in_place_name(_fn)
for _name in ("selu", "celu"):
    api(f"{_name}_", where="torch")(FUNCTIONAL[f"{_name}_"])
