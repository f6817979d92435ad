"""Running one operation: compute, attach a node if a gradient is wanted, report. All rows take this path; the
two-operand arithmetic of scalars and equal types has a shortcut with the same result (`elementwise.py`). In-place
writes are in `inplace.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import Edge, Node, bare, edge_of, next_sequence
from gradviz.engine.kernel.memory import followed, single_steps
from gradviz.engine.kernel.modes import forward_stack
from gradviz.engine.kernel.rows import OpRow
from gradviz.engine.kernel.state import on_new_run, state
from gradviz.engine.kernel.tensor import Tensor, View, wrap_result

NO_PARAMS: Mapping[str, Any] = {}
_WHOLE = "biu"  # kinds of NumPy types that have no gradient

# NumPy warns of overflow, division by zero and invalid values; PyTorch silently computes inf and nan, and so do we.
np.seterr(all="ignore")


def call(row: OpRow, *tensors: Tensor | None, **params: object) -> Tensor:
    """Run a row with one output on tensors as they are: the operands already have the types that the forward needs."""
    arrays = [None if t is None else t._data for t in tensors]
    if state.sparse is not None and is_sparse(tensors):
        return state.sparse.apply(row, tensors, arrays, params)  # type: ignore[no-any-return]
    if not (state.grad or state.layered or state.inference or row.view) and row.single and state.observer is None:
        found = row.forward(*arrays, **params)  # most of a backward pass: nothing is tracked and there is no observer
        return wrap_result(_laid(found, tensors) if row.follows else found)
    made: Tensor = apply(row, tensors, arrays, params)
    return made


def is_sparse(tensors: Sequence[Tensor | None]) -> bool:
    """Whether there is a sparse one among the operands; formulas of gradients see dense ones."""
    return state.node is None and any(each is not None and each._coo is not None for each in tensors)


def call_all(row: OpRow, *tensors: Tensor | None, **params: object) -> tuple[Tensor, ...]:
    """The same for a row with several outputs."""
    made: tuple[Tensor, ...] = apply(row, tensors, [None if t is None else t._data for t in tensors], params)
    return made


def apply(
    row: OpRow,
    tensors: Sequence[Tensor | None],
    arrays: Sequence[Array | None],
    params: Mapping[str, object] = NO_PARAMS,
    forward: Callable[[OpRow, Sequence[object], Mapping[str, object]], Any] | None = None,
) -> Any:
    """Run a row: one tensor, or a tuple of them if it has several outputs. `arrays` are the operands' data, cast to the
    types that the forward needs; gradients go to `tensors`. `forward` replaces the row's, as `layered.py` chooses."""
    if row.view and _copying:
        row = _copying[-1][row.node_name]
    if state.sparse is not None and forward is None and is_sparse(tensors):
        return state.sparse.apply(row, tensors, arrays, params)
    if state.layered and forward is None:
        return layers.transforms.apply(row, tensors, arrays, params)
    made = row.forward(*arrays, **params) if forward is None else forward(row, arrays, params)
    if row.single:
        follows = row.follows and (forward is None or type(made) is np.ndarray)  # batches have no order
        out = wrap_result(_laid(made, tensors) if follows else made)
        outputs: tuple[Tensor, ...] = (out,)
    else:
        outputs = tuple(map(wrap_result, made))
    if state.layered:
        layers.mark_numberless(tensors, outputs)
    if row.view:
        make_views(tensors[0], outputs, several=not row.single)
    node = (
        attach(row, tensors, outputs, params)
        if state.grad
        and not state.inference
        and _wanted(tensors)
        and not (row.view and outputs and outputs[0]._inference)
        else None
    )
    if state.inference and not row.view:
        for each in outputs:
            each._inference = True
    observer = state.observer
    if observer is not None:
        observer.forward(row, tensors, outputs, node, params)
    return outputs[0] if row.single else outputs


def _laid(made: Any, tensors: Sequence[Tensor | None]) -> Any:
    """The result in the memory order of PyTorch; NumPy follows it by itself if all operands are row by row."""
    for each in tensors:
        if each is not None and (not each._data.flags.c_contiguous or single_steps(each._data)):
            return followed(made, [None if t is None else t._data for t in tensors])
    return made


@contextmanager
def as_views() -> Iterator[None]:
    """Within `as_copies`: views that are intermediate results are not copied."""
    held = _copying[:]
    _copying.clear()
    try:
        yield
    finally:
        _copying[:] = held


def _wanted(tensors: Sequence[Tensor | None]) -> bool:
    for each in tensors:
        if each is not None and each._requires_grad:
            return not each._inference or any(one is not None and not one._inference for one in tensors)
    return False


