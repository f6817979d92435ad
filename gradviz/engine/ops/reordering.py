"""Elements in another order: `flip`, `roll`, `rot90`, and windows along a dimension (`unfold`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.memory import laid_as, sliding
from gradviz.engine.kernel.messages import plain_numbers
from gradviz.engine.kernel.rows import ROWS, in_rows, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.windows import keeps_layout
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.ops.shape import distinct_dims
from gradviz.engine.run.api import FUNCTIONS, api, method
from gradviz.engine.run.apply import call

F = FUNCTIONS

FLIP = op(
    "flip",
    "self",
    lambda x, *, dims: laid_as(np.flip(x, dims).copy(), x, None),
    category="shape",
    symbol="flip",
    latex=r"x",
    brief="Order reversed along dimensions.",
    self=sentence("grad, flipped back", lambda grad, dims: grad.flip(dims)),
)
ROLL = op(
    "roll",
    "self",
    keeps_layout(in_rows(lambda x, *, shifts, dims: np.roll(x, shifts, dims) if dims else np.roll(x, shifts[0]))),
    category="shape",
    symbol="roll",
    latex=r"x",
    brief="Elements shifted round.",
    self=sentence("grad, shifted back", lambda grad, shifts, dims: F["roll"](grad, tuple(-s for s in shifts), dims)),
)


@api("flip", where="torch")
def flip(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Order reversed along `dims`."""
    given = (dims,) if isinstance(dims, int) else tuple(dims)
    axes = distinct_dims(given, input._data.ndim)
    return call(FLIP, input, dims=axes if input._data.ndim else ())


@method("flip")
def flip_method(self: Tensor, *dims: Any, **named: Any) -> Tensor:
    """Order reversed along `dims`, given one by one or as one sequence."""
    given = named["dims"] if named else dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return flip(self, given)


@api("fliplr")
def fliplr(input: Tensor) -> Tensor:
    """Left and right exchanged."""
    if input._data.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@api("flipud")
def flipud(input: Tensor) -> Tensor:
    """Up and down exchanged."""
    if input._data.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


def _quarter_turns(x: Array, *, k: int, dims: tuple[int, int]) -> Array:
    a, b = dims
    if k % 4 == 0:
        return x.copy()
    if k % 4 == 2:
        return laid_as(np.flip(x, dims).copy(), x, None)
    return np.swapaxes(laid_as(np.flip(x, b if k % 4 == 1 else a).copy(), x, None), a, b)


ROT90 = op(
    "rot90",
    "self",
    _quarter_turns,
    category="shape",
    symbol="rot90",
    latex=r"x",
    brief="Turned by 90 degrees.",
    self=sentence("grad, turned back", lambda grad, k, dims: grad.rot90(-k, dims)),
)


@api("rot90")
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turned by 90 degrees, `k` times."""
    n = input._data.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
    first, second = dims
    axes = wrap_dim(first, n), wrap_dim(second, n)
    if axes[0] == axes[1]:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}")
    return call(ROT90, input, k=k, dims=axes)


def _windows(x: Array, *, dimension: int, size: int, step: int) -> Array:
    axis = wrap_dim(dimension, x.ndim)
    if not x.ndim:
        return x.reshape(1)[:size]
    found = sliding(x, (size,), (axis,))
    return found[(slice(None),) * axis + (slice(None, None, step),)]


def _windows_grad(grad: Tensor, self_shape: tuple[int, ...], dimension: int, size: int, step: int) -> Tensor:
    axis = wrap_dim(dimension, len(self_shape))
    return call(ROWS["unfold_backward"], grad, input_sizes=self_shape, dim=axis, size=size, step=step)


UNFOLD = op(
    "unfold",
    "self",
    _windows,
    key="unfold_windows",
    category="shape",
    symbol="unfold",
    latex=r"x",
    brief="Windows along a dimension.",
    view=True,
    self=sentence("grad added up where windows overlap", _windows_grad),
)


@method("unfold")
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` along a dimension, one every `step`."""
    dimension, size, step = plain_numbers((dimension, size, step))
    axis = wrap_dim(dimension, self._data.ndim)
    n = self._data.shape[axis] if self._data.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return call(UNFOLD, self, dimension=axis, size=size, step=step)


@api("roll")
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Elements shifted round along `dims`, or along all as one."""
    by = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    along = () if dims is None else (dims,) if isinstance(dims, int) else tuple(dims)
    if not by:
        raise RuntimeError("`shifts` required")
    if len(by) != len(along) and not (len(by) == 1 and not along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
    if not input._data.size:
        return call(ROLL, input, shifts=by[:1], dims=())
    if along and not input._data.ndim:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    axes = tuple(wrap_dim(d, input._data.ndim) for d in along)
    return call(ROLL, input, shifts=by, dims=axes)
