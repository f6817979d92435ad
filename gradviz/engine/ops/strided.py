"""Memory viewed with given sizes and strides: `as_strided`, in place, and a copy that is written so; and the other
copies of which a part is written (`select_scatter` and its relatives). Where elements are in memory, and whether they
exist, is in `memory.py`; other views are in `shape.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.batched import BatchedArray, one_example
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.graph import as_given
from gradviz.engine.kernel.memory import (
    check_count,
    extent,
    laid_as,
    memory_of,
    repeated,
    start_of,
    storage_bytes,
    strided,
)
from gradviz.engine.kernel.messages import WRITTEN_TWICE, plain_numbers
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.kernel.turns import computed_in_turn, takes_turns
from gradviz.engine.numerics import overflow
from gradviz.engine.ops.matrix import diagonal_of
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import FUNCTIONS, api, method
from gradviz.engine.run.apply import call
from gradviz.engine.run.inplace import resize_in_place

F = FUNCTIONS
_NO_RULE = (
    "Error: aten::as_strided_scatter requires special handling, and does not yet have a batching rule. Feel free to "
    "file a github issue!"
)
_NOT_CONTIGUOUS = (
    "!self.requires_grad() || self.is_contiguous() INTERNAL ASSERT FAILED at "
    '"/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp":4754, please report a bug to PyTorch. '
    "as_strided_scatter is currently only supported for contiguous inputs"
)


def _seen(x: Array, memory: Array, size: Any, stride: Any, start: int) -> Array:
    return strided(memory, x.dtype, size, [step * x.itemsize for step in stride], start)


def _strided(x: Array, *, size: object, stride: object, storage_offset: int) -> Array:
    memory = memory_of(x)
    return _seen(x, memory, size, stride, start_of(x, memory) + storage_offset * x.itemsize)


def _places(shape: Sequence[int], stride: Sequence[int], offset: int) -> Array:
    """The position of each element in memory, counted in elements."""
    found = np.array(offset, np.int64)
    for n, step in zip(shape, stride, strict=True):
        found = np.add.outer(found, np.arange(n) * step)
    return found.reshape(-1)


def _as_strided_grad(
    grad: Tensor,
    self_shape: tuple[int, ...],
    self_strides: tuple[int, ...],
    size: tuple[int, ...],
    stride: Sequence[int],
    storage_offset: int,
) -> Tensor:
    """The gradient through memory: put at the places of the view, and read at those of the source. Elements of the
    source that share a place share its gradient."""
    many = repeated(size, stride)
    if many:
        grad = grad.sum(many, keepdim=True)
    own_shape = _once(self_shape, self_strides)
    source = _places(own_shape, [step // grad._data.itemsize for step in self_strides], 0)
    view = _places(_once(size, stride), stride, storage_offset)
    first = min([0, *view[:1]])
    source, view = source - first, view - first
    room = 1 + max([0, *source[-1:], *view[-1:]])
    memory = grad.new_zeros((room,)).index_add(0, wrap(view), grad.reshape(-1))
    if np.array_equal(source, np.arange(room)):
        return memory.reshape(own_shape) if own_shape == self_shape else _shared_out(memory, own_shape, self_shape)
    sharers = overflow.bincount(source, minlength=room)
    if sharers.size and sharers.max() > 1:
        memory = memory / wrap(np.maximum(sharers, 1).astype(grad._data.real.dtype))
    return _shared_out(memory.index_select(0, wrap(source)), own_shape, self_shape)


def _once(size: Sequence[int], stride: Sequence[int]) -> tuple[int, ...]:
    """The sizes without repetitions."""
    many = repeated(size, stride)
    return tuple(1 if dim in many else n for dim, n in enumerate(size))


def _shared_out(memory: Tensor, own_shape: tuple[int, ...], shape: tuple[int, ...]) -> Tensor:
    """Divide the gradient of a repeated element among its repetitions."""
    found = memory.reshape(own_shape)
    if own_shape == shape:
        return found
    return (found / (math.prod(shape) // (math.prod(own_shape) or 1))).expand(shape)


AS_STRIDED = op(
    "as_strided",
    "self",
    _strided,
    category="shape",
    symbol="as_strided",
    latex=r"x",
    brief="Memory viewed with given sizes and strides.",
    view=True,
    inplace_node="AsStridedBackward1",
    self=sentence("grad, back at the places it came from", _as_strided_grad),
)


@api("as_strided")
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """The memory viewed with given sizes and strides."""
    size, stride = plain_numbers(size), plain_numbers(stride)
    data = one_example(input._data)
    memory = memory_of(data)
    start = start_of(data, memory) // data.itemsize
    offset = start if storage_offset is None else plain_numbers((storage_offset,))[0]
    if isinstance(input._data, BatchedArray):
        _check_example(data, start, size, stride, offset)
    check_view(size, stride, offset, data.itemsize, memory.size)
    made = call(AS_STRIDED, input, size=size, stride=stride, storage_offset=offset - start)
    found: Tensor = as_given(made, storage_offset=storage_offset)
    return found


def check_view(size: Sequence[int], stride: Sequence[int], offset: int, itemsize: int, room: int) -> None:
    """Refuse a view that does not fit in so many bytes of memory; sizes, strides and offset count elements."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    needed = storage_bytes(size, stride, itemsize, offset)
    if needed > room:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{itemsize} requiring a storage size of {needed} are out of bounds for storage of size {room}"
        )
    check_count(size, itemsize)


