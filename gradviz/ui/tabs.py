"""Several documents in one window: each tab is a whole `MainWindow`, which is a window of its own while it is alone.
The window here is created for the second document. Tabs can be dragged out of their window and into another.

Note [Menus of a tab] Each document keeps its own menus on its page: their actions and enabled states belong to it, and
Qt ignores the shortcuts of pages that are not in front. On macOS, where all windows share one menu bar, they also move
onto the page as soon as there are tabs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QCloseEvent, QDrag, QDragEnterEvent, QDropEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QTabBar, QTabWidget, QToolButton, QWidget

from gradviz.session.presenting import Stage
from gradviz.session.state import Slice
from gradviz.ui.windows import TAB

if TYPE_CHECKING:
    from gradviz.session.state import State
    from gradviz.ui.window import MainWindow

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
