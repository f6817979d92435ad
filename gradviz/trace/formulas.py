"""The backward of one node with its names and numbers put in: "∂z/∂w = grad · y = 1 × 7 = 7". The formulas are the
engine's own rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradviz.trace.index import span
from gradviz.trace.values import Value

if TYPE_CHECKING:
    from gradviz.engine.rows import OpRow
    from gradviz.trace.frame import Frame

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_NUMBER_PARAM = re.compile(r"(\w+)=(-?[\d.]+(?:e-?\d+)?)(?=,|$)")
_FUNCTIONS = frozenset("exp log sin cos tan tanh sqrt sign sigmoid relu".split())
_LONGEST = 200


def row_of(node_name: str, op: str) -> OpRow | None:
    """The engine's row of an operation; of overloads the one whose node has this name, None where there is none."""
    import gradviz.engine.ops  # noqa: F401  fills ROWS
    from gradviz.engine.rows import ROWS

    return next((row for row in ROWS.values() if row.name == op and row.node_name == node_name), None)


def sender_name(frame: Frame, node: int) -> str:
    """Who sent a gradient, for a sentence."""
    if node < 0:
        return "the backward call itself"
    nodes = frame.trace.nodes
    line = int(nodes.line[node])
    return f"{nodes.name[node]}" + (f" (line {line})" if line > 0 else "")


def _operands(frame: Frame, node: int, row: OpRow | None) -> dict[str, int]:
    """The tensors that the row's formulas speak of, by parameter name."""
    trace = frame.trace
    found: dict[str, int] = {}
    if row is not None and not row.variadic:
        found |= dict(zip(row.inputs, trace.inputs_of(node).tolist(), strict=False))
        found |= dict(zip(row.outputs, trace.outputs_of(node).tolist(), strict=False))
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


def _literals(frame: Frame, node: int) -> dict[str, str]:
    """Operands that are numbers in the snippet: `x * 2` has other = 2."""
    return dict(_NUMBER_PARAM.findall(str(frame.trace.nodes.params[node])))


def _number(value: Value | None) -> str | None:
    if value is None or value.scalar is None:
        return None
    text = value.brief()
    return f"({text})" if text.startswith("-") else text


def _one(frame: Frame, node: int, slot: int, sent: Value, row: OpRow | None, grad: Value | None) -> str:
    """The sentence for one input."""
    trace = frame.trace
    inputs = trace.inputs_of(node)
    to = frame.name(int(inputs[slot])) if slot < len(inputs) else f"input {slot}"
    left = f"∂{_wrap(frame.root_name())}/∂{_wrap(to)}"
    formula = None
    if row is not None and not row.variadic and slot < len(row.inputs):
        formula = row.derivatives.get(row.inputs[slot])
    if not formula:
        return f"{left} = {sent.brief()}"
    operands = _operands(frame, node, row)
    literals = _literals(frame, node)
    names = literals | {name: _wrap(frame.name(tensor)) for name, tensor in operands.items()}
    numbers = literals | {name: text for name, t in operands.items() if (text := _number(frame.value(t))) is not None}
    came = _number(grad)
    in_numbers = _with_numbers(formula, numbers | ({"grad": came} if came is not None else {}))
    parts = [left, _fill(formula, names)]
    if in_numbers is not None and sent.scalar is not None and in_numbers != sent.brief():
        parts.append(in_numbers)
    return " = ".join([*parts, sent.brief()])


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
    row = row_of(str(trace.nodes.name[node]), str(trace.nodes.op[node]))
    came = f"grad = {grad.brief()} came in. " if grad is not None else ""
    parts = []
    for at_row in range(low, high):
        sent = trace.value(int(trace.flows.value[at_row]))
        if sent is not None:
            parts.append(_one(frame, node, int(trace.flows.slot[at_row]), sent, row, grad))
    if not parts:
        return f"{came}{trace.nodes.name[node]} sends no gradient on."
    text = "; ".join(parts)
    return (
        f"{came}{text}." if len(text) <= _LONGEST * len(parts) else f"{came}It sends gradients to {len(parts)} inputs."
    )
