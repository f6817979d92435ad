"""The output panel: what the snippet had printed at the cursor, standard error in another colour, or on request all
of it."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QVBoxLayout, QWidget

from gradviz.session.printed import Piece, printed
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme


class OutputPanel(Panel):
    """Read-only text; what did not change is not written again."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._shown: tuple[Piece, ...] = ()
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Output of the snippet")
        self.text.setPlaceholderText("(nothing printed)")
        self.text.setUndoRedoEnabled(False)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.whole = QCheckBox("&Whole output, also of steps to come")
        self.whole.setToolTip("Show everything that the run printed, not only what was printed before this step.")
        self.whole.toggled.connect(self._again)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 10, 8)
        column.addWidget(self.text, 1)
        column.addWidget(self.whole)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.text

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.text.setFont(look.mono(theme, 12.5))
        self._shown = ()
        self._again()

    def _again(self) -> None:
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if moved(before, after):
            self._write(printed(after, whole=self.whole.isChecked()))

    def _write(self, pieces: tuple[Piece, ...]) -> None:
        if self._shown and pieces[: len(self._shown)] == self._shown:
            new = pieces[len(self._shown) :]
        else:
            self.text.clear()
            new = pieces
        self._shown = pieces
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for piece in new:
            colour = QTextCharFormat()
            colour.setForeground(QColor(self.theme.error if piece.stream == "err" else self.theme.text))
            cursor.insertText(piece.text, colour)
        self.text.setTextCursor(cursor)
