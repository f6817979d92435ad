"""Playing: a timer that steps on while the state says so, at the speed that it says. Slow playing does every step; fast
playing goes as far as the time that has passed, so that it never falls behind and never holds up the window."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from gradviz.session.breakpoints.points import advanced
from gradviz.session.state import State
from gradviz.session.store import Store

EVERY_STEP = 30.0  # steps per second up to which none is left out
FRAME = 16  # milliseconds
LONGEST = 0.5  # seconds that count at once, however long the window was busy


class PlaybackTimer(QObject):
    """Follows `state.playing`, `state.playback` and `state.view.speed`; stops at breakpoints and at the end."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._at = 0.0  # the cursor, with the fraction of the next step
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)

    def show_state(self, state: State) -> None:
        """Start, stop or change the pace."""
        speed = state.view.speed
        interval = round(1000 / speed) if speed <= EVERY_STEP else FRAME
        if not state.playing:
            self._timer.stop()
        elif not self._timer.isActive() or self._timer.interval() != interval:
            self._at = float(state.cursor)
            self._clock.start()
            self._timer.start(interval)

    def _tick(self) -> None:
        state = self._store.state
        seconds = min(self._clock.restart() / 1000, LONGEST)
        if abs(self._at - state.cursor) >= 1:  # something else moved it
            self._at = float(state.cursor)
        amount = 1.0 if state.view.speed <= EVERY_STEP else seconds * state.view.speed
        place = advanced(self._at, amount, state.playback, state.steps, state.breakpoints.hits.steps)
        self._at = place.at
        self._store.move(int(place.at) if state.playback.direction > 0 else -int(-place.at // 1))
        is_end = place.at >= self._store.state.steps and state.playback.direction > 0
        if place.stops and not (is_end and state.run.is_running):
            self._store.play(False)
