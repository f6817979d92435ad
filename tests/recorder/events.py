"""The backward events of a trace as lines, so that two traces can be compared: what ran, in which order, which
gradients it sent, which buffers it let go, what arrived, what was stored. Numbers are norms with four digits."""

from __future__ import annotations

import math

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace


def events(trace: Trace) -> list[str]:
    """A line for each step of the backward passes."""
    found = []
    for step, kind in enumerate(trace.steps.kind.tolist()):
        line = _LINES.get(kind, lambda *_: "")(trace, step)
        if line:
            found.append(line)
    return found


def _norm(trace: Trace, value: int) -> str:
    if value < 0:
        return "-"
    norm = float(trace.values.norm[value])
    return f"{norm:.4g}" if math.isfinite(norm) else "?"


def _call(trace: Trace, step: int) -> str:
    call = int(trace.steps.ref[step])
    calls, wanted = trace.calls, len(trace.wanted_by(call))
    flags = f"{'k' if calls.retain_graph[call] else ''}{'c' if calls.create_graph[call] else ''}"
    return f"call {len(trace.roots_of(call))} {wanted} {flags}".rstrip()


def _ran(trace: Trace, step: int) -> str:
    node = int(trace.steps.node[step])
    rows = trace.history("flows", "node").all(node)
    rows = rows[trace.flows.step[rows] == step]
    sent = sorted((int(trace.flows.slot[row]), _norm(trace, int(trace.flows.value[row]))) for row in rows)
    return f"ran {trace.nodes.name[node]} {' '.join(norm for _, norm in sent)}".rstrip()


def _freed(trace: Trace, step: int) -> str:
    node = int(trace.steps.node[step])
    if trace.nodes.name[node] == "CopySlices":  # PyTorch shows nobody what is inside
        return ""
    # A set: several index tensors share a name, and are one buffer in our engine.
    names = {*trace.saved.name[trace.history("saved", "node").all(node)]}
    return f"freed {trace.nodes.name[node]} {' '.join(sorted(names))}".rstrip()


def _arrived(trace: Trace, step: int) -> str:
    row = int(trace.steps.ref[step])
    arrivals = trace.arrivals
    sender = int(arrivals.from_node[row])
    by = trace.nodes.name[sender] if sender >= 0 else "root"
    value, total = _norm(trace, int(arrivals.value[row])), _norm(trace, int(arrivals.total[row]))
    return f"arrived {arrivals.arrived[row]}/{arrivals.expected[row]} {by} {value} {total}"


def _stored(trace: Trace, step: int) -> str:
    row = int(trace.steps.ref[step])
    return f"stored {_norm(trace, int(trace.grads.value[row]))}"


_LINES = {
    int(Kind.BACKWARD_CALL): _call,
    int(Kind.BACKWARD): _ran,
    int(Kind.FREE): _freed,
    int(Kind.CONTRIBUTION): _arrived,
    int(Kind.ACCUMULATE): _stored,
}
