"""Presenting: the graph fills the screen, a remote's keys step, and everything is as before when it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import reduce
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.session.presenting import FEWEST_SECONDS, MOST_SECONDS, code_of_step, reading_seconds, seconds_of_step
from gradviz.session.state import READING
from gradviz.ui import look
from gradviz.ui.panels.explanation import ExplanationPanel
from gradviz.ui.presenting import NO_NOTES, ScreenCover, SpeakerNotes
from tests.driver import Pilot


@pytest.fixture
def speaker(sample: Pilot) -> Pilot:
    """A window that presents the sample on a small projector."""
    sample.window.store.move(0)
    sample.press("F11")
    assert sample.window.isFullScreen()
    QApplication.processEvents()
    sample.window.resize(1024, 768)
    QApplication.processEvents()
    return sample


def share(pilot: Pilot) -> float:
    canvas, window = pilot.window.canvas.view, pilot.window
    return canvas.width() * canvas.height() / (window.width() * window.height())


def cover_of(pilot: Pilot) -> ScreenCover:
    return pilot.window.findChildren(ScreenCover)[0]


def test_the_graph_has_nearly_all_of_the_screen(speaker: Pilot) -> None:
    speaker.window.store.move(5)
    QApplication.processEvents()
    assert (speaker.window.width(), speaker.window.height()) == (1024, 768)
    assert share(speaker) >= 0.85
    assert speaker.window.panel_area.panel("explanation").isVisible()
    assert not speaker.window.statusBar().isVisible() and not speaker.window.tools.isVisible()


LONG = """import torch
x = torch.tensor(0.5, requires_grad=True)
y = x
for _ in range(7):
    y = torch.tanh(y) * x
