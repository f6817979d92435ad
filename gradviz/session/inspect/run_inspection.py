"""What the inspector says about whole runs: the size of a run, before its first step; and during a what-if comparison,
about a thing in the front run with what differs in the corresponding thing of the other. Pure; see `inspection` for one
thing in one run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gradviz.lists import quantity, size_text
from gradviz.session.inspect.inspection import Inspection, Link, Row, Section, inspect, row
from gradviz.session.moves import inspected
from gradviz.session.state import Selection, State
from gradviz.session.what_if import WhatIf

if TYPE_CHECKING:
    from gradviz.trace.words.questions import Question

COMPARED = ("kind", "shape", "version", "value", ".grad", "∇ passing", "why None", "backward")


def inspect_both(state: State) -> Inspection | None:
    """What to say about the selection, or the subject of the current step, in both runs."""
    beside = state.what_if
    if beside is None or beside.comparison is None or beside.trace is None:
        return inspect(state, inspected(state))
    other = replace(
        state,
        trace=beside.trace,
        run=beside.run,
        steps=beside.steps,
        cursor=beside.cursor,
        what_if=None,
        selection=None,
    )
    if state.selection is None and beside.selection is not None:
        return _only_there(inspect(other, beside.selection), beside)
    thing = inspected(state)
    found = inspect(state, thing)
    if found is None or thing is None or thing.kind not in ("node", "tensor"):
        return found
    partner = beside.comparison.partner(thing.kind, thing.index)
    there = inspect(other, Selection(thing.kind, partner)) if partner >= 0 else None
    rows = _otherwise(found, there) if there is not None else (_line("", "Not in this run."),)
    section = Section(_title(beside), rows)
    return replace(found, sections=(found.sections[0], section, *found.sections[1:]))


def _title(beside: WhatIf) -> str:
    name = beside.titles[1]
    return name[:1].upper() + name[1:]


def _only_there(found: Inspection | None, beside: WhatIf) -> Inspection | None:
    """Something that the front run does not have; its links would lead to rows of the wrong trace."""
    if found is None:
        return None
    sections = tuple(replace(section, rows=tuple(map(_plain, section.rows))) for section in found.sections)
    note = Section("", (_line("only in", beside.titles[1]),))
    return Inspection(found.title, (note, *sections))


def _plain(row: Row) -> Row:
    return replace(row, parts=(Link(row.text),))


def _line(label: str, text: str, tone: str = "") -> Row:
    return Row(label, (Link(text),), tone)


def _otherwise(here: Inspection, there: Inspection) -> tuple[Row, ...]:
    """The rows that differ in the other run."""
    rows = []
    for label in COMPARED:
        one, other = here.find(label), there.find(label)
        if one != other:
            rows.append(_line(label, other or "–", "gradient" if label in (".grad", "∇ passing") else ""))
    rows += _buffers(here, there)
    return tuple(rows) or (_line("", "The same in this run.", "muted"),)


def _buffers(here: Inspection, there: Inspection) -> list[Row]:
    """Saved buffers whose state differs."""
    mine, theirs = ({row.label: row.text for row in _section(one, "Saved buffers")} for one in (here, there))
    return [_line(name, text) for name, text in theirs.items() if mine.get(name) != text]


def _section(inspection: Inspection, title: str) -> tuple[Row, ...]:
    return next((section.rows for section in inspection.sections if section.title == title), ())


def asking(state: State, asked: Question) -> Inspection:
    """The question, and what is known so far about the tensor or about what will compute it."""
    section = Section("", (_line(asked.subject, "?", "gradient" if asked.part != "value" else ""),))
    is_there = state.trace is not None and bool(state.trace.tensors.step[asked.tensor] < state.cursor)
    thing = Selection("tensor", asked.tensor) if is_there else inspected(state)
    found = inspect(state, state.selection or thing)
    return Inspection(asked.title, (section,)) if found is None else replace(found, sections=(section, *found.sections))


def overview(state: State) -> Inspection | None:
    """The run in numbers, None if there is no run yet."""
    trace = state.trace
    if trace is None or not state.steps:
        return None
    import numpy as np

    leaves = trace.tensors.is_leaf.astype(bool) & trace.tensors.requires_grad.astype(bool)
    elements = sum(int(np.prod(trace.tensors.shape[tensor])) for tensor in np.flatnonzero(leaves).tolist())
    tracked = int((trace.nodes.sequence_nr >= 0).sum())
    rows = (
        row("steps", f"{state.steps:,}"),
        row("operations", f"{len(trace.nodes):,}, {tracked:,} with a grad_fn"),
        row("leaves", f"{int(leaves.sum()):,} with requires_grad, {quantity(elements, 'element')}"),
        row("backward", quantity(len(trace.calls), "call")),
        row("buffers", f"{size_text(int(trace.held_bytes.max(initial=0)))} at most"),
    )
    return Inspection("This run", (Section("", rows),))
