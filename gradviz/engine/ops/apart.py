"""Distances between tensors: `dist` of two as a whole, `cdist` of each row of one to each row of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import api
from gradviz.engine.apply import call
from gradviz.engine.creation import made
from gradviz.engine.ops.reduce import norm_forward, norm_gradient
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor, wrap


def _rows_apart(x: Any, y: Any) -> Any:
    return x[..., :, None, :] - y[..., None, :, :]


def _dist_grad(grad: Any, self: Any, other: Any, result: Any, p: Any) -> Any:
    return norm_gradient(grad, self - other, result, p, None, False)


def _no_second(grad: Any) -> Any:
    raise NotImplementedError("the derivative for '_cdist_backward' is not implemented.")


def _toward_rows(g: Any, x: Any, y: Any, result: Any, *, p: Any) -> Any:
    """The gradient of the distances in the rows of the first operand."""
    found = norm_gradient(wrap(g), wrap(_rows_apart(x, y)), wrap(result), p, (-1,), False)
    return found._data.sum(-2)


CDIST_BACKWARD = op(
    "_cdist_backward",
    "grad_output, x1, x2, cdist",
    _toward_rows,
    node="CdistBackwardBackward0",
    category="reductions",
    symbol="‖xᵢ−yⱼ‖′",
    latex=r"\sum_j g_{ij} (x_i - y_j) / d_{ij}",
    brief="The gradient of distances; PyTorch has no derivative of it.",
    grad_output=_no_second,
    x1=_no_second,
    x2=_no_second,
    cdist=_no_second,
)
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
    x1=lambda grad, x1, x2, result, p: call(CDIST_BACKWARD, grad, x1, x2, result, p=p),
    x2=lambda grad, x1, x2, result, p: call(CDIST_BACKWARD, grad.mT, x2, x1, result.mT, p=p),
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
