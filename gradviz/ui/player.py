"""Playing: a timer that steps on while the state says so, at the speed that it says."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from gradviz.session.state import State
from gradviz.session.store import Store


class Player(QObject):
    """Follows `state.playing` and `state.view.speed`; stops at the end."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)

    def show_state(self, state: State) -> None:
        """Start, stop or change the pace."""
        interval = round(1000 / state.view.speed)
        if not state.playing:
            self._timer.stop()
        elif not self._timer.isActive() or self._timer.interval() != interval:
            self._timer.start(interval)

    def _step(self) -> None:
        state = self._store.state
        if state.cursor < state.steps:
            self._store.move(state.cursor + 1)
        if self._store.state.cursor >= state.steps and not state.run.is_running:
            self._store.play(False)
