"""Losses over classes: nll_loss, cross_entropy in its three forms, multi_margin_loss and the multi-label ones; one_hot;
and linear_cross_entropy, which PyTorch can compute in parts to save memory: here it is computed at once, with the same
numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, ArrayOrScalar
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import ROWS, OpRow, op
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.sums import picked_losses
from gradviz.engine.ops.derivatives import over, plus, scaled
from gradviz.engine.ops.neural import (
    chosen_reduction,
    in_single,
    need_constants,
    need_floats,
    need_tensor,
    not_differentiable,
    reduced,
    reduced_array,
)
from gradviz.engine.ops.reduce import LOG_SOFTMAX
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.run.apply import call, call_all

F = FUNCTIONS

# --- negative log likelihood ---


def _picked(x: Array, target: Array, weight: Array | None, ignore_index: int) -> tuple[Any, Any, Any]:
    """For each target: its position in `x` (classes at dimension 1, or 0), and its weight, 0 if it is ignored."""
    axis = 1 if x.ndim > 1 else 0
    kept = target != ignore_index
    classes = np.where(kept, target, 0).astype(np.int64)
    at = np.expand_dims(classes, axis) if x.ndim > 1 else classes.reshape(1)
    weights = np.ones(target.shape, x.dtype) if weight is None else weight[classes]
    return at, np.where(kept, weights, x.dtype.type(0)), axis


def _nll(x: Array, target: Array, weight: Array | None, *, reduction: str, ignore_index: int) -> tuple[Array, ...]:
    at, weights, axis = _picked(x, target, weight, ignore_index)
    found = np.take_along_axis(x, at, axis).reshape(target.shape)
    losses = np.where(target == ignore_index, x.dtype.type(0), -weights * found).astype(x.dtype)
    if reduction == "none":
        return losses.reshape(target.shape if x.ndim > 1 else ()), np.zeros((), x.dtype)
    total = np.asarray(weights.sum(dtype=np.float32 if x.dtype.itemsize == 2 else None), x.dtype)
    sum_ = picked_losses(losses)
    return np.asarray(sum_ / total if reduction == "mean" else sum_, x.dtype), total


def _nll_backward(
    g: Array, x: Array, target: Array, weight: Array | None, total: Array, *, reduction: str, ignore_index: int
) -> Array:
    at, weights, axis = _picked(x, target, weight, ignore_index)
    found = -weights * (g / total if reduction == "mean" else g)
    out = np.zeros_like(x)
    found = np.where(target == ignore_index, x.dtype.type(0), found).astype(x.dtype)
    np.put_along_axis(out, at, found.reshape(at.shape), axis)
    return out


def _nll_row(name: str, node: str) -> OpRow:
    """The row of the loss; the row of its gradient is added first."""
    backward = _nll_backward_row(name, node)

    def gradient(
        grads: Sequence[Tensor | None],
        self: Tensor,
        target: Tensor,
        weight: Tensor | None,
        total_weight: Tensor,
        reduction: str,
        ignore_index: int,
    ) -> Tensor:
        if self._data.ndim == target._data.ndim == 1:
            raise RuntimeError(f"size mismatch (got input: {list(self.shape)}, target: {list(target.shape)})")
        given = (grads[0], self, target, weight, total_weight.detach())
        return call(backward, *given, reduction=reduction, ignore_index=ignore_index)

    return op(
        name,
        "self, target, weight",
        _nll,
        node=f"{node}Backward0",
        outputs="result, total_weight",
        hidden=1,
        category="losses",
        symbol="nll",
        latex=r"-\sum_i w_{y_i} x_{i, y_i} / \sum_i w_{y_i}",
        brief="The mean of −x at the class that is right.",
        self=sentence("at the class of each row −grad · the weight of the row in the loss, 0 elsewhere", gradient),
    )


def _nll_backward_row(name: str, node: str) -> OpRow:
    """The row of the loss's gradient; the gradient of that row is again the loss of the incoming gradient."""

    def again(
        grad: Tensor,
        self: Tensor,
        target: Tensor,
        weight: Tensor | None,
        total_weight: Tensor,
        reduction: str,
        ignore_index: int,
    ) -> Tensor:
        summed = "none" if reduction == "none" else "sum"
        found = call_all(ROWS[name], grad, target, weight, reduction=summed, ignore_index=ignore_index)[0]
        return found / total_weight.detach() if reduction == "mean" else found

    return op(
        f"{name}_backward",
        "grad_output, self, target, weight, total_weight",
        in_single(_nll_backward),
        category="losses",
        symbol="nll′",
        latex=r"-\frac{w_y}{\sum w} g\, e_y",
        brief="The gradient through the negative log likelihood.",
        node=f"{node}BackwardBackward0",
        grad_output=again,
        self="zero(grad)",
    )


