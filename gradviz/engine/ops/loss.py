"""Losses of the difference between input and target (squared errors, absolute errors and their mixtures,
soft_margin_loss) and of probabilities (binary cross entropy, Kullback–Leibler, the negative log likelihoods of Poisson
and Gauss). Those over classes are in `classify.py`, those of distances in `distance.py`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, ArrayOrScalar, Kernel
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.messages import check_castable, check_kind, check_subtraction
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.ops.derivatives import plus
from gradviz.engine.ops.elementwise import cast, check_broadcast, result_type
from gradviz.engine.ops.neural import (
    chosen_reduction,
    in_single,
    is_half,
    need_constants,
    need_floats,
    need_tensor,
    one_gradient,
    reduced,
    reduced_array,
    share,
)
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.run.apply import apply, call

F = FUNCTIONS

# --- binary cross entropy ---


def _bce(x: Array, y: Array, weight: Array | None, *, reduction: str) -> ArrayOrScalar:
    found = (y - 1) * np.maximum(np.log1p(-x), -100) - y * np.maximum(np.log(x), -100)
    return reduced_array((found if weight is None else found * weight).astype(x.dtype), reduction)


def _bce_backward(g: Array, x: Array, y: Array, weight: Array | None, *, reduction: str) -> Any:
    found = g * (x - y) / np.maximum((1 - x) * x, 1e-12)
    found = found if weight is None else found * weight
    return (found / x.dtype.type(x.size) if reduction == "mean" else found).astype(x.dtype)


def _bce_curved(
    grad: Tensor, grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: str
) -> Tensor:
    bottom = (self * (1 - self)) ** 2 + 1e-12
    found = share(grad * grad_output, self.shape, reduction) * (self * self - 2 * self * target + target) / bottom
    return found if weight is None else found * weight


def _bce_target(grad: Tensor, self: Tensor, weight: object, reduction: str) -> Tensor:
    found = grad * (F["clamp"](F["log1p"](-self), -100) - F["clamp"](self.log(), -100))
    return share(found if weight is None else found * weight, self.shape, reduction)


def _bce_along(grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    return reduced(grad * call(BCE_BACKWARD, F["ones_like"](self), self, target, weight, reduction="none"), reduction)


def _bce_crossed(grad: Tensor, grad_output: Tensor, self: Tensor, weight: object, reduction: str) -> Tensor:
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
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.title} but expected {input.dtype.title}")
    need_floats(input, "binary_cross_entropy")
    if weight is not None and weight._data.shape != target._data.shape:
        weight = weight.expand(_common_shape(target._data.shape, weight._data.shape))
    for name, x in (("input", input._data), ("target", target._data)):
        if not ((x >= 0) & (x <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    need_constants("binary_cross_entropy", weight=weight)
    return call(BCE, input, target, weight, reduction=reduction)


def _bce_logits(x: Array, y: Array, weight: Array | None, pos_weight: Array | None, *, reduction: str) -> ArrayOrScalar:
    """The loss in the type of the target: each step is written into the step before and rounded to its type."""
    given: Any = (x, y, weight, pos_weight)
    score, label, factor, positive = (
        each.astype(np.float32) if each is not None and is_half(each) else each for each in given
    )

    def rounded(value: Array, like: Array) -> Array:
        narrow = value.astype(like.dtype, copy=False)
        return narrow.astype(np.float32) if is_half(narrow) else narrow

    log_sigmoid = rounded(np.minimum(score, 0) - np.log1p(np.exp(-np.abs(score))), x)
    if positive is not None:
        log_sigmoid = rounded(((positive - 1) * label + 1) * log_sigmoid, x)
    found = rounded(rounded(rounded(1 - label, y) * score, y) - log_sigmoid, y)
    made = reduced_array(found if factor is None else rounded(found * factor, y), reduction)
    return made.astype(y.dtype, copy=False)


def _bce_logits_grad(
    grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: str
) -> Tensor:
    if pos_weight is None:
        found = (self.sigmoid() - target) * grad
    else:
        positive = pos_weight * target
        found = ((positive + 1 - target) * self.sigmoid() - positive) * grad
    return share(found if weight is None else found * weight, self.shape, reduction)


def _bce_logits_target(
    grad: Tensor, self: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: str
) -> Tensor:
    log_sigmoid: Callable[..., object] = FUNCTIONAL["logsigmoid"]
    found = -self * grad if pos_weight is None else (log_sigmoid(-self) - pos_weight * log_sigmoid(self)) * grad
    return share(found if weight is None else found * weight, self.shape, reduction)


BCE_LOGITS = op(
    "binary_cross_entropy_with_logits",
    "self, target, weight, pos_weight",
    _bce_logits,
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
    return bce_with_logits(input, target, weight, pos_weight, reduction)


def bce_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: str = ""
) -> Tensor:
    """The same for a target that takes the shape of the input, or the input that of the target."""
    need_floats(input, "log_sigmoid_cpu")
    check_subtraction((target.dtype, True), (target.dtype, False))
    check_castable(input.dtype, target.dtype)
    if pos_weight is not None:
        check_broadcast(pos_weight._data, target._data)
    check_broadcast(*(each._data for each in (input, weight) if each is not None))
    if input._data.shape != target._data.shape:
        first, second = (target, input) if pos_weight is None else (input, target)
        check_broadcast(first._data, second._data)
        input, wide = expanded(input, target)
        if wide._data.shape != target._data.shape:
            raise RuntimeError(
                f"output with shape {list(target._data.shape)} doesn't match the broadcast shape "
                f"{list(wide._data.shape)}"
            )
    need_constants("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return call(BCE_LOGITS, input, target, weight, pos_weight, reduction=reduction)  # in the type of the target


# --- Kullback–Leibler and likelihoods ---


def _xlogy(x: Tensor) -> Tensor:
    """x ln x, 0 at 0."""
    if "xlogy" in F:
        return F["xlogy"](x, x)
    return F["where"](x.eq(0), 0.0, x * x.log())


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
    need_tensor(input, "kl_div")
    need_tensor(target, "kl_div", "target", 2)
    if target.dtype.is_complex or input.dtype.is_complex:
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if target.dtype.rank < 2 or input.dtype.rank < 2:
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:  # the second operand is computed first, as in PyTorch
        difference = target - input
        found = target.exp() * difference
    else:
        product = target * input
        found = _xlogy(target) - product
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
    need_tensor(input, "poisson_nll_loss")
    need_tensor(target, "poisson_nll_loss", "target", 2)
    product = target * (input if log_input else plus(input, eps).log())  # first, as in PyTorch
    found = (input.exp() if log_input else input) - product
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        found = found + stirling.masked_fill(target <= 1, 0)
    return reduced(found, reduction)


@api("gaussian_nll_loss", where="F")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
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


# --- differences between input and target ---


# --- a loss of the difference between input and target ---


def _backward_row(name: str, params: str, slope: Any, curvature: Any, bent: str) -> OpRow:
    """grad · ∂loss/∂self, for a loss of the difference self − target: its slope, and its curvature in tensor operations
    and as a formula."""
    names = [each.strip() for each in params.split(",") if each.strip()]
    more = "".join(f", {each}" for each in names)

    def forward(g: Array, x: Array, y: object, *, reduction: str, **given: object) -> Any:
        found = slope(x - y, **given)
        part = found.dtype.type(1 / x.size if reduction == "mean" and x.size else 1)  # first, as PyTorch rounds it
        return (found * part * g).astype(x.dtype)

    def along(grad: Tensor, x: Tensor, y: Tensor, reduction: str, *values: object) -> Tensor:
        found = call(row, F["ones_like"](x), x, y, reduction="none", **dict(zip(names, values, strict=True)))
        return reduced(found * grad, reduction)

    def curved(grad: Tensor, grad_output: Tensor, x: Tensor, y: Tensor, reduction: str, *values: object) -> Any:
        return share(grad * grad_output, x.shape, reduction) * curvature(x - y, *values)

    row = op(
        f"{name}_backward",
        "grad_output, self, target",
        in_single(forward),
        category="losses",
        symbol=f"{name}′",
        latex=r"g \cdot \ell'(x - y)",
        brief=f"The gradient through {name}.",
        grad_output=sentence("Σ grad · ℓ′", along, f"grad, self, target, reduction{more}"),
        self=expressed(bent, curved, f"grad, grad_output, self, target, reduction{more}"),
        target=expressed(
            bent.replace("grad *", "-grad *", 1),
            lambda *args: -curved(*args),
            f"grad, grad_output, self, target, reduction{more}",
        ),
    )
    return row


def _difference_loss(
    name: str,
    params: str,
    value: Any,
    slope: object,
    curvature: object,
    *,
    latex: str,
    brief: str,
    formula: str,
    bent: str,
    node: str | None = None,
    halves: Callable[[Kernel], Kernel] = in_single,
) -> OpRow:
    """The row of a loss of the difference, with the row of its derivative, whose own derivative is `bent`. `halves`
    says how half types are computed."""
    names = [each.strip() for each in params.split(",") if each.strip()]
    more = "".join(f", {each}" for each in names)
    backward = _backward_row(name, params, slope, curvature, bent)

    def gradient(grad: Tensor, x: Tensor, y: Tensor, reduction: str, *values: object) -> Tensor:
        return call(backward, grad, x, y, reduction=reduction, **dict(zip(names, values, strict=True)))

    def forward(x: Array, y: Array, *, reduction: str, **given: object) -> Any:
        return _reduced(value(x - y, **given).astype(x.dtype), reduction=reduction)

    return op(
        name,
        "self, target",
        halves(forward),
        node=node,
        category="losses",
        symbol=name.removesuffix("_loss"),
        latex=latex,
        brief=brief,
        self=expressed(formula, gradient, f"grad, self, target, reduction{more}"),
        target=expressed(f"-({formula})", gradient, f"grad, target, self, reduction{more}"),
    )


def _smooth_slope(d: Array, *, beta: float) -> Array:
    return np.where(np.abs(d) < beta, d / beta, np.sign(d))


MSE = _difference_loss(
    "mse_loss",
    "",
    lambda d: d * d,
    lambda d: 2 * d,
    lambda d: 2.0,
    latex=r"\frac{1}{n} \sum_i (x_i - y_i)^2",
    brief="The mean of the squared errors.",
    formula="grad * 2 * (self - target) / n",
    bent="grad * grad_output * 2 / n",
    halves=lambda forward: forward,  # the difference and its square are rounded
)
SMOOTH_L1 = _difference_loss(
    "smooth_l1_loss",
    "beta",
    lambda d, *, beta: np.where(np.abs(d) < beta, 0.5 * d * d / beta, np.abs(d) - 0.5 * beta),
    _smooth_slope,
    lambda d, beta: (d.abs() < beta).to(d.dtype) / beta,
    latex=r"\frac{1}{n} \sum_i s_\beta(x_i - y_i)",
    node="SmoothL1LossBackward0",
    brief="Squared errors where small, absolute errors where large.",
    formula="grad * clamp((self - target) / beta, -1, 1) / n",
    bent="where(abs(self - target) < beta, grad * grad_output / beta / n, 0)",
)
HUBER = _difference_loss(
    "huber_loss",
    "delta",
    lambda d, *, delta: np.where(np.abs(d) <= delta, 0.5 * d * d, delta * (np.abs(d) - 0.5 * delta)),
    lambda d, *, delta: np.clip(d, -delta, delta),
    lambda d, delta: (d.abs() <= delta).to(d.dtype),
    latex=r"\frac{1}{n} \sum_i h_\delta(x_i - y_i)",
    brief="Squared errors where small, absolute errors where large.",
    formula="grad * clamp(self - target, -delta, delta) / n",
    bent="where(abs(self - target) <= delta, grad * grad_output / n, 0)",
)


def _warn_of_sizes(input: Tensor, target: Tensor) -> None:
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )


def expanded(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape; those that have it stay as they are."""
    check_broadcast(*(each._data for each in tensors))
    shape = np.broadcast_shapes(*(each._data.shape for each in tensors))
    return tuple(each if each._data.shape == shape else each.expand(shape) for each in tensors)


