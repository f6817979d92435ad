"""The options of a backward call as people type them, and how they are written back. Numbers are read by `typed`."""

from __future__ import annotations

from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.looking import label
from gradviz.document.typed import quoted, read_numbers, write


def root_name(drawing: Drawing, root: Ref) -> str:
    """What backward is called on."""
    node = drawing.by_id.get(root.node)
    if node is None:
        return "?"
    names = (node.name,) if isinstance(node, Leaf) else node.names
    return names[root.output] if root.output < len(names) else label(drawing, root.node)


def read_gradient(text: str) -> Literal:
    """`gradient=`: None, a number, or numbers with or without brackets."""
    text = text.strip()
    if text in ("", "None"):
        return None
    return read_numbers(text)


def write_gradient(call: BackwardCall) -> str:
    """It as text, "" for None."""
    return "" if call.gradient is None else write(call.gradient)


def read_inputs(drawing: Drawing, text: str) -> tuple[int, ...] | None:
    """`inputs=`: names of leaves; nothing, `all` or `None` for all of them."""
    words = text.replace("[", " ").replace("]", " ").replace(",", " ").split()
    if words in ([], ["all"], ["None"]):
        return None
    leaves = {node.name: node.id for node in drawing.nodes if isinstance(node, Leaf)}
    unknown = next((word for word in words if word not in leaves), None)
    if unknown is not None:
        some = ", ".join(list(leaves)[:2])
        raise UserError(f"There is no leaf {quoted(unknown)}. Type names of leaves such as {some}.")
    return tuple(dict.fromkeys(leaves[word] for word in words))


def write_inputs(drawing: Drawing, call: BackwardCall) -> str:
    """It as text, "" for all."""
    return ", ".join(label(drawing, id) for id in call.inputs or () if id in drawing.by_id)
