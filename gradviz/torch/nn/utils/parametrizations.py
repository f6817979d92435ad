"""`torch.nn.utils.parametrizations`: weight normalisation, spectral normalisation and orthogonality as
parametrizations. A matrix is kept orthogonal, or unitary, by the matrix exponential, by the Cayley map, or by
Householder reflections."""

from __future__ import annotations

from typing import Any

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.api import LINALG
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.utils import parametrize
from gradviz.torch.nn.utils.parametrize import held

MAPS = ("matrix_exp", "cayley", "householder")


def _diagonal(x: Tensor) -> Tensor:
    return x.diagonal(dim1=-2, dim2=-1)


def _is_orthogonal(q: Tensor) -> bool:
    n, k = q.shape[-2:]
    return bool(T["allclose"](q.mH @ q, T["eye"](k, dtype=q.dtype), atol=10.0 * n * finfo(q.dtype).eps))


def _orthogonalized(a: Tensor) -> Tensor:
    """The Q of a tall matrix whose R has a positive diagonal."""
    reflectors, tau = T["geqrf"](a)
    return LINALG["householder_product"](reflectors, tau) * _diagonal(reflectors).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Any

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.dtype.is_complex and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        self.moves_base = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        wide = X.shape[-2] < X.shape[-1]
        x = X.mT if wide else X
        q = self._reflected(x) if self.orthogonal_map == "householder" else self._turned(x)
        if self.moves_base:
            q = self.base @ q
        return q.mT if wide else q

    def _turned(self, x: Tensor) -> Tensor:
        """An orthogonal matrix from the numbers below the diagonal, by way of a skew-symmetric matrix."""
        n, k = x.shape[-2:]
        lower = x.tril()
        if n != k:
            lower = T["cat"]([lower, lower.new_zeros(n, n - k).expand(*lower.shape[:-2], -1, -1)], dim=-1)
        skew = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            q = T["matrix_exp"](skew)
        else:
            one = T["eye"](n, dtype=skew.dtype)
            q = LINALG["solve"](T["add"](one, skew, alpha=-0.5), T["add"](one, skew, alpha=0.5))
        return q if n == k else q[..., :k]

    def _reflected(self, x: Tensor) -> Tensor:
        """An orthogonal matrix from the reflectors below the diagonal and the signs on it, which are no parameters."""
        below = x.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
        return LINALG["householder_product"](below, tau) * _diagonal(x).int().unsqueeze(-2)

    def right_inverse(self, Q: Tensor) -> Tensor:
        """The parameter for a given matrix; if there is a base, it takes the matrix."""
        with no_grad():
            return self._parameter_of(Q)

    def _parameter_of(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        wide = Q.shape[-2] < Q.shape[-1]
        tall = Q.mT if wide else Q
        if self.moves_base:
            self.base = self._completed(tall)
            start = T["zeros_like"](Q)
            _diagonal(start).fill_(-1.0)
            return start
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        reflectors, tau = T["geqrf"](tall)
        signs = _diagonal(reflectors).sign()
        _diagonal(reflectors).copy_(T["where"](tau == 0.0, -signs, signs))
        return reflectors.mT if wide else reflectors

    def _completed(self, q: Tensor) -> Any:
        """A square orthogonal matrix whose first columns are those of `q`."""
        n, k = q.shape[-2:]
        if n == k:
            return q.clone() if _is_orthogonal(q) else _orthogonalized(q)
        more = T["randn"](*q.shape[:-2], n, n - k, dtype=q.dtype)
        return _orthogonalized(T["cat"]([q, more], dim=-1))


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep a matrix, or a batch of them, orthogonal (Lezcano-Casado, 2019)."""
    weight = held(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.dtype.is_complex else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, parametrization, unsafe=True)


__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

TRANSPOSED = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return T["_weight_norm"](weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Length and direction of a weight."""
        return T["norm_except_dim"](weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Separate length and direction of a weight (Salimans and Kingma, 2016)."""
    return parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    _u: Any
    _v: Any

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim if dim >= 0 else dim + ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            h, w = matrix.size()
            u, v = matrix.new_empty(h).normal_(0, 1), matrix.new_empty(w).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=self.eps))
            self._power_method(matrix, 15)

    def _as_matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    def _power_method(self, matrix: Tensor, count: int) -> None:
        with no_grad():
            for _ in range(count):
                F.normalize(T["mv"](matrix, self._v), dim=0, eps=self.eps, out=self._u)
                F.normalize(T["mv"](matrix.t(), self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._as_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        sigma = T["vdot"](u, T["mv"](matrix, v))
        return weight / sigma

    def right_inverse(self, value: Tensor) -> Tensor:
        """The weight itself."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value (Miyato et al., 2018)."""
    weight = held(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, TRANSPOSED) else 0
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
