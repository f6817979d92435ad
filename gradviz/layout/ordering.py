"""A graph in layers, and the vertical order in them.

The longest path determines the layer of a box, short edges pull it nearer to its neighbours, and in every layer that
an edge passes there is a point of passage ("dummy"). Three or more long edges that leave a box at the same place share
their dummies: one line that branches.

The order comes from sweeps that sort every layer by the positions of the neighbours, and exchanges of adjacent
vertices, from several starting orders; the order with the fewest crossings is kept. It counts where an edge touches its
box, so that arguments that arrive in order do not cross. Read `layered` next."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradviz.layout.records import Floats, Ints, LayoutInput, NotAGraphToLayOut, places

DUMMY_HEIGHT = 6.0
MOST_DUMMIES = 60_000
MOST_PASSED = 150_000  # dummies of all edges, with shared ones counted for each edge
BUNDLED = 3  # at least so many long edges from one place share their dummies
HUB = 8  # so many edges from a box are taken for one line that branches
SHIFTS = 12
FEW_SHIFTS = 2
MANY = 5_000  # boxes


@dataclass(frozen=True, eq=False)
class Mesh:
    """The boxes and, after them, the dummies, and the hops between neighbouring layers, each once. `path` has the
    vertices of edge e from its first box to its second: path[path_starts[e]:path_starts[e + 1]]."""

    boxes: int
    layer: Ints
    height: Floats
    rank: Ints  # by vertex: the box that determines its initial place
    hops: Ints
    ports: Floats  # by hop: how far below the middle of its two vertices it ends
    ends: Floats  # the same as a fraction of their heights, 0 to 1
    path: Ints
    path_starts: Ints


def layers_of(graph: LayoutInput, check: Callable[[], None]) -> Ints:
    """Longest paths from the left, then shorter edges. `check` is called often, and may raise."""
    count = len(graph.sizes)
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for tail, head in graph.edges.tolist():
        after[tail].append(head)
        before[head].append(tail)
    check()
    waiting = [len(tails) for tails in before]
    layer = [0] * count
    ready = [box for box in range(count) if not waiting[box]]
    for box in ready:
        if box % OFTEN == 0:
            check()
        for head in after[box]:
            layer[head] = max(layer[head], layer[box] + 1)
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    if len(ready) < count:
        raise NotAGraphToLayOut("the graph has a cycle")
    pinned = [False] * count if graph.side is None else (graph.side != 0).tolist()
    for _ in range(SHIFTS if count < MANY else FEW_SHIFTS):
        check()
        shorter = _shortened(layer, ready, before, after, pinned)
        if shorter is None:
            break
        layer = shorter
    result = np.array(layer, np.int64) - min(layer, default=0)
    if graph.side is not None and any(pinned):
        inner, coming = graph.side == 0, graph.side < 0
        if inner.any():
            result[inner] += int(coming.any()) - int(result[inner].min())
        result[coming] = 0
        result[graph.side > 0] = int(result[graph.side <= 0].max(initial=0)) + 1
    return result


def _shortened(
    layer: list[int], ready: list[int], before: list[list[int]], after: list[list[int]], pinned: list[bool]
) -> list[int] | None:
    """Boxes moved to where their edges are shorter: right while that costs nothing, left where it gains; None if
    nothing moves."""
    moved = layer.copy()
    for box in reversed(ready):
        if after[box] and len(after[box]) >= len(before[box]) and not pinned[box]:
            moved[box] = max(moved[box], min([moved[head] for head in after[box]]) - 1)
    for box in ready:
        if before[box] and len(before[box]) > len(after[box]):
            moved[box] = min(moved[box], max([moved[tail] for tail in before[box]]) + 1)
    return moved if _length(moved, after) < _length(layer, after) else None


def _length(layer: list[int], after: list[list[int]]) -> int:
    """How many layers all edges span; of many that leave one box, and so share their dummies, only the longest
    counts."""
    spans = [[layer[head] - layer[tail] for head in heads] for tail, heads in enumerate(after) if heads]
    return sum([sum(each) if len(each) < HUB else max(each) + len(each) for each in spans])


def layers_from_right(graph: LayoutInput, check: Callable[[], None]) -> Ints:
    """The same from the right, without moving boxes to the left."""
    side = None if graph.side is None else -graph.side
    layer = layers_of(LayoutInput(graph.sizes, graph.edges[:, ::-1], graph.ports[:, ::-1], side), check)
    return np.asarray(int(layer.max(initial=0)) - layer)


def mesh_of(graph: LayoutInput, layer: Ints, bundled: bool = True) -> Mesh:
    """The graph with its dummies."""
    count = len(graph.sizes)
    tail, head = graph.edges[:, 0], graph.edges[:, 1]
    passed = np.maximum(layer[head] - layer[tail] - 1, 0)
    source = places(tail, graph.ports[:, 0])
    alone = np.bincount(source, passed > 0)[source] < (BUNDLED if bundled else np.inf) if len(source) else source > 0
    _, first, source = np.unique(
        np.where(alone, len(tail) + np.arange(len(tail)), source), return_index=True, return_inverse=True
    )
    passed = _passed(source, passed, len(first))
    span = np.zeros(len(first), np.int64)
    np.maximum.at(span, source, passed)
    first_dummy = count + np.cumsum(span) - span
    owner = np.repeat(np.arange(len(first)), span)
    nth = np.arange(len(owner)) - (first_dummy - count)[owner]
    path_starts = np.concatenate(([0], np.cumsum(passed + 2)))
    edge = np.repeat(np.arange(len(tail)), passed + 2)
    step = np.arange(len(edge)) - path_starts[edge]
    path = np.where(
        step == 0, tail[edge], np.where(step == passed[edge] + 1, head[edge], (first_dummy[source] - 1)[edge] + step)
    )
    hop = np.flatnonzero(step <= passed[edge])
    pairs, leave = np.column_stack((path[hop], path[hop + 1])), edge[hop]
    port = np.column_stack(
        (
            np.where(step[hop] == 0, graph.ports[leave, 0], 0.0),
            np.where(pairs[:, 1] < count, graph.ports[leave, 1], 0.0),
        )
    )
    height = np.concatenate((graph.sizes[:, 1], np.full(len(owner), DUMMY_HEIGHT)))
    ends = places(pairs[:, 0], port[:, 0]), places(pairs[:, 1], port[:, 1])
    _, kept = np.unique(ends[0] * (int(ends[1].max(initial=0)) + 1) + ends[1], return_index=True)
    kept = np.sort(kept)
    pairs, port = pairs[kept], port[kept]
    return Mesh(
        boxes=count,
        layer=np.concatenate((layer, layer[tail[first]][owner] + nth + 1)),
        height=height,
        rank=np.concatenate((np.arange(count), tail[first][owner])),
        hops=pairs,
        ports=port,
        ends=np.clip(port / height[pairs] + 0.5, 0.01, 0.99),
        path=path,
        path_starts=path_starts,
    )


def _passed(source: Ints, passed: Ints, sources: int) -> Ints:
    """How many dummies each edge has; if there would be too many, the longest edges are drawn straight."""
    span, total = np.zeros(sources, np.int64), np.bincount(source, passed, sources)
    np.maximum.at(span, source, passed)
    longest_first = np.argsort(-span, kind="stable")
    straight = np.zeros(sources, bool)
    for count, most in ((span, MOST_DUMMIES), (total, MOST_PASSED)):
        rest = count.sum() - np.cumsum(count[longest_first])  # if this one and all longer ones are straight
        if count.sum() > most:
            straight[longest_first[: int((rest > most).sum()) + 1]] = True
    return np.where(straight[source], 0, passed)


MOST_SWEEPS = 24
PATIENCE = 4  # sweeps without a gain
EXCHANGES = 2  # rounds of them after a sweep
LARGE = 60_000  # vertices and hops of a mesh that is ordered more cheaply
SMALL = 400  # likewise, for a draft
EFFORT = 500_000  # looks at a vertex or an edge, in total: some 0.3 s
LEAST_EFFORT = 10  # of these for each vertex and hop of a small graph, even if the request has none left
MOST_EFFORT = 3_000_000  # the same for all graphs of a request, including levelling and counting crossings
CHEAP_SORTS = 4_000
FEW_HOPS = 8_000  # whose crossings are counted one by one, which takes time that grows with their square
OFTEN = 1_000  # boxes, hops or layers between two checks whether to stop
Ends = list[list[tuple[int, float]]]  # by vertex: its neighbours, and where the edge ends on them, 0 to 1


@dataclass
class Effort:
    """How many looks at a vertex or an edge may still be spent on improving a drawing. Counted, not timed: the same
    input has the same drawing everywhere."""

    left: int = MOST_EFFORT


def ordered(mesh: Mesh, check: Callable[[], None], thorough: bool, effort: Effort) -> Ints:
    """All vertices sorted by layer and, within it, from top to bottom. `check` is called often, and may raise."""
    size = len(mesh.layer) + len(mesh.hops)
    if size > (LARGE if thorough and effort.left > 0 else SMALL):
        return _cheaply_ordered(mesh, check)
    layers = _Layers(mesh, check, max(min(effort.left, EFFORT), LEAST_EFFORT * size))
    best, fewest, twice = layers.state(), layers.crossings(), False
    for start in (layers.as_they_come, layers.from_the_left, layers.from_the_right):
        if not fewest or twice or layers.tired:
            break
        start()
        layers.improve()
        count = layers.crossings()
        twice = count == fewest
        if count < fewest:
            best, fewest = layers.state(), count
    effort.left -= layers.effort
    return np.array([vertex for layer in best for vertex in layer], np.int64)


class _Layers:
    """The current order."""

    def __init__(self, mesh: Mesh, check: Callable[[], None], most_effort: int) -> None:
        self._check = check
        self._most_effort = most_effort
        self._layer = mesh.layer.tolist()
        self._rank = mesh.rank.tolist()
        count = len(self._layer)
        self._before: Ends = [[] for _ in range(count)]
        self._after: Ends = [[] for _ in range(count)]
        depth = max(self._layer, default=-1) + 1
        self._hops: list[list[tuple[int, float, int, float]]] = [[] for _ in range(depth)]
        for number, ((tail, head), (leave, arrive)) in enumerate(
            zip(mesh.hops.tolist(), mesh.ends.tolist(), strict=True)
        ):
            if number % OFTEN == 0:
                check()
            self._before[head].append((tail, leave))
            self._after[tail].append((head, arrive))
            self._hops[self._layer[tail]].append((tail, leave, head, arrive))
        self._layers: list[list[int]] = [[] for _ in range(depth)]
        self._place = [0] * count
        self.effort = 0
        self.as_they_come()

    @property
    def tired(self) -> bool:
        """Whether the effort is used up."""
        return self.effort > self._most_effort

    def as_they_come(self) -> None:
        """Start from the order of the boxes."""
        for layer in self._layers:
            layer.clear()
        for vertex in sorted(range(len(self._layer)), key=self._rank.__getitem__):
            self._layers[self._layer[vertex]].append(vertex)
        self._renumber()

    def from_the_left(self) -> None:
        """Start from a depth-first walk along the edges."""
        self._walk(1, self._before, self._after)

    def from_the_right(self) -> None:
        """The same from the other end."""
        self._walk(-1, self._after, self._before)

    def _walk(self, sign: int, back: Ends, on: Ends) -> None:
        for layer in self._layers:
            layer.clear()
        seen = [False] * len(self._layer)
        self._check()
        for root in sorted(range(len(seen)), key=lambda vertex: (sign * self._layer[vertex], self._rank[vertex])):
            waiting = [] if seen[root] else [root]
            seen[root] = True
            while waiting:
                vertex = waiting.pop()
                self._layers[self._layer[vertex]].append(vertex)
                for other, _ in (*reversed(on[vertex]), *back[vertex]):
                    if not seen[other]:
                        seen[other] = True
                        waiting.append(other)
        self._renumber()

    def _renumber(self) -> None:
        for layer in self._layers:
            for place, vertex in enumerate(layer):
                self._place[vertex] = place

    def state(self) -> list[list[int]]:
        """A copy of the order."""
        return [layer.copy() for layer in self._layers]

    def _restore(self, state: list[list[int]]) -> None:
        self._layers = [layer.copy() for layer in state]
        self._renumber()

    def crossings(self) -> int:
        """How many pairs of hops cross."""
        self.effort += sum(map(len, self._hops))
        total = 0
        place = self._place
        for number, hops in enumerate(self._hops):
            if number % OFTEN == 0:
                self._check()
            ways = sorted([(place[tail] + out, place[head] + into) for tail, out, head, into in hops])
            total += _inversions([arrive for _, arrive in ways])
        return total

    def improve(self) -> None:
        """Sweep and exchange until nothing improves; the best order is kept."""
        best, fewest = self.state(), self.crossings()
        idle = 0
        for sweep in range(MOST_SWEEPS):
            if not fewest or idle >= PATIENCE or self.tired:
                break
            self._sweep(sweep % 2 == 0)
            self._exchange(EXCHANGES, sweep % 4 == 1)
            count = self.crossings()
            idle += 1
            if count < fewest:
                best, fewest, idle = self.state(), count, 0
        self._restore(best)
        for even in (False, True, False) if fewest and not self.tired else ():
            self._exchange(2 * EXCHANGES, even)
            count = self.crossings()
            if count <= fewest:
                best, fewest = self.state(), count
        self._restore(best)

    def _sweep(self, rightwards: bool) -> None:
        """Sort every layer by the mean of the neighbours before it."""
        neighbours = self._before if rightwards else self._after
        place = self._place
        for layer in self._layers if rightwards else reversed(self._layers):
            self._check()
            self.effort += 2 * len(layer)
            wish = {
                vertex: sum([place[other] + end for other, end in neighbours[vertex]]) / len(neighbours[vertex])
                for vertex in layer
                if neighbours[vertex]
            }
            moved = iter(sorted(wish, key=wish.__getitem__))
            layer[:] = [next(moved) if vertex in wish else vertex for vertex in layer]
            for at, vertex in enumerate(layer):
                place[vertex] = at

    def _exchange(self, rounds: int, even: bool) -> None:
        """Exchange adjacent vertices if that saves crossings, or (`even`) costs none."""
        dirty = [len(layer) > 1 for layer in self._layers]
        for _ in range(rounds):
            for number, layer in enumerate(self._layers):
                if not dirty[number] or len(layer) < 2:
                    continue
                self._check()
                dirty[number] = self._exchange_in(layer, even)
                if dirty[number]:
                    for beside in (number - 1, number + 1):
                        if 0 <= beside < len(dirty):
                            dirty[beside] = True
            if not any(dirty):
                break

    def _exchange_in(self, layer: list[int], even: bool) -> bool:
        place = self._place
        self.effort += 6 * len(layer)
        before = [sorted([place[other] + end for other, end in self._before[vertex]]) for vertex in layer]
        after = [sorted([place[other] + end for other, end in self._after[vertex]]) for vertex in layer]
        changed = False
        for at in range(len(layer) - 1):
            beside = at + 1
            gain = _gain(before[at], before[beside]) + _gain(after[at], after[beside])
            if gain > 0 or (even and gain == 0 and (before[at] or after[at])):
                layer[at : beside + 1] = layer[beside], layer[at]
                before[at : beside + 1] = before[beside], before[at]
                after[at : beside + 1] = after[beside], after[at]
                changed = True
        for at, vertex in enumerate(layer):
            place[vertex] = at
        return changed


def _inversions(numbers: list[float]) -> int:
    """How many pairs of numbers stand with the larger one first."""
    total = 0
    if len(numbers) <= FEW_HOPS:
        passed: list[float] = []
        for number in numbers:
            at = bisect_right(passed, number)
            total += len(passed) - at
            passed.insert(at, number)
        return total
    _, rank = np.unique(numbers, return_inverse=True)
    for bit in range(int(rank.max()).bit_length()):  # pairs that agree in the higher bits and differ in this one
        order = np.argsort(rank >> (bit + 1), kind="stable")
        group, upper = (rank >> (bit + 1))[order], (rank[order] >> bit) & 1
        before = np.cumsum(upper)
        first = np.searchsorted(group, group)
        total += int((before - before[first] + upper[first])[upper == 0].sum())
    return total


def _gain(upper: list[float], lower: list[float]) -> int:
    """How many crossings are saved if the upper of two goes below the other; both are sorted."""
    if len(upper) == 1 and len(lower) == 1:
        return (upper[0] > lower[0]) - (lower[0] > upper[0])
    if len(upper) > len(lower):  # for two hubs with thousands of edges each, not every pair is checked
        return sum([len(upper) - bisect_right(upper, b) - bisect_left(upper, b) for b in lower])
    return sum([bisect_left(lower, a) + bisect_right(lower, a) - len(lower) for a in upper])


def _cheaply_ordered(mesh: Mesh, check: Callable[[], None]) -> Ints:
    """A few sweeps, each sorting a whole layer at once."""
    order = np.lexsort((mesh.rank, mesh.layer))
    bounds = np.searchsorted(mesh.layer[order], np.arange(int(mesh.layer.max(initial=-1)) + 2))
    wide = np.flatnonzero(np.diff(bounds) > 1)
    place = np.empty(len(order))
    place[order] = np.arange(len(order)) - bounds[mesh.layer[order]]
    neighbours = (_neighbours(mesh, 1), _neighbours(mesh, 0))
    for sweep in range(min(10, CHEAP_SORTS // max(len(wide), 1))):
        first, others, ends = neighbours[sweep % 2]
        for layer in wide.tolist() if sweep % 2 == 0 else wide[::-1].tolist():
            check()
            here = order[bounds[layer] : bounds[layer + 1]]
            degree = first[here + 1] - first[here]
            flat = np.repeat(first[here] - (np.cumsum(degree) - degree), degree) + np.arange(int(degree.sum()))
            total = np.bincount(np.repeat(np.arange(len(here)), degree), place[others[flat]] + ends[flat], len(here))
            wish = np.where(degree > 0, total / np.maximum(degree, 1), place[here])
            order[bounds[layer] : bounds[layer + 1]] = here = here[np.argsort(wish, kind="stable")]
            place[here] = np.arange(len(here))
    return order


def _neighbours(mesh: Mesh, side: int) -> tuple[Ints, Ints, Floats]:
    """For each vertex v its neighbours on the other side: others[first[v]:first[v + 1]], and where edges end."""
    by_vertex = np.argsort(mesh.hops[:, side], kind="stable")
    first = np.searchsorted(mesh.hops[by_vertex, side], np.arange(len(mesh.layer) + 1))
    return first, mesh.hops[by_vertex, 1 - side], mesh.ends[by_vertex, 1 - side]
