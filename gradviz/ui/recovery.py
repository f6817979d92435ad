"""Keeps a copy of what is typed or drawn: every few seconds and before each run, in a file that the window removes when
it closes in good order. Each open window holds the lock of its own file, so a file without a holder is what a crash
left."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, QTimer

from gradviz.document import recovery
from gradviz.document.documents import Document
from gradviz.document.errors import UserError
from gradviz.document.gradviz_file import Contents
from gradviz.document.recovery import Recovery
from gradviz.session.sight import sight_of
from gradviz.session.store import Store

EVERY = 3000  # milliseconds
SLOTS = 50  # windows at once


def default_folder() -> Path:
    """Where the system keeps an application's own files."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    return Path(place) / "recovery"


class RecoveryKeeper(QObject):
    """One window's recovery file. `left_behind` is what a crashed window left in the place that this one took."""

    def __init__(self, store: Store, folder: Path | None = None) -> None:
        super().__init__()
        self._store = store
        self._written: Document | None = None  # what the file holds; None: the file is not there
        self._lock, self._file = _take_slot(folder or default_folder())
        self.left_behind = recovery.read(self._file) if self._file else None
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self.write)
        self._timer.start()

    def write(self) -> None:
        """Write the document now if it has changed; one that is saved needs no copy."""
        state = self._store.state
        if self._file is None or self.left_behind is not None:
            return
        if not state.is_dirty and self._written is not None:
            self._file.unlink(missing_ok=True)
            self._written = None
        if not state.is_dirty or state.document is self._written:
            return
        contents = Contents(state.document, state.note, sight_of(state))
        try:
            recovery.write(self._file, Recovery(contents, str(state.path or "")))
        except UserError as error:
            self._timer.stop()  # say it once; a full disk stays full
            self._store.say(str(error))
            return
        self._written = state.document

    def answered(self) -> None:
        """The user has decided about what was left behind; from now on the file is this window's."""
        self.left_behind = None

    def close(self) -> None:
        """The window closes in good order."""
        self._timer.stop()
        if self._file is not None and self.left_behind is None:
            self._file.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.unlock()


def something_waits(folder: Path | None = None) -> bool:
    """True if another window has left something behind that nobody has asked about."""
    for file in (folder or default_folder()).glob("window-*.json"):
        lock = _lock(file)
        if lock.tryLock(0):
            waits = recovery.read(file) is not None
            lock.unlock()
            if waits:
                return True
    return False


def _take_slot(folder: Path) -> tuple[QLockFile | None, Path | None]:
    """The first free place, one with something left behind before an empty one."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"window-{number}.json" for number in range(1, SLOTS + 1)]
    for file in sorted(files, key=lambda file: not file.exists()):
        lock = _lock(file)
        if lock.tryLock(0):
            return lock, file
    return None, None


def _lock(file: Path) -> QLockFile:
    lock = QLockFile(str(file.with_suffix(".lock")))
    lock.setStaleLockTime(0)
    return lock
