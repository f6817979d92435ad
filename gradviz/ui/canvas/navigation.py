"""Finding items: under the pointer, by tensor or node, and along the edges from one that is selected."""

from __future__ import annotations

import numpy as np

from gradviz.ui.canvas.diagram import GROUP, OPERATION, REFERENCE, TENSOR
from gradviz.ui.canvas.moment import Moment
from gradviz.ui.canvas.placed import Placed

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
