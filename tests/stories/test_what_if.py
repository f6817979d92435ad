"""A teacher shows what one line does: the same training loop with and without it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gradviz.document.documents import text_of
from gradviz.ui.dialogs.what_if import WhatIfDialog
from tests.driver import RUN_TIMEOUT, Pilot

LOOP = """\
import torch

w = torch.tensor(1., requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = (w - 3) ** 2
    loss.backward()
    optimizer.step()
"""


def test_what_zero_grad_is_for(pilot: Pilot) -> None:
    pilot.type_snippet(LOOP)
    pilot.run()
    pilot.press("Ctrl+I")
    dialog = pilot.window.findChild(WhatIfDialog)
    assert dialog is not None
    QTest.keyClicks(dialog.query, "zero")
    with pilot.qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        QTest.keyClick(dialog.query, Qt.Key.Key_Return)
    pilot.window.activateWindow()  # as the desktop does when a dialog closes
    pilot.qtbot.waitUntil(pilot.window.isActiveWindow, timeout=RUN_TIMEOUT)
    two = pilot.window.canvas.two
    assert two is not None
    assert two.view.sentence.text().startswith("Without optimizer.zero_grad() at line 6, w.grad is ")

    pilot.press("Alt+Home")
    pilot.press("F4")
    step = pilot.state.trace.frame(pilot.state.cursor).step  # type: ignore[union-attr]
    assert step is not None and step.line == 6
    pilot.press("F7")
    other = pilot.state.what_if
    assert other is not None and other.trace is not None
    grads = [trace.frame(cursor).grad(0) for trace, cursor in (
        (pilot.state.trace, pilot.state.cursor), (other.trace, other.cursor))]  # fmt: skip
    assert [grad.text() for grad in grads if grad is not None] == ["-3.2", "-7.2"]

    pilot.press("Ctrl+Shift+Return")
    assert "    # optimizer.zero_grad()" in text_of(pilot.state.document)
    pilot.press("Ctrl+Z")
    assert text_of(pilot.state.document) == LOOP


def test_the_fix_of_an_error_is_tried_beside_it(pilot: Pilot) -> None:
    pilot.type_snippet(
        "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x * x\ny.backward()\ny.backward()\n"
    )
    pilot.run()
    card = pilot.window.editor.card
    with pilot.qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        pilot.click(card.beside)
    assert pilot.state.what_if is not None
    sentence = pilot.state.what_if.sentence
    assert sentence.startswith("With y.backward(retain_graph=True) at line 4, it runs to the end; as written it stops")
    assert not card.beside.isVisible()
