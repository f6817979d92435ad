"""The list of everything that keeps a file from running here, in the middle of the window: each item with its lines,
its purpose, the change as a diff and a button that makes it; and one button for all changes.
`gradviz.session.obstacles` decides what is on the list; every change is an edit that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget

from gradviz.document.documents import files_of, with_text
from gradviz.session.inspect.sources import Place
from gradviz.session.obstacles import Obstacle, Obstacles, obstacles_of, places
from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.panels.error_card import EDIT_LABEL, change_html
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

MOST_LINES = 12  # lines of a change that are shown
MOST_PLACES = 6  # line numbers that are listed
YOURS = "What can't run here runs in your own PyTorch, with all its packages, and is stepped through here."


class Row(QFrame):
    """One obstacle, with its buttons."""

    def __init__(self, obstacle: Obstacle, page: ObstacleList) -> None:
        super().__init__()
        self.setObjectName("way")
        self.obstacle = obstacle
        purpose = f"  ·  {obstacle.purpose}" if obstacle.purpose else ""
        self.title = _label(f"<b>{look.escape(obstacle.title)}</b>{look.escape(purpose)}")
        self.places = [self._place(line, page) for line in obstacle.lines[:MOST_PLACES]]
        left = f"{places(obstacle.left)}: " if obstacle.left else ""
        said = f"{left}{obstacle.advice}"
        self.advice = _label(look.escape(f"{said[:1].upper()}{said[1:]}"))
        self.change = _label("")
        self.buttons: list[QPushButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(4)
        column.addWidget(self.title)
        column.addLayout(_in_a_row(self.places, _more(obstacle)))
        column.addWidget(self.advice)
        column.addWidget(self.change)
        self.change.setVisible(bool(obstacle.change))
        if obstacle.text is not None:
            self._add(obstacle.button, "Make this change and run. You can undo it.", lambda: page.make(obstacle))
        if obstacle.attach:
            name = obstacle.attach.replace("&", "&&")
            self._add(f"Attach {name}…", "Choose the file and run again.", lambda: page.attach(obstacle.attach))
        if obstacle.is_cuda:
            self._add("Treat cuda as cpu", "Leave the file as it is and let cuda mean the CPU.", page.treat_cuda)
        column.addLayout(_in_a_row(self.buttons))

    def _place(self, line: int, page: ObstacleList) -> QToolButton:
        button = QToolButton()
        button.setObjectName("link")
        button.setAutoRaise(True)
        button.setText(f"line {line}")
        button.setToolTip("Go to this line.")
        button.setAccessibleName(f"Go to line {line}: {self.obstacle.title}")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda: page.show_line(line))
        return button

    def _add(self, title: str, help: str, then: Callable[[], None]) -> None:
        button = QPushButton(title)
        button.setToolTip(help)
        button.setAccessibleName(f"{title}: {self.obstacle.title}")
        button.clicked.connect(then)
        self.buttons.append(button)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        for place in self.places:
            place.setFont(look.sans(theme, 12.5))
            place.setStyleSheet(
                f"QToolButton {{ color: {theme.link}; padding: 1px 2px; border: 1px solid transparent; }}"
                f"QToolButton:focus {{ border: 1px solid {theme.focus}; }}"
            )
        for label in (self.title, self.advice, self.change):
            label.setFont(look.sans(theme, 13 if label is self.title else 12.5))
        self.advice.setObjectName("muted")
        lines = self.obstacle.change
        shown = change_html(lines[:MOST_LINES], theme)
        left = len(lines) - MOST_LINES
        self.change.setText(shown + (f"<p>and {left} more lines</p>" if left > 0 else ""))


class ObstacleList(QScrollArea):
    """Created with the first file that does not run, or not to its end."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self._shown: Obstacles | None = None
        self.rows: list[Row] = []
        self.setAccessibleName("What keeps this file from running")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.title, self.said, self.yours = _label(""), _label(""), _label(YOURS)
        self.in_pytorch = QPushButton("Run in My PyTorch…")
        self.in_pytorch.clicked.connect(lambda: context.do("run.in_pytorch"))
        self.all = QPushButton()
        self.all.setProperty("primary", True)
        self.all.setToolTip("Make every change that is shown below and run the file. You can undo it.")
        self.all.clicked.connect(self._make_all)
        self.close_list = QPushButton()
        self.close_list.setToolTip("Close this list. Run > What Stops This File opens it again.")
        self.close_list.clicked.connect(lambda: context.do("run.obstacles"))
        buttons = QHBoxLayout()
        buttons.addWidget(self.all)
        buttons.addWidget(self.close_list)
        buttons.addStretch(1)
        content = QWidget()
        content.setObjectName("invitation")
        column = QVBoxLayout(content)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.said)
        column.addLayout(buttons)
        self._column = QVBoxLayout()
        self._column.setSpacing(8)
        column.addLayout(self._column)
        column.addWidget(self.yours)
        column.addLayout(_in_a_row([self.in_pytorch]))
        column.addStretch(1)
        self.setWidget(content)

    @property
    def focus_target(self) -> QWidget:
        """The widget that gets the focus."""
        return self.all if self.all.isVisibleTo(self) else self.close_list

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self.title.setFont(look.sans(theme, 19, bold=True))
        for label in (self.said, self.yours):
            label.setFont(look.sans(theme, 13))
        for row in self.rows:
            row.set_theme(theme)

    def show_state(self, state: State) -> None:
        """List the obstacles of the latest run."""
        found = obstacles_of(state)
        if found is not self._shown:
            self._shown = found
            self._list(found)
            self._say(state, found)
            self.set_theme(self._theme)
            self.verticalScrollBar().setValue(0)

    def _list(self, found: Obstacles) -> None:
        for row in self.rows:
            row.setParent(None)
            row.deleteLater()
        self.rows = [Row(each, self) for each in found.every]
        before: QWidget = self.close_list
        for row in self.rows:
            self._column.addWidget(row)
            for each in (*row.places, *row.buttons):  # Tab follows the visual order
                self.setTabOrder(before, each)
                before = each
        self.setTabOrder(before, self.in_pytorch)

    def _say(self, state: State, found: Obstacles) -> None:
        count = len(found.every)
        things = "One thing that this file uses is" if count == 1 else f"{count} things that this file uses are"
        self.title.setText(f"{things} not available here")
        ended = "Nothing has run." if state.run.refusals else f"The run stopped at line {state.run.line}."
        left = "It is" if count == 1 else "One is" if found.left == 1 else f"{found.left} are"
        rest = f" {left} for you to change." if found.left else ""
        self.said.setText(f"{ended}{rest}")
        many = found.changeable > 1
        self.all.setText(f"Make All {found.changeable} Changes and Run" if many else "Make the Change and Run")
        self.all.setVisible(found.text is not None and many)
        self.close_list.setText("Show the Graph" if state.steps else "Close")

    def show_line(self, line: int) -> None:
        """Go to a line of the file."""
        self._context.shell.source.show_place(Place(line, 0, line, 0))

    def make(self, obstacle: Obstacle) -> None:
        """Make one change, and run the result."""
        self._write(obstacle.text)

    def _make_all(self) -> None:
        self._write(self._shown.text if self._shown is not None else None)

    def _write(self, text: str | None) -> None:
        shell = self._context.shell
        if text is not None and shell.store.state.lists_obstacles:
            shell.store.edit(EDIT_LABEL, with_text(shell.store.state.document, text))
            shell.runner.run()

    def attach(self, name: str) -> None:
        """Ask for the file, and run with it."""
        shell = self._context.shell
        before = files_of(shell.store.state.document)
        shell.attachments.attach(name)
        if files_of(shell.store.state.document) != before:
            shell.runner.run()

    def treat_cuda(self) -> None:
        """Let cuda mean the CPU in the runs of this window."""
        self._context.shell.store.treat_cuda(True)
        self._context.shell.runner.run()


def _more(obstacle: Obstacle) -> str:
    more = len(obstacle.lines) - MOST_PLACES
    return f"and {more} more" if more > 0 else ""


def _in_a_row(widgets: Sequence[QWidget], after: str = "") -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(6)
    for each in widgets:
        row.addWidget(each)
    if after:
        row.addWidget(QLabel(after))
    row.addStretch(1)
    return row


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
