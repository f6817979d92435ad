"""Matrices and grids beyond plain products: diagonals, triangles, trace, tensordot, cross, distances, meshgrid; and
`einsum`, sums of products by an equation such as "bij,jk->bik". It is computed as in PyTorch, two operands at a time:
each brought to the same dimensions (the result's first, then those to be summed), each pair multiplied by one bmm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes, memory
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.memory import memory_of, start_of, strided
from gradviz.engine.kernel.messages import plain_numbers
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.numerics import overflow
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.creation import made
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.ops.shape import UNSAFE_VIEW
from gradviz.engine.run.api import FUNCTIONS, LINALG, api
from gradviz.engine.run.apply import call
from gradviz.engine.run.arguments import need_tensors

F = FUNCTIONS

# --- triangles and diagonals ---


def _part_of(part: Callable[[Array, int], Array], x: Array, diagonal: int) -> Array:
    if x.ndim < 2:
        raise RuntimeError(f"{part.__name__}: input tensor must have at least 2 dimensions")
    return part(x, diagonal)


TRIL = op(
    "tril",
    "self",
    lambda x, *, diagonal=0: _part_of(np.tril, x, diagonal),
    category="linear algebra",
    layout="rows",
    symbol="tril",
    latex=r"\operatorname{tril} A",
    brief="The lower triangle.",
    self=sentence("the lower triangle of grad", lambda grad, diagonal: grad.tril(diagonal)),
)
TRIU = op(
    "triu",
    "self",
    lambda x, *, diagonal=0: _part_of(np.triu, x, diagonal),
    category="linear algebra",
    layout="rows",
    symbol="triu",
    latex=r"\operatorname{triu} A",
    brief="The upper triangle.",
    self=sentence("the upper triangle of grad", lambda grad, diagonal: grad.triu(diagonal)),
)


def _triangle(row: Any) -> None:
    @api(row.name)
    def function(input: Tensor, diagonal: int = 0) -> Tensor:
        return call(row, input, diagonal=diagonal)

    function.__name__ = row.name


_triangle(TRIL)
_triangle(TRIU)


def diagonal_of(x: Array, *, offset: int, dim1: int, dim2: int) -> Array:
    """Like `np.diagonal`, but a writable view."""
    found = overflow.diagonal(x, *plain_numbers((offset, dim1, dim2)))
    if not found.size and type(x) is np.ndarray and not found.shape[-1]:  # PyTorch leaves it where x begins
        memory = memory_of(x)
        return strided(memory, x.dtype, found.shape, found.strides, start_of(x, memory))
    found.flags.writeable = x.flags.writeable
    return found


def _diagonal_put(g: Array, *, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Array:
    out = np.zeros(shape, g.dtype)
    diagonal_of(out, offset=offset, dim1=dim1, dim2=dim2)[...] = g
    return out


DIAGONAL_BACKWARD = op(
    "diagonal_backward",
    "grad_output",
    _diagonal_put,
    category="linear algebra",
    symbol="diag′",
    latex=r"\operatorname{diag}(g)",
    brief="A gradient put on a diagonal.",
    grad_output=sentence("the diagonal of grad", lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2)),
)


def _diagonal_grad(grad: Tensor, self_shape: object, offset: int, dim1: int, dim2: int) -> Tensor:
    return call(DIAGONAL_BACKWARD, grad, shape=self_shape, offset=offset, dim1=dim1, dim2=dim2)


_DIAGONAL: dict[str, Any] = {
    "category": "linear algebra",
    "symbol": "diag",
    "latex": r"\operatorname{diag} A",
    "brief": "A diagonal.",
    "self": sentence("grad on the diagonal, 0 elsewhere", _diagonal_grad),
}
DIAGONAL = op("diagonal", "self", diagonal_of, view=True, **_DIAGONAL)
DIAGONAL_COPY = op(
    "diagonal_copy",
    "self",
    lambda x, **kw: diagonal_of(x, **kw).copy(),
    node="DiagonalBackward0_copy",
    **_DIAGONAL,
)
DIAG_EMBED = op(
    "diag_embed",
    "self",
    lambda x, *, offset, dim1, dim2: _embed(x, offset, dim1, dim2),
    category="linear algebra",
    symbol="diag",
    latex=r"\operatorname{diag}(x)",
    brief="A matrix with the elements on its diagonal.",
    self=sentence("the diagonal of grad", lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2)),
)


def _embed(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    n = x.shape[-1] + abs(offset)
    ndim = x.ndim + 1
    d1, d2 = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    shape = list(x.shape[:-1])
    for d in sorted((d1, d2)):
        shape.insert(d, n)
    return _diagonal_put(x, shape=tuple(shape), offset=offset, dim1=d1, dim2=d2)


@api("diagonal")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal."""
    axes = _two_dims(dim1, dim2, input._data.ndim)
    return call(DIAGONAL, input, offset=offset, dim1=axes[0], dim2=axes[1])


