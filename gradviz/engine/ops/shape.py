"""Views and rearrangements: the same elements seen in another shape. Most share memory with their source
(`view=True`)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS, api, method, prop
from gradviz.engine.apply import apply, call
from gradviz.engine.elementwise import result_type
from gradviz.engine.inplace import resize_in_place
from gradviz.engine.ops.arithmetic import CLONE
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.rows import ROWS, OpRow, op
from gradviz.engine.tensor import Size, Tensor

F = FUNCTIONS


def sizes_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence; one-element tensors count as numbers."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return tuple(int(n) for n in args)


def infer_size(shape: Sequence[int], count: int) -> tuple[int, ...]:
    """Fill in the one -1 of a shape."""
    asked = tuple(shape)
    if asked.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in asked):
        raise RuntimeError(f"invalid shape dimension {next(n for n in asked if n < -1)}")
    known = math.prod(n for n in asked if n != -1)
    if -1 in asked:
        if known == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(asked)} because the unspecified dimension "
                f"size -1 can be "
                "any value and is ambiguous"
            )
        if count % known == 0:
            return tuple(count // known if n == -1 else n for n in asked)
    elif known == count:
        return asked
    raise RuntimeError(f"shape '{list(asked)}' is invalid for input of size {count}")


def _same_memory(x: Any, size: tuple[int, ...]) -> Any:
    try:
        return x.reshape(size, copy=False)
    except ValueError:
        return None


def _view_forward(x: Any, *, size: tuple[int, ...]) -> Any:
    found = _same_memory(x, size)
    if found is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous "
            "subspaces). Use .reshape(...) instead."
        )
    return found


_SAME = {"self": "grad, in the former shape"}
VIEW = op(
    "view",
    "self",
    _view_forward,
    category="shape",
    symbol="view",
    latex=r"x",
    brief="The same elements in another shape.",
    derivatives=_SAME,
    view=True,
    self=lambda grad, self_shape: grad.reshape(self_shape),
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
    derivatives=_SAME,
    self=lambda grad, self_shape: grad.reshape(self_shape),
)
RESHAPE_ALIAS = op(
    "_reshape_alias",
    "self",
    _view_forward,
    node="ReshapeAliasBackward0",
    category="shape",
    symbol="view",
    latex=r"x",
    brief="The same elements in another shape, where they do not lie in order.",
    derivatives=_SAME,
    view=True,
    self=lambda grad, self_shape: grad.reshape(self_shape),
)
ALIAS = op(
    "alias",
    "self",
    lambda x: x[...],
    category="shape",
    symbol="alias",
    latex=r"x",
    brief="The tensor under another name.",
    derivatives=_SAME,
    view=True,
    self=lambda grad: grad,
)


@method("view")
def view(self: Tensor, *size: Any, dtype: Any = None) -> Tensor:
    """The same memory in another shape (or read as another type of the same size)."""
    if dtype is not None or (len(size) == 1 and isinstance(size[0], dtypes.dtype)):
        target = dtype or size[0]
        raise RuntimeError(
            f"view as another type ({target!r}) is not supported; use .to({target!r}) to convert the values"
        )
    shape = infer_size(sizes_of(size), self._data.size)
    made: Tensor = call(VIEW, self, size=shape)
    return made


@api("reshape")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Another shape: a view where the memory allows it, else a copy."""
    size = infer_size(sizes_of(shape), input._data.size)
    if _same_memory(input._data, size) is not None:
        made: Tensor = call(VIEW if input._data.flags.c_contiguous else RESHAPE_ALIAS, input, size=size)
        return made
    made = call(UNSAFE_VIEW, _contiguous_copy(input), size=size)
    return made


def _contiguous_copy(x: Tensor) -> Tensor:
    made: Tensor = apply(CLONE, (x,), (np.ascontiguousarray(x._data).reshape(x._data.shape),))
    return made


