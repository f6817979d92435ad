"""Linear maps along the last dimensions: average pooling and adaptive average pooling. Interpolation, another of them:
`interpolation.py`.

Note [One matrix for each dimension] Each of these is a product of one small matrix per dimension (mean of windows,
weights of neighbours) with the input. Its gradient is the product with the transposed matrices, whose own gradient is
the first product again. So a family is one function that makes matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.rows import ROWS, OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.windows import Sizes, keeps_layout, offset_slices, padded, sizes, window_count
from gradviz.engine.ops.neural import in_single, need_line, need_tensor
from gradviz.engine.ops.pool import (
    adaptive_output,
    adaptive_places,
    check_pool,
    need_size,
    need_sizes,
    one_number,
    per_dimension,
)
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.run.apply import call
from gradviz.engine.run.arguments import kind_name

Matrices = list[Any]
_FEW = 16  # up to so many terms of a sum are added one by one
F = FUNCTIONS


def along(x: Array, matrices: Matrices) -> Array:
    """Each matrix (out, in) applied along its dimension, the last matrix along the last."""
    n = len(matrices)
    work = x if x.dtype.kind == "f" else x.astype(np.float64)
    for i, matrix in enumerate(matrices):
        work = np.moveaxis(_times(np.moveaxis(work, work.ndim - n + i, -1), matrix.astype(work.dtype)), -1, -n + i)
    return work if work.dtype == x.dtype else np.trunc(work).astype(x.dtype)


def _times(x: Array, matrix: Array) -> Array:
    """x @ matrixᵀ, without letting nan and infinity into results that do not depend on them."""
    used = matrix != 0
    most = int(used.sum(1).max(initial=0))
    if most > _FEW:
        return x @ matrix.T
    order = np.argsort(~used, axis=1, kind="stable")[:, :most]  # the columns that count, first
    weights = np.take_along_axis(matrix, order, 1)
    found = np.zeros((*x.shape[:-1], len(matrix)), x.dtype)
    for at, weight in zip(order.T, weights.T, strict=True):
        found += np.where(weight == 0, x.dtype.type(0), x[..., at] * weight)
    return found


GIVEN_BACK = "each element of grad returned with the same weights to the elements that it came from"


def linear_rows(
    name: str,
    node: str,
    matrices: Callable[..., Matrices],
    params: str,
    *,
    keeps: bool,
    forward: Callable[..., object] | None = None,
    **texts: Any,
) -> OpRow:
    """The row of a linear map, preceded by that of its transpose; `keeps` says whether PyTorch's node keeps its input.
    `forward` is the same map in PyTorch's order of additions."""
    names = [each.strip() for each in params.split(",")]
    backward = _transposed_row(name, node, matrices, params, keeps, texts["symbol"])

    def gradient(grad: Tensor, x: Tensor, *values: object) -> Tensor:
        given = dict(zip(names, values, strict=True))
        return call(backward, grad, x, **given) if keeps else call(backward, grad, shape=x, **given)

    def plain(x: Array, **given: object) -> Array:
        return np.ascontiguousarray(along(x, matrices(x.shape, **given)))

    base = "self" if keeps else "self_shape"
    return op(
        name,
        "self",
        keeps_layout(in_single(forward or plain)),
        node=node,
        category="layers",
        self=sentence(GIVEN_BACK, gradient, f"grad, {base}, {params}"),
        **texts,
    )


def _transposed_row(
    name: str, node: str, matrices: Callable[..., Matrices], params: str, keeps: bool, symbol: str
) -> OpRow:
    """The gradient of a linear map: its transpose, whose own gradient is the map again."""
    names = [each.strip() for each in params.split(",")]

    def again(grad: Tensor, *values: object) -> Tensor:
        return call(ROWS[name], grad, **dict(zip(names, values, strict=True)))

    def transposed(g: Array, shape: Sizes, given: dict[str, object]) -> Array:
        return np.ascontiguousarray(along(g, [m.T for m in matrices(shape, **given)]))

    def of_input(g: Array, x: Array, **given: object) -> Array:
        return transposed(g, x.shape, given)

    def of_shape(g: Array, *, shape: Sizes, **given: object) -> Array:
        return transposed(g, shape, given)

    zeros: dict[str, Any] = {}
    if keeps:
        zeros["self"] = expressed("0", lambda grad, self_shape: grad.new_zeros(self_shape))

    return op(
        f"{name}_backward",
        "grad_output, self" if keeps else "grad_output",
        in_single(of_input if keeps else of_shape),
        node=node.replace("Backward0", "BackwardBackward0"),
        category="layers",
        symbol=f"{symbol}′",
        latex=r"M^\top g",
        brief="The gradient, spread by the same weights.",
        grad_output=sentence("grad, put together by the same weights", again, f"grad, {params}"),
        **zeros,
    )


