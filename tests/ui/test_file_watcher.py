"""A file on a drive that does not answer: the window goes on, and the answer counts when it comes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.document.disk import Stamp
from gradviz.ui.services.files import WindowFiles
from tests.driver import RUN_TIMEOUT, Pilot
from tests.ui.test_files import LARGER, SMALL, get_the_keyboard, saved


@pytest.fixture
def files(pilot: Pilot) -> WindowFiles:
    return pilot.window.files


def test_a_drive_that_does_not_answer_does_not_hold_up_the_window(
    pilot: Pilot, files: WindowFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, SMALL)
    files.open_path(path)
    path.unlink()
    answers, looks, look = threading.Event(), [], Stamp.now

    def slow(stamp: Stamp) -> tuple[str, Stamp]:
        looks.append(stamp)
        assert answers.wait(RUN_TIMEOUT / 1000)
        return look(stamp)

    monkeypatch.setattr(Stamp, "now", slow)
    get_the_keyboard(pilot)
    get_the_keyboard(pilot)
    assert len(looks) == 1 and not pilot.state.is_dirty
    answers.set()
    pilot.qtbot.waitUntil(lambda: pilot.state.is_dirty, timeout=RUN_TIMEOUT)
    assert pilot.state.notice.sentence == "net.gradviz is no longer on disk. Save writes it again."


def test_an_answer_about_a_document_that_is_not_there_any_more_says_nothing(
    pilot: Pilot, files: WindowFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, SMALL)
    files.open_path(path)
    answers = threading.Event()

    def slow(stamp: Stamp) -> tuple[str, Stamp]:
        assert answers.wait(RUN_TIMEOUT / 1000)
        return "deleted", stamp

    monkeypatch.setattr(Stamp, "now", slow)
    get_the_keyboard(pilot)
    files.open_path(saved(tmp_path, LARGER, "other.gradviz"))
    thread = files._looker._thread
    assert thread is not None
    answers.set()
    thread.join(RUN_TIMEOUT / 1000)
    QApplication.processEvents()
    assert pilot.state.title == "other.gradviz" and not pilot.state.is_dirty
