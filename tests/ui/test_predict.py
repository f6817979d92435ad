"""Predicting in the window: by keyboard alone, also while presenting; nothing on the screen knows the answer before."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QTextEdit, QWidget

from gradviz.session.presenting import code_of_step
from gradviz.session.state import Selection
from gradviz.ui.canvas.hover_words import words
from gradviz.ui.panels.explanation import AnswerBar, ExplanationPanel, QuestionMark
from gradviz.ui.panels.timeline import TimelinePanel
from gradviz.ui.panels.training import HIDDEN, TrainingPanel
from tests.driver import Pilot

UNUSUAL = """import torch
w = torch.tensor(1.2347, requires_grad=True)
x = torch.tensor(2.3459)
y = w * x
loss = y * y + w
loss.backward()
print(w.grad)
"""
SHAPES = "import torch\nW = torch.ones(3, 2, requires_grad=True)\nx = torch.ones(4, 3)\n(x @ W).sum().backward()\n"


@pytest.fixture
def learner(pilot: Pilot) -> Pilot:
    """A window in which one predicts, before the first step."""
    pilot.run_again(UNUSUAL)
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    pilot.press("Ctrl+Alt+Q")
    QApplication.processEvents()
    return pilot


def bar(pilot: Pilot) -> AnswerBar:
    panel = pilot.window.panel_area.panel("explanation")
    assert isinstance(panel, ExplanationPanel)
    return panel.findChildren(AnswerBar)[0]


def go_to_question(pilot: Pilot) -> None:
    for _ in range(40):
        if pilot.state.predict.asked is not None:
            break
        pilot.press("F10")
    QApplication.processEvents()


def said(window: QWidget) -> str:
    """All text of a window: what is read, what appears under the pointer, what a screen reader hears."""
    texts = [window.windowTitle()]
    for widget in window.findChildren(QWidget):
        texts += [widget.toolTip(), widget.statusTip(), widget.accessibleName(), widget.accessibleDescription()]
        if isinstance(widget, QLabel | QPushButton | QLineEdit):
            texts.append(widget.text())
        elif isinstance(widget, QPlainTextEdit | QTextEdit):
            texts.append(widget.toPlainText())
    return "\n".join(texts)


def test_the_answer_is_nowhere_before_it_is_given_and_everywhere_after(learner: Pilot) -> None:
    """For every question of the run, with all panels made and with each thing on the canvas under the pointer."""
    area = learner.window.panel_area
    for name in ("timeline", "events", "memory", "output", "inspector", "paths", "elements"):
        area.bring(name)
    met = 0
    for _ in range(40):
        asked = learner.state.predict.asked
        if asked is None:
            if learner.state.cursor == learner.state.steps:
                break
            learner.press("F10")
            QApplication.processEvents()
            continue
        met += 1
        number = re.compile(rf"(?<![\d.]){re.escape(asked.answer[:4])}")
        known = said(learner.window)
        canvas = learner.window.canvas.view
        scene, trace = canvas.scene, learner.state.trace
        assert scene is not None and trace is not None
        for item in scene.moment.items.nonzero()[0].tolist():
            known += str(words(scene.placed.diagram, scene.moment.frame, item))
        if asked.part == "value" or asked.part == "sum":
            assert not number.search(known), (asked, number.search(known))
        assert asked.prompt.split(",")[0] in known and isinstance(canvas.surface.overlay, QuestionMark)
        assert f"{asked.subject}" in known and "?" in known
        bar(learner).field.setText(asked.answer)
        QTest.keyClick(bar(learner).field, Qt.Key.Key_Return)
        QApplication.processEvents()
        assert learner.state.predict.asked is None and asked.answer in said(learner.window)
        assert canvas.surface.overlay is None
    assert met == 9 and learner.state.predict.score == "9 of 9 right"


def test_it_is_answered_by_keyboard_alone(learner: Pilot) -> None:
    go_to_question(learner)
    assert QApplication.focusWidget() is bar(learner).field
    QTest.keyClicks(bar(learner).field, "h3.5")
    assert bar(learner).field.text() == "3.5" and learner.state.predict.hints == 1
    learner.press("Return")
    assert bar(learner).verdict.text() == "✗ Not 3.5." and bar(learner).field.selectedText() == "3.5"
    QTest.keyClicks(bar(learner).field, "2.9")
    learner.press("Return")
    assert learner.state.predict.score == "1 of 1 right" and bar(learner).score.text() == "1 of 1 right"
    cursor = learner.state.cursor
    QTest.keyClick(QApplication.focusWidget() or learner.window, Qt.Key.Key_Space)  # the Step button has the keyboard
    assert learner.state.predict.asked is not None or learner.state.cursor > cursor


def test_the_keyboard_is_where_one_goes_on(learner: Pilot) -> None:
    text, before = learner.window.editor.code.toPlainText(), learner.state.cursor
    focused = QApplication.focusWidget()
    assert focused is bar(learner).go_on
    QTest.keyClick(focused, Qt.Key.Key_Space)
    assert learner.state.cursor > before
    assert learner.window.editor.code.toPlainText() == text


def test_step_shows_the_answer_and_back_closes_the_question(learner: Pilot) -> None:
    go_to_question(learner)
    asked = learner.state.predict.asked
    assert asked is not None
    learner.press("F9")
    assert learner.state.predict.asked is None and learner.state.cursor == asked.start
    learner.press("F10")
    assert learner.state.predict.asked == asked
    learner.press("F10")
    assert learner.state.cursor == asked.end and learner.state.predict.score == "0 of 1 right"


def test_a_shape_is_picked_with_a_digit(learner: Pilot) -> None:
    learner.run_again(SHAPES)
    assert learner.state.cursor == 0
    go_to_question(learner)
    asked = learner.state.predict.asked
    assert asked is not None and asked.choices
    assert not bar(learner).field.isVisible() and QApplication.focusWidget() is bar(learner).choices[0]
    QTest.keyClick(bar(learner).choices[0], str(asked.choices.index(asked.answer) + 1))
    assert learner.state.predict.score == "1 of 1 right"


def test_presenting_a_room_predicts(learner: Pilot) -> None:
    learner.press("F11")
    go_to_question(learner)
    step = f"step {learner.state.cursor} of {learner.state.steps} · "
    assert bar(learner).score.text().startswith(step)
    assert " ".join(code_of_step(learner.state).split()) in " ".join(said(learner.window).split())
    QTest.keyClicks(bar(learner).field, "1")  # no panel
    assert not learner.state.stage.panels and bar(learner).field.text() == "1"
    learner.press("PgDown")
    assert learner.state.predict.score == "0 of 1 right"
    bar(learner).go_on.setFocus()
    learner.press("P")
    assert not learner.state.predict.on and not bar(learner).isVisible()
    learner.press("F11")


def test_a_number_typed_where_nothing_is_asked_leaves_the_screen_alone(learner: Pilot) -> None:
    learner.press("F11")
    go_to_question(learner)
    bar(learner).field.setText(learner.state.predict.asked.answer if learner.state.predict.asked is not None else "")
    learner.press("Return")
    assert learner.state.predict.asked is None and QApplication.focusWidget() is bar(learner).go_on
    learner.press(".")
    assert learner.state.stage.on and not learner.state.stage.black
    learner.press("B")
    assert learner.state.stage.black
    learner.press("F11")


def test_the_graph_keeps_its_share_of_a_small_screen_while_a_room_predicts(learner: Pilot) -> None:
    learner.press("F11")
    window = learner.window
    window.showNormal()
    window.resize(1024, 768)
    go_to_question(learner)
    QApplication.processEvents()
    assert window.canvas.width() * window.canvas.height() >= 0.85 * 1024 * 768
    learner.press("F11")


def test_what_tells_of_later_steps_is_not_there(learner: Pilot) -> None:
    commands, output = learner.window.commands, learner.window.panel_area.panel("output")
    assert not commands.actions["view.chain"].isEnabled() and not commands.actions["view.check"].isEnabled()
    output.whole.setChecked(True)  # type: ignore[attr-defined]
    assert not output.whole.isEnabled() and not output.text.toPlainText()  # type: ignore[attr-defined]
    learner.window.store.select(Selection("tensor", 0))
    learner.press("Ctrl+Alt+Q")
    assert commands.actions["view.chain"].isEnabled() and "tensor(" in output.text.toPlainText()  # type: ignore[attr-defined]


def test_the_mark_stands_on_the_card_and_is_not_left_behind(learner: Pilot) -> None:
    go_to_question(learner)
    canvas = learner.window.canvas.view
    marked = canvas.grab().toImage()
    learner.press("F9")
    QApplication.processEvents()
    assert canvas.surface.overlay is None and canvas.grab().toImage() != marked
    learner.press("F10")
    learner.run_again("a = 1\n")
    assert learner.state.predict.asked is None


def test_the_curves_of_a_training_are_not_told_before(pilot: Pilot) -> None:
    loop = "for i in range(4):\n    loss = (w * 2 - 1) ** 2\n    loss.backward()\n    with torch.no_grad():\n"
    loop += "        w -= 0.1 * w.grad\n        w.grad = None\n"
    pilot.run_again(f"import torch\nw = torch.tensor(1.5, requires_grad=True)\n{loop}")
    pilot.window.panel_area.bring("training")
    panel, timeline = (pilot.window.panel_area.panel(name) for name in ("training", "timeline"))
    assert isinstance(panel, TrainingPanel) and isinstance(timeline, TimelinePanel) and timeline.content is not None
    pilot.qtbot.waitUntil(lambda: panel.found is not None and panel.is_settled)
    assert timeline.content.course is not None
    pilot.press("Ctrl+Alt+Q")
    assert panel.found is None and panel.hint.text() == HIDDEN
    timeline = pilot.window.panel_area.panel("timeline")
    assert isinstance(timeline, TimelinePanel) and timeline.content is not None and timeline.content.course is None
    pilot.press("Ctrl+Alt+Q")
    pilot.qtbot.waitUntil(lambda: panel.found is not None and panel.is_settled)


def test_how_an_answer_was_can_be_read_where_there_is_little_room(pilot: Pilot) -> None:
    pilot.run_again(SHAPES)
    pilot.press("Ctrl+Alt+Q")
    go_to_question(pilot)
    answers = bar(pilot)
    QTest.keyClicks(answers.field, "3")
    QTest.keyClick(answers.field, Qt.Key.Key_Return)
    needed = answers.verdict.sizeHint().width()
    assert answers.verdict.text() and answers.score.isVisibleTo(answers)
    wide = answers.sizeHint().width() + needed
    for width, has_score in ((wide, True), (wide - 5, False), (wide - answers.score.width(), False)):
        answers.resize(width, answers.height())
        answers.layout().activate()
        assert answers.verdict.width() >= needed and answers.score.isVisibleTo(answers) == has_score
