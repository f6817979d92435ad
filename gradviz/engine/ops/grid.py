"""Sampling an image at the points of a grid: affine_grid and grid_sample.

Note [Weights of neighbours] Each sample is a weighted sum over the neighbours of its point: in each dimension a few
indices (two for linear, one for nearest, four for cubic), each with a weight. The weight of a neighbour is the product
over the dimensions; the gradient with respect to the point has the derivative in one dimension and the weights in the
others. Half types are rounded after each step here, as in PyTorch's kernels."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly, sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops.neural import in_single, need_tensor, unseen
from gradviz.engine.ops.shape import ALIAS
from gradviz.engine.run.api import api
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.autograd import grad
from gradviz.engine.run.signatures import type_name

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
_A = -0.75
Corner = tuple[Array, Array, list[list[Array]]]  # the flat index, whether it is inside, and the factors of the weight
Neighbours = list[tuple[Array, list[Array]]]  # the index of each neighbour in one dimension, its weight and derivatives


def _reflected(at: Array, low: int, high: int) -> tuple[Array, Array]:
    """Points reflected at both ends (times two, to keep to integers), and the sign of the derivative."""
    if low == high:
        return np.zeros_like(at), np.zeros_like(at)
    least, span = at.dtype.type(low / 2), at.dtype.type((high - low) / 2)
    apart = at - least
    inside = np.abs(apart)
    flips, rest = np.floor(inside / span), np.fmod(inside, span)
    even = flips % 2 == 0
    sign = np.where(apart < 0, -1, 1) * np.where(even, 1, -1)
    return np.where(even, rest, span - rest) + least, sign.astype(at.dtype)


def _source(at: Array, n: int, padding: int, align: bool) -> tuple[Array, Array]:
    """Grid positions from −1 to 1 as positions among n elements, and the derivative."""
    one = at.dtype.type
    found = (at + one(1)) * one((n - 1) / 2) if align else ((at + one(1)) * one(n) - one(1)) / one(2)
    slope = np.full_like(at, (n - 1) / 2 if align else n / 2)
    return _kept(found, slope, n, padding, align)


def _kept(at: Array, slope: Array, n: int, padding: int, align: bool) -> tuple[Array, Array]:
    if PADDINGS[padding] == "reflection":
        at, sign = _reflected(at, *((0, 2 * (n - 1)) if align else (-1, 2 * n - 1)))
        slope = slope * sign
    if PADDINGS[padding] != "zeros":
        slope = np.where((at > 0) & (at < n - 1), slope, 0)
        at = np.clip(at, 0, n - 1)
    return at, slope


def _cubic_weight(part: Array, offset: int, slope: Array) -> list[Array]:
    """The weight of the neighbour at distance `offset`, and its three derivatives with respect to the grid position."""
    x, turn = np.abs(part - offset), np.sign(part - offset) * slope
    near = [((_A + 2) * x - (_A + 3)) * x * x + 1, (3 * (_A + 2) * x - 2 * (_A + 3)) * x]
    near += [6 * (_A + 2) * x - 2 * (_A + 3), 6 * (_A + 2) + 0 * x]
    far = [((_A * x - 5 * _A) * x + 8 * _A) * x - 4 * _A, (3 * _A * x - 10 * _A) * x + 8 * _A]
    far += [6 * _A * x - 10 * _A, 6 * _A + 0 * x]
    return [np.where(x <= 1, a, b) * turn**k for k, (a, b) in enumerate(zip(near, far, strict=True))]


def _neighbours(at: Array, n: int, mode: int, padding: int, align: bool) -> Neighbours:
    if MODES[mode] == "bicubic":
        found, slope = _source(at, n, 0, align)
        low = np.floor(found)
        offsets = range(-1, 3)
        places = [_kept(low + i, slope, n, padding, align)[0] for i in offsets]
        return [(place, _cubic_weight(found - low, i, slope)) for i, place in zip(offsets, places, strict=True)]
    found, slope = _source(at, n, padding, align)
    if MODES[mode] == "nearest":
        return [(np.rint(found), [np.ones_like(found), np.zeros_like(found)])]
    low = np.floor(found)
    part = found - low
    return [(low, [1 - part, -slope]), (low + 1, [part, slope])]


def _corners(grid: Array, shape: tuple[int, ...], mode: int, padding: int, align: bool) -> Iterator[Corner]:
    """For each combination of neighbours: the flat index, whether it is inside, and the factors of the weight."""
    n = len(shape)
    each = [_neighbours(grid[..., n - 1 - i], shape[i], mode, padding, align) for i in range(n)]
    for combination in itertools.product(*each):
        flat, inside = np.zeros(grid.shape[:-1], np.int64), np.ones(grid.shape[:-1], np.bool_)
        for size, (place, _) in zip(shape, combination, strict=True):
            known = np.isfinite(place) & (place >= 0) & (place < size)
            flat = flat * size + np.where(known, place, 0).astype(np.int64)
            inside &= known
        yield flat, inside, [weights for _, weights in combination]


def _taken(x: Array, flat: Array, inside: Array) -> Array:
    """The channels of each sample's elements: (N, C, places)."""
    batch, channels = x.shape[:2]
    rows = x.reshape(batch, channels, -1)
    found = np.take_along_axis(rows, np.broadcast_to(flat.reshape(batch, 1, -1), (batch, channels, flat[0].size)), 2)
    return found * inside.reshape(batch, 1, -1)


