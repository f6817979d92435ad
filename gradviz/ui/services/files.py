"""New, open and save: the File menu. Each asks before anything is lost and says in one sentence what went wrong. Each
question is a dialog over the window, loaded when it first opens; tests replace them by answers. The formats are in
`document.files.opening`.

Note [The file on disk] What was last read or written is identified by its stamp. The file is checked when the window
gets the focus and before it is saved: if another program has changed it, the user chooses; if it is gone, the document
counts as unsaved."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from gradviz.document import disk
from gradviz.document.disk import shown
from gradviz.document.documents import Document, arguments_of, files_of, with_arguments
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.snippet import Snippet, is_recording
from gradviz.session import trust_warnings
from gradviz.session.store import Store
from gradviz.ui.windows import Windows

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox

    from gradviz.document.disk import Stamp
    from gradviz.document.documents import Contents
    from gradviz.document.files.examples import Example
    from gradviz.document.files.recovery import Recovery
    from gradviz.ui.services.lessons import WindowLessons
    from gradviz.ui.services.recordings import RecordingFiles


# -- the questions

OPEN = (
    "Snippets, notebooks, drawings, recordings and lessons (*.py *.ipynb *.md *.gradviz *.gvtrace *.gvlessons);;"
    "Drawings (*.gradviz);;Python files and notebooks (*.py *.ipynb);;Markdown with Python in it (*.md);;"
    "Recordings (*.gvtrace);;Lesson sets (*.gvlessons);;All files (*)"
)
LESSONS = "Lesson set (*.gvlessons)"
RECORDING = "Recording (*.gvtrace)"
DRAWING, SNIPPET = "GradViz file (*.gradviz)", "Python file (*.py)"


class FileDialogs:
    """Asks the user of this window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def open_name(self, folder: str) -> str:
        """Which file to open; "" if none."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getOpenFileName(self._window, "Open a snippet, a drawing or a recording", folder, OPEN)[0]

    def save_name(self, suggestion: str) -> str:
        """Where to save; "" if nowhere. The suggested kind of file is offered first."""
        from PySide6.QtWidgets import QFileDialog

        is_ours = suggestion.endswith(".gradviz")
        kinds = (DRAWING, SNIPPET) if is_ours else (SNIPPET, DRAWING)
        filters = ";;".join((*kinds, "All files (*)"))
        name, chosen = QFileDialog.getSaveFileName(self._window, "Save", suggestion, filters)
        ending = {DRAWING: ".gradviz", SNIPPET: ".py"}.get(chosen, "")
        return name if not name or Path(name).suffix else f"{name}{ending}"

    def export_name(self, suggestion: str, kind: str) -> str:
        """Where to write a file of this kind; "" if nowhere."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getSaveFileName(self._window, "Export", suggestion, kind)[0]

    def attach_names(self, title: str, folder: str) -> list[str]:
        """Which files to attach; [] for none."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getOpenFileNames(self._window, title, folder, "All files (*)")[0]

    def written_name(self, suggestion: str) -> str:
        """Where to save a file that a run wrote; "" if nowhere."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getSaveFileName(self._window, "Save a File of the Run", suggestion, "All files (*)")[0]

    def written_folder(self, suggestion: str) -> str:
        """Where to save all of them; "" if nowhere."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getExistingDirectory(self._window, "Save All Files of the Run in This Folder", suggestion)

    def python_name(self) -> str:
        """A Python interpreter of the user; "" if none."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getOpenFileName(self._window, "Choose a Python with PyTorch")[0]

    def recording_name(self, suggestion: str) -> str:
        """Where to save a recording; "" if nowhere."""
        from PySide6.QtWidgets import QFileDialog

        name = QFileDialog.getSaveFileName(self._window, "Save Recording", suggestion, f"{RECORDING};;All files (*)")[0]
        return name if not name or Path(name).suffix else f"{name}.gvtrace"

    def lessons_name(self, suggestion: str) -> str:
        """Where to save a new lesson set; "" if nowhere."""
        from PySide6.QtWidgets import QFileDialog

        return QFileDialog.getSaveFileName(self._window, "New Lesson Set", suggestion, f"{LESSONS};;All files (*)")[0]

    def lessons_text(self, title: str, text: str) -> tuple[str, str] | None:
        """Another title and text for a lesson set; None for no change."""
        from gradviz.ui.panels.gallery import SetDialog

        dialog = SetDialog(self._window, title, text)
        return dialog.answer if dialog.exec() else None

    def keep_changes(self, name: str) -> str:
        """What to do about unsaved changes: "save", "discard" or "cancel"."""
        from PySide6.QtWidgets import QMessageBox

        kind = QMessageBox.StandardButton
        box = self._box(f"{name} has changes that are not saved.")
        box.setInformativeText("Do you want to save them?")
        box.setStandardButtons(kind.Save | kind.Discard | kind.Cancel)
        box.setDefaultButton(kind.Save)
        answers = {kind.Save: "save", kind.Discard: "discard"}
        return answers.get(QMessageBox.StandardButton(box.exec()), "cancel")

    def changed_on_disk(self, name: str) -> str:
        """What to do about a file that another program has changed: "reload", "keep" or "save_as"."""
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
        """Whether to restore the document of a window that did not close normally."""
        from PySide6.QtWidgets import QMessageBox

        kind = QMessageBox.StandardButton
        box = self._box(f"GradViz ended without closing {name}. Restore its contents?")
        box.setStandardButtons(kind.Yes | kind.No)
        return box.exec() == kind.Yes

    def _box(self, text: str) -> QMessageBox:
        from PySide6.QtCore import Qt
        from PySide6.QtWidgets import QMessageBox

        box = QMessageBox(self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)  # file names may contain anything
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("GradViz")
        box.setText(text)
        return box


