"""Float32 `log`, `sin` and `cos` to the last bit of the vector code that PyTorch fills normal numbers with on x86 (the
Cephes polynomials in the form of Julien Pommier's sse_mathfun, http://gruntthepeon.free.fr/ssemath). See
`distributions` next.

Note [Order of operations]: the last bit depends on which product is fused with which sum, and GCC fuses the product
that comes first. The formulas below say what PyTorch's binary does; a simpler form gives other numbers.
"""

import numpy as np

from gradviz.engine.fused import Singles, fma32

_LOG = np.array([
        7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
        -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
    ], np.float32)  # fmt: skip
_LN2_LOW, _LN2_HIGH = np.array([-2.12194440e-4, 0.693359375], np.float32)
_SQRT_HALF = np.float32(0.707106781186547524)
_SIN = np.array([-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1], np.float32)
_COS = np.array([2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2], np.float32)
_QUARTER_PI = np.array([-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8], np.float32)
_FOUR_OVER_PI = np.float32(1.27323954473516)
_HALF = np.float32(0.5)
_ONE = np.float32(1)


def _horner(coefficients: Singles, x: Singles) -> Singles:
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = fma32(total, x, coefficient)
    return total


def log(x: Singles) -> Singles:
    """The natural logarithm of normal positive numbers."""
    fraction, exponent = np.frexp(x)
    low = fraction < _SQRT_HALF
    e = exponent.astype(np.float32) - low.astype(np.float32)
    x = (fraction - _ONE) + np.where(low, fraction, np.float32(0))
    z = x * x
    y = fma32(_horner(_LOG, x) * x, z, e * _LN2_LOW)
    y = y - z * _HALF
    return fma32(e, _LN2_HIGH, x + y)


def sincos(x: Singles) -> tuple[Singles, Singles]:
    """Sine and cosine of numbers from 0 up to some thousands."""
    octant = ((x * _FOUR_OVER_PI).astype(np.int32) + 1) & ~1
    y = octant.astype(np.float32)
    for part in _QUARTER_PI:
        x = fma32(y, part, x)
    z = x * x
    cosine = fma32(_horner(_COS, z) * z, z, z * -_HALF) + _ONE
    sine = fma32(_horner(_SIN, z) * z, x, x)
    swapped = (octant & 2) != 0
    sine_negative = (octant & 4) != 0
    cosine_negative = ((octant - 2) & 4) == 0
    first = np.where(swapped, cosine, sine)
    second = np.where(swapped, sine, cosine)
    return np.where(sine_negative, -first, first), np.where(cosine_negative, -second, second)
