"""A snippet: the text of a Python file as a frozen record, and how it is loaded from and saved to a file. What is not a
snippet (missing, binary, far too big) is refused with one sentence before anything changes."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from pathlib import Path

from gradviz.document.attached import Attached
from gradviz.document.disk import read_at_most, shown, write_atomically
from gradviz.document.errors import UserError

MAX_BYTES = 400_000  # what the worker accepts at most


@dataclass(frozen=True)
class Snippet:
    """The text with "\\n" line ends; `newline` is what the file had and gets again."""

    text: str = ""
    newline: str = "\n"
    files: tuple[Attached, ...] = ()  # that it reads or imports
    arguments: str = ""  # that it is called with, as in a shell
    extra: str = ""  # JSON of what a newer version has written into its .gradviz file, to be kept

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to run."""
        return not self.text.strip()


@dataclass(frozen=True)
class Recorded(Snippet):
    """The text of what ran and was recorded elsewhere: read-only, and it can't be run."""

    origin: str = ""  # by what, when, and how far: a sentence


def is_recording(path: Path) -> bool:
    """Whether a file of this name is a recording, which is viewed and never run, or a folder with those of the ranks of
    a job. Its format is in `gradviz.trace.table.recording`."""
    return path.suffix.lower() == ".gvtrace" or bool(ranks_of(path))


def ranks_of(folder: Path) -> list[Path]:
    """Return the recordings of one job's processes in this folder, in the order of their ranks."""
    found = {int(number): path for path in folder.glob("rank*.gvtrace") if (number := path.stem[4:]).isdecimal()}
    return [found[rank] for rank in sorted(found)]


def load(path: Path) -> Snippet:
    """Read a `.py` file; raises UserError if it is not one."""
    return decode(read_bytes(path), shown(path.name))


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, if it is not far too big."""
    data, size = read_at_most(path, MAX_BYTES)
    if size > MAX_BYTES:
        raise UserError(too_big(shown(path.name), size))
    return data


def too_big(name: str, size: int) -> str:
    """Return the sentence for a file or text that is too big for a snippet."""
    return (
        f"{name} has {size / 1e6:.1f} MB; a snippet may have {MAX_BYTES / 1e6:.1f} MB at most. "
        "Cut out the part that you want to see."
    )


def decode(data: bytes, name: str) -> Snippet:
    """Return the text of a Python file, in the encoding that it declares (UTF-8 by default)."""
    if b"\0" in data:
        raise UserError(f"{name} is not a text file. GradViz opens Python files (.py).")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as error:  # the encoding may be for bytes only, such as zlib
        raise UserError(f"{name} is not UTF-8 text. Save it as UTF-8 in your editor and open it again.") from error
    newline = "\r\n" if "\r\n" in text else "\n"
    return Snippet(text.replace("\r\n", "\n").replace("\r", "\n"), newline)


def encode(snippet: Snippet) -> bytes:
    """Return the bytes of a `.py` file."""
    return snippet.text.replace("\n", snippet.newline).encode("utf-8", errors="backslashreplace")


def save(path: Path, snippet: Snippet) -> None:
    """Write the snippet; the file on disk is replaced in one step."""
    write_atomically(path, encode(snippet))


def comments_of(text: str) -> dict[int, str]:
    """Return the comment in each line that has one, without its "#"; lines count from 1. If Python can't parse the
    text, as far as it gets."""
    found = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string.lstrip("#").strip()
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
