"""The card under the editor that says what went wrong: PyTorch's message, why it happened, what to change, and a
button where the change can be made for the user."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QVBoxLayout

from gradviz.commands.row import Shell
from gradviz.session.problem import Problem, problem
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.theme import Theme

EDIT_LABEL = "Fix"


class ErrorCard(QFrame):
    """Hidden while nothing is wrong."""

    def __init__(self, shell: Shell, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("error")
        self.setAccessibleName("What went wrong")
        self._shell = shell
        self._problem: Problem | None = None
        self.title, self.message, self.why, self.fix = (QLabel() for _ in range(4))
        for label in (self.title, self.message, self.why, self.fix):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.apply = QPushButton("&Apply")
        self.apply.setToolTip("Make this change in the snippet. It can be undone.")
        self.apply.clicked.connect(self._apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        for label in (self.title, self.message, self.why, self.fix):
            column.addWidget(label)
        column.addWidget(self.apply, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours and sizes."""
        self._theme = theme
        self.title.setFont(look.sans(theme, 13, bold=True))
        self.message.setFont(look.sans(theme, 12.5))
        for label in (self.why, self.fix):
            label.setFont(look.sans(theme, 12.5))
        self.show_state(self._shell.store.state)

    @property
    def line(self) -> int:
        """The line that is to blame, -1 if nothing is wrong."""
        return self._problem.line if self._problem else -1

    def show_state(self, state: State) -> None:
        """Say what the latest run says."""
        found = problem(state)
        self._problem = found
        self.setVisible(found is not None)
        if found is None:
            return
        theme = self._theme
        self.title.setText(f"<span style='color:{theme.error}'>{look.escape(found.title)}</span>")
        self.message.setText(look.escape(found.message))
        self.why.setText(f"{head('Why')} {look.escape(found.why)}")
        self.fix.setText(f"{head('Fix')} <span style='color:{theme.link}'>{look.escape(found.fix)}</span>")
        self.message.setVisible(bool(found.message))
        self.why.setVisible(bool(found.why))
        self.fix.setVisible(bool(found.fix))
        self.apply.setVisible(found.text is not None)

    def _apply(self) -> None:
        if self._problem is not None and self._problem.text is not None:
            document = self._shell.store.state.document
            self._shell.store.edit(EDIT_LABEL, document.with_text(self._problem.text))
            self._shell.runner.run()


def head(word: str) -> str:
    """The word that opens a sentence of the card."""
    return f"<span style='font-weight:600'>{word}</span>&nbsp;"
