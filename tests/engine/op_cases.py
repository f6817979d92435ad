"""The operations to compare with PyTorch: one row per case, as a function of tensors, with what to feed it.

`cases(torch)` builds the table over the `torch` that it is given: the recorder over the real one, the tests over ours.
A row is a name, a function and its inputs. Differentiable inputs are compared in their first and second gradients.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Feed:
    """One input: its kind decides the range of its values and whether it is differentiable."""

    kind: str
    shape: tuple[int, ...]
    high: int = 0

    @property
    def differentiable(self) -> bool:
        return self.kind not in ("index", "mask", "constant")

    def values(self, seed: int) -> Any:
        """The numbers, in three decimals so that both precisions hold almost the same ones."""
        random = np.random.RandomState(seed)
        if self.kind == "index":
            return random.randint(0, self.high, self.shape).tolist()
        if self.kind == "mask":
            return (random.rand(*self.shape) > 0.5).tolist()
        ranges = {"positive": (0.3, 2.0), "unit": (-0.9, 0.9), "probability": (0.05, 0.95)}
        drawn = random.uniform(*ranges.get(self.kind, (-2.0, 2.0)), self.shape)
        return np.round(drawn, 3).tolist()


@dataclass(frozen=True)
class Case:
    """One operation on given inputs."""

    name: str
    run: Callable[..., Any]
    inputs: tuple[Feed, ...]

    def values(self) -> list[Any]:
        return [feed.values(zlib.crc32(f"{self.name}/{i}".encode())) for i, feed in enumerate(self.inputs)]


def real(*shape: int) -> Feed:
    return Feed("real", shape)


def positive(*shape: int) -> Feed:
    return Feed("positive", shape)


def unit(*shape: int) -> Feed:
    return Feed("unit", shape)


def probability(*shape: int) -> Feed:
    return Feed("probability", shape)


def constant(*shape: int) -> Feed:
    return Feed("constant", shape)


def mask(*shape: int) -> Feed:
    return Feed("mask", shape)


def index(high: int, *shape: int) -> Feed:
    return Feed("index", shape, high)


class Late:
    """A name under `torch` that is looked up when it is called: a missing one fails its own case and no other."""

    def __init__(self, module: Any, path: tuple[str, ...] = ()) -> None:
        self._module, self._path = module, path

    def __getattr__(self, name: str) -> Late:
        return Late(self._module, (*self._path, name))

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return functools.reduce(getattr, self._path, self._module)(*arguments, **keywords)


X, P, U = real(2, 3), positive(2, 3), unit(2, 3)
Row = tuple[Any, ...]


def arithmetic(torch: Any) -> Iterator[Row]:
    yield "add", lambda x, y: x + y, X, real(2, 3)
    yield "add_broadcast", lambda x, y: x + y, X, real(3)
    yield "add_number", lambda x: x + 1, X
    yield "radd", lambda x: 1 + x, X
    yield "add_alpha", lambda x, y: torch.add(x, y, alpha=3), X, real(2, 3)
    yield "add_constant", lambda x, c: x + c, X, constant(2, 3)
    yield "sub", lambda x, y: x - y, X, real(2, 3)
    yield "sub_number", lambda x: x - 1, X
    yield "rsub", lambda x: 1 - x, X
    yield "sub_alpha", lambda x, y: torch.sub(x, y, alpha=2), X, real(2, 3)
    yield "mul", lambda x, y: x * y, X, real(2, 3)
    yield "mul_broadcast", lambda x, y: x * y, real(2, 1), real(3)
    yield "mul_number", lambda x: x * 2, X
    yield "rmul", lambda x: 2 * x, X
    yield "mul_constant", lambda x, c: x * c, X, constant(2, 3)
    yield "mul_same", lambda x: x * x, X
    yield "mul_scalar_tensor", lambda x, s: x * s, X, real()
    yield "div", lambda x, y: x / y, X, P
    yield "div_number", lambda x: x / 2, X
    yield "rdiv", lambda x: 2 / x, P
    yield "div_floor", lambda x: torch.div(x, 0.7, rounding_mode="floor"), X
    yield "div_trunc", lambda x: torch.div(x, 0.7, rounding_mode="trunc"), X
    yield "floordiv", lambda c: c // 0.7, constant(2, 3)
    yield "remainder", lambda x: x % 0.7, X
    yield "fmod", lambda x: torch.fmod(x, 0.7), X
    yield "pow2", lambda x: x**2, X
    yield "pow3", lambda x: x.pow(3), X
    yield "pow1", lambda x: x**1, X
    yield "pow0", lambda x: x**0, X
    yield "pow_half", lambda x: x**0.5, P
    yield "pow_negative", lambda x: x**-1, P
    yield "pow_tensor", lambda x, y: x**y, P, real(2, 3)
    yield "rpow", lambda x: 2**x, X
    yield "square", lambda x: x.square(), X
    yield "neg", lambda x: -x, X
    yield "abs", lambda x: abs(x), X
    yield "reciprocal", lambda x: x.reciprocal(), P
    yield "addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.5), X, real(2, 3), real(2, 3)
    yield "addcdiv", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), X, real(2, 3), P
    yield "lerp", lambda x, y: torch.lerp(x, y, 0.3), X, real(2, 3)
    yield "lerp_tensor", lambda x, y, w: torch.lerp(x, y, w), X, real(2, 3), probability(2, 3)


def functions(torch: Any) -> Iterator[Row]:
    for name in ("exp", "sin", "cos", "tanh", "sigmoid", "relu", "sinh", "cosh", "atan", "asinh"):
        yield name, getattr(torch, name), X
    for name in ("expm1", "erf", "exp2", "sign", "trunc"):
        yield name, getattr(torch, name), X
    for name in ("log", "sqrt", "rsqrt", "log2", "log10", "log1p", "lgamma", "digamma", "floor", "ceil"):
        yield name, getattr(torch, name), P
    for name in ("round", "frac"):
        yield name, getattr(torch, name), P
    for name in ("tan", "asin", "acos", "atanh", "erfinv"):
        yield name, getattr(torch, name), U
    yield "erfc", torch.erfc, X
    yield "logit", torch.logit, probability(2, 3)
    yield "sinc", torch.sinc, X
    yield "atan2", torch.atan2, X, P
    yield "hypot", torch.hypot, P, positive(2, 3)
    yield "xlogy", torch.xlogy, X, P
    yield "logaddexp", torch.logaddexp, X, real(2, 3)
    yield "clamp_min", lambda x: x.clamp(min=0), X
    yield "clamp_max", lambda x: x.clamp(max=0.5), X
    yield "clamp_both", lambda x: torch.clamp(x, -0.5, 0.5), X
    yield "clamp_tensors", lambda x, a, b: torch.clamp(x, a, b), X, constant(2, 3), constant(2, 3)
    yield "maximum", torch.maximum, X, real(2, 3)
    yield "minimum", torch.minimum, X, real(2, 3)
    yield "max_other", lambda x, y: torch.max(x, y), X, real(2, 3)
    yield "fmax", torch.fmax, X, real(2, 3)
    yield "where", torch.where, mask(2, 3), X, real(2, 3)
    yield "where_number", lambda m, x: torch.where(m, x, 0.0), mask(2, 3), X
    yield "masked_fill", lambda x, m: x.masked_fill(m, 7.0), X, mask(2, 3)
    yield "nan_to_num", torch.nan_to_num, X
    yield "heaviside", lambda x, c: torch.heaviside(x, c), constant(2, 3), constant(2, 3)
    yield "clone", lambda x: x.clone(), X
    yield "detach_product", lambda x: x.detach() * x, X
    yield "to_other", lambda x: x.bfloat16(), X
    yield "to_half", lambda x: x.half(), X
    yield "same_type", lambda x: x.to(x.dtype) * 1, X


def comparisons(torch: Any) -> Iterator[Row]:
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        yield name, getattr(torch, name), X, real(2, 3)
    for name in ("logical_and", "logical_or", "logical_xor"):
        yield name, getattr(torch, name), X, real(2, 3)
    for name in ("logical_not", "isnan", "isinf", "isfinite"):
        yield name, getattr(torch, name), X
    yield "any", lambda m: m.any(), mask(2, 3)
    yield "all_dim", lambda m: m.all(1), mask(2, 3)
    yield "bitwise_and", lambda a, b: a & b, mask(2, 3), mask(2, 3)
    yield "bitwise_or", lambda a, b: a | b, index(9, 3), index(9, 3)
    yield "bitwise_xor", lambda a, b: a ^ b, index(9, 3), index(9, 3)
    yield "invert", lambda a: ~a, mask(3)
    yield "argmax", lambda x: x.argmax(), X
    yield "argmin_dim", lambda x: x.argmin(1), X
    yield "argsort", lambda x: x.argsort(), X
    yield "nonzero", lambda m: m.nonzero(), mask(2, 3)
    yield "isclose", lambda x, y: torch.isclose(x, y), X, real(2, 3)
    yield "bincount", lambda i: torch.bincount(i), index(4, 6)
    yield "unique", lambda i: torch.unique(i), index(3, 6)
    yield "one_hot", lambda i: torch.nn.functional.one_hot(i, 4), index(4, 3)
    yield "count_nonzero", lambda m: torch.count_nonzero(m), mask(2, 3)
    yield "searchsorted", lambda c: torch.searchsorted(torch.arange(3.0).to(c.dtype), c), constant(3)


def reductions(torch: Any) -> Iterator[Row]:
    yield "sum", lambda x: x.sum(), X
    yield "sum_dim", lambda x: x.sum(0), X
    yield "sum_keepdim", lambda x: x.sum(1, keepdim=True), X
    yield "sum_dims", lambda x: x.sum((0, 2)), real(2, 3, 2)
    yield "mean", lambda x: x.mean(), X
    yield "mean_dim", lambda x: x.mean(1), X
    yield "mean_keepdim", lambda x: x.mean(-1, keepdim=True), X
    yield "nansum", lambda x: x.nansum(), X
    yield "prod", lambda x: x.prod(), P
    yield "prod_dim", lambda x: x.prod(1), P
    yield "max", lambda x: x.max(), X
    yield "max_dim", lambda x: x.max(1), X
    yield "min", lambda x: x.min(), X
    yield "min_dim", lambda x: x.min(0), X
    yield "amax", lambda x: x.amax(), X
    yield "amax_dim", lambda x: x.amax(1), X
    yield "amin", lambda x: x.amin(0), X
    yield "aminmax", lambda x: tuple(torch.aminmax(x)), X
    yield "median", lambda x: x.median(), X
    yield "median_dim", lambda x: x.median(1), X
    yield "mode", lambda x: x.mode(1), X
    yield "kthvalue", lambda x: x.kthvalue(2, 1), X
    yield "std", lambda x: x.std(), X
    yield "std_dim", lambda x: x.std(1), X
    yield "var", lambda x: x.var(), X
    yield "var_dim", lambda x: x.var(0, unbiased=False), X
    yield "var_keepdim", lambda x: x.var(1, keepdim=True), X
    yield "var_mean", lambda x: torch.var_mean(x, 1), X
    yield "std_mean", lambda x: torch.std_mean(x, 1), X
    yield "norm", lambda x: x.norm(), X
    yield "norm1", lambda x: x.norm(p=1), X
    yield "norm_inf", lambda x: x.norm(p=float("inf")), X
    yield "norm3_dim", lambda x: x.norm(p=3, dim=1), P
    yield "norm_dim", lambda x: x.norm(dim=1), X
    yield "norm_fro", lambda x: torch.norm(x, "fro"), X
    yield "linalg_norm", lambda x: torch.linalg.norm(x), X
    yield "vector_norm", lambda x: torch.linalg.vector_norm(x, dim=0), X
    yield "dist", torch.dist, X, real(2, 3)
    yield "logsumexp", lambda x: x.logsumexp(1), X
    yield "cumsum", lambda x: x.cumsum(1), X
    yield "cumprod", lambda x: x.cumprod(1), P
    yield "logcumsumexp", lambda x: x.logcumsumexp(1), X
    yield "cummax", lambda x: x.cummax(1), X
    yield "diff", lambda x: x.diff(), X
    yield "softmax", lambda x: x.softmax(1), X
    yield "softmax_dim0", lambda x: torch.softmax(x, 0), X
    yield "log_softmax", lambda x: x.log_softmax(1), X
    yield "sort", lambda x: x.sort(), X
    yield "sort_descending", lambda x: x.sort(0, descending=True), X
    yield "topk", lambda x: x.topk(2), X
    yield "quantile", lambda x: x.quantile(0.3), X
    yield "trace", lambda x: x.trace(), real(3, 3)


def shapes(torch: Any) -> Iterator[Row]:
    yield "view", lambda x: x.view(3, 2), X
    yield "view_minus_one", lambda x: x.view(-1), X
    yield "view_as", lambda x, c: x.view_as(c), X, constant(3, 2)
    yield "reshape", lambda x: x.reshape(6), X
    yield "reshape_copy", lambda x: x.t().reshape(6), X
    yield "reshape_same", lambda x: x.reshape(2, 3), X
    yield "flatten", lambda x: x.flatten(1), real(2, 3, 2)
    yield "flatten_all", lambda x: x.flatten(), X
    yield "unflatten", lambda x: x.unflatten(1, (3, 1)), X
    yield "ravel", lambda x: x.ravel(), X
    yield "t", lambda x: x.t(), X
    yield "T", lambda x: x.T, X
    yield "mT", lambda x: x.mT, X
    yield "transpose", lambda x: x.transpose(0, 1), X
    yield "swapaxes", lambda x: x.swapaxes(0, 1), X
    yield "movedim", lambda x: x.movedim(0, 1), X
    yield "permute", lambda x: x.permute(2, 0, 1), real(2, 3, 2)
    yield "unsqueeze", lambda x: x.unsqueeze(-1), X
    yield "squeeze", lambda x: x.squeeze(), real(2, 1, 3)
    yield "squeeze_dim", lambda x: x.squeeze(1), real(2, 1, 3)
    yield "squeeze_dims", lambda x: x.squeeze((0, 2)), real(1, 3, 1)
    yield "expand", lambda x: x.expand(4, 2, 3), X
    yield "expand_as", lambda x, c: x.expand_as(c), real(1, 3), constant(2, 3)
    yield "broadcast_to", lambda x: torch.broadcast_to(x, (2, 3)), real(3)
    yield "repeat", lambda x: x.repeat(2, 1), X
    yield "repeat_interleave", lambda x: x.repeat_interleave(2, 1), X
    yield "tile", lambda x: x.tile((2,)), X
    yield "contiguous", lambda x: x.t().contiguous(), X
    yield "cat", lambda x, y: torch.cat([x, y]), X, real(1, 3)
    yield "cat_dim1", lambda x, y: torch.cat((x, y), dim=1), X, real(2, 2)
    yield "cat_constant", lambda x, c: torch.cat([c, x]), X, constant(2, 3)
    yield "stack", lambda x, y: torch.stack([x, y]), X, real(2, 3)
    yield "stack_last", lambda x, y: torch.stack([x, y], -1), X, real(2, 3)
    yield "hstack", lambda x, y: torch.hstack([x, y]), X, real(2, 3)
    yield "vstack", lambda x, y: torch.vstack([x, y]), X, real(2, 3)
    yield "chunk", lambda x: x.chunk(2, 1), X
    yield "split", lambda x: x.split(2, 1), X
    yield "split_sizes", lambda x: x.split([1, 2], 1), X
    yield "tensor_split", lambda x: x.tensor_split(2, 1), X
    yield "unbind", lambda x: x.unbind(0), X
    yield "unbind_one", lambda x: x.unbind(0)[1], X
    yield "flip", lambda x: x.flip(0), X
    yield "fliplr", lambda x: x.fliplr(), X
    yield "roll", lambda x: x.roll(1, 1), X
    yield "rot90", lambda x: x.rot90(), X
    yield "diag_vector", lambda x: torch.diag(x), real(3)
    yield "diag", lambda x: torch.diag(x), real(3, 3)
    yield "diagonal", lambda x: x.diagonal(), real(3, 3)
    yield "diag_embed", lambda x: torch.diag_embed(x), X
    yield "triu", lambda x: x.triu(), real(3, 3)
    yield "tril", lambda x: x.tril(-1), real(3, 3)
    yield "narrow", lambda x: x.narrow(1, 1, 2), X
    yield "unfold", lambda x: x.unfold(0, 2, 1), real(4)
    yield "meshgrid", lambda x, y: torch.meshgrid(x, y, indexing="ij"), real(2), real(3)
    yield "as_strided", lambda x: x.as_strided((2, 2), (1, 2)), X


TABLES = (arithmetic, functions, comparisons, reductions, shapes)


def cases(torch: Any) -> dict[str, Case]:
    """All cases by name."""
    from tests.engine.image_cases import IMAGE_TABLES
    from tests.engine.index_cases import INDEX_TABLES
    from tests.engine.layer_cases import LAYER_TABLES
    from tests.engine.neural_cases import NEURAL_TABLES
    from tests.engine.rare_cases import RARE_TABLES
    from tests.engine.science_cases import SCIENCE_TABLES

    found: dict[str, Case] = {}
    for table in (*TABLES, *IMAGE_TABLES, *INDEX_TABLES, *LAYER_TABLES, *NEURAL_TABLES, *RARE_TABLES, *SCIENCE_TABLES):
        for name, run, *inputs in table(Late(torch)):
            assert name not in found, name
            found[name] = Case(name, run, tuple(inputs))
    return found
