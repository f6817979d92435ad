"""Factorisations of matrices that `numpy.linalg` does not offer, on arrays of matrices (…, n, m): LU with pivoting,
LDLᵀ, substitution, Householder reflections, the matrix exponential. Each works on all matrices of an array at once,
column by column. The operations and their gradients are in `ops/`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.kernel.memory import strided

Array = Any  # an ndarray of floating point or complex numbers


def by_columns(x: Array) -> Array:
    """The same numbers with each matrix in column-major order, as LAPACK leaves its results."""
    return in_rows(x, x.shape[-2])


def in_rows(x: Array, rows: int) -> Array:
    """Like `by_columns`, with each matrix at the top of memory for so many rows."""
    turned = x.swapaxes(-1, -2)
    shape = (*turned.shape[:-1], rows)
    if not x.size:  # NumPy forgets the strides of an empty array
        steps = [math.prod(max(n, 1) for n in shape[i + 1 :]) * x.itemsize for i in range(x.ndim)]
        return strided(np.empty(0, np.uint8), x.dtype, turned.shape, steps, 0).swapaxes(-1, -2)
    out = np.zeros(shape, x.dtype)[..., : turned.shape[-1]]  # not ascontiguousarray: sizes of 1 have strides too
    out[...] = turned
    return out.swapaxes(-1, -2)


def transposed(x: Array) -> Array:
    """The conjugate transpose of each matrix."""
    return np.conj(x.swapaxes(-1, -2))


def eye_like(x: Array) -> Array:
    """Identity matrices of the shape of x."""
    return np.broadcast_to(np.eye(x.shape[-2], x.shape[-1], dtype=x.dtype), x.shape).copy()


def _size(x: Array) -> Array:
    """The magnitude that LAPACK compares when it looks for a pivot."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _flat(a: Array) -> Array:
    """The matrices along a single batch dimension."""
    return a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:])


# --- LU ---

_PANEL = 48  # columns that are factored one by one before the rest of the matrix is updated


def lu(a: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    """Both factors in one array, the pivots counted from 1, and the position of the first zero on the diagonal (0:
    none)."""
    out = np.array(_flat(a))
    k_all = min(out.shape[1:])
    pivots = np.empty((len(out), k_all), np.int32)
    info = np.zeros(len(out), np.int32)
    for start in range(0, k_all, _PANEL):
        end = min(start + _PANEL, k_all)
        info = _lu_panel(out, pivots, info, (start, end), pivot)
        if end < out.shape[2]:
            top = out[:, start:end, end:]
            top[...] = substitute(out[:, start:end, start:end], top, upper=False, unit=True)
            out[:, end:, end:] -= np.matmul(out[:, end:, start:end], top)
    shape = a.shape[:-2]
    return out.reshape(a.shape), pivots.reshape(*shape, k_all), info.reshape(shape)


def _lu_panel(out: Array, pivots: Array, info: Array, columns: tuple[int, int], pivot: bool) -> Array:
    """Factor some columns, exchanging whole rows; returns `info` with the zeros that were found."""
    rows = np.arange(len(out))
    end = columns[1]
    for k in range(*columns):
        at = k + np.argmax(_size(out[:, k:, k]), axis=1) if pivot else np.full(len(out), k)
        pivots[:, k] = at + 1
        if pivot:
            swapped = out[rows, at]
            out[rows, at] = out[rows, k]
            out[rows, k] = swapped
        head = out[:, k, k]
        zero = head == 0
        info = np.where((info == 0) & zero, np.int32(k + 1), info)
        factor = out[:, k + 1 :, k] / np.where(zero, 1, head)[:, None].astype(out.dtype)
        out[:, k + 1 :, k] = factor
        out[:, k + 1 :, k + 1 : end] -= factor[:, :, None] * out[:, None, k, k + 1 : end]
    return info


def permutation(pivots: Array, m: int) -> Array:
    """The order of the rows after the exchanges of `pivots`, starting from 0 … m − 1."""
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1])
    order = np.broadcast_to(np.arange(m), (len(flat), m)).copy()
    rows = np.arange(len(flat))
    for k in range(flat.shape[1]):
        at = flat[:, k] - 1
        other = order[rows, at].copy()
        order[rows, at] = order[:, k]
        order[:, k] = other
    return order.reshape(*pivots.shape[:-1], m)


