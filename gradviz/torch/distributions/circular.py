"""Distributions on the circle and of tails: VonMises, whose samples are made by rejection (Best and Fisher, 1979), and
GeneralizedPareto, whose samples are made from its quantile function."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.modes import no_grad
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.distribution import Distribution
from gradviz.torch.distributions.utils import broadcast_all, lazy_property

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


def _polynomial(y: Any, coefficients: tuple[float, ...]) -> Any:
    found: Any = coefficients[-1]
    for each in reversed(coefficients[:-1]):
        found = each + y * found
    return found


def _log_bessel(x: Any, order: int) -> Any:
    """The logarithm of the modified Bessel function of the first kind, of x above zero."""
    ratio = x / 3.75
    small = _polynomial(ratio * ratio, _SMALL[order])
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, _LARGE[order]).log()
    return T["where"](x < 3.75, small, large)


class VonMises(Distribution):
    """The normal distribution's relative on the circle; values are angles."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}  # noqa: RUF012
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self) -> Any:
        """One less the length of the mean vector."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        parts = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return type(self)(*parts, validate_args=self.__dict__.get("_validate_args"))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        height = self.concentration * T["cos"](value - self.loc)
        return height - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return self._angles(shape).to(self.loc.dtype)

    def _angles(self, shape: Any) -> Any:
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
    def _envelope(kappa: Any) -> Any:
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return T["where"](kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))


class GeneralizedPareto(Distribution):
    """What exceeds a threshold: a power law, exponential at concentration 0, uniform at −1."""

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mode = property(lambda self: self.loc)

    @property
    def mean(self) -> Any:
        valid = self.concentration < 1
        kept = T["where"](valid, self.concentration, 0.5)
        return T["where"](valid, self.loc + self.scale / (1 - kept), math.nan)

    @property
    def variance(self) -> Any:
        valid = self.concentration < 0.5
        kept = T["where"](valid, self.concentration, 0.25)
        return T["where"](valid, self.scale**2 / ((1 - kept) ** 2 * (1 - 2 * kept)), math.nan)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From the threshold up, to an end if the concentration is negative."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, T["where"](self.concentration < 0, end, math.inf))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(batch_shape, _instance, "loc", "scale", "concentration")

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(T["rand"](self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _cases(self) -> tuple[Any, Any]:
        """Where the concentration is as good as zero, and the concentration with 1 in those places."""
        zero = T["isclose"](self.concentration, T["zeros_like"](self.concentration))
        return zero, T["where"](zero, T["ones_like"](self.concentration), self.concentration)

    def _scaled(self, value: Any) -> Any:
        return (value - self.loc) / self.scale

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        z = self._scaled(value)
        zero, shape = self._cases()
        power = 1 / shape + T["ones_like"](z)
        curved = T["where"](power == 0, power, power * T["log1p"](shape * z))
        return -self.scale.log() - T["where"](zero, z, curved)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of more than this value."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._scaled(value)
        zero, shape = self._cases()
        return T["where"](zero, -z, -T["log1p"](shape * z) / shape)

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of the distribution function."""
        return T["log1p"](-T["exp"](self.log_survival_function(value)))

    def cdf(self, value: Any) -> Any:
        return T["exp"](self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        zero, shape = self._cases()
        rest = T["log1p"](-value)
        curved = self.loc + self.scale / shape * T["expm1"](-shape * rest)
        return T["where"](zero, self.loc - self.scale * rest, curved)

    def entropy(self) -> Any:
        return T["broadcast_to"](T["log"](self.scale) + self.concentration + 1, self._batch_shape)