api("diagonal", where="linalg")(lambda A, *, offset=0, dim1=-2, dim2=-1: diagonal(A, offset, dim1, dim2))


@api("diag_embed")
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dimension on their diagonals."""
    _two_dims(dim1, dim2, input._data.ndim + 1)
    return call(DIAG_EMBED, input, offset=offset, dim1=dim1, dim2=dim2)


def _two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


@api("diag")
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    if input._data.ndim == 1:
        return diag_embed(input, diagonal)
    if input._data.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._data.ndim}D")
    return call(DIAGONAL_COPY, input, offset=diagonal, dim1=0, dim2=1)


TRACE = op(
    "trace",
    "self",
    lambda x: overflow.trace(x).astype(x.dtype if x.dtype.kind in "fcV" else np.int64),
    category="linear algebra",
    symbol="tr",
    latex=r"\operatorname{tr} A",
    brief="The sum of the diagonal.",
    self=sentence("grad on the diagonal", lambda grad, self_shape: F["eye"](*self_shape, dtype=grad.dtype) * grad),
)


@api("trace")
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal."""
    if input.dtype is dtypes.bool_:
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    if input._data.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._data.ndim}")
    return call(TRACE, input)


def _triangle_indices(name: str, pick: Kernel) -> None:
    @api(name, where="torch")
    def function(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: object = None) -> Tensor:
        for what, count in (("row", row), ("col", col)):
            if count < 0:
                raise RuntimeError(f"{what} must be non-negative, got{count}")
        return made(np.stack(pick(row, offset, col)).astype((dtype or dtypes.int64).np))


_triangle_indices("tril_indices", np.tril_indices)
_triangle_indices("triu_indices", np.triu_indices)

# --- sums of products ---


def _summed_dims(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    """The dimensions of each operand that `dims` of tensordot means."""
    if not isinstance(dims, (tuple, list, Tensor, int)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims)
    if not isinstance(dims, int):
        left, right = dims
        for name, at, listed in (("self", 3, left), ("other", 4, right)):
            if isinstance(listed, int):
                raise TypeError(f"tensordot(): argument 'dims_{name}' (position {at}) must be tuple of ints, not int")
        return list(left), list(right)
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a._data.ndim, b._data.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-dims, 0)), list(range(dims))


