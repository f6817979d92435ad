"""Layout of nested groups: each group is laid out by itself, from the innermost outwards; its frame is then a box with
ports for the group around it. Equal groups are laid out once. `Levels` says what is in which group; `flat` draws one
group; here the drawings are nested and the edges joined across the frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gradviz.layout.flat import Layouter
from gradviz.layout.records import (
    ROWS,
    STRAIGHT,
    Floats,
    Ints,
    LayoutInput,
    LayoutResult,
    NestedInput,
    NestedResult,
    places,
)
from gradviz.layout.rows import plain_curves

__all__ = ["NestedInput", "NestedResult", "nested"]

# -- taking a nested graph apart: which part of each edge belongs to which group. An edge that crosses borders becomes
# one
# segment in every group on its way; where it passes a frame there is a stub in the group and a port on the frame around
# it. Edges that begin at the same place of the same box share their segments, so that a tensor leaves a group once,
# however often it is used outside. No positions here, and no recursion.


@dataclass(frozen=True, eq=False)
class Levels:
    """Everything inside some group ("items": boxes 0 … n - 1, then the groups, then the stubs) and every segment, both
    sorted by depth and group. `root` holds what is in no group; it is the last group and the only one of depth 0."""

    root: int
    groups: Ints  # sorted by depth
    depth_bounds: Ints  # the groups of depth d: groups[depth_bounds[d]:depth_bounds[d + 1]]
    order: Ints  # the sorted items; arrays "by item" are not sorted
    item_bounds: Ints  # the items of groups[k]: order[item_bounds[k]:item_bounds[k + 1]]
    local: Ints  # by item: its index within its group
    home: Ints  # by item: the group that contains it
    side: Ints  # by item: -1 a stub of an incoming edge, 1 of an outgoing one, 0 otherwise
    segments: _Segments
    segment_bounds: Ints  # the segments of groups[k]
    chain: Ints  # the segments of edge e: chain[chain_bounds[e]:chain_bounds[e + 1]]
    chain_bounds: Ints


@dataclass(frozen=True, eq=False)
class _Segments:
    """From item to item; if one of them is a frame, `leaves` or `enters` is the stub inside it, otherwise -1. `edge` is
    an edge that runs along the segment."""

    tail: Ints
    head: Ints
    leaves: Ints
    enters: Ints
    edge: Ints
    group: Ints


@dataclass(frozen=True, eq=False)
class _Passes:
    """Where edges pass frames, in order along each edge. `stub` counts from 0; by stub, with one more row for stub -1:
    the group, whether it is on the way out (1), in (0) or no stub (-1), and an edge that passes."""

    edge: Ints
    stub: Ints
    group: Ints
    out: Ints
    first: Ints


def depths(parent: Ints) -> Ints:
    """The nesting depth of each group, itself counted; one more number for the root."""
    found = [0] * (len(parent) + 1)
    for group, around in enumerate(parent.tolist()):
        found[group] = found[around] + 1
    return np.array(found, np.int64)


def take_apart(graph: NestedInput, check: Callable[[], None]) -> Levels:
    """Take the groups of a graph apart into items and segments. `check` is called often, and may raise."""
    boxes, root = len(graph.sizes), len(graph.parent)
    depth = depths(graph.parent)
    around = np.append(np.where(graph.parent < 0, root, graph.parent), root)
    group = np.where(graph.group < 0, root, graph.group)
    passes = _passes(graph, group, around, depth)
    check()
    home = np.concatenate((group, around[:-1], passes.group[:-1]))
    side = np.concatenate((np.zeros(boxes + root, np.int64), 2 * passes.out[:-1] - 1))
    groups = np.argsort(depth, kind="stable")
    nth = np.empty(root + 1, np.int64)
    nth[groups] = np.arange(root + 1)
    order = np.lexsort((_first_box(graph, group, passes), side, nth[home]))
    check()
    item_bounds = np.searchsorted(nth[home[order]], np.arange(root + 2))
    local = np.empty(len(order), np.int64)
    local[order] = np.arange(len(order)) - item_bounds[nth[home[order]]]
    check()
    segments, chain = _segments(graph, passes, group, around, nth)
    check()
    return Levels(
        root=root,
        groups=groups,
        depth_bounds=np.searchsorted(depth[groups], np.arange(int(depth.max()) + 2)),
        order=order,
        item_bounds=item_bounds,
        local=local,
        home=home,
        side=side,
        segments=segments,
        segment_bounds=np.searchsorted(nth[segments.group], np.arange(root + 2)),
        chain=chain,
        chain_bounds=np.concatenate(([0], np.cumsum(np.bincount(passes.edge, minlength=len(graph.edges)) + 1))),
    )


def _passes(graph: NestedInput, group: Ints, around: Ints, depth: Ints) -> _Passes:
    """Lift both ends of every edge until they are in the same group, the deeper one first."""
    edge = np.arange(len(graph.edges))
    a, b = group[graph.edges[:, 0]], group[graph.edges[:, 1]]
    none = np.zeros(0, np.int64)
    edges, crossed, ways = [none], [none], [none]
    while True:
        apart = a != b
        edge, a, b = edge[apart], a[apart], b[apart]
        if not len(edge):
            break
        up, down = depth[a] >= depth[b], depth[b] >= depth[a]
        edges += [edge[up], edge[down]]
        crossed += [a[up], b[down]]
        ways += [np.ones(int(up.sum()), np.int64), np.zeros(int(down.sum()), np.int64)]
        a, b = np.where(up, around[a], a), np.where(down, around[b], b)
    edge, which, out = np.concatenate(edges), np.concatenate(crossed), np.concatenate(ways)
    by_way = np.lexsort((np.where(out == 1, -depth[which], depth[which]), edge))
    edge, which, out = edge[by_way], which[by_way], out[by_way]
    source = places(graph.edges[:, 0], graph.ports[:, 0])
    _, first, stub = np.unique(
        (which * 2 + out) * (len(graph.edges) + 1) + source[edge], return_index=True, return_inverse=True
    )
    return _Passes(
        edge, stub, np.append(which[first], len(around) - 1), np.append(out[first], -1), np.append(edge[first], -1)
    )


def _first_box(graph: NestedInput, group: Ints, passes: _Passes) -> Ints:
    """By item, the box that determines its initial place among the others: for a stub, one outside."""
    boxes = len(graph.sizes)
    first = np.full(len(graph.parent) + 1, boxes)
    np.minimum.at(first, group, np.arange(boxes))
    found = first.tolist()
    parents = graph.parent.tolist()
    for number in range(len(parents) - 1, -1, -1):
        found[parents[number]] = min(found[parents[number]], found[number])
    edge, out = passes.first[:-1], passes.out[:-1]
    outside = graph.edges[edge, out] if len(edge) else edge
    return np.concatenate((np.arange(boxes), np.array(found[:-1], np.int64), outside))


def _segments(graph: NestedInput, passes: _Passes, group: Ints, around: Ints, nth: Ints) -> tuple[_Segments, Ints]:
    """The segments, each once, and for each edge the segments that it consists of."""
    boxes, root, stubs = len(graph.sizes), len(graph.parent), len(passes.group) - 1
    count = np.bincount(passes.edge, minlength=len(graph.edges)) + 1
    edge = np.repeat(np.arange(len(graph.edges)), count)
    at = np.arange(len(passes.edge)) + passes.edge
    before, after = np.full(len(edge), -1), np.full(len(edge), -1)
    after[at] = passes.stub
    before[at + 1] = passes.stub
    leaves, enters = passes.out[before] == 1, passes.out[after] == 0
    inside = np.where(passes.out[after] == 1, passes.group[after], group[graph.edges[edge, 0]])
    inside = np.where(leaves & (passes.out[after] != 1), around[passes.group[before]], inside)
    inside = np.where(passes.out[before] == 0, passes.group[before], inside)
    begin = np.where(before >= 0, before, stubs + places(graph.edges[:, 0], graph.ports[:, 0])[edge])
    end = np.where(after >= 0, after, stubs + places(graph.edges[:, 1], graph.ports[:, 1])[edge])
    key = np.lexsort((edge, end, begin, nth[inside]))
    new = np.ones(len(key), bool)
    new[1:] = (begin[key][1:] != begin[key][:-1]) | (end[key][1:] != end[key][:-1])
    chain = np.empty(len(key), np.int64)
    chain[key] = np.cumsum(new) - 1
    kept = key[new]
    before, after, edge, leaves, enters = before[kept], after[kept], edge[kept], leaves[kept], enters[kept]
    first_stub = boxes + root
    tail = np.where(
        before < 0, graph.edges[edge, 0], np.where(leaves, boxes + passes.group[before], first_stub + before)
    )
    head = np.where(after < 0, graph.edges[edge, 1], np.where(enters, boxes + passes.group[after], first_stub + after))
    return _Segments(
        tail=tail,
        head=head,
        leaves=np.where(leaves, first_stub + before, -1),
        enters=np.where(enters, first_stub + after, -1),
        edge=edge,
        group=inside[kept],
    ), chain


PADDING = 16.0
STUB = 1.0
MOST_POINTS = 2_000_000  # of the routes of all edges
OFTEN = 1_000  # groups between two checks whether to stop


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The drawing of one group in its frame, whose top left corner is at 0, 0."""

    centres: Floats
    points: Floats
    lengths: Ints  # points of each segment
    size: Floats
    engine: str


