"""Distributions that are transformed other ones: LogNormal, HalfNormal, HalfCauchy, Gumbel, Weibull, Pareto,
Kumaraswamy, LogisticNormal; and discrete choices relaxed by a temperature, so that gradients pass: RelaxedBernoulli,
RelaxedOneHotCategorical."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.composed import TransformedDistribution
from gradviz.torch.distributions.counts import BINARY, _Binary
from gradviz.torch.distributions.distribution import Distribution
from gradviz.torch.distributions.elementary import AbsTransform, ExpTransform, PowerTransform, SigmoidTransform
from gradviz.torch.distributions.events import EVENTS, Categorical
from gradviz.torch.distributions.reals import LOCATED, Cauchy, Exponential, Normal, Uniform
from gradviz.torch.distributions.utils import broadcast_all, clamp_probs, euler_constant
from gradviz.torch.distributions.vectors import AffineTransform, StickBreakingTransform

INF, LN2 = math.inf, math.log(2)


class LogNormal(TransformedDistribution):
    """exp of a normal number."""

    arg_constraints = LOCATED
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Tensor, scale: Tensor, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    base_dist: Normal
    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self) -> Tensor:
        square = self.base_dist.scale.pow(2)
        return square.expm1() * (2 * self.base_dist.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.base_dist.loc


class HalfNormal(TransformedDistribution):
    """The absolute value of a normal number."""

    arg_constraints = {"scale": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Tensor, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    base_dist: Normal
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    mode = property(lambda self: T["zeros_like"](self.scale))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        found = self.base_dist.log_prob(value) + math.log(2)
        return T["where"](value >= 0, found, -INF)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Tensor) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class HalfCauchy(TransformedDistribution):
    """The absolute value of a Cauchy number."""

    arg_constraints = {"scale": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Tensor, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    base_dist: Cauchy
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: T["full"](self._extended_shape(), INF, dtype=self.scale.dtype))
    mode = property(lambda self: T["zeros_like"](self.scale))
    variance = property(lambda self: self.base_dist.variance)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = T["as_tensor"](value, dtype=self.base_dist.scale.dtype)
        found = self.base_dist.log_prob(value) + math.log(2)
        return T["where"](value >= 0, found, -INF)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Tensor) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class Gumbel(TransformedDistribution):
    """The limit distribution of the largest of many numbers."""

    arg_constraints = LOCATED
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor, scale: Tensor, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = finfo(self.loc.dtype)
        if isinstance(loc, (int, float)) and isinstance(scale, (int, float)):
            base = Uniform(info.tiny, 1 - info.eps, validate_args=validate_args)
        else:
            low, high = T["full_like"](self.loc, info.tiny), T["full_like"](self.loc, 1 - info.eps)
            base = Uniform(low, high, validate_args=validate_args)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-T["ones_like"](self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = super().expand(batch_shape, _instance)
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        return new

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    mean = property(lambda self: self.loc + self.scale * euler_constant)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: (math.pi / math.sqrt(6)) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)


class Weibull(TransformedDistribution):
    """Waiting times that grow or shrink with age."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}  # noqa: RUF012
    support = constraints.positive
    has_rsample = True

    def __init__(self, scale: Tensor, concentration: Tensor, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(T["ones_like"](self.scale), validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = super().expand(batch_shape, _instance)
        new.scale, new.concentration = self.scale.expand(batch_shape), self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        return new

    @property
    def mean(self) -> Tensor:
        return self.scale * T["exp"](T["lgamma"](1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        inner = (self.concentration - 1) / self.concentration
        return self.scale * inner ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        second = T["exp"](T["lgamma"](1 + 2 * self.concentration_reciprocal))
        return self.scale.pow(2) * (second - T["exp"](2 * T["lgamma"](1 + self.concentration_reciprocal)))

    def entropy(self) -> Tensor:
        first = euler_constant * (1 - self.concentration_reciprocal)
        return first + T["log"](self.scale * self.concentration_reciprocal) + 1


class Pareto(TransformedDistribution):
    """A power law."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}  # noqa: RUF012
    has_rsample = True

    def __init__(self, scale: Tensor, alpha: Tensor, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = super().expand(batch_shape, _instance)
        new.scale, new.alpha = self.scale.expand(batch_shape), self.alpha.expand(batch_shape)
        return new

    mode = property(lambda self: self.scale)
    support = constraints.dependent_property(lambda self: constraints.greater_than_eq(self.scale), event_dim=0)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Kumaraswamy(TransformedDistribution):
    """Like Beta, with a distribution function in closed form."""

    arg_constraints = {  # noqa: RUF012
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Tensor, concentration0: Tensor, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = T["full_like"](self.concentration0, 0), T["full_like"](self.concentration0, 1)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = super().expand(batch_shape, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return new

    def _moment(self, n: int) -> Tensor:
        """The n-th moment."""
        arg = 1 + n / self.concentration1
        log_value = T["lgamma"](arg) + T["lgamma"](self.concentration0) - T["lgamma"](arg + self.concentration0)
        return self.concentration0 * T["exp"](log_value)

    mean = property(lambda self: self._moment(1))
    variance = property(lambda self: self._moment(2) - T["pow"](self.mean, 2))

    @property
    def mode(self) -> Tensor:
        log_mode = self.concentration0.reciprocal() * (-self.concentration0).log1p()
        log_mode = log_mode - (-self.concentration0 * self.concentration1).log1p()
        log_mode[(self.concentration0 < 1) | (self.concentration1 < 1)] = math.nan
        return log_mode.exp()

    def entropy(self) -> Tensor:
        t1, t0 = 1 - self.concentration1.reciprocal(), 1 - self.concentration0.reciprocal()
        h0 = T["digamma"](self.concentration0 + 1) + euler_constant
        return t0 + t1 * h0 - T["log"](self.concentration1) - T["log"](self.concentration0)


class LogisticNormal(TransformedDistribution):
    """Parts of one, made from normal numbers by stick breaking."""

    arg_constraints = LOCATED
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Tensor, scale: Tensor, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = property(lambda self: self.base_dist.base_dist.loc)
    scale = property(lambda self: self.base_dist.base_dist.scale)


# --- choices relaxed by a temperature ---


class LogitRelaxedBernoulli(_Binary):
    """The log-odds of a relaxed binary choice."""

    arg_constraints = BINARY
    support = constraints.real

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | float | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniforms = clamp_probs(T["rand"](shape, dtype=probs.dtype))
        return (uniforms.log() - (-uniforms).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        away = logits - value.mul(self.temperature)
        return self.temperature.log() + away - 2 * away.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A number between 0 and 1 that tends to one of them as the temperature falls."""

    arg_constraints = BINARY
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | float | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(
            LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args
        )

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)


class ExpRelaxedCategorical(Distribution):
    """The logarithm of a relaxed choice."""

    arg_constraints = EVENTS
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        wide = self._categorical.expand(batch_shape)
        return self._like(Size(batch_shape), _instance, temperature=self.temperature, _categorical=wide)

    param_shape = property(lambda self: self._categorical.param_shape)
    logits = property(lambda self: self._categorical.logits)
    probs = property(lambda self: self._categorical.probs)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniforms = clamp_probs(T["rand"](shape, dtype=self.logits.dtype))
        gumbels = -((-(uniforms.log())).log())
        scores: Tensor = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        k = self._categorical._num_events
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        scale = T["full_like"](self.temperature, float(k)).lgamma() - self.temperature.log().mul(-(k - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """A vector of parts of one that tends to a one-hot vector as the temperature falls."""

    arg_constraints = EVENTS
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)
