"""Which files are the user's own: those whose exact content was saved or run on this computer before. What is not in
this list comes from elsewhere and is opened without running it; `gradviz.ui.ownership` asks.

The list holds no names and no content, only HMAC-SHA256 marks under a key that never leaves this computer. It is one
small text file: a key, then a mark a line, the latest last.

Note [A lost mark does no harm]
Several windows and programs write this file without a lock: a mark is appended in one write, and whoever finds the list
too long replaces it by its newer half. A mark that is lost on the way, and every mark of a damaged list, only means
that the user presses Run once more. Nothing that goes wrong here makes a strange file an own one."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

from gradviz.document.errors import UserError
from gradviz.document.files import read_at_most, write_atomically

NAME = "own-files"
MOST = 4000  # marks; twice as many before the older ones go
MOST_BYTES = 1_000_000
PRIVATE = 0o600
_MARK = re.compile(rb"[0-9a-f]{64}")


class OwnFiles:
    """The list in a folder; without a folder nothing is known and nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / NAME if folder is not None else None

    def knows(self, kind: str, digest: bytes) -> bool:
        """Whether content with this digest was saved or run here, as a file of this kind: the ending of its name."""
        key, marks = self._read()
        return bool(key) and _mark(key, kind, digest) in marks

    def add(self, kind: str, digest: bytes) -> None:
        """The user has saved or run this content. Where nothing can be written, it is forgotten."""
        if self._file is None or not digest:
            return
        key, marks = self._read()
        new = _mark(key or (fresh := secrets.token_hex(32).encode()), kind, digest)
        if new in marks:
            return
        with contextlib.suppress(OSError, UserError):
            if not key:
                write_atomically(self._file, fresh + b"\n" + new + b"\n", PRIVATE)
            elif len(marks) >= 2 * MOST:
                write_atomically(self._file, b"\n".join((key, *marks[-MOST:], new, b"")), PRIVATE)
            else:
                _append(self._file, b"\n" + new + b"\n")  # after a line that a full disk cut short, too

    def _read(self) -> tuple[bytes, tuple[bytes, ...]]:
        """The key, empty if there is none that is whole, and the marks."""
        if self._file is None:
            return b"", ()
        try:
            data, _ = read_at_most(self._file, MOST_BYTES)
        except UserError:
            return b"", ()
        key, *lines = data.split(b"\n")
        if not _MARK.fullmatch(key):
            return b"", ()
        return key, tuple(line for line in lines if _MARK.fullmatch(line))


def _mark(key: bytes, kind: str, digest: bytes) -> bytes:
    return hmac.new(key, kind.encode() + b"\0" + digest, hashlib.sha256).hexdigest().encode()


def _append(file: Path, line: bytes) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
    try:
        os.write(handle, line)
    finally:
        os.close(handle)
