"""The editors of the inspector, by mouse and by keyboard: what is picked, its fields, what they refuse. The
grid of numbers is in test_grid."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.document.drawing import Drawing, Number, Operation, Ref
from gradviz.document.shaping import (
    add_call,
    change_leaf,
    connect,
    delete,
    new_operation,
    set_number,
)
from gradviz.document.snippet import Snippet
from gradviz.ui.editors.form import Choice, TextField
from gradviz.ui.editors.node import LeafEditor, OperationEditor
from gradviz.ui.editors.several import CommentEditor, GroupEditor, SeveralEditor
from gradviz.ui.editors.sheet import CallsEditor
from tests.driver import Pilot
from tests.ui.desk import Desk


@pytest.fixture
def desk(pilot: Pilot) -> Desk:
    return Desk(pilot)


def of_leaf(desk: Desk, id: int = 0) -> LeafEditor:
    editor = desk.pick(id or desk.w)
    assert isinstance(editor, LeafEditor)
    return editor


def of_operation(desk: Desk, id: int) -> OperationEditor:
    editor = desk.pick(id)
    assert isinstance(editor, OperationEditor)
    return editor


def test_nothing_is_edited_while_nothing_is_picked_or_a_snippet_is_shown(desk: Desk) -> None:
    assert not desk.panel.sheet.isVisible()
    of_leaf(desk)
    assert desk.panel.sheet.isVisible()
    desk.store.open(Snippet("x = 1"), None)
    assert not desk.panel.sheet.isVisible()


def test_a_value_is_typed_and_is_one_undo_step(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.type(editor.value, "3")
    assert repr(desk.leaf().data) == "3.0"
    assert editor.value.text() == "3.0"
    assert editor.value.hasFocus()
    assert desk.store.state.undo_label == "Change w"
    desk.pilot.press("Ctrl+Z")
    assert desk.leaf().data == 2.0
    assert editor.value.text() == "2.0"


@pytest.mark.parametrize(("text", "value"), [("inf", "inf"), ("1e-3", "0.001"), ("-2", "-2.0")])
def test_numbers_are_typed_as_python_writes_them(desk: Desk, text: str, value: str) -> None:
    desk.type(of_leaf(desk).value, text)
    assert repr(desk.leaf().data) == value


def test_wrong_text_gives_a_sentence_and_changes_nothing(desk: Desk) -> None:
    editor = of_leaf(desk)
    before = desk.store.state.document
    desk.type(editor.value, "2*3")
    assert desk.store.state.document is before
    assert editor.value.text() == "2*3"
    assert "is no number" in editor._rows["value"].sentence.text()
    assert editor.value.accessibleDescription() == editor._rows["value"].sentence.text()
    QTest.keyClick(editor.value, Qt.Key.Key_Escape)
    assert editor.value.text() == "2.0"
    assert not editor._rows["value"].sentence.isVisible()


def test_leaving_a_field_takes_its_text_and_escape_takes_it_back(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.type(editor.value, "7", key=Qt.Key.Key_Escape)
    assert desk.leaf().data == 2.0
    desk.type(editor.value, "7", key=Qt.Key.Key_Tab)
    assert desk.leaf().data == 7.0


def test_what_is_typed_stays_while_the_drawing_changes(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.type(editor.name, "weight", key=None)
    editor.name.setCursorPosition(3)
    desk.store.edit("Move", connect(desk.store.state.drawing, Ref(desk.b), desk.mul, 1))  # type: ignore[arg-type]
    assert (editor.name.text(), editor.name.cursorPosition()) == ("weight", 3)
    QTest.keyClick(editor.name, Qt.Key.Key_Return)
    assert desk.leaf().name == "weight"
    assert desk.store.state.undo_label == "Rename w"


def test_typing_is_not_for_the_next_thing_that_is_picked(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.type(editor.value, "oops", key=None)
    desk.store.pick(frozenset({desk.b}))
    assert editor.value.text() == "1.0"
    QTest.keyClick(editor.value, Qt.Key.Key_Return)
    assert desk.leaf(desk.b).data == 1.0


@pytest.mark.parametrize(("name", "words"), [("b", "already"), ("lambda", "keyword"), ("2w", "no Python name")])
def test_a_name_that_can_not_be_is_refused(desk: Desk, name: str, words: str) -> None:
    editor = of_leaf(desk)
    desk.type(editor.name, name)
    assert words in editor._rows["name"].sentence.text()
    assert desk.leaf().name == "w"


def test_up_and_down_step_a_number_in_one_undo_step(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.pilot.click(editor.value)
    for _ in range(3):
        QTest.keyClick(editor.value, Qt.Key.Key_Up)
    QTest.keyClick(editor.value, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert desk.leaf().data == 4.9
    QTest.keyClick(editor.value, Qt.Key.Key_Tab)
    desk.pilot.click(editor.value)
    QTest.keyClick(editor.value, Qt.Key.Key_PageUp)
    assert desk.leaf().data == 14.9
    desk.pilot.press("Ctrl+Z")
    assert desk.leaf().data == 4.9
    desk.pilot.press("Ctrl+Z")
    assert desk.leaf().data == 2.0


def test_an_array_that_is_typed_makes_a_matrix_with_its_arguments(desk: Desk) -> None:
    desk.type(of_leaf(desk, desk.b).value, "tensor([[1., 2.], [3., 4.]], dtype=torch.float64, requires_grad=True)")
    leaf = desk.leaf(desk.b)
    assert (leaf.data, leaf.dtype, leaf.requires_grad) == (((1.0, 2.0), (3.0, 4.0)), "float64", True)


def test_kinds_dtypes_seeds_and_shapes_are_chosen(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.choose(editor.kind, "randn")
    assert (desk.leaf().maker, desk.leaf().data, desk.leaf().seed) == ("randn", (2, 3), 0)
    shape = editor._arguments[0].field
    assert isinstance(shape, TextField)
    desk.type(shape, "4x5")
    assert desk.leaf().data == (4, 5)
    desk.type(shape, "four")
    assert desk.leaf().data == (4, 5)
    assert "whole number" in editor._arguments[0].row.sentence.text()
    desk.type(editor.seed, "41")
    assert desk.leaf().seed == 41
    desk.choose(editor.dtype, "float64")
    assert desk.leaf().dtype == "float64"
    desk.choose(editor.kind, "arange")
    desk.type(editor._arguments[1].field, "8")
    assert (desk.leaf().maker, desk.leaf().data) == ("arange", (8,))


def test_a_new_seed_is_another_one(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.choose(editor.kind, "rand")
    desk.pilot.click(next(one for one in editor.findChildren(QWidget, "small") if one.accessibleName() == "New seed"))
    assert desk.leaf().seed not in (None, 0)


def test_requires_grad_is_for_floats_and_says_why_else(desk: Desk) -> None:
    editor = of_leaf(desk, desk.b)
    desk.pilot.qtbot.mouseClick(editor.grad, Qt.MouseButton.LeftButton, pos=editor.grad.rect().center() / 4)
    assert desk.leaf(desk.b).requires_grad
    assert desk.store.state.undo_label == "Change b"
    editor = of_leaf(desk)
    desk.choose(editor.dtype, "int64")
    assert "Only floating point" in editor._rows["dtype"].sentence.text()
    assert editor.dtype.currentData() == ""
    QTest.keyClick(editor.grad, Qt.Key.Key_Space)
    desk.choose(editor.dtype, "int64")
    assert desk.leaf().dtype == "int64"
    assert not editor.grad.isEnabled()
    assert "Only floating point" in editor._rows["grad"].sentence.text()


def test_the_range_of_the_slider_is_typed(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.type(editor.low, "-5")
    assert desk.leaf().slider == (-5.0, 10.0)
    desk.type(editor.high, "-6")
    assert desk.leaf().slider == (-5.0, 10.0)
    assert "slider" in editor._rows["slider"].sentence.text()
    QTest.keyClick(editor.high, Qt.Key.Key_Escape)
    desk.type(editor.low, "")
    assert desk.leaf().slider is None


def test_an_operation_shows_what_it_is_and_its_inputs(desk: Desk) -> None:
    editor = of_operation(desk, desk.mul)
    assert editor.title.text().startswith("mul")
    assert editor.brief.text()
    assert "w" in editor.ports[0].wire.text()
    desk.type(editor.ports[1].number, "2.5")
    assert desk.operation(desk.mul).inputs[1] == Number(2.5)
    desk.pilot.click(editor.ports[1].off)
    assert desk.operation(desk.mul).inputs[1] is None
    desk.pilot.click(editor.ports[0].wire)
    assert desk.store.state.picked == {desk.w}


def test_a_wire_is_taken_off_by_its_button(desk: Desk) -> None:
    editor = of_operation(desk, desk.mul)
    desk.pilot.click(editor.ports[0].off)
    assert desk.operation(desk.mul).inputs == (None, None)
    assert desk.store.state.undo_label == "Disconnect"


def test_an_expression_in_place_is_shown_at_the_port(desk: Desk) -> None:
    drawing = desk.store.state.drawing
    assert drawing is not None
    desk.store.edit("Change", set_number(drawing, desk.mul, 1, 3.0))
    assert "w * 3" in of_operation(desk, desk.total).ports[0].wire.text()


def test_parameters_come_from_the_catalogue_and_go_back_to_their_default(desk: Desk) -> None:
    editor = of_operation(desk, desk.total)
    rows = {row.parameter.name: row for row in editor.params}
    dim = rows["dim"]
    assert isinstance(dim.field, TextField)
    assert dim.field.placeholderText() == "None"
    desk.type(dim.field, "0, 1")
    assert dict(desk.operation(desk.total).params)["dim"] == (0, 1)
    desk.type(dim.field, "first")
    assert "is not" in dim.row.sentence.text()
    desk.type(dim.field, "-1")
    QTest.keyClick(rows["keepdim"].field, Qt.Key.Key_Space)
    assert dict(desk.operation(desk.total).params) == {"dim": -1, "keepdim": True}
    desk.pilot.click(rows["keepdim"].reset)
    desk.pilot.click(dim.reset)
    assert desk.operation(desk.total).params == ()
    assert not dim.reset.isVisible()


def test_every_entry_of_the_catalogue_has_an_editor(desk: Desk) -> None:
    from gradviz.document.catalogue import catalogue

    rows = 0
    for key, entry in list(catalogue().items())[::7]:
        drawing, id = new_operation(Drawing(), key, 0, 0)
        desk.store.open(drawing, None)
        editor = of_operation(desk, id)
        assert [row.parameter.name for row in editor.params] == [one.name for one in entry.params]
        rows += len(editor.params)
    assert rows > 50


def test_an_output_gets_a_name_and_loses_it(desk: Desk) -> None:
    editor = of_operation(desk, desk.mul)
    desk.type(editor.names[0], "product")
    assert desk.operation(desk.mul).names == ("product",)
    desk.type(editor.names[0], "")
    assert desk.operation(desk.mul).names == ()


def test_a_backward_call_is_added_changed_and_taken_away(desk: Desk) -> None:
    of_operation(desk, desk.total)
    calls = desk.panel.sheet.editors["calls"]
    assert isinstance(calls, CallsEditor)
    desk.pilot.click(calls.add)
    rows = calls.calls[0]
    desk.type(rows.gradient, "2")
    desk.choose(rows.retain, "True")
    QTest.keyClick(rows.create, Qt.Key.Key_Space)
    desk.type(rows.inputs, "w, v")
    assert "“v”" in calls.form.rows[3].sentence.text()
    desk.type(rows.inputs, "w")
    call = desk.store.state.drawing.calls[0]  # type: ignore[union-attr]
    assert (call.gradient, call.retain_graph, call.create_graph, call.inputs) == (2, True, True, (desk.w,))
    desk.pilot.click(rows.off)
    assert desk.store.state.drawing.calls == ()  # type: ignore[union-attr]


def test_a_backward_call_without_a_gradient_is_refused_with_a_sentence(desk: Desk) -> None:
    desk.store.edit("Change", change_leaf(desk.store.state.drawing, desk.w, requires_grad=False))  # type: ignore[arg-type]
    of_operation(desk, desk.total)
    calls = desk.panel.sheet.editors["calls"]
    assert isinstance(calls, CallsEditor)
    desk.pilot.click(calls.add)
    assert desk.store.state.drawing.calls == ()  # type: ignore[union-attr]
    assert desk.store.state.notice.sentence.startswith("Nothing requires grad for ")


def test_a_comment_is_written_and_a_group_called_and_closed(desk: Desk) -> None:
    comment = desk.pick(desk.comment)
    assert isinstance(comment, CommentEditor)
    desk.type(comment.text, "another", key=None)
    QTest.keyClick(comment.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert desk.store.state.drawing.comments[0].text == "another"  # type: ignore[union-attr]
    editor = desk.pick(desk.group)
    assert isinstance(editor, GroupEditor)
    desk.type(editor.title, "layer 1")
    QTest.keyClick(editor.closed, Qt.Key.Key_Space)
    found = desk.store.state.drawing.groups[0]  # type: ignore[union-attr]
    assert (found.title, found.closed) == ("layer 1", True)


def test_several_change_together_in_one_step(desk: Desk) -> None:
    editor = desk.pick(desk.w, desk.b)
    assert isinstance(editor, SeveralEditor)
    assert editor.title.text() == "2 leaves"
    assert editor.grad.checkState() == Qt.CheckState.PartiallyChecked
    QTest.keyClick(editor.grad, Qt.Key.Key_Space)
    assert desk.leaf().requires_grad
    assert desk.leaf(desk.b).requires_grad
    desk.choose(editor.dtype, "float64")
    assert desk.leaf(desk.b).dtype == "float64"
    QTest.keyClick(editor.pinned, Qt.Key.Key_Space)
    assert desk.leaf().pinned
    button = next(one for one in editor.findChildren(QWidget, "small") if one.accessibleName() == "Align Top")
    desk.pilot.click(button)
    assert desk.leaf().y == desk.leaf(desk.b).y
    desk.pilot.press("Ctrl+Z")
    assert desk.leaf().y != desk.leaf(desk.b).y


def test_the_keyboard_goes_to_the_value_by_a_command_and_through_all_fields_by_tab(desk: Desk) -> None:
    editor = of_leaf(desk)
    desk.pilot.press("Alt+Return")
    assert editor.value.hasFocus()
    seen = []
    for _ in range(5):
        seen.append((QApplication.focusWidget() or editor).accessibleName())
        desk.pilot.press("Tab")
    assert seen == ["Value", "dtype", "requires_grad", "Minimum of the slider", "Maximum of the slider"]


def test_every_field_has_a_name_for_those_who_do_not_see_it(desk: Desk) -> None:
    for id in (desk.w, desk.mul, desk.total, desk.comment, desk.group):
        editor = desk.pick(id)
        assert isinstance(editor, QWidget)
        fields = [one for one in editor.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
        nameless = [one for one in fields if not one.accessibleName() and one.isVisible()]
        assert fields
        assert not nameless


def test_an_unknown_operation_of_a_newer_version_is_shown_as_it_is(qtbot: QtBot, desk: Desk) -> None:
    desk.store.open(Drawing((Operation(1, "of_the_future", (None,), names=("y",)),), next_id=2), None)
    editor = of_operation(desk, 1)
    assert editor.title.text() == "of_the_future"
    assert editor.params == []


def test_a_call_of_a_root_that_is_gone_is_no_trouble(desk: Desk) -> None:
    drawing = desk.store.state.drawing
    assert drawing is not None
    desk.store.edit("Backward", add_call(drawing, Ref(desk.total)))
    of_operation(desk, desk.total)
    desk.store.undo()
    assert desk.panel.sheet.editors["calls"].calls == []  # type: ignore[attr-defined]


def test_what_is_picked_and_has_not_run_is_not_explained_by_something_else(desk: Desk) -> None:
    of_operation(desk, desk.total)
    assert desk.panel.inspection is None
    assert "once it has run" in desk.panel.browser.toPlainText()


def test_several_things_are_not_explained_by_the_current_step(desk: Desk) -> None:
    desk.store.pick(frozenset({desk.w, desk.total}))
    assert desk.panel.sheet.kind == "several"
    assert desk.panel.inspection is None and desk.panel.browser.toPlainText() == ""


@pytest.mark.parametrize("field", ["name", "dim"])
def test_what_was_being_typed_goes_with_its_operation(desk: Desk, field: str) -> None:
    editor = of_operation(desk, desk.total)
    dim, choice = editor.params[0].field, editor.params[-1].field
    assert isinstance(choice, Choice)
    desk.type(editor.names[0] if field == "name" else dim, "0", key=None)
    left = delete(desk.store.state.drawing or Drawing(), [desk.total])
    desk.store.edit("Delete", left)
    assert not dim.isVisible()
    desk.choose(choice, "float64")  # its list was open
    assert desk.store.state.document is left
