"""The page of the chain rule: a command asks for the paths, the page lists them, the chosen one stands out."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gradviz.document import shaping
from gradviz.document.code.parse import parse
from gradviz.document.drawing import Drawing
from gradviz.session.state import Selection
from gradviz.ui.panels.paths import HINT, PathsPanel
from gradviz.worker.process.events import Detail, Done
from tests.driver import RUN_TIMEOUT, Pilot
from tests.trace.test_chains import NET, SCALARS, tensor_called


def panel(pilot: Pilot) -> PathsPanel:
    found = pilot.window.panel_area.panel("paths")
    assert isinstance(found, PathsPanel)
    return found


def ask(pilot: Pilot, source: str, name: str) -> PathsPanel:
    pilot.type_snippet(source)
    pilot.run()
    store = pilot.window.store
    assert store.state.trace is not None
    store.select(Selection("tensor", tensor_called(store.state.trace, name)))
    with pilot.qtbot.waitSignal(pilot.window.shell.chains.ended, timeout=RUN_TIMEOUT):
        pilot.window.commands.do("view.chain")
    return panel(pilot)


def test_before_anything_is_asked_the_page_says_what_to_do(pilot: Pilot) -> None:
    assert panel(pilot).sentence.text() == HINT
    assert not panel(pilot).button.isEnabled()


def test_the_button_of_a_page_that_is_opened_knows_what_is_selected(pilot: Pilot) -> None:
    pilot.type_snippet(SCALARS)
    pilot.run()
    store = pilot.window.store
    assert store.state.trace is not None
    store.select(Selection("tensor", tensor_called(store.state.trace, "x")))
    assert not panel(pilot).isVisible()
    pilot.window.shell.focus("paths")
    assert panel(pilot).isVisible()
    assert panel(pilot).button.isEnabled() and panel(pilot).button.text() == "Paths to x"


def test_the_page_lists_the_paths_their_products_and_the_sum(pilot: Pilot) -> None:
    page = ask(pilot, SCALARS, "x")
    assert page.isVisible()
    assert page.model.rows == [
        ("∂z/∂y = 2  ·  ∂y/∂(x * w) = 1  ·  ∂(x * w)/∂x = 3", "2 × 1 × 3", "6"),
        ("∂z/∂y = 2  ·  ∂y/∂(x.sin()) = 1  ·  ∂(x.sin())/∂x = -0.4161", "2 × 1 × (-0.4161)", "-0.8323"),
        ("∂z/∂x = 6.909", "6.909", "6.909"),
    ]
    assert page.sentence.text() == "x: 3 paths from z; the gradient depends on w, x, y.\nΣ  6 − 0.8323 + 6.909 = 12.08"


def test_a_chosen_path_stands_out_with_its_own_edges_only(pilot: Pilot) -> None:
    page = ask(pilot, SCALARS, "x")
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Home)
    page.table.selectRow(2)
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled, timeout=RUN_TIMEOUT)
    chain, scene = pilot.window.store.state.chain, pilot.window.canvas.view.scene
    assert chain is not None and chain.at == 2 and scene is not None
    (faded, _), (shown, _) = scene.marks.parts(scene.moment)
    assert shown.edges.sum() == 2 and faded.edges.sum() == len(scene.placed.diagram.edges) - 2  # x → × → z


def test_a_tensor_that_gets_no_gradient(pilot: Pilot) -> None:
    page = ask(pilot, SCALARS + "q = x.detach() * 2\n", "q")
    assert page.sentence.text() == "No backward call computes a gradient for q." and page.table.isHidden()


def test_after_another_run_the_same_tensor_is_asked_for_again(pilot: Pilot) -> None:
    page = ask(pilot, SCALARS, "w")
    assert [row[2] for row in page.model.rows] == ["4"]
    pilot.type_snippet(SCALARS.replace("tensor(2.", "tensor(3."))
    with pilot.qtbot.waitSignal(pilot.window.shell.chains.ended, timeout=RUN_TIMEOUT):
        pilot.run()
    assert [row[2] for row in page.model.rows] == ["9"]


def draw(pilot: Pilot, source: str, name: str) -> tuple[PathsPanel, int]:
    """Open a drawing and ask for the paths to one of its nodes; the number of that node."""
    store = pilot.window.store
    with pilot.qtbot.waitSignal(pilot.window.shell.live.ended, timeout=RUN_TIMEOUT):
        store.open(parse(source), None)
    drawing = store.state.drawing
    assert drawing is not None
    node = next(each.id for each in drawing.nodes if shaping.label(drawing, each.id) == name)
    store.pick(frozenset({node}))
    with pilot.qtbot.waitSignal(pilot.window.shell.chains.ended, timeout=RUN_TIMEOUT):
        pilot.window.commands.do("view.chain")
    return panel(pilot), node


def test_on_a_drawing_the_chosen_path_stays_while_values_change(pilot: Pilot) -> None:
    page, w = draw(pilot, SCALARS, "w")
    store, workers = pilot.window.store, set(pilot.window.shell.live.pool._workers)
    assert store.state.chain is not None and len(page.model.rows) == 1
    row = page.table.visualRect(page.model.index(0, 0)).center()
    QTest.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert store.state.chain.at == 0
    empty: list[object] = []
    store.subscribe(lambda _, after: empty.append(after.chain) if not after.chain or not after.chain.paths else None)
    scene = pilot.window.canvas.drawn.view
    for value in range(4, 9):
        changed = shaping.change_leaf(drawing_of(pilot), w, data=float(value))
        with pilot.qtbot.waitSignal(pilot.window.shell.live.ended, timeout=RUN_TIMEOUT):
            store.edit("Change w", changed, merge="slider")
        assert scene.scene is not None and scene.scene.marks.lit is not None, "it stands out at every value"
    with pilot.qtbot.waitSignal(pilot.window.shell.chains.ended, timeout=RUN_TIMEOUT):
        store.seal()
    assert not empty and page.table.isVisible()
    assert store.state.chain is not None and store.state.chain.at == 0
    assert store.state.chain.trace is store.state.trace
    assert len(workers | set(pilot.window.shell.live.pool._workers)) <= 2, "no worker is started for a question"


def test_an_answer_that_another_run_has_overtaken_is_not_shown(pilot: Pilot) -> None:
    _, w = draw(pilot, SCALARS, "w")
    store, chains = pilot.window.store, pilot.window.shell.chains
    late: list[object] = []
    pilot.window.shell.live.ended.connect(lambda _: chains._found.emit(chains._number, None, None))
    chains.ended.connect(lambda: late.append(store.state.chain and store.state.chain.paths))
    with pilot.qtbot.waitSignal(chains.ended, timeout=RUN_TIMEOUT):
        store.edit("Change w", shaping.change_leaf(drawing_of(pilot), w, data=4.0))
    assert store.state.chain is not None and store.state.chain.trace is store.state.trace
    assert store.state.chain.paths is not None and late == [store.state.chain.paths]


def drawing_of(pilot: Pilot) -> Drawing:
    drawing = pilot.window.store.state.drawing
    assert drawing is not None
    return drawing


def test_on_a_drawing_the_paths_are_those_of_the_node_whatever_it_is_called(pilot: Pilot) -> None:
    page, w = draw(pilot, SCALARS, "w")
    rows = page.model.rows
    with pilot.qtbot.waitSignal(pilot.window.shell.chains.ended, timeout=RUN_TIMEOUT):
        pilot.window.store.edit("Rename w", shaping.rename(drawing_of(pilot), w, "weight"))
    assert page.sentence.text().startswith("weight: 1 path") and len(page.model.rows) == len(rows)
    pilot.window.store.edit("Delete weight", shaping.delete(drawing_of(pilot), {w}))
    pilot.qtbot.waitUntil(lambda: pilot.window.store.state.chain is None, timeout=RUN_TIMEOUT)


def test_what_was_asked_goes_with_the_tensor(pilot: Pilot) -> None:
    page = ask(pilot, SCALARS, "w")
    pilot.type_snippet(NET)
    pilot.run()
    pilot.qtbot.waitUntil(lambda: pilot.window.store.state.chain is None, timeout=RUN_TIMEOUT)
    assert page.sentence.text() == HINT


def test_a_question_in_work_ends_with_the_window(pilot: Pilot) -> None:
    ask(pilot, SCALARS, "w")
    pilot.window.commands.do("view.chain")
    assert pilot.window.shell.chains.live.is_running
    pilot.answers.to_keep = ["discard"]
    assert pilot.window.close()
    assert not pilot.window.shell.chains.live.is_running


class Unheard:
    """A run of which nothing is ever heard."""

    seconds_left = math.inf

    def stop(self) -> None:
        """It has ended."""

    def keep_going(self) -> None:
        """It has no limit."""

    def answer(self, text: str | None) -> None:
        """It asks nothing."""


def test_a_worker_that_is_gone_in_the_middle_of_a_question_is_said(
    pilot: Pilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ask(pilot, SCALARS, "w")
    with pilot.qtbot.waitSignal(pilot.window.shell.chains.ended, timeout=RUN_TIMEOUT):
        live = pilot.window.shell.chains.live
        # The question reaches no worker: one that is quick has answered before it can be killed.
        monkeypatch.setattr(live, "start", lambda document, *_: live.follow(document.text, lambda _put: Unheard()))
        pilot.window.commands.do("view.chain")
        live.ended.emit(Done("died", Detail("The worker process ended unexpectedly (signal SIGKILL).")))
    assert page.sentence.text() == (
        "The paths could not be followed. The worker process ended unexpectedly (signal SIGKILL)."
    )
