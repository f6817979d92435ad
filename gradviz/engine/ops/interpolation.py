"""`interpolate` and `upsample`: weights of neighbours along each dimension; see Note [One matrix for each dimension] in
`resample.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.rows import OpRow
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.windows import Sizes
from gradviz.engine.ops.resample import along, linear_rows
from gradviz.engine.run.api import FUNCTIONAL, api
from gradviz.engine.run.apply import call

Scales = tuple[float | None, ...]


def _step(n: int, m: int, scale: float | None) -> float:
    """The distance of neighbouring results in the input."""
    return 1.0 / scale if scale is not None and scale > 0 else n / m


def _one_hot(at: Array, n: int) -> Array:
    matrix = np.zeros((len(at), n))
    matrix[np.arange(len(at)), np.clip(at, 0, n - 1)] = 1
    return matrix


def _nearest(n: int, m: int, scale: float | None, align_corners: bool) -> Array:
    at = np.floor(np.arange(m) * np.float32(_step(n, m, scale))).astype(np.int64)
    return _one_hot(np.arange(m) if n == m else at, n)


def _nearest_exact(n: int, m: int, scale: float | None, align_corners: bool) -> Array:
    return _one_hot(np.floor((np.arange(m) + 0.5) * np.float32(_step(n, m, scale))).astype(np.int64), n)


def _source(n: int, m: int, scale: float | None, align_corners: bool) -> Array:
    """The position of each result between the elements of the input."""
    i = np.arange(m)
    if align_corners:
        return i * ((n - 1) / (m - 1)) if m > 1 else i * 0.0
    return (i + 0.5) * _step(n, m, scale) - 0.5


def _linear(n: int, m: int, scale: float | None, align_corners: bool) -> Any:
    at = np.maximum(_source(n, m, scale, align_corners), 0)
    low = np.minimum(at.astype(np.int64), n - 1)
    part = (at - low)[:, None]
    return (1 - part) * _one_hot(low, n) + part * _one_hot(low + 1, n)


def _cubic(n: int, m: int, scale: float | None, align_corners: bool) -> Array:
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


def _smoothed(width: int, shape: Callable[[Array], Any]) -> Callable[..., Array]:
    """Weights with `antialias`: a filter of `width` elements, wider by the factor by which the input shrinks."""

    def weights(n: int, m: int, scale: float | None, align_corners: bool) -> Array:
        step = (n - 1) / (m - 1) if align_corners and m > 1 else 0.0 if align_corners else _step(n, m, scale)
        wide = max(step, 1.0)
        center = (step * (np.arange(m) + 0.5))[:, None]
        first, last = (np.trunc(center + side * (0.5 * width * wide) + 0.5).astype(np.int64) for side in (-1, 1))
        at = np.arange(n)
        found = np.where((at >= first) & (at < last), shape((at - center + 0.5) / wide), 0.0)
        total = found.sum(1, keepdims=True)
        return np.asarray(found / np.where(total == 0, 1, total))

    return weights


def _tent(x: Array) -> Any:
    return np.maximum(1 - np.abs(x), 0)


def _keys(x: Array) -> Array:
    x = np.abs(x)
    return np.where(x < 1, (1.5 * x - 2.5) * x * x + 1, np.where(x < 2, ((-0.5 * x + 2.5) * x - 4) * x + 2, 0))


def _lanczos(x: Array) -> Array:
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


def _matrices(weights: Callable[..., object]) -> Callable[..., list[Any]]:
    def made(shape: Sizes, *, output_size: Sizes, scales: Scales, align_corners: bool = False) -> list[Any]:
        inner = shape[-len(output_size) :]
        return [weights(n, m, s, align_corners) for n, m, s in zip(inner, output_size, scales, strict=True)]

    return made


def _in_sixteen_bits(matrix: Array) -> Array:
    """The weights as PyTorch rounds them for bytes: to as many binary digits as a signed 16-bit number holds."""
    digits = next((n for n in range(22) if int(0.5 + matrix.max(initial=0) * 2 ** (n + 1)) >= 2**15), 22)
    scaled = matrix * 2**digits
    return np.asarray(np.trunc(scaled + np.copysign(0.5, scaled)) / 2**digits)


def _smoothed_forward(matrices: Callable[..., list[Any]]) -> Callable[..., Array]:
    """The product with the matrices; bytes are rounded after each dimension, the last one first."""

    def forward(x: Array, **given: Any) -> Array:
        above, beside = matrices(x.shape, **given)
        if x.dtype != np.uint8:
            return np.ascontiguousarray(along(x, [above, beside]))
        for matrix, axis in ((beside, -1), (above, -2)):
            found = np.moveaxis(np.moveaxis(x, axis, -1) @ _in_sixteen_bits(matrix).T, -1, axis)
            x = np.clip(np.floor(found + 0.5), 0, 255).astype(np.uint8)
        return np.ascontiguousarray(x)

    return forward


def _rows(
    name: str,
    node: str,
    weights: Callable[..., object],
    dims: tuple[int, ...],
    corners: bool,
    brief: str,
    names: tuple[str, str] = ("upsample_{}{}d", "Upsample{}{}DBackward0"),
    forward: Callable[..., object] | None = None,
) -> dict[int, OpRow]:
    params = "output_size, scales" + (", align_corners" if corners else "")
    return {
        n: linear_rows(
            names[0].format(name, n),
            names[1].format(node, n),
            _matrices(weights),
            params,
            keeps=False,
            symbol="resize",
            latex=r"\sum_k w_{ik} x_k",
            brief=brief,
            forward=forward,
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
_FILTERS = {"bilinear": _smoothed(2, _tent), "bicubic": _smoothed(4, _keys), "lanczos": _smoothed(6, _lanczos)}
SMOOTHED = {
    kind: _rows(
        kind, kind.title(), weights, (2,), True, "A smooth mean of neighbours.",
        ("_upsample_{}{}d_aa", "Upsample{}{}DAaBackward0"), _smoothed_forward(_matrices(weights)),
    )[2]
    for kind, weights in _FILTERS.items()
}  # fmt: skip


def picture_weights(mode: str, n: int, m: int) -> Array:
    """The share that each of `n` pixels in a row has in each of `m`, as Pillow resizes."""
    return (_nearest_exact if mode == "nearest" else _FILTERS[mode])(n, m, None, False)


_NEEDS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


def _per_dimension(value: object, dim: int, input: Tensor, what: str) -> tuple[Any, ...]:
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
    if mode in _NEEDS and mode != "bicubic" and ndim in (3, 4, 5):
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {_NEEDS[mode]}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
        f"bilinear | bicubic "
        f"| trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _check_type(input: Tensor, mode: str, dim: int) -> None:
    small = input.dtype is dtypes.uint8 and (mode.startswith("nearest") or dim == 2)
    if input.dtype.rank == 2 or small:
        return
    kind = "nearest" if mode.startswith("nearest") else "cubic" if mode == "bicubic" else "linear"
    kernel = f"compute_indices_weights_{kind}"
    if dim == 2 and kind != "cubic":
        kernel = f"upsample_{'nearest' if kind == 'nearest' else 'bilinear'}2d_channels_last"
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")


def _check_sizes(given: Sequence[int], wanted: Sequence[int]) -> None:
    if all(n > 0 for n in (*given, *wanted)):
        return
    names = "DHW"[-len(wanted) :]
    before, after = (", ".join(f"{k}: {n}" for k, n in zip(names, part, strict=True)) for part in (given, wanted))
    between = " and" if len(wanted) == 1 else ""
    raise RuntimeError(
        f"Input and output sizes should be greater than 0, but got input ({before}){between} output ({after})"
    )


@api("interpolate", where="F")
def interpolate(
    input: Tensor,
    size: object = None,
    scale_factor: object = None,
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
    if antialias and not (mode in SMOOTHED and ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "lanczos" and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")
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
        return FUNCTIONAL[f"adaptive_avg_pool{dim}d"](input, wanted)
    row = SMOOTHED[mode] if antialias else ROWS_OF.get(mode, {}).get(dim)
    if row is None:
        _refuse_mode(ndim, mode)
        raise AssertionError(mode)
    if not antialias:
        _check_type(input, mode, dim)
    elif input.dtype not in (dtypes.float32, dtypes.float64, dtypes.uint8):
        raise NotImplementedError(f"\"compute_index_ranges_weights\" not implemented for '{input.dtype.title}'")
    _check_sizes(input._data.shape[2:], wanted)
    corners = {} if mode.startswith("nearest") else {"align_corners": bool(align_corners)}
    return call(row, input, output_size=wanted, scales=scales, **corners)


@api("upsample", where="F")
def upsample(
    input: Tensor,
    size: object = None,
    scale_factor: object = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The former name of `interpolate`."""
    return _formerly("upsample", input, size, scale_factor, mode, align_corners)


@api("upsample_nearest", where="F")
def upsample_nearest(input: Tensor, size: object = None, scale_factor: object = None) -> Tensor:
    """Each element repeated."""
    return _formerly("upsample_nearest", input, size, scale_factor, "nearest", None)


@api("upsample_bilinear", where="F")
def upsample_bilinear(input: Tensor, size: object = None, scale_factor: object = None) -> Tensor:
    """Linear interpolation between the corners."""
    return _formerly("upsample_bilinear", input, size, scale_factor, "bilinear", True)


def _formerly(name: str, *args: Any) -> Tensor:
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)
    return interpolate(*args)
