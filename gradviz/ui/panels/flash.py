"""Shows where expressions are in the editor: one for a moment, so that the eye finds it; those that are picked for as
long as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.inspect.sources import Place

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
        cursor = cursor_of(self._editor.document(), place)
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
        cursor = cursor_of(self._editor.document(), self._place) if self._place is not None else None
        return [] if cursor is None else [_marked(cursor, theme)]

    def _over(self) -> None:
        self._place = None
        self._changed()


class Picked:
    """Expressions of an editor that stay marked: those of what is picked."""

    def __init__(self, editor: QPlainTextEdit, changed: Callable[[], None]) -> None:
        self._editor = editor
        self._changed = changed
        self.places: tuple[Place, ...] = ()

    def show(self, places: tuple[Place, ...]) -> None:
        """Mark these and no others."""
        if places != self.places:
            self.places = places
            self._changed()

    def marks(self, theme: Theme) -> list[QTextEdit.ExtraSelection]:
        """What the editor has to mark for them."""
        cursors = (cursor_of(self._editor.document(), place) for place in self.places)
        return [_marked(cursor, theme) for cursor in cursors if cursor is not None]


def _marked(cursor: QTextCursor, theme: Theme) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    style = QTextCharFormat()
    style.setBackground(QColor(theme.selection))
    style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    style.setUnderlineColor(QColor(theme.focus))
    selection.format = style
    return selection


def cursor_of(document: QTextDocument, place: Place) -> QTextCursor | None:
    """The text of a place as a selection; of a line without columns all that is written in it."""
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


def _units(text: str, column: int) -> int:
    """Qt counts UTF-16 units."""
    return len(text[:column].encode("utf-16-le")) // 2
