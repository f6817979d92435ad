"""Factorisations of matrices: LU, LDL, QR and Householder reflections, singular values, eigenvalues. Systems of
equations are in `linalg.py`; what NumPy lacks is computed in `lapack.py` of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics import lapack
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.linalg import (
    check_info,
    check_matrix,
    check_same_type,
    check_sides,
    check_square,
    check_type,
    h,
    named,
)
from gradviz.engine.ops.neural import need_constants
from gradviz.engine.run.api import FUNCTIONS, LINALG, api, method
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.arguments import Named

F = FUNCTIONS
_ABOUT: dict[str, Any] = {"category": "linear algebra"}
_SOURCE = "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp:{}.)"


def _solve_triangular(a: Tensor, b: Tensor, upper: bool, left: bool = True, unit: bool = False) -> Tensor:
    return LINALG["solve_triangular"](a, b, upper=upper, left=left, unitriangular=unit)


# --- LU ---


def _plu_grad(P: Tensor, L: Tensor, U: Tensor, grad_lower: Tensor, grad_upper: Tensor) -> Tensor | None:
    """The gradient of A from those of L and U, for A = P L U; in all three shapes of A."""
    m, n = L.shape[-2], U.shape[-1]
    k = min(m, n)
    lower, upper = L[..., :k, :], U[..., :, :k]
    middle = F["zeros"]((), dtype=L.dtype)
    if grad_lower is not None:
        middle = middle + (h(lower) @ grad_lower[..., :k, :]).tril(-1)
    if grad_upper is not None:
        middle = middle + (grad_upper[..., :, :k] @ h(upper)).triu()
    if n > k and grad_upper is not None:
        middle = middle - (grad_upper[..., :, k:] @ h(U[..., :, k:])).tril(-1)
    if m > k and grad_lower is not None:
        middle = middle - (h(L[..., k:, :]) @ grad_lower[..., k:, :]).triu()
    if not middle.ndim:
        return None
    found = _solve_triangular(h(lower), middle, True, unit=True)
    found = _solve_triangular(h(upper), found, False, left=False)
    if n > k:
        rest = F["zeros_like"](U[..., :, k:]) if grad_upper is None else grad_upper[..., :, k:]
        found = F["cat"]([found, _solve_triangular(h(lower), rest, True, unit=True)], -1)
    if m > k:
        rest = F["zeros_like"](L[..., k:, :]) if grad_lower is None else grad_lower[..., k:, :]
        found = F["cat"]([found, _solve_triangular(h(upper), rest, False, left=False)], -2)
    return P @ found if P.ndim > 1 else found


def _lu_factor(a: Array, *, pivot: bool) -> tuple[Array, ...]:
    found, pivots, info = lapack.lu(a, pivot)
    return lapack.by_columns(found), pivots, info


def _lu_factor_grad(grads: Sequence[Tensor | None], LU: Tensor, pivots: Tensor) -> Tensor | None:
    grad = grads[0]
    if grad is None:
        return None
    P, L, U = F["lu_unpack"](LU, pivots)
    k = min(LU.shape[-2:])
    return _plu_grad(P, L, U, grad[..., :, :k].tril(-1), grad[..., :k, :].triu())


LU_FACTOR = op(
    "linalg_lu_factor_ex",
    "A",
    _lu_factor,
    outputs="LU, pivots, info",
    symbol="LU",
    latex=r"P L U = A",
    brief="The LU factors, both in one matrix.",
    A=sentence("P L⁻ᴴ (Lᴴ ∇L below the diagonal, ∇U Uᴴ from it on) U⁻ᴴ", _lu_factor_grad),
    **_ABOUT,
)
_ZERO_PIVOT = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


def _check_pivot(pivot: bool, name: str) -> None:
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")


def _factored(A: Tensor, pivot: bool) -> tuple[Tensor, ...]:
    if A._data.ndim < 2:
        raise RuntimeError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A._data.shape)} instead"
        )
    _check_pivot(pivot, "linalg.lu_factor")
    check_type(A.dtype, "torch.lu_factor")
    return call_all(LU_FACTOR, A, pivot=pivot)


@api("lu_factor", where="linalg")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Named:
    """Both factors in one matrix, and the pivots counted from 1."""
    found = _factored(A, pivot)
    check_info(found[2], "torch.linalg.lu_factor", _ZERO_PIVOT, RuntimeError)
    return named("linalg_lu_factor", found[:2])


@api("lu_factor_ex", where="linalg")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Named:
    """Like `lu_factor`, returning the position of a zero pivot instead of raising an error."""
    found = _factored(A, pivot)
    if check_errors:
        check_info(found[2], "torch.linalg.lu_factor_ex", _ZERO_PIVOT, RuntimeError)
    return named("linalg_lu_factor_ex", found)


_OLD_LU = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
    "future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
    "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots) " + _SOURCE.format(2073)
)


@api("lu", where="torch")
def old_lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: object = None) -> Named | tuple[Tensor, Tensor]:
    """Both factors in one matrix, and the pivots."""
    warn_once("lu", _OLD_LU)
    found = _factored(A, pivot)
    if get_infos:
        return named("_lu_with_info", found)
    check_info(found[2], "torch.linalg.lu_factor_ex", _ZERO_PIVOT, RuntimeError)
    return found[0], found[1]


@method("lu")
def _lu_method(self: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    return tuple(old_lu(self, pivot, get_infos))


def _lu(a: Array, *, pivot: bool) -> tuple[Array, ...]:
    found, pivots, _ = lapack.lu(a, pivot)
    return lapack.lower_part(found), lapack.upper_part(found), lapack.permutation_matrix(pivots, a.shape[-2], a.dtype)


LU = op(
    "linalg_lu",
    "A",
    _lu,
    outputs="L, U, P",  # PyTorch numbers the permutation, which has no gradient, after the others
    symbol="LU",
    latex=r"P L U = A",
    brief="The permutation and the LU factors.",
    A=sentence(
        "P L⁻ᴴ (Lᴴ ∇L below the diagonal, ∇U Uᴴ from it on) U⁻ᴴ",
        lambda grads, L, P, U: _plu_grad(P, L, U, grads[0], grads[1]),
    ),
    **_ABOUT,
)


@api("lu", where="linalg")
def lu(A: Tensor, *, pivot: bool = True) -> Named:
    """P, L and U with A = P L U."""
    if A._data.ndim < 2:
        raise RuntimeError(
            f"linalg.lu: Expected tensor with 2 or more dimensions. Got size: {list(A._data.shape)} instead"
        )
    check_type(A.dtype, "linalg.lu")
    _check_pivot(pivot, "linalg.lu_factor")
    L, U, P = call_all(LU, A, pivot=pivot)
    _detach_constant(P)
    return named("linalg_lu", (P, L, U))


def _detach_constant(tensor: Tensor) -> None:
    """Detach the permutation, which does not depend on the numbers."""
    tensor._requires_grad, tensor._node, tensor._output_nr = False, None, 0


def _lu_unpack(data: Array, pivots: Array, *, unpack_data: bool, unpack_pivots: bool) -> tuple[Array, ...]:
    empty = np.zeros(0, data.dtype)
    P = lapack.permutation_matrix(pivots, data.shape[-2], data.dtype) if unpack_pivots else empty
    if not unpack_data:
        return empty, empty.copy(), P
    return lapack.lower_part(data), lapack.upper_part(data), P


def _lu_unpack_grad(grads: Sequence[Tensor | None], LU_data_shape: tuple[int, ...]) -> Tensor | None:
    m, n = LU_data_shape[-2:]
    k = min(m, n)
    lower, upper = grads[:2]
    parts = []
    if lower is not None:
        part = lower.tril(-1)
        wide = F["cat"]([part, part.new_zeros((*part.shape[:-1], n - k))], -1) if n > k else part
        parts.append(wide)
    if upper is not None:
        part = upper.triu()
        wide = F["cat"]([part, part.new_zeros((*part.shape[:-2], m - k, n))], -2) if m > k else part
        parts.append(wide)
    return sum(parts[1:], parts[0]) if parts else None


LU_UNPACK = op(
    "lu_unpack",
    "LU_data, LU_pivots",
    _lu_unpack,
    outputs="L, U, P",
    symbol="P, L, U",
    latex=r"P, L, U",
    brief="The permutation and both factors out of one matrix.",
    LU_data=sentence("the lower triangle of grad of L and the upper one of grad of U", _lu_unpack_grad),
    **_ABOUT,
)


@api("lu_unpack", where="torch")
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Named:
    """P, L and U from the result of `lu_factor`."""
    if LU_data._data.ndim < 2:
        size = list(LU_data._data.shape)
        raise RuntimeError(f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {size} instead")
    if unpack_pivots and LU_pivots.dtype is not dtypes.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this "
            "function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    L, U, P = call_all(LU_UNPACK, LU_data, LU_pivots, unpack_data=unpack_data, unpack_pivots=unpack_pivots)
    for each in (P,) if unpack_data else (P, L, U):
        _detach_constant(each)
    return named("lu_unpack", (P, L, U))


def _lu_solve(factors: Array, pivots: Array, b: Array, *, left: bool, adjoint: bool) -> Array:
    found = lapack.solve_lu(factors, pivots, b, left=left, adjoint=adjoint)
    return lapack.by_columns(found) if left else np.array(found, order="C")


def _lu_solve_grads(
    grad: Tensor, LU: Tensor, pivots: Tensor, result: Tensor, left: bool, adjoint: bool, needs: tuple[bool, ...]
) -> list[Tensor | None]:
    back = LINALG["lu_solve"](LU, pivots, grad, left=left, adjoint=not adjoint)
    if not needs[0]:
        return [None, None, back]
    if left:
        matrix = -(result @ h(back)) if adjoint else -(back @ h(result))
    else:
        matrix = -(h(back) @ result) if adjoint else -(h(result) @ back)
    P, L, U = F["lu_unpack"](LU, pivots)
    turned = P.transpose(-2, -1) @ matrix
    return [(turned @ h(U)).tril(-1) + (h(L) @ turned).triu(), None, back]


LU_SOLVE = op(
    "linalg_lu_solve",
    "LU, pivots, B",
    _lu_solve,
    symbol="A⁻¹b",
    latex=r"(P L U)^{-1} B",
    brief="The solution of A X = B from the LU factors of A.",
    fixed="pivots",
    joint=_lu_solve_grads,
    **_ABOUT,
)


@api("lu_solve", where="linalg")
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The X with A X = B, from the result of `lu_factor` for A."""
    name = "linalg.lu_solve"
    need_constants("linalg_lu_solve", pivots=pivots)
    check_type(LU.dtype, name)
    check_same_type(LU, B, name, "LU")
    if pivots.dtype is not dtypes.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(LU, "linalg.lu_solve")
    check_sides(LU, B, name, left)
    return call(LU_SOLVE, LU, pivots, B, left=left, adjoint=adjoint)


