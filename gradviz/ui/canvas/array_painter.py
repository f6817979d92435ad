"""Paints arrays on cards: small ones as numbers over coloured cells, larger ones as heat-maps, vectors as lines over
their zero, each with its range beside it. Zero has the colour of the card, outliers have a mark in the corner of their
cell, what is not finite is hatched: a sign besides the colour. What is painted comes from `heat` and `content`."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPolygonF

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.content import ValueContent
from gradviz.ui.canvas.heat import BEYOND, FULL, GAP, INFINITE, MISSING, Picture
from gradviz.ui.canvas.ink import CENTRE, LEFT, RIGHT, Ink

GRID_STRENGTH, MAP_STRENGTH = 0.4, 0.95  # numbers must be read on the cells of a grid
MARK = 4.5  # side of the mark of an outlier
RANGE = ("max", "min", "all")


def paint_grid(painter: QPainter, ink: Ink, area: QRectF, value: ValueContent, colour: str) -> float:
    """Numbers over their colours, at the top of an area; returns the height."""
    strengths = value.picture.grid().tolist() if value.picture is not None else []
    wide = min(sizes.CELL_MAX, area.width() / max(len(value.cells[0]), 1))
    for row, texts in enumerate(value.cells):
        for column, text in enumerate(texts):
            left, top = area.left() + column * wide, area.top() + row * sizes.CELL_HEIGHT
            cell = QRectF(left, top, wide - 1.5, sizes.CELL_HEIGHT - 1.5)
            strength = strengths[row][column] if strengths else 0
            painter.fillRect(cell, ink.strength(strength, GRID_STRENGTH))
            _sign(painter, ink, cell, strength)
            ink.text(painter, sizes.CELL, "error" if abs(strength) >= INFINITE else colour, cell, text, CENTRE)
    return len(value.cells) * sizes.CELL_HEIGHT + 4


def paint_map(painter: QPainter, ink: Ink, area: QRectF, value: ValueContent, colour: str) -> float:
    """A picture at the left of the top of an area, the range of the values beside it; returns the height."""
    place = QRectF(area.left(), area.top() + 1, sizes.MAP_WIDTH, sizes.MAP_HEIGHT - 2)
    if value.picture is not None:
        paint_picture(painter, ink, place, value.picture, colour)
    room = QRectF(place.right() + 10, place.top(), area.right() - place.right() - 10, place.height())
    _range(painter, ink, room, value, colour)
    return sizes.MAP_HEIGHT + 4


def _range(painter: QPainter, ink: Ink, room: QRectF, value: ValueContent, colour: str) -> None:
    """Largest and smallest value: words at the left, figures under each other at the right."""
    lines = [line for line in value.summary if line]
    cut = value.picture is not None and value.picture.is_cut
    signs = set(value.picture.grid().reshape(-1).tolist()) if value.picture is not None and cut else set()
    height = room.height() / max(len(lines), 2)
    for number, line in enumerate(lines):
        box = QRectF(room.left(), room.top() + number * height, room.width(), height)
        label, _, figures = line.partition(" ")
        if label not in RANGE:
            ink.text(painter, sizes.CELL, "error", box, line, LEFT)
            continue
        ink.text(painter, sizes.META, "muted", box, label, LEFT)
        ink.text(painter, sizes.CELL, colour, box, figures, RIGHT)
        if (BEYOND if label == "max" else -BEYOND) in signs:
            corner = box.left() + ink.width(sizes.META, label) + 3 + MARK
            _corner(painter, ink, QPointF(corner, box.center().y() - MARK / 2), MARK)


def paint_picture(painter: QPainter, ink: Ink, place: QRectF, picture: Picture, colour: str) -> None:
    """A map or a line in a place, at its left."""
    if picture.line:
        _line(painter, ink, place, picture, colour)
    else:
        _map(painter, ink, place, picture)


def _map(painter: QPainter, ink: Ink, place: QRectF, picture: Picture) -> None:
    rows = picture.grid().tolist()
    image = QImage(picture.columns, picture.rows, QImage.Format.Format_RGB32)
    for row, strengths in enumerate(rows):
        for column, strength in enumerate(strengths):
            image.setPixelColor(column, row, ink.strength(strength, MAP_STRENGTH))
    side = min(place.width() / picture.columns, place.height() / picture.rows)
    size = max(side, min(6.0, place.width() / picture.columns))
    tall = max(side * picture.rows, min(18.0, place.height()))
    wide = QRectF(place.left(), place.top(), size * picture.columns, tall)
    wide.moveTop(place.center().y() - wide.height() / 2)
    smooth = painter.testRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(wide, image)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
    across, down = wide.width() / picture.columns, wide.height() / picture.rows
    for row, strengths in enumerate(rows):
        for column, strength in enumerate(strengths):
            if abs(strength) > FULL and strength != GAP:
                cell = QRectF(wide.left() + column * across, wide.top() + row * down, across, down)
                _sign(painter, ink, cell, strength)
    painter.setPen(ink.pen("panel_border", 0.8))
    painter.setBrush(QBrush())
    painter.drawRect(wide)


def _sign(painter: QPainter, ink: Ink, cell: QRectF, strength: int) -> None:
    """A corner for an outlier; hatching for what is not finite."""
    if abs(strength) == BEYOND:
        side = min(MARK, cell.width() * 0.6, cell.height() * 0.6)
        _corner(painter, ink, cell.topRight(), side)
    elif abs(strength) >= INFINITE and strength != GAP:
        painter.fillRect(cell, ink.colours["error_fill"])
        painter.setPen(ink.pen("error", 0.7, alpha=0.6))
        step = max(min(cell.height(), 5.0), 2.0)
        reach = cell.width() + cell.height()
        painter.save()
        painter.setClipRect(cell, Qt.ClipOperation.IntersectClip)
        count = int(reach / step) + 1
        base = cell.bottomLeft()
        painter.drawLines(
            [QLineF(base.x() + i * step, base.y(), base.x() + i * step - reach, base.y() - reach) for i in range(count)]
        )
        painter.restore()


def _corner(painter: QPainter, ink: Ink, at: QPointF, side: float) -> None:
    """A small triangle whose right angle is at the top right."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colours["text"])
    painter.drawConvexPolygon(QPolygonF([at, at + QPointF(-side, 0), at + QPointF(0, side)]))


