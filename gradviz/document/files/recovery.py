"""The recovery file: a copy of what was typed or drawn, so that a crash loses nothing. One small JSON file per open
window, written every few seconds and before each run, removed when the window closes normally. It contains the text of
a `.gradviz` file; version 1 only had that of a snippet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from gradviz.document.disk import read_at_most, write_atomically
from gradviz.document.documents import Contents
from gradviz.document.errors import UserError
from gradviz.document.files import gradviz_file
from gradviz.document.files.gradviz_file import MOST_BYTES
from gradviz.document.snippet import Snippet

VERSION = 2


@dataclass(frozen=True)
class Recovery:
    """The document of a window that did not close normally, and the file that it belonged to ("" for none)."""

    contents: Contents
    path: str = ""


def write(file: Path, recovery: Recovery) -> None:
    """Replace the recovery file."""
    inside = gradviz_file.write(recovery.contents).decode("utf-8")
    record = {"version": VERSION, "path": recovery.path, "file": inside}
    write_atomically(file, json.dumps(record).encode("utf-8"))


def read(file: Path) -> Recovery | None:
    """Return what an earlier window left; None if there is nothing to recover or the file is damaged."""
    try:
        record = json.loads(read_at_most(file, 2 * MOST_BYTES)[0])
        version, path = record["version"], record["path"]
        if version == 1:
            contents = Contents(Snippet("" + record["text"]))
        elif version == VERSION:
            contents = gradviz_file.read(record["file"].encode("utf-8"), file.name)
        else:
            return None
    except (UserError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not isinstance(path, str) or contents.document.is_blank:
        return None
    return Recovery(contents, path)
