"""Sparse tensors, by coordinates (`torch.sparse_coo`) or by rows (`torch.sparse_csr`). The numbers of one are a dense
array like those of any tensor; which elements are specified, with which values, stands beside them (`Coordinates`).
So a sparse tensor is drawn and differentiated like others, and what it saves in PyTorch, memory, it does not save here.

An operation on one goes through `apply` or `coordinates`, if it is in a table here; any other is refused as PyTorch
refuses it. The functions of `torch.sparse` are in `gradviz.torch.sparse`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.memory import SPARSE_CSR, check_room
from gradviz.engine.kernel.messages import plain_numbers
from gradviz.engine.kernel.rows import ROWS, OpRow, op
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Coordinates, Tensor, wrap
from gradviz.engine.numerics import overflow
from gradviz.engine.ops.creation import check_device, made
from gradviz.engine.ops.derivatives import scaled
from gradviz.engine.ops.matmul import check_inner
from gradviz.engine.run.api import FUNCTIONS, UNSAID, api, method
from gradviz.engine.run.apply import apply as run_row
from gradviz.engine.run.apply import call
from gradviz.engine.transforms.forward_mode import NO_TANGENT

F = FUNCTIONS
NO_KERNEL = (
    "Could not run 'aten::{}' with arguments from the '{}' backend. This could be because the operator doesn't exist "
    "for this backend, or was omitted during the selective/custom build process (if using custom build). If you are a "
    "Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions."
)

# --- coordinates ---


def dense(indices: Array, values: Array, shape: Sequence[int]) -> Array:
    """All numbers: values at the same place are added up."""
    out: Array = np.zeros(shape, values.dtype)
    if len(indices):
        np.add.at(out, tuple(indices), values)
    else:
        out += values.sum(0, dtype=values.dtype)
    return out


def coalesced(known: Coordinates, shape: Sequence[int]) -> Coordinates:
    """The same elements, each once and in order."""
    if known.coalesced or not len(known.indices):
        return replace(known, coalesced=True)
    flat = _flat(known, shape)
    places, inverse = np.unique(flat, return_inverse=True)
    values = np.zeros((len(places), *known.values.shape[1:]), known.values.dtype)
    np.add.at(values, inverse, known.values)
    indices = np.array(np.unravel_index(places, shape[: len(known.indices)]), np.int64).reshape(-1, len(places))
    return Coordinates(indices, values, True)


def _flat(known: Coordinates, shape: Sequence[int]) -> Array:
    sizes = tuple(shape[: len(known.indices)])
    return np.ravel_multi_index(tuple(known.indices), sizes) if known.indices.size else np.zeros(0, np.int64)


def keep(tensor: Tensor, known: Coordinates | None) -> Tensor:
    """The same tensor, which is sparse from now on; dense if nothing is given."""
    tensor._coo = known
    if known is not None:
        state.sparse = Rules
    return tensor


def _known(tensor: Tensor, name: str = "", what: str = "sparse coordinate tensor") -> Coordinates:
    if tensor._coo is None:
        raise RuntimeError(f"{name} expected {what} layout but got Strided")
    return tensor._coo


# --- rows ---

Places = tuple[tuple[int, ...], ...]  # the coordinates as an argument: a row for each dimension

_ABOUT: Mapping[str, Any] = {"category": "shape", "layout": "own"}


def _copied(x: Array, *rest: object, **params: object) -> Array:
    return x.copy()


def _at(x: Array, places: Array | Places) -> Array:
    return np.ascontiguousarray(x[tuple(np.asarray(places, np.int64))] if len(places) else x[None])


def _picked(grad: Tensor, result: Tensor, places: Places) -> Tensor:
    return wrap(_at(grad._data, places))  # PyTorch, too, does not differentiate it again


def _placed(grad: Tensor, self: Tensor, places: Places) -> Tensor:
    return wrap(dense(np.asarray(places, np.int64), grad._data, self._data.shape))


def _masked(grad: Tensor, self: Tensor, places: Places) -> Tensor:
    indices = np.asarray(places, np.int64)
    mask = np.zeros(grad._data.shape, bool)
    mask[tuple(indices)] = True
    found = F["where"](wrap(mask), grad, 0)
    compressed = self._coo is not None and self._coo.compressed
    return keep(found, Coordinates(indices, _at(found._data, indices), compressed, compressed))


def _whole(grad: Tensor) -> Tensor:
    return grad if grad._coo is None else wrap(grad._data)


SPARSE_COO_TENSOR = op(
    "_sparse_coo_tensor_with_dims_and_tensors",
    "values",
    lambda values, *, size, places: dense(np.asarray(places, np.int64).reshape(len(places), -1), values, size),
    symbol="sparse",
    latex=r"x_{i_k} = v_k",
    brief="Values put at their places, 0 elsewhere.",
    values=sentence("the elements of grad at the indices", _picked),
    **_ABOUT,
)
VALUES = op(
    "values",
    "self",
    lambda x, *, places: _at(x, places),
    symbol="values",
    latex=r"x_{i_k}",
    brief="The specified elements of a sparse tensor.",
    self=sentence("grad put at the indices", _placed),
    **_ABOUT,
)
COALESCE = op(
    "coalesce",
    "self",
    _copied,
    symbol="coalesce",
    latex="x",
    brief="Elements that are specified several times are added up.",
    self="grad",
    **_ABOUT,
)
TO_SPARSE = op(
    "to_sparse",
    "self",
    _copied,
    number=1,
    symbol="to sparse",
    latex="x",
    brief="Only the elements that are not 0 are specified.",
    self=sentence("grad, all of it", _whole),
    **_ABOUT,
)
TO_SPARSE_CSR = op(
    "to_sparse_csr",
    "self",
    _copied,
    symbol="to rows",
    latex="x",
    brief="Only the elements that are not 0 are specified, row by row.",
    self=sentence("grad, all of it", _whole),
    **_ABOUT,
)
TO_DENSE = op(
    "to_dense",
    "self",
    _copied,
    symbol="to dense",
    latex="x",
    brief="All elements, 0 where none is specified.",
    self=sentence("grad where elements are specified", _masked),
    **_ABOUT,
)


_PRODUCT: Mapping[str, Any] = {"category": "linear algebra", "layout": "rows", "symbol": "@"}


def _times(grad: Tensor, number: float) -> Tensor:
    return grad if number == 1 else scaled(grad, number)


SPARSE_MM = op(
    "mm",
    "self, mat2",
    lambda x, y: x @ y,
    key="sparse_mm",
    latex=r"A B",
    brief="A sparse matrix times a matrix.",
    self=sentence("grad @ mat2ᵀ", lambda grad, mat2: F["matmul"](grad, mat2.mH)),
    mat2=sentence("selfᵀ @ grad", lambda grad, self, mat2_shape, mat2_strides: F["matmul"](self.mH, grad)),
    **_PRODUCT,
)
SPARSE_MV = op(
    "mv",
    "self, vec",
    lambda x, y: x @ y,
    key="sparse_mv",
    latex=r"A v",
    brief="A sparse matrix times a vector.",
    self=sentence("the outer product of grad and vec", lambda grad, vec: grad.unsqueeze(1) * vec.conj().unsqueeze(0)),
    vec=sentence("selfᵀ @ grad", lambda grad, self: F["matmul"](self.mH, grad)),
    **_PRODUCT,
)
_TO_SECOND = sentence(
    "mat1ᵀ @ grad · alpha",
    lambda grad, mat1, mat2_shape, mat2_strides, alpha: _times(F["matmul"](mat1.mH, grad), alpha),
)
ADDMM_OF_SPARSE = op(
    "addmm",
    "self, mat1, mat2",
    lambda x, a, b, *, beta, alpha: beta * x + alpha * (a @ b) if beta else alpha * (a @ b),
    key="addmm_of_sparse",
    latex=r"\beta x + \alpha A B",
    brief="A sparse matrix times a matrix, added to a matrix.",
    self="grad * beta",
    mat1=sentence("grad @ mat2ᵀ · alpha", lambda grad, mat2, alpha: _times(F["matmul"](grad, mat2.mH), alpha)),
    mat2=_TO_SECOND,
    **{**_PRODUCT, "symbol": "@+"},
)
SPARSE_ADDMM = op(
    "addmm",
    "self, mat1, mat2",
    lambda x, a, b, *, places, beta, alpha: beta * x + alpha * (a @ b) if beta else alpha * (a @ b),
    node="SparseAddmmBackward0",
    key="sparse_addmm",
    latex=r"\beta x + \alpha A B",
    brief="A sparse matrix times a matrix, added to a matrix.",
    self="grad * beta",
    mat1=sentence(
        "grad @ mat2ᵀ · alpha where elements are specified",
        lambda grad, mat1, mat2, places, alpha: _masked(_times(F["matmul"](grad, mat2.mH), alpha), mat1, places),
    ),
    mat2=_TO_SECOND,
    **{**_PRODUCT, "symbol": "@+"},
)
SPARSE_MATMUL = op(
    "_sparse_sparse_matmul",
    "self, other",
    lambda x, y: x @ y,
    node="SparseSparseMatmulBackward0",
    latex=r"A B",
    brief="The product of two sparse matrices.",
    self=sentence("grad @ otherᵀ", lambda grad, other: F["matmul"](grad, other.mH)),
    other=sentence("selfᵀ @ grad", lambda grad, self: F["matmul"](self.mH, grad)),
    **_PRODUCT,
)


def _specified(x: Array, places: Places) -> Array:
    mask = np.zeros(x.shape, bool)
    mask[tuple(np.asarray(places, np.int64))] = True
    return np.where(mask, x, -np.inf).astype(x.dtype)


def _softmax(x: Array, *, places: Places, dim: int) -> Array:
    given = _specified(x, places)
    apart = np.exp(given - np.where(np.isfinite(top := given.max(dim, keepdims=True)), top, 0))
    total = apart.sum(dim, keepdims=True)
    shares: Array = (apart / np.where(total == 0, 1, total)).astype(x.dtype)
    return shares


def _log_softmax(x: Array, *, places: Places, dim: int) -> Array:
    found = _softmax(x, places=places, dim=dim)
    return np.log(np.where(np.isfinite(_specified(x, places)), found, 1)).astype(x.dtype)


SPARSE_SOFTMAX = op(
    "_sparse_softmax",
    "self",
    _softmax,
    symbol="softmax",
    latex=r"e^{x_i} / \sum_k e^{x_k}",
    brief="The softmax of the specified elements along a dimension.",
    self=sentence(
        "result · (grad − Σ result · grad)",
        lambda grad, self, result, dim: result * (grad - (result * grad).sum(dim, keepdim=True)),
    ),
    category="activations",
    layout="own",
)
SPARSE_LOG_SOFTMAX = op(
    "_sparse_log_softmax",
    "self",
    _log_softmax,
    symbol="log softmax",
    latex=r"x_i - \log \sum_k e^{x_k}",
    brief="The logarithm of the softmax of the specified elements along a dimension.",
    self=sentence(
        "grad − softmax · Σ grad, where elements are specified",
        lambda grad, self, result, places, dim: _masked(
            grad - result.exp() * grad.sum(dim, keepdim=True), self, places
        ),
    ),
    category="activations",
    layout="own",
)


def _stretched(grad: Tensor, dim: tuple[int, ...], shape: Sequence[int]) -> Tensor:
    for each in sorted(dim):
        grad = grad.unsqueeze(each)
    return grad.expand(tuple(shape))


SPARSE_SUM = op(
    "_sparse_sum",
    "self",
    lambda x, *, dim, places: x.sum(dim),
    node="SparseSumBackward0",
    symbol="Σ",
    latex=r"\sum_k x_k",
    brief="The sums along dimensions, as a sparse tensor.",
    self=sentence(
        "grad, the same along the dimensions",
        lambda grad, self, dim, places: _masked(_stretched(grad, dim, self._data.shape), self, places),
    ),
    **_ABOUT,
)

# --- operations on sparse tensors: the coordinates of the result, None if it is dense ---

Operands = Sequence[Tensor | None]
Arrays = Sequence[Any]
Params = Mapping[str, Any]
_LINEAR = frozenset("neg mul_number div_number clone _to_copy".split())
_POINTWISE = """abs relu sqrt sin sinh tan tanh asin asinh atan atanh erf expm1 log1p floor ceil round trunc sign sgn
deg2rad rad2deg isnan isinf pow_scalar square""".split()


def _first(tensors: Operands) -> tuple[Tensor, Coordinates]:
    x = tensors[0]
    assert x is not None and x._coo is not None
    return x, x._coo


def _each(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    x, known = _first(tensors)
    known = known if row.key in _LINEAR else coalesced(known, x._data.shape)
    if row.key == "_to_copy":
        return replace(known, values=known.values.astype(params["dtype"].np if "dtype" in params else x._data.dtype))
    values: Any = row.forward(known.values.astype(arrays[0].dtype), *arrays[1:], **params)
    return replace(known, values=np.asarray(values))


def _sum_of(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    first, second = tensors
    assert first is not None and second is not None
    if second._coo is None:
        name = row.name
        raise RuntimeError(f"{'add' if name in ('add', 'sub') else name}(sparse, dense) is not supported. Use "
                           "add(dense, sparse) instead.")  # fmt: skip
    if first._coo is None:
        return None
    scale = params.get("alpha", 1) * (-1 if row.name == "sub" else 1)
    return _added(first._coo, second._coo, first._data.shape, scale, arrays[0].dtype)


def _added(one: Coordinates, two: Coordinates, shape: Sequence[int], scale: float, kind: Any) -> Coordinates:
    a, b = _flat(one, shape).tolist(), _flat(two, shape).tolist()
    i = j = 0
    order: list[tuple[int, int]] = []
    while i < len(a) or j < len(b):  # PyTorch compares one with one, whether they are in order or not
        at_first = j == len(b) or (i < len(a) and a[i] <= b[j])
        at_second = i == len(a) or (j < len(b) and b[j] <= a[i])
        order.append((i if at_first else -1, j if at_second else -1))
        i, j = i + at_first, j + at_second
    values = np.zeros((len(order), *one.values.shape[1:]), kind)
    indices = np.zeros((len(one.indices), len(order)), np.int64)
    for k, (i, j) in enumerate(order):
        indices[:, k] = one.indices[:, i] if i >= 0 else two.indices[:, j]
        values[k] = (one.values[i] if i >= 0 else 0) + (scale * two.values[j] if j >= 0 else 0)
    return Coordinates(indices, values, one.coalesced and two.coalesced)


def _product_of(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    first, second = tensors
    assert first is not None and second is not None
    x, y = (first, second) if first._coo is not None else (second, first)
    assert x._coo is not None
    if not y._data.ndim and y._coo is None:
        return replace(x._coo, values=row.ufunc(x._coo.values, y._data).astype(arrays[0].dtype))
    known = coalesced(x._coo, x._data.shape)
    if y._coo is not None:
        other = coalesced(y._coo, y._data.shape)
        both = np.isin(_flat(known, x._data.shape), _flat(other, y._data.shape))
        known = Coordinates(known.indices[:, both], known.values[both], True)
    beside = np.broadcast_to(y._data, x._data.shape)
    return replace(known, values=known.values * _at(beside, known.indices))


def _quotient_of(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    x, y = tensors
    assert x is not None and y is not None
    if x._coo is None or y._data.ndim or y._coo is not None:
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(y._data.shape)} for divisor)"
        )
    return replace(x._coo, values=(x._coo.values / y._data).astype(arrays[0].dtype))


def _chosen(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    _, known = _first(tensors)
    dim, wanted = params["dim"], arrays[1].reshape(-1)
    found = [(new, at) for new, old in enumerate(wanted.tolist()) for at in np.flatnonzero(known.indices[dim] == old)]
    at = [each for _, each in found]
    indices = known.indices[:, at]
    indices[dim] = [new for new, _ in found]
    return Coordinates(indices, known.values[at])


def _turned(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    x, known = _first(tensors)
    if known.values.ndim > 1:
        raise RuntimeError(f"{row.name}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got "
                           f"{len(known.indices)} sparse and {known.values.ndim - 1} dense dimensions")  # fmt: skip
    marked: Any = row.forward(np.empty(tuple(range(1, x._data.ndim + 1))), **params)  # sizes that name dimensions
    return Coordinates(known.indices[[size - 1 for size in marked.shape]], known.values)


def _selected(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    x, known = _first(tensors)
    dim = params["dim"]
    if len(known.indices) == 1:
        return None
    there = known.indices[dim] == params["index"] % x._data.shape[dim]
    return Coordinates(np.delete(known.indices, dim, 0)[:, there], known.values[there])


def _widened(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    _, known = _first(tensors)
    return replace(known, indices=np.insert(known.indices, params["dim"], 0, axis=0))


def _joined(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    dim, at, parts = params["dim"], 0, []
    if any(each is None or each._coo is None for each in tensors):
        raise RuntimeError(f"{row.name}: all tensors have to be sparse")
    for number, each in enumerate(tensors):
        assert each is not None and each._coo is not None
        moved = each._coo.indices.copy()
        if row.key == "stack":
            moved = np.insert(moved, dim, number, axis=0)
        else:
            moved[dim] += at
            at += each._data.shape[dim]
        parts.append((moved, each._coo.values))
    return Coordinates(np.concatenate([i for i, _ in parts], 1), np.concatenate([v for _, v in parts]))


def _summed(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    x, known = _first(tensors)
    dims = params["dim"]
    gone = {each % x._data.ndim for each in (dims if isinstance(dims, tuple) else (dims,))}
    left = [dim for dim in range(x._data.ndim) if dim not in gone]
    if not left:
        return None
    shape = [x._data.shape[dim] for dim in left]
    return coalesced(Coordinates(known.indices[left], known.values), shape)


def _into_dense(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    return None


def _emptied(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    _, known = _first(tensors)
    return replace(known, indices=known.indices[:, :0], values=known.values[:0], coalesced=True)


def _same_places(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    x, known = _first(tensors)
    indices = coalesced(known, x._data.shape).indices
    return Coordinates(indices, _at(np.asarray(row.forward(*arrays, **params)), indices), True)


_RULES: Mapping[str, Callable[..., Coordinates | None]] = {
    **dict.fromkeys((*_POINTWISE, *_LINEAR), _each),
    **dict.fromkeys(("add", "sub", "add_number", "sub_number"), _sum_of),
    "mul": _product_of,
    "div": _quotient_of,
    **dict.fromkeys(("t", "transpose", "permute"), _turned),
    "select": _selected,
    "index_select": _chosen,
    "unsqueeze": _widened,
    **dict.fromkeys(("cat", "stack"), _joined),
    **dict.fromkeys(("sum_dim", "_sparse_sum"), _summed),
    **dict.fromkeys(("_sparse_softmax", "_sparse_log_softmax"), _same_places),
    **dict.fromkeys("sum linalg_vector_norm any all values to_dense _grad_copy alias".split(), _into_dense),
    **dict.fromkeys((row.key for row in (SPARSE_MM, SPARSE_MV, SPARSE_ADDMM, ADDMM_OF_SPARSE)), _into_dense),
    "coalesce": lambda row, tensors, *rest: coalesced(tensors[0]._coo, tensors[0]._data.shape),
    "zero": _emptied,
    SPARSE_MATMUL.key: lambda row, tensors, arrays, params: of_array(row.forward(*arrays)),
}


def of_array(x: Array, dims: int | None = None) -> Coordinates:
    """The coordinates of the elements that are not 0."""
    dims = x.ndim if dims is None else dims
    there = x.reshape(*x.shape[:dims], -1).any(-1) if dims < x.ndim else x != 0
    indices = np.array(np.nonzero(there) if dims else (), np.int64).reshape(dims, -1 if dims else 1)
    return Coordinates(indices, _at(x, indices) if dims else x[None], True)


def _in_dense(row: OpRow, arrays: Sequence[object], params: Mapping[str, object]) -> object:
    return row.forward(*arrays, **params)


def coordinates(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Coordinates | None:
    """What an operation on sparse tensors specifies; None if its result is dense."""
    rule = _RULES.get(row.key)
    if layers.duals or any(each is not None and each._tangents for each in tensors):
        raise NotImplementedError(NO_TANGENT.format(row.name))
    if layers.stack:
        raise NotImplementedError(f"{row.name} of sparse tensors is not in GradViz inside of vmap and its relatives")
    if rule is None:
        kind = "" if row.category != "comparison" or len(row.inputs) < 2 else ".Scalar"
        two = tensors[1] if len(tensors) > 1 else None
        kind = ".Tensor" if kind and two is not None and two._wrapped is None else kind
        raise NotImplementedError(NO_KERNEL.format(row.name + kind, "SparseCPU"))
    return rule(row, tensors, arrays, params)


def apply(row: OpRow, tensors: Operands, arrays: Arrays, params: Params) -> Any:
    """Run a row with sparse operands."""
    substitute = _PRODUCTS.get(row.key)
    if substitute is not None:
        return substitute(*tensors, **params)
    if row.key == "unbind":
        parts = run_row(row, tensors, arrays, params, _in_dense)
        for number, each in enumerate(parts):
            keep(each, _selected(row, tensors, arrays, {**params, "index": number}))
        return parts
    known = coordinates(row, tensors, arrays, params)
    found: Tensor = run_row(row, tensors, arrays, params, _in_dense)
    return keep(found, known)


_DRAWN = {"ones_like": "fill_.Scalar", "full_like": "fill_.Scalar", "rand_like": "uniform_", "randn_like": "normal_"}


class Rules:
    """What the engine calls for sparse operands, once there are any."""

    apply = staticmethod(apply)
    coordinates = staticmethod(coordinates)

    @staticmethod
    def alike(source: Tensor, made: Tensor, name: str) -> Tensor:
        """A new tensor like a sparse one specifies nothing; one with numbers has no kernel."""
        if name in _DRAWN:
            raise NotImplementedError(NO_KERNEL.format(_DRAWN[name], "SparseCPU"))
        assert source._coo is not None
        dims = len(source._coo.indices) if made._data.ndim == source._data.ndim else made._data.ndim
        return keep(made, replace(of_array(np.zeros_like(made._data), dims), compressed=source._coo.compressed))

    @staticmethod
    def gradient(total: Tensor, parts: Sequence[Tensor], leaf: Tensor | None = None) -> None:
        """Let a sum of gradients be sparse if all of them are, and that of a sparse leaf which is 0 at what the leaf
        does not specify: it came through its values."""
        known = [each._coo for each in parts]
        if leaf is not None and leaf._coo is not None and None in known:
            indices, rest = leaf._coo.indices, total._data.copy()
            rest[tuple(indices)] = 0
            if not rest.any():
                total._coo = Coordinates(indices, _at(total._data, indices))
        elif all(known):
            found = known[0]
            for each in known[1:]:
                found = _added(found, each, total._data.shape, 1, total._data.dtype)  # type: ignore[arg-type]
            total._coo = found


# --- products ---


def places_of(x: Tensor, name: str = "_indices") -> Places:
    if x._coo is None:
        raise NotImplementedError(NO_KERNEL.format(name, "CPU"))
    return _as_places(x._coo.indices)


def _as_places(indices: Array) -> Places:
    return tuple(map(tuple, indices.tolist()))


def check_product(x: Tensor, y: Tensor) -> None:
    if y._data.ndim != 2:
        y.size(1)
    check_inner(x, y)


def _mm(x: Tensor, y: Tensor) -> Tensor:
    if x._coo is not None and y._coo is not None:
        return call(SPARSE_MATMUL, x, y)
    if x._coo is None:
        return of_dense("mm", x, y)
    check_product(x, y)
    return call(SPARSE_MM, x, y)


def of_dense(key: str, *operands: Tensor, **params: object) -> Tensor:
    """The product by the row for dense operands: the numbers of a sparse one are such an array, too."""
    found: Tensor = run_row(ROWS[key], operands, [each._data for each in operands], params, _in_dense)
    return found


def _mv(x: Tensor, y: Tensor) -> Tensor:
    if x._coo is None:
        return of_dense("mv", x, y)
    if y._coo is not None:
        raise NotImplementedError(NO_KERNEL.format("as_strided", "SparseCPU"))
    return call(SPARSE_MV, x, y)


def _addmm(x: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    check_product(a, b)
    where = ["Strided" if each._coo is None else "Sparse" for each in (x, a, b)]
    if x._coo is not None:
        raise RuntimeError(f"addmm_sparse_dense: expected strided result tensor, got tensor with layout {where[0]}")
    if a._coo is None or b._coo is not None:
        raise RuntimeError(
            "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have strided layout, got "
            f"'mat1' with layout {where[1]} and 'mat2' with layout {where[2]}"
        )
    return call(ADDMM_OF_SPARSE, x, a, b, beta=beta, alpha=alpha)


def _bmm(x: Tensor, y: Tensor) -> Tensor:
    head, dims = "bmm_sparse: Tensor", x.sparse_dim()
    if y._coo is not None:
        raise RuntimeError(f"{head} 'mat2' must be dense")
    if x.dense_dim():
        raise RuntimeError(f"{head} 'self' must have 0 dense dims, but has {x.dense_dim()}")
    if dims != 3:
        raise RuntimeError(f"{head} 'self' must have 3 sparse dims, but has {dims}")
    if y._data.ndim != 3:
        raise RuntimeError(f"{head} 'mat2' must have 3 dims, but has {y._data.ndim}")
    for mine, other in ((0, 0), (2, 1)):
        if x._data.shape[mine] != y._data.shape[other]:
            raise RuntimeError(f"bmm_sparse: 'self.size({mine})' and 'mat2.size({other})' must match")
    if x._data.dtype != y._data.dtype:
        raise RuntimeError(f"expected scalar type {x.dtype.title} but found {y.dtype.title}")
    return of_dense("bmm", x, y)


_PRODUCTS: Mapping[str, Callable[..., Tensor]] = {"mm": _mm, "mv": _mv, "addmm": _addmm, "bmm": _bmm}


for _name in ("spmm", "dsmm"):
    api(_name, where="torch")(lambda input, mat2: F["mm"](input, mat2))

# --- making them ---

_UNCHECKED = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a "
    "sparse tensor which violates the invariants, but checks incur performance overhead. To silence this warning, "
    "explicitly opt in or out. See `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance.  (Triggered "
    "internally at /__w/pytorch/pytorch/aten/src/ATen/Context.cpp:816.)"
)
_BETA = (
    "Sparse CSR tensor support is in beta state. If you miss a functionality in the sparse tensor support, please "
    "submit a feature request to https://github.com/pytorch/pytorch/issues. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/SparseCsrTensorImpl.cpp:49.)"
)


@api("sparse_coo_tensor", where="torch")
def sparse_coo_tensor(
    indices: Any,
    values: Any = UNSAID,
    size: Sequence[int] | None = None,
    *,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """A sparse tensor from the coordinates and values of its elements."""
    if check_invariants is None:
        warn_once("sparse invariants", _UNCHECKED)
    check_device(device)
    if values is UNSAID:
        shape = plain_numbers(indices if isinstance(indices, Sequence) else (indices,))
        empty = np.zeros(0, (dtype or dtypes.get_default_dtype()).np)
        return _offered(np.zeros((len(shape), 0), np.int64), wrap(empty), shape, requires_grad, True)
    given, places = _as_tensor(values, dtype), _as_tensor(indices)
    if places._data.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places._data.shape)}")
    at = places._data.astype(np.int64)
    if given._data.ndim < 1 or at.shape[1] != given._data.shape[0]:
        raise RuntimeError(f"indices and values must have same nnz, but got nnz from indices: {at.shape[1]}, nnz from "
                           f"values: {given._data.shape[0] if given._data.ndim else 1}")  # fmt: skip
    least = (*(at.max(1, initial=-1) + 1).tolist(), *given._data.shape[1:])
    shape = plain_numbers(least if size is None else size)
    _check_places(at, given, shape)
    return _offered(at, given, shape, requires_grad, bool(is_coalesced))


def _as_tensor(given: Any, dtype: dtypes.dtype | None = None) -> Tensor:
    made = given if isinstance(given, Tensor) else F["tensor"](given)
    return made if dtype is None else made.to(dtype)


def _check_places(indices: Array, values: Tensor, shape: Sequence[int]) -> None:
    if len(indices) + values._data.ndim - 1 != len(shape):
        raise RuntimeError(f"number of dimensions must be sparse_dim ({len(indices)}) + dense_dim "
                           f"({values._data.ndim - 1}), but got {len(shape)}")  # fmt: skip
    for dim, row in enumerate(indices):
        if row.size and row.min() < 0:
            raise RuntimeError(f"found negative index {row.min()} for dim {dim}")
        if row.size and row.max() >= shape[dim]:
            raise RuntimeError(f"size is inconsistent with indices: for dim {dim}, size is {shape[dim]} but found "
                               f"index {row.max()}")  # fmt: skip
    expected = [indices.shape[1], *shape[len(indices) :]]
    if list(values._data.shape) != expected:
        raise RuntimeError(f"values has incorrect size, expected {expected}, got {list(values._data.shape)}")


def _offered(indices: Array, values: Tensor, shape: tuple[int, ...], requires_grad: bool, in_order: bool) -> Tensor:
    check_room(shape, values._data.itemsize)
    known = Coordinates(indices, values._data.copy(), in_order)
    if requires_grad or not (state.grad and values._requires_grad):
        return keep(made(dense(indices, values._data, shape), requires_grad), known)
    return keep(call(SPARSE_COO_TENSOR, values, size=shape, places=_as_places(indices)), known)


@api("sparse_csr_tensor", where="torch")
def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A sparse matrix from the columns and values of its rows."""
    if check_invariants is None:
        warn_once("sparse invariants", _UNCHECKED)
    starts, columns = (_as_tensor(each)._data.astype(np.int64) for each in (crow_indices, col_indices))
    given = _as_tensor(values, dtype)
    warn_once("sparse csr", _BETA)
    if starts.ndim < 1:
        raise RuntimeError(f"crow_indices must have dimensionality >= 1 but got {starts.ndim}")
    shape = plain_numbers((len(starts) - 1, columns.max(initial=-1) + 1) if size is None else size)
    counts = np.diff(starts)
    if starts.ndim != 1 or columns.shape != given._data.shape[:1] or (counts < 0).any() or counts.sum() != columns.size:
        raise RuntimeError("crow_indices, col_indices and values of a sparse matrix do not fit each other")
    at = np.stack([overflow.repeat(np.arange(len(counts)), counts), columns])
    _check_places(at, given, shape)
    found = _offered(at, given, shape, requires_grad, True)
    return keep(found, replace(found._coo, compressed=True) if found._coo else None)