def _check_example(data: Array, start: int, size: Sequence[int], stride: Sequence[int], offset: int) -> None:
    """Under `vmap` a view may not leave the memory of its example: for the last example it would leave the whole
    memory."""
    if len(size) != len(stride):
        raise RuntimeError(
            "Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got size "
            f"{list(size)} and stride {list(stride)}"
        )
    if 0 in size:
        return
    what = f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of `tensor`. "
    way_out = (
        "This is not supported inside of vmap, please try to rewrite the `as_strided` call as a sequence of PyTorch "
        "view operations"
    )
    if not data.size:
        raise RuntimeError(
            f"{what}`tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with some "
            f"storage. {way_out}"
        )
    end = offset + 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    own_end = start + 1 + extent(data.shape, data.strides)[1] // data.itemsize
    if end > own_end or offset < start:
        raise RuntimeError(
            f"{what}`result` can access some memory in range [{offset}, {end}], but `tensor` can only access some "
            f"memory in range [{start}, {own_end}]. {way_out}"
        )


method("as_strided_")(lambda self, *args, **kw: resize_in_place(self, lambda: as_strided(self, *args, **kw)))


# --- a copy whose memory is written in the layout of another tensor ---


def _with_its_memory(x: Array) -> tuple[Array, Array, int]:
    """A copy that lies as the array does, in a copy of its memory, and where it starts there."""
    if repeated(x.shape, x.strides):
        x = laid_as(x.copy(), x, None)
    memory = memory_of(x)
    start = start_of(x, memory)
    memory = memory.copy()
    return strided(memory, x.dtype, x.shape, x.strides, start), memory, start


def _as_strided_scatter(x: Array, src: Array, *, size: object, stride: object, storage_offset: int | None) -> Array:
    made, memory, start = _with_its_memory(x)
    part = _seen(x, memory, size, stride, start if storage_offset is None else storage_offset * x.itemsize)
    given = src.real if src.dtype.kind == "c" and x.dtype.kind != "c" else src
    if takes_turns(part, [given]):
        memory[:] = memory_of(computed_in_turn(part, [given], lambda values: values))
    else:
        np.copyto(part, given, casting="unsafe")
    return made


AS_STRIDED_SCATTER = op(
    "as_strided_scatter",
    "self, src",
    _as_strided_scatter,
    category="indexing",
    brief="A copy in which the memory that a view would show is another tensor.",
    self=sentence(
        "grad, 0 where src was written",
        lambda grad, size, stride, storage_offset: F["as_strided_scatter"](
            grad.new_zeros(grad.shape),
            grad.contiguous().as_strided(size, stride, storage_offset),
            size,
            stride,
            storage_offset,
        ),
    ),
    src=sentence(
        "grad where it was written",
        lambda grad, size, stride, storage_offset: (
            grad.contiguous().as_strided(size, stride, storage_offset).contiguous()
        ),
    ),
)


@api("as_strided_scatter")
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """A copy in which the elements that `as_strided` would view are `src`."""
    size, stride = plain_numbers(size), plain_numbers(stride)
    at = None if storage_offset is None else plain_numbers((storage_offset,))[0]
    data = input._data
    if isinstance(data, BatchedArray):
        raise RuntimeError(_NO_RULE)
    if input._requires_grad and not data.flags.c_contiguous:
        raise RuntimeError(_NOT_CONTIGUOUS)
    if repeated(data.shape, data.strides):
        start, room = 0, data.nbytes
    else:
        memory = memory_of(data)
        start, room = start_of(data, memory) // data.itemsize, memory.size
    check_view(size, stride, start if at is None else at, data.itemsize, room)
    if size != src._data.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._data.shape)}, slice size = {list(size)}"
        )
    if repeated(size, stride):
        raise RuntimeError(WRITTEN_TWICE)
    return call(AS_STRIDED_SCATTER, input, src, size=size, stride=stride, storage_offset=at)


# --- a part replaced, out of place ---


def _replaced(x: Array, src: Array, part: Kernel) -> Array:
    found = _with_its_memory(x)[0] if type(x) is np.ndarray else x.copy()
    part(found)[...] = src
    return found


def _range(x: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    at: list[Any] = [slice(None)] * x.ndim
    at[dim] = slice(start, end, step)
    return x[tuple(at)]


SELECT_SCATTER = op(
    "select_scatter",
    "self, src",
    lambda x, src, *, dim, index: _replaced(x, src, lambda out: np.moveaxis(out, dim, 0)[index, ...]),
    category="indexing",
    brief="A copy in which one slice is another tensor.",
    self=sentence(
        "grad, 0 in the slice",
        lambda grad, dim, index: grad.select_scatter(grad.new_zeros(()).expand_as(grad.select(dim, index)), dim, index),
    ),
    src=sentence("grad in the slice", lambda grad, dim, index: grad.select(dim, index)),
)
SLICE_SCATTER = op(
    "slice_scatter",
    "self, src",
    lambda x, src, *, dim, start, end, step: _replaced(x, src, lambda out: _range(out, dim, start, end, step)),
    category="indexing",
    brief="A copy in which a range is another tensor.",
    self=sentence(
        "grad, 0 in the range",
        lambda grad, dim, start, end, step: grad.slice_scatter(
            _range(grad, dim, start, end, step) * 0, dim, start, end, step
        ),
    ),
    src=sentence("grad in the range", lambda grad, dim, start, end, step: _range(grad, dim, start, end, step)),
)
DIAGONAL_SCATTER = op(
    "diagonal_scatter",
    "self, src",
    lambda x, src, *, offset, dim1, dim2: _replaced(
        x, src, lambda out: diagonal_of(out, offset=offset, dim1=dim1, dim2=dim2)
    ),
    category="indexing",
    brief="A copy in which a diagonal is another tensor.",
    self=sentence(
        "grad, 0 on the diagonal",
        lambda grad, offset, dim1, dim2: grad.diagonal_scatter(
            grad.diagonal(offset, dim1, dim2) * 0, offset, dim1, dim2
        ),
    ),
    src=sentence("grad on the diagonal", lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2)),
)


def _check_slice(slice: Tensor, src: Tensor) -> None:
    if slice._data.shape != src._data.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._data.shape)}, slice size = "
            f"{list(slice._data.shape)}"
        )


@api("select_scatter")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy in which one slice is `src`."""
    _check_slice(input.detach().select(dim, index), src)
    return call(SELECT_SCATTER, input, src, dim=dim, index=index)


@api("slice_scatter")
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy in which a range is `src`."""
    if not input._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input._data.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    _check_slice(_range(input.detach(), dim, start, end, step), src)
    return call(SLICE_SCATTER, input, src, dim=dim, start=start, end=end, step=step)


@api("diagonal_scatter")
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy in which a diagonal is `src`."""
    _check_slice(input.detach().diagonal(offset, dim1, dim2), src)
    return call(DIAGONAL_SCATTER, input, src, offset=offset, dim1=dim1, dim2=dim2)
