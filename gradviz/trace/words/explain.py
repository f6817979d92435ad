"""The current step in words: a title, a sentence with the numbers put in, and what comes next. One row per kind of
step; what a backward pass did is told in `contributions.py`, errors are explained in `errors`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.tables import span
from gradviz.trace.table.values import Value
from gradviz.trace.words.contributions import (
    accumulate_sentence,
    contribution_sentence,
    free_sentence,
    listed,
    node_sentence,
    saved_names,
    sender_name,
)
from gradviz.trace.words.errors import explain_at
from gradviz.trace.words.updates import module_sentence, update_sentence

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace


MOST_EXCHANGED = 4  # tensors that are told of an exchange


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one step did."""

    title: str  # "AccumulateGrad (b, line 5)"
    sentence: str  # "b.grad was None, so it takes the incoming gradient: None → 3."
    next: str  # "AccumulateGrad (w, line 4)", "" at the end


def explain(frame: Frame) -> Explanation:
    """Explain the current step of a frame."""
    trace = frame.trace
    coming = step_title(trace.frame_at(frame.cursor + 1)) if frame.cursor < len(trace) else ""
    if not frame.cursor:
        return Explanation("Before the first step", "Nothing has run yet.", coming)
    return Explanation(step_title(frame), sentence(frame), coming)


def explain_fold(trace: Trace, cursor: int) -> Explanation:
    """Explain the steps that are walked as one and end at a cursor, see Note [Folds]; one step of them if it is within
    them."""
    start, end = trace.fold_around(cursor)
    coming = fold_title(trace, cursor + 1) if cursor < len(trace) else ""
    found = explain(trace.frame(cursor))
    if end - start <= 1 or cursor != end:
        return Explanation(found.title, found.sentence, coming)
    if trace.steps.kind[start] == Kind.BACKWARD:
        return Explanation(fold_title(trace, cursor), f"{sentence(trace.frame_at(start + 1))} {found.sentence}", coming)
    if not trace.folds.quiet[end - 1]:  # a write, and what was computed for it
        said = f"{found.sentence} Computed for it, untracked: {_results(trace, start, end - 1)}."
        return Explanation(found.title, said, coming)
    return Explanation(fold_title(trace, cursor), _untracked(trace, start, end), coming)


def fold_title(trace: Trace, cursor: int) -> str:
    """The steps that are walked as one around a cursor, in a few words."""
    start, end = trace.fold_around(cursor)
    if end - start <= 1:
        return step_title(trace.frame_at(end))
    if trace.steps.kind[start] == Kind.BACKWARD:
        return step_title(trace.frame_at(start + 1))
    if not trace.folds.quiet[end - 1]:
        return step_title(trace.frame_at(end))
    return f"{_counted(trace, start, end)} ({_lines(trace, start, end)})"


def fold_number(trace: Trace, cursor: int) -> str:
    """ "Step 8", "Steps 9–10": the steps that are walked as one, by the numbers that they have in the trace."""
    start, end = trace.fold_around(cursor)
    return f"Steps {start + 1:,}–{end:,}" if end - start > 1 and cursor == end else f"Step {cursor:,}"


_LATEST = 100  # steps of a fold whose results are looked for
_MOST_RESULTS, _LONGEST_RESULT = 4, 60  # that are told of, and their characters


def _counted(trace: Trace, start: int, end: int) -> str:
    """ "2 constants and 3 untracked operations"."""
    constants = int((trace.steps.kind[start:end] == Kind.LEAF).sum())
    counts = ((constants, "constant"), (end - start - constants, "untracked operation"))
    return listed([f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts if count])


def _lines(trace: Trace, start: int, end: int) -> str:
    lines = trace.steps.line[start:end]
    first, last = int(lines.min()), int(lines.max())
    return f"line {last}" if first == last else f"lines {max(first, 1)} to {last}"


