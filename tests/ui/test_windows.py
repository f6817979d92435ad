"""Several windows of one process: each has its document and its recovery file, all look alike, and quitting asks each.
What a killed process had in its windows comes back in as many."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QSize, Qt
from PySide6.QtGui import QCloseEvent, QDrag
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gradviz.document.documents import Contents
from gradviz.document.drawing import Drawing
from gradviz.document.files import opening
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase
from gradviz.session.store import TYPING
from gradviz.ui.services import recovery
from gradviz.ui.theme import DARK
from gradviz.ui.window import MainWindow
from gradviz.ui.windows import TAB, TabbedWindow, fit
from tests.document.one_of_everything import everything
from tests.driver import Answers, Pilot
from tests.dropping import carried, drop

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _recovery_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "default_folder", lambda: tmp_path / "recovery")


@pytest.fixture
def more(pilot: Pilot, qtbot: QtBot) -> Iterator[list[Pilot]]:
    """The windows that a test opens besides the first; they are closed with it."""
    made: list[Pilot] = []
    yield made
    for window in pilot.window.windows.open_now:
        if window is not pilot.window:
            window.store.open(Snippet(), None)
            window.close()
            window.deleteLater()


def opened(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> Pilot:
    """The window that was opened last, when all of it is there."""
    window = pilot.window.windows.open_now[-1]
    assert window is not pilot.window
    qtbot.waitUntil(lambda: not window._slices.isActive() and "canvas" in window.panel_area.made, timeout=60_000)
    answers = Answers()
    window.files.questions = answers
    more.append(Pilot(qtbot, window, answers))
    return more[-1]


def test_another_window_has_another_document(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> None:
    pilot.type_snippet("a = 1\n")
    pilot.press("Ctrl+Shift+N")
    other = opened(pilot, qtbot, more)
    other.window.store.edit(TYPING, Snippet("b = 2\n"))
    assert (pilot.state.document, other.state.document) == (Snippet("a = 1\n"), Snippet("b = 2\n"))
    assert pilot.window.shell.runner.pool is not other.window.shell.runner.pool
    pilot.window.shell.recovery.write()
    other.window.shell.recovery.write()
    assert pilot.window.shell.recovery.file != other.window.shell.recovery.file


def test_windows_look_alike(pilot: Pilot, qtbot: QtBot, more: list[Pilot], tmp_path: Path) -> None:
    pilot.press("Ctrl+Shift+N")
    other = opened(pilot, qtbot, more)
    other.window.commands.choose("set.theme", "dark")
    assert pilot.window.theme == other.window.theme == DARK
    opening.save(tmp_path / "a.py", Contents(Snippet("a = 1\n")))
    assert pilot.window.files.open_path(tmp_path / "a.py")
    assert other.state.view.recent == (str(tmp_path / "a.py"),)


def test_closing_one_window_leaves_the_other(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> None:
    pilot.press("Ctrl+Shift+N")
    other = opened(pilot, qtbot, more)
    other.window.store.edit(TYPING, Snippet("b = 2\n"))
    other.answers.to_keep = ["cancel", "discard"]
    other.press("Ctrl+W")
    assert len(pilot.window.windows.open_now) == 2
    other.press("Ctrl+W")
    assert pilot.window.windows.open_now == (pilot.window,)
    assert pilot.window.isVisible()


def test_a_closed_window_is_forgotten(pilot: Pilot, qtbot: QtBot) -> None:
    window = pilot.window.windows.open()
    with qtbot.waitSignal(window.painted, timeout=60_000):
        pass
    window.store.edit("Add", everything())
    window.store.open(Snippet(), None)
    parts = [
        window.store,
        window.shell.runner,
        window.shell.live,
        window.shell.board,
        window.shell.what_if_runner,
        window.commands,
        window.files,
    ]
    left = [weakref.ref(part) for part in parts]
    window.close()
    del window, parts
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [part() for part in left] == [None] * len(left)


def test_quitting_asks_each_window(pilot: Pilot, qtbot: QtBot, more: list[Pilot], tmp_path: Path) -> None:
    pilot.press("Ctrl+Shift+N")
    other = opened(pilot, qtbot, more)
    pilot.window.store.edit(TYPING, Snippet("a = 1\n"))
    other.window.store.edit("Add", everything())
    other.answers.to_keep = ["save"]
    other.answers.to_save = [str(tmp_path / "net.gradviz")]
    pilot.answers.to_keep = ["cancel"]
    pilot.press("Ctrl+Q")
    assert opening.load(tmp_path / "net.gradviz").document == everything()
    assert pilot.window.windows.open_now == (pilot.window,), "the first stays, because its user wants to"


# tabs


def home(pilot: Pilot) -> TabbedWindow:
    """The window with tabs that the first document is in."""
    window = pilot.window.window()
    assert isinstance(window, TabbedWindow)
    return window


def test_of_several_dropped_files_each_gets_a_tab(
    pilot: Pilot, qtbot: QtBot, more: list[Pilot], tmp_path: Path
) -> None:
    names = [tmp_path / "a&b.py", tmp_path / "b.gradviz", tmp_path / "c.py"]
    opening.save(names[0], Contents(Snippet("a = 1\n")))
    opening.save(names[1], Contents(everything()))
    opening.save(names[2], Contents(Snippet("c = 3\n")))
    drop(pilot.window, carried(*names))
    qtbot.waitUntil(lambda: len(pilot.window.windows.open_now) == 3, timeout=60_000)
    opened(pilot, qtbot, more)
    assert [window.store.state.path for window in pilot.window.windows.open_now] == names
    assert pilot.window.windows.open_now[1].store.state.document == everything()
    tabs = home(pilot)
    assert [tabs.tabText(number) for number in range(3)] == ["a&&b.py", "b.gradviz", "c.py"]
    assert [tabs.tabToolTip(number) for number in range(3)] == [str(name) for name in names]
    assert tabs.windowTitle() == "c.py[*] – GradViz"
    assert tabs.size() == QSize(1280, 800), "as large as the window was"


@pytest.mark.parametrize("key", ["Ctrl+N", "Ctrl+Alt+N", "Ctrl+O"])
def test_new_and_open_leave_work_alone(pilot: Pilot, qtbot: QtBot, more: list[Pilot], tmp_path: Path, key: str) -> None:
    opening.save(tmp_path / "b.py", Contents(Snippet("b = 2\n")))
    pilot.answers.to_open = [str(tmp_path / "b.py")]
    pilot.type_snippet("a = 1\n")
    pilot.press(key)
    other = opened(pilot, qtbot, more)
    assert pilot.state.document == Snippet("a = 1\n") and pilot.state.is_dirty
    documents = {"Ctrl+N": Snippet(), "Ctrl+Alt+N": Drawing(), "Ctrl+O": Snippet("b = 2\n")}
    qtbot.waitUntil(lambda: other.state.document == documents[key], timeout=60_000)
    assert home(pilot).currentWidget() is other.window
    assert home(pilot).tabText(0) == "Untitled*"
    assert "keep" not in pilot.answers.asked


def test_a_file_that_is_open_comes_to_the_front(pilot: Pilot, qtbot: QtBot, more: list[Pilot], tmp_path: Path) -> None:
    opening.save(tmp_path / "a.py", Contents(Snippet("a = 1\n")))
    pilot.answers.to_open = [str(tmp_path / "a.py")]
    pilot.press("Ctrl+O")
    pilot.press("Ctrl+N")
    other = opened(pilot, qtbot, more)
    other.answers.to_open = [str(tmp_path / "." / "a.py")]
    other.press("Ctrl+O")
    assert home(pilot).currentWidget() is pilot.window and home(pilot).count() == 2
    assert pilot.state.notice.sentence == "a.py was open already; this is it."


def test_what_holds_nothing_is_used_again(pilot: Pilot, tmp_path: Path) -> None:
    opening.save(tmp_path / "b.py", Contents(Snippet("b = 2\n")))
    pilot.press("Ctrl+Alt+N")
    assert pilot.state.document == Drawing()
    pilot.press("Ctrl+N")
    pilot.answers.to_open = [str(tmp_path / "b.py")]
    pilot.press("Ctrl+O")
    assert pilot.state.path == tmp_path / "b.py"
    assert pilot.window.windows.open_now == (pilot.window,) and pilot.window.isWindow()


def test_each_tab_has_its_own_keys_and_place(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> None:
    pilot.type_snippet("a = 1\n")
    pilot.press("Ctrl+N")
    other = opened(pilot, qtbot, more)
    other.window.canvas.focus_target.setFocus()
    pilot.press("Ctrl+PgDown")
    assert home(pilot).currentWidget() is pilot.window, "around the end"
    assert QApplication.focusWidget() is pilot.window.editor.code
    pilot.press("Ctrl+Z")
    assert (pilot.state.document, other.state.document) == (Snippet(), Snippet())
    assert not home(pilot).isWindowModified() and home(pilot).tabText(0) == "Untitled"
    pilot.press("Ctrl+Shift+Tab")
    assert home(pilot).currentWidget() is other.window
    assert QApplication.focusWidget() is other.window.canvas.focus_target
    assert other.run_again("b = 2\n") is Phase.OK
    assert pilot.state.run.phase is Phase.NEVER


def test_a_tab_presents_in_the_whole_window(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> None:
    pilot.type_snippet("a = 1\n")
    pilot.press("Ctrl+N")
    opened(pilot, qtbot, more)
    tabs = home(pilot)
    pilot.press("F11")
    assert tabs.isFullScreen() and not tabs.tabBar().isVisible()
    pilot.press("Ctrl+Tab")
    assert tabs.currentIndex() == 1, "the room sees one document"
    pilot.press("F11")
    assert not tabs.isFullScreen() and tabs.tabBar().isVisible()


def test_a_tab_gets_a_window_and_comes_back(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> None:
    pilot.type_snippet("a = 1\n")
    pilot.press("Ctrl+N")
    other = opened(pilot, qtbot, more)
    tabs = home(pilot)
    other.window.commands.do("window.detach")
    assert other.window.isWindow() and other.window.isVisible() and tabs.count() == 1
    assert other.window.size() == tabs.size()
    other.window.commands.do("window.detach")
    assert "no other tab" in other.state.notice.sentence
    data = QMimeData()
    data.setData(TAB, str(id(other.window)).encode())
    assert drop(pilot.window, data)
    assert tabs.pages == [pilot.window, other.window]
    other.window.commands.do("window.detach")
    other.window.commands.do("window.merge")
    assert home(pilot).pages == [other.window, pilot.window] and home(pilot).currentWidget() is other.window
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not Shiboken.isValid(tabs), "a window goes with its last tab"
    foreign = QMimeData()
    foreign.setData(TAB, b"1")
    assert not drop(pilot.window, foreign)


def test_the_card_of_details_goes_with_its_tab(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> None:
    pilot.type_snippet("import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).sum().backward()\n")
    assert pilot.run() is Phase.OK
    pilot.press("Ctrl+N")
    other, tabs = opened(pilot, qtbot, more), home(pilot)
    tabs.setCurrentWidget(pilot.window)
    hover = pilot.window.canvas.view.hover
    hover.show_details()
    assert hover.shows_card
    for window in (pilot.window, other.window):
        window.commands.do("window.detach")
    pilot.window.commands.do("window.merge")
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not Shiboken.isValid(tabs)
    hover.show_details()
    assert hover.card is not None and hover.card.isVisible() and hover.card.parent() is pilot.window


def test_a_tab_is_pulled_out_of_its_row(
    pilot: Pilot, qtbot: QtBot, more: list[Pilot], monkeypatch: pytest.MonkeyPatch
) -> None:
    pilot.type_snippet("a = 1\n")
    pilot.press("Ctrl+N")
    other = opened(pilot, qtbot, more)
    carried: list[str] = []

    def let_go(drag: QDrag, _: object) -> Qt.DropAction:
        carried.append(bytes(drag.mimeData().data(TAB).data()).decode())
        return Qt.DropAction.IgnoreAction  # outside of all windows

    monkeypatch.setattr(QDrag, "exec", let_go)
    row = home(pilot).tabBar()
    at = row.tabRect(1).center()
    qtbot.mousePress(row, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseMove(row, at + QPoint(30, 2))
    assert not carried, "it is moved within the row"
    qtbot.mouseMove(row, at + QPoint(30, 90))
    qtbot.mouseRelease(row, Qt.MouseButton.LeftButton, pos=at)
    assert carried == [str(id(other.window))]
    assert other.window.isWindow() and other.window.isVisible()


def test_closing_a_window_asks_each_of_its_tabs(pilot: Pilot, qtbot: QtBot, more: list[Pilot]) -> None:
    pilot.type_snippet("a = 1\n")
    pilot.press("Ctrl+N")
    other = opened(pilot, qtbot, more)
    other.type_snippet("b = 2\n")
    tabs = home(pilot)
    other.answers.to_keep = ["cancel", "discard"]
    assert not tabs.close() and tabs.count() == 2
    pilot.answers.to_keep = ["cancel"]
    assert not tabs.close()
    assert pilot.window.windows.open_now == (pilot.window,) and tabs.isVisible()
    assert not tabs.tabBar().isVisible()


KILLED = """
import os, sys
from pathlib import Path
from gradviz.document.snippet import Snippet
from gradviz.session.store import TYPING
from gradviz.ui.services import recovery
from gradviz.ui.launch import application
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow
from tests.document.one_of_everything import everything

