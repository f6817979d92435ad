"""GradViz in a notebook: after `%load_ext gradviz`, `%%gradviz` above a cell runs it as a snippet, in a worker and
separate from the notebook's own variables, and shows its page for stepping below the cell. The page is that of `gradviz
export`, which runs in a process of its own; `gradviz.show` shows a graph of real PyTorch in the same way."""

from __future__ import annotations

import html
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Protocol

HEIGHT = 640  # height in pixels of a page below a cell


class IPython(Protocol):
    """The parts of a notebook's shell that are used."""

    def register_magic_function(self, function: object, kind: str, name: str) -> None: ...


class Page:
    """A page that a notebook shows below a cell."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        """As a frame, so that its styles and keys stay separate."""
        return f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="{HEIGHT}" frameborder="0"></iframe>'


def is_here() -> bool:
    """Whether this is the process of a notebook."""
    return "ipykernel" in sys.modules


def register(ipython: IPython) -> None:
    """Register the magic command, for `%load_ext gradviz`."""
    ipython.register_magic_function(run_cell, "cell", "gradviz")


def run_cell(_: str, cell: str) -> Page | None:
    """Run a cell with `%%gradviz`; None, after saying so, if there is no page."""
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        snippet = Path(folder) / "cell.py"
        snippet.write_text(cell, encoding="utf-8")
        return page_of(snippet)


def page_of(path: Path) -> Page | None:
    """The page of a snippet or a recording; None, after saying so, if there is none."""
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        out = Path(folder) / "page.html"
        command = [sys.executable, "-m", "gradviz", "export", str(path), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr)
        return Page(out.read_text(encoding="utf-8")) if out.exists() else None


def show(path: Path) -> None:
    """Show a recording below the running cell."""
    page = page_of(path)
    if page is not None:
        importlib.import_module("IPython.display").display(page)
