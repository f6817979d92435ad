"""Picking and scattering along one dimension by an index tensor: gather, scatter, index_select, index_add and their
relatives, and the checks of their index tensors, each error in PyTorch's words."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.memory import laid_as, strided
from gradviz.engine.kernel.messages import check_value
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.rounding import widened
from gradviz.engine.ops.arithmetic import times_alpha
from gradviz.engine.ops.elementwise import Prepared, check_broadcast, operand, register
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.ops.shape import expanded_shape
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import NO_PARAMS, call
from gradviz.engine.run.inplace import AS_IT_GOES

# --- checks of index tensors ---


def check_index(index: Tensor, name: str) -> None:
    """Check that the index is a tensor of integers."""
    if not isinstance(index, Tensor):
        raise TypeError(f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}")
    if index._data.size and index.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def check_range(index: Tensor, input: Tensor, dim: int) -> None:
    """Check that each index is in range along `dim`."""
    n = input._data.shape[dim] if input._data.ndim else 1
    data = index._data
    bad = data[(data < 0) | (data >= n)]
    if bad.size:
        raise RuntimeError(f"index {int(bad.flat[0])} is out of bounds for dimension {dim} with size {n}")


def check_gather(input: Tensor, index: Tensor, dim: int) -> None:
    """Check that the index has the dimensions of the input and is nowhere larger, except along `dim`."""
    if not index._data.size:
        return
    if max(index._data.ndim, 1) != max(input._data.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, (n, m) in enumerate(zip(index._data.shape, input._data.shape, strict=False)):
        if d != dim and n > m:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._data.shape)} to be no "
                f"larger than self {list(input._data.shape)} apart from dimension {dim}"
            )


def check_scatter(input: Tensor, index: Tensor, source: object, dim: int) -> None:
    """Check that the index has the dimensions of the input and of the source, and fits into both."""
    if isinstance(source, Tensor) and source.dtype is not input.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index._data.size:
        return
    given = source._data if isinstance(source, Tensor) else None
    sizes = index._data.shape
    for data, name in ((input._data, "self"), (given, "src")):
        if data is not None and max(data.ndim, 1) != max(index._data.ndim, 1):
            if (
                name == "src"
                and 0 < data.ndim < len(sizes)
                and all(n <= m for n, m in zip(sizes, data.shape, strict=False))
            ):
                n = data.ndim  # PyTorch compares the sizes first
                raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {n})")
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {name} tensor")
    large = any(d != dim and n > m for d, (n, m) in enumerate(zip(sizes, input._data.shape, strict=False)))
    if given is not None:
        large = large or any(n > m for n, m in zip(sizes, given.shape, strict=False))
    if large:
        raise RuntimeError(
            f"Expected index {list(sizes)} to be no larger than self {list(input._data.shape)} apart from dimension "
            f"{dim}" + ("" if given is None else f" and to be no larger size than src {list(given.shape)}")
        )


def check_slices(name: str, input: Tensor, index: Tensor, source: Tensor, dim: int) -> None:
    """The check of `index_add_` and `index_reduce_`: a vector of indices, and one slice of the source for each."""
    kinds = (dtypes.int64, dtypes.int32)
    count, own = index._data.size, list(input._data.shape)
    if index._data.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index._data.ndim} with type: "
            f"{index.dtype.title} and size: {list(index._data.shape)}"
        )
    if index.dtype not in kinds:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {index.dtype.title}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"{name}(): self ({input.dtype.title}) and source ({source.dtype.title}) must have the same scalar type"
        )
    if source._data.ndim and dim >= source._data.ndim:
        raise RuntimeError(
            f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source._data.ndim}"
        )
    slices = source._data.shape[dim] if source._data.ndim else 1
    others = [n for d, n in enumerate(source._data.shape) if d != dim]
    if count != slices:
        raise RuntimeError(
            f"{name}(): Number of indices ({count}) should be equal to source.size(dim): ({slices}), for dim: {dim}"
        )
    if others != own[:dim] + own[dim + 1 :] or len(own) != source._data.ndim:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape "
            f"= {own} source.shape = {list(source._data.shape)}"
        )


def check_copy(input: Tensor, index: Tensor, source: Tensor, dim: int) -> None:
    """The check of `index_copy_`."""
    if index._data.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index._data.ndim})")
    count = index._data.size
    if not source._data.ndim and count != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {count})")
    if source._data.ndim and input._data.ndim and source._data.ndim != input._data.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source._data.ndim}), destination dimensionality ({input._data.ndim})"
        )
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {index.dtype.title}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {input.dtype.title} and "
            f"(source) {source.dtype.title}"
        )
    mine, theirs = ([n for d, n in enumerate(t._data.shape) if d != dim] for t in (input, source))
    if mine != theirs:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{_spaced(mine)} at dimension {dim} and source slice shape: {_spaced(theirs)} at dimension 0."
        )
    if source._data.ndim and count != source._data.shape[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) "
            f"({source._data.shape[dim]})"
        )
    n = input._data.shape[dim] if input._data.ndim else 1
    bad = index._data[(index._data < 0) | (index._data >= n)]
    if bad.size:
        raise IndexError(f"index_copy_(): index {int(bad.flat[0])} is out of bounds for dimension {dim} with size {n}")


def _spaced(sizes: list[int]) -> str:
    return " ".join(map(str, sizes))


def check_places(name: str, index: Tensor, count: int) -> None:
    """The check of `take` and `put_`: positions in the flattened tensor, which may be counted from the end."""
    bad = index._data[(index._data < -count) | (index._data >= count)]
    if bad.size:
        raise IndexError(f"out of range: tried to access index {int(bad.flat[0])} on a tensor of {count} elements.")


F = FUNCTIONS


def places(index: Array, dim: int) -> tuple[Array, ...]:
    """The full position of each entry of `index`, with the index itself along `dim`."""
    index = index.reshape(index.shape or (1,))
    found = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    found[dim] = index
    return tuple(found)


def _gather(x: Array, index: Array, *, dim: int) -> Array:
    if not index.size:
        return np.empty(index.shape, x.dtype)
    return x.reshape(x.shape or (1,))[places(index, dim)].reshape(index.shape)


def _scatter(x: Array, index: Array, src: Array, *, dim: int, add: bool = False) -> Array:
    if not index.size:
        return x.copy()
    out = x.reshape(x.shape or (1,)).copy()
    if src.ndim and src.shape != index.shape and index.ndim:
        src = src[tuple(slice(n) for n in index.shape)]
    elif src.ndim != index.ndim:
        src = src.reshape(-1)[:1]
    if add:
        wide = widened(out)  # half types are rounded once
        np.add.at(wide, places(index, dim), src.astype(wide.dtype))
        return wide.astype(x.dtype, copy=False).reshape(x.shape)
    out[places(index, dim)] = src
    return out.reshape(x.shape)


GATHER = op(
    "gather",
    "self, index",
    _gather,
    layout="rows",
    category="indexing",
    symbol="gather",
    latex=r"x_{i}",
    brief="Elements by an index along a dimension.",
    self=sentence(
        "each element of grad added where it was taken from, 0 elsewhere",
        lambda grad, self, index, dim: grad.new_zeros(self.shape).scatter_add(dim, index, grad),
    ),
)
SCATTER = op(
    "scatter",
    "self, index, src",
    _scatter,
    category="indexing",
    symbol="scatter",
    latex=r"x_{i} \leftarrow v",
    brief="Values written by an index along a dimension.",
    self=sentence("grad, 0 at the places written", lambda grad, index, dim: grad.scatter(dim, index, 0)),
    src=sentence("grad at the places written", lambda grad, index, dim: grad.gather(dim, index)),
)
SCATTER_VALUE = op(
    "scatter",
    "self, index",
    lambda x, i, *, dim, value: _scatter(x, i, np.asarray(value, x.dtype), dim=dim),
    key="scatter_value",
    number=1,
    category="indexing",
    symbol="scatter",
    latex=r"x_{i} \leftarrow v",
    brief="A value written by an index along a dimension.",
    self=sentence("grad, 0 at the places written", lambda grad, index, dim: grad.scatter(dim, index, 0)),
)
SCATTER_ADD = op(
    "scatter_add",
    "self, index, src",
    lambda x, i, s, *, dim: _scatter(x, i, s, dim=dim, add=True),
    category="indexing",
    symbol="scatter+",
    latex=r"x_{i} \mathrel{+}= v",
    brief="Values added by an index along a dimension.",
    self="grad",
    src=sentence("grad at the places added to", lambda grad, index, dim: grad.gather(dim, index)),
)


@api("gather")
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Elements by an index along `dim`: out[i][j] = input[index[i][j]][j] for dim 0."""
    check_index(index, "gather")
    axis = wrap_dim(dim, input._data.ndim)
    check_gather(input, index, axis)
    check_range(index, input, axis)
    return call(GATHER, input, index, dim=axis)


