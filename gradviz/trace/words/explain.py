"""The current step in words: a title, a sentence with the numbers, and what comes next. One row per kind of step;
`contributions.py` describes what a backward pass did, and `errors` explains errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.lists import listed, quantity
from gradviz.trace.table.frame import current_site
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import SUBSCRIPTS, called_op, loop_over, opening, shortened, with_article
from gradviz.trace.table.naming import call_around
from gradviz.trace.table.schema import BY_NUMPY, SWITCHED_OFF
from gradviz.trace.table.tables import span
from gradviz.trace.table.trace import in_brackets, node_name, place_text
from gradviz.trace.table.values import Value, is_same
from gradviz.trace.words.computation import computed
from gradviz.trace.words.contributions import (
    accumulate_sentence,
    contribution_sentence,
    free_sentence,
    harm_sentence,
    node_sentence,
    part_written,
    puts_back,
    saved_names,
)
from gradviz.trace.words.errors import caught_sentence, error_sentence
from gradviz.trace.words.sentences import Said, full_stop, said
from gradviz.trace.words.updates import module_sentence, update_sentence

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace


_MOST = 4  # tensors listed for an exchange or a gap
_LONGEST_CHANGE = 120  # characters about one of them after a gap


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of one step."""

    title: str  # "AccumulateGrad (b, line 5)"
    sentence: Said  # "b.grad was None, so it takes the incoming gradient: None → 3."
    next: str  # "AccumulateGrad (w, line 4)", "" at the end


def explain(frame: Frame) -> Explanation:
    """Explain the current step of a frame."""
    trace = frame.trace
    coming = step_title(trace.frame_at(frame.cursor + 1)) if frame.cursor < len(trace) else ""
    if not frame.cursor:
        return Explanation("Before the first step", said("before"), coming)
    return Explanation(step_title(frame), sentence(frame), coming)


def explain_fold(trace: Trace, cursor: int, every_step: bool = False) -> Explanation:
    """Explain the steps that are walked as one and end at a cursor, see Note [Folds]; a single step if the cursor is
    inside them, or where every step is walked."""
    found = explain(trace.frame(cursor))
    start, end = trace.fold_around(cursor)
    if every_step or cursor != end:
        return found
    coming = fold_title(trace, cursor + 1) if cursor < len(trace) else ""
    if end - start <= 1:
        return Explanation(found.title, found.sentence, coming)
    if trace.steps.kind[start] == Kind.BACKWARD:
        both = said("fold.backward", backward=sentence(trace.frame_at(start + 1)), free=found.sentence)
        return Explanation(fold_title(trace, cursor), both, coming)
    if not trace.folds.quiet[end - 1]:  # a write, and what was computed for it
        results = _results(trace, start, end - 1, int(trace.steps.tensor[end - 1]))
        write = said("fold.write", write=found.sentence, results=results) if results else found.sentence
        return Explanation(found.title, write, coming)
    return Explanation(fold_title(trace, cursor), _untracked(trace, start, end), coming)


def fold_title(trace: Trace, cursor: int) -> str:
    """A short title for the steps that are walked as one around a cursor."""
    start, end = trace.fold_around(cursor)
    if end - start <= 1:
        return step_title(trace.frame_at(end))
    if trace.steps.kind[start] == Kind.BACKWARD:
        return step_title(trace.frame_at(start + 1))
    if not trace.folds.quiet[end - 1]:
        return step_title(trace.frame_at(end))
    return f"{_counted(trace, start, end)} ({_lines(trace, start, end)})"


def fold_number(trace: Trace, cursor: int) -> str:
    """ "Step 8", "Steps 9–10": the steps that are walked as one, by their numbers in the trace."""
    start, end = trace.fold_around(cursor)
    return f"Steps {start + 1:,}–{end:,}" if end - start > 1 and cursor == end else f"Step {cursor:,}"


