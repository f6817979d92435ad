"""The other forms of operations. Views that copy (`torch.expand_copy`, `torch.t_copy` …) and splits whose parts PyTorch
does not track as views (`torch.unsafe_split`): each is made from the row of the view. And in-place forms that do not
follow from a row's family: those that run the row of the operation (`tril_`, `cumsum_`, `square_`), `torch.fill`,
integer operations, other names of the same method, and in-place methods that PyTorch also has as functions. The
families make their own (`elementwise.py`)."""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import renamed, show_as
from gradviz.engine.kernel.memory import memory_format
from gradviz.engine.kernel.rows import ROWS, OpRow, op
from gradviz.engine.kernel.state import renaming, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops import arithmetic, index, linalg, matmul, matrix, order, shape, special
from gradviz.engine.ops.calculus import refuse_running
from gradviz.engine.ops.complexes import VIEW_AS_REAL
from gradviz.engine.ops.creation import made
from gradviz.engine.ops.distance import ranking_loss, triplet_loss
from gradviz.engine.ops.elementwise import NUMBERS, number_array
from gradviz.engine.ops.joining import SPLIT, SPLIT_SIZES
from gradviz.engine.ops.loss import bce_with_logits
from gradviz.engine.ops.matrix import DIAGONAL
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.ops.reordering import UNFOLD
from gradviz.engine.ops.shape import ALIAS, VIEW
from gradviz.engine.ops.slicing import SLICE
from gradviz.engine.ops.strided import AS_STRIDED
from gradviz.engine.run import tensor_gradients
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, api, in_torch_words, method, prop
from gradviz.engine.run.apply import as_copies, call
from gradviz.engine.run.inplace import check_writable, write

F = FUNCTIONS


def _in_place(name: str, *fields: tuple[str, object]) -> None:
    def function(self: Tensor, *args: object, **keywords: object) -> Tensor:
        params = dict(fields) | dict(zip([field for field, _ in fields], args, strict=False)) | keywords
        return write(self, ROWS[name], (self,), (self._data,), params)

    function.__name__ = f"{name}_"
    method(f"{name}_")(function)


_in_place("tril", ("diagonal", 0))
_in_place("triu", ("diagonal", 0))


@method("square_")
def square_(self: Tensor) -> Tensor:
    """Squared in place."""
    return self.pow_(2)


def _running(name: str) -> None:
    def function(self: Tensor, dim: int, *, dtype: object = None) -> Tensor:
        check_writable(self, state.grad and self._requires_grad)
        refuse_running(name, self, self.dtype)
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
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._data.ndim} dimensions."
        )
    return call(FILL_TENSOR, input, value)


_ready = (
    tensor_gradients,
    arithmetic,
    index,
    linalg,
    matmul,
    matrix,
    order,
    shape,
    special,
)  # their names are used below


def _copied(name: str, *names: str) -> None:
    """In-place forms of integer operations and of those without a row."""

    def function(self: Tensor, *args: object, **kwargs: object) -> Tensor:
        self.copy_(F[name](self, *args, **kwargs))
        return self

    function.__name__ = f"{name}_"
    method(*(f"{each}_" for each in (names or (name,))))(function)


for _name in ("gcd", "lcm", "logical_not", "nextafter", "cumprod", "ldexp"):
    if not hasattr(Tensor, f"{_name}_"):
        _copied(_name)


@method("float_power_")
def float_power_(self: Tensor, exponent: object) -> Tensor:
    """The power in double precision, which the tensor has to have."""
    wide = isinstance(exponent, complex) or (isinstance(exponent, Tensor) and exponent.dtype.is_complex)
    target = dtypes.complex128 if wide or self.dtype.is_complex else dtypes.float64
    if self.dtype is not target:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.title} but the operation's result requires dtype "
            f"{target.title}"
        )
    return self.pow_(exponent)