def _sample(x: Array, grid: Array, *, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Array:
    batch, channels = x.shape[:2]
    out = np.zeros((batch, channels, math.prod(grid.shape[1:-1])), x.dtype)
    if not x.size or not grid.size:
        return out.reshape(batch, channels, *grid.shape[1:-1])
    for flat, inside, parts in _corners(grid, x.shape[2:], interpolation_mode, padding_mode, align_corners):
        weight = math.prod(part[0] for part in parts)
        out += _taken(x, flat, inside) * np.asarray(weight).reshape(batch, 1, -1)
    return out.reshape(batch, channels, *grid.shape[1:-1]).astype(x.dtype)


def _sample_backward(
    g: Array, x: Array, grid: Array, *, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> tuple[Array, Array]:
    batch, channels, inner = x.shape[0], x.shape[1], x.shape[2:]
    n = len(inner)
    rows = g.reshape(batch, channels, -1)
    of_input, of_grid = np.zeros((batch * channels, math.prod(inner)), g.dtype), np.zeros_like(grid)
    line = np.arange(batch * channels)[:, None]
    for flat, inside, parts in _corners(grid, inner, interpolation_mode, padding_mode, align_corners):
        weight = (math.prod(part[0] for part in parts) * inside).reshape(batch, 1, -1)
        at = np.broadcast_to(flat.reshape(batch, 1, -1), rows.shape).reshape(batch * channels, -1)
        np.add.at(of_input, (line, at), (rows * weight).reshape(batch * channels, -1))
        along = (_taken(x, flat, inside) * rows).sum(1).reshape(flat.shape)
        for i, part in enumerate(parts):
            others = math.prod(each[0] for j, each in enumerate(parts) if j != i)
            of_grid[..., n - 1 - i] += along * part[1] * others
    return of_input.reshape(x.shape).astype(x.dtype), of_grid.astype(grid.dtype)


def _by_steps(x: Tensor, grid: Tensor, settings: tuple[int, int, bool]) -> Tensor:
    """The samples by tensor operations. The dependence on a grid position is added as derivative · (grid − grid), so
    that the numbers are those of `_sample`."""
    batch, channels, *inner = x._data.shape
    n, rows = len(inner), x.reshape(batch, channels, -1)
    moved = grid - grid.detach()
    out: Any = 0
    for flat, inside, parts in _corners(grid._data, tuple(inner), *settings):
        at = wrap(np.broadcast_to(flat.reshape(batch, 1, -1), (batch, channels, flat[0].size)))
        weight: Tensor = wrap(inside.astype(grid._data.dtype))
        for i, part in enumerate(parts):
            weight = weight * _moving(part, moved[..., n - 1 - i])
        out = out + rows.gather(2, at) * weight.reshape(batch, 1, -1)
    return out.reshape(batch, channels, *grid._data.shape[1:-1])  # type: ignore[no-any-return]


def _moving(derivatives: list[Any], moved: Tensor) -> object:
    """A weight as a polynomial in the displacement of its position."""
    found: object = wrap(derivatives[0])
    power: Tensor = moved
    for i, each in enumerate(derivatives[1:], 1):
        found = found + wrap(np.asarray(each / math.factorial(i))) * power
        power = power * moved
    return found


def _second(grads: Any, tensors: tuple[Tensor, Tensor, Tensor], settings: tuple[int, int, bool]) -> list[int | None]:
    """The gradients of the gradients, through `_by_steps`."""
    create = state.grad
    with unseen(True):
        g, x, grid = (call(ALIAS, each) if each._requires_grad else each.detach() for each in tensors)
        own = [each.requires_grad_() if not each._requires_grad else each for each in (x, grid)]
        first = grad([_by_steps(own[0], own[1], settings)], own, [g], create_graph=True)
        pairs = [(y, d) for y, d in zip(first, grads, strict=True) if d is not None and y is not None]
        inner = [each for each, given in zip((g, x, grid), tensors, strict=True) if given._requires_grad]
        made = iter(grad([y for y, _ in pairs], inner, [d for _, d in pairs], create_graph=create, allow_unused=True))
    found = [next(made) if each._requires_grad else None for each in tensors]
    return [found[0], None, found[2]] if MODES[settings[0]] == "nearest" else found


def _again(
    grads: object,
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> list[int | None]:
    settings = interpolation_mode, padding_mode, align_corners
    return _second(grads, (grad_output, input, grid), settings)


def _backward_of_sampler(name: str, title: str) -> OpRow:
    return op(
        f"{name}_backward",
        "grad_output, input, grid",
        _sample_backward,
        outputs="input_gradient, grid_gradient",
        node=f"{title}BackwardBackward0",
        category="layers",
        symbol="sample′",
        latex="g",
        brief="The gradients through samples of an image.",
        joint=_again,
    )


def _sampler(n: int) -> OpRow:
    name, title = f"grid_sampler_{n}d", f"GridSampler{n}D"
    backward = _backward_of_sampler(name, title)

    def gradients(
        grads: Sequence[Tensor],
        input: Tensor,
        grid: Tensor,
        needs: tuple[bool, ...],
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
    ) -> tuple[Tensor | None, ...]:
        settings = {
            "interpolation_mode": interpolation_mode, "padding_mode": padding_mode, "align_corners": align_corners
        }  # fmt: skip
        found = call_all(backward, grads[0], input, grid, **settings)
        return tuple(each if need else None for each, need in zip(found, needs, strict=True))

    return op(
        name,
        "input, grid",
        _sample,
        node=f"{title}Backward0",
        category="layers",
        symbol="sample",
        latex=r"\sum_k w_k(g_i)\, x_k",
        brief="An image sampled at the places of a grid.",
        joint=jointly(
            gradients, input="grad spread by the neighbours' weights", grid="grad · slope between neighbours"
        ),
    )


SAMPLERS = {n: _sampler(n) for n in (2, 3)}


def _check(input: Tensor, grid: Tensor, mode: int, dims: int = 0) -> int:
    """The number of dimensions of the image, after PyTorch's checks."""
    x, g = input._data.shape, grid._data.shape
    for each in (input, grid):
        each.size(0)
    if x[0] != g[0]:
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got input with sizes {list(x)} and "
            f"grid with sizes {list(g)}"
        )
    if g[-1] != len(x) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(x) - 2} in last dimension, but got grid with sizes "
            f"{list(g)}"
        )
    for i, size in enumerate(x[2:], 2):
        if size <= 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(x)} with dimension {i} being empty"
            )
    wanted = dims or (len(x) if len(x) in (4, 5) else 0)
    if not len(x) == len(g) == wanted:
        raise RuntimeError(
            f"grid_sampler(): expected {f'{wanted}D' if wanted else '4D or 5D'} input and grid with same "
            f"number of dimensions, but got input with sizes {list(x)} and grid with sizes {list(g)}"
        )
    if len(x) == 5 and MODES[mode] == "bicubic":
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    return len(x) - 2