@api("contiguous", where="method")
def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself if its elements lie in order, else a copy in which they do."""
    return self if self._data.flags.c_contiguous else _contiguous_copy(self)


method("view_as")(lambda self, other: view(self, other._data.shape))
method("reshape_as")(lambda self, other: reshape(self, other._data.shape))


@api("flatten")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions from `start_dim` to `end_dim` as one."""
    shape = input._data.shape
    if not shape:
        return reshape(input, 1)
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return reshape(input, *shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])


@api("ravel")
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    made: Tensor = input.contiguous().view(-1)
    return made


@api("unflatten")
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension as several."""
    at = wrap_dim(dim, input._data.ndim)
    shape = input._data.shape
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
    derivatives=_SAME,
    view=True,
    self=lambda grad, dims: grad.permute(tuple(int(i) for i in np.argsort([d % len(dims) for d in dims]))),
)
TRANSPOSE = op(
    "transpose",
    "self",
    lambda x, *, dim0, dim1: x.swapaxes(dim0, dim1),
    inplace_node="TransposeBackward1",
    category="shape",
    symbol="ᵀ",
    latex=r"x^\top",
    brief="Two dimensions exchanged.",
    derivatives=_SAME,
    view=True,
    self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1),
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
    derivatives=_SAME,
    view=True,
    self=lambda grad: grad.t(),
)


@api("permute", where="method")
def permute_method(self: Tensor, *dims: Any) -> Tensor:
    """Dimensions in another order."""
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
    made: Tensor = call(PERMUTE, input, dims=tuple(dims))
    return made


@api("transpose", "swapaxes", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    n = input._data.ndim
    if not n:
        wrap_dim(dim0, n), wrap_dim(dim1, n)
        made: Tensor = call(ALIAS, input)
        return made
    wrap_dim(dim0, n), wrap_dim(dim1, n)
    made = call(TRANSPOSE, input, dim0=dim0, dim1=dim1)
    return made


@api("t")
def t(input: Tensor) -> Tensor:
    """The transposed matrix."""
    if input._data.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._data.ndim}D")
    made: Tensor = call(T, input)
    return made


@prop("T")
def reversed_dims(self: Tensor) -> Tensor:
    """All dimensions in reverse order."""
    return permute(self, tuple(reversed(range(self._data.ndim))))


prop("mT")(lambda self: transpose(self, -2, -1))
prop("H")(lambda self: transpose(self, 0, 1).conj() if self._data.ndim == 2 else self.conj())
prop("mH")(lambda self: transpose(self, -2, -1).conj())


@api("movedim", "moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places."""
    n = input._data.ndim
    sources = [wrap_dim(s, n) for s in ([source] if isinstance(source, int) else source)]
    targets = [wrap_dim(d, n) for d in ([destination] if isinstance(destination, int) else destination)]
    order = [i for i in range(n) if i not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return permute(input, order)


# --- dimensions of size one, and repetition ---

UNSQUEEZE = op(
    "unsqueeze",
    "self",
    lambda x, *, dim: np.expand_dims(x, dim),
    inplace_node="UnsqueezeBackward1",
    category="shape",
    symbol="unsqueeze",
    latex=r"x",
    brief="A new dimension of size 1.",
    derivatives=_SAME,
    view=True,
    self=lambda grad, dim: grad.squeeze(dim),
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
    derivatives=_SAME,
    view=True,
    self=lambda grad, self_shape: grad.reshape(self_shape),
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
    derivatives=_SAME,
    view=True,
    self=lambda grad, self_shape: grad.reshape(self_shape),
)
SQUEEZE_DIMS = op(
    "squeeze",
    "self",
    lambda x, *, dim: x.squeeze(tuple(d for d in dim if x.shape[d] == 1)),
    key="squeeze_dims",
    inplace_node="SqueezeBackward5",
    number=2,
    category="shape",
    symbol="squeeze",
    latex=r"x",
    brief="Without some dimensions of size 1.",
    derivatives=_SAME,
    view=True,
    self=lambda grad, self_shape: grad.reshape(self_shape),
)


@api("unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 at `dim`."""
    made: Tensor = call(UNSQUEEZE, input, dim=wrap_dim(dim, input._data.ndim + 1))
    return made


@api("squeeze")
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of size 1: all of them, or those of `dim`."""
    if dim is None:
        made: Tensor = call(SQUEEZE, input)
    elif isinstance(dim, (tuple, list)):
        made = call(SQUEEZE_DIMS, input, dim=tuple(wrap_dim(d, input._data.ndim) for d in dim))
    else:
        wrap_dim(dim, input._data.ndim)
        made = call(SQUEEZE_DIM, input, dim=dim)
    return made


def _expand_forward(x: Any, *, size: tuple[int, ...]) -> Any:
    return np.broadcast_to(x, size)


EXPAND = op(
    "expand",
    "self",
    _expand_forward,
    category="shape",
    symbol="expand",
    latex=r"x",
    brief="Repeated along dimensions of size 1, without copying.",
    derivatives={"self": "grad, summed over the repetitions"},
    view=True,
    self=lambda grad: grad,
)


@method("expand")
def expand(self: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    """Repeated along dimensions of size 1, without copying; -1 keeps a size."""
    asked = sizes_of(size)
    shape = self._data.shape
    extra = len(asked) - len(shape)
    if extra < 0:
        raise RuntimeError(
            f"expand({self.type()}{{{list(shape)}}}, size={list(asked)}): the number of sizes provided "
            f"({len(asked)}) must be "
            f"greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    full = []
    for i, n in enumerate(asked):
        own = shape[i - extra] if i >= extra else None
        if n == -1 and own is None:
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
    made: Tensor = call(EXPAND, self, size=tuple(full))
    return made


method("expand_as")(lambda self, other: expand(self, other._data.shape))


@api("broadcast_to")
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """As `expand`."""
    return expand(input, *size)


@api("broadcast_tensors", where="torch")
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape."""
    from gradviz.engine.elementwise import check_broadcast

    check_broadcast(*(each._data for each in tensors))
    shape = np.broadcast_shapes(*(each._data.shape for each in tensors))
    return tuple(each if each._data.shape == shape else expand(each, *shape) for each in tensors)


REPEAT = op(
    "repeat",
    "self",
    lambda x, *, repeats: np.tile(x, repeats),
    category="shape",
    symbol="repeat",
    latex=r"x",
    brief="Copies side by side.",
    derivatives={"self": "grad, summed over the copies"},
    self=lambda grad, self_shape, repeats: _repeat_grad(grad, self_shape, repeats),
)


def _repeat_grad(grad: Any, shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    extra = len(repeats) - len(shape)
    split: list[int] = []
    for times, n in zip(repeats, (1,) * extra + shape, strict=True):
        split += [times, n]
    if 0 in repeats:
        return grad.new_zeros(shape)
    return grad.reshape(*split).sum(tuple(range(0, len(split), 2))).reshape(*shape) if split else grad


@method("repeat")
def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """Copies side by side, so many along each dimension."""
    times = sizes_of(repeats)
    if len(times) < self._data.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    made: Tensor = call(REPEAT, self, repeats=times)
    return made


@api("tile")
def tile(input: Tensor, *dims: Any) -> Tensor:
    """As `repeat`, with fewer numbers allowed."""
    times = sizes_of(dims)
    return repeat(input, *((1,) * (input._data.ndim - len(times)) + times))


# --- putting together and taking apart ---


def _cat_grads(grads: Any, shapes: Any, dim: int) -> Any:
    grad, out, start = grads[0], [], 0
    for shape in shapes:
        if len(shape) == 1 and shape[0] == 0 and len(grad._data.shape) != 1:
            out.append(grad.new_zeros(shape))
            continue
        axis = wrap_dim(dim, len(shape))
        out.append(grad.narrow(axis, start, shape[axis]))
        start += shape[axis]
    return out


CAT = op(
    "cat",
    "*tensors",
    lambda *xs, dim: np.concatenate([x for x in xs if x.shape != (0,)] or xs, axis=dim),
    category="shape",
    symbol="cat",
    latex=r"[x, y]",
    brief="Tensors one after another.",
    derivatives={"tensors": "the part of grad that is its own"},
    joint=_cat_grads,
)
STACK = op(
    "stack",
    "*tensors",
    lambda *xs, dim: np.stack(xs, axis=dim),
    category="shape",
    symbol="stack",
    latex=r"[x; y]",
    brief="Tensors along a new dimension.",
    derivatives={"tensors": "the slice of grad that is its own"},
    joint=lambda grads, dim: grads[0].unbind(dim),
)


def _common(tensors: Sequence[Tensor], name: str) -> tuple[list[Tensor], list[Any]]:
    if isinstance(tensors, Tensor):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    several = list(tensors)
    if not several:
        if name == "stack":
            raise RuntimeError("stack expects a non-empty TensorList")
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, each in enumerate(several):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(each).__name__}")
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


api("hstack", where="torch")(
    lambda tensors: cat([_at_least_1d(x) for x in tensors], 0 if tensors[0]._data.ndim <= 1 else 1)
)
api("vstack", where="torch")(lambda tensors: cat([x if x._data.ndim > 1 else reshape(x, 1, -1) for x in tensors], 0))


def _at_least_1d(x: Tensor) -> Tensor:
    return x if x._data.ndim else reshape(x, 1)


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
        joint=_joined,
        derivatives={"self": "the gradients of the parts, joined"},
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
    joint=lambda grads, dim, self_shape: [_stack_grads(grads, dim, self_shape)],
    derivatives={"self": "the gradients of the slices, stacked"},
)


def _stack_grads(grads: Any, dim: int, shape: tuple[int, ...]) -> Any:
    known = next(g for g in grads if g is not None)
    part = shape[:dim] + shape[dim + 1 :]
    return stack([known.new_zeros(part) if g is None else g for g in grads], dim)


@api("split")
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of equal size (the last may be smaller), or of the sizes given, along `dim`."""
    axis = wrap_dim(dim, tensor._data.ndim)
    n = tensor._data.shape[axis]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        sizes = [min(size, n - start) for start in range(0, n, size)] if n else [0]
    else:
        sizes = [int(each) for each in split_size_or_sections]
        if sum(sizes) != n:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), "
                f"but got split_sizes={sizes}"
            )
    row = SPLIT if isinstance(split_size_or_sections, int) else SPLIT_SIZES
    made: tuple[Tensor, ...] = call(row, tensor, dim=axis, sizes=tuple(sizes))
    return made


method("split_with_sizes")(lambda self, split_sizes, dim=0: split(self, list(split_sizes), dim))


@api("tensor_split")
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts as equal as possible, or cut at the indices given."""
    axis = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[axis]
    if isinstance(indices_or_sections, int):
        k = indices_or_sections
        cuts = [0, *np.cumsum([n // k + (i < n % k) for i in range(k)]).tolist()]
    else:
        cuts = [0, *(min(int(each) + n if each < 0 else int(each), n) for each in indices_or_sections), n]
    return tuple(input.narrow(axis, a, max(b - a, 0)) for a, b in itertools.pairwise(cuts))


@api("chunk")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """So many parts along `dim`."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._data.shape[wrap_dim(dim, input._data.ndim)]
    return split(input, max(1, -(-n // chunks)), dim)


@api("unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`."""
    if not input._data.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    made: tuple[Tensor, ...] = call(UNBIND, input, dim=wrap_dim(dim, input._data.ndim))
    return made


# --- turned round ---


def _flip_dims(x: Tensor, dims: Any) -> tuple[int, ...]:
    return tuple(wrap_dim(d, x._data.ndim) for d in sizes_of(dims))


FLIP = op(
    "flip",
    "self",
    lambda x, *, dims: np.flip(x, dims).copy(),
    category="shape",
    symbol="flip",
    latex=r"x",
    brief="Order reversed along dimensions.",
    self=lambda grad, dims: grad.flip(dims),
)
ROLL = op(
    "roll",
    "self",
    lambda x, *, shifts, dims: np.roll(x, shifts, dims),
    category="shape",
    symbol="roll",
    latex=r"x",
    brief="Elements shifted round.",
    self=lambda grad, shifts, dims: F["roll"](
        grad, tuple(-s for s in shifts) if isinstance(shifts, tuple) else -shifts, dims
    ),
)


@api("flip")
def flip(input: Tensor, *dims: Any) -> Tensor:
    """Order reversed along `dims`."""
    made: Tensor = call(FLIP, input, dims=_flip_dims(input, dims))
    return made


api("fliplr")(lambda input: flip(input, 1))
api("flipud")(lambda input: flip(input, 0))


ROT90 = op(
    "rot90",
    "self",
    lambda x, *, k, dims: np.rot90(x, k, dims).copy(),
    category="shape",
    symbol="rot90",
    latex=r"x",
    brief="Turned by 90 degrees.",
    self=lambda grad, k, dims: grad.rot90(-k, dims),
)


@api("rot90")
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turned by 90 degrees, `k` times."""
    made: Tensor = call(ROT90, input, k=k, dims=tuple(dims))
    return made


def _windows(x: Any, *, dimension: int, size: int, step: int) -> Any:
    axis = wrap_dim(dimension, x.ndim)
    if not x.ndim:
        return x.reshape(1)[:size]
    found = np.lib.stride_tricks.sliding_window_view(x, size, axis, writeable=x.flags.writeable)
    return found[(slice(None),) * axis + (slice(None, None, step),)]


def _windows_grad(grad: Any, self_shape: Any, dimension: int, size: int, step: int) -> Any:
    axis = wrap_dim(dimension, len(self_shape))
    return call(ROWS["unfold_backward"], grad, input_sizes=self_shape, dim=axis, size=size, step=step)


UNFOLD = op(
    "unfold",
    "self",
    _windows,
    key="unfold_windows",
    category="shape",
    symbol="unfold",
    latex=r"x",
    brief="Windows along a dimension.",
    view=True,
    self=_windows_grad,
)
method("unfold")(lambda self, dimension, size, step: call(UNFOLD, self, dimension=dimension, size=size, step=step))


@api("roll")
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Elements shifted round along `dims`, or along all as one."""
    made: Tensor = call(ROLL, input, shifts=shifts, dims=dims)
    return made


# --- what a shape is ---

api("numel")(lambda input: input._data.size)
method("nelement")(lambda self: self._data.size)
method("dim", "ndimension")(lambda self: self._data.ndim)
method("element_size")(lambda self: self._data.itemsize)
method("is_contiguous")(lambda self, memory_format=None: self._data.flags.c_contiguous)
prop("nbytes")(lambda self: self._data.nbytes)
prop("itemsize")(lambda self: self._data.itemsize)


@method("size")
def size(self: Tensor, dim: int | None = None) -> Any:
    """The sizes, or one of them."""
    return Size(self._data.shape) if dim is None else self._data.shape[wrap_dim(dim, self._data.ndim)]


@method("stride")
def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many elements lie between neighbours along each dimension."""
    data = self._data
    if data.size:
        found = tuple(step // data.itemsize for step in data.strides)
    else:  # where there are no elements, as if each dimension had at least one
        found = tuple(math.prod(max(n, 1) for n in data.shape[i + 1 :]) for i in range(data.ndim))
    return found if dim is None else found[wrap_dim(dim, self._data.ndim)]


def _in_place(name: str) -> None:
    method(name + "_")(lambda self, *args, **kw: resize_in_place(self, F[name](self, *args, **kw)))


for _name in ("unsqueeze", "squeeze", "t", "transpose"):
    _in_place(_name)