def _untracked(trace: Trace, start: int, end: int) -> str:
    nodes = trace.steps.node[start:end]
    is_off = (trace.nodes.reason[nodes[nodes >= 0]] == _SWITCHED_OFF).any()
    why = ", with gradients switched off" if is_off else ""
    counted, lines = _counted(trace, start, end), _lines(trace, start, end)
    said = f"{counted} on {lines}{why}: {_results(trace, start, end)}. Nothing of it is recorded for the backward pass"
    made = np.unique(trace.flags.tensor[trace.flags.requires_grad.astype(bool)])
    at = trace.tensors.step[made]
    later = [trace.frame_at(end).name(each) for each in made[(start <= at) & (at < end)].tolist()]
    if not later:
        return f"{said}."
    named = listed(later) if len(later) <= _MOST_RESULTS else f"{len(later)} of them"
    return f"{said}; {named} {'is' if len(later) == 1 else 'are'} made to require grad afterwards."


def _results(trace: Trace, start: int, end: int) -> str:
    """What steps made that the snippet has a name for, or that none of them read again."""
    frame, steps = trace.frame_at(end), trace.steps
    made: dict[int, None] = {}
    for step in range(max(start, end - _LATEST), end):
        node, tensor = int(steps.node[step]), int(steps.tensor[step])
        for read in trace.inputs_of(node).tolist() if node >= 0 else []:
            if not trace.naming.all(read, end):
                made.pop(read, None)
        made |= dict.fromkeys(trace.outputs_of(node).tolist() if node >= 0 else [])
        made |= {tensor: None} if tensor >= 0 else {}
    told = [_result(frame, tensor) for tensor in list(made)[-_MOST_RESULTS:]]
    before = ["…"] if len(made) > _MOST_RESULTS else []
    return "; ".join([*before, *told]) or "nothing that is used"


def _result(frame: Frame, tensor: int) -> str:
    value = frame.value(tensor)
    written = _text(value)
    return f"{frame.name(tensor)} = {written if value is None or len(written) <= _LONGEST_RESULT else value.brief()}"


def sentence(frame: Frame) -> str:
    """What happened in the current step, with the numbers put in."""
    return _ROWS[Kind(int(frame.trace.steps.kind[frame.cursor - 1]))][1](frame)


def step_title(frame: Frame) -> str:
    """The current step in a few words."""
    if not frame.cursor:
        return ""
    return _ROWS[Kind(int(frame.trace.steps.kind[frame.cursor - 1]))][0](frame)


def _where(line: int) -> str:
    return f" (line {line})" if line > 0 else ""


def _of(frame: Frame, tensor: int) -> str:
    """A tensor's name and the line where it was made, for a title."""
    line = int(frame.trace.tensors.line[tensor])
    return f"({frame.name(tensor)}, line {line})" if line > 0 else f"({frame.name(tensor)})"


def _ref(frame: Frame) -> int:
    return int(frame.trace.steps.ref[frame.cursor - 1])


def _stop(text: str) -> str:
    """The text with a full stop, once: "3." is a number and its own full stop."""
    text = text.rstrip()
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _text(value: Value | None) -> str:
    return "None" if value is None else value.written()


def _node_title(frame: Frame) -> str:
    nodes, node = frame.trace.nodes, frame.current_node
    if node < 0:
        return "A node of the backward pass"
    return f"{nodes.name[node] or nodes.op[node]}{_where(int(nodes.line[node]))}"


def _leaf_title(frame: Frame) -> str:
    tensor = frame.current_tensor
    kind = "leaf that requires grad" if frame.requires_grad(tensor) else "constant"
    return f"{frame.name(tensor)}: {kind}{_where(frame.current_line)}"


_LEAF = "It is a leaf and requires grad, so backward() will put its gradient into .grad."
_UNSTORED = "It is a leaf and requires grad: gradients can be computed for it."


def _of_leaf(frame: Frame, tensor: int) -> str:
    """What a leaf is there for; .grad is promised where it comes."""
    return _LEAF if len(frame.trace.history("grads", "tensor").all(tensor)) else _UNSTORED


