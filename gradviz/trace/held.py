"""Memory held by saved buffers over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.schema import NEVER, Saved

Array = NDArray[Any]


def held_curve(saved: Saved, steps: int) -> Array:
    """Bytes held at cursor 0..steps: of every storage that at least one buffer holds, the largest size that any of
    them saw."""
    change = np.zeros(steps + 2, np.int64)
    if len(saved):
        storage, which = np.unique(saved.storage, return_inverse=True)
        size = np.zeros(len(storage), np.int64)
        np.maximum.at(size, which, saved.nbytes)
        freed = saved.freed != NEVER
        when = np.concatenate([saved.step, saved.freed[freed]]).astype(np.int64)
        who = np.concatenate([which, which[freed]])
        by = np.concatenate([np.ones(len(saved), np.int64), np.full(int(freed.sum()), -1)])
        order = np.lexsort((by, when, who))
        when, who, by = when[order], who[order], by[order]
        holders = np.cumsum(by)
        holders -= np.repeat(*_before_group(who, holders, by))
        begins, ends = (holders == 1) & (by == 1), (holders == 0) & (by == -1)
        np.add.at(change, when[begins] + 1, size[who[begins]])
        np.add.at(change, when[ends] + 1, -size[who[ends]])
    return np.cumsum(change)[: steps + 1]


def _before_group(who: Array, running: Array, by: Array) -> tuple[Array, Array]:
    """The running sum just before each group of equal `who`, and the length of the group."""
    starts = np.flatnonzero(np.diff(who, prepend=-1))
    return (running - by)[starts], np.diff(np.append(starts, len(who)))
