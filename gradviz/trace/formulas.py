"""The backward of one node with its names and numbers put in: "∂z/∂w = grad · y = 1 × 7 = 7". The formulas came from
the engine, see `operations.py`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradviz.trace.index import span
from gradviz.trace.values import Value

if TYPE_CHECKING:
    from gradviz.trace.frame import Frame
    from gradviz.trace.trace import Trace

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_NUMBER_PARAM = re.compile(r"(\w+)=(-?[\d.]+(?:e-?\d+)?)(?=,|$)")
_FUNCTIONS = frozenset("exp log sin cos tan tanh sqrt sign sigmoid relu".split())
_LONGEST = 200
_OFTEN_ONE = ("alpha", "beta")  # factors of torch.add, addmm …, that hardly anybody gives
_BROADCAST = frozenset(  # operations that spread a smaller operand over a larger one
    "add sub rsub mul div pow where maximum minimum fmax fmin clamp clamp_min clamp_max lerp addcmul addcdiv atan2 "
    "hypot xlogy logaddexp logaddexp2 copysign fmod remainder _prelu_kernel".split()
)


def sender_name(frame: Frame, node: int) -> str:
    """Who sent a gradient, for a sentence."""
    if node < 0:
        return "the backward call itself"
    nodes = frame.trace.nodes
    line = int(nodes.line[node])
    return f"{nodes.name[node]}" + (f" (line {line})" if line > 0 else "")


def formula_for(trace: Trace, node: int, slot: int) -> str:
    """The formula of the gradient for the operand in this slot, in the operation's own names, without factors that are
    1 here; "" where there is none."""
    op = trace.op_of(node)
    formula = op.derivatives.get(op.inputs[slot], "") if op is not None and slot < len(op.inputs) else ""
    for name in _OFTEN_ONE:
        if name in formula and _is_one(trace, node, name):
            formula = re.sub(rf" [·/] {name}\b|\b{name} · ", "", formula)
            formula = re.sub(rf"\b{name}\b", "1", formula)
    return formula


def _is_one(trace: Trace, node: int, name: str) -> bool:
    """Whether a parameter is 1, which the recorder does not write down."""
    return f"{name}=" not in str(trace.nodes.params[node])


def _operands(frame: Frame, node: int) -> dict[str, int]:
    """The tensors that the formulas of a node speak of, by the operation's own names."""
    trace = frame.trace
    op, found = trace.op_of(node), {}
    if op is not None:
        found = {op.inputs[slot]: tensor for slot, tensor in trace.slots_of(node).items() if slot < len(op.inputs)}
        found |= dict(zip(op.outputs, trace.outputs_of(node).tolist(), strict=False))
    return found | {one.name: one.tensor for one in frame.saved(node) if one.tensor >= 0}


def _fill(formula: str, words: dict[str, str]) -> str:
    """The formula with every word that is known replaced."""
    return _WORD.sub(lambda match: words.get(match[0], match[0]), formula)


def _with_numbers(formula: str, numbers: dict[str, str]) -> str | None:
    """The formula in numbers; None when one of them is not known."""
    unknown = [word for word in _WORD.findall(formula) if word not in numbers and word not in _FUNCTIONS]
    if unknown or "ⁿ" in formula:
        return None
    return _fill(formula, numbers).replace("·", "×")


def _literals(trace: Trace, node: int) -> dict[str, str]:
    """Operands that are numbers in the snippet: `x * 2` has other = 2."""
    found = dict(_NUMBER_PARAM.findall(str(trace.nodes.params[node])))
    return {name: _bracketed(number) for name, number in found.items()}


def _bracketed(number: str) -> str:
    """A number as part of a formula."""
    return f"({number})" if number.startswith("-") else number


def _number(value: Value | None) -> str | None:
    if value is None or value.scalar is None:
        return None
    return _bracketed(value.brief())


def _one(frame: Frame, node: int, slot: int, sent: Value, grad: Value | None) -> str:
    """The sentence for one input."""
    trace = frame.trace
    to = trace.slots_of(node).get(slot, -1)
    left = f"∂{_wrap(frame.root_name())}/∂{_wrap(frame.name(to)) if to >= 0 else f'input {slot}'}"
    formula = formula_for(trace, node, slot)
    if not formula:
        return f"{left} = {sent.brief()}"
    operands = _operands(frame, node)
    literals = _literals(trace, node)
    names = literals | {name: _wrap(frame.name(tensor)) for name, tensor in operands.items()}
    numbers = literals | {name: text for name, t in operands.items() if (text := _number(frame.value(t))) is not None}
    came = _number(grad)
    in_numbers = _with_numbers(formula, numbers | ({"grad": came} if came is not None else {}))
    spread = (formula == "grad" or trace.nodes.op[node] in _BROADCAST) and _is_summed(sent, grad)
    parts = [left, _fill(formula, names) + (", summed over the broadcast dimensions" if spread else "")]
    if in_numbers is not None and sent.scalar is not None and in_numbers != sent.brief():
        parts.append(in_numbers)
    return " = ".join([*parts, sent.brief()])


def _is_summed(sent: Value, grad: Value | None) -> bool:
    """True if what was sent is smaller than what came in and could be spread over its shape."""
    if grad is None or sent.numel >= grad.numel or len(sent.shape) > len(grad.shape):
        return False
    return all(mine in (1, size) for mine, size in zip(sent.shape[::-1], grad.shape[::-1], strict=False))


def _wrap(name: str) -> str:
    """A name as part of a formula: in brackets when it is an expression."""
    return name if re.fullmatch(r"[\w.\[\]]+", name) else f"({name})"


def backward_sentence(frame: Frame) -> str:
    """What one grad_fn received and sent, with its formula."""
    trace, node = frame.trace, frame.current_node
    if node < 0:
        return "A node that was not recorded ran."
    at = frame.cursor - 1
    low, high = span(trace.flows.step, at, at + 1)
    outputs = trace.outputs_of(node)
    grads = [frame.passing(int(t)) for t in outputs]
    grad = next((one for one in grads if one is not None), None)
    came = f"grad = {grad.brief()} came in. " if grad is not None else ""
    parts = []
    for at_row in range(low, high):
        sent = trace.value(int(trace.flows.value[at_row]))
        if sent is not None:
            parts.append(_one(frame, node, int(trace.flows.slot[at_row]), sent, grad))
    if not parts:
        return f"{came}{trace.nodes.name[node]} sends no gradient on."
    text = "; ".join(parts)
    return (
        f"{came}{text}." if len(text) <= _LONGEST * len(parts) else f"{came}It sends gradients to {len(parts)} inputs."
    )
