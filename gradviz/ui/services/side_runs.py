"""Runs beside the one that the window shows. `WhatIfRunner` runs a change of the snippet and has the two runs compared
in a thread. `ElementRunner` asks a worker for the derivatives of the operations that a number comes from or goes to.
`ChainRunner` finds the paths by which a gradient reaches a tensor: the document runs again in a worker that is asked
about them, and a thread searches the graph between the two ends; `session.inspect.chain_rule` puts the result into
words. `CheckRunner` has a gradient compared with finite differences from further runs (`session.inspect.three_ways`).
The main run belongs to `worker_bridge`; all take their workers from the same pool."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.document.documents import Document
from gradviz.document.drawing import Drawing
from gradviz.document.snippet import Snippet
from gradviz.session.drawn import drawn
from gradviz.session.inspect.chain_rule import ChainRule, call_of
from gradviz.session.inspect.three_ways import Check, cannot_check, differences
from gradviz.session.state import Phase, Run, Slice, State
from gradviz.session.store import Store
from gradviz.session.trust_warnings import NOT_RUN
from gradviz.session.what_if import WhatIf, begun, compared, failed
from gradviz.ui.services.worker_bridge import LiveRun, WorkerBridge, refusal
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Done

if TYPE_CHECKING:
    from gradviz.session.comparison.differences import Verdict
    from gradviz.session.comparison.proposals import Proposal
    from gradviz.session.inspect.chain_rule import Dependencies, Paths
    from gradviz.session.inspect.elements import Element, Origin, Partials
    from gradviz.session.inspect.three_ways import Symbolic
    from gradviz.trace.table.trace import Trace


RECORDED = "This runs the program again, which a recording can't do."
FIRST = "Press Run (F5) before trying a change."


class WhatIfRunner(QObject):
    """Implements the commands' `Beside`."""

    ended = Signal()  # once the store has the differences
    _compared = Signal(int, object)  # the number of the run, and its Verdict or None

    def __init__(self, store: Store, runner: WorkerBridge) -> None:
        super().__init__()
        self._store = store
        self._runner = runner
        self._waiting: Proposal | None = None  # for the run of the unchanged snippet
        self._number = 0
        self._run = Run()
        self._thread: threading.Thread | None = None
        self.live = LiveRun(lambda: runner.pool, asks=True)
        self.live.grown.connect(self._tell)
        self.live.told.connect(self._tell)
        self.live.ended.connect(self._finish)
        self._compared.connect(self._show)
        runner.ended.connect(self._first_ended)
        runner.about_to_run.connect(self.drop)

    def start(self, proposal: Proposal) -> None:
        """Run this change beside the snippet; run the snippet itself first if it has changed since its last run."""
        self.drop()
        self._store.set_what_if(None)
        state = self._store.state
        if not state.is_trusted:
            self._store.say(RECORDED if state.is_recording else f"{NOT_RUN} {FIRST}")
        elif state.trace is None or state.is_stale or state.run.is_running:
            self._runner.run()
            self._waiting = proposal
        else:
            self._begin(proposal)

    def stop(self) -> None:
        """Stop the run of the change; what it recorded is compared."""
        self._waiting = None
        self.live.stop()

    def keep_going(self) -> None:
        """Give the run of the change the same time again."""
        self.live.keep_going()

    def drop(self) -> None:
        """Discard the run of the change."""
        self._waiting = None
        self._number += 1
        self.live.drop()

    def close(self) -> None:
        """End the run, and wait for a comparison in progress."""
        self.drop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _first_ended(self, _: str) -> None:
        proposal, self._waiting = self._waiting, None
        if proposal is None:
            return
        if self._store.state.trace is None or self._store.state.is_stale:
            self._store.say("The snippet itself does not run, so there is nothing to compare.")
        else:
            self._begin(proposal)

    def _begin(self, proposal: Proposal) -> None:
        self._number += 1
        beside = begun(self._store.state, proposal)
        sentence = refusal(beside.changed)
        if sentence:
            self._end(failed(beside, Run(Phase.REFUSED, beside.changed, sentence)))
            return
        self._store.set_what_if(beside)
        # the answers of the first run are given again
        self.live.start(beside.changed, self._store.state.path, answers=self._runner.live.answers)

    def _tell(self) -> None:
        beside = self._store.state.what_if
        if beside is not None and beside.run.is_running and self.live.trace is not None:
            run = beside.run.which(self.live.left, self.live.asked)
            self._store.set_what_if(replace(beside, run=run, recorded=len(self.live.trace)))

    def _finish(self, done: Done) -> None:
        beside, first, trace = self._store.state.what_if, self._store.state.trace, self.live.trace
        if beside is None or first is None or trace is None:
            return
        detail = done.detail
        run = Run(Phase(done.status), beside.changed, detail.sentence, detail.line, detail.seconds)
        self._run = replace(run, figures=tuple(self.live.figures))
        if not len(trace):
            self._end(failed(beside, self._run))
            return
        self._thread = threading.Thread(
            target=self._compare, args=(self._number, first, trace), name="gradviz-compare", daemon=True
        )
        self._thread.start()

    def _compare(self, number: int, first: Trace, other: Trace) -> None:
        """Runs in a thread of its own."""
        from gradviz.session.comparison.differences import judge

        found: Verdict | None = None
        try:
            found = judge(first, other)
        finally:
            self._compared.emit(number, found)

    def _show(self, number: int, found: Verdict | None) -> None:
        beside = self._store.state.what_if
        if number != self._number or beside is None:
            return
        if found is None:
            self._end(failed(beside, self._run))
        else:
            self._end(compared(self._store.state, beside, self._run, found))

    def _end(self, beside: WhatIf) -> None:
        self._store.set_what_if(beside)
        self.ended.emit()


