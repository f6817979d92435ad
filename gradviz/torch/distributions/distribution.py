"""`Distribution`: shapes, checks of parameters and values, and the methods that every family has. The families are in
`reals`, `counts`, `events`, `gammas`, `multivariate`, `matrices`, `shaped` and `composed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.state import on_new_run
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.utils import lazy_property


class Distribution:
    """Base of all distributions, which can be sampled and have a density."""

    has_rsample = False
    has_enumerate_support = False
    _validate_args: Any = True
    _mean_carrier_measure: Any = 0

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check their parameters by default."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        for name, constraint in self.arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue
            if str.startswith(name, "__"):
                raise AttributeError(f"'{type(self).__name__}' object has no parameter '{name}'")
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _like(
        self, batch_shape: Sequence[int], _instance: object, event_shape: object = None, **values: object
    ) -> Self:
        """A distribution of this class with other parameters, made without the checks."""
        new: Self = _instance if isinstance(_instance, Distribution) else type(self).__new__(type(self))  # type: ignore[assignment]
        vars(new).update(values)
        event = self.event_shape if event_shape is None else event_shape
        Distribution.__init__(new, batch_shape, event, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expanded(self, batch_shape: Sequence[int], _instance: object, *names: str) -> Self:
        """Like `_like`, with these parameters expanded."""
        batch_shape = Size(batch_shape)
        found = {name: self.__dict__[name].expand(batch_shape) for name in names if name in self.__dict__}
        return self._like(batch_shape, _instance, **found)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        """The same distribution with more batch dimensions."""
        raise NotImplementedError

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch: how many distributions these are."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    arg_constraints: Any = {}  # noqa: RUF012
    support: Any = None

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Draw without a graph."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Draw so that gradients reach the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Draw `n` values."""
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The distribution function."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of the distribution function."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, for a distribution with finitely many."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return T["exp"](self.entropy())

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        return Size((*Size(sample_shape), *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: object) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        event_dims = len(self._event_shape)
        if Size(value.shape[value.dim() - event_dims :]) != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        expected = (*self._batch_shape, *self._event_shape)
        for i, j in zip(reversed(value.shape), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {Size(expected)}."
                )
        support = self.support
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _shown(self) -> list[str]:
        return [name for name in self.arg_constraints if name in self.__dict__]

    def __repr__(self) -> str:
        given = [(name, self.__dict__[name]) for name in self._shown()]
        shown = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in given]
        return f"{type(self).__name__}({', '.join(shown)})"


class ExponentialFamily(Distribution):
    """A distribution of an exponential family: `entropy` follows from its natural parameters."""

    _is_natural: ClassVar[bool] = True


def exactly_one(probs: object, logits: Tensor | None) -> None:
    """Refuse both or none of two parameters that stand for the same thing."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


on_new_run(lambda: Distribution.set_default_validate_args(True))
