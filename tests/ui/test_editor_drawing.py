"""The code of a drawing in the snippet panel: it follows the drawing, what is typed becomes the drawing, and what is
picked is the same in both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from gradviz.document.code.parse import parse
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing, Leaf
from gradviz.ui.panels.code_edit import CodeEdit
from tests.driver import Pilot

CODE = """import torch

w = torch.tensor(2., requires_grad=True)
x = torch.tensor(3.)

y = (w * x + 1) ** 2

y.backward()
"""


@pytest.fixture
def code(pilot: Pilot) -> CodeEdit:
    """The editor of a window that shows a drawing."""
    pilot.window.store.open(parse(CODE), None)
    widget = pilot.window.editor.code
    widget.setFocus()
    return widget


def drawing(pilot: Pilot) -> Drawing:
    found = pilot.state.drawing
    assert found is not None
    return found


def named(pilot: Pilot, name: str) -> int:
    return next(id for id, names in code_of(drawing(pilot)).names if name in names)


def put_caret(code: CodeEdit, where: str, further: int = 0) -> None:
    cursor = code.textCursor()
    cursor.setPosition(code.toPlainText().index(where) + further)
    code.setTextCursor(cursor)


def replace_text(code: CodeEdit, old: str, new: str) -> None:
    """Select a piece of the code and type another."""
    put_caret(code, old)
    cursor = code.textCursor()
    cursor.setPosition(cursor.position() + len(old), QTextCursor.MoveMode.KeepAnchor)
    code.setTextCursor(cursor)
    code.insertPlainText(new)


def marked(code: CodeEdit) -> list[str]:
    return [mark.cursor.selectedText() for mark in code.extraSelections() if mark.format.fontUnderline()]


def test_the_code_follows_the_drawing_and_the_caret_stays(pilot: Pilot, code: CodeEdit) -> None:
    assert code.toPlainText() == CODE
    put_caret(code, "backward")
    before = drawing(pilot)
    leaf = replace(before.by_id[named(pilot, "x")], data=-1.5)
    pilot.window.store.edit(
        "Change x", replace(before, nodes=tuple(leaf if one.id == leaf.id else one for one in before.nodes))
    )
    assert "x = torch.tensor(-1.5)" in code.toPlainText()
    assert code.textCursor().position() == code.toPlainText().index("backward")
    pilot.window.store.undo()
    assert code.toPlainText() == CODE


def test_typed_code_becomes_the_drawing_after_a_pause(pilot: Pilot, code: CodeEdit) -> None:
    places = {node.id: (node.x, node.y) for node in drawing(pilot).nodes}
    before = drawing(pilot)
    replace_text(code, "torch.tensor(3.)", "torch.tensor( 4.0 )")
    pilot.qtbot.waitUntil(lambda: drawing(pilot) is not before)
    leaf = drawing(pilot).by_id[named(pilot, "x")]
    assert isinstance(leaf, Leaf) and leaf.data == 4.0
    assert {node.id: (node.x, node.y) for node in drawing(pilot).nodes} == places
    assert "torch.tensor( 4.0 )" in code.toPlainText()  # as it was typed
    pilot.window.setFocus()
    assert "x = torch.tensor(4.)" in code.toPlainText()
    pilot.window.store.undo()
    assert code.toPlainText() == CODE


def test_code_that_cant_be_drawn_is_said_and_leaves_the_drawing(pilot: Pilot, code: CodeEdit) -> None:
    before = drawing(pilot)
    replace_text(code, "(w * x + 1) ** 2", "[w for i in x]")
    panel = pilot.window.editor
    pilot.qtbot.waitUntil(lambda: panel.refusal.isVisible())
    assert "Line 6: a list comprehension can't be drawn." in panel.refusal.text()
    assert drawing(pilot) is before
    pilot.window.setFocus()
    assert "[w for i in x]" in code.toPlainText()  # to be mended
    replace_text(code, "[w for i in x]", "w * x")
    pilot.qtbot.waitUntil(lambda: not panel.refusal.isVisible())
    assert len(drawing(pilot).nodes) == 3


def test_the_caret_picks_the_innermost_node(pilot: Pilot, code: CodeEdit) -> None:
    put_caret(code, "* x + 1", 1)
    (picked,) = pilot.state.picked
    node = drawing(pilot).by_id[picked]
    assert getattr(node, "op", "") == "mul" and marked(code) == ["w * x"]
    put_caret(code, "y = (w")
    assert pilot.state.picked == {named(pilot, "y")} and marked(code) == ["(w * x + 1) ** 2"]
    put_caret(code, "x + 1")
    assert pilot.state.picked == {named(pilot, "x")}
    put_caret(code, "import")
    assert pilot.state.picked == {named(pilot, "x")}


def test_what_is_picked_on_the_canvas_is_marked(pilot: Pilot, code: CodeEdit) -> None:
    pilot.window.setFocus()
    pilot.window.store.pick(frozenset({named(pilot, "w"), named(pilot, "x")}))
    assert marked(code) == ["torch.tensor(2., requires_grad=True)", "torch.tensor(3.)"]
    pilot.window.store.pick(frozenset())
    assert marked(code) == []


def test_a_key_alone_does_not_pick(pilot: Pilot, code: CodeEdit) -> None:
    put_caret(code, "import")
    pilot.qtbot.keyClick(code, Qt.Key.Key_Space)
    assert pilot.state.picked == frozenset()


def test_what_a_drawing_has_no_place_for_is_said_before_it_goes_and_after(pilot: Pilot, code: CodeEdit) -> None:
    replace_text(code, "y.backward()\n", "y.backward()\nprint(y)\n# so far\n")
    panel = pilot.window.editor
    pilot.qtbot.waitUntil(lambda: panel.refusal.isVisible())
    assert "Line 9: print is no part of a drawing. Line 10: a comment is no part" in panel.refusal.text()
    assert "are dropped when you leave the code; Edit as Text" in panel.refusal.text()
    pilot.window.setFocus()
    assert code.toPlainText() == CODE and "It has been removed from the code." in panel.refusal.text()


def test_edit_as_text_keeps_all_that_was_typed(pilot: Pilot, code: CodeEdit) -> None:
    typed = CODE + "print(y)  # so far\n"
    code.setPlainText(typed)
    pilot.qtbot.waitUntil(lambda: pilot.window.editor.refusal.isVisible())
    pilot.window.commands.do("draw.as_text")
    assert pilot.state.drawing is None and text_of(pilot.state.document) == typed
    pilot.window.commands.do("draw.as_drawing")
    assert "Line 9: print is no part of a drawing. Line 9: a comment" in pilot.window.editor.note.text()
    pilot.window.editor.note.linkActivated.emit("close")
    assert not pilot.window.editor.note.isVisible()
    pilot.window.commands.do("edit.undo")
    assert text_of(pilot.state.document) == typed and not pilot.state.note


def test_undo_takes_back_what_cant_be_drawn_first(pilot: Pilot, code: CodeEdit) -> None:
    replace_text(code, "torch.tensor(3.)", "torch.tensor(4.)")
    pilot.qtbot.waitUntil(lambda: "torch.tensor(4.)" in text_of(drawing(pilot)))
    replace_text(code, "(w * x + 1) ** 2", "(w * x +")
    pilot.window.commands.do("edit.undo")
    assert "torch.tensor(4.)" in code.toPlainText() and "(w * x + 1) ** 2" in code.toPlainText()
    assert not pilot.window.editor.refusal.isVisible()
    pilot.window.commands.do("edit.undo")
    assert code.toPlainText() == CODE
