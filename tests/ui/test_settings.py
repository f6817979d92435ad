"""What is remembered between starts: what is damaged is reset with a note and the rest stays; two programs at once do
not undo each other's changes. Preferences, the dialog in which it is chosen: found by typing, holds at once, is taken
back; what a school has locked is shown and stays."""

from __future__ import annotations

import os
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QPushButton
from pytestqt.qtbot import QtBot

from gradviz.classroom import Classroom
from gradviz.commands.table import COMMANDS
from gradviz.session.preferences import BY_NAME, GATHERED, SETTINGS
from gradviz.session.state import View
from gradviz.ui.dialogs.preferences import BY_THE_SCHOOL, PreferencesDialog, SettingRow
from gradviz.ui.services.settings import MOST_BYTES, NO_FILE, RESET, Forgetful, Settings
from gradviz.ui.window import MainWindow
from tests.driver import Pilot

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


# -- the dialog


def opened(pilot: Pilot) -> PreferencesDialog:
    pilot.press("Ctrl+,")
    dialog = pilot.window.findChild(PreferencesDialog)
    assert isinstance(dialog, PreferencesDialog) and dialog.isVisible()
    dialog.activateWindow()
    pilot.qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def row_of(dialog: PreferencesDialog, name: str) -> SettingRow:
    return next(row for row in dialog.rows if isinstance(row, SettingRow) and row.row.name == name)


def choose(dialog: PreferencesDialog, name: str, place: int) -> None:
    """Choose one of the choices with the mouse, or turn the switch."""
    control = row_of(dialog, name).control
    if isinstance(control, QCheckBox):
        control.click()
    else:
        control.setCurrentIndex(place)
        control.activated.emit(place)


def test_every_field_of_the_view_is_a_setting_or_gathers() -> None:
    assert {row.name for row in (*SETTINGS, *GATHERED)} == {field.name for field in fields(View)}
    for row in SETTINGS:
        assert row.of(View()) in [value for _, value in row.choices]
        assert all(row.read(str(value)) == value for _, value in row.choices)
    known = {row.id for row in COMMANDS}
    assert all(name in known for row in SETTINGS for name in row.ids)


def test_each_setting_is_found_by_its_title_and_by_other_words(pilot: Pilot) -> None:
    dialog = opened(pilot)
    assert dialog.focusWidget() is dialog.query
    for row in dialog.rows:
        dialog.query.setText(row.title.text())
        assert row.isVisible(), row.title.text()
    for words, name in (("colour night", "theme"), ("font", "text_scale"), ("reduced", "animated"), ("PACE", "speed")):
        dialog.query.setText(words)
        assert [row for row in dialog.rows if row.isVisible()] == [row_of(dialog, name)], words
        assert [heading.text() for heading, _ in dialog.sections if heading.isVisible()] == [BY_NAME[name].section]
    dialog.query.setText("nothing at all")
    assert dialog.none.isVisible() and not any(row.isVisible() for row in dialog.rows)
    dialog.query.setText("speed")
    QTest.keyClick(dialog.query, Qt.Key.Key_Down)
    assert dialog.focusWidget() is row_of(dialog, "speed").control
    dialog.close()