def _sampled(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool, dims: int = 0
) -> Tensor:
    need_tensor(input, "grid_sampler")
    need_tensor(grid, "grid_sampler", "grid", 2)
    n = _check(input, grid, interpolation_mode, dims)
    if input.dtype is not grid.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {grid.dtype.title}")
    if input.dtype.rank != 2:
        raise NotImplementedError(f"\"grid_sampler_{n}d_cpu_kernel_impl\" not implemented for '{input.dtype.title}'")
    return call(
        SAMPLERS[n],
        input,
        grid,
        interpolation_mode=interpolation_mode,
        padding_mode=padding_mode,
        align_corners=align_corners,
    )


def _by_numbers(name: str, dims: int) -> None:
    """`grid_sample` with its settings as numbers, for an input of any or of so many dimensions."""

    def sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
        return _sampled(input, grid, interpolation_mode, padding_mode, align_corners, dims)

    api(name, where="torch")(sampler)


_by_numbers("grid_sampler", 0)
_by_numbers("grid_sampler_2d", 4)
_by_numbers("grid_sampler_3d", 5)


@api("grid_sample", where="F")
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """The image's values at the places of `grid`, whose last dimension is (x, y) or (x, y, z) from −1 to 1."""
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
            "details.",
            stacklevel=2,
        )
    elif type(align_corners) is not bool:
        kind = type_name(align_corners)
        raise TypeError(f"grid_sampler(): argument 'align_corners' (position 5) must be bool, not {kind}")
    return _sampled(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), bool(align_corners))


