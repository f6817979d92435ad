"""`a * b + c` with one rounding, as the compiler of PyTorch's x86 kernels makes it of most products that are added to
something. Emulated in NumPy's float64, nothing else is here. Used by `cephes`, `distributions` and `updates`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]
BLOCK = 16_384  # elements


def fma(a: Array, b: Any, c: Any) -> Array:
    """`a * b + c` rounded once to the type of `a`; scalars count as that type, half types work in float32."""
    if a.dtype == np.float64:
        return fma64(a, np.float64(b), np.asarray(c, np.float64))
    if a.dtype == np.float32:
        return fma32(a, np.asarray(b, np.float32), np.asarray(c, np.float32))
    if a.dtype.kind in "fV":
        return fma(a.astype(np.float32), np.asarray(b, np.float32), np.asarray(c, np.float32)).astype(a.dtype)
    total: Array = a * b + c
    return total.astype(a.dtype)


def fma32(a: Singles, b: Any, c: Any) -> Singles:
    """Of float32. Large arrays are done in blocks, so that what comes between stays in the processor's cache."""
    if a.size <= BLOCK:
        return _fma32(a, b, c)
    shape = np.broadcast_shapes(a.shape, np.shape(b), np.shape(c))
    made = np.empty(shape, np.float32)
    flat = made.reshape(-1)
    operands = [each if np.ndim(each) == 0 else np.broadcast_to(each, shape).reshape(-1) for each in (a, b, c)]
    for start in range(0, len(flat), BLOCK):
        part = slice(start, start + BLOCK)
        flat[part] = _fma32(*(each if np.ndim(each) == 0 else each[part] for each in operands))
    return made


def _fma32(a: Any, b: Any, c: Any) -> Singles:
    """The product is exact in float64, where the sum is rounded to odd."""
    wide = np.multiply(a, b, dtype=np.float64)
    total = np.asarray(wide + c)
    halfway = (total.view(np.int64) & 0x1FFFFFFF) == 0x10000000
    if halfway.any():
        wide, addend = np.broadcast_arrays(wide, np.asarray(c, np.float64))
        total = _add_to_odd(wide, addend)
    return total.astype(np.float32)


def fma64(a: Doubles, b: Any, c: Any) -> Doubles:
    """Of float64, for numbers far from overflow; where something is not finite, the plain result."""
    a, b, c = np.broadcast_arrays(a, np.asarray(b, np.float64), np.asarray(c, np.float64))
    with np.errstate(all="ignore"):
        high, low = _two_product(a, b)
        sum_high, sum_low = _two_sum(c, low)
        top, rest = _two_sum(high, sum_high)
        total = np.asarray(top + _add_to_odd(sum_low, rest))
        return np.where(np.isfinite(total), total, a * b + c)


def _two_sum(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def _add_to_odd(a: Doubles, b: Doubles) -> Doubles:
    """The sum, rounded to an odd last bit if inexact, so that rounding it once more is as if it were exact
    (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008)."""
    total, error = _two_sum(a, b)
    even = (total.view(np.int64) & 1) == 0
    towards = np.where(error > 0, np.inf, -np.inf)
    return np.where((error != 0) & even, np.nextafter(total, towards), total)


def _split(a: Doubles) -> tuple[Doubles, Doubles]:
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


def _two_product(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
