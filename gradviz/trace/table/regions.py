"""Where in the program operations ran: calls of modules and functions, loops and their iterations, nested. The rows are
in `schema.Regions`; this module derives the nesting of a whole trace. The recorder's side is
`gradviz.trace.record.location`.

Note [Order of regions] A region has a row only if an operation ran in it, and the row is made with the first one. So
rows are in the order in which regions were entered, a parent before its contents, and everything in region `r`, at any
depth, is `r + 1 .. end[r] - 1`. Its step is the first one in it, which may be a leaf's before that operation. As
regions are on one stack, a region that gets its row later began later, or is around none of the earlier ones; so steps
do not decrease either. `encoding.py` refuses anything else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.schema import NEVER, Nodes, Regions

Array = NDArray[Any]


class RegionKind(IntEnum):
    """What one region is."""

    MODULE = 0  # a call of a module: `name` is its path in the outermost module that was called
    FUNCTION = 1  # a call of a function of the snippet
    LOOP = 2  # one run of a `for` or `while` statement
    ITERATION = 3  # of the loop that is its parent


@dataclass(frozen=True, slots=True)
class Nesting:
    """Per region, counting everything inside at any depth."""

    parent: Array
    depth: Array  # 0: not inside another region
    end: Array  # the row after the last region in it
    nodes: Array  # how many operations ran inside
    first: Array  # the step of its first operation, NEVER if there was none
    last: Array  # the step of its last one, -1 if there was none
    children: Array  # how many regions are directly in it
    turn: Array  # the innermost iteration that it is or is inside, -1 for none; and a final -1 for "no region"

    def ancestors(self, region: int) -> list[int]:
        """The regions around a region, from itself to the outermost."""
        found = []
        while region >= 0:
            found.append(region)
            region = int(self.parent[region])
        return found

    def contains(self, outer: int, region: Array) -> Array:
        """Which of these regions are `outer` or inside it: a mask; -1 is inside none."""
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
    settled = np.append(regions.kind == RegionKind.ITERATION, True)
    turn = np.append(np.where(settled[:-1], np.arange(count), parent), -1)
    while not settled[turn].all():
        turn = np.where(settled[turn], turn, turn[turn])
    return Nesting(parent, depth, end, sizes, first, last, children, turn)


LEAST = 4  # calls in a run


@dataclass(frozen=True, slots=True)
class Runs:
    """Per run: everything in it is in the regions `first .. end - 1`."""

    first: Array
    last: Array  # the region of its last call
    end: Array
    count: Array  # calls

    def __len__(self) -> int:
        return len(self.first)


def find_runs(regions: Regions, nodes: Nodes, nesting: Nesting) -> Runs:
    """Calls are equal if they contain equally many operations and regions; nothing else ran between them."""
    rows = np.flatnonzero((regions.kind == RegionKind.MODULE) & (nesting.nodes > 0))
    rows = rows[nesting.end[rows] < len(regions)]
    following = nesting.end[rows]
    same = (regions.kind[following] == RegionKind.MODULE) & (regions.parent[following] == regions.parent[rows])
    same &= nesting.nodes[following] == nesting.nodes[rows]
    same &= nesting.end[following] - following == following - rows
    rows, following = rows[same], following[same]
    until = np.searchsorted(nodes.step, nesting.last[rows], "right")
    direct = until == np.searchsorted(nodes.step, nesting.first[following], "left")
    found: list[tuple[int, int, int]] = []
    calls: list[int] = []
    for row, after in zip(rows[direct].tolist(), following[direct].tolist(), strict=True):
        if not _counts_on(str(regions.name[row]), str(regions.name[after])):
            continue
        if not calls or calls[-1] != row:
            _add(found, calls)
            calls = [row]
        calls.append(after)
    _add(found, calls)
    first, last, count = np.array(found, np.int64).reshape(-1, 3).T
    return Runs(first, last, nesting.end[last], count)


def _add(found: list[tuple[int, int, int]], calls: list[int]) -> None:
    if len(calls) >= LEAST:
        found.append((calls[0], calls[-1], len(calls)))


def _counts_on(name: str, following: str) -> bool:
    """Whether these are neighbours in a list: "blocks.3" and "blocks.4"."""
    before, _, number = name.rpartition(".")
    return number.isdecimal() and following == (f"{before}." if before else "") + str(int(number) + 1)
