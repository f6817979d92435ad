"""Arithmetic: + - * / ** and related operations. Each row is an operation; `elementwise.py` makes its functions and
methods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import expressed, helper
from gradviz.engine.kernel.memory import laid
from gradviz.engine.kernel.messages import IMAGINARY_PART, check_kind, check_subtraction, check_value, exact_number
from gradviz.engine.kernel.rows import OpRow, no_derivative, op
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import functions, rounding
from gradviz.engine.ops.derivatives import minus, scaled
from gradviz.engine.ops.elementwise import (
    NUMBERS,
    Prepared,
    binary,
    cast,
    check_broadcast,
    dunders,
    number_array,
    operand,
    prepare_pair,
    reflected,
    register,
    result_type,
    unary,
)
from gradviz.engine.run.api import FUNCTIONS, UNSAID, alias, api, method
from gradviz.engine.run.apply import NO_PARAMS, apply, call
from gradviz.engine.run.arguments import check_operands, refuse
from gradviz.engine.run.inplace import write
from gradviz.engine.run.overrides import foreign


@helper("x")
def conj(x: Tensor) -> Tensor:
    """The conjugate of a complex tensor; a real tensor is returned unchanged."""
    return x.conj() if x._data.dtype.kind == "c" else x


@helper("0")
def zero(grad: Tensor) -> Tensor:
    """No gradient flows on: zeros of the same shape."""
    return grad.new_zeros(grad.shape)


@helper("grad * alpha")
def times_alpha(grad: Tensor, alpha: complex) -> Tensor:
    """`conj(alpha) * grad`, and `grad` itself for alpha 1, without making a node."""
    return grad if alpha == 1 else scaled(grad, alpha.conjugate())


def _add(x: Array, y: Array, *, alpha: object = 1) -> Array:
    if alpha == 1 and not _infinite(y):
        return x + y
    factor = number_array(alpha, y.dtype)
    return rounding.fma(y, factor, x) if _fused(x, y) else x + y * factor


def _sub(x: Array, y: Array, *, alpha: complex = 1) -> Array:
    return x - y if alpha == 1 and not _infinite(y) else _add(x, y, alpha=-alpha)


def _infinite(y: Array) -> bool:
    """Whether PyTorch's product with the factor 1 shows: of infinity and 1 + 0j it is infinity and NaN."""
    return y.dtype.kind == "c" and not np.isfinite(y).all()


def _fused(*arrays: Array) -> bool:
    """Whether a sum and a product are rounded together: for real numbers outside vmap."""
    return all(type(x) is np.ndarray and x.dtype.kind in "fV" for x in arrays)


def _product(x: Array, y: Array) -> Array:
    found = np.multiply(x, y)
    return found if found.dtype == x.dtype else found.astype(x.dtype)


def _quotient(x: Array, y: Array) -> Array:
    found = np.true_divide(x, y)
    return found if found.dtype == x.dtype else found.astype(x.dtype)


ADD = op(
    "add",
    "self, other",
    _add,
    category="arithmetic",
    symbol="+",
    latex=r"x + y",
    brief="Adds two tensors.",
    self="grad",
    other="times_alpha(grad, alpha)",
)
ADD.ufunc = np.add
SUB = op(
    "sub",
    "self, other",
    _sub,
    category="arithmetic",
    symbol="−",
    latex=r"x - y",
    brief="Subtracts the second from the first.",
    self="grad",
    other="times_alpha(-grad, alpha)",
)
SUB.ufunc = np.subtract


@helper("number - x")
def number_minus(number: complex, x: Tensor) -> Tensor:
    """number − x as a difference of two tensors, as PyTorch's own functions compute it."""
    if not isinstance(x, Tensor):  # both are parameters of the operation
        return number - x
    return call(SUB, wrap(number_array(number, x._data.dtype)), x, alpha=1)


