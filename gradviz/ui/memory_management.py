"""When memory is freed: cyclic garbage here, and what the C library keeps in `trim_memory`
and `give_back_large_blocks`.

Cyclic garbage is collected in the thread of the window only. By itself Python collects in whichever thread
allocates, and a running QTimer, an animation or a file watcher that is destroyed by a thread which reads from a worker
or lays out a graph ends the process with SIGSEGV. (PySide passes widgets on to their thread, but no other objects.)
"""

from __future__ import annotations

import ctypes
import gc
import sys

from PySide6.QtCore import QObject, QTimer

EVERY = 500  # milliseconds between two looks whether there is something to collect
LARGE = 4 << 20  # bytes; of less the heap is quicker, and keeps little
_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
GROWN = 1.25  # how many times as many objects there are when all of them are looked through again, as in CPython


class GarbageCollector(QObject):
    """Takes the place of the automatic collection, with the same thresholds, as long as it is there."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._kept = 0  # objects that the last collection of all has left
        self._look_at = gc.get_threshold()[2]  # collections of the middle generation until all objects are counted
        timer = QTimer(self, interval=EVERY)
        timer.timeout.connect(self.collect)
        timer.start()

    def collect(self) -> None:
        """Collect the generations that Python would by now."""
        young, middle, old = gc.get_count()
        most_young, most_middle, most_old = gc.get_threshold()
        if old > self._look_at and self._has_grown():
            gc.collect()
            self._kept, self._look_at = len(gc.get_objects(2)), most_old
        elif middle > most_middle:
            gc.collect(1)
        elif young > most_young:
            gc.collect(0)

    def _has_grown(self) -> bool:
        """Counting takes as long as a frame where there are very many objects: if there are too few, not soon again."""
        _, _, old = gc.get_count()
        self._look_at = old + gc.get_threshold()[2]
        return len(gc.get_objects(2)) > self._kept * GROWN


def give_back_large_blocks() -> None:
    """From now on a large block, as the values of a run are, is the system's again as soon as it is freed (only glibc
    can be told). By itself the C library soon takes even large blocks from its heap, where what is freed stays as long
    as something small lies behind it."""
    if sys.platform.startswith("linux") and (tell := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        tell(_MMAP_THRESHOLD, LARGE)


def trim_memory() -> bool:
    """Return freed memory that the C library keeps to the system, after work that took much; whether it did something
    (only glibc can). No cache is emptied."""
    if not sys.platform.startswith("linux"):
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))
