"""Writing to a tensor in place: what may be written, the version counter, and whose history the write becomes.

Note [Views and CopySlices] A write to a view changes its base, so the base's `grad_fn` becomes `CopySlices`: the
gradient of the unwritten part passes through to the base's former history, the gradient of the written part goes
through the operation. The view's own `grad_fn` is rebuilt as `AsStridedBackward0` when it is next asked for."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import batched, conjugates, dtypes, layers
from gradviz.engine.kernel.batched import one_example, plain
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import Node, edge_of, function_of, next_sequence, show_as
from gradviz.engine.kernel.memory import is_same, memory_order, partly_overlapping, repeated
from gradviz.engine.kernel.messages import OVERLAPPING, SECOND_BACKWARD, WRITTEN_TWICE, check_castable, view_written
from gradviz.engine.kernel.modes import _force_original_view_tracking, enable_grad, no_grad
from gradviz.engine.kernel.rows import ROWS, OpRow
from gradviz.engine.kernel.saved import Saved
from gradviz.engine.kernel.state import paused, renaming, state
from gradviz.engine.kernel.tensor import Coordinates, Tensor, View, wrap
from gradviz.engine.kernel.turns import computed_in_turn, takes_turns, written_in_turn
from gradviz.engine.run.api import FUNCTIONS
from gradviz.engine.run.apply import apply, attach, is_sparse

UNWATCHED = frozenset({"logical_not", "logical_and", "logical_or", "logical_xor"})  # autograd knows nothing of them
_SAME_EVERYWHERE = frozenset({"fill", "zero"})
_LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
# Writes whose operands may not share memory with the target, not even element by element.
_APART = frozenset(
    """scatter scatter_value scatter_multiply scatter_add scatter_reduce index_add index_copy index_reduce index_put
    put""".split()
)
# Writes that read their last operand as they go: (the places, the operand as it is read) from the operands' data.
AS_IT_GOES: dict[str, Callable[..., tuple[Array, Array]]] = {}
_PARTS = frozenset({"tril", "triu"})  # they write the zeros only, wherever these are
_READ_BEFORE = frozenset(
    {"masked_fill_tensor", "index_fill_tensor", "fill_with_tensor"}
)  # their last operand, a number
# Writes to elements of a tensor that share memory: PyTorch warns and writes. The line numbers are those of its source.
_WHERE_SHARED = {
    "index_fill": ("index_fill_", "mask] = scalar", 1913),
    "index_fill_tensor": ("index_fill_", "mask] = scalar", 1913),
    "masked_fill": ("masked_fill_", "mask] = scalar", 2450),
    "masked_fill_tensor": ("masked_fill_", "mask] = scalar", 2450),
    "index_put": ("index_put_", "indices] = tensor", 976),
}
Geometry = tuple[tuple[int, ...], tuple[int, ...], int]  # size, stride and offset, in elements


def check_writable(tensor: Tensor, tracked: bool = False) -> None:
    """Refuse to write to a leaf that requires grad, to a view of one, and to what can't be tracked; `tracked` says that
    the written values have a history."""
    if not state.grad:
        return
    base = tensor._base
    if base is not None and (tracked or base._requires_grad):
        if tensor._view is not None and tensor._view.origin:
            raise RuntimeError(view_refusal(tensor, tensor._view.origin, "is being"))
        if base._node is None and tensor.requires_grad:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if tensor._requires_grad and tensor.grad_fn is None and not tensor._inference:
        raise RuntimeError(_LEAF)


def _stays_inside(row: OpRow, tensors: Sequence[Tensor | None]) -> bool:
    """Whether a write has operands of inference mode only, so that PyTorch's autograd does not see it."""
    return row.key in _SAME_EVERYWHERE or all(each is None or each._inference for each in tensors[1:])


def view_refusal(view: Tensor, origin: str, what: str) -> str:
    """Why a view can't be followed through a write, depending on how it was made."""
    node = view._node
    made_by = "" if node is None else f"Output {view._output_nr} of {function_of(node)}"
    return view_written(made_by, origin, what)


