"""How the inspector writes what it says where there is little room."""

from __future__ import annotations

import html

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.session.inspect.inspection import Inspection, Link, Row, Section, row
from gradviz.session.state import Selection
from gradviz.ui.panels.inspector import FormulaBrowser, InspectorPanel, array_table, page
from gradviz.ui.panels.timeline_paint import shorter
from gradviz.ui.theme import LIGHT
from tests.driver import Pilot


def lines(text: str, columns: int) -> list[str]:
    return html.unescape(array_table(text, columns)).replace("\xa0", " ").split("<br>")


def page_of(*rows: Row, columns: int = 32) -> str:
    return page(Inspection("x", (Section("", rows),)), LIGHT, columns)


def test_a_matrix_is_a_table_whose_columns_stand_below_each_other() -> None:
    assert lines("[[1., -20.], [3., 4.]]", 32) == ["[  1. -20.]", "[  3.   4.]"]


def test_a_wide_matrix_says_that_columns_are_missing() -> None:
    found = lines("[[1.00, 2.00, 3.00, 4.00, 5.00], [6.00, 7.00, 8.00, 9.00, 0.00]]", 20)
    assert found == ["[1.00 2.00 3.00 …]", "[6.00 7.00 8.00 …]"]


def test_a_tall_matrix_says_that_rows_are_missing() -> None:
    found = lines(f"[{', '.join(f'[{each}, 0]' for each in range(20))}]", 32)
    assert len(found) == 8
    assert found[-2].strip() == "⋮"
    assert found[-1] == "[19  0]"


def test_a_vector_goes_on_below_and_keeps_what_is_said_of_it() -> None:
    assert lines("[1, 2, 3, 4, 5] · not stored", 8) == ["[1 2 3", " 4 5]", "· not stored"]


def test_no_line_of_an_array_is_wider_than_the_panel() -> None:
    for columns in range(12, 60):
        for text in ("[[-0.1234, 2.3456, 1.0000, -3.0000]]", "[1.0000, -2.0000, 3.0000, 4.0000, 5.0000]"):
            assert max(map(len, lines(text, columns))) <= columns


def test_what_is_no_array_is_no_table() -> None:
    assert not array_table("(8, 3, 3, 3) in [-0.192, 0.1913]", 32)
    assert not array_table("3", 32)
    assert not array_table("[[[1, 2]]]", 32)


def test_links_stand_on_lines_of_their_own_and_the_same_words_are_numbered() -> None:
    links = [Link("MulBackward0 (line 6)", Selection("node", node)) for node in range(3)]
    parts = (links[0], Link(", "), links[1], Link(", "), links[2], Link(", "), Link("38 others"))
    found = page_of(Row("used by", parts))
    assert found.count("MulBackward0 (line 6)") == 1
    assert found.count("<a href") == 3
    assert "<br>38 others" in found


def test_a_name_that_is_longer_than_its_column_stands_below_its_label() -> None:
    name = "torch.nn.functional.mse_loss(y,"
    assert page_of(row("code", f"{name} x)")).count("<tr>") == page_of(row("code", "x * w")).count("<tr>") + 1


def test_titles_of_iterations_are_shortened_before_they_go() -> None:
    assert shorter("t = 40 … 49") == ("t = 40 … 49", "40 … 49", "40 …", "…")
    assert shorter("epoch = 3") == ("epoch = 3", "3")
    assert shorter("iteration 3") == ("iteration 3", "3")


def test_what_is_no_list_stays_on_its_line() -> None:
    made = Row("made by", (Link("detach (line 20)", Selection("node", 1)), Link(", not tracked")))
    assert "</a>, not tracked" in page_of(made)


def test_a_text_that_is_first_shown_with_no_room_begins_at_its_title(qtbot: QtBot) -> None:
    browser = FormulaBrowser()
    qtbot.addWidget(browser)
    browser.show_html("<br>".join(["title", *map(str, range(40))]))
    browser.resize(200, browser.fontMetrics().height() // 2)
    browser.show()
    QApplication.processEvents()
    browser.resize(200, 150)
    QApplication.processEvents()
    assert browser.verticalScrollBar().value() == 0


def test_the_menu_of_a_card_asks_why_of_it(sample: Pilot) -> None:
    view = sample.window.canvas.view
    sample.qtbot.waitUntil(lambda: view.scene is not None and sample.window.canvas.is_settled)
    assert view.scene is not None
    corner = view.scene.corner_of("tensor", sample.tensor("w"))
    assert corner is not None
    at = QPoint(*(round(each) for each in view.camera.to_screen(*corner))) + QPoint(8, 8)
    QTest.mouseClick(view, Qt.MouseButton.RightButton, pos=at)
    assert sample.state.selection == Selection("tensor", sample.tensor("w"))
    why = next(action for action in view.actions() if action.text().startswith("Why Is This So"))
    assert why.isEnabled()
    why.trigger()
    inspector = sample.window.panel_area.panel("inspector")
    assert isinstance(inspector, InspectorPanel) and inspector.isVisible()
    assert "\nwhy\nthis gradient? · this shape?" in inspector.browser.toPlainText()


def test_the_menu_of_a_link_in_the_inspector_asks_why_of_its_tensor(sample: Pilot) -> None:
    sample.window.shell.store.select(Selection("tensor", sample.tensor("w")))
    inspector = sample.window.panel_area.panel("inspector")
    assert isinstance(inspector, InspectorPanel)
    browser = inspector.browser
    places = [QPoint(x, y) for y in range(0, browser.height(), 6) for x in range(0, browser.width(), 12)]
    at = next(place for place in places if browser.anchorAt(place).startswith("node:"))
    node = int(browser.anchorAt(at).partition(":")[2])
    menu = inspector.menu_at(at)
    assert [action.text() for action in menu.actions()][:2] == ["Why Is This So?", ""]
    menu.actions()[0].trigger()
    assert sample.state.selection == Selection("node", node)
    assert "\nWhy has w * x the shape []?\n" in browser.toPlainText()
    menu.deleteLater()
