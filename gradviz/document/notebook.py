"""Notebooks (`.ipynb`) as Python text: the cells one after the other, in the form that editors know: `# %%` above code,
`# %% [markdown]` above text, which is a comment. Lines that only a notebook can run, such as `!pip install`, become
comments, too. Outputs are left out; nothing is written back. What a notebook shows of a cell's last expression is
printed by `gradviz.worker.pasted`."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from typing import Any

from gradviz.document.errors import UserError

SUFFIX = ".ipynb"
MOST_BYTES = 40_000_000  # pictures in the outputs are large
CELL = "# %%"
MAGIC = re.compile(r"\s*(%{1,2}\w|!\s*\w|\?\w|(pip3?|conda) install\b)|.*\w\?{1,2}\s*$")
NOT_WRITTEN = "GradViz reads notebooks and writes none. Save {name} under a name that ends in .py or .gradviz."
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
    text = "\n".join(part for part in parts if part).replace("\0", "")
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


def _leave_out(lines: list[str], at: int) -> None:
    """Turn a line, and its continuation lines, into comments."""
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    goes_on = True
    mark = f"{indent}pass  # " if indent else "# "
    while goes_on and at < len(lines):
        goes_on = lines[at].endswith("\\")
        lines[at] = mark + lines[at].lstrip()
        at, mark = at + 1, f"{indent}# "
