"""Indexing: `x[...]` in all its forms, assignment to it, and picking, scattering and sorting by index tensors.

Note [Index plans] `x[…]` is split up as in PyTorch: integers select, slices slice, None adds a dimension (views, a node
each); the remaining index tensors make one `index` node. Several index tensors are broadcast together and kept as one
saved tensor whose first dimension has one entry per index."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.batched import one_by_one
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.graph import Node
from gradviz.engine.kernel.memory import laid_by_strides
from gradviz.engine.kernel.messages import INFERENCE_SAVED, NO_DIMENSION, check_value, exact_number
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.saved import keep_sources
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops.creation import check_element_type
from gradviz.engine.ops.elementwise import operand
from gradviz.engine.ops.shape import ALIAS
from gradviz.engine.ops.slicing import SELECT, SLICE
from gradviz.engine.run.api import FUNCTIONS, api, method, overridden
from gradviz.engine.run.apply import apply, call, unseen_view
from gradviz.engine.run.inplace import AS_IT_GOES, check_overlap, check_writable, write
from gradviz.engine.run.overrides import AS_THEY_ARE, is_met
from gradviz.engine.run.signatures import type_name

T = TypeVar("T")
F = FUNCTIONS

# --- index tensors ---


def _key(indices: Array, slots: tuple[int, ...], ndim: int) -> tuple[Any, ...]:
    """NumPy's key: the index arrays at the dimensions `slots`, full slices elsewhere."""
    parts = (indices,) if len(slots) == 1 else tuple(indices)
    at = dict(zip(slots, parts, strict=True))
    return tuple(at.get(i, slice(None)) for i in range(ndim))


def _taken(x: Array, indices: Array, *, slots: tuple[int, ...]) -> Any:
    made = x[_key(indices, slots, x.ndim)]
    if not isinstance(x, np.ndarray) or (x.flags.c_contiguous and made.flags.c_contiguous and 1 not in made.shape):
        return made
    several = [0] * (made.ndim - x.ndim + len(slots))
    rest = [step for dim, step in enumerate(x.strides) if dim not in slots]
    first = slots[0] if slots[-1] - slots[0] == len(slots) - 1 else 0
    return laid_by_strides(made, [*rest[:first], *several, *rest[first:]])


def _index_put(x: Array, indices: Array, values: Array, *, slots: tuple[int, ...], accumulate: bool = False) -> Array:
    out = x.copy()
    key = _key(indices, slots, x.ndim)
    if accumulate:
        np.add.at(out, key, values.astype(x.dtype))
    else:
        out[key] = values
    return out


def _put_in_turn(x: Array, indices: Array, values: Array, *, slots: Any, accumulate: bool) -> tuple[Array, Array]:
    """The flat places that are written, and what is read for each of them."""
    places = np.arange(x.size).reshape(x.shape)[_key(indices, slots, x.ndim)]
    return places, np.broadcast_to(values, places.shape)


AS_IT_GOES["index_put"] = _put_in_turn


def _index_grad(grad: Tensor, self_shape: object, indices: Tensor, slots: object) -> Tensor:
    zeros = grad.new_zeros(self_shape)
    return call(INDEX_PUT, zeros, indices, grad, slots=slots, accumulate=True)


INDEX: OpRow = op(
    "index",
    "self, indices",
    _taken,
    category="indexing",
    symbol="[i]",
    latex=r"x_i",
    brief="Elements at given indices.",
    self=sentence("each element of grad added where it was taken from, 0 elsewhere", _index_grad),
)
INDEX_PUT: OpRow = op(
    "index_put",
    "self, indices, values",
    _index_put,
    category="indexing",
    symbol="[i]=",
    latex=r"x_i \leftarrow v",
    brief="Elements at given indices are written.",
    self=sentence(
        "grad, 0 at the indices",
        lambda grad, indices, slots, accumulate: (
            grad if accumulate else call(INDEX_PUT, grad, indices, grad.new_zeros(()), slots=slots, accumulate=False)
        ),
    ),
    values=sentence("grad at the indices", lambda grad, indices, slots: call(INDEX, grad, indices, slots=slots)),
)


