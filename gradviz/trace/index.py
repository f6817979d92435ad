"""Rows of a table grouped by a number, to find the last one before a moment without replay."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def span(column: Array, low: int, high: int) -> tuple[int, int]:
    """Where the numbers from `low` up to, not including, `high` are in an ascending column.

    Asking in the column's own type saves a copy of it.
    """
    start, end = column.searchsorted(np.array([low, high], column.dtype)).tolist()
    return start, end


class History:
    """For each key the rows that carry it, in the order of the table (which is the order of steps)."""

    def __init__(self, keys: Array, steps: Array | None) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._steps = steps[self._order] if steps is not None else None

    def all(self, key: int) -> NDArray[np.int64]:
        """The rows of a key."""
        low, high = span(self._keys, key, key + 1)
        return self._order[low:high]

    def before(self, key: int, cursor: int) -> NDArray[np.int64]:
        """The rows of a key whose step is done at the cursor."""
        assert self._steps is not None
        low, high = span(self._keys, key, key + 1)
        if low == high:
            return self._order[:0]
        return self._order[low : low + span(self._steps[low:high], cursor, cursor)[0]]

    def last(self, key: int, cursor: int) -> int:
        """The last such row, or -1."""
        rows = self.before(key, cursor)
        return int(rows[-1]) if len(rows) else -1
