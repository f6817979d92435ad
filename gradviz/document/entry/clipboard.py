"""Nodes as PyTorch code on the clipboard, and code from there as nodes. The code runs on its own: it includes what the
nodes are computed from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gradviz.document.arranging import cleared
from gradviz.document.code.emit import emit
from gradviz.document.code.parse import Reading, parse_expression, parse_more
from gradviz.document.drawing import Drawing, Leaf, Literal, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping import new_leaf
from gradviz.document.shaping.nodes import part, take_in
from gradviz.document.shaping.places import with_members
from gradviz.document.shaping.queries import ancestors
from gradviz.document.typed_numbers import read


def copy_code(drawing: Drawing, ids: Iterable[int]) -> str:
    """Return the code of these nodes and everything that they are computed from; for a group, that of its members."""
    chosen = {id for id in with_members(drawing, ids) if id in drawing.by_id}
    return emit(part(drawing, ancestors(drawing, chosen))).text


@dataclass(frozen=True)
class Pasted:
    """The drawing with what was pasted, the pasted nodes, and sentences about the lines that are not part of a
    drawing."""

    drawing: Drawing
    nodes: frozenset[int]
    passed_over: tuple[str, ...] = ()


def paste_code(drawing: Drawing, text: str, x: float, y: float) -> Pasted:
    """Add the nodes of this code to the drawing, centred at x, y. Code that defines nothing may refer to what is in the
    drawing; names in use get a number; plain numbers become a leaf. Raises UserError for what can't be drawn."""
    if not text.strip():
        raise UserError("There is no code on the clipboard. Copy some nodes or lines first.")
    numbers = _numbers(text)
    if numbers is not None:
        changed, leaf = new_leaf(drawing, x, y, data=numbers)
        return Pasted(cleared(changed, frozenset({leaf})), frozenset({leaf}))
    reading = _read(text, _known(drawing))
    if not reading.drawing.nodes:
        raise UserError("This code has nothing to draw. Copy lines such as y = w * x.")
    changed, new = take_in(drawing, reading.drawing, x, y)
    return Pasted(cleared(changed, new), new, reading.passed_over)


def _numbers(text: str) -> Literal:
    """Return the numbers in this text, as from a spreadsheet; None for other text."""
    if text.lstrip()[:1].isalpha():
        return None
    try:
        return read(text).data
    except UserError:
        return None


def _read(text: str, known: dict[str, Ref]) -> Reading:
    try:
        return parse_more(text, known)
    except UserError as refused:
        try:  # an expression of names that do not exist yet
            return Reading(parse_expression(text, known))
        except UserError:
            raise refused from None


def _known(drawing: Drawing) -> dict[str, Ref]:
    """Return the names that the code may refer to."""
    return {
        name: Ref(node.id, output)
        for node in drawing.nodes
        for output, name in enumerate((node.name,) if isinstance(node, Leaf) else node.names)
    }
