"""Arrays as pictures, without colours. `picture` makes a map of cells (or a line, for a vector), each with a strength
on a diverging scale centred on zero. A few outliers do not wash out the rest: the scale ends at a robust percentile,
and values beyond it are marked. `item_painter` paints the pictures; the colours come from the theme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_ROWS, MOST_COLUMNS = 14, 26
MOST_POINTS = 72  # points of a line
MOST_TILES = 8  # images of a batch, or channels
TILE = 12  # cells along the side of an image if there are several
FULL = 100
BEYOND = 101  # and -101: an outlier, clipped to the end of the scale
INFINITE = 127  # and -127
MISSING = 128  # NaN
FEW = 16  # elements: with so few there are no outliers
GAP = -128  # no cell: the gap between two images
ROBUST = 0.98  # of the magnitudes lie within the scale
TOLERATED = 2.5  # times the robust end: how far the scale is stretched before values are clipped


@dataclass(frozen=True)
class Picture:
    """Strengths from -100 to 100, row by row; BEYOND, INFINITE, MISSING and GAP are special values. In a `line`, each
    column is a point of a vector, and the two rows are the lowest and the highest value there."""

    rows: int
    columns: int
    strengths: bytes
    line: bool = False

    def grid(self) -> NDArray[np.int16]:
        """The strengths as an array."""
        return np.frombuffer(self.strengths, np.int16).reshape(self.rows, self.columns)

    @property
    def is_cut(self) -> bool:
        """Whether some cells are beyond the scale."""
        return bool((np.abs(self.grid()) == BEYOND).any())


def picture(array: NDArray[Any]) -> Picture:
    """The picture of an array: a line for a vector too long for cells with numbers, otherwise a map of its last two
    dimensions, with several side by side if it has more."""
    return _picture(array.tobytes(), array.dtype, array.shape)


@lru_cache(maxsize=2048)  # the same values are shown at every step
def _picture(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Picture:
    numbers = _real(np.frombuffer(data, dtype).reshape(shape))
    if numbers.size == max(numbers.shape, default=1) and numbers.size > 1:
        line = _strengths(numbers.reshape(-1))
        ends = _ends(line) if numbers.size > MOST_POINTS else np.stack((line, line))
        return Picture(2, ends.shape[1], ends.astype(np.int16).tobytes(), line=True)
    if numbers.ndim > 2:
        sheet, gap = _tiles(numbers)
        strengths = _strengths(sheet, ~gap)
        strengths[gap] = GAP
    else:
        strengths = _strengths(_sampled(numbers.reshape(-1, max(shape[-1:], default=1))))
    return _map(strengths)


def shown_elements(indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which element each cell of the picture of an array shows, -1 for a gap; of a line, the first of each stretch. The
    argument has the shape of the array, and an index in place of each element."""
    if indices.size == max(indices.shape, default=1) and indices.size > 1:
        line = indices.reshape(1, -1)
        return line if indices.size <= MOST_POINTS else line[:, _starts(indices.size)]
    numbers = indices.astype(np.float64)  # exact, there are fewer elements than 2 ** 53
    if numbers.ndim <= 2:
        return _sampled(numbers.reshape(-1, max(indices.shape[-1:], default=1))).astype(np.int64)
    sheet, gap = _tiles(numbers)
    return np.where(gap, -1, sheet).astype(np.int64)


def _real(array: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers that are shown by colours: of complex ones, their magnitudes."""
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(array) if array.dtype.kind == "c" else array, np.float64)


def cells(array: NDArray[Any]) -> Picture:
    """A map with one cell per element of a small table, to write numbers on."""
    return _cells(array.tobytes(), array.dtype, array.shape)


@lru_cache(maxsize=2048)
def _cells(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Picture:
    return _map(_strengths(_real(np.frombuffer(data, dtype).reshape(shape))))


def _map(strengths: NDArray[np.int16]) -> Picture:
    rows, columns = strengths.shape
    return Picture(rows, columns, strengths.tobytes())


def _sampled(table: NDArray[np.float64], rows: int = MOST_ROWS, columns: int = MOST_COLUMNS) -> NDArray[np.float64]:
    down = np.linspace(0, table.shape[0] - 1, min(rows, table.shape[0])).round().astype(int)
    across = np.linspace(0, table.shape[1] - 1, min(columns, table.shape[1])).round().astype(int)
    found: NDArray[np.float64] = table[np.ix_(down, across)]
    return found


def _tiles(numbers: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The first images of a stack side by side, in two rows where that is closer to square; the remaining places are
    gaps."""
    stack = numbers.reshape(-1, *numbers.shape[-2:])[:MOST_TILES]
    images = [_sampled(image, TILE, TILE) for image in stack]
    height, width = images[0].shape
    lines = 2 if len(images) > 3 else 1
    across = -(-len(images) // lines)
    shape = lines * (height + 1) - 1, across * (width + 1) - 1
    sheet, gap = np.zeros(shape), np.ones(shape, bool)
    for number, image in enumerate(images):
        top, left = number // across * (height + 1), number % across * (width + 1)
        place = np.s_[top : top + height, left : left + width]
        sheet[place], gap[place] = image, False
    return sheet, gap


def scale_end(numbers: NDArray[np.float64]) -> float:
    """The magnitude at the end of the scale: the largest, unless a few are far beyond all others."""
    magnitude = np.abs(numbers[np.isfinite(numbers)])
    largest = float(magnitude.max(initial=0.0))
    if magnitude.size < FEW:
        return largest
    reach = float(np.quantile(magnitude, ROBUST, method="lower")) * TOLERATED
    return float(magnitude[magnitude <= reach].max()) if 0 < reach < largest else largest


def _strengths(numbers: NDArray[np.float64], among: NDArray[np.bool_] | None = None) -> NDArray[np.int16]:
    end = scale_end(numbers if among is None else numbers[among]) or 1.0
    with np.errstate(all="ignore"):
        part = np.nan_to_num(numbers / end, nan=0.0, posinf=2.0, neginf=-2.0)
    strength = np.where(np.abs(part) > 1, np.copysign(BEYOND, part), part * FULL).round().astype(np.int16)
    strength[np.isposinf(numbers)], strength[np.isneginf(numbers)] = INFINITE, -INFINITE
    strength[np.isnan(numbers)] = MISSING
    return strength


def _starts(size: int) -> NDArray[np.int64]:
    """Where the stretches of a long line begin."""
    return np.unique(np.linspace(0, size, MOST_POINTS, endpoint=False).astype(int))


def _ends(line: NDArray[np.int16]) -> NDArray[np.int16]:
    """The lowest and highest value of each stretch of a long line; non-finite values win."""
    starts = _starts(len(line))
    low, high = np.minimum.reduceat(line, starts), np.maximum.reduceat(line, starts)
    return np.stack((np.where(high > BEYOND, high, low), np.where(low < -BEYOND, low, high)))
