"""The window as a whole: panels follow the state, the keyboard reaches everything, bad files are refused with a
sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt, QUrl
from PySide6.QtWidgets import QApplication, QHeaderView, QPlainTextEdit, QPushButton, QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gradviz.commands.table import COMMANDS
from gradviz.document.documents import text_of
from gradviz.session.state import Selection
from gradviz.ui.dialogs.command_palette import CommandPalette
from gradviz.ui.theme import DARK, LIGHT
from tests.driver import Pilot
from tests.dropping import carried, drop
from tests.trace.sample import MUL2, B, W

SAMPLE_STEPS = 18
SAMPLE_RELEASES = (9, 14)  # where a node lets go of what it kept, which is one step with its backward


def test_every_panel_follows_the_cursor(sample: Pilot) -> None:
    sample.window.store.move(12)
    assert "AccumulateGrad" in sample.sentence
    assert "b.grad" in sample.sentence
    inspector = sample.window.panel_area.panels["inspector"].inspection  # type: ignore[attr-defined]
    assert inspector.title == "b"
    assert inspector.find(".grad") == "3"
    events = sample.window.panel_area.panels["events"].table  # type: ignore[attr-defined]
    assert events.currentIndex().row() == 11


@pytest.mark.parametrize("every", [False, True])
def test_stepping_by_keys_to_the_start_and_to_the_end(sample: Pilot, every: bool) -> None:
    if every:
        sample.press("Ctrl+Alt+E")
    sample.press("Alt+Home")
    assert sample.state.cursor == 0
    seen = []
    for _ in range(SAMPLE_STEPS if every else SAMPLE_STEPS - len(SAMPLE_RELEASES)):
        sample.press("F10")
        seen.append((sample.state.cursor, sample.sentence))
    cursors = range(1, SAMPLE_STEPS + 1)
    assert [cursor for cursor, _ in seen] == [each for each in cursors if every or each + 1 not in SAMPLE_RELEASES]
    for cursor, sentence in reversed(seen):
        assert (sample.state.cursor, sample.sentence) == (cursor, sentence), "stepping back shows the same again"
        sample.press("F9")
    assert sample.state.cursor == 0


def test_jumps(sample: Pilot) -> None:
    sample.press("Alt+Home")
    sample.press("F7")
    assert sample.state.cursor == 12
    sample.press("F7")
    assert sample.state.cursor == 16
    sample.press("Alt+Home")
    sample.press("F8")
    assert sample.state.cursor == 9, "with what the node lets go of"
    sample.press("Ctrl+E")
    assert sample.state.cursor == SAMPLE_STEPS


def test_keys_work_while_one_types(sample: Pilot) -> None:
    sample.press("Ctrl+1")
    assert QApplication.focusWidget() is sample.window.editor.code
    sample.press("F9")
    assert sample.state.cursor == SAMPLE_STEPS - 1
    sample.window.editor.code.insertPlainText("# more\n")
    sample.press("Ctrl+Z")
    assert "# more" not in sample.window.editor.code.toPlainText()
    sample.press("Ctrl+Y")
    assert sample.window.editor.code.toPlainText().startswith("# more\n")


def test_the_error_card_says_why_and_can_fix_it(sample: Pilot) -> None:
    card = sample.window.editor.card
    sample.expect_error(11, "Trying to backward through the graph a second time")
    assert "MulBackward0 (line 8)" in card.text.toPlainText()
    assert "Pass retain_graph=True" in card.text.toPlainText()
    assert card.apply.isVisible()
    stopped: list[str] = []
    sample.window.shell.runner.run = lambda: stopped.append("run")  # type: ignore[method-assign]
    sample.click(card.apply)
    assert "z.backward(retain_graph=True)\n" in text_of(sample.state.document)
    assert not card.isVisible()
    assert sample.state.undo_label == "Fix"


def test_the_line_of_the_step_is_marked_until_the_text_changes(sample: Pilot) -> None:
    code = sample.window.editor.code
    sample.window.store.move(6)
    assert [mark.cursor.blockNumber() + 1 for mark in code.extraSelections()] == [8, 11]
    sample.type_snippet("x = 1")
    assert code.extraSelections() == []
    assert "changed since" in sample.window.status.label.text()


def test_select_next_and_previous_walk_over_everything(sample: Pilot) -> None:
    store = sample.window.store
    store.move(6)
    seen = []
    for _ in range(9):
        sample.press("Ctrl+Down")
        assert sample.state.selection is not None
        seen.append(sample.state.selection)
    assert len(set(seen)) == 9, "three leaves, three operations, three results"
    sample.press("Ctrl+Up")
    assert sample.state.selection == seen[-2]
    sample.press("Escape")
    assert sample.state.selection is None


def test_links_in_the_inspector_lead_on(sample: Pilot) -> None:
    store = sample.window.store
    store.move(6)
    store.select(Selection("tensor", W))
    inspector = sample.window.panel_area.panels["inspector"]
    browser = inspector.browser  # type: ignore[attr-defined]
    assert f"node:{MUL2}" in browser.toHtml()
    browser.anchorClicked.emit(QUrl(f"node:{MUL2}"))
    assert sample.state.selection == Selection("node", MUL2)
    assert inspector.inspection.title == "MulBackward0"  # type: ignore[attr-defined]


def test_copying_a_value(sample: Pilot) -> None:
    sample.window.store.select(Selection("tensor", B))
    sample.press("Ctrl+Shift+Y")
    assert QApplication.clipboard().text() == "torch.tensor(1.0)"
    sample.press("Ctrl+Alt+C")
    assert QApplication.clipboard().text() == "np.array(1.0, dtype=np.float32)"


def test_themes_and_text_sizes(sample: Pilot) -> None:
    window = sample.window
    window.commands.choose("set.theme", "dark")
    assert window.theme == DARK
    assert window.editor.code.font().pixelSize() == 13
    sample.press("Ctrl+Alt+=")
    assert window.theme == DARK.scaled(1.15)
    assert window.editor.code.font().pixelSize() == 15
    window.commands.choose("set.theme", "light")
    sample.press("Ctrl+Alt+-")
    assert window.theme == LIGHT


def test_playing_steps_on_and_ends(qtbot: QtBot, sample: Pilot) -> None:
    sample.window.store.look(replace(sample.state.view, speed=30.0))
    sample.window.store.move(SAMPLE_STEPS - 2)
    sample.press("F6")
    assert sample.state.playing
    qtbot.waitUntil(lambda: not sample.state.playing, timeout=60_000)
    assert sample.state.cursor == SAMPLE_STEPS
    sample.press("F6")
    assert (sample.state.cursor, sample.state.playing) == (0, True)
    sample.press("F10")
    assert (sample.state.cursor, sample.state.playing) == (1, False), "a step by hand ends playing"


def test_the_palette_finds_and_runs(qtbot: QtBot, sample: Pilot) -> None:
    sample.press("Ctrl+Shift+P")
    palette = sample.window.findChild(CommandPalette)
    assert palette is not None
    qtbot.keyClicks(palette.query, "start step")
    assert palette.list.count() == 0
    palette.query.clear()
    qtbot.keyClicks(palette.query, "to start")
    assert palette.list.count() == 1
    qtbot.keyClick(palette.query, Qt.Key.Key_Return)
    assert sample.state.cursor == 0


def test_the_palette_says_when_no_command_matches(qtbot: QtBot, sample: Pilot) -> None:
    sample.press("Ctrl+Shift+P")
    palette = sample.window.findChild(CommandPalette)
    assert palette is not None
    assert palette.list.isVisible() and not palette.none.isVisible()
    qtbot.keyClicks(palette.query, "qwzx")
    assert palette.none.text() == "No command matches."
    assert palette.none.isVisible() and not palette.list.isVisible()
    assert palette.query.accessibleDescription() == palette.none.text()
    palette.query.clear()
    assert palette.list.isVisible() and not palette.none.isVisible()
    palette.reject()


# the keyboard reaches everything


def tab_order(window: QWidget) -> list[QWidget]:
    """Every widget that Tab visits, from the window's focus chain."""
    found, widget = [], window.nextInFocusChain()
    while widget is not window:
        reachable = widget.isVisible() and widget.isEnabled()
        if reachable and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def test_tab_reaches_every_control(sample: Pilot) -> None:
    reached = tab_order(sample.window)
    controls = [
        widget
        for kind in (QPushButton, QToolButton, QTabBar, QPlainTextEdit)
        for widget in sample.window.findChildren(kind)
        if widget.isVisible() and widget.isEnabled() and widget.objectName() != "qt_toolbar_ext_button"
    ]
    assert len(controls) >= 10
    assert [widget for widget in controls if widget not in reached] == []


