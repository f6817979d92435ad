"""What the timeline draws, as numbers: groups of steps, and one kind and one byte count per pixel when there are more
steps than pixels. Pure; NumPy is imported when a trace is there anyway."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.trace import Trace

# Where several steps share a pixel the most telling one is drawn: the later in this tuple of gradviz.trace.kinds.Kind.
TELLING = (
    "FREE",
    "LEAF",
    "FORWARD",
    "BACKWARD",
    "CONTRIBUTION",
    "PRINT",
    "INPLACE",
    "HOOK",
    "CLEAR_GRAD",
    "BACKWARD_CALL",
    "ACCUMULATE",
    "OPTIMIZER",
    "WARNING",
    "ERROR",
)

# The order in which kinds stand in a column that stands for many steps, from the top.
STACKED = (
    "LEAF",
    "FORWARD",
    "INPLACE",
    "BACKWARD_CALL",
    "BACKWARD",
    "CONTRIBUTION",
    "ACCUMULATE",
    "FREE",
    "HOOK",
    "CLEAR_GRAD",
    "OPTIMIZER",
    "PRINT",
    "WARNING",
    "ERROR",
)


@dataclass(frozen=True)
class Group:
    """Steps [start, end) that belong together."""

    start: int
    end: int
    title: str


def groups(trace: Trace, steps: int) -> tuple[Group, ...]:
    """Forward passes, backward calls (numbered if there are several), optimizer steps and the error, in order."""
    import numpy as np

    from gradviz.trace.kinds import Kind

    if not steps:
        return ()
    kind, call = trace.steps.kind[:steps], trace.steps.call[:steps].astype(np.int64)
    key = np.where(kind == Kind.OPTIMIZER, -2, np.where(kind == Kind.ERROR, -3, call))
    starts = np.concatenate(([0], np.flatnonzero(np.diff(key)) + 1, [steps]))
    several = len(np.unique(call[call >= 0])) > 1
    return tuple(Group(int(start), int(end), _group_title(int(key[start]), several)) for start, end in pairwise(starts))


def _group_title(key: int, several: bool) -> str:
    if key >= 0:
        return f"backward {key + 1}" if several else "backward"
    return {-1: "forward", -2: "optimizer", -3: "error"}[key]


def shares_per_pixel(kinds: NDArray[Any], columns: int, rows: int) -> NDArray[Any]:
    """A picture of the kinds, rows × columns: each column is divided among the kinds of its steps, in proportion. A
    column with an error or a warning is that alone. There must be at least as many steps as columns."""
    import numpy as np

    from gradviz.trace.kinds import Kind

    order = np.array([Kind[name] for name in STACKED], np.int64)
    place_of = np.empty(len(Kind), np.int64)
    place_of[order] = np.arange(len(order))
    column = np.arange(len(kinds), dtype=np.int64) * columns // len(kinds)
    counts = np.bincount(column * len(order) + place_of[kinds], minlength=columns * len(order))
    shares = np.cumsum(counts.reshape(columns, len(order)), axis=1)
    heights = (np.arange(rows) + 0.5) / rows
    places = (shares[None, :, :] <= heights[:, None, None] * shares[None, :, -1:]).sum(axis=2)
    picture = order[places].astype(np.uint8)
    telling = kinds_per_pixel(kinds, columns)
    return np.where(np.isin(telling, (Kind.ERROR, Kind.WARNING)), telling, picture)


def kinds_per_pixel(kinds: NDArray[Any], pixels: int) -> NDArray[Any]:
    """The most telling kind in each of `pixels` columns; there must be at least as many steps as pixels."""
    import numpy as np

    from gradviz.trace.kinds import Kind

    rank_of = np.zeros(len(Kind), np.uint8)
    kind_of = np.array([Kind[name] for name in TELLING], np.uint8)
    rank_of[kind_of] = np.arange(len(TELLING), dtype=np.uint8)
    starts = np.arange(pixels, dtype=np.int64) * len(kinds) // pixels
    return kind_of[np.maximum.reduceat(rank_of[kinds], starts)]


def most_per_pixel(counts: NDArray[Any], pixels: int) -> NDArray[Any]:
    """The largest count in each of `pixels` columns."""
    import numpy as np

    starts = np.arange(pixels, dtype=np.int64) * len(counts) // pixels
    return np.maximum.reduceat(counts, starts)


def size_text(nbytes: int) -> str:
    """A number of bytes as people write it."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if nbytes >= size:
            return f"{nbytes / size:.1f} {unit}"
    return f"{nbytes} B"
