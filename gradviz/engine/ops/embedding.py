"""Look-up tables: embedding, and embedding_bag: sums, means and maxima of rows of a table, without materialising the
rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Coordinates, Tensor, wrap
from gradviz.engine.numerics import overflow
from gradviz.engine.ops.neural import need_constants, not_differentiable
from gradviz.engine.ops.sparse import Rules
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.inplace import put

# --- embedding ---


def _add_rows(g: Array, indices: Array, *, num_weights: int, padding_idx: int, scale_grad_by_freq: bool) -> Array:
    """The gradient of each row of the table: the sum of the gradients of its uses."""
    flat = indices.reshape(-1)
    rows = g.reshape(flat.size, -1)
    if scale_grad_by_freq:
        rows = rows / overflow.bincount(flat, minlength=num_weights)[flat][:, None].astype(g.dtype)
    out = np.zeros((num_weights, rows.shape[1]), g.dtype)
    kept = flat != padding_idx
    np.add.at(out, flat[kept], rows[kept])
    return out


def _rows_again(grad: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
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


def _rows_gradient(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Tensor:
    found = call(
        EMBEDDING_BACKWARD,
        grad,
        indices,
        num_weights=num_weights,
        padding_idx=padding_idx,
        scale_grad_by_freq=scale_grad_by_freq,
    )
    if not sparse:
        return found
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    flat = indices._data.reshape(-1)
    kept = flat != padding_idx
    rows = grad._data.reshape(flat.size, -1)[kept]
    found._coo = Coordinates(flat[kept][None].astype(np.int64), np.ascontiguousarray(rows))
    return found


EMBEDDING = op(
    "embedding",
    "weight, indices",
    lambda w, i, *, padding_idx, scale_grad_by_freq, sparse: w[i],
    category="layers",
    symbol="embed",
    latex=r"w_i",
    brief="Rows of a table.",
    weight=sentence(
        "each row of grad added to the row that was looked up, 0 elsewhere",
        lambda grad, indices, weight_shape, padding_idx, scale_grad_by_freq, sparse: _rows_gradient(
            grad, indices, weight_shape[0], padding_idx, scale_grad_by_freq, sparse
        ),
    ),
)


def check_indices(indices: Tensor, weight: Tensor, name: str) -> None:
    if weight._data.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    _check_integers(indices, 1, name)
    i = indices._data
    if i.size and not weight._data.shape[0]:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if i.size and (i.min() < 0 or i.max() >= weight._data.shape[0]):
        raise IndexError("index out of range in self")


def _check_integers(indices: Tensor, position: int, name: str) -> None:
    if indices.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            f"Expected tensor for argument #{position} 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {indices.dtype.cpu_type} instead (while checking arguments for {name})"
        )


def _padding_index(padding_idx: int | None, count: int) -> int:
    if padding_idx is None:
        return -1
    assert -count <= padding_idx < count, "Padding_idx must be within num_embeddings"
    return padding_idx % count


def renormalise(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows in use, in place, so that none has a norm above `max_norm`."""
    if weight._data.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {weight._data.ndim}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for embedding_renorm_)"
        )
    _check_integers(indices, 2, "embedding_renorm_")
    used, length = np.unique(indices._data), weight._data.shape[0]
    outside = used[(used < -length) | (used >= length)]
    if len(outside):
        raise IndexError(
            f"select(): index {outside[0]} out of range for tensor of size {list(weight._data.shape)} at dimension 0"
        )
    rows = weight._data[used]
    norms = np.linalg.norm(rows.astype(np.float64), norm_type, axis=1)
    scale = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    changed = weight._data.copy()
    changed[used] = (rows * scale[:, None]).astype(rows.dtype)
    put(weight, changed)


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
    if not isinstance(input, Tensor):
        raise TypeError(f"embedding(): argument 'indices' (position 2) must be Tensor, not {type(input).__name__}")
    padding = _padding_index(padding_idx, weight._data.shape[0])
    if max_norm is not None:
        renormalise(weight, input, max_norm, norm_type)
    return torch_embedding(weight, input, padding, scale_grad_by_freq, sparse)


@api("embedding", where="torch")
def torch_embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """As `F.embedding`, with the table first; `padding_idx` is not looked at."""
    if sparse:
        state.sparse = Rules
    check_indices(indices, weight, "embedding")
    options = {"padding_idx": padding_idx, "scale_grad_by_freq": scale_grad_by_freq, "sparse": sparse}
    return call(EMBEDDING, weight, indices, **options)


# --- sums, means and maxima of rows ---


F = FUNCTIONS
MODES = ("sum", "mean", "max")


def _bags(
    w: Array, indices: Array, offsets: Array, weights: Array | None, *, mode: int, padding_idx: int, **_: object
) -> tuple[Array, ...]:
    """The result, the bag of each index, how many count in each bag, and for `max` which row gave each value."""
    bag = np.searchsorted(offsets, np.arange(len(indices)), side="right").astype(np.int64) - 1
    kept = indices != padding_idx
    sizes = overflow.bincount(bag[kept], minlength=len(offsets)).astype(np.int64)
    rows = w[indices[kept]]
    out = np.zeros((len(offsets), w.shape[1]), w.dtype)
    best = np.zeros(out.shape, np.int64)
    if MODES[mode] == "max":
        for i in np.flatnonzero(sizes):
            own = indices[kept & (bag == i)]
            best[i] = own[np.argmax(w[own], axis=0)]
            out[i] = np.take_along_axis(w, best[i][None], 0)[0]
        return out, bag, sizes, best
    np.add.at(out, bag[kept], rows if weights is None else rows * weights[kept][:, None])
    if MODES[mode] == "mean":
        out = out / np.maximum(sizes, 1)[:, None].astype(w.dtype)
    return out, bag, sizes, best[:, 0]


