"""Paints edges: thin slate lines forward, and on them the gradients that flow back as orange dashes.

Note [Fast lines]
Qt draws thousands of lines in one call through a pointer to their numbers, and quickly only with a pen of width 1 or
less; wider pens are kept for the few edges that are seen near. All geometry is one matrix product over the cubics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from shiboken6 import Shiboken

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.diagram import Floats, Ints, Placed
from gradviz.ui.canvas.ink import CENTRE, Ink
from gradviz.ui.canvas.moment import BAD_FLOW, FLOW, ZERO_FLOW, Moment

NEAR, MIDDLE = 0.5, 0.16
DASH, GAP = 9.0, 6.0
DOT, DOT_GAP = 2.5, 5.0
MOST_DASHED = 400
MOST_LINES = 20_000
ARROW = 7.0
EDGE = 0.01


def pieces(scale: float) -> int:
    """Lines per cubic: as many as can be told apart at this zoom."""
    return 1 if scale < 0.09 else 2 if scale < 0.16 else 4 if scale < 0.45 else 20


def _weights(count: int) -> Floats:
    t = np.linspace(0, 1, count + 1)
    return np.stack(((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3), axis=1)


WEIGHTS = {count: _weights(count) for count in (1, 2, 4, 20)}


def draw_lines(painter: QPainter, lines: NDArray[Any]) -> None:
    """Many lines (n, 4) in one call; the array lives until it returns."""
    if len(lines):
        data = np.ascontiguousarray(lines, np.float64)
        painter.drawLines(Shiboken.wrapInstance(data.ctypes.data, QLineF), len(data))  # type: ignore[call-overload]


def edges_in(placed: Placed, world: tuple[float, float, float, float], among: NDArray[np.bool_]) -> Ints:
    """The edges whose bounding box meets a box of the world."""
    left, top, right, bottom = world
    low, high = placed.low, placed.high
    hit = among & (high[:, 0] >= left) & (low[:, 0] <= right) & (high[:, 1] >= top) & (low[:, 1] <= bottom)
    return np.flatnonzero(hit)


def _cubics_of(placed: Placed, edges: Ints) -> Ints:
    counts = placed.first_cubic[edges + 1] - placed.first_cubic[edges]
    return np.repeat(placed.first_cubic[edges] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())


def _pieces_of(placed: Placed, edges: Ints) -> tuple[list[int], list[int]]:
    return placed.first_cubic[edges].tolist(), placed.first_cubic[edges + 1].tolist()


def lines_of(placed: Placed, edges: Ints, scale: float) -> Floats:
    """The edges as straight lines (n, 4)."""
    points = np.matmul(WEIGHTS[pieces(scale)], placed.cubics[_cubics_of(placed, edges)])
    return np.concatenate((points[:, :-1], points[:, 1:]), axis=2).reshape(-1, 4)


def paint_forward(painter: QPainter, ink: Ink, placed: Placed, edges: Ints, scale: float) -> None:
    """The forward edges with the sense of their arrows."""
    if scale < MIDDLE and len(edges) > MOST_LINES:  # the picture is saturated long before
        edges = edges[:: -(-len(edges) // MOST_LINES)]
    near = scale >= NEAR
    painter.setPen(ink.pen("edge", 1.5) if near else ink.hairline("edge", 1.0 if scale > MIDDLE else 0.7))
    draw_lines(painter, lines_of(placed, edges, scale))
    if near:
        last = placed.first_cubic[edges + 1] - 1
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


@dataclass(frozen=True, eq=False)
class _Path:
    """Edges as one long polyline with the way along it."""

    points: Floats
    way: Floats
    start: Floats  # by edge: where on the way it begins
    length: Floats


def _path(placed: Placed, edges: Ints, scale: float) -> _Path:
    chosen = _cubics_of(placed, edges)
    points = np.matmul(WEIGHTS[pieces(scale)], placed.cubics[chosen])
    edge = np.repeat(np.arange(len(edges)), placed.first_cubic[edges + 1] - placed.first_cubic[edges])
    steps = np.hypot(*np.moveaxis(np.diff(points, axis=1), 2, 0))
    steps = np.concatenate((np.zeros((len(chosen), 1)), steps), axis=1)
    way: Floats = np.cumsum(steps.reshape(-1))
    length: Floats = np.bincount(edge, steps.sum(1), len(edges)).astype(np.float64)
    return _Path(points.reshape(-1, 2), way, np.cumsum(length) - length, length)


def _dashes(path: _Path, dash: float, gap: float, phase: float) -> tuple[Floats, Ints]:
    """The dashes of all edges as lines (n, 4), two per dash, and the edge of each; `phase` moves them backwards."""
    period = dash + gap
    shift = -(phase % 1.0) * period
    count = np.ceil((path.length - shift) / period).astype(np.int64)
    edge = np.repeat(np.arange(len(count)), count)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    begin = number * period + shift
    stops = np.stack((begin, begin + dash / 2, begin + dash), axis=1)
    inside = np.maximum(path.length[edge][:, None] - EDGE, EDGE)  # its ends are also those of its neighbours
    stops = np.clip(stops, EDGE, inside) + path.start[edge][:, None]
    x, y = (np.interp(stops, path.way, path.points[:, axis]) for axis in (0, 1))
    lines = np.stack((x[:, :-1], y[:, :-1], x[:, 1:], y[:, 1:]), axis=2).reshape(-1, 4)
    return lines, np.repeat(edge, 2)


def thickness(norm: Floats) -> Floats:
    """Width of a gradient in world units: it grows with the logarithm of its norm, in steps of a half."""
    with np.errstate(divide="ignore", invalid="ignore"):
        wide = 3.0 + 0.6 * np.log10(np.where(norm > 0, norm, 1.0))
    return np.round(np.clip(np.nan_to_num(wide, nan=3.0), 1.8, 5.5) * 2) / 2


def paint_flows(
    painter: QPainter, ink: Ink, placed: Placed, moment: Moment, world: Any, scale: float, phase: float
) -> None:
    """The gradients of this backward call; those of this very step are wider and brighter."""
    for kind in (ZERO_FLOW, FLOW, BAD_FLOW):
        edges = edges_in(placed, world, moment.flow == kind)
        if not len(edges):
            continue
        if len(edges) > MOST_DASHED or scale < MIDDLE:
            painter.setPen(ink.hairline("error" if kind == BAD_FLOW else "gradient"))
            draw_lines(painter, lines_of(placed, edges, scale))
            continue
        _paint_kind(painter, ink, placed, moment, edges, kind, scale, phase)


def _paint_kind(
    painter: QPainter, ink: Ink, placed: Placed, moment: Moment, edges: Ints, kind: int, scale: float, phase: float
) -> None:
    colour = "error" if kind == BAD_FLOW else "gradient"
    now = moment.now[edges]
    if now.any():
        painter.setPen(_flat(ink.pen(colour, 9.0, alpha=0.18)))
        draw_lines(painter, lines_of(placed, edges[now], scale))
    dash, gap = (DOT, DOT_GAP) if kind == ZERO_FLOW else (DASH, GAP)
    lines, owner = _dashes(_path(placed, edges, scale), dash, gap, phase)
    width = np.full(len(edges), 2.0) if kind == ZERO_FLOW else thickness(moment.norm[edges])
    width += 1.0 * now
    for value in np.unique(width):
        for moving in (False, True):
            chosen = (width == value) & (now == moving)
            if chosen.any():
                painter.setPen(_flat(ink.pen(colour, float(value), alpha=1.0 if moving else 0.8)))
                draw_lines(painter, lines[chosen[owner]])
    first = placed.first_cubic[edges]
    painter.setBrush(ink.colours[colour])
    _arrows(painter, placed.cubics[first, 0], placed.cubics[first, 0] - placed.cubics[first, 1], ARROW + 3)
    if kind != FLOW and scale >= NEAR:
        _marks(painter, ink, placed, edges, "0" if kind == ZERO_FLOW else "NaN", colour)


def _flat(pen: QPen) -> QPen:
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def _marks(painter: QPainter, ink: Ink, placed: Placed, edges: Ints, text: str, colour: str) -> None:
    """A chip in the middle of an edge that says what is wrong with its gradient."""
    span = np.abs(placed.cubics[:, 3] - placed.cubics[:, 0]).sum(1)
    longest = [first + int(span[first:end].argmax()) for first, end in zip(*_pieces_of(placed, edges), strict=True)]
    middle = placed.cubics[longest]
    width = ink.width(sizes.SMALL, text) + 10
    for x, y in np.matmul(WEIGHTS[2][1], middle).tolist():
        chip = QRectF(x - width / 2, y - 7.5, width, 15)
        painter.setPen(ink.pen(colour, 1.2))
        painter.setBrush(ink.colours["card"])
        painter.drawRoundedRect(chip, 7, 7)
        ink.text(painter, sizes.SMALL, colour, chip, text, CENTRE)
