"""Places for the program's own files of which each running program, or each window, holds one: a file and its lock. A
file whose lock nobody holds was left by one that crashed. What is in the files, `recovery` and `crash_files` know."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile, QStandardPaths, QSysInfo

SLOTS = 50  # at once
ASIDE = ".bak"


def data_folder() -> Path:
    """Where the system keeps an application's own files."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation))


@dataclass(frozen=True)
class Place:
    """A file that nobody else writes as long as the lock is held."""

    file: Path
    lock: QLockFile

    def put_aside(self) -> None:
        """Keep what is there under another name."""
        with contextlib.suppress(OSError):
            os.replace(self.file, f"{self.file}{ASIDE}")

    def leave(self, *, keep: bool = False) -> None:
        """Give it up, and remove the file unless another shall find it."""
        if not keep:
            with contextlib.suppress(OSError):
                self.file.unlink(missing_ok=True)
        self.lock.unlock()


def take(folder: Path, pattern: str, *, empty: bool = False) -> Place:
    """The first free place, one with something left behind before an empty one, or only an empty one; OSError if there
    is none. The pattern is a file name with {} for its number."""
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
    """The files that nobody holds; each is held while it is looked at."""
    for file in (folder / pattern.format(number) for number in range(1, SLOTS + 1)):
        lock = _lock(file)
        if os.path.isfile(file) and not os.path.islink(file) and _is_taken(lock):
            try:
                yield file
            finally:
                lock.unlock()


def _is_there(file: Path) -> bool | None:
    """None for what stands in the place of a file and is none, such as a folder."""
    try:
        return True if stat.S_ISREG(os.lstat(file).st_mode) else None
    except FileNotFoundError:
        return False


def _try_to_write(folder: Path) -> None:
    """Qt does not say why it could not lock; the system does."""
    import tempfile

    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"x")


def _lock(file: Path) -> QLockFile:
    lock = QLockFile(str(file.with_suffix(".lock")))
    lock.setStaleLockTime(0)  # however old: its holder may be asleep
    return lock


def _is_taken(lock: QLockFile) -> bool:
    return lock.tryLock(0) or (_remove_abandoned(lock) and lock.tryLock(0))


def _remove_abandoned(lock: QLockFile) -> bool:
    """A lock of this machine whose holder was killed, and whose number another process has now: Qt takes it for held,
    but the holder would have locked the file itself, too."""
    if sys.platform == "win32":
        return False  # a file that is held can't be opened there
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
