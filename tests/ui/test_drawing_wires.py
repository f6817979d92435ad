"""Wires made by hand: from port to port in both directions, taken off, refused, dropped before the answer, forgotten,
and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document import shaping
from gradviz.document.code.parse import parse
from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.ui.drawing.geometry import Hit
from gradviz.ui.drawing.interactions import words
from gradviz.ui.drawing.keyboard import KeyWiring
from gradviz.ui.drawing.wiring import Wiring
from tests.ui.drawing_hand import ADD, LEFT, MUL, NONE, Hand, W, X, small

EMPTY = QPoint(60, 600)
FAR = QPoint(900, 560)


def wired() -> Drawing:
    drawing = shaping.connect(small(), Ref(W), MUL, 0)
    return shaping.connect(drawing, Ref(X), MUL, 1)


@pytest.fixture
def hand(qtbot: QtBot) -> Hand:
    return Hand(qtbot)


def test_a_wire_is_drawn_from_an_output_to_an_input(hand: Hand) -> None:
    hand.drag(hand.out(W), hand.port(MUL, 0))
    assert hand.inputs(MUL) == (Ref(W), None)
    assert hand.undone() == "Connect"
    assert hand.drawing == small()


def test_a_wire_is_drawn_from_an_input_back_to_an_output(hand: Hand) -> None:
    hand.drag(hand.port(MUL, 1), hand.out(X))
    assert hand.inputs(MUL) == (None, Ref(X))


def test_a_wire_snaps_to_a_port_nearby_and_to_the_first_free_one_of_a_node(hand: Hand) -> None:
    hand.drag(hand.out(W), hand.port(MUL, 0) + QPoint(-14, -8))
    assert hand.inputs(MUL) == (Ref(W), None)
    hand.drag(hand.out(X), hand.node(MUL))
    assert hand.inputs(MUL) == (Ref(W), Ref(X))


def test_possible_ports_light_up_while_a_wire_is_in_the_hand(hand: Hand) -> None:
    hand.pull(hand.out(MUL), FAR)
    gesture = hand.hands.gesture
    assert isinstance(gesture, Wiring)
    assert {wire.target for wire in gesture.possible} == {(ADD, 0), (ADD, 1)}
    hand.key(Qt.Key.Key_Escape)


def test_a_wire_is_taken_off_and_put_elsewhere_or_nowhere(qtbot: QtBot) -> None:
    hand = Hand(qtbot, wired())
    hand.drag(hand.port(MUL, 0), hand.port(ADD, 1))
    assert hand.inputs(MUL) == (None, Ref(X)) and hand.inputs(ADD) == (None, Ref(W))
    assert hand.undone() == "Move Wire"
    hand.drag(hand.port(MUL, 0), EMPTY)
    assert hand.inputs(MUL) == (None, Ref(X))
    assert hand.undone() == "Disconnect"
    hand.drag(hand.port(MUL, 0), hand.port(MUL, 0) + QPoint(8, 6))  # let go where it was
    assert hand.drawing == wired() and not hand.store.state.undo_label


def test_a_taken_port_and_a_circle_are_refused_at_the_pointer(qtbot: QtBot) -> None:
    hand = Hand(qtbot, shaping.connect(wired(), Ref(MUL), ADD, 0))
    before = hand.drawing
    hand.pull(hand.out(X), hand.port(MUL, 0))
    assert isinstance(hand.hands.gesture, Wiring) and "has a wire already" in hand.hands.gesture.reason
    hand.release(hand.port(MUL, 0))
    assert "has a wire already" in hand.ground.overlay.sentence
    hand.drag(hand.out(ADD), hand.node(MUL))
    assert hand.drawing is before and not hand.store.state.undo_label
    free = shaping.disconnect(before, MUL, 1)
    hand.store.edit("Disconnect", free)
    hand.drag(hand.out(ADD), hand.port(MUL, 1))
    assert "circle" in hand.ground.overlay.sentence and hand.drawing is free


def test_what_the_worker_refuses_is_not_made(hand: Hand) -> None:
    hand.reasons[shaping.connect(hand.drawing, Ref(W), MUL, 0)] = "mm: 2×3 with 4×5: the inner sizes 3 and 4 differ"
    hand.drag(hand.out(W), hand.port(MUL, 0))
    assert hand.drawing == small()
    assert hand.ground.overlay.sentence == "mm: 2×3 with 4×5: the inner sizes 3 and 4 differ"


def test_a_drop_waits_for_the_answer(hand: Hand) -> None:
    hand.waits = True
    hand.drag(hand.out(W), hand.port(MUL, 0))
    assert hand.drawing == small()
    hand.answer("")
    assert hand.inputs(MUL) == (Ref(W), None)
    hand.drag(hand.out(X), hand.port(MUL, 1))
    hand.answer("they differ")
    assert hand.inputs(MUL) == (Ref(W), None) and hand.ground.overlay.sentence == "they differ"


def test_a_second_wire_does_not_overtake_one_that_was_let_go(hand: Hand) -> None:
    hand.waits = True
    hand.drag(hand.out(W), hand.port(MUL, 0))
    hand.drag(hand.out(X), hand.port(MUL, 1))
    assert len(hand.asked) == 1
    hand.answer("")
    assert len(hand.asked) == 2
    hand.answer("")
    assert hand.inputs(MUL) == (Ref(W), Ref(X))


def test_escape_forgets_a_wire_without_a_trace(hand: Hand) -> None:
    hand.pull(hand.out(W), hand.port(MUL, 0))
    hand.key(Qt.Key.Key_Escape)
    hand.release(hand.port(MUL, 0))
    assert hand.drawing == small() and not hand.store.state.undo_label
    assert not hand.ground.overlay.isVisible() and hand.hands.gesture is None


def test_undo_and_another_document_in_the_middle_of_a_drag(qtbot: QtBot) -> None:
    hand = Hand(qtbot, small())
    hand.store.edit("Connect", wired())
    hand.pull(hand.port(MUL, 0), FAR)
    hand.store.undo()
    hand.move(QPoint(400, 300))
    hand.release(QPoint(400, 300))
    assert hand.drawing == small() and hand.hands.gesture is None
    hand.pull(hand.out(W), hand.port(MUL, 0))
    hand.store.open(Drawing(), None)
    hand.release(QPoint(400, 300))
    assert hand.drawing == Drawing()


def test_a_wire_let_go_on_empty_canvas_asks_for_what_is_next(hand: Hand) -> None:
    hand.drag(hand.out(W), FAR)
    assert hand.hands.typing.is_open
    hand.type("exp")
    hand.key(Qt.Key.Key_Return)
    new = hand.drawing.nodes[-1]
    assert hand.inputs(new.id) == (Ref(W),) and hand.store.state.picked == {new.id}
    assert hand.undone() == "Add exp"


def test_a_wire_pulled_back_from_an_input_asks_for_its_source(hand: Hand) -> None:
    hand.drag(hand.port(MUL, 1), EMPTY)
    hand.type("5.0")
    hand.key(Qt.Key.Key_Return)
    new = hand.drawing.nodes[-1]
    assert hand.inputs(MUL) == (None, Ref(new.id))


def test_a_wire_is_made_and_taken_off_by_keyboard(hand: Hand) -> None:
    hand.store.pick(frozenset({W}))
    hand.key(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    hand.key(Qt.Key.Key_Tab)
    hand.key(Qt.Key.Key_Backtab)
    hand.key(Qt.Key.Key_Return)
    assert Ref(W) in hand.inputs(MUL)
    hand.key(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    for _ in range(4):
        if getattr(hand.hands.gesture, "takes_off", True):
            break
        hand.key(Qt.Key.Key_Tab)
    hand.key(Qt.Key.Key_Return)
    assert hand.inputs(MUL) == (None, None)
    hand.key(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    hand.key(Qt.Key.Key_Escape)
    assert hand.hands.gesture is None and hand.store.state.picked == {W}


def test_by_keyboard_a_wire_begins_at_any_output_and_goes_to_what_is_typed(qtbot: QtBot) -> None:
    written = parse("import torch\nx = torch.ones(2, 2)\nvalues, at = x.max(dim=0)\n")
    hand = Hand(qtbot, shaping.new_operation(written, "mul", 600, 0)[0])
    top, mul = (node.id for node in hand.drawing.nodes if isinstance(node, Operation))
    hand.store.pick(frozenset({top}))
    hand.key(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    hand.key(Qt.Key.Key_Down)
    assert isinstance(hand.hands.gesture, KeyWiring)
    assert hand.hands.gesture.words == "Connect at to input of y (1 of 2)"
    hand.key(Qt.Key.Key_Return)
    assert hand.inputs(mul) == (Ref(top, 1), None)
    hand.key(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    hand.key(Qt.Key.Key_Up)
    hand.type("exp")
    hand.key(Qt.Key.Key_Return)
    assert hand.inputs(hand.drawing.nodes[-1].id) == (Ref(top, 1),)


def test_a_clicked_wire_is_deleted_with_a_key(qtbot: QtBot) -> None:
    hand = Hand(qtbot, wired())
    path = hand.view.world_geometry.wire(MUL, 0)
    hand.click(hand.pixel(path.pointAtPercent(0.5)))
    assert hand.hands.keyboard.wire == (MUL, 0)
    hand.key(Qt.Key.Key_Delete)
    assert hand.inputs(MUL) == (None, Ref(X))


def test_a_port_says_what_it_is_and_what_comes_there(qtbot: QtBot) -> None:
    hand = Hand(qtbot, shaping.set_number(wired(), ADD, 1, 2.5))
    said = [words(hand.view, None, hit) for hit in (Hit("out", W), Hit("in", MUL, 0), Hit("in", ADD, 0))]
    assert said == ["w: not computed yet", "input of y: w, not computed yet", "input of h: nothing is connected"]
    assert words(hand.view, None, Hit("in", ADD, 1)) == "other of h: the number 2.5"
    assert words(hand.view, None, Hit("node", W)) == ""
    hand.move(hand.port(MUL, 1))
    assert hand.view.hovered == Hit("in", MUL, 1) and hand.view.cursor().shape() == Qt.CursorShape.CrossCursor
    QTest.mouseMove(hand.view, FAR)
    assert not hand.view.hovered


def test_inputs_of_which_there_may_be_any_number_change_places(qtbot: QtBot) -> None:
    drawing, cat = shaping.new_operation(small(), "stack", 0, 260)
    drawing = shaping.connect(shaping.connect(drawing, Ref(W), cat, 0), Ref(X), cat, 1)
    hand = Hand(qtbot, drawing)
    hand.drag(hand.port(cat, 0), hand.port(cat, 2))
    assert hand.inputs(cat) == (Ref(X), Ref(W))
    hand.drag(hand.port(cat, 0), EMPTY)
    assert hand.inputs(cat) == (Ref(W),)


def test_quick_clicks_on_ports_break_nothing(hand: Hand) -> None:
    for _ in range(5):
        hand.click(hand.out(W))
        QTest.mouseDClick(hand.view, LEFT, NONE, hand.port(MUL, 0))
        hand.click(hand.port(MUL, 0))
    assert hand.drawing == small()


def test_a_blank_canvas_says_what_to_type_until_one_types(qtbot: QtBot) -> None:
    hand = Hand(qtbot, Drawing())
    said = hand.view.grab().toImage()
    hand.hands.typing.open_beside()
    assert not hand.view.invites
    hand.hands.typing.close()
    assert hand.view.invites and hand.view.grab().toImage() == said


def test_a_wire_to_a_closed_group_says_what_to_do(qtbot: QtBot) -> None:
    drawing, group = shaping.group(small(), frozenset({MUL, ADD}), "both")
    hand = Hand(qtbot, shaping.set_group_closed(drawing, group, True))
    before = hand.drawing
    hand.drag(hand.out(W), hand.pixel(hand.view.world_geometry.boxes[group].center()))
    assert "double-click to expand it" in hand.ground.overlay.sentence
    assert hand.drawing == before and not hand.hands.typing.is_open


def test_a_double_click_on_the_mark_of_a_backward_call_picks_its_root(qtbot: QtBot) -> None:
    hand = Hand(qtbot, shaping.add_call(wired(), Ref(MUL)))
    hand.double(hand.pixel(hand.view.world_geometry.call_mark(0).center()))
    assert hand.store.state.picked == {MUL}
