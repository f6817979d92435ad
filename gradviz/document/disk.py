"""Reads files of a bounded size, and writes them so that a crash or a full disk never leaves half of one. A `Stamp`
tells whether a file is still the one that was read or written: another program may have changed or deleted it."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import time
from dataclasses import dataclass, replace
from pathlib import Path

from gradviz.document.errors import UserError

TEMPORARY = ".gradviz-saving"  # suffix of a file that is not complete yet
FORGOTTEN = 600.0  # seconds after which such a file must belong to a program that was killed


def read_at_most(path: Path, most: int) -> tuple[bytes, int]:
    """Return the content of a file of at most this many bytes, and its size; nothing of a larger one is read. A pipe or
    a device is refused: it has no content that could be waited for."""
    try:
        _refuse_what_is_no_file(path, path.stat().st_mode)
        with open(path, "rb", opener=_without_waiting) as file:
            now = os.fstat(file.fileno())
            _refuse_what_is_no_file(path, now.st_mode)  # it may have become one meanwhile
            data = file.read(most + 1)
            if data is None:  # for example the kernel's messages while there are none
                raise BlockingIOError(errno.EAGAIN, "it is empty at the moment")
            return (data, len(data)) if len(data) <= most else (b"", max(len(data), now.st_size))
    except FileNotFoundError as error:
        raise UserError(f"{printable(str(path))} does not exist. Check the name, or open another file.") from error
    except OSError as error:
        raise UserError(f"{shown(path.name)} could not be read: {reason(error)}.") from error
    except ValueError as error:
        raise _no_name(path) from error


def _without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_what_is_no_file(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise UserError(f"{shown(path.name)} is a folder. Open one of the files in it.")
    if not stat.S_ISREG(mode):
        raise UserError(f"{shown(path.name)} is a pipe or a device, not a file. Choose another name.")


def _no_name(path: Path) -> UserError:
    return UserError(f"{path.name!a} can't be the name of a file here. Choose another name.")


def absolute(path: Path) -> Path:
    """Return the absolute path; UserError if the folder that the program was started in no longer exists."""
    try:
        return path.absolute()
    except OSError as error:
        raise UserError(f"The folder of {shown(path.name)} is gone. Choose another one.") from error


def write_atomically(path: Path, data: bytes, permissions: int = 0o644) -> None:
    """Replace `path` by `data` in one step; the old content stays if anything goes wrong. For a symbolic link, the
    target is replaced, not the link, and permissions stay; a new file gets the given ones. What cannot be replaced
    safely is refused."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place = Path(os.path.realpath(path))
        if place.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        mode = place.stat().st_mode if place.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
            raise UserError(f"{shown(path.name)} could not be written: it is {kind}. Choose another place.")
        if mode is not None and not (mode & 0o222 and os.access(place, os.W_OK)):
            raise UserError(f"{shown(path.name)} is read-only. Save it under another name, or allow writing to it.")
        if not os.access(place.parent, os.W_OK):
            folder = shown(place.parent.name)
            raise UserError(f"The folder {folder} is read-only. Save {shown(path.name)} in another folder.")
        _replace(place, data, permissions if mode is None else mode & 0o777)
    except OSError as error:
        raise UserError(f"{shown(path.name)} could not be written: {reason(error)}. Choose another place.") from error
    except ValueError as error:
        raise _no_name(path) from error


def _replace(place: Path, data: bytes, mode: int) -> None:
    import tempfile

    prefix = f".{place.name[:50]}."
    _remove_forgotten(place.parent, prefix)
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=TEMPORARY, dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # not every system lets a folder be opened; the file is complete in any case
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def keep_copy(path: Path) -> Path:
    """Copy a file beside itself, as `net.gradviz.bak` or with the next free number; return the copy."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{shown(path.name)} could not be read: {reason(error)}.") from error
    names = (path.with_name(f"{path.name}.bak{number or ''}") for number in range(1000))
    copy = next(name for name in names if not name.exists())
    write_atomically(copy, data)
    return copy


def _remove_forgotten(folder: Path, prefix: str) -> None:
    """Remove what a program left that was killed while it saved this file."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            ours = entry.name.startswith(prefix) and entry.name.endswith(TEMPORARY)
            if ours and abs(entry.stat().st_mtime - time.time()) > FORGOTTEN:  # in the future, if the clock went back
                os.unlink(entry.path)


def reason(error: OSError) -> str:
    """Return the system's own words, without the path and the number."""
    return (error.strerror or str(error)).lower()


LONGEST = 60  # characters; whoever shares a file chooses its name, and the end of the sentence says what to do


def printable(name: str) -> str:
    """Return the name with a visible character in place of each invisible one."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)


def shown(name: str, longest: int = LONGEST) -> str:
    """Return the name, printable and shortened in its middle: its end is always visible."""
    plain = printable(name)
    return plain if len(plain) <= longest else f"{plain[: longest // 2]}…{plain[-longest // 2 + 1 :]}"


@dataclass(frozen=True)
class Stamp:
    """The last known state of a file."""

    path: Path
    modified: int  # nanoseconds
    size: int
    digest: bytes

    @staticmethod
    def of(path: Path, data: bytes) -> Stamp:
        """Return the stamp of a file that was just read or written with this content."""
        try:
            now = path.stat()
        except OSError:  # already deleted, which will be noticed
            return Stamp(path, 0, -1, b"")
        return Stamp(path, now.st_mtime_ns, now.st_size, digest_of(data))

    def now(self) -> tuple[str, Stamp]:
        """Return "same", "changed" or "deleted", and the current state. A file that was only touched is the same."""
        try:
            found = self.path.stat()
            if (found.st_mtime_ns, found.st_size) == (self.modified, self.size):
                return "same", self
            known = replace(self, modified=found.st_mtime_ns, size=found.st_size)
            is_read = stat.S_ISREG(found.st_mode) and found.st_size < MOST  # never wait for a pipe
            digest = digest_of(self.path.read_bytes()) if is_read else b""
        except FileNotFoundError:
            return "deleted", self
        except OSError:  # a folder that is temporarily unavailable, as on a network, says nothing
            return "same", self
        return "same" if digest == self.digest else "changed", replace(known, digest=digest)


MOST = 50_000_000  # bytes; larger files were not written by us


def digest_of(data: bytes) -> bytes:
    """Return a hash that represents a content."""
    return hashlib.sha256(data).digest()
