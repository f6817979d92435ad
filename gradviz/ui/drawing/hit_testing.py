"""What of a drawing is under a point: ports first, which may lie a little away, then nodes, wires, and what is behind
them. Where everything is, `geometry` knows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from gradviz.document.drawing import Comment, Operation, Ref

if TYPE_CHECKING:
    from gradviz.ui.drawing.geometry import Cubic, Geometry

FRAME_TITLE = 26.0  # of an open group
CORNER = 14.0  # the part of a comment by which it is resized
NUMBER_ROOM = 80.0  # how far the number at a port may reach
SAMPLES = 16  # points of a wire that are looked at under the pointer


@dataclass(frozen=True)
class Hit:
    """What is under a point: kind is "node", "in" (`index` is the port), "out" (the output), "wire" (to port `index` of
    node `id`), "comment", "corner" (of a comment), "group" (its title or its box), "call" (`index` of the drawing's
    calls, `id` is its root) or "nothing"."""

    kind: str = "nothing"
    id: int = 0
    index: int = 0

    def __bool__(self) -> bool:
        return self.kind != "nothing"


NOTHING = Hit()


def hit_at(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    """What is under a point; ports and wires also nearby."""
    return (
        _port_at(geometry, point, radius) or _call_at(geometry, point) or _node_at(geometry, point)
        or _wire_at(geometry, point, radius) or _behind(geometry, point, radius)
    )  # fmt: skip


def _port_at(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    best, found = radius, NOTHING
    reach = radius + NUMBER_ROOM
    for node in geometry.drawing.nodes:
        around = geometry.boxes[node.id].adjusted(-reach, -reach, reach, reach)
        if node.id in geometry.hidden or not around.contains(point):
            continue
        places = [("out", k, geometry.port_out(Ref(node.id, k))) for k in range(geometry.outputs(node.id))]
        if isinstance(node, Operation):
            places += [("in", k, geometry.port_in(node.id, k)) for k in range(geometry.port_counts[node.id])]
        for kind, index, place in places:
            away = math.hypot(place.x() - point.x(), place.y() - point.y())
            if kind == "in" and geometry.number_box(node.id, index).contains(point):
                return Hit(kind, node.id, index)
            if away <= best:
                best, found = away, Hit(kind, node.id, index)
    return found


def _call_at(geometry: Geometry, point: QPointF) -> Hit:
    for index, call in enumerate(geometry.drawing.calls):
        if geometry.call_mark(index).contains(point):
            return Hit("call", call.root.node, index)
    return NOTHING


def _node_at(geometry: Geometry, point: QPointF) -> Hit:
    for group in geometry.drawing.groups:
        if group.closed and group.id in geometry.boxes and geometry.boxes[group.id].contains(point):
            return Hit("group", group.id)
    for node in reversed(geometry.drawing.nodes):
        if node.id in geometry.hidden or not geometry.boxes[node.id].contains(point):
            continue
        circle = geometry.circles.get(node.id)
        cards = (geometry.cards[Ref(node.id, k)] for k in range(geometry.outputs(node.id)))
        if (circle is not None and circle.contains(point)) or any(card.contains(point) for card in cards):
            return Hit("node", node.id)
    return NOTHING


def _wire_at(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    best, found = radius, NOTHING
    for (node, port), cubic in geometry.cubics.items():
        away = _distance(cubic, point, best)
        if away <= best:
            best, found = away, Hit("wire", node, port)
    return found


def _behind(geometry: Geometry, point: QPointF, radius: float) -> Hit:
    for group in geometry.drawing.groups:
        if not group.closed and group.id in geometry.boxes:
            frame = geometry.boxes[group.id]
            if QRectF(frame.left(), frame.top(), frame.width(), FRAME_TITLE).contains(point):
                return Hit("group", group.id)
    for comment in reversed(geometry.drawing.comments):
        box = geometry.boxes[comment.id]
        if _corner(comment, max(CORNER, radius)).contains(point):
            return Hit("corner", comment.id)
        if box.contains(point):
            return Hit("comment", comment.id)
    return NOTHING


def _corner(comment: Comment, size: float) -> QRectF:
    return QRectF(comment.x + comment.width - size, comment.y + comment.height - size, size, size)


def _distance(cubic: Cubic, point: QPointF, most: float) -> float:
    """How far a point is from a curve, nearly; infinite if more than `most`."""
    xs, ys = [p.x() for p in cubic], [p.y() for p in cubic]
    x, y = point.x(), point.y()
    if not (min(xs) - most <= x <= max(xs) + most and min(ys) - most <= y <= max(ys) + most):
        return math.inf
    best = math.inf
    before = xs[0], ys[0]
    for nth in range(1, SAMPLES + 1):
        t = nth / SAMPLES
        a, b, c, d = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3
        now = a * xs[0] + b * xs[1] + c * xs[2] + d * xs[3], a * ys[0] + b * ys[1] + c * ys[2] + d * ys[3]
        best = min(best, _to_segment(x, y, *before, *now))
        before = now
    return best


def _to_segment(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    part = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / square)) if square else 0.0
    return math.hypot(x - ax - part * dx, y - ay - part * dy)
