"""The canvas widget: a trace and a cursor on a painted surface. One widget, arrays, no object per item. NumPy arrives
with the first trace: see `set_trace`. Read `gestures` next for mouse and keyboard, `surface` for the painting, `scene`
for what is on it."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.moving import Moving
from gradviz.ui.canvas.placing import Placing, Wish
from gradviz.ui.canvas.surface import EMPTY, NO_TENSOR
from gradviz.ui.canvas.unfolding import Unfolding
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.morph import Morph
    from gradviz.ui.canvas.placed import Placed
    from gradviz.ui.canvas.scene import Scene

LAYING = "Laying out a graph of {:,} nodes…"
GIVEN_UP = "The layout was cancelled. View > Unfold All lays the graph out."


class CanvasView(Unfolding):
    """Shows a trace at a cursor."""

    laidOut = Signal(bool)  # a drawing is shown; False: a draft, a better one follows
    laying = Signal(str)  # what is being laid out; "" when that is over
    presented = Signal(object)  # a layout was given up: the Presentation that is shown instead

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Graph")
        self.setObjectName("canvas")
        self.follow = True
        self._cursor = 0
        self._trace: Trace | None = None
        self._wish: Wish | None = None  # what is laid out, or was
        self._final = False  # what is shown is the best drawing of that
        self._latest: tuple[Wish, Placed] | None = None  # the latest best drawing of any
        self.moving = Moving(self)
        self._placing = Placing()
        self._placing.placed.connect(self._on_placed)
        self.destroyed.connect(self._placing.close)  # deleted with its parent
        weakref.finalize(self, self._placing.close)  # or dropped without one

    # -- what is shown

    def set_trace(self, trace: Trace | None) -> None:
        """Show another trace, or the same one after it grew; the layout follows by itself."""
        self._trace = trace
        self._invitation = EMPTY if trace is None else ""
        if trace is None:
            self.moving.finish()
            self._scene = self._wish = self._latest = None
            self._placing.give_up()
            self.laying.emit("")
            self._repaint_all()
        else:
            self._lay_out()

    def _lay_out(self) -> None:
        trace = self._trace
        if trace is None:
            return
        wish = self._wish
        if wish is not None and wish.trace is trace and wish.steps == len(trace):
            if self._final:
                self.laidOut.emit(True)
            return
        self._ask_for(Wish(trace, len(trace), self._drawing))

    def _ask_for(self, wish: Wish) -> None:
        self._final = False
        self._wish = wish
        self.laying.emit(LAYING.format(len(wish.trace.nodes)))
        self._placing.place(wish)

    def _draw_anew(self) -> None:
        self._wish = None
        self._lay_out()

    @property
    def is_laying(self) -> bool:
        """Whether a drawing is on its way."""
        here = self._latest is not None and self._latest[0] is self._wish
        return self._wish is not None and not self._final and not here

    def give_up(self) -> None:
        """Let go of the layout in work. What was seen of this trace before is seen again; if nothing was, it is folded
        and drawn quickly; if that was given up, too, a draft stays."""
        wish, latest = self._wish, self._latest
        if wish is None or not self.is_laying:
            return
        self._placing.give_up()
        self._anchor = None
        self.laying.emit("")
        if latest is not None and latest[0].trace is wish.trace and latest[0].steps == wish.steps:
            self._wish, self._drawing = latest[0], latest[0].drawing
            self.presented.emit(self._drawing)
            self._on_placed(*latest, True)
        elif not wish.quick:
            self._drawing = replace(wish.drawing, folding=wish.drawing.folding.at_level(0))
            self._ask_for(replace(wish, drawing=self._drawing, quick=True))
            self.presented.emit(self._drawing)
        else:
            if self._scene is not None and self._scene.trace is not wish.trace:
                self._scene = None
            self._invitation, self._final = GIVEN_UP, True
            self._repaint_all()
            self.laidOut.emit(True)

    def show_waiting(self, what: str) -> None:
        """Where nothing is drawn yet, say what for."""
        if self._scene is None and self._trace is not None and not self._final:
            self._invitation = what
            self.update()

    @property
    def note(self) -> str:
        """Why the graph is drawn more simply than others, "" if it is not."""
        return self._scene.placed.note if self._scene is not None else ""

    def _on_placed(self, wish: object, placed: object, final: bool) -> None:
        from gradviz.ui.canvas.morph import morph
        from gradviz.ui.canvas.placed import Placed
        from gradviz.ui.canvas.scene import Scene

        assert isinstance(wish, Wish) and isinstance(placed, Placed)
        if wish is not self._wish:
            return
        if final:
            self._latest = wish, placed
            self.laying.emit("")
        self.moving.finish()
        if not len(placed.diagram):
            self._scene, self._invitation = None, NO_TENSOR
            self._repaint_all()
            self._final = final
            self.laidOut.emit(final)
            return
        old, before = self._scene, self._camera
        same = old is not None and old.trace.run is placed.diagram.trace.run
        stays = same and (self._anchor is not None or not self._fitted)
        held = self._held_place() if stays else None
        self._scene = scene = Scene(placed, self._theme)
        scene.move_to(self._cursor)
        if stays:
            self._fitted = False
            self._hold_place(held)
        else:
            self._open()
        if final:
            self._anchor = None
        way = None
        if old is not None and same and self._may_move and before.scale == self._camera.scale:
            way = morph(old.placed, placed, (self._camera.left - before.left, self._camera.top - before.top))
        if old is None or way is None:
            self._show_scene(scene, final)
        else:
            going = scene if way.opens else old
            self.moving.begin(lambda part: self._show_way(going, way, part), lambda: self._arrive(placed, final))

    @property
    def _may_move(self) -> bool:
        """Whether groups open and close in a movement."""
        return self.animated and self.flight.enabled

    def _show_way(self, scene: Scene, way: Morph, part: float) -> None:
        """One picture of groups that open or close."""
        self._scene = scene
        if scene.moment.frame.cursor != self._cursor:
            scene.move_to(self._cursor)
        scene.show_on_the_way(way, part)
        self._repaint_all()

    def _arrive(self, placed: Placed, final: bool) -> None:
        from gradviz.ui.canvas.scene import Scene

        scene = Scene(placed, self._theme)
        scene.move_to(self._cursor)
        self._show_scene(scene, final)

    def _show_scene(self, scene: Scene, final: bool) -> None:
        """A drawing is where it stays."""
        self._scene = scene
        self._mark_again()
        if self._wanted is not None:
            scene.select(*self._wanted)
        self._describe()
        self._repaint_all()
        self._final = final
        self.laidOut.emit(final)

    def set_cursor(self, cursor: int) -> None:
        """Show the state when `cursor` steps are done; repaints only what differs."""
        self._cursor = cursor
        scene = self._scene
        if scene is None or scene.trace is not self._trace:
            return
        if self.motion.begin():
            self.update(scene.dissolve(0.0, self._camera))
        change = scene.move_to(cursor)
        self._describe()
        if change.other_graph and not self._extent_is_seen():
            self._open()
            self._repaint_all()
            return
        if self.follow and self._bring_into_view():
            self._repaint_all()
            return
        if change.many:
            self._repaint_all()
            return
        edges = scene.screen_region(change.edges, self._camera)
        self._dirty += edges & QRegion(self.rect())
        rest = scene.changed_region(change, self._camera, QRectF(self.rect()), self.devicePixelRatioF())
        self.update((edges + rest) & QRegion(self.rect()))

    def set_theme(self, theme: Theme) -> None:
        """Other colours; the theme's scale is the zoom that `zoom_reset` goes to."""
        self._theme = theme
        if self._scene is not None:
            self._scene.set_theme(theme)
            if self._fitted:
                self._open()
        self._repaint_all()

    def shutdown(self) -> None:
        """End the layout and the animation; the widget may still be painted."""
        self.motion.stop()
        self.moving.finish()
        self._placing.close()

    def _describe(self) -> None:
        if self._scene is not None:
            self.setAccessibleDescription(self._scene.description())
