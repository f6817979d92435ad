"""The forms of the views that copy (`torch.expand_copy`, `torch.t_copy` …) and the splits whose parts PyTorch does not
track as views (`torch.unsafe_split`). Each row is made from the row of the view: same arguments, same gradient, another
node. The views themselves are in `shape.py` and `index.py`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api
from gradviz.engine.apply import as_copies, call
from gradviz.engine.creation import made
from gradviz.engine.ops.complexes import VIEW_AS_REAL
from gradviz.engine.ops.index import SLICE
from gradviz.engine.ops.matrix import DIAGONAL
from gradviz.engine.ops.shape import ALIAS, VIEW
from gradviz.engine.ops.splits import SPLIT, SPLIT_SIZES
from gradviz.engine.ops.strided import AS_STRIDED
from gradviz.engine.ops.turned import UNFOLD
from gradviz.engine.rows import ROWS, OpRow
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def _fresh(found: Any) -> Any:
    single = isinstance(found, np.ndarray)
    return np.array(found, order="C") if single else [np.array(each, order="C") for each in found]


def _in_own_memory(forward: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(forward)
    def copied(*arrays: Any, **params: Any) -> Any:
        return _fresh(forward(*arrays, **params))

    return copied


def _like(row: OpRow, key: str, name: str, node: str, forward: Callable[..., Any]) -> OpRow:
    """A row like another, under another name and without being a view."""
    brief = f"{row.brief.removesuffix('.')}, in memory of its own."
    copy = replace(
        row, name=name, node_name=node, forward=forward, view=False, inplace_node="", symbol=name, brief=brief, plans={}
    )
    ROWS[key] = copy
    return copy


NOT_THESE = ("view_as_complex", "_reshape_alias")
VIEWS = {key: row for key, row in ROWS.items() if row.view and key not in NOT_THESE}
COPIES = {
    row.node_name: _like(row, f"{key}_copy", f"{row.name}_copy", f"{row.node_name}_copy", _in_own_memory(row.forward))
    for key, row in VIEWS.items()
}
NARROW = _like(SLICE, "narrow_copy", "narrow_copy", "NarrowCopyBackward0", _in_own_memory(SLICE.forward))
PARTS = {
    SPLIT.node_name: _like(SPLIT, "unsafe_split", "unsafe_split", "UnsafeSplitBackward0", SPLIT.forward),
    SPLIT_SIZES.node_name: _like(
        SPLIT_SIZES, "unsafe_split_with_sizes", "unsafe_split_with_sizes", "UnsafeSplitWithSizesBackward0",
        SPLIT_SIZES.forward,
    ),
}  # fmt: skip


def _offer(name: str, view: Callable[..., Any], rows: dict[str, OpRow], where: str = "torch") -> None:
    """Register `view` under another name, with other rows."""

    @functools.wraps(view)
    def function(*args: Any, **keywords: Any) -> Any:
        with as_copies(rows):
            return view(*args, **keywords)

    function.__name__ = name
    api(name, where=where)(function)


def _select_range(input: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Tensor:
    """A range along `dim`."""
    n = input.size(dim)
    low, high, _ = slice(start, end, step).indices(n)
    return call(SLICE, input, dim=dim % input.ndim, start=low, end=max(low, high), step=step)


def _viewed(input: Tensor, size: Any) -> Tensor:
    """The same elements in another shape."""
    return input.contiguous().view(size)  # type: ignore[no-any-return]


def _expanded(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    """Repeated along dimensions of size 1."""
    found: Tensor = input.expand(size)
    return found


def _split_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> Any:
    """Parts of given sizes."""
    return F["split"](input, list(split_sizes), dim)


def _unfolded(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows along a dimension."""
    found: Tensor = input.unfold(dimension, size, step)
    return found


def _narrowed(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` entries from `start` along `dim`."""
    if dim >= max(input.ndim, 1):
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if length < 0 and input.ndim:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({input.size(dim)}).")
    found: Tensor = F["narrow"](input, dim, start, length)
    return found


def _alias(input: Tensor) -> Tensor:
    """The tensor under another name."""
    return call(ALIAS, input)


for _name in (
    "diagonal", "as_strided", "permute", "squeeze", "unsqueeze", "transpose", "t", "unbind", "split", "select",
    "view_as_real",
):  # fmt: skip
    _offer(f"{_name}_copy", F[_name], COPIES)
_offer("view_copy", _viewed, COPIES)
_offer("expand_copy", _expanded, COPIES)
_offer("slice_copy", _select_range, COPIES)
_offer("alias_copy", _alias, COPIES)
_offer("unfold_copy", _unfolded, COPIES)
_offer("split_with_sizes_copy", _split_sizes, COPIES)
_offer("narrow_copy", _narrowed, {SLICE.node_name: NARROW}, "torch method")
_offer("unsafe_split", F["split"], PARTS, "torch method")
_offer("unsafe_split_with_sizes", _split_sizes, PARTS, "torch method")
_offer("unsafe_chunk", F["chunk"], PARTS, "torch method")


@api("view_as_complex_copy", where="torch")
def view_as_complex_copy(input: Tensor) -> Tensor:
    """Pairs of numbers as complex numbers, in memory of their own; PyTorch has no gradient of it."""
    if state.grad and input._requires_grad:
        raise RuntimeError(
            "view_as_complex_copy does not support automatic differentiation for outputs with complex dtype."
        )
    return made(np.array(F["view_as_complex"](input)._data, order="C"))


# The modules of these views had to be there before their copies were made.
assert {row.node_name for row in (UNFOLD, ALIAS, AS_STRIDED, DIAGONAL, SLICE, VIEW, VIEW_AS_REAL)} <= COPIES.keys()
