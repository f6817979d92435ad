"""Which groups are open: what the user chose, and elsewhere as much as can be read. Small graphs are open throughout;
of larger ones so much is opened, from the outside inwards, that there are not too many boxes."""

from __future__ import annotations

import numpy as np

from gradviz.session.folding import Folding
from gradviz.trace.table.regions import RegionKind
from gradviz.ui.canvas.group_words import NUMBERED
from gradviz.ui.canvas.groups import Flags, Groups, Ints
from gradviz.ui.canvas.structure import Structure

OPEN_THROUGHOUT = 120  # items of a graph that needs no folding
OPEN_LOOPS = 100  # items of a graph that shows all iterations of its loops
MOST_BOXES = 130
FEW = 6  # items of a small group
LONG_LOOP = 8  # iterations
OPEN_INSIDE = 40  # items of a group in a closed one that is open when its turn comes


def open_groups(structure: Structure, folding: Folding, at_first: Flags | None = None) -> Flags:
    """By group: whether it is open (it may be in one that is not); `at_first` says it where the user did not."""
    groups = structure.groups
    if folding.level is None:
        found = readable(structure) if at_first is None else at_first.copy()
    else:
        found = groups.depth < folding.level
    for keys, is_open in ((folding.opened, True), (folding.closed, False)):
        for key in keys:
            found[groups.number_of.get(key, [])] = is_open
    return found


def readable(structure: Structure) -> Flags:
    """By group: whether it is open when there shall be no more boxes than can be read."""
    groups = structure.groups
    if not len(groups):
        return np.zeros(0, bool)
    inner = structure.items_in + np.bincount(groups.parent[groups.parent >= 0], minlength=len(groups))
    total = _totals(groups, structure.items_in)
    of_graph = np.bincount(structure.cards[:, 0], minlength=len(structure.first))
    drawn = structure.graph_of_node[structure.graph_of_node >= 0]
    of_graph = of_graph + np.bincount(drawn, minlength=len(structure.first))
    long = _long_loops(groups)
    turns = np.append(long, False)[groups.parent] & (groups.kind == RegionKind.ITERATION)
    folded = (long | turns) & (of_graph[groups.graph] > OPEN_LOOPS)
    found: Flags = ~folded & ((total <= OPEN_INSIDE) | (of_graph[groups.graph] <= OPEN_THROUGHOUT))
    for graph in np.unique(groups.graph[of_graph[groups.graph] > OPEN_THROUGHOUT]).tolist():
        top = (groups.graph == graph) & (groups.parent < 0)
        outside = int(of_graph[graph] - total[top].sum() + top.sum())
        _open_from_outside(groups, graph, found, inner, total, folded, outside)
    return found


def _totals(groups: Groups, items: Ints) -> Ints:
    """By group: items in it at any depth."""
    total = items.copy()
    for level in groups.levels[:0:-1]:
        np.add.at(total, groups.parent[level], total[level])
    return total


def _long_loops(groups: Groups) -> Flags:
    """Loops with many iterations, unless each of these is the call of a module, which has a name to be seen by."""
    plain = [" = " in title or title.startswith(NUMBERED) for title in groups.title]
    iteration = (groups.kind == RegionKind.ITERATION) & (groups.parent >= 0) & np.array(plain, bool)
    many = np.bincount(groups.parent[iteration], minlength=len(groups)) > LONG_LOOP
    found: Flags = many & (groups.kind == RegionKind.LOOP)
    return found


def _open_from_outside(
    groups: Groups, graph: int, found: Flags, inner: Ints, total: Ints, folded: Flags, boxes: int
) -> None:
    """Open the groups of a large graph level by level as long as there is room: all of a level, else the small ones."""
    inside = np.zeros(len(groups), bool)  # in groups that are open so far
    for nth, level in enumerate(groups.levels):
        rows = np.flatnonzero(groups.graph[level] == graph) + level.start
        if nth:
            rows = rows[inside[groups.parent[rows]]]
        found[rows] = False
        rows = rows[~folded[rows]]
        if boxes + (inner[rows] - 1).sum() > MOST_BOXES:
            rows = rows[inner[rows] <= FEW]
        gain = int((inner[rows] - 1).sum())
        if boxes + gain <= MOST_BOXES:
            boxes += gain
            found[rows] = inside[rows] = True
