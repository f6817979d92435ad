"""The code editor widget: line numbers, Python syntax colours, the line of the current step, the line of the error, and
expressions that are marked briefly or while they are picked. It knows nothing of the session; `editor` connects the
two. Undo belongs to the session, so Qt's own is disabled. The highlighter works line by line for colours only; the
parser that matters is Python's own."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from gradviz.document.snippet import MAX_BYTES, too_big
from gradviz.ui import look
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.inspect.sources import Place


# -- marked expressions

MILLISECONDS = 1200


class Flash:
    """One marked expression of an editor; `changed` is called when it appears and when it disappears."""

    def __init__(self, editor: QPlainTextEdit, changed: Callable[[], None]) -> None:
        self._editor = editor
        self._changed = changed
        self._place: Place | None = None
        self._timer = QTimer(editor, singleShot=True, interval=MILLISECONDS)
        self._timer.timeout.connect(self._over)

    def show(self, place: Place) -> None:
        """Put the caret at the start of a place and mark it briefly."""
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
        """The selections that the editor has to show for it now."""
        cursor = cursor_of(self._editor.document(), self._place) if self._place is not None else None
        return [] if cursor is None else [_marked(cursor, theme)]

    def _over(self) -> None:
        self._place = None
        self._changed()


class Picked:
    """Expressions of an editor that stay marked: those of the picked nodes."""

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
        """The selections that the editor has to show for them."""
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
    """The text of a place as a selection; for a line without columns, everything written on it."""
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


# -- colours for Python

_BUILTINS = "|".join(name for name in dir(builtins) if name[0].islower())
_TOKEN = (
    r"""(?P<comment>\#.*)
    |(?P<open>[rRbBfFuU]{0,2}(?P<quote>\"\"\"|'''))
    |(?P<string>[rRbBfFuU]{0,2}(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))
    |(?P<number>\b(?:0[xXbBoO][0-9a-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?j?)|(?<![\w.])\.\d+)
    |(?P<keyword>\b(?:"""
    + "|".join(keyword.kwlist)
    + r""")\b)
    |(?P<builtin>(?<![\w.])(?:torch|nn|F|"""
    + _BUILTINS
    + r""")\b)
    |(?P<name>\w+)"""
)
_QUOTES = ('"""', "'''")
COLOURED = 2_000  # characters of a line; what is longer is data, and would cost a frame with each repaint


@cache
def _token() -> re.Pattern[str]:
    """Compiled for the first line with text, because the window starts without one."""
    return re.compile(_TOKEN, re.VERBOSE)


class PythonHighlighter(QSyntaxHighlighter):
    """Formats one block at a time; the block state says which triple quote is open (0 none, 1 double, 2 single)."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        colours = {
            "comment": theme.comment,
            "string": theme.string,
            "number": theme.number,
            "keyword": theme.keyword,
            "builtin": theme.builtin,
        }
        for name, colour in colours.items():
            text_format = QTextCharFormat()
            text_format.setForeground(QColor(colour))
            if name == "keyword":
                text_format.setFontWeight(QFont.Weight.DemiBold)
            self._formats[name] = text_format
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Qt calls this for each changed line."""
        position = 0
        state = max(self.previousBlockState(), 0)
        while text:
            if state:
                position, state = self._inside_string(text, position, state)
                if state:
                    break
            match = _token().search(text, position)
            if match is None:
                break
            position = match.end()
            if match.lastgroup == "open" or match["open"]:
                self._colour("string", match.start(), match.end())
                state = 1 + _QUOTES.index(match["quote"])
            elif match.lastgroup in self._formats:
                self._colour(match.lastgroup, match.start(), match.end())
        self.setCurrentBlockState(state)

    def _inside_string(self, text: str, position: int, state: int) -> tuple[int, int]:
        """Colour up to the closing quotes; returns where to continue and the new state."""
        found = text.find(_QUOTES[state - 1], position)
        end = len(text) if found < 0 else found + 3
        self._colour("string", position, end)
        return end, (state if found < 0 else 0)

    def _colour(self, name: str, start: int, end: int) -> None:
        """Qt paints a whole line even where only its beginning is seen, each change of colour one by one."""
        if start < COLOURED:
            self.setFormat(start, end - start, self._formats[name])


INDENT = "    "
SNIPPET_HINT = "Paste a snippet and press Run (F5)."


class LineNumbers(QWidget):
    """The strip on the left; the editor paints it. Clicking it toggles a breakpoint."""

    clicked = Signal(int)  # y coordinate

    def __init__(self, editor: QWidget, width: Callable[[], int], paint: Callable[[QPaintEvent], None]) -> None:
        super().__init__(editor)
        self._width = width
        self._paint = paint

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The editor finds the clicked line."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.clicked.emit(round(event.position().y()))

    def sizeHint(self) -> QSize:
        """As wide as the largest number."""
        return QSize(self._width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The editor paints it, because it knows the lines."""
        self._paint(event)


class CodeEdit(QPlainTextEdit):
    """Python text. `edited` reports changes by the user, never text set by the program."""

    edited = Signal(str)
    left = Signal()  # the focus went elsewhere
    break_clicked = Signal(int)  # the line beside the click
    refused = Signal(str)  # the sentence that says why something was not pasted

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._setting = False
        self._step_line = -1
        self._error_line = -1
        self._break_lines: dict[int, bool] = {}
        self._reserved: frozenset[str] = frozenset()
        self.setAccessibleName("Snippet")
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText(SNIPPET_HINT)
        self.flash = Flash(self, self._mark)
        self.picked = Picked(self, self._mark)
        self.numbers = LineNumbers(self, self._numbers_width, self._paint_numbers)
        self.numbers.setToolTip("Click to set or remove a breakpoint (Ctrl+F2 for the current line).")
        self.numbers.clicked.connect(
            lambda y: self.break_clicked.emit(self.cursorForPosition(QPoint(0, y)).blockNumber() + 1)
        )
        self._highlighter = PythonHighlighter(self.document(), theme)
        self.blockCountChanged.connect(self._fit_margin)
        self.updateRequest.connect(self._scroll_numbers)
        self.textChanged.connect(self._tell)
        self.set_theme(theme)

    # what the program sets

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self.setFont(look.mono(theme))
        self.viewport().setFont(self.font())  # Qt paints the placeholder in this font
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(INDENT))
        self._highlighter.set_theme(theme)
        self._fit_margin()
        self._mark()

    def reserve(self, shortcuts: frozenset[str]) -> None:
        """Keys that belong to the window's commands even while typing."""
        self._reserved = shortcuts

    def set_text(self, text: str) -> None:
        """Show this text; if it differs only in part, only that part is replaced, so that the caret stays."""
        old = self.toPlainText()
        if old == text:
            return
        start, old_end, new_end = _difference(old, text)
        self._setting = True
        cursor = QTextCursor(self.document())
        cursor.setPosition(_utf16(old, start))
        cursor.setPosition(_utf16(old, old_end), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[start:new_end])
        self._setting = False
        if start == 0 and old_end == len(old):  # a different text: start at its top
            self.moveCursor(QTextCursor.MoveOperation.Start)

    def mark_lines(self, *, step: int = -1, error: int = -1) -> None:
        """Mark the line of the current step and that of the error (from 1; -1 for none)."""
        if (step, error) != (self._step_line, self._error_line):
            moved = step != self._step_line
            self._step_line, self._error_line = step, error
            self._mark()
            self.numbers.update()
            if moved and step > 0:
                self.reveal(step)

    def mark_breakpoints(self, lines: dict[int, bool]) -> None:
        """Show a dot beside these lines, hollow if the breakpoint is disabled."""
        if lines != self._break_lines:
            self._break_lines = lines
            self.numbers.update()

    def go_to_line(self, line: int) -> None:
        """Put the caret at the start of that line."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text may be dropped here; files are for the window to open."""
        return not source.hasUrls() and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste as plain text; refuse what is far too long for a snippet before anything changes."""
        size = len(self.toPlainText()) - len(self.textCursor().selectedText()) + len(source.text())
        if size > MAX_BYTES:
            self.refused.emit(too_big("The snippet with the pasted text", size))
        else:
            self.insertPlainText(source.text())
            self.ensureCursorVisible()

    # keys

    def event(self, event: QEvent) -> bool:
        """Leave the window's shortcuts to the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            key = QKeySequence(event.keyCombination()).toString(QKeySequence.SequenceFormat.PortableText)
            if key in self._reserved:
                event.ignore()
                return False
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Typing is over, unless only a menu opens or another window is active for a while."""
        super().focusOutEvent(event)
        if event.reason() not in _STAYING:
            self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Indent as a Python editor does."""
        key = event.key()
        if key == Qt.Key.Key_Tab:
            self._indent()
        elif key == Qt.Key.Key_Backtab:
            self._dedent()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            self._new_line()
        else:
            super().keyPressEvent(event)

    def _indent(self) -> None:
        cursor = self.textCursor()
        if cursor.hasSelection():
            self._for_each_line(lambda line: line.insertText(INDENT))
        else:
            cursor.insertText(" " * (len(INDENT) - cursor.positionInBlock() % len(INDENT)))

    def _dedent(self) -> None:
        def shorten(line: QTextCursor) -> None:
            text = line.block().text()
            for _ in range(min(len(INDENT), len(text) - len(text.lstrip(" ")))):
                line.deleteChar()

        self._for_each_line(shorten)

    def _for_each_line(self, change: Callable[[QTextCursor], None]) -> None:
        cursor = self.textCursor()
        first = self.document().findBlock(cursor.selectionStart()).blockNumber()
        last = self.document().findBlock(max(cursor.selectionStart(), cursor.selectionEnd() - 1)).blockNumber()
        cursor.beginEditBlock()
        for number in range(first, last + 1):
            change(QTextCursor(self.document().findBlockByNumber(number)))
        cursor.endEditBlock()

    def _new_line(self) -> None:
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        indent = before[: len(before) - len(before.lstrip())]
        if before.split("#")[0].rstrip().endswith(":"):
            indent += INDENT
        cursor.insertText("\n" + indent)
        self.ensureCursorVisible()

    def _tell(self) -> None:
        if not self._setting:
            self.edited.emit(self.toPlainText())

    # marks

    def _mark(self) -> None:
        marks = []
        step = QTextCharFormat()
        step.setBackground(QColor(self._theme.current_line))
        step.setProperty(QTextFormat.Property.FullWidthSelection, True)
        marks += _mark_of(self.document(), self._step_line, step, whole_line=False)
        wave = QTextCharFormat()
        wave.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        wave.setUnderlineColor(QColor(self._theme.error))
        marks += _mark_of(self.document(), self._error_line, wave, whole_line=True)
        self.setExtraSelections(marks + self.picked.marks(self._theme) + self.flash.marks(self._theme))

    def reveal(self, line: int) -> None:
        """Scroll until a line is visible; the caret stays."""
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return
        box = self.blockBoundingGeometry(block).translated(self.contentOffset())
        if box.top() < 0 or box.bottom() > self.viewport().height():
            visible = max(1, int(self.viewport().height() / max(1.0, box.height())))
            self.verticalScrollBar().setValue(max(0, line - 1 - visible // 2))

    # line numbers

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the line numbers beside the text."""
        super().resizeEvent(event)
        area = self.contentsRect()
        self.numbers.setGeometry(QRect(area.left(), area.top(), self._numbers_width(), area.height()))
        if self._step_line > 0:
            self.reveal(self._step_line)

    def _numbers_width(self) -> int:
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9" * digits) + self._theme.px(26)

    def _fit_margin(self) -> None:
        self.setViewportMargins(self._numbers_width(), 0, 0, 0)
        area = self.contentsRect()
        self.numbers.setGeometry(QRect(area.left(), area.top(), self._numbers_width(), area.height()))

    def _scroll_numbers(self, rect: QRect, dy: int) -> None:
        if dy:
            self.numbers.scroll(0, dy)
        else:
            self.numbers.update(0, rect.y(), self.numbers.width(), rect.height())

    def _paint_numbers(self, event: QPaintEvent) -> None:
        with QPainter(self.numbers) as painter:
            painter.fillRect(event.rect(), QColor(self._theme.panel))
            painter.setFont(look.mono(self._theme, look.SMALL))
            block = self.firstVisibleBlock()
            top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
            width = self.numbers.width()
            while block.isValid() and top <= event.rect().bottom():
                height = self.blockBoundingRect(block).height()
                line = block.blockNumber() + 1
                box = QRect(0, round(top), width, round(height))
                is_step, is_error = line == self._step_line, line == self._error_line
                if is_step:
                    painter.fillRect(box, QColor(self._theme.current_line))
                if line in self._break_lines:
                    _paint_dot(painter, self._theme, box, self._break_lines[line])
                ink = self._theme.error if is_error else self._theme.text if is_step else self._theme.faint
                painter.setPen(QColor(ink))
                sign = "×" if is_error else "▸" if is_step else ""
                painter.drawText(box.adjusted(self._theme.px(5), 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, sign)
                painter.drawText(box.adjusted(0, 0, -self._theme.px(11), 0), _RIGHT, str(line))
                block = block.next()
                top += height


def _mark_of(
    document: QTextDocument, line: int, mark: QTextCharFormat, *, whole_line: bool
) -> list[QTextEdit.ExtraSelection]:
    block = document.findBlockByNumber(line - 1)
    if line < 1 or not block.isValid():
        return []
    cursor = QTextCursor(block)
    if whole_line:
        text = block.text()
        cursor.setPosition(block.position() + len(text) - len(text.lstrip()))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    selection.format = mark
    return [selection]


def _paint_dot(painter: QPainter, theme: Theme, box: QRect, enabled: bool) -> None:
    """A breakpoint, legible even below the mark of the current step."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.error), 1.5))
    fill = QColor(theme.error)
    fill.setAlpha(110 if enabled else 0)
    painter.setBrush(fill)
    painter.drawEllipse(QPointF(theme.px(9), box.center().y() + 0.5), theme.px(5), theme.px(5))
    painter.restore()


_STAYING = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _difference(old: str, new: str) -> tuple[int, int, int]:
    """(start, end in old, end in new) of the smallest middle part in which two texts differ."""
    limit = min(len(old), len(new))
    start = next((place for place in range(limit) if old[place] != new[place]), limit)
    tail = 0
    while tail < limit - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return start, len(old) - tail, len(new) - tail


def _utf16(text: str, position: int) -> int:
    """Qt counts UTF-16 units."""
    return len(text[:position].encode("utf-16-le")) // 2
