"""`torch.distributions.transforms`: the names, which are defined in `elementary.py` and `vectors.py`; and `biject_to`
and `transform_to`, from a constraint to a transform into its region."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.constraints import Constraint
from gradviz.torch.distributions.elementary import (
    AbsTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from gradviz.torch.distributions.vectors import (
    AffineTransform,
    CatTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    ReshapeTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


# --- from a constraint to a transform ---


class ConstraintRegistry:
    """A factory of transforms for each kind of constraint."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[object], object]] = {}

    def register(self, constraint: object, factory: Any = None) -> Any:
        """Add or replace the factory for a kind of constraint; without a factory, return a decorator."""
        if factory is None:
            return lambda made: self.register(constraint, made)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: object) -> object:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _interval(constraint: Any) -> ComposeTransform | SigmoidTransform:
    lower, upper = constraint.lower_bound, constraint.upper_bound
    if isinstance(lower, (int, float)) and isinstance(upper, (int, float)) and (lower, upper) == (0, 1):
        return SigmoidTransform()
    scale = upper - lower
    return ComposeTransform([SigmoidTransform(), AffineTransform(lower, scale)])


def _above(constraint: Any) -> ComposeTransform:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.lower_bound, 1)])


def _below(constraint: Any) -> ComposeTransform:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.upper_bound, -1)])


def _fill() -> None:
    for registry in (biject_to, transform_to):
        registry.register(constraints.real, lambda _: identity_transform)
        registry.register(
            constraints.independent,
            lambda each, registry=registry: IndependentTransform(
                registry(each.base_constraint), each.reinterpreted_batch_ndims
            ),
        )
        registry.register(constraints.greater_than, _above)
        registry.register(constraints.greater_than_eq, _above)
        registry.register(constraints.less_than, _below)
        registry.register(constraints.interval, _interval)
        registry.register(constraints.half_open_interval, _interval)
        registry.register(constraints.lower_cholesky, lambda _: LowerCholeskyTransform())
        registry.register(constraints.corr_cholesky, lambda _: CorrCholeskyTransform())
        registry.register(constraints.positive_definite, lambda _: PositiveDefiniteTransform())
        registry.register(constraints.positive_semidefinite, lambda _: PositiveDefiniteTransform())
    biject_to.register(constraints.simplex, lambda _: StickBreakingTransform())
    transform_to.register(constraints.simplex, lambda _: SoftmaxTransform())


_fill()
