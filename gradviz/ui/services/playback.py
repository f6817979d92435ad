"""Playback and breakpoints. A timer steps while the state says so, at the speed in the state: each step for as long as
it takes to read its sentence, or a number of steps per second. Slow playback shows every step; fast playback advances
by the time that has passed, so that it never falls behind and never blocks the window. The stops of breakpoints are
searched for a few milliseconds at a time, whenever the breakpoints or the trace change, and put into the state; after a
run the cursor goes to the first one."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from gradviz.session.breakpoints.conditions import Scan
from gradviz.session.breakpoints.points import Breakpoints, advanced
from gradviz.session.presenting import seconds_of_step
from gradviz.session.state import READING, State
from gradviz.session.store import Store

EVERY_STEP = 30.0  # steps per second up to which none is skipped
FRAME = 16  # milliseconds
LONGEST = 0.5  # seconds that count at most, however long the window was busy


class PlaybackTimer(QObject):
    """Follows `state.playing`, `state.playback` and `state.view.speed`; stops at breakpoints and at the end."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._at = 0.0  # the cursor, including the fraction of the next step
        self._shown = -1  # the cursor that was shown for this
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)

    def show_state(self, state: State) -> None:
        """Start, stop or change the pace."""
        interval = self._interval(state) if state.playing else 0
        if not state.playing:
            self._timer.stop()
        elif not self._timer.isActive() or self._timer.interval() != interval:
            self._at = float(state.cursor)
            self._clock.start()
            self._timer.start(interval)

    def _interval(self, state: State) -> int:
        """Milliseconds until the next step or picture."""
        speed = state.view.speed
        if speed == READING:
            return round(1000 * seconds_of_step(state))
        return round(1000 / speed) if speed <= EVERY_STEP else FRAME

    def _tick(self) -> None:
        state = self._store.state
        seconds = min(self._clock.restart() / 1000, LONGEST)
        if self._shown != state.cursor:  # something else moved the cursor
            self._at = float(state.cursor)
        amount = 1.0 if state.view.speed <= EVERY_STEP else seconds * state.view.speed
        trace = None if state.view.every_step else state.trace
        folds = None if trace is None else trace.folds
        place = advanced(self._at, amount, state.playback, state.steps, state.breakpoints.hits.steps, folds)
        self._at = place.at
        goes_on = state.playback.direction > 0
        cursor = int(place.at) if goes_on else -int(-place.at // 1)
        if trace is not None and not place.stops and cursor not in (state.playback.a, state.playback.b):
            start, end = trace.fold_around(cursor)
            cursor = end if not goes_on or cursor == end else start
        self._shown = cursor
        self._store.move(cursor)
        is_end = place.at >= self._store.state.steps and state.playback.direction > 0
        if place.stops and not (is_end and state.run.is_running):
            self._store.play(False)
        elif state.view.speed == READING:
            self.show_state(self._store.state)


# -- where breakpoints stop

AT_ONCE = 0.006  # seconds within the event that changed something: enough for a short trace
SLICE = 0.006  # seconds between turns of the event loop
NEWS = 120  # milliseconds between reports


class BreakpointSearch(QObject):
    """One scan at a time; a change starts it again."""

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
        """Start again if the breakpoints or the trace have changed."""
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