def _rsub_row(key: str, number: int) -> OpRow:
    """`torch.rsub` has one node for a tensor and one for a number."""
    return op(
        "rsub",
        "self, other",
        lambda x, y, *, alpha=1: _sub(y, x, alpha=alpha),
        key=key,
        number=number,
        category="arithmetic",
        symbol="−",
        latex=r"y - x",
        brief="Subtracts the first from the second.",
        plain_numbers=True,
        self="times_alpha(-grad, alpha)",
        other="grad",
    )


RSUB, RSUB_TENSOR = _rsub_row("rsub", 1), _rsub_row("rsub_tensor", 0)
MUL = op(
    "mul",
    "self, other",
    _product,
    category="arithmetic",
    symbol="×",
    latex=r"x \cdot y",
    brief="Multiplies element by element.",
    self="grad * conj(other)",
    other="grad * conj(self)",
)
MUL.ufunc = np.multiply
DIV = op(
    "div",
    "self, other",
    _quotient,
    category="arithmetic",
    symbol="÷",
    latex=r"x / y",
    brief="Divides element by element.",
    self="grad / conj(other)",
    other="-grad * conj(self / other / other)",
)
DIV.ufunc = np.true_divide
NEG = op(
    "neg",
    "self",
    np.negative,
    category="arithmetic",
    symbol="−",
    latex=r"-x",
    brief="Changes the sign.",
    self="-grad",
)
RECIPROCAL = op(
    "reciprocal",
    "self",
    lambda x: (1 / x).astype(x.dtype),
    category="arithmetic",
    symbol="1/x",
    latex=r"1 / x",
    brief="One divided by each element.",
    self="-grad * conj(result * result)",
)
FLOOR_DIV = op(
    "floor_divide",
    "self, other",
    np.floor_divide,
    category="arithmetic",
    symbol="//",
    latex=r"\lfloor x / y \rfloor",
    brief="Divides and rounds down.",
    node="NotImplemented",
    plain_numbers=True,
    joint=no_derivative("aten::floor_divide"),
    inplace_refused=True,
)


def _mod(x: Array, y: Array) -> Array:
    """The remainder with the divisor's sign; zero keeps the dividend's."""
    left = np.asarray(np.mod(x, y))
    if left.dtype.kind in "fV":
        np.copysign(left, x, out=left, where=left == 0)
    return left


def _left_over(name: str, ufunc: Any, mode: str, brief: str, latex: str) -> tuple[OpRow, OpRow]:
    """Rows for the remainder of a division: one for two tensors, and one for a number as divisor, which is not
    saved."""
    shown: dict[str, Any] = {"category": "arithmetic", "latex": latex, "brief": brief}
    shown["symbol"] = "%" if name == "remainder" else name
    two = op(
        name, "self, other", ufunc, number=1, **shown,
        self="grad",
        other=expressed(
            f"-grad * {mode}(self / other)",
            lambda grad, self, other: -grad * FUNCTIONS["div"](self, other, rounding_mode=mode),
        ),
    )  # fmt: skip
    one = op(
        name, "self, other", ufunc, key=f"{name}_number", plain_numbers=True, **shown,
        self="grad",
    )  # fmt: skip
    return two, one


REMAINDER, REMAINDER_NUMBER = _left_over(
    "remainder", _mod, "floor", "What is left after division, with the divisor's sign.", r"x \bmod y"
)
FMOD, FMOD_NUMBER = _left_over(
    "fmod",
    np.fmod,
    "trunc",
    "What is left after division, with the dividend's sign.",
    r"x - y \operatorname{trunc}(x / y)",
)
REMAINDER_OF = op(
    "remainder",
    "self, other",
    _mod,
    key="remainder_of",
    node="NotImplemented",
    plain_numbers=True,
    category="arithmetic",
    symbol="%",
    brief="What a number leaves over; PyTorch has no gradient of it.",
    joint=no_derivative("aten::remainder"),
)


def _rounded(x: Array, y: Array, *, rounding_mode: str | None) -> Array:
    if rounding_mode is None:
        return _quotient(x, y)
    if rounding_mode == "floor":
        return np.floor_divide(x, y)
    if x.dtype.kind in "iu":
        down = np.floor_divide(x, y)
        found: Array = down + ((down < 0) & (down * y != x)).astype(x.dtype)
        return found
    quotient = np.trunc(np.true_divide(x, y))
    return quotient.astype(x.dtype)


