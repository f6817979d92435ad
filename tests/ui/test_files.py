"""Snippets and drawings from and to files, through a real window: what is saved, what the title says, what is asked
when another program has changed the file, and that nothing is lost on the way."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from gradviz.document.disk import shown
from gradviz.document.documents import Contents, text_of
from gradviz.document.drawing import Drawing, Leaf
from gradviz.document.files import opening
from gradviz.document.snippet import Snippet
from gradviz.session.breakpoints.points import Breakpoint, Breakpoints
from gradviz.session.folding import Folding
from gradviz.ui.services.files import FileDialogs, WindowFiles
from tests.document.one_of_everything import everything, with_its_view
from tests.driver import Pilot
from tests.dropping import carried, drop

SMALL = Drawing((Leaf(1, "w", 3.0, requires_grad=True),), next_id=2)
LARGER = replace(SMALL, nodes=(*SMALL.nodes, Leaf(2, "x", 2.0, x=50.0)), next_id=3)


@pytest.fixture
def files(pilot: Pilot) -> WindowFiles:
    return pilot.window.files


def saved(folder: Path, document: Drawing | Snippet, name: str = "net.gradviz") -> Path:
    opening.save(folder / name, Contents(document))
    return folder / name


def written_by_another(path: Path, document: Drawing | Snippet) -> None:
    """Another program has saved this a while later."""
    opening.save(path, Contents(document))
    later = path.stat().st_mtime_ns + 5_000_000_000
    os.utime(path, ns=(later, later))


def get_the_keyboard(pilot: Pilot) -> None:
    """As when the user comes back from another program."""
    QApplication.sendEvent(pilot.window, QEvent(QEvent.Type.WindowActivate))
    QApplication.processEvents()


# saving and opening


def test_a_drawing_is_saved_and_opened_again(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    files.new_drawing()
    pilot.window.store.edit("Add", everything())
    assert pilot.window.windowTitle() == "Untitled[*] – GradViz" and pilot.window.isWindowModified()
    pilot.window.store.fold(Folding(1, closed=frozenset({"a"})))
    pilot.window.store.stop_at(Breakpoints((Breakpoint(line=4, condition="norm > 1"),)))
    pilot.answers.to_save = [str(tmp_path / "net")]
    pilot.press("Ctrl+S")
    assert (pilot.state.path, pilot.state.is_dirty) == (tmp_path / "net.gradviz", False)
    assert pilot.window.windowTitle() == "net.gradviz[*] – GradViz" and not pilot.window.isWindowModified()
    files.new()
    assert files.open_path(tmp_path / "net.gradviz")
    assert pilot.state.document == everything()
    assert pilot.state.folding == Folding(1, closed=frozenset({"a"}))
    assert pilot.state.breakpoints.points == (Breakpoint(line=4, condition="norm > 1"),)
    assert not pilot.state.is_dirty
    assert pilot.state.view.recent[0] == str(tmp_path / "net.gradviz")


def test_a_snippet_can_be_a_gradviz_file_too(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    pilot.type_snippet("x = 1\n")
    pilot.answers.to_save = [str(tmp_path / "a.gradviz")]
    pilot.press("Ctrl+S")
    assert opening.load(tmp_path / "a.gradviz").document == Snippet("x = 1\n")
    files.new()
    assert files.open_path(tmp_path / "a.gradviz")
    assert pilot.state.document == Snippet("x = 1\n")


def test_saving_undo_and_redo_agree_with_the_title(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    store = pilot.window.store
    files.new_drawing()
    store.edit("Add w", SMALL)
    store.edit("Add x", LARGER)
    pilot.answers.to_save = [str(tmp_path / "net.gradviz")]
    assert files.save()
    assert (pilot.state.is_dirty, pilot.state.undo_label) == (False, "Add x")
    store.undo()
    assert (pilot.state.is_dirty, pilot.state.redo_label) == (True, "Add x")
    store.redo()
    assert not pilot.state.is_dirty
    store.undo()
    assert files.save()
    assert not pilot.state.is_dirty and opening.load(tmp_path / "net.gradviz").document == SMALL
    store.redo()
    assert pilot.state.is_dirty


def test_a_drawing_saved_as_python_is_its_code(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    files.new_drawing()
    pilot.window.store.edit("Add", LARGER)
    pilot.answers.to_save = [str(tmp_path / "net.py")]
    assert files.save_as()
    assert (tmp_path / "net.py").read_text() == text_of(LARGER)
    assert "positions, comments and groups are kept only in a .gradviz file" in pilot.state.notice.sentence
    assert pilot.state.document == LARGER
    files.new()
    assert files.open_path(tmp_path / "net.py")
    assert pilot.state.document == Snippet(text_of(LARGER))


def test_a_notebook_is_saved_as_python(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_text('{"cells": [{"cell_type": "code", "source": ["x = 1"]}], "nbformat": 4}')
    before = path.read_bytes()
    assert files.open_path(path)
    assert pilot.state.document == Snippet("# %%\nx = 1\n")
    pilot.window.store.edit("Type", Snippet("# %%\nx = 2\n"))
    pilot.answers.to_save = [str(tmp_path / "lesson.py")]
    assert files.save()
    assert pilot.answers.asked == ["save"]
    assert path.read_bytes() == before
    assert (tmp_path / "lesson.py").read_text() == "# %%\nx = 2\n"


def test_a_snippet_that_became_a_drawing_does_not_overwrite_its_file(
    pilot: Pilot, files: WindowFiles, tmp_path: Path
) -> None:
    path = saved(tmp_path, Snippet("# mine\nx = 1\n"), "mine.py")
    assert files.open_path(path)
    pilot.window.store.edit("Edit as Drawing", SMALL)
    pilot.answers.to_save = [str(tmp_path / "mine.gradviz")]
    assert files.save()
    assert pilot.answers.asked == ["save"]
    assert path.read_text() == "# mine\nx = 1\n"
    assert opening.load(tmp_path / "mine.gradviz").document == SMALL


def test_a_file_with_broken_parts_opens_and_is_kept_when_saved(
    pilot: Pilot, files: WindowFiles, tmp_path: Path
) -> None:
    path = tmp_path / "net.gradviz"
    opening.save(path, with_its_view())
    broken = path.read_text().replace('"data": 3.0', '"data": {"a": 1}')
    path.write_text(broken)
    assert files.open_path(path)
    assert "net.gradviz could not be read and were left out: node 1 (data is not" in pilot.state.notice.sentence
    assert pilot.state.is_dirty, "what is in the window is not what is on disk"
    assert files.save()
    assert pilot.state.notice.sentence == "Saved net.gradviz; as it was before, it is in net.gradviz.bak"
    assert (tmp_path / "net.gradviz.bak").read_text() == broken
    assert opening.load(path).dropped == ()
    pilot.window.store.edit("Change", SMALL)
    assert files.save()
    assert pilot.state.notice.sentence == "Saved net.gradviz"


def test_what_a_newer_version_wrote_is_still_there_after_saving(
    pilot: Pilot, files: WindowFiles, tmp_path: Path
) -> None:
    path = saved(tmp_path, SMALL)
    path.write_text(path.read_text().replace('"id": 1,', '"id": 1, "glow": 3,').replace('"version": 1', '"version": 2'))
    assert files.open_path(path)
    assert "is from a newer GradViz (format 2)" in pilot.state.notice.sentence
    pilot.window.store.edit("Add x", replace(LARGER, nodes=(pilot.state.document.nodes[0], LARGER.nodes[1])))  # type: ignore[union-attr]
    assert files.save()
    assert '"glow": 3' in path.read_text()


def test_a_failed_save_says_why_and_changes_nothing(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    path.chmod(0o444)
    pilot.window.store.edit("Add x", LARGER)
    assert not files.save()
    assert pilot.window.status.currentMessage().startswith("net.gradviz is read-only. Save it under another name")
    assert pilot.state.is_dirty
    pilot.answers.to_keep = ["save", "discard"]
    files.new()
    assert pilot.state.document == LARGER, "not left, because it could not be saved"
    path.chmod(0o644)
    files.new()
    assert pilot.state.document == Snippet()


def test_a_recent_file_that_is_gone_is_not_offered_again(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    files.new()
    path.unlink()
    pilot.window.commands.choose("file.recent", str(path))
    assert "does not exist" in pilot.state.notice.sentence
    assert str(path) not in pilot.state.view.recent


# another program changes the file


def test_a_change_on_disk_is_noticed_and_can_be_reloaded(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    written_by_another(path, LARGER)
    pilot.answers.to_changed = ["reload"]
    get_the_keyboard(pilot)
    assert pilot.answers.asked == ["changed"]
    assert pilot.state.document == LARGER and not pilot.state.is_dirty
    get_the_keyboard(pilot)
    assert pilot.answers.asked == ["changed"], "it is asked once"
    assert pilot.state.undo_label == "Reload"
    pilot.window.store.undo()
    assert pilot.state.document == SMALL and pilot.state.is_dirty


def test_a_change_on_disk_can_be_overruled(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    written_by_another(path, LARGER)
    pilot.answers.to_changed = ["keep"]
    get_the_keyboard(pilot)
    assert pilot.state.document == SMALL and pilot.state.is_dirty
    assert files.save()
    assert pilot.answers.asked == ["changed"]
    assert opening.load(path).document == SMALL


def test_a_change_on_disk_is_noticed_when_saving(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    pilot.window.store.edit("Add x", LARGER)
    written_by_another(path, Drawing())
    pilot.answers.to_changed = ["save_as"]
    pilot.answers.to_save = [str(tmp_path / "mine.gradviz")]
    pilot.press("Ctrl+S")
    assert pilot.answers.asked == ["changed", "save"]
    assert opening.load(path).document == Drawing()
    assert opening.load(tmp_path / "mine.gradviz").document == LARGER
    assert (pilot.state.path, pilot.state.is_dirty) == (tmp_path / "mine.gradviz", False)


def test_a_change_to_what_cannot_be_read_keeps_what_is_here(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    path.write_text("conflict <<<<<<<")
    pilot.answers.to_changed = ["reload"]
    get_the_keyboard(pilot)
    assert "was not written by GradViz" in pilot.state.notice.sentence
    assert pilot.state.document == SMALL and pilot.state.is_dirty


def test_a_file_that_was_only_touched_is_the_same(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    written_by_another(path, SMALL)
    get_the_keyboard(pilot)
    assert files.save()
    assert pilot.answers.asked == []


def test_a_deleted_file_is_noticed_and_written_again(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, SMALL)
    assert files.open_path(path)
    path.unlink()
    get_the_keyboard(pilot)
    assert pilot.state.notice.sentence == "net.gradviz is no longer on disk. Save writes it again."
    assert pilot.state.is_dirty
    assert files.save()
    assert opening.load(path).document == SMALL


# the questions themselves


def answered(button: str, ask: Callable[[], str]) -> str:
    """What a question returns when this button is pressed; "" for Escape."""

    def press() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        found = [one for one in box.buttons() if one.text().replace("&", "") == button]
        if found:
            found[0].click()
        else:
            QTest.keyClick(box, Qt.Key.Key_Escape)

    QTimer.singleShot(0, press)
    return ask()


@pytest.mark.parametrize(
    ("button", "answer"),
    [("Reload", "reload"), ("Keep Mine", "keep"), ("Save Mine As…", "save_as"), ("", "keep")],
)
def test_what_is_pressed_is_what_happens_to_a_changed_file(pilot: Pilot, button: str, answer: str) -> None:
    questions = FileDialogs(pilot.window)
    assert answered(button, lambda: questions.changed_on_disk("net.gradviz")) == answer


@pytest.mark.parametrize(("button", "answer"), [("Save", "save"), ("Discard", "discard"), ("", "cancel")])
def test_what_is_pressed_is_what_happens_to_changes(pilot: Pilot, button: str, answer: str) -> None:
    questions = FileDialogs(pilot.window)
    assert answered(button, lambda: questions.keep_changes("net.gradviz")) == answer


@pytest.mark.parametrize(
    ("typed", "kind", "name"),
    [
        ("/a/net", "GradViz file (*.gradviz)", "/a/net.gradviz"),
        ("/a/net", "Python file (*.py)", "/a/net.py"),
        ("/a/net.py", "GradViz file (*.gradviz)", "/a/net.py"),
        ("/a/net", "All files (*)", "/a/net"),
        ("", "", ""),
    ],
)
def test_a_name_gets_the_ending_of_its_kind(
    pilot: Pilot, monkeypatch: pytest.MonkeyPatch, typed: str, kind: str, name: str
) -> None:
    offered: list[str] = []

    def ask(_: object, _title: str, suggestion: str, filters: str) -> tuple[str, str]:
        offered.append(filters.partition(" (")[0])
        return typed, kind

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    questions = FileDialogs(pilot.window)
    assert questions.save_name("drawing.gradviz") == questions.save_name("snippet.py") == name
    assert offered == ["GradViz file", "Python file"]


def test_a_file_may_be_dropped_on_a_drawing(pilot: Pilot, files: WindowFiles, tmp_path: Path) -> None:
    path = saved(tmp_path, LARGER)
    files.new_drawing()
    canvas = pilot.window.childAt(pilot.window.canvas.mapTo(pilot.window, pilot.window.canvas.rect().center()))
    assert canvas is not None
    drop(canvas, carried(path))
    assert pilot.state.path == path and pilot.state.document == LARGER


# names


@pytest.mark.parametrize("name", ["<b>net & co.py", "a[*]b.py", "\u202eyp.txen\n.py"])
def test_a_file_of_any_name_is_text_in_the_title_the_menu_and_the_questions(
    pilot: Pilot, tmp_path: Path, name: str
) -> None:
    window, seen = pilot.window, []
    path = tmp_path / name
    path.write_text("x = 1\n")

    def look() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox) and box.textFormat() is Qt.TextFormat.PlainText
        seen.append(box.text())
        box.reject()

    assert window.files.open_path(path)
    assert window.windowTitle() == f"{shown(name).replace('[*]', '[*][*]')}[*] – GradViz"
    window.commands.refresh(window.store.state)
    entries = [action.text() for action in window.commands._menus["file.recent"].actions()]
    assert entries[0].startswith(shown(name).replace("&", "&&") + "  —")
    for ask in (FileDialogs(window).keep_changes, FileDialogs(window).changed_on_disk, FileDialogs(window).recover):
        QTimer.singleShot(0, look)
        ask(shown(name))
    assert len(seen) == 3 and all(text.isprintable() and shown(name) in text for text in seen)


def test_a_file_that_is_dropped_is_copied_never_moved(pilot: Pilot, tmp_path: Path) -> None:
    path = tmp_path / "dropped.py"
    path.write_text("x = 1\n", encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    both = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    event = QDropEvent(QPointF(5, 5), both, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    event.setDropAction(Qt.DropAction.MoveAction)
    pilot.window.dropEvent(event)
    assert event.isAccepted() and event.dropAction() == Qt.DropAction.CopyAction
    assert pilot.window.store.state.path == path
