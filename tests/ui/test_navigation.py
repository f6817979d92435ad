"""Looking around on the canvas: flights, the rule that the graph is never lost, gestures, the card of the resting
pointer, what stands out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QAccessible, QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.session.folding import EVERYTHING, Folding, Presentation
from gradviz.session.inspect.lineage import ancestors
from gradviz.session.inspect.search import find
from gradviz.session.state import Selection
from gradviz.ui.canvas import TraceView
from gradviz.ui.canvas.camera import Camera, fitting, kept, on_the_way
from gradviz.ui.canvas.group_painter import away
from gradviz.ui.canvas.hover import beside
from gradviz.ui.canvas.hover_words import html, preview, words
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.theme import LIGHT
from tests.trace.sample import MUL2, WX, B, W, Y, sample_trace
from tests.ui.canvas_fixtures import ARRAYS, CHAIN, RECURRENCE, differing, picture, run, scene_of, settle, shown

NO_KEYS = Qt.KeyboardModifier.NoModifier


def scene_in(view: TraceView) -> Scene:
    assert view.scene is not None
    return view.scene


def place(view: TraceView, kind: str, index: int) -> QPoint:
    """The pixel in the middle of an item."""
    at = scene_in(view).place_of(scene_in(view).find(kind, index))
    assert at is not None
    return QPointF(*view.camera.to_screen(*at)).toPoint()


# cameras


def test_on_the_way_the_ends_are_the_ends_and_a_common_pixel_stays() -> None:
    start = Camera(1.0, 100.0, 50.0)
    target = start.zoomed(4.0, 300, 200)
    assert on_the_way(start, target, 0) == start
    assert on_the_way(start, target, 1) == target
    half = on_the_way(start, target, 0.5)
    assert half.scale == pytest.approx(2.0)
    assert half.to_world(300, 200) == pytest.approx(start.to_world(300, 200), abs=1)
    assert on_the_way(start, start.moved(10, 0), 0.5).left == pytest.approx(105.0)


@pytest.mark.parametrize("camera", [Camera(1.0, -5000, 0), Camera(1.0, 9000, 9000), Camera(3.0, 0, -7000)])
def test_some_of_the_graph_stays_in_view(camera: Camera) -> None:
    extent, width, height = (0.0, 0.0, 500.0, 300.0), 800, 600
    held = kept(camera, extent, width, height)
    left, top = held.to_screen(0, 0)
    right, bottom = held.to_screen(500, 300)
    assert min(right, width) - max(left, 0) >= 79 and min(bottom, height) - max(top, 0) >= 79
    whole = fitting(extent, width, height)
    assert kept(whole, extent, width, height) == whole


def test_one_can_not_get_lost(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    for dx, dy in ((-90_000, 0), (0, -90_000), (90_000, 90_000)):
        view.viewport.pan(dx, dy)
        assert view.viewport.shows_something
    for _ in range(60):
        view.viewport.zoom_out()
    assert view.viewport.shows_something
    extent = scene_in(view).extent()
    assert extent is not None
    assert (extent[2] - extent[0]) * view.camera.scale > 0.3 * view.width()


# flights


def test_a_flight_ends_where_a_jump_would(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    fitted = view.camera
    view.viewport.zoom_in()
    view.viewport.zoom_in()
    jumped = view.camera
    view.viewport.fit()
    view.viewport.flight.enabled = True
    view.viewport.zoom_in()
    view.viewport.zoom_in()  # during the first one: on from where that would end
    assert view.camera == fitted
    qtbot.waitUntil(lambda: not view.viewport.flight.is_flying)
    assert view.camera.scale == pytest.approx(jumped.scale)
    assert view.camera.left == pytest.approx(jumped.left, abs=1)
    view.viewport.sharpen()
    QApplication.processEvents()
    assert differing(view) == 0


def test_a_drag_ends_a_flight(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    view.viewport.zoom_reset()
    view.viewport.flight.enabled = True
    view.viewport.zoom_in()
    assert view.viewport.flight.is_flying
    view.viewport.pan(5, 5)
    assert not view.viewport.flight.is_flying


def test_a_zoom_of_what_is_slow_to_paint_shows_a_kept_picture_first(qtbot: QtBot) -> None:
    view = shown(qtbot, run(CHAIN.format(count=40)), 30)
    view.surface._seconds = 1.0
    view.viewport.zoom_out()
    QApplication.processEvents()
    assert view.surface._still is not None
    view.viewport.sharpen()
    QApplication.processEvents()
    assert view.surface._still is None
    assert differing(view) == 0


def test_zoom_to_the_selection_makes_it_readable(qtbot: QtBot) -> None:
    view = shown(qtbot, run(CHAIN.format(count=60)), 100, size=(600, 300))
    view.viewport.fit()
    view.selection.select("node", 20)
    view.viewport.fit_selection()
    assert view.camera.scale == pytest.approx(1.0)
    assert view.rect().contains(place(view, "node", 20))
    view.selection.clear()
    view.viewport.fit_selection()
    assert view.rect().contains(scene_in(view).screen_box(scene_in(view).moment.current[0], view.camera, 0))


# gestures


def native(view: TraceView, kind: Qt.NativeGestureType, value: float, at: QPoint) -> None:
    device = QPointingDevice.primaryPointingDevice()
    event = QNativeGestureEvent(kind, device, 2, QPointF(at), QPointF(at), QPointF(at), value, QPointF())
    QApplication.sendEvent(view, event)


def test_a_pinch_zooms_at_the_fingers(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    before, scale = view.camera.to_world(300, 200), view.camera.scale
    native(view, Qt.NativeGestureType.ZoomNativeGesture, 0.2, QPoint(300, 200))
    assert view.camera.scale == pytest.approx(scale * 1.2, rel=0.01)
    assert view.camera.to_world(300, 200) == pytest.approx(before, abs=1)


def test_a_smart_zoom_goes_to_the_item_and_back(qtbot: QtBot) -> None:
    view = shown(qtbot, run(CHAIN.format(count=60)), 100, size=(600, 300))
    view.viewport.fit()
    fitted = view.camera
    native(view, Qt.NativeGestureType.SmartZoomNativeGesture, 0, place(view, "node", 20))
    assert view.camera.scale > fitted.scale
    native(view, Qt.NativeGestureType.SmartZoomNativeGesture, 0, QPoint(5, 5))
    assert view.camera == fitted


def test_shift_and_the_wheel_pan_sideways(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    before = view.camera
    event = QWheelEvent(
        QPointF(300, 200), view.mapToGlobal(QPointF(300, 200)), QPoint(), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.ShiftModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)
    assert view.camera.scale == before.scale
    assert view.camera.left > before.left and view.camera.top == before.top


def drag(view: TraceView, start: QPoint, button: Qt.MouseButton) -> None:
    QTest.mousePress(view, button, pos=start)
    QTest.mouseMove(view, start + QPoint(30, 10))
    QTest.mouseMove(view, start + QPoint(60, 20))
    QTest.mouseRelease(view, button, pos=start + QPoint(60, 20))


def test_the_middle_button_drags(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    before = view.camera
    with qtbot.assertNotEmitted(view.selection.chosen):
        drag(view, place(view, "tensor", W), Qt.MouseButton.MiddleButton)
    assert view.camera.left < before.left


def test_with_space_held_a_click_selects_nothing(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    QTest.keyPress(view, Qt.Key.Key_Space)
    with qtbot.assertNotEmitted(view.selection.chosen):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, "tensor", W))
    QTest.keyRelease(view, Qt.Key.Key_Space)
    with qtbot.waitSignal(view.selection.chosen):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, "tensor", W))


def test_keys_pan_and_zoom(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    before = view.camera
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.camera.left > before.left
    QTest.keyClicks(view, "+")
    assert view.camera.scale > before.scale
    QTest.keyClicks(view, "-")
    assert view.camera.scale == pytest.approx(before.scale)


def test_a_double_click_or_enter_opens(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    with qtbot.waitSignal(view.input.opened) as caught:
        QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=place(view, "node", MUL2))
    assert caught.args == ["node", MUL2]
    view.selection.select("tensor", W)
    with qtbot.waitSignal(view.input.opened) as caught:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert caught.args == ["tensor", W]


def test_shift_and_a_click_name_the_other_end(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    view.selection.select("tensor", W)
    with qtbot.waitSignal(view.input.other_end) as caught:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, place(view, "node", MUL2))
    assert caught.args == ["node", MUL2]
    assert view.selection.current == ("tensor", W)


# hovering


def test_the_resting_pointer_brings_a_card_beside_the_item(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, len(trace))
    at = place(view, "tensor", W)
    QTest.mouseMove(view, at)
    qtbot.waitUntil(lambda: view.hover.card is not None and view.hover.card.isVisible())
    assert view.hover.card is not None
    assert "13" in view.hover.card.text()
    box = scene_in(view).screen_box(view.hover.card.item, view.camera, 0)
    assert not view.hover.card.geometry().intersects(box)
    QTest.mouseMove(view, QPoint(3, 3))
    assert not view.hover.card.isVisible()


def test_the_keyboard_brings_the_card_and_escape_hides_it(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    view.selection.select("tensor", Y)
    view.hover.show_details()
    assert view.hover.card is not None and view.hover.card.isVisible()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not view.hover.card.isVisible()
    assert view.selection.current == ("tensor", Y), "the first Escape is the card's"


def test_a_pan_takes_the_card_away(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    view.selection.select("tensor", Y)
    view.hover.show_details()
    view.viewport.pan(4, 4)
    assert view.hover.card is not None and not view.hover.card.isVisible()


ROOM = QRect(0, 0, 1000, 600)


@pytest.mark.parametrize(
    "box", [QRect(100, 100, 80, 60), QRect(900, 100, 80, 60), QRect(300, 10, 400, 60), QRect(300, 530, 400, 60),
            QRect(20, 20, 960, 500)],
)  # fmt: skip
def test_a_card_is_beside_its_item_and_in_the_window(box: QRect) -> None:
    found = beside(box, QSize(320, 220), ROOM)
    assert not found.intersects(box)
    assert ROOM.contains(found)


def test_what_the_card_says_of_a_tensor_and_of_an_operation(qapp: QApplication) -> None:
    trace = sample_trace()
    scene = scene_of(trace, len(trace))
    tensor = words(scene.placed.diagram, scene.moment.frame, scene.find("tensor", W))
    assert (tensor.title, tensor.kind) == ("w", "leaf · float32 []")
    said = {row.label: row.text for row in tensor.rows}
    assert said["value"] == "3" and said[".grad"] == "13" and said["used"] == "2 times"
    node = words(scene.placed.diagram, scene.moment.frame, scene.find("node", MUL2))
    assert node.formulas and "∂" in node.formulas[0]
    said = {row.label: row.text for row in node.rows}
    assert "y * w" in said["code"] and "freed" in said["saved self"]
    assert node.title in html(node, LIGHT)


def test_arrays_are_tables(qapp: QApplication) -> None:
    trace = run(ARRAYS)
    frame = trace.frame(len(trace))
    value, big = frame.value(0), frame.value(1)
    assert value is not None and big is not None
    assert preview(value) == (("1", "-2"), ("3", "0"))
    table = next(
        preview(found) for found in (frame.value(row) for row in range(len(trace.tensors)))
        if found is not None and found.shape == (6, 10)
    )  # fmt: skip
    assert len(table) == 6 and all(len(row) == 7 and row[3] == "…" for row in table)


# what stands out


def test_a_lineage_lets_the_rest_fade(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, len(trace))
    before = picture(view)
    scene = scene_in(view)
    view.selection.show_family(ancestors(trace, Selection("tensor", WX)))
    QApplication.processEvents()
    assert picture(view) != before
    (faded, low), (lit, full) = scene.marks.parts(scene.moment)
    assert (low, full) == (0.25, 1.0)
    assert lit.items[scene.find("tensor", W)] and not lit.items[scene.find("tensor", B)]
    assert faded.items[scene.find("tensor", B)] and not (faded.items & lit.items).any()
    assert (faded.items | lit.items).sum() == scene.moment.items.sum()
    view.selection.show_family(None)
    QApplication.processEvents()
    assert picture(view) == before


def test_steps_repaint_what_they_must_in_a_lineage(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, 0)
    view.follow = False
    view.selection.show_family(ancestors(trace, Selection("tensor", Y)))
    for cursor in range(len(trace) + 1):
        view.set_cursor(cursor)
        QApplication.processEvents()
        assert differing(view) == 0, f"cursor {cursor}"


UNROLLED = """\
import torch
x = torch.ones(3, requires_grad=True)
y = x
for i in range(12):
    y = y * 1.01 + x
