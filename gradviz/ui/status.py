"""The line at the bottom of the window: what is going on, how much was recorded, a progress bar with Cancel for
whatever takes longer than half a second."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QStatusBar

from gradviz.session.problem import problem
from gradviz.session.state import STALE, Phase, Slice, State
from gradviz.ui.theme import Theme

PATIENCE = 500  # milliseconds before progress is shown
FOLLOWS = "follows PyTorch 2.13"
NOTICE = 8000  # milliseconds that a notice stays
KEEPS_STEPS = "Stop the run; what was recorded stays."
KEEPS_PICTURE = "Cancel the layout and keep the picture as it was (Esc)."


def summary(state: State) -> str:
    """What the latest run recorded."""
    run = state.run
    if state.asks is not None:
        return "the snippet waits for your answer"
    if state.left is not None:
        return f"Stops in {state.left} s"
    if state.what_if is not None and state.what_if.run.is_running:
        return f"running the change · {state.what_if.recorded:,} steps so far"
    if run.is_running:
        return f"running · {state.recorded:,} steps so far"
    if state.layout_progress:
        return state.layout_progress
    if state.doubt:
        return f"nothing has run yet · {FOLLOWS}"
    if run.phase is Phase.NEVER or state.trace is None:
        return FOLLOWS
    stale = " · the snippet has changed since" if state.is_stale else ""
    steps = f"{state.steps:,} step{'' if state.steps == 1 else 's'}"
    took = f" in {duration(run.seconds)}" if run.snippet == state.traced else ""  # not the time of another run
    beyond = f" · {state.trace.beyond_budget:,} values as summaries" if state.trace.beyond_budget else ""
    return f"recorded {steps}{took}{beyond} · {FOLLOWS}{stale}"


def duration(seconds: float) -> str:
    """A duration as people say it."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


class StatusLine(QStatusBar):
    """Notices at the left; progress and the summary at the right."""

    shows = Slice("run", "path", "notice", "layout_progress", "doubt", "recorded", "steps", *STALE)

    def __init__(self, theme: Theme, do: Callable[[str], None]) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.progress = QProgressBar()
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.cancel = QPushButton("Cancel")
        self.cancel.clicked.connect(lambda: do("run.stop"))
        self.keep_going = QPushButton("Keep Going")
        self.keep_going.setToolTip("Extend the time limit by the same amount (Ctrl+F5).")
        self.keep_going.clicked.connect(lambda: do("run.keep_going"))
        self._notice = ""
        self.label = QLabel()
        self.label.setObjectName("muted")
        self.messageChanged.connect(self._make_room)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self._show_progress)
        for widget in (self.progress, self.keep_going, self.cancel, self.label):
            self.addPermanentWidget(widget)
        self.setContentsMargins(10, 0, 12, 2)
        self._hide_progress()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take other sizes."""
        self.progress.setFixedSize(theme.px(120), theme.px(6))

    def show_state(self, before: State, after: State) -> None:
        """Say how it stands."""
        self.label.setText(summary(after))
        self.keep_going.setVisible(after.left is not None)
        self.progress.setAccessibleName(
            after.layout_progress if after.shows_layout_progress else "The snippet is running"
        )
        self.cancel.setToolTip(KEEPS_PICTURE if after.shows_layout_progress else KEEPS_STEPS)
        if after.left is not None or after.shows_layout_progress:
            self._show_progress()
        if after.is_busy and not self._patience.isActive() and not self.progress.isVisible():
            self._patience.start()
        elif not after.is_busy and not after.shows_layout_progress:
            self._patience.stop()
            self._hide_progress()
        if before.run is not after.run and self.currentMessage() == before.run.sentence:
            self.clearMessage()  # it was about the former run
        if before.document is not after.document and before.path != after.path:
            self.clearMessage()  # it was about another document
        if before.notice.serial != after.notice.serial:
            self._tell(after.notice.sentence)
        ended = before.run is not after.run and not after.run.is_running
        if ended and after.run.sentence and problem(after) is None:  # a problem has its card
            self._tell(after.run.sentence)

    @property
    def has_notice(self) -> bool:
        """True while a notice is on the screen; hints of what the mouse passes over are none."""
        return bool(self._notice) and self.currentMessage() == self._notice

    def _tell(self, sentence: str) -> None:
        self._notice = sentence
        self.showMessage(sentence, NOTICE)

    def _make_room(self, message: str) -> None:
        """A long notice takes the place of the summary."""
        needed = self.fontMetrics().horizontalAdvance(message) + 3 * self.fontMetrics().height()
        self.label.setVisible(not message or needed + self.label.sizeHint().width() < self.width())

    def _show_progress(self) -> None:
        self.progress.show()
        self.cancel.show()

    def _hide_progress(self) -> None:
        self.progress.hide()
        self.keep_going.hide()
        self.cancel.hide()
