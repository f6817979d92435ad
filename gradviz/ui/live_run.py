"""From a worker's reader thread to the window's thread: one run of a snippet whose trace grows as events come. Events
queue up; the window takes them in slices short enough that no frame is late. It knows no store: who runs a snippet
(`worker_bridge`, `what_if_runner`) says what becomes of it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Batch, Detail, Done, Event, Output
from gradviz.worker.run import Run as WorkerRun

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

SLICE = 0.008  # seconds of decoding per turn of the event loop
TELL_EVERY = 100  # milliseconds between two reports of progress


class LiveRun(QObject):
    """Runs one snippet at a time; a new run stops the one before. `trace` and `printed` are of the latest."""

    grown = Signal()  # something new came, a little ago
    ended = Signal(object)  # the `Done` of the latest run
    _wake = Signal()

    def __init__(self, pool: Callable[[], WorkerPool]) -> None:
        super().__init__()
        self.trace: Trace | None = None
        self.printed: list[str] = []
        self._pool = pool
        self._run: WorkerRun | None = None
        self._number = 0
        self._queue: deque[tuple[int, Event]] = deque()
        self._wake.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._again = self._timer(0, self._take)
        self._soon = self._timer(TELL_EVERY, self._tell)

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

    def start(self, text: str, filename: str, question: tuple[int, int] | None = None) -> None:
        """Run this text; see `WorkerPool.start`."""
        self.drop()
        self.trace = _new_trace(text)
        self.printed = []
        self._run = self._pool().start(text, self._listener(self._number), filename, question)

    def stop(self) -> None:
        """Stop the run; its `Done` comes as ever."""
        if self._run is not None:
            self._run.stop()

    def drop(self) -> None:
        """Stop the run; whatever it still says is not listened to."""
        self.stop()
        self._run = None
        self._number += 1
        self._queue.clear()
        self._again.stop()
        self._soon.stop()

    def _listener(self, number: int) -> Callable[[Event], None]:
        def listen(event: Event) -> None:
            """Called in the reader thread."""
            self._queue.append((number, event))
            self._wake.emit()

        return listen

    def _take(self) -> None:
        deadline = time.perf_counter() + SLICE
        while self._queue:
            number, event = self._queue.popleft()
            if number == self._number:
                self._handle(event)
                if not self._soon.isActive():
                    self._soon.start()
            if time.perf_counter() > deadline:
                break
        if self._queue and not self._again.isActive():
            self._again.start()

    def _handle(self, event: Event) -> None:
        assert self.trace is not None
        if isinstance(event, Batch):
            self._extend(self.trace, event)
        elif isinstance(event, Output):
            self.printed.append(event.text)
        elif isinstance(event, Done):
            self._finish(event)

    def _extend(self, trace: Trace, event: Batch) -> None:
        from gradviz.trace import encoding, schema

        try:
            trace.extend(schema.Batch(event.header, event.payload))
        except encoding.TraceFormatError as error:
            self.drop()
            self._finish(Done("died", Detail(f"The worker sent what cannot be read ({error}). Run it again.")))

    def _tell(self) -> None:
        if self.is_running:
            self.grown.emit()

    def _finish(self, done: Done) -> None:
        self._run = None
        self.ended.emit(done)


def _new_trace(source: str) -> Trace:
    from gradviz.trace.trace import Trace

    return Trace(source)
