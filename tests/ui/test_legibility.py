"""Legible by construction: nothing on a canvas is written in less than 11 pixels, the canvas has half of the window,
and a window does not grow with its text."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from gradviz.commands.panels import PANELS
from gradviz.session.folding import Folding, Presentation
from gradviz.session.state import TEXT_SCALES
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.camera import LARGEST_FIT, Camera, fitting
from gradviz.ui.canvas.content import ValueContent
from gradviz.ui.canvas.ink import ALMOST, LEAST, Ink
from gradviz.ui.canvas.item_painter import LEAST_GAP, cell_in, paint_grid, paint_map
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.surface import legible
from gradviz.ui.canvas.viewport import OPENED, READABLE
from gradviz.ui.panel_area import HALF, LINES, Room, allotted
from gradviz.ui.theme import LIGHT
from tests.driver import Pilot
from tests.trace.running import run
from tests.ui.canvas_fixtures import RECURRENCE, scene_of

EXAMPLES = sorted((Path(__file__).parents[2] / "resources" / "examples").glob("*.py"))
SCREENS = ((1024, 768), (1280, 800), (1366, 768), (1920, 1080), (3840, 2160))
SCALES = (TEXT_SCALES[0], 1.0, TEXT_SCALES[-1])


class Writing:
    """Notes the size of everything that is to be written, also of what is left out because it is too small."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[tuple[float, str]] = []
        write = Ink.text

        def note(
            ink: Ink, painter: QPainter, role: str, colour: str, box: QRectF, text: str, align: Qt.AlignmentFlag
        ) -> None:
            if text:
                self.sizes.append((ink.fonts[role].pixelSize() * painter.worldTransform().m22(), text))
            write(ink, painter, role, colour, box, text, align)

        monkeypatch.setattr(Ink, "text", note)


def opened(scene: Scene, width: float, height: float, text: float) -> Camera:
    """The camera through which a graph is seen first."""
    extent = scene.extent()
    assert extent is not None
    camera = fitting(extent, width, height, LARGEST_FIT * text)
    if camera.scale >= READABLE * text:
        return camera
    return Camera(OPENED * text).centred(*scene.world_box(scene.start_item())[:2], int(width), int(height))


