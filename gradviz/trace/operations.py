"""How operations are written down: the names of their operands and the formulas of their gradients, as the engine has
sent them along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gradviz.trace.schema import Operands


@dataclass(frozen=True, slots=True)
class Op:
    """One kind of operation."""

    inputs: tuple[str, ...]  # "self", "other"
    outputs: tuple[str, ...]  # "result"
    derivatives: Mapping[str, str]  # by input: "grad · other"
    expressions: Mapping[str, str]  # by input, where the formula is more than words: "grad * other"


def find_ops(operands: Operands) -> dict[tuple[str, str], Op]:
    """All operations that were recorded, by name and name of the node."""
    rows: dict[tuple[str, str], list[tuple[bool, str, str, str]]] = {}
    columns = (operands.op, operands.node_name, operands.output, operands.name, operands.formula, operands.expression)
    for op, node_name, output, *texts in zip(*columns, strict=True):
        name, formula, expression = texts
        rows.setdefault((op, node_name), []).append((bool(output), name, formula, expression))
    return {
        key: Op(
            tuple(name for output, name, *_ in found if not output),
            tuple(name for output, name, *_ in found if output),
            {name: formula for output, name, formula, _ in found if formula and not output},
            {name: expression for output, name, _, expression in found if expression and not output},
        )
        for key, found in rows.items()
    }
