"""Taking a tensor apart along a dimension: `split`, `chunk`, `tensor_split`, `unbind` and their kin. Putting together
is in `shape.py`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS, api, method
from gradviz.engine.apply import call, call_all
from gradviz.engine.formula import jointly
from gradviz.engine.ops.index import SLICE
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.ops.shape import cat, stack
from gradviz.engine.overloads import refuse
from gradviz.engine.rows import OpRow, op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def _joined(grads: Any, dim: int, self_shape: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
    whole = list(self_shape)
    parts = []
    for grad, n in zip(grads, sizes, strict=True):
        whole[dim] = n
        parts.append(next(g for g in grads if g is not None).new_zeros(tuple(whole)) if grad is None else grad)
    return [cat(parts, dim)]


def _split_row(name: str, brief: str) -> OpRow:
    """`split` by one size and by several are one operation under two names of PyTorch's."""
    return op(
        name,
        "self",
        lambda x, *, dim, sizes: np.split(x, np.cumsum(sizes)[:-1], axis=dim),
        outputs="result, others",
        category="shape",
        symbol="split",
        latex=r"x",
        brief=brief,
        view=True,
        joint=jointly(_joined, self="the gradients of the parts, joined"),
    )


SPLIT = _split_row("split", "Parts along a dimension.")
SPLIT_SIZES = _split_row("split_with_sizes", "Parts of given sizes along a dimension.")
UNBIND = op(
    "unbind",
    "self",
    lambda x, *, dim: [np.moveaxis(x, dim, 0)[i, ...] for i in range(x.shape[dim])],
    outputs="result, others",
    category="shape",
    symbol="unbind",
    latex=r"x",
    brief="Slices along a dimension.",
    view=True,
    joint=jointly(
        lambda grads, dim, self_shape: [_stack_grads(grads, dim, self_shape)],
        self="the gradients of the slices, stacked",
    ),
)


def _stack_grads(grads: Any, dim: int, shape: tuple[int, ...]) -> Any:
    known = next(g for g in grads if g is not None)
    part = shape[:dim] + shape[dim + 1 :]
    return stack([known.new_zeros(part) if g is None else g for g in grads], dim)


@api("split")
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of equal size (the last may be smaller), or of the sizes given, along `dim`."""
    if not isinstance(split_size_or_sections, int):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    size = split_size_or_sections
    if not tensor._data.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis = wrap_dim(dim, tensor._data.ndim)
    n = tensor._data.shape[axis]
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if not size and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    sizes = [min(size, n - start) for start in range(0, n, size)] if n else [0]
    return call_all(SPLIT, tensor, dim=axis, sizes=tuple(sizes))


@method("split_with_sizes")
def split_with_sizes(self: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of the sizes given along `dim`."""
    if not self._data.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis = wrap_dim(dim, self._data.ndim)
    n = self._data.shape[axis]
    sizes = [int(each) for each in split_sizes]
    if any(each < 0 for each in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}"
        )
    if sum(sizes) != n:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={sizes}"
        )
    return call_all(SPLIT_SIZES, self, dim=axis, sizes=tuple(sizes))


def _cuts(input: Tensor, wanted: Any) -> Any:
    """Sections as a number or indices as a list, where they come as a tensor."""
    if wanted.dtype is not dtypes.int64:
        raise RuntimeError(
            f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {wanted.dtype.title}"
        )
    if wanted._data.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but "
            f"got a tensor with {wanted._data.ndim} dims"
        )
    return wanted.tolist()


@api("tensor_split")
def tensor_split(
    input: Tensor,
    indices_or_sections: Any = None,
    dim: int = 0,
    *,
    indices: Any = None,
    sections: Any = None,
    tensor_indices_or_sections: Any = None,
) -> tuple[Tensor, ...]:
    """Parts as equal as possible, or cut at the indices given."""
    if not input._data.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    axis = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[axis]
    wanted = _one_of(indices_or_sections, indices, sections, tensor_indices_or_sections)
    wanted = _cuts(input, wanted) if isinstance(wanted, Tensor) else wanted
    if isinstance(wanted, int):
        if wanted <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {wanted}")
        cuts = [0, *np.cumsum([n // wanted + (i < n % wanted) for i in range(wanted)]).tolist()]
    else:
        cuts = [0, *(min(int(each) + n if each < 0 else int(each), n) for each in wanted), n]
    return tuple(call(SLICE, input, dim=axis, start=a, end=max(a, b), step=1) for a, b in itertools.pairwise(cuts))


@api("chunk")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """So many parts along `dim`."""
    if not input._data.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._data.shape[wrap_dim(dim, input._data.ndim)]
    return split(input, -(-n // chunks), dim) if n else split_with_sizes(input, [0] * chunks, dim)


@api("unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`."""
    if not input._data.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    axis = wrap_dim(dim, input._data.ndim)
    if not input._data.shape[axis]:
        return ()
    return call_all(UNBIND, input, dim=axis)


def _one_of(*given: Any) -> Any:
    """Where to cut, which goes by three names."""
    return next((each for each in given if each is not None), None)


def _split_along(name: str, least: int, dim: int) -> None:
    def parts(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> Any:
        indices_or_sections = _one_of(indices_or_sections, indices, sections)
        if isinstance(indices_or_sections, (str, float)):
            known = [(("Tensor", ""), "(Tensor input, int sections)", 2)]
            known.append((("Tensor", ""), "(Tensor input, tuple of ints indices)", 2))
            refuse(name, (input, indices_or_sections), known)
        if input.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {input.ndim} "
                "dimensions!"
            )
        axis = 0 if name == "hsplit" and input.ndim == 1 else dim
        wanted, n = indices_or_sections, input._data.shape[axis]
        if isinstance(wanted, int) and (not wanted or n % wanted):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {axis}, but the size of the dimension {n} is not "
                f"divisible by the split_size {wanted}!"
            )
        return tensor_split(input, wanted, axis)

    parts.__name__ = name
    api(name)(parts)


_split_along("hsplit", 1, 1)
_split_along("vsplit", 2, 0)
_split_along("dsplit", 3, 2)
