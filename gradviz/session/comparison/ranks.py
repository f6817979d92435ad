"""The processes of one job in a table, a row each: what tells at a glance which of many ranks to open. The recordings
are read one after the other, so that hundreds need no more memory than the largest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradviz.document.files import recordings
from gradviz.document.snippet import ranks_of
from gradviz.lists import size_text, time_text
from gradviz.session.timeline.iterations import times_of, training
from gradviz.session.timeline.marks import Mark, find_marks
from gradviz.trace.table.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.table.recording import Recording
    from gradviz.trace.table.trace import Trace

TITLES = (
    "rank", "steps", "updates", "loss", "own gradient norm", "held at most", "first NaN or inf", "time per update",
    "waits per update", "end",
)  # fmt: skip
MEANINGS = (
    "Which process of the job it is",
    "How many steps were recorded",
    "How many times an optimizer updated the parameters",
    "The last loss",
    "The norm of the last gradients as they were computed here, before the ranks exchanged them",
    "The most bytes that its graphs kept for their backward passes at a time",
    "The first step that made NaN or infinity out of finite numbers",
    "The median time from one update to the next",
    "How long of that it waited for ranks that came to an exchange later, by the clocks of their machines; the median",
    'How it ended: "killed" if its recording breaks off',
)
NONE = "–"
MOST_AWAY = 1e8  # seconds: what is further apart is no time of one job


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
    pace: float | None = None  # the median seconds from one update to the next
    exchanges: tuple[Exchange, ...] = ()


class Exchange(NamedTuple):
    """What the ranks exchanged, when this one came to it (seconds since 1970), and how many updates it had done."""

    name: str
    came: float
    updates: int


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
        pace=_pace(trace),
        exchanges=_exchanges(trace),
    )


def _pace(trace: Trace) -> float | None:
    between = np.diff(times_of(trace, Kind.OPTIMIZER)[1])
    return float(np.median(between)) if len(between) and np.abs(between).max() < MOST_AWAY else None


def _exchanges(trace: Trace) -> tuple[Exchange, ...]:
    step, seconds = times_of(trace, Kind.COLLECTIVE)
    names = map(str, trace.collectives.name[trace.steps.ref[step]])
    updates = np.searchsorted(np.flatnonzero(trace.steps.kind == Kind.OPTIMIZER), step)
    return tuple(map(Exchange, names, seconds.tolist(), updates.tolist()))


def waits(rows: Sequence[Rank]) -> list[float | None]:
    """How many seconds each waited at exchanges for those that came later, from one update to the next, the median;
    None if they are not known to have exchanged the same. What comes before the first update is the start of the job,
    and counts only if there is nothing else."""
    shared = min((len(row.exchanges) for row in rows), default=0)
    same = {tuple((each.name, each.updates) for each in row.exchanges[:shared]) for row in rows}
    came = np.array([[each.came for each in row.exchanges[:shared]] for row in rows])
    if len(rows) < 2 or not shared or len(same) > 1 or np.ptp(came, axis=0).max() > MOST_AWAY:
        return [None] * len(rows)
    updates = np.array([each.updates for each in rows[0].exchanges[:shared]])
    waited = came.max(axis=0) - came
    each = np.array([waited[:, updates == number].sum(axis=1) for number in np.unique(updates)])
    found: list[float | None] = np.median(each[1:] if len(each) > 1 else each, axis=0).tolist()
    return found


def table(rows: Sequence[Rank]) -> str:
    """The rows as text, with titles above them."""
    lines = [TITLES, *(cells(row, waited) for row, waited in zip(rows, waits(rows), strict=True))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "".join(f"{line}\n" for line in padded)


def cells(row: Rank, waited: float | None) -> tuple[str, ...]:
    """The texts of a row, one for each of `TITLES`."""
    numbers = (_text(number, lambda each: f"{each:.4g}") for number in (row.loss, row.gradient))
    where = _text(row.not_finite, lambda step: f"step {step:,}")
    times = (_text(seconds, time_text) for seconds in (row.pace, waited))
    return (
        str(row.number), f"{row.steps:,}", f"{row.updates:,}", *numbers, size_text(row.held), where, *times, row.end,
    )  # fmt: skip


def _text(number: Any, written: Callable[[Any], str]) -> str:
    return NONE if number is None else written(number)
