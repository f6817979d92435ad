"""Picking, moving, resizing, typing, editing in place and drops on the canvas of a drawing: by mouse, by keyboard."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.document import shaping
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.entry import Around, make
from gradviz.ui.drawing.drag import MoveGesture
from gradviz.ui.drawing.gesture import snap
from tests.ui.drawing_hand import ADD, LEFT, MIDDLE, MUL, NONE, Hand, W, X, small

CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
EMPTY = QPoint(500, 480)


@pytest.fixture
def hand(qtbot: QtBot) -> Hand:
    return Hand(qtbot)


def with_comment() -> Drawing:
    return shaping.new_comment(small(), -280, 180, "why", 200, 120)[0]


def with_group() -> Drawing:
    return shaping.group(small(), (W, X), "inputs")[0]


def near(one: QPoint, other: QPoint) -> bool:
    return (one - other).manhattanLength() < 13


# picking


def test_clicks_pick_and_toggle(hand: Hand) -> None:
    hand.click(hand.node(W))
    assert hand.store.state.picked == {W}
    hand.click(hand.node(X), SHIFT)
    hand.click(hand.node(MUL), CONTROL)
    assert hand.store.state.picked == {W, X, MUL}
    hand.click(hand.node(X), SHIFT)
    assert hand.store.state.picked == {W, MUL}
    hand.click(EMPTY, SHIFT)
    assert hand.store.state.picked == {W, MUL}
    hand.click(EMPTY)
    assert hand.store.state.picked == frozenset() and not hand.store.state.undo_label


def test_a_rubber_band_picks_what_it_touches_and_escape_gives_back(hand: Hand) -> None:
    hand.store.pick(frozenset({ADD}))
    box = hand.ground.pixels(hand.view.world_geometry.box(X)).toRect()
    hand.pull(box.bottomLeft() + QPoint(-15, 20), hand.node(W))
    assert hand.store.state.picked == {W, X}
    hand.key(Qt.Key.Key_Escape)
    assert hand.store.state.picked == {ADD}
    hand.release(hand.node(W))
    hand.press(box.bottomLeft() + QPoint(-15, 20), SHIFT)
    hand.move(hand.node(X))
    hand.release(hand.node(X), SHIFT)
    assert hand.store.state.picked == {ADD, X}


def test_everything_is_picked_and_nothing(hand: Hand) -> None:
    hand.key(Qt.Key.Key_A, CONTROL)
    assert hand.store.state.picked == {W, X, MUL, ADD}
    hand.key(Qt.Key.Key_Escape)
    assert hand.store.state.picked == frozenset()


def test_arrows_walk_from_node_to_node(hand: Hand) -> None:
    hand.key(Qt.Key.Key_Right)
    assert hand.store.state.picked == {W}
    hand.key(Qt.Key.Key_Down)
    assert hand.store.state.picked == {X}
    hand.key(Qt.Key.Key_Right)
    assert hand.store.state.picked == {MUL}
    hand.key(Qt.Key.Key_Right)
    assert hand.store.state.picked == {ADD}
    hand.key(Qt.Key.Key_Right)
    assert hand.store.state.picked == {ADD}
    assert not hand.store.state.undo_label


# moving


def place(drawing: Drawing, node: int) -> tuple[float, float]:
    return drawing.by_id[node].x, drawing.by_id[node].y


def test_several_are_moved_together_in_one_edit(hand: Hand) -> None:
    hand.store.pick(frozenset({W, X}))
    hand.pull(hand.node(W), hand.node(W) + QPoint(-60, -70))
    assert hand.drawing == small(), "while it goes on nothing is changed"
    assert place(hand.view.drawing, W) != place(small(), W), "but it is seen"
    hand.release(hand.node(W) + QPoint(-60, -70))
    moved = hand.drawing
    assert moved.by_id[W].x - moved.by_id[X].x == 0 and moved.by_id[X].y - moved.by_id[W].y == 140
    assert place(moved, MUL) == place(small(), MUL) and place(moved, W)[0] < -200
    assert hand.undone() == "Move 2 Nodes" and hand.drawing == small()


def test_what_was_not_picked_is_moved_alone(hand: Hand) -> None:
    hand.store.pick(frozenset({X}))
    hand.drag(hand.node(MUL), hand.node(MUL) + QPoint(40, 90))
    assert hand.store.state.picked == {MUL} and place(hand.drawing, X) == place(small(), X)
    assert hand.undone() == "Move y"


def test_a_move_snaps_to_the_middle_line_of_another_and_alt_does_not(hand: Hand) -> None:
    target = hand.pixel(QPointF(40, 77))  # x is at 80
    hand.pull(hand.node(MUL), target)
    gesture = hand.hands.gesture
    assert isinstance(gesture, MoveGesture) and [guide.at for guide in gesture.way.guides if not guide.upright] == [80]
    hand.release(target)
    assert place(hand.drawing, MUL) == (40, 80)
    hand.store.undo()
    hand.pull(hand.node(MUL), target)
    QTest.mouseRelease(hand.view, LEFT, ALT, target)
    assert place(hand.drawing, MUL)[1] != 80 and hand.undone() == "Move y"


def test_on_no_line_a_move_ends_on_the_grid() -> None:
    way = snap(small(), (MUL,), (0, 0), 43.0, 216.0, 1.0)
    assert (way.dx, way.dy, way.guides) == (40, 220, ())
    assert snap(small(), (MUL,), (0, 0), -196.0, 216.0, 1.0).guides[0].upright


def test_escape_and_undo_in_the_middle_of_a_move(hand: Hand) -> None:
    hand.store.edit("Move x", shaping.move(hand.drawing, (X,), 0, 30))
    before = hand.drawing
    hand.pull(hand.node(MUL), hand.node(MUL) + QPoint(100, 50))
    hand.key(Qt.Key.Key_Escape)
    assert hand.view.drawing == before and hand.drawing is before
    hand.release(hand.node(MUL) + QPoint(100, 50))
    hand.pull(hand.node(MUL), hand.node(MUL) + QPoint(100, 50))
    hand.store.undo()
    assert hand.view.drawing == small() and hand.hands.gesture is None
    hand.release(EMPTY)
    assert hand.drawing == small()


def test_keys_move_what_is_picked(hand: Hand) -> None:
    hand.store.pick(frozenset({MUL}))
    hand.key(Qt.Key.Key_Right, CONTROL)
    hand.key(Qt.Key.Key_Right, CONTROL)
    hand.key(Qt.Key.Key_Down, CONTROL | SHIFT)
    assert place(hand.drawing, MUL) == (20, 50)
    hand.undone()
    assert hand.drawing == small(), "a run of presses is one edit"


def test_a_comment_is_resized_at_its_corner(qtbot: QtBot) -> None:
    hand = Hand(qtbot, with_comment())
    comment = hand.drawing.comments[0]
    corner = hand.pixel(QPointF(comment.x + comment.width - 4, comment.y + comment.height - 4))
    hand.drag(corner, corner + QPoint(50, 40))
    assert hand.drawing.comments[0].width > comment.width + 30
    assert hand.undone() == "Resize Comment"
    hand.pull(corner, corner + QPoint(50, 40))
    hand.key(Qt.Key.Key_Escape)
    assert hand.drawing == with_comment()


def test_the_middle_button_and_space_pan(hand: Hand) -> None:
    def left() -> float:
        return hand.view.camera.left

    before = left()
    QTest.mousePress(hand.view, MIDDLE, NONE, EMPTY)
    hand.move(EMPTY + QPoint(-60, 0))
    QTest.mouseRelease(hand.view, MIDDLE, NONE, EMPTY + QPoint(-60, 0))
    panned = left()
    assert panned > before
    QTest.keyPress(hand.view, Qt.Key.Key_Space)
    hand.drag(EMPTY, EMPTY + QPoint(60, 0))
    QTest.keyRelease(hand.view, Qt.Key.Key_Space)
    assert left() < panned and hand.store.state.picked == frozenset()


# typing


def test_a_double_click_opens_the_box_and_enter_makes_the_node_there(hand: Hand) -> None:
    hand.double(EMPTY)
    box = hand.hands.typing.box
    assert box.isVisible() and box.list.count() > 3
    hand.type("mul")
    assert box.entry is not None and box.entry.key == "mul"
    hand.key(Qt.Key.Key_Return)
    new = hand.drawing.nodes[-1]
    assert isinstance(new, Operation) and new.op == "mul" and near(hand.node(new.id), EMPTY)
    assert not box.isVisible() and QApplication.focusWidget() is hand.view
    assert hand.undone() == "Add mul"


@pytest.mark.parametrize(
    ("text", "maker", "data"),
    [("3.0", "tensor", 3.0), ("[1, 2, 3]", "tensor", (1, 2, 3)), ("randn(2,3)", "randn", (2, 3)), ("-1", "tensor", -1)],
)
def test_numbers_lists_and_factories_are_leaves(hand: Hand, text: str, maker: str, data: object) -> None:
    hand.type(text)
    hand.key(Qt.Key.Key_Return)
    new = hand.drawing.nodes[-1]
    assert isinstance(new, Leaf) and (new.maker, new.data) == (maker, data)


def test_an_expression_is_wired_to_what_it_names_and_invents_the_rest(hand: Hand) -> None:
    hand.type("loss = ((w*x + c) - t)**2")
    hand.key(Qt.Key.Key_Return)
    assert "loss = (w * x + c - t) ** 2" in text_of(hand.drawing)
    names = [node.name for node in hand.drawing.nodes if isinstance(node, Leaf)]
    assert names == ["w", "x", "c", "t"]
    hand.undone()
    assert hand.drawing == small()


def test_what_is_picked_is_wired_to_what_is_typed(hand: Hand) -> None:
    hand.store.pick(frozenset({X, W}))
    hand.type("*")
    hand.key(Qt.Key.Key_Return)
    assert hand.inputs(hand.drawing.nodes[-1].id) == (Ref(W), Ref(X)), "from top to bottom"
    hand.type("sum")
    hand.key(Qt.Key.Key_Return)
    assert hand.inputs(hand.drawing.nodes[-1].id) == (Ref(5),)


def test_the_list_is_walked_and_completes(hand: Hand) -> None:
    hand.type("li")
    box = hand.hands.typing.box
    hand.key(Qt.Key.Key_Tab)
    assert box.line.text() == "linear"
    hand.key(Qt.Key.Key_Down)
    second = box.entry
    hand.key(Qt.Key.Key_Return)
    new = hand.drawing.nodes[-1]
    assert second is not None and isinstance(new, Operation) and new.op == second.key


def test_what_cannot_be_made_is_said_below_the_box(hand: Hand) -> None:
    hand.type("w +* x")
    hand.key(Qt.Key.Key_Return)
    box = hand.hands.typing.box
    assert box.isVisible() and "can't read" in box.note.text()
    hand.key(Qt.Key.Key_Escape)
    assert not box.isVisible() and hand.drawing == small()
    hand.store.pick(frozenset({W}))
    hand.type("relu")
    wired = make(hand.drawing, "relu", hand.hands.typing._around).drawing
    hand.reasons[wired] = "no"
    hand.key(Qt.Key.Key_Return)
    assert "no" in box.note.text() and hand.drawing == small()


def test_who_types_on_before_the_answer_loses_nothing(hand: Hand) -> None:
    hand.waits = True
    hand.store.pick(frozenset({W}))
    hand.type("exp")
    hand.key(Qt.Key.Key_Return)
    hand.type("su")
    hand.answer("")
    assert hand.inputs(5) == (Ref(W),) and hand.hands.typing.box.line.text() == "su"
    hand.type("m")
    hand.key(Qt.Key.Key_Return)
    hand.answer("")
    assert hand.inputs(6) == (Ref(5),)


def test_the_box_goes_with_the_keyboard(hand: Hand) -> None:
    hand.type("m")
    assert hand.hands.typing.is_open
    hand.click(hand.node(W))
    assert not hand.hands.typing.is_open and hand.store.state.picked == {W}


def test_bare_functions_and_names_in_use() -> None:
    made = make(small(), "relu(w)", Around(0, 0))
    assert "relu(w)" in text_of(made.drawing)
    assert make(small(), "q = 2.", Around(0, 0)).label == "Add q"


# editing in place


def test_the_value_of_a_leaf_is_edited_in_its_place(hand: Hand) -> None:
    hand.double(hand.node(W))
    hand.type("5")
    hand.key(Qt.Key.Key_Return)
    leaf = hand.drawing.by_id[W]
    assert isinstance(leaf, Leaf) and leaf.data == 5.0 and isinstance(leaf.data, float)
    assert hand.undone() == "Change w" and QApplication.focusWidget() is hand.view
    hand.store.pick(frozenset({W}))
    hand.key(Qt.Key.Key_Return)
    hand.type("five")
    hand.key(Qt.Key.Key_Return)
    assert "no number" in hand.ground.overlay.sentence and hand.hands.inline.editor is not None
    hand.key(Qt.Key.Key_Escape)
    assert hand.hands.inline.editor is None and hand.drawing == small()


def test_names_comments_and_titles_are_edited_in_their_place(qtbot: QtBot) -> None:
    hand = Hand(qtbot, with_comment())
    hand.double(hand.node(MUL))
    hand.type("product")
    hand.key(Qt.Key.Key_Return)
    assert hand.undone() == "Rename y"
    comment = hand.drawing.comments[0]
    hand.double(hand.pixel(QPointF(comment.x + 30, comment.y + 60)))
    hand.type("because")
    hand.key(Qt.Key.Key_Return, CONTROL)
    assert hand.drawing.comments[0].text == "because" and hand.undone() == "Change Comment"


def test_a_group_is_opened_closed_and_renamed_by_a_double_click(qtbot: QtBot) -> None:
    hand = Hand(qtbot, with_group())
    group = hand.drawing.groups[0].id
    frame = hand.ground.pixels(hand.view.world_geometry.box(group))
    hand.double((frame.topRight() + QPointF(-20, 12)).toPoint())
    assert hand.drawing.groups[0].closed
    hand.double(hand.ground.pixels(hand.view.world_geometry.box(group)).center().toPoint())
    assert not hand.drawing.groups[0].closed
    hand.double((frame.topLeft() + QPointF(20, 12)).toPoint())
    hand.type("data")
    hand.key(Qt.Key.Key_Return)
    assert hand.drawing.groups[0].title == "data" and hand.undone() == "Rename Group"


def test_a_double_click_on_a_group_that_is_only_on_the_screen_does_nothing(qtbot: QtBot) -> None:
    hand, grouped = Hand(qtbot, small()), with_group()
    hand.ground.preview(grouped)  # what is on the screen may be one edit behind
    frame = hand.ground.pixels(hand.view.world_geometry.box(grouped.groups[0].id))
    hand.double((frame.topRight() + QPointF(-20, 12)).toPoint())
    assert hand.drawing == small()


# from the palette


def test_a_drop_places_an_operation_or_a_leaf(hand: Hand) -> None:
    hand.drop("exp", EMPTY)
    new = hand.drawing.nodes[-1]
    assert isinstance(new, Operation) and new.op == "exp" and near(hand.node(new.id), EMPTY)
    assert hand.store.state.picked == {new.id} and hand.undone() == "Add exp"
    hand.drop("leaf:matrix", EMPTY)
    leaf = hand.drawing.nodes[-1]
    assert isinstance(leaf, Leaf) and leaf.data == ((1.0, 2.0), (3.0, 4.0))
    hand.drop("no such thing", EMPTY)
    assert hand.ground.overlay.sentence


def test_a_drop_on_a_wire_goes_into_it(qtbot: QtBot) -> None:
    hand = Hand(qtbot, shaping.connect(small(), Ref(MUL), ADD, 0))
    middle = hand.pixel(hand.view.world_geometry.wire(ADD, 0).pointAtPercent(0.5))
    hand.hover_with("exp", middle)
    assert hand.hands.dropping._wire == (ADD, 0) and hand.ground.overlay.isVisible()
    hand.drop("exp", middle)
    new = hand.drawing.nodes[-1].id
    assert hand.inputs(new) == (Ref(MUL),) and hand.inputs(ADD) == (Ref(new), None)
    assert hand.undone() == "Insert exp"


# anything, at any moment


def test_a_wild_hand_breaks_nothing(qtbot: QtBot) -> None:
    drawing = shaping.group(with_comment(), (W,), "in")[0]
    hand = Hand(qtbot, shaping.connect(drawing, Ref(MUL), ADD, 0))
    chance = random.Random(7)
    keys = [Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Delete, Qt.Key.Key_Tab, Qt.Key.Key_Left, Qt.Key.Key_M]
    for _ in range(400):
        at = QPoint(chance.randrange(1000), chance.randrange(640))
        if hand.drawing.nodes and chance.random() < 0.6:
            node = chance.choice(hand.drawing.nodes).id
            at = chance.choice((hand.node(node), hand.out(node)))
        match chance.randrange(9):
            case 0 | 1:
                hand.press(at)
            case 2 | 3:
                hand.move(at)
            case 4:
                hand.release(at)
            case 5:
                QTest.mouseDClick(hand.view, LEFT, NONE, at)
            case 6:
                hand.key(chance.choice(keys))
            case 7:
                hand.key(Qt.Key.Key_L, CONTROL)
            case _:
                chance.choice((hand.store.undo, hand.store.redo))()
    hand.hands.cancel()
    hand.hands.typing.close()
    hand.hands.inline.close()
    assert hand.drawing == shaping.tidy(hand.drawing)
    assert not hand.hands.cancel()
