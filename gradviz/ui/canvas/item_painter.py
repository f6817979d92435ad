"""Paints a tensor (header, value, gradient row, Σ badge), the tags that stand for tensors drawn elsewhere, and an
operation with the tabs of its saved buffers. It uses world units and any painter, so that the screen, PNG, SVG and PDF
look the same. The text comes from `content`.

Small arrays are numbers over coloured cells, larger ones heat maps, vectors lines over their zero, each with its range
beside it. Zero has the colour of the card; outliers have a mark in the corner of their cell and non-finite values are
hatched, so that colour is never the only sign. The strengths come from `heat`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from gradviz.trace.table.values import number_text
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.content import Badge, OperationContent, ReferenceContent, Tab, TensorContent, ValueContent
from gradviz.ui.canvas.diagram import CONSTANT, LEAF, OP, PLAIN_OP
from gradviz.ui.canvas.heat import BEYOND, FULL, GAP, INFINITE, MISSING, Picture
from gradviz.ui.canvas.ink import CENTRE, LEFT, RIGHT, Ink

# -- arrays

GRID_STRENGTH, MAP_STRENGTH = 0.2, 0.95  # numbers must be legible on the cells of a grid
MARK, BEFORE_MARK = 4.5, 3.0  # side of the mark on an outlier, and the gap between a label and it
LEAST_GAP = 4.0  # between numbers that are next to each other, or a label and a number
BEFORE_POINT = re.compile(r"^(-?)0\.")  # a zero that says nothing where there is little room
BEHIND = 0.88  # opacity of the ground of words that an edge may pass behind
BESIDE_LABEL = 6.0  # between a label and a number in the row of the gradient
RANGE = ("max", "min", "all")


def paint_grid(painter: QPainter, ink: Ink, area: QRectF, value: ValueContent, colour: str) -> float:
    """Paint numbers over their colours at the top of an area; returns the height."""
    strengths = value.picture.grid().tolist() if value.picture is not None else []
    wide = _cell_width(area, value)
    for row, texts in enumerate(value.cells):
        for column, text in enumerate(texts):
            left, top = area.left() + column * wide, area.top() + row * sizes.CELL_HEIGHT
            cell = QRectF(left, top, wide - 1.5, sizes.CELL_HEIGHT - 1.5)
            strength = strengths[row][column] if strengths else 0
            painter.fillRect(cell, ink.strength(strength, GRID_STRENGTH))
            _sign(painter, ink, cell, strength)
            shown = cell_in(ink, text, cell.width() - LEAST_GAP)
            ink.text(painter, sizes.CELL, "error" if abs(strength) >= INFINITE else colour, cell, shown, CENTRE)
    return len(value.cells) * sizes.CELL_HEIGHT + 4


def _cell_width(area: QRectF, value: ValueContent) -> float:
    """The width of one column of a grid."""
    widest = sizes.CELL_MAX * (2 if value.cells[0][0].endswith("j") else 1)
    return min(widest, area.width() / len(value.cells[0]))


def cell_in(ink: Ink, text: str, room: float) -> str:
    """A number with as many digits as fit: cut off, it would be a different number."""
    if ink.width(sizes.CELL, text) <= room or not NUMBER.fullmatch(text):
        return text
    number = complex(text) if text.endswith("j") else float(text)
    shorter = [number_text(number, digits) for digits in (3, 2, 1)]
    ways = [each.replace("e-0", "e-") for each in (*shorter, BEFORE_POINT.sub(r"\1.", shorter[-1]), f"{number:.0e}")]
    return next((way for way in ways if ink.width(sizes.CELL, way) <= room), min(ways, key=len))


def paint_map(painter: QPainter, ink: Ink, area: QRectF, value: ValueContent, colour: str) -> float:
    """Paint a picture at the top left of an area with the range of its values beside it; returns the height."""
    place = _picture_place(area)
    if value.picture is not None:
        paint_picture(painter, ink, place, value.picture, colour)
    room = QRectF(place.right() + 10, place.top(), area.right() - place.right() - 10, place.height())
    _range(painter, ink, room, value, colour)
    return sizes.MAP_HEIGHT + 4


def _picture_place(area: QRectF) -> QRectF:
    return QRectF(area.left(), area.top() + 1, sizes.MAP_WIDTH, sizes.MAP_HEIGHT - 2)


def _range(painter: QPainter, ink: Ink, room: QRectF, value: ValueContent, colour: str) -> None:
    """Largest and smallest value: labels at the left, figures aligned at the right."""
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
        taken = ink.width(sizes.META, label)
        if (BEYOND if label == "max" else -BEYOND) in signs:
            taken += BEFORE_MARK + MARK
            _corner(painter, ink, QPointF(box.left() + taken, box.center().y() - MARK / 2), MARK)
        ink.text(painter, sizes.CELL, colour, box, cell_in(ink, figures, box.width() - taken - LEAST_GAP), RIGHT)


def paint_picture(painter: QPainter, ink: Ink, place: QRectF, picture: Picture, colour: str) -> None:
    """Paint a map or a line at the left of a box."""
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
    wide = _map_place(place, picture)
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


def _map_place(place: QRectF, picture: Picture) -> QRectF:
    """The cells of a map that is painted at the left of a box."""
    side = min(place.width() / picture.columns, place.height() / picture.rows)
    size = max(side, min(6.0, place.width() / picture.columns))
    tall = max(side * picture.rows, min(18.0, place.height()))
    wide = QRectF(place.left(), place.top(), size * picture.columns, tall)
    wide.moveTop(place.center().y() - wide.height() / 2)
    return wide


def picture_boxes(place: QRectF, picture: Picture) -> Iterator[QRectF]:
    """The box of each cell of a map, in reading order, or of each point of a line."""
    if picture.line:
        step = place.width() / max(picture.columns - 1, 1)
        for column in range(picture.columns):
            yield QRectF(place.left() + (column - 0.5) * step, place.top(), step, place.height())
        return
    wide = _map_place(place, picture)
    across, down = wide.width() / picture.columns, wide.height() / picture.rows
    for row in range(picture.rows):
        for column in range(picture.columns):
            yield QRectF(wide.left() + column * across, wide.top() + row * down, across, down)


def _sign(painter: QPainter, ink: Ink, cell: QRectF, strength: int) -> None:
    """A corner mark for an outlier, hatching for a non-finite value."""
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
    """A small triangle with its right angle at the top right."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colours["text"])
    painter.drawConvexPolygon(QPolygonF([at, at + QPointF(-side, 0), at + QPointF(0, side)]))


