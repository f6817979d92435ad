"""The examples gallery: one card per example with its title, what it shows and what to look at; a click opens and runs
it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gradviz.document.files.examples import Example, drawn_examples, examples, lessons
from gradviz.session.state import Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme


class ExampleCard(QFrame):
    """One example."""

    def __init__(self, context: Context, example: Example) -> None:
        super().__init__()
        self._context = context
        self._path = str(example.path)
        self.setObjectName("example")
        self.title = QLabel(example.title)
        self.text = QLabel(example.paragraph)
        self.hint = QLabel(f"Look at: {example.look_at}" if example.look_at else "")
        self.open = QPushButton("Open and run")
        self.open.setAccessibleName(f"Open and run the example {example.title}")
        self.open.clicked.connect(self._open)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        for label in (self.title, self.text, self.hint):
            label.setWordWrap(True)
            column.addWidget(label)
        self.hint.setVisible(bool(example.look_at))
        self.hint.setObjectName("muted")
        column.addWidget(self.open, 0, Qt.AlignmentFlag.AlignLeft)

    def set_theme(self, theme: Theme) -> None:
        """Take other sizes."""
        self.title.setFont(look.sans(theme, 13.5, bold=True))
        for label in (self.text, self.hint):
            label.setFont(look.sans(theme, 12.5))

    def _open(self) -> None:
        self._context.shell.files.open_example(self._path)


class GalleryPanel(Panel):
    """All examples in a column, after the lessons of the classroom."""

    shows = Slice()

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.cards: list[ExampleCard] = []
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.area)

    def showEvent(self, event: QShowEvent) -> None:
        """The cards are made when they are first seen."""
        if not self.cards:
            self._fill()
        super().showEvent(event)

    def _fill(self) -> None:
        folder = self.context.shell.lessons
        own = lessons(folder) if folder is not None else ()
        self.cards = [ExampleCard(self.context, example) for example in (*own, *examples(), *drawn_examples())]
        content = QWidget()
        content.setObjectName("gallery")
        column = QVBoxLayout(content)
        column.setContentsMargins(10, 8, 10, 10)
        column.setSpacing(10)
        for card in self.cards:
            card.set_theme(self.theme)
            column.addWidget(card)
        column.addStretch(1)
        self.area.setWidget(content)

    @property
    def focus_target(self) -> QWidget:
        return self.cards[0].open if self.cards else self.area

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for card in self.cards:
            card.set_theme(theme)

    def show_state(self, before: State, after: State) -> None:
        """The examples do not depend on the state."""
