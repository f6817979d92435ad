"""Normal distributions of vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.api import LINALG
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.distribution import Distribution
from gradviz.torch.distributions.utils import lazy_property, standard_normal


def batch_mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """Matrix times vector, batched."""
    return T["matmul"](matrix, vector.unsqueeze(-1)).squeeze(-1)


def batch_mahalanobis(triangle: Tensor, vector: Tensor) -> Tensor:
    """The squared length of a vector in units of the spread, for any batch shapes that broadcast."""
    n = vector.size(-1)
    shape = vector.shape[:-1]
    outer = len(shape) - (triangle.dim() - 2)
    new_shape = list(shape[:outer])
    for inner, size in zip(triangle.shape[:-2], shape[outer:], strict=True):
        new_shape += [size // inner, inner]
    new_shape += [n]
    end = len(new_shape) - 1
    order = [*range(outer), *range(outer, end, 2), *range(outer + 1, end, 2), end]
    moved = vector.reshape(new_shape).permute(order)
    flat_l = triangle.reshape(-1, n, n)
    flat_x = moved.reshape(-1, flat_l.size(0), n).permute(1, 2, 0)
    lengths = LINALG["solve_triangular"](flat_l, flat_x, upper=False).pow(2).sum(-2)
    permuted = lengths.t().reshape(moved.shape[:-1])
    inverse = list(range(outer))
    for i in range(len(triangle.shape[:-2])):
        inverse += [outer + i, len(shape) + i]
    return permuted.permute(inverse).reshape(shape)


def precision_to_scale_tril(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse of a precision matrix."""
    flipped = LINALG["cholesky"](T["flip"](precision, (-2, -1)))
    inverse = T["transpose"](T["flip"](flipped, (-2, -1)), -2, -1)
    identity = T["eye"](precision.shape[-1], dtype=precision.dtype)
    return LINALG["solve_triangular"](inverse, identity, upper=False)


class MultivariateNormal(Distribution):
    """Normal vectors with a covariance, a precision or a triangular factor."""

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {
            "covariance_matrix": covariance_matrix,
            "scale_tril": scale_tril,
            "precision_matrix": precision_matrix,
        }
        present = [(name, value) for name, value in given.items() if value is not None]
        if len(present) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, matrix = present[0]
        if matrix.dim() < 2:
            raise ValueError(
                f"{name} matrix must be at least two-dimensional, with optional leading batch dimensions"
                if name == "scale_tril"
                else f"{name} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch_shape = T["broadcast_shapes"](matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand((*batch_shape, -1, -1))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = LINALG["cholesky"](matrix)
        else:
            self._unbroadcasted_scale_tril = precision_to_scale_tril(matrix)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        batch_shape = Size(batch_shape)
        matrix_shape = (*batch_shape, *self.event_shape, *self.event_shape)
        names = [n for n in ("covariance_matrix", "scale_tril", "precision_matrix") if n in self.__dict__]
        found: dict[str, Tensor] = {name: self.__dict__[name].expand(matrix_shape) for name in names}
        found["loc"] = self.loc.expand((*batch_shape, *self.event_shape))
        return self._like(batch_shape, _instance, _unbroadcasted_scale_tril=self._unbroadcasted_scale_tril, **found)

    def _full(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The triangular factor of the covariance."""
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        lower = self._unbroadcasted_scale_tril
        return self._full(T["matmul"](lower, lower.mT))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._full(T["cholesky_inverse"](self._unbroadcasted_scale_tril))

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        found = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return found.expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        eps = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + batch_mv(self._unbroadcasted_scale_tril, eps)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        length = batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + length) - half

    def entropy(self) -> Tensor:
        half = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half
        return found if len(self._batch_shape) == 0 else found.expand(self._batch_shape)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors whose covariance is a low-rank factor product plus a diagonal."""

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        batch_shape = T["broadcast_shapes"](loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc = loc.expand((*batch_shape, -1))
        self.cov_factor = cov_factor.expand((*batch_shape, -1, -1))
        self.cov_diag = cov_diag.expand((*batch_shape, -1))
        self._factor, self._diag = cov_factor, cov_diag
        weighted = cov_factor.mT / cov_diag.unsqueeze(-2)
        capacitance = T["matmul"](weighted, cov_factor).contiguous()
        m = cov_factor.size(-1)
        capacitance.view(-1, m * m)[:, :: m + 1] += 1
        self._capacitance_tril = LINALG["cholesky"](capacitance)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        batch_shape = Size(batch_shape)
        shape = (*batch_shape, *self.event_shape)
        return self._like(
            batch_shape,
            _instance,
            loc=self.loc.expand(shape),
            cov_diag=self.cov_diag.expand(shape),
            cov_factor=self.cov_factor.expand((*shape, *self.cov_factor.shape[-1:])),
            _factor=self._factor,
            _diag=self._diag,
            _capacitance_tril=self._capacitance_tril,
        )

    @lazy_property
    def variance(self) -> Tensor:
        """The variance of each element."""
        found = self._factor.pow(2).sum(-1) + self._diag
        return found.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        found = T["matmul"](self._factor, self._factor.mT) + T["diag_embed"](self._diag)
        return found.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        w = standard_normal((*shape[:-1], *self.cov_factor.shape[-1:]), self.loc)
        d = standard_normal(shape, self.loc)
        return self.loc + batch_mv(self._factor, w) + self._diag.sqrt() * d

    def _log_det(self) -> Tensor:
        return 2 * self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self._diag.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        away = value - self.loc
        weighted = self._factor.mT / self._diag.unsqueeze(-2)
        length = (away.pow(2) / self._diag).sum(-1) - batch_mahalanobis(
            self._capacitance_tril, batch_mv(weighted, away)
        )
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + length)

    def entropy(self) -> Tensor:
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found if len(self._batch_shape) == 0 else found.expand(self._batch_shape)
