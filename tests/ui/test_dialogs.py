"""The dialogs have room for what is in them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QListWidget, QWidget

from gradviz.ui.dialogs.program_input import InputDialog
from gradviz.ui.dialogs.run_dialogs import STRANGE, RunDialog
from tests.driver import Pilot

DIALOGS = "preferences what_if run_with run_in_pytorch mistakes keyboard_help safety updates about".split()


def shown(dialog: QDialog, pilot: Pilot) -> QDialog:
    """The dialog once it is laid out."""
    pilot.qtbot.waitExposed(dialog)
    pilot.qtbot.wait(50)
    return dialog


def squeezed(dialog: QDialog) -> list[str]:
    """Lines, lists and labels that are lower than their text needs."""
    low = []
    for one in dialog.findChildren(QWidget):
        if not one.isVisible() or not isinstance(one, QLabel | QLineEdit):
            continue
        needed = one.minimumSizeHint().height()
        if isinstance(one, QLabel) and one.wordWrap():
            needed = one.heightForWidth(one.width())
        if one.height() < needed:
            low.append(f"{one.text() or one.accessibleName()}: {one.height()} of {needed}")
    return low


@pytest.mark.parametrize("name", DIALOGS)
def test_no_line_of_a_dialog_is_squeezed(pilot: Pilot, name: str) -> None:
    getattr(pilot.window.shell.dialogs, name)()
    dialog = next(each for each in pilot.window.findChildren(QDialog) if each.isVisible())
    assert squeezed(shown(dialog, pilot)) == []
    assert [each for each in dialog.findChildren(QListWidget) if each.horizontalScrollBar().isVisible()] == []
    dialog.close()


def test_a_longer_note_makes_the_dialog_larger(pilot: Pilot) -> None:
    pilot.window.shell.dialogs.run_with()
    dialog = pilot.window.findChild(RunDialog)
    assert dialog is not None
    dialog.iterations.setText("some")
    assert dialog.note.text() == STRANGE
    assert squeezed(shown(dialog, pilot)) == []
    dialog.close()


def test_a_question_of_several_lines_has_room(pilot: Pilot) -> None:
    dialog = InputDialog(pilot.window, "Which one of these? " * 12, "1", pilot.window.theme)
    dialog.open()
    assert squeezed(shown(dialog, pilot)) == []
    dialog.close()
