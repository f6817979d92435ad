"""The text of a tensor, character for character as PyTorch 2.13 prints it. Pure functions of NumPy arrays and one set
of print options; what a tensor adds to its numbers (`grad_fn=<...>`) is passed in as suffixes, so nothing here knows
the autograd graph. Read next: `gradviz.engine.kernel.tensor`, whose `__repr__` calls `tensor_repr`."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.state import on_new_run


@dataclass(frozen=True)
class PrintOptions:
    """The options of `torch.set_printoptions`; with `sci_mode` None the values decide."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}

_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set the print options; as in PyTorch, an unknown profile changes nothing and `sci_mode` is reset unless given."""
    global _options
    base = _options if profile is None else _PROFILES.get(profile, _options)
    _options = PrintOptions(
        precision=base.precision if precision is None else precision,
        threshold=base.threshold if threshold is None else threshold,
        edgeitems=base.edgeitems if edgeitems is None else edgeitems,
        linewidth=base.linewidth if linewidth is None else linewidth,
        sci_mode=sci_mode,
    )


on_new_run(lambda: set_printoptions(profile="default"))


def get_printoptions() -> dict[str, Any]:
    """The current options as PyTorch's dictionary."""
    return {name: getattr(_options, name) for name in PrintOptions.__dataclass_fields__}


@contextmanager
def printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> Iterator[None]:
    """Print with other options inside a `with` block."""
    global _options
    before = _options
    set_printoptions(precision, threshold, edgeitems, linewidth, profile, sci_mode)
    try:
        yield
    finally:
        _options = replace(before)


def is_floating(dtype: np.dtype[np.generic]) -> bool:
    """Whether a dtype is a real floating point type; ml_dtypes' bfloat16 and float8 have kind 'V'."""
    return dtype.kind in "fV"


class _Formatter:
    """How the numbers of a tensor are written: notation and width are determined once from all of them."""

    def __init__(self, values: Array, floating: bool) -> None:
        self.floating = floating
        self.int_mode = True
        self.sci_mode = False
        self.width = 1
        if not floating:
            self.width = max([1, *(len(str(value)) for value in values.tolist())])
            return
        kept = values[np.isfinite(values) & (values != 0)]
        if kept.size:
            self._choose(kept)

    def _choose(self, values: Array) -> None:
        magnitudes = np.abs(values)
        low, high = float(magnitudes.min()), float(magnitudes.max())
        self.int_mode = bool(np.all(values == np.ceil(values)))
        wanted = _options.sci_mode
        self.sci_mode = high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4 if wanted is None else wanted
        point = 1 if self.int_mode and not self.sci_mode else 0
        write = self._number
        self.width = max(1, *(len(write(value)) for value in values.tolist())) + point

    def _number(self, value: float) -> str:
        if self.sci_mode:
            return f"{value:.{_options.precision}e}"
        return f"{value:.0f}" if self.int_mode else f"{value:.{_options.precision}f}"

    def format(self, value: float) -> str:
        """One number, left-padded to the width of the widest."""
        if not self.floating:
            text = str(value)
        else:
            text = self._number(value)
            if self.int_mode and not self.sci_mode and math.isfinite(value):
                text += "."
        return text.rjust(self.width)


def _as_double(values: Array, floating: bool) -> Array:
    return values.astype(np.float64).reshape(-1) if floating else values.reshape(-1)


def _writer(shown: Array) -> tuple[Callable[[Any], str], int]:
    """The function that writes one element, and its width including a following ', ', for the shown elements."""
    if shown.dtype.kind != "c":
        floating = is_floating(shown.dtype)
        formatter = _Formatter(_as_double(shown, floating), floating)
        return formatter.format, formatter.width + 2
    real = _Formatter(_as_double(shown.real, True), True)
    imag = _Formatter(_as_double(shown.imag, True), True)

    def write(value: complex) -> str:
        second = (imag.format(value.imag) + "j").lstrip()
        return real.format(value.real) + (second if second[0] in "+-" else "+" + second)

    return write, real.width + imag.width + 3


def _shown(array: Array) -> Array:
    """The elements that a summary shows: the edge items of every dimension."""
    edge = _options.edgeitems
    if array.ndim > 1 and not edge:
        return array[(slice(0),) * array.ndim]
    if not edge or not array.ndim:
        return array
    ends = [np.r_[0:edge, n - edge : n] if n > 2 * edge else np.arange(n) for n in array.shape]
    found: Array = array[np.ix_(*ends)]
    return found


