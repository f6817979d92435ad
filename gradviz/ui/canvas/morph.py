"""From one drawing of a diagram to another: where everything is on the way when groups open or close. What is in both
moves, what is in only one of them comes out of its group's box or goes into it. Only places here; `animation` has the
clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.ui.canvas.diagram import GROUP, OPERATION, REFERENCE, Diagram, Flags, Floats, Ints
from gradviz.ui.canvas.placed import Placed, placed_at

MOST = 1500  # items; with more of them there is no movement


@dataclass(frozen=True, eq=False)
class Morph:
    """The drawing with more in it, on its way from the old places to the new ones, or, where groups close, its own
    places being the old ones, from these to the new."""

    base: Placed
    opens: bool
    corner: tuple[Floats, Floats]  # at the beginning and at the end
    frames: tuple[Floats, Floats]
    cubics: tuple[Floats, Floats]
    passing: Flags  # items that are in only one of the two drawings

    def at(self, part: float) -> Placed:
        """The places at a part of the way, 0 to 1."""
        corner, frames, cubics = (
            begin + (end - begin) * part for begin, end in (self.corner, self.frames, self.cubics)
        )  # fmt: skip
        return placed_at(self.base.diagram, corner, frames, cubics, self.base.edge_of_cubic)

    def opacity(self, part: float) -> float:
        """How much is seen of what comes or goes."""
        return part if self.opens else 1.0 - part


def morph(old: Placed, new: Placed, shift: tuple[float, float]) -> Morph | None:
    """The way between two drawings of the same structure, the old one being moved by `shift` before; None where that
    cannot be seen."""
    if old.diagram.structure is not new.diagram.structure or max(len(old.diagram), len(new.diagram)) > MOST:
        return None
    if old.diagram.drawing.vertical != new.diagram.drawing.vertical:
        return None
    moved = np.array(shift)
    opens = len(new.diagram) >= len(old.diagram)
    base, other = (new, old) if opens else (old, new)
    corner, passing = _corners(base, other)
    frames = _frames(base, other)
    cubics = base.cubics + _pulled(base, corner - base.corner)
    here = base.corner, base.frames, base.cubics
    there = corner, frames, cubics
    early, late = (there, here) if opens else (here, there)
    corner, frames, cubics = (each.copy() for each in early)
    frames[:, :2] += moved
    return Morph(base, opens, (corner + moved, late[0]), (frames, late[1]), (cubics + moved, late[2]), passing)


def _corners(base: Placed, other: Placed) -> tuple[Floats, Flags]:
    """Where each item of `base` is in the other drawing, it or the group that it is in; and which are in a group."""
    diagram, there = base.diagram, other.diagram
    twin = _twins(diagram, there)
    same = (twin >= 0) & (diagram.kind == there.kind[twin]) & (diagram.index == there.index[twin])
    middle = other.corner[twin] + there.size[twin] / 2 - diagram.size / 2
    corner: Floats = np.where(same[:, None], other.corner[twin], middle)
    corner[twin < 0] = base.corner[twin < 0]
    tags = np.flatnonzero(diagram.kind == REFERENCE)
    if len(tags):
        tail = diagram.edges[:, 0]
        order = np.argsort(tail, kind="stable")
        user = diagram.edges[order[np.searchsorted(tail, tags, sorter=order)], 1]
        corner[tags] = base.corner[tags] + corner[user] - base.corner[user]
        same[tags] = same[user] & (diagram.kind[user] != GROUP)
    return corner, ~same


def _twins(diagram: Diagram, there: Diagram) -> Ints:
    """For each item the item of the other diagram that it is or is in, -1: none."""
    twin = np.full(len(diagram), -1, np.int64)
    nodes = np.flatnonzero((diagram.kind == OPERATION) | (diagram.kind == GROUP))
    twin[nodes] = there.item_of_node[diagram.last_node[nodes]]
    cards = np.flatnonzero(diagram.item_of_card >= 0)
    own = diagram.kind[diagram.item_of_card[cards]] != GROUP
    twin[diagram.item_of_card[cards[own]]] = there.item_of_card[cards[own]]
    return twin


def _frames(base: Placed, other: Placed) -> Floats:
    """Where each frame of `base` is in the other drawing: the frame of the same group, or the box that it is in."""
    diagram, there = base.diagram, other.diagram
    known = {group: frame for frame, group in enumerate(there.frames.tolist())}
    frames = base.frames.copy()
    groups = diagram.structure.groups
    boxes = {int(group): item for item, group in enumerate(there.group.tolist()) if group >= 0}
    for frame, group in enumerate(diagram.frames.tolist()):
        if group in known:
            frames[frame] = other.frames[known[group]]
            continue
        box = next((boxes[outer] for outer in groups.path(group) if outer in boxes), -1)
        if box >= 0:
            frames[frame] = (*other.corner[box].tolist(), *there.size[box].tolist())
    return frames


def _pulled(base: Placed, pull: Floats) -> Floats:
    """By how much the points of each route move when its ends do."""
    edge = base.edge_of_cubic
    pieces = np.diff(base.first_cubic)[edge]
    nth = np.arange(len(edge)) - base.first_cubic[edge]
    part = ((nth[:, None] + np.arange(4) / 3) / pieces[:, None])[:, :, None]
    tail, head = pull[base.diagram.edges[edge, 0]], pull[base.diagram.edges[edge, 1]]
    found: Floats = tail[:, None] * (1 - part) + head[:, None] * part
    return found