def _as_index(value: object) -> Tensor | None:
    """A tensor for a list, an array or a tensor given as index; None if it is no index tensor."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray):
        check_element_type(value)
        return wrap(value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    if isinstance(value, (list, range)) or (isinstance(value, tuple) and value):
        return _places(list(value))
    kind = type(value)
    if hasattr(kind, "__getitem__") and hasattr(kind, "__len__") and not isinstance(value, (tuple, dict)):
        several: Any = value  # such as a Subset that random_split made of row numbers
        return _places([several[i] for i in range(len(several))])
    return None


def _once(item: T) -> T | Tensor:
    """What is given as index, lists and the like as tensors."""
    found = None if type(item) is int or type(item) is slice else _as_index(item)
    return item if found is None else found


def _places(numbers: list[int]) -> Tensor:
    if numbers and all(type(each) is int and abs(each) < 1 << 63 for each in numbers):
        return wrap(np.array(numbers, np.int64))  # the snippet made no tensor
    found: Tensor = F["tensor"](numbers)
    return found if found.dtype in (dtypes.bool_, dtypes.uint8, dtypes.int64) else found.long()


# PyTorch still reads `x[[[0, 1], [1, 2]]]` as `x[[0, 1], [1, 2]]`, by a rule of old NumPy's.
_LIST_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result (Triggered internally at "
    "/__w/pytorch/pytorch/torch/csrc/autograd/python_variable_indexing.cpp:349.)"
)
_BYTES_AS_MASK = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead. (Triggered internally "
    "at /__w/pytorch/pytorch/aten/src/ATen/native/IndexingUtils.h:37.)"
)


def _is_like_a_tuple(items: object) -> bool:
    if not isinstance(items, (list, range, str)) or len(items) >= 32:
        return False
    parts = (list, tuple, range, str, bytes, np.ndarray, Tensor, slice, type(None), type(...))
    return any(isinstance(each, parts) for each in items)


def _bound(value: Any) -> int | None:
    """A start, end or step of a slice."""
    if value is None:
        return None
    try:
        return int(value) if isinstance(value, Tensor) else operator.index(value)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


class _Indexer:
    """Splits up `x[items]`; see Note [Index plans]. After `run`, `view` is the result of the views and `slots` the
    remaining index tensors."""

    def __init__(self, tensor: Tensor, items: Any, *, writes: bool = False) -> None:
        self.original = tensor
        self.writes = writes
        self.view = tensor
        self.dim = 0
        self.slots: dict[int, Array] = {}
        self.given: list[tuple[int, Tensor, int]] = []  # where each index tensor or mask begins, and its dimensions
        self.outside: IndexError | None = None  # of a write: PyTorch finds it last, while it writes; the index is -1
        if _is_like_a_tuple(items):
            warnings.warn(_LIST_AS_TUPLE, UserWarning, stacklevel=3)
            items = tuple(items)
        self.items = tuple(map(_once, items if isinstance(items, tuple) else (items,)))
        self._run()

    def _run(self) -> None:
        used = sum(self._consumes(item) for item in self.items)
        n = self.original._data.ndim
        if used > n == 0:
            if len(self.items) == 1 and isinstance(self.items[0], slice):
                raise IndexError("slice() cannot be applied to a 0-dim tensor.")
            if len(self.items) > 1 or not isinstance(self.items[0], (int, np.integer)):
                raise IndexError("too many indices for tensor of dimension 0")
            if self.items[0]:
                raise IndexError(f"index {self.items[0]} is out of bounds for dimension 0 with size 0")
            raise IndexError(NO_DIMENSION)
        if used > n:
            raise IndexError(f"too many indices for tensor of dimension {n}")
        if len(self.items) > 1 and state.observer is None and not state.layered and self._picks():
            return
        for place, item in enumerate(self.items):
            self.place = place  # PyTorch calls this the dimension, whatever it is
            if item is Ellipsis:
                self.dim += n - used
            else:
                self._one(item)

    def _picks(self) -> bool:
        """Make the view of several plain numbers at once where nothing sees the views in between."""
        data, items = self.original._data, [item for item in self.items if type(item) is int]
        if len(items) < len(self.items) or any(not -n <= i < n for i, n in zip(items, data.shape)):  # noqa: B905
            return False
        view = unseen_view(self.original, data[(*self.items, ...)])
        if view is not None:
            self.view = view
        return view is not None

    @staticmethod
    def _consumes(item: object) -> int:
        if type(item) is int or type(item) is slice:
            return 1
        if item is None or item is Ellipsis or isinstance(item, bool):
            return 0
        if isinstance(item, Tensor) and item.dtype in (dtypes.bool_, dtypes.uint8):
            return int(item._data.ndim)
        return 1

    def _one(self, item: object) -> None:
        if item is None:
            self.view = self.view.unsqueeze(self.dim)
            self.dim += 1
        elif isinstance(item, (bool, np.bool_)):
            self.view = self.view.unsqueeze(self.dim)
            self._add(np.zeros(1 if item else 0, np.int64))
        elif isinstance(item, (int, np.integer)):
            self._select(int(item))
        elif isinstance(item, slice):
            self._slice(item)
        else:
            self._tensor(item)

    def _select(self, index: int) -> None:
        n = self.view._data.shape[self.dim]
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of bounds for dimension {self.place} with size {n}")
        self.view = call(SELECT, self.view, dim=self.dim, index=index % n)

    def _slice(self, item: slice) -> None:
        parts = [_bound(each) for each in (item.start, item.stop, item.step)]
        if parts[2] == 0:
            raise ValueError("slice step cannot be zero")
        if parts[2] is not None and parts[2] < 0:
            raise ValueError("step must be greater than zero")
        if parts != [None, None, None] or len(self.items) == 1:
            n = self.view._data.shape[self.dim]
            start, end, step = slice(*parts).indices(n)
            if (self.writes or len(self.items) > 1) and parts[0] in (None, 0) and end == n and step == 1:
                self.dim += 1  # PyTorch skips slices that change nothing
                return
            self.view = call(SLICE, self.view, dim=self.dim, start=start, end=max(start, end), step=step)
        self.dim += 1

    def _tensor(self, item: object) -> None:
        if not isinstance(item, Tensor):
            raise IndexError(
                f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                f"(got {type(item).__name__})"
            )
        index, data = item, item._data
        if index.dtype in (dtypes.bool_, dtypes.uint8):
            if index.dtype is dtypes.uint8:
                warnings.warn(_BYTES_AS_MASK, UserWarning, stacklevel=6)
            self.given.append((self.dim, index, data.ndim))
            self._mask(data)
        elif index.dtype.rank == 1 and not data.ndim and type(data) is np.ndarray:
            self._select(int(data))
        elif index.dtype not in (dtypes.int64, dtypes.int32):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        else:
            self.given.append((self.dim, index, 1))
            self._add(self._checked(data))

    def _mask(self, data: Array) -> None:
        if not data.ndim and type(data) is np.ndarray:
            self._one(bool(data))
            return
        for i, n in enumerate(data.shape):
            m = self.view._data.shape[self.dim + i]
            if n != m:
                raise IndexError(
                    f"The shape of the mask {list(data.shape)} at index {i} does not match the shape of the "
                    f"indexed tensor "
                    f"{list(self.view._data.shape)} at index {self.dim + i}"
                )
        for part in np.nonzero(data):
            self._add(part)

    def _add(self, index: Array) -> None:
        self.slots[self.dim] = index
        self.dim += 1

    def _checked(self, data: Array) -> Array:
        n = self.view._data.shape[self.dim]
        if not n and data.size:
            raise IndexError("index is out of bounds for dimension with size 0")
        if not self.view._data.size:
            return np.zeros_like(data)  # nothing is read, so PyTorch looks at no index
        bad = data[(data < -n) | (data >= n)]
        if bad.size:
            words = f"index {int(bad.flat[0])} is out of bounds for dimension {len(self.slots)} with size {n}"
            if not self.writes:
                raise IndexError(words)
            self.outside = self.outside or IndexError(words)
            return np.where((data < -n) | (data >= n), -1, data % n)
        return np.where(data < 0, data + n, data)

    def show(self, node: Node | None, indices: Tensor) -> None:
        """Let the node show what it saved as PyTorch does: the index tensors as they were given, None for the rest; and
        refuse its backward if one of them was written to."""
        if node is None or node.saved is None:
            return
        shown: list[Tensor | None] = []
        for dim, index, _ in self.given:
            if index._inference:
                raise RuntimeError(INFERENCE_SAVED)
            shown += [None] * (dim - len(shown) - self._extra(dim)) + [index]
        node.captured = {**node.captured, "shown_indices": tuple(shown)}
        keep_sources(node, indices, [index for _, index, _ in self.given])

    def _extra(self, dim: int) -> int:
        """How many dimensions before `dim` share an entry with another: those of a mask."""
        return sum(max(width - 1, 0) for begin, _, width in self.given if begin < dim)

    def indices(self) -> tuple[Tensor, tuple[int, ...]]:
        """The index tensors as one, and the dimensions that they index."""
        slots = tuple(self.slots)
        parts = list(self.slots.values())
        if any(type(each) is not np.ndarray for each in parts):
            return wrap(one_by_one(_together, parts, {})), slots
        if len(parts) == 1:
            return wrap(np.ascontiguousarray(parts[0], np.int64)), slots
        try:
            return wrap(np.stack(np.broadcast_arrays(*parts)).astype(np.int64)), slots
        except ValueError:
            shapes = ", ".join(str(list(p.shape)) for p in parts)
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ) from None


def _together(*parts: Array) -> Array:
    """The index arrays of one example of a vmap, combined into one."""
    return parts[0].astype(np.int64) if len(parts) == 1 else np.stack(np.broadcast_arrays(*parts)).astype(np.int64)


@method("__getitem__")
def getitem(self: Tensor, items: object) -> Tensor:
    """Elements by integers, slices, None, `...`, masks and index tensors."""
    found = _Indexer(self, items)
    if found.slots:
        indices, slots = found.indices()
        made = call(INDEX, found.view, indices, slots=slots)
        found.show(made._node, indices)
        return made
    if found.view is self:
        return call(ALIAS, self)
    return found.view


@method("__setitem__")
def setitem(self: Tensor, items: object, value: object) -> None:
    """Write to what `self[items]` names."""
    if type(value) not in AS_THEY_ARE and is_met(type(value)):
        overridden(Tensor.__setitem__, "Tensor.__setitem__", (self, items, value), {})
        return
    if not isinstance(value, (Tensor, int, float, complex, np.integer)):
        raise TypeError(f"can't assign a {type_name(value)} to a {self.dtype.label}")
    if not isinstance(value, Tensor):
        value = exact_number(value)
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
        check_value(value, self.dtype)
    found = _Indexer(self, items, writes=True)
    given = operand(value)
    if not found.slots:
        whole = items is Ellipsis or not found.items or any(isinstance(each, slice) for each in found.items)
        target = found.view if whole or found.view is not self else call(ALIAS, self)
        _check_assignable(given, target)
        if given._data.ndim and given._data.shape != target._data.shape:
            given = _without_ones(given)
            if given._data.shape != target._data.shape:
                given = given.expand(target._data.shape)
        if given._data.ndim or ((layers.stack or layers.duals) and given._wrapped is None):
            target.copy_(given)
        elif given._wrapped is None:
            target.fill_(given if given.dtype is target.dtype else given.to(target.dtype))
        else:
            target.fill_(wrap(given._data))
        return
    if not (_is_mask(found) and given._data.size == 1):
        check_writable(found.view, state.grad and (found.view._requires_grad or given._requires_grad))
        check_overlap(found.view, (given,), apart=True)
    indices, slots = found.indices()
    if given.dtype is not self.dtype and not given._data.ndim and _is_mask(found):
        given = given.to(self.dtype)  # PyTorch fills in this case
    if given._data.shape[:1] == (1,):
        given = _without_ones(given)
    check_writable(found.view, state.grad and (found.view._requires_grad or given._requires_grad))
    _check_put(found.view, indices, slots, given, True)
    _check_inside(found, indices, given, False)
    arrays = found.view._data, indices._data, given._data
    write(found.view, INDEX_PUT, (found.view, indices, given), arrays, {"slots": slots, "accumulate": False})
    if found.view._base is None:
        found.show(found.view._node, indices)


def _without_ones(given: Tensor) -> Tensor:
    """A view of a value without its leading dimensions of size 1."""
    shape = given._data.shape
    first = next((at for at, n in enumerate(shape) if n != 1), len(shape))
    return given.view(shape[first:])


def _is_mask(found: _Indexer) -> bool:
    return len(found.given) == 1 and found.given[0][1].dtype is dtypes.bool_


def _check_assignable(given: Tensor, target: Tensor) -> None:
    shape, wide = given._data.shape, target._data.shape
    while shape[:1] == (1,):
        shape = shape[1:]
    if len(shape) > len(wide):
        raise RuntimeError(
            f"expand({given.dtype.cpu_type}{{{list(shape)}}}, size={list(wide)}): the number of sizes provided "
            f"({len(wide)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    for i, (n, m) in enumerate(zip(reversed(shape), reversed(wide), strict=False)):
        if n not in (1, m):
            raise RuntimeError(
                f"The expanded size of the tensor ({m}) must match the existing size ({n}) at non-singleton dimension "
                f"{len(wide) - 1 - i}.  Target sizes: {list(wide)}.  Tensor sizes: {list(shape)}"
            )


@method("__delitem__")
def delitem(self: Tensor, items: object) -> None:
    """Refused: a tensor keeps all its elements."""
    raise TypeError("Tensor does not support deleting items")


def _check_put(target: Tensor, indices: Tensor, slots: tuple[int, ...], given: Tensor, assigned: bool = False) -> None:
    """Refuse values that don't fit the indexed part, in shape or in type."""
    at = target._data[_key(indices._data, slots, target._data.ndim)].shape
    shape = given._data.shape
    while assigned and shape[:1] == (1,) and len(shape) > 1:
        shape = shape[1:]
    try:
        fits = np.broadcast_shapes(shape, at) == at
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result of shape "
            f"{list(at)}"
        )
    if given.dtype is not target.dtype and given._wrapped is None:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {target.dtype.title} for the "
            f"destination and {given.dtype.title} for the source."
        )


