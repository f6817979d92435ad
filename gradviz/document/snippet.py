"""A snippet: the text of a Python file as a frozen record, and how it is loaded from and saved to a file. What is not a
snippet (missing, binary, far too big) is refused with one sentence before anything changes.

A notebook (`.ipynb`) is read as Python text: the cells one after the other, in the form that editors know: `# %%`
above code, `# %% [markdown]` above text, which is a comment. Lines that only a notebook can run, such as `!pip
install`, become comments, too. Outputs are left out; nothing is written back. What a notebook shows of a cell's last
expression is printed by `gradviz.worker.language.pasted`."""

from __future__ import annotations

import ast
import io
import json
import re
import textwrap
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradviz.document.attached import Attached
from gradviz.document.disk import read_at_most, shown, write_atomically
from gradviz.document.errors import UserError

# --- Notebooks ---


SUFFIX = ".ipynb"
MOST_BYTES = 40_000_000  # pictures in the outputs are large
CELL = "# %%"
MAGIC = re.compile(r"\s*(%{1,2}\w|!\s*\w|\?\w|(pip3?|conda) install\b)|.*\w\?{1,2}\s*$")
NOT_WRITTEN = "GradViz reads notebooks and writes none. Save {name} under a name that ends in .py or .gradviz."
FUTURE = re.compile(r"^from __future__ import ([\w, ]+?) *(#.*)?$", re.MULTILINE)
_OF_PYTHON = re.compile(r"%%(time|timeit|capture|prun|python3?)\b")  # cell magics with Python below them
_MOST = 200  # lines of a cell that are not Python
_MOST_READ = 8_000_000  # characters that Python parses to find them, since a cell is parsed again after each
_WIDTH = 110


def text_of_notebook(data: bytes, name: str) -> str:
    """Return the Python text of a notebook; raises UserError if it is not one."""
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name} is not a notebook: its text is not JSON.") from error
    cells = _cells(found)
    if cells is None:
        raise UserError(f"{name} is not a notebook: it has no list of cells.")
    sources = [_source_of(each) for each in cells]
    most = min(_MOST, _MOST_READ // max(sum(map(len, sources)), 1))
    parts = [_as_text(cell, source, most) for cell, source in zip(cells, sources, strict=True)]
    text = _future_first("\n".join(part for part in parts if part).replace("\0", ""))
    return text.encode("utf-8", "replace").decode("utf-8")


def _cells(found: Any) -> list[Any] | None:
    """Return the cells of version 4 or, from the first sheet, version 3; None if there are none."""
    if type(found) is dict and type(found.get("worksheets")) is list and found["worksheets"]:
        found = found["worksheets"][0]
    cells = found.get("cells") if type(found) is dict else None
    return cells if type(cells) is list else None


def _source_of(cell: Any) -> str:
    """Return the source of a cell, "" if it is empty or invalid."""
    source = cell.get("source", cell.get("input")) if type(cell) is dict else None
    if type(source) is list:
        source = "".join(each for each in source if type(each) is str)
    if type(source) is not str or not source.strip():
        return ""
    return source.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def _as_text(cell: Any, source: str, most: int) -> str:
    """Return one cell as text, in which that many lines may be no Python; "" for an empty one."""
    if not source:
        return ""
    if cell.get("cell_type") == "code":
        return f"{CELL}\n{_without_magics(source, most)}\n"
    lines = [part for line in source.split("\n") for part in textwrap.wrap(line[:2_000], _WIDTH) or [""]]
    return f"{CELL} [markdown]\n" + "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _without_magics(source: str, most: int) -> str:
    """Return code that Python can parse, if only notebook lines prevent it."""
    lines = source.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        whole = not _OF_PYTHON.match(lines[first])
        lines = [f"# {line}" if whole or at == first else line for at, line in enumerate(lines)]
    for _ in range(most):
        try:
            ast.parse("\n".join(lines) + "\n")
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or not MAGIC.match(lines[at]):
                return source  # Python's own error is shown when it runs
            _leave_out(lines, at)
        except (ValueError, RecursionError, MemoryError):
            return source
        else:
            return "\n".join(lines)
    return source


def _future_first(text: str) -> str:
    """Return the text with its imports from `__future__` at the top, the only place for them in a file; in a notebook
    each cell may begin with one."""
    found = list(FUTURE.finditer(text))
    before = text[: found[-1].start()].split("\n") if found else []
    if not any(line and not line.startswith("#") and not FUTURE.match(line) for line in before):
        return text
    names = sorted({name.strip() for each in found for name in each[1].split(",") if name.strip()})
    return f"from __future__ import {', '.join(names)}\n\n" + FUTURE.sub(r"# \g<0>", text)


def _leave_out(lines: list[str], at: int) -> None:
    """Turn a line, and its continuation lines, into comments."""
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    goes_on = True
    mark = f"{indent}pass  # " if indent else "# "
    while goes_on and at < len(lines):
        goes_on = lines[at].endswith("\\")
        lines[at] = mark + lines[at].lstrip()
        at, mark = at + 1, f"{indent}# "


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
    ranks: int = 1  # of how many processes it shows the first


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