def _scatter_multiply(x: Array, index: Array, source: Array, *, dim: int) -> Array:
    out = x.reshape(x.shape or (1,)).copy()
    np.multiply.at(out, places(index, dim), source.astype(out.dtype))
    return out.reshape(x.shape)


SCATTER_MULTIPLY = op(
    "scatter",
    "self, index, src",
    _scatter_multiply,
    key="scatter_multiply",
    category="indexing",
    symbol="scatter×",
    latex=r"x_{i_j} \leftarrow x_{i_j} v_j",
    brief="Elements at the indices are multiplied. It has no gradient.",
)


_OLD_REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:225.)"
)


def _prepare_scatter(
    input: Tensor, dim: int, index: Tensor, src: object = None, *, value: object = None, reduce: str | None = None
) -> Prepared:
    if reduce is not None and isinstance(src, Tensor):
        warn_once("scatter", _OLD_REDUCE, stacklevel=5)
    axis = wrap_dim(dim, input._data.ndim)
    check_index(index, "scatter")
    given = value if src is None else src
    check_scatter(input, index, given, axis)
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    check_range(index, input, axis)
    if reduce is not None:
        return _reduced(input, index, given, axis, reduce)
    if isinstance(given, Tensor):
        return SCATTER, (input, index, given), (input._data, index._data, given._data), {"dim": axis}
    check_value(given, input.dtype)
    return SCATTER_VALUE, (input, index), (input._data, index._data), {"dim": axis, "value": given}


