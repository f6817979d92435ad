"""PyTorch's words for errors: problems with saved buffers and running nodes (raised in `saved.py` and `backward.py`);
element types that an operation does not take, a table by operation and kind ("b" boolean, "c" complex); and numbers
that do not fit into an element type."""

from __future__ import annotations

import ctypes
import math
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, Kernel

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)
HOOKS_AFTER_FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)
PACK_WROTE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)
ONCE_ONLY = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. "
    "Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
WRITTEN_TWICE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first. (Triggered internally at "
    "/__w/pytorch/pytorch/torch/csrc/autograd/generated/python_variable_methods.cpp:{}.)"
)
IMAGINARY_PART = (
    "Casting complex values to real discards the imaginary part (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/Copy.cpp:308.)"
)
OVERLAPPING = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
WRITTEN_OUTSIDE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
SET_ON_INFERENCE = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
LEAF_OF_GRAD = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
    "currently not supported."
)
_HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_HINT_ANOMALY = (
    "Hint: the backtrace further above shows the operation that failed to compute its gradient. "
    "The variable in question was changed in there or anywhere later. Good luck!"
)

NO_NUMBERS = "Cannot copy out of meta tensor; no data!"
NOT_ASKED = "Tensor.item() cannot be called on meta tensors"


def overwritten(what: str, now: int, expected: int, anomaly: bool) -> str:
    """A saved buffer (`what` names its type, shape and source) has been written to since."""
    return (
        f"one of the variables needed for gradient computation has been modified by an inplace operation: {what} is at "
        f"version {now}; expected version {expected} instead. {_HINT_ANOMALY if anomaly else _HINT}"
    )


_VIEWS = {
    "multiple": (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "custom": (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}
_MIXED = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)


def view_written(made_by: str, origin: str, what: str) -> str:
    """A view, or its base, is written to although the way it was made forbids that."""
    block = {"no_grad": "no_grad", "inference": "inference_mode"}.get(origin)
    if made_by and block is None:
        start = f"{made_by} is a view and {what} modified inplace."
    else:
        mode, end = ("inference", "in normal mode") if origin == "inference" else ("no_grad", "with grad mode enabled")
        first = f"{made_by} is a view of a view which was created in" if made_by else "A view was created in"
        start = f"{first} {mode} mode and {what} modified inplace {end}."
    return f"{start} {_VIEWS[origin] if block is None else _MIXED.format(block)}"


# --- names of classes ---

C = TypeVar("C", bound=type)
_NAME_OFFSET = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)  # of tp_name, the first field after the header
_kept: list[Any] = []  # the letters of each name, which CPython does not copy


def called(name: str) -> Callable[[C], C]:
    """Let Python's own errors call a class as they call PyTorch's, which is written in C, with its module:
    `'torch.Size' object is not callable`. They read `tp_name`, which only C can set apart from `__name__`; a metaclass
    would do it too, but snippets would reach it by `type(torch.Size)`."""

    def register(cls: C) -> C:
        cls.__module__ = name.rpartition(".")[0]
        if sys.implementation.name == "cpython":
            letters = ctypes.create_string_buffer(name.encode())
            _kept.append(letters)
            ctypes.c_void_p.from_address(id(cls) + _NAME_OFFSET).value = ctypes.addressof(letters)
        return cls

    return register


called("torch.dtype")(dtypes.dtype)


# --- element types and numbers ---


_MINUS = (
    "Subtraction, the `-` operator, with {} is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator "
    "instead."
)
_TWO_BOOLEANS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
_NOT_IMPLEMENTED = "\"{}\" not implemented for '{}'"