def _line(painter: QPainter, ink: Ink, place: QRectF, picture: Picture, colour: str) -> None:
    """A vector as a line from its first to its last element, with zero as a thin line."""
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
    """A line, and a light fill between it and zero."""
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


@dataclass(frozen=True)
class Spot:
    """A place on a card that shows one number of its value or gradient ("grad"): the index of that number in reading
    order, or, where it is `pictured`, of the cell of the picture."""

    part: str
    index: int
    box: QRectF
    pictured: bool = False


NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?([-+][\d.]+(e[-+]?\d+)?j)?")
CORNER = 6.0
GRAD_LINE = 18.0  # height of the words above a gradient that is an array


def paint_card(painter: QPainter, ink: Ink, card: QRectF, content: TensorContent) -> None:
    """Paint the card with its badge below."""
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
    room = line.width() - ink.width(sizes.NAME, content.name) - 8
    meta = next((way for way in content.metas if ink.width(sizes.META, way) <= room), "")
    needed = ink.width(sizes.META, meta) + 8 if meta else 0.0
    ink.text(painter, sizes.META, "muted", line, meta, RIGHT)
    left = QRectF(line.left(), line.top(), line.width() - needed, line.height())
    ink.text(painter, sizes.NAME, "text", left, content.name, LEFT)


def _value(painter: QPainter, ink: Ink, area: QRectF, value: ValueContent, colour: str) -> float:
    """Paint a value at the top of an area; returns its height."""
    if value.kind == "grid":
        return paint_grid(painter, ink, area, value, colour)
    if value.kind == "map":
        return paint_map(painter, ink, area, value, colour)
    _number(painter, ink, QRectF(area.left(), area.top(), area.width(), sizes.LINE), value, colour, LEFT)
    return sizes.LINE


