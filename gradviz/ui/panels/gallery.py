"""The gallery: the open lesson set, then the lessons of the classroom, then the examples, which are a lesson set, too.
There is a card per lesson with its title, what it shows, what to look at, and whether it is done; a click opens and
runs it. The user's own set can be changed here: its title and text, and the order of its lessons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.files import lesson_set
from gradviz.document.files.examples import lessons
from gradviz.document.files.lesson_set import Lesson, LessonSet
from gradviz.session.state import Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme

NOW, DONE = "▸ open", "✓ done"
PREDICTS = "You predict each number before it is shown."
HINT_WIDTH = 260  # pixels
HOW_TO_ADD = "No lessons yet. Open or write a document, then choose File > Add to This Lesson Set."


class ExampleCard(QFrame):
    """One example or lesson."""

    def __init__(self, lesson: Lesson, place: tuple[Path | None, int], opened: Callable[[], None]) -> None:
        super().__init__()
        example = lesson.example
        self.key, self.place = lesson.key, place  # the path of its set, and the number of the lesson
        self.setObjectName("example")
        self.title = QLabel(example.title)
        self.text = QLabel(example.paragraph)
        self.hint = QLabel(f"Look at: {example.look_at}" if example.look_at else "")
        self.predicts = QLabel(PREDICTS)
        self.done = QLabel()
        self.open = QPushButton("Open and run")
        self.open.setAccessibleName(f"Open and run the example {example.title}")
        self.open.clicked.connect(opened)
        self.open.setAutoDefault(True)  # Return presses it, too
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        for label in (self.title, self.text, self.hint, self.predicts):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            column.addWidget(label)
        self.text.setVisible(bool(example.paragraph))
        self.hint.setVisible(bool(example.look_at))
        self.predicts.setVisible(lesson.predict)
        self.hint.setObjectName("muted")
        self.predicts.setObjectName("muted")
        self.row = QHBoxLayout()
        self.row.addWidget(self.open)
        self.row.addWidget(self.done)
        self.row.addStretch(1)
        column.addLayout(self.row)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.title.setFont(look.sans(theme, 13.5, bold=True))
        for label in (self.text, self.hint, self.predicts, self.done):
            label.setFont(look.sans(theme, 12.5))

    def show_progress(self, *, is_done: bool, is_open: bool) -> None:
        """Show whether it is done, and whether it is open in this window."""
        self.done.setText(" · ".join(word for word, holds in ((NOW, is_open), (DONE, is_done)) if holds))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What to look at stands above the code of an open lesson, too; a narrow card leaves it out."""
        super().resizeEvent(event)
        self.hint.setVisible(bool(self.hint.text()) and event.size().width() >= HINT_WIDTH)

    def add_tool(self, sign: str, name: str, does: Callable[[], None]) -> None:
        """Add a small button for the author of the set."""
        self.row.addWidget(_tool(sign, name, self.title.text(), does))


def _tool(sign: str, name: str, of: str, does: Callable[[], None]) -> QToolButton:
    button = QToolButton()
    button.setObjectName("small")
    button.setText(sign)
    button.setToolTip(name)
    button.setAccessibleName(f"{name}: {of}")
    button.clicked.connect(does)
    return button


