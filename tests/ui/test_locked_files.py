"""Places of which each window and each program holds one: who was killed holds none, who lives keeps its own, and what
stands in the way of a file is passed by."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLockFile

from gradviz.ui.services import recovery
from gradviz.ui.services.recovery import take, waiting

PATTERN = "window-{}.json"
posix = pytest.mark.skipif(sys.platform == "win32", reason="files that are held can't be opened there")


def foreign_lock(file: Path, host: str | None = None) -> Path:
    """The lock of a program with our process number that does not hold it: killed, and the number used again."""
    lock = QLockFile(str(file.with_suffix(".lock")))
    assert lock.tryLock(0)
    lines = Path(lock.fileName()).read_text().splitlines()
    lock.unlock()
    if host is not None:
        lines[2:] = [host, "0" * 32, "0" * 36]
    file.with_suffix(".lock").write_text("\n".join(lines) + "\n")
    return file


@posix
def test_a_process_number_that_is_used_again_holds_nothing(tmp_path: Path) -> None:
    foreign_lock(tmp_path / "window-1.json").write_text("left")
    assert list(waiting(tmp_path, PATTERN)) == [tmp_path / "window-1.json"]
    foreign_lock(tmp_path / "window-1.json")
    place = take(tmp_path, PATTERN)
    assert place.file.read_text() == "left"
    place.leave()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_another_machine_is_left_alone(tmp_path: Path) -> None:
    foreign_lock(tmp_path / "window-1.json", "another-machine").write_text("theirs")
    assert list(waiting(tmp_path, PATTERN)) == []
    place = take(tmp_path, PATTERN)
    assert place.file.name == "window-2.json"
    place.leave()
    assert (tmp_path / "window-1.json").read_text() == "theirs"


def test_what_is_held_is_held(tmp_path: Path) -> None:
    one = take(tmp_path, PATTERN)
    one.file.write_text("mine")
    two = take(tmp_path, PATTERN)
    assert one.file != two.file
    assert list(waiting(tmp_path, PATTERN)) == []
    two.leave()
    one.leave(keep=True)
    assert list(waiting(tmp_path, PATTERN)) == [one.file]


@posix
def test_a_folder_or_a_pipe_in_the_way_is_passed_by(tmp_path: Path) -> None:
    (tmp_path / "window-1.json").mkdir()
    os.mkfifo(tmp_path / "window-2.json")
    (tmp_path / "window-3.lock").mkdir()
    place = take(tmp_path, PATTERN)
    assert place.file.name == "window-4.json"
    assert list(waiting(tmp_path, PATTERN)) == []
    place.leave()


def test_no_place_is_an_error_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "SLOTS", 1)
    one = take(tmp_path, PATTERN)
    with pytest.raises(OSError, match="all places are taken"):
        take(tmp_path, PATTERN)
    one.leave()
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        take(tmp_path / "file" / "below", PATTERN)
