"""The backward of one node with its names and numbers put in: "∂z/∂w = grad · y = 1 × 7 = 7". The formulas are the
engine's own rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gradviz.trace.values import Value

if TYPE_CHECKING:
    from gradviz.engine.rows import OpRow
    from gradviz.trace.frame import Frame

_WORD = re.compile(r"[A-Za-z_]\w*")
_LONGEST = 200


def row_of(node_name: str, op: str) -> OpRow | None:
    """The engine's row of an operation; of overloads the one whose node has this name."""
    import gradviz.engine.ops  # noqa: F401  fills ROWS
    from gradviz.engine.rows import ROWS

    same = [row for row in ROWS.values() if row.name == op]
    return next((row for row in same if row.node_name == node_name), same[0] if same else None)


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


def _fill(formula: str, names: dict[str, str]) -> str | None:
    """The formula with every word replaced; None when a word is not known."""
    missing = [word for word in _WORD.findall(formula) if word not in names and word not in _FUNCTIONS]
    if missing:
        return None
    return _WORD.sub(lambda match: names.get(match[0], match[0]), formula)


_FUNCTIONS = frozenset(["exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "sign", "sigmoid", "relu"])


def _number(value: Value | None) -> str | None:
    if value is None or value.scalar is None:
        return None
    text = value.brief()
    return f"({text})" if text.startswith("-") else text


def _one(frame: Frame, node: int, slot: int, sent: Value, row: OpRow | None, grad: Value | None) -> str:
    """The sentence for one input."""
    trace = frame.trace
    inputs = trace.inputs_of(node)
    outputs = trace.outputs_of(node)
    to = frame.name(int(inputs[slot])) if slot < len(inputs) else f"input {slot}"
    out = frame.name(int(outputs[0])) if len(outputs) else "out"
    left = f"∂{_wrap(frame.root_name())}/∂{_wrap(to)}"
    formula = None
    if row is not None and not row.variadic and slot < len(row.inputs):
        formula = row.derivatives.get(row.inputs[slot])
    if not formula:
        return f"{left} = {sent.brief()}"
    operands = _operands(frame, node, row)
    named = _fill(formula, {"grad": "grad", "out": out} | {name: _wrap(frame.name(t)) for name, t in operands.items()})
    numbers: dict[str, Any] = {name: _number(frame.value(t)) for name, t in operands.items()} | {"grad": _number(grad)}
    with_numbers = _fill(formula, {name: text for name, text in numbers.items() if text is not None})
    parts = [left, named or formula]
    if with_numbers is not None and sent.scalar is not None and with_numbers != sent.brief():
        parts.append(with_numbers.replace("·", "×"))
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
    low, high = trace.flows.step.searchsorted([at, at + 1])
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