def _leaf(frame: Frame) -> str:
    tensor = frame.current_tensor
    tensors = frame.trace.tensors
    what = f"{frame.name(tensor)} = {_text(frame.value(tensor))}"
    if frame.requires_grad(tensor):
        return f"{_stop(what)} {_of_leaf(frame, tensor)}"
    if _will_require_grad(frame, tensor):
        return f"{what} ({tensors.dtype[tensor]}). It does not require grad yet: that is set later."
    return f"{what} ({tensors.dtype[tensor]}). It does not require grad: no gradient will flow to it."


def _will_require_grad(frame: Frame, tensor: int) -> bool:
    """Whether a tensor does not require grad yet, and `requires_grad` is set on it later."""
    flags = frame.trace.flags
    rows = frame.trace.history("flags", "tensor").all(tensor)
    return not frame.requires_grad(tensor) and bool(
        (flags.requires_grad[rows] & (flags.step[rows] >= frame.cursor)).any()
    )


def _forward_title(frame: Frame) -> str:
    nodes, node = frame.trace.nodes, frame.current_node
    symbol, op = str(nodes.symbol[node]), str(nodes.op[node])
    shown = op if symbol in ("", op) else f"{op} {symbol}"
    return f"{shown}{_where(int(nodes.line[node]))}"


def _forward(frame: Frame) -> str:
    trace, node = frame.trace, frame.current_node
    made = ", ".join(f"{frame.name(int(t))} = {_text(frame.value(int(t)))}" for t in trace.outputs_of(node)) or "Done"
    call = int(trace.steps.call[frame.cursor - 1])
    if call >= 0 and not trace.calls.create_graph[call]:  # only a checkpoint runs the snippet's own code there
        made = f"Computed again for the backward pass: {made}"
    name = str(trace.nodes.name[node])
    first = int(trace.outputs_of(node)[0]) if len(trace.outputs_of(node)) else -1
    if trace.nodes.op[node] == "detach" and frame.requires_grad(first):  # as Variable and Parameter make it
        return f"{_stop(made)} {_of_leaf(frame, first)}"
    if trace.nodes.op[node] == "detach":
        source = frame.name(int(trace.inputs_of(node)[0]))
        source = f"the former {source}" if source == frame.name(first) else source  # h = h.detach()
        return (
            f"{_stop(made)} It shares the memory of {source} and is cut off from its history: no gradient flows back."
        )
    made = f"{_stop(made)}{_VMAP.get(str(trace.nodes.op[node]), '')}{module_sentence(frame, node)}"
    if not name:
        reason = _UNTRACKED[int(trace.nodes.reason[node])]
        return f"{made} Not tracked{reason}: it has no grad_fn and saves nothing."
    kept = listed(saved_names(frame, node))
    return f"{made} {name} is made for the backward pass and keeps {kept or 'nothing'}."


_VMAP = {  # what the steps do that vmap adds to the operations of its function
    "AddBatchDim": " vmap splits it into examples, which are computed together with a leading batch dimension.",
    "BatchRepeat": " vmap passes the same value to every example.",
    "BatchSum": " vmap sums the results of the examples.",
    "RemoveBatchDim": " vmap stacks the results of all examples.",
}
_SWITCHED_OFF = 2
_UNTRACKED = (
    "",
    ", as none of its inputs requires grad",
    ", as gradients are switched off here",
    ", as it is not differentiable",
)


def _inplace(frame: Frame) -> str:
    tensor = frame.current_tensor
    name, version = frame.name(tensor), frame.version(tensor)
    line = f"{name} was overwritten: it is {_text(frame.value(tensor))} now, version {version}."
    writes = frame.trace.writes
    low, high = span(writes.step, frame.cursor - 1, frame.cursor)
    others = [frame.name(int(other)) for other in writes.tensor[low:high] if other != tensor]
    if others:
        line += f" {', '.join(dict.fromkeys(others))} changed with it: they share memory."
    return line + _stale(frame, tensor)


