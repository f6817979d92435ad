"""A real window for tests, closed in good order at the end; `sample` shows the hand-made trace of
tests/trace/sample.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gradviz.document.files.trust import OwnFiles
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase, Run
from gradviz.ui.launch import application
from gradviz.ui.services.settings import Settings
from gradviz.ui.window import MainWindow
from gradviz.ui.windows import Ownership, Windows
from gradviz.worker.process import client
from gradviz.worker.process.worker_process import WorkerProcess
from tests.driver import Answers, Pilot
from tests.trace.sample import SOURCE, sample_batch


@pytest.fixture
def answers() -> Answers:
    """What the user will answer."""
    return Answers()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A shown, active window with settings and a list of own files of its own."""
    monkeypatch.setattr(client, "WorkerPool", _Pool)
    application()
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    made = MainWindow(settings, Windows(Ownership(OwnFiles(tmp_path / "own"))))
    made.files.questions = answers
    qtbot.addWidget(made, before_close_func=_discard)
    with qtbot.waitSignal(made.painted, timeout=60_000):
        made.show()
    made.activateWindow()
    return made


class _Pool(client.WorkerPool):
    """One whose spare workers get ready at once. A rehearsal takes longer than most runs here, and most windows end
    before they need the spare one. The workers of `tests/worker` have rehearsed, as in the program."""

    def _spawn(self) -> WorkerProcess:
        worker = WorkerProcess(self.limits, on_gone=self._workers.discard, ahead=self._reuse)
        self._workers.add(worker)
        return worker


def _discard(window: MainWindow) -> None:
    """Nothing is unsaved, so nothing is asked at the end."""
    window.store.open(Snippet(), None)


@pytest.fixture
def pilot(qtbot: QtBot, window: MainWindow, answers: Answers) -> Pilot:
    """The user of that window."""
    return Pilot(qtbot, window, answers)


@pytest.fixture
def sample(pilot: Pilot) -> Pilot:
    """A window that shows the hand-made trace, as after a run that ended in its error."""
    show_sample(pilot)
    return pilot


def show_sample(pilot: Pilot) -> None:
    """Open the hand-made trace in a window, whatever it shows."""
    from gradviz.trace.table.trace import Trace

    store, trace = pilot.window.store, Trace(SOURCE)
    trace.extend(sample_batch())
    store.open(Snippet(SOURCE), None)
    store.start_run(store.state.document)
    store.end_run(Run(Phase.RAISED, store.state.document, "", 11, 0.0012), trace)