_FEW = 12  # operations of a fold that may be of one call
_LATEST = 100  # steps of a fold whose results are searched
_INNER = re.compile(r"[\w\])] (?:in|of) \w")  # a name of what a call made for itself, "(eq in Normal).all()"
_MOST_RESULTS, _LONGEST_RESULT = 4, 80  # number of results listed, and their characters


def _counted(trace: Trace, start: int, end: int) -> str:
    """ "2 constants and 3 untracked operations"."""
    constants = int((trace.steps.kind[start:end] == Kind.LEAF).sum())
    counts = ((constants, "constant"), (end - start - constants, "untracked operation"))
    return listed([quantity(count, what) for count, what in counts if count])


def _lines(trace: Trace, start: int, end: int) -> str:
    lines = trace.steps.line[start:end]
    first, last = int(lines.min()), int(lines.max())
    return f"line {last}" if first == last else f"lines {max(first, 1)} to {last}"


def _untracked(trace: Trace, start: int, end: int) -> Said:
    nodes = trace.steps.node[start:end]
    is_off = (trace.nodes.reason[nodes[nodes >= 0]] == SWITCHED_OFF).any()
    made = np.unique(trace.flags.tensor[trace.flags.requires_grad.astype(bool)])
    at = trace.tensors.step[made]
    later = [trace.frame_at(end).name(each) for each in made[(start <= at) & (at < end)].tolist()]
    named = listed(later) if len(later) <= _MOST_RESULTS else f"{len(later)} of them"
    return said(
        "fold.untracked.off" if is_off else "fold.untracked",
        count=_counted(trace, start, end),
        lines=_lines(trace, start, end),
        call=_call_of_all(trace, nodes[nodes >= 0].tolist()),
        results=_results(trace, start, end) or "nothing that is used",
        later=said("part.later.one" if len(later) == 1 else "part.later.all", tensors=named) if later else "",
    )


def _call_of_all(trace: Trace, nodes: list[int]) -> str:
    """ ", for Categorical(probs)", if a few operations all ran in the course of one call without making its result."""
    calls = {call_around(trace.naming, node) for node in nodes} if len(nodes) <= _FEW else {""}
    return f", for {calls.pop()}" if len(calls) == 1 and "" not in calls else ""


def _results(trace: Trace, start: int, end: int, written: int = -1) -> str:
    """What steps made that the snippet has a name for, or that none of them read again; not what was `written` to next,
    nor what shares its memory, which have other values by now."""
    frame, steps = trace.frame_at(end), trace.steps
    made: dict[int, None] = {}
    for step in range(max(start, end - _LATEST), end):
        node, tensor = int(steps.node[step]), int(steps.tensor[step])
        for read in trace.inputs_of(node).tolist() if node >= 0 else []:
            if not trace.naming.all(read, end):
                made.pop(read, None)
        made |= dict.fromkeys(trace.outputs_of(node).tolist() if node >= 0 else [])
        made |= {tensor: None} if tensor >= 0 else {}
    storage = trace.tensors.storage
    made = {each: None for each in made if written < 0 or storage[each] != storage[written]}
    told: dict[str, list[str]] = {}
    made = {each: None for each in made if not _INNER.search(frame.name(each))} or made
    for tensor in list(made)[-_MOST_RESULTS:]:
        told.setdefault(frame.name(tensor), []).append(_result(frame, tensor))
    texts = [f"{name} = {', then '.join(each)}" for name, each in told.items()]
    return "; ".join(["…", *texts] if len(made) > _MOST_RESULTS else texts)


def _result(frame: Frame, tensor: int) -> str:
    written = _text(value := frame.value(tensor))
    return written if value is None or len(written) <= _LONGEST_RESULT else value.brief()


def sentence(frame: Frame) -> Said:
    """What happened in the current step, with the numbers."""
    return _ROWS[Kind(int(frame.trace.steps.kind[frame.cursor - 1]))][1](frame)


