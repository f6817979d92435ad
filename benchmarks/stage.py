"""A real window without a display, for benchmarks: opened with a warm worker, driven by the commands' own keys, and
watched by a clock that notes how long the event loop was away. It judges nothing: the rows and their aims are in
`aims.py`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest

from gradviz.document.snippet import Snippet
from gradviz.ui.launch import application
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.limits import Limits, usage
from gradviz.worker.process.run import Run

PATIENCE = 120.0  # seconds until something that does not come is an error
TICK = 1  # milliseconds between two looks at the clock while watching


class Paints(QObject):
    """Counts the paints of a widget."""

    def __init__(self, target: QObject) -> None:
        super().__init__()
        self.count = 0
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.count += 1
        return False


@dataclass(frozen=True)
class Gap:
    """The longest time between two turns of the event loop: on the wall, and of the window's own thread."""

    wall: float
    thread: float


class Watchdog:
    """`with Watchdog() as dog: ...` and then `dog.longest`; the event loop must run inside."""

    longest = Gap(0.0, 0.0)

    def __enter__(self) -> Watchdog:
        self._last = (time.perf_counter(), time.thread_time())
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._look()
        self._timer.stop()

    def _look(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        wall, thread = now[0] - self._last[0], now[1] - self._last[1]
        self.longest = Gap(max(self.longest.wall, wall), max(self.longest.thread, thread))
        self._last = now


@dataclass(frozen=True)
class Opened:
    """A run from the press of the key: seconds until its end was known, until it was painted, and until the final
    layout was painted; and how long the event loop was away at most."""

    ended: float
    painted: float
    settled: float
    gap: Gap


class Stage:
    """One window."""

    def __init__(self, width: int = 1280, height: int = 800, limits: Limits | None = None) -> None:
        self.worker_peak = 0
        self.watched = 0.0  # CPU time that looking at the worker took, which is not the window's
        self._worker_seconds: dict[int, tuple[float, float]] = {}
        self.app = application()
        self.window = MainWindow(Settings(Forgetful()))
        self.window.shell.runner._make_pool = lambda: WorkerPool(limits or Limits())
        self.window.resize(width, height)
        loop = QEventLoop()
        self.window.painted.connect(loop.quit)
        self.window.show()
        loop.exec()
        self.window.activateWindow()
        self.warm()

    def warm(self) -> None:
        """Wait for the worker, and for what the window loads beside its work."""
        import gradviz.trace.table.trace
        import gradviz.trace.words.explain  # noqa: F401

        (spare,) = self.window.shell.runner.pool._spares
        assert spare.wait_ready(PATIENCE)
        self.turns()

    def watch_worker(self) -> None:
        """From now on `worker_peak` is the most memory that the worker of the run had, in bytes, and `worker_seconds`
        the CPU time of all that are seen."""
        self._look_at_worker = QTimer(self.window, interval=50)
        self._look_at_worker.timeout.connect(self._note_worker)
        self._look_at_worker.start()

    def _note_worker(self) -> None:
        begun = time.thread_time()
        self._look_at_run()
        self.watched += time.thread_time() - begun

    def _look_at_run(self) -> None:
        run = self.window.shell.runner.live._run
        if isinstance(run, Run) and run._worker is not None:
            self.worker_peak = max(self.worker_peak, peak_of(run._worker.pid))
            if (now := usage(run._worker.pid)) is not None:
                begun, _ = self._worker_seconds.get(run._worker.pid, (now.cpu_seconds, 0.0))
                self._worker_seconds[run._worker.pid] = begun, now.cpu_seconds

    @property
    def worker_seconds(self) -> float:
        """CPU time of the workers since they were first seen to run."""
        return sum(now - begun for begun, now in self._worker_seconds.values())

    def wait(self, milliseconds: int) -> None:
        """Let the window work for so long."""
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def turns(self, count: int = 3) -> None:
        """Let the event loop do what waits."""
        for _ in range(count):
            self.app.processEvents()

    def until(self, holds: Callable[[], bool]) -> None:
        """Let the window work until something holds."""
        late = QTimer(singleShot=True, interval=int(PATIENCE * 1000))
        late.start()
        while not holds():
            self.app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            assert late.isActive(), "it did not come"

    def until_soon(self, holds: Callable[[], bool]) -> None:
        """The same for what no event of the window tells."""
        while not holds():
            self.wait(5)

    def press(self, key: Qt.Key) -> None:
        """Press a key where the keyboard is."""
        QTest.keyClick(self.app.focusWidget() or self.window, key)

    def show(self, text: str) -> None:
        """Open this snippet, unsaved and not yet run."""
        self.window.store.open(Snippet(text), None)
        self.turns()

    def run(self, text: str, *, gaps: bool = True) -> Opened:
        """Open this snippet, press Run and wait until its final layout is painted. Looking for gaps a thousand times a
        second costs CPU time of its own."""
        self.show(text)
        store, graph = self.window.store, self.window.canvas
        paints: list[Paints] = []
        dog = Watchdog()
        with dog if gaps else nullcontext():
            begun = time.perf_counter()
            self.press(Qt.Key.Key_F5)
            self.until(lambda: not store.state.run.is_running)
            ended = time.perf_counter() - begun
            assert store.state.trace is not None, store.state.run.sentence
            view = graph.view
            self.until(lambda: view.scene is not None and view.scene.trace is store.state.trace)
            paints.append(Paints(view))
            view.update()
            self.until(lambda: paints[0].count > 0)
            painted = time.perf_counter() - begun
            self.until(lambda: graph.is_settled)
            seen = paints[0].count
            view.update()
            self.until(lambda: paints[0].count > seen)
            settled = time.perf_counter() - begun
        self.opened = Opened(ended, painted, settled, dog.longest)
        return self.opened

    def unfold(self, least: int) -> None:
        """Open every group and wait for the drawing with at least so many items: what a row says is what is
        measured."""
        view = self.window.canvas.view
        self.window.commands.do("view.unfold_all")
        self.until(lambda: view.scene is not None and len(view.scene.placed.diagram) >= least)
        self.wait(1000)  # what moves to its new place has arrived
        self.until(lambda: self.window.canvas.is_settled)

    def close(self) -> None:
        """End it in good order."""
        self.window.store.open(Snippet(), None)
        self.window.close()
        self.window.deleteLater()
        self.app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self.turns()


def peak_of(pid: int) -> int:
    """The most bytes that a running process had in memory so far; 0 where that is not told."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
