"""Picking and scattering along one dimension by an index tensor: gather, scatter, index_select, index_add and
their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.apply import NO_PARAMS, call
from gradviz.engine.elementwise import Prepared, operand, register
from gradviz.engine.ops.arithmetic import scaled
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS
Array = np.ndarray[Any, Any]


def _places(index: Array, dim: int) -> tuple[Array, ...]:
    """For each entry of `index` its own position, with the index itself along `dim`."""
    places = list(np.ogrid[tuple(slice(n) for n in index.shape)]) if index.ndim else []
    if places:
        places[dim] = index
    return tuple(places)


def _gather(x: Any, index: Any, *, dim: int) -> Any:
    return x[_places(index, dim)] if x.ndim else np.broadcast_to(x, index.shape).copy()


def _scatter(x: Any, index: Any, src: Any, *, dim: int, add: bool = False) -> Any:
    out = x.copy()
    src = src if src.shape == index.shape or not src.ndim else src[tuple(slice(n) for n in index.shape)]
    if not x.ndim:
        return out + src.reshape(()) if add else src.reshape(()).astype(x.dtype)
    if add:
        np.add.at(out, _places(index, dim), src.astype(x.dtype))
    else:
        out[_places(index, dim)] = src
    return out


GATHER = op(
    "gather",
    "self, index",
    _gather,
    category="indexing",
    symbol="gather",
    latex=r"x_{i}",
    brief="Elements by an index along a dimension.",
    derivatives={"self": "grad added up at the indices"},
    self=lambda grad, self, index, dim: grad.new_zeros(self.shape).scatter_add(dim, index, grad),
)
SCATTER = op(
    "scatter",
    "self, index, src",
    _scatter,
    category="indexing",
    symbol="scatter",
    latex=r"x_{i} \leftarrow v",
    brief="Values written by an index along a dimension.",
    self=lambda grad, index, dim: grad.scatter(dim, index, 0),
    src=lambda grad, index, dim: grad.gather(dim, index),
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
    self=lambda grad, index, dim: grad.scatter(dim, index, 0),
)
SCATTER_ADD = op(
    "scatter_add",
    "self, index, src",
    lambda x, i, s, *, dim: _scatter(x, i, s, dim=dim, add=True),
    category="indexing",
    symbol="scatter+",
    latex=r"x_{i} \mathrel{+}= v",
    brief="Values added by an index along a dimension.",
    self=lambda grad: grad,
    src=lambda grad, index, dim: grad.gather(dim, index),
)


def _check_index(index: Any, name: str) -> None:
    if not isinstance(index, Tensor):
        raise TypeError(f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}")
    if index.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


@api("gather")
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Elements by an index along `dim`: out[i][j] = input[index[i][j]][j] for dim 0."""
    _check_index(index, "gather")
    axis = wrap_dim(dim, input._data.ndim)
    if index._data.ndim != input._data.ndim and input._data.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    _check_smaller(index, input, axis, "gather")
    _check_range(index, input, axis)
    made: Tensor = call(GATHER, input, index, dim=axis)
    return made


def _check_smaller(index: Tensor, input: Tensor, dim: int, name: str) -> None:
    for d, (n, m) in enumerate(zip(index._data.shape, input._data.shape, strict=False)):
        if d != dim and n > m:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._data.shape)} to be no "
                f"larger than self "
                f"{list(input._data.shape)} apart from dimension {dim}"
            )


def _check_range(index: Tensor, input: Tensor, dim: int) -> None:
    n = input._data.shape[dim] if input._data.ndim else 1
    data = index._data
    bad = data[(data < 0) | (data >= n)]
    if bad.size:
        raise RuntimeError(f"index {int(bad.flat[0])} is out of bounds for dimension {dim} with size {n}")


def _scatter_multiply(x: Any, index: Any, source: Any, *, dim: int) -> Any:
    out = x.copy()
    places = list(np.indices(index.shape))
    places[dim] = index
    np.multiply.at(out, tuple(places), source.astype(out.dtype))
    return out


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


