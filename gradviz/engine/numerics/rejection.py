"""Random numbers that are drawn until one is accepted: Poisson, binomial, gamma and Dirichlet, with PyTorch's draws in
PyTorch's order, so that the same seed gives the same numbers. How many raw numbers a value takes is known only once it
is accepted: this is the only place where values are drawn one by one. The rest is in `distributions.py`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.layers import per_example
from gradviz.engine.numerics.distributions import Generator
from gradviz.engine.numerics.functions import digamma, lgamma


class _Source:
    """Uniform and normal doubles, one at a time."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def uniform(self) -> float:
        """A uniform number in [0, 1)."""
        return (int(self._generator.raw64(1)[0]) & (2**53 - 1)) * 2.0**-53

    def normal(self) -> float:
        """A normal number; the sine of a pair is kept for the next call."""
        kept = self._generator.next_normal
        if kept is not None:
            self._generator.next_normal = None
            return kept
        turn = 2.0 * math.pi * self.uniform()
        radius = math.sqrt(-2.0 * math.log1p(-self.uniform()))
        self._generator.next_normal = radius * math.sin(turn)
        return radius * math.cos(turn)


def _drawn(generator: Generator, draw: Callable[..., float], *parameters: Array) -> Array:
    """One double for each element of the parameters."""
    source = _Source(generator)
    rows = zip(*(each.astype(np.float64).reshape(-1).tolist() for each in parameters), strict=True)
    values = [draw(source, *row) for row in rows]
    return np.array(values, np.float64).reshape(parameters[0].shape)


@per_example(1)
def poisson(generator: Generator, rate: Array) -> Array:
    """`torch.poisson`: multiplied uniforms below a rate of 10, from there Hörmann's transformed rejection (1993)."""
    if not (rate >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return _drawn(generator, _poisson, rate).astype(rate.dtype)


def _poisson(source: _Source, rate: float) -> float:
    if rate == 0:
        return 0.0
    if rate < 10:
        bound, count, product = math.exp(-rate), 0, source.uniform()
        while product > bound:
            count += 1
            product *= source.uniform()
        return count
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    shrink = math.log(1.1239 + 1.1328 / (b - 3.4))
    while True:
        u, v = source.uniform() - 0.5, source.uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        left = (math.log(v) if v else -math.inf) + shrink - math.log(a / (us * us) + b)
        if left <= -rate + k * math.log(rate) - math.lgamma(k + 1):
            return k


def binomial(generator: Generator, count: Array, prob: Array) -> Array:
    """`torch.binomial`: sums of geometric numbers if few successes are expected, otherwise Hörmann's BTRS (1993)."""
    return _drawn(generator, _binomial, count, prob).astype(count.dtype)


def _binomial(source: _Source, count: float, prob: float) -> float:
    if not (count > 0 and prob > 0):
        return 0.0
    if prob >= 1:
        return count
    rare = min(prob, 1 - prob)
    found = _by_rejection(source, count, rare) if count * rare >= 10 else _by_gaps(source, count, rare)
    return found if prob <= 0.5 else count - found


def _by_gaps(source: _Source, count: float, prob: float) -> float:
    """Count successes by the failures between them, which are geometric."""
    gone, successes = 0.0, 0
    while True:
        u = source.uniform()
        gone += math.ceil(math.log(u) / math.log1p(-prob)) if u else math.inf
        if gone > count:
            return successes
        successes += 1


_TAILS = [math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)) for k in range(10)]