def promoted(row: OpRow, tensors: tuple[Tensor, ...], params: dict[str, object], kernel: str = "") -> Tensor:
    """Run a row with its operands in their common type."""
    target = result_type(*tensors)
    if kernel and target.rank != 2:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{target.title}'")
    made: Tensor = apply(row, tensors, [cast(each, target) for each in tensors], params)
    return made


def _weighted(errors: Tensor, weight: Tensor, shape: Size, reduction: str, plain_mean: bool = False) -> Tensor:
    if weight.size() != shape:
        raise ValueError("Weights and input must have the same size.")
    errors = errors * weight
    if reduction == "mean" and not plain_mean:
        return errors.sum() / weight.sum()
    return reduced(errors, reduction)


@api("mse_loss", where="F")
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared errors, or their mean or sum."""
    _warn_of_sizes(input, target)
    x, y = expanded(input, target)
    reduction = chosen_reduction(size_average, reduce, reduction)
    if weight is not None:
        return _weighted(F["pow"](x - y, 2), weight, input.size(), reduction)
    return promoted(MSE, (x, y), {"reduction": reduction}, "mse_cpu")


def _absolute_errors(x: Tensor, y: Tensor) -> Tensor:
    return (x - y).abs()


@api("l1_loss", where="F")
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute errors, or their mean or sum."""
    _warn_of_sizes(input, target)
    pair = expanded(input, target)
    reduction = chosen_reduction(size_average, reduce, reduction)
    errors = _absolute_errors(*pair)
    return reduced(errors, reduction) if weight is None else _weighted(errors, weight, input.size(), reduction)


