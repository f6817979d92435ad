"""Replaces a routed edge by one plain S wherever that touches no box: a single curve is easier to follow than a route
with bends, and it never leads back to the left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradviz.layout.records import Floats, LayoutInput, LayoutResult

SAMPLES = 16
CLEARANCE = 7.0
MOST_EDGES = 6_000  # beyond it nobody sees single curves
BENDS = ((0.5, 0.5), (0.8, 0.3), (0.3, 0.8), (0.9, 0.1), (0.1, 0.9))
_T = np.linspace(0, 1, SAMPLES + 1)
_WEIGHTS = np.stack(((1 - _T) ** 3, 3 * (1 - _T) ** 2 * _T, 3 * (1 - _T) * _T * _T, _T**3), axis=1)


def simplify(graph: LayoutInput, drawing: LayoutResult) -> LayoutResult:
    """The drawing with plain curves where there is room for them."""
    count = len(graph.edges)
    if not count or count > MOST_EDGES:
        return drawing
    by_x = np.argsort(drawing.centres[:, 0], kind="stable")
    centre, half = drawing.centres[by_x], graph.sizes[by_x] / 2 + CLEARANCE
    widest = float(half[:, 0].max())
    begin, end = drawing.points[drawing.starts[:-1]], drawing.points[drawing.starts[1:] - 1]
    first = np.searchsorted(centre[:, 0], begin[:, 0] - widest)
    last = np.searchsorted(centre[:, 0], end[:, 0] + widest)
    routes = []
    for edge in range(count):
        near = slice(first[edge], last[edge])
        other = ~np.isin(by_x[near], graph.edges[edge])
        curve = _free_curve(begin[edge], end[edge], centre[near][other], half[near][other])
        routes.append(drawing.route(edge) if curve is None else curve)
    starts = np.concatenate(([0], np.cumsum([len(route) for route in routes])))
    return replace(drawing, points=np.concatenate(routes), starts=starts)


def _free_curve(begin: Floats, end: Floats, centre: Floats, half: Floats) -> Floats | None:
    """The first of the plain curves that keeps clear of these boxes."""
    across = np.array((end[0] - begin[0], 0.0))
    if across[0] <= 0:
        return None
    low, high = centre - half, centre + half
    level = (low[:, 1] < max(begin[1], end[1])) & (high[:, 1] > min(begin[1], end[1]))
    low, high = low[level], high[level]
    for leave, arrive in BENDS:
        curve = np.array((begin, begin + across * leave, end - across * arrive, end))
        points = _WEIGHTS @ curve
        a, b = points[:-1, None], points[1:, None]
        hit = (np.minimum(a, b) <= high) & (np.maximum(a, b) >= low)
        if not hit.all(2).any():
            return curve
    return None
