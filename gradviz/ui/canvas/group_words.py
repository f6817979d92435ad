"""What groups are called: relative to the group around them, as the snippet calls them; and keys by which a group is
found again in another run. See `groups` for what they are."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.regions import RegionKind

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

MODULE, FUNCTION = int(RegionKind.MODULE), int(RegionKind.FUNCTION)
GRADIENTS = 4  # a kind of its own, after those of RegionKind
LONGEST_KEY = 160
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
    trace: Trace, kind: NDArray[np.uint8], chains: list[list[int]], graph: Ints, parent: Ints
) -> GroupWords:
    """Titles, details and keys. `chains` has for each group the regions with its content, the outermost first; those
    after the last row of `trace.regions` are backward calls."""
    rounds, kinds = _rounds(trace), kind.tolist()
    titles: list[str] = []
    details: list[str] = []
    keys: list[str] = []
    paths: list[str] = []
    taken: dict[tuple[int, int, str], int] = {}
    for chain, where, around in zip(chains, graph.tolist(), parent.tolist(), strict=True):
        title, path = _title(trace, kinds, chain, paths[around] if around >= 0 else "")
        titles.append(title)
        paths.append(path)
        details.append(next((rounds[region] for region in chain if region in rounds), ""))
        place = (around, -1 if around >= 0 else where, title)
        nth = taken[place] = taken.get(place, 0) + 1
        key = f"{keys[around] if around >= 0 else ''}/{title}" + (f"#{nth}" if nth > 1 else "")
        keys.append(key if len(key) <= LONGEST_KEY else "~" + blake2b(key.encode(), digest_size=16).hexdigest())
    return GroupWords(tuple(titles), tuple(details), tuple(keys))


def _title(trace: Trace, kind: list[int], chain: list[int], path: str) -> tuple[str, str]:
    """What a group is called in one whose module is `path`, and the path of the module that it is in."""
    count, parts = len(trace.regions), []
    for region in chain:
        if region >= count:
            parts.append(_gradients(trace, region - count))
            continue
        name = str(trace.regions.name[region])
        if kind[region] == MODULE:
            parts.append(relative(name, path))
            path = name
        else:
            parts.append(f"{name}()" if kind[region] == FUNCTION else name)
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


def _gradients(trace: Trace, call: int) -> str:
    line = int(trace.calls.line[call])
    return f"gradients · backward at line {line}" if line > 0 else "gradients"


def _rounds(trace: Trace) -> dict[int, str]:
    """For each loop how often it went round, and what its first and last iteration are called."""
    regions = trace.regions
    rows = np.flatnonzero(regions.kind == RegionKind.ITERATION)
    if not len(rows):
        return {}
    loop = regions.parent[rows]
    order = np.argsort(loop, kind="stable")
    loops, first, count = np.unique(loop[order], return_index=True, return_counts=True)
    rows = rows[order]
    found = {}
    for each, low, many in zip(loops.tolist(), first.tolist(), count.tolist(), strict=True):
        begin, end = str(regions.name[rows[low]]), str(regions.name[rows[low + many - 1]])
        turns = "" if begin.startswith(NUMBERED) else f" · {begin} … {end.split(' = ')[-1]}"
        found[each] = f"×{many}{turns}" if many > 1 else ""
    return found
