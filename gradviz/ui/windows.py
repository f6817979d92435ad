"""The windows of this process and the tabs in them. Each has a store, a worker and a recovery file of its own; view
settings, the lesson set, and the list of the user's own files, are shared. `launch` opens the first one, the File and
Window menus the others.

Opening a file that is not the user's own does not run it; saving or running makes it their own. `document.files.trust`
keeps the list of own files, and the sentences are in `session.trust_warnings`.

A tab is a whole `MainWindow`, which is a window of its own while it is alone. The window around several is created for
the second document. Tabs can be dragged out of their window and into another.

Note [Menus of a tab] Each document keeps its own menus on its page: their actions and enabled states belong to it, and
Qt ignores the shortcuts of pages that are not in front. On macOS, where all windows share one menu bar, they also move
onto the page as soon as there are tabs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, QSize, QStandardPaths, Qt
from PySide6.QtGui import QCloseEvent, QDrag, QDragEnterEvent, QDropEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QTabBar, QTabWidget, QToolButton, QWidget

from gradviz.document import disk
from gradviz.document.documents import text_of
from gradviz.session import trust_warnings
from gradviz.session.presenting import Stage
from gradviz.session.state import Slice, State

if TYPE_CHECKING:
    from gradviz.document.disk import Stamp
    from gradviz.document.files.trust import OwnFiles
    from gradviz.session.crash_report import Private
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

        window = type(beside)(beside.settings, self)
        window.painted.connect(partial(then, window))
        put_beside(window, beside)
        return window

    def bring(self, path: Path) -> bool:
        """Bring the window in which this file is open to the front; False if there is none."""

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

        if (home := self._home()) is not None:
            detach(self._window, home.pos() + QPoint(AWAY, AWAY))

    def merge(self) -> None:
        """Make all windows tabs of this one, which stays in front."""

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


# --- Tabs ---

PULLED = 24  # pixels from the row of tabs at which a tab is torn off
NAMED = Slice("path", "document", "saved", "stage")


class _Row(QTabBar):
    """The row of tabs. A tab pulled away from it is dragged like a file."""

    def __init__(self, owner: TabbedWindow) -> None:
        super().__init__(owner)
        self._owner = owner

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        height = event.position().y()
        away = max(self.rect().top() - height, height - self.rect().bottom())
        number = self.currentIndex()
        if event.buttons() & Qt.MouseButton.LeftButton and away > PULLED and number >= 0:
            left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
            place, kind = event.position(), QEvent.Type.MouseButtonRelease
            self.mouseReleaseEvent(QMouseEvent(kind, place, event.globalPosition(), left, none, event.modifiers()))
            self._owner.drag(self._owner.page(number))  # it no longer moves within the row
            return
        super().mouseMoveEvent(event)


class TabbedWindow(QTabWidget):
    """The window around the tabs; it closes with the last one."""

    def __init__(self, first: MainWindow) -> None:
        super().__init__()
        self._leave: dict[MainWindow, Callable[[], None]] = {}  # and what stops listening to each
        self.setTabBar(_Row(self))
        self.setDocumentMode(True)
        self.setTabBarAutoHide(True)
        self.setMovable(True)
        self.setAcceptDrops(True)
        self.tabBar().setAccessibleName("Documents")
        self.tabBar().setElideMode(Qt.TextElideMode.ElideMiddle)
        self.tabBar().setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tabBar().customContextMenuRequested.connect(self._show_menu)
        self.currentChanged.connect(self._turned)
        self.setGeometry(first.geometry())
        self.setWindowState(first.windowState() & ~Qt.WindowState.WindowFullScreen)
        self.add(first)
        self.show()

    @property
    def pages(self) -> list[MainWindow]:
        """The documents, from left to right."""
        return [self.page(number) for number in range(self.count())]

    def page(self, number: int) -> MainWindow:
        """The document of a tab."""
        return cast("MainWindow", self.widget(number))

    def add(self, page: MainWindow) -> None:
        """Add a tab, in front."""
        page.store.set_stage(Stage())
        page.menuBar().setNativeMenuBar(False)  # see Note [Menus of a tab]
        page.setWindowState(Qt.WindowState.WindowNoState)
        had_keyboard = page.focusWidget() or page
        self._leave[page] = page.store.watch(NAMED, partial(self._name, page))
        number = self.addTab(page, "")
        self.tabBar().setTabButton(number, QTabBar.ButtonPosition.RightSide, _close_button(page, self.tabBar()))
        self._name(page, page.store.state, page.store.state)
        self.setCurrentIndex(number)
        had_keyboard.setFocus()
        page.installEventFilter(self)

    def take(self, page: MainWindow) -> None:
        """Remove a page: it has closed, or moves elsewhere."""
        page.removeEventFilter(self)
        self._leave.pop(page)()
        self.removeTab(self.indexOf(page))
        if not self._leave:
            self.close()
            self.deleteLater()

    def turn(self, by: int) -> None:
        """Go to the next or the previous tab, with wrap-around."""
        if not self.page(self.currentIndex()).store.state.stage.on:
            self.setCurrentIndex((self.currentIndex() + by) % self.count())

    def _name(self, page: MainWindow, _: State, after: State) -> None:
        number = self.indexOf(page)
        self.setTabText(number, f"{after.title.replace('&', '&&')}{'*' if after.is_dirty else ''}")
        self.setTabToolTip(number, str(after.path or ""))
        if number == self.currentIndex():
            self._show_title(page)
            self.setTabBarAutoHide(not after.stage.on)
            self.tabBar().setVisible(self.count() > 1 and not after.stage.on)

    def _show_title(self, page: MainWindow) -> None:
        self.setWindowTitle(page.windowTitle())
        self.setWindowModified(page.isWindowModified())

    def _turned(self, number: int) -> None:
        """Another page is in front: restore its focus."""
        if number < 0:
            return
        page = self.page(number)
        self._show_title(page)
        (page.focusWidget() or page).setFocus()
        page.files.look_at_disk()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The page in front sets the title of the window."""
        kinds = (QEvent.Type.WindowTitleChange, QEvent.Type.ModifiedChange)
        if event.type() in kinds and watched is self.currentWidget():
            self._show_title(cast("MainWindow", watched))
        return super().eventFilter(watched, event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close one page after the other; each may ask."""
        event.setAccepted(all(page.close() for page in reversed(self.pages)))

    # dragging

    def drag(self, page: MainWindow) -> None:
        """Drag this tab: onto another window, back to where it was, or to where it should have a window of its own."""
        data = QMimeData()
        data.setData(TAB, str(id(page)).encode())
        carried = QDrag(self)
        carried.setMimeData(data)
        tab = self.tabBar().tabRect(self.indexOf(page)).translated(self.tabBar().pos())
        carried.setPixmap(self.grab(tab))  # of the window, whose background the row of tabs does not have itself
        if carried.exec(Qt.DropAction.CopyAction) == Qt.DropAction.IgnoreAction and self.count() > 1:
            detach(page, self.cursor().pos())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept another window's tab, or files on the row of tabs."""
        self.page(self.currentIndex()).dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.page(self.currentIndex()).dropEvent(event)

    def _show_menu(self, at: QPoint) -> None:
        number = self.tabBar().tabAt(at)
        if number < 0:
            return
        self.setCurrentIndex(number)
        page = self.page(number)
        menu = QMenu(self)
        menu.addActions(page.commands.named(("window.detach", "window.merge", "file.close")))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.tabBar().mapToGlobal(at))


