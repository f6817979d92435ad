"""Runs snippets in a worker and keeps the store informed. `LiveRun` brings one run from the worker's reader thread to
the window's thread: its trace grows as events arrive; events queue up, bounded by `Mailbox`, and the window takes them
in slices short enough that no frame is late. It does not know the store; whoever runs a snippet decides what becomes of
it. `WorkerBridge` runs the document. The indexes of a long trace, and what its last step says, are computed in a thread
before the window shows it; `session.timeline.outline` says which. The worker itself is in `gradviz.worker`."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from gradviz.document.documents import Document, arguments_of, files_of, text_of
from gradviz.document.snippet import MAX_BYTES, Recorded, too_big, with_imported
from gradviz.session import run_transitions
from gradviz.session.state import Phase, Run, Slice, State, title_of
from gradviz.session.store import Store
from gradviz.session.timeline.iterations import part_of, why_cut
from gradviz.worker.process import events
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import UNREADABLE, Asked, Detail, Done, Event, Intake, Mailbox, Output

if TYPE_CHECKING:
    from gradviz.session.doctor.case import Case
    from gradviz.session.doctor.lessons import Finding
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace
    from gradviz.worker.process.pytorch import Job


# -- one run

Tell = Callable[[Event], None]


class AnyRun(Protocol):
    """A run in a worker, or in the user's own PyTorch."""

    @property
    def seconds_left(self) -> float: ...
    def stop(self) -> None: ...
    def answer(self, text: str | None) -> None: ...
    def keep_going(self) -> None: ...


SLICE = 0.008  # seconds of events per turn of the event loop
TELL_EVERY = 100  # milliseconds between progress reports
LOOK_EVERY = 200  # milliseconds between checks of the time left
MORE = 4  # times as much time as before
NEAR = 5  # seconds before a time limit from which on the time left is shown


