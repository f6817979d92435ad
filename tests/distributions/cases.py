"""Distributions to compare with PyTorch's: each by a function that makes it with the `torch` that it is given.
`observe` asks everything that can be asked of one; the recorder does so with the real PyTorch, the tests with ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Maker = Callable[[Any, Callable[..., Any]], Any]  # torch, and a function that makes a parameter that requires grad

DISTRIBUTIONS: dict[str, Maker] = {
    "Normal": lambda t, p: t.distributions.Normal(p([0.5, -1.0, 2.0]), p([1.0, 0.5, 2.0])),
    "Normal numbers": lambda t, p: t.distributions.Normal(0.0, 1.0),
    "Normal broadcast": lambda t, p: t.distributions.Normal(p([[0.5], [1.0]]), p([1.0, 0.5, 2.0])),
    "Laplace": lambda t, p: t.distributions.Laplace(p([0.5, -1.0]), p([1.0, 0.5])),
    "Cauchy": lambda t, p: t.distributions.Cauchy(p([0.5, -1.0]), p([1.0, 0.5])),
    "Uniform": lambda t, p: t.distributions.Uniform(p([0.0, -1.0]), p([1.0, 3.0])),
    "Exponential": lambda t, p: t.distributions.Exponential(p([0.5, 2.0])),
    "Bernoulli": lambda t, p: t.distributions.Bernoulli(p([0.3, 0.5, 0.9])),
    "Bernoulli logits": lambda t, p: t.distributions.Bernoulli(logits=p([0.3, -0.5])),
    "Geometric": lambda t, p: t.distributions.Geometric(p([0.3, 0.9])),
    "Binomial": lambda t, p: t.distributions.Binomial(10, p([0.3, 0.9])),
    "Binomial logits": lambda t, p: t.distributions.Binomial(100, logits=p([0.3, -0.9])),
    "NegativeBinomial": lambda t, p: t.distributions.NegativeBinomial(10, p([0.3, 0.6])),
    "Poisson": lambda t, p: t.distributions.Poisson(p([0.3, 4.0, 20.0])),
    "ContinuousBernoulli": lambda t, p: t.distributions.ContinuousBernoulli(p([0.3, 0.5, 0.9])),
    "Categorical": lambda t, p: t.distributions.Categorical(p([0.1, 0.4, 0.5])),
    "Categorical logits": lambda t, p: t.distributions.Categorical(logits=p([[0.1, 0.4, 0.5], [1.0, -1.0, 0.0]])),
    "Multinomial": lambda t, p: t.distributions.Multinomial(7, p([0.1, 0.4, 0.5])),
    "OneHotCategorical": lambda t, p: t.distributions.OneHotCategorical(p([[0.1, 0.4, 0.5], [0.2, 0.2, 0.6]])),
    "StraightThrough": lambda t, p: t.distributions.OneHotCategoricalStraightThrough(p([0.1, 0.4, 0.5])),
    "Gamma": lambda t, p: t.distributions.Gamma(p([0.5, 2.0, 9.0]), p([1.0, 0.5, 3.0])),
    "Chi2": lambda t, p: t.distributions.Chi2(p([1.0, 4.0])),
    "Beta": lambda t, p: t.distributions.Beta(p([0.5, 2.0]), p([1.5, 3.0])),
    "Dirichlet": lambda t, p: t.distributions.Dirichlet(p([0.5, 2.0, 1.5])),
    "StudentT": lambda t, p: t.distributions.StudentT(p([1.5, 5.0]), p([0.0, 1.0]), p([1.0, 2.0])),
    "FisherSnedecor": lambda t, p: t.distributions.FisherSnedecor(p([3.0, 7.0]), p([5.0, 9.0])),
    "InverseGamma": lambda t, p: t.distributions.InverseGamma(p([3.0, 2.5]), p([1.0, 2.0])),
    "MultivariateNormal": lambda t, p: t.distributions.MultivariateNormal(p([0.0, 1.0]), p([[2.0, 0.5], [0.5, 1.0]])),
    "MultivariateNormal tril": lambda t, p: t.distributions.MultivariateNormal(
        p([[0.0, 1.0], [2.0, 3.0]]), scale_tril=p([[2.0, 0.0], [0.5, 1.0]])
    ),
    "MultivariateNormal precision": lambda t, p: t.distributions.MultivariateNormal(
        p([0.0, 1.0]), precision_matrix=p([[2.0, 0.5], [0.5, 1.0]])
    ),
    "LowRank": lambda t, p: t.distributions.LowRankMultivariateNormal(p([0.0, 1.0]), p([[1.0], [0.5]]), p([1.0, 2.0])),
    "LogNormal": lambda t, p: t.distributions.LogNormal(p([0.5, -1.0]), p([1.0, 0.5])),
    "HalfNormal": lambda t, p: t.distributions.HalfNormal(p([1.0, 0.5])),
    "HalfCauchy": lambda t, p: t.distributions.HalfCauchy(p([1.0, 0.5])),
    "Gumbel": lambda t, p: t.distributions.Gumbel(p([0.5, -1.0]), p([1.0, 0.5])),
    "LKJCholesky": lambda t, p: t.distributions.LKJCholesky(3, p([1.0, 2.5])),
    # without gradients: PyTorch's own fail, because rsample writes to the mask by which it wrote before
    "Wishart": lambda t, p: t.distributions.Wishart(t.tensor([4.0]), t.tensor([[2.0, 0.5], [0.5, 1.0]])),
    "Wishart tril": lambda t, p: t.distributions.Wishart(5, scale_tril=t.tensor([[2.0, 0.0], [0.5, 1.0]])),
    "VonMises": lambda t, p: t.distributions.VonMises(p([1.0, -0.5]), p([1.5, 6.0])),
    "GeneralizedPareto": lambda t, p: t.distributions.GeneralizedPareto(p([0.1, 0.5]), p([2.0, 1.0]), p([0.4, -0.3])),
    "GeneralizedPareto of zero": lambda t, p: t.distributions.GeneralizedPareto(p([0.0]), p([2.0]), p([0.0])),
    "Weibull": lambda t, p: t.distributions.Weibull(p([1.0, 0.5]), p([1.5, 2.0])),
    "Pareto": lambda t, p: t.distributions.Pareto(p([1.0, 0.5]), p([3.0, 2.5])),
    "Kumaraswamy": lambda t, p: t.distributions.Kumaraswamy(p([1.5, 2.0]), p([3.0, 1.5])),
    "LogisticNormal": lambda t, p: t.distributions.LogisticNormal(p([0.0, 1.0]), p([1.0, 0.5])),
    "RelaxedBernoulli": lambda t, p: t.distributions.RelaxedBernoulli(t.tensor(0.7), p([0.3, 0.9])),
    "RelaxedOneHot": lambda t, p: t.distributions.RelaxedOneHotCategorical(t.tensor(0.7), p([0.1, 0.4, 0.5])),
    "Independent": lambda t, p: t.distributions.Independent(
        t.distributions.Normal(p([[0.5, -1.0], [0.0, 1.0]]), p([1.0, 0.5])), 1
    ),
    "Transformed": lambda t, p: t.distributions.TransformedDistribution(
        t.distributions.Normal(p([0.5, -1.0]), p([1.0, 0.5])),
        [t.distributions.SigmoidTransform(), t.distributions.AffineTransform(1.0, 3.0)],
    ),
    "Logistic": lambda t, p: t.distributions.TransformedDistribution(
        t.distributions.Uniform(p([0.0]), p([1.0])),
        [t.distributions.SigmoidTransform().inv, t.distributions.AffineTransform(loc=1.0, scale=2.0)],
    ),
    "Tanh": lambda t, p: t.distributions.TransformedDistribution(
        t.distributions.Normal(p([0.5, -1.0]), p([1.0, 0.5])), [t.distributions.TanhTransform(cache_size=1)]
    ),
    "Mixture": lambda t, p: t.distributions.MixtureSameFamily(
        t.distributions.Categorical(p([0.3, 0.7])), t.distributions.Normal(p([0.0, 3.0]), p([1.0, 0.5]))
    ),
    "Mixture vectors": lambda t, p: t.distributions.MixtureSameFamily(
        t.distributions.Categorical(t.ones(2)),
        t.distributions.Independent(
            t.distributions.Normal(p([[0.0, 1.0], [3.0, 4.0]]), p([[1.0, 2.0], [0.5, 1.0]])), 1
        ),
    ),
}

_BAD: dict[str, Callable[[Any], Any]] = {
    "scale": lambda t: t.distributions.Normal(0.0, -1.0),
    "nan": lambda t: t.distributions.Normal(t.tensor([0.0, float("nan")]), 1.0),
    "probs": lambda t: t.distributions.Bernoulli(t.tensor([0.5, 1.5])),
    "both": lambda t: t.distributions.Categorical(),
    "simplex": lambda t: t.distributions.Categorical(t.tensor([-0.5, 1.5])),
    "scalar": lambda t: t.distributions.Categorical(t.tensor(0.5)),
    "support": lambda t: t.distributions.Exponential(1.0).log_prob(t.tensor(-1.0)),
    "integers": lambda t: t.distributions.Poisson(1.0).log_prob(t.tensor([0.5, 1.0])),
    "boolean": lambda t: t.distributions.Bernoulli(0.5).log_prob(t.tensor(0.5)),
    "not a tensor": lambda t: t.distributions.Normal(0.0, 1.0).log_prob(1.0),
    "broadcast": lambda t: t.distributions.Normal(t.zeros(2), 1.0).log_prob(t.zeros(3)),
    "event": lambda t: t.distributions.Dirichlet(t.ones(3)).log_prob(t.tensor([0.5, 0.5])),
    "matrix": lambda t: t.distributions.MultivariateNormal(t.zeros(2), t.tensor([[1.0, 2.0], [2.0, 1.0]])),
    "none": lambda t: t.distributions.MultivariateNormal(t.zeros(2)),
    "low": lambda t: t.distributions.Uniform(1.0, 0.0),
    "kl": lambda t: t.distributions.kl_divergence(
        t.distributions.Normal(0.0, 1.0), t.distributions.Bernoulli(t.tensor(0.5))
    ),
    "mode": lambda t: t.distributions.Gamma(1.0, 1.0).icdf(t.tensor(0.5)),
    "rsample": lambda t: t.distributions.Poisson(1.0).rsample(),
    "independent": lambda t: t.distributions.Independent(t.distributions.Normal(0.0, 1.0), 1),
    "geometric": lambda t: t.distributions.Geometric(t.tensor([0.0, 0.5])),
    "category": lambda t: t.distributions.Categorical(t.ones(3)).log_prob(t.tensor(3)),
}
_ASKED = "mean mode variance stddev batch_shape event_shape has_rsample has_enumerate_support".split()


def plain(value: Any) -> Any:
    """What JSON can hold: a tensor as its type, shape and numbers."""
    if hasattr(value, "tolist"):
        flat = [str(x) if isinstance(x, float) and (x != x or abs(x) == float("inf")) else x
                for x in value.detach().reshape(-1).tolist()]  # fmt: skip
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": flat}
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def tried(ask: Callable[[], Any]) -> Any:
    """The answer, or the error."""
    try:
        return plain(ask())
    except Exception as error:  # noqa: BLE001 what is raised is compared too
        return f"{type(error).__name__}: {error}"


def observe(torch: Any, name: str) -> dict[str, Any]:
    """Everything about one distribution."""
    parameters: list[Any] = []

    def parameter(values: Any) -> Any:
        parameters.append(torch.tensor(values, requires_grad=True))
        return parameters[-1]

    made = DISTRIBUTIONS[name](torch, parameter)
    seen: dict[str, Any] = {"type": str(type(made)), "repr": repr(made)}
    seen |= {key: tried(lambda key=key: getattr(made, key)) for key in _ASKED}
    seen["support"] = tried(lambda: repr(made.support))
    torch.manual_seed(0)
    samples = [made.sample(), made.sample((3,)), made.sample((20, 2))]
    seen["samples"] = [plain(each) for each in samples]
    seen["log_prob"] = [tried(lambda x=x: made.log_prob(x)) for x in samples]
    seen["entropy"] = tried(made.entropy)
    seen["cdf"] = tried(lambda: made.cdf(samples[0]))
    seen["icdf"] = tried(lambda: made.icdf(torch.full(made.batch_shape, 0.3)))
    seen["values"] = tried(made.enumerate_support)
    wide = (2, *made.batch_shape)
    seen["expanded"] = tried(lambda: made.expand(wide).batch_shape)
    seen["expanded sample"] = tried(lambda: made.expand(wide).sample((2,)))
    seen["log_prob slopes"] = _slopes(torch, parameters, lambda: made.log_prob(samples[1]).sum())
    if made.has_rsample:
        seen["rsample slopes"] = _slopes(torch, parameters, lambda: made.rsample((4,)).sum())
        seen["rsample node"] = tried(lambda: type(made.rsample().grad_fn).__name__)
    seen["kl"] = tried(lambda: torch.distributions.kl_divergence(made, DISTRIBUTIONS[name](torch, _shifted(torch))))
    return seen


def _shifted(torch: Any) -> Callable[..., Any]:
    return lambda values: torch.tensor(values) * 1.25


def _slopes(torch: Any, parameters: list[Any], make: Callable[[], Any]) -> Any:
    try:
        found = torch.autograd.grad(make(), parameters, allow_unused=True)
    except Exception as error:  # noqa: BLE001 what is raised is compared too
        return f"{type(error).__name__}: {error}"
    return [None if each is None else plain(each) for each in found]


def transforms(torch: Any) -> dict[str, Any]:
    """The transforms, one value through each."""
    d = torch.distributions
    x = torch.tensor([0.3, -0.7, 1.2])
    made = {
        "exp": d.ExpTransform(), "sigmoid": d.SigmoidTransform(), "tanh": d.TanhTransform(),
        "softplus": d.SoftplusTransform(), "affine": d.AffineTransform(1.0, -2.0), "softmax": d.SoftmaxTransform(),
        "stick": d.StickBreakingTransform(), "corr": d.CorrCholeskyTransform(),
        "compose": d.ComposeTransform([d.ExpTransform(), d.PowerTransform(2.0)]),
        "independent": d.IndependentTransform(d.ExpTransform(), 1), "reshape": d.ReshapeTransform((3,), (1, 3)),
        "cat": d.CatTransform([d.ExpTransform(), d.TanhTransform()], lengths=[2, 1]),
        "stack": d.StackTransform([d.ExpTransform(), d.TanhTransform(), d.ExpTransform()]),
        "abs": d.AbsTransform(), "cdf": d.CumulativeDistributionTransform(d.Normal(0.0, 1.0)),
        "lower": d.transform_to(d.constraints.interval(-1.0, 3.0)), "positive": d.biject_to(d.constraints.positive),
        "simplex": d.transform_to(d.constraints.simplex),
    }  # fmt: skip
    seen = {}
    for name, each in made.items():
        y = each(x)
        seen[name] = [repr(each).split("Distribution")[0], plain(y), tried(lambda each=each, y=y: each.inv(y)),
                      tried(lambda each=each, y=y: each.log_abs_det_jacobian(x, y)),
                      tried(lambda each=each: each.event_dim), tried(lambda each=each: repr(each.domain)),
                      tried(lambda each=each: repr(each.codomain)), tried(lambda each=each: each.sign)]  # fmt: skip
    return seen


def errors(torch: Any) -> dict[str, Any]:
    """What is said of wrong parameters and values."""
    return {name: tried(lambda wrong=wrong: wrong(torch)) for name, wrong in _BAD.items()}


def observe_all(torch: Any) -> dict[str, Any]:
    """All of it."""
    seen: dict[str, Any] = {name: observe(torch, name) for name in DISTRIBUTIONS}
    return seen | {"transforms": transforms(torch), "errors": errors(torch)}
