"""A snippet's input(): a dialog over the window, shown while the state says that a run is waiting. The event loop
continues, and the run can be stopped however often it asks.

The prompt comes from the snippet: it is shown as plain text and cut off, and the dialog itself says who is asking."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.services.worker_bridge import LiveRun
from gradviz.ui.theme import Theme
from gradviz.worker.process.run import ANSWER_CHARS

LINES, CHARS = 8, 500  # of a prompt that are shown; Output has all of it
WAITS = "The snippet is waiting for a line of input: input()"
HOW = "Enter submits the line, Ctrl+D ends the input, Esc stops the run."


class InputDialog(QDialog):
    """One question: a line to type, and the ways out."""

    answered = Signal(object)  # the text, or None for end of input
    stopped = Signal()

    def __init__(self, parent: QWidget, prompt: str, suggestion: str, theme: Theme) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("The Snippet Asks")
        self.prompt = look.Wrapped(shortened(prompt))
        self.prompt.setFont(look.mono(theme, 13))
        self.prompt.setVisible(bool(prompt.strip()))
        self.line = QLineEdit(suggestion)
        self.line.setMaxLength(ANSWER_CHARS)
        self.line.setAccessibleName("Answer to the snippet")
        self.line.selectAll()
        self.line.setFocus()
        how = look.Wrapped(HOW)
        how.setObjectName("muted")
        column = QVBoxLayout(self)
        for widget in (look.Wrapped(WAITS), self.prompt, self.line, how, self._buttons()):
            column.addWidget(widget)
        QShortcut(QKeySequence("Ctrl+D"), self, lambda: self.answered.emit(None))
        self.resize(theme.px(460), 0)

    def _buttons(self) -> QDialogButtonBox:
        role = QDialogButtonBox.ButtonRole
        box = QDialogButtonBox()
        self.answer = box.addButton("&Answer", role.AcceptRole)
        self.end = box.addButton("&End of Input", role.ActionRole)
        self.end.setToolTip("The snippet gets an EOFError, as with Ctrl+D in a terminal.")
        self.stop = box.addButton("&Stop the Run", role.RejectRole)
        self.answer.setDefault(True)
        self.end.setAutoDefault(False)
        self.stop.setAutoDefault(False)
        box.accepted.connect(lambda: self.answered.emit(self.line.text()))
        box.rejected.connect(self.reject)
        self.end.clicked.connect(lambda: self.answered.emit(None))
        return box

    def reject(self) -> None:
        """Esc, or the window's cross."""
        self.stopped.emit()


def shortened(prompt: str) -> str:
    """The end of a prompt, which is the part that asks."""
    end = "\n".join(prompt.rstrip().splitlines()[-LINES:])
    return end if len(end) <= CHARS else f"…{end[-CHARS:]}"


class InputAsker(QObject):
    """Opens and closes the dialog to match the state."""

    def __init__(
        self,
        window: QWidget,
        lives: Callable[[], tuple[LiveRun, ...]],
        stop: Callable[[], None],
        theme: Callable[[], Theme],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._lives = lives
        self._stop = stop
        self._theme = theme
        self._before: dict[tuple[int, str], str] = {}  # previous answers, by run and question
        self.dialog: InputDialog | None = None

    def show_state(self, before: State, after: State) -> None:
        """Ask, or close the question."""
        if before.asks == after.asks:
            return
        if self.dialog is not None:
            self.dialog.done(0)
            self.dialog = None
        if after.asks is not None:
            suggestion = self._before.get(self._key(after.asks), "")
            self.dialog = InputDialog(self._window, after.asks, suggestion, self._theme())
            self.dialog.answered.connect(self._answer)
            self.dialog.stopped.connect(self._stop)
            self.dialog.open()

    def _waiting(self) -> LiveRun | None:
        return next((live for live in self._lives() if live.asked is not None), None)

    def _key(self, prompt: str) -> tuple[int, str]:
        live = self._waiting()
        return (len(live.answers) if live is not None else 0), prompt

    def _answer(self, text: str | None) -> None:
        live = self._waiting()
        if live is None or live.asked is None:
            return
        if text is not None:
            self._before[self._key(live.asked)] = text
        live.answer(text)
        self._window.activateWindow()
