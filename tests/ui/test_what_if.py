"""A change run beside the snippet, in a real window with a real worker: the chooser, the two canvases, the list, and
what happens when the second run does not end well."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.document.documents import text_of
from gradviz.session.comparison.proposals import Proposal, edited, proposals
from gradviz.session.state import Phase, Selection
from gradviz.ui.dialogs.what_if import BY_HAND, WhatIfDialog
from gradviz.ui.panels.comparison_view import ComparisonCanvases
from gradviz.ui.panels.differences import DifferencesPanel
from tests.driver import RUN_TIMEOUT, Pilot

TEXT = "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x.detach() * x\ny.backward()\nprint(x.grad)\n"
TWICE = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()\n"
ENDLESS = "import torch\nx = torch.tensor(1.)\nwhile True:\n    pass\n"


def change(text: str, words: str) -> Proposal:
    return next(one for one in proposals(text) if words in one.title)


def begin(pilot: Pilot, proposal: Proposal) -> None:
    """Start it and wait until both have been compared."""
    with pilot.qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        pilot.window.shell.what_if_runner.start(proposal)


def settle(pilot: Pilot) -> ComparisonCanvases:
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled, timeout=RUN_TIMEOUT)
    two = pilot.window.canvas.two
    assert two is not None
    return two


def panel(pilot: Pilot) -> DifferencesPanel:
    found = pilot.window.panel_area.panels["differences"]
    assert isinstance(found, DifferencesPanel)
    return found


@pytest.fixture
def beside(pilot: Pilot) -> Pilot:
    """A window in which the change has run."""
    pilot.type_snippet(TEXT)
    pilot.run()
    begin(pilot, change(TEXT, "without .detach()"))
    settle(pilot)
    return pilot


def test_both_runs_are_on_the_screen(beside: Pilot) -> None:
    two = settle(beside)
    assert two.front.isVisible() and two.other.isVisible()
    assert two.view.sides[0].title.whole == "As written"
    assert two.view.sides[1].title.whole == "Line 3: without .detach()"
    assert two.view.sentence.text().startswith("Without .detach() at line 3, x.grad is 6 instead of 3")
    assert panel(beside).table.isVisible()
    assert not beside.window.panel_area.cards["under"].isVisible()
    beside.press("Ctrl+Shift+W")
    assert beside.state.what_if is None
    assert two.front.isVisible() and not two.other.isVisible()
    assert two.front.surface.overlay is None
    assert beside.window.panel_area.cards["under"].isVisible()
    assert panel(beside).model.rowCount() == 0


def test_the_card_of_an_item_says_what_is_otherwise_in_the_other_run(beside: Pilot) -> None:
    two = settle(beside)
    for view, words in ((two.front, ("3", "changed", "6")), (two.other, ("6", "as written", "3"))):
        scene = view.scene
        assert scene is not None and view.hover.elsewhere is not None
        diagram = scene.placed.diagram
        (item,) = [row for row in range(len(diagram.kind)) if scene.words(row).title == "x"][:1]
        view.hover.show_card(item)
        assert view.hover.card is not None
        own, title, other = words
        text = view.hover.card.text()
        assert f"<tt>{own}</tt>" in text or f"<tt>{own}.</tt>" in text
        assert f".grad, {title}" in text and f"value, {title}" not in text, "only what differs is said twice"
        assert f"<tt>{other}" in text.partition(f".grad, {title}")[2]
        view.hover.leave_card()
    beside.press("Ctrl+Shift+W")
    assert two.front.hover.elsewhere is None


def test_steps_and_selections_go_together(beside: Pilot) -> None:
    two = settle(beside)
    beside.press("Alt+Home")
    assert two.view.sides[1].step.whole.startswith("Step 0 of")
    beside.step(3)
    state = beside.state
    assert state.what_if is not None
    assert (state.cursor, state.what_if.cursor) == (3, 2)
    assert two.view.sides[0].step.whole.startswith("Step 3 of")
    assert two.view.sides[1].step.whole.startswith("Step 2 of")
    two.other.selection.chosen.emit("tensor", 0)
    assert beside.state.selection == Selection("tensor", 0)
    assert two.other.selection.current == ("tensor", 0) and two.front.selection.current == ("tensor", 0)
    two.other.selection.cleared.emit()
    assert beside.state.selection is None


def test_what_differs_has_a_ring_and_a_badge(beside: Pilot) -> None:
    two = settle(beside)
    with_marks = two.other.grab().toImage()
    two.other.surface.overlay = None
    plain = two.other.grab().toImage()
    assert with_marks.convertToFormat(QImage.Format.Format_RGB32) != plain.convertToFormat(QImage.Format.Format_RGB32)
    flags = two.front.surface.overlay.flags(two.front.scene)  # type: ignore[union-attr, arg-type]
    assert sorted(flags.tolist()) == sorted(int(flag) for flag in flags) and flags.any()


def test_the_list_leads_to_the_places(beside: Pilot) -> None:
    found = panel(beside)
    subjects = [found.model.index(row, 0).data() for row in range(found.model.rowCount())]
    assert subjects[0] == "∇  x.grad"
    assert [found.model.index(0, column).data() for column in (1, 2)] == ["3", "6"]
    assert found.model.headerData(2, Qt.Orientation.Horizontal) == "changed"
    beside.press("Alt+Home")
    found.table.setCurrentIndex(found.model.index(0, 0))
    step = beside.state.trace.frame(beside.state.cursor).step  # type: ignore[union-attr]
    assert step is not None and step.kind.name == "ACCUMULATE"
    assert beside.state.selection == Selection("tensor", 0)
    alone = next(row for row, subject in enumerate(subjects) if "sends a contribution" in subject)
    found.table.setCurrentIndex(found.model.index(alone, 0))
    other = beside.state.what_if
    assert other is not None and other.trace is not None
    step = other.trace.frame(other.cursor).step
    assert step is not None and step.kind.name == "CONTRIBUTION"


def test_the_strip_moves_both(beside: Pilot) -> None:
    strip = panel(beside).strip
    strip.setFocus()
    QTest.keyClick(strip, Qt.Key.Key_Home)
    assert beside.state.cursor == 0
    for _ in range(3):
        QTest.keyClick(strip, Qt.Key.Key_Right)
    state = beside.state
    assert state.what_if is not None
    assert (state.cursor, state.what_if.cursor) == (3, 2)
    QTest.keyClick(strip, Qt.Key.Key_PageUp)
    assert beside.state.cursor == 0
    QTest.keyClick(strip, Qt.Key.Key_End)
    assert beside.state.cursor == beside.state.steps
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(2, 10))
    assert beside.state.cursor == 0
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() - 20, 10))
    assert beside.state.cursor == beside.state.steps


def test_the_next_difference_by_keyboard(beside: Pilot) -> None:
    beside.press("Alt+Home")
    beside.press("F4")
    first = beside.state.cursor
    assert first == 2, "the detach"
    beside.press("F4")
    assert beside.state.cursor > first
    beside.press("Shift+F4")
    assert beside.state.cursor == first


def test_swap_take_and_undo_by_keyboard(beside: Pilot) -> None:
    two = settle(beside)
    beside.press("Ctrl+Shift+I")
    assert two.view.sides[0].title.whole == "Line 3: without .detach()"
    beside.expect_grad("x", 6.0)
    assert beside.output == "tensor(6.)\n"
    settle(beside)
    beside.press("Ctrl+Shift+Return")
    assert text_of(beside.state.document) == TEXT.replace(".detach()", "")
    assert beside.state.what_if is None
    beside.expect_grad("x", 6.0)
    beside.press("Ctrl+Z")
    assert text_of(beside.state.document) == TEXT


def test_tab_goes_from_one_canvas_to_the_other(beside: Pilot) -> None:
    two = settle(beside)
    two.front.setFocus()
    QTest.keyClick(two.front, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is two.other
    QTest.keyClick(two.other, Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is two.front


def test_a_theme_and_a_text_size_for_both(beside: Pilot) -> None:
    two = settle(beside)
    light = two.other.grab().toImage().pixelColor(2, 2).lightness()
    beside.window.commands.choose("set.theme", "dark")
    assert two.other.grab().toImage().pixelColor(2, 2).lightness() < light
    beside.press("Ctrl+Alt+=")
    assert beside.state.view.text_scale > 1
    assert panel(beside).strip.isVisible()


def test_the_chooser_finds_a_change(pilot: Pilot) -> None:
    pilot.type_snippet(TEXT)
    pilot.run()
    pilot.press("Ctrl+I")
    dialog = pilot.window.findChild(WhatIfDialog)
    assert dialog is not None
    QTest.keyClicks(dialog.query, "detach")
    assert dialog.list.item(0).text() == "line 3: without .detach()"
    QTest.keyClick(dialog.query, Qt.Key.Key_Down)
    QTest.keyClick(dialog.query, Qt.Key.Key_Up)
    with pilot.qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        QTest.keyClick(dialog.query, Qt.Key.Key_Return)
    assert pilot.state.what_if is not None and pilot.state.what_if.comparison is not None


def test_a_change_by_hand(pilot: Pilot) -> None:
    pilot.type_snippet(TEXT)
    pilot.run()
    pilot.press("Ctrl+I")
    dialog = pilot.window.findChild(WhatIfDialog)
    assert dialog is not None
    QTest.keyClicks(dialog.query, "nothing is called so")
    assert [dialog.list.item(row).text() for row in range(dialog.list.count())] == [BY_HAND]
    QTest.keyClick(dialog.query, Qt.Key.Key_Return)
    assert dialog.code.isVisible() and not dialog.try_it.isEnabled()
    dialog.back.click()
    assert dialog.query.isVisible()
    QTest.keyClick(dialog.query, Qt.Key.Key_Return)
    dialog.code.setPlainText(TEXT.replace("(3.", "(4."))
    assert dialog.change.text() == "line 2: with x = torch.tensor(4., requires_grad=True)"
    with pilot.qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        dialog.try_it.click()
    assert "instead of 3" in pilot.window.canvas.two.view.sentence.text()  # type: ignore[union-attr]


FAILURES = [
    ("y = = 2", Phase.RAISED, "it cannot be read"),
    ("y = compile('x')", Phase.REFUSED, "it is not run"),
    ("raise ValueError('no')", Phase.RAISED, "it stops at line 3"),
]


@pytest.mark.parametrize(("line", "phase", "words"), FAILURES, ids=["syntax", "refused", "raises"])
def test_a_change_that_does_not_run_says_so(pilot: Pilot, line: str, phase: Phase, words: str) -> None:
    pilot.type_snippet(TEXT)
    pilot.run()
    proposal = edited(TEXT, TEXT.replace("y = x.detach() * x", line))
    assert proposal is not None
    begin(pilot, proposal)
    state = pilot.state
    assert state.what_if is not None and state.what_if.run.phase is phase
    assert words in settle(pilot).view.sentence.text()
    assert state.run.phase is Phase.OK and state.trace is not None, "the first run is as it was"
    pilot.press("Ctrl+Shift+W")
    assert pilot.state.what_if is None


def test_an_endless_change_is_stopped(pilot: Pilot) -> None:
    pilot.type_snippet(TEXT)
    pilot.run()
    with pilot.qtbot.waitSignal(pilot.window.shell.what_if_runner.ended, timeout=RUN_TIMEOUT):
        pilot.window.shell.what_if_runner.start(Proposal("with a loop", 3, ENDLESS))
        assert pilot.state.is_busy
        pilot.qtbot.waitUntil(
            lambda: pilot.state.what_if is not None and pilot.state.what_if.recorded > 0, timeout=RUN_TIMEOUT
        )
        assert "running the change" in pilot.window.status.label.text()
        pilot.press("Shift+F5")
    assert pilot.state.what_if is not None
    assert pilot.state.what_if.run.phase is Phase.STOPPED
    assert not pilot.state.is_busy


def test_the_window_closes_while_a_change_runs(pilot: Pilot) -> None:
    pilot.type_snippet(TEXT)
    pilot.run()
    pilot.window.shell.what_if_runner.start(Proposal("with a loop", 3, ENDLESS))
    pilot.answers.to_keep = ["discard"]
    assert pilot.window.close()
    assert not pilot.window.shell.what_if_runner.live.is_running


def test_a_run_of_the_snippet_ends_the_comparison(beside: Pilot) -> None:
    beside.run_again(TWICE)
    assert beside.state.what_if is None
    assert beside.state.run.phase is Phase.RAISED


def test_a_changed_snippet_runs_first(pilot: Pilot) -> None:
    pilot.type_snippet(TEXT)
    begin(pilot, change(TEXT, "without .detach()"))
    assert text_of(pilot.state.traced) == TEXT
    assert pilot.state.what_if is not None and pilot.state.what_if.comparison is not None


def test_a_snippet_that_does_not_run_has_nothing_beside_it(pilot: Pilot) -> None:
    text = "import torch\nx = = 1\n"
    pilot.type_snippet(text)
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        pilot.window.shell.what_if_runner.start(Proposal("without it", 2, "import torch\n"))
    assert pilot.state.what_if is None
    assert "nothing to compare" in pilot.window.status.currentMessage()


def test_nothing_is_cut_in_a_small_window(beside: Pilot) -> None:
    two = settle(beside)
    beside.window.resize(1280, 800)
    beside.qtbot.waitUntil(lambda: beside.window.width() == 1280, timeout=RUN_TIMEOUT)
    for side in two.view.sides:
        assert side.title.text() == side.title.whole
        assert side.step.text() == side.step.whole
        assert side.stack.height() > 80
    for button in two.view.buttons.values():
        assert button.width() >= button.sizeHint().width()
