"""Distributions made of gamma numbers: Gamma, Chi2, Beta, Dirichlet, StudentT, FisherSnedecor, InverseGamma."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.api import SPECIAL
from gradviz.engine.run.function import Function, once_differentiable
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.composed import TransformedDistribution
from gradviz.torch.distributions.distribution import Distribution, ExponentialFamily
from gradviz.torch.distributions.transforms import PowerTransform
from gradviz.torch.distributions.utils import broadcast_all, standard_normal
from gradviz.torch.nn import functional as F


def _dirichlet_backward(x: Tensor, concentration: Tensor, grad_output: Tensor) -> Tensor:
    total = concentration.sum(-1, True).expand_as(concentration)
    grad = T["_dirichlet_grad"](x, concentration, total)
    return grad * (grad_output - (x * grad_output).sum(-1, True))


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        x = T["_sample_dirichlet"](concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x, concentration = ctx.saved_tensors
        return _dirichlet_backward(x, concentration, grad_output)


class Gamma(ExponentialFamily):
    """Waiting times for several rare events."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: object, rate: object, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "concentration", "rate")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = T["_standard_gamma"](self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = T["as_tensor"](value, dtype=self.rate.dtype)
        if self._validate_args:
            self._validate_sample(value)
        found = T["xlogy"](self.concentration, self.rate) + T["xlogy"](self.concentration - 1, value)
        return found - self.rate * value - T["lgamma"](self.concentration)

    def entropy(self) -> Tensor:
        found = self.concentration - T["log"](self.rate) + T["lgamma"](self.concentration)
        return found + (1.0 - self.concentration) * T["digamma"](self.concentration)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return SPECIAL["gammainc"](self.concentration, self.rate * value)


class Chi2(Gamma):
    """The sum of squares of `df` normal numbers."""

    arg_constraints = {"df": constraints.positive}  # noqa: RUF012

    def __init__(self, df: Tensor, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._expanded(batch_shape, _instance, "concentration", "rate")

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2


class Dirichlet(ExponentialFamily):
    """Parts of one."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}  # noqa: RUF012
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        small = (self.concentration < 1).all(dim=-1)
        mode[small] = F.one_hot(mode[small].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        wide = self.concentration.expand((*batch_shape, *self.event_shape))
        return self._like(batch_shape, _instance, concentration=wide)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        drawn: Tensor = _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))
        return drawn

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        found = T["xlogy"](self.concentration - 1.0, value).sum(-1)
        return found + T["lgamma"](self.concentration.sum(-1)) - T["lgamma"](self.concentration).sum(-1)

    def entropy(self) -> Tensor:
        k, total = self.concentration.size(-1), self.concentration.sum(-1)
        found = T["lgamma"](self.concentration).sum(-1) - T["lgamma"](total) - (k - total) * T["digamma"](total)
        return found - ((self.concentration - 1.0) * T["digamma"](self.concentration)).sum(-1)


class Beta(ExponentialFamily):
    """A part of one."""

    arg_constraints = {  # noqa: RUF012
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Tensor, concentration0: Tensor, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, (int, float)) and isinstance(concentration0, (int, float)):
            both = T["tensor"]([float(concentration1), float(concentration0)])
        else:
            both = T["stack"](broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def concentration1(self) -> Tensor:
        """The weight of the part."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The weight of the rest."""
        return self._dirichlet.concentration[..., 1]

    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._like(batch_shape, _instance, _dirichlet=self._dirichlet.expand(batch_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(T["stack"]([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """Student's t: heavier tails than the normal distribution."""

    arg_constraints = {  # noqa: RUF012
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self, df: Tensor, loc: Tensor | float = 0.0, scale: Tensor | float = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    mode = property(lambda self: self.loc)

    @property
    def mean(self) -> Tensor:
        found = self.loc.clone()
        found[self.df <= 1] = math.nan
        return found

    @property
    def variance(self) -> Tensor:
        found = self.df.clone()
        large = self.df > 2
        found[large] = self.scale[large].pow(2) * self.df[large] / (self.df[large] - 2)
        found[(self.df <= 2) & (self.df > 1)] = math.inf
        found[self.df <= 1] = math.nan
        return found

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = self._expanded(batch_shape, _instance, "df", "loc", "scale")
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        x = standard_normal(self._extended_shape(sample_shape), self.df)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * T["rsqrt"](z / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        norm = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        norm = norm + T["lgamma"](0.5 * self.df) - T["lgamma"](0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * T["log1p"](y**2.0 / self.df) - norm

    def entropy(self) -> Tensor:
        lbeta = T["lgamma"](0.5 * self.df) + math.lgamma(0.5) - T["lgamma"](0.5 * (self.df + 1))
        change = T["digamma"](0.5 * (self.df + 1)) - T["digamma"](0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * change + 0.5 * self.df.log() + lbeta


class FisherSnedecor(Distribution):
    """The ratio of two mean squares."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}  # noqa: RUF012
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Tensor, df2: Tensor, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = self.df2.clone()
        df2[df2 <= 2] = math.nan
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        df2 = self.df2.clone()
        df2[df2 <= 4] = math.nan
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        new = self._expanded(batch_shape, _instance, "df1", "df2")
        new._gamma1, new._gamma2 = self._gamma1.expand(batch_shape), self._gamma2.expand(batch_shape)
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = tuple(sample_shape)
        x1 = self._gamma1.rsample(shape).view(self._extended_shape(shape))
        x2 = self._gamma2.rsample(shape).view(self._extended_shape(shape))
        tiny = finfo(x2.dtype).tiny
        x2.clamp_(min=tiny)
        y = x1 / x2
        y.clamp_(min=tiny)
        return y

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        one, two = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        first = (one + two).lgamma() - one.lgamma() - two.lgamma()
        second = one * ratio.log() + (one - 1) * T["log"](value)
        return first + second - (one + two) * T["log1p"](ratio * value)


class InverseGamma(TransformedDistribution):
    """One over a gamma number."""

    arg_constraints = Gamma.arg_constraints
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma

    def __init__(self, concentration: Tensor, rate: Tensor, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        minus = -base.rate.new_ones(())
        super().__init__(base, PowerTransform(minus), validate_args=validate_args)

    concentration = property(lambda self: self.base_dist.concentration)
    rate = property(lambda self: self.base_dist.rate)
    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def mean(self) -> Tensor:
        found = self.rate / (self.concentration - 1)
        return T["where"](self.concentration > 1, found, math.inf)

    @property
    def variance(self) -> Tensor:
        found = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return T["where"](self.concentration > 2, found, math.inf)

    def entropy(self) -> Tensor:
        found: Tensor = self.concentration + self.rate.log() + self.concentration.lgamma()
        slope: Tensor = (1 + self.concentration) * self.concentration.digamma()
        return found - slope
