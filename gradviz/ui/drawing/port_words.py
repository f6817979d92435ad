"""What is said of a port under the pointer: what it is called, and the type and shape of what comes or goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.document.drawing import Number, Operation, Ref
from gradviz.document.shaping import label
from gradviz.document.shaping.looking import port_name
from gradviz.document.typed import write_number
from gradviz.ui.canvas.sizes import shape_text
from gradviz.ui.drawing.geometry import Hit

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.drawing.view import DrawingView

UNKNOWN = "not computed yet"


def words(view: DrawingView, trace: Trace | None, hit: Hit) -> str:
    """A sentence about a port; "" for what is none."""
    node = view.drawing.by_id.get(hit.id)
    if node is None or hit.kind not in ("in", "out"):
        return ""
    if hit.kind == "out":
        return f"{label(view.drawing, hit.id)}: {type_of(view, trace, Ref(hit.id, hit.index))}"
    assert isinstance(node, Operation)
    operand = node.inputs[hit.index] if hit.index < len(node.inputs) else None
    name = f"{port_name(node, hit.index)} of {label(view.drawing, hit.id)}"
    if isinstance(operand, Ref):
        return f"{name}: {label(view.drawing, operand.node)}, {type_of(view, trace, operand)}"
    if isinstance(operand, Number):
        return f"{name}: the number {write_number(operand.value)}"
    return f"{name}: nothing is connected"


def type_of(view: DrawingView, trace: Trace | None, ref: Ref) -> str:
    """Type and shape of an output, as far as it has been computed."""
    tensor = view.drawn.tensors.get(ref) if view.drawn is not None else None
    if tensor is None or trace is None:
        return UNKNOWN
    tensors = trace.tensors
    return shape_text(str(tensors.dtype[tensor]), tuple(tensors.shape[tensor]))
