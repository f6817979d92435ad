"""What is dragged from the palette: it is placed where it is let go, and on a wire it goes into the wire. The payload
is the key of an operation, or "leaf:" and the kind of a leaf."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QPainter, QPen

from gradviz.document import shaping
from gradviz.document.arranging import made_room
from gradviz.document.catalogue import catalogue
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import leaf_kind
from gradviz.document.reach import InPort
from gradviz.ui.drawing.gesture import Ground

MIME = "application/x-gradviz-operation"
LEAF = "leaf:"


def place(drawing: Drawing, payload: str, x: float, y: float) -> tuple[str, Drawing, int]:
    """A new node of what the palette gave: what the edit is called, the drawing, the node."""
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
    """A drag over the canvas."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._wire: InPort | None = None  # it would go into this one
        self._at = QPointF()

    def handle(self, event: QEvent) -> bool:
        """Act on a drag of something from the palette."""
        if isinstance(event, QDropEvent) and not event.mimeData().hasFormat(MIME):
            return False
        if isinstance(event, QDragEnterEvent | QDragMoveEvent):
            self._over(event.position(), _payload(event))
            event.acceptProposedAction()
        elif isinstance(event, QDragLeaveEvent):
            self._ground.layer.show_these()
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
        self._ground.layer.show_these(self.paint)

    def _drop(self, at: QPointF, payload: str) -> None:
        self._over(at, payload)
        wire, self._wire = self._wire, None
        ground = self._ground
        ground.layer.show_these()
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
        """The wire that it would go into lights up; elsewhere a circle shows where it would be."""
        ground, theme = self._ground, self._ground.layer.theme
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