def _prepare_scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Prepared:
    _check_index(index, "scatter")
    axis = wrap_dim(dim, input._data.ndim)
    _check_range(index, input, axis)
    given = value if src is None else src
    if reduce == "add":
        source = operand(given)
        return (
            SCATTER_ADD,
            (input, index, source),
            (input._data, index._data, np.broadcast_to(source._data, index._data.shape)),
            {"dim": axis},
        )
    if reduce == "multiply":
        source = operand(given)
        wide = np.broadcast_to(source._data, index._data.shape)
        return SCATTER_MULTIPLY, (input, index, source), (input._data, index._data, wide), {"dim": axis}
    if reduce is not None:
        raise RuntimeError(f"reduce argument must be either add or multiply, got {reduce}.")
    if isinstance(given, Tensor):
        if given.dtype is not input.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        return SCATTER, (input, index, given), (input._data, index._data, given._data), {"dim": axis}
    return SCATTER_VALUE, (input, index), (input._data, index._data), {"dim": axis, "value": given}


def _prepare_scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Prepared:
    _check_index(index, "scatter_add")
    axis = wrap_dim(dim, input._data.ndim)
    _check_range(index, input, axis)
    if src.dtype is not input.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return SCATTER_ADD, (input, index, src), (input._data, index._data, src._data), {"dim": axis}


register(_prepare_scatter, ("scatter",))
register(_prepare_scatter_add, ("scatter_add",))

INDEX_SELECT = op(
    "index_select",
    "self, index",
    lambda x, i, *, dim: x.take(i, dim) if x.ndim else x.reshape(1).take(i, 0).reshape(()),
    category="indexing",
    symbol="index_select",
    latex=r"x_{i}",
    brief="Slices at given indices.",
    derivatives={"self": "grad added up at the indices"},
    self=lambda grad, index, dim, self_shape: grad.new_zeros(self_shape).index_add(dim, index, grad),
)


def _index_add(x: Any, index: Any, source: Any, *, dim: int, alpha: Any = 1) -> Any:
    out = x.copy()
    np.add.at(out, (slice(None),) * dim + (index,), (source if alpha == 1 else source * alpha).astype(x.dtype))
    return out


INDEX_ADD = op(
    "index_add",
    "self, index, source",
    _index_add,
    category="indexing",
    symbol="index+",
    latex=r"x_{i} \mathrel{+}= v",
    brief="Slices added at given indices.",
    self=lambda grad: grad,
    source=lambda grad, index, source, dim, alpha: scaled(grad.index_select(dim, index).expand(source.shape), alpha),
)
INDEX_COPY = op(
    "index_copy",
    "self, index, source",
    lambda x, i, s, *, dim: _index_copy(x, i, s, dim),
    category="indexing",
    symbol="index=",
    latex=r"x_{i} \leftarrow v",
    brief="Slices written at given indices.",
    self=lambda grad, index, dim: F["index_fill"](grad, dim, index, 0),
    source=lambda grad, index, source, dim: grad.index_select(dim, index).expand(source.shape),
)
INDEX_FILL = op(
    "index_fill",
    "self, index",
    lambda x, i, *, dim, value: _index_copy(x, i, np.asarray(value, x.dtype), dim),
    category="indexing",
    symbol="index=",
    latex=r"x_{i} \leftarrow v",
    brief="Slices at given indices become one value.",
    self=lambda grad, index, dim: F["index_fill"](grad, dim, index, 0),
)


def _index_copy(x: Any, index: Any, source: Any, dim: int) -> Any:
    out = x.copy()
    out[(slice(None),) * dim + (index,)] = source
    return out


