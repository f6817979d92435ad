"""The course of a training loop: per backward call the loss that it differentiates and the norm of all .grad that it
wrote. Pure; the timeline draws it under the strip."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradviz.session.columns import place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace

LEAST = 3  # backward calls that make a course
MOST_SERIES = 3  # losses of different lines that are told apart


@dataclass(frozen=True, eq=False)
class Series:
    """One loss over the steps at which its backward calls begin, ascending."""

    name: str
    steps: NDArray[Any]
    numbers: NDArray[Any]

    def at(self, cursor: int) -> float:
        """The latest number at a cursor, NaN before the first."""

        row = place(self.steps, cursor) - 1
        return float(self.numbers[row]) if row >= 0 else math.nan


@dataclass(frozen=True, eq=False)
class Training:
    """The losses, those with most calls first, and the norm of the gradients of all."""

    losses: tuple[Series, ...]
    gradient: Series


def training(trace: Trace, steps: int) -> Training | None:
    """The course of the training, None where there is no loop that trains."""
    import numpy as np

    calls = trace.calls
    began = place(calls.step, steps)
    if began < LEAST:
        return None
    call, loss, tensor = _losses(trace, began)
    lines = calls.line[call]
    found, counts = np.unique(lines, return_counts=True)
    series = []
    for line in found[np.argsort(-counts, kind="stable")][:MOST_SERIES].tolist():
        mine = lines == line
        if mine.sum() >= LEAST:
            name = trace.naming.name(int(tensor[mine][-1]), steps)
            series.append(Series(name, calls.step[call[mine]], loss[mine]))
    if not series:
        return None
    norms = _gradient_norms(trace, began)
    wrote = ~np.isnan(norms)
    return Training(tuple(series), Series("gradient norm", calls.step[:began][wrote], norms[wrote]))


def _losses(trace: Trace, began: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The calls with one root of one element: (call, its value, its tensor)."""
    import numpy as np

    roots = trace.roots
    single = np.bincount(roots.call, minlength=began) == 1
    rows = np.flatnonzero((roots.call < began) & single[roots.call])
    value = trace.tensors.value[roots.tensor[rows]]
    rows = rows[(value >= 0) & (trace.values.count[value] == 1) & (trace.values.ndim[value] == 0)]
    value = trace.tensors.value[roots.tensor[rows]]
    return roots.call[rows], _numbers(trace, value), roots.tensor[rows]


def _numbers(trace: Trace, values: NDArray[Any]) -> NDArray[Any]:
    """The only element of each of these values."""
    import numpy as np

    found = np.empty(len(values))
    chunk, offset = trace.values.chunk[values], trace.values.offset[values]
    for piece in np.unique(chunk).tolist():
        mine = chunk == piece
        found[mine] = trace.store.piece(piece)[offset[mine]].real
    return found


def _gradient_norms(trace: Trace, began: int) -> NDArray[Any]:
    """Per call the norm over all .grad that it wrote, NaN where it wrote none."""
    import numpy as np

    from gradviz.trace.table.kinds import Kind

    grads, steps = trace.grads, trace.steps
    rows = np.flatnonzero((grads.step >= 0) & (grads.value >= 0))
    rows = rows[steps.kind[grads.step[rows]] == Kind.ACCUMULATE]
    call = steps.call[grads.step[rows]]
    rows, call = rows[(call >= 0) & (call < began)], call[(call >= 0) & (call < began)]
    with np.errstate(all="ignore"):
        sums = np.bincount(call, weights=np.square(trace.values.norm[grads.value[rows]]), minlength=began)
        norms = np.sqrt(sums)
    norms[np.bincount(call, minlength=began) == 0] = np.nan
    return norms
