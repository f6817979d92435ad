"""The last resort of a draft that has no time left: all boxes in one row, each edge one curve. Nothing overlaps,
but edges may run through boxes. A real drawing replaces it soon."""

from __future__ import annotations

import numpy as np

from gradviz.layout.records import LayoutInput, LayoutResult

GAP = 40.0


def in_a_row(graph: LayoutInput) -> LayoutResult:
    """The boxes in their order, those that are to stand left and right of all others there."""
    count = len(graph.sizes)
    order = np.arange(count) if graph.side is None else np.argsort(graph.side, kind="stable")
    width = graph.sizes[order, 0] + GAP
    x = np.empty(count)
    x[order] = np.cumsum(width) - width / 2
    tallest = float(graph.sizes[:, 1].max(initial=0.0))
    centres = np.column_stack((x, np.full(count, tallest / 2)))
    if graph.side is not None:  # what passes the frame, one below the other
        for side in (-1, 1):
            some = np.flatnonzero(graph.side == side)
            centres[some, 1] = tallest * (np.arange(len(some)) + 1) / (len(some) + 1)
    tail, head = graph.edges[:, 0], graph.edges[:, 1]
    half = graph.sizes[:, 0] / 2
    begin = centres[tail] + np.column_stack((half[tail], graph.ports[:, 0]))
    end = centres[head] + np.column_stack((-half[head], graph.ports[:, 1]))
    reach = np.column_stack((np.abs(end[:, 0] - begin[:, 0]) / 2, np.zeros(len(tail))))
    points = np.stack((begin, begin + reach, end - reach, end), axis=1).reshape(-1, 2)
    return LayoutResult(centres, points, 4 * np.arange(len(tail) + 1), (0.0, 0.0), "row")
