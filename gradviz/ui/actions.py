"""Menus, toolbar and shortcuts made from the table of commands. There is no other place where a QAction of a command
is made."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar

from gradviz.commands.row import Choice, Command, Shell
from gradviz.commands.table import COMMANDS, MENUS
from gradviz.session.state import State
from gradviz.ui.toolbar import Tools

TEXT_EDITING = {"edit.cut", "edit.copy", "edit.paste", "edit.select_all"}  # text widgets have these keys themselves
TAKING = {"run.run", "file.save", "file.save_as"}  # what is typed in a field and not taken yet belongs to these


class Actions(QObject):
    """One QAction per plain command, one submenu per command with choices."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.actions: dict[str, QAction] = {}
        self._bar: dict[str, QMenu] = {}
        self._menus: dict[str, QMenu] = {}  # of commands with choices
        self._rows = {row.id: row for row in COMMANDS}
        self._choices: dict[str, tuple[Choice, ...]] = {}

    def do(self, name: str) -> None:
        """Run a command as its menu entry would, if it is possible now."""
        self.choose(name, "")

    def choose(self, name: str, value: str) -> None:
        """Run a command with one of its choices, if it is possible now."""
        row = self._rows[name]
        commit = getattr(QApplication.focusWidget(), "commit", None) if name in TAKING else None
        if commit is not None:
            commit()
        if row.enabled(self._shell.store.state):
            row.run(self._shell, value)

    def reserved_keys(self) -> frozenset[str]:
        """The shortcuts that a text editor must leave to the window."""
        rows = (row for row in COMMANDS if row.id not in TEXT_EDITING)
        return frozenset(_portable(key) for row in rows for key in row.shortcuts)

    def fill_tools(self, bar: QMenuBar, tools: Tools) -> None:
        """Make the toolbar and the menus' titles."""
        self._bar = {name: bar.addMenu(title) for name, title in MENUS.items()}
        for row in COMMANDS:
            if row.toolbar:
                tools.add(row, self._action(row))

    def fill_menus(self) -> None:
        """Make what is in the menus."""
        group: dict[str, int] = {}
        for row in COMMANDS:
            menu = self._bar[row.menu]
            if group.setdefault(row.menu, row.group) != row.group:
                menu.addSeparator()
                group[row.menu] = row.group
            if row.choices is None:
                menu.addAction(self.actions[row.id] if row.toolbar else self._action(row))
            else:
                self._menus[row.id] = menu.addMenu(row.title)
                self._menus[row.id].setToolTipsVisible(True)

    def refresh(self, state: State) -> None:
        """Which commands are possible, what they are called, which choice is made."""
        for name, action in self.actions.items():
            row = self._rows[name]
            action.setEnabled(row.enabled(state))
            if row.retitle is not None:
                action.setText(row.retitle(state))
                if row.toolbar:
                    action.setIconText(row.retitle(state).replace("&", ""))
        for name, menu in self._menus.items():
            row = self._rows[name]
            menu.setEnabled(row.enabled(state))
            choices = row.choices(state) if row.choices else ()
            if choices != self._choices.get(name):
                self._choices[name] = choices
                self._fill_choices(menu, row, choices)

    def _action(self, row: Command) -> QAction:
        action = QAction(row.title, self._bar[row.menu])
        action.setObjectName(row.id)
        action.setShortcuts([QKeySequence(key) for key in row.shortcuts])
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{row.plain_title}{f'  ({keys})' if keys else ''}\n{row.help}")
        action.setStatusTip(row.help)
        if row.toolbar:
            action.setIconText(row.toolbar)
        action.triggered.connect(lambda _=False, name=row.id: self.do(name))
        self.actions[row.id] = action
        return action

    def _fill_choices(self, menu: QMenu, row: Command, choices: Iterable[Choice]) -> None:
        menu.clear()
        group = QActionGroup(menu)
        for choice in choices:
            action = QAction(choice.title.replace("&", "&&"), menu)
            action.setStatusTip(row.help)
            if row.id != "file.recent":
                action.setCheckable(True)
                action.setChecked(choice.checked)
                group.addAction(action)
            action.triggered.connect(lambda _=False, name=row.id, value=choice.value: self.choose(name, value))
            menu.addAction(action)


def _portable(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)