@method("to_sparse", "to_sparse_coo")
def to_sparse(self: Tensor, sparse_dim: int | None = None, *, layout: object = None) -> Tensor:
    """The same numbers, of which only those that are not 0 are specified."""
    if layout is not None and str(layout) == str(SPARSE_CSR):
        return to_sparse_csr(self)
    if self._coo is not None:
        if not self._coo.compressed:
            return self
        return keep(call(TO_SPARSE, keep(self.detach(), None)), replace(self._coo, compressed=False))
    if sparse_dim == 0 and self._data.ndim:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    if sparse_dim is not None and not 0 <= sparse_dim <= self._data.ndim:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{self._data.ndim}] range, but {sparse_dim} is given"
        )
    return keep(call(TO_SPARSE, self), of_array(self._data, sparse_dim))


@method("to_sparse_csr")
def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """The same numbers, of which only those that are not 0 are specified, row by row."""
    most = self._data.ndim - 2
    if dense_dim is not None and not 0 <= dense_dim <= most:
        raise RuntimeError(
            f"dense_to_sparse_csr: dense_dim argument must be in [0,{most}] range, but {dense_dim} is given"
        )
    if most < 0:
        raise IndexError(
            f"select(): index 1 out of range for tensor of size {[*self.shape, 1]} at dimension {most + 2}"
        )
    if most:
        raise NotImplementedError("batches of sparse matrices by rows are not in GradViz; convert one at a time")
    warn_once("sparse csr", _BETA)
    known = of_array(self._data) if self._coo is None else coalesced(self._coo, self._data.shape)
    return keep(run_row(TO_SPARSE_CSR, (self,), (self._data,), {}, _in_dense), replace(known, compressed=True))


