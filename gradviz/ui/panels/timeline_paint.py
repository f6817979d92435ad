"""Painting the timeline: the strip of steps, the groups under it and the curve of held bytes. Drawn once per trace
and size into a pixmap; moving the cursor only draws the playhead over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from gradviz.session import strip
from gradviz.ui import look
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

BLOCK = 4.0  # from this width on every step is a block of its own
LENS_BLOCK = 24.0  # width of a step in the lens
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
    }.get(kind, theme.other)


@dataclass(frozen=True)
class Geometry:
    """Where things stand in a timeline of this size."""

    width: float
    height: float
    theme: Theme
    steps: int

    @property
    def strip(self) -> QRectF:
        """The row of steps."""
        side = self.theme.px(16)
        return QRectF(side, self.theme.px(15), max(1.0, self.width - 2 * side), self.theme.px(24))

    @property
    def labels(self) -> QRectF:
        """The row of group titles."""
        row = self.strip
        return QRectF(row.left(), row.bottom() + 3, row.width(), self.theme.px(17))

    @property
    def is_dense(self) -> bool:
        """True if there are too many steps for blocks."""
        return self.strip.width() / max(1, self.steps) < BLOCK

    @property
    def lens(self) -> QRectF:
        """The row of the steps around the cursor, where the strip is dense."""
        row = self.labels
        return QRectF(row.left(), row.bottom() + 2, row.width(), self.strip.height() if self.is_dense else 0.0)

    def lens_range(self, cursor: int, steps: int) -> tuple[int, int]:
        """The first step in the lens, and how many there are."""
        count = min(steps, max(3, int(self.lens.width() / (LENS_BLOCK * self.theme.scale))))
        return min(max(cursor - 1 - count // 2, 0), steps - count), count

    @property
    def curve(self) -> QRectF:
        """The area of the curve of held bytes."""
        top = self.lens.bottom() + self.theme.px(22)
        return QRectF(self.strip.left(), top, self.strip.width(), max(0.0, self.height - top - self.theme.px(10)))

    def left_of(self, step: float, steps: int) -> float:
        """x where a step begins."""
        return self.strip.left() + self.strip.width() * step / max(1, steps)

    def playhead(self, cursor: int, steps: int) -> float:
        """x of the playhead: in the middle of the step that was done last, or at the left end."""
        return self.left_of(cursor - 0.5, steps) if cursor else self.strip.left()

    def cursor_at(self, x: float, y: float, cursor: int) -> int:
        """The cursor under the mouse."""
        steps = self.steps
        if self.is_dense and self.lens.top() <= y <= self.lens.bottom():
            first, count = self.lens_range(cursor, steps)
            return min(max(first + int((x - self.lens.left()) / self.lens.width() * count) + 1, 0), steps)
        place = (x - self.strip.left()) / self.strip.width() * steps
        return 0 if place < 0 else min(steps, int(place) + 1)


def paint_all(painter: QPainter, geometry: Geometry, trace: Trace, steps: int) -> None:
    """Everything except the playhead."""
    if geometry.is_dense:
        _paint_columns(painter, geometry, trace, steps)
    else:
        _paint_blocks(painter, geometry, trace, steps)
    _paint_groups(painter, geometry, trace, steps)
    _paint_curve(painter, geometry, trace, steps)


def _paint_blocks(painter: QPainter, geometry: Geometry, trace: Trace, steps: int) -> None:
    from gradviz.trace.kinds import Kind

    theme, row = geometry.theme, geometry.strip
    width = row.width() / steps
    gap = min(2.0, width / 5)
    painter.setFont(look.sans(theme, 11, bold=True))
    for step, number in enumerate(trace.steps.kind[:steps].tolist()):
        kind = Kind(number).name
        box = QRectF(row.left() + step * width + gap / 2, row.top(), width - gap, row.height())
        _paint_block(painter, theme, box, trace, step, kind)


def _paint_block(painter: QPainter, theme: Theme, box: QRectF, trace: Trace, step: int, kind: str) -> None:
    """One step: a block in the colour of its kind, with its sign if there is room."""
    colour = QColor(colour_of(theme, kind))
    if kind == "FREE":
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
        box = box.adjusted(0.5, box.height() * 0.25, -0.5, -box.height() * 0.25)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
    radius = min(3.0, box.width() / 4)
    painter.drawRoundedRect(box, radius, radius)
    if box.width() >= GLYPH * theme.scale and SIGNS[kind]:
        painter.setPen(QColor(theme.panel))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _sign(trace, step, kind))


def _sign(trace: Trace, step: int, kind: str) -> str:
    """The operation's own symbol where it is short enough."""
    node = int(trace.steps.node[step])
    symbol = str(trace.nodes.symbol[node]) if kind == "FORWARD" and node >= 0 else ""
    return symbol if 0 < len(symbol) <= 2 else SIGNS[kind]


def _paint_columns(painter: QPainter, geometry: Geometry, trace: Trace, steps: int) -> None:
    """More steps than there is room for blocks: each pixel shows what its steps are, in proportion."""
    import numpy as np

    from gradviz.trace.kinds import Kind

    row = geometry.strip
    columns, rows = max(1, min(int(row.width()), steps)), max(1, int(row.height()))
    kinds = strip.shares_per_pixel(trace.steps.kind[:steps], columns, rows)
    colours = np.array([QColor(colour_of(geometry.theme, kind.name)).rgba() for kind in Kind], np.uint32)
    pixels = np.ascontiguousarray(colours[kinds])
    image = QImage(pixels.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_RGB32)
    painter.drawImage(row, image)


