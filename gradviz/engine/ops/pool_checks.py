"""What the pooling functions refuse, in PyTorch's order and words. The pools themselves are in `pool.py`, `resample.py`
and `fractional.py`."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.ops.windows import Sizes, sizes, window_count
from gradviz.engine.tensor import Tensor

_COUNT = {2: "two", 3: "three"}
_WORDS = {  # how each function says what it takes, for its two and its three dimensions
    "kernel_size": ("must either be a single int, or", "must be a single int, or"),
    "stride": ("must either be omitted, a single int, or", "must be omitted, a single int, or"),
    "padding": ("must either be a single int, or", "must be a single int, or"),
    "dilation": ("must be either a single int, or", "must be either a single int, or"),
}


def per_dimension(value: Any, n: int, name: str, what: str) -> Sizes:
    """One number for each dimension, or PyTorch's refusal."""
    found = sizes(value, n)
    if len(found) != n:
        words = _WORDS[what][name == "avg_pool3d"]
        raise RuntimeError(f"{name}: {what} {words} a tuple of {_COUNT[n]} ints")
    return found


def check_padding(kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
    """What the size of the output can't be computed from."""
    for k, s, p, d in zip(kernel, stride, padding, dilation, strict=True):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int(((k - 1) * d + 1) / 2):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )


def _check_positive(kernel: Sizes, stride: Sizes, dilation: Sizes) -> None:
    axes = "THW"[-len(kernel) :]
    for what, letter, values in (("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "", dilation)):
        if any(value <= 0 for value in values):
            named = " ".join(f"{letter or 'dilation'}{axis}: {v}" for axis, v in zip(axes, values, strict=True))
            raise RuntimeError(f"{what} should be greater than zero, but got {named}")


def check_pool(
    name: str, shape: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> None:
    """What pooling of any kind refuses."""
    n = len(kernel)
    if n == 3 or (name == "max_pool2d" and len(shape) not in (3, 4)):
        if len(shape) not in (n + 1, n + 2) and n == 3:
            raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
        if len(shape) not in (n + 1, n + 2):
            check_padding(kernel, stride, padding, dilation)
            raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    elif len(shape) < n + 1:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{len(shape)}, {len(shape) - 1}], but got {-n - 1})"
        )
    check_padding(kernel, stride, padding, dilation)
    _check_positive(kernel, stride, dilation)
    inner = shape[-n:]
    given = zip(inner, kernel, stride, padding, dilation, strict=True)
    out = [window_count(*each, ceil_mode=ceil_mode) for each in given]
    _check_empty(name, shape, n)
    if name == "avg_pool3d" and not ceil_mode:
        _check_covered(inner, kernel, padding)
    if any(size < 1 for size in out):
        planes = shape[-n - 1]
        raise RuntimeError(
            f"Given input size: ({'x'.join(map(str, (planes, *inner)))}). Calculated output size: "
            f"({'x'.join(map(str, (planes, *(max(size, 0) for size in out))))}). Output size is too small"
        )


def _check_empty(name: str, shape: Sizes, n: int) -> None:
    if n == 2 and (len(shape) not in (3, 4) or not math.prod(shape[-3:])):
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
        )
    if 0 in shape[-n - 1 :] or (len(shape) == n + 1 and not shape[0]):
        said = "max_pool3d_with_indices_out_cpu_template()" if name == "max_pool3d" else f"{name}()"
        raise RuntimeError(  # PyTorch names the size, 0, where the dimension was meant
            f"{said}: Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(shape)} and non-batch dimension 0 has length zero!"
        )


def _check_covered(inner: Sizes, kernel: Sizes, padding: Sizes) -> None:
    if any(size + 2 * p < k for size, k, p in zip(inner, kernel, padding, strict=True)):
        image, window = (
            " ".join(f"{letter}{axis}: {v}" for axis, v in zip("THW", values, strict=True))
            for letter, values in (("", inner), ("k", kernel))
        )
        raise RuntimeError(f"input image ({image}) smaller than kernel size ({window})")


def one_number(value: Any, name: str, what: str) -> int:
    """A number that may stand in a list of one."""
    found = sizes(value, 1)
    if len(found) != 1:
        raise RuntimeError(f"{name}() argument '{what}' should contain one int (got {len(found)})")
    return found[0]


def check_line(shape: Sizes, given: dict[str, Any], ceil_mode: bool, return_indices: bool) -> tuple[int, int, int, int]:
    """Kernel, stride, padding and dilation of max_pool1d, or PyTorch's refusal."""
    if len(shape) not in (2, 3) or not math.prod(shape[-2:]):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(shape)}"
        )
    if given["stride"] is None or given["stride"] in ((), []):
        given = {**given, "stride": given["kernel_size"]}
    words = {"stride": "None, an int, list of ints,", "padding": "an int, list of ints,"}
    found = {}
    for name in ("kernel_size", "stride", "padding", "dilation"):
        value = given[name]
        found[name] = tuple(value) if isinstance(value, tuple | list) else (int(value),)
        if len(found[name]) != 1:
            raise RuntimeError(
                f"max_pool1d() {name} must be {words.get(name, 'an int, list of ints')} or tuple of ints of size 1 but "
                f"got size {len(found[name])}"
            )
    for name in ("kernel_size", "stride", "dilation"):
        if found[name][0] <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {found[name][0]}")
    if return_indices:
        check_padding(*(found[name] for name in ("kernel_size", "stride", "padding", "dilation")))
    kernel, step, around, gap = (int(found[name][0]) for name in ("kernel_size", "stride", "padding", "dilation"))
    if around < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {around}")
    if around > kernel / 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={around} and "
            f"kernel_size={kernel}"
        )
    count = window_count(shape[-1], kernel, step, around, gap, ceil_mode=ceil_mode)
    if count <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {count}")
    return kernel, step, around, gap


# --- adaptive pools ---


def adaptive_output(output_size: Any, shape: Sizes, n: int, name: str) -> Sizes:
    """The output size with None standing for the input's."""
    if not isinstance(output_size, tuple | list):
        return (int(shape[-1] if output_size is None else output_size),) * n
    given = tuple(output_size)
    if n > 1 and len(shape) <= len(given):
        raise ValueError(f"Input dimension should be at least {len(given) + 1}")
    if n == 1:
        one_number(given, name, "output_size")
    if "max" in name and len(shape) not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(shape)}")
    found = tuple(
        int(size if wanted is None else wanted)
        for wanted, size in zip(given, shape[len(shape) - len(given) :], strict=True)
    )
    if len(found) != n:
        kind = f"{name}(): internal error: output_size.size() must be {n}"
        raise RuntimeError(kind if "max" in name else f"{name}: output_size must be {n}")
    return found


def check_adaptive_max(input: Tensor, wanted: Sizes, name: str, shown: str) -> None:
    """What adaptive max pooling refuses; `shown` is the function that PyTorch's message names."""
    n, shape = len(wanted), input._data.shape
    if len(shape) not in (n + 1, n + 2):
        raise RuntimeError(f"{shown}(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(shape)}")
    need_sizes(shape, shown)
    if any(size < 0 for size in wanted):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {next(s for s in wanted if s < 0)}: "
            f"{[*shape[:-n], *wanted]}"
        )
    if input.dtype.rank != 2:
        kernel = "adaptive_max_pool2d" if n == 2 else "adaptive_max_pool3d_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")


def need_sizes(shape: Sizes, name: str, first: int = 1) -> None:
    """Refuse empty dimensions, of a batch or not, from dimension `first` on."""
    for dim in range(first, len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(shape)} with dimension {dim} being empty"
            )