# operation: {kind: kernel name, for the usual message; or the whole message}
KERNELS: dict[str, dict[str, str]] = {
    "abs": {"b": "abs_cpu"},
    "floor_divide": {"b": "div_floor_cpu", "c": "div_floor_cpu"},
    "remainder": {"c": "remainder_cpu", "b": "remainder_cpu"},
    "fmod": {"c": "fmod_cpu", "b": "fmod_cpu"},
    "lt": {"c": "lt_cpu"},
    "le": {"c": "le_cpu"},
    "gt": {"c": "gt_cpu"},
    "ge": {"c": "ge_cpu"},
    "floor": {"b": "floor_vml_cpu"},
    "ceil": {"b": "ceil_vml_cpu"},
    "trunc": {"b": "trunc_vml_cpu"},
    "round": {"b": "round_vml_cpu", "c": "round_vml_cpu"},
    "round_decimals": {"b": "round_cpu", "c": "round_cpu"},
    "max": {"c": "max_all"},
    "min": {"c": "min_all"},
    "atan2": {"c": "atan2_cpu"},
    "hypot": {"c": "hypot_cpu"},
    "copysign": {"c": "copysign_cpu"},
    "xlogy": {"c": "xlogy_cpu"},
    "logaddexp2": {"c": "logaddexp2_cpu"},
    "amax": {"c": "max_values_cpu"},
    "amin": {"c": "min_values_cpu"},
    "aminmax": {"c": "aminmax_cpu"},
    "digamma": {"c": "digamma"},
    "erf": {"c": "erf_vml_cpu"},
    "erfc": {"c": "erfc_vml_cpu"},
    "erfinv": {"c": "erfinv_vml_cpu"},
    "lgamma": {"c": "lgamma_vml_cpu"},
    "logit": {"c": "logit_cpu"},
    "mode": {"c": "mode_cpu"},
    "unique": {"c": "unique"},
    "cummax": {"c": "cummax_cpu"},
    "cummin": {"c": "cummin_cpu"},
}
MESSAGES: dict[tuple[str, str], tuple[type[Exception], str]] = {
    ("neg", "b"): (
        RuntimeError,
        _MINUS.format("a bool tensor").replace("Subtraction", "Negation").replace("with a", "on a"),
    ),
    ("relu", "b"): (RuntimeError, "Boolean inputs not supported for relu"),
    ("relu", "c"): (NotImplementedError, "clamp is not supported for complex types"),
    ("clamp", "c"): (NotImplementedError, "clamp is not supported for complex types"),
    ("maximum", "c"): (RuntimeError, "maximum not implemented for complex tensors."),
    ("minimum", "c"): (RuntimeError, "minimum not implemented for complex tensors."),
    ("fmax", "c"): (RuntimeError, "fmax not implemented for complex tensors."),
    ("fmin", "c"): (RuntimeError, "fmin not implemented for complex tensors."),
    ("argmax", "c"): (RuntimeError, "argmax(): does not support complex input"),
    ("argmin", "c"): (RuntimeError, "argmin(): does not support complex input"),
    ("sort", "c"): (RuntimeError, " Sort does not support complex dtypes on CPU"),
    ("argsort", "c"): (RuntimeError, " Sort does not support complex dtypes on CPU"),
    ("msort", "c"): (RuntimeError, " Sort does not support complex dtypes on CPU"),
    ("nansum", "c"): (RuntimeError, "nansum on CPU does not support complex inputs"),
    ("nanmean", "c"): (RuntimeError, "nansum on CPU does not support complex inputs"),
    ("deg2rad", "c"): (RuntimeError, "deg2rad is not supported for complex tensors."),
    ("rad2deg", "c"): (RuntimeError, "rad2deg is not supported for complex tensors."),
    ("isneginf", "c"): (RuntimeError, "isneginf does not support complex inputs."),
    ("isposinf", "c"): (RuntimeError, "isposinf does not support complex inputs."),
    ("signbit", "c"): (NotImplementedError, "signbit is not implemented for complex tensors."),
    ("positive", "b"): (RuntimeError, "The `+` operator, on a bool tensor is not supported."),
    ("hardtanh", "b"): (RuntimeError, "Bool inputs not supported for hardtanh"),
    ("hardtanh", "c"): (NotImplementedError, "clamp is not supported for complex types"),
    ("floor", "c"): (NotImplementedError, "floor is not supported for complex inputs"),
    ("ceil", "c"): (NotImplementedError, "ceil is not supported for complex inputs"),
    ("trunc", "c"): (NotImplementedError, "trunc is not supported for complex inputs"),
    ("sign", "c"): (
        NotImplementedError,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
    ),
}


_OF_COMPLEX_HALF = {
    "div": "div_cpu", "pow": "pow", "bitwise_left_shift": "lshift_cpu", "bitwise_right_shift": "rshift_cpu",
    **{f"bitwise_{name}": f"bitwise_{name}_cpu" for name in ("and", "or", "xor")},
}  # fmt: skip


def check_kind(name: str, dtype: dtypes.dtype) -> None:
    """Refuse an element type that the operation does not take."""
    kind = dtype.np.kind
    if kind not in "bc":
        return
    found = MESSAGES.get((name, kind))
    if found is not None:
        raise found[0](found[1])
    kernel = KERNELS.get(name, {}).get(kind)
    if dtype is dtypes.complex32:
        kernel = _OF_COMPLEX_HALF.get(name, kernel)
    if kernel is not None:
        raise NotImplementedError(_NOT_IMPLEMENTED.format(kernel, dtype.title))


