"""Where the numbers of a tensor are: how often memory was written to; how a tensor is laid out in it (`torch.layout`,
`torch.memory_format`); and views of it with any sizes and strides. NumPy itself doesn't check such
views, so all of them are made here, after a check against the actual memory; a test keeps `as_strided` and its
relatives out of all other modules. The operations are in `ops/strided.py`."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.messages import called, plain_numbers

if TYPE_CHECKING:
    from gradviz.engine.kernel.tensor import Tensor


_LARGEST = 2**63 - 1  # bytes that NumPy and PyTorch can count


def root_of(x: Array) -> Array:
    """The array at the root of a chain of views: the array itself, if it is no view."""
    root: Array = x
    below: Array | None = x.base
    while below is not None:
        if isinstance(below, np.ndarray):
            root = below
        below = getattr(below, "base", None)  # views of sliding windows have an object between them and their base
    return root


def memory_of(x: Array) -> Array:
    """The bytes of the whole memory behind an array, whatever types and views are in between."""
    root = np.asarray(root_of(x))
    found: Array = root.ravel(order="K")
    if np.may_share_memory(found, root) or not root.size:
        return found.view(np.uint8)
    low, high = np.lib.array_utils.byte_bounds(root)  # every second element of a foreign buffer: all in between
    lowest = root[tuple(-1 if step < 0 else 0 for step in root.strides)]
    return np.lib.stride_tricks.as_strided(lowest.reshape(1).view(np.uint8), (high - low,), (1,))


def start_of(x: Array, memory: Array) -> int:
    """The byte offset of the first element in this memory, even if there are no elements (then it may be past the end);
    0 if it is elsewhere."""
    start: int = x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return start if 0 <= start < memory.size * (1 if x.size else 2) + (not x.size) else 0


def extent(size: Sequence[int], steps: Sequence[int]) -> tuple[int, int]:
    """The offsets of the lowest and the highest element, counted from the first one."""
    reaches = [(n - 1) * step for n, step in zip(size, steps, strict=True)]
    return sum(each for each in reaches if each < 0), sum(each for each in reaches if each > 0)


def repeated(size: Sequence[int], steps: Sequence[int]) -> list[int]:
    """The dimensions along which all elements are the same one."""
    return [dim for dim, (n, step) in enumerate(zip(size, steps, strict=True)) if n > 1 and not step]


def held_bytes(x: Array) -> int:
    """How many bytes an array spans from its lowest element to its highest: less than its size if elements repeat."""
    low, high = extent(x.shape, x.strides)
    return min(x.nbytes, high - low + x.itemsize)


def occurrences(x: Array) -> tuple[Array, Any]:
    """Elements that contain all elements of an array, and how often each occurs: one number for all, or one for each.
    Returns the array itself if it has no more elements than its memory, so this never takes longer than that."""
    many = repeated(x.shape, x.strides)
    once = x[tuple(slice(1) if dim in many else slice(None) for dim in range(x.ndim))]
    times = math.prod(x.shape[dim] for dim in many)
    low, high = extent(once.shape, once.strides)
    if once.size * x.itemsize <= high - low + x.itemsize or any(step % x.itemsize for step in x.strides):
        return once, times
    memory = memory_of(once)
    count = (high - low) // x.itemsize + 1
    elements = strided(memory, x.dtype, (count,), (x.itemsize,), start_of(once, memory) + low)
    often = np.zeros(count, np.int64)
    often[0] = times
    for n, step in zip(once.shape, once.strides, strict=True):
        often = _shifted_sum(often, n, abs(step) // x.itemsize)
    return elements, often


def _shifted_sum(x: Array, count: int, step: int) -> Array:
    """The sum of the array shifted by 0, 1, 2, … steps, `count` times in all; what falls off the end is 0."""
    if count == 1:
        return x
    rows = np.zeros((-(-len(x) // step), step), x.dtype)
    rows.reshape(-1)[: len(x)] = x
    sums = rows.cumsum(0)
    if count < len(rows):
        sums[count:] -= sums[:-count].copy()
    return sums.reshape(-1)[: len(x)]


def strided(memory: Array, dtype: Any, size: Sequence[int], steps: Sequence[int], start: int) -> Array:
    """Bytes viewed as elements of a type; `steps` and `start` are in bytes. Raises ValueError if an element would be
    outside."""
    size, steps = tuple(size), tuple(steps)
    kind = np.dtype(dtype)
    if any(n < 0 for n in size) or len(size) != len(steps):
        raise ValueError(f"no view has the sizes {list(size)} and steps of {list(steps)} bytes")
    if 0 in size:
        start = min(max(start, 0), memory.size)  # NumPy does not check views of no bytes
    else:
        low, high = extent(size, steps)
        if start + low < 0 or start + high + kind.itemsize > memory.size:
            raise ValueError(
                f"a view of sizes {list(size)} with steps of {list(steps)} bytes from byte {start} lies outside of "
                f"{memory.size} bytes of memory"
            )
    return np.ndarray(size, kind, memory.data, start, steps)


def resized(x: Array, size: tuple[int, ...]) -> tuple[Array, Array | None]:
    """The memory from the first element on in another size, row by row. If it is too small, a longer copy of it (with
    zeros here), and the memory that it replaces."""
    memory = memory_of(x)
    start = start_of(x, memory)
    missing = start + math.prod(size) * x.itemsize - memory.size
    longer = np.concatenate([memory, np.zeros(missing, np.uint8)]) if missing > 0 else memory
    return strided(longer, x.dtype, size, row_strides(size, x.itemsize), start), memory if missing > 0 else None


def sliding(x: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Windows of these sizes along some dimensions, at every position; a view, writable if x is."""
    plain = plain_numbers(sizes)  # NumPy compares them as Python does, and would believe what a subclass of int says
    found: Array = np.lib.stride_tricks.sliding_window_view(x, plain, tuple(axes), writeable=bool(x.flags.writeable))
    return found


def with_one_more(x: Array, *, dim: int) -> Array:
    """Add a dimension of size 1 with the stride that PyTorch gives it, as if its elements were contiguous."""
    if type(x) is not np.ndarray:
        return np.expand_dims(x, dim)
    shape = (*x.shape[:dim], 1, *x.shape[dim:])
    if x.flags.c_contiguous and x.size and 1 not in x.shape:
        return x.reshape(shape)
    steps = _steps(x)
    step = x.shape[dim] * steps[dim] if dim < x.ndim else x.itemsize
    memory = memory_of(x)
    return strided(memory, x.dtype, shape, (*steps[:dim], step, *steps[dim:]), start_of(x, memory))


def ranged(x: Array, *, dim: int, start: int, end: int, step: int) -> Array:
    """A range along a dimension. If it is empty, NumPy forgets its start and its strides."""
    made: Array = x[(slice(None),) * dim + (slice(start, end, step),)]
    if made.shape[dim] or type(x) is not np.ndarray:
        return made
    memory = memory_of(x)
    steps = _steps(x)
    first = slice(start, None).indices(x.shape[dim])[0] * steps[dim]
    steps = (*steps[:dim], steps[dim] * step, *steps[dim + 1 :])
    return strided(memory, x.dtype, made.shape, steps, start_of(x, memory) + first)


def viewed(x: Array, size: Sequence[int]) -> Array | None:
    """The same elements in another shape; None if the memory does not allow it. Dimensions of size 1 get PyTorch's
    strides."""
    if type(x) is not np.ndarray or (x.flags.c_contiguous and (x.base is None or 1 not in x.shape) and x.size):
        try:
            return x.reshape(size, copy=False)
        except ValueError:
            return None
    steps = _viewed_steps(x.shape, _steps(x), size, x.itemsize)
    if steps is None:
        return None
    memory = memory_of(x)
    return strided(memory, x.dtype, size, steps, start_of(x, memory))


def _viewed_steps(
    size: Sequence[int], strides: Sequence[int], asked: Sequence[int], itemsize: int
) -> Sequence[int] | None:
    if not size or 0 in size:
        return strides if size == asked else row_strides(asked, itemsize)
    steps = [0] * len(asked)
    to, base, count, seen = len(asked) - 1, strides[-1], 1, 1
    for dim in range(len(size) - 1, -1, -1):  # contiguous dimensions form a chunk, which the new ones must fill
        count *= size[dim]
        if dim and (size[dim - 1] == 1 or strides[dim - 1] == count * base):
            continue
        while to >= 0 and (seen < count or asked[to] == 1):
            steps[to] = seen * base
            seen *= asked[to]
            to -= 1
        if seen != count:
            return None
        base, count, seen = strides[dim - 1], 1, 1
    return steps if to < 0 else None


def storage_bytes(size: Sequence[int], stride: Sequence[int], itemsize: int, offset: int = 0) -> int:
    """How many bytes a tensor needs, as PyTorch counts: unsigned, refusing what 64 bits can't hold."""
    if 0 in size:
        return 0
    found = 1 + offset
    for n, step in zip(size, stride, strict=True):
        found += (step % 2**64) * ((n - 1) % 2**64)
    if found * itemsize > _LARGEST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    return found * itemsize