def _reduced(input: Tensor, index: Tensor, given: object, dim: int, reduce: str) -> Prepared:
    rows = {"add": SCATTER_ADD, "multiply": SCATTER_MULTIPLY}
    source = operand(given)
    part = source._data[tuple(slice(n) for n in index._data.shape)] if source._data.ndim else source._data
    wide = np.broadcast_to(part, index._data.shape)
    return rows[reduce], (input, index, source), (input._data, index._data, wide), {"dim": dim}


def _prepare_scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Prepared:
    axis = wrap_dim(dim, input._data.ndim)
    check_index(index, "scatter")
    check_scatter(input, index, src, axis)
    check_range(index, input, axis)
    return SCATTER_ADD, (input, index, src), (input._data, index._data, src._data), {"dim": axis}


register(_prepare_scatter, ("scatter",))
register(_prepare_scatter_add, ("scatter_add",))


def _slices_at(x: Array, index: Array, dim: int) -> Array:
    """NumPy's `take` is fast, but copies what is not contiguous: an expanded array for one of its slices."""
    if not isinstance(x, np.ndarray) or x.flags.c_contiguous:
        return x.take(index, dim)
    return np.ascontiguousarray(x[(slice(None),) * dim + (index,)])


INDEX_SELECT = op(
    "index_select",
    "self, index",
    lambda x, i, *, dim: _slices_at(x, i.reshape(-1), dim) if x.ndim else x.reshape(1)[i.reshape(-1)].reshape(()),
    category="indexing",
    symbol="index_select",
    latex=r"x_{i}",
    brief="Slices at given indices.",
    self=sentence(
        "each element of grad added where it was taken from, 0 elsewhere",
        lambda grad, index, dim, self_shape: grad.new_zeros(self_shape).index_add(dim, index, grad),
    ),
)


