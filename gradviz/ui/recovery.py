"""Keeps a copy of what is typed or drawn: every few seconds and before each run, in a file that the window removes when
it closes in good order. Each open window holds the lock of its own file, so a file without a holder is what a crash
left. The locks and the places of the files are in `locked_files`.

Note [No copy]
Where no copy can be written (no folder, a full disk) it is said once, and tried again at every turn: a disk gets room,
a drive comes back."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from gradviz.document.disk import reason
from gradviz.document.documents import Document
from gradviz.document.errors import UserError
from gradviz.document.files import recovery
from gradviz.document.files.gradviz_file import Contents
from gradviz.document.files.recovery import Recovery
from gradviz.session.store import Store
from gradviz.session.view_settings import sight_of
from gradviz.ui.locked_files import Place, data_folder, take, waiting

PATTERN = "window-{}.json"
EVERY = 3000  # milliseconds
NO_COPY = "Autosave is not working ({}). Save your work often; GradViz will keep trying."
AGAIN = "Autosave is working again."


def default_folder() -> Path:
    """Where the system keeps an application's own files."""
    return data_folder() / "recovery"


class RecoveryKeeper(QObject):
    """One window's recovery file. `left_behind` is what a crashed window left in the place that this one took."""

    def __init__(self, store: Store, folder: Path | None = None) -> None:
        super().__init__()
        self._store = store
        self._folder = folder or default_folder()
        self._written: Document | None = None  # what the file holds; None: the file is not there
        self._is_in_trouble = False  # see Note [No copy]
        self._place: Place | None = None
        self.left_behind: Recovery | None = None
        with contextlib.suppress(OSError):  # it is said when there is something to keep
            self._place = take(self._folder, PATTERN)
        if self._place is not None:
            self.left_behind = recovery.read(self._place.file)
            if self.left_behind is None:
                self._place.put_aside()  # of a newer version, or damaged: not ours to delete
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self.write)
        self._timer.start()

    @property
    def file(self) -> Path | None:
        """Where the copy is written to; None as long as there is no place for it."""
        return self._place.file if self._place is not None else None

    def write(self) -> None:
        """Write the document now if it has changed; one that is saved needs no copy."""
        state = self._store.state
        if self.left_behind is not None:
            return
        try:
            if not state.is_dirty and self._written is not None and self._place is not None:
                self._place.file.unlink(missing_ok=True)
                self._written = None
            if not state.is_dirty or state.document is self._written:
                return
            contents = Contents(state.document, state.note, sight_of(state))
            if self._place is None:
                self._place = take(self._folder, PATTERN, empty=True)
            recovery.write(self._place.file, Recovery(contents, str(state.path or "")))
        except (UserError, OSError) as error:
            self._complain(error)
            return
        self._written = state.document
        if self._is_in_trouble:
            self._is_in_trouble = False
            self._store.say(AGAIN)

    def _complain(self, error: UserError | OSError) -> None:
        """Once, until it goes well again."""
        if not self._is_in_trouble:
            self._is_in_trouble = True
            cause = error if isinstance(error, OSError) else error.__cause__
            self._store.say(NO_COPY.format(reason(cause)) if isinstance(cause, OSError) else str(error))

    def step_aside(self) -> None:
        """Leave what was left behind to another window, and take an empty place when there is something to keep."""
        if self._place is not None:
            self._place.leave(keep=True)
        self._place = self.left_behind = None

    def answered(self) -> None:
        """The user has decided about what was left behind; from now on the file is this window's."""
        if self.left_behind is not None:
            self._written = self.left_behind.contents.document
        self.left_behind = None

    def close(self) -> None:
        """The window closes in good order."""
        self._timer.stop()
        if self._place is not None:
            self._place.leave(keep=self.left_behind is not None)


def something_waits(folder: Path | None = None) -> bool:
    """True if another window has left something behind that nobody has asked about."""
    return any(recovery.read(file) is not None for file in waiting(folder or default_folder(), PATTERN))
