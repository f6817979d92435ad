"""The canvas of a trace: it lays the trace out, shows the layout, and keeps in place what the user looks at when groups
open and close. NumPy arrives with the first trace. `view` has the parts that it shares with the canvas of a drawing."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.graph_layout import GraphLayout
from gradviz.ui.canvas.surface import EMPTY
from gradviz.ui.canvas.view import CanvasView
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.morph import Morph
    from gradviz.ui.canvas.placed import Placed
    from gradviz.ui.canvas.scene import Scene

NO_TENSOR = "No tensors yet, so there is no graph"
GIVEN_UP = "The layout was cancelled. View > Unfold All lays the graph out."


class TraceView(CanvasView):
    """Shows a trace at a cursor."""

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Graph")
        self.setObjectName("canvas")
        self.graph_layout = GraphLayout(self, self.collapse)
        self.graph_layout.placed.connect(self._show_placed)
        self.graph_layout.abandoned.connect(self._show_abandoned)
        self.graph_layout.laid_out.connect(self.laid_out)
        self.collapse.changed.connect(self._lay_out_anew)
        self.destroyed.connect(self.graph_layout.background.close)  # deleted with its parent
        weakref.finalize(self, self.graph_layout.background.close)  # or dropped without one

    # -- what is shown

    def set_trace(self, trace: Trace | None) -> None:
        """Show another trace, or the same one after it grew; the layout follows by itself."""
        self.trace = trace
        self.surface.invitation = EMPTY if trace is None else ""
        if trace is None:
            self.transition.finish()
            self.surface.scene = None
            self.graph_layout.clear()
            self.surface.repaint_all()
        else:
            self.graph_layout.begin(trace)

    def _lay_out_anew(self) -> None:
        if self.trace is not None:
            self.graph_layout.begin(self.trace, anew=True)

    def show_waiting(self, what: str) -> None:
        """Where nothing is drawn yet, say what for."""
        if self.scene is None and self.trace is not None and not self.graph_layout.is_final:
            self.surface.invitation = what
            self.update()

    @property
    def note(self) -> str:
        """Why the graph is drawn more simply than others, "" if it is not."""
        return self.scene.placed.note if self.scene is not None else ""

    def shutdown(self) -> None:
        super().shutdown()
        self.graph_layout.background.close()

    # -- a layout comes

    def _show_placed(self, placed: Placed, final: bool) -> None:
        from gradviz.ui.canvas.morph import morph

        self.transition.finish()
        if not len(placed.diagram):
            self._show_nothing(NO_TENSOR, final)
            return
        old, before, surface = self.scene, self.camera, self.surface
        same = old is not None and old.trace.run is placed.diagram.trace.run
        stays = same and (self.collapse.anchor is not None or not self.viewport.is_fitted)
        held = self.collapse.held_place() if stays else None
        surface.scene = scene = self._scene_of(placed)
        if stays:
            self.viewport.is_fitted = False
            self.collapse.hold_place(held)
        else:
            self.viewport.open()
        if final:
            self.collapse.anchor = None
        way = None
        if old is not None and same and self.has_transitions and before.scale == self.camera.scale:
            way = morph(old.placed, placed, (self.camera.left - before.left, self.camera.top - before.top))
        if old is None or way is None:
            self._show_scene(scene, final)
        else:
            going = scene if way.opens else old
            self.transition.begin(
                lambda part: self._show_way(going, way, part), lambda: self._show_scene(self._scene_of(placed), final)
            )

    def _scene_of(self, placed: Placed) -> Scene:
        from gradviz.ui.canvas.scene import Scene

        scene = Scene(placed, self.surface.theme)
        scene.move_to(self._cursor)
        return scene

    def _show_way(self, scene: Scene, way: Morph, part: float) -> None:
        """One picture of groups that open or close."""
        self.surface.scene = scene
        if scene.moment.frame.cursor != self._cursor:
            scene.move_to(self._cursor)
        scene.show_on_the_way(way, part)
        self.surface.repaint_all()

    def _show_scene(self, scene: Scene, final: bool) -> None:
        """The graph is where it stays."""
        self.surface.scene = scene
        self.selection.restore(scene)
        self.viewport.changed.emit()
        self.surface.describe()
        self.surface.repaint_all()
        self.graph_layout.show(final)

    def _show_nothing(self, why: str, final: bool) -> None:
        self.surface.scene, self.surface.invitation = None, why
        self.surface.repaint_all()
        self.graph_layout.show(final)

    def _show_abandoned(self) -> None:
        """The user does not want to wait: a draft stays, if there is one."""
        scene = self.scene
        if scene is not None and scene.trace is not self.trace:
            self.surface.scene = None
        self.surface.invitation = GIVEN_UP
        self.surface.repaint_all()
        self.graph_layout.show(True)
