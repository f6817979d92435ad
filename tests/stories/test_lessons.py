"""A student comes with an error and leaves with its reason and its fix."""

from __future__ import annotations

from gradviz.document.documents import text_of
from tests.driver import Pilot

TWICE = """\
import torch

w = torch.tensor(3., requires_grad=True)
x = torch.tensor(2.)
loss = (w * x) ** 2
loss.backward()
loss.backward()
"""


def test_the_second_backward_becomes_a_lesson(pilot: Pilot) -> None:
    pilot.type_snippet(TWICE)
    pilot.run()
    pilot.expect_error(7, "Trying to backward through the graph a second time")
    card = pilot.window.editor.card
    assert "PowBackward0 (line 5)" in card.text.toPlainText()
    assert "freed" in card.text.toPlainText()
    assert pilot.state.cursor == pilot.state.steps, "it stands at the error"
    inspector = pilot.window.panel_area.panels["inspector"].inspection  # type: ignore[attr-defined]
    assert inspector.title == "PowBackward0"
    assert "freed at step" in inspector.find("self")

    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        pilot.click(card.apply)
    assert "loss.backward(retain_graph=True)" in text_of(pilot.state.document)
    assert not card.isVisible()
    pilot.expect_grad("w", 48.0)
    pilot.press("Ctrl+Z")
    assert text_of(pilot.state.document) == TWICE


def test_accumulation_is_seen_as_it_happens(pilot: Pilot) -> None:
    pilot.type_snippet(
        "import torch\nw = torch.tensor(3., requires_grad=True)\nb = torch.tensor(1., requires_grad=True)\n"
        "x = torch.tensor(2.)\ny = w * x + b\nz = y * w\nz.backward()\n"
    )
    pilot.run()
    pilot.expect_grad("w", 13.0)
    pilot.press("Alt+Home")
    pilot.press("F7")
    pilot.expect_grad("b", 3.0)
    assert pilot.grad("w") == "None"
    trace = pilot.state.trace
    assert trace is not None
    buffer = trace.frame(pilot.state.cursor).buffer(pilot.tensor("w"))
    assert buffer is not None
    assert (buffer.arrived, buffer.expected, buffer.total.text()) == (1, 2, "7")
    pilot.press("F7")
    pilot.expect_grad("w", 13.0)
