"""The clock of a run: it stands still while the run waits for a person, for the window, or while the machine sleeps.
Which time is too long is decided in `run`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopwatch:
    """Seconds since its start, without those in which it was held. May be called from any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._holds = 0
        self._restart()

    def _restart(self) -> None:
        self._begun = self._since = self._now()
        self._stood = 0.0

    def restart(self) -> None:
        """Begin at 0 again; what holds it goes on holding it."""
        with self._lock:
            self._restart()

    @property
    def seconds(self) -> float:
        """What it shows."""
        with self._lock:
            return (self._since if self._holds else self._now()) - self._begun - self._stood

    def hold(self) -> None:
        """Stand still from now on, until each hold is released."""
        with self._lock:
            if not self._holds:
                self._since = self._now()
            self._holds += 1

    def release(self) -> None:
        """Take one hold back."""
        with self._lock:
            self._holds -= 1
            if not self._holds:
                self._stood += self._now() - self._since

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stand still meanwhile."""
        self.hold()
        try:
            yield
        finally:
            self.release()

    def forgive(self, seconds: float) -> None:
        """Take back seconds in which nothing can have run."""
        with self._lock:
            if not self._holds:
                self._stood += seconds
