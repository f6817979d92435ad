"""The canvas of a trace: it has the trace laid out, shows the layout, and keeps in place what the user is looking at
when groups open and close. NumPy is imported with the first trace. `view` has the parts that it shares with the canvas
of a drawing.

Layouts are made off the window's thread: a trace and its presentation go in, a `Placed` comes back by signal. The
newest request wins, and the one in progress is given up. A thread lives only as long as there is work."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gradviz.lists import quantity
from gradviz.session.folding import Presentation
from gradviz.ui.canvas.input import Collapse
from gradviz.ui.canvas.surface import EMPTY
from gradviz.ui.canvas.view import CanvasView
from gradviz.ui.memory_management import trim_memory
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.layout.flat import Layouter
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.groups import Flags
    from gradviz.ui.canvas.placed import Morph, Placed
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.canvas.sizes import Ruler
    from gradviz.ui.canvas.structure import Structure


# -- the layout: requests, progress, and giving up when it takes too long

TURN = 0.001  # seconds that the thread may hold the interpreter while the window's thread waits for it
IDLE = 1500  # milliseconds after a layout until memory is released: the draft and the previous trace are gone by then
LAYING = "Laying out a graph of {}…"
CANCELLED = (
    "The layout was cancelled: the graph is collapsed and drawn with a simple layout. "
    "View > Expand All lays out all of it."
)
QUICK = 300  # items that are laid out well before a draft would be of use


@dataclass(frozen=True, eq=False)
class Request:
    """What to draw: the graphs around a cursor of a trace up to `steps`, in this presentation; `quick` requests are
    drawn like drafts."""

    trace: Trace
    steps: int
    cursor: int
    presentation: Presentation
    quick: bool = False


class BackgroundLayout(QObject):
    """Emits `placed(request, placed, final)` for each request: first a draft if the drawing may take a while."""

    placed = Signal(object, object, bool)
    _left = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._request: Request | None = None  # the latest, until it is given up
        self._waiting: Request | None = None  # the same, until work on it begins
        self._thread: threading.Thread | None = None
        self._layouter: Layouter | None = None
        self._known: tuple[Trace, int, Structure] | None = None
        self._opened: tuple[tuple[Structure, Presentation], Flags] | None = None
        self._closed = False
        self.idle = QTimer(self, singleShot=True, interval=IDLE)
        self.idle.timeout.connect(trim_memory)
        self.placed.connect(self._rest)
        self._left.connect(self._forget)

    def place(self, request: Request) -> None:
        """Draw this, replacing any work in progress."""
        from gradviz.ui import look

        look.load_fonts()  # here: the thread only measures with them
        with self._lock:
            if self._closed:
                return
            self._request = self._waiting = request
            if not self.is_busy:
                sys.setswitchinterval(TURN)
                self._thread = threading.Thread(target=self._work, name="layout", daemon=True)
                self._thread.start()
            elif self._layouter is not None:
                self._layouter.cancel()

    def give_up(self) -> None:
        """Give up the work in progress; it will emit nothing more."""
        with self._lock:
            self._request = self._waiting = None
            if self._layouter is not None:
                self._layouter.cancel()

    @property
    def is_busy(self) -> bool:
        """Whether work is in progress."""
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        from gradviz.layout.flat import Cancelled, Layouter

        importlib.import_module("gradviz.ui.canvas.scene")  # here, so that the window need not wait for it
        while True:
            with self._lock:
                request, self._waiting = self._waiting, None
                if request is None or self._closed:
                    self._thread = None
                    return
                layouter = self._layouter = self._layouter or Layouter()
                layouter.begin()
            with contextlib.suppress(Cancelled):
                self._draw(layouter, request)
            self._left.emit(request)

    def _forget(self, request: Request) -> None:
        """The thread is done with it. Its derived data would keep alive a trace that its viewer has already released;
        this happens here, because no other thread may take that from the window's."""
        newest = self._request
        if newest is None or newest.trace is not request.trace:
            request.trace.let_go()

    def _draw(self, layouter: Layouter, request: Request) -> None:
        from gradviz.ui.canvas.diagram import diagram_of
        from gradviz.ui.canvas.diagram_layout import graphs_of, lay_out
        from gradviz.ui.canvas.sizes import Ruler

        ruler = Ruler()
        structure = self._structure(request)
        opened = self._at_first(structure, ruler, layouter, request.presentation)
        diagram = diagram_of(structure, ruler, request.presentation, opened)
        graphs = graphs_of(diagram, ruler)
        if graphs.boxes > QUICK and not request.quick:
            self._send(request, lay_out(diagram, ruler, layouter, draft=True, graphs=graphs), False)
        placed = lay_out(diagram, ruler, layouter, draft=request.quick, graphs=graphs)
        self._send(request, replace(placed, note=CANCELLED) if request.quick else placed, True)

    def _structure(self, request: Request) -> Structure:
        """The structure of the excerpt around the cursor, computed once for all foldings."""
        from gradviz.ui.canvas.structure import excerpt_around, find_structure

        known, asked = self._known, (request.trace, request.steps)
        if known is None or known[:2] != asked or not known[2].excerpt.covers(request.cursor):
            found = find_structure(request.trace, excerpt_around(request.trace, request.cursor))
            known = self._known = *asked, found
        return known[2]

    def _at_first(
        self, structure: Structure, ruler: Ruler, layouter: Layouter, presentation: Presentation
    ) -> Flags | None:
        """The groups that are open where the user has not decided: the same whatever is opened later."""
        from gradviz.ui.canvas.diagram_layout import initially_open

        if presentation.folding.level is not None:
            return None
        key = structure, replace(presentation, folding=presentation.folding.at_level(None))
        if self._opened is None or self._opened[0] != key:
            self._opened = key, initially_open(structure, ruler, layouter, presentation)
        return self._opened[1]

    def _send(self, request: Request, placed: Placed, final: bool) -> None:
        from gradviz.ui.canvas.diagram_layout import prepare

        prepare(placed)
        with self._lock:
            newest = self._request is request and not self._closed
        if newest:
            self.placed.emit(request, placed, final)

    def _rest(self, _request: Request, _placed: Placed, final: bool) -> None:
        if final and not self._closed:
            self.idle.start()

    def close(self) -> None:
        """Give up the work in progress and end the thread."""
        with self._lock:
            self._closed = True
            layouter, thread = self._layouter, self._thread
        if layouter is not None:
            layouter.cancel()
        if thread is not None:
            thread.join()