_copying: list[Mapping[str, OpRow]] = []
on_new_run(_copying.clear)


@contextmanager
def as_copies(rows: Mapping[str, OpRow]) -> Iterator[None]:
    """Inside, views get memory of their own: `rows` maps the node of each view to the row that copies."""
    _copying.append(rows)
    try:
        yield
    finally:
        _copying.pop()


def attach(
    row: OpRow,
    tensors: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    params: Mapping[str, object],
    rebase: bool = False,
    always: bool = False,
) -> Node | None:
    """Make the node of a tracked operation; its differentiable outputs come to require grad.

    With `rebase` the outputs are left alone: an in-place write decides itself whose history the node becomes. With
    `always`, or behind a view that requires grad and has no history, a node is made although nothing gets a
    gradient."""
    if not (row.gradients or row.joint):
        return None
    metas = tuple([(each._data.shape, each._data.dtype) for each in outputs])
    if metas[0][1].kind in _WHOLE if row.single else all(dtype.kind in _WHOLE for _, dtype in metas):
        return None
    edges, slots, mask = _edges(row, tensors)
    if not (mask or always) and not any(t is not None and t._view is not None and t._view.lent for t in tensors):
        return None
    if not mask and slots is None and row.differentiable:
        mask = 1 << row.differentiable[0]  # it keeps its buffers, and refuses overwritten ones
    node = bare(row.inplace_class if rebase else row.node_class)
    node.sequence_nr = next_sequence()
    node.next = edges
    node.slots = slots
    node.params = params
    node.metas = metas
    node.plan = row.inplace_plan(mask) if rebase else row.plan(mask)
    if not rebase:
        for nr, each in enumerate(outputs):
            if metas[nr][1].kind not in _WHOLE:
                each._requires_grad = True
                each._node = node
                each._output_nr = nr
    node.plan.save(node, tensors, outputs)
    if state.anomaly:
        remember_stack(node)
    return node


def _edges(row: OpRow, tensors: Sequence[Tensor | None]) -> tuple[tuple[Edge | None, ...], tuple[int, ...] | None, int]:
    """Where the gradient of each differentiable operand goes, which operands these are (None: all in order), and the
    mask of those that want one (1 for a variable number of operands)."""
    if row.variadic:
        found = tuple(edge_of(t) if t is not None and t._requires_grad else None for t in tensors)
        return found, None, int(any(edge is not None for edge in found))
    edges: list[Edge | None] = []
    slots: Sequence[int] = row.differentiable
    mask = 0
    for i in slots:
        tensor = tensors[i]
        edge = None
        if tensor is not None and tensor._requires_grad:
            plain = tensor._node if tensor._base is None else None
            edge = edge_of(tensor) if plain is None else (plain, tensor._output_nr)
        if edge is not None:
            mask |= 1 << i
        elif row.plain_numbers and tensor is not None and tensor._wrapped is not None:
            slots = [each for each in slots if each != i]
            continue
        edges.append(edge)
    in_place = not slots or slots[-1] == len(slots) - 1
    return tuple(edges), None if in_place else tuple(slots), mask


def remember_stack(node: Node) -> None:
    """Keep the forward call stack of a node, for anomaly mode's message."""
    node.stack = forward_stack()
    node.parent = state.node


def unseen_view(source: Tensor, data: Array) -> Tensor | None:
    """A view as rows of views would make it, of which no observer and no transform is told; None if a gradient follows
    it."""
    if _copying or source._coo is not None or (state.grad and source._requires_grad):
        return None
    view = wrap_result(data)
    make_views(source, (view,), several=False)
    return view


def make_views(source: Tensor | None, outputs: Sequence[Tensor], several: bool) -> None:
    """Outputs that share memory with the first operand share its version, and know their base if differentiable."""
    assert source is not None
    if source._lazy or source._on_meta:
        for each in outputs:
            each._lazy, each._on_meta = source._lazy, source._on_meta
    if source._inference:
        for each in outputs:
            each._inference = True
        return
    base = source if source._base is None else source._base
    counter = source._share_version()
    tracking = state.grad and not state.inference
    if not tracking:
        origin = "inference" if state.inference else "no_grad"
    elif several:
        origin = "multiple"
    else:
        origin = "" if source._view is None else source._view.origin  # a view of such a view is one too
    lent = not tracking and base._requires_grad
    for each in outputs:
        each._version_counter = counter
        each._base = base
        each._view = View(counter.value, origin, lent)
        if lent:
            each._requires_grad = True
        if lent or not base._requires_grad:
            counter.note_view(each)
