"""Comparisons, logic and tests of elements: boolean results, no gradients; and `where`, `maximum`, `minimum`, `clamp`,
which have gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.batched import plain, refuse_truth
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.messages import NOT_ASKED, check_kind, check_value, only
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.functions import chosen
from gradviz.engine.ops.elementwise import (
    NUMBERS,
    Prepared,
    binary,
    cast,
    check_broadcast,
    compare,
    number_array,
    operand,
    prepare_pair,
    refused_first,
    register,
    result_type,
    unary,
)
from gradviz.engine.run.api import FUNCTIONS, api, method
from gradviz.engine.run.apply import NO_PARAMS, apply
from gradviz.engine.run.arguments import check_operands, refuse
from gradviz.engine.run.inplace import write

F = FUNCTIONS


def _comparison(name: str, ufunc: np.ufunc, symbol: str, *names: str) -> None:
    shown: dict[str, Any] = {"category": "comparison", "symbol": symbol, "latex": f"x {symbol} y"}
    said = f"Whether x {symbol} y, element by element."
    compare(op(name, "self, other", ufunc, **shown, brief=said), name, *names, operators=name)
    shown["brief"] = "Written into its first operand, whose gradient becomes zero."
    with_number = op(name, "self, other", ufunc, key=f"{name}_number_", self="zero(grad)", **shown)
    zeros: dict[str, Any] = {"self": "zero(grad)", "other": "zero(grad)"}
    with_tensor = op(name, "self, other", ufunc, key=f"{name}_", number=1, **zeros, **shown)

    def in_place(self: Tensor, other: object) -> Tensor:
        row = with_number if isinstance(other, NUMBERS) else with_tensor
        try:
            return write(self, *prepare_pair(row, self, other, NO_PARAMS, False))
        except RuntimeError as error:
            raise refused_first(name, self, (other,), error) or error from None

    method(*(f"{each}_" for each in (name, *names)))(in_place)


_comparison("eq", np.equal, "=")
_comparison("ne", np.not_equal, "≠", "not_equal")
_comparison("lt", np.less, "<", "less")
_comparison("le", np.less_equal, "≤", "less_equal")
_comparison("gt", np.greater, ">", "greater")
_comparison("ge", np.greater_equal, "≥", "greater_equal")


def _test(name: str, forward: Any, brief: str) -> None:
    row = op(name, "self", forward, category="comparison", symbol=name, latex=name, brief=brief)
    unary(row, floating=False, inplace=False)


def _for_floats(test: Kernel, otherwise: bool) -> Any:
    return lambda x: test(x) if x.dtype.kind in "fcV" else np.full(x.shape, otherwise)


_test("isnan", _for_floats(np.isnan, False), "Where it is not a number.")
_test("isinf", _for_floats(np.isinf, False), "Where it is infinite.")
_test("isfinite", _for_floats(np.isfinite, True), "Where it is neither infinite nor NaN.")
_test("signbit", np.signbit, "Where the sign is minus, that of −0 too.")
_test("isposinf", _for_floats(np.isposinf, False), "Where it is +∞.")
_test("isneginf", _for_floats(np.isneginf, False), "Where it is −∞.")
_test("isreal", np.isreal, "Where the imaginary part is 0.")


unary(
    op(
        "logical_not",
        "self",
        np.logical_not,
        category="comparison",
        symbol="¬",
        latex=r"\neg x",
        brief="Where it is 0.",
    ),
    floating=False,
)


def _logic(name: str, ufunc: np.ufunc, brief: str) -> None:
    compare(op(name, "self, other", ufunc, category="comparison", symbol=name, latex=name, brief=brief))


_logic("logical_and", np.logical_and, "Where both are not 0.")
_logic("logical_or", np.logical_or, "Where at least one is not 0.")
_logic("logical_xor", np.logical_xor, "Where just one is not 0.")


def _bits(name: str, ufunc: np.ufunc, operators: str, symbol: str, kernel: str, kinds: str) -> None:
    forward = only(kinds, kernel, ufunc)
    shown: dict[str, Any] = {"symbol": symbol, "latex": name, "brief": "Bit by bit; True and False are one bit."}
    row = op(name, "self, other", forward, category="comparison", **shown)
    binary(row, operators=operators, fast=False)


_bits("bitwise_and", np.bitwise_and, "and", "&", "bitwise_and_cpu", "biu")
_bits("bitwise_or", np.bitwise_or, "or", "|", "bitwise_or_cpu", "biu")
_bits("bitwise_xor", np.bitwise_xor, "xor", "^", "bitwise_xor_cpu", "biu")
_bits("bitwise_left_shift", np.left_shift, "lshift", "<<", "lshift_cpu", "iu")
_bits("bitwise_right_shift", np.right_shift, "rshift", ">>", "rshift_cpu", "iu")


def _inverted(x: Array) -> Array:
    if x.dtype.kind not in "biu":
        raise NotImplementedError(f"\"bitwise_not_cpu\" not implemented for '{dtypes.of(x).title}'")
    return np.invert(x)


unary(
    op(
        "bitwise_not",
        "self",
        _inverted,
        category="comparison",
        symbol="~",
        latex="bitwise_not",
        brief="Bit by bit; True and False are one bit.",
    ),
    floating=False,
)


@method("__invert__")
def invert(self: Tensor) -> Tensor:
    """`~x`."""
    if self.dtype.rank > 1:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return F["bitwise_not"](self)


# --- choosing between elements ---

WHERE = op(
    "where",
    "condition, self, other",
    chosen,
    category="selection",
    layout="operands",
    symbol="where",
    latex=r"c\ ?\ x : y",
    brief="Elements of the first where the condition holds, of the second elsewhere.",
    self="where(condition, grad, 0)",
    other="where(condition, 0, grad)",
)


_UINT8_CONDITION = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/TensorCompare.cpp:621.)"
)


@api("where", where="torch")
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Elements of `input` where `condition` holds, of `other` elsewhere; with the condition alone, the indices
    where it holds."""
    if input is None and other is None:
        return F["nonzero"](condition, as_tuple=True)
    if condition.dtype not in (dtypes.bool_, dtypes.uint8):
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.title}"
        )
    if condition.dtype is dtypes.uint8:
        warn_once("where", _UINT8_CONDITION)
    x, y = operand(input, "where"), operand(other, "where", 2)
    target = result_type(x, y)
    for each in (x, y):
        if each._wrapped is not None and target.rank == 1:
            check_value(each._wrapped, target)
    arrays = condition._data, cast(x, target), cast(y, target)
    check_broadcast(*arrays)
    return apply(WHERE, (condition, x, y), arrays)


