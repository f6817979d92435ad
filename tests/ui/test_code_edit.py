"""The code editor: marks, indentation, and that the program's text is not taken for the user's."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from gradviz.ui.panels.code_edit import COLOURED, CodeEdit
from gradviz.ui.theme import DARK, LIGHT


@pytest.fixture
def code(qtbot: QtBot) -> CodeEdit:
    widget = CodeEdit(LIGHT)
    qtbot.addWidget(widget)
    widget.resize(400, 200)
    widget.show()
    return widget


def caret(code: CodeEdit) -> int:
    return code.textCursor().position()


def test_the_programs_text_is_not_an_edit(code: CodeEdit) -> None:
    heard: list[str] = []
    code.edited.connect(heard.append)
    code.set_text("x = 1\ny = 2")
    assert heard == []
    code.insertPlainText("a")
    assert heard == ["ax = 1\ny = 2"]


def test_the_caret_stays_where_the_text_did_not_change(code: CodeEdit) -> None:
    code.set_text("x = 1\ny = 2\nz = 3")
    code.moveCursor(QTextCursor.MoveOperation.End)
    code.set_text("x = 1\nyy = 2\nz = 3")
    assert caret(code) == len("x = 1\nyy = 2\nz = 3")
    code.set_text("∂🙂 = 1\nyy = 2\nz = 4")
    assert code.toPlainText() == "∂🙂 = 1\nyy = 2\nz = 4"


def test_enter_keeps_the_indentation_and_a_colon_adds_to_it(qtbot: QtBot, code: CodeEdit) -> None:
    qtbot.keyClicks(code, "for i in a:")
    qtbot.keyClick(code, Qt.Key.Key_Return)
    qtbot.keyClicks(code, "b = 1")
    qtbot.keyClick(code, Qt.Key.Key_Return)
    qtbot.keyClicks(code, "c = 2")
    assert code.toPlainText() == "for i in a:\n    b = 1\n    c = 2"


def test_tab_and_back_tab_move_lines(qtbot: QtBot, code: CodeEdit) -> None:
    code.set_text("a\nb\nc")
    code.selectAll()
    qtbot.keyClick(code, Qt.Key.Key_Tab)
    assert code.toPlainText() == "    a\n    b\n    c"
    code.selectAll()
    qtbot.keyClick(code, Qt.Key.Key_Backtab)
    qtbot.keyClick(code, Qt.Key.Key_Backtab)
    assert code.toPlainText() == "a\nb\nc"


def test_the_lines_of_the_step_and_of_the_error_are_marked(code: CodeEdit) -> None:
    code.set_text("a\n    b\nc")
    code.mark_lines(step=1, error=2)
    marks = {mark.cursor.blockNumber() + 1: mark for mark in code.extraSelections()}
    assert marks[1].format.background().color().name() == LIGHT.current_line
    assert marks[2].format.underlineStyle() == marks[2].format.UnderlineStyle.WaveUnderline
    assert marks[2].cursor.selectedText() == "b"
    code.mark_lines(step=99, error=-1)
    assert code.extraSelections() == []


def test_the_line_of_the_step_comes_into_view(code: CodeEdit) -> None:
    code.set_text("\n".join(f"x{line} = {line}" for line in range(500)))
    code.mark_lines(step=400)
    first = code.firstVisibleBlock().blockNumber()
    assert first < 400 < first + 40


def colours(code: CodeEdit, line: int) -> dict[str, str]:
    block = code.document().findBlockByNumber(line - 1)
    found = {}
    for span in block.layout().formats():
        found[block.text()[span.start : span.start + span.length]] = span.format.foreground().color().name()
    return found


def test_python_is_coloured_also_over_several_lines(code: CodeEdit) -> None:
    code.set_text("import torch  # it\nt = '''a\nb''' + 'c' + f(2.5e3)\nfor_x = \"\"\nreturn_ = 1")
    assert colours(code, 1) == {"import": LIGHT.keyword, "torch": LIGHT.builtin, "# it": LIGHT.comment}
    assert colours(code, 2) == {"'''a": LIGHT.string}
    assert colours(code, 3) == {"b'''": LIGHT.string, "'c'": LIGHT.string, "2.5e3": LIGHT.number}
    assert colours(code, 5) == {"1": LIGHT.number}
    code.set_theme(DARK)
    assert colours(code, 1)["import"] == DARK.keyword


def test_a_long_line_of_data_is_coloured_at_its_beginning_only(code: CodeEdit) -> None:
    code.set_text("far = [" + "1, " * 5000 + "] + '''a\nb''' + 2\n" + "'" + "c" * 5000 + "'")
    spans = code.document().findBlockByNumber(0).layout().formats()
    assert 600 < len(spans) <= COLOURED / 3
    assert colours(code, 2) == {"b'''": LIGHT.string, "2": LIGHT.number}  # the text that it opens at its end
    assert colours(code, 3) == {"'" + "c" * 5000 + "'": LIGHT.string}