@method("map_")
def map_(self: Tensor, tensor: Tensor, callable: Callable[[object, object], object]) -> Tensor:
    """Each element through a Python function of it and one of another tensor, in place; not tracked."""
    if self._requires_grad or tensor._requires_grad:
        raise RuntimeError("Can't call map_() on Variable that requires grad. Use var.detach().map_() instead.")
    if tensor.dtype is not self.dtype:
        raise TypeError(f"map_: expected {self.dtype.cpu_type} for 'other' (got {tensor.dtype.cpu_type})")
    others = tensor.expand(self._data.shape)._data.reshape(-1).tolist()
    values = [callable(a, b) for a, b in zip(self._data.reshape(-1).tolist(), others, strict=True)]
    self.data.copy_(wrap(np.array(values, self._data.dtype).reshape(self._data.shape)))  # not counted as a write
    return self


@method("resize_as_")
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: object = None) -> Tensor:
    """Take the shape of another tensor."""
    return self.resize_(the_template.shape)


@method("resize")
@renaming
def resize(self: Tensor, *sizes: int) -> Tensor:
    """The same elements in another shape, by a name that PyTorch advises against."""
    warnings.warn("non-inplace resize is deprecated", stacklevel=3)
    count = functools.reduce(operator.mul, sizes, 1)
    if count != self.numel():
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, sizes))} ({count} elements in total), but the given tensor has a "
            f"size of {'x'.join(map(str, self.shape))} ({self.numel()} elements). autograd's resize can only change "
            "the shape of a given tensor, while preserving the number of elements. "
        )
    made = self.contiguous().view(*sizes)
    if made.grad_fn is not None:
        show_as(made.grad_fn, renamed(made.grad_fn._kind, "ResizeBackward"))
    return made


@method("dim_order")
def dim_order(self: Tensor, *, ambiguity_check: object = False) -> tuple[int, ...]:
    """The dimensions by their strides, largest first; on request an error if the order is ambiguous."""
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not (isinstance(ambiguity_check, bool | list) and all(isinstance(each, memory_format) for each in formats)):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape, strides = tuple(self.shape), tuple(self.stride())
    several = 1 in shape or any(a == b for a, b in itertools.pairwise(strides))
    fitting = sum(self.is_contiguous(memory_format=each) for each in formats)
    if ambiguity_check is not False and several and fitting != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    if ambiguity_check and len(shape) > 1 and 0 in strides:
        raise RuntimeError("The tensor does not have unique dim order.")
    order: list[int] = []
    for at in range(len(shape)):
        before = [i for i, other in enumerate(order) if 0 < strides[other] < strides[at]]
        order.insert(before[0] if before else len(order), at)
    return tuple(order)


prop("is_cpu")(lambda self: not self._on_meta)
prop("is_mps")(lambda self: False)
method("is_pinned")(lambda self, device=None: False)


def _subtract_(self: Tensor, other: object, alpha: object = 1) -> Tensor:
    """As `sub_`, with alpha also in its place."""
    return self.sub_(other, alpha=alpha)


for _new, _old in {
    "multiply_": "mul_",
    "swapaxes_": "transpose_",
    "swapdims_": "transpose_",
}.items():
    setattr(Tensor, _new, in_torch_words(getattr(Tensor, _old), f"Tensor.{_new}"))
Tensor.subtract_ = in_torch_words(_subtract_, "Tensor.subtract_")  # type: ignore[attr-defined]

for _name in """addmv_ as_strided_ conj_physical_ detach_ fill_ gcd_ index_put_ lcm_ ldexp_ resize_as_ square_ zero_
    split_with_sizes""".split():
    if hasattr(Tensor, _name):
        F.setdefault(_name, in_torch_words(getattr(Tensor, _name), f"torch.{_name}"))

_REDUCTIONS: dict[object, str] = {1: "mean", 2: "sum"}


_LOSSES = {  # the names of the arguments in their order under `torch`
    "binary_cross_entropy_with_logits": "input target weight pos_weight reduction",
    "cosine_embedding_loss": "input1 input2 target margin reduction",
    "ctc_loss": "log_probs targets input_lengths target_lengths blank reduction zero_infinity",
    "hinge_embedding_loss": "input target margin reduction",
    "kl_div": "input target reduction log_target",
    "margin_ranking_loss": "input1 input2 target margin reduction",
    "poisson_nll_loss": "input target log_input full eps reduction",
    "triplet_margin_loss": "anchor positive negative margin p eps swap reduction",
}


