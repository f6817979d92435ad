"""The explanation of an error, and the form of a row that makes it: a pattern for the message, and the cause and the
remedy for a trace that ends with it. An error stops an operation before it is recorded, so rows look at the tensors
that its line mentions."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.name_text import tree_of
from gradviz.trace.table.tables import span
from gradviz.trace.words.sentences import full_stop

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


@dataclass(frozen=True, slots=True)
class Mark:
    """A node that an error is about."""

    node: int
    reason: str  # "freed self and other at step 12"
    step: int  # cursor at which it happened, -1 for none


@dataclass(frozen=True, slots=True)
class ErrorExplanation:
    """Why an error happened and what to change."""

    why: str
    fix: str  # "Pass retain_graph=True on line 9."
    marks: tuple[Mark, ...] = ()
    fix_line: int = -1

    def beside(self, message: str) -> str:
        """Why, for somebody who does not see the message: with it, if all that is known is what was given."""
        return self.why if self.fix else f"{full_stop(message)} {self.why}"


Match = re.Match[str]
Row = tuple[str, Callable[["Trace", Match], ErrorExplanation | None]]


def plain(why: str, fix: str) -> Callable[[Trace, Match], ErrorExplanation]:
    """A row whose text does not depend on the trace; groups of the message can be inserted as {0}, {1}, …"""

    def row(trace: Trace, match: Match) -> ErrorExplanation:
        groups = [group or "" for group in match.groups()]
        return ErrorExplanation(why.format(*groups), fix.format(*groups), (), error_line(trace))

    return row


def on_line(line: int) -> str:
    """ " on line 9", "" if unknown."""
    return f" on line {line}" if line > 0 else ""


def error_line(trace: Trace) -> int:
    """The line of the snippet that raised."""
    return int(trace.errors.line[0])


def line_text(trace: Trace, line: int) -> str:
    """A line of the snippet, "" if there is no such line."""
    lines = trace.source.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""


def code_text(trace: Trace, line: int) -> str:
    """A line of the snippet without indentation and comment."""
    text = line_text(trace, line).strip()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                return text[: token.start[1]].rstrip()
    except (tokenize.TokenError, SyntaxError):  # part of a statement: its tokens came before
        pass
    return text


def statement_at(trace: Trace, line: int) -> ast.stmt | None:
    """The innermost statement that covers a line."""
    found = None
    for node in ast.walk(tree_of(trace.source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            found = node if found is None or node.lineno >= found.lineno else found
    return found


def given(trace: Trace) -> list[tuple[str, tuple[int, ...], int]]:
    """(name, shape, number) of each tensor that the operation was given that raised; [] where that is not known."""
    step = int(trace.errors.step[0])
    frame, (low, high) = trace.frame_at(step), span(trace.given.step, step, step + 1)
    tensors = trace.given.tensor[low:high].tolist()
    return [(frame.name(each), tuple(trace.tensors.shape[each]), each) for each in tensors]


def made(trace: Trace) -> tuple[Mark, ...]:
    """Where what the operation was given was made."""
    nodes = [(int(trace.tensors.producer[each]), name, shape) for name, shape, each in given(trace)]
    return tuple(
        Mark(node, f"made {name}, {shape}", int(trace.nodes.step[node]) + 1) for node, name, shape in nodes if node >= 0
    )


def named(trace: Trace, name: str) -> int:
    """The tensor that a name was last bound to, -1 if there is none."""
    rows = np.flatnonzero(trace.names.name == name)
    return int(trace.names.tensor[rows[-1]]) if len(rows) else -1


def tensor_of(trace: Trace, expression: ast.expr) -> int:
    """The latest tensor of an expression: by its name, otherwise by the place where it was computed; -1 if there is
    none."""
    text = ast.unparse(expression)
    found = named(trace, text)
    if found >= 0:
        return found
    if isinstance(expression, ast.Attribute) and expression.attr in ("data", "T", "grad"):
        return tensor_of(trace, expression.value)
    made = np.flatnonzero(np.isin(trace.tensors.site, sites_of(trace, expression)))
    return int(made[-1]) if len(made) else -1


def sites_of(trace: Trace, expression: ast.expr) -> NDArray[np.int64]:
    """The rows of `sites` for the place of an expression."""
    sites = trace.sites
    here = np.flatnonzero((sites.line == expression.lineno) & (sites.end_line == expression.end_lineno))
    line = line_text(trace, expression.lineno).encode()
    last = line_text(trace, expression.end_lineno or expression.lineno).encode()
    col = len(line[: expression.col_offset].decode(errors="ignore"))
    end_col = len(last[: expression.end_col_offset].decode(errors="ignore"))
    found: NDArray[np.int64] = here[(sites.col[here] == col) & (sites.end_col[here] == end_col)]
    return found


def operands(
    trace: Trace, line: int, functions: tuple[str, ...], operator: type[ast.operator] | None = None
) -> list[int]:
    """The tensors passed to the first call of one of these functions (or this operator) on a line."""
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
    """The tensor on which a line calls a method, or which it passes to a function of that name; -1 if it is not
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
