"""Marks over the items of a canvas that differ from what corresponds to them in another run: a ring, and a badge that
says how. What differs is found by `gradviz.session.comparison.compare`; this only paints, as an overlay of
`surface`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.session.comparison.compare import ALONE, Marks
from gradviz.ui import look
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.diagram import OPERATION, REFERENCE, TENSOR
from gradviz.ui.canvas.measure import operation_text
from gradviz.ui.canvas.sizes import RADIUS, Ruler, symbol_width
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene

GAP = 4.0  # pixels between an item and its ring
BADGE = 15.0
SMALLEST = 9.0  # pixels of an item that has a badge
MOST = 600  # items with a badge; of more, only rings are painted
DIFFERS, ONLY_HERE = "Δ", "+"


@cache
def _ruler() -> Ruler:
    return Ruler()


class DifferenceMarks:
    """The marks of one canvas; call it to paint."""

    def __init__(self, marks: Marks, theme: Theme) -> None:
        self._marks = marks
        self._theme = theme

    def flags(self, scene: Scene) -> NDArray[np.uint8]:
        """In what each item differs: a number made of the flags of `compare`."""
        diagram = scene.placed.diagram
        found = np.zeros(len(diagram), np.uint8)
        cards = np.flatnonzero((diagram.kind == TENSOR) | (diagram.kind == REFERENCE))
        found[cards] = self._marks.tensors[diagram.index[cards]]
        nodes = np.flatnonzero(self._marks.nodes)
        items = diagram.item_of_node[nodes]
        here = items >= 0
        np.bitwise_or.at(found, items[here], self._marks.nodes[nodes[here]])  # of a closed group: all that is in it
        groups = (diagram.kind != TENSOR) & (diagram.kind != REFERENCE) & (diagram.kind != OPERATION)
        found[groups & (found > 0)] &= ~np.uint8(ALONE)
        return found

    def __call__(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint what is in view."""
        if len(self._marks.tensors) != len(scene.trace.tensors):
            return  # a drawing of another trace is still on the screen
        flags = self.flags(scene)
        items = np.flatnonzero((flags > 0) & scene.moment.items)
        area = painter.clipBoundingRect()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        few = len(items) <= MOST
        for item in items.tolist():
            box = QRectF(scene.screen_box(item, camera, 0))
            if box.adjusted(-BADGE, -BADGE, BADGE, BADGE).intersects(area):
                is_round = bool(scene.placed.diagram.kind[item] == OPERATION)
                if is_round:
                    box = self._circle(scene, item, box, camera.scale)
                self._paint(painter, box, bool(flags[item] & ALONE), badge=few, is_round=is_round)
        painter.restore()

    @staticmethod
    def _circle(scene: Scene, item: int, box: QRectF, scale: float) -> QRectF:
        """The circle of an operation, or its rounded box, without its name and its tabs."""
        symbol = operation_text(scene.trace, int(scene.placed.diagram.index[item]))[0]
        width, height = symbol_width(_ruler(), symbol) * scale, 2 * RADIUS * scale
        return QRectF(box.center().x() - width / 2, box.center().y() - height / 2, width, height)

    def _paint(self, painter: QPainter, box: QRectF, alone: bool, *, badge: bool, is_round: bool) -> None:
        theme = self._theme
        colour = QColor(theme.inplace)
        style = Qt.PenStyle.DashLine if alone else Qt.PenStyle.SolidLine
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2.0, style))
        ring = box.adjusted(-GAP, -GAP, GAP, GAP)
        corner = ring.height() / 2 if is_round else 7.0
        painter.drawRoundedRect(ring, corner, corner)
        if not badge or min(box.width(), box.height()) < SMALLEST:
            return
        size = BADGE * theme.scale
        spot = QRectF(ring.right() - size * 0.7, ring.top() - size * 0.45, size, size)
        painter.setPen(QPen(QColor(theme.canvas), 1.5))
        painter.setBrush(colour)
        painter.drawEllipse(spot)
        painter.setPen(QColor(theme.panel))
        painter.setFont(look.sans(theme, 10.5, bold=True))
        painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, ONLY_HERE if alone else DIFFERS)
