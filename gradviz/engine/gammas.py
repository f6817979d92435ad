"""Functions around Γ and the normal distribution on whole arrays of double precision: Hurwitz's zeta, polygamma, the
incomplete gamma functions, the scaled complementary error function and the normal distribution's own. The elementary
ones are in `numeric.py`, Bessel's in `bessel.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine import numeric

Array = np.ndarray[Any, Any]

# --- zeta and polygamma ---

_EVEN_BERNOULLI = (
    *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730),
    *(7 / 6, -3617 / 510, 43867 / 798, -174611 / 330, 854513 / 138, -236364091 / 2730),
)


def zeta(x: Array, q: Array) -> Array:
    """Σ (q + k)⁻ˣ over k ≥ 0: ten terms at least and those up to 10, then the Euler-Maclaurin remainder."""
    x, q = np.broadcast_arrays(x, q)
    a, total = q.astype(np.float64), np.zeros(x.shape)
    enough = np.where(q < 1e4, np.maximum(a, 0) + 10, a)
    while (low := (a < enough) & (a > -1e4)).any():
        total = total + np.where(low, a**-x, 0)
        a = np.where(low, a + 1, a)
    power = a**-x
    total = total + power * a / (x - 1) + power / 2
    factor = x * power / a
    for k, b in enumerate(_EVEN_BERNOULLI, start=1):
        total = total + b / math.factorial(2 * k) * factor
        factor = factor * (x + 2 * k - 1) * (x + 2 * k) / (a * a)
    whole = q == np.floor(q)
    left = np.where(whole, np.inf, np.where(x == np.floor(x), total, np.nan))
    found = np.where(q <= 0, left, total)
    return np.where(x == 1, np.inf, np.where(x < 1, np.nan, found))


def _trigamma(x: Array) -> Array:
    reflected = x < 0.5
    y = np.where(reflected, 1 - x, x)
    found = zeta(np.asarray(2.0), y)
    return np.where(reflected, (np.pi / np.sin(np.pi * x)) ** 2 - found, np.where(np.isposinf(x), 0.0, found))


def polygamma(n: int, x: Array) -> Array:
    """ψ⁽ⁿ⁾(x)."""
    y = np.asarray(x, np.float64)
    if n == 0:
        found = numeric.digamma(y)
    elif n == 1:
        found = _trigamma(y)
    else:
        found = (-1.0) ** (n + 1) * math.gamma(n + 1) * zeta(np.asarray(n + 1.0), y)
    return np.asarray(found).astype(x.dtype)


# --- the incomplete gamma functions ---

_STIRLING = (1 / 12, 1 / 288, -139 / 51840, -571 / 2488320, 163879 / 209018880, 5246819 / 75246796800)
_ROUNDS = 2000
_EPSILON = np.finfo(np.float64).eps


def _front(a: Array, x: Array) -> Array:
    """xᵃ e⁻ˣ / Γ(a + 1); for large a through Stirling's series, without the difference of large numbers."""
    plain = np.exp(a * np.log(x) - x - numeric.lgamma(a + 1))
    mu = (x - a) / a
    star = sum((c / a**k for k, c in enumerate(_STIRLING, start=1)), np.ones_like(a))
    far = np.exp(a * (np.log1p(mu) - mu)) / (np.sqrt(2 * np.pi * a) * star)
    return np.where(a > 20, far, plain)


def _lower(a: Array, x: Array) -> Array:
    """P(a, x) by its power series."""
    term, total, n = np.ones_like(x), np.ones_like(x), np.copy(a)
    for _ in range(_ROUNDS):
        n = n + 1
        term = term * x / n
        total = total + term
        if (term <= _EPSILON * total).all():
            break
    return _front(a, x) * total


def _upper(a: Array, x: Array) -> Array:
    """Q(a, x) by Lentz's form of its continued fraction."""
    b = x + 1 - a
    c, d = np.full_like(x, 1e300), 1 / b
    found = np.copy(d)
    for i in range(1, _ROUNDS):
        step = -i * (i - a)
        b = b + 2
        d = 1 / np.where(step * d + b == 0, 1e-300, step * d + b)
        c = np.where(b + step / c == 0, 1e-300, b + step / c)
        found = found * c * d
        if (np.abs(c * d - 1) <= _EPSILON).all():
            break
    return _front(a, x) * a * found