@method("to_dense")
def to_dense(self: Tensor, dtype: dtypes.dtype | None = None, *, masked_grad: bool | None = None) -> Tensor:
    """All numbers, 0 where none is specified."""
    found = self if self._coo is None else call(TO_DENSE, self, places=places_of(self))
    return found if dtype is None else found.to(dtype)


# --- asking them ---


@method("coalesce")
def coalesce(self: Tensor) -> Tensor:
    """The same tensor with each element once, in order."""
    return self if _known(self, "coalesce").coalesced else call(COALESCE, self)


@method("values")
def values(self: Tensor) -> Tensor:
    """The specified elements."""
    known = _known(self, "values", "sparse tensor")
    if not known.coalesced:
        raise RuntimeError(_NOT_YET.format("values"))
    return call(VALUES, self, places=places_of(self))


_NOT_YET = "Cannot get {0} on an uncoalesced tensor, please call .coalesce() first"


@method("indices")
def indices(self: Tensor) -> Tensor:
    """The coordinates of the specified elements."""
    if not _known(self, "indices").coalesced:
        raise RuntimeError(_NOT_YET.format("indices"))
    return made(_known(self).indices.copy())


@method("crow_indices")
def crow_indices(self: Tensor) -> Tensor:
    """Where each row begins among the values."""
    return made(starts_of(_known(self, "crow_indices", "sparse row compressed tensor"), self._data.shape[0]))


