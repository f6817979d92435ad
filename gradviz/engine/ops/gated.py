"""Activations with parameters, halves or randomness: prelu, rrelu, glu, gumbel_softmax, and dropout in all its
forms."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import expressed, jointly, sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import distributions
from gradviz.engine.numerics.functions import chosen
from gradviz.engine.ops import draw
from gradviz.engine.ops.arithmetic import ADD, MUL
from gradviz.engine.ops.neural import in_single, need_floats, need_tensor, one_gradient
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call
from gradviz.engine.run.inplace import write

F = FUNCTIONS

# --- prelu ---


def _prelu_gradients(
    grad: Tensor, self: Tensor, weight: Tensor, wanted: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None]:
    return (
        F["where"](self > 0, grad, grad * weight) if wanted[0] else None,
        F["where"](self > 0, 0.0, grad * self) if wanted[1] else None,
    )


_prelu_backward = one_gradient(
    "_prelu_kernel_backward",
    "grad_output, self, weight",
    "",
    _prelu_gradients,
    symbol="prelu",
    node="PreluKernelBackwardBackward0",
)
PRELU = op(
    "_prelu_kernel",
    "self, weight",
    in_single(lambda x, w: chosen(x > 0, x, x * w)),
    node="PreluKernelBackward0",
    category="activations",
    symbol="prelu",
    latex=r"\max(x, 0) + w \min(x, 0)",
    brief="Negative elements are scaled by a parameter.",
    joint=jointly(
        lambda grads, self, weight, needs: _prelu_backward(grads[0], self, weight, needs),
        formulas={"self": "where(self > 0, grad, grad * weight)", "weight": "where(self <= 0, grad * self, 0)"},
    ),
)


@api("prelu", where="torch method F")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, weight · x elsewhere; one weight, or one for each channel."""
    need_tensor(input, "prelu")
    need_tensor(weight, "prelu", "weight", 2)
    if input.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype.title} and {weight.dtype.title}")
    count, shape = weight._data.size, input._data.shape
    if count != 1:
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = shape[1] if len(shape) > 1 else 1
        if channels != count:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and "
                f"channel size = {channels}."
            )
    if weight._data.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight._data.ndim}")
    need_floats(input, "prelu_cpu")
    if weight._data.ndim != len(shape):
        sizes = [1] * len(shape)
        if len(shape) > 1:
            sizes[1] = count
        weight = weight.view(sizes) if weight._data.flags.c_contiguous else weight.reshape(sizes)
    return call(PRELU, input, weight)


# --- rrelu ---


def _rrelu(x: Array, noise: Array, *, lower: float, upper: float, training: bool) -> Array:
    if training:
        return (x * noise).astype(x.dtype)
    return chosen(x > 0, x, x * ((lower + upper) / 2)).astype(x.dtype)


def _rrelu_slope(g: Array, x: Array, noise: Array, *, lower: float, upper: float, training: bool) -> Array:
    if training and upper - lower > 1e-6:
        return (g * noise).astype(g.dtype)
    return chosen(x > 0, g, g * ((lower + upper) / 2)).astype(g.dtype)


def _rrelu_grad(grad: Tensor, at: Tensor, noise: Tensor, lower: float, upper: float, training: bool) -> Tensor:
    return call(RRELU_BACKWARD, grad, at, noise, lower=lower, upper=upper, training=training)


RRELU_BACKWARD: OpRow = op(
    "rrelu_with_noise_backward",
    "grad_output, self, noise",
    in_single(_rrelu_slope),
    category="activations",
    symbol="rrelu′",
    latex=r"g \cdot r",
    brief="The gradient through rrelu.",
    grad_output=expressed(
        "grad * noise",
        lambda grad, self, noise, lower, upper, training: _rrelu_grad(grad, self, noise, lower, upper, training),
    ),
    self="zero(grad)",
)


def _rrelu_row(key: str, number: int, gradient: Any) -> OpRow:
    return op(
        "rrelu_with_noise",
        "self, noise",
        in_single(_rrelu),
        key=key,
        number=number,
        category="activations",
        layout="rows",
        symbol="rrelu",
        latex=r"\max(x, 0) + r \min(x, 0)",
        brief="Negative elements are scaled by a random number.",
        self=expressed("grad * noise", gradient),
    )


