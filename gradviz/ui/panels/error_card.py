"""The card below the snippet that explains what went wrong, or what the doctor found: PyTorch's message, the cause,
what to change, and buttons for what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
)

from gradviz.commands.learning import look_further
from gradviz.commands.row import Shell
from gradviz.document.documents import text_of, with_text
from gradviz.session import run_transitions
from gradviz.session.problem import Problem, problem
from gradviz.session.state import STALE, Slice, State
from gradviz.ui import look
from gradviz.ui.theme import Theme

EDIT_LABEL = "Fix"
ERROR = Slice("run", "steps", "playing", "doctor", "predict", "view", *STALE)  # without caught errors
# what the card depends on, except errors that the snippet caught
TALLEST, TALLEST_WHOLE = 0.46, 0.66  # share of the panel: unasked, and asked for; longer text scrolls
AROUND = 20  # pixels of margins, spacing and frame
LONGEST = 110  # characters beyond which a message is shortened
SHORTENED = 60  # hidden characters that are worth a "more"


class Text(QTextBrowser):
    """Rich text that requests the height that it needs."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("errorText")
        self.setOpenLinks(False)
        self.setAccessibleName("What went wrong")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def needed(self) -> int:
        """The height of the text for this width."""
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
        self.is_shown, self.line = False, -1  # whether something is wrong, and where
        self._whole = False  # the whole message is shown
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
        self.dismiss = QPushButton("&Dismiss")
        self.dismiss.setToolTip("Do not tell this again.")
        self.next = QPushButton("&Next")
        self.next.setToolTip("Show the next finding.")
        self.next.clicked.connect(lambda: look_further(shell))
        self.attach = QPushButton()
        self.attach.setToolTip("Choose the file that the snippet looks for, and run it again.")
        self.attach.clicked.connect(self._attach)
        self.longer = QPushButton("Run &Again with More Time")
        self.longer.setToolTip("Run the snippet once more, with four times the time.")
        self.longer.clicked.connect(lambda: self._shell.runner.run_longer())
        self.call = QPushButton("Run with Ar&guments…")
        self.call.setToolTip("Say what the script is called with, and run it again.")
        self.call.clicked.connect(lambda: self._shell.dialogs.run_with())
        self._all = (self.next, self.dismiss, self.attach, self.call, self.longer, self.beside, self.apply)
        self._buttons = QVBoxLayout()
        self._rows = [QHBoxLayout() for _ in self._all]
        for row, button in zip(self._rows, self._all, strict=True):
            self._buttons.addLayout(row)
            self._rows[0].addWidget(button)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.addWidget(self.title, 1)
        self._head.addLayout(self._buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 7, 8, 7)
        column.setSpacing(4)
        column.addLayout(self._head)
        column.addWidget(self.text)
        self.hide()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self.title.setFont(look.sans(theme, 13, bold=True))
        self.text.setFont(look.sans(theme, 12.5))
        self.show_state(self._shell.store.state)

    def show_state(self, state: State) -> None:
        """Show the problem of the latest run."""
        found = problem(state)
        self._whole = self._whole and found == self._problem
        self._problem, self.is_shown, self.line = found, found is not None, found.line if found is not None else -1
        self.setVisible(self.is_shown)
        if found is None:
            return
        self.title.setText(found.title)
        self.apply.setVisible(bool(found.fix) and found.text is not None and not state.is_recording)
        self.attach.setText(f"A&ttach {found.attach.rpartition('/')[2].replace('&', '&&')}…")
        self.attach.setVisible(bool(found.attach) and not state.is_recording)
        self.longer.setVisible(found.needs_time and not state.is_recording)
        self.call.setVisible(found.needs_arguments and not state.is_recording)
        self.beside.setVisible(self.apply.isVisibleTo(self) and state.trace is not None and state.what_if is None)
        self.next.setVisible(bool(found.lesson) and len(state.told) > 1)
        self.dismiss.setVisible(bool(found.lesson))
        if found.lesson and self.dismiss.menu() is None:
            self.dismiss.setMenu(self._spans())
        self._write(found)

    def _spans(self) -> QMenu:
        """The choices of how long to dismiss a lesson."""
        menu = QMenu(self)
        for title, span in (("&Now", "now"), ("In This &Document", "document"), ("For &Good", "good")):
            menu.addAction(title).triggered.connect(partial(self._dismiss, span))
        return menu

    def _dismiss(self, span: str) -> None:
        self._shell.store.consult(lambda state: run_transitions.dismissed(state, span))

    def _write(self, found: Problem) -> None:
        html = _page(found, self._theme, self._whole)
        if html != self.text.property("shown"):
            self.text.setProperty("shown", html)
            self.text.setHtml(html)
        self.fit()

    def fit(self) -> None:
        """As tall as the text, but never more than a share of the panel; the buttons are below the title if they don't
        fit beside it, in as many rows as it takes."""
        panel = self.parentWidget()
        if panel is not None:
            beside = self.width() - self.title.sizeHint().width() - AROUND
            shown = [button for button in self._all if button.isVisibleTo(self)]
            rows, wide = _in_rows(shown, beside, self._rows[0].spacing()), True
            if len(rows) > 1:
                rows, wide = _in_rows(shown, self.width() - AROUND, self._rows[0].spacing()), False
            for row, buttons in zip(self._rows, rows, strict=False):
                for button in buttons:
                    row.addWidget(button)
            way = QBoxLayout.Direction
            self._head.setDirection(way.LeftToRight if wide else way.TopToBottom)
            asked = self._whole or (self._problem is not None and bool(self._problem.lesson))
            part = TALLEST_WHOLE if asked else TALLEST
            around = self._head.sizeHint().height() + AROUND
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

    def _attach(self) -> None:
        """The next run finds the attached file, which is what the user asked for."""
        if self._problem is not None:
            before = self._shell.store.state.document
            self._shell.attachments.attach(self._problem.attach)
            if self._shell.store.state.document != before:
                self._shell.runner.run()

    def _apply(self) -> None:
        if self._problem is not None and self._problem.text is not None:
            document = self._shell.store.state.document
            self._shell.store.edit(EDIT_LABEL, with_text(document, self._problem.text))
            self._shell.runner.run()


