"""The command palette: every command, and every choice of a command, that is currently possible, found by part of its
title."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.commands.row import Command
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.theme import Theme

NO_MATCH = "No command matches."


def keys_of(row: Command) -> str:
    """The shortcuts as this system writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(key).toString(native) for key in row.shortcuts)


@dataclass(frozen=True)
class Entry:
    """One line of the palette."""

    text: str
    keys: str
    command: str
    value: str = ""


def entries(rows: Iterable[Command], state: State) -> list[Entry]:
    """Every command, and every choice of a command, that is currently possible."""
    found = []
    for row in rows:
        if not row.enabled(state):
            continue
        if row.choices is None:
            title = row.retitle(state).replace("&", "") if row.retitle else row.plain_title
            found.append(Entry(f"{row.menu}: {title}", keys_of(row), row.id))
        else:
            place = row.menu if row.in_menu else row.under
            found += [
                Entry(f"{place}: {row.plain_title}: {one.title}", "", row.id, one.value) for one in row.choices(state)
            ]
    return found


def matches(query: str, text: str) -> bool:
    """Whether every word of the query occurs somewhere in the text."""
    return all(word in text.lower() for word in query.lower().split())


class KeysDelegate(QStyledItemDelegate):
    """Draws the shortcut of a command at the right end of its row."""

    def __init__(self, view: QListWidget) -> None:
        super().__init__(view)
        self._view = view

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        entry = index.data(Qt.ItemDataRole.UserRole)
        painter.setPen(option.palette.placeholderText().color())
        painter.setFont(self._view.font())
        box = option.rect.adjusted(0, 0, -12, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, entry.keys)


class CommandPalette(QDialog):
    """Type part of a name; Up, Down and Enter choose."""

    def __init__(
        self,
        parent: QWidget,
        rows: Iterable[Command],
        state: State,
        theme: Theme,
        choose: Callable[[str, str], None],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Command palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries = entries(rows, state)
        self._choose = choose
        self.query = look.search_field("Find a command", "Type a part of a command's name")
        self.query.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName("Commands")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(KeysDelegate(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # long names end in "…"
        column = QVBoxLayout(self)
        column.addWidget(self.query)
        self.none = QLabel(NO_MATCH)
        self.none.setObjectName("muted")
        self.none.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.list)
        column.addWidget(self.none, 1)
        self.resize(theme.px(560), theme.px(400))
        self.query.textChanged.connect(self._filter)
        self.query.returnPressed.connect(self._accept)
        self.list.itemClicked.connect(self._accept)
        self._filter("")

    def _filter(self, query: str) -> None:
        self.list.clear()
        for entry in self._entries:
            if matches(query, entry.text):
                item = QListWidgetItem(entry.text)
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, entry.keys)
                item.setData(Qt.ItemDataRole.UserRole, entry)
                self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.setVisible(self.list.count() > 0)
        self.none.setVisible(self.list.count() == 0)
        self.query.setAccessibleDescription("" if self.list.count() else NO_MATCH)

    def _accept(self) -> None:
        item = self.list.currentItem()
        self.accept()
        if item is not None:
            entry = item.data(Qt.ItemDataRole.UserRole)
            self._choose(entry.command, entry.value)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down move in the list while typing."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())
                return True
        return super().eventFilter(watched, event)
