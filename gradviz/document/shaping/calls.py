"""The backward calls of a drawing, which run after the forward pass in the order in which they stand."""

from __future__ import annotations

from dataclasses import replace

from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.looking import label, node_of, outputs
from gradviz.document.shaping.names import tidy


def add_call(drawing: Drawing, ref: Ref) -> Drawing:
    """Run backward from this output, after the calls that there are."""
    call = BackwardCall(ref)
    _check(drawing, call)
    return tidy(replace(drawing, calls=(*drawing.calls, call)))


def change_call(drawing: Drawing, index: int, call: BackwardCall) -> Drawing:
    """Put another call in the place of one."""
    _check_index(drawing, index)
    _check(drawing, call)
    return tidy(replace(drawing, calls=(*drawing.calls[:index], call, *drawing.calls[index + 1 :])))


def remove_call(drawing: Drawing, index: int) -> Drawing:
    """Take a call away."""
    _check_index(drawing, index)
    return replace(drawing, calls=(*drawing.calls[:index], *drawing.calls[index + 1 :]))


def _check_index(drawing: Drawing, index: int) -> None:
    if not 0 <= index < len(drawing.calls):
        raise UserError("This backward call is not in the drawing any more; choose another one.")


def _check(drawing: Drawing, call: BackwardCall) -> None:
    root = node_of(drawing, call.root.node)
    several = 1 if isinstance(root, Leaf) else outputs(root)
    if not 0 <= call.root.output < several:
        raise UserError(f"{label(drawing, root.id)} has {several} output{'s' if several > 1 else ''} only.")
    if call.inputs is None:
        return
    if not call.inputs:
        raise UserError("Choose the leaves that get a gradient, or all of them.")
    for id in call.inputs:
        leaf = node_of(drawing, id)
        if not isinstance(leaf, Leaf):
            raise UserError(f"{label(drawing, id)} is computed; backward's inputs are leaves.")
