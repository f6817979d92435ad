"""The bar over the canvas that finds operations and tensors while one types. What is found is in `session.search`; what
next and previous do is in `commands.search`."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QLabel, QLineEdit, QToolButton, QWidget
from shiboken6 import Shiboken

from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.canvas.minimap import WIDTH as MAP_WIDTH
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

GAP = 12
WIDEST = 470
PLACEHOLDER = "Find: name, mul, line:9, [2, 3], NaN, freed, leaf …"
KEYS = {
    Qt.Key.Key_Escape: "view.select_none",
    Qt.Key.Key_Return: "edit.find_next",
    Qt.Key.Key_Enter: "edit.find_next",
    Qt.Key.Key_Down: "edit.find_next",
    Qt.Key.Key_Up: "edit.find_previous",
}
BACK = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class SearchLine(QLineEdit):
    """A line of text that keeps the keys of a search to itself."""

    command = Signal(str)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._command(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = self._command(event)
        if command:
            self.command.emit(command)
        else:
            super().keyPressEvent(event)

    def _command(self, event: QKeyEvent) -> str:
        key, shift = Qt.Key(event.key()), Qt.KeyboardModifier.ShiftModifier
        keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in BACK and keys == shift:
            return "edit.find_previous"
        return KEYS.get(key, "") if keys == Qt.KeyboardModifier.NoModifier else ""


class SearchBar(QFrame):
    """Lies over the canvas while `state.search.open`."""

    def __init__(self, context: Context, over: QWidget) -> None:
        super().__init__(over)
        self._context = context
        self._theme = context.theme
        self._over = over
        self._before: QWidget | None = None  # what had the keyboard
        self.setObjectName("searchBar")
        self.setAccessibleName("Find on the graph")
        self.line = SearchLine()
        self.line.setPlaceholderText(PLACEHOLDER)
        self.line.setAccessibleName("Find on the graph")
        self.line.setClearButtonEnabled(True)
        self.line.textEdited.connect(self._edited)
        self.line.command.connect(context.do)
        self.count = QLabel()
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.jump = self._button("Go there", "edit.find_jump", "Go to the step at which it can be seen")
        self.jump.setObjectName("link")
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(8, 6, 6, 6)
        grid.setHorizontalSpacing(4)
        grid.setColumnStretch(0, 1)
        for column, widget in enumerate((
            self.line,
            self.count,
            self._button("▲", "edit.find_previous", "Previous"),
            self._button("▼", "edit.find_next", "Next"),
            self._button("✕", "view.select_none", "Close"),
        )):  # fmt: skip
            grid.addWidget(widget, 0, column)
        grid.addWidget(self.note, 1, 0, 1, 2)
        grid.addWidget(self.jump, 1, 2, 1, 3)
        self.hide()
        self.set_theme(context.theme)

    def _button(self, text: str, command: str, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAutoRaise(True)
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(lambda: self._context.do(command))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Take other colours and sizes."""
        self._theme = theme
        self.setStyleSheet(
            f"QFrame#searchBar {{ background: {theme.panel}; border: 1px solid {theme.card_border};"
            f" border-radius: {theme.px(8)}px; }}"
            f"QFrame#searchBar QLabel {{ color: {theme.muted}; }}"
            f"QFrame#searchBar QToolButton#link {{ color: {theme.link}; }}"
        )
        for widget in (self.count, self.note, self.jump):
            widget.setFont(look.sans(theme, 12))
        self.count.setMinimumWidth(self.count.fontMetrics().horizontalAdvance("nothing found"))
        self.place()

    def place(self) -> None:
        """The top left corner of the canvas, and room for the mini-map beside it."""
        room = self._over.width() - 3 * GAP - self._theme.px(MAP_WIDTH)
        self.setGeometry(GAP, GAP, min(self._theme.px(WIDEST), max(room, 280)), self.sizeHint().height())

    def show_state(self, before: State, after: State) -> None:
        """Open, close, and say how it stands."""
        search = after.search
        if search.open and not self.isVisible():
            self._open()
        elif not search.open and self.isVisible():
            self._close()
        if search.open:
            if self.line.text() != search.query:
                self.line.setText(search.query)
            self._tell(after)

    def _tell(self, state: State) -> None:
        from gradviz.session.inspect import search

        self.count.setText(search.count_text(state))
        hit = search.current(state)
        when = search.coming(state, hit) if hit is not None else None
        for widget in (self.note, self.jump):
            widget.setVisible(when is not None)
        if hit is not None and when is not None:
            verb = "comes at" if search.is_future(state, hit) else "was seen at"
            self.note.setText(f"{search.name_of(state, hit)} {verb} step {when:,}")
        self._grid.activate()
        self.place()

    def take_keyboard(self) -> None:
        """Begin to type; what had the keyboard gets it back at the end."""
        if not self.isAncestorOf(QApplication.focusWidget() or self):
            self._before = QApplication.focusWidget()
        self.line.setFocus()
        self.line.selectAll()

    def _open(self) -> None:
        self.show()
        self.raise_()
        self.take_keyboard()

    def _close(self) -> None:
        focus = QApplication.focusWidget()
        had = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had:
            before = self._before if self._before is not None and Shiboken.isValid(self._before) else None
            (before if before is not None and before.isVisible() else self._over).setFocus()
        self._before = None

    def _edited(self, text: str) -> None:
        store = self._context.shell.store
        store.look_for(replace(store.state.search, query=text, at=-1))
