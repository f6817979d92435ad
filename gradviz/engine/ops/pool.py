"""Max pooling in one, two and three dimensions, also adaptive: the values and where they came from; and the checks of
all pooling functions, in PyTorch's order and words. The averages are linear in the input and are in `resample.py`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.windows import Sizes, keeps_layout, offset_slices, padded, sizes, window_count
from gradviz.engine.ops.neural import need_line, need_tensor
from gradviz.engine.run.api import FUNCTIONAL, api
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.arguments import kind_name

# --- checks of pooling functions ---


_COUNT = {2: "two", 3: "three"}
_WORDS = {  # how each function describes its input, in two and in three dimensions
    "kernel_size": ("must either be a single int, or", "must be a single int, or"),
    "stride": ("must either be omitted, a single int, or", "must be omitted, a single int, or"),
    "padding": ("must either be a single int, or", "must be a single int, or"),
    "dilation": ("must be either a single int, or", "must be either a single int, or"),
}


def per_dimension(value: object, n: int, name: str, what: str) -> Sizes:
    """One number per dimension, or PyTorch's error."""
    found = sizes(value, n)
    if len(found) != n:
        words = _WORDS[what][name == "avg_pool3d"]
        raise RuntimeError(f"{name}: {what} {words} a tuple of {_COUNT[n]} ints")
    return found


def check_padding(kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
    """Refuse arguments from which the output size can't be computed."""
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
    """The checks of all kinds of pooling."""
    n = len(kernel)
    if n == 3 or (name == "max_pool2d" and len(shape) not in (3, 4)):
        if len(shape) not in (n + 1, n + 2) and n == 3:
            raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
        if len(shape) not in (n + 1, n + 2):
            raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    elif len(shape) < n + 1:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{len(shape)}, {len(shape) - 1}], but got {-n - 1})"
        )
    check_padding(kernel, stride, padding, dilation)
    _check_positive(kernel, stride, dilation)
    if n == 3 and any(p > k // 2 for k, p in zip(kernel, padding, strict=True)):
        parts = [f"{word}{axis}: {size}" for word, sizes in (("k", kernel), ("pad", padding)) for axis, size in
                 zip("TWH", (sizes[0], sizes[2], sizes[1]), strict=True)]  # fmt: skip
        raise RuntimeError(f"pad should be smaller than or equal to half of kernel size, but got {' '.join(parts)}")
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
        raise RuntimeError(  # PyTorch names the size, 0, where it means the dimension
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


def one_number(value: object, name: str, what: str) -> int:
    """A number that may be in a list of one."""
    found = sizes(value, 1)
    if len(found) != 1:
        raise RuntimeError(f"{name}() argument '{what}' should contain one int (got {len(found)})")
    return found[0]


def check_line(shape: Sizes, given: dict[str, Any], ceil_mode: bool, return_indices: bool) -> tuple[int, int, int, int]:
    """Kernel, stride, padding and dilation of max_pool1d, or PyTorch's error."""
    if return_indices and len(shape) not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for max_pool1d)"
        )
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


def need_size(input: object) -> None:
    """Refuse what has no size: PyTorch asks for it before anything else."""
    if not isinstance(input, Tensor):
        raise AttributeError(f"'{kind_name(input)}' object has no attribute 'size'", name="size", obj=input)


def adaptive_output(output_size: Any, shape: Sizes, n: int, name: str) -> Sizes:
    """The output size, with None replaced by the input's size."""
    if output_size is None and n > 1:
        raise TypeError("object of type 'NoneType' has no len()")
    if n > 1 and isinstance(output_size, float):
        raise TypeError("object of type 'float' has no len()")
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
    """The checks of adaptive max pooling; `shown` is the function that PyTorch's message names."""
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


Places = list[
    tuple[Any, Any]
]  # for each dimension: the index of each window's elements, and whether they are inside the input


def adaptive_places(shape: Sizes, output: Sizes) -> Places:
    """Windows that cover the input evenly, as many as the output has elements."""
    found = []
    for n, m in zip(shape, output, strict=True):
        i = np.arange(m)
        start, end = i * n // m, -(-(i + 1) * n // m)
        at = start[:, None] + np.arange(max(1, int((end - start).max(initial=1))))[None, :]
        inside = at < end[:, None]
        found.append((np.where(inside, at, 0), inside))
    return found


def _spread(arrays: list[Array]) -> list[Array]:
    """Each (windows, kernel) array in a shape that broadcasts to (windows…, kernel…) of all dimensions."""
    n = len(arrays)
    return [
        a.reshape(*(a.shape[0] if j == i else 1 for j in range(n)), *(a.shape[1] if j == i else 1 for j in range(n)))
        for i, a in enumerate(arrays)
    ]


