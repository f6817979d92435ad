"""Queries about tensors and types that make no graph: where the memory is, limits of a type, which shapes broadcast.

See `convert.py` for conversions of tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.batched import one_by_one, one_example
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import (
    SPARSE_COO,
    SPARSE_CSR,
    STRIDED,
    check_count,
    memory_of,
    resized,
    row_strides,
    start_of,
)  # fmt: skip
from gradviz.engine.kernel.messages import called, plain_numbers
from gradviz.engine.kernel.rows import no_derivative, op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.sparse import NO_KERNEL
from gradviz.engine.run.api import api, method, prop
from gradviz.engine.run.apply import attach
from gradviz.engine.run.inplace import check_writable, rebase_history


@method("data_ptr")
def data_ptr(self: Tensor) -> int:
    """The address of the first element, 0 without any: equal for tensors that share memory from their start."""
    address: int = self._data.__array_interface__["data"][0]
    return address if self._data.size else 0


@method("storage_offset")
def storage_offset_of(self: Tensor) -> int:
    """How many elements of the memory precede the first one of this view."""
    data = one_example(self._data)
    return start_of(data, memory_of(data)) // data.itemsize


@api("is_inference")
def is_inference(self: Tensor) -> bool:
    """Whether it was made in inference mode."""
    return self._inference


@method("resize_")
def resize_(self: Tensor, *sizes: object) -> Tensor:
    """Change the size over the same memory, from the first element on; if the memory is too small, it is extended (with
    zeros here)."""
    size = plain_numbers(sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes)
    _refuse_sparse("resize_", self)
    if self._requires_grad and not (self._inference or state.inference):
        raise RuntimeError("cannot resize variables that require grad")
    if size == self._data.shape:
        return self
    check_writable(self)
    check_count(size, self._data.itemsize)
    self._data = one_by_one(_resized, (self._data, size), {})
    self._count_write()
    return self


def _refuse_sparse(name: str, *tensors: object) -> None:
    if any(isinstance(each, Tensor) and each._coo is not None for each in tensors):
        raise NotImplementedError(NO_KERNEL.format(name, "SparseCPU"))


def _resized(x: Array, size: tuple[int, ...]) -> Array:
    return resized(x, size)[0]


SET = op(
    "set_",
    "self, source",
    lambda x, source: source,
    node="NotImplemented",
    joint=no_derivative("set_"),
    category="shape",
    symbol="set",
    latex=r"y",
    brief="The memory of another tensor.",
)


@method("set_")
def set_(self: Tensor, source: object = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Share the memory of another tensor from now on, or none."""
    if source is not None and not isinstance(source, Tensor):
        raise TypeError(f"set_() received an invalid combination of arguments - got ({type(source).__name__})")
    _refuse_sparse("set_", self, source)
    tracked = state.grad and (self._requires_grad or (source is not None and source._requires_grad))
    check_writable(self, tracked)
    if size is None and storage_offset:
        raise TypeError("set_() received an invalid combination of arguments - got (Tensor, int)")
    if source is not None and source.dtype is not self.dtype:
        raise RuntimeError(f"Could not set tensor of type {source.dtype.cpp} to a tensor of type {self.dtype.cpp}")
    if state.observer is not None:
        state.observer.before_write(self)
    if source is None:
        self._data = np.empty(0, self._data.dtype)
    elif size is None:
        self._data = source._data
    else:
        size = plain_numbers(size)
        steps = row_strides(size) if stride is None else plain_numbers(stride)
        if len(size) != len(steps):
            raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(steps)})")
        offset = storage_offset_of(source) + plain_numbers((storage_offset,))[0]
        self._data = source.detach().as_strided(size, steps, offset)._data
    self._count_write()
    if tracked and (node := attach(SET, (self, source), (self,), {}, rebase=True)) is not None:
        rebase_history(self, node)
    self._accumulator = None  # a different leaf from now on
    return self


@dataclass(frozen=True, repr=False)
class _Limits:
    bits: int
    min: Any
    max: Any
    dtype: str


@called("torch.finfo")
@dataclass(frozen=True, repr=False)
class finfo(_Limits):
    """The limits of a floating point type."""

    eps: float
    tiny: float
    smallest_normal: float
    resolution: float

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        kind = dtypes.get_default_dtype() if type is None else dtypes.meant(type)
        if not isinstance(kind, dtypes.dtype):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {kind.__class__.__name__}")
        if not kind.is_floating_point and not kind.is_complex:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        kind = kind.to_real() if kind.is_complex else kind
        real = kind.np
        info: Any = np.finfo(real) if real.kind == "f" else _bfloat16_limits()
        facts = {name: float(getattr(info, name)) for name in ("min", "max", "eps", "smallest_normal")}
        more = {"tiny": facts["smallest_normal"], "resolution": 10.0 ** -int(info.precision), "bits": real.itemsize * 8}
        for name, value in {**facts, **more}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "dtype", repr(kind).removeprefix("torch."))

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{n}={getattr(self, n):g}' for n in names)}, dtype={self.dtype})"


def _bfloat16_limits() -> Any:
    import ml_dtypes

    limits: Any = ml_dtypes.finfo
    return limits(ml_dtypes.bfloat16)


@called("torch.iinfo")
@dataclass(frozen=True, repr=False)
class iinfo(_Limits):
    """The limits of an integer type."""

    def __init__(self, type: dtypes.dtype) -> None:
        type = dtypes.meant(type)
        if not isinstance(type, dtypes.dtype):
            raise TypeError(f"iinfo(): argument 'type' (position 1) must be torch.dtype, not {type.__class__.__name__}")
        if type is dtypes.bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.rank != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        info = np.iinfo(type.np)
        for name, value in {"bits": info.bits, "min": int(info.min), "max": int(info.max)}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "dtype", repr(type).removeprefix("torch."))

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


api("finfo", where="torch")(finfo)
api("iinfo", where="torch")(iinfo)


def _layout(tensor: Tensor) -> object:
    return STRIDED if tensor._coo is None else SPARSE_CSR if tensor._coo.compressed else SPARSE_COO


prop("layout")(_layout)
prop("is_sparse")(lambda self: self._coo is not None and not self._coo.compressed)
prop("is_sparse_csr")(lambda self: self._coo is not None and self._coo.compressed)
