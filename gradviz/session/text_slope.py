"""The slope of a number in a snippet's text: a program that computes the root of the last backward call for other
values of the number, and the gradient, which is the slope. Nothing runs here; `ui.panels.editor` runs the program
and shows the curve."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.document.literals import as_float

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

MARK, NEXT = "curve", "curve next"  # before what the program prints, which tells it from what the snippet prints
MOST_POINTS, FEWEST_POINTS = 41, 9
MOST_STEPS = 20_000  # of all runs together, unless that leaves fewer than the minimum of points
NEAR = 1e-3  # relative distance for measuring a slope that no `.grad` has


@dataclass(frozen=True)
class Held:
    """A number and its place; `leaf` is the variable whose data it is, at `index`, "" for any other number."""

    line: int  # from 1
    begin: int  # bytes in the line
    end: int
    value: float
    root: str  # the source of the root of the last backward call
    backward: tuple[int, int]  # the end of that call: line and byte
    leaf: str = ""
    index: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The name of the horizontal axis."""
        return self.leaf + "".join(f"[{each}]" for each in self.index) or f"{self.value:g} (line {self.line})"

    @property
    def grad(self) -> str:
        """Where PyTorch stores the slope."""
        return f"{self.leaf}.grad" + "".join(f"[{each}]" for each in self.index)


def held_at(text: str, line: int, column: int) -> Held | None:
    """The number at a place, columns in characters; None if there is none, or if the text has no call of backward()
    with the gradient 1."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    at = len(text.splitlines()[line - 1][:column].encode()) if 0 < line <= len(text.splitlines()) else -1
    calls = [each for each in ast.walk(tree) if _root(each) is not None]
    if not calls or any(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in tree.body):
        return None
    last = max((each for each in calls if isinstance(each, ast.Expr)), key=lambda each: each.lineno)
    root, ends = _root(last), (last.end_lineno or 0, last.end_col_offset or 0)
    for statement, number, index in _numbers(tree):
        if number.lineno == number.end_lineno == line and number.col_offset <= at <= (number.end_col_offset or 0):
            leaf = _leaf(statement) if index is not None else ""
            span = number.lineno, number.col_offset, number.end_col_offset or 0
            kept = index if leaf and index is not None else ()
            return (
                Held(*span, as_float(ast.literal_eval(number)), ast.unparse(root), ends, leaf, kept) if root else None
            )
    return None


def _root(node: ast.AST) -> ast.expr | None:
    """What a statement calls backward() on, if with the gradient 1."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return None
    call = node.value
    is_one = not call.args and all(each.arg in ("retain_graph", "create_graph") for each in call.keywords)
    is_backward = isinstance(call.func, ast.Attribute) and call.func.attr == "backward"
    return call.func.value if is_one and is_backward and isinstance(call.func, ast.Attribute) else None


def _numbers(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr, tuple[int, ...] | None]]:
    """All numbers with the statement around each, and with their index if they are part of a leaf's data."""
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt):
            continue
        data = statement.value.args[0] if _leaf(statement) else None  # type: ignore[attr-defined]
        places = dict(_places(data, ())) if data is not None else {}
        parts = [each for each in ast.iter_child_nodes(statement) if not isinstance(each, ast.stmt)]
        while parts:
            part = parts.pop()
            if isinstance(part, ast.expr) and _is_number(part):
                yield statement, part, places.get(part)
                continue
            parts += [each for each in ast.iter_child_nodes(part) if not isinstance(each, ast.stmt)]


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _leaf(statement: ast.AST) -> str:
    """The variable that is made a leaf here from literal numbers."""
    if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and statement.value.args):
        return ""
    target, call = statement.targets[0], statement.value
    grad = any(
        each.arg == "requires_grad" and isinstance(each.value, ast.Constant) and each.value.value is True
        for each in call.keywords
    )
    is_tensor = isinstance(call.func, ast.Attribute) and call.func.attr == "tensor"
    return target.id if grad and is_tensor and isinstance(target, ast.Name) and len(statement.targets) == 1 else ""


def _places(data: ast.expr, index: tuple[int, ...]) -> Iterator[tuple[ast.AST, tuple[int, ...]]]:
    if isinstance(data, ast.List | ast.Tuple):
        for at, each in enumerate(data.elts):
            yield from _places(each, (*index, at))
    elif _is_number(data):
        yield data, index


def values_of(held: Held, steps: int) -> tuple[float, ...]:
    """The values for which the curve is computed, in order, followed by three close to the number; () if a run has too
    many steps."""
    count = min(MOST_POINTS, MOST_STEPS // max(steps, 1) - 3)
    if count < FEWEST_POINTS:
        return ()
    wide, near = 2 * abs(held.value) or 2.0, NEAR * (abs(held.value) or 1.0)
    return (*spread(held.value - wide, held.value + wide, count), held.value - near, held.value, held.value + near)


def spread(low: float, high: float, count: int) -> tuple[float, ...]:
    """This many values from end to end."""
    return tuple(low + (high - low) * at / (count - 1) for at in range(count))


def program(text: str, held: Held, values: Sequence[float]) -> str:
    """Code that runs the text with each of the values and prints the root of the last backward call."""
    lines = text.splitlines()
    parts = []
    for value in values:
        changed = list(lines)
        said = f"; print({MARK!r}, ({held.root}).item())".encode()
        edits = [(*held.backward, held.backward[1], said), (held.line, held.begin, held.end, f"({value!r})".encode())]
        for line, begin, end, new in sorted(edits, reverse=True):
            raw = changed[line - 1].encode()
            changed[line - 1] = (raw[:begin] + new + raw[end:]).decode()
        parts += [*changed, f"print({NEXT!r})"]
    return "\n".join((*parts, ""))


def numbers_in(printed: str, count: int) -> tuple[float, ...]:
    """What the program printed for each of its values, the last number of each run; () if some are missing."""
    found = list[float]()
    last = None
    for line in printed.splitlines():
        if line == NEXT:
            if last is None:
                return ()
            found.append(last)
            last = None
        elif line.startswith(f"{MARK} "):
            last = float(line.split()[1])
    return tuple(found) if len(found) == count else ()


def gradient_of(held: Held, trace: Trace) -> float | None:
    """What `.grad` has for the number; None if that is not the slope, after several calls or without a leaf."""
    if not held.leaf or len(trace.calls) != 1:
        return None
    frame = trace.frame(len(trace))
    bound = [
        tensor for name, tensor in zip(trace.names.name, trace.names.tensor.tolist(), strict=True) if name == held.leaf
    ]
    grad = frame.grad(bound[-1]) if bound else None
    if grad is None or grad.array is None or grad.array.ndim != len(held.index) or grad.array.dtype.kind == "c":
        return None
    return float(grad.array[held.index])
