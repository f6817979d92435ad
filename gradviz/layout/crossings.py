"""Finds what makes a drawing hard to read: where two edges cross. The routes are taken as polylines of a few straight
pieces; where two edges meet at a box that both end at, and where the edges of one tensor part, is no crossing."""

from __future__ import annotations

import numpy as np

from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult, NestedInput, NestedResult

PIECES = 6  # of a cubic
ROOM = 12.0  # around a box, where the edges that end there may cross
AT_ONCE = 2_000_000
_T = np.linspace(0, 1, PIECES + 1)[1:]
_WEIGHTS = np.stack(((1 - _T) ** 3, 3 * (1 - _T) ** 2 * _T, 3 * (1 - _T) * _T * _T, _T**3), axis=1)


def crossings(graph: LayoutInput | NestedInput, drawing: LayoutResult | NestedResult) -> Ints:
    """Pairs (k, 2) of edges that cross, the smaller number first; as often as they do."""
    piece, edge = _pieces(drawing)
    low, high = piece.min(1), piece.max(1)
    count = _neighbours(piece)
    total = np.cumsum(count)
    found = [np.zeros((0, 2), np.int64)]
    at = 0
    while at < len(piece):
        end = int(np.searchsorted(total, (total[at - 1] if at else 0) + AT_ONCE)) + 1
        many = count[at:end]
        one = np.repeat(np.arange(at, min(end, len(piece))), many)
        other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(many) - many, many)
        near = (low[one, 1] <= high[other, 1]) & (low[other, 1] <= high[one, 1])
        near &= graph.edges[edge[one], 0] != graph.edges[edge[other], 0]
        found.append(_crossing(graph, drawing.centres, piece, edge, one[near], other[near]))
        at = end
    return np.sort(np.concatenate(found), axis=1)


def work_of_crossings(drawing: LayoutResult | NestedResult) -> int:
    """How many pairs of pieces `crossings` would look at: it may grow with the square of the length of all routes."""
    return int(_neighbours(_pieces(drawing)[0]).sum())


def _pieces(drawing: LayoutResult | NestedResult) -> tuple[Floats, Ints]:
    """Straight pieces (n, 2, 2) of all routes, sorted from left to right, and the edge of each."""
    cubics = np.diff(drawing.starts) // 3
    first = np.repeat(drawing.starts[:-1] - 3 * (np.cumsum(cubics) - cubics), cubics) + 3 * np.arange(cubics.sum())
    control = drawing.points[first[:, None] + np.arange(4)]
    points = np.concatenate((control[:, :1], _WEIGHTS @ control), axis=1)
    piece = np.stack((points[:, :-1], points[:, 1:]), axis=2).reshape(-1, 2, 2)
    edge = np.repeat(np.repeat(np.arange(len(cubics)), cubics), PIECES)
    long = np.abs(piece[:, 0] - piece[:, 1]).sum(1) > 1e-9
    piece, edge = piece[long], edge[long]
    by_x = np.argsort(piece[:, :, 0].min(1), kind="stable")
    return piece[by_x], edge[by_x]


def _neighbours(piece: Floats) -> Ints:
    """By piece: how many of those after it begin before it ends, seen from left to right."""
    begin, end = piece[:, :, 0].min(1), piece[:, :, 0].max(1)
    found: Ints = np.searchsorted(begin, end, "right") - np.arange(len(piece)) - 1
    return found


def _crossing(
    graph: LayoutInput | NestedInput, centres: Floats, piece: Floats, edge: Ints, one: Ints, other: Ints
) -> Ints:
    """The edges of those pairs of pieces that cross."""
    a, b = piece[one, 0], piece[other, 0]
    along_a, along_b = piece[one, 1] - a, piece[other, 1] - b
    area = _cross(along_a, along_b)
    flat = np.abs(area) <= 1e-9 * np.hypot(*along_a.T) * np.hypot(*along_b.T) + 1e-12
    area = np.where(flat, 1.0, area)
    t, u = _cross(b - a, along_b) / area, _cross(b - a, along_a) / area
    hit = ~flat & (t >= 0) & (t < 1) & (u >= 0) & (u < 1)
    point = a[hit] + t[hit, None] * along_a[hit]
    pairs = np.column_stack((edge[one[hit]], edge[other[hit]]))
    ends, others = graph.edges[pairs[:, 0]], graph.edges[pairs[:, 1]]
    apart = np.ones(len(pairs), bool)
    for mine in (0, 1):
        box = ends[:, mine]
        inside = (np.abs(point - centres[box]) <= graph.sizes[box] / 2 + ROOM).all(1)
        apart &= ~(inside & (others == box[:, None]).any(1))
    kept: Ints = pairs[apart]
    return kept


def _cross(a: Floats, b: Floats) -> Floats:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
