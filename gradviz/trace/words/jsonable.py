"""A trace as plain JSON values, one object per step, for the command line and for other programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.tables import span
from gradviz.trace.table.values import Value
from gradviz.trace.words.errors import explain_error
from gradviz.trace.words.explain import gap_span, sentence, step_title

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace

MOST_ELEMENTS = 1000  # elements of a value that is written in full


def trace_json(trace: Trace) -> dict[str, Any]:
    """The whole trace."""
    steps = [step_json(trace.frame_at(cursor)) for cursor in range(1, len(trace) + 1)]
    return {"format": "gradviz-trace", "version": 1, "steps": steps, "error": error_json(trace)}


def error_json(trace: Trace) -> dict[str, Any] | None:
    """The error that ended the run, explained."""
    if not len(trace.errors):
        return None
    errors, found = trace.errors, explain_error(trace)
    result: dict[str, Any] = {
        "type": errors.type[0],
        "message": errors.message[0],
        "line": int(errors.line[0]),
        "last_line": errors.last_line[0],
        "traceback": errors.traceback[0],
    }
    if found is not None:
        marks = [
            {"node": mark.node, "name": _node_name(trace, mark.node), "reason": mark.reason} for mark in found.marks
        ]
        result |= {"why": found.why, "fix": found.fix, "nodes": marks}
    return result


def step_json(frame: Frame) -> dict[str, Any]:
    """The current step of a frame: its description, and the tensors and buffers that it is about."""
    trace, step = frame.trace, frame.step
    assert step is not None
    result: dict[str, Any] = {"step": frame.cursor, "kind": step.kind.name.lower()}
    if step.line > 0:
        result["line"] = step.line
    if step.node >= 0:
        result |= {"node": step.node, "name": _node_name(trace, step.node), "op": trace.nodes.op[step.node]}
        if trace.nodes.scope[step.node]:
            result["scope"] = trace.nodes.scope[step.node]
        if trace.nodes.line[step.node] > 0:
            result["node_line"] = int(trace.nodes.line[step.node])
    if step.tensor >= 0:
        result["tensor"] = frame.name(step.tensor)
    if step.call >= 0:
        result["call"] = step.call
    text = sentence(frame)
    details = _DETAILS.get(step.kind, _nothing)(frame)
    return result | details | {"title": step_title(frame), "text": text, "sentence_id": text.id}


def value_json(value: Value | None) -> Any:
    """A value: a number, nested lists, or for a large one its shape and summary. NaN and infinity are strings."""
    if value is None:
        return None
    if value.array is not None and value.array.size <= MOST_ELEMENTS:
        wide = value.array.astype("f8") if value.dtype in ("bfloat16", "float16") else value.array
        return _plain(wide.tolist())
    if not value.is_known:
        return {"shape": list(value.shape), "dtype": value.dtype}
    found = value.summary
    numbers = {"min": found.low, "max": found.high, "mean": found.mean, "norm": found.norm, "nan": found.nans}
    return {"shape": list(value.shape), "dtype": value.dtype, **{name: _plain(n) for name, n in numbers.items()}}


def _plain(number: Any) -> Any:
    if isinstance(number, list):
        return [_plain(each) for each in number]
    if isinstance(number, complex):
        return [_plain(number.real), _plain(number.imag)]
    return number if not isinstance(number, float) or math.isfinite(number) else str(number)


def _node_name(trace: Trace, node: int) -> str:
    return str(trace.nodes.name[node] or trace.nodes.op[node])


def _tensors(frame: Frame, numbers: Any) -> dict[str, Any]:
    """Values by name in the snippet."""
    return {frame.name(int(number)): value_json(frame.value(int(number))) for number in numbers}


def _nothing(frame: Frame) -> dict[str, Any]:
    return {}


def _leaf(frame: Frame) -> dict[str, Any]:
    tensor = frame.current_tensor
    return {"tensors": _tensors(frame, [tensor]), "requires_grad": frame.requires_grad(tensor)}


def _forward(frame: Frame) -> dict[str, Any]:
    node = frame.current_node
    saved = [_saved(frame, one.name, one.tensor, one.nbytes, one.version_saved) for one in frame.saved(node)]
    return {
        "inputs": _tensors(frame, frame.trace.inputs_of(node)),
        "outputs": _tensors(frame, frame.trace.outputs_of(node)),
        "saved": saved,
    }


def _saved(frame: Frame, name: str, tensor: int, nbytes: int, version: int) -> dict[str, Any]:
    return {"name": name, "tensor": frame.name(tensor) if tensor >= 0 else None, "bytes": nbytes, "version": version}


def _inplace(frame: Frame) -> dict[str, Any]:
    tensor = frame.current_tensor
    return _forward(frame) | {"tensors": _tensors(frame, [tensor]), "version": frame.version(tensor)}


def _call(frame: Frame) -> dict[str, Any]:
    calls, call = frame.trace.calls, frame.call
    return {
        "roots": [frame.name(int(root)) for root in frame.trace.roots_of(call)],
        "retain_graph": bool(calls.retain_graph[call]),
        "create_graph": bool(calls.create_graph[call]),
    }


def _backward(frame: Frame) -> dict[str, Any]:
    trace, node = frame.trace, frame.current_node
    low, high = span(trace.flows.step, frame.cursor - 1, frame.cursor)
    inputs = trace.inputs
    sent = {}
    for row in range(low, high):
        edge = int(trace.flows.input[row])
        name = frame.name(int(inputs.tensor[edge])) if edge >= 0 else f"input {int(trace.flows.slot[row])}"
        sent[name] = value_json(trace.value(int(trace.flows.value[row])))
    came = {frame.name(int(t)): value_json(frame.passing(int(t))) for t in trace.outputs_of(node)}
    return {"grad_outputs": came, "grad_inputs": sent}


def _contribution(frame: Frame) -> dict[str, Any]:
    arrivals, row = frame.trace.arrivals, int(frame.trace.steps.ref[frame.cursor - 1])
    return {
        "value": value_json(frame.trace.value(int(arrivals.value[row]))),
        "total": value_json(frame.trace.value(int(arrivals.total[row]))),
        "arrived": int(arrivals.arrived[row]),
        "expected": int(arrivals.expected[row]),
    }


def _grad(frame: Frame) -> dict[str, Any]:
    tensor = frame.current_tensor
    before = frame.trace.frame_at(frame.cursor - 1).grad(tensor)
    return {"grad_before": value_json(before), "grad": value_json(frame.grad(tensor))}


def _free(frame: Frame) -> dict[str, Any]:
    saved = frame.saved(frame.current_node)
    return {"freed": [_saved(frame, one.name, one.tensor, one.nbytes, one.version_saved) for one in saved]}


def _optimizer(frame: Frame) -> dict[str, Any]:
    writes = frame.trace.writes
    low, high = span(writes.step, frame.cursor - 1, frame.cursor)
    return {"tensors": _tensors(frame, writes.tensor[low:high])}


def _text(frame: Frame) -> dict[str, Any]:
    texts, row = frame.trace.texts, int(frame.trace.steps.ref[frame.cursor - 1])
    return {"stream": texts.stream[row], "printed": texts.text[row]}


def _error(frame: Frame) -> dict[str, Any]:
    return {"message": frame.trace.errors.last_line[0]}


def _caught(frame: Frame) -> dict[str, Any]:
    caught, row = frame.trace.caught, int(frame.trace.steps.ref[frame.cursor - 1])
    return {"type": caught.type[row], "message": caught.message[row]}


def _collective(frame: Frame) -> dict[str, Any]:
    collectives, row = frame.trace.collectives, int(frame.trace.steps.ref[frame.cursor - 1])
    return {"name": collectives.name[row], "detail": collectives.detail[row]}


def _gap(frame: Frame) -> dict[str, Any]:
    trace, row = frame.trace, int(frame.trace.steps.ref[frame.cursor - 1])
    count = int(trace.resumptions.count[row]) if row < len(trace.resumptions) else None
    return {"iterations": count, "which": gap_span(trace, row), **_optimizer(frame)}


_DETAILS = {
    Kind.LEAF: _leaf,
    Kind.FORWARD: _forward,
    Kind.INPLACE: _inplace,
    Kind.BACKWARD_CALL: _call,
    Kind.BACKWARD: _backward,
    Kind.CONTRIBUTION: _contribution,
    Kind.ACCUMULATE: _grad,
    Kind.FREE: _free,
    Kind.CLEAR_GRAD: _grad,
    Kind.OPTIMIZER: _optimizer,
    Kind.PRINT: _text,
    Kind.WARNING: _text,
    Kind.ERROR: _error,
    Kind.CAUGHT: _caught,
    Kind.COLLECTIVE: _collective,
    Kind.GAP: _gap,
}
