"""What the hover card adds while a change runs beside the snippet: what is otherwise in the other run. `hover` has the
words of one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradviz.ui.canvas.diagram import GROUP, OPERATION, Diagram
from gradviz.ui.canvas.hover import Row, Words, operation_words, tensor_words

if TYPE_CHECKING:
    from gradviz.trace.frame import Frame

SAME = ("code", "module", "made", "used")  # what two runs may well say differently, and nobody asks for


@dataclass(frozen=True)
class Elsewhere:
    """The other run at its cursor: what it is called, and what corresponds there to a node or tensor here."""

    title: str
    frame: Frame
    partner: Callable[[str, int], int]


def in_both(said: Words, diagram: Diagram, item: int, other: Elsewhere) -> Words:
    """The words with the rows that differ in the other run, each under the row that it differs from."""
    if diagram.kind[item] == GROUP:
        return said
    is_node = bool(diagram.kind[item] == OPERATION)
    partner = other.partner("node" if is_node else "tensor", int(diagram.index[item]))
    frame = other.frame
    there = frame.trace.nodes if is_node else frame.trace.tensors
    if partner < 0 or there.step[partner] >= frame.cursor:
        when = "not in this run" if partner < 0 else "not yet there"
        return replace(said, rows=(*said.rows, Row(other.title, when, "muted")))
    left = _blocks((operation_words if is_node else tensor_words)(frame, partner).rows)
    rows: list[Row] = []
    for block in _blocks(said.rows):
        rows += block
        partners = [each for each in left if each[0].label == block[0].label]
        if partners:
            left.remove(partners[0])
            rows += [] if partners[0] == block else _renamed(partners[0], other.title)
    for block in left:
        rows += _renamed(block, other.title)
    return replace(said, rows=tuple(rows))


def _blocks(rows: tuple[Row, ...]) -> list[list[Row]]:
    """Rows that say something; one without a label belongs to the one before it."""
    blocks: list[list[Row]] = []
    for row in rows:
        if row.label or not blocks:
            blocks.append([row])
        else:
            blocks[-1].append(row)
    return blocks


def _renamed(block: list[Row], title: str) -> list[Row]:
    first = block[0]
    if first.label in SAME or not (first.text or first.table):
        return []
    return [replace(first, label=f"{first.label}, {title}"), *block[1:]]
