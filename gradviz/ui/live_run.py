"""From a worker's reader thread to the window's thread: one run of a snippet whose trace grows as events come. Events
queue up, bounded by `Mailbox`; the window takes them in slices short enough that no frame is late. It knows no store:
who runs a snippet (`worker_bridge`, `what_if_runner`) says what becomes of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from gradviz.worker import events
from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Asked, Detail, Done, Event, Output
from gradviz.worker.intake import UNREADABLE, Intake
from gradviz.worker.mailbox import Mailbox
from gradviz.worker.run import Run as WorkerRun

if TYPE_CHECKING:
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace

SLICE = 0.008  # seconds of events per turn of the event loop
TELL_EVERY = 100  # milliseconds between two reports of progress
LOOK_EVERY = 200  # milliseconds between two looks at the time that is left
NEAR = 5  # seconds before a limit of time from which on it is told


class LiveRun(QObject):
    """Runs one snippet at a time; a new run stops the one before. `trace`, `printed`, `answers` and so on are of the
    latest. With `asks` somebody answers its questions; else only those that are answered beforehand."""

    grown = Signal()  # something new came, a little ago
    told = Signal()  # `left` or `asked` is another
    ended = Signal(object)  # the `Done` of the latest run
    _wake = Signal()

    def __init__(self, pool: Callable[[], WorkerPool], *, asks: bool = False) -> None:
        super().__init__()
        self.trace: Trace | None = None
        self.printed: list[str] = []
        self.figures: list[Figure] = []
        self.answers: list[str | None] = []  # what input() has got, None for the end of the input
        self.left: int | None = None  # seconds until a limit of time stops it, if they are few
        self.asked: str | None = None  # the prompt of the input() that waits
        self._pool = pool
        self._asks = asks
        self._ready: Sequence[str | None] = ()
        self._run: WorkerRun | None = None
        self._mailbox = Mailbox()
        self._intake: Intake | None = None
        self._wake.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._again = self._timer(0, self._take)
        self._soon = self._timer(TELL_EVERY, self._tell)
        self._looks = self._timer(LOOK_EVERY, self._look)
        self._looks.setSingleShot(False)

    def _timer(self, milliseconds: int, then: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(then)
        return timer

    @property
    def is_running(self) -> bool:
        """True until the `Done` of the latest run was taken."""
        return self._run is not None

    def start(
        self,
        text: str,
        filename: str,
        question: tuple[int, int] | None = None,
        answers: Sequence[str | None] = (),
    ) -> None:
        """Run this text; see `WorkerPool.start`. Its first questions get these answers."""
        self.drop()
        self.trace = _new_trace(text)
        self.printed, self.answers, self._ready = [], [], tuple(answers)
        self.figures = []
        self._mailbox = Mailbox(self._wake.emit)
        self._intake = Intake(self.trace, self._mailbox)
        self._run = self._pool().start(text, self._intake.put, filename, question)
        self._looks.start()

    def so_far(self) -> Trace | None:
        """The trace as it is now, which does not grow; None at a bad moment: try again soon."""
        return self._intake.so_far() if self._intake is not None else None

    def answer(self, text: str | None) -> None:
        """What the input() that waits gives, None for the end of the input."""
        if self._run is not None and self.asked is not None:
            self.answers.append(text)
            self.asked = None
            self._run.answer(text)
            self.told.emit()

    def keep_going(self) -> None:
        """Give it the same time again."""
        if self._run is not None:
            self._run.keep_going()
            self._look()

    def stop(self) -> None:
        """Stop the run; its `Done` comes as ever."""
        if self._run is not None:
            self._run.stop()

    def drop(self) -> None:
        """Stop the run; whatever it still says is not listened to."""
        run, self._run = self._run, None
        self._mailbox.close()
        if run is not None:
            run.stop()
        self._again.stop()
        self._soon.stop()
        self._quiet()

    def _take(self) -> None:
        deadline = time.perf_counter() + SLICE
        mailbox = self._mailbox
        while mailbox is self._mailbox and (event := mailbox.take()) is not None:
            self._handle(event)
            if not self._soon.isActive():
                self._soon.start()
            if time.perf_counter() > deadline:
                break
        if len(self._mailbox) and not self._again.isActive():
            self._again.start()

    def _handle(self, event: Event) -> None:
        if isinstance(event, Output):
            self.printed.append(event.text)
        elif isinstance(event, events.Figure):
            self._show(event)
        elif isinstance(event, Asked):
            self._ask(event.prompt)
        elif isinstance(event, Done):
            self._finish(event)

    def _show(self, event: events.Figure) -> None:
        from gradviz.trace import figures
        from gradviz.trace.table import encoding

        try:
            self.figures.append(figures.read(event.header, event.payload))
        except encoding.TraceFormatError as error:
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        self._finish(Done("died", Detail(UNREADABLE.format(error))))

    def _ask(self, prompt: str) -> None:
        given = len(self.answers)
        self.asked = prompt
        if given < len(self._ready) or not self._asks:
            self.answer(self._ready[given] if given < len(self._ready) else None)
        else:
            self._tell()  # what it has printed before belongs to the question
            self.told.emit()

    def _look(self) -> None:
        """How much time is left."""
        seconds = self._run.seconds_left if self._run is not None else math.inf
        left = max(0, math.ceil(seconds)) if seconds <= NEAR else None
        if left != self.left:
            self.left = left
            self.told.emit()

    def _quiet(self) -> None:
        self._looks.stop()
        self.left = self.asked = None

    def _tell(self) -> None:
        if self.is_running:
            self.grown.emit()

    def _finish(self, done: Done) -> None:
        self.drop()
        self.ended.emit(done)


def _new_trace(source: str) -> Trace:
    from gradviz.trace.table.trace import Trace

    return Trace(source)
