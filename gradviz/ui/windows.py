"""The windows of this process. Each has a store, a worker and a recovery file of its own; how things are looked at, and
which files are the user's own, is the same in all of them. `launch` opens the first one, the File menu the others.

A file that is not one's own is opened without running it, and becomes own by being saved or run. The list of own files
is kept by `document.files.trust`, the sentences are in `session.trust_warnings`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QStandardPaths
from PySide6.QtWidgets import QWidget

from gradviz.document.documents import text_of
from gradviz.session import trust_warnings
from gradviz.session.state import Slice, State

if TYPE_CHECKING:
    from gradviz.document.disk import Stamp
    from gradviz.document.files.trust import OwnFiles
    from gradviz.session.crash_report import Private
    from gradviz.ui.window import MainWindow


# -- the user's own files


class Ownership:
    """Asks the list, and keeps it. Without a list it is that of this user, read when the first file is opened."""

    def __init__(self, own: OwnFiles | None = None) -> None:
        self._given = own

    @cached_property
    def _own(self) -> OwnFiles:
        from gradviz.document.files.trust import OwnFiles

        place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
        return self._given or OwnFiles(Path(place) if place else None)

    def doubt_of(self, path: Path, data: bytes) -> str:
        """Why this file is not run until the user says so; "" for one's own and those that ship with the program."""
        from gradviz.document.disk import digest_of

        if not data.strip() or _is_shipped(path) or self._own.knows(_kind(path), digest_of(data)):
            return ""
        from gradviz.document.files.trust import origin_of

        return trust_warnings.elsewhere(path.name, origin_of(path))

    def doubt_of_change(self, path: Path, data: bytes) -> str:
        """The same of a file that another program has changed."""
        return trust_warnings.changed(path.name) if self.doubt_of(path, data) else ""

    def runs(self, state: State, stamp: Stamp) -> None:
        """The user runs the document: if it is as its file is, the file is an own one from now on."""
        if not state.is_dirty:
            self._own.add(_kind(stamp.path), stamp.digest)

    def made(self, stamp: Stamp) -> None:
        """The user has made this file, of what is trusted."""
        self._own.add(_kind(stamp.path), stamp.digest)

    def saved(self, state: State, stamp: Stamp) -> None:
        """The user has saved the document; one that has not run stays what it is."""
        if state.is_trusted:
            self._own.add(_kind(stamp.path), stamp.digest)


def _kind(path: Path) -> str:
    return path.suffix.lower()


def _is_shipped(path: Path) -> bool:
    from gradviz.document.files.examples import FOLDER

    return path.resolve().is_relative_to(FOLDER)


FRAME = QSize(2, 32)  # what the system puts around a window, about
AWAY = 32  # pixels from a window to the one that is opened from it


class Windows:
    """Those that are open, oldest first."""

    def __init__(self, ownership: Ownership | None = None) -> None:
        self.ownership = ownership or Ownership()
        self._open: dict[MainWindow, Callable[[], None]] = {}  # and what ends listening to them

    @property
    def open_now(self) -> tuple[MainWindow, ...]:
        """The windows, oldest first."""
        return tuple(self._open)

    def add(self, window: MainWindow) -> None:
        """A window has come."""
        self._open[window] = window.store.watch(Slice("view"), partial(self._look_alike, window))

    def remove(self, window: MainWindow) -> None:
        """A window has closed; what it held goes with it, unless the program ends with it anyway."""
        self._open.pop(window, _nothing)()
        if self._open:
            window.deleteLater()

    def open(self, then: Callable[[MainWindow], None] | None = None) -> MainWindow:
        """Open one more beside the others; `then` is called when all of it is there."""
        latest = self.open_now[-1]
        window = type(latest)(latest.settings, self)
        window.move(latest.pos().x() + AWAY, latest.pos().y() + AWAY)
        fit(window)
        if then is not None:
            window.painted.connect(partial(then, window))
        window.show()
        return window

    def open_on(self, path: Path) -> None:
        """Open one more with this file in it."""
        self.open(lambda window: _none(window.files.open_path(path)))

    def close_all(self) -> bool:
        """Close one after the other, each asks; False if the user wants to stay."""
        return all(window.close() for window in reversed(self.open_now))

    def keep_work(self) -> None:
        """Write the copy of what is typed in each, now."""
        for window in self.open_now:
            window.shell.recovery.write()

    def private(self) -> Private:
        """What must not be in a report."""
        from gradviz.session.crash_report import Private

        states = [window.store.state for window in self.open_now]
        names = {path.name for state in states for path in (state.path, *map(Path, state.view.recent)) if path}
        return Private(tuple(text_of(state.document) for state in states), tuple(sorted(names)))

    def _look_alike(self, window: MainWindow, _: State, after: State) -> None:
        for other in self.open_now:
            if other is not window:
                other.store.look(after.view)


def fit(window: QWidget) -> None:
    """Not larger than the screen it opens on, which at a large scale is small."""
    room = window.screen().availableGeometry()
    if window.size().boundedTo(room.size()) != window.size():
        window.resize(window.size().boundedTo(room.size() - FRAME))
        window.move(room.topLeft())


def _none(_: bool) -> None:
    """Whether the file could be opened, the window says itself."""


def _nothing() -> None:
    """This window was not known."""
