"""Starts the window: `main` opens it on files, or draws it into a picture and exits. If something prevents Qt from
starting, one sentence on standard error says what. Qt is imported only inside functions, after `startup` found no
obstacle."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from gradviz.ui.startup import complain, import_obstacle, obstacle

DEFAULT_SIZE = (1280, 800)
CANNOT_START = 1


def load_what_knows_no_qt() -> None:
    """Note [Before Qt]: once PySide is imported, it inspects the source of every further module. Modules that don't
    need Qt but are required for the first paint are therefore imported before it. Nothing becomes garbage during this
    time, so the collector is off until the window is painted."""
    import gc

    gc.disable()
    import gradviz.commands.table
    import gradviz.session.store  # noqa: F401


def load_launch() -> ModuleType:
    """Import the module with Qt and the window. PySide replaces Python's import function with its own (see above); it
    is set aside during the import of our modules, which name everything they take from PySide."""
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
    arguments: Sequence[str] = (),
) -> int:
    """Open the window on files, scripts called with `arguments`, or with `screenshot` draw it and exit; returns the
    exit status."""
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
                shown = paths[0] if paths else None
                status = launch.draw(shown, step, Path(screenshot), size or DEFAULT_SIZE, theme, arguments)
            else:
                status = launch.open_window(paths, step, size, arguments)
            return int(status)
    complain(f"gradviz: {sentence}")
    return CANNOT_START
