"""Distributions over a list of events: Categorical, Multinomial, OneHotCategorical."""

from __future__ import annotations

from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.modes import no_grad
from gradviz.engine.tensor import Size
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.counts import Binomial
from gradviz.torch.distributions.distribution import Distribution, exactly_one
from gradviz.torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

EVENTS = {"probs": constraints.simplex, "logits": constraints.real_vector}


class Categorical(Distribution):
    """One of several events."""

    arg_constraints = EVENTS
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        exactly_one(probs, logits)
        given, name = (probs, "probs") if probs is not None else (logits, "logits")
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.__dict__["probs"] = probs / probs.sum(-1, keepdim=True)
        else:
            self.__dict__["logits"] = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._param = self.__dict__[name]
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1] if self._param.ndimension() > 1 else Size(), (), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = Size((*batch_shape, self._num_events))
        found = {n: self.__dict__[n].expand(shape) for n in ("probs", "logits") if n in self.__dict__}
        new = self._like(batch_shape, _instance, _num_events=self._num_events, **found)
        new._param = next(iter(found.values()))
        return new

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self._num_events - 1), is_discrete=True, event_dim=0
    )

    @lazy_property
    def logits(self) -> Any:
        """The log-probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return logits_to_probs(self.logits)

    param_shape = property(lambda self: self._param.size())
    mean = property(lambda self: T["full"](self._extended_shape(), float("nan"), dtype=self.probs.dtype))
    mode = property(lambda self: self.probs.argmax(dim=-1))
    variance = property(lambda self: T["full"](self._extended_shape(), float("nan"), dtype=self.probs.dtype))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        with no_grad():
            found = T["multinomial"](rows, shape.numel(), True).T
        return found.reshape(self._extended_shape(shape))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        value = value.long().unsqueeze(-1)
        value, log_pmf = T["broadcast_tensors"](value, self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        smallest = T["finfo"](self.logits.dtype).min
        logits = T["clamp"](self.logits, min=smallest)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = T["arange"](self._num_events, dtype=T["result_type"](0, 0))
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


class _OverCategorical(Distribution):
    """What keeps its probabilities in a Categorical."""

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
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
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

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._like(
            batch_shape, _instance, total_count=self.total_count, _categorical=self._categorical.expand(batch_shape)
        )

    def sample(self, sample_shape: Any = ()) -> Any:
        sample_shape = Size(sample_shape)
        samples = self._categorical.sample(Size((self.total_count,)) + sample_shape)
        shifted = samples.permute(*range(1, samples.dim()), 0)
        counts = samples.new_zeros(self._extended_shape(sample_shape))
        counts.scatter_add_(-1, shifted, T["ones_like"](shifted))
        return counts.type_as(self.probs)

    def entropy(self) -> Any:
        n = T["tensor"](self.total_count)
        found = self._categorical.entropy()
        support = self._binomial.enumerate_support(expand=False)[1:]
        weight = (T["exp"](self._binomial.log_prob(support)) * T["lgamma"](support + 1)).sum((0, -1))
        return n * found - T["lgamma"](n + 1) + weight

    def log_prob(self, value: Any) -> Any:
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

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    mean = property(lambda self: self._categorical.probs)
    variance = property(lambda self: self._categorical.probs * (1 - self._categorical.probs))

    @property
    def mode(self) -> Any:
        mode = self._categorical.probs.argmax(dim=-1)
        from gradviz.torch.nn import functional as F

        return F.one_hot(mode, num_classes=self._categorical.logits.shape[-1]).to(self._categorical.logits)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._like(batch_shape, _instance, _categorical=self._categorical.expand(batch_shape))

    def sample(self, sample_shape: Any = ()) -> Any:
        from gradviz.torch.nn import functional as F

        indices = self._categorical.sample(Size(sample_shape))
        return F.one_hot(indices, self._categorical._num_events).to(self._categorical._param)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Any:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        n = self.event_shape[0]
        values = T["eye"](n, dtype=self._param.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """As OneHotCategorical, with the gradient of the probabilities for the samples."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        samples = self.sample(sample_shape)
        probs = self._categorical.probs
        return samples + (probs - probs.detach())
