"""The processes of one job in a table, a row each: what tells at a glance which of many ranks to open. The recordings
are read one after the other, so that hundreds need no more memory than the largest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.files import recordings
from gradviz.document.snippet import ranks_of
from gradviz.session.timeline.iterations import training
from gradviz.session.timeline.marks import Mark, find_marks
from gradviz.session.timeline.outline import size_text
from gradviz.trace.table.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.table.recording import Recording

_TITLES = ("rank", "steps", "updates", "loss", "own gradient norm", "held at most", "not finite", "end")
_NONE = "–"


@dataclass(frozen=True, slots=True)
class Rank:
    """What became of one process of a job."""

    number: int
    steps: int
    updates: int  # of optimizers
    loss: float | None  # the last; None if there are too few for a curve
    gradient: float | None  # the norm of the last gradients as they were computed here, before ranks exchange them
    held: int  # the most bytes that its graphs kept for their backward passes at a time
    not_finite: int | None  # the first step that made NaN or infinity out of finite numbers
    end: str  # "ok", "raised", ...; "killed" if the recording breaks off


def ranks(folder: Path) -> Iterator[Rank]:
    """Read the recordings of a job's processes, one after the other; UserError if one can't be read."""
    for path in ranks_of(folder):
        yield rank(recordings.read(path))


def rank(found: Recording) -> Rank:
    """Return the row of one recording."""
    trace = found.trace
    course, bad = training(trace, len(trace)), find_marks(trace, len(trace))[Mark.NOT_FINITE]
    return Rank(
        number=found.about.rank,
        steps=len(trace),
        updates=int((trace.steps.kind == Kind.OPTIMIZER).sum()),
        loss=float(course.losses[0].numbers[-1]) if course is not None else None,
        gradient=float(course.gradient.numbers[-1]) if course is not None and len(course.gradient.numbers) else None,
        held=int(trace.held_bytes.max(initial=0)),
        not_finite=int(bad[0]) + 1 if len(bad) else None,
        end=found.ending.status if found.ending is not None else "killed",
    )


def table(rows: Iterable[Rank]) -> str:
    """The rows as text, with titles above them."""
    cells = [_TITLES, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "".join(f"{line}\n" for line in lines)


def _cells(row: Rank) -> tuple[str, ...]:
    numbers = (_NONE if number is None else f"{number:.4g}" for number in (row.loss, row.gradient))
    where = _NONE if row.not_finite is None else f"step {row.not_finite:,}"
    return str(row.number), f"{row.steps:,}", f"{row.updates:,}", *numbers, size_text(row.held), where, row.end
