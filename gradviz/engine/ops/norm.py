"""Normalisation of each sample: layer_norm, group_norm, rms_norm, local_response_norm. batch_norm is in `batchnorm.py`.

Note [Statistics in second derivatives] The nodes save mean and 1/σ of the forward pass. An ordinary backward pass uses
them as they are, in PyTorch's order of multiplications and additions: the terms almost cancel, so another order shows
other digits. Under `create_graph` they are recomputed from the saved input, because the second derivative has to know
that they depend on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import rounding, sums
from gradviz.engine.numerics.windows import channels_last, keeps_layout
from gradviz.engine.ops.derivatives import plus
from gradviz.engine.ops.neural import check_mixed, in_single, is_half, need_floats, one_gradient
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.run.apply import call_all

F = FUNCTIONS
Dims = tuple[int, ...]


def standardised(x: Array, axes: Dims, eps: float) -> tuple[Array, Array, Array]:
    """(x − mean) / σ, and the mean and 1/σ over `axes`, which are kept with size 1."""
    x = np.ascontiguousarray(x)  # as in PyTorch's result, whatever the order of the input
    mean = np.mean(x, axis=axes, keepdims=True, dtype=x.dtype)
    centred = x - mean
    scale = (1 / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + x.dtype.type(eps))).astype(x.dtype)
    return centred * scale, mean, scale


def statistics(x: Tensor, dims: Dims, eps: float, mean: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and 1/σ for the gradient; see Note [Statistics in second derivatives]."""
    if not state.grad:
        return mean, scale
    mean = x.mean(dims, keepdim=True)
    centred = x - mean
    return mean, ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()


def through_standard(grad: Tensor, standard: Tensor, scale: Tensor, dims: Dims) -> Tensor:
    """The gradient through (x − mean) / σ: without the components that change mean and variance."""
    return scale * (grad - grad.mean(dims, keepdim=True) - standard * (grad * standard).mean(dims, keepdim=True))


def through_rows(grad: Tensor, x: Tensor, mean: Tensor, scale: Tensor, dims: Dims) -> Tensor:
    """The same with the saved statistics, in the order of PyTorch's layer_norm."""
    share = 1 / math.prod(x.shape[dim] for dim in dims)
    along, total = (grad * x).sum(dims, keepdim=True), grad.sum(dims, keepdim=True)
    slope = (total * mean - along) * scale * scale * scale * share
    return scale * grad + slope * x + (-slope * mean - total * scale * share)


def channels(x: Any, like: Any) -> Any:
    """One value per channel, in a shape that broadcasts."""
    return x.reshape(1, -1, *(1,) * (like.ndim - 2))


# --- layer_norm and rms_norm ---


def _in_rows(*arrays: Array | None) -> bool:
    """Whether these are single precision numbers, and few enough that PyTorch's order of operations is not slow."""
    return all(x is None or (type(x) is np.ndarray and x.dtype == np.float32 and 0 < x.size < 2**17) for x in arrays)


def _layer_norm(x: Array, w: Array | None, b: Array | None, *, normalized_shape: Dims, eps: float) -> tuple[Array, ...]:
    axes = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    if _in_rows(x, w, b):
        mean, variance = sums.moments(x.reshape(-1, math.prod(normalized_shape)))
        outer = x.shape[: x.ndim - len(axes)] + (1,) * len(axes)
        mean, scale = mean.reshape(outer), (1 / np.sqrt(variance + np.float32(eps))).reshape(outer)
        out = np.ascontiguousarray((x - mean) * scale)
        if w is not None and b is not None:
            return rounding.fma32(out, w, b), mean, scale
        return (out if w is None else out * w) + np.float32(0) if b is None else out + b, mean, scale
    out, mean, scale = standardised(x, axes, eps)
    out = out if w is None else out * w
    return (out if b is None else out + b).astype(x.dtype), mean, scale


def _through_layer(grad: Tensor, x: Tensor, weight: Tensor | None, mean: Tensor, scale: Tensor, dims: Dims) -> Tensor:
    inner = grad if weight is None else grad * weight
    if state.grad:
        return through_standard(inner, (x - mean) * scale, scale, dims)
    if not _in_rows(*(each._data for each in (inner, x, mean, scale))):
        return through_rows(inner, x, mean, scale, dims)
    size = math.prod(x.shape[dim] for dim in dims)
    w = None if weight is None else weight._data.reshape(-1)
    g, rows = grad._data.reshape(-1, size), x._data.reshape(-1, size)
    return wrap(sums.through_moments(g, rows, w, mean._data, scale._data).reshape(x.shape))


