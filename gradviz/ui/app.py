"""The start of the window: `main` opens it on files, or draws it into a picture and ends. Whatever hinders Qt is
said in one sentence on standard error. Qt is imported inside functions only, after `startup` found nothing in the
way."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from gradviz.ui.startup import complain, import_obstacle, obstacle

DEFAULT_SIZE = (1280, 800)
CANNOT_START = 1


def load_what_knows_no_qt() -> None:
    """Note [Before Qt]: once PySide is there it looks through the source of each module that is imported; what knows
    no Qt and is needed for the first paint comes before it. In this time nothing becomes garbage: the collector rests
    until the window is painted."""
    import gc

    gc.disable()
    import gradviz.commands.table
    import gradviz.session.store  # noqa: F401


def load_launch() -> ModuleType:
    """The module that knows Qt and the window. PySide puts an import of its own in the place of Python's (see above);
    it is put aside while our modules come, which name all that they take from PySide."""
    import builtins

    plain = builtins.__import__
    import PySide6.QtWidgets  # noqa: F401

    inspecting = builtins.__import__
    builtins.__import__ = plain
    try:
        from gradviz.ui import launch
    finally:
        builtins.__import__ = inspecting
    return launch


def main(
    files: Sequence[str] = (),
    step: str | None = None,
    screenshot: str | None = None,
    size: tuple[int, int] | None = None,
    theme: str | None = None,
) -> int:
    """Open the window (or with `screenshot` draw it and end); returns the exit status."""
    if screenshot:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sentence = obstacle()
    if sentence is None:
        load_what_knows_no_qt()
        try:
            launch = load_launch()
        except ImportError as error:
            sentence = import_obstacle(error)
        else:
            paths = [Path(name) for name in files]
            if screenshot:
                status = launch.draw(paths[0] if paths else None, step, Path(screenshot), size or DEFAULT_SIZE, theme)
            else:
                status = launch.open_window(paths, step, size)
            return int(status)
    complain(f"gradviz: {sentence}")
    return CANNOT_START
