"""The toolbar: a button per command that asks for one. Where the window is too narrow for all of them, the least
needed are left out, so that nothing is ever cut or hidden behind a button without a name; the menus have them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from gradviz.commands.row import Command

if TYPE_CHECKING:
    from gradviz.ui.backward_bar import BackwardBar

SEPARATOR = 11 + 6  # as window.qss has it; asking Qt's own widget for it takes 10 ms at the start
ALWAYS = ("run.run", "run.back", "run.step", "run.play")  # the last to go
BEFORE_THE_BAR = (*ALWAYS, "run.start", "run.end")  # that the backward call is made brief for


class Tools(QToolBar):
    """Buttons, lines between groups of them, and room between menus."""

    def __init__(self) -> None:
        super().__init__("Tools")
        self.setObjectName("tools")
        self.setMovable(False)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._buttons: list[tuple[Command, QToolButton, QAction]] = []
        self._last: Command | None = None
        self._spacer: QAction | None = None  # before the menus at the right
        self._bar: tuple[BackwardBar, QAction] | None = None

    def add(self, row: Command, action: QAction) -> None:
        """The button of a command, after those that are there."""
        before, self._last = self._last, row
        if before is not None and before.menu != row.menu:
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
        """What stands after the buttons at the left: the backward call of a drawing."""
        place = self.insertWidget(self._spacer, bar) if self._spacer is not None else self.addWidget(bar)
        bar.resized.connect(self.make_room)
        self._bar = bar, place

    def show_bar(self, shown: bool) -> None:
        """Show it, or leave it out."""
        if self._bar is not None:
            self._bar[1].setVisible(shown)
            self.make_room()

    def make_room(self) -> None:
        """Leave out as many buttons as the width asks for, the last in the row first."""
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
        follows = False  # no line after the last button
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
