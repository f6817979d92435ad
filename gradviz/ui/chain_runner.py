"""Finds the paths by which a gradient comes to a tensor: the document is run once more in a worker that is asked for
them, and the graph between the two ends is looked over in a thread of its own. What is found is in `session.paths`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.session.chain_rule import ChainRule
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.ui.live_run import LiveRun
from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Done

if TYPE_CHECKING:
    from gradviz.session.paths import Dependencies, Paths
    from gradviz.trace.trace import Trace

NONE = "No backward call sends a gradient to {}."
FAILED = "The paths could not be followed: the run ended before this backward call. Run the snippet again."
FOLLOW = 250  # milliseconds without another run until what was asked is asked again: a slider brings many
WORKING = "Following the paths to {} …"


class ChainRunner(QObject):
    """Implements the commands' `Chains`. What is shown follows the document: after a run the same tensor is asked for
    again."""

    ended = Signal()  # after the store knows what was found
    _found = Signal(int, object, object)  # the number of the question, Paths or None, Dependencies or None

    def __init__(self, store: Store, pool: Callable[[], WorkerPool]) -> None:
        super().__init__()
        self._store = store
        self._number = 0
        self._thread: threading.Thread | None = None
        self.live = LiveRun(pool)
        self.live.ended.connect(self._finish)
        self._found.connect(self._show)
        self._again = QTimer(self, singleShot=True, interval=FOLLOW)
        self._again.timeout.connect(self._ask_again)
        self._unsubscribe = store.subscribe(self._follow)

    def ask(self, tensor: int) -> None:
        """Find the paths to this tensor of the trace."""
        from gradviz.session.paths import call_of

        state, trace = self._store.state, self._store.state.trace
        self.drop()
        if trace is None:
            return
        call, name = call_of(trace, state.cursor, tensor), trace.frame(state.cursor).name(tensor)
        if call < 0:
            self._store.show_chain(ChainRule(trace, -1, tensor, name, sentence=NONE.format(name)))
            self.ended.emit()
            return
        before = state.chain
        kept = before is not None and before.name == name
        at = before.at if before is not None and kept else -1
        asked = ChainRule(trace, call, tensor, name, at=at, sentence=WORKING.format(name))
        if before is not None and kept:
            asked = replace(asked, paths=before.paths, depends=before.depends)
        self._store.show_chain(asked)
        self.live.start(state.traced.text, state.title, (call, tensor))

    def drop(self) -> None:
        """Forget the question."""
        self._number += 1
        self._again.stop()
        self.live.drop()

    def close(self) -> None:
        """End what is being worked out."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        self.drop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _follow(self, before: State, after: State) -> None:
        """Another run: what was asked of the one before is asked of it."""
        if after.chain is None or (before.trace is after.trace and before.run is after.run):
            return
        if not after.run.is_running and after.chain.trace is not after.trace:
            self._again.start()

    def _ask_again(self) -> None:
        state = self._store.state
        chain, trace = state.chain, state.trace
        if chain is None or trace is None or state.run.is_running:
            return
        names = trace.names
        found = [int(row) for row, name in zip(names.tensor, names.name, strict=True) if name == chain.name]
        if found:
            self.ask(found[-1])
        else:
            self.drop()
            self._store.show_chain(None)

    def _finish(self, done: Done) -> None:
        chain, trace = self._store.state.chain, self.live.trace
        if chain is None or trace is None:
            return
        self._thread = threading.Thread(
            target=self._look_over, args=(self._number, chain, trace), name="gradviz-paths", daemon=True
        )
        self._thread.start()

    def _look_over(self, number: int, chain: ChainRule, trace: Trace) -> None:
        """In a thread of its own."""
        from gradviz.session.paths import dependencies, paths

        found: Paths | None = None
        depends: Dependencies | None = None
        try:
            found = paths(trace)
            depends = dependencies(trace, chain.call, chain.tensor) if found is not None else None
        finally:
            self._found.emit(number, found, depends)

    def _show(self, number: int, found: Paths | None, depends: Dependencies | None) -> None:
        chain = self._store.state.chain
        if number != self._number or chain is None:
            return
        if found is None:
            self._store.show_chain(replace(chain, paths=None, depends=None, at=-1, sentence=FAILED))
        else:
            at = chain.at if chain.at < len(found.found) else -1
            self._store.show_chain(replace(chain, paths=found, depends=depends, at=at, sentence=""))
        self.ended.emit()


def _nothing() -> None:
    """It has already left the store."""