class GraphLayout(QObject):
    """The layout that a canvas shows or waits for."""

    laying = Signal(str)  # what is being laid out; "" once that is over
    placed = Signal(object, bool)  # a Placed to show; False: a draft, a better one follows
    presented = Signal(object)  # a layout was given up: the Presentation that is shown instead
    abandoned = Signal()  # a layout was given up, and there is only what is shown already
    laid_out = Signal(bool)  # a layout is on screen; False: a draft

    def __init__(self, parent: QObject, collapse: Collapse) -> None:
        super().__init__(parent)
        self._collapse = collapse
        self._request: Request | None = None  # what is or was being laid out
        self._latest: tuple[Request, Placed] | None = None  # the latest final layout of any request
        self.is_final = False  # the final layout of the request is on screen
        self.background = BackgroundLayout()
        self.background.placed.connect(self._take)

    @property
    def is_laying(self) -> bool:
        """Whether a layout is on its way."""
        here = self._latest is not None and self._latest[0] is self._request
        return self._request is not None and not self.is_final and not here

    def begin(self, trace: Trace, cursor: int, *, anew: bool = False) -> None:
        """Lay out a trace in its current presentation, unless that is done or in progress."""
        request = None if anew else self._request
        if request is None or request.trace is not trace or request.steps != len(trace):
            self._ask_for(Request(trace, len(trace), cursor, self._collapse.presentation))
        elif self.is_final:
            self.laid_out.emit(True)

    def turn_to(self, cursor: int) -> None:
        """Lay out what is shown at another cursor, if that is not what is there or what comes next."""
        if self._request is not None and not self.is_laying:
            self._ask_for(replace(self._request, cursor=cursor))

    def clear(self) -> None:
        """There is nothing to lay out."""
        self._request = self._latest = None
        self.background.give_up()
        self.laying.emit("")

    def give_up(self) -> None:
        """Give up the layout in progress. The previous layout of this trace is shown again; without one, the trace is
        collapsed and drawn quickly; if that was given up as well, the draft stays."""
        request, latest = self._request, self._latest
        if request is None or not self.is_laying:
            return
        self.background.give_up()
        self._collapse.anchor = None
        self.laying.emit("")
        if latest is not None and self._is_at(*latest, request):
            self._request = latest[0]
            self._present(latest[0].presentation)
            self._take(*latest, True)
        elif not request.quick:
            folded = replace(request.presentation, folding=request.presentation.folding.at_level(0))
            self._collapse.presentation = folded
            self._ask_for(replace(request, presentation=folded, quick=True))
            self._present(folded)
        else:
            self.abandoned.emit()

    @staticmethod
    def _is_at(shown: Request, placed: Placed, asked: Request) -> bool:
        """Whether a layout shows what is asked for, in whatever presentation."""
        same = shown.trace is asked.trace and shown.steps == asked.steps
        return same and placed.diagram.structure.excerpt.covers(asked.cursor)

    def _present(self, presentation: Presentation) -> None:
        self._collapse.presentation = presentation
        self.presented.emit(presentation)

    def _ask_for(self, request: Request) -> None:
        self.is_final = False
        self._request = request
        self.laying.emit(LAYING.format(quantity(len(request.trace.nodes), "node")))
        self.background.place(request)

    def _take(self, request: Request, placed: Placed, final: bool) -> None:
        if request is not self._request:
            return
        if final:
            self._latest = request, placed
            self.laying.emit("")
        self.placed.emit(placed, final)

    def show(self, final: bool) -> None:
        """The layout is on screen."""
        self.is_final = final
        self.laid_out.emit(final)


