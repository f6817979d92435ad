"""Reductions: sum, mean, prod, max, var, norm, logsumexp, softmax … with every form of `dim` and `keepdim`.
Running sums are in `calculus.py`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, ArrayOrScalar, Kernel
from gradviz.engine.kernel.formula import expressed, helper, sentence
from gradviz.engine.kernel.graph import as_given
from gradviz.engine.kernel.messages import IMAGINARY_PART, check_kind, check_norm_type, dimension_error
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import functions, rounding, sums
from gradviz.engine.numerics.sums import total
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.derivatives import scaled
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, LINALG, UNSAID, api
from gradviz.engine.run.apply import apply, call, call_all
from gradviz.engine.run.arguments import Named, along, refuse, return_type

F = FUNCTIONS
Dim = int | Sequence[int] | None


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; raises PyTorch's IndexError if it does not exist."""
    if not isinstance(dim, (int, np.integer)) or isinstance(dim, bool):
        raise TypeError(f"dimension must be an int, not {type(dim).__name__}")
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise dimension_error(int(dim), ndim)
    return int(dim) % n


def axes_of(dim: Dim, ndim: int) -> tuple[int, ...] | None:
    """NumPy's axes for `dim`: None and () mean all of them."""
    if dim is None:
        return None
    if isinstance(dim, (int, np.integer)):
        axis = wrap_dim(int(dim), ndim)
        return (axis,) if ndim else ()
    axes = tuple(wrap_dim(d, ndim) for d in dim)
    if len(set(axes)) != len(axes):
        raise RuntimeError(
            f"dim {next(d for d in axes if axes.count(d) > 1)} appears multiple times in the list of dims"
        )
    if not axes:
        return None
    return axes if ndim else ()


def spread(grad: Tensor, shape: tuple[int, ...], dim: Dim, keepdim: bool) -> Tensor:
    """The gradient of a reduction with the reduced dimensions restored and expanded to `shape`."""
    if dim is not None and not keepdim and shape:
        for axis in sorted(axes_of(dim, len(shape)) or ()):
            grad = grad.unsqueeze(axis)
    return grad.expand(shape)


@helper("x")
def kept(x: Tensor, shape: tuple[int, ...], dim: Dim, keepdim: bool) -> Tensor:
    """A reduced tensor with its dimensions restored with size 1, so that it broadcasts against the input."""
    if dim is None or keepdim or not shape:
        return x
    for axis in sorted(axes_of(dim, len(shape)) or ()):
        x = x.unsqueeze(axis)
    return x


def _refuse_whole(input: Tensor, dtype: dtypes.dtype | None) -> None:
    """Refuse a mean in whole numbers."""
    kind, which = (input.dtype, "Input") if dtype is None else (dtype, "Optional")
    if kind.rank < 2:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
            f"Got: {kind.title}"
        )


def call_in(row: OpRow, input: Tensor, dtype: dtypes.dtype | None, **params: object) -> Tensor:
    """Run a row on its operand in another type. The conversion between floating-point types is part of the operation:
    the gradient goes to the operand itself. Sums and products of integers are computed in 64 bits."""
    if dtype is None or dtype is input.dtype:
        made = call(row, input, **params)
    elif min(dtype.rank, input.dtype.rank) >= 2 and input._coo is None:
        data = input._data
        if input.dtype.is_complex and not dtype.is_complex:
            warn_once("imaginary part", IMAGINARY_PART)
            data = data.real
        made = apply(row, (input,), (data.astype(dtype.np),), params)
    elif dtype.rank < 2 and state.grad and input._requires_grad:
        raise RuntimeError(f"Autograd not support dtype: {dtype.title}")
    else:
        made = call(row, input.to(dtype), **params)
    return made if dtype is None or made.dtype is dtype else made.to(dtype)


def _sum(x: Array, *, dim: Dim = None, keepdim: bool = False) -> ArrayOrScalar:
    axes = axes_of(dim, x.ndim)
    if x.dtype.kind in "iub":
        return np.sum(x, axis=axes, keepdims=keepdim, dtype=np.int64)
    wide = rounding.widened(x)
    return total(wide, axes, keepdim).astype(x.dtype, copy=False)