method("where")(lambda self, condition, other: where(condition, self, other))


def _shares(grad: Tensor, x: Tensor, y: Tensor, wins: str) -> Tensor:
    """The gradient where x wins, half of it at ties."""
    behind = x < y if wins == "max" else x > y  # never of NaN: both sides get the whole gradient
    return F["where"](x == y, grad / 2, grad).masked_fill(behind, 0)


MAXIMUM = op(
    "maximum",
    "self, other",
    np.maximum,
    category="selection",
    layout="operands",
    symbol="max",
    latex=r"\max(x, y)",
    brief="The larger of two, element by element.",
    self=sentence(
        "grad where self > other, half of it where they are equal, else 0",
        lambda grad, self, other: _shares(grad, self, other, "max"),
    ),
    other=sentence(
        "grad where other > self, half of it where they are equal, else 0",
        lambda grad, self, other: _shares(grad, other, self, "max"),
    ),
)
MINIMUM = op(
    "minimum",
    "self, other",
    np.minimum,
    category="selection",
    layout="operands",
    symbol="min",
    latex=r"\min(x, y)",
    brief="The smaller of two, element by element.",
    self=sentence(
        "grad where self < other, half of it where they are equal, else 0",
        lambda grad, self, other: _shares(grad, self, other, "min"),
    ),
    other=sentence(
        "grad where other < self, half of it where they are equal, else 0",
        lambda grad, self, other: _shares(grad, other, self, "min"),
    ),
)
FMAX = op(
    "fmax",
    "self, other",
    np.fmax,
    category="selection",
    layout="operands",
    symbol="fmax",
    latex=r"\max(x, y)",
    brief="The larger of two; if one is NaN, the other.",
    self="masked_fill(grad, logical_not(logical_or(self >= other, isnan(other))), 0)",
    other="masked_fill(grad, logical_or(self >= other, isnan(other)), 0)",
)
FMIN = op(
    "fmin",
    "self, other",
    np.fmin,
    category="selection",
    layout="operands",
    symbol="fmin",
    latex=r"\min(x, y)",
    brief="The smaller of two; if one is NaN, the other.",
    self="masked_fill(grad, logical_not(logical_or(self <= other, isnan(other))), 0)",
    other="masked_fill(grad, logical_or(self <= other, isnan(other)), 0)",
)
for _row in (MAXIMUM, MINIMUM, FMAX, FMIN):
    binary(_row, inplace=False)


