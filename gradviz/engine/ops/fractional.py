"""Fractional max pooling (Graham, 2014): windows that begin at random places, as many as the output size needs. Pooling
with even strides is in `pool.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.windows import Sizes, sizes
from gradviz.engine.ops.neural import need_tensor
from gradviz.engine.ops.pool import put_row, with_indices
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call, call_all

F = FUNCTIONS


def _begins(sample: Array, n: int, out: int, kernel: int) -> Array:
    """Where the windows of each plane begin along a dimension: (planes, out)."""
    found = np.full((len(sample), out), n - kernel, np.int64)
    if out > 1:
        one = sample.dtype.type
        step = one(n - kernel) / one(out - 1)
        shifted = (np.arange(out - 1).astype(sample.dtype)[None] + sample[:, None]) * step
        found[:, :-1] = shifted.astype(np.int64) - (sample * step).astype(np.int64)[:, None]
    return found


def _pool(x: Array, samples: Array, *, kernel_size: Sizes, output_size: Sizes) -> tuple[object, object]:
    n = len(kernel_size)
    inner, planes = x.shape[-n:], math.prod(x.shape[:-n])
    order = range(n) if n == 3 else reversed(range(n))  # in two dimensions the first random number is for the width
    drawn = samples.reshape(-1, n)[:planes]
    flat = np.zeros((planes, *(1,) * (2 * n)), np.int64)
    for i, column in enumerate(order):
        begin = _begins(drawn[:, column], inner[i], output_size[i], kernel_size[i])
        at = begin[:, :, None] + np.arange(kernel_size[i])
        shape = [planes, *(1,) * (2 * n)]
        shape[1 + i], shape[1 + n + i] = at.shape[1:]
        flat = flat * inner[i] + at.reshape(shape)
    places = flat.reshape(planes, math.prod(output_size), math.prod(kernel_size))
    rows, taken = x.reshape(planes, math.prod(inner)), places.reshape(planes, math.prod(places.shape[1:]))
    values = np.take_along_axis(rows, taken, 1).reshape(places.shape)
    best = np.argmax(values, axis=-1)[..., None]
    out = (*x.shape[:-n], *output_size)
    largest, at = (np.take_along_axis(each, best, -1).reshape(out) for each in (values, places))
    return largest, at


def _row(n: int) -> OpRow:
    backward = put_row(f"fractional_max_pool{n}d_backward", f"FractionalMaxPool{n}DBackwardBackward0")

    def gradient(grads: Sequence[Tensor | None], self: Tensor, result1: Tensor) -> Tensor:
        return call(backward, grads[0], self, result1, dims=n)

    return op(
        f"fractional_max_pool{n}d",
        "self, random_samples",
        _pool,
        node=f"FractionalMaxPool{n}DBackward0",
        outputs="result0, result1",
        category="layers",
        symbol="maxpool",
        latex=r"\max_{k \in W_i} x_k",
        brief="The largest value of each window; the windows begin at random places.",
        self=sentence("grad at the place of each maximum, 0 elsewhere", gradient),
    )


POOLS = {n: _row(n) for n in (2, 3)}


def _check(input: Tensor, kernel: Sizes, out: Sizes, name: str) -> None:
    n, shape = len(kernel), input._data.shape
    shown = f"{name}_out" if name[-2] == "3" else name
    for what, given in (("kernel_size", kernel), ("output_size", out)):
        if len(given) != int(name[-2]):
            raise RuntimeError(f"{name}: {what} must either be a single Int or tuple of Ints")
    for dim in range(len(shape) - n - 1, len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"{shown}(): Expected input to have non-zero size for non-batch dimensions, but got{list(shape)} with "
                f"dimension {dim} being empty."
            )
    said = f"{name}_out()" if n == 3 else f"{name}()"
    for title, size, wanted, k in zip(("time", "height", "width")[-n:], shape[-n:], out, kernel, strict=True):
        if wanted + k - 1 > size - (n == 3):
            raise RuntimeError(f"{said}: pool {title} {k} too large relative to input {title} {size}")


def _function(n: int) -> None:
    name = f"fractional_max_pool{n}d"

    def function(
        input: Tensor,
        kernel_size: object,
        output_size: object = None,
        output_ratio: object = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Tensor | tuple[Tensor, ...]:
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        need_tensor(input, name)
        if output_size is None:
            ratios = output_ratio if isinstance(output_ratio, tuple | list) else (output_ratio,) * n
            output_size = [int(size * r) for size, r in zip(input._data.shape[-n:], ratios, strict=True)]
        kernel, out = sizes(kernel_size, n), sizes(output_size, n)
        if _random_samples is None:
            batch = input.size(0) if input._data.ndim == n + 2 else 1
            _random_samples = F["rand"](batch, input.size(-n - 1), n, dtype=input.dtype)
        _check(input, kernel, out, name)
        found = call_all(POOLS[n], input, _random_samples, kernel_size=kernel, output_size=out)
        return found if return_indices else found[0]

    function.__name__ = name
    function.__doc__ = "The largest value of each window; the windows begin at random places."
    api(name, where="F")(function)
    api(f"{name}_with_indices", where="F")(with_indices(function))


for _n in (2, 3):
    _function(_n)