def paint(scene: Scene, camera: Camera, width: int, height: int) -> None:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        painter.save()
        scene.paint_edges(painter, camera, QRectF(image.rect()))
        painter.restore()
        scene.paint_rest(painter, camera, QRectF(image.rect()), 0.3, 1.0)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem[:2])
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")
def test_no_example_has_text_that_is_too_small(qapp: QApplication, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    trace, writing = run(path.read_text(encoding="utf-8")), Writing(monkeypatch)
    for text in SCALES:
        theme = legible(LIGHT.scaled(text))
        scene = scene_of(trace, theme=theme)
        writing.sizes.clear()
        cursor = next((int(step) for step in trace.calls.step), len(trace)) + 3
        for width, height in SCREENS:
            for at in (min(cursor, len(trace)), len(trace)):
                scene.move_to(at)
                if scene.extent() is not None:
                    paint(scene, opened(scene, 0.7 * width, 0.7 * height, theme.scale), width, height)
        small = sorted({(round(size, 1), said) for size, said in writing.sizes if size < ALMOST * LEAST * theme.scale})
        assert not small, (text, small[:5])
        assert len(writing.sizes) >= 5 * len(trace.tensors) or len(trace.tensors) > 10


@pytest.mark.parametrize("scale", [0.46, 0.55, 0.7, 0.79, 0.8, 0.95, 1.0])
def test_at_no_zoom_is_a_gradient_without_its_sign(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    trace = run("import torch\nw = torch.tensor(3., requires_grad=True)\ny = w * 7\ny.backward()\n")
    scene, writing = scene_of(trace, len(trace) - 1), Writing(monkeypatch)
    extent = scene.extent()
    assert extent is not None
    paint(scene, Camera(scale).centred((extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2, 900, 600), 900, 600)
    said = {text for size, text in writing.sizes if size >= ALMOST * LEAST}
    assert {"3", "21"} <= said
    assert any("∇" in text for text in said)


@pytest.mark.parametrize("text", SCALES)
def test_no_number_of_a_card_is_cut_off(qapp: QApplication, monkeypatch: pytest.MonkeyPatch, text: float) -> None:
    source = "import torch\nx = torch.tensor({}, requires_grad=True)\n(-(3 * x + 1) ** 2 / 48750).exp().backward()\n"
    cut, shorten = [], Ink.shortened

    def note(ink: Ink, role: str, text: str, room: float) -> str:
        cut.append(text)
        return shorten(ink, role, text, room)

    monkeypatch.setattr(Ink, "shortened", note)
    for trace in (run(source.format(number)) for number in ("2.", "-123.456", "2. + 3.125j")):
        scene = scene_of(trace, len(trace), theme=legible(LIGHT.scaled(text)))
        extent = scene.extent()
        assert extent is not None
        middle = (extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2
        for scale in (0.8, 0.85, 0.9, 1.0, 1.5):
            paint(scene, Camera(scale * text).centred(*middle, 2600, 600), 2600, 600)
    assert not [each for each in cut if re.search(r"\d", each) and not re.search(r"[a-z]", each)]


@pytest.mark.parametrize("scale", [0.45, 0.6, 0.75])
def test_the_words_of_a_closed_group_fit_its_lines_from_further_away(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    scene, writing = scene_of(run(RECURRENCE), drawing=Presentation(Folding(level=0))), Writing(monkeypatch)
    extent = scene.extent()
    assert extent is not None
    paint(scene, Camera(scale).centred((extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2, 900, 600), 900, 600)
    (size,) = {size for size, text in writing.sizes if text == "for t in range(12)"}
    assert LEAST <= size <= sizes.NOTE


def test_a_number_in_a_cell_loses_digits_but_is_never_cut(qapp: QApplication) -> None:
    ink = Ink(LIGHT)
    digit = ink.width(sizes.CELL, "0")
    said = [cell_in(ink, "-0.007125", count * digit + 0.5) for count in (9, 8, 7, 6, 5)]
    assert said == ["-0.007125", "-0.00713", "-0.0071", "-0.007", "-.007"]
    assert cell_in(ink, "True", digit) == "True"


def test_a_number_beside_its_label_loses_digits_but_is_never_over_it(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    ink, written = Ink(LIGHT), list[tuple[str, str]]()
    monkeypatch.setattr(Ink, "text", lambda _, painter, role, colour, box, text, align: written.append((role, text)))
    image = QImage(200, 80, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        area = QRectF(0, 0, sizes.MAP_WIDTH + 10 + sizes.SUMMARY_WIDTH - 14, 60)
        paint_map(painter, ink, area, ValueContent("map", "", summary=("max 0.07662", "min -3.041e-05")), "text")
    assert [text for _, text in written] == ["max", "0.07662", "min", "-3.04e-5"]
    for label, figures in zip(written[::2], written[1::2], strict=True):
        assert ink.width(*label) + ink.width(*figures) <= area.width() - sizes.MAP_WIDTH - 10


def test_numbers_that_stand_side_by_side_do_not_touch(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    ink, written = Ink(LIGHT), list[tuple[str, QRectF]]()
    monkeypatch.setattr(Ink, "text", lambda _, painter, role, colour, box, text, align: written.append((text, box)))
    image = QImage(200, 80, QImage.Format.Format_RGB32)
    cells = (("-0.4617", "-0.05068", "0.7961"), ("1.535", "-0.2689", "-10.27"))
    with QPainter(image) as painter:
        for width in (126, 138, 160):
            paint_grid(painter, ink, QRectF(0, 0, width, 60), ValueContent("grid", "", cells=cells), "text")
    assert len(written) == 18
    assert all(ink.width(sizes.CELL, text) <= box.width() - LEAST_GAP for text, box in written)


# -- the window


def test_the_canvas_has_half_of_the_window_and_the_window_stays_as_it_is(sample: Pilot) -> None:
    """One window takes all sizes, one after the other."""
    window, canvas = sample.window, sample.window.canvas.view
    for size, text in itertools.product(SCREENS, SCALES):
        window.store.move(4)
        window.resize(*size)
        window.store.look(replace(window.store.state.view, text_scale=text))
        QApplication.processEvents()
        window.store.move(5)
        QApplication.processEvents()
        assert (window.width(), window.height()) == size, text
        assert canvas.width() * canvas.height() >= HALF * size[0] * size[1], (size, text)
    window.store.look(replace(window.store.state.view, text_scale=1.0))


def test_cards_give_way_to_the_canvas_one_after_the_other() -> None:
    def room(width: int, height: int) -> Room:
        return allotted(width, height, HALF * width * (height + 200), 100, 1.0)

    large, middle, small, smallest = (room(*size) for size in ((3800, 1900), (1900, 850), (1000, 560), (700, 240)))
    assert large.left and large.right and large.low and not large.stacked
    assert middle.left and middle.low and middle.stacked
    assert small.left and small.stacked and not small.low
    assert smallest == Room()
    tight = allotted(1008, 590, HALF * 1024 * 768, 94, 0.8)
    assert tight.left >= LINES * 0.8 and tight.stacked and not tight.low, "lines of code before the timeline"


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (1366, 768), (1440, 900), (1920, 1080)])
def test_a_page_at_the_bottom_leaves_the_canvas_its_half(sample: Pilot, size: tuple[int, int]) -> None:
    area, canvas = sample.window.panel_area, sample.window.canvas.view
    sample.window.resize(*size)
    QApplication.processEvents()
    before = {place for place, card in area.cards.items() if card.isVisible()}
    for name in ("timeline", "memory", "training", "breakpoints"):
        area.bring(name)
        QApplication.processEvents()
        assert area.cards["bottom"].isVisible() and area.cards["bottom"].height() >= 64
        assert canvas.width() * canvas.height() >= HALF * size[0] * size[1], name
    area.ask_for("bottom", shown=False)
    QApplication.processEvents()
    assert {place for place, card in area.cards.items() if card.isVisible()} == before - {"bottom"}, "they come back"


def test_a_page_at_the_bottom_that_is_clicked_stays(sample: Pilot) -> None:
    sample.window.resize(1440, 900)
    QApplication.processEvents()
    card = sample.window.panel_area.cards["bottom"]
    assert card.isVisible()
    QTest.mouseClick(card.tabs, Qt.MouseButton.LeftButton, pos=card.tabs.tabRect(1).center())
    QApplication.processEvents()
    assert card.isVisible() and card.front == 1 and card.height() > 140


def test_the_snippet_has_the_room_that_the_canvas_leaves(sample: Pilot) -> None:
    sample.window.resize(1600, 1000)
    QApplication.processEvents()
    left, canvas = sample.window.panel_area.cards["left"], sample.window.canvas.view
    assert left.width() > 360
    assert HALF < canvas.width() * canvas.height() / (1600 * 1000) < HALF + 0.03


def test_short_code_leaves_its_room_to_the_inspector(pilot: Pilot) -> None:
    lines = "import torch\nw = torch.tensor(3., requires_grad=True)\n(w * 7).backward()\n"
    pilot.window.resize(1280, 800)
    code, inspector = pilot.window.editor.code, pilot.window.panel_area.panel("inspector")
    heights = []
    for source in (lines, lines + "print(w)\n" * 40, lines + "raise ValueError\n"):
        pilot.run_again(source)
        QApplication.processEvents()
        heights.append((code.height(), inspector.height()))
    short, long, raised = heights
    assert short[1] > 1.3 * long[1] and short[0] >= 4 * code.fontMetrics().lineSpacing()
    assert long[0] > 1.3 * short[0] and raised[1] == long[1]
    pilot.run_again(lines)
    pilot.window.panel_area.bring("examples")
    QApplication.processEvents()
    assert pilot.window.panel_area.panel("examples").height() > 1.3 * short[0], "examples are not as short as the code"


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (1600, 1000)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_buttons_of_an_error_are_never_cut(pilot: Pilot, size: tuple[int, int]) -> None:
    pilot.window.resize(*size)
    pilot.run_again(
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * x\ny.sum().backward()\nprint(y.backward())\n"
    )
    QApplication.processEvents()
    card = pilot.window.editor.card
    assert card.isVisible() and card.beside.isVisible()
    for button in (card.beside, card.apply):
        assert button.width() >= button.sizeHint().width() and card.rect().contains(button.geometry())
        assert not button.geometry().intersects(card.title.geometry())
    assert card.title.width() >= card.title.sizeHint().width()


def test_what_is_empty_takes_no_space(pilot: Pilot) -> None:
    cards = pilot.window.panel_area.cards
    pilot.window.resize(1900, 1000)
    QApplication.processEvents()
    assert not any(cards[place].isVisible() for place in ("right", "bottom", "corner"))
    pilot.run_again("import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\n")
    QApplication.processEvents()
    assert cards["right"].isVisible() and cards["bottom"].isVisible() and not cards["corner"].isVisible()
    pilot.run_again("import torch\nprint(torch.ones(2))\n")
    QApplication.processEvents()
    assert cards["corner"].isVisible()


def test_a_panel_comes_by_its_key_and_folds_away_by_another(sample: Pilot) -> None:
    sample.window.resize(1024, 768)
    QApplication.processEvents()
    timeline = sample.window.panel_area.panel("timeline")
    assert not timeline.isVisible()
    sample.press("Ctrl+4")
    QApplication.processEvents()
    assert timeline.isVisible() and timeline.focus_target.hasFocus()
    sample.press("Shift+Escape")
    QApplication.processEvents()
    assert not timeline.isVisible() and sample.window.canvas.view.hasFocus()
    sample.press("Shift+Escape")
    assert sample.window.canvas.view.isVisible(), "the graph stays"


def test_sizes_that_were_dragged_come_back_with_the_same_panels(sample: Pilot) -> None:
    sample.window.resize(1900, 1000)
    QApplication.processEvents()
    middle = sample.window.panel_area.splitters["middle"]
    middle.setSizes([333, 1500])
    middle.splitterMoved.emit(333, 1)
    dragged = middle.sizes()
    sample.press("Ctrl+1")
    sample.press("Shift+Escape")
    assert not sample.window.editor.isVisible()
    sample.press("Ctrl+1")
    QApplication.processEvents()
    assert middle.sizes() == dragged


def test_a_card_without_room_is_offered_in_the_status_bar(pilot: Pilot) -> None:
    pilot.window.resize(1280, 800)
    folded = pilot.window.status.folded
    assert not any(button.isVisible() for button in folded.values())
    pilot.run_again("import torch\nx = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)")
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    offered = [button.text() for button in folded.values() if button.isVisible()]
    assert offered == ["Timeline ▴", "Output ▴"]
    folded["output"].click()
    assert pilot.window.panel_area.cards["corner"].isVisible() and not folded["output"].isVisible()
    assert folded["timeline"].isVisible()
    pilot.press("Ctrl+4")
    assert pilot.window.panel_area.cards["bottom"].isVisible() and not folded["timeline"].isVisible()


def test_what_is_hidden_is_offered_at_any_text_size(pilot: Pilot) -> None:
    """Showing a button in the status bar lays the window out again, in the middle of laying it out."""
    pilot.window.resize(1024, 768)
    pilot.run_again(
        "import torch\nW = torch.ones(3, 5, requires_grad=True)\nb = torch.zeros(5, requires_grad=True)\n"
        "h = torch.relu(torch.ones(4, 3) @ W + b)\n(h.sigmoid() ** 2).mean().backward()\nprint(W.grad)\n"
    )
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    area, first = pilot.window.panel_area, {"left": "editor", "right": "inspector", "bottom": "timeline"}
    for scale in (1.5, 2.0, 1.0, 2.0, 0.8):
        pilot.window.store.look(replace(pilot.state.view, text_scale=scale))
        QApplication.processEvents()
        hidden = {name for place, name in first.items() if not area.cards[place].isVisible()}
        offered = {name for name, button in pilot.window.status.folded.items() if button.isVisible()}
        assert offered - {"output"} == hidden, scale


def test_a_card_is_offered_while_the_bar_makes_room_for_another(pilot: Pilot) -> None:
    """Showing a button may lay the window out again, which may leave one more card without room."""
    status, late = pilot.window.status, [PANELS[:2]]

    class Button(QPushButton):
        def setVisible(self, visible: bool) -> None:
            super().setVisible(visible)
            if late:
                status.show_folded(late.pop())

    status.folded = {PANELS[0].id: Button(status)}
    status.show_folded(PANELS[:1])
    assert list(status.folded) == [row.id for row in PANELS[:2]]


def test_a_notice_has_the_room_of_the_cards_that_are_offered(pilot: Pilot) -> None:
    """On a small screen with large text the two do not fit beside each other."""
    pilot.window.resize(1024, 768)
    pilot.window.store.look(replace(pilot.state.view, text_scale=1.5))
    pilot.run_again("import torch\nx = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)")
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    status = pilot.window.status
    offered = [button for button in status.folded.values() if button.isVisible()]
    assert len(offered) >= 2
    pilot.window.store.say("Short.")
    assert all(button.isVisible() for button in offered)
    pilot.window.store.say("Copied x as tensor([2., 2., 2.]); paste it into any Python that has NumPy or PyTorch.")
    QApplication.processEvents()
    assert not any(button.isVisible() for button in offered) and not status.label.isVisible()
    status.clearMessage()
    assert all(button.isVisible() for button in offered) and status.label.isVisible()
    assert pilot.window.width() == 1024


def test_a_summary_that_becomes_longer_leaves_a_notice_its_room(pilot: Pilot) -> None:
    pilot.window.resize(1280, 800)
    pilot.run_again("import torch\nx = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)")
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    status = pilot.window.status
    pilot.window.store.say("Step on, and say what each new number will be.")
    pilot.type_snippet("import torch\n")
    QApplication.processEvents()
    assert "has changed since" in status._summary
    needed = status.fontMetrics().horizontalAdvance(status.currentMessage())
    seen = [each.x() for each in (status.label, *status.folded.values()) if each.isVisible()]
    assert needed < min(seen) - status.contentsMargins().left()


def test_what_can_be_clicked_in_the_status_bar_stays_where_it_is(pilot: Pilot) -> None:
    """A notice goes by itself, often while somebody moves the mouse to a button; the summary then comes back."""
    pilot.window.resize(1280, 800)
    pilot.run_again(
        "import torch\nw = torch.ones(3, requires_grad=True)\nfor i in range(3):\n    (w * w).sum().backward()\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\nprint(w.grad)\n"
    )
    status = pilot.window.status
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled and status.badge.isVisible())
    buttons = [status.badge, *(each for each in status.folded.values() if each.isVisible())]
    assert len(buttons) >= 2

    def places(message: str) -> list[int]:
        status.showMessage(message)
        QApplication.processEvents()
        return [each.x() for each in buttons]

    without = places("")
    assert status.label.isVisible()
    long = "This is the first backward step. Step (F10) goes on, Step Back (F9) shows how it came to this."
    assert places(long) == without and not status.label.isVisible()
