"""Distributions of matrices: Wishart, drawn by Bartlett's decomposition, and LKJCholesky, drawn by the onion method
(Lewandowski, Kurowicka and Joe, 2009)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Self

from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.api import LINALG
from gradviz.torch.distributions import constraints
from gradviz.torch.distributions.distribution import Distribution, ExponentialFamily
from gradviz.torch.distributions.gammas import Beta, Chi2
from gradviz.torch.distributions.kl import register_kl
from gradviz.torch.distributions.multivariate import precision_to_scale_tril
from gradviz.torch.distributions.utils import broadcast_all, lazy_property, sum_rightmost


def _diagonal(x: Tensor) -> Tensor:
    return x.diagonal(dim1=-2, dim2=-1)


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    """The derivative of the logarithm of the multivariate gamma function."""
    return T["digamma"](x.unsqueeze(-1) - T["arange"](p, dtype=x.dtype).div(2).expand((*x.shape, -1))).sum(-1)


class LKJCholesky(Distribution):
    """Triangular factors of correlation matrices; concentration 1 is uniform over the matrices."""

    arg_constraints = {"concentration": constraints.positive}  # noqa: RUF012
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        start = T["arange"](dim - 1, dtype=self.concentration.dtype)
        offset = T["cat"]([start.new_zeros((1,)), start])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        batch_shape = Size(batch_shape)
        parts = {"concentration": self.concentration.expand(batch_shape), "dim": self.dim}
        return self._like(batch_shape, _instance, _beta=self._beta.expand((*batch_shape, self.dim)), **parts)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        below = T["randn"](self._extended_shape(sample_shape), dtype=y.dtype).tril(-1)
        direction = below / below.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)  # the first row has none
        w = T["sqrt"](y) * direction
        rest = T["clamp"](1 - T["sum"](w**2, dim=-1), min=finfo(w.dtype).tiny)
        return w + T["diag_embed"](rest.sqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rest = self.dim - 1
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - T["arange"](2, self.dim + 1)
        height = T["sum"](order * _diagonal(value)[..., 1:].log(), dim=-1)
        alpha = self.concentration + 0.5 * rest
        pi_part = 0.5 * rest * math.log(math.pi)
        return height - (pi_part + T["mvlgamma"](alpha - 0.5, rest) - T["lgamma"](alpha) * rest)


class Wishart(ExponentialFamily):
    """Positive definite matrices: sums of `df` outer products of normal vectors."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, object]:
        """The constraints on the parameters."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Tensor | float,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        present = [(name, value) for name, value in given.items() if value is not None]
        if len(present) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, matrix = present[0]
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        self._take_df(df, matrix)
        batch_shape, n = self._batch_shape, matrix.shape[-1]
        if self.df.le(n - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        self.__dict__[name] = matrix.expand((*batch_shape, -1, -1))
        if self.df.lt(n).any():
            text = "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim."
            warnings.warn(text, UserWarning, stacklevel=2)
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        makers = {"covariance_matrix": LINALG["cholesky"], "precision_matrix": precision_to_scale_tril}
        self._unbroadcasted_scale_tril = makers[name](matrix) if name in makers else matrix
        self._dist_chi2 = self._chi2()

    def _take_df(self, df: Tensor | float, matrix: Tensor) -> None:
        if isinstance(df, (int, float)):
            self._batch_shape = Size(matrix.shape[:-2])
            self.df = T["tensor"](df, dtype=matrix.dtype)
        else:
            self._batch_shape = Size(T["broadcast_shapes"](matrix.shape[:-2], df.shape))
            self.df = df.expand(self._batch_shape)

    def _chi2(self) -> Chi2:
        n = self._event_shape[-1]
        steps = T["arange"](n, dtype=self._unbroadcasted_scale_tril.dtype)
        return Chi2(self.df.unsqueeze(-1) - steps.expand((*self._batch_shape, -1)))

    def expand(self, batch_shape: Sequence[int], _instance: object = None) -> Self:
        batch_shape = Size(batch_shape)
        shape = (*batch_shape, *self.event_shape)
        names = ("covariance_matrix", "scale_tril", "precision_matrix", "_unbroadcasted_scale_tril")
        found: dict[str, Tensor] = {name: self.__dict__[name].expand(shape) for name in names if name in self.__dict__}
        new = self._like(batch_shape, _instance, df=self.df.expand(batch_shape), **found)
        new._dist_chi2 = new._chi2()
        return new

    def _full(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The triangular factor of the covariance."""
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the vectors."""
        factor = self._unbroadcasted_scale_tril
        return self._full(factor @ factor.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        factor = self._unbroadcasted_scale_tril
        return self._full(T["cholesky_solve"](T["eye"](self._event_shape[-1], dtype=factor.dtype), factor))

    def _times_df(self, factor: Tensor, matrix: Tensor) -> Tensor:
        return factor.view((*self._batch_shape, 1, 1)) * matrix

    @property
    def mean(self) -> Tensor:
        return self._times_df(self.df, self.covariance_matrix)

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return self._times_df(factor, self.covariance_matrix)

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        sides = _diagonal(v)
        return self._times_df(self.df, v.pow(2) + T["einsum"]("...i,...j->...ij", sides, sides))

    def _bartlett(self, sample_shape: Size) -> Tensor:
        n = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = T["tril_indices"](n, n, offset=-1)
        shape = (*sample_shape, *self._batch_shape, n * (n - 1) // 2)
        noise[..., i, j] = T["randn"](shape, dtype=noise.dtype)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.transpose(-2, -1)

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        """Good samples are drawn a second time: PyTorch 2.13 takes them for singular, and warns."""
        sample = self._bartlett(Size(sample_shape))
        again = self._over_batch(self.support.check(sample))
        if not bool(again.any()):
            return sample
        warnings.warn("Singular sample detected.", UserWarning, stacklevel=2)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            new = self._bartlett(again[again].shape)
            sample[again] = new
            again[again.clone()] = self._over_batch(~self.support.check(new))
            if not bool(again.any()):
                break
        return sample

    def _over_batch(self, found: Tensor) -> Tensor:
        dims = [-(i + 1) for i in range(len(self._batch_shape))]
        return found.amax(dims) if dims else found

    def _log_size(self) -> Tensor:
        """Half the logarithm of the determinant of twice the covariance."""
        return self._event_shape[-1] * math.log(2) / 2 + _diagonal(self._unbroadcasted_scale_tril).log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        spread = _diagonal(T["cholesky_solve"](value, self._unbroadcasted_scale_tril)).sum(dim=-1)
        height = (nu - p - 1) / 2 * LINALG["slogdet"](value).logabsdet
        return -nu * self._log_size() - T["mvlgamma"](nu / 2, p=p) + height - spread / 2

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        log_gamma, slope = T["mvlgamma"](nu / 2, p=p), _mvdigamma(nu / 2, p)
        return (p + 1) * self._log_size() + log_gamma - (nu - p - 1) / 2 * slope + nu * p / 2

    def _natural(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2


def _log_normalizer(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The log normalizer of a Wishart distribution with these natural parameters, and its derivatives with respect to
    both."""
    p = x.shape[-1]
    half = y + (p + 1) / 2
    volume: Tensor = LINALG["slogdet"](-2 * x)[1]
    size = -volume + math.log(2) * p
    slope = -half.unsqueeze(-1).unsqueeze(-1) * LINALG["inv"](x).mT
    return half * size + T["mvlgamma"](half, p=p), slope, size + _mvdigamma(half, p)


@register_kl(Wishart, Wishart)
def _bregman(p: Wishart, q: Wishart) -> Tensor:
    """The Bregman divergence of an exponential family; as in PyTorch, no gradient goes to `p`."""
    (x, y), (u, v) = (each.detach() for each in p._natural()), q._natural()
    normalizer, along_x, along_y = _log_normalizer(x, y)
    found = _log_normalizer(u, v)[0] - normalizer
    return found - sum_rightmost((u - x) * along_x, 2) - sum_rightmost((v - y) * along_y, 2)
