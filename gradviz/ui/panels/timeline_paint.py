"""Painting steps: blocks with their signs where there is room, columns of pixels where there is not, and the lens. What
stands around the strip is in `timeline_rows`, the curves are in `timeline_plots`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from gradviz.session.timeline.outline import Strip
from gradviz.session.timeline.zoom import whole
from gradviz.ui import look
from gradviz.ui.panels.timeline_geometry import BLOCK, Geometry
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

TEXT = 18.0  # pixels of the line of words over the curves, which the playhead leaves alone
DASHES = 9.0  # from this width on a freed buffer is a dashed outline
GLYPH = 15.0  # from this width on a block carries its sign
SIGNS = {
    "LEAF": "●",
    "FORWARD": "ƒ",
    "INPLACE": "✎",
    "BACKWARD_CALL": "◀",
    "BACKWARD": "∇",
    "CONTRIBUTION": "+",
    "ACCUMULATE": "Σ",
    "FREE": "",
    "HOOK": "h",
    "CLEAR_GRAD": "0",
    "OPTIMIZER": "↓",
    "PRINT": "›",
    "WARNING": "!",
    "ERROR": "×",
    "CAUGHT": "↩",
}


def colour_of(theme: Theme, kind: str) -> str:
    """The colour of a kind of step."""
    return {
        "LEAF": theme.leaf,
        "FORWARD": theme.forward,
        "INPLACE": theme.inplace,
        "BACKWARD_CALL": theme.backward,
        "BACKWARD": theme.backward,
        "CONTRIBUTION": theme.backward,
        "ACCUMULATE": theme.accumulate,
        "FREE": theme.freed,
        "OPTIMIZER": theme.inplace,
        "WARNING": theme.warning,
        "ERROR": theme.error,
        "CAUGHT": theme.error,
    }.get(kind, theme.other)


def paint_strip(painter: QPainter, geometry: Geometry, strip: Strip, ratio: float) -> None:
    """The row of steps in view."""
    if geometry.is_dense:
        row = geometry.strip
        painter.drawImage(row, columns_of(geometry.theme, strip, geometry, round(row.width() * ratio)))
    else:
        _paint_blocks(painter, geometry, strip)


def columns_of(theme: Theme, strip: Strip, geometry: Geometry, columns: int, *, all_steps: bool = False) -> QImage:
    """More steps than there is room for blocks: each pixel shows what its steps are, in proportion."""
    import numpy as np

    from gradviz.trace.table.kinds import Kind

    rows = 3 if all_steps else max(1, int(geometry.strip.height()))
    span = whole(strip.steps) if all_steps else geometry.span
    kinds = strip.picture(span, max(1, columns), rows)
    colours = np.array([QColor(colour_of(theme, kind.name)).rgba() for kind in Kind], np.uint32)
    pixels = np.ascontiguousarray(colours[kinds])
    return QImage(pixels.tobytes(), kinds.shape[1], rows, 4 * kinds.shape[1], QImage.Format.Format_RGB32)


def _paint_blocks(painter: QPainter, geometry: Geometry, strip: Strip) -> None:
    from gradviz.trace.table.kinds import Kind

    theme, row = geometry.theme, geometry.strip
    width = row.width() / geometry.span.width
    gap = min(2.0, width / 5)
    first, last = max(0, int(geometry.span.start)), min(strip.steps, int(geometry.span.end) + 1)
    painter.save()
    painter.setClipRect(row.adjusted(-1, -1, 1, 1))
    painter.setFont(look.sans(theme, 11, bold=True))
    for step, number in enumerate(strip.kinds[first:last].tolist(), first):
        box = QRectF(geometry.left_of(step) + gap / 2, row.top(), width - gap, row.height())
        kind = Kind(number).name
        _paint_block(painter, theme, box, kind, _sign(strip.trace, step, kind))
    painter.restore()


def _paint_block(painter: QPainter, theme: Theme, box: QRectF, kind: str, sign: str) -> None:
    """One step: a block in the colour of its kind, with its sign if there is room."""
    colour = QColor(colour_of(theme, kind))
    if kind == "FREE":
        box = box.adjusted(0.5, box.height() * 0.25, -0.5, -box.height() * 0.25)
        is_wide = box.width() >= DASHES
        painter.setBrush(Qt.BrushStyle.NoBrush if is_wide else colour)
        painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine) if is_wide else Qt.PenStyle.NoPen)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
    radius = min(3.0, box.width() / 4)
    painter.drawRoundedRect(box, radius, radius)
    if box.width() >= GLYPH * theme.scale and sign:
        painter.setPen(QColor(theme.panel))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)


def _sign(trace: Trace, step: int, kind: str) -> str:
    """The operation's own symbol where it is short enough."""
    node = int(trace.steps.node[step])
    symbol = str(trace.nodes.symbol[node]) if kind == "FORWARD" and node >= 0 else ""
    return symbol if 0 < len(symbol) <= 2 else SIGNS[kind]


