"""Linear algebra: det, inverse, solve, Cholesky, QR, SVD, eigenvalues, matrix norms and powers, over batches of
matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, LINALG, api
from gradviz.engine.apply import call
from gradviz.engine.named import return_type
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS
Array = np.ndarray[Any, Any]


def h(x: Any) -> Any:
    """The conjugate transpose of a matrix or of each in a batch."""
    return conj(x.transpose(-2, -1))


def check_square(x: Tensor, name: str) -> None:
    """Refuse what is not a batch of square matrices of floating point numbers."""
    if x._data.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    n, m = x._data.shape[-2:]
    if n != m:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {n} by {m} matrices")
    if x.dtype.rank < 2:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {x.dtype.title}")


def _guard(fn: Any, name: str, message: str) -> Any:
    """Call a NumPy routine; a singular matrix becomes PyTorch's error."""
    try:
        return fn()
    except np.linalg.LinAlgError:
        raise LinAlgError(f"{name}: {message}") from None


class LinAlgError(RuntimeError):
    """A matrix that can't be inverted or factored."""


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"

# --- determinant ---


def lu_factor(a: Array) -> tuple[Array, Array]:
    """LU with partial pivoting of one matrix: both factors in one, and the pivots counted from 1."""
    lu = a.copy()
    n = lu.shape[0]
    pivots = np.arange(1, n + 1, dtype=np.int32)
    for k in range(n):
        p = k + int(np.argmax(np.abs(lu[k:, k])))
        pivots[k] = p + 1
        if p != k:
            lu[[k, p]] = lu[[p, k]]
        if lu[k, k] != 0:
            lu[k + 1 :, k] /= lu[k, k]
            lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return lu, pivots


def _batched_lu(a: Array) -> tuple[Array, Array]:
    flat = a.reshape(-1, *a.shape[-2:])
    parts = [lu_factor(one) for one in flat]
    lu = np.stack([p[0] for p in parts]).reshape(a.shape) if parts else a.copy()
    pivots = np.stack([p[1] for p in parts]) if parts else np.zeros((0, a.shape[-1]), np.int32)
    return lu, pivots.reshape(a.shape[:-1])


def _det(a: Any) -> Any:
    lu, pivots = _batched_lu(a)
    swaps = (pivots != np.arange(1, a.shape[-1] + 1)).sum(-1)
    sign = np.where(swaps % 2, -1, 1)
    diagonal = np.diagonal(lu, axis1=-2, axis2=-1)
    return (sign * diagonal.prod(-1)).astype(a.dtype), lu, pivots


def _det_grad(grads: Any, A: Any, result: Any) -> Any:
    grad = grads[0]
    if grad is None:
        return None
    scaled = (grad * conj(result)).unsqueeze(-1).unsqueeze(-1)
    if (result._data != 0).all():
        return h(LINALG["inv"](A)) * scaled
    return _cofactors(A) * grad.unsqueeze(-1).unsqueeze(-1)


def _cofactors(a: Any) -> Any:
    """For singular matrices: the matrix of cofactors, through the SVD, det(U)·det(V) times what is left of the
    singular values."""
    u, s, vh = LINALG["svd"](a, full_matrices=True)
    n = s.shape[-1]
    others = F["stack"]([s[..., [j for j in range(n) if j != i]].prod(-1) for i in range(n)], -1)
    sign = LINALG["det"](u).detach() * LINALG["det"](vh).detach()
    return sign.unsqueeze(-1).unsqueeze(-1) * (u * others.unsqueeze(-2)) @ vh


DET = op(
    "linalg_det",
    "A",
    _det,
    node="LinalgDetBackward0",
    outputs="result, LU, pivots",
    category="linear algebra",
    symbol="det",
    latex=r"\det A",
    brief="The determinant.",
    derivatives={"A": "grad · result · A⁻ᵀ"},
    A=lambda grads, A, result, LU, pivots: _det_grad(grads, A, result),
)


@api("det", where="torch method linalg")
def det(A: Tensor) -> Tensor:
    """The determinant of a matrix, or of each in a batch."""
    check_square(A, "linalg.det")
    found: Tensor = call(DET, A)[0]
    return found


def _slogdet(a: Any) -> Any:
    lu, pivots = _batched_lu(a)
    sign, logabs = np.linalg.slogdet(a)
    return np.asarray(sign, a.dtype), np.asarray(logabs, a.real.dtype), lu, pivots


SLOGDET = op(
    "linalg_slogdet",
    "A",
    _slogdet,
    outputs="sign, logabsdet, LU, pivots",
    category="linear algebra",
    symbol="ln|det|",
    latex=r"\ln |\det A|",
    brief="Sign and logarithm of the determinant.",
    A=lambda grads, A, sign, LU, pivots: (
        None if grads[1] is None else h(LINALG["inv"](A)) * grads[1].unsqueeze(-1).unsqueeze(-1)
    ),
)


