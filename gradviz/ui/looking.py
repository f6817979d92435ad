"""Looks whether a file on disk is still the one that is known, in a thread of its own, one look at a time: on a network
that is gone such a question takes minutes. What follows from the answer, `files` decides."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

if TYPE_CHECKING:
    from gradviz.document.stamp import Stamp

QUICK = 0.05  # seconds that the window waits for the answer; a later one comes by itself


class Looker(QObject):
    """Tells `then` what was known, "same", "changed" or "deleted", and what is known now."""

    _seen = Signal()

    def __init__(self, then: Callable[[Stamp, str, Stamp], None]) -> None:
        super().__init__()
        self._then = then
        self._answers: SimpleQueue[tuple[Stamp, str, Stamp]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._seen.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def look(self, stamp: Stamp) -> None:
        """Look now; a look that still waits for its answer is not repeated."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._ask, args=(stamp,), name="gradviz-look", daemon=True)
            self._thread.start()
            self._thread.join(QUICK)
            self._take()

    def _ask(self, stamp: Stamp) -> None:
        self._answers.put((stamp, *stamp.now()))
        self._seen.emit()

    def _take(self) -> None:
        try:
            answer = self._answers.get_nowait()
        except Empty:
            return
        self._then(*answer)
