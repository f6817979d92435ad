"""Distances between tensors: `dist` of two as a whole, `cdist` of each row of one to each row of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import api
from gradviz.engine.apply import call
from gradviz.engine.formula import expressed, sentence
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
    self=expressed("grad * (self - other) / result", _dist_grad),
    other=expressed(
        "-grad * (self - other) / result",
        lambda grad, self, other, result, p: -_dist_grad(grad, self, other, result, p),
    ),
)
CDIST = op(
    "cdist",
    "x1, x2",
    lambda x, y, *, p: norm_forward(_rows_apart(x, y), ord=p, dim=(-1,)),
    category="reductions",
    symbol="‖xᵢ−yⱼ‖",
    latex=r"\|x_i - y_j\|_p",
    brief="The distance of each row of one to each row of the other.",
    x1=sentence(
        "the sum over j of grad · the slope of each distance in x1",
        lambda grad, x1, x2, result, p: call(CDIST_BACKWARD, grad, x1, x2, result, p=p),
    ),
    x2=sentence(
        "the sum over i of grad · the slope of each distance in x2",
        lambda grad, x1, x2, result, p: call(CDIST_BACKWARD, grad.mT, x2, x1, result.mT, p=p),
    ),
)


def _pairs(x: Any) -> Any:
    first, second = np.triu_indices(len(x), 1)
    return x[first] - x[second]


def _toward_pairs(g: Any, x: Any, result: Any, *, p: float) -> Any:
    """The gradient of the distances of pairs in the rows."""
    each = norm_gradient(wrap(g), wrap(_pairs(x)), wrap(result), p, (-1,), False)._data
    found = np.zeros_like(x)
    first, second = np.triu_indices(len(x), 1)
    np.add.at(found, first, each)
    np.subtract.at(found, second, each)
    return found


def _no_second_pairs(grad: Any) -> Any:
    raise NotImplementedError("the derivative for '_pdist_backward' is not implemented.")


PDIST_BACKWARD = op(
    "_pdist_backward",
    "grad, self, pdist",
    _toward_pairs,
    node="PdistBackwardBackward0",
    category="reductions",
    symbol="‖xᵢ−xⱼ‖′",
    latex=r"\sum_j g_{ij} (x_i - x_j) / d_{ij}",
    brief="The gradient of distances of pairs; PyTorch has no derivative of it.",
    grad=_no_second_pairs,
    self=_no_second_pairs,
    pdist=_no_second_pairs,
)
PDIST = op(
    "_pdist_forward",
    "self",
    lambda x, *, p: norm_forward(_pairs(x), ord=p, dim=(-1,)),
    node="PdistBackward0",
    category="reductions",
    symbol="‖xᵢ−xⱼ‖",
    latex=r"\|x_i - x_j\|_p,\; i < j",
    brief="The distance of each pair of rows.",
    self=sentence(
        "grad · (xᵢ − xⱼ) / result, added up at both rows",
        lambda grad, self, result, p: call(PDIST_BACKWARD, grad, self, result, p=p),
    ),
)


@api("dist")
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of the difference."""
    return call(DIST, input, other, p=p)


@api("cdist", where="torch")
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    """The distance of each row of one to each row of the other: (…, n, d) and (…, m, d) give (…, n, m)."""
    return call(CDIST, x1, x2, p=p)


@api("pdist", where="torch F")
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distance of each pair of rows."""
    if input._data.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._data.ndim}D")
    if not input.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return call(PDIST, input.contiguous(), p=float(p))
