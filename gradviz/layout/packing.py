"""Where graphs that are shown at the same time stand: one under the other. The place of a graph depends only on when
it and the others are shown, so nothing moves as the cursor does; graphs that are never shown together may share it."""

from __future__ import annotations

import heapq
import math
from bisect import bisect
from collections.abc import Sequence

GRAPH_GAP = 48.0


def stack(heights: Sequence[float], first: Sequence[int], until: Sequence[int]) -> list[float]:
    """The top of each graph; graph g is shown from step first[g] up to, not including, until[g]."""
    tops = [0.0] * len(heights)
    shown: list[tuple[int, int]] = []
    free = [(0.0, math.inf)]  # from the top to the bottom
    for graph in sorted(range(len(heights)), key=lambda g: (first[g], g)):
        while shown and shown[0][0] <= first[graph]:
            gone = heapq.heappop(shown)[1]
            _give_back(free, tops[gone], tops[gone] + heights[gone] + GRAPH_GAP)
        need = heights[graph] + GRAPH_GAP
        place = next(at for at, (begin, end) in enumerate(free) if begin + need <= end)
        tops[graph], end = free[place]
        if tops[graph] + need < end:
            free[place] = (tops[graph] + need, end)
        else:
            del free[place]
        heapq.heappush(shown, (until[graph], graph))
    return tops


def _give_back(free: list[tuple[float, float]], begin: float, end: float) -> None:
    """Make room where a graph was, one with what is free right above and below it."""
    at = bisect(free, (begin, end))
    if at < len(free) and free[at][0] <= end:
        end = free.pop(at)[1]
    if at and free[at - 1][1] >= begin:
        begin = free.pop(at - 1)[0]
        at -= 1
    free.insert(at, (begin, end))