# -- the paths of a gradient

NONE = "No backward call computes a gradient for {}."
FAILED = "The paths could not be followed: the run ended before this backward call. Run the snippet again."
FOLLOW = 250  # milliseconds without another run until the question is asked again: a slider causes many runs
CUT_SHORT = "The paths could not be followed. {}"  # how the run ended
GONE = "{} has not run, so no gradient comes to it."
WORKING = "Following the paths to {} …"


class ChainRunner(QObject):
    """Implements the commands' `Chains`. The result follows the document: after a run, the same tensor (in a drawing,
    that of the same node) is asked about again. The old result stays until the new one is known, so that nothing
    flickers."""

    ended = Signal()  # once the store has the result
    _found = Signal(int, object, object)  # the number of the question, Paths or None, Dependencies or None

    def __init__(
        self,
        store: Store,
        pool: Callable[[], WorkerPool],
        answers: Callable[[], Sequence[str | None]] = tuple,
    ) -> None:
        super().__init__()
        self._store = store
        self._answers = answers  # what input() returned in the run whose trace is shown
        self._number = 0
        self._asked: ChainRule | None = None
        self._failed = FAILED  # the sentence if nothing is found
        self._of: Document = Snippet()  # the document that the question was about
        self._thread: threading.Thread | None = None
        self.live = LiveRun(pool)
        self.live.ended.connect(self._finish)
        self._found.connect(self._show)
        self._again = QTimer(self, singleShot=True, interval=FOLLOW)
        self._again.timeout.connect(self._ask_again)
        self._unsubscribe = store.watch(Slice("trace", "run"), self._follow)

    def ask(self, tensor: int) -> None:
        """Find the paths to this tensor of the trace."""
        state, trace = self._store.state, self._store.state.trace
        if state.is_recording:
            self._store.say(RECORDED)
        elif trace is not None and state.is_trusted:
            self._ask(trace, tensor, same=state.chain is not None and state.chain.name == self._name(trace, tensor))

    def _name(self, trace: Trace, tensor: int) -> str:
        return trace.frame(self._store.state.cursor).name(tensor)

    def _ask(self, trace: Trace, tensor: int, *, same: bool) -> None:
        """`same`: the question is repeated, so the old result stays visible until the answer."""
        state = self._store.state
        self.drop()
        call, name = call_of(trace, state.cursor, tensor), self._name(trace, tensor)
        self._asked, self._of = ChainRule(trace, call, tensor, name), state.traced
        if call < 0:
            self._store.show_chain(replace(self._asked, sentence=NONE.format(name)))
            self.ended.emit()
            return
        if not same or state.chain is None or state.chain.paths is None:
            self._store.show_chain(replace(self._asked, sentence=WORKING.format(name)))
        self.live.start(state.traced, state.path, (call, tensor, False), self._answers(), trace.gap_turns)

    def drop(self) -> None:
        """Drop the question."""
        self._number += 1
        self._again.stop()
        self.live.drop()

    def close(self) -> None:
        """End work in progress."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        self.drop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _follow(self, before: State, after: State) -> None:
        """After another run, ask the same question about it."""
        if after.chain is None or (before.trace is after.trace and before.run is after.run):
            return
        if not after.run.is_running and after.chain.trace is not after.trace:
            self._again.start()

    def _ask_again(self) -> None:
        state = self._store.state
        chain, trace = state.chain, state.trace
        if chain is None or trace is None or state.run.is_running:
            return
        tensor = self._tensor_again(chain, state.traced, trace)
        if tensor is not None:
            self._ask(trace, tensor, same=True)
            return
        self.drop()
        waits = self._asked is not None and isinstance(self._of, Drawing) and self._is_drawn(self._asked, self._of)
        self._store.show_chain(replace(chain, paths=None, at=-1, sentence=GONE.format(chain.name)) if waits else None)

    def _is_drawn(self, asked: ChainRule, of: Drawing) -> bool:
        """Whether the node of the question still exists, even if it has not run."""
        drawing = self._store.state.drawing
        return drawing is not None and drawn(of, asked.trace).node_of("tensor", asked.tensor) in drawing.by_id

    def _tensor_again(self, chain: ChainRule, traced: Document, trace: Trace) -> int | None:
        """The tensor of the question in another trace: that of the same node, or with the same name."""
        asked = self._asked
        if asked is not None and isinstance(self._of, Drawing) and isinstance(traced, Drawing):
            ref = drawn(self._of, asked.trace).ref_of_tensor.get(asked.tensor)
            return drawn(traced, trace).tensors.get(ref) if ref is not None else None
        names = zip(trace.names.tensor, trace.names.name, strict=True)
        return max((int(row) for row, name in names if name == chain.name), default=None)

    def _finish(self, done: Done) -> None:
        asked, trace = self._asked, self.live.trace
        if self._store.state.chain is None or asked is None or trace is None:
            return
        cut_short = done.status in ("died", "limit", "stopped")
        self._failed = CUT_SHORT.format(done.detail.sentence) if cut_short else FAILED
        self._thread = threading.Thread(
            target=self._look_over, args=(self._number, asked, trace), name="gradviz-paths", daemon=True
        )
        self._thread.start()

    def _look_over(self, number: int, chain: ChainRule, trace: Trace) -> None:
        """Runs in a thread of its own."""
        from gradviz.session.inspect.chain_rule import dependencies, paths

        found: Paths | None = None
        depends: Dependencies | None = None
        try:
            found = paths(trace)
            depends = dependencies(trace, chain.call, chain.tensor) if found is not None else None
        finally:
            self._found.emit(number, found, depends)

    def _show(self, number: int, found: Paths | None, depends: Dependencies | None) -> None:
        chain, asked = self._store.state.chain, self._asked
        if number != self._number or chain is None or asked is None:
            return
        if self._again.isActive():
            return  # it is about the run before: the question is about to be asked again
        if found is None:
            self._store.show_chain(replace(asked, sentence=self._failed))
        else:
            at = _again(chain, found) if chain.at >= 0 else -1
            self._store.show_chain(replace(asked, paths=found, depends=depends, at=at))
        self.ended.emit()


def _again(chain: ChainRule, found: Paths) -> int:
    """Which of the paths is the one that was selected before, -1 for none."""
    if chain.paths is None:
        return -1
    way = chain.paths.found[chain.at].way(chain.paths.trace)
    return next((at for at, path in enumerate(found.found) if path.way(found.trace) == way), -1)


def _nothing() -> None:
    """It has already left the store."""


# -- the gradient by finite differences

CHECKING = "running again with each element nudged …"
NOTHING = "this run does not tell: the leaf is read in a way that can't be nudged, or the root is no real number"
ENDED = "the run ended before this backward call"


class CheckRunner(QObject):
    """Implements the commands' `Checks`. The worker runs the snippet repeatedly within the limits of one run; the
    symbolic derivative is computed in a thread. A new run of the document discards the result."""

    ended = Signal()  # once the store has the result
    _derived = Signal(int, object)  # the number of the question, and a Symbolic or a sentence

    def __init__(
        self,
        store: Store,
        pool: Callable[[], WorkerPool],
        answers: Callable[[], Sequence[str | None]] = tuple,
    ) -> None:
        super().__init__()
        self._store = store
        self._answers = answers
        self._number = 0
        self._threads: list[threading.Thread] = []
        self._derives = False  # the thread is still running
        self.live = LiveRun(pool)
        self.live.ended.connect(self._finish)
        self._derived.connect(self._show)
        self._unsubscribe = store.watch(Slice("trace"), self._follow)

    def ask(self, tensor: int) -> None:
        """Check the gradient that the latest backward call sent to this leaf."""
        state, trace = self._store.state, self._store.state.trace
        why_not = cannot_check(state, tensor)
        if trace is None or why_not:
            self._store.say(why_not)
            return
        self.drop()
        call = call_of(trace, state.cursor, tensor)
        name = trace.frame(state.cursor).name(tensor)
        self._store.show_check(Check(trace, call, tensor, name, sentence=CHECKING))
        self._derives = True
        thread = threading.Thread(
            target=self._derive, args=(self._number, trace, call, tensor), name="gradviz-symbolic", daemon=True
        )
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()
        self.live.start(state.traced, state.path, (call, tensor, True), self._answers(), trace.gap_turns)

    def drop(self) -> None:
        """Drop the question."""
        self._number += 1
        self._derives = False
        self.live.drop()

    def close(self) -> None:
        """End work in progress."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        self.drop()
        for thread in self._threads:
            thread.join()

    def _follow(self, before: State, after: State) -> None:
        if after.check is not None and after.trace is not after.check.trace:
            self.drop()
            self._store.show_check(None)

    def _derive(self, number: int, trace: Trace, call: int, tensor: int) -> None:
        """Runs in a thread of its own."""
        from gradviz.session.inspect.three_ways import symbolic

        found: object = ""
        try:
            found = symbolic(trace, call, tensor)
        finally:
            self._derived.emit(number, found)

    def _show(self, number: int, found: Symbolic | str) -> None:
        check = self._store.state.check
        if number == self._number and check is not None:
            self._derives = False
            self._store.show_check(replace(check, symbolic=found))
            self._tell()

    def _finish(self, done: Done) -> None:
        check, trace = self._store.state.check, self.live.trace
        if check is None or trace is None:
            return
        found = differences(trace, check.call, check.tensor) if len(trace.roots_of(check.call)) else ()
        sentence = "" if found else done.detail.sentence or (NOTHING if done.status == "ok" else ENDED)
        runs, seconds = 2 * len(trace.nudges), done.detail.seconds
        self._store.show_check(replace(check, differences=found, runs=runs, seconds=seconds, sentence=sentence))
        self._tell()

    def _tell(self) -> None:
        if not self._derives and not self.live.is_running:
            self.ended.emit()


