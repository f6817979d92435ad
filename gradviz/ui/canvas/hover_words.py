"""The text of the card that appears when the pointer rests on an item: everything that the item had to shorten, in
full, and, during a what-if comparison, what differs in the other run. `hover` shows the card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.kernel.expressions import in_line
from gradviz.lists import quantity, size_text
from gradviz.session.inspect.chain_rule import local_derivative
from gradviz.trace.table.modules import scope_name
from gradviz.trace.table.values import number_text
from gradviz.trace.words.reasons import no_grad_reason
from gradviz.ui.canvas.content import group_content
from gradviz.ui.canvas.diagram import GROUP, OPERATION, TENSOR, Diagram
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.values import Value

LONGEST_VALUE = 120
MOST = 6  # rows and columns of a table
EDGE = 3  # of them at each end if there are more
MOST_BUFFERS = 6
SAME = ("code", "module", "made", "used")  # expected to differ between two runs, and of no interest
Table = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Row:
    """A label and a text; `tone` names a colour of the theme."""

    label: str
    text: str
    tone: str = "text"
    table: Table = ()


@dataclass(frozen=True)
class Words:
    """The contents of a card: title, kind of thing, rows, formulas."""

    title: str
    kind: str
    rows: tuple[Row, ...]
    formulas: tuple[str, ...] = ()


HOW_TO_ASK = Row("numbers", "click one on the selected card to see its origin", "muted")


def words(diagram: Diagram, frame: Frame, item: int, *, asks: bool = False) -> Words:
    """What to say about an item at the frame's cursor, and, for a card that `asks`, that its numbers can be clicked."""
    index = int(diagram.index[item])
    if diagram.kind[item] == GROUP:
        return _group(diagram, frame, item)
    if diagram.kind[item] == OPERATION:
        return operation_words(frame, index)
    said = tensor_words(frame, index)
    return replace(said, rows=(*said.rows, HOW_TO_ASK)) if asks and diagram.kind[item] == TENSOR else said


def _group(diagram: Diagram, frame: Frame, item: int) -> Words:
    said = group_content(diagram, frame, item)
    rows = (
        Row("", said.detail),
        Row("operations", f"{said.ran:,} of {said.operations:,} have run"),
        Row("backward", f"{said.went:,} of {said.tracked:,} have run" if said.went else "", "gradient"),
        Row("gradient out", f"norm {said.norm}" if said.norm else "", "error" if said.bad else "gradient"),
        Row("saved buffers", said.held),
        Row("parameters", _parameters(diagram, item, said.parameters)),
        Row("now", said.now),
        Row("", "double click opens it", "muted"),
    )
    return Words(said.title, "collapsed", rows)


def _parameters(diagram: Diagram, item: int, elements: int) -> str:
    """How many numbers there are in the parameters that a closed group uses, and how many of those that belong to it
    are used elsewhere, too."""
    structure = diagram.structure
    inside = diagram.item_of_card == item
    used = np.flatnonzero(np.append(inside, False)[structure.card_of_use])
    outside = used[diagram.item_of_node[diagram.trace.inputs.node[used]] != item]
    cards = structure.card_of_use[outside]
    shared = np.unique(cards[diagram.trace.tensors.is_parameter[structure.cards[cards, 1]] != 0])
    said = quantity(elements, "number") if elements else ""
    are = "is" if len(shared) == 1 else "are"
    return f"{said}; {quantity(len(shared), 'parameter')} {are} used outside it, too" if len(shared) else said


def html(said: Words, theme: Theme) -> str:
    """The same as rich text in the colours of a theme."""
    head = (
        f"<table width='100%' cellspacing=0 cellpadding=0><tr><td><b>{escape(said.title)}</b></td>"
        f"<td align=right style='color:{theme.muted}'>&nbsp;&nbsp;{escape(said.kind)}</td></tr></table>"
    )
    body = "".join(_row(row, theme) for row in said.rows if row.text or row.table)
    formulas = "".join(
        f"<div style='color:{theme.gradient}; margin-top:4px'><tt>{escape(text)}</tt></div>" for text in said.formulas
    )
    return f"{head}<table cellspacing=0 cellpadding=1 style='margin-top:4px'>{body}</table>{formulas}"


def _row(row: Row, theme: Theme) -> str:
    colour = getattr(theme, row.tone)
    text = f"<tt>{escape(row.text)}</tt>" if row.text else ""
    if row.table:
        cells = "".join(
            "<tr>" + "".join(f"<td align=right><tt>{escape(cell)}</tt>&nbsp;&nbsp;</td>" for cell in line) + "</tr>"
            for line in row.table
        )
        text += f"<table cellspacing=0 cellpadding=0 style='color:{colour}'>{cells}</table>"
    return (
        f"<tr><td style='color:{theme.muted}; white-space:nowrap'>{escape(row.label)}&nbsp;&nbsp;&nbsp;</td>"
        f"<td style='color:{colour}'>{text}</td></tr>"
    )


def preview(value: Value) -> Table:
    """The elements of an array as a table: for larger arrays those at the edges, and beyond two dimensions the first
    matrix. Empty for a single number."""
    array, shape = value.edges, value.shape
    if not shape or not array.size or value.scalar is not None:
        return ()
    while array.ndim > 2:
        array, shape = array[0], shape[1:]
    if array.ndim == 1:
        return (_line(array, shape[0]),)
    lines: list[tuple[str, ...]] = []
    for row in _places(array.shape[0], shape[0]):
        lines.append(_line(array[row], shape[1]) if row is not None else ("⋮",))
    return tuple(lines)


