"""Derivatives that PyTorch has as separate operations, so that a gradient that is differentiated again shows its names:
`TanhBackwardBackward0`, `SoftmaxBackwardDataBackward0`, and the product and difference with a number,
`MulBackward1` and `SubBackward1`.

Functions whose derivative is written in ordinary operations need nothing here."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import expressed, helper
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics import functions
from gradviz.engine.ops.elementwise import number_array
from gradviz.engine.run.apply import call

TANH_BACKWARD = op(
    "tanh_backward",
    "grad_output, output",
    lambda g, y: g * np.conj(functions.one_minus_product(y, y)),
    category="activations",
    symbol="tanh′",
    latex=r"g \cdot (1 - y^2)",
    brief="The gradient through tanh.",
    grad_output="tanh_backward(grad, conj(output))",
    output="conj(grad) * (-2 * conj(output) * grad_output)",
)
SIGMOID_BACKWARD = op(
    "sigmoid_backward",
    "grad_output, output",
    lambda g, y: g * np.conj(1 - y) * np.conj(y),
    category="activations",
    symbol="σ′",
    latex=r"g \cdot y (1 - y)",
    brief="The gradient through the sigmoid.",
    grad_output="sigmoid_backward(grad, conj(output))",
    output="conj(grad) * grad_output * (-2 * conj(output) + 1)",
)


@helper("grad * (1 - output * output)")
def tanh_backward(grad: Tensor, output: Tensor) -> Tensor:
    """The gradient of tanh from its output."""
    return call(TANH_BACKWARD, grad, output)


@helper("grad * output * (1 - output)")
def sigmoid_backward(grad: Tensor, output: Tensor) -> Tensor:
    """The gradient of sigmoid from its output."""
    return call(SIGMOID_BACKWARD, grad, output)


# --- softmax ---


def _softmax_data(g: Array, y: Array, *, dim: int) -> Any:
    if not g.ndim:
        return np.zeros_like(g)
    return g * y - y * np.sum(g * y, axis=dim, keepdims=True, dtype=g.dtype)


def _log_softmax_data(g: Array, y: Array, *, dim: int) -> Any:
    if not g.ndim:
        return np.zeros_like(g)
    return g - functions.exp(y) * np.sum(g, axis=dim, keepdims=True, dtype=g.dtype)


SOFTMAX_BACKWARD = op(
    "_softmax_backward_data",
    "grad_output, output",
    _softmax_data,
    category="activations",
    layout="rows",
    symbol="softmax′",
    latex=r"y \, (g - \sum g y)",
    brief="The gradient through softmax.",
    grad_output="softmax_backward(grad, output, dim)",
    output=(
        "grad * (grad_output - sum(grad_output * output, dim, keepdim=True))"
        " - grad_output * sum(grad * output, dim, keepdim=True)"
    ),
)
LOG_SOFTMAX_BACKWARD = op(
    "_log_softmax_backward_data",
    "grad_output, output",
    _log_softmax_data,
    category="activations",
    layout="rows",
    symbol="logsoftmax′",
    latex=r"g - e^{y} \sum g",
    brief="The gradient through log_softmax.",
    grad_output="grad - sum(grad * exp(output), dim, keepdim=True)",
    output="-(grad * exp(output) * sum(grad_output, dim, keepdim=True))",
)


@helper("output * (grad - sum(grad * output))")
def softmax_backward(grad: Tensor, output: Tensor, dim: int) -> Tensor:
    """The gradient of softmax from its output."""
    return call(SOFTMAX_BACKWARD, grad, output, dim=dim)


@helper("grad - exp(output) * sum(grad)")
def log_softmax_backward(grad: Tensor, output: Tensor, dim: int) -> Tensor:
    """The gradient of log_softmax from its output."""
    return call(LOG_SOFTMAX_BACKWARD, grad, output, dim=dim)


# --- a number as factor ---


@helper("x * factor")
def scaled(x: Tensor, factor: object) -> Tensor:
    """The product of a floating point tensor with a number, which is not saved as a tensor."""
    if isinstance(factor, complex) and not x.dtype.is_complex:
        return x * factor
    return call(MUL_SCALAR, x, other=factor)


MUL_SCALAR: OpRow = op(
    "mul",
    "self",
    lambda x, *, other: x * number_array(other, x.dtype),
    key="mul_scalar",
    number=1,
    category="arithmetic",
    symbol="×",
    latex=r"c \, x",
    brief="The product with a number.",
    self=expressed("grad * conj(other)", lambda grad, other: scaled(grad, other.conjugate())),
)
SUB_NUMBER = op(
    "sub",
    "self",
    lambda x, *, other: x - number_array(other, x.dtype),
    key="sub_number",
    number=1,
    category="arithmetic",
    symbol="−n",
    latex=r"x - n",
    brief="Subtracts a number.",
    self="grad",
)


def minus(x: Tensor, number: float) -> Tensor:
    """x − number, which is not saved as a tensor."""
    return call(SUB_NUMBER, x, other=number)