def step_title(frame: Frame) -> str:
    """The current step in a few words."""
    if not frame.cursor:
        return ""
    return _ROWS[Kind(int(frame.trace.steps.kind[frame.cursor - 1]))][0](frame)


def _of(frame: Frame, tensor: int) -> str:
    """A tensor's name and the line where it was made, for a title."""
    place = place_text(frame.trace, int(frame.trace.tensors.site[tensor]))
    return f"({frame.name(tensor)}, {place})" if place else f"({frame.name(tensor)})"


def _ref(frame: Frame) -> int:
    return int(frame.trace.steps.ref[frame.cursor - 1])


def _text(value: Value | None) -> str:
    return "None" if value is None else value.written()


def _node_title(frame: Frame) -> str:
    nodes, node = frame.trace.nodes, frame.current_node
    if node < 0:
        return "A node of the backward pass"
    return f"{node_name(frame.trace, node)}{in_brackets(frame.trace, int(nodes.site[node]))}"


def _leaf_title(frame: Frame) -> str:
    tensor = frame.current_tensor
    kind = "leaf that requires grad" if frame.requires_grad(tensor) else "constant"
    return f"{frame.name(tensor)}: {kind}{in_brackets(frame.trace, current_site(frame))}"


def _is_stored(frame: Frame, tensor: int) -> str:
    """Whether a leaf gets its .grad: it is announced where it arrives."""
    return "stored" if len(frame.trace.history("grads", "tensor").all(tensor)) else "unstored"


def _leaf(frame: Frame) -> Said:
    tensor = frame.current_tensor
    name, value = frame.name(tensor), _text(frame.value(tensor))
    if frame.requires_grad(tensor):
        return said(f"leaf.{_is_stored(frame, tensor)}", made=full_stop(f"{name} = {value}"))
    which = "leaf.later" if _will_require_grad(frame, tensor) else "leaf.constant"
    return said(which, tensor=name, value=value, dtype=frame.trace.tensors.dtype[tensor])


def _will_require_grad(frame: Frame, tensor: int) -> bool:
    """Whether a tensor does not require grad yet, and `requires_grad` is set later."""
    flags = frame.trace.flags
    rows = frame.trace.history("flags", "tensor").all(tensor)
    return not frame.requires_grad(tensor) and bool(
        (flags.requires_grad[rows] & (flags.step[rows] >= frame.cursor)).any()
    )


def operation_title(trace: Trace, node: int) -> str:
    """The name of an operation with its symbol, "mul ×", if that says more: "nll_loss", not "nll_loss nll"."""
    symbol, op = str(trace.nodes.symbol[node]), called_op(str(trace.nodes.op[node]))
    letters = [re.sub(r"[\W_]", "", each).lower() for each in (op, symbol)]
    return op if letters[1] and letters[1] in letters[0] else f"{op} {symbol}".rstrip()


def _forward_title(frame: Frame) -> str:
    node = frame.current_node
    return f"{operation_title(frame.trace, node)}{in_brackets(frame.trace, int(frame.trace.nodes.site[node]))}"


def _forward(frame: Frame) -> Said:
    trace, node = frame.trace, frame.current_node
    made = ", ".join(f"{frame.name(int(t))} = {computed(frame, int(t))}" for t in trace.outputs_of(node)) or "Done"
    call = int(trace.steps.call[frame.cursor - 1])
    if call >= 0:  # without a graph only a checkpoint runs the snippet's own code there
        made = said("part.gradient" if trace.calls.create_graph[call] else "part.again", made=made)
    name, op = str(trace.nodes.name[node]), str(trace.nodes.op[node])
    first = int(trace.outputs_of(node)[0]) if len(trace.outputs_of(node)) else -1
    if first < 0 and op[:1].isupper():
        return said("forward.other", function=op)
    whole = call_around(trace.naming, node) if call < 0 else ""
    if whole and (first < 0 or frame.name(first).rstrip(SUBSCRIPTS) != whole):  # not x[1] of "x[1] = 0"
        over = loop_over(str(trace.nodes.source[node]))
        made = said("part.loop", over=over, made=made) if over else said("part.inside", call=whole, made=made)
    if op == "detach" and frame.requires_grad(first):  # as Variable and Parameter make it
        return said(f"forward.{_is_stored(frame, first)}", made=full_stop(made))
    if op == "detach":
        source = frame.name(int(trace.inputs_of(node)[0]))
        source = f"the former {source}" if source == frame.name(first) else with_article(source)  # h = h.detach()
        return said("forward.detached", made=full_stop(made), source=source)
    made = f"{full_stop(made)}{_beside(frame, node)}{module_sentence(frame, node)}"
    if not name:
        return said(_UNTRACKED[int(trace.nodes.reason[node])], made=made)
    if name == "NotImplemented":
        return said("forward.undefined", made=made)
    return said("forward.kept", made=made, node=name, kept=listed(saved_names(frame, node)) or "no tensor")


