"""Which files are the user's own: those whose exact content was saved or run on this computer before. What is not in
this list comes from elsewhere and is opened without running it; `gradviz.ui.windows` asks.

The list holds no names and no content, only HMAC-SHA256 marks under a key that never leaves this computer. It is one
small text file: a key, then a mark a line, the latest last.

Note [A lost mark does no harm]
Several windows and programs write this file without a lock: a mark is appended in one write, and whoever finds the list
too long replaces it by its newer half. A mark that is lost on the way, and every mark of a damaged list, only means
that the user presses Run once more. Nothing that goes wrong here makes a strange file an own one.

Note [Where a file comes from]
The program that downloaded a file notes it beside it: the Mark of the Web on Windows, the quarantine attribute on
macOS, an attribute that browsers set on Linux. It is only shown, never believed: a file without a mark is no less
strange."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import hashlib
import hmac
import os
import re
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from gradviz.document.disk import read_at_most, write_atomically
from gradviz.document.errors import UserError

NAME = "own-files"
MOST = 4000  # marks; the older ones are removed at twice as many
MOST_BYTES = 1_000_000
PRIVATE = 0o600
_MARK = re.compile(rb"[0-9a-f]{64}")


class OwnFiles:
    """The list in a folder; without a folder nothing is known and nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / NAME if folder is not None else None

    def knows(self, kind: str, digest: bytes) -> bool:
        """Whether content with this digest was saved or run here, as a file with this suffix."""
        key, marks = self._read()
        return bool(key) and _mark(key, kind, digest) in marks

    def add(self, kind: str, digest: bytes) -> None:
        """Record that the user has saved or run this content. If nothing can be written, it is forgotten."""
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
                _append(self._file, b"\n" + new + b"\n")  # also after a line that a full disk cut short

    def _read(self) -> tuple[bytes, tuple[bytes, ...]]:
        """Return the key, empty if there is no complete one, and the marks."""
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


# -- origins, see Note [Where a file comes from]

MOST_BYTES_OF_NOTE = 4096
LONGEST = 60  # characters that are shown
_HOST = re.compile(r"[a-z0-9.:_-]+")
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]*")
_ADDRESS = re.compile(r"(?:HostUrl|ReferrerUrl)=(\S+)")

Note = Callable[[Path], bytes]


def origin_of(path: Path, platform: str = sys.platform, note: Note | None = None) -> str:
    """Return, for example, "from example.org" or "with Safari"; "" if the file says nothing, or nothing that can be
    shown."""
    how = "win32" if platform == "win32" else "darwin" if platform == "darwin" else "linux"
    read, said = _NOTES[how]
    try:
        text = (note or read)(path)[:MOST_BYTES_OF_NOTE].decode("utf-8", "replace")
    except (OSError, AttributeError, ValueError):
        return ""
    return said(text)


def _host(address: str) -> str:
    """Return "from" and the host of an address, if it consists of plain letters."""
    try:
        host = urlsplit(address.strip()).hostname or ""
    except ValueError:
        return ""
    return f"from {host}" if len(host) <= LONGEST and _HOST.fullmatch(host) else ""


def _zone(text: str) -> str:
    found = _ADDRESS.search(text)
    if found:
        return _host(found[1])
    return "from the internet" if re.search(r"^ZoneId=[34]\s*$", text, re.MULTILINE) else ""


def _agent(text: str) -> str:
    """Return the third part, which is the program, as in 0081;5f3c0a1b;Safari;UUID."""
    name = "".join(text.split(";")[2:3]).replace("\\x20", " ").strip()
    return f"with {name}" if len(name) <= LONGEST and _AGENT.fullmatch(name) else ""


def _zone_note(path: Path) -> bytes:
    with open(f"{path}:Zone.Identifier", "rb") as stream:
        return stream.read(MOST_BYTES_OF_NOTE)


def _linux_note(path: Path) -> bytes:
    return os.getxattr(path, "user.xdg.origin.url") if sys.platform == "linux" else b""


def _macos_note(path: Path) -> bytes:
    """Read the attribute by ctypes: Python itself has no getxattr on macOS."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    library.getxattr.restype = ctypes.c_ssize_t
    library.getxattr.argtypes = [
        *(ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_int)
    ]
    room = ctypes.create_string_buffer(MOST_BYTES_OF_NOTE)
    length = library.getxattr(os.fsencode(path), b"com.apple.quarantine", room, MOST_BYTES_OF_NOTE, 0, 0)
    return room.raw[: max(length, 0)]


_NOTES: dict[str, tuple[Note, Callable[[str], str]]] = {
    "win32": (_zone_note, _zone),
    "darwin": (_macos_note, _agent),
    "linux": (_linux_note, _host),
}
