"""Distributions of real numbers: with location and scale (Normal, Laplace, Cauchy, Uniform, Exponential); on the circle
(VonMises, whose samples are made by rejection: Best and Fisher, 1979); and of tails (GeneralizedPareto, whose samples
are made from its quantile function)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.distribution import Distribution, ExponentialFamily
from gradviz.torch.distributions.utils import broadcast_all, lazy_property, standard_normal

LOCATED = {"loc": constraints.real, "scale": constraints.positive}


class Normal(ExponentialFamily):
    """The normal distribution."""

    arg_constraints = LOCATED
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "loc", "scale")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T["normal"](self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value: object) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        var = self.scale**2
        return -((value - self.loc) ** 2) / (2 * var) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + T["erf"]((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * T["erfinv"](2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + T["log"](self.scale)


class Laplace(Distribution):
    """The double exponential distribution."""

    arg_constraints = LOCATED
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor, scale: Tensor, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)
    variance = property(lambda self: 2 * self.scale.pow(2))
    stddev = property(lambda self: (2**0.5) * self.scale)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "loc", "scale")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        eps = finfo(self.loc.dtype).eps
        u = self.loc.new(self._extended_shape(sample_shape)).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * T["log1p"](-u.abs())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -T["log"](2 * self.scale) - T["abs"](value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * T["expm1"](-away.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * T["log1p"](-2 * term.abs())

    def entropy(self) -> Tensor:
        return 1 + T["log"](2 * self.scale)


class Cauchy(Distribution):
    """The Cauchy distribution, which has no mean."""

    arg_constraints = LOCATED
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mean = property(lambda self: T["full"](self._extended_shape(), math.nan, dtype=self.loc.dtype))
    mode = property(lambda self: self.loc)
    variance = property(lambda self: T["full"](self._extended_shape(), math.inf, dtype=self.loc.dtype))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "loc", "scale")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.loc + self.loc.new(self._extended_shape(sample_shape)).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return T["atan"]((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return T["tan"](math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """The uniform distribution on [low, high)."""

    has_rsample = True

    def __init__(self, low: object, high: object, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    @property
    def arg_constraints(self) -> Any:
        """The constraints: each bound has to be on its side of the other."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: math.nan * self.high)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: (self.high - self.low).pow(2) / 12)
    support = constraints.dependent_property(lambda self: constraints.interval(self.low, self.high), event_dim=0)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "low", "high")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        drawn = T["rand"](self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return T["log"](inside) - T["log"](self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return T["log"](self.high - self.low)


class Exponential(ExponentialFamily):
    """The exponential distribution."""

    arg_constraints = {"rate": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: object, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    mean = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: T["zeros_like"](self.rate))
    stddev = property(lambda self: self.rate.reciprocal())
    variance = property(lambda self: self.rate.pow(-2))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "rate")

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 1 - T["exp"](-self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        return -T["log1p"](-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - T["log"](self.rate)


# --- on the circle, and tails ---


# Abramowitz and Stegun 9.8.1 to 9.8.4: modified Bessel functions of order 0 and 1, below 3.75 and above
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
     0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
     -0.420059e-2),
)  # fmt: skip


def _polynomial(y: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    found = coefficients[-2] + y * coefficients[-1]
    for each in reversed(coefficients[:-2]):
        found = each + y * found
    return found


def _log_bessel(x: Tensor, order: int) -> Tensor:
    """The logarithm of the modified Bessel function of the first kind, for x above zero."""
    ratio = x / 3.75
    small = _polynomial(ratio * ratio, _SMALL[order])
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, _LARGE[order]).log()
    return T["where"](x < 3.75, small, large)


class VonMises(Distribution):
    """The circular analogue of the normal distribution; values are angles."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}  # noqa: RUF012
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Tensor, concentration: Tensor, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self) -> Tensor:
        """One minus the length of the mean vector."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        parts = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return type(self)(*parts, validate_args=self.__dict__.get("_validate_args"))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        height = self.concentration * T["cos"](value - self.loc)
        return height - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return self._angles(shape).to(self.loc.dtype)

    def _angles(self, shape: Size) -> Tensor:
        loc, kappa = self.loc.double(), self.concentration.double()
        ratio = self._envelope(kappa)
        angle, done = T["zeros"](shape, dtype=loc.dtype), T["zeros"](shape, dtype=T["tensor"](True).dtype)
        while not bool(done.all()):
            u1, u2, u3 = T["rand"](3, *shape, dtype=loc.dtype).unbind()
            z = T["cos"](math.pi * u1)
            f = (1 + ratio * z) / (ratio + z)
            c = kappa * (ratio - f)
            accepted = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
            angle = T["where"](accepted, (u3 - 0.5).sign() * f.acos(), angle)
            done = done | accepted
        return (angle + math.pi + loc) % (2 * math.pi) - math.pi

    @staticmethod
    def _envelope(kappa: Tensor) -> Tensor:
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return T["where"](kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))


class GeneralizedPareto(Distribution):
    """The excess over a threshold: a power law, exponential at concentration 0, uniform at −1."""

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Tensor, scale: Tensor, concentration: Tensor, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mode = property(lambda self: self.loc)

    @property
    def mean(self) -> Tensor:
        valid = self.concentration < 1
        kept = T["where"](valid, self.concentration, 0.5)
        return T["where"](valid, self.loc + self.scale / (1 - kept), math.nan)

    @property
    def variance(self) -> Tensor:
        valid = self.concentration < 0.5
        kept = T["where"](valid, self.concentration, 0.25)
        return T["where"](valid, self.scale**2 / ((1 - kept) ** 2 * (1 - 2 * kept)), math.nan)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints._Interval:
        """From the threshold up, with an upper end if the concentration is negative."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, T["where"](self.concentration < 0, end, math.inf))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "loc", "scale", "concentration")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(T["rand"](self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _cases(self) -> tuple[Any, Any]:
        """Where the concentration is practically zero, and the concentration with 1 in those places."""
        zero = T["isclose"](self.concentration, T["zeros_like"](self.concentration))
        return zero, T["where"](zero, T["ones_like"](self.concentration), self.concentration)

    def _scaled(self, value: Tensor) -> Tensor:
        return (value - self.loc) / self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = self._scaled(value)
        zero, shape = self._cases()
        power = 1 / shape + T["ones_like"](z)
        curved = T["where"](power == 0, power, power * T["log1p"](shape * z))
        return -self.scale.log() - T["where"](zero, z, curved)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of larger values."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._scaled(value)
        zero, shape = self._cases()
        return T["where"](zero, -z, -T["log1p"](shape * z) / shape)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the distribution function."""
        return T["log1p"](-T["exp"](self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return T["exp"](self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        zero, shape = self._cases()
        rest = T["log1p"](-value)
        curved = self.loc + self.scale / shape * T["expm1"](-shape * rest)
        return T["where"](zero, self.loc - self.scale * rest, curved)

    def entropy(self) -> Tensor:
        return T["broadcast_to"](T["log"](self.scale) + self.concentration + 1, self._batch_shape)