# Those that check less under `torch`.
_UNCHECKED: dict[str, Callable[..., Tensor]] = {
    "margin_ranking_loss": ranking_loss,
    "triplet_margin_loss": triplet_loss,
    "binary_cross_entropy_with_logits": bce_with_logits,
}


def _numbered(name: str, order: str) -> None:
    """A loss under `torch`, whose reduction is a number, "none" by default."""
    loss = _UNCHECKED.get(name, FUNCTIONAL[name])

    def function(*args: object, **kwargs: object) -> Tensor:
        given = {**dict(zip(order.split(), args, strict=False)), **kwargs}
        reduction = given.pop("reduction", 0)
        return loss(**given, reduction=_REDUCTIONS.get(reduction, "none"))

    function.__name__ = name
    api(name, where="torch")(function)


for _name, _order in _LOSSES.items():
    _numbered(_name, _order)


@api("unravel_index", where="torch")
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Positions in a flat tensor as indices into one of this shape."""
    sizes = (shape,) if isinstance(shape, int) else tuple(int(each) for each in shape)
    found = np.unravel_index(indices._data, sizes)
    return tuple(wrap(np.asarray(each, np.int64)) for each in found)


# --- views that copy: same arguments and gradient, another node ---


def _fresh(found: Any) -> Array | list[Array]:
    single = isinstance(found, np.ndarray)
    return np.array(found, order="C") if single else [np.array(each, order="C") for each in found]


def _in_own_memory(forward: Callable[..., object]) -> Callable[..., object]:
    @functools.wraps(forward)
    def copied(*arrays: object, **params: object) -> Array | list[Array]:
        return _fresh(forward(*arrays, **params))

    return copied


def _like(row: OpRow, key: str, name: str, node: str, forward: Callable[..., object]) -> OpRow:
    """A row like another one, under another name and not a view."""
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


def _offer(name: str, view: Callable[..., object], rows: dict[str, OpRow], where: str = "torch") -> None:
    """Register `view` under another name, with other rows."""

    @functools.wraps(view)
    def function(*args: object, **keywords: object) -> object:
        if rows is PARTS and state.inference:  # in which nothing is tracked anyway, but the writes to each part
            parts: Any = view(*args, **keywords)
            for each in parts:
                each._version_counter = None
            return parts
        with as_copies(rows):
            return view(*args, **keywords)

    function.__name__ = name
    if name.endswith("_copy"):
        function.__signature__ = _TAKES_OUT  # type: ignore[attr-defined]
    api(name, where=where)(function)


_TAKES_OUT = inspect.signature(lambda input, *args, **keywords: None)


def _select_range(input: Tensor, dim: int = 0, start: object = None, end: object = None, step: int = 1) -> Tensor:
    """A range along `dim`."""
    n = input.size(dim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    low, high, _ = slice(start, end, step).indices(n)
    return call(SLICE, input, dim=dim % input.ndim, start=low, end=max(low, high), step=step)


def _viewed(input: Tensor, size: object) -> Tensor:
    """The same elements in another shape."""
    return input.contiguous().view(size)


def _expanded(input: Tensor, size: object, *, implicit: bool = False) -> Tensor:
    """Repeated along dimensions of size 1."""
    return input.expand(size)


def _split_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> Tensor:
    """Parts of given sizes."""
    return F["split"](input, list(split_sizes), dim)


def _unfolded(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows along a dimension."""
    return input.unfold(dimension, size, step)


def _narrowed(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` entries from `start` along `dim`."""
    if not input.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if dim >= input.ndim:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    n = input.size(dim)
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    if length < 0:
        start += n if start < 0 else 0
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return F["narrow"](input, dim, start, length)


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


# The modules of these views have to be imported before their copies are made.
assert {row.node_name for row in (UNFOLD, ALIAS, AS_STRIDED, DIAGONAL, SLICE, VIEW, VIEW_AS_REAL)} <= COPIES.keys()
