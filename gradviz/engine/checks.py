"""Whether a number fits into an element type, in PyTorch's words. What an operation refuses of types is in
`refusals.py`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine import dtypes


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
