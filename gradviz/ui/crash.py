"""When GradViz itself fails: what is typed is kept, and a window with the report, to copy, comes instead of silence.
What the user did wrong never comes here; it is a `UserError` and a sentence at its place. The text of the report is
made by `session.crash_report`, the files are in `crash_files`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMessageBox

from gradviz.session.crash_report import Private, report
from gradviz.ui.crash_files import VERSIONS, CrashFiles

TEXT = "GradViz ran into an internal error. Your work is safe: save it, then continue or restart."
LAST_TIME = "GradViz ended unexpectedly last time."
ASK = "Please report it with the details below; they contain no names, no paths and no part of your snippet."
MOST_PLACES = 20  # a program that fails at so many places says no more


class CrashBox(QMessageBox):
    """The report, to copy, and the folder where it is kept."""

    def __init__(self, text: str, report: str, folder: Path | None = None) -> None:
        super().__init__(QMessageBox.Icon.Critical, "GradViz", text, parent=QApplication.activeWindow())
        self._report, self._folder = report, folder
        self.setInformativeText(ASK)
        self.setDetailedText(report)
        self.copy = self.addButton("&Copy Report", QMessageBox.ButtonRole.ActionRole)
        self.copy.clicked.disconnect()  # copying does not close the box
        self.copy.clicked.connect(self._copy)
        if folder is not None:
            self.show_folder = self.addButton("&Open Folder", QMessageBox.ButtonRole.ActionRole)
            self.show_folder.clicked.disconnect()
            self.show_folder.clicked.connect(self._open_folder)
        self.setStandardButtons(self.standardButtons() | QMessageBox.StandardButton.Close)
        self.setDefaultButton(QMessageBox.StandardButton.Close)

    def _copy(self) -> None:
        QApplication.clipboard().setText(self._report)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


class Reporter:
    """Takes the place of `sys.excepthook`. The same failure, as in every frame, is told once; one box at a time."""

    def __init__(
        self,
        files: CrashFiles | None = None,
        keep_work: Callable[[], None] = lambda: None,
        private: Callable[[], Private] = Private,
    ) -> None:
        self.box: CrashBox | None = None
        self._files = files
        self._keep_work = keep_work
        self._private = private
        self._told: set[tuple[str, str, int]] = set()

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        try:
            self._keep_work()
        except Exception as second:  # noqa: BLE001 the first failure is told all the same
            sys.__excepthook__(type(second), second, second.__traceback__)
        text = self.report(error.with_traceback(trace))
        if text and (self.box is None or not self.box.isVisible()):
            self.box = CrashBox(TEXT, text, self._files.folder if self._files else None)
            self.box.open()

    def report(self, error: BaseException) -> str:
        """Write the report of a failure; "" if it has been told already. May be called from any thread."""
        place = _place(error)
        if place in self._told or len(self._told) >= MOST_PLACES:
            return ""
        self._told.add(place)
        text = report(error, VERSIONS, self._private())
        if self._files is not None:
            self._files.keep(text)
        return text

    def of_thread(self, failed: threading.ExceptHookArgs) -> None:
        """A failure in a thread is written, but opens no window."""
        threading.__excepthook__(failed)
        if failed.exc_value is not None and failed.exc_type is not SystemExit:
            self.report(failed.exc_value)


def _place(error: BaseException) -> tuple[str, str, int]:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__, "", 0
    return type(error).__name__, trace.tb_frame.f_code.co_filename, trace.tb_lineno