def _line(array: Any, size: int) -> tuple[str, ...]:
    return tuple(number_text(array[at].item()) if at is not None else "…" for at in _places(len(array), size))


def _places(kept: int, size: int) -> list[int | None]:
    """Which of the kept elements are shown, with None for a gap."""
    if size <= MOST:
        return list(range(kept))
    return [*range(EDGE), None, *range(kept - EDGE, kept)]


def _value(label: str, value: Value | None, tone: str = "text") -> list[Row]:
    if value is None:
        return []
    table = preview(value)
    if not table:
        return [Row(label, value.text(LONGEST_VALUE), tone)]
    found = value.summary
    rows = [Row(label, "", tone, table)]
    if value.numel > MOST:
        nans = f" · {found.nans:,} NaN" if found.nans else ""
        low, high, mean, norm = map(number_text, (found.low, found.high, found.mean, found.norm))
        rows.append(Row("", f"{low} … {high} · mean {mean} · norm {norm}{nans}", "muted"))
    return rows


def tensor_words(frame: Frame, tensor: int) -> Words:
    """What to say about a tensor."""
    tensors = frame.trace.tensors
    value, passing, buffer = frame.value(tensor), frame.passing(tensor), frame.buffer(tensor)
    grad = frame.grad(tensor)
    shape, dtype = list(tensors.shape[tensor]), frame.dtype(tensor)
    rows = _value("value", value)
    rows += _value(".grad", grad, "gradient") if grad is not None else [Row(".grad", "None", "muted")]
    rows += _value("∇ passing", passing, "gradient")
    rows.append(Row("why None", no_grad_reason(frame, tensor) or "", "muted"))
    if buffer is not None and buffer.expected > 1:
        arrived = f"{buffer.arrived} of {buffer.expected} arrived"
        parts = " + ".join(part.text(40) for _, part in buffer.contributions[:MOST])
        more = " + …" if len(buffer.contributions) > MOST else ""
        rows.append(Row("Σ buffer", f"{parts}{more} = {buffer.total.text(60)} ({arrived})", "gradient"))
    version = frame.version(tensor)
    rows.append(Row("version", f"{version}: written {version} time{'s' * (version > 1)} in place" if version else ""))
    rows.append(Row("used", _uses(frame, tensor)))
    rows.append(Row("made", _made(int(tensors.line[tensor]), str(tensors.label[tensor]))))
    return Words(frame.name(tensor), f"{_kind(frame, tensor)} · {dtype} {shape}", tuple(rows))


def _kind(frame: Frame, tensor: int) -> str:
    if not frame.is_leaf(tensor):
        return "intermediate"
    if not frame.requires_grad(tensor):
        return "constant"
    return "parameter" if frame.trace.tensors.is_parameter[tensor] else "leaf"


def _uses(frame: Frame, tensor: int) -> str:
    users = frame.trace.users_of(tensor)
    done = int(frame.node_created[users].sum())
    if not len(users):
        return "never"
    later = f", {len(users) - done:,} more to come" if done < len(users) else ""
    return f"{done:,} time{'s' * (done != 1)}{later}"


def _made(line: int, source: str) -> str:
    return f"line {line}: {source}" if line > 0 and source else f"line {line}" if line > 0 else ""


def operation_words(frame: Frame, node: int) -> Words:
    """What to say about an operation."""
    nodes = frame.trace.nodes
    tracked = str(nodes.name[node])
    rows = [
        Row("code", _made(int(nodes.line[node]), str(nodes.source[node]))),
        Row("parameters", str(nodes.params[node])),
        Row("module", scope_name(frame.trace, node)),
    ]
    for tensor in frame.trace.inputs_of(node).tolist():
        rows.append(Row("reads", f"{frame.name(tensor)} = {_short(frame, tensor)}"))
    for tensor in frame.trace.outputs_of(node).tolist():
        rows.append(Row("makes", f"{frame.name(tensor)} = {_short(frame, tensor)}"))
    saved = frame.saved(node)
    for buffer in saved[:MOST_BUFFERS]:
        note = f", saved at version {buffer.version_saved}, now {buffer.version_now}" if buffer.state == "stale" else ""
        tone = {"held": "text", "freed": "freed", "stale": "stale"}[buffer.state]
        rows.append(Row(f"saved {buffer.name}", f"{buffer.state}, {size_text(buffer.nbytes)}{note}", tone))
    if len(saved) > MOST_BUFFERS:
        rows.append(Row("", f"and {len(saved) - MOST_BUFFERS} more", "muted"))
    if not tracked:
        rows.append(Row("graph", "not recorded: no gradient can flow through it", "muted"))
    formulas = dict.fromkeys(local_derivative(frame, node, slot) for slot in frame.trace.slots_of(node))
    kind = f"operation {nodes.symbol[node]}" if nodes.symbol[node] else "operation"
    said = tuple(in_line(one) for one in formulas if one is not None)
    return Words(tracked or str(nodes.op[node]), kind, tuple(rows), said)


def _short(frame: Frame, tensor: int) -> str:
    value = frame.value(tensor)
    return value.brief() if value is not None else "?"


@dataclass(frozen=True)
class Elsewhere:
    """The other run at its cursor: its name, and what corresponds there to a node or tensor here."""

    title: str
    frame: Frame
    partner: Callable[[str, int], int]


def in_both(said: Words, diagram: Diagram, item: int, other: Elsewhere) -> Words:
    """The words, with each row that differs in the other run followed by its counterpart."""
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
    """Group rows into blocks; a row without a label belongs to the one before it."""
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
