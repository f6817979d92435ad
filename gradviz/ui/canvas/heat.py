"""Arrays as pictures: one cell per element, or a sample of the elements where there are too many, with the strength of
a diverging colour scale per cell. Zero is the middle of the scale; the painter chooses the colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_ROWS, MOST_COLUMNS = 14, 26
MISSING = 128  # the strength that stands for NaN
FULL = 100


@dataclass(frozen=True)
class Picture:
    """Strengths -100 … 100 by row, MISSING for NaN."""

    rows: int
    columns: int
    strengths: bytes

    def grid(self) -> NDArray[np.int16]:
        """The strengths as an array."""
        return np.frombuffer(self.strengths, np.int16).reshape(self.rows, self.columns)


def picture(array: NDArray[Any]) -> Picture:
    """The picture of an array; its scale reaches to the largest magnitude but one in a hundred."""
    real = np.abs(array) if array.dtype.kind == "c" else array
    with np.errstate(all="ignore"):
        flat = np.asarray(real, np.float64)
    table = flat.reshape(1, -1) if flat.ndim < 2 else flat.reshape(-1, flat.shape[-1])
    if table.shape[0] == 1 and table.shape[1] > MOST_COLUMNS:  # a long vector is folded into lines
        rows = min(MOST_ROWS, -(-table.shape[1] // MOST_COLUMNS))
        table = np.resize(table[0], (rows, -(-table.shape[1] // rows)))
    down = np.linspace(0, table.shape[0] - 1, min(MOST_ROWS, table.shape[0])).round().astype(int)
    across = np.linspace(0, table.shape[1] - 1, min(MOST_COLUMNS, table.shape[1])).round().astype(int)
    sample = table[np.ix_(down, across)]
    magnitude = np.abs(sample[np.isfinite(sample)])
    top = float(np.quantile(magnitude, 0.99, method="higher")) if magnitude.size else 0.0
    with np.errstate(all="ignore"):
        strength = np.clip(sample / (top or 1.0), -1, 1) * FULL
    strength = np.where(np.isnan(sample), MISSING, np.nan_to_num(strength)).round().astype(np.int16)
    rows, columns = strength.shape
    return Picture(rows, columns, strength.tobytes())
