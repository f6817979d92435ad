"""Checking a gradient in the window: asked for by a link or by the command, answered in the inspector, forgotten with
the next run."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl

from gradviz.session.inspect.inspection import Inspection
from gradviz.session.state import Selection
from tests.driver import Pilot

SOURCE = """\
import torch
w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0)
y = w * x
loss = y * y + w
loss.backward()
"""


def select(pilot: Pilot, name: str) -> None:
    pilot.window.store.select(Selection("tensor", pilot.tensor(name)))


def inspection(pilot: Pilot) -> Inspection:
    found = pilot.window.panel_area.panel("inspector").inspection
    assert found is not None
    return found


def wait(pilot: Pilot) -> None:
    with pilot.qtbot.waitSignal(pilot.window.shell.checks.ended, timeout=60_000):
        pass


@pytest.mark.slow
def test_a_gradient_stands_beside_its_differences_and_its_formula(pilot: Pilot) -> None:
    pytest.importorskip("sympy")
    pilot.run_again(SOURCE)
    select(pilot, "w")
    assert "Check by differences" in pilot.window.panel_area.panel("inspector").browser.toPlainText()
    pilot.window.panel_area.panel("inspector").browser.anchorClicked.emit(QUrl("check:0"))
    assert "nudged" in inspection(pilot).find("differences")
    wait(pilot)
    found = inspection(pilot)
    assert found.find("autograd").startswith("25 · ")
    assert found.find("differences").startswith("25") and "2 runs" in found.find("differences")
    assert found.find("they agree")
    assert found.find("symbolic").startswith("25 · ")
    formula = next(one for one in found.sections if one.form == "formula").rows[0]
    assert formula.text.startswith("∂loss/∂w = 2 · ") and formula.text.endswith("+ 1 = 25")
    pilot.run_again(SOURCE)
    assert pilot.state.check is None


@pytest.mark.slow
def test_what_cannot_be_checked_is_said(pilot: Pilot) -> None:
    pilot.run_again(
        SOURCE.replace("loss.backward()", "big = torch.ones(500, requires_grad=True)\n(big * y).sum().backward()")
    )
    for name, words in (("y", "no leaf"), ("x", "no leaf"), ("big", "500 elements")):
        select(pilot, name)
        pilot.window.commands.do("view.check")
        assert words in pilot.state.notice.sentence
        assert pilot.state.check is None


@pytest.mark.slow
def test_closing_the_window_ends_a_check(pilot: Pilot) -> None:
    pilot.run_again(SOURCE)
    select(pilot, "w")
    pilot.window.commands.do("view.check")
    pilot.window.shell.checks.close()
    assert not pilot.window.shell.checks.live.is_running
