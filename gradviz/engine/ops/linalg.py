"""Systems of linear equations: determinants, inverses, solutions, Cholesky's factor, triangular systems, over batches
of matrices. Other factorisations are in `factorizations.py`, norms and functions of matrices in
`matrix_functions.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.batched import everything
from gradviz.engine.kernel.dtypes import Array, ArrayOrScalar
from gradviz.engine.kernel.formula import expressed, jointly, sentence
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import lapack
from gradviz.engine.ops.arithmetic import conj, times_alpha
from gradviz.engine.run.api import FUNCTIONS, LINALG, api
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.arguments import Named, return_type

F = FUNCTIONS


def h(x: Tensor) -> Tensor:
    """The conjugate transpose of a matrix or of each in a batch."""
    return conj(x.transpose(-2, -1))


# --- errors ---


class LinAlgError(RuntimeError):
    """A matrix that can't be inverted or factored."""


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LINALG["LinAlgError"] = cast("Callable[..., Tensor]", LinAlgError)  # the only name there that is no function

SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
NOT_SOLVED = "The solver failed because the input matrix is singular."
NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)


# Functions whose kernel refuses an element type, as nothing looks at it before; of the second ones, only those of less
# than four bytes.
_BY_KERNEL = {
    "torch.lu_factor": "lu_cpu", "linalg.lu": "lu_cpu", "cholesky": "cholesky_cpu", "linalg.eigh": "linalg_eigh_cpu",
    "linalg.solve_triangular": "triangular_solve_cpu", "triangular_solve": "triangular_solve_cpu",
    "cholesky_solve": "cholesky_solve_cpu", "cholesky_inverse": "cholesky_inverse_out_cpu", "ormqr": "ormqr_cpu",
}  # fmt: skip
_SMALL_BY_KERNEL = {
    "linalg.cholesky": "cholesky_cpu", "linalg.svd": "linalg_svd_cpu", "linalg.eig": "linalg_eig_out_cpu",
    "linalg.eigvals": "linalg_eig_out_cpu", "linalg.det": "lu_cpu", "linalg.solve": "lu_cpu",
    "torch.linalg.ldl_factor_ex": "ldl_factor_kernel_cpu", "torch.linalg.lu_solve": "linalg.lu_solve_cpu",
    "linalg.lu_solve": "linalg.lu_solve_cpu",
}  # fmt: skip


def check_type(dtype: dtypes.dtype, name: str) -> None:
    """Refuse anything but floating point or complex types of at least four bytes."""
    if dtype.rank >= 2 and dtype.itemsize >= 4:
        return
    if kernel := _BY_KERNEL.get(name) or (_SMALL_BY_KERNEL.get(name) if dtype.rank >= 2 else None):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.title}'")
    if dtype.rank < 2:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {dtype.title}")
    raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {dtype.title}")


def check_wide(dtype: dtypes.dtype) -> None:
    """The same in the words of the functions that need the smallest number of a type."""
    if dtype.rank < 2 or dtype.itemsize < 4:
        raise RuntimeError("This function doesn't handle types other than float and double")


def check_matrix(x: Tensor, name: str, label: str = "A") -> None:
    """Refuse anything but a matrix or a batch of matrices."""
    if x._data.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {label} must have at least 2 dimensions.")


def check_square(x: Tensor, name: str, typed: bool = True) -> None:
    """Refuse anything but a batch of square matrices of floating point numbers."""
    check_matrix(x, name)
    n, m = x._data.shape[-2:]
    if n != m:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {n} by {m} matrices")
    if typed:
        check_type(x.dtype, name)


def check_info(info: object, name: str, message: str, error: type[Exception] = LinAlgError) -> None:
    """Raise for the first matrix whose factorisation failed; `message` may have a placeholder for the position of the
    failure."""
    codes = everything(info._data if isinstance(info, Tensor) else info)
    bad = np.flatnonzero(codes)
    if bad.size:
        element = f"(Batch element {bad[0]}): " if codes.ndim else ""
        raise error(f"{name}: {element}{message.format(int(codes.reshape(-1)[bad[0]]))}")


