"""Looking up values: which ones occur (`unique`, `isin`) and where they would be inserted (`searchsorted`,
`bucketize`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.batched import plain
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.creation import made
from gradviz.engine.ops.elementwise import NUMBERS, cast, operand, result_type
from gradviz.engine.ops.order import comparable
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call_all
from gradviz.engine.run.signatures import type_name

F = FUNCTIONS


def _different(x: Array, *, dim: int | None) -> tuple[Array, ...]:
    """The distinct values in order, the index of each element among them, and how often each occurs."""
    rows = comparable(x) if dim is None else np.moveaxis(comparable(x), dim, 0)
    values, inverse, counts = np.unique(
        rows, return_inverse=True, return_counts=True, axis=None if dim is None else 0, equal_nan=False
    )
    shape = x.shape if dim is None else -1
    values = values.astype(x.dtype) if dim is None else np.moveaxis(values.astype(x.dtype), 0, dim)
    return values, inverse.reshape(shape).astype(np.int64), counts.astype(np.int64)


def _runs(x: Array, *, dim: int | None) -> tuple[Array, ...]:
    """The same, merging only consecutive repetitions."""
    rows = x.reshape(-1) if dim is None else np.moveaxis(x, dim, 0)
    first = np.ones(len(rows), np.bool_)
    if len(rows):
        first[1:] = (rows[1:] != rows[:-1]).any(axis=tuple(range(1, rows.ndim)))
    starts = np.flatnonzero(first)
    values = rows[first] if dim is None else np.moveaxis(np.ascontiguousarray(rows[first]), 0, dim)
    inverse = np.cumsum(first) - 1
    return values, inverse.reshape(x.shape) if dim is None else inverse, np.diff(np.append(starts, len(rows)))


def _no_gradient(name: str) -> Any:
    def refuse(grad: object) -> Tensor:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return refuse


def _lookup_row(name: str, forward: Any, node: str, key: str, brief: str) -> OpRow:
    return op(
        name, "self", forward, key=key, node=node, outputs="result, inverse, counts", category="selection",
        symbol="unique", brief=brief, self=sentence("PyTorch has none", _no_gradient(name)),
        )  # fmt: skip


_BRIEF = "The distinct elements in order."
UNIQUE = _lookup_row("_unique2", _different, "Unique2Backward0", "unique", _BRIEF)
UNIQUE_DIM = _lookup_row("unique_dim", _different, "UniqueDimBackward0", "unique_dim", _BRIEF)
RUNS = _lookup_row(
    "unique_consecutive", _runs, "UniqueConsecutiveBackward0", "unique_consecutive",
    "The elements without consecutive repetitions.",
)  # fmt: skip


def _chosen(found: tuple[Tensor, ...], inverse: bool, counts: bool) -> Tensor | tuple[Tensor, ...]:
    out = (found[0], *((found[1],) if inverse else ()), *((found[2],) if counts else ()))
    return out[0] if len(out) == 1 else out


@api("unique")
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """The distinct elements in order; on request the index of each element among them and the counts."""
    if not isinstance(input, Tensor):
        kind = type(input).__name__
        raise TypeError(f"_unique2(): argument 'input' (position 1) must be Tensor, not {kind}")
    if dim is None:
        return _chosen(call_all(UNIQUE, input, dim=None), return_inverse, return_counts)
    axis = wrap_dim(dim, input._data.ndim)
    return _chosen(call_all(UNIQUE_DIM, input, dim=axis), return_inverse, return_counts)


@api("unique_consecutive")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """The elements without consecutive repetitions."""
    if not isinstance(input, Tensor):
        kind = type_name(input)
        raise TypeError(f"unique_consecutive(): argument 'input' (position 1) must be Tensor, not {kind}")
    axis = None if dim is None else wrap_dim(dim, input._data.ndim)
    return _chosen(call_all(RUNS, input, dim=axis), return_inverse, return_counts)


@api("isin", where="torch")
def isin(elements: Tensor, test_elements: Tensor, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among the others."""
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin(): one of elements and test_elements must be a Tensor")
    for each in (elements, test_elements):
        if isinstance(each, Tensor) and each.dtype.rank in (0, 3):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {each.dtype.title}")
    return made(plain(np.isin(_number_or_all(elements), _number_or_all(test_elements), invert=invert)))


