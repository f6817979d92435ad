"""Where graphs that are shown at the same time stand: one under the other. The place of a graph depends only on when
it and the others are shown, so nothing moves as the cursor does; graphs that are never shown together may share it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

GRAPH_GAP = 48.0


def stack(heights: Sequence[float], first: Sequence[int], until: Sequence[int]) -> list[float]:
    """The top of each graph; graph g is shown from step first[g] up to, not including, until[g]."""
    tops = [0.0] * len(heights)
    shown: list[tuple[int, int]] = []
    for graph in sorted(range(len(heights)), key=lambda g: (first[g], g)):
        while shown and shown[0][0] <= first[graph]:
            heapq.heappop(shown)
        taken = sorted((tops[other], tops[other] + heights[other]) for _, other in shown)
        top = 0.0
        for start, end in taken:
            if top + heights[graph] + GRAPH_GAP <= start:
                break
            top = max(top, end + GRAPH_GAP)
        tops[graph] = top
        heapq.heappush(shown, (until[graph], graph))
    return tops
