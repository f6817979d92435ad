"""Growing columns: a `Table` is a set of NumPy arrays of equal length, declared by annotations and filled from packed
rows. A `History` finds the last row with a given key before a moment, without replay. Nothing here knows what the
columns mean; `schema.py` declares them, `trace.py` fills them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its NumPy type in a packed row, and the table that its numbers refer to."""

    type: str
    refers: str = ""
    none: bool = False  # -1 is allowed
    text: bool = False
    derived: bool = False  # not in a packed row: computed by the trace


_COLUMNS: dict[type, dict[str, Column]] = {}


def columns(table: type[Table]) -> dict[str, Column]:
    """The columns of a table in order."""
    if table not in _COLUMNS:
        hints = get_type_hints(table, include_extras=True)
        _COLUMNS[table] = {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}
    return _COLUMNS[table]


def row_dtype(table: type[Table]) -> np.dtype[Any]:
    """The packed little-endian row of a table."""
    sent = [(name, "<" + c.type if c.type[1] != "1" else c.type) for name, c in columns(table).items() if not c.derived]
    return np.dtype(sent)


def row_format(table: type[Table]) -> str:
    """The same row for the `struct` module."""
    codes = {"i4": "i", "i8": "q", "f8": "d", "u1": "B", "b1": "?"}
    return "<" + "".join(codes[c.type] for c in columns(table).values() if not c.derived)


class Table:
    """Columns of equal length as attributes; each is a view of the present rows and is replaced when rows are added."""

    def __init__(self) -> None:
        self._count = 0
        self._store: dict[str, Array] = {}
        for name, column in columns(type(self)).items():
            self._store[name] = np.empty(0, self._type(column))
        self._publish()

    def __len__(self) -> int:
        return self._count

    @staticmethod
    def _type(column: Column) -> Any:
        return object if column.text else "i8" if column.derived else column.type  # the first rows bring a derived type

    def _publish(self) -> None:
        for name, store in self._store.items():
            setattr(self, name, store[: self._count])

    def append(self, arrays: dict[str, Array], count: int) -> None:
        """Add `count` rows; every column must be in `arrays`."""
        start, end = self._count, self._count + count
        for name, store in self._store.items():
            new = arrays[name]
            if store.dtype != new.dtype and start == 0:
                store = np.empty(0, new.dtype)
            if end > len(store):
                grown = np.empty(max(end, 2 * len(store), 16), store.dtype)
                grown[:start] = store[:start]
                store = grown
            store[start:end] = new
            self._store[name] = store
        self._count = end
        self._publish()

    def first(self, count: int) -> Self:
        """The first `count` rows, as a table that later rows do not affect."""
        made = type(self).__new__(type(self))
        made._count = count
        made._store = {name: column[:count] for name, column in self._store.items()}
        made._publish()
        return made

    def as_now(self, *changing: str) -> Self:
        """The present rows, as a table that later rows do not affect; columns that are `changing` are copied."""
        made = self.first(self._count)
        for name in changing:
            made._store[name] = made._store[name].copy()
        made._publish()
        return made


def span(column: Array, low: int, high: int) -> tuple[int, int]:
    """The positions of the numbers from `low` to `high` (exclusive) in an ascending column.

    Searching in the column's own dtype avoids a copy of it."""
    try:
        start, end = column.searchsorted(np.array([low, high], column.dtype)).tolist()
    except OverflowError:  # `low` is the largest number of the dtype, which only a stranger's recording has
        start, end = int(column.searchsorted(np.array(low, column.dtype))), len(column)
    return start, end


def ranges(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers from each `low` to its `high` (exclusive), one range after the other."""
    count = high - low
    found: NDArray[np.int64] = np.arange(int(count.sum())) + np.repeat(low - (np.cumsum(count) - count), count)
    return found


class History:
    """For each key, the rows that have it, in the order of the table (which is the order of steps)."""

    def __init__(self, keys: Array, steps: Array | None) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._steps = steps[self._order] if steps is not None else None

    def all(self, key: int) -> NDArray[np.int64]:
        """The rows of a key."""
        low, high = span(self._keys, key, key + 1)
        return self._order[low:high]

    def before(self, key: int, cursor: int) -> NDArray[np.int64]:
        """The rows of a key whose step is complete at the cursor."""
        assert self._steps is not None
        low, high = span(self._keys, key, key + 1)
        if low == high:
            return self._order[:0]
        return self._order[low : low + span(self._steps[low:high], cursor, cursor)[0]]

    def last(self, key: int, cursor: int) -> int:
        """The last of these rows, or -1."""
        rows = self.before(key, cursor)
        return int(rows[-1]) if len(rows) else -1
