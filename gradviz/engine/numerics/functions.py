"""Functions on whole arrays for the forwards of the op rows: elementary ones with PyTorch's last digit, and special
functions that NumPy lacks: the error functions, Γ and its relatives, Hurwitz's zeta, polygamma, the incomplete gamma
functions, those of the normal distribution, and the orthogonal polynomials of `torch.special`. Bessel functions are in
`bessel.py`.

Note [The last digit] NumPy's single precision functions are off by one in the last binary digit for a third of all
numbers, PyTorch's for almost none. So single precision goes through double precision and is rounded once, which gives
PyTorch's number for 99 of 100 arguments (95 for sin and cos, 91 for log)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array, ArrayOrScalar, Kernel


def precise(function: np.ufunc) -> Kernel:
    """Make `function` compute single precision in double precision; see Note [The last digit]."""

    def computed(x: ArrayOrScalar, *more: object) -> Any:
        if x.dtype != np.float32:
            return function(x, *more)
        return function(x, *more, dtype=np.float64).astype(np.float32)

    return computed


_BRANCHES = 1_000  # elements; from there on a branch for each of them costs more than three passes without


def chosen(which: ArrayOrScalar, yes: ArrayOrScalar, no: ArrayOrScalar) -> Array:
    """`np.where(which, yes, no)`. NumPy branches at each element, and where a mask looks random, as that of a relu, the
    processor guesses wrong half the time, which takes ten times as long as everything else. So here the bits of larger
    arrays are mixed, of any one type."""
    of_numpy = all(isinstance(each, (np.ndarray, np.generic)) for each in (which, yes, no))
    if not of_numpy or which.size < _BRANCHES or which.dtype != np.bool_ or yes.dtype != no.dtype or yes.itemsize > 8:
        found: Array = np.where(which, yes, no)
        return found
    bits = f"i{yes.itemsize}"
    first, second = yes.view(bits), no.view(bits)
    kept = np.negative(which.view(np.int8))  # all bits or none
    mixed: Array = (((first ^ second) & kept) ^ second).view(yes.dtype)
    return mixed


def one_minus_product(x: Array, y: Any) -> Any:
    """1 − x · y; in single precision rounded once, like a fused multiply-add."""
    if x.dtype != np.float32:
        return 1 - x * y
    return (1 - x.astype(np.float64) * y).astype(np.float32)


def sigmoid(x: Any) -> Any:
    """1 / (1 + e⁻ˣ), with roundings in this order; half types are rounded once, at the end."""
    if x.dtype.itemsize == 2:
        return sigmoid(x.astype(np.float32)).astype(x.dtype)
    return (1 / (1 + exp(-x))).astype(x.dtype)


exp, exp2, expm1 = precise(np.exp), precise(np.exp2), precise(np.expm1)
log, log2, log10, log1p = precise(np.log), precise(np.log2), precise(np.log10), precise(np.log1p)
sin, cos, tan = precise(np.sin), precise(np.cos), precise(np.tan)
arcsin, arccos, arctan = precise(np.arcsin), precise(np.arccos), precise(np.arctan)
sinh, cosh, tanh = precise(np.sinh), precise(np.cosh), precise(np.tanh)
arcsinh, arccosh, arctanh = precise(np.arcsinh), precise(np.arccosh), precise(np.arctanh)
power = precise(np.power)

_erf = np.frompyfunc(math.erf, 1, 1)  # C, to the last digit of a double
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _lgamma_of(x: float) -> float:
    return math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


_lgamma = np.frompyfunc(_lgamma_of, 1, 1)


def _apply(fn: np.ufunc, x: Array) -> Array:
    return np.asarray(fn(x.astype(np.float64)), dtype=np.float64).astype(x.dtype)


_STEPS, _END = 512, 6.0  # of a table of erf: so many for each unit, up to where it is 1 in double precision


@functools.cache
def _erf_table() -> tuple[Array, Array]:
    """erf and its derivative."""
    x = np.arange(int(_END * _STEPS) + 1) / _STEPS
    return _apply(_erf, x), 2 / math.sqrt(math.pi) * np.exp(-x * x)


def _erf_single(x: Array) -> Array:
    """erf for single precision: from the nearest place of a table four terms of its Taylor series, which leaves an
    error of 1e-13. A loop over `math.erf` takes eight times as long for large arrays."""
    values, slopes = _erf_table()
    y = np.fmin(np.abs(x.astype(np.float64)), _END)  # NaN becomes a number here, and NaN again below
    at = np.rint(y * _STEPS).astype(np.intp)
    near = at / _STEPS
    d = y - near
    found = values[at] + slopes[at] * d * (1 + d * (-near + d * ((2 * near * near - 1) / 3)))
    return np.asarray(np.where(np.isnan(x), x, np.copysign(found, x))).astype(np.float32)


def erf(x: Array) -> Array:
    """The error function."""
    return _erf_single(x) if x.dtype == np.float32 and x.size > _BRANCHES else _apply(_erf, x)


def erfc(x: Array) -> Array:
    """1 − erf(x), without cancellation."""
    return _apply(_erfc, x)


def lgamma(x: Array) -> Array:
    """The logarithm of |Γ(x)|; inf at the poles."""
    return _apply(_lgamma, x)


def erfinv(x: Array) -> Array:
    """The inverse of erf on (−1, 1): a first guess (Winitzki 2008) refined by three Newton steps."""
    y = x.astype(np.float64)
    inner = np.clip(y, -1 + 1e-16, 1 - 1e-16)
    logs = np.log1p(-inner * inner)
    a = 0.147
    half = 2 / (np.pi * a) + logs / 2
    z = np.sign(inner) * np.sqrt(np.sqrt(half * half - logs / a) - half)
    for _ in range(3):
        error = np.where(np.abs(z) < 1, erf(z) - inner, np.sign(z) * ((1 - np.abs(inner)) - erfc(np.abs(z))))
        z = z - error / (2 / math.sqrt(math.pi) * np.exp(-z * z))
    z = np.where(np.abs(y) == 1, np.sign(y) * np.inf, z)
    return np.asarray(np.where(np.abs(y) > 1, np.nan, z)).astype(x.dtype)


def digamma(x: Array) -> Array:
    """ψ(x) = d ln Γ(x) / dx: reflection below 0, recurrence up to 10, then the asymptotic series."""
    y = np.array(x, np.float64)
    negative = y < 0
    z = np.where(negative, 1 - y, y)
    total = np.zeros_like(z)
    for _ in range(10):
        low = z < 10
        total = np.where(low, total - 1 / np.where(z == 0, np.nan, z), total)
        z = np.where(low, z + 1, z)
    inverse = 1 / (z * z)
    coefficients = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
    series = np.zeros_like(z)
    for c in reversed(coefficients):
        series = inverse * (c + series)
    found = total + np.log(z) - 0.5 / z - series
    with np.errstate(all="ignore"):
        reflected = found - np.pi / np.tan(np.pi * y)
    pole = negative & (y == np.floor(y))
    found = np.where(pole, np.nan, np.where(negative, reflected, found))
    return np.asarray(np.where(y == 0, np.copysign(np.inf, -y), found)).astype(x.dtype)


def logaddexp(x: Array, y: Any) -> Any:
    """log(exp(x) + exp(y)); for complex numbers the one with the larger real part is factored out."""
    if x.dtype.kind != "c":
        return np.logaddexp(x, y)
    first = x.real >= y.real
    high, low = np.where(first, x, y), np.where(first, y, x)
    return high + np.log1p(np.exp(low - high))


# --- zeta and polygamma ---

_EVEN_BERNOULLI = (
    *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730),
    *(7 / 6, -3617 / 510, 43867 / 798, -174611 / 330, 854513 / 138, -236364091 / 2730),
)


def zeta(x: Array, q: Array) -> Array:
    """Σ (q + k)⁻ˣ over k ≥ 0: at least ten terms and all up to 10, then the Euler-Maclaurin remainder."""
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
        found = digamma(y)
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
    """xᵃ e⁻ˣ / Γ(a + 1); for large a by Stirling's series, without the difference of large numbers."""
    plain = np.exp(a * np.log(x) - x - lgamma(a + 1))
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
    """Q(a, x) for small x, where 1 − P would lose digits."""
    term, total = np.ones_like(x), np.zeros_like(x)
    for n in range(1, 30):
        term = term * -x / n
        total = total + term / (a + n)
    logs = a * np.log(x) - lgamma(1 + a)
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
    """The lower incomplete gamma function divided by Γ(a)."""
    return _both(a, x)[0]