_BOUND: dict[str, Any] = {"category": "selection", "layout": "operands"}
_AT_LEAST: dict[str, Any] = {**_BOUND, "symbol": "max", "brief": "At least a number."}
_AT_MOST: dict[str, Any] = {**_BOUND, "symbol": "min", "brief": "At most a number."}
CLAMP_MIN = op(
    "clamp_min",
    "self",
    lambda x, *, min: np.maximum(x, number_array(min, x.dtype)),
    latex=r"\max(x, a)",
    **_AT_LEAST,
    self="where(self >= min, grad, 0)",
)
CLAMP_MIN_TENSOR = op(
    "clamp_min",
    "self, min",
    np.maximum,
    key="clamp_min_tensor",
    number=1,
    latex=r"\max(x, y)",
    **_AT_LEAST,
    self="where(self >= min, grad, 0)",
    min="where(self < min, grad, 0)",
)
CLAMP_MAX = op(
    "clamp_max",
    "self",
    lambda x, *, max: np.minimum(x, number_array(max, x.dtype)),
    latex=r"\min(x, a)",
    **_AT_MOST,
    self="where(self <= max, grad, 0)",
)
CLAMP_MAX_TENSOR = op(
    "clamp_max",
    "self, max",
    np.minimum,
    key="clamp_max_tensor",
    number=1,
    latex=r"\min(x, y)",
    **_AT_MOST,
    self="where(self <= max, grad, 0)",
    max="where(self > max, grad, 0)",
)


def _check_bounds(target: dtypes.dtype, input: Tensor, low: object, high: object) -> None:
    """Refuse numbers of the wrong type as bounds."""
    check_kind("clamp", input.dtype if input.dtype.rank == 2 else target)
    for each in (low, high):
        if input.dtype.rank == 2 and isinstance(each, complex):
            check_value(each, dtypes.float64)
        elif each is not None and target.rank in (1, 2):
            check_value(each, target)
    if target is dtypes.bool_:
        kernel = (
            "clamp_scalar" if None not in (low, high) else "clamp_min_scalar" if high is None else "clamp_max_scalar"
        )
        raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for 'Bool'")


def _check_own(input: Tensor, min: object = None, max: object = None) -> None:
    """Refuse bounds of an in-place clamp that would change the type of the tensor."""
    numbers = [each for each in (min, max) if each is not None and not isinstance(each, Tensor)]
    if input.dtype.rank < 2 and numbers and all(isinstance(each, NUMBERS) for each in numbers):
        target = result_type(input, *map(operand, numbers))
        if target is not input.dtype:
            raise RuntimeError(f"result type {target.title} can't be cast to the desired output type {input.dtype.cpp}")


def _bounded(name: str, row: OpRow, two: OpRow) -> Any:
    """Prepare the operands of a clamp with one bound."""
    bound = name.removeprefix("clamp_")
    known = [((), f"(Tensor input, {kind} {bound}, *, Tensor out = None)", 3) for kind in ("Tensor", "Number")]

    def prepare(input: Tensor, limit: object) -> Prepared:
        if not isinstance(input, Tensor) or not isinstance(limit, (Tensor, *NUMBERS)):
            refuse(name, (input, limit), known)
        target = result_type(input, operand(limit))
        if not isinstance(limit, Tensor):
            check_kind("clamp", target)
            _check_bounds(target, input, *((limit, None) if bound == "min" else (None, limit)))
            return row, (input,), (cast(input, target),), {bound: limit}
        arrays = cast(input, target), cast(limit, target)
        check_broadcast(*arrays)
        if target.is_complex:
            raise NotImplementedError(f"\"{two.forward.__name__}_cpu\" not implemented for '{target.title}'")
        return two, (input, limit), arrays, NO_PARAMS

    return prepare