def nested(
    layouter: Layouter,
    graph: NestedInput,
    *,
    draft: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> NestedResult:
    """The drawing of a graph with groups. `draft` takes the quick path; `progress` is told how many of how many depths
    are done. Raises Cancelled if the layouter was told to `cancel`. The caller says when a request `begin`s."""
    lying = _transposed(graph) if graph.vertical else graph
    levels = take_apart(lying, layouter.check)
    sizes = np.concatenate((lying.sizes, np.zeros((levels.root, 2)), np.full((len(levels.home), 2), STUB)))
    sizes = sizes[: len(levels.home)]
    port = np.zeros(len(levels.home))
    memo: dict[tuple[bytes, ...], _Drawn] = {}
    drawn: list[list[_Drawn]] = []
    deepest = len(levels.depth_bounds) - 2
    for depth in range(deepest, -1, -1):
        found = _depth(lying, levels, depth, sizes, port)
        drawn.append(_level(layouter, lying, levels, found, memo, draft))
        _write_down(lying, levels, found, drawn[-1], sizes, port)
        if progress is not None:
            progress(deepest - depth + 1, deepest + 1)
    result = _joined(lying, levels, drawn[::-1], sizes, layouter.check)
    return _upright(result) if graph.vertical else result


@dataclass(frozen=True, eq=False)
class _Depth:
    """The contents of the groups of one depth, one group after the other; `items` and `segments` say where each begins
    and the last ends."""

    groups: Ints
    here: Ints  # the items
    items: list[int]
    segments: list[int]
    sizes: Floats
    edges: Ints
    ports: Floats
    side: Ints


def _depth(graph: NestedInput, levels: Levels, depth: int, sizes: Floats, port: Floats) -> _Depth:
    first, last = levels.depth_bounds[depth], levels.depth_bounds[depth + 1]
    items = levels.item_bounds[first : last + 1]
    segments = levels.segment_bounds[first : last + 1]
    here = levels.order[items[0] : items[-1]]
    between = slice(segments[0], segments[-1])
    found = levels.segments
    tail, head, edge = found.tail[between], found.head[between], found.edge[between]
    boxes = len(graph.sizes)
    leave = np.where(tail < boxes, graph.ports[edge, 0], port[found.leaves[between]])
    arrive = np.where(head < boxes, graph.ports[edge, 1], port[found.enters[between]])
    leave[levels.side[tail] != 0] = 0.0
    arrive[levels.side[head] != 0] = 0.0
    return _Depth(
        groups=levels.groups[first:last],
        here=here,
        items=(items - items[0]).tolist(),
        segments=(segments - segments[0]).tolist(),
        sizes=sizes[here],
        edges=np.column_stack((levels.local[tail], levels.local[head])),
        ports=np.column_stack((leave, arrive)),
        side=levels.side[here],
    )


def _level(
    layouter: Layouter,
    graph: NestedInput,
    levels: Levels,
    found: _Depth,
    memo: dict[tuple[bytes, ...], _Drawn],
    draft: bool,
) -> list[_Drawn]:
    """Lay out all groups of one depth."""
    result = []
    for nth, group in enumerate(found.groups.tolist()):
        if nth % OFTEN == 0:
            layouter.check()
        mine = slice(found.items[nth], found.items[nth + 1])
        ours = slice(found.segments[nth], found.segments[nth + 1])
        header = graph.header[group] if group < levels.root else np.zeros(2)
        arrays = (found.sizes[mine], found.edges[ours], found.ports[ours], found.side[mine])
        key = (*[array.tobytes() for array in arrays], header.tobytes())
        known = memo.get(key)
        if known is None:
            inside = LayoutInput(*arrays)
            drawing = layouter.drawing(inside, draft=draft, upright=graph.vertical)
            known = memo[key] = _framed(inside, drawing, header, graph.vertical, group == levels.root)
        result.append(known)
    layouter.check()
    return result


def _write_down(
    graph: NestedInput, levels: Levels, found: _Depth, drawn: list[_Drawn], sizes: Floats, port: Floats
) -> None:
    """Store the sizes of the frames of one depth, and the ports on them, for the depth around it."""
    centres = np.concatenate([each.centres for each in drawn])
    inner = found.groups < levels.root
    sizes[len(graph.sizes) + found.groups[inner]] = np.array([each.size for each in drawn])[inner]
    middle = np.repeat([each.size[1] / 2 for each in drawn], np.diff(found.items))
    port[found.here] = np.where(found.side != 0, centres[:, 1] - middle, 0.0)


def _framed(graph: LayoutInput, drawing: LayoutResult, header: Floats, vertical: bool, root: bool) -> _Drawn:
    """The drawing in its frame. Incoming and outgoing edges are continued to the sides of the frame."""
    lengths = np.diff(drawing.starts)
    if root:
        return _Drawn(drawing.centres, drawing.points, lengths, np.array(drawing.size), drawing.engine)
    assert graph.side is not None
    centres, points = drawing.centres.copy(), drawing.points.copy()
    inner = np.array(drawing.size)
    before = np.array((header[1] + PADDING, PADDING) if vertical else (PADDING, header[1] + PADDING))
    size = inner + before + PADDING
    across = 1 if vertical else 0
    spare = max(0.0, float(header[0] - size[across]))
    size[across] += spare
    before[across] += spare / 2
    centres += before
    points += before
    coming, going = graph.side < 0, graph.side > 0
    centres[coming, 0], centres[going, 0] = 0.0, size[0]
    if len(graph.edges):
        begin, end = drawing.starts[:-1], drawing.starts[1:] - 1
        points[begin[coming[graph.edges[:, 0]]], 0] = 0.0
        points[end[going[graph.edges[:, 1]]], 0] = size[0]
    return _Drawn(centres, points, lengths, size, drawing.engine)


def _joined(
    graph: NestedInput, levels: Levels, drawn: list[list[_Drawn]], sizes: Floats, check: Callable[[], None]
) -> NestedResult:
    """All drawings in their places, and the segments of each edge one after the other."""
    boxes = len(graph.sizes)
    each = [group for depth in drawn for group in depth]
    local = np.concatenate([group.centres for group in each])
    centre = np.empty((len(levels.home), 2))
    centre[levels.order] = local
    origin = np.zeros((levels.root + 1, 2))
    for depth in range(1, len(levels.depth_bounds) - 1):
        groups = levels.groups[levels.depth_bounds[depth] : levels.depth_bounds[depth + 1]]
        item = boxes + groups
        origin[groups] = origin[levels.home[item]] + centre[item] - sizes[item] / 2
    check()
    centres = centre[:boxes] + origin[levels.home[:boxes]]
    lengths = np.concatenate([group.lengths for group in each])
    engine = _worst(each)
    if int(lengths.sum()) > MOST_POINTS or int(lengths[levels.chain].sum()) > MOST_POINTS:
        engine = engine if engine == ROWS else STRAIGHT
        points, starts = _from_end_to_end(levels, each, origin)
    else:
        points = np.concatenate([group.points for group in each])
        points += np.repeat(origin[levels.segments.group], lengths, axis=0)
        check()
        points, starts = _chained(levels, points, np.concatenate(([0], np.cumsum(lengths))))
    check()
    frames = np.column_stack((origin[:-1], sizes[boxes : boxes + levels.root]))
    return _cornered(graph, NestedResult(centres, points, starts, frames, (0.0, 0.0), engine))


def _chained(levels: Levels, points: Floats, starts: Ints) -> tuple[Floats, Ints]:
    """The points by edge; where two segments meet, their common point occurs once."""
    lengths = np.diff(starts)[levels.chain]
    follows = np.ones(len(levels.chain), bool)
    follows[levels.chain_bounds[:-1]] = False
    lengths = lengths - follows
    ends = np.cumsum(lengths)
    from_ = starts[:-1][levels.chain] + follows
    at = np.repeat(from_ - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
    return points[at], np.concatenate(([0], ends))[levels.chain_bounds]


def _from_end_to_end(levels: Levels, drawn: list[_Drawn], origin: Floats) -> tuple[Floats, Ints]:
    """The points by edge, for the case that there would be too many: a tensor that leaves a group has one route inside,
    but each edge to its uses would have a copy of it."""
    last = [np.cumsum(group.lengths) - 1 for group in drawn]
    ends = np.concatenate([group.points[at] for group, at in zip(drawn, last, strict=True)])
    begins = np.concatenate([group.points[at - group.lengths + 1] for group, at in zip(drawn, last, strict=True)])
    tail, head = levels.chain[levels.chain_bounds[:-1]], levels.chain[levels.chain_bounds[1:] - 1]
    points = plain_curves(
        begins[tail] + origin[levels.segments.group[tail]], ends[head] + origin[levels.segments.group[head]]
    )
    return points, 4 * np.arange(len(tail) + 1)


def _cornered(graph: NestedInput, result: NestedResult) -> NestedResult:
    """The same with its top left corner at 0, 0."""
    half = graph.sizes / 2
    low = (result.centres - half, result.points, result.frames[:, :2])
    high = (result.centres + half, result.points, result.frames[:, :2] + result.frames[:, 2:])
    if not any(map(len, low)):
        return result
    corner = np.array([min(each[:, axis].min(initial=np.inf) for each in low) for axis in (0, 1)])
    opposite = np.array([max(each[:, axis].max(initial=-np.inf) for each in high) for axis in (0, 1)])
    width, height = (opposite - corner).tolist()
    frames = result.frames.copy()
    frames[:, :2] -= corner
    return replace(
        result, centres=result.centres - corner, points=result.points - corner, frames=frames, size=(width, height)
    )


def _worst(drawn: list[_Drawn]) -> str:
    engines = {each.engine for each in drawn}
    return next((engine for engine in (ROWS, "dot, rough", "dot") if engine in engines), "layered")


def _transposed(graph: NestedInput) -> NestedInput:
    return replace(graph, sizes=np.ascontiguousarray(graph.sizes[:, ::-1]))


def _upright(result: NestedResult) -> NestedResult:
    """A left-to-right drawing turned so that it flows downwards."""
    return replace(
        result,
        centres=np.ascontiguousarray(result.centres[:, ::-1]),
        points=np.ascontiguousarray(result.points[:, ::-1]),
        frames=result.frames[:, [1, 0, 3, 2]],
        size=result.size[::-1],
    )