def _slices(x: Array) -> Array:
    """A copy to write slices to: a tensor without dimensions counts as one slice."""
    return x.reshape(x.shape or (1,)).copy()


def _index_add(x: Array, index: Any, source: Array, *, dim: int, alpha: object = 1) -> Array:
    out = _slices(x)
    brought = (source if alpha == 1 else source * alpha).astype(x.dtype)
    np.add.at(out, (slice(None),) * dim + (index.reshape(-1),), brought.reshape(brought.shape or (1,)))
    return out.reshape(x.shape)


INDEX_ADD = op(
    "index_add",
    "self, index, source",
    _index_add,
    category="indexing",
    symbol="index+",
    latex=r"x_{i} \mathrel{+}= v",
    brief="Slices added at given indices.",
    self="grad",
    source=sentence(
        "grad at index, times alpha",
        lambda grad, index, source, dim, alpha: times_alpha(grad.index_select(dim, index).expand(source.shape), alpha),
    ),
)
INDEX_COPY = op(
    "index_copy",
    "self, index, source",
    lambda x, i, s, *, dim: _index_copy(x, i, s, dim),
    category="indexing",
    symbol="index=",
    latex=r"x_{i} \leftarrow v",
    brief="Slices written at given indices.",
    self=sentence("grad, 0 at index", lambda grad, index, dim: F["index_fill"](grad, dim, index, 0)),
    source=sentence("grad at index", lambda grad, index, source, dim: grad.index_select(dim, index).expand_as(source)),
)
INDEX_FILL = op(
    "index_fill",
    "self, index",
    lambda x, i, *, dim, value: laid_as(_index_copy(x, i, np.asarray(value, x.dtype), dim), x, None),
    category="indexing",
    symbol="index=",
    latex=r"x_{i} \leftarrow v",
    brief="Slices at given indices become one value.",
    self=sentence("grad, 0 at index", lambda grad, index, dim: F["index_fill"](grad, dim, index, 0)),
)


INDEX_FILL_TENSOR = op(
    "index_fill",
    "self, index, value",
    lambda x, i, v, *, dim: laid_as(_index_copy(x, i, v.astype(x.dtype), dim), x, None),
    key="index_fill_tensor",
    number=1,
    category="indexing",
    symbol="index=",
    latex=r"x_{i} \leftarrow v",
    brief="Slices at given indices become one value.",
    self=sentence("grad, 0 at index", lambda grad, index, dim: F["index_fill"](grad, dim, index, 0)),
    value=sentence("Σ grad at index", lambda grad, index, dim: grad.index_select(dim, F["unique"](index)).sum()),
)


def _index_copy(x: Array, index: Array, source: Array, dim: int) -> Array:
    out = _slices(x)
    out[(slice(None),) * dim + (index.reshape(-1),)] = source
    return out.reshape(x.shape)


