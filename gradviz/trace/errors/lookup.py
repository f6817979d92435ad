"""The explanation of an error: the first row that its message fits. What a snippet catches is explained like what ends
a run, by a trace that ends with it; how it gets into the trace is in `instrumented`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.errors.explanation import ErrorExplanation
from gradviz.trace.errors.graph import GRAPH_ROWS
from gradviz.trace.errors.shapes import SHAPE_ROWS
from gradviz.trace.errors.usage import USAGE_ROWS
from gradviz.trace.kinds import Kind
from gradviz.trace.schema import TABLES

if TYPE_CHECKING:
    from gradviz.trace.frame import Frame
    from gradviz.trace.trace import Trace

_KEPT = ("sites", "values", "dims", "summaries", "operands")  # whole: nothing in them says when it was written
_COUNTED = {"inputs": ("node", "nodes"), "roots": ("call", "calls"), "wanted": ("call", "calls")}


def explain_error(trace: Trace) -> ErrorExplanation | None:
    """The explanation of the error that ended the run; None when there is no error or no row for it."""
    if not len(trace.errors):
        return None
    message = str(trace.errors.message[0])
    for pattern, row in (*GRAPH_ROWS, *SHAPE_ROWS, *USAGE_ROWS):
        match = re.search(pattern, message)
        if match:
            return row(trace, match)
    return None


def explain_at(frame: Frame) -> ErrorExplanation | None:
    """The explanation of the error that is the current step, whether it ended the run or was caught."""
    step = frame.step
    if step is None or step.kind not in (Kind.ERROR, Kind.CAUGHT):
        return None
    return explain_error(frame.trace if step.kind == Kind.ERROR else as_ended(frame.trace, step.ref))


def as_ended(trace: Trace, row: int) -> Trace:
    """The trace as it would be if a caught error, a row of `caught`, had ended the run. The rows are shared."""
    made, caught = trace.as_now(), trace.caught
    step = int(caught.step[row])
    for name in TABLES:
        if name in _KEPT:
            continue
        table = getattr(made, name)
        column, until = _COUNTED.get(name, ("step", ""))
        if column in vars(table):
            limit = len(getattr(made, until)) if until else step + 1
            setattr(made, name, table.first(int(np.searchsorted(getattr(table, column), limit))))
    line, kind = int(trace.steps.line[step]), caught.type[row]
    error = {"step": step, "type": kind, "message": caught.message[row], "line": line, "traceback": "", "last_line": ""}
    columns = {name: np.array([value], getattr(made.errors, name).dtype) for name, value in error.items()}
    made.errors = type(made.errors)()
    made.errors.append(columns, 1)
    return made
