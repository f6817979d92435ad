"""What there is to say of a group of operations: a call of a module or function, a loop, an iteration, the gradients of
a backward call under create_graph, or a run of equal calls. A group is named by a number: its row of `trace.regions`,
or -2 - c for the gradients of backward call c, or, after the last region, that of `trace.runs`. Which of them are
drawn, and how, is the canvas's business."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.session.inspection import Inspection, Link, Row, Section, commas, node_link, row, tensor_link
from gradviz.session.state import Selection
from gradviz.session.strip import size_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.frame import Frame
    from gradviz.trace.trace import Trace

    Rows = NDArray[Any]

MOST = 40  # operations that are listed
KINDS = ("a call of a module", "a call of a function", "a loop", "an iteration")


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
    """What it is called."""
    if group < -1:
        return f"gradients · backward at line {trace.calls.line[-2 - group]}"
    run = group - len(trace.regions)
    if 0 <= run < len(trace.runs):
        return f"{trace.regions.name[trace.runs.first[run]]} … {trace.regions.name[trace.runs.last[run]]}"
    return str(trace.regions.name[group]) if 0 <= group < len(trace.regions) else ""


def as_operation(trace: Trace, thing: Selection) -> Selection:
    """A thing, and for a group its first operation: for what knows operations and tensors only."""
    if thing.kind != "group":
        return thing
    nodes = nodes_of(trace, thing.index)
    return Selection("node", int(nodes[0]) if len(nodes) else -1)


def inspect_group(frame: Frame, group: int) -> Inspection:
    """Everything about a group at the frame's cursor."""
    trace = frame.trace
    nodes = nodes_of(trace, group)
    sections = [
        Section("", tuple(_rows(frame, group, nodes))),
        Section("Now", tuple(_totals(frame, nodes))),
        Section("Operations", tuple(_operations(frame, nodes))),
    ]
    return Inspection(title_of(trace, group), tuple(section for section in sections if section.rows))


def _rows(frame: Frame, group: int, nodes: Rows) -> list[Row]:
    import numpy as np

    trace = frame.trace
    kind = _kind(trace, group)
    line = int(trace.calls.line[-2 - group]) if group < -1 else _line(trace, group)
    rows = [row("group", f"{kind}, line {line}" if line > 0 else kind)]
    if 0 <= group < len(trace.regions):
        turns = int(((trace.regions.parent == group) & (trace.regions.kind == len(KINDS) - 1)).sum())
        if turns:
            rows.append(row("iterations", f"{turns:,}"))
    rows.append(row("operations", f"{len(nodes):,}"))
    used = np.unique(trace.inputs.tensor[np.isin(trace.inputs.node, nodes)])
    parameters = used[trace.tensors.is_parameter[used]]
    if len(parameters):
        count = sum(int(np.prod(trace.tensors.shape[one], dtype=np.int64)) for one in parameters.tolist())
        links = [tensor_link(frame, int(one)) for one in parameters[:MOST]]
        more = [Link("…")] if len(parameters) > MOST else []
        rows.append(Row(f"{count:,} parameters", commas(links + more)))
    return rows


def _kind(trace: Trace, group: int) -> str:
    if group < -1:
        return "the gradients that a backward call made"
    if group >= len(trace.regions):
        return f"{int(trace.runs.count[group - len(trace.regions)])} equal calls, one after the other"
    return KINDS[int(trace.regions.kind[group])]


def _line(trace: Trace, group: int) -> int:
    if group >= len(trace.regions):
        group = int(trace.runs.first[group - len(trace.regions)])
    site = int(trace.regions.site[group])
    return int(trace.sites.line[site]) if site >= 0 else -1


def _totals(frame: Frame, nodes: Rows) -> list[Row]:
    import numpy as np

    trace = frame.trace
    ran = int(frame.node_created[nodes].sum())
    tracked = nodes[trace.nodes.sequence_nr[nodes] >= 0]
    rows = [row("forward", f"{ran:,} of {len(nodes):,} have run")]
    if frame.call >= 0 and len(tracked):
        went = int(frame.node_ran[tracked].sum())
        rows.append(row("backward", f"{went:,} of {len(tracked):,} have run", "gradient" if went else "muted"))
    saved = trace.saved
    held = np.isin(saved.node, nodes) & (saved.step < frame.cursor) & (saved.freed >= frame.cursor)
    _, first = np.unique(saved.storage[held], return_index=True)
    count = int(saved.nbytes[held][first].sum())
    rows.append(row("saved buffers", f"holds {size_text(count)}" if count else "none held", "" if count else "muted"))
    return rows


def _operations(frame: Frame, nodes: Rows) -> list[Row]:
    rows = [Row("", (node_link(frame, node),)) for node in nodes[:MOST].tolist()]
    if len(nodes) > MOST:
        rows.append(row("", f"… and {len(nodes) - MOST:,} more", "muted"))
    return rows