def igammac(a: Array, x: Array) -> Array:
    """The upper incomplete gamma function divided by Γ(a)."""
    return _both(a, x)[1]


# --- the normal distribution ---


def erfcx(x: Array) -> Array:
    """e^(x²) erfc(x)."""
    y = np.abs(x)
    near = np.exp(y * y) * erfc(y)
    term, total = np.ones_like(y), np.ones_like(y)
    for k in range(1, 32):
        term = term * -(2 * k - 1) / (2 * y * y)
        total = total + term
    right = np.where(y < 6, near, total / (y * math.sqrt(math.pi)))
    right = np.where(np.isinf(y), 0.0, right)
    return np.where(x < 0, 2 * np.exp(x * x) - right, right)


def log_ndtr(x: Array) -> Array:
    """The logarithm of the normal distribution function, rounded at each step as PyTorch does: values derived from it
    (its slope) show these roundings."""
    t = x * x.dtype.type(math.sqrt(0.5))
    scaled = erfcx(-t.astype(np.float64)).astype(x.dtype)
    left = log(scaled / x.dtype.type(2)) - t * t
    right = log1p(-erfc(t) / x.dtype.type(2))
    return np.where(np.isneginf(x), x, np.where(x < -1, left, right))


def ndtri(p: Array) -> Array:
    """The inverse of the normal distribution function: erf⁻¹ in the middle, Newton's method on the logarithm in the
    tails."""
    tail = np.minimum(p, 1 - p)
    middle = math.sqrt(2) * erfinv(2 * p - 1)
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


