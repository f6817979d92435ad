"""Finding one's way in a placed diagram at a cursor. Items: under the pointer, by tensor or node, and along the edges
from one that is selected. Groups: which is open, what is around what, where to click. `scene` asks; `groups` finds the
groups in a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.diagram import GROUP, OPERATION, REFERENCE, TENSOR
from gradviz.ui.canvas.moment import Moment
from gradviz.ui.canvas.placed import Placed

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from gradviz.ui.canvas.groups import Groups

FINGER = 6.0  # pixels around a triangle that count as it
KINDS = {TENSOR: "tensor", OPERATION: "node", REFERENCE: "tensor", GROUP: "group"}


def item_at(placed: Placed, moment: Moment, x: float, y: float) -> int:
    """The item seen at a point of the world, -1 none."""
    offset = np.array((x, y)) - placed.corner
    hit = moment.items & (offset >= 0).all(1) & (offset <= placed.diagram.size).all(1)
    found = np.flatnonzero(hit)
    return int(found[-1]) if len(found) else -1


def nearest(placed: Placed, moment: Moment, x: float, y: float) -> int:
    """The item seen nearest to a point of the world, -1 none."""
    seen = np.flatnonzero(moment.items)
    return int(seen[np.abs(placed.centre[seen] - (x, y)).sum(1).argmin()]) if len(seen) else -1


def find(placed: Placed, moment: Moment, kind: str, index: int) -> int:
    """The item of a tensor, node or group, or the closed group that it is in: one that is seen, else any, -1 none."""
    diagram = placed.diagram
    if kind == "node":
        return int(diagram.item_of_node[index]) if 0 <= index < len(diagram.item_of_node) else -1
    found = diagram.items_of_group(index) if kind == "group" else diagram.items_of_tensor(index)
    if kind == "tensor" and not len(found):
        found = diagram.items_around_tensor(index)
    found = found[np.argsort(diagram.kind[found], kind="stable")]
    seen = found[moment.items[found]]
    return int(seen[0]) if len(seen) else int(found[0]) if len(found) else -1


def neighbour(placed: Placed, moment: Moment, item: int, direction: str) -> int:
    """The item next to this one: along an edge to the "left" or "right", or the nearest "up" or "down"; -1 none."""
    edges = placed.diagram.edges[moment.edges]
    if direction in ("left", "right"):  # of several, the first argument or the first use
        near = edges[edges[:, 1] == item, 0] if direction == "left" else edges[edges[:, 0] == item, 1]
        return int(near[0]) if len(near) else -1
    offset = placed.centre - placed.centre[item]
    sign = -1 if direction == "up" else 1
    ahead = np.flatnonzero(moment.items & (offset[:, 1] * sign > 4))
    if not len(ahead):
        return -1
    cost = np.abs(offset[ahead, 0]) * 2 + np.abs(offset[ahead, 1])
    return int(ahead[cost.argmin()])


def first(placed: Placed, moment: Moment) -> int:
    """Where the keyboard begins: the item of the current step, else the leftmost one seen."""
    if moment.focus >= 0:
        return moment.focus
    seen = np.flatnonzero(moment.items)
    return int(seen[placed.corner[seen, 0].argmin()]) if len(seen) else -1


@dataclass(frozen=True, eq=False)
class SceneGroups:
    """Things are items, or frames of open groups as -2 - frame; -1 is nothing."""

    placed: Placed
    moment: Moment

    @property
    def all(self) -> Groups:
        """All groups, open and closed."""
        return self.placed.diagram.structure.groups

    def is_group(self, thing: int) -> bool:
        """Whether an item is a closed group."""
        return thing >= 0 and bool(self.placed.diagram.kind[thing] == GROUP)

    def is_closed(self, group: int) -> bool:
        """Whether a group is drawn as one item."""
        return bool((self.placed.diagram.group == group).any())

    def at(self, thing: int) -> int:
        """The group that a thing is, or that is around it; -1 none."""
        diagram = self.placed.diagram
        if thing == -1:
            return -1
        if self.is_group(thing):
            return int(diagram.group[thing])
        frame = -2 - thing if thing < -1 else int(diagram.frame_of[thing])
        return int(diagram.frames[frame]) if frame >= 0 else -1

    def closed_around(self, kind: str, index: int) -> list[int]:
        """The groups to be opened before a tensor, operation or group is seen by itself, the innermost first."""
        structure, groups = self.placed.diagram.structure, self.all
        if kind == "node":
            inner = int(groups.of_node[index]) if 0 <= index < len(groups.of_node) else -1
        elif kind == "tensor":
            cards = np.flatnonzero(structure.cards[:, 1] == index)
            shown = cards[self.moment.graphs[structure.cards[cards, 0]]]
            chosen = shown if len(shown) else cards
            inner = int(structure.group_of_card[chosen[0]]) if len(chosen) else -1
        else:
            found = np.flatnonzero(groups.index == index)
            inner = int(groups.parent[found[0]]) if len(found) else -1
        opened = set(self.placed.diagram.frames.tolist())
        return [group for group in groups.path(inner) if group not in opened]

    # -- the frames of open groups

    def frame_of(self, index: int) -> int:
        """The frame of an open group as a thing, one that is seen before others; -1: none."""
        frames = self.placed.diagram.frames_of_group(index)
        seen = frames[self.moment.frames[frames]]
        return -2 - int(seen[0] if len(seen) else frames[0]) if len(frames) else -1

    def first_in(self, thing: int) -> int:
        """The leftmost item that is seen directly in a frame, else anywhere in it; -1: none."""
        inside = np.flatnonzero((self.placed.diagram.frame_of == -2 - thing) & self.moment.items)
        return int(inside[self.placed.corner[inside, 0].argmin()]) if len(inside) else -1

    def title_at(self, camera: Camera, pixel: QPoint) -> int:
        """The innermost frame whose title is under a pixel, as a thing; -1: none."""
        x, y = camera.to_world(pixel.x(), pixel.y())
        frames = self.placed.frames
        hit = self.moment.frames & (frames[:, 0] <= x) & (x <= frames[:, 0] + frames[:, 2])
        hit &= (frames[:, 1] <= y) & (y <= frames[:, 1] + sizes.FRAME_TITLE)
        found = np.flatnonzero(hit)
        return -2 - int(found[-1]) if len(found) else -1

    def is_triangle(self, thing: int, camera: Camera, pixel: QPoint) -> bool:
        """Whether a pixel is at the triangle of a group."""
        if thing == -1 or (thing >= 0 and not self.is_group(thing)):
            return False
        box = self.placed.corner[thing] if thing >= 0 else self.placed.frames[-2 - thing, :2]
        x, y = camera.to_world(pixel.x(), pixel.y())
        across, down = x - float(box[0]), y - float(box[1])
        spare = FINGER / camera.scale
        height = sizes.GROUP_TITLE if thing >= 0 else sizes.FRAME_TITLE
        return across <= sizes.TRIANGLE + spare and down <= height
