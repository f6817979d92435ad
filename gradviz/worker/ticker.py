"""A regular call of a function in the main thread, between two bytecodes, also while the snippet loops and reports
nothing.

By an interval timer where there is one; elsewhere (Windows) a thread raises a signal's handler. That thread must
exist before the locks close; it sleeps while nothing runs.
"""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable

INTERVAL = 0.05
SOON = 0.002  # until the next try, when a tick came at a bad moment


class Ticker:
    """Calls `tick` about every 50 ms between `start` and `stop`, and again soon when it returns False."""

    def __init__(self, tick: Callable[[], bool], by_thread: bool = not hasattr(signal, "setitimer")) -> None:
        self._by_thread = by_thread
        self._number = signal.SIGTERM if by_thread else signal.SIGALRM
        self._running = threading.Event()
        self._tick = tick
        signal.signal(self._number, lambda number, frame: self._ring())
        if by_thread:
            threading.Thread(target=self._beat, name="gradviz-ticker", daemon=True).start()

    def start(self) -> None:
        """Begin ticking."""
        self._running.set()
        if not self._by_thread:
            signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)

    def stop(self) -> None:
        """Tick no more."""
        self._running.clear()
        if not self._by_thread:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _ring(self) -> None:
        if not self._tick() and self._running.is_set() and not self._by_thread:
            signal.setitimer(signal.ITIMER_REAL, SOON, INTERVAL)

    def _beat(self) -> None:
        while True:
            self._running.wait()
            time.sleep(INTERVAL)
            if self._running.is_set():
                _thread.interrupt_main(self._number)
