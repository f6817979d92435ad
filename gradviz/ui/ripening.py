"""A long trace is made ready in a thread before the window shows it: its indexes and what its last step says. What is
short is shown at once. Next: `session.outline.ripen`, which says what is built."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

SHORT = 2_000  # steps that need no thread


class Ripener(QObject):
    """One trace at a time; the newest takes the place of the one before."""

    _ripe = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._then: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None
        self._ripe.connect(self._go_on)

    @property
    def is_busy(self) -> bool:
        """Whether something is being made ready."""
        return self._then is not None

    def ripen(self, trace: Trace, then: Callable[[], None]) -> None:
        """Call `then` when the trace is ready, at once if it is short. Nobody may read it before."""
        self.drop()
        if len(trace) <= SHORT:
            then()
            return
        self._then = then
        self._thread = threading.Thread(
            target=self._work, args=(self._number, trace), name="gradviz-ripen", daemon=True
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
        from gradviz.session import outline

        try:
            outline.ripen(trace)
        finally:
            self._ripe.emit(number)

    def _go_on(self, number: int) -> None:
        if number == self._number and self._then is not None:
            then, self._then = self._then, None
            then()
