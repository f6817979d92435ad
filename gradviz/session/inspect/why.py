"""Why something is as it is: why a gradient is None, zero, not finite or large; why a value is; why a tensor is not a
leaf, is not trained, or has its shape. An answer is a sentence with the steps that led there, each a link. Pure.

Note [Where it began] Zero, non-finite and large numbers are traced back from each operation to its input until the
input was not like that: that operation is the answer, and the path to it is the chain."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gradviz.session.inspect.causes import (
    Reason,
    created,
    number_taken,
    overwritten,
    reason_at,
    reason_of,
    rounded,
    shortened,
    step_of,
    switched_off,
    told_briefly,
)
from gradviz.session.inspect.inspection import Inspection, Link, Row, Section
from gradviz.session.state import Selection
from gradviz.trace.table.frame import NOT_FINITE, ZERO
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import OF_SHAPE, called_op, with_article, with_ending
from gradviz.trace.table.schema import NOT_DIFFERENTIABLE, SWITCHED_OFF
from gradviz.trace.table.trace import in_brackets, node_name
from gradviz.trace.words.computation import computed
from gradviz.trace.words.contributions import NUMBER, added
from gradviz.trace.words.formulas import filled
from gradviz.trace.words.reasons import NOT_A_LEAF, path_to, way_to_cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.session.state import State
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

LONGEST = 1_000  # operations that are followed
LARGE, GROWTH = 1e3, 1.5  # a magnitude worth asking about, and the growth from which an operation is listed


@dataclass(frozen=True)
class Answer:
    """The question, as `topic` names it, and the answer. What is `notable` is answered unasked."""

    topic: str
    question: str
    why: str
    chain: tuple[Reason, ...] = ()
    notable: bool = True


def answers(frame: Frame, tensor: int) -> tuple[Answer, ...]:
    """Every question about a tensor at a cursor, with its answer, the most notable first."""
    found = [answer for ask in QUESTIONS if (answer := ask(frame, tensor)) is not None]
    return tuple(sorted(found, key=lambda answer: not answer.notable))


def in_words(frame: Frame, tensor: int, name: str = "snippet.py") -> str:
    """The answers as text for a terminal."""
    parts = []
    for answer in answers(frame, tensor):
        steps = [f"  {each.file or name}:{each.line}: {each.text} [step {each.cursor}]" for each in answer.chain]
        parts.append("\n".join([answer.question, answer.why, *steps]))
    return "\n\n".join(parts)


def _listed(found: list[str]) -> str:
    return ", ".join(found[:3]) + (", …" if len(found) > 3 else "")


# -- a missing gradient


def _why_none(frame: Frame, tensor: int) -> Answer | None:
    reason = reason_of(frame, tensor)
    if reason is None:
        return None
    trace, name = frame.trace, frame.name(tensor)
    called = frame.call >= 0
    is_number = NUMBER.fullmatch(name) is not None
    question = f"Why has the number {name} no .grad?" if is_number else f"Why is {with_ending(name, '.grad')} None?"
    if reason.startswith("requires_grad="):
        reason = f"it has {reason}"
    elif reason.startswith(str(trace.tensors.dtype[tensor])):
        reason = f"its dtype is {reason}"
    why = f"{reason if reason.startswith('backward()') else reason[0].upper() + reason[1:]}."
    if frame.passing(tensor) is not None:
        return Answer("none", question, why, tuple(_passed(frame, tensor)), notable=False)
    notable = called and frame.requires_grad(tensor) and frame.is_leaf(tensor)
    if not frame.requires_grad(tensor):
        return Answer("none", question, why, shortened(_to_the_cut(frame, tensor)), notable=False)
    if not called:
        return Answer("none", question, why, notable=False)
    cleared = trace.history("grads", "tensor").last(tensor, frame.cursor)
    if cleared >= 0 and trace.grads.value[cleared] < 0 and trace.grads.step[cleared] >= 0:
        step = int(trace.grads.step[cleared])
        told = Reason(int(trace.steps.line[step]), f"{name}.grad was cleared", step + 1)
        return Answer("none", question, why, (told,))
    if reason.startswith(NOT_A_LEAF):  # in an earlier call
        return Answer("none", question, why, (step_of(frame, int(trace.tensors.producer[tensor])),), notable=False)
    return Answer("none", question, why, shortened(_to_the_end(frame, tensor)), notable)


def _passed(frame: Frame, tensor: int) -> Iterator[Reason]:
    """The steps in which what is no leaf was made, and in which its gradient passed."""
    trace, row = frame.trace, _arrived(frame, tensor)[-1]
    yield step_of(frame, int(trace.tensors.producer[tensor]))
    step, came = int(trace.arrivals.step[row]), _brief(frame, int(trace.arrivals.total[row]))
    sender, call = int(trace.arrivals.from_node[row]), int(trace.arrivals.call[row])
    site = trace.nodes.site[sender] if sender >= 0 else trace.calls.site[call]
    yield reason_at(trace, int(site), f"its gradient {came} arrived, and was passed on", step + 1)


def _to_the_cut(frame: Frame, tensor: int) -> list[Reason]:
    """The chain from where a history was cut off to a tensor that has none; empty if none was cut off."""
    trace, found = frame.trace, []
    for node in _back(frame, tensor, lambda each: not trace.tensors.requires_grad[each]):
        before = [each for each in trace.inputs_of(node).tolist() if trace.tensors.requires_grad[each]]
        found.append(step_of(frame, node, _ended(frame, node) if before else ", which requires no grad"))
        if before:
            return found[::-1]
    return []


def _back(frame: Frame, tensor: int, follow: Callable[[int], bool]) -> Iterator[int]:
    """The operations that led to a tensor, one after the other, following the first operand that can be followed."""
    trace, at = frame.trace, tensor
    for _ in range(LONGEST):
        node = int(trace.tensors.producer[at])
        if node < 0:
            return
        yield node
        onward = [each for each in trace.inputs_of(node).tolist() if follow(each)]
        computed = [each for each in onward if trace.tensors.producer[each] >= 0]
        if not onward:
            return
        at = (computed or onward)[0]


def _ended(frame: Frame, node: int) -> str:
    """How a history ends at an operation."""
    nodes = frame.trace.nodes
    if nodes.op[node] == "detach":
        return ": here the history was cut off"
    if nodes.reason[node] == SWITCHED_OFF:
        return " inside no_grad: here the history ends"
    if nodes.reason[node] == NOT_DIFFERENTIABLE:
        return ", which has no derivative: here the history ends"
    return ""


def _to_the_end(frame: Frame, leaf: int) -> list[Reason]:
    """The chain from a leaf to where everything computed from it ends without reaching a root."""
    trace, came = frame.trace, _with_history(frame, leaf)
    found = [created(frame, leaf)]
    cut = number_taken(frame, leaf)
    if cut is not None and cut.node >= 0:
        text = f"{frame.name(cut.source)} gave plain numbers: here the history ends"
        found.append(Reason(cut.line, text, int(trace.nodes.step[cut.node])))
    for made in way_to_cut(frame, leaf) or path_to(max(came), came):
        node = int(trace.tensors.producer[made])
        found.append(step_of(frame, node, _ended(frame, node)))
    for root in trace.roots_of(frame.call).tolist()[:1]:
        text = f"backward() began at {frame.name(root)}"
        text += "" if root in came else ", whose history does not go back to it"
        found.append(Reason(int(trace.calls.line[frame.call]), text, int(trace.calls.step[frame.call]) + 1))
    return found


def _with_history(frame: Frame, leaf: int) -> dict[int, int]:
    """What was computed from a leaf, as far as the history goes, each with what it was computed from (-1: nothing)."""
    trace, queue, came = frame.trace, [leaf], {leaf: -1}
    for each in queue:
        for node in trace.users_of(each).tolist():
            for made in trace.outputs_of(node).tolist() if trace.nodes.step[node] < frame.cursor else ():
                if made not in came and len(queue) < LONGEST:
                    came[made] = each
                    queue += [made] if trace.tensors.requires_grad[made] else []
    return came


# -- gradients that are zero, not finite or large: traced back


@dataclass(frozen=True, slots=True)
class Sent:
    """What an operation received in a backward call, and what it sent to one operand."""

    node: int
    step: int
    given: int  # value, -1 if unknown
    sent: int


def _way(frame: Frame, tensor: int, follow: Callable[[int], bool]) -> tuple[list[Sent], list[int]]:
    """The operations that sent a gradient, upwards from a tensor, as long as what they received is to be traced; and
    the rows of what arrived where none of several did, so that only the sum is so."""
    trace, arrived, found = frame.trace, _arrived(frame, tensor), list[Sent]()
    sender, sent, total, step = (getattr(trace.arrivals, name) for name in ("from_node", "value", "total", "step"))
    while len(found) < LONGEST:
        rows = [row for row in arrived if sender[row] >= 0 and follow(int(sent[row]))]
        if not rows:
            return found, [row for row in arrived if sender[row] >= 0]
        row = rows[0] if len(rows) == 1 else max(rows, key=lambda each: _size(frame, int(sent[each])))
        upper, came = -1, [_arrived(frame, made) for made in trace.outputs_of(int(sender[row])).tolist()]
        if came := [rows for rows in came if rows]:
            arrived = max(came, key=lambda each: (follow(int(total[each[-1]])), _size(frame, int(total[each[-1]]))))
            upper = int(total[arrived[-1]])
        found.append(Sent(int(sender[row]), int(step[row]), upper, int(sent[row])))
        if upper < 0 or not follow(upper):
            break
    return found, []


def _arrived(frame: Frame, tensor: int) -> list[int]:
    """The rows of what the latest call before the cursor sent to a tensor."""
    trace = frame.trace
    rows = trace.history("arrivals", "tensor").before(tensor, frame.cursor)
    if len(rows) > 1:
        rows = rows[trace.arrivals.call[rows] == trace.arrivals.call[rows[-1]]]
    found: list[int] = rows.tolist()
    return found


def _size(frame: Frame, value: int) -> float:
    """The root mean square of a value; infinity if it is not finite."""
    numel = math.prod(frame.trace.store.shape(value)) or 1
    norm = float(frame.trace.values.norm[value])
    return norm / math.sqrt(numel) if math.isfinite(norm) else math.inf


def _sent(frame: Frame, each: Sent) -> Reason:
    """What an operation sent."""
    nodes, given, sent = frame.trace.nodes, _brief(frame, each.given), _brief(frame, each.sent)
    text = f"{node_name(frame.trace, each.node)} got {given or 'a gradient'} and sent {sent}"
    factor = _growth(frame, each)
    more = f", {rounded(factor)} times as large" if factor >= GROWTH and math.isfinite(factor) else ""
    return reason_at(frame.trace, int(nodes.site[each.node]), text + more, each.step + 1)


def _brief(frame: Frame, value: int) -> str:
    found = frame.trace.value(value) if value >= 0 else None
    return found.brief() if found is not None else ""


def _why_gradient(frame: Frame, tensor: int) -> Answer | None:
    """Why a gradient is zero, not finite or large, or else as it is."""
    value = frame.arriving(tensor) or frame.grad(tensor)
    rows = _arrived(frame, tensor)
    if value is None or not rows:
        return None
    total, name = int(frame.trace.arrivals.total[rows[-1]]), frame.name(tensor)
    filled_at = _filled(frame, tensor)
    if filled_at >= 0:
        line = int(frame.trace.steps.line[filled_at])
        told = Reason(line, f"{name}.grad was filled with zeros", filled_at + 1)
        why = f"It was filled with zeros on line {line}."
        return Answer("zero", f"Why is the gradient of {name} zero?", why, (told,))
    flags = frame.trace.value_flag
    if flags[total] == ZERO:
        return _gradient_answer(frame, tensor, "zero", f"Why is the gradient of {name} zero?", ZERO)
    if flags[total] == NOT_FINITE:
        return _gradient_answer(frame, tensor, "nan", f"Why is the gradient of {name} not finite?", NOT_FINITE)
    way, _ = _way(frame, tensor, lambda each: True)
    expected = int(frame.trace.arrivals.expected[rows[-1]])
    counted = f"{len(rows)} of its {expected}" if len(rows) < expected else str(len(rows))
    parts = f", the sum of {counted} contributions" if len(rows) > 1 else ""
    roots = frame.trace.roots_of(int(frame.trace.arrivals.call[rows[-1]])).tolist()
    start = with_article(frame.name(roots[0])) if len(roots) == 1 else "the roots"
    if _size(frame, total) < LARGE:
        sizes = {_size(frame, value) for value in frame.trace.arrivals.value[rows].tolist() if value >= 0}
        sent = "it" if not parts else "one of them" if len(sizes) == 1 else "the largest of them"
        these = f"{'This operation' if len(way) == 1 else 'These operations'} sent {sent}"
        why = f"It is {value.brief()}{parts}. {these}, from {start} back to here."
        chain = told_briefly(way[::-1], lambda each: _sent(frame, each))
        return Answer("gradient", f"Why has {name} this gradient?", why, chain, notable=False) if way else None
    grown = [each for each in way if each.given >= 0 and _size(frame, each.sent) > GROWTH * _size(frame, each.given)]
    most = max(way, key=lambda each: _growth(frame, each), default=None)
    chosen = grown or ([most] if most is not None else [])
    why = f"It is {value.brief()}{parts}. Each of these made it larger, from {start} back to here."
    chain = told_briefly(chosen[::-1], lambda each: _sent(frame, each))
    return Answer("large", f"Why is the gradient of {name} so large?", why, chain)


def _filled(frame: Frame, tensor: int) -> int:
    """The step that filled the .grad of a leaf with zeros, if nothing was added to it since; -1 otherwise."""
    trace, row = frame.trace, frame.trace.history("grads", "tensor").last(tensor, frame.cursor)
    if row < 0 or trace.grads.value[row] < 0 or trace.value_flag[trace.grads.value[row]] != ZERO:
        return -1
    step = int(trace.grads.step[row])
    since = trace.arrivals.step[_arrived(frame, tensor)[-1]] < step
    return step if since and trace.steps.kind[step] != Kind.ACCUMULATE else -1


def _growth(frame: Frame, each: Sent) -> float:
    given = _size(frame, each.given) if each.given >= 0 else 0.0
    return _size(frame, each.sent) / given if given else 0.0


def _gradient_answer(frame: Frame, tensor: int, topic: str, question: str, flag: int) -> Answer:
    """By what a gradient became zero, or not finite, as its flag says."""
    flags, nodes = frame.trace.value_flag, frame.trace.nodes
    way, summed = _way(frame, tensor, lambda each: bool(flags[each] == flag))
    chain = told_briefly(way[::-1], lambda each: _sent(frame, each))
    if summed:
        arrivals = frame.trace.arrivals
        to, total = frame.name(int(arrivals.tensor[summed[-1]])), frame.trace.value(int(arrivals.total[summed[-1]]))
        parts = [v for row in summed if (v := frame.trace.value(int(arrivals.value[row]))) is not None]
        worked = f": {added(parts, total)}" if total is not None and len(parts) == len(summed) else ""
        return Answer(
            topic, question, f"What came to {to} through its {len(summed)} uses adds up to it{worked}.", chain
        )
    if not way:
        return Answer(topic, question, "backward() was started with it.")
    first = way[-1]
    given = _brief(frame, first.given)
    name = f"{nodes.name[first.node]}{in_brackets(frame.trace, int(nodes.site[first.node]))}"
    if first.given >= 0 and frame.trace.value_flag[first.given] == frame.trace.value_flag[first.sent]:
        since = "from where backward() began" if len(way) < LONGEST else f"{LONGEST:,} operations before it came here"
        return Answer(topic, question, f"It was so {since}.", chain)
    why = f"{name} got {given or 'a gradient'} and sent {_brief(frame, first.sent)}"
    return Answer(topic, question, f"{why}{_made_by(frame, first)}.", chain)


def _made_by(frame: Frame, each: Sent) -> str:
    """The rule by which an operation made what it sent of what it got, and what it read in the forward pass if the rule
    does not show that."""
    trace, node = frame.trace, each.node
    at, flows = trace.frame_at(each.step), trace.flows
    read = _read(at, node)
    rows = trace.history("flows", "node").before(node, each.step + 1)
    rows = rows[flows.value[rows] == each.sent]
    sent, given = trace.value(each.sent), trace.value(each.given) if each.given >= 0 else None
    rule = filled(at, node, int(flows.slot[rows[-1]]), sent, given) if len(rows) and sent is not None else ()
    if not rule:
        return f", because of {read}" if read else ""
    shows = [bool(_names(frame, rule[0], each)) for each in (trace.inputs_of(node), trace.outputs_of(node))]
    return f": {' = '.join(rule)}" + (f". It read {read}" if read and shows == [False, True] else "")


def _read(before: Frame, node: int) -> str:
    """What an operation read: "h = [-3, -6], w = 2"."""
    values = {each: before.value(each) for each in before.trace.inputs_of(node).tolist()}
    return _listed([f"{before.name(each)} = {value.brief()}" for each, value in values.items() if value is not None])


def _names(frame: Frame, text: str, tensors: NDArray[np.int64]) -> list[int]:
    """The tensors that a text speaks of."""
    words = {each: re.escape(frame.name(each)) for each in tensors.tolist()}
    return [each for each, word in words.items() if re.search(rf"(?<!\w){word}(?!\w)", text)]


# -- values


def _why_value(frame: Frame, tensor: int) -> Answer | None:
    """Why a value is zero or not finite."""
    value, name = frame.value(tensor), frame.name(tensor)
    if value is None or not value.numel:
        return None
    if not math.isfinite(value.norm):
        question = f"Why is {name} not finite?"
        return _value_answer(frame, tensor, "nan value", question, lambda each: not math.isfinite(each.norm))
    if value.norm == 0 and frame.trace.tensors.producer[tensor] >= 0 and value.dtype != "bool":
        return _value_answer(frame, tensor, "zero value", f"Why is {name} zero?", lambda each: each.norm == 0)
    return _why_large(frame, tensor, value) if _mean_size(value) >= LARGE else None


def _mean_size(value: Value) -> float:
    return value.norm / math.sqrt(value.numel or 1)


def _why_large(frame: Frame, tensor: int, value: Value) -> Answer:
    """Why a value is large: which of the operations that led to it made it grow."""
    trace, grown, at = frame.trace, list[Reason](), tensor
    for _ in range(LONGEST):
        node = int(trace.tensors.producer[at])
        then = trace.frame_at(int(trace.nodes.step[node])) if node >= 0 else frame
        read = [(_mean_size(v), each) for each in trace.inputs_of(node).tolist() if (v := then.value(each)) is not None]
        if node < 0 or not read:
            break
        made = trace.frame_at(int(trace.nodes.step[node]) + 1).value(at)
        largest, onward = max(read)
        if made is not None and largest and _mean_size(made) > GROWTH * largest:
            grown.append(step_of(frame, node, f", {rounded(_mean_size(made) / largest)} times as large"))
        at = onward
    itself = "is so large itself" if trace.tensors.producer[at] < 0 else "was so large before"
    these = f"{'This' if len(grown) == 1 else 'Each of these'} made it larger"
    why = f"It is {value.brief()}. {these if grown else f'{frame.name(at)} {itself}'}."
    chain = grown[::-1] or [created(frame, at)]
    question = f"Why is {frame.name(tensor)} so large?"
    return Answer("large value", question, why, shortened(chain), notable=False)


def _value_answer(frame: Frame, tensor: int, topic: str, question: str, is_so: Callable[[Value], bool]) -> Answer:
    trace, way, at, then = frame.trace, list[int](), tensor, frame
    for _ in range(LONGEST):
        if (write := overwritten(then, at, is_so)) is not None:
            why, reason = write
            return Answer(topic, question, why, shortened([reason, *(step_of(frame, node) for node in way[::-1])]))
        node = int(trace.tensors.producer[at])
        if node < 0:
            break
        way.append(node)
        then = trace.frame_at(int(trace.nodes.step[node]))
        onward = [each for each in trace.inputs_of(node).tolist() if (v := then.value(each)) is not None and is_so(v)]
        if not onward:
            break
        at = onward[0]
    if not way or (at != tensor and trace.tensors.producer[at] < 0):
        told = created(frame, at, f" as {value.brief()}" if (value := then.value(at)) is not None else "")
        chain = told_briefly([-1, *way[::-1]], lambda each: told if each < 0 else step_of(frame, each))
        what = topic.removesuffix(" value").replace("nan", "not finite")
        return Answer(topic, question, f"{frame.name(at)} is {what} itself.", chain)
    node = way[-1]
    step = int(trace.nodes.step[node])
    made = at if trace.tensors.producer[at] == node else int(trace.outputs_of(node)[0])
    read = _read(trace.frame_at(step), node)
    worked = computed(trace.frame_at(step + 1), made)
    name = called_op(str(trace.nodes.op[node]))
    took = f"took it from {read}, where it was so" if name in ("select", "slice", "index") else f"made it from {read}"
    why = f"{name} on {step_of(frame, node).place} {took}" if read else f"{name} made it so"
    why += (f": {worked}" if " = " in worked else "") + "."
    return Answer(topic, question, why, told_briefly(way[::-1], lambda each: step_of(frame, each)))


# -- leaves, training, shapes


def _why_no_leaf(frame: Frame, tensor: int) -> Answer | None:
    if frame.is_leaf(tensor):
        return None
    nodes = [*_back(frame, tensor, lambda each: bool(frame.trace.tensors.requires_grad[each]))]
    if not nodes:
        return None
    op, place = called_op(str(frame.trace.nodes.op[nodes[0]])), step_of(frame, nodes[0]).place
    inner = [
        each for each in frame.trace.inputs_of(nodes[-1]).tolist() if frame.is_leaf(each) and frame.requires_grad(each)
    ]
    of = f" from the leaf {frame.name(inner[0])}" if inner else ""
    why = f"{op} on {place} computed it{of}. A leaf is what was created, not computed from what requires grad."
    chain = [*(created(frame, each) for each in inner[:1]), *(step_of(frame, node) for node in nodes[::-1])]
    return Answer("leaf", f"Why is {frame.name(tensor)} not a leaf?", why, shortened(chain), notable=False)


def _why_not_trained(frame: Frame, tensor: int) -> Answer | None:
    trace, name = frame.trace, frame.name(tensor)
    steps = trace.optimizers.step[~np.char.startswith(trace.optimizers.name.astype(str), "clip_grad")]
    steps = steps[(steps > trace.tensors.step[tensor]) & (steps < frame.cursor)]
    if not len(steps) or not frame.is_leaf(tensor) or trace.tensors.producer[tensor] >= 0:
        return None
    if not str(trace.tensors.dtype[tensor]).startswith(("float", "bfloat", "complex")):
        return None
    rows = trace.history("updates", "tensor").before(tensor, frame.cursor)
    writes = trace.history("writes", "tensor").before(tensor, frame.cursor)
    came = trace.history("arrivals", "tensor").before(tensor, frame.cursor)[:1]
    first = min([int(steps[0]), *trace.arrivals.step[came].tolist()])  # it may have been trained by hand before
    if len(rows) or any(trace.writes.step[row] >= first for row in writes.tolist()):
        return None
    if not frame.requires_grad(tensor) and not trace.tensors.is_parameter[tensor]:
        return None
    chain, last = [created(frame, tensor)], int(steps[-1])
    cleared = trace.history("grads", "tensor").last(tensor, last)
    if not frame.requires_grad(tensor):
        line = switched_off(frame, tensor)
        why = f"{name} requires no grad{f', switched off on line {line}' if line > 0 else ''}, so an optimizer passes "
        why += "over it."
    elif not len(trace.history("arrivals", "tensor").before(tensor, frame.cursor)):
        reason = reason_of(frame, tensor) if frame.call >= 0 else "backward() has not run"
        why = f"No gradient has ever come to {name}{f' ({reason})' if reason else ''}, so the optimizer passes over it."
        chain = _to_the_end(frame, tensor) if frame.call >= 0 else chain
    elif cleared >= 0 and trace.grads.value[cleared] < 0:
        step = int(trace.grads.step[cleared])
        line = int(trace.steps.line[step])
        why = f"{name} gets gradients, but line {line} clears them before the optimizer makes its step."
        chain.append(Reason(line, f"{name}.grad was cleared", step + 1))
    else:
        why = f"{name} gets gradients, but the optimizer was not given it."
    chain.append(Reason(int(trace.steps.line[last]), "the optimizer made a step without it", last + 1))
    return Answer("training", f"Why is {name} not trained?", why, shortened(chain))


def _why_shape(frame: Frame, tensor: int) -> Answer | None:
    trace, shape = frame.trace, tuple(frame.trace.tensors.shape[tensor])
    chain: list[Reason] = []
    for node in _back(frame, tensor, lambda each: True):
        read = [tuple(trace.tensors.shape[each]) for each in trace.inputs_of(node).tolist()]
        made = [tuple(trace.tensors.shape[each]) for each in trace.outputs_of(node).tolist()]
        if made and read and (len({*read}) > 1 or made[0] != read[0]):
            shapes = " and ".join(str([*each]) for each in (read if len(read) <= 3 else dict.fromkeys(read)))
            chain.append(step_of(frame, node, f": {shapes} → {[*made[0]]}"))
            if made[0] == () and str(trace.nodes.op[node]) not in _SHAPED_BY_INPUT:
                break  # a single number, whatever the shapes before
    if (owner := int(trace.tensors.grad_of[tensor])) >= 0:
        why = f"A gradient has the shape of its tensor, and {frame.name(owner)} is {[*shape]}."
        chain = [created(frame, owner)]
    elif not chain:
        why, chain = f"It was created with the shape {[*shape]}.", [created(frame, tensor)]
        if (maker := int(trace.tensors.producer[tensor])) >= 0:
            why, chain = f"What it was computed from has the shape {[*shape]}, too.", [step_of(frame, maker)]
    else:
        these, they = ("This operation makes", "it is") if len(chain) == 1 else ("These operations make", "they are")
        why = f"{these} the shape {[*shape]} of what {they} given."
    return Answer(
        "shape", f"Why has {frame.name(tensor)} the shape {[*shape]}?", why, shortened(chain[::-1]), notable=False
    )


_SHAPED_BY_INPUT = OF_SHAPE | {"select", "index", "unbind"}  # whose results have what dimensions their operands leave


QUESTIONS = (_why_gradient, _why_none, _why_value, _why_not_trained, _why_no_leaf, _why_shape)


# -- in the inspector

SHORT = {
    "none": ".grad is None?", "leaf": "not a leaf?", "shape": "this shape?", "zero": "zero?", "nan": "not finite?",
    "large": "so large?", "large value": "so large?", "training": "not trained?", "zero value": "zero?",
    "nan value": "not finite?", "gradient": "this gradient?",
}  # fmt: skip
AFTER = "What it is"


class Why:
    """The answers about the selection, as sections with links: the notable ones at once, the others on request. While a
    step of a chain is visited, the answers stay as they were."""

    def __init__(self) -> None:
        self._asked: set[str] = set()
        self._shown: tuple[Answer, ...] = ()
        self._kept: tuple[State, tuple[Answer, ...]] | None = None
        self._about: tuple[Trace | None, Selection | None] = None, None

    def added_to(self, inspection: Inspection, state: State) -> Inspection:
        """An inspection with the answers above it and the remaining questions below its first rows."""
        if (state.trace, state.selection) != self._about:
            self._about, self._kept, self._asked = (state.trace, state.selection), None, set()
        if self._kept is not None and self._kept[0].cursor == state.cursor:
            self._kept = None
        self._shown = self._kept[1] if self._kept is not None else _answers_of(state)
        told, open_questions = list[Section](), list[Link]()
        for place, answer in enumerate(self._shown):
            if answer.notable or answer.topic in self._asked:
                told.append(_answered(answer))
            else:
                open_questions += [Link(" · ")] * bool(open_questions)
                open_questions.append(Link(SHORT[answer.topic], Selection("why", place)))
        if self._kept is not None and told:
            cursor = self._kept[0].cursor
            back = Link(f"Back to step {cursor}, of which this is said", Selection("step", cursor))
            told.append(Section("", (Row("", (back,)),)))
        first, *others = inspection.sections
        if open_questions:
            first = replace(first, rows=(*first.rows, Row("why", tuple(open_questions))))
        return replace(inspection, sections=(*told, replace(first, title=AFTER if told else first.title), *others))

    def ask(self, place: int) -> None:
        """Answer one more question."""
        if place < len(self._shown):
            self._asked.add(self._shown[place].topic)

    def ask_all(self) -> None:
        """Answer all questions."""
        self._asked |= {answer.topic for answer in self._shown}

    def keep(self, state: State, cursor: int) -> None:
        """Keep the answers while another step is visited."""
        if self._kept is None and cursor != state.cursor:
            self._kept = state, self._shown


def _answers_of(state: State) -> tuple[Answer, ...]:
    """About the selected tensor, or the first result of the selected operation."""
    trace, thing = state.trace, state.selection
    if trace is None or thing is None or thing.kind not in ("tensor", "node"):
        return ()
    made = trace.outputs_of(thing.index).tolist() if thing.kind == "node" else [thing.index]
    return answers(trace.frame(state.cursor), made[0]) if made else ()


def _answered(answer: Answer) -> Section:
    rows = [Row("because", (Link(answer.why),))]
    for each in answer.chain:
        rows.append(Row(each.place, (Link(each.text, Selection("step", each.cursor)),)))
    return Section(answer.question, tuple(rows))
