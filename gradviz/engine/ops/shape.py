"""Views and rearrangements: the same elements in another shape. Most share memory with their source (`view=True`)."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes, memory
from gradviz.engine.kernel.batched import in_order
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly, sentence
from gradviz.engine.kernel.memory import check_rank, is_laid, with_one_more
from gradviz.engine.kernel.messages import plain_numbers
from gradviz.engine.kernel.rows import in_rows, op
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.numerics import overflow
from gradviz.engine.numerics.windows import channels_last
from gradviz.engine.ops.arithmetic import CLONE
from gradviz.engine.ops.creation import read_as
from gradviz.engine.ops.elementwise import check_broadcast, result_type
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import FUNCTIONS, api, method, prop
from gradviz.engine.run.apply import apply, call
from gradviz.engine.run.arguments import need_tensors
from gradviz.engine.run.inplace import resize_in_place

F = FUNCTIONS


def distinct_dims(dims: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front; duplicates are refused."""
    found = tuple(wrap_dim(d, ndim) for d in dims)
    for d in found:
        if found.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found


def sizes_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence; one-element tensors count as numbers."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    for n in args:
        if type(n) is not int:
            return tuple(int(n) if isinstance(n, Tensor) else operator.index(n) for n in args)
    return args


def infer_size(shape: Sequence[int], count: int) -> tuple[int, ...]:
    """Fill in the one -1 of a shape."""
    asked = tuple(shape)
    if math.prod(asked) == count and (not asked or min(asked) >= 0):
        return asked
    if asked.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in asked):
        at = next(i for i, n in enumerate(asked) if n < -1)
        raise RuntimeError(f"invalid shape dimension {asked[at]} at index {at} of shape {list(asked)}")
    known = math.prod(n for n in asked if n != -1)
    if -1 in asked:
        if known == count == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(asked)} because the unspecified dimension "
                "size -1 can be any value and is ambiguous"
            )
        if known and count % known == 0:
            return tuple(count // known if n == -1 else n for n in asked)
    raise RuntimeError(f"shape '{list(asked)}' is invalid for input of size {count}")


def _view_forward(x: Array, *, size: tuple[int, ...]) -> Array:
    found = memory.viewed(x, size)
    if found is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous "
            "subspaces). Use .reshape(...) instead."
        )
    return found


_SAME = "grad, reshaped back"
VIEW = op(
    "view",
    "self",
    _view_forward,
    category="shape",
    symbol="view",
    latex=r"x",
    brief="The same elements in another shape.",
    view=True,
    self=sentence(_SAME, lambda grad, self_shape: grad.reshape(self_shape)),
)
UNSAFE_VIEW = op(
    "_unsafe_view",
    "self",
    _view_forward,
    node="UnsafeViewBackward0",
    category="shape",
    symbol="view",
    latex=r"x",
    brief="The same elements in another shape.",
    self=sentence(_SAME, lambda grad, self_shape: grad.reshape(self_shape)),
)
RESHAPE_ALIAS = op(
    "_reshape_alias",
    "self",
    _view_forward,
    node="ReshapeAliasBackward0",
    category="shape",
    symbol="view",
    latex=r"x",
    brief="The same elements in another shape, if they are not in order in memory.",
    view=True,
    self=sentence(_SAME, lambda grad, self_shape: grad.reshape(self_shape)),
)
ALIAS = op(
    "alias",
    "self",
    lambda x: x[...],
    category="shape",
    symbol="alias",
    latex=r"x",
    brief="The tensor under another name.",
    view=True,
    self=sentence(_SAME, lambda grad: grad),
)


@method("view")
def view(self: Tensor, *size: object, dtype: dtypes.dtype | None = None) -> Tensor:
    """The same memory in another shape (or read as another type of the same size)."""
    kind = dtypes.meant(size[0] if dtype is None and len(size) == 1 else dtype)
    if isinstance(kind, dtypes.dtype):
        return read_as(self, kind)
    if not size:
        raise TypeError(
            "view() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (torch.dtype dtype)\n * (tuple of ints size)\n"
        )
    shape = infer_size(sizes_of(size), self._data.size)
    return call(VIEW, self, size=shape)


