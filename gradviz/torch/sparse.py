"""`torch.sparse`: functions of sparse tensors. The tensors themselves: `gradviz.engine.ops.sparse`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.rows import OpRow
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops import sparse as _sparse
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import in_torch_words
from gradviz.engine.run.apply import call

_OLD = (
    "torch.sparse.SparseTensor(indices, values, shape, *, device=) is deprecated.  Please use "
    "torch.sparse_coo_tensor(indices, values, shape, dtype=, device=). (Triggered internally at "
    "/__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:653.)"
)
F = TypeVar("F", bound=Callable[..., Tensor])
__all__ = ["FloatTensor", "addmm", "log_softmax", "mm", "softmax", "spdiags", "sum"]


def _checked(fn: F) -> F:
    """Refuse wrong arguments in PyTorch's words."""
    return in_torch_words(fn, f"sparse.{fn.__name__}")


@_checked
def mm(sparse: Tensor, dense: Tensor, /) -> Tensor:
    """The product of a sparse matrix and another matrix."""
    if sparse._coo is not None and dense._coo is not None:
        return call(_sparse.SPARSE_MATMUL, sparse, dense)
    (*_, rows, _), (*_, columns) = sparse.shape, dense.shape
    zeros = wrap(np.zeros((rows, columns), dense._data.dtype)).expand(sparse.size(0), dense.size(1))
    return _addmm(zeros, sparse, dense, 0, 1)


@_checked
def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta · mat + alpha · (mat1 @ mat2) for a sparse mat1."""
    plain = [each.item() if isinstance(each, Tensor) else each for each in (beta, alpha)]
    return _addmm(mat, mat1, mat2, *plain)


def _addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, beta: float, alpha: float) -> Tensor:
    if mat1._coo is None:
        return _sparse.of_dense("addmm", mat, mat1, mat2, beta=beta, alpha=alpha)
    _sparse.check_product(mat1, mat2)
    return call(_sparse.SPARSE_ADDMM, mat, mat1, mat2, places=_sparse.places_of(mat1), beta=beta, alpha=alpha)


def sum(input: Tensor, dim: int | Sequence[int] | None = None, dtype: DType | None = None) -> Tensor:
    """The sum of all elements, or sums along dimensions as a sparse tensor."""
    input = input if dtype is None else input.to(dtype)
    if dim is None:
        return input.coalesce().values().sum()
    dims = tuple(wrap_dim(each, input._data.ndim) for each in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    return call(_sparse.SPARSE_SUM, input, dim=dims, places=_sparse.places_of(input))


def _normalised(row: OpRow, input: Tensor, dim: int, dtype: DType | None) -> Tensor:
    input = input if dtype is None else input.to(dtype)
    known = input if input._coo is None else input.coalesce()
    return call(row, input, places=_sparse.places_of(known, row.name), dim=wrap_dim(dim, input._data.ndim))


@_checked
def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The softmax of the specified elements."""
    return _normalised(_sparse.SPARSE_SOFTMAX, input, dim, dtype)


@_checked
def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of the softmax of the specified elements."""
    return _normalised(_sparse.SPARSE_LOG_SOFTMAX, input, dim, dtype)


@_checked
def spdiags(diagonals: Tensor, offsets: Tensor, shape: tuple[int, int], layout: object = None) -> Tensor:
    """A sparse matrix from its diagonals."""
    rows, columns, kept = [], [], []
    for line, offset in zip(np.atleast_2d(diagonals._data), np.atleast_1d(offsets._data).tolist(), strict=True):
        at = np.arange(max(offset, 0), min(shape[1], shape[0] + offset, len(line)))
        rows.append(at - offset)
        columns.append(at)
        kept.append(line[at])
    indices = np.stack([np.concatenate(rows), np.concatenate(columns)])
    found = _sparse.sparse_coo_tensor(wrap(indices), wrap(np.concatenate(kept)), shape)
    return found.to_sparse_csr() if layout is not None and "csr" in str(layout) else found


def FloatTensor(indices: Tensor, values: Tensor, size: Sequence[int] | None = None) -> Tensor:
    """The old name of `torch.sparse_coo_tensor` for single precision."""
    warn_once("sparse types", _OLD)
    return _sparse.sparse_coo_tensor(indices, values, size, check_invariants=True)