def _gradient(painter: QPainter, ink: Ink, area: QRectF, content: TensorContent) -> None:
    if not content.label:
        _note(painter, ink, QRectF(area.left(), area.top() - 3, area.width(), sizes.NOTE), content, LEFT)
        return
    painter.setPen(ink.pen("panel_border", 1.0))
    painter.drawLine(QPointF(area.left(), area.top() - 2), QPointF(area.right(), area.top() - 2))
    grad = content.grad
    number = grad is None or grad.kind == "number"
    height = sizes.LINE if number else GRAD_LINE
    shift = sizes.NOTE / 2 - 1 if number and not content.note and content.category == LEAF else 0.0
    line = QRectF(area.left(), area.top() + shift, area.width(), height)
    label = _gradient_label(ink, content, line.width()) if number else content.label
    ink.text(painter, sizes.META, "muted", line, label, LEFT)
    if grad is not None and number:
        room = line.width() - ink.width(sizes.META, label) - BESIDE_LABEL
        _number(painter, ink, QRectF(line.right() - room, line.top(), room, line.height()), grad, "gradient", RIGHT)
        _note(painter, ink, QRectF(area.left(), line.bottom() - 4, area.width(), sizes.NOTE), content, LEFT)
        return
    room = area.width() - ink.width(sizes.META, content.label) - 10
    _note(painter, ink, QRectF(line.right() - room, line.top(), room, height), content, RIGHT)
    if grad is not None:
        _value(painter, ink, QRectF(area.left(), line.bottom(), area.width(), area.height()), grad, "gradient")


def _gradient_label(ink: Ink, content: TensorContent, width: float) -> str:
    """The longest label of the gradient row that leaves room for the whole number: "∇ passing", or its sign only."""
    number = "" if content.grad is None else content.grad.text
    labels = (content.label, content.label.partition(" ")[0])
    ways = ((label, role) for role in (sizes.GRAD, sizes.CELL) for label in labels)
    fits = (
        label for label, role in ways if ink.width(sizes.META, label) + BESIDE_LABEL + ink.width(role, number) <= width
    )
    return next(fits, labels[-1])


def _note(painter: QPainter, ink: Ink, room: QRectF, content: TensorContent, align: int) -> None:
    """The longest form of the note that fits, otherwise as much of it as does, but nothing beside a label that says
    much the same ("∇ passing" and "not stored")."""
    rest = "" if align == RIGHT else content.note
    note = next((way for way in content.notes if ink.width(sizes.SMALL, way) <= room.width()), rest)
    ink.text(painter, sizes.SMALL, "muted", room, note, align)


def number_boxes(card: QRectF, content: TensorContent) -> Iterator[Spot]:
    """Where the numbers of a card are written or pictured."""
    area = _below(card, sizes.HEADER + 4)
    yield from _boxes("value", area, content.value)
    heights = {"grid": len(content.value.cells) * sizes.CELL_HEIGHT + 4, "map": sizes.MAP_HEIGHT + 4}
    below = _below(card, sizes.HEADER + 8 + heights.get(content.value.kind, sizes.LINE))
    if content.grad is not None and content.label and content.grad.text != "None":
        top = below.top() + (0.0 if content.grad.kind == "number" else GRAD_LINE)
        yield from _boxes("grad", QRectF(below.left(), top, below.width(), below.height()), content.grad)


def _boxes(part: str, area: QRectF, value: ValueContent) -> Iterator[Spot]:
    if value.kind == "number":
        yield Spot(part, 0, QRectF(area.left(), area.top(), area.width(), sizes.LINE))
    elif value.picture is not None and not value.cells:
        for cell, box in enumerate(picture_boxes(_picture_place(area), value.picture)):
            yield Spot(part, cell, box, pictured=True)
    wide = _cell_width(area, value) if value.cells else 0.0
    for row, texts in enumerate(value.cells):
        for column in range(len(texts)):
            left, top = area.left() + column * wide, area.top() + row * sizes.CELL_HEIGHT
            yield Spot(part, row * len(texts) + column, QRectF(left, top, wide - 1.5, sizes.CELL_HEIGHT - 1.5))