recovery.default_folder = lambda: Path(sys.argv[1])
app = application()
window = MainWindow(Settings(Forgetful()))
window.files.new_drawing()
window.store.edit("Add", everything())
other = MainWindow(Settings(Forgetful()), window.windows)
other.store.edit(TYPING, Snippet("typed = 1"))
for one in (window, other):
    one.shell.recovery.write()
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process that kills itself so is a matter of POSIX")
def test_all_windows_of_a_killed_process_come_back(qtbot: QtBot, tmp_path: Path, answers: Answers) -> None:
    folder = tmp_path / "recovery"
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], cwd=ROOT, timeout=300, check=False)
    assert done.returncode == -9
    back: list[Drawing | Snippet] = []
    keepers = []
    while recovery.something_waits():
        window = MainWindow()
        qtbot.addWidget(window, before_close_func=lambda window: window.store.open(Snippet(), None))
        window.files.questions = answers
        answers.to_recover = [True]
        window.offer_recovery()
        assert window.store.state.is_dirty
        back.append(window.store.state.document)
        keepers.append(window.shell.recovery)
    assert len(back) == 2
    assert everything() in back and Snippet("typed = 1") in back
    assert not any(keeper.left_behind for keeper in keepers)


def test_a_window_is_not_larger_than_its_screen(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    window.resize(room.size() - QSize(100, 100))
    fit(window)
    assert window.size() == room.size() - QSize(100, 100)
    window.resize(room.size())
    fit(window)
    assert window.height() < room.height(), "the system puts a frame around it"
    window.resize(room.width() - 10, room.height() + 400)
    fit(window)
    assert room.contains(window.frameGeometry())
    assert window.width() >= room.width() - 10 and window.height() > room.height() - 50


def test_a_window_that_has_closed_may_be_told_to_close_again(
    pilot: Pilot, qtbot: QtBot, more: list[Pilot], recwarn: pytest.WarningsRecorder
) -> None:
    pilot.window.windows.open()
    window = opened(pilot, qtbot, more).window
    assert window.close()
    QApplication.sendEvent(window, QCloseEvent())
    assert [str(each.message) for each in recwarn] == []
    assert window not in pilot.window.windows.open_now
    window.deleteLater()
