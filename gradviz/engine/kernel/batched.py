"""The data of a tensor inside `vmap`: one array for all examples that looks like the array of a single one. Shape,
strides and type are those of one example, so that code that prepares an operation sees what PyTorch shows; reading its
numbers is refused. NumPy functions on it run for all examples: ufuncs at once, others one example at a time. How whole
operations run at once is in `batching.py`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gradviz.engine.kernel.dtypes import Array, Kernel

NO_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
NO_CHOICE = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
NO_POINTER = "Cannot access data pointer of Tensor that doesn't have storage"


class Bound:
    """The smallest or largest number of all examples: a check may compare with it, but it can't be computed with."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: object) -> bool:
        return bool(self.value < other)

    def __le__(self, other: object) -> bool:
        return bool(self.value <= other)

    def __gt__(self, other: object) -> bool:
        return bool(self.value > other)

    def __ge__(self, other: object) -> bool:
        return bool(self.value >= other)

    def __int__(self) -> int:
        raise RuntimeError(NO_ITEM)

    def __float__(self) -> float:
        raise RuntimeError(NO_ITEM)


class BatchedArray(NDArrayOperatorsMixin):
    """`phys` has one leading dimension for each of `levels` (the numbers of vmap layers, ascending)."""

    __slots__ = ("levels", "phys", "place")
    __array_priority__ = 2000

    def __init__(self, phys: Array, levels: tuple[int, ...], place: int = 0) -> None:
        self.phys = phys
        self.levels = levels
        self.place = place  # where the mapped dimension of the innermost level was, for printing

    # --- what it looks like ---

    @property
    def first(self) -> Array:
        """The array of the first example, for its geometry only: its numbers mean nothing."""
        n = len(self.levels)
        if 0 not in self.phys.shape[:n]:
            found: Array = self.phys[(*([0] * n), ...)]  # type: ignore[arg-type]
            return found
        return np.empty(self.phys.shape[n:], self.phys.dtype)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of examples at each level."""
        found: tuple[int, ...] = self.phys.shape[: len(self.levels)]
        return found

    shape = property(lambda self: self.phys.shape[len(self.levels) :])
    strides = property(lambda self: self.phys.strides[len(self.levels) :])
    ndim = property(lambda self: self.phys.ndim - len(self.levels))
    dtype = property(lambda self: self.phys.dtype)
    itemsize = property(lambda self: self.phys.itemsize)
    base = property(lambda self: self.phys if self.phys.base is None else self.phys.base)
    flags = property(lambda self: self.first.flags)
    size = property(lambda self: int(np.prod(self.shape, dtype=np.int64)))
    nbytes = property(lambda self: self.size * self.itemsize)
    real = property(lambda self: BatchedArray(self.phys.real, self.levels))
    imag = property(lambda self: BatchedArray(self.phys.imag, self.levels))
    T = property(lambda self: self.transpose())

    def __len__(self) -> int:
        return int(self.shape[0])

    # --- what it refuses ---

    def __array__(self, *args: object, **kwargs: object) -> Array:
        raise RuntimeError(NO_POINTER)

    def __bool__(self) -> bool:
        raise RuntimeError(NO_CHOICE)

    def item(self, *args: object) -> None:
        """Refused: the number differs from example to example."""
        raise RuntimeError(NO_ITEM)

    def tolist(self) -> None:
        """As `item`."""
        raise RuntimeError(NO_POINTER)

    tobytes = __int__ = __float__ = __index__ = __complex__ = item

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    # --- what runs on all examples ---

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: object, **kwargs: object) -> Any:
        if method != "__call__" or ("out" in kwargs and kwargs["out"] not in ((...,), ...)):
            return one_by_one(getattr(ufunc, method), inputs, kwargs)
        kwargs.pop("out", None)
        levels, given = aligned(inputs)
        made = ufunc(*given, **kwargs)
        if isinstance(made, tuple):
            return tuple(BatchedArray(np.asarray(each), levels) for each in made)
        return BatchedArray(np.asarray(made), levels)

    def __array_function__(self, func: Any, types: object, args: Any, kwargs: object) -> Any:
        if func is np.may_share_memory:
            first, second = (each.phys if isinstance(each, BatchedArray) else each for each in args)
            return bool(np.may_share_memory(first, second))
        if func in _BLANK:
            return self._blank(func, args, kwargs)
        if func in _DYNAMIC:
            raise RuntimeError(_DYNAMIC[func])
        return one_by_one(func, args, kwargs)

    def _blank(self, func: Any, args: tuple[BatchedArray, ...], kwargs: Any) -> Any:
        """`zeros_like` and its relatives, for all examples at once."""
        shape = kwargs.pop("shape", None)
        whole = None if shape is None else (*self.sizes, *((shape,) if isinstance(shape, int) else shape))
        if args[0] is not self:
            return one_by_one(func, args, kwargs)
        return BatchedArray(func(self.phys, *args[1:], shape=whole, **kwargs), self.levels)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> BatchedArray:
        """Convert to another type."""
        return BatchedArray(self.phys.astype(dtype, *args, **kwargs), self.levels, self.place)

    def copy(self, order: Any = "C") -> BatchedArray:
        """Copy to new memory."""
        return BatchedArray(self.phys.copy(order), self.levels, self.place)

    def view(self, *args: object) -> BatchedArray:
        """The same memory, as another type of the same size."""
        return BatchedArray(self.phys.view(*args), self.levels)

    def any(self, *args: object, **kwargs: object) -> bool:
        """Whether anything is true in any example, for checks before an operation; along a dimension, each example
        separately."""
        return bool(self.phys.any()) if not args and not kwargs else self._each("any", args, kwargs)

    def all(self, *args: object, **kwargs: object) -> bool:
        """Whether everything is true in all examples; see `any`."""
        return bool(self.phys.all()) if not args and not kwargs else self._each("all", args, kwargs)

    def min(self, *args: object, **kwargs: object) -> Any:
        """The smallest number of all examples, to compare with; see `any`."""
        return Bound(self.phys.min()) if not args and not kwargs else self._each("min", args, kwargs)

    def max(self, *args: object, **kwargs: object) -> Any:
        """The largest number of all examples; see `any`."""
        return Bound(self.phys.max()) if not args and not kwargs else self._each("max", args, kwargs)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """The numbers of every example in another shape."""
        wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        if not self.phys.size:
            return self._each("reshape", shape, kwargs)
        known = int(np.prod([each for each in wanted if each != -1], dtype=np.int64))
        whole = tuple(self.size // max(known, 1) if each == -1 else each for each in wanted)
        return BatchedArray(self.phys.reshape((*self.sizes, *whole), **kwargs), self.levels)

    def _each(self, name: str, args: Iterable[object], kwargs: object) -> Any:
        return one_by_one(lambda x, *a, **k: getattr(x, name)(*a, **k), (self, *args), kwargs)

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, BatchedArray) and key.dtype == bool:  # what a check found wrong, over all examples
            return self.phys[np.broadcast_to(spread(key, self.levels, self.sizes), self.phys.shape)]
        parts = key if isinstance(key, tuple) else (key,)
        if all(each is None or each is ... or isinstance(each, (int, np.integer, slice)) for each in parts):
            return BatchedArray(self.phys[(slice(None),) * len(self.levels) + parts], self.levels)
        return one_by_one(lambda x, at: x[at], (self, key), {})

    def __setitem__(self, key: object, value: object) -> None:
        for at in np.ndindex(self.sizes):
            self.phys[at][_pick(key, self.levels, at)] = _pick(value, self.levels, at)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(name)
        return lambda *args, **kwargs: self._each(name, args, kwargs)


def alike(data: Array, array: Array) -> Array:
    """A new array like this one, with memory for every example if `data` has that."""
    if not isinstance(data, BatchedArray):
        return array
    return BatchedArray(np.broadcast_to(array, (*data.sizes, *array.shape)).copy(), data.levels)


def one_example(data: Array) -> Array:
    """An array laid out in memory like the data of one example."""
    return data.first if isinstance(data, BatchedArray) else data


def in_order(data: Array) -> Array:
    """The data with its elements contiguous within each example."""
    if isinstance(data, BatchedArray):
        return BatchedArray(np.ascontiguousarray(data.phys), data.levels)
    return np.ascontiguousarray(data).reshape(data.shape)


def everything(data: object) -> Array:
    """The numbers of all examples in one array, for a check."""
    return data.phys if isinstance(data, BatchedArray) else np.asarray(data)


def plain(data: object) -> Any:
    """What a NumPy function returned, as an array; batched data unchanged. A number of another class may have answered
    to its operators with anything: memory that is not ours, or objects."""
    if isinstance(data, (BatchedArray, np.ndarray)):
        return data
    if not isinstance(data, (np.generic, bool, int, float, complex)):
        raise TypeError(f"an operation with a number came to a '{type(data).__name__}'")
    return np.asarray(data)


def no_room(name: str) -> RuntimeError:
    """The error for writing what differs from example to example into memory that they share."""
    return RuntimeError(
        f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
        "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over "
        f"in a vmap. Please try to use out-of-place operators instead of {name}. If said operator is being called "
        "inside the PyTorch framework, please file a bug report instead."
    )


def overwrite(data: Array, values: Array) -> None:
    """Write values into memory, each example into its own."""
    if any(level not in levels_of(data) for level in levels_of(values)):
        raise no_room("inplace arithmetic")
    if not isinstance(data, BatchedArray):
        np.copyto(data, values, casting="unsafe")
        return
    np.copyto(data.phys, _aligned_to(values, data), casting="unsafe")


def _aligned_to(values: Any, data: BatchedArray) -> Array:
    return _aligned(values, data.levels, data.ndim) if isinstance(values, BatchedArray) else values


def no_dynamic(name: str) -> str:
    """The error for operations whose number of results depends on the data."""
    return (
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::"
        f"{name}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
    )


_DYNAMIC: dict[Any, str] = {
    np.nonzero: "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
    "indexing with a boolean mask.",
    np.unique: no_dynamic("_unique2"),
    np.flatnonzero: no_dynamic("unique_consecutive"),
}


def refuse_truth(message: str, *tensors: Any) -> None:
    """The error for the truth value of batched tensors: there is no single answer."""
    if levels_of([each._data for each in tensors]):
        raise RuntimeError(message)


_BLANK = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)


def levels_of(values: object) -> dict[int, int]:
    """The levels that occur in nested arguments, and their sizes."""
    found: dict[int, int] = {}
    waiting = [values]
    while waiting:
        each = waiting.pop()
        if isinstance(each, BatchedArray):
            found.update(zip(each.levels, each.sizes, strict=True))
        elif isinstance(each, (tuple, list)):
            waiting.extend(each)
        elif isinstance(each, dict):
            waiting.extend(each.values())
    return dict(sorted(found.items()))


def place_of(data: object, level: int) -> int:
    """The dimension that a level was mapped over, if known, otherwise the first."""
    return data.place if isinstance(data, BatchedArray) and data.levels[-1] == level else 0


def spread(array: Any, levels: Sequence[int], sizes: Sequence[int]) -> Array:
    """All examples of an array as one array that has each of `levels`; nothing is copied."""
    if not isinstance(array, BatchedArray):
        return np.broadcast_to(array, (*sizes, *np.shape(array)))
    at = tuple(slice(None) if level in array.levels else None for level in levels)
    return np.broadcast_to(array.phys[at], (*sizes, *array.shape))


def aligned(arrays: Sequence[object]) -> tuple[tuple[int, ...], list[Any]]:
    """The levels of all arrays, and each array as a plain one that broadcasts against the others example by example."""
    levels = tuple(levels_of(arrays))
    most = max((getattr(each, "ndim", 0) for each in arrays), default=0)
    return levels, [_aligned(each, levels, most) if isinstance(each, BatchedArray) else each for each in arrays]


def _aligned(array: BatchedArray, levels: tuple[int, ...], most: int) -> Array:
    at = [slice(None) if level in array.levels else None for level in levels]
    found: Array = array.phys[(*at, *[None] * (most - array.ndim), ...)]
    return found


def _pick(value: Any, levels: Sequence[int], at: Sequence[int]) -> Any:
    """The part of an argument that belongs to one example."""
    if isinstance(value, BatchedArray):
        where = dict(zip(levels, at, strict=True))
        known = tuple(where[level] for level in value.levels if level in where)
        rest = tuple(level for level in value.levels if level not in where)
        return BatchedArray(value.phys[known], rest) if rest else np.asarray(value.phys[known])
    if type(value) in (tuple, list):
        return type(value)(_pick(each, levels, at) for each in value)
    if type(value) is dict:
        return {key: _pick(each, levels, at) for key, each in value.items()}
    return value


def one_by_one(fn: Kernel, args: Sequence[Any], kwargs: Any) -> Any:
    """Run a function for each example and stack the results; nested results stay nested."""
    known = levels_of((list(args), dict(kwargs)))
    if not known:
        return fn(*args, **kwargs)
    levels, sizes = tuple(known), tuple(known.values())
    rows = [
        fn(*[_pick(each, levels, at) for each in args], **{k: _pick(v, levels, at) for k, v in kwargs.items()})
        for at in itertools.product(*map(range, sizes))
    ]
    if not rows:
        blank = [np.empty(a.shape, a.dtype) if isinstance(a, BatchedArray) else a for a in args]
        rows = [fn(*blank, **kwargs)]
        return _joined(rows, levels, sizes, empty=True)
    return _joined(rows, levels, sizes)


def _joined(rows: list[object], levels: tuple[int, ...], sizes: tuple[int, ...], empty: bool = False) -> Any:
    first = rows[0]
    if first is None:
        return None
    if isinstance(first, (tuple, list)):
        return type(first)([_joined(list(column), levels, sizes, empty) for column in zip(*rows, strict=True)])
    parts = [np.asarray(each) for each in rows]
    for i, each in enumerate(parts):
        if each.shape != parts[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(parts[0].shape)} at entry 0 and "
                f"{list(each.shape)} at entry {i}"
            )
    whole = np.empty((0, *parts[0].shape), parts[0].dtype) if empty else np.stack(parts)
    return BatchedArray(whole.reshape((*sizes, *parts[0].shape)), levels)


def removed(x: BatchedArray, *, level: int, dim: int, size: int) -> Any:
    """Turn the examples of a level into a dimension."""
    at = x.levels.index(level)
    levels = tuple(each for each in x.levels if each != level)
    phys = np.moveaxis(x.phys, at, len(levels) + dim)
    return BatchedArray(phys, levels) if levels else phys
