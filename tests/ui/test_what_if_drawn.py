"""A change run beside a drawing, and the fix of its error card, in a real window with a real worker."""

from __future__ import annotations

import pytest

from gradviz.document.code.parse import parse
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing
from gradviz.session.comparison.proposals import proposals
from gradviz.session.state import Phase
from tests.driver import RUN_TIMEOUT, Pilot
from tests.ui.test_what_if import begin, settle

TEXT = "import torch\n\nx = torch.tensor(3.0, requires_grad=True)\ny = x.detach() * x\ny.backward()\n"
TWICE = "import torch\n\nw = torch.tensor(2.0, requires_grad=True)\ny = w * w\ny.backward()\ny.backward()\n"


def drawn(pilot: Pilot, text: str) -> None:
    """Open a drawing, and wait until it has run."""
    with pilot.qtbot.waitSignal(pilot.window.shell.live.ended, timeout=RUN_TIMEOUT):
        pilot.window.store.open(parse(text), None)
    assert pilot.window.canvas.shows_drawing


@pytest.fixture
def beside(pilot: Pilot) -> Pilot:
    """A window with a drawing whose change has run."""
    drawn(pilot, TEXT)
    change = next(one for one in proposals(text_of(pilot.state.document)) if "without .detach()" in one.title)
    begin(pilot, change)
    settle(pilot)
    return pilot


def test_both_runs_of_a_drawing_are_ordinary_canvases(beside: Pilot) -> None:
    two = settle(beside)
    assert two.front.isVisible() and two.other.isVisible() and not beside.window.canvas.shows_drawing
    assert two.view.sentence.text().startswith("Without .detach()")
    for view in (two.front, two.other):
        assert view.scene is not None and view.scene.words(0).title == "x"
    beside.press("Alt+Home")
    beside.step(3)
    assert two.front.scene is not None and two.front.scene.moment.frame.cursor == 3
    beside.press("Ctrl+Shift+W")
    assert beside.window.canvas.shows_drawing and beside.window.canvas.drawn.view.isVisible()
    assert beside.state.drawing is not None and beside.state.what_if is None


def test_the_change_is_taken_into_the_drawing(beside: Pilot) -> None:
    before = beside.state.drawing
    assert before is not None
    with beside.qtbot.waitSignal(beside.window.shell.live.ended, timeout=RUN_TIMEOUT):
        beside.press("Ctrl+Shift+Return")
    after = beside.state.drawing
    assert isinstance(after, Drawing) and "detach" not in text_of(after)
    assert beside.window.canvas.shows_drawing and beside.state.what_if is None
    kept = [node for node in before.nodes if node.id in after.by_id]
    assert [(after.by_id[node.id].x, after.by_id[node.id].y) for node in kept] == [(n.x, n.y) for n in kept]
    beside.expect_grad("x", 6.0)
    beside.press("Ctrl+Z")
    assert beside.state.drawing == before


def test_the_fix_on_the_error_card_changes_the_drawing(pilot: Pilot) -> None:
    drawn(pilot, TWICE)
    card = pilot.window.editor.card
    assert card.isVisible() and card.apply.isVisible()
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        card.apply.click()
    drawing = pilot.state.drawing
    assert drawing is not None and [call.retain_graph for call in drawing.calls] == [True, None]
    assert pilot.state.run.phase is Phase.OK and not card.isVisible()


def test_the_fix_on_the_error_card_is_tried_beside_the_drawing(pilot: Pilot) -> None:
    drawn(pilot, TWICE)
    with pilot.qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        pilot.window.editor.card.beside.click()
    two = settle(pilot)
    assert two.front.isVisible() and two.other.isVisible()
