"""Takes a nested graph apart: what of each edge belongs to which group. An edge that crosses borders becomes one
segment in every group on its way; where it passes a frame there is a stub in the group and a port on the frame around
it. Edges that begin at the same place of the same box share their segments, so that a tensor leaves a group once,
however often it is used outside. `nested` lays the groups out and joins the segments again. No positions here, and no
recursion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradviz.layout.records import Ints, NestedInput, places


@dataclass(frozen=True, eq=False)
class Levels:
    """Everything that stands in some group ("items": boxes 0 … n - 1, then the groups, then the stubs) and every
    segment, both sorted by depth and group. What is in no group is in `root`, the last group and the only one of depth
    0."""

    root: int
    groups: Ints  # sorted by depth
    depth_bounds: Ints  # the groups of depth d: groups[depth_bounds[d]:depth_bounds[d + 1]]
    order: Ints  # the items sorted; what follows "by item" is not
    item_bounds: Ints  # the items of groups[k]: order[item_bounds[k]:item_bounds[k + 1]]
    local: Ints  # by item: which of its group it is
    home: Ints  # by item: the group that it stands in
    side: Ints  # by item: -1 a stub of what comes in, 1 of what goes out, else 0
    segments: _Segments
    segment_bounds: Ints  # the segments of groups[k]
    chain: Ints  # the segments of edge e: chain[chain_bounds[e]:chain_bounds[e + 1]]
    chain_bounds: Ints


@dataclass(frozen=True, eq=False)
class _Segments:
    """From item to item; where one of them is a frame, `leaves` or `enters` is the stub inside it, and else -1. `edge`
    is an edge that runs here."""

    tail: Ints
    head: Ints
    leaves: Ints
    enters: Ints
    edge: Ints
    group: Ints


@dataclass(frozen=True, eq=False)
class _Passes:
    """Where edges pass frames, each edge in the order of its way. `stub` counts from 0; by stub, with one more row for
    stub -1: the group, whether it is on the way out (1), in (0) or no stub (-1), and an edge that passes."""

    edge: Ints
    stub: Ints
    group: Ints
    out: Ints
    first: Ints


def depths(parent: Ints) -> Ints:
    """How many groups are around each group, itself counted; one more number for the root."""
    found = [0] * (len(parent) + 1)
    for group, around in enumerate(parent.tolist()):
        found[group] = found[around] + 1
    return np.array(found, np.int64)


def take_apart(graph: NestedInput, check: Callable[[], None]) -> Levels:
    """The groups of a graph with their items and segments. `check` is called often, and may raise."""
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
    """By item, the box that says where among the others it stands at first: of a stub, one outside."""
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
    """The segments, each once, and by edge those that it consists of."""
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