RRELU = _rrelu_row(
    "rrelu_with_noise",
    0,
    lambda grad, self, noise, lower, upper, training: _rrelu_grad(grad, self, noise, lower, upper, training),
)
RRELU_ = _rrelu_row(
    "rrelu_with_noise_",
    1,
    lambda grad, result, noise, lower, upper, training: _rrelu_grad(grad, result, noise, lower, upper, training),
)


@api("rrelu", where="torch F")
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    *,
    generator: None = None,
) -> Tensor:
    """x where positive; elsewhere times a random number from [lower, upper], their mean when not training."""
    need_tensor(input, "rrelu")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    need_floats(input, "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu")
    x = input._data
    noise = np.zeros_like(x)
    if training:
        noise = np.ones_like(x)
        negative = x <= 0
        drawn = distributions.uniform(draw.generator, (int(negative.sum()),), lower, upper, np.float64)
        noise[negative] = drawn.astype(x.dtype)
    params = {"lower": lower, "upper": upper, "training": training}
    if inplace:
        return write(input, RRELU_, (input, wrap(noise)), (x, noise), params)
    return call(RRELU, input, wrap(noise), **params)


api("rrelu_", where="torch F")(
    lambda input, lower=1 / 8, upper=1 / 3, training=False, generator=None: rrelu(input, lower, upper, training, True)
)

# --- glu ---


def _glu(x: Array, *, dim: int) -> Any:
    first, second = np.split(x, 2, axis=dim)
    return (first / (1 + np.exp(-second))).astype(x.dtype)


def _glu_gradient(grad: Tensor, self: Tensor, wanted: object, dim: int) -> tuple[Tensor]:
    first, second = self.chunk(2, dim)
    gate = second.sigmoid()
    return (F["cat"]([grad * gate, grad * first * gate * (1 - gate)], dim),)


_glu_backward = one_gradient("glu_backward", "grad_output, self", "dim", _glu_gradient, symbol="glu")
GLU = op(
    "glu",
    "self",
    in_single(_glu),
    category="activations",
    layout="operands",
    symbol="glu",
    latex=r"a \sigma(b)",
    brief="One half times the sigmoid of the other.",
    self=sentence(
        "[grad · σ(b), grad · a · σ(b) · (1 − σ(b))], a and b the halves of self",
        lambda grad, self, dim: _glu_backward(grad, self, (True,), dim)[0],
    ),
)


