"""The card under the editor that says what went wrong: PyTorch's message, why it happened, what to change, and a button
where the change can be made for the user."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QTextBrowser, QVBoxLayout

from gradviz.commands.row import Shell
from gradviz.document.documents import text_of, with_text
from gradviz.session.problem import Problem, problem
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.theme import Theme

EDIT_LABEL = "Fix"
TALLEST, TALLEST_WHOLE = 0.46, 0.66  # of the editor panel, short and with the whole message; a longer text scrolls
AROUND = 18  # pixels of margins and spacing
LONGEST = 110  # characters of a message that is not shown to its end
SHORTENED = 60  # characters that are worth a "more"


class Text(QTextBrowser):
    """Rich text that asks for the height that it needs."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("errorText")
        self.setOpenLinks(False)
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
        self._whole = False  # the message is shown to its end
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setObjectName("errorTitle")
        self.text = Text()
        self.text.document().documentLayout().documentSizeChanged.connect(self.fit)
        self.text.anchorClicked.connect(self._toggle)
        self.apply = QPushButton("&Apply")
        self.apply.setToolTip("Apply this change to the snippet and run it again. You can undo it.")
        self.apply.clicked.connect(self._apply)
        self.beside = QPushButton("&Try beside")
        self.beside.setToolTip("Run the snippet with this change and compare the two runs.")
        self.beside.clicked.connect(self._try_beside)
        row = QHBoxLayout()
        row.addWidget(self.title, 1)
        row.addWidget(self.beside)
        row.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 7, 8, 7)
        column.setSpacing(4)
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
        self._whole = self._whole and found == self._problem
        self._problem = found
        self.setVisible(found is not None)
        if found is None:
            return
        self.title.setText(found.title)
        self.apply.setVisible(bool(found.fix) and found.text is not None)
        self.beside.setVisible(self.apply.isVisibleTo(self) and state.trace is not None and state.what_if is None)
        self._write(found)

    def _write(self, found: Problem) -> None:
        html = _page(found, self._theme, self._whole)
        if html != self.text.property("shown"):
            self.text.setProperty("shown", html)
            self.text.setHtml(html)
        self.fit()

    def fit(self) -> None:
        """As tall as the text, but never more than a part of the panel."""
        panel = self.parentWidget()
        if panel is not None:
            part = TALLEST_WHOLE if self._whole else TALLEST
            around = self.apply.sizeHint().height() + AROUND
            self.text.setFixedHeight(max(20, min(self.text.needed(), round(panel.height() * part) - around)))

    def _toggle(self) -> None:
        self._whole = not self._whole
        if self._problem is not None:
            self._write(self._problem)

    def _try_beside(self) -> None:
        from gradviz.session.comparison.proposals import edited

        text = self._problem.text if self._problem is not None else None
        proposal = edited(text_of(self._shell.store.state.document), text) if text is not None else None
        if proposal is not None:
            self._shell.what_if_runner.start(proposal)

    def _apply(self) -> None:
        if self._problem is not None and self._problem.text is not None:
            document = self._shell.store.state.document
            self._shell.store.edit(EDIT_LABEL, with_text(document, self._problem.text))
            self._shell.runner.run()


def shortened(message: str) -> str:
    """The first thing that a long message says: up to a bracket or the end of the first sentence."""
    ends = [place for place in (message.find(" ("), message.find(". "), message.find("\n")) if place > 0]
    first = message[: min(ends, default=len(message))]
    if len(first) > LONGEST:
        first = first[:LONGEST].rsplit(" ", 1)[0]
    return first if len(message) - len(first) > SHORTENED else message


def _page(found: Problem, theme: Theme, whole: bool) -> str:
    short = found.message if found.cursor is None else shortened(found.message)  # PyTorch's are long, ours are not
    parts = [
        (found.message if whole else short, "", theme.text, "" if short == found.message else _more(theme, whole)),
        (found.why, "Why", theme.text, ""),
        (found.fix, "Fix", theme.link, ""),
    ]
    return "".join(_paragraph(text, head, colour, tail) for text, head, colour, tail in parts if text)


def _more(theme: Theme, whole: bool) -> str:
    word = " &nbsp;less" if whole else " … more"
    return f"<a href='more' style='color:{theme.link}; text-decoration:none'>{word}</a>"


def _paragraph(text: str, head: str, colour: str, tail: str) -> str:
    opening = f"<span style='font-weight:600'>{head}</span>&nbsp; " if head else ""
    return f"<p style='margin:0 0 4px 0'>{opening}<span style='color:{colour}'>{look.escape(text)}</span>{tail}</p>"
