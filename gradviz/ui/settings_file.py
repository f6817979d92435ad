"""The settings file before Qt reads it: what is damaged in it is left out, the rest stays, and the old file is kept
beside it. What the values mean is in `settings`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from gradviz.document.errors import UserError

MOST_BYTES = 500_000
LONGEST_LINE = 100_000
BACKUP = ".bak"
RESET = "The settings file was damaged and has been reset; the old one is {}."
NO_FILE = "Settings cannot be saved: {} is not a file. Remove it and restart."
UNREADABLE = "Settings could not be read ({}); the defaults are used."

IsGood = Callable[[str, str, str], bool]  # of a section, a name and a value


def prepared(path: Path, is_good: IsGood) -> tuple[bool, str]:
    """Whether Qt may read and write this file, and what is to be said about it ("" for nothing)."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return False, NO_FILE.format(path.name)
        data = path.read_bytes() if found.st_size <= MOST_BYTES else None
    except FileNotFoundError:
        return True, ""
    except OSError as error:
        return False, UNREADABLE.format((error.strerror or str(error)).lower())
    good = b"" if data is None else salvaged(data, is_good)
    return (True, "") if good == data else _reset(path, good)


def _reset(path: Path, good: bytes) -> tuple[bool, str]:
    from gradviz.document.files import write_atomically

    backup = path.with_name(path.name + BACKUP)
    try:
        os.replace(os.path.realpath(path), backup)
        write_atomically(path, good, 0o600)
    except (OSError, UserError) as error:
        return False, f"The settings file is damaged and could not be reset: {error}"
    return True, RESET.format(backup.name)


def salvaged(data: bytes, is_good: IsGood) -> bytes:
    """The lines that are whole; what follows a heading that is not, is not."""
    section: str | None = "General"
    kept = []
    for line in data.splitlines(keepends=True):
        text = _text(line)
        if text is None or (text.startswith("[") and not text.endswith("]")):
            section = section if text is None and b"=" in line else None
        elif text.startswith("["):
            section = text[1:-1]
            kept.append(line)
        elif text == "" or text.startswith((";", "#")):
            kept.append(line)
        elif section is not None:
            name, is_pair, value = text.partition("=")
            if is_pair and name.strip() and _is_whole(value) and is_good(section, name.strip(), value.strip()):
                kept.append(line)
    return b"".join(kept)


def _text(line: bytes) -> str | None:
    try:
        text = line.decode("utf-8").strip("\r\n")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= LONGEST_LINE and (text.isprintable() or "\t" in text) else None


def _is_whole(value: str) -> bool:
    """A value that ends on its line, of the kinds that are written: text, lists of text, and bytes."""
    plain = value.replace("\\\\", "").replace('\\"', "")
    if plain.endswith("\\") or plain.count('"') % 2:
        return False
    if value.startswith("@") and not value.startswith("@@"):
        return value == "@Invalid()" or (value.startswith("@ByteArray(") and value.endswith(")"))
    return True