_at_least = _bounded("clamp_min", CLAMP_MIN, CLAMP_MIN_TENSOR)
_at_most = _bounded("clamp_max", CLAMP_MAX, CLAMP_MAX_TENSOR)


def _check_own_bound(input: Tensor, limit: object) -> None:
    if isinstance(limit, complex):
        check_kind("clamp", dtypes.complex64)
    _check_own(input, limit)


register(lambda input, min: _at_least(input, min), ("clamp_min",), own=lambda self, min: _check_own_bound(self, min))
register(lambda input, max: _at_most(input, max), ("clamp_max",), own=lambda self, max: _check_own_bound(self, max))

MASKED_FILL = op(
    "masked_fill",
    "self, mask",
    lambda x, m, *, value: chosen(m, number_array(value, x.dtype), x),
    category="selection",
    layout="rows",
    symbol="fill",
    latex=r"m\ ?\ v : x",
    brief="Elements under the mask become one value.",
    self="masked_fill(grad, mask, 0)",
)
MASKED_FILL_TENSOR = op(
    "masked_fill",
    "self, mask, value",
    lambda x, m, v: chosen(m, (v.real if v.dtype.kind == "c" and x.dtype.kind not in "cb" else v).astype(x.dtype), x),
    key="masked_fill_tensor",
    number=1,
    category="selection",
    layout="rows",
    symbol="fill",
    latex=r"m\ ?\ v : x",
    brief="Elements under the mask become one value.",
    self="masked_fill(grad, mask, 0)",
    value="sum(where(mask, grad, 0))",
)


def _check_masked_fill(input: Tensor, mask: Tensor, value: object) -> None:
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._data.ndim} "
            f"dimension(s)."
        )
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.cpp}")


def _prepare_masked_fill(input: Tensor, mask: Tensor, value: object) -> Prepared:
    check_broadcast(mask._data, input._data)
    _check_masked_fill(input, mask, value)
    if isinstance(value, Tensor):
        if value.dtype.is_complex and not input.dtype.is_complex:
            check_value(complex(value._data), input.dtype)
        return MASKED_FILL_TENSOR, (input, mask, value), (input._data, mask._data, value._data), NO_PARAMS
    check_value(value, input.dtype)
    return MASKED_FILL, (input, mask), (input._data, mask._data), {"value": value}


def _check_masked_fill_in_place(input: Tensor, mask: Tensor, value: object) -> None:
    _check_masked_fill(input, mask, value)
    check_broadcast(input._data, mask._data)


register(_prepare_masked_fill, ("masked_fill",), own=_check_masked_fill_in_place)

CLAMP = op(
    "clamp",
    "self",
    lambda x, *, min=None, max=None: _clip(x, min, max),
    number=1,
    category="selection",
    layout="operands",
    symbol="clamp",
    latex=r"\min(\max(x, a), b)",
    brief="Limits each element to a range.",
    self=expressed(
        "where(min <= self <= max, grad, 0)", lambda grad, self, min, max: _clamp_grad(grad, self, min, max)
    ),
)
CLAMP_TENSOR = op(
    "clamp",
    "self, min, max",
    lambda x, a, b: _clip(x, a, b),
    key="clamp_tensor",
    number=0,
    category="selection",
    layout="operands",
    symbol="clamp",
    latex=r"\min(\max(x, a), b)",
    brief="Limits each element to its own range.",
    self=expressed(
        "where(min <= self <= max, grad, 0)", lambda grad, self, min, max: _clamp_grad(grad, self, min, max)
    ),
    min=expressed(
        "where(self < min, grad, 0)",
        lambda grad, self, min, max: F["where"](self < min if max is None else (self < min) & (min < max), grad, 0),
    ),
    max=expressed(
        "where(self > max, grad, 0)",
        lambda grad, self, min, max: F["where"](self > max if min is None else (self > max) | (max < min), grad, 0),
    ),
)


def _clip(x: Array, low: object, high: object) -> Array:
    if low is not None:
        x = np.maximum(x, low if isinstance(low, np.ndarray) else number_array(low, x.dtype))
    if high is not None:
        x = np.minimum(x, high if isinstance(high, np.ndarray) else number_array(high, x.dtype))
    return x


