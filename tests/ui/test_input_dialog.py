"""input() in the window: a dialog asks, the answer is in the output, and the run can be stopped at any question."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.session.comparison.proposals import edited
from gradviz.session.state import Phase
from gradviz.ui.dialogs.program_input import CHARS, LINES, InputDialog, shortened
from tests.driver import RUN_TIMEOUT, Pilot

ASKS = """import torch
n = int(input("n = "))
x = torch.tensor(float(n), requires_grad=True)
(x * x).backward()
print("done", n)
"""


def asked(qtbot: QtBot, pilot: Pilot) -> InputDialog:
    """The dialog, as soon as it is there."""
    asker = pilot.window.shell.asker
    qtbot.waitUntil(lambda: asker.dialog is not None and asker.dialog.isVisible(), timeout=RUN_TIMEOUT)
    assert asker.dialog is not None
    return asker.dialog


def ended(qtbot: QtBot, pilot: Pilot) -> Phase:
    qtbot.waitUntil(lambda: not pilot.state.is_busy, timeout=RUN_TIMEOUT)
    assert pilot.window.shell.asker.dialog is None
    return pilot.state.run.phase


def start(pilot: Pilot, text: str) -> None:
    pilot.type_snippet(text)
    pilot.press("F5")


def run_with_three(qtbot: QtBot, pilot: Pilot) -> None:
    """Run the snippet that asks, and answer 3."""
    start(pilot, ASKS)
    dialog = asked(qtbot, pilot)
    qtbot.keyClicks(dialog.line, "3")
    dialog.answer.click()
    ended(qtbot, pilot)


def test_an_answer_is_typed_and_is_in_the_output(qtbot: QtBot, pilot: Pilot) -> None:
    start(pilot, ASKS)
    dialog = asked(qtbot, pilot)
    assert (dialog.windowTitle(), dialog.prompt.text()) == ("The Snippet Asks", "n =")
    assert "waits for your answer" in pilot.window.status.label.text()
    assert pilot.output == "n = ", "what was printed is there while it asks"
    qtbot.keyClicks(dialog.line, "12")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    assert ended(qtbot, pilot) is Phase.OK
    assert pilot.output == "n = 12\ndone 12\n"
    pilot.expect_grad("x", 24.0)


def test_the_answer_of_the_run_before_is_suggested(qtbot: QtBot, pilot: Pilot) -> None:
    start(pilot, ASKS)
    first = asked(qtbot, pilot)
    qtbot.keyClicks(first.line, "5")
    first.answer.click()
    ended(qtbot, pilot)
    pilot.press("F5")
    again = asked(qtbot, pilot)
    assert (again.line.text(), again.line.selectedText()) == ("5", "5")
    qtbot.keyClick(again.line, Qt.Key.Key_Return)
    assert ended(qtbot, pilot) is Phase.OK


def test_escape_stops_the_run(qtbot: QtBot, pilot: Pilot) -> None:
    start(pilot, "while True:\n    input('again? ')\n")
    for _ in range(3):
        dialog = asked(qtbot, pilot)
        dialog.answer.click()
        qtbot.waitUntil(lambda old=dialog: pilot.window.shell.asker.dialog is not old, timeout=RUN_TIMEOUT)
    qtbot.keyClick(asked(qtbot, pilot).line, Qt.Key.Key_Escape)
    assert ended(qtbot, pilot) is Phase.STOPPED


def test_the_end_of_the_input_is_an_error_that_is_shown(qtbot: QtBot, pilot: Pilot) -> None:
    start(pilot, "x = 1\nx = input()\n")
    dialog = asked(qtbot, pilot)
    assert not dialog.prompt.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert ended(qtbot, pilot) is Phase.RAISED
    pilot.expect_error(2, "EOF when reading a line")


def test_a_run_that_is_stopped_from_outside_asks_no_more(qtbot: QtBot, pilot: Pilot) -> None:
    start(pilot, ASKS)
    asked(qtbot, pilot)
    pilot.window.shell.runner.stop()
    assert ended(qtbot, pilot) is Phase.STOPPED


def test_a_window_that_asks_can_be_closed(qtbot: QtBot, pilot: Pilot) -> None:
    start(pilot, ASKS)
    asked(qtbot, pilot)
    pilot.answers.to_keep.append("discard")
    assert pilot.window.close()


def test_what_if_gets_the_answers_of_the_first_run(qtbot: QtBot, pilot: Pilot) -> None:
    run_with_three(qtbot, pilot)
    proposal = edited(ASKS, ASKS.replace("x * x", "x * x * x"))
    assert proposal is not None
    with qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        pilot.window.shell.what_if_runner.start(proposal)
    assert pilot.window.shell.what_if_runner.live.answers == ["3"]
    assert pilot.state.what_if is not None
    assert pilot.state.what_if.run.phase is Phase.OK


def test_what_if_asks_for_more_than_was_answered(qtbot: QtBot, pilot: Pilot) -> None:
    run_with_three(qtbot, pilot)
    proposal = edited(ASKS, ASKS + "m = input('m = ')\n")
    assert proposal is not None
    pilot.window.shell.what_if_runner.start(proposal)
    dialog = asked(qtbot, pilot)
    assert dialog.prompt.text() == "m ="
    with qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    assert pilot.window.shell.what_if_runner.live.answers == ["3", ""]


def test_the_paths_of_a_gradient_get_the_same_answers(qtbot: QtBot, pilot: Pilot) -> None:
    run_with_three(qtbot, pilot)
    with qtbot.waitSignal(pilot.window.shell.chains.ended, timeout=RUN_TIMEOUT):
        pilot.window.shell.chains.ask(pilot.tensor("x"))
    assert pilot.state.chain is not None
    assert pilot.state.chain.paths is not None, pilot.state.chain.sentence
    assert pilot.window.shell.asker.dialog is None


def test_a_prompt_is_plain_text_and_short(qtbot: QtBot, pilot: Pilot) -> None:
    start(pilot, "input('<b>bold</b><img src=x>')\n")
    dialog = asked(qtbot, pilot)
    assert dialog.prompt.textFormat() is Qt.TextFormat.PlainText
    assert dialog.prompt.text() == "<b>bold</b><img src=x>"
    pilot.window.shell.runner.stop()
    ended(qtbot, pilot)
    assert len(shortened("x" * 10_000)) == CHARS + 1
    assert shortened("line\n" * 100 + "name? ").splitlines() == ["line"] * (LINES - 1) + ["name?"]
