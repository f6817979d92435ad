"""Paints one operation: the circle with its symbol, the grad_fn's name under it, a tab per saved buffer above it; where
edges come from above, the name is at its right and the tabs are at its left."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.content import OperationContent, Tab
from gradviz.ui.canvas.diagram import OP, PLAIN_OP
from gradviz.ui.canvas.ink import CENTRE, Ink


def paint_operation(
    painter: QPainter, ink: Ink, box: QRectF, content: OperationContent, *, vertical: bool = False
) -> None:
    """The operation in the middle of its box."""
    frame = ink.frames[OP if content.tracked else PLAIN_OP]
    width = sizes.symbol_width(ink, content.symbol)
    circle = QRectF(0, 0, width, 2 * sizes.RADIUS)
    circle.moveCenter(box.center())
    style = Qt.PenStyle.SolidLine if content.tracked else Qt.PenStyle.DashLine
    border = ink.colours["gradient"] if content.ran else frame.border
    painter.setPen(QPen(border, 2.2 if content.ran else frame.width, style))
    painter.setBrush(ink.colours["gradient_fill"] if content.ran else frame.header)
    painter.drawRoundedRect(circle, sizes.RADIUS, sizes.RADIUS)
    role = sizes.SYMBOL if len(content.symbol) < 3 else sizes.NAME
    ink.text(painter, role, "text", circle, content.symbol, CENTRE)
    if vertical:
        _labels_beside(painter, ink, circle, content)
    else:
        _labels(painter, ink, box, circle.bottom() + sizes.LABEL_GAP, content)
    _tabs(painter, ink, circle, content.tabs, vertical)


def _labels(painter: QPainter, ink: Ink, box: QRectF, top: float, content: OperationContent) -> None:
    line = QRectF(box.center().x() - sizes.LABEL_MAX / 2, top, sizes.LABEL_MAX, sizes.LABEL_HEIGHT)
    _label(painter, ink, line, "muted", content.label)
    if content.scope:
        _label(painter, ink, line.translated(0, sizes.LABEL_HEIGHT - 1), "link", content.scope)


def _labels_beside(painter: QPainter, ink: Ink, circle: QRectF, content: OperationContent) -> None:
    height = sizes.LABEL_HEIGHT * (2 if content.scope else 1)
    left, top = circle.right() + sizes.LABEL_GAP - 2, circle.center().y() - height / 2
    for text, colour in ((content.label, "muted"), (content.scope, "link")):
        if text:
            line = QRectF(left, top, min(ink.width(sizes.SMALL, text) + 1, sizes.LABEL_MAX), sizes.LABEL_HEIGHT)
            _label(painter, ink, line, colour, text)
            top += sizes.LABEL_HEIGHT


def _label(painter: QPainter, ink: Ink, line: QRectF, colour: str, text: str) -> None:
    """A label on a ground of its own, so that an edge that passes behind it does not strike it through."""
    width = min(ink.width(sizes.SMALL, text), line.width()) + 4
    ground = QRectF(line.center().x() - width / 2, line.top() + 1, width, line.height() - 2)
    painter.fillRect(ground, ink.colour("canvas", 0.7))
    ink.text(painter, sizes.SMALL, colour, line, text, CENTRE)


def _tabs(painter: QPainter, ink: Ink, circle: QRectF, tabs: tuple[Tab, ...], vertical: bool) -> None:
    by_name = iter(tabs)
    rows = sizes.tab_rows(tuple(tab.name for tab in tabs), vertical=vertical)
    height = sizes.TAB_HEIGHT + 3.0
    top = circle.center().y() - (len(rows) * height - 3.0) / 2
    for names in rows:
        whole = sizes.tabs_width(ink, names)
        left = circle.center().x() - whole / 2
        if vertical:
            left = circle.left() - sizes.TAB_GAP - whole
        else:
            top = circle.top() - sizes.TAB_GAP - sizes.TAB_HEIGHT
        for name in names:
            width = ink.width(sizes.TAB, name) + 2 * sizes.TAB_PAD
            _tab(painter, ink, QRectF(left, top, width, sizes.TAB_HEIGHT), next(by_name))
            left += width + 4.0
        top += height


def _tab(painter: QPainter, ink: Ink, place: QRectF, tab: Tab) -> None:
    """Held: filled. Freed: dashed and struck through. Stale, its version no longer matches: red, with a mark."""
    freed, stale = tab.state == "freed", tab.state == "stale"
    name = "freed" if freed else "stale" if stale else "saved"
    painter.setPen(ink.pen(name, 1.2, style=Qt.PenStyle.DashLine if freed else Qt.PenStyle.SolidLine))
    painter.setBrush(QBrush() if freed else ink.colours["error_fill"] if stale else ink.colours["saved"])
    painter.drawRoundedRect(place, 3.5, 3.5)
    ink.text(painter, sizes.TAB, "freed" if freed else "stale" if stale else "saved_text", place, tab.name, CENTRE)
    middle = place.center().y() + 0.5
    if freed:
        painter.setPen(ink.pen("muted", 1.1))
        painter.drawLine(QPointF(place.left() + 3, middle), QPointF(place.right() - 3, middle))
    if stale:
        mark = QRectF(place.right() - 6, place.top() - 6, 12, 12)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink.colours["stale"])
        painter.drawEllipse(mark)
        ink.text(painter, sizes.TAB, "card", mark, "!", CENTRE)
