"""Weight normalisation: a weight as a length and a direction, and the lengths along all dimensions but one. The modules
that use it are in `gradviz/torch/nn/utils`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.apply import call_all
from gradviz.engine.formula import jointly
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def _others(ndim: int, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(ndim) if d != dim % ndim)


def _forward(v: Any, g: Any, *, dim: int) -> Any:
    norms = np.sqrt(np.sum(v * v, axis=_others(v.ndim, dim), keepdims=True, dtype=v.dtype))
    return v * (g / norms), norms


def _grads(grads: Any, v: Any, g: Any, result1: Any, dim: int, needs: Any) -> Any:
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
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Any:
    """The norm over all dimensions but one, which keeps its place; −1 stands for the norm of everything."""
    if dim == -1:
        return F["norm"](v, pow)
    return F["norm"](v, pow, _others(v.ndim, dim), keepdim=True)


@api("_weight_norm", where="torch")
def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Any:
    """The direction of `v` with the length `g`, one length for each place along `dim`."""
    if dim in (0, v.ndim - 1):
        return call_all(WEIGHT_NORM, v, g, dim=dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
