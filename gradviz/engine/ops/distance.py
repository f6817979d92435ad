"""Distances and similarities: `dist` of two tensors, `cdist` and `pdist` of their rows, cosine_similarity,
pairwise_distance, normalize, and the losses based on them: ranking, hinge, cosine and triplet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.messages import check_kind, check_subtraction
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops.arithmetic import number_minus
from gradviz.engine.ops.derivatives import minus, plus
from gradviz.engine.ops.elementwise import check_broadcast, result_type
from gradviz.engine.ops.neural import at_least, chosen_reduction, need_tensor, reduced
from gradviz.engine.ops.reduce import NORM, norm_forward, norm_gradient
from gradviz.engine.run.api import FUNCTIONS, LINALG, api
from gradviz.engine.run.apply import call
from gradviz.engine.run.inplace import put

F = FUNCTIONS


def _norm_gradient(grad: Tensor, self: Tensor, result: Tensor, p: float, dim: object, keepdim: bool) -> Tensor:
    return norm_gradient(grad, self, result, p, dim, keepdim)


DISTANCE_NORM = op(
    "norm",
    "self",
    lambda x, *, p, dim, keepdim: NORM.forward(x, ord=p, dim=dim, keepdim=keepdim),
    key="norm_along",
    number=1,
    category="reductions",
    symbol="‖x‖",
    latex=r"\|x\|_p",
    brief="The norm over a dimension.",
    self=expressed("grad * self / result", _norm_gradient),
)


@api("normalize", where="F")
def normalize(input: Tensor, p: float = 2.0, dim: object = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Each vector along `dim` divided by its norm."""
    if not isinstance(input, Tensor):
        raise AttributeError(f"'{type(input).__name__}' object has no attribute 'norm'", name="norm", obj=input)
    norm = LINALG["vector_norm"](input, float(p), dim, True)
    found = input / at_least(norm, eps).expand_as(input)
    if out is None:
        return found
    if not state.layered or type(found._data) is not np.ndarray:
        return out.copy_(found)
    put(out, found._data)  # PyTorch lets transforms write into what is given as `out`
    return out


@api("cosine_similarity", where="torch F")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
    target = result_type(x1, x2)
    if not target.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {target.title}")
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    check_broadcast(x1._data, x2._data)
    shape = np.broadcast_shapes(x1._data.shape, x2._data.shape)
    first, second = (x if x._data.shape == shape else x.expand(shape) for x in (x1, x2))
    first, second = (x if x.dtype.is_floating_point else x.to(target) for x in (first, second))
    norms = [LINALG["vector_norm"](x, 2, dim, True).clone() for x in (first, second)]
    with no_grad():
        for norm in norms:
            norm.clamp_min_(eps)
    other = second / norms[1]  # first, as in PyTorch
    return ((first / norms[0]) * other).sum(dim)


@api("pairwise_distance", where="torch F")
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The norm of x1 − x2 + eps over the last dimension."""
    if not (isinstance(x1, Tensor) and isinstance(x2, Tensor)):
        raise TypeError  # in the words of its signatures
    difference = plus(x1 - x2, eps)
    return call(DISTANCE_NORM, difference, p=float(p), dim=(max(difference._data.ndim - 1, 0),), keepdim=keepdim)


# --- losses ---


def _where(target: Tensor, value: float, equal: bool, x: Tensor) -> Tensor:
    """x where the target equals `value` (or does not), 0 elsewhere."""
    condition = wrap(np.asarray((target._data == value) == equal))
    return F["where"](condition, x, wrap(np.zeros((), x._data.dtype)))


@api("hinge_embedding_loss", where="F")
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """x for targets 1, max(0, margin − x) for targets −1."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    check_broadcast(target._data, input._data)
    check_subtraction((input.dtype, True), (input.dtype, False))
    check_kind("clamp", input.dtype)
    far = _where(target, 1, False, at_least(number_minus(margin, input), 0))
    return reduced(far + _where(target, -1, False, input), reduction)


@api("margin_ranking_loss", where="F")
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, −y (x1 − x2) + margin)."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    if not input1._data.ndim == input2._data.ndim == target._data.ndim:
        raise RuntimeError(
            f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, "
            f"input2: {input2.size()}, target: {target.size()} "
        )
    return ranking_loss(input1, input2, target, margin, reduction)


def ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: str = "mean") -> Tensor:
    """The loss itself, for whatever shapes fit together."""
    difference = input1 - input2  # first, as in PyTorch
    return reduced(at_least(plus(-target * difference, float(margin)), 0), reduction)


