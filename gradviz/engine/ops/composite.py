"""Functions that are mostly made of other operations, as PyTorch makes them: joining and splitting by name, covariance,
integration, a part replaced in a copy, whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS as F
from gradviz.engine.api import api, method
from gradviz.engine.apply import call
from gradviz.engine.ops.shape import listed
from gradviz.engine.rows import op
from gradviz.engine.tensor import Size, Tensor, wrap

# --- joining and splitting ---


def _each(tensors: tuple[Any, ...], fn: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return fn(tensors[0])
    given = tensors[0] if len(tensors) == 1 else tensors
    return tuple(fn(each) for each in given)


@api("atleast_1d", where="torch")
def atleast_1d(*tensors: Any) -> Any:
    """With at least one dimension."""
    return _each(tensors, lambda x: x if x.ndim else x.reshape(1))


def _two(x: Tensor) -> Tensor:
    return x.reshape(1, 1) if not x.ndim else x.unsqueeze(0) if x.ndim == 1 else x


def _three(x: Tensor) -> Tensor:
    if not x.ndim:
        return x.reshape(1, 1, 1)
    if x.ndim == 1:
        return x.unsqueeze(0).unsqueeze(-1)
    return x.unsqueeze(-1) if x.ndim == 2 else x


@api("atleast_2d", where="torch")
def atleast_2d(*tensors: Any) -> Any:
    """With at least two dimensions."""
    return _each(tensors, _two)


@api("atleast_3d", where="torch")
def atleast_3d(*tensors: Any) -> Any:
    """With at least three dimensions."""
    return _each(tensors, _three)


@api("dstack", where="torch")
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the third dimension."""
    joined: Tensor = F["cat"]([_three(each) for each in listed(tensors, "dstack")], 2)
    return joined


@api("column_stack", where="torch")
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Vectors as columns, joined side by side."""
    several = listed(tensors, "column_stack")
    columns = [each.reshape(each.numel(), 1) if each.ndim <= 1 else each for each in several]
    joined: Tensor = F["hstack"](columns)
    return joined


def _block_diag(*parts: Any) -> Any:
    found = np.zeros((sum(p.shape[0] for p in parts), sum(p.shape[1] for p in parts)), parts[0].dtype)
    for part, (rows, columns) in zip(parts, _blocks([p.shape for p in parts]), strict=True):
        found[rows, columns] = part
    return found


def _blocks(shapes: Sequence[tuple[int, ...]]) -> list[tuple[slice, slice]]:
    """Where each matrix stands."""
    blocks, top, left = [], 0, 0
    for shape in shapes:
        height, width = (1, 1, *shape)[-2:]
        blocks.append((slice(top, top + height), slice(left, left + width)))
        top, left = top + height, left + width
    return blocks


BLOCK_DIAG = op(
    "block_diag",
    "*tensors",
    lambda *parts: _block_diag(*(p.reshape((1, 1, *p.shape)[-2:]) for p in parts)),
    category="shape",
    brief="Matrices along the diagonal of a larger one.",
    joint=lambda grad, shapes: [grad[at].reshape(shape) for at, shape in zip(_blocks(shapes), shapes, strict=True)],
)


@api("block_diag", where="torch")
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of a larger one."""
    for i, each in enumerate(tensors):
        if each._data.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {each._data.ndim} "
                "dimensions"
            )
    return call(BLOCK_DIAG, *tensors)


@api("diagflat")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The elements as a diagonal."""
    made_: Tensor = input.reshape(-1).diag_embed(offset)
    return made_


@api("adjoint")
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices."""
    if input._data.ndim == 1:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if not input._data.ndim:
        return input.conj() if input.dtype.is_complex else input
    turned: Tensor = input.transpose(-2, -1)
    return turned.conj() if input.dtype.is_complex else turned


# --- in place ---


@method("fill_diagonal_")
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """One value along the main diagonal."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    shape, strides, start = self._data.shape, self.stride(), self.storage_offset()
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    least, step = min(shape), sum(strides)
    self.as_strided((least,), (step,), start).fill_(fill_value)
    width = shape[1]
    if wrap and len(shape) == 2 and shape[0] > width + 1:
        rest = (self._data.size + width) // (width + 1) - least
        self.as_strided((rest,), (step,), start + strides[0] * (width + 1)).fill_(fill_value)
    return self


# --- whole numbers and facts ---


@api("is_nonzero")
def is_nonzero(input: Tensor) -> bool:
    """Whether a tensor with one element is not zero."""
    if input.numel() == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    return bool(input)


@api("is_same_size")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return tuple(input._data.shape) == tuple(other._data.shape)


@api("is_conj", "is_neg")
def is_conj(input: Tensor) -> bool:
    """False: conjugation and negation are done at once here."""
    return False


@method("sum_to_size")
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Summed until it has the given shape."""
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    own = self._data.shape
    if not shape:
        return self.sum()  # type: ignore[no-any-return]
    extra = len(own) - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, own[extra:], strict=True)):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(own)}}}.")
    dims = [*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and own[i + extra] != 1)]
    if not dims:
        return self
    summed: Tensor = self.sum(dims, keepdim=True)
    return summed.view(shape) if extra else summed


@method("to_dense")
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor itself: all are dense."""
    return self


@method("new")
def new(self: Tensor, *args: Any) -> Tensor:
    """An old constructor: a tensor of the same type."""
    if len(args) == 1 and isinstance(args[0], Size):
        return self.new_zeros(args[0])  # type: ignore[no-any-return]
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        found: Tensor = self.new_tensor(args[0])
        return found
    return self.new_zeros(args)  # type: ignore[no-any-return]


@method("apply_")
def apply_(self: Tensor, callable: Any) -> Tensor:
    """Each element through a Python function, in place; not tracked."""
    if self._requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    values = [callable(each) for each in self._data.reshape(-1).tolist()]
    self.copy_(wrap(np.array(values, self._data.dtype).reshape(self._data.shape)))
    return self


@api("typename", where="torch")
def typename(obj: Any) -> str:
    """The name of the type, as PyTorch gives it."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


api("get_float32_matmul_precision", where="torch")(lambda: "highest")
api("is_warn_always_enabled", "are_deterministic_algorithms_enabled", where="torch")(lambda: False)