_OLD_LU_SOLVE = (
    "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release.\n"
    "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be "
    "replaced with\nX = torch.linalg.lu_solve(LU, pivots, B) " + _SOURCE.format(2230)
)


@api("lu_solve")
def old_lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The X with A X = input from the LU factors of A."""
    warn_once("lu_solve", _OLD_LU_SOLVE)
    need_constants("linalg_lu_solve", pivots=LU_pivots)
    check_type(LU_data.dtype, "torch.linalg.lu_solve")
    return lu_solve(LU_data, LU_pivots, input)


# --- LDL ---


def _ldl(a: Array, *, hermitian: bool) -> tuple[Array, ...]:
    factors, pivots, info = lapack.ldl(a, hermitian)
    return lapack.by_columns(factors), pivots, info


LDL_FACTOR = op(
    "linalg_ldl_factor_ex",
    "self",
    _ldl,
    outputs="LD, pivots, info",
    symbol="LDL",
    latex=r"L D L^\top = A",
    brief="The LDL factors of a symmetric matrix.",
    **_ABOUT,
)
LDL_SOLVE = op(
    "linalg_ldl_solve",
    "LD, pivots, B",
    lambda factors, pivots, b, *, hermitian: lapack.by_columns(lapack.solve_ldl(factors, pivots, b, hermitian)),
    symbol="A⁻¹b",
    latex=r"(L D L^\top)^{-1} B",
    brief="The solution of A X = B from the LDL factors of A.",
    **_ABOUT,
)


@api("ldl_factor", where="linalg")
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Named:
    """The packed factors of a symmetric matrix, and the pivots."""
    check_square(A, "torch.linalg.ldl_factor_ex")
    found = call_all(LDL_FACTOR, A, hermitian=hermitian)
    return named("linalg_ldl_factor", found[:2])


@api("ldl_factor_ex", where="linalg")
def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Named:
    """Like `ldl_factor`, also returning the position of a zero pivot."""
    check_square(A, "torch.linalg.ldl_factor_ex")
    return named("linalg_ldl_factor_ex", call_all(LDL_FACTOR, A, hermitian=hermitian))


@api("ldl_solve", where="linalg")
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """The X with A X = B, from the result of `ldl_factor` for A."""
    check_square(LD, "torch.linalg.ldl_solve")
    return call(LDL_SOLVE, LD, pivots, B, hermitian=hermitian)


# --- QR ---


def _qr(a: Array, *, mode: str) -> tuple[Array, ...]:
    factor: Any = np.linalg.qr
    if mode == "r":
        return np.zeros(0, a.dtype), lapack.by_columns(factor(a, "r"))
    q, r = factor(a, mode)
    return lapack.by_columns(q), lapack.by_columns(r)


def _qr_grad(grads: Sequence[Tensor | None], Q: Tensor, R: Tensor, mode: str) -> Tensor:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    m, n = Q.shape[-2], R.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    gq, gr = grads
    if m >= n:
        return _qr_tall_grad(gq, gr, Q, R)
    rest = R[..., :, m:]
    first, gq_all = (None, gq) if gr is None else (gr[..., :, :m], gq)
    if gr is None:
        return F["cat"]([_qr_tall_grad(gq, None, Q, R[..., :, :m]), F["zeros_like"](rest)], -1)
    along = Q @ rest @ h(gr[..., :, m:])
    found = _qr_tall_grad(along if gq_all is None else gq_all + along, first, Q, R[..., :, :m])
    wide = found.new_zeros((*found.shape[:-1], n - m))
    return F["cat"]([found, wide], -1) + Q @ F["cat"]([found.new_zeros(found.shape), gr[..., :, m:]], -1)


def _qr_tall_grad(gq: Tensor | None, gr: Tensor | None, Q: Tensor, R: Tensor) -> Tensor:
    middle = -(h(Q) @ gq) if gr is None else gr @ h(R) if gq is None else gr @ h(R) - h(Q) @ gq
    half = middle.triu()
    whole = half + h(half)
    n = whole.shape[-1]
    scale = 1 - 0.5 * F["eye"](n, dtype=whole.dtype)
    found = Q @ (whole * scale)
    return _solve_triangular(h(R), found if gq is None else gq + found, False, left=False)


QR = op(
    "linalg_qr",
    "A",
    _qr,
    outputs="Q, R",
    symbol="QR",
    latex=r"Q R = A",
    brief="The QR factors.",
    A=sentence("(∇Q + Q M) R⁻ᴴ, M the upper triangle of ∇R Rᴴ − Qᴴ ∇Q, mirrored", _qr_grad),
    **_ABOUT,
)


def _need_lapack(A: Tensor, kernel: str) -> None:
    if A.dtype.rank < 2 or A.dtype.itemsize < 4:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{A.dtype.title}'")


def _check_qr(A: Tensor) -> None:
    check_matrix(A, "linalg.qr")
    if A.dtype.rank >= 2:
        _need_lapack(A, "geqrf_cpu")
    check_type(A.dtype, "linalg.qr")


@api("qr", where="linalg")
def qr(A: Tensor, mode: str = "reduced") -> Named:
    """Q and R with A = Q R."""
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    _check_qr(A)
    return named("linalg_qr", call_all(QR, A, mode=mode))


_OLD_QR = (
    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe boolean "
    "parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be replaced "
    "with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete') " + _SOURCE.format(2505)
)


@api("qr")
def old_qr(input: Tensor, some: bool = True) -> Named:
    """Q and R with input = Q R."""
    warn_once("qr", _OLD_QR)
    _check_qr(input)
    return named("qr", call_all(QR, input, mode="reduced" if some else "complete"))


# --- Householder reflections ---


def _no_factor_gradient(grads: object) -> Any:
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


GEQRF = op(
    "geqrf",
    "self",
    lambda a: (lapack.by_columns(lapack.reflections(a)[0]), lapack.reflections(a)[1]),
    outputs="a, tau",
    symbol="QR",
    latex=r"Q R = A",
    brief="The QR factors as LAPACK leaves them.",
    joint=_no_factor_gradient,
    **_ABOUT,
)


@api("geqrf")
def geqrf(input: Tensor) -> Named:
    """R and the Householder vectors in one matrix, and their factors."""
    if input._data.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    _need_lapack(input, "geqrf_cpu")
    return named("geqrf", call_all(GEQRF, input))


def _reflection_grads(vectors: Tensor, tau: Tensor, steps: Any, start: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of the Householder vectors and of their factors, for the result F₁ F₂ … times `start`; each step is
    (the number of the reflection, whether its adjoint is taken)."""
    m = vectors.shape[-2]
    count = tau.shape[-1]
    unit = vectors[..., :count].tril(-1) + F["eye"](m, count, dtype=vectors.dtype)

    def factor(k: int, adjoint: bool) -> tuple[Tensor, Tensor]:
        t = tau[..., k]
        return unit[..., k : k + 1], (conj(t) if adjoint else t).unsqueeze(-1).unsqueeze(-1)

    rights = [start]
    for k, adjoint in reversed(steps[1:]):
        v, t = factor(k, adjoint)
        rights.append(rights[-1] - t * v @ (h(v) @ rights[-1]))
    found_v: list[Any] = [None] * count
    slopes = F["zeros_like"](tau.detach())
    for (k, adjoint), right in zip(steps, reversed(rights), strict=True):
        v, t = factor(k, adjoint)
        seen, passed = h(right) @ v, h(grad) @ v
        forward, backward = grad @ seen, right @ passed  # (grad · rightᴴ) v, and the same for the adjoint
        found_v[k] = -(conj(t) * forward) - t * backward
        slope = -(h(v) @ forward)[..., 0, 0]
        slopes[..., k].copy_(conj(slope) if adjoint else slope)
        grad = grad - conj(t) * v @ (h(v) @ grad)
    if vectors.shape[-1] > count:
        found_v.append(vectors.new_zeros((*found_v[0].shape[:-1], vectors.shape[-1] - count)))
    return F["cat"](found_v, -1).tril(-1), slopes


