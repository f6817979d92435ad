"""The iterations of the outermost loops as runs of steps, with labels that are merged where they would be too close;
and the training curve of a loop over its backward calls, which the timeline draws below the strip. Pure; regions are
defined in `gradviz.trace.table.regions`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradviz.lists import quantity
from gradviz.session.columns import place
from gradviz.session.timeline.zoom import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.kinds import Kind
    from gradviz.trace.table.trace import Trace


ROUND = (1, 2, 5)


@dataclass(frozen=True)
class Label:
    """Steps [start, end) of one or several consecutive iterations."""

    start: int
    end: int
    title: str
    first: int  # the row of its first iteration, and the one after its last
    last: int


@dataclass(frozen=True, eq=False)
class Iterations:
    """Iteration i is steps [starts[i], ends[i]); `names[i]` is "t = 3", `loops[i]` the row of its loop."""

    starts: NDArray[Any]
    ends: NDArray[Any]
    names: NDArray[Any]
    loops: NDArray[Any]

    def __len__(self) -> int:
        return len(self.starts)

    def labels(self, span: Span, room: float) -> list[Label]:
        """The labels in view, none shorter than `room` steps if merging can help; merged iterations begin at round
        numbers."""

        first = place(self.ends, span.start, after=True)
        last = place(self.starts, span.end)
        if last <= first:
            return []
        typical = float(self.ends[last - 1] - self.starts[first]) / (last - first)
        count = _round_up(room / max(typical, 1e-9))
        found, at = [], first
        while at < last:
            loop = int(self.loops[at])
            begin = place(self.loops, loop)
            end = place(self.loops, loop, after=True)
            low = begin + (at - begin) // count * count
            high = min(low + count, end)
            found.append(Label(int(self.starts[low]), int(self.ends[high - 1]), self.title(low, high), low, high))
            at = high
        return found

    def title(self, first: int, last: int) -> str:
        """ "t = 3", or "t = 0 … 49" for several."""
        begin, end = str(self.names[first]), str(self.names[last - 1])
        return begin if last - first == 1 else f"{begin} … {end.rpartition(' ')[2]}"

    def at(self, step: int) -> Label | None:
        """The iteration of a step."""

        row = place(self.starts, step, after=True) - 1
        if row < 0 or step >= self.ends[row]:
            return None
        return Label(int(self.starts[row]), int(self.ends[row]), self.title(row, row + 1), row, row + 1)


def _round_up(count: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50, …"""
    unit = 1
    while unit * ROUND[-1] < count:
        unit *= 10
    return next((unit * each for each in ROUND if unit * each >= count), unit * 10)


def iterations(trace: Trace, steps: int) -> Iterations:
    """The iterations of all loops that are not inside another one, in the order in which they ran."""
    import numpy as np

    from gradviz.trace.table.regions import RegionKind
    from gradviz.trace.table.schema import NEVER

    regions, nesting = trace.regions, trace.nesting
    around = _loops_around(regions.parent, regions.kind == RegionKind.LOOP)
    rows = np.flatnonzero((regions.kind == RegionKind.ITERATION) & (around == 1) & (nesting.first < NEVER))
    if not len(rows):
        none = np.empty(0, np.int64)
        return Iterations(none, none, none, none)
    loops = regions.parent[rows]
    starts = regions.step[rows].astype(np.int64)
    ends = np.append(starts[1:], steps)
    for row in np.append(np.flatnonzero(np.diff(loops)), len(rows) - 1).tolist():  # the last iteration of each loop
        ends[row] = min(int(ends[row]), _left(trace, int(nesting.first[loops[row]]), int(nesting.last[rows[row]])))
    after = np.searchsorted(trace.gaps.step, nesting.last[rows], "right")  # an iteration ends where a gap follows
    ends = np.minimum(ends, np.append(trace.gaps.step, steps)[after])
    inside = starts < steps
    return Iterations(starts[inside], np.minimum(ends[inside], steps), regions.name[rows[inside]], loops[inside])


def why_cut(trace: Trace) -> str:
    """Why recording ended before the run did, or automatically skipped iterations; "" if it did not."""
    from gradviz.trace.table.schema import ENDS_HERE, SOME_ONLY

    return _said(trace, ENDS_HERE) or _said(trace, SOME_ONLY)


def _said(trace: Trace, begins: str) -> str:
    texts = zip(trace.texts.stream, trace.texts.text, strict=True)
    said = (text for stream, text in texts if stream == "err" and text.startswith(begins))
    return next(said, "").removeprefix(begins).partition(". ")[0]


def part_of(trace: Trace) -> str:
    """Which part of a run was recorded, "" for all of it."""
    from gradviz.trace.table.schema import ENDS_HERE

    left_out = int(trace.resumptions.count.sum())
    if not _said(trace, ENDS_HERE):
        return f"all but {quantity(left_out, 'iteration')}" if left_out else ""
    found = iterations(trace, len(trace))
    return f"its beginning, up to {found.names[-1]}" if len(found) else "its beginning"


