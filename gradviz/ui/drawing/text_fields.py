"""Text fields over the canvas that keep the keys of their job to themselves: Enter, Esc, Tab, arrows up and down."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
OWN = {
    Qt.Key.Key_Escape: "escape",
    Qt.Key.Key_Return: "enter",
    Qt.Key.Key_Enter: "enter",
    Qt.Key.Key_Tab: "tab",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
}
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


class Line(QLineEdit):
    """One line."""

    key = Signal(str)  # "enter", "escape", "tab", "up", "down"
    left = Signal()  # the keyboard went elsewhere

    def commit(self) -> None:
        """As with Enter."""
        self.key.emit("enter")

    def event(self, event: QEvent) -> bool:
        return _taken(self, event, _of_line) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


class Lines(QPlainTextEdit):
    """Several lines: Ctrl+Enter ends, Esc forgets."""

    key = Signal(str)
    left = Signal()

    def commit(self) -> None:
        """As with Ctrl+Enter."""
        self.key.emit("enter")

    def event(self, event: QEvent) -> bool:
        return _taken(self, event, _of_lines) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


def _of_line(event: QKeyEvent) -> str:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return OWN.get(Qt.Key(event.key()), "") if plain else ""


def _of_lines(event: QKeyEvent) -> str:
    key, control = Qt.Key(event.key()), event.modifiers() & Qt.KeyboardModifier.ControlModifier
    return "escape" if key == Qt.Key.Key_Escape else "enter" if key in ENTER and control else ""


def _taken(field: Line | Lines, event: QEvent, name_of: Callable[[QKeyEvent], str]) -> bool:
    """Tell of a key that the field keeps to itself; True if it was one."""
    name = name_of(event) if isinstance(event, QKeyEvent) and event.type() in _KEYS else ""
    if name:
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            field.key.emit(name)
    return bool(name)