def test_a_choice_holds_at_once_and_can_be_taken_back(pilot: Pilot) -> None:
    before = pilot.state.view
    dialog = opened(pilot)
    for row in SETTINGS:
        last = [value for _, value in row.choices][-1]
        choose(dialog, row.name, len(row.choices) - 1)
        assert row.of(pilot.state.view) == (not row.of(before) if row.is_switch else last), row.name
        assert row_of(dialog, row.name).back.isVisible() == (row.of(pilot.state.view) != row.of(View()))
    dialog.undo.click()
    assert pilot.state.view.overture is before.overture and pilot.state.view.theme == "contrast"
    dialog.setFocus()
    QTest.keyClick(dialog, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert pilot.state.view.every_step is before.every_step
    row_of(dialog, "theme").back.click()
    assert pilot.state.view.theme == "system"
    dialog.reject()
    assert pilot.state.view == before


def test_defaults_are_restored_and_what_was_gathered_stays(pilot: Pilot) -> None:
    view = replace(View(), theme="dark", text_scale=1.3, minimap=False, recent=("/a.py",), quiet=("nan",))
    pilot.window.store.look(view)
    dialog = opened(pilot)
    dialog.restore.click()
    assert pilot.state.view == replace(View(), recent=("/a.py",), quiet=("nan",))
    assert not dialog.restore.isEnabled()
    dialog.undo.click()
    assert pilot.state.view == view
    dialog.restore.click()
    dialog.accept()
    assert pilot.state.view == replace(View(), recent=("/a.py",), quiet=("nan",))


def test_what_was_gathered_is_emptied(pilot: Pilot) -> None:
    view = replace(View(), recent=("/a.py", "/b.py"), quiet=("nan",), done=("abc",))
    pilot.window.store.look(view)
    dialog = opened(pilot)
    buttons = [button for button in dialog.area.findChildren(QPushButton) if button.isEnabled()]
    assert [button.text() for button in buttons] == ["Clear", "Tell Again", "Forget"]
    for button in buttons:
        button.click()
        assert not button.isEnabled()
    assert pilot.state.view == View()
    dialog.reject()
    assert pilot.state.view == view


def test_the_wheel_scrolls_past_a_setting(pilot: Pilot) -> None:
    dialog = opened(pilot)
    control = row_of(dialog, "text_scale").control
    nothing = (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)
    here = QPointF(5, 5)
    QApplication.sendEvent(control, QWheelEvent(here, control.mapToGlobal(here), QPoint(), QPoint(0, -120), *nothing))
    assert pilot.state.view.text_scale == 1.0
    dialog.close()


@pytest.mark.parametrize("scale", [0.8, 1.0, 2.0])
def test_the_dialog_is_not_larger_than_the_screen(pilot: Pilot, scale: float) -> None:
    pilot.window.store.look(replace(View(), text_scale=scale))
    dialog = opened(pilot)
    room = dialog.screen().availableGeometry()
    assert dialog.width() <= room.width() and dialog.height() <= room.height()
    for row in dialog.rows:
        assert row.sizeHint().width() <= max(dialog.area.viewport().width(), row.minimumSizeHint().width())
        assert row.minimumSizeHint().width() <= dialog.area.viewport().width(), row.title.text()
    dialog.close()


def test_what_the_school_has_locked_is_shown_and_stays(qtbot: QtBot) -> None:
    class Chosen(Forgetful):
        def value(self, key: str, /, default: object = None) -> object:
            return {"theme": "dark", "speed": "30"}.get(key, default)

    room = Classroom(theme="light", seconds=20, locked=frozenset({"theme"}), off=frozenset({"set.theme"}))
    window = MainWindow(Settings(Chosen(), classroom=room))
    qtbot.addWidget(window)
    window.show()
    window.complete()
    assert (window.store.state.view.theme, window.store.state.view.speed) == ("light", 30.0)
    window.commands.do("edit.preferences")
    dialog = window.findChild(PreferencesDialog)
    assert isinstance(dialog, PreferencesDialog)
    locked = row_of(dialog, "theme")
    assert BY_THE_SCHOOL in locked.help.text()
    assert not locked.control.isEnabled() and not locked.back.isVisible()
    assert [row.title.text() for row in dialog.rows if BY_THE_SCHOOL in row.help.text()] == ["Theme", "Time of a Run"]
    dialog.restore.click()
    assert (window.store.state.view.theme, window.store.state.view.speed) == ("light", 0.0)
    dialog.close()


def test_a_mac_has_it_where_programs_have_it(pilot: Pilot) -> None:
    actions = pilot.window.commands.actions
    assert actions["edit.preferences"].menuRole() is QAction.MenuRole.PreferencesRole
    assert actions["file.quit"].menuRole() is QAction.MenuRole.QuitRole
    assert actions["edit.copy"].menuRole() is QAction.MenuRole.NoRole
