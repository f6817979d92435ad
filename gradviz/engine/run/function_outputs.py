"""What the outputs of a custom function become: their history, which of them can be written to, and PyTorch's refusals
for inputs that the function wrote to; and nodes that compute nothing: one whose backward is an error, which
`once_differentiable` puts where a gradient can't be differentiated again, and one that sends no gradient on. The
function itself is in `function.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.kernel.graph import Node, edge_of, next_sequence
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, View, wrap
from gradviz.engine.run.inplace import check_writable, rebase_history

if TYPE_CHECKING:
    from gradviz.engine.run.function import Function, FunctionCtx


_PURE_VIEW = (
    "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to "
    "support more."
)
_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
_PLACE = " (Triggered internally at /__w/pytorch/pytorch/torch/csrc/autograd/custom_function.cpp:320.)"
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
    _check_dirty(given, tensors, ctx, tracked)
    outputs = [_own(each, tensors, ctx) for each in given]
    shown = [each for each in outputs if isinstance(each, Tensor)]
    if tracked:
        ctx.next = edges
        ctx.metas = [
            (each._data.shape, each._data.dtype) if isinstance(each, Tensor) else ((), np.dtype(np.float32))
            for each in outputs
        ]
        fixed = {id(each) for each in ctx.non_differentiable}
        ctx._blank = frozenset(
            nr
            for nr, each in enumerate(outputs)
            if not isinstance(each, Tensor) or (id(each) in fixed and not ctx._materialize_non_diff_grads)
        )
        for nr, each in enumerate(outputs):
            if isinstance(each, Tensor) and each.dtype.rank >= 2 and id(each) not in fixed:
                _give_history(each, ctx, nr)
        ctx._keep(outputs)
    else:
        ctx.to_save = ()
    _mark_views(ctx, shown)
    if state.observer is not None:
        state.observer.forward(cls.row, tensors, shown, ctx if tracked else None, {})
    return (
        type(output)(outputs)
        if several and type(output) in (tuple, list)
        else tuple(outputs)
        if several
        else outputs[0]
    )


def _own(value: Any, tensors: list[Tensor], ctx: FunctionCtx) -> Any:
    """An output as the caller gets it: one that is an input (not marked dirty) becomes a view of it."""
    if not isinstance(value, Tensor) or any(value is each for each in ctx.dirty):
        return value
    if any(value is each for each in tensors):
        made = wrap(value._data)
        counter = made._version_counter = value._share_version()
        made._base, made._view = value if value._base is None else value._base, View(counter.value)
        ctx.to_save = tuple(made if each is value else each for each in ctx.to_save)
        return made
    return value


def _give_history(output: Tensor, ctx: FunctionCtx, nr: int) -> None:
    """Make the function the history of an output; of the base, where a view was written to."""
    if output._base is not None and any(output is each for each in ctx.dirty):
        rebase_history(output, ctx)
        return
    if not output._requires_grad and output._version_counter is not None:
        output._version_counter.now_tracked(output)
    if output._view is not None:
        output._view.version = output._version
    output._node, output._output_nr, output._requires_grad = ctx, nr, True


def _mark_views(ctx: FunctionCtx, outputs: list[Tensor]) -> None:
    """A view can't be written to, as that would go round the function's own backward."""
    differentiable = sum(each._node is ctx for each in outputs)
    for each in outputs:
        view = each._view
        if view is None or any(each is one for one in ctx.dirty):
            continue
        view.origin = "multiple" if differentiable > 1 else "" if ctx._is_pure_view else "custom"
        view.lent = view.lent and each._node is None


def _check_dirty(outputs: list[Any], tensors: list[Tensor], ctx: FunctionCtx, tracked: bool) -> None:
    """What `mark_dirty` said, checked; each of those inputs counts one write."""
    if ctx._is_pure_view and (len(tensors) != 1 or sum(isinstance(each, Tensor) for each in outputs) != 1):
        raise RuntimeError(_PURE_VIEW)
    if not all(isinstance(each, Tensor) for each in ctx.dirty):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if not all(any(each is output for output in outputs) for each in ctx.dirty):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    for each in ctx.dirty:
        if tracked:
            _check_written(each, any(each is one for one in tensors), len(outputs))
        each._share_version().value += 1


def _check_written(tensor: Tensor, is_input: bool, outputs: int) -> None:
    """Refuse an input whose history can't become the function's."""
    if not is_input and tensor._base is None:
        warnings.warn(_NO_INPUT + _PLACE, UserWarning, stacklevel=6)
    elif not is_input:
        raise RuntimeError(_NO_INPUT)
    elif tensor._base is not None and outputs > 1:
        raise RuntimeError(_DIRTY_VIEW)
    elif tensor._base is not None:
        check_writable(tensor, True)
    elif tensor._requires_grad and tensor._node is None:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")


# --- nodes that compute nothing ---


class ErrorNode(Node):
    """Stands where a gradient can't be differentiated again; running it raises."""

    class_name = "Error"

    def __init__(self, message: str = "") -> None:
        self.message = message

    def name(self) -> str:
        return "torch::autograd::Error"

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        raise RuntimeError(self.message)


class UndefinedNode(Node):
    """Sends no gradient on, whatever arrives."""

    class_name = "UndefinedGradBackward"

    def name(self) -> str:
        return "torch::autograd::UndefinedGradBackward"

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        return [None] * len(self.next)


ErrorNode.__name__, UndefinedNode.__name__ = ErrorNode.class_name, UndefinedNode.class_name


def passed_through(node: Node, inputs: Sequence[Any]) -> Any:
    """The inputs as outputs of `node`, where one of them requires grad."""
    made = [wrap(each._data) if isinstance(each, Tensor) else each for each in inputs]
    if any(isinstance(each, Tensor) and each._requires_grad for each in inputs):
        node.sequence_nr = next_sequence()
        node.next = tuple(edge_of(each) if isinstance(each, Tensor) else None for each in inputs)
        node.metas = [
            (each._data.shape, each._data.dtype) if isinstance(each, Tensor) else ((), np.dtype(np.float32))
            for each in inputs
        ]
        for nr, each in enumerate(made):
            if isinstance(each, Tensor):
                each._node, each._output_nr, each._requires_grad = node, nr, True
    return made[0] if len(made) == 1 else tuple(made)


def delayed_error(message: str, outputs: int) -> Callable[..., Any]:
    """A function that gives its inputs back, with an error as their gradient."""
    return lambda *inputs: passed_through(ErrorNode(message), inputs)


def undefined_grad() -> Callable[..., Any]:
    """A function that gives its inputs back, with no gradient behind them."""
    return lambda *inputs: passed_through(UndefinedNode(), inputs)
