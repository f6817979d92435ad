"""Losses over classes by margins, the multi-label soft margin, and one_hot. See `classify.py` for cross_entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.apply import call, call_all
from gradviz.engine.formula import sentence
from gradviz.engine.ops.neural import (
    chosen_reduction,
    in_single,
    need_constants,
    not_differentiable,
    reduced,
    reduced_array,
)
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def _width(x: Any) -> int:
    """How many classes; a single number is one."""
    return int(x.shape[-1]) if x.ndim else 1


def _margins(x: Any, target: Any, weight: Any, p: int, margin: float) -> tuple[Any, Any, Any]:
    """How far each other class comes into the margin, the weights, and where the targets are."""
    rows = x.reshape(-1, _width(x))
    at = target.reshape(-1, 1)
    short = np.maximum(margin - np.take_along_axis(rows, at, 1) + rows, 0)
    np.put_along_axis(short, at, 0, 1)
    weights = np.ones_like(short[:, :1]) if weight is None else weight[at]
    return short, weights, at


def _multi_margin(x: Any, target: Any, weight: Any, *, p: int, margin: float, reduction: str) -> Any:
    short, weights, _ = _margins(x, target, weight, p, margin)
    losses = (short**p * weights).sum(1) / x.dtype.type(_width(x))
    return reduced_array(losses.reshape(target.shape), reduction)


def _multi_margin_backward(g: Any, x: Any, target: Any, weight: Any, *, p: int, margin: float, reduction: str) -> Any:
    short, weights, at = _margins(x, target, weight, p, margin)
    slope = ((short > 0) if p == 1 else 2 * short) * weights / x.dtype.type(_width(x))
    np.put_along_axis(slope, at, -slope.sum(1, keepdims=True), 1)
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
        "±grad / n for the classes within the margin",
        lambda grad, self, target, weight, p, margin, reduction: call(
            MULTI_MARGIN_BACKWARD, grad, self, target, weight, p=p, margin=margin, reduction=reduction
        ),
    ),
)


def _need_rows(input: Tensor) -> tuple[int, ...]:
    """The shape of a vector or matrix, or PyTorch's refusal."""
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


def _chosen(target: Any) -> Any:
    """Which classes each row of targets names: those before the first −1."""
    rows = target.reshape(-1, _width(target))
    before = np.cumsum(rows < 0, axis=1) == 0
    chosen = np.zeros(rows.shape, np.bool_)
    at = np.nonzero(before)
    chosen[at[0], rows[at]] = True
    return chosen, np.where(before, rows, -1)


def _shortfalls(x: Any, target: Any) -> tuple[Any, Any, Any]:
    """How far each class that is not named comes within 1 of each that is: (rows, named, classes)."""
    chosen, named = _chosen(target)
    rows = x.reshape(chosen.shape)
    own = np.take_along_axis(rows, np.maximum(named, 0), 1)[:, :, None]
    short = np.maximum(1 - own + rows[:, None, :], 0) * (named >= 0)[:, :, None] * ~chosen[:, None, :]
    return short, named, chosen


def _multilabel_margin(x: Any, target: Any, *, reduction: str) -> Any:
    short, _, chosen = _shortfalls(x, target)
    losses = short.sum((1, 2)) / x.dtype.type(_width(x))
    return reduced_array(losses.reshape(x.shape[:-1]).astype(x.dtype), reduction), chosen.reshape(x.shape).astype(
        x.dtype
    )


def _multilabel_margin_backward(g: Any, x: Any, target: Any, is_target: Any, *, reduction: str) -> Any:
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
        "±grad / n for the classes within the margin",
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
    reduction = chosen_reduction(size_average, reduce, reduction)
    log_sigmoid = FUNCTIONAL["logsigmoid"]
    loss: Tensor = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.sum(-1) / input.size(-1), reduction)


@api("one_hot", where="F")
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A 1 at each class index, 0 elsewhere, along a new last dimension."""
    t = tensor._data
    if tensor.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not t.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return F["zeros"](*t.shape, num_classes, dtype=dtypes.int64)  # type: ignore[no-any-return]
    if t.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(t.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif t.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    zeros = F["zeros"](*t.shape, num_classes, dtype=dtypes.int64)
    return F["scatter"](zeros, -1, tensor.unsqueeze(-1), 1)  # type: ignore[no-any-return]