NO_TENSOR = "No tensors yet, so there is no graph"
GIVEN_UP = "The layout was cancelled. View > Expand All lays the graph out."


class TraceView(CanvasView):
    """Shows a trace at a cursor."""

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Graph")
        self.setObjectName("canvas")
        self._painted: Scene | None = None  # the latest that reached its final place
        self.graph_layout = GraphLayout(self, self.collapse)
        self.graph_layout.placed.connect(self._show_placed)
        self.graph_layout.abandoned.connect(self._show_abandoned)
        self.graph_layout.laid_out.connect(self.laid_out)
        self.collapse.changed.connect(self._lay_out_anew)
        self.destroyed.connect(self.graph_layout.background.close)  # deleted with its parent
        weakref.finalize(self, self.graph_layout.background.close)  # or dropped without one

    # -- what is shown

    @property
    def is_current(self) -> bool:
        """Whether the drawing belongs to this run; until its graph is laid out, it is that of the previous run."""
        return self.scene is not None and self.trace is not None and self.scene.trace.run is self.trace.run

    def set_trace(self, trace: Trace | None, cursor: int | None = None) -> None:
        """Show another trace, or the same one after it has grown, at another cursor if one is given; the layout follows
        by itself."""
        self.trace = trace
        self._cursor = self._cursor if cursor is None else cursor
        self.surface.invitation = EMPTY if trace is None else ""
        if trace is None:
            self.transition.finish()
            self._paint(None)
            self.graph_layout.clear()
            self.surface.repaint_all()
        else:
            self.graph_layout.begin(trace, self._cursor)

    def set_cursor(self, cursor: int) -> None:
        """Show the state after `cursor` steps; if other graphs are shown there, once they are laid out."""
        scene = self.scene
        if scene is None or scene.trace is not self.trace or _covers(scene.placed, cursor):
            super().set_cursor(cursor)
        else:
            self._cursor = cursor
            self.graph_layout.turn_to(cursor)

    def _lay_out_anew(self) -> None:
        if self.trace is not None:
            self.graph_layout.begin(self.trace, self._cursor, anew=True)

    def show_waiting(self, what: str) -> None:
        """What an empty canvas is waiting for."""
        if self.scene is None and self.trace is not None and not self.graph_layout.is_final:
            self.surface.invitation = what
            self.update()

    @property
    def note(self) -> str:
        """Why the drawing of the graph was simplified; "" if it was not."""
        return self.scene.placed.note if self.scene is not None else ""

    def shutdown(self) -> None:
        super().shutdown()
        self.graph_layout.background.close()
        self.graph_layout.background.idle.stop()

    # -- a layout arrives

    def _show_placed(self, placed: Placed, final: bool) -> None:
        from gradviz.ui.canvas.placed import morph

        self.transition.finish()
        old, before, surface = self.scene, self.camera, self.surface
        turns = old is not None and _is_turned(old.placed, placed)
        if not _covers(placed, self._cursor):  # it has left the excerpt in the meantime
            if final and turns and old is not None and _covers(old.placed, self._cursor):
                self.graph_layout.show(True)
            elif final:
                self.graph_layout.turn_to(self._cursor)
            return
        if turns:
            self._turn(placed, final)
            return
        if not len(placed.diagram):
            self._show_nothing(NO_TENSOR, final)
            return
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

    def _turn(self, placed: Placed, final: bool) -> None:
        """Show other graphs of the same run as if they had been there all the time."""
        self.surface.scene = scene = self._scene_of(placed)
        if self.viewport.is_astray:
            self.viewport.open()
        elif self.follow:
            self.viewport.follow_step()
        self._show_scene(scene, final)

    def _scene_of(self, placed: Placed) -> Scene:
        from gradviz.ui.canvas.scene import Scene

        scene = Scene(placed, self.surface.theme)
        scene.move_to(self._cursor)
        return scene

    def _show_way(self, scene: Scene, way: Morph, part: float) -> None:
        """One picture of groups opening or closing."""
        self.surface.scene = scene
        if scene.moment.frame.cursor != self._cursor:
            scene.move_to(self._cursor)
        scene.show_on_the_way(way, part)
        self.surface.repaint_all()

    def _show_scene(self, scene: Scene, final: bool) -> None:
        """The graph has reached its final place."""
        self._paint(scene)
        self.selection.restore(scene)
        self.viewport.changed.emit()
        self.surface.describe()
        self.surface.repaint_all()
        self.graph_layout.show(final)

    def _paint(self, scene: Scene | None) -> None:
        """Paint this from here on. The trace painted until now may have been released long before, and what painting it
        derived would keep it alive."""
        painted, self._painted = self._painted, scene
        self.surface.scene = scene
        if painted is not None and (scene is None or scene.trace is not painted.trace):
            painted.trace.let_go()

    def _show_nothing(self, why: str, final: bool) -> None:
        self._paint(None)
        self.surface.invitation = why
        self.surface.repaint_all()
        self.graph_layout.show(final)

    def _show_abandoned(self) -> None:
        """The user does not want to wait: the draft stays, if there is one."""
        scene = self.scene
        if scene is not None and scene.trace is not self.trace:
            self._paint(None)
        self.surface.invitation = GIVEN_UP
        self.surface.repaint_all()
        self.graph_layout.show(True)


def _covers(placed: Placed, cursor: int) -> bool:
    """Whether everything that is shown at a cursor is laid out."""
    return placed.diagram.structure.excerpt.covers(cursor)


def _is_turned(old: Placed, new: Placed) -> bool:
    """Whether two layouts differ only in which graphs they show."""
    one, other = old.diagram, new.diagram
    same = one.trace is other.trace and len(one.structure.graph_of_node) == len(other.structure.graph_of_node)
    return same and one.drawing == other.drawing and one.structure is not other.structure
