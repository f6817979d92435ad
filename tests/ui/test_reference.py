"""The operation reference: every row of the engine is in it, and a part of a name finds it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gradviz.document.catalogue import catalogue
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.reference import entries, plain
from gradviz.ui.dialogs.dialogs import KeyboardDialog
from gradviz.ui.dialogs.help_pages import ReferenceDialog
from gradviz.ui.theme import DARK
from tests.driver import Pilot


def test_every_row_is_an_entry() -> None:
    assert len(entries()) == len(ROWS)
    tanh = next(each for each in entries() if each.name == "tanh")
    assert tanh.calls[:2] == ("torch.tanh", "torch.special.tanh") or tanh.calls[0] == "torch.tanh"
    assert tanh.saved == ("result",) and tanh.node == "TanhBackward0"
    assert tanh.link == "https://docs.pytorch.org/docs/2.13/generated/torch.tanh.html"


def test_formulas_are_written_in_one_line_of_signs() -> None:
    assert plain(r"\frac{x - \bar{x}}{\sqrt{\operatorname{var} x + \epsilon}} w + b") == "(x - x̄)/(√(var x + ε)) w + b"
    assert plain(r"\sum_j e^{x_j}") == "Σ_j e^(x_j)"
    assert plain(r"L L^\top = A^2") == "L Lᵀ = A²"
    leftover = {each.name: each.formula for each in entries() if "\\" in each.formula}
    assert leftover == {}


def test_typing_finds_an_operation(pilot: Pilot) -> None:
    dialog = ReferenceDialog(pilot.window, DARK)
    everything = dialog.count.text()
    shown, of, all_of_them, _ = everything.split()
    assert of == "of" and shown == all_of_them and int(shown) > len(ROWS)
    dialog.query.setText("log softmax")
    assert "torch.log_softmax" in dialog.text.toPlainText()
    assert "LogSoftmaxBackward0 saves result" in dialog.text.toPlainText()
    assert dialog.count.text() != everything
    dialog.query.setText("no such operation")
    assert dialog.text.toPlainText() == "Nothing matches all of these words."
    dialog.close()


def test_functions_that_are_made_of_several_rows_are_there(pilot: Pilot) -> None:
    dialog = ReferenceDialog(pilot.window, DARK, "cross_entropy")
    text = dialog.text.toPlainText()
    assert "torch.nn.functional.cross_entropy" in text and "How wrong class scores" in text
    for key in catalogue():
        dialog.query.setText(key.rpartition(".")[2])
        assert "Nothing matches" not in dialog.text.toPlainText(), key
    dialog.close()


def test_enter_keeps_it_open_and_the_arrow_keys_scroll(pilot: Pilot) -> None:
    dialog = ReferenceDialog(pilot.window, DARK)
    dialog.show()
    bar = dialog.text.verticalScrollBar()
    QTest.keyClicks(dialog.query, "linalg")
    QTest.keyClick(dialog.query, Qt.Key.Key_Return)
    assert dialog.isVisible() and bar.value() == 0
    QTest.keyClick(dialog.query, Qt.Key.Key_PageDown)
    page = bar.value()
    assert page > 0
    QTest.keyClick(dialog.query, Qt.Key.Key_Up)
    assert 0 < bar.value() < page and dialog.query.text() == "linalg"
    dialog.close()


def test_every_operation_says_what_it_does_and_how_each_gradient_is_made() -> None:
    called = {each.name for each in entries() if each.calls}
    named = [row for row in ROWS.values() if row.name in called]
    assert len(named) > 300
    assert [row.key for row in named if not row.brief.endswith(".")] == []
    assert [
        (row.key, name) for row in named for name in row.gradients if name in row.inputs and name not in row.derivatives
    ] == []


def test_a_command_is_found_among_the_keys(pilot: Pilot) -> None:
    pilot.press("F1")
    dialog = pilot.window.findChild(KeyboardDialog)
    assert isinstance(dialog, KeyboardDialog)
    everything = dialog.count.text()
    QTest.keyClicks(dialog.query, "zoom in")
    assert "Zoom In" in dialog.text.toPlainText() and "Undo" not in dialog.text.toPlainText()
    assert int(dialog.count.text().split()[0]) < int(everything.split()[0])
    dialog.query.setText("drawing tab")
    assert "On a drawing" in dialog.text.toPlainText()
    dialog.query.setText("no such key")
    assert dialog.text.toPlainText() == "Nothing matches all of these words."
    dialog.close()
