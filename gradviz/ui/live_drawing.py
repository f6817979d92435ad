"""Runs a drawing after every change of it, in a warm worker that is used again and again: what is drawn has its values
at once. The Run command is the business of `worker_bridge`; whether a wire is possible is asked of `trial`. A
drawing that comes from elsewhere does not run before the user chose Run (`State.doubt`).

Note [Newest wins] One run at a time. What changes meanwhile waits for its end, and then only the newest drawing runs:
frames are dropped, never queued. A run that takes longer than `LONG` while a newer drawing waits is ended."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing
from gradviz.session.state import Phase, Run, State
from gradviz.session.store import Store
from gradviz.ui.live_run import LiveRun
from gradviz.ui.worker_bridge import WorkerBridge, refusal
from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Done

SOON = 40  # milliseconds after an edit; while a slider moves there is no pause
SHOWN = 300  # milliseconds until a run is shown as one
LONG = 1000  # milliseconds that a newer drawing waits for the run before


class LiveDrawing(QObject):
    """Follows the drawing of a store."""

    ended = Signal(str)  # the status, after the store knows

    def __init__(self, store: Store, runner: WorkerBridge) -> None:
        super().__init__()
        self._store = store
        self._pool: WorkerPool | None = None
        self._running = Drawing()  # what runs now
        self._ran: str | None = None  # the code that ran last, None for none of this document
        self.live = LiveRun(lambda: self.pool)
        self.live.ended.connect(self._finish)
        self.live.grown.connect(self._tell)
        self._soon = self._timer(SOON, self._begin)
        self._shown = self._timer(SHOWN, self._show_running)
        self._long = self._timer(LONG, self._overtake)
        runner.about_to_run.connect(self.drop)
        runner.about_to_stop.connect(self._stop)

    def _timer(self, milliseconds: int, then: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=milliseconds)
        timer.timeout.connect(then)
        return timer

    @property
    def pool(self) -> WorkerPool:
        """The workers, made when first needed."""
        if self._pool is None:
            self._pool = WorkerPool(reuse=True)
        return self._pool

    @property
    def is_settled(self) -> bool:
        """Whether what is drawn has run."""
        return not (self.live.is_running or self._soon.isActive())

    def show_state(self, before: State, after: State) -> None:
        """Run what has changed."""
        if after.drawing is None:
            if before.drawing is not None:
                self.drop()
            return
        if before is after or before.drawing is None:
            self.pool.warm()
        if not after.is_trusted:
            self.drop()
            self._ran = None
            return
        if after.run.phase is Phase.NEVER and before.run is not after.run and after.trace is None:
            self._ran = None  # another document was opened
        if before.run.is_running and not after.run.is_running and not self.live.is_running:
            self._ran = text_of(after.run.snippet)  # the Run command
        elif before is not after and before.document is after.document:
            return
        if self._store.is_merging:  # the worker goes on while this window paints
            self._soon.stop()
            self._begin()
        else:
            self._soon.start(SOON)

    def drop(self) -> None:
        """End the run; nothing of it is shown."""
        self._soon.stop()
        self._over()
        self.live.drop()

    def close(self) -> None:
        """End the workers and their threads."""
        self.drop()
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _over(self) -> None:
        self._shown.stop()
        self._long.stop()

    def _stop(self) -> None:
        self.live.stop()

    def _begin(self) -> None:
        """Run the drawing as it is now, if it says something else than what ran last."""
        state = self._store.state
        drawing = state.drawing
        if drawing is None or not state.is_trusted or (drawing is self._running and self.live.is_running):
            return
        if self.live.is_running:
            if not self._long.isActive():
                self._long.start()
            return
        if state.run.is_running:
            return  # the Run command; its end comes by `show_state`
        if text_of(drawing) == self._ran:
            return
        self._ran, self._running = text_of(drawing), drawing
        if not code_of(drawing).spans:  # nothing on it can run yet
            self._store.show_live(Run(snippet=drawing), None)
            self.ended.emit("ok")
            return
        sentence = refusal(drawing)
        if sentence:
            self._store.show_live(Run(Phase.REFUSED, drawing, sentence), None)
            self.ended.emit("refused")
            return
        self.live.start(text_of(drawing), state.title)
        self._shown.start()

    def _show_running(self) -> None:
        """It takes so long that the window says so."""
        if self.live.is_running:
            self._store.start_run(self._running)

    def _tell(self) -> None:
        if self._store.state.run.is_running and self.live.trace is not None:
            self._store.progress(len(self.live.trace), "".join(self.live.printed))

    def _overtake(self) -> None:
        """What runs is no longer what is drawn, and takes too long to wait for it."""
        state = self._store.state
        if not self.live.is_running or state.drawing is None or text_of(state.drawing) == self._ran:
            return
        self._over()
        self.live.drop()
        if state.run.is_running:
            self._store.show_live(Run(Phase.STOPPED, self._running), None)
        self._begin()

    def _finish(self, done: Done) -> None:
        self._over()
        trace, detail = self.live.trace, done.detail
        assert trace is not None
        run = Run(Phase(done.status), self._running, detail.sentence, detail.line, detail.seconds)
        self._store.show_live(run, trace if len(trace) else None)
        self.ended.emit(done.status)
        self._begin()