# --- averages of windows ---


def _window_means(
    shape: Sizes,
    *,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Matrices:
    found = []
    n = len(kernel_size)
    for i, (size, k, s, p) in enumerate(zip(shape[-n:], kernel_size, stride or kernel_size, padding, strict=True)):
        start = np.arange(window_count(size, k, s, p, 1, ceil_mode=ceil_mode)) * s - p
        end = np.minimum(start + k, size + p)
        at = np.arange(size)[None, :]
        inside = (at >= start[:, None]) & (at < end[:, None])
        counts = (end - start) if count_include_pad else inside.sum(1)
        if divisor_override is not None:
            counts = np.full_like(start, divisor_override if i == 0 else 1)
        found.append(inside / counts[:, None])
    return found


def _window_sums(x: Array, counts: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes) -> Array:
    """The sum of each window, its elements one after the other."""
    flat = (1,) * len(kernel)
    work = padded(x if x.dtype.kind == "f" else x.astype(np.float64), counts, kernel, stride, padding, flat)
    total = np.zeros((*x.shape[: -len(kernel)], *counts), work.dtype)
    for part in offset_slices(work, counts, kernel, stride, flat):
        total += part
    return total


def _averages(
    x: Array,
    *,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    n, stride = len(kernel_size), stride or kernel_size
    counts, divisor = [], np.ones((1,) * n, np.int64)
    for i, (size, k, s, p) in enumerate(zip(x.shape[-n:], kernel_size, stride, padding, strict=True)):
        counts.append(window_count(size, k, s, p, 1, ceil_mode=ceil_mode))
        start = np.arange(counts[-1]) * s - p
        end = np.minimum(start + k, size + p)
        inside = end - start if count_include_pad else np.minimum(end, size) - np.maximum(start, 0)
        divisor = divisor * inside.reshape(-1, *(1,) * (n - 1 - i))
    total = _window_sums(x, tuple(counts), kernel_size, stride, padding)
    found = total / (divisor if divisor_override is None else np.asarray(divisor_override)).astype(total.dtype)
    return found if x.dtype.kind == "f" else np.trunc(found).astype(x.dtype)


_POOL = "kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override"
_MEAN = {"symbol": "avgpool", "latex": r"\frac{1}{|W_i|} \sum_{k \in W_i} x_k"}
AVG_POOLS = {
    n: linear_rows(
        f"avg_pool{n}d",
        f"AvgPool{n}DBackward0",
        _window_means,
        _POOL,
        keeps=True,
        forward=_averages,
        brief="The mean of each window.",
        **_MEAN,
    )
    for n in (2, 3)
}


def _adaptive_means(shape: Sizes, *, output_size: Sizes) -> Matrices:
    found = []
    n = len(output_size)
    for (at, inside), size in zip(adaptive_places(shape[-n:], output_size), shape[-n:], strict=True):
        matrix = np.zeros((len(at), size))
        np.add.at(matrix, (np.arange(len(at))[:, None] + 0 * at, at), inside)
        found.append(matrix / inside.sum(1, keepdims=True))
    return found


def _adaptive_averages(x: Array, *, output_size: Sizes) -> Array:
    inner = x.shape[-len(output_size) :]
    if not x.size or any(m == 0 or n % m for n, m in zip(inner, output_size, strict=True)):
        return np.ascontiguousarray(along(x, _adaptive_means(x.shape, output_size=output_size)))
    kernel = tuple(n // m for n, m in zip(inner, output_size, strict=True))
    found = _window_sums(x, output_size, kernel, kernel, (0,) * len(kernel))
    for size in kernel:
        found = found / found.dtype.type(size)
    return found


ADAPTIVE_AVG_POOLS = {
    n: linear_rows(
        f"_adaptive_avg_pool{n}d",
        f"AdaptiveAvgPool{n}DBackward0",
        _adaptive_means,
        "output_size",
        keeps=True,
        forward=_adaptive_averages,
        brief="The mean of each window, for a given number of windows.",
        **_MEAN,
    )
    for n in (2, 3)
}


def _averaged(
    input: Tensor,
    n: int,
    kernel_size: object,
    stride: object,
    padding: object,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Tensor:
    name = f"avg_pool{n}d"
    need_tensor(input, name)
    kernel = per_dimension(kernel_size, n, name, "kernel_size")
    step = () if stride in (None, (), []) else per_dimension(stride, n, name, "stride")
    around = per_dimension(padding, n, name, "padding")
    if divisor == 0 and n == 2:
        raise RuntimeError("divisor must be not zero")
    check_pool(name, input._data.shape, kernel, step or kernel, around, (1,) * n, ceil_mode)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    half = input.dtype in (dtypes.float16, dtypes.bfloat16)
    if (n > 1 and input.dtype.rank != 2 and input.dtype is not dtypes.int64) or (n == 3 and half):
        kernel_name = "avg_pool2d" if n == 2 else "avg_pool3d_out_frame"
        raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{input.dtype.title}'")
    return call(
        AVG_POOLS[n],
        input,
        kernel_size=kernel,
        stride=step,
        padding=around,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        divisor_override=divisor,
    )


def _average_function(n: int) -> None:
    @api(f"avg_pool{n}d", where="F")
    def function(
        input: Tensor,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        return _averaged(input, n, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    function.__name__, function.__doc__ = f"avg_pool{n}d", f"The mean of each window over the last {n} dimensions."

    @api(f"adaptive_avg_pool{n}d", where="F")
    def adaptive(input: Tensor, output_size: object) -> Tensor:
        name = f"adaptive_avg_pool{n}d"
        need_size(input)
        shape = input._data.shape
        given = adaptive_output(output_size, shape, n, name)
        if any(size < 0 for size in given):
            inner = f"{given[0]}, {given[1]}" + "".join(f",{size}" for size in given[2:])
            raise RuntimeError(
                f"{name}: elements of output_size must be greater than or equal to 0 but received {{{inner}}}"
            )
        if all(size == 1 for size in given):
            return input.mean([-1, -2, -3][:n], keepdim=True)
        if len(shape) not in (n + 1, n + 2):
            raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got {list(shape)}")
        need_sizes(shape, name, len(shape) - n)
        if input.dtype.rank != 2:
            kernel = name if n == 2 else f"{name}_cpu"
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")
        return call(ADAPTIVE_AVG_POOLS[n], input, output_size=given)

    adaptive.__name__, adaptive.__doc__ = (
        f"adaptive_avg_pool{n}d",
        "The mean of each window, for a given number of windows.",
    )


for _n in (2, 3):
    _average_function(_n)


@api("avg_pool1d", where="torch F")
def avg_pool1d(
    input: Tensor,
    kernel_size: object,
    stride: object = None,
    padding: object = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window over the last dimension."""
    need_line(input, "avg_pool1d")
    if not input.dtype.is_floating_point and input.dtype is not dtypes.int64:
        raise NotImplementedError(f"\"avg_pool2d\" not implemented for '{input.dtype.title}'")
    kernel = one_number(kernel_size, "avg_pool1d", "kernel_size")
    step = kernel if stride in (None, (), []) else one_number(stride, "avg_pool1d", "stride")
    around = one_number(padding, "avg_pool1d", "padding")
    found = _averaged(input.unsqueeze(-2), 2, (1, kernel), (1, step), (0, around), ceil_mode, count_include_pad, None)
    return found.squeeze(-2)


@api("adaptive_avg_pool1d", where="torch F")
def adaptive_avg_pool1d(input: Tensor, output_size: object) -> Tensor:
    """The mean of each window, for a given number of windows."""
    need_line(input, "adaptive_avg_pool1d")
    if output_size is None:
        text = "argument 'output_size' (position 2) must be tuple of ints, not NoneType"
        raise TypeError(f"adaptive_avg_pool1d(): {text}")
    (wanted,) = adaptive_output(output_size, input._data.shape, 1, "adaptive_avg_pool1d")
    return FUNCTIONAL["adaptive_avg_pool2d"](input.unsqueeze(-2), (1, wanted)).squeeze(-2)


def _power_pool(n: int) -> None:
    name = f"lp_pool{n}d"

    @api(name, where="F")
    def function(
        input: Tensor, norm_type: float, kernel_size: object, stride: object = None, ceil_mode: bool = False
    ) -> Tensor:
        if not isinstance(input, Tensor):
            raise AttributeError(f"'{kind_name(input)}' object has no attribute 'pow'", name="pow", obj=input)
        powers = F["pow"](input, norm_type)
        found = FUNCTIONAL[f"avg_pool{n}d"](powers, kernel_size, stride, 0, ceil_mode)
        count = math.prod(sizes(kernel_size, n))
        total = (found.sign() * F["relu"](found.abs())) * count
        return F["pow"](total, 1.0 / norm_type)

    function.__name__, function.__doc__ = name, "The p-norm of each window."


for _n in (1, 2, 3):
    _power_pool(_n)
