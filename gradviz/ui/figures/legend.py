"""The legend of an axes: the names of its layers with a sample of each, where the least is drawn behind it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.trace.figures import Axes, Layer
from gradviz.ui import look
from gradviz.ui.figures import colours
from gradviz.ui.figures.marks import CYCLE_MARKS, OPEN_MARKS, Ground, marker, pen_of
from gradviz.ui.theme import Theme

SAMPLE = 22.0  # pixels
PAD = 6.0
LONGEST = 26  # letters of a name
MOST = 20  # rows


def entries(axes: Axes, others: list[Axes]) -> list[Layer]:
    """What has a name, also in axes over these."""
    return [layer for each in (axes, *others) for layer in each.layers if layer.style.label][:MOST]


def paint_legend(
    painter: QPainter, named: list[Layer], place: str, area: QRectF, grounds: dict[Layer, Ground], theme: Theme
) -> None:
    """Paint it over the area."""
    font = look.sans(theme, 10.5)
    painter.setFont(font)
    metrics = painter.fontMetrics()
    names = [metrics.elidedText(each.style.label, Qt.TextElideMode.ElideRight, theme.px(180)) for each in named]
    row = metrics.height() + 2
    wide = SAMPLE + 3 * PAD + max(metrics.horizontalAdvance(name) for name in names)
    size = (wide, row * len(names) + 2 * PAD - 2)
    if size[0] > area.width() - 8 or size[1] > area.height() - 8:
        names = names[: max(1, int((area.height() - 20) / row))]
        size = (min(wide, area.width() - 4), row * len(names) + 2 * PAD - 2)
    box = _box(place, area, size, named, grounds)
    paper = QColor(theme.panel)
    paper.setAlpha(215)
    painter.setBrush(paper)
    painter.setPen(QPen(QColor(theme.panel_border), 1))
    painter.drawRoundedRect(box, 4, 4)
    for number, (name, layer) in enumerate(zip(names, named, strict=False)):
        middle = box.top() + PAD + row * (number + 0.5) - 1
        _sample(painter, layer, grounds[layer], QPointF(box.left() + PAD, middle), theme)
        painter.setPen(QColor(theme.text))
        text = QRectF(box.left() + SAMPLE + 2 * PAD, middle - row / 2, box.width() - SAMPLE - 2 * PAD - 2, row)
        painter.drawText(text, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), name)


def _box(
    place: str, area: QRectF, size: tuple[float, float], named: list[Layer], grounds: dict[Layer, Ground]
) -> QRectF:
    wide, high = size
    inner = area.adjusted(6, 6, -6, -6)
    across = {"left": inner.left(), "right": inner.right() - wide, "center": inner.center().x() - wide / 2}
    up = {"upper": inner.top(), "lower": inner.bottom() - high, "center": inner.center().y() - high / 2}
    corners = [("upper", "right"), ("upper", "left"), ("lower", "left"), ("lower", "right"), ("center", "right")]
    words = place.split()
    if len(words) == 2:
        corners = [(words[0], words[1])]
    boxes = [QRectF(across[right], up[over], wide, high) for over, right in corners if right in across and over in up]
    return min(boxes, key=lambda box: _covered(box, grounds)) if boxes else QRectF(inner.topLeft(), inner.bottomRight())


def _covered(box: QRectF, grounds: dict[Layer, Ground]) -> int:
    """How many points would be behind it."""
    count = 0
    for layer, ground in grounds.items():
        names = {"bars": ("right", "top"), "area": ("x", "high")}.get(layer.kind, ("x", "y"))
        if layer.kind in ("image", "words", "rule", "segments"):
            continue
        x, y = ground.x.to(layer.columns[names[0]]), ground.y.to(layer.columns[names[1]])
        with np.errstate(invalid="ignore"):
            inside = (x > box.left()) & (x < box.right()) & (y > box.top()) & (y < box.bottom())
            if layer.kind in ("bars", "area"):
                inside = (x > box.left()) & (x < box.right()) & (y < box.bottom())
        count += int(inside.sum())
    return count


def _sample(painter: QPainter, layer: Layer, ground: Ground, at: QPointF, theme: Theme) -> None:
    style = layer.style
    ink = colours.colour(style.color, theme, style.alpha)
    middle = QPointF(at.x() + SAMPLE / 2, at.y())
    if layer.kind in ("bars", "area"):
        painter.setPen(QPen(colours.colour(style.edge, theme), 1) if style.edge != "none" else Qt.PenStyle.NoPen)
        painter.setBrush(ink if style.color != "none" else Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(at.x(), at.y() - 4, SAMPLE, 8))
        return
    if layer.kind != "points":
        painter.setPen(pen_of(style, theme))
        painter.drawLine(at, QPointF(at.x() + SAMPLE, at.y()))
    sign = style.marker
    if layer.kind == "line" and not sign and ground.number > 0 and style.dash in ("", "-"):
        sign = CYCLE_MARKS[ground.number % len(CYCLE_MARKS)]
    if sign and layer.kind in ("line", "points"):
        painter.setPen(QPen(ink, 1.4) if sign in OPEN_MARKS else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if sign in OPEN_MARKS else ink)
        painter.drawPath(marker(sign, 7.0).translated(middle))
