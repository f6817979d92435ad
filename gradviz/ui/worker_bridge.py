"""Runs the document and tells the store how it goes. What comes from the worker's thread is taken by `live_run`; the
worker itself is in `gradviz.worker`. The indexes of a long trace, and what its last step says, are computed in a thread
before the window shows it; `session.outline` says which."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.document.documents import Document, text_of
from gradviz.document.snippet import MAX_BYTES, too_big
from gradviz.session.state import Phase, Run, State
from gradviz.session.store import Store
from gradviz.ui.live_run import LiveRun
from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Detail, Done

NOTHING_TO_RUN = "There is nothing to run yet. Paste a snippet, or choose one of the examples."
NO_TENSOR = "The snippet ran but made no tensor, so there is no graph. Try x = torch.tensor(2., requires_grad=True)."

if TYPE_CHECKING:
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace


SHORT = 2_000  # steps that need no thread


class TracePrecomputer(QObject):
    """One trace at a time; the newest takes the place of the one before."""

    _ready = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._then: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None
        self._ready.connect(self._go_on)

    @property
    def is_busy(self) -> bool:
        """Whether something is being made ready."""
        return self._then is not None

    def precompute(self, trace: Trace, then: Callable[[], None]) -> None:
        """Call `then` when the trace is ready, at once if it is short. Nobody may read it before."""
        self.drop()
        if len(trace) <= SHORT:
            then()
            return
        self._then = then
        self._thread = threading.Thread(
            target=self._work, args=(self._number, trace), name="gradviz-precompute", daemon=True
        )
        self._thread.start()

    def drop(self) -> None:
        """Whatever is being made ready is not shown."""
        self._number += 1
        self._then = None

    def close(self) -> None:
        """Drop it, and wait for the thread."""
        self.drop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _work(self, number: int, trace: Trace) -> None:
        from gradviz.session.timeline import outline

        try:
            outline.precompute(trace)
        finally:
            self._ready.emit(number)

    def _go_on(self, number: int) -> None:
        if number == self._number and self._then is not None:
            then, self._then = self._then, None
            then()


BEYOND = "The first {:,} MB of values are kept in full; {:,} more are summarized by their edges, range, mean and norm."
FIRST_SHOWN = 500  # milliseconds until a run is shown that still goes on
SHOWN_EVERY = 400  # milliseconds between two pictures of it, at least
RESTS = 8  # times as long as it takes to show it


class WorkerBridge(QObject):
    """Runs one snippet at a time; a new run stops the one before."""

    ended = Signal(str)  # the status, after the store knows
    about_to_run = Signal()
    about_to_stop = Signal()

    def __init__(self, store: Store, make_pool: Callable[[], WorkerPool] = WorkerPool) -> None:
        super().__init__()
        self._store = store
        self._make_pool = make_pool
        self._pool: WorkerPool | None = None
        self.live = LiveRun(lambda: self.pool, asks=True)
        self.live.grown.connect(self._tell)
        self.live.told.connect(self._tell)
        self.live.ended.connect(self._finish)
        self.is_drawn: Callable[[], bool] = lambda: True  # whether what the run has shown so far is on the screen
        self._precomputer = TracePrecomputer()
        self._growth = QTimer(self, singleShot=True)
        self._growth.timeout.connect(self._grow)
        store.subscribe(self._follow)

    def warm(self) -> None:
        """Start the next worker ahead."""
        self.pool.warm()

    def load(self) -> None:
        """Load what the first trace will need, beside the window's work."""
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
        sentence = refusal(snippet)
        if sentence:
            self._store.end_run(Run(Phase.REFUSED, snippet, sentence), None)
            self.ended.emit("refused")
            return
        self.live.drop()
        self._precomputer.drop()
        self._store.start_run(snippet)
        self.live.start(text_of(snippet), self._store.state.title)
        self._growth.start(FIRST_SHOWN)

    def stop(self) -> None:
        """Stop the run; its `Done` comes as ever."""
        self.about_to_stop.emit()
        self.live.stop()

    def keep_going(self) -> None:
        """Give the run the same time again."""
        self.live.keep_going()

    def close(self) -> None:
        """End every worker and its threads."""
        self.live.drop()
        self._precomputer.close()
        self._growth.stop()
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _follow(self, before: State, after: State) -> None:
        """Another document took the place of what runs: nothing of that run is shown in it."""
        if before.run.is_running and after.run.phase is Phase.NEVER:
            self.live.drop()
            self._precomputer.drop()
            self._growth.stop()

    def _tell(self) -> None:
        """How far the run is; called a little after something new came."""
        if self.live.trace is not None and self._store.state.run.is_running:
            self._store.progress(len(self.live.trace), "".join(self.live.printed), self.live.left, self.live.asked)

    def _grow(self) -> None:
        """Show what there is so far, if what was shown before is drawn; the more it takes, the more rarely."""
        trace, figures = self.live.trace, tuple(self.live.figures)
        if trace is None or not self._store.state.run.is_running:
            return
        if len(trace) and self.is_drawn() and not self._is_shown(trace, figures):
            now = self.live.so_far()
            if now is not None:
                self._precomputer.precompute(now, lambda: self._show_growth(now, figures))
                return
        self._rest(0.0)

    def _is_shown(self, trace: Trace, figures: tuple[Figure, ...]) -> bool:
        shown = self._store.state.trace
        is_whole = shown is not None and shown.run is trace.run and len(shown) == len(trace)
        return is_whole and self._store.state.run.figures == figures

    def _show_growth(self, trace: Trace, figures: tuple[Figure, ...]) -> None:
        begun = time.perf_counter()
        self._store.grow(trace, figures)
        self._rest(time.perf_counter() - begun)

    def _rest(self, seconds: float) -> None:
        self._growth.start(max(SHOWN_EVERY, int(RESTS * 1000 * seconds)))

    def _finish(self, done: Done) -> None:
        self._growth.stop()
        trace = self.live.trace
        assert trace is not None
        self._precomputer.precompute(trace, lambda: self._end(done, trace))

    def _end(self, done: Done, trace: Trace) -> None:
        phase, detail = Phase(done.status), done.detail
        if phase is Phase.OK and not len(trace.tensors):
            detail = Detail(NO_TENSOR, seconds=detail.seconds)
        elif phase is Phase.OK and trace.beyond_budget:
            megabytes = self.pool.limits.values_mb
            detail = Detail(BEYOND.format(megabytes, trace.beyond_budget), seconds=detail.seconds)
        run = Run(phase, self._store.state.run.snippet, detail.sentence, detail.line, detail.seconds)
        run = replace(run, figures=tuple(self.live.figures))
        self._store.end_run(run, trace if len(trace) else None)
        self.ended.emit(done.status)


def _load() -> None:
    """Import NumPy and the trace; and put in order what a killed program left."""
    from gradviz.worker.process import remove_forgotten

    remove_forgotten()
    import gradviz.trace.table.trace
    import gradviz.trace.words.explain  # noqa: F401


def refusal(snippet: Document) -> str:
    """Why this text is not even sent to a worker, or nothing."""
    if snippet.is_blank:
        return NOTHING_TO_RUN
    if len(text_of(snippet)) > MAX_BYTES:
        return too_big("The snippet", len(text_of(snippet)))
    return ""