def test_no_panel_asks_a_header_for_a_column_that_is_not_there(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt reads past its sections then; with PySide6 6.8 the program died when the ranks were first shown."""
    asked: list[tuple[int, int]] = []
    plain: Any = QHeaderView.setSectionResizeMode

    def checked(header: QHeaderView, *given: Any) -> None:
        asked.extend((given[0], header.count()) for _ in given[1:])
        plain(header, *given)

    monkeypatch.setattr(QHeaderView, "setSectionResizeMode", checked)
    assert pilot.window.panel_area.panels
    assert asked and all(column < count for column, count in asked)


def test_every_panel_takes_the_keyboard(sample: Pilot) -> None:
    for number, panel in enumerate(("editor", "canvas", "inspector", "timeline", "output"), start=1):
        sample.press(f"Ctrl+{number}")
        target = sample.window.panel_area.panels[panel].focus_target
        assert QApplication.focusWidget() is target, panel
        assert target.accessibleName(), f"{panel} has no name for a screen reader"


def test_every_command_has_a_key_or_a_mnemonic(pilot: Pilot) -> None:
    for row in COMMANDS:
        assert row.shortcuts or "&" in row.title or not row.in_menu, row.id


def test_the_timeline_moves_by_keys_wheel_and_mouse(qtbot: QtBot, sample: Pilot) -> None:
    timeline = sample.window.panel_area.panels["timeline"]
    sample.press("Ctrl+4")
    for key, cursor in (("Home", 0), ("Right", 1), ("PgDown", 11), ("Left", 10), ("End", SAMPLE_STEPS)):
        sample.press(key)
        assert sample.state.cursor == cursor
    row = timeline.geometry_.strip  # type: ignore[attr-defined]
    qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPointF(row.left() + 2, row.center().y()).toPoint())
    assert sample.state.cursor == 1
    qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPointF(row.left() - 5, row.center().y()).toPoint())
    assert sample.state.cursor == 0


# files


def test_files_are_opened_by_key_drop_and_recent_list(pilot: Pilot, tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("a = 1\n")
    two.write_text("b = 2\n")
    pilot.answers.to_open = [str(one)]
    pilot.press("Ctrl+O")
    assert (text_of(pilot.state.document), pilot.state.path) == ("a = 1\n", one)
    pilot.window.files.new()
    drop(pilot.window.editor.code.viewport(), carried(two))
    assert pilot.state.path == two
    assert pilot.state.view.recent == (str(two), str(one))
    pilot.window.files.new()
    pilot.window.commands.choose("file.recent", str(one))
    assert pilot.state.path == one
    assert pilot.window.windowTitle().startswith("one.py")


def test_unsaved_changes_are_asked_about(pilot: Pilot, tmp_path: Path) -> None:
    pilot.type_snippet("x = 1\n")
    pilot.answers.to_keep = ["cancel"]
    pilot.window.files.new()
    assert text_of(pilot.state.document) == "x = 1\n"
    pilot.answers.to_keep = ["save"]
    pilot.answers.to_save = [str(tmp_path / "kept")]
    pilot.window.files.new()
    assert text_of(pilot.state.document) == ""
    assert (tmp_path / "kept.py").read_text() == "x = 1\n"
    assert pilot.answers.asked == ["keep", "keep", "save"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.py", None, "does not exist"),
        ("picture.py", b"\x89PNG\r\n\x1a\n\0\0", "is not a text file"),
        ("huge.py", b"x = 1\n" * 900_000, "huge.py has 5.4 MB"),
    ],
)
def test_bad_files_get_a_sentence_and_lose_nothing(
    pilot: Pilot, tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    pilot.type_snippet("x = 1\n")
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert not pilot.window.files.open_path(path)
    assert words in pilot.window.status.currentMessage()
    assert text_of(pilot.state.document) == "x = 1\n"
    assert pilot.answers.asked == [], "refused before anything is asked"


def test_an_empty_file_opens_and_says_what_to_do(pilot: Pilot, tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("")
    assert pilot.window.files.open_path(path)
    assert "empty.py is empty. Paste a snippet" in pilot.window.status.currentMessage()
    pilot.press("F5")
    pilot.expect_error(-1, "There is nothing to run yet")


def test_what_was_said_of_a_document_goes_when_another_is_opened(pilot: Pilot, tmp_path: Path) -> None:
    for name, text in (("empty.py", ""), ("full.py", "x = 1\n")):
        (tmp_path / name).write_text(text)
        assert pilot.window.files.open_path(tmp_path / name)
    assert pilot.window.status.currentMessage() == ""


def test_the_window_remembers_its_look(pilot: Pilot) -> None:
    pilot.window.commands.choose("set.theme", "dark")
    pilot.press("Ctrl+Alt+=")
    remembered = pilot.window.settings.view()
    assert (remembered.theme, remembered.text_scale) == ("dark", 1.15)
