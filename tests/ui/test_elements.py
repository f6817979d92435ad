"""The page of one number: a number of the inspector leads to it, the arrow keys move it, a click on a number that it
comes from asks about that one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtTest import QTest

from gradviz.session.inspect.elements import Element
from gradviz.session.state import Selection
from gradviz.ui.canvas.painter import numbers_of
from gradviz.ui.panels.elements import ElementsPanel, SheetView
from gradviz.ui.panels.inspector import InspectorPanel
from tests.driver import RUN_TIMEOUT, Pilot
from tests.trace.test_chains import tensor_called

LINEAR = """\
import torch
x = torch.tensor([[1., 2., 3.], [0., -1., 2.]])
W = torch.tensor([[0.5, 1.5], [0., 0.25], [2., -1.]], requires_grad=True)
h = x @ W
loss = (h * h).sum()
loss.backward()
"""


def panel(pilot: Pilot) -> ElementsPanel:
    found = pilot.window.panel_area.panel("elements")
    assert isinstance(found, ElementsPanel)
    return found


def selected(pilot: Pilot, name: str, source: str = LINEAR) -> int:
    pilot.type_snippet(source)
    pilot.run()
    trace = pilot.window.store.state.trace
    assert trace is not None
    tensor = tensor_called(trace, name)
    pilot.window.store.select(Selection("tensor", tensor))
    return tensor


def show(pilot: Pilot, element: Element) -> ElementsPanel:
    pilot.window.shell.focus("elements")
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        pilot.window.shell.elements.show(element)
    return panel(pilot)


def lit(view: SheetView) -> tuple[str, list[int]]:
    assert view.sheet is not None and view.sheet.lit is not None
    return view.sheet.name, sorted(view.sheet.lit)


def key(pilot: Pilot, page: ElementsPanel, which: Qt.Key) -> None:
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        QTest.keyClick(page.target, which)


def test_before_anything_is_asked_the_page_says_what_to_do(pilot: Pilot) -> None:
    pilot.window.shell.focus("elements")
    assert panel(pilot).hint.isVisible() and not panel(pilot).button.isEnabled()
    assert not panel(pilot).target.isVisible()


def test_the_command_asks_about_the_first_number_of_what_is_selected(pilot: Pilot) -> None:
    selected(pilot, "h")
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        pilot.window.commands.do("view.element")
    page = panel(pilot)
    assert page.isVisible() and page.target.hasFocus()
    text = page.said.toPlainText()
    assert "gradient of h[0, 0] = 13" in text and "∇(h * h)[0, 0] · h[0, 0]\n1 × 6.5 = 6.5" in text
    assert "together\n6.5 + 6.5 = 13" in text


def test_a_number_of_the_inspector_leads_to_where_it_comes_from(pilot: Pilot) -> None:
    tensor = selected(pilot, "h")
    inspector = pilot.window.panel_area.panel("inspector")
    assert isinstance(inspector, InspectorPanel)
    assert f"element:{tensor}:value:3" in inspector.browser.toHtml()
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        inspector.browser.anchorClicked.emit(QUrl(f"element:{tensor}:value:3"))
    page = panel(pilot)
    assert "row 1 of x · column 1 of W\n0 × 1.5 + (-1) × 0.25 + 2 × (-1) = -2.25" in page.said.toPlainText()
    assert [lit(view) for view in page.sources] == [("x", [3, 4, 5]), ("W", [1, 3, 5])]
    assert page.target.sheet is not None and page.target.sheet.marked == 3


def test_arrow_keys_move_the_number_and_the_tensor_it_lies_in_is_the_end(pilot: Pilot) -> None:
    tensor = selected(pilot, "h")
    page = show(pilot, Element(tensor, "value", 0))
    for which, index in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Down, 3), (Qt.Key.Key_Left, 2), (Qt.Key.Key_Up, 0)):
        key(pilot, page, which)
        assert pilot.state.origin is not None and pilot.state.origin.element.index == index
    QTest.keyClick(page.target, Qt.Key.Key_Up)
    assert pilot.state.origin.element.index == 0


def test_a_number_that_it_comes_from_can_be_asked_about_and_backspace_goes_back(pilot: Pilot) -> None:
    tensor = selected(pilot, "W")
    page = show(pilot, Element(tensor, "grad", 5))
    assert [lit(view) for view in page.sources] == [("∇h", [1, 3]), ("x", [2, 5])]
    source = page.sources[0]
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        QTest.mouseClick(source, Qt.MouseButton.LeftButton, pos=source.heart.toPoint())
    assert pilot.state.origin is not None and pilot.state.origin.title.startswith("gradient of h[1, 1]")
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        QTest.keyClick(page, Qt.Key.Key_Backspace)
    assert pilot.state.origin.title.startswith("gradient of W[2, 1]")


def test_the_keyboard_reaches_the_numbers_that_it_comes_from(pilot: Pilot) -> None:
    page = show(pilot, Element(selected(pilot, "W"), "grad", 5))
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        QTest.keyClick(page.sources[1], Qt.Key.Key_Return)
    assert pilot.state.origin is not None and pilot.state.origin.title == "x[1, 2] = 2"
    assert "line 2 made it" in page.said.toPlainText()


def test_a_click_beside_the_numbers_asks_nothing(pilot: Pilot) -> None:
    page = show(pilot, Element(selected(pilot, "h"), "value", 0))
    before = pilot.state.origin
    QTest.mouseClick(page.target, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert pilot.state.origin is before


def test_escape_closes_it(pilot: Pilot) -> None:
    page = show(pilot, Element(selected(pilot, "h"), "value", 0))
    pilot.window.commands.do("view.select_none")
    assert pilot.state.origin is None and page.hint.isVisible() and pilot.state.selection is not None


def test_it_follows_the_cursor(pilot: Pilot) -> None:
    tensor = selected(pilot, "W")
    page = show(pilot, Element(tensor, "grad", 0))
    pilot.window.store.move(3)  # no gradient has come yet
    assert pilot.state.origin is None and page.hint.isVisible()


def test_another_run_closes_it(pilot: Pilot) -> None:
    show(pilot, Element(selected(pilot, "h"), "value", 0))
    pilot.type_snippet(LINEAR.replace("0.5", "0.25"))
    pilot.run()
    assert pilot.state.origin is None


def test_an_operation_is_asked_about_once(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = selected(pilot, "h")
    show(pilot, Element(tensor, "value", 0))
    runner = pilot.window.shell.elements
    started: list[object] = []
    monkeypatch.setattr(runner.live, "start", lambda *given: started.append(given))
    runner.show(Element(tensor, "value", 1))
    assert not started and pilot.state.origin is not None and pilot.state.origin.lines


def test_a_document_that_is_not_trusted_is_not_run_for_it(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = selected(pilot, "h")
    runner = pilot.window.shell.elements
    started: list[object] = []
    monkeypatch.setattr(runner.live, "start", lambda *given: started.append(given))
    monkeypatch.setattr("gradviz.session.state.State.is_trusted", False)
    runner.show(Element(tensor, "value", 0))
    assert not started and pilot.state.origin is not None and "press Run" in pilot.state.origin.sentence


def test_a_run_that_is_stopped_says_so(pilot: Pilot) -> None:
    tensor = selected(pilot, "h")
    runner = pilot.window.shell.elements
    runner.show(Element(tensor, "value", 0))
    assert pilot.state.origin is not None and pilot.state.origin.asked
    with pilot.qtbot.waitSignal(runner.ended, timeout=RUN_TIMEOUT):
        runner.live.stop()
    assert pilot.state.origin.lines or "the run ended before it" in pilot.state.origin.sentence


def shown_on_the_canvas(pilot: Pilot, tensor: int, scale: float) -> dict[tuple[str, int], QPoint]:
    """The numbers that a card shows at this zoom, and the pixel of each."""
    view = pilot.window.canvas.view
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    view.viewport.flight.wanted = False
    view.viewport.zoom_reset()
    view.viewport.zoom(scale / view.camera.scale, QPointF(), 0)
    scene = view.scene
    assert scene is not None
    item = scene.placed.diagram.items_around_tensor(tensor)[0]
    view.viewport.show_item(int(item))
    found = {}
    for part, index, box in numbers_of(scene.painter, scene.moment, int(item), view.camera.scale):
        found[part, index] = QPoint(*map(round, view.camera.to_screen(box.center().x(), box.center().y())))
    return found


def box_on_the_canvas(pilot: Pilot, tensor: int, part: str, index: int, scale: float = 1.0) -> QPoint:
    """The pixel of a number on a card, at this zoom."""
    return shown_on_the_canvas(pilot, tensor, scale)[part, index]


@pytest.mark.parametrize(("part", "title"), [("value", "h[1, 1] = -2.25"), ("grad", "gradient of h[1, 1] = -4.5")])
def test_a_double_click_on_a_number_of_a_card_asks_about_it(pilot: Pilot, part: str, title: str) -> None:
    tensor = selected(pilot, "h")
    at = box_on_the_canvas(pilot, tensor, part, 3)
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        QTest.mouseDClick(pilot.window.canvas.view, Qt.MouseButton.LeftButton, pos=at)
    assert pilot.state.origin is not None and pilot.state.origin.title == title
    assert panel(pilot).isVisible()


@pytest.mark.parametrize("scale", [1.4, 1.0, 0.7, 0.5])
def test_a_click_on_a_number_of_the_selected_card_asks_about_it_at_any_zoom_that_shows_it(
    pilot: Pilot, scale: float
) -> None:
    tensor = selected(pilot, "h")
    at = box_on_the_canvas(pilot, tensor, "value", 3, scale)
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        QTest.mouseClick(pilot.window.canvas.view, Qt.MouseButton.LeftButton, pos=at)
    assert pilot.state.origin is not None and pilot.state.origin.title == "h[1, 1] = -2.25"
    assert pilot.state.selection == Selection("tensor", tensor)


def test_the_first_click_only_selects_and_shift_asks_for_a_path(pilot: Pilot) -> None:
    tensor = selected(pilot, "h")
    at = box_on_the_canvas(pilot, tensor, "value", 3)
    view = pilot.window.canvas.view
    pilot.window.commands.do("view.select_none")
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)
    assert pilot.state.selection == Selection("tensor", tensor) and pilot.state.origin is None
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, at)
    assert pilot.state.origin is None


MAPS = """\
import torch
a = torch.arange(600.).reshape(20, 30).requires_grad_()
line = torch.arange(100.).requires_grad_()
images = torch.arange(360.).reshape(3, 2, 6, 10).requires_grad_()
large = torch.arange(40000.).reshape(200, 200).requires_grad_()
((a * 2).sum() + (line * 2).sum() + (images * 2).sum() + (large * 2).sum()).backward()
"""


@pytest.mark.parametrize("scale", [1.0, 0.6])
@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("a", "a[19, 29] = 599"),
        ("line", "line[98] = 98"),
        ("images", "images[2, 1, 5, 9] = 359"),
        ("large", "large[199, 199] = 39999"),
    ],
)
def test_a_click_on_a_heat_map_asks_about_the_element_of_that_cell(
    pilot: Pilot, scale: float, name: str, title: str
) -> None:
    tensor = selected(pilot, name, MAPS)
    places = shown_on_the_canvas(pilot, tensor, scale)
    at = places["value", max(index for part, index in places if part == "value")]
    with pilot.qtbot.waitSignal(pilot.window.shell.elements.ended, timeout=RUN_TIMEOUT):
        QTest.mouseClick(pilot.window.canvas.view, Qt.MouseButton.LeftButton, pos=at)
    assert pilot.state.origin is not None and pilot.state.origin.title == title


def test_the_card_under_the_pointer_says_how_to_ask(pilot: Pilot) -> None:
    tensor = selected(pilot, "h")
    box_on_the_canvas(pilot, tensor, "value", 0)
    hover = pilot.window.canvas.view.hover
    hover.show_details()
    assert hover.card is not None and "on the selected card to see its origin" in hover.card.text()


def test_the_numbers_stand_out_on_the_canvas(pilot: Pilot) -> None:
    tensor = selected(pilot, "h")
    box_on_the_canvas(pilot, tensor, "value", 0)
    view = pilot.window.canvas.view
    before = view.grab().toImage()
    show(pilot, Element(tensor, "value", 0))
    scene = view.scene
    assert scene is not None and scene.painter.numbers.asked == (tensor, "value", 0)
    assert view.grab().toImage() != before
    pilot.window.commands.do("view.select_none")
    assert scene.painter.numbers.asked is None


ODD = """\
import torch
empty = torch.zeros(0, 3, requires_grad=True)
e2 = empty * 2
n = torch.tensor([float("nan"), float("inf"), 1.], requires_grad=True)
n2 = n * 0
c = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
c2 = c * c
deep = torch.arange(120.).reshape(2, 3, 4, 5).requires_grad_()
d2 = deep.sum(dim=1)
one = torch.tensor(2., requires_grad=True)
o2 = one ** 3
(n2.sum() + c2.abs().sum() + d2.mean() + o2).backward()
"""


def test_odd_numbers_are_shown(pilot: Pilot) -> None:
    selected(pilot, "n2", ODD)
    trace = pilot.state.trace
    assert trace is not None
    for name, index in [("n2", 0), ("n2", 1), ("c2", 1), ("d2", 39), ("o2", 0), ("deep", 77)]:
        tensor = tensor_called(trace, name)
        pilot.window.store.select(Selection("tensor", tensor))
        for part in ("value", "grad"):
            page = show(pilot, Element(tensor, part, index))
            assert pilot.state.origin is not None and page.target.isVisible(), (name, part)
            assert page.said.toPlainText().startswith(pilot.state.origin.title), (name, part)
            assert not page.grab().isNull()


def test_a_tensor_without_numbers_has_none_to_ask_about(pilot: Pilot) -> None:
    selected(pilot, "e2", ODD)
    pilot.window.commands.do("view.element")
    assert pilot.state.origin is None and "no number" in pilot.state.notice.sentence
