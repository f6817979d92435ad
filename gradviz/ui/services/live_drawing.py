"""Runs a drawing after every change, in a warm worker that is reused, so that its values appear at once. It also tries
out a wire that is still being dragged before it is made. The newest request wins; one that is overtaken is never
answered. The Run command belongs to `worker_bridge`. A drawing from elsewhere does not run before the user has chosen
Run (`State.doubt`).

Note [Newest wins] One run at a time. Changes made meanwhile wait for its end, and then only the newest drawing runs:
frames are dropped, never queued. A run that takes longer than `LONG` while a newer drawing waits is ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase, Run, State
from gradviz.session.store import Store
from gradviz.session.wire_check import Tried, forward_only, reason
from gradviz.ui.services.worker_bridge import LiveRun, WorkerBridge, refusal
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Done

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


Then = Callable[[str], None]
SOON = 40  # milliseconds after an edit; no delay while a slider moves
SHOWN = 300  # milliseconds until a run is shown as running
LONG = 1000  # milliseconds that a newer drawing waits for the previous run


class LiveDrawing(QObject):
    """Follows the drawing in a store."""

    ended = Signal(str)  # the status, once the store has it

    def __init__(self, store: Store, runner: WorkerBridge) -> None:
        super().__init__()
        self._store = store
        self._pool: WorkerPool | None = None
        self._running = Drawing()  # what is running now
        self._ran: str | None = None  # the code that ran last, None if none of this document has
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
        """The workers, created on first use."""
        if self._pool is None:
            self._pool = WorkerPool(reuse=True)
        return self._pool

    @property
    def is_settled(self) -> bool:
        """Whether the present drawing has run."""
        return not (self.live.is_running or self._soon.isActive())

    def show_state(self, before: State, after: State) -> None:
        """Run whatever has changed."""
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
        if self._store.is_merging:  # the worker continues while this window paints
            self._soon.stop()
            self._begin()
        else:
            self._soon.start(SOON)

    def drop(self) -> None:
        """End the run and show nothing of it."""
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
        """Run the present drawing if its code differs from what ran last."""
        state = self._store.state
        drawing = state.drawing
        if drawing is None or not state.is_trusted or (drawing is self._running and self.live.is_running):
            return
        if self.live.is_running:
            if not self._long.isActive():
                self._long.start()
            return
        if state.run.is_running:
            return  # the Run command; `show_state` hears of its end
        if text_of(drawing) == self._ran:
            return
        self._ran, self._running = text_of(drawing), drawing
        if not code_of(drawing).spans:  # nothing in it can run yet
            self._store.show_live(Run(snippet=drawing), None)
            self.ended.emit("ok")
            return
        sentence = refusal(drawing)
        if sentence:
            self._store.show_live(Run(Phase.REFUSED, drawing, sentence), None)
            self.ended.emit("refused")
            return
        self.live.start(drawing, state.path)
        self._shown.start()

    def _show_running(self) -> None:
        """The run takes so long that the window says so."""
        if self.live.is_running:
            self._store.start_run(self._running)

    def _tell(self) -> None:
        if self._store.state.run.is_running and self.live.trace is not None:
            self._store.progress(len(self.live.trace), "".join(self.live.printed))

    def _overtake(self) -> None:
        """The running drawing is out of date, and takes too long to wait for."""
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


# -- running something on the side


class Sampling(QObject):
    """Runs a text in a reusable worker for its output: the newest request wins."""

    def __init__(self, pool: Callable[[], WorkerPool]) -> None:
        super().__init__()
        self._then: Then | None = None
        self.live = LiveRun(pool)
        self.live.ended.connect(self._finish)

    def ask(self, text: str, then: Then) -> None:
        """Call `then` with the output if the text runs without an error."""
        self._then = then
        self.live.start(Snippet(text), None)

    def drop(self) -> None:
        """Drop the request."""
        self._then = None
        self.live.drop()

    def _finish(self, done: Done) -> None:
        then, self._then = self._then, None
        if then is not None and Phase(done.status) is Phase.OK:
            then("".join(self.live.printed))


# -- trying out a drawing before it is made


class WireTrial(QObject):
    """Runs candidates in a reusable worker."""

    def __init__(self, store: Store, pool: Callable[[], WorkerPool]) -> None:
        super().__init__()
        self._store = store
        self._asked: tuple[Drawing, Then] | None = None  # running now
        self._next: tuple[Drawing, Then] | None = None
        self._before: tuple[str, Tried] | None = None  # how the present drawing ended, with its code
        self._first = False  # the present drawing itself is running
        self.samples = Sampling(pool)
        self.live = LiveRun(pool)
        self.live.ended.connect(self._finish)

    def ask(self, candidate: Drawing, then: Then) -> None:
        """Call `then` with the reason why this can't run; with "" if it can, if it is no worse than the present
        drawing, or if nothing may run before the user has chosen Run."""
        if not self._store.state.is_trusted:
            then("")
            return
        self._next = candidate, then
        if not self.live.is_running:
            self._go_on()

    def drop(self) -> None:
        """Drop all requests."""
        self.samples.drop()
        self._asked = self._next = None
        self.live.drop()

    def _go_on(self) -> None:
        self._asked, self._next = self._next, None
        if self._asked is None:
            return
        candidate, then = self._asked
        tried = forward_only(candidate)
        if not code_of(tried).spans or refusal(tried):
            self._asked = None
            then("")
            return
        self.live.start(tried, self._store.state.path)

    def _finish(self, done: Done) -> None:
        trace, asked = self.live.trace, self._asked
        assert trace is not None
        if asked is None:
            return
        tried = Tried(Phase(done.status), done.detail.last_line or done.detail.sentence)
        if self._first:
            self._first = False
            now = self._store.state.drawing
            if now is not None:
                self._before = text_of(forward_only(now)), tried
            self._next = self._next or asked
            self._go_on()
            return
        if tried.phase is Phase.OK or self._next is not None:
            said = ""
        elif self._is_known():
            said = self._reason(asked[0], tried, trace)
        else:
            self._try_as_it_is()
            return
        self._asked = None
        if self._next is None:
            asked[1](said)
        else:
            self._go_on()

    def _reason(self, candidate: Drawing, tried: Tried, trace: Trace) -> str:
        before = self._before[1] if self._before is not None else None
        return reason(forward_only(candidate), tried, trace, before)

    def _is_known(self) -> bool:
        """Whether it is known how the present drawing ends."""
        now = self._store.state.drawing
        return now is None or (self._before is not None and self._before[0] == text_of(forward_only(now)))

    def _try_as_it_is(self) -> None:
        now = self._store.state.drawing
        assert now is not None
        self._first = True
        self.live.start(forward_only(now), self._store.state.path)
