"""The view of a document, to and from a `.gradviz` file: folding and breakpoints, which belong to the document. Theme,
text size and speed belong to the person and are left out; the cursor and the selection belong to one run."""

from __future__ import annotations

from dataclasses import asdict

from gradviz.document.documents import Sight, Stop
from gradviz.session.breakpoints.points import Breakpoint, Breakpoints
from gradviz.session.folding import Folding
from gradviz.session.state import State


def sight_of(state: State, extra: str = "") -> Sight:
    """What is stored; `extra` is what a newer version had stored there."""
    folding = state.folding
    stops = tuple(Stop(**asdict(point)) for point in state.breakpoints.points)
    chosen = (folding.opened, folding.closed, folding.tagged, folding.linked)
    return Sight(folding.level, *chosen, stops, state.doctor.quiet, extra)


def folding_of(sight: Sight) -> Folding:
    """What is folded."""
    return Folding(sight.level, sight.opened, sight.closed, sight.tagged, sight.linked)


def breakpoints_of(sight: Sight) -> Breakpoints:
    """The breakpoints; where they stop in a run is found again."""
    return Breakpoints().with_points(tuple(Breakpoint(**asdict(stop)) for stop in sight.stops))