NLL = _nll_row("nll_loss", "NllLoss")
NLL_2D = _nll_row("nll_loss2d", "NllLoss2D")


def _check_target_type(target: Tensor) -> None:
    if target.dtype not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.title}")


def _check_classes(target: Tensor, count: int, ignore_index: int) -> None:
    t = target._data
    bad = t[(t != ignore_index) & ((t < 0) | (t >= count))]
    if bad.size:
        raise IndexError(f"Target {int(bad.flat[0])} is out of bounds.")


def _check_weight(input: Tensor, weight: Tensor | None, count: int) -> None:
    if weight is None:
        return
    if weight._data.shape != (count,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {count} classes or no classes but got weight tensor of "
            f"shape: "
            f"{list(weight._data.shape)}"
        )
    if weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {weight.dtype.title}")


def _nll_flat(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    """(N, C) or (C): one target per row."""
    shape, of_target = input._data.shape, target._data.shape
    if len(of_target) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len(shape) > 1 and shape[0] != (of_target[0] if of_target else None):
        raise RuntimeError(f"size mismatch (got input: {list(shape)}, target: {list(of_target)})")
    _check_weight(input, weight, shape[-1])
    _check_target_type(target)
    need_floats(input, "nll_loss_out_frame")
    _check_classes(target, shape[-1], ignore_index)
    need_constants("nll_loss_forward", weight=weight)
    return call_all(NLL, input, target, weight, reduction=reduction, ignore_index=ignore_index)[0]


def _nll_images(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    """(N, C, H, W): one target per pixel."""
    shape, of_target = input._data.shape, target._data.shape
    if len(of_target) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(of_target)}"
        )
    if (shape[0], *shape[2:]) != of_target:
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(of_target)}")
    if weight is not None and weight._data.size != shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    _check_target_type(target)
    need_floats(input, "nll_loss2d_forward_out_frame")
    _check_classes(target, shape[1], ignore_index)
    need_constants("nll_loss2d_forward", weight=weight)
    return call_all(NLL_2D, input, target, weight, reduction=reduction, ignore_index=ignore_index)[0]


def _nll_nd(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    shape, of_target = input._data.shape, target._data.shape
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(shape) == len(of_target) == 1:
        if of_target[0] != 1 and target.dtype.rank == 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {of_target[0]}")
    elif len(shape) != 1 and shape[0] != (of_target[0] if of_target else 0):
        found = of_target[0] if of_target else 0
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({found}).")
    if len(shape) <= 2:
        return _nll_flat(input, target, weight, reduction, ignore_index)
    if len(shape) == 4:
        return _nll_images(input, target, weight, reduction, ignore_index)
    wanted = (shape[0], *shape[2:])
    if of_target != wanted:
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(of_target)}")
    flat = input.contiguous().view(shape[0], shape[1], 1, -1)
    found = _nll_images(flat, target.contiguous().view(of_target[0], 1, -1), weight, reduction, ignore_index)
    return found.view(wanted) if reduction == "none" else found


