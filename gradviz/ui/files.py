"""New, open, save: the File menu's doings. Each asks before something is lost and says in a sentence what went wrong;
the questions themselves are in `Questions`, which tests replace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.examples import read
from gradviz.document.snippet import Snippet, load, save
from gradviz.session.store import Store
from gradviz.ui.windows import Windows

FILTER = "Python files (*.py);;All files (*)"


class Questions:
    """What the user is asked, each as a dialog over the window, loaded when it first opens."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def open_name(self, folder: str) -> str:
        """Which file to open; "" if none."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getOpenFileName(self._window, "Open a snippet", folder, FILTER)[0]

    def save_name(self, suggestion: str) -> str:
        """Where to save; "" if nowhere."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getSaveFileName(self._window, "Save the snippet", suggestion, FILTER)[0]

    def keep_changes(self, name: str) -> str:
        """What to do with unsaved changes: "save", "discard" or "cancel"."""
        from PySide6.QtWidgets import QMessageBox

        kind = QMessageBox.StandardButton
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("GradViz")
        box.setText(f"{name} has changes that are not saved.")
        box.setInformativeText("Do you want to save them?")
        box.setStandardButtons(kind.Save | kind.Discard | kind.Cancel)
        box.setDefaultButton(kind.Save)
        answers = {kind.Save: "save", kind.Discard: "discard"}
        return answers.get(QMessageBox.StandardButton(box.exec()), "cancel")

    def recover(self, name: str) -> bool:
        """Whether to take back the text of a window that did not close in good order."""
        from PySide6.QtWidgets import QMessageBox

        text = f"GradViz ended without closing {name}. Take back what was typed?"
        return QMessageBox.question(self._window, "GradViz", text) == QMessageBox.StandardButton.Yes


class WindowFiles:
    """Implements the commands' `Files`."""

    def __init__(
        self,
        store: Store,
        questions: Questions,
        windows: Windows,
        *,
        close: Callable[[], bool],
        run: Callable[[], None],
        show_editor: Callable[[], None],
    ) -> None:
        self.questions = questions
        self._windows = windows
        self._show_editor = show_editor
        self._store = store
        self._close = close
        self._run = run

    def new(self) -> None:
        """Begin an empty snippet."""
        if self.may_leave():
            self._store.open(Snippet(), None)

    def new_drawing(self) -> None:
        """Begin an empty drawing."""
        if self.may_leave():
            self._store.open(Drawing(), None)

    def open(self, name: str = "") -> None:
        """Open a file; without a name, ask for one."""
        path = self._store.state.path
        name = name or self.questions.open_name(str(path.parent) if path else "")
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> bool:
        """Open this file; True if it is open then."""
        try:
            snippet = load(path)
        except UserError as error:
            self._store.say(str(error))
            return False
        if not self.may_leave():
            return False
        self._store.open(snippet, path.absolute())
        if snippet.is_blank:
            self._store.say(f"{path.name} is empty. Paste a snippet and press Run.")
        return True

    def open_example(self, name: str) -> None:
        """Open an example as a new, unnamed snippet, and run it. Its text stands above the code."""
        example = read(Path(name))
        if self.may_leave():
            look_at = f"Look at {example.look_at}" if example.look_at else ""
            note = f"{example.title}\n{example.paragraph}\n{look_at}".strip()
            self._store.open(Snippet(example.code), None, note=note)
            self._show_editor()
            self._run()

    def save(self) -> bool:
        """Save to the document's own file; True if it is saved."""
        path = self._store.state.path
        return self._write(path) if path else self.save_as()

    def save_as(self) -> bool:
        """Save to a file that the user chooses."""
        state = self._store.state
        name = self.questions.save_name(str(state.path or Path("snippet.py")))
        if not name:
            return False
        path = Path(name)
        return self._write(path if path.suffix else path.with_suffix(".py"))

    def new_window(self) -> None:
        """Open another window."""
        self._windows.open()

    def close(self) -> None:
        """Close this window."""
        self._close()

    def quit(self) -> None:
        """Close all windows; each asks."""
        self._windows.close_all()

    def may_leave(self) -> bool:
        """True if the document may be replaced: it is saved, or the user said so."""
        state = self._store.state
        if not state.is_dirty:
            return True
        answer = self.questions.keep_changes(state.title)
        return self.save() if answer == "save" else answer == "discard"

    def _write(self, path: Path) -> bool:
        try:
            document = self._store.state.document
            save(path, document if isinstance(document, Snippet) else Snippet(document.text, document.newline))
        except UserError as error:
            self._store.say(str(error))
            return False
        self._store.mark_saved(path.absolute())
        self._store.say(f"Saved {path.name}")
        return True
