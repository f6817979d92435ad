"""All that there is to know of two runs, made at once: the comparison and the rows of what differs. A thread of its own
may do it, as it touches nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.session.compare import Comparison, compare
from gradviz.session.differences import Difference, differences

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace


@dataclass(frozen=True, eq=False)
class Verdict:
    """What two runs have in common, and what not."""

    comparison: Comparison
    rows: tuple[Difference, ...]


def judge(here: Trace, there: Trace) -> Verdict:
    """Compare two finished runs."""
    found = compare(here, there)
    return Verdict(found, differences(found))