# --- affine_grid ---


def _base(size: tuple[int, ...], align: bool, dtype: Any) -> Array:
    """Every point of an image as (x, y, 1) or (x, y, z, 1), from −1 to 1: (places, dimensions + 1)."""
    lines = []
    for n in size[2:]:
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(n)
        lines.append(line if align or n <= 1 else line * (n - 1) / n)
    axes = np.meshgrid(*lines, indexing="ij")
    return np.stack([*reversed(axes), np.ones_like(axes[0])], -1).reshape(-1, len(size) - 1).astype(dtype)


def _grid(theta: Array, *, size: tuple[int, ...], align_corners: bool) -> Any:
    base = _base(size, align_corners, theta.dtype)
    return np.matmul(base, theta.swapaxes(-1, -2)).reshape(size[0], *size[2:], len(size) - 2)


def _grid_backward(g: Array, *, size: tuple[int, ...], align_corners: bool) -> Any:
    base = _base(size, align_corners, g.dtype)
    return np.matmul(g.reshape(size[0], -1, len(size) - 2).swapaxes(-1, -2), base)


AFFINE_GRID_BACKWARD: OpRow = op(
    "affine_grid_generator_backward",
    "grad_output",
    in_single(_grid_backward),
    node="TransposeBackward0",
    category="layers",
    symbol="grid′",
    latex="g",
    brief="The gradient of the matrix of an affine map.",
    grad_output=lambda grad, size, align_corners: call(AFFINE_GRID, grad, size=size, align_corners=align_corners),
)
AFFINE_GRID: OpRow = op(
    "affine_grid_generator",
    "theta",
    in_single(_grid),
    node="AffineGridGeneratorBackward0",
    category="layers",
    symbol="grid",
    latex=r"A_n (x, y, 1)^\top",
    brief="The places that an affine map looks at.",
    theta=sentence(
        "gradᵀ @ (x, y, 1)",
        lambda grad, size, align_corners: call(AFFINE_GRID_BACKWARD, grad, size=size, align_corners=align_corners),
    ),
)


@api("affine_grid", where="F")
def affine_grid(theta: Tensor, size: tuple[int, ...], align_corners: bool | None = None) -> Tensor:
    """The places that an affine map looks at, for `grid_sample`; `size` is that of the image with its batch."""
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
            "details.",
            stacklevel=2,
        )
    wanted = tuple(int(n) for n in size)
    if not theta.dtype.is_floating_point:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(wanted) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    kind, shape = ("Nx2x3", (2, 3)) if len(wanted) == 4 else ("Nx3x4", (3, 4))
    if theta._data.ndim != 3 or theta._data.shape[-2:] != shape:
        raise ValueError(
            f"Expected a batch of {shape[0]}D affine matrices of shape {kind} for size {size}. Got {theta.shape}."
        )
    spatial = wanted[-2:] if len(wanted) == 4 else wanted[-3:]
    if align_corners and min(spatial) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
            stacklevel=2,
        )
    elif min(wanted) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return call(AFFINE_GRID, theta, size=wanted, align_corners=bool(align_corners))