@api("nll_loss", where="F")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−x at each target class, for log-probabilities x of shape (N, C, …)."""
    need_tensor(input, "nll_loss_nd")
    need_tensor(target, "nll_loss_nd", "target", 2)
    return _nll_nd(input, target, weight, chosen_reduction(size_average, reduce, reduction), ignore_index)


# --- cross entropy ---


def _log_softmax(input: Tensor) -> Tensor:
    need_floats(input, "log_softmax_lastdim_kernel_impl")
    return call(LOG_SOFTMAX, input, dim=0 if input._data.ndim == 1 else 1)


def _per_class(weight: Tensor, ndim: int) -> Tensor:
    """The weights, shaped to broadcast against (N, C, …)."""
    return weight.view(1, -1, *(1,) * (ndim - 2)) if ndim > 1 else weight


def _probabilities(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float) -> Tensor:
    """Cross entropy for targets that are probabilities of each class."""
    axis = 0 if input._data.ndim == 1 else 1
    count = input._data.shape[axis] if input._data.ndim else 1
    logs = _log_softmax(input)
    if smoothing > 0:
        target = plus(scaled(target, 1 - smoothing), smoothing / count)
    found = logs * target if weight is None else logs * target * _per_class(weight, input._data.ndim)
    if reduction == "none":
        return -found.sum(axis)
    total: Tensor = -found.sum()
    return total if reduction == "sum" else over(total, input._data.size / count)


def _smoothed(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int, smoothing: float
) -> Tensor:
    """Cross entropy for targets that are classes, with part of each spread over all classes."""
    axis = 0 if input._data.ndim == 1 else 1
    logs = _log_softmax(input)
    likelihood = _nll_nd(logs, target, weight, reduction, ignore_index)
    count = input._data.shape[axis]
    spread: Tensor = -(logs if weight is None else logs * _per_class(weight, input._data.ndim)).sum(axis)
    ignored = wrap(np.asarray(target._data == ignore_index))
    spread.masked_fill_(ignored, 0.0)
    if reduction == "sum":
        spread = spread.sum()
    elif reduction == "mean" and weight is None:
        spread = spread.sum() / wrap(np.asarray((~ignored._data).sum()))
    elif reduction == "mean":
        assert weight is not None
        kept = target._data[~ignored._data].reshape(-1)
        spread = spread.sum() / F["gather"](weight, 0, wrap(kept)).sum()
    return scaled(likelihood, 1 - smoothing) + scaled(spread, smoothing / count)


@api("cross_entropy", where="F")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """nll_loss of log_softmax; targets are classes of shape (N, …) or probabilities of the input's shape."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    need_tensor(input, "cross_entropy_loss")
    need_tensor(target, "cross_entropy_loss", "target", 2)
    shape = input._data.shape
    if shape == target._data.shape:
        if not target.dtype.is_floating_point:
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {target.dtype.title}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        _check_smoothing(label_smoothing)
        _check_prob_weight(weight, shape)
        return _probabilities(input, target, weight, reduction, label_smoothing)
    if label_smoothing > 0.0:
        _check_smoothing(label_smoothing)
        return _smoothed(input, target, weight, reduction, ignore_index, label_smoothing)
    return _nll_nd(_log_softmax(input), target, weight, reduction, ignore_index)


def _check_smoothing(label_smoothing: float) -> None:
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")


def _check_prob_weight(weight: Tensor | None, shape: tuple[int, ...]) -> None:
    count = shape[1] if len(shape) > 1 else shape[0] if shape else 1
    if weight is not None and weight._data.shape != (count,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {count} classes or no classes but got "
            f"weight tensor of "
            f"shape: {list(weight._data.shape)}"
        )


def _check(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    x, w = input._data.shape, weight._data.shape
    if len(x) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(x)}")
    if len(w) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(w)}")
    if x[-1] != w[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {x[-1]} and {w[-1]}, respectively"
        )
    if bias is not None and bias._data.shape != w[:-1]:
        raise RuntimeError(f"expected linear_bias shape {tuple(w[:-1])}, got {tuple(bias._data.shape)}")
    if len(w) > 2 and len(x) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(w)} requires batched input, (N, {x[-1]}), got "
            f"unbatched input with shape {tuple(x)}"
        )


def _warn_of_options(
    target: Tensor, out: tuple[int, ...], reduction: str, smoothing: float, bias: Tensor | None
) -> None:
    if not out and reduction in ("mean", "sum", "none") and smoothing == 0.0 and target.dtype is dtypes.int64:
        return
    warnings.warn(
        "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
        "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
        f"reduction={reduction!r}, label_smoothing={smoothing}, target.dtype={target.dtype}, out_features={out}, "
        f"tracing=False, linear_bias.shape={None if bias is None else tuple(bias._data.shape)}.",
        stacklevel=3,
    )


