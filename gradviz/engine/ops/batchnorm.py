"""batch_norm and instance_norm, with their running statistics. See Note [Statistics in second derivatives] in
`norm.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.sums import exponentials
from gradviz.engine.numerics.windows import keeps_layout
from gradviz.engine.ops.neural import check_mixed, in_single, need_constants, need_floats, one_gradient
from gradviz.engine.ops.norm import channels, statistics, through_standard
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call_all
from gradviz.engine.transforms.layered import check_running

F = FUNCTIONS


def _batch_norm(
    x: Array,
    w: Array | None,
    b: Array | None,
    running_mean: Array | None,
    running_var: Any,
    *,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Array, ...]:
    axes, x = (0, *range(2, x.ndim)), np.ascontiguousarray(x)
    if training:
        mean, var = _moments(x, axes)
        scale = (1 / np.sqrt(var.astype(np.float64) + eps)).astype(x.dtype)
        kept = mean, scale
    else:
        mean = running_mean
        scale = (1 / np.sqrt(running_var + running_var.dtype.type(eps))).astype(x.dtype)
        kept = np.zeros(0, x.dtype), np.zeros(0, x.dtype)
    factor = scale if w is None else scale * w
    wide = np.float64 if x.dtype == np.float32 else np.longdouble  # PyTorch multiplies and adds with one rounding
    shift = (0 if b is None else b) - mean.astype(wide) * factor
    shift = shift.astype(x.dtype)
    return (x.astype(wide) * channels(factor, x) + channels(shift, x)).astype(x.dtype), *kept


def _moments(x: Array, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Mean and variance of each channel, rounded where PyTorch rounds: vectors are summed one after the other in their
    own precision, images in double precision."""
    count = x.dtype.type(x.size // x.shape[1]) if x.size else x.dtype.type(0)
    if x.ndim == 2 and x.size:
        mean = np.add.accumulate(x, axis=0)[-1] / count
    else:
        mean = np.mean(x, axis=axes, dtype=np.float64).astype(x.dtype)
    apart = (x - channels(mean, x)).astype(np.float64)
    return mean, np.sum(apart * apart, axis=axes).astype(x.dtype) / count


def _through_batch(g: Any, x: Any, w: object, mean: object, scale: object) -> tuple[Array, Array, Array]:
    """The gradients of input, weight and bias, rounded where PyTorch rounds."""
    count = x.size // x.shape[1]
    centred = x - channels(mean, x)
    along, total = _channel_sums(centred * g), _channel_sums(g)
    slope = (along * scale * scale / count).astype(x.dtype)
    apart = g - channels((total / count).astype(x.dtype), x)
    wide = np.float64 if x.dtype == np.float32 else x.dtype  # multiplied and added with one rounding
    found = (apart - centred.astype(wide) * channels(slope, x)).astype(x.dtype) * channels(scale, x)
    first = found if w is None else found * channels(w, x)
    return first, (along * scale).astype(x.dtype), total.astype(x.dtype)


def _channel_sums(x: Array) -> Any:
    """The sum of each channel: within an image in its own precision, over the images in double precision; vectors in
    turn."""
    if x.ndim == 2:
        return np.add.accumulate(x, axis=0)[-1]
    images = exponentials(x.reshape(*x.shape[:2], -1), 2)[..., 0]
    return images.sum(0, dtype=np.result_type(x.dtype, np.float64))


def _batch_norm_gradients(
    grad: Tensor,
    input: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    scale: Tensor,
    wanted: tuple[bool, ...],
    training: bool,
    eps: float,
) -> list[Tensor | None] | tuple[Tensor | None, Tensor | None, Tensor | None]:
    dims = (0, *range(2, input.ndim))
    if training and not state.grad:
        arrays = [None if each is None else each._data for each in (grad, input, weight, mean, scale)]
        return [wrap(made) if asked else None for made, asked in zip(_through_batch(*arrays), wanted, strict=True)]
    mean, scale = channels(mean, input), channels(scale, input)
    if training:
        mean, scale = statistics(input, dims, eps, mean, scale)
    standard = (input - mean) * scale
    scaled = grad if weight is None else grad * channels(weight, input)
    first = None
    if wanted[0]:
        first = through_standard(scaled, standard, scale, dims) if training else scaled * scale
    return first, (grad * standard).sum(dims) if wanted[1] else None, grad.sum(dims) if wanted[2] else None


_batch_norm_backward = one_gradient(
    "native_batch_norm_backward",
    "grad_output, input, weight, mean, rstd",
    "training, eps",
    _batch_norm_gradients,
    fixed="mean, rstd",
    symbol="norm",
)


def _batch_norm_grads(
    grads: Sequence[Tensor | None],
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    result1: Tensor,
    result2: Tensor,
    needs: tuple[bool, ...],
    training: bool,
    eps: float,
) -> tuple[Tensor | None, ...]:
    mean, scale = result1.detach(), result2.detach()
    if not training:
        mean, scale = running_mean, (running_var.detach() + eps).rsqrt()
    return (*_batch_norm_backward(grads[0], input, weight, mean, scale, needs[:3], training, eps), None, None)


BATCH_NORM = op(
    "native_batch_norm",
    "input, weight, bias, running_mean, running_var",
    keeps_layout(in_single(_batch_norm)),
    outputs="result0, result1, result2",
    hidden=2,
    category="layers",
    symbol="norm",
    latex=r"\frac{x - \bar{x}_c}{\sqrt{\operatorname{var}_c x + \epsilon}} w_c + b_c",
    brief="Each channel of the batch gets mean 0 and variance 1.",
    joint=jointly(
        _batch_norm_grads,
        input="(grad · weight − its mean − x̂ · mean(grad · weight · x̂)) / σ",
        weight="Σ grad · x̂",
        bias="Σ grad",
    ),
    fixed="running_mean, running_var",
)


def _update(running: Tensor | None, value: Array, momentum: float) -> None:
    """Move a running statistic towards that of the batch. PyTorch does not count this as a write to the tensor."""
    if running is None:
        return
    if state.observer is not None:
        state.observer.before_write(running)
    if not running._data.flags.writeable:
        running._data = running._data.copy()
    old = running._data
    np.copyto(old, (momentum * value + (1 - momentum) * old).astype(old.dtype))


def _check_batch_norm(input: Tensor, given: dict[str, Tensor | None], training: bool) -> None:
    if not training:
        for name in ("running_mean", "running_var"):
            if given[name] is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    count = input._data.shape[1] if input._data.ndim > 1 else 0
    for name, each in given.items():
        if each is not None and each._data.size != count:
            raise RuntimeError(f"{name} should contain {count} elements not {each._data.size}")
    need_floats(input, "batch_norm")
    for each in given.values():
        check_mixed(input, each)


@api("batch_norm", where="F")
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x − mean) / √(var + eps) · weight + bias for each channel; in training of the batch, otherwise of the
    running statistics."""
    shape = input._data.shape
    if training and shape[0] * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}")
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    return _batch_normed(input, given, training, momentum, eps)


def _batch_normed(
    input: Tensor, given: dict[str, Tensor | None], training: bool, momentum: float, eps: float
) -> Tensor:
    if not input._data.size:  # before anything is checked
        found = input.clone()
        for fn, name in (("mul", "weight"), ("add", "bias")):
            each = given[name]
            found = found if each is None else F[fn](found, each[0])
        return found
    _check_batch_norm(input, given, training)
    return _computed(input, given, training, momentum, eps)[0]


def _computed(
    input: Tensor, given: dict[str, Tensor | None], training: bool, momentum: float, eps: float
) -> tuple[Tensor, ...]:
    if input._data.ndim == 1:
        input.size(1)
    running = given["running_mean"], given["running_var"]
    if state.layered and training:
        check_running(input, running)
    need_constants("native_batch_norm", running_mean=running[0], running_var=running[1])
    made = call_all(
        BATCH_NORM, input, given["weight"], given["bias"], *running, training=training, momentum=momentum, eps=eps
    )
    if training and (running[0] is not None or running[1] is not None):
        x = input._data if input._data.dtype.itemsize > 2 else input._data.astype(np.float32)
        axes = (0, *range(2, x.ndim))
        _update(running[0], np.mean(x, axis=axes), momentum)
        _update(running[1], np.var(x, axis=axes, ddof=1), momentum)
        for each in running:
            if each is not None and state.observer is not None:
                state.observer.metadata_changed(each)
    return made


@api("batch_norm", where="torch")
def torch_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """As `F.batch_norm`, with the operands in another order."""
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    return _batch_normed(input, given, training, momentum, eps)


@api("native_batch_norm", where="torch")
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    """`batch_norm` with the mean and 1/σ of each channel."""
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    input.size(1)
    for each in (running_mean, running_var):
        if each is not None and each._data.ndim != 1:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {each._data.ndim}")
    _check_batch_norm(input, given, training)
    out, mean, scale = _computed(input, given, training, momentum, eps)
    return out, mean.detach(), scale.detach()


@api("instance_norm", where="F")
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """batch_norm of each sample on its own."""
    shape = input._data.shape
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels = shape[:2]
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    repeated = {name: None if each is None else each.repeat(batch) for name, each in given.items()}
    whole = input.contiguous().view(1, batch * channels, *shape[2:])
    made = _batch_normed(whole, repeated, use_input_stats, momentum, eps)
    for name in ("running_mean", "running_var"):
        target, moved = given[name], repeated[name]
        if target is not None and moved is not None and use_input_stats:
            _update(target, moved._data.reshape(batch, channels).mean(0), 1.0)
    return made.view(*shape)
