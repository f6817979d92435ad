"""From a graph to its drawing in layers; where edges cross in it, other layers and lines that do not share their way
are tried, too, and the drawing with the fewest crossings is taken. What was laid out once is remembered by its
structure, so a hundred iterations of one training loop cost one drawing and keep their place. `Layouter` may be used
from one thread at a time, never from the window's; `cancel` from any.

Note [No Graphviz]
Graphviz' `dot` was the second engine until it was measured on every graph of our tutorials, examples and snippets:
2,784 graphs with 4,749 groups, of which 4,395 have at most two crossings as they are. In the other 191 different ones,
where both were asked, edges crossed 33,654 times in the first drawing, 33,059 times where dot could do better, and
22,746 times with the variants here. It also took a process of its own and half of the installed program's size.

Note [Bounds of a request]
Whatever the graph, a request ends after time that grows with its boxes and edges, not with their square. So all that
costs more is counted and has a limit for the whole request, not only for each of its groups: looks of the sweeps for
few crossings (`Effort`), boxes that are drawn again, pairs of pieces of edges that might cross. What is then still too
large for layers, or would be so long in them that nobody sees enough of it at once, stands in rows (`rows`). Counts
and not clocks decide, so that the same graph looks the same on every machine."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import replace

import numpy as np

from gradviz.layout import loops
from gradviz.layout.crossings import crossings, work_of_crossings
from gradviz.layout.layered import layered
from gradviz.layout.ordering import LARGE, Effort
from gradviz.layout.records import Floats, LayoutInput, LayoutResult
from gradviz.layout.rows import in_rows
from gradviz.layout.wrap import wrap

MOST_REMEMBERED = 2_000_000  # points
MOST_BOXES_AGAIN = 300  # of a graph that is drawn in other ways, too
MOST_BOXES_AGAIN_AT_ONCE = 2_000  # in all groups of a request
QUICK = 150  # boxes of a graph that is laid out well in no time
DRAFT = 0.3  # seconds of processor time, from where on a draft takes the quickest way
FEW_CROSSINGS = 2  # are not worth the time
MOST_POINTS_TO_COUNT = 30_000  # of routes
MOST_PAIRS_TO_COUNT = 5_000_000  # pieces of edges that might cross: half a second; of more, crossings are not counted
PAIRS_A_LOOK = 10  # pairs take as long as one look of `Effort`
MOST_IN_LAYERS = 150_000  # boxes and edges, in all groups of a request
LONGEST = 120_000.0  # pixels; what would be longer in layers stands in rows
VARIANTS = ((True, False), (False, True), (False, False))  # layers counted from the left, lines that share their way
Key = tuple[bytes, bool]


class Cancelled(Exception):
    """A newer graph is waiting."""


class Layouter:
    """Lays out graphs and remembers them; `rows` breaks what is too wide to read into rows."""

    def __init__(self, *, rows: bool = True) -> None:
        self._rows = rows
        self._memo: OrderedDict[Key, LayoutResult] = OrderedDict()
        self._remembered = 0
        self._cancelled = False
        self.begin()

    def knows(self, graph: LayoutInput, *, upright: bool = False) -> bool:
        """Whether this structure was laid out before."""
        return (graph.key, upright) in self._memo

    def layout(self, graph: LayoutInput) -> LayoutResult:
        """The drawing of one graph. Raises Cancelled when `cancel` was called meanwhile."""
        self.begin()
        return self.drawing(graph)

    def begin(self) -> None:
        """A new request: what was cancelled before is over."""
        self._cancelled = False
        self.renew()

    def renew(self) -> None:
        """The next drawing may take as long as any, whatever the one before it took: see Note [Bounds of a request]."""
        self._began = time.thread_time()
        self._boxes_again = MOST_BOXES_AGAIN_AT_ONCE
        self._room = MOST_IN_LAYERS
        self._effort = Effort()

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
            return _settled(graph, in_rows(graph, upright=upright))
        many = len(graph.sizes) + len(graph.edges)
        if many > self._room:
            result = _settled(graph, in_rows(graph, upright=upright))
            if many > MOST_IN_LAYERS:
                self._remember(key, result)
            return result
        self._room -= many
        result, final = self._in_layers(graph, draft, upright)
        if self._rows and max(result.size) > LONGEST:
            final = final or max(result.size) > 2 * LONGEST  # a better one would still be too long
            result = _settled(graph, in_rows(graph, upright=upright))
        if final and self._effort.left > 0:
            self._remember(key, result)
        return result

    def _in_layers(self, graph: LayoutInput, draft: bool, upright: bool) -> tuple[LayoutResult, bool]:
        """The drawing, and whether it cannot be better."""
        back = loops.against_the_flow(graph, self.check)
        self.check()
        if len(back):
            straight = loops.without(graph, back)
            return loops.joined(graph, back, self._drawn(straight, draft)[0]), not draft
        result, good = self._drawn(graph, draft)
        self.check()
        if self._rows:
            result = wrap(graph, result, self.check, upright=upright)
        return result, good or not draft

    def _drawn(self, graph: LayoutInput, draft: bool) -> tuple[LayoutResult, bool]:
        """The drawing in one row of layers, and whether it cannot be better."""
        thorough = not draft or len(graph.sizes) <= QUICK
        own = layered(graph, self.check, thorough=thorough, effort=self._effort)
        self.check()
        own = _settled(graph, own)
        if len(graph.sizes) > MOST_BOXES_AGAIN or not self._is_countable(own):
            return own, not draft or len(graph.sizes) + len(graph.edges) > LARGE  # then nothing is done for it but that
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

    def _better(self, graph: LayoutInput, first: LayoutResult, found: int) -> LayoutResult:
        """The first drawing, or another one that has fewer crossings."""
        self._boxes_again -= len(graph.sizes)
        if self._boxes_again < 0:
            return first
        best, fewest = first, found
        for from_left, bundled in VARIANTS:
            drawn = layered(graph, self.check, effort=self._effort, from_left=from_left, bundled=bundled)
            each = _settled(graph, drawn)
            self.check()
            if not self._is_countable(each):
                continue
            count = len(crossings(graph, each))
            if count < fewest:
                best, fewest = each, count
        return best

    def _is_countable(self, drawing: LayoutResult) -> bool:
        """Whether there is time to count the crossings."""
        if len(drawing.points) > MOST_POINTS_TO_COUNT or self._effort.left <= 0:
            return False
        pairs = work_of_crossings(drawing)
        self._effort.left -= min(pairs, MOST_PAIRS_TO_COUNT) // PAIRS_A_LOOK
        return pairs <= MOST_PAIRS_TO_COUNT

    def check(self) -> None:
        """Raise Cancelled when that was asked for."""
        if self._cancelled:
            raise Cancelled

    def cancel(self) -> None:
        """Give up the request in work: it raises Cancelled there."""
        self._cancelled = True


def _settled(graph: LayoutInput, drawing: LayoutResult) -> LayoutResult:
    """Put the ends of the routes exactly onto their ports, and the top left corner at 0, 0."""
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