def _beside(frame: Frame, node: int) -> str:
    """What an operation of vmap does, how a whole LSTM goes on, and the conditions of others."""
    trace, op = frame.trace, str(frame.trace.nodes.op[node])
    if op in _OF_VMAP:
        return said(f"part.{op}")
    if op == "mkldnn_rnn_layer":
        bias = (" + b_ih", " + b_hh") if len(trace.slots_of(node)) == _INPUTS_OF_LSTM else ("", "")
        return said("part.lstm", sum=f"W_ih @ input[t]{bias[0]} + W_hh @ h{bias[1]}")
    return _conditions(frame, node)


def _conditions(frame: Frame, node: int) -> str:
    """What a call made for itself and chooses by, where it does so first."""
    trace = frame.trace
    leaves = [each for each in trace.inputs_of(node).tolist() if each >= 0 and trace.tensors.producer[each] < 0]
    made = [each for each in leaves if frame.name(each).startswith("condition") and trace.users_of(each)[0] == node]
    return "".join(
        said("part.made", tensor=with_article(frame.name(each)), value=_result(frame, each)) for each in made
    )


_INPUTS_OF_LSTM = 7  # if it has biases
_OF_VMAP = ("AddBatchDim", "BatchRepeat", "BatchSum", "RemoveBatchDim")  # steps that it adds to those of its function
_UNTRACKED = ("forward.untracked", "forward.untracked.inputs", "forward.untracked.off", "forward.untracked.rule")


def _inplace(frame: Frame) -> Said:
    tensor, writes, storage = frame.current_tensor, frame.trace.writes, frame.trace.tensors.storage
    others = [  # not what was written since the last step without a step of its own
        with_article(frame.name(int(other)))
        for other in writes.tensor[slice(*span(writes.step, frame.cursor - 1, frame.cursor))]
        if other != tensor and storage[other] == storage[tensor]
    ]
    name, part = with_article(frame.name(tensor)), part_written(frame, frame.current_node)
    if part is None and puts_back(frame.trace, frame.current_node):
        return said("inplace.back", tensor=name, version=frame.version(tensor), stale=harm_sentence(frame, tensor))
    which = "inplace" if part is None else "inplace.view" if part else "inplace.part"
    which = "inplace.numpy" if frame.trace.nodes.op[frame.current_node] == BY_NUMPY else which
    return said(
        which,
        **({"part": opening(with_article(part))} if part else {}),
        tensor=opening(name) if which == "inplace" else name,
        value=computed(frame, tensor),
        version=frame.version(tensor),
        shared=_conditions(frame, frame.current_node)
        + (said("part.shared", others=opening(listed(list(dict.fromkeys(others))))) if others else ""),
        stale=harm_sentence(frame, tensor),
    )


def _call_title(frame: Frame) -> str:
    source = str(frame.trace.calls.source[_ref(frame)])
    called = source if len(source) <= 60 else shortened(source)
    return f"{called or 'backward()'}{in_brackets(frame.trace, current_site(frame))}"


