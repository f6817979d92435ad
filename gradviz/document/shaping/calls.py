"""The backward calls of a drawing, which run in order after the forward pass."""

from __future__ import annotations

from dataclasses import replace

from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.names import tidy
from gradviz.document.shaping.queries import ancestors, label, node_of, outputs
from gradviz.document.shaping.values import is_differentiable
from gradviz.lists import quantity

NAMED = 3  # leaves named in a sentence


def add_call(drawing: Drawing, ref: Ref) -> Drawing:
    """Add a call of backward on this output, after the existing calls."""
    call = BackwardCall(ref)
    _check(drawing, call)
    return tidy(replace(drawing, calls=(*drawing.calls, call)))


def check_root(drawing: Drawing, ref: Ref) -> None:
    """Refuse, with what to do, to call backward if PyTorch has nothing to go back through: no leaf requires grad."""
    found = ancestors(drawing, {node_of(drawing, ref.node).id})
    leaves = [node for node in drawing.nodes if node.id in found and isinstance(node, Leaf)]
    if not leaves or any(leaf.requires_grad for leaf in leaves):
        return
    names = [leaf.name for leaf in leaves if is_differentiable(leaf)][:NAMED]
    name = label(drawing, ref.node)
    if not names:
        raise UserError(f"{name} has whole numbers only, which get no gradient; change a leaf's dtype to float32.")
    told = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
    raise UserError(f"Nothing requires grad for {name}: select {told} and switch requires_grad on (Ctrl+Shift+R).")


def change_call(drawing: Drawing, index: int, call: BackwardCall) -> Drawing:
    """Replace a call."""
    _check_index(drawing, index)
    _check(drawing, call)
    return tidy(replace(drawing, calls=(*drawing.calls[:index], call, *drawing.calls[index + 1 :])))


def remove_call(drawing: Drawing, index: int) -> Drawing:
    """Remove a call."""
    _check_index(drawing, index)
    return replace(drawing, calls=(*drawing.calls[:index], *drawing.calls[index + 1 :]))


def _check_index(drawing: Drawing, index: int) -> None:
    if not 0 <= index < len(drawing.calls):
        raise UserError("This backward call is no longer in the drawing; choose another one.")


def _check(drawing: Drawing, call: BackwardCall) -> None:
    root = node_of(drawing, call.root.node)
    several = 1 if isinstance(root, Leaf) else outputs(root)
    if not 0 <= call.root.output < several:
        raise UserError(f"{label(drawing, root.id)} has only {quantity(several, 'output')}.")
    if call.inputs is None:
        return
    if not call.inputs:
        raise UserError("Choose the leaves that get a gradient, or all of them.")
    for id in call.inputs:
        leaf = node_of(drawing, id)
        if not isinstance(leaf, Leaf):
            raise UserError(f"{label(drawing, id)} is computed; backward's inputs are leaves.")
