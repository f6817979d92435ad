"""Paints what of a drawing is there to be taken hold of: ports, with their names where one looks closer, and the frames
around what is picked. Only on the screen, never in an exported picture, but for open ports that must be connected."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter

from gradviz.document.drawing import Operation, Ref
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.edge_painter import NEAR
from gradviz.ui.canvas.ink import LEFT, RIGHT, Ink
from gradviz.ui.drawing.geometry import Geometry
from gradviz.ui.drawing.hit_testing import CORNER, Hit
from gradviz.ui.drawing.initial_sizes import entry_of, ports_of

DOT = 4.2
NAMED = 1.35  # the zoom from which open ports have their names
FEW, NAME_PITCH = 3, 14.0  # names of more ports are further apart than these
GAP = 6.0  # between a thing and the frame that says that it is picked


def paint_ports(painter: QPainter, ink: Ink, geometry: Geometry, area: QRectF, scale: float, hovered: Hit) -> None:
    """The ports of all nodes that are in an area; those of the one under the pointer with their names."""
    if scale < NEAR:
        return
    for node in geometry.drawing.nodes:
        if geometry.closed_group(node.id) is not None:
            continue
        if not geometry.boxes[node.id].adjusted(-90, -20, 90, 20).intersects(area):
            continue
        near = hovered.id == node.id and hovered.kind in ("node", "in", "out")
        if isinstance(node, Operation):
            _inputs(painter, ink, geometry, node, scale, hovered if near else None)
        for output in range(geometry.outputs(node.id)):
            place = geometry.port_out(Ref(node.id, output))
            lit = near and hovered.kind == "out" and hovered.index == output
            _dot(painter, ink, place, is_open=True, lit=lit, strong=near)
            outputs = entry_of(node).outputs if isinstance(node, Operation) else ()
            if near and geometry.outputs(node.id) > 1 and output < len(outputs):
                _name(painter, ink, place + QPointF(DOT + 4, 0), outputs[output], left=False)


def paint_open_ports(painter: QPainter, ink: Ink, geometry: Geometry) -> None:
    """The ports without which a node can't run: part of the picture wherever it goes."""
    for node in geometry.drawing.nodes:
        if isinstance(node, Operation) and geometry.closed_group(node.id) is None:
            for port, known in enumerate(ports_of(node)):
                if _is_open(node, port) and not known.optional:
                    _dot(painter, ink, geometry.port_in(node.id, port), is_open=True, lit=False, strong=True)


def _inputs(
    painter: QPainter, ink: Ink, geometry: Geometry, node: Operation, scale: float, hovered: Hit | None
) -> None:
    count, middle = geometry.port_counts[node.id], geometry.circles[node.id].center()
    for port, known in enumerate(ports_of(node)):
        is_open = _is_open(node, port)
        wanted = is_open and not known.optional
        if not (wanted or hovered is not None):
            continue
        place = geometry.port_in(node.id, port)
        lit = hovered is not None and hovered.kind == "in" and hovered.index == port
        _dot(painter, ink, place, is_open=is_open, lit=lit, strong=wanted or lit)
        if (is_open and scale >= NAMED * ink.theme.scale) or (hovered is not None and (is_open or lit)):
            down = (port - (count - 1) / 2) * NAME_PITCH if count > FEW else place.y() - middle.y()
            _name(painter, ink, QPointF(place.x() - DOT - 4, middle.y() + down), known.name, left=True)


def _is_open(node: Operation, port: int) -> bool:
    return port >= len(node.inputs) or node.inputs[port] is None


def _dot(painter: QPainter, ink: Ink, place: QPointF, *, is_open: bool, lit: bool, strong: bool) -> None:
    colour = "focus" if lit or strong else "edge"
    painter.setPen(ink.pen(colour, 1.7 if strong or lit else 1.2))
    painter.setBrush(ink.colours["focus"] if lit else ink.colours["card"] if is_open else ink.colours["edge"])
    radius = DOT + 2 if lit else DOT if strong else DOT - 1
    painter.drawEllipse(place, radius, radius)


def _name(painter: QPainter, ink: Ink, at: QPointF, text: str, *, left: bool) -> None:
    width = ink.width(sizes.SMALL, text) + 4
    box = QRectF(at.x() - width if left else at.x(), at.y() - 7, width, 14)
    painter.fillRect(box, ink.colour("canvas", 0.85))
    ink.text(painter, sizes.SMALL, "link", box, text, RIGHT if left else LEFT)


def paint_picked(
    painter: QPainter, ink: Ink, geometry: Geometry, picked: frozenset[int], scale: float, *, focused: bool
) -> None:
    """A frame around each thing that is picked; comments have a corner to take hold of."""
    pen = ink.pen("focus", max(1.8, 1.6 / scale), style=Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine)
    comments = {comment.id for comment in geometry.drawing.comments}
    for thing in picked:
        box = geometry.box(thing)
        if box.isNull():
            continue
        gap = max(GAP, 3.0 / scale)
        painter.setPen(pen)
        painter.setBrush(QBrush())
        painter.drawRoundedRect(box.adjusted(-gap, -gap, gap, gap), 9, 9)
        if thing in comments:
            painter.setPen(ink.pen("muted", 1.4))
            for reach in (CORNER - 4, CORNER - 8):
                end = box.bottomRight() - QPointF(3, 3)
                painter.drawLine(end - QPointF(reach, 0), end - QPointF(0, reach))
