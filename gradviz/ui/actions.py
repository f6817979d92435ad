"""Menus, toolbar and shortcuts, made from the table of commands: no QAction of a command is created anywhere else. The
toolbar has a button for each command that asks for one. If the window is too narrow, the least important ones are left
out, so that nothing is ever cut off or hidden behind an unnamed button; the menus have everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QSizePolicy, QToolBar, QToolButton, QWidget

from gradviz.commands.learning import STAGE_ROWS
from gradviz.commands.row import Choice, Command, Shell
from gradviz.commands.table import MENUS
from gradviz.session.state import ReadState, Slice, State, changed_fields

if TYPE_CHECKING:
    from gradviz.ui.backward_bar import BackwardBar


# -- the toolbar

SEPARATOR = 11 + 6  # as in window.qss; asking Qt's own widget takes 10 ms at startup
ALWAYS = ("run.run", "run.back", "run.step", "run.play")  # the last to be left out
BEFORE_THE_BAR = (*ALWAYS, "run.start", "run.end", "present.present")  # the backward call is abbreviated to keep these


class Tools(QToolBar):
    """Buttons, separators between groups of them, and space between the menus."""

    def __init__(self) -> None:
        super().__init__("Tools")
        self.setObjectName("tools")
        self.setMovable(False)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._buttons: list[tuple[Command, QToolButton, QAction]] = []
        self._last: Command | None = None
        self._spacer: QAction | None = None  # in front of the menus on the right
        self._bar: tuple[BackwardBar, QAction] | None = None

    def add(self, row: Command, action: QAction) -> None:
        """Add the button of a command after the existing ones."""
        before, self._last = self._last, row
        if before is not None and before.menu != row.menu and self._spacer is None:
            spacer = QWidget()
            spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            self._spacer = self.addWidget(spacer)
        elif before is not None and before.group != row.group:
            self.addSeparator()
        button = QToolButton()
        button.setDefaultAction(action)
        button.setProperty("primary", row.primary)
        button.setProperty("quiet", row.menu == "Help")
        button.setAccessibleName(row.plain_title)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        place = self.addWidget(button)
        place.setObjectName(row.id)
        self._buttons.append((row, button, place))

    def put(self, bar: BackwardBar) -> None:
        """Put a widget to the right of the buttons: the backward call of a drawing."""
        place = self.insertWidget(self._spacer, bar) if self._spacer is not None else self.addWidget(bar)
        bar.resized.connect(self.make_room)
        self._bar = bar, place

    def show_bar(self, shown: bool) -> None:
        """Show or hide it."""
        if self._bar is not None:
            self._bar[1].setVisible(shown)
            self.make_room()

    def make_room(self) -> None:
        """Leave out as many buttons as the width requires, the last of a row first."""
        first: tuple[str, ...] = ALWAYS
        room, places = self.width() - 24, {place for _, _, place in self._buttons}
        for action in self.actions():
            if action not in places and action.isSeparator():
                room -= SEPARATOR
        if self._bar is not None and self._bar[1].isVisible():
            first = BEFORE_THE_BAR
            taken = sum(button.sizeHint().width() + 6 for row, button, _ in self._buttons if row.id in first)
            room -= self._bar[0].fit(room - taken - 6) + 6
        order = sorted(self._buttons, key=lambda one: (one[0].id not in ALWAYS, one[0].id not in first))  # stable
        full = False
        for _, button, place in order:
            room -= button.sizeHint().width() + 6
            full = full or room < 0
            if place.isVisible() == full:
                place.setVisible(not full)
        follows = False  # no separator after the last button
        for action in reversed(self.actions()):
            follows = follows or (action in places and action.isVisible())
            if action.isSeparator() and action.isVisible() != follows:
                action.setVisible(follows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.make_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and self.isVisible():
            self.make_room()


TEXT_EDITING = {  # text widgets handle these keys themselves
    *("edit.cut", "edit.copy", "edit.paste", "edit.select_all"),
    *(row.id for row in STAGE_ROWS),
}
TAKING = {"run.run", "file.save", "file.save_as"}  # these take over what is typed but not yet committed
ROLES = {  # where macOS has them: in the application menu
    "edit.preferences": QAction.MenuRole.PreferencesRole,
    "file.quit": QAction.MenuRole.QuitRole,
    "help.about": QAction.MenuRole.AboutRole,
}
SWITCHED_OFF = "This command is switched off on this computer (classroom.toml)."


class Actions(QObject):
    """One QAction per plain command, one submenu per command with choices."""

    def __init__(self, shell: Shell, rows: tuple[Command, ...]) -> None:
        super().__init__()
        self._shell = shell
        self.rows = rows
        self.actions: dict[str, QAction] = {}
        self._bar: dict[str, QMenu] = {}
        self._menus: dict[str, QMenu] = {}  # of commands with choices
        self._rows = {row.id: row for row in rows}
        self._choices: dict[str, tuple[Choice, ...]] = {}
        self._looked_at: dict[str, Slice] = {}  # what each command's row read from the state
        self._state: State | None = None

    def do(self, name: str) -> None:
        """Run a command as its menu entry would, if it is possible now."""
        self.choose(name, "")

    def choose(self, name: str, value: str) -> None:
        """Run a command with one of its choices, if it is possible now."""
        row = self._rows.get(name)
        if row is None:
            self._shell.store.say(SWITCHED_OFF)
            return
        commit = getattr(QApplication.focusWidget(), "commit", None) if name in TAKING else None
        if commit is not None:
            commit()
        if row.enabled(self._shell.store.state):
            row.run(self._shell, value)

    def named(self, names: Iterable[str]) -> list[QAction]:
        """The actions of these commands, without those that are disabled."""
        return [self.actions[name] for name in names if name in self.actions]

    def reserved_keys(self) -> frozenset[str]:
        """The shortcuts that a text editor must leave to the window."""
        rows = (row for row in self._rows.values() if row.id not in TEXT_EDITING)
        return frozenset(_portable(key) for row in rows for key in row.shortcuts)

    def fill_tools(self, bar: QMenuBar, tools: Tools) -> None:
        """Create the toolbar and the titles of the menus."""
        used = {row.menu for row in self._rows.values()}
        self._bar = {name: bar.addMenu(title) for name, title in MENUS.items() if name in used}
        for row in self._rows.values():
            if row.toolbar:
                tools.add(row, self._action(row))

    def fill_menus(self) -> None:
        """Create the entries of the menus."""
        group: dict[QMenu, int] = {}
        inner: dict[tuple[str, str], QMenu] = {}  # by menu and title

        def lined(menu: QMenu, row: Command) -> QMenu:
            if group.setdefault(menu, row.group) != row.group:
                menu.addSeparator()
                group[menu] = row.group
            return menu

        for row in filter(lambda row: row.in_menu, self._rows.values()):
            menu, key = self._bar[row.menu], (row.menu, row.under)
            if row.under and key not in inner:
                inner[key] = lined(menu, row).addMenu(row.under)
                inner[key].setToolTipsVisible(True)
            menu = lined(inner[key] if row.under else menu, row)
            if row.choices is None:
                menu.addAction(self.actions[row.id] if row.toolbar else self._action(row))
            else:
                self._menus[row.id] = menu.addMenu(row.title)
                self._menus[row.id].setToolTipsVisible(True)

    def refresh(self, state: State) -> None:
        """Update which commands are enabled, their titles and their checked choices. A row is re-evaluated only if
        something that it last read from the state has changed."""
        before, self._state = self._state, state
        changed = changed_fields(before or state, state)
        for name in (*self.actions, *self._menus):
            looked_at = self._looked_at.get(name)
            if looked_at is None or looked_at.meets(changed):
                read = ReadState.of(state)
                self._refresh(self._rows[name], read)
                self._looked_at[name] = read.slice()

    def _refresh(self, row: Command, state: State) -> None:
        action, menu = self.actions.get(row.id), self._menus.get(row.id)
        if action is not None:
            action.setEnabled(row.enabled(state))
            if row.retitle is not None:
                action.setText(row.retitle(state))
                if row.toolbar:
                    action.setIconText(row.retitle(state).replace("&", ""))
        if menu is not None:
            menu.setEnabled(row.enabled(state))
            choices = row.choices(state) if row.choices else ()
            if choices != self._choices.get(row.id):
                self._choices[row.id] = choices
                self._fill_choices(menu, row, choices)

    def _action(self, row: Command) -> QAction:
        action = QAction(row.title, self._bar[row.menu])
        action.setObjectName(row.id)
        action.setMenuRole(ROLES.get(row.id, QAction.MenuRole.NoRole))
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
