"""The windows of this process and the tabs in them (`tabs`). Each has a store, a worker and a recovery file of its own;
view settings, the lesson set, and the list of the user's own files, are shared. `launch` opens the first one, the File
and Window menus the others.

Opening a file that is not the user's own does not run it; saving or running makes it their own. `document.files.trust`
keeps the list of own files, and the sentences are in `session.trust_warnings`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, QStandardPaths
from PySide6.QtWidgets import QWidget

from gradviz.document import disk
from gradviz.document.documents import text_of
from gradviz.session import trust_warnings
from gradviz.session.state import Slice, State

if TYPE_CHECKING:
    from gradviz.document.disk import Stamp
    from gradviz.document.files.trust import OwnFiles
    from gradviz.session.crash_report import Private
    from gradviz.ui.tabs import TabbedWindow
    from gradviz.ui.window import MainWindow


# -- the user's own files


class Ownership:
    """Keeps and consults the list of own files. Without a list, it is that of this user, read when the first file is
    opened."""

    def __init__(self, own: OwnFiles | None = None) -> None:
        self._given = own

    @cached_property
    def _own(self) -> OwnFiles:
        from gradviz.document.files.trust import OwnFiles

        place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
        return self._given or OwnFiles(Path(place) if place else None)

    def doubt_of(self, path: Path, data: bytes) -> str:
        """Why this file is not run before the user says so; "" for own files and those that ship with the program."""
        from gradviz.document.disk import digest_of

        if not data.strip() or _is_shipped(path) or self._own.knows(_kind(path), digest_of(data)):
            return ""
        from gradviz.document.files.trust import origin_of

        return trust_warnings.elsewhere(path.name, origin_of(path))

    def doubt_of_change(self, path: Path, data: bytes) -> str:
        """The same for a file that another program has changed."""
        return trust_warnings.changed(path.name) if self.doubt_of(path, data) else ""

    def runs(self, state: State, stamp: Stamp) -> None:
        """The user runs the document: if it equals its file, the file is one of their own from now on."""
        if not state.is_dirty:
            self._own.add(_kind(stamp.path), stamp.digest)

    def made(self, stamp: Stamp) -> None:
        """The user has made this file from trusted content."""
        self._own.add(_kind(stamp.path), stamp.digest)

    def saved(self, state: State, stamp: Stamp) -> None:
        """The user has saved the document; one that has not run keeps its status."""
        if state.is_trusted:
            self._own.add(_kind(stamp.path), stamp.digest)


def _kind(path: Path) -> str:
    return path.suffix.lower()


def _is_shipped(path: Path) -> bool:
    from gradviz.document.files.examples import FOLDER

    return path.resolve().is_relative_to(FOLDER)


FRAME = QSize(2, 32)  # approximate size of the system's window frame
TAB = "application/x-gradviz-tab"  # dragged data: the identity of a `MainWindow` in this process
AWAY = 32  # offset of a new window from the one it was opened from


class Windows:
    """The open windows, oldest first."""

    def __init__(self, ownership: Ownership | None = None) -> None:
        self.ownership = ownership or Ownership()
        self._open: dict[MainWindow, Callable[[], None]] = {}  # each with a function that stops listening to it

    @property
    def open_now(self) -> tuple[MainWindow, ...]:
        """The windows, oldest first."""
        return tuple(self._open)

    def add(self, window: MainWindow) -> None:
        """A window was created."""
        if self._open:
            self._share(self.open_now[-1].store.state, window)
        self._open[window] = window.store.watch(Slice("view", "lessons"), partial(self._look_alike, window))

    def remove(self, window: MainWindow) -> None:
        """A window or tab has closed; what it held is released, unless the program ends anyway."""
        self._open.pop(window, _nothing)()
        if window.parent() is not None:
            from gradviz.ui.tabs import leave

            leave(window)
        if self._open:
            window.deleteLater()

    def open(self) -> MainWindow:
        """Open another window beside the others."""
        latest = self.open_now[-1]
        window = type(latest)(latest.settings, self)
        place = latest.window().pos()
        window.move(place.x() + AWAY, place.y() + AWAY)
        fit(window)
        window.show()
        return window

    def open_tab(self, beside: MainWindow, then: Callable[[MainWindow], object]) -> MainWindow:
        """Open another tab in this window; `then` is called when it is complete."""
        from gradviz.ui.tabs import put_beside

        window = type(beside)(beside.settings, self)
        window.painted.connect(partial(then, window))
        put_beside(window, beside)
        return window

    def bring(self, path: Path) -> bool:
        """Bring the window in which this file is open to the front; False if there is none."""
        from gradviz.ui.tabs import around

        place = disk.absolute(path)
        found = next((window for window in self.open_now if window.store.state.path == place), None)
        if found is None:
            return False
        if (home := around(found)) is not None:
            home.setCurrentWidget(found)
        found.window().activateWindow()
        found.store.say(OPEN_ALREADY.format(disk.shown(path.name)))
        return True

    def join(self, identity: str, beside: MainWindow) -> bool:
        """Move the tab that is dropped on a window into it; False if it is from another process."""
        from gradviz.ui.tabs import put_beside

        found = next((window for window in self.open_now if str(id(window)) == identity), None)
        if found is not None and found is not beside:
            put_beside(found, beside)
        return found is not None

    def close_all(self) -> bool:
        """Close one after the other, each may ask; False if the user wants to stay."""
        return all(window.close() for window in reversed(self.open_now))

    def keep_work(self) -> None:
        """Write the copy of unsaved work in each window, now."""
        for window in self.open_now:
            window.shell.recovery.write()

    def private(self) -> Private:
        """What must not appear in a report."""
        from gradviz.session.crash_report import Private

        states = [window.store.state for window in self.open_now]
        names = {path.name for state in states for path in (state.path, *map(Path, state.view.recent)) if path}
        return Private(tuple(text_of(state.document) for state in states), tuple(sorted(names)))

    def _look_alike(self, window: MainWindow, before: State, after: State) -> None:
        for other in self.open_now:
            if other is not window:
                other.store.look(after.view)
                if before.lessons is not after.lessons:
                    self._share(after, other)

    def _share(self, state: State, other: MainWindow) -> None:
        """Open the lesson set of one tab in another."""
        before = other.store.state.lessons
        if state.lessons is not before:
            from gradviz.document.files.lesson_set import shared

            lessons = shared(state.lessons, before)
            if lessons != before:
                other.store.consult(lambda state: replace(state, lessons=lessons))


OPEN_ALREADY = "{} was open already; this is it."
ALONE = "This window has no other tab."


class FromHere:
    """The windows from the point of view of one of them: the Window menu. Implements the commands' `Windows`."""

    def __init__(self, window: MainWindow, windows: Windows) -> None:
        self._window, self._windows = window, windows

    def open(self) -> None:
        """Open another window."""
        self._windows.open()

    def turn(self, by: int) -> None:
        """Go to the next tab, or the previous one."""
        if (home := self._home()) is not None:
            home.turn(by)

    def detach(self) -> None:
        """Give this tab a window of its own."""
        from gradviz.ui.tabs import detach

        if (home := self._home()) is not None:
            detach(self._window, home.pos() + QPoint(AWAY, AWAY))

    def merge(self) -> None:
        """Make all windows tabs of this one, which stays in front."""
        from gradviz.ui.tabs import put_beside

        for other in self._windows.open_now:
            if other is not self._window:
                put_beside(other, self._window)
        if (home := self._home()) is not None:
            home.setCurrentWidget(self._window)

    def close(self) -> None:
        """Close this one."""
        self._window.close()

    def quit(self) -> None:
        """Close all; each may ask."""
        self._windows.close_all()

    def _home(self) -> TabbedWindow | None:
        """The window with several tabs that contains this one; None, after saying so, if there is none."""
        from gradviz.ui.tabs import around

        home = around(self._window)
        if home is None or home.count() < 2:
            self._window.store.say(ALONE)
            return None
        return home


def fit(window: QWidget) -> None:
    """Keep it, including its frame, no larger than its screen, which is small at high scale factors."""
    room = window.screen().availableGeometry()
    size = window.size().boundedTo(room.size() - FRAME)
    if size != window.size():
        window.resize(size)
        window.move(room.topLeft())


def _nothing() -> None:
    """Nothing to stop: this window was not known."""