def paint_lens(painter: QPainter, geometry: Geometry, trace: Trace, cursor: int, steps: int) -> None:
    """Under a strip of many steps: the ones around the cursor, large enough to tell them apart."""
    from gradviz.trace.kinds import Kind

    theme, row = geometry.theme, geometry.lens
    first, count = geometry.lens_range(cursor, steps)
    width = row.width() / count
    painter.setFont(look.sans(theme, 11, bold=True))
    for place, number in enumerate(trace.steps.kind[first : first + count].tolist()):
        box = QRectF(row.left() + place * width + 1, row.top(), width - 2, row.height())
        painter.setOpacity(1.0 if first + place < cursor else 0.35)
        _paint_block(painter, theme, box, trace, first + place, Kind(number).name)
        if first + place == cursor - 1:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.text), 2))
            painter.drawRoundedRect(box, 3, 3)
    painter.setOpacity(1.0)


def _paint_groups(painter: QPainter, geometry: Geometry, trace: Trace, steps: int) -> None:
    theme, row = geometry.theme, geometry.labels
    painter.setFont(look.sans(theme, look.SMALL))
    metrics = painter.fontMetrics()
    free_from = row.left()
    groups = strip.groups(trace, steps)
    if len(groups) * theme.px(30) > row.width():  # one by one they could not be read
        calls = sum(group.title.startswith("backward") for group in groups)
        painter.setPen(QColor(theme.muted))
        text = f"{calls:,} backward calls"
        painter.drawText(QPointF(row.left() + 1, row.top() + metrics.ascent() + 1), text)
        free_from += metrics.horizontalAdvance(text) + theme.px(8)
        groups = tuple(group for group in groups if group.title == "error")
    for group in groups:
        left, right = geometry.left_of(group.start, steps), geometry.left_of(group.end, steps)
        needed = metrics.horizontalAdvance(group.title)
        is_last_and_short = group.end == steps and right - left < needed
        text_left = right - needed if is_last_and_short else left + 1
        if (right - left >= needed or is_last_and_short or group.title == "error") and text_left >= free_from:
            painter.setPen(QColor(theme.error if group.title == "error" else theme.muted))
            painter.drawText(QPointF(text_left, row.top() + metrics.ascent() + 1), group.title)
            free_from = text_left + needed + theme.px(8)
        if right - left >= BLOCK and group.start:
            painter.setPen(QPen(QColor(theme.faint), 1))
            painter.drawLine(QPointF(left, geometry.strip.top() - 3), QPointF(left, row.top() + 4))


def _paint_curve(painter: QPainter, geometry: Geometry, trace: Trace, steps: int) -> None:
    area, theme = geometry.curve, geometry.theme
    if area.height() < 12:
        return
    held = trace.held_bytes[1 : steps + 1]
    pixels = max(1, min(int(area.width()), steps))
    levels = (strip.most_per_pixel(held, pixels) if steps > pixels else held).tolist()
    peak = max(levels, default=0)
    width = area.width() / len(levels)
    line = QPolygonF([QPointF(area.left(), area.bottom())])
    for place, level in enumerate(levels):
        y = area.bottom() - (area.height() * level / peak if peak else 0)
        line.append(QPointF(area.left() + place * width, y))
        line.append(QPointF(area.left() + (place + 1) * width, y))
    line.append(QPointF(area.right(), area.bottom()))
    path = QPainterPath()
    path.addPolygon(line)
    fill = QColor(theme.saved)
    fill.setAlpha(60)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.fillPath(path, fill)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.saved), 1.5))
    painter.drawPolyline(line)


def paint_playhead(painter: QPainter, geometry: Geometry, cursor: int, steps: int, held: str) -> None:
    """The future paler, the current step framed, the playhead, and how much is held now."""
    theme, row = geometry.theme, geometry.strip
    after = geometry.left_of(cursor, steps)
    veil = QColor(theme.panel)
    veil.setAlpha(165)
    painter.fillRect(QRectF(after, row.top() - 1, row.right() - after + 2, row.height() + 2), veil)
    x = geometry.playhead(cursor, steps)
    ink = QColor(theme.text)
    width = row.width() / steps
    if cursor and width >= BLOCK:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 2))
        painter.drawRoundedRect(QRectF(after - width, row.top() - 1, width, row.height() + 2), 3, 3)
    painter.setPen(QPen(ink, 1.5))
    painter.drawLine(QPointF(x, row.top() - 7), QPointF(x, row.top() - 1))
    painter.drawLine(QPointF(x, geometry.curve.top() - 2), QPointF(x, max(geometry.curve.bottom(), row.bottom())))
    painter.setBrush(ink)
    painter.drawEllipse(QPointF(x, row.top() - 8), 4, 4)
    painter.setPen(QColor(theme.muted))
    painter.setFont(look.sans(theme, look.SMALL))
    if geometry.curve.height() >= 12:
        place = QPointF(row.left(), geometry.curve.top() - theme.px(8))
        box = painter.fontMetrics().boundingRect(held).translated(place.toPoint())
        painter.fillRect(box.adjusted(-2, -1, 4, 1), QColor(theme.panel))
        painter.drawText(place, held)
