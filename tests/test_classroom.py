"""The file with which a school sets up all of its computers: what it may say, where it lies, and what follows from it
in the window and on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz import classroom
from gradviz.classroom import Classroom, places, read
from gradviz.session.state import Notice
from gradviz.ui.dialogs.command_palette import entries
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow
from gradviz.worker.process.limits import Limits

WHOLE = """
lessons = "our lessons"
theme = "light"
text_size = 1.5
off = ["What If…", "run.keep_going", "run.in_pytorch"]

[limits]
seconds = 10
memory_mb = 800
"""


def written(folder: Path, text: str = WHOLE) -> Path:
    """The file in a folder that has lessons beside it."""
    lessons = folder / "our lessons"
    lessons.mkdir()
    (lessons / "1 slope.py").write_text('"""The slope\n\nIt is 2x.\n"""\nprint(1)\n', encoding="utf-8")
    (lessons / "2 broken.py").write_text("def (:\n", encoding="utf-8")
    (lessons / "3 damaged.gradviz").write_text("{", encoding="utf-8")
    path = folder / classroom.NAME
    path.write_text(text, encoding="utf-8")
    return path


def test_it_says_all_that_can_be_set(tmp_path: Path) -> None:
    found = read(written(tmp_path))
    assert found.notes == ()
    assert found.lessons == tmp_path / "our lessons"
    assert (found.theme, found.text_size) == ("light", 1.5)
    assert found.off == {"run.what_if", "run.keep_going", "run.in_pytorch"}
    limits = found.bounded(Limits())
    assert (limits.wall_seconds, limits.cpu_seconds, limits.memory_mb) == (10, 10, 800)
    assert limits.steps == Limits().steps
    assert Classroom().bounded(Limits()) == Limits()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("thme = 'dark'", "“thme” is not an entry of classroom.toml."),
        ("theme = 'pink'", "theme = 'pink' is not one of system, light, dark, projector, contrast."),
        ("text_size = true", "text_size = True is not one of 0.8, 0.9, 1, 1.15, 1.3, 1.5, 1.75, 2."),
        ("lessons = 'nowhere'", "lessons = 'nowhere' is not a folder."),
        ("lessons = 3", "lessons = 3 is not a folder."),
        ("locked = ['fly']", "locked: “fly” is no setting."),
        ("off = ['Fly']", "off: “Fly” is no command."),
        ("limits = 3", "“limits” is not an entry of classroom.toml."),
        ("[limits]\nseconds = -1", "limits.seconds = -1 is not a number from 1 to 3600."),
        ("[limits]\nseconds = nan", "limits.seconds = nan is not a number from 1 to 3600."),
        ("[limits]\nmemory_mb = 0.5", "limits.memory_mb = 0.5 is not a whole number from 200 to 100000."),
        ("[limits]\nspeed = 1", "“limits.speed” is not an entry of classroom.toml."),
    ],
)
def test_a_wrong_entry_is_said_and_the_rest_holds(tmp_path: Path, text: str, note: str) -> None:
    first, _, rest = text.partition("\n")
    path = tmp_path / classroom.NAME
    path.write_text(text if rest else f"{first}\n[limits]\nseconds = 7\n" if "limits" not in first else first, "utf-8")
    found = read(path)
    assert found.notes == (note,)
    assert rest or "limits" in first or found.seconds == 7


@pytest.mark.parametrize(
    ("text", "locked", "off"),
    [
        ("locked = ['theme', 'Text Size']", {"theme", "text_scale"}, {"set.theme", "view.larger", "view.smaller"}),
        ("off = ['Theme', 'Larger Text']", {"theme"}, {"set.theme", "view.larger"}),
        ("locked = 'text_size'", {"text_scale"}, {"view.larger", "view.smaller"}),
    ],
)
def test_a_locked_setting_has_no_command_and_one_without_commands_is_locked(
    tmp_path: Path, text: str, locked: set[str], off: set[str]
) -> None:
    path = tmp_path / classroom.NAME
    path.write_text(text, "utf-8")
    found = read(path)
    assert (found.locked, found.off, found.notes) == (locked, off, ())


@pytest.mark.parametrize(
    "data", [b"\xff\xfe", b"theme", b"[" * 5000, b"a=1\na=2", b"#" * 200_000, b"x = " + b"[" * 9000]
)
def test_what_is_no_settings_file_changes_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / classroom.NAME
    path.write_bytes(data)
    found = read(path)
    assert found == Classroom(path, notes=found.notes) and len(found.notes) == 1
    assert "classroom.toml" in found.notes[0]


def test_where_it_is_looked_for() -> None:
    assert places({}, "linux") == (Path("/etc/xdg/GradViz/classroom.toml"),)
    assert places({"XDG_CONFIG_DIRS": "/a:/b"}, "linux")[1] == Path("/b/GradViz/classroom.toml")
    assert places({}, "darwin") == (Path("/Library/Application Support/GradViz/classroom.toml"),)
    assert places({"PROGRAMDATA": "P"}, "win32") == (Path("P/GradViz/classroom.toml"),)
    assert places({classroom.VARIABLE: "/room/a.toml"}, "linux") == (Path("/room/a.toml"),)


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """A window on a computer of the school."""
    window = MainWindow(Settings(Forgetful(), classroom=read(written(tmp_path))))
    qtbot.addWidget(window, before_close_func=lambda _: window.store.open(window.store.state.document, None))
    window.show()
    window.complete()
    return window


def test_the_window_takes_theme_size_and_limits_from_it(room: MainWindow) -> None:
    assert (room.store.state.view.theme, room.store.state.view.text_scale) == ("light", 1.5)
    assert room.shell.runner.pool.limits.wall_seconds == 10


def test_what_the_user_chose_counts_more(tmp_path: Path) -> None:
    class Chosen(Forgetful):
        def value(self, key: str, /, default: object = None) -> object:
            return {"theme": "dark", "text_scale": "1.15"}.get(key, default)

    view = Settings(Chosen(), classroom=read(written(tmp_path))).view()
    assert (view.theme, view.text_scale) == ("dark", 1.15)


def test_what_is_switched_off_is_in_no_menu_and_answers_no_key(room: MainWindow) -> None:
    assert "run.what_if" not in room.commands.actions and "run.run" in room.commands.actions
    assert not any("What If" in entry.text for entry in entries(room.commands.rows, room.store.state))
    assert any("Run" in entry.text for entry in entries(room.commands.rows, room.store.state))
    said = [room.store.state.notice.serial]
    for command in ("run.what_if", "run.in_pytorch"):
        room.commands.do(command)
        assert isinstance(room.store.state.notice, Notice)
        assert room.store.state.notice.sentence == "This command is switched off on this computer (classroom.toml)."
        said.append(room.store.state.notice.serial)
    assert len(set(said)) == 3, "each says so"


def test_the_lessons_come_before_the_examples(room: MainWindow) -> None:
    room.shell.focus("examples")
    QApplication.processEvents()
    cards = room.panel_area.panel("examples").cards  # type: ignore[attr-defined]
    assert [card.title.text() for card in cards[:2]] == ["The slope", "2 broken"]
    assert len(cards) > 10


def test_the_command_line_takes_its_limits_and_reports_it(tmp_path: Path) -> None:
    path = written(tmp_path, "theme = 'pink'\n[limits]\nseconds = 1\n")
    snippet = tmp_path / "long.py"
    snippet.write_text("while True:\n    pass\n", encoding="utf-8")
    environment = {"PATH": "", "HOME": str(tmp_path), classroom.VARIABLE: str(path)}
    command = [sys.executable, "-m", "gradviz"]
    ran = subprocess.run([*command, "run", str(snippet)], env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 2 and "1 second" in ran.stderr
    told = subprocess.run([*command, "--version", "--verbose"], env=environment, capture_output=True, text=True)
    assert f"from {path}" in told.stdout and "limits.seconds = 1.0" in told.stdout and "'pink'" in told.stdout
