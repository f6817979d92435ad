"""The gesture that picks what is in a box: the rubber band, from an empty place."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.document.drawing import Drawing
from gradviz.ui.drawing.gesture import Gesture, Ground, Keys, Press


def things_in(ground: Ground, drawing: Drawing, band: QRectF) -> frozenset[int]:
    """What a box of the world touches; a comment, which may be large and lies behind, must be in it as a whole."""
    closed = {member for group in drawing.groups if group.closed for member in group.members}
    found = {
        node.id for node in drawing.nodes if node.id not in closed and band.intersects(ground.geometry.box(node.id))
    }
    found |= {group.id for group in drawing.groups if group.closed and band.intersects(ground.geometry.box(group.id))}
    found |= {one.id for one in drawing.comments if band.contains(ground.geometry.box(one.id))}
    return frozenset(found)


class Rubber(Gesture):
    """A band from where the mouse was pressed to the pointer."""

    def __init__(self, ground: Ground, press: Press) -> None:
        super().__init__(ground, press)
        self._before = ground.picked
        self._from = ground.world(press.at)  # a place of the world: one may look elsewhere meanwhile
        self.at = press.at

    def move(self, at: QPointF, keys: Keys) -> None:
        self.at = at
        band = QRectF(self._from, self.ground.world(at)).normalized()
        inside = things_in(self.ground, self.ground.drawing, band)
        self.ground.store.pick(self._before | inside if self.press.adds else inside)

    def finish(self, at: QPointF, keys: Keys) -> None:
        self.move(at, keys)

    def cancel(self) -> None:
        self.ground.store.pick(self._before)

    def paint(self, painter: QPainter) -> None:
        theme = self.ground.layer.theme
        fill = QColor(theme.focus)
        fill.setAlpha(28)
        painter.setPen(QPen(QColor(theme.focus), 1.2, Qt.PenStyle.DashLine))
        painter.setBrush(fill)
        painter.drawRect(QRectF(self.ground.pixel(self._from), self.at).normalized())
