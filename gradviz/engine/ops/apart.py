"""Distances between tensors: `dist` of two as a whole, `cdist` of each row of one to each row of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import api
from gradviz.engine.apply import call
from gradviz.engine.creation import made
from gradviz.engine.ops.reduce import norm_forward, norm_gradient
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor


def _rows_apart(x: Any, y: Any) -> Any:
    return x[..., :, None, :] - y[..., None, :, :]


def _dist_grad(grad: Any, self: Any, other: Any, result: Any, p: Any) -> Any:
    return norm_gradient(grad, self - other, result, p, None, False)


def _cdist_grad(grad: Any, x1: Any, x2: Any, result: Any, p: Any) -> Any:
    """The gradient in the differences; both operands are broadcast in them."""
    return norm_gradient(grad, x1.unsqueeze(-2) - x2.unsqueeze(-3), result, p, (-1,), False)


DIST = op(
    "dist",
    "self, other",
    lambda x, y, *, p: norm_forward(x - y, ord=p),
    category="reductions",
    symbol="‖x−y‖",
    latex=r"\|x - y\|_p",
    brief="The norm of the difference.",
    derivatives={"self": "grad · (self − other) / result", "other": "−grad · (self − other) / result"},
    self=_dist_grad,
    other=lambda grad, self, other, result, p: -_dist_grad(grad, self, other, result, p),
)
CDIST = op(
    "cdist",
    "x1, x2",
    lambda x, y, *, p: norm_forward(_rows_apart(x, y), ord=p, dim=(-1,)),
    category="reductions",
    symbol="‖xᵢ−yⱼ‖",
    latex=r"\|x_i - y_j\|_p",
    brief="The distance of each row of one to each row of the other.",
    x1=lambda grad, x1, x2, result, p: _cdist_grad(grad, x1, x2, result, p).sum(-2),
    x2=lambda grad, x1, x2, result, p: -_cdist_grad(grad, x1, x2, result, p).sum(-3),
)


@api("dist")
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of the difference."""
    found: Tensor = call(DIST, input, other, p=p)
    return found


@api("cdist", where="torch")
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    """The distance of each row of one to each row of the other: (…, n, d) and (…, m, d) give (…, n, m)."""
    found: Tensor = call(CDIST, x1, x2, p=p)
    return found


@api("pdist", where="torch F")
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distance of each pair of rows."""
    found: Tensor = cdist(input, input, p)[tuple(map(made, np.triu_indices(len(input), 1)))]
    return found
