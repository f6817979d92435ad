"""Formulas with real fractions, powers and roots: where their parts stand, what is copied of them, and that every
formula of the engine can be drawn."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QTextCursor
from pytestqt.qtbot import QtBot

from gradviz.engine.kernel.expressions import (
    Fraction,
    Math,
    Root,
    Row,
    Script,
    Sign,
    in_line,
    parse,
    typeset,
    typeset_with,
)
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.reference import entries
from gradviz.engine.reference import typeset as read_latex
from gradviz.session.inspect.chain_rule import factor_of
from gradviz.session.state import Selection
from gradviz.ui.formula import Box, Glyphs, Stroke, laid_out, stacked
from gradviz.ui.panels.inspector import FormulaBrowser
from gradviz.ui.window import MainWindow
from tests.driver import Pilot

pytestmark = pytest.mark.usefixtures("qapp")
SIZE = 20.0


def written(expression: str) -> Math:
    return typeset(parse(expression)[0])


def box_of(expression: str) -> Box:
    found = laid_out(written(expression), SIZE)
    assert found is not None
    return found


def glyphs(box: Box) -> dict[str, Glyphs]:
    return {mark.text: mark for mark in box.marks if isinstance(mark, Glyphs)}


def strokes(box: Box) -> list[Stroke]:
    return [mark for mark in box.marks if isinstance(mark, Stroke)]


def test_a_quotient_stands_above_and_below_a_bar_without_the_brackets_of_a_line() -> None:
    made = written("grad * (a + b) / (c * d)")
    assert in_line(made) == "grad · (a + b) / (c · d)"
    box = laid_out(made, SIZE)
    assert box is not None
    (bar,) = strokes(box)
    signs = glyphs(box)
    height = bar.path.boundingRect().center().y()
    assert signs["grad"].at.y() < height < signs["c"].at.y() - 0.5 * SIZE
    assert bar.path.boundingRect().width() > signs["b"].at.x() - signs["grad"].at.x()
    texts = [mark.text for mark in box.marks if isinstance(mark, Glyphs)]
    assert texts.count("(") == 1  # around a + b, which is a factor; c · d needs none


def test_an_exponent_is_raised_and_smaller_and_an_index_lowered() -> None:
    signs = glyphs(box_of("x ** k"))
    assert signs["k"].at.y() < signs["x"].at.y()
    assert signs["k"].font.pixelSize() < signs["x"].font.pixelSize()
    lowered = laid_out(Script(Sign("x", "name"), lowered=Sign("i", "name")), SIZE)
    assert lowered is not None and glyphs(lowered)["i"].at.y() > 0


def test_a_root_covers_what_is_in_it() -> None:
    box = box_of("sqrt(a + b)")
    (root,) = strokes(box)
    signs = glyphs(box)
    assert "(" not in signs
    assert root.path.boundingRect().right() >= signs["b"].at.x()
    assert root.path.boundingRect().top() < -SIZE * 0.7


def test_high_brackets_are_as_high_as_what_is_in_them() -> None:
    box = box_of("exp(a / b)")
    bar, *_ = sorted(strokes(box), key=lambda each: each.path.boundingRect().height())
    left, right = sorted(
        (each for each in strokes(box) if each is not bar), key=lambda each: (each.at + each.path.currentPosition()).x()
    )
    for bracket in (left, right):
        assert bracket.path.boundingRect().height() > SIZE * 1.4


def test_cases_have_a_line_each() -> None:
    made = written("where(x > 0, grad, where(x < -1, 2 * grad, 0))")
    box = laid_out(made, SIZE)
    assert box is not None
    heights = {mark.at.y() for mark in box.marks if isinstance(mark, Glyphs) and mark.text in ("where ", "else")}
    assert len(heights) == 2 and glyphs(box)["else where "].at.y() not in heights


def test_words_and_what_is_too_deep_stay_a_line_of_text() -> None:
    assert laid_out(Row((Sign("x", "name"), Sign(" in the former shape", "prose"))), SIZE) is None
    deep: Math = Sign("x", "name")
    for _ in range(60):
        deep = Root(deep)
    assert laid_out(deep, SIZE) is None


def test_without_room_each_equals_sign_begins_a_line_or_it_stays_text() -> None:
    long = Row((Sign("y" * 9, "name"), Sign(" = "), Sign("x" * 9, "name"), Sign(" = "), Sign("3", "number")))
    whole = laid_out(long, SIZE)
    assert whole is not None and stacked(long, SIZE, whole.width) == whole
    lower = stacked(long, SIZE, whole.width * 0.6)
    assert lower is not None and lower.width < whole.width and lower.up + lower.down > 2 * SIZE
    assert stacked(long, SIZE, SIZE) is None


def test_every_gradient_of_the_engine_is_drawn_and_says_the_same_in_a_line() -> None:
    count = 0
    for row in ROWS.values():
        for name, made in row.written.items():
            box = laid_out(made, SIZE)
            assert box is not None and box.marks, row.name
            assert in_line(made) == row.derivatives[name], row.name
            count += 1
    assert count > 250


def test_every_formula_of_the_reference_is_drawn() -> None:
    for entry in entries():
        assert (entry.written is None) == (not entry.formula), entry.name
        assert entry.written is None or laid_out(entry.written, SIZE) is not None, entry.name


def test_latex_is_read_as_it_is_nested() -> None:
    found = read_latex(r"\frac{1}{n}\sum_i \sqrt{x_i^2}")
    assert isinstance(found, Row) and isinstance(found.parts[0], Fraction)
    total = found.parts[1]
    assert isinstance(total, Script) and total.base == Sign("Σ", "sum") and total.lowered == Sign("i", "name")
    assert found.parts[-1] == Root(Script(Sign("x", "name"), Sign("2", "sign"), Sign("i", "name")))
    assert read_latex(r"\frac{1}{") is None


@pytest.mark.parametrize(
    ("expression", "factor"),
    [
        ("grad", "1"), ("-grad", "−1"), ("grad * other", "other"), ("grad / other", "1 / other"),
        ("grad * n * self ** (n - 1)", "3 · self²"), ("-grad * self / (other * other)", "−self / other²"),
        ("sum(grad * x)", None), ("grad + x", None), ("adjoint(self) @ grad", None), ("grad * sum(grad)", None),
    ],
)  # fmt: skip
def test_the_local_derivative_is_what_grad_is_multiplied_by(expression: str, factor: str | None) -> None:
    found = factor_of(typeset_with(expression, (("n", 3),), False))
    assert (None if found is None else in_line(found)) == factor


def test_a_box_paints_in_the_colour_that_it_is_given() -> None:
    box = box_of("a / sqrt(b)")
    image = QImage(int(box.width) + 4, int(box.up + box.down) + 4, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    box.paint(painter, QPointF(2, 2 + box.up), QColor("red"))
    painter.end()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert "#ff0000" in colours and "#000000" not in colours


def test_a_copy_and_who_hears_the_page_get_the_line(qtbot: QtBot) -> None:
    browser = FormulaBrowser()
    qtbot.addWidget(browser)
    typeset_html = browser.begin(SIZE, 500, "#000000")
    made = written("grad / other ** 2")
    browser.show_html(f"<p>it is {typeset_html(made, in_line(made))}, and {typeset_html(None, 'grad < x')}</p>")
    assert browser.accessibleDescription() == "grad / other²"
    browser.selectAll()
    assert browser.createMimeDataFromSelection().text() == "it is grad / other², and grad < x"
    cursor = QTextCursor(browser.document())
    cursor.setPosition(6)
    cursor.setPosition(7, QTextCursor.MoveMode.KeepAnchor)
    browser.setTextCursor(cursor)
    assert browser.createMimeDataFromSelection().text() == "grad / other²"


def test_the_inspector_draws_its_formulas(pilot: Pilot) -> None:
    pilot.run_again("import torch\nx = torch.tensor(2., requires_grad=True)\ny = x ** 3 / 4\ny.backward()\n")
    window: MainWindow = pilot.window
    window.store.select(Selection("tensor", pilot.tensor("x")))
    browser = window.panel_area.panel("inspector").browser
    assert "∂(x ** 3)/∂x = 3 · x²" in browser.accessibleDescription()
    assert "\ufffc" in browser.toPlainText()