@api("glu", where="F")
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim` times the sigmoid of the second."""
    need_tensor(input, "glu")
    if not input._data.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = wrap_dim(dim, input._data.ndim)
    if input._data.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {input._data.shape[axis]}")
    need_floats(input, "glu_cpu")
    return call(GLU, input, dim=dim)


@api("gumbel_softmax", where="F")
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample near a corner of the simplex; with `hard`, at the corner, with the gradient of the soft one."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    if not isinstance(logits, Tensor):
        raise TypeError(f"empty_like(): argument 'input' (position 1) must be Tensor, not {type(logits).__name__}")
    drawn = distributions.exponential(draw.generator, logits._data.shape, 1.0, logits._data.dtype)
    gumbels = (logits + wrap(-np.log(drawn))) / tau
    soft = F["softmax"](gumbels, dim)
    if not hard:
        return soft
    index = F["argmax"](soft, dim, keepdim=True)
    corner = F["scatter"](F["zeros_like"](logits), dim, index, 1.0)
    return corner - soft.detach() + soft


# --- dropout ---


def _need_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _multiplied(input: Tensor, factor: Tensor, inplace: bool) -> Tensor:
    if inplace:
        return write(input, MUL, (input, factor), (input._data, factor._data), {})
    return call(MUL, input, factor)


def _dropped(input: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...]) -> Tensor:
    """The input times a random mask of `shape`; the input itself if there is nothing to drop."""
    if not training or p == 0 or not input._data.size:
        return input
    if p == 1:
        return _multiplied(input, wrap(np.zeros((), input._data.dtype)), inplace)
    if input.dtype.rank < 2:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.title}")
    if input.dtype.is_complex:
        raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{input.dtype.title}'")
    kind = input._data.dtype
    if shape == input._data.shape:
        mask = draw.drawn_like(
            input._data, kind, lambda sizes, _: distributions.dropout_mask(draw.generator, sizes, p, kind), None
        )
    else:
        mask = distributions.dropout_mask(draw.generator, shape, p, kind)
    factors = wrap(mask)
    factors._on_meta = input._on_meta
    return _multiplied(input, factors, inplace)


@api("dropout", where="F")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training each element is 0 with probability p, otherwise divided by 1 − p; outside training the input
    itself."""
    _need_probability(p)
    need_tensor(input, "dropout")
    return _dropped(input, p, training, inplace, input._data.shape)


def _channels(input: Tensor) -> tuple[int, ...]:
    shape = input._data.shape
    if len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*shape[:2], *(1,) * (len(shape) - 2))


@api("dropout1d", where="F")
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, L) or (C, L)."""
    _need_probability(p)
    ndim = input._data.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to "
            f"provide channel-wise "
            "dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension (i.e. "
            "2D or 3D inputs)."
        )
    if ndim == 2:
        input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    made = _dropped(input, p, training, inplace, _channels(input))
    if ndim == 2:
        made = made.squeeze_(0) if inplace else made.squeeze(0)
    return made


@api("dropout2d", where="F")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, H, W)."""
    _need_probability(p)
    ndim = input._data.ndim
    if ndim not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated and will result in an error in "
            f"a future release. "
            "To retain the behavior and silence this warning, please use dropout instead. Note that dropout2d exists "
            "to provide "
            "channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an optional batch "
            "dimension "
            "(i.e. 3D or 4D inputs).",
            stacklevel=2,
        )
    if ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is "
            "interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future "
            "release to interpret "
            "the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, "
            "please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _dropped(input, p, training, inplace, _channels(input))


@api("dropout3d", where="F")
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    _need_probability(p)
    ndim = input._data.ndim
    if ndim not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {ndim}-D input to dropout3d, which is deprecated and will result in an error in "
            f"a future release. "
            "To retain the behavior and silence this warning, please use dropout instead. Note that dropout3d exists "
            "to provide "
            "channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an optional batch "
            "dimension "
            "(i.e. 4D or 5D inputs).",
            stacklevel=2,
        )
    if ndim == 5:
        return _dropped(input, p, training, inplace, _channels(input))
    whole = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    made = _dropped(whole, p, training, inplace, _channels(whole))
    return made.squeeze_(0) if inplace else made.squeeze(0)


_ALPHA = 1.7580993408473766  # −scale · α of selu: the limit of its lower branch


def _alpha_dropped(input: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...]) -> Tensor:
    """Dropout to selu's saturation value, with mean and variance kept."""
    if not training or p == 0 or not input._data.size:
        return input
    if p == 1:
        return _multiplied(input, wrap(np.zeros((), input._data.dtype)), inplace)
    if input.dtype.rank < 2:
        kind = "Long" if input.dtype.rank == 0 else input.dtype.title
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    kept = distributions.bernoulli_scalar(draw.generator, shape, 1 - p, input._data.dtype)
    kind = kept.dtype.type
    a = 1.0 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = (kept - kind(1)) * kind(_ALPHA * a) + kind(_ALPHA * a * p)
    scaled = _multiplied(input, wrap(kept * kind(a)), inplace)
    other = wrap(np.asarray(shift))
    if inplace:
        return write(scaled, ADD, (scaled, other), (scaled._data, other._data), {"alpha": 1})
    return call(ADD, scaled, other, alpha=1)


@api("alpha_dropout", where="F")
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of selu activations."""
    _need_probability(p)
    return _alpha_dropped(input, p, training, inplace, input._data.shape)


@api("feature_alpha_dropout", where="F")
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _need_probability(p)
    return _alpha_dropped(input, p, training, inplace, _channels(input) if training and 0 < p < 1 else ())


def _feature_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    return _dropped(input, p, training, inplace, _channels(input) if training and 0 < p < 1 else ())


def _in_c(fn: Callable[..., Tensor], input: Tensor, p: float, train: bool, inplace: bool) -> Tensor:
    if p < 0.0 or p > 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    return fn(input, p, train, inplace)


for _name, _fn in (
    ("dropout", dropout),
    ("alpha_dropout", alpha_dropout),
    ("feature_dropout", _feature_dropout),
    ("feature_alpha_dropout", feature_alpha_dropout),
):
    api(_name, where="torch")(lambda input, p, train, fn=_fn: _in_c(fn, input, p, train, False))
    api(f"{_name}_", where="torch")(lambda input, p, train, fn=_fn: _in_c(fn, input, p, train, True))