@api("tensordot", where="torch")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Products summed over the given dimensions, as one mm, or one dot."""
    named = _summed_dims(a, b, dims)
    if len(named[0]) != len(named[1]):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    left, right = ([wrap_dim(d, each._data.ndim) for d in listed] for each, listed in zip((a, b), named, strict=True))
    for at, (i, j) in enumerate(zip(left, right, strict=True)):
        if b._data.shape[j] == 1:
            a = a.sum(i, keepdim=True)
        elif a._data.shape[i] == 1:
            b = b.sum(j, keepdim=True)
        elif a._data.shape[i] != b._data.shape[j]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a._data.shape[i]} in dim {named[0][at]} "
                f"and second has size {b._data.shape[j]} in dim {named[1][at]}"
            )
    rest_a = [d for d in range(a._data.ndim) if d not in left]
    rest_b = [d for d in range(b._data.ndim) if d not in right]
    count = math.prod(a._data.shape[d] for d in left)
    rows, columns = [a._data.shape[d] for d in rest_a], [b._data.shape[d] for d in rest_b]
    x, y = a.permute([*rest_a, *left]), b.permute([*right, *rest_b])
    if math.prod(rows) == 1 == math.prod(columns):
        vectors = [each if each._data.ndim == 1 else each.reshape(count) for each in (x, y)]
        return vectors[0].dot(vectors[1]).reshape(rows + columns)
    return x.reshape(math.prod(rows), count).mm(y.reshape(count, math.prod(columns))).reshape(rows + columns)


@api("kron")
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product."""
    n = max(input._data.ndim, other._data.ndim)
    a = (1,) * (n - input._data.ndim) + input._data.shape
    b = (1,) * (n - other._data.ndim) + other._data.shape
    left = call(UNSAFE_VIEW, input, size=tuple(k for m in a for k in (m, 1)))
    right = call(UNSAFE_VIEW, other, size=tuple(k for m in b for k in (1, m)))
    return call(UNSAFE_VIEW, left * right, size=tuple(p * q for p, q in zip(a, b, strict=True)))


# --- vectors and distances ---


_NO_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
    "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future "
    "release. (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/Cross.cpp:63.)"
)


def _cross(x: Array, y: Array, *, dim: int) -> Array:
    return np.array(np.cross(x, y, axis=dim), x.dtype, order="C")


CROSS = op(
    "linalg_cross",
    "self, other",
    _cross,
    category="linear algebra",
    symbol="×",
    latex=r"x \times y",
    brief="The cross product.",
    self=expressed("cross(other, grad)", lambda grad, other, dim: LINALG["cross"](conj(other), grad, dim=dim)),
    other=expressed("cross(grad, self)", lambda grad, self, dim: LINALG["cross"](grad, conj(self), dim=dim)),
)


@api("cross", where="linalg")
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product along a dimension of size 3."""
    if input._data.ndim != other._data.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if not input._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    sizes = [each._data.shape[wrap_dim(dim, each._data.ndim)] for each in (input, other)]
    if sizes != [3, 3]:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {sizes[0]} and {sizes[1]}")
    if input.dtype is dtypes.bool_:
        raise NotImplementedError("\"cross\" not implemented for 'Bool'")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {other.dtype.title}")
    x, y = (input, other) if input._data.shape == other._data.shape else F["broadcast_tensors"](input, other)
    return call(CROSS, x, y, dim=dim)


@api("cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product along `dim`, or along the first dimension of size 3."""
    axis = dim
    if axis is None:
        warn_once("cross", _NO_DIM)
        axis = next((i for i, n in enumerate(input._data.shape) if n == 3), None)
    if axis is None:
        raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim=axis)


# --- grids ---


@api("broadcast_shapes", where="torch")
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that the shapes broadcast to."""
    given = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    result: list[int] = [1] * max((len(s) for s in given), default=0)
    for at, shape in enumerate(given):
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if shape[i] not in (1, result[i]) and result[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching argument at "
                    f"index {at} had {shape}; but expected shape should be broadcastable to {result}"
                )
            result[i] = shape[i] if result[i] == 1 else result[i]
    return Size(result)


@api("meshgrid", where="torch")
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates of a grid, one tensor for each dimension."""
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
    need_tensors(given)
    if len({each.dtype for each in given}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing is None:
        import warnings

        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. (Triggered "
            "internally at "
            "/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:4430.)",
            UserWarning,
            stacklevel=2,
        )
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for each in given:
        if each._data.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {each}")
    swap = indexing == "xy" and len(given) >= 2
    if swap:
        given[0], given[1] = given[1], given[0]
    shape = [x._data.size for x in given]
    grids = [x.view([-1 if i == j else 1 for j in range(len(given))]).expand(shape) for i, x in enumerate(given)]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@api("cartesian_prod", where="torch")
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of elements, a row each."""
    need_tensors(tensors)
    for each in tensors:
        _check_vector(each)
    if len(tensors) == 1:
        return tensors[0]
    return F["stack"]([g.reshape(-1) for g in meshgrid(*tensors, indexing="ij")], 1)


@api("combinations", where="torch")
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements, a row each."""
    _check_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if not r:
        return F["empty"](0, dtype=input.dtype)
    n = input._data.size
    places = F["meshgrid"]([F["arange"](n)] * r, indexing="ij")
    mask = F["ones"]((n,) * r, dtype=dtypes.bool_)
    for left, right in itertools.pairwise(places):
        mask = F["logical_and"](mask, left <= right if with_replacement else left < right)
    grids = F["meshgrid"]([input] * r, indexing="ij")
    return F["stack"]([each.masked_select(mask) for each in grids], 1)


def _check_vector(x: Tensor) -> None:
    if x._data.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(x._data.shape)}")


