"""Which steps carry news: a `Fold` is a run of steps that are walked as one. The trace keeps every step and its number;
stepping stops only at the ends of folds, unless all steps are requested. `words/explain.py` describes folds.

Note [Folds] A node's backward and the buffers it then frees are one fold. So are consecutive untracked operations and
data loading, up to the next step of another kind or the next iteration of a loop in which something else happens. An
in-place write is news if a gradient or the backward pass can see it: a write to a tensor that requires grad, to a
.grad, or to memory that a node saved; what was computed for it on the same line belongs to it. So is `detach`, which
cuts the graph. If nothing is differentiated, operations are all there is, and none is folded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.tables import span

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Folds:
    """All folds of a trace at one length: fold i is steps [ends[i - 1], ends[i])."""

    ends: Array  # ascending; the last is the length of the trace
    quiet: Array  # per step: whether it is data, or an untracked operation that changes nothing tracked

    def __len__(self) -> int:
        return len(self.ends)

    def moved(self, cursor: float, by: float) -> float:
        """A cursor this many folds forward (or back); with a fraction if it is within a fold."""
        whole = int(cursor)
        at = span(self.ends, whole + 1, whole + 1)[0]  # complete folds
        start, end = (int(self.ends[at - 1]) if at else 0), int(self.ends[min(at, len(self.ends) - 1)])
        place = at + ((cursor - start) / (end - start) if end > start else 0.0) + by
        if place >= len(self.ends):
            return float(self.ends[-1]) + place - len(self.ends)
        if place <= 0:
            return place
        at = int(place)
        start = int(self.ends[at - 1]) if at else 0
        return start + (place - at) * (int(self.ends[at]) - start)


def find_folds(trace: Trace) -> Folds:
    """Compute all of them at once."""
    count = len(trace)
    quiet, tied = _quiet(trace), np.zeros(count, bool)  # tied: in the same fold as the previous step
    kind, line = trace.steps.kind, trace.steps.line
    tied[1:] = (kind[1:] == Kind.FREE) & (kind[:-1] == Kind.BACKWARD) & (trace.steps.node[1:] == trace.steps.node[:-1])
    if len(trace.calls):
        same_line = np.zeros(count, bool)
        same_line[1:] = line[1:] == line[:-1]
        after_quiet = np.zeros(count, bool)
        after_quiet[1:] = quiet[:-1]
        is_leaf = kind == Kind.LEAF
        is_apart = is_leaf.copy()  # constants are folded only with what their own line does
        is_apart[1:] |= is_leaf[:-1]
        joined = quiet & after_quiet & (same_line | ~is_apart)
        written = (kind == Kind.INPLACE) & ~quiet & after_quiet & same_line
        joined[_first_on_line(written, after_quiet & same_line)] = False
        joined[_new_iterations(trace, quiet)] = False
        tied |= joined | written
    ends = np.append(np.flatnonzero(~tied[1:]) + 1, count) if count else np.empty(0)
    return Folds(ends.astype(np.int32), quiet)


def _quiet(trace: Trace) -> Array:
    """Per step: whether it is data, or an untracked operation that changes nothing tracked."""
    steps, nodes, tensors = trace.steps, trace.nodes, trace.tensors
    tracked = tensors.requires_grad.astype(bool)
    tracked[trace.flags.tensor[trace.flags.requires_grad.astype(bool)]] = True
    read = tracked | (tensors.grad_of >= 0)  # by the backward pass or as a gradient
    read[trace.grads.via[trace.grads.via >= 0]] = True
    seen = np.isin(tensors.storage, np.concatenate([trace.saved.storage, tensors.storage[read]]))
    plain = (nodes.sequence_nr < 0) & (nodes.op != "detach")
    kind, is_plain = steps.kind, _at(plain, steps.node)
    found: Array = (kind == Kind.FORWARD) & is_plain
    found |= (kind == Kind.INPLACE) & is_plain & ~_at(seen, steps.tensor)
    found |= (kind == Kind.LEAF) & ~_at(tracked, steps.tensor)
    found &= steps.call < 0
    return found


def _at(flags: Array, rows: Array) -> Array:
    """The flags of these rows; False for -1."""
    result: Array = np.append(flags, False)[rows]
    return result


def _first_on_line(written: Array, goes_on: Array) -> Array:
    """The first of the quiet steps on the line of each such write."""
    begins = np.flatnonzero(~goes_on)
    writes = np.flatnonzero(written)
    found: Array = begins[np.searchsorted(begins, writes, "right") - 1]
    return found


def _new_iterations(trace: Trace, quiet: Array) -> Array:
    """Where iterations of outermost loops that contain news begin, and where loops with such iterations end."""
    regions, count = trace.regions, len(trace)
    news = np.concatenate([[0], np.cumsum(~quiet)])
    rows = np.flatnonzero((regions.kind == RegionKind.ITERATION) & (regions.depth == 1))
    starts = np.append(np.minimum(regions.step[rows], count), count)
    starts = starts[:-1][news[starts[1:]] > news[starts[:-1]]]
    loops = np.flatnonzero((regions.kind == RegionKind.LOOP) & (regions.depth == 0))
    begins, ends = np.minimum(regions.step[loops], count), np.minimum(trace.nesting.last[loops] + 1, count)
    found: Array = np.concatenate([starts, ends[(ends > begins) & (news[np.maximum(ends, begins)] > news[begins])]])
    return found[found < count]
