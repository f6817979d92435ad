"""Running what a person may type: something fine, something endless, something that kills its worker, something
refused."""

from __future__ import annotations

import os
import signal

import pytest
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtWidgets import QApplication

from gradviz.document.documents import text_of
from gradviz.session.state import Phase
from tests.driver import RUN_TIMEOUT, Pilot

FINE = "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x * x\ny.backward()\nprint(x.grad)\n"


def test_run_and_step_a_snippet(pilot: Pilot) -> None:
    pilot.type_snippet(FINE)
    assert pilot.run() is Phase.OK
    pilot.expect_grad("x", 6.0)
    assert pilot.output == "tensor(6.)\n"
    assert "recorded" in pilot.window.status.label.text()
    pilot.press("Alt+Home")
    assert pilot.output == ""
    pilot.step(2)
    assert "MulBackward0" in pilot.sentence or "y" in pilot.sentence


def test_an_endless_loop_is_stopped_and_the_window_stays_awake(pilot: Pilot) -> None:
    window = pilot.window
    pilot.type_snippet("import torch\nx = torch.tensor(1.)\nwhile True:\n    x = x + 1\n")
    pilot.press("F5")
    pilot.qtbot.waitUntil(lambda: pilot.state.recorded > 100, timeout=RUN_TIMEOUT)
    pilot.qtbot.waitUntil(window.status.cancel.isVisible, timeout=60_000)
    assert not window.commands.actions["run.run"].isEnabled()
    pilot.window.editor.code.insertPlainText("# typed while it runs\n")
    with pilot.qtbot.waitSignal(window.shell.runner.ended, timeout=RUN_TIMEOUT) as ended:
        pilot.press("Shift+F5")
    assert ended.args == ["stopped"]
    assert pilot.state.run.phase is Phase.STOPPED
    assert "# typed while it runs" in text_of(pilot.state.document)
    assert pilot.state.steps > 100, "what was recorded stays"
    assert not window.status.cancel.isVisible()


def test_the_line_at_the_bottom_does_not_speak_of_an_earlier_run(pilot: Pilot) -> None:
    status = pilot.window.status
    pilot.type_snippet(FINE)
    assert pilot.run() is Phase.OK
    pilot.qtbot.waitUntil(lambda: " in " in status.label.text())  # a layout may still be at work
    pilot.type_snippet("def f(:\n")
    pilot.run()
    assert "recorded" in status.label.text(), "the steps of the former run stay"
    assert " in " not in status.label.text(), "they did not take the time of this run"
    pilot.type_snippet("while True: pass\n")
    for _ in range(2):
        pilot.press("F5")
        assert status.currentMessage() != "The run was stopped."
        with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
            pilot.press("Shift+F5")
        assert status.currentMessage() == "The run was stopped."


def test_what_a_long_run_prints_is_seen_while_it_goes_on(pilot: Pilot) -> None:
    pilot.type_snippet("import torch\nn = 0\nwhile True:\n    n += 1\n    if n < 4:\n        print('line', n)\n")
    pilot.press("F5")
    pilot.qtbot.waitUntil(lambda: pilot.output == "line 1\nline 2\nline 3\n", timeout=RUN_TIMEOUT)
    assert pilot.state.run.is_running
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        pilot.press("Shift+F5")


