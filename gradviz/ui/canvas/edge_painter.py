"""Paints edges: thin slate lines forward, with the gradients that flow back as orange dashes on top.

Note [Fast lines] Qt draws thousands of lines in one call through a pointer to their coordinates, but is fast only with
pens of width 1 or less. Wider pens are kept for the few edges seen up close, without round caps: with those, every line
is filled as an outline of its own, which takes ten times as long. All geometry is one matrix product over the
cubics."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QByteArray, QDataStream, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPaintEngine, QPainter, QPainterPath, QPen, QPolygonF
from shiboken6 import Shiboken

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.diagram import Floats, Ints
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
MOVE, LINE, CURVE, FURTHER = range(4)  # kinds of elements of paths: the last is one of a curve's further points
ELEMENT = np.dtype([("kind", ">i4"), ("x", ">f8"), ("y", ">f8")])  # of a path in a stream of Qt
CORNERS = np.array(((0, 1), (2, 1), (2, 3), (0, 3), (0, 1)))  # of a left, top, right, bottom
ARROW = 7.0
PILL_HEIGHT = 16.0  # pixels
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
    found = np.flatnonzero(meet(placed.cubic_bounds, area))
    return found[edges[placed.edge_of_cubic[found]]]


def meet(bounds: NDArray[Any], area: Area) -> NDArray[np.bool_]:
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
        painter.drawPath(_curves(placed, cubics[first : first + CURVES_AT_ONCE]))


def _curves(placed: Placed, cubics: Ints) -> QPainterPath:
    """Cubics as a path that goes on where one begins at the end of that before."""
    points, bent = placed.cubics[cubics], placed.bent[cubics]
    apart = np.ones(len(cubics), bool)
    apart[1:] = np.abs(points[1:, 0] - points[:-1, 3]).sum(1) > 0.01
    kinds = np.tile((MOVE, CURVE, FURTHER, FURTHER), (len(cubics), 1))
    kinds[~bent, 3] = LINE
    kept = np.column_stack((apart, bent, bent, np.ones(len(cubics), bool)))
    return path_of(kinds[kept], points[kept], Qt.FillRule.OddEvenFill)


def draw_boxes(painter: QPainter, boxes: Floats) -> None:
    """Draw rectangles (n, 4) in one colour; in a file as few shapes, as one for each takes most of the time."""
    if painter.paintEngine().type() not in KEEP_CURVES:
        painter.drawRects(Shiboken.wrapInstance(boxes.ctypes.data, QRectF), len(boxes))  # type: ignore[call-overload]
        return
    ends = np.column_stack((boxes[:, :2], boxes[:, :2] + boxes[:, 2:]))
    corners = ends[:, CORNERS]
    for first in range(0, len(boxes), CURVES_AT_ONCE):
        some = corners[first : first + CURVES_AT_ONCE]
        kinds = np.tile((MOVE, LINE, LINE, LINE, LINE), len(some))
        painter.drawPath(path_of(kinds, some.reshape(-1, 2), Qt.FillRule.WindingFill))  # they may overlap


def path_of(kinds: Ints, points: Floats, rule: Qt.FillRule) -> QPainterPath:
    """A path of these elements, in Qt's own form for files: element by element is several times slower."""
    elements = np.empty(len(kinds), ELEMENT)
    elements["kind"], elements["x"], elements["y"] = kinds, points[:, 0], points[:, 1]
    last = int(np.flatnonzero(kinds == MOVE)[-1])
    data = QByteArray(struct.pack(">i", len(kinds)) + elements.tobytes() + struct.pack(">ii", last, rule.value))
    path = QPainterPath()
    QDataStream(data) >> path
    return path


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
    found = np.flatnonzero(meet(placed.far_bounds, area))
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
    width, size = ink.width(sizes.SMALL, text) + 10, pill_size(ink, scale)
    longest = cubics[placed.longest_cubic[edges] == cubics]
    for middle in np.matmul(WEIGHTS[2][1], placed.cubics[longest]).tolist():
        paint_chip(painter, ink, middle, size, width, ink.pen(colour, 1.2), "card", colour, text)


def paint_chip(
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


def pill_size(ink: Ink, scale: float) -> float:
    """World units for a pixel of a pill: as large from further away, and growing with the cards from closer."""
    return max(ink.theme.scale / scale, 1.0)


def _flat(pen: QPen) -> QPen:
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen
