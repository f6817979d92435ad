"""Elementary functions of one tensor, including activations: exp, log, sin, tanh, sigmoid, relu, abs, sign, rounding …;
and operations on the representation of numbers: integer division, mantissa and exponent, the next representable
number."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradviz.engine.kernel import conjugates, dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import expressed, helper, sentence
from gradviz.engine.kernel.messages import check_kind, only
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics import functions
from gradviz.engine.numerics.rounding import widened
from gradviz.engine.ops.elementwise import Prepared, cast, check_broadcast, prepare_pair, register, result_type, unary
from gradviz.engine.run.api import FUNCTIONS, RESIZED, api, method
from gradviz.engine.run.apply import NO_PARAMS, call, call_all, make_views
from gradviz.engine.run.arguments import Named, check_operands, return_type
from gradviz.engine.run.inplace import write

F = FUNCTIONS


def _math(name: str, forward: Any, latex: str, gradient: str, *names: str, **more: Any) -> OpRow:
    """A row of the category "functions" with one operand, registered under its names."""
    symbol = more.pop("symbol", name)
    row = op(
        name,
        "self",
        forward,
        category="functions",
        symbol=symbol,
        latex=latex,
        self=gradient,
        **more,
    )
    unary(row, *(names or (name,)))
    return row


_math(
    "exp",
    functions.exp,
    r"e^x",
    "grad * conj(result)",
    brief="e to the power of each element.",
)
_math(
    "exp2",
    functions.exp2,
    r"2^x",
    "scaled(grad * conj(result), log(2))",
    brief="Two to the power of each element.",
)
_math(
    "expm1",
    functions.expm1,
    r"e^x - 1",
    "grad * (conj(result) + 1)",
    brief="e to the power of each element, less 1; exact near 0.",
)
_math("log", functions.log, r"\ln x", "grad / conj(self)", brief="The natural logarithm.")
_math(
    "log2",
    functions.log2,
    r"\log_2 x",
    "grad / (conj(self) * log(2))",
    brief="The logarithm to base 2.",
)
_math(
    "log10",
    functions.log10,
    r"\log_{10} x",
    "grad / (conj(self) * log(10))",
    brief="The logarithm to base 10.",
)
_math(
    "log1p",
    functions.log1p,
    r"\ln(1 + x)",
    "grad / conj(self + 1)",
    node="Log1PBackward0",
    brief="The natural logarithm of 1 + x; exact near 0.",
)
_math(
    "sqrt",
    np.sqrt,
    r"\sqrt{x}",
    "grad / (2 * conj(result))",
    symbol="√",
    brief="The square root.",
)
_math(
    "rsqrt",
    lambda x: (1 / np.sqrt(x if x.dtype.itemsize > 2 else x.astype(np.float32))).astype(x.dtype),
    r"1 / \sqrt{x}",
    "-0.5 * grad * conj(result ** 3)",
    brief="One over the square root.",
)
_math("sin", functions.sin, r"\sin x", "grad * conj(cos(self))", brief="The sine.")
_math(
    "cos",
    functions.cos,
    r"\cos x",
    "grad * -conj(sin(self))",
    brief="The cosine.",
)
_math(
    "tan",
    functions.tan,
    r"\tan x",
    "grad * conj(1 + result ** 2)",
    brief="The tangent.",
)
_math(
    "asin",
    functions.arcsin,
    r"\arcsin x",
    "grad * conj(rsqrt(-self * self + 1))",
    "asin",
    "arcsin",
    brief="The angle of a sine.",
)
_math(
    "acos",
    functions.arccos,
    r"\arccos x",
    "grad * -conj(rsqrt(-self * self + 1))",
    "acos",
    "arccos",
    brief="The angle of a cosine.",
)
_math(
    "atan",
    functions.arctan,
    r"\arctan x",
    "grad / conj(self * self + 1)",
    "atan",
    "arctan",
    brief="The angle of a tangent.",
)
_math(
    "sinh",
    functions.sinh,
    r"\sinh x",
    "grad * conj(cosh(self))",
    brief="The hyperbolic sine.",
)
_math(
    "cosh",
    functions.cosh,
    r"\cosh x",
    "grad * conj(sinh(self))",
    brief="The hyperbolic cosine.",
)
_math(
    "tanh",
    functions.tanh,
    r"\tanh x",
    "tanh_backward(grad, result)",
    brief="The hyperbolic tangent, between −1 and 1.",
)
_math(
    "asinh",
    functions.arcsinh,
    r"\operatorname{arsinh} x",
    "grad * conj(rsqrt(self ** 2 + 1))",
    "asinh",
    "arcsinh",
    inplace_node="AsinhBackward1",
    inplace_refused=True,
    brief="The inverse of sinh.",
)
_math(
    "acosh",
    functions.arccosh,
    r"\operatorname{arcosh} x",
    "grad * conj(rsqrt(self - 1) * rsqrt(self + 1))",
    "acosh",
    "arccosh",
    inplace_node="AcoshBackward1",
    inplace_refused=True,
    brief="The inverse of cosh.",
)
_math(
    "atanh",
    functions.arctanh,
    r"\operatorname{artanh} x",
    "grad / conj(1 - self ** 2)",
    "atanh",
    "arctanh",
    inplace_node="AtanhBackward1",
    inplace_refused=True,
    brief="The inverse of tanh.",
)
_math(
    "sigmoid",
    functions.sigmoid,
    r"\sigma(x) = \frac{1}{1 + e^{-x}}",
    "sigmoid_backward(grad, result)",
    symbol="σ",
    brief="Maps each element to between 0 and 1.",
)
_math(
    "erf",
    functions.erf,
    r"\operatorname{erf} x",
    "2 / sqrt(pi) * exp(-(self ** 2)) * grad",
    brief="The error function.",
)
_math(
    "erfc",
    functions.erfc,
    r"\operatorname{erfc} x",
    "-2 / sqrt(pi) * exp(-(self ** 2)) * grad",
    brief="1 minus the error function.",
)

RELU = op(
    "relu",
    "self",
    lambda x: np.maximum(x, x.dtype.type(0)),
    category="activations",
    symbol="relu",
    latex=r"\max(x, 0)",
    brief="Negative elements become 0.",
    self="threshold_backward(grad, result, 0)",
)
unary(RELU, "relu", floating=False)


@api("relu", where="F")
def functional_relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Negative elements become 0, on request in place."""
    return F["relu_"](input) if inplace else F["relu"](input)


