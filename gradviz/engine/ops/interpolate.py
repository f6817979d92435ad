"""interpolate and upsample, by weights of neighbours along each dimension: see Note [One matrix for each dimension]
in `resample.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONAL, api
from gradviz.engine.apply import call
from gradviz.engine.ops.resample import linear_rows
from gradviz.engine.ops.windows import Sizes
from gradviz.engine.rows import OpRow
from gradviz.engine.tensor import Tensor

Scales = tuple[float | None, ...]


def _step(n: int, m: int, scale: float | None) -> float:
    """How far apart neighbouring results lie in the input."""
    return 1.0 / scale if scale is not None and scale > 0 else n / m


def _one_hot(at: Any, n: int) -> Any:
    matrix = np.zeros((len(at), n))
    matrix[np.arange(len(at)), np.clip(at, 0, n - 1)] = 1
    return matrix


def _nearest(n: int, m: int, scale: float | None, align_corners: bool) -> Any:
    at = np.floor(np.arange(m) * np.float32(_step(n, m, scale))).astype(np.int64)
    return _one_hot(np.arange(m) if n == m else at, n)


def _nearest_exact(n: int, m: int, scale: float | None, align_corners: bool) -> Any:
    return _one_hot(np.floor((np.arange(m) + 0.5) * np.float32(_step(n, m, scale))).astype(np.int64), n)


def _source(n: int, m: int, scale: float | None, align_corners: bool) -> Any:
    """Where each result lies between the elements of the input."""
    i = np.arange(m)
    if align_corners:
        return i * ((n - 1) / (m - 1)) if m > 1 else i * 0.0
    return (i + 0.5) * _step(n, m, scale) - 0.5


def _linear(n: int, m: int, scale: float | None, align_corners: bool) -> Any:
    at = np.maximum(_source(n, m, scale, align_corners), 0)
    low = np.minimum(at.astype(np.int64), n - 1)
    part = (at - low)[:, None]
    return (1 - part) * _one_hot(low, n) + part * _one_hot(low + 1, n)


def _cubic(n: int, m: int, scale: float | None, align_corners: bool) -> Any:
    at = _source(n, m, scale, align_corners)
    low = np.floor(at).astype(np.int64)
    part = at - low
    a = -0.75
    matrix = np.zeros((m, n))
    for offset in range(-1, 3):
        x = np.abs(part - offset)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        matrix += np.where(x <= 1, near, far)[:, None] * _one_hot(low + offset, n)
    return matrix


def _matrices(weights: Callable[..., Any]) -> Callable[..., list[Any]]:
    def made(shape: Sizes, *, output_size: Sizes, scales: Scales, align_corners: bool = False) -> list[Any]:
        inner = shape[-len(output_size) :]
        return [weights(n, m, s, align_corners) for n, m, s in zip(inner, output_size, scales, strict=True)]

    return made


def _rows(
    name: str, node: str, weights: Callable[..., Any], dims: tuple[int, ...], corners: bool, brief: str
) -> dict[int, OpRow]:
    params = "output_size, scales" + (", align_corners" if corners else "")
    return {
        n: linear_rows(
            f"upsample_{name}{n}d",
            f"Upsample{node}{n}DBackward0",
            _matrices(weights),
            params,
            keeps=False,
            symbol="resize",
            latex=r"\sum_k w_{ik} x_k",
            brief=brief,
        )
        for n in dims
    }


ROWS_OF: dict[str, dict[int, OpRow]] = {
    "nearest": _rows("nearest", "Nearest", _nearest, (1, 2, 3), False, "Each result is the nearest element."),
    "nearest-exact": _rows(
        "nearest_exact", "NearestExact", _nearest_exact, (1, 2, 3), False, "Each result is the nearest element."
    ),
    "linear": _rows("linear", "Linear", _linear, (1,), True, "Straight lines between neighbours."),
    "bilinear": _rows("bilinear", "Bilinear", _linear, (2,), True, "Straight lines between neighbours."),
    "trilinear": _rows("trilinear", "Trilinear", _linear, (3,), True, "Straight lines between neighbours."),
    "bicubic": _rows("bicubic", "Bicubic", _cubic, (2,), True, "Cubic curves through neighbours."),
}
_NEEDS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


def _per_dimension(value: Any, dim: int, input: Tensor, what: str) -> tuple[Any, ...]:
    if not isinstance(value, (tuple, list)):
        return (value,) * dim
    if len(value) != dim:
        inner = list(input._data.shape[2:])
        if what == "size":
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                "dimensions of "
                f"{inner} and output size of {value}. Please provide input tensor in (N, C, d1, d2, ...,dK) format "
                f"and output size in "
                "(o1, o2, ...,oK) format."
            )
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            "dimensions of "
            f"{inner} and scale_factor of shape {value}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            f"format and "
            "scale_factor in (s1, s2, ...,sK) format."
        )
    return tuple(value)


def _refuse_mode(ndim: int, mode: str) -> None:
    if mode in _NEEDS and ndim in (3, 4, 5):
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {_NEEDS[mode]}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
        f"bilinear | bicubic "
        f"| trilinear | lanczos | area | nearest-exact (got {mode})"
    )


@api("interpolate", where="F")
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input resized to `size`, or by `scale_factor`, along its spatial dimensions."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    ndim = input._data.ndim
    dim = ndim - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if antialias:
        raise NotImplementedError("antialias=True is not available in GradViz: leave it out")
    scales: Scales = (None,) * dim
    if size is not None:
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        wanted = tuple(int(n) for n in _per_dimension(size, dim, input, "size"))
    else:
        factors = _per_dimension(scale_factor, dim, input, "scale_factor")
        wanted = tuple(int(n * f) for n, f in zip(input._data.shape[2:], factors, strict=True))
        if not recompute_scale_factor:
            scales = tuple(float(f) for f in factors)
    if mode == "area" and dim in (1, 2, 3):
        return FUNCTIONAL[f"adaptive_avg_pool{dim}d"](input, wanted)  # type: ignore[no-any-return]
    row = ROWS_OF.get(mode, {}).get(dim)
    if row is None:
        _refuse_mode(ndim, mode)
        raise AssertionError(mode)
    corners = {} if mode.startswith("nearest") else {"align_corners": bool(align_corners)}
    return call(row, input, output_size=wanted, scales=scales, **corners)


@api("upsample", where="F")
def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """The former name of `interpolate`."""
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


for _mode in ("nearest", "bilinear"):
    api(f"upsample_{_mode}", where="F")(
        lambda input, size=None, scale_factor=None, mode=_mode: interpolate(
            input, size, scale_factor, mode, True if mode == "bilinear" else None
        )
    )