def check_count(size: Sequence[int], itemsize: int) -> None:
    """Refuse more elements than 64 bits can count."""
    count = 1
    for n in size:
        count *= n
        if not 0 <= count <= _LARGEST or n < 0:
            raise RuntimeError("numel: integer multiplication overflow")
    larger = itemsize
    for n in size:
        larger *= max(n, 1)  # NumPy counts the sizes next to a 0, too
    if larger > _LARGEST:
        raise RuntimeError(f"tensors of size {list(size)} are not in GradViz; NumPy has no arrays of so many bytes")


def check_room(size: Sequence[int], itemsize: int) -> None:
    """Refuse sizes in bytes that 64 bits can't count: some NumPy functions would overflow and allocate a different
    size."""
    if math.prod(size) * itemsize > _LARGEST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")
    check_count(size, itemsize)


def expanded(x: Array, *, size: Sequence[int]) -> Array:
    """An array repeated along new dimensions and those of size 1, without copying."""
    try:
        return _expanded(x, size)
    except ValueError:
        check_count(size, x.itemsize)
        raise


def _expanded(x: Array, size: Sequence[int]) -> Array:
    if type(x) is not np.ndarray:
        return np.broadcast_to(x, size)
    steps = _expanded_steps(x, size)  # inside the array: nothing to check
    if x.flags.c_contiguous and x.dtype.kind != "V" and x.size:  # as below, in a tenth of the time
        return np.ndarray(size, x.dtype, x, 0, steps)
    if 1 in size or not x.size:  # PyTorch gives a dimension of size 1 a stride, NumPy does not
        memory = memory_of(x)
        return strided(memory, x.dtype, size, steps, start_of(x, memory))
    made = np.broadcast_to(x, size)
    if x.flags.writeable:
        made.flags.writeable = True  # writing to one element of the view writes to the memory behind it
    return made


def _expanded_steps(x: Array, size: Sequence[int]) -> list[int]:
    """The strides of an expanded array: those of the array, 0 where it repeats."""
    extra, steps, inner, known = len(size) - x.ndim, [0] * len(size), x.itemsize, _steps(x)
    if not x.ndim:
        return steps
    for i in reversed(range(len(size))):
        own, step = (x.shape[i - extra], known[i - extra]) if i >= extra else (1, inner)
        if own != 1 and own != size[i]:
            raise ValueError(f"{x.shape} can't be broadcast to {size}")
        steps[i] = step if size[i] == own else 0
        inner = size[i] * steps[i]
    return steps


# --- how often it was written to ---


class VersionCounter:
    """Counts the in-place writes to one piece of memory; shared by views and detached tensors."""

    __slots__ = ("value", "views")

    def __init__(self) -> None:
        self.value = 0
        self.views: list[weakref.ref[Tensor]] = []  # views of a base that did not require grad when they were made

    def note_view(self, view: Tensor) -> None:
        """Remember a view, to notify it when its base comes to require grad."""
        views = self.views
        if len(views) > 64 and len(views) & (len(views) - 1) == 0:
            self.views = views = [ref for ref in views if ref() is not None]
        views.append(weakref.ref(view))

    def now_tracked(self, base: Tensor, lent: bool = False) -> None:
        """The base requires grad from now on, and so do its views; `lent` says that they have no history."""
        for ref in self.views:
            view = ref()
            if view is not None and view._base is base:
                view._requires_grad = True
                if lent and view._view is not None and view._node is None:
                    view._view.lent = True
        if not lent:
            self.views = []

    def untracked(self, base: Tensor) -> None:
        """The base no longer requires grad, nor do the views that did so without a history."""
        for ref in self.views:
            view = ref()
            if view is not None and view._base is base and view._view is not None and view._view.lent:
                view._requires_grad = view._view.lent = False


# --- memory order of the elements: row by row unless another order is asked for; it never changes a number ---


