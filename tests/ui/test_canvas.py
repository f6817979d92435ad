"""The canvas widget: painting only what changed, camera, selection by mouse and keyboard, layout off the thread."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.trace.table.kinds import Kind
from gradviz.ui.canvas import TraceView
from gradviz.ui.canvas.trace_view import NO_TENSOR
from gradviz.ui.theme import DARK, LIGHT
from tests.trace.sample import MUL2, B, W, Y, sample_trace
from tests.ui.canvas_fixtures import CHAIN, LOOP, RECURRENCE, picture, run, settle, shown

TRAINED = """import torch
from torch import nn
torch.manual_seed(0)
data = torch.randn(64, 2)
far = ((data * 2).sum(1) > 0).float()
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
step = torch.optim.Adam(net.parameters()).step
for _ in range(2):
    (net(data).squeeze() - far).pow(2).mean().backward()
    step()
"""

ROUNDING = 32  # of 255: where a wide line is cut by the edge of the painted part


def place(view: TraceView, kind: str, index: int) -> QPoint:
    """The pixel in the middle of an item."""
    scene = view.scene
    assert scene is not None
    at = scene.place_of(scene.find(kind, index))
    assert at is not None
    return QPointF(*view.camera.to_screen(*at)).toPoint()


def wheel(view: TraceView, at: QPoint, turn: int, pixels: QPoint | None = None) -> None:
    event = QWheelEvent(
        QPointF(at), view.mapToGlobal(QPointF(at)), pixels or QPoint(), QPoint(0, turn),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def differing(one: QImage, other: QImage) -> int:
    """How many bytes of two pictures differ by more than the rounding of a clipped antialiased line."""
    a, b = (np.frombuffer(image.constBits(), np.uint8).astype(np.int16) for image in (one, other))
    return int((np.abs(a - b) > ROUNDING).sum())


def test_nothing_but_qt_is_imported_before_the_first_trace() -> None:
    code = "import sys, gradviz.ui.canvas; print([m for m in ('numpy', 'networkx') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("zoom", "snippet"), [(1.0, ""), (0.6, ""), (0.25, ""), (0.6, TRAINED)], ids=["1.0", "0.6", "0.25", "training"]
)
def test_a_step_repaints_what_it_changed_and_that_is_enough(qtbot: QtBot, zoom: float, snippet: str) -> None:
    trace = run(snippet) if snippet else sample_trace()
    view = shown(qtbot, trace, 0)
    view.follow = False
    view.viewport.zoom(zoom * view.camera.scale, QPointF(500, 320))
    view.viewport.sharpen()
    cursors = [*range(len(trace) + 1), *range(len(trace), -1, -1), 3, 17, 5, 12]
    for cursor in cursors:
        view.set_cursor(cursor)
        QApplication.processEvents()
        seen = picture(view)
        view.surface.repaint_all()
        QApplication.processEvents()
        assert differing(seen, picture(view)) == 0, f"cursor {cursor}"


def test_a_pan_scrolls_and_paints_the_rest(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    for dx, dy in ((13, 7), (-40, 21), (200, -90), (-3000, 0), (5, 5)):
        view.viewport.pan(dx, dy)
        QApplication.processEvents()
        seen = picture(view)
        view.surface.repaint_all()
        QApplication.processEvents()
        assert differing(seen, picture(view)) == 0


def test_a_step_is_one_paint_of_a_small_part(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, 12)
    areas: list[int] = []
    original = view.paintEvent
    view.paintEvent = lambda event: (  # type: ignore[method-assign]
        areas.append(sum(r.width() * r.height() for r in event.region())), original(event)
    )  # fmt: skip
    for cursor in (13, 14, 15):
        view.set_cursor(cursor)
        QApplication.processEvents()
    assert len(areas) == 3
    assert max(areas) < 0.5 * view.width() * view.height()


def test_the_wheel_zooms_at_the_pointer(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    at = QPoint(300, 200)
    before, scale = view.camera.to_world(300, 200), view.camera.scale
    wheel(view, at, 240)
    after = view.camera.to_world(300, 200)
    assert view.camera.scale > scale * 1.2
    assert after == pytest.approx(before, abs=1.0)
    wheel(view, at, -240)
    assert view.camera.scale == pytest.approx(scale, rel=0.01)


def test_two_fingers_pan(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    before = view.camera
    wheel(view, QPoint(300, 200), 0, QPoint(30, -20))
    assert view.camera.scale == before.scale
    assert view.camera.to_world(30, -20) == pytest.approx(before.to_world(0, 0), abs=1.0)


def test_zoom_fit_and_reset(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    fitted = view.camera
    view.viewport.zoom_in()
    assert view.camera.scale == pytest.approx(fitted.scale * 1.25)
    view.viewport.zoom_out()
    assert view.camera.scale == pytest.approx(fitted.scale)
    view.viewport.zoom_reset()
    assert view.camera.scale == pytest.approx(1.0)
    view.viewport.fit()
    assert view.camera == fitted
    view.resize(700, 500)
    QApplication.processEvents()
    assert view.camera.scale < fitted.scale, "a fitted picture stays fitted"
    view.viewport.zoom_out()
    small = view.camera.scale
    view.resize(690, 490)
    QApplication.processEvents()
    assert view.camera.scale == small, "who looks from afar stays there"
    view.resize(1400, 900)
    QApplication.processEvents()
    assert view.camera.scale > 1.2 * small, "in a much larger room, as on a stage, all of it is larger"


def test_a_click_selects_and_beside_it_deselects(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    with qtbot.waitSignal(view.selection.chosen) as caught:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, "tensor", W))
    assert caught.args == ["tensor", W]
    assert view.selection.current == ("tensor", W)
    with qtbot.waitSignal(view.selection.chosen) as caught:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, "node", MUL2))
    assert caught.args == ["node", MUL2]
    with qtbot.waitSignal(view.selection.cleared):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert view.selection.current is None


def test_a_drag_pans_and_selects_nothing(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    start, before = place(view, "tensor", W), view.camera
    with qtbot.assertNotEmitted(view.selection.chosen):
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(view, start + QPoint(30, 10))
        QTest.mouseMove(view, start + QPoint(60, 20))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 20))
    moved = (before.left - view.camera.left) * before.scale, (before.top - view.camera.top) * before.scale
    assert moved == pytest.approx((60, 20), abs=1.5)


def test_selecting_from_outside_is_no_news(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    with qtbot.assertNotEmitted(view.selection.chosen), qtbot.assertNotEmitted(view.selection.cleared):
        view.selection.select("tensor", B)
        assert view.selection.current == ("tensor", B)
        view.selection.clear()
    assert view.selection.current is None


def test_arrows_follow_the_edges(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    view.selection.select("node", MUL2)
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.selection.current == ("tensor", Y)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.selection.current == ("node", MUL2)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.selection.current is None
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.selection.current is not None, "begins at the current step"


def test_the_keyboard_reaches_every_item(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, len(trace))
    scene = view.scene
    assert scene is not None
    reached, frontier = set(), [scene.start_item()]
    while frontier:
        item = frontier.pop()
        if item in reached or item < 0:
            continue
        reached.add(item)
        for direction in ("left", "right", "up", "down"):
            scene.select_item(item)
            frontier.append(scene.next_item(direction))
    assert len(reached) == len(scene.placed.diagram)


def test_the_view_follows_the_current_step(qtbot: QtBot) -> None:
    trace = run(CHAIN.format(count=200))
    view = shown(qtbot, trace, 1, size=(600, 400))
    view.viewport.zoom_reset()
    for cursor in range(1, len(trace) + 1):
        view.set_cursor(cursor)
        scene = view.scene
        assert scene is not None
        for item in scene.moment.current:
            assert view.rect().intersects(scene.screen_box(item, view.camera))
            assert view.rect().contains(scene.screen_box(item, view.camera).center())


def test_all_parameters_of_an_optimizer_are_what_its_step_is_about(qtbot: QtBot) -> None:
    """The view opens on one of them, if there is no room for all, and goes to it."""
    trace = run(TRAINED)
    view = shown(qtbot, trace, size=(600, 300))
    for cursor in (len(trace), 1, len(trace)):
        view.set_cursor(cursor)
    scene = view.scene
    assert scene is not None and trace.steps.kind[len(trace) - 1] == Kind.OPTIMIZER
    told = {trace.frame_at(len(trace)).name(int(each)) for each in scene.placed.diagram.index[[*scene.moment.current]]}
    assert told == {"net[0].weight", "net[0].bias", "net[2].weight", "net[2].bias"}
    assert view.rect().contains(scene.screen_box(scene.moment.current[0], view.camera))


def test_the_view_goes_to_what_failed(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, 1, size=(400, 300))
    view.viewport.zoom(1.5 / view.camera.scale, QPointF(0, 0))
    view.set_cursor(len(trace))
    assert view.rect().contains(place(view, "node", MUL2))


def test_a_screen_reader_is_told_the_step(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 4)
    assert view.accessibleName() == "Graph"
    assert view.accessibleDescription() == "5 items. Now: mul × (line 7)"


def test_themes_look_different_and_keep_the_place(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    light, camera = picture(view), view.camera
    view.set_theme(DARK)
    QApplication.processEvents()
    assert differing(light, picture(view)) > 100_000
    assert view.camera == camera
    view.set_theme(LIGHT)
    QApplication.processEvents()
    assert differing(light, picture(view)) == 0


def test_a_projector_has_larger_text(qtbot: QtBot) -> None:
    view = shown(qtbot, run(LOOP), 3, size=(1800, 1100))
    before = view.camera.scale
    view.set_theme(LIGHT.scaled(1.5))
    assert view.camera.scale > before
    view.viewport.zoom_reset()
    assert view.camera.scale == pytest.approx(1.5)


def test_dashes_move_while_playing(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, 0)
    while view.scene is not None and not view.scene.moment.now.any():
        view.set_cursor(view._cursor + 1)
    QApplication.processEvents()
    before = picture(view)
    view.surface.motion.set_playing(True)
    qtbot.waitUntil(lambda: differing(before, picture(view)) > 0, timeout=60_000)
    view.surface.motion.set_playing(False)
    QApplication.processEvents()
    rest = picture(view)
    QTest.qWait(100)
    assert differing(rest, picture(view)) == 0


def test_ten_thousand_operations_deep(qtbot: QtBot) -> None:
    trace = run(CHAIN.format(count=10_000))
    view = TraceView(LIGHT)
    qtbot.addWidget(view, before_close_func=lambda widget: widget.shutdown())
    view.resize(800, 500)
    view.show()
    with qtbot.waitSignal(view.laid_out, timeout=60_000):
        view.set_trace(trace)
    for cursor in (0, 5000, 15_000, len(trace)):
        view.set_cursor(cursor)
        QApplication.processEvents()
    scene = view.scene
    assert scene is not None and scene.moment.items.all()


def test_a_growing_trace_is_laid_out_again(qtbot: QtBot) -> None:
    from gradviz.trace.table.trace import Trace
    from tests.trace.running import record

    trace = Trace(RECURRENCE)
    batches = list(record(RECURRENCE, every=2))
    trace.extend(batches[0])
    view = shown(qtbot, trace)
    few = len(view.scene.placed.diagram)  # type: ignore[union-attr]
    for batch in batches[1:]:
        trace.extend(batch)
    settle(view, lambda: view.set_trace(trace))
    view.set_cursor(len(trace))
    assert len(view.scene.placed.diagram) > few  # type: ignore[union-attr]
    assert view.scene.moment.items.sum() > few  # type: ignore[union-attr]


def test_the_same_trace_again_is_settled_at_once(qtbot: QtBot) -> None:
    trace = sample_trace()
    view = shown(qtbot, trace, 14)
    with qtbot.waitSignal(view.laid_out, timeout=100) as caught:
        view.set_trace(trace)
    assert caught.args == [True]


def test_another_trace_takes_the_place_of_the_first(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    other = run(LOOP)
    settle(view, lambda: view.set_trace(other))
    assert view.scene is not None and view.scene.trace is other
    view.set_trace(None)
    QApplication.processEvents()
    assert view.selection.current is None


def test_a_view_that_is_closed_at_work_leaves_nothing_behind(qtbot: QtBot) -> None:
    trace = run(CHAIN.format(count=2000))
    for _ in range(3):
        view = TraceView(LIGHT)
        qtbot.addWidget(view)
        view.show()
        view.set_trace(trace)
        view.shutdown()
        view.close()


def test_nothing_runs_in_a_view_that_was_shut_down(qtbot: QtBot) -> None:
    view = shown(qtbot, sample_trace(), 14)
    assert view.graph_layout.background.idle.isActive(), "the memory of the layout is given back later"
    view.shutdown()
    assert not [timer for timer in view.findChildren(QTimer) if timer.isActive()]
    assert not view.graph_layout.background.idle.isActive()
    view.graph_layout.background.placed.emit(None, None, True)  # what was on its way
    assert not view.graph_layout.background.idle.isActive()


def test_a_run_without_tensors_says_why_there_is_no_graph(qtbot: QtBot) -> None:
    view = shown(qtbot, run(LOOP))
    settle(view, lambda: view.set_trace(run("print(1)\n")))
    assert (view.scene, view.surface.invitation) == (None, NO_TENSOR)
    assert np.ptp(np.array(view.grab().toImage().constBits())) > 50, "it can be read"
    view.viewport.fit()
    view.viewport.zoom_in()
    settle(view, lambda: view.set_trace(run(LOOP)))
    assert view.scene is not None