y.backward()
"""


def test_a_graph_is_as_large_as_the_projector_allows_and_the_steps_are_followed(pilot: Pilot) -> None:
    pilot.type_snippet(LONG)
    pilot.run()
    pilot.press("F11")
    pilot.window.resize(1024, 768)
    QApplication.processEvents()
    canvas = pilot.window.canvas
    view = canvas.view
    pilot.qtbot.waitUntil(lambda: view.scene is not None and canvas.is_settled)
    assert view.camera.scale >= 1, "letters of 11 pixels can't be read from the back row"
    for cursor in range(1, pilot.state.steps + 1):
        pilot.window.store.move(cursor)
        scene = view.scene
        assert scene is not None
        around = scene.moment.around(scene.placed.diagram.edges).tolist() if scene.moment.focus >= 0 else []
        boxes = [scene.screen_box(item, view.camera, 0) for item in around]
        whole = reduce(QRect.united, boxes, QRect())
        fits = whole.width() <= view.width() and whole.height() <= view.height()
        focus = scene.screen_box(scene.moment.focus, view.camera, 0) if around else QRect()
        assert view.rect().contains(whole if fits else focus) or whole.isNull()
    pilot.press("Escape")
    QApplication.processEvents()
    assert view.camera.scale < 1


def test_after_a_run_it_begins_at_the_first_step_because_none_is_left(sample: Pilot) -> None:
    assert sample.state.cursor == sample.state.steps
    sample.press("F11")
    assert sample.state.stage.on and sample.state.cursor == 1
    sample.press("Escape")
    sample.window.store.move(5)
    sample.press("F11")
    assert sample.state.cursor == 5


@pytest.mark.parametrize("on, back", [("PgDown", "PgUp"), ("Right", "Left"), ("Space", "Backspace"), ("Down", "Up")])
def test_the_keys_of_a_remote_step(speaker: Pilot, on: str, back: str) -> None:
    for _ in range(3):
        speaker.press(on)
    there = speaker.state.cursor
    speaker.press(back)
    assert 0 < speaker.state.cursor < there


def test_home_end_and_f5_go_to_the_ends(speaker: Pilot) -> None:
    speaker.press("End")
    assert speaker.state.cursor == speaker.state.steps
    speaker.press("F5")
    assert speaker.state.cursor == 0 and not speaker.state.run.is_running
    speaker.press("End")
    speaker.press("Home")
    assert speaker.state.cursor == 0


def test_b_makes_the_screen_black_until_the_next_key(speaker: Pilot) -> None:
    speaker.press("PgDown")
    before = speaker.state.cursor
    speaker.press("B")
    black = cover_of(speaker)
    assert black.isVisible() and black.geometry() == speaker.window.rect()
    assert black.grab().toImage().pixelColor(500, 300) == Qt.GlobalColor.black
    speaker.press("PgDown")
    assert not black.isVisible() and speaker.state.cursor == before, "the first key only shows what was there"
    speaker.press(".")
    QTest.mouseClick(black, Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert not black.isVisible()


def test_a_spotlight_dims_the_rest_and_lets_the_mouse_through(speaker: Pilot) -> None:
    speaker.press("L")
    light = cover_of(speaker)
    assert light.isVisible() and light.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    light._at = QPoint(300, 300)
    picture = light.grab().toImage()
    assert picture.pixelColor(300, 300).lightness() > picture.pixelColor(light.width() - 5, 5).lightness() + 50
    speaker.press("L")
    assert not light.isVisible()


def test_digits_bring_panels_beside_the_graph(speaker: Pilot) -> None:
    cards = speaker.window.panel_area.cards
    for key, place in (("1", "left"), ("3", "right"), ("4", "bottom"), ("5", "corner")):
        assert not cards[place].isVisible()
        speaker.press(key)
        assert cards[place].isVisible()
    speaker.press("3")
    assert not cards["right"].isVisible() and cards["left"].isVisible()
    speaker.press("2")
    assert not any(cards[place].isVisible() for place in ("left", "right", "bottom", "corner"))


def test_a_long_sentence_is_seen_whole(pilot: Pilot) -> None:
    """With a remote in the hand, nobody scrolls."""
    pilot.run_again(
        "import torch\nx = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        "W = torch.tensor([[0.5, -0.5], [0.25, 1.0]], requires_grad=True)\nh = x @ W\n"
        "y = torch.relu(h)\nloss = y.mean()\nloss.backward()\n"
    )
    pilot.press("F11")
    pilot.window.resize(1024, 768)
    QApplication.processEvents()
    panel = pilot.window.panel_area.panels["explanation"]
    assert isinstance(panel, ExplanationPanel)
    heights, sizes = set(), set()
    for cursor in range(1, pilot.state.steps + 1):
        pilot.window.store.move(cursor)
        QApplication.processEvents()
        assert panel.sentence.document().size().height() <= panel.sentence.height(), panel.sentence.toPlainText()
        heights.add(panel.sentence.height())
        sizes.add(panel.sentence.fontInfo().pixelSize())
    assert len(heights) == 1, "so that the graph keeps its place"
    assert len(sizes) > 1 and min(sizes) >= 15


def test_code_that_is_brought_is_as_large_as_the_screen_allows(sample: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    code = sample.window.editor.code
    usual = code.fontInfo().pixelSize()
    screen = code.screen().size().height()
    monkeypatch.setattr(look, "STAGE", screen / 1.5)
    sample.press("F11")
    sample.press("1")
    assert code.fontInfo().pixelSize() == round(usual * 1.5)
    sample.press("Escape")
    assert code.fontInfo().pixelSize() == usual


def test_text_that_is_typed_while_presenting_is_text(speaker: Pilot) -> None:
    speaker.press("1")
    speaker.window.editor.code.setFocus()
    before = speaker.state.cursor
    QTest.keyClicks(speaker.window.editor.code, "b 1.")
    assert "b 1." in speaker.window.editor.code.toPlainText()
    assert speaker.state.cursor == before and not speaker.state.stage.black


def test_the_keys_are_ordinary_ones_when_nothing_is_presented(sample: Pilot) -> None:
    sample.window.store.move(3)
    sample.window.canvas.view.setFocus()
    for key in ("B", "L", "PgDown", "Space", "1"):
        sample.press(key)
    assert sample.state.cursor == 3 and not sample.state.stage.on


def test_escape_leaves_and_everything_is_as_it_was(sample: Pilot) -> None:
    area = sample.window.panel_area
    sample.window.store.move(5)
    QApplication.processEvents()
    before = {name: splitter.sizes() for name, splitter in area.splitters.items()}
    size = sample.window.size()
    sample.press("F11")
    sample.press("4")
    sample.press("B")
    sample.press("Escape")
    assert sample.state.stage.on and not sample.state.stage.black
    sample.press("Escape")
    QApplication.processEvents()
    assert not sample.state.stage.on and not sample.window.isFullScreen()
    sample.window.resize(size)
    QApplication.processEvents()
    assert {name: splitter.sizes() for name, splitter in area.splitters.items()} == before
    assert sample.window.statusBar().isVisible() and sample.window.tools.isVisible()


def test_the_code_of_the_step_is_beside_its_title(speaker: Pilot) -> None:
    speaker.window.store.move(4)
    QApplication.processEvents()
    shown = code_of_step(speaker.state)
    number, _, code = shown.partition("  ")
    assert code and code in speaker.window.editor.code.toPlainText().splitlines()[int(number) - 1]
    assert speaker.window.panel_area.panel("explanation").call.text() == shown  # type: ignore[attr-defined]


def test_a_sentence_stays_as_long_as_it_takes_to_read_it(sample: Pilot) -> None:
    assert reading_seconds("") == FEWEST_SECONDS and reading_seconds("word " * 500) == MOST_SECONDS
    assert reading_seconds("word " * 20) > reading_seconds("word " * 10) > FEWEST_SECONDS
    store, timer = sample.window.store, sample.window.shell.playback_timer
    assert store.state.view.speed == READING
    store.move(3)
    sample.press("F6")
    assert timer._timer.interval() == round(1000 * seconds_of_step(store.state))
    timer._tick()
    assert store.state.cursor > 3
    assert timer._timer.interval() == round(1000 * seconds_of_step(store.state))
    sample.press("F6")
    assert not timer._timer.isActive()


NOTED = """import torch
# Say why it needs
# no gradient.
x = torch.tensor(2.0)
w = torch.tensor(3.0, requires_grad=True)  # the only weight

