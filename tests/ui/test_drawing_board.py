"""Beginning to draw in the real window, and what the commands do by hand on a drawing."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.document.documents import text_of
from gradviz.document.drawing import Leaf, Ref
from gradviz.document.leaf_kinds import LEAF_KINDS
from gradviz.ui.drawing.interactions import Interactions
from tests.driver import RUN_TIMEOUT, Pilot
from tests.dropping import carried, drop, enter

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def hands(pilot: Pilot) -> Interactions:
    return pilot.window.canvas.drawn.hands


def typed(pilot: Pilot, text: str) -> None:
    QTest.keyClicks(QApplication.focusWidget(), text)
    pilot.press("Return")


def test_a_double_click_on_the_empty_window_begins_a_drawing(pilot: Pilot) -> None:
    invitation = pilot.window.canvas.invitation
    QTest.mouseDClick(invitation, LEFT, NONE, QPoint(60, 60))
    typed(pilot, "w = 3.")
    assert pilot.state.drawing is not None and "w = torch.tensor(3.)" in text_of(pilot.state.document)
    assert pilot.window.canvas.shows_drawing


def test_a_key_on_the_empty_window_begins_a_drawing(pilot: Pilot) -> None:
    button = pilot.window.canvas.invitation.buttons[0]
    button.setFocus()
    QTest.keyClick(button, "w")
    typed(pilot, "*x + b")
    assert "y = w * x + b" in text_of(pilot.state.document)
    pilot.press("Ctrl+Z")
    pilot.press("Ctrl+Z")
    assert pilot.state.drawing is None and pilot.state.document.is_blank


def test_a_drop_on_the_empty_window_begins_a_drawing(pilot: Pilot) -> None:
    invitation = pilot.window.canvas.invitation
    data, at = carried("leaf:scalar"), QPoint(200, 200)
    enter(invitation, data, at)
    assert pilot.state.drawing is None
    drop(invitation, data, at)
    assert pilot.state.drawing is not None and len(pilot.state.drawing.nodes) == 1


def test_a_snippet_with_text_is_not_drawn_over(pilot: Pilot) -> None:
    pilot.type_snippet("x = 1")
    pilot.window.shell.board.type_here()
    pilot.window.shell.board.add("mul")
    QTest.mouseDClick(pilot.window.canvas.invitation, LEFT, NONE, QPoint(60, 60))
    assert text_of(pilot.state.document) == "x = 1" and "snippet" in pilot.state.notice.sentence


def test_every_kind_of_leaf_can_be_placed(pilot: Pilot) -> None:
    for at, kind in enumerate(LEAF_KINDS, start=1):
        pilot.window.shell.board.add_leaf(kind.key)
        assert pilot.state.drawing is not None and isinstance(pilot.state.drawing.nodes[-1], Leaf)
        assert pilot.state.picked == {at}


def test_what_commands_place_does_not_lie_on_each_other_and_is_in_view(pilot: Pilot) -> None:
    board = pilot.window.shell.board
    for _ in range(4):
        board.add_leaf("matrix")
    pilot.window.store.pick(frozenset())
    board.add("exp")
    ground = hands(pilot).ground
    boxes = [ground.geometry.box(node.id) for node in ground.drawing.nodes]
    assert not any(one.intersects(other) for at, one in enumerate(boxes) for other in boxes[:at])
    assert ground.view.rect().toRectF().contains(ground.pixels(boxes[-1]))


def test_an_operation_from_a_command_is_wired_to_what_is_picked(pilot: Pilot) -> None:
    board = pilot.window.shell.board
    board.add_leaf("scalar")
    board.add("exp")
    pilot.qtbot.waitUntil(lambda: "y = torch.exp(w)" in text_of(pilot.state.document), timeout=RUN_TIMEOUT)
    assert pilot.state.undo_label == "Add exp"


def test_nodes_go_over_the_clipboard(pilot: Pilot) -> None:
    pilot.window.shell.board.type_here("w*x + b")
    pilot.press("Return")
    pilot.press("Ctrl+C")
    assert "y = w * x + b" in QApplication.clipboard().text()
    pilot.press("Ctrl+V")
    assert pilot.state.drawing is not None and len(pilot.state.drawing.nodes) == 10
    assert len(pilot.state.picked) == 5 and pilot.state.undo_label == "Paste"
    pilot.press("Ctrl+X")
    assert len(pilot.state.drawing.nodes) == 5 and pilot.state.undo_label == "Cut"
    QApplication.clipboard().setText("for all of us:")
    pilot.press("Ctrl+V")
    assert hands(pilot).ground.overlay.sentence and pilot.state.undo_label == "Cut"


def test_a_comment_is_written_where_it_is_placed(pilot: Pilot) -> None:
    pilot.window.shell.board.add_comment()
    QTest.keyClicks(QApplication.focusWidget(), "why")
    pilot.press("Ctrl+Return")
    drawing = pilot.state.drawing
    assert drawing is not None and drawing.comments[0].text == "why"
    pilot.window.shell.board.edit_here()
    assert hands(pilot).inline.editor is not None
    pilot.press("Escape")
    pilot.press("Delete")
    assert pilot.state.drawing is not None and pilot.state.drawing.is_blank


def test_everything_is_duplicated_by_a_key(pilot: Pilot) -> None:
    pilot.window.shell.board.type_here("w*x")
    pilot.press("Return")
    pilot.press("Ctrl+A")
    pilot.press("Ctrl+D")
    assert pilot.state.drawing is not None and len(pilot.state.drawing.nodes) == 6


def drawn(pilot: Pilot, text: str) -> int:
    """Type this with nothing selected; the node that it ends in."""
    pilot.window.store.pick(frozenset())
    pilot.window.shell.board.type_here(text)
    pilot.press("Return")
    assert pilot.state.drawing is not None
    return pilot.state.drawing.nodes[-1].id


def test_a_wrong_wire_is_refused_with_the_reason_that_the_worker_finds(pilot: Pilot) -> None:
    matrix, product = drawn(pilot, "A = randn(2, 3)"), drawn(pilot, "mm")
    found = hands(pilot)
    ground, view = found.ground, found.ground.view
    view.viewport.fit()
    for port in (0, 1):
        begin = ground.pixel(ground.geometry.port_out(Ref(matrix))).toPoint()
        end = ground.pixel(ground.geometry.port_in(product, port)).toPoint()
        QTest.mousePress(view, LEFT, NONE, begin)
        QTest.mouseMove(view, (begin + end) / 2)
        QTest.mouseMove(view, end)
        QTest.mouseRelease(view, LEFT, NONE, end)
        pilot.qtbot.waitUntil(lambda: bool(ground.overlay.sentence) or _wires(pilot) > 0, timeout=RUN_TIMEOUT)
    pilot.qtbot.waitUntil(lambda: bool(ground.overlay.sentence), timeout=RUN_TIMEOUT)
    assert ground.overlay.sentence == "mm: 2×3 with 2×3: the inner sizes 3 and 2 differ"
    assert _wires(pilot) == 1 and pilot.state.undo_label == "Connect"


def _wires(pilot: Pilot) -> int:
    drawing = pilot.state.drawing
    assert drawing is not None
    return sum(isinstance(one, Ref) for node in drawing.nodes for one in getattr(node, "inputs", ()))
