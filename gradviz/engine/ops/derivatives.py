"""Derivatives that PyTorch has as separate operations, so that a gradient that is differentiated again shows its names:
`TanhBackwardBackward0`, `SoftmaxBackwardDataBackward0`, and operations with a number, such as `MulBackward1`.

Functions whose derivative is written in ordinary operations need nothing here."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import Rule, expressed, helper
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics import functions, sums
from gradviz.engine.numerics.rounding import widened
from gradviz.engine.ops.elementwise import number_array
from gradviz.engine.run.apply import call


def _conj(x: Array) -> Array:
    """The conjugate; a real array itself, which NumPy would copy."""
    return np.conj(x) if x.dtype.kind == "c" else x


TANH_BACKWARD = op(
    "tanh_backward",
    "grad_output, output",
    lambda g, y: g * _conj(functions.one_minus_product(y, y)),
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
    lambda g, y: g * _conj(1 - y) * _conj(y),
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
    wide, out = widened(g), widened(y)
    return ((wide - sums.exponentials(wide * out, dim)) * out).astype(g.dtype)


def _log_softmax_data(g: Array, y: Array, *, dim: int) -> Any:
    if not g.ndim:
        return np.zeros_like(g)
    wide = widened(g)
    return (wide - functions.exp(widened(y)) * sums.exponentials(wide, dim)).astype(g.dtype)


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


# --- a number as an operand ---
#
# Note [Numbers that are not saved] `x * 2` in a snippet is a product of two tensors, and its node saves the number as
# one. PyTorch's own functions and gradients call overloads that take the number as it is: `MulBackward1`,
# `AddBackward1`, `ClampMinBackward0` … and save no tensor for it. A number that a formula contains is such an operand
# (`formula.py`).


def _with_number(name: str, symbol: str, latex: str, brief: str, forward: Kernel, gradient: str | Rule) -> OpRow:
    def run(x: Array, *, other: complex) -> Any:
        if x.dtype.itemsize == 2:  # half types are computed in float32 and rounded once
            return forward(x.astype(np.float32), np.asarray(other, np.float32)).astype(x.dtype)
        return forward(x, number_array(other, x.dtype))

    return op(
        name, "self", run, key=f"{name}_number", number=1,
        category="arithmetic", symbol=symbol, latex=latex, brief=brief, self=gradient,
    )  # fmt: skip


def _scaled_back(grad: Tensor, other: complex) -> Tensor:
    return scaled(grad, other.conjugate())


def _over_back(grad: Tensor, other: complex) -> Tensor:
    return over(grad, other.conjugate())


ADD_NUMBER = _with_number("add", "+n", r"x + n", "Adds a number.", np.add, "grad")
SUB_NUMBER = _with_number("sub", "−n", r"x - n", "Subtracts a number.", np.subtract, "grad")
MUL_NUMBER = _with_number(
    "mul", "×n", r"n x", "Multiplies by a number.", np.multiply,
    expressed("grad * conj(other)", _scaled_back),
)  # fmt: skip
DIV_NUMBER = _with_number(
    "div", "÷n", r"x / n", "Divides by a number.", np.divide,
    expressed("grad / conj(other)", _over_back),
)  # fmt: skip


@helper("x + number")
def plus(x: Tensor, number: float) -> Tensor:
    """x + number; see Note [Numbers that are not saved]. Integers become floating point with such a number."""
    if not isinstance(x, Tensor):  # both are parameters of the operation
        return x + number
    if isinstance(number, float) and x.dtype.rank < 2:
        x = x.to(dtypes.default.dtype)
    return call(ADD_NUMBER, x, other=number)


@helper("x - number")
def minus(x: Tensor, number: float) -> Tensor:
    """x − number; see Note [Numbers that are not saved]."""
    return call(SUB_NUMBER, x, other=number) if isinstance(x, Tensor) else x - number


@helper("x * number")
def scaled(x: Tensor, number: complex) -> Tensor:
    """x · number; see Note [Numbers that are not saved]."""
    if not isinstance(x, Tensor) or (isinstance(number, complex) and not x.dtype.is_complex):
        return x * number
    return call(MUL_NUMBER, x, other=number)


@helper("x / number")
def over(x: Tensor, number: complex) -> Tensor:
    """x / number; see Note [Numbers that are not saved]."""
    return call(DIV_NUMBER, x, other=number) if isinstance(x, Tensor) else x / number
