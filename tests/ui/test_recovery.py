"""Nothing typed is lost: the recovery file is written before each run, offered after a crash, and gone after a good
end."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gradviz.document import disk
from gradviz.document.documents import Contents, text_of
from gradviz.document.files import recovery
from gradviz.document.files.recovery import Recovery
from gradviz.document.snippet import Snippet
from gradviz.session.store import TYPING, Store
from gradviz.ui.services import recovery as ui_recovery
from gradviz.ui.services.recovery import AGAIN, NO_COPY, RecoveryKeeper
from tests.driver import Pilot

ROOT = Path(__file__).parents[2]


def typed(text: str, path: str = "") -> Recovery:
    return Recovery(Contents(Snippet(text)), path)


@pytest.fixture
def store() -> Store:
    return Store()


def test_what_is_typed_is_on_disk_soon(qtbot: QtBot, store: Store, tmp_path: Path) -> None:
    keeper = RecoveryKeeper(store, tmp_path)
    keeper._timer.setInterval(10)
    store.edit(TYPING, Snippet("x = 1"))
    file = tmp_path / "window-1.json"
    qtbot.waitUntil(file.exists, timeout=60_000)
    assert recovery.read(file) == typed("x = 1")
    keeper.close()
    assert not file.exists(), "a window that closes in good order leaves nothing behind"


def test_typing_does_not_wait_for_the_disk(
    qtbot: QtBot, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, slow = threading.Event(), recovery.write
    monkeypatch.setattr(recovery, "write", lambda file, copy: go_on.wait(60) and slow(file, copy))
    keeper, file = RecoveryKeeper(store, tmp_path), tmp_path / "window-1.json"
    store.edit(TYPING, Snippet("x = 1"))
    keeper.write_soon()
    store.edit(TYPING, Snippet("x = 12"))
    keeper.write_soon()  # one at a time
    assert recovery.read(file) is None
    go_on.set()
    keeper.write()
    assert recovery.read(file) == typed("x = 12")
    qtbot.wait(1)  # what the thread says comes late
    keeper.write()
    assert recovery.read(file) == typed("x = 12")
    go_on.clear()
    store.edit(TYPING, Snippet("x = 123"))
    keeper.write_soon()
    go_on.set()
    keeper.close()
    assert not file.exists(), "what was still being written is removed, too"


def test_what_a_crash_left_is_offered_and_not_overwritten(qtbot: QtBot, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "window-1.json"
    recovery.write(file, typed("lost = 1", "/home/me/a.py"))
    keeper = RecoveryKeeper(store, tmp_path)
    assert keeper.left_behind == typed("lost = 1", "/home/me/a.py")
    store.edit(TYPING, Snippet("other"))
    keeper.write()
    assert recovery.read(file) == typed("lost = 1", "/home/me/a.py"), "kept until the user has decided"
    keeper.answered()
    keeper.write()
    assert recovery.read(file) == typed("other")
    keeper.close()


def test_two_windows_do_not_share_a_file(qtbot: QtBot, store: Store, tmp_path: Path) -> None:
    one, two = RecoveryKeeper(store, tmp_path), RecoveryKeeper(Store(), tmp_path)
    assert two.left_behind is None
    store.edit(TYPING, Snippet("x"))
    one.write()
    assert (tmp_path / "window-1.json").exists() and not (tmp_path / "window-2.json").exists()
    two.close()
    one.close()


@pytest.mark.parametrize("taken_back", [True, False])
def test_a_copy_that_was_answered_goes_when_nothing_is_unsaved(
    qtbot: QtBot, store: Store, tmp_path: Path, taken_back: bool
) -> None:
    file = tmp_path / "window-1.json"
    recovery.write(file, typed("lost = 1"))
    keeper = RecoveryKeeper(store, tmp_path)
    assert keeper.left_behind is not None
    if taken_back:
        store.open(keeper.left_behind.contents.document, None)
        store.mark_unsaved()
    keeper.answered()
    if taken_back:
        keeper.write()
        assert recovery.read(file) == typed("lost = 1"), "as long as it is not saved"
        store.mark_saved(tmp_path / "saved.py")
    keeper.write()
    assert not file.exists(), "another start would offer what is saved, or was not wanted"
    keeper.close()


CRASH = """
import os, sys
from pathlib import Path
from gradviz.document.snippet import Snippet
from gradviz.session.store import TYPING, Store
from gradviz.ui.launch import application
from gradviz.ui.services.recovery import RecoveryKeeper

