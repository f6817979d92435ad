"""What happens when the program ends other than by its user. If GradViz itself fails, everything typed is kept and a
window with a report to copy appears; mistakes by the user never end up here, they are a `UserError` and a sentence
where they happen. If the process dies, the file into which Python and Qt write at such a moment, which exists while the
program runs, is found by the next start. If the system ends it, by a signal or with the session, everything typed is
kept first.

`CrashFiles` keeps a limited number of reports on disk. `session.crash_report` writes their text; `supervisor` calls all
this."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO

import PySide6
from PySide6.QtCore import QMessageLogContext, QObject, QSocketNotifier, Qt, QtMsgType, QUrl, qInstallMessageHandler
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMessageBox

from gradviz.document.disk import read_at_most, write_atomically
from gradviz.document.errors import UserError
from gradviz.session.crash_report import Private, native_report, report
from gradviz.ui.services.recovery import Place, data_folder, take, waiting
from gradviz.ui.startup import complain

# -- what a failure leaves on disk

KEPT = 10
RUNNING = "running-{}.txt"
MOST_BYTES = 100_000
VERSIONS = f"PySide6 {PySide6.__version__}"


class CrashFiles:
    """The folder of reports. Without it no reports are kept, but nothing else fails."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder() / "reports"
        self._place: Place | None = None
        self._running: IO[str] | None = None

    def begin(self) -> str | None:
        """Record a death of the process from now on. Returns the report of an earlier process that died ("" if it could
        not write anything), or None if the last one ended normally."""
        found = self._left()
        with contextlib.suppress(OSError):
            self._place = take(self.folder, RUNNING, empty=True)
            self._running = self._place.file.open("w", encoding="utf-8", errors="replace")
            faulthandler.enable(self._running)
            qInstallMessageHandler(self._qt_says)
        return found

    def keep(self, text: str) -> Path | None:
        """Write a report and delete the oldest ones."""
        try:
            numbers = sorted(int(name[1]) for name in map(_numbered, self.folder.glob("report-*.txt")) if name)
            path = self.folder / f"report-{numbers[-1] + 1 if numbers else 1}.txt"
            write_atomically(path, text.encode("utf-8", errors="replace"), 0o600)
            for number in numbers[: max(0, len(numbers) + 1 - KEPT)]:
                (self.folder / f"report-{number}.txt").unlink(missing_ok=True)
        except (OSError, UserError):
            return None
        return path

    def end(self) -> None:
        """The program ends normally."""
        if self._running is not None:
            faulthandler.disable()
            qInstallMessageHandler(None)
            self._running.close()
            self._running = None
        if self._place is not None:
            self._place.leave()
            self._place = None

    def _left(self) -> str | None:
        found: str | None = None
        with contextlib.suppress(OSError):
            for file in waiting(self.folder, RUNNING):
                with contextlib.suppress(UserError):
                    text = read_at_most(file, MOST_BYTES)[0].decode("utf-8", errors="replace")
                    found = native_report(text, VERSIONS) if text.strip() else found or ""
                file.unlink(missing_ok=True)
        if found:
            self.keep(found)
        return found

    def _qt_says(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        """Qt ends the process after a fatal message."""
        if kind is QtMsgType.QtFatalMsg and self._running is not None:
            self._running.write(f"Qt: {text}\n")
            self._running.flush()
        if "This plugin does not support" not in text or sys.flags.dev_mode:
            complain(text)


def _numbered(path: Path) -> re.Match[str] | None:
    return re.fullmatch(r"report-(\d{1,9})\.txt", path.name)


TEXT = "GradViz ran into an internal error. Your work is safe: save it, then continue or restart."
LAST_TIME = "GradViz ended unexpectedly last time."
ASK = "Please report it with the details below; they contain no names, no paths and no part of your snippet."
MOST_PLACES = 20  # after failures at this many places, the program reports no more


class CrashBox(QMessageBox):
    """The report, to copy, and the folder where it is kept."""

    def __init__(self, text: str, report: str, folder: Path | None = None) -> None:
        super().__init__(QMessageBox.Icon.Critical, "GradViz", text, parent=QApplication.activeWindow())
        self._report, self._folder = report, folder
        self.setInformativeText(ASK)
        self.setDetailedText(report)
        self.copy = self.addButton("&Copy Report", QMessageBox.ButtonRole.ActionRole)
        self.copy.clicked.disconnect()  # copying must not close the box
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
    """Replaces `sys.excepthook`. A failure that recurs in every frame is reported once, and one box opens at a time."""

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
        """Write the report of a failure; "" if it was already reported. May be called from any thread."""
        place = _place(error)
        if place in self._told or len(self._told) >= MOST_PLACES:
            return ""
        self._told.add(place)
        text = report(error, VERSIONS, self._private())
        if self._files is not None:
            self._files.keep(text)
        return text

    def of_thread(self, failed: threading.ExceptHookArgs) -> None:
        """A failure in a thread is written to disk, but opens no window."""
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


# -- signals, and the end of the session


class ShutdownHandler(QObject):
    """Python notices a signal only when it executes something; a socket wakes it up."""

    def __init__(self, app: QApplication, keep_work: Callable[[], None], end: Callable[[], None]) -> None:
        super().__init__(app)
        self._keep_work, self._end = keep_work, end
        app.commitDataRequest.connect(lambda _: keep_work(), Qt.ConnectionType.DirectConnection)
        if sys.platform == "win32":
            return  # Windows ends sessions in its own way and has no such signals
        self._heard, self._wake = socket.socketpair()
        for one in (self._heard, self._wake):
            one.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._heard.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._listen)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup relies on this
                signal.signal(number, self._on_signal)

    def _listen(self) -> None:
        self._heard.recv(4096)  # by now Python has called the signal's handler

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        try:
            self._keep_work()
            self._end()
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
