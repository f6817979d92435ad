"""The doctor in the window: the badge, the card, its marks, and what is dismissed."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from gradviz.document.documents import text_of
from gradviz.session.timeline.marks import Mark
from tests.driver import Pilot

PILES_UP = """\
import torch
w = torch.tensor(3., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(3):
    loss = (w - 1) ** 2
    loss.backward()
    opt.step()
"""
RIGHT = PILES_UP.replace("    loss.backward()", "    opt.zero_grad()\n    loss.backward()")


def look(pilot: Pilot) -> None:
    """Run it, wait for the doctor, and show what is found."""
    pilot.run_again(PILES_UP)
    pilot.qtbot.waitUntil(lambda: bool(pilot.state.told), timeout=60_000)
    pilot.window.commands.do("learn.look")


@pytest.mark.slow
def test_what_is_found_is_told_quietly_and_shown_when_asked_for(pilot: Pilot) -> None:
    pilot.run_again(PILES_UP)
    pilot.qtbot.waitUntil(lambda: bool(pilot.state.told), timeout=60_000)
    badge, card = pilot.window.status.badge, pilot.window.panel_area.panel("editor").card
    assert badge.isVisible() and badge.text() == "▼ 1 thing to look at"
    assert not card.is_shown
    badge.click()
    assert card.title.text() == "Line 6 · Gradients that pile up"
    assert "4 became 7.2" in card.text.toPlainText() and "opt.zero_grad()" in card.text.toPlainText()
    (finding,) = pilot.state.told
    assert pilot.state.cursor == finding.step and card.line == 6
    content = pilot.window.panel_area.panel("timeline").content
    assert content is not None and content.marks.steps_of[Mark.LESSON].tolist() == [finding.step - 1]
    badge.click()
    assert not card.is_shown


@pytest.mark.slow
def test_the_whole_fix_is_in_sight_in_a_small_window(pilot: Pilot) -> None:
    pilot.window.resize(1280, 800)
    start = "import torch\nx, y = torch.randn(8, 3), torch.randn(8)\nnet = torch.nn.Linear(3, 1)\n"
    loop = PILES_UP.partition("\n")[2].replace("[w]", "net.parameters()").replace("w = ", "# ")
    pilot.run_again(start + loop.replace("(w - 1) ** 2", "torch.nn.functional.mse_loss(net(x), y)"))
    pilot.qtbot.waitUntil(lambda: len(pilot.state.told) == 2, timeout=60_000)
    card = pilot.window.panel_area.panel("editor").card
    for _ in pilot.state.told:
        pilot.window.commands.do("learn.look") if not card.is_shown else card.next.click()
        pilot.qtbot.waitUntil(lambda: card.text.height() >= card.text.needed(), timeout=2_000)
        assert "+" in card.text.toPlainText() and card.height() <= pilot.window.editor.height() * 0.66


@pytest.mark.slow
def test_nothing_is_selected_that_is_not_there_yet(pilot: Pilot) -> None:
    look(pilot)
    (finding,), trace, selected = pilot.state.told, pilot.state.trace, pilot.state.selection
    assert trace is not None and pilot.state.cursor == finding.step
    assert [trace.nodes.step[mark.node] >= finding.step for mark in finding.marks] == [True], "of the last iteration"
    assert selected is None or selected.kind != "node" or trace.nodes.step[selected.index] < finding.step


@pytest.mark.slow
def test_its_fix_is_applied_and_undone_by_one_key(pilot: Pilot) -> None:
    look(pilot)
    pilot.window.panel_area.panel("editor").card.apply.click()
    assert text_of(pilot.state.document) == RIGHT
    pilot.qtbot.waitUntil(lambda: not pilot.state.run.is_running, timeout=60_000)
    assert not pilot.state.told and not pilot.window.status.badge.isVisible()
    pilot.window.commands.do("edit.undo")
    assert text_of(pilot.state.document) == PILES_UP


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "again"), [("learn.dismiss", 1), ("learn.dismiss_here", 0), ("learn.dismiss_always", 0)]
)
def test_a_lesson_is_dismissed_once_or_for_longer(pilot: Pilot, command: str, again: int) -> None:
    look(pilot)
    pilot.window.commands.do(command)
    assert not pilot.state.told and not pilot.window.status.badge.isVisible()
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.examined, timeout=60_000):
        pilot.run_again(PILES_UP)
    assert len(pilot.state.told) == again
    pilot.window.commands.do("learn.tell_again")
    assert len(pilot.state.told) == 1


@pytest.mark.slow
def test_a_finding_has_room_for_its_words_beside_short_code(pilot: Pilot) -> None:
    pilot.window.resize(1280, 800)
    look(pilot)
    pilot.qtbot.wait(1)
    card = pilot.window.panel_area.panel("editor").card
    assert card.text.viewport().height() >= 6 * card.text.fontMetrics().lineSpacing()


@pytest.mark.slow
def test_what_was_dismissed_in_a_document_still_is_when_its_file_is_opened(pilot: Pilot, tmp_path: Path) -> None:
    look(pilot)
    pilot.window.commands.do("learn.dismiss_here")
    pilot.answers.to_save.append(str(tmp_path / "a.gradviz"))
    pilot.window.commands.do("file.save")
    pilot.answers.to_open.append(str(copy(tmp_path / "a.gradviz", tmp_path / "b.gradviz")))
    pilot.window.commands.do("file.open")
    *_, window = pilot.window.windows.open_now
    pilot.qtbot.waitUntil(lambda: window.store.state.path is not None, timeout=60_000)
    with pilot.qtbot.waitSignal(window.shell.runner.examined, timeout=60_000):
        window.commands.do("run.run")
    state = window.store.state
    assert state.path == tmp_path / "b.gradviz"
    assert [each.id for each in state.doctor.findings] == ["not-zeroed"] and not state.told
    window.commands.do("learn.tell_again")
    assert len(window.store.state.told) == 1 and window.close()


@pytest.mark.slow
def test_buttons_have_their_words_in_a_narrow_column(pilot: Pilot) -> None:
    look(pilot)
    card = pilot.window.panel_area.panel("editor").card
    buttons = [card.dismiss, card.beside, card.apply]
    assert all(button.isVisible() for button in buttons)
    in_rows = []
    for width in (640, 320, 230, 130):
        card.window().findChild(type(card), "error").setFixedWidth(width)
        pilot.settle()
        in_rows.append(len({button.y() for button in buttons}))
        assert [button.width() for button in buttons] >= [button.sizeHint().width() for button in buttons]
        assert all(0 <= button.x() <= width - button.width() for button in buttons)
        order = [(button.y(), button.x()) for button in buttons]
        assert order == sorted(order)
    assert in_rows == [1, 1, 2, 3]
