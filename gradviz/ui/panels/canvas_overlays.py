"""What lies over the canvas and what stands out on it: mini-map, search bar, hits of the search, a lineage. It gives
the canvas what `session.search` and `session.lineage` find in a state; the canvas itself knows of no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.commands.search import show_path
from gradviz.session.state import Lineage, Selection, State
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.drawing.scene_builder import same_structure
from gradviz.ui.panels.panel import Context, moved
from gradviz.ui.panels.search_bar import SearchBar
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.inspect.lineage import Family
    from gradviz.ui.canvas import CanvasView


class CanvasOverlays:
    """The companions of one canvas."""

    def __init__(self, context: Context, view: CanvasView) -> None:
        self._context = context
        self._view = view
        self.minimap = Minimap(view, context.theme)
        self.bar = SearchBar(context, view)
        view.input.opened.connect(self._opened)
        view.input.other_end.connect(self._other_end)
        view.viewport.changed.connect(self.bar.place)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours and sizes."""
        self.minimap.set_theme(theme)
        self.bar.set_theme(theme)

    def show_state(self, before: State, after: State) -> None:
        """Bring everything up to date."""
        other = moved(before, after)
        self._view.viewport.flight.wanted = self._view.surface.motion.wanted = after.view.animated
        if other or before.lineage != after.lineage or before.chain is not after.chain:
            self._show_lineage(before, after)
        if other or before.search != after.search:
            self._show_hits(before, after)
        self.bar.show_state(before, after)
        self.minimap.wanted = after.view.minimap
        if other or before.view is not after.view:
            self.minimap.refresh()
            self._view.hover.refresh_card()

    def _show_lineage(self, before: State, after: State) -> None:
        same = before.trace is after.trace and before.steps == after.steps and before.chain is after.chain
        if after.trace is None or (same and before.lineage == after.lineage and before is not after):
            return
        found = _standing_out(after)
        if found is not None or _standing_out(before) is not None or before.trace is not after.trace:
            self._view.selection.show_family(found)

    def _show_hits(self, before: State, after: State) -> None:
        if not after.search.open:
            if before.search.open or before.trace is not after.trace:
                self._view.selection.show_hits(None)
            return
        from gradviz.session.inspect.search import hits_of

        self._view.selection.show_hits(hits_of(after))

    def _opened(self, kind: str, index: int) -> None:
        self._context.shell.store.select(Selection(kind, index))
        self._context.do("view.source")

    def _other_end(self, kind: str, index: int) -> None:
        begun = self._context.shell.store.state.selection
        if begun is not None and "group" not in (begun.kind, kind):
            show_path(self._context.shell, Lineage("path", begun, Selection(kind, index)))


def _standing_out(state: State) -> Family | None:
    """What a lineage takes in, or else the path that was chosen of a gradient."""
    from gradviz.session.inspect.lineage import along, family

    chain = state.chain
    if state.trace is None:
        return None
    if state.lineage is not None:
        return family(state.trace, state.lineage)
    if chain is None or chain.paths is None or chain.at < 0:
        return None
    if chain.trace is not state.trace and not same_structure(chain.trace, state.trace):
        return None  # a moment later the paths of this run are known
    return along(state.trace, chain.paths.found[chain.at], chain.tensor)
