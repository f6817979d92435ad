"""The editors of what is no node: a comment, a group."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gradviz.document.drawing import Comment, Drawing, Group
from gradviz.document.shaping import change_comment, set_group_closed, set_group_title, ungroup
from gradviz.ui import look
from gradviz.ui.editors.fields import Take, TextField, Toggle, small_button
from gradviz.ui.editors.form import Editor
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

LINES = 5


class CommentText(QPlainTextEdit):
    """Several lines; leaving them or Ctrl+Enter takes the text, Esc takes it back, Tab goes on."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self.setAccessibleName("Text of the comment")
        self.setObjectName("boxed")
        self.setPlaceholderText("What should be said here?")
        self.setTabChangesFocus(True)
        self._take = take
        self._shown = ""

    def show_text(self, text: str) -> None:
        """Show this; a text that is being typed stays."""
        typed = self.toPlainText() != self._shown
        self._shown = text
        if not (typed and self.hasFocus()) and self.toPlainText() != text:
            self.setPlainText(text)

    def event(self, event: QEvent) -> bool:
        """Esc and Ctrl+Enter are its own while there is something to take back."""
        if event.type() == QEvent.Type.ShortcutOverride and self.toPlainText() != self._shown:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape or self._ends(event):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.toPlainText() != self._shown:
            self.setPlainText(self._shown)
        elif (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self.commit()
        else:
            super().keyPressEvent(event)

    def _ends(self, event: QKeyEvent) -> bool:
        """Ctrl+Enter is the end of what is typed."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.commit()

    def commit(self) -> None:
        """Take what was typed."""
        if self.toPlainText() != self._shown:
            self._shown = self.toPlainText()
            self._take(self._shown)


class CommentEditor(Editor):
    """Its text."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.text = CommentText(self._take)
        self.form.add("", self.text)

    def fill(self, drawing: Drawing) -> None:
        comment: Comment = next(one for one in drawing.comments if one.id == self.id)
        self.text.show_text(comment.text)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.text.setFont(look.sans(theme, 13))
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * LINES + 14)

    def _take(self, text: str) -> None:
        id = self.id
        self.edit("Change Comment", lambda drawing: change_comment(drawing, id, text=text))


class GroupEditor(Editor):
    """Its title, and whether it is closed."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.title = TextField("Title", self._take_title)
        self.closed = Toggle("closed to one box", "Closed", self._take_closed)
        self.form.add("title", self.title)
        self.form.add("", self.closed, (small_button("Ungroup", "Ungroup", self._ungroup),))

    def fill(self, drawing: Drawing) -> None:
        group: Group = next(one for one in drawing.groups if one.id == self.id)
        self.title.show_text(group.title)
        self.closed.setChecked(group.closed)

    @property
    def first(self) -> QWidget:
        return self.title

    def _take_title(self, text: str) -> None:
        self.edit("Rename Group", lambda drawing: set_group_title(drawing, self.id, text))

    def _take_closed(self, closed: bool) -> None:
        label = "Close Group" if closed else "Open Group"
        self.edit(label, lambda drawing: set_group_closed(drawing, self.id, closed))

    def _ungroup(self) -> None:
        self.edit("Ungroup", lambda drawing: ungroup(drawing, self.id))
