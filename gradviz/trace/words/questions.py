"""The question about a step, see `session.predict`: what the step brings, the prompt, three hints, the answer.
Everything comes from the trace and from the functions that make its sentences: the hints are the parts of an equation
before the result. One row per kind of step; steps that bring nothing that can be worked out have no question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import called_op
from gradviz.trace.table.tables import span
from gradviz.trace.table.values import FEW, Value
from gradviz.trace.words.computation import of_function, rule_in_names, worked_out
from gradviz.trace.words.contributions import (
    NUMBER,
    Sent,
    came_in,
    gradient_name,
    gradients_sent,
    received,
    sender_name,
    terms,
)
from gradviz.trace.words.explain import step_title
from gradviz.trace.words.formulas import formula_for
from gradviz.trace.words.sentences import full_stop
from gradviz.trace.words.updates import rule_of_update

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace

HINTS = 3
MOST_CHOICES = 4
CHANCE = frozenset(  # what nobody can work out
    "rand randn randint randperm normal normal_ uniform_ bernoulli bernoulli_ multinomial dropout native_dropout "
    "alpha_dropout feature_dropout rand_like randn_like randint_like exponential_ cauchy_ geometric_ log_normal_ "
    "random_ rrelu rrelu_with_noise poisson gumbel_softmax empty empty_like new_empty".split()
)
PLAIN = frozenset(  # the same value again
    "detach alias clone lift_fresh _to_copy _fw_primal requires_grad_ contiguous".split()
)


@dataclass(frozen=True)
class Question:
    """What one step brings. `part` is the part of the tensor: its "value", its "grad", a "sum" of contributions or one
    "contribution". It is answered by `numbers`, or by picking one of the `choices`."""

    start: int  # the cursor while the question is open
    end: int  # the cursor at which the answer is visible
    title: str  # "MulBackward0 (line 4)"
    prompt: str  # "What does MulBackward0 (line 4) send to w?"
    subject: str  # what the "?" stands for: "∂loss/∂w"
    tensor: int
    node: int  # what computes it, -1 for none
    part: str
    hints: tuple[str, ...]  # which rule; the rule in symbols; the rule in numbers
    answer: str  # as a sentence writes it
    numbers: tuple[float, ...] = ()
    exact: bool = False  # integers
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Asked:
    """A question without its steps."""

    prompt: str
    subject: str
    tensor: int
    part: str
    hints: tuple[str, str, str]
    value: Value
    others: tuple[Value, ...] = ()  # plausible wrong shapes come from these


Brief = Callable[[str], str]  # a short description of an operation, by name


def question_in(trace: Trace, start: int, end: int, brief: Brief) -> Question | None:
    """The question about the steps from `start` to `end`, which are walked as one; None for none."""
    for cursor in range(start + 1, end + 1):
        kind = Kind(int(trace.steps.kind[cursor - 1]))
        if kind not in _ROWS or (trace.folds.quiet[cursor - 1] and len(trace.calls)):
            continue
        frame = trace.frame_at(cursor)
        asked = _ROWS[kind](frame, brief)
        if asked is not None:
            return _question(frame, asked, start, end)
    return None


def _question(frame: Frame, asked: _Asked, start: int, end: int) -> Question | None:
    """By its numbers if they are few, otherwise by its shape; None if it has neither."""
    value, node = asked.value, frame.current_node
    of_numbers = value.array is not None and 0 < value.numel <= FEW and not value.dtype.startswith("complex")
    if of_numbers and value.array is not None:
        numbers = tuple(float(number) for number in value.array.reshape(-1).tolist())
        choices = ("False", "True") if value.dtype == "bool" and value.numel == 1 else ()
        return Question(
            start, end, step_title(frame), asked.prompt, asked.subject, asked.tensor, node, asked.part,
            _told(asked.hints), value.written(), () if choices else numbers,
            "int" in value.dtype or value.dtype == "bool", choices,
        )  # fmt: skip
    shapes = _shapes(value, asked.others)
    if not value.shape or len(shapes) < 2:
        return None
    prompt = f"{asked.prompt.removesuffix('?').removesuffix(' = ')}: of what shape?"
    hints = (asked.hints[0], asked.hints[1], _operand_shapes(asked.others) or asked.hints[0])
    return Question(
        start, end, step_title(frame), prompt, f"shape of {asked.subject}", asked.tensor, node, asked.part,
        _told(hints), _shape_text(value.shape), choices=shapes,
    )  # fmt: skip


def _told(hints: tuple[str, ...]) -> tuple[str, ...]:
    """Hints that say something, each once."""
    return tuple(dict.fromkeys(filter(None, hints)))


def _shape_text(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _operand_shapes(others: tuple[Value, ...]) -> str:
    shapes = list(dict.fromkeys(_shape_text(other.shape) for other in others))
    return f"The shapes that go in: {', '.join(shapes)}." if shapes else ""


def _shapes(value: Value, others: tuple[Value, ...]) -> tuple[str, ...]:
    """The shape and plausible wrong ones, in an order that gives nothing away."""
    shape = value.shape
    likely = [other.shape for other in others]
    likely += [shape[::-1], shape[1:], shape[:-1], (*shape, 1), (1, *shape), ()]
    found = list(dict.fromkeys([shape, *likely]))[:MOST_CHOICES]
    return tuple(_shape_text(one) for one in sorted(found, key=lambda one: (len(one), one)))


def _values(frame: Frame, tensors: list[int]) -> tuple[Value, ...]:
    return tuple(value for value in map(frame.value, tensors) if value is not None)


# -- one function per kind of step


def _forward(frame: Frame, brief: Brief) -> _Asked | None:
    trace, node = frame.trace, frame.current_node
    made, op = trace.outputs_of(node), str(trace.nodes.op[node])
    value = frame.value(int(made[0])) if len(made) else None
    if value is None or op in PLAIN or (op in CHANCE and value.numel <= FEW):
        return None
    operands = list(dict.fromkeys(trace.inputs_of(node).tolist()))
    if not operands and value.numel <= FEW:
        return None
    before, name = trace.frame_at(frame.cursor - 1), frame.name(int(made[0]))
    return _Asked(
        f"What is {name}?", name, int(made[0]), "value", _computed(frame, operands, brief), value,
        _values(before, operands),
    )  # fmt: skip


def _computed(frame: Frame, operands: list[int], brief: Brief) -> tuple[str, str, str]:
    """What the operation does, how the snippet writes it, and its inputs. What is averaged or added up depends on what
    a loss is given, and some operations have no description."""
    node, nodes, before = frame.current_node, frame.trace.nodes, frame.trace.frame_at(frame.cursor - 1)
    op, source = str(nodes.op[node]), str(nodes.source[node])
    said = "" if op.endswith("_loss") else brief(op)
    made = frame.trace.outputs_of(node)
    rule = rule_in_names(frame, int(made[0])) if len(made) and not said else ""
    said = said or (full_stop(rule) if rule else brief(op))
    called, params = called_op(op), str(nodes.params[node])
    what = f"{called}: {said}" if said else ""
    code = f"Line {int(nodes.line[node])}: {source}" if source else f"{called}({params})"
    in_numbers = worked_out(frame, int(made[0])) if len(made) else ""
    return what, code, in_numbers or _numbers(before, node, operands) or (f"With {params}." if params else code)


def _numbers(before: Frame, node: int, operands: list[int]) -> str:
    """ "3 × 2" for an infix operation, otherwise the operands."""
    trace, symbol = before.trace, str(before.trace.nodes.symbol[node])
    slots = trace.slots_of(node)
    values = [before.value(tensor) for _, tensor in sorted(slots.items())]
    if (
        len(values) == 2
        and not trace.nodes.params[node]
        and len(symbol) == 1
        and not symbol.isalnum()
        and symbol not in "Σ∑√"
    ):
        one, other = (value.brief() if value is not None else "?" for value in values)
        return f"{one} {symbol} {f'({other})' if other.startswith('-') else other}"
    known = [(before.name(t), v) for t in operands if (v := before.value(t)) is not None]
    return ", ".join(f"{name} = {v.written()}" for name, v in known if not NUMBER.fullmatch(name))


def _inplace(frame: Frame, brief: Brief) -> _Asked | None:
    trace, node, tensor = frame.trace, frame.current_node, frame.current_tensor
    value = frame.value(tensor)
    op = str(trace.nodes.op[node]) if node >= 0 else ""
    if value is None or node < 0 or op in CHANCE or op.rstrip("_") in ("zero", "fill", "copy", "detach"):
        return None
    before, name = trace.frame_at(frame.cursor - 1), frame.name(tensor)
    operands = [
        each
        for each in dict.fromkeys([tensor, *trace.inputs_of(node).tolist()])
        if trace.tensors.step[each] < before.cursor
    ]  # not what the step made
    hints = _computed(frame, operands, brief)
    return _Asked(f"What is {name} after this?", name, tensor, "value", hints, value, _values(before, operands))


def _backward(frame: Frame, _: Brief) -> _Asked | None:
    sent = [one for one in gradients_sent(frame) if one.tensor >= 0]
    telling = [one for one in sent if one.rules and one.rules[0] != "grad"]
    if not sent:
        return None
    one = (telling or sent)[0]
    sender, name = sender_name(frame, frame.current_node), frame.name(one.tensor)
    is_all = one.to.endswith(" =")
    subject = one.to.removesuffix(" =") if is_all else f"what goes {one.to.removesuffix(':')}"
    prompt = (
        f"What does {sender} send to {name}, {subject} = ?"
        if is_all
        else f"What does {sender} send {one.to.removesuffix(':')}?"
    )
    others = (*_values(frame, list(frame.trace.slots_of(frame.current_node).values())), *_grad(frame))
    part = "grad" if is_all else "contribution"
    return _Asked(prompt, subject, one.tensor, part, _sent_hints(frame, one), one.value, others)


def _grad(frame: Frame) -> tuple[Value, ...]:
    grad = received(frame)
    return () if grad is None else (grad,)


def _sent_hints(frame: Frame, one: Sent) -> tuple[str, str, str]:
    trace, node, grad = frame.trace, frame.current_node, received(frame)
    op = trace.op_of(node)
    operand = op.operand(one.slot) if op is not None else ""
    formula = formula_for(trace, node, one.slot)
    name = str(trace.nodes.name[node])
    own = f"The rule of {name} is {trace.nodes.op[node]}.backward(), which the snippet defines."
    known = f"The rule of {name} for {operand}: {formula}." if formula and operand else ""
    rule = own if of_function(trace, node) else known
    several = sum(frame.passing(int(each)) is not None for each in trace.outputs_of(node)) > 1
    came = came_in(frame).rstrip() if several else f"grad = {grad.written()} comes in." if grad is not None else ""
    symbols = f"{one.to} {one.rules[0]} = ?" if one.rules else rule
    in_numbers = len(one.rules) > 1 and one.rules[1] != one.value.written()
    return rule, symbols, f"{one.to} {one.rules[1]} = ?" if in_numbers else came or symbols or f"{name} ran."


def _contribution(frame: Frame, _: Brief) -> _Asked | None:
    trace, tensor = frame.trace, frame.current_tensor
    row, arrivals = int(trace.steps.ref[frame.cursor - 1]), trace.arrivals
    total = trace.value(int(arrivals.total[row]))
    if arrivals.arrived[row] < arrivals.expected[row] or arrivals.expected[row] < 2 or total is None:
        return None
    subject, count = gradient_name(frame, tensor), int(arrivals.expected[row])
    buffer = frame.buffer(tensor)
    senders = [sender_name(frame, sender) for sender, _ in buffer.contributions] if buffer is not None else []
    parts = [value for _, value in buffer.contributions] if buffer is not None else []
    name, times = frame.name(tensor), "twice" if count == 2 else f"{count} times"
    return _Asked(
        f"{name} has {'both' if count == 2 else f'all {count}'} contributions now. What is {subject}?",
        subject, tensor, "sum",
        (
            f"{name} is used {times}: its gradient is the sum of what comes through each use.",
            f"{subject} = {' + '.join(f'what came from {sender}' for sender in senders)}",
            f"{subject} = {terms(parts) or 'the sum of them'} = ?",
        ),
        total, tuple(parts),
    )  # fmt: skip


def _accumulate(frame: Frame, _: Brief) -> _Asked | None:
    trace, tensor = frame.trace, frame.current_tensor
    now, came = frame.grad(tensor), frame.arriving(tensor)
    if now is None or came is None:
        return None
    before = trace.frame_at(frame.cursor - 1).grad(tensor)
    name, arriving = frame.name(tensor), gradient_name(frame, tensor)
    held = f"{name}.grad is None" if before is None else f"{name}.grad holds {before.written()}"
    rule = f"{name}.grad = {arriving}" if before is None else f"{name}.grad = {name}.grad + {arriving}"
    return _Asked(
        f"What is {name}.grad after this?", f"{name}.grad", tensor, "grad",
        (
            "AccumulateGrad adds what arrives to what .grad holds; None counts as nothing.",
            f"{held}: {rule}",
            f"{arriving} = {came.written()}" if before is None else f"{name}.grad = {terms([before, came]) or rule}",
        ),
        now, (came,),
    )  # fmt: skip


def _optimizer(frame: Frame, _: Brief) -> _Asked | None:
    trace, at = frame.trace, frame.cursor - 1
    low, high = span(trace.updates.step, at, at + 1)
    optimizer = str(trace.optimizers.name[int(trace.steps.ref[at])])
    if low >= high or optimizer.startswith("clip_grad"):
        return None
    tensor, before = int(trace.updates.tensor[low]), trace.frame_at(at)
    now, old, grad = frame.value(tensor), before.value(tensor), before.grad(tensor)
    if now is None or old is None or grad is None or now.numel > FEW:  # its shape stays
        return None
    name, settings = frame.name(tensor), str(trace.updates.settings[low])
    rule, numbers = rule_of_update(frame, low)
    given = settings.replace("=", " = ")
    return _Asked(
        f"What is {name} after the step of {optimizer}?", name, tensor, "value",
        (
            f"{optimizer} computes it from the former {name} and {name}.grad.",
            rule or f"{optimizer} with {given}.",
            numbers or f"{name} = {old.written()}, {name}.grad = {grad.written()}, {given}",
        ),
        now, (old, grad),
    )  # fmt: skip


_ROWS: dict[Kind, Callable[[Frame, Brief], _Asked | None]] = {
    Kind.FORWARD: _forward,
    Kind.INPLACE: _inplace,
    Kind.BACKWARD: _backward,
    Kind.CONTRIBUTION: _contribution,
    Kind.ACCUMULATE: _accumulate,
    Kind.OPTIMIZER: _optimizer,
}
