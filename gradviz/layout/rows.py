"""The simplest drawing, for graphs that are too large for layers and for a draft that has no time left: the boxes in
rows, in their order, like words on a page; each edge is one curve. Boxes do not overlap, but edges run through them.
The time grows with the number of boxes and edges, and the sides of the page with its square root. `stack` puts whole
graphs one below the other."""

from __future__ import annotations

import heapq
import math
from bisect import bisect
from collections.abc import Sequence

import numpy as np

from gradviz.layout.records import ROWS, Floats, Ints, LayoutInput, LayoutResult

GAP = 40.0  # between two boxes of a row, and between two rows
ASPECT = 1.6  # of the page
REACH = 60.0  # of the handles of a plain curve that goes back, and at most of one that goes far


def in_rows(graph: LayoutInput, *, upright: bool = False) -> LayoutResult:
    """The boxes in rows, with columns left and right of them for boxes that belong there. If the drawing will be turned
    `upright`, the page is, too."""
    inside = np.arange(len(graph.sizes)) if graph.side is None else np.flatnonzero(graph.side == 0)
    centres = np.empty((len(graph.sizes), 2))
    centres[inside], width, height = _page(graph.sizes[inside], 1 / ASPECT if upright else ASPECT)
    if graph.side is not None:  # edges that pass the frame, one below the other
        for side, x in ((-1, -GAP), (1, width + GAP)):
            some = np.flatnonzero(graph.side == side)
            centres[some, 0] = x
            centres[some, 1] = height * (np.arange(len(some)) + 1) / (len(some) + 1)
    tail, head = graph.edges[:, 0], graph.edges[:, 1]
    half = graph.sizes[:, 0] / 2
    begin = centres[tail] + np.column_stack((half[tail], graph.ports[:, 0]))
    end = centres[head] + np.column_stack((-half[head], graph.ports[:, 1]))
    points = plain_curves(begin, end)
    return LayoutResult(centres, points, 4 * np.arange(len(tail) + 1), (width, height), ROWS)


def plain_curves(begin: Floats, end: Floats) -> Floats:
    """One cubic per edge, four points each, whatever is between its ends."""
    forward = end[:, 0] - begin[:, 0]
    reach = np.where(forward > 0, np.minimum(forward / 2, REACH), REACH)
    handle = np.column_stack((reach, np.zeros(len(begin))))
    points: Floats = np.stack((begin, begin + handle, end - handle, end), axis=1).reshape(-1, 2)
    return points


def _page(sizes: Floats, aspect: float) -> tuple[Floats, float, float]:
    """The centres of boxes in rows, and the size of the page."""
    if not len(sizes):
        return np.empty((0, 2)), 0.0, 0.0
    room = sizes + GAP
    high = float(np.quantile(room[:, 1], 0.9))  # most rows have a high box
    wide = max(math.sqrt(float(room[:, 0].sum()) * high * aspect), float(room[:, 0].max()))
    row = _row_of(room[:, 0], wide)
    first = np.searchsorted(row, row)
    right = np.cumsum(room[:, 0])
    x = right - room[:, 0] / 2 - (right - room[:, 0])[first] - GAP / 2
    tall = np.maximum.reduceat(room[:, 1], np.flatnonzero(np.diff(row, prepend=-1)))
    middle = np.cumsum(tall) - tall / 2 - GAP / 2
    centres = np.column_stack((x, middle[row]))
    return centres, float((centres + sizes / 2)[:, 0].max()), float(tall.sum() - GAP)


def _row_of(widths: Floats, most: float) -> Ints:
    """The row of each box, if no row is wider than that. One step per row, however many boxes there are."""
    right = np.cumsum(widths)
    breaks = [0]
    while breaks[-1] < len(widths):
        begin = right[breaks[-1] - 1] if breaks[-1] else 0.0
        breaks.append(max(int(np.searchsorted(right, begin + most, "right")), breaks[-1] + 1))
    found: Ints = np.repeat(np.arange(len(breaks) - 1), np.diff(breaks))
    return found


# -- graphs that are shown at the same time, one below the other. The place of a graph depends only on when it and the
# others are shown, so nothing moves as the cursor does; graphs that are never shown together may share a place.

GRAPH_GAP = 48.0


def stack(heights: Sequence[float], first: Sequence[int], until: Sequence[int]) -> list[float]:
    """The top of each graph; graph g is visible from step first[g] up to, not including, until[g]."""
    tops = [0.0] * len(heights)
    shown: list[tuple[int, int]] = []
    free = [(0.0, math.inf)]  # from the top to the bottom
    for graph in sorted(range(len(heights)), key=lambda g: (first[g], g)):
        while shown and shown[0][0] <= first[graph]:
            gone = heapq.heappop(shown)[1]
            _give_back(free, tops[gone], tops[gone] + heights[gone] + GRAPH_GAP)
        need = heights[graph] + GRAPH_GAP
        place = next(at for at, (begin, end) in enumerate(free) if begin + need <= end)
        tops[graph], end = free[place]
        if tops[graph] + need < end:
            free[place] = (tops[graph] + need, end)
        else:
            del free[place]
        heapq.heappush(shown, (until[graph], graph))
    return tops


def _give_back(free: list[tuple[float, float]], begin: float, end: float) -> None:
    """Free the space of a graph, merging it with the free space right above and below it."""
    at = bisect(free, (begin, end))
    if at < len(free) and free[at][0] <= end:
        end = free.pop(at)[1]
    if at and free[at - 1][1] >= begin:
        begin = free.pop(at - 1)[0]
        at -= 1
    free.insert(at, (begin, end))