@api("vander", where="torch")
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of each element, a row each."""
    if x._data.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x._data.size if N is None else N
    x = x if x.dtype.rank >= 2 else x.to(dtypes.int64)
    if not n:
        return x.new_empty((x._data.size, 0))
    powers = range(n) if increasing else range(n - 1, -1, -1)
    return F["stack"]([x**p for p in powers], -1)


@api("chain_matmul", where="torch")
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices."""
    warn_once(
        "chain_matmul",
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters. (Triggered internally "
        "at /__w/pytorch/pytorch/aten/src/ATen/native/LinearAlgebra.cpp:1102.)",
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for each in matrices:
        if each._data.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {each._data.ndim}, expected 2 instead.")
    if len(matrices) == 1:
        return matrices[0].clone()
    return LINALG["multi_dot"](matrices)


@api("repeat_interleave")
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or slice along `dim`, as often as `repeats` says; without it, each index as `input` says."""
    if repeats is None:
        return made(_each(input._data.size, input._data, output_size))
    x = input.reshape(-1) if dim is None else input
    if dim is not None and isinstance(repeats, Tensor) and not x._data.ndim:
        x.size(dim)
    axis = 0 if dim is None else wrap_dim(dim, x._data.ndim)
    if isinstance(repeats, int):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        if not x._data.ndim:
            x.unsqueeze(axis + 1).expand(repeats)
        shape = x._data.shape
        if output_size not in (None, shape[axis] * repeats):
            wanted = shape[axis] * repeats
            raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {wanted} but got {output_size}")
        wide: Tensor = x.unsqueeze(axis + 1).expand(*shape[: axis + 1], repeats, *shape[axis + 1 :])
        return wide.contiguous().flatten(axis, axis + 1)
    if not isinstance(repeats, Tensor):
        raise TypeError(f"repeat_interleave(): argument 'repeats' must be Tensor, not {type(repeats).__name__}")
    n, counts = x._data.shape[axis], repeats._data
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.size not in (1, n):
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({axis}) = {n}"
        )
    return x.index_select(axis, made(_each(n, counts, output_size)))


def _each(n: int, counts: Array, size: int | None) -> Array:
    """The numbers below n, each repeated by its own count or by the single count."""
    if counts.dtype not in (np.int32, np.int64):
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{dtypes.of(counts).title}'")
    if counts.ndim > 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if size not in (None, int(counts.sum()) * (n if counts.size == 1 else 1)):
        raise RuntimeError("allocated size does not match required size")
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    memory.check_room((sum(counts.reshape(-1).tolist()) * (n if counts.size == 1 else 1),), 8)
    return overflow.repeat(np.arange(n), counts).astype(np.int64)


# --- einsum ---


_DOTS = 0x100  # letters from here on stand for the dimensions of an ellipsis


class _Equation:
    """A parsed equation: the letters of each operand, and all letters, those of the result first."""

    def __init__(self, equation: str, operands: Sequence[Tensor]) -> None:
        left, arrow, right = equation.partition("->")
        self._check_letters(equation, left, right)
        left, right = left.replace(" ", ""), right.replace(" ", "")
        parts = left.split(",")
        if len(parts) != len(operands):
            more = "fewer" if len(parts) > len(operands) else "more"
            raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
        counts = [x._data.ndim - len(part.replace("...", "")) for part, x in zip(parts, operands, strict=True)]
        self._check(parts, counts, operands)
        dots = max((n for part, n in zip(parts, counts, strict=True) if "..." in part), default=0)
        names = [chr(_DOTS + i) for i in range(dots)]
        self.inputs = [
            list(part.replace("...", "".join(names[dots - n :]))) if "..." in part else list(part)
            for part, n in zip(parts, counts, strict=True)
        ]
        every = [c for letters in self.inputs for c in letters]
        if arrow:
            self.output = list(right.replace("...", "".join(names)))
        else:
            self.output = names + sorted(c for c in set(every) if every.count(c) == 1 and c not in names)
        for c in self.output:
            if self.output.count(c) > 1:
                raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
            if c not in every:
                raise RuntimeError(
                    f"einsum(): output subscript {c} does not appear in the equation for any input operand"
                )
        self.letters = self.output + [c for c in sorted(set(every)) if c not in self.output]

    @staticmethod
    def _check_letters(equation: str, left: str, right: str) -> None:
        """Refuse anything but letters and an ellipsis, at most one of which each operand and the result may have."""
        start = 0
        for operand, part in enumerate([*left.split(","), right]):
            of_output = start > len(left)
            where = "output" if of_output else f"operand {operand}"
            at = part.find("...")
            rest = part.replace("...", "", 1) if at >= 0 else part
            if "." in rest:
                twice = (
                    "but an ellipsis (...) was already found"
                    if of_output
                    else "for which an ellipsis was already found"
                )
                alone = "that is not part of any ellipsis" + " (...)" * of_output
                raise RuntimeError(f"einsum(): found '.' for {where} {twice if at == part.index('.') else alone}")
            for place, c in enumerate(part):
                if c not in " ." and c not in ascii_letters:
                    raise RuntimeError(
                        f"einsum(): invalid subscript given at index {start + place} in the equation string, "
                        "subscripts must be in [a-zA-Z]"
                    )
            start += len(part) + 1 + (start + len(part) == len(left))

    @staticmethod
    def _check(parts: list[str], counts: list[int], operands: Sequence[Tensor]) -> None:
        for i, (part, count, x) in enumerate(zip(parts, counts, operands, strict=True)):
            if "..." in part and count < 0:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(part.replace('...', ''))}) is more than "
                    f"the number of dimensions ({x._data.ndim}) for operand {i}"
                )
            if "..." not in part and count:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(part)}) does not match the number of "
                    f"dimensions ({x._data.ndim}) for operand {i} and no ellipsis was given"
                )


def _letter(place: Any) -> str:
    if place is Ellipsis:
        return "..."
    if not 0 <= place < 52:
        raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return (ascii_uppercase + ascii_lowercase)[place]


def _in_letters(given: Sequence[Any]) -> tuple[str, list[Tensor]]:
    """Convert the form that gives the dimensions of each operand, and of the result at the end, as lists of numbers."""
    lists = ["".join(map(_letter, each)) for each in [*given[1::2], *(given[-1:] if len(given) % 2 else [])]]
    inputs = ",".join(lists[: len(given) // 2])
    return inputs + ("->" + lists[-1] if len(given) % 2 else ""), list(given[: len(given) // 2 * 2 : 2])


@api("einsum", where="torch")
def einsum(*args: Any) -> Tensor:
    """Sums of products by an equation."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    equation, *operands = args
    if isinstance(equation, Tensor):
        equation, operands = _in_letters(args)
    given = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], list | tuple) else list(operands)
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    for i, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(each).__name__}")
    plan = _Equation(equation, given)
    _check_sizes(plan, given)
    terms = [_aligned(x, letters, plan.letters) for x, letters in zip(given, plan.inputs, strict=True)]
    kept = len(plan.output)
    if len(terms) == 1:
        summed = list(range(kept, len(plan.letters)))
        return terms[0].sum(summed) if summed else terms[0]
    found = terms[0]
    for i, term in enumerate(terms[1:], start=1):
        rest = terms[i + 1 :]
        now = [d for d in range(kept, len(plan.letters)) if all(x._data.shape[d] == 1 for x in rest)]
        found = _pair(found, term, now)
    return found.view(found._data.shape[:kept]) if len(plan.letters) > kept else found