def write(
    target: Tensor,
    row: OpRow,
    tensors: Sequence[Tensor | None],
    arrays: Sequence[Array | None],
    params: Mapping[str, object],
    forward: Callable[[OpRow, Sequence[object], Mapping[str, object]], object] | None = None,
) -> Tensor:
    """Run a row whose first operand is `target` and write the result to `target`. `forward` replaces the row's, as
    `layered.py` chooses."""
    if state.layered and forward is None:
        return layers.transforms.write(target, row, tensors, arrays, params)
    known = None if state.sparse is None or forward else _coordinates(row, tensors, arrays, params)
    watched = row.name not in UNWATCHED
    tracked = watched and state.grad and any(t is not None and t._requires_grad for t in tensors)
    if watched:
        check_writable(target, tracked)
        if target._inference and target._requires_grad and state.grad and not _stays_inside(row, tensors):
            raise RuntimeError(_LEAF)
    if row.name == "abs" and target.dtype.is_complex:
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    data, same = target._data, row.key in _SAME_EVERYWHERE
    shared = not same and 0 in data.strides and data.size > 1 and bool(repeated(data.shape, data.strides))
    if row.key in _PARTS or (shared and row.key == "copy" and is_same(data, arrays[1])):  # type: ignore[arg-type]
        shared = True
    elif shared:
        if row.key not in _WHERE_SHARED:
            raise RuntimeError(WRITTEN_TWICE)  # before a result as large as the target is computed
        warnings.warn(_shared_words(*_WHERE_SHARED[row.key]), UserWarning, stacklevel=3)
    if row.key != "masked_scatter":
        check_overlap(target, tensors[1 : -1 if row.key in _READ_BEFORE else None], apart=row.key in _APART)
    result = plain(_computed(target, row, arrays, params, forward))
    if result.shape != target._data.shape:
        raise RuntimeError(
            f"output with shape {list(target._data.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    check_castable(_kind(result, tensors), target.dtype)
    operands = [as_it_was(t) if tracked and t is not None and _is_written(t, target) else t for t in tensors]
    counter = target._version_counter
    version = 0 if counter is None else counter.value
    put(target, result, same, shared)
    if known is not target._coo:
        target._coo = known
    node = attach(row, operands, (target,), params, rebase=True) if tracked else None
    if node is not None:
        _watch_written(node, tensors, operands, version)
        rebase_history(target, node)
    if state.observer is not None:
        state.observer.forward(row, tensors, (target,), node, params)
    return target


def _kind(result: Array, tensors: Sequence[Tensor | None]) -> dtypes.dtype:
    """The element type of a result by PyTorch's name: complex numbers of half precision are computed as complex64."""
    found = dtypes.of(result)
    if found is not dtypes.complex64 or None in tensors:
        return found
    given = [each for each in tensors if each is not None]
    named = dtypes.common(
        [(each.dtype, each._data.ndim) for each in given if each._wrapped is None],
        [each._wrapped for each in given if each._wrapped is not None],
    )
    return named if named.is_complex else found  # an exponent is no operand


def _coordinates(
    row: OpRow, tensors: Sequence[Tensor | None], arrays: Sequence[Array | None], params: Mapping[str, object]
) -> Coordinates | None:
    """What the written tensor specifies if it is sparse."""
    if not is_sparse(tensors):
        return None
    found: Coordinates | None = state.sparse.coordinates(row, tensors, arrays, params)
    return found


def _computed(
    target: Tensor,
    row: OpRow,
    arrays: Sequence[Any],
    params: Mapping[str, object],
    forward: Callable[[OpRow, Sequence[object], Mapping[str, object]], object] | None,
) -> Any:
    if row.key in AS_IT_GOES and not params.get("accumulate"):
        first, last = arrays[0], arrays[-1]
        if type(first) is type(last) is np.ndarray and np.may_share_memory(first, last):
            return written_in_turn(first, *AS_IT_GOES[row.key](*arrays, **params))
    if (row.follows or row.key == "copy") and takes_turns(target._data, arrays):
        return computed_in_turn(target._data, arrays, functools.partial(row.forward, **params))
    return row.forward(*arrays, **params) if forward is None else forward(row, arrays, params)


def _shared_words(name: str, assigned: str, line: int) -> str:
    return (
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
        f"This also applies to advanced indexing e.g. tensor[{assigned} (Triggered internally at "
        f"/__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:{line}.)"
    )


def put(target: Tensor, values: Array, same: bool = False, shared: bool = False) -> None:
    """Overwrite the memory of `target` and count the write; `same` says that all values are equal, so that elements may
    be written more than once, `shared` that only changed elements are to be written, however many elements share
    memory."""
    if state.write_guard is not None:
        state.write_guard(target)
    if state.observer is not None:
        state.observer.before_write(target)
    data = target._data
    if not data.flags.writeable or (data.size > 1 and 0 in data.strides):
        if not (same or shared) and repeated(data.shape, data.strides):
            raise RuntimeError(WRITTEN_TWICE)
        if not data.flags.writeable:  # memory that NumPy made read-only (a constant) is not visible to anyone else
            data = target._data = data.copy()
    if shared and type(data) is type(values) is np.ndarray:
        changed = (values != data) & ((values == values) | (data == data))  # nan that stays nan counts as unchanged
        np.copyto(data, values, casting="unsafe", where=changed)
    elif state.layered:  # also in a run in which a transform was open before
        batched.overwrite(data, values)
    else:
        np.copyto(data, values, casting="unsafe")
    target._count_write()


def _is_written(operand: Tensor, target: Tensor) -> bool:
    """Whether the write also changes the operand: it is the target, or shares its memory."""
    counter = operand._version_counter
    return operand is target or (counter is not None and counter is target._version_counter)


def _watch_written(node: Node, tensors: Sequence[Tensor | None], before: Sequence[Tensor | None], version: int) -> None:
    """PyTorch keeps a copy of what it writes to, but the other operands as they are: if the write changed one that the
    gradient needs, the backward pass has to refuse it (`y *= y`)."""
    for one in node.saved or []:
        if type(one) is not Saved or one.tensor is None:
            continue
        for operand, former in zip(tensors[1:], before[1:], strict=True):
            if former is not operand and operand is not None and one.tensor is former:
                one.tensor, one.data, one.version = operand, operand._data, version
                one.counter = operand._share_version()


def check_overlap(target: Tensor, operands: Iterable[Tensor | None], apart: bool = False) -> None:
    """Refuse to write to memory that an operand reads in another order (or reads at all, for `apart`): some elements
    would be read after they were written. PyTorch checks only operands without holes."""
    data = target._data
    for operand in operands:
        if operand is None or not isinstance(operand, Tensor) or (operand is target and not apart):
            continue
        if (apart and operand is target) or partly_overlapping(data, operand._data, apart):
            raise RuntimeError(OVERLAPPING)


def as_it_was(target: Tensor) -> Tensor:
    """The operand before the write, with its history, as a formula saves it."""
    before = wrap(target._data.copy())
    edge = edge_of(target) if target._requires_grad else None
    before._requires_grad = target._requires_grad
    if edge is not None:
        if target._node is None:
            before._accumulator = target._accumulator
        else:
            before._node, before._output_nr = edge
    return before


def rebase_history(target: Tensor, node: Node) -> None:
    """Make `node` the history of the written tensor, or of its base."""
    base = target._base
    if base is None:
        _move_retained(target, target._node, target._output_nr, node)
        if not target._requires_grad:
            target._share_version().now_tracked(target)
        target._node, target._output_nr, target._requires_grad = node, 0, True
        return
    written = CopySlices(base, target, node)
    _move_retained(base, base._node, base._output_nr, written)
    if not base._requires_grad:
        base._share_version().now_tracked(base)
    base._node, base._output_nr, base._requires_grad = written, 0, True
    target._requires_grad = True
    if target._view is not None:
        target._view.version = -1
    target._sync_view()
    if target._node is not None:
        node.written = weakref.ref(target._node)


def _move_retained(target: Tensor, former: Node | None, number: int, node: Node | None) -> None:
    """`retain_grad` belongs to the tensor, so it moves with the tensor to the node that made its present value."""
    if former is None or former.retained is None or node is None or node is former:
        return
    found = former.retained.get(number)
    if found is not None and found() is target:
        node.retained = {0: former.retained.pop(number)}


class CopySlices(Node):
    """The history of a base that was written to through a view; see Note [Views and CopySlices]."""

    __slots__ = ("row",)
    row: OpRow
    class_name = "CopySlices"

    def __init__(self, base: Tensor, view: Tensor, inner: Node) -> None:
        self.inner = inner
        self.way = way_to(view, base)
        self.complex = view.dtype.is_complex
        self.order = memory_order(base._data)
        self.sequence_nr = next_sequence()
        base_edge = edge_of(base) if base._requires_grad else None
        self.next, self.slots = (base_edge, *inner.next[1:]), inner.slots
        self.metas = ((base._data.shape, base._data.dtype),)
        self.plan, self.params, self.captured = inner.plan, inner.params, inner.captured
        self.row = inner.row
        self.saved = inner.saved

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def release(self) -> bool:
        self.inner.release()
        self.freed = True
        return super().release()

    def _find_saved(self, name: str) -> Array:
        raise AttributeError(f"'CopySlices' object has no attribute '_saved_{name}'")

    def __dir__(self) -> list[str]:
        return [n for n in super().__dir__() if not n.startswith(("_saved_", "_raw_saved_")) and n not in vars(self)]

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        grad = grads[0]
        if grad is None:
            return [None] * len(self.next)
        if self.freed:
            raise RuntimeError(SECOND_BACKWARD)
        whole = self._laid_out(grad)
        part = _part(whole, self.way, self.complex)
        found = list(self.inner.apply([part.clone()]))
        kept = found[0]
        if self.next[0] is not None:
            part.copy_(part.new_zeros(part.shape) if kept is None else kept)
        if self.next[0] is None:
            return [None, *found[1:]]
        if self.order is not None:
            whole = whole.permute([self.order.index(dim) for dim in range(len(self.order))])
        return [whole, *found[1:]]

    def _laid_out(self, grad: Tensor) -> Tensor:
        """A copy of the gradient laid out like the base: the geometry of the view refers to memory."""
        return (grad if self.order is None else grad.permute(self.order)).contiguous().clone()


def way_to(view: Tensor, base: Tensor) -> Sequence[Geometry]:
    """What leads from the memory of a base to a view: what is conjugated there, and in the conjugates, if any; then
    the view itself."""
    way, memory = [], base._data
    for original, conjugate in conjugates.leading_to(memory, view._data) if conjugates.known else ():
        way.append(_geometry(original, memory))
        memory = conjugate
    return [*way, _geometry(view._data, memory)]


def _geometry(view: Array, base: Array) -> Geometry:
    """(size, stride, offset) of a view in the memory of its base, in elements."""
    if view.size and not np.may_share_memory(base, view):  # since set_()
        base = view
    data, size = one_example(view), view.itemsize
    whole = one_example(base)
    offset = (data.__array_interface__["data"][0] - whole.__array_interface__["data"][0]) // size
    return data.shape, tuple(stride // size for stride in data.strides), offset


def part_of(whole: Tensor, view: Tensor, base: Tensor) -> Tensor:
    """What the view is in its base, of another tensor in the same order."""
    return _part(whole, way_to(view, base), view.dtype.is_complex)


def _part(whole: Tensor, way: Sequence[Geometry], as_complex: bool) -> Tensor:
    """A part of the memory of a tensor, read as complex or as real numbers whatever the tensor's type."""
    if len(way) == 1:
        return _read(whole, way[0], as_complex)
    for where in way[:-1]:
        whole = _placed(whole, where, True).conj()
    return _placed(whole, way[-1], as_complex)


def _read(whole: Tensor, where: Geometry, as_complex: bool) -> Tensor:
    size, stride, offset = where
    if as_complex and not whole.dtype.is_complex:
        if not (whole.is_contiguous() and tuple(whole.shape) == (*size, 2)):
            whole = whole.as_strided((*size, 2), (*(2 * step for step in stride), 1), 2 * offset)
        as_numbers: Tensor = FUNCTIONS["view_as_complex"](whole)
        return as_numbers
    if whole.dtype.is_complex and not as_complex:
        whole = apply(ROWS["view_as_real"], (whole,), (whole._data,), {})  # a conjugate's, too
    found: Tensor = whole.as_strided(*where)
    return found


def _placed(whole: Tensor, where: Geometry, as_complex: bool) -> Tensor:
    """The same with an offset from the tensor's own first number; the tensor itself if it is that part."""
    if whole.dtype.is_complex == as_complex and where == _geometry(whole._data, whole._data):
        return whole
    size, stride, offset = where
    start = whole.storage_offset()  # in numbers of the tensor; a complex one is two real ones
    if whole.dtype.is_complex != as_complex:
        start = start // 2 if as_complex else 2 * start
    return _read(whole, (size, stride, start + offset), as_complex)


def remake_view(view: Tensor) -> None:
    """Rebuild the `grad_fn` of a view after its memory was written to."""
    base, how = view._base, view._view
    assert base is not None and how is not None
    if how.origin and (base._requires_grad or view._node is not None):
        raise RuntimeError(view_refusal(view, how.origin, "its base or another view of its base has been"))
    cut = not base._requires_grad and view._node is not None  # PyTorch looks at the base, not at the views in between
    if not (base._requires_grad or cut):
        return
    how.version = view._version
    way = way_to(view, base)
    former, number = view._node, view._output_nr
    with enable_grad():
        _give_history(view, base, way, former, cut)
    if view._node is not None and view._node._tag == -1 and view._tag >= 0:
        view._node._tag = -2 - view._tag
    _move_retained(view, former, number, view._node)


def _give_history(view: Tensor, base: Tensor, way: Sequence[Geometry], former: Node | None, cut: bool) -> None:
    where = way[-1]
    if len(way) > 1:
        made = _part(base, way, view.dtype.is_complex)
        view._node, view._output_nr, view._requires_grad = made._node, made._output_nr, True
    elif _force_original_view_tracking.enabled and (nodes := _way(former)):
        made = base
        for node in nodes:
            made = apply(node.row, (made,), (made._data,), node.params)
        view._node, view._output_nr, view._requires_grad = made._node, made._output_nr, True
    elif view.dtype.is_complex == base.dtype.is_complex:
        params = dict(zip(("size", "stride", "storage_offset"), where, strict=True))
        attach(ROWS["as_strided"], (base,), (view,), params, always=cut)
    else:
        made = _as_other_kind(base, where, view.dtype.is_complex, former)
        view._node, view._output_nr, view._requires_grad = made._node, made._output_nr, True


def _as_other_kind(base: Tensor, where: Geometry, as_complex: bool, former: Node | None) -> Tensor:
    """A view as complex numbers of a real base, or the other way round; `former` is the node that made it. PyTorch cuts
    out of the base what is looked at as the other kind of number, looks at it so, and repeats each later view."""
    way = _way(former)
    names = [node.row.name for node in way]
    crossing = "view_as_complex" if as_complex else "view_as_real"
    if crossing not in names:
        return _part(base, [where], as_complex)
    at, stage, stages = names.index(crossing), base, []
    try:
        with paused(), no_grad():
            for node in way:
                stage = apply(node.row, (stage,), (stage._data,), node.params)
                stages.append(_geometry(stage._data, base._data))
    except RuntimeError:  # the base has another shape by now, such as after transpose_()
        return _part(base, [where], as_complex)
    if stages[-1] != where:
        return _part(base, [where], as_complex)
    made: Tensor = base.as_strided(*stages[at - 1]) if at else base
    made = FUNCTIONS[crossing](made)
    for later in stages[at + 1 :]:
        made = made.as_strided(*later)
    return made


def _way(node: Node | None) -> list[Node]:
    """The views that led from a base to the output of the node, in order."""
    found: list[Node] = []
    while node is not None and node.plan is not None and node.plan.row.view and node.plan.row.single:
        found.append(node)
        node = node.next[0][0] if node.next[0] is not None else None
    return found[::-1]


@renaming
def resize_in_place(target: Tensor, make: Callable[[], Tensor]) -> Tensor:
    """Implement `unsqueeze_`, `t_` and similar methods: the tensor becomes the view of its memory that `make`
    returns."""
    check_writable(target, state.grad and target._requires_grad)
    made = make()
    if state.observer is not None:
        state.observer.before_write(target)
    if made._node is not None:
        show_as(made._node, made._node.row.inplace_class)
    target._data, target._coo = made._data, made._coo
    if state.layered:
        target._tangents = made._tangents
    target._count_write()
    if made._node is not None:
        if target._base is None:
            target._node, target._output_nr = made._node, made._output_nr
            target._tag = made._tag  # the recorder continues with the new tensor
        else:  # the new geometry belongs to this view: it is rebuilt only after the base is written to
            target._view = View(target._version, "" if target._view is None else target._view.origin)
            target._node, target._output_nr = made._node, made._output_nr
    return target


Tensor._remake_view = remake_view  # type: ignore[method-assign,assignment]
Tensor._check_writable = check_writable  # type: ignore[method-assign,assignment]
