"""Work outside the window's thread: a `Task` does one piece of it in a thread of its own. Layouts and anything else
that takes longer than half a second show their progress in the status bar, with Cancel; the widgets for it are in
`status`."""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from gradviz.commands.row import LayoutJob
from gradviz.document.errors import UserError
from gradviz.session.store import Store

PATIENCE = 500  # milliseconds before progress is shown


class LayoutProgress(QObject):
    """Implements the commands' `LayoutProgress`."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._going: dict[LayoutJob, str] = {}
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE)
        self._patience.timeout.connect(self._tell)

    def update(self, part: LayoutJob, what: str) -> None:
        """Tell what a part of the window is doing now, replacing what it said before; "" for nothing."""
        self._going.pop(part, None)
        if what:
            self._going[part] = what
        if not self._going:
            self._patience.stop()
        if self._store.state.layout_progress:
            self._tell()
        elif self._going and not self._patience.isActive():
            self._patience.start()

    def stop(self) -> None:
        """Cancel everything."""
        for part in tuple(self._going):
            part.give_up()

    def _tell(self) -> None:
        """Show the most recent work that is going on."""
        self._store.set_layout_progress(next(reversed(self._going.values()), ""))


@dataclass(frozen=True)
class _End:
    """How a task ended: its result, or the sentence that says why there is none; "" and None if it was cancelled."""

    number: int
    found: object = None
    sentence: str = ""


class Task(QObject):
    """One piece of work at a time in a thread; a new one replaces the previous one, which ends at its next step. The
    work is a `Generator` that yields its progress."""

    told = Signal(float)
    ended = Signal(object, str)  # the result, and a sentence that says why there is none
    _told = Signal(int, float)
    _ended = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._threads: list[threading.Thread] = []
        self._told.connect(self._tell, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._end, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """Whether a thread is still running."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        return bool(self._threads)

    def begin(self, work: Generator[float, None, object]) -> None:
        """Start this work."""
        self._number += 1
        thread = threading.Thread(target=self._do, args=(self._number, work), name="gradviz-task", daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def _do(self, number: int, work: Generator[float, None, object]) -> None:
        end = _End(number)
        try:
            while self._number == number:
                self._told.emit(number, next(work))
            work.close()
        except StopIteration as stop:
            end = _End(number, stop.value)
        except UserError as error:
            end = _End(number, None, str(error))
        self._ended.emit(end)

    def cancel(self) -> None:
        """Cancel the work."""
        self._number += 1

    def close(self) -> None:
        """Cancel the work and wait for its end."""
        self.cancel()
        for thread in self._threads:
            thread.join()

    def _tell(self, number: int, part: float) -> None:
        if number == self._number:
            self.told.emit(part)

    def _end(self, end: _End) -> None:
        if end.number == self._number:
            self.ended.emit(end.found, end.sentence)
