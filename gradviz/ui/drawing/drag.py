"""The gestures that drag: they move what is picked, resize a comment, or pick what is in a rubber band that begins at
an empty place. While nodes move the canvas shows what would be; the drawing itself changes once, at the end."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.document import shaping
from gradviz.document.drawing import Drawing
from gradviz.ui.drawing.gesture import Gesture, Ground, Keys, Press
from gradviz.ui.drawing.snapping import Guide, Snapped, snap

OVERHANG = 24.0  # pixels that a guide goes beyond the middles that it joins


def move_label(drawing: Drawing, ids: frozenset[int]) -> str:
    """What the edit is called."""
    if len(ids) > 1:
        return f"Move {len(ids)} Nodes"
    one = next(iter(ids), 0)
    if one in drawing.by_id:
        return f"Move {shaping.label(drawing, one)}"
    return "Move Group" if any(group.id == one for group in drawing.groups) else "Move Comment"


class Moving(Gesture):
    """Nodes, comments and groups follow the pointer."""

    cursor = Qt.CursorShape.SizeAllCursor

    def __init__(self, ground: Ground, press: Press) -> None:
        super().__init__(ground, press)
        self.ids: frozenset[int] = frozenset()
        self.way = Snapped(0.0, 0.0)
        self._before = ground.drawing
        self._from = ground.world(press.at)  # a place of the world: one may look elsewhere meanwhile

    def begin(self) -> None:
        ground, here = self.ground, self.press.hit.id
        self._before = ground.drawing
        if here not in ground.picked:
            ground.store.pick(ground.picked | {here} if self.press.adds else frozenset({here}))
        self.ids = ground.picked

    def move(self, at: QPointF, keys: Keys) -> None:
        way = self.ground.world(at) - self._from
        if keys & Keys.AltModifier:
            self.way = Snapped(round(way.x(), 1), round(way.y(), 1))
        else:
            scale = self.ground.view.camera.scale
            self.way = snap(self._before, self.ids, self._held(), way.x(), way.y(), scale)
        self.ground.preview(self._moved())

    def _held(self) -> tuple[float, float]:
        """The place of what is under the pointer."""
        here = self.press.hit.id
        for thing in (*self._before.nodes, *self._before.comments):
            if thing.id == here:
                return thing.x, thing.y
        box = self.ground.geometry.box(here)
        return box.left(), box.top()

    def _moved(self) -> Drawing:
        return shaping.move(self._before, self.ids, self.way.dx, self.way.dy)

    def finish(self, at: QPointF, keys: Keys) -> None:
        self.move(at, keys)
        moved = self._moved()
        if moved == self._before:
            self.ground.preview(None)
        self.ground.edit(move_label(self._before, self.ids), moved)

    def cancel(self) -> None:
        self.ground.preview(None)

    def paint(self, painter: QPainter) -> None:
        painter.setPen(QPen(QColor(self.ground.layer.theme.halo), 1.4, Qt.PenStyle.DashLine))
        for guide in self.way.guides:
            begin, end = self._ends(guide)
            painter.drawLine(begin, end)

    def _ends(self, guide: Guide) -> tuple[QPointF, QPointF]:
        over = OVERHANG / self.ground.view.camera.scale
        low, high = guide.begin - over, guide.end + over
        if guide.upright:
            return self.ground.pixel(QPointF(guide.at, low)), self.ground.pixel(QPointF(guide.at, high))
        return self.ground.pixel(QPointF(low, guide.at)), self.ground.pixel(QPointF(high, guide.at))


class Resizing(Gesture):
    """The corner of a comment follows the pointer."""

    cursor = Qt.CursorShape.SizeFDiagCursor

    def __init__(self, ground: Ground, press: Press) -> None:
        super().__init__(ground, press)
        self._before = ground.drawing
        self._from = ground.world(press.at)

    def move(self, at: QPointF, keys: Keys) -> None:
        self.ground.preview(self._resized(at))

    def _resized(self, at: QPointF) -> Drawing:
        here = self.press.hit.id
        comment = next(one for one in self._before.comments if one.id == here)
        way = self.ground.world(at) - self._from
        width, height = comment.width + round(way.x()), comment.height + round(way.y())
        return shaping.change_comment(self._before, here, width=width, height=height)

    def finish(self, at: QPointF, keys: Keys) -> None:
        resized = self._resized(at)
        if resized == self._before:
            self.ground.preview(None)
        self.ground.edit("Resize Comment", resized)

    def cancel(self) -> None:
        self.ground.preview(None)


def things_in(ground: Ground, drawing: Drawing, band: QRectF) -> frozenset[int]:
    """What a box of the world touches; a comment, which may be large and lies behind, must be in it as a whole."""
    closed = {member for group in drawing.groups if group.closed for member in group.members}
    found = {
        node.id for node in drawing.nodes if node.id not in closed and band.intersects(ground.geometry.box(node.id))
    }
    found |= {group.id for group in drawing.groups if group.closed and band.intersects(ground.geometry.box(group.id))}
    found |= {one.id for one in drawing.comments if band.contains(ground.geometry.box(one.id))}
    return frozenset(found)


class RubberBand(Gesture):
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
