"""Long lines and rough outlines in bounded time. The time that Qt takes for a path that goes back and forth grows with
the square of its length, so long ones are painted in pieces; and if a whole figure takes too long (`Pace`), the rest is
painted plainly, and finally not at all."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from gradviz.ui.figures.scales import Array

PLAIN_AFTER, LAST = 1.0, 3.0  # seconds of processor time per figure
LONGEST = 16_000.0  # pixels along a path
PIECE = 16  # vertices
MOST_PARTS = 500  # parts of a line between its gaps that are painted individually
MOST_PIECES = 20_000  # for a line with more parts


class Pace:
    """How long the painting of a figure has taken. `is_over` is checked between any two things that are painted."""

    def __init__(self) -> None:
        self._begun = time.thread_time()
        self.left_out = False

    @property
    def plain(self) -> bool:
        """Use thin lines with rough edges from now on."""
        return time.thread_time() - self._begun > PLAIN_AFTER

    @property
    def is_over(self) -> bool:
        """Whether to leave out the rest, in which case it is recorded that something is missing."""
        self.left_out = self.left_out or time.thread_time() - self._begun > LAST
        return self.left_out


def points(x: Array, y: Array) -> list[QPointF]:
    """Vertices for Qt."""
    return [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def is_rough(x: Array, y: Array) -> bool:
    """Whether Qt would take long for a path along these vertices."""
    return bool(np.abs(np.diff(x)).sum() + np.abs(np.diff(y)).sum() > LONGEST)


def plain_pen(pen: QPen) -> QPen:
    """The fastest pen of the same colour."""
    return pen if pen.style() is Qt.PenStyle.NoPen else QPen(pen.color(), 0)


def stroke(painter: QPainter, x: Array, y: Array, area: QRectF, pace: Pace) -> None:
    """Paint a line through all these vertices with the painter's pen."""
    pen = painter.pen()
    if pen.style() is Qt.PenStyle.NoPen:
        return
    if pace.plain:
        painter.setPen(plain_pen(pen))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawPolyline(QPolygonF(points(x, y)))
    elif not is_rough(x, y):
        painter.drawPolyline(QPolygonF(points(x, y)))
    elif pen.style() is Qt.PenStyle.SolidLine:
        _lines(painter, (x[:-1], y[:-1], x[1:], y[1:]), area)
    else:
        _dashes(painter, x, y, pace)
    painter.setPen(pen)


def stroke_parts(painter: QPainter, x: Array, y: Array, area: QRectF) -> None:
    """The same for a line with very many gaps: some of its pieces."""
    good = np.isfinite(x) & np.isfinite(y)
    first = np.flatnonzero(good[:-1] & good[1:])
    first = first[:: max(1, len(first) // MOST_PIECES)]
    _lines(painter, (x[first], y[first], x[first + 1], y[first + 1]), area)


def _lines(painter: QPainter, ends: tuple[Array, Array, Array, Array], area: QRectF) -> None:
    """Paint each piece separately. Their ends overlap, so translucent lines are painted opaque in a separate picture,
    which is then blended in."""
    pen, ink = painter.pen(), painter.pen().color()
    lines = [QLineF(*each) for each in zip(*(part.tolist() for part in ends), strict=True)]
    pen.setCapStyle(Qt.PenCapStyle.SquareCap)
    pen.setColor(QColor(ink.rgb()))
    if ink.alpha() == 255:
        painter.setPen(pen)
        painter.drawLines(lines)
        return
    box, sharp = area.toAlignedRect(), painter.device().devicePixelRatioF()
    layer = QImage(box.size() * sharp, QImage.Format.Format_ARGB32_Premultiplied)
    layer.setDevicePixelRatio(sharp)
    layer.fill(Qt.GlobalColor.transparent)
    with QPainter(layer) as beside:
        beside.setRenderHint(QPainter.RenderHint.Antialiasing)
        beside.translate(-box.topLeft())
        beside.setPen(pen)
        beside.drawLines(lines)
    painter.setOpacity(ink.alphaF())
    painter.drawImage(box.topLeft(), layer)
    painter.setOpacity(1.0)


def _dashes(painter: QPainter, x: Array, y: Array, pace: Pace) -> None:
    """Paint piece by piece, each continuing the dashes of the previous one."""
    pen = painter.pen()
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))]) / max(pen.widthF(), 0.1)
    for begin in range(0, len(x) - 1, PIECE):
        if pace.is_over:
            return
        pen.setDashOffset(float(way[begin] % sum(pen.dashPattern())))
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(points(x[begin : begin + PIECE + 1], y[begin : begin + PIECE + 1])))


def fill(painter: QPainter, x: Array, low: Array, high: Array, area: QRectF, pace: Pace) -> None:
    """Fill the area between two lines with the painter's pen and brush."""
    if not pace.plain and not is_rough(x, low) and not is_rough(x, high):
        painter.drawPolygon(QPolygonF(points(np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]]))))
        return
    pen = painter.pen()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # antialiased pieces would show seams
    for begin in range(0, len(x), PIECE):
        if pace.is_over:
            return
        across, under, over = (part[begin : begin + PIECE + 1] for part in (x, low, high))
        painter.drawPolygon(
            QPolygonF(points(np.concatenate([across, across[::-1]]), np.concatenate([over, under[::-1]])))
        )
    painter.setPen(pen)
    for edge in (low, high):
        stroke(painter, x, edge, area, pace)
