"""The output panel: what the snippet has printed up to the cursor, or on request everything, with standard error in
another colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from gradviz.document.disk import shown
from gradviz.lists import quantity, size_text
from gradviz.session.output import count, lengths, pieces
from gradviz.session.state import MOMENT, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme
from gradviz.worker.terminal import plain

if TYPE_CHECKING:
    from gradviz.worker.process.events import Written

LIVE = object()


class _Printed(QPlainTextEdit):
    """Text whose last line that is not empty stays in view: in another width lines break elsewhere."""

    def show_end(self) -> None:
        """Scroll there."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        while not cursor.block().text().strip() and cursor.movePosition(QTextCursor.MoveOperation.PreviousBlock):
            pass
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        self.setTextCursor(cursor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.ensureCursorVisible()


class OutputPanel(Panel):
    """Read-only text; unchanged text is not rewritten."""

    shows = Slice("predict", "run", "live", *MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._trace: object = None  # whose output is shown; LIVE during a run
        self._count = 0  # how many prints are shown
        self._lengths = [0]
        self.text = _Printed()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Output of the snippet")
        self.text.setPlaceholderText("(nothing printed)")
        self.text.setUndoRedoEnabled(False)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.whole = look.CheckBox("&Later steps, too")
        self.whole.setToolTip("Show everything the run printed, not only what was printed before this step.")
        self.whole.toggled.connect(self._again)
        self.files = QPushButton()
        self.files.setToolTip("What the run wrote into its folder. Save one file, or all of them.")
        self.files.setMenu(QMenu(self.files))
        self.files.hide()
        row = QHBoxLayout()
        row.addWidget(self.whole, 1)
        row.addWidget(self.files)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 10, 8)
        column.addWidget(self.text, 1)
        column.addLayout(row)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.text

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.text.setFont(look.mono(theme, 12.5))
        self.text.viewport().setFont(self.text.font())  # Qt paints the placeholder in this font
        self._trace = None
        self.text.clear()
        self._again()

    def _again(self) -> None:
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.run.written is not after.run.written:
            self._show_files(after)
        predicts = after.predict.on  # then nothing must be revealed of later steps
        self.whole.setEnabled(not predicts)
        if after.run.is_running and after.live and not predicts:
            self._show_live(plain(after.live))
        elif moved(before, after) or before.run is not after.run or before.predict.on != predicts:
            if after.trace is not self._trace:
                self._trace, self._count = after.trace, 0
                self._lengths = lengths(after.trace) if after.trace is not None else [0]
                self.text.clear()
            self._show(count(after, whole=self.whole.isChecked() and not predicts))

    def _show_files(self, state: State) -> None:
        """The files that the run wrote into its folder; choosing one saves it."""
        files, menu = state.run.written, self.files.menu()
        menu.clear()
        if sum(each.can_be_saved for each in files) > 1:
            self._offer(menu, "Save All, into a Folder…", "all")
            menu.addSeparator()
        for at, each in enumerate(files):
            self._offer(menu, f"{shown(each.name)} · {_kind(each)}", str(at) if each.can_be_saved else "")
        self.files.setText(f"The run wrote {quantity(len(files), 'file')}")
        self.files.setVisible(bool(files))

    def _offer(self, menu: QMenu, title: str, which: str) -> None:
        action = menu.addAction(title.replace("&", "&&"))
        action.setEnabled(bool(which))
        action.triggered.connect(lambda: self.context.shell.attachments.save_written(which))

    def _show_live(self, live: str) -> None:
        """What the current run has printed so far, scrolled to the end."""
        shown = self.text.toPlainText() if self._trace is LIVE else ""
        self._trace = LIVE
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if live.startswith(shown) and shown:
            cursor.insertText(live[len(shown) :])
        else:
            self.text.setPlainText(live)
            cursor.movePosition(QTextCursor.MoveOperation.End)
        self.text.show_end()

    def _show(self, wanted: int) -> None:
        """Append what has been printed since, or remove what had not been printed yet."""
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if wanted < self._count:
            cursor.setPosition(self._lengths[wanted], QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        elif wanted > self._count:
            trace = self.context.shell.store.state.trace
            assert trace is not None
            for piece in pieces(trace, self._count, wanted):
                colour = QTextCharFormat()
                colour.setForeground(QColor(self.theme.error if piece.stream == "err" else self.theme.text))
                cursor.insertText(piece.text, colour)
        if wanted != self._count:
            self._count = wanted
            self.text.show_end()


def _kind(written: Written) -> str:
    """The size of a file, or why it can't be saved."""
    if written.is_object:
        return "Python objects, which stay in the run"
    return size_text(written.size) + ("" if written.can_be_saved else ", too large to be saved")