def _stale(frame: Frame, tensor: int) -> str:
    """Which operations saved what was overwritten."""
    stale = [
        sender_name(frame, node)
        for node in frame.trace.saved_on(int(frame.trace.tensors.storage[tensor]), frame.cursor)
        if any(one.state == "stale" for one in frame.saved(node))
    ]
    if not stale:
        return ""
    it = "it" if len(stale) == 1 else "them" if len(set(stale)) > 1 else "any of them"
    names = [f"{stale.count(name)} × {name}" if stale.count(name) > 1 else name for name in dict.fromkeys(stale)]
    return f" {listed(names)} saved an earlier version: running {it} backward will fail."


def _call_title(frame: Frame) -> str:
    source = str(frame.trace.calls.source[_ref(frame)])
    return f"{source if 0 < len(source) <= 60 else 'backward()'}{_where(frame.current_line)}"


def _call(frame: Frame) -> str:
    trace, call = frame.trace, _ref(frame)
    rows = trace.history("roots", "call").all(call)
    parts = []
    for row in rows:
        name, given = frame.name(int(trace.roots.tensor[row])), trace.value(int(trace.roots.value[row]))
        parts.append(f"{name} with the {'implicit gradient 1' if given is None else f'gradient {given.written()}'}")
    keep = " The buffers are kept (retain_graph)." if trace.calls.retain_graph[call] else ""
    build = " The gradients get a graph of their own (create_graph)." if trace.calls.create_graph[call] else ""
    wanted = [frame.name(int(trace.wanted.tensor[row])) for row in trace.history("wanted", "call").all(call)]
    only = f" Only {listed(wanted)} {'is' if len(wanted) == 1 else 'are'} asked for (inputs)." if wanted else ""
    return f"The backward pass starts at {listed(parts) or 'the root'}.{only}{keep}{build}"


def _contribution_title(frame: Frame) -> str:
    row, arrivals = _ref(frame), frame.trace.arrivals
    counts = f"{int(arrivals.arrived[row])} of {int(arrivals.expected[row])}"
    return f"Input buffer of {frame.name(frame.current_tensor)}: {counts}"


def _contribution(frame: Frame) -> str:
    return contribution_sentence(frame, _ref(frame))


def _accumulate_title(frame: Frame) -> str:
    return f"AccumulateGrad {_of(frame, frame.current_tensor)}"


def _free_title(frame: Frame) -> str:
    return f"{_node_title(frame)} frees its buffers"


def _hook_title(frame: Frame) -> str:
    kind = str(frame.trace.hooks.kind[_ref(frame)])
    target = f" on {frame.name(frame.current_tensor)}" if frame.current_tensor >= 0 else ""
    return f"Hook ({kind}){target or ' on ' + _node_title(frame)}"


def _hook(frame: Frame) -> str:
    trace, row = frame.trace, _ref(frame)
    before, after = trace.value(int(trace.hooks.before[row])), trace.value(int(trace.hooks.after[row]))
    if after is None or before is None or trace.hooks.before[row] == trace.hooks.after[row]:
        return "The hook was called and changed nothing."
    if before.written() == after.written():
        return _stop(f"The hook returned a new gradient, which reads the same: {after.written()}")
    return _stop(f"The hook changed the gradient: {before.written()} → {after.written()}")


def _clear_title(frame: Frame) -> str:
    now = frame.grad(frame.current_tensor)
    how = "set to None" if now is None else "set to zero" if now.norm == 0 else "set"
    return f"{frame.name(frame.current_tensor)}.grad is {how}{_where(frame.current_line)}"


def _clear(frame: Frame) -> str:
    tensor = frame.current_tensor
    before, now = frame.trace.frame_at(frame.cursor - 1).grad(tensor), frame.grad(tensor)
    if before is None and now is None:
        return f"{frame.name(tensor)}.grad was None already."
    return _stop(f"{frame.name(tensor)}.grad: {_text(before)} → {_text(now)}")