def _clamp_grad(grad: Tensor, self: Tensor, min: object, max: object) -> Tensor:
    inside = None if min is None else self >= min
    if max is not None:
        inside = self <= max if inside is None else F["logical_and"](inside, self <= max)
    return F["where"](inside, grad, 0)


def _is_own_bound(bound: object) -> bool:
    """True for a tensor that can't stand for a number, as one without dimensions and gradient does."""
    return isinstance(bound, Tensor) and (bool(bound._data.ndim) or bound.requires_grad)


def _prepare_clamp(input: Tensor, min: object = None, max: object = None) -> Prepared:
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounds = [each for each in (min, max) if each is not None]
    if any(map(_is_own_bound, bounds)) and not all(isinstance(each, Tensor) for each in bounds):
        forms = [
            ((), f"(Tensor input, {kind} min = None, {kind} max = None, *, Tensor out = None)", -1)
            for kind in ("Tensor", "Number")
        ]
        refuse("clamp", (input, min, max), forms)
    target = result_type(input, *map(operand, bounds))
    check_kind("clamp", input.dtype)
    if not any(isinstance(each, Tensor) for each in bounds):
        _check_bounds(target, input, min, max)
    check_broadcast(input._data, *(each._data for each in bounds if isinstance(each, Tensor)))
    data = cast(input, target)
    if any(isinstance(each, Tensor) for each in bounds):
        for each in bounds:
            if input.dtype.rank == 2 and isinstance(each, complex):
                check_value(each, dtypes.float64)
        if target.is_complex or (target.rank == 0 and len(bounds) == 2):
            kernel = "clamp" if len(bounds) == 2 else "minimum" if min is None else "maximum"
            raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for '{target.title}'")
        low, high = (None if each is None else operand(each) for each in (min, max))
        arrays = data, *(None if each is None else cast(each, target) for each in (low, high))
        return CLAMP_TENSOR, (input, low, high), arrays, NO_PARAMS  # type: ignore[return-value]
    return CLAMP, (input,), (data,), {"min": min, "max": max}


register(_prepare_clamp, ("clamp", "clip"), own=_check_own)

# --- whole-tensor tests ---

_NO_EQUAL = "Batching rule not implemented for aten::equal. We could not generate a fallback."
_NO_ALLCLOSE = (
    "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues "
    "if you need this feature."
)


@api("equal")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are equal."""
    if state.layered:
        refuse_truth(_NO_EQUAL, input, other)
    return input._data.shape == other._data.shape and bool((input._data == other._data).all())


@api("isclose")
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Element by element, whether |input − other| ≤ atol + rtol · |other|."""
    check_operands("isclose", input, other)
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.title} did not match {other.dtype.title}")
    for label, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(f"{label} must be greater than or equal to zero, but got {value:g}")
    check_broadcast(input._data, other._data)
    x, y = _wide(input._data), _wide(other._data)
    parted = isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.size > _AT_ONCE
    if not parted or x.shape != y.shape:
        return wrap(plain(np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)))
    close = np.empty(x.shape, np.bool_)
    rows = max(1, _AT_ONCE * len(x) // x.size)
    for at in range(0, len(x), rows):
        part = slice(at, at + rows)
        close[part] = np.isclose(x[part], y[part], rtol=rtol, atol=atol, equal_nan=equal_nan)
    return wrap(close)


_AT_ONCE = 1 << 20  # elements compared at once: NumPy makes five arrays of as many


def _wide(x: Array) -> Array:
    return x.astype(np.float32) if x.dtype.kind == "V" else x


@api("allclose")
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close."""
    if state.layered:
        refuse_truth(_NO_ALLCLOSE, input, other)
    return bool(isclose(input, other, rtol, atol, equal_nan)._data.all())


@method("__bool__")
def as_bool(self: Tensor) -> bool:
    """The truth of a tensor with one element."""
    if self._data.size > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    if self._data.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if self._on_meta:
        raise RuntimeError(NOT_ASKED)
    return bool(self._data.reshape(-1)[0])


@method("__contains__")
def contains(self: Tensor, element: object) -> bool:
    """Whether an element equals the value."""
    if isinstance(element, (Tensor, *NUMBERS)):
        return bool((self == element)._data.any())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
