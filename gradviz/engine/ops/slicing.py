"""One index and a range along a dimension: `select`, `slice` and `narrow`, which are views. `index.py` takes `x[…]`
apart into these and index tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.memory import ranged
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import api
from gradviz.engine.run.apply import call


def _select(x: Array, *, dim: int, index: int) -> Array:
    return x[(slice(None),) * dim + (index, ...)]


def _put_slice(g: Array, key: tuple[Any, ...], shape: tuple[int, ...]) -> Array:
    out = np.zeros(shape, g.dtype)
    out[key] = g
    return out


SELECT: OpRow = op(
    "select",
    "self",
    _select,
    category="indexing",
    symbol="[i]",
    latex=r"x_i",
    brief="One index along a dimension.",
    view=True,
    self=sentence(
        "grad in its place, 0 elsewhere",
        lambda grad, self_shape, dim, index: call(SELECT_BACKWARD, grad, dim=dim, index=index, shape=self_shape),
    ),
)
SELECT_BACKWARD: OpRow = op(
    "select_backward",
    "grad_output",
    lambda g, *, dim, index, shape: _put_slice(g, (slice(None),) * dim + (index,), shape),
    category="indexing",
    symbol="[i]′",
    latex=r"e_i g",
    brief="A gradient put back at its index.",
    grad_output=sentence("grad at the index", lambda grad, dim, index: grad.select(dim, index)),
)
SLICE: OpRow = op(
    "slice",
    "self",
    ranged,
    category="indexing",
    symbol="[a:b]",
    latex=r"x_{a:b}",
    brief="A range along a dimension.",
    view=True,
    self=sentence(
        "grad in the range, 0 elsewhere",
        lambda grad, self_shape, dim, start, end, step: call(
            SLICE_BACKWARD, grad, dim=dim, start=start, end=end, step=step, shape=self_shape
        ),
    ),
)
SLICE_BACKWARD: OpRow = op(
    "slice_backward",
    "grad_output",
    lambda g, *, dim, start, end, step, shape: _put_slice(g, (slice(None),) * dim + (slice(start, end, step),), shape),
    category="indexing",
    symbol="[a:b]′",
    latex=r"g",
    brief="A gradient put back into its range.",
    grad_output=sentence(
        "grad in the range",
        lambda grad, dim, start, end, step: call(SLICE, grad, dim=dim, start=start, end=end, step=step),
    ),
)


@api("select")
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One index along `dim`."""
    shape = input._data.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, len(shape))
    n = shape[axis]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {axis}")
    return call(SELECT, input, dim=axis, index=int(index))


@api("narrow")
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` entries from `start` along `dim`."""
    if isinstance(start, Tensor):
        if start._data.ndim or start.dtype.rank != 1:
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start)
    if not input._data.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    axis = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[axis]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return call(SLICE, input, dim=axis, start=start, end=start + length, step=1)
