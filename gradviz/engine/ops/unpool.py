"""`max_unpool1d` to `3d`: the values of a max pooling put back at the places of its maxima. The poolings themselves are
in `pool.py`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.windows import Sizes, keeps_layout
from gradviz.engine.ops.neural import need_tensor
from gradviz.engine.ops.pool import taken_back
from gradviz.engine.run.api import api
from gradviz.engine.run.apply import call


def _put_values(x: Array, indices: Array, *, output_size: Sizes) -> Array:
    dims = len(output_size)
    outer, places = x.shape[:-dims], math.prod(x.shape[-dims:])
    out = np.zeros((*outer, math.prod(output_size)), x.dtype)
    np.put_along_axis(out, indices.reshape(*outer, places), x.reshape(*outer, places), -1)
    return out.reshape(*outer, *output_size)


MAX_UNPOOLS = {
    n: op(
        f"max_unpool{n}d",
        "self, indices",
        keeps_layout(_put_values),
        node=f"MaxUnpool{n}DBackward0",
        category="layers",
        symbol="unpool",
        latex=r"\sum_i e_{k_i} x_i",
        brief="Values put back at the positions of the maxima, zeros elsewhere.",
        self=sentence(
            "grad at the places", lambda grad, indices, output_size: taken_back(grad, indices, len(output_size))
        ),
    )
    for n in (2, 3)
}


def _per_dim(given: object, n: int) -> Sizes:
    """What was given, for each dimension: whatever it is, as PyTorch calculates with it before it looks."""
    return cast(Sizes, tuple(given) if isinstance(given, Iterable) else (given,) * n)


def _unpooled_size(inner: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, wanted: Sizes | None) -> Sizes:
    """The size of the output without batch and channels, as the pooling of that size would give `inner`."""
    n = len(kernel)
    least = [(inner[d - n] - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(n)]
    if wanted is None:
        found = tuple(least)
    else:
        if len(wanted) == n + 2:
            wanted = wanted[2:]
        if len(wanted) != n:
            raise ValueError(
                f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
                f"'{len(wanted)}'"
            )
        found = tuple(wanted)
        for d, size in enumerate(found):
            low, high = least[d] - stride[d], least[d] + stride[d]
            if not low < size < high:
                raise ValueError(f'invalid output_size "{wanted}" (dim {d} must be between {low} and {high})')
    for d, size in enumerate(found):
        if size < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{d}]={size}"
            )
    return found


def _check(input: Tensor, indices: Tensor, size: Sizes) -> None:
    n = len(size)
    need_tensor(input, f"max_unpool{n}d")
    need_tensor(indices, f"max_unpool{n}d", "indices", 2)
    if indices.dtype is not dtypes.int64:
        found = f" but got: {indices.dtype.title}" if n == 2 else ""
        raise RuntimeError("elements in indices should be type int64" + found)
    shape = input._data.shape
    if len(shape) not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with {len(shape)} "
            "dimensions."
        )
    if shape != indices._data.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(shape)}) but got indices tensor "
            f"with shape: {list(indices._data.shape)}"
        )
    if 0 in shape[1:]:
        raise RuntimeError(
            f"max_unpooling{n}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but "
            f"got {list(shape)} with dimension {shape.index(0, 1)} being empty."
        )
    if input.dtype.rank < 2:
        raise NotImplementedError(f"\"max_unpool{n}d\" not implemented for '{input.dtype.title}'")
    data = indices._data.reshape(-1)
    outside = data[(data < 0) | (data >= math.prod(size))]
    if outside.size:
        shown = "x".join(map(str, size))
        raise RuntimeError(f"Found an invalid max index: {outside[-1]} (output volumes are of size {shown})")


def _unpool_function(n: int) -> None:
    name = f"max_unpool{n}d"

    @api(name, where="F")
    def function(
        input: Tensor,
        indices: Tensor,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        output_size: object = None,
    ) -> Tensor:
        kernel = _per_dim(kernel_size, n)
        step = kernel if stride is None else _per_dim(stride, n)
        wanted = _unpooled_size(input.size(), kernel, step, _per_dim(padding, n), cast("Sizes | None", output_size))
        if n == 1:
            input, indices, wanted = input.unsqueeze(-1), indices.unsqueeze(-1), (*wanted, 1)
        _check(input, indices, wanted)
        made: Tensor = call(MAX_UNPOOLS[len(wanted)], input, indices, output_size=wanted)
        return made.squeeze(-1) if n == 1 else made

    function.__name__, function.__doc__ = name, "The values of a max pooling put back at their positions."


for _n in (1, 2, 3):
    _unpool_function(_n)