def permutation_matrix(pivots: Array, m: int, dtype: object) -> Array:
    """P with A = P L U."""
    order = permutation(pivots, m)
    return (np.arange(m)[:, None] == order[..., None, :]).astype(dtype)


def lower_part(x: Array) -> Array:
    """L from the packed factors: ones on its diagonal."""
    k = min(x.shape[-2:])
    part = np.tril(x[..., :k], -1)
    return part + np.eye(x.shape[-2], k, dtype=x.dtype)


def upper_part(x: Array) -> Array:
    """U from the packed factors."""
    return np.triu(x[..., : min(x.shape[-2:]), :])


def solve_lu(factors: Array, pivots: Array, b: Array, *, left: bool, adjoint: bool) -> Array:
    """X with A X = B, or X A = B, or the same with Aᴴ, from the factors of A."""
    if not left:
        return transposed(solve_lu(factors, pivots, transposed(b), left=True, adjoint=not adjoint))
    n = factors.shape[-1]
    order = permutation(pivots, n)
    batch = np.broadcast_shapes(order.shape[:-1], b.shape[:-2])
    order = np.broadcast_to(order, (*batch, n))
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    lower, upper = lower_part(factors), upper_part(factors)
    if not adjoint:
        y = substitute(lower, np.take_along_axis(b, order[..., None], -2), upper=False, unit=True)
        return substitute(upper, y, upper=True, scaled=True)
    y = substitute(transposed(upper), b, upper=False)
    z = substitute(transposed(lower), y, upper=True, unit=True)
    return np.take_along_axis(z, np.argsort(order, -1)[..., None], -2)


def substitute(a: Array, b: Array, *, upper: bool, unit: bool = False, scaled: bool = False) -> Array:
    """X with A X = B for a triangular A, row by row; a zero on the diagonal gives infinities. `scaled` rows are
    multiplied by the reciprocal of the diagonal, as PyTorch's BLAS does after an LU decomposition."""
    n = a.shape[-1]
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    x = np.zeros(shape, np.result_type(a, b))
    for i in reversed(range(n)) if upper else range(n):
        known = slice(i + 1, n) if upper else slice(0, i)
        rest = b[..., i, :] - np.matmul(a[..., None, i, known], x[..., known, :])[..., 0, :]
        if not unit:
            rest = rest * (1 / a[..., i, i, None]) if scaled else rest / a[..., i, i, None]
        x[..., i, :] = rest
    return x


# --- LDL ---


def ldl(a: Array, hermitian: bool) -> tuple[Array, Array, Array]:
    """The factors of symmetric (or Hermitian) matrices by Bunch & Kaufman's diagonal pivoting: both in one lower
    triangle, the pivots as LAPACK counts them (negative for a block of two), and where a block is zero."""
    flat = _flat(a)
    n = a.shape[-1]
    parts = [_ldl_of_one(np.array(np.tril(one)), hermitian) for one in flat]
    shape = a.shape[:-2]
    factors = np.array([part[0] for part in parts], a.dtype).reshape(a.shape)
    pivots = np.array([part[1] for part in parts], np.int32).reshape(*shape, n)
    return factors, pivots, np.array([part[2] for part in parts], np.int32).reshape(shape)


_ALPHA = (1 + math.sqrt(17)) / 8


def _ldl_of_one(a: Array, hermitian: bool) -> tuple[Array, Array, int]:
    n = len(a)
    pivots, info, k = np.zeros(n, np.int32), 0, 0
    while k < n:
        size, at = _pivot(a, k, hermitian)
        if size == 0:
            info = info or k + 1
            pivots[k] = k + 1
            k += 1
            continue
        last = k + size - 1
        if at != last:
            _exchange(a, last, at, size, hermitian)
        _eliminate(a, k, size, hermitian)
        pivots[k : k + size] = at + 1 if size == 1 else -(at + 1)
        k += size
    return a, pivots, info