class SetHead(QFrame):
    """The title of a set, its text, and how much of it is done."""

    def __init__(self, shown: LessonSet, change: Callable[[], None]) -> None:
        super().__init__()
        self.keys = [lesson.key for lesson in shown.lessons]
        self.title = QLabel(shown.title)
        self.text = QLabel(shown.text or ("" if shown.lessons else HOW_TO_ADD))
        self.progress = QLabel()
        self.progress.setObjectName("muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 6, 4, 0)
        for label in (self.title, self.text, self.progress):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        first = QHBoxLayout()
        first.addWidget(self.title, 1)
        if shown.is_editable:
            tool = _tool("✎", "Change the title and the text of the set", shown.title, change)
            first.addWidget(tool, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(first)
        column.addWidget(self.text)
        column.addWidget(self.progress)
        self.text.setVisible(bool(self.text.text()))

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.title.setFont(look.sans(theme, 15, bold=True))
        for label in (self.text, self.progress):
            label.setFont(look.sans(theme, 12.5))

    def show_done(self, done: frozenset[str]) -> None:
        """How many of its lessons are done."""
        self.progress.setText(f"{sum(key in done for key in self.keys)} of {len(self.keys)} done")
        self.progress.setVisible(bool(self.keys))


class SetDialog(QDialog):
    """Asks for the title and the text of a set."""

    def __init__(self, parent: QWidget, title: str, text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Lesson Set")
        self.title, self.text = QLineEdit(title), QPlainTextEdit(text)
        self.text.setPlaceholderText("What the lessons are about, and for whom. It is shown above them.")
        self.text.setTabChangesFocus(True)
        form = QFormLayout(self)
        form.addRow("&Title:", self.title)
        form.addRow("T&ext:", self.text)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    @property
    def answer(self) -> tuple[str, str]:
        """The title and the text."""
        return self.title.text().strip(), self.text.toPlainText().strip()


class GalleryPanel(Panel):
    """Sets, one below the other."""

    shows = Slice("lessons", "view")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.cards: list[ExampleCard] = []
        self.heads: list[SetHead] = []
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.area)

    def showEvent(self, event: QShowEvent) -> None:
        """The cards are created when they first become visible."""
        if not self.cards:
            self._fill()
        super().showEvent(event)

    @cached_property
    def _standing(self) -> tuple[LessonSet, ...]:
        """The sets that are always present."""
        folder = self.context.shell.lessons
        own = lessons(folder) if folder is not None else ()
        found = (LessonSet("Lessons", lessons=tuple(map(Lesson, own)), path=folder, is_trusted=True),) if own else ()
        return (*found, lesson_set.shipped())

    def _own(self, state: State) -> LessonSet | None:
        """The open set, if it is not one of those."""
        opened = state.lessons
        return None if opened is None or any(each.path == opened.path for each in self._standing) else opened

    def _fill(self) -> None:
        own = self._own(self.context.shell.store.state)
        self.cards, self.heads = [], []
        content = QWidget()
        content.setObjectName("gallery")
        column = QVBoxLayout(content)
        column.setContentsMargins(10, 8, 10, 10)
        column.setSpacing(10)
        for shown in (*((own,) if own is not None else ()), *self._standing):
            self.heads.append(SetHead(shown, self.context.shell.lesson_sets.describe))
            column.addWidget(self.heads[-1])
            for place, lesson in enumerate(shown.lessons):
                self.cards.append(self._card(shown, place, lesson))
                column.addWidget(self.cards[-1])
        column.addStretch(1)
        self.set_theme(self.theme)
        self._show_progress(self.context.shell.store.state)
        former = self.area.takeWidget()
        if former is not None:
            former.deleteLater()  # one of its buttons may be what was pressed
        self.area.setWidget(content)

    def _card(self, shown: LessonSet, place: int, lesson: Lesson) -> ExampleCard:
        shell = self.context.shell
        card = ExampleCard(lesson, (shown.path, place), lambda: shell.lesson_sets.open_lesson(place, shown))
        if shown.is_editable:
            sets = shell.lesson_sets
            if place:
                card.add_tool("↑", "Earlier in the set", partial(sets.move, place, -1))
            if place < len(shown.lessons) - 1:
                card.add_tool("↓", "Later in the set", partial(sets.move, place, 1))
            card.add_tool("×", "Take out of the set", partial(sets.remove, place))
        return card

    def _show_progress(self, state: State) -> None:
        """Show which lesson is open, and which are done."""
        done, opened = frozenset(state.view.done), state.lessons
        now = (opened.path, opened.at) if opened is not None else None
        for head in self.heads:
            head.show_done(done)
        for card in self.cards:
            card.show_progress(is_done=card.key in done, is_open=card.place == now)

    @property
    def focus_target(self) -> QWidget:
        return self.cards[0].open if self.cards else self.area

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for head in self.heads:
            head.set_theme(theme)
        for card in self.cards:
            card.set_theme(theme)

    def show_state(self, before: State, after: State) -> None:
        """Show another set, or further progress in it."""
        if not self.heads:
            return
        one, other = self._own(before), self._own(after)
        same = one is other or (one is not None and other is not None and replace(one, at=other.at) == other)
        if not same:
            place = self.area.verticalScrollBar().value()
            self._fill()
            self.area.verticalScrollBar().setValue(place if one is not None and other is not None else 0)
        elif before.lessons is not after.lessons or before.view.done != after.view.done:
            self._show_progress(after)