def _line(painter: QPainter, ink: Ink, place: QRectF, picture: Picture, colour: str) -> None:
    """A vector as a line from its first to its last element, its zero as a thin line."""
    low, high = picture.grid().tolist()
    drawn = [value for ends in (low, high) for value in ends if abs(value) <= BEYOND]
    top, bottom = max([*drawn, 0]), min([*drawn, 0])
    scale = place.height() / (top - bottom or 1)
    step = place.width() / max(picture.columns - 1, 1)

    def point(column: int, strength: int) -> QPointF:
        return QPointF(place.left() + column * step, place.top() + (top - strength) * scale)

    zero = point(0, 0).y() if top > bottom else place.center().y()
    painter.setPen(ink.pen("faint", 0.8))
    painter.drawLine(QPointF(place.left(), zero), QPointF(place.right(), zero))
    ink_colour = "gradient" if colour == "gradient" else "forward"
    ends: list[QPointF] = []
    areas: list[QPolygonF] = []
    for column, (lowest, highest) in enumerate(zip(low, high, strict=True)):
        if abs(lowest) > BEYOND or abs(highest) > BEYOND:
            areas.append(QPolygonF(ends))
            ends = []
            wide = max(step, 2.0)
            left = min(max(place.left() + column * step - wide / 2, place.left()), place.right() - wide)
            _sign(painter, ink, QRectF(left, place.top(), wide, place.height()), MISSING)
            continue
        if top > bottom:
            ends += [point(column, lowest)] + ([point(column, highest)] if highest != lowest else [])
    for points in (*areas, QPolygonF(ends)):
        _trace(painter, ink, points, zero, ink_colour)
    for column, value in enumerate(high):
        if abs(value) == BEYOND:
            _corner(painter, ink, point(column, value) + QPointF(MARK / 2, 0), MARK)


def _trace(painter: QPainter, ink: Ink, points: QPolygonF, zero: float, colour: str) -> None:
    """A line and, lightly, what is between it and zero."""
    if points.isEmpty():
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ink.colour(colour, 0.16)))
    first, last = points.first(), points.last()
    painter.drawPolygon(QPolygonF([QPointF(first.x(), zero), *points.toList(), QPointF(last.x(), zero)]))
    painter.setBrush(QBrush())
    pen = ink.pen(colour, 1.2)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.drawPolyline(points)