def paint_lens(painter: QPainter, geometry: Geometry, trace: Trace, cursor: int) -> None:
    """Under a strip of many steps: the ones around the cursor, large enough to tell them apart."""
    from gradviz.trace.table.kinds import Kind

    theme, row = geometry.theme, geometry.lens
    ratio = painter.device().devicePixelRatio()
    first, count = geometry.lens_range(cursor)
    width = row.width() / count
    for place, number in enumerate(trace.steps.kind[first : first + count].tolist()):
        kind = Kind(number).name
        left = round(row.left() + place * width) + 1
        box = QRectF(left, row.top(), round(row.left() + (place + 1) * width) - 1 - left, row.height())
        painter.setOpacity(1.0 if first + place < cursor else 0.35)
        sign = _sign(trace, first + place, kind)
        painter.drawImage(box, _stamp(theme, kind, sign, int(box.width()), int(box.height()), ratio))
        if first + place == cursor - 1:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.text), 2))
            painter.drawRoundedRect(box, 3, 3)
    painter.setOpacity(1.0)


@lru_cache(maxsize=256)  # drawing the text of forty blocks at every step would take most of its time
def _stamp(theme: Theme, kind: str, sign: str, width: int, height: int, ratio: float) -> QImage:
    """A block as a picture."""
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(look.sans(theme, 11, bold=True))
        _paint_block(painter, theme, QRectF(0, 0, width, height), kind, sign)
    return image


def paint_playhead(painter: QPainter, geometry: Geometry, cursor: float) -> None:
    """The future paler, the current step framed, and the playhead through all rows."""
    theme, row = geometry.theme, geometry.strip
    painter.save()
    painter.setClipRect(QRectF(row.left() - 6, 0, row.width() + 12, geometry.height))
    after = geometry.left_of(cursor)
    veil = QColor(theme.panel)
    veil.setAlpha(165)
    if after < row.right():
        left = max(after, row.left() - 1)
        painter.fillRect(QRectF(left, row.top() - 1, row.right() - left + 2, row.height() + 2), veil)
    x = geometry.playhead(cursor)
    ink = QColor(theme.text)
    width = row.width() / geometry.span.width
    if cursor >= 1 and width >= BLOCK:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 2))
        painter.drawRoundedRect(QRectF(after - width, row.top() - 1, width, row.height() + 2), 3, 3)
    painter.setPen(QPen(ink, 1.5))
    painter.drawLine(QPointF(x, row.top() - 7), QPointF(x, row.top() - 1))
    if geometry.is_dense:
        painter.drawLine(QPointF(x, row.top()), QPointF(x, row.bottom()))
    if geometry.plots.height() > 0:
        top = min(geometry.plots.top() + TEXT * theme.scale, geometry.plots.bottom())
        painter.drawLine(QPointF(x, top), QPointF(x, geometry.plots.bottom()))
    painter.setBrush(ink)
    painter.drawEllipse(QPointF(x, row.top() - 7), 4, 4)
    painter.restore()
