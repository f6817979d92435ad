"""Makes drawings off the window's thread: give it a trace and how it is wanted, get a `Placed` back by signal. The
newest wish wins; the one in work is given up. A thread lives only as long as there is work; Graphviz' process is kept
until `close`."""

from __future__ import annotations

import importlib
import sys
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.session.folding import Presentation
from gradviz.ui.give_back import give_back

if TYPE_CHECKING:
    from gradviz.layout.ladder import Layouter
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.groups import Flags
    from gradviz.ui.canvas.placed import Placed
    from gradviz.ui.canvas.sizes import Ruler
    from gradviz.ui.canvas.structure import Structure

TURN = 0.001  # seconds that the thread may keep the interpreter while the window's waits for it
IDLE = 1500  # milliseconds after a large drawing until what it took is given back: its draft is gone then, too
CANCELLED = (
    "The layout was cancelled: the graph is collapsed and drawn with a simple layout. "
    "View > Unfold All lays out all of it."
)
QUICK = 300  # items that are laid out well before anyone would want a draft


@dataclass(frozen=True, eq=False)
class Wish:
    """What is to be drawn: a trace up to `steps`, folded and turned so; a `quick` one is drawn as drafts are."""

    trace: Trace
    steps: int
    drawing: Presentation
    quick: bool = False


class Placing(QObject):
    """`placed(wish, placed, final)` for each wish: a draft first where the drawing may take a while."""

    placed = Signal(object, object, bool)

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._wish: Wish | None = None  # the latest, until it is given up
        self._waiting: Wish | None = None  # the same, until it is in work
        self._thread: threading.Thread | None = None
        self._layouter: Layouter | None = None
        self._known: tuple[Trace, int, Structure] | None = None
        self._opened: tuple[tuple[Structure, Presentation], Flags] | None = None
        self._closed = False
        self._idle = QTimer(self, singleShot=True, interval=IDLE)
        self._idle.timeout.connect(give_back)
        self.placed.connect(self._rest)

    def place(self, wish: Wish) -> None:
        """Draw this, instead of anything else in work."""
        from gradviz.ui import look

        look.load_fonts()  # here: the thread only measures with them
        with self._lock:
            if self._closed:
                return
            self._wish = self._waiting = wish
            if not self.is_busy:
                sys.setswitchinterval(TURN)
                self._thread = threading.Thread(target=self._work, name="layout", daemon=True)
                self._thread.start()
            elif self._layouter is not None:
                self._layouter.cancel()

    def give_up(self) -> None:
        """Let go of what is in work; nothing more comes of it."""
        with self._lock:
            self._wish = self._waiting = None
            if self._layouter is not None:
                self._layouter.cancel()

    @property
    def is_busy(self) -> bool:
        """Whether something is in work."""
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        from gradviz.layout.ladder import Cancelled, Layouter

        importlib.import_module("gradviz.ui.canvas.scene")  # here, so that the window need not wait for it
        while True:
            with self._lock:
                wish, self._waiting = self._waiting, None
                if wish is None or self._closed:
                    self._thread = None
                    return
                layouter = self._layouter = self._layouter or Layouter()
                layouter.begin()
            try:
                self._draw(layouter, wish)
            except Cancelled:
                continue

    def _draw(self, layouter: Layouter, wish: Wish) -> None:
        from gradviz.ui.canvas.diagram import diagram_of
        from gradviz.ui.canvas.laying import lay_out
        from gradviz.ui.canvas.sizes import Ruler

        ruler = Ruler()
        structure = self._structure(wish)
        diagram = diagram_of(structure, ruler, wish.drawing, self._at_first(structure, ruler, layouter, wish.drawing))
        if len(diagram) > QUICK and not wish.quick:
            self._send(wish, lay_out(diagram, ruler, layouter, draft=True), False)
        placed = lay_out(diagram, ruler, layouter, draft=wish.quick)
        self._send(wish, replace(placed, note=CANCELLED) if wish.quick else placed, True)

    def _structure(self, wish: Wish) -> Structure:
        """Of the trace, found once for all ways of folding it."""
        from gradviz.ui.canvas.structure import find_structure

        known = self._known
        if known is None or known[0] is not wish.trace or known[1] != wish.steps:
            known = self._known = wish.trace, wish.steps, find_structure(wish.trace)
        return known[2]

    def _at_first(self, structure: Structure, ruler: Ruler, layouter: Layouter, drawing: Presentation) -> Flags | None:
        """The groups that are open where the user did not say anything: the same whatever is opened later."""
        from gradviz.ui.canvas.opening import opened_at_first

        if drawing.folding.level is not None:
            return None
        key = structure, replace(drawing, folding=drawing.folding.at_level(None))
        if self._opened is None or self._opened[0] != key:
            self._opened = key, opened_at_first(structure, ruler, layouter, drawing)
        return self._opened[1]

    def _send(self, wish: Wish, placed: Placed, final: bool) -> None:
        from gradviz.ui.canvas.laying import prepare

        prepare(placed)
        with self._lock:
            newest = self._wish is wish and not self._closed
        if newest:
            self.placed.emit(wish, placed, final)

    def _rest(self, _: Wish, placed: Placed, final: bool) -> None:
        if final and len(placed.diagram) > QUICK:
            self._idle.start()

    def close(self) -> None:
        """Give up what is in work, and end the thread and the process."""
        with self._lock:
            self._closed = True
            layouter, thread = self._layouter, self._thread
        if layouter is not None:
            layouter.close()
        if thread is not None:
            thread.join()