def _optimizer_title(frame: Frame) -> str:
    name = str(frame.trace.optimizers.name[_ref(frame)])
    return f"{name}{'' if name.startswith('clip_grad') else ' step'}{_where(frame.current_line)}"


def _print_title(frame: Frame) -> str:
    return f"print{_where(frame.current_line)}"


def _printed(frame: Frame) -> str:
    return str(frame.trace.texts.text[_ref(frame)]).rstrip("\n") or "An empty line is printed."


def _warning_title(frame: Frame) -> str:
    return f"Warning{_where(frame.current_line)}"


def _error_title(frame: Frame) -> str:
    return f"{frame.trace.errors.type[0]}{_where(int(frame.trace.errors.line[0]))}"


def _error(frame: Frame) -> str:
    found = explain_at(frame)
    return f"{frame.trace.errors.message[0]}" if found is None else f"{found.why} {found.fix}".strip()


def _caught_title(frame: Frame) -> str:
    return f"Caught: {frame.trace.caught.type[_ref(frame)]}{_where(frame.current_line)}"


def _caught(frame: Frame) -> str:
    found = explain_at(frame)
    caught, row = frame.trace.caught, _ref(frame)
    said = f"{caught.type[row]}: {caught.message[row]}" if found is None else f"{found.why} {found.fix}".strip()
    return f"{_stop(said)} The snippet catches the error and goes on."


def _collective_title(frame: Frame) -> str:
    return f"{frame.trace.collectives.name[_ref(frame)]}{_where(frame.current_line)}"


def _collective(frame: Frame) -> str:
    trace, row, step = frame.trace, _ref(frame), frame.cursor - 1
    before = trace.frame_at(step)
    said = f"{trace.collectives.name[row]}: {trace.collectives.detail[row]}"
    first, last = np.searchsorted(trace.grads.step, [step, step + 1])
    changes = [
        f"{frame.name(each)}.grad: {_text(before.grad(each))} → {_text(frame.grad(each))}"
        for each in trace.grads.tensor[first : min(last, first + MOST_EXCHANGED)].tolist()
    ]
    more = [f"and {last - first - MOST_EXCHANGED} more"] if last - first > MOST_EXCHANGED else []
    written = np.searchsorted(trace.writes.step, [step, step + 1])
    changes += [
        f"{frame.name(each)}: {_text(before.value(each))} → {_text(frame.value(each))}"
        for each in trace.writes.tensor[slice(*written)][:MOST_EXCHANGED].tolist()
    ]
    return " ".join(map(_stop, [said, "; ".join(changes + more)] if changes else [said]))


_Row = tuple[Callable[["Frame"], str], Callable[["Frame"], str]]
_ROWS: dict[Kind, _Row] = {
    Kind.LEAF: (_leaf_title, _leaf),
    Kind.FORWARD: (_forward_title, _forward),
    Kind.INPLACE: (_forward_title, _inplace),
    Kind.BACKWARD_CALL: (_call_title, _call),
    Kind.BACKWARD: (_node_title, node_sentence),
    Kind.CONTRIBUTION: (_contribution_title, _contribution),
    Kind.ACCUMULATE: (_accumulate_title, accumulate_sentence),
    Kind.FREE: (_free_title, free_sentence),
    Kind.HOOK: (_hook_title, _hook),
    Kind.CLEAR_GRAD: (_clear_title, _clear),
    Kind.OPTIMIZER: (_optimizer_title, update_sentence),
    Kind.PRINT: (_print_title, _printed),
    Kind.WARNING: (_warning_title, _printed),
    Kind.ERROR: (_error_title, _error),
    Kind.CAUGHT: (_caught_title, _caught),
    Kind.COLLECTIVE: (_collective_title, _collective),
}
