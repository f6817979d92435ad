"""Replaces a routed edge by one plain S wherever that touches no box: a single curve is easier to follow than a route
with bends, and it never leads back to the left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult

SAMPLES = 16
CLEARANCE = 7.0
MOST_PAIRS = 3_000_000  # edges times boxes; beyond it nobody sees single curves
CHUNK = 200
BENDS = ((0.5, 0.5), (0.8, 0.3), (0.3, 0.8), (0.9, 0.1), (0.1, 0.9))


def simplify(graph: LayoutInput, drawing: LayoutResult) -> LayoutResult:
    """The drawing with plain curves where there is room for them."""
    count = len(graph.edges)
    if not count or count * len(graph.sizes) > MOST_PAIRS:
        return drawing
    begin, end = drawing.points[drawing.starts[:-1]], drawing.points[drawing.starts[1:] - 1]
    plain = s_curves(begin, end, *BENDS[0])
    free = _free(graph, drawing, plain, np.arange(count))
    for leave, arrive in BENDS[1:]:
        bound = np.flatnonzero(~free)
        other = s_curves(begin[bound], end[bound], leave, arrive)
        good = _free(graph, drawing, other, bound)
        plain[bound[good]] = other[good]
        free[bound[good]] = True
    lengths = np.where(free, 4, np.diff(drawing.starts))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    points = np.empty((int(starts[-1]), 2))
    for edge in np.flatnonzero(~free).tolist():
        points[starts[edge] : starts[edge + 1]] = drawing.route(edge)
    points[starts[:-1][free][:, None] + np.arange(4)] = plain[free]
    return replace(drawing, points=points, starts=starts)


def s_curves(begin: Floats, end: Floats, leave: float, arrive: float) -> Floats:
    """Cubics (n, 4, 2) that leave and arrive level, with handles of these parts of the way across."""
    across = np.column_stack(((end - begin)[:, 0], np.zeros(len(begin))))
    return np.stack((begin, begin + across * leave, end - across * arrive, end), axis=1)


def _free(
    graph: LayoutInput, drawing: LayoutResult, curves: Floats, edges: Ints
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which curves keep clear of all boxes but their own."""
    t = np.linspace(0, 1, SAMPLES + 1)
    weights = np.stack(((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3), axis=1)
    points = np.matmul(weights, curves)
    half = graph.sizes / 2 + CLEARANCE
    free = curves[:, 3, 0] > curves[:, 0, 0]
    for first in range(0, len(curves), CHUNK):
        some = slice(first, first + CHUNK)
        a, b = points[some, :-1, None], points[some, 1:, None]
        low, high = np.minimum(a, b), np.maximum(a, b)
        apart = (low > drawing.centres + half) | (high < drawing.centres - half)
        hit = ~apart.any(3).all(1)
        own: Ints = np.arange(len(hit))
        for side in (0, 1):
            hit[own, graph.edges[edges[some], side]] = False
        free[some] &= ~hit.any(1)
    return free