def _pivot(a: Array, k: int, hermitian: bool) -> tuple[int, int]:
    """The size of the next block (0 for a column of zeros), and the row that is exchanged with its last one."""
    head = _size(a[k, k].real if hermitian else a[k, k])
    column = _size(a[k + 1 :, k])
    largest = column.max(initial=0.0)
    if max(head, largest) == 0:
        return 0, k
    if head >= _ALPHA * largest:
        return 1, k
    r = k + 1 + int(column.argmax())
    across = max(_size(a[r, k:r]).max(initial=0.0), _size(a[r + 1 :, r]).max(initial=0.0))
    if head * across >= _ALPHA * largest**2:
        return 1, k
    return (1, r) if _size(a[r, r].real if hermitian else a[r, r]) >= _ALPHA * across else (2, r)


def _exchange(a: Array, i: int, j: int, size: int, hermitian: bool) -> None:
    """Exchange rows and columns i < j of the symmetric matrix in the lower triangle."""
    turned = np.conj if hermitian else np.asarray
    a[j + 1 :, [i, j]] = a[j + 1 :, [j, i]]
    between = a[i + 1 : j, i].copy()
    a[i + 1 : j, i] = turned(a[j, i + 1 : j])
    a[j, i + 1 : j] = turned(between)
    a[j, i] = turned(a[j, i])
    a[i, i], a[j, j] = a[j, j], a[i, i]
    if size == 2:
        a[i, i - 1], a[j, i - 1] = a[j, i - 1], a[i, i - 1]


def _eliminate(a: Array, k: int, size: int, hermitian: bool) -> None:
    turned = np.conj if hermitian else np.asarray
    after = slice(k + size, None)
    block = a[k : k + size, k : k + size].copy()
    if size == 2:
        block[0, 1] = turned(block[1, 0])
    if hermitian:
        block[np.diag_indices(size)] = block.diagonal().real
    column = a[after, k : k + size].copy()
    factor = column @ np.linalg.inv(block)
    a[after, after] -= np.tril(factor @ turned(column).T)
    a[after, k : k + size] = factor


def solve_ldl(factors: Array, pivots: Array, b: Array, hermitian: bool) -> Array:
    """X with A X = B from the factors of A."""
    batch = np.broadcast_shapes(factors.shape[:-2], b.shape[:-2])
    n = factors.shape[-1]
    every = (
        _flat(np.broadcast_to(factors, (*batch, n, n))),
        _flat(np.broadcast_to(pivots[..., None], (*batch, n, 1)))[..., 0],
        _flat(np.broadcast_to(b, (*batch, *b.shape[-2:]))),
    )
    found = [_solve_ldl_of_one(*each, hermitian) for each in zip(*every, strict=True)]
    return np.array(found, b.dtype).reshape(*batch, *b.shape[-2:])


def _solve_ldl_of_one(a: Array, pivots: Array, b: Array, hermitian: bool) -> Array:
    turned = np.conj if hermitian else np.asarray
    x, n, k = np.array(b), len(a), 0
    order: list[tuple[int, int, int]] = []
    while k < n:
        size = 1 if pivots[k] > 0 else 2
        last, at = k + size - 1, abs(int(pivots[k])) - 1
        order.append((k, size, at))
        x[[last, at]] = x[[at, last]]
        x[k + size :] -= a[k + size :, k : k + size] @ x[k : k + size]
        block = np.array(a[k : k + size, k : k + size])
        if size == 2:
            block[0, 1] = turned(block[1, 0])
        x[k : k + size] = np.linalg.solve(block, x[k : k + size])
        k += size
    for k, size, at in reversed(order):
        x[k : k + size] -= turned(a[k + size :, k : k + size]).T @ x[k + size :]
        last = k + size - 1
        x[[last, at]] = x[[at, last]]
    return x


# --- Cholesky ---


