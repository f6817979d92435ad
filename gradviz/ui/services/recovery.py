"""Keeps a copy of unsaved work: every few seconds and before each run, in a file that is removed when the user closes
the window. Each running program, or each window, holds one of the program's own files, together with its lock. A file
whose lock nobody holds was left by a crash.

Note [Waiting for the disk] The copy of every few seconds is written in a thread: a disk takes longer than a frame until
it has kept something, one across a network perhaps a second. Before a run, and where windows end, `write` waits for it.

Note [No copy] If no copy can be written (no folder, a full disk), that is reported once and tried again every time:
disks are cleaned up, and drives come back."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, QSysInfo, Qt, QTimer, Signal

from gradviz.document.disk import reason
from gradviz.document.documents import Contents, Document
from gradviz.document.errors import UserError
from gradviz.document.files import recovery
from gradviz.document.files.recovery import Recovery
from gradviz.session.store import Store
from gradviz.session.view_settings import sight_of

# -- files with a lock

SLOTS = 50  # at the same time
ASIDE = ".bak"


def data_folder() -> Path:
    """Where the system keeps an application's files."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation))


@dataclass(frozen=True)
class Place:
    """A file that nobody else writes while the lock is held."""

    file: Path
    lock: QLockFile

    def put_aside(self) -> None:
        """Keep the existing content under another name."""
        with contextlib.suppress(OSError):
            os.replace(self.file, f"{self.file}{ASIDE}")

    def leave(self, *, keep: bool = False) -> None:
        """Release it, and remove the file unless another window is meant to find it."""
        if not keep:
            with contextlib.suppress(OSError):
                self.file.unlink(missing_ok=True)
        self.lock.unlock()


def take(folder: Path, pattern: str, *, empty: bool = False) -> Place:
    """Take the first free place: preferably one with something left behind, or only an empty one; OSError if there is
    none. The pattern is a file name with {} for its number."""
    folder.mkdir(parents=True, exist_ok=True)
    left: list[Path] = []
    free: list[Path] = []
    for number in range(1, SLOTS + 1):
        file = folder / pattern.format(number)
        is_there = _is_there(file)
        if is_there is not None:
            (left if is_there else free).append(file)
    for file in free if empty else left + free:
        lock = _lock(file)
        if _is_taken(lock):
            return Place(file, lock)
    _try_to_write(folder)
    raise OSError(errno.ENOLCK, "all places are taken")


def waiting(folder: Path, pattern: str) -> Iterator[Path]:
    """The files that nobody holds; each is locked while it is inspected."""
    for file in (folder / pattern.format(number) for number in range(1, SLOTS + 1)):
        lock = _lock(file)
        if os.path.isfile(file) and not os.path.islink(file) and _is_taken(lock):
            try:
                yield file
            finally:
                lock.unlock()


def _is_there(file: Path) -> bool | None:
    """None for anything in the place of a file that is not one, such as a folder."""
    try:
        return True if stat.S_ISREG(os.lstat(file).st_mode) else None
    except FileNotFoundError:
        return False


def _try_to_write(folder: Path) -> None:
    """Qt does not say why locking failed; the system does."""
    import tempfile

    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"x")


def _lock(file: Path) -> QLockFile:
    lock = QLockFile(str(file.with_suffix(".lock")))
    lock.setStaleLockTime(0)  # however old: its holder may be suspended
    return lock


def _is_taken(lock: QLockFile) -> bool:
    return lock.tryLock(0) or (_remove_abandoned(lock) and lock.tryLock(0))