# --- orthogonal polynomials ---
# Each by its recurrence in the degree, which may differ from element to element; Chebyshev polynomials of high degree
# inside
# (−1, 1) by their trigonometric form.

Step = Callable[[Array, Array, Array, int], Array]  # (x, the last, the one before, degree of the last)


def _recur(x: Array, n: Array, first: Array, step: Step) -> Array:
    """The polynomial of degree n, from those of degree 0 (which is 1) and 1."""
    before, last = np.ones_like(x), first
    found = np.where(n == 0, before, np.where(n == 1, last, x.dtype.type(0)))
    for degree in range(1, int(n.max(initial=0))):
        before, last = last, step(x, last, before, degree)
        found = np.where(n == degree + 1, last, found)
        if not np.isfinite(last).any():  # NaN and overflow are final
            found = np.where(n > degree + 1, last, found)
            break
    return found


def _prepared(x: Array, n: Array) -> tuple[Array, Array]:
    x, n = np.broadcast_arrays(x, n)
    return x, np.trunc(np.nan_to_num(n)).astype(np.int64)


def polynomial(
    first: Callable[[Array], Array], step: Step, limit: int | None = None
) -> Callable[[Array, Array], Array]:
    """The function of x and n for one family; above the degree `limit` PyTorch returns nan."""

    def values(x: Array, n: Array) -> Array:
        x, n = _prepared(x, n)
        found = _recur(x, n if limit is None else np.minimum(n, limit), first(x), step)
        return found if limit is None else np.where(n > limit, np.nan, found).astype(x.dtype)

    return values


def chebyshev(
    first: Callable[[Array], Array], trigonometric: Kernel, *, shifted: bool
) -> Callable[[Array, Array], Array]:
    """The function of x and n for one of the four Chebyshev families, over [0, 1] if shifted."""

    def values(x: Array, n: Array) -> Array:
        x, n = _prepared(x, n)
        y = x + x - 1 if shifted else x
        far = (n > 8) & (np.abs(y) < 1)
        angle = np.arccos(y)
        plain = _recur(y, np.where(far, 0, n), first(y), lambda y, last, before, _: (y + y) * last - before)
        return np.where(far, trigonometric(angle, n), plain).astype(x.dtype)

    return values


def chebyshev_kinds(shifted: bool) -> dict[str, Callable[[Array, Array], Array]]:
    """The Chebyshev polynomials of the first to the fourth kind."""
    return {
        "t": chebyshev(lambda y: y, lambda a, n: np.cos(n * a), shifted=shifted),
        "u": chebyshev(lambda y: y + y, lambda a, n: np.sin((n + 1) * a) / np.sin(a), shifted=shifted),
        "v": chebyshev(lambda y: y + y - 1, lambda a, n: np.cos((n + 0.5) * a) / np.cos(a / 2), shifted=shifted),
        "w": chebyshev(lambda y: y + y + 1, lambda a, n: np.sin((n + 0.5) * a) / np.sin(a / 2), shifted=shifted),
    }


hermite_h = polynomial(lambda x: x + x, lambda x, last, before, n: (x + x) * last - 2 * n * before, 512)
hermite_he = polynomial(lambda x: x, lambda x, last, before, n: x * last - n * before, 512)
laguerre_l = polynomial(lambda x: 1 - x, lambda x, last, before, n: ((2 * n + 1 - x) * last - n * before) / (n + 1))
legendre_p = polynomial(lambda x: x, lambda x, last, before, n: ((2 * n + 1) * x * last - n * before) / (n + 1))
