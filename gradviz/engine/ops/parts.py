"""Operations on a part of a tensor, out of place (`select_scatter` and its kin)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import api
from gradviz.engine.apply import call
from gradviz.engine.formula import sentence
from gradviz.engine.ops.matrix import diagonal_of
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

# --- a part replaced, out of place ---


def _replaced(x: Any, src: Any, part: Any) -> Any:
    found = x.copy()
    part(found)[...] = src
    return found


def _range(x: Any, dim: int, start: int | None, end: int | None, step: int) -> Any:
    at: list[Any] = [slice(None)] * x.ndim
    at[dim] = slice(start, end, step)
    return x[tuple(at)]


SELECT_SCATTER = op(
    "select_scatter",
    "self, src",
    lambda x, src, *, dim, index: _replaced(x, src, lambda out: np.moveaxis(out, dim, 0)[index, ...]),
    category="indexing",
    brief="A copy in which one slice is another tensor.",
    self=sentence(
        "grad, 0 in the slice",
        lambda grad, dim, index: grad.select_scatter(grad.new_zeros(()).expand_as(grad.select(dim, index)), dim, index),
    ),
    src=sentence("grad in the slice", lambda grad, dim, index: grad.select(dim, index)),
)
SLICE_SCATTER = op(
    "slice_scatter",
    "self, src",
    lambda x, src, *, dim, start, end, step: _replaced(x, src, lambda out: _range(out, dim, start, end, step)),
    category="indexing",
    brief="A copy in which a range is another tensor.",
    self=sentence(
        "grad, 0 in the range",
        lambda grad, dim, start, end, step: grad.slice_scatter(
            _range(grad, dim, start, end, step) * 0, dim, start, end, step
        ),
    ),
    src=sentence("grad in the range", lambda grad, dim, start, end, step: _range(grad, dim, start, end, step)),
)
DIAGONAL_SCATTER = op(
    "diagonal_scatter",
    "self, src",
    lambda x, src, *, offset, dim1, dim2: _replaced(
        x, src, lambda out: diagonal_of(out, offset=offset, dim1=dim1, dim2=dim2)
    ),
    category="indexing",
    brief="A copy in which a diagonal is another tensor.",
    self=sentence(
        "grad, 0 on the diagonal",
        lambda grad, offset, dim1, dim2: grad.diagonal_scatter(
            grad.diagonal(offset, dim1, dim2) * 0, offset, dim1, dim2
        ),
    ),
    src=sentence("grad on the diagonal", lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2)),
)


@api("select_scatter")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy in which one slice is `src`."""
    return call(SELECT_SCATTER, input, src, dim=dim, index=index)


@api("slice_scatter")
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy in which a range is `src`."""
    return call(SLICE_SCATTER, input, src, dim=dim, start=start, end=end, step=step)


@api("diagonal_scatter")
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy in which a diagonal is `src`."""
    return call(DIAGONAL_SCATTER, input, src, offset=offset, dim1=dim1, dim2=dim2)