def _weight_gradient(grad: Tensor, x: Tensor, mean: Tensor, scale: Tensor, dims: Dims) -> Tensor:
    if state.grad or not _in_rows(*(each._data for each in (grad, x, mean, scale))):
        return _summed(grad * ((x - mean) * scale), tuple(range(dims[0])))
    inner = x._data.shape[dims[0] :]
    g, rows = (each._data.reshape(-1, math.prod(inner)) for each in (grad, x))
    return wrap(sums.weight_of_rows(g, rows, mean._data, scale._data).reshape(inner))


def _layer_norm_gradients(
    grad: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    scale: Tensor,
    wanted: tuple[bool, ...],
    normalized_shape: Dims,
    eps: float,
) -> tuple[Tensor | None, ...]:
    outer = input.ndim - len(normalized_shape)
    dims = tuple(range(outer, input.ndim))
    mean, scale = statistics(input, dims, eps, mean, scale)
    batch = tuple(range(outer))
    return (
        _through_layer(grad, input, weight, mean, scale, dims) if wanted[0] else None,
        _weight_gradient(grad, input, mean, scale, dims) if wanted[1] else None,
        _summed(grad, batch) if wanted[2] else None,
    )


def _summed(x: Tensor, dims: Dims) -> Tensor:
    return x.sum(dims) if dims else x


_layer_norm_backward = one_gradient(
    "native_layer_norm_backward",
    "grad_output, input, weight, bias, mean, rstd",
    "normalized_shape, eps",
    _layer_norm_gradients,
    fixed="bias, mean, rstd",
    symbol="norm",
)


def _layer_norm_grads(
    grads: Sequence[Tensor | None],
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    result1: Tensor,
    result2: Tensor,
    needs: object,
    normalized_shape: Dims,
    eps: float,
) -> Any:
    if grads[0] is None:  # PyTorch, too, sends nothing through the mean and the scale
        return None, None, None
    mean, scale = result1.detach(), result2.detach()
    return _layer_norm_backward(grads[0], input, weight, bias, mean, scale, needs, normalized_shape, eps)


LAYER_NORM = op(
    "native_layer_norm",
    "input, weight, bias",
    in_single(_layer_norm),
    outputs="result0, result1, result2",
    hidden=2,
    category="layers",
    symbol="norm",
    latex=r"\frac{x - \bar{x}}{\sqrt{\operatorname{var} x + \epsilon}} w + b",
    brief="Each row gets mean 0 and variance 1.",
    joint=jointly(
        _layer_norm_grads,
        input="(grad · weight − its mean − x̂ · mean(grad · weight · x̂)) / σ",
        weight="Σ grad · x̂",
        bias="Σ grad",
    ),
)


def _need_shape(
    input: Tensor,
    normalized_shape: object,
    name: str,
    star: str,
    weight: Tensor | None,
    bias: Tensor | None = None,
) -> Dims:
    if not isinstance(normalized_shape, (tuple, list)):
        kind = type(normalized_shape).__name__
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {kind}")
    wanted = tuple(int(n) for n in normalized_shape)
    if not wanted:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for named, each in (("weight", weight), ("bias", bias)):
        if each is not None and each._data.shape != wanted:
            raise RuntimeError(
                f"Expected {named} to be of same shape as normalized_shape, but got {named} of shape "
                f"{list(each._data.shape)} and normalized_shape = {list(wanted)}"
            )
    if input._data.ndim < len(wanted) and name == "rms_norm":
        raise ValueError(f"Input tensor must have at least {len(wanted)} dimensions, but got {input._data.ndim}")
    if input._data.shape[-len(wanted) :] != wanted:
        inner = ", ".join(map(str, wanted))
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape [{star}{inner}], but got input of "
            f"size{list(input._data.shape)}"
        )
    return wanted


@api("layer_norm", where="torch F")
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """(x − mean) / √(var + eps) · weight + bias, over the last dimensions."""
    wanted = _checked_layer(input, normalized_shape, weight, bias)
    return call_all(LAYER_NORM, input, weight, bias, normalized_shape=wanted, eps=eps)[0]


def _checked_layer(input: Tensor, normalized_shape: object, weight: Tensor | None, bias: Tensor | None) -> Dims:
    check_mixed(input, weight)
    wanted = _need_shape(input, normalized_shape, "layer_norm", "*, ", weight, bias)
    need_floats(input, "LayerNormKernelImpl")
    return wanted


