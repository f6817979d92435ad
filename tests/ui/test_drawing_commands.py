"""The Draw menu: what each row does to a drawing, what undo calls it, and when it is possible."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit

from gradviz.commands.drawing import DRAW_ROWS
from gradviz.document import shaping
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Leaf, Ref
from gradviz.document.snippet import Snippet
from tests.document.drawings import squared_error
from tests.driver import Pilot

IDS = {"w": 1, "x": 2, "b": 3, "t": 4, "mul": 5, "add": 6, "sub": 7, "pow": 8}


@pytest.fixture
def drawn(pilot: Pilot) -> Pilot:
    """A window with a drawing that everybody draws first."""
    drawing, ids = squared_error()
    assert ids == IDS
    pilot.window.store.open(drawing, None)
    return pilot


def pick(pilot: Pilot, *names: str) -> None:
    pilot.window.store.pick(frozenset(IDS[name] for name in names))


def enabled(pilot: Pilot) -> set[str]:
    return {row.id for row in DRAW_ROWS if row.enabled(pilot.state)}


def test_what_is_possible_follows_the_document_and_what_is_picked(pilot: Pilot) -> None:
    can_begin = {"draw.new", "draw.add", "draw.leaf", "draw.comment"}
    assert enabled(pilot) == can_begin
    pilot.window.store.open(Snippet("x = 1\n"), None)
    assert enabled(pilot) == {"draw.new", "draw.as_drawing"}
    drawing, ids = squared_error()
    pilot.window.store.open(drawing, None)
    plain = can_begin | {"draw.wire", "draw.tidy", "draw.as_text", "draw.copy_code"}
    assert enabled(pilot) == plain
    pilot.window.store.pick(frozenset({ids["w"]}))
    one = {"draw.edit", "draw.edit_value", "draw.duplicate", "draw.delete", "draw.pin", "draw.group", "draw.backward"}
    assert enabled(pilot) == plain | one | {"draw.requires_grad"}
    pilot.window.store.pick(frozenset({ids["mul"], ids["add"]}))
    assert enabled(pilot) == (plain | one | {"draw.align", "draw.distribute"}) - {"draw.backward"}


EDITS = (  # command, its choice, what is selected, the name of the step
    ("draw.delete", "", ("w",), "Delete w"),
    ("draw.delete", "", ("w", "x", "b"), "Delete 3 Nodes"),
    ("draw.duplicate", "", ("mul",), "Duplicate mul"),
    ("draw.align", "left", ("w", "mul"), "Align Left"),
    ("draw.distribute", "across", ("w", "mul", "pow"), "Distribute Across"),
    ("draw.pin", "", ("w", "x"), "Pin 2 Nodes"),
    ("draw.group", "", ("w", "x"), "Group 2 Nodes"),
    ("draw.requires_grad", "", ("x",), "Require Gradient of x"),
    ("draw.requires_grad", "", ("w",), "No Gradient of w"),
    ("draw.backward", "", ("pow",), "Backward from loss"),
    ("draw.as_text", "", (), "Edit as Text"),
)


def test_each_edit_is_a_step_of_undo_with_a_name(drawn: Pilot) -> None:
    before = drawn.state.document
    for command, value, names, label in EDITS:
        pick(drawn, *names)
        drawn.window.commands.choose(command, value)
        assert drawn.state.undo_label == label
        assert drawn.state.document != before, label
        drawn.window.commands.do("edit.undo")
        assert drawn.state.document == before, label


def test_what_can_not_be_is_said(drawn: Pilot) -> None:
    drawing = shaping.change_leaf(drawn.drawing, IDS["x"], data=3)
    drawn.window.store.open(drawing, None)
    pick(drawn, "x")
    drawn.window.commands.do("draw.requires_grad")
    assert "x holds whole numbers; choose float32" in drawn.state.notice.sentence
    assert drawn.state.document == drawing


def test_groups_are_made_closed_opened_and_taken_away(drawn: Pilot) -> None:
    do = drawn.window.commands.do
    pick(drawn, "mul", "add")
    do("draw.group")
    (group,) = drawn.drawing.groups
    assert drawn.state.picked == {group.id}
    do("draw.toggle_group")
    assert drawn.drawing.groups[0].closed
    do("draw.toggle_group")
    assert not drawn.drawing.groups[0].closed
    do("draw.ungroup")
    assert drawn.drawing.groups == ()
    assert drawn.state.picked == {IDS["mul"], IDS["add"]}


def test_backward_begins_elsewhere_when_it_is_chosen_there(drawn: Pilot) -> None:
    for name in ("pow", "add"):
        pick(drawn, name)
        drawn.window.commands.do("draw.backward")
    assert [call.root for call in drawn.drawing.calls] == [Ref(IDS["add"])]
    drawn.window.store.edit("Add", shaping.add_call(drawn.drawing, Ref(IDS["pow"])))
    pick(drawn, "sub")
    drawn.window.commands.do("draw.backward")
    assert len(drawn.drawing.calls) == 3


def test_a_drawing_becomes_text_and_the_text_a_drawing(drawn: Pilot) -> None:
    text, names = text_of(drawn.drawing), sorted(node.name for node in drawn.drawing.nodes if isinstance(node, Leaf))
    drawn.window.commands.do("draw.as_text")
    assert drawn.state.document == Snippet(text)
    drawn.window.commands.do("draw.as_drawing")
    assert text_of(drawn.drawing) == text
    assert sorted(node.name for node in drawn.drawing.nodes if isinstance(node, Leaf)) == names
    assert drawn.state.undo_label == "Edit as Drawing"


@pytest.mark.parametrize("command", ["draw.edit", "draw.edit_value"])
def test_run_takes_what_is_typed_in_a_field_first(drawn: Pilot, command: str) -> None:
    pick(drawn, "w")
    drawn.window.commands.do(command)
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    field.selectAll()
    drawn.qtbot.keyClicks(field, "7.5")
    drawn.window.commands.do("run.run")
    leaf = drawn.drawing.by_id[IDS["w"]]
    assert isinstance(leaf, Leaf) and leaf.data == 7.5


def test_code_of_a_part_and_of_all_is_copied(drawn: Pilot) -> None:
    drawn.window.commands.do("draw.copy_code")
    assert QApplication.clipboard().text() == text_of(drawn.drawing)
    pick(drawn, "w")
    drawn.window.commands.do("draw.copy_code")
    assert QApplication.clipboard().text() == "import torch\n\nw = torch.tensor(3., requires_grad=True)\n"
    assert drawn.state.notice.sentence == "Copied node as PyTorch code."


def test_the_picture_can_be_zoomed_before_anything_has_run(pilot: Pilot) -> None:
    assert not pilot.window.commands.actions["view.fit"].isEnabled()
    drawing, _ = shaping.new_leaf(Drawing(), 0, 0)
    pilot.window.store.open(drawing, None)
    assert pilot.window.commands.actions["view.fit"].isEnabled()
