"""What gets a mark on the timeline: the error, where NaN and infinity begin, breakpoints, in-place writes,
accumulations. Pure; the timeline draws one mark per place, the most important one."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from gradviz.session.columns import place, places
from gradviz.session.timeline.zoom import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


class Mark(IntEnum):
    """What is marked; larger is more important."""

    ACCUMULATE = 0
    INPLACE = 1
    BREAKPOINT = 2
    LESSON = 3
    NOT_FINITE = 4
    ERROR = 5


TITLES = {
    Mark.ACCUMULATE: ("accumulation into .grad", "accumulations into .grad"),
    Mark.INPLACE: ("write in place", "writes in place"),
    Mark.BREAKPOINT: ("breakpoint", "breakpoints"),
    Mark.LESSON: ("finding", "findings"),
    Mark.NOT_FINITE: ("first NaN or infinity", "places where NaN or infinity begins"),
    Mark.ERROR: ("error", "errors"),
}


class Marks:
    """The steps with a mark, by mark, ascending."""

    def __init__(self, steps_of: dict[Mark, NDArray[Any]]) -> None:
        self.steps_of = steps_of

    def places(self, span: Span, columns: int) -> list[tuple[int, Mark]]:
        """(column, mark) for every column with a mark; the most important one in each."""
        import numpy as np

        edges = np.linspace(span.start, span.end, columns + 1)
        best = np.full(columns, -1)
        for mark in sorted(self.steps_of):
            best[np.diff(places(self.steps_of[mark], edges - 0.5)) > 0] = mark
        return [(column, Mark(int(best[column]))) for column in np.flatnonzero(best >= 0).tolist()]

    def next_to(self, cursor: int, *, forward: bool) -> int | None:
        """The next or previous cursor at which a marked step is the current one; accumulations count only if there is
        nothing else."""
        import numpy as np

        important = [steps for mark, steps in self.steps_of.items() if mark is not Mark.ACCUMULATE and len(steps)]
        steps = np.unique(np.concatenate(important or list(self.steps_of.values())))
        at = place(steps, cursor if forward else cursor - 1) - (0 if forward else 1)
        return int(steps[at]) + 1 if 0 <= at < len(steps) else None

    def within(self, start: float, end: float) -> list[tuple[Mark, int, int]]:
        """(mark, how many, the step of the first) for the steps whose middle is in [start, end), by importance."""

        found = []
        for mark in sorted(self.steps_of, reverse=True):
            steps = self.steps_of[mark]
            low, high = place(steps, start - 0.5), place(steps, end - 0.5)
            if high > low:
                found.append((mark, high - low, int(steps[low])))
        return found


def find_marks(trace: Trace, steps: int) -> dict[Mark, NDArray[Any]]:
    """The marks that follow from the trace alone."""
    import numpy as np

    from gradviz.trace.table.kinds import Kind

    kinds = trace.steps.kind[:steps]
    found = {
        Mark.ACCUMULATE: np.flatnonzero(kinds == Kind.ACCUMULATE),
        Mark.INPLACE: np.flatnonzero(kinds == Kind.INPLACE),
        Mark.NOT_FINITE: np.union1d(_values_begin(trace), _gradients_begin(trace)),
        Mark.ERROR: np.flatnonzero((kinds == Kind.ERROR) | (kinds == Kind.CAUGHT)),
    }
    return {mark: rows[rows < steps] for mark, rows in found.items()}


def _is_bad(trace: Trace, values: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    from gradviz.trace.table.frame import NOT_FINITE

    bad: NDArray[Any] = (values >= 0) & (np.append(trace.value_flag, 0)[values] == NOT_FINITE)
    return bad


def _values_begin(trace: Trace) -> NDArray[Any]:
    """The steps at which a result is not finite although all inputs were."""
    import numpy as np

    tensors, inputs = trace.tensors, trace.inputs
    bad = _is_bad(trace, tensors.value)
    if not bad.any():
        return np.empty(0, np.int64)
    spoilt = np.zeros(len(trace.nodes) + 1, bool)
    spoilt[inputs.node[bad[inputs.tensor]]] = True
    spoilt[-1] = False  # leaves have no producer
    begins = bad & ~spoilt[tensors.producer] & (tensors.step >= 0) & (tensors.grad_of < 0)
    return np.unique(tensors.step[begins])


def _gradients_begin(trace: Trace) -> NDArray[Any]:
    """The first step of a backward call at which a gradient is not finite, unless that was already so in the previous
    call."""
    import numpy as np

    flows, arrivals = trace.flows, trace.arrivals
    steps = np.concatenate([flows.step[_is_bad(trace, flows.value)], arrivals.step[_is_bad(trace, arrivals.total)]])
    if not len(steps):
        return np.empty(0, np.int64)
    steps = np.unique(steps[steps >= 0])
    calls, first = np.unique(trace.steps.call[steps], return_index=True)
    begins = np.diff(calls, prepend=-2) != 1
    found: NDArray[Any] = steps[first[begins]].astype(np.int64)
    return found