@method("col_indices")
def col_indices(self: Tensor) -> Tensor:
    """The column of each value."""
    return made(_known(self, "col_indices", "sparse row compressed tensor").indices[1].copy())


def starts_of(known: Coordinates, rows: int) -> Array:
    """Where each row begins."""
    return np.searchsorted(known.indices[0], np.arange(rows + 1))


def _inner(name: str, found: Callable[[Coordinates], object]) -> None:
    @method(name)
    def function(self: Tensor) -> object:
        if self._coo is None:
            raise NotImplementedError(NO_KERNEL.format(name, "CPU"))
        return found(self._coo)

    function.__doc__ = "A part of a sparse tensor as it is."


_inner("_nnz", lambda known: known.values.shape[0])
_inner("_indices", lambda known: made(known.indices.copy()))
_inner("_values", lambda known: made(known.values.copy()))


@method("is_coalesced")
def is_coalesced(self: Tensor) -> bool:
    """Whether each element is specified once, in order."""
    return _known(self, "is_coalesced").coalesced


@method("sparse_dim")
def sparse_dim(self: Tensor) -> int:
    """The number of dimensions that the coordinates have."""
    return 0 if self._coo is None else len(self._coo.indices)


@method("dense_dim")
def dense_dim(self: Tensor) -> int:
    """The number of dimensions that each value has."""
    return self._data.ndim if self._coo is None else self._coo.values.ndim - 1


@method("sparse_mask")
def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The elements that a sparse tensor specifies, as another one."""
    places = places_of(mask, "sparse_mask")
    known = _known(mask)
    at = call(VALUES, self, places=places)
    return keep(call(SPARSE_COO_TENSOR, at, size=self._data.shape, places=places),
                replace(known, values=at._data))  # fmt: skip
