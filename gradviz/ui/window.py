"""The main window, assembled from parts: commands from `commands.table`, panels from `commands.panels`, state from the
store. What a part does is in that part's module; what the commands act on is in `shell`. Before the first paint only
what is visible then is created: the toolbar, the cards and the snippet; the rest follows in slices (Note [After the
first paint])."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow

from gradviz.classroom import classroom
from gradviz.commands.table import without
from gradviz.session.presenting import Stage
from gradviz.session.state import Slice, State
from gradviz.session.store import Store
from gradviz.ui import look
from gradviz.ui.actions import Actions, Tools
from gradviz.ui.panel_area import Later, PanelArea, in_front, is_moving
from gradviz.ui.panels.editor import EditorPanel
from gradviz.ui.panels.panel import Context
from gradviz.ui.services.files import Around, FileDialogs, WindowFiles
from gradviz.ui.services.settings import Settings
from gradviz.ui.shell import WindowShell
from gradviz.ui.status import StatusLine
from gradviz.ui.theme import THEMES, Theme
from gradviz.ui.windows import TAB, FromHere, Windows

if TYPE_CHECKING:
    from gradviz.ui.backward_bar import BackwardBar
    from gradviz.ui.panels.graph import GraphPanel
    from gradviz.ui.presenting import Presenter

CONTEXT_MENU = (
    *("edit.undo", "edit.redo", "edit.cut", "edit.copy", "edit.paste", "edit.select_all"),
    *("run.run", "view.on_graph"),
)
CANVAS_MENU = (
    *("view.why", "view.element", "view.source", "view.details", "view.ancestors", "view.descendants", "view.path"),
    *("view.zoom_selection", "view.fit", "edit.find", "edit.copy_picture"),
)
TITLE = Slice("path", "document", "saved")
CONTENTS = Slice("document", "trace", "live", "what_if", "doctor")  # what decides which panels have content, and room


class MainWindow(QMainWindow):
    """One session on screen. `painted` is emitted once, when everything is there after the first paint."""

    painted = Signal()

    def __init__(self, settings: Settings | None = None, windows: Windows | None = None) -> None:
        super().__init__()
        self._first_paint = True
        self._backward: BackwardBar | None = None
        self._around = Later(self, self._show_around)
        self.settings = settings or Settings(classroom=classroom())
        self.store = Store(State(view=self.settings.view()))
        self.windows = windows or Windows()
        self.theme = self._chosen_theme()
        app = cast(QApplication, QApplication.instance())
        look.load_fonts()
        self.setAcceptDrops(True)
        self.files = WindowFiles(
            self.store,
            FileDialogs(self),
            self.windows,
            Around(
                open_tab=lambda then: self.windows.open_tab(self, lambda window: then(window.files)),
                bring=self.windows.bring,
                run=lambda: self.shell.runner.run(),
                show=lambda panel: self.shell.focus(panel),
                recordings=lambda: self.shell.recordings,
                lesson_sets=lambda: self.shell.lesson_sets,
            ),
        )
        self.shell = WindowShell(
            self,
            self.store,
            self.files,
            theme=lambda: self.theme,
            panel_area=lambda: self.panel_area,
            windows=FromHere(self, self.windows),
            choose=lambda name, value: self.commands.choose(name, value),
            settings=self.settings,
        )
        self.commands = Actions(self.shell, without(self.settings.classroom.off))
        self.panel_area = PanelArea(Context(self.shell, self.commands.do, self.theme), self.settings.layout)
        self.status = StatusLine(self.theme, self.commands.do)
        self._rest = self._make_rest()
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._make_next)
        self._assemble()
        self._unsubscribe = self.store.subscribe(self._show)
        self._show(self.store.state, self.store.state)
        self.windows.add(self)
        look.apply(app, self.theme)
        self.editor.code.setFocus()

    def _assemble(self) -> None:
        self.tools = Tools()
        self.addToolBar(self.tools)
        self.commands.fill_tools(self.menuBar(), self.tools)
        self.setCentralWidget(self.panel_area.root)
        self.setStatusBar(self.status)
        self.panel_area.root.without_room.connect(self.status.show_folded)
        self.resize(1280, 800)
        self.restoreGeometry(self.settings.layout("window"))
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._apply_theme)

    def _make_rest(self) -> Iterator[None]:
        """Note [After the first paint]: the worker starts first, in its own process; then come the panels in the order
        of their rows, and the menus, each in a turn of its own so that keys and paints come in between. A panel behind
        another one is created when it first comes to the front."""
        self.shell.runner.is_drawn = lambda: self.canvas.is_settled
        self.shell.runner.warm()
        yield
        for name in in_front(self.panel_area.cards):
            self.panel_area.panel(name)
            yield
        self.commands.fill_menus()
        self.commands.refresh(self.store.state)
        yield
        self.editor.code.reserve(self.commands.reserved_keys())
        self.editor.code.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.editor.code.addActions(self.commands.named(CONTEXT_MENU))
        self.canvas.set_menu(self.commands.named(CANVAS_MENU))

    def _make_next(self) -> None:
        if next(self._rest, self) is self:
            self._slices.stop()
            self.shell.runner.load()
            self.painted.emit()

    def complete(self) -> None:
        """Create whatever is still missing at once."""
        self._slices.stop()
        for _ in self._rest:
            pass

    @property
    def canvas(self) -> GraphPanel:
        """The graph panel."""
        return self.shell.canvas

    @property
    def editor(self) -> EditorPanel:
        """The snippet panel."""
        return self.shell.source

    def _show(self, before: State, after: State) -> None:
        if after.drawing is not None or before.drawing is not None:
            self.shell.live.show_state(before, after)
        try:
            self.panel_area.show_state(before, after)
        finally:
            self._around.show(before, after, later=is_moving(self.store, before, after))

    def _show_around(self, before: State, after: State) -> None:
        """Update everything except the panels."""
        self.panel_area.cards["under"].setVisible(after.steps > 0 and after.what_if is None)
        if (before.what_if is None) is not (after.what_if is None):
            self.panel_area.bring(_page_for(after))
        if CONTENTS.differs(before, after):
            self.panel_area.arrange()
        self.panel_area.show_plots(after)
        self.commands.refresh(after)
        if self.status.shows.differs(before, after):
            self.status.show_state(before, after)
        if self.shell.shows.differs(before, after):
            self.shell.show_state(before, after)
        if after.drawing is not None or before.drawing is not None:
            self.backward.show_state(before, after)
            self.tools.show_bar(after.drawing is not None)
        if before.stage != after.stage:
            self.presenter.show_stage(before.stage, after.stage)
        if before.view is not after.view:
            self.settings.remember_view(after.view)
            self._apply_theme()
        if TITLE.differs(before, after):
            self.setWindowTitle(f"{after.title.replace('[*]', '[*][*]')}[*] – GradViz")
            self.setWindowModified(after.is_dirty)

    def _chosen_theme(self) -> Theme:
        view = self.store.state.view
        name = view.theme
        if name == "system":
            name = "dark" if QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark else "light"
        return THEMES[name].scaled(view.text_scale)

    def _apply_theme(self) -> None:
        theme = self._chosen_theme()
        if theme == self.theme:
            return
        self.theme = theme
        look.apply(cast(QApplication, QApplication.instance()), theme)
        self.panel_area.set_theme(theme)
        self.panel_area.arrange()
        self.status.set_theme(theme)
        if self._backward is not None:
            self._backward.set_theme(theme)

    @property
    def backward(self) -> BackwardBar:
        """The backward call in the toolbar, created for the first drawing."""
        if self._backward is None:
            from gradviz.ui.backward_bar import BackwardBar

            self._backward = BackwardBar(self.store, self.theme)
            self.tools.put(self._backward)
        return self._backward

    @cached_property
    def presenter(self) -> Presenter:
        """Turns the window into a stage; created for the first presentation."""
        from gradviz.ui.presenting import Presenter

        return Presenter(self)

    # Qt's own events

    def event(self, event: QEvent) -> bool:
        """Hints of hovered items must not replace a notice. On activation, check whether another program has changed
        the file."""
        if event.type() == QEvent.Type.StatusTip and self.status.has_notice:
            return True
        if event.type() == QEvent.Type.WindowActivate:
            QTimer.singleShot(0, self, self.files.look_at_disk)
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Restore the panels' sizes, or choose sizes for this window."""
        super().showEvent(event)
        if self._first_paint:
            self.panel_area.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.store.state.stage.on:
            self.presenter.cover()

    def paintEvent(self, event: QPaintEvent) -> None:
        """After the first paint, create the rest."""
        super().paintEvent(event)
        if self._first_paint:
            self._first_paint = False
            QTimer.singleShot(0, self._after_first_paint)

    def _after_first_paint(self) -> None:
        self._slices.start()

    def offer_recovery(self) -> None:
        """Restore the work of a window that did not close normally; if something has been typed here already, in
        another window."""
        left = self.shell.recovery.left_behind
        if left is not None and self.store.state.is_dirty:
            self.shell.recovery.step_aside()
        elif left is not None:
            self.files.recover(left)
            self.shell.recovery.answered()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files, and tabs of other windows."""
        if event.mimeData().hasFormat(TAB) or any(url.isLocalFile() for url in event.mimeData().urls()):
            _copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open or attach the files; a tab joins this window."""
        if event.mimeData().hasFormat(TAB):
            event.setAccepted(self.windows.join(bytes(event.mimeData().data(TAB).data()).decode(), self))
            return
        _copy(event)
        urls = event.mimeData().urls()
        self.shell.attachments.drop_paths([Path(url.toLocalFile()) for url in urls if url.isLocalFile()])

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved changes, remember the layout, end the workers."""
        if self not in self.windows.open_now:  # it has closed before
            event.accept()
            return
        self.complete()
        if not self.files.may_leave():
            event.ignore()
            return
        self.store.set_stage(Stage())
        self.settings.remember_layout("window", self.window().saveGeometry())
        for name, sizes in self.panel_area.dragged.items():
            self.settings.remember_layout(name, sizes)
        self.store.play(False)
        self._unsubscribe()
        QGuiApplication.styleHints().colorSchemeChanged.disconnect(self._apply_theme)
        self.panel_area.end()
        self.shell.close()
        self.windows.remove(self)
        event.accept()


def _page_for(state: State) -> str:
    """The page at the bottom that tells of one run or of two, or of many ranks which to look at."""
    if state.many_ranks:
        return "ranks"
    return "timeline" if state.what_if is None else "differences"


def _copy(event: QDropEvent) -> None:
    """Take what is dropped as a copy: after a move, the source might delete the file."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
