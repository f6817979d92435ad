"""`torch.testing`: `assert_close`, with PyTorch's tolerances and words, and `make_tensor`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.messages import real_number
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.creation import as_tensor
from gradviz.engine.run.api import FUNCTIONS as F

__all__ = ["assert_close", "make_tensor"]

# relative and absolute tolerance by type, as PyTorch's table has them; other types must be equal
TOLERANCE = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


def assert_close(
    actual: object,
    expected: object,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: object = None,
) -> None:
    """Raise AssertionError unless both are close; sequences and mappings are compared item by item."""
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    asked = _Asked(allow_subclasses, rtol, atol, equal_nan, check_dtype, check_stride)
    for place, left, right in _pairs(actual, expected, ""):
        problem = asked.problem(left, right)
        if problem:
            where = f"\n\nThe failure occurred for item {place}" if place else ""
            said = problem + where
            raise AssertionError(msg(said) if callable(msg) else msg if msg is not None else said)


def _pairs(actual: Any, expected: Any, place: str) -> Any:
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        absent = sorted(set(expected) - set(actual), key=str)
        additional = sorted(set(actual) - set(expected), key=str)
        if absent or additional:
            lines = ["The keys of the mappings do not match:"]
            lines += [f"Missing keys in the actual mapping: {absent}"] if absent else []
            lines += [f"Additional keys in the actual mapping: {additional}"] if additional else []
            raise AssertionError("\n".join(lines))
        for key in sorted(expected, key=str):
            yield from _pairs(actual[key], expected[key], f"{place}[{key!r}]")
    elif _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        for i, (left, right) in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(left, right, f"{place}[{i}]")
    else:
        yield place, actual, expected


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


_NUMBERS = (int, float, complex, np.number)
_BOOLEANS = (bool, np.bool_)


def _is_comparable(value: object) -> bool:
    return isinstance(value, Tensor | np.ndarray | np.generic | int | float | complex)


def _are_mixed(actual: object, expected: object) -> bool:
    return isinstance(actual, Tensor) != isinstance(expected, Tensor)


@dataclass(frozen=True)
class _Asked:
    """How two values are compared."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_dtype: bool
    check_stride: bool

    def problem(self, actual: object, expected: object) -> str:
        """A description of the difference, or nothing."""
        if actual is None or expected is None:
            return "" if actual is expected else f"None mismatch: {actual} is not {expected}"
        if isinstance(actual, _BOOLEANS) and isinstance(expected, _BOOLEANS):
            return "" if bool(actual) is bool(expected) else f"Booleans mismatch: {actual} is not {expected}"
        if isinstance(actual, _NUMBERS) and isinstance(expected, _NUMBERS):
            if self.check_dtype and type(actual) is not type(expected):
                return f"The (d)types do not match: {type(actual)} != {type(expected)}."
        elif (
            not (_is_comparable(actual) and _is_comparable(expected))
            or _are_mixed(actual, expected)
            or (not self.allow_subclasses and type(actual) is not type(expected))
        ):
            raise TypeError(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
            )
        return self._of_values(actual, expected)

    def _of_values(self, actual: object, expected: object) -> str:
        numbers = not isinstance(actual, Tensor) and not isinstance(expected, Tensor)
        a, b = _tensor(actual), _tensor(expected)
        if a.shape != b.shape:
            return f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}."
        if self.check_stride and a.stride() != b.stride():
            return f"The values for attribute 'stride()' do not match: {a.stride()} != {b.stride()}."
        if self.check_dtype and not numbers and a.dtype is not b.dtype:
            return f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}."
        default = [TOLERANCE.get(repr(each.dtype).removeprefix("torch."), (0.0, 0.0)) for each in (a, b)]
        relative = max(each[0] for each in default) if self.rtol is None else self.rtol
        absolute = max(each[1] for each in default) if self.atol is None else self.atol
        relative, absolute = real_number(relative), real_number(absolute)
        x, y = a._data, b._data
        with np.errstate(invalid="ignore", divide="ignore"):
            wrong = ~np.isclose(x, y, rtol=relative, atol=absolute, equal_nan=self.equal_nan)
            difference = np.abs(x - y) if x.dtype != np.bool_ else (x ^ y).astype(np.int64)
            ratio = difference / np.abs(y)
            ratio = ratio if x.dtype.kind in "fcV" else ratio.astype(np.float32)
        if not wrong.any():
            return ""
        if numbers or x.ndim == 0:
            return _of_scalars(actual, expected, difference, ratio, relative, absolute)
        return _of_tensors(wrong, difference, ratio, relative, absolute)


def _tensor(value: object) -> Tensor:
    if isinstance(value, float) or (isinstance(value, int) and not -(2**63) <= value < 2**63):
        return as_tensor(np.float64(real_number(value)))
    return as_tensor(value)


def _allowed(tolerance: float, exact: bool) -> str:
    return "" if exact else f" (up to {tolerance} allowed)"


def _of_scalars(actual: object, expected: object, difference: Any, ratio: Any, relative: float, absolute: float) -> str:
    left, right = (v.item() if isinstance(v, Tensor) else v for v in (actual, expected))
    exact = not relative and not absolute
    kind = "equal" if exact else "close"
    return (
        f"Scalars are not {kind}!\n\nExpected {right} but got {left}.\n"
        f"Absolute difference: {difference.item()}{_allowed(absolute, exact)}\n"
        f"Relative difference: {ratio.item()}{_allowed(relative, exact)}"
    )


def _of_tensors(wrong: Any, difference: Any, ratio: Any, relative: float, absolute: float) -> str:
    exact = not relative and not absolute
    kind = "equal" if exact else "close"
    count, total = int(wrong.sum()), wrong.size
    lines = [f"Tensor-likes are not {kind}!\n", f"Mismatched elements: {count} / {total} ({count / total:.1%})"]
    for title, values, tolerance in (("absolute", difference, absolute), ("relative", ratio, relative)):
        masked = np.where(wrong, values, 0)
        at = tuple(int(i) for i in np.unravel_index(np.argmax(masked), masked.shape))
        lines.append(f"Greatest {title} difference: {masked[at].item()} at index {at}{_allowed(tolerance, exact)}")
    return "\n".join(lines)


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: object,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: object = None,
) -> Tensor:
    """Random numbers from `low` up to `high`; by default from -9 to 9."""
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    strided = noncontiguous and math.prod(size) > 1  # every second element of twice as many
    size = (*size[:-1], 2 * size[-1]) if strided else size
    if dtype.rank >= 2:
        made = F["empty"](size, dtype=dtype, device=device)
        parts = F["view_as_real"](made) if dtype.is_complex else made
        parts.uniform_(-9 if low is None else low, 9 if high is None else high)
    else:
        least, most = _WHOLE_NUMBERS.get(dtype, (-9, 10))
        bounds = (least if low is None else math.floor(low), most if high is None else math.ceil(high))
        made = F["randint"](*bounds, size, dtype=dtype, device=device)
    if strided:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = F["finfo"](dtype).tiny if dtype.rank >= 2 else 1
    if requires_grad:
        made.requires_grad_()
    return made


_WHOLE_NUMBERS = {dtypes.bool_: (0, 2), dtypes.uint8: (0, 10)}
