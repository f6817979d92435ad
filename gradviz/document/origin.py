"""Where a file was downloaded from, as the program that downloaded it noted beside it: the Mark of the Web on Windows,
the quarantine attribute on macOS, an attribute that browsers set on Linux. It is only shown, never believed: a file
without a mark is no less strange. Whose files run at once is in `trust`."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

MOST_BYTES = 4096  # of a note
LONGEST = 60  # characters that are shown
_HOST = re.compile(r"[a-z0-9.:_-]+")
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]*")
_ADDRESS = re.compile(r"(?:HostUrl|ReferrerUrl)=(\S+)")

Note = Callable[[Path], bytes]


def origin_of(path: Path, platform: str = sys.platform, note: Note | None = None) -> str:
    """Such as "from example.org" or "with Safari"; "" if the file says nothing, or nothing that can be shown."""
    how = "win32" if platform == "win32" else "darwin" if platform == "darwin" else "linux"
    read, said = _NOTES[how]
    try:
        text = (note or read)(path)[:MOST_BYTES].decode("utf-8", "replace")
    except (OSError, AttributeError, ValueError):
        return ""
    return said(text)


def _host(address: str) -> str:
    """ "from" and the host of an address, if it is made of plain letters."""
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
    """The third part is the program, as in 0081;5f3c0a1b;Safari;UUID."""
    name = "".join(text.split(";")[2:3]).replace("\\x20", " ").strip()
    return f"with {name}" if len(name) <= LONGEST and _AGENT.fullmatch(name) else ""


def _zone_note(path: Path) -> bytes:
    with open(f"{path}:Zone.Identifier", "rb") as stream:
        return stream.read(MOST_BYTES)


def _linux_note(path: Path) -> bytes:
    return os.getxattr(path, "user.xdg.origin.url") if sys.platform == "linux" else b""


def _macos_note(path: Path) -> bytes:
    """Python itself has no getxattr there."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    library.getxattr.restype = ctypes.c_ssize_t
    library.getxattr.argtypes = [
        *(ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_int)
    ]
    room = ctypes.create_string_buffer(MOST_BYTES)
    length = library.getxattr(os.fsencode(path), b"com.apple.quarantine", room, MOST_BYTES, 0, 0)
    return room.raw[: max(length, 0)]


_NOTES: dict[str, tuple[Note, Callable[[str], str]]] = {
    "win32": (_zone_note, _zone),
    "darwin": (_macos_note, _agent),
    "linux": (_linux_note, _host),
}
