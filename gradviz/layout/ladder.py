"""From a graph to its drawing: our own layered drawing, and where edges cross in it Graphviz' `dot` too, of which
the one with fewer crossings is taken. Graphviz is not asked where it seldom keeps within its budget, and its quick
draft only if that overran. What was laid out once is remembered by its structure, so a hundred iterations of one
training loop cost one drawing and keep their place. `Layouter` may be used from one thread at a time, never from
the window's; `cancel` from any."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import replace

import numpy as np

from gradviz.layout import loops
from gradviz.layout.crossings import crossings, passes_a_box
from gradviz.layout.curves import simplify
from gradviz.layout.layered import layered
from gradviz.layout.process import DotProcess, LayoutFailed, LayoutOverran
from gradviz.layout.records import Floats, LayoutInput, LayoutResult
from gradviz.layout.row import in_a_row
from gradviz.layout.wrap import wrap

BUDGETS = ((False, 0.5), (True, 0.3))  # rough or not, seconds of processor time
MOST_REMEMBERED = 2_000_000  # points
MOST_BOXES_FOR_DOT = 300
MOST_BOXES_FOR_DOT_AT_ONCE = 2_000  # in all groups of a request
QUICK = 150  # boxes of a graph that is laid out well in no time
DRAFT = 0.3  # seconds of processor time, from where on a draft takes the quickest way
FEW_CROSSINGS = 2  # are not worth the time that Graphviz takes
MOST_EDGES_TO_COUNT = 2_000  # crossings of more are not counted
Key = tuple[bytes, bool]


class Cancelled(Exception):
    """A newer graph is waiting."""


class Layouter:
    """Lays out graphs and remembers them; `rows` breaks what is too wide to read into rows."""

    def __init__(self, budgets: tuple[tuple[bool, float], ...] = BUDGETS, *, rows: bool = True) -> None:
        self._budgets = budgets
        self._rows = rows
        self._dot = DotProcess()
        self._memo: OrderedDict[Key, LayoutResult] = OrderedDict()
        self._remembered = 0
        self._cancelled = False
        self.begin()

    def start(self) -> None:
        """Start Graphviz ahead of the first graph."""
        self._dot.start()

    def knows(self, graph: LayoutInput, *, upright: bool = False) -> bool:
        """Whether this structure was laid out before."""
        return (graph.key, upright) in self._memo

    def layout(self, graph: LayoutInput) -> LayoutResult:
        """The drawing of one graph. Raises Cancelled when `cancel` was called meanwhile."""
        self.begin()
        return self.drawing(graph)

    def begin(self) -> None:
        """A new request: what was cancelled before is over, and there is time again for drafts and for Graphviz."""
        self._cancelled = False
        self._began = time.thread_time()
        self._boxes_for_dot = MOST_BOXES_FOR_DOT_AT_ONCE

    def drawing(self, graph: LayoutInput, *, draft: bool = False, upright: bool = False) -> LayoutResult:
        """The drawing of one of the graphs of a request. A `draft` is quick and not remembered; an `upright` one is
        to be turned, so that its rows will be columns."""
        key = (graph.key, upright)
        known = self._memo.get(key)
        if known is not None:
            self._memo.move_to_end(key)
            return known
        self.check()
        if draft and time.thread_time() - self._began > DRAFT:
            return _settled(graph, in_a_row(graph))
        final = not draft
        back = loops.against_the_flow(graph, self.check)
        self.check()
        if len(back):
            straight = loops.without(graph, back)
            result = loops.joined(graph, back, self._drawn(straight, draft)[0])
        else:
            result, good = self._drawn(graph, draft)
            final = final or good
        self.check()
        if self._rows and not len(back):
            result = wrap(graph, result, self.check, upright=upright)
        if final:
            self._remember(key, result)
        return result

    def _drawn(self, graph: LayoutInput, draft: bool) -> tuple[LayoutResult, bool]:
        """The drawing, and whether it cannot be better."""
        thorough = not draft or len(graph.sizes) <= QUICK
        own = layered(graph, self.check, thorough=thorough)
        self.check()
        own = _settled(graph, own)
        if len(graph.sizes) > MOST_BOXES_FOR_DOT or len(graph.edges) > MOST_EDGES_TO_COUNT:
            return own, not draft
        if not thorough:
            return own, False
        found = len(crossings(graph, own))
        good = found <= FEW_CROSSINGS
        return own if draft or good else self._better(graph, own, found), good

    def _remember(self, key: Key, result: LayoutResult) -> None:
        self._memo[key] = result
        self._remembered += len(result.points) + len(result.centres)
        while self._remembered > MOST_REMEMBERED and len(self._memo) > 1:
            _, gone = self._memo.popitem(last=False)
            self._remembered -= len(gone.points) + len(gone.centres)

    def _better(self, graph: LayoutInput, own: LayoutResult, found: int) -> LayoutResult:
        """Our drawing, or Graphviz' if that has fewer crossings."""
        self._boxes_for_dot -= len(graph.sizes)
        drawn = self._climb(graph) if self._boxes_for_dot >= 0 else None
        if drawn is None:
            return own
        self.check()
        for each in sorted((simplify(graph, drawn), drawn), key=lambda each: len(crossings(graph, each))):
            if len(crossings(graph, each)) < found and not passes_a_box(graph, each):
                return each
        return own

    def _climb(self, graph: LayoutInput) -> LayoutResult | None:
        """What Graphviz draws within its budgets."""
        for rough, budget in self._budgets:
            self.check()
            try:
                return _settled(graph, self._dot.draw(graph, rough, budget))
            except LayoutOverran:
                continue
            except LayoutFailed:
                self.check()
                break
        return None

    def check(self) -> None:
        """Raise Cancelled when that was asked for."""
        if self._cancelled:
            raise Cancelled

    def cancel(self) -> None:
        """Give up the request in work: it raises Cancelled there."""
        self._cancelled = True
        self._dot.stop()

    def close(self) -> None:
        """Give up and let go of the process."""
        self._cancelled = True
        self._dot.close()


def _settled(graph: LayoutInput, drawing: LayoutResult) -> LayoutResult:
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
    everything = np.concatenate((drawing.centres - half, drawing.centres + half, points))
    corner = everything.min(0, initial=np.inf) if len(everything) else np.zeros(2)
    width, height = (everything.max(0) - corner).tolist() if len(everything) else (0.0, 0.0)
    return replace(drawing, centres=drawing.centres - corner, points=points - corner, size=(width, height))