def _call(frame: Frame) -> Said:
    trace, call = frame.trace, _ref(frame)
    parts: list[str] = []
    for row in trace.history("roots", "call").all(call):
        root, given = with_article(frame.name(int(trace.roots.tensor[row]))), trace.value(int(trace.roots.value[row]))
        implicit = said("part.implicit", root=root) if given is None else None
        parts.append(implicit or said("part.given", root=root, gradient=_text(given)))
    wanted = [
        with_article(frame.name(int(trace.wanted.tensor[row]))) for row in trace.history("wanted", "call").all(call)
    ]
    if not parts:
        return said("backward_call.empty")
    return said(
        "backward_call",
        roots=listed(parts),
        only=said(f"part.only.{'one' if len(wanted) == 1 else 'all'}", tensors=listed(wanted)) if wanted else "",
        keep=said("part.retained") if trace.calls.retain_graph[call] else "",
        build=said("part.created") if trace.calls.create_graph[call] else "",
    )


def _contribution_title(frame: Frame) -> str:
    row, arrivals = _ref(frame), frame.trace.arrivals
    counts = f"{int(arrivals.arrived[row])} of {int(arrivals.expected[row])}"
    return f"Input buffer of {frame.name(frame.current_tensor)}: {counts}"


def _contribution(frame: Frame) -> Said:
    return contribution_sentence(frame, _ref(frame))


def _accumulate_title(frame: Frame) -> str:
    return f"AccumulateGrad {_of(frame, frame.current_tensor)}"


def _free_title(frame: Frame) -> str:
    return f"{_node_title(frame)} frees its buffers"


def _hook_title(frame: Frame) -> str:
    kind = str(frame.trace.hooks.kind[_ref(frame)])
    target = f" on {frame.name(frame.current_tensor)}" if frame.current_tensor >= 0 else ""
    return f"Hook ({kind}){target or ' on ' + _node_title(frame)}"


def _hook(frame: Frame) -> Said:
    trace, row = frame.trace, _ref(frame)
    before, after = trace.value(int(trace.hooks.before[row])), trace.value(int(trace.hooks.after[row]))
    if after is None or before is None or trace.hooks.before[row] == trace.hooks.after[row]:
        return said("hook")
    if before.written() == after.written():
        return said("hook.same", after=after.written())
    return said("hook.changed", before=before.written(), after=after.written())


def _clear_title(frame: Frame) -> str:
    now = frame.grad(frame.current_tensor)
    how = "set to None" if now is None else "set to zero" if now.norm == 0 else "set"
    return f"{frame.name(frame.current_tensor)}.grad is {how}{in_brackets(frame.trace, current_site(frame))}"


def _clear(frame: Frame) -> Said:
    tensor, name = frame.current_tensor, frame.name(frame.current_tensor)
    before, now = frame.trace.frame_at(frame.cursor - 1).grad(tensor), frame.grad(tensor)
    if before is None and now is None:
        return said("clear_grad.none", tensor=name)
    if before is not None and now is not None and before.norm == now.norm == 0:
        return said("clear_grad.zero", tensor=name)
    return said("clear_grad", tensor=name, before=_text(before), now=_text(now))


def _optimizer_title(frame: Frame) -> str:
    name = str(frame.trace.optimizers.name[_ref(frame)])
    return f"{name}{'' if name.startswith('clip_grad') else ' step'}{in_brackets(frame.trace, current_site(frame))}"


def _print_title(frame: Frame) -> str:
    return f"print{in_brackets(frame.trace, current_site(frame))}"


def _printed(frame: Frame) -> Said:
    kind, text = frame.trace.steps.kind[frame.cursor - 1], str(frame.trace.texts.text[_ref(frame)]).rstrip("\n")
    which = "print" if kind == Kind.PRINT else "warning"
    return said(which, text=text) if text else said(f"{which}.empty")


def _warning_title(frame: Frame) -> str:
    return f"Warning{in_brackets(frame.trace, current_site(frame))}"