def _rounded_grad(grad: Tensor, other: Tensor, mode: str | None, divided: Tensor | None = None) -> Tensor:
    """The gradient of the divided operand, or, if that is given, of the other one."""
    if mode is not None:
        found: Tensor = grad.new_zeros((grad if divided is None else other).shape)
    else:
        found = grad / conj(other) if divided is None else -grad * conj(divided / other / other)
    return found


DIV_MODE = op(
    "div",
    "self, other",
    _rounded,
    key="div_mode",
    number=2,
    category="arithmetic",
    symbol="÷",
    latex=r"\operatorname{round}(x / y)",
    brief="Divides and rounds.",
    self=expressed("0", lambda grad, other, rounding_mode: _rounded_grad(grad, other, rounding_mode)),
    other=expressed("0", lambda grad, self, other, rounding_mode: _rounded_grad(grad, other, rounding_mode, self)),
)


binary(ADD, alpha=True, operators="add")
binary(SUB, alpha=True, operators="sub")
binary(MUL, operators="mul")
alias("mul", "multiply")
api("subtract")(lambda input, other, alpha=1: FUNCTIONS["sub"](input, other, alpha=alpha))
unary(NEG, "neg", "negative", floating=False)
unary(RECIPROCAL)


def _divided_by_zero(forward: Kernel) -> Any:
    """Refuse to divide integers by zero; floating point numbers may be."""

    def checked(x: Array, y: Array, **mode: object) -> Any:
        if y.dtype.kind in "iu" and x.size and not np.all(y):
            raise RuntimeError("ZeroDivisionError")
        found = forward(x, y, **mode)
        return found.astype(x.dtype) if x.dtype.itemsize == 2 else found

    return checked


for _row in (REMAINDER, REMAINDER_NUMBER, REMAINDER_OF, FMOD, FMOD_NUMBER, FLOOR_DIV, DIV_MODE):
    _row.forward = _divided_by_zero(_row.forward)


def _prepare_remainder(input: Tensor, other: object) -> Prepared:
    of_number = not isinstance(input, Tensor) or input._wrapped is not None
    row = REMAINDER_NUMBER if isinstance(other, NUMBERS) else REMAINDER_OF if of_number else REMAINDER
    return prepare_pair(row, input, other, NO_PARAMS, False)


dunders("mod", register(_prepare_remainder, ("remainder",)), _prepare_remainder)
binary(FMOD, number=FMOD_NUMBER)
binary(FLOOR_DIV, operators="floordiv", fast=False)
binary(DIV, "true_divide", division=True, operators="truediv")
method("__neg__")(FUNCTIONS["neg"])


@api("rsub", where="torch")
def rsub(input: Tensor, other: object, alpha: object = 1) -> Tensor:
    """other − alpha · input."""
    if not isinstance(input, Tensor) or not isinstance(other, (Tensor, *NUMBERS)):
        known = ("(Tensor input, Tensor other, *, Number alpha = 1)", "(Tensor input, Number other, Number alpha = 1)")
        refuse("rsub", (input, other), [((), each, 3) for each in known])
    row = RSUB_TENSOR if isinstance(other, Tensor) else RSUB
    if isinstance(other, Tensor):
        check_subtraction((other.dtype, True), (input.dtype, True))
        check_broadcast(other._data, input._data)
    found: Tensor = apply(*prepare_pair(row, input, other, {"alpha": alpha}, False))
    return found


method("__rsub__")(reflected("sub", lambda self, other: rsub(self, other)))