y = w * x
"""


def test_the_speaker_sees_comments_the_next_step_and_the_time(pilot: Pilot) -> None:
    pilot.run_again(NOTED)
    pilot.window.store.move(0)
    pilot.press("F11")
    pilot.press("S")
    (notes,) = pilot.window.findChildren(SpeakerNotes)
    assert notes.isVisible() and notes.isWindow() and notes.clock.text().startswith("0:00:0")
    assert notes.notes.toPlainText() == NO_NOTES and notes.next.text().startswith("Next: ")
    said = {}
    for _ in range(pilot.state.steps):
        coming = notes.next.text()
        QTest.keyClick(notes, Qt.Key.Key_Right)
        assert notes.step.text().split("\n")[1:] == coming.split("\n")[1:], "what was next is now"
        said[code_of_step(pilot.state)] = notes.notes.toPlainText()
        if pilot.state.cursor == pilot.state.steps:
            break
    assert said["4  x = torch.tensor(2.0)"] == "Say why it needs\nno gradient."
    assert said["5  w = torch.tensor(3.0, requires_grad=True)  # the only weight"] == "the only weight"
    assert said["7  y = w * x"] == NO_NOTES and notes.next.text() == "This is the last step."
    notes.close()
    assert not pilot.state.stage.notes and pilot.state.stage.on
    pilot.press("S")
    (notes,) = [each for each in pilot.window.findChildren(SpeakerNotes) if each.isVisible()]
    pilot.press("Esc")
    assert not notes.isVisible() and not pilot.state.stage.on


TWO_SCREENS = """
import sys
from gradviz.ui.launch import application

app = application()
from gradviz.document.files.trust import OwnFiles
from gradviz.ui.presenting import SpeakerNotes
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow
from gradviz.ui.windows import Ownership, Windows

window = MainWindow(Settings(Forgetful()), Windows(Ownership(OwnFiles(None))))
window.resize(1100, 700)
window.show()
window.complete()


def told():
    for _ in range(20):
        app.processEvents()
    (notes,) = window.findChildren(SpeakerNotes)
    print(window.window().screen().name(), notes.screen().name(), notes.swap.isVisible())
    return notes


window.commands.do("present.present")
window.commands.do("present.notes")
told().swap.click()
told().swap.click()
told()
window.commands.do("present.present")
app.processEvents()
print(window.width(), window.height())
window.close()
"""


def test_the_notes_are_on_the_other_screen_and_swap_with_it(tmp_path: Path) -> None:
    screens = [
        {"name": name, "x": x, "y": 0, "width": 1280, "height": 800, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
        for name, x in (("first", 0), ("second", 1280))
    ]
    (tmp_path / "screens.json").write_text(json.dumps({"synchronousWindowSystemEvents": False, "screens": screens}))
    env = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screens.json'}"}
    ran = subprocess.run([sys.executable, "-c", TWO_SCREENS], env=env, capture_output=True, text=True, timeout=120)
    *places, size = ran.stdout.splitlines()
    assert places == ["first second True", "second first True", "first second True"], ran.stderr
    assert size == "1100 700", "as before"
