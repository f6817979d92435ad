"""The lines along which a table of numbers has one value: each cell of four neighbours gives up to two segments, found
where its edges pass the level (marching squares, ambiguous cells as they come)."""

from __future__ import annotations

import numpy as np

from gradviz.worker.plots.book import Array

MOST_CELLS = 400  # along each side; larger tables are thinned


def thinned(x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    """The same table with fewer rows and columns where it is large."""
    down, across = (max(1, -(-side // MOST_CELLS)) for side in z.shape)
    return x[::across], y[::down], z[::down, ::across]


def lines_at(x: Array, y: Array, z: Array, level: float) -> tuple[Array, Array, Array, Array]:
    """(x0, y0, x1, y1) of the segments at a level; x belongs to the columns, y to the rows."""
    corners = (z[:-1, :-1], z[:-1, 1:], z[1:, 1:], z[1:, :-1])
    left, right = np.meshgrid(x[:-1], y[:-1]), np.meshgrid(x[1:], y[1:])
    across = (left[0], right[0], right[0], left[0])
    up = (left[1], left[1], right[1], right[1])
    ends: list[tuple[Array, Array, Array]] = []  # where each edge of the cells is passed
    for one in range(4):
        other = (one + 1) % 4
        first, second = corners[one], corners[other]
        passed = (first < level) != (second < level)
        step = np.where(second == first, 1.0, second - first)
        part = (level - first) / step
        ends.append(
            (passed, across[one] + part * (across[other] - across[one]), up[one] + part * (up[other] - up[one]))
        )
    found: list[tuple[Array, ...]] = []
    count = sum(passed.astype(int) for passed, _, _ in ends)
    for one in range(4):
        for other in range(one + 1, 4):
            both = ends[one][0] & ends[other][0]
            both &= (count == 2) | ((count == 4) & (((one, other) == (0, 1)) | ((one, other) == (2, 3))))
            found.append(tuple(ends[end][part][both] for end, part in ((one, 1), (one, 2), (other, 1), (other, 2))))
    x0, y0, x1, y1 = (np.concatenate([each[part] for each in found]) for part in range(4))
    return x0, y0, x1, y1


def smooth(z: Array, least: int) -> Array:
    """The table with more rows and columns between, so that bands have round edges."""
    rows, columns = (max(1, least // max(1, side)) for side in z.shape)
    for axis, times in ((0, rows), (1, columns)):
        if times > 1 and z.shape[axis] > 1:
            count = z.shape[axis]
            places = np.linspace(0, count - 1, (count - 1) * times + 1)
            low = np.minimum(places.astype(int), count - 2)
            part = (places - low).reshape((-1, 1) if axis == 0 else (1, -1))
            z = np.take(z, low, axis) * (1 - part) + np.take(z, low + 1, axis) * part
    return z
