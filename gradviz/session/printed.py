"""What the snippet has printed at the cursor, as `plain` text. Pure; the output panel shows it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from gradviz.session.state import State
from gradviz.worker.terminal import plain

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


@dataclass(frozen=True)
class Piece:
    """Consecutive text of one stream, "out" or "err"."""

    stream: str
    text: str


def count(state: State, *, whole: bool = False) -> int:
    """How many prints and warnings there have been."""
    if state.trace is None:
        return 0
    step = state.trace.texts.step
    return len(step) if whole else int(step.searchsorted(state.cursor))


def pieces(trace: Trace, start: int, end: int) -> tuple[Piece, ...]:
    """The prints [start, end), with consecutive ones of the same stream joined."""
    texts = [plain(str(text)) for text in trace.texts.text[start:end]]
    rows = zip(trace.texts.stream[start:end], texts, strict=True)
    return tuple(
        Piece(stream, "".join(text for _, text in run)) for stream, run in groupby(rows, key=lambda row: str(row[0]))
    )


def lengths(trace: Trace) -> list[int]:
    """The total length in UTF-16 units (as Qt counts) of the first 0, 1, 2, … prints."""
    total = [0]
    for text in trace.texts.text:
        total.append(total[-1] + len(plain(str(text)).encode("utf-16-le", "surrogatepass")) // 2)
    return total
