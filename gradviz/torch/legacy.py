"""Constructors from before PyTorch 0.4: `torch.FloatTensor([1, 2])`. Each makes an ordinary tensor of its element
type."""

from __future__ import annotations

from typing import Any

from gradviz.engine import dtypes
from gradviz.engine.creation import legacy_tensor
from gradviz.engine.tensor import Tensor


class _LegacyMeta(type):
    dtype: dtypes.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class '{cls.dtype.label}'>"


def _legacy(target: dtypes.dtype) -> Any:
    def new(cls: Any, *args: Any, **kwargs: Any) -> Tensor:
        return legacy_tensor(target, *args, **kwargs)

    return _LegacyMeta(f"{target.title}Tensor", (), {"__new__": new, "dtype": target})


FloatTensor = _legacy(dtypes.float32)
DoubleTensor = _legacy(dtypes.float64)
HalfTensor = _legacy(dtypes.float16)
LongTensor = _legacy(dtypes.int64)
IntTensor = _legacy(dtypes.int32)
ShortTensor = _legacy(dtypes.int16)
ByteTensor = _legacy(dtypes.uint8)
BoolTensor = _legacy(dtypes.bool_)