THRESHOLD_BACKWARD = op(
    "threshold_backward",
    "grad_output, self",
    lambda g, x, *, threshold: functions.chosen(x <= threshold, g.dtype.type(0), g),
    category="activations",
    symbol="relu′",
    latex=r"g \cdot [x > t]",
    brief="The gradient where the input was above a threshold.",
    grad_output="threshold_backward(grad, self, threshold)",
    self="zero(grad)",
)


@helper("where(x > threshold, grad, 0)")
def threshold_backward(grad: Tensor, x: Tensor, threshold: float) -> Tensor:
    """The gradient where `x` is above the threshold, 0 elsewhere."""
    return call(THRESHOLD_BACKWARD, grad, x, threshold=threshold)


def _absolute(x: Array) -> Array:
    return np.abs(x)


ABS = op(
    "abs",
    "self",
    _absolute,
    category="functions",
    symbol="|x|",
    latex=r"|x|",
    brief="The absolute value.",
    self="grad * sgn(self)",
)
unary(ABS, "abs", "absolute", floating=False)
method("__abs__")(F["abs"])


def _step(name: str, forward: Any, latex: str, *names: str, brief: str, floating: bool = False) -> None:
    """A row for a step function: its gradient is zero, not absent."""
    row = op(
        name,
        "self",
        forward,
        category="functions",
        symbol=name,
        latex=latex,
        brief=brief,
        self="zero(grad)",
    )
    unary(row, *(names or (name,)), floating=floating)


def _sign(x: Array) -> Array:
    found = np.asarray(np.sign(x))
    if x.dtype.kind == "f":
        found[x != x] = 0  # the sign of NaN is 0
    return found


def _sgn(x: Array) -> Array:
    if x.dtype.kind == "b":
        return x.copy()
    if x.dtype.kind != "c":
        return _sign(x)
    size = np.abs(x)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size)).astype(x.dtype)


_step("sign", lambda x: x.copy() if x.dtype.kind == "b" else _sign(x), r"\operatorname{sign} x", brief="−1, 0 or 1.")
SGN = op(
    "sgn",
    "self",
    _sgn,
    category="functions",
    symbol="sgn",
    latex=r"x / |x|",
    brief="The sign, and the direction of a complex number.",
    self=expressed("0", lambda grad, self, result: _sgn_grad(grad, self, result)),
)
unary(SGN, floating=False)


