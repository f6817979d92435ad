"""The what-if dialog: changes that make sense for this snippet, found by typing part of one, and a page on which the
text can be edited by hand. The changes come from `gradviz.session.comparison.proposals`."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.documents import text_of
from gradviz.session.comparison.proposals import Proposal, edited, proposals
from gradviz.session.problem import problem
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.dialogs.command_palette import matches
from gradviz.ui.panels.code_edit import CodeEdit
from gradviz.ui.theme import Theme

BY_HAND = "Change the text yourself…"
THE_FIX = "the fix"
ABOUT = "Runs the snippet again with the change and shows both runs side by side."


def offered(state: State) -> list[tuple[str, Proposal]]:
    """The changes with their titles, the fix of the latest error first."""
    text = text_of(state.document)
    found = problem(state)
    fix = edited(text, found.text) if found is not None and found.text is not None else None
    rows = [(f"{THE_FIX}, {fix.title}", fix)] if fix is not None else []
    known = {proposal.text for _, proposal in rows}
    return rows + [(one.title, one) for one in proposals(text) if one.text not in known]


class WhatIfDialog(QDialog):
    """Type part of a change; Up, Down and Enter choose."""

    def __init__(self, parent: QWidget, state: State, theme: Theme, choose: Callable[[Proposal], None]) -> None:
        super().__init__(parent)
        self.setWindowTitle("What if …")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._text = text_of(state.document)
        self._rows = offered(state)
        self._choose = choose
        self._theme = theme
        self.pages = QStackedWidget()
        self.pages.addWidget(self._make_list())
        self.pages.addWidget(self._make_text())
        column = QVBoxLayout(self)
        column.addWidget(self.pages)
        self.resize(theme.px(600), theme.px(460))
        self._filter("")

    def _make_list(self) -> QWidget:
        about = QLabel(ABOUT)
        about.setWordWrap(True)
        about.setObjectName("muted")
        self.query = look.search_field("Find a change", "Type part of a change, such as retain or line 9")
        self.query.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName("Changes")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.query.textChanged.connect(self._filter)
        self.query.returnPressed.connect(self._accept)
        self.list.itemClicked.connect(self._accept)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (about, self.query, self.list):
            column.addWidget(widget)
        return page

    def _make_text(self) -> QWidget:
        self.code = CodeEdit(self._theme)
        self.code.set_text(self._text)
        self.code.setAccessibleName("The text of the second run")
        self.code.textChanged.connect(self._show_change)
        self.change = QLabel()
        self.change.setTextFormat(Qt.TextFormat.PlainText)
        self.change.setObjectName("muted")
        self.back = QPushButton("&Back")
        self.back.clicked.connect(lambda: self._turn(0))
        self.try_it = QPushButton("&Run beside")
        self.try_it.setProperty("primary", True)
        self.try_it.clicked.connect(self._try_text)
        for button in (self.back, self.try_it):
            button.setAutoDefault(False)  # they must not react to Enter in the list
        row = QHBoxLayout()
        row.addWidget(self.change, 1)
        row.addWidget(self.back)
        row.addWidget(self.try_it)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.code)
        column.addLayout(row)
        self._show_change()
        return page

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the search field."""
        super().showEvent(event)
        self.query.setFocus()

    def _filter(self, query: str) -> None:
        self.list.clear()
        for title, proposal in self._rows:
            if matches(query, title):
                item = QListWidgetItem(title)
                item.setFont(look.sans(self._theme))
                item.setData(Qt.ItemDataRole.UserRole, proposal)
                self.list.addItem(item)
        self.list.addItem(BY_HAND)
        self.list.setCurrentRow(0)

    def _accept(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        proposal = item.data(Qt.ItemDataRole.UserRole)
        if isinstance(proposal, Proposal):
            self.accept()
            self._choose(proposal)
        else:
            self._turn(1)

    def _turn(self, page: int) -> None:
        self.pages.setCurrentIndex(page)
        (self.code if page else self.query).setFocus()

    def _show_change(self) -> None:
        proposal = edited(self._text, self.code.toPlainText())
        self.change.setText(proposal.title if proposal is not None else "Nothing is changed yet.")
        self.try_it.setEnabled(proposal is not None)

    def _try_text(self) -> None:
        proposal = edited(self._text, self.code.toPlainText())
        if proposal is not None:
            self.accept()
            self._choose(proposal)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down move in the list while typing."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())
                return True
        return super().eventFilter(watched, event)
