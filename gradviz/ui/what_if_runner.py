"""Runs a change of the snippet beside it, and has the two runs compared in a thread of its own. The first run is the
business of `worker_bridge`; both take their workers from the same pool."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradviz.document.documents import text_of
from gradviz.session.state import Phase, Run
from gradviz.session.store import Store
from gradviz.session.trust_warnings import NOT_RUN
from gradviz.session.what_if import WhatIf, begun, compared, failed
from gradviz.ui.live_run import LiveRun
from gradviz.ui.worker_bridge import WorkerBridge, refusal
from gradviz.worker.events import Done

if TYPE_CHECKING:
    from gradviz.session.comparison.differences import Verdict
    from gradviz.session.comparison.proposals import Proposal
    from gradviz.trace.table.trace import Trace

FIRST = "Press Run (F5) before trying a change."


class WhatIfRunner(QObject):
    """Implements the commands' `Beside`."""

    ended = Signal()  # after the store knows what differs
    _compared = Signal(int, object)  # the number of the run, its Verdict or None

    def __init__(self, store: Store, runner: WorkerBridge) -> None:
        super().__init__()
        self._store = store
        self._runner = runner
        self._waiting: Proposal | None = None  # for the run of the snippet as it is written
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
        """Run this change beside the snippet; the snippet itself first, if it has changed since it ran."""
        self.drop()
        self._store.set_what_if(None)
        state = self._store.state
        if not state.is_trusted:
            self._store.say(f"{NOT_RUN} {FIRST}")
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
        """Forget the run of the change."""
        self._waiting = None
        self._number += 1
        self.live.drop()

    def close(self) -> None:
        """End the run, and wait for a comparison that goes on."""
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
        # what was answered in the first run is answered again
        self.live.start(text_of(beside.changed), self._store.state.title, answers=self._runner.live.answers)

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
        """In a thread of its own."""
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
