"""Drag gestures: moving the selection, resizing a comment, or selecting with a rubber band that starts on empty space.
While nodes move, the canvas shows the result; the drawing itself changes once, at the end. Whatever is dragged from the
palette is placed where it is dropped, and if that is on a wire it is inserted there. The payload is the key of an
operation, or "leaf:" and the kind of a leaf."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QPainter, QPen

from gradviz.document import shaping
from gradviz.document.arranging import made_room
from gradviz.document.catalogue import catalogue
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import leaf_kind
from gradviz.document.shaping.nodes import InPort
from gradviz.ui.drawing.gesture import Gesture, Ground, Guide, Keys, Press, Snapped, snap

OVERHANG = 24.0  # pixels that a guide extends beyond the centres that it connects


def move_label(drawing: Drawing, ids: frozenset[int]) -> str:
    """The name of the edit."""
    if len(ids) > 1:
        return f"Move {len(ids)} Nodes"
    one = next(iter(ids), 0)
    if one in drawing.by_id:
        return f"Move {shaping.label(drawing, one)}"
    return "Move Group" if any(group.id == one for group in drawing.groups) else "Move Comment"


class MoveGesture(Gesture):
    """Nodes, comments and groups follow the pointer."""

    cursor = Qt.CursorShape.SizeAllCursor

    def __init__(self, ground: Ground, press: Press) -> None:
        super().__init__(ground, press)
        self.ids: frozenset[int] = frozenset()
        self.way = Snapped(0.0, 0.0)
        self._before = ground.drawing
        self._from = ground.world(press.at)  # in world coordinates, because the user may pan meanwhile

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
        """The position of what is under the pointer."""
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
        painter.setPen(QPen(QColor(self.ground.overlay.theme.halo), 1.4, Qt.PenStyle.DashLine))
        for guide in self.way.guides:
            begin, end = self._ends(guide)
            painter.drawLine(begin, end)

    def _ends(self, guide: Guide) -> tuple[QPointF, QPointF]:
        over = OVERHANG / self.ground.view.camera.scale
        low, high = guide.begin - over, guide.end + over
        if guide.upright:
            return self.ground.pixel(QPointF(guide.at, low)), self.ground.pixel(QPointF(guide.at, high))
        return self.ground.pixel(QPointF(low, guide.at)), self.ground.pixel(QPointF(high, guide.at))


class ResizeGesture(Gesture):
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
    """What a box in world coordinates touches; a comment, which may be large and lies behind, must be completely
    inside."""
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
        self._from = ground.world(press.at)  # in world coordinates, because the user may pan meanwhile
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
        theme = self.ground.overlay.theme
        fill = QColor(theme.focus)
        fill.setAlpha(28)
        painter.setPen(QPen(QColor(theme.focus), 1.2, Qt.PenStyle.DashLine))
        painter.setBrush(fill)
        painter.drawRect(QRectF(self.ground.pixel(self._from), self.at).normalized())


# -- from the palette

MIME = "application/x-gradviz-operation"
LEAF = "leaf:"


def place(drawing: Drawing, payload: str, x: float, y: float) -> tuple[str, Drawing, int]:
    """A new node for a payload of the palette: the name of the edit, the drawing, and the node."""
    if payload.startswith(LEAF):
        kind = leaf_kind(payload.removeprefix(LEAF))
        if kind is None:
            raise UserError(f"There is no leaf of the kind {payload.removeprefix(LEAF)}.")
        changed, node = shaping.new_leaf(
            drawing, x, y, data=kind.data, maker=kind.maker, seed=kind.seed, requires_grad=kind.requires_grad
        )
        return f"Add {shaping.label(changed, node)}", changed, node
    changed, node = shaping.new_operation(drawing, payload, x, y)
    return f"Add {catalogue()[payload].name}", changed, node


class PaletteDrop:
    """A drag from the palette over the canvas."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._wire: InPort | None = None  # the wire that it would be inserted into
        self._at = QPointF()

    def handle(self, event: QEvent) -> bool:
        """Handle a drag event from the palette."""
        if isinstance(event, QDropEvent) and not event.mimeData().hasFormat(MIME):
            return False
        if isinstance(event, QDragEnterEvent | QDragMoveEvent):
            self._over(event.position(), _payload(event))
            event.acceptProposedAction()
        elif isinstance(event, QDragLeaveEvent):
            self._ground.overlay.show_these()
            self._wire = None
        elif isinstance(event, QDropEvent):
            self._drop(event.position(), _payload(event))
            event.acceptProposedAction()
        else:
            return False
        return True

    def _over(self, at: QPointF, payload: str) -> None:
        hit = self._ground.hit(at)
        entry = catalogue().get(payload)
        goes_in = hit.kind == "wire" and entry is not None and bool(entry.ports)
        self._wire = (hit.id, hit.index) if goes_in else None
        self._at = at
        self._ground.overlay.show_these(self.paint)

    def _drop(self, at: QPointF, payload: str) -> None:
        self._over(at, payload)
        wire, self._wire = self._wire, None
        ground = self._ground
        ground.overlay.show_these()
        there = ground.rest(at)
        try:
            if wire is None:
                label, drawing, node = place(ground.drawing, payload, there.x(), there.y())
                self._make(label, drawing, node, "")
                return
            drawing, node = shaping.insert_on_wire(ground.drawing, payload, *wire)
            drawing = made_room(shaping.move_to(drawing, {node: (there.x(), there.y())}), node)
        except UserError as error:
            ground.refuse(str(error), at)
            return
        label, base = f"Insert {catalogue()[payload].name}", ground.drawing
        ground.checks.ask(
            drawing,
            lambda reason: self._make(label, drawing, node, reason) if ground.drawing is base else None,
            keep=True,
        )

    def _make(self, label: str, drawing: Drawing, node: int, reason: str) -> None:
        if reason:
            self._ground.refuse(reason, self._at)
            return
        whole = self._ground.view.viewport.shows_everything
        self._ground.edit(label, drawing, frozenset({node}))
        self._ground.reveal(frozenset(drawing.by_id) if whole else frozenset({node}))
        self._ground.view.setFocus()

    def paint(self, painter: QPainter) -> None:
        """Highlight the wire that it would be inserted into; elsewhere show a circle where it would go."""
        ground, theme = self._ground, self._ground.overlay.theme
        if self._wire is not None:
            painter.save()
            ground.in_world(painter)
            painter.setPen(QPen(QColor(theme.focus), 4.5 / ground.view.camera.scale))
            painter.drawPath(ground.geometry.wire(*self._wire))
            painter.restore()
        painter.setPen(QPen(QColor(theme.focus), 1.6))
        radius = 20 * ground.view.camera.scale
        painter.drawEllipse(self._at, radius, radius)


def _payload(event: QDropEvent) -> str:
    return bytes(event.mimeData().data(MIME).data()).decode("utf-8", "replace")
