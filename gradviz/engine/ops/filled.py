"""In-place forms that run the row of the operation (`tril_`, `cumsum_`, `square_`), and `torch.fill`, which is `fill_`
out of place. Those of elementwise operations come with their rows (`elementwise.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api, method
from gradviz.engine.apply import call
from gradviz.engine.elementwise import NUMBERS, number_array
from gradviz.engine.inplace import write
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.rows import ROWS, op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def _in_place(name: str, *fields: tuple[str, Any]) -> None:
    def function(self: Tensor, *args: Any, **keywords: Any) -> Tensor:
        params = dict(fields) | dict(zip([field for field, _ in fields], args, strict=False)) | keywords
        return write(self, ROWS[name], (self,), (self._data,), params)

    function.__name__ = f"{name}_"
    method(f"{name}_")(function)


_in_place("tril", ("diagonal", 0))
_in_place("triu", ("diagonal", 0))


@method("square_")
def square_(self: Tensor) -> Tensor:
    """Squared in place."""
    squared: Tensor = self.pow_(2)
    return squared


def _running(name: str) -> None:
    def function(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        return write(self, ROWS[name], (self,), (self._data,), {"dim": wrap_dim(dim, self._data.ndim)})

    function.__name__ = f"{name}_"
    method(f"{name}_")(function)


_running("cumsum")
_running("cumprod")


# --- one value everywhere, out of place ---

FILL_NUMBER = op(
    "fill",
    "self",
    lambda x, *, value: np.full(x.shape, number_array(value, x.dtype), x.dtype),
    key="fill_number",
    category="other",
    symbol="fill",
    latex=r"v",
    brief="A tensor of the same kind with one value everywhere.",
    self="zero(grad)",
)
FILL_TENSOR = op(
    "fill",
    "self, value",
    lambda x, v: np.full(x.shape, v.astype(x.dtype), x.dtype),
    key="fill_tensor",
    number=1,
    category="other",
    symbol="fill",
    latex=r"v",
    brief="A tensor of the same kind with one value everywhere.",
    self="zero(grad)",
    value="sum(grad)",
)


@api("fill", where="torch")
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor of the same kind with one value everywhere."""
    if isinstance(value, NUMBERS):
        return call(FILL_NUMBER, input, value=value)
    if value._data.ndim:
        raise RuntimeError(
            f"fill only supports 0-dimension value tensor but got tensor with {value._data.ndim} dimensions."
        )
    return call(FILL_TENSOR, input, value)
