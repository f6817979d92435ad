"""`kl_divergence`: how far one distribution is from another, for the pairs that have a formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.api import LINALG
from gradviz.torch.distributions.composed import Independent, TransformedDistribution
from gradviz.torch.distributions.counts import Bernoulli, Binomial, ContinuousBernoulli, Geometric, Poisson
from gradviz.torch.distributions.distribution import Distribution, ExponentialFamily
from gradviz.torch.distributions.events import Categorical, OneHotCategorical
from gradviz.torch.distributions.gammas import Beta, Dirichlet, Gamma
from gradviz.torch.distributions.multivariate import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    batch_mahalanobis,
    batch_mv,
)
from gradviz.torch.distributions.reals import Cauchy, Exponential, Laplace, Normal, Uniform
from gradviz.torch.distributions.shaped import Gumbel, HalfNormal, Pareto
from gradviz.torch.distributions.utils import euler_constant, sum_rightmost
from gradviz.torch.nn.functional import softplus

P = TypeVar("P", bound=Distribution)
Q = TypeVar("Q", bound=Distribution)
Formula = Callable[[P, Q], Tensor]
_FORMULAS: dict[tuple[type, type], Formula[Any, Any]] = {}


def register_kl(type_p: type[P], type_q: type[Q]) -> Callable[[Formula[P, Q]], Formula[P, Q]]:
    """A decorator for the formula of a pair of distributions."""
    if not (isinstance(type_p, type) and issubclass(type_p, Distribution)):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not (isinstance(type_q, type) and issubclass(type_q, Distribution)):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def decorator(formula: Formula[P, Q]) -> Formula[P, Q]:
        _FORMULAS[type_p, type_q] = formula
        return formula

    return decorator


def _find(type_p: type, type_q: type) -> Formula[Any, Any] | None:
    """The formula for the nearest base classes."""
    matches = [(p, q) for p, q in _FORMULAS if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return None
    return _FORMULAS[min(matches, key=lambda pair: (type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])))]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p || q): the mean under p of log p − log q."""
    formula = _find(type(p), type(q))
    if formula is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return formula(p, q)


def _infinite_like(x: Tensor) -> Tensor:
    return T["full_like"](x, math.inf)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    t1 = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    t1[q.probs == 0] = math.inf
    t1[p.probs == 0] = 0
    t2 = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    t2[q.probs == 1] = math.inf
    t2[p.probs == 1] = 0
    return t1 + t2


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = q.concentration1.lgamma() + q.concentration0.lgamma() + total_p.lgamma()
    t2 = p.concentration1.lgamma() + p.concentration0.lgamma() + total_q.lgamma()
    t3 = (p.concentration1 - q.concentration1) * T["digamma"](p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * T["digamma"](p.concentration0)
    return t1 - t2 + t3 + t4 + (total_q - total_p) * T["digamma"](total_p)


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    found = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    more = p.total_count > q.total_count
    found[more] = _infinite_like(found[more])
    return found


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = math.inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    t1 = p.mean * (p.logits - q.logits)
    t2 = p._log_normalizer() + T["log1p"](-p.probs)
    return t1 + t2 + (-q._log_normalizer() - T["log1p"](-q.probs))


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    total_p, total_q = p.concentration.sum(-1), q.concentration.sum(-1)
    t1 = total_p.lgamma() - total_q.lgamma()
    t2 = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    t4 = p.concentration.digamma() - total_p.digamma().unsqueeze(-1)
    return t1 - t2 + ((p.concentration - q.concentration) * t4).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = T["lgamma"](q.concentration) - T["lgamma"](p.concentration)
    t3 = (p.concentration - q.concentration) * T["digamma"](p.concentration)
    return t1 + t2 + t3 + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ct1, ct2, ct3 = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t1 = -ct1.log() - ct2 + ct3
    t3 = T["exp"](ct2 + (1 + ct1).lgamma() - ct3)
    return t1 + ct1 * euler_constant + t3 - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - T["log1p"](-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio = p.scale / q.scale
    away = (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * T["exp"](-away / p.scale) - 1


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    lower_p, lower_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    half1 = lower_q.diagonal(dim1=-2, dim2=-1).log().sum(-1) - lower_p.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    batch = T["broadcast_shapes"](lower_q.shape[:-2], lower_p.shape[:-2])
    n = p.event_shape[0]
    wide_q, wide_p = lower_q.expand((*batch, n, n)), lower_p.expand((*batch, n, n))
    ratio = LINALG["solve_triangular"](wide_q, wide_p, upper=False).reshape((-1, n, n))
    term2 = ratio.pow(2).sum(-1).sum(-1).reshape(batch)
    term3 = batch_mahalanobis(lower_q, q.loc - p.loc)
    return half1 + 0.5 * (term2 + term3 - n)


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    away = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + away - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    scale_ratio, alpha_ratio = p.scale / q.scale, q.alpha / p.alpha
    found = q.alpha * scale_ratio.log() - alpha_ratio.log() + alpha_ratio - 1
    found[p.support.lower_bound < q.support.lower_bound] = math.inf
    return found


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    extra = len(p.event_shape) - len(p.base_dist.event_shape)
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), extra)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    found[(q.low > p.low) | (q.high < p.high)] = math.inf
    return found


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    t1 = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return t1 - (4 * p.scale * q.scale).log()


@register_kl(Laplace, Normal)
def _laplace_normal(p: Laplace, q: Normal) -> Tensor:
    square = q.scale.pow(2)
    ratio = p.scale.pow(2) / square
    t1 = 0.5 * T["log"](2 * ratio / math.pi)
    t2 = 0.5 * p.loc.pow(2)
    return -t1 + ratio + (t2 - p.loc * q.loc + 0.5 * q.loc.pow(2)) / square - 1


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    away = p.loc - q.loc
    ratio, steps = p.scale / q.scale, away / p.scale
    t1 = T["log"](ratio)
    t2 = math.sqrt(2 / math.pi) * p.scale * T["exp"](-0.5 * steps.pow(2))
    t3 = away * T["erf"](math.sqrt(0.5) * steps)
    return -t1 + (t2 + t3) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    ratio = q.rate / p.rate
    t1 = -q.concentration * T["log"](ratio)
    return t1 + ratio + q.concentration.lgamma() + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Normal)
