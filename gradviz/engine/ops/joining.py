"""Joining and splitting: `split`, `chunk`, `tensor_split`, `unbind` and their relatives, and functions composed of
other operations as in PyTorch: named forms of joining and splitting, integration, replacing part of a copy, integer
functions. `cat` and `stack` are in `shape.py`."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import jointly
from gradviz.engine.kernel.memory import ranged
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Size, Tensor, wrap
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.ops.shape import cat, listed, stack, warn_of_number
from gradviz.engine.ops.slicing import SLICE
from gradviz.engine.run.api import FUNCTIONS, api, method
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.arguments import need_tensors, refuse
from gradviz.engine.run.signatures import refusal

F = FUNCTIONS


def _joined(
    grads: Sequence[Tensor | None], dim: int, self_shape: tuple[int, ...], sizes: tuple[int, ...]
) -> list[Tensor]:
    whole = list(self_shape)
    parts = []
    for grad, n in zip(grads, sizes, strict=True):
        whole[dim] = n
        parts.append(next(g for g in grads if g is not None).new_zeros(tuple(whole)) if grad is None else grad)
    return [cat(parts, dim)]


def _split_row(name: str, brief: str) -> OpRow:
    """`split` by one size and by several sizes: one operation under two of PyTorch's names."""
    return op(
        name,
        "self",
        lambda x, *, dim, sizes: [
            ranged(x, dim=dim, start=end - size, end=end, step=1)
            for size, end in zip(sizes, itertools.accumulate(sizes), strict=True)
        ],
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


def _stack_grads(grads: Sequence[Tensor | None], dim: int, shape: tuple[int, ...]) -> Tensor:
    known = next(g for g in grads if g is not None)
    part = shape[:dim] + shape[dim + 1 :]
    return stack([known.new_zeros(part) if g is None else g for g in grads], dim)


@api("split", where="torch")
def split(tensor: Tensor, split_size_or_sections: object, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of equal size (the last may be smaller), or of the given sizes, along `dim`."""
    if isinstance(split_size_or_sections, Tensor):
        with contextlib.suppress(ValueError):  # of several elements
            split_size_or_sections = int(split_size_or_sections)
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


def _split_method(self: Tensor, split_size: object, dim: int = 0) -> tuple[Tensor, ...]:
    return split(self, split_size, dim)


_split_method.__qualname__ = "Tensor.split"
method("split")(_split_method)


@method("split_with_sizes")
def split_with_sizes(self: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of the given sizes along `dim`."""
    if refused := refusal("torch.split_with_sizes", (self, split_sizes, dim), {}):
        raise refused
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


def _cuts(input: Tensor, wanted: Tensor) -> Any:
    """Sections as a number or indices as a list, if they come as a tensor."""
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
    indices_or_sections: object = None,
    dim: int = 0,
    *,
    indices: object = None,
    sections: object = None,
    tensor_indices_or_sections: object = None,
) -> tuple[Tensor, ...]:
    """Parts as equal as possible, or cut at the given indices."""
    if not input._data.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    wanted = _one_of(indices_or_sections, indices, sections, tensor_indices_or_sections)
    wanted = _cuts(input, wanted) if isinstance(wanted, Tensor) else wanted
    axis = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[axis]
    if isinstance(wanted, int):
        if wanted <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {wanted}")
        cuts = [0, *np.cumsum([n // wanted + (i < n % wanted) for i in range(wanted)]).tolist()]
    else:
        cuts = [0, *(min(int(each) + n if each < 0 else int(each), n) for each in wanted), n]
    return tuple(call(SLICE, input, dim=axis, start=a, end=max(a, b), step=1) for a, b in itertools.pairwise(cuts))


@api("chunk")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """A number of parts along `dim`."""
    if not input._data.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._data.shape[wrap_dim(dim, input._data.ndim)]
    return split(input, -(-n // chunks), dim) if n else split_with_sizes(input, [0] * chunks, dim)


@api("unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`."""
    axis = wrap_dim(dim, input._data.ndim)
    if not input._data.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if not input._data.shape[axis]:
        return ()
    return call_all(UNBIND, input, dim=axis)


def _one_of(*given: object) -> Any:
    """The indices or sections to cut at, an argument with three names."""
    return next((each for each in given if each is not None), None)


def _split_along(name: str, least: int, dim: int) -> None:
    def parts(
        input: Tensor, indices_or_sections: object = None, *, indices: object = None, sections: object = None
    ) -> tuple[Tensor, ...]:
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


# --- composed of other operations ---


# --- joining and splitting ---


def _each(name: str, tensors: tuple[Any, ...], fn: Kernel) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return fn(tensors[0])
    given = tensors[0] if len(tensors) == 1 else tensors
    if not isinstance(given, (tuple, list)):
        forms = [(("Tensor",), "(Tensor input)", 1), (("tuple of Tensors",), "(tuple of Tensors tensors)", 1)]
        refuse(name, tensors, forms)
    need_tensors(given)
    return tuple(fn(each) for each in given)


@api("atleast_1d", where="torch")
def atleast_1d(*tensors: object) -> Any:
    """With at least one dimension."""
    return _each("atleast_1d", tensors, lambda x: x if x.ndim else x.reshape(1))


def _two(x: Tensor) -> Tensor:
    return x.reshape(1, 1) if not x.ndim else x.unsqueeze(0) if x.ndim == 1 else x


def _three(x: Tensor) -> Tensor:
    if not x.ndim:
        return x.reshape(1, 1, 1)
    if x.ndim == 1:
        return x.unsqueeze(0).unsqueeze(-1)
    return x.unsqueeze(-1) if x.ndim == 2 else x


@api("atleast_2d", where="torch")
def atleast_2d(*tensors: object) -> Any:
    """With at least two dimensions."""
    return _each("atleast_2d", tensors, _two)


@api("atleast_3d", where="torch")
def atleast_3d(*tensors: object) -> Any:
    """With at least three dimensions."""
    return _each("atleast_3d", tensors, _three)


@api("dstack", where="torch")
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the third dimension."""
    return F["cat"]([_three(each) for each in listed(tensors, "dstack")], 2)


@api("column_stack", where="torch")
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Vectors as columns, joined side by side."""
    several = listed(tensors, "column_stack")
    columns = [each.reshape(each.numel(), 1) if each.ndim <= 1 else each for each in several]
    return F["hstack"](columns)


def _block_diag(*parts: Any) -> Array:
    found = np.zeros((sum(p.shape[0] for p in parts), sum(p.shape[1] for p in parts)), parts[0].dtype)
    for part, (rows, columns) in zip(parts, _blocks([p.shape for p in parts]), strict=True):
        found[rows, columns] = part
    return found


def _blocks(shapes: Sequence[tuple[int, ...]]) -> list[tuple[slice, slice]]:
    """The place of each matrix in the result."""
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
    need_tensors(tensors)
    if not tensors:
        return F["empty"]((1, 0))
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
    return input.reshape(-1).diag_embed(offset)


@api("adjoint")
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices."""
    if input._data.ndim == 1:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if not input._data.ndim:
        warn_of_number("adjoint()")
        return input.conj() if input.dtype.is_complex else input
    turned: Tensor = input.transpose(-2, -1)
    return turned.conj() if input.dtype.is_complex else turned


# --- in place ---


@method("fill_diagonal_")
def fill_diagonal_(self: Tensor, fill_value: object, wrap: bool = False) -> Tensor:
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


# --- integers and queries ---


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


@api("is_conj")
def is_conj(input: Tensor) -> bool:
    """Whether PyTorch would conjugate this view only when it is read; here that is done at once, in memory of its
    own."""
    return input._lazy == "conj"


@api("is_neg")
def is_neg(input: Tensor) -> bool:
    """The same for the sign: true of the imaginary part of a conjugate."""
    return input._lazy == "neg"


@method("__reversed__")
def reversed_(self: Tensor) -> Tensor:
    """The elements in reverse order along all dimensions."""
    return self.flip(tuple(range(self._data.ndim))) if self._data.ndim else self


@method("sum_to_size")
def sum_to_size(self: Tensor, *size: object) -> Tensor:
    """Summed until it has the given shape."""
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    own = self._data.shape
    if not shape:
        return self.sum()
    extra = len(own) - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, own[extra:], strict=True)):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(own)}}}.")
    dims = [*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and own[i + extra] != 1)]
    if not dims:
        return self
    summed: Tensor = self.sum(dims, keepdim=True)
    return summed.view(shape) if extra else summed


@method("new")
def new(self: Tensor, *args: object) -> Tensor:
    """An old constructor: a tensor of the same type."""
    if len(args) == 1 and isinstance(args[0], Size):
        return self.new_zeros(args[0])
    if len(args) == 1 and isinstance(args[0], (list, tuple, Tensor, np.ndarray)):
        if isinstance(args[0], Tensor):
            return Tensor._legacy_new(self.dtype, args[0])
        return self.new_tensor(args[0])
    return self.new_zeros(args)


@method("apply_")
def apply_(self: Tensor, callable: Kernel) -> Tensor:
    """Each element through a Python function, in place; not tracked."""
    if self._requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    values = [callable(each) for each in self._data.reshape(-1).tolist()]
    self.data.copy_(wrap(np.array(values, self._data.dtype).reshape(self._data.shape)))  # not counted as a write
    return self


@api("typename", where="torch")
def typename(obj: object) -> str:
    """The name of the type, as PyTorch gives it."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


api("get_float32_matmul_precision", where="torch")(lambda: "highest")
api("is_warn_always_enabled", "are_deterministic_algorithms_enabled", where="torch")(lambda: False)