@api("smooth_l1_loss", where="F")
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """½ d² / β for errors below β, |d| − ½ β above."""
    _warn_of_sizes(input, target)
    if not (size_average is None and reduce is None):
        reduction = chosen_reduction(size_average, reduce, reduction)
    x, y = expanded(input, target)
    reduction = chosen_reduction(None, None, reduction)
    if beta == 0.0:
        return reduced(_absolute_errors(x, y), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return promoted(SMOOTH_L1, (x, y), {"reduction": reduction, "beta": beta}, "smooth_l1_cpu")


@api("huber_loss", where="F")
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """½ d² for errors up to delta, delta · (|d| − ½ delta) above."""
    _warn_of_sizes(input, target)
    x, y = expanded(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    common = result_type(x, y)
    check_castable(common, x.dtype)
    if weight is None and common is not x.dtype and common.rank == 2:
        y = y.to(x.dtype)
    if weight is None:
        return promoted(
            HUBER, (x, y), {"reduction": chosen_reduction(None, None, reduction), "delta": delta}, "huber_cpu"
        )
    errors = promoted(HUBER, (x, y), {"reduction": "none", "delta": delta}, "huber_cpu")
    return _weighted(errors, weight, input.size(), reduction, plain_mean=True)


def _soft_margin_gradient(grad: Tensor, self: Tensor, target: Tensor, wanted: object, reduction: str) -> tuple[Tensor]:
    return (share(grad, self.shape, reduction) * -target * (-target * self).sigmoid(),)


_soft_margin_backward = one_gradient(
    "soft_margin_loss_backward",
    "grad_output, self, target",
    "reduction",
    _soft_margin_gradient,
    fixed="target",
    symbol="soft margin",
)
_reduced = in_single(lambda x, *, reduction: reduced_array(x, reduction))
SOFT_MARGIN = op(
    "soft_margin_loss",
    "self, target",
    lambda x, y, *, reduction: _reduced(np.log1p(np.exp(-x * y)), reduction=reduction),  # half types round each step
    category="losses",
    symbol="soft margin",
    latex=r"\frac{1}{n} \sum_i \ln(1 + e^{-y_i x_i})",
    brief="The logistic loss for targets ±1.",
    self=expressed(
        "-grad * target * sigmoid(-target * self) / n",
        lambda grad, self, target, reduction: _soft_margin_backward(grad, self, target, (True,), reduction)[0],
    ),
)


@api("soft_margin_loss", where="F")
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """ln(1 + e^(−yx)) for targets ±1."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    need_constants("soft_margin_loss", target=target)
    x, y = expanded(input, target)
    if x._data.shape != input._data.shape:
        raise RuntimeError(
            f"output with shape {list(input._data.shape)} doesn't match the broadcast shape {list(x._data.shape)}"
        )
    if x.dtype is dtypes.bool_:
        check_kind("neg", x.dtype)
    if x.dtype.rank < 2 and y.dtype is not dtypes.bool_:
        common = dtypes.promote(result_type(x, y), dtypes.default.dtype)
        check_castable(common, x.dtype)
    if x.dtype.is_floating_point and y.dtype.rank <= 2:  # the target's type is none of the result's
        made: Tensor = apply(SOFT_MARGIN, (x, y), (x._data, cast(y, x.dtype)), {"reduction": reduction})
        return made
    return promoted(SOFT_MARGIN, (x, y), {"reduction": reduction})
