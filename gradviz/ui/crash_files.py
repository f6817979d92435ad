"""What is left on disk of a failure: the reports, a bounded number of them, and the file into which Python and Qt write
when the process dies. That one is there as long as the program runs; the next start finds it. The texts are made by
`session.crash_report`, `crash` shows them."""

from __future__ import annotations

import contextlib
import faulthandler
import re
import sys
from pathlib import Path
from typing import IO

import PySide6
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from gradviz.document.disk import read_at_most, write_atomically
from gradviz.document.errors import UserError
from gradviz.session.crash_report import native_report
from gradviz.ui.locked_files import Place, data_folder, take, waiting
from gradviz.ui.startup import complain

KEPT = 10
RUNNING = "running-{}.txt"
MOST_BYTES = 100_000
VERSIONS = f"PySide6 {PySide6.__version__}"


class CrashFiles:
    """The folder of reports. Where there is none, nothing is kept, and nothing else fails."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder() / "reports"
        self._place: Place | None = None
        self._running: IO[str] | None = None

    def begin(self) -> str | None:
        """From now on a death of the process is noted. Returns the report of one that died before, which is "" if it
        could not say anything, and None if all ended in good order."""
        found = self._left()
        with contextlib.suppress(OSError):
            self._place = take(self.folder, RUNNING, empty=True)
            self._running = self._place.file.open("w", encoding="utf-8", errors="replace")
            faulthandler.enable(self._running)
            qInstallMessageHandler(self._qt_says)
        return found

    def keep(self, text: str) -> Path | None:
        """Write a report; the oldest go."""
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
        """The program ends in good order."""
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
