"""From the worker's reader thread to the window's thread. Events queue up; the window takes them in slices short
enough that no frame is late, extends the trace and tells the store. The worker itself is in `gradviz.worker`."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from gradviz.document.snippet import MAX_BYTES, Snippet, too_big
from gradviz.session.state import Phase, Run
from gradviz.session.store import Store
from gradviz.worker.client import Run as WorkerRun
from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Batch, Detail, Done, Event, Output

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

SLICE = 0.008  # seconds of decoding per turn of the event loop
TELL_EVERY = 100  # milliseconds between two reports of progress
NOTHING_TO_RUN = "There is nothing to run yet. Paste a snippet, or choose one of the examples."
NO_TENSOR = "The snippet ran but made no tensor, so there is no graph. Try x = torch.tensor(2., requires_grad=True)."


class WorkerBridge(QObject):
    """Runs one snippet at a time; a new run stops the one before."""

    _wake = Signal()
    ended = Signal(str)  # the status, after the store knows
    about_to_run = Signal()

    def __init__(self, store: Store, make_pool: Callable[[], WorkerPool] = WorkerPool) -> None:
        super().__init__()
        self._store = store
        self._make_pool = make_pool
        self._pool: WorkerPool | None = None
        self._run: WorkerRun | None = None
        self._number = 0
        self._queue: deque[tuple[int, Event]] = deque()
        self._trace: Trace | None = None
        self._printed: list[str] = []
        self._wake.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(0)
        self._again.timeout.connect(self._take)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(TELL_EVERY)
        self._soon.timeout.connect(self._tell)

    def warm(self) -> None:
        """Start the next worker ahead, and load what the first trace will need, beside the window's work."""
        self.pool.warm()
        threading.Thread(target=_load, name="gradviz-load", daemon=True).start()

    @property
    def pool(self) -> WorkerPool:
        """The pool, made when first needed."""
        if self._pool is None:
            self._pool = self._make_pool()
        return self._pool

    def run(self) -> None:
        """Run the document."""
        snippet = self._store.state.document
        self.about_to_run.emit()
        refusal = _refusal(snippet)
        if refusal:
            self._store.end_run(Run(Phase.REFUSED, snippet, refusal), None)
            self.ended.emit("refused")
            return
        self._stop_quietly()
        self._number += 1
        self._queue.clear()
        self._trace = _new_trace(snippet.text)
        self._printed = []
        self._store.start_run(snippet)
        self._run = self.pool.start(snippet.text, self._listener(self._number), self._store.state.title)

    def stop(self) -> None:
        """Stop the run; its `Done` comes as ever."""
        if self._run is not None:
            self._run.stop()

    def close(self) -> None:
        """End every worker and its threads."""
        self._number += 1
        self._queue.clear()
        self._again.stop()
        self._soon.stop()
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _stop_quietly(self) -> None:
        if self._run is not None and self._store.state.run.is_running:
            self._run.stop()

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
        assert self._trace is not None
        if isinstance(event, Batch):
            self._extend(self._trace, event)
        elif isinstance(event, Output):
            self._printed.append(event.text)
        elif isinstance(event, Done):
            self._finish(self._trace, event)

    def _extend(self, trace: Trace, event: Batch) -> None:
        from gradviz.trace import encoding, schema

        try:
            trace.extend(schema.Batch(event.header, event.payload))
        except encoding.TraceFormatError as error:
            self._stop_quietly()
            self._number += 1  # whatever it still says is not listened to
            self._finish(trace, Done("died", Detail(f"The worker sent what cannot be read ({error}). Run it again.")))
            return

    def _tell(self) -> None:
        """How far the run is; called a little after something new came."""
        if self._trace is not None and self._store.state.run.is_running:
            self._store.progress(len(self._trace), "".join(self._printed))

    def _finish(self, trace: Trace, done: Done) -> None:
        state = self._store.state
        phase, detail = Phase(done.status), done.detail
        if phase is Phase.OK and not len(trace.tensors):
            detail = Detail(NO_TENSOR, seconds=detail.seconds)
        run = Run(phase, state.run.snippet, detail.sentence, detail.line, detail.seconds)
        self._store.end_run(run, trace if len(trace) else None)
        self._run = None
        self.ended.emit(done.status)


def _load() -> None:
    """Import NumPy and the trace."""
    import gradviz.trace.explain
    import gradviz.trace.trace  # noqa: F401


def _new_trace(source: str) -> Trace:
    from gradviz.trace.trace import Trace

    return Trace(source)


def _refusal(snippet: Snippet) -> str:
    """Why this text is not even sent to a worker, or nothing."""
    if snippet.is_blank:
        return NOTHING_TO_RUN
    if len(snippet.text) > MAX_BYTES:
        return too_big("The snippet", len(snippet.text))
    return ""