class _Name(str):
    """A name that prints as PyTorch's object does."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@called("torch.layout")
class layout(_Name):
    """How the elements are kept: `torch.strided`, `torch.sparse_coo`, `torch.sparse_csr`."""

    __slots__ = ()


@called("torch.memory_format")
class memory_format(_Name):
    """The order of the dimensions in memory: `torch.contiguous_format` and its relatives."""

    __slots__ = ()


STRIDED, SPARSE_COO, SPARSE_CSR = map(layout, ("torch.strided", "torch.sparse_coo", "torch.sparse_csr"))
FORMATS = {
    name: memory_format(f"torch.{name}")
    for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
}


_LAST = {"torch.channels_last": 4, "torch.channels_last_3d": 5}


def dense(x: Array) -> bool:
    """Whether the elements fill their memory without holes or overlaps."""
    if not x.size:
        return True
    step = x.itemsize
    for n, stride in sorted(zip(x.shape, x.strides, strict=True), key=lambda each: (each[1], each[0])):
        if n != 1:
            if stride != step:
                return False
            step *= n
    return True


def partly_overlapping(a: Array, b: Array, wholly: bool = False) -> bool:
    """Whether two arrays overlap without coinciding (`wholly`: or coincide) element by element. Like PyTorch this looks
    only at arrays without holes; for others the answer is no."""
    if not np.may_share_memory(a, b) or not (a.size and b.size):
        return False
    if type(a) is not np.ndarray or type(b) is not np.ndarray or not (dense(a) and dense(b)):
        return False
    same_place = a.nbytes == b.nbytes and a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    return wholly or not (same_place and a.strides == b.strides)


def is_same(a: Array, b: Array) -> bool:
    """Whether two arrays that share memory, some of whose elements share it too, are the same view of it."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray or 0 not in a.strides:
        return False
    mine, other = a.__array_interface__["data"], b.__array_interface__["data"]
    return bool((mine, a.shape, a.strides, a.dtype) == (other, b.shape, b.strides, b.dtype))


def row_strides(size: Sequence[int], step: int = 1) -> tuple[int, ...]:
    """The strides of contiguous elements, row by row."""
    steps = []
    for n in reversed(size):
        steps.append(step)
        step *= max(n, 1)
    return tuple(steps[::-1])