def _in_rows(buttons: list[QPushButton], width: int, spacing: int) -> list[list[QPushButton]]:
    """Buttons in rows of this width, in order, as few as it takes; a button that is wider has a row of its own."""
    rows: list[list[QPushButton]] = [[]]
    left = width
    for button in buttons:
        needed = button.sizeHint().width()
        if rows[-1] and needed > left:
            rows.append([])
            left = width
        rows[-1].append(button)
        left -= needed + spacing
    return rows


def shortened(message: str) -> str:
    """The first part of a long message: up to a bracket or the end of the first sentence."""
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
    page = "".join(_paragraph(text, head, colour, tail) for text, head, colour, tail in parts if text)
    return page + (change_html(found.lines, theme) if found.lines else "")


def change_html(lines: Sequence[str], theme: Theme) -> str:
    """The lines that a fix removes and adds."""
    rows = []
    for line in lines:
        colour = theme.ok if line.startswith("+") else theme.error
        rows.append(f"<span style='color:{colour}'>{look.escape(line)}</span>")
    family = look.mono(theme, 12).family()
    return f"<pre style='margin:0; font-family:{family}'>" + "\n".join(rows) + "</pre>"


def _more(theme: Theme, whole: bool) -> str:
    word = " &nbsp;less" if whole else " … more"
    return f"<a href='more' style='color:{theme.link}; text-decoration:none'>{word}</a>"


def _paragraph(text: str, head: str, colour: str, tail: str) -> str:
    opening = f"<span style='font-weight:600'>{head}</span>&nbsp; " if head else ""
    return f"<p style='margin:0 0 4px 0'>{opening}<span style='color:{colour}'>{look.escape(text)}</span>{tail}</p>"