@api("index_select")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Slices at given indices along `dim`."""
    axis = wrap_dim(dim, input._data.ndim)
    if index._data.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input._data.ndim and index._data.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index._data.size} value(s)")
    n = input._data.shape[axis] if input._data.ndim else 1
    outside = index._data[(index._data < 0) | (index._data >= n)]
    if outside.size and axis == 1:  # PyTorch has a kernel of its own for columns, with its own words
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside.flat[0]} axis_dim={n}")
    if outside.size:
        raise IndexError("index out of range in self")
    return call(INDEX_SELECT, input, index, dim=axis)


def _prepare_index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: object = 1) -> Prepared:
    axis = wrap_dim(dim, input._data.ndim)
    check_slices("index_add_", input, index, source, axis)
    check_range(index, input, axis)
    return INDEX_ADD, (input, index, source), (input._data, index._data, source._data), {"dim": axis, "alpha": alpha}


def _prepare_index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Prepared:
    axis = wrap_dim(dim, input._data.ndim)
    check_copy(input, index, source, axis)
    return INDEX_COPY, (input, index, source), (input._data, index._data, source._data), {"dim": axis}


def _prepare_index_fill(input: Tensor, dim: int, index: Tensor, value: object) -> Prepared:
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._data.ndim} "
            "dimension(s)."
        )
    if index.dtype is not dtypes.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    axis = wrap_dim(dim, input._data.ndim)
    if index._data.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    found = value.dtype.is_complex if isinstance(value, Tensor) else isinstance(value, complex)
    if found and not input.dtype.is_complex:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    n = input._data.shape[axis] if input._data.ndim else 1
    bad = index._data[(index._data < -n) | (index._data >= n)]
    if bad.size:
        raise IndexError(f"index {int(bad.flat[0])} is out of bounds for dimension {axis} with size {n}")
    if isinstance(value, Tensor):
        return INDEX_FILL_TENSOR, (input, index, value), (input._data, index._data, value._data), {"dim": axis}
    check_value(value, input.dtype)
    wrapped = int(value) % 256 if input.dtype is dtypes.uint8 and isinstance(value, int) else value
    return INDEX_FILL, (input, index), (input._data, index._data), {"dim": axis, "value": wrapped}


register(_prepare_index_add, ("index_add",))
register(_prepare_index_copy, ("index_copy",))
register(_prepare_index_fill, ("index_fill",))

# --- masks ---

MASKED_SELECT = op(
    "masked_select",
    "self, mask",
    lambda x, m: np.broadcast_to(x, np.broadcast_shapes(x.shape, m.shape))[
        np.broadcast_to(m, np.broadcast_shapes(x.shape, m.shape))
    ],
    category="indexing",
    symbol="[mask]",
    latex=r"x_{m}",
    brief="Elements under a mask, in one dimension.",
    self=sentence("grad put back under the mask, 0 elsewhere", lambda grad, self, mask: _masked_grad(grad, self, mask)),
)


def _masked_grad(grad: Tensor, self: Tensor, mask: Tensor) -> Tensor:
    shape = np.broadcast_shapes(self._data.shape, mask._data.shape)
    return F["masked_scatter"](grad.new_zeros(shape), mask.expand(shape), grad)


def _masked_scatter(x: Array, mask: Array, source: Array) -> Array:
    out = np.broadcast_to(x, np.broadcast_shapes(x.shape, mask.shape)).copy()
    wide = np.broadcast_to(mask, out.shape)
    out[wide] = source.reshape(-1)[: int(wide.sum())]
    return out


AS_IT_GOES["masked_scatter"] = lambda x, mask, source: (
    np.flatnonzero(np.broadcast_to(mask, x.shape)),
    source if source.flags.c_contiguous else source.copy(),
)
MASKED_SCATTER = op(
    "masked_scatter",
    "self, mask, source",
    _masked_scatter,
    category="indexing",
    symbol="[mask]=",
    latex=r"x_{m} \leftarrow v",
    brief="Elements under a mask are written.",
    self="masked_fill(grad, mask, 0)",
    source=sentence(
        "grad under the mask, in order", lambda grad, mask, source_shape: _source_grad(grad, mask, source_shape)
    ),
)


def _source_grad(grad: Tensor, mask: Tensor, shape: tuple[int, ...]) -> Tensor:
    found = F["masked_select"](grad, mask)
    count = int(np.prod(shape))
    missing = count - found._data.size
    return (F["cat"]([found, found.new_zeros((missing,))]) if missing else found).reshape(shape)


@api("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Elements under a mask, in one dimension."""
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    check_broadcast(mask._data, input._data)
    return call(MASKED_SELECT, input, mask)


