"""A failure of GradViz itself is shown with a report that can be copied, is kept in a file, and loses nothing. A
process that died or was ended by the system is noticed by the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.document.documents import text_of
from gradviz.document.files import recovery
from gradviz.session.state import State, View
from gradviz.ui.crash import KEPT, LAST_TIME, CrashBox, CrashFiles, Reporter
from gradviz.ui.theme import DARK
from tests.driver import Pilot

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are a matter of POSIX")


def fail(reporter: Reporter, words: str) -> None:
    try:
        raise RuntimeError(words)
    except RuntimeError:
        reporter(*sys.exc_info())  # type: ignore[arg-type]


def fail_elsewhere(reporter: Reporter) -> None:
    try:
        {}["absent"]
    except KeyError:
        reporter(*sys.exc_info())  # type: ignore[arg-type]


def test_the_report_can_be_copied_and_opens_once(
    qtbot: QtBot, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept: list[str] = []
    reporter = Reporter(CrashFiles(tmp_path), lambda: kept.append("work"))
    fail(reporter, "first failure")
    box = reporter.box
    assert box is not None and box.isVisible()
    qtbot.addWidget(box)
    fail(reporter, "second failure")
    fail_elsewhere(reporter)
    assert reporter.box is box
    box.copy.click()
    assert box.isVisible()
    copied = QApplication.clipboard().text()
    assert "RuntimeError: first failure" in copied and "PySide6" in copied
    assert "second failure" in capsys.readouterr().err
    assert (tmp_path / "report-1.txt").read_text() == copied
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report-1.txt", "report-2.txt"], "one for each place"
    assert kept == ["work"] * 3
    box.close()
    fail(reporter, "the same again")
    assert reporter.box is box and not box.isVisible(), "a storm of the same failure opens one box"


def test_keeping_the_work_may_fail_too(qtbot: QtBot, capsys: pytest.CaptureFixture[str]) -> None:
    def keep() -> None:
        raise OSError(28, "No space left on device")

    reporter = Reporter(None, keep)
    fail(reporter, "first failure")
    assert reporter.box is not None
    qtbot.addWidget(reporter.box)
    assert "No space left" in capsys.readouterr().err


def test_a_thread_that_fails_opens_no_box(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    reporter = Reporter(CrashFiles(tmp_path))
    try:
        raise RuntimeError("beside")
    except RuntimeError as error:
        reporter.of_thread(threading.ExceptHookArgs((RuntimeError, error, error.__traceback__, None)))
    assert reporter.box is None
    assert "RuntimeError: beside" in (tmp_path / "report-1.txt").read_text()
    assert "beside" in capsys.readouterr().err


def test_a_bounded_number_of_reports_is_kept(tmp_path: Path) -> None:
    files = CrashFiles(tmp_path)
    for number in range(KEPT + 5):
        assert files.keep(str(number)) is not None
    assert {path.read_text() for path in tmp_path.iterdir()} == {str(number) for number in range(5, KEPT + 5)}


def test_without_a_folder_nothing_is_kept_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    files = CrashFiles(tmp_path / "file" / "reports")
    assert files.begin() is None
    assert files.keep("x") is None
    files.end()


def test_a_panel_that_fails_does_not_keep_the_others_from_showing(
    pilot: Pilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bad(_before: State, _after: State) -> None:
        raise RuntimeError("a panel failed")

    panels = pilot.window.panel_area.made
    monkeypatch.setattr(panels["canvas"], "show_state", bad)
    with pytest.raises(RuntimeError, match="a panel failed"):
        pilot.window.store.look(View(theme="dark"))
    monkeypatch.undo()
    assert pilot.window.theme == DARK
    assert pilot.window.settings.view().theme == "dark"


PROGRAM = """
import os, signal, sys
from gradviz.ui import launch, supervisor
from gradviz.ui.crash import CrashBox
from PySide6.QtCore import QTimer

CrashBox.exec = lambda box: print("BOX", box.text(), box.detailedText(), flush=True)

def painted(window):
    print("NOTICE", window.store.state.notice.sentence, flush=True)
    if sys.argv[1] == "end":
        window.close()
        return
    window.editor.code.setPlainText("typed = 1")
    if sys.argv[1] == "lose the display":
        window.windows.keep_work = lambda kept=window.windows.keep_work: (print("KEPT", flush=True), kept())
        launch.application().exit(1)
    if sys.argv[1] == "die":
        import faulthandler
        faulthandler._sigsegv()
    print("READY", flush=True)

class Window(launch.MainWindow):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.painted.connect(lambda: QTimer.singleShot(0, lambda: painted(self)))

launch.MainWindow = Window
sys.exit(launch.open_window([], None, None))
"""


def program(folder: Path, what: str) -> subprocess.Popen[str]:
    places = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"), str(folder))
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, what],
        cwd=ROOT,
        env=os.environ | places,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "GradViz" / "GradViz" / "reports").iterdir())


@posix
def test_a_process_that_died_is_told_of_by_the_next_one(tmp_path: Path) -> None:
    with program(tmp_path, "die") as one:
        one.communicate(timeout=300)
    assert one.returncode == -signal.SIGSEGV
    with program(tmp_path, "end") as two:
        said, _ = two.communicate(timeout=300)
    assert two.returncode == 0
    assert f"BOX {LAST_TIME} GradViz " in said and "Fatal Python error: Segmentation fault" in said
    assert f"NOTICE {LAST_TIME}" in said
    assert str(tmp_path) not in said and str(ROOT) not in said
    assert left_in(tmp_path) == ["report-1.txt"], "no file of a running program is left"
    with program(tmp_path, "end") as three:
        assert three.communicate(timeout=300)[0] == "NOTICE \n", "it is told once"


@posix
def test_a_program_that_the_system_ends_keeps_what_was_typed(tmp_path: Path) -> None:
    with program(tmp_path, "wait") as one:
        assert one.stdout is not None
        while one.stdout.readline() != "READY\n":
            assert one.poll() is None
        one.send_signal(signal.SIGTERM)
        one.communicate(timeout=300)
    assert one.returncode == -signal.SIGTERM
    found = recovery.read(tmp_path / "GradViz" / "GradViz" / "recovery" / "window-1.json")
    assert found is not None and text_of(found.contents.document) == "typed = 1"
    assert left_in(tmp_path) == [], "that was no crash"


@posix
def test_a_display_that_goes_away_loses_nothing(tmp_path: Path) -> None:
    with program(tmp_path, "lose the display") as one:
        said, _ = one.communicate(timeout=300)
    assert one.returncode == 1 and "KEPT" in said
    found = recovery.read(tmp_path / "GradViz" / "GradViz" / "recovery" / "window-1.json")
    assert found is not None and text_of(found.contents.document) == "typed = 1"


def test_the_box_says_where_reports_are(qtbot: QtBot, tmp_path: Path) -> None:
    box = CrashBox(LAST_TIME, "the report", tmp_path)
    qtbot.addWidget(box)
    assert [button.text() for button in (box.copy, box.show_folder)] == ["&Copy Report", "&Open Folder"]