y.sum().backward()
"""


@pytest.mark.parametrize("is_open", [False, True], ids=["collapsed", "open"])
def test_what_moves_looks_as_if_it_was_painted_there(qtbot: QtBot, is_open: bool) -> None:
    trace = run(UNROLLED)
    view = shown(qtbot, trace, len(trace) - 9, (700, 420))
    settle(view, lambda: view.collapse.present(Presentation(Folding(level=EVERYTHING if is_open else 0))))
    view.viewport.zoom_reset()
    qtbot.waitUntil(lambda: not scene_in(view).painter.coarse)
    titles = 0
    for across, down in [(-90, 33), (1, 1), (-151, -40), (60, 21), (211, 7), (-117, 1), (1, -63)]:
        view.viewport.pan(across, down)
        view.set_cursor(view._cursor + 1)  # which may move the camera a second time before anything is painted
        QApplication.processEvents()
        scene = scene_in(view)
        titles += bool(away(scene.placed, scene.moment, view.camera, view.width(), view.height()))
        assert differing(view) < 200, "letters on edges begin at parts of a pixel; a title or card is thousands"
    assert bool(titles) == is_open


def test_hits_are_ringed(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, len(trace))
    before = picture(view)
    view.selection.show_hits(find(trace, "mul", len(trace)))
    QApplication.processEvents()
    assert picture(view) != before
    assert differing(view) == 0
    hits = scene_in(view).marks.hits
    assert hits is not None and hits[scene_in(view).find("node", MUL2)] and hits.sum() == 2
    view.selection.show_hits(None)
    QApplication.processEvents()
    assert picture(view) == before


def test_hovering_brings_the_edges_of_an_item_forward(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, len(trace))
    before = picture(view)
    QTest.mouseMove(view, place(view, "node", MUL2))
    QApplication.processEvents()
    assert picture(view) != before
    assert differing(view) <= 6, "rounding where a wide line is cut by the edge of the painted part"
    QTest.mouseMove(view, QPoint(3, 3))
    QApplication.processEvents()
    assert picture(view) == before


def test_a_shared_leaf_shows_where_else_it_is_used(qapp: QApplication) -> None:
    scene = scene_of(run(RECURRENCE))
    item = scene.find("tensor", 0)
    assert len(scene.marks.uses_of(scene.moment, item)) > 8
    assert len(scene.marks.uses_of(scene.moment, scene.find("node", 0))) == 0


# screen readers


def test_a_screen_reader_is_told_what_is_selected(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    QAccessible.setActive(True)
    view.selection.select("tensor", W)
    assert view.accessibleDescription().endswith("Selected: w, leaf · float32 []")
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert "Selected" not in view.accessibleDescription()
    QAccessible.setActive(False)