def _elements(array: Array) -> list[Any]:
    return (array.astype(np.float64) if is_floating(array.dtype) else array).tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _Layout:
    """What all rows of one tensor's text share."""

    write: Callable[[Any], str]
    element_width: int
    summarize: bool

    def block(self, array: Array, indent: int) -> str:
        """The text of a sub-array that begins at column `indent`."""
        if array.ndim == 0:
            return self.write(_elements(array))
        if array.ndim == 1:
            return self._row(array, indent)
        edge = _options.edgeitems
        size = array.shape[0]
        if self.summarize and size > 2 * edge:
            rows = [self.block(array[i], indent + 1) for i in range(edge)]
            rows.append("...")
            rows += [self.block(array[i], indent + 1) for i in range(size - edge, size)]
        else:
            rows = [self.block(row, indent + 1) for row in array]
        return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(rows) + "]"

    def _row(self, array: Array, indent: int) -> str:
        edge = _options.edgeitems
        if self.summarize and not edge:
            texts = ["..."]
        elif self.summarize and array.shape[0] > 2 * edge:
            texts = [self.write(value) for value in _elements(array[:edge])]
            texts.append(" ...")
            texts += [self.write(value) for value in _elements(array[-edge:])]
        else:
            texts = [self.write(value) for value in _elements(array)]
        per_line = max(1, (_options.linewidth - indent) // self.element_width)
        lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def numbers_text(array: Array, indent: int = 0) -> str:
    """The numbers alone, `[[1., 2.]]`, as inside `tensor(...)` at column `indent`."""
    if array.size == 0:
        return "[]"
    summarize = array.size > _options.threshold
    write, width = _writer(_shown(array) if summarize else array)
    return _Layout(write, width, summarize).block(array, indent)


def format_tensor(array: Array, *, suffixes: Sequence[str] = (), prefix: str = "tensor(") -> str:
    """`tensor(...)` with suffixes, each of which moves to a new line if the line would get too long."""
    indent = len(prefix)
    return _suffixed(prefix + numbers_text(array, indent), suffixes, indent)


def dtype_text(dtype: np.dtype[np.generic]) -> str:
    """`torch.float32`, PyTorch's name of a dtype."""
    return f"torch.{dtype.name}"


def size_text(shape: Sequence[int]) -> str:
    """`torch.Size([2, 3])`."""
    return f"torch.Size([{', '.join(map(str, shape))}])"


def data_suffixes(array: Array, default: np.dtype[np.generic]) -> list[str]:
    """`size=` and `dtype=` where PyTorch shows them; an empty tensor has no numbers that would show its dtype."""
    suffixes = []
    default_complex = np.complex128 if default == np.float64 else np.complex64
    if array.size == 0:
        if array.ndim != 1:
            suffixes.append(f"size={array.shape}")
        implied = array.dtype == default
    else:
        if not _options.edgeitems:
            suffixes.append(f"size={array.shape}")
        implied = array.dtype in (default, default_complex, np.int64, np.bool_)
    if not implied:
        suffixes.append(f"dtype={dtype_text(array.dtype)}")
    return suffixes


def tensor_repr(
    array: Array,
    *,
    grad_fn: str | None = None,
    requires_grad: bool = False,
    default_dtype: np.dtype[np.generic] | type[np.generic] = np.float32,
    prefix: str = "tensor(",
) -> str:
    """The whole text of a tensor whose node's class is called `grad_fn`; `prefix` differs for a Tensor subclass."""
    suffixes = data_suffixes(array, np.dtype(default_dtype))
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    return format_tensor(array, suffixes=suffixes, prefix=prefix)


def sparse_repr(indices: Array, values: Array, whole: Array, layout: object, more: Sequence[str]) -> str:
    """The text of a sparse tensor: its indices, its values, then on a line of their own what else there is to say."""
    parts: list[tuple[str, Array]] = [("indices", indices), ("values", values)]
    if "csr" in str(layout):
        starts = np.searchsorted(indices[0], np.arange(whole.shape[0] + 1))
        parts = [("crow_indices", starts), ("col_indices", indices[1]), ("values", values)]
    lines = []
    for name, array in parts:
        prefix = f"{name}=tensor("
        size = "" if array.size else f", size={array.shape}"
        lines.append(f"{prefix}{numbers_text(array, len(prefix) + 7)}{size})")
    text = "tensor(" + (",\n" + " " * 7).join(lines)
    suffixes = [f"size={whole.shape}", f"nnz={values.shape[0]}"]
    if whole.dtype not in (np.float32, np.complex64, np.int64, np.bool_):
        suffixes.append(f"dtype={dtype_text(whole.dtype)}")
    return _suffixed(text, [*suffixes, f"layout={layout}", *more], 7, newline=len(parts) == 2)


def _suffixed(text: str, suffixes: Sequence[str], indent: int, newline: bool = False) -> str:
    """The text with suffixes, each of which moves to a new line if the line would get too long, or if `newline`, the
    first."""
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if newline or column + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            column, newline = indent + len(suffix), False
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def parameter_repr(array: Array, *, requires_grad: bool = True, default_dtype: type[np.generic] = np.float32) -> str:
    """The text of an `nn.Parameter`."""
    return "Parameter containing:\n" + tensor_repr(array, requires_grad=requires_grad, default_dtype=default_dtype)


def format_scalar(array: Array, spec: str) -> str:
    """`format(t, spec)` of a 0-d tensor: that of its Python number."""
    if array.ndim:
        raise TypeError("unsupported format string passed to Tensor.__format__")
    return format(_elements(array), spec)
