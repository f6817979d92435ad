"""Making a batch of items: tensors are stacked, numbers become tensors, containers keep their form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS
from gradviz.engine.tensor import Tensor


def default_convert(data: Any) -> Any:
    """Arrays to tensors, through containers."""
    if isinstance(data, np.ndarray) and data.dtype.kind in "biufc":
        return FUNCTIONS["as_tensor"](data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple | list) and not isinstance(data, str):
        return type(data)([default_convert(each) for each in data])
    return data


def default_collate(batch: Any) -> Any:
    """One batch from a list of items."""
    first = batch[0]
    if isinstance(first, Tensor):
        return FUNCTIONS["stack"](list(batch), 0)
    if isinstance(first, np.ndarray):
        return FUNCTIONS["stack"]([FUNCTIONS["as_tensor"](each) for each in batch], 0)
    if isinstance(first, np.generic):
        return FUNCTIONS["as_tensor"](np.array(batch))
    if isinstance(first, float):
        return FUNCTIONS["tensor"](list(batch), dtype=dtypes.float64)
    if isinstance(first, int):
        return FUNCTIONS["tensor"](list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(column) for column in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(column) for column in zip(*batch, strict=True)]
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )
