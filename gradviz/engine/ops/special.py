"""Less common functions: lgamma, digamma, erfinv, logit, sinc, atan2, hypot, xlogy, logaddexp, nan_to_num, logcumsumexp
…"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, ArrayOrScalar
from gradviz.engine.kernel.formula import Rule, expressed, jointly, sentence
from gradviz.engine.kernel.messages import check_kind, only
from gradviz.engine.kernel.rows import OpRow, no_derivative, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics import functions
from gradviz.engine.numerics.rounding import widened
from gradviz.engine.ops.arithmetic import conj, number_minus
from gradviz.engine.ops.derivatives import scaled
from gradviz.engine.ops.elementwise import NUMBERS, Prepared, binary, prepare_pair, register, unary
from gradviz.engine.ops.reduce import axes_of, call_in, spread, wrap_dim
from gradviz.engine.run.api import FUNCTIONS, SPECIAL, api, in_torch_words
from gradviz.engine.run.apply import NO_PARAMS, call
from gradviz.engine.run.arguments import check_operands

F = FUNCTIONS


def _function(
    name: str, forward: Any, latex: str, gradient: str | Rule, *names: str, node: str | None = None, brief: str
) -> None:
    row = op(
        name,
        "self",
        forward,
        node=node,
        category="functions",
        symbol=name,
        latex=latex,
        brief=brief,
        self=gradient,
    )
    unary(row, *(names or (name,)))


_function(
    "lgamma",
    functions.lgamma,
    r"\ln |\Gamma(x)|",
    "grad * digamma(self)",
    brief="The logarithm of the gamma function.",
)
_function(
    "digamma",
    functions.digamma,
    r"\psi(x)",
    expressed("grad * trigamma(self)", lambda grad, self: grad * call(POLYGAMMA, self, n=1)),
    brief="The derivative of lgamma.",
)
POLYGAMMA: OpRow = op(
    "polygamma",
    "self",
    lambda x, *, n: functions.polygamma(n, x),
    category="functions",
    symbol="ψ⁽ⁿ⁾",
    latex=r"\psi^{(n)}(x)",
    brief="The n-th derivative of the digamma function.",
    inplace_node="PolygammaBackward1",
    self=expressed("grad * polygamma(n + 1, self)", lambda grad, self, n: grad * call(POLYGAMMA, self, n=n + 1)),
)
_function(
    "erfinv",
    functions.erfinv,
    r"\operatorname{erf}^{-1} x",
    "sqrt(pi) / 2 * exp(pow(erfinv(self), 2)) * grad",
    brief="The inverse of the error function.",
)
_function(
    "deg2rad",
    lambda x: np.deg2rad(x).astype(x.dtype),
    r"\pi x / 180",
    "grad * (pi / 180)",
    node="Deg2RadBackward0",
    brief="From degrees to radians.",
)
_function(
    "rad2deg",
    lambda x: (x * np.float64(180 / math.pi).astype(np.float32 if x.dtype.itemsize == 2 else x.dtype)).astype(x.dtype),
    r"180 x / \pi",
    "grad * (180 / pi)",
    node="Rad2DegBackward0",
    brief="From radians to degrees.",
)


def _sinc(x: Array) -> Array:
    return np.sinc(widened(x)).astype(x.dtype)


def _sinc_grad(grad: Tensor, self: Tensor) -> Tensor:
    turned = scaled(self, math.pi)
    square = scaled(self * self, math.pi)
    return F["where"](square == 0, 0, grad * conj((turned * turned.cos() - turned.sin()) / square))


_function(
    "sinc",
    _sinc,
    r"\sin(\pi x) / (\pi x)",
    expressed("grad * (pi * self * cos(pi * self) - sin(pi * self)) / (pi * self ** 2)", _sinc_grad),
    brief="The sine of πx over πx; 1 at 0.",
)

LOGIT = op(
    "logit",
    "self",
    lambda x, *, eps=None: _logit(x, eps),
    category="functions",
    symbol="logit",
    latex=r"\ln \frac{x}{1 - x}",
    brief="The inverse of sigmoid.",
    self=expressed("grad / (self * (1 - self))", lambda grad, self, eps: _logit_grad(grad, self, eps)),
)


def _logit_grad(grad: Tensor, self: Tensor, eps: float | None) -> Tensor:
    low = 0 if eps is None else eps
    inside = F["logical_and"](self >= low, self <= 1 - low)
    return F["where"](inside, grad / (self * number_minus(1, self)), math.nan if eps is None else 0)


def _logit(x: Array, eps: float | None) -> Array:
    z = x if eps is None else np.where(x < eps, x.dtype.type(eps), np.where(x > 1 - eps, x.dtype.type(1 - eps), x))
    return np.log(z / (1 - z)).astype(x.dtype)


def _prepare_logit(input: Tensor, eps: float | None = None) -> Prepared:
    """ln(x / (1 − x))."""
    check_kind("logit", input.dtype)
    input = input if input.dtype.rank >= 2 else input.to(dtypes.get_default_dtype())
    return LOGIT, (input,), (input._data,), {"eps": eps}


register(_prepare_logit, ("logit",))


# --- two operands ---


def _atan2_grads(grad: Tensor, self: Tensor, other: Tensor, needs: Sequence[bool]) -> list[Tensor | None]:
    at_origin = (self == 0) & (other == 0)
    square = self * self + other * other
    return [
        grad * (each / square).masked_fill(at_origin, 0) if need else None
        for each, need in zip((other, -self), needs, strict=True)
    ]


ATAN2 = op(
    "atan2",
    "self, other",
    np.arctan2,
    category="functions",
    symbol="atan2",
    latex=r"\operatorname{atan2}(y, x)",
    brief="The angle of a point.",
    joint=jointly(
        _atan2_grads,
        formulas={
            "self": "grad * other / (self ** 2 + other ** 2)",
            "other": "-grad * self / (self ** 2 + other ** 2)",
        },
    ),
)
HYPOT = op(
    "hypot",
    "self, other",
    only("fcV", "hypot_cpu", np.hypot),
    category="functions",
    symbol="hypot",
    latex=r"\sqrt{x^2 + y^2}",
    brief="The length of the hypotenuse.",
    self="grad * self / result",
    other="grad * other / result",
)


def _xlogy(x: Array, y: Array) -> Array:
    return np.where(np.isnan(y), math.nan, np.where(x == 0, 0, x * np.log(y))).astype(x.dtype)


_XLOGY: dict[str, Any] = {
    "category": "functions",
    "symbol": "x ln y",
    "latex": r"x \ln y",
    "brief": "x · ln y, and 0 where x is 0.",
}
_LOG_OR_ZERO = expressed(
    "grad * log(other)",
    lambda grad, self, other: (grad * F["log"](other)).masked_fill((self == 0) & (other <= 0), 0),
)
XLOGY = op("xlogy", "self, other", _xlogy, **_XLOGY, self=_LOG_OR_ZERO, other="grad * self / other")
XLOGY_OF_NUMBER = op(
    "xlogy",
    "self, other",
    _xlogy,
    key="xlogy_of_number",
    number=1,
    plain_numbers=True,
    **_XLOGY,
    other="grad * self / other",
)
XLOGY_NUMBER = op(
    "xlogy", "self, other", _xlogy, key="xlogy_number", number=2, plain_numbers=True, **_XLOGY, self=_LOG_OR_ZERO
)
LOGADDEXP = op(
    "logaddexp",
    "self, other",
    only("fcV", "logaddexp_cpu", functions.logaddexp),
    category="functions",
    symbol="lae",
    latex=r"\ln(e^x + e^y)",
    brief="The logarithm of a sum of exponentials.",
    self="grad / conj(1 + exp(other - self))",
    other="grad / conj(1 + exp(self - other))",
)
LOGADDEXP2 = op(
    "logaddexp2",
    "self, other",
    only("fcV", "logaddexp2_cpu", np.logaddexp2),
    category="functions",
    symbol="lae₂",
    latex=r"\log_2(2^x + 2^y)",
    brief="The binary logarithm of a sum of powers of two.",
    self="grad / (1 + pow(2, other - self))",
    other="grad / (1 + pow(2, self - other))",
)
COPYSIGN = op(
    "copysign",
    "self, other",
    np.copysign,
    category="functions",
    symbol="copysign",
    latex=r"|x| \operatorname{sign} y",
    brief="The size of one with the sign of the other.",
    self=sentence(
        "grad, its sign changed where that of self was",
        lambda grad, self, result: grad * (result / self).masked_fill(self == 0, 0),
    ),
    other="zero(grad)",
)
COPYSIGN_NUMBER = op(
    "copysign",
    "self, other",
    np.copysign,
    key="copysign_number",
    number=1,
    plain_numbers=True,
    category="functions",
    symbol="copysign",
    latex=r"|x| \operatorname{sign} y",
    brief="The size of each element with the sign of a number.",
    self=sentence(
        "grad, its sign changed where that of self was",
        lambda grad, self, result: grad * (result / self).masked_fill(self == 0, 0),
    ),
)
HEAVISIDE = op(
    "heaviside",
    "self, values",
    lambda x, y: np.where(x == 0, y, x > 0).astype(y.dtype),
    node="NotImplemented",
    joint=no_derivative("aten::heaviside"),
    inplace_refused=True,
    category="functions",
    symbol="H",
    latex=r"H(x)",
    brief="0 below 0, 1 above.",
)


def _prepare_heaviside(input: Tensor, values: Tensor) -> Prepared:
    check_operands("heaviside", input, values)
    if input.dtype.is_complex or values.dtype.is_complex:
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input.dtype is not values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return prepare_pair(HEAVISIDE, input, values, NO_PARAMS, False)


register(_prepare_heaviside, ("heaviside",))
for _row, _names in (
    (ATAN2, ("atan2", "arctan2")),
    (HYPOT, ("hypot",)),
    (LOGADDEXP, ("logaddexp",)),
    (LOGADDEXP2, ("logaddexp2",)),
    (COPYSIGN, ("copysign",)),
):
    binary(
        _row, *_names, division=_row in (ATAN2, COPYSIGN), number=COPYSIGN_NUMBER if _row is COPYSIGN else None,
        inplace=_row not in (LOGADDEXP, LOGADDEXP2),
    )  # fmt: skip


def _prepare_xlogy(input: Tensor, other: Tensor) -> Prepared:
    row = XLOGY_NUMBER if isinstance(other, NUMBERS) else XLOGY_OF_NUMBER if isinstance(input, NUMBERS) else XLOGY
    return prepare_pair(row, input, other, NO_PARAMS, True)


register(_prepare_xlogy, ("xlogy",))

# --- without NaN ---


def _finite(x: Array, nan: float, posinf: float | None, neginf: float | None) -> Array:
    if x.dtype.kind != "V":
        return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    wide = np.nan_to_num(x.astype(np.float32), nan=nan, posinf=math.inf, neginf=-math.inf)
    top = float(ml_dtypes.finfo(x.dtype).max)  # type: ignore[no-untyped-call]  # NumPy doesn't know this type
    wide = np.where(wide == math.inf, top if posinf is None else posinf, wide)
    return np.where(wide == -math.inf, -top if neginf is None else neginf, wide).astype(x.dtype)


NAN_TO_NUM = op(
    "nan_to_num",
    "self",
    lambda x, *, nan, posinf, neginf: _finite(x, nan, posinf, neginf),
    category="functions",
    symbol="nan→",
    latex=r"x",
    brief="NaN and infinities replaced by numbers.",
    self=expressed("where(isfinite(self), grad, 0)", lambda grad, self: grad * F["isfinite"](self)),
)


def _nansum(x: Array, dim: int | None, keepdim: bool) -> ArrayOrScalar:
    if x.dtype.kind in "iub":
        return np.sum(x, axis=dim, keepdims=keepdim, dtype=np.int64)
    wide = widened(x)
    return np.nansum(wide, axis=dim, keepdims=keepdim).astype(x.dtype)


NANSUM = op(
    "nansum",
    "self",
    lambda x, *, dim=None, keepdim=False: _nansum(x, dim, keepdim),
    category="reductions",
    symbol="∑",
    latex=r"\sum_i x_i",
    brief="The sum without NaN.",
    self=sentence(
        "grad for every element that is not NaN",
        lambda grad, self, self_shape, dim, keepdim: (
            spread(grad, self_shape, dim, keepdim) * F["logical_not"](F["isnan"](self))
        ),
    ),
)


def _prepare_nan_to_num(
    input: Tensor, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Prepared:
    """NaN and infinities replaced by numbers."""
    return NAN_TO_NUM, (input,), (input._data,), {"nan": nan or 0.0, "posinf": posinf, "neginf": neginf}


register(_prepare_nan_to_num, ("nan_to_num",))


@api("nansum")
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """The sum, ignoring NaN."""
    axes = dim if dim is None or isinstance(dim, int) else axes_of(tuple(dim), input._data.ndim)
    axes = None if not input._data.ndim and isinstance(axes, tuple) else axes
    if dtype is not None and dtype.is_complex:
        raise NotImplementedError(f"\"nansum_cpu\" not implemented for '{dtype.title}'")
    return call_in(NANSUM, input, dtype, dim=axes, keepdim=keepdim)


@api("nanmean")
def nanmean(input: Tensor, dim: object = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """The mean, ignoring NaN."""
    if input.dtype.rank < 2:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.title}"
        )
    count = F["logical_not"](F["isnan"](input)).sum(dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / count


# --- running ---


def _logcumsumexp(x: Array, *, dim: int) -> Array:
    if x.dtype.kind != "c" or not x.size:
        return np.logaddexp.accumulate(x, axis=wrap_dim(dim, x.ndim)) if x.ndim and x.size else x.copy()
    rows = np.moveaxis(np.atleast_1d(x), dim, 0)
    found = np.stack(list(itertools.accumulate(rows, lambda before, here: functions.logaddexp(here, before))))
    return np.moveaxis(found, 0, dim).reshape(x.shape)


def _logcumsumexp_grad(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """In logarithms, with the positive and the negative part of the gradient treated separately."""
    if not grad._data.ndim or not grad._data.size:
        return grad
    if grad.is_complex():
        return conj(((conj(grad).log() - result).flip(dim).logcumsumexp(dim).flip(dim) + self).exp())
    least = float(ml_dtypes.finfo(grad._data.real.dtype).min)  # type: ignore[no-untyped-call]
    logs = grad.abs().log()

    def part(chosen: Tensor) -> Tensor:
        inner = F["where"](chosen, logs, least) - result
        return (inner.flip(dim).logcumsumexp(dim).flip(dim) + self).exp()

    return part(grad > 0) - part(grad < 0)


LOGCUMSUMEXP = op(
    "logcumsumexp",
    "self",
    _logcumsumexp,
    category="reductions",
    symbol="lcse",
    latex=r"\ln \sum_{j \le i} e^{x_j}",
    brief="Running logarithms of sums of exponentials.",
    self=sentence("exp(self) · the sum from the end of grad · exp(−result)", _logcumsumexp_grad),
)


@api("logcumsumexp")
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Running log(sum(exp(x))) along `dim`."""
    if input.dtype.rank < 2:
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{input.dtype.title}'")
    return call(LOGCUMSUMEXP, input, dim=wrap_dim(dim, input._data.ndim))


def _in_special(name: str, known: str) -> None:
    made = SPECIAL[name] = in_torch_words(F[known], f"special.{name}")
    made.__name__ = made.__qualname__ = f"special_{name}"


for _name in (
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expm1",
    "log1p",
    "digamma",
    "logit",
    "sinc",
    "xlogy",
    "logsumexp",
    "softmax",
    "log_softmax",
    "round",
):
    _in_special(_name, _name)
for _name, _known in {"expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma"}.items():
    _in_special(_name, _known)