@api("linear_cross_entropy", where="F")
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: object = None,
) -> Tensor:
    """Cross entropy of input @ linear_weightᵀ + linear_bias."""
    _check(input, linear_weight, linear_bias)
    lead, (classes, *out) = input._data.shape[:-1], linear_weight._data.shape[:-1]
    if target._data.shape == (*lead, classes, *out) and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if options is not None:
        _warn_of_options(target, tuple(out), reduction, label_smoothing, linear_bias)
    if out:
        linear_weight = linear_weight.reshape(math.prod((classes, *out)), linear_weight._data.shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(math.prod((classes, *out)))
    scores = FUNCTIONAL["linear"](input, linear_weight, linear_bias).reshape(*lead, classes, *out)
    made: Tensor = FUNCTIONAL["cross_entropy"](
        scores,
        target,
        weight=weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
    return made


# --- margins ---


def _width(x: Array) -> int:
    """The number of classes; 1 for a scalar."""
    return int(x.shape[-1]) if x.ndim else 1


def _margins(x: Array, target: Array, weight: Array | None, p: int, margin: float) -> tuple[Array, Array, Array]:
    """How far each other class intrudes into the margin, the weights, and where the targets are."""
    rows = x.reshape(-1, _width(x))
    at = target.reshape(-1, 1)
    short = np.maximum(margin - np.take_along_axis(rows, at, 1) + rows, 0)
    np.put_along_axis(short, at, 0, 1)
    weights = np.ones_like(short[:, :1]) if weight is None else weight[at]
    return short, weights, at


def _multi_margin(
    x: Array, target: Array, weight: Array | None, *, p: int, margin: float, reduction: str
) -> ArrayOrScalar:
    short, weights, _ = _margins(x, target, weight, p, margin)
    losses = (short**p * weights).sum(1) / x.dtype.type(_width(x))
    return reduced_array(losses.reshape(target.shape), reduction)


def _multi_margin_backward(
    g: Array, x: Array, target: Array, weight: Array | None, *, p: int, margin: float, reduction: str
) -> Any:
    short, weights, at = _margins(x, target, weight, p, margin)
    slope = ((short > 0) if p == 1 else 2 * short) * weights / x.dtype.type(_width(x))
    np.put_along_axis(slope, at, 0 - slope.sum(1, keepdims=True), 1)  # no class too near: +0, not -0
    slope = slope * (g.reshape(-1, 1) if reduction == "none" else g)
    return (slope / x.dtype.type(len(slope)) if reduction == "mean" else slope).reshape(x.shape).astype(x.dtype)


MULTI_MARGIN_BACKWARD = op(
    "multi_margin_loss_backward",
    "grad_output, self, target, weight",
    in_single(_multi_margin_backward),
    node="NotImplemented",
    category="losses",
    symbol="margin′",
    latex="g",
    brief="The gradient through multi_margin_loss.",
    grad_output=not_differentiable("multi_margin_loss_backward"),
    self=not_differentiable("multi_margin_loss_backward"),
)
MULTI_MARGIN = op(
    "multi_margin_loss",
    "self, target, weight",
    in_single(_multi_margin),
    category="losses",
    symbol="margin",
    latex=r"\frac{1}{n} \sum_{i \ne y} \max(0, m - x_y + x_i)^p",
    brief="How far other classes come within a margin of the right one.",
    self=sentence(
        "grad · the slope of each term that is not 0, at its other class, minus their sum at the class of the row",
        lambda grad, self, target, weight, p, margin, reduction: call(
            MULTI_MARGIN_BACKWARD, grad, self, target, weight, p=p, margin=margin, reduction=reduction
        ),
    ),
)


def _need_rows(input: Tensor) -> tuple[int, ...]:
    """The shape of a vector or matrix; otherwise PyTorch's refusal."""
    shape = input._data.shape
    if len(shape) > 2 or 0 in (shape if len(shape) < 2 else shape[1:]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    return shape  # type: ignore[no-any-return]


@api("multi_margin_loss", where="F")
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over other classes of max(0, margin − x at the target + x)ᵖ."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight._data.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    shape = _need_rows(input)
    batch = shape[0] if len(shape) > 1 else 1
    if target._data.ndim > 1 or target._data.size != batch:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            "size). "
            f"Expected target size [{batch}], but got {list(target._data.shape)}. Input has shape {list(shape)}."
        )
    if weight is not None and weight._data.size != _width(input._data):
        raise RuntimeError(
            f"inconsistent weight size, expected {_width(input._data)} but got {list(weight._data.shape)}"
        )
    if target.dtype is not dtypes.int64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.title}")
    if input.dtype.rank != 2 or input.dtype.itemsize == 2:
        raise NotImplementedError(f"\"multi_margin_loss_cpu_kernel\" not implemented for '{input.dtype.title}'")
    if ((target._data < 0) | (target._data >= _width(input._data))).any():
        raise RuntimeError("target out of range")
    need_constants("multi_margin_loss", weight=weight)
    return call(MULTI_MARGIN, input, target, weight, p=p, margin=margin, reduction=reduction)


def _chosen(target: Array) -> tuple[Array, ...]:
    """Which classes each row of targets names: those before the first −1."""
    rows = target.reshape(-1, _width(target))
    before = np.cumsum(rows < 0, axis=1) == 0
    chosen = np.zeros(rows.shape, np.bool_)
    at = np.nonzero(before)
    chosen[at[0], rows[at]] = True
    return chosen, np.where(before, rows, -1)


def _shortfalls(x: Array, target: Array) -> tuple[Array, Array, Array]:
    """How far each class that is not named comes within 1 of each that is: (rows, named, classes)."""
    chosen, named = _chosen(target)
    rows = x.reshape(chosen.shape)
    own = np.take_along_axis(rows, np.maximum(named, 0), 1)[:, :, None]
    short = np.maximum(1 - own + rows[:, None, :], 0) * (named >= 0)[:, :, None] * ~chosen[:, None, :]
    return short, named, chosen


def _multilabel_margin(x: Array, target: Array, *, reduction: str) -> tuple[ArrayOrScalar, ...]:
    short, _, chosen = _shortfalls(x, target)
    losses = short.sum((1, 2)) / x.dtype.type(_width(x))
    return reduced_array(losses.reshape(x.shape[:-1]).astype(x.dtype), reduction), chosen.reshape(x.shape).astype(
        x.dtype
    )


def _multilabel_margin_backward(g: Array, x: Array, target: Array, is_target: Array, *, reduction: str) -> Any:
    short, named, _ = _shortfalls(x, target)
    hit = (short > 0) / x.dtype.type(_width(x))
    slope = hit.sum(1)
    rows, places = np.nonzero(named >= 0)
    np.add.at(slope, (rows, named[rows, places]), -hit.sum(2)[rows, places])
    slope = slope * (g.reshape(-1, 1) if reduction == "none" else g)
    return (slope / len(slope) if reduction == "mean" else slope).reshape(x.shape).astype(x.dtype)


MULTILABEL_MARGIN_BACKWARD = op(
    "multilabel_margin_loss_backward",
    "grad_output, self, target, is_target",
    in_single(_multilabel_margin_backward),
    node="NotImplemented",
    category="losses",
    symbol="margin′",
    latex="g",
    brief="The gradient through multilabel_margin_loss.",
    grad_output=not_differentiable("multilabel_margin_loss_backward"),
    self=not_differentiable("multilabel_margin_loss_backward"),
)
MULTILABEL_MARGIN = op(
    "multilabel_margin_loss",
    "self, target",
    in_single(_multilabel_margin),
    outputs="result, is_target",
    hidden=1,
    category="losses",
    symbol="margin",
    latex=r"\frac{1}{n} \sum_{i \in Y, j \notin Y} \max(0, 1 - x_i + x_j)",
    brief="How far other classes come within 1 of those that are named.",
    self=sentence(
        "grad · the slope of each term that is not 0, at its other class, minus it at the class that is named",
        lambda grads, self, target, is_target, reduction: call(
            MULTILABEL_MARGIN_BACKWARD, grads[0], self, target, is_target.detach(), reduction=reduction
        ),
    ),
)


@api("multilabel_margin_loss", where="F")
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How far other classes come within 1 of those that `target` names before its first −1."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    shape = _need_rows(input)
    if shape != target._data.shape and (shape or target._data.size != 1 or target._data.ndim > 1):
        raise RuntimeError(
            f"inconsistent target size: {list(target._data.shape)} for input of size: {list(input._data.shape)}"
        )
    if target.dtype is not dtypes.int64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.title}")
    if ((target._data < -1) | (target._data >= _width(input._data))).any():
        raise RuntimeError("argument #2 'target' is out of range")
    return call_all(MULTILABEL_MARGIN, input, target, reduction=reduction)[0]


@api("multilabel_soft_margin_loss", where="F")
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of binary cross entropies."""
    log_sigmoid = FUNCTIONAL["logsigmoid"]
    loss: Tensor = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    axis = input._data.ndim - 1
    count = input.size(axis)
    loss = loss.sum(axis) / count
    if isinstance(reduction, str) and reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    return reduced(loss, chosen_reduction(size_average, reduce, reduction))


@api("one_hot", where="F")
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A 1 at each class index, 0 elsewhere, along a new last dimension."""
    t = tensor._data
    if tensor.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not t.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return F["zeros"](*t.shape, num_classes, dtype=dtypes.int64)
    if t.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(t.max()) + 1
    elif t.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    zeros = F["zeros"](*t.shape, num_classes, dtype=dtypes.int64)
    return F["scatter"](zeros, -1, tensor.unsqueeze(-1), 1)
