"""What is around the canvas: a toolbar that never cuts a button, an error card that leaves room for the code, the
arguments of the backward call, and how much of the window the graph gets."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QCheckBox, QToolButton
from pytestqt.qtbot import QtBot

from gradviz.commands.table import COMMANDS
from gradviz.ui import look
from gradviz.ui.actions import ALWAYS, Tools
from gradviz.ui.panels.error_card import LONGEST, shortened
from gradviz.ui.panels.explanation import ExplanationPanel
from tests.driver import Pilot

AGAIN = "Trying to backward through the graph a second time"


def tools(pilot: Pilot) -> Tools:
    found = pilot.window.findChild(Tools)
    assert found is not None
    return found


def shown(bar: Tools) -> list[str]:
    return [action.objectName() for action in bar.actions() if action.objectName() and action.isVisible()]


def test_a_narrow_toolbar_leaves_out_what_is_least_needed(qtbot: QtBot, pilot: Pilot) -> None:
    bar = Tools()
    qtbot.addWidget(bar)
    for row in COMMANDS:
        if row.toolbar:
            bar.add(row, pilot.window.commands.actions[row.id])
    bar.resize(1400, 50)
    bar.show()
    QApplication.processEvents()
    everything, counts = shown(bar), []
    for width in (1400, 900, 640, 420):
        bar.resize(width, 50)
        QApplication.processEvents()
        counts.append(len(shown(bar)))
        more = bar.findChild(QToolButton, "qt_toolbar_ext_button")
        assert more is None or not more.isVisible(), f"{width}: a button without a name"
        assert set(ALWAYS) <= set(shown(bar))
    assert counts == sorted(counts, reverse=True) and counts[-1] < counts[0] == len(everything)
    bar.resize(1400, 50)
    assert shown(bar) == everything, "they come back"


def test_a_drawing_can_be_presented_from_the_toolbar_of_a_small_screen(pilot: Pilot) -> None:
    pilot.window.resize(1024, 768)
    pilot.window.commands.do("draw.new")
    QApplication.processEvents()
    assert "present.present" in shown(tools(pilot))


def test_a_ticked_box_has_a_tick(qtbot: QtBot) -> None:
    box = look.CheckBox("")
    qtbot.addWidget(box)
    box.setChecked(True)
    with_tick = box.grab().toImage()
    painted = QCheckBox.paintEvent
    box.paintEvent = lambda event: painted(box, event)  # type: ignore[method-assign]
    assert box.grab().toImage() != with_tick


def test_larger_text_leaves_less_room_in_the_toolbar(pilot: Pilot) -> None:
    bar = tools(pilot)
    pilot.window.resize(1280, 800)
    QApplication.processEvents()
    before = shown(bar)
    for _ in range(8):
        pilot.window.commands.do("view.larger")
    QApplication.processEvents()
    bar.make_room()
    assert len(shown(bar)) < len(before)
    assert set(ALWAYS) <= set(shown(bar))


def test_the_graph_has_the_most_of_the_window(sample: Pilot) -> None:
    window = sample.window
    window.resize(1280, 800)
    QApplication.processEvents()
    canvas = window.canvas
    assert canvas.width() * canvas.height() >= 0.5 * 1280 * 800


def test_the_error_card_is_short_until_one_wants_more(sample: Pilot) -> None:
    window, card = sample.window, sample.window.editor.card
    window.resize(1280, 800)
    QApplication.processEvents()
    card.fit()
    QApplication.processEvents()
    assert card.height() <= window.editor.height() * 0.46
    text = card.text.toPlainText()
    assert AGAIN in text and "Why" in text and "more" in text
    assert "(or directly access" not in text
    card.text.anchorClicked.emit("more")
    assert "(or directly access" in card.text.toPlainText()
    card.text.anchorClicked.emit("more")
    assert card.text.toPlainText() == text


@pytest.mark.parametrize(
    ("message", "short"),
    [
        ("no", "no"),
        ("a short one. With a second sentence", "a short one. With a second sentence"),
        (f"{AGAIN} (or directly access saved tensors after they have already been freed). {'x ' * 40}", AGAIN),
        ("word " * 60, ("word " * 22).strip()),
    ],
)
def test_messages_are_shortened_where_it_is_worth_it(message: str, short: str) -> None:
    assert shortened(message) == short
    assert len(shortened(message)) <= max(LONGEST, len(message) if len(message) < 120 else 0)


def test_the_arguments_of_the_backward_call_stand_beside_the_step(sample: Pilot) -> None:
    panel = sample.window.panel_area.panels["explanation"]
    assert isinstance(panel, ExplanationPanel)
    sample.window.resize(1900, 900)
    QApplication.processEvents()
    sample.window.store.move(11)
    assert panel.call.text().startswith("backward( gradient=None  retain_graph")
    sample.window.store.move(2)
    assert panel.call.text() == "", "nothing runs backward there"


def test_what_comes_next_is_said_where_there_is_room(sample: Pilot) -> None:
    panel = sample.window.panel_area.panels["explanation"]
    assert isinstance(panel, ExplanationPanel)
    sample.window.store.move(2)
    sample.window.resize(1900, 900)
    QApplication.processEvents()
    wide = panel.sentence.toPlainText()
    panel.sentence.setFixedWidth(150)
    panel.resize(180, panel.height())
    QApplication.processEvents()
    assert "Next:" in wide
    assert "Next:" not in panel.sentence.toPlainText()


def test_what_was_printed_keeps_its_columns(pilot: Pilot) -> None:
    pilot.run_again("import torch\nprint(torch.eye(2))\n")
    pilot.window.store.move(pilot.state.steps)
    panel = pilot.window.panel_area.panels["explanation"]
    assert isinstance(panel, ExplanationPanel)
    lines = panel.sentence.toPlainText().replace("\N{NO-BREAK SPACE}", " ").splitlines()
    assert lines == ["tensor([[1., 0.],", "        [0., 1.]])"]
    cursor = panel.sentence.textCursor()

    def left(place: int) -> int:
        cursor.setPosition(place)
        return panel.sentence.cursorRect(cursor).left()

    assert left(lines[0].index("1.")) == left(len(lines[0]) + 1 + lines[1].index("0.")) > 50


def test_the_status_says_what_of_this_snippet_is_compared_with_pytorch(pilot: Pilot) -> None:
    pilot.run_again("import torch\nw = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\n")
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    label = pilot.window.status.label
    assert label.text().endswith("both kinds of operation checked against PyTorch 2.13")
    assert "value, gradient and second gradient: mul, sum." in label.toolTip()
    own = "class Twice(torch.autograd.Function):\n"
    own += "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
    own += "    @staticmethod\n    def backward(ctx, grad):\n        return grad * 2\n"
    pilot.run_again(f"import torch\n{own}w = torch.ones(2, requires_grad=True)\nTwice.apply(w).sum().backward()\n")
    assert " of " in label.text() and "Not compared: " in label.toolTip()
