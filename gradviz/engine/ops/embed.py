"""Look-up tables: embedding and embedding_bag."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import dtypes, overflow
from gradviz.engine.api import api
from gradviz.engine.apply import call
from gradviz.engine.formula import sentence
from gradviz.engine.inplace import put
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor, wrap

# --- embedding ---


def _add_rows(g: Any, indices: Any, *, num_weights: int, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    """The gradient of each row of the table: the sum of the gradients of its uses."""
    flat = indices.reshape(-1)
    rows = g.reshape(flat.size, -1)
    if scale_grad_by_freq:
        rows = rows / overflow.bincount(flat, minlength=num_weights)[flat][:, None].astype(g.dtype)
    out = np.zeros((num_weights, rows.shape[1]), g.dtype)
    kept = flat != padding_idx
    np.add.at(out, flat[kept], rows[kept])
    return out


def _rows_again(grad: Any, indices: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    found = call(EMBEDDING, grad, indices, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq, sparse=False)
    unused = wrap(np.asarray(indices._data == padding_idx)).unsqueeze(-1)
    return found.masked_fill(unused, 0) if unused._data.any() else found


EMBEDDING_BACKWARD = op(
    "embedding_dense_backward",
    "grad_output, indices",
    _add_rows,
    category="layers",
    symbol="embed′",
    latex=r"\sum_i e_i g",
    brief="Gradients added up in the rows that they belong to.",
    grad_output=sentence("the rows of grad that were looked up", _rows_again),
)
EMBEDDING = op(
    "embedding",
    "weight, indices",
    lambda w, i, *, padding_idx, scale_grad_by_freq, sparse: w[i],
    category="layers",
    symbol="embed",
    latex=r"w_i",
    brief="Rows of a table.",
    weight=sentence(
        "grad added up at the rows that were used",
        lambda grad, indices, weight_shape, padding_idx, scale_grad_by_freq: call(
            EMBEDDING_BACKWARD,
            grad,
            indices,
            num_weights=weight_shape[0],
            padding_idx=padding_idx,
            scale_grad_by_freq=scale_grad_by_freq,
        ),
    ),
)


def check_indices(indices: Tensor, weight: Tensor, name: str) -> None:
    if weight._data.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got torch.{indices.dtype.title}Tensor instead (while checking arguments for {name})"
        )
    i = indices._data
    if i.size and (i.min() < 0 or i.max() >= weight._data.shape[0]):
        raise IndexError("index out of range in self")


def _padding_index(padding_idx: int | None, count: int) -> int:
    if padding_idx is None:
        return -1
    assert -count <= padding_idx < count, "Padding_idx must be within num_embeddings"
    return padding_idx % count


def renormalise(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows in use, in place, so that none has a norm above `max_norm`."""
    used = np.unique(indices._data)
    rows = weight._data[used]
    norms = np.linalg.norm(rows.astype(np.float64), norm_type, axis=1)
    scale = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    changed = weight._data.copy()
    changed[used] = (rows * scale[:, None]).astype(rows.dtype)
    put(weight, changed)


def no_sparse(sparse: bool) -> None:
    if sparse:
        raise NotImplementedError(
            "sparse gradients are not available in GradViz: leave out sparse=True, the numbers are the same"
        )


@api("embedding", where="F")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at the indices `input`; the row `padding_idx` gets no gradient."""
    no_sparse(sparse)
    padding = _padding_index(padding_idx, weight._data.shape[0])
    check_indices(input, weight, "embedding")
    if max_norm is not None:
        renormalise(weight, input, max_norm, norm_type)
    return call(EMBEDDING, weight, input, padding_idx=padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


@api("embedding", where="torch")
def torch_embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """As `F.embedding`, with the table first."""
    return embedding(indices, weight, None if padding_idx < 0 else padding_idx, None, 2.0, scale_grad_by_freq, sparse)
