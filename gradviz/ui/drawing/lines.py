"""Text fields over the canvas that keep the keys of their job to themselves: Enter, Esc, Tab, arrows up and down."""

from __future__ import annotations

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


class Line(QLineEdit):
    """One line."""

    key = Signal(str)  # "enter", "escape", "tab", "up", "down"
    left = Signal()  # the keyboard went elsewhere

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            name = OWN.get(Qt.Key(event.key()), "") if plain else ""
            if name:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    self.key.emit(name)
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


class Lines(QPlainTextEdit):
    """Several lines: Ctrl+Enter ends, Esc forgets."""

    key = Signal(str)
    left = Signal()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            key, control = Qt.Key(event.key()), event.modifiers() & Qt.KeyboardModifier.ControlModifier
            name = "escape" if key == Qt.Key.Key_Escape else "enter" if key in ENTER and control else ""
            if name:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    self.key.emit(name)
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()
