"""When memory is freed: cyclic garbage here, and memory kept by the C library in `trim_memory` and
`give_back_large_blocks`.

Cyclic garbage is collected only in the window's thread. By default Python collects in whichever thread allocates, and
if a thread that reads from a worker or lays out a graph destroys a running QTimer, an animation or a file watcher, the
process ends with SIGSEGV. (PySide hands widgets over to their thread, but no other objects.)"""

from __future__ import annotations

import ctypes
import gc
import sys

from PySide6.QtCore import QObject, QTimer

EVERY = 500  # milliseconds between checks for garbage
LARGE = 4 << 20  # bytes; smaller blocks are faster from the heap, which keeps little of them
_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
GROWN = 1.25  # growth of the number of objects that triggers a full collection, as in CPython


class GarbageCollector(QObject):
    """Replaces automatic collection, with the same thresholds, while it exists."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._kept = 0  # objects left by the last full collection
        self._look_at = gc.get_threshold()[2]  # collections of the middle generation until all objects are counted
        timer = QTimer(self, interval=EVERY)
        timer.timeout.connect(self.collect)
        timer.start()

    def collect(self) -> None:
        """Collect the generations that Python would collect by now."""
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
        """Counting takes as long as a frame if there are very many objects: if there are still too few, wait before
        counting again."""
        _, _, old = gc.get_count()
        self._look_at = old + gc.get_threshold()[2]
        return len(gc.get_objects(2)) > self._kept * GROWN


def give_back_large_blocks() -> None:
    """From now on a large block, such as the values of a run, is returned to the system as soon as it is freed (only
    glibc supports this). By default the C library soon takes even large blocks from its heap, where freed memory stays
    as long as anything small lies behind it."""
    if sys.platform.startswith("linux") and (tell := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        tell(_MMAP_THRESHOLD, LARGE)


def trim_memory() -> bool:
    """Return freed memory that the C library keeps to the system, after work that needed much; returns whether it did
    anything (only glibc can). No cache is emptied."""
    if not sys.platform.startswith("linux"):
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))