def _number_or_all(given: object) -> Array:
    """The values to compare with. A list is refused as in PyTorch: NumPy would read it while its items can still change
    it."""
    if isinstance(given, Tensor):
        return comparable(given._data)
    if isinstance(given, (bool, np.bool_)):
        raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    if not isinstance(given, NUMBERS):
        raise TypeError(f"isin(): a Tensor or a Number is compared, not {type(given).__name__}")
    if isinstance(given, complex):
        raise RuntimeError("Unsupported input type encountered for isin(): ComplexDouble")
    return np.asarray(given)


# --- insertion points ---


def _places(rows: Array, values: Array, right: bool) -> Array:
    """For each value, how many of its row are below it (or at most it); every row at once, by bisection."""
    n = rows.shape[-1]
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, n, np.int64)
    for _ in range(int(n).bit_length()):
        middle = (low + high) // 2
        there = np.take_along_axis(rows, np.minimum(middle, max(n - 1, 0)), -1) if n else values
        below = ~(there > values) if right else ~(there >= values)
        go = (low < high) & below
        low, high = np.where(go, middle + 1, low), np.where((low < high) & ~below, middle, high)
    return low


def _check_sorter(rows: Tensor, sorter: Tensor | None) -> None:
    if sorter is None:
        return
    if sorter._data.shape != rows._data.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(rows._data.shape)}and got sorter tensor {list(sorter._data.shape)}"
        )
    if sorter.dtype is not dtypes.int64:
        raise RuntimeError(
            f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {sorter.dtype.title}"
        )
    n = rows._data.shape[-1] if rows._data.ndim else 1
    if sorter._data.size and not 0 <= sorter._data.min() <= sorter._data.max() < n:
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


def _check_search(rows: Tensor, values: Tensor, right: bool, side: str | None, sorter: Tensor | None) -> None:
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    _check_sorter(rows, sorter)
    ndim = values._data.ndim if isinstance(values, Tensor) else 0
    if not rows._data.ndim and ndim:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if not rows._data.ndim or (rows._data.ndim > 1 and not ndim):
        count = values._data.size if isinstance(values, Tensor) else 1
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({rows._data.ndim}) and input value's dim({ndim}) numel({count})"
        )
    if isinstance(values, Tensor) and rows._data.ndim > 1 and rows._data.shape[:-1] != values._data.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            f"boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(rows._data.shape)} and input value tensor {list(values._data.shape)}"
        )
    kind = result_type(rows, operand(values))
    if kind.rank in (0, 3) and (not isinstance(values, Tensor) or values._data.size):
        raise NotImplementedError(f"\"searchsorted_out_cpu\" not implemented for '{kind.title}'")


@api("searchsorted", where="torch")
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where each value would be inserted in a sorted sequence."""
    _check_search(sorted_sequence, input, right, side, sorter)
    way = right or side == "right"
    kind = np.int32 if out_int32 else np.int64
    shared = result_type(sorted_sequence, operand(input))
    rows, values = comparable(cast(sorted_sequence, shared)), comparable(cast(operand(input), shared))
    if sorter is not None:
        rows = np.take_along_axis(rows, sorter._data, -1)
    if rows.ndim == 1 and not np.all(rows[1:] >= rows[:-1]):  # PyTorch also bisects unsorted sequences
        return made(
            _places(np.broadcast_to(rows, (*values.shape, len(rows))), values[..., None], way)[..., 0].astype(kind)
        )
    if rows.ndim == 1:
        return made(plain(np.searchsorted(rows, values, side="right" if way else "left")).astype(kind))
    return made(_places(rows, values, way).astype(kind))


@api("bucketize", where="torch")
def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The index of the interval between the boundaries that contains each value."""
    if boundaries._data.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._data.ndim})")
    known = isinstance(input, (Tensor, *NUMBERS))
    return searchsorted(boundaries, input if known else F["tensor"](input), out_int32=out_int32, right=right)
