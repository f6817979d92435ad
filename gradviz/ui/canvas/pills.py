"""Words that find a free place of their own: the factor and product of each gradient on its edge, and why an operation
failed. A number of the current step travels first: along its edge and into the sum that it joins, and what a leaf has
received drops into its `.grad`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPainter, QPen

from gradviz.trace.table.frame import Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.contributions import edge_words, product_on_edge
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.diagram import OPERATION, Flags, Floats, Ints
from gradviz.ui.canvas.edge_painter import NEAR, PILL_HEIGHT, WEIGHTS, Area, meet, paint_chip, pill_size
from gradviz.ui.canvas.ink import CENTRE, Ink
from gradviz.ui.canvas.moment import FLOW, Moment
from gradviz.ui.canvas.placed import Placed


@dataclass(frozen=True)
class Pill:
    """A few words on an edge: the factor and the product of its gradient."""

    edge: int
    box: Area
    anchor: tuple[float, float]  # the point of the edge that it refers to
    text: str
    number: str  # the product alone
    now: bool = False


MOST_PILLS, AT_ONCE = 40, 20  # gradients of a call; if there are more, the first ones get no pills, so many at once
MANY_FLOWS = 2000  # of these, the ones of earlier steps are not even considered
MOST_TRIED = 8  # free places that are checked for other edges
ALONG = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # candidate places on an edge, as fractions of its length
MOST_SPOTS = 5000  # that are remembered
PILL_STEP = 6.0  # pixels by which pills get wider, so that another digit seldom moves them
MANY_CUBICS = 60  # points on other edges that a pill avoids
ASIDE = (0.0, *(0.75 * sign * step for step in range(1, 9) for sign in (-1, 1)))  # heights of a pill
ON_EDGE = 1.0  # heights beyond which a line connects the pill to its edge
SPARE = 2.0  # pixels between a pill and what it must not cover
PILL_SIDE = 6.0  # pixels beside its words
REASON_WIDTH, REASON_LINE = 100.0, 14.0
REASON_STEPS = 9  # half heights of an explanation that it may be further down
LONGEST = 44  # characters of a number that travels
GRAD_PLACE = (30.0, 22.0)  # from the lower right corner of a card to the number of its gradient


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
        return np.concatenate((self._obstacles[:, meet(self._obstacles, area)].T, np.reshape(pills, (-1, 4))))

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
    """Where pills of some widths went among some obstacles: while a slider moves, hardly more than the words change.
    `in_hand`: it is moving now, and each pill has only its product, in the place of all its words."""

    def __init__(self) -> None:
        self._cubics: Floats = np.empty(0)
        self.in_hand = False
        self.latest: tuple[float, dict[int, Pill]] = (0.0, {})  # the pills with all their words by edge, and the zoom
        self.points: dict[int, Floats] = {}  # by edge
        self.found: dict[tuple[object, ...], tuple[int, int]] = {}  # which text and place; (-1, -1): none

    def follow(self, cubics: Floats) -> None:
        """Forget them if the edges have moved."""
        if not np.array_equal(cubics, self._cubics) or len(self.found) > MOST_SPOTS:
            self._cubics, self.points, self.found, self.latest = cubics, {}, {}, (0.0, {})


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
        self._free_places: tuple[Moment | None, dict[object, QRectF]] = (None, {})  # of one moment
        self._known = Places(-1, 0.0, np.empty(0, bool), np.empty((4, 0)))
        self.painted: tuple[Pill, ...] = ()  # last
        self.travelled = 1.0  # how far the pills of this step have travelled along their edges

    def travellers(self, moment: Moment) -> list[tuple[str, Floats]]:
        """The numbers that are on their way in this step, and the points of their ways: a gradient goes from the
        operation at the end of its edge to the tensor at its start, one of several on into their sum; what has arrived
        at a leaf goes from there into its `.grad`."""
        found, step = [], moment.frame.step
        joins = step is not None and step.kind == Kind.CONTRIBUTION
        for pill in self._found[2] if self._found is not None else ():
            if pill.now:
                way = self._along(pill.edge)[::-1]
                last = [self._sum_of(int(self.placed.diagram.edges[pill.edge, 0]))] if joins else []
                found.append((pill.number, np.vstack((way, *last))))
        if step is not None and step.kind == Kind.ACCUMULATE and moment.current:
            item, arrived = moment.current[0], moment.frame.arriving(step.tensor)
            text = arrived.written() if arrived is not None else ""
            if 0 < len(text) <= LONGEST:
                corner, card = self.placed.corner[item], self.placed.diagram.card[item]
                found.append((text, np.array((self._sum_of(item), corner + card - GRAD_PLACE))))
        return found

    def _sum_of(self, item: int) -> Floats:
        """The middle of the pill below a card in which its gradients are summed."""
        corner, (width, height) = self.placed.corner[item], self.placed.diagram.card[item].tolist()
        found: Floats = corner + np.array((width / 2, height + sizes.BADGE_GAP + sizes.BADGE_HEIGHT / 2))
        return found

    def ways(self, moment: Moment, scale: float) -> list[Area]:
        """Boxes around everything that the numbers of this step cover on their way."""
        size, boxes = pill_size(self._ink, scale), []
        for text, way in self.travellers(moment):
            (left, top), (right, bottom) = way.min(0).tolist(), way.max(0).tolist()
            across, down = self._wide(text) * size / 2, PILL_HEIGHT * size / 2
            boxes.append((left - across, top - down, right + across, bottom + down))
        return boxes + [_around(pill) for pill in (self._found[2] if self._found is not None else ()) if pill.now]

    def _wide(self, text: str) -> float:
        return self._ink.width(sizes.SMALL, text) + 2 * PILL_SIDE

    def paint_travellers(self, painter: QPainter, moment: Moment, scale: float) -> None:
        """Paint the numbers of this step where they are now."""
        for text, way in self.travellers(moment):
            middle, border = self.on_its_way(way), self._ink.pen("card", 1.0)
            size = pill_size(self._ink, scale)
            paint_chip(painter, self._ink, middle, size, self._wide(text), border, "gradient", "card", text)

    def on_its_way(self, points: Floats) -> tuple[float, float]:
        """The middle of a number that is on its way along these points."""
        way = _lengths(points)
        part = self.travelled**2 * (3 - 2 * self.travelled)  # slow at both ends
        return float(np.interp(part * way[-1], way, points[:, 0])), float(np.interp(part * way[-1], way, points[:, 1]))

    def at(self, moment: Moment, scale: float, *, labels: bool) -> tuple[Pill, ...]:
        """The pills of a moment; `labels` says whether there are words under the operations."""
        frame = moment.frame
        if self._found is None or self._found[0] is not frame or self._found[1] != scale:
            self._found = frame, scale, self._find(moment, scale, labels) if scale >= NEAR else ()
        return self._found[2]

    def changed(self, moment: Moment, scale: float, *, labels: bool) -> list[Area]:
        """Boxes of the pills that differ from those painted last."""
        return [_around(pill) for pill in set(self.painted) ^ set(self.at(moment, scale, labels=labels))]

    def _find(self, moment: Moment, scale: float, labels: bool) -> tuple[Pill, ...]:
        trace, rows = moment.frame.trace, self._rows(moment.frame)
        edges = self._edge_of_row[trace.flows.input[rows]]
        rows, edges = rows[edges >= 0], edges[edges >= 0]  # first: where the picture has no edge at all, -1 is none
        shown = moment.flow[edges] == FLOW
        rows, edges = rows[shown], edges[shown]
        first = max(0, -(-(len(rows) - MOST_PILLS) // AT_ONCE) * AT_ONCE)
        if not len(rows):
            return ()
        chosen = list(zip(rows[first:].tolist(), edges[first:].tolist(), strict=True))
        if self.spots.in_hand and (kept := self._in_hand(moment, chosen, scale)):
            return kept
        words: dict[int, tuple[str, ...]] = trace.kept("words on edges", dict)
        known = self._known
        if not known.are_of(moment, scale):
            known = self._known = Places(moment.frame.call, scale, moment.items, self._obstacles(moment, labels))
        known.forget_after([row for row, _ in chosen])
        for row, edge in chosen[len(known.rows) :]:
            if row not in words:
                words[row] = edge_words(trace, row)
            known.add(row, self._place(edge, words[row], known, scale))
        found = tuple(replace(pill, now=bool(moment.now[pill.edge])) for pill in known.pills if pill is not None)
        self.spots.latest = scale, {pill.edge: pill for pill in found}
        return self._in_hand(moment, chosen, scale) if self.spots.in_hand else found

    def _in_hand(self, moment: Moment, chosen: list[tuple[int, int]], scale: float) -> tuple[Pill, ...]:
        """The latest pills with the present products alone, which takes far less time than all their words; () if one
        is too long for its place, or if other edges have pills now."""
        at, latest = self.spots.latest
        rows = {edge: row for row, edge in chosen}
        if at != scale or not latest.keys() <= rows.keys():
            return ()
        found, size = [], pill_size(self._ink, scale)
        for edge, pill in latest.items():
            text = product_on_edge(moment.frame.trace, rows[edge])
            if not text or self._wide(text) * size > pill.box[2] - pill.box[0]:
                return ()
            found.append(replace(pill, text=text, number=text, now=bool(moment.now[edge])))
        return tuple(found)

    def write_in_full(self) -> None:
        """The slider rests: every pill has all its words."""
        self.spots.in_hand, self._found = False, None

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

    def free_place(self, moment: Moment, of: QRectF, size: QSizeF, *, labels: bool) -> QRectF:
        """The place for a box of this size that is nearest to the middle below an item and covers no item; below it if
        there is none."""
        key = of.getRect(), size.toTuple(), labels
        if self._free_places[0] is not moment:
            self._free_places = moment, {}
        found = self._free_places[1]
        if key not in found:
            found[key] = self._free_place(moment, of, size, labels)
        return found[key]

    def _free_place(self, moment: Moment, of: QRectF, size: QSizeF, labels: bool) -> QRectF:
        below = QRectF(of.center().x() - size.width() / 2, of.bottom() + 1, size.width(), size.height())
        obstacles = self._obstacles(moment, labels).T
        steps = [(across, down) for down in range(REASON_STEPS) for across in (0, -1, 1, -2, 2)]
        for across, down in sorted(steps, key=lambda step: abs(step[0]) + step[1]):
            place = below.translated(across * size.width() / 4, down * size.height() / 2)
            if not _any_meets(np.array(place.getCoords())[:, None], obstacles).any():
                return place
        return below

    def _place(self, edge: int, texts: tuple[str, ...], known: Places, scale: float) -> Pill | None:
        size = pill_size(self._ink, scale)
        height, spare = PILL_HEIGHT * size, SPARE * size
        steps = [math.ceil(self._wide(text) / PILL_STEP) for text in texts]
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
        return Pill(edge, (x - half, y - height / 2, x + half, y + height / 2), (x, begin), texts[which], texts[-1])

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
        points = self._along(edge)
        way = _lengths(points)
        found: Floats = points[np.searchsorted(way, np.array(ALONG) * way[-1]).clip(max=len(points) - 1)]
        self.spots.points[edge] = found
        return found

    def _along(self, edge: int) -> Floats:
        """Points along an edge, from its start."""
        cubics = slice(*self.placed.first_cubic[edge : edge + 2].tolist())
        found: Floats = np.matmul(WEIGHTS[8], self.placed.cubics[cubics]).reshape(-1, 2)
        return found

    def _edges_near(self, edge: int, area: Area) -> Floats:
        """Points of other edges in an area, as boxes: a pill on top of one would seem to belong to that edge."""
        cubics = np.flatnonzero(meet(self.placed.cubic_bounds, area))
        cubics = cubics[self.placed.edge_of_cubic[cubics] != edge][:MANY_CUBICS]
        points = np.matmul(WEIGHTS[20], self.placed.cubics[cubics]).reshape(-1, 2)
        return np.column_stack((points, points))


def _lengths(points: Floats) -> Floats:
    """How far each point is along a line through all of them."""
    return np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))


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
    """Paint the visible pills; those of the current step have a wider border, once their numbers have arrived."""
    size = pill_size(ink, scale)
    for pill in pills:
        if moment.flow[pill.edge] != FLOW:
            continue
        left, top, right, bottom = pill.box
        if pill.now and places is not None and places.travelled < 1:
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
    if places is not None and places.travelled < 1:
        places.paint_travellers(painter, moment, scale)


def paint_grown(painter: QPainter, at: QPointF, grown: float, paint: Callable[[], None]) -> None:
    """Paint something, which puts itself at the origin, larger and somewhere else."""
    painter.save()
    painter.translate(at)
    painter.scale(grown, grown)
    paint()
    painter.restore()


def paint_mark(painter: QPainter, ink: Ink, centre: QPointF) -> None:
    """The red mark on what an error is about."""
    mark = QRectF(centre.x() - 9, centre.y() - 9, 18, 18)
    painter.setPen(QPen(ink.colours["card"], 1.5))
    painter.setBrush(ink.colours["error"])
    painter.drawEllipse(mark)
    ink.text(painter, sizes.NAME, "card", mark, "!", CENTRE)


def reason_size(ink: Ink, reason: str, room: float) -> QSizeF:
    """The size of the box around a reason whose lines have about this width."""
    lines = ink.broken(sizes.SMALL, reason, room)
    return QSizeF(max(ink.width(sizes.SMALL, line) for line in lines) + 14, REASON_LINE * len(lines) + 5)


def paint_reason(painter: QPainter, ink: Ink, top: QPointF, reason: str, room: float = REASON_WIDTH) -> None:
    """What is wrong, in a box below a point with lines of about this width."""
    size = reason_size(ink, reason, room)
    below = QRectF(QPointF(top.x() - size.width() / 2, top.y()), size)
    painter.setPen(QPen(ink.colours["error"], 1.2))
    painter.setBrush(ink.colours["error_fill"])
    painter.drawRoundedRect(below, 5, 5)
    for number, line in enumerate(ink.broken(sizes.SMALL, reason, room)):
        place = QRectF(below.left(), below.top() + 2.5 + number * REASON_LINE, size.width(), REASON_LINE)
        ink.text(painter, sizes.SMALL, "error", place, line, CENTRE)