def without_elements(size: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """An empty array that has strides, row by row: NumPy's have none."""
    return np.ndarray(tuple(size), dtype, np.empty(1, dtype), 0, row_strides(size, dtype.itemsize))


def memory_order(data: Array) -> tuple[int, ...] | None:
    """The dimensions from the largest stride to the smallest; None if that is their order."""
    order = tuple(sorted(range(data.ndim), key=lambda dim: -data.strides[dim]))
    return None if order == tuple(range(data.ndim)) else order


def in_memory_order(x: Array, like: Array) -> Array:
    """A view of an array with its dimensions in the order in which those of `like` are in memory."""
    order = memory_order(like) if type(like) is np.ndarray else None
    return x if order is None else x.transpose(order)


def from_memory_order(x: Array, like: Array) -> Array:
    """The inverse: an array in memory order, viewed with the dimensions of `like`."""
    order = memory_order(like) if type(like) is np.ndarray else None
    return x if order is None else x.transpose(np.argsort(order))


def laid(x: Array, memory_format: object) -> Array:
    """A copy of the array in a format; None keeps the order of dense arrays."""
    if memory_format is None and x.flags.c_contiguous and not single_steps(x):
        return x.copy()
    name = str(memory_format or "torch.preserve_format")
    if name in _LAST:
        check_rank(x.ndim, name)
        return np.moveaxis(np.array(np.moveaxis(x, 1, -1), order="C"), -1, 1)
    if name != "torch.preserve_format":
        return x.copy(order="C")
    if not dense(x):
        return laid_by(x, x)
    return _placed(x, x.strides) if single_steps(x) else x.copy(order="K")


def check_rank(ndim: int, name: str) -> None:
    """Refuse a format for another number of dimensions."""
    if _LAST.get(name, ndim) != ndim:
        raise RuntimeError(f"required rank {_LAST[name]} tensor to use {name.removeprefix('torch.')} format")


def laid_as(made: Array, like: Array, memory_format: object) -> Array:
    """A new array in the order of another one, or in a format."""
    single = single_steps(like)
    if (memory_format is None and like.flags.c_contiguous and not single) or type(made) is not np.ndarray:
        return made
    name = str(memory_format or "torch.preserve_format")
    if name != "torch.preserve_format":
        return made if name == "torch.contiguous_format" else laid(made, memory_format)
    if (like.flags.c_contiguous and not single) or type(like) is not np.ndarray:
        return made
    if not dense(like):
        return laid_by(made, like)
    if single and made.shape == like.shape:
        return _placed(made, [step // like.itemsize * made.itemsize for step in like.strides])
    return from_memory_order(np.array(in_memory_order(made, like), order="C"), like)


def followed(made: Array, operands: Sequence[Array | None]) -> Array:
    """The result of an elementwise operation in PyTorch's order: that of its operands, or of the first one if they
    differ."""
    if type(made) is not np.ndarray or made.ndim < 2:
        return made
    known = [each for each in operands if each is not None]
    if 1 in made.shape and all(each.shape == made.shape and each.flags.c_contiguous for each in known):
        return np.ascontiguousarray(made)
    return laid_by(made, *(each for each in known if each.ndim))


def laid_by(made: Array, *operands: Array) -> Array:
    """The array with its dimensions ordered as in some operands, the way PyTorch's TensorIterator sorts them."""
    return _in_order(made, [_broadcast_strides(each, made.shape) for each in operands])


def laid_by_strides(made: Array, strides: Sequence[int]) -> Array:
    """The same by the strides of one operand; a stride of 0 says nothing about its dimension."""
    return _in_order(made, [strides])


def _broadcast_strides(x: Array, shape: tuple[int, ...]) -> Sequence[int]:
    if x.shape == shape:
        return x.strides
    own = (0 if n == 1 else step for n, step in zip(x.shape, x.strides, strict=True))
    return [0] * (len(shape) - x.ndim) + [*own]


def outermost_first(shape: Sequence[int], known: Sequence[Sequence[int]]) -> list[int]:
    """The dimensions in the order in which PyTorch's loops go over them, by the strides of the operands."""
    order: list[int] = []
    for dim in range(len(shape) - 1, -1, -1):  # from the innermost outwards
        order.append(dim)
        at = len(order) - 1
        for i in range(at - 1, -1, -1):
            side = _compared(shape, known, order[i], order[at])
            if side < 0:
                break
            if side > 0:
                order[i], order[at] = order[at], order[i]
                at = i
    return order[::-1]


def _in_order(made: Array, known: Sequence[Sequence[int]]) -> Array:
    order = outermost_first(made.shape, known)
    turned = made.transpose(order)
    if 1 in made.shape:
        steps = [0] * made.ndim
        for dim, step in zip(order, row_strides(turned.shape, made.itemsize), strict=True):
            steps[dim] = step
        return _placed(made, steps)
    if turned.flags.c_contiguous and made.size and made.base is None:
        return made
    return np.array(turned, order="C").transpose(np.argsort(order))


def single_steps(x: Array) -> bool:
    """Whether a dimension of size 1 has a stride other than the row-by-row one, which NumPy forgets when it copies."""
    if (1 not in x.shape and x.size) or x.base is None or type(x) is not np.ndarray:
        return False
    return _steps(x) != row_strides(x.shape, x.itemsize)


def _steps(x: Array) -> tuple[int, ...]:
    """The strides; all 0 for new NumPy arrays without elements."""
    return x.strides if x.size or any(x.strides) else row_strides(x.shape, x.itemsize)


def _placed(values: Array, steps: Sequence[int]) -> Array:
    """A copy in new memory with these strides."""
    if values.flags.c_contiguous and tuple(steps) == row_strides(values.shape, values.itemsize):
        return np.array(values, order="C")
    made: Array = np.ndarray(values.shape, values.dtype, np.empty(values.nbytes, np.uint8).data, 0, steps)
    np.copyto(made, values)
    return made


def _compared(shape: Sequence[int], known: Sequence[Sequence[int]], a: int, b: int) -> int:
    """Which of two dimensions is further inside: −1 for a, 1 for b, 0 if no operand decides."""
    for strides in known:
        inner, outer = strides[a], strides[b]
        if not inner or not outer:
            continue
        if inner != outer:
            return -1 if inner < outer else 1
        if shape[a] > shape[b]:
            return 1
    return 0


def as_leaf(x: Array, leaf: Array) -> Array:
    """A copy of a gradient, laid out like the leaf if that is dense."""
    if leaf.flags.c_contiguous or type(leaf) is not np.ndarray or not dense(leaf):
        return x.copy()
    return laid_as(x, leaf, None)


def is_as_leaf(x: Array, leaf: Array) -> bool:
    """Whether a gradient is laid out as `as_leaf` would do it."""
    if x.strides == leaf.strides or (x.flags.c_contiguous and (leaf.flags.c_contiguous or not dense(leaf))):
        return True
    return dense(leaf) and all(n == 1 or a == b for n, a, b in zip(x.shape, x.strides, leaf.strides, strict=True))


def is_laid(x: Array, memory_format: object) -> bool:
    """Whether the elements are laid out in a format."""
    name = str(memory_format or "torch.contiguous_format")
    if name in _LAST:
        return x.ndim == _LAST[name] and bool(np.moveaxis(x, 1, -1).flags.c_contiguous)
    return bool(x.flags.c_contiguous)