def _mean(x: Array, *, dim: Dim = None, keepdim: bool = False) -> Any:
    wide = rounding.widened(x)
    axes = axes_of(dim, x.ndim)
    count = x.size if axes is None else math.prod(x.shape[a] for a in axes)
    return (total(wide, axes, keepdim) / wide.dtype.type(count)).astype(x.dtype, copy=False)


def _count(shape: tuple[int, ...], dim: Dim) -> int:
    axes = axes_of(dim, len(shape))
    return math.prod(shape) if axes is None else math.prod(shape[a] for a in axes)


SUM = op(
    "sum",
    "self",
    lambda x: _sum(x),
    category="reductions",
    symbol="∑",
    latex=r"\sum_i x_i",
    brief="The sum of all elements.",
    self=sentence("grad for every element", lambda grad, self_shape: grad.expand(self_shape)),
)
SUM_DIM = op(
    "sum",
    "self",
    _sum,
    key="sum_dim",
    number=1,
    category="reductions",
    symbol="∑",
    latex=r"\sum_i x_i",
    brief="The sum over dimensions.",
    self=sentence(
        "grad for every element that was summed",
        lambda grad, self_shape, dim, keepdim: spread(grad, self_shape, dim, keepdim),
    ),
)
MEAN = op(
    "mean",
    "self",
    lambda x: _mean(x),
    category="reductions",
    symbol="mean",
    latex=r"\frac{1}{n}\sum_i x_i",
    brief="The mean of all elements.",
    self=expressed("grad / n", lambda grad, self_shape: grad.expand(self_shape) / math.prod(self_shape)),
)
MEAN_DIM = op(
    "mean",
    "self",
    _mean,
    key="mean_dim",
    number=1,
    category="reductions",
    symbol="mean",
    latex=r"\frac{1}{n}\sum_i x_i",
    brief="The mean over dimensions.",
    self=expressed(
        "grad / n",
        lambda grad, self_shape, dim, keepdim: spread(grad, self_shape, dim, keepdim) / _count(self_shape, dim),
    ),
)


_ALONE = "(Tensor input, *, torch.dtype dtype = None)"
_ALONE_OUT = "(Tensor input, *, torch.dtype dtype = None, Tensor out = None)"
_ALONG = "(Tensor input, {} dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)"


