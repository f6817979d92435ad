"""Paints edges: thin slate lines forward, with the gradients that flow back as orange dashes on top.

Note [Fast lines] Qt draws thousands of lines in one call through a pointer to their coordinates, but is fast only with
pens of width 1 or less. Wider pens are kept for the few edges seen up close, without round caps: with those, every line
is filled as an outline of its own, which takes ten times as long. All geometry is one matrix product over the
cubics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPaintEngine, QPainter, QPainterPath, QPen, QPolygonF
from shiboken6 import Shiboken

from gradviz.trace.table.frame import Frame
from gradviz.trace.words.contributions import edge_words
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.diagram import OPERATION, Flags, Floats, Ints
from gradviz.ui.canvas.ink import CENTRE, Ink
from gradviz.ui.canvas.moment import BAD_FLOW, FLOW, ZERO_FLOW, Moment
from gradviz.ui.canvas.placed import PERIOD, Budget, Placed

NEAR, MIDDLE, FAR = 0.42, 0.16, 0.09
DASH = 9.0
GAP = PERIOD - DASH
DOT, DOT_GAP = 2.5, 5.0
MOST_DASHES = 1_000_000  # painted at once; edges with more visible pieces than their share are painted as lines
KEEP_CURVES = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)
CURVES_AT_ONCE = 5_000
ARROW = 7.0
CROWDED = 0.5  # opacity of gradients that are too many for dashes
Area = tuple[float, float, float, float]


def _weights(count: int) -> Floats:
    t = np.linspace(0, 1, count + 1)
    return np.stack(((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3), axis=1)


WEIGHTS = {count: _weights(count) for count in (2, 4, 8, 20)}
BY_LENGTH = ((0, 12, 2), (12, 40, 4), (40, 120, 8), (120, np.inf, 20))  # pixels from, to: lines per curved cubic


def draw_lines(painter: QPainter, lines: NDArray[Any]) -> None:
    """Draw many lines (n, 4) in one call; the array must live until it returns."""
    if len(lines):
        data = np.ascontiguousarray(lines, np.float64)
        painter.drawLines(Shiboken.wrapInstance(data.ctypes.data, QLineF), len(data))  # type: ignore[call-overload]


def cubics_in(placed: Placed, area: Area, edges: NDArray[np.bool_]) -> Ints:
    """The cubics of some edges that meet a box in world coordinates."""
    found = np.flatnonzero(_meet(placed.cubic_bounds, area))
    return found[edges[placed.edge_of_cubic[found]]]


def _meet(bounds: NDArray[Any], area: Area) -> NDArray[np.bool_]:
    """Which boxes (rows of left, top, right, bottom) meet an area."""
    left, top, right, bottom = area
    hit: NDArray[np.bool_] = (bounds[2] >= left) & (bounds[0] <= right) & (bounds[3] >= top) & (bounds[1] <= bottom)
    return hit


def lines_of(placed: Placed, cubics: Ints, scale: float) -> Floats:
    """Cubics as straight lines (n, 4); straight cubics need only one each."""
    bent = placed.bent[cubics]
    lines = [placed.cubics[cubics[~bent]][:, (0, 3)].reshape(-1, 4)]
    pixels = placed.cubic_length[cubics] * scale
    for shortest, longest, count in BY_LENGTH:
        points = np.matmul(WEIGHTS[count], placed.cubics[cubics[bent & (pixels >= shortest) & (pixels < longest)]])
        lines.append(np.concatenate((points[:, :-1], points[:, 1:]), axis=2).reshape(-1, 4))
    return np.concatenate(lines)


def draw_cubics(painter: QPainter, placed: Placed, cubics: Ints, area: Area, scale: float) -> None:
    """Draw cubics as lines where they may be visible in an area. In a file they are kept as curves, which are a tenth
    of the size and ten times faster to write."""
    if painter.paintEngine().type() not in KEEP_CURVES:
        lines, pen = lines_of(placed, cubics, scale), painter.pen()
        if pen.capStyle() == Qt.PenCapStyle.RoundCap:
            pen.setCapStyle(Qt.PenCapStyle.SquareCap)
            painter.setPen(pen)
        draw_lines(painter, lines[in_area(lines, area)])
        return
    painter.setBrush(QBrush())
    for first in range(0, len(cubics), CURVES_AT_ONCE):
        some = cubics[first : first + CURVES_AT_ONCE]
        path, end, high = QPainterPath(), math.inf, math.inf
        numbers = placed.cubics[some].reshape(-1, 8).T.tolist()
        for x, y, *handles, bent in zip(*numbers, placed.bent[some].tolist(), strict=True):
            if abs(x - end) + abs(y - high) > 0.01:
                path.moveTo(x, y)
            end, high = handles[4:]
            if bent:
                path.cubicTo(*handles)
            else:
                path.lineTo(end, high)
        painter.drawPath(path)


def draw_boxes(painter: QPainter, boxes: Floats) -> None:
    """Draw rectangles (n, 4) in one colour; in a file as few shapes, as one for each takes most of the time."""
    if painter.paintEngine().type() not in KEEP_CURVES:
        painter.drawRects(Shiboken.wrapInstance(boxes.ctypes.data, QRectF), len(boxes))  # type: ignore[call-overload]
        return
    for first in range(0, len(boxes), CURVES_AT_ONCE):
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)  # they may overlap
        for box in boxes[first : first + CURVES_AT_ONCE].tolist():
            path.addRect(*box)
        painter.drawPath(path)


def in_area(lines: Floats, area: Area) -> NDArray[np.bool_]:
    """Which lines (n, 4) may be visible in an area: of a long edge only a few are, and wide lines are slow."""
    left, top, right, bottom = area
    x, other_x, y, other_y = lines[:, 0], lines[:, 2], lines[:, 1], lines[:, 3]
    across = (np.maximum(x, other_x) >= left) & (np.minimum(x, other_x) <= right)
    found: NDArray[np.bool_] = across & (np.maximum(y, other_y) >= top) & (np.minimum(y, other_y) <= bottom)
    return found


def far_lines(placed: Placed, area: Area, edges: NDArray[np.bool_]) -> Floats:
    """Edges so far away that a few lines each are enough."""
    lines, owner = placed.far_lines
    found = np.flatnonzero(_meet(placed.far_bounds, area))
    chosen: Floats = lines[found[edges[owner[found]]]]
    return chosen


def paint_forward(
    painter: QPainter, ink: Ink, placed: Placed, moment: Moment, area: Area, scale: float, budget: Budget
) -> None:
    """Paint the forward edges with their arrowheads."""
    if scale < FAR:
        painter.setPen(ink.hairline("edge", 0.7))
        draw_lines(painter, far_lines(placed, area, moment.edges))
        return
    painted, dashed = placed.density.painted(scale, budget)
    cubics = cubics_in(placed, area, moment.edges & painted)
    wide = dashed[placed.edge_of_cubic[cubics]] if scale >= NEAR else np.zeros(len(cubics), bool)
    for some, pen in ((wide, ink.pen("edge", 1.5)), (~wide, ink.hairline("edge"))):
        painter.setPen(pen)
        draw_cubics(painter, placed, cubics[some], area, scale)
    if scale >= NEAR:
        last = cubics[placed.first_cubic[placed.edge_of_cubic[cubics] + 1] - 1 == cubics]
        painter.setBrush(ink.colours["edge"])
        _arrows(painter, placed.cubics[last, 3], placed.cubics[last, 3] - placed.cubics[last, 2])


def _arrows(painter: QPainter, tips: Floats, towards: Floats, size: float = ARROW) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    length = np.maximum(np.hypot(towards[:, 0], towards[:, 1]), 1e-9)[:, None]
    along = towards / length
    across = np.column_stack((-along[:, 1], along[:, 0]))
    backs = tips - along * size
    one, other = backs + across * size * 0.42, backs - across * size * 0.42
    for tip, a, b in zip(tips.tolist(), one.tolist(), other.tolist(), strict=True):
        painter.drawConvexPolygon(QPolygonF([QPointF(*tip), QPointF(*a), QPointF(*b)]))


def dashes(placed: Placed, cubics: Ints, area: Area, dash: float, gap: float, phase: Floats) -> tuple[Floats, Ints]:
    """Dashes along cubics within an area, as lines (n, 4), two per dash, with the position in `cubics` of each. A dash
    starts at the same place on its edge whichever part of it is painted; `phase`, one per cubic, moves the dashes
    backwards."""
    points = np.matmul(WEIGHTS[20], placed.cubics[cubics])
    steps = np.hypot(*np.moveaxis(np.diff(points, axis=1), 2, 0))
    way: Floats = np.cumsum(np.concatenate((np.zeros((len(cubics), 1)), steps), axis=1).reshape(-1))
    start, real = way[:: WEIGHTS[20].shape[0]], steps.sum(1)
    spare = np.minimum(1e-6 * real, 1e-3)  # the ends also belong to the next cubic
    begin, length = placed.cubic_start[cubics], np.maximum(placed.cubic_length[cubics], 1e-6)
    period = dash + gap
    shift = -phase * period
    enters, leaves = _inside(points, steps, area)
    first = np.ceil((begin + enters * length - shift - dash) / period)
    count = np.maximum(np.floor((begin + leaves * length - shift) / period) - first + 1, 0).astype(np.int64)
    owner = np.repeat(np.arange(len(cubics)), count)
    number = first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    head = number * period + shift[owner]
    stops = np.stack((head, head + dash / 2, head + dash), axis=1) - begin[owner][:, None]
    stops = stops / length[owner][:, None] * real[owner][:, None]
    stops = start[owner][:, None] + np.clip(stops, spare[owner][:, None], (real - spare)[owner][:, None])
    x, y = (np.interp(stops, way, points.reshape(-1, 2)[:, axis]) for axis in (0, 1))
    lines = np.stack((x[:, :-1], y[:, :-1], x[:, 1:], y[:, 1:]), axis=2).reshape(-1, 4)
    return lines, np.repeat(owner, 2)


def _inside(points: Floats, steps: Floats, area: Area) -> tuple[Floats, Floats]:
    """The range, as fractions of their length, in which cubics of some straight pieces may be visible in an area."""
    begin, way = points[:, :-1], np.diff(points, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # pieces that are horizontal, vertical or of no length
        one, other = (np.array(area[:2]) - begin) / way, (np.array(area[2:]) - begin) / way
    one[np.isnan(one)], other[np.isnan(other)] = -np.inf, np.inf  # horizontal, exactly on the border: all inside
    into, out = np.minimum(one, other).max(2, initial=0.0), np.maximum(one, other).min(2, initial=1.0)
    seen = into <= out
    into[~seen] = out[~seen] = 0.0
    first = seen.argmax(1)
    last = np.where(seen.any(1), seen.shape[1] - 1 - seen[:, ::-1].argmax(1), 0)
    whole = np.maximum(steps.sum(1), 1e-9)
    before = np.cumsum(steps, axis=1) - steps
    rows = np.arange(len(way))
    enters = (before[rows, first] + into[rows, first] * steps[rows, first]) / whole
    leaves = (before[rows, last] + out[rows, last] * steps[rows, last]) / whole
    return enters, leaves


def seen_length(placed: Placed, cubics: Ints, area: Area) -> Floats:
    """How much of each cubic may be visible in an area."""
    points = np.matmul(WEIGHTS[20], placed.cubics[cubics])
    enters, leaves = _inside(points, np.hypot(*np.moveaxis(np.diff(points, axis=1), 2, 0)), area)
    found: Floats = (leaves - enters) * placed.cubic_length[cubics]
    return found


def thickness(norm: Floats) -> Floats:
    """Width of a gradient in world units: it grows with the logarithm of its norm, in steps of a half."""
    with np.errstate(divide="ignore", invalid="ignore"):
        wide = 3.0 + 0.6 * np.log10(np.where(norm > 0, norm, 1.0))
    return np.round(np.clip(np.nan_to_num(wide, nan=3.0), 1.8, 5.5) * 2) / 2


def paint_flows(
    painter: QPainter, ink: Ink, placed: Placed, moment: Moment, area: Area, scale: float, phase: float, budget: Budget
) -> None:
    """Paint the gradients of this backward call; those of the current step are wider and brighter."""
    painted, dashed = placed.density.painted(scale, budget) if scale >= FAR else (moment.edges, moment.edges)
    painted = painted | moment.now
    for kind, colour in ((ZERO_FLOW, "gradient"), (FLOW, "gradient"), (BAD_FLOW, "error")):
        edges = moment.flow == kind
        if not edges.any():
            continue
        if scale < FAR:
            painter.setPen(ink.hairline(colour))
            draw_lines(painter, far_lines(placed, area, edges))
            continue
        cubics = cubics_in(placed, area, edges & painted)
        plain = ~dashed[placed.edge_of_cubic[cubics]] if scale >= MIDDLE else np.ones(len(cubics), bool)
        if plain.any():
            painter.setPen(ink.hairline(colour, 1.0 if scale < MIDDLE else CROWDED))
            draw_cubics(painter, placed, cubics[plain], area, scale)
        if not plain.all():
            _paint_dashes(painter, ink, placed, moment, cubics[~plain], area, kind, scale, phase)
            _paint_ends(painter, ink, placed, cubics[~plain], kind, scale)


def _paint_dashes(
    painter: QPainter, ink: Ink, placed: Placed, moment: Moment, cubics: Ints, area: Area, kind: int, scale: float,
    phase: float,
) -> None:  # fmt: skip
    colour = "error" if kind == BAD_FLOW else "gradient"
    edges = placed.edge_of_cubic[cubics]
    now = moment.now[edges]
    if now.any():
        painter.setPen(_flat(ink.pen(colour, 9.0, alpha=0.18)))
        draw_cubics(painter, placed, cubics[now], area, scale)
    dash, gap = (DOT, DOT_GAP) if kind == ZERO_FLOW else (DASH, GAP)
    share = MOST_DASHES / len(cubics) * (dash + gap)
    endless = placed.cubic_length[cubics] > share
    endless[endless] = seen_length(placed, cubics[endless], area) > share
    if endless.any():
        painter.setPen(ink.hairline(colour))
        draw_cubics(painter, placed, cubics[endless], area, scale)
        cubics, edges, now = cubics[~endless], edges[~endless], now[~endless]
    if not len(cubics):
        return
    lines, owner = dashes(placed, cubics, area, dash, gap, np.where(now, phase, 0.0))
    seen = in_area(lines, area)
    lines, owner = lines[seen], owner[seen]
    width = np.full(len(edges), 2.0) if kind == ZERO_FLOW else thickness(moment.norm[edges])
    width += 1.0 * now
    for value in np.unique(width):
        for moving in (False, True):
            chosen = (width == value) & (now == moving)
            if chosen.any():
                painter.setPen(_flat(ink.pen(colour, float(value), alpha=1.0 if moving else 0.8)))
                draw_lines(painter, lines[chosen[owner]])


def _paint_ends(painter: QPainter, ink: Ink, placed: Placed, cubics: Ints, kind: int, scale: float) -> None:
    """Paint an arrowhead where a gradient arrives, and a chip in the middle of an edge that says what is wrong with its
    gradient."""
    colour = "error" if kind == BAD_FLOW else "gradient"
    edges = placed.edge_of_cubic[cubics]
    first = cubics[placed.first_cubic[edges] == cubics]
    painter.setBrush(ink.colours[colour])
    _arrows(painter, placed.cubics[first, 0], placed.cubics[first, 0] - placed.cubics[first, 1], ARROW + 3)
    if kind == FLOW or scale < NEAR:
        return
    text = "0" if kind == ZERO_FLOW else "NaN"
    width, size = ink.width(sizes.SMALL, text) + 10, _pill_size(ink, scale)
    longest = cubics[placed.longest_cubic[edges] == cubics]
    for middle in np.matmul(WEIGHTS[2][1], placed.cubics[longest]).tolist():
        _paint_chip(painter, ink, middle, size, width, ink.pen(colour, 1.2), "card", colour, text)


# -- words on the edges


@dataclass(frozen=True)
class Pill:
    """A few words on an edge: the factor and the product of its gradient."""

    edge: int
    box: Area
    anchor: tuple[float, float]  # the point of the edge that it refers to
    text: str
    now: bool = False


MOST_PILLS, AT_ONCE = 40, 20  # gradients of a call; if there are more, the first ones get no pills, so many at once
MANY_FLOWS = 2000  # of these, the ones of earlier steps are not even considered
MOST_TRIED = 8  # free places that are checked for other edges
ALONG = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # candidate places on an edge, as fractions of its length
MOST_SPOTS = 5000  # that are remembered
PILL_STEP = 6.0  # pixels by which pills get wider, so that another digit seldom moves them
MANY_CUBICS = 60  # points on other edges that a pill avoids
PILL_HEIGHT, PILL_SIDE = 16.0, 6.0  # pixels
ASIDE = (0.0, *(0.75 * sign * step for step in range(1, 9) for sign in (-1, 1)))  # heights of a pill
ON_EDGE = 1.0  # heights beyond which a line connects the pill to its edge
SPARE = 2.0  # pixels between a pill and what it must not cover


class Places:
    """The places of the pills of one backward call at one zoom, in the order of its gradients: each depends only on the
    previous ones."""

    def __init__(self, call: int, scale: float, items: Flags, obstacles: Floats) -> None:
        self._of, self._items, self._obstacles = (call, scale), items, obstacles
        self.rows: list[int] = []
        self.pills: list[Pill | None] = []

    def are_of(self, moment: Moment, scale: float) -> bool:
        """Whether they still hold."""
        return self._of == (moment.frame.call, scale) and np.array_equal(self._items, moment.items)

    def taken(self, area: Area) -> Floats:
        """Boxes in an area that must not be covered, as rows."""
        pills = [pill.box for pill in self.pills if pill is not None]
        return np.concatenate((self._obstacles[:, _meet(self._obstacles, area)].T, np.reshape(pills, (-1, 4))))

    def forget_after(self, rows: list[int]) -> None:
        """Keep only those of the first of these gradients."""
        pairs = zip(self.rows, rows, strict=False)
        same = next((at for at, (mine, other) in enumerate(pairs) if mine != other), min(len(self.rows), len(rows)))
        del self.rows[same:], self.pills[same:]

    def add(self, row: int, pill: Pill | None) -> None:
        """Add the next one."""
        self.rows.append(row)
        self.pills.append(pill)


class Spots:
    """Where pills of some widths went among some obstacles: while a slider moves, hardly more than the words change."""

    def __init__(self) -> None:
        self._cubics: Floats = np.empty(0)
        self.points: dict[int, Floats] = {}  # by edge
        self.found: dict[tuple[object, ...], tuple[int, int]] = {}  # which text and place; (-1, -1): none

    def follow(self, cubics: Floats) -> None:
        """Forget them if the edges have moved."""
        if not np.array_equal(cubics, self._cubics) or len(self.found) > MOST_SPOTS:
            self._cubics, self.points, self.found = cubics, {}, {}


class PillPlaces:
    """Places the pills: each goes to the middle of its edge, or as near to it as possible, on, above or below the edge,
    where it covers nothing. Pills are never smaller on screen than at life size, so they stay legible. The order of the
    gradients decides who comes first: a pill that has a place keeps it in the next step."""

    def __init__(self, placed: Placed, ink: Ink, spots: Spots | None = None) -> None:
        diagram = placed.diagram
        self.placed, self._ink = placed, ink
        self.spots = Spots() if spots is None else spots
        self.spots.follow(placed.cubics)
        self._edge_of_row = np.full(len(diagram.trace.inputs), -1, np.int64)
        argument = np.flatnonzero((diagram.row >= 0) & (np.diff(diagram.use_start) == 1))
        self._edge_of_row[diagram.row[argument]] = argument
        self._found: tuple[Frame, float, tuple[Pill, ...]] | None = None
        self._known = Places(-1, 0.0, np.empty(0, bool), np.empty((4, 0)))
        self.travelled = 1.0  # how far the pills of this step have travelled along their edges

    def ways(self) -> list[Area]:
        """Boxes around the edges along which the pills of this step travel, including where they end."""
        boxes = []
        for pill in self._found[2] if self._found is not None else ():
            if pill.now:
                left, top, right, bottom = _around(pill)
                (x, y), (far_x, far_y) = self.placed.low[pill.edge].tolist(), self.placed.high[pill.edge].tolist()
                wide = pill.box[2] - pill.box[0]
                near = min(left, x - wide), min(top, y - wide)
                boxes.append((*near, max(right, far_x + wide), max(bottom, far_y + wide)))
        return boxes

    def on_its_way(self, pill: Pill) -> tuple[float, float]:
        """The middle of a travelling pill, on its way from the operation at the end of the edge to the tensor at its
        start."""
        cubics = slice(*self.placed.first_cubic[pill.edge : pill.edge + 2].tolist())
        points = np.matmul(WEIGHTS[8], self.placed.cubics[cubics]).reshape(-1, 2)[::-1]
        way = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
        part = self.travelled**2 * (3 - 2 * self.travelled)  # slow at both ends
        return float(np.interp(part * way[-1], way, points[:, 0])), float(np.interp(part * way[-1], way, points[:, 1]))

    def at(self, moment: Moment, scale: float, *, labels: bool) -> tuple[Pill, ...]:
        """The pills of a moment; `labels` says whether there are words under the operations."""
        frame = moment.frame
        if self._found is None or self._found[0] is not frame or self._found[1] != scale:
            self._found = frame, scale, self._find(moment, scale, labels) if scale >= NEAR else ()
        return self._found[2]

    def changed(self, moment: Moment, scale: float, *, labels: bool) -> list[Area]:
        """Boxes of the pills that differ from those asked for last."""
        before = set(self._found[2]) if self._found is not None else set()
        return [_around(pill) for pill in before ^ set(self.at(moment, scale, labels=labels))]

    def _find(self, moment: Moment, scale: float, labels: bool) -> tuple[Pill, ...]:
        trace, rows = moment.frame.trace, self._rows(moment.frame)
        edges = self._edge_of_row[trace.flows.input[rows]]
        rows, edges = rows[edges >= 0], edges[edges >= 0]  # first: where the picture has no edge at all, -1 is none
        shown = moment.flow[edges] == FLOW
        rows, edges = rows[shown], edges[shown]
        first = max(0, -(-(len(rows) - MOST_PILLS) // AT_ONCE) * AT_ONCE)
        if not len(rows):
            return ()
        words: dict[int, tuple[str, ...]] = trace.kept("words on edges", dict)
        known = self._known
        if not known.are_of(moment, scale):
            known = self._known = Places(moment.frame.call, scale, moment.items, self._obstacles(moment, labels))
        chosen = rows[first:].tolist()
        known.forget_after(chosen)
        for row, edge in list(zip(chosen, edges[first:].tolist(), strict=True))[len(known.rows) :]:
            if row not in words:
                words[row] = edge_words(trace, row)
            known.add(row, self._place(edge, words[row], known, scale))
        return tuple(replace(pill, now=bool(moment.now[pill.edge])) for pill in known.pills if pill is not None)

    def _rows(self, frame: Frame) -> Ints:
        """The gradients that flowed to known inputs in this backward call; if there are very many, only those of this
        step."""
        flows, calls = frame.trace.flows, frame.trace.calls
        if frame.call < 0:
            return np.empty(0, np.int64)
        low, high = np.searchsorted(flows.step, [int(calls.step[frame.call]), frame.cursor])
        if high - low > MANY_FLOWS:
            low, high = np.searchsorted(flows.step, [frame.began, frame.cursor])
        rows: Ints = np.arange(low, high)
        mine = (flows.input[rows] >= 0) & (frame.trace.steps.call[flows.step[rows]] == frame.call)
        found: Ints = rows[mine]
        return found

    def _obstacles(self, moment: Moment, labels: bool) -> Floats:
        """Boxes that must not be covered, as columns: cards, circles, and the words above and below them."""
        placed, diagram = self.placed, self.placed.diagram
        low, high = placed.corner, placed.corner + diagram.size
        circle = moment.items & (diagram.kind == OPERATION) & (not diagram.drawing.vertical)
        others = moment.items & ~circle
        boxes = [np.column_stack((low[others], high[others]))]
        middle = (low + high)[circle] / 2
        half, low, high = diagram.card[circle] / 2, low[circle], high[circle]
        top, bottom = middle[:, 1] - half[:, 1], middle[:, 1] + half[:, 1]
        boxes.append(np.column_stack((middle[:, 0] - half[:, 0], top, middle[:, 0] + half[:, 0], bottom)))
        boxes.append(np.column_stack((low[:, 0] - sizes.OVERHANG, low[:, 1], high[:, 0] + sizes.OVERHANG, top)))
        if labels:
            boxes.append(np.column_stack((low[:, 0] - sizes.OVERHANG, bottom, high[:, 0] + sizes.OVERHANG, high[:, 1])))
        return np.ascontiguousarray(np.concatenate(boxes).T)

    def _place(self, edge: int, texts: tuple[str, ...], known: Places, scale: float) -> Pill | None:
        size = _pill_size(self._ink, scale)
        height, spare = PILL_HEIGHT * size, SPARE * size
        steps = [math.ceil((self._ink.width(sizes.SMALL, text) + 2 * PILL_SIDE) / PILL_STEP) for text in texts]
        widths = [step * PILL_STEP * size for step in steps]
        points = self._points(edge)
        reach = max([0.0, *widths]) / 2 + spare, (ASIDE[-1] + 0.5) * height + spare
        low, high = points.min(0) - reach, points.max(0) + reach
        area = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
        taken = known.taken(area)
        key = edge, size, *steps, taken.tobytes()
        if key not in self.spots.found:
            self.spots.found[key] = self._free(edge, points, widths, taken, area, size)
        which, one = self.spots.found[key]
        if which < 0:
            return None
        x, begin = points[one % len(points)].tolist()
        y, half = begin + ASIDE[one // len(points)] * height, widths[which] / 2
        return Pill(edge, (x - half, y - height / 2, x + half, y + height / 2), (x, begin), texts[which])

    def _free(
        self, edge: int, points: Floats, widths: list[float], taken: Floats, area: Area, size: float
    ) -> tuple[int, int]:
        """The first of these widths, and the first place for it, that covers nothing; (-1, -1) if there is none."""
        height, spare, edges = PILL_HEIGHT * size, SPARE * size, self._edges_near(edge, area)
        aside = np.repeat(ASIDE, len(points)) * height
        x, begin = np.tile(points, (len(ASIDE), 1)).T
        y = begin + aside
        line = np.stack((x - 3 * spare, np.minimum(y, begin), x + 3 * spare, np.maximum(y, begin)))
        is_free = (np.abs(aside) <= ON_EDGE * height) | ~_any_meets(line, taken)
        for which, width in enumerate(widths):
            boxes = np.stack((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
            wide = boxes + np.array((-spare, -spare, spare, spare))[:, None]
            for one in np.flatnonzero(is_free & ~_any_meets(wide, taken))[:MOST_TRIED].tolist():
                if not _any_meets(wide[:, [one]], edges).any():
                    return which, one
        return -1, -1

    def _points(self, edge: int) -> Floats:
        """Some points of an edge, the middle ones first."""
        known = self.spots.points.get(edge)
        if known is not None:
            return known
        cubics = slice(*self.placed.first_cubic[edge : edge + 2].tolist())
        points = np.matmul(WEIGHTS[8], self.placed.cubics[cubics]).reshape(-1, 2)
        way = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
        found: Floats = points[np.searchsorted(way, np.array(ALONG) * way[-1]).clip(max=len(points) - 1)]
        self.spots.points[edge] = found
        return found

    def _edges_near(self, edge: int, area: Area) -> Floats:
        """Points of other edges in an area, as boxes: a pill on top of one would seem to belong to that edge."""
        cubics = np.flatnonzero(_meet(self.placed.cubic_bounds, area))
        cubics = cubics[self.placed.edge_of_cubic[cubics] != edge][:MANY_CUBICS]
        points = np.matmul(WEIGHTS[20], self.placed.cubics[cubics]).reshape(-1, 2)
        return np.column_stack((points, points))


def _any_meets(boxes: Floats, others: Floats) -> NDArray[np.bool_]:
    """Which boxes (columns: left, top, right, bottom) meet any of the others, which are rows."""
    left, top, right, bottom = boxes[:, :, None]
    meet = (left < others[:, 2]) & (right > others[:, 0])
    meet &= (top < others[:, 3]) & (bottom > others[:, 1])
    return np.asarray(np.any(meet, axis=1))


def _around(pill: Pill) -> Area:
    (left, top, right, bottom), (x, y) = pill.box, pill.anchor
    return min(left, x), min(top, y), max(right, x), max(bottom, y)


def paint_pills(
    painter: QPainter, ink: Ink, pills: tuple[Pill, ...], moment: Moment, scale: float, places: PillPlaces | None = None
) -> None:
    """Paint the visible pills; those of the current step have a wider border and travel."""
    size = _pill_size(ink, scale)
    for pill in pills:
        if moment.flow[pill.edge] != FLOW:
            continue
        left, top, right, bottom = pill.box
        if pill.now and places is not None and places.travelled < 1:
            middle, wide = places.on_its_way(pill), (right - left) / size
            _paint_chip(painter, ink, middle, size, wide, ink.pen("card", 1.0), "gradient", "card", pill.text)
            continue
        pen = ink.pen("gradient", 1.8 if pill.now else 0.8, alpha=1.0 if pill.now else 0.6)
        painter.save()
        painter.translate(left, top)
        painter.scale(size, size)
        box = QRectF(0, 0, (right - left) / size, (bottom - top) / size)
        painter.setPen(pen)
        x, y = (pill.anchor[0] - left) / size, (pill.anchor[1] - top) / size
        if not -PILL_HEIGHT / 2 <= y <= 1.5 * PILL_HEIGHT:
            painter.drawLine(QPointF(x, y), QPointF(x, 0 if y < 0 else PILL_HEIGHT))
            painter.setBrush(ink.colours["gradient"])
            painter.drawEllipse(QPointF(x, y), 1.5, 1.5)
        painter.setBrush(ink.colours["gradient_fill"])
        painter.drawRoundedRect(box, PILL_HEIGHT / 2, PILL_HEIGHT / 2)
        ink.text(painter, sizes.SMALL, "gradient", box.adjusted(0, 0, 0, -0.5), pill.text, CENTRE)
        painter.restore()


def _paint_chip(
    painter: QPainter, ink: Ink, middle: Sequence[float], size: float, width: float, border: QPen, fill: str,
    colour: str, text: str,
) -> None:  # fmt: skip
    """A few words around a point of an edge."""
    painter.save()
    painter.translate(*middle)
    painter.scale(size, size)
    box = QRectF(-width / 2, -PILL_HEIGHT / 2, width, PILL_HEIGHT)
    painter.setPen(border)
    painter.setBrush(ink.colours[fill])
    painter.drawRoundedRect(box, PILL_HEIGHT / 2, PILL_HEIGHT / 2)
    ink.text(painter, sizes.SMALL, colour, box.adjusted(0, 0, 0, -0.5), text, CENTRE)
    painter.restore()


def _pill_size(ink: Ink, scale: float) -> float:
    """World units for a pixel of a pill: as large from further away, and growing with the cards from closer."""
    return max(ink.theme.scale / scale, 1.0)


def _flat(pen: QPen) -> QPen:
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen
