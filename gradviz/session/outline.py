"""What the timeline and its neighbours draw of a trace at one length, as numbers: made once and kept with the trace,
for a long one in the thread that makes it ready. What each part is, is in `strip`, `iterations`, `training` and
`marks`; nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.session.iterations import Iterations, iterations
from gradviz.session.marks import Mark, find_marks
from gradviz.session.strip import Strip
from gradviz.session.training import Training, training

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


@dataclass(frozen=True, eq=False)
class Outline:
    """One trace at one length."""

    strip: Strip
    iterations: Iterations
    course: Training | None
    marks: dict[Mark, NDArray[Any]]  # those that follow from the trace alone


def outline(trace: Trace, steps: int) -> Outline:
    """The outline of the first `steps` steps."""

    def make() -> Outline:
        return Outline(Strip(trace, steps), iterations(trace, steps), training(trace, steps), find_marks(trace, steps))

    return trace.kept(f"outline of {steps}", make)


def precompute(trace: Trace) -> None:
    """Build now what a window asks of a long trace first, in another thread than the one that will read it."""
    from gradviz.trace.words.explain import explain

    trace.precompute()
    explain(trace.frame(len(trace)))
    outline(trace, len(trace)).strip.precompute()