def _error_title(frame: Frame) -> str:
    return f"{frame.trace.errors.type[0]}{in_brackets(frame.trace, current_site(frame))}"


def _caught_title(frame: Frame) -> str:
    return f"Caught: {frame.trace.caught.type[_ref(frame)]}{in_brackets(frame.trace, current_site(frame))}"


def _collective_title(frame: Frame) -> str:
    return f"{frame.trace.collectives.name[_ref(frame)]}{in_brackets(frame.trace, current_site(frame))}"


def _collective(frame: Frame) -> Said:
    trace, row = frame.trace, _ref(frame)
    what = f"{trace.collectives.name[row]}: {trace.collectives.detail[row]}"
    grads, values, count = _changes(frame)
    told = [what, _listed([*grads, *values], count)] if count else [what]
    return said("collective", text=" ".join(map(full_stop, told)))


def _listed(changes: list[str], count: int) -> str:
    """Changes in sequence, and how many of `count` are not listed."""
    more = [f"and {count - len(changes):,} more"] if count > len(changes) else []
    return "; ".join([*changes, *more])


def _gap_title(frame: Frame) -> str:
    which = gap_span(frame.trace, _ref(frame))
    return f"Not recorded: {which or 'the rest of the run'}"


def gap_span(trace: Trace, gap: int) -> str:
    """What a gap left out: "t = 11 to t = 99"; "" if it was not in a loop."""
    begins, over = str(trace.gaps.begins[gap]), trace.resumptions
    if not begins or gap >= len(over) or over.count[gap] < 2:
        return begins and f"{begins}{'' if gap < len(over) else ' and what follows'}"
    return f"{begins} to {over.ends[gap]}"


def _gap(frame: Frame) -> Said:
    trace, gap = frame.trace, _ref(frame)
    which, (grads, values, number) = gap_span(trace, gap), _changes(frame)
    shown = [each for each in [*values, *grads] if len(each) <= _LONGEST_CHANGE][:_MOST]
    changes = _listed(shown, number) if shown else f"{number:,} values and gradients" if number else ""
    if not which:
        return said("gap.outside", changes=f" What changed: {full_stop(changes)}" if changes else "")
    if gap >= len(trace.resumptions):
        return said("gap.open", span=which)
    count = int(trace.resumptions.count[gap])
    if not changes:
        return said("gap.unchanged", span=which)
    if count < 2:
        return said("gap.one", span=which, changes=changes)
    return said("gap", count=f"{count:,}", span=which, changes=changes)


def _changes(frame: Frame) -> tuple[list[str], list[str], int]:
    """What a step that changed more than one tensor wrote: the first gradients and values, and how many there are."""
    trace, step = frame.trace, frame.cursor - 1
    before, at = trace.frame_at(step), [step, step + 1]
    grads = trace.grads.tensor[slice(*np.searchsorted(trace.grads.step, at))].tolist()
    values = trace.writes.tensor[slice(*np.searchsorted(trace.writes.step, at))].tolist()
    changed = [(f"{frame.name(each)}.grad", before.grad(each), frame.grad(each)) for each in grads[:_MOST]]
    written = [(frame.name(each), before.value(each), frame.value(each)) for each in values[:_MOST]]
    ends_as_before = sum(is_same(*pair) for _, *pair in [*changed, *written])  # as w.grad after w.grad.zero_()
    told = [
        [f"{name}: {_text(old)} → {_text(new)}" for name, old, new in each if not is_same(old, new)]
        for each in (changed, written)
    ]
    return told[0], told[1], len(grads) + len(values) - ends_as_before


_Row = tuple[Callable[["Frame"], str], Callable[["Frame"], Said]]
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
    Kind.ERROR: (_error_title, error_sentence),
    Kind.CAUGHT: (_caught_title, caught_sentence),
    Kind.COLLECTIVE: (_collective_title, _collective),
    Kind.GAP: (_gap_title, _gap),
}
