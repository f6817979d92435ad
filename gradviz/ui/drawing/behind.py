"""Paints what lies behind the nodes of a drawing: comments, and the frames of open groups. Seen from further away their
words are larger, as far as there is room. `painting` has the nodes."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.edge_painter import FAR
from gradviz.ui.canvas.group_painter import triangle
from gradviz.ui.canvas.ink import LEFT, Ink
from gradviz.ui.drawing.hitting import FRAME_TITLE

CORNER = 6.0
COMMENT_PAD = 10.0
COMMENT_LINE = 17.0
BRIEF = 0.85  # of its own size: words that are seen from further away
LARGEST = 1.5  # times its own size: as much as there is room for
ELLIPSIS = "…"


def grown_by(ink: Ink, scale: float) -> float:
    """How much larger words are written that are seen from further away, as far as there is room."""
    return min(max(BRIEF * ink.theme.scale / scale, 1.0), LARGEST)


def paint_comment(painter: QPainter, ink: Ink, box: QRectF, text: str, scale: float) -> None:
    """A comment with as many of its lines as there is room for."""
    painter.setPen(ink.pen("halo", max(1.0, 0.8 / scale), alpha=0.7))
    painter.setBrush(ink.colour("current_line", 0.85))
    painter.drawRoundedRect(box, CORNER, CORNER)
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