app = application()
store = Store()
keeper = RecoveryKeeper(store, Path(sys.argv[1]))
store.edit(TYPING, Snippet("typed = 'before the crash'"))
keeper.write()
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process that kills itself so is a matter of POSIX")
def test_a_process_that_was_killed_left_its_text_and_no_lock(qtbot: QtBot, store: Store, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CRASH, str(tmp_path)], cwd=ROOT, timeout=300, check=False)
    assert done.returncode == -9
    keeper = RecoveryKeeper(store, tmp_path)
    assert keeper.left_behind == typed("typed = 'before the crash'")
    keeper.answered()
    keeper.close()


@pytest.mark.parametrize("wanted", [True, False])
def test_the_window_gives_it_back_if_the_user_wants_it(pilot: Pilot, wanted: bool) -> None:
    keeper = pilot.window.shell.recovery
    keeper.left_behind = typed("lost = 1\n")
    pilot.answers.to_recover = [wanted]
    pilot.window.offer_recovery()
    assert pilot.answers.asked == ["recover"]
    assert text_of(pilot.state.document) == ("lost = 1\n" if wanted else "")
    assert pilot.state.is_dirty is wanted
    assert keeper.left_behind is None


def test_what_is_typed_before_the_question_comes_stays_and_another_window_asks(
    pilot: Pilot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ui_recovery, "default_folder", lambda: tmp_path)
    left = tmp_path / "window-1.json"
    recovery.write(left, typed("lost = 1\n"))
    vars(pilot.window.shell).pop("recovery").close()
    pilot.type_snippet("new = 1\n")
    pilot.window.offer_recovery()
    assert pilot.answers.asked == [] and text_of(pilot.state.document) == "new = 1\n"
    pilot.window.shell.recovery.write()
    assert recovery.read(tmp_path / "window-2.json") == typed("new = 1\n")
    assert recovery.read(left) == typed("lost = 1\n") and ui_recovery.something_waits()


def test_the_text_is_safe_before_a_run_begins(pilot: Pilot) -> None:
    written: list[bool] = []
    pilot.window.shell.runner.about_to_run.connect(lambda: written.append(pilot.window.shell.recovery.file.exists()))
    pilot.type_snippet("import os\n")
    pilot.run()
    assert written == [True]


def full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_full_disk_is_said_once_and_tried_again(
    qtbot: QtBot, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = RecoveryKeeper(store, tmp_path)
    store.edit(TYPING, Snippet("x"))
    monkeypatch.setattr(disk.os, "fsync", full)
    keeper.write()
    assert store.state.notice.sentence == NO_COPY.format("no space left on device")
    store.say("something else")
    keeper.write()
    assert store.state.notice.sentence == "something else"
    monkeypatch.undo()
    keeper.write()
    assert store.state.notice.sentence == AGAIN
    assert recovery.read(tmp_path / "window-1.json") == typed("x")
    keeper.close()


def test_no_folder_is_said_when_there_is_something_to_keep(qtbot: QtBot, store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "drive" / "recovery"
    folder.parent.write_text("a file where the folder should be")
    keeper = RecoveryKeeper(store, folder)
    keeper.write()
    assert store.state.notice.sentence == ""
    store.edit(TYPING, Snippet("x"))
    keeper.write()
    assert store.state.notice.sentence == NO_COPY.format("not a directory")
    folder.parent.unlink()
    keeper.write()
    assert recovery.read(folder / "window-1.json") == typed("x"), "the drive is back"
    keeper.close()
    assert not (folder / "window-1.json").exists()


def test_a_place_that_is_taken_late_is_an_empty_one(qtbot: QtBot, store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "recovery"
    folder.write_text("")
    keeper = RecoveryKeeper(store, folder)
    folder.unlink()
    recovery.write(folder / "window-1.json", typed("of another", "/home/me/a.py"))
    store.edit(TYPING, Snippet("x"))
    keeper.write()
    assert recovery.read(folder / "window-1.json") == typed("of another", "/home/me/a.py")
    assert keeper.file == folder / "window-2.json"
    keeper.close()


def test_what_cannot_be_read_is_put_aside_not_deleted(qtbot: QtBot, store: Store, tmp_path: Path) -> None:
    (tmp_path / "window-1.json").write_text('{"version": 99, "path": "", "file": "of a newer version"}')
    keeper = RecoveryKeeper(store, tmp_path)
    store.edit(TYPING, Snippet("x"))
    keeper.write()
    assert "newer" in (tmp_path / "window-1.json.bak").read_text()
    keeper.close()


def test_the_clock_may_be_set_back(qtbot: QtBot, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = RecoveryKeeper(store, tmp_path)
    store.edit(TYPING, Snippet("x"))
    keeper.write()
    monkeypatch.setattr(disk.time, "time", lambda: 1e6)
    store.edit(TYPING, Snippet("xy"))
    keeper.write()
    assert recovery.read(tmp_path / "window-1.json") == typed("xy")
    keeper.close()
