"""From a graph to its drawing: Graphviz `dot` first, its quick draft if that takes too long, our own layered drawing if
Graphviz is missing or takes too long even so. What was laid out once is remembered by its structure, so a hundred
iterations of one training loop cost one drawing and keep their place. `Layouter` may be used from one thread at a time,
never from the window's; `cancel` from any."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import numpy as np

from gradviz.layout.curves import simplify
from gradviz.layout.layered import layered
from gradviz.layout.process import DotProcess, LayoutFailed, LayoutOverran
from gradviz.layout.records import Floats, LayoutInput, LayoutResult
from gradviz.layout.wrap import wrap

BUDGETS = ((False, 2.0), (True, 1.0))  # rough or not, seconds of processor time
REMEMBERED = 256
MOST_BOXES_FOR_DOT = 3_000  # beyond it Graphviz seldom keeps within its budgets


class Cancelled(Exception):
    """A newer graph is waiting."""


class Layouter:
    """Lays out graphs and remembers them; `rows` breaks what is too wide to read into rows."""

    def __init__(self, budgets: tuple[tuple[bool, float], ...] = BUDGETS, *, rows: bool = True) -> None:
        self._budgets = budgets
        self._rows = rows
        self._dot = DotProcess()
        self._memo: OrderedDict[bytes, LayoutResult] = OrderedDict()
        self._cancelled = False

    def start(self) -> None:
        """Start Graphviz ahead of the first graph."""
        self._dot.start()

    def knows(self, graph: LayoutInput) -> bool:
        """Whether this structure was laid out before."""
        return graph.key in self._memo

    def layout(self, graph: LayoutInput) -> LayoutResult:
        """The drawing of one graph. Raises Cancelled when `cancel` was called meanwhile."""
        known = self._memo.get(graph.key)
        if known is not None:
            self._memo.move_to_end(graph.key)
            return known
        self._cancelled = False
        result = _settle(graph, self._climb(graph))
        if self._rows:
            result = wrap(graph, result)
        self._memo[graph.key] = result
        while len(self._memo) > REMEMBERED:
            self._memo.popitem(last=False)
        return result

    def _climb(self, graph: LayoutInput) -> LayoutResult:
        if len(graph.sizes) > MOST_BOXES_FOR_DOT or not len(graph.sizes):
            return layered(graph)
        for rough, budget in self._budgets:
            if self._cancelled:
                raise Cancelled
            try:
                return self._dot.draw(graph, rough, budget)
            except LayoutOverran:
                continue
            except LayoutFailed:
                if self._cancelled:
                    raise Cancelled from None
                break
        return layered(graph)

    def cancel(self) -> None:
        """Give up the graph in work: `layout` raises Cancelled there."""
        self._cancelled = True
        self._dot.stop()

    def close(self) -> None:
        """Give up and let go of the process."""
        self._cancelled = True
        self._dot.close()


def _settle(graph: LayoutInput, drawing: LayoutResult) -> LayoutResult:
    """Put the ends of the routes exactly onto their ports (Graphviz rounds those), and the top left corner at 0, 0."""
    tail, head = graph.edges[:, 0], graph.edges[:, 1]
    half = graph.sizes / 2
    points: Floats = drawing.points.copy()
    if len(graph.edges):
        begin = drawing.centres[tail] + np.column_stack((half[tail, 0], graph.ports[:, 0]))
        end = drawing.centres[head] + np.column_stack((-half[head, 0], graph.ports[:, 1]))
        first, last = drawing.starts[:-1], drawing.starts[1:] - 1
        points[first + 1] += begin - points[first]
        points[last - 1] += end - points[last]
        points[first], points[last] = begin, end
    settled = replace(drawing, points=points)
    settled = simplify(graph, settled)
    points = settled.points
    everything = np.concatenate((drawing.centres - half, drawing.centres + half, points))
    corner = everything.min(0, initial=np.inf) if len(everything) else np.zeros(2)
    width, height = (everything.max(0) - corner).tolist() if len(everything) else (0.0, 0.0)
    return replace(settled, centres=drawing.centres - corner, points=points - corner, size=(width, height))
