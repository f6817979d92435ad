"""With what a script is run. Run with Arguments: what it is called with, as on a command line, and which iterations of
a training are recorded; the arguments belong to the document, the iterations are a setting. Run in My PyTorch: also
which of the Python interpreters on this computer runs it, and how much is recorded. The script then runs as an ordinary
program of the user, so nothing runs before the user has confirmed that they trust it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.documents import files_of, text_of, words_of
from gradviz.document.snippet import Snippet
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.trace.record.chosen import EXAMPLES, is_choice
from gradviz.ui import look
from gradviz.ui.theme import Theme
from gradviz.worker.process.pytorch import Interpreter, Job, interpreters, look_at

if TYPE_CHECKING:
    from gradviz.ui.services.files import WindowFiles


WHAT_SCRIPTS_SEE = "What argparse and sys.argv see: what follows the name of the script on a command line."
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
        self.note = look.Wrapped(WHAT_SCRIPTS_SEE)
        self.note.setObjectName("muted")
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
        self.note.setText(wrong or WHAT_SCRIPTS_SEE)
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


ABOUT = (
    "Runs {} with the PyTorch of an environment on this computer, and records every step as it runs. It is an ordinary "
    "program then: it can use the GPU and the network, and read and change your files."
)
TRUST = "I &trust this file"
NONE = "No Python was found on this computer. Install Python 3.11 or newer with PyTorch, or choose one with Other…"
VALUES = {"full": "Whole, up to 65,536 elements", "summary": "Range, mean and norm", "none": "Shapes only"}
_AT = Qt.ItemDataRole.UserRole


class PyTorchDialog(QDialog):
    """Choose an interpreter, tick that the file is trusted, and run."""

    _found = Signal(object)

    def __init__(
        self, parent: QWidget, state: State, theme: Theme, files: WindowFiles, run: Callable[[Job], None]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Run in My PyTorch")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state, self._theme, self._files, self._run = state, theme, files, run
        self.list = QListWidget()
        self.list.setAccessibleName("Pythons on this computer")
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(self._judge)
        self.note = look.Wrapped("Looking for environments…")
        self.note.setObjectName("muted")
        document = state.document
        self.arguments = QLineEdit(document.arguments if isinstance(document, Snippet) else "")
        self.iterations, self.values = QLineEdit(), look.DropDown()
        self.arguments.setAccessibleName("Arguments of the script")
        self.arguments.setPlaceholderText("none, or such as --epochs 1")
        self.iterations.setAccessibleName("Iterations to record")
        self.iterations.setPlaceholderText("all, or such as first:20,every:100, counted by optimizer.step()")
        self.values.setAccessibleName("Values to record")
        for key, title in VALUES.items():
            self.values.addItem(title, key)
        self.trust = look.CheckBox(TRUST)
        for signal in (self.trust.toggled, self.arguments.textChanged, self.iterations.textChanged):
            signal.connect(self._judge)
        column = QVBoxLayout(self)
        for widget in (look.Wrapped(ABOUT.format(self._name)), self.list, self.note):
            column.addWidget(widget)
        column.addLayout(self._form())
        column.addWidget(self.trust)
        column.addWidget(self._buttons())
        self.resize(theme.px(560), theme.px(480))
        self._found.connect(self._show)
        self._judge()
        threading.Thread(target=self._look, name="gradviz-interpreters", daemon=True).start()

    @property
    def _name(self) -> str:
        return self._state.title if self._state.path else "this snippet"

    def _form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow("&Arguments:", self.arguments)
        form.addRow("&Iterations:", self.iterations)
        form.addRow("&Values:", self.values)
        return form

    def _buttons(self) -> QDialogButtonBox:
        role = QDialogButtonBox.ButtonRole
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        saves = self._state.path is not None and self._state.is_dirty
        self.run_button = box.addButton("&Save and Run" if saves else "&Run", role.AcceptRole)
        other = box.addButton("&Other…", role.ActionRole)
        other.setToolTip("Choose a Python that is not in the list.")
        other.clicked.connect(self._choose)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        return box

    # -- the list

    def _look(self) -> None:
        path = self._state.path
        found = interpreters(path.absolute().parent if path else None, Path.home())
        try:
            self._found.emit(found)
        except RuntimeError:  # closed in the meantime
            return

    def _show(self, found: Sequence[Interpreter]) -> None:
        useful = [each for each in found if each.torch] or found  # explain the unusable ones only if all are
        for each in useful:
            self._add(each)
        if self.list.count() and self.list.currentRow() < 0:
            self.list.setCurrentRow(0)
        self.note.setText("" if found else NONE)
        self.note.setVisible(not found)
        self._judge()

    def _add(self, found: Interpreter) -> None:
        item = QListWidgetItem(f"{found.title}\n{found.why_not or found.path}")
        item.setData(_AT, found)
        if found.why_not:
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
            item.setForeground(QColor(self._theme.muted))
        self.list.addItem(item)

    def _choose(self) -> None:
        name = self._files.questions.python_name()
        if name:
            self._add(look_at(Path(name)))
            self.list.setCurrentRow(self.list.count() - 1)
            self._judge()

    def _chosen(self) -> Interpreter | None:
        item = self.list.currentItem()
        found = item.data(_AT) if item is not None else None
        return found if isinstance(found, Interpreter) and not found.why_not else None

    # -- the end

    def _judge(self) -> None:
        """Enable Run once everything that it needs is given."""
        self.run_button.setEnabled(self.trust.isChecked() and self._chosen() is not None and self._job() is not None)

    def _job(self) -> Job | None:
        """What to run; None if something typed is not valid."""
        state, chosen = self._state, self._chosen()
        steps = self.iterations.text().replace(" ", "")
        arguments = words_of(self.arguments.text())
        if chosen is None or arguments is None or not is_choice(steps):
            return None
        return Job(
            chosen,
            text_of(state.document),
            state.path.absolute() if state.path is not None and state.path.suffix == ".py" else None,
            files=files_of(state.document),
            arguments=arguments,
            values=str(self.values.currentData()),
            steps=steps,
        )

    def accept(self) -> None:
        """Run it; a file is saved first."""
        job = self._job()
        if job is None or not self.trust.isChecked():
            return
        if job.script is not None and self._state.is_dirty and not self._files.save():
            return
        super().accept()
        self._run(job)
