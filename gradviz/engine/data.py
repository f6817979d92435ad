"""What a person gives as data (numbers, nested sequences, arrays, tensors) as one array, in the type that PyTorch
would choose. Used by `creation.py`."""

from __future__ import annotations

import functools
from collections import deque
from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.elementwise import NUMBERS
from gradviz.engine.tensor import Tensor

Array = np.ndarray[Any, Any]

NOT_NUMPY = (
    "can't convert np.ndarray of type {}. The only supported types are: float64, float32, float16, complex64, "
    "complex128, "
    "int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
)


def infer_array(data: Any, dtype: dtypes.dtype | None) -> Array:
    """An array of numbers, sequences, arrays or tensors, in the type that PyTorch would give it."""
    if isinstance(data, Tensor):
        return data._data.astype(data._data.dtype if dtype is None else dtype.np)
    if isinstance(data, (np.ndarray, np.generic)):
        return from_array(np.asarray(data), dtype)
    shape: list[int] = []
    kinds: set[Any] = set()
    flat: list[Any] = []
    _walk(data, 0, shape, kinds, flat)
    target = (
        dtype or functools.reduce(dtypes.promote, kinds, dtypes.bool_)
        if kinds
        else (dtype or dtypes.get_default_dtype())
    )
    try:
        values = np.array(flat, dtype=target.np) if target.rank != 1 else _integers(flat, target)
    except OverflowError:
        raise RuntimeError(f"value cannot be converted to type {target.cpp} without overflow") from None
    return values.reshape(shape)


def _integers(flat: list[Any], target: dtypes.dtype) -> Array:
    return np.array([int(v) for v in flat], np.int64).astype(target.np)


def _walk(data: Any, depth: int, shape: list[int], kinds: set[Any], flat: list[Any]) -> None:
    """Collect shape, element types and values of nested sequences; ragged ones are refused."""
    if isinstance(data, (list, tuple, range, deque)):
        _level(data, depth, shape)
        for each in data:
            _walk(each, depth + 1, shape, kinds, flat)
        return
    if isinstance(data, (Tensor, np.ndarray)) and data.ndim:
        array = data._data if isinstance(data, Tensor) else data
        for i, n in enumerate(array.shape):
            _level(range(n), depth + i, shape)
        kinds.add(dtypes.OF_NUMPY[array.dtype])
        flat.extend(array.reshape(-1).tolist())
        return
    if depth < len(shape):
        raise TypeError(f"expected a sequence at dim {depth}, but got a number")
    _leaf(data, depth, kinds, flat)


def _level(items: Any, depth: int, shape: list[int]) -> None:
    if depth == len(shape):
        shape.append(len(items))
    elif shape[depth] != len(items):
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(items)})")


def _leaf(data: Any, depth: int, kinds: set[Any], flat: list[Any]) -> None:
    if isinstance(data, (Tensor, np.ndarray)):
        kinds.add(dtypes.OF_NUMPY[data._data.dtype if isinstance(data, Tensor) else data.dtype])
        flat.append((data._data if isinstance(data, Tensor) else data).item())
    elif isinstance(data, NUMBERS):
        if isinstance(data, np.generic):
            kinds.add(dtypes.OF_NUMPY[data.dtype])
            data = data.item()
        else:
            kinds.add(dtypes.of_scalar(data))
        flat.append(data)
    elif isinstance(data, str):
        raise TypeError(
            f"new(): invalid data type '{type(data).__name__}'"
            if not depth
            else f"too many dimensions '{type(data).__name__}'"
        )
    elif data is None or not depth:
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    elif isinstance(data, (dict, set)):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    else:
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")


def from_array(data: Array, dtype: dtypes.dtype | None = None) -> Array:
    """A copy of a NumPy array in a type that PyTorch has."""
    if data.dtype not in dtypes.OF_NUMPY:
        raise TypeError(NOT_NUMPY.format(f"numpy.{data.dtype.type.__name__}"))
    return data.astype(data.dtype if dtype is None else dtype.np)
