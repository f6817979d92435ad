"""Activation functions that work element by element. Each has two rows, the function and its derivative times the
incoming gradient, as in PyTorch; the second derivative is written in differentiable operations. relu, sigmoid and tanh
are in `elementary.py`, those with parameters, halves or randomness in `gated.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.graph import as_given
from gradviz.engine.kernel.memory import in_memory_order
from gradviz.engine.kernel.messages import check_kind, check_value
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import functions
from gradviz.engine.ops.arithmetic import number_minus
from gradviz.engine.ops.derivatives import plus
from gradviz.engine.ops.elementary import THRESHOLD_BACKWARD
from gradviz.engine.ops.elementwise import number_array
from gradviz.engine.ops.neural import in_single, need_floats, need_tensor, not_differentiable
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.inplace import write
from gradviz.engine.run.signatures import refusal

F = FUNCTIONS
Curvature = Callable[..., object] | None


def _scaled(g: Array, slope: Array) -> Array:
    """g · slope, but 0 rather than −0 where the slope is 0."""
    return functions.chosen(slope == 0, g.dtype.type(0), g * slope).astype(g.dtype)


def _derivative_row(
    name: str,
    params: str,
    slope: Any,
    curvature: Curvature,
    formula: str,
    symbol: str,
    twice: bool = True,
    node: str | None = None,
) -> OpRow:
    """grad · f′(self) as an operation with this `formula`; `curvature` is f″ in tensor operations, None if it is
    zero."""
    names = [each.strip() for each in params.split(",") if each.strip()]

    def along(grad: Tensor, x: Tensor, *values: object) -> Tensor:
        return call(row, grad, x, **dict(zip(names, values, strict=True)))

    def curved(grad: Tensor, grad_output: Tensor, x: Tensor, *values: object) -> Tensor:
        if curvature is None:
            return grad.new_zeros(x.shape)
        return grad * grad_output * curvature(x, *values)

    more = "".join(f", {each}" for each in names)
    none = sentence("PyTorch has none", not_differentiable(f"{name}_backward"))
    bent = partial(expressed, "0") if curvature is None else partial(sentence, "grad · grad_output · f″(self)")
    row = op(
        f"{name}_backward",
        "grad_output, self",
        in_single(lambda g, x, **given: _scaled(g, slope(x, **given))),
        node=node if twice else "NotImplemented",
        category="activations",
        symbol=f"{symbol}′",
        latex=r"g \cdot f'(x)",
        brief=f"The gradient through {name}.",
        grad_output=expressed(formula, along, f"grad, self{more}") if twice else none,
        self=bent(curved, f"grad, grad_output, self{more}") if twice else none,
    )
    return row


def activation(
    name: str,
    params: str,
    forward: Any,
    slope: Any,
    curvature: Curvature,
    *,
    latex: str,
    brief: str,
    formula: str,
    symbol: str = "",
    twice: bool = True,
    explicit: Callable[[Any, Any], Any] | None = None,
    backward_node: str | None = None,
) -> OpRow:
    """The rows of the function and of its derivative. For some PyTorch has no second derivative (`twice`), and for
    others it computes the first one by several operations if it may be differentiated again (`explicit`): then `slope`
    returns the factors by which the gradient is multiplied in turn."""
    names = [each.strip() for each in params.split(",") if each.strip()]
    through = in_single(lambda g, x: math.prod(slope(x), start=g).astype(g.dtype))
    if explicit is None:
        backward = _derivative_row(name, params, slope, curvature, formula, symbol or name, twice, backward_node)

    def gradient(grad: Tensor, x: Tensor, *values: object) -> Tensor:
        if explicit is not None:
            return explicit(grad, x) if state.grad else wrap(np.asarray(through(grad._data, x._data)))
        return call(backward, grad, x, **dict(zip(names, values, strict=True)))

    more = "".join(f", {each}" for each in names)
    return op(
        name,
        "self",
        in_single(lambda x, **given: forward(x, **given).astype(x.dtype)),
        category="activations",
        symbol=symbol or name,
        latex=latex,
        brief=brief,
        self=expressed(formula, gradient, f"grad, self{more}"),
    )


def of_result(
    name: str, params: str, row: OpRow, slope: object, curvature: Curvature, formula: str, node: str | None = None
) -> OpRow:
    """The row of the in-place form, whose gradient is computed from the result because the input is overwritten."""
    names = [each.strip() for each in params.split(",") if each.strip()]
    node = node or f"{row.node_name.removesuffix('0')}Backward0"
    backward = _derivative_row(
        f"{name}_result", params, slope, curvature, formula.replace("result", "self"), row.symbol, node=node
    )

    def gradient(grad: Tensor, result: Tensor, *values: object) -> Tensor:
        return call(backward, grad, result, **dict(zip(names, values, strict=True)))

    more = "".join(f", {each}" for each in names)
    return op(
        name,
        "self",
        row.forward,
        key=f"{name}_",
        number=1,
        category="activations",
        symbol=row.symbol,
        latex=row.latex,
        brief=row.brief,
        self=expressed(formula, gradient, f"grad, result{more}"),
    )


def run(row: OpRow, over: OpRow, input: Tensor, inplace: bool, kernel: str, **params: object) -> Tensor:
    """Check, then compute into a new tensor or write into the input."""
    need_tensor(input, row.name)
    if kernel:
        need_floats(input, kernel)
    if inplace:
        return write(input, over, (input,), (input._data,), params)
    return call(row, input, **params)


def in_place_name(fn: Callable[..., Tensor]) -> None:
    """Register `F.elu_(x)` for `F.elu(x, inplace=True)`."""
    api(f"{fn.__name__}_", where="F")(lambda input, *args, **options: fn(input, *args, **options, inplace=True))


# --- smooth ones ---

_SQRT_HALF, _PDF = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)
_KAPPA, _CUBIC = math.sqrt(2 / math.pi), 0.044715


def _cdf(x: Array) -> Array:
    return 0.5 * (1 + functions.erf(x * _SQRT_HALF))


def _gelu(x: Array, *, approximate: str) -> Any:
    if approximate == "none":
        return x * 0.5 * (1 + functions.erf(x * _SQRT_HALF))
    return 0.5 * x * (1 + functions.tanh(_KAPPA * (x + _CUBIC * x * x * x)))


def _gelu_slope(x: Array, *, approximate: str) -> Any:
    if approximate == "none":
        return _cdf(x) + x * functions.exp(-0.5 * x * x) * _PDF
    t = functions.tanh(_KAPPA * (x + _CUBIC * x * x * x))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * _KAPPA * (1 + 3 * _CUBIC * x * x)


def _gelu_curvature(x: Tensor, approximate: str) -> Tensor:
    if approximate == "none":
        return (x * x * -0.5).exp() * _PDF * (2 - x * x)
    t = (_KAPPA * (x + _CUBIC * x * x * x)).tanh()
    steep = 1 - t * t
    inner = _KAPPA * (1 + 3 * _CUBIC * x * x)
    return steep * inner - x * t * steep * inner * inner + x * steep * (3 * _KAPPA * _CUBIC) * x


GELU = activation(
    "gelu",
    "approximate",
    _gelu,
    _gelu_slope,
    _gelu_curvature,
    latex=r"x \Phi(x)",
    brief="Each element times the probability that a normal number is below it.",
    formula="grad * (ndtr(self) + self * normal_density(self))",
)


def _silu_explicit(grad: Tensor, x: Tensor) -> Tensor:
    s = x.sigmoid()
    slope = plus(x * number_minus(1, s), 1)  # first, as PyTorch's compiler has it
    return grad * s * slope


SILU = activation(
    "silu",
    "",
    lambda x: x / (1 + functions.exp(-x)),
    lambda x: ((s := functions.sigmoid(x)), functions.one_minus_product(x, s - 1)),
    None,
    latex=r"x \sigma(x)",
    brief="Each element times its sigmoid.",
    formula="grad * sigmoid(self) * (1 + self * (1 - sigmoid(self)))",
    explicit=_silu_explicit,
)


def _softplus_of(x: Array) -> Any:
    return np.maximum(x, 0) + functions.log1p(functions.exp(-np.abs(x)))


def _mish_slope(x: Array) -> tuple[Array, ...]:
    t = functions.tanh(_softplus_of(x))
    return (t + x * functions.sigmoid(x) * (1 - t * t),)


def _mish_explicit(grad: Tensor, x: Tensor) -> Tensor:
    t, s = FUNCTIONAL["softplus"](x).tanh(), x.sigmoid()
    return grad * (t + x * s * number_minus(1, t * t))


MISH = activation(
    "mish",
    "",
    lambda x: x * functions.tanh(_softplus_of(x)),
    _mish_slope,
    None,
    latex=r"x \tanh(\ln(1 + e^x))",
    brief="Each element times tanh of its softplus.",
    formula="grad * (tanh(softplus(self)) + self * sigmoid(self) * (1 - tanh(softplus(self)) ** 2))",
    explicit=_mish_explicit,
)


def _softplus(x: Array, *, beta: float, threshold: float) -> Array:
    scaled = x * number_array(beta, x.dtype)
    return functions.chosen(scaled > threshold, x, functions.log1p(functions.exp(scaled)) / beta)


SOFTPLUS = activation(
    "softplus",
    "beta, threshold",
    _softplus,
    lambda x, *, beta, threshold: np.where(x * beta > threshold, 1, functions.sigmoid(x * beta)),
    lambda x, beta, threshold: (x * beta < threshold) * (s := (x * beta).sigmoid()) * (1 - s) * beta,
    latex=r"\frac{1}{\beta} \ln(1 + e^{\beta x})",
    brief="A smooth relu.",
    formula="grad * sigmoid(beta * self)",
)


@api("gelu", where="F")
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """x · Φ(x), or its approximation by tanh."""
    need_tensor(input, "gelu")
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return run(GELU, GELU, input, False, "GeluKernelImpl", approximate=approximate)


@api("silu", where="F")
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x · σ(x)."""
    several = isinstance(input, Tensor) and input.dtype.is_complex
    if several and state.grad and input._requires_grad:
        raise RuntimeError("silu does not support automatic differentiation for outputs with complex dtype.")
    return run(SILU, SILU, input, inplace, "" if several else "silu_cpu")


