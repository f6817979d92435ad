"""The overture of the first run: what it shows when, that it rests at the first backward step, that anything ends it,
and that it comes once, and never where nothing is to move."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gradviz.session.breakpoints.points import Breakpoint, Breakpoints
from gradviz.session.overture import BACKWARD, FORWARD, PULSE, SECONDS, overture
from gradviz.session.presenting import Stage
from gradviz.trace.table.kinds import Kind
from gradviz.ui.services.overture import AT_REST, OverturePlayer
from tests.driver import Pilot
from tests.trace.running import run

SQUARE = (
    "import torch\nw = torch.tensor(3., requires_grad=True)\nloss = (w * w + 1) ** 2\nloss.backward()\nprint(w.grad)\n"
)
LOOP = (
    "import torch\nw = torch.tensor(3., requires_grad=True)\n"
    "for i in range(3):\n    loss = w * w\n    loss.backward()\n"
)


@pytest.fixture
def player(pilot: Pilot) -> OverturePlayer:
    """That of the window, as it is where things move."""
    player = pilot.window.shell.overture
    player.enabled = True
    return player


def played(pilot: Pilot, player: OverturePlayer, text: str = SQUARE) -> None:
    """Run, and wait for the first picture; from then on the time stands still."""
    pilot.run_again(text)
    assert player.is_playing
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    player._timer.stop()
    at(player, 0)


def at(player: OverturePlayer, seconds: float) -> None:
    """So much time has passed."""
    player.elapsed = lambda: 0
    player.tick()
    player.elapsed = lambda: 1000 * seconds
    player.tick()


@pytest.mark.parametrize("text", [SQUARE, LOOP])
def test_it_goes_forward_to_the_loss_and_back_to_the_leaves(text: str) -> None:
    trace = run(text)
    plan = overture(trace)
    assert plan is not None
    kinds = [Kind(kind) for kind in trace.steps.kind.tolist()]
    assert kinds[plan.loss - 1] is Kind.BACKWARD_CALL and kinds[plan.rest - 1] is Kind.BACKWARD
    assert Kind.BACKWARD_CALL not in kinds[plan.loss : plan.end], "of a loop only the first"
    beats = [plan.at(SECONDS * nth / 500) for nth in range(500)]
    cursors = [beat.cursor for beat in beats if beat is not None]
    assert len(cursors) == 500 and cursors == sorted(cursors)
    assert set(cursors) == set(range(plan.end + 1)), "of a short run no step is left out"
    assert [beat.part for beat in (plan.at(0), plan.at(FORWARD), plan.at(FORWARD + PULSE)) if beat] == [
        "forward",
        "pulse",
        "backward",
    ]
    assert plan.at(SECONDS) is None


def test_without_a_backward_pass_there_is_none() -> None:
    assert overture(run("import torch\ntorch.ones(2) + 1\n")) is None


def test_it_plays_and_rests_at_the_first_backward_step(pilot: Pilot, player: OverturePlayer) -> None:
    played(pilot, player)
    seen = []
    for seconds in (0.0, FORWARD + 0.1, FORWARD + PULSE + BACKWARD):
        at(player, seconds)
        assert player._shown is not None
        seen.append((pilot.state.cursor, player._shown[1].accessibleName().partition(".")[0]))
        assert not pilot.window.grab().isNull()
    plan = overture(pilot.state.trace) if pilot.state.trace is not None else None
    assert plan is not None
    assert seen == [(0, "Forward"), (plan.loss, "The loss"), (plan.end, "Backward")]
    at(player, SECONDS)
    assert not player.is_playing and player._shown is None
    assert pilot.sentence.startswith(("Step ", "Steps ")) and "PowBackward0" in pilot.sentence
    assert pilot.state.notice.sentence == AT_REST
    assert not pilot.state.view.overture
    pilot.run()
    assert not player.is_playing and pilot.state.cursor == pilot.state.steps, "it was seen"


def test_the_end_of_the_run_is_not_seen_before_it(pilot: Pilot, player: OverturePlayer) -> None:
    pilot.run_again(SQUARE)
    assert player.is_playing and pilot.state.cursor == 0, "while the graph is being laid out, too"


def test_if_the_graph_takes_too_long_the_end_is_shown(pilot: Pilot, player: OverturePlayer) -> None:
    pilot.run_again(SQUARE)
    player._timer.stop()
    player.give_up()
    assert not player.is_playing and pilot.state.cursor == pilot.state.steps and pilot.state.view.overture


def test_a_key_ends_it_and_does_what_it_does(pilot: Pilot, player: OverturePlayer) -> None:
    played(pilot, player)
    pilot.press("F10")
    assert not player.is_playing and not pilot.state.view.overture
    assert "SubBackward0" in pilot.sentence or "AddBackward0" in pilot.sentence, "the step after the first"


def test_a_click_ends_it(pilot: Pilot, player: OverturePlayer) -> None:
    played(pilot, player)
    QTest.mouseClick(pilot.window.canvas.view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not player.is_playing and "PowBackward0" in pilot.sentence


def test_what_else_happens_ends_it_where_it_is(pilot: Pilot, player: OverturePlayer) -> None:
    played(pilot, player)
    pilot.window.store.move(2)
    assert not player.is_playing and pilot.state.cursor == 2
    player.tick()
    assert pilot.state.cursor == 2


def test_what_was_not_shown_was_not_seen(pilot: Pilot, player: OverturePlayer) -> None:
    pilot.run_again(SQUARE)
    player._timer.stop()
    pilot.window.store.move(2)
    assert not player.is_playing and pilot.state.cursor == 2 and pilot.state.view.overture
    pilot.run()
    assert player.is_playing


def test_a_window_that_closes_meanwhile_ends_in_good_order(pilot: Pilot, player: OverturePlayer) -> None:
    played(pilot, player)
    pilot.answers.to_keep = ["discard"]
    assert pilot.window.close()
    assert not player.is_playing


@pytest.mark.parametrize("why", ["motion", "off", "presenting", "breakpoint", "error", "system"])
def test_it_does_not_come_where_it_is_not_wanted(pilot: Pilot, player: OverturePlayer, why: str) -> None:
    store = pilot.window.store
    if why == "motion":
        store.look(replace(pilot.state.view, animated=False))
    elif why == "off":
        store.look(replace(pilot.state.view, overture=False))
    elif why == "presenting":
        store.set_stage(Stage(on=True))
    elif why == "breakpoint":
        store.stop_at(Breakpoints((Breakpoint(line=3),)))
    player.enabled = why != "system"
    pilot.run_again(SQUARE + ("loss.backward()\n" if why == "error" else ""))
    assert not player.is_playing and (pilot.state.cursor == pilot.state.steps or why == "breakpoint")
