"""Evenly spaced numbers (`arange`, `linspace`, `logspace`), and uninitialised tensors with a given memory layout. Other
factories are in `creation.py`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import check_count, storage_bytes, strided
from gradviz.engine.kernel.messages import check_value, plain_numbers
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.creation import check_device, float_type, made, put_out
from gradviz.engine.run.api import api, method

_RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)


def _number(value: object, name: str, label: str, position: int) -> Any:
    found = value.item() if isinstance(value, Tensor) else value
    if not isinstance(found, (int, float, complex, np.number, np.bool_)):
        raise TypeError(
            f"{name}(): argument '{label}' (position {position}) must be Number, not {type(found).__name__}"
        )
    if isinstance(found, complex) and name.endswith("range"):
        check_value(found, dtypes.float64)
        return found.real
    return found


def _check_target(name: str, target: dtypes.dtype, kinds: tuple[int, ...]) -> None:
    """Refuse an element type (by rank) that the kernel of a range does not fill."""
    if target.rank in kinds:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{target.title}'")


def _given(array: Array, out: Tensor | None, requires_grad: bool) -> Tensor:
    return made(array, requires_grad) if out is None else put_out(out, array)


def _count(start: float, end: float, step: float, target: dtypes.dtype, out: Tensor | None) -> int:
    """How many numbers `arange` makes."""
    if target.rank in (0, 3):
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{target.title}'")
    if target is dtypes.int64 and not any(math.isinf(v) or math.isnan(v) for v in (start, end, step)):
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise (RuntimeError if out is None else ValueError)("step must be nonzero")
    for value in (start, end):
        if math.isinf(value) or math.isnan(value):
            raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (step > 0 and end < start) or (step < 0 and end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return int(max(0, math.ceil((end - start) / step)))


@api("arange", where="torch")
def arange(
    start: Any = 0,
    end: float | None = None,
    step: float = 1,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` up to, without, `end`."""
    check_device(device)
    if end is None:
        start, end = 0, _number(start, "arange", "end", 1)
    start, end, step = (_number(v, "arange", label, i) for i, (v, label) in enumerate(
        ((start, "start"), (end, "end"), (step, "step")), 1))  # fmt: skip
    whole = all(isinstance(v, (int, np.integer)) for v in (start, end, step))
    target = dtype or (out.dtype if out is not None else dtypes.int64 if whole else dtypes.get_default_dtype())
    _check_target("arange", target, (0, 3))
    count = _count(start, end, step, target, out)
    wide: Any = np.int64 if target.rank == 1 else np.float64
    first = wide(int(start)) if target.rank == 1 else start
    values = first + np.arange(count, dtype=wide) * (wide(int(step)) if target.rank == 1 else step)
    return _given(np.asarray(values).astype(target.np), out, requires_grad)


