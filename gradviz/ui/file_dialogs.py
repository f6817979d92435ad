"""What the user is asked about files: each question is a dialog over the window, loaded when it first opens. Tests put
their answers in its place. What is done with the answers is in `files`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox

OPEN = "Snippets and drawings (*.py *.gradviz);;Drawings (*.gradviz);;Python files (*.py);;All files (*)"
DRAWING, SNIPPET = "GradViz file (*.gradviz)", "Python file (*.py)"


class FileDialogs:
    """Asks the person at this window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def open_name(self, folder: str) -> str:
        """Which file to open; "" if none."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getOpenFileName(self._window, "Open a snippet or a drawing", folder, OPEN)[0]

    def save_name(self, suggestion: str) -> str:
        """Where to save; "" if nowhere. The kind of file that is suggested is offered first."""
        from PySide6.QtWidgets import QFileDialog

        is_ours = suggestion.endswith(".gradviz")
        kinds = (DRAWING, SNIPPET) if is_ours else (SNIPPET, DRAWING)
        filters = ";;".join((*kinds, "All files (*)"))
        name, chosen = QFileDialog.getSaveFileName(self._window, "Save", suggestion, filters)
        ending = {DRAWING: ".gradviz", SNIPPET: ".py"}.get(chosen, "")
        return name if not name or Path(name).suffix else f"{name}{ending}"

    def keep_changes(self, name: str) -> str:
        """What to do with unsaved changes: "save", "discard" or "cancel"."""
        from PySide6.QtWidgets import QMessageBox

        kind = QMessageBox.StandardButton
        box = self._box(f"{name} has changes that are not saved.")
        box.setInformativeText("Do you want to save them?")
        box.setStandardButtons(kind.Save | kind.Discard | kind.Cancel)
        box.setDefaultButton(kind.Save)
        answers = {kind.Save: "save", kind.Discard: "discard"}
        return answers.get(QMessageBox.StandardButton(box.exec()), "cancel")

    def changed_on_disk(self, name: str) -> str:
        """What to do with a file that another program has changed: "reload", "keep" or "save_as"."""
        from PySide6.QtWidgets import QMessageBox

        box = self._box(f"{name} was changed by another program.")
        box.setInformativeText("Reload the file from disk (you can undo this), or keep the version in this window?")
        reload = box.addButton("&Reload", QMessageBox.ButtonRole.AcceptRole)
        keep = box.addButton("&Keep Mine", QMessageBox.ButtonRole.RejectRole)
        save_as = box.addButton("&Save Mine As…", QMessageBox.ButtonRole.ActionRole)
        box.setDefaultButton(reload)
        box.setEscapeButton(keep)
        box.exec()
        pressed = box.clickedButton()
        return "reload" if pressed == reload else "save_as" if pressed == save_as else "keep"

    def recover(self, name: str) -> bool:
        """Whether to take back the document of a window that did not close in good order."""
        from PySide6.QtWidgets import QMessageBox

        kind = QMessageBox.StandardButton
        box = self._box(f"GradViz ended without closing {name}. Restore its contents?")
        box.setStandardButtons(kind.Yes | kind.No)
        return box.exec() == kind.Yes

    def _box(self, text: str) -> QMessageBox:
        from PySide6.QtCore import Qt
        from PySide6.QtWidgets import QMessageBox

        box = QMessageBox(self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)  # a file may have any name
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("GradViz")
        box.setText(text)
        return box
