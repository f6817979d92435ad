"""The grid of numbers: keys, clipboard, rows and columns, slices, the large grid; by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.document.drawing import Drawing, Leaf, Literal
from gradviz.document.shaping import new_leaf
from gradviz.ui.editors.grid import GridBox, GridDialog
from gradviz.ui.editors.node import LeafEditor
from gradviz.ui.panels.inspector import InspectorPanel
from tests.driver import Pilot

MATRIX = ((1.0, 2.0), (3.0, 4.0))
CUBE = (MATRIX, ((5.0, 6.0), (7.0, 8.0)))


class Table:
    """A window whose drawing is one leaf, and its grid."""

    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.store = pilot.window.store
        self.show(MATRIX)

    def show(self, data: Literal, dtype: str = "") -> None:
        drawing, id = new_leaf(Drawing(), 0, 0, data=data, name="A", dtype=dtype)
        self.store.open(drawing, None)
        self.store.pick(frozenset({id}))
        panel = self.pilot.window.panel_area.panel("inspector")
        assert isinstance(panel, InspectorPanel)
        editor = panel.sheet.current
        assert isinstance(editor, LeafEditor)
        self.editor = editor
        self.box: GridBox = editor.grid
        self.view = editor.grid.view

    @property
    def data(self) -> Literal:
        node = self.store.state.drawing.nodes[0]  # type: ignore[union-attr]
        assert isinstance(node, Leaf)
        return node.data

    @property
    def at(self) -> tuple[int, int]:
        return self.view.currentIndex().row(), self.view.currentIndex().column()

    def go(self, row: int, column: int, to: tuple[int, int] | None = None) -> None:
        self.view.setFocus()
        self.view._go(row, column)
        if to is not None:
            from PySide6.QtCore import QItemSelection

            area = QItemSelection(self.view.cells.index(row, column), self.view.cells.index(*to))
            self.view.selectionModel().select(area, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.view, key, keys)
        QApplication.processEvents()  # a cell that was edited is closed a moment after Enter

    def write(self, text: str) -> None:
        for letter in text:
            QTest.keyClicks(QApplication.focusWidget() or self.view, letter)

    def paste(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    @property
    def sentence(self) -> str:
        return self.box.sentence.text()


@pytest.fixture
def table(pilot: Pilot) -> Table:
    return Table(pilot)


def test_a_number_is_typed_into_a_cell_and_enter_goes_down(table: Table) -> None:
    table.go(0, 1)
    table.write("9")
    table.key(Qt.Key.Key_Return)
    assert table.data == ((1.0, 9.0), (3.0, 4.0))
    assert table.at == (1, 1)
    assert table.store.state.undo_label == "Change A"
    table.pilot.press("Ctrl+Z")
    assert table.data == MATRIX
    assert table.at == (1, 1)


def test_tab_goes_to_the_next_cell_and_out_of_the_grid_at_the_last(table: Table) -> None:
    table.go(0, 1)
    table.write("9")
    table.key(Qt.Key.Key_Tab)
    assert table.at == (1, 0)
    assert table.data == ((1.0, 9.0), (3.0, 4.0))
    table.key(Qt.Key.Key_Escape)
    table.key(Qt.Key.Key_Tab)
    assert table.at == (1, 1)
    table.key(Qt.Key.Key_Tab)
    assert not table.view.hasFocus()


def test_escape_leaves_a_cell_as_it_was(table: Table) -> None:
    table.go(0, 0)
    table.write("77")
    table.key(Qt.Key.Key_Escape)
    assert table.data == MATRIX


def test_a_word_in_a_cell_is_refused_with_a_sentence(table: Table) -> None:
    table.go(0, 0)
    table.write("x")
    table.key(Qt.Key.Key_Return)
    assert table.data == MATRIX
    assert "“x” is no number" in table.sentence
    assert table.box.sentence.isVisible()


def test_delete_writes_zeros_and_a_vector_goes_on_to_the_right(table: Table) -> None:
    table.go(0, 0, to=(1, 0))
    table.key(Qt.Key.Key_Delete)
    assert table.data == ((0.0, 2.0), (0.0, 4.0))
    table.show((1.0, 2.0, 3.0))
    table.go(0, 0)
    table.write("8")
    table.key(Qt.Key.Key_Return)
    assert table.at == (0, 1)
    assert table.data == (8.0, 2.0, 3.0)


def test_cells_are_copied_and_pasted_as_a_spreadsheet_does(table: Table) -> None:
    table.go(0, 0, to=(0, 1))
    table.key(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "1.0\t2.0"
    table.go(1, 1)
    table.key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert table.data == ((1.0, 2.0, 0.0), (3.0, 1.0, 2.0))
    table.go(0, 0, to=(1, 2))
    table.paste("5")
    assert table.data == ((5.0, 5.0, 5.0), (5.0, 5.0, 5.0))


@pytest.mark.parametrize(
    "text", ["[[1. 2. 3.]\n [4. 5. 6.]]", "array([[1., 2., 3.], [4., 5., 6.]])", "[[1, 2, 3], [4, 5, 6]]"]
)
def test_a_whole_array_takes_the_place_of_all(table: Table, text: str) -> None:
    table.go(1, 1)
    table.paste(text)
    assert table.data == ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert table.editor.shape.text() == "2, 3"


def test_what_can_not_be_pasted_changes_nothing(table: Table) -> None:
    table.go(0, 0)
    table.paste("height\tweight\n1\t2")
    assert table.data == MATRIX
    assert "Line 1, column 1: “height” is no number" in table.sentence
    table.paste("2\t3")
    assert table.sentence == ""
    assert table.data == ((2.0, 3.0), (3.0, 4.0))


def test_a_column_is_pasted_into_a_vector(table: Table) -> None:
    table.show((0.0, 0.0, 0.0))
    table.go(0, 1)
    table.paste("7\n8\n9")
    assert table.data == (0.0, 7.0, 8.0, 9.0)


def test_rows_and_columns_come_and_go(table: Table) -> None:
    add_row, remove_rows, add_column, remove_columns = table.box.more
    table.go(0, 0)
    table.pilot.click(add_row)
    assert table.data == ((1.0, 2.0), (0.0, 0.0), (3.0, 4.0))
    table.pilot.click(add_column)
    assert table.data == ((1.0, 0.0, 2.0), (0.0, 0.0, 0.0), (3.0, 0.0, 4.0))
    table.go(1, 1)
    table.pilot.click(remove_rows)
    table.go(0, 1)
    table.pilot.click(remove_columns)
    assert table.data == MATRIX
    table.go(0, 0, to=(1, 0))
    table.pilot.click(remove_rows)
    assert "keeps one row" in table.sentence


def test_the_shape_is_typed_and_what_is_in_both_stays(table: Table) -> None:
    field = table.editor.shape
    table.pilot.click(field)
    field.selectAll()
    QTest.keyClicks(field, "3, 2")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert table.data == ((1.0, 2.0), (3.0, 4.0), (0.0, 0.0))
    field.selectAll()
    QTest.keyClicks(field, "3000, 3000")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert "too many" in table.editor._rows["shape"].sentence.text()


def test_of_more_dimensions_a_slice_is_chosen(table: Table) -> None:
    table.show(CUBE)
    assert [spin.maximum() for spin in table.box.spins] == [1]
    table.box.spins[0].setValue(1)
    assert table.view.cells.rows == CUBE[1]
    table.go(0, 0)
    table.write("0.5")
    table.key(Qt.Key.Key_Return)
    assert table.data == (MATRIX, ((0.5, 6.0), (7.0, 8.0)))
    assert table.box.spins[0].value() == 1
    table.go(1, 1)
    table.paste("1\t2")
    assert "A slice has 2 × 2 cells" in table.sentence


def test_integers_stay_integers(table: Table) -> None:
    table.show((1, 2, 3))
    table.go(0, 0)
    table.write("7")
    table.key(Qt.Key.Key_Return)
    assert repr(table.data) == "(7, 2, 3)"
    table.view.clear_cells()
    assert repr(table.data) == "(7, 0, 3)"


def test_a_matrix_of_200_by_200_is_edited(table: Table) -> None:
    rows = tuple(tuple(float(row - column) for column in range(200)) for row in range(200))
    table.show(rows)
    table.go(199, 199)
    table.write("-1.5")
    table.key(Qt.Key.Key_Return)
    assert table.data[199][199] == -1.5  # type: ignore[index]
    assert table.data[:199] == rows[:199]  # type: ignore[index]
    table.key(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    table.key(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().count("\t") == 199 * 200


def test_the_large_grid_transposes_fills_and_is_undone(table: Table) -> None:
    table.box.enlarge()
    dialog = table.box.dialog
    assert isinstance(dialog, GridDialog)
    assert dialog.windowTitle() == "A: 2 × 2"
    box = dialog.box
    assert box.model.data(box.model.index(1, 1), Qt.ItemDataRole.BackgroundRole) is not None
    table.pilot.click(next(one for one in box.buttons if one.text() == "Transpose"))
    assert table.data == ((1.0, 3.0), (2.0, 4.0))
    box.view._go(0, 0)
    box.fill.setFocus()
    QTest.keyClicks(box.fill, "6")
    QTest.keyClick(box.fill, Qt.Key.Key_Return)
    assert table.data == ((6.0, 3.0), (2.0, 4.0))
    assert box.view.cells.rows == table.data
    QTest.keyClick(box.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert table.data == ((1.0, 3.0), (2.0, 4.0))
    dialog.reject()
    assert table.box.dialog is None


def test_the_grid_of_a_leaf_that_is_gone_closes(table: Table) -> None:
    table.box.enlarge()
    dialog = table.box.dialog
    assert dialog is not None
    table.store.edit("Delete", Drawing())
    assert not dialog.isVisible()