@api("rms_norm", where="torch F")
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x / √(mean of x² + eps) · weight, over the last dimensions."""
    wanted = _need_shape(input, normalized_shape, "rms_norm", "*", weight)
    if input.dtype.rank < 2:
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{input.dtype.title}'")
    if weight is not None and weight.dtype is not input.dtype:
        warn_once(
            "rms_norm",
            f"Mismatch dtype between input and weight: input dtype = {input.dtype.cpp}, weight dtype = "
            f"{weight.dtype.cpp}, Cannot dispatch to fused implementation. (Triggered internally at "
            "/__w/pytorch/pytorch/aten/src/ATen/native/layer_norm.cpp:346.)",
        )
    small = float(np.finfo(np.float32 if input._data.dtype.itemsize <= 4 else np.float64).eps) if eps is None else eps
    dims = tuple(range(input._data.ndim - len(wanted), input._data.ndim))
    wide = input.float() if is_half(input._data) else input
    found: Tensor = wide * plus(F["pow"](wide, 2).mean(dims, keepdim=True), small).rsqrt()
    found = found if weight is None else found * weight
    return found.to(input.dtype).contiguous()


# --- group_norm ---


def _group_norm(x: Array, w: Array | None, b: Array | None, *, group: int, eps: float) -> tuple[Array, ...]:
    out, mean, scale = standardised(x.reshape(x.shape[0], group, math.prod(x.shape[1:]) // group), (2,), eps)
    out = out.reshape(x.shape)
    out = out if w is None else out * channels(w, x)
    out = out if b is None else out + channels(b, x)
    return out.astype(x.dtype), mean[..., 0], scale[..., 0]


def _group_norm_grads(
    grads: Sequence[Tensor | None],
    input: Tensor,
    weight: Tensor | None,
    result1: Tensor,
    result2: Tensor,
    needs: Sequence[bool],
    group: int,
    eps: float,
) -> tuple[Tensor | None, ...]:
    shape = input.shape
    grad = input.new_zeros(shape) if grads[0] is None else grads[0]
    rows = (shape[0], group, shape[1] // group, math.prod(shape[2:]))
    x, g = input.reshape(rows), grad.reshape(rows)
    mean, scale = statistics(x, (2, 3), eps, *(r.detach().reshape(shape[0], group, 1, 1) for r in (result1, result2)))
    products, sums = (x * g).sum(3, keepdim=True), g.sum(3, keepdim=True)
    first = None
    if needs[0]:
        w = None if weight is None else weight.reshape(1, group, -1, 1)
        share = 1.0 / (x.shape[2] * x.shape[3])
        b = (products if w is None else products * w).sum(2, keepdim=True)
        c = (sums if w is None else sums * w).sum(2, keepdim=True)
        b = (c * mean - b) * (scale * scale * scale) * share
        c = -b * mean - c * scale * share
        found = (scale if w is None else scale * w) * g + b * x + c
        of_mean, of_scale = (None if d is None else d.reshape(shape[0], group, 1, 1) * share for d in grads[1:])
        found = found if of_mean is None else found + of_mean
        found = found if of_scale is None else found - of_scale * (scale * scale * scale) * (x - mean)
        first = found.reshape(shape)
    second = ((products - sums * mean) * scale).sum(0).reshape(-1) if needs[1] else None
    return first, second, sums.sum(0).reshape(-1) if needs[2] else None


GROUP_NORM = op(
    "native_group_norm",
    "input, weight, bias",
    keeps_layout(in_single(_group_norm)),
    outputs="result0, result1, result2",
    hidden=2,
    category="layers",
    symbol="norm",
    latex=r"\frac{x - \bar{x}_g}{\sqrt{\operatorname{var}_g x + \epsilon}} w_c + b_c",
    brief="Each group of channels gets mean 0 and variance 1.",
    joint=jointly(
        _group_norm_grads,
        input="(grad · weight − its mean − x̂ · mean(grad · weight · x̂)) / σ",
        weight="Σ grad · x̂",
        bias="Σ grad",
    ),
)


@api("group_norm", where="F")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """(x − mean) / √(var + eps) over each group of channels, · weight + bias for each channel."""
    shape = input._data.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    each = shape[0] * shape[1] // num_groups
    if each * math.prod(shape[2:]) == 1:
        seen = [each, num_groups, *shape[2:]]
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {seen}")
    _check_groups(shape, num_groups, weight, bias)
    check_mixed(input, bias if weight is None else weight)
    need_floats(input, "GroupNormKernelImpl")
    if not (input._data.flags.c_contiguous or channels_last(input._data)):
        input = input.contiguous()
    return call_all(GROUP_NORM, input, weight, bias, group=num_groups, eps=eps)[0]


@api("group_norm", where="torch")
def unchecked_group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`torch.nn.functional.group_norm`, which divides by the number of groups before it looks at it."""
    for dim in (0, 1):
        input.size(dim)  # is asked for first
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    return group_norm(input, num_groups, weight, bias, eps)


