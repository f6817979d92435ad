"""Runs the layout off the window's thread: give it a diagram, get a `Placed` back by signal. The newest diagram wins;
the one in work is given up. A thread lives only as long as there is work; Graphviz' process is kept until `close`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from gradviz.layout.ladder import Layouter
    from gradviz.layout.records import LayoutResult
    from gradviz.ui.canvas.diagram import Diagram
    from gradviz.ui.canvas.placed import Placed

QUICK = 300  # items of a graph that are laid out well before anyone would want a draft


class Placing(QObject):
    """`placed(diagram, placed, final)` for each diagram: a draft first where the drawing may take a while."""

    placed = Signal(object, object, bool)

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._waiting: Diagram | None = None
        self._thread: threading.Thread | None = None
        self._layouter: Layouter | None = None
        self._closed = False

    def place(self, diagram: Diagram) -> None:
        """Lay this diagram out, instead of any other in work."""
        from gradviz.layout.ladder import Layouter

        with self._lock:
            if self._closed:
                return
            if self._layouter is None:
                self._layouter = Layouter()
            self._waiting = diagram
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="layout", daemon=True)
                self._thread.start()
            elif self._busy_with_old():
                self._layouter.cancel()

    def _busy_with_old(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        from gradviz.layout.ladder import Cancelled

        while True:
            with self._lock:
                diagram, self._waiting = self._waiting, None
                layouter = self._layouter
                if diagram is None or layouter is None or self._closed:
                    self._thread = None
                    return
            try:
                self._lay_out(layouter, diagram)
            except Cancelled:
                continue

    def _lay_out(self, layouter: Layouter, diagram: Diagram) -> None:
        from gradviz.layout.layered import layered
        from gradviz.layout.wrap import wrap
        from gradviz.ui.canvas.placed import place

        graphs = [diagram.layout_input(graph) for graph in range(len(diagram.first))]
        if any(len(graph.sizes) > QUICK and not layouter.knows(graph) for graph in graphs):
            drafts: dict[bytes, LayoutResult] = {}
            for graph in graphs:
                if graph.key not in drafts:
                    drafts[graph.key] = wrap(graph, layered(graph))
            self._send(diagram, place(diagram, [drafts[graph.key] for graph in graphs]), False)
        self._send(diagram, place(diagram, [layouter.layout(graph) for graph in graphs]), True)

    def _send(self, diagram: Diagram, placed: Placed, final: bool) -> None:
        with self._lock:
            newest = self._waiting is None and not self._closed
        if newest:
            self.placed.emit(diagram, placed, final)

    def close(self) -> None:
        """Give up what is in work, and end the thread and the process."""
        with self._lock:
            self._closed = True
            layouter, thread = self._layouter, self._thread
        if layouter is not None:
            layouter.close()
        if thread is not None:
            thread.join()
