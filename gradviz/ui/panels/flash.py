"""Shows for a moment where an expression is in the editor, so that the eye finds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.sources import Place

MILLISECONDS = 1200


class Flash:
    """One marked expression of an editor; `changed` is called when it comes and when it goes."""

    def __init__(self, editor: QPlainTextEdit, changed: Callable[[], None]) -> None:
        self._editor = editor
        self._changed = changed
        self._place: Place | None = None
        self._timer = QTimer(editor, singleShot=True, interval=MILLISECONDS)
        self._timer.timeout.connect(self._over)

    def show(self, place: Place) -> None:
        """Put the caret at the beginning of a place and mark it for a moment."""
        cursor = self._cursor(place)
        if cursor is None:
            return
        cursor.setPosition(cursor.selectionStart())
        self._editor.setTextCursor(cursor)
        self._editor.centerCursor()
        self._place = place
        self._timer.start()
        self._changed()

    def marks(self, theme: Theme) -> list[QTextEdit.ExtraSelection]:
        """What the editor has to mark for it now."""
        cursor = self._cursor(self._place) if self._place is not None else None
        if cursor is None:
            return []
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        style = QTextCharFormat()
        style.setBackground(QColor(theme.selection))
        style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        style.setUnderlineColor(QColor(theme.focus))
        selection.format = style
        return [selection]

    def _cursor(self, place: Place) -> QTextCursor | None:
        """The text of a place as a selection; of a line without columns all that is written in it."""
        document = self._editor.document()
        first, last = document.findBlockByNumber(place.line - 1), document.findBlockByNumber(place.end_line - 1)
        if not first.isValid() or not last.isValid():
            return None
        begin, end = place.col, place.end_col
        if (place.line, begin) >= (place.end_line, end):
            text = first.text()
            begin, end, last = len(text) - len(text.lstrip()), len(text), first
        cursor = QTextCursor(document)
        cursor.setPosition(first.position() + _units(first.text(), begin))
        cursor.setPosition(last.position() + _units(last.text(), end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _over(self) -> None:
        self._place = None
        self._changed()


def _units(text: str, column: int) -> int:
    """Qt counts UTF-16 units."""
    return len(text[:column].encode("utf-16-le")) // 2
