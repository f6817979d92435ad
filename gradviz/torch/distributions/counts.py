"""Distributions of binary outcomes and of counts: Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson, and the
ContinuousBernoulli."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.distribution import Distribution, ExponentialFamily, exactly_one
from gradviz.torch.distributions.gammas import Gamma
from gradviz.torch.distributions.utils import (
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
)
from gradviz.torch.nn import functional as F

BINARY = {"probs": constraints.unit_interval, "logits": constraints.real}


class _Binary(Distribution):
    """With `probs` or `logits`, each of which is computed from the other on demand."""

    _param: Tensor

    def _take(self, probs: object, logits: Tensor | None, *more: object) -> tuple[Tensor, ...]:
        exactly_one(probs, logits)
        name = "probs" if probs is not None else "logits"
        *others, self.__dict__[name] = broadcast_all(*more, probs if probs is not None else logits)
        self._param = self.__dict__[name]
        return tuple(others)

    @lazy_property
    def logits(self) -> Tensor:
        """The log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of a success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        names = [name for name in ("total_count", "probs", "logits") if name in self.__dict__]
        new = self._expanded(batch_shape, _instance, *names)
        new._param = new.__dict__[names[-1]]
        return new


class Bernoulli(_Binary, ExponentialFamily):
    """One with the given probability, otherwise zero."""

    arg_constraints = BINARY
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs: object = None, logits: Tensor | None = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self) -> Tensor:
        found = (self.probs >= 0.5).to(self.probs)
        found[self.probs == 0.5] = math.nan
        return found

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return T["bernoulli"](self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = T["arange"](2, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


class Geometric(_Binary):
    """The number of failures before the first success."""

    arg_constraints = BINARY
    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Tensor | float | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            valid = value > 0
            if not valid.all():
                invalid = value[~valid]
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to be positive but found invalid values:\n{invalid}"
                )

    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: T["zeros_like"](self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        tiny = finfo(self.probs.dtype).tiny
        with no_grad():
            u = self.probs.new(self._extended_shape(sample_shape)).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Binomial(_Binary):
    """The number of successes in `total_count` trials."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, **BINARY}  # noqa: RUF012
    has_enumerate_support = True

    def __init__(
        self,
        total_count: object = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        (count,) = self._take(probs, logits, total_count)
        self.total_count = count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self.total_count), is_discrete=True, event_dim=0
    )
    mean = property(lambda self: self.total_count * self.probs)
    mode = property(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T["binomial"](self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        ways = T["lgamma"](self.total_count + 1)
        hits, misses = T["lgamma"](value + 1), T["lgamma"](self.total_count - value + 1)
        positive = _positive_part(self.logits)
        normal = self.total_count * positive + self.total_count * T["log1p"](T["exp"](-T["abs"](self.logits))) - ways
        return value * self.logits - hits - misses - normal

    def entropy(self) -> Tensor:
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(T["exp"](log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = T["arange"](1 + total, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


def _positive_part(x: Tensor) -> Tensor:
    """Half of x + |x|, whose derivative at zero is one half."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class NegativeBinomial(_Binary):
    """The number of successes before `total_count` failures."""

    arg_constraints = {  # noqa: RUF012
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Tensor | int,
        probs: Tensor | float | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        (count,) = self._take(probs, logits, total_count)
        self.total_count = count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    mean = property(lambda self: self.total_count * T["exp"](self.logits))
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / T["sigmoid"](-self.logits))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            gamma = Gamma(concentration=self.total_count, rate=T["exp"](-self.logits), validate_args=False)
            return T["poisson"](gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        likely = self.total_count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        ways = -T["lgamma"](self.total_count + value) + T["lgamma"](1.0 + value) + T["lgamma"](self.total_count)
        ways = ways.masked_fill(self.total_count + value == 0.0, 0.0)
        return likely - ways


class Poisson(ExponentialFamily):
    """Counts of rare events."""

    arg_constraints = {"rate": constraints.nonnegative}  # noqa: RUF012
    support = constraints.nonnegative_integer

    def __init__(self, rate: object, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    mean = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())
    variance = property(lambda self: self.rate)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "rate")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return T["poisson"](self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()


class ContinuousBernoulli(_Binary, ExponentialFamily):
    """Numbers between 0 and 1 with the density of a Bernoulli, normalised."""

    arg_constraints = BINARY
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        self._lims = lims
        if probs is not None:
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.__dict__["probs"] = self._param = clamp_probs(self.probs)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = super().expand(batch_shape, _instance)
        new._lims = self._lims
        return new

    def _outside(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self) -> Tensor:
        return T["where"](self._outside(), self.probs, self._lims[0] * T["ones_like"](self.probs))

    def _log_normalizer(self) -> Tensor:
        cut = self._cut()
        below = T["where"](cut <= 0.5, cut, T["zeros_like"](cut))
        above = T["where"](cut >= 0.5, cut, T["ones_like"](cut))
        ratio = T["log"](T["abs"](T["log1p"](-cut) - T["log"](cut)))
        bottom = T["where"](cut <= 0.5, T["log1p"](-2.0 * below), T["log"](2.0 * above - 1.0))
        x = T["pow"](self.probs - 0.5, 2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return T["where"](self._outside(), ratio - bottom, taylor)

    @property
    def mean(self) -> Tensor:
        cut = self._cut()
        found = cut / (2.0 * cut - 1.0) + 1.0 / (T["log1p"](-cut) - T["log"](cut))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * T["pow"](x, 2)) * x
        return T["where"](self._outside(), found, taylor)

    @property
    def variance(self) -> Tensor:
        cut = self._cut()
        ratio = T["pow"](T["log1p"](-cut) - T["log"](cut), 2)
        found = cut * (cut - 1.0) / T["pow"](1.0 - 2.0 * cut, 2) + 1.0 / ratio
        x = T["pow"](self.probs - 0.5, 2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return T["where"](self._outside(), found, taylor)

    stddev = property(lambda self: T["sqrt"](self.variance))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(T["rand"](self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        found = -F.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return found + self._log_normalizer()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut()
        top = T["pow"](cut, value) * T["pow"](1.0 - cut, 1.0 - value) + cut - 1.0
        unbounded = T["where"](self._outside(), top / (2.0 * cut - 1.0), value)
        bounded = T["where"](T["le"](value, 0.0), T["zeros_like"](value), unbounded)
        return T["where"](T["ge"](value, 1.0), T["ones_like"](value), bounded)

    def icdf(self, value: object) -> Tensor:
        cut = self._cut()
        top = T["log1p"](-cut + value * (2.0 * cut - 1.0)) - T["log1p"](-cut)
        return T["where"](self._outside(), top / (T["log"](cut) - T["log1p"](-cut)), value)

    def entropy(self) -> Tensor:
        rest = T["log1p"](-self.probs)
        return self.mean * (rest - T["log"](self.probs)) - self._log_normalizer() - rest