def _close_button(page: MainWindow, parent: QTabBar) -> QToolButton:
    button = QToolButton(parent)  # PySide6 6.8 would leave one without a parent to Python, which deletes it
    button.setObjectName("close")
    button.setText("×")
    button.setToolTip("Close")
    button.setAccessibleName("Close this tab")
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    button.clicked.connect(page.close)
    return button


def around(page: MainWindow) -> TabbedWindow | None:
    """The tabbed window that contains this document, if any."""
    window = page.window()
    return window if isinstance(window, TabbedWindow) else None


def leave(page: MainWindow) -> None:
    """The page has closed; remove its tab."""
    home = around(page)
    if home is not None:
        home.take(page)


def put_beside(page: MainWindow, other: MainWindow) -> None:
    """Make `page` a tab of the window that contains `other`."""
    home, left = around(other) or TabbedWindow(other), around(page)
    if left is home:
        return
    if left is not None:
        left.take(page)
    home.add(page)
    home.raise_()
    home.activateWindow()


def detach(page: MainWindow, at: QPoint) -> None:
    """Give the tab a window of its own, with its upper left corner near `at` and the size of the one it leaves."""
    home = around(page)
    assert home is not None
    room = home.screen().availableGeometry()
    place = QRect(at, home.size())
    home.take(page)
    page.setParent(cast(QWidget, None))
    page.menuBar().setNativeMenuBar(True)
    place.moveLeft(max(min(place.left(), room.right() - place.width()), room.left()))
    place.moveTop(max(min(place.top(), room.bottom() - place.height()), room.top()))
    page.setGeometry(place)
    page.show()
    page.activateWindow()