def test_a_killed_worker_is_replaced_and_nothing_typed_is_lost(pilot: Pilot) -> None:
    endless = "import torch\nx = torch.tensor(1.)\nwhile True:\n    pass\n"
    pilot.type_snippet(endless)
    pilot.press("F5")
    pilot.qtbot.waitUntil(lambda: pilot.state.recorded > 0, timeout=RUN_TIMEOUT)
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        os.kill(pilot.window.shell.runner.live._run._worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
    assert pilot.state.run.phase is Phase.DIED
    pilot.expect_error(-1, "nothing you typed is lost")
    assert text_of(pilot.state.document) == endless
    pilot.type_snippet(FINE)
    assert pilot.run() is Phase.OK
    pilot.expect_grad("x", 6.0)


REFUSALS = [
    ("compile('1')\n", 1, "compile()"),
    ("import torch\nx = = 2\n", 2, "invalid syntax"),
    ("", -1, "There is nothing to run yet"),
]


@pytest.mark.parametrize(("text", "line", "words"), REFUSALS, ids=["import", "syntax", "empty"])
def test_what_cannot_run_is_a_sentence_and_nothing_is_lost(pilot: Pilot, text: str, line: int, words: str) -> None:
    pilot.type_snippet(FINE)
    pilot.run()
    steps = pilot.state.steps
    pilot.type_snippet(text)
    pilot.run()
    pilot.expect_error(line, words)
    assert text_of(pilot.state.document) == text
    assert pilot.state.steps == steps, "the former graph stays on the screen"


def test_a_text_of_five_megabytes_is_not_pasted(pilot: Pilot) -> None:
    pilot.type_snippet(FINE)
    QApplication.clipboard().setText("x = 1\n" * 800_000)
    pilot.press("Ctrl+V")
    assert text_of(pilot.state.document) == FINE
    assert "4.8 MB; a snippet may have 0.4 MB at most" in pilot.window.status.currentMessage()


def test_a_snippet_without_tensors_says_so(pilot: Pilot) -> None:
    pilot.type_snippet("print(1 + 1)\n")
    assert pilot.run() is Phase.OK
    assert "made no tensor" in pilot.window.status.currentMessage()
    assert pilot.output == "2\n"


def test_closing_the_window_ends_what_runs(pilot: Pilot) -> None:
    pilot.type_snippet("import torch\nx = torch.tensor(1.)\nwhile True:\n    pass\n")
    pilot.press("F5")
    pilot.qtbot.waitUntil(lambda: pilot.state.recorded > 0, timeout=RUN_TIMEOUT)
    pilot.answers.to_keep = ["cancel", "discard"]
    assert not pilot.window.close(), "the user did not want to lose the text"
    assert pilot.state.run.is_running
    assert pilot.window.close()
    assert pilot.answers.asked == ["keep", "keep"]


def test_what_the_mouse_passes_over_does_not_wipe_out_a_notice(pilot: Pilot) -> None:
    window = pilot.window
    QApplication.sendEvent(window, QStatusTipEvent("Run the snippet."))
    assert window.status.currentMessage() == "Run the snippet."
    window.store.say("bad.py is not a text file.")
    for tip in ("Step back by one step.", ""):
        QApplication.sendEvent(window, QStatusTipEvent(tip))
        assert window.status.currentMessage() == "bad.py is not a text file."
    window.status.clearMessage()  # as after its time
    QApplication.sendEvent(window, QStatusTipEvent("Run the snippet."))
    assert window.status.currentMessage() == "Run the snippet."


def test_the_output_shows_what_a_terminal_would_obey(pilot: Pilot) -> None:
    pilot.type_snippet(
        "print('a\\r\\nb')\nprint('\\x1b[31mred\\x1b[0m', end='')\nprint(' 10%\\r 20%\\x1b[K')\n"
        "print('\\x1b]0;title\\x07\\u202eabc\\u2029')\nprint('end')\n"
    )
    pilot.run()
    whole = "a\nb\nred 10%\n 20%\n\\x1b]0;title\\x07\\u202eabc\n\nend\n"
    assert pilot.output == whole
    pilot.press("Alt+Home")
    seen = [pilot.output]
    for _ in range(pilot.state.steps):
        pilot.step()
        seen.append(pilot.output)
    assert seen == ["", "a\nb\n", "a\nb\nred", "a\nb\nred 10%\n 20%\n", whole[:-4], whole]
    for shown in seen[-2::-1]:
        pilot.back()
        assert pilot.output == shown
