"""Distributions over a list of events: Categorical, Multinomial, OneHotCategorical, and mixtures, which choose one of
several components by such a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.counts import Binomial
from gradviz.torch.distributions.distribution import Distribution, exactly_one
from gradviz.torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from gradviz.torch.nn import functional as F

EVENTS = {"probs": constraints.simplex, "logits": constraints.real_vector}


class Categorical(Distribution):
    """One of several events."""

    arg_constraints = EVENTS
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        exactly_one(probs, logits)
        given, name = (probs, "probs") if probs is not None else (logits, "logits")
        assert given is not None
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.__dict__["probs"] = given / given.sum(-1, keepdim=True)
        else:
            self.__dict__["logits"] = given - given.logsumexp(dim=-1, keepdim=True)
        self._param = self.__dict__[name]
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1] if self._param.ndimension() > 1 else Size(), (), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        shape = Size((*batch_shape, self._num_events))
        found = {n: self.__dict__[n].expand(shape) for n in ("probs", "logits") if n in self.__dict__}
        new = self._like(batch_shape, _instance, _num_events=self._num_events, **found)
        new._param = next(iter(found.values()))
        return new

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self._num_events - 1), is_discrete=True, event_dim=0
    )

    @lazy_property
    def logits(self) -> Tensor:
        """The log-probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    param_shape = property(lambda self: self._param.size())
    mean = property(lambda self: T["full"](self._extended_shape(), float("nan"), dtype=self.probs.dtype))
    mode = property(lambda self: self.probs.argmax(dim=-1))
    variance = property(lambda self: T["full"](self._extended_shape(), float("nan"), dtype=self.probs.dtype))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        with no_grad():
            found = T["multinomial"](rows, shape.numel(), True).T
        return found.reshape(self._extended_shape(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = value.long().unsqueeze(-1)
        value, log_pmf = T["broadcast_tensors"](value, self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        smallest = finfo(self.logits.dtype).min
        logits = T["clamp"](self.logits, min=smallest)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = T["arange"](self._num_events, dtype=T["result_type"](0, 0))
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


class _OverCategorical(Distribution):
    """Base of distributions whose probabilities are kept in a Categorical."""

    _categorical: Categorical

    logits = property(lambda self: self._categorical.logits)
    probs = property(lambda self: self._categorical.probs)
    param_shape = property(lambda self: self._categorical.param_shape)
    _param = property(lambda self: self._categorical._param)

    def _shown(self) -> list[str]:
        return []


class Multinomial(_OverCategorical):
    """How often each event occurs in `total_count` draws."""

    arg_constraints = EVENTS

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))
    support = constraints.dependent_property(
        lambda self: constraints.multinomial(self.total_count), is_discrete=True, event_dim=1
    )

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._like(
            batch_shape, _instance, total_count=self.total_count, _categorical=self._categorical.expand(batch_shape)
        )

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = Size(sample_shape)
        samples = self._categorical.sample(Size((self.total_count,)) + sample_shape)
        shifted = samples.permute(*range(1, samples.dim()), 0)
        counts = samples.new_zeros(self._extended_shape(sample_shape))
        counts.scatter_add_(-1, shifted, T["ones_like"](shifted))
        return counts.type_as(self.probs)

    def entropy(self) -> Tensor:
        n = T["tensor"](self.total_count)
        found = self._categorical.entropy()
        support = self._binomial.enumerate_support(expand=False)[1:]
        weight = (T["exp"](self._binomial.log_prob(support)) * T["lgamma"](support + 1)).sum((0, -1))
        return n * found - T["lgamma"](n + 1) + weight

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        ways = T["lgamma"](value.sum(-1) + 1) - T["lgamma"](value + 1).sum(-1)
        logits[(value == 0) & (logits == -float("inf"))] = 0
        return ways + (logits * value).sum(-1)


class OneHotCategorical(_OverCategorical):
    """One of several events, as a vector with a single one."""

    arg_constraints = EVENTS
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    mean = property(lambda self: self._categorical.probs)
    variance = property(lambda self: self._categorical.probs * (1 - self._categorical.probs))

    @property
    def mode(self) -> Tensor:
        mode = self._categorical.probs.argmax(dim=-1)
        return F.one_hot(mode, num_classes=self._categorical.logits.shape[-1]).to(self._categorical.logits)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        return self._like(batch_shape, _instance, _categorical=self._categorical.expand(batch_shape))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        indices = self._categorical.sample(Size(sample_shape))
        return F.one_hot(indices, self._categorical._num_events).to(self._categorical._param)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = T["eye"](n, dtype=self._param.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Like OneHotCategorical, but samples have the gradient of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        samples = self.sample(sample_shape)
        probs = self._categorical.probs
        return samples + (probs - probs.detach())


class MixtureSameFamily(Distribution):
    """One of several components of one kind, chosen at random."""

    has_rsample = False

    def __init__(
        self, mixture_distribution: Any, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        batch_shape = component_distribution.batch_shape[:-1]
        for size1, size2 in zip(reversed(mixture_distribution.batch_shape), reversed(batch_shape), strict=False):
            if size1 != 1 and size2 != 1 and size1 != size2:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_distribution.batch_shape}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch_shape})"
                )
        km, kc = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if km != kc:
            raise ValueError(
                f"`mixture_distribution component` ({km}) does not equal `component_distribution.batch_shape[-1]`"
                f" ({kc})"
            )
        self._num_component = km
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        batch_shape = Size(batch_shape)
        return self._like(
            batch_shape,
            _instance,
            _component_distribution=self._component_distribution.expand((*batch_shape, self._num_component)),
            _mixture_distribution=self._mixture_distribution.expand(batch_shape),
            _num_component=self._num_component,
            _event_ndims=self._event_ndims,
        )

    @constraints.dependent_property
    def support(self) -> constraints.MixtureSameFamilyConstraint:
        """The region of the values."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = property(lambda self: self._mixture_distribution)
    component_distribution = property(lambda self: self._component_distribution)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        padded = len(self.batch_shape) - len(self.mixture_distribution.batch_shape)
        shape = x.shape
        return x.reshape(shape[:-1] + (1,) * padded + shape[-1:] + (1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        probs = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return T["sum"](probs * self.component_distribution.mean, dim=-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        probs = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        along = -1 - self._event_ndims
        within = T["sum"](probs * self.component_distribution.variance, dim=along)
        away = self.component_distribution.mean - self.mean.unsqueeze(along)
        return within + T["sum"](probs * away.pow(2.0), dim=along)

    def cdf(self, x: Tensor) -> Tensor:
        cdf = self.component_distribution.cdf(x.unsqueeze(-1 - self._event_ndims))
        return T["sum"](cdf * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        component = self.component_distribution.log_prob(x.unsqueeze(-1 - self._event_ndims))
        mixture = T["log_softmax"](self.mixture_distribution.logits, dim=-1)
        return T["logsumexp"](component + mixture, dim=-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            sample_len, batch_len = len(sample_shape), len(self.batch_shape)
            gather_dim, event_shape = sample_len + batch_len, self.event_shape
            mixture = self.mixture_distribution.sample(sample_shape)
            shape = mixture.shape
            samples = self.component_distribution.sample(sample_shape)
            ones = (1,) * (len(event_shape) + 1)
            chosen = mixture.reshape((*shape, *ones)).repeat((1,) * len(shape) + (1,) + tuple(event_shape))
            return T["gather"](samples, gather_dim, chosen).squeeze(gather_dim)

    def __repr__(self) -> str:
        shown = f"\n  {self.mixture_distribution},\n  {self.component_distribution}"
        return f"MixtureSameFamily({shown})"
