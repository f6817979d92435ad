"""The parametrization that keeps a matrix orthogonal, or unitary: by the matrix exponential, by the Cayley map, or by
Householder reflections. `parametrizations.py` offers it beside the other two."""

from __future__ import annotations

from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.api import LINALG
from gradviz.engine.facts import finfo
from gradviz.engine.modes import no_grad
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.utils import parametrize
from gradviz.torch.nn.utils.held import held

MAPS = ("matrix_exp", "cayley", "householder")


def _diagonal(x: Tensor) -> Any:
    return x.diagonal(dim1=-2, dim2=-1)


def _is_orthogonal(q: Tensor) -> bool:
    n, k = q.shape[-2:]
    return bool(T["allclose"](q.mH @ q, T["eye"](k, dtype=q.dtype), atol=10.0 * n * finfo(q.dtype).eps))


def _orthogonalized(a: Tensor) -> Any:
    """The Q of a tall matrix whose R has a diagonal above zero."""
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

    def forward(self, X: Tensor) -> Any:
        wide = X.shape[-2] < X.shape[-1]
        x = X.mT if wide else X
        q = self._reflected(x) if self.orthogonal_map == "householder" else self._turned(x)
        if self.moves_base:
            q = self.base @ q
        return q.mT if wide else q

    def _turned(self, x: Any) -> Any:
        """From the numbers below the diagonal by way of a skew-symmetric matrix."""
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

    def _reflected(self, x: Any) -> Any:
        """From the reflectors below the diagonal, and signs on it, which are no parameters."""
        below = x.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
        return LINALG["householder_product"](below, tau) * _diagonal(x).int().unsqueeze(-2)

    def right_inverse(self, Q: Tensor) -> Any:
        """The parameter that gives the matrix; with a base to move, that base takes the matrix."""
        with no_grad():
            return self._parameter_of(Q)

    def _parameter_of(self, Q: Tensor) -> Any:
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

    def _completed(self, q: Any) -> Any:
        """A square orthogonal matrix that begins with the columns of `q`."""
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
