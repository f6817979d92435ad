"""Breaks a drawing that is much wider than high into rows, as text is broken into lines: a chain of operations would
otherwise be too small to read. It breaks between two columns where few edges pass; these continue at the right, back
under the row, and in again at the left of the next, each tensor in its own lane, so that they neither cross nor touch a
box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult

PAGE = (900.0, 540.0)  # the visible part of a canvas at zoom 1
NARROW = 1150.0  # drawings up to this width stay as they are
GOOD_ENOUGH = 0.92
WORTH_IT = 0.75  # at most so much of the width may be left
MOST_PASSING = 6  # edges that a break may cut
ROW_GAP = 30.0
LANE = 9.0
CORNER = 12.0
MOST_ROWS = 200


@dataclass(frozen=True, eq=False)
class _Rows:
    """Where the drawing is broken, and by how much each row is moved."""

    cuts: Floats
    passing: list[dict[int, int]]  # the lane of each edge that a cut breaks, the lowest edge first
    left: Floats
    right: Floats
    top: Floats
    bottom: Floats
    shift: Floats  # (rows, 2)


def _nothing() -> None:
    """A `check` that never stops."""


def wrap(
    graph: LayoutInput, drawing: LayoutResult, check: Callable[[], None] = _nothing, *, upright: bool = False
) -> LayoutResult:
    """The drawing in rows, or unchanged if that is as readable. A drawing that will be turned `upright` gets columns
    that way. `check` is called often, and may raise."""
    count = _row_count(*drawing.size, upright)
    if count < 2 or not len(graph.sizes):
        return drawing
    cuts = _cuts(graph, drawing, count)
    if not len(cuts):
        return drawing
    check()
    rows = _rows(graph, drawing, cuts, check)
    if float((rows.right - rows.left).max()) > WORTH_IT * drawing.size[0]:
        return drawing
    begins, ends = drawing.points[drawing.starts[:-1], 0], drawing.points[drawing.starts[1:] - 1, 0]
    first, last = np.searchsorted(cuts, begins), np.searchsorted(cuts, ends)
    row_of_point = np.repeat(first, np.diff(drawing.starts))
    moved = drawing.points + rows.shift[row_of_point]
    routes: dict[int, Floats] = {}
    for edge in np.flatnonzero(first != last).tolist():
        check()
        routes[edge] = _broken(drawing, rows, edge, first, last)
    lengths = np.diff(drawing.starts)
    for edge, route in routes.items():
        lengths[edge] = len(route)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    points = np.empty((int(starts[-1]), 2))
    whole = np.repeat(first == last, lengths)
    points[whole] = moved[np.repeat(first == last, np.diff(drawing.starts))]
    for edge, route in routes.items():
        points[starts[edge] : starts[edge + 1]] = route
    centres = drawing.centres + rows.shift[np.searchsorted(cuts, drawing.centres[:, 0])]
    return _cornered(graph, replace(drawing, centres=centres, points=points, starts=starts))


def _row_count(width: float, height: float, upright: bool) -> int:
    page = PAGE[::-1] if upright else PAGE
    if width <= NARROW:
        return 1
    rows = np.arange(1, MOST_ROWS + 1)
    seen = np.minimum(1.0, np.minimum(page[0] * rows / width, page[1] / (rows * (height + ROW_GAP))))
    return int(np.flatnonzero(seen >= GOOD_ENOUGH * seen.max())[0]) + 1


def _cuts(graph: LayoutInput, drawing: LayoutResult, count: int) -> Floats:
    """Where to break: near equal lengths, where few edges pass. Empty if no break is good."""
    half = graph.sizes[:, 0] / 2
    order = np.argsort(drawing.centres[:, 0] - half, kind="stable")
    left = (drawing.centres[:, 0] - half)[order]
    reach = np.maximum.accumulate((drawing.centres[:, 0] + half)[order])
    free = left[1:] > reach[:-1] + 8
    gaps = ((left[1:] + reach[:-1]) / 2)[free]
    if not len(gaps):
        return gaps
    begins = np.sort(drawing.points[drawing.starts[:-1], 0])
    ends = np.sort(drawing.points[drawing.starts[1:] - 1, 0])
    passing = np.searchsorted(begins, gaps) - np.searchsorted(ends, gaps)
    step = drawing.size[0] / count
    chosen: list[float] = []
    for number in range(1, count):
        cost = np.abs(gaps - number * step) / step + 0.12 * passing
        cost[(passing > MOST_PASSING) | (gaps <= (chosen[-1] if chosen else 0.0) + step / 4)] = np.inf
        best = int(cost.argmin())
        if cost[best] < 1.2:
            chosen.append(float(gaps[best]))
    return np.array(chosen)


def _rows(graph: LayoutInput, drawing: LayoutResult, cuts: Floats, check: Callable[[], None]) -> _Rows:
    begins, ends = drawing.points[drawing.starts[:-1], 0], drawing.points[drawing.starts[1:] - 1, 0]
    count = len(cuts) + 1
    half = graph.sizes / 2
    row = np.searchsorted(cuts, drawing.centres[:, 0])
    left, right = np.full(count, np.inf), np.full(count, -np.inf)
    top, bottom = left.copy(), right.copy()
    np.minimum.at(left, row, (drawing.centres - half)[:, 0])
    np.maximum.at(right, row, (drawing.centres + half)[:, 0])
    np.minimum.at(top, row, (drawing.centres - half)[:, 1])
    np.maximum.at(bottom, row, (drawing.centres + half)[:, 1])
    row_of_point = np.searchsorted(cuts, drawing.points[:, 0])
    np.minimum.at(top, row_of_point, drawing.points[:, 1])
    np.maximum.at(bottom, row_of_point, drawing.points[:, 1])
    passing = []
    for number, cut in enumerate(cuts.tolist()):
        check()
        edges = np.flatnonzero((begins < cut) & (ends > cut)).tolist()
        breaks = {
            edge: _break(drawing.route(edge), cut, float(right[number]), float(left[number + 1])) for edge in edges
        }
        for before, after in breaks.values():
            top[number], bottom[number] = min(top[number], before[-1, 1]), max(bottom[number], before[-1, 1])
            top[number + 1] = min(top[number + 1], after[0, 1])
            bottom[number + 1] = max(bottom[number + 1], after[0, 1])
        passing.append(_lanes(graph, breaks))
    lanes = np.array([max(each.values(), default=-1) + 1 for each in passing])
    down = np.concatenate(([0.0], np.cumsum((bottom - top)[:-1] + ROW_GAP + LANE * (lanes + 1))))
    return _Rows(cuts, passing, left, right, top, bottom, np.column_stack((-left, down - top)))


def _broken(drawing: LayoutResult, rows: _Rows, edge: int, first: Ints, last: Ints) -> Floats:
    """The route of an edge that crosses breaks."""
    rest = drawing.route(edge)
    pieces: list[Floats] = []
    for row in range(int(first[edge]), int(last[edge])):
        before, rest = _break(rest, float(rows.cuts[row]), float(rows.right[row]), float(rows.left[row + 1]))
        start, end = before[-1] + rows.shift[row], rest[0] + rows.shift[row + 1]
        lane, lanes = rows.passing[row][edge], max(rows.passing[row].values()) + 1
        across_right = float((rows.right[row] + rows.shift[row, 0]) + 24 + LANE * lane)
        across_left = -24 - LANE * (lanes - 1 - lane)
        under = float(rows.bottom[row] + rows.shift[row, 1]) + ROW_GAP / 2 + LANE * (lane + 0.5)
        stops = [
            start,
            (across_right, start[1]),
            (across_right, under),
            (across_left, under),
            (across_left, end[1]),
            end,
        ]
        pieces += [before + rows.shift[row], _rounded(np.array(stops))[1:-1]]
    pieces.append(rest + rows.shift[int(last[edge])])
    return np.concatenate(pieces)


def _lanes(graph: LayoutInput, breaks: dict[int, tuple[Floats, Floats]]) -> dict[int, int]:
    """The lanes, for the lowest edge first; edges of one box that are broken at the same place share a lane."""
    places = {
        edge: (-float(before[-1, 1].round(1)), -float(after[0, 1].round(1)), int(graph.edges[edge, 0]))
        for edge, (before, after) in breaks.items()
    }
    lane = {place: number for number, place in enumerate(sorted(set(places.values())))}
    return {edge: lane[place] for edge, place in places.items()}


def _break(route: Floats, x: float, right: float, left: float) -> tuple[Floats, Floats]:
    """Split a chain of cubics in two at the first place where it passes x. A cubic that only leads from the column that
    ends at `right` to the one that begins at `left` is left out: the detour leads from one height to the other."""
    for at in range(0, len(route) - 1, 3):
        cubic = route[at : at + 4]
        if cubic[3, 0] >= x:
            break
    if cubic[0, 0] >= right - 1 and cubic[3, 0] <= left + 1:
        return route[: at + 1], route[at + 3 :]
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        ab, bc, cd = (cubic[k] + (cubic[k + 1] - cubic[k]) * middle for k in range(3))
        abc, bcd = ab + (bc - ab) * middle, bc + (cd - bc) * middle
        point = abc + (bcd - abc) * middle
        low, high = (middle, high) if point[0] < x else (low, middle)
    before = np.concatenate((route[: at + 1], [ab, abc, point]))
    return before, np.concatenate(([point, bcd, cd], route[at + 3 :]))


def _rounded(stops: Floats) -> Floats:
    """A polyline with rounded corners as a chain of cubics."""
    chain = [stops[0]]
    for before, corner, after in zip(stops[:-2], stops[1:-1], stops[2:], strict=True):
        into, out = corner - before, after - corner
        radius = min(CORNER, float(np.hypot(*into)) / 2, float(np.hypot(*out)) / 2)
        a = corner - into / max(float(np.hypot(*into)), 1e-9) * radius
        b = corner + out / max(float(np.hypot(*out)), 1e-9) * radius
        chain += [chain[-1] + (a - chain[-1]) / 3, a - (a - chain[-1]) / 3, a]
        chain += [a + (corner - a) * 0.55, b + (corner - b) * 0.55, b]
    end = stops[-1]
    chain += [chain[-1] + (end - chain[-1]) / 3, end - (end - chain[-1]) / 3, end]
    return np.array(chain)


def _cornered(graph: LayoutInput, drawing: LayoutResult) -> LayoutResult:
    """The same with its top left corner at 0, 0."""
    half = graph.sizes / 2
    low = np.minimum((drawing.centres - half).min(0), drawing.points.min(0, initial=np.inf))
    high = np.maximum((drawing.centres + half).max(0), drawing.points.max(0, initial=-np.inf))
    width, height = (high - low).tolist()
    return replace(drawing, centres=drawing.centres - low, points=drawing.points - low, size=(width, height))