@api("reshape")
def reshape(input: Tensor, *shape: object) -> Tensor:
    """Another shape: a view if the memory allows it, otherwise a copy."""
    if input._coo is not None:
        raise RuntimeError("reshape is not implemented for sparse tensors")
    size = infer_size(sizes_of(shape), input._data.size)
    if memory.viewed(input._data, size) is not None:
        return call(VIEW if input._data.flags.c_contiguous else RESHAPE_ALIAS, input, size=size)
    return call(UNSAFE_VIEW, _contiguous_copy(input), size=size)


def _contiguous_copy(x: Tensor) -> Tensor:
    made: Tensor = apply(CLONE, (x,), (in_order(x._data),))
    return made


@api("contiguous", where="method")
def contiguous(self: Tensor, memory_format: object = None) -> Tensor:
    """The tensor itself if its elements are in order in memory, otherwise a copy in which they are."""
    if memory_format is not None and str(memory_format) != "torch.contiguous_format":
        check_rank(self._data.ndim, str(memory_format))
        return self if is_laid(self._data, memory_format) else call(CLONE, self, memory_format=memory_format)
    return self if self._data.flags.c_contiguous else _contiguous_copy(self)


method("view_as")(lambda self, other: view(self, other._data.shape))
method("reshape_as")(lambda self, other: reshape(self, other._data.shape))


@api("flatten")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions from `start_dim` to `end_dim` as one."""
    shape = input._data.shape
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if not shape:
        return reshape(input, 1)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return reshape(input, *shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])


@api("ravel")
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return input.contiguous().view(-1)


@api("unflatten")
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension as several."""
    at = wrap_dim(dim, input._data.ndim)
    shape = input._data.shape
    if not len(sizes):
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape:
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    if list(sizes).count(-1) > 1:
        raise RuntimeError("unflatten got an unexpected error:\nonly one dimension can be inferred")
    known = math.prod(n for n in sizes if n != -1)
    if known != shape[at] and (-1 not in sizes or not known or shape[at] % known):
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} ({shape[at]}) in the "
            "input tensor"
        )
    return view(input, *shape[:at], *infer_size(tuple(sizes), shape[at]), *shape[at + 1 :])


# --- order of dimensions ---

PERMUTE = op(
    "permute",
    "self",
    lambda x, *, dims: x.transpose(dims),
    category="shape",
    symbol="permute",
    latex=r"x",
    brief="Dimensions in another order.",
    view=True,
    self=sentence(
        "grad, with its dimensions permuted back",
        lambda grad, dims: grad.permute(sorted(range(len(dims)), key=lambda i: dims[i] % len(dims))),
    ),
)
TRANSPOSE = op(
    "transpose",
    "self",
    lambda x, *, dim0, dim1: x.swapaxes(dim0, dim1) if x.ndim else x[...],
    inplace_node="TransposeBackward1",
    category="shape",
    symbol="ᵀ",
    latex=r"x^\top",
    brief="Two dimensions exchanged.",
    view=True,
    self=sentence("grad, transposed back", lambda grad, dim0, dim1: grad.transpose(dim0, dim1)),
)
T = op(
    "t",
    "self",
    lambda x: x.T,
    inplace_node="TBackward1",
    category="shape",
    symbol="ᵀ",
    latex=r"x^\top",
    brief="The transposed matrix.",
    view=True,
    self=sentence("grad, transposed back", lambda grad: grad.t()),
)


@api("permute", where="method")
def permute_method(self: Tensor, *dims: object) -> Tensor:
    """Dimensions in another order."""
    if not dims:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    return permute(self, sizes_of(dims))