def _check_sizes(plan: _Equation, operands: list[Tensor]) -> None:
    seen: dict[str, int] = {}
    for i, (x, letters) in enumerate(zip(operands, plan.inputs, strict=True)):
        own: dict[str, int] = {}
        for c, n in zip(letters, x._data.shape, strict=True):
            if own.setdefault(c, n) != n:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {i} but the sizes don't match, {n} != {own[c]}"
                )
        for c, n in zip(letters, x._data.shape, strict=True):
            if n != 1 and seen.setdefault(c, n) != n:
                if not c.isascii():  # of an ellipsis
                    raise RuntimeError(
                        f"einsum(): dimension {letters.index(c)} covered by ellipsis in operand {i}has size {n} which "
                        f"does not broadcast with previously seen ellipsis with size {seen[c]} for the respective "
                        "dimension"
                    )
                raise RuntimeError(
                    f"einsum(): subscript {c} has size {n} for operand {i} which does not broadcast with previously "
                    f"seen size {seen[c]}"
                )


def _aligned(x: Tensor, letters: list[str], order: list[str]) -> Tensor:
    """An operand with a dimension for every letter, in one order; a letter that occurs twice selects its diagonal."""
    letters = list(letters)
    while len(set(letters)) < len(letters):
        c = next(c for c in letters if letters.count(c) > 1)
        i = letters.index(c)
        j = letters.index(c, i + 1)
        x = x.diagonal(0, i, j).movedim(-1, i)
        del letters[j]
    missing = [c for c in order if c not in letters]
    for _ in missing:
        x = x.unsqueeze(-1)
    letters += missing
    return x.permute([letters.index(c) for c in order])


