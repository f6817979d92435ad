"""The palette in a real window: searching, adding by keyboard and mouse, dragging, and what it says to a reader."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView

from gradviz.document.catalogue import catalogue
from gradviz.document.drawing import Drawing, Operation
from gradviz.document.leaf_kinds import LEAF_KINDS
from gradviz.document.snippet import Snippet
from gradviz.ui.dialogs.help_pages import ReferenceDialog
from gradviz.ui.drawing.drag import MIME
from gradviz.ui.panels.palette import COLOURS, NOTHING, PalettePanel, colour_of, rows
from gradviz.ui.theme import DARK, LIGHT
from tests.driver import Pilot
from tests.dropping import drop, enter


def opened(pilot: Pilot) -> PalettePanel:
    """The panel, brought to the front by its key."""
    pilot.press("Ctrl+6")
    panel = pilot.window.findChild(PalettePanel)
    assert isinstance(panel, PalettePanel) and panel.isVisible() and panel.search.hasFocus()
    return panel


def chosen(panel: PalettePanel) -> str:
    row = panel.list.row(panel.list.currentIndex())
    return "" if row is None else row.payload


def listed(panel: PalettePanel) -> list[str]:
    return [row.payload or f"# {row.name}" for row in panel.model.rows]


def test_leaves_come_first_then_what_is_used_most_then_everything(pilot: Pilot) -> None:
    found = listed(opened(pilot))
    kinds = [f"leaf:{kind.key}" for kind in LEAF_KINDS]
    assert found[: len(kinds) + 3] == ["# leaves", *kinds, "# used most", "mul"]
    assert set(catalogue()) <= set(found)


def test_typing_searches_and_enter_adds(pilot: Pilot) -> None:
    panel = opened(pilot)
    pilot.window.store.open(Drawing(), None)
    QTest.keyClicks(panel.search, "lin")
    assert chosen(panel) == "nn.functional.linear"
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    drawing = pilot.state.drawing
    assert drawing is not None
    (node,) = drawing.nodes
    assert isinstance(node, Operation) and node.op == "nn.functional.linear"


def test_a_leaf_is_added_with_enter_and_a_blank_window_becomes_a_drawing(pilot: Pilot) -> None:
    panel = opened(pilot)
    QTest.keyClicks(panel.search, "scal")
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert pilot.state.drawing is not None and len(pilot.state.drawing.nodes) == 1


def test_the_arrows_move_in_the_list_over_headings(pilot: Pilot) -> None:
    panel = opened(pilot)
    last_leaf = f"leaf:{LEAF_KINDS[-1].key}"
    for _ in LEAF_KINDS[1:]:
        QTest.keyClick(panel.search, Qt.Key.Key_Down)
    assert chosen(panel) == last_leaf
    QTest.keyClick(panel.search, Qt.Key.Key_Down)
    assert chosen(panel) == "mul"
    QTest.keyClick(panel.search, Qt.Key.Key_Up)
    assert chosen(panel) == last_leaf


def test_letters_typed_in_the_list_go_into_the_search_and_escape_clears_it(pilot: Pilot) -> None:
    panel = opened(pilot)
    panel.list.setFocus()
    QTest.keyClicks(panel.list, "r")
    QTest.keyClicks(panel.search, "elu")
    assert panel.search.text() == "relu" and chosen(panel) == "nn.functional.relu"
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.search.text() == "" and chosen(panel) == "leaf:scalar"


def test_what_is_not_found_is_said(pilot: Pilot) -> None:
    panel = opened(pilot)
    panel.search.setText("qqqq")
    assert panel.model.rows == () and panel.hint.text() == NOTHING
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert pilot.state.drawing is None


def test_what_was_added_last_stands_after_the_leaves(pilot: Pilot) -> None:
    panel = opened(pilot)
    pilot.window.store.open(Drawing(), None)
    for query in ("relu", "mse", "relu"):
        panel.search.setText(query)
        panel.add()
    panel.search.clear()
    found = listed(panel)
    at = found.index("# used last")
    assert found[at + 1 : at + 4] == ["nn.functional.relu", "nn.functional.mse_loss", "# used most"]


def test_a_snippet_with_text_takes_nothing_and_says_why(pilot: Pilot) -> None:
    panel = opened(pilot)
    pilot.window.store.open(Snippet("import torch\n"), None)
    assert "snippet" in panel.hint.text() and "draw.new" in panel.hint.text()
    panel.search.setText("mul")
    panel.add()
    assert pilot.state.document == Snippet("import torch\n")


def test_a_double_click_adds(pilot: Pilot) -> None:
    panel = opened(pilot)
    pilot.window.store.open(Drawing(), None)
    panel.search.setText("sigmoid")
    place = panel.list.visualRect(panel.model.index(0)).center()
    viewport = panel.list.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    drawing = pilot.state.drawing
    assert drawing is not None and [node.op for node in drawing.nodes if isinstance(node, Operation)] == ["sigmoid"]


@pytest.mark.parametrize("query, payload", [("matmul", "matmul"), ("vector", "leaf:vector")])
def test_a_drag_carries_the_key_and_shows_the_symbol(pilot: Pilot, query: str, payload: str) -> None:
    panel = opened(pilot)
    panel.search.setText(query)
    row = panel.list.row(panel.list.currentIndex())
    assert row is not None
    drag = panel.list.drag(row)
    assert bytes(drag.mimeData().data(MIME).data()).decode() == payload
    picture = drag.pixmap().toImage()
    assert not picture.isNull() and len({picture.pixel(x, y) for x in range(picture.width()) for y in (2, 15)}) > 3
    drag.deleteLater()


def test_shift_f1_opens_the_reference_at_what_is_chosen(pilot: Pilot) -> None:
    panel = opened(pilot)
    panel.search.setText("cross_entropy")
    QTest.keyClick(panel.search, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    (dialog,) = pilot.window.findChildren(ReferenceDialog)
    assert dialog.query.text() == "cross_entropy"
    dialog.reject()


def test_a_reader_hears_what_a_row_is_and_the_tip_has_the_gradients(pilot: Pilot) -> None:
    panel = opened(pilot)
    panel.search.setText("mul")
    index = panel.model.index(0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "mul, arithmetic: Multiplies element by element."
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    assert "torch.mul" in tip and "x · y" in tip and "grad · other" in tip
    assert isinstance(panel.list, QListView) and panel.list.accessibleName()
    assert panel.model.at(QModelIndex()) is None


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_category_has_a_colour_of_the_theme(theme: object) -> None:
    assert theme in (LIGHT, DARK)
    shown = LIGHT if theme is LIGHT else DARK
    categories = {row.category for row in rows("") if row.payload}
    assert categories <= COLOURS.keys()
    assert all(colour_of(shown, category).isValid() for category in categories)


def test_what_is_dragged_to_the_empty_window_begins_a_drawing(pilot: Pilot) -> None:
    panel = opened(pilot)
    panel.search.setText("scalar")
    row = panel.list.row(panel.list.currentIndex())
    assert row is not None
    drag, canvas = panel.list.drag(row), pilot.window.canvas
    target = canvas.childAt(canvas.rect().center())
    while target is not None and not target.acceptDrops():
        target = target.parentWidget()
    assert target is not None
    middle = target.rect().center()
    assert enter(target, drag.mimeData(), middle) and drop(target, drag.mimeData(), middle)
    assert pilot.state.drawing is not None and len(pilot.state.drawing.nodes) == 1
    drag.deleteLater()