def _table_gradient(
    grads: Any,
    weight_shape: tuple[int, ...],
    indices: Tensor,
    offsets: Tensor,
    per_sample_weights: Tensor | None,
    result1: Tensor,
    result2: Tensor,
    result3: Tensor,
    mode: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Any:
    grad = grads[0]
    if MODES[mode] == "max":
        filled = wrap((result2._data > 0).astype(grad._data.dtype)).unsqueeze(1)
        return grad.new_zeros(weight_shape).scatter_add(0, result3, grad * filled)
    source = grad.index_select(0, result1)
    if MODES[mode] == "mean":
        counts = np.maximum(result2._data[result1._data], 1).astype(grad._data.dtype)
        source = source / wrap(counts).unsqueeze(1)
    elif per_sample_weights is not None:
        source = source * per_sample_weights.unsqueeze(1)
    return _rows_gradient(source, indices, weight_shape[0], padding_idx, scale_grad_by_freq, sparse)


def _products(g: Array, w: Array, indices: Array, bag: Array, *, padding_idx: int) -> Any:
    return np.where(indices == padding_idx, g.dtype.type(0), (g[bag] * w[indices]).sum(1))


BAG_WEIGHTS_BACKWARD = op(
    "_embedding_bag_per_sample_weights_backward",
    "grad, weight, indices, offset2bag",
    _products,
    node="NotImplemented",
    category="layers",
    symbol="bag′",
    latex=r"g \cdot w_i",
    brief="The gradient of the weights of the rows in a bag.",
    fixed="indices, offset2bag",
    joint=not_differentiable("_embedding_bag_per_sample_weights_backward"),
)


def _weights_gradient(
    grads: Sequence[Tensor | None], weight: Tensor, indices: Tensor, offsets: Tensor, result1: Tensor, padding_idx: int
) -> Tensor:
    return call(BAG_WEIGHTS_BACKWARD, grads[0], weight, indices, result1, padding_idx=padding_idx)


EMBEDDING_BAG = op(
    "_embedding_bag",
    "weight, indices, offsets, per_sample_weights",
    _bags,
    node="EmbeddingBagBackward0",
    outputs="result0, result1, result2, result3",
    hidden=3,
    category="layers",
    symbol="bag",
    latex=r"\sum_{i \in B} w_i",
    brief="Sums, means or maxima of rows of a table.",
    weight=sentence("grad of each bag added to each of its rows, 0 elsewhere", _table_gradient),
    per_sample_weights=sentence("grad of the bag · the row", _weights_gradient),
)


def _check_form(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    per_sample: Tensor | None,
    mode: str,
    scaled: bool,
    sparse: bool,
) -> None:
    if per_sample is not None and input.size() != per_sample.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample.shape}) is not None, then it must have the same "
            f"shape as "
            f"the input ({input.shape})"
        )
    if weight._data.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight._data.ndim}")
    ndim = input._data.ndim
    if ndim == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            f"sequences. However, found offsets of type {type(offsets)}"
        )
    if ndim == 1 and offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if ndim == 1 and offsets is not None and offsets._data.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}")
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scaled:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")


def _in_order(input: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Indices and table in this order; older callers pass them the other way round."""
    if weight.dtype is not dtypes.int64 or not input.dtype.is_floating_point:
        return input, weight
    warnings.warn(
        "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
        "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
        stacklevel=3,
    )
    return weight, input


def _check_bags(input: Tensor, weight: Tensor, offsets: Tensor, mode: str) -> None:
    """Refuse bags that are outside the input, and indices of missing rows."""
    indices, starts, rows = input._data, offsets._data, weight._data.shape[0]
    if starts.size and starts[0]:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}\n[ torch.{offsets.dtype.title}Tensor{{}} ]"
        )
    if starts.size and starts[-1] > indices.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {indices.size} but got offsets[-1] of {starts[-1]}"
        )
    outside = np.flatnonzero((indices < 0) | (indices >= rows))
    if outside.size and mode == "max":
        raise RuntimeError(
            "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be " + str(indices[outside[0]])
        )
    if outside.size:
        raise RuntimeError(
            f"Index {outside[0]} of input takes value {indices[outside[0]]} which is not in the valid range [0, {rows})"
        )


@api("embedding_bag", where="F")
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of rows of `weight`: of each row of a 2-D input, or of the runs that begin at `offsets`."""
    input, weight = _in_order(input, weight)
    _check_form(input, weight, offsets, per_sample_weights, mode, scale_grad_by_freq, sparse)
    if sparse:
        state.sparse = Rules
    if offsets is None:
        offsets = F["arange"](0, input._data.size, input._data.shape[1])
        include_last_offset = False
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if max_norm is not None:
        renormalise(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    _check_integers(input, 1, "embedding_bag")
    need_constants("_embedding_bag", indices=input, offsets=offsets)
    if input.dtype.rank == 1:
        _check_bags(input, weight, offsets, mode)
    check_indices(input, weight, "embedding_bag")
    starts = offsets[:-1] if include_last_offset else offsets
    padding = -1 if padding_idx is None else padding_idx % weight._data.shape[0]
    return call_all(
        EMBEDDING_BAG,
        weight,
        input,
        starts,
        per_sample_weights,
        scale_grad_by_freq=scale_grad_by_freq,
        mode=MODES.index(mode),
        sparse=sparse,
        padding_idx=padding,
    )[0]