def named(title: str, values: Iterable[Tensor]) -> Named:
    """Several results under PyTorch's names."""
    return return_type(title)(*values)


# --- determinant ---


def _lu_for_determinant(a: Array) -> tuple[Array, Array]:
    """Factors and pivots. PyTorch takes the transpose of a row-major matrix, which needs no copy there: the determinant
    differs at most in its last digit."""
    lu, pivots, _ = lapack.lu(a.swapaxes(-1, -2) if a.flags.c_contiguous and a.dtype.kind != "c" else a)
    return lu, pivots


def _det(a: Array) -> tuple[ArrayOrScalar, ...]:
    lu, pivots = _lu_for_determinant(a)
    swaps = (pivots != np.arange(1, a.shape[-1] + 1)).sum(-1)
    sign = np.where(swaps % 2, -1, 1)
    diagonal = np.diagonal(lu, axis1=-2, axis2=-1)
    return (sign * diagonal.prod(-1)).astype(a.dtype), lapack.by_columns(lu), pivots


def _det_grad(grads: Sequence[Tensor | None], A: Tensor, LU: Tensor, pivots: Tensor, result: Tensor) -> Tensor | None:
    grad = grads[0]
    if grad is None:
        return None
    if (result._data != 0).all():
        return LINALG["solve"](h(A), F["diag_embed"]((grad * conj(result)).unsqueeze(-1).expand(pivots.shape)))
    return _cofactors(A) * grad.unsqueeze(-1).unsqueeze(-1)


def _cofactors(a: object) -> Tensor:
    """For singular matrices: the matrix of cofactors, through the SVD, det(U)·det(V) times the products of the other
    singular values."""
    u, s, vh = LINALG["svd"](a, full_matrices=True)
    n = s.shape[-1]
    others = F["stack"]([s[..., [j for j in range(n) if j != i]].prod(-1) for i in range(n)], -1)
    sign = LINALG["det"](u).detach() * LINALG["det"](vh).detach()
    return conj(sign).unsqueeze(-1).unsqueeze(-1) * (u * others.unsqueeze(-2)) @ vh


_ABOUT: dict[str, Any] = {"category": "linear algebra"}
DET = op(
    "_linalg_det",
    "A",
    _det,
    outputs="result, LU, pivots",
    hidden=2,
    symbol="det",
    latex=r"\det A",
    brief="The determinant.",
    A=expressed("grad * result * inverse_adjoint(A)", _det_grad),
    **_ABOUT,
)


@api("det", where="torch method linalg")
def det(A: Tensor) -> Tensor:
    """The determinant of a matrix, or of each in a batch."""
    check_square(A, "linalg.det")
    return call_all(DET, A)[0]


def _slogdet(a: Array) -> tuple[ArrayOrScalar, ...]:
    lu, pivots = _lu_for_determinant(a)
    swaps = (pivots != np.arange(1, a.shape[-1] + 1)).sum(-1)
    diagonal = np.diagonal(lu, axis1=-2, axis2=-1)
    size = np.abs(diagonal)
    sign = np.where(swaps % 2, -1, 1) * np.where(size == 0, 0, diagonal / size).prod(-1)
    logarithm = np.log(size).sum(-1)
    return sign.astype(a.dtype), logarithm.astype(a.real.dtype), lapack.by_columns(lu), pivots


def _slogdet_grad(grads: Sequence[Tensor | None], A: Tensor, sign: Tensor, LU: Tensor, pivots: Tensor) -> Tensor | None:
    g = grads[1]
    if A.dtype.is_complex:
        turned = None if grads[0] is None else F["imag"](conj(grads[0]) * sign)
        g = F["zeros_like"](turned) if g is None else g
        g = F["complex"](g, F["zeros_like"](g) if turned is None else -turned)
    if g is None:
        return None  # the sign has none
    system, sides = h(A), F["diag_embed"](g.unsqueeze(-1).expand(pivots.shape))
    if state.grad or state.layered:
        return LINALG["solve"](system, sides)
    factors, order, _ = lapack.lu(system._data)
    return wrap(lapack.solve_lu(factors, order, sides._data, left=True, adjoint=False))