QUICK = 0.05  # seconds that the window waits for the answer; a later one arrives by signal


class FileWatcher(QObject):
    """Checks in a thread of its own, one check at a time, whether a file on disk is still the known one: on a network
    drive that is gone, this can take minutes. It calls `then` with the known stamp, "same", "changed" or "deleted", and
    the present stamp."""

    _seen = Signal()

    def __init__(self, then: Callable[[Stamp, str, Stamp], None]) -> None:
        super().__init__()
        self._then = then
        self._answers: SimpleQueue[tuple[Stamp, str, Stamp]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._seen.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def look(self, stamp: Stamp) -> None:
        """Check now, unless an earlier check is still running."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._ask, args=(stamp,), name="gradviz-look", daemon=True)
            self._thread.start()
            self._thread.join(QUICK)
            self._take()

    def _ask(self, stamp: Stamp) -> None:
        self._answers.put((stamp, *stamp.now()))
        self._seen.emit()

    def _take(self) -> None:
        try:
            answer = self._answers.get_nowait()
        except Empty:
            return
        self._then(*answer)


ONLY_TEXT = "Saved the snippet in {}; its {} are kept only in a .gradviz file."
ONLY_CODE = "Saved the code of the drawing in {}; positions, comments and groups are kept only in a .gradviz file."


@dataclass(frozen=True)
class _OnDisk:
    """What is known about the document's file: its stamp, whether part of it could not be read, and what a newer
    version stored about the view."""

    stamp: Stamp
    is_partial: bool = False
    extra: str = ""


@dataclass(frozen=True)
class Around:
    """The parts of a window that files involve."""

    open_tab: Callable[[Callable[[WindowFiles], object]], object]
    bring: Callable[[Path], bool]  # brings a file to the front if some window has it open
    run: Callable[[], None]
    show: Callable[[str], None]
    recordings: Callable[[], RecordingFiles]
    lesson_sets: Callable[[], WindowLessons]


class WindowFiles:
    """Implements the commands' `Files`."""

    def __init__(
        self,
        store: Store,
        questions: FileDialogs,
        windows: Windows,
        around: Around,
    ) -> None:
        self.questions = questions
        self.ownership = windows.ownership
        self._store = store
        self._around = around
        self._on_disk: _OnDisk | None = None
        self._is_asking = False
        self._looker = FileWatcher(self._looked)

    @property
    def lesson_sets(self) -> WindowLessons:
        """The lesson sets of the same window."""
        return self._around.lesson_sets()

    # new and open

    def new(self) -> None:
        """Begin an empty snippet."""
        if self.may_leave():
            self._store.open(Snippet(), None)

    def new_drawing(self) -> None:
        """Begin an empty drawing."""
        if self.may_leave():
            self._store.open(Drawing(), None)
            self._around.show("canvas")

    def apart(self, then: Callable[[WindowFiles], object]) -> None:
        """Do this here if nothing would be lost, otherwise in a new tab."""
        state = self._store.state
        if state.is_dirty or state.path is not None:
            self._around.open_tab(then)
        else:
            then(self)

    def open(self, name: str = "") -> None:
        """Open a file; without a name, ask for one."""
        path = self._store.state.path
        name = name or self.questions.open_name(str(path.parent) if path else "")
        if name:
            self.open_paths([Path(name)])

    def open_path(self, path: Path, arguments: Sequence[str] = ()) -> bool:
        """Open this file, as a snippet that is called with these arguments, or show the lessons of a set; returns
        whether it is open then. A recording may be large and open a little later."""
        if is_recording(path):
            self._around.recordings().open(path)
            return True
        if is_lesson_set(path):
            return self.lesson_sets.open(path)
        read = _read(path, self._store)
        if read is None:
            _forget_recent(self._store, path)
        if read is None or not self.may_leave():
            return False
        path, data, contents = read
        contents = replace(contents, document=with_arguments(contents.document, arguments))
        _show(self._store, contents, path, "" if contents.document.is_blank else self.ownership.doubt_of(path, data))
        self._know(path, data, contents)
        if contents.dropped:
            self._store.mark_unsaved()
        if contents.sentence(shown(path.name)):
            self._store.say(contents.sentence(shown(path.name)))
        elif contents.document.is_blank:
            self._store.say(f"{shown(path.name)} is empty. {_BEGIN[type(contents.document)]}")
        return True

    def open_paths(self, paths: list[Path]) -> None:
        """Open the first file here if nothing would be lost, and the others in tabs of their own. A file that is
        already open comes to the front."""
        rest = [path for path in paths if not self._around.bring(path)]
        if rest:
            self.apart(lambda files: files.open_all(rest))

    def open_all(self, paths: list[Path]) -> None:
        """Open the first file here and the others in tabs of their own, one after the other."""
        self.open_path(paths[0])
        if paths[1:]:
            self._around.open_tab(lambda files: files.open_all(paths[1:]))

    def open_example(self, name: str) -> None:
        """Open an example as a new, unnamed snippet and run it. Its introduction is shown above the code."""
        from gradviz.document.files.examples import read

        if self.may_leave():
            self.open_lesson(read(Path(name)), "", lambda: None)

    def open_lesson(self, example: Example, doubt: str, opened: Callable[[], None]) -> None:
        """The same for a lesson; one from elsewhere waits for Run."""
        self._store.open(example.document, None, note=example.note, doubt=doubt)
        opened()
        self._around.show("editor")
        if not doubt:
            self._around.run()

    def recover(self, left: Recovery) -> None:
        """Offer to restore the document of a window that did not close normally."""
        path = Path(left.path) if left.path else None
        kind = "drawing" if isinstance(left.contents.document, Drawing) else "snippet"
        if self.questions.recover(shown(path.name) if path else f"an unsaved {kind}"):
            _show(self._store, left.contents, path, trust_warnings.RECOVERED)
            self._store.mark_unsaved()

    def run_begins(self) -> None:
        """The user runs the document of this window."""
        if (known := self._known()) is not None:
            self.ownership.runs(self._store.state, known.stamp)

    def _know(self, path: Path, data: bytes, contents: Contents) -> Stamp:
        from gradviz.document.disk import Stamp

        self._on_disk = _OnDisk(Stamp.of(path, data), bool(contents.dropped), contents.sight.extra)
        return self._on_disk.stamp

    # save

    def save(self) -> bool:
        """Save to the document's own file; True if it is saved."""
        state = self._store.state
        became_drawing = isinstance(state.document, Drawing) and isinstance(state.saved, Snippet)
        if state.path is None or _is_notebook(state.path) or (became_drawing and not _is_gradviz(state.path)):
            return self.save_as()
        return self._may_replace() and self._write(state.path)

    def save_as(self) -> bool:
        """Save to a file that the user chooses."""
        state = self._store.state
        if state.is_recording:
            return self._around.recordings().save_as()
        is_drawing = isinstance(state.document, Drawing)
        path = state.path or Path("drawing.gradviz" if is_drawing else "snippet.py")
        if is_drawing and not _is_gradviz(path):
            path = path.with_suffix(".gradviz")
        if _is_notebook(path):
            path = path.with_suffix(".py")
        name = self.questions.save_name(str(path))
        return bool(name) and self._write(_with_suffix(Path(name), is_drawing))

    def contents(self) -> Contents:
        """What is saved: the document, and the state of its view."""
        from gradviz.document.documents import Contents
        from gradviz.session.view_settings import sight_of

        state, known = self._store.state, self._known()
        return Contents(state.document, state.note, sight_of(state, known.extra if known else ""))

    def _write(self, path: Path) -> bool:
        from gradviz.document.files import opening

        contents, known = self.contents(), self._known()
        said = f"Saved {shown(path.name)}"
        try:
            path = disk.absolute(path)
            data = opening.encode(contents, path)
            if known is not None and known.is_partial and path == known.stamp.path:
                said = f"Saved {shown(path.name)}; as it was before, it is in {shown(disk.keep_copy(path).name)}"
            disk.write_atomically(path, data)
        except UserError as error:
            self._store.say(str(error))
            return False
        self.ownership.saved(self._store.state, self._know(path, data, contents))
        self._store.mark_saved(path)
        self._store.say(said if _is_gradviz(path) else _lost(contents.document).format(shown(path.name)) or said)
        return True

    # the file on disk

    def look_at_disk(self) -> None:
        """The window has the focus again; see Note [The file on disk]."""
        known = self._known()
        if known is not None and not self._is_asking:
            self._looker.look(known.stamp)

    def _looked(self, before: Stamp, found: str, stamp: Stamp) -> None:
        known = self._known()
        if known is None or known.stamp is not before or self._is_asking:
            return  # meanwhile it was saved, or replaced by another document
        if found == "deleted":
            self._on_disk = None
            self._store.mark_unsaved()
            self._store.say(f"{shown(known.stamp.path.name)} is no longer on disk. Save writes it again.")
        elif found == "changed":
            self._ask_about_change(replace(known, stamp=stamp))
        else:
            self._on_disk = replace(known, stamp=stamp)

    def _may_replace(self) -> bool:
        """False if the file has changed on disk and the user does not want to replace it."""
        known = self._known()
        if known is None:
            return True
        found, stamp = known.stamp.now()
        return found != "changed" or self._ask_about_change(replace(known, stamp=stamp)) == "keep"

    def _ask_about_change(self, known: _OnDisk) -> str:
        path = known.stamp.path
        self._is_asking = True
        try:
            answer = self.questions.changed_on_disk(shown(path.name))
        finally:
            self._is_asking = False
        self._on_disk = known
        if answer == "reload":
            self._reload(path)
        else:
            self._store.mark_unsaved()
        if answer == "save_as":
            self.save_as()
        return answer

    def _reload(self, path: Path) -> None:
        """Show the file's present content, as a change that can be undone."""
        read = _read(path, self._store)
        if read is None:
            self._store.mark_unsaved()
            return
        path, data, contents = read
        if doubt := self.ownership.doubt_of_change(path, data):
            self._store.distrust(doubt)
        self._store.edit("Reload", contents.document)
        self._store.mark_saved(path)
        self._know(path, data, contents)
        if contents.dropped:
            self._store.mark_unsaved()
        self._store.say(contents.sentence(shown(path.name)) or f"Reloaded {shown(path.name)}")

    def _known(self) -> _OnDisk | None:
        """What is known about the file of the present document."""
        known = self._on_disk
        return known if known is not None and known.stamp.path == self._store.state.path else None

    # leaving

    def may_leave(self) -> bool:
        """Whether the document may be replaced: it is saved, or the user agrees."""
        state = self._store.state
        if not state.is_dirty:
            return True
        answer = self.questions.keep_changes(state.title)
        return self.save() if answer == "save" else answer == "discard"


def _read(path: Path, store: Store) -> tuple[Path, bytes, Contents] | None:
    """A file of the file system, its content and its meaning; None if it can't be read, after saying so."""
    from gradviz.document.files import opening

    try:
        data = opening.read_bytes(path)
        return disk.absolute(path), data, opening.decode(data, path)
    except UserError as error:
        store.say(str(error))
        return None


def _show(store: Store, contents: Contents, path: Path | None, doubt: str) -> None:
    from gradviz.session import run_transitions
    from gradviz.session.view_settings import breakpoints_of, folding_of

    store.open(contents.document, path, note=contents.note, doubt=doubt)
    store.fold(folding_of(contents.sight))
    store.stop_at(breakpoints_of(contents.sight))
    store.consult(lambda state: run_transitions.kept_quiet(state, contents.sight.dismissed))


def _lost(document: Document) -> str:
    """The notice for a Python file that stores less than the document contains; "" if it does not."""
    if isinstance(document, Drawing):
        return ONLY_CODE
    held = {"attached files": files_of(document), "arguments": arguments_of(document)}
    names = " and ".join(name for name, value in held.items() if value)
    return ONLY_TEXT.format("{}", names) if names else ""


_BEGIN: dict[type[Document], str] = {
    Snippet: "Paste a snippet and press Run.",
    Drawing: "Type an operation on the canvas, or drag one from the palette.",
}


def _forget_recent(store: Store, path: Path) -> None:
    """A file that can't be opened is removed from the recent files if it is gone; a drive that is gone may come
    back."""
    view = store.state.view
    if str(path) in view.recent and os.path.isdir(path.parent) and not os.path.exists(path):
        store.look(replace(view, recent=tuple(name for name in view.recent if name != str(path))))


def is_lesson_set(path: Path) -> bool:
    """Whether this is a lesson set: a file or a folder."""
    return path.suffix.lower() == ".gvlessons" or path.is_dir()


def _with_suffix(path: Path, is_drawing: bool) -> Path:
    if is_drawing and path.suffix.lower() not in (".gradviz", ".py"):
        return path.with_name(f"{path.name}.gradviz")
    return path if path.suffix else path.with_suffix(".py")


def _is_notebook(path: Path) -> bool:
    from gradviz.document.files.opening import is_notebook

    return is_notebook(path)


def _is_gradviz(path: Path) -> bool:
    return path.suffix.lower() == ".gradviz"