class LiveRun(QObject):
    """Runs one snippet at a time; a new run stops the previous one. `trace`, `printed`, `answers` and so on belong to
    the latest run. With `asks`, somebody answers its questions; otherwise only prepared answers are given."""

    grown = Signal()  # something new arrived a moment ago
    told = Signal()  # `left` or `asked` has changed
    ended = Signal(object)  # the `Done` of the latest run
    _wake = Signal()

    def __init__(self, pool: Callable[[], WorkerPool], *, asks: bool = False) -> None:
        super().__init__()
        self.trace: Trace | None = None
        self.printed: list[str] = []
        self.figures: list[Figure] = []
        self.written: list[events.Written] = []  # the files that it wrote
        self.answers: list[str | None] = []  # what input() returned, None for end of input
        self.left: int | None = None  # seconds until a time limit stops the run, if there are few
        self.asked: str | None = None  # the prompt of the pending input()
        self._pool = pool
        self._asks = asks
        self._ready: Sequence[str | None] = ()
        self._run: AnyRun | None = None
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
        """True until the `Done` of the latest run has been handled."""
        return self._run is not None

    def start(
        self,
        document: Document,
        path: Path | None,
        question: tuple[int, ...] = (),
        answers: Sequence[str | None] = (),
        gaps: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Run this document, of a file at this path; see `WorkerPool.start`. The first questions get these answers."""
        text, files, arguments = text_of(document), files_of(document), arguments_of(document)
        if path is not None:  # read anew by each run, as Python does: they may have been edited since
            files = with_imported(text, path.parent, files)

        def start(tell: Tell) -> AnyRun:
            return self._pool().start(text, tell, title_of(path), question, files, gaps, arguments)

        self.follow(text, start, answers)

    def follow(self, text: str, start: Callable[[Tell], AnyRun], answers: Sequence[str | None] = ()) -> None:
        """The same for a text that is run by other means: `start` begins the run and connects its events."""
        self.drop()
        self.trace = _new_trace(text)
        self.printed, self.answers, self._ready = [], [], tuple(answers)
        self.figures, self.written = [], []
        self._mailbox = Mailbox(self._wake.emit)
        self._intake = Intake(self.trace, self._mailbox)
        self._run = start(self._intake.put)
        self._looks.start()

    def so_far(self) -> Trace | None:
        """The trace as it is now, which does not grow; None at a bad moment: try again soon."""
        return self._intake.so_far() if self._intake is not None else None

    def answer(self, text: str | None) -> None:
        """Answer the pending input(), with None for end of input."""
        if self._run is not None and self.asked is not None:
            self.answers.append(text)
            self.asked = None
            self._run.answer(text)
            self.told.emit()

    def keep_going(self) -> None:
        """Grant the same time again."""
        if self._run is not None:
            self._run.keep_going()
            self._look()

    def stop(self) -> None:
        """Stop the run; its `Done` arrives as usual."""
        if self._run is not None:
            self._run.stop()

    def drop(self) -> None:
        """Stop the run and ignore whatever it still sends."""
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
        elif isinstance(event, events.Written):
            self.written.append(event)
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
            self._tell()  # what it printed before belongs to the question
            self.told.emit()

    def _look(self) -> None:
        """Check how much time is left."""
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


NOTHING_TO_RUN = "There is nothing to run yet. Paste a snippet, or choose one of the examples."
NO_TENSOR = "The snippet ran but made no tensor, so there is no graph. Try x = torch.tensor(2., requires_grad=True)."


SHORT = 2_000  # steps that need no thread


class TracePrecomputer(QObject):
    """One trace at a time; the newest replaces the previous one."""

    _ready = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._then: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None
        self._ready.connect(self._go_on)

    @property
    def is_busy(self) -> bool:
        """Whether work is in progress."""
        return self._then is not None

    def precompute(self, trace: Trace, then: Callable[[], None], also: Callable[[], object] | None = None) -> None:
        """Call `then` when the trace is ready, at once if it is short. Nobody may read it before that. `also` is called
        in the thread, too, and keeps its own results."""
        self.drop()
        if len(trace) <= SHORT and also is None:
            then()
            return
        self._then = then
        self._thread = threading.Thread(
            target=self._work, args=(self._number, trace, also), name="gradviz-precompute", daemon=True
        )
        self._thread.start()

    def drop(self) -> None:
        """Don't show what is being prepared."""
        self._number += 1
        self._then = None

    def close(self) -> None:
        """Drop it, and wait for the thread."""
        self.drop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _work(self, number: int, trace: Trace, also: Callable[[], object] | None) -> None:
        from gradviz.session.timeline import outline

        try:
            if len(trace) > SHORT:
                outline.precompute(trace)
            if also is not None:
                also()
        finally:
            self._ready.emit(number, trace)

    def _go_on(self, number: int, trace: Trace) -> None:
        if number == self._number and self._then is not None:
            then, self._then = self._then, None
            then()
        else:
            trace.let_go()  # it will not be shown, and derived data would keep it alive


class Examiner(QObject):
    """Lets the doctor examine a trace in a thread of its own; the newest replaces the previous one."""

    _ready = Signal(int, object, object)

    def __init__(self, tell: Callable[[Trace, tuple[Finding, ...]], None]) -> None:
        super().__init__()
        self._tell = tell
        self._number = 0
        self._trace: Trace | None = None
        self._threads: list[threading.Thread] = []
        self._ready.connect(self._told)

    def examine(self, trace: Trace) -> None:
        """Report later what is found in it."""
        self._number += 1
        self._trace = trace
        self._threads = [each for each in self._threads if each.is_alive()]
        work = threading.Thread(
            target=self._work, args=(self._number, trace.as_now()), name="gradviz-doctor", daemon=True
        )
        self._threads.append(work)
        work.start()

    def close(self) -> None:
        """Report nothing more, and wait for the threads."""
        self._number += 1
        for each in self._threads:
            each.join()
        self._threads.clear()

    def _work(self, number: int, trace: Trace) -> None:
        from gradviz.session.doctor.case import case_of
        from gradviz.session.doctor.lessons import diagnose

        found: tuple[Finding, ...] = ()
        case: Case | None = None
        try:
            case = case_of(trace)
            found = tuple(each for each in diagnose(trace) if not each.raised)
        finally:
            trace.let_go()  # otherwise the copy would keep itself and the values alive
            self._ready.emit(number, found, case)

    def _told(self, number: int, found: tuple[Finding, ...], case: Case | None) -> None:
        trace, self._trace = self._trace if number == self._number else None, None
        if trace is not None:
            if case is not None:
                from gradviz.session.doctor.case import hand_over

                hand_over(case, trace)
            self._tell(trace, found)


NOT_RUN_AGAIN = "A recording is looked at, not run. To run the program, open its Python file."
BEYOND = "The first {:,} MB of values are kept in full; {:,} more are summarized by their edges, range, mean and norm."
CUT = "Recorded: {part}, because {why}. {more}"
RECORDS_MORE = "Record More (Ctrl+Shift+F5) runs it again with four times the time."
FEWER = "Run > Recorded Iterations chooses which ones are recorded."
FIRST_SHOWN = 500  # milliseconds until a run in progress is shown
SHOWN_EVERY = 400  # minimum milliseconds between two pictures of it
COMPLETE_EVERY = 25  # milliseconds between checks of whether a picture is complete
RESTS = 8  # pause, as a multiple of the time that a picture takes, in any thread: they compete with the run


class WorkerBridge(QObject):
    """Runs one snippet at a time; a new run stops the previous one."""

    ended = Signal(str)  # the status, once the store has it
    examined = Signal()  # the doctor has examined it
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
        self.is_drawn: Callable[[], bool] = lambda: True  # whether everything shown of the run so far is on screen
        self._precomputer = TracePrecomputer()
        self._examiner = Examiner(self._find)
        self._begun: float | None = None  # when the picture that is being made was begun
        self._growth = QTimer(self, singleShot=True)
        self._growth.timeout.connect(self._grow)
        store.watch(Slice("run"), self._follow)

    def warm(self) -> None:
        """Start the next worker in advance."""
        self.pool.warm()

    def load(self) -> None:
        """Import what the first trace will need, in the background."""
        threading.Thread(target=_load, name="gradviz-load", daemon=True).start()

    @property
    def pool(self) -> WorkerPool:
        """The pool, created on first use."""
        if self._pool is None:
            self._pool = self._make_pool()
        return self._pool

    def run(self) -> None:
        """Run the document."""
        snippet = self._store.state.document
        if isinstance(snippet, Recorded):
            self._store.say(NOT_RUN_AGAIN)
            return
        self.about_to_run.emit()
        sentence = refusal(snippet)
        if sentence:
            self._store.end_run(Run(Phase.REFUSED, snippet, sentence), None)
            self.ended.emit("refused")
            return
        self._begin(snippet)
        self.pool.cuda_as_cpu = self._store.state.cuda_as_cpu
        self.pool.iterations = self._store.state.view.iterations
        self.live.start(snippet, self._store.state.path)

    def run_in_pytorch(self, job: Job) -> None:
        """Run the document in the user's own PyTorch, after they have said that they trust it."""
        from gradviz.worker.process.pytorch import PyTorchRun

        self.about_to_run.emit()
        self._begin(self._store.state.document)
        self.live.follow(job.text, lambda tell: PyTorchRun(job, tell))

    def _begin(self, snippet: Document) -> None:
        self.live.drop()
        self._precomputer.drop()
        self._store.start_run(snippet)
        self._begun = None
        self._growth.start(FIRST_SHOWN)

    def run_longer(self) -> None:
        """Run the document with more time, which later runs get as well."""
        limits = self.pool.limits
        cpu, wall = MORE * limits.cpu_seconds, MORE * limits.wall_seconds
        self.pool.limits = replace(limits, cpu_seconds=cpu, wall_seconds=wall)
        self.run()

    def stop(self) -> None:
        """Stop the run; its `Done` arrives as usual."""
        self.about_to_stop.emit()
        self.live.stop()

    def keep_going(self) -> None:
        """Grant the run the same time again."""
        self.live.keep_going()

    def close(self) -> None:
        """End every worker and its threads."""
        self.live.drop()
        self._precomputer.close()
        self._examiner.close()
        self._growth.stop()
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _find(self, trace: Trace, findings: tuple[Finding, ...]) -> None:
        if trace is not self._store.state.trace:
            trace.let_go()  # it was replaced in the meantime, and what the doctor derived would keep it alive
        self._store.consult(lambda state: run_transitions.diagnosed(state, trace, findings))
        self.examined.emit()

    def _follow(self, before: State, after: State) -> None:
        """Another document has replaced the one that is running: nothing of that run is shown."""
        if before.run.is_running and after.run.phase is Phase.NEVER:
            self.live.drop()
            self._precomputer.drop()
            self._growth.stop()

    def _tell(self) -> None:
        """Report the progress of the run; called shortly after something new arrives."""
        if self.live.trace is not None and self._store.state.run.is_running:
            self._store.progress(len(self.live.trace), "".join(self.live.printed), self.live.left, self.live.asked)

    def _grow(self) -> None:
        """Show what there is so far, if the previous picture is complete; the longer that takes, the less often."""
        trace, figures = self.live.trace, tuple(self.live.figures)
        if trace is None or not self._store.state.run.is_running:
            return
        if not self.is_drawn():
            self._growth.start(COMPLETE_EVERY)
        elif self._begun is not None:
            self._growth.start(max(SHOWN_EVERY, int(RESTS * 1000 * (time.perf_counter() - self._begun))))
            self._begun = None
        elif len(trace) and not self._is_shown(trace, figures) and (now := self.live.so_far()) is not None:
            self._begun = time.perf_counter()
            self._precomputer.precompute(now, lambda: self._show_growth(now, figures))
        else:
            self._growth.start(SHOWN_EVERY)

    def _is_shown(self, trace: Trace, figures: tuple[Figure, ...]) -> bool:
        shown = self._store.state.trace
        is_whole = shown is not None and shown.run is trace.run and len(shown) == len(trace)
        return is_whole and self._store.state.run.figures == figures

    def _show_growth(self, trace: Trace, figures: tuple[Figure, ...]) -> None:
        self._store.grow(trace, figures)
        self._growth.start(0)

    def _finish(self, done: Done) -> None:
        self._growth.stop()
        trace = self.live.trace
        assert trace is not None
        run = self._ended(done, trace)
        met = replace(self._store.state, run=run)
        also = (lambda: _find_obstacles(met)) if met.meets_obstacles else None
        self._precomputer.precompute(trace, lambda: self._end(done, run, trace), also)

    def _ended(self, done: Done, trace: Trace) -> Run:
        phase, detail = Phase(done.status), done.detail
        why = why_cut(trace)
        part, needs_time = part_of(trace), "seconds" in why
        if phase is Phase.OK and not len(trace.tensors):
            detail = Detail(NO_TENSOR, seconds=detail.seconds)
        elif phase is Phase.OK and why:
            sentence = CUT.format(part=part, why=why, more=RECORDS_MORE if needs_time else FEWER)
            detail = Detail(sentence, seconds=detail.seconds)
        elif phase is Phase.OK and trace.beyond_budget:
            megabytes = self.pool.limits.values_mb
            detail = Detail(BEYOND.format(megabytes, trace.beyond_budget), seconds=detail.seconds)
        run = Run(phase, self._store.state.run.snippet, detail.summary, detail.line, detail.seconds)
        run = replace(run, figures=tuple(self.live.figures), refusals=detail.refusals, missing=detail.missing)
        return replace(run, written=tuple(self.live.written), part=part, needs_time=needs_time)

    def _end(self, done: Done, run: Run, trace: Trace) -> None:
        self._store.end_run(run, trace if len(trace) else None)
        if len(trace):
            self._examiner.examine(trace)
        self.ended.emit(done.status)


def _find_obstacles(state: State) -> None:
    """the document keeps the obstacles that its list shows"""
    from gradviz.session.obstacles import obstacles_of

    obstacles_of(state)


def _load() -> None:
    """Import NumPy and the trace, and clean up after a killed program."""
    from gradviz.ui import memory_management
    from gradviz.worker.process.worker_process import remove_forgotten

    memory_management.give_back_large_blocks()
    remove_forgotten()
    import gradviz.trace.table.trace
    import gradviz.trace.words.explain  # noqa: F401


def refusal(snippet: Document) -> str:
    """Why this text is not even sent to a worker, or None."""
    if snippet.is_blank:
        return NOTHING_TO_RUN
    if len(text_of(snippet)) > MAX_BYTES:
        return too_big("The snippet", len(text_of(snippet)))
    return ""
