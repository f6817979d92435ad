"""What the outputs of a custom function become: their history, which of them can be written to, and PyTorch's refusals
for inputs that the function wrote to. The function itself is in `function.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.inplace import rebase_history
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, View, wrap

if TYPE_CHECKING:
    from gradviz.engine.function import Function, FunctionCtx

_DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)


def finish(
    cls: type[Function], ctx: FunctionCtx, tensors: list[Tensor], output: Any, edges: tuple[Any, ...], tracked: bool
) -> Any:
    """Give the outputs their history, keep the buffers, report."""
    several = isinstance(output, (tuple, list))
    given = list(output) if several else [output]
    _check_dirty(given, ctx)
    count = sum(isinstance(each, Tensor) for each in given)
    outputs = [_own(each, tensors, ctx, count) for each in given]
    shown = [each for each in outputs if isinstance(each, Tensor)]
    if tracked:
        ctx.next = edges
        ctx.metas = [
            (each._data.shape, each._data.dtype) if isinstance(each, Tensor) else ((), np.dtype(np.float32))
            for each in outputs
        ]
        fixed = {id(each) for each in ctx.non_differentiable}
        ctx.blank = frozenset(
            nr
            for nr, each in enumerate(outputs)
            if not isinstance(each, Tensor) or (id(each) in fixed and not ctx._materialize_non_diff_grads)
        )
        for nr, each in enumerate(outputs):
            if isinstance(each, Tensor) and each.dtype.rank >= 2 and id(each) not in fixed:
                if each._base is not None and any(each is one for one in ctx.dirty):
                    rebase_history(each, ctx)
                else:
                    each._node, each._output_nr, each._requires_grad = ctx, nr, True
        ctx._keep(outputs)
    else:
        ctx.to_save = ()
    if state.observer is not None:
        state.observer.forward(cls.row, tensors, shown, ctx if tracked else None, {})
    return (
        type(output)(outputs)
        if several and type(output) in (tuple, list)
        else tuple(outputs)
        if several
        else outputs[0]
    )


def _own(value: Any, tensors: list[Tensor], ctx: FunctionCtx, count: int) -> Any:
    """An output as the caller gets it: one that is an input (not marked dirty) becomes a view of it, and a view can't
    be written to, as that would go round the function's own backward."""
    if not isinstance(value, Tensor) or any(value is each for each in ctx.dirty):
        return value
    if any(value is each for each in tensors):
        made = wrap(value._data)
        made._version_counter = value._share_version()
        made._base = value if value._base is None else value._base
        ctx.to_save = tuple(made if each is value else each for each in ctx.to_save)
        value = made
    if value._base is not None:
        value._view = View(value._version_counter.value, "custom" if count == 1 else "multiple")
    return value


def _check_dirty(outputs: list[Any], ctx: FunctionCtx) -> None:
    """What `mark_dirty` said, checked; each of those inputs counts one write."""
    if not all(isinstance(each, Tensor) for each in ctx.dirty):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if not all(any(each is output for output in outputs) for each in ctx.dirty):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    for each in ctx.dirty:
        if each._requires_grad and each.grad_fn is None and state.grad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if each._base is not None and state.grad and sum(isinstance(one, Tensor) for one in outputs) > 1:
            raise RuntimeError(_DIRTY_VIEW)
        each._share_version().value += 1