def _prepare_div(input: Tensor, other: object, *, rounding_mode: str | None = UNSAID) -> Prepared:
    if rounding_mode is UNSAID:
        return prepare_pair(DIV, input, other, NO_PARAMS, True)
    if rounding_mode is None:
        return prepare_pair(DIV_MODE, input, other, {"rounding_mode": None}, True)
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    kind = result_type(operand(input), operand(other))
    if kind.rank in (0, 3):
        raise NotImplementedError(f"\"div_{rounding_mode}_cpu\" not implemented for '{kind.title}'")
    return prepare_pair(DIV_MODE, input, other, {"rounding_mode": rounding_mode}, False)


register(_prepare_div, ("div", "divide"))


@method("__rtruediv__", "__rdiv__")
def _rtruediv(self: Tensor, other: object) -> Tensor:
    """`1 / x` is the reciprocal times the number, as PyTorch computes it."""
    known = isinstance(other, (Tensor, np.ndarray, *NUMBERS))
    return self.reciprocal() * other if known else NotImplemented


@api("positive")
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if not isinstance(input, Tensor):
        raise TypeError("positive() takes a tensor")  # `api` says it in PyTorch's words
    return input


method("__pos__")(FUNCTIONS["positive"])

# --- powers: three nodes, for a number as exponent, for two tensors, and for a number as base ---


def _power(x: Array, *, exponent: object) -> Any:
    if x.dtype.kind == "b":
        return x.copy() if exponent else np.ones_like(x)
    if exponent == 2:
        return np.multiply(x, x)
    if x.dtype == np.float16 and exponent in (3, -2):  # in single precision; bfloat16 rounds each product
        return _power(x.astype(np.float32), exponent=exponent).astype(np.float16)
    if x.dtype.kind in "fcV" and exponent == 3:
        return x * x * x
    if x.dtype.kind in "fV" and exponent == -2:
        return (1 / (x * x)).astype(x.dtype)
    if x.dtype.kind == "c" and exponent not in (0, 0.5, 1):
        return _whole_power(x, number_array(exponent, x.dtype))
    return functions.power(x, number_array(exponent, x.dtype))


def _whole_power(x: Array, y: Array) -> Any:
    """An integer power; with a negative exponent it is 0, except for bases 1 and −1."""
    if y.dtype.kind == "c":
        of_zero = np.where(y.real < 0, complex(math.inf, math.nan), complex(0.0, -0.0))
        of_zero = np.where(y.real == 0, complex(math.nan, math.nan), of_zero).astype(y.dtype)
        return np.where(x == 0, of_zero, np.exp(np.log(x) * y))  # C also goes through the logarithm
    if y.dtype.kind != "i" or not (y < 0).any():
        return functions.power(x, y)
    found = np.power(x, np.maximum(y, 0))
    sign = np.where(y % 2 == 0, 1, x)
    return np.where(y < 0, np.where(np.abs(x) == 1, sign, 0), found).astype(found.dtype)


def _power_grad(grad: Tensor, self: Tensor, exponent: float) -> Tensor:
    if exponent == 0:
        return grad.new_zeros(self.shape)
    return grad * conj(scaled(FUNCTIONS["pow"](self, exponent - 1), exponent))


def _power_base_grad(grad: Tensor, self: Tensor, exponent: Tensor) -> Tensor:
    found = grad * conj(exponent * FUNCTIONS["pow"](self, minus(exponent, 1)))
    return FUNCTIONS["where"](exponent == 0, 0.0, found)


def _power_exponent_grad(grad: Tensor, self: Tensor, exponent: Tensor, result: Tensor) -> Tensor:
    harmless = FUNCTIONS["logical_and"](self == 0, _no_less_than_zero(exponent))
    return grad * FUNCTIONS["where"](harmless, 0.0, conj(result * FUNCTIONS["log"](self.to(result.dtype))))


def _no_less_than_zero(exponent: Tensor) -> Tensor:
    if not exponent.dtype.is_complex:
        return exponent >= 0
    return FUNCTIONS["logical_and"](exponent.imag == 0, exponent.real >= 0)


def _scalar_base_grad(grad: Tensor, base: float, exponent: Tensor, result: Tensor) -> Tensor:
    logarithm = FUNCTIONS["log"](operand(base).to(result.dtype))
    if base == 0:
        return FUNCTIONS["where"](_no_less_than_zero(exponent), 0.0, grad * conj(result * logarithm))
    return grad * conj(result * logarithm)


