"""The timeline: what it draws at every zoom, what mouse, wheel and keys do, and that a million steps are no slower than
ten."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.document.snippet import Snippet
from gradviz.session.breakpoints.points import Playback
from gradviz.session.state import Phase, Run, Selection
from gradviz.session.timeline.outline import Strip
from gradviz.session.timeline.zoom import Span, whole
from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.ui.panels.timeline import Content, TimelinePanel, draw, tooltip
from gradviz.ui.panels.timeline_paint import Geometry, colour_of
from gradviz.ui.panels.timeline_plots import areas, lanes_area
from gradviz.ui.theme import LIGHT
from tests.driver import Pilot
from tests.trace.running import run

MANY = 120_000
TRAIN = """\
import torch
w = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for t in range(20):
    opt.zero_grad()
    loss = (w * 2 - 4) ** 2
    loss.backward()
    opt.step()
print("done")
"""


def long_trace(steps: int) -> Trace:
    """Prints, and an error at the end."""
    out = Writer()
    text = out.text("x\n")
    for step in range(steps):
        kind = Kind.ERROR if step == steps - 1 else Kind.PRINT
        out.add("steps", kind, -1, -1, -1, -1, 0 if kind is Kind.ERROR else step)
        if kind is Kind.PRINT:
            out.add("texts", step, out.text("out"), text)
    out.add("errors", steps - 1, out.text("RuntimeError"), text, 1, text, text)
    trace = Trace()
    trace.extend(out.take())
    return trace


@pytest.fixture(scope="module")
def many() -> Trace:
    return long_trace(MANY)


@pytest.fixture
def trained(pilot: Pilot) -> TimelinePanel:
    """A window that shows a training of twenty iterations, at its end."""
    show(pilot, run(TRAIN), TRAIN)
    return timeline_of(pilot)


def show(pilot: Pilot, trace: Trace, text: str) -> None:
    store = pilot.window.store
    store.open(Snippet(text), None)
    store.end_run(Run(Phase.OK, store.state.document), trace)


def timeline_of(pilot: Pilot) -> TimelinePanel:
    return cast(TimelinePanel, pilot.window.panel_area.panels["timeline"])


def geometry_of(steps: int, span: Span | None = None) -> Geometry:
    return Geometry(900, 160, LIGHT, steps, span or whole(steps))


def wheel(panel: TimelinePanel, notches: int, modifiers: Qt.KeyboardModifier, x: float = 300.0) -> None:
    at = QPointF(x, panel.geometry_.strip.center().y())
    event = QWheelEvent(
        at,
        panel.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(panel, event)


def click(panel: TimelinePanel, x: float, y: float) -> None:
    QTest.mouseClick(panel, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(round(x), round(y)))


@pytest.mark.parametrize("span", [None, Span(MANY - 50_000, MANY), Span(MANY - 30, MANY)])
def test_the_error_at_the_end_is_seen_among_many(qapp: object, many: Trace, span: Span | None) -> None:
    geometry = geometry_of(MANY, span)
    content = Content(many, MANY)
    image = draw(content, geometry, QSize(900, 160), 1.0).toImage()
    row = geometry.strip
    colours = {image.pixelColor(x, int(row.top()) + 2).name() for x in range(int(row.left()), int(row.right()))}
    assert colour_of(LIGHT, "ERROR") in colours
    assert colour_of(LIGHT, "PRINT") in colours


@pytest.mark.parametrize(
    ("cursor", "steps", "span"),
    [
        (0, 10, None),
        (1, 10, None),
        (5, 10, None),
        (10, 10, None),
        (77_777, MANY, None),
        (MANY, MANY, None),
        (5_003, MANY, Span(4_990.3, 5_010.8)),
    ],
)
def test_the_playhead_and_the_mouse_agree(cursor: int, steps: int, span: Span | None) -> None:
    geometry = geometry_of(steps, span)
    x, y = geometry.playhead(cursor), geometry.strip.center().y()
    assert geometry.cursor_at(x if cursor else x - 1, y, 0) == cursor
    assert geometry.step_at(geometry.left_of(3.25)) == pytest.approx(3.25)


@pytest.mark.parametrize("cursor", [0, 1, 50_000, MANY - 1, MANY])
def test_the_lens_shows_the_steps_around_the_cursor_and_takes_clicks(cursor: int) -> None:
    geometry = geometry_of(MANY)
    assert geometry.is_dense and not geometry_of(20).is_dense
    first, count = geometry.lens_range(cursor)
    assert 0 <= first <= max(cursor - 1, 0) < first + count <= MANY
    width, y = geometry.lens.width() / count, geometry.lens.center().y()
    for place in range(count):
        assert geometry.cursor_at(geometry.lens.left() + (place + 0.5) * width, y, cursor) == first + place + 1


def test_rows_stand_one_under_the_other() -> None:
    for scale in (0.8, 1.0, 2.0):
        geometry = Geometry(900, 400, LIGHT.scaled(scale), MANY, whole(MANY), has_iterations=True)
        rows = [
            *(geometry.overview, geometry.iterations, geometry.handles, geometry.strip),
            *(geometry.marks, geometry.phases, geometry.lens, geometry.plots),
        ]
        assert all(upper.bottom() <= lower.top() for upper, lower in pairwise(rows))
        assert rows[-1].bottom() <= 400


def test_a_step_in_a_long_trace_draws_the_strip_no_second_time(pilot: Pilot, many: Trace) -> None:
    timeline = timeline_of(pilot)
    timeline.resize(1200, 200)
    show(pilot, many, "x")
    timeline.repaint()
    made = timeline._picture
    for cursor in np.linspace(0, MANY, 25).astype(int).tolist():
        pilot.window.store.move(cursor)
        timeline.repaint()
    assert timeline._picture is made


def test_the_wheel_steps_zooms_and_moves_along(trained: TimelinePanel, pilot: Pilot) -> None:
    steps = pilot.state.steps
    wheel(trained, 1, Qt.KeyboardModifier.NoModifier)
    assert pilot.state.cursor == steps - 1
    at = trained.geometry_.step_at(300.0)
    wheel(trained, 3, Qt.KeyboardModifier.ControlModifier)
    assert trained.span.width < steps and trained.geometry_.step_at(300.0) == pytest.approx(at)
    before = trained.span
    wheel(trained, -1, Qt.KeyboardModifier.ShiftModifier)
    assert trained.span.start > before.start and trained.span.width == pytest.approx(before.width)
    wheel(trained, -20, Qt.KeyboardModifier.ControlModifier)
    assert trained.span == whole(steps)


def test_a_double_click_shows_all_steps_again(trained: TimelinePanel, pilot: Pilot) -> None:
    trained.zoom(0.1, 100)
    place = trained.geometry_.strip.center().toPoint()
    QTest.mouseDClick(trained, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert trained.span == whole(pilot.state.steps)


def test_the_keyboard_zooms_moves_along_and_marks(trained: TimelinePanel, pilot: Pilot) -> None:
    trained.setFocus()
    pilot.press("+")
    assert trained.span.width < pilot.state.steps
    pilot.window.store.move(10)
    QTest.keyClick(trained, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert trained.span.start > 0 and pilot.state.cursor == 10
    pilot.press("0")
    assert trained.span == whole(pilot.state.steps)
    pilot.press("[")
    pilot.window.store.move(20)
    pilot.press("]")
    assert pilot.state.playback == Playback(a=9, b=20)
    pilot.press("Backspace")
    assert pilot.state.playback == Playback()
    QTest.keyClick(trained, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    trace = pilot.state.trace
    assert trace is not None and trace.steps.kind[pilot.state.cursor - 1] in (Kind.ACCUMULATE, Kind.INPLACE)


def test_the_span_follows_the_cursor(trained: TimelinePanel, pilot: Pilot) -> None:
    trained.zoom(0.1, 5)
    pilot.window.store.move(pilot.state.steps)
    pilot.window.store.move(150)
    assert trained.span.start <= 150 <= trained.span.end


def test_the_overview_moves_what_is_in_view(trained: TimelinePanel, pilot: Pilot) -> None:
    trained.zoom(0.1, 0)
    row = trained.geometry_.overview
    cursor = pilot.state.cursor
    click(trained, row.right() - 20, row.center().y() + 1)
    assert trained.span.end > 0.9 * pilot.state.steps and pilot.state.cursor == cursor


def test_a_click_on_a_title_loops_over_its_steps(trained: TimelinePanel, pilot: Pilot) -> None:
    assert trained.content is not None and len(trained.content.iterations) == 20
    geometry = trained.geometry_
    assert geometry.has_iterations
    click(trained, geometry.iterations.center().x(), geometry.iterations.center().y())
    playback = pilot.state.playback
    assert playback.loops and "t = " in pilot.state.notice.sentence
    assert {playback.a, playback.b} <= {*trained.content.iterations.starts, *trained.content.iterations.ends}
    x = trained.geometry_.left_of(playback.a) + 3
    y = trained.geometry_.handles.center().y()
    QTest.mousePress(trained, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(round(x), round(y)))
    QTest.mouseMove(trained, QPoint(round(trained.geometry_.left_of(30)), round(y)))
    QTest.mouseRelease(trained, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(40, round(y)))
    assert pilot.state.playback.a != playback.a and pilot.state.playback.b == playback.b


def test_tooltips_say_what_is_there(trained: TimelinePanel, pilot: Pilot) -> None:
    geometry, content = trained.geometry_, trained.content
    assert content is not None

    def said(at: QPointF) -> str:
        return tooltip(at.toPoint(), geometry, content, pilot.state)

    assert "t = " in said(geometry.iterations.center()) and "loop" in said(geometry.iterations.center())
    assert "steps" in said(geometry.phases.center())
    assert said(geometry.strip.center()).startswith("Step ")
    accumulation = int(np.flatnonzero(content.strip.kinds == Kind.ACCUMULATE)[3])
    assert "accumulation" in said(QPointF(geometry.left_of(accumulation + 0.5), geometry.marks.center().y()))


def test_a_lane_says_who_keeps_a_buffer_and_lights_it(pilot: Pilot) -> None:
    text = "import torch\nw = torch.tensor(3., requires_grad=True)\ny = w.exp() * w\ny.backward()\n"
    show(pilot, run(text), text)
    pilot.window.resize(1900, 1400)
    QApplication.processEvents()
    panel = timeline_of(pilot)
    content, geometry = panel.content, panel.geometry_
    assert content is not None and content.has_lanes(geometry)
    life, area = content.lives[0], areas(geometry, None)[1]
    at = QPoint(round(geometry.left_of(life.born) + 5), round(area.top() + 5))
    assert "exp (line 3)" in tooltip(at, geometry, content, pilot.state)
    QTest.mouseMove(panel, at)
    assert pilot.state.pointed == Selection("node", life.node)
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    scene = pilot.window.canvas.view.surface.scene
    panel.leaveEvent(QEvent(QEvent.Type.Leave))
    QTest.mouseMove(panel, at + QPoint(2, 0))
    assert scene is not None and scene.marks.hovered == scene.find("node", life.node)
    click(panel, at.x(), at.y())
    assert pilot.state.selection == Selection("node", life.node)
    panel.leaveEvent(QEvent(QEvent.Type.Leave))
    assert pilot.state.pointed is None and scene.marks.hovered == -1


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (1366, 768), (1440, 900), (1920, 1080)])
def test_saved_buffers_have_lanes_at_rest_on_any_screen(pilot: Pilot, size: tuple[int, int]) -> None:
    """Under the timeline, or in the small picture of one that is folded away."""
    pilot.window.resize(*size)
    pilot.run_again(
        "import torch\nw = torch.tensor(3., requires_grad=True)\nx = torch.tensor(2.)\ny = w * x\n"
        "loss = (y * y + w).exp().tanh()\nloss.backward()\n"
    )
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    window = pilot.window
    if window.panel_area.cards["bottom"].isVisible():
        panel = timeline_of(pilot)
        assert panel.content is not None and panel.content.has_lanes(panel.geometry_)
        picture, lanes = panel.grab().toImage(), lanes_area(panel.geometry_, None, panel.content.lives)
        assert lanes.bottom() <= panel.height()
    else:
        folded = window.status.folded["timeline"]
        assert folded.isVisible()
        picture = folded.grab().toImage()
    hue = QColor(window.theme.saved).hue()
    seen = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
    found = [colour for colour in seen if colour.saturation() > 30 and abs(colour.hue() - hue) < 12]
    assert len(found) > 200, "lanes"


def test_a_folded_timeline_follows_the_cursor_and_brings_it_back(pilot: Pilot) -> None:
    pilot.window.resize(1024, 768)
    pilot.run_again("import torch\nw = torch.tensor(3., requires_grad=True)\n(w.exp() * w).backward()\n")
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    folded = pilot.window.status.folded["timeline"]
    pilot.window.store.move(2)
    before = folded.grab().toImage()
    pilot.window.store.move(5)
    assert folded.grab().toImage() != before
    folded.click()
    assert timeline_of(pilot).isVisible() and not folded.isVisible()


def test_a_mark_takes_the_click(trained: TimelinePanel, pilot: Pilot) -> None:
    content = trained.content
    assert content is not None
    trained.zoom(0.15, 60)
    accumulation = int(np.flatnonzero(content.strip.kinds == Kind.ACCUMULATE)[4])
    trained.show_span(Span(accumulation - 8, accumulation + 8))
    click(trained, trained.geometry_.left_of(accumulation + 0.5), trained.geometry_.marks.center().y())
    assert pilot.state.cursor == accumulation + 1


def test_more_steps_of_the_same_run_are_shown_too(pilot: Pilot) -> None:
    trace = long_trace(50)
    content = Content(trace, 20)
    assert len(content.strip.kinds) == 20 and isinstance(content.strip, Strip)