def _tail(k: float) -> float:
    """The error of Stirling's formula for (k + 1)!."""
    if k < len(_TAILS):
        return _TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _by_rejection(source: _Source, count: float, prob: float) -> float:
    spread = math.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    odds = prob / (1 - prob)
    mode = math.floor((count + 1) * prob)
    while True:
        u, v = source.uniform() - 0.5, source.uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + count * prob + 0.5) if us else -1
        if not 0 <= k <= count:
            continue
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        v = math.log(v * (2.83 + 5.1 / b) * spread / (a / (us * us) + b)) if v else -math.inf
        bound = (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
        bound += (count + 1) * math.log((count - mode + 1) / (count - k + 1))
        bound += (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
        if v <= bound + _tail(mode) + _tail(count - mode) - _tail(k) - _tail(count - k):
            return k


@per_example(1)
def standard_gamma(generator: Generator, concentration: Array) -> Any:
    """`torch._standard_gamma`: the method of Marsaglia and Tsang (2000)."""
    kind = concentration.dtype
    work = np.float64 if kind == np.float64 else np.float32
    draws = _drawn(generator, functools.partial(_gamma, kind=work), concentration)
    return np.maximum(draws, np.finfo(kind).tiny).astype(kind)


_THIRD = np.float32(1 / 3)  # PyTorch has 1/3 in single precision, also for doubles


def _gamma(source: _Source, alpha: float, kind: type[np.floating[Any]] = np.float64) -> float:
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = (1 - source.uniform()) ** float(kind(1) / kind(alpha))
        alpha = float(kind(alpha) + kind(1))
    d = float(kind(alpha) - _THIRD)
    c = 1.0 / math.sqrt(9 * d)
    while True:
        x = source.normal()
        if (root := 1 + c * x) <= 0:
            continue
        v = root * root * root
        u = 1 - source.uniform()
        if u < 1 - 0.0331 * (x * x) * (x * x) or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return scale * d * v


@per_example(1)
def dirichlet(generator: Generator, concentration: Array) -> Any:
    """`torch._sample_dirichlet`: gamma numbers divided by their sum along the last dimension."""
    kind = concentration.dtype
    parts = _drawn(generator, _gamma, concentration)
    whole = parts.sum(axis=-1, keepdims=True)
    return np.clip((parts / whole).astype(kind), np.finfo(kind).tiny, np.nextafter(kind.type(1), kind.type(0)))


# --- derivatives of drawn values with respect to their parameters ---


def gamma_slope(alpha: Array, drawn: Array) -> Any:
    """d(drawn)/d(alpha) of a gamma number: minus the derivative of its distribution function divided by its density, by
    the power series of the incomplete gamma function."""
    a, x = alpha.astype(np.float64), drawn.astype(np.float64)
    term, psi, logarithm = x / a, digamma(a + 1), np.log(x)
    total = term * (psi - logarithm)
    for n in range(1, 20_000):
        psi = psi + 1 / (a + n)
        term = term * x / (a + n)
        step = term * (psi - logarithm)
        total = total + step
        if (np.abs(step) <= 1e-17 * np.abs(total)).all() and (a + n > x).all():
            break
    return total.astype(drawn.dtype)


def beta_slope(x: Array, alpha: Array, total: Array) -> Any:
    """d(x)/d(alpha) divided by 1 − x, for x drawn from Beta(alpha, total − alpha), computed like `gamma_slope`."""
    at, a = x.astype(np.float64), alpha.astype(np.float64)
    b = total.astype(np.float64) - a
    h = 1e-5 * np.maximum(a, 1e-3)
    change = (_incomplete_beta(at, a + h, b) - _incomplete_beta(at, a - h, b)) / (2 * h)
    return (-change / (np.exp(_log_weight(at, a, b)) / at)).astype(x.dtype)


def _log_weight(x: Array, a: Array, b: Array) -> Any:
    """The logarithm of x^a (1−x)^b / B(a, b)."""
    return a * np.log(x) + b * np.log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)


def _incomplete_beta(x: Array, a: Array, b: Array) -> Any:
    """The regularised incomplete beta function by its continued fraction (Lentz)."""
    swap = x > (a + 1) / (a + b + 2)
    x, a, b = np.where(swap, 1 - x, x), np.where(swap, b, a), np.where(swap, a, b)
    c, d = np.ones_like(x), 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, 300):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d)
            c = 1 + numerator / c
            h = h * d * c
        if (np.abs(d * c - 1) < 1e-15).all():
            break
    found = np.exp(_log_weight(x, a, b)) * h / a
    return np.where(swap, 1 - found, found)
