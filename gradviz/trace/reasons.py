"""Why a tensor has no `.grad`, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gradviz.trace.frame import Frame
    from gradviz.trace.trace import Trace


def no_grad_reason(frame: Frame, tensor: int) -> str | None:
    """The first reason that holds why `.grad` is None; None when there is a gradient."""
    if frame.grad(tensor) is not None:
        return None
    if not frame.requires_grad(tensor):
        return _not_required(frame, tensor)
    if frame.call < 0:
        return "backward() has not run yet"
    if frame.buffer(tensor) is not None:
        return _passing(frame, tensor)
    return _not_reached(frame, tensor)


def first_cut(trace: Trace, tensor: int) -> tuple[str, int]:
    """Why a tensor has no history: the first place, going back from it, where the history was cut off; and the node
    there."""
    frame = trace.frame_at(len(trace))
    queue, seen = [tensor], {tensor}
    for each in queue:
        node = int(trace.tensors.producer[each])
        if node < 0:
            continue
        reason = _not_required(frame, each)
        if trace.nodes.op[node] == "detach" or trace.nodes.reason[node] != 1:
            return f"{frame.name(each)} was {reason}" if reason.startswith(("detached", "computed")) else reason, node
        for before in trace.inputs_of(node).tolist():
            if before not in seen:
                seen.add(before)
                queue.append(before)
    leaves = [frame.name(each) for each in queue if trace.tensors.producer[each] < 0]
    listed = ", ".join(leaves[:4]) + (", …" if len(leaves) > 4 else "")
    return f"none of the leaves that it was computed from ({listed or 'none'}) requires grad", -1


def _at(line: int) -> str:
    return f" at line {line}" if line > 0 else ""


def _not_required(frame: Frame, tensor: int) -> str:
    trace = frame.trace
    dtype = str(trace.tensors.dtype[tensor])
    if not dtype.startswith(("float", "bfloat", "complex")):
        return f"{dtype}: only floating point and complex tensors can require gradients"
    node = int(trace.tensors.producer[tensor])
    if node < 0:
        if trace.tensors.grad_of[tensor] >= 0:
            return "a .grad has no gradient of its own without create_graph=True"
        return "requires_grad=False"
    line = int(trace.nodes.line[node])
    op = str(trace.nodes.op[node])
    if op == "detach":
        return f"detached{_at(line)}"
    return {
        1: f"none of the inputs of {op} requires grad",
        2: f"computed inside no_grad{_at(line)}",
        3: f"the result of {op} is not differentiable",
    }.get(int(trace.nodes.reason[node]), "requires_grad=False")


def _passing(frame: Frame, tensor: int) -> str:
    buffer = frame.buffer(tensor)
    assert buffer is not None
    if frame.is_leaf(tensor) or frame.retains_grad(tensor):
        if not buffer.used and buffer.arrived < buffer.expected:
            return f"{buffer.arrived} of {buffer.expected} gradients have arrived in its input buffer"
        return "the gradient is in its input buffer; .grad is written next"
    return "not a leaf: the gradient passed through and was not stored (retain_grad() stores it)"


def _not_reached(frame: Frame, tensor: int) -> str:
    trace = frame.trace
    wanted = trace.wanted_by(frame.call)
    if len(wanted) and tensor not in wanted:
        return "not among the inputs that the backward call asks for"
    rows = trace.history("arrivals", "tensor").all(tensor)
    coming = rows[(trace.arrivals.call[rows] == frame.call) & (trace.arrivals.step[rows] >= frame.cursor)]
    if len(coming):
        return f"its gradient arrives at step {int(trace.arrivals.step[coming[0]]) + 1}"
    if trace.tensors.step[tensor] >= trace.calls.step[frame.call]:
        return "made after the last backward call"
    if (
        len(trace.errors)
        and trace.calls.end[frame.call] >= trace.errors.step[0] - 1
        and frame.call == len(trace.calls) - 1
    ):
        return "the error stopped the backward pass before it got here"
    roots = ", ".join(frame.name(int(root)) for root in trace.roots_of(frame.call))
    after = _cut(frame, tensor)
    return f"not reached from {roots or 'the root'}{after}"


def _cut(frame: Frame, tensor: int) -> str:
    """Where every use of the tensor that ran forward was cut off from the graph, if all were."""
    nodes = frame.trace.nodes
    users = [int(user) for user in frame.trace.users_of(tensor) if nodes.step[user] < frame.cursor]
    if not users:
        return ": no operation has used it"
    untracked = np.array([nodes.name[user] == "" for user in users])
    if not untracked.all():
        return ""
    op, line = str(nodes.op[users[0]]), int(nodes.line[users[0]])
    return (
        f": detached{_at(line)}"
        if op == "detach"
        else f": used inside no_grad{_at(line)}"
        if nodes.reason[users[0]] == 2
        else ""
    )