def only(kinds: str, kernel: str, forward: Kernel) -> Kernel:
    """Restrict a function of two arrays to some of NumPy's kinds of element."""

    def checked(x: Array, y: Array) -> object:
        if x.dtype.kind not in kinds:
            raise NotImplementedError(_NOT_IMPLEMENTED.format(kernel, dtypes.of(x).title))
        return forward(x, y)

    return checked


def check_subtraction(*operands: tuple[dtypes.dtype, bool]) -> None:
    """Refuse to subtract booleans; each operand as (type, whether it is a tensor)."""
    booleans = [is_tensor for dtype, is_tensor in operands if dtype is dtypes.bool_]
    if booleans:
        if len(booleans) == 2:
            raise RuntimeError(_TWO_BOOLEANS)
        raise RuntimeError(_MINUS.format("a bool tensor"))


def check_alpha(alpha: object, target: dtypes.dtype) -> None:
    """Refuse a factor of the second operand that the result type can't hold."""
    if isinstance(alpha, bool) and target is not dtypes.bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float | complex):
        if target.rank < 2:
            raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        if target.rank < 3 and isinstance(alpha, complex):
            raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
        if target.rank == 2:
            check_value(alpha, target)


def check_castable(found: dtypes.dtype, target: dtypes.dtype) -> None:
    """Refuse a result whose type can't be stored in the tensor that it is written to."""
    if not dtypes.can_cast(found, target):
        raise RuntimeError(f"result type {found.title} can't be cast to the desired output type {target.title}")


_MOST = {"float16": 65504.0, "float32": float(np.finfo(np.float32).max)}
_MOST["bfloat16"] = 3.3895313892515355e38


def check_value(value: Any, dtype: dtypes.dtype) -> None:
    """Refuse a number that does not fit into the element type that it is written to."""
    kind = {
        "int64": "int64_t", "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "float16": "c10::Half",
    }.get(dtype.name, dtype.cpp)  # fmt: skip
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError("int too big to convert")
    fits = dtype.rank in (0, 3) or not isinstance(value, complex) or not value.imag
    if fits and not isinstance(value, complex):
        if dtype.rank == 1:
            limits = np.iinfo(dtype.np)
            low = -limits.max if dtype is dtypes.uint8 and isinstance(value, int) else limits.min
            fits = value == value and low <= value <= limits.max
        elif dtype.name in _MOST:
            fits = not _MOST[dtype.name] < abs(value) < math.inf
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")


def check_norm_type(name: str, kind: dtypes.dtype, wanted: dtypes.dtype | None) -> None:
    """Refuse a norm of whole numbers, or one in a type that the elements do not fit into."""
    if kind.rank < 2:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {kind.title}")
    if wanted is None:
        return
    if wanted.rank < 2:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {wanted.title}")
    if wanted.rank != kind.rank:
        numbers = "complex" if kind.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {numbers} for {numbers} inputs, but got {wanted.title}")
    if dtypes.promote(kind, wanted) is not wanted:
        raise RuntimeError(
            f"{name}: the dtype of the input ({kind.title}) should be convertible without narrowing to the specified "
            f"dtype ({wanted.title})"
        )


def plain_numbers(values: Sequence[Any]) -> tuple[int, ...]:
    """The numbers read once: objects of another class may answer differently when asked again."""
    return tuple([int.__index__(operator.index(each)) for each in values])


def exact_number(value: Any) -> Any:
    """The number that an object of a class derived from Python's holds, as PyTorch reads it: to an operator such
    an object may answer with anything, and NumPy would read it. Anything else is returned unchanged."""
    if type(value) in _NUMBERS or not isinstance(value, (int, float, complex)) or isinstance(value, np.generic):
        return value
    if isinstance(value, int):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, float) else complex.__add__(value, 0)


def real_number(value: object) -> Any:
    """The same for what must be a number; anything else is refused: NumPy would read it."""
    if not isinstance(value, (int, float, complex, np.generic)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return exact_number(value)


_NUMBERS = frozenset((bool, int, float, complex))
NO_DIMENSION = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)


def dimension_error(dim: int, ndim: int) -> IndexError:
    """PyTorch's error for a dimension that does not exist."""
    n = max(ndim, 1)
    return IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """PyTorch's error for shapes that don't broadcast."""
    n = max(len(a), len(b))
    for i in reversed(range(n)):
        left = a[i - n + len(a)] if i - n + len(a) >= 0 else 1
        right = b[i - n + len(b)] if i - n + len(b) >= 0 else 1
        if left != right and 1 not in (left, right):
            return RuntimeError(
                f"The size of tensor a ({left}) must match the size of tensor b ({right}) at non-singleton "
                f"dimension {i}"
            )
    return RuntimeError(f"shapes {list(a)} and {list(b)} do not broadcast")