SLOGDET = op(
    "_linalg_slogdet",
    "A",
    _slogdet,
    outputs="sign, logabsdet, LU, pivots",
    hidden=2,
    symbol="ln|det|",
    latex=r"\ln |\det A|",
    brief="Sign and logarithm of the determinant.",
    A=expressed("grad * inverse_adjoint(A)", _slogdet_grad),
    **_ABOUT,
)


@api("slogdet", where="linalg")
def slogdet(A: Tensor) -> Named:
    """Sign and logarithm of the absolute value of the determinant."""
    check_square(A, "linalg.slogdet")
    return named("linalg_slogdet", call_all(SLOGDET, A)[:2])


api("slogdet")(lambda input: named("slogdet", slogdet(input)))


@api("logdet")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN if it is negative."""
    check_square(input, "logdet")
    sign, logabs = slogdet(input)
    if input.dtype.is_complex:
        return sign.log() + logabs
    return F["where"](sign == -1, math.nan, logabs)


# --- inverse and systems ---


def _inverse(a: Array) -> tuple[Array, ...]:
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        found = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        found, _, info = lapack.lu(a)
        good = info == 0
        found[good] = np.linalg.inv(a[good])
    return lapack.by_columns(found), info


def _inverse_grad(grads: Sequence[Tensor | None], inverse: Tensor) -> Tensor | None:
    return None if grads[0] is None else -(h(inverse) @ (grads[0] @ h(inverse)))


INV = op(
    "linalg_inv_ex",
    "A",
    _inverse,
    outputs="inverse, info",
    symbol="A⁻¹",
    latex=r"A^{-1}",
    brief="The inverse of a matrix.",
    A=expressed("-(inverse_adjoint(A) @ grad @ inverse_adjoint(A))", _inverse_grad),
    **_ABOUT,
)


@api("inverse")
def inverse(A: Tensor) -> Tensor:
    """The inverse of a matrix, or of each in a batch."""
    check_square(A, "linalg.inv")
    found, info = call_all(INV, A)
    check_info(info, "linalg.inv", SINGULAR)
    return found


api("inv", where="linalg")(inverse)


@api("inv_ex", where="linalg")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Named:
    """The inverse, and the position of a failure instead of an error."""
    check_square(A, "linalg.inv")
    found = call_all(INV, A)
    if check_errors:
        check_info(found[1], "linalg.inv_ex", SINGULAR)
    return named("linalg_inv_ex", found)


def _solve(a: Array, b: Array, *, left: bool, vector: bool) -> tuple[Array, ...]:
    lu, pivots, info = lapack.lu(a)
    right = b[..., None] if vector else b
    found = lapack.solve_lu(lu, pivots, right, left=left, adjoint=False)
    found = found[..., 0] if vector else found
    return lapack.by_columns(found) if found.ndim > 1 else found, lapack.by_columns(lu), pivots, info


def _solve_grads(
    grads: Sequence[Tensor | None],
    A: Tensor,
    result: Tensor,
    LU: Tensor,
    pivots: Tensor,
    left: bool,
    vector: bool,
    needs: tuple[bool, ...],
) -> Sequence[Tensor | None]:
    if grads[0] is None:
        return [None, None]
    grad = grads[0].unsqueeze(-1) if vector else grads[0]
    back = LINALG["solve"](h(A), grad, left=left)
    out = back.squeeze(-1) if vector else back
    if not needs[0]:
        return [None, out]
    x = h(result.unsqueeze(-1) if vector else result)
    return [-(back @ x) if left else -(x @ back), out]


SOLVE = op(
    "_linalg_solve_ex",
    "A, B",
    _solve,
    outputs="result, LU, pivots, info",
    hidden=2,
    symbol="A⁻¹b",
    latex=r"A^{-1} B",
    brief="The solution of A X = B.",
    joint=jointly(
        _solve_grads,
        formulas={"B": "inverse_adjoint(A) @ grad", "A": "-(inverse_adjoint(A) @ grad @ adjoint(result))"},
    ),
    **_ABOUT,
)


def check_sides(A: Tensor, B: Tensor, name: str, left: bool, vector: bool = False) -> None:
    """Refuse a right-hand side of another size."""
    n = A._data.shape[-1]
    rows, columns = (B._data.shape[-1], 1) if vector else B._data.shape[-2:]
    if (rows if left else columns) != n:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation} ({n}x{n} and {rows}x{columns})"
        )


def check_same_type(A: Tensor, B: Tensor, name: str, first: str = "A") -> None:
    """Refuse matrices of different types."""
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"{name}: Expected {first} and B to have the same dtype, but found {first} of type {A.dtype.title} and B "
            f"of type {B.dtype.title} instead"
        )


def _solved(A: Tensor, B: Tensor, left: bool, name: str) -> tuple[Tensor, Tensor]:
    check_type(A.dtype, name)
    check_same_type(A, B, name)
    check_square(A, name)
    vector = B._data.ndim == 1 or (B._data.ndim == A._data.ndim - 1 and B._data.shape == A._data.shape[:-1])
    if not vector and B._data.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
    check_sides(A, B, name, left, vector)
    found = call_all(SOLVE, A, B, left=left, vector=vector)
    return found[0], found[3]


@api("solve", where="linalg")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The X with A X = B (or X A = B)."""
    found, info = _solved(A, B, left, "linalg.solve")
    check_info(info, "torch.linalg.solve", NOT_SOLVED)
    return found