def _loops_around(parent: NDArray[Any], is_loop: NDArray[Any]) -> NDArray[Any]:
    """The nesting depth of each region."""
    import numpy as np

    found = np.zeros(len(parent), np.int64)
    above = parent.copy()
    while (above >= 0).any():
        there = above >= 0
        found[there] += is_loop[above[there]]
        above[there] = parent[above[there]]
    return found


def _left(trace: Trace, first: int, last: int) -> int:
    """The step after the loop whose operations are the steps first..last: where a line outside the loop runs."""
    import numpy as np

    line = trace.steps.line
    inside = np.unique(line[first : last + 1])
    strange = np.flatnonzero(~np.isin(line[last + 1 :], inside))
    return last + 1 + int(strange[0]) if len(strange) else len(line)


LEAST = 3  # backward calls that make a curve
MOST_SERIES = 3  # losses from different lines that are kept apart


@dataclass(frozen=True, eq=False)
class Series:
    """A loss over the steps at which its backward calls begin, ascending."""

    name: str
    steps: NDArray[Any]
    numbers: NDArray[Any]

    def at(self, cursor: int) -> float:
        """The latest number at a cursor, NaN before the first."""

        row = place(self.steps, cursor) - 1
        return float(self.numbers[row]) if row >= 0 else math.nan


@dataclass(frozen=True, eq=False)
class Training:
    """The losses, those with most calls first, and the norm of all gradients."""

    losses: tuple[Series, ...]
    gradient: Series


def times_of(trace: Trace, kind: Kind) -> tuple[NDArray[Any], NDArray[Any]]:
    """The steps of a recorded job that are of this kind and whose time is known, and that time in seconds since
    1970."""
    import numpy as np

    step, seconds = trace.clock.step, trace.clock.seconds
    rows = np.flatnonzero((step >= 0) & np.isfinite(seconds))
    rows = rows[trace.steps.kind[step[rows]] == kind]
    return step[rows], seconds[rows]


def training(trace: Trace, steps: int) -> Training | None:
    """The training curve, None if no loop trains."""
    import numpy as np

    calls = trace.calls
    began = place(calls.step, steps)
    if began < LEAST:
        return None
    series = losses(trace, began, MOST_SERIES)
    if not series:
        return None
    norms = _gradient_norms(trace, began)
    wrote = ~np.isnan(norms)
    return Training(tuple(series), Series("gradient norm", calls.step[:began][wrote], norms[wrote]))


def losses(trace: Trace, began: int, most: int) -> list[Series]:
    """The losses of the first calls, by the line where they begin, those with most calls first."""
    import numpy as np

    call, loss, tensor = _losses(trace, began)
    lines = trace.calls.line[call]
    found, counts = np.unique(lines, return_counts=True)
    series = []
    for line in found[np.argsort(-counts, kind="stable")][:most].tolist():
        mine = lines == line
        if mine.sum() >= LEAST:
            name = trace.naming.name(int(tensor[mine][-1]), len(trace))
            series.append(Series(name, trace.calls.step[call[mine]], loss[mine]))
    return series


def _losses(trace: Trace, began: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The calls with a single root of one element: (call, its value, its tensor)."""
    import numpy as np

    roots = trace.roots
    single = np.bincount(roots.call, minlength=began) == 1
    rows = np.flatnonzero((roots.call < began) & single[roots.call])
    value = trace.tensors.value[roots.tensor[rows]]
    rows = rows[(value >= 0) & (trace.values.count[value] == 1) & (trace.values.ndim[value] == 0)]
    value = trace.tensors.value[roots.tensor[rows]]
    return roots.call[rows], _numbers(trace, value), roots.tensor[rows]


def _numbers(trace: Trace, values: NDArray[Any]) -> NDArray[Any]:
    """The only element of each of these values."""
    import numpy as np

    found = np.empty(len(values))
    chunk, offset = trace.values.chunk[values], trace.values.offset[values]
    for piece in np.unique(chunk).tolist():
        mine = chunk == piece
        found[mine] = trace.store.several(piece, offset[mine], 1)[:, 0].real
    return found


def _gradient_norms(trace: Trace, began: int) -> NDArray[Any]:
    """For each call the norm over every .grad that it wrote, NaN if it wrote none."""
    import numpy as np

    from gradviz.trace.table.kinds import Kind

    grads, steps = trace.grads, trace.steps
    rows = np.flatnonzero((grads.step >= 0) & (grads.value >= 0))
    rows = rows[steps.kind[grads.step[rows]] == Kind.ACCUMULATE]
    call = steps.call[grads.step[rows]]
    rows, call = rows[(call >= 0) & (call < began)], call[(call >= 0) & (call < began)]
    with np.errstate(all="ignore"):
        sums = np.bincount(call, weights=np.square(trace.values.norm[grads.value[rows]]), minlength=began)
        norms = np.sqrt(sums)
    norms[np.bincount(call, minlength=began) == 0] = np.nan
    return norms
