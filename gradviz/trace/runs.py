"""Runs of equal calls: modules "blocks.0" to "blocks.11" of one list that were called one directly after the other,
without a loop of the snippet that would say so (`nn.Sequential` does it). Rows of regions are in `regions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.regions import Nesting, RegionKind
from gradviz.trace.schema import Nodes, Regions

Array = NDArray[Any]
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
    """Calls are equal that hold as many operations and regions; nothing else ran between them."""
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
