"""Where graphs stand under each other: as if each looked for the first place where it fits."""

from __future__ import annotations

import random

import pytest

from gradviz.layout.rows import GRAPH_GAP, stack


def one_by_one(heights: list[float], first: list[int], until: list[int]) -> list[float]:
    """The same, slowly."""
    tops: dict[int, float] = {}
    for graph in sorted(range(len(heights)), key=lambda g: (first[g], g)):
        with_it = [other for other in tops if until[other] > first[graph]]
        top = 0.0
        for start, end in sorted((tops[other], tops[other] + heights[other]) for other in with_it):
            if top + heights[graph] + GRAPH_GAP <= start:
                break
            top = max(top, end + GRAPH_GAP)
        tops[graph] = top
    return [tops[graph] for graph in range(len(heights))]


@pytest.mark.parametrize("seed", range(40))
def test_each_takes_the_first_place_where_it_fits(seed: int) -> None:
    dice = random.Random(seed)
    count = dice.randrange(30)
    heights = [dice.choice((0.0, 10.0, 50.0, 200.0)) for _ in range(count)]
    first = [dice.randrange(40) for _ in range(count)]
    until = [begin + dice.randrange(15) if dice.random() < 0.8 else 10**18 for begin in first]
    assert stack(heights, first, until) == one_by_one(heights, first, until)


def test_thousands_beside_each_other_stand_one_below_the_other() -> None:
    count = 100_000
    tops = stack([50.0] * count, list(range(count)), [10**18] * count)
    assert tops == [(50.0 + GRAPH_GAP) * nth for nth in range(count)]
