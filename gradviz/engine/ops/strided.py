"""Memory seen with given sizes and strides: `as_strided`, in place, and a copy that is written so. What a view is
otherwise is in `shape.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api, method
from gradviz.engine.apply import call
from gradviz.engine.batched import one_example
from gradviz.engine.checks import plain_numbers
from gradviz.engine.inplace import resize_in_place
from gradviz.engine.observe import paused
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor, wrap

F = FUNCTIONS


def _strided(x: Any, *, size: Any, stride: Any, storage_offset: int) -> Any:
    memory, start = memory_of(x)
    step = x.itemsize
    return np.lib.stride_tricks.as_strided(memory[start + storage_offset :], size, [s * step for s in stride])


def memory_of(x: Any) -> tuple[Any, int]:
    """The whole memory that an array looks at, in one dimension, and where the array begins in it."""
    root, below = x, x.base
    while below is not None:
        if isinstance(below, np.ndarray):
            if below.dtype != x.dtype:
                break
            root = below
        below = getattr(below, "base", None)  # as_strided puts an object between an array and its base
    found = root.ravel(order="K")
    if not np.may_share_memory(found, root):
        return x.ravel(order="K"), 0
    start = x.__array_interface__["data"][0] - found.__array_interface__["data"][0]
    return found, start // x.itemsize if x.size else 0


def _places(shape: Sequence[int], stride: Sequence[int], offset: int) -> Any:
    """Where in memory each element lies, counted in elements."""
    found = np.array(offset, np.int64)
    for n, step in zip(shape, stride, strict=True):
        found = np.add.outer(found, np.arange(n) * step)
    return found.reshape(-1)


def _as_strided_grad(grad: Any, self_shape: Any, self_strides: Any, size: Any, stride: Any, storage_offset: int) -> Any:
    """Through memory: the gradient is put where the view lies, and read where the source lies."""
    source = _places(self_shape, [step // grad._data.itemsize for step in self_strides], 0)
    view = _places(size, stride, storage_offset)
    first = min([0, *view[:1]])
    source, view = source - first, view - first
    room = 1 + max([0, *source[-1:], *view[-1:]])
    memory = grad.new_zeros((room,)).index_add(0, wrap(view), grad.reshape(-1))
    in_order = np.array_equal(source, np.arange(room))
    return (memory if in_order else memory.index_select(0, wrap(source))).reshape(self_shape)


AS_STRIDED = op(
    "as_strided",
    "self",
    _strided,
    category="shape",
    symbol="as_strided",
    latex=r"x",
    brief="Memory seen with given sizes and strides.",
    view=True,
    inplace_node="AsStridedBackward1",
    derivatives={"self": "grad, back at the places it came from"},
    self=_as_strided_grad,
)


@api("as_strided")
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """The memory seen with given sizes and strides."""
    size, stride = plain_numbers(size), plain_numbers(stride)
    memory, start = memory_of(one_example(input._data))
    offset = start if storage_offset is None else plain_numbers((storage_offset,))[0]
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    reach = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if 0 not in size and reach >= memory.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{input._data.itemsize} requiring a storage size of {(reach + 1) * input._data.itemsize} are out "
            f"of bounds for storage of size {memory.nbytes}"
        )
    made: Tensor = call(AS_STRIDED, input, size=size, stride=stride, storage_offset=offset - start)
    return made


method("as_strided_")(lambda self, *args, **kw: resize_in_place(self, lambda: as_strided(self, *args, **kw)))


# --- a copy whose memory is written as another tensor lies ---


def _strided_part(memory: Any, size: Any, stride: Any, storage_offset: int) -> Any:
    steps = [step * memory.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(memory.reshape(-1)[storage_offset:], size, steps)


def _as_strided_scatter(x: Any, src: Any, *, size: Any, stride: Any, storage_offset: int) -> Any:
    found = np.array(x, order="C")
    _strided_part(found, size, stride, storage_offset)[...] = src
    return found


AS_STRIDED_SCATTER = op(
    "as_strided_scatter",
    "self, src",
    _as_strided_scatter,
    category="indexing",
    brief="A copy in which the memory that a view would show is another tensor.",
    derivatives={"self": "grad, 0 where src was written", "src": "grad where it was written"},
    self=lambda grad, size, stride, storage_offset: F["as_strided_scatter"](
        grad.new_zeros(grad.shape),
        grad.contiguous().as_strided(size, stride, storage_offset),
        size,
        stride,
        storage_offset,
    ),
    src=lambda grad, size, stride, storage_offset: (
        grad.contiguous().as_strided(size, stride, storage_offset).contiguous()
    ),
)


@api("as_strided_scatter")
def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int = 0) -> Tensor:
    """A copy in which the memory that `as_strided` would show is `src`."""
    size, stride = plain_numbers(size), plain_numbers(stride)
    (storage_offset,) = plain_numbers((storage_offset,))
    with paused():
        shown = input.detach().contiguous().as_strided(size, stride, storage_offset)
    if shown._data.shape != src._data.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._data.shape)}, slice size = {list(shown._data.shape)}"
        )
    found: Tensor = call(
        AS_STRIDED_SCATTER, input, src, size=tuple(size), stride=tuple(stride), storage_offset=storage_offset or 0
    )
    return found