@api("slogdet", where="torch method linalg")
def slogdet(A: Tensor) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    check_square(A, "linalg.slogdet")
    return return_type("linalg_slogdet", ("sign", "logabsdet"))(*call(SLOGDET, A)[:2])


@api("logdet")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN where it is negative."""
    sign, logabs = slogdet(input)
    found: Tensor = F["where"](sign == -1, math.nan, logabs)
    return found


# --- inverse and systems ---


def _inverse(a: Any) -> Any:
    singular = (
        "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
    )
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        lu, _ = lu_factor(a.reshape(-1, *a.shape[-2:])[0])
        zero = np.flatnonzero(np.diagonal(lu) == 0)
        raise LinAlgError(f"linalg.inv: {singular.format(int(zero[0]) + 1 if zero.size else a.shape[-1])}") from None


INV = op(
    "linalg_inv_ex",
    "A",
    _inverse,
    outputs="inverse",
    category="linear algebra",
    symbol="A⁻¹",
    latex=r"A^{-1}",
    brief="The inverse of a matrix.",
    derivatives={"A": "−A⁻ᵀ grad A⁻ᵀ"},
    A=lambda grad, inverse: -(h(inverse) @ (grad @ h(inverse))),
)


@api("inverse", "inv", where="torch method linalg")
def inverse(A: Tensor) -> Tensor:
    """The inverse of a matrix, or of each in a batch."""
    check_square(A, "linalg.inv")
    found: Tensor = call(INV, A)
    return found


def _solve(a: Any, b: Any, *, left: bool, vector: bool) -> Any:
    def run() -> Any:
        if vector:
            return np.linalg.solve(a, b[..., None])[..., 0]
        return (
            np.linalg.solve(a, b) if left else np.linalg.solve(a.swapaxes(-1, -2), b.swapaxes(-1, -2)).swapaxes(-1, -2)
        )

    return _guard(run, "torch.linalg.solve", "The solver failed because the input matrix is singular.")


def _solve_and_factor(a: Any, b: Any, *, left: bool, vector: bool) -> Any:
    return _solve(a, b, left=left, vector=vector), *_batched_lu(a)


def _solve_grads(grads: Any, A: Any, result: Any, LU: Any, pivots: Any, left: bool, vector: bool, needs: Any) -> Any:
    back = call(SOLVE, h(A), grads[0], left=left, vector=vector)[0]
    if not needs[0]:
        return [None, back]
    if vector:
        return [-back.unsqueeze(-1) @ h(result.unsqueeze(-1)), back]
    return [-back @ h(result) if left else -h(result) @ back, back]


SOLVE = op(
    "_linalg_solve_ex",
    "A, B",
    _solve_and_factor,
    node="LinalgSolveExBackward0",
    outputs="result, LU, pivots",
    category="linear algebra",
    symbol="A⁻¹b",
    latex=r"A^{-1} B",
    brief="The solution of A X = B.",
    derivatives={"B": "A⁻ᵀ grad", "A": "−(A⁻ᵀ grad) resultᵀ"},
    joint=_solve_grads,
)


@api("solve", where="linalg")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The X with A X = B (or X A = B)."""
    check_square(A, "linalg.solve")
    vector = B._data.ndim == 1 or (B._data.ndim == A._data.ndim - 1 and B._data.shape == A._data.shape[:-1])
    found: Tensor = call(SOLVE, A, B, left=left, vector=vector)[0]
    return found


def _triangular(a: Any, b: Any, *, upper: bool, left: bool, unitriangular: bool) -> Any:
    half = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        half = half - np.eye(a.shape[-1], dtype=a.dtype) * half + np.eye(a.shape[-1], dtype=a.dtype)
    return _solve(half, b, left=left, vector=False)


