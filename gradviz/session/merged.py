"""One axis for two aligned runs: steps that correspond stand at the same place, and where one run has steps that the
other has not, the other has a gap. Pure; the What-if strip paints along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.session.align import Match

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Merged:
    """`here[step]` and `there[step]` are places from 0 to `count`; `step_here[place]` is -1 in a gap."""

    here: Array
    there: Array
    step_here: Array
    step_there: Array

    @property
    def count(self) -> int:
        """How many places there are."""
        return len(self.step_here)


def merge(steps: Match) -> Merged:
    """The places of all steps; of two stretches between the same neighbours that of the first run comes first."""
    a, b = steps.pairs
    here = np.arange(len(steps.there))
    there = np.arange(len(steps.back))
    before_a = np.searchsorted(a, here)  # pairs before each step; for a step of a pair, without that pair
    before_b = np.searchsorted(b, there)
    others = np.append(0, b + 1)  # steps of the other run up to the end of the n-th pair
    reach = np.append(a, len(here))  # steps of this run before the next pair
    in_pair = steps.there >= 0
    with_there = np.where(in_pair, steps.there, others[before_a])
    place_here = here + with_there - before_a
    place_there = there + reach[before_b] - before_b
    place_there[b] = place_here[a]
    count = len(here) + len(there) - len(a)
    step_here, step_there = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    step_here[place_here], step_there[place_there] = here, there
    return Merged(place_here, place_there, step_here, step_there)
