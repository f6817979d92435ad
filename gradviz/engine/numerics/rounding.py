"""Arithmetic rounded as PyTorch's x86 kernels round it, in NumPy: `a * b + c` with one rounding, which is what the
compiler makes of most products that are added to something; float32 `log`, `sin` and `cos` to the last bit of the
vector code with which PyTorch generates normal numbers; and the steps of the optimizers, which `gradviz.torch.optim`
puts in order.

Note [Order of operations] The last bit depends on which product is fused with which sum, and GCC fuses the product that
comes first. The formulas below say what PyTorch's binary does; a simpler form gives other numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.dtypes import Array

Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]
BLOCK = 16_384  # elements
_LOW, _HALFWAY = 0x1FFFFFFF, 0x10000000  # bits of a double beyond those of a single, and half of its last one


def fma(a: Array, b: Any, c: object) -> Array:
    """`a * b + c` rounded once to the type of `a`; scalars are taken in that type, half types work in float32."""
    if a.dtype == np.float64:
        return fma64(a, np.float64(b), np.asarray(c, np.float64))
    if a.dtype == np.float32:
        return fma32(a, np.asarray(b, np.float32), np.asarray(c, np.float32))
    if a.dtype.kind in "fV":
        return fma(a.astype(np.float32), np.asarray(b, np.float32), np.asarray(c, np.float32)).astype(a.dtype)
    total: Array = a * b + c
    return total.astype(a.dtype)


def fma32(a: Singles, b: Any, c: Any) -> Singles:
    """`fma` for float32. Large arrays are processed in blocks, so that intermediate results stay in the processor's
    cache."""
    if a.size <= BLOCK:
        return _fma32(a, b, c)
    shape = np.broadcast_shapes(a.shape, np.shape(b), np.shape(c))
    made = np.empty(shape, np.float32)
    flat = made.reshape(-1)
    operands = [each if np.ndim(each) == 0 else np.broadcast_to(each, shape).reshape(-1) for each in (a, b, c)]
    room = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, len(flat), BLOCK):
        part = slice(start, start + BLOCK)
        x, y, z = (each if np.ndim(each) == 0 else each[part] for each in operands)
        flat[part] = _fma32(x, y, z, room)
    return made


def _fma32(a: Array, b: Any, c: Any, room: tuple[Array, Array] | None = None) -> Array:
    """The product is exact in float64, where the sum is rounded to odd. In `room` for two arrays nothing is allocated;
    what is returned then is still in float64."""
    if room is None:
        wide = np.multiply(a, b, dtype=np.float64)
        total = np.asarray(wide + c)
        low = total.view(np.int64) & _LOW
    else:
        wide, total = (each[: len(a)] for each in room)
        wide[...], total[...] = a, c
        wide *= b
        total += wide
        low = np.bitwise_and(total.view(np.int64), _LOW, out=wide.view(np.int64))
    if np.count_nonzero(low == _HALFWAY):
        wide, addend = np.broadcast_arrays(np.multiply(a, b, dtype=np.float64), np.asarray(c, np.float64))
        total = _add_to_odd(wide, addend)
    return total if room is not None else total.astype(np.float32)


def fma64(a: Doubles, b: object, c: object) -> Doubles:
    """`fma` for float64, for numbers far from overflow; the plain result where something is not finite."""
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
    """The sum, rounded to an odd last bit if inexact, so that rounding it once more is correct (Boldo and Melquiond,
    "Emulation of FMA and correctly rounded sums", 2008)."""
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


# --- log, sin and cos: the Cephes polynomials in the form of Julien Pommier's sse_mathfun ---

# Singles are held in float64 arrays here: NumPy converts as it adds only slowly, and the sum, the product and the root
# of two singles are rounded right when they are rounded to float64 first.
Factor = Doubles | np.float64 | float
Fma = Callable[[Doubles, Factor, Factor], Doubles]


def single(x: Doubles) -> Doubles:
    """Each number rounded to single precision."""
    return x.astype(np.float32).astype(np.float64)


def fma_to_odd(a: Doubles, b: Factor, c: Factor) -> Doubles:
    """`a * b + c` of singles, rounded once."""
    return single(_add_to_odd(a * b, np.broadcast_to(np.float64(c), a.shape)))


class Unchecked:
    """`fma_to_odd` without a look at each sum; after `count` of them, `doubtful` says for which numbers one lay halfway
    between two singles in float64, so that it may have been rounded twice."""

    def __init__(self, shape: tuple[int, ...], count: int) -> None:
        self._sums = np.empty((count, *shape))
        self._rows = iter(self._sums)

    def __call__(self, a: Doubles, b: Factor, c: Factor) -> Doubles:
        row = next(self._rows)
        np.multiply(a, b, row)
        return single(np.add(row, c, row))

    def doubtful(self) -> NDArray[np.bool_]:
        """Which numbers have to be computed with `fma_to_odd`."""
        halfway = (self._sums.view(np.int64) & _LOW) == _HALFWAY
        found: NDArray[np.bool_] = np.logical_or.reduce(halfway, axis=0)
        return found


def _singles(*numbers: float) -> tuple[float, ...]:
    return tuple(np.array(numbers, np.float32).tolist())


_LOG = _singles(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_SIN = _singles(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _singles(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_LN2_LOW, _LN2_HIGH, _SQRT_HALF = _singles(-2.12194440e-4, 0.693359375, 0.707106781186547524)
_FOUR_OVER_PI, *_QUARTER_PI = _singles(
    1.27323954473516, -0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8
)
LOG_SUMS, SINCOS_SUMS = 9, 7  # calls of `fma`


def _horner(coefficients: Sequence[float], x: Doubles, fma: Fma) -> Doubles:
    total = fma(x, coefficients[0], coefficients[1])
    for coefficient in coefficients[2:]:
        total = fma(total, x, coefficient)
    return total


def log(x: Doubles, fma: Fma = fma_to_odd) -> Doubles:
    """The natural logarithm of normal positive singles."""
    fraction, exponent = np.frexp(x)
    low = fraction < _SQRT_HALF
    e = (exponent - low).astype(np.float64)
    x = fraction - 1 + fraction * low
    z = single(x * x)
    y = fma(single(_horner(_LOG, x, fma) * x), z, single(e * _LN2_LOW))
    y = single(y - z * 0.5)
    return single(e * _LN2_HIGH + single(x + y))  # the product and the sum are exact


def sincos(x: Doubles, fma: Fma = fma_to_odd) -> tuple[Doubles, Doubles]:
    """Sine and cosine of singles from 0 to a few thousand."""
    octant = (single(x * _FOUR_OVER_PI).astype(np.int64) + 1) & ~1
    y = octant.astype(np.float64)
    for part in _QUARTER_PI[:2]:
        x = single(x + y * part)  # the products and the sums are exact
    x = fma(y, _QUARTER_PI[2], x)
    z = single(x * x)
    cosine = single(fma(single(_horner(_COS, z, fma) * z), z, z * -0.5) + 1)
    sine = fma(single(_horner(_SIN, z, fma) * z), x, x)
    # Swapped and negated without branches, which would be guessed wrong half the time.
    first, second = sine.view(np.int64), cosine.view(np.int64)
    swapped = (first ^ second) & -((octant >> 1) & 1)
    first = first ^ swapped ^ ((octant & 4) << 61)
    second = second ^ swapped ^ (((octant - 2) & 4 ^ 4) << 61)
    return first.view(np.float64), second.view(np.float64)


# --- steps of optimizers, on arrays of one floating type ---


def widened(array: Array) -> Array:
    """The array in the type in which the arithmetic is done: half types in float32."""
    return array.astype(np.float32) if array.dtype.kind in "fV" and array.dtype.itemsize < 4 else array


def add(a: Array, b: Array, alpha: float) -> Array:
    """`a.add(b, alpha=alpha)`."""
    if alpha == 1:  # one rounding anyway
        return np.asarray(widened(b) + widened(a)).astype(a.dtype, copy=False)
    return fma(widened(b), alpha, widened(a)).astype(a.dtype, copy=False)


def scale(a: Array, factor: float) -> Array:
    """`a.mul(factor)`."""
    wide = widened(a)
    product: Array = wide * wide.dtype.type(factor)
    return product.astype(a.dtype, copy=False)


def addcmul(a: Array, first: Array, second: Array, value: float) -> Array:
    """`a.addcmul(first, second, value=value)`."""
    wide = widened(first)
    return fma(wide * wide.dtype.type(value), widened(second), widened(a)).astype(a.dtype, copy=False)


def addcdiv(a: Array, first: Array, second: Array, value: float) -> Array:
    """`a.addcdiv(first, second, value=value)`."""
    wide = widened(first)
    with np.errstate(divide="ignore", invalid="ignore"):
        total: Array = widened(a) + wide * wide.dtype.type(value) / widened(second)
    return total.astype(a.dtype, copy=False)


def lerp(a: Array, end: Array, weight: float) -> Array:
    """`a.lerp(end, weight)`: computed from the nearer of the two ends."""
    start, stop = widened(a), widened(end)
    difference = stop - start
    small = start.dtype.type(weight)
    if abs(weight) < 0.5:
        return fma(difference, small, start).astype(a.dtype, copy=False)
    return fma(-difference, start.dtype.type(1) - small, stop).astype(a.dtype, copy=False)


def lerp_each(a: Array, end: Array, weight: Array) -> Array:
    """`a.lerp(end, weight)` with a weight for each element."""
    start, stop, part = widened(a), widened(end), widened(weight)
    difference = stop - start
    near, far = fma(difference, part, start), fma(-difference, 1 - part, stop)
    return np.where(np.abs(part) < 0.5, near, far).astype(a.dtype, copy=False)


def root(a: Array, divisor: float = 1.0, eps: float = 0.0) -> Array:
    """`a.sqrt() / divisor + eps`, each rounded; the last bit of PyTorch's root (a vector library) may differ."""
    wide = widened(a)
    kind = wide.dtype.type
    value = np.sqrt(wide).astype(a.dtype, copy=False)
    if divisor != 1.0:
        value = (widened(value) / kind(divisor)).astype(a.dtype, copy=False)
    return (widened(value) + kind(eps)).astype(a.dtype, copy=False) if eps else value


def shift(a: Array, amount: float) -> Array:
    """`a.add(amount)`."""
    wide = widened(a)
    total: Array = wide + wide.dtype.type(amount)
    return total.astype(a.dtype, copy=False)