@api("solve_ex", where="linalg")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Named:
    """Like `solve`, returning the position of a failure instead of raising an error."""
    found, info = _solved(A, B, left, "linalg.solve")
    if check_errors:
        check_info(info, "torch.linalg.solve_ex", NOT_SOLVED)
    return named("linalg_solve_ex", (found, info))


# --- triangular systems ---


def _triangular(a: Array, b: Array, *, upper: bool, left: bool, unitriangular: bool) -> Any:
    if left:
        return lapack.by_columns(lapack.substitute(a, b, upper=upper, unit=unitriangular))
    turned = lapack.substitute(a.swapaxes(-1, -2), b.swapaxes(-1, -2), upper=not upper, unit=unitriangular)
    return lapack.by_columns(turned.swapaxes(-1, -2))


def _triangular_grads(
    grad: Tensor, self: Tensor, result: Tensor, upper: bool, left: bool, unitriangular: bool, needs: tuple[bool, ...]
) -> Sequence[Tensor | None]:
    back = LINALG["solve_triangular"](h(self), grad, upper=not upper, left=left, unitriangular=unitriangular)
    if not needs[0]:
        return [None, back]
    full = -(back @ h(result)) if left else -(h(result) @ back)
    shift = int(unitriangular)
    return [full.triu(shift) if upper else full.tril(-shift), back]


TRIANGULAR = op(
    "linalg_solve_triangular",
    "self, B",
    _triangular,
    symbol="A⁻¹b",
    latex=r"A^{-1} B",
    brief="The solution of a triangular system.",
    joint=jointly(
        _triangular_grads,
        formulas={"B": "inverse_adjoint(self) @ grad"},
        self="−self⁻ᵀ @ grad @ resultᵀ, its triangle",
    ),
    **_ABOUT,
)


@api("solve_triangular", where="linalg")
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """The X with A X = B for a triangular A."""
    name = "linalg.solve_triangular"
    check_same_type(A, B, name)
    check_square(A, name)
    check_matrix(B, name, "B")
    check_sides(A, B, name, left)
    return call(TRIANGULAR, A, B, upper=upper, left=left, unitriangular=unitriangular)


def _old_triangular(b: Array, a: Array, *, upper: bool, transpose: bool, unitriangular: bool) -> tuple[Array, ...]:
    matrix = a.swapaxes(-1, -2) if transpose else a
    found = lapack.substitute(matrix, b, upper=upper != transpose, unit=unitriangular)
    batch = found.shape[:-2]
    return lapack.by_columns(found), lapack.by_columns(np.broadcast_to(a, (*batch, *a.shape[-2:])))


