"""Paints what the ordinary canvas does not know about a drawing: comments and groups behind the nodes, wires and nodes
that have not run (yet), numbers at ports, pins, and the marks of backward calls. It uses world units and any painter.
Ports (with names up close) and the frames of the selection are painted only on screen, never in an exported picture,
except for open ports that must be connected. `scene` decides when."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPen

from gradviz.document.documents import code_of
from gradviz.document.drawing import Group, Leaf, Node, Number, Operation, Ref
from gradviz.document.leaf_forms import leaf_dtype, leaf_shape
from gradviz.document.literals import literal_text
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.content import GroupContent
from gradviz.ui.canvas.diagram import CONSTANT, LEAF
from gradviz.ui.canvas.edge_painter import FAR, NEAR
from gradviz.ui.canvas.group_painter import paint_group, paint_group_small, triangle
from gradviz.ui.canvas.ink import CENTRE, LEFT, RIGHT, Ink
from gradviz.ui.canvas.moment import Moment
from gradviz.ui.canvas.painter import WHOLE
from gradviz.ui.canvas.pills import paint_grown, paint_mark, paint_reason
from gradviz.ui.drawing.diagram import FOREVER, Sketch
from gradviz.ui.drawing.geometry import (
    CORNER,
    FRAME_TITLE,
    Geometry,
    Hit,
    entry_of,
    path_of,
    ports_of,
    result_curve,
    symbol_of,
)

REASON_WIDTH = 190.0  # of the lines that say why a node raised an error
VEIL = 0.6  # how much old values are dimmed
FAINT = 0.6  # opacity of what has not run
LONGEST_VALUE = 28  # characters of a literal on a card
ELLIPSIS = "…"


class Painting:
    """Paints one drawing; `reasons` says why nodes can't run."""

    def __init__(self, sketch: Sketch, ink: Ink) -> None:
        self.sketch = sketch
        self.geometry = sketch.geometry
        self.drawing = sketch.geometry.drawing
        self.ink = ink
        self._reasons = {node: reason.partition(": ")[2] or reason for node, reason in code_of(self.drawing).left_out}

    # -- behind the nodes

    def paint_behind(self, painter: QPainter, moment: Moment, area: QRectF, scale: float) -> None:
        """Comments, frames of groups, and the wires of what has not run."""
        for comment in self.drawing.comments:
            if self.geometry.boxes[comment.id].intersects(area):
                paint_comment(painter, self.ink, self.geometry.boxes[comment.id], comment.text, scale)
        for group in self.drawing.groups:
            if not group.closed and group.id in self.geometry.boxes:
                paint_frame(painter, self.ink, self.geometry.boxes[group.id], group.title, scale)
        painter.setBrush(QBrush())
        waits = self.ink.pen("edge", max(1.3, 0.8 / scale), alpha=0.75, style=Qt.PenStyle.DashLine)
        passed = self.ink.pen("edge", max(1.3, 0.8 / scale))
        for node, path in self._own_wires(moment):
            if path.controlPointRect().adjusted(-2, -2, 2, 2).intersects(area):
                painter.setPen(passed if self._has_passed(moment, node) else waits)
                painter.drawPath(path)

    def _own_wires(self, moment: Moment) -> Iterator[tuple[int, QPainterPath]]:
        """Wires that are not edges of what ran, with the node that they lead to or into."""
        for (node, port), cubic in self.geometry.cubics.items():
            edge = self.sketch.wires.get((node, port), -1)
            if edge < 0 or not moment.edges[edge]:
                yield node, path_of(cubic)
        for ref in self.geometry.cards:
            hidden = ref.node not in self.geometry.circles or self.geometry.closed_group(ref.node) is not None
            if not hidden and (ref.node in self.sketch.drawn.passed or not self._card_is_seen(moment, ref)):
                yield ref.node, path_of(result_curve(self.geometry, ref))

    def _has_passed(self, moment: Moment, node: int) -> bool:
        """Whether a node returned its first input: it ran, but made nothing."""
        return node in self.sketch.drawn.passed and self._card_is_seen(moment, Ref(node))

    # -- nodes

    def paint_nodes(self, painter: QPainter, moment: Moment, area: QRectF, scale: float) -> None:
        """Nodes that have not run, closed groups, and the decorations of nodes."""
        text = self.ink.theme.scale
        with self.ink.at(scale if scale >= WHOLE * text else text):
            self._paint_nodes(painter, moment, area, scale)

    def _paint_nodes(self, painter: QPainter, moment: Moment, area: QRectF, scale: float) -> None:
        for node in self.drawing.nodes:
            if self.geometry.closed_group(node.id) is None and self._around(node.id).intersects(area):
                self._node(painter, node, moment, scale)
        for group in self.drawing.groups:
            item = self.sketch.groups.get(group.id, -1)
            if group.closed and group.id in self.geometry.boxes and (item < 0 or not moment.items[item]):
                self._closed(painter, group, scale)
        hides = self.geometry.closed_group(self.sketch.drawn.failed)
        if hides is not None and moment.frame.cursor > self._error_step:
            self._failed(painter, self.geometry.boxes[hides.id], scale, is_round=False)
        for index in range(len(self.drawing.calls)):
            self._call(painter, index, scale)

    def paint_veil(self, painter: QPainter, stale: frozenset[int]) -> None:
        """Dim the values of an older drawing."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.ink.colour("canvas", VEIL))
        for ref in self.sketch.cards:
            if ref.node in stale:
                painter.drawRoundedRect(self.geometry.cards[ref].adjusted(-2, -2, 2, 2), ROUNDING, ROUNDING)

    def _around(self, node: int) -> QRectF:
        return self.geometry.boxes[node].adjusted(-60, -30, 30, 40)

    def _node(self, painter: QPainter, node: Node, moment: Moment, scale: float) -> None:
        refs = [Ref(node.id, output) for output in range(self.geometry.outputs(node.id))]
        if isinstance(node, Leaf):
            if not self._card_is_seen(moment, refs[0]):
                self._faint_leaf(painter, node, scale)
        else:
            for ref in refs:
                if not self._card_is_seen(moment, ref):
                    self._faint_result(painter, node, ref, scale)
            item = self.sketch.operations.get(node.id, -1)
            if item < 0 or not moment.items[item]:
                self._own_operation(painter, node, scale, ran=self._has_passed(moment, node.id))
            self._numbers(painter, node, scale)
        if node.id == self.sketch.drawn.failed and moment.frame.cursor > self._error_step:
            circle = self.geometry.circles.get(node.id)
            self._failed(painter, circle or self.geometry.cards[Ref(node.id)], scale, is_round=circle is not None)
        if node.pinned and scale >= FAR:
            self._pin(painter, self.geometry.boxes[node.id].topLeft())

    def _card_is_seen(self, moment: Moment, ref: Ref) -> bool:
        item = self.sketch.cards.get(ref, -1)
        return item >= 0 and bool(moment.items[item])

    def _own_operation(self, painter: QPainter, node: Operation, scale: float, *, ran: bool) -> None:
        """A node that has not run is faint; one that ran and returned its input looks like any that ran."""
        circle, ink = self.geometry.circles[node.id], self.ink
        colour, line = ("text", Qt.PenStyle.SolidLine) if ran else ("muted", Qt.PenStyle.DashLine)
        painter.setPen(ink.pen("operation", max(1.5, 0.8 / scale), alpha=1.0 if ran else FAINT, style=line))
        painter.setBrush(ink.colours["card"] if ran else ink.colour("constant_fill", 0.9))
        painter.drawRoundedRect(circle, sizes.RADIUS, sizes.RADIUS)
        if scale < FAR:
            return
        symbol = symbol_of(node)
        ink.text(painter, sizes.SYMBOL if len(symbol) < 3 else sizes.NAME, colour, circle, symbol, CENTRE)
        if scale >= NEAR:
            below = QRectF(circle.center().x() - 62, circle.bottom() + sizes.LABEL_GAP, 124, sizes.LABEL_HEIGHT)
            ink.text(painter, sizes.SMALL, "muted", below, entry_of(node).name, CENTRE)

    def _faint_card(self, painter: QPainter, card: QRectF, category: int, scale: float) -> None:
        frame, ink = self.ink.frames[category], self.ink
        border = ink.mixed(frame.border, FAINT, on="canvas")
        painter.setPen(QPen(border, max(frame.width * 0.8, 0.8 / scale), Qt.PenStyle.DashLine))
        painter.setBrush(ink.colour("card", 0.75))
        painter.drawRoundedRect(card, ROUNDING, ROUNDING)

    def _brief(self, painter: QPainter, card: QRectF, name: str, scale: float) -> None:
        """Only the name, in a size that can be read from further away."""
        if scale < FAR or not name:
            return
        painter.save()
        painter.translate(card.center())
        size = min(BRIEF * self.ink.theme.scale / scale, card.height() / sizes.HEADER)
        painter.scale(size, size)
        box = QRectF(-card.width() / 2 / size, -sizes.HEADER / 2, card.width() / size, sizes.HEADER)
        self.ink.text(painter, sizes.NAME, "muted", box, name, CENTRE)
        painter.restore()

    def _faint_leaf(self, painter: QPainter, leaf: Leaf, scale: float) -> None:
        card, ink = self.geometry.cards[Ref(leaf.id)], self.ink
        self._faint_card(painter, card, LEAF if leaf.requires_grad else CONSTANT, scale)
        if scale < WHOLE * ink.theme.scale:
            self._brief(painter, card, leaf.name, scale)
            return
        line = QRectF(card.left() + sizes.PAD, card.top(), card.width() - 2 * sizes.PAD, sizes.HEADER)
        meta = sizes.shape_text(leaf_dtype(leaf), leaf_shape(leaf))
        room = line.width() - ink.width(sizes.NAME, leaf.name) - 8
        if room > ink.width(sizes.META, meta):
            ink.text(painter, sizes.META, "muted", line, meta, RIGHT)
        ink.text(painter, sizes.NAME, "muted", line, leaf.name, LEFT)
        row = QRectF(line.left(), line.bottom() + 4, line.width(), sizes.LINE)
        ink.text(painter, sizes.NUMBER if leaf.maker == "tensor" else sizes.CELL, "muted", row, leaf_text(leaf), LEFT)

    def _faint_result(self, painter: QPainter, node: Operation, ref: Ref, scale: float) -> None:
        card, ink = self.geometry.cards[ref], self.ink
        self._faint_card(painter, card, CONSTANT, scale)
        if scale < WHOLE * ink.theme.scale:
            self._brief(painter, card, self.geometry.name(ref), scale)
            return
        inner = card.adjusted(sizes.PAD, 0, -sizes.PAD, 0)
        name = self.geometry.name(ref)
        if name:
            line = QRectF(inner.left(), inner.top(), inner.width(), sizes.HEADER)
            ink.text(painter, sizes.NAME, "muted", line, name, LEFT)
        reason = self._reasons.get(node.id, "")
        if reason and ref.output == 0:
            lines = ink.broken(sizes.SMALL, reason, inner.width())[:3]
            top = card.center().y() - len(lines) * sizes.NOTE / 2 + (6 if name else 0)
            for nth, text in enumerate(lines):
                row = QRectF(inner.left(), top + nth * sizes.NOTE, inner.width(), sizes.NOTE)
                ink.text(painter, sizes.SMALL, "muted", row, text, CENTRE)

    def _numbers(self, painter: QPainter, node: Operation, scale: float) -> None:
        """The plain numbers at its ports, as chips."""
        if scale < NEAR:
            return
        for port, operand in enumerate(node.inputs):
            if isinstance(operand, Number):
                chip, ink = self.geometry.number_box(node.id, port), self.ink
                painter.setPen(ink.pen("constant", 1.2))
                painter.setBrush(ink.colours["constant_fill"])
                painter.drawRoundedRect(chip, 5, 5)
                ink.text(painter, sizes.CELL, "text", chip, number_at(operand), CENTRE)

    def _pin(self, painter: QPainter, corner: QPointF) -> None:
        """A drawing pin at the corner of nodes that automatic layout leaves in place."""
        painter.setPen(self.ink.pen("muted", 1.6))
        head = corner + QPointF(-2, -4)
        painter.drawLine(head, head + QPointF(-6, 9))
        painter.setPen(self.ink.pen("card", 1.0))
        painter.setBrush(self.ink.colours["stale"])
        painter.drawEllipse(head + QPointF(1, -2), 4.6, 4.6)

    @cached_property
    def _error_step(self) -> int:
        errors = self.sketch.diagram.trace.errors
        return int(errors.step[0]) if len(errors) else FOREVER

    @cached_property
    def error(self) -> str:
        """Why the run ended: the best available explanation."""
        from gradviz.trace.words.errors import explain_error

        trace = self.sketch.diagram.trace
        explained, message = explain_error(trace), str(trace.errors.message[0])
        return explained.beside(message) if explained is not None else message

    def _failed(self, painter: QPainter, around: QRectF, scale: float, *, is_round: bool) -> None:
        """The failed node, or the closed group that hides it: a red mark on it, and the reason below."""
        ink = self.ink
        painter.setBrush(QBrush())
        painter.setPen(ink.pen("error", max(3.0, 2.0 / scale)))
        corner = around.height() / 2 + 4 if is_round else ROUNDING + 3
        painter.drawRoundedRect(around.adjusted(-4, -4, 4, 4), corner, corner)
        grown = max(1.0, ink.theme.scale / scale)  # legible at any zoom
        below = QPointF(around.center().x(), around.bottom() + sizes.LABEL_GAP + sizes.LABEL_HEIGHT + 4)
        mark = QPointF(around.right() - 2, around.center().y() + 12)
        paint_grown(painter, mark, grown, partial(paint_mark, painter, ink, QPointF()))
        if scale >= FAR:
            paint_grown(painter, below, grown, partial(paint_reason, painter, ink, QPointF(), self.error, REASON_WIDTH))

    # -- closed groups and calls

    def _closed(self, painter: QPainter, group: Group, scale: float) -> None:
        """A closed group in which nothing has run."""
        box, ink = self.geometry.boxes[group.id], self.ink
        inside = [node for node in group.members if isinstance(self.drawing.by_id.get(node), Operation)]
        content = GroupContent(
            title=group.title, detail="", kind=0, operations=len(inside), ran=0, tracked=0, went=0,
            held="", norm="", now="", bad=False,
        )  # fmt: skip
        if scale >= NEAR:
            paint_group(painter, ink, box, content)
        else:
            paint_group_small(painter, ink, box, content, scale)

    def _call(self, painter: QPainter, index: int, scale: float) -> None:
        mark, ink = self.geometry.call_mark(index), self.ink
        painter.setPen(ink.pen("gradient", max(1.4, 0.8 / scale)))
        painter.setBrush(ink.colours["gradient_fill"])
        painter.drawRoundedRect(mark, mark.height() / 2, mark.height() / 2)
        many, grown = len(self.drawing.calls) > 1, grown_by(ink, scale)
        text = f"{index + 1}. backward()" if many else "backward()"
        room = mark.width() - mark.height() / 2
        if not ink.is_legible(sizes.SMALL, grown * scale) or ink.width(sizes.SMALL, text) * grown > room:
            tip, half = mark.center() - QPointF(7, 0), mark.height() / 2 - 3
            painter.setBrush(ink.colours["gradient"])
            painter.drawPolygon([tip, tip + QPointF(13, -half), tip + QPointF(13, half)])
            return
        painter.save()
        painter.translate(mark.center())
        painter.scale(grown, grown)
        box = QRectF(-mark.width() / 2 / grown, -mark.height() / 2, mark.width() / grown, mark.height())
        ink.text(painter, sizes.SMALL, "gradient", box, text if grown > 1 else f"◀ {text}", CENTRE)
        painter.restore()


def number_at(number: Number) -> str:
    """A number at a port, as in the code."""
    return literal_text(number.value)


def leaf_text(leaf: Leaf) -> str:
    """The content of a leaf in a few characters."""
    text = literal_text(leaf.data)
    if leaf.maker != "tensor":
        text = f"{leaf.maker}{text}" if isinstance(leaf.data, tuple) else f"{leaf.maker}({text})"
        return text if len(text) <= LONGEST_VALUE else f"{leaf.maker}({ELLIPSIS})"
    text = text.replace("(", "[").replace(",)", "]").replace(")", "]")
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}{ELLIPSIS}"


ROUNDING = 6.0
COMMENT_PAD = 10.0
COMMENT_LINE = 17.0
BRIEF = 0.85  # of its own size: text legible from further away
LARGEST = 1.5  # times its own size: as much as there is room for


def grown_by(ink: Ink, scale: float) -> float:
    """How much larger text is written so that it can be read from further away, as far as there is room."""
    return min(max(BRIEF * ink.theme.scale / scale, 1.0), LARGEST)


def paint_comment(painter: QPainter, ink: Ink, box: QRectF, text: str, scale: float) -> None:
    """A comment with as many of its lines as there is room for."""
    painter.setPen(ink.pen("halo", max(1.0, 0.8 / scale), alpha=0.7))
    painter.setBrush(ink.colour("current_line", 0.85))
    painter.drawRoundedRect(box, ROUNDING, ROUNDING)
    if scale < FAR:
        return
    grown = grown_by(ink, scale)
    painter.save()
    painter.translate(box.topLeft())
    painter.scale(grown, grown)
    width = box.width() / grown - 2 * COMMENT_PAD
    lines = [line for part in text.split("\n") for line in ink.broken(sizes.META, part, width)]
    for nth, line in enumerate(lines):
        row = QRectF(COMMENT_PAD, COMMENT_PAD - 2 + nth * COMMENT_LINE, width, COMMENT_LINE)
        cut = row.bottom() + COMMENT_LINE > box.height() / grown - 4 and nth + 1 < len(lines)
        ink.text(painter, sizes.META, "text", row, f"{line} {ELLIPSIS}" if cut else line, LEFT)
        if cut:
            break
    painter.restore()


def paint_frame(painter: QPainter, ink: Ink, box: QRectF, title: str, scale: float) -> None:
    """The frame of an open group with its title."""
    painter.setPen(ink.pen("group", max(1.4, 1.0 / scale), alpha=0.8))
    painter.setBrush(ink.colour("group_fill", 0.35))
    painter.drawRoundedRect(box, 9, 9)
    if scale < FAR:
        return
    grown = grown_by(ink, scale)
    painter.save()
    painter.translate(box.topLeft())
    painter.scale(grown, grown)
    line = QRectF(10 / grown, 0, (box.width() - 20) / grown, FRAME_TITLE / grown)
    triangle(painter, ink, line.left() + 5, line.center().y(), is_open=True)
    ink.text(painter, sizes.NAME, "text", line.adjusted(16, 0, 0, 0), title, LEFT)
    painter.restore()


# -- handles and ports

DOT = 4.2
NAMED = 1.35  # the zoom from which open ports show their names
FEW, NAME_PITCH = 3, 14.0  # names of more ports than this need a larger pitch
GAP = 6.0  # between a thing and its selection frame


def paint_ports(painter: QPainter, ink: Ink, geometry: Geometry, area: QRectF, scale: float, hovered: Hit) -> None:
    """The ports of all nodes in an area; those of the node under the pointer with their names."""
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
    """The ports that must be connected before a node can run: part of every picture, exported ones too."""
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
    """A frame around each selected thing; comments have a corner for resizing."""
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