def cholesky(a: Array) -> tuple[Array, Array]:
    """The lower factors, and the order of the first leading minor that is not positive (0: none)."""
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        return np.linalg.cholesky(a), info
    except np.linalg.LinAlgError:
        out = np.tril(a)
        for k in range(a.shape[-1]):
            head = out[..., k, k].real - (np.abs(out[..., k, :k]) ** 2).sum(-1)
            info = np.where((info == 0) & ~(head > 0), np.int32(k + 1), info)
            going = info == 0
            root = np.sqrt(np.where(going, head, 1))
            inner = np.matmul(out[..., k + 1 :, :k], np.conj(out[..., k, :k, None]))[..., 0]
            column = (out[..., k + 1 :, k] - inner) / root[..., None]
            out[..., k, k] = np.where(going, root, out[..., k, k])
            out[..., k + 1 :, k] = np.where(going[..., None], column, out[..., k + 1 :, k])
        return out, info


# --- Householder reflections ---


def reflections(a: Array) -> tuple[Array, Array]:
    """QR as LAPACK leaves it: R in the upper triangle, the vectors below the diagonal, and their factors."""
    packed, tau = np.linalg.qr(a, "raw")
    return packed.swapaxes(-1, -2), tau


def reflected(vectors: Array, tau: Array, x: Array, *, adjoint: bool) -> Array:
    """Q x or Qᴴ x for the product Q of the reflections."""
    count = tau.shape[-1]
    m = vectors.shape[-2]
    unit = np.tril(vectors, -1)[..., :count] + np.eye(m, count, dtype=vectors.dtype)
    x = np.broadcast_to(x, (*np.broadcast_shapes(unit.shape[:-2], x.shape[:-2]), *x.shape[-2:])).copy()
    for k in range(count) if adjoint else reversed(range(count)):
        v = unit[..., k]
        factor = np.conj(tau[..., k]) if adjoint else tau[..., k]
        along = np.matmul(np.conj(v)[..., None, :], x)
        x -= factor[..., None, None] * v[..., None] * along
    return x


# --- singular values ---


def svd(a: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    """U, S, Vᴴ. The signs of the vectors depend on the way to them, and PyTorch's library turns to a QR factorisation
    first for other shapes than NumPy's does: from 3/2 as many rows as columns, and never for more columns than rows."""
    m, n = a.shape[-2:]
    if a.size and a.dtype.kind == "f":
        if 1 < m < n and n >= m * 11 // 6:
            return _svd_without_lq(a, full_matrices)
        if n * 3 // 2 <= m < n * 11 // 6:
            q, r = np.linalg.qr(a, "complete" if full_matrices else "reduced")
            u, s, vh = np.linalg.svd(r[..., :n, :])
            return np.concatenate([np.matmul(q[..., :n], u), q[..., n:]], -1), s, vh
    return np.linalg.svd(a, full_matrices)


def _svd_without_lq(a: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    """With rows and a column of zeros below and beside it a matrix is not factored first, and its vectors stay."""
    m, n = a.shape[-2:]
    rows = m
    while max(n, rows + 1) >= rows * 11 // 6:
        rows += 1
    columns = max(n, rows + 1)
    padding = [(0, 0)] * (a.ndim - 2) + [(0, rows - m), (0, columns - n)]
    u, s, vh = np.linalg.svd(np.pad(a, padding), full_matrices)
    if (s[..., m - 1] <= s[..., 0] * 1e-6).any() or (full_matrices and columns > n):
        return np.linalg.svd(a, full_matrices)  # the zeros are not only those that were added
    return u[..., :m, :m], s[..., :m], vh[..., : n if full_matrices else m, :n]


# --- the exponential ---


def expm(a: Array) -> Array:
    """eᴬ: Taylor's series of degree 18 for A over a power of two, then squared as often."""
    if not a.size:
        return a.copy()
    size = np.abs(a).sum(-2).max(-1)
    squarings = np.maximum(0, np.ceil(np.log2(np.maximum(size, 1e-300)))).astype(int)
    squarings = np.where(np.isfinite(size), squarings, 0)
    x = a * (0.5**squarings)[..., None, None].astype(a.real.dtype)
    total, term = eye_like(a) + x, x
    for k in range(2, 19):
        term = np.matmul(term, x) / a.dtype.type(k)
        total = total + term
    for step in range(int(squarings.max(initial=0))):
        total = np.where((squarings > step)[..., None, None], np.matmul(total, total), total)
    return total