def _old_triangular_grads(
    grads: Sequence[Tensor | None],
    self: Tensor,
    A: Tensor,
    solution: Tensor,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
) -> list[Tensor | None]:
    grad, given = grads
    back = full = None
    if grad is not None:
        flags = {"upper": upper, "transpose": not transpose, "unitriangular": unitriangular}
        back = call_all(OLD_TRIANGULAR, grad, conj(A), **flags)[0]
        full = -(conj(solution) @ back.transpose(-1, -2)) if transpose else -(back @ h(solution))
        shift = int(unitriangular)
        full = full.triu(shift) if upper else full.tril(-shift)
    if given is not None:
        full = given if full is None else full + given
    return [back, full]


OLD_TRIANGULAR = op(
    "triangular_solve",
    "self, A",
    _old_triangular,
    outputs="solution, cloned_coefficient",
    symbol="A⁻¹b",
    latex=r"A^{-1} B",
    brief="The solution of a triangular system.",
    joint=jointly(
        _old_triangular_grads,
        formulas={"self": "inverse_adjoint(A) @ grad"},
        A="−A⁻ᵀ @ grad @ solutionᵀ, its triangle",
    ),
    **_ABOUT,
)
_OLD_TRIANGULAR = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
    "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of "
    "the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
    "torch.linalg.solve_triangular(A, B). (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp:2273.)"
)


@api("triangular_solve")
def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Named:
    """The solution of a triangular system, and a copy of its matrix."""
    for label, each in (("b", input), ("A", A)):
        if each._data.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {label} to have at least 2 dimensions, but it has "
                f"{each._data.ndim} dimensions instead"
            )
    if input.dtype is not A.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {input.dtype.title} and A of type "
            f"{A.dtype.title} instead."
        )
    n, m = A._data.shape[-2:]
    if n != m:
        raise RuntimeError(f"A must be batches of square matrices, but they are {n} by {m} matrices")
    if input._data.shape[-2] != n:
        raise RuntimeError(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {n} by {n} but each b matrix is "
            f"{input._data.shape[-2]} by {input._data.shape[-1]}"
        )
    check_type(A.dtype, "triangular_solve")
    warn_once("triangular_solve", _OLD_TRIANGULAR)
    found = call_all(OLD_TRIANGULAR, input, A, upper=upper, transpose=transpose, unitriangular=unitriangular)
    return named("triangular_solve", found)


# --- Cholesky ---


def _cholesky(a: Array, *, upper: bool) -> tuple[Array, ...]:
    lower, info = lapack.cholesky(a.swapaxes(-1, -2).conj() if upper else a)
    return lapack.by_columns(lapack.transposed(lower) if upper else lower), info


def _cholesky_grad(grad: Tensor, factor: Tensor, upper: bool) -> Tensor:
    L = h(factor) if upper else factor
    half = (h(L) @ (h(grad) if upper else grad)).tril()
    phi = times_alpha(half + h(half.tril(-1)), 0.5)
    return solve_triangular(L, solve_triangular(h(L), phi, upper=True), upper=False, left=False)


CHOLESKY_EX = op(
    "linalg_cholesky_ex",
    "self",
    _cholesky,
    outputs="L, info",
    symbol="chol",
    latex=r"L : L L^\top = A",
    brief="The Cholesky factor.",
    self=sentence(
        "½ (S + Sᴴ) for S = L⁻ᴴ Φ(Lᴴ grad) L⁻¹, Φ the lower triangle with half the diagonal",
        lambda grads, L, upper: None if grads[0] is None else _cholesky_grad(grads[0], L, upper),
    ),
    **_ABOUT,
)


def _old_cholesky(a: Array, *, upper: bool) -> Array:
    found, info = _cholesky(a, upper=upper)
    check_info(info, "cholesky", NOT_POSITIVE)
    return found if found.size else np.zeros(found.shape, found.dtype)


CHOLESKY = op(
    "cholesky",
    "self",
    _old_cholesky,
    symbol="chol",
    latex=r"L : L L^\top = A",
    brief="The Cholesky factor.",
    self=sentence(
        "½ (S + Sᴴ) for S = L⁻ᴴ Φ(Lᴴ grad) L⁻¹, Φ the lower triangle with half the diagonal",
        lambda grad, result, upper: _cholesky_grad(grad, result, upper),
    ),
    **_ABOUT,
)