POW_SCALAR = op(
    "pow",
    "self",
    _power,
    key="pow_scalar",
    category="arithmetic",
    symbol="^n",
    latex=r"x^n",
    brief="Raises to a power.",
    self=expressed("grad * n * conj(self) ** (n - 1)", _power_grad),
)
POW_TENSOR = op(
    "pow",
    "self, exponent",
    lambda x, y: _whole_power(x, y),
    key="pow",
    number=1,
    category="arithmetic",
    symbol="^",
    latex=r"x^y",
    brief="Raises to a power, element by element.",
    self=expressed("grad * conj(exponent * self ** (exponent - 1))", _power_base_grad),
    exponent=expressed("grad * conj(result * log(self))", _power_exponent_grad),
)
POW_BASE = op(
    "pow",
    "exponent",
    lambda y, *, base: _whole_power(number_array(base, y.dtype), y),
    key="pow_base",
    number=2,
    category="arithmetic",
    layout="rows",
    symbol="a^",
    latex=r"a^x",
    brief="A number raised to each element.",
    exponent=expressed(
        "grad * conj(result * log(base))",
        lambda grad, base, exponent, result: _scalar_base_grad(grad, base, exponent, result),
    ),
)


_USUAL = 1 << 31


def _prepare_pow(input: Tensor, exponent: Any) -> Prepared:
    usual = type(exponent) is float or (type(exponent) is int and abs(exponent) < _USUAL)
    if usual and isinstance(input, Tensor) and input._wrapped is None and input._data.dtype.char in "fd":
        return POW_SCALAR, (input,), (input._data,), {"exponent": exponent}  # nothing to convert or to refuse
    check_operands("pow", input, exponent)
    input, exponent = exact_number(input), exact_number(exponent)
    if isinstance(exponent, NUMBERS) and isinstance(input, Tensor):
        target = result_type(input, operand(exponent))
        check_kind("pow", target)
        if target is dtypes.bool_:
            return POW_SCALAR, (input,), (input._data,), {"exponent": exponent}
        if target.rank == 1 and not isinstance(exponent, complex) and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        if target.rank == 1 or target in (dtypes.float16, dtypes.bfloat16):
            check_value(exponent, target)
        return POW_SCALAR, (input,), (cast(input, target),), {"exponent": exponent}
    if isinstance(input, NUMBERS):
        target = result_type(operand(input), exponent)
        check_kind("pow", target)
        if target is dtypes.bool_:
            raise NotImplementedError("\"pow\" not implemented for 'Bool'")
        return POW_BASE, (exponent,), (cast(exponent, target),), {"base": input}
    if result_type(input, exponent) is dtypes.bool_:
        check_broadcast(input._data, exponent._data)
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    return prepare_pair(POW_TENSOR, input, exponent, NO_PARAMS, False)