def _upper_small(a: Array, x: Array) -> Array:
    """Q(a, x) for a small x, where 1 − P would lose digits."""
    term, total = np.ones_like(x), np.zeros_like(x)
    for n in range(1, 30):
        term = term * -x / n
        total = total + term / (a + n)
    logs = a * np.log(x) - numeric.lgamma(1 + a)
    return np.asarray(-np.expm1(logs) - a * np.exp(logs) * total)


def _both(a: Array, x: Array) -> tuple[Array, Array]:
    """P and Q."""
    a, x = (np.asarray(each, np.float64) for each in np.broadcast_arrays(a, x))
    p = np.full(a.shape, np.nan)
    usual = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    p[((a == 0) & (x > 0)) | (np.isposinf(x) & (a >= 0) & np.isfinite(a))] = 1
    p[((a > 0) & (x == 0)) | (np.isposinf(a) & (x >= 0) & np.isfinite(x))] = 0
    q = np.array(1 - p)
    small = usual & (x <= 1.1) & (a <= x + 0.5)
    low = usual & ~small & (x <= a + 1)
    high = usual & ~small & ~low
    q[small] = _upper_small(a[small], x[small])
    p[low] = _lower(a[low], x[low])
    q[high] = _upper(a[high], x[high])
    p[small], q[low], p[high] = _lower(a[small], x[small]), 1 - p[low], 1 - q[high]
    return p, q


def igamma(a: Array, x: Array) -> Array:
    """The lower incomplete gamma function over Γ(a)."""
    return _both(a, x)[0]


def igammac(a: Array, x: Array) -> Array:
    """The upper incomplete gamma function over Γ(a)."""
    return _both(a, x)[1]


# --- the normal distribution ---


def erfcx(x: Array) -> Array:
    """e^(x²) erfc(x)."""
    y = np.abs(x)
    near = np.exp(y * y) * numeric.erfc(y)
    term, total = np.ones_like(y), np.ones_like(y)
    for k in range(1, 32):
        term = term * -(2 * k - 1) / (2 * y * y)
        total = total + term
    right = np.where(y < 6, near, total / (y * math.sqrt(math.pi)))
    right = np.where(np.isinf(y), 0.0, right)
    return np.where(x < 0, 2 * np.exp(x * x) - right, right)


def log_ndtr(x: Array) -> Array:
    """The logarithm of the normal distribution function, rounded at each step as PyTorch does: what is computed from it
    (its slope) shows these roundings."""
    t = x * x.dtype.type(math.sqrt(0.5))
    scaled = erfcx(-t.astype(np.float64)).astype(x.dtype)
    left = numeric.log(scaled / x.dtype.type(2)) - t * t
    right = numeric.log1p(-numeric.erfc(t) / x.dtype.type(2))
    return np.where(np.isneginf(x), x, np.where(x < -1, left, right))


def ndtri(p: Array) -> Array:
    """The inverse of the normal distribution function: erf⁻¹ in the middle, Newton's method on the logarithm beside."""
    tail = np.minimum(p, 1 - p)
    middle = math.sqrt(2) * numeric.erfinv(2 * p - 1)
    logs = np.log(np.where(tail > 0, tail, 0.5))
    z = -np.sqrt(-2 * logs)
    for _ in range(8):
        ratio = math.sqrt(math.pi / 2) * erfcx(-z * math.sqrt(0.5))
        z = z - (log_ndtr(z) - logs) * ratio
    found = np.where(tail > 0.25, middle, np.where(p < 0.5, z, -z))
    found = np.where(tail == 0, np.where(p < 0.5, -np.inf, np.inf), found)
    return np.where((p < 0) | (p > 1) | np.isnan(p), np.nan, found)


def entr(x: Array) -> Array:
    """−x ln x."""
    return np.where(x < 0, -np.inf, np.where(x == 0, 0.0, -x * np.log(x)))
