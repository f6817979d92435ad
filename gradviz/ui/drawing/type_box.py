"""The box on the canvas in which one types what to make, with the operations that fit below it. What is made of the
text is in `typing_in`."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.catalogue import Entry
from gradviz.ui import look
from gradviz.ui.drawing.text_fields import Line
from gradviz.ui.theme import Theme

WIDTH = 470
ROWS = 7  # suggestions that are seen at once
SYMBOL, NAME = 64, 138  # widths of their columns
ENTRY = Qt.ItemDataRole.UserRole
PLACEHOLDER = "mul, +, 3.0, [1, 2], randn(2, 3), w*x + b"
ModelIndex = QModelIndex | QPersistentModelIndex


class _Row(QStyledItemDelegate):
    """Paints a suggestion: symbol, name, what it does."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return QSize(10, self.theme.px(25))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        theme, box = self.theme, QRect(option.rect)
        entry = index.data(ENTRY)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(theme.selection))
        parts: tuple[tuple[str, QFont, str, int], ...]
        if isinstance(entry, Entry):
            parts = (
                (entry.symbol, look.sans(theme, 13, bold=True), theme.text, SYMBOL),
                (entry.name, look.mono(theme, 12.5, bold=True), theme.text, NAME),
                (entry.brief, look.sans(theme, 12), theme.muted, 0),
            )
        else:
            parts = (
                ("", look.sans(theme, 12), theme.text, 12),
                (str(index.data()), look.sans(theme, 12.5), theme.text, 0),
            )
        left = box.left() + theme.px(8)
        for text, font, colour, width in parts:
            metrics = QFontMetrics(font)
            room = theme.px(width) if width else box.right() - left - theme.px(6)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room - 4)
            painter.drawText(QRect(left, box.top(), room, box.height()), int(Qt.AlignmentFlag.AlignVCenter), elided)
            left += room
        painter.restore()


class TypeBox(QFrame):
    """A line, the suggestions, and a sentence below."""

    edited = Signal(str)
    taken = Signal(str, object)  # Enter: the text, and the entry that was chosen or None
    forgotten = Signal()  # Esc, or the keyboard went elsewhere

    def __init__(self, over: QWidget, theme: Theme) -> None:
        super().__init__(over)
        self.setObjectName("typeBox")
        self.theme = theme
        self._over = over
        self._at = QPointF()
        self._chosen = False  # an arrow key went into the list
        self.line = Line()
        self.line.setPlaceholderText(PLACEHOLDER)
        self.line.setAccessibleName("Type an operation, a number or an expression")
        self.line.textEdited.connect(self._edited)
        self.line.key.connect(self._key)
        self.line.left.connect(self.forgotten)
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("Operations that fit")
        self.list.setItemDelegate(_Row(theme, self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._clicked)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        for widget in (self.line, self.list, self.note):
            column.addWidget(widget)
        self.set_theme(theme)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours and sizes."""
        self.theme = theme
        self.setStyleSheet(
            f"QFrame#typeBox {{ background: {theme.panel}; border: 1.5px solid {theme.focus};"
            f" border-radius: {theme.px(8)}px; }} QListWidget {{ background: {theme.panel}; border: none; }}"
        )
        self.line.setFont(look.mono(theme, 13.5))
        self.list.setItemDelegate(_Row(theme, self.list))
        self.note.setFont(look.sans(theme, 12))

    def open_at(self, at: QPointF, text: str) -> None:
        """Begin at a pixel of the canvas."""
        self._at = at
        self._chosen = False
        self.say("")
        self.line.setText(text)
        self.show()
        self.raise_()
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self._edited(text)

    def center(self) -> None:
        """Stand in the middle of the canvas."""
        self._at = QPointF(self._over.width() / 2 - self.width() / 2 + self.theme.px(16), self._at.y())
        self._place()

    @property
    def entry(self) -> Entry | None:
        """The suggestion that is marked."""
        item = self.list.currentItem()
        entry = item.data(ENTRY) if item is not None else None
        return entry if isinstance(entry, Entry) else None

    def suggest(self, entries: tuple[Entry, ...]) -> None:
        """Show these operations."""
        self.list.clear()
        for entry in entries:
            item = QListWidgetItem(entry.name)
            item.setData(ENTRY, entry)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.name}: {entry.brief}")
            item.setToolTip(entry.key)
            self.list.addItem(item)
        if entries:
            self.list.setCurrentRow(0)
        self._place()

    def say(self, sentence: str, *, wrong: bool = False) -> None:
        """A sentence below: a hint, or what is wrong."""
        theme = self.theme
        self.note.setText(f"⊘  {sentence}" if wrong else sentence)
        self.note.setStyleSheet(
            f"color: {theme.text}; background: {theme.error_fill}; border: 1.5px solid {theme.error};"
            " border-radius: 5px; padding: 4px;"
            if wrong
            else f"color: {theme.muted}; border: none; padding: 2px;"
        )
        self.note.setVisible(bool(sentence))
        self._place()

    def _place(self) -> None:
        rows = min(self.list.count(), ROWS)
        self.list.setVisible(rows > 0)
        self.list.setFixedHeight(max(1, rows * self.theme.px(25) + 2))
        canvas = self._over.rect()
        width = min(self.theme.px(WIDTH), canvas.width() - 8)
        self.setFixedWidth(width)
        self._column.activate()
        height = self._column.totalHeightForWidth(width) if self.note.isVisible() else self.sizeHint().height()
        at = self._at.toPoint()
        left = max(4, min(at.x() - self.theme.px(16), canvas.width() - width - 4))
        top = max(4, min(at.y() - self.theme.px(16), canvas.height() - height - 4))
        self.setGeometry(left, top, width, height)

    def _edited(self, text: str) -> None:
        self._chosen = False
        self.edited.emit(text)

    def _key(self, name: str) -> None:
        if name == "escape":
            self.forgotten.emit()
        elif name == "enter":
            self.taken.emit(self.line.text(), self.entry if self._chosen else None)
        elif name == "tab" and self.entry is not None:
            self.line.setText(self.entry.name)
            self._edited(self.entry.name)
        elif name in ("up", "down") and self.list.count():
            step = 1 if name == "down" else -1
            row = self.list.currentRow()
            self.list.setCurrentRow((row + (step if self._chosen or row < 0 or step > 0 else 0)) % self.list.count())
            self._chosen = True
            if self.entry is not None:
                self.say(self.entry.brief)

    def _clicked(self, item: QListWidgetItem) -> None:
        self.taken.emit(self.line.text(), item.data(ENTRY))

    def event(self, event: QEvent) -> bool:
        """The canvas below gets none of the mouse's events."""
        if event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.Wheel):
            return True
        return super().event(event)
