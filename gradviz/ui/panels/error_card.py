"""The card under the editor that says what went wrong: PyTorch's message, why it happened, what to change, and a button
where the change can be made for the user."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QTextBrowser, QVBoxLayout

from gradviz.commands.row import Shell
from gradviz.session.problem import Problem, problem
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.theme import Theme

EDIT_LABEL = "Fix"
TALLEST = 0.55  # of the editor panel; a longer text scrolls


class Text(QTextBrowser):
    """Rich text that asks for the height that it needs."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("errorText")
        self.setAccessibleName("What went wrong")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def needed(self) -> int:
        """The height of the text at this width."""
        return round(self.document().size().height()) + 2

    def minimumSizeHint(self) -> QSize:
        return QSize(60, 20)


class ErrorCard(QFrame):
    """Hidden while nothing is wrong."""

    def __init__(self, shell: Shell, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("error")
        self._shell = shell
        self._problem: Problem | None = None
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setObjectName("errorTitle")
        self.text = Text()
        self.text.document().documentLayout().documentSizeChanged.connect(self.fit)
        self.apply = QPushButton("&Apply the fix")
        self.apply.setToolTip("Make this change in the snippet and run it again. It can be undone.")
        self.apply.clicked.connect(self._apply)
        row = QHBoxLayout()
        row.addWidget(self.title, 1)
        row.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 10)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.text)
        self.hide()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours and sizes."""
        self._theme = theme
        self.title.setFont(look.sans(theme, 13, bold=True))
        self.text.setFont(look.sans(theme, 12.5))
        self.show_state(self._shell.store.state)

    @property
    def line(self) -> int:
        """The line that is to blame, -1 if nothing is wrong."""
        return self._problem.line if self._problem else -1

    @property
    def is_shown(self) -> bool:
        """True if something is wrong."""
        return self._problem is not None

    def show_state(self, state: State) -> None:
        """Say what the latest run says."""
        found = problem(state)
        self._problem = found
        self.setVisible(found is not None)
        if found is None:
            return
        self.title.setText(found.title)
        self.apply.setVisible(bool(found.fix) and found.text is not None)
        html = _page(found, self._theme)
        if html != self.text.property("shown"):
            self.text.setProperty("shown", html)
            self.text.setHtml(html)
        self.fit()

    def fit(self) -> None:
        """As tall as the text, but never more than a part of the panel."""
        panel = self.parentWidget()
        if panel is not None:
            self.text.setFixedHeight(max(20, min(self.text.needed(), round(panel.height() * TALLEST))))

    def _apply(self) -> None:
        if self._problem is not None and self._problem.text is not None:
            document = self._shell.store.state.document
            self._shell.store.edit(EDIT_LABEL, document.with_text(self._problem.text))
            self._shell.runner.run()


def _page(found: Problem, theme: Theme) -> str:
    parts = [
        (found.message, "", theme.text),
        (found.why, "Why", theme.text),
        (found.fix, "Fix", theme.link),
    ]
    return "".join(_paragraph(text, head, colour) for text, head, colour in parts if text)


def _paragraph(text: str, head: str, colour: str) -> str:
    opening = f"<span style='font-weight:600'>{head}</span>&nbsp; " if head else ""
    return f"<p style='margin:0 0 6px 0'>{opening}<span style='color:{colour}'>{look.escape(text)}</span></p>"
