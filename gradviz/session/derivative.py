"""The local derivative of one operation by one of its inputs, in the snippet's names: "∂(w * x)/∂w = x = 2". The
formulas are the engine's own rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradviz.trace.words.formulas import bracketed, formula_for

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace

WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def local_derivative(frame: Frame, node: int, slot: int) -> str | None:
    """The formula for the input in this slot; None where the operation's row has none or the input needs no
    gradient."""
    trace = frame.trace
    inputs, outputs = trace.slots_of(node), trace.outputs_of(node)
    row = trace.op_of(node)
    if row is None or slot not in inputs or not len(outputs) or not frame.requires_grad(inputs[slot]):
        return None
    formula = formula_for(trace, node, slot)
    if not formula or not trace.nodes.name[node]:
        return None
    operands = {row.inputs[at]: tensor for at, tensor in inputs.items() if at < len(row.inputs)}
    operands |= dict(zip(row.outputs, map(int, outputs), strict=False))
    numbers = _numbers(trace, node)
    if is_formula(trace, node, formula):
        formula = WORD.sub(lambda word: numbers.get(word[0], word[0]), formula)
    factor = without_grad(formula)
    left = f"∂{bracketed(frame.name(int(outputs[0])))}/∂{bracketed(frame.name(inputs[slot]))}"
    if factor is None:
        return f"{left}:  {_named(frame, formula, operands)}"
    number = _number(frame, factor, operands)
    return f"{left} = {_named(frame, factor, operands)}" + (f" = {number}" if number else "")


def is_formula(trace: Trace, node: int, formula: str) -> bool:
    """Whether it speaks of the operation's operands and numbers only, and is no sentence."""
    row = trace.op_of(node)
    known = () if row is None else (*row.inputs, *row.outputs)
    return set(WORD.findall(formula)) <= {"grad", *_numbers(trace, node), *known}


def _numbers(trace: Trace, node: int) -> dict[str, str]:
    return dict(part.split("=", 1) for part in str(trace.nodes.params[node]).split(", ") if "=" in part)


def without_grad(formula: str) -> str | None:
    """The factor that grad is multiplied by; None where the formula has no such form."""
    if formula == "grad":
        return "1"
    rest = formula.removeprefix("grad · ")
    if rest != formula and "grad" not in rest:
        return rest
    rest = formula.removeprefix("grad / ")
    if rest != formula and "grad" not in rest:
        return f"1 / {rest}"
    return "−1" if formula in {"-grad", "−grad"} else None


def _named(frame: Frame, formula: str, operands: dict[str, int]) -> str:
    return WORD.sub(lambda word: _operand(frame, operands, word[0]), formula)


def _operand(frame: Frame, operands: dict[str, int], word: str) -> str:
    return bracketed(frame.name(operands[word])) if word in operands else word


def _number(frame: Frame, factor: str, operands: dict[str, int]) -> str:
    """The value, where the factor is just one tensor."""
    value = frame.value(operands[factor]) if factor in operands else None
    return value.brief() if value is not None else ""
