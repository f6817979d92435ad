"""The recovery file: a copy of what was typed, so that a crash loses nothing. One small JSON file per open window,
written every few seconds and before each run, removed when the window closes in good order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from gradviz.document.files import write_atomically

VERSION = 1


@dataclass(frozen=True)
class Recovery:
    """The text of a window that did not close in good order, and the file that it belonged to ("" for none)."""

    text: str
    path: str = ""


def write(file: Path, recovery: Recovery) -> None:
    """Replace the recovery file."""
    record = {"version": VERSION, "path": recovery.path, "text": recovery.text}
    write_atomically(file, json.dumps(record).encode("utf-8"))


def read(file: Path) -> Recovery | None:
    """What a former window left behind; None if there is nothing to recover or the file is damaged."""
    try:
        record = json.loads(file.read_bytes())
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None
    if not isinstance(record, dict) or record.get("version") != VERSION:
        return None
    text, path = record.get("text"), record.get("path")
    if not isinstance(text, str) or not isinstance(path, str) or not text.strip():
        return None
    return Recovery(text, path)