@api("range", where="torch")
def inclusive_range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` up to and with `end`."""
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warnings.warn(_RANGE, UserWarning, stacklevel=4)  # a level above `options`
    check_device(device)
    target = float_type(dtype) if out is None else out.dtype
    start, end, step = (_number(v, "range", label, i) for i, (v, label) in enumerate(
        ((start, "start"), (end, "end"), (step, "step")), 1))  # fmt: skip
    _check_target("range", target, (0, 3))
    count = _count(start, end, step, dtypes.float64, None)
    count = int((end - start) / step) + 1 if count or start == end else count
    return _given(np.asarray(start + np.arange(count) * step).astype(target.np), out, requires_grad)


def _ends(start: object, end: object, steps: int, name: str) -> tuple[object, object]:
    tensors = [each for each in (start, end) if isinstance(each, Tensor)]
    if isinstance(steps, float) or not isinstance(steps, (int, np.integer)):
        forms = [
            f" * ({a} start, {b} end, int steps, {'Number base = 10.0, ' * (name == 'logspace')}*, Tensor out = None, "
            "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
            "bool pin_memory = False, bool requires_grad = False)"
            for b, a in (("Tensor", "Tensor"), ("Tensor", "Number"), ("Number", "Tensor"), ("Number", "Number"))
        ]
        kinds = ", ".join(type(each).__name__ for each in (start, end, steps))
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:\n"
            + "\n".join(forms) + "\n"
        )  # fmt: skip
    if any(each._data.ndim for each in tensors):
        sizes = " and ".join(
            f"{label} with {each._data.ndim} dimension(s)"
            for label, each in (("start", start), ("end", end))
            if isinstance(each, Tensor)
        )
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {sizes}.")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return _number(start, name, "start", 1), _number(end, name, "end", 2)


def _spaced(start: float, end: float, steps: int, target: dtypes.dtype) -> Array:
    """From each end inwards, as in PyTorch."""
    if target.rank == 1:
        start, end = int(start), int(end)
    work: Any = target.np.type if target.rank >= 2 and target.itemsize >= 4 else np.float64
    first, last = work(start), work(end)
    step = (last - first) / work(max(1, steps - 1))
    wide: Any = np.float64 if work is np.float32 else np.longdouble  # PyTorch multiplies and adds with one rounding
    wide = np.clongdouble if target.rank == 3 else wide
    at = np.arange(steps)
    first, last, step = wide(first), wide(last), wide(step)
    if steps <= 1:
        return np.full(steps, first)
    return np.asarray(np.where(at < steps // 2, first + step * at, last - step * (steps - 1 - at)))


@api("linspace", where="torch")
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included."""
    check_device(device)
    start, end = _ends(start, end, steps, "linspace")
    target = dtype or (out.dtype if out is not None else _type_of(start, end))
    _check_target("linspace", target, (0,) if steps > 1 else ())
    return _given(_spaced(start, end, steps, target).astype(target.np), out, requires_grad)


def _type_of(start: float, end: float) -> dtypes.dtype:
    return dtypes.default_complex() if isinstance(start, complex) or isinstance(end, complex) else float_type(None)


@api("logspace", where="torch")
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Powers of `base` with exponents from `start` to `end`."""
    check_device(device)
    start, end = _ends(start, end, steps, "logspace")
    target = dtype or (out.dtype if out is not None else _type_of(start, end))
    _check_target("logspace", target, (0,) if steps > 1 else ())
    exponents = _spaced(start, end, steps, dtypes.float64 if target.rank == 2 else target)
    wide: Any = np.complex128 if target.rank == 3 else np.float64
    return _given(np.power(wide(base), exponents.astype(wide)).astype(target.np), out, requires_grad)


@api("scalar_tensor", where="torch")
def scalar_tensor(
    s: object,
    *,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor without dimensions, of the default type."""
    check_device(device)
    if isinstance(s, Tensor):
        raise TypeError("scalar_tensor(): argument 's' (position 1) must be Number, not Tensor")
    target = dtype or dtypes.get_default_dtype()
    check_value(s, target)
    return made(np.array(s, target.np), requires_grad)


# --- memory with a given layout; uninitialised memory is zeros here ---


def _strided(size: Sequence[int], stride: Sequence[int], kind: Any) -> Array:
    size, stride = plain_numbers(size), plain_numbers(stride)
    if any(n < 0 for n in size):
        negative = next(n for n in size if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {list(size)}")
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    itemsize = np.dtype(kind).itemsize
    room = storage_bytes(size, stride, itemsize)
    check_count(size, itemsize)
    return strided(np.zeros(room, np.uint8), kind, size, [step * itemsize for step in stride], 0)


@api("empty_strided", where="torch")
def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
    layout: object = None,
    device: object = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of given strides."""
    check_device(device)
    return made(_strided(size, stride, float_type(dtype).np), requires_grad)


@method("new_empty_strided")
def new_empty_strided(
    self: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
    layout: object = None,
    device: object = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """As `empty_strided`, with the type of this tensor."""
    return made(_strided(size, stride, (dtype or self.dtype).np), requires_grad)


@api("empty_permuted", where="torch")
def empty_permuted(
    size: Sequence[int],
    physical_layout: Sequence[int],
    *,
    dtype: dtypes.dtype | None = None,
    layout: object = None,
    device: object = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor whose dimensions lie in memory in a given order."""
    check_device(device)
    if len(size) != len(physical_layout):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    for at, dim in enumerate(physical_layout):
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at index {at}).  "
                "NB: negative dims not currently supported; file an issue if you want it."
            )
    if len(set(physical_layout)) != len(physical_layout):
        raise RuntimeError("Duplicate dim not allowed")
    memory = np.zeros([size[d] for d in physical_layout], float_type(dtype).np)
    return made(memory.transpose(np.argsort(physical_layout)), requires_grad)
