"""The middle of the window during a what-if comparison: one sentence that says what differs, and two canvases below it,
each with the name of its run and its present step. `comparison_canvases` fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gradviz.session.state import State
from gradviz.session.what_if import can_take
from gradviz.ui import look
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas import CanvasView

BUTTONS = (  # label, command, what it does
    ("Swap", "run.swap_runs", "Make the inspector, the timeline and the output follow the other run."),
    ("Take it", "run.take_change", "Apply the change to the snippet. You can undo it."),
    ("Close", "run.close_what_if", "Close the comparison and keep the run of the snippet as written."),
)


class Elided(QLabel):
    """A line of text that is elided if it does not fit; the tooltip has all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def whole(self) -> str:
        """The text."""
        return self._whole

    def say(self, text: str) -> None:
        """Show this text."""
        self._whole = text
        self.setToolTip(look.tip(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs another width."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        text = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, max(10, self.width()))
        if text != self.text():
            self.setText(text)


class Side(QFrame):
    """One of the two: its header, and its canvas or a sentence that says why there is none."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("side")
        self.title, self.step = Elided(), Elided()
        self.step.setObjectName("muted")
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setContentsMargins(16, 8, 16, 8)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.message)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(10, 4, 8, 4)
        head.setSpacing(0)
        head.addWidget(self.title)
        head.addWidget(self.step)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.title.setFont(look.sans(theme, 13, bold=True))
        self.step.setFont(look.sans(theme, 12))
        self.message.setFont(look.sans(theme, 13))

    def put(self, canvas: CanvasView) -> None:
        """Show this canvas here."""
        if self.stack.indexOf(canvas) < 0:
            self.stack.addWidget(canvas)
        self.stack.setCurrentWidget(canvas)

    def say(self, sentence: str) -> None:
        """Show a sentence where the graph would be."""
        self.message.setText(sentence)
        self.stack.setCurrentWidget(self.message)


class ComparisonView(QWidget):
    """The sentence, the buttons and the two sides: the front run, then the other."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setAccessibleName("What-if")
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.buttons = {command: self._button(*row) for row in BUTTONS for command in (row[1],)}
        self.sides = (Side(context.theme), Side(context.theme))
        self.splitter = QSplitter()
        self.splitter.setHandleWidth(5)
        self.splitter.setChildrenCollapsible(False)
        for side in self.sides:
            self.splitter.addWidget(side)
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 8, 4)
        row.setSpacing(6)
        row.addWidget(self.sentence, 1)
        for button in self.buttons.values():
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.splitter, 1)
        self.set_theme(context.theme)

    def _button(self, label: str, command: str, tip: str) -> QPushButton:
        button = QPushButton(label)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self._context.do(command))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.sentence.setFont(look.sans(theme, 13))
        for side in self.sides:
            side.set_theme(theme)

    def show_state(self, state: State) -> None:
        """Show what differs and where both runs are."""
        beside = state.what_if
        if beside is None:
            return
        self.sentence.setText(beside.summary)
        self.buttons["run.swap_runs"].setEnabled(beside.comparison is not None)
        self.buttons["run.take_change"].setEnabled(can_take(state) and not state.is_busy)
        here, there = self.sides
        here.title.say(_first_up(beside.titles[0]))
        there.title.say(_first_up(beside.titles[1]))
        here.step.say(_place(state.trace, state.cursor, state.steps))
        there.step.say(_place(beside.trace, beside.cursor, beside.steps))

    def arrange(self, here: CanvasView, there: CanvasView | None, sentence: str) -> None:
        """Put the two canvases in place; without the second one, show a sentence."""
        self.sides[0].put(here)
        if there is None:
            self.sides[1].say(sentence)
        else:
            self.sides[1].put(there)
        QWidget.setTabOrder(self.buttons["run.close_what_if"], here)
        if there is not None:
            QWidget.setTabOrder(here, there)

    def turn(self, width: float, height: float) -> None:
        """Side by side or one above the other, whichever shows a graph of this size larger."""
        area = self.splitter.size()
        if min(width, height, area.width(), area.height()) <= 0:
            return
        across = min(area.width() / 2 / width, area.height() / height)
        down = min(area.width() / width, area.height() / 2 / height)
        wanted = Qt.Orientation.Horizontal if across >= down else Qt.Orientation.Vertical
        if wanted is not self.splitter.orientation():
            self.splitter.setOrientation(wanted)
        whole = area.width() if wanted is Qt.Orientation.Horizontal else area.height()
        self.splitter.setSizes([whole // 2, whole - whole // 2])


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _place(trace: Trace | None, cursor: int, steps: int) -> str:
    if trace is None:
        return ""
    from gradviz.trace.words.explain import step_title

    title = step_title(trace.frame_at(cursor))
    return f"Step {cursor:,} of {steps:,}" + (f" · {title}" if title else "")
