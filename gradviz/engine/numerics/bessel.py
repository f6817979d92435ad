"""Bessel functions of the orders 0 and 1, and the Airy function, on whole arrays of double precision: Bessel's
integrals by the midpoint rule, which is exact to the last digits for periodic functions, and the asymptotic series for
large arguments (Abramowitz & Stegun, chapters 9 and 10). The functions around Γ are in `functions.py`.

Note [The midpoint rule] With N points on half a period the rule adds only the Bessel function of order 2N, which for
arguments up to N is far below the last digit. So each function is a product of an array (arguments × points) with fixed
weights.

Note [Leading terms] Beyond 5 (and for Ai below −2.09) PyTorch divides by the polynomials of the Cephes library
(S. Moshier, http://www.netlib.org/cephes) without their leading terms, which costs it the seventh digit near that end.
The same is done here, so that the digits are the same.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from gradviz.engine.kernel.dtypes import Array

POINTS = 64
NEAR = 25.0  # the integrals below, the asymptotic series above
ANGLES = np.pi * (np.arange(POINTS) + 0.5) / POINTS
SINES, COSINES = np.sin(ANGLES), np.cos(ANGLES)


def _split(x: Array, near: Callable[[Array], Array], far: Callable[[Array], Array], limit: float = NEAR) -> Array:
    """`near` where x is at most `limit` and `far` elsewhere, each computed only where it is needed."""
    found = np.empty(x.shape)
    small = x <= limit
    found[small] = near(x[small])
    found[~small] = far(x[~small])
    return found


def _mean(values: Array) -> Array:
    return np.asarray(values.mean(-1))


def _hankel(order: int, terms: int = 30) -> tuple[Array, Array]:
    """The coefficients a_k of the asymptotic series: those with even k, and those with odd k."""
    a = [1.0]
    for k in range(1, terms):
        a.append(a[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    signs = (-1.0) ** (np.arange(terms) // 2)
    return (np.array(a) * signs)[0::2], (np.array(a) * signs)[1::2]


def _asymptotic(x: Array, order: int) -> tuple[Array, Array]:
    """J and Y of a large argument, by the asymptotic series."""
    even, odd = _hankel(order)
    square = 1 / (x * x)
    p, q = np.polynomial.polynomial.polyval(square, even), np.polynomial.polynomial.polyval(square, odd) / x
    sine, cosine = np.sin(x), np.cos(x)
    c, s = (sine + cosine, sine - cosine) if order == 0 else (sine - cosine, -sine - cosine)
    scale = 1 / np.sqrt(np.pi * x)
    return scale * (p * c - q * s), scale * (p * s + q * c)


_DENOMINATORS = (  # of order 0 and of order 1, in (5 / x)², without the leading term
    (6.43178256118178023184e1, 8.56430025976980587198e2, 3.88240183605401609683e3, 7.24046774195652478189e3,
     5.93072701187316984827e3, 2.06209331660327847417e3, 2.42005740240291393179e2),
    (7.42373277035675149943e1, 1.05644886038262816351e3, 4.98641058337653607651e3, 9.56231892404756170795e3,
     7.99704160447350683650e3, 2.82619278517639096600e3, 3.36093607810698293419e2),
)  # fmt: skip


def _as_pytorch(order: int, x: Array, j: Array, y: Array) -> tuple[Array, Array]:
    """J and Y of positive arguments, with PyTorch's last digits; see Note [Leading terms]."""
    phase = x - np.pi / 4 - order * np.pi / 2
    sine, cosine, z = np.sin(phase), np.cos(phase), 25 / (x * x)
    share = (y * cosine - j * sine) * z**7 / np.polyval(_DENOMINATORS[order], z)
    share = np.where(x > 5, share, 0)
    return j - share * sine, y + share * cosine


def _pair(order: int, x: Array) -> tuple[Array, Array]:
    return _as_pytorch(order, x, *((_j0(x), _y0(x)) if order == 0 else (_j1(x), _y1(x))))


def j0(x: Array) -> Array:
    """J₀."""
    x = np.abs(x)
    return _split(x, _j0, lambda x: _pair(0, x)[0], 5.0)


def j1(x: Array) -> Array:
    """J₁."""
    return np.copysign(1, x) * _split(np.abs(x), _j1, lambda x: _pair(1, x)[0], 5.0)


def y0(x: Array) -> Array:
    """Y₀; −∞ at 0, NaN below."""
    return _right_of_zero(x, -np.inf, lambda x: _split(x, _y0, lambda x: _pair(0, x)[1], 5.0))


def y1(x: Array) -> Array:
    """Y₁; −∞ at 0, NaN below."""
    return _right_of_zero(x, -np.inf, lambda x: _split(x, _y1, lambda x: _pair(1, x)[1], 5.0))


