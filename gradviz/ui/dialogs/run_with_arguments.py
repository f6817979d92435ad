"""Run with Arguments: what the script is called with, as on a command line, and which iterations of a training are
recorded. The arguments belong to the document, the iterations are a setting. `pytorch_dialog` asks for a run elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gradviz.document.documents import words_of
from gradviz.document.snippet import Snippet
from gradviz.session.store import Store
from gradviz.trace.record.chosen import EXAMPLES, is_choice
from gradviz.ui.theme import Theme

ABOUT = "What argparse and sys.argv see: what follows the name of the script on a command line."
QUOTE = "A quote is not closed."
STRANGE = f"That names no iterations. Type {EXAMPLES}, or several of these with commas between them."
LONGEST = 4_000  # characters


class RunDialog(QDialog):
    """Two lines, and Run; OK keeps them for later."""

    def __init__(self, parent: QWidget, store: Store, theme: Theme, run: Callable[[], None], locked: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle("Run with Arguments")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store, self._run = store, run
        document = store.state.document
        self.arguments = QLineEdit(document.arguments if isinstance(document, Snippet) else "")
        self.arguments.setPlaceholderText("none, or such as --epochs 1")
        self.arguments.setAccessibleName("Arguments of the script")
        self.arguments.setEnabled(isinstance(document, Snippet))  # a drawing reads none
        self.iterations = QLineEdit(store.state.view.iterations)
        self.iterations.setPlaceholderText(f"all that fit, or such as {EXAMPLES}")
        self.iterations.setAccessibleName("Iterations to record")
        self.iterations.setEnabled(not locked)
        self.note = QLabel(ABOUT)
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        for line in (self.arguments, self.iterations):
            line.setMaxLength(LONGEST)
            line.textChanged.connect(self._judge)
        form = QFormLayout()
        form.addRow("&Arguments:", self.arguments)
        form.addRow("&Iterations:", self.iterations)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.note)
        column.addWidget(self._buttons())
        self.resize(theme.px(560), 0)

    def _buttons(self) -> QDialogButtonBox:
        kind = QDialogButtonBox.StandardButton
        self.box = QDialogButtonBox(kind.Ok | kind.Cancel)
        self.run_button = self.box.addButton("&Run", QDialogButtonBox.ButtonRole.ApplyRole)
        self.run_button.setDefault(True)
        self.run_button.clicked.connect(self._keep_and_run)
        self.box.button(kind.Ok).setToolTip("Keep both for the next run.")
        self.box.accepted.connect(self.accept)
        self.box.rejected.connect(self.reject)
        return self.box

    def _judge(self) -> None:
        wrong = "" if words_of(self.arguments.text()) is not None else QUOTE
        wrong = wrong or ("" if is_choice(self.iterations.text().strip()) else STRANGE)
        self.note.setText(wrong or ABOUT)
        for button in (self.run_button, self.box.button(QDialogButtonBox.StandardButton.Ok)):
            button.setEnabled(not wrong)

    def accept(self) -> None:
        """Keep what was typed; the arguments as an edit, which can be undone."""
        document, view = self._store.state.document, self._store.state.view
        if isinstance(document, Snippet) and document.arguments != self.arguments.text():
            self._store.edit("Change Arguments", replace(document, arguments=self.arguments.text()))
        iterations = self.iterations.text().strip()
        if view.iterations != iterations:
            self._store.look(replace(view, iterations=iterations))
        super().accept()

    def _keep_and_run(self) -> None:
        self.accept()
        self._run()
