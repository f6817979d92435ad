"""Losses of the difference between input and target: squared errors, absolute errors and their mixtures; and
soft_margin_loss. Those of probabilities are in `loss.py`, those over classes in `classify.py`, those of distances
in `distance.py`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.apply import apply, call
from gradviz.engine.elementwise import cast, check_broadcast, result_type
from gradviz.engine.formula import expressed, sentence
from gradviz.engine.ops.neural import (
    chosen_reduction,
    in_single,
    need_constants,
    one_gradient,
    reduced,
    reduced_array,
    share,
)
from gradviz.engine.rows import OpRow, op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS

# --- a loss of the difference between input and target ---


def _backward_row(name: str, params: str, slope: Any, curvature: Any) -> OpRow:
    """grad · ∂loss/∂self, for a loss of the difference self − target: its slope, and its curvature in tensor
    operations."""
    names = [each.strip() for each in params.split(",") if each.strip()]
    more = "".join(f", {each}" for each in names)

    def forward(g: Any, x: Any, y: Any, *, reduction: str, **given: Any) -> Any:
        found = slope(x - y, **given) * g
        return (found / found.dtype.type(x.size) if reduction == "mean" else found).astype(x.dtype)

    def along(grad: Any, x: Any, y: Any, reduction: str, *values: Any) -> Any:
        found = call(row, F["ones_like"](x), x, y, reduction="none", **dict(zip(names, values, strict=True)))
        return reduced(found * grad, reduction)

    def curved(grad: Any, grad_output: Any, x: Any, y: Any, reduction: str, *values: Any) -> Any:
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
        self=sentence("grad · grad_output · ℓ″", curved, f"grad, grad_output, self, target, reduction{more}"),
        target=sentence(
            "−grad · grad_output · ℓ″",
            lambda *args: -curved(*args),
            f"grad, grad_output, self, target, reduction{more}",
        ),
    )
    return row


def _difference_loss(
    name: str,
    params: str,
    value: Any,
    slope: Any,
    curvature: Any,
    *,
    latex: str,
    brief: str,
    formula: str,
    node: str | None = None,
) -> OpRow:
    """The row of a loss of the difference, with the row of its derivative."""
    names = [each.strip() for each in params.split(",") if each.strip()]
    more = "".join(f", {each}" for each in names)
    backward = _backward_row(name, params, slope, curvature)

    def gradient(grad: Any, x: Any, y: Any, reduction: str, *values: Any) -> Any:
        return call(backward, grad, x, y, reduction=reduction, **dict(zip(names, values, strict=True)))

    def forward(x: Any, y: Any, *, reduction: str, **given: Any) -> Any:
        return reduced_array(value(x - y, **given).astype(x.dtype), reduction)

    return op(
        name,
        "self, target",
        in_single(forward),
        node=node,
        category="losses",
        symbol=name.removesuffix("_loss"),
        latex=latex,
        brief=brief,
        self=expressed(formula, gradient, f"grad, self, target, reduction{more}"),
        target=expressed(f"-({formula})", gradient, f"grad, target, self, reduction{more}"),
    )


def _smooth_slope(d: Any, *, beta: float) -> Any:
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
)


def _warn_of_sizes(input: Tensor, target: Tensor) -> None:
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )


def expanded(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors in their common shape; those that have it stay as they are."""
    check_broadcast(*(each._data for each in tensors))
    shape = np.broadcast_shapes(*(each._data.shape for each in tensors))
    return tuple(each if each._data.shape == shape else each.expand(shape) for each in tensors)


def promoted(row: OpRow, tensors: tuple[Tensor, ...], params: dict[str, Any], kernel: str = "") -> Tensor:
    """Run a row with its operands in their common type."""
    target = result_type(*tensors)
    if kernel and target.rank != 2:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{target.title}'")
    made: Tensor = apply(row, tensors, [cast(each, target) for each in tensors], params)
    return made


def _weighted(errors: Tensor, weight: Tensor, shape: Any, reduction: str, plain_mean: bool = False) -> Tensor:
    if weight.size() != shape:
        raise ValueError("Weights and input must have the same size.")
    errors = errors * weight
    if reduction == "mean" and not plain_mean:
        return errors.sum() / weight.sum()  # type: ignore[no-any-return]
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
    reduction = chosen_reduction(size_average, reduce, reduction)
    x, y = expanded(input, target)
    if weight is not None:
        return _weighted(F["pow"](x - y, 2), weight, input.size(), reduction)
    return promoted(MSE, (x, y), {"reduction": reduction}, "mse_cpu")


def _absolute_errors(x: Tensor, y: Tensor) -> Tensor:
    return (x - y).abs()  # type: ignore[no-any-return]


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
    reduction = chosen_reduction(size_average, reduce, reduction)
    errors = _absolute_errors(*expanded(input, target))
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
    reduction = chosen_reduction(size_average, reduce, reduction)
    x, y = expanded(input, target)
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
    if weight is None:
        return promoted(
            HUBER, (x, y), {"reduction": chosen_reduction(None, None, reduction), "delta": delta}, "huber_cpu"
        )
    errors = promoted(HUBER, (x, y), {"reduction": "none", "delta": delta}, "huber_cpu")
    return _weighted(errors, weight, input.size(), reduction, plain_mean=True)


def _soft_margin_gradient(grad: Any, self: Any, target: Any, wanted: Any, reduction: str) -> Any:
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
    x, y = expanded(input, target)
    need_constants("soft_margin_loss", target=target)
    return promoted(SOFT_MARGIN, (x, y), {"reduction": reduction})
