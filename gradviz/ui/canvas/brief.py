"""Items at medium zoom. `Writer` provides their name, main number or picture, and gradient; `BriefPainter` paints these
in the same frames and colours as up close, in text that keeps its size on screen. This is cheap enough for hundreds of
items at every step: it compares the indices of values and formats each value once. `content` says more about items up
close; from far away even this is too much, see `painter`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen

from gradviz.document.tables import table_of
from gradviz.trace.table.values import number_text
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.content import Tab, on_its_way, tabs_of
from gradviz.ui.canvas.diagram import CONSTANT, OPERATION, TENSOR, Diagram, Ints
from gradviz.ui.canvas.heat import Picture, picture
from gradviz.ui.canvas.ink import CENTRE, LEFT, RIGHT, Ink
from gradviz.ui.canvas.item_painter import BEFORE_POINT, Spot, paint_picture, picture_boxes

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value


DIGITS = (4, 3, 2, 1)  # formats of a number; the first that fits is used
BARE = 2  # digits, from which on a zero before the point costs more than it says
LONGEST = 14  # characters of a small array that is written out


@dataclass(frozen=True)
class Brief:
    """`value` and `grad` are indices of values in the trace, -1 for none."""

    name: str
    value: int = -1
    grad: int = -1
    tracked: bool = True  # a gradient can come
    stored: bool = False  # the gradient is stored in `.grad`, not just passing through
    ran: bool = False  # an operation that has run backward in this call
    tabs: tuple[Tab, ...] = ()  # an operation's saved buffers
    arrived: int = 0  # gradients in the input buffer, out of those it waits for
    expected: int = 0
    ticks: str = ""  # the gradient while it animates from another number


@dataclass(frozen=True)
class Grid:
    """The numbers of a small array, row by row, and the width of each column in characters: all equally wide, if there
    is room for that."""

    rows: tuple[tuple[str, ...], ...]
    columns: tuple[float, ...]


@dataclass(frozen=True)
class Written:
    """A value in a few characters, or as a picture."""

    text: str
    norm: str
    picture: Picture | None
    shorter: tuple[str, ...] = ()  # the norm with fewer digits
    grids: tuple[Grid, ...] = ()  # the numbers of a small array, with fewer and fewer digits


class Briefs:
    """The values and gradients of all tensors at one frame."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        trace, cursor = frame.trace, frame.cursor
        self.value: Ints = np.array(trace.tensors.value, np.int64)
        _follow(self.value, trace.writes, cursor)
        self.grad: Ints = np.full(len(trace.tensors), -1, np.int64)
        _follow(self.grad, trace.grads, cursor)
        self.stored = self.grad >= 0
        passing = np.full(len(trace.tensors), -1, np.int64)
        self._arrival: Ints = np.full(len(trace.tensors), -1, np.int64)  # the latest in this call
        if frame.call >= 0:
            arrivals = trace.arrivals
            low, high = np.searchsorted(arrivals.step, [int(trace.calls.step[frame.call]), cursor])
            rows = np.arange(low, high)
            rows = rows[(arrivals.call[rows] == frame.call) & (arrivals.tensor[rows] >= 0)]
            passing[arrivals.tensor[rows]] = arrivals.total[rows]
            self._arrival[arrivals.tensor[rows]] = rows
            passing[trace.tensors.is_leaf[: len(passing)].astype(bool)] = -1
        self.grad = np.where(self.stored, self.grad, passing)

    def of(self, diagram: Diagram, item: int) -> Brief:
        """What to say about a card, an operation or a tag."""
        index = int(diagram.index[item])
        if diagram.kind[item] == TENSOR:
            value, grad, stored = int(self.value[index]), int(self.grad[index]), bool(self.stored[index])
            last, arrivals = int(self._arrival[index]), self._frame.trace.arrivals
            arrived, expected = (int(arrivals.arrived[last]), int(arrivals.expected[last])) if last >= 0 else (0, 0)
            tracked = bool(diagram.category[item] != CONSTANT)
            return Brief(diagram.names[item], value, grad, tracked, stored, arrived=arrived, expected=expected)
        if diagram.kind[item] == OPERATION:
            tabs = tabs_of(self._frame, index)
            symbol = diagram.names[item] or str(diagram.trace.nodes.symbol[index])
            return Brief(symbol, ran=bool(self._frame.node_ran[index]), tabs=tabs)
        return Brief(diagram.names[item])


