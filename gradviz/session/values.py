"""An array as text that can be pasted into PyTorch or NumPy code, with the fewest digits that give the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_DTYPES = frozenset({"float32", "int64", "bool", "complex64"})  # the result of torch.tensor for plain literals
NUMPY_NAMES = {"bool": "np.bool_", "bfloat16": "np.float32"}


def torch_text(array: NDArray[Any], dtype: str) -> str:
    """`torch.tensor(...)` that makes the same tensor."""
    name = dtype.removeprefix("torch.")
    suffix = "" if name in DEFAULT_DTYPES and array.size else f", dtype=torch.{name}"
    return f"torch.tensor({literal(array, 'float')}{suffix})"


def numpy_text(array: NDArray[Any], dtype: str) -> str:
    """`np.array(...)` that makes the same array."""
    name = dtype.removeprefix("torch.")
    return f"np.array({literal(array, 'np.float64')}, dtype={NUMPY_NAMES.get(name, f'np.{name}')})"


def literal(array: NDArray[Any], wrapper: str) -> str:
    """Nested lists; `wrapper("nan")` if Python has no literal."""
    if array.ndim:
        return "[" + ", ".join(literal(part, wrapper) for part in array) + "]"
    if array.dtype.kind == "b":
        return str(bool(array))
    if array.dtype.kind in "iu":
        return str(int(array))
    if array.dtype.kind == "c":
        return str(complex(array))
    text = str(array)
    return f'{wrapper}("{text}")' if text in {"nan", "inf", "-inf"} else text
