"""Our own drawing of one graph, in NumPy and plain Python: layers, dummies where edges pass, few crossings
(`ordering`), straight main lines. Edges do not cross boxes, because within the column of a layer they run level at
their own dummy. The techniques are those of Sugiyama, Tagawa and Toda (1981) and of Brandes and Köpf (2001). `flat`
decides when it is used."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gradviz.layout.ordering import Effort, Mesh, layers_from_right, layers_of, mesh_of, ordered
from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult

# -- vertical positions in a layered drawing. What should be level is joined into blocks, the main line first:
# the edges on the longest paths, then all others as far as they do not cross what is already joined. Then the blocks
# are pulled to where their other edges would be short, never closer to each other than the gap. After Brandes and
# Köpf (2001), with blocks by weight and heights of any size.

BOX_GAP = 24.0
DUMMY_GAP = 6.0
LEVEL_ENOUGH = 16.0  # ports at most so far apart are joined by a level line of boxes
LARGE, LARGE_FOR_DRAFT = 12_000, 2_000  # vertices of a mesh that is levelled without blocks
ROUNDS = 30
STILL = 0.3  # a round that moves nothing further is the last
WORK = 250_000  # blocks and their neighbours, times rounds
MEDIANS = 4
STIFF, HALF_STIFF = 8.0, 2.0  # how much harder dummies pull than boxes
FAR = 1e12
TOO_HIGH = 3.0  # times the highest layer; in a comb each tooth, if level, would be below the one before


@dataclass(frozen=True, eq=False)
class _Blocks:
    """By vertex: its block, and its offset below the block's height. By block, with distances: those above and below it
    in some layer, and what pulls at it with which weight. `sequence`: every block after those above it."""

    of: list[int]
    offset: list[float]
    above: list[list[tuple[int, float]]]
    below: list[list[tuple[int, float]]]
    pulls: list[list[tuple[int, float, float]]]
    sequence: list[int]


def heights(mesh: Mesh, order: Ints, check: Callable[[], None], thorough: bool, effort: Effort) -> Floats:
    """The middle y of every vertex."""
    stacked = _stacked(mesh, order)
    if len(order) > (LARGE if thorough else LARGE_FOR_DRAFT):
        return _pulled(mesh, order, stacked, check)
    found = _level(mesh, order, stacked, check, effort)
    if len(found) and np.ptp(found) > TOO_HIGH * (stacked.max() + BOX_GAP):
        lower = _pulled(mesh, order, stacked, check)
        return lower if np.ptp(lower) < np.ptp(found) / TOO_HIGH else found
    return found


def _level(mesh: Mesh, order: Ints, stacked: Floats, check: Callable[[], None], effort: Effort) -> Floats:
    """The heights, using blocks."""
    layers = np.split(order, np.flatnonzero(np.diff(mesh.layer[order])) + 1) if len(order) else []
    rows = [layer.tolist() for layer in layers]
    blocks = _blocks(mesh, rows, check)
    check()
    height = [0.0] * len(blocks.above)
    count = [0] * len(blocks.above)
    for vertex, y in enumerate(_centred(mesh, order, stacked).tolist()):
        height[blocks.of[vertex]] += y - blocks.offset[vertex]
        count[blocks.of[vertex]] += 1
    height = [total / number for total, number in zip(height, count, strict=True)]
    size = sum(map(len, blocks.above)) + sum(map(len, blocks.pulls)) + 1
    for _ in range(max(4, min(ROUNDS, min(WORK, effort.left) // size))):
        check()
        effort.left -= size
        before, height = height, _apart(blocks, _wishes(blocks, height))
        if all([abs(new - old) < STILL for new, old in zip(height, before, strict=True)]):
            break
    for turn in range(MEDIANS):
        check()
        _into_place(blocks, height, turn % 2 == 0)
    _close_gaps(blocks, height)
    return np.array([height[block] + below for block, below in zip(blocks.of, blocks.offset, strict=True)])


def _blocks(mesh: Mesh, rows: list[list[int]], check: Callable[[], None]) -> _Blocks:
    """Join what should be level, and find which blocks are neighbours."""
    check()
    joined = _joined(mesh, rows)
    check()
    found = _separated(mesh, rows, *_chains(mesh, joined))
    if found is None:  # can't happen, as the joined hops do not cross; without blocks there is still a drawing
        found = _separated(mesh, rows, list(range(len(mesh.layer))), [0.0] * len(mesh.layer))
        assert found is not None
    return found


def _joined(mesh: Mesh, rows: list[list[int]]) -> list[int]:
    """Hops that are to be level: none crosses another, and each vertex has at most one on each side."""
    place = np.zeros(len(mesh.layer), np.int64)
    for row in rows:
        place[row] = np.arange(len(row))
    tail, head = mesh.hops[:, 0], mesh.hops[:, 1]
    next_door = mesh.layer[head] - mesh.layer[tail] == 1
    through = _longest_through(mesh)
    dummies = (tail >= mesh.boxes).astype(np.int64) + (head >= mesh.boxes)
    by_weight = np.lexsort((place[tail], -dummies, -through))
    accepted: list[int] = []
    taken: dict[int, tuple[list[int], list[int]]] = {}
    layer = mesh.layer[tail].tolist()
    tails, heads = place[tail].tolist(), place[head].tolist()
    for hop in by_weight[next_door[by_weight]].tolist():
        left, right = taken.setdefault(layer[hop], ([], []))
        at = bisect_left(left, tails[hop])
        if at < len(left) and (left[at] == tails[hop] or right[at] <= heads[hop]):
            continue
        if at and right[at - 1] >= heads[hop]:
            continue
        left.insert(at, tails[hop])
        right.insert(at, heads[hop])
        accepted.append(hop)
    return accepted


def _longest_through(mesh: Mesh) -> Ints:
    """By hop: the number of boxes on the longest path along it."""
    by_layer = np.argsort(mesh.layer[mesh.hops[:, 0]], kind="stable").tolist()
    hops = mesh.hops.tolist()
    boxes = mesh.boxes
    before = [int(vertex < boxes) for vertex in range(len(mesh.layer))]
    after = before.copy()
    for hop in by_layer:
        tail, head = hops[hop]
        before[head] = max(before[head], before[tail] + (head < boxes))
    for hop in reversed(by_layer):
        tail, head = hops[hop]
        after[tail] = max(after[tail], after[head] + (tail < boxes))
    return np.array([before[tail] + after[head] for tail, head in hops], np.int64)


def _chains(mesh: Mesh, joined: list[int]) -> tuple[list[int], list[float]]:
    """The block of each vertex, and its offset below the first vertex of its block."""
    count = len(mesh.layer)
    following, behind = [-1] * count, [False] * count
    drop = [0.0] * count
    for hop in joined:
        tail, head = mesh.hops[hop].tolist()
        following[tail], behind[head] = head, True
        difference = float(mesh.ports[hop, 0] - mesh.ports[hop, 1])
        drop[head] = difference if abs(difference) > LEVEL_ENOUGH else 0.0
    block, offset = [-1] * count, [0.0] * count
    blocks = 0
    for vertex in range(count):
        if behind[vertex]:
            continue
        at, below = vertex, 0.0
        while at >= 0:
            block[at], offset[at] = blocks, below
            at = following[at]
            below += drop[at]
        blocks += 1
    return block, offset


def _separated(mesh: Mesh, rows: list[list[int]], of: list[int], offset: list[float]) -> _Blocks | None:
    """The blocks with their neighbours; None if two were above and below each other at once."""
    count = max(of, default=-1) + 1
    half = (mesh.height / 2).tolist()
    least: dict[tuple[int, int], float] = {}
    for row in rows:
        for upper, lower in pairwise(row):
            gap = ((BOX_GAP if upper < mesh.boxes else DUMMY_GAP) + (BOX_GAP if lower < mesh.boxes else DUMMY_GAP)) / 2
            distance = half[upper] + half[lower] + gap + offset[upper] - offset[lower]
            pair = (of[upper], of[lower])
            least[pair] = max(distance, least.get(pair, -FAR))
    above: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    below: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    waiting = [0] * count
    for (upper, lower), distance in least.items():
        above[lower].append((upper, distance))
        below[upper].append((lower, distance))
        waiting[lower] += 1
    sequence = [block for block in range(count) if not waiting[block]]
    for block in sequence:
        for other, _ in below[block]:
            waiting[other] -= 1
            if not waiting[other]:
                sequence.append(other)
    if len(sequence) < count:
        return None
    pulls: list[list[tuple[int, float, float]]] = [[] for _ in range(count)]
    for (tail, head), (leave, arrive) in zip(mesh.hops.tolist(), mesh.ports.tolist(), strict=True):
        if of[tail] != of[head]:
            dummies = (tail >= mesh.boxes) + (head >= mesh.boxes)
            weight = (1.0, HALF_STIFF, STIFF)[dummies]
            down = offset[tail] + leave - offset[head] - arrive
            pulls[of[head]].append((of[tail], down, weight))
            pulls[of[tail]].append((of[head], -down, weight))
    return _Blocks(of, offset, above, below, pulls, sequence)


def _wishes(blocks: _Blocks, height: list[float]) -> list[float]:
    """Where each block would be without other blocks in its layers."""
    wish = []
    for own, pulls in zip(height, blocks.pulls, strict=True):
        total, weight = own * 0.5, 0.5
        for other, down, strength in pulls:
            total += strength * (height[other] + down)
            weight += strength
        wish.append(total / weight)
    return wish


def _apart(blocks: _Blocks, wish: list[float]) -> list[float]:
    """As wished, but with the gaps: half-way between what moving only down and only up would give."""
    lower, upper = wish.copy(), wish.copy()
    for block in blocks.sequence:
        for other, distance in blocks.above[block]:
            if lower[other] + distance > lower[block]:
                lower[block] = lower[other] + distance
    for block in reversed(blocks.sequence):
        for other, distance in blocks.below[block]:
            if upper[other] - distance < upper[block]:
                upper[block] = upper[other] - distance
    return [(down + up) / 2 for down, up in zip(lower, upper, strict=True)]


def _into_place(blocks: _Blocks, height: list[float], downwards: bool) -> None:
    """Move every block to the median of its wishes, as far as its neighbours leave room."""
    for block in blocks.sequence if downwards else reversed(blocks.sequence):
        pulls = blocks.pulls[block]
        if not pulls:
            continue
        wishes = sorted([(height[other] + down, weight) for other, down, weight in pulls])
        rest = sum([weight for _, weight in wishes]) / 2
        target = wishes[-1][0]
        for position, (place, weight) in enumerate(wishes):
            rest -= weight
            if rest < 0:
                target = place
                break
            if rest == 0:
                target = (place + wishes[min(position + 1, len(wishes) - 1)][0]) / 2
                break
        low = max([height[other] + distance for other, distance in blocks.above[block]], default=-FAR)
        high = min([height[other] - distance for other, distance in blocks.below[block]], default=FAR)
        if low <= high:
            height[block] = min(max(target, low), high)


def _close_gaps(blocks: _Blocks, height: list[float]) -> None:
    """Move up, as a whole, what no edge joins to the part above it."""
    component = [-1] * len(height)
    members: list[list[int]] = []
    for block in sorted(range(len(height)), key=height.__getitem__):
        if component[block] >= 0:
            continue
        found = [block]
        component[block] = len(members)
        for each in found:
            for other, _, _ in blocks.pulls[each]:
                if component[other] < 0:
                    component[other] = len(members)
                    found.append(other)
        members.append(found)
    for number, found in enumerate(members) if len(members) > 1 else ():
        slack = [
            height[block] - height[other] - distance
            for block in found
            for other, distance in blocks.above[block]
            if component[other] != number
        ]
        if slack and min(slack) > 0:
            for block in found:
                height[block] -= min(slack)


def _stacked(mesh: Mesh, order: Ints) -> Floats:
    """By place in `order`: the least distance of a vertex below the first of its layer."""
    layer = mesh.layer[order]
    half = mesh.height[order] / 2
    gap = np.where(order < mesh.boxes, BOX_GAP, DUMMY_GAP)
    step = np.concatenate(([0.0], half[1:] + half[:-1] + (gap[1:] + gap[:-1]) / 2))[: len(order)]
    starts = np.concatenate(([True], layer[1:] != layer[:-1]))[: len(order)]
    total = np.cumsum(np.where(starts, 0.0, step))
    stacked: Floats = total - np.maximum.accumulate(np.where(starts, total, -np.inf))
    return stacked


def _centred(mesh: Mesh, order: Ints, stacked: Floats) -> Floats:
    """By vertex: every layer stacked and centred at 0."""
    layer = mesh.layer[order]
    span = np.zeros(int(layer.max(initial=-1)) + 1)
    np.maximum.at(span, layer, stacked)
    y = np.empty(len(order))
    y[order] = stacked - span[layer] / 2
    return y


def _pulled(mesh: Mesh, order: Ints, stacked: Floats, check: Callable[[], None]) -> Floats:
    """Without blocks: pull all vertices at once to their neighbours, keeping the order and the gaps of each layer."""
    layer = mesh.layer[order]
    y = _centred(mesh, order, stacked)
    far = (float(np.abs(y).max(initial=0.0)) + 1.0) * 8 + float(stacked.max(initial=0.0))
    tail, head = mesh.hops[:, 0], mesh.hops[:, 1]
    weight = 1.0 + 3.0 * ((tail >= mesh.boxes) | (head >= mesh.boxes))
    pull = np.bincount(tail, weight, len(y)) + np.bincount(head, weight, len(y))
    for _ in range(ROUNDS):
        check()
        mean = np.bincount(tail, weight * y[head], len(y)) + np.bincount(head, weight * y[tail], len(y))
        wish = np.where(pull > 0, (mean + y * 0.5) / (pull + 0.5), y)[order]
        shifted = wish - stacked + layer * far
        below = np.maximum.accumulate(shifted)
        above = np.minimum.accumulate(shifted[::-1])[::-1]
        y[order] = (below + above) / 2 - layer * far + stacked
    return y


LAYER_GAP = 40.0
STEEP = 0.12  # part of the largest rise between two layers that is added to the gap
MOST_EXTRA = 80.0


def _nothing() -> None:
    """A `check` that never stops."""


def layered(
    graph: LayoutInput,
    check: Callable[[], None] = _nothing,
    *,
    thorough: bool = True,
    effort: Effort | None = None,
    from_left: bool = True,
    bundled: bool = True,
) -> LayoutResult:
    """Lay out a graph without cycles; deterministic, within half a second (not `thorough`: a tenth of that). `check` is
    called often, and may raise. `effort` is what is left of that of the whole request. Layers are counted from the left
    or from the right; `bundled` long edges from one place share their way."""
    layer = layers_of(graph, check) if from_left else layers_from_right(graph, check)
    check()
    mesh = mesh_of(graph, layer, bundled)
    check()
    effort = effort or Effort()
    order = ordered(mesh, check, thorough, effort)
    y = heights(mesh, order, check, thorough, effort)
    check()
    drawing = _draw(graph, mesh, y)
    check()
    return _without_joints(drawing)


def _draw(graph: LayoutInput, mesh: Mesh, y: Floats) -> LayoutResult:
    layers = int(mesh.layer.max(initial=-1)) + 1
    width, rise = np.zeros(layers), np.zeros(layers)
    np.maximum.at(width, mesh.layer[: mesh.boxes], graph.sizes[:, 0])
    tail, head = mesh.hops[:, 0], mesh.hops[:, 1]
    np.maximum.at(rise, mesh.layer[tail], np.abs(y[tail] + mesh.ports[:, 0] - y[head] - mesh.ports[:, 1]))
    gap = LAYER_GAP + np.minimum(STEEP * rise, MOST_EXTRA)
    left = np.concatenate(([0.0], np.cumsum(width + gap)))[:layers]
    right = left + width
    y = y - float((y - mesh.height / 2).min(initial=np.inf)) if len(y) else y
    x = (left + right)[mesh.layer[: mesh.boxes]] / 2
    centres = np.column_stack((x, y[: mesh.boxes]))
    starts, points = _routes(graph, mesh, centres, y, left, right)
    size = (float(right.max(initial=0.0)), float((y + mesh.height / 2).max(initial=0.0)))
    return LayoutResult(centres, points, starts, size, "layered")


def _routes(
    graph: LayoutInput, mesh: Mesh, centres: Floats, y: Floats, left: Floats, right: Floats
) -> tuple[Ints, Floats]:
    """For each hop a level piece through the column of its layer and an S to the next; at the end a level piece."""
    hop_counts = np.diff(mesh.path_starts) - 1
    edge = np.repeat(np.arange(len(graph.edges)), hop_counts)
    hop_starts = np.concatenate(([0], np.cumsum(hop_counts)))
    at = np.arange(len(edge)) + edge
    tail, head = mesh.path[at], mesh.path[at + 1]
    first, last = hop_starts[:-1], hop_starts[1:] - 1
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


def _without_joints(drawing: LayoutResult) -> LayoutResult:
    """Merge consecutive level pieces on one line."""
    pieces = np.diff(drawing.starts) // 3
    if not len(pieces):
        return drawing
    edge = np.repeat(np.arange(len(pieces)), pieces)
    first = drawing.starts[:-1][edge] + 3 * (np.arange(len(edge)) - (np.cumsum(pieces) - pieces)[edge])
    cubic = drawing.points[first[:, None] + np.arange(4)]
    level = np.ptp(cubic[:, :, 1], axis=1) < 0.01
    follows = np.zeros(len(edge), bool)
    follows[1:] = level[1:] & level[:-1] & (edge[1:] == edge[:-1])
    run = np.flatnonzero(~follows)
    end = np.append(run[1:], len(edge)) - 1
    merged = cubic[run]
    merged[:, 3] = cubic[end, 3]
    merged[:, 2] = np.where((run == end)[:, None], merged[:, 2], merged[:, 3] - (merged[:, 3] - merged[:, 0]) / 3)
    merged[:, 1] = np.where((run == end)[:, None], merged[:, 1], merged[:, 0] + (merged[:, 3] - merged[:, 0]) / 3)
    count = np.bincount(edge[run], minlength=len(pieces))
    starts = np.concatenate(([0], np.cumsum(3 * count + 1)))
    points = np.empty((int(starts[-1]), 2))
    at = 3 * np.arange(len(run)) + edge[run]
    for nth in range(4):
        points[at + nth] = merged[:, nth]
    return replace(drawing, points=points, starts=starts)


def _cubic(a: Floats, b: Floats, reach: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Control points of cubics that leave a and reach b horizontally, with handles of `reach` times the distance."""
    handle = np.column_stack(((b[:, 0] - a[:, 0]) * reach, np.zeros(len(a))))
    return a, a + handle, b - handle, b
