"""The groups of a trace's graphs: calls of modules and functions, loops and their iterations, and the gradients of a
backward call under create_graph, as one tree per graph without levels that add nothing. A group is named relative to
the group around it, as in the snippet, and has a key that identifies it across runs. `diagram` decides which groups are
open; `structure` has what they contain besides operations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.state import DATA_LOADER
from gradviz.trace.table.modules import called_names
from gradviz.trace.table.name_text import indexed_path
from gradviz.trace.table.regions import RegionKind

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


# -- names and keys

MODULE, FUNCTION = int(RegionKind.MODULE), int(RegionKind.FUNCTION)
GRADIENTS, RUN = 4, 5  # kinds of their own, after those of RegionKind: results of a backward call, runs of equal calls
LONGEST_KEY = 160
UP_TO = " … "
NUMBERED = "iteration "  # name of an iteration whose loop variable is meaningless
MOST_PARTS = 2  # names of regions with equal content that fit into a title
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GroupWords:
    """One entry per group."""

    title: tuple[str, ...]
    detail: tuple[str, ...]
    key: tuple[str, ...]


def group_words(
    trace: Trace, kind: NDArray[np.uint8], region: list[int], also: dict[int, list[int]], graph: Ints, parent: Ints
) -> GroupWords:
    """Titles, details and keys. `region` is the region of each group; numbers after the last row of `trace.regions` are
    backward calls, then runs. `also` lists, for some groups, further regions inside with the same content."""
    names, kinds, rounds = _names(trace), kind.tolist(), _rounds(trace)
    titles: list[str] = []
    details: list[str] = []
    keys: list[str] = []
    paths: list[str] = []
    taken: dict[tuple[int, int, str], int] = {}
    for group, (own, where, around) in enumerate(zip(region, graph.tolist(), parent.tolist(), strict=True)):
        path, before = (paths[around], keys[around]) if around >= 0 else ("", "")
        title, detail = names[own], rounds.get(own, "")
        if kinds[own] in (MODULE, RUN) or group in also:
            chain = [own, *also.get(group, ())]
            title, path = _title(trace, names, kinds, chain, path)
            detail = detail or next((rounds[each] for each in chain if each in rounds), "")
        titles.append(title)
        paths.append(path)
        details.append(detail)
        place = (around, -1 if around >= 0 else where, title)
        nth = taken[place] = taken.get(place, 0) + 1
        key = f"{before}/{title}#{nth}" if nth > 1 else f"{before}/{title}"
        keys.append(key if len(key) <= LONGEST_KEY else "~" + blake2b(key.encode(), digest_size=16).hexdigest())
    return GroupWords(tuple(titles), tuple(details), tuple(keys))


def _names(trace: Trace) -> list[str]:
    """The own name of each region, followed by those of all backward calls and runs."""
    names = [*called_names(trace)]
    for region in np.flatnonzero(trace.regions.kind == RegionKind.FUNCTION).tolist():
        names[region] += "()"
    lines = trace.calls.line.tolist()
    ends = zip(trace.runs.first.tolist(), trace.runs.last.tolist(), strict=True)
    runs = [f"{names[first]}{UP_TO}{names[last]}" for first, last in ends]
    return names + [f"gradients · backward at line {line}" if line > 0 else "gradients" for line in lines] + runs


def _title(trace: Trace, names: list[str], kinds: list[int], chain: list[int], path: str) -> tuple[str, str]:
    """The title of a group inside one whose module is `path`, and the path of its own module."""
    parts: list[str] = []
    for region in chain:
        name = names[region]
        if kinds[region] == RUN:
            if len(chain) == 1:
                parts.append(UP_TO.join(relative(end, path) for end in name.split(UP_TO)))
            continue
        parts.append(relative(name, path) if kinds[region] == MODULE else name)
        path = indexed_path(str(trace.regions.name[region])) if kinds[region] == MODULE else path
    said = list(dict.fromkeys(part for part in parts if part))
    said = [part for part in said if not part.startswith(NUMBERED)] or said
    return " · ".join(said[:MOST_PARTS]), path


def relative(name: str, path: str) -> str:
    """A module's path relative to the module `path`: "attn" in "blocks[0]". A bare number says too little and keeps the
    word before it."""
    if path and name.startswith(f"{path}["):
        return name[name.rfind(".", 0, len(path)) + 1 :]
    return name.removeprefix(f"{path}.") if path else name


def _rounds(trace: Trace) -> dict[int, str]:
    """For each loop the number of iterations, and the names of the first and last."""
    regions, runs = trace.regions, trace.runs
    begin_of_runs = len(regions) + len(trace.calls)
    found = {begin_of_runs + number: f"×{count}" for number, count in enumerate(runs.count.tolist())}
    rows = np.flatnonzero(regions.kind == RegionKind.ITERATION)
    if not len(rows):
        return found
    loop = regions.parent[rows]
    order = np.argsort(loop, kind="stable")
    loops, first, count = np.unique(loop[order], return_index=True, return_counts=True)
    rows = rows[order]
    for each, low, many in zip(loops.tolist(), first.tolist(), count.tolist(), strict=True):
        begin, end = str(regions.name[rows[low]]), str(regions.name[rows[low + many - 1]])
        turns = "" if begin.startswith(NUMBERED) else f" · {begin} … {end.split(' = ')[-1]}"
        found[each] = f"×{many}{turns}" if many > 1 else ""
    return found


MANY = 12  # tensors that are shown beside the operation that uses or made them
SMALL = 12  # operations of a graph that needs no groups
NEARLY_ALL = 0.85  # a module or function that covers this share of its graph makes no group…
DENSE = 40  # …unless it is a module with more operations than these outside its parts
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of all graphs, parents before their contents. `index` is the row of `trace.regions`, or -2 - c for the
    gradients of backward call c, or, after the last row, that of `trace.runs`."""

    index: Ints
    kind: NDArray[np.uint8]
    graph: Ints
    parent: Ints  # -1 for none
    depth: Ints
    size: Ints  # operations inside
    step: Ints  # of the first operation
    title: tuple[str, ...]
    detail: tuple[str, ...]  # "×50 · t = 0 … 49"
    key: tuple[str, ...]  # the same in another run of the snippet
    of_node: Ints  # innermost group of each node, -1 for none
    loads: Flags  # a batch, or data of many tensors, is put together there

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def levels(self) -> list[slice]:
        """The groups at each depth."""
        bounds = np.searchsorted(self.depth, np.arange(int(self.depth.max(initial=-1)) + 2)).tolist()
        return [slice(low, high) for low, high in pairwise(bounds)]

    @cached_property
    def number_of(self) -> dict[str, list[int]]:
        """Groups by key: the iterations of a training loop share one."""
        found: dict[str, list[int]] = {}
        for number, key in enumerate(self.key):
            found.setdefault(key, []).append(number)
        return found

    def path(self, group: int) -> list[int]:
        """A group and those around it, innermost first."""
        found = []
        while group >= 0:
            found.append(group)
            group = int(self.parent[group])
        return found


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The part of each region in each graph, outer regions first."""

    region: Ints
    graph: Ints
    up: Ints  # the pair around it, -1 for none
    size: Ints
    first: Ints  # first node
    bounds: list[int]  # by depth
    of_node: Ints


def find_groups(trace: Trace, graph_of_node: Ints) -> Groups:
    """Note [Groups]: these make no group: a region with fewer than two operations (unless it is a module with a
    parameter), one that covers its whole graph (unless it is a loop inside it, or a dense module), and one with the
    same content as the region around it. The loading of a batch always does, and a function that puts many tensors
    together."""
    parent, kind, depth = _regions(trace)
    pairs = _find_pairs(trace, graph_of_node, parent, depth)
    worth = (pairs.size >= 2) | _with_parameters(trace, len(kind))[pairs.region]
    loads = np.zeros(len(kind), bool)
    loads[: len(trace.regions)] = (trace.regions.kind == RegionKind.MODULE) & (trace.regions.name == DATA_LOADER)
    loads[_gathering(trace)] = True
    total = np.bincount(graph_of_node[graph_of_node >= 0], minlength=1)
    kept, up, merged = _normalise(pairs, kind, worth, loads[pairs.region], total)
    rows = np.flatnonzero(kept)
    number = np.full(len(kept) + 1, -1, np.int64)
    number[rows] = np.arange(len(rows))
    depth = np.zeros(len(rows), np.int64)
    parents = number[up[rows]]
    for low, high in pairwise(pairs.bounds):
        some = number[low:high][kept[low:high]]
        depth[some] = np.where(parents[some] >= 0, depth[parents[some]] + 1, 0)
    order = np.argsort(depth, kind="stable")
    place = np.full(len(rows) + 1, -1, np.int64)
    place[order] = np.arange(len(rows))
    rows, parents, depth = rows[order], place[parents[order]], depth[order]
    number[kept.nonzero()[0]] = place[number[kept.nonzero()[0]]]
    inner = np.where(kept, np.arange(len(kept)), up)  # the nearest group around each pair
    of_node = np.append(number[inner], -1)[pairs.of_node] if len(inner) else pairs.of_node
    count = len(trace.regions)
    region = pairs.region[rows]
    also = {int(number[row]): pairs.region[within].tolist() for row, within in merged.items()}
    words = group_words(trace, kind, region.tolist(), also, pairs.graph[rows], parents)
    return Groups(
        index=_outward(region, count, len(trace.calls)),
        kind=kind[region], graph=pairs.graph[rows], parent=parents, depth=depth, size=pairs.size[rows],
        step=trace.nodes.step[pairs.first[rows]].astype(np.int64),
        title=words.title, detail=words.detail, key=words.key, of_node=of_node, loads=loads[region],
    )  # fmt: skip


def _regions(trace: Trace) -> tuple[Ints, NDArray[np.uint8], Ints]:
    """Parents, kinds and depths of all regions, followed by the gradients of each backward call, and by runs."""
    made = np.flatnonzero(trace.nodes.call >= 0)
    around = np.full(len(trace.calls), -1, np.int64)
    around[trace.nodes.call[made][::-1]] = trace.nodes.region[made][::-1]
    runs, own = trace.runs, trace.regions.parent.astype(np.int64)
    depth, outside = trace.regions.depth.astype(np.int64), own[runs.first]
    for number, (first, end) in enumerate(zip(runs.first.tolist(), runs.end.tolist(), strict=True)):
        calls = np.flatnonzero(own[first:end] == outside[number]) + first
        depth[first:end] += 1
        own[calls] = len(own) + len(around) + number
    parent = np.concatenate((own, around, outside))
    kinds = np.repeat(np.array([GRADIENTS, RUN], np.uint8), [len(around), len(runs)])
    deep = np.append(depth, -1)
    depths = np.concatenate((depth, deep[around] + 1, depth[runs.first] - 1))
    return parent, np.concatenate((trace.regions.kind, kinds)), depths


def _outward(region: Ints, regions: int, calls: int) -> Ints:
    """The numbers by which the rest of the program refers to regions, calls and runs."""
    return np.where(region < regions, region, np.where(region < regions + calls, -2 - region + regions, region - calls))


def _find_pairs(trace: Trace, graph_of_node: Ints, parent: Ints, depth: Ints) -> _Pairs:
    count = len(trace.regions)
    region = np.where(trace.nodes.call >= 0, count + trace.nodes.call, trace.nodes.region).astype(np.int64)
    drawn = np.flatnonzero((region >= 0) & (graph_of_node >= 0))
    wide = int(graph_of_node.max(initial=-1)) + 1
    keys, inverse = np.unique(region[drawn] * wide + graph_of_node[drawn], return_inverse=True)
    sizes = np.bincount(inverse, minlength=len(keys))
    firsts = np.full(len(keys), len(trace.nodes), np.int64)
    np.minimum.at(firsts, inverse, drawn)
    levels: list[tuple[Ints, Ints, Ints]] = []
    waiting = (np.empty(0, np.int64),) * 3  # keys, sizes and first nodes, passed up from below
    deep = depth[keys // wide] if len(keys) else keys
    for level in range(int(deep.max(initial=-1)), -1, -1):
        here = deep == level
        every = np.concatenate((keys[here], waiting[0]))
        found, back = np.unique(every, return_inverse=True)
        size = np.bincount(back, np.concatenate((sizes[here], waiting[1])), len(found)).astype(np.int64)
        first = np.full(len(found), len(trace.nodes), np.int64)
        np.minimum.at(first, back, np.concatenate((firsts[here], waiting[2])))
        levels.append((found, size, first))
        waiting = (parent[found // wide] * wide + found % wide, size, first)
    levels.reverse()
    every = np.concatenate([level[0] for level in levels]) if levels else keys
    bounds = np.cumsum([0, *(len(level[0]) for level in levels)]).tolist()
    order = np.argsort(every, kind="stable")
    above = parent[every // max(wide, 1)] if len(every) else every
    up = np.where(above >= 0, _look_up(every, order, above * wide + every % max(wide, 1)), -1)
    of_node = np.full(len(trace.nodes), -1, np.int64)
    of_node[drawn] = _look_up(every, order, keys)[inverse]
    size = np.concatenate([level[1] for level in levels]) if levels else keys
    first = np.concatenate([level[2] for level in levels]) if levels else keys
    return _Pairs(every // max(wide, 1), every % max(wide, 1), up, size, first, bounds, of_node)


def _look_up(keys: Ints, order: Ints, wanted: Ints) -> Ints:
    if not len(keys):
        return np.empty(0, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    return order[at]


def _with_parameters(trace: Trace, count: int) -> Flags:
    """By region: whether it is the call of a module one of whose parameters is read by an operation."""
    users = trace.inputs.node[trace.tensors.is_parameter[trace.inputs.tensor]]
    regions = trace.nodes.region[users]
    found = np.zeros(count, bool)
    found[regions[regions >= 0]] = True
    found[: len(trace.regions)] &= trace.regions.kind == RegionKind.MODULE
    return found


def _gathering(trace: Trace) -> Ints:
    """The calls of functions with an operation on more than `MANY` tensors that none has made, such as the lines of a
    text."""
    used = trace.inputs.tensor
    given = (trace.tensors.producer[used] < 0) & ~trace.tensors.is_parameter[used].astype(bool)
    many = np.flatnonzero(np.bincount(trace.inputs.node[given], minlength=1) > MANY)
    regions = trace.nodes.region[many]
    regions = regions[regions >= 0]
    found: Ints = regions[trace.regions.kind[regions] == RegionKind.FUNCTION]
    return found


def _normalise(
    pairs: _Pairs, kind: NDArray[np.uint8], worth: Flags, loads: Flags, total: Ints
) -> tuple[Flags, Ints, dict[int, list[int]]]:
    """Which pairs are groups, the group around each pair, and the pairs merged into each group."""
    whole = total[pairs.graph] if len(pairs.graph) else pairs.size
    what = kind[pairs.region]
    goes_round = np.zeros(len(whole), bool)
    rounds = np.flatnonzero(what == RegionKind.ITERATION)
    rounds = rounds[pairs.up[rounds] >= 0]
    goes_round[np.flatnonzero(np.bincount(pairs.up[rounds], minlength=len(whole)) > 1)] = True
    goes_round |= what == RUN
    wraps = (what == RegionKind.MODULE) | (what == RegionKind.FUNCTION)
    kept = worth & ((whole > SMALL) | (what == GRADIENTS))
    kept &= (pairs.size < whole) | goes_round
    direct = np.bincount(pairs.of_node[pairs.of_node >= 0], minlength=len(whole))
    tells = (what == RegionKind.MODULE) & (direct > DENSE)  # a GRU: hundreds of operations and no parts
    kept &= ~(wraps & (pairs.size >= NEARLY_ALL * whole)) | tells
    kept |= loads
    up = np.full(len(whole), -1, np.int64)
    merged: dict[int, list[int]] = {}
    for low, high in pairwise(pairs.bounds):
        around = pairs.up[low:high]
        inside = around >= 0
        nearest = np.where(inside, np.where(kept[around], around, up[around]), -1)
        up[low:high] = nearest
        same = kept[low:high] & (nearest >= 0) & (pairs.size[low:high] == pairs.size[nearest]) & ~loads[low:high]
        kept[low:high] &= ~same
        for pair in (np.flatnonzero(same) + low).tolist():
            merged.setdefault(int(up[pair]), []).append(pair)
    return kept, up, merged