def _sgn_grad(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    if not self.dtype.is_complex:
        return grad.new_zeros(grad.shape)
    size = self.abs()
    found = (grad / size - F["real"](grad / self) * result) * 0.5 * 2
    found = 0.5 * (grad / size - (grad.conj() / size) * result * result) if size.numel() else found
    return F["where"](size == 0, 0.0, found)


_step(
    "floor",
    lambda x: x.copy() if x.dtype.kind in "iu" else np.floor(x),
    r"\lfloor x \rfloor",
    brief="The next integer below.",
)
_step(
    "ceil",
    lambda x: x.copy() if x.dtype.kind in "iu" else np.ceil(x),
    r"\lceil x \rceil",
    brief="The next integer above.",
)
_step(
    "trunc",
    lambda x: x.copy() if x.dtype.kind in "iu" else np.trunc(x),
    r"\operatorname{trunc} x",
    "trunc",
    "fix",
    brief="The integer part.",
)
FRAC = op(
    "frac",
    "self",
    lambda x: x - np.trunc(x),
    category="functions",
    symbol="frac",
    latex=r"x - \operatorname{trunc} x",
    brief="The part after the point.",
    self="grad",
)


def _prepare_frac(input: Tensor) -> Prepared:
    if input.dtype.rank != 2:
        raise NotImplementedError(f"\"frac_cpu\" not implemented for '{input.dtype.title}'")
    return FRAC, (input,), (input._data,), NO_PARAMS


register(_prepare_frac, ("frac",))


def _rounded(x: Array, *, decimals: int = 0) -> Any:
    if x.dtype.kind in "iu":
        return x.copy()
    return np.round(widened(x), decimals).astype(x.dtype)


def _round_row(key: str, number: int) -> OpRow:
    """`round` to integers, and to decimals, which is a separate node."""
    return op(
        "round",
        "self",
        _rounded,
        key=key,
        number=number,
        category="functions",
        symbol="round",
        latex=r"\operatorname{round} x",
        brief="To the nearest integer, halves to the even one.",
        self="zero(grad)",
    )


ROUND, ROUND_DECIMALS = _round_row("round", 0), _round_row("round_decimals", 1)


def _prepare_round(input: Tensor, *, decimals: int | None = None) -> Prepared:
    """To the nearest integer (or decimal), halves to the even one."""
    check_kind("round_decimals" if decimals else "round", input.dtype)
    if decimals is None:
        return ROUND, (input,), (input._data,), NO_PARAMS
    if input.dtype.rank < 2:
        kernel = "round_cpu" if decimals else "round_vml_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")
    return ROUND_DECIMALS, (input,), (input._data,), {"decimals": decimals}


register(_prepare_round, ("round",))


@api("square")
def square(input: Tensor) -> Tensor:
    """The square of each element."""
    return F["pow"](input, 2)


# --- complex numbers ---

CONJ = op(
    "_conj",
    "self",
    conjugates.conjugate,
    node="ConjBackward0",
    category="complex",
    follower=True,
    symbol="x̄",
    latex=r"\bar{x}",
    brief="The conjugate.",
    self=sentence("the conjugate of grad", lambda grad: grad.conj()),
)
CONJ_PHYSICAL = op(
    "conj_physical",
    "self",
    np.conj,
    category="complex",
    layout="operands",
    symbol="x̄",
    latex=r"\bar{x}",
    brief="The conjugate, in new memory.",
    inplace_node="ConjPhysicalBackward1",
    self=sentence("the conjugate of grad", lambda grad: grad.conj_physical()),
)
ANGLE = op(
    "angle",
    "self",
    lambda x: np.angle(x).astype(x.real.dtype),
    category="complex",
    layout="operands",
    symbol="arg",
    latex=r"\arg x",
    brief="The angle of a complex number.",
    self=sentence("grad · j · self / |self|², 0 for real numbers", lambda grad, self: _angle_grad(grad, self)),
)
unary(ANGLE, inplace=False)


def _angle_grad(grad: Tensor, self: Tensor) -> Tensor:
    if not self.dtype.is_complex:
        return grad.new_zeros(grad.shape)
    z = F["where"](self == 0, 0.0, self / self.abs() ** 2)
    return grad * (z * 1j)


@api("conj")
def conjugate(input: Tensor) -> Tensor:
    """The conjugate; a real tensor is returned as it is."""
    if input._data.dtype.kind != "c":
        return input
    made = call(CONJ, input)
    if type(input._data) is type(made._data) is np.ndarray and input._data.base is not made._data:
        conjugates.pair(input._data, made._data)
        make_views(input, (made,), several=False)
    made._lazy = "" if input._lazy == "conj" else "conj"
    return made