_pow = register(_prepare_pow, ("pow",))
method("__pow__")(
    lambda self, other: _pow(self, other) if isinstance(other, (Tensor, *NUMBERS)) else foreign("pow", self, other)
)
method("__rpow__")(reflected("pow", lambda self, other: _pow(other, self)))
method("__ipow__")(lambda self, other: self.pow_(other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented)

# --- copies ---

CLONE = op(
    "clone",
    "self",
    lambda x, *, memory_format=None: laid(x, memory_format) if type(x) is np.ndarray else x.copy(order="K"),
    category="shape",
    symbol="clone",
    latex=r"x",
    brief="A copy in its own memory.",
    self="grad",
)
GRAD_COPY = op(
    "_grad_copy",
    "self, src",
    lambda x, src: src.copy(),
    node="CopyBackwards",
    category="shape",
    symbol="copy",
    latex=r"x",
    brief="The copy that a leaf keeps as its gradient.",
    self="zero(grad)",  # the new tensor had no history: no gradient ever goes there
    src="grad",
)


@api("clone")
def clone(input: Tensor, *, memory_format: object = None) -> Tensor:
    """A copy with its own memory, tracked."""
    made = call(CLONE, input) if memory_format is None else call(CLONE, input, memory_format=memory_format)
    return made


# --- in-place filling ---


def _fill_row(key: str, number: int, **of_value: Any) -> OpRow:
    """Two rows: for a number, which has no gradient, and for a tensor."""
    return op(
        "fill",
        "self, value",
        lambda x, v: np.broadcast_to(v.astype(x.dtype), x.shape),
        key=key,
        number=number,
        plain_numbers=True,
        inplace_node=f"FillBackward{number + 2}",
        category="other",
        symbol="fill",
        latex=r"v",
        brief="Every element becomes one value.",
        self="zero(grad)",
        **of_value,
    )


FILL, FILL_TENSOR = _fill_row("fill", 0), _fill_row("fill_with_tensor", 1, value="sum(grad)")


def _copied(x: Array, y: Array) -> Array:
    check_broadcast(x, y)
    return np.broadcast_to(y.astype(x.dtype), np.broadcast_shapes(x.shape, y.shape))


COPY = op(
    "copy",
    "self, src",
    _copied,
    node="CopyBackwards",
    category="other",
    symbol="copy_",
    latex=r"y",
    brief="The values of another tensor are written.",
    self="zero(grad)",
    src="grad",
)
ZERO = op(
    "zero",
    "self",
    np.zeros_like,
    category="other",
    symbol="zero_",
    latex=r"0",
    brief="Every element becomes zero.",
    self="zero(grad)",
)


def _for_target(target: Tensor, data: Array) -> Array:
    """What is written for complex numbers: their real part, if the target is real."""
    if data.dtype.kind != "c" or target._data.dtype.kind in "bc":
        return data
    warn_once("imaginary part", IMAGINARY_PART)
    return data.real


@method("copy_")
def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write the values of `src`, broadcast, into this tensor."""
    value = operand(src)
    return write(self, COPY, (self, value), (self._data, _for_target(self, value._data)), NO_PARAMS)


@method("fill_")
def fill_(self: Tensor, value: object) -> Tensor:
    """Write one value everywhere."""
    if not isinstance(value, Tensor) and isinstance(value, NUMBERS):
        check_value(value, self.dtype)
    given = operand(value)
    if given._data.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {given._data.ndim} dimensions."
        )
    row = FILL_TENSOR if isinstance(value, Tensor) else FILL
    return write(self, row, (self, given), (self._data, _for_target(self, given._data)), NO_PARAMS)


@method("zero_")
def zero_(self: Tensor) -> Tensor:
    """Write zero everywhere."""
    return write(self, ZERO, (self,), (self._data,), NO_PARAMS)


# --- combinations of three tensors ---

ADDCMUL = op(
    "addcmul",
    "self, tensor1, tensor2",
    lambda x, a, b, *, value=1: (
        rounding.addcmul(x, a, b, value) if _fused(x, a, b) else (x + value * (a * b)).astype(x.dtype)
    ),
    category="arithmetic",
    symbol="+×",
    latex=r"x + v a b",
    brief="Adds a product.",
    self="grad",
    tensor1=expressed("grad * value * tensor2", lambda grad, tensor2, value: grad * times_alpha(conj(tensor2), value)),
    tensor2=expressed("grad * value * tensor1", lambda grad, tensor1, value: grad * times_alpha(conj(tensor1), value)),
)
ADDCDIV = op(
    "addcdiv",
    "self, tensor1, tensor2",
    lambda x, a, b, *, value=1: (
        rounding.addcdiv(x, a, b, value) if _fused(x, a, b) else (x + value * (a / b)).astype(x.dtype)
    ),
    category="arithmetic",
    symbol="+÷",
    latex=r"x + v a / b",
    brief="Adds a quotient.",
    self=expressed(
        "grad", lambda grad, tensor2: grad
    ),  # PyTorch keeps tensor2, of which two formulas speak, in any case
    tensor1="grad * (value / conj(tensor2))",
    tensor2="-grad * conj(value * tensor1 / (tensor2 * tensor2))",
)


@helper("value")
def conj_number(value: object) -> object:
    """The conjugate of a Python number."""
    return value.conjugate() if isinstance(value, complex) else value


LERP = op(
    "lerp",
    "self, end",
    lambda x, y, *, weight: rounding.lerp(x, y, weight) if _fused(x, y) else (x + weight * (y - x)).astype(x.dtype),
    key="lerp_scalar",
    category="arithmetic",
    symbol="lerp",
    latex=r"x + w (y - x)",
    brief="Between two tensors, by a weight.",
    self="grad * (1 - conj_number(weight))",
    end="grad * conj_number(weight)",
)
LERP_TENSOR = op(
    "lerp",
    "self, end, weight",
    lambda x, y, w: rounding.lerp_each(x, y, w) if _fused(x, y, w) else x + w * (y - x),
    key="lerp",
    number=1,
    category="arithmetic",
    symbol="lerp",
    latex=r"x + w (y - x)",
    brief="Between two tensors, by a weight for each element.",
    self="grad * (1 - conj(weight))",
    end="grad * conj(weight)",
    weight="grad * conj(end - self)",
)


_INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
    "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
    "tensor2), for all dtypes."
)


def _prepare_three(row: OpRow) -> Any:
    def prepare(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: object = 1) -> Prepared:
        target = result_type(input, tensor1, tensor2)
        tensors = input, tensor1, tensor2
        if row is ADDCDIV and tensor1.dtype.rank < 2 and tensor2.dtype.rank < 2:
            raise RuntimeError(_INTEGER_ADDCDIV)
        arrays = [cast(t, target) for t in tensors]
        check_broadcast(*arrays)
        if target is dtypes.bool_:
            raise NotImplementedError("\"addcmul_cpu_out\" not implemented for 'Bool'")
        if isinstance(value, complex):  # the factor is a number of the type that is computed in
            check_value(value, dtypes.float32 if target in (dtypes.float16, dtypes.bfloat16) else target)
        if target.rank == 1:
            check_value(value, target)
            value = int(np.array(value).astype(target.np))
        return row, tensors, arrays, {"value": value}

    return prepare


register(_prepare_three(ADDCMUL), ("addcmul",))
register(_prepare_three(ADDCDIV), ("addcdiv",))


def _prepare_lerp(input: Tensor, end: Tensor, weight: object) -> Prepared:
    promoted = isinstance(weight, Tensor) and not weight._data.ndim
    for name, each in (("end", end), ("weight", None if promoted else weight)):
        if isinstance(each, Tensor) and each.dtype is not input.dtype:
            raise RuntimeError(f"expected dtype {input.dtype.cpp} for `{name}` but got dtype {each.dtype.cpp}")
    tensors = (input, end, weight) if isinstance(weight, Tensor) else (input, end)
    check_broadcast(*(each._data for each in tensors))
    target = result_type(*tensors)
    if target.rank < 2:
        kernel = "lerp_kernel_tensor" if isinstance(weight, Tensor) else "lerp_kernel_scalar"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{target.title}'")
    if isinstance(weight, complex) and target.rank == 2:
        check_value(weight, target)
    if isinstance(weight, Tensor):
        return LERP_TENSOR, tensors, [cast(t, target) for t in tensors], NO_PARAMS
    return LERP, (input, end), (input._data, end._data), {"weight": weight}


register(_prepare_lerp, ("lerp",))


@api("float_power")
def float_power(input: Tensor, exponent: Tensor) -> Tensor:
    """Raised to a power in double precision."""
    check_operands("float_power", input, exponent)
    both = (input, exponent)
    wide = any(isinstance(x, complex) or (isinstance(x, Tensor) and x.dtype.is_complex) for x in both)
    target = dtypes.complex128 if wide else dtypes.float64
    return FUNCTIONS["pow"](*(x.to(target) if isinstance(x, Tensor) else x for x in both))
