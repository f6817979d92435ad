"""GradViz in a notebook: after `%load_ext gradviz`, `%%gradviz` above a cell runs it as a snippet, in a worker and
apart from the notebook's own variables, and shows its page under the cell, to be stepped through. The page is that of
`gradviz export`, which runs in a process of its own; `gradviz.show` shows a graph of real PyTorch in the same way."""

from __future__ import annotations

import html
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Protocol

HEIGHT = 640  # pixels of a page under a cell


class IPython(Protocol):
    """What is used of the shell of a notebook."""

    def register_magic_function(self, function: object, kind: str, name: str) -> None: ...


class Page:
    """A page that a notebook shows under a cell."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        """As a frame: its styles and keys are its own."""
        return f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="{HEIGHT}" frameborder="0"></iframe>'


def is_here() -> bool:
    """Whether this is the process of a notebook."""
    return "ipykernel" in sys.modules


def register(ipython: IPython) -> None:
    """What `%load_ext gradviz` does."""
    ipython.register_magic_function(run_cell, "cell", "gradviz")


def run_cell(_: str, cell: str) -> Page | None:
    """What `%%gradviz` does with a cell; None where there is no page, which is said."""
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        snippet = Path(folder) / "cell.py"
        snippet.write_text(cell, encoding="utf-8")
        return page_of(snippet)


def page_of(path: Path) -> Page | None:
    """The page of a snippet or a recording; None where there is none, which is said."""
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        out = Path(folder) / "page.html"
        command = [sys.executable, "-m", "gradviz", "export", str(path), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr)
        return Page(out.read_text(encoding="utf-8")) if out.exists() else None


def show(path: Path) -> None:
    """Show a recording under the cell that runs."""
    page = page_of(path)
    if page is not None:
        importlib.import_module("IPython.display").display(page)