def _number(painter: QPainter, ink: Ink, room: QRectF, value: ValueContent, colour: str, align: int) -> None:
    """A number in large figures, in small ones, or shortened, whichever fits first. Gradients are bold, and what is not
    finite has the colour of errors, as in a grid."""
    if value.text == "None":
        ink.text(painter, sizes.META, "muted", room, value.text, align)
        return
    large = sizes.GRAD if colour == "gradient" else sizes.NUMBER
    ways = ((large, value.text), (sizes.CELL, value.text))
    shortest = (sizes.CELL, cell_in(ink, value.summary[0], room.width()))
    role, text = next((way for way in ways if ink.width(*way) <= room.width()), shortest)
    is_finite = "inf" not in value.text and "nan" not in value.text
    ink.text(painter, role, colour if is_finite else "error", room, text, align)


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
    """The tag of a tensor drawn elsewhere: an arrow and its name, in the colour of its frame."""
    frame = ink.frames[content.category]
    painter.setPen(QPen(frame.border, frame.width))
    painter.setBrush(frame.header)
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    ink.text(painter, sizes.META, "muted", box.adjusted(8, 0, 0, 0), "↗", LEFT)
    ink.text(painter, sizes.NAME, "text", box.adjusted(21, 0, -8, 0), content.name, LEFT)


def paint_operation(
    painter: QPainter, ink: Ink, box: QRectF, content: OperationContent, *, vertical: bool = False
) -> None:
    """Paint the operation in the middle of its box."""
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
    room = (box.width() - circle.width()) / 2 - sizes.TAB_GAP if vertical else box.width() + 2 * (sizes.MARGIN - 2)
    fit = sizes.tabs_fit(ink, tuple(tab.name for tab in content.tabs), box.width())
    _tabs(painter, ink, circle, sizes.tab_rows(content.tabs, vertical=vertical, fit=fit), room, vertical)


def _labels(painter: QPainter, ink: Ink, box: QRectF, top: float, content: OperationContent) -> None:
    width = min(sizes.LABEL_MAX, box.width() + 2 * (sizes.MARGIN - 2))  # larger from further away
    line = QRectF(box.center().x() - width / 2, top, width, sizes.LABEL_HEIGHT)
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
    """A label with a background, so that an edge passing behind does not strike it through."""
    width = min(ink.width(sizes.SMALL, text), line.width()) + 4
    ground = QRectF(line.center().x() - width / 2, line.top() + 1, width, line.height() - 2)
    painter.fillRect(ground, ink.colour("canvas", BEHIND))
    ink.text(painter, sizes.SMALL, colour, line, text, CENTRE)


def _tabs(
    painter: QPainter, ink: Ink, circle: QRectF, rows: list[tuple[Tab, ...]], room: float, vertical: bool
) -> None:
    high = len(rows) * sizes.TAB_LINE - (sizes.TAB_LINE - sizes.TAB_HEIGHT)
    top = circle.center().y() - high / 2 if vertical else circle.top() - sizes.TAB_GAP - high
    for row in rows:
        widths = sizes.tab_widths(ink, tuple(tab.name for tab in row), room)
        whole = sum(widths) + sizes.TAB_BETWEEN * (len(row) - 1)
        left = circle.center().x() - whole / 2
        if vertical:
            left = circle.left() - sizes.TAB_GAP - whole
        for tab, width in zip(row, widths, strict=True):
            _tab(painter, ink, QRectF(left, top, width, sizes.TAB_HEIGHT), tab)
            left += width + sizes.TAB_BETWEEN
        top += sizes.TAB_LINE


def _tab(painter: QPainter, ink: Ink, place: QRectF, tab: Tab) -> None:
    """Held: filled. Freed: dashed and struck through. Stale (its version no longer matches): red, with a mark."""
    freed, stale = tab.state == "freed", tab.state == "stale"
    name = "freed" if freed else "stale" if stale else "saved"
    painter.setPen(ink.pen(name, 1.2, style=Qt.PenStyle.DashLine if freed else Qt.PenStyle.SolidLine))
    ground = ink.colour("canvas", BEHIND) if freed else ink.colours["error_fill" if stale else "saved"]
    painter.setBrush(ground)
    painter.drawRoundedRect(place, 3.5, 3.5)
    colour, inner = "freed" if freed else "stale" if stale else "saved_text", place.adjusted(3, 0, -3, 0)
    ink.text(painter, sizes.TAB, colour, inner, tab.name, CENTRE)
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
