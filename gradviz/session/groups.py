"""Groups of operations: a call of a module or function, a loop, an iteration, the gradients of a backward call under
create_graph, or a run of equal calls. A group is identified by a number: its row of `trace.regions`, or -2 - c for the
gradients of backward call c, or, after the last region, its row of `trace.runs`. The canvas decides which are drawn,
and how; `inspection` describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.session.state import Selection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace

    Rows = NDArray[Any]


def nodes_of(trace: Trace, group: int) -> Rows:
    """The operations in a group, at any depth, in order."""
    import numpy as np

    if group < -1:
        return np.flatnonzero(trace.nodes.call == -2 - group)
    run = group - len(trace.regions)
    if 0 <= run < len(trace.runs):
        region = trace.nodes.region
        return np.flatnonzero((region >= trace.runs.first[run]) & (region < trace.runs.end[run]))
    if not 0 <= group < len(trace.regions):
        return np.empty(0, np.int64)
    return np.flatnonzero(trace.nesting.contains(group, trace.nodes.region))


def title_of(trace: Trace, group: int) -> str:
    """Its name."""
    from gradviz.trace.table.modules import called_names

    if group < -1:
        return f"gradients · backward at line {trace.calls.line[-2 - group]}"
    run = group - len(trace.regions)
    if 0 <= run < len(trace.runs):
        first, last = (called_names(trace)[ends[run]] for ends in (trace.runs.first, trace.runs.last))
        return f"{first} … {last}"
    return called_names(trace)[group] if 0 <= group < len(trace.regions) else ""


def as_operation(trace: Trace, thing: Selection) -> Selection:
    """A thing, or for a group its first operation, for code that knows only operations and tensors."""
    if thing.kind != "group":
        return thing
    nodes = nodes_of(trace, thing.index)
    return Selection("node", int(nodes[0]) if len(nodes) else -1)