def _check_cosine_target(input1: Tensor, input2: Tensor, target: Tensor) -> None:
    n = target._data.ndim
    if n not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    wanted = 2 if n else 1
    if input1._data.ndim != wanted or input2._data.ndim != wanted:
        raise RuntimeError(
            f"{n}D target tensor expects {wanted}D input tensors, but found inputs with sizes "
            f"{list(input1._data.shape)} "
            f"and {list(input2._data.shape)}."
        )


@api("cosine_embedding_loss", where="F")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 − cos for targets 1, max(0, cos − margin) for targets −1."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    _check_cosine_target(input1, input2, target)
    dim = target._data.ndim
    product = (input1 * input2).sum(dim)
    first, second = (plus((x * x).sum(dim), 1e-12) for x in (input1, input2))
    cosine = product / (first * second).sqrt()
    near = _where(target, 1, True, number_minus(1, cosine))
    return reduced(near + _where(target, -1, True, at_least(minus(cosine, margin), 0)), reduction)


def _need_margin(margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")


def _need_equal_dims(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    a, p, n = anchor._data.ndim, positive._data.ndim, negative._data.ndim
    if not a == p == n:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a}D, positive {p}D, and negative {n}D inputs"
        )


@api("triplet_margin_loss", where="F")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin + distance to the positive − distance to the negative)."""
    reduction = chosen_reduction(size_average, reduce, reduction)
    _need_margin(margin)
    return triplet_loss(anchor, positive, negative, margin, p, eps, swap, reduction)


def triplet_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """The loss itself, for any margin."""
    _need_equal_dims(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = F["minimum"](far, pairwise_distance(positive, negative, p, eps))
    return reduced(at_least(plus(near, margin) - far, 0), reduction)


@api("triplet_margin_with_distance_loss", where="F")
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any distance."""
    reduction = chosen_reduction(None, None, reduction)
    _need_margin(margin)
    _need_equal_dims(anchor, positive, negative)
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = F["minimum"](far, distance(positive, negative))
    return reduced(at_least(margin + near - far, 0), reduction)


def _rows_apart(x: Array, y: Array) -> Array:
    return x[..., :, None, :] - y[..., None, :, :]


def _dist_grad(grad: Tensor, self: Tensor, other: Tensor, result: Tensor, p: float) -> Tensor:
    return norm_gradient(grad, self - other, result, p, None, False)


def _no_second(grad: Tensor) -> None:
    raise NotImplementedError("the derivative for '_cdist_backward' is not implemented.")


def _toward_rows(g: Array, x: Array, y: Array, result: Array, *, p: float) -> Any:
    """The gradient of the distances with respect to the rows of the first operand."""
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
    self=expressed("grad * (self - other) * abs(self - other) ** (p - 2) / result ** (p - 1)", _dist_grad),
    other=expressed(
        "-grad * (self - other) * abs(self - other) ** (p - 2) / result ** (p - 1)",
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


def _pairs(x: Array) -> Array:
    first, second = np.triu_indices(len(x), 1)
    return x[first] - x[second]


def _toward_pairs(g: Array, x: Array, result: Array, *, p: float) -> Array:
    """The gradient of pairwise distances with respect to the rows."""
    each = norm_gradient(wrap(g), wrap(_pairs(x)), wrap(result), p, (-1,), False)._data
    found = np.zeros_like(x)
    first, second = np.triu_indices(len(x), 1)
    np.add.at(found, first, each)
    np.subtract.at(found, second, each)
    return found


def _no_second_pairs(grad: Tensor) -> None:
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
    check_subtraction((input.dtype, True), (other.dtype, True))
    target = result_type(input, other)
    if target.rank < 2:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {target.title} instead."
        )
    input, other = (each if each.dtype is target else each.to(target) for each in (input, other))
    check_broadcast(input._data, other._data)
    if isinstance(p, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    return call(DIST, input, other, p=p)


@api("cdist", where="torch")
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: object = None) -> Tensor:
    """The distance of each row of one to each row of the other: (…, n, d) and (…, m, d) give (…, n, m)."""
    for at, (name, each) in enumerate((("x1", x1), ("x2", x2)), start=1):
        need_tensor(each, "cdist", name, at)
    for name, each in (("X1", x1), ("X2", x2)):
        if each._data.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {each._data.ndim}D")
    for name, each in (("X1", x1), ("X2", x2)):
        if not each.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {each.dtype.title}")
    if x1.dtype in (dtypes.float16, dtypes.bfloat16):
        raise NotImplementedError(f"\"cdist\" not implemented for '{x1.dtype.title}'")
    if x1.dtype is not x2.dtype:
        raise RuntimeError(f"expected scalar type {x1.dtype.title} but found {x2.dtype.title}")
    if x1.shape[-1] != x2.shape[-1]:
        columns = f"X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        raise RuntimeError(f"X1 and X2 must have the same number of columns. {columns}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
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