def _check_groups(
    shape: Sequence[int],
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    shown: Sequence[int] | None = None,
) -> None:
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shown or shape)} and num_groups={num_groups}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each._data.shape != (shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {[0] if weight is None else list(weight._data.shape)} and input of shape {list(shown or shape)}"
            )


@api("native_layer_norm", where="torch")
def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm` with the mean and 1/σ of each row."""
    wanted = _checked_layer(input, normalized_shape, weight, bias)
    out, mean, scale = call_all(LAYER_NORM, input, weight, bias, normalized_shape=wanted, eps=eps)
    return out, mean.detach(), scale.detach()


@api("native_group_norm", where="torch")
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, ...]:
    """`group_norm` with the mean and 1/σ of each group."""
    _check_groups((N, C), group, weight, bias, input._data.shape)
    if input._data.size != N * C * HxW:
        raise RuntimeError(
            "Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error message be improved?  If "
            "so, please report an enhancement request to PyTorch.)"
        )
    need_floats(input, "GroupNormKernelImpl")
    fits = input._data.shape[:2] == (N, C)
    made = call_all(GROUP_NORM, input if fits else input.reshape(N, C, HxW), weight, bias, group=group, eps=eps)
    return made if fits else (made[0].reshape(input._data.shape), *made[1:])


@api("local_response_norm", where="F")
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Each channel divided by a power of the mean square of its neighbours."""
    ndim = input._data.ndim
    if ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality {' ' * 24} input (got {ndim} dimensions)")
    if not input._data.size:
        return input
    squares = input * input
    ends = (size // 2, (size - 1) // 2)
    if ndim == 3:
        means = FUNCTIONAL["avg_pool2d"](
            FUNCTIONAL["pad"](squares.unsqueeze(1), (0, 0, *ends)), (size, 1), stride=1
        ).squeeze(1)
    else:
        shape = input._data.shape
        squares = squares.view(shape[0], 1, shape[1], shape[2], -1)
        padded = FUNCTIONAL["pad"](squares, (0, 0, 0, 0, *ends))
        means = FUNCTIONAL["avg_pool3d"](padded, (size, 1, 1), stride=1).squeeze(1).view(*shape)
    return input / (means * alpha + k) ** beta


# --- a weight as a length and a direction ---


def _others(ndim: int, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(ndim) if d != dim % ndim)


def _forward(v: Array, g: Array, *, dim: int) -> tuple[Array, ...]:
    norms = np.sqrt(np.sum(v * v, axis=_others(v.ndim, dim), keepdims=True, dtype=v.dtype))
    return v * (g / norms), norms


def _grads(
    grads: Sequence[Tensor | None], v: Tensor, g: Tensor, result1: Tensor, dim: int, needs: Sequence[bool]
) -> tuple[Tensor | None, Tensor | None]:
    grad = grads[0]
    along = (grad * v).sum(_others(v.ndim, dim), keepdim=True)
    to_v = (g / result1) * (grad - v * (along / (result1 * result1))) if needs[0] else None
    return to_v, along / result1 if needs[1] else None


WEIGHT_NORM = op(
    "_weight_norm_interface",
    "v, g",
    _forward,
    outputs="result0, result1",
    hidden=1,
    node="WeightNormInterfaceBackward0",
    category="layers",
    symbol="g·v/‖v‖",
    latex=r"g \frac{v}{\lVert v \rVert}",
    brief="A weight of a given length in a given direction.",
    joint=jointly(
        _grads,
        formulas={
            "v": "g / norm(v) * (grad - v * sum(grad * v) / norm(v) ** 2)",
            "g": "sum(grad * v) / norm(v)",
        },
    ),
)


@api("norm_except_dim", where="torch")
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which keeps its place; −1 stands for the norm of everything."""
    if dim == -1:
        return F["norm"](v, pow)
    if not v._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, v._data.ndim)
    if v.dtype.rank < 2:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {v.dtype.title} instead."
        )
    others = _others(v.ndim, dim)
    return F["norm"](v, pow, others, keepdim=True) if others else F["norm"](v.unsqueeze(-1), pow, -1)


@api("_weight_norm", where="torch")
def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """The direction of `v` with the length `g`, one length for each place along `dim`."""
    if dim in (0, v.ndim - 1):
        return call_all(WEIGHT_NORM, v, g, dim=dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
