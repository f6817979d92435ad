"""What stands out on the canvas beyond the trace itself: a lineage (everything else fades), search hits, and the edges
and other uses of the item that is hovered or selected. This module knows only items; `session.inspect.lineage` and
`session.inspect.search` find what they stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen, QRegion, QTransform

from gradviz.ui.canvas.camera import Box, Camera
from gradviz.ui.canvas.diagram import OPERATION, REFERENCE, TENSOR, Flags, Floats, Ints
from gradviz.ui.canvas.edge_painter import FAR, NEAR, cubics_in, draw_lines, far_lines, lines_of
from gradviz.ui.canvas.moment import NO_FLOW, Moment

if TYPE_CHECKING:
    from gradviz.session.inspect.lineage import Family
    from gradviz.session.inspect.search import Hits
    from gradviz.ui.canvas.ink import Ink
    from gradviz.ui.canvas.placed import Placed

FADED = 0.25
SMALLEST_RING = 5.0  # pixels
MOST_ROUND = 400  # rings with round corners; if there are more, rectangles are drawn
MOST_PARTS = 48
MOST_OF_ONE = 1_000  # edges of one item


class Marks:
    """What stands out in a placed diagram."""

    def __init__(self, placed: Placed) -> None:
        self._placed = placed
        self.lit: Flags | None = None  # the items that do not fade
        self._lit_uses: Flags | None = None  # the rows of trace.inputs among them, None for all
        self.hits: Flags | None = None
        self.hovered = -1
        self._parts: tuple[Moment, tuple[tuple[Moment, float], ...]] | None = None
        self._passing: tuple[Flags, float] | None = None

    def move(self, placed: Placed, passing: Flags, opacity: float) -> None:
        """The same items in new places; some of them appear or disappear, with this opacity."""
        self._placed, self._passing, self._parts = placed, (passing, opacity), None

    def show_family(self, family: Family | None) -> None:
        """Fade everything except these operations and tensors; None for nothing."""
        self.lit = self._items(family.nodes, family.tensors) if family is not None else None
        self._lit_uses = family.uses if family is not None else None
        self._parts = None

    def show_hits(self, hits: Hits | None) -> None:
        """Mark search hits; some may belong to a trace whose picture is still to come."""
        self.hits = None
        if hits is not None and len(hits):
            trace = self._placed.diagram.trace
            nodes, tensors = np.zeros(len(trace.nodes), bool), np.zeros(len(trace.tensors), bool)
            for marked, rows in ((nodes, hits.nodes), (tensors, hits.tensors)):
                marked[rows[rows < len(marked)]] = True
            self.hits = self._items(nodes, tensors)

    def _items(self, nodes: Flags, tensors: Flags) -> Flags:
        """The items of these operations and tensors, or the closed groups that contain them."""
        diagram = self._placed.diagram
        nodes, tensors = _fit(nodes, len(diagram.trace.nodes)), _fit(tensors, len(diagram.trace.tensors))
        items = np.zeros(len(diagram), bool)
        cards = np.flatnonzero((diagram.kind == TENSOR) | (diagram.kind == REFERENCE))
        items[cards] = tensors[diagram.index[cards]]
        item_of_node = diagram.item_of_node
        found = item_of_node[np.flatnonzero(nodes)]
        items[found[found >= 0]] = True
        makers = diagram.trace.tensors.producer[tensors]
        found = item_of_node[makers[makers >= 0]]
        found = found[found >= 0]
        items[found[diagram.kind[found] > REFERENCE]] = True
        return items

    def parts(self, moment: Moment) -> tuple[tuple[Moment, float], ...]:
        """What to paint one after the other, each part with its opacity."""
        if self.lit is None and self._passing is None:
            return ((moment, 1.0),)
        if self._parts is None or self._parts[0] is not moment:
            ends = self._placed.diagram.edges
            if self._passing is not None:
                passing, opacity = self._passing
                edges = np.asarray(passing[ends].any(1))
                parts = (_only(moment, passing, edges), opacity), (_only(moment, ~passing, ~edges, beneath=False), 1.0)
            else:
                assert self.lit is not None
                edges = self._lit_edges(self.lit)
                parts = (_only(moment, ~self.lit, ~edges), FADED), (_only(moment, self.lit, edges, beneath=False), 1.0)
            self._parts = moment, parts
        return self._parts[1]

    def _lit_edges(self, lit: Flags) -> Flags:
        """The edges that do not fade."""
        diagram = self._placed.diagram
        found = np.asarray(lit[diagram.edges].all(1))
        argument = np.flatnonzero(diagram.row >= 0)
        if self._lit_uses is not None and len(argument):
            uses = _fit(self._lit_uses, len(diagram.trace.inputs))[diagram.uses]
            found[argument] &= np.logical_or.reduceat(uses, diagram.use_start[argument])
        return found

    # -- the item under the pointer

    def edges_of(self, moment: Moment, item: int) -> Flags:
        """The edges that begin or end at an item."""
        touching: Flags = moment.edges & (self._placed.diagram.edges == item).any(1)
        return touching

    def uses_of(self, moment: Moment, item: int) -> Ints:
        """The card of a tensor and its tags elsewhere, or an operation and its relatives in a graph of gradients; empty
        if there is nothing else."""
        diagram = self._placed.diagram
        if item >= 0 and diagram.kind[item] == OPERATION:
            return self._kin(moment, item)
        if item < 0 or diagram.kind[item] not in (TENSOR, REFERENCE):
            return np.empty(0, np.int64)
        found = diagram.items_of_tensor(int(diagram.index[item]))
        found = found[moment.items[found]]
        return found if len(found) > 1 and (diagram.kind[found] == REFERENCE).any() else found[:0]

    def _kin(self, moment: Moment, item: int) -> Ints:
        """An operation, the one whose backward made it, and those that its own backward made; empty if there are
        none."""
        diagram, node = self._placed.diagram, int(self._placed.diagram.index[item])
        origin = diagram.trace.origin_of_node[: len(diagram.item_of_node)]
        nodes = np.append(np.flatnonzero(origin == node), origin[node])
        kin = diagram.item_of_node[nodes[nodes >= 0]]
        kin = np.unique(kin[kin >= 0])
        kin = kin[moment.items[kin] & (kin != item)]
        return np.append(item, kin) if len(kin) else kin

    def region(self, moment: Moment, camera: Camera, item: int) -> QRegion | None:
        """The pixels that hovering an item changes; None if they are too many to list."""
        edges = np.flatnonzero(self.edges_of(moment, item))
        if len(edges) > MOST_PARTS or len(self.uses_of(moment, item)):
            return None
        region = QRegion()
        for low, high in zip(self._placed.low[edges].tolist(), self._placed.high[edges].tolist(), strict=True):
            left, top = camera.to_screen(*low)
            right, bottom = camera.to_screen(*high)
            region += QRectF(left, top, right - left, bottom - top).adjusted(-12, -12, 12, 12).toAlignedRect()
        return region

    def paint_edges(
        self, painter: QPainter, ink: Ink, moment: Moment, camera: Camera, area: QRectF, selected: int
    ) -> None:  # fmt: skip
        """Paint the edges of the hovered or else the selected item on top of all others, and lines to the other places
        where it is used."""
        item = self.hovered if self.hovered >= 0 else selected
        if item < 0 or not moment.items[item]:
            return
        scale, world = camera.scale, camera.world_box((area.left(), area.top(), area.right(), area.bottom()), 10)
        painter.save()
        painter.setTransform(_transform(camera), True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(ink.pen("focus", 2.2) if scale >= NEAR else ink.hairline("focus"))
        edges = self._some(self.edges_of(moment, item))
        if scale < FAR:
            draw_lines(painter, far_lines(self._placed, world, edges))
        else:
            draw_lines(painter, lines_of(self._placed, cubics_in(self._placed, world, edges), scale))
        self._paint_uses(painter, ink, moment, item)
        painter.restore()

    def _some(self, edges: Flags) -> Flags:
        """No more edges than can be told apart."""
        found = np.flatnonzero(edges)
        if len(found) <= MOST_OF_ONE:
            return edges
        some = np.zeros(len(edges), bool)
        some[found[:: -(-len(found) // MOST_OF_ONE)]] = True
        return some

    def _paint_uses(self, painter: QPainter, ink: Ink, moment: Moment, item: int) -> None:
        uses = self.uses_of(moment, item)
        if not len(uses):
            return
        kind = self._placed.diagram.kind[uses]
        home = uses[kind == TENSOR][0] if (kind == TENSOR).any() else item
        ends = self._placed.centre[uses[uses != home]]
        begin = np.broadcast_to(self._placed.centre[home], ends.shape)
        pen = ink.hairline("focus", 0.8)
        pen.setDashPattern([4, 4])
        painter.setPen(pen)
        draw_lines(painter, np.column_stack((begin, ends)))

    # -- hits

    def paint_hits(self, painter: QPainter, ink: Ink, moment: Moment, camera: Camera, area: QRectF, item: int) -> None:
        """Paint a ring around each search hit, and around the other uses of an item."""
        chosen = self.hits & moment.items if self.hits is not None else np.zeros(len(moment.items), bool)
        chosen[self.uses_of(moment, self.hovered if self.hovered >= 0 else item)] = True
        world = camera.world_box((area.left(), area.top(), area.right(), area.bottom()), 12)
        corner, size = self._placed.corner, self._placed.diagram.size
        items = np.flatnonzero(chosen & _meets(corner, corner + size, world))
        if not len(items):
            return
        painter.save()
        painter.setTransform(QTransform())
        gap, least = 4.0, SMALLEST_RING
        low = (corner[items] - (camera.left, camera.top)) * camera.scale - gap
        wide = np.maximum(size[items] * camera.scale + 2 * gap, least)
        painter.setBrush(ink.colour("focus", 0.10))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(items) <= MOST_ROUND)
        pen = QPen(ink.colours["focus"], 2.0 if len(items) <= MOST_ROUND else 1.0)
        painter.setPen(pen)
        for (x, y), (width, height) in zip(low.tolist(), wide.tolist(), strict=True):
            box = QRectF(QPointF(x, y), QPointF(x + width, y + height))
            if len(items) <= MOST_ROUND:
                painter.drawRoundedRect(box, 6, 6)
            else:
                painter.drawRect(box)
        painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        painter.restore()


def _meets(low: Floats, high: Floats, world: Box) -> Flags:
    left, top, right, bottom = world
    hit: Flags = (high[:, 0] >= left) & (low[:, 0] <= right) & (high[:, 1] >= top) & (low[:, 1] <= bottom)
    return hit


def _only(moment: Moment, items: Flags, edges: Flags, *, beneath: bool = True) -> Moment:
    """The same moment with only some of its items and edges, with or without the frames `beneath` them."""
    return replace(
        moment,
        frames=moment.frames & beneath,
        items=moment.items & items,
        edges=moment.edges & edges,
        flow=np.where(edges, moment.flow, NO_FLOW).astype(moment.flow.dtype),
        now=moment.now & edges,
        current=tuple(item for item in moment.current if items[item]),
        failed=tuple((item, reason) for item, reason in moment.failed if items[item]),
    )


def _transform(camera: Camera) -> QTransform:
    scale = camera.scale
    return QTransform(scale, 0, 0, scale, -camera.left * scale, -camera.top * scale)


def _fit(rows: Flags, count: int) -> Flags:
    """A mask with this many rows: the drawing may lag behind a growing trace."""
    found = np.zeros(count, bool)
    found[: len(rows)] = rows[:count]
    return found
