"""When GradViz itself fails: a window with the report, to copy, instead of silence. What the user did wrong never
comes here; it is a `UserError` and a sentence at its place."""

from __future__ import annotations

import sys
from types import TracebackType

import PySide6
from PySide6.QtWidgets import QApplication, QMessageBox

from gradviz import __version__

TEXT = "Something in GradViz went wrong. Your snippet is safe: save it, then go on or start again."
ASK = "Please report it with the details below; they hold no part of your snippet but the lines that failed."


def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """What a developer needs to know."""
    import platform
    import traceback

    versions = f"GradViz {__version__}, Python {platform.python_version()}, PySide6 {PySide6.__version__}"
    return f"{versions}, {platform.platform()}\n\n{''.join(traceback.format_exception(kind, error, trace))}"


class CrashBox(QMessageBox):
    """The report; the same failure in every frame opens one box only."""

    def __init__(self, text: str) -> None:
        super().__init__(QMessageBox.Icon.Critical, "GradViz", TEXT, parent=QApplication.activeWindow())
        self._report = text
        self.setInformativeText(ASK)
        self.setDetailedText(text)
        self.copy = self.addButton("&Copy report", QMessageBox.ButtonRole.ActionRole)
        self.copy.clicked.disconnect()  # copying does not close the box
        self.copy.clicked.connect(self._copy)
        self.setStandardButtons(self.standardButtons() | QMessageBox.StandardButton.Close)

    def _copy(self) -> None:
        QApplication.clipboard().setText(self._report)


class Reporter:
    """Takes the place of `sys.excepthook`."""

    def __init__(self) -> None:
        self.box: CrashBox | None = None

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
        elif self.box is None or not self.box.isVisible():
            self.box = CrashBox(report(kind, error, trace))
            self.box.open()


def install() -> None:
    """From now on a failure is shown."""
    sys.excepthook = Reporter()
