"""Vertical order in a layered drawing: sweeps that sort every layer by the positions of the neighbours, and exchanges
of adjacent vertices, from several starting orders; the order with the fewest crossings is kept. It counts where an edge
touches its box, so that arguments that arrive in order do not cross. For layers read `layered`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradviz.layout.mesh import Mesh
from gradviz.layout.records import Floats, Ints

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
OFTEN = 1_000  # hops or layers between two checks whether to stop
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
