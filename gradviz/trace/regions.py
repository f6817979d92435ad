"""Where in the program operations ran: calls of modules and functions, loops and their iterations, one within the
other. The rows are in `schema.Regions`; here is what follows from them for a whole trace. The recorder's side is
`region_stack.py`.

Note [Order of regions] A region has a row only if an operation ran in it, made when the first one did. So rows are in
the order in which regions were entered, a parent before what is in it, and everything in region `r`, at any depth, is
`r + 1 .. end[r] - 1`. Its step is the first one in it, perhaps a leaf's before that operation. As regions are on one
stack, a region that gets its row later began later, or is around none of the earlier ones; so steps do not decrease
either. `validate.py` refuses anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.schema import NEVER, Nodes, Regions

Array = NDArray[Any]


class RegionKind(IntEnum):
    """What one region is."""

    MODULE = 0  # a call of a module: `name` is its path in the outermost module that was called
    FUNCTION = 1  # a call of a function of the snippet
    LOOP = 2  # one run of a `for` or `while` statement
    ITERATION = 3  # of the loop that is its parent


@dataclass(frozen=True, slots=True)
class Nesting:
    """Per region, counting everything in it at any depth."""

    parent: Array
    depth: Array  # 0: in no other region
    end: Array  # the row after the last region in it
    nodes: Array  # how many operations ran in it
    first: Array  # the step of its first operation, NEVER if there was none
    last: Array  # the step of its last one, -1 if there was none
    children: Array  # how many regions are directly in it

    def ancestors(self, region: int) -> list[int]:
        """The regions around a region, itself first, the outermost last."""
        found = []
        while region >= 0:
            found.append(region)
            region = int(self.parent[region])
        return found

    def contains(self, outer: int, region: Array) -> Array:
        """Which of these regions are `outer` or in it: a mask; -1 is in none."""
        inside: Array = (region >= outer) & (region < self.end[outer])
        return inside


def find_nesting(regions: Regions, nodes: Nodes) -> Nesting:
    """All of it at once, level by level from the innermost regions outwards."""
    count, parent, depth = len(regions), regions.parent, regions.depth
    end = np.arange(1, count + 1)
    sizes = np.zeros(count, np.int64)
    first, last = np.full(count, NEVER, np.int64), np.full(count, -1, np.int64)
    there = nodes.region >= 0
    region, step = nodes.region[there], nodes.step[there]
    np.add.at(sizes, region, 1)
    np.minimum.at(first, region, step)
    np.maximum.at(last, region, step)
    order = np.argsort(depth, kind="stable")
    cuts = np.flatnonzero(np.diff(depth[order])) + 1
    for rows in np.split(order, cuts)[:0:-1]:
        above = parent[rows]
        np.maximum.at(end, above, end[rows])
        np.add.at(sizes, above, sizes[rows])
        np.minimum.at(first, above, first[rows])
        np.maximum.at(last, above, last[rows])
    children = np.bincount(parent[parent >= 0], minlength=count)
    return Nesting(parent, depth, end, sizes, first, last, children)