@api("cholesky", where="linalg")
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower (or upper) Cholesky factor."""
    check_square(A, "linalg.cholesky")
    found, info = call_all(CHOLESKY_EX, A, upper=upper)
    check_info(info, "linalg.cholesky", NOT_POSITIVE)
    return found


@api("cholesky_ex", where="linalg")
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Named:
    """The Cholesky factor, and the position of a failure instead of an error."""
    check_square(A, "linalg.cholesky")
    found = call_all(CHOLESKY_EX, A, upper=upper)
    if check_errors:
        check_info(found[1], "linalg.cholesky_ex", NOT_POSITIVE)
    return named("linalg_cholesky_ex", found)


_OLD_CHOLESKY = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
    "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, "
    "upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent "
    "results for all valid (symmetric positive definite) inputs. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp:1765.)"
)


@api("cholesky")
def old_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The lower (or upper) Cholesky factor."""
    warn_once("cholesky", _OLD_CHOLESKY)
    check_square(input, "cholesky")
    return call(CHOLESKY, input, upper=upper)


def _cholesky_solve(b: Array, factor: Array, *, upper: bool) -> Any:
    lower = lapack.transposed(factor) if upper else factor
    middle = lapack.substitute(lower, b, upper=False)
    return lapack.by_columns(lapack.substitute(lapack.transposed(lower), middle, upper=True))


def _cholesky_solve_grads(grad: Tensor, self: Tensor, input2: Tensor, result: Tensor, upper: bool) -> list[Tensor]:
    back = F["cholesky_solve"](grad, input2, upper=upper)
    common = back @ h(result)
    common = common + h(common)
    return [back, -(input2 @ common) if upper else -(common @ input2)]


CHOLESKY_SOLVE = op(
    "cholesky_solve",
    "self, input2",
    _cholesky_solve,
    symbol="A⁻¹b",
    latex=r"(L L^\top)^{-1} B",
    brief="The solution of A X = B from the Cholesky factor of A.",
    joint=jointly(_cholesky_solve_grads, self="A⁻¹ grad", input2="−(C + Cᵀ) input2 for C = A⁻¹ grad resultᵀ"),
    **_ABOUT,
)


@api("cholesky_solve")
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """The X with A X = input, from the Cholesky factor of A."""
    if input._data.ndim < 2:
        raise RuntimeError(f"b should have at least 2 dimensions, but has {input._data.ndim} dimensions instead")
    if L._data.ndim < 2:
        raise RuntimeError(f"u should have at least 2 dimensions, but has {L._data.ndim} dimensions instead")
    if input.dtype is not L.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {input.dtype.title} and A of type "
            f"{L.dtype.title} instead."
        )
    n, m = L._data.shape[-2:]
    if n != m:
        raise RuntimeError(f"A must be batches of square matrices, but they are {n} by {m} matrices")
    if input._data.shape[-2] != n:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {n} by {n} but each b matrix is "
            f"{input._data.shape[-2]} by {input._data.shape[-1]}"
        )
    check_type(L.dtype, "cholesky_solve")
    return call(CHOLESKY_SOLVE, input, L, upper=upper)


def _cholesky_inverse(factor: Array, *, upper: bool) -> Any:
    found = _cholesky_solve(lapack.eye_like(factor), np.triu(factor) if upper else np.tril(factor), upper=upper)
    return lapack.by_columns(found)


def _cholesky_inverse_grad(grad: Tensor, self: Tensor, result: Tensor, upper: bool) -> Tensor:
    common = result @ ((grad + h(grad)) @ result)
    return -(self @ common) if upper else -(common @ self)


CHOLESKY_INVERSE = op(
    "cholesky_inverse",
    "self",
    _cholesky_inverse,
    symbol="A⁻¹",
    latex=r"(L L^\top)^{-1}",
    brief="The inverse of a matrix from its Cholesky factor.",
    self=expressed("-(result @ (grad + adjoint(grad)) @ result @ self)", _cholesky_inverse_grad),
    **_ABOUT,
)


@api("cholesky_inverse")
def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A from its Cholesky factor."""
    check_square(input, "cholesky_inverse")
    return call(CHOLESKY_INVERSE, input, upper=upper)
