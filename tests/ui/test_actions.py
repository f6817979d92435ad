"""Menus, toolbar and shortcuts made from the table: every row is there, is enabled when it can be done, and does
something."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QToolBar

from gradviz.commands.row import Command
from gradviz.commands.table import COMMANDS, MENUS
from gradviz.document.documents import with_text
from gradviz.session.state import State
from tests.driver import Pilot
from tests.window_fixtures import show_sample

PROMISED = {
    *("file.new", "file.open", "file.recent", "file.save", "file.save_as", "edit.undo", "edit.redo"),
    *("run.run", "run.stop", "run.step", "run.back", "run.start", "run.end", "run.play", "run.faster"),
    *("run.next_accumulation", "run.next_backward", "run.error"),
    *("view.zoom_in", "view.zoom_out", "view.zoom_reset", "view.fit", "view.pan_left"),
    *("view.select_next", "view.select_previous", "set.theme", "edit.preferences", "view.larger", "view.smaller"),
    *("edit.copy_torch", "edit.copy_numpy", "learn.examples", "help.palette", "help.about", "help.keyboard"),
    "help.operations",
}
WITHOUT_EFFECT_HERE = {"run.run", "run.stop", "file.quit"}  # the stories run them


def test_every_promised_command_is_there() -> None:
    assert {row.id for row in COMMANDS} >= PROMISED


def test_every_row_is_in_its_menu_with_its_keys(pilot: Pilot) -> None:
    actions = pilot.window.commands
    titles = [action.text() for action in pilot.window.menuBar().actions()]
    assert titles == list(MENUS.values())
    for row in COMMANDS:
        if not row.in_menu:
            assert row.id not in actions.actions and row.id not in actions._menus
        elif row.choices is None:
            keys = [key.toString() for key in actions.actions[row.id].shortcuts()]
            assert len(keys) == len(row.shortcuts), row.id
            assert row.help in actions.actions[row.id].toolTip()
        else:
            assert row.id in actions._menus


def test_the_toolbar_has_the_rows_that_ask_for_it(pilot: Pilot) -> None:
    tools = pilot.window.findChild(QToolBar)
    assert tools is not None
    shown = [action.objectName() for action in tools.actions() if action.objectName()]
    assert shown == [row.id for row in COMMANDS if row.toolbar]


def test_an_empty_window_offers_what_can_be_done(pilot: Pilot) -> None:
    enabled = {name for name, action in pilot.window.commands.actions.items() if action.isEnabled()}
    assert {"run.run", "file.open", "learn.examples", "help.palette"} <= enabled
    assert not enabled & {"run.step", "run.back", "run.stop", "run.error", "view.fit", "edit.undo", "edit.copy_torch"}


TRIED = [row for row in COMMANDS if row.id not in WITHOUT_EFFECT_HERE]
IN_A_WINDOW = {menu: [row for row in TRIED if row.menu == menu and row.id != "file.close"] for menu in MENUS}
IN_A_WINDOW["file.close"] = [row for row in TRIED if row.id == "file.close"]


@pytest.mark.parametrize("rows", IN_A_WINDOW.values(), ids=IN_A_WINDOW)
def test_every_command_can_be_done(pilot: Pilot, tmp_path: Path, rows: list[Command]) -> None:
    """Those of a menu one after the other in one window, which opens the hand-made trace before each."""
    for row in rows:
        show_sample(pilot)
        try:
            do(pilot, tmp_path, row)
        except BaseException as error:
            error.add_note(f"at the command {row.id}")
            raise


def do(pilot: Pilot, tmp_path: Path, row: Command) -> None:
    window = pilot.window
    kept = set(window.findChildren(QDialog))  # of commands before this one; closed
    for other in ("one.py", "two.py"):
        (tmp_path / other).write_text("x = 1\n")
    window.store.move(9)
    window.store.edit("Fix", with_text(window.store.state.document, "a = 1\n"))
    window.store.edit("Fix", with_text(window.store.state.document, "b = 1\n"))
    window.store.undo()
    window.store.select(None)
    pilot.answers.to_open, pilot.answers.to_save = [str(tmp_path / "one.py")], [str(tmp_path / "three.py")]
    pilot.answers.to_keep = ["discard"] * 3
    if row.choices is not None:
        for choice in row.choices(ready(window.store.state, tmp_path)):
            window.commands.choose(row.id, choice.value)
    else:
        window.commands.do(row.id)
    for dialog in window.findChildren(QDialog):
        assert dialog.isVisible() or dialog in kept
        dialog.close()
    for other in window.windows.open_now[1:]:
        assert other.close()


def ready(state: State, tmp_path: Path) -> State:
    """With something in the list of recent files."""
    from dataclasses import replace

    return replace(state, view=replace(state.view, recent=(str(tmp_path / "two.py"),)))