@api("sum")
@along("sum", _ALONE, _ALONG.format("tuple of ints"), none=True)
def sum_(
    input: Tensor,
    dim: object = None,
    keepdim: bool = False,
    *,
    axis: object = None,
    keepdims: bool | None = None,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """The sum of all elements, or over `dim`."""
    dim, keepdim = _names(dim, axis, keepdim, keepdims)
    if dim is None and not keepdim:
        return call_in(SUM, input, dtype)
    return call_in(SUM_DIM, input, dtype, dim=_tuple(dim), keepdim=keepdim)


@api("mean")
@along("mean", _ALONE_OUT, _ALONG.format("tuple of ints"), none=True)
def mean(
    input: Tensor,
    dim: object = None,
    keepdim: bool = False,
    *,
    axis: object = None,
    keepdims: bool | None = None,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """The mean of all elements, or over `dim`."""
    dim, keepdim = _names(dim, axis, keepdim, keepdims)
    _refuse_whole(input, dtype)
    if dim is None and not keepdim:
        return call_in(MEAN, input, dtype)
    return call_in(MEAN_DIM, input, dtype, dim=_tuple(dim), keepdim=keepdim)


def _names(dim: object, axis: object, keepdim: bool, keepdims: bool | None) -> tuple[Any, bool]:
    return (dim if axis is None else axis), (keepdim if keepdims is None else keepdims)


def _tuple(dim: Any) -> tuple[int, ...] | None:
    if dim is None:
        return None
    return (int(dim),) if isinstance(dim, (int, np.integer)) else tuple(dim)


# --- products ---


_OTHERS = "grad · the product of the other elements"


def _prod(x: Array, *, dim: int | None = None, keepdim: bool = False) -> Any:
    wide = np.int64 if x.dtype.kind in "iub" else x.dtype
    return np.prod(x, axis=axes_of(dim, x.ndim), keepdims=keepdim, dtype=wide)


def _prod_grad(grad: Tensor, self: Tensor, result: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """Without zeros result / self; with zeros, products that leave one element out."""
    if not (self._data == 0).any():
        shape = self._data.shape
        return kept(grad, shape, dim, keepdim) * conj(kept(result, shape, dim, keepdim) / self)
    if dim is None:
        return _others_product(self.reshape(-1), 0).reshape(self.shape) * grad
    return _others_product(self, wrap_dim(dim, self.ndim)) * kept(grad, self._data.shape, dim, keepdim)


def _others_product(x: Tensor, dim: int) -> Tensor:
    """For each element the product of all others along `dim`: the running product from the left times that from the
    right."""
    ones = x.narrow(dim, 0, 1) * 0 + 1
    n = x.shape[dim]
    before = F["cat"]([ones, x.narrow(dim, 0, n - 1)], dim).cumprod(dim)
    after = F["cat"]([x.narrow(dim, 1, n - 1), ones], dim).flip(dim).cumprod(dim).flip(dim)
    return (before * after).conj()


PROD = op(
    "prod",
    "self",
    lambda x: _prod(x),
    category="reductions",
    symbol="∏",
    latex=r"\prod_i x_i",
    brief="The product of all elements.",
    self=sentence(_OTHERS, lambda grad, self, result: _prod_grad(grad, self, result, None, False)),
)
PROD_DIM = op(
    "prod",
    "self",
    _prod,
    key="prod_dim",
    number=1,
    category="reductions",
    symbol="∏",
    latex=r"\prod_i x_i",
    brief="The product over a dimension.",
    self=sentence(_OTHERS, _prod_grad),
)


@api("prod")
@along("prod", _ALONE, _ALONG.format("int"))
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """The product of all elements, or over `dim`."""
    return call_in(PROD, input, dtype) if dim is None else call_in(PROD_DIM, input, dtype, dim=dim, keepdim=keepdim)


# --- extrema ---


def even_share(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """Share the gradient evenly among all places of one value, such as the largest; if it is NaN, among all NaN."""
    mask = self == result
    if result.dtype.rank > 1:
        mask = mask | ((self != self) & (result != result))
    return grad.new_zeros(self.shape).masked_fill(mask, grad / mask.sum())


def _amax_share(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    dims = None if dim == () else dim
    shape = self._data.shape
    mask = self == kept(result, shape, dims, keepdim)
    ties = mask.sum() if dims is None else mask.sum(dims, keepdim=True)
    return kept(grad, shape, dims, keepdim) * mask / ties


def _put_at(grad: Tensor, indices: Tensor, shape: tuple[int, ...], dim: int, keepdim: bool) -> Tensor:
    """A tensor of `shape` with the gradient at the chosen index along `dim`, 0 elsewhere."""
    if not shape:
        return grad
    if not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return grad.new_zeros(shape).scatter(dim, indices, grad)


@dataclass(frozen=True)
class _Extreme:
    """The largest or the smallest: name, NumPy's reduction and position."""

    name: str
    reduce: Any
    arg: Any

    def along(self, x: Array, *, dim: int, keepdim: bool = False) -> tuple[Array, ...]:
        """The extreme over one dimension and its position."""
        axis = wrap_dim(dim, x.ndim)
        if not x.ndim:
            return x.copy(), np.zeros((), np.int64)
        if not x.shape[axis]:
            raise IndexError(f"{self.name}(): Expected reduction dim {axis} to have non-zero size.")
        at = np.expand_dims(self.arg(x, axis=axis), axis)
        values = np.take_along_axis(x, at, axis)
        return (values, at) if keepdim else (values.squeeze(axis), at.squeeze(axis))

    def shared(self, x: Array, *, dim: Any = (), keepdim: bool = False) -> Any:
        """The extreme over dimensions."""
        return self.reduce(x, axis=axes_of(dim, x.ndim), keepdims=keepdim)

    def position(self, x: Array, *, dim: int | None = None, keepdim: bool = False) -> Array:
        """The position of the extreme."""
        return _position(x, self.arg, dim, keepdim, self.name)


def _extreme_rows(kind: _Extreme) -> tuple[OpRow, OpRow, OpRow, OpRow]:
    """Four rows: over all elements, over a dimension with its index, shared at ties, and the position."""
    name, latex = kind.name, rf"\{kind.name}_i x_i"
    word = "largest" if name == "max" else "smallest"
    place = f"grad at the {name}imum (shared equally at ties), 0 elsewhere"
    shown: dict[str, Any] = {"category": "reductions", "symbol": name, "latex": latex}
    whole = op(
        name, "self", lambda x: _need(x, name, kind.reduce), number=1, **shown,
        self=sentence(place, even_share),
        brief=f"The {word} element.",
        )  # fmt: skip
    pair = op(
        name, "self", kind.along, key=f"{name}_dim", outputs="values, indices", **shown,
        brief=f"The {word} elements along a dimension and where they are.",
        self=sentence(
            "grad at the chosen index, 0 elsewhere",
            lambda grad, indices, self_shape, dim, keepdim: _put_at(grad, indices, self_shape, dim, keepdim),
        ),
    )  # fmt: skip
    shared = op(
        f"a{name}",
        "self",
        kind.shared,
        **shown,
        brief=f"The {word} elements along dimensions; ties share the gradient.",
        self=sentence(place, _amax_share),
    )
    shown |= {"symbol": f"arg{name}", "latex": rf"\operatorname{{arg{name}}}_i x_i"}
    return whole, pair, shared, op(f"arg{name}", "self", kind.position, **shown, brief=f"Where the {word} element is.")


_EXTREME = (
    "(Tensor input, *, Tensor out = None)",
    "(Tensor input, Tensor other, *, Tensor out = None)",
    "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)",
)


def _extreme(name: str, reduce: object, arg: object) -> None:
    """The functions of one extreme."""
    whole, pair, shared, position = _extreme_rows(_Extreme(name, reduce, arg))

    @api(name)
    @along(name, *_EXTREME)
    def extreme(
        input: Tensor, dim: object = None, keepdim: bool = False, *, other: object = None, axis: object = None
    ) -> Named | Tensor:
        dim = axis if dim is None else dim
        if not isinstance(input, Tensor):
            _refuse_extreme(name, (input,) if dim is None else (input, dim))
        if other is not None or isinstance(dim, Tensor):
            return F[f"{name}imum"](input, dim if other is None else other)
        if dim is None:
            if input._data.size:
                check_kind(name, input.dtype)
            return call(whole, input)
        if input.dtype.is_complex:
            _check_extent(f"{name}()", input, dim, RuntimeError)
            raise RuntimeError(f"{name}(): does not support complex input")
        return return_type(name)(*call_all(pair, input, dim=dim, keepdim=keepdim))

    @api(f"a{name}")
    def shared_extreme(input: Tensor, dim: object = (), keepdim: bool = False) -> Tensor:
        along = _tuple(dim)
        if not input._data.size:
            _check_extent(f"a{name}()", input, along or None, RuntimeError)
        return call(shared, input, dim=along, keepdim=keepdim)

    @api(f"arg{name}")
    def where_extreme(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if input.dtype.rank == 0:
            raise RuntimeError(f"arg{name}(): does not support bool input")
        return call(position, input, dim=dim, keepdim=keepdim)


def _refuse_extreme(name: str, given: tuple[object, ...]) -> None:
    refuse(name, given, [((), each, -1) for each in _EXTREME])


def _check_extent(name: str, input: Tensor, dim: Any, error: type[Exception]) -> None:
    """Refuse to reduce dimensions without elements."""
    if dim is None:
        raise error(
            f"{name}: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    axes = axes_of(dim, input._data.ndim) or ()
    as_given = axes if name not in ("amax()", "amin()") else dim if isinstance(dim, (tuple, list)) else (dim,)
    for axis, shown in zip(axes, as_given, strict=False):
        if not input._data.shape[axis]:
            raise IndexError(f"{name}: Expected reduction dim {shown} to have non-zero size.")


def _need(x: Array, name: str, reduce: Kernel) -> Any:
    if not x.size:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            f"with the 'dim' argument."
        )
    return reduce(x)


def _position(x: Array, arg: Kernel, dim: int | None, keepdim: bool, name: str) -> Array:
    if not x.size and dim is None:
        raise IndexError(f"arg{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if dim is None:
        at = arg(x.reshape(-1), axis=0)
        return np.asarray(at, np.int64).reshape((1,) * x.ndim if keepdim else ())
    axis = wrap_dim(dim, x.ndim)
    if not x.ndim:
        return np.zeros((), np.int64)
    if not x.shape[axis]:
        raise IndexError(f"arg{name}(): Expected reduction dim {axis} to have non-zero size.")
    at = np.asarray(arg(x, axis=axis), np.int64)
    return np.expand_dims(at, axis) if keepdim else at


def _aminmax_grad(
    grads: Sequence[Tensor], self: Tensor, min: Tensor, max: Tensor, dim: object, keepdim: bool
) -> Tensor:
    parts = [
        _amax_share(g, self, r, () if dim is None else dim, keepdim)
        for g, r in zip(grads, (min, max), strict=True)
        if g is not None
    ]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


AMINMAX = op(
    "aminmax",
    "self",
    lambda x, *, dim=None, keepdim=False: (
        np.min(x, axis=dim, keepdims=keepdim),
        np.max(x, axis=dim, keepdims=keepdim),
    ),
    outputs="min, max",
    category="reductions",
    symbol="minmax",
    latex=r"(\min x, \max x)",
    brief="The smallest and the largest element.",
    self=sentence("both gradients at their places, shared at ties", _aminmax_grad),
)


@api("aminmax")
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Named:
    """The smallest and the largest element, of all or along `dim`."""
    if dim is None and not input._data.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if dim is not None:
        axis = wrap_dim(dim, input._data.ndim)
        if not input._data.size:
            _check_extent("aminmax", input, axis, RuntimeError)
        dim = axis if input._data.ndim else None
    return return_type("aminmax")(*call_all(AMINMAX, input, dim=dim, keepdim=keepdim))


_extreme("max", np.max, np.argmax)
_extreme("min", np.min, np.argmin)

ANY = op(
    "any",
    "self",
    lambda x, *, dim=None, keepdim=False: np.any(x, axis=axes_of(dim, x.ndim), keepdims=keepdim),
    category="reductions",
    symbol="any",
    latex=r"\exists_i x_i",
    brief="Whether any element is true.",
)
ALL = op(
    "all",
    "self",
    lambda x, *, dim=None, keepdim=False: np.all(x, axis=axes_of(dim, x.ndim), keepdims=keepdim),
    category="reductions",
    symbol="all",
    latex=r"\forall_i x_i",
    brief="Whether all elements are true.",
)


def _as_bytes(found: Tensor, input: Tensor) -> Tensor:
    """Bytes were once PyTorch's booleans, so for them the answer is in bytes."""
    return found.to(dtypes.uint8) if input.dtype is dtypes.uint8 else found


@api("any")
def any_(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true; along no dimension, whether each is."""
    if isinstance(dim, tuple | list) and not dim:
        return _as_bytes(F["ne"](input, 0), input)
    return _as_bytes(call(ANY, input, dim=dim, keepdim=keepdim), input)


@api("all")
def all_(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true; along no dimension, whether each is."""
    if isinstance(dim, tuple | list) and not dim:
        return _as_bytes(F["ne"](input, 0), input)
    return _as_bytes(call(ALL, input, dim=dim, keepdim=keepdim), input)


# --- spread ---


def _variance(x: Array, *, dim: Dim = None, correction: float = 1, keepdim: bool = False, root: bool = False) -> Any:
    axes = axes_of(dim, x.ndim)
    count = x.size if axes is None else math.prod(x.shape[a] for a in axes)
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)  # as PyTorch accumulates it
    with_mean = wide - np.true_divide(np.sum(wide, axis=axes, keepdims=True), count)  # np.mean warns of none
    squares = np.sum((with_mean * with_mean.conj()).real, axis=axes, keepdims=keepdim)
    found = np.true_divide(squares, max(0, count - correction))
    return (np.sqrt(found) if root else found).astype(x.real.dtype)


def _var_grad(grad: Tensor, self: Tensor, dim: Dim, correction: float, keepdim: bool) -> Tensor:
    shape = self._data.shape
    left = _count(shape, dim) - correction
    if left <= 0 and dim is None:
        return F["where"](grad == 0, math.nan, grad / 0.0 if self._data.size != 1 else math.nan).expand(shape)
    center = self - (self.mean() if dim is None else self.mean(dim, keepdim=True))
    return scaled(kept(grad, shape, dim, keepdim), 2.0 / left if left else math.inf) * center


VAR = op(
    "var",
    "self",
    _variance,
    category="reductions",
    symbol="var",
    latex=r"\frac{1}{n - 1}\sum_i (x_i - \bar{x})^2",
    brief="The variance.",
    self=expressed("grad * 2 * (self - mean) / (n - 1)", _var_grad),
)
STD = op(
    "std",
    "self",
    lambda x, **kw: _variance(x, **kw, root=True),
    category="reductions",
    symbol="std",
    latex=r"\sqrt{\frac{1}{n - 1}\sum_i (x_i - \bar{x})^2}",
    brief="The standard deviation.",
    self=expressed(
        "grad * (self - mean) / ((n - 1) * result)",
        lambda grad, self, result, dim, correction, keepdim: _var_grad(
            (grad / scaled(result, 2)).masked_fill(result == 0, 0), self, dim, correction, keepdim
        ),
    ),
)


def _warn_of_freedom(name: str, input: Tensor, dim: object, correction: float) -> None:
    if _count(input._data.shape, _tuple(dim)) - correction > 0:
        return
    for _ in range(2 if input.dtype.is_complex else 1):  # once for the real, once for the imaginary parts
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel). (Triggered internally at "
            "/__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp:1861.)",
            UserWarning,
            stacklevel=4,
        )


def _spread_over(dim: object, unbiased: object, correction: object) -> tuple[Any, Any, bool]:
    """The dimensions, the correction, and whether the call said anything of them."""
    given = dim is not UNSAID or unbiased is not None or correction is not None
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = (1 if unbiased is None or unbiased else 0) if correction is None else correction
    return None if dim is UNSAID else dim, correction.item() if isinstance(correction, Tensor) else correction, given


def _spread_of(row: OpRow, name: str) -> None:
    @api(name)
    def function(
        input: Tensor, dim: object = UNSAID, unbiased: object = None, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        dim, correction, given = _spread_over(dim, unbiased, correction)
        if input.dtype.rank < 2:
            raise RuntimeError("std and var only support floating point and complex dtypes")
        _warn_of_freedom(name, input, dim, correction)
        found = call(row, input, dim=_tuple(dim), correction=correction, keepdim=keepdim)
        return found if given else as_given(found, correction=None)


_spread_of(VAR, "var")
_spread_of(STD, "std")


def _var_mean_grad(grads: Any, self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    parts = []
    if grads[0] is not None:
        parts.append(_var_grad(grads[0], self, dim, correction, keepdim))
    if grads[1] is not None:
        parts.append(spread(grads[1], self._data.shape, dim, keepdim) / _count(self._data.shape, dim))
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _std_mean_grad(
    grads: Sequence[Tensor | None], self: Tensor, result0: Tensor, dim: object, correction: object, keepdim: bool
) -> Tensor:
    first = None if grads[0] is None else (grads[0] / scaled(result0, 2)).masked_fill(result0 == 0, 0)
    return _var_mean_grad([first, grads[1]], self, dim, correction, keepdim)


def _with_mean(name: str, variance: bool) -> None:
    """`var_mean` and `std_mean`: one node with two outputs."""

    def forward(x: Array, *, dim: Dim, correction: float, keepdim: bool) -> tuple[ArrayOrScalar, ...]:
        found = _variance(x, dim=dim, correction=correction, keepdim=keepdim, root=not variance)
        return found, _mean(x, dim=dim, keepdim=keepdim)

    row = op(
        name,
        "self",
        forward,
        outputs="result0, result1",
        category="reductions",
        symbol=name,
        latex=r"(\operatorname{var} x, \bar{x})" if variance else r"(\operatorname{std} x, \bar{x})",
        brief="The variance and the mean." if variance else "The standard deviation and the mean.",
        self=sentence("the gradients through both, added", _var_mean_grad if variance else _std_mean_grad),
    )

    @api(name, where="torch")
    def function(
        input: Tensor, dim: object = UNSAID, unbiased: object = None, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        dim, correction, given = _spread_over(dim, unbiased, correction)
        if input.dtype.rank < 2:
            raise RuntimeError(f"{name} only support floating point and complex dtypes")
        _warn_of_freedom(name, input, dim, correction)
        found = call_all(row, input, dim=_tuple(dim), correction=correction, keepdim=keepdim)
        return found if given else as_given(found, correction=None)


_with_mean("var_mean", True)
_with_mean("std_mean", False)


# --- norms ---


def norm_forward(x: Array, *, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    axes = axes_of(dim, x.ndim)
    size = np.abs(x)
    if x.dtype.itemsize == 2:  # half types are added up in single precision
        return norm_forward(size.astype(np.float32), ord=ord, dim=dim, keepdim=keepdim).astype(x.dtype)
    if ord == math.inf:
        return np.max(size, axis=axes, keepdims=keepdim)
    if ord == -math.inf:
        return np.min(size, axis=axes, keepdims=keepdim)
    if ord == 0:
        return np.sum(size != 0, axis=axes, keepdims=keepdim).astype(size.dtype)
    if ord == 2:
        return np.sqrt(sums.squares(size, axes, keepdim)).astype(size.dtype)
    powers = np.sum(size if ord == 1 else size**ord, axis=axes, keepdims=keepdim)
    return (powers if ord == 1 else powers ** (1.0 / ord)).astype(size.dtype)


def norm_gradient(grad: Tensor, self: Tensor, result: Tensor, ord: Any, dim: Any, keepdim: bool) -> Tensor:
    shape = self._data.shape
    grad, norm = kept(grad, shape, dim, keepdim), kept(result, shape, dim, keepdim)
    if ord == 0:
        return grad.new_zeros(shape)
    if ord == 1:
        return self.sgn() * grad
    if ord == 2:
        return grad * (self / norm).masked_fill(norm == 0, 0)
    if math.isinf(ord):
        mask = self.abs() == norm
        ties = mask.sum() if dim is None else mask.sum(dim, keepdim=True)
        return self.sgn() * (grad / ties) * mask
    size = self.abs()
    scale = grad / F["pow"](norm, ord - 1)
    if ord < 2:
        powered = self.sgn() * F["pow"](size, ord - 1).masked_fill(self == 0, 0)
    else:
        powered = self * F["pow"](size, ord - 2)
    return powered * scale.masked_fill(norm == 0, 0)


NORM = op(
    "linalg_vector_norm",
    "self",
    norm_forward,
    category="reductions",
    symbol="‖x‖",
    latex=r"\|x\|_p",
    brief="The vector norm.",
    self=expressed("grad * self * abs(self) ** (ord - 2) / result ** (ord - 1)", norm_gradient),
)


@api("vector_norm", where="linalg")
def vector_norm(
    x: Tensor, ord: object = 2, dim: object = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """The vector norm of all elements, or over `dim`."""
    check_norm_type("linalg.vector_norm", x.dtype, dtype)
    return call_in(NORM, x, dtype, ord=ord, dim=_tuple(dim), keepdim=keepdim)


@api("norm")
def norm(
    input: Tensor, p: object = "fro", dim: object = None, keepdim: bool = False, dtype: dtypes.dtype | None = None
) -> Tensor:
    """The norm of all elements, or over `dim`."""
    if p == "nuc":
        return LINALG["matrix_norm"](input, "nuc", dim or (-2, -1), keepdim)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


# --- exponentials ---


def _logsumexp(x: Array, *, dim: Dim, keepdim: bool = False) -> Any:
    axes = axes_of(dim, x.ndim)
    if not x.size:
        return np.full(np.sum(x, axis=axes, keepdims=keepdim).shape, -math.inf, x.dtype)
    top = np.max(x.real if x.dtype.kind == "c" else x, axis=axes, keepdims=True)
    top = np.where(np.isinf(top), 0, top).astype(x.dtype)
    logs = functions.log(total(functions.exp(x - top), axes, keepdim))
    return (logs + (top if keepdim else np.squeeze(top, axes))).astype(x.dtype)


LOGSUMEXP = op(
    "logsumexp",
    "self",
    _logsumexp,
    category="reductions",
    symbol="lse",
    latex=r"\ln \sum_i e^{x_i}",
    brief="The logarithm of the sum of exponentials.",
    self="kept(grad, self_shape, dim, keepdim) * conj(exp(self - kept(result, self_shape, dim, keepdim)))",
)


@api("logsumexp")
def logsumexp(input: Tensor, dim: object, keepdim: bool = False) -> Tensor:
    """log(sum(exp(x))) over `dim`, without overflow."""
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' must be tuple of ints, not NoneType")
    if not (keepdim or _tuple(dim)) and (n := input._data.ndim) and input._data.size:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * n}")
    input = input if input.dtype.rank >= 2 else input.to(dtypes.get_default_dtype())
    return call(LOGSUMEXP, input, dim=_tuple(dim), keepdim=keepdim)


def _softmax(x: Array, *, dim: int) -> Array:
    axis = wrap_dim(dim, x.ndim)
    if not x.ndim:
        return np.ones_like(x)
    wide = _wide(x)
    e = functions.exp(wide - np.max(wide, axis=axis, keepdims=True)) if x.size else wide
    whole = sums.exponentials(e, axis)
    if axis == x.ndim - 1:
        return (e * (1 / whole)).astype(x.dtype)
    return (e.astype(x.dtype).astype(wide.dtype) / whole).astype(x.dtype)  # half types are kept in between


def _log_softmax(x: Array, *, dim: int) -> Any:
    axis = wrap_dim(dim, x.ndim)
    if not x.ndim:
        return np.zeros_like(x)
    wide = _wide(x)
    shifted = wide - np.max(wide, axis=axis, keepdims=True) if x.size else wide
    whole = sums.exponentials(functions.exp(shifted), axis)
    kept = x.dtype if axis == x.ndim - 1 else wide.dtype  # half types are kept in between
    log = functions.log(whole.astype(kept).astype(wide.dtype)).astype(kept)
    return (shifted - log.astype(wide.dtype)).astype(x.dtype)


def _wide(x: Array) -> Array:
    """Row by row, like PyTorch's result, whatever the order of the input; half types as float32."""
    return np.asarray(x, np.float32 if x.dtype.itemsize == 2 else x.dtype, order="C")


SOFTMAX = op(
    "softmax",
    "self",
    _softmax,
    category="activations",
    layout="rows",
    symbol="softmax",
    latex=r"e^{x_i} / \sum_j e^{x_j}",
    brief="Exponentials that sum to 1.",
    self="softmax_backward(grad, result, dim)",
)
LOG_SOFTMAX = op(
    "log_softmax",
    "self",
    _log_softmax,
    category="activations",
    layout="rows",
    symbol="logsoftmax",
    latex=r"x_i - \ln \sum_j e^{x_j}",
    brief="The logarithm of softmax.",
    self="log_softmax_backward(grad, result, dim)",
)


def _soft(row: OpRow) -> Any:
    def function(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
        input = input if dtype is None else input.to(dtype)
        if input.dtype.rank != 2 and input._data.size:
            last = "_lastdim" if wrap_dim(dim, input._data.ndim) == max(input._data.ndim - 1, 0) else ""
            raise NotImplementedError(f"\"{row.name}{last}_kernel_impl\" not implemented for '{input.dtype.title}'")
        return call(row, input, dim=dim)

    def functional(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
        axis = _implicit_dim(row.name, input.dim()) if dim is None else dim
        found: Tensor = getattr(input, row.name)(axis, dtype=dtype)
        return found

    functional.__qualname__ = functional.__name__ = row.name
    api(row.name, where="F")(functional)
    return api(row.name)(function)


def _implicit_dim(name: str, ndim: int) -> int:
    import warnings

    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=5,
    )
    return 0 if ndim in (0, 1, 3) else 1


_soft(SOFTMAX)
_soft(LOG_SOFTMAX)


@api("softmin", where="F")
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtypes.dtype | None = None) -> Tensor:
    """Softmax of the negative."""
    axis = _implicit_dim("softmin", input.dim()) if dim is None else dim
    return FUNCTIONAL["softmax"](-input, axis, dtype=dtype)


@api("count_nonzero")
def count_nonzero(input: Tensor, dim: Dim = None) -> Tensor:
    """How many elements are not zero."""
    counted = np.count_nonzero(input._data, axis=axes_of(dim, input._data.ndim))
    return wrap(np.asarray(counted, np.int64, order="C"))
