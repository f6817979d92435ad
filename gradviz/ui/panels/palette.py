"""The palette: every operation and kind of leaf, to search, drag to the canvas, or add with Enter. The board decides
what adding does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QKeyCombination,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QDrag, QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.catalogue import Entry, catalogue, find
from gradviz.document.leaf_kinds import LEAF_KINDS, LeafKind, leaf_kind
from gradviz.session.state import Slice, State
from gradviz.ui import look
from gradviz.ui.drawing.drag import LEAF, MIME
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme

# -- what it lists, without Qt

USED_MOST = 12  # recently used ones above the categories
FOUND = 60  # results shown for a query
LEAVES, RECENT, MOST = "leaves", "used last", "used most"


@dataclass(frozen=True)
class Row:
    """One line of the palette; a heading has no payload. `payload` is what is dragged and added: the key of an
    operation, or "leaf:" and a kind."""

    name: str
    payload: str = ""
    symbol: str = ""
    brief: str = ""
    category: str = ""
    entry: Entry | None = None

    @property
    def is_heading(self) -> bool:
        """Whether it can't be chosen."""
        return not self.payload


def rows(query: str, recent: Sequence[str] = ()) -> tuple[Row, ...]:
    """What is listed for a query: the matches, best first. Without a query: leaves, the most recently used, the most
    popular, and all operations by category."""
    if query.strip():
        return tuple(_leaves_for(query)) + tuple(map(operation_row, find(query, FOUND)))
    last = [row for row in map(_row, recent) if row is not None]
    listed = [Row(LEAVES), *map(_leaf_row, LEAF_KINDS)]
    if last:
        listed += [Row(RECENT), *last]
    return tuple(listed) + _all_operations()


@cache
def _all_operations() -> tuple[Row, ...]:
    listed = [Row(MOST), *map(operation_row, find("", USED_MOST))]
    category = ""
    for entry in catalogue().values():
        if entry.category != category:
            category = entry.category
            listed.append(Row(category))
        listed.append(operation_row(entry))
    return tuple(listed)


def _row(payload: str) -> Row | None:
    """The row for a recently added payload; None if it no longer exists."""
    if payload.startswith(LEAF):
        kind = leaf_kind(payload.removeprefix(LEAF))
        return None if kind is None else _leaf_row(kind)
    entry = catalogue().get(payload)
    return None if entry is None else operation_row(entry)


def _leaf_row(kind: LeafKind) -> Row:
    return Row(kind.title, LEAF + kind.key, kind.symbol, kind.brief, LEAVES)


def _leaves_for(query: str) -> list[Row]:
    """The kinds of leaf with a word that starts with this."""
    wanted = query.lower().split()
    found = []
    for kind in LEAF_KINDS:
        words = f"{kind.title} {kind.key} leaf tensor".lower().replace("(", " ").split()
        if all(any(word.startswith(part) for word in words) for part in wanted):
            found.append(_leaf_row(kind))
    return found


@cache
def operation_row(entry: Entry) -> Row:
    """The row of an operation. Those of `torch.linalg` have that prefix, because `torch` has others with the same
    names."""
    name = entry.key if entry.key.startswith("linalg.") else entry.name
    return Row(name, entry.key, entry.symbol, entry.brief, entry.category, entry)


ROW = Qt.ItemDataRole.UserRole
HEIGHT, HEADING, RING = 41, 28, 30
TILE, MARGIN = 62, 8  # width of the column of symbols, and space around it
NAME, BRIEF, SMALLEST = 13.5, 11.5, 7.5  # text sizes
CENTRE = Qt.AlignmentFlag.AlignCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
# fields of the theme; colour is never the only sign: the heading, or the word on the right, names the category
COLOURS = {
    LEAVES: "leaf", "arithmetic": "forward", "functions": "link", "activations": "backward", "layers": "inplace",
    "losses": "error", "linear algebra": "output", "reductions": "accumulate", "shape": "string",
    "indexing": "warning", "selection": "saved", "comparison": "group", "types": "other", "random": "builtin",
    "complex": "keyword", "fourier": "number", "new tensors": "constant", "special functions": "muted",
}  # fmt: skip


def colour_of(theme: Theme, category: str) -> QColor:
    """The colour of a category of operations, or of leaves."""
    return QColor(getattr(theme, COLOURS.get(category, "muted")))


