"""Running sums and products along a dimension. What makes one number of a dimension is in `reduce`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.apply import call
from gradviz.engine.formula import sentence
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def _reversed_cumsum(x: Any, dim: int) -> Any:
    return x.flip(dim).cumsum(dim).flip(dim) if x._data.ndim else x


def _cumulative(ufunc: Any) -> Any:
    def forward(x: Any, *, dim: int) -> Any:
        axis = wrap_dim(dim, x.ndim)
        made = np.int64 if x.dtype.kind in "iub" else x.dtype
        wide = np.float64 if x.dtype.kind in "fV" else made  # as PyTorch accumulates it
        return ufunc.accumulate(x, axis=axis, dtype=wide).astype(made, copy=False) if x.ndim else x.astype(made)

    return forward


CUMSUM = op(
    "cumsum",
    "self",
    _cumulative(np.add),
    category="reductions",
    symbol="cumsum",
    latex=r"\sum_{j \le i} x_j",
    brief="Running sums.",
    self=sentence("running sums of grad from the end", lambda grad, dim: _reversed_cumsum(grad, dim)),
)
CUMPROD = op(
    "cumprod",
    "self",
    _cumulative(np.multiply),
    category="reductions",
    symbol="cumprod",
    latex=r"\prod_{j \le i} x_j",
    brief="Running products.",
    self=sentence(
        "running sums of grad · result from the end, / self",
        lambda grad, self, result, dim: _cumprod_grad(grad, self, result, dim),
    ),
)


def _cumprod_grad(grad: Any, self: Any, result: Any, dim: int) -> Any:
    if not (self._data == 0).any() or not self._data.ndim:
        return _reversed_cumsum(grad * conj(result), dim) / conj(self) if self._data.ndim else grad
    axis = wrap_dim(dim, self.ndim)
    self = conj(self)
    parts = []
    for i in range(self.shape[axis]):  # for each element: products that leave it out
        head = self.narrow(axis, 0, i).prod(axis, keepdim=True) if i else 1
        tail = F["cat"](
            [self.narrow(axis, 0, 1) * 0 + 1, self.narrow(axis, i + 1, self.shape[axis] - i - 1)], axis
        ).cumprod(axis)
        parts.append((grad.narrow(axis, i, self.shape[axis] - i) * tail * head).sum(axis, keepdim=True))
    return F["cat"](parts, axis)


@api("cumsum")
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running sums along `dim`."""
    return call(CUMSUM, input if dtype is None else input.to(dtype), dim=dim)


@api("cumprod")
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running products along `dim`."""
    return call(CUMPROD, input if dtype is None else input.to(dtype), dim=dim)
