"""Looks where the breakpoints stop, a few milliseconds at a time, whenever they or the trace have changed, and puts
what it finds into the state. After a run it takes the cursor to the first of them."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from gradviz.session.breakpoints.points import Breakpoints
from gradviz.session.breakpoints.scan import Scan
from gradviz.session.state import State
from gradviz.session.store import Store

AT_ONCE = 0.006  # seconds in the event that changed something: a short trace is done then
SLICE = 0.006  # seconds between two looks at the window's events
NEWS = 120  # milliseconds between two reports


class BreakpointSearch(QObject):
    """One scan at a time; a change begins it anew."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._scan: Scan | None = None
        self._is_new_run = False
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._work)

    def show_state(self, before: State, after: State) -> None:
        """Begin anew if what is sought or where is another."""
        other_trace = before.trace is not after.trace or before.steps != after.steps
        points_differ = before.breakpoints.points != after.breakpoints.points
        if not (other_trace or points_differ or before.is_stale != after.is_stale):
            return
        if before.trace is not after.trace:
            self._is_new_run = True
        if after.is_stale and not other_trace:
            return  # the lines are those of the new text: the next run will tell
        self._timer.stop()
        self._scan = None
        if after.trace is None or not any(point.enabled for point in after.breakpoints.points):
            self._is_new_run = False
            self._store.stop_at(Breakpoints(after.breakpoints.points))
            return
        self._scan = Scan(after.trace, after.breakpoints.points)
        self._since.start()
        if self._scan.work(AT_ONCE):
            self._timer.start()
        self._report()

    def _work(self) -> None:
        if self._scan is None:
            self._timer.stop()
        elif not self._scan.work(SLICE):
            self._timer.stop()
            self._report()
        elif self._since.elapsed() > NEWS:
            self._since.restart()
            self._report()

    def _report(self) -> None:
        assert self._scan is not None
        state, hits = self._store.state, self._scan.hits
        self._store.stop_at(Breakpoints(state.breakpoints.points, hits))
        if hits.steps and self._is_new_run:
            self._is_new_run = False
            if state.cursor == state.steps:
                self._store.move(hits.steps[0] + 1)
        elif hits.is_complete:
            self._is_new_run = False
