"""Paints one tensor: header, value, gradient row, Σ badge; and the tags that stand for tensors drawn elsewhere. World
units, any painter, so that the screen, PNG, SVG and PDF show the same. What is written comes from `content`."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPen

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.array_painter import paint_grid, paint_map
from gradviz.ui.canvas.content import Badge, ReferenceContent, TensorContent, ValueContent
from gradviz.ui.canvas.diagram import CONSTANT, LEAF
from gradviz.ui.canvas.ink import LEFT, RIGHT, Ink

CORNER = 6.0


def paint_card(painter: QPainter, ink: Ink, card: QRectF, content: TensorContent) -> None:
    """The card with its badge under it."""
    frame = ink.frames[content.category]
    outline = QPainterPath()
    outline.addRoundedRect(card, CORNER, CORNER)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.fillPath(outline, ink.colours["card"])
    painter.save()
    painter.setClipRect(QRectF(card.left(), card.top(), card.width(), sizes.HEADER), Qt.ClipOperation.IntersectClip)
    painter.fillPath(outline, frame.header)
    painter.restore()
    style = Qt.PenStyle.DashLine if content.category == CONSTANT else Qt.PenStyle.SolidLine
    painter.setPen(QPen(frame.border, frame.width, style))
    painter.setBrush(QBrush())
    painter.drawPath(outline)
    _header(painter, ink, card, content)
    shape_height = _value(painter, ink, _below(card, sizes.HEADER + 4), content.value, "text")
    _gradient(painter, ink, _below(card, sizes.HEADER + 8 + shape_height), content)
    if content.badge is not None:
        _badge(painter, ink, card, content.badge)


def _below(card: QRectF, top: float) -> QRectF:
    return QRectF(card.left() + sizes.PAD, card.top() + top, card.width() - 2 * sizes.PAD, card.height() - top)


def _header(painter: QPainter, ink: Ink, card: QRectF, content: TensorContent) -> None:
    line = QRectF(card.left() + sizes.PAD, card.top(), card.width() - 2 * sizes.PAD, sizes.HEADER)
    meta = f"v{content.version} · {content.meta}" if content.version else content.meta
    needed = ink.width(sizes.META, meta)
    room = line.width() - ink.width(sizes.NAME, content.name) - 8
    if room < needed and content.version:
        meta = content.meta
        needed = ink.width(sizes.META, meta)
    if room < needed:
        room = min(needed, line.width() * 0.45)
    ink.text(painter, sizes.META, "muted", QRectF(line.right() - room, line.top(), room, line.height()), meta, RIGHT)
    left = QRectF(line.left(), line.top(), line.width() - min(room, needed) - 8, line.height())
    ink.text(painter, sizes.NAME, "text", left, content.name, LEFT)


def _value(painter: QPainter, ink: Ink, area: QRectF, value: ValueContent, colour: str) -> float:
    """A value at the top of an area; returns its height."""
    if value.kind == "grid":
        return paint_grid(painter, ink, area, value, colour)
    if value.kind == "map":
        return paint_map(painter, ink, area, value, colour)
    _number(painter, ink, QRectF(area.left(), area.top(), area.width(), sizes.LINE), value, colour, LEFT)
    return sizes.LINE


def _gradient(painter: QPainter, ink: Ink, area: QRectF, content: TensorContent) -> None:
    if not content.label:
        note = QRectF(area.left(), area.top() - 3, area.width(), sizes.NOTE)
        ink.text(painter, sizes.SMALL, "muted", note, content.note, LEFT)
        return
    painter.setPen(ink.pen("panel_border", 1.0))
    painter.drawLine(QPointF(area.left(), area.top() - 2), QPointF(area.right(), area.top() - 2))
    grad = content.grad
    number = grad is None or grad.kind == "number"
    height = sizes.LINE if number else 18.0
    shift = sizes.NOTE / 2 - 1 if number and not content.note and content.category == LEAF else 0.0
    line = QRectF(area.left(), area.top() + shift, area.width(), height)
    ink.text(painter, sizes.META, "muted", line, content.label, LEFT)
    if grad is not None and number:
        room = line.width() - ink.width(sizes.META, content.label) - 6
        _number(painter, ink, QRectF(line.right() - room, line.top(), room, line.height()), grad, "gradient", RIGHT)
        note = QRectF(area.left(), line.bottom() - 4, area.width(), sizes.NOTE)
        ink.text(painter, sizes.SMALL, "muted", note, content.note, LEFT)
        return
    room = area.width() - ink.width(sizes.META, content.label) - 10
    ink.text(painter, sizes.SMALL, "muted", QRectF(line.right() - room, line.top(), room, height), content.note, RIGHT)
    if grad is not None:
        _value(painter, ink, QRectF(area.left(), line.bottom(), area.width(), area.height()), grad, "gradient")


def _number(
    painter: QPainter, ink: Ink, room: QRectF, value: ValueContent, colour: str, align: Qt.AlignmentFlag
) -> None:
    """A number in large figures, in small ones, or shortened, whichever is the first to fit. Gradients are bold."""
    if value.text == "None":
        ink.text(painter, sizes.META, "muted", room, value.text, align)
        return
    large = sizes.GRAD if colour == "gradient" else sizes.NUMBER
    ways = ((large, value.text), (sizes.CELL, value.text), (sizes.CELL, value.summary[0]))
    role, text = next((way for way in ways if ink.width(*way) <= room.width()), ways[-1])
    ink.text(painter, role, colour, room, text, align)


def _badge(painter: QPainter, ink: Ink, card: QRectF, badge: Badge) -> None:
    pill = QRectF(card.left(), card.bottom() + sizes.BADGE_GAP, card.width(), sizes.BADGE_HEIGHT)
    painter.setPen(ink.pen("gradient", 1.2))
    painter.setBrush(ink.colours["gradient_fill"])
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    inner = pill.adjusted(10, 0, -10, 0)
    for text, count in badge.ways:
        room = inner.width() - ink.width(sizes.SMALL, count) - 8
        if ink.width(sizes.CELL, text) <= room:
            break
    ink.text(painter, sizes.CELL, "gradient", QRectF(inner.left(), inner.top(), room, inner.height()), text, LEFT)
    ink.text(painter, sizes.SMALL, "gradient", inner, count, RIGHT)


def paint_reference(painter: QPainter, ink: Ink, box: QRectF, content: ReferenceContent) -> None:
    """The tag of a tensor that is drawn elsewhere: its name between an arrow and the frame's colour."""
    frame = ink.frames[content.category]
    painter.setPen(QPen(frame.border, frame.width))
    painter.setBrush(frame.header)
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    ink.text(painter, sizes.META, "muted", box.adjusted(8, 0, 0, 0), "↗", LEFT)
    ink.text(painter, sizes.NAME, "text", box.adjusted(21, 0, -8, 0), content.name, LEFT)
