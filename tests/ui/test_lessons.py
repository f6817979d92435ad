"""Lesson sets in the window: made, opened, walked through, changed; what is done is remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gradviz.document.documents import text_of
from gradviz.document.files import lesson_set
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase
from gradviz.ui.panels.gallery import GalleryPanel, SetDialog
from tests.driver import Pilot

FIRST = '"""First\n\nA product.\n\nLook at: y.\n"""\nimport torch\nw = torch.ones(1, requires_grad=True)\ny = w * 2\n'
SECOND = '"""Second\n"""\nprint(1)\n'


def gallery(pilot: Pilot) -> GalleryPanel:
    panel = pilot.window.panel_area.panel("examples")
    assert isinstance(panel, GalleryPanel)
    return panel


def titles(pilot: Pilot) -> list[str]:
    """Of the cards of the set that is open."""
    assert pilot.state.lessons is not None
    return [card.title.text() for card in gallery(pilot).cards[: len(pilot.state.lessons.lessons)]]


def settle(pilot: Pilot) -> None:
    pilot.qtbot.waitUntil(lambda: not pilot.state.run.is_running and pilot.state.run.phase is not Phase.NEVER)
    QApplication.processEvents()


@pytest.fixture
def teacher(pilot: Pilot, tmp_path: Path) -> Pilot:
    """A window with a set of two lessons that was made in it."""
    pilot.run_again(FIRST)
    pilot.answers.to_save = [str(tmp_path / "my_lessons")]
    pilot.window.commands.do("file.new_lessons")
    pilot.run_again(SECOND)
    pilot.window.commands.do("predict.turn")
    pilot.window.commands.do("file.add_lesson")
    pilot.window.commands.do("predict.turn")
    return pilot


def test_a_teacher_writes_what_a_set_is_about(teacher: Pilot, tmp_path: Path) -> None:
    path = tmp_path / "my_lessons.gvlessons"
    teacher.answers.to_describe = [("First steps", "For week one.\nWith paper."), None, ("", "")]
    changes = [
        ("First steps", "For week one.\nWith paper."),
        ("First steps", "For week one.\nWith paper."),
        ("First steps", ""),
    ]
    for title, text in changes:
        teacher.qtbot.mouseClick(gallery(teacher).heads[0].findChild(QToolButton), Qt.MouseButton.LeftButton)
        QApplication.processEvents()
        head, written = gallery(teacher).heads[0], lesson_set.decode(path.read_bytes(), path)
        assert (head.title.text(), head.text.text()) == (title, text) == (written.title, written.text)
    assert gallery(teacher).heads[-1].findChild(QToolButton) is None, "the examples stay as they are"


def test_the_dialog_of_a_set_begins_with_what_it_says(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = SetDialog(parent, "My lessons", "Old text")
    assert dialog.answer == ("My lessons", "Old text")
    dialog.title.setText("  Gradients ")
    dialog.text.setPlainText("New\n\ntext\n")
    assert dialog.answer == ("Gradients", "New\n\ntext")


def test_a_teacher_makes_a_set_without_leaving_the_program(teacher: Pilot, tmp_path: Path) -> None:
    found = lesson_set.decode((tmp_path / "my_lessons.gvlessons").read_bytes(), tmp_path / "my_lessons.gvlessons")
    assert [(each.example.title, each.predict) for each in found.lessons] == [("First", False), ("Second", True)]
    assert found.title == "My lessons" and titles(teacher) == ["First", "Second"]
    assert "“Second” is lesson 2 of My lessons." in teacher.state.notice.sentence
    assert gallery(teacher).heads[0].progress.text() == "0 of 2 done"
    teacher.window.commands.do("file.add_lesson")
    said = teacher.state.notice.sentence
    assert said.startswith("“Second” is lesson 3 of My lessons. A docstring") and titles(teacher) == [
        "First",
        *["Second"] * 2,
    ]
    teacher.window.commands.do("file.add_lesson")
    assert "“Second” is lesson 3 of My lessons, as it is now." in teacher.state.notice.sentence


def test_lessons_are_walked_through_and_what_is_done_is_remembered(teacher: Pilot, tmp_path: Path) -> None:
    path, files = tmp_path / "my_lessons.gvlessons", teacher.window.files
    teacher.window.store.open(Snippet(), None)
    assert files.open_path(path) and teacher.state.view.recent[0] == str(path)
    gallery(teacher).cards[0].open.click()
    settle(teacher)
    assert text_of(teacher.state.document) == FIRST and teacher.state.path is None
    assert teacher.state.lessons is not None and teacher.state.lessons.at == 0 and not teacher.state.predict.on
    assert gallery(teacher).heads[0].progress.text() == "1 of 2 done"
    teacher.press("Ctrl+Alt+PgDown")
    settle(teacher)
    assert text_of(teacher.state.document) == SECOND and teacher.state.predict.on and teacher.state.cursor == 0
    assert len(teacher.state.view.done) == 1
    teacher.window.store.move(teacher.state.steps)
    assert len(teacher.state.view.done) == 2 and gallery(teacher).heads[0].progress.text() == "2 of 2 done"
    assert not teacher.window.commands.actions["lessons.next"].isEnabled()
    again = teacher.window.settings.view().done
    assert set(again) == {lesson.key for lesson in teacher.state.lessons.lessons}


def test_a_lesson_does_not_take_the_place_of_work(teacher: Pilot) -> None:
    gallery(teacher).cards[0].open.click()
    *_, other = teacher.window.windows.open_now
    assert other is not teacher.window
    teacher.qtbot.waitUntil(lambda: other.store.state.run.phase is Phase.OK, timeout=60_000)
    now, before = other.store.state, teacher.state
    assert text_of(now.document) == FIRST and now.lessons is not None and now.lessons.at == 0
    assert text_of(before.document) == SECOND and before.lessons is not None and before.lessons.at == 1
    assert other.close()


def test_all_tabs_have_the_same_set(teacher: Pilot, tmp_path: Path) -> None:
    third = tmp_path / "third.py"
    third.write_text('"""Third."""\nprint(3)\n', encoding="utf-8")
    teacher.window.files.open_paths([third])
    *_, other = teacher.window.windows.open_now
    assert other is not teacher.window
    teacher.qtbot.waitUntil(lambda: other.store.state.path == third, timeout=60_000)
    other.commands.do("run.run")
    teacher.qtbot.waitUntil(lambda: other.store.state.run.phase is Phase.OK, timeout=60_000)
    other.commands.do("file.add_lesson")
    there, here = other.store.state.lessons, teacher.state.lessons
    assert there is not None and here is not None and there.lessons == here.lessons
    assert titles(teacher) == ["First", "Second", "Third"] and (there.at, here.at) == (2, 1)
    teacher.window.commands.do("lessons.close")
    assert other.store.state.lessons is None and other.close()


def test_return_opens_a_lesson(teacher: Pilot) -> None:
    button = gallery(teacher).cards[0].open
    button.setFocus()
    teacher.qtbot.keyClick(button, Qt.Key.Key_Return)
    *_, other = teacher.window.windows.open_now
    assert other is not teacher.window
    teacher.qtbot.waitUntil(lambda: other.store.state.run.phase is Phase.OK, timeout=60_000)
    assert text_of(other.store.state.document) == FIRST and other.close()


def test_a_set_of_ones_own_is_changed_on_its_cards(teacher: Pilot, tmp_path: Path) -> None:
    def tool(card: int, name: str) -> QToolButton:
        buttons = gallery(teacher).cards[card].findChildren(QToolButton)
        return next(button for button in buttons if button.toolTip() == name)

    gallery(teacher)
    teacher.window.panel_area.bring("examples")
    tool(1, "Earlier in the set").click()
    QApplication.processEvents()
    assert titles(teacher) == ["Second", "First"]
    tool(0, "Take out of the set").click()
    QApplication.processEvents()
    kept = json.loads((tmp_path / "my_lessons.gvlessons").read_text(encoding="utf-8"))
    assert titles(teacher) == ["First"] and len(kept["lessons"]) == 1


def test_a_set_from_elsewhere_does_not_run_by_being_opened(pilot: Pilot, tmp_path: Path) -> None:
    path = tmp_path / "theirs.gvlessons"
    code = {"format": "gradviz", "version": 1, "kind": "snippet", "text": ["print('hello')"]}
    head = {"format": "gradviz-lessons", "version": 1, "lessons": [{"document": code}, {"document": 7}]}
    path.write_text(json.dumps(head), encoding="utf-8")
    assert pilot.window.files.open_path(path)
    assert pilot.state.document.is_blank and "Left out" in pilot.state.notice.sentence
    pilot.window.shell.lesson_sets.open_lesson(0)
    QApplication.processEvents()
    assert pilot.state.run.phase is Phase.NEVER and pilot.state.doubt and not pilot.state.is_trusted
    assert not pilot.window.commands.actions["file.add_lesson"].isEnabled()
    pilot.window.shell.lesson_sets.add()
    assert "can't be changed" in pilot.state.notice.sentence
    assert pilot.run() is Phase.OK


def test_a_folder_and_what_cannot_be_read(pilot: Pilot, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.py").write_text(SECOND, encoding="utf-8")
    assert pilot.window.files.open_path(tmp_path / "a") and titles(pilot) == ["Second"]
    (tmp_path / "a" / "1.py").unlink()
    pilot.window.shell.lesson_sets.open_lesson(0)
    assert "no longer there" in pilot.state.notice.sentence
    (tmp_path / "bad.gvlessons").write_bytes(b"\xff")
    assert not pilot.window.files.open_path(tmp_path / "bad.gvlessons")
    assert not pilot.window.files.open_path(tmp_path / "missing.gvlessons")
    pilot.window.commands.do("lessons.close")
    assert pilot.state.lessons is None


def test_the_examples_are_a_set_whose_progress_is_kept(pilot: Pilot) -> None:
    pilot.window.commands.do("learn.examples")
    pilot.window.panel_area.bring("examples")
    panel = gallery(pilot)
    assert panel.heads[0].title.text() == "Examples" and len(panel.heads) == 1
    panel.cards[0].open.click()
    settle(pilot)
    assert gallery(pilot) is panel and panel.cards[0].done.text() == "▸ open · ✓ done"
    assert panel.heads[0].progress.text() == f"1 of {len(panel.cards)} done"
    pilot.press("Ctrl+Alt+PgDown")
    settle(pilot)
    assert pilot.state.lessons is not None and pilot.state.lessons.at == 1
    assert gallery(pilot) is panel and panel.cards[0].done.text() == "✓ done"


def test_a_set_that_cannot_be_written_is_said(pilot: Pilot, tmp_path: Path) -> None:
    pilot.run_again(FIRST)
    (tmp_path / "set.gvlessons").mkdir()
    pilot.answers.to_save = [str(tmp_path / "set.gvlessons"), ""]
    pilot.window.commands.do("file.new_lessons")
    assert pilot.state.lessons is None and pilot.state.notice.sentence
    pilot.window.commands.do("file.new_lessons")
    assert pilot.state.lessons is None
