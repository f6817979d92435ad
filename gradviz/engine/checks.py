"""Element types that an operation refuses, with PyTorch's words: a table by operation and kind ("b" boolean, "c"
complex); and numbers that do not fit into one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine import dtypes

_MINUS = (
    "Subtraction, the `-` operator, with {} is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator "
    "instead."
)
_TWO_BOOLEANS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
_NOT_IMPLEMENTED = "\"{}\" not implemented for '{}'"

# operation: {kind: kernel name, for the usual message; or the whole message}
KERNELS: dict[str, dict[str, str]] = {
    "abs": {"b": "abs_cpu"},
    "floor_divide": {"b": "div_floor_cpu", "c": "div_floor_cpu"},
    "remainder": {"c": "remainder_cpu", "b": "remainder_cpu"},
    "fmod": {"c": "fmod_cpu", "b": "fmod_cpu"},
    "lt": {"c": "lt_cpu"},
    "le": {"c": "le_cpu"},
    "gt": {"c": "gt_cpu"},
    "ge": {"c": "ge_cpu"},
    "floor": {"b": "floor_vml_cpu"},
    "ceil": {"b": "ceil_vml_cpu"},
    "trunc": {"b": "trunc_vml_cpu"},
    "round": {"b": "round_vml_cpu", "c": "round_vml_cpu"},
    "max": {"c": "max_all"},
    "min": {"c": "min_all"},
}
MESSAGES: dict[tuple[str, str], tuple[type[Exception], str]] = {
    ("neg", "b"): (
        RuntimeError,
        _MINUS.format("a bool tensor").replace("Subtraction", "Negation").replace("with a", "on a"),
    ),
    ("relu", "b"): (RuntimeError, "Boolean inputs not supported for relu"),
    ("relu", "c"): (NotImplementedError, "clamp is not supported for complex types"),
    ("clamp", "c"): (NotImplementedError, "clamp is not supported for complex types"),
    ("maximum", "c"): (RuntimeError, "maximum not implemented for complex tensors."),
    ("minimum", "c"): (RuntimeError, "minimum not implemented for complex tensors."),
    ("floor", "c"): (NotImplementedError, "floor is not supported for complex inputs"),
    ("ceil", "c"): (NotImplementedError, "ceil is not supported for complex inputs"),
    ("trunc", "c"): (NotImplementedError, "trunc is not supported for complex inputs"),
    ("sign", "c"): (
        NotImplementedError,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
    ),
}


def check_kind(name: str, dtype: dtypes.dtype) -> None:
    """Refuse an element type that the operation does not take."""
    kind = dtype.np.kind
    if kind not in "bc":
        return
    found = MESSAGES.get((name, kind))
    if found is not None:
        raise found[0](found[1])
    kernel = KERNELS.get(name, {}).get(kind)
    if kernel is not None:
        raise NotImplementedError(_NOT_IMPLEMENTED.format(kernel, dtype.title))


def only(kinds: str, kernel: str, forward: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A function of two arrays for some of NumPy's kinds of element only."""

    def checked(x: Any, y: Any) -> Any:
        if x.dtype.kind not in kinds:
            raise NotImplementedError(_NOT_IMPLEMENTED.format(kernel, dtypes.of(x).title))
        return forward(x, y)

    return checked


def check_subtraction(*operands: tuple[dtypes.dtype, bool]) -> None:
    """Booleans are not subtracted; each operand as (type, whether it is a tensor)."""
    booleans = [is_tensor for dtype, is_tensor in operands if dtype is dtypes.bool_]
    if booleans:
        if len(booleans) == 2 and all(booleans):
            raise RuntimeError(_TWO_BOOLEANS)
        raise RuntimeError(_MINUS.format("a bool tensor"))


def check_value(value: Any, dtype: dtypes.dtype) -> None:
    """A number that is written has to fit into the element type."""
    kind = {"int64": "int64_t", "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t"}.get(dtype.name, dtype.cpp)
    fits = dtype.is_complex or not isinstance(value, complex) or not value.imag
    if fits and dtype.rank == 1 and not isinstance(value, complex):
        limits = np.iinfo(dtype.np)
        low = -limits.max if dtype is dtypes.uint8 else limits.min
        fits = value == value and low <= value <= limits.max
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")


def plain_numbers(values: Sequence[Any]) -> tuple[int, ...]:
    """Numbers that are looked at once: those of another class may answer differently when they are asked again."""
    return tuple([int.__index__(operator.index(each)) for each in values])
