"""Pure edits of a snippet's text that a machine can make safely: the fixes that an error card offers. Each returns the
new text, or None where the code is not in the form that it knows; so no fix is offered that would do nothing."""

from __future__ import annotations

import ast


def add_keyword(text: str, line: int, function: str, keyword: str, value: str) -> str | None:
    """Give the call of `.function(...)` at `line` the argument `keyword=value`."""
    call = _find_call(text, line, function)
    if call is None or call.end_lineno is None or call.end_col_offset is None:
        return None
    if any(argument.arg == keyword for argument in call.keywords):
        return _replace_keyword(text, call, keyword, value)
    lines = text.split("\n")
    row, column = call.end_lineno - 1, _column(lines[call.end_lineno - 1], call.end_col_offset) - 1
    before = lines[row][:column].rstrip()
    empty = not call.args and not call.keywords
    separator = "" if empty else (" " if before.endswith(",") else ", ")
    lines[row] = f"{before}{separator}{keyword}={value}{lines[row][column:]}"
    return _if_valid("\n".join(lines))


def _replace_keyword(text: str, call: ast.Call, keyword: str, value: str) -> str | None:
    node = next(argument.value for argument in call.keywords if argument.arg == keyword)
    return _replace(text, node, value)


def replace_expression(text: str, line: int, old: str, new: str) -> str | None:
    """Replace the expression whose source is `old` at `line` by `new`."""
    for node in _expressions_at(text, line):
        if ast.get_source_segment(text, node) == old:
            return _replace(text, node, new)
    return None


def insert_argument(text: str, line: int, function: str, argument: str) -> str | None:
    """Give the call of `.function()` at `line`, which has no positional argument, its first one."""
    call = _find_call(text, line, function)
    if call is None or call.args:
        return None
    lines = text.split("\n")
    end = call.func.end_lineno, call.func.end_col_offset
    if end[0] is None or end[1] is None:
        return None
    row = end[0] - 1
    column = lines[row].find("(", _column(lines[row], end[1])) + 1
    if column == 0:
        return None
    rest = lines[row][column:]
    separator = ", " if call.keywords else ""
    lines[row] = lines[row][:column] + argument + separator + rest
    return _if_valid("\n".join(lines))


def _find_call(text: str, line: int, function: str) -> ast.Call | None:
    calls = [node for node in _expressions_at(text, line) if isinstance(node, ast.Call)]
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name == function:
            return call
    return None


def _expressions_at(text: str, line: int) -> list[ast.expr]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    return [node for node in nodes if node.lineno <= line <= (node.end_lineno or node.lineno)]


def _replace(text: str, node: ast.expr, new: str) -> str | None:
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    lines = text.split("\n")
    first, last = node.lineno - 1, node.end_lineno - 1
    start, end = _column(lines[first], node.col_offset), _column(lines[last], node.end_col_offset)
    lines[first : last + 1] = [lines[first][:start] + new + lines[last][end:]]
    return _if_valid("\n".join(lines))


def _column(line: str, byte_offset: int) -> int:
    """The syntax tree counts UTF-8 bytes; text counts characters."""
    return len(line.encode("utf-8")[:byte_offset].decode("utf-8"))


def _if_valid(text: str) -> str | None:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return text
