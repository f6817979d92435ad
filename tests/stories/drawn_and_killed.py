"""Not a test: someone who draws with the mouse, saves, draws on, and whose window is killed. What is left of it is
looked at in `test_drawing_by_mouse`. `python -m tests.stories.drawn_and_killed FILE.gradviz FOLDER`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

from PySide6.QtCore import QDeadlineTimer, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.document.drawing import Drawing
from gradviz.document.files import recovery
from gradviz.ui.launch import application
from gradviz.ui.services.recovery import RecoveryKeeper
from gradviz.ui.services.settings import Settings
from gradviz.ui.window import MainWindow
from tests.driver import RUN_TIMEOUT, Answers, Pilot


class Patience:
    """What a pilot needs of pytest-qt, which is for tests only."""

    def waitUntil(self, ready: Callable[[], bool], timeout: int) -> None:
        deadline = QDeadlineTimer(timeout)
        while not ready():
            assert not deadline.hasExpired()
            QApplication.processEvents()


def main(file: str, folder: Path) -> None:
    """Draw w * x, save it, draw tanh behind it, and be killed when the copy of that is on disk."""
    application()
    answers = Answers()
    window = MainWindow(Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)))
    window.files.questions = answers
    window.shell.recovery = RecoveryKeeper(window.store, folder)
    window.show()
    window.complete()
    window.activateWindow()
    pilot = Pilot(cast(QtBot, Patience()), window, answers)
    pilot.qtbot.waitUntil(window.isActiveWindow, timeout=RUN_TIMEOUT)
    pilot.new_drawing()
    pilot.place("leaf:parameter", 100, 100)
    pilot.place("leaf:scalar", 100, 260)
    pilot.place("mul", 270, 180)
    pilot.wire("w", "mul", 0)
    pilot.wire("x", "mul", 1)
    answers.to_save = [file]
    pilot.press("Ctrl+S")
    assert not pilot.state.is_dirty
    pilot.place("tanh", 270, 380)
    pilot.wire("mul", "tanh")
    copy = window.shell.recovery.file
    assert copy is not None
    window.shell.recovery._timer.setInterval(0)
    pilot.qtbot.waitUntil(lambda: _holds(copy, pilot.drawing), timeout=RUN_TIMEOUT)
    os.kill(os.getpid(), signal.SIGKILL)


def _holds(copy: Path, drawing: Drawing) -> bool:
    left = recovery.read(copy) if copy.exists() else None
    return left is not None and left.contents.document == drawing


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
