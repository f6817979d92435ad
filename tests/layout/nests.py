"""Graphs with groups for the tests of the layout, and what must hold of a drawing of them."""

from __future__ import annotations

import numpy as np

from gradviz.layout.records import Floats, Ints, NestedInput, NestedResult
from tests.layout.drawings import sampled

HEADER = (80.0, 22.0)
CLOSE = 0.02


def made(
    sizes: Floats, edges: list[tuple[int, int]], group: list[int], parent: list[int], *, vertical: bool = False
) -> NestedInput:
    """A nested graph, its edges in the middle of the sides."""
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    header = np.tile(HEADER, (len(parent), 1))
    return NestedInput(
        sizes, pairs, np.zeros(pairs.shape), np.array(group, np.int64), np.array(parent, np.int64), header, vertical
    )


def random_nest(seed: int, *, vertical: bool = False) -> NestedInput:
    """Boxes in groups that begin and end at any box, in up to five levels; edges lead from earlier boxes to later ones.
    One in three has groups that depend on each other in a circle."""
    dice = np.random.default_rng(seed)
    boxes = int(dice.integers(1, 60))
    group, parent = np.full(boxes, -1), []
    for _ in range(int(dice.integers(0, 12))):
        first, last = sorted(dice.integers(0, boxes + 1, 2).tolist())
        around = int(group[first]) if last > first else -1
        ours = np.flatnonzero(group[first:last] == around) + first
        if seed % 3:  # one piece, so that nothing that depends on it comes before it ends
            ours = ours[ours == first + np.arange(len(ours))]
        parent.append(around)
        group[ours] = len(parent) - 1
    heads = np.repeat(np.arange(1, boxes), dice.integers(0, 3, max(boxes - 1, 0)))
    tails = np.maximum(heads - 1 - dice.exponential(4.0, len(heads)).astype(int), 0)
    edges = np.unique(np.column_stack((tails, heads)), axis=0)
    sizes = dice.uniform((50, 40), (180, 110), (boxes, 2))
    ports = dice.uniform(-15, 15, edges.shape) * dice.integers(0, 2, edges.shape)
    header = np.tile(HEADER, (len(parent), 1))
    return NestedInput(sizes, edges, ports, group, np.array(parent, np.int64), header, vertical)


def corners(centres: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Top left and bottom right."""
    return centres - sizes / 2, centres + sizes / 2


def overlaps(low: Floats, high: Floats) -> int:
    """How many pairs of rectangles overlap."""
    both = (low[:, None] < high[None] - 0.1) & (low[None] < high[:, None] - 0.1)
    return int((both.all(2).sum() - len(low)) // 2)


def standing_together(graph: NestedInput, drawing: NestedResult) -> list[tuple[Floats, Floats]]:
    """For each group, and for what is in none, the rectangles of the boxes and groups that stand in it."""
    box_low, box_high = corners(drawing.centres, graph.sizes)
    frame_low, frame_high = drawing.frames[:, :2], drawing.frames[:, :2] + drawing.frames[:, 2:]
    return [
        (
            np.concatenate((box_low[graph.group == group], frame_low[graph.parent == group])),
            np.concatenate((box_high[graph.group == group], frame_high[graph.parent == group])),
        )
        for group in range(-1, len(graph.parent))
    ]


def around(graph: NestedInput, group: int) -> set[int]:
    """A group and those around it."""
    found = set()
    while group >= 0:
        found.add(group)
        group = int(graph.parent[group])
    return found


def strangers(graph: NestedInput, drawing: NestedResult) -> list[tuple[int, str, int]]:
    """(edge, "box" or "frame", which) where an edge runs through what it has nothing to do with."""
    box_low, box_high = corners(drawing.centres, graph.sizes)
    frame_low, frame_high = drawing.frames[:, :2], drawing.frames[:, :2] + drawing.frames[:, 2:]
    found = []
    for edge, ends in enumerate(graph.edges.tolist()):
        points = sampled(drawing.route(edge))[:, None]
        boxes = set(np.flatnonzero(_within(points, box_low, box_high)).tolist()) - set(ends)
        mine = around(graph, int(graph.group[ends[0]])) | around(graph, int(graph.group[ends[1]]))
        frames = set(np.flatnonzero(_within(points, frame_low, frame_high)).tolist()) - mine
        found += [(edge, "box", box) for box in sorted(boxes)] + [(edge, "frame", each) for each in sorted(frames)]
    return found


def _within(points: Floats, low: Floats, high: Floats) -> Ints:
    inside: Ints = ((points > low + 1.5) & (points < high - 1.5)).all(2).any(0)
    return inside