def _check_masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> None:
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{input.dtype.title} and "
            f"{source.dtype.title}"
        )
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype.title}")


def _check_masked_scatter_in_place(input: Tensor, mask: Tensor, source: Tensor) -> None:
    if source.dtype is input.dtype:
        expanded_shape(mask, input._data.shape)
    _check_masked_scatter(input, mask, source)


def _prepare_masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Prepared:
    check_broadcast(mask._data, input._data)
    _check_masked_scatter(input, mask, source)
    shape = np.broadcast_shapes(input._data.shape, mask._data.shape)
    if np.count_nonzero(np.broadcast_to(mask._data, shape)) > source._data.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return MASKED_SCATTER, (input, mask, source), (input._data, mask._data, source._data), NO_PARAMS


register(_prepare_masked_scatter, ("masked_scatter",), own=_check_masked_scatter_in_place)


@api("take_along_dim")
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Like `gather`, with broadcasting."""
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    if indices._data.ndim != input._data.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._data.ndim} dimensions for input, and {indices._data.ndim} dimensions for indices"
        )
    if indices.dtype is not dtypes.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.title}")
    axis = wrap_dim(dim, input._data.ndim)
    shape = list(np.broadcast_shapes(_without(input, axis), _without(indices, axis)))
    n = input._data.shape[axis]
    wide = F["broadcast_to"](input, [*shape[:axis], n, *shape[axis + 1 :]])
    at = F["broadcast_to"](indices, [*shape[:axis], indices._data.shape[axis], *shape[axis + 1 :]])
    return gather(wide, axis, F["remainder"](at, max(n, 1)))


def _without(x: Tensor, axis: int) -> tuple[int, ...]:
    return (*x._data.shape[:axis], 1, *x._data.shape[axis + 1 :])


def _elements_at(x: Array, index: Array) -> Array:
    if not isinstance(x, np.ndarray) or x.flags.c_contiguous or not x.size:
        return x.reshape(-1)[index]
    return x[np.unravel_index(np.where(index < 0, index + x.size, index), x.shape)]


TAKE = op(
    "take",
    "self, index",
    lambda x, i: _elements_at(x, i),
    category="indexing",
    symbol="take",
    latex=r"x_{i}",
    brief="Elements of the flattened tensor.",
    self=sentence(
        "each element of grad added where it was taken from, 0 elsewhere",
        lambda grad, self, index: _take_grad(grad, self, index),
    ),
)


def _take_grad(grad: Tensor, self: Tensor, index: Tensor) -> Tensor:
    return F["put"](grad.new_zeros(self.shape), index, grad, True)


@api("take")
def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements of the flattened tensor."""
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.title}")
    if index._data.size and not input._data.size:
        raise IndexError("take(): tried to take from an empty tensor")
    check_places("take", index, input._data.size)
    return call(TAKE, input, index)


def _nonzero(x: Array) -> Array:
    found = (
        np.asarray(np.nonzero(x), np.int64).reshape(x.ndim, -1).T if x.ndim else np.zeros((int(x != 0), 0), np.int64)
    )
    return found if len(found) else strided(np.empty(0, np.uint8), np.int64, found.shape, (8, 0), 0)  # as in PyTorch


NONZERO = op(
    "nonzero",
    "self",
    lambda x: _nonzero(x),
    category="indexing",
    symbol="nonzero",
    latex=r"\{i : x_i \ne 0\}",
    brief="The indices of elements that are not zero.",
)


@api("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> tuple[Tensor, ...] | Tensor:
    """The indices of elements that are not zero."""
    found = call(NONZERO, input.reshape(1) if as_tuple and not input._data.ndim else input)
    return found.unbind(1) if as_tuple else found


@api("argwhere")
def argwhere(input: Tensor) -> Tensor:
    """The indices of elements that are not zero."""
    return call(NONZERO, input)
