"""Bessel functions of the orders 0 and 1, and the Airy function, on whole arrays of double precision: Bessel's
integrals by the midpoint rule, which is exact to the last digits for periodic functions, and the asymptotic series for
large arguments (Abramowitz & Stegun, chapters 9 and 10). The functions around Γ are in `gammas.py`.

Note [The midpoint rule] With N points on half a period the rule adds only the Bessel function of order 2N, which for
arguments up to N is far below the last digit. So each function is a product of an array (arguments × points) with fixed
weights.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
POINTS = 64
NEAR = 25.0  # up to here the integrals, from here the asymptotic series
ANGLES = np.pi * (np.arange(POINTS) + 0.5) / POINTS
SINES, COSINES = np.sin(ANGLES), np.cos(ANGLES)


def _split(x: Array, near: Callable[[Array], Array], far: Callable[[Array], Array], limit: float = NEAR) -> Array:
    """`near` where x is at most `limit` and `far` elsewhere, each computed only where it is wanted."""
    found = np.empty(x.shape)
    small = x <= limit
    found[small] = near(x[small])
    found[~small] = far(x[~small])
    return found


def _mean(values: Array) -> Array:
    return np.asarray(values.mean(-1))


def _hankel(order: int, terms: int = 30) -> tuple[Array, Array]:
    """The coefficients a_k of the asymptotic series, those with even and those with odd k."""
    a = [1.0]
    for k in range(1, terms):
        a.append(a[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    signs = (-1.0) ** (np.arange(terms) // 2)
    return (np.array(a) * signs)[0::2], (np.array(a) * signs)[1::2]


def _asymptotic(x: Array, order: int) -> tuple[Array, Array]:
    """J and Y of a large argument."""
    even, odd = _hankel(order)
    square = 1 / (x * x)
    p, q = np.polynomial.polynomial.polyval(square, even), np.polynomial.polynomial.polyval(square, odd) / x
    sine, cosine = np.sin(x), np.cos(x)
    c, s = (sine + cosine, sine - cosine) if order == 0 else (sine - cosine, -sine - cosine)
    scale = 1 / np.sqrt(np.pi * x)
    return scale * (p * c - q * s), scale * (p * s + q * c)


def j0(x: Array) -> Array:
    """J₀."""
    near = functools.partial(_integral, lambda x: np.cos(x * SINES))
    return _split(np.abs(x), near, lambda x: _asymptotic(x, 0)[0])


def j1(x: Array) -> Array:
    """J₁: by Poisson's integral, whose error is relative."""
    near = functools.partial(_integral, lambda x: x * np.cos(x * COSINES) * SINES**2)
    return np.copysign(1, x) * _split(np.abs(x), near, lambda x: _asymptotic(x, 1)[0])


def _integral(integrand: Callable[[Array], Array], x: Array) -> Array:
    return _mean(integrand(x[..., None]))


@functools.cache
def _neumann() -> Array:
    """The weights of Neumann's series Σ (−1)ᵏ J₂ₖ / k, put into the integral of the J₂ₖ."""
    k = np.arange(1, POINTS // 2)
    return np.asarray(((-1.0) ** k / k) @ np.cos(2 * k[:, None] * ANGLES))


def _logarithm(x: Array) -> Array:
    return np.log(x / 2) + np.euler_gamma


def y0(x: Array) -> Array:
    """Y₀; −∞ at 0, NaN below."""

    def near(x: Array) -> Array:
        series = _integral(lambda x: np.cos(x * SINES) * _neumann(), x)
        return np.asarray(2 / np.pi * (_logarithm(x) * j0(x) - 2 * series))

    return _right_of_zero(x, -np.inf, lambda x: _split(x, near, lambda x: _asymptotic(x, 0)[1]))


def y1(x: Array) -> Array:
    """Y₁ = −Y₀′; −∞ at 0, NaN below."""

    def near(x: Array) -> Array:
        series = _integral(lambda x: np.sin(x * SINES) * SINES * _neumann(), x)
        return np.asarray(2 / np.pi * (_logarithm(x) * j1(x) - j0(x) / x - 2 * series))

    return _right_of_zero(x, -np.inf, lambda x: _split(x, near, lambda x: _asymptotic(x, 1)[1]))


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
    """∫ e^(−x (cosh t − 1)) factor(t) dt from 0, up to where nothing is left of the integrand."""
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


def _taylor(start: Array, value: Array, slope: Array, step: Array, terms: int) -> tuple[Array, Array]:
    """The solution of y″ = x y and its slope a step away from where both are known."""
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
    """Ai and its slope at 1, 0, −1 … −10."""
    zero = np.array([3 ** (-2 / 3) / math.gamma(2 / 3), -(3 ** (-1 / 3)) / math.gamma(1 / 3)])
    one = np.array(_taylor(np.array(0.0), zero[0], zero[1], np.array(1.0), 40))
    nodes = [one, zero]
    for at in range(10):
        nodes.append(np.array(_taylor(np.array(-float(at)), nodes[-1][0], nodes[-1][1], np.array(-1.0), 40)))
    return np.array(nodes)


def _airy_middle(x: Array) -> Array:
    nearest = np.rint(x)
    value, slope = _airy_nodes()[(1 - nearest).astype(int)].T
    return _taylor(nearest, value, slope, x - nearest, 30)[0]


def _airy_left(x: Array) -> Array:
    zeta = 2 / 3 * np.sqrt(-x) ** 3
    u = [1.0]
    for k in range(1, 24):
        u.append(u[-1] * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1)))
    signed = np.array(u) * (-1.0) ** (np.arange(len(u)) // 2)
    square = 1 / (zeta * zeta)
    powers = np.polynomial.polynomial.polyval
    p, q = powers(square, signed[0::2]), powers(square, signed[1::2]) / zeta
    angle = zeta + np.pi / 4
    return np.asarray((np.sin(angle) * p - np.cos(angle) * q) / (np.sqrt(np.pi) * np.sqrt(np.sqrt(-x))))


def _airy_right(x: Array) -> Array:
    zeta = 2 / 3 * np.sqrt(x) ** 3
    k = _steep(zeta, lambda t: np.cosh(t / 3)) * np.exp(-zeta)
    return np.where(x > 103.892, 0.0, np.sqrt(x / 3) * k / np.pi)


def airy_ai(x: Array) -> Array:
    """Ai; NaN at both infinities."""
    x = np.where(np.isinf(x), np.nan, x)
    return _split(x, lambda x: _split(x, _airy_left, _airy_middle, -10.0), _airy_right, 1.0)