def paint_tile(painter: QPainter, theme: Theme, box: QRectF, row: Row) -> None:
    """The symbol in a circle, in a rounded box if it is a word, or on a card for a leaf."""
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
    """The picture at the pointer during a drag."""
    width, height = theme.px(TILE) + 4, theme.px(RING) + 4
    made = QPixmap(round(width * ratio), round(height * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_tile(painter, theme, QRectF(2, 2, width - 4, height - 4), row)
    return made


class RowPainter(QStyledItemDelegate):
    """Paints headings and rows. During a search, each row names its category."""

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


MOST_RECENT = 6  # how many recently added ones are kept
HINT = "Enter adds it, or drag it to the canvas. Shift+F1 explains it."
SNIPPET = "You can't add nodes to a snippet by hand. Start a <a href='draw.new'>new drawing</a> instead."
NOTHING = "No operation matches. Try another word, such as product or norm."
MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
ROOT = QModelIndex()
ModelIndex = QModelIndex | QPersistentModelIndex
EXPLAIN = QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_F1)
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class RowModel(QAbstractListModel):
    """The rows, for Qt."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows: tuple[Row, ...] = ()

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """List these."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: ModelIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.name if row.is_heading else f"{row.name}, {row.category}: {row.brief}"
        if role == Qt.ItemDataRole.ToolTipRole and not row.is_heading:
            return tip(row, self.theme)
        return None

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        if not index.isValid() or self.rows[index.row()].is_heading:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled

    def at(self, index: QModelIndex) -> Row | None:
        """The row that can be chosen there."""
        row = self.rows[index.row()] if index.isValid() else None
        return None if row is None or row.is_heading else row


def tip(row: Row, theme: Theme) -> str:
    """Everything about a row: its name, formula, inputs and gradients."""
    entry = row.entry
    if entry is None:
        return f"<b>{look.escape(row.name)}</b><br>{look.escape(row.brief)}"
    name = entry.key if entry.key.startswith("Tensor.") else f"torch.{entry.key}"
    lines = [f"<b>{look.escape(name)}</b>({look.escape(', '.join(entry.order))})", look.escape(entry.brief)]
    if entry.formula:
        lines.insert(1, f"<code>{look.escape(entry.formula)}</code>")
    for port, how in entry.gradients:
        lines.append(f"<span style='color:{theme.gradient}'>gradient of {port}: {look.escape(how)}</span>")
    return "<br>".join(lines)


class RowList(QListView):
    """The rows; a dragged one is shown at the pointer as it will look on the canvas."""

    typed = Signal(str)  # a letter, which belongs in the search field

    def __init__(self, model: RowModel, theme: Theme) -> None:
        super().__init__()
        self.painter = RowPainter(theme, self)
        self.setModel(model)
        self.setItemDelegate(self.painter)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName("Operations and leaves")

    def row(self, index: QModelIndex) -> Row | None:
        """The row that can be chosen there."""
        model = self.model()
        return model.at(index) if isinstance(model, RowModel) else None

    def startDrag(self, actions: Qt.DropAction) -> None:
        row = self.row(self.currentIndex())
        if row is not None:
            self.drag(row).exec(Qt.DropAction.CopyAction)

    def drag(self, row: Row) -> QDrag:
        """The data dragged for a row."""
        made, data = QDrag(self), QMimeData()
        data.setData(MIME, row.payload.encode())
        made.setMimeData(data)
        pixmap = drag_pixmap(self.painter.theme, row, self.devicePixelRatioF())
        made.setPixmap(pixmap)
        made.setHotSpot(QRectF(QPointF(), pixmap.deviceIndependentSize()).center().toPoint())
        return made

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters continue the search."""
        text = event.text()
        if text.isprintable() and text.strip() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.typed.emit(text)
        else:
            super().keyPressEvent(event)


class PalettePanel(Panel):
    """A search field above the list."""

    shows = Slice("document")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._closed = False  # the document is a snippet
        self.recent: list[str] = []  # payloads of the most recently added, newest first
        self.search = look.search_field("Search the palette", "Search: add, *, linear, x^2, loss")
        self.model = RowModel(self.theme)
        self.list = RowList(self.model, self.theme)
        self.hint = QLabel(HINT)
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        self.hint.linkActivated.connect(context.do)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        for widget in (self.search, self.list, self.hint):
            column.addWidget(widget, 1 if widget is self.list else 0)
        self.search.textChanged.connect(self._look)
        self.search.installEventFilter(self)
        self.list.installEventFilter(self)
        self.list.typed.connect(self._type)
        self.list.doubleClicked.connect(self._add_at)

    def showEvent(self, event: QShowEvent) -> None:
        """The rows are created when they first become visible."""
        if not self.model.rows:
            self._look()
        super().showEvent(event)

    @property
    def focus_target(self) -> QWidget:
        return self.search

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.model.theme = self.list.painter.theme = theme
        self.list.scheduleDelayedItemsLayout()
        self.hint.setFont(look.sans(theme, look.SMALL))

    def show_state(self, before: State, after: State) -> None:
        """Say if nothing can be placed; the list itself does not depend on the state."""
        self._closed = after.drawing is None and not after.document.is_blank
        self._say()

    def _say(self) -> None:
        self.hint.setText(SNIPPET if self._closed else HINT if self.model.rows else NOTHING)

    def add(self) -> None:
        """Place the chosen row, as its board does."""
        self._add_at(self.list.currentIndex())

    def _add_at(self, index: QModelIndex) -> None:
        row = self.model.at(index)
        if row is None:
            return
        self._remember(row.payload)
        board = self.context.shell.board
        if row.payload.startswith(LEAF):
            board.add_leaf(row.payload.removeprefix(LEAF))
        else:
            board.add(row.payload)

    def _remember(self, payload: str) -> None:
        self.recent = [payload, *(each for each in self.recent if each != payload)][:MOST_RECENT]

    def _look(self) -> None:
        """List the matches for what was typed, and choose the first."""
        query = self.search.text()
        found = rows(query, self.recent)
        self.list.painter.says_category = bool(query.strip())
        self.model.show_rows(found)
        self._say()
        first = next((at for at, row in enumerate(found) if not row.is_heading), None)
        if first is not None:
            self.list.setCurrentIndex(self.model.index(first))
            self.list.scrollToTop()

    def _type(self, text: str) -> None:
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self.search.insert(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the search field, the arrows move in the list, Enter adds, Escape clears, and Shift+F1 explains the chosen
        row."""
        if not isinstance(event, QKeyEvent) or event.type() not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return super().eventFilter(watched, event)
        row = self.list.row(self.list.currentIndex())
        if event.keyCombination() == EXPLAIN and row is not None and row.entry is not None:
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.context.shell.dialogs.operation_reference(row.entry.name)
            return True
        if event.type() == QEvent.Type.KeyPress and event.key() in ENTER:
            self.add()
            return True
        if event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            return True
        if event.type() == QEvent.Type.KeyPress and watched is self.search and event.key() in MOVES:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)
