"""What groups are called: relative to the group around them, as the snippet calls them; and keys by which a group is
found again in another run. See `groups` for what they are."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.regions import RegionKind

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

MODULE, FUNCTION = int(RegionKind.MODULE), int(RegionKind.FUNCTION)
GRADIENTS, RUN = 4, 5  # kinds of their own, after those of RegionKind: what a backward call made, equal calls
LONGEST_KEY = 160
UP_TO = " … "
NUMBERED = "iteration "  # how an iteration is called whose variable says nothing
MOST_PARTS = 2  # names of regions with the same content that a title shows
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GroupWords:
    """By group."""

    title: tuple[str, ...]
    detail: tuple[str, ...]
    key: tuple[str, ...]


def group_words(
    trace: Trace, kind: NDArray[np.uint8], region: list[int], also: dict[int, list[int]], graph: Ints, parent: Ints
) -> GroupWords:
    """Titles, details and keys. `region` is that of each group; those after the last row of `trace.regions` are
    backward calls, then runs. `also` has for some groups regions in it with the same content."""
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
            title, path = _title(names, kinds, chain, path)
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
    """What every region is called by itself, and after them every backward call and every run."""
    names: list[str] = trace.regions.name.tolist()
    for region in np.flatnonzero(trace.regions.kind == RegionKind.FUNCTION).tolist():
        names[region] += "()"
    lines = trace.calls.line.tolist()
    ends = zip(trace.runs.first.tolist(), trace.runs.last.tolist(), strict=True)
    runs = [f"{names[first]}{UP_TO}{names[last]}" for first, last in ends]
    return names + [f"gradients · backward at line {line}" if line > 0 else "gradients" for line in lines] + runs


def _title(names: list[str], kinds: list[int], chain: list[int], path: str) -> tuple[str, str]:
    """What a group is called in one whose module is `path`, and the path of the module that it is in."""
    parts: list[str] = []
    for region in chain:
        name = names[region]
        if kinds[region] == RUN:
            if len(chain) == 1:
                parts.append(UP_TO.join(relative(end, path) for end in name.split(UP_TO)))
            continue
        parts.append(relative(name, path) if kinds[region] == MODULE else name)
        path = name if kinds[region] == MODULE else path
    said = list(dict.fromkeys(part for part in parts if part))
    said = [part for part in said if not part.startswith(NUMBERED)] or said
    return " · ".join(said[:MOST_PARTS]), path


def relative(name: str, path: str) -> str:
    """A module's path as it is said inside of the module `path`: "attn" in "blocks.0"; a bare number says too little
    and keeps the word before it."""
    short = name.removeprefix(f"{path}.") if path else name
    if short.isdecimal() and "." in name:
        return ".".join(name.split(".")[-2:])
    return short


def _rounds(trace: Trace) -> dict[int, str]:
    """For each loop how often it went round, and what its first and last iteration are called."""
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