@api("index_select")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Slices at given indices along `dim`."""
    if index.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    axis = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[axis] if input._data.ndim else 1
    if ((index._data < 0) | (index._data >= n)).any():
        raise IndexError("index out of range in self")
    made: Tensor = call(INDEX_SELECT, input, index, dim=axis)
    return made


def _prepare_index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Prepared:
    axis = wrap_dim(dim, input._data.ndim)
    return INDEX_ADD, (input, index, source), (input._data, index._data, source._data), {"dim": axis, "alpha": alpha}


def _prepare_index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Prepared:
    axis = wrap_dim(dim, input._data.ndim)
    return INDEX_COPY, (input, index, source), (input._data, index._data, source._data), {"dim": axis}


def _prepare_index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Prepared:
    axis = wrap_dim(dim, input._data.ndim)
    plain = value.item() if isinstance(value, Tensor) else value
    return INDEX_FILL, (input, index), (input._data, index._data), {"dim": axis, "value": plain}


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
    self=lambda grad, self, mask: _masked_grad(grad, self, mask),
)


def _masked_grad(grad: Any, self: Any, mask: Any) -> Any:
    shape = np.broadcast_shapes(self._data.shape, mask._data.shape)
    return F["masked_scatter"](grad.new_zeros(shape), mask.expand(shape), grad)


def _masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    out = np.broadcast_to(x, np.broadcast_shapes(x.shape, mask.shape)).copy()
    wide = np.broadcast_to(mask, out.shape)
    out[wide] = source.reshape(-1)[: int(wide.sum())]
    return out


MASKED_SCATTER = op(
    "masked_scatter",
    "self, mask, source",
    _masked_scatter,
    category="indexing",
    symbol="[mask]=",
    latex=r"x_{m} \leftarrow v",
    brief="Elements under a mask are written.",
    self=lambda grad, mask: grad.masked_fill(mask, 0),
    source=lambda grad, mask, source_shape: _source_grad(grad, mask, source_shape),
)


def _source_grad(grad: Any, mask: Any, shape: tuple[int, ...]) -> Any:
    found = F["masked_select"](grad, mask)
    count = int(np.prod(shape))
    missing = count - found._data.size
    return (F["cat"]([found, found.new_zeros((missing,))]) if missing else found).reshape(shape)


@api("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Elements under a mask, in one dimension."""
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    made: Tensor = call(MASKED_SELECT, input, mask)
    return made


register(
    lambda input, mask, source: (
        MASKED_SCATTER,
        (input, mask, source),
        (input._data, mask._data, source._data),
        NO_PARAMS,
    ),
    ("masked_scatter",),
)


@api("take_along_dim")
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """As `gather`, with broadcasting."""
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    axis = wrap_dim(dim, input._data.ndim)
    shape = list(np.broadcast_shapes(_without(input, axis), _without(indices, axis)))
    wide = F["broadcast_to"](input, [*shape[:axis], input._data.shape[axis], *shape[axis + 1 :]])
    return gather(
        wide, axis, F["broadcast_to"](indices, [*shape[:axis], indices._data.shape[axis], *shape[axis + 1 :]])
    )


def _without(x: Tensor, axis: int) -> tuple[int, ...]:
    return (*x._data.shape[:axis], 1, *x._data.shape[axis + 1 :])


TAKE = op(
    "take",
    "self, index",
    lambda x, i: x.reshape(-1)[i],
    category="indexing",
    symbol="take",
    latex=r"x_{i}",
    brief="Elements of the flattened tensor.",
    derivatives={"self": "grad added up at the indices"},
    self=lambda grad, self, index: _take_grad(grad, self, index),
)


def _take_grad(grad: Any, self: Any, index: Any) -> Any:
    flat = grad.new_zeros(self.numel()).index_add(0, index.reshape(-1), grad.reshape(-1))
    return flat.reshape(self.shape)


@api("take")
def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements of the flattened tensor."""
    made: Tensor = call(TAKE, input, index)
    return made


NONZERO = op(
    "nonzero",
    "self",
    lambda x: np.argwhere(x).astype(np.int64),
    category="indexing",
    symbol="nonzero",
    latex=r"\{i : x_i \ne 0\}",
    brief="The indices of elements that are not zero.",
)


@api("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of elements that are not zero."""
    found = call(NONZERO, input.reshape(1) if as_tuple and not input._data.ndim else input)
    return found.unbind(1) if as_tuple else found


@api("argwhere")
def argwhere(input: Tensor) -> Tensor:
    """The indices of elements that are not zero."""
    made: Tensor = call(NONZERO, input)
    return made
