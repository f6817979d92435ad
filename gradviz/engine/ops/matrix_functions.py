"""Norms and functions of matrices: matrix_norm, cond, rank, powers, the exponential, the pseudo-inverse, least squares,
products of several matrices, tensors taken as matrices. Factorisations are in `factorizations.py`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.messages import check_norm_type
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import lapack
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.linalg import check_matrix, check_square, check_type, check_wide, h, named
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import FUNCTIONS, LINALG, api
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.arguments import Named

F = FUNCTIONS
_ABOUT: dict[str, Any] = {"category": "linear algebra"}

# --- norms ---


def _two_dims(dim: Any, ndim: int) -> tuple[int, int]:
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    a, b = (wrap_dim(d, ndim) for d in dims)
    if a == b:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dims[0]}, {dims[1]})")
    return a, b


def _of_singular_values(A: Tensor, ord: Any, dims: tuple[int, int], keepdim: bool) -> Tensor:
    order = [d for d in range(A._data.ndim) if d not in dims] + list(dims)
    values = LINALG["svdvals"](A.permute(order))
    if ord == "nuc":
        found: Tensor = values.sum(-1, keepdim)
    else:
        found = values.amax(-1, keepdim) if ord > 0 else values.amin(-1, keepdim)
    if keepdim:
        return found.unsqueeze(-1).permute([order.index(d) for d in range(len(order))])
    return found


@api("matrix_norm", where="linalg")
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: object = (-2, -1), keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """A norm of the matrices in two dimensions."""
    if isinstance(ord, str) and ord not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    check_matrix(A, "linalg.matrix_norm")
    check_norm_type("linalg.matrix_norm", A.dtype, dtype)
    first, second = _two_dims(dim, A._data.ndim)
    if not isinstance(ord, str) and abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "fro":
        return LINALG["vector_norm"](A, 2, (first, second), keepdim, dtype=dtype)
    A = A if dtype is None else A.to(dtype)
    if ord == "nuc" or abs(ord) == 2:
        check_type(A.dtype, "linalg.matrix_norm")
        return _of_singular_values(A, ord, (first, second), keepdim)
    if abs(ord) == math.inf:
        first, second = second, first
    if not keepdim and first < second:
        second -= 1
    sums = LINALG["vector_norm"](A, 1.0, (first,), keepdim)
    return sums.amax(second, keepdim) if ord > 0 else sums.amin(second, keepdim)


@api("norm", where="linalg")
def linalg_norm(
    A: Tensor, ord: object = None, dim: Any = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """A norm of a vector or a matrix, by the number of dimensions named."""
    count = None if dim is None else 1 if isinstance(dim, int) else len(dim)
    if ord is not None and dim is None and A._data.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A._data.ndim}D."
        )
    if isinstance(ord, str) or (ord is not None and (count == 2 or (dim is None and A._data.ndim == 2))):
        return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    return LINALG["vector_norm"](A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def _condition(A: Tensor, p: int | None) -> Tensor:
    s = LINALG["svdvals"](A)
    ends = s.narrow(-1, 0, 1), s.narrow(-1, -1, 1)
    found = ends[1] / ends[0] if p == -2 else ends[0] / ends[1]
    return found.squeeze(-1)


@api("cond", where="linalg")
def cond(A: Tensor, p: object = None) -> Tensor:
    """The condition number: the norm of a matrix times that of its inverse."""
    check_matrix(A, "linalg.cond")
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p is None or p in (2, -2):
        return _condition(A, p)
    check_square(A, f"linalg.cond(ord={p})", typed=False)
    found, info = LINALG["inv_ex"](A)
    found.masked_fill_((info > 0).unsqueeze(-1).unsqueeze(-1), math.inf)
    return matrix_norm(A, p) * matrix_norm(found, p)


def _tolerances(A: Tensor, atol: Any, rtol: object) -> tuple[Any, Any]:
    """(absolute, relative) tolerances; the default of each depends on whether the other is given."""
    if rtol is None:
        given = atol is not None
        check_wide(A.dtype)
        eps = float(np.finfo(A._data.dtype).eps) * max(A._data.shape[-2:])
        rtol = (
            (F["where"](atol > 0, 0.0, eps) if isinstance(atol, Tensor) else 0.0 if atol > 0 else eps) if given else eps
        )
    return 0.0 if atol is None else atol, rtol


def _limit(largest: Any, atol: float, rtol: float) -> Any:
    absolute, relative = (each._data if isinstance(each, Tensor) else each for each in (atol, rtol))
    return np.maximum(absolute, relative * largest)


@api("matrix_rank", where="linalg")
def matrix_rank(
    A: Tensor, tol: object = None, *, atol: Any = None, rtol: Any = None, hermitian: bool = False
) -> Tensor:
    """How many singular values are not negligible."""
    check_matrix(A, "torch.linalg.matrix_rank", "input")
    if tol is not None:
        atol, rtol = tol, 0.0
    atol, rtol = _tolerances(A, atol, rtol)
    plain = A.detach()
    s = LINALG["eigvalsh"](plain).abs() if hermitian else LINALG["svdvals"](plain)
    values = s._data
    if not values.shape[-1]:
        return wrap(np.zeros(values.shape[:-1], np.int64))
    limit = _limit(values.max(-1), atol, rtol)
    return wrap(np.asarray((values > np.asarray(limit)[..., None]).sum(-1), np.int64))


# --- the pseudo-inverse and least squares ---


def _pinv(a: Array, *, atol: float, rtol: float, hermitian: bool) -> Any:
    if not a.size:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    if hermitian:
        solver: Any = np.linalg.eigh
        s, u = solver(a, "L")
        vh, size = lapack.transposed(u), np.abs(s)
    else:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        size = s
    limit = np.asarray(_limit(size.max(-1), atol, rtol))[..., None]
    kept = np.where(size > limit, 1 / s, 0).astype(a.dtype)
    return np.matmul(lapack.transposed(vh) * kept[..., None, :], lapack.transposed(u))


def _pinv_grad(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    turned, inverse = h(grad), h(result)
    m, n = self.shape[-2:]
    if m <= n:
        k = turned @ result
        both = k @ inverse
        return -h(result @ k) + both - (self @ result) @ both + (inverse @ result) @ (turned - k @ self)
    k = result @ turned
    both = inverse @ k
    return -h(k @ result) + (turned - self @ k) @ result @ inverse + both - (both @ result) @ self


PINV = op(
    "linalg_pinv",
    "self",
    _pinv,
    symbol="A⁺",
    latex=r"A^{+}",
    brief="The pseudo-inverse.",
    self=sentence("−A⁺ᴴ grad A⁺ᴴ and two terms for what A maps to 0", _pinv_grad),
    **_ABOUT,
)


@api("pinv", where="linalg")
def pinv(
    A: Tensor, rcond: object = None, hermitian: bool = False, *, atol: object = None, rtol: object = None
) -> Tensor:
    """The pseudo-inverse, through the SVD."""
    if A._data.ndim < 2 or A.dtype.rank < 2 or A.dtype.itemsize < 4:
        raise RuntimeError(
            f"linalg.pinv({A.dtype.title}{{{list(A._data.shape)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    if rcond is not None:
        atol, rtol = 0.0, rcond
    if A._data.size:
        atol, rtol = _tolerances(A, atol, rtol)
    limits = [each._data if isinstance(each, Tensor) else each for each in (atol, rtol)]
    return call(PINV, A, atol=limits[0], rtol=limits[1], hermitian=hermitian)


api("pinverse")(lambda input, rcond=1e-15: pinv(input, rcond))


def _lstsq(a: Array, b: Array, *, rcond: float, driver: str, vector: bool) -> tuple[Array, ...]:
    right = b[..., None] if vector else b
    m, n = a.shape[-2:]
    batch = np.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    if not a.size:
        s = np.zeros((*a.shape[:-2], min(m, n)), a.real.dtype)
        x = np.zeros((*batch, n, right.shape[-1]), a.dtype)
    else:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        kept = np.where(s > rcond * s.max(-1, initial=0)[..., None], 1 / s, 0).astype(a.dtype)
        x = np.matmul(lapack.transposed(vh) * kept[..., None, :], np.matmul(lapack.transposed(u), right))
    rank = np.asarray((s > rcond * s.max(-1, initial=0)[..., None]).sum(-1), np.int64)
    residuals = np.zeros(0, a.real.dtype)
    if m > n and (driver == "gels" or (driver != "gelsy" and (rank == n).all())):
        residuals = (np.abs(np.matmul(a, x) - right) ** 2).sum(-2)
    x = lapack.in_rows(x, max(m, n))
    rank = np.zeros(0, np.int64) if driver == "gels" else rank
    values = s if driver in ("gelsd", "gelss") else np.zeros(0, a.real.dtype)
    return x[..., 0] if vector else x, residuals, rank, values


def _lstsq_grads(
    grads: Sequence[Tensor | None], self: Tensor, b: Tensor, solution: Tensor, vector: bool, needs: object
) -> list[Tensor]:
    grad, squares = grads[:2]
    if vector:
        b, solution = b.unsqueeze(-1), solution.unsqueeze(-1)
        grad = None if grad is None else grad.unsqueeze(-1)
    found: list[Any] = [None, None]
    if grad is not None:
        inverse = pinv(self)
        found = [_pinv_grad(grad @ h(b), self, inverse), h(inverse) @ grad]
    if squares is not None and squares._data.size:
        rest = 2 * squares.unsqueeze(-2) * (self @ solution - b)
        more = [rest @ h(solution), -rest]
        found = [y if x is None else x + y for x, y in zip(found, more, strict=True)]
    if vector and found[1] is not None:
        found[1] = found[1].squeeze(-1)
    return found


LSTSQ = op(
    "linalg_lstsq",
    "self, b",
    _lstsq,
    outputs="solution, residuals, rank, singular_values",
    symbol="A⁺b",
    latex=r"\arg\min_X \|A X - B\|",
    brief="The solution of a least squares problem.",
    joint=_lstsq_grads,
    **_ABOUT,
)


@api("lstsq", where="linalg")
def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None) -> Named:
    """The X that makes ‖A X − B‖ smallest."""
    _check_lstsq(A, B, driver)
    vector = B._data.ndim == 1 or (B._data.ndim == A._data.ndim - 1 and B._data.shape == A._data.shape[:-1])
    rows = B._data.shape[-1] if vector else B._data.shape[-2]
    if rows != A._data.shape[-2]:
        at = "-1" if vector else "-2"
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({at})")
    if rcond is None:
        check_wide(A.dtype)
        rcond = float(np.finfo(A._data.dtype).eps) * max(A._data.shape[-2:])
    found = call_all(LSTSQ, A, B, rcond=float(rcond), driver=driver or "gelsy", vector=vector)
    for each in found[3:]:
        each._requires_grad, each._node, each._output_nr = False, None, 0
    return named("linalg_lstsq", found)


def _check_lstsq(A: Tensor, B: Tensor, driver: str | None) -> None:
    if A._data.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if not B._data.ndim:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if A.dtype is not B.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{A.dtype.title} and other's dtype {B.dtype.title}"
        )
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")


# --- powers and the exponential ---


@api("matrix_power", where="torch method linalg")
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A matrix times itself, `n` times."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    check_square(A, "linalg.matrix_power", typed=False)
    if n == 0:
        made = A.clone()
        return made.copy_(F["eye"](A._data.shape[-1], dtype=A.dtype))
    if n == 1:
        return A.clone()
    if n < 0:
        A, n = LINALG["inv"](A), -n
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


def _expm(a: Array) -> Any:
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    return lapack.expm(a.astype(wide, copy=False)).astype(a.dtype, copy=False)


def _expm_grad(grad: Tensor, self: Tensor) -> Tensor:
    """The upper right part of the exponential of ((Aᴴ, grad), (0, Aᴴ))."""
    turned = h(self)
    n = self.shape[-1]
    top = F["cat"]([turned, grad], -1)
    bottom = F["cat"]([F["zeros_like"](grad), turned], -1)
    return LINALG["matrix_exp"](F["cat"]([top, bottom], -2))[..., :n, n:]


EXPM = op(
    "linalg_matrix_exp",
    "self",
    _expm,
    symbol="eᴬ",
    latex=r"e^{A}",
    brief="The exponential of a matrix.",
    self=sentence("the derivative of eᴬ at selfᵀ along grad", _expm_grad),
    **_ABOUT,
)


@api("matrix_exp", where="torch method linalg")
def matrix_exp(A: Tensor) -> Tensor:
    """The sum of Aᵏ / k! over all k."""
    check_square(A, "linalg.matrix_exp", typed=False)
    if A.dtype.rank < 2:
        check_type(A.dtype, "linalg.matrix_exp")
    return call(EXPM, A)


# --- products and tensors as matrices ---


@api("multi_dot", where="linalg")
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that costs least; the first and the last may be vectors."""
    if isinstance(tensors, Tensor):
        raise TypeError("linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    given = list(tensors)
    if len(given) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(given)}")
    for at, each in enumerate(given):
        inner = 0 < at < len(given) - 1
        if each._data.ndim != 2 and (inner or each._data.ndim != 1):
            wanted = "2D" if inner else "1D or 2D"
            raise RuntimeError(f"multi_dot(): tensor {at} must be {wanted} but got {each._data.ndim}D")
    shape = [*given[0]._data.shape[:-1], *(given[-1]._data.shape[1:])]
    if given[0]._data.ndim == 1:
        given[0] = given[0].unsqueeze(0)
    if given[-1]._data.ndim == 1:
        given[-1] = given[-1].unsqueeze(-1)
    for at, (x, y) in enumerate(itertools.pairwise(given)):
        if x._data.shape[1] != y._data.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {at} and {at + 1} with shapes {list(x._data.shape)} and {list(y._data.shape)} "
                "cannot be multiplied"
            )
    return _chained(given).view(shape)


