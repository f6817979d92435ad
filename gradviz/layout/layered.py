"""The fallback layout: a plain layered drawing in NumPy, always within half a second, for where Graphviz is missing or
takes too long. Longest-path layers, a point of passage ("dummy") per layer that an edge crosses, barycentre sweeps
for the order, and neighbours pulled level as far as the boxes leave room. Edges pass no box, because within the column
of a layer they run level at their own dummy. It knows the techniques of Sugiyama, Tagawa and Toda (1981) and no more:
`dot` draws fewer crossings and shorter edges. Read `ladder` for when which is taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult, NotAGraphToLayOut

BOX_GAP = 24.0
LAYER_GAP = 44.0
DUMMY_HEIGHT = 6.0
DUMMY_GAP = 6.0
MOST_DUMMIES = 60_000
LAYER_SORTS = 4_000
MOST_SWEEPS = 10
LEVEL_ROUNDS = 24


@dataclass(frozen=True, eq=False)
class _Mesh:
    """The boxes and, after them, the dummies; `hops` are the pieces of the edges between neighbouring layers."""

    boxes: int
    layer: Ints
    height: Floats
    hops: Ints
    hop_starts: Ints
    rank: Ints


def layered(graph: LayoutInput) -> LayoutResult:
    """Lay out a graph without cycles; same input, same picture."""
    mesh = _mesh(graph, _layers(graph))
    order = _order(mesh)
    y = _level(mesh, order)
    return _draw(graph, mesh, y)


def _layers(graph: LayoutInput) -> Ints:
    """Longest path from the left; boxes without inputs move right up to their first use."""
    count = len(graph.sizes)
    waiting = np.bincount(graph.edges[:, 1], minlength=count).tolist()
    by_tail = np.argsort(graph.edges[:, 0], kind="stable")
    heads = graph.edges[by_tail, 1].tolist()
    first = np.searchsorted(graph.edges[by_tail, 0], np.arange(count + 1)).tolist()
    layer = [0] * count
    ready = [box for box in range(count) if not waiting[box]]
    for box in ready:
        for head in heads[first[box] : first[box + 1]]:
            layer[head] = max(layer[head], layer[box] + 1)
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    if len(ready) < count:
        raise NotAGraphToLayOut("the graph has a cycle")
    result = np.array(layer, np.int64)
    nearest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(nearest, graph.edges[:, 0], result[graph.edges[:, 1]])
    free = np.bincount(graph.edges[:, 1], minlength=count) == 0
    free &= np.bincount(graph.edges[:, 0], minlength=count) > 0
    result[free] = nearest[free] - 1
    if graph.side is not None and count:
        result[graph.side == 0] += 1
        result[graph.side < 0] = 0
        result[graph.side > 0] = int(result[graph.side <= 0].max(initial=0)) + 1
    return result


def _mesh(graph: LayoutInput, layer: Ints) -> _Mesh:
    count = len(graph.sizes)
    tail, head = graph.edges[:, 0], graph.edges[:, 1]
    passed = np.maximum(layer[head] - layer[tail] - 1, 0)
    if passed.sum() > MOST_DUMMIES:  # the longest edges are drawn straight
        longest_first = np.argsort(-passed, kind="stable")
        kept = passed.sum() - np.cumsum(passed[longest_first]) > MOST_DUMMIES
        passed[longest_first[: int(kept.sum()) + 1]] = 0
    edge_of_dummy = np.repeat(np.arange(len(passed)), passed)
    nth = np.arange(len(edge_of_dummy)) - np.repeat(np.cumsum(passed) - passed, passed)
    hop_starts = np.concatenate(([0], np.cumsum(passed + 1)))
    hops = np.empty((int(hop_starts[-1]), 2), np.int64)
    hops[hop_starts[:-1], 0] = tail
    hops[hop_starts[1:] - 1, 1] = head
    dummies = count + np.arange(len(edge_of_dummy))
    place = hop_starts[:-1][edge_of_dummy] + nth
    hops[place, 1] = dummies
    hops[place + 1, 0] = dummies
    return _Mesh(
        boxes=count,
        layer=np.concatenate((layer, layer[tail][edge_of_dummy] + nth + 1)),
        height=np.concatenate((graph.sizes[:, 1], np.full(len(dummies), DUMMY_HEIGHT))),
        hops=hops,
        hop_starts=hop_starts,
        rank=np.concatenate((np.arange(count), tail[edge_of_dummy])),
    )


def _order(mesh: _Mesh) -> Ints:
    """All vertices sorted by layer and, within it, from top to bottom."""
    order = np.lexsort((mesh.rank, mesh.layer))
    bounds = np.searchsorted(mesh.layer[order], np.arange(int(mesh.layer.max(initial=-1)) + 2))
    wide = np.flatnonzero(np.diff(bounds) > 1)
    sweeps = min(MOST_SWEEPS, LAYER_SORTS // max(len(wide), 1))
    place = np.empty(len(order))
    place[order] = np.arange(len(order)) - bounds[mesh.layer[order]]
    neighbours = (_neighbours(mesh, 1), _neighbours(mesh, 0))
    for sweep in range(sweeps):
        first, others = neighbours[sweep % 2]
        for layer in wide.tolist() if sweep % 2 == 0 else wide[::-1].tolist():
            here = order[bounds[layer] : bounds[layer + 1]]
            degree = first[here + 1] - first[here]
            flat = np.repeat(first[here] - (np.cumsum(degree) - degree), degree) + np.arange(int(degree.sum()))
            total = np.bincount(np.repeat(np.arange(len(here)), degree), place[others[flat]], len(here))
            wish = np.where(degree > 0, total / np.maximum(degree, 1), place[here])
            order[bounds[layer] : bounds[layer + 1]] = here = here[np.argsort(wish, kind="stable")]
            place[here] = np.arange(len(here))
    return order


def _neighbours(mesh: _Mesh, side: int) -> tuple[Ints, Ints]:
    """For each vertex v its neighbours on the other side: others[first[v]:first[v + 1]]."""
    by_vertex = np.argsort(mesh.hops[:, side], kind="stable")
    first = np.searchsorted(mesh.hops[by_vertex, side], np.arange(len(mesh.layer) + 1))
    return first, mesh.hops[by_vertex, 1 - side]


def _level(mesh: _Mesh, order: Ints) -> Floats:
    """Heights y of all vertices: near their neighbours, in order, and never nearer than the gap."""
    layer = mesh.layer[order]
    half = mesh.height[order] / 2
    gap = np.where(order < mesh.boxes, BOX_GAP, DUMMY_GAP)
    step = np.concatenate(([0.0], half[1:] + half[:-1] + (gap[1:] + gap[:-1]) / 2))
    starts = np.concatenate(([True], layer[1:] != layer[:-1]))[: len(order)]
    step = np.where(starts, 0.0, step[: len(order)])
    total = np.cumsum(step)
    stacked = total - np.maximum.accumulate(np.where(starts, total, -np.inf))
    y = np.empty(len(order))
    ends = np.concatenate((starts[1:], [True]))[: len(order)]
    span = stacked[ends][np.cumsum(starts) - 1] if len(order) else stacked
    y[order] = stacked - span / 2
    far = (float(np.abs(y).max(initial=0.0)) + 1.0) * 8 + float(stacked.max(initial=0.0))
    tail, head = mesh.hops[:, 0], mesh.hops[:, 1]
    weight = 1.0 + 3.0 * ((tail >= mesh.boxes) | (head >= mesh.boxes))
    pull = np.bincount(tail, weight, len(y)) + np.bincount(head, weight, len(y))
    for _ in range(LEVEL_ROUNDS):
        mean = np.bincount(tail, weight * y[head], len(y)) + np.bincount(head, weight * y[tail], len(y))
        wish = np.where(pull > 0, (mean + y * 0.5) / (pull + 0.5), y)[order]
        shifted = wish - stacked + layer * far
        below = np.maximum.accumulate(shifted)
        above = np.minimum.accumulate(shifted[::-1])[::-1]
        y[order] = (below + above) / 2 - layer * far + stacked
    return y


def _draw(graph: LayoutInput, mesh: _Mesh, y: Floats) -> LayoutResult:
    layers = int(mesh.layer.max(initial=-1)) + 1
    width = np.zeros(layers)
    np.maximum.at(width, mesh.layer[: mesh.boxes], graph.sizes[:, 0])
    left = np.concatenate(([0.0], np.cumsum(width + LAYER_GAP)))[:layers]
    right = left + width
    box_layer = mesh.layer[: mesh.boxes]
    top = float((y - mesh.height / 2).min(initial=0.0))
    y = y - top
    x = (left + right)[box_layer] / 2
    starts, points = _routes(graph, mesh, np.column_stack((x, y[: mesh.boxes])), y, left, right)
    size = (float(right.max(initial=0.0)), float((y + mesh.height / 2).max(initial=0.0)))
    return LayoutResult(np.column_stack((x, y[: mesh.boxes])), points, starts, size, "layered")


def _routes(
    graph: LayoutInput, mesh: _Mesh, centres: Floats, y: Floats, left: Floats, right: Floats
) -> tuple[Ints, Floats]:
    """Per hop a level piece through the column of its layer and an S to the next; at the end a level piece."""
    hop_counts = np.diff(mesh.hop_starts)
    edge = np.repeat(np.arange(len(graph.edges)), hop_counts)
    tail, head = mesh.hops[:, 0], mesh.hops[:, 1]
    first, last = mesh.hop_starts[:-1], mesh.hop_starts[1:] - 1
    leave = np.column_stack((left[mesh.layer[tail]], y[tail]))
    arrive = np.column_stack((left[mesh.layer[head]], y[head]))
    boxes = graph.edges
    leave[first] = centres[boxes[:, 0]] + np.column_stack((graph.sizes[boxes[:, 0], 0] / 2, graph.ports[:, 0]))
    arrive[last, 1] = centres[boxes[:, 1], 1] + graph.ports[:, 1]
    turn = np.column_stack((right[mesh.layer[tail]], leave[:, 1]))
    target = centres[boxes[:, 1]] + np.column_stack((-graph.sizes[boxes[:, 1], 0] / 2, graph.ports[:, 1]))
    level, bend = _cubic(leave, turn, 1 / 3), _cubic(turn, arrive, 0.5)
    starts = np.concatenate(([0], np.cumsum(6 * hop_counts + 4)))
    points = np.empty((int(starts[-1]), 2))
    at = starts[:-1][edge] + 6 * (np.arange(len(edge)) - first[edge])
    for nth in range(3):
        points[at + nth] = level[nth]
        points[at + 3 + nth] = bend[nth]
    ending = _cubic(arrive[last], target, 1 / 3)
    for nth in range(4):
        points[starts[1:] - 4 + nth] = ending[nth]
    return starts, points


def _cubic(a: Floats, b: Floats, reach: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Control points of cubics that leave a and reach b level, the handles `reach` of the way long."""
    handle = np.column_stack(((b[:, 0] - a[:, 0]) * reach, np.zeros(len(a))))
    return a, a + handle, b - handle, b