def _householder(a: Array, tau: Array) -> Any:
    return lapack.by_columns(lapack.reflected(a, tau, lapack.eye_like(a), adjoint=False))


def _householder_grads(grad: Tensor, input: Tensor, tau: Tensor, result: Tensor) -> list[Tensor]:
    count = tau.shape[-1]
    if not count or not input._data.size:
        return [F["zeros_like"](input), F["zeros_like"](tau)]
    eye = F["eye"](*input.shape[-2:], dtype=input.dtype)
    return list(_reflection_grads(input, tau, [(k, False) for k in range(count)], eye, grad))


HOUSEHOLDER = op(
    "linalg_householder_product",
    "input, tau",
    _householder,
    symbol="∏H",
    latex=r"\prod_i (I - \tau_i v_i v_i^H)",
    brief="The product of Householder reflections.",
    joint=_householder_grads,
    **_ABOUT,
)


@api("householder_product", where="linalg")
def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of the reflections."""
    name = "torch.linalg.householder_product"
    if A._data.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    m, n = A._data.shape[-2:]
    if m < n:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if n < tau.size(-1):
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if A._data.ndim != tau._data.ndim + 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau._data.ndim} "
            f"and input.ndim is equal to {A._data.ndim}"
        )
    if tau._data.shape[:-1] != A._data.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau._data.shape[:-1])}"
        )
    if tau.dtype is not A.dtype:
        raise RuntimeError(f"{name}: tau dtype {tau.dtype.title} does not match input dtype {A.dtype.title}")
    _need_lapack(A, "orgqr_cpu")
    return call(HOUSEHOLDER, A, tau)


api("orgqr")(lambda input, input2: householder_product(input, input2))


def _ormqr(a: Array, tau: Array, c: Array, *, left: bool, transpose: bool) -> Any:
    if left:
        return lapack.by_columns(lapack.reflected(a, tau, c, adjoint=transpose))
    turned = lapack.reflected(a, tau, lapack.transposed(c), adjoint=not transpose)
    return lapack.by_columns(lapack.transposed(turned))


def _ormqr_grads(
    grad: Tensor,
    self: Tensor,
    input2: Tensor,
    input3: Tensor,
    result: Tensor,
    left: bool,
    transpose: bool,
    needs: tuple[bool, ...],
) -> Any:
    back = F["ormqr"](self, input2, grad, left=left, transpose=not transpose)
    count = input2.shape[-1]
    if not (needs[0] or needs[1]) or not count:
        return [None, None, back]
    adjoint = transpose if left else not transpose
    order = reversed(range(count)) if adjoint else range(count)
    steps = [(k, adjoint) for k in order]
    pair = (input3, grad) if left else (h(input3), h(grad))
    return [*_reflection_grads(self, input2, steps, *pair), back]


ORMQR = op(
    "ormqr",
    "self, input2, input3",
    _ormqr,
    symbol="QC",
    latex=r"Q C",
    brief="The product with the Q of Householder reflections.",
    joint=_ormqr_grads,
    **_ABOUT,
)


@api("ormqr")
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """Q other or other Q (or with Qᴴ), for the Q of Householder reflections."""
    _check_ormqr(input, tau, other, left)
    check_type(input.dtype, "ormqr")
    return call(ORMQR, input, tau, other, left=left, transpose=transpose)


def _check_ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool) -> None:
    if input._data.ndim < 2:
        raise RuntimeError("torch.ormqr: input must have at least 2 dimensions.")
    if other._data.ndim < 2:
        raise RuntimeError("torch.ormqr: other must have at least 2 dimensions.")
    at = -2 if left else -1
    size, count = other._data.shape[at], tau.size(-1)
    if size != input._data.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{at}] must be equal to input.shape[-2]")
    if count != min(size, input._data.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{at}], input.shape[-1])")


# --- singular values ---


def _svd(a: Array, *, full_matrices: bool) -> tuple[Array, ...]:
    message = "The algorithm failed to converge because the input matrix contained non-finite values."
    bad = ~np.isfinite(a).all((-2, -1))
    check_info(bad.astype(np.int32), "linalg.svd", message)
    u, s, vh = lapack.svd(a, full_matrices)
    return lapack.by_columns(u), s.astype(a.real.dtype), lapack.by_columns(vh)


def _skew(x: Tensor) -> Tensor:
    return x - h(x)


_PHASE = (
    "{}: The {} in the complex case are specified up to multiplication by e^{{i phi}}. The specified loss function "
    "depends on this quantity, so it is ill-defined."
)


def _check_phase(imaginary: Array, size: Array, name: str, vectors: str) -> None:
    if np.abs(imaginary).max(initial=0.0) > 1e-2 * max(1.0, float(np.abs(size).max(initial=0.0))):
        raise RuntimeError(_PHASE.format(name, vectors))


def _svd_grad(grads: Sequence[Tensor | None], U: Tensor, S: Tensor, Vh: Tensor) -> Tensor | None:
    gu, gs, gvh = grads
    m, n, k = U.shape[-2], Vh.shape[-1], S.shape[-1]
    u, vh = U.narrow(-1, 0, k), Vh.narrow(-2, 0, k)
    if gu is None and gvh is None:
        if gs is None:
            return None
        return u @ (gs.unsqueeze(-1) * vh) if m >= n else (u * gs.unsqueeze(-2)) @ vh
    squares = S * S
    gap = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    gap = gap.masked_fill(F["eye"](k, dtype=dtypes.bool_), 1.0)
    inner = F["zeros"]((), dtype=S.dtype)
    if gu is not None:
        gu = gu.narrow(-1, 0, k)
        left = _skew(h(u) @ gu)
        inner = inner + left * S.unsqueeze(-2)
    if gvh is not None:
        gvh = gvh.narrow(-2, 0, k)
        inner = inner + S.unsqueeze(-1) * _skew(vh @ h(gvh))
    inner = inner / gap
    if u.dtype.is_complex and gu is not None:
        diagonal = left.diagonal(0, -2, -1)
        inner = inner.tril(-1) + inner.triu(1) + F["diag_embed"](diagonal / (2 * S))
    if gs is not None:
        inner = inner + F["diag_embed"](gs)
    if m > k and gu is not None:
        part = gu / S.unsqueeze(-2)
        return (u @ inner + part - u @ (h(u) @ part)) @ vh
    if n > k and gvh is not None:
        part = gvh / S.unsqueeze(-1)
        return u @ (inner @ vh + part - (part @ h(vh)) @ vh)
    return u @ (inner @ vh) if m >= n else (u @ inner) @ vh


SVD = op(
    "_linalg_svd",
    "A",
    _svd,
    outputs="U, S, Vh",
    symbol="SVD",
    latex=r"U S V^\top = A",
    brief="The singular value decomposition.",
    A=sentence("U (diag(∇S) + X) Vh, X = (skew(Uᴴ ∇U) S + S skew(Vh ∇Vhᴴ)) / (Sⱼ² − Sᵢ²)", _svd_grad),
    **_ABOUT,
)


def _decomposed(A: Tensor, full_matrices: bool, name: str) -> tuple[Tensor, ...]:
    check_matrix(A, name)
    check_type(A.dtype, name)
    return call_all(SVD, A, full_matrices=full_matrices)


def _check_driver(driver: str | None) -> None:
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )


@api("svd", where="linalg")
def svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None) -> Named:
    """U, S, Vᴴ with A = U diag(S) Vᴴ."""
    _check_driver(driver)
    return named("linalg_svd", _decomposed(A, full_matrices, "linalg.svd"))


@api("svd")
def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Named:
    """U, S, V with A = U diag(S) Vᴴ."""
    if input._data.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input._data.ndim} dimensions instead"
        )
    u, s, vh = _decomposed(input, not some, "linalg.svd")
    if not compute_uv:
        m, n = input._data.shape[-2:]
        batch = input._data.shape[:-2]
        u, vh = F["zeros"]((*batch, m, m), dtype=input.dtype), F["zeros"]((*batch, n, n), dtype=input.dtype)
        return named("svd", (u, s, vh.mT))
    return named("svd", (u, s, h(vh)))


@api("svdvals", where="linalg")
def svdvals(A: Tensor, *, driver: Any = None) -> Tensor:
    """The singular values, the largest first."""
    _check_driver(driver)
    return _decomposed(A, False, "linalg.svd")[1]


@api("svd_lowrank", where="torch")
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple[Tensor, ...]:
    """U, S, V of an approximation of low rank, by random projections (Halko et al. 2009, algorithm 5.1)."""
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    m, n = A._data.shape[-2:]
    mean = None if M is None else M.expand(A._data.shape)
    A = A if mean is None else A - mean
    wide = m < n or n > q
    flipped = m < n
    if flipped:
        A = h(A)
    basis = _random_basis(A, q, niter)
    u, s, vh = svd(h(basis) @ A, full_matrices=False)
    v = h(vh)
    u = basis @ u
    return (v, s, u) if flipped and wide else (u, s, v)


def _random_basis(A: Tensor, q: int, niter: int) -> Tensor:
    omega = F["randn"](A._data.shape[-1], q, dtype=A.dtype)
    found = qr(A @ omega)[0]
    for _ in range(niter):
        found = qr(h(A) @ found)[0]
        found = qr(A @ found)[0]
    return found


@api("pca_lowrank", where="torch")
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, ...]:
    """The principal components of rows of observations, through `svd_lowrank`."""
    m, n = A._data.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if center:
        A = A - A.mean(dim=(-2,), keepdim=True)
    return svd_lowrank(A, q, niter=niter)


# --- eigenvalues ---


def _eigen_grad(
    grads: Sequence[Tensor | None], eigenvalues: Tensor, eigenvectors: Tensor, hermitian: bool, name: str
) -> Tensor | None:
    gl, gv = grads
    V = eigenvectors
    if gv is None:
        if gl is None:
            return None
        return (V * gl.unsqueeze(-2)) @ h(V) if hermitian else LINALG["solve"](h(V), gl.unsqueeze(-1) * h(V))
    inner = h(V) @ gv
    diagonal = inner.diagonal(0, -2, -1)
    if V.dtype.is_complex:
        _check_phase(diagonal._data.imag, diagonal._data.real, name, "eigenvectors")
    inner = 0.5 * _skew(inner) if hermitian else inner - h(V) @ (V * F["real"](diagonal).unsqueeze(-2))
    gap = conj(eigenvalues.unsqueeze(-2) - eigenvalues.unsqueeze(-1))
    inner = inner / gap.masked_fill(F["eye"](gap.shape[-1], dtype=dtypes.bool_), 1.0)
    if gl is not None:
        inner = inner.tril(-1) + inner.triu(1) + F["diag_embed"](gl)
    return V @ (inner @ h(V)) if hermitian else LINALG["solve"](h(V), inner @ h(V))


def _eigh(a: Array, *, UPLO: str) -> tuple[Array, ...]:
    solver: Any = np.linalg.eigh
    try:
        values, vectors = solver(a, UPLO)
    except np.linalg.LinAlgError:
        values, vectors = np.full(a.shape[:-1], np.nan), np.full(a.shape, np.nan)
    return values.astype(a.real.dtype), lapack.by_columns(vectors.astype(a.dtype))


EIGH = op(
    "_linalg_eigh",
    "A",
    _eigh,
    outputs="eigenvalues, eigenvectors",
    symbol="eigh",
    latex=r"A v = \lambda v",
    brief="Eigenvalues and eigenvectors of a symmetric matrix.",
    A=sentence(
        "eigenvectors (diag(∇eigenvalues) + X) eigenvectorsᴴ, X the antisymmetric part of eigenvectorsᴴ ∇eigenvectors "
        "over the differences of eigenvalues",
        lambda grads, eigenvalues, eigenvectors: _eigen_grad(
            grads, eigenvalues, eigenvectors, True, "linalg_eigh_backward"
        ),
    ),
    **_ABOUT,
)


def _symmetric(A: Tensor, UPLO: str) -> tuple[Tensor, ...]:
    check_square(A, "linalg.eigh")
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return call_all(EIGH, A, UPLO=UPLO.upper())


api("eigh", where="linalg")(lambda A, UPLO="L": named("linalg_eigh", _symmetric(A, UPLO)))
api("eigvalsh", where="linalg")(lambda A, UPLO="L": _symmetric(A, UPLO)[0])


def _eig(a: Array) -> tuple[Array, ...]:
    target = np.complex128 if a.real.dtype.itemsize == 8 else np.complex64
    values, vectors = np.linalg.eig(a)
    return values.astype(target), lapack.by_columns(vectors.astype(target))


EIG = op(
    "linalg_eig",
    "self",
    _eig,
    outputs="eigenvalues, eigenvectors",
    symbol="eig",
    latex=r"A v = \lambda v",
    brief="Eigenvalues and eigenvectors.",
    self=sentence(
        "eigenvectors⁻ᴴ (diag(∇eigenvalues) + X) eigenvectorsᴴ, X from eigenvectorsᴴ ∇eigenvectors over the "
        "differences of eigenvalues",
        lambda grads, eigenvalues, eigenvectors: _eigen_grad(
            grads, eigenvalues, eigenvectors, False, "linalg_eig_backward"
        ),
    ),
    **_ABOUT,
)


def _general(A: Tensor, name: str) -> tuple[Tensor, ...]:
    if A.dtype.rank < 2:
        raise RuntimeError(f"Unknown Complex ScalarType for {A.dtype.title}")
    check_square(A, name)
    if not np.isfinite(A._data).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    return call_all(EIG, A)


api("eig", where="linalg")(lambda A: named("linalg_eig", _general(A, "linalg.eig")))
api("eigvals", where="linalg")(lambda A: _general(A, "linalg.eigvals")[0])
