"""What is remembered between starts: what is damaged is reset with a note and the rest stays; two programs at once do
not undo each other's changes."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from pytestqt.qtbot import QtBot

from gradviz.session.state import View
from gradviz.ui.settings import MOST_BYTES, NO_FILE, RESET, Settings
from gradviz.ui.window import MainWindow

RESET_NOTE = RESET.format("GradViz.ini.bak")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "GradViz" / "GradViz.ini"


def written(file: Path, data: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def full(file: Path) -> Settings:
    """Settings with something in each of them."""
    settings = Settings(file=file)
    settings.remember_view(View("dark", 1.3, 5.0, ('/home/ü "x"; a=b\n@c.py', "@home.py"), False, True, 3, False))
    settings.remember_layout("window", QByteArray(bytes(range(256))))
    settings._store.sync()
    return settings


def test_what_is_whole_stays_as_it_is(file: Path) -> None:
    before = full(file).view()
    data = file.read_bytes()
    again = Settings(file=file)
    assert (again.view(), again.note) == (before, "")
    assert again.layout("window") == QByteArray(bytes(range(256)))
    assert file.read_bytes() == data
    assert [entry.name for entry in file.parent.iterdir()] == ["GradViz.ini"]


DAMAGE = {
    "garbage": bytes(range(256)) * 20,
    "cut short": b"[layout]\nwindow=@ByteArray(\\0\\0",
    "a line that is none": b"half a lin",
    "wrong types": b"[General]\ntext_scale=1e999\n",
    "not a number": b"[General]\nspeed=nan\n",
    "not yes or no": b"[General]\nanimated=@Size(3 3)\n",
    "a number for bytes": b"[layout]\nwindow=7\n",
    "an object": b"[General]\nrecent=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x1\\0)\n",
    "no end of a quotation": b'[General]\nrecent="/tmp/a\n',
    "no end of a heading": b"[layo\nwindow=3\n",
    "a line without end": b"x=" + b"y" * 200_000 + b"\n",
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_what_is_damaged_is_reset_and_the_rest_stays(file: Path, kind: str) -> None:
    good = b"[General]\ntheme=dark\nspeed=5\n[newer]\nkept=1\n"
    written(file, good + DAMAGE[kind])
    settings = Settings(file=file)
    assert settings.note == RESET_NOTE
    assert (settings.view().theme, settings.view().speed) == ("dark", 5.0)
    assert settings._store.value("newer/kept") == "1"
    assert file.with_name("GradViz.ini.bak").read_bytes() == good + DAMAGE[kind]
    again = Settings(file=file)
    assert (again.note, again.view().theme) == ("", "dark"), "it is said once"


def test_a_huge_file_is_not_read(file: Path) -> None:
    written(file, b"")
    os.truncate(file, 100_000_000)
    assert MOST_BYTES < 100_000_000
    assert Settings(file=file).note == RESET_NOTE
    assert not file.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices have no such names there")
@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "loop"])
def test_what_is_no_file_is_left_alone(file: Path, kind: str) -> None:
    file.parent.mkdir()
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to({"device": Path("/dev/null"), "loop": file}[kind])
    settings = Settings(file=file)
    assert settings.note == NO_FILE.format("GradViz.ini") or "too many levels" in settings.note
    settings.remember_view(replace(View(), theme="dark"))
    settings.remember_layout("window", QByteArray(b"x"))
    assert settings.view() == View()
    assert file.is_dir() or not file.is_file()


def test_only_so_many_recent_files_and_no_impossible_names(file: Path) -> None:
    names = ", ".join(f"/tmp/{number}.py" for number in range(5_000))
    settings = Settings(file=written(file, f"[General]\nrecent=/a\\0b, {'x' * 5000}, {names}\n".encode()))
    assert settings.view().recent == tuple(f"/tmp/{number}.py" for number in range(10))


def test_two_programs_keep_each_others_changes(file: Path) -> None:
    one, two = Settings(file=file), Settings(file=file)
    mine = replace(one.view(), theme="dark", recent=("/a.py", "/old.py"))
    one.remember_view(mine)
    one._store.sync()
    two.remember_view(replace(View(), speed=5.0, recent=("/b.py",)))
    two._store.sync()
    one.remember_view(replace(mine, recent=("/c.py", "/a.py")))
    one._store.sync()
    view = Settings(file=file).view()
    assert (view.theme, view.speed, view.recent) == ("dark", 5.0, ("/c.py", "/b.py", "/a.py"))


@pytest.mark.parametrize(
    "state", [b"", b"garbage", b"\x01\xd9\xd0\xcb\x00\x03\x00\x00" + b"\x7f\xff\xff\xff" * 14, b"\x01\xd9\xd0\xcb" * 20]
)
def test_a_window_is_on_a_screen_that_is_there(qtbot: QtBot, file: Path, state: bytes) -> None:
    settings = Settings(file=file)
    for name in ("window", "side-left", "middle-left", "bottom-left", "whole-left"):
        settings.remember_layout(name, QByteArray(state))
    window = MainWindow(settings)
    qtbot.addWidget(window)
    window.show()
    shown = window.geometry().intersected(window.screen().availableGeometry())
    assert shown.width() > 300 and shown.height() > 300
    cards = window.panel_area.cards
    assert all(min(cards[place].width(), cards[place].height()) > 30 for place in ("left", "centre"))
