"""The ledger of a `.grad`: what each backward call added to it, what cleared it, what is left in it from before. The
sum of its lines since it was cleared is what `.grad` holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.values import Value


@dataclass(frozen=True)
class Entry:
    """One change of a `.grad`. `kind` is "added" (by a backward call), "cleared" or "set"; `value` is what was added,
    or what `.grad` became, None for None."""

    kind: str
    step: int  # the cursor at which it is there, as the timeline counts
    line: int  # -1 unknown
    value: Value | None


def ledger(frame: Frame, tensor: int) -> list[Entry]:
    """All changes of the `.grad` of a tensor up to a frame's cursor, in order."""
    rows = frame.trace.history("grads", "tensor").before(tensor, frame.cursor)
    steps = frame.trace.grads.step[rows].tolist()
    return [_entry(frame, tensor, row, at == 0 or steps[at - 1] != steps[at]) for at, row in enumerate(map(int, rows))]


def _entry(frame: Frame, tensor: int, row: int, is_first: bool) -> Entry:
    """One row of the history; what changes `.grad` between two steps carries the step before, after its own row."""
    trace = frame.trace
    step = int(trace.grads.step[row])
    line, kind = int(trace.steps.line[step]), int(trace.steps.kind[step])
    if is_first and kind == Kind.ACCUMULATE and int(trace.steps.tensor[step]) == tensor:
        return Entry("added", step + 1, line, trace.frame_at(step + 1).arriving(tensor))
    value = trace.value(int(trace.grads.value[row]))
    cleared = value is None or (value.array is not None and not np.any(value.array))
    return Entry("cleared" if cleared else "set", step + 1, line, value)


def since_cleared(entries: list[Entry]) -> list[Entry]:
    """The entries that make up what `.grad` holds now."""
    begin = max((at for at, entry in enumerate(entries) if entry.kind != "added"), default=-1)
    if begin >= 0 and entries[begin].kind == "set":
        return entries[begin:]
    return entries[begin + 1 :]