def _largest(x: Array, places: Places) -> tuple[Array, Array]:
    """The largest value of each window, and its index in the flattened last dimensions."""
    n = len(places)
    shape = x.shape[-n:]
    at, inside = _spread([a for a, _ in places]), _spread([i for _, i in places])
    flat = np.zeros((1,) * (2 * n), np.int64)
    within = np.ones((1,) * (2 * n), np.bool_)
    for size, a, i in zip(shape, at, inside, strict=True):
        flat, within = flat * size + a, within & i
    out, count = flat.shape[:n], math.prod(flat.shape[n:])
    flat, within = flat.reshape(*out, count), within.reshape(*out, count)
    values = x.reshape(*x.shape[:-n], math.prod(shape))[..., flat]
    lowest = -np.inf if x.dtype.kind in "fV" else np.iinfo(x.dtype).min
    values = np.where(within, values, np.asarray(lowest, x.dtype))
    best = np.argmax(values, axis=-1)[..., None]
    chosen = np.take_along_axis(np.broadcast_to(flat, values.shape), best, -1)[..., 0]
    return np.take_along_axis(values, best, -1)[..., 0], chosen


def _max_pool(
    x: Array, *, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Array, Array]:
    n, shape = len(kernel_size), x.shape
    stride = stride or kernel_size
    each = list(zip(shape[-n:], kernel_size, stride, padding, dilation, strict=True))
    counts = tuple(window_count(*one, ceil_mode=ceil_mode) for one in each)
    lowest = np.asarray(-np.inf if x.dtype.kind in "fV" else np.iinfo(x.dtype).min, x.dtype)
    wide = padded(x, counts, kernel_size, stride, padding, dilation, lowest)
    steps = [math.prod(shape[len(shape) - n + i + 1 :]) for i in range(n)]
    begin = first = np.zeros((1,) * n, np.int64)
    for i, (_, k, s, p, d) in enumerate(each):
        at = (np.arange(counts[i]) * s - p).reshape(-1, *(1,) * (n - 1 - i))
        begin = begin + at * steps[i]
        first = first * k + np.maximum(0, -(at // d))  # for a window that begins outside, the first place inside
    best = np.full((*shape[:-n], *counts), lowest)
    small = np.min_scalar_type(-math.prod(kernel_size))  # arithmetic on small types is faster than a masked copy
    chosen = np.empty(best.shape, small)
    chosen[...] = first
    for number, part in enumerate(offset_slices(wide, counts, kernel_size, stride, dilation)):
        part = np.ascontiguousarray(part)
        better = part > best
        if x.dtype.kind in "fV":
            better |= part != part  # nan is the largest
        np.putmask(best, better, part)
        np.maximum(chosen, better * small.type(number), out=chosen)  # the first place inside is no later than this
    reach = np.zeros((1,) * n, np.int64)
    for i, (k, d) in enumerate(zip(kernel_size, dilation, strict=True)):
        reach = reach + (np.arange(k) * d * steps[i]).reshape(-1, *(1,) * (n - 1 - i))
    return best, begin + reach.reshape(-1)[chosen]


def _put(g: Array, x: Array, indices: Array, *, dims: int) -> Array:
    """The gradients added up at the places that the maxima came from."""
    shape = x.shape
    planes = math.prod(shape[:-dims])
    size = math.prod(shape[-dims:])
    out = np.zeros(planes * size, g.dtype)
    offset = np.arange(planes).reshape(-1, 1) * size
    np.add.at(out, (indices.reshape(planes, math.prod(indices.shape[-dims:])) + offset).reshape(-1), g.reshape(-1))
    return out.reshape(shape)


def taken_back(grad: Tensor, indices: Tensor, dims: int) -> Tensor:
    """The elements at the places of the maxima."""
    shape = (*indices.shape[:-dims], math.prod(indices.shape[-dims:]))
    rows = grad.contiguous().view(*grad.shape[:-dims], math.prod(grad.shape[-dims:]))
    return rows.gather(-1, indices.view(shape)).view(indices.shape)


def put_row(name: str, node: str) -> OpRow:
    """The row of the gradient of one kind of max pooling."""
    return op(
        name,
        "grad_output, self, indices",
        _put,
        node=node,
        category="layers",
        symbol="maxpool′",
        latex=r"\sum_i e_{k_i} g_i",
        brief="Gradients put back at the positions of the maxima.",
        grad_output=sentence("grad at the places of the maxima", taken_back),
        self="zero(grad)",
    )


def _max_row(name: str, node: str, forward: Any, dims: int, brief: str) -> OpRow:
    backward = put_row(f"{name}_backward", node.replace("Backward0", "BackwardBackward0"))

    def gradient(grads: Sequence[Tensor | None], self: Tensor, result1: Tensor) -> Tensor:
        return call(backward, grads[0], self, result1, dims=dims)

    return op(
        name,
        "self",
        keeps_layout(forward),
        node=node,
        outputs="result0, result1",
        hidden=1,
        category="layers",
        symbol="maxpool",
        latex=r"\max_{k \in W_i} x_k",
        brief=brief,
        self=sentence("grad at the place of each maximum, 0 elsewhere", gradient),
    )


_WINDOWS = "The largest value of each window."
_EVENLY = "The largest value of each window, for a given number of windows."
MAX_POOLS = {
    2: _max_row("max_pool2d_with_indices", "MaxPool2DWithIndicesBackward0", _max_pool, 2, _WINDOWS),
    3: _max_row("max_pool3d_with_indices", "MaxPool3DWithIndicesBackward0", _max_pool, 3, _WINDOWS),
}
ADAPTIVE_MAX_POOLS = {
    n: _max_row(
        f"adaptive_max_pool{n}d",
        f"AdaptiveMaxPool{n}DBackward0",
        lambda x, *, output_size: _largest(x, adaptive_places(x.shape[-len(output_size) :], output_size)),
        n,
        _EVENLY,
    )
    for n in (2, 3)
}


def _pooled(input: Tensor, n: int, given: dict[str, Any], ceil_mode: bool) -> tuple[Tensor, ...]:
    name = f"max_pool{n}d"
    need_tensor(input, name)
    kernel = per_dimension(given["kernel_size"], n, name, "kernel_size")
    stride = () if given["stride"] in (None, (), []) else per_dimension(given["stride"], n, name, "stride")
    padding = per_dimension(given["padding"], n, name, "padding")
    dilation = per_dimension(given["dilation"], n, name, "dilation")
    check_pool(name, input._data.shape, kernel, stride or kernel, padding, dilation, ceil_mode)
    if input.dtype.rank in (0, 3):
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.title}'")
    return call_all(
        MAX_POOLS[n], input, kernel_size=kernel, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode
    )


def with_indices(function: Callable[..., object]) -> Callable[..., object]:
    """The same pooling, which also returns where the values were found."""

    at = list(inspect.signature(function).parameters).index("return_indices") - 2

    def both(input: Tensor, kernel_size: object, *args: object, **keywords: object) -> object:
        if len(args) > at:  # it may be said in its place, and changes nothing
            return function(input, kernel_size, *args[:at], True, *args[at + 1 :], **keywords)
        return function(input, kernel_size, *args, **{**keywords, "return_indices": True})

    return both


def _max_pool_function(n: int) -> None:
    name = f"max_pool{n}d"

    def function(
        input: Tensor,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        dilation: object = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Tensor | tuple[Tensor, ...]:
        given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
        found = _pooled(input, n, given, ceil_mode)
        return found if return_indices else found[0]

    function.__name__, function.__doc__ = name, f"The largest value of each window over the last {n} dimensions."
    api(name, where="torch F")(function)
    api(f"{name}_with_indices", where="F")(with_indices(function))


for _n in (2, 3):
    _max_pool_function(_n)


@api("max_pool1d", where="torch F")
def max_pool1d(
    input: Tensor,
    kernel_size: object,
    stride: object = None,
    padding: object = 0,
    dilation: object = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor] | Tensor:
    """The largest value of each window over the last dimension."""
    need_tensor(input, "max_pool1d")
    settings = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    kernel, step, around, gap = check_line(input._data.shape, settings, ceil_mode, return_indices)
    if not input.dtype.is_floating_point and not return_indices:
        raise NotImplementedError(f"\"max_pool1d_impl\" not implemented for '{input.dtype.title}'")
    given = {"kernel_size": (1, kernel), "stride": (1, step), "padding": (0, around), "dilation": (1, gap)}
    values, indices = _pooled(input.unsqueeze(-2), 2, given, ceil_mode)
    if values._node is None and not return_indices:  # of a function that has no gradient
        values._data = np.ascontiguousarray(values._data)
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


api("max_pool1d_with_indices", where="F")(with_indices(max_pool1d))


def _adaptive_function(n: int) -> None:
    name = f"adaptive_max_pool{n}d"

    def function(input: Tensor, output_size: object, return_indices: bool = False) -> Tensor | tuple[Tensor, ...]:
        need_size(input)
        wanted = adaptive_output(output_size, input._data.shape, n, name)
        check_adaptive_max(input, wanted, name, name)
        found = call_all(ADAPTIVE_MAX_POOLS[n], input, output_size=wanted)
        return found if return_indices else found[0]

    function.__name__, function.__doc__ = name, "The largest value of each window, for a given number of windows."
    api(name, where="F")(function)


for _n in (2, 3):
    _adaptive_function(_n)


@api("adaptive_max_pool1d", where="F")
def adaptive_max_pool1d(
    input: Tensor, output_size: object, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest value of each window, for a given number of windows."""
    need_line(input, "adaptive_max_pool1d")
    (wanted,) = adaptive_output(output_size, input._data.shape, 1, "adaptive_max_pool1d")
    need_sizes(input._data.shape, "adaptive_max_pool1d")
    values, indices = FUNCTIONAL["adaptive_max_pool2d"](input.unsqueeze(-2), (1, wanted), True)
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else values.squeeze(-2)


api("adaptive_max_pool1d", where="torch")(lambda input, output_size: adaptive_max_pool1d(input, output_size, True))
