"""How a line of the palette looks: the symbol in a circle as on the canvas, ringed in the colour of its category, its
name and what it does; the same tile is what one drags."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gradviz.ui import look
from gradviz.ui.panels.palette_rows import LEAVES, Row
from gradviz.ui.theme import Theme

ROW = Qt.ItemDataRole.UserRole
HEIGHT, HEADING, RING = 41, 28, 30
TILE, MARGIN = 62, 8  # width of the column of symbols, space around
NAME, BRIEF, SMALLEST = 13.5, 11.5, 7.5  # text sizes
CENTRE = Qt.AlignmentFlag.AlignCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
# fields of the theme; a colour is never the only sign: the heading, or the word at the right, says the category
COLOURS = {
    LEAVES: "leaf", "arithmetic": "forward", "functions": "link", "activations": "backward", "layers": "inplace",
    "losses": "error", "linear algebra": "output", "reductions": "accumulate", "shape": "string",
    "indexing": "warning", "selection": "saved", "comparison": "group", "types": "other", "random": "builtin",
    "complex": "keyword", "fourier": "number", "new tensors": "constant", "special functions": "muted",
}  # fmt: skip
ModelIndex = QModelIndex | QPersistentModelIndex


def colour_of(theme: Theme, category: str) -> QColor:
    """The colour of a category of operations, or of leaves."""
    return QColor(getattr(theme, COLOURS.get(category, "muted")))


def paint_tile(painter: QPainter, theme: Theme, box: QRectF, row: Row) -> None:
    """The symbol in a circle, in a rounded box where it is a word, or on a card for a leaf."""
    ring = colour_of(theme, row.category)
    height = min(box.height(), float(theme.px(RING)))
    short = len(row.symbol) < 3
    width = height if short and row.category != LEAVES else box.width()
    tile = QRectF(box.center().x() - width / 2, box.center().y() - height / 2, width, height)
    painter.setPen(QPen(ring, 1.8 * theme.scale))
    painter.setBrush(QColor(theme.leaf_fill if row.category == LEAVES else theme.card))
    corner = theme.px(5) if row.category == LEAVES else height / 2
    painter.drawRoundedRect(tile, corner, corner)
    size = 17.0 if short else 13.0
    font = look.sans(theme, size, bold=short)
    while size > SMALLEST and QFontMetrics(font).horizontalAdvance(row.symbol) > tile.width() - theme.px(8):
        size -= 0.5
        font = look.sans(theme, size, bold=short)
    painter.setFont(font)
    painter.setPen(QColor(theme.text))
    painter.drawText(tile, CENTRE, row.symbol)


def drag_pixmap(theme: Theme, row: Row, ratio: float) -> QPixmap:
    """What hangs at the pointer while it is dragged."""
    width, height = theme.px(TILE) + 4, theme.px(RING) + 4
    made = QPixmap(round(width * ratio), round(height * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_tile(painter, theme, QRectF(2, 2, width - 4, height - 4), row)
    return made


class RowPainter(QStyledItemDelegate):
    """Paints headings and rows. While something is looked for, each row says its category."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.says_category = False

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        row: Row = index.data(ROW)
        return QSize(120, self.theme.px(HEADING if row.is_heading else HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        row: Row = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRect(option.rect)
        if row.is_heading:
            self._heading(painter, box, row)
        else:
            self._row(painter, box, row, option.state)
        painter.restore()

    def _heading(self, painter: QPainter, box: QRect, row: Row) -> None:
        theme = self.theme
        painter.setFont(look.sans(theme, BRIEF, bold=True))
        painter.setPen(QColor(theme.muted))
        inner = box.adjusted(theme.px(MARGIN), theme.px(6), -theme.px(MARGIN), 0)
        painter.drawText(inner, LEFT, row.name.capitalize())
        painter.setPen(QColor(theme.panel_border))
        start = inner.left() + painter.fontMetrics().horizontalAdvance(row.name.capitalize()) + theme.px(8)
        painter.drawLine(start, inner.center().y(), inner.right(), inner.center().y())

    def _row(self, painter: QPainter, box: QRect, row: Row, state: QStyle.StateFlag) -> None:
        theme, gap = self.theme, self.theme.px(MARGIN)
        chosen, under = QStyle.StateFlag.State_Selected in state, QStyle.StateFlag.State_MouseOver in state
        if chosen or under:
            painter.setPen(QPen(QColor(theme.focus), 1.4) if chosen else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selection if chosen else theme.button_hover))
            painter.drawRoundedRect(QRectF(box).adjusted(2, 1, -2, -1), 6, 6)
        paint_tile(painter, theme, QRectF(box.left() + gap, box.top(), theme.px(TILE), box.height()), row)
        text = box.adjusted(2 * gap + theme.px(TILE), theme.px(3), -gap, -theme.px(3))
        upper, lower = QRect(text), QRect(text)
        upper.setBottom(text.center().y())
        lower.setTop(text.center().y() + 1)
        bold, small = look.sans(theme, NAME, bold=True), look.sans(theme, BRIEF)
        beside = QFontMetrics(small).horizontalAdvance(row.category) + gap
        if self.says_category and QFontMetrics(bold).horizontalAdvance(row.name) + beside <= upper.width():
            painter.setFont(small)
            painter.setPen(QColor(theme.muted))
            painter.drawText(upper, RIGHT, row.category)
            upper.setRight(upper.right() - beside)
        self._line(painter, upper, row.name, bold, theme.text)
        self._line(painter, lower, row.brief, small, theme.text if chosen else theme.muted)

    def _line(self, painter: QPainter, box: QRect, text: str, font: QFont, colour: str) -> None:
        painter.setFont(font)
        painter.setPen(QColor(colour))
        how = Qt.TextElideMode.ElideRight if " " in text else Qt.TextElideMode.ElideMiddle  # names differ at their ends
        shown = painter.fontMetrics().elidedText(text, how, box.width())
        painter.drawText(box, LEFT, shown)
