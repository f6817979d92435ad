"""Layouts that take long: progress and Cancel in the status bar, Escape, and what the user sees after it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document import shaping
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing
from gradviz.document.snippet import Snippet
from gradviz.layout import flat
from gradviz.layout.flat import Layouter
from gradviz.layout.nested import nested
from gradviz.layout.records import NestedInput, NestedResult
from gradviz.session.folding import EVERYTHING
from gradviz.session.state import Phase, Selection
from gradviz.ui.canvas import TraceView, diagram_layout, trace_view
from gradviz.ui.canvas.placed import Placed
from gradviz.ui.status import MOVES_EVERY, BusyBar
from tests.document.drawings import squared_error
from tests.driver import Pilot
from tests.ui.canvas_fixtures import CHAIN, RECURRENCE

LOOP = RECURRENCE.replace("range(12)", "range(60)")
WAITS = 10_000


class Brake:
    """Holds layouts up as long as it is on; drafts too, unless they may pass."""

    def __init__(self) -> None:
        self.passes = threading.Event()
        self.passes.set()
        self.drafts_pass = False
        self.held = 0

    def nested(self, layouter: Layouter, graph: NestedInput, *, draft: bool = False) -> NestedResult:
        if not (draft and self.drafts_pass):
            self.held += not self.passes.is_set()
            while not self.passes.wait(0.002):
                layouter.check()
        return nested(layouter, graph, draft=draft)


@pytest.fixture
def brake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Brake]:
    brake = Brake()
    monkeypatch.setattr(diagram_layout, "nested", brake.nested)
    monkeypatch.setattr("gradviz.layout.nested.nested", brake.nested)
    yield brake
    brake.passes.set()


def canvas(pilot: Pilot) -> TraceView:
    return pilot.window.canvas.view


def placed(pilot: Pilot) -> Placed:
    scene = canvas(pilot).scene
    assert scene is not None
    return scene.placed


def settle(pilot: Pilot) -> None:
    pilot.qtbot.waitUntil(
        lambda: pilot.window.canvas.is_settled and not canvas(pilot).transition.is_going, timeout=WAITS
    )


def progress(pilot: Pilot) -> str:
    """What is seen of it, once it is."""
    status = pilot.window.status
    pilot.qtbot.waitUntil(lambda: status.cancel.isVisible() and bool(pilot.state.layout_progress), timeout=WAITS)
    assert status.progress.isVisible()
    assert status.progress.accessibleName() == pilot.state.layout_progress
    return status.label.text()


def no_progress(pilot: Pilot) -> None:
    status = pilot.window.status
    pilot.qtbot.waitUntil(lambda: not status.cancel.isVisible() and not status.progress.isVisible(), timeout=WAITS)
    assert not pilot.state.layout_progress
    assert not pilot.window.commands.actions["run.stop"].isEnabled()


@pytest.fixture
def drawn(pilot: Pilot, brake: Brake) -> Pilot:
    """A window with a folded loop, and the next layout will not come to an end."""
    assert pilot.run_again(LOOP) is Phase.OK
    settle(pilot)
    assert len(placed(pilot).diagram) < 10
    brake.passes.clear()
    return pilot


def test_a_layout_that_is_quick_is_not_told(pilot: Pilot) -> None:
    told: list[str] = []
    pilot.window.shell.layout_progress._patience.setInterval(10 * WAITS)  # it is quick, however busy the machine is
    pilot.window.store.subscribe(lambda _, after: told.append(after.layout_progress))
    pilot.run_again(LOOP)
    settle(pilot)
    assert not any(told)
    no_progress(pilot)


def test_opening_shows_progress_and_cancel_shows_the_graph_folded(pilot: Pilot, brake: Brake) -> None:
    brake.passes.clear()
    pilot.type_snippet(CHAIN.format(count=300))
    pilot.window.store.fold(pilot.state.folding.at_level(EVERYTHING))
    pilot.run()
    assert progress(pilot) == "Laying out a graph of 300 nodes…"
    assert canvas(pilot).scene is None
    assert canvas(pilot).surface.invitation == pilot.state.layout_progress, "the empty canvas says it, too"
    brake.drafts_pass = True
    pilot.click(pilot.window.status.cancel)
    settle(pilot)
    assert pilot.state.folding.level == 0
    assert len(placed(pilot).diagram) < 10
    assert pilot.state.notice.sentence == trace_view.CANCELLED
    no_progress(pilot)
    brake.passes.set()
    pilot.window.commands.do("view.unfold_all")
    settle(pilot)
    assert len(placed(pilot).diagram) == 601


def test_what_was_cancelled_twice_leaves_an_empty_canvas_that_says_so(pilot: Pilot, brake: Brake) -> None:
    brake.passes.clear()
    pilot.run_again(LOOP)
    progress(pilot)
    pilot.press("Escape")
    progress(pilot)
    pilot.press("Escape")
    no_progress(pilot)
    assert pilot.window.canvas.is_settled
    assert canvas(pilot).scene is None
    assert "View > Expand All" in canvas(pilot).surface.invitation
    brake.passes.set()
    pilot.window.commands.do("view.unfold_all")
    settle(pilot)
    assert len(placed(pilot).diagram) > 100


@pytest.mark.parametrize("way", ["click", "Escape", "Ctrl+."])
def test_cancel_leaves_the_picture_as_it_was(drawn: Pilot, way: str) -> None:
    before, camera, folding = placed(drawn), canvas(drawn).camera, drawn.state.folding
    drawn.window.commands.do("view.unfold_all")
    assert progress(drawn) == "Laying out a graph of 120 nodes…"
    if way == "click":
        drawn.click(drawn.window.status.cancel)
    else:
        drawn.press(way)
    no_progress(drawn)
    assert drawn.window.canvas.is_settled
    assert placed(drawn) is before
    assert drawn.state.folding == folding
    assert canvas(drawn).camera == camera
    assert not drawn.state.notice.sentence


def test_a_draft_goes_when_its_layout_is_cancelled(drawn: Pilot, brake: Brake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_view, "QUICK", 10)
    brake.drafts_pass = True
    before = placed(drawn)
    drawn.window.commands.do("view.unfold_all")
    drawn.qtbot.waitUntil(lambda: placed(drawn) is not before, timeout=WAITS)
    progress(drawn)
    drawn.press("Escape")
    settle(drawn)
    assert placed(drawn) is before
    assert drawn.state.folding.level is None


def test_the_direction_goes_back_with_the_folding(drawn: Pilot) -> None:
    before = placed(drawn)
    drawn.window.commands.choose("view.direction", "True")
    drawn.window.commands.do("view.unfold_all")
    progress(drawn)
    drawn.press("Escape")
    no_progress(drawn)
    assert placed(drawn) is before
    assert not drawn.state.view.vertical


def test_a_second_wish_takes_the_place_of_the_first(drawn: Pilot, brake: Brake) -> None:
    drawn.window.commands.do("view.unfold_all")
    progress(drawn)
    drawn.window.commands.choose("view.direction", "True")
    assert drawn.state.layout_progress, "it goes on to be told"
    brake.passes.set()
    settle(drawn)
    no_progress(drawn)
    assert placed(drawn).diagram.drawing.vertical
    assert len(placed(drawn).diagram) > 100


def test_quick_clicks_end_in_what_was_wished_last(drawn: Pilot, brake: Brake) -> None:
    drawn.window.canvas.view.selection.select("group", 0)
    for _ in range(7):
        canvas(drawn).collapse.toggle_selected()
        QTest.qWait(1)
    drawn.window.commands.do("view.unfold_all")
    drawn.window.commands.do("view.fold_all")
    progress(drawn)
    for _ in range(3):
        drawn.press("Escape")
        drawn.window.commands.do("view.unfold_all")
    brake.passes.set()
    settle(drawn)
    no_progress(drawn)
    assert drawn.state.folding == placed(drawn).diagram.drawing.folding
    assert drawn.state.folding.level == EVERYTHING


def test_another_document_ends_the_layout(drawn: Pilot) -> None:
    drawn.window.commands.do("view.unfold_all")
    progress(drawn)
    drawn.window.store.open(Snippet("x = 1"), None)
    no_progress(drawn)
    assert not canvas(drawn).graph_layout.is_laying


def test_a_graph_of_the_run_before_has_nothing_to_choose(drawn: Pilot) -> None:
    last = len(placed(drawn).diagram.trace.tensors) - 1
    assert drawn.run_again("import torch\nx = torch.ones(1)") is Phase.OK
    assert len(placed(drawn).diagram.trace.tensors) > last, "it is still drawn, while the layout waits"
    view = canvas(drawn)
    drawn.window.store.select(Selection("tensor", 0))
    for asked in (view.selection.chosen, view.input.opened, view.input.other_end):
        asked.emit("tensor", last)
    view.input.number_chosen.emit(last, "value", 0)
    assert drawn.state.selection == Selection("tensor", 0)


def test_a_drawing_ends_the_layout(drawn: Pilot) -> None:
    drawn.window.commands.do("view.unfold_all")
    progress(drawn)
    drawn.window.store.open(squared_error()[0], None)
    no_progress(drawn)
    assert not canvas(drawn).graph_layout.is_laying


def test_a_window_may_close_while_it_lays_out(drawn: Pilot, brake: Brake) -> None:
    drawn.window.commands.do("view.unfold_all")
    progress(drawn)
    drawn.window.store.open(Snippet(text_of(drawn.state.document)), None)
    assert drawn.window.close()
    assert brake.held
    assert not canvas(drawn).graph_layout.background.is_busy


def test_while_a_snippet_runs_cancel_is_that_of_the_run(drawn: Pilot, brake: Brake) -> None:
    drawn.window.commands.do("view.unfold_all")
    progress(drawn)
    drawn.window.store.start_run(drawn.state.document)
    status = drawn.window.status
    assert status.label.text().startswith("running")
    assert status.progress.accessibleName() == "The snippet is running"
    assert not drawn.state.shows_layout_progress
    brake.passes.set()


def test_it_is_said_why_a_graph_is_drawn_simply(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "MOST_IN_LAYERS", 3)
    pilot.run_again(LOOP)
    settle(pilot)
    rows = "This graph is too large for a layered layout: boxes are placed in rows"
    assert pilot.state.notice.sentence.startswith(rows)
    assert pilot.window.status.currentMessage() == pilot.state.notice.sentence


def places(drawing: Drawing | None) -> dict[int, tuple[float, float]]:
    assert drawing is not None
    return {node.id: (node.x, node.y) for node in drawing.nodes}


@pytest.fixture
def sketch(pilot: Pilot, brake: Brake) -> Pilot:
    """A window with a drawing, and tidying up will not come to an end."""
    pilot.window.store.open(squared_error()[0], None)
    pilot.settle()
    brake.passes.clear()
    return pilot


@pytest.mark.parametrize("way", ["click", "Escape"])
def test_tidy_up_is_cancelled_and_begun_again(sketch: Pilot, brake: Brake, way: str) -> None:
    window, before = sketch.window, sketch.state.document
    window.store.pick(frozenset((1, 2)))
    window.canvas.drawn.view.setFocus()
    window.commands.do("draw.tidy")
    assert progress(sketch) == f"Tidying up {len(sketch.drawing.nodes)} nodes…"
    window.commands.do("draw.tidy")
    assert brake.held == 1, "it goes on already"
    if way == "click":
        sketch.click(window.status.cancel)
    else:
        sketch.press("Escape")
    no_progress(sketch)
    assert sketch.state.document is before
    assert sketch.state.picked == {1, 2}, "Escape ends one thing at a time"
    brake.passes.set()
    with sketch.qtbot.waitSignal(window.shell.board.tidier.done, timeout=WAITS):
        window.commands.do("draw.tidy")
    assert sketch.state.undo_label == "Tidy Up"
    assert places(sketch.state.drawing) != places(before)  # type: ignore[arg-type]


def test_tidy_up_tells_of_an_edit_meanwhile(sketch: Pilot, brake: Brake) -> None:
    window = sketch.window
    window.commands.do("draw.tidy")
    progress(sketch)
    window.store.edit("Delete", shaping.delete(sketch.drawing, {1}))
    with sketch.qtbot.waitSignal(window.shell.board.tidier.done, timeout=WAITS):
        brake.passes.set()
    assert "choose Tidy Up once more" in sketch.state.notice.sentence
    no_progress(sketch)


def test_a_window_may_close_while_it_tidies_up(sketch: Pilot, brake: Brake) -> None:
    sketch.window.commands.do("draw.tidy")
    progress(sketch)
    sketch.window.store.open(Snippet(), None)
    assert sketch.window.close()
    assert brake.held
    assert not sketch.window.shell.board.tidier.is_busy


def test_the_bar_moves_a_few_times_a_second(qtbot: QtBot) -> None:
    painted: list[float] = []

    class Watched(BusyBar):
        def paintEvent(self, event: QPaintEvent) -> None:
            painted.append(time.monotonic())
            super().paintEvent(event)

    bar = Watched()
    qtbot.addWidget(bar)
    bar.setStyleSheet("QProgressBar::chunk { background: blue; }")
    with qtbot.waitExposed(bar):
        bar.show()
    qtbot.waitUntil(lambda: len(painted) > 5)
    moves = painted[2:]
    assert (moves[-1] - moves[0]) / (len(moves) - 1) >= 0.9 * MOVES_EVERY / 1000, "less often than a film"