# -- a single number


AGAIN = "To work this out, the snippet is run once more: press Run (F5) first."


class ElementRunner(QObject):
    """Implements the commands' `Elements`. The result follows the cursor. Answers are kept as long as the run is shown,
    so that each operation is asked about once; a run that exists only to answer ends as soon as it has."""

    ended = Signal()  # once the store has everything that can be known

    def __init__(
        self,
        store: Store,
        pool: Callable[[], WorkerPool],
        answers: Callable[[], Sequence[str | None]] = tuple,
    ) -> None:
        super().__init__()
        self._store = store
        self._answers = answers  # what input() returned in the run whose trace is shown
        self._known: Partials | None = None
        self._asking: Origin | None = None
        self.live = LiveRun(pool)
        self.live.grown.connect(self._look)
        self.live.ended.connect(self._finish)
        self._unsubscribe = store.watch(Slice("trace", "cursor", "origin"), self._follow)

    def show(self, element: Element) -> None:
        """Show where this number comes from."""
        self.live.drop()
        self._asking = None
        self._explain(element)

    def close(self) -> None:
        """End work in progress."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        self.live.drop()

    def _explain(self, element: Element) -> None:
        from gradviz.session.inspect.elements import Partials
        from gradviz.session.inspect.origins import origin

        state, trace = self._store.state, self._store.state.trace
        if trace is None:
            return
        if self._known is None or self._known.of is not trace.run:
            self._known = Partials(trace.run)
        found = origin(trace.frame(state.cursor), element, self._known)
        if found is not None and found.asked and not state.is_trusted:
            found = replace(found, sentence=RECORDED if state.is_recording else AGAIN, asked=())
        asks = found is not None and bool(found.asked) and not state.run.is_running
        if found is not None and asks:
            self._asking = found
            question = tuple(number for ask in found.asked for number in ask)
            self.live.start(state.traced, state.path, question, self._answers(), trace.gap_turns)
        self._store.show_origin(found)
        if not asks:
            self.ended.emit()

    def _look(self) -> None:
        """Whether the run has answered everything that it was asked."""
        answered = self.live.so_far() if self._asking is not None else None
        if self._asking is None or answered is None:
            return
        if {ask[0] for ask in self._asking.asked} <= set(answered.partials.node.tolist()):
            self.live.drop()
            self._learn(answered)

    def _finish(self, _: Done) -> None:
        self._learn(self.live.trace)

    def _learn(self, answered: Trace | None) -> None:
        asked, self._asking = self._asking, None
        trace = self._store.state.trace
        if asked is None or trace is None or answered is None or self._known is None:
            return
        if self._known.of is trace.run:
            self._known.learn(trace, answered, asked.asked)
            self._explain(asked.element)

    def _follow(self, before: State, after: State) -> None:
        """The same number at another step; another run has no such number."""
        shown = after.origin
        if shown is None:
            self.live.drop()
            self._asking = None
        elif after.trace is None or before.trace is None or after.trace.run is not before.trace.run:
            self._store.show_origin(None)
        elif before.cursor != after.cursor:
            self.show(shown.element)
