"""`torch.distributions`: the few distributions that reinforcement learning and variational tutorials use, with samples
from the default generator and log-probabilities that can be differentiated."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.modes import no_grad
from gradviz.engine.tensor import Size, Tensor
from gradviz.torch.nn import functional as F


def _broadcast(*values: Any) -> list[Tensor]:
    """Numbers and tensors as tensors of one shape."""
    kind = next((v.dtype for v in values if isinstance(v, Tensor)), dtypes.get_default_dtype())
    made = [v if isinstance(v, Tensor) else T["tensor"](v, dtype=kind) for v in values]
    return list(T["broadcast_tensors"](*made)) if len(made) > 1 else made


class Distribution:
    """Something to draw from, with a density."""

    parameters: tuple[str, ...] = ()
    has_rsample = False
    batch_shape = Size()
    event_shape = Size()

    def _check(self, name: str, value: Tensor, valid: Any, constraint: str) -> None:
        if not bool(valid.all()):
            raise ValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"of distribution {self!r} to satisfy the constraint {constraint}, but found invalid values:\n{value}"
            )

    def _extended(self, sample_shape: Any) -> Size:
        return Size((*sample_shape, *self.batch_shape, *self.event_shape))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without a graph."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw so that gradients reach the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        raise NotImplementedError

    @property
    def variance(self) -> Any:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.variance.sqrt()

    def __repr__(self) -> str:
        def shown(value: Tensor) -> str:
            return f"{value}" if value.numel() == 1 else f"{value.shape}"

        given = [(name, self.__dict__[name]) for name in self.parameters if name in self.__dict__]
        return f"{type(self).__name__}({', '.join(f'{name}: {shown(value)}' for name, value in given)})"


class Normal(Distribution):
    """The normal distribution."""

    parameters = ("loc", "scale")
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = _broadcast(loc, scale)
        self.batch_shape = self.loc.shape
        if validate_args is not False:
            self._check("loc", self.loc, self.loc == self.loc, "Real()")
            self._check("scale", self.scale, self.scale > 0, "GreaterThan(lower_bound=0.0)")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Any:
        return self.scale.pow(2)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended(sample_shape)
        with no_grad():
            return T["normal"](self.loc.expand(shape), self.scale.expand(shape))  # type: ignore[no-any-return]

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        drawn: Tensor = T["randn"](self._extended(sample_shape), dtype=self.loc.dtype)
        return self.loc + drawn * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        var = self.scale**2
        log_scale: Tensor = self.scale.log()
        shape: Tensor = -((value - self.loc) ** 2) / (2 * var)
        return shape - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Any:
        """The distribution function."""
        return 0.5 * (1 + T["erf"]((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def entropy(self) -> Any:
        """The entropy."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + T["log"](self.scale)


class Uniform(Distribution):
    """The uniform distribution on [low, high)."""

    parameters = ("low", "high")
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = _broadcast(low, high)
        self.batch_shape = self.low.shape

    @property
    def mean(self) -> Any:
        """The mean."""
        return (self.high + self.low) / 2

    @property
    def variance(self) -> Any:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        drawn: Tensor = T["rand"](self._extended(sample_shape), dtype=self.low.dtype)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return T["log"](inside) - T["log"](self.high - self.low)  # type: ignore[no-any-return]

    def entropy(self) -> Any:
        """The entropy."""
        return T["log"](self.high - self.low)


class Exponential(Distribution):
    """The exponential distribution."""

    parameters = ("rate",)
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = _broadcast(rate)
        self.batch_shape = self.rate.shape
        if validate_args is not False:
            self._check("rate", self.rate, self.rate > 0, "GreaterThan(lower_bound=0.0)")

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        drawn = T["empty"](self._extended(sample_shape), dtype=self.rate.dtype).exponential_()
        return drawn / self.rate  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        return self.rate.log() - self.rate * value  # type: ignore[no-any-return]

    def entropy(self) -> Any:
        """The entropy."""
        return 1.0 - T["log"](self.rate)


class Bernoulli(Distribution):
    """One with a probability, else zero."""

    parameters = ("probs", "logits")

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            (self.__dict__["probs"],) = _broadcast(probs)
            self.batch_shape = self.probs.shape
            if validate_args is not False:
                inside = (self.probs >= 0) & (self.probs <= 1)
                self._check("probs", self.probs, inside, "Interval(lower_bound=0.0, upper_bound=1.0)")
        else:
            (self.__dict__["logits"],) = _broadcast(logits)
            self.batch_shape = self.logits.shape

    @cached_property
    def probs(self) -> Tensor:
        """The probability of one."""
        return T["sigmoid"](self.logits)  # type: ignore[no-any-return]

    @cached_property
    def logits(self) -> Tensor:
        """The log-odds of one."""
        clamped = _clamp_probs(self.probs)
        return T["log"](clamped) - T["log1p"](-clamped)  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.probs

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return T["bernoulli"](self.probs.expand(self._extended(sample_shape)))  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        logits, target = _broadcast(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, target, reduction="none")  # type: ignore[no-any-return]

    def entropy(self) -> Any:
        """The entropy."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


class Categorical(Distribution):
    """One of several events."""

    parameters = ("probs", "logits")

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, given = ("probs", probs) if probs is not None else ("logits", logits)
        if given.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.__dict__["probs"] = probs / probs.sum(-1, keepdim=True)
        else:
            self.__dict__["logits"] = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._param: Tensor = self.__dict__[name]
        self.batch_shape = Size(given.shape[:-1])
        if validate_args is not False:
            if probs is not None:
                summed = (self._param.sum(-1) - 1).abs() < 1e-6
                self._check("probs", self._param, (self._param >= 0).all(-1) & summed, "Simplex()")
            else:
                self._check("logits", self._param, self._param == self._param, "IndependentConstraint(Real(), 1)")

    @cached_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return F.softmax(self.logits, dim=-1)  # type: ignore[no-any-return]

    @cached_property
    def logits(self) -> Tensor:
        """The log-probabilities."""
        return T["log"](_clamp_probs(self.probs))  # type: ignore[no-any-return]

    def sample(self, sample_shape: Any = ()) -> Tensor:
        count = math.prod(sample_shape)
        with no_grad():
            rows = self.probs.reshape(-1, self._param.shape[-1])
            return T["multinomial"](rows, count, True).T.reshape(self._extended(sample_shape))  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        index, logits = T["broadcast_tensors"](value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, index[..., :1]).squeeze(-1)  # type: ignore[no-any-return]

    def entropy(self) -> Any:
        """The entropy."""
        return -(T["clamp"](self.logits, min=T["finfo"](self.logits.dtype).min) * self.probs).sum(-1)


def _clamp_probs(probs: Tensor) -> Tensor:
    eps = T["finfo"](probs.dtype).eps
    return T["clamp"](probs, min=eps, max=1 - eps)  # type: ignore[no-any-return]


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """The Kullback-Leibler divergence of two distributions of one kind."""
    if isinstance(p, Normal) and isinstance(q, Normal):
        ratio = (p.scale / q.scale).pow(2)
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        return (p.probs * (p.logits - q.logits)).sum(-1)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )
