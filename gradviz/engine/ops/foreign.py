"""Tensors over memory that is already there: `asarray` (numbers, sequences, arrays, tensors, buffers), `frombuffer`,
and a tensor's memory read as another type. Tensors with memory of their own are made in `creation.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.memory import memory_of, start_of
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops.creation import check_device, from_numpy, infer_array, made
from gradviz.engine.run.api import api

_INHERITS = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning. (Triggered internally at "
    "/__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:1737.)"
)
_NOT_WRITABLE = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to "
    "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest "
    "of this program. (Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:1556.)"
)


@api("asarray", where="torch")
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """A tensor of an object's values: over its memory, or with a copy of it."""
    check_device(device)
    if isinstance(obj, Tensor):
        return _of_tensor(obj, dtype, copy, requires_grad)
    shared = _over(obj, dtype)
    if shared is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return made(infer_array(obj, dtype), bool(requires_grad))
    if dtype is not None and dtype is not shared.dtype:
        _check_alias(shared, dtype, copy)
        shared = shared.to(dtype)
    elif copy:
        shared = shared.clone()
    return shared.requires_grad_() if requires_grad else shared


def _over(obj: Any, dtype: Any) -> Tensor | None:
    """The tensor over an array's or a buffer's memory; None of anything else."""
    if isinstance(obj, np.ndarray):
        return from_numpy(obj)
    if isinstance(obj, np.generic):
        return None
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=dtype or dtypes.get_default_dtype())


def _check_alias(source: Tensor, dtype: dtypes.dtype, copy: bool | None) -> None:
    if copy is False:
        raise ValueError(f"can't alias tensor with dtype '{source.dtype.title}' into dtype '{dtype.title}'.")


def _of_tensor(obj: Tensor, dtype: Any, copy: bool | None, requires_grad: bool | None) -> Tensor:
    found = obj
    if dtype is not None and dtype is not obj.dtype:
        _check_alias(obj, dtype, copy)
        found = obj.to(dtype)
    elif copy:
        found = obj.clone()
    if requires_grad is None:
        if found._requires_grad:
            warn_once("asarray", _INHERITS)
        return found
    if found._requires_grad and not requires_grad and not found.is_leaf:
        return found.detach()
    return found.requires_grad_(requires_grad)  # of the leaf that was given, too


@api("frombuffer", where="torch")
def frombuffer(
    buffer: Any, *, dtype: dtypes.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A tensor with one dimension over the memory of an object that has a buffer."""
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    n, each = memory.nbytes, dtype.itemsize
    if n == 0 or count == 0:
        raise ValueError(f"both buffer length ({n}) and count ({count}) must not be 0")
    if not 0 <= offset < n:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({n} bytes) minus 1"
        )
    if count < 0 and (n - offset) % each:
        raise ValueError(
            f"buffer length ({n - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({each})"
        )
    if count > 0 and count * each + offset > n:
        raise ValueError(
            f"requested buffer length ({count} * {each} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({n} bytes)"
        )
    if memory.readonly:
        warn_once("frombuffer", _NOT_WRITABLE)
    return made(np.frombuffer(memory, dtype.np, count, offset), requires_grad)


def read_as(self: Tensor, dtype: dtypes.dtype) -> Tensor:
    """`x.view(dtype)`: the bytes read as another type, without history; the last dimension takes the difference."""
    array = self._data
    old, new = array.dtype.itemsize, dtype.itemsize
    if old != new:
        _check_layout(array, self.dtype, dtype)
    found = wrap(array.view(dtype.np))
    found._version_counter = self._share_version()
    if state.observer is not None:
        state.observer.detached(self, found)
    return found


def _check_layout(array: Any, source: dtypes.dtype, target: dtypes.dtype) -> None:
    what = f"to view {source.title} as {target.title} (different element sizes)"
    old, new = source.itemsize, target.itemsize
    if not array.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 {what}")
    strides = [n // old for n in array.strides]
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {what}, but got {strides[-1]}")
    if old > new:
        return
    ratio = new // old
    if array.shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {what}, but got {array.shape[-1]}")
    start = start_of(array, memory_of(array)) // old
    if start % ratio:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {what}, but got {start}")
    for at, stride in enumerate(strides[:-1]):
        if stride % ratio:
            raise RuntimeError(f"self.stride({at}) must be divisible by {ratio} {what}, but got {stride}")