def _triangular_grads(grad: Any, A: Any, result: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    back = call(TRIANGULAR, h(A), grad, upper=not upper, left=left, unitriangular=unitriangular)
    full = -back @ h(result) if left else -h(result) @ back
    shift = int(unitriangular)
    return [full.triu(shift) if upper else full.tril(-shift), back]


TRIANGULAR = op(
    "linalg_solve_triangular",
    "A, B",
    _triangular,
    category="linear algebra",
    symbol="A⁻¹b",
    latex=r"A^{-1} B",
    brief="The solution of a triangular system.",
    joint=_triangular_grads,
)
api("solve_triangular", where="linalg")(
    lambda A, B, *, upper, left=True, unitriangular=False: call(
        TRIANGULAR, A, B, upper=upper, left=left, unitriangular=unitriangular
    )
)

# --- factorisations ---


def _cholesky(a: Any) -> Any:
    message = (
        "The factorization could not be completed because the input is not positive-definite (the leading minor of "
        "order {} is not "
        "positive-definite)."
    )
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        one = a.reshape(-1, *a.shape[-2:])[0]
        minors = (np.linalg.det(one[:k, :k]) for k in range(1, one.shape[0] + 1))
        order = next((k for k, minor in enumerate(minors, start=1) if minor <= 0), one.shape[0])
        raise LinAlgError(f"linalg.cholesky: {message.format(order)}") from None


def _cholesky_grad(grad: Any, L: Any) -> Any:
    half = (h(L) @ grad).tril()
    phi = half - F["diag_embed"](half.diagonal(0, -2, -1)) / 2
    inner = LINALG["solve_triangular"](h(L), phi, upper=True)
    found = LINALG["solve_triangular"](L, inner, upper=False, left=False)
    return (found + h(found)) / 2


CHOLESKY = op(
    "linalg_cholesky_ex",
    "self",
    _cholesky,
    outputs="L",
    category="linear algebra",
    symbol="chol",
    latex=r"L : L L^\top = A",
    brief="The Cholesky factor.",
    self=_cholesky_grad,
)


@api("cholesky", where="linalg")
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower (or upper) Cholesky factor."""
    check_square(A, "linalg.cholesky")
    found: Tensor = call(CHOLESKY, A)
    return h(found) if upper else found


api("cholesky")(lambda input, upper=False: cholesky(input, upper=upper))


def _qr(a: Any, *, mode: str) -> Any:
    factor: Any = np.linalg.qr
    return factor(a, mode) if mode != "r" else (np.zeros(0, a.dtype), factor(a, "r"))


def _qr_grad(grads: Any, Q: Any, R: Any, mode: str) -> Any:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced')."
        )
    gq, gr = grads
    m: Any = (R @ h(gr.triu()) if gr is not None else 0) - (h(gq) @ Q if gq is not None else 0)
    lower = m.tril(-1)
    sym = m.tril() + h(lower)
    right = Q @ sym + (gq if gq is not None else 0)
    return LINALG["solve_triangular"](h(R), right, upper=False, left=False)


QR = op(
    "linalg_qr",
    "A",
    _qr,
    outputs="Q, R",
    category="linear algebra",
    symbol="QR",
    latex=r"Q R = A",
    brief="The QR factors.",
    A=_qr_grad,
)
api("qr", where="linalg")(lambda A, mode="reduced": return_type("linalg_qr", ("Q", "R"))(*call(QR, A, mode=mode)))
api("qr")(
    lambda input, some=True: return_type("qr", ("Q", "R"))(*call(QR, input, mode="reduced" if some else "complete"))
)


def _svd(a: Any, *, full_matrices: bool) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices)
    return u, s.astype(a.real.dtype), vh


def _svd_grad(grads: Any, U: Any, S: Any, Vh: Any, self_shape: Any) -> Any:
    gu, gs, gvh = grads
    k = S.shape[-1]
    u, v = U.narrow(-1, 0, k), h(Vh.narrow(-2, 0, k))
    diagonal = F["diag_embed"](gs) if gs is not None else 0
    squares = S * S
    gap = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    e = gap.masked_fill(F["eye"](k, dtype=gap.dtype) == 1, math.inf)
    inner = diagonal
    if gu is not None:
        w = h(u) @ gu.narrow(-1, 0, k)
        inner = inner + ((w - h(w)) / e) * S.unsqueeze(-2)
    if gvh is not None:
        w = h(v) @ h(gvh.narrow(-2, 0, k))
        inner = inner + S.unsqueeze(-1) * ((w - h(w)) / e)
    found = u @ inner @ h(v)
    if gu is not None and self_shape[-2] > k:
        part = gu.narrow(-1, 0, k) / S.unsqueeze(-2)
        found = found + (part - u @ (h(u) @ part)) @ h(v)
    if gvh is not None and self_shape[-1] > k:
        part = h(gvh.narrow(-2, 0, k)) / S.unsqueeze(-2)
        found = found + u @ h(part - v @ (h(v) @ part))
    return found


SVD = op(
    "_linalg_svd",
    "self",
    _svd,
    node="LinalgSvdBackward0",
    outputs="U, S, Vh",
    category="linear algebra",
    symbol="SVD",
    latex=r"U S V^\top = A",
    brief="The singular value decomposition.",
    self=_svd_grad,
)


@api("svd", where="linalg")
def svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None) -> Any:
    """U, S, Vᴴ with A = U diag(S) Vᴴ."""
    return return_type("linalg_svd", ("U", "S", "Vh"))(*call(SVD, A, full_matrices=full_matrices))


@api("svd")
def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """U, S, V with A = U diag(S) Vᴴ."""
    u, s, vh = call(SVD, input, full_matrices=not some)
    return return_type("svd", ("U", "S", "V"))(u, s, h(vh))


api("svdvals", where="linalg")(lambda A, *, driver=None: call(SVD, A, full_matrices=False)[1])


def _eigh(a: Any, *, UPLO: str) -> Any:
    solver: Any = np.linalg.eigh
    values, vectors = solver(a, UPLO)
    return values.astype(a.real.dtype), vectors.astype(a.dtype)


def _eigh_grad(grads: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    gl, gv = grads
    v = eigenvectors
    inner = F["diag_embed"](gl) if gl is not None else 0
    if gv is not None:
        gap = eigenvalues.unsqueeze(-2) - eigenvalues.unsqueeze(-1)
        e = gap.masked_fill(F["eye"](gap.shape[-1], dtype=gap.dtype) == 1, math.inf)
        inner = inner + (h(v) @ gv) / e
    return v @ inner @ h(v)


EIGH = op(
    "_linalg_eigh",
    "A",
    _eigh,
    node="LinalgEighBackward0",
    outputs="eigenvalues, eigenvectors",
    category="linear algebra",
    symbol="eigh",
    latex=r"A v = \lambda v",
    brief="Eigenvalues and eigenvectors of a symmetric matrix.",
    A=_eigh_grad,
)
api("eigh", where="linalg")(
    lambda A, UPLO="L": return_type("linalg_eigh", ("eigenvalues", "eigenvectors"))(*call(EIGH, A, UPLO=UPLO))
)
api("eigvalsh", where="linalg")(lambda A, UPLO="L": call(EIGH, A, UPLO=UPLO)[0])

# --- norms, powers, ranks ---


@api("matrix_norm", where="linalg")
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """A norm of the matrices in two dimensions."""
    a, b = dim
    if ord == "fro":
        found: Tensor = LINALG["vector_norm"](A, 2, dim, keepdim, dtype=dtype)
        return found
    moved = F["movedim"](A, (a, b), (-2, -1))
    if ord == "nuc" or ord in (2, -2):
        values = LINALG["svdvals"](moved)
        found = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
    else:
        sums = moved.abs().sum(-1 if abs(ord) == math.inf else -2)
        found = sums.amax(-1) if ord > 0 else sums.amin(-1)
    return found.unsqueeze(-1).unsqueeze(-1) if keepdim else found


@api("norm", where="linalg")
def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """A norm of a vector or a matrix, by the number of dimensions named."""
    matrix = (isinstance(dim, (tuple, list)) and len(dim) == 2) or (
        dim is None and ord is not None and A._data.ndim == 2
    )
    if ord is None or not matrix:
        found: Tensor = LINALG["vector_norm"](A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
        return found
    return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


@api("matrix_power", where="torch method linalg")
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A matrix times itself, `n` times."""
    if n < 0:
        return matrix_power(inverse(A), -n)
    if n == 0:
        found: Tensor = F["eye"](A._data.shape[-1], dtype=A.dtype).expand(A._data.shape).clone()
        return found
    if n == 3:
        return (A @ A) @ A
    result: Tensor | None = None
    square = A
    while n:
        if n & 1:
            result = square if result is None else result @ square
        n >>= 1
        square = square @ square if n else square
    assert result is not None
    return result


@api("pinv", where="linalg")
def pinv(A: Tensor, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse, through the SVD."""
    u, s, vh = call(SVD, A, full_matrices=False)
    limit = (max(A._data.shape[-2:]) * np.finfo(A._data.dtype).eps if rtol is None else rtol) * s.amax(-1, keepdim=True)
    kept = F["where"](s > limit, 1 / s, 0.0)
    found: Tensor = h(vh) @ (kept.unsqueeze(-1) * h(u))
    return found


api("pinverse")(lambda input, rcond=1e-15: pinv(input, rcond))
api("matrix_rank", where="linalg")(
    lambda A, tol=None, *, atol=None, rtol=None, hermitian=False: F["tensor"](
        np.asarray(np.linalg.matrix_rank(A._data))
    )
)
api("cond", where="linalg")(
    lambda A, p=None: matrix_norm(A, p or 2) * matrix_norm(inverse(A), p or 2) if p is not None else _condition(A)
)


def _condition(A: Tensor) -> Tensor:
    s = LINALG["svdvals"](A)
    found: Tensor = s[..., 0] / s[..., -1]
    return found


@api("lstsq", where="linalg")
def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None) -> Any:
    """The X that makes ‖A X − B‖ smallest."""
    kind = return_type("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))
    empty = F["empty"](0, dtype=A.dtype)
    return kind(pinv(A) @ B, empty, F["tensor"](int(np.linalg.matrix_rank(A._data))), empty)


LINALG["LinAlgError"] = LinAlgError
