"""Cyclic garbage is collected in the thread of the window only. By itself Python collects in whichever thread
allocates, and a running QTimer, an animation or a file watcher that is destroyed by a thread which reads from a worker
or lays out a graph ends the process with SIGSEGV. (PySide passes widgets on to their thread, but no other objects.)
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY = 500  # milliseconds between two looks whether there is something to collect
GROWN = 1.25  # how many times as many objects there are when all of them are looked through again, as in CPython


class GarbageCollector(QObject):
    """Takes the place of the automatic collection, with the same thresholds, as long as it is there."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._kept = 0  # objects that the last collection of all has left
        timer = QTimer(self, interval=EVERY)
        timer.timeout.connect(self.collect)
        timer.start()

    def collect(self) -> None:
        """Collect the generations that Python would by now."""
        young, middle, old = (count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True))
        if old and len(gc.get_objects(2)) > self._kept * GROWN:
            gc.collect()
            self._kept = len(gc.get_objects(2))
        elif middle:
            gc.collect(1)
        elif young:
            gc.collect(0)