def _remove_abandoned(lock: QLockFile) -> bool:
    """Remove a lock from this machine whose holder was killed and whose process id is in use again: Qt takes it for
    held, but a real holder would have locked the file itself as well."""
    if sys.platform == "win32":
        return False  # Windows does not open a file that is held
    import fcntl

    _, host, _ = lock.getLockInfo()
    if host != QSysInfo.machineHostName():
        return False
    try:
        with open(lock.fileName(), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(lock.fileName())
    except OSError:
        return False
    return True


PATTERN = "window-{}.json"
EVERY = 3000  # milliseconds
NO_COPY = "Autosave is not working ({}). Save your work often; GradViz will keep trying."
AGAIN = "Autosave is working again."


def default_folder() -> Path:
    """Where the system keeps an application's files."""
    return data_folder() / "recovery"


class RecoveryKeeper(QObject):
    """The recovery file of one window. `left_behind` is what a crashed window left in the same place."""

    _ended = Signal(object, object)  # a document, and the error if it could not be written

    def __init__(self, store: Store, folder: Path | None = None) -> None:
        super().__init__()
        self._store = store
        self._folder = folder or default_folder()
        self._written: Document | None = None  # the content of the file; None if there is no file
        self._is_in_trouble = False  # see Note [No copy]
        self._place: Place | None = None
        self._thread: threading.Thread | None = None
        self._ended.connect(self._end, Qt.ConnectionType.QueuedConnection)
        self.left_behind: Recovery | None = None
        with contextlib.suppress(OSError):  # reported once there is something to keep
            self._place = take(self._folder, PATTERN)
        if self._place is not None:
            self.left_behind = recovery.read(self._place.file)
            if self.left_behind is None:
                self._place.put_aside()  # from a newer version, or damaged: not ours to delete
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self.write_soon)
        self._timer.start()

    @property
    def file(self) -> Path | None:
        """Where the copy is written; None while there is no place for it."""
        return self._place.file if self._place is not None else None

    def write(self) -> None:
        """Write the document now if it has changed; a saved one needs no copy."""
        self._wait()
        if (due := self._due()) is not None:
            self._end(due[1].contents.document, _error_of(*due))

    def write_soon(self) -> None:
        """The same without waiting for the disk, see Note [Waiting for the disk]."""
        if self._thread is None and (due := self._due()) is not None:
            self._thread = threading.Thread(target=self._work, args=due, name="gradviz-autosave", daemon=True)
            self._thread.start()

    def _work(self, file: Path, copy: Recovery) -> None:
        self._ended.emit(copy.contents.document, _error_of(file, copy))

    def _wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _due(self) -> tuple[Path, Recovery] | None:
        """What is to be written, and where; None if there is nothing."""
        state = self._store.state
        if self.left_behind is not None:
            return None
        try:
            if not state.is_dirty and self._written is not None and self._place is not None:
                self._place.file.unlink(missing_ok=True)
                self._written = None
            if not state.is_dirty or state.document is self._written:
                return None
            if self._place is None:
                self._place = take(self._folder, PATTERN, empty=True)
        except OSError as error:
            self._complain(error)
            return None
        return self._place.file, Recovery(Contents(state.document, state.note, sight_of(state)), str(state.path or ""))

    def _end(self, document: Document, error: UserError | OSError | None) -> None:
        """A copy has been written, or not."""
        if self._thread is not None:
            self._wait()
        if error is not None:
            self._complain(error)
            return
        self._written = document
        if self._is_in_trouble:
            self._is_in_trouble = False
            self._store.say(AGAIN)

    def _complain(self, error: UserError | OSError) -> None:
        """Report trouble once, until writing succeeds again."""
        if not self._is_in_trouble:
            self._is_in_trouble = True
            cause = error if isinstance(error, OSError) else error.__cause__
            self._store.say(NO_COPY.format(reason(cause)) if isinstance(cause, OSError) else str(error))

    def step_aside(self) -> None:
        """Leave what was left behind to another window, and take an empty place once there is something to keep."""
        self._wait()
        if self._place is not None:
            self._place.leave(keep=True)
        self._place = self.left_behind = None

    def answered(self) -> None:
        """The user has decided about what was left behind; from now on the file belongs to this window."""
        if self.left_behind is not None:
            self._written = self.left_behind.contents.document
        self.left_behind = None

    def close(self) -> None:
        """The window closes normally."""
        self._timer.stop()
        self._wait()
        if self._place is not None:
            self._place.leave(keep=self.left_behind is not None)


def _error_of(file: Path, copy: Recovery) -> UserError | OSError | None:
    """Write a copy; returns why that was not possible."""
    try:
        recovery.write(file, copy)
    except (UserError, OSError) as error:
        return error
    return None


def something_waits(folder: Path | None = None) -> bool:
    """Whether another window has left something behind that nobody has been asked about."""
    return any(recovery.read(file) is not None for file in waiting(folder or default_folder(), PATTERN))