@api("conj_physical")
def conj_physical(input: Tensor) -> Tensor:
    """As `conj`, for those who want the numbers at once."""
    made = call(CONJ_PHYSICAL, input) if input._data.dtype.kind == "c" else input
    return made


@method("conj_physical_")
def conj_physical_(self: Tensor) -> Tensor:
    """The same in place."""
    return self if self._data.dtype.kind == "b" else write(self, CONJ_PHYSICAL, (self,), (self._data,), NO_PARAMS)


api("is_complex")(lambda input: input.dtype.is_complex)
api("is_floating_point")(lambda input: input.dtype.is_floating_point)
api("is_signed")(lambda input: input.dtype.is_signed)


# --- the representation of numbers ---


def _whole(name: str, ufunc: np.ufunc, latex: str, brief: str) -> None:
    forward = only("iu", f"{name}_cpu", ufunc)
    row = op(name, "self, other", forward, category="arithmetic", symbol=name, latex=latex, brief=brief)
    register(lambda input, other: prepare_pair(row, input, other, NO_PARAMS, False), (name,))


_whole("gcd", np.gcd, r"\gcd(x, y)", "The greatest common divisor.")
_whole("lcm", np.lcm, r"\operatorname{lcm}(x, y)", "The least common multiple.")


def _narrowed(forward: np.ufunc) -> Any:
    """Small types computed in single precision, if NumPy has no function for them."""

    def computed(x: Array) -> tuple[Array, ...]:
        wide = x.astype(np.float32) if x.dtype.kind == "V" else x
        mantissa, exponent = forward(wide)
        return mantissa.astype(x.dtype), exponent.astype(np.int32)

    return computed


FREXP = op(
    "frexp",
    "self",
    _narrowed(np.frexp),
    outputs="mantissa, exponent",
    category="functions",
    symbol="frexp",
    latex=r"x = m 2^e",
    brief="Mantissa and exponent of each element.",
    self="grad / exp2(exponent)",
)


@api("frexp")
def frexp(input: Tensor) -> Named:
    """Mantissa and exponent of each element."""
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_type("frexp")(*call_all(FREXP, input))


def _times_power(x: Array, y: Array) -> Any:
    return (x * np.power(y.dtype.type(2), y).astype(x.dtype)).astype(x.dtype)


LDEXP = op(
    "ldexp",
    "self, other",
    _times_power,
    category="arithmetic",
    symbol="·2ⁿ",
    latex=r"x \cdot 2^y",
    brief="Times a power of two.",
    self="grad * conj(pow(2.0, other))",
    other="scaled(grad * conj(result), log(2))",
)


def _prepare_ldexp(input: Tensor, other: Tensor) -> Prepared:
    check_operands("ldexp", input, other)
    if input.dtype.rank == 2 and other.dtype is dtypes.bool_:
        raise NotImplementedError("\"ldexp_cpu_exp\" not implemented for 'Bool'")
    target = result_type(input, other)
    target = target if target.rank >= 2 else dtypes.get_default_dtype()
    check_broadcast(input._data, other._data)
    shape, wide = input._data.shape, np.broadcast_shapes(input._data.shape, other._data.shape)
    if shape != wide and input._data.size and input.dtype is target and other.dtype.rank == 1:
        # PyTorch writes the power into a tensor of the first one's shape
        warnings.warn(RESIZED.format(list(shape), list(wide)), UserWarning, stacklevel=4)
    power = target if other.dtype.rank < 2 else other.dtype  # that of the other alone
    return LDEXP, (input, other), (cast(input, target), cast(other, power)), NO_PARAMS


def _check_own_power(input: Tensor, other: Tensor) -> None:
    if input.dtype.rank < 2 and isinstance(other, Tensor):
        raise RuntimeError(f"ldexp can't be cast to the desired output type {input.dtype.title}")


register(_prepare_ldexp, ("ldexp",), own=_check_own_power)


NEXTAFTER: OpRow = op(
    "nextafter",
    "self, other",
    only("fV", "nextafter_cpu", np.nextafter),
    category="functions",
    symbol="next",
    brief="The next number towards another.",
    self=sentence("PyTorch has none", lambda grad, self, other: F["where"](self == other, 0, grad)),
    other=sentence("PyTorch has none", lambda grad, self, other: F["zeros_like"](other) if self is not None else grad),
)
register(lambda input, other: prepare_pair(NEXTAFTER, input, other, NO_PARAMS, False), ("nextafter",))
