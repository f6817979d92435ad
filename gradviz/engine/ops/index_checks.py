"""What index tensors have to be for gather, scatter, index_add and their kin: each refusal in PyTorch's words. The
operations are in `pick.py` and `scattered.py`."""

from __future__ import annotations

from typing import Any

from gradviz.engine import dtypes
from gradviz.engine.tensor import Tensor


def check_index(index: Any, name: str) -> None:
    """The index is a tensor of integers."""
    if not isinstance(index, Tensor):
        raise TypeError(f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}")
    if index._data.size and index.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def check_range(index: Tensor, input: Tensor, dim: int) -> None:
    """Each index names a place along `dim`."""
    n = input._data.shape[dim] if input._data.ndim else 1
    data = index._data
    bad = data[(data < 0) | (data >= n)]
    if bad.size:
        raise RuntimeError(f"index {int(bad.flat[0])} is out of bounds for dimension {dim} with size {n}")


def check_gather(input: Tensor, index: Tensor, dim: int) -> None:
    """The index has the dimensions of the input and is nowhere larger, but along `dim`."""
    if not index._data.size:
        return
    if max(index._data.ndim, 1) != max(input._data.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, (n, m) in enumerate(zip(index._data.shape, input._data.shape, strict=False)):
        if d != dim and n > m:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._data.shape)} to be no "
                f"larger than self {list(input._data.shape)} apart from dimension {dim}"
            )


def check_scatter(input: Tensor, index: Tensor, source: Any, dim: int) -> None:
    """The index has the dimensions of the input and of the source, and fits into both."""
    if isinstance(source, Tensor) and source.dtype is not input.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index._data.size:
        return
    given = source._data if isinstance(source, Tensor) else None
    for data, name in ((input._data, "self"), (given, "src")):
        if data is not None and max(data.ndim, 1) != max(index._data.ndim, 1):
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {name} tensor")
    sizes = index._data.shape
    large = any(d != dim and n > m for d, (n, m) in enumerate(zip(sizes, input._data.shape, strict=False)))
    if given is not None:
        large = large or any(n > m for n, m in zip(sizes, given.shape, strict=False))
    if large:
        raise RuntimeError(
            f"Expected index {list(sizes)} to be no larger than self {list(input._data.shape)} apart from dimension "
            f"{dim}" + ("" if given is None else f" and to be no larger size than src {list(given.shape)}")
        )


def check_slices(name: str, input: Tensor, index: Tensor, source: Tensor, dim: int) -> None:
    """For `index_add_` and `index_reduce_`: a vector of indices, and one slice of the source for each."""
    kinds = (dtypes.int64, dtypes.int32)
    count, own = index._data.size, list(input._data.shape)
    if index._data.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index._data.ndim} with type: "
            f"{index.dtype.title} and size: {list(index._data.shape)}"
        )
    if index.dtype not in kinds:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {index.dtype.title}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"{name}(): self ({input.dtype.title}) and source ({source.dtype.title}) must have the same scalar type"
        )
    if source._data.ndim and dim >= source._data.ndim:
        raise RuntimeError(
            f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source._data.ndim}"
        )
    slices = source._data.shape[dim] if source._data.ndim else 1
    others = [n for d, n in enumerate(source._data.shape) if d != dim]
    if others != own[:dim] + own[dim + 1 :] or len(own) != source._data.ndim:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape "
            f"= {own} source.shape = {list(source._data.shape)}"
        )
    if count != slices:
        raise RuntimeError(
            f"{name}(): Number of indices ({count}) should be equal to source.size(dim): ({slices}), for dim: {dim}"
        )


def check_copy(input: Tensor, index: Tensor, source: Tensor, dim: int) -> None:
    """For `index_copy_`."""
    if index._data.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index._data.ndim})")
    count = index._data.size
    if not source._data.ndim and count != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {count})")
    if source._data.ndim and input._data.ndim and source._data.ndim != input._data.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source._data.ndim}), destination dimensionality ({input._data.ndim})"
        )
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {index.dtype.title}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {input.dtype.title} and "
            f"(source) {source.dtype.title}"
        )
    mine, theirs = ([n for d, n in enumerate(t._data.shape) if d != dim] for t in (input, source))
    if mine != theirs:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{_spaced(mine)} at dimension {dim} and source slice shape: {_spaced(theirs)} at dimension 0."
        )
    if source._data.ndim and count != source._data.shape[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) "
            f"({source._data.shape[dim]})"
        )
    n = input._data.shape[dim] if input._data.ndim else 1
    bad = index._data[(index._data < 0) | (index._data >= n)]
    if bad.size:
        raise IndexError(f"index_copy_(): index {int(bad.flat[0])} is out of bounds for dimension {dim} with size {n}")


def _spaced(sizes: list[int]) -> str:
    return " ".join(map(str, sizes))


def check_places(name: str, index: Tensor, count: int) -> None:
    """For `take` and `put_`: places in the flattened tensor, which may be counted from the end."""
    bad = index._data[(index._data < -count) | (index._data >= count)]
    if bad.size:
        raise IndexError(f"out of range: tried to access index {int(bad.flat[0])} on a tensor of {count} elements.")
