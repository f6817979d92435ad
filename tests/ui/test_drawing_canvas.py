"""A drawing on the canvas: with the values of its trace, at every cursor, and without any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from gradviz.document.code.parse import parse
from gradviz.document.documents import text_of
from gradviz.document.drawing import BackwardCall, Drawing, Group, Leaf, Operation, Ref
from gradviz.trace.table.kinds import Kind
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.content import GroupContent, OperationContent, TensorContent, content
from gradviz.ui.canvas.moment import FLOW
from gradviz.ui.drawing.geometry import Hit
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.theme import DARK, LIGHT
from tests.trace.running import run
from tests.ui.drawn_fixtures import ADD, AGAIN, GROUP, MUL, OPEN, SUM, W, X, everything, scene_of, shown


def grabbed(view: DrawingView, box: tuple[QPointF, QPointF]) -> bytes:
    """The pixels of a part of the world."""
    first, last = (QPoint(*(round(each) for each in view.camera.to_screen(p.x(), p.y()))) for p in box)
    image = view.grab().toImage().copy(first.x(), first.y(), last.x() - first.x(), last.y() - first.y())
    return bytes(image.constBits())


def around(view: DrawingView, node: int) -> tuple[QPointF, QPointF]:
    """The corners of a node."""
    box = view.world_geometry.box(node)
    return box.topLeft(), box.bottomRight()


def test_nodes_say_what_the_trace_says(qtbot: QtBot) -> None:
    view, trace = shown(qtbot)
    scene = scene_of(view)
    item = scene.addition.sketch.cards[Ref(W)]
    card = content(scene.placed.diagram, trace.frame(len(trace)), item)
    assert isinstance(card, TensorContent)
    assert (card.name, card.value.text) == ("w", "3")
    assert card.badge is not None and card.badge.complete
    circle = content(scene.placed.diagram, trace.frame(len(trace)), scene.addition.sketch.operations[MUL])
    assert isinstance(circle, OperationContent)
    assert (circle.symbol, circle.label, circle.ran) == ("×", "MulBackward0", True)


def test_an_operation_that_makes_more_than_it_gives_has_one_card(qtbot: QtBot) -> None:
    leaf = Leaf(1, "x", (2.0, 1.0), x=0, y=0)
    view, _ = shown(qtbot, Drawing((leaf, Operation(2, "argsort", (Ref(1),), x=200, y=0)), next_id=3))
    assert set(scene_of(view).addition.sketch.cards) == {Ref(1), Ref(2)}


@pytest.mark.parametrize(
    ("op", "params", "fewer", "names"),
    [("max", (("dim", 0),), (), ("best", "at")), ("unbind", (), (), ("a", "b", "c")), ("min", (("dim", 0),), (), ())],
)
def test_a_node_with_fewer_outputs_than_it_had_waits_for_its_run(
    qtbot: QtBot,
    op: str,
    params: tuple[tuple[str, int], ...],
    fewer: tuple[tuple[str, int], ...],
    names: tuple[str, ...],
) -> None:
    leaf = Leaf(1, "x", (2.0, 1.0, 3.0), x=0, y=0, requires_grad=True)
    node = Operation(2, op, (Ref(1),), params, names=names, x=200, y=0)
    before = Drawing((leaf, node), next_id=3)
    view, trace = shown(qtbot, before)
    assert Ref(2, 1) in scene_of(view).addition.sketch.cards
    after = Drawing((leaf, replace(node, params=fewer, names=names[:1])), next_id=3)
    view.show_drawing(after, before, trace)
    assert set(scene_of(view).addition.sketch.cards) == {Ref(1), Ref(2)}
    assert not view.grab().isNull()


def test_gradients_flow_on_the_wires(qtbot: QtBot) -> None:
    view, _ = shown(qtbot)
    scene = scene_of(view)
    assert scene.moment.flow[scene.addition.sketch.wires[AGAIN, 1]] == FLOW
    assert scene.moment.flow[scene.addition.sketch.wires[MUL, 0]] == FLOW
    assert scene.moment.flow[scene.addition.sketch.wires[MUL, 1]] != FLOW, "x does not require grad"


def test_everything_is_there_at_every_cursor_and_nothing_moves(qtbot: QtBot) -> None:
    view, trace = shown(qtbot)
    places = dict(view.world_geometry.boxes)
    camera = view.camera
    for cursor in range(len(trace), -1, -1):
        view.set_cursor(cursor)
        assert view.world_geometry.boxes == places
        assert view.camera == camera
    assert not scene_of(view).moment.items.any()
    blank = grabbed(view, around(view, ADD))
    assert len(set(blank[::4])) > 3, "what has not run is drawn faint"


def test_what_has_not_run_is_drawn_before_any_run(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, ran=False)
    assert view.drawn is None
    for node in (W, X, MUL, OPEN):
        assert len(set(grabbed(view, around(view, node))[::4])) > 3


def test_a_node_that_is_several_operations_is_one_item(qtbot: QtBot) -> None:
    nodes = (
        Leaf(1, "x", ((1.0, 2.0),)),
        Leaf(2, "w", ((1.0, 2.0), (3.0, 4.0)), requires_grad=True, y=200),
        Operation(3, "nn.functional.linear", (Ref(1), Ref(2)), names=("y",), x=300),
        Operation(4, "sum", (Ref(3),), names=("loss",), x=700),
    )
    view, trace = shown(qtbot, Drawing(nodes, calls=(BackwardCall(Ref(4)),), next_id=5))
    scene = scene_of(view)
    assert view.drawn is not None
    item = scene.addition.sketch.operations[3]
    rows = view.drawn.rows[3]
    assert len(rows) > 1
    assert {int(scene.placed.diagram.item_of_node[row]) for row in rows} == {item}
    steps = trace.steps
    own = np.flatnonzero(np.isin(steps.node, rows) & (steps.kind == Kind.FORWARD))
    for step in own.tolist():
        view.set_cursor(step + 1)
        assert scene_of(view).moment.current == (item,)
    view.set_cursor(len(trace))
    assert scene.moment.flow[scene.addition.sketch.wires[3, 1]] == FLOW


def test_a_tensor_at_two_ports_has_two_wires_with_gradients_of_their_own(qtbot: QtBot) -> None:
    nodes = (Leaf(1, "x", 3.0, requires_grad=True), Operation(2, "mul", (Ref(1), Ref(1)), names=("y",), x=300))
    view, _ = shown(qtbot, Drawing(nodes, calls=(BackwardCall(Ref(2)),), next_id=3))
    scene = scene_of(view)
    first, second = scene.addition.sketch.wires[2, 0], scene.addition.sketch.wires[2, 1]
    diagram = scene.placed.diagram
    assert first != second
    assert diagram.uses[diagram.use_start[first]] != diagram.uses[diagram.use_start[second]]
    assert scene.moment.flow[[first, second]].tolist() == [FLOW, FLOW]


def test_a_click_selects_the_row_of_the_trace(qtbot: QtBot) -> None:
    view, _ = shown(qtbot)
    scene = scene_of(view)
    assert view.drawn is not None
    view.selection.select("node", view.drawn.rows[MUL][0])
    assert scene.selected == scene.addition.sketch.operations[MUL]
    assert scene.words(scene.selected).title


def test_a_run_with_other_values_keeps_the_diagram(qtbot: QtBot) -> None:
    view, trace = shown(qtbot)
    before = scene_of(view)
    other = everything(w=5.0)
    again = run(text_of(other))
    assert len(again) == len(trace)
    view.show_drawing(other, other, again)
    after = scene_of(view)
    assert after.placed.corner is before.placed.corner
    assert after.placed.diagram.trace is again
    card = content(after.placed.diagram, again.frame(len(again)), after.addition.sketch.cards[Ref(W)])
    assert isinstance(card, TensorContent) and card.value.text == "5"
    assert after.painter.sprites is before.painter.sprites


def test_a_run_with_other_rows_makes_another(qtbot: QtBot) -> None:
    view, _ = shown(qtbot)
    before = scene_of(view)
    other = everything()
    other = replace(other, nodes=tuple(
        replace(node, requires_grad=False) if isinstance(node, Leaf) else node for node in other.nodes
    ), calls=())  # fmt: skip
    view.show_drawing(other, other, run(text_of(other)))
    assert scene_of(view).placed.corner is not before.placed.corner


def test_nodes_that_are_dragged_keep_the_diagram_and_its_pictures(qtbot: QtBot) -> None:
    view, trace = shown(qtbot)
    before, drawing = scene_of(view), everything()
    moved = replace(drawing, nodes=tuple(
        replace(node, x=node.x + 40, y=node.y - 25) if node.id == SUM else node for node in drawing.nodes
    ))  # fmt: skip
    view.show_drawing(moved, drawing, trace)
    after = scene_of(view)
    assert after.placed.diagram is before.placed.diagram and after.painter.sprites is before.painter.sprites
    item = after.addition.sketch.operations[SUM]
    assert (after.placed.corner[item] - before.placed.corner[item]).tolist() == [40, -25]
    edge = after.addition.sketch.wires[SUM, 0]
    assert (after.placed.cubics[edge, 3] - before.placed.cubics[edge, 3]).tolist() == [40, -25]
    fresh, _ = shown(qtbot, moved)
    assert np.array_equal(scene_of(fresh).placed.corner, after.placed.corner)
    assert np.array_equal(scene_of(fresh).placed.cubics, after.placed.cubics)


def test_between_an_edit_and_its_run_old_values_stay(qtbot: QtBot) -> None:
    view, trace = shown(qtbot)
    drawing = everything()
    more = replace(drawing, nodes=(*drawing.nodes, Operation(15, "exp", (Ref(SUM),), x=1500, y=80)), next_id=16)
    box, camera = view.world_geometry.box(SUM), view.camera
    view.show_drawing(more, drawing, trace)
    scene = scene_of(view)
    assert Ref(SUM) in scene.addition.sketch.cards and 15 not in scene.addition.sketch.operations
    assert view.world_geometry.box(SUM) == box
    assert view.camera == camera, "an edit does not move the picture"
    fewer = replace(drawing, nodes=tuple(node for node in drawing.nodes if node.id != AGAIN), calls=())
    view.show_drawing(fewer, drawing, trace)
    assert AGAIN not in scene_of(view).addition.sketch.operations


def test_a_closed_group_hides_its_members(qtbot: QtBot) -> None:
    drawing = everything()
    closed = replace(drawing, groups=(Group(GROUP, "line", frozenset((MUL, ADD)), closed=True),))
    view, trace = shown(qtbot)
    view.show_drawing(closed, drawing, trace)
    scene = scene_of(view)
    assert MUL not in scene.addition.sketch.operations and Ref(ADD) not in scene.addition.sketch.cards
    assert AGAIN in scene.addition.sketch.operations
    item = scene.addition.sketch.groups[GROUP]
    said = content(scene.placed.diagram, trace.frame(len(trace)), item)
    assert isinstance(said, GroupContent)
    assert (said.title, said.operations, said.ran, said.went) == ("line", 2, 2, 2)
    for wire in ((MUL, 0), (ADD, 1), (AGAIN, 0)):
        assert scene.moment.flow[scene.addition.sketch.wires[wire]] == FLOW
    assert scene.words(item).title == "line"
    for cursor in range(len(trace)):
        view.set_cursor(cursor)
    assert len(set(grabbed(view, around(view, GROUP))[::4])) > 3


def test_what_is_picked_and_what_is_under_the_pointer_is_seen(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, theme=DARK)
    plain = view.grab().toImage()
    view.set_picked(frozenset((W, GROUP)))
    picked = view.grab().toImage()
    assert picked != plain
    view.set_hovered(Hit("in", OPEN, 1))
    assert view.grab().toImage() != picked


def test_nodes_go_to_their_new_places_in_a_movement(qtbot: QtBot) -> None:
    view, trace = shown(qtbot)
    view.animated = view.viewport.flight.enabled = True
    drawing = everything()
    moved = replace(drawing, nodes=tuple(replace(node, x=node.x + 300) for node in drawing.nodes))
    view.show_drawing(moved, drawing, trace, moving=True)
    assert view.transition.is_going
    assert view.world_geometry.circles[MUL].center().x() < 520
    view.show_drawing(moved, drawing, trace, moving=True)
    assert view.transition.is_going, "a run that ends meanwhile does not cut it short"
    view.transition.finish()
    assert view.world_geometry.circles[MUL].center().x() == 520
    view.show_drawing(drawing, drawing, trace)
    assert not view.transition.is_going, "what is moved by hand is where the hand is"


def test_fit_shows_all_of_a_drawing_also_what_has_not_run(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, ran=False)
    view.viewport.fit()
    assert view.viewport.shows_everything
    left, top = view.camera.to_world(0, 0)
    right, bottom = view.camera.to_world(view.width(), view.height())
    extent = view.world_geometry.extent()
    assert left < extent.left() and top < extent.top() and right > extent.right() and bottom > extent.bottom()


def test_a_blank_drawing_invites(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Drawing(), ran=False)
    assert view.viewport.extent is None
    assert view.camera.scale == 1.0
    image = view.grab().toImage()
    colours = {image.pixel(x, y) for x in range(440, 840, 3) for y in range(370, 430, 2)}
    assert len(colours) > 2
    x, y = view.camera.to_screen(0, 0)
    assert (x, y) == (view.width() / 2, view.height() / 2)


def test_the_node_that_raised_is_marked_with_the_reason(qtbot: QtBot) -> None:
    left, right = ((1.0, 2.0),), ((1.0, 2.0, 3.0),)
    nodes = (Leaf(1, "a", left), Leaf(2, "b", right, y=150), Operation(3, "mm", (Ref(1), Ref(2)), x=300, y=70))
    view, trace = shown(qtbot, Drawing(nodes, next_id=4))
    assert view.drawn is not None and view.drawn.failed == 3
    box = view.world_geometry.circles[3].adjusted(-60, -10, 60, 90)
    marked = grabbed(view, (box.topLeft(), box.bottomRight()))
    view.set_cursor(len(trace) - 1)
    assert grabbed(view, (box.topLeft(), box.bottomRight())) != marked


def test_a_closed_group_is_marked_with_the_reason_of_what_raised_in_it(qtbot: QtBot) -> None:
    left, right = ((1.0, 2.0),), ((1.0, 2.0, 3.0),)
    nodes = (Leaf(1, "a", left), Leaf(2, "b", right, y=150), Operation(3, "mm", (Ref(1), Ref(2)), x=300, y=70))
    group = Group(4, "product", frozenset((3,)), closed=True)
    view, trace = shown(qtbot, Drawing(nodes, groups=(group,), next_id=5))
    assert view.drawn is not None and view.drawn.failed == 3
    box = view.world_geometry.boxes[4].adjusted(-60, -10, 60, 90)
    error = QColor(LIGHT.error).rgb()

    def red() -> int:
        left, top = view.camera.to_screen(box.left(), box.top())
        right, bottom = view.camera.to_screen(box.right(), box.bottom())
        image = view.grab(QRect(round(left), round(top), round(right - left), round(bottom - top))).toImage()
        return sum(image.pixel(x, y) == error for x in range(image.width()) for y in range(image.height()))

    assert red() > 100
    view.set_cursor(len(trace) - 1)
    assert not red(), "before the error"


def test_values_of_an_older_drawing_fade_only_when_the_run_is_late(qtbot: QtBot) -> None:
    view, trace = shown(qtbot)
    other = everything(w=5.0)
    view.show_drawing(other, everything(), trace)
    assert scene_of(view).addition.stale == frozenset(), "nothing flickers"
    qtbot.waitUntil(lambda: SUM in scene_of(view).addition.stale, timeout=60_000)
    faded = grabbed(view, around(view, SUM))
    view.show_drawing(other, other, run(text_of(other)))
    assert scene_of(view).addition.stale == frozenset()
    assert grabbed(view, around(view, SUM)) != faded


def test_what_gave_on_its_input_looks_as_what_ran(qtbot: QtBot) -> None:
    drawing = parse("import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x.contiguous()\nz = y.exp()\n")
    view, _ = shown(qtbot, drawing)
    scene = scene_of(view)
    same = next(node.id for node in drawing.nodes if isinstance(node, Operation) and "contiguous" in node.op)
    assert same in scene.addition.sketch.drawn.passed and Ref(same) in scene.addition.sketch.cards
    assert scene.addition.painting._has_passed(scene.moment, same)
    ran = view.grab().toImage()
    scene.addition.painting._has_passed = lambda moment, node: False  # type: ignore[method-assign]
    view.update()
    assert view.grab().toImage() != ran
    view.set_cursor(0)
    assert not scene_of(view).moment.items.any()


@pytest.mark.parametrize("scale", [1.0, 0.8, 0.6, 0.4, 0.2])
def test_the_mark_of_a_backward_call_is_never_empty(qtbot: QtBot, scale: float) -> None:
    view, _ = shown(qtbot)
    mark = view.world_geometry.call_mark(0)
    view.viewport.jump(Camera(scale, mark.center().x() - 200 / scale, mark.center().y() - 200 / scale))
    inner = mark.adjusted(mark.height() / 3, mark.height() / 4, -mark.height() / 3, -mark.height() / 4)
    pixels = grabbed(view, (inner.topLeft(), inner.bottomRight()))
    assert len({pixels[at : at + 4] for at in range(0, len(pixels), 4)}) > 2