def _exponential_normal(p: Exponential, q: Normal) -> Tensor:
    square = q.scale.pow(2)
    rate2 = p.rate.pow(2)
    t1 = 0.5 * T["log"](rate2 * square * 2 * math.pi)
    t2 = rate2.reciprocal()
    return t1 - 1 + (t2 - q.loc / p.rate + 0.5 * q.loc.pow(2)) / square


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Tensor:
    length = p.high - p.low
    t1 = (math.sqrt(math.pi * 2) * q.scale / length).log()
    t2 = length.pow(2) / 12
    t3 = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return t1 + 0.5 * (t2 + t3) / q.scale.pow(2)


def _never(p: Distribution, q: object) -> Tensor:
    """Infinity, as p has values where q has none."""
    return _infinite_like(p.mean)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_families(p: ExponentialFamily, q: ExponentialFamily) -> NoReturn:
    raise NotImplementedError(
        "The cross KL-divergence between different exponential families cannot                             "
        "be computed using Bregman divergences"
    )


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Low Rank Multivariate Normals with different event shapes cannot be computed"
        )
    term1 = q._log_det() - p._log_det()
    weighted = q._factor.mT / q._diag.unsqueeze(-2)
    inner = batch_mv(weighted, q.loc - p.loc)
    term3 = ((q.loc - p.loc).pow(2) / q._diag).sum(-1) - batch_mahalanobis(q._capacitance_tril, inner)
    solved = LINALG["solve_triangular"](q._capacitance_tril, weighted, upper=False)
    root_p, scaled = p._diag.sqrt().unsqueeze(-1), p._factor / q._diag.sqrt().unsqueeze(-1)
    spread = (p._diag / q._diag).sum(-1) + scaled.pow(2).sum((-2, -1))
    spread = spread - (solved * root_p.mT).pow(2).sum((-2, -1)) - solved.matmul(p._factor).pow(2).sum((-2, -1))
    return 0.5 * (term1 + spread + term3 - p.event_shape[0])


for _p in (Cauchy, Gumbel, Laplace, Normal):
    for _q in (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform):
        register_kl(_p, _q)(_never)
