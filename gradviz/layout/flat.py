"""Layered drawing of a graph; if edges cross, other layerings and lines that do not share their way are tried as well,
and the drawing with the fewest crossings is taken. Drawings are cached by structure, so a hundred iterations of one
training loop cost a single drawing and keep their positions. `Layouter` may be used from one thread at a time, never
from the window's; `cancel` from any.

Note [No Graphviz] Graphviz' `dot` was the second engine until it was measured on every graph of our tutorials, examples
and snippets: 2,784 graphs with 4,749 groups, of which 4,395 have at most two crossings as they are. In the other 191
different ones, where both were asked, edges crossed 33,654 times in the first drawing, 33,059 times where dot could do
better, and 22,746 times with the variants here. It also took a process of its own and half of the installed program's
size.

Note [Bounds of a request] Whatever the graph, a request takes time that grows with its boxes and edges, not with their
square. So everything that costs more is counted and has a limit for the whole request, not only for each of its groups:
looks of the sweeps for few crossings (`Effort`), boxes that are drawn again, pairs of pieces of edges that might cross.
What is then still too large for layers, or would be so long in them that nobody sees enough of it at once, is put in
rows (`rows`). Counts rather than clocks decide, so that the same graph looks the same on every machine.

A drawing that is much wider than high is broken into rows, as text is broken into lines: a chain of operations would
otherwise be too small to read. The break is between two columns where few edges pass; these continue at the right, back
under the row, and in again at the left of the next, each tensor in its own lane, so that they neither cross nor touch a
box."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gradviz.layout.layered import layered
from gradviz.layout.ordering import LARGE, Effort
from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult, NestedInput, NestedResult
from gradviz.layout.rows import in_rows

# --- Breaking a wide drawing into rows ---


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


# -- crossings, which make a drawing hard to read. Routes are approximated by a few straight pieces. Two edges that
# meet at a box where both end do not cross, nor do edges of one tensor where they part.

PIECES = 6  # per cubic
ROOM = 12.0  # around a box, where the edges that end there may cross
AT_ONCE = 2_000_000
_T = np.linspace(0, 1, PIECES + 1)[1:]
_WEIGHTS = np.stack(((1 - _T) ** 3, 3 * (1 - _T) ** 2 * _T, 3 * (1 - _T) * _T * _T, _T**3), axis=1)


def crossings(graph: LayoutInput | NestedInput, drawing: LayoutResult | NestedResult) -> Ints:
    """Pairs (k, 2) of crossing edges, the smaller number first, once per crossing."""
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
    """How many pairs of pieces `crossings` would check: it may grow with the square of the total length of the
    routes."""
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
    """For each piece, how many of those after it (from left to right) begin before it ends."""
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


# -- edges against the flow: groups may depend on each other in a cycle although their operations do not. Such an
# edge leaves its box on the right, turns back at a small extra box, and turns again to the left of
# its second box. `without` makes a graph without cycles and with these small boxes, `joined` removes them from its
# drawing.

OFTEN = 1_000  # boxes between two checks whether to stop
TURN = (12.0, 16.0)  # size of the box at which an edge turns
REACH = 16.0 / 3 * 2  # of the handles of a half circle


def against_the_flow(graph: LayoutInput, check: Callable[[], None]) -> Ints:
    """Edges whose removal breaks all cycles; usually none. `check` is called often, and may raise."""
    count = len(graph.sizes)
    waiting = np.bincount(graph.edges[:, 1], minlength=count).tolist()
    after: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for edge, (tail, head) in enumerate(graph.edges.tolist()):
        after[tail].append((head, edge))
    check()
    ready = [box for box in range(count) if not waiting[box]]
    for box in ready:
        if box % OFTEN == 0:
            check()
        for head, _ in after[box]:
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    if len(ready) == count:
        return np.zeros(0, np.int64)
    found: list[int] = []
    on_the_way, done = [False] * count, [False] * count
    for root in range(count):
        if root % OFTEN == 0:
            check()
        path = [] if done[root] else [(root, iter(after[root]))]
        while path:
            box, rest = path[-1]
            on_the_way[box] = True
            for head, edge in rest:
                if on_the_way[head]:
                    found.append(edge)
                elif not done[head]:
                    path.append((head, iter(after[head])))
                    break
            else:
                on_the_way[box], done[box] = False, True
                path.pop()
    return np.array(sorted(found), np.int64)


def without(graph: LayoutInput, back: Ints) -> LayoutInput:
    """The graph with each of these edges split in three: to its first turn, from its second, and between the two."""
    first = len(graph.sizes) + 2 * np.arange(len(back))
    quarter = np.full(len(back), TURN[1] / 2)
    edges, ports = graph.edges.copy(), graph.ports.copy()
    edges[back, 1], ports[back, 1] = first, -quarter
    into = np.column_stack((first + 1, graph.edges[back, 1]))
    between = np.column_stack((first + 1, first))
    return LayoutInput(
        np.concatenate((graph.sizes, np.full((2 * len(back), 2), TURN))),
        np.concatenate((edges, into, between)),
        np.concatenate((ports, np.column_stack((-quarter, graph.ports[back, 1])), np.column_stack((quarter, quarter)))),
        None if graph.side is None else np.concatenate((graph.side, np.zeros(2 * len(back), np.int64))),
    )


def joined(graph: LayoutInput, back: Ints, drawing: LayoutResult) -> LayoutResult:
    """Turn the drawing of the result of `without` into that of the graph."""
    count, turns = len(graph.edges), len(back)
    routes = [drawing.route(edge) for edge in range(count)]
    for nth, edge in enumerate(back.tolist()):
        there, home = drawing.route(edge), drawing.route(count + nth)
        along = drawing.route(count + turns + nth)[::-1]
        routes[edge] = np.concatenate(
            (there, _turn(there[-1], along[0], 1), along, _turn(along[-1], home[0], -1), home)
        )
    starts = np.concatenate(([0], np.cumsum([len(route) for route in routes])))
    return replace(drawing, centres=drawing.centres[: len(graph.sizes)], points=np.concatenate(routes), starts=starts)


def _turn(a: Floats, b: Floats, way: int) -> Floats:
    """The handles of a half circle from a to b, to the right (1) or left (-1) of them."""
    reach = np.array((way * REACH, 0.0))
    return np.array((a + reach, b + reach))


MOST_REMEMBERED = 2_000_000  # points
MOST_BOXES_AGAIN = 300  # of a graph for which other drawings are tried, too
MOST_BOXES_AGAIN_AT_ONCE = 2_000  # in all groups of a request
QUICK = 150  # boxes of a graph that is laid out well in no time
DRAFT = 0.3  # seconds of processor time after which a draft takes the quickest way
FEW_CROSSINGS = 2  # so many are not worth the time
MOST_POINTS_TO_COUNT = 30_000  # of routes
MOST_PAIRS_TO_COUNT = 5_000_000  # pieces of edges that might cross: half a second; of more, crossings are not counted
PAIRS_A_LOOK = 10  # pairs take as long as one look of `Effort`
MOST_IN_LAYERS = 150_000  # boxes and edges, in all groups of a request
LONGEST = 120_000.0  # pixels; what would be longer in layers is put in rows
VARIANTS = ((True, False), (False, True), (False, False))  # layers counted from the left, lines that share their way
Key = tuple[bytes, bool]


class Cancelled(Exception):
    """A newer graph is waiting."""


class Layouter:
    """Lays out graphs and caches the drawings; `rows` breaks what is too wide to read into rows."""

    def __init__(self, *, rows: bool = True) -> None:
        self._rows = rows
        self._memo: OrderedDict[Key, LayoutResult] = OrderedDict()
        self._remembered = 0
        self._cancelled = False
        self.begin()

    def knows(self, graph: LayoutInput, *, upright: bool = False) -> bool:
        """Whether this structure was laid out before."""
        return (graph.key, upright) in self._memo

    def layout(self, graph: LayoutInput) -> LayoutResult:
        """The drawing of one graph. Raises Cancelled if `cancel` was called in the meantime."""
        self.begin()
        return self.drawing(graph)

    def begin(self) -> None:
        """Begin a new request and forget an earlier cancellation."""
        self._cancelled = False
        self.renew()

    def renew(self) -> None:
        """Give the next drawing the full budget, whatever the one before took: see Note [Bounds of a request]."""
        self._began = time.thread_time()
        self._boxes_again = MOST_BOXES_AGAIN_AT_ONCE
        self._room = MOST_IN_LAYERS
        self._effort = Effort()

    def drawing(self, graph: LayoutInput, *, draft: bool = False, upright: bool = False) -> LayoutResult:
        """The drawing of one of the graphs of a request. A `draft` is quick and not cached; an `upright` one is to be
        turned, so that its rows will be columns."""
        key = (graph.key, upright)
        known = self._memo.get(key)
        if known is not None:
            self._memo.move_to_end(key)
            return known
        self.check()
        if draft and time.thread_time() - self._began > DRAFT:
            return _settled(graph, in_rows(graph, upright=upright))
        many = len(graph.sizes) + len(graph.edges)
        if many > self._room:
            result = _settled(graph, in_rows(graph, upright=upright))
            if many > MOST_IN_LAYERS:
                self._remember(key, result)
            return result
        self._room -= many
        result, final = self._in_layers(graph, draft, upright)
        if self._rows and max(result.size) > LONGEST:
            final = final or max(result.size) > 2 * LONGEST  # a better one would still be too long
            result = _settled(graph, in_rows(graph, upright=upright))
        if final and self._effort.left > 0:
            self._remember(key, result)
        return result

    def _in_layers(self, graph: LayoutInput, draft: bool, upright: bool) -> tuple[LayoutResult, bool]:
        """The drawing, and whether it can't be improved."""
        back = against_the_flow(graph, self.check)
        self.check()
        if len(back):
            straight = without(graph, back)
            return joined(graph, back, self._drawn(straight, draft)[0]), not draft
        result, good = self._drawn(graph, draft)
        self.check()
        if self._rows:
            result = wrap(graph, result, self.check, upright=upright)
        return result, good or not draft

    def _drawn(self, graph: LayoutInput, draft: bool) -> tuple[LayoutResult, bool]:
        """The drawing in one row of layers, and whether it can't be improved."""
        thorough = not draft or len(graph.sizes) <= QUICK
        own = layered(graph, self.check, thorough=thorough, effort=self._effort)
        self.check()
        own = _settled(graph, own)
        if len(graph.sizes) > MOST_BOXES_AGAIN or not self._is_countable(own):
            return own, not draft or len(graph.sizes) + len(graph.edges) > LARGE  # then nothing is done for it but that
        if not thorough:
            return own, False
        found = len(crossings(graph, own))
        good = found <= FEW_CROSSINGS
        return own if draft or good else self._better(graph, own, found), good

    def _remember(self, key: Key, result: LayoutResult) -> None:
        self._memo[key] = result
        self._remembered += len(result.points) + len(result.centres)
        while self._remembered > MOST_REMEMBERED and len(self._memo) > 1:
            _, gone = self._memo.popitem(last=False)
            self._remembered -= len(gone.points) + len(gone.centres)

    def _better(self, graph: LayoutInput, first: LayoutResult, found: int) -> LayoutResult:
        """The first drawing, or another one with fewer crossings."""
        self._boxes_again -= len(graph.sizes)
        if self._boxes_again < 0:
            return first
        best, fewest = first, found
        for from_left, bundled in VARIANTS:
            drawn = layered(graph, self.check, effort=self._effort, from_left=from_left, bundled=bundled)
            each = _settled(graph, drawn)
            self.check()
            if not self._is_countable(each):
                continue
            count = len(crossings(graph, each))
            if count < fewest:
                best, fewest = each, count
        return best

    def _is_countable(self, drawing: LayoutResult) -> bool:
        """Whether there is time to count the crossings."""
        if len(drawing.points) > MOST_POINTS_TO_COUNT or self._effort.left <= 0:
            return False
        pairs = work_of_crossings(drawing)
        self._effort.left -= min(pairs, MOST_PAIRS_TO_COUNT) // PAIRS_A_LOOK
        return pairs <= MOST_PAIRS_TO_COUNT

    def check(self) -> None:
        """Raise Cancelled if that was requested."""
        if self._cancelled:
            raise Cancelled

    def cancel(self) -> None:
        """Abort the request in progress, which raises Cancelled."""
        self._cancelled = True


def _settled(graph: LayoutInput, drawing: LayoutResult) -> LayoutResult:
    """Put the ends of the routes exactly on their ports, and the top left corner at 0, 0."""
    tail, head = graph.edges[:, 0], graph.edges[:, 1]
    half = graph.sizes / 2
    points: Floats = drawing.points.copy()
    if len(graph.edges):
        begin = drawing.centres[tail] + np.column_stack((half[tail, 0], graph.ports[:, 0]))
        end = drawing.centres[head] + np.column_stack((-half[head, 0], graph.ports[:, 1]))
        first, last = drawing.starts[:-1], drawing.starts[1:] - 1
        points[first + 1] += begin - points[first]
        points[last - 1] += end - points[last]
        points[first], points[last] = begin, end
    everything = np.concatenate((drawing.centres - half, drawing.centres + half, points))
    corner = everything.min(0, initial=np.inf) if len(everything) else np.zeros(2)
    width, height = (everything.max(0) - corner).tolist() if len(everything) else (0.0, 0.0)
    return replace(drawing, centres=drawing.centres - corner, points=points - corner, size=(width, height))
