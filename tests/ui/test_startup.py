"""What hinders Qt is said in a sentence, and nothing heavy is imported before the first paint."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from gradviz.commands.panels import PANELS
from gradviz.commands.table import COMMANDS, MENUS
from gradviz.ui import startup
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow

ROOT = Path(__file__).parents[2]

FIRST_PAINT = """
import os, sys
from gradviz.ui.launch import application
from gradviz.ui.window import MainWindow

app = application()
window = MainWindow()
heavy = {"numpy", "ml_dtypes", "networkx", "gradviz.engine", "gradviz.torch"}
later = {"gradviz.worker.process.client", "gradviz.trace", "gradviz.ui.panels.graph", "gradviz.ui.dialogs", "html"}
later |= {"socket", "gradviz.document.shaping", "gradviz.document.catalogue", "gradviz.ui.formula"}
later |= {"gradviz.session.comparison.proposals", "gradviz.session.breakpoints.condition_values"}

def after_first_paint():
    print(sorted((heavy | later) & set(sys.modules)), sorted(window.panel_area.made))
    sys.stdout.flush()
    os._exit(0)

window._after_first_paint = after_first_paint
window.show()
app.exec()
"""


def start(code: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    kept |= {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), **environment}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True, timeout=300, check=False)


def test_before_the_first_paint_only_what_is_seen_is_imported_and_made(tmp_path: Path) -> None:
    done = start(FIRST_PAINT, tmp_path, QT_QPA_PLATFORM="offscreen")
    assert done.stdout.strip() == "[] ['editor']", done.stderr


def test_when_the_window_is_painted_all_of_it_is_there(window: MainWindow) -> None:
    assert list(window.panel_area.made) == ["editor", "canvas", "explanation", "inspector", "timeline", "output"]
    assert set(window.commands.actions) == {row.id for row in COMMANDS if row.choices is None}
    menus = [menu for menu in window.menuBar().findChildren(QMenu) if menu.title() in MENUS.values()]
    assert len(menus) == len(MENUS)
    assert all(menu.actions() for menu in menus)


def test_a_panel_behind_another_is_made_when_it_is_looked_at(window: MainWindow) -> None:
    area = window.panel_area
    for row in PANELS:
        tabs = area.cards[row.place].tabs
        tabs.setCurrentIndex([tabs.tabText(at) for at in range(tabs.count())].index(row.title))
        assert area.cards[row.place].has_in_front(area.made[row.id])
    assert set(area.made) == {row.id for row in PANELS}


def test_a_window_that_closes_before_its_first_paint_ends_in_good_order(qtbot: QtBot) -> None:
    window = MainWindow(Settings(Forgetful()))
    qtbot.addWidget(window)  # it is closed with the test; the guard looks at what it leaves
    assert list(window.panel_area.made) == ["editor"]


def test_what_needs_no_window_imports_no_qt(tmp_path: Path) -> None:
    code = "import sys\nfrom gradviz.cli import run_command_line\ntry:\n    run_command_line({})\nexcept SystemExit:\n"
    code += "    pass\nprint('PySide6' in sys.modules)"
    for arguments in (["--help"], ["run", "--help"], ["run", str(tmp_path / "no.py")]):
        assert start(code.format(arguments), tmp_path).stdout.splitlines()[-1] == "False"


OPEN = "from gradviz.ui.app import main; import sys; sys.exit(main())"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are a matter of Linux")
@pytest.mark.parametrize(
    "display", [{}, {"DISPLAY": ":987"}, {"DISPLAY": "nonsense"}, {"WAYLAND_DISPLAY": "wayland-9"}], ids=str
)
def test_without_a_display_there_is_one_sentence(tmp_path: Path, display: dict[str, str]) -> None:
    done = start(OPEN, tmp_path, QT_QPA_PLATFORM="", **display)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"gradviz: {startup.NO_DISPLAY}\n"


def test_a_missing_library_is_named_with_its_package() -> None:
    sentence = startup.missing_libraries({"libnone.so.9": "libnone9", "libc.so.6": "libc6", "libno.so": "libno0"})
    assert sentence is not None
    assert sentence.endswith("sudo apt-get install libnone9 libno0")
    assert startup.missing_libraries({"libc.so.6": "libc6"}) is None


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("libEGL.so.1: cannot open shared object file: No such file or directory", "apt-get install libegl1"),
        ("libodd.so.3: cannot open shared object file: No such file", "the package that has libodd.so.3"),
        ("No module named 'PySide6'", "pip install"),
    ],
)
def test_qt_that_cannot_be_imported(message: str, words: str) -> None:
    assert words in startup.import_obstacle(ImportError(message))


def test_other_systems_have_a_display() -> None:
    assert startup.obstacle({}, "darwin") is None
    assert startup.obstacle({}, "win32") is None
