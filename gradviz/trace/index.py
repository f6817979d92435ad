"""Rows of a table grouped by a number, to find the last one before a moment without replay."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class History:
    """For each key the rows that carry it, in the order of the table (which is the order of steps)."""

    def __init__(self, keys: Array, steps: Array | None) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._steps = steps[self._order] if steps is not None else None

    def all(self, key: int) -> NDArray[np.int64]:
        """The rows of a key."""
        low, high = np.searchsorted(self._keys, [key, key + 1])
        return self._order[low:high]

    def before(self, key: int, cursor: int) -> NDArray[np.int64]:
        """The rows of a key whose step is done at the cursor."""
        assert self._steps is not None
        low, high = np.searchsorted(self._keys, [key, key + 1])
        return self._order[low : low + np.searchsorted(self._steps[low:high], cursor)]

    def last(self, key: int, cursor: int) -> int:
        """The last such row, or -1."""
        rows = self.before(key, cursor)
        return int(rows[-1]) if len(rows) else -1
