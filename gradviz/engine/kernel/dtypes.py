"""Element types and type promotion: PyTorch's names over NumPy's dtypes. Nothing here knows tensors; see
`tensor.py` next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from gradviz.engine.kernel.state import on_new_run

Array = np.ndarray[Any, Any]
ArrayOrScalar = Array | np.generic  # what NumPy's functions return: a scalar where no dimension is left
Kernel = Callable[..., Any]  # computes an operation: from arrays and its options an array, a number or several of them


class dtype:
    """One of PyTorch's element types, such as `torch.float32`."""

    __slots__ = ("is_complex", "is_floating_point", "itemsize", "label", "name", "np", "rank", "title")

    def __init__(self, name: str, numpy_type: type, rank: int, title: str) -> None:
        self.name = name
        self.np: np.dtype[Any] = np.dtype(numpy_type)
        self.rank = rank  # 0 bool, 1 integer, 2 floating point, 3 complex
        self.title = title  # as in error messages: "Float"
        self.label = f"torch.{title}Tensor"
        self.is_floating_point = rank == 2
        self.is_complex = rank == 3
        self.itemsize = self.np.itemsize

    @property
    def is_signed(self) -> bool:
        """Whether the type can hold negative numbers."""
        return self.name not in ("bool", "uint8")

    @property
    def cpp(self) -> str:
        """The C++ name that some messages use: "float", "long int"."""
        return _CPP.get(self.name, self.name)

    @property
    def cpu_type(self) -> str:
        """The tensor class that errors name: "torch.FloatTensor"; newer types never had one."""
        return (
            f"CPU{self.title}Type"
            if self.title in ("Bool", "BFloat16", "ComplexFloat", "ComplexDouble")
            else self.label
        )

    def to_complex(self) -> dtype:
        """The complex type of the same precision."""
        return complex128 if self.itemsize >= 8 else complex64

    def to_real(self) -> dtype:
        """The real type of the same precision."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


_CPP = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}

bool_ = dtype("bool", np.bool_, 0, "Bool")
uint8 = dtype("uint8", np.uint8, 1, "Byte")
int8 = dtype("int8", np.int8, 1, "Char")
int16 = dtype("int16", np.int16, 1, "Short")
int32 = dtype("int32", np.int32, 1, "Int")
int64 = dtype("int64", np.int64, 1, "Long")
float16 = dtype("float16", np.float16, 2, "Half")
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, 2, "BFloat16")
float32 = dtype("float32", np.float32, 2, "Float")
float64 = dtype("float64", np.float64, 2, "Double")
complex64 = dtype("complex64", np.complex64, 3, "ComplexFloat")
complex128 = dtype("complex128", np.complex128, 3, "ComplexDouble")

# The type of a complex number's parts: PyTorch's type is half as wide, and hardly any operation takes it.
OF_PYTHON: dict[Any, dtype] = {float: float64, int: int64, bool: bool_, complex: complex128}


def meant(given: object) -> Any:
    """The dtype that one of Python's types stands for; anything else as it is."""
    return OF_PYTHON.get(given, given) if isinstance(given, type) else given


complex32 = dtype("complex32", np.complex64, 3, "ComplexHalf")


def _refuse(cls: type[dtype], *args: object, **options: object) -> NoReturn:
    raise TypeError("cannot create 'torch.dtype' instances")


dtype.__new__ = _refuse  # type: ignore[assignment]  # these are all

ALL = (bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)
OF_NUMPY: dict[np.dtype[Any], dtype] = {each.np: each for each in ALL}
_WIDER = {np.dtype(np.uint16): int32, np.dtype(np.uint32): int64, np.dtype(np.uint64): int64}


class _Default:
    """The default floating point type (`torch.set_default_dtype`)."""

    dtype = float32


default = _Default()


def get_default_dtype() -> dtype:
    """Return the type that a Python float gets as a tensor."""
    return default.dtype


def set_default_dtype(d: dtype) -> None:
    """Make `d` the type that Python floats get as tensors."""
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    default.dtype = d


on_new_run(lambda: set_default_dtype(float32))


def of(array: Array) -> dtype:
    """The element type of a NumPy array; the caller refuses unsigned types that PyTorch lacks."""
    return OF_NUMPY[array.dtype]


def default_complex() -> dtype:
    """The complex type that goes with the default floating point type."""
    return default.dtype.to_complex()


def of_scalar(value: object) -> dtype:
    """The type that a Python number gets when it becomes a tensor by itself."""
    if isinstance(value, bool | np.bool_):
        return bool_
    if isinstance(value, int | np.integer):
        return int64
    if isinstance(value, complex | np.complexfloating):
        return default_complex()
    return default.dtype


_INT_ORDER = {int8: 0, int16: 1, int32: 2, int64: 3}


def promote(a: dtype, b: dtype) -> dtype:
    """`torch.promote_types`: the smallest type that can hold both, by PyTorch's lattice."""
    if a is b:
        return a
    if a.rank > b.rank:
        a, b = b, a
    if b.rank == 0 or a.rank == 0:
        return b
    if b.rank == 1:
        if a is uint8 or b is uint8:
            other = b if a is uint8 else a
            return int16 if other is int8 else other
        return a if _INT_ORDER[a] > _INT_ORDER[b] else b
    if a.rank == 1:
        return b
    if b.rank == 2:
        return _promote_floats(a, b)
    if a.rank == 2:
        return complex128 if float64 in (a, b.to_real()) else complex64
    return complex128


def _promote_floats(a: dtype, b: dtype) -> dtype:
    if {a, b} == {float16, bfloat16}:
        return float32
    return a if a.itemsize > b.itemsize else b


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether an in-place result of type `source` may be written to a tensor of type `target`."""
    return source.rank <= target.rank or (source.rank <= 1 and target.rank == 1)


def common(tensors: list[tuple[dtype, int]], scalars: list[object]) -> dtype:
    """The result type of an operation. Tensors with dimensions outrank 0-dimensional tensors, which outrank Python
    numbers.

    `tensors` holds (type, number of dimensions) of each tensor operand; a lower priority counts only if its kind
    (boolean, integer, floating point, complex) is higher, as `torch.result_type` documents."""
    groups: list[dtype | None] = [None, None, None]
    for d, ndim in tensors:
        at = 0 if ndim else 1
        known = groups[at]
        groups[at] = d if known is None else promote(known, d)
    for value in scalars:
        d, known = of_scalar(value), groups[2]
        groups[2] = d if known is None else promote(known, d)
    result: dtype | None = None
    for group in groups:
        if group is None:
            continue
        if result is None:
            result = group
        elif group.rank > result.rank:
            result = _lift(result, group)
    assert result is not None
    return result


def _lift(result: dtype, group: dtype) -> dtype:
    """The type of a lower-priority operand of a higher kind: a complex number keeps the precision of a floating point
    tensor."""
    if group.is_complex and result.is_floating_point:
        return complex32 if result is float16 else result.to_complex()
    return group
