"""Numbers as text: as PyTorch prints the elements of a tensor, and short for a formula. Values and their shapes are
in `values.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def number_text(number: complex | float | int | bool, digits: int = 4) -> str:
    """A number for a formula: "7", "0.3333", "-2e-05", "nan", "1+2i"."""
    if isinstance(number, (bool, int)):
        return str(number)
    if isinstance(number, complex):
        sign = "-" if number.imag < 0 or (number.imag == 0 and math.copysign(1, number.imag) < 0) else "+"
        return f"{number_text(number.real, digits)}{sign}{number_text(abs(number.imag), digits)}i"
    if math.isfinite(number) and number == int(number) and abs(number) < 1e6:
        return str(int(number))
    return f"{number:.{digits}g}"


def _real_format(numbers: Array) -> str:
    """PyTorch's choice for one tensor: whole numbers, four decimals, or scientific."""
    used = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    if not used.size:
        return "whole"
    low, high = float(used.min()), float(used.max())
    if np.array_equal(used, np.ceil(used)):
        return "e" if high / low > 1000 or high > 1e8 else "whole"
    return "e" if high / low > 1000 or high > 1e8 or low < 1e-4 else "f"


def _real_text(number: float, how: str) -> str:
    if not math.isfinite(number):
        return str(number)
    return {"whole": f"{number:.0f}.", "f": f"{number:.4f}", "e": f"{number:.4e}"}[how]


def array_text(array: Array) -> str:
    """All elements on one line: "3.", "[0.2000, 2.0000]", "[[1, 2], [3, 4]]"."""
    kind = "f" if array.dtype.name == "bfloat16" else array.dtype.kind
    if kind == "f":
        wide = array.astype(np.float64)
        how = _real_format(wide)
        texts = [_real_text(x, how) for x in wide.reshape(-1).tolist()]
    elif kind == "c":
        real, imag = _real_format(array.real.astype(np.float64)), _real_format(array.imag.astype(np.float64))
        texts = [
            f"{_real_text(x.real, real)}{'-' if math.copysign(1, x.imag) < 0 else '+'}{_real_text(abs(x.imag), imag)}j"
            for x in array.reshape(-1).tolist()
        ]
    else:
        texts = [str(x) for x in array.reshape(-1).tolist()]
    if 0 in array.shape:
        return "[]"
    for size in reversed(array.shape):
        texts = [f"[{', '.join(texts[i : i + size])}]" for i in range(0, len(texts), size)]
    return texts[0]
