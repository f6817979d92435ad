"""The ledger of a `.grad`: what each backward call added, what cleared it, what is left from before. The lines since it
was last cleared add up to the present `.grad`. `bars` has the same by backward call, for a chart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.lists import quantity
from gradviz.trace.table.frame import ZERO
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.values import DTYPES, NOTHING, Summary, Value

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace


@dataclass(frozen=True)
class Entry:
    """One change of a `.grad`. `kind` is "added" (by a backward call), "cleared", "set", or "gap" if iterations were
    not recorded; `value` is what was added, or the new `.grad`, None for None."""

    kind: str
    step: int  # the cursor right after it, as the timeline counts
    line: int  # -1 if unknown
    value: Value | None


_Row = tuple[str, int, int, int]  # of which only the number of the value is known: there may be gigabytes of them
MOST_BARS = 48  # backward calls in the chart
MOST_ELEMENTS = 100  # of a value of which the chart can show each
_MOST_ROWS = 3 * MOST_BARS
_LOOKED_BACK = 1000  # earlier changes that are searched for where the sum begins


@dataclass(frozen=True)
class Bar:
    """One backward call that added to a `.grad`: what was left from `calls` earlier calls, and what it added. Of large
    values only the norm is known."""

    step: int
    line: int
    left: Value | None
    calls: int
    added: Value | None
    total: Value | None
    cleared: bool  # since the previous call

    def sentence(self, number: Callable[[Value | None], str], *, adds: bool = True) -> str:
        """ "Step 16, line 10: −4 left from 1 earlier backward() call; + 2 makes −2". Norms do not add up."""
        place = f"Step {self.step:,}" + (f", line {self.line}" if self.line > 0 else "")
        added, total = number(self.added), number(self.total)
        if self.left is None:
            return f"{place}: {added}, with nothing left from before"
        earlier = quantity(self.calls, "earlier backward() call") if self.calls else "before"
        left = f"{place}: {number(self.left)} left from {earlier}"
        if not adds:
            return f"{left}; {added} added; {total} now"
        return f"{left}; {f'− {added[1:]}' if added.startswith('-') else f'+ {added}'} makes {total}"


def bars(frame: Frame, tensor: int) -> tuple[Bar, ...]:
    """The latest backward calls that added to the `.grad` of a tensor, in order."""
    trace = frame.trace
    every = frame.trace.history("grads", "tensor").before(tensor, frame.cursor)
    rows = every[-_MOST_ROWS:].tolist()
    earlier = every[: len(every) - len(rows)][-_LOOKED_BACK:].tolist()
    left, calls, cleared = _held(trace, earlier)
    found = []
    for row, (kind, step, line, number) in zip(rows, _rows(frame, tensor, _MOST_ROWS), strict=True):
        total = _measured(trace, int(trace.grads.value[row]))
        if kind == "added":
            found.append(Bar(step, line, left, calls, _measured(trace, number), total, cleared))
        cleared = kind == "cleared"
        counted = 0 if kind == "gap" else calls + (kind == "added")  # nobody knows how many calls ran there
        left, calls = (None, 0) if cleared else (total, counted)
    return tuple(found[-MOST_BARS:])


def _measured(trace: Trace, number: int) -> Value | None:
    """A value, but of a large one no more than its norm, which is known without reading it."""
    shape = trace.store.shape(number) if number >= 0 else ()
    if math.prod(shape) <= MOST_ELEMENTS or trace.values.kept[number] >= NOTHING:
        return trace.value(number)
    norm = Summary(math.nan, math.nan, math.nan, float(trace.values.norm[number]), 0)
    return Value(shape, DTYPES[trace.values.dtype[number]], None, np.empty(0), norm)


def _held(trace: Trace, rows: list[int]) -> tuple[Value | None, int, bool]:
    """What a `.grad` holds after these changes, and about how many calls it comes from."""
    if not rows:
        return None, 0, False
    norms, values = trace.values.norm, trace.grads.value
    empty = [at for at, row in enumerate(rows) if values[row] < 0 or norms[values[row]] == 0]
    calls = len(rows) - 1 - (empty[-1] if empty else -1)
    return (_measured(trace, int(values[rows[-1]])), calls, False) if calls else (None, 0, True)


def ledger(frame: Frame, tensor: int, most: int | None = None) -> list[Entry]:
    """The changes of the `.grad` of a tensor up to a frame's cursor, in order: all, or the latest `most`."""
    return [
        Entry(kind, step, line, frame.trace.value(number)) for kind, step, line, number in _rows(frame, tensor, most)
    ]


def _rows(frame: Frame, tensor: int, most: int | None) -> list[_Row]:
    trace = frame.trace
    every = trace.history("grads", "tensor").before(tensor, frame.cursor)
    rows = every if most is None else every[-most:]
    known: dict[int, _Row] = trace.kept("ledger rows", dict)
    before = every[: len(every) - len(rows)][-1:]
    steps = [int(trace.grads.step[before[0]]) if len(before) else -1, *trace.grads.step[rows].tolist()]
    for row, earlier, step in zip(rows.tolist(), steps, steps[1:], strict=False):
        if row not in known:
            known[row] = _row(frame, tensor, row, earlier != step)
    return [known[row] for row in rows.tolist()]


def _row(frame: Frame, tensor: int, row: int, is_first: bool) -> _Row:
    """One row of the history. A change of `.grad` between two steps has the number of the earlier step, and comes after
    that step's own row."""
    trace = frame.trace
    step = int(trace.grads.step[row])
    line, kind = int(trace.steps.line[step]), int(trace.steps.kind[step])
    if is_first and kind == Kind.ACCUMULATE and int(trace.steps.tensor[step]) == tensor:
        return "added", step + 1, line, trace.frame_at(step + 1).arrived(tensor)
    number = int(trace.grads.value[row])
    cleared = number < 0 or trace.value_flag[number] == ZERO
    is_clipped = kind == Kind.OPTIMIZER and str(trace.optimizers.name[trace.steps.ref[step]]).startswith("clip_grad")
    changed = "gap" if kind == Kind.GAP else "clipped" if is_clipped else "set"
    return "cleared" if cleared else changed, step + 1, line, number


def since_cleared(entries: list[Entry]) -> list[Entry]:
    """Those of the latest entries that make up the present `.grad`."""
    begin = max((at for at, entry in enumerate(entries) if entry.kind != "added"), default=-1)
    if begin >= 0 and entries[begin].kind != "cleared":
        return entries[begin:]
    return entries[begin + 1 :]
