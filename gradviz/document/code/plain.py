"""Plain Python values in code that is read: numbers, lists of numbers, the arithmetic that people write in them
(`1 / 3`, `2 * math.pi`). Computed by hand and bounded, so that no text can make it slow."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

from gradviz.document.code.scope import Plain, refuse
from gradviz.document.drawing import Literal

CONSTANTS: Mapping[str, float] = {
    "inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e, "math.inf": math.inf, "math.nan": math.nan,
    "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau,
}  # fmt: skip
_BINARY: Mapping[type[ast.operator], Callable[[complex, complex], complex]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
MOST_BITS = 1024  # of a whole number
MOST_EXPONENT = 256
MOST_ITEMS = 10_000


def constant(node: ast.Constant) -> Plain:
    """A number, a text, True or None as it stands."""
    value = node.value
    if value is Ellipsis or isinstance(value, bytes):
        raise refuse(node, "this value can't be drawn. Write a number or a list of numbers.")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise refuse(node, "this number is too large for a tensor.")
    return Plain(value)


def is_number(value: Literal) -> bool:
    """True for a number or a truth value."""
    return isinstance(value, bool | int | float | complex)


def unary(node: ast.UnaryOp, value: Literal) -> Plain:
    """`-2`, `+2`, `~3`, `not True` of a plain value."""
    if isinstance(node.op, ast.Not):
        return Plain(not value)
    if not is_number(value):
        raise refuse(node, "a sign can't stand before this. Write a number.")
    assert isinstance(value, bool | int | float | complex)
    if isinstance(node.op, ast.Invert):
        if isinstance(value, float | complex):
            raise refuse(node, "~ needs a whole number.")
        return Plain(~int(value))
    return Plain(-value if isinstance(node.op, ast.USub) else +value)


def binary(node: ast.BinOp, left: Literal, right: Literal) -> Plain:
    """The arithmetic of two plain numbers."""
    repeated = _repeated(node, left, right)
    if repeated is not None:
        return repeated
    function = _BINARY.get(type(node.op))
    if function is None or not (is_number(left) and is_number(right)):
        raise refuse(node, "this can't be computed beforehand. Write the number.")
    assert isinstance(left, bool | int | float | complex) and isinstance(right, bool | int | float | complex)
    big = isinstance(node.op, ast.Pow) and (abs(right) > MOST_EXPONENT or abs(left) > 2**64)
    try:
        value = None if big else function(left, right)
    except (ArithmeticError, TypeError) as error:
        raise refuse(node, f"Python can't compute this: {error}.") from error
    if value is None or (isinstance(value, int) and value.bit_length() > MOST_BITS):
        raise refuse(node, "this number is too large for a tensor.")
    return Plain(value)


def _repeated(node: ast.BinOp, left: Literal, right: Literal) -> Plain | None:
    """`[0.] * 3` and `[1, 2] + [3]`; None for what is neither."""
    if isinstance(left, tuple) and isinstance(right, tuple) and isinstance(node.op, ast.Add):
        return Plain(left + right)
    if isinstance(left, int) and isinstance(right, tuple):
        left, right = right, left
    if isinstance(left, tuple) and isinstance(right, int) and isinstance(node.op, ast.Mult):
        if len(left) * right > MOST_ITEMS:
            raise refuse(node, "this list is too long to be written down. Use torch.full.")
        return Plain(left * right)
    return None


def called(node: ast.Call, name: str, values: list[Literal]) -> Plain | None:
    """`float("inf")`, `complex(1, 2)`, `int(3.)`: None for what is no such call."""
    try:
        if name == "float" and len(values) == 1 and isinstance(values[0], str | int | float):
            return Plain(float(values[0]))
        if name == "int" and len(values) == 1 and isinstance(values[0], int | float):
            return Plain(int(values[0]))
        if name == "complex" and len(values) == 2 and all(isinstance(each, int | float) for each in values):
            real, imag = values
            assert isinstance(real, int | float) and isinstance(imag, int | float)
            return Plain(complex(real, imag))
        if name == "math.sqrt" and len(values) == 1 and isinstance(values[0], int | float):
            return Plain(math.sqrt(values[0]))
    except (ValueError, ArithmeticError) as error:
        raise refuse(node, f"Python can't compute this: {error}.") from error
    return None
