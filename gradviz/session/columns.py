"""Positions of numbers in an ascending column of steps. Searching in the column's own dtype avoids a copy of the whole
column, which for a million steps would take most of a frame. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def place(column: NDArray[Any], number: float, *, after: bool = False) -> int:
    """How many entries are less than a number; with `after`, how many are not greater."""
    return int(places(column, number, after=after))


def places(column: NDArray[Any], numbers: Any, *, after: bool = False) -> NDArray[Any]:
    """The same for many numbers."""
    import numpy as np

    whole = np.floor(numbers) if after else np.ceil(numbers)
    limits = np.iinfo(column.dtype)
    asked = np.clip(whole, limits.min // 2, limits.max // 2).astype(column.dtype)
    return np.asarray(column.searchsorted(asked, "right" if after else "left"))
