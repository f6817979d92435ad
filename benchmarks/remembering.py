"""How much memory a node takes on top of its values, and whether anything stays when documents and windows are opened
and closed again and again."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject

from benchmarks.aims import Line
from benchmarks.snippets import chain, large_values, recurrence, tangle
from benchmarks.stage import Stage
from gradviz.ui.memory_management import trim_memory

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

SIZES = (10_000, 100_000)  # operations
CYCLES = 100
AGAIN = 8
WARM = 10  # cycles before anything is counted
TOTAL = 4000.0  # bytes a node


def per_node() -> list[Line]:
    """Bytes of the trace, and of a drawing of it, for each operation, without the bytes of the values."""
    lines = []
    for operations in SIZES:
        tracemalloc.start()
        trace = _traced(chain(operations))
        gc.collect()
        of_trace = tracemalloc.get_traced_memory()[0] - _value_bytes(trace)
        tracemalloc.stop()
        lines.append(Line(f"{operations:,} operations: trace", "bytes", of_trace / operations, TOTAL))
    stage = Stage()
    stage.run(recurrence(5))
    trim_memory()  # what the traces above took is not to be counted as given back later
    before = _resident()
    stage.run(tangle(10_000))
    stage.unfold(20_000)
    stage.wait(2000)  # what only the layout needed is given back when nothing more happens
    after = _resident()
    stage.close()
    lines.append(Line("10,000 operations: all that the window grows by", "bytes", (after - before) / 1e4, TOTAL))
    return lines


def large_values_again() -> list[Line]:
    """F5 again and again on values of 100 MB, as a user does it: nothing is collected for the measurement's sake."""
    stage = Stage()
    stage.run(recurrence(5))
    seen: list[weakref.ref[Trace]] = []
    resident = []
    for _ in range(AGAIN):
        stage.run(large_values(400))
        stage.wait(2500)  # what is freed is given back when nothing more happens
        trace = stage.window.store.state.trace
        assert trace is not None
        seen.append(weakref.ref(trace))
        del trace
        resident.append(_resident(collect=False))
    alive = sum(made() is not None for made in seen)
    stage.close()
    what = f"{AGAIN} × F5 on 100 MB of values: "
    return [
        Line(f"{what}memory after the first", "MB", resident[0] / 1e6),
        Line(f"{what}most memory after any, times the first", "times", max(resident) / resident[0], 1.15),
        Line(f"{what}traces alive", "", float(alive), 1.0),
    ]


def _traced(text: str) -> Trace:
    from tests.trace.running import run

    return run(text)


def _value_bytes(trace: Trace) -> int:
    return sum(trace.store.piece(chunk).nbytes for chunk in range(len(trace.store._chunks)))


def _resident(*, collect: bool = True) -> int:
    """Bytes that this process has in memory now."""
    if collect:
        gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def opened_and_closed() -> list[Line]:
    """Growth over cycles: of a document that is opened, run, stepped and closed; of whole windows."""
    stage = Stage()
    text = recurrence(20)

    def document() -> None:
        stage.run(text)
        for cursor in (0, 5, 40):
            stage.window.store.move(cursor)
            stage.turns()
        stage.show("")
        stage.warm()

    lines = _growth(document, "a document opened, run, stepped and closed", stage.window)
    stage.close()
    lines += _growth(_window, "a window opened, run in and closed", None)
    return lines


def _window() -> None:
    stage = Stage()
    stage.run(recurrence(20))
    stage.close()


def _growth(cycle: Callable[[], None], what: str, window: QObject | None) -> list[Line]:
    for _ in range(WARM):
        cycle()
    before = _counts(window)
    for _ in range(CYCLES):
        cycle()
    grown = [after - each for after, each in zip(_counts(window), before, strict=True)]
    names = (("Python objects", "objects", 50.0), ("Qt objects", "objects", 0.0), ("threads", "threads", 0.0))
    lines = [
        Line(f"{CYCLES} × {what}: {name} more", unit, float(more), aim)
        for (name, unit, aim), more in zip(names, grown, strict=False)
    ]
    return [*lines, Line(f"{CYCLES} × {what}: memory more", "kB", grown[3] / 1e3)]


def _counts(window: QObject | None) -> tuple[int, int, int, int]:
    """Python objects, Qt objects in the window, threads, bytes."""
    from PySide6.QtWidgets import QApplication

    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    resident = _resident()
    children = len(window.findChildren(QObject)) if window is not None else len(QApplication.topLevelWidgets())
    return len(gc.get_objects()), children, threading.active_count(), resident
