"""Losses of probabilities: binary cross entropy, Kullback–Leibler, and the negative log likelihoods of Poisson and
Gauss. Those of differences are in `errors.py`, those over classes in `classify.py`, those of distances in
`distance.py`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.apply import call
from gradviz.engine.elementwise import check_broadcast
from gradviz.engine.formula import expressed
from gradviz.engine.modes import no_grad
from gradviz.engine.ops.neural import (
    chosen_reduction,
    in_single,
    need_constants,
    need_floats,
    plus,
    reduced,
    reduced_array,
    share,
)
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS

# --- binary cross entropy ---


def _bce(x: Any, y: Any, weight: Any, *, reduction: str) -> Any:
    found = (y - 1) * np.maximum(np.log1p(-x), -100) - y * np.maximum(np.log(x), -100)
    return reduced_array((found if weight is None else found * weight).astype(x.dtype), reduction)


def _bce_backward(g: Any, x: Any, y: Any, weight: Any, *, reduction: str) -> Any:
    found = g * (x - y) / np.maximum((1 - x) * x, 1e-12)
    found = found if weight is None else found * weight
    return (found / x.dtype.type(x.size) if reduction == "mean" else found).astype(x.dtype)


def _bce_curved(grad: Any, grad_output: Any, self: Any, target: Any, weight: Any, reduction: str) -> Any:
    bottom = (self * (1 - self)) ** 2 + 1e-12
    found = share(grad * grad_output, self.shape, reduction) * (self * self - 2 * self * target + target) / bottom
    return found if weight is None else found * weight


def _bce_target(grad: Any, self: Any, weight: Any, reduction: str) -> Any:
    found = grad * (F["clamp"](F["log1p"](-self), -100) - F["clamp"](self.log(), -100))
    return share(found if weight is None else found * weight, self.shape, reduction)


def _bce_along(grad: Any, self: Any, target: Any, weight: Any, reduction: str) -> Any:
    return reduced(grad * call(BCE_BACKWARD, F["ones_like"](self), self, target, weight, reduction="none"), reduction)


def _bce_crossed(grad: Any, grad_output: Any, self: Any, weight: Any, reduction: str) -> Any:
    found = -share(grad * grad_output, self.shape, reduction) / ((1 - self) * self)
    return found if weight is None else found * weight


BCE_BACKWARD = op(
    "binary_cross_entropy_backward",
    "grad_output, self, target, weight",
    in_single(_bce_backward),
    category="losses",
    symbol="bce′",
    latex=r"g \frac{x - y}{x (1 - x)}",
    brief="The gradient through binary cross entropy.",
    grad_output=_bce_along,
    self=_bce_curved,
    target=_bce_crossed,
)
BCE = op(
    "binary_cross_entropy",
    "self, target, weight",
    in_single(_bce),
    category="losses",
    symbol="bce",
    latex=r"-\frac{1}{n} \sum_i y_i \ln x_i + (1 - y_i) \ln(1 - x_i)",
    brief="How badly probabilities predict 0 or 1.",
    self=expressed(
        "grad * (self - target) / (self * (1 - self)) / n",
        lambda grad, self, target, weight, reduction: call(
            BCE_BACKWARD, grad, self, target, weight, reduction=reduction
        ),
    ),
    target=expressed("grad * (log(1 - self) - log(self)) / n", _bce_target),
)


def _common_shape(wanted: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, ...]:
    for i in range(1, min(len(wanted), len(given)) + 1):
        if wanted[-i] != given[-i] and 1 not in (wanted[-i], given[-i]):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {given[-i]} at {-i}! Mismatching argument at index 1 "
                f"had "
                f"torch.Size({list(given)}); but expected shape should be broadcastable to {list(wanted)}"
            )
    return np.broadcast_shapes(wanted, given)


@api("binary_cross_entropy", where="F")
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−(y ln x + (1 − y) ln(1 − x)) for probabilities x; logarithms are bounded by −100."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            f"deprecated. "
            "Please ensure they have the same size."
        )
    need_floats(input, "binary_cross_entropy")
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.title} but expected {input.dtype.title}")
    if weight is not None and weight._data.shape != target._data.shape:
        weight = weight.expand(_common_shape(target._data.shape, weight._data.shape))
    for name, x in (("input", input._data), ("target", target._data)):
        if not ((x >= 0) & (x <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    need_constants("binary_cross_entropy", weight=weight)
    return call(BCE, input, target, weight, reduction=reduction)


def _bce_logits(x: Any, y: Any, weight: Any, pos_weight: Any, *, reduction: str) -> Any:
    log_sigmoid = np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))
    found = (1 - y) * x - (log_sigmoid if pos_weight is None else ((pos_weight - 1) * y + 1) * log_sigmoid)
    return reduced_array((found if weight is None else found * weight).astype(x.dtype), reduction)


def _bce_logits_grad(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    if pos_weight is None:
        found = (self.sigmoid() - target) * grad
    else:
        positive = pos_weight * target
        found = ((positive + 1 - target) * self.sigmoid() - positive) * grad
    return share(found if weight is None else found * weight, self.shape, reduction)


def _bce_logits_target(grad: Any, self: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    log_sigmoid: Callable[..., Any] = FUNCTIONAL["logsigmoid"]
    found = -self * grad if pos_weight is None else (log_sigmoid(-self) - pos_weight * log_sigmoid(self)) * grad
    return share(found if weight is None else found * weight, self.shape, reduction)


BCE_LOGITS = op(
    "binary_cross_entropy_with_logits",
    "self, target, weight, pos_weight",
    in_single(_bce_logits),
    category="losses",
    symbol="bce∘σ",
    latex=r"-\frac{1}{n} \sum_i y_i \ln \sigma(x_i) + (1 - y_i) \ln(1 - \sigma(x_i))",
    brief="Binary cross entropy of the sigmoid.",
    self=expressed("grad * (sigmoid(self) - target) / n", _bce_logits_grad),
    target=expressed("-grad * self / n", _bce_logits_target),
)


@api("binary_cross_entropy_with_logits", where="F")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Binary cross entropy of σ(x), computed without overflow; `pos_weight` weighs the positive targets."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    need_floats(input, "log_sigmoid_cpu")
    if target.dtype.rank < 2:
        raise RuntimeError(
            f"result type {input.dtype.title} can't be cast to the desired output type {target.dtype.title}"
        )
    check_broadcast(*(each._data for each in (input, weight, pos_weight) if each is not None))
    need_constants("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return call(BCE_LOGITS, input, target, weight, pos_weight, reduction=reduction)


# --- Kullback–Leibler and likelihoods ---


def _xlogy(x: Tensor) -> Tensor:
    """x ln x, 0 at 0."""
    if "xlogy" in F:
        return F["xlogy"](x, x)  # type: ignore[no-any-return]
    return F["where"](x.eq(0), 0.0, x * x.log())  # type: ignore[no-any-return]


@api("kl_div", where="F")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target · (ln target − input), for log-probabilities as input."""
    legacy = size_average is not None or reduce is not None
    if reduction == "mean" and not legacy:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
            "divides only by the batch "
            "size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
            "'batchmean' in the next major "
            "release.",
            stacklevel=2,
        )
    batch = reduction == "batchmean"
    how = chosen_reduction(size_average, reduce, "sum" if batch and not legacy else reduction)
    found = target.exp() * (target - input) if log_target else _xlogy(target) - target * input
    found = reduced(found, how)
    return found / input.size()[0] if batch and input._data.ndim else found


@api("poisson_nll_loss", where="F")
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of counts `target` under a Poisson distribution of (log) rate `input`."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    found = input.exp() - target * input if log_input else input - target * plus(input, eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        found = found + stirling.masked_fill(target <= 1, 0)
    return reduced(found, reduction)


@api("gaussian_nll_loss", where="F")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of `target` under a normal distribution of mean `input` and variance `var`."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * F["ones_like"](input)
    elif (var._data < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        unequal = sum(b for a, b in zip(input.size(), var.size(), strict=False) if a != b)
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif input._data.ndim != var._data.ndim or unequal != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    found = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        found += 0.5 * math.log(2 * math.pi)
    return reduced(found, reduction)