@api("mish", where="F")
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · tanh(softplus(x))."""
    return run(MISH, MISH, input, inplace, "mish_cpu")


@api("softplus", where="F")
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """ln(1 + e^(βx)) / β, and x itself where βx is above the threshold."""
    return run(SOFTPLUS, SOFTPLUS, input, False, "softplus_cpu", beta=beta, threshold=threshold)


# --- logsigmoid saves a buffer ---


def _log_sigmoid(x: Array) -> tuple[Array, ...]:
    x = np.asarray(x, order="C")
    buffer = functions.exp(-np.abs(x))
    return (np.minimum(x, 0) - functions.log1p(buffer)).astype(x.dtype), buffer


def _log_sigmoid_slope(x: Array, buffer: Array) -> Any:
    negative = x < 0
    return np.where(negative, 1, 0) - np.where(negative, 1, -1) * (buffer / (1 + buffer))


LOG_SIGMOID_BACKWARD: OpRow = op(
    "log_sigmoid_backward",
    "grad_output, self, buffer",
    in_single(lambda g, x, b: (g * _log_sigmoid_slope(x, b)).astype(g.dtype)),
    category="activations",
    symbol="logσ′",
    latex=r"g \cdot (1 - \sigma(x))",
    brief="The gradient through logsigmoid.",
    grad_output=expressed(
        "grad * (1 - sigmoid(self))", lambda grad, self, buffer: call(LOG_SIGMOID_BACKWARD, grad, self, buffer.detach())
    ),
    self=expressed(
        "-grad * grad_output * (1 - sigmoid(self)) * sigmoid(self)",
        lambda grad, grad_output, self: grad * grad_output * ((s := self.sigmoid()) - 1) * s,
    ),
)
LOG_SIGMOID = op(
    "log_sigmoid",
    "self",
    in_single(_log_sigmoid),
    outputs="result, buffer",
    hidden=1,
    category="activations",
    symbol="logσ",
    latex=r"\ln \sigma(x)",
    brief="The logarithm of the sigmoid.",
    self=expressed(
        "grad * (1 - sigmoid(self))", lambda grad, self, buffer: call(LOG_SIGMOID_BACKWARD, grad, self, buffer.detach())
    ),
)


@api("logsigmoid", where="F")
def logsigmoid(input: Tensor) -> Tensor:
    """ln σ(x)."""
    need_tensor(input, "log_sigmoid")
    need_floats(input, "log_sigmoid_cpu")
    return call_all(LOG_SIGMOID, input)[0]


FUNCTIONAL["logsigmoid"].__name__ = "log_sigmoid"

# --- composed of other operations ---


@api("softsign", where="F")
def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


@api("tanhshrink", where="F")
def tanhshrink(input: Tensor) -> Tensor:
    """x − tanh(x)."""
    return input - input.tanh()


api("sigmoid", where="F")(lambda input: input.sigmoid())
api("tanh", where="F")(lambda input: input.tanh())


# --- leaky_relu and the exponential linear units; their in-place forms have rows of their own, computed from the result
# ---


LEAKY_RELU = activation(
    "leaky_relu",
    "negative_slope",
    lambda x, *, negative_slope: functions.chosen(x > 0, x, x * negative_slope),
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


def _elu(x: Array, *, alpha: float, scale: float, input_scale: float) -> Array:
    below = functions.chosen(x >= 0, x.dtype.type(0), x)
    return functions.chosen(x >= 0, x * scale, np.expm1(below * input_scale) * (alpha * scale))


def _elu_slope(x: Array, *, alpha: float, scale: float, input_scale: float) -> Array:
    return np.where(x <= 0, np.exp(np.minimum(x, 0) * input_scale) * (input_scale * alpha * scale), scale)


def _elu_curvature(x: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    return F["where"](x < 0, (x * input_scale).exp() * (input_scale * input_scale * alpha * scale), 0.0)


def _elu_result_slope(x: Array, *, alpha: float, scale: float, input_scale: float) -> Array:
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


def _check_factor(value: object, input: Tensor) -> None:
    """Refuse a number that does not fit into the type in which the kernel computes: halves are computed as float32."""
    if input.dtype.rank == 2:
        check_value(value, dtypes.float64 if input.dtype is dtypes.float64 else dtypes.float32)


@api("leaky_relu", where="F")
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where positive, negative_slope · x elsewhere."""
    _check_factor(negative_slope, input)
    return run(LEAKY_RELU, LEAKY_RELU_, input, inplace, "leaky_relu_cpu", negative_slope=negative_slope)