@api("permute", where="torch")
def permute(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Dimensions in another order."""
    n = input._data.ndim
    if len(dims) != n:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of "
            f"dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(dims)}"
        )
    order = tuple(wrap_dim(d, n) for d in dims)
    if len(set(order)) != n:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return call(PERMUTE, input, dims=tuple(dims))


@api("swapaxes")
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Two dimensions exchanged."""
    return transpose(input, axis0, axis1)


@api("transpose", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    n = input._data.ndim
    wrap_dim(dim0, n), wrap_dim(dim1, n)
    return call(TRANSPOSE, input, dim0=dim0, dim1=dim1)


@api("t")
def t(input: Tensor) -> Tensor:
    """The transposed matrix."""
    return _transposed(input, "t")


def _transposed(input: Tensor, name: str) -> Tensor:
    if input._data.ndim > 2:
        raise RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {input._data.ndim}D")
    return call(T, input)


_REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
    "1, -1, -1))` to reverse the dimensions of a tensor. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:4314.)"
)
_NUMBER_REVERSED = (
    "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:4321.)"
)


@prop("T")
def reversed_dims(self: Tensor) -> Tensor:
    """All dimensions in reverse order."""
    if self._data.ndim not in (0, 2):
        warn_once("T", _REVERSED)
    elif not self._data.ndim:
        warn_once("T of a number", _NUMBER_REVERSED)
    return permute(self, tuple(reversed(range(self._data.ndim))))


_NUMBER_TURNED = {
    name: f"{{}} is deprecated on 0-D tensors. {hint} (Triggered internally at "
    f"/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:{line}.)"
    for name, hint, line in (
        ("mT", "This function is the identity in these cases.", 4373),
        ("mH", "Consider using x.conj().", 4382),
        ("adjoint()", "Consider using x.conj().", 4390),
    )
}


def warn_of_number(name: str) -> None:
    """Warn once that a tensor without dimensions can't be transposed."""
    warn_once(f"{name} of a number", _NUMBER_TURNED[name].format(name if name == "adjoint()" else f"Tensor.{name}"))


def _matrices(name: str) -> None:
    """`mT` and `mH` of matrices or batches of them."""

    @prop(name)
    def turned(self: Tensor) -> Tensor:
        if self._data.ndim == 1:
            raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
        if not self._data.ndim:
            warn_of_number(name)
            return self.conj() if name == "mH" else self
        found = transpose(self, -2, -1)
        return found.conj() if name == "mH" else found


_matrices("mT")
_matrices("mH")


@prop("H")
def conjugate_transpose(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    n = self._data.ndim
    if n not in (0, 2):
        more = " For batches of matrices, consider using tensor.mH" if n > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{more}")
    return transpose(self, 0, 1).conj() if n else self


@api("movedim", "moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places."""
    n = input._data.ndim
    given = [[each] if isinstance(each, int) else list(each) for each in (source, destination)]
    if len(given[0]) != len(given[1]):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({given[0]} dims) should contain the same number of "
            f"dims as destination ({given[1]} dims)"
        )
    sources, targets = ([wrap_dim(d, n) for d in dims] for dims in given)
    for dims, wrapped, label in ((given[0], sources, "source"), (given[1], targets, "destination")):
        if len(set(wrapped)) != len(wrapped):
            raise RuntimeError(f"movedim: repeated dim in `{label}` ({dims})")
    if not n:
        return call(ALIAS, input)
    order = [i for i in range(n) if i not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return permute(input, order)


# --- dimensions of size one, and repetition ---


def _unsqueezed(grad: Tensor, dims: Iterable[int], shape: Sequence[int]) -> Tensor:
    """The gradient with those of these dimensions that had the size 1, one after the other."""
    for dim in sorted(each % len(shape) for each in dims if shape):
        if shape[dim] == 1:
            grad = grad.unsqueeze(dim)
    return grad


UNSQUEEZE = op(
    "unsqueeze",
    "self",
    with_one_more,
    inplace_node="UnsqueezeBackward1",
    category="shape",
    symbol="unsqueeze",
    latex=r"x",
    brief="A new dimension of size 1.",
    view=True,
    self=sentence(_SAME, lambda grad, dim: grad.squeeze(dim)),
)
SQUEEZE = op(
    "squeeze",
    "self",
    lambda x: x.squeeze(),
    inplace_node="SqueezeBackward3",
    category="shape",
    symbol="squeeze",
    latex=r"x",
    brief="Without the dimensions of size 1.",
    view=True,
    self=sentence(_SAME, lambda grad, self_shape: _unsqueezed(grad, range(len(self_shape)), self_shape)),
)
SQUEEZE_DIM = op(
    "squeeze",
    "self",
    lambda x, *, dim: x.squeeze(dim) if x.ndim and x.shape[dim] == 1 else x[...],
    key="squeeze_dim",
    inplace_node="SqueezeBackward4",
    number=1,
    category="shape",
    symbol="squeeze",
    latex=r"x",
    brief="Without one dimension of size 1.",
    view=True,
    self=sentence(_SAME, lambda grad, dim, self_shape: _unsqueezed(grad, (dim,), self_shape)),
)
SQUEEZE_DIMS = op(
    "squeeze",
    "self",
    lambda x, *, dim: x.squeeze(tuple(d for d in dim if x.shape[d] == 1)) if x.ndim else x[...],
    key="squeeze_dims",
    inplace_node="SqueezeBackward5",
    number=2,
    category="shape",
    symbol="squeeze",
    latex=r"x",
    brief="Without some dimensions of size 1.",
    view=True,
    self=sentence(_SAME, lambda grad, dim, self_shape: _unsqueezed(grad, dim, self_shape)),
)


@api("unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 at `dim`."""
    return call(UNSQUEEZE, input, dim=wrap_dim(dim, input._data.ndim + 1))


@api("squeeze")
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of size 1: all of them, or those of `dim`."""
    if dim is None:
        made = call(SQUEEZE, input)
    elif isinstance(dim, (tuple, list)):
        made = call(SQUEEZE_DIMS, input, dim=distinct_dims(dim, input._data.ndim))
    else:
        wrap_dim(dim, input._data.ndim)
        made = call(SQUEEZE_DIM, input, dim=dim)
    return made


_squeezed = Tensor.squeeze


@functools.wraps(_squeezed)
def _squeezed_along(self: Tensor, *dims: object, **named: object) -> Tensor:
    """As a method it takes several dimensions as they are, too: `x.squeeze(0, 1)`."""
    several = len(dims) > 1 and type(dims[0]) is int
    return _squeezed(self, dims) if several else _squeezed(self, *dims, **named)


Tensor.squeeze = _squeezed_along  # type: ignore[method-assign,assignment]


EXPAND = op(
    "expand",
    "self",
    memory.expanded,
    category="shape",
    symbol="expand",
    latex=r"x",
    brief="Repeated along dimensions of size 1, without copying.",
    view=True,
    self=sentence("grad, summed over the repetitions", lambda grad: grad),
)


@method("expand")
def expand(self: Tensor, *size: object, implicit: bool = False) -> Tensor:
    """Repeated along dimensions of size 1, without copying; -1 keeps a size."""
    if not size:
        raise TypeError('expand() missing 1 required positional arguments: "size"')
    return call(EXPAND, self, size=expanded_shape(self, sizes_of(size)))


def expanded_shape(x: Tensor, asked: Sequence[int]) -> tuple[int, ...]:
    """The shape that `x.expand(asked)` has; refuses what does not fit."""
    asked = plain_numbers(asked)
    shape = x._data.shape
    if asked == shape or (not shape and asked and min(asked) >= 0):
        return asked
    extra = len(asked) - len(shape)
    if extra < 0:
        raise RuntimeError(
            f"expand({x.dtype.cpu_type}{{{list(shape)}}}, size={list(asked)}): the number of sizes provided "
            f"({len(asked)}) must be "
            f"greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    full = []
    for i, n in reversed(list(enumerate(asked))):
        own = shape[i - extra] if i >= extra else None
        if n == -1 and own is None and shape:
            raise RuntimeError(
                f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {i}"
            )
        if own is not None and n not in (-1, own) and own != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({own}) at non-singleton "
                f"dimension {i}.  "
                f"Target sizes: {list(asked)}.  Tensor sizes: {list(shape)}"
            )
        full.append(own if n == -1 and own is not None else n)
    if any(n < 0 for n in full):
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(reversed(full))


method("expand_as")(lambda self, other: expand(self, other._data.shape))


@api("broadcast_to", where="torch")
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """As `expand`."""
    return call(EXPAND, input, size=expanded_shape(input, sizes_of((size,))))


@method("broadcast_to")
def _broadcast_to(self: Tensor, *sizes: object, size: Sequence[int] | None = None) -> Tensor:
    if not sizes and size is None:
        raise TypeError('broadcast_to() missing 1 required positional arguments: "size"')
    return broadcast_to(self, sizes_of(sizes) if size is None else size)


@api("broadcast_tensors", where="torch")
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape."""
    need_tensors(tensors)
    if not tensors:
        return ()
    check_broadcast(*(each._data for each in tensors))
    shape = np.broadcast_shapes(*(each._data.shape for each in tensors))
    return tuple(each if each._data.shape == shape else expand(each, *shape) for each in tensors)


REPEAT = op(
    "repeat",
    "self",
    lambda x, *, repeats: overflow.tile(x, repeats),
    category="shape",
    symbol="repeat",
    latex=r"x",
    brief="Copies side by side.",
    self=sentence(
        "grad, summed over the copies", lambda grad, self_shape, repeats: _repeat_grad(grad, self_shape, repeats)
    ),
)


def _repeat_grad(grad: Tensor, shape: tuple[int, ...], repeats: tuple[int, ...]) -> Tensor:
    extra = len(repeats) - len(shape)
    split: list[int] = []
    for times, n in zip(repeats, (1,) * extra + shape, strict=True):
        split += [times, n]
    if 0 in repeats:
        return grad.new_zeros(shape)
    return grad.reshape(*split).sum(tuple(range(0, len(split), 2))) if split else grad


@method("repeat")
def repeat(self: Tensor, *repeats: object) -> Tensor:
    """Copies side by side, as many along each dimension as given."""
    if not repeats:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    times = sizes_of(repeats)
    if len(times) < self._data.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * (len(times) - self._data.ndim) + self._data.shape
    if any(n < 0 for n in times):
        sizes = [n * m for n, m in zip(times, shape, strict=True)]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {sizes}")
    memory.check_room([n * m for n, m in zip(times, shape, strict=True)], self._data.itemsize)
    return call(REPEAT, self, repeats=times)


@api("tile")
def tile(input: Tensor, *dims: object) -> Tensor:
    """Like `repeat`, with fewer numbers allowed."""
    times = sizes_of(dims)
    return repeat(input, (1,) * (input._data.ndim - len(times)) + times)


# --- joining and splitting ---


def _cat_grads(grads: Sequence[Tensor], shapes: Sequence[tuple[int, ...]], dim: int) -> list[Tensor]:
    grad, out, start = grads[0], [], 0
    for shape in shapes:
        if len(shape) == 1 and shape[0] == 0 and len(grad._data.shape) != 1:
            out.append(grad.new_zeros(shape))
            continue
        axis = wrap_dim(dim, len(shape))
        out.append(grad.narrow(axis, start, shape[axis]))
        start += shape[axis]
    return out


def _joined(*xs: Any, dim: int) -> Array:
    xs = tuple(x for x in xs if x.shape != (0,)) or xs
    made = np.concatenate(xs, axis=dim)
    return made if all(map(channels_last, xs)) else in_order(made)


def _stack_grad(grads: Sequence[Tensor], dim: int) -> tuple[Tensor, ...]:
    return tuple(FUNCTIONS["select"](grads[0], dim, i) for i in range(grads[0].shape[dim]))


CAT = op(
    "cat",
    "*tensors",
    _joined,
    category="shape",
    symbol="cat",
    latex=r"[x, y]",
    brief="Tensors one after another.",
    joint=jointly(_cat_grads, tensors="its own part of grad"),
)
STACK = op(
    "stack",
    "*tensors",
    in_rows(lambda *xs, dim: np.stack(xs, axis=dim)),
    category="shape",
    symbol="stack",
    latex=r"[x; y]",
    brief="Tensors along a new dimension.",
    joint=jointly(_stack_grad, tensors="its own slice of grad"),
)


def _common(tensors: Sequence[Tensor], name: str) -> tuple[list[Tensor], list[Any]]:
    if isinstance(tensors, Tensor):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    several = list(tensors)
    if not several:
        if name == "stack":
            raise RuntimeError("stack expects a non-empty TensorList")
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    need_tensors(several)
    target = result_type(*several)
    return several, [each._data.astype(target.np, copy=False) for each in several]


@api("cat", "concat", "concatenate", where="torch")
def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors one after another along `dim`."""
    dim = dim if axis is None else axis
    several, arrays = _common(tensors, "cat")
    shapes = [x.shape for x in arrays if x.shape != (0,)]
    if any(not s for s in shapes):
        at = next(i for i, x in enumerate(arrays) if not x.ndim)
        raise RuntimeError(f"zero-dimensional tensor (at position {at}) cannot be concatenated")
    if shapes:
        at = wrap_dim(dim, len(shapes[0]))
        for i, x in enumerate(arrays):
            if x.shape != (0,):
                _check_cat(i, shapes[0], x.shape, at)
    made: Tensor = apply(CAT, several, arrays, {"dim": dim})
    return made


def _check_cat(i: int, first: tuple[int, ...], shape: tuple[int, ...], dim: int) -> None:
    if len(first) != len(shape):
        raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
    for d, (n, m) in enumerate(zip(first, shape, strict=True)):
        if d != dim and n != m:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got size {m} for "
                f"tensor number {i} in the list."
            )


@api("stack", where="torch")
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    several, arrays = _common(tensors, "stack")
    for i, x in enumerate(arrays):
        if x.shape != arrays[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(arrays[0].shape)} at entry 0 and "
                f"{list(x.shape)} at entry {i}"
            )
    made: Tensor = apply(STACK, several, arrays, {"dim": wrap_dim(dim, arrays[0].ndim + 1)})
    return made


def listed(tensors: Any, name: str) -> list[Tensor]:
    """The tensors to join, of which there has to be at least one."""
    if isinstance(tensors, Tensor):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    several = list(tensors)
    if not several:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return several


@api("hstack", where="torch")
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: along the second dimension, vectors along their only one."""
    several = [x if x._data.ndim else reshape(x, 1) for x in listed(tensors, "hstack")]
    return cat(several, 0 if several[0]._data.ndim <= 1 else 1)


@api("vstack", "row_stack", where="torch")
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors one below the other, vectors as rows."""
    return cat([x if x._data.ndim > 1 else reshape(x, 1, -1) for x in listed(tensors, "vstack")], 0)


# --- queries of the shape ---

api("numel")(lambda input: input._data.size)
method("nelement")(lambda self: self._data.size)
method("dim", "ndimension")(lambda self: self._data.ndim)
method("element_size")(lambda self: self._data.itemsize)


@method("is_contiguous")
def is_contiguous(self: Tensor, memory_format: object = None) -> bool:
    """Whether the elements are in order in memory, or in the order of a format."""
    if self._coo is not None and self._coo.compressed:
        raise RuntimeError("Sparse CSR tensors do not have is_contiguous")
    return self._coo is None and is_laid(self._data, memory_format)


prop("nbytes")(lambda self: self._data.nbytes)
prop("itemsize")(lambda self: self._data.itemsize)


@method("size")
def size(self: Tensor, dim: int | None = None) -> Size | int:
    """The sizes, or one of them."""
    return Size(self._data.shape) if dim is None else self._data.shape[_dim_of(self, dim)]


def _dim_of(x: Tensor, dim: int) -> int:
    if not x._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, x._data.ndim)


@method("stride")
def stride(self: Tensor, dim: int | None = None) -> int | tuple[int, ...]:
    """How many elements lie between neighbours along each dimension."""
    data = self._data
    if self._coo is not None and self._coo.compressed:
        raise RuntimeError("Sparse CSR tensors do not have strides")
    if self._coo is not None:
        found = (0,) * data.ndim
    elif self._base is None and data.flags.c_contiguous and data.size and data.base is None:
        # NumPy leaves the strides of single rows open
        found = tuple(math.prod(data.shape[i + 1 :]) for i in range(data.ndim))
    elif data.size or any(data.strides):
        found = tuple(step // data.itemsize for step in data.strides)
    else:  # without elements, as if each dimension had at least one
        found = tuple(math.prod(max(n, 1) for n in data.shape[i + 1 :]) for i in range(data.ndim))
    return found if dim is None else found[_dim_of(self, dim)]


def _in_place(name: str) -> None:
    method(name + "_")(lambda self, *args, **kw: resize_in_place(self, lambda: F[name](self, *args, **kw)))


for _name in ("unsqueeze", "squeeze", "transpose", "swapaxes", "swapdims"):
    _in_place(_name)
method("t_")(lambda self: resize_in_place(self, lambda: _transposed(self, "t_")))
