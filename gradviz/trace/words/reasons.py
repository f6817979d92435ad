"""Why a tensor has no `.grad`, or no history to go back through, in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import called_op, is_transformed
from gradviz.trace.table.roles import call_that_returned
from gradviz.trace.table.schema import NEVER, NOT_DIFFERENTIABLE, SWITCHED_OFF

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace

NOT_A_LEAF = "not a leaf"
_PASSED_ON = f"{NOT_A_LEAF}: the gradient passed through and was not stored (retain_grad() stores it)"
_SEARCHED = 5_000  # tensors visited in search of where a history was cut off


def no_grad_reason(frame: Frame, tensor: int) -> str | None:
    """The first reason that applies for why `.grad` is None; None if there is a gradient."""
    if frame.grad(tensor) is not None:
        return None
    if not frame.requires_grad(tensor):
        return _not_required(frame, tensor)
    cleared = _cleared(frame, tensor)
    if cleared:
        return cleared
    if frame.call < 0:
        return "backward() has not run yet"
    if frame.buffer(tensor) is not None:
        return _passing(frame, tensor)
    return _not_reached(frame, tensor)


def _cleared(frame: Frame, tensor: int) -> str:
    """That `.grad` was set to None after the latest gradient arrived, if it was."""
    trace = frame.trace
    row = trace.history("grads", "tensor").last(tensor, frame.cursor)
    if row < 0 or trace.grads.value[row] >= 0:
        return ""
    step = int(trace.grads.step[row])
    arrivals = trace.history("arrivals", "tensor").before(tensor, frame.cursor)
    if len(arrivals) and trace.arrivals.step[arrivals[-1]] > step:
        return ""
    return f"it was set to None{_at(int(trace.steps.line[step]))}"


def first_cut(trace: Trace, tensor: int) -> tuple[str, int]:
    """Why a tensor has no history, and the node where it was cut off (-1: its leaves do not require grad)."""
    frame = trace.frame_at(len(trace))
    at = _cut(trace, tensor)
    if at >= 0:
        reason = _cut_text(trace, at)
        was = f"{frame.name(at)} was {reason}" if reason.startswith(("detached", "computed")) else reason
        return was, int(trace.tensors.producer[at])
    if trace.tensors.producer[tensor] < 0:
        reason = _leaf_text(trace, tensor)
        return f"it is {reason}" if reason.startswith("a ") else "it is a leaf with requires_grad=False", -1
    leaves = [each for each in _ancestors(trace, tensor) if trace.tensors.producer[each] < 0]
    for each in leaves:
        if _leaf_text(trace, each).startswith("a "):
            return f"it was computed from {_leaf_text(trace, each)}", -1
    listed = ", ".join(map(frame.name, leaves[:4])) + (", …" if len(leaves) > 4 else "")
    return f"none of the leaves that it was computed from ({listed or 'none'}) requires grad", -1


def _ancestors(trace: Trace, tensor: int) -> list[int]:
    """The tensors that a tensor was computed from, itself first; at most a few thousand."""
    queue, seen = [tensor], {tensor}
    for each in queue:
        node = int(trace.tensors.producer[each])
        for before in trace.inputs_of(node).tolist() if node >= 0 else ():
            if before not in seen and len(queue) < _SEARCHED:
                seen.add(before)
                queue.append(before)
    return queue


def _cut(trace: Trace, tensor: int) -> int:
    """The nearest tensor, going back, at which a history was cut off; -1 if none was."""
    nodes = trace.nodes
    for each in _ancestors(trace, tensor):
        node = int(trace.tensors.producer[each])
        if node >= 0 and (nodes.op[node] == "detach" or nodes.reason[node] in (SWITCHED_OFF, NOT_DIFFERENTIABLE)):
            return each
    return -1


def _cut_text(trace: Trace, tensor: int) -> str:
    """What cut off the history where this tensor was made."""
    nodes, node = trace.nodes, int(trace.tensors.producer[tensor])
    line = int(nodes.line[node])
    if nodes.op[node] == "detach":
        return f"detached{_at(line)}"
    if nodes.reason[node] == SWITCHED_OFF:
        return f"computed inside no_grad{_at(line)}"
    op = called_op(str(nodes.op[node]))
    if nodes.reason[node] != NOT_DIFFERENTIABLE:
        return f"none of the inputs of {op} required grad{_at(line)}"
    return f"the result of {op}{_at(line)} is not differentiable"


def _at(line: int) -> str:
    return f" at line {line}" if line > 0 else ""


def none_sentence(name: str, reason: str) -> str:
    """Why `.grad` of a tensor of this name is None, as a sentence: "w.grad is None: w is not a leaf; …"."""
    if reason.startswith(f"{NOT_A_LEAF}: "):
        reason = f"{name} is {NOT_A_LEAF}; {reason.removeprefix(f'{NOT_A_LEAF}: ')}"
    elif (found := _UNREACHED.fullmatch(reason)) is not None:
        reason = f"backward() did not get from {found[1]} to {name}{f' ({found[2]})' if found[2] else ''}"
    elif (found := _INTEGER.match(reason)) is not None:
        reason = f"{name} is {found[1]}, and {reason[found.end() :]}"
    return f"{name}.grad is None: {reason}."


_UNREACHED = re.compile(r"not reached from (.+?)(?:: ((?:no|none|detached|computed|the result|line) .*|detached))?")
_INTEGER = re.compile(r"(\w+): (?=only floating point)")


def _not_required(frame: Frame, tensor: int) -> str:
    trace = frame.trace
    dtype, node = str(trace.tensors.dtype[tensor]), int(trace.tensors.producer[tensor])
    if not dtype.startswith(("float", "bfloat", "complex")):
        return f"{dtype}: only floating point and complex tensors can require gradients"
    if node < 0:
        return _leaf_text(trace, tensor)
    at = _cut(trace, tensor)
    if at < 0:
        return f"none of the inputs of {called_op(str(trace.nodes.op[node]))} requires grad"
    reason = _cut_text(trace, at)
    if at == tensor:
        return reason
    if reason.startswith("the result"):
        return f"computed from {frame.name(at)}, {reason.replace(' is not ', ', which is not ')}"
    return f"computed from {frame.name(at)}, which was {reason}"


def _leaf_text(trace: Trace, tensor: int) -> str:
    """Why a tensor that no operation made does not require grad."""
    if trace.tensors.grad_of[tensor] >= 0:
        return "a .grad has no history unless backward(create_graph=True) made it"
    call = call_that_returned(trace, tensor)
    if call < 0:
        return "requires_grad=False"
    if trace.calls.create_graph[call]:
        return "a gradient that does not depend on anything that requires grad: it is constant"
    return f"a gradient that was computed without create_graph=True{_at(int(trace.calls.line[call]))}"


def _passing(frame: Frame, tensor: int) -> str:
    buffer = frame.buffer(tensor)
    assert buffer is not None
    if frame.is_leaf(tensor) or frame.retains_grad(tensor):
        if not buffer.used and buffer.arrived < buffer.expected:
            return f"{buffer.arrived} of {buffer.expected} gradients have arrived in its input buffer"
        return _arrived_in(frame, tensor)
    return _PASSED_ON


def _arrived_in(frame: Frame, tensor: int) -> str:
    """What follows when all gradients of a leaf, or of what retains its gradient, have arrived in its input buffer."""
    trace = frame.trace
    writes = trace.grads.step[trace.history("grads", "tensor").all(tensor)]
    if not (trace.steps.call[writes] == frame.call).any() and not _stopped_by_error(frame.trace, frame.call):
        by = "the transform" if is_transformed(str(frame.trace.calls.source[frame.call])) else "autograd.grad()"
        return f"the gradient was returned by {by}, which stores none"
    return "the gradient is in its input buffer; .grad is written next"


def _not_reached(frame: Frame, tensor: int) -> str:
    trace = frame.trace
    if trace.tensors.step[tensor] >= (began := trace.calls.step[frame.call]):
        is_within = began <= trace.tensors.step[tensor] < trace.calls.end[frame.call]
        return f"made {'during' if is_within else 'after'} the last backward call"
    wanted = trace.wanted_by(frame.call)
    if len(wanted) and tensor not in wanted:
        return "not among the inputs that the backward call asks for"
    rows = trace.history("arrivals", "tensor").all(tensor)
    coming = rows[(trace.arrivals.call[rows] == frame.call) & (trace.arrivals.step[rows] >= frame.cursor)]
    if len(coming):
        return _on_its_way(frame, tensor, int(trace.arrivals.step[coming[0]]))
    if _stopped_by_error(trace, frame.call) and tensor in led_to_roots(trace, frame.call):
        return "the error stopped the backward pass before it got here"
    if not frame.is_leaf(tensor) and len(trace.history("arrivals", "tensor").before(tensor, frame.cursor)):
        return _PASSED_ON  # in an earlier call
    roots = ", ".join(frame.name(int(root)) for root in trace.roots_of(frame.call))
    return f"not reached from {roots or 'the root'}{_uses(frame, tensor)}"


def _on_its_way(frame: Frame, tensor: int, arrival: int) -> str:
    """When an expected gradient arrives: when `.grad` is written, or that it is not."""
    steps = frame.trace.steps
    if frame.is_leaf(tensor):
        written = (steps.kind[arrival:] == Kind.ACCUMULATE) & (steps.tensor[arrival:] == tensor)
        written &= steps.call[arrival:] == frame.call
        if written.any():
            return f".grad is written at step {arrival + int(written.argmax()) + 1}"
    stored = ", and is stored (retain_grad)" if frame.retains_grad(tensor) else ", but is not stored"
    return f"its gradient arrives at step {arrival + 1}{stored}"


def _stopped_by_error(trace: Trace, call: int) -> bool:
    """Whether the error that ended the run came from this backward call."""
    end = int(trace.calls.end[call])
    return len(trace.errors) > 0 and (end == NEVER or end == trace.errors.step[0] - 1)


def _uses(frame: Frame, tensor: int) -> str:
    """What is notable about the uses of a tensor that no gradient reached: there are none, or all of them cut it
    off."""
    trace, nodes = frame.trace, frame.trace.nodes
    users = [int(user) for user in trace.users_of(tensor) if nodes.step[user] < frame.cursor]
    if not users:
        return ": no operation has used it"
    if any(nodes.name[user] for user in users):
        way = way_to_cut(frame, tensor)
        return f": {_cut_text(trace, way[-1])}" if way else ""
    made = [int(t) for user in users for t in trace.outputs_of(user)]
    cut = [each for each in made if each == _cut(trace, each)]
    return f": {_cut_text(trace, cut[0])}" if cut else ""


def way_to_cut(frame: Frame, tensor: int) -> list[int]:
    """What was computed from a tensor, one after the other, up to where its history was cut off before a root of the
    latest backward call; [] if no root was computed from it, or none is known to be."""
    trace = frame.trace
    ancestors = led_to_roots(trace, frame.call)
    queue, came = [tensor], {tensor: -1}
    for each in queue:
        for user in trace.users_of(each).tolist():
            for made in trace.outputs_of(user).tolist() if trace.nodes.step[user] < frame.cursor else ():
                if made not in came and made in ancestors:
                    came[made] = each
                    queue.append(made)
                    if not trace.tensors.requires_grad[made]:
                        return path_to(made, came)
    return []


def led_to_roots(trace: Trace, call: int) -> set[int]:
    """All that the roots of a backward call were computed from, with a history or without."""
    known: dict[int, set[int]] = trace.kept("what led to roots", dict)
    if call not in known:
        known[call] = {each for root in trace.roots_of(call).tolist() for each in _ancestors(trace, root)}
    return known[call]


def path_to(end: int, came: dict[int, int]) -> list[int]:
    """The tensors on the way to one, without the first, by what each was computed from."""
    way = []
    while came[end] >= 0:
        way.append(end)
        end = came[end]
    return way[::-1]
