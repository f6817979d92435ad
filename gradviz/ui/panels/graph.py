"""The middle of the window: the canvas with the graph, or an invitation as long as nothing has run. The canvas is
created after the first paint, because it needs NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gradviz.session.folding import Presentation
from gradviz.session.state import MOMENT, Selection, Slice, State
from gradviz.ui.panels.invitation import DrawingStarter, Invitation
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas import CanvasView, TraceView
    from gradviz.ui.panels.canvas_overlays import CanvasOverlays
    from gradviz.ui.panels.comparison_view import ComparisonCanvases
    from gradviz.ui.panels.drawn_canvas import DrawnCanvas
    from gradviz.ui.panels.obstacles import ObstacleList

SHOWN = Slice(
    "document", "doubt", "what_if", "run", "cuda_as_cpu", "traced", "view", "folding", "playing", "layout_progress",
    "selection", "pointed", "picked", "lineage", "chain", "origin", "search", "predict",
    "stage", *MOMENT,  # the room available depends on the stage
)  # fmt: skip


class _Obstacles:
    """The list of everything that keeps a file from running, in place of a graph; created on first use."""

    def __init__(self, context: Context, stack: QStackedWidget) -> None:
        self._context, self._stack, self._theme = context, stack, context.theme
        self._page: ObstacleList | None = None

    @property
    def page(self) -> ObstacleList:
        """The list."""
        if self._page is None:
            from gradviz.ui.panels.obstacles import ObstacleList

            self._page = ObstacleList(self._context)
            self._page.set_theme(self._theme)
            self._stack.addWidget(self._page)
        return self._page

    @property
    def is_shown(self) -> bool:
        """Whether it is visible."""
        return self._page is not None and self._stack.currentWidget() is self._page

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        if self._page is not None:
            self._page.set_theme(theme)

    def show(self, state: State) -> None:
        """List the obstacles of the latest run."""
        self.page.show_state(state)
        self._stack.setCurrentWidget(self.page)


class GraphPanel(Panel):
    """Implements the commands' `Canvas`."""

    shows = SHOWN

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.setAccessibleName("Graph")
        self._view: TraceView | None = None
        self._over: CanvasOverlays | None = None
        self._menu: list[QAction] = []
        self._coming: Selection | None = None  # to be shown once the groups around it are open
        self._settled = True
        self._two: ComparisonCanvases | None = None
        self._drawn: DrawnCanvas | None = None
        self._stack = QStackedWidget()
        self.invitation = Invitation(context)
        self.beginning = DrawingStarter(self.invitation, context.shell, lambda: self.drawn.hands)
        self._stack.addWidget(self.invitation)
        self._obstacles = _Obstacles(context, self._stack)
        self._stack.setMinimumSize(160, 120)  # on a small screen the invitation may be cut off, but never the window
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)

    @property
    def focus_target(self) -> QWidget:
        if self._stack.currentWidget() is self.invitation:
            return self.invitation.buttons[0] if self.invitation.buttons else self.invitation
        if self._obstacles.is_shown:
            return self._obstacles.page.focus_target
        return self._front

    @property
    def view(self) -> TraceView:
        """The canvas, created on first use."""
        if self._view is None:
            from gradviz.ui.canvas import TraceView
            from gradviz.ui.panels.canvas_overlays import CanvasOverlays

            self._view = TraceView(self.theme)
            self._view.laid_out.connect(self._laid_out)
            self._view.graph_layout.laying.connect(self._tell)
            self._view.graph_layout.presented.connect(self.context.shell.store.present)
            self._view.selection.chosen.connect(self._select)
            self._view.selection.cleared.connect(lambda: self.context.shell.store.select(None))
            self._view.collapse.refolded.connect(self.context.shell.store.fold)
            self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
            self._view.addActions(self._menu)
            self._over = CanvasOverlays(self.context, self._view)
            self._over.set_theme(self.theme)  # the theme may have changed since the start
            self._stack.addWidget(self._view)
        return self._view

    @property
    def drawn(self) -> DrawnCanvas:
        """The canvas of drawings, created on first use."""
        if self._drawn is None:
            from gradviz.ui.panels.drawn_canvas import DrawnCanvas

            self._drawn = DrawnCanvas(self.context, self.theme, self._menu)
            self._stack.addWidget(self._drawn.view)
        return self._drawn

    @property
    def shows_drawing(self) -> bool:
        """Whether the canvas of drawings is visible."""
        return self._drawn is not None and self._stack.currentWidget() is self._drawn.view

    def has_drawing_hand(self, widget: QWidget) -> bool:
        """Whether this is the canvas of drawings, where cut, copy and paste apply to nodes."""
        return self._drawn is not None and widget is self._drawn.view

    @property
    def _front(self) -> CanvasView:
        """The canvas that the user is looking at."""
        return self.drawn.view if self.shows_drawing else self.view

    @property
    def over(self) -> CanvasOverlays:
        """The overlays of the canvas."""
        assert self.view is not None and self._over is not None
        return self._over

    def set_menu(self, actions: list[QAction]) -> None:
        """The context menu of the canvas."""
        self._menu = actions

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for part in (self.invitation, self._two, self._obstacles, self._view, self._over, self._drawn):
            if part is not None:
                part.set_theme(theme)

    def show_state(self, before: State, after: State) -> None:
        if after.drawing is not None and after.what_if is None:
            self._let_go()
            self._show_page(self.drawn.view, before, after)
            self.drawn.show_state(before, after)
            self._settled = True
            return
        if self._drawn is not None:
            self._drawn.show_state(before, after)
        if after.lists_obstacles:
            self._let_go()
            self._obstacles.show(after)
            return
        if after.trace is None or not after.steps:
            self.invitation.show_state(after.doubt, running=after.run.is_running)
            self._let_go()
            self._show_page(self.invitation, before, after)
            return
        self._show_page(self.view, before, after)
        self.view.animated = after.view.animated
        self.view.collapse.present(Presentation(after.folding, after.view.vertical, after.view.direct_uses))
        anew = before is after or (before.drawing is not None and before.what_if is None)  # it had its own canvas
        anew = anew or before.lists_obstacles
        if before.trace is not after.trace or before.steps != after.steps or anew:
            self._settled = False
            self.view.set_trace(after.trace, after.cursor)
        if moved(before, after) or anew:
            self.view.set_cursor(after.cursor)
        self.view.surface.motion.set_playing(after.playing)
        if before.layout_progress != after.layout_progress:
            self.view.show_waiting(after.layout_progress)
        if before.selection != after.selection or anew:
            if after.selection is None:
                self.view.selection.clear()
            else:
                self.view.selection.select(after.selection.kind, after.selection.index)
        if before.pointed != after.pointed:
            thing = after.pointed
            self.view.hover.light(thing.kind if thing else "", thing.index if thing else -1)
        self.over.show_state(before, after)

    def _show_page(self, page: QWidget, before: State, after: State) -> None:
        """Show the invitation, the canvas, or the canvas beside that of another run."""
        if after.what_if is None:
            if self._two is not None and self._stack.indexOf(self.view) < 0:  # it is beside the other one
                self._two.end()
                self._stack.addWidget(self.view)
            self._stack.setCurrentWidget(page)
            return
        if self._two is None:
            from gradviz.ui.panels.comparison_view import ComparisonCanvases

            self._two = ComparisonCanvases(self.context, self.view, self.theme)
            self._stack.addWidget(self._two.view)
        self._stack.setCurrentWidget(self._two.view)
        self._two.show_state(before, after)

    @property
    def is_settled(self) -> bool:
        """Whether no better layout is on its way."""
        return self._settled and (self._two is None or self._two.is_settled)

    @property
    def two(self) -> ComparisonCanvases | None:
        """The canvas and that of another run, once there has been one."""
        return self._two

    @property
    def _views(self) -> list[CanvasView]:
        """The visible canvases."""
        if self.shows_drawing:
            return [self.drawn.view]
        return [self.view] if self._two is None else [self.view, self._two.other]

    def _laid_out(self, final: bool) -> None:
        self._settled = final
        if self._coming is not None:
            self.view.viewport.show_thing(self._coming.kind, self._coming.index)
            self._coming = None if final else self._coming
        store = self.context.shell.store
        if final and self.view.note and not store.state.is_busy:
            store.say(self.view.note)

    def _tell(self, what: str) -> None:
        """A layout begins or ends."""
        self._settled = self._settled and not what
        self.context.shell.layout_progress.update(self.view.graph_layout, what)

    def _let_go(self) -> None:
        """The canvas is hidden for now."""
        if self._view is not None and self._view.graph_layout.is_laying:
            self._view.set_trace(None)
            self._settled = True

    def close_canvas(self) -> None:
        """End everything that the canvas is still doing."""
        for part in (self._view, self._two, self._drawn.view if self._drawn is not None else None):
            if part is not None:
                part.shutdown()

    def _select(self, kind: str, index: int) -> None:
        if self.view.is_current:
            self.context.shell.store.select(Selection(kind, index))

    # for the commands

    def fit(self) -> None:
        """Show the whole graph."""
        for view in self._views:
            view.viewport.fit()

    def zoom_in(self) -> None:
        """Zoom in."""
        for view in self._views:
            view.viewport.zoom_in()

    def zoom_out(self) -> None:
        """Zoom out."""
        for view in self._views:
            view.viewport.zoom_out()

    def zoom_reset(self) -> None:
        """Zoom to the normal text size."""
        for view in self._views:
            view.viewport.zoom_reset()

    def pan(self, dx: float, dy: float) -> None:
        """Move the view."""
        self._front.viewport.pan(dx, dy)

    def toggle_group(self) -> None:
        """Open or close the group that is selected or contains the selection."""
        if self.shows_drawing:
            self.drawn.toggle_group()
        else:
            self.view.collapse.toggle_selected()

    def fit_selection(self) -> None:
        """Show the selection at a legible size."""
        self._front.viewport.fit_selection()

    def show_details(self) -> None:
        """Show the card of the selection."""
        self._front.hover.show_details()

    def show_thing(self, thing: Selection) -> None:
        """Bring a tensor or operation to the middle at a legible size; groups around it open."""
        if self._front.collapse.reveal(thing.kind, thing.index):
            self._coming = thing
        else:
            self._front.viewport.show_thing(thing.kind, thing.index)

    def look_for(self) -> None:
        """Focus the search bar."""
        (self.drawn.over if self.shows_drawing else self.over).bar.take_keyboard()
