"""A graph in layers: the longest path determines the layer of a box, short edges pull it nearer to its neighbours, and
in every layer that an edge passes there is a point of passage ("dummy"). Three or more long edges that leave a box at
the same place share their dummies: one line that branches. Read `layered` next."""

from __future__ import annotations

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
OFTEN = 1_000  # boxes between two checks whether to stop


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