def _follow(values: Ints, table: object, cursor: int) -> None:
    """Apply a table of changes up to a cursor; later rows win."""
    end = int(np.searchsorted(table.step, cursor))  # type: ignore[attr-defined]
    values[table.tensor[:end]] = table.value[:end]  # type: ignore[attr-defined]


class Writer:
    """Formats values, each of them once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[int, Written] = {}

    def of(self, number: int) -> Written:
        """The text for the value with this index."""
        if number not in self._known:
            self._known[number] = self._written(number)
        return self._known[number]

    def _written(self, number: int) -> Written:
        value = self._trace.value(number)
        if value is None:
            return Written("None", "None", None)
        if value.scalar is not None:
            text, *shorter = (number_text(value.scalar, digits) for digits in DIGITS)
            return Written(text, text, None, tuple(shorter))
        text = value.text(LONGEST)
        shown = picture(value.edges) if value.numel > 1 else None
        norm, *shorter = (f"‖{number_text(value.norm, digits)}‖" for digits in DIGITS)
        written = text if len(text) <= LONGEST else ""
        return Written(written, norm, shown, tuple(shorter), _grids(value))


def _grids(value: Value) -> tuple[Grid, ...]:
    """The numbers of an array with few rows and columns, in fewer and fewer digits, in the end without the zero before
    the point and with one digit where another number is ten times as large, or T and F for True and False. Empty for
    larger arrays."""
    table = table_of(value.array.shape) if value.array is not None else None
    if value.array is None or table is None:
        return ()
    numbers = value.array.reshape(table)
    found = []
    if value.dtype == "bool":
        words = tuple(tuple(str(number) for number in row) for row in numbers.tolist())
        found = [words, tuple(tuple(word[0] for word in row) for row in words)]
    for digits in DIGITS if value.dtype != "bool" else ():
        least = float(np.abs(numbers).max(initial=0)) / 10 if digits < BARE else 0.0  # of the larger ones 1.5 is no 2
        rows = tuple(
            tuple(number_text(number, digits if abs(number) < least else max(digits, BARE)) for number in row)
            for row in numbers.tolist()
        )
        bare = tuple(tuple(BEFORE_POINT.sub(r"\1.", text) for text in row) for row in rows)
        found += {BARE: [rows, bare]}.get(digits, [rows] if digits > BARE else [bare])
    return tuple(Grid(rows, columns) for rows in found for columns in _columns(rows))


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[tuple[float, ...]]:
    """The columns as wide as the widest, and each as wide as it must be."""
    widths = tuple(max(map(len, column)) + BETWEEN for column in zip(*rows, strict=True))
    yield (max(widths),) * len(widths)
    if min(widths) < max(widths):
        yield widths


# -- painting

LINE = 13.0  # height of a line of text in pixels, at text scale 1
PADDING = 4.0
LOWEST = 7.0  # pixels that a picture needs
NARROWEST_WORD = 26.0
WIDEST = 2.4  # how far the name of an operation may widen its circle
ANY_NAME, ANY_ROOM = "ƒ", 20  # shown instead of a name that does not fit, and the pixels it needs
NAME_SIZE, NUMBER_SIZE = 0.85, 0.72  # of the fonts of cards up close: 11 pixels
BETWEEN = 0.6  # gap between the numbers of a grid, in digit widths
NAMED_GAP = 2.0  # pixels around tabs with names
MARK_GAP = 3.0  # pixels behind the ∇
LARGE = 1.6  # lines that a number takes at most
SPARE = 10.0  # how far they may extend beyond the box of their operation: less than what is between two boxes
PASSING = "∇"  # put before a gradient so that it can't be mistaken for a value


@dataclass(frozen=True)
class Block:
    """The value or the gradient of a card as it is painted in a box: as numbers, as a picture, or as one text."""

    box: QRectF
    written: Written
    grid: Grid | None = None
    picture: Picture | None = None
    above: float = 0.0  # what belongs to it above the box, in pixels


def _lines(area: QRectF, line: float) -> int:
    """How many lines of text fit on a card."""
    return int((area.height() - 2) / line)


def _gradient_area(area: QRectF, gradient: Block) -> QRectF:
    """The lower part of a card, which belongs to the gradient."""
    top = gradient.box.top() - gradient.above
    return QRectF(area.left(), top, area.width(), area.bottom() - top)


def _cells(body: QRectF, line: float, grid: Grid) -> Iterator[QRectF]:
    lefts = [0.0, *accumulate(grid.columns)]
    for row in range(len(grid.rows)):
        for low, high in pairwise(body.left() + left * body.width() / lefts[-1] for left in lefts):
            yield QRectF(low, body.top() + row * (line - 2), high - low, line - 2)


def _boxes(block: Block, line: float) -> Iterator[QRectF]:
    """The box of each number, or of each cell of a picture."""
    if block.grid is not None:
        yield from _cells(block.box, line, block.grid)
    elif block.picture is not None:
        yield from picture_boxes(block.box, block.picture)
    else:
        yield block.box


def _named_tabs(ink: Ink, tabs: tuple[Tab, ...], room: QSizeF, vertical: bool) -> list[list[tuple[Tab, float]]]:
    """The rows of tabs with their names, and the width of each in pixels; empty if there is no room for that."""
    large, line = ink.theme.scale, LINE * ink.theme.scale + NAMED_GAP
    fit = sizes.tabs_width(ink, tuple(tab.name for tab in tabs)) * large <= room.width()
    rows = sizes.tab_rows(tabs, vertical=vertical, fit=fit)
    found = []
    for row in rows:
        widths = sizes.tab_widths(ink, tuple(tab.name for tab in row), room.width() / large)
        found.append([(tab, width * large) for tab, width in zip(row, widths, strict=True)])
    wide = max((sum(width + NAMED_GAP for _, width in row) for row in found), default=0.0)
    return found if wide <= room.width() + NAMED_GAP and len(rows) * line <= room.height() else []


def _fitting(ink: Ink, body: QRectF, line: float, written: Written) -> Grid | None:
    """The numbers of a small array with as many digits as fit; None if not even the shortest form does."""
    if not written.grids or body.height() < (line - 2) * len(written.grids[0].rows):
        return None
    room = body.width() / (ink.width(sizes.CELL, "0") * ink.theme.scale)
    return next((grid for grid in written.grids if sum(grid.columns) <= room), None)


def _mark_width(ink: Ink) -> float:
    """What the ∇ takes beside a gradient, in pixels."""
    return ink.width(sizes.META, PASSING) * ink.theme.scale + MARK_GAP


def _number_size(ink: Ink, role: str, number: str, box: QRectF, line: float) -> float:
    """How large a number is written in its box, as a part of its font: as up close, if there is room for that."""
    wide = box.width() / (ink.width(role, number) * ink.theme.scale)
    return max(NUMBER_SIZE, min(NUMBER_SIZE * box.height() / (line + 1), wide, 1.0))


def _room(width: float, scale: float) -> float:
    """How wide what belongs to an item may be, whose box is so wide on the screen."""
    return width + 2 * (sizes.MARGIN - 2) * scale


def _circle(ink: Ink, area: QRectF, name: str, room: float) -> tuple[str, str, float, QRectF]:
    """What an operation is called in its circle, the font and its size, and the circle, as wide as the name needs and
    the room around it allows."""
    role, size = sizes.SYMBOL, min(0.8, max(0.56, area.height() / 26))
    if len(name) > 2:
        role, size = sizes.NAME, NAME_SIZE
    needed = ink.width(role, name) * size * ink.theme.scale + 8
    if needed > WIDEST * area.width() or area.height() < LINE * 0.6:
        name, role, size, needed = ANY_NAME, sizes.SYMBOL, 0.6, 0.0
    wider = max(0.0, min(needed, room) - area.width()) / 2
    return name, role, size, area.adjusted(-wider, 0, wider, 0)


class BriefPainter:
    """Paints items in screen pixels, in one theme."""

    def __init__(self, ink: Ink, writer: Writer, *, vertical: bool = False) -> None:
        self._ink = ink
        self._writer = writer
        self._vertical = vertical

    def ticking(self, before: object, after: object, part: float) -> Brief | None:
        """An item whose gradient is still animating towards the sum that has arrived; None if there is no such sum."""
        if not (isinstance(before, Brief) and isinstance(after, Brief)) or min(before.grad, after.grad) < 0:
            return None
        one, other = self._writer.of(before.grad), self._writer.of(after.grad)
        text = on_its_way(one.text, other.text, part)
        return replace(after, ticks=text) if text else None

    def paint(
        self, painter: QPainter, card: QRectF, box: QRectF, kind: int, category: int, says: Brief, scale: float
    ) -> None:
        """Paint an item whose card or circle, and the box around it with its words, are these in world coordinates."""
        painter.save()
        painter.translate(card.topLeft())
        painter.scale(1 / scale, 1 / scale)
        area = QRectF(0, 0, card.width() * scale, card.height() * scale)
        if kind == TENSOR:
            self._card(painter, area, category, says, scale)
        elif kind == OPERATION:
            corner, size = (box.topLeft() - card.topLeft()) * scale, box.size() * scale
            self._operation(painter, area, QRectF(corner, size), category, says, scale)
        else:
            self._tag(painter, area, category, says)
        painter.restore()

    def _word(self, painter: QPainter, role: str, size: float, colour: str, box: QRectF, text: str, align: int) -> None:
        size *= self._ink.theme.scale
        painter.save()
        painter.translate(box.topLeft())
        painter.scale(size, size)
        self._ink.text(painter, role, colour, QRectF(0, 0, box.width() / size, box.height() / size), text, align)
        painter.restore()

    def _card(self, painter: QPainter, area: QRectF, category: int, says: Brief, scale: float) -> None:
        ink = self._ink
        frame, corner, line = ink.frames[category], max(6.0 * scale, 2.0), LINE * ink.theme.scale
        lines = _lines(area, line)
        header = QRectF(area.left(), area.top(), area.width(), line if lines > 1 else area.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink.colours["card"])
        painter.drawRoundedRect(area, corner, corner)
        painter.setBrush(frame.header)
        painter.drawRoundedRect(header, corner, corner)
        if lines > 1:
            painter.drawRect(header.adjusted(0, header.height() / 2, 0, 0))
        value, grad = self._blocks(area, line, says)
        if lines and (lines > 2 or grad is None) and area.width() > NARROWEST_WORD:
            align = LEFT if lines > 1 else CENTRE
            side = PADDING if lines > 1 else PADDING / 2
            inside = header.adjusted(side, 0, -side, 0)
            self._word(painter, sizes.NAME, NAME_SIZE, "text", inside, says.name, align)
        if grad is not None:
            self._gradient(painter, area, line, corner, says, grad)
        if value is not None:
            self._value(painter, line, value)
        style = Qt.PenStyle.DashLine if category == CONSTANT else Qt.PenStyle.SolidLine
        painter.setPen(QPen(frame.border, max(frame.width * scale, 1.2), style))
        painter.setBrush(QBrush())
        painter.drawRoundedRect(area, corner, corner)
        if says.expected > 1:
            self._badge(painter, area, says, scale)

    def _badge(self, painter: QPainter, area: QRectF, says: Brief, scale: float) -> None:
        """How many gradients have arrived where several are summed: a pill that fills up, with words if they fit."""
        ink = self._ink
        height = (sizes.BADGE_GAP + sizes.BADGE_HEIGHT) * scale - 3
        pill = QRectF(area.left(), area.bottom() + 2, area.width(), min(height, LINE * ink.theme.scale))
        radius = pill.height() / 2
        painter.setPen(QPen(ink.colours["gradient"], 1.0))
        painter.setBrush(ink.colours["gradient_fill"])
        painter.drawRoundedRect(pill, radius, radius)
        painter.save()
        painter.setClipRect(QRectF(pill.left(), pill.top(), pill.width() * says.arrived / says.expected, pill.height()))
        painter.setBrush(ink.colour("gradient", 0.25))
        painter.drawRoundedRect(pill, radius, radius)
        painter.restore()
        if pill.height() >= LINE * ink.theme.scale - 4:
            inner = pill.adjusted(5, 0, -5, 0)
            self._word(painter, sizes.CELL, 1.0, "text", inner, f"Σ {says.arrived} of {says.expected}", CENTRE)

    def _blocks(self, area: QRectF, line: float, says: Brief) -> tuple[Block | None, Block | None]:
        """The value and the gradient. Numbers are dropped last: with two lines, the value takes the place of the name,
        and the gradient that of the value."""
        lines = _lines(area, line)
        if lines < 2:
            return None, None
        body = area.adjusted(PADDING, line + 1, -PADDING, -2)
        if says.grad < 0:
            below = line - 1 if says.tracked and lines > 2 else 0.0  # a number does not move when its gradient comes
            return self._value_block(body, line, says, below), None
        grad = self._gradient_block(area, line, says)
        if lines == 2:
            body = QRectF(area.left() + PADDING, area.top(), area.width() - 2 * PADDING, line)
        elif grad.grid is not None or area.height() >= 3 * line - 1:
            body.setBottom(_gradient_area(area, grad).top())
        else:
            body.setBottom(area.top() + line)
        return self._value_block(body, line, says), grad

    def _value_block(self, body: QRectF, line: float, says: Brief, below: float = 0.0) -> Block | None:
        written = self._writer.of(says.value)
        grid = _fitting(self._ink, body, line, written)
        if grid is not None:
            return Block(body, written, grid)
        if written.picture is not None and body.height() >= LOWEST and (body.height() >= line or not written.text):
            return Block(body.adjusted(0, 1, 0, -1), written, picture=written.picture)
        place = QRectF(body.left(), body.top(), body.width(), min(body.height() - below, LARGE * line))
        return Block(place, written) if body.height() >= line - 3 else None

    def _value(self, painter: QPainter, line: float, block: Block) -> None:
        if block.grid is not None:
            self._grid(painter, block.box, line, block.grid, "text")
        elif block.picture is not None:
            paint_picture(painter, self._ink, block.box, block.picture, "text")
        else:
            text = self.number(sizes.NUMBER, block.written, block.box.width(), block.written.text)
            size = _number_size(self._ink, sizes.NUMBER, text, block.box, line)
            self._word(painter, sizes.NUMBER, size, "text", block.box, text, LEFT)

    def _grid(self, painter: QPainter, body: QRectF, line: float, grid: Grid, colour: str) -> None:
        texts = (text for row in grid.rows for text in row)
        for text, place in zip(texts, _cells(body, line, grid), strict=True):
            self._word(painter, sizes.CELL, 1.0, colour, place, text, CENTRE)

    def number(self, role: str, written: Written, room: float, first: str = "") -> str:
        """A number with as many digits as fit: an ellipsis inside a number would be meaningless."""
        ways = (first or written.norm, written.norm, *written.shorter)
        size = NUMBER_SIZE * self._ink.theme.scale
        return next((way for way in ways if self._ink.width(role, way) * size <= room), ways[-1])

    def _gradient_block(self, area: QRectF, line: float, says: Brief) -> Block:
        """The gradient on the last line, or as the numbers of a small array if the value leaves room for them."""
        written, value = self._writer.of(says.grad), self._writer.of(says.value)
        taken = (line - 2) * len(value.grids[0].rows) if value.grids else line
        mark = _mark_width(self._ink)
        for above, beside in ((line, 0.0), (0.0, mark)):  # where the ∇ is
            body = area.adjusted(PADDING + beside, line + 1 + taken + above, -PADDING, -2)
            grid = _fitting(self._ink, body, line, written)
            if grid is not None:
                body.setTop(body.bottom() - (line - 2) * len(grid.rows))
                return Block(body, written, grid, above=above)
        left = 0.0 if value.picture else area.height() - (1 + LARGE) * line - 1
        tall = max(line + 1, min(left, LARGE * line))
        return Block(QRectF(area.left() + PADDING, area.bottom() - tall, area.width() - 2 * PADDING, tall), written)

    def _gradient(self, painter: QPainter, area: QRectF, line: float, corner: float, says: Brief, block: Block) -> None:
        """The gradient, on a background of its own if it is stored."""
        last, grid = _gradient_area(area, block), block.grid
        if says.stored:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._ink.colours["gradient_fill"])
            painter.drawRoundedRect(last, corner, corner)
        tall = line if grid is not None else last.height()
        inner = QRectF(last.left() + PADDING, last.top(), last.width() - 2 * PADDING, tall)
        self._word(painter, sizes.META, 1.0, "gradient", inner, PASSING, LEFT)
        if grid is not None:
            self._grid(painter, block.box, line, grid, "gradient")
            return
        mark = _mark_width(self._ink)
        text = says.ticks or self.number(sizes.GRAD, block.written, inner.width() - mark)
        inner.adjust(mark, 0, 0, 0)
        size = _number_size(self._ink, sizes.GRAD, text, inner, line)
        self._word(painter, sizes.GRAD, size, "gradient", inner, text, RIGHT)

    def circle(self, card: QRectF, box: QRectF, name: str, scale: float) -> QRectF:
        """The circle of an operation as it is painted, in world coordinates."""
        box = _circle(self._ink, QRectF(QPointF(), card.size() * scale), name, _room(box.width() * scale, scale))[3]
        return QRectF(box.topLeft() / scale + card.topLeft(), box.size() / scale)

    def number_boxes(self, card: QRectF, says: Brief, scale: float) -> Iterator[Spot]:
        """Where a card shows numbers, in world coordinates; what stands for a whole array leads to its first number."""
        area, line = QRectF(0, 0, card.width() * scale, card.height() * scale), LINE * self._ink.theme.scale
        for part, block in zip(("value", "grad"), self._blocks(area, line, says), strict=True):
            for index, box in enumerate(_boxes(block, line) if block is not None else ()):
                place = QRectF(box.topLeft() / scale + card.topLeft(), box.size() / scale)
                yield Spot(part, index, place, pictured=block is not None and block.picture is not None)

    def _operation(
        self, painter: QPainter, area: QRectF, around: QRectF, category: int, says: Brief, scale: float
    ) -> None:
        ink = self._ink
        frame = ink.frames[category]
        border = ink.colours["gradient"] if says.ran else frame.border
        name, role, size, box = _circle(ink, area, says.name, _room(around.width(), scale))
        painter.setPen(QPen(border, max((2.2 if says.ran else frame.width) * scale, 1.2)))
        painter.setBrush(ink.colours["gradient_fill"] if says.ran else frame.header)
        painter.drawRoundedRect(box, area.height() / 2, area.height() / 2)
        if name != ANY_NAME or area.height() >= ANY_ROOM / 2:
            self._word(painter, role, size, "text", box, name, CENTRE)
        self._tabs(painter, area, around, says.tabs, scale)

    def _tabs(self, painter: QPainter, area: QRectF, box: QRectF, tabs: tuple[Tab, ...], scale: float) -> None:
        """A small tab per saved buffer: filled while held, a struck-through outline once freed, crossed out if stale;
        with its name if that can be read in the room around the circle."""
        room = QSizeF(_room(box.width(), scale), area.top() - box.top() + SPARE * scale)
        if self._vertical:
            room = QSizeF(area.left() - box.left(), box.height())
        rows = _named_tabs(self._ink, tabs, room, self._vertical)
        gap, tall, between = sizes.TAB_GAP * scale, LINE * self._ink.theme.scale, NAMED_GAP
        gap = max(NAMED_GAP, min(gap, room.height() - len(rows) * (tall + NAMED_GAP)))
        named = bool(rows)
        if not named:
            gap, tall, between = sizes.TAB_GAP * scale, sizes.TAB_HEIGHT * scale * 0.8, 3.0
            rows = [[(tab, 30 * scale) for tab in tabs]]
        high = len(rows) * (tall + NAMED_GAP) - NAMED_GAP
        top = area.center().y() - high / 2 if self._vertical else area.top() - gap - high
        for row in rows:
            whole = sum(width + between for _, width in row) - between
            left = area.left() - gap - whole if self._vertical else area.center().x() - whole / 2
            for tab, width in row:
                self._tab(painter, QRectF(left, top, width, tall), tab, named=named)
                left += width + between
            top += tall + NAMED_GAP

    def _tab(self, painter: QPainter, place: QRectF, tab: Tab, *, named: bool) -> None:
        colours, colour = self._ink.colours, tab.state if tab.state in ("freed", "stale") else "saved"
        painter.setPen(QPen(colours[colour], 1.0))
        painter.setBrush(colours["saved"] if tab.state == "held" else QBrush())
        painter.drawRoundedRect(place, 2, 2)
        if named:
            ink = "saved_text" if tab.state == "held" else colour
            self._word(painter, sizes.TAB, 1.0, ink, place.adjusted(2, 0, -2, 0), tab.name, CENTRE)
            painter.setPen(QPen(colours[colour], 1.0))
        if tab.state != "held":
            middle = place.center().y()
            painter.drawLine(QPointF(place.left(), middle), QPointF(place.right(), middle))
        if tab.state == "stale":
            painter.drawLine(place.topLeft(), place.bottomRight())

    def _tag(self, painter: QPainter, area: QRectF, category: int, says: Brief) -> None:
        frame = self._ink.frames[category]
        painter.setPen(QPen(frame.border, 1.2))
        painter.setBrush(frame.header)
        painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)
        if area.width() > NARROWEST_WORD and area.height() > LINE * 0.6:
            self._word(painter, sizes.NAME, NAME_SIZE, "text", area.adjusted(3, 0, -3, 0), says.name, CENTRE)