def _chained(matrices: list[Tensor]) -> Tensor:
    """The product, split where the number of multiplications is smallest (the classic dynamic program)."""
    n = len(matrices)
    sizes = [m._data.shape[0] for m in matrices] + [matrices[-1]._data.shape[1]]
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            options = [(cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i][j], split[i][j] = min(options)
            if n == 3 and length == 3 and options[0][0] == options[1][0]:
                split[i][j] = j - 1 + (j - i - 2)
    return _product(matrices, split, 0, n - 1)


def _product(matrices: list[Tensor], split: list[list[int]], i: int, j: int) -> Tensor:
    if i == j:
        return matrices[i]
    k = split[i][j]
    return _product(matrices, split, i, k).mm(_product(matrices, split, k + 1, j))


@api("vecdot", where="linalg")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The inner products of vectors along a dimension; the first are conjugated."""
    if x.dtype.rank < 2:
        raise RuntimeError(f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {x.dtype.title}")
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x.dtype.title} and y of "
            f"type {y.dtype.title} instead"
        )
    if x._data.ndim == 1 and y._data.ndim == 1:
        return F["vdot"](x, y)
    return (conj(x) * y).sum(dim)


@api("vander", where="linalg")
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers 0 … N − 1 of each element, along a new last dimension."""
    if x.dtype is dtypes.bool_ or (x.dtype.rank == 2 and x.dtype.itemsize < 4):
        known = "floating point, complex, and integer tensors"
        raise RuntimeError(f"linalg.vander supports {known}, but got {x.dtype.title}")
    x = x if x._data.ndim else x.unsqueeze(0)
    n = x._data.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    x = x if x.dtype.rank >= 2 else x.to(dtypes.int64)
    powers = x.unsqueeze(-1).expand(*x._data.shape, n - 1).cumprod(-1)
    return F["cat"]([powers.new_ones((*x._data.shape, 1)), powers], -1)


@api("tensorinv", where="linalg")
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor taken as a matrix: its first `ind` dimensions are the rows."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = A._data.shape
    columns, rows = math.prod(shape[ind:]), math.prod(shape[:ind])
    if columns != rows:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    inverse, info = LINALG["inv_ex"](A.reshape(columns, columns))
    if info._data.any():
        raise RuntimeError("Failed to invert the input tensor, because it is singular.")
    return inverse.reshape((*shape[ind:], *shape[:ind]))


@api("tensorsolve", where="linalg")
def tensorsolve(A: Tensor, B: Tensor, dims: Collection[object] | None = None) -> Tensor:
    """The X with tensordot(A, X) = B."""
    if dims is not None:
        ends = list(range(A._data.ndim - len(dims), A._data.ndim))
        A = A.movedim(tuple(dims), tuple(ends))
    shape = A._data.shape[B._data.ndim :]
    columns, rows = math.prod(shape), math.prod(A._data.shape[: B._data.ndim])
    if columns != rows:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {columns} != {rows}"
        )
    return LINALG["solve"](A.reshape(columns, columns), B.flatten()).reshape(shape)