@api("elu", where="F")
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, α (eˣ − 1) elsewhere."""
    _check_factor(alpha, input)
    return run(ELU, ELU_, input, inplace, "elu_cpu", alpha=alpha, scale=1, input_scale=1)


@api("selu", where="torch F")
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """ELU with the constants that keep mean 0 and variance 1."""
    return run(ELU, ELU_, input, inplace, "elu_cpu", alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1)


@api("celu", where="torch F")
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, α (e^(x/α) − 1) elsewhere."""
    if not alpha:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    check_value(alpha, dtypes.float64)
    return run(CELU, CELU_, input, inplace, "elu_cpu", alpha=alpha)


# --- piecewise linear: hardtanh, relu6, hardsigmoid, hardswish, hardshrink and softshrink, threshold ---


HARDTANH = activation(
    "hardtanh",
    "min_val, max_val",
    lambda x, *, min_val, max_val: np.clip(x, number_array(min_val, x.dtype), number_array(max_val, x.dtype)),
    lambda x, *, min_val, max_val: ~((x <= min_val) | (x >= max_val)),
    None,
    latex=r"\min(\max(x, a), b)",
    brief="Limits each element to a range.",
    formula="where(min_val < self < max_val, grad, 0)",
    symbol="hard",
)
HARDSIGMOID = activation(
    "hardsigmoid",
    "",
    lambda x: np.clip(x + 3, 0, 6) / 6,
    lambda x: ((x > -3) & (x < 3)) * np.float32(1 / 6),
    None,
    latex=r"\min(\max(x + 3, 0), 6) / 6",
    brief="The sigmoid in straight lines.",
    formula="where(-3 < self < 3, grad / 6, 0)",
    symbol="hardσ",
    twice=False,
)
HARDSWISH = activation(
    "hardswish",
    "",
    lambda x: x * np.clip(x + 3, 0, 6) / 6,
    lambda x: np.where(x <= -3, 0, np.where(x < 3, x / 3 + 0.5, 1)),
    lambda x: ((x > -3) & (x < 3)).to(x.dtype) / 3,
    latex=r"x \min(\max(x + 3, 0), 6) / 6",
    brief="Each element times its hard sigmoid.",
    formula="where(self <= -3, 0, where(self < 3, grad * (self / 3 + 0.5), grad))",
)


