"""Activation functions in straight lines: hardtanh, relu6, hardsigmoid, hardswish, the shrinking ones and
threshold. Made as those in `activation.py` are."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONAL, FUNCTIONS, api
from gradviz.engine.apply import call
from gradviz.engine.elementwise import number_array
from gradviz.engine.formula import expressed
from gradviz.engine.ops.activation import activation, in_place_name, run
from gradviz.engine.ops.elementary import THRESHOLD_BACKWARD
from gradviz.engine.ops.neural import need_floats, need_tensor
from gradviz.engine.rows import OpRow, op
from gradviz.engine.tensor import Tensor

HARDTANH = activation(
    "hardtanh",
    "min_val, max_val",
    lambda x, *, min_val, max_val: np.clip(x, number_array(min_val, x.dtype), number_array(max_val, x.dtype)),
    lambda x, *, min_val, max_val: (x > min_val) & (x < max_val),
    None,
    latex=r"\min(\max(x, a), b)",
    brief="Limits each element to a range.",
    formula="where(min_val < self < max_val, grad, 0)",
    symbol="hard",
)
HARDSIGMOID = activation(
    "hardsigmoid",
    "",
    lambda x: np.clip(x + 3, 0, 6) / 6,
    lambda x: ((x > -3) & (x < 3)) * np.float32(1 / 6),
    None,
    latex=r"\min(\max(x + 3, 0), 6) / 6",
    brief="The sigmoid in straight lines.",
    formula="where(-3 < self < 3, grad / 6, 0)",
    symbol="hardσ",
    twice=False,
)
HARDSWISH = activation(
    "hardswish",
    "",
    lambda x: x * np.clip(x + 3, 0, 6) / 6,
    lambda x: np.where(x <= -3, 0, np.where(x < 3, x / 3 + 0.5, 1)),
    lambda x: ((x > -3) & (x < 3)).to(x.dtype) / 3,
    latex=r"x \min(\max(x + 3, 0), 6) / 6",
    brief="Each element times its hard sigmoid.",
    formula="where(self <= -3, 0, where(self < 3, grad * (self / 3 + 0.5), grad))",
)


def _outside(x: Any, *, lambd: float) -> Any:
    return (x < -lambd) | (x > lambd) | np.isnan(x)


SOFTSHRINK = activation(
    "softshrink",
    "lambd",
    lambda x, *, lambd: np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, x * 0)),
    _outside,
    None,
    latex=r"\operatorname{sign}(x) \max(|x| - \lambda, 0)",
    brief="Moves each element towards 0.",
    formula="where(abs(self) > lambd, grad, 0)",
)
HARDSHRINK = activation(
    "hardshrink",
    "lambd",
    lambda x, *, lambd: np.where((x >= -lambd) & (x <= lambd), x.dtype.type(0), x),
    _outside,
    None,
    latex=r"x \cdot [|x| > \lambda]",
    brief="Small elements become 0.",
    formula="where(abs(self) > lambd, grad, 0)",
)


@api("hardtanh", where="F")
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element limited to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return run(HARDTANH, HARDTANH, input, inplace, "", min_val=min_val, max_val=max_val)


@api("relu6", where="F")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0, 6, inplace)


@api("hardsigmoid", where="F")
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6."""
    return run(HARDSIGMOID, HARDSIGMOID, input, inplace, "hardsigmoid_cpu")


@api("hardswish", where="F")
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · min(max(x + 3, 0), 6) / 6."""
    return run(HARDSWISH, HARDSWISH, input, inplace, "hardswish_cpu")


@api("softshrink", where="F")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each element moved towards 0 by lambd."""
    need_tensor(input, "softshrink")
    need_floats(input, "softshrink_check")
    if lambd < 0:
        raise RuntimeError(
            f"lambda must be in range [0, {float(np.finfo(np.float32).max):g}] for input dtype {input.dtype.title}, "
            f"but found {lambd:g}"
        )
    return run(SOFTSHRINK, SOFTSHRINK, input, False, "", lambd=lambd)


@api("hardshrink", where="torch method F")
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, 0 elsewhere."""
    return run(HARDSHRINK, HARDSHRINK, input, False, "hardshrink_cpu", lambd=lambd)


def _threshold(x: Any, *, threshold: float, value: float) -> Any:
    return np.where(x <= number_array(threshold, x.dtype), number_array(value, x.dtype), x)


def _threshold_row(key: str, number: int) -> OpRow:
    return op(
        "threshold",
        "self",
        _threshold,
        key=key,
        number=number,
        category="activations",
        symbol="thr",
        latex=r"x > t\ ?\ x : v",
        brief="Elements at or below a threshold become one value.",
        self=expressed(
            "where(self > threshold, grad, 0)",
            lambda grad, self, threshold: call(THRESHOLD_BACKWARD, grad, self, threshold=threshold),
        ),
    )


THRESHOLD, THRESHOLD_ = _threshold_row("threshold", 0), _threshold_row("threshold_", 1)


@api("threshold", where="torch F")
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where above the threshold, `value` elsewhere."""
    return run(THRESHOLD, THRESHOLD_, input, inplace, "", threshold=threshold, value=value)


for _fn in (hardtanh, threshold):
    in_place_name(_fn)
api("threshold_", where="torch")(FUNCTIONAL["threshold_"])
api("relu_", where="F")(FUNCTIONS["relu_"])
