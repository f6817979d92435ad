"""Sliders on the canvas: by mouse and by keyboard, each drag one step of undo."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.snippet import Snippet
from gradviz.session.text_slope import held_at, numbers_in, program, values_of
from gradviz.ui.drawing.node_entry import LineField
from gradviz.ui.drawing.sliders import LeafSlider, range_in, range_of, value_at
from gradviz.ui.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
W = 1
TEXT = """import torch
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = w[0] ** 2 * (w[1] - 0 + 1 * 5.0 - 4)
y.backward()
"""
SQUARED = shaping.add_call(
    Drawing((Leaf(1, "w", 3.0, requires_grad=True), Operation(2, "mul", (Ref(1), Ref(1)), names=("y",))), next_id=3),
    Ref(2),
)


def weights() -> Drawing:
    drawing, _ = shaping.new_leaf(Drawing(), -200, -60, data=3.0, name="w", requires_grad=True)
    drawing, _ = shaping.new_leaf(drawing, -200, 80, data=(1.0, 2.0), name="v")
    return drawing


def slider_of(window: MainWindow, leaf: int = W) -> LeafSlider:
    return window.canvas.drawn.sliders.by_leaf[leaf]


def value(window: MainWindow) -> object:
    drawing = window.store.state.drawing
    assert drawing is not None
    leaf = drawing.by_id[W]
    assert isinstance(leaf, Leaf)
    return leaf.data


@pytest.fixture
def drawn(window: MainWindow, qtbot: QtBot) -> MainWindow:
    with qtbot.waitSignal(window.shell.live.ended, timeout=60_000):
        window.store.open(weights(), None)
    return window


def test_a_picked_number_has_a_slider_and_a_vector_has_none(drawn: MainWindow) -> None:
    assert not drawn.canvas.drawn.sliders.by_leaf
    drawn.store.pick(frozenset({2}))
    assert not drawn.canvas.drawn.sliders.by_leaf
    drawn.store.pick(frozenset({W}))
    assert slider_of(drawn).isVisible()
    card = drawn.canvas.drawn.view.world_geometry.box(W)
    left, top = drawn.canvas.drawn.view.camera.to_screen(card.left(), card.top())
    assert abs(slider_of(drawn).geometry().left() - left) <= 1
    assert slider_of(drawn).geometry().bottom() < top


@pytest.mark.parametrize(("data", "place"), [(1e308, 1000), (-1e308, 0), (10**400, 0), (float("inf"), 0)])
def test_a_number_far_outside_of_its_range(drawn: MainWindow, data: float, place: int) -> None:
    drawing, leaf = shaping.new_leaf(Drawing(), 0, 0, data=0.5, name="w")
    far = replace(drawing.by_id[leaf], data=data, slider=(0.0, 1.0))
    drawn.store.edit("Set w", replace(drawing, nodes=(far,)))
    drawn.store.pick(frozenset({leaf}))
    assert slider_of(drawn, leaf).value() == place


def test_a_slider_covers_no_card(drawn: MainWindow) -> None:
    card = drawn.canvas.drawn.view.world_geometry.box(W)
    near = shaping.new_leaf(weights(), -200, -60 - card.height() - 4, data=2.0, name="x")[0]
    drawn.store.edit("Add x", near)
    drawn.store.pick(frozenset({W}))
    card = drawn.canvas.drawn.view.world_geometry.box(W)
    _, bottom = drawn.canvas.drawn.view.camera.to_screen(card.left(), card.bottom())
    assert slider_of(drawn).isVisible() and slider_of(drawn).geometry().top() > bottom, "under it: x is above"


@pytest.mark.parametrize("height", range(-90, -50, 8))
def test_a_slider_covers_no_words_on_edges(window: MainWindow, qtbot: QtBot, height: int) -> None:
    drawing, w = shaping.new_leaf(Drawing(), 0, 0, data=3.0, name="w", requires_grad=True)
    drawing, x = shaping.new_leaf(drawing, -250, height, data=2.0, name="x", requires_grad=True)
    drawing, mul = shaping.new_operation(drawing, "mul", 250, height)
    drawing = shaping.connect(shaping.connect(drawing, Ref(w), mul, 0), Ref(x), mul, 1)
    with qtbot.waitSignal(window.shell.live.ended, timeout=60_000):
        window.store.open(shaping.add_call(drawing, Ref(mul)), None)
    window.store.pick(frozenset({w}))
    view = window.canvas.drawn.view
    view.grab()
    assert view.scene is not None
    place = QRectF(slider_of(window, w).geometry())
    pills = view.scene.painter.pills.painted
    assert pills
    for pill in pills:
        left, top = view.camera.to_screen(*pill.box[:2])
        right, bottom = view.camera.to_screen(*pill.box[2:])
        assert not place.intersects(QRectF(left, top, right - left, bottom - top)), pill


@pytest.mark.parametrize("data", [1e308, -1e300, 10**400])
def test_what_no_slider_can_move_has_none(drawn: MainWindow, data: float) -> None:
    drawn.store.edit("Change w", shaping.change_leaf(weights(), W, data=data, requires_grad=False))
    drawn.store.pick(frozenset({W}))
    assert drawn.store.state.picked == {W}
    assert not drawn.canvas.drawn.sliders.by_leaf


def test_one_with_a_range_of_its_own_is_always_there(drawn: MainWindow) -> None:
    drawn.store.edit("Change w", shaping.change_leaf(weights(), W, slider=(0.0, 4.0)))
    assert slider_of(drawn).value() == 750


def test_a_drag_is_one_step(drawn: MainWindow) -> None:
    drawn.store.pick(frozenset({W}))
    slider = slider_of(drawn)
    middle = slider.height() // 2
    start = QPoint(round(slider.width() * 0.65), middle)
    QTest.mousePress(slider, LEFT, pos=start)
    for x in range(1, 20):
        QTest.mouseMove(slider, start + QPoint(x, 0))
    QTest.mouseRelease(slider, LEFT, pos=start + QPoint(20, 0))
    assert value(drawn) != 3.0
    assert drawn.store.state.undo_label == "Change w"
    drawn.store.undo()
    assert value(drawn) == 3.0 and not drawn.store.state.undo_label


@pytest.mark.parametrize("zoom", [0.6, 1.0])
def test_cards_have_the_values_of_the_latest_run_at_any_zoom(drawn: MainWindow, qtbot: QtBot, zoom: float) -> None:
    view = drawn.canvas.drawn.view
    view.viewport.jump(replace(view.camera, scale=zoom))
    view.grab()
    with qtbot.waitSignal(drawn.shell.live.ended, timeout=30_000):
        drawn.store.edit("Change w", shaping.change_leaf(weights(), W, data=5.0))
    kept = view.grab().toImage()
    assert view.scene is not None
    view.scene.painter.sprites.known.clear()
    view.surface.repaint_all()
    assert kept == view.grab().toImage()


def test_the_keyboard_moves_it(drawn: MainWindow) -> None:
    drawn.store.pick(frozenset({W}))
    slider = slider_of(drawn)
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert value(drawn) == 3.2
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert value(drawn) == 10.0
    drawn.store.undo()
    assert value(drawn) == 3.2
    assert slider.value() == 660


def test_values_have_no_more_digits_than_the_slider_shows() -> None:
    assert value_at(501, -10.0, 10.0, whole=False) == 0.02
    assert value_at(333, 0.0, 1.0, whole=False) == 0.333
    assert value_at(501, -10.0, 10.0, whole=True) == 0
    assert range_of(Leaf(1, "w", 300.0)) == (-600.0, 600.0)
    assert range_of(Leaf(1, "w", 3.0, slider=(0.0, 5.0))) == (0.0, 5.0)


@pytest.mark.parametrize(
    ("text", "ends"), [("-5 to 5", (-5.0, 5.0)), ("0, 1e2", (0.0, 100.0)), ("3 -1", None), ("a to b", None), ("", None)]
)
def test_a_range_is_two_numbers(text: str, ends: tuple[float, float] | None) -> None:
    assert range_in(text) == ends


def test_the_range_is_edited_at_the_slider(drawn: MainWindow) -> None:
    drawn.store.pick(frozenset({W}))
    slider_of(drawn).setFocus()
    QTest.keyClick(slider_of(drawn), Qt.Key.Key_F2)
    (field,) = (each for each in drawn.canvas.drawn.view.findChildren(LineField) if each.isVisible())
    field.setText("7 to 1")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.isVisible() and "smaller one first" in drawn.store.state.notice.sentence
    field.setText("4 to 8")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not field.isVisible() and slider_of(drawn).ends == (4.0, 8.0)
    assert value(drawn) == 4.0, "what is out of the range goes to its end"


def test_who_holds_a_slider_sees_the_slope(drawn: MainWindow, qtbot: QtBot) -> None:
    card = drawn.canvas.drawn.sliders.slopes.card
    with qtbot.waitSignal(drawn.shell.live.ended, timeout=30_000):
        drawn.store.open(SQUARED, None)
    drawn.store.pick(frozenset({W}))
    slider_of(drawn).setFocus()
    QTest.keyClick(slider_of(drawn), Qt.Key.Key_Right)
    qtbot.waitUntil(card.isVisible, timeout=30_000)
    qtbot.waitUntil(lambda: card.said == "y against w: slope 6.4 = w.grad", timeout=30_000)
    assert {x: y for x, y in card.points}[-10.0] == 100.0 and len(card.points) == 41
    assert card.slope is not None and (card.slope.at, round(card.slope.root, 4)) == (3.2, 10.24)
    drawn.canvas.drawn.view.setFocus()
    assert not card.isVisible()


def test_who_holds_a_number_of_a_text_sees_the_slope(window: MainWindow, qtbot: QtBot) -> None:
    window.store.edit("Type", Snippet(TEXT))
    with qtbot.waitSignal(window.shell.runner.ended, timeout=30_000):
        window.commands.do("run.run")
    code, slope = window.editor.code, window.editor.slope
    code.setFocus()
    for number, said in (("3.0", "y against w[0]: slope 30 = w.grad[0]"), ("5.0", "y against 5 (line 3): slope ≈ 9")):
        at = QTextCursor(code.document())
        at.setPosition(TEXT.index(number) + 1)
        QTest.mousePress(code.viewport(), Qt.MouseButton.LeftButton, pos=code.cursorRect(at).center())
        qtbot.waitUntil(lambda: slope.card is not None, timeout=30_000)
        assert slope.card is not None and slope.card.said == said
        QTest.mouseRelease(code.viewport(), Qt.MouseButton.LeftButton, pos=code.cursorRect(at).center())
        assert slope.card is None


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("x = 1.0\n", 1, 5),
        ("x = 1.0\nx.backward(2 * x)\n", 1, 5),
        ("x = 1.0\nx.backward()\n", 1, 1),
        ("x = 'a1'\nx.backward()\n", 1, 6),
        ("x = True\nx.backward()\n", 1, 5),
        ("x = (\n", 1, 5),
        ("x = 1.0\nx.backward()\n", 9, 0),
    ],
)
def test_what_has_no_slope(text: str, line: int, column: int) -> None:
    assert held_at(text, line, column) is None


def test_a_number_is_put_in_where_it_stands() -> None:
    text = "é = 'ü'; w = tensor([[1., -2]], requires_grad=True)  # é\nw.sum().backward(); print(3)\n"
    held = held_at(text.replace("tensor", "t.tensor"), 1, 30)
    assert held is not None and (held.value, held.name, held.grad) == (-2.0, "w[0][1]", "w.grad[0][1]")
    first, *_ = program(text.replace("tensor", "t.tensor"), held, (0.5, 1.0)).split("print('curve next')")
    assert "t.tensor([[1., (0.5)]], requires_grad=True)  # é" in first
    assert "w.sum().backward(); print('curve', (w.sum()).item()); print(3)" in first
    assert numbers_in("3\ncurve 1.5\ncurve 2.5\ncurve next\ncurve 4\ncurve next\n", 2) == (2.5, 4.0)
    assert numbers_in("curve 1\ncurve next\ncurve next\n", 2) == ()
    assert values_of(held, 10**6) == () and len(values_of(held, 10)) == 44
