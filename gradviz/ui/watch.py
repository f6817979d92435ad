"""Watches over the program: failures are reported, a death of the process is noted for the next start, and what is
typed is kept when the system ends the program. It is there from the start; what it needs is loaded after the first
paint, or with the first failure."""

from __future__ import annotations

import sys
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from gradviz.ui.windows import Windows

if TYPE_CHECKING:
    from gradviz.ui.crash import Reporter
    from gradviz.ui.crash_files import CrashFiles
    from gradviz.ui.window import MainWindow


class Watch:
    """Over all windows of the program."""

    def __init__(self, app: QApplication, windows: Windows) -> None:
        self._app, self._windows = app, windows
        sys.excepthook = self._report

    def begin(self, window: MainWindow) -> None:
        """The window is painted: hear of what the system wants, and tell what was the last time."""
        import threading

        from gradviz.ui.crash import LAST_TIME, CrashBox
        from gradviz.ui.shutdown import ShutdownHandler

        ShutdownHandler(self._app, self._windows.keep_work, self.end)
        threading.excepthook = self._reporter.of_thread
        found = self._files.begin()
        note = window.settings.note or (LAST_TIME if found is not None else "")
        if note:
            window.store.say(note)
        if found:
            CrashBox(LAST_TIME, found, self._files.folder).exec()

    def end(self) -> None:
        """The program ends in good order."""
        if "_files" in vars(self):
            self._files.end()

    def _report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self._reporter(kind, error, trace)

    @cached_property
    def _files(self) -> CrashFiles:
        from gradviz.ui.crash_files import CrashFiles

        return CrashFiles()

    @cached_property
    def _reporter(self) -> Reporter:
        from gradviz.ui.crash import Reporter

        return Reporter(self._files, self._windows.keep_work, self._windows.private)