def _j0(x: Array) -> Array:
    near = functools.partial(_integral, lambda x: np.cos(x * SINES))
    return _split(x, near, lambda x: _asymptotic(x, 0)[0])


def _j1(x: Array) -> Array:
    """J₁ by Poisson's integral, whose error is relative."""
    near = functools.partial(_integral, lambda x: x * np.cos(x * COSINES) * SINES**2)
    return _split(x, near, lambda x: _asymptotic(x, 1)[0])


def _integral(integrand: Callable[[Array], Array], x: Array) -> Array:
    return _mean(integrand(x[..., None]))


@functools.cache
def _neumann() -> Array:
    """The weights of Neumann's series Σ (−1)ᵏ J₂ₖ / k, applied to the integral of the J₂ₖ."""
    k = np.arange(1, POINTS // 2)
    return np.asarray(((-1.0) ** k / k) @ np.cos(2 * k[:, None] * ANGLES))


def _logarithm(x: Array) -> Array:
    return np.log(x / 2) + np.euler_gamma


def _y0(x: Array) -> Array:
    def near(x: Array) -> Array:
        series = _integral(lambda x: np.cos(x * SINES) * _neumann(), x)
        return np.asarray(2 / np.pi * (_logarithm(x) * _j0(x) - 2 * series))

    return _split(x, near, lambda x: _asymptotic(x, 0)[1])


def _y1(x: Array) -> Array:
    """Y₁ as −Y₀′."""

    def near(x: Array) -> Array:
        series = _integral(lambda x: np.sin(x * SINES) * SINES * _neumann(), x)
        return np.asarray(2 / np.pi * (_logarithm(x) * _j1(x) - _j0(x) / x - 2 * series))

    return _split(x, near, lambda x: _asymptotic(x, 1)[1])


def _right_of_zero(x: Array, at_zero: float, function: Callable[[Array], Array]) -> Array:
    found = np.where(x == 0, at_zero, np.nan)
    right = x > 0
    found[right] = function(x[right])
    return found


def spherical_j0(x: Array) -> Array:
    """sin(x) / x."""
    found = np.where(x == 0, 1.0, np.sin(x) / x)
    return np.where(np.isinf(x), 0.0, found)


# --- modified ---


def _modified_series(x: Array, order: int, sign: int) -> Array:
    even, odd = _hankel(order)
    k = np.arange(len(even))
    plain_even, plain_odd = even * (-1.0) ** k, odd * (-1.0) ** k
    square = 1 / (x * x)
    powers = np.polynomial.polynomial.polyval
    return np.asarray(powers(square, plain_even) + sign * powers(square, plain_odd) / x)


def i0e(x: Array) -> Array:
    """e^−|x| I₀(x)."""
    near = functools.partial(_integral, lambda x: np.exp(x * (COSINES - 1)))
    return _split(np.abs(x), near, lambda x: _modified_series(x, 0, -1) / np.sqrt(2 * np.pi * x))


def i1e(x: Array) -> Array:
    """e^−|x| I₁(x)."""
    near = functools.partial(_integral, lambda x: x * np.exp(x * (COSINES - 1)) * SINES**2)
    return np.copysign(1, x) * _split(np.abs(x), near, lambda x: _modified_series(x, 1, -1) / np.sqrt(2 * np.pi * x))


def i0(x: Array) -> Array:
    """I₀."""
    return np.asarray(np.exp(np.abs(x)) * i0e(x))


def i1(x: Array) -> Array:
    """I₁."""
    return np.asarray(np.exp(np.abs(x)) * i1e(x))


def _steep(x: Array, factor: Callable[[Array], Array]) -> Array:
    """∫ e^(−x (cosh t − 1)) factor(t) dt from 0 to where the integrand vanishes."""
    count = 160
    end = np.arccosh(1 + 60 / x)
    t = end[..., None] * (np.arange(count) + 0.5) / count
    total = (np.exp(-2 * x[..., None] * np.sinh(t / 2) ** 2) * factor(t)).sum(-1)
    return np.where(np.isinf(x), 0.0, total * end / count)


def _k0_series(x: Array) -> Array:
    """e^x K₀(x) for arguments up to 1."""
    z = x * x / 4
    term, harmonic, total = np.ones_like(x), 0.0, np.zeros_like(x)
    for k in range(1, 14):
        term = term * z / k**2
        harmonic += 1 / k
        total = total + term * harmonic
    return np.asarray((total - _logarithm(x) * i0(x)) * np.exp(x))


def _k1_series(x: Array) -> Array:
    """e^x K₁(x) for arguments up to 1."""
    z = x * x / 4
    term, psi, total = np.ones_like(x), 1 - 2 * np.euler_gamma, np.zeros_like(x)
    for k in range(14):
        total = total + term * psi
        term = term * z / ((k + 1) * (k + 2))
        psi += 1 / (k + 1) + 1 / (k + 2)
    return np.asarray((1 / x + np.log(x / 2) * i1(x) - x / 4 * total) * np.exp(x))


def k0e(x: Array) -> Array:
    """e^x K₀(x); ∞ at 0, NaN below."""
    return _right_of_zero(x, np.inf, lambda x: _split(x, _k0_series, lambda x: _steep(x, np.ones_like), 1.0))


def k1e(x: Array) -> Array:
    """e^x K₁(x); ∞ at 0, NaN below."""
    return _right_of_zero(x, np.inf, lambda x: _split(x, _k1_series, lambda x: _steep(x, np.cosh), 1.0))


def k0(x: Array) -> Array:
    """K₀."""
    return np.asarray(np.exp(-x) * k0e(x))


def k1(x: Array) -> Array:
    """K₁."""
    return np.asarray(np.exp(-x) * k1e(x))


# --- Airy ---

_LEFT = -2.09


def _taylor(start: Array, value: Array, slope: Array, step: Array, terms: int) -> tuple[Array, Array]:
    """The solution of y″ = x y and its slope, one step away from where both are known."""
    before, now, after = np.zeros_like(value), value, slope  # the coefficients n − 1, n, n + 1 of its Taylor series
    total, total_slope, power = value + slope * step, np.copy(slope), np.copy(step)
    for n in range(terms):
        before, now, after = now, after, (start * now + before) / ((n + 1) * (n + 2))
        total_slope = total_slope + (n + 2) * after * power
        power = power * step
        total = total + after * power
    return total, total_slope


@functools.cache
def _airy_nodes() -> Array:
    """Ai and its slope at 1, 0, −1, −2."""
    zero = np.array([3 ** (-2 / 3) / math.gamma(2 / 3), -(3 ** (-1 / 3)) / math.gamma(1 / 3)])
    one = np.array(_taylor(np.array(0.0), zero[0], zero[1], np.array(1.0), 40))
    nodes = [one, zero]
    for at in range(2):
        nodes.append(np.array(_taylor(np.array(-float(at)), nodes[-1][0], nodes[-1][1], np.array(-1.0), 40)))
    return np.array(nodes)


def _airy_middle(x: Array) -> Array:
    nearest = np.rint(x)
    value, slope = _airy_nodes()[(1 - nearest).astype(int)].T
    return _taylor(nearest, value, slope, x - nearest, 30)[0]


_AIRY = (  # two fractions in ζ⁻²: numerator, denominator; see Note [Leading terms]
    (-1.31696323418331795333e-1, -6.26456544431912369773e-1, -6.93158036036933542233e-1, -2.79779981545119124951e-1,
     -4.91900132609500318020e-2, -4.06265923594885404393e-3, -1.59276496239262096340e-4, -2.77649108155232920844e-6,
     -1.67787698489114633780e-8),
    (1.33560420706553243746e1, 3.26825032795224613948e1, 2.67367040941499554804e1, 9.18707402907259625840,
     1.47529146771666414581, 1.15687173795188044134e-1, 4.40291641615211203805e-3, 7.54720348287414296618e-5,
     4.51850092970580378464e-7),
    (1.97339932091685679179e-2, 3.91103029615688277255e-1, 1.06579897599595591108, 9.39169229816650230044e-1,
     3.51465656105547619242e-1, 6.33888919628925490927e-2, 5.85804113048388458567e-3, 2.82851600836737019778e-4,
     6.98793669997260967291e-6, 8.11789239554389293311e-8, 3.41551784765923618484e-10),
    (9.30892908077441974853, 1.98352928718312140417e1, 1.55646628932864612953e1, 5.47686069422975497931,
     9.54293611618961883998e-1, 8.64580826352392193095e-2, 4.12656523824222607191e-3, 1.01259085116509135510e-4,
     1.17166733214413521882e-6, 4.91834570062930015649e-9),
)  # fmt: skip


def _airy_left(x: Array) -> Array:
    zeta = 2 / 3 * np.sqrt(-x) ** 3
    z = 1 / zeta
    values = [np.polyval(each, z * z) for each in _AIRY]
    p, q = 1 + z * z * values[0] / values[1], z * values[2] / values[3]
    angle = zeta + np.pi / 4
    return np.asarray((np.sin(angle) * p - np.cos(angle) * q) / (np.sqrt(np.pi) * np.sqrt(np.sqrt(-x))))


def _airy_right(x: Array) -> Array:
    zeta = 2 / 3 * np.sqrt(x) ** 3
    k = _steep(zeta, lambda t: np.cosh(t / 3)) * np.exp(-zeta)
    return np.where(x > 103.892, 0.0, np.sqrt(x / 3) * k / np.pi)


def airy_ai(x: Array) -> Array:
    """Ai; NaN at both infinities."""
    x = np.where(np.isinf(x), np.nan, x)
    return _split(x, lambda x: _split(x, _airy_left, _airy_middle, _LEFT), _airy_right, 1.0)
