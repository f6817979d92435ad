"""GradViz shows what `backward()` does, one node at a time, over its own autograd engine. Start at `gradviz.__main__`.
With a real PyTorch, `gradviz.record` and `gradviz.show` record what it does, and `gradviz.open_recording` reads a
recording anywhere; importing this imports nothing else."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.document.opened import Recording

__version__ = "0.1.0"

_INSIDE = Path(__file__).resolve().parent / "resources"  # in a wheel; otherwise next to the package
RESOURCES = _INSIDE if _INSIDE.is_dir() else _INSIDE.parents[1] / "resources"


def record(
    path: str | Path,
    *,
    steps: str | Collection[int] | None = None,
    values: str = "full",
    modules: Collection[str] | None = None,
) -> AbstractContextManager[None]:
    """Record what real PyTorch does inside `with gradviz.record("run.gvtrace"):`, for `gradviz run.gvtrace`.

    `steps` are the iterations to record, counted by the calls of an optimizer's `step()` from 0: numbers, or a text
    such as "first:20,every:10,100-102"; by default all. `values` is how much of each tensor is kept: "full" (complete,
    up to 65,536 elements), "summary" (range, mean, norm and the corners; complete up to 64 elements) or "none" (shape
    and dtype). `modules` are paths of modules, such as "layers.3": of all others only shapes and dtypes are kept. The
    job computes the same numbers with and without it."""
    made: AbstractContextManager[None] = _interface().record(
        path, sys._getframe(1), steps=steps, values=values, modules=modules
    )
    return made


def show(*tensors: Any, window: bool = True) -> Path:
    """Open the graph that made these tensors of real PyTorch, such as a loss, in the window, or in a notebook below the
    cell; returns the recording."""
    notebook = importlib.import_module("gradviz.notebook")
    in_cell = window and notebook.is_here()
    path: Path = _interface().show(*tensors, frame=sys._getframe(1), window=window and not in_cell)
    if in_cell:
        notebook.show(path)
    return path


def open_recording(path: str | Path) -> Recording:
    """Read a `.gvtrace` file: `graph()` for networkx, `tensor("w.grad", step)` for NumPy, `steps()` as rows.

    Raises OSError if there is no such file, ValueError if it is damaged. Needs neither PyTorch nor a display."""
    found: Recording = importlib.import_module("gradviz.document.opened").open_recording(path)
    return found


def load_ipython_extension(ipython: object) -> None:
    """`%load_ext gradviz`: then `%%gradviz` above a cell runs it as a snippet, with a page for stepping through it
    below."""
    importlib.import_module("gradviz.notebook").register(ipython)


def _interface() -> ModuleType:
    """By name, because for the rest of the program, which starts here, the recorder is a leaf that nothing depends
    on."""
    try:
        return importlib.import_module("gradviz.recorder.interface")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError("This records real PyTorch: install torch in this environment.", name="torch") from None