def _pair(x: Tensor, y: Tensor, now: list[int]) -> Tensor:
    """The product of two aligned operands, summed over the dimensions `now`, which are kept with size 1."""
    sizes = [(n, m) for n, m in zip(x._data.shape, y._data.shape, strict=True)]
    only_x = [d for d in now if sizes[d][0] != 1 and sizes[d][1] == 1]
    only_y = [d for d in now if sizes[d][0] == 1 and sizes[d][1] != 1]
    both = [d for d in now if 1 not in sizes[d]]
    x = x.sum(only_x, keepdim=True) if only_x else x
    y = y.sum(only_y, keepdim=True) if only_y else y
    return _sum_of_products(x, y, both) if both else x * y


def _sum_of_products(x: Tensor, y: Tensor, summed: list[int]) -> Tensor:
    """One bmm: dimensions of both operands are the batch, those of only one its rows or columns, `summed` the inner
    one."""
    a, b = x._data.shape, y._data.shape
    free = [d for d in range(len(a)) if d not in summed]
    batch = [d for d in free if a[d] > 1 and b[d] > 1]
    rows = [d for d in free if a[d] > 1 and b[d] == 1]
    columns = [d for d in free if a[d] == 1]
    size = [math.prod(a[d] for d in group) for group in (batch, rows, summed)]
    width = math.prod(b[d] for d in columns)
    left = x.permute(batch + rows + summed + columns).reshape(*size)
    right = y.permute(batch + summed + columns + rows).reshape(size[0], size[2], width)
    order = batch + rows + summed + columns
    shape = [a[d] for d in batch + rows] + [1] * len(summed) + [b[d] for d in columns]
    return F["bmm"](left, right).view(shape).permute([order.index(d) for d in range(len(order))])