def _outside(x: Array, *, lambd: float) -> Array:
    return (x < -lambd) | (x > lambd) | np.isnan(x)


def _softshrink(x: Array, *, lambd: float) -> Array:
    zeros = x * 0
    flat = in_memory_order(zeros, zeros).reshape(-1)
    in_vectors = flat.size - flat.size % (64 // x.itemsize)
    flat[:in_vectors] += zeros.dtype.type(0)  # PyTorch's vector instructions leave no −0
    return np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, zeros))


SOFTSHRINK = activation(
    "softshrink",
    "lambd",
    _softshrink,
    _outside,
    None,
    latex=r"\operatorname{sign}(x) \max(|x| - \lambda, 0)",
    brief="Moves each element towards 0.",
    formula="where(abs(self) > lambd, grad, 0)",
)
HARDSHRINK = activation(
    "hardshrink",
    "lambd",
    lambda x, *, lambd: functions.chosen((x >= -lambd) & (x <= lambd), x.dtype.type(0), x),
    _outside,
    None,
    latex=r"x \cdot [|x| > \lambda]",
    brief="Small elements become 0.",
    formula="where(abs(self) > lambd, grad, 0)",
)


@api("hardtanh", where="F")
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element limited to [min_val, max_val]."""
    check_kind("hardtanh", input.dtype)
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.dtype is dtypes.uint8 and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    if input.dtype.rank == 2:
        check_value(min_val, input.dtype)
        check_value(max_val, input.dtype)
    return run(HARDTANH, HARDTANH, input, inplace, "", min_val=min_val, max_val=max_val)


@api("relu6", where="F")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0, 6, inplace)


@api("hardsigmoid", where="F")
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6."""
    return run(HARDSIGMOID, HARDSIGMOID, input, inplace, "hardsigmoid_cpu")


