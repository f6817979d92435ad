"""Which tensors a line of the snippet speaks of: for explaining an error that stopped an operation before it could
be recorded."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace


def line_text(trace: Trace, line: int) -> str:
    """A line of the snippet, "" when there is no such line."""
    lines = trace.source.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""


def statement_at(trace: Trace, line: int) -> ast.stmt | None:
    """The innermost statement that covers a line."""
    try:
        tree = ast.parse(trace.source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            found = node if found is None or node.lineno >= found.lineno else found
    return found


def named(trace: Trace, name: str) -> int:
    """The tensor that a name was bound to last, -1 when there is none."""
    rows = np.flatnonzero(trace.names.name == name)
    return int(trace.names.tensor[rows[-1]]) if len(rows) else -1


def tensor_of(trace: Trace, expression: ast.expr) -> int:
    """The tensor that an expression last was: by its name, else by the place where it was computed; -1 when there
    is none."""
    text = ast.unparse(expression)
    found = named(trace, text)
    if found >= 0:
        return found
    if isinstance(expression, ast.Attribute) and expression.attr in ("data", "T", "grad"):
        return tensor_of(trace, expression.value)
    sites = trace.sites
    here = np.flatnonzero((sites.line == expression.lineno) & (sites.end_line == expression.end_lineno))
    line = line_text(trace, expression.lineno).encode()
    last = line_text(trace, expression.end_lineno or expression.lineno).encode()
    col = len(line[: expression.col_offset].decode(errors="ignore"))
    end_col = len(last[: expression.end_col_offset].decode(errors="ignore"))
    here = here[(sites.col[here] == col) & (sites.end_col[here] == end_col)]
    made = np.flatnonzero(np.isin(trace.tensors.site, here))
    return int(made[-1]) if len(made) else -1


def operands(
    trace: Trace, line: int, functions: tuple[str, ...], operator: type[ast.operator] | None = None
) -> list[int]:
    """The tensors that the first call of one of these functions (or this operator) on a line was given."""
    statement = statement_at(trace, line)
    if statement is None:
        return []
    for node in ast.walk(statement):
        expressions: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and operator is not None and isinstance(node.op, operator):
            expressions = [node.left, node.right]
        elif isinstance(node, ast.Call) and _called(node) in functions:
            expressions = list(node.args)
            if isinstance(node.func, ast.Attribute) and tensor_of(trace, node.func.value) >= 0:
                expressions = [node.func.value, *expressions]
        found = [tensor_of(trace, each) for each in expressions]
        if found and all(each >= 0 for each in found):
            return found
    return []


def receiver(trace: Trace, line: int, method: str) -> int:
    """The tensor on which a line calls a method, or which it gives to a function of that name; -1 when it is not
    found."""
    found = operands(trace, line, (method,))
    return found[0] if found else -1


def holders(trace: Trace, line: int, attribute: str) -> list[tuple[str, int]]:
    """(text, tensor) of everything on a line whose attribute is read: `w` for `w.grad`."""
    statement = statement_at(trace, line)
    if statement is None:
        return []
    read = [node for node in ast.walk(statement) if isinstance(node, ast.Attribute) and node.attr == attribute]
    return [(ast.unparse(node.value), tensor_of(trace, node.value)) for node in read]


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
