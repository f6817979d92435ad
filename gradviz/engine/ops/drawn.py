"""Random numbers whose parameters may require a gradient: bernoulli, poisson, binomial, normal and gamma. The numbers
are drawn in `distributions.py` and `rejection.py` and come to the row as its second operand; the gradient is zero where
the values are counted, and follows the distribution function for gamma. In-place draws are in `draw.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import distributions, draw, rejection
from gradviz.engine.api import api
from gradviz.engine.apply import call
from gradviz.engine.creation import made
from gradviz.engine.formula import Rule, sentence
from gradviz.engine.rows import OpRow, op
from gradviz.engine.tensor import Tensor, wrap

_TITLES = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}


def _row(name: str, brief: str, gradient: str | Rule, **options: Any) -> OpRow:
    return op(
        name,
        "self, noise",
        lambda x, noise: noise,
        category="random",
        symbol=name.strip("_"),
        latex=r"X \sim \mathrm{" + name.strip("_").replace("_", " ") + "}(x)",
        brief=brief,
        self=gradient,
        **options,
    )


BERNOULLI = _row("bernoulli", "Ones with the given probabilities, else zeros.", "zero(grad)")
POISSON = _row("poisson", "Counts with the given rates.", "zero(grad)")
NORMAL = [
    _row("normal", "Normal numbers around the given means.", "zero(grad)", key=f"normal_{n}", number=n) for n in (1, 2)
]
NORMAL_BOTH = op(
    "normal",
    "mean, std, noise",
    lambda mean, std, noise: noise,
    key="normal_3",
    number=3,
    category="random",
    symbol="normal",
    latex=r"X \sim \mathcal{N}(\mu, \sigma^2)",
    brief="Normal numbers with the given means and deviations.",
    mean="zero(grad)",
    std="zero(grad)",
)
GAMMA_SLOPE = op(
    "_standard_gamma_grad",
    "self, output",
    rejection.gamma_slope,
    category="random",
    symbol="dX/dα",
    latex=r"-\frac{\partial F(x; \alpha)}{\partial \alpha} / p(x; \alpha)",
    brief="How a gamma number follows its shape parameter.",
)
STANDARD_GAMMA = _row(
    "_standard_gamma",
    "Gamma numbers with the given shape parameters and rate one.",
    sentence("grad · (−∂F/∂α ÷ p)(result)", lambda grad, self, result: grad * call(GAMMA_SLOPE, self, result)),
    node="StandardGammaBackward0",
)


def _result(row: OpRow, input: Tensor, drawn: Any) -> Any:
    """A new tensor, which has a history only where the parameter has one."""
    return call(row, input, wrap(drawn)) if input.requires_grad else made(drawn)


def _require_float(input: Tensor, kernel: str) -> None:
    if input._data.dtype.kind in "biu":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{_TITLES[input._data.dtype.name]}'")


@api("bernoulli", where="torch method")
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None) -> Any:
    """Ones with the probabilities given, else zeros."""
    data, source = input._data, draw.source_of(generator)
    if p is not None:
        return _result(BERNOULLI, input, distributions.bernoulli_scalar(source, data.shape, p, data.dtype))
    return _result(BERNOULLI, input, distributions.bernoulli(source, data))


@api("poisson", where="torch")
def poisson(input: Tensor, generator: Any = None) -> Any:
    """Counts with the rates given."""
    _require_float(input, "poisson_cpu")
    return _result(POISSON, input, rejection.poisson(draw.source_of(generator), input._data))


@api("binomial", where="torch")
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Any:
    """How many of `count` trials succeed, each with probability `prob`."""
    for name, each in (("count", count), ("prob", prob)):
        if each._data.dtype.kind in "biu":
            title = _TITLES[each._data.dtype.name]
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {title}")
    counts, probs = np.broadcast_arrays(count._data, prob._data)
    return made(rejection.binomial(draw.source_of(generator), counts, probs))


@api("_standard_gamma", where="torch")
def standard_gamma(input: Tensor, generator: Any = None) -> Any:
    """Gamma numbers with the shape parameters given."""
    return _result(STANDARD_GAMMA, input, rejection.standard_gamma(draw.source_of(generator), input._data))


@api("_sample_dirichlet", where="torch")
def sample_dirichlet(input: Tensor, generator: Any = None) -> Any:
    """Parts of one, drawn with the concentrations given; without a history."""
    return made(rejection.dirichlet(draw.source_of(generator), input._data))


@api("_dirichlet_grad", where="torch")
def dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Any:
    """How a part follows its concentration."""
    return made(rejection.beta_slope(x._data, alpha._data, np.broadcast_to(total._data, alpha._data.shape)))


def drawn_normal(mean: Any, std: Any, drawn: Any) -> Any:
    """`torch.normal` with tensors: a node where one of them has a history."""
    tracked = [isinstance(each, Tensor) and each.requires_grad for each in (mean, std)]
    if not any(tracked):
        return made(drawn)
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        return call(NORMAL_BOTH, mean, std, wrap(drawn))
    which = 0 if isinstance(mean, Tensor) else 1
    return call(NORMAL[which], (mean, std)[which], wrap(drawn))