@api("hardswish", where="F")
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · min(max(x + 3, 0), 6) / 6."""
    return run(HARDSWISH, HARDSWISH, input, inplace, "hardswish_cpu")


@api("softshrink", where="F")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each element moved towards 0 by lambd."""
    need_tensor(input, "softshrink")
    need_floats(input, "softshrink_check")
    most = float(ml_dtypes.finfo(input.dtype.np).max)  # type: ignore[no-untyped-call]
    if not 0 <= lambd <= most:
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {input.dtype.title}, but found {lambd:g}"
        )
    return run(SOFTSHRINK, SOFTSHRINK, input, False, "", lambd=lambd)


@api("hardshrink", where="torch method F")
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, 0 elsewhere."""
    if isinstance(input, Tensor) and input.dtype.rank == 2:
        check_value(lambd, input.dtype)
    return run(HARDSHRINK, HARDSHRINK, input, False, "hardshrink_cpu", lambd=lambd)


def _threshold(x: Array, *, threshold: float, value: float) -> Array:
    return functions.chosen(x <= number_array(threshold, x.dtype), number_array(value, x.dtype), x)


def _threshold_row(key: str, number: int) -> OpRow:
    return op(
        "threshold",
        "self",
        _threshold,
        key=key,
        number=number,
        category="activations",
        symbol="thr",
        latex=r"x > t\ ?\ x : v",
        brief="Elements at or below a threshold become one value.",
        self=expressed(
            "where(self > threshold, grad, 0)",
            lambda grad, self, threshold: call(THRESHOLD_BACKWARD, grad, self, threshold=threshold),
        ),
    )


THRESHOLD, THRESHOLD_ = _threshold_row("threshold", 0), _threshold_row("threshold_", 1)


@api("threshold", where="torch F")
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where above the threshold, `value` elsewhere."""
    if not isinstance(input, Tensor):
        raise TypeError(f"threshold(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if refused := refusal("torch.threshold", (input, threshold, value), {}):
        raise refused
    if input.dtype.rank in (0, 3):
        raise NotImplementedError(f"\"threshold_cpu\" not implemented for '{input.dtype.title}'")
    threshold, value = (each.item() if isinstance(each, Tensor) else each for each in (threshold, value))
    if input.dtype.rank == 1:
        check_value(threshold, input.dtype)
    _check_factor(threshold, input)
    check_value(value, input.dtype)
    given = threshold
    threshold, value = (each.real if isinstance(each, complex) else each for each in (threshold, value))
    made: Tensor = run(THRESHOLD, THRESHOLD_, input, inplace, "", threshold=threshold, value=value)
    return as_given(made, threshold=given) if isinstance(given, complex) else made


@api("elu_", where="F")
def elu_(input: Tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Tensor:
    """The same in place, with factors of the result and of the exponent."""
    numbers = [each.item() if isinstance(each, Tensor) else each for each in (alpha, scale, input_scale)]
    for each in numbers:
        _check_factor(each, input)
    factors = dict(zip(("alpha", "scale", "input_scale"), numbers, strict=True))
    return run(ELU, ELU_, input, True, "elu_cpu", **factors)


for _fn in (leaky_relu, selu, celu, hardtanh, threshold):
    in_place_name(_fn)
for _name in ("selu", "celu", "threshold"):
    api(f"{_name}_", where="torch")(FUNCTIONAL[f"{_name}_"])
api("relu_", where="F")(FUNCTIONS["relu_"])