def _check_inside(found: _Indexer, indices: Tensor, given: Tensor, accumulate: bool) -> None:
    """Refuse an index outside of a dimension. PyTorch finds it while it writes, so what comes before it is written."""
    if found.outside is None:
        return
    data, slots = found.view._data, tuple(found.slots)
    at = np.indices(data.shape, sparse=False)[(slice(None), *_key(indices._data, slots, data.ndim))]
    outside = indices._data < 0 if len(slots) == 1 else (indices._data < 0).any(0)
    first = slots[0] if slots[-1] - slots[0] == len(slots) - 1 else 0
    behind = at.ndim - 1 - first - outside.ndim
    count = int(np.argmax(np.broadcast_to(outside.reshape(*outside.shape, *[1] * behind), at.shape[1:])))
    places = tuple(at.reshape(data.ndim, -1)[:, :count])
    values = np.broadcast_to(given._data, at.shape[1:]).reshape(-1)[:count].astype(data.dtype)
    if accumulate:
        np.add.at(data, places, values)
    else:
        data[places] = values
    raise found.outside


@method("index_put_")
def index_put_(self: Tensor, indices: tuple[Tensor | None, ...], values: Tensor, accumulate: bool = False) -> Tensor:
    """Write (or add) values at index tensors."""
    _check_count(self, indices)
    check_writable(self, state.grad and (self._requires_grad or values._requires_grad))
    check_overlap(self, (values,), apart=True)
    found = _Indexer(self, tuple(indices), writes=True)
    tensor, slots = found.indices()
    _check_put(self, tensor, slots, values)
    _check_inside(found, tensor, values, accumulate)
    arrays = self._data, tensor._data, values._data
    return write(self, INDEX_PUT, (self, tensor, values), arrays, {"slots": slots, "accumulate": accumulate})


def _check_count(input: Tensor, indices: Sequence[object]) -> None:
    if len(indices) > input._data.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input._data.ndim} (got {len(indices)})")


@api("index_put")
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with values written (or added) at index tensors."""
    _check_count(input, indices)
    tensor, slots = _Indexer(input, tuple(indices)).indices()
    _check_put(input, tensor, slots, values)
    made: Tensor = apply(
        INDEX_PUT,
        (input, tensor, values),
        (input._data, tensor._data, values._data),
        {"slots": slots, "accumulate": accumulate},
    )
    return made
