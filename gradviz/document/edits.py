"""Pure edits of a snippet's text that a machine can make safely: the fixes that an error card offers, and the changes
that a what-if tries. Each returns the new text, or None if the code does not have the form it expects, so that nothing
is offered that would do nothing. Lines keep their numbers if possible."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping


def add_keyword(text: str, line: int, function: str, keyword: str, value: str) -> str | None:
    """Give the call of `.function(...)` at `line` the argument `keyword=value`."""
    call = _find_call(text, line, function)
    if call is None or call.end_lineno is None or call.end_col_offset is None:
        return None
    if any(argument.arg == keyword for argument in call.keywords):
        return _replace_keyword(text, call, keyword, value)
    given = [*call.args, *(argument.value for argument in call.keywords)]
    places = [(node.end_lineno or 0, node.end_col_offset or 0) for node in given]
    line_number, byte = max(places, default=(call.end_lineno, call.end_col_offset - 1))
    lines = text.split("\n")
    row, column = line_number - 1, _column(lines[line_number - 1], byte)
    separator = ", " if given else ""
    lines[row] = f"{lines[row][:column]}{separator}{keyword}={value}{lines[row][column:]}"
    return _if_valid("\n".join(lines))


def _replace_keyword(text: str, call: ast.Call, keyword: str, value: str) -> str | None:
    node = next(argument.value for argument in call.keywords if argument.arg == keyword)
    return replace_node(text, node, value)


def replace_expression(text: str, line: int, old: str, new: str) -> str | None:
    """Replace the expression whose source is `old` at `line` by `new`."""
    for node in _expressions_at(text, line):
        if ast.get_source_segment(text, node) == old:
            return replace_node(text, node, new)
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


def replace_node(text: str, node: ast.expr | ast.stmt, new: str) -> str | None:
    """Replace the source of `node`, which comes from this very text."""
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    lines = text.split("\n")
    first, last = node.lineno - 1, node.end_lineno - 1
    start, end = _column(lines[first], node.col_offset), _column(lines[last], node.end_col_offset)
    lines[first : last + 1] = [lines[first][:start] + new + lines[last][end:]]
    return _if_valid("\n".join(lines))


def _column(line: str, byte_offset: int) -> int:
    """Convert a column: the syntax tree counts UTF-8 bytes, text counts characters."""
    return len(line.encode("utf-8")[:byte_offset].decode("utf-8"))


def _if_valid(text: str) -> str | None:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return text


def receiver(text: str, line: int, function: str) -> str | None:
    """Return the source of what `.function()` is called on at `line`."""
    call = _find_call(text, line, function)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    return ast.get_source_segment(text, call.func.value)


def call_arguments(text: str, line: int, function: str) -> list[str]:
    """Return the sources of the positional arguments of `function(...)` at `line`; for a method, what it is called on
    comes first."""
    call = _find_call(text, line, function)
    if call is None:
        return []
    nodes: list[ast.expr] = list(call.args)
    if len(nodes) == 1 and isinstance(call.func, ast.Attribute):
        nodes.insert(0, call.func.value)
    return [ast.get_source_segment(text, node) or "" for node in nodes]


def out_of_place(text: str, line: int) -> str | None:
    """Rewrite `y += 1` at `line` as `y = y + (1)`."""
    statement = _statement_at(text, line)
    if not isinstance(statement, ast.AugAssign) or not isinstance(statement.target, ast.Name):
        return None
    name = statement.target.id
    value = ast.unparse(ast.BinOp(ast.Name(name), statement.op, statement.value))
    lines = text.split("\n")
    indent = lines[line - 1][: statement.col_offset]
    lines[line - 1 : statement.end_lineno] = [f"{indent}{name} = {value}"]
    return _if_valid("\n".join(lines))


def under_no_grad(text: str, line: int, last: int = -1) -> str | None:
    """Put the simple statement at `line`, and those after it up to the line `last`, inside `with torch.no_grad():`."""
    statement = _statement_at(text, line)
    if statement is None or statement.end_lineno is None or isinstance(statement, _COMPOUND):
        return None
    lines = text.split("\n")
    indent = lines[line - 1][: statement.col_offset]
    if indent.strip():
        return None
    end = max(statement.end_lineno, last)
    body = [f"    {one}" for one in lines[statement.lineno - 1 : end]]
    lines[statement.lineno - 1 : end] = [f"{indent}with torch.no_grad():", *body]
    return _if_valid("\n".join(lines))


_COMPOUND = (ast.With, ast.For, ast.While, ast.If, ast.FunctionDef, ast.ClassDef, ast.Try)


def _statement_at(text: str, line: int) -> ast.stmt | None:
    """Return the innermost statement that begins at `line`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == line]
    return found[-1] if found else None


def remove_keyword(text: str, call: ast.Call, keyword: str) -> str | None:
    """Return `call`, which comes from this very text, without its argument `keyword=...`."""
    node = next((each for each in call.keywords if each.arg == keyword), None)
    return remove_argument(text, call, node) if node is not None else None


def remove_argument(text: str, call: ast.Call, argument: ast.expr | ast.keyword) -> str | None:
    """Return `call`, which comes from this very text, without one of its arguments."""
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    given = sorted(arguments, key=lambda node: (node.lineno, node.col_offset))
    place = given.index(argument)
    start, end = _span(text, given[place])
    if place:
        start = _span(text, given[place - 1])[1]
    elif len(given) > 1:
        end = _span(text, given[1])[0]
    return _if_valid(text[:start] + text[end:])


def leave_out(text: str, statement: ast.stmt, *, alone: bool) -> str | None:
    """Turn a statement that comes from this very text into a comment, or into `pass` if a statement is required
    (`alone` in its block, or on a line with others)."""
    lines = text.split("\n")
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    start, end = _span(text, statement)
    before = lines[first][: _column(lines[first], statement.col_offset)]
    after = lines[last][_column(lines[last], statement.end_col_offset or 0) :]
    if not alone and not before.strip() and (not after.strip() or after.lstrip().startswith("#")):
        for row in range(first, last + 1):
            indent = len(before) if lines[row].startswith(before) else 0
            lines[row] = f"{lines[row][:indent]}# {lines[row][indent:]}"
        return _if_valid("\n".join(lines))
    rest = "  # left out" if not after.strip() else ""
    return _if_valid(text[:start] + "pass" + rest + text[end:] if first == last else replace_lines(text, statement))


def replace_lines(text: str, statement: ast.stmt) -> str:
    """Replace a statement over several lines by `pass`; its other lines become empty."""
    start, end = _span(text, statement)
    return text[:start] + "pass  # left out" + "\n" * text.count("\n", start, end) + text[end:]


def without_header(text: str, block: ast.With) -> str | None:
    """Turn `with ...:` into `if True:`, so that its body runs without it."""
    header = block.items[-1].context_expr
    start, end = _span(text, block)[0], _span(text, header)[1]
    return _if_valid(text[:start] + "if True" + text[end:])


class _Places:
    """Where the nodes of a text are in it."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0, *itertools.accumulate(len(line) + 1 for line in self._lines)]

    def of(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """Return where the source of a node begins and ends, in characters."""
        lines, starts = self._lines, self._starts
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        return (
            starts[first] + _column(lines[first], node.col_offset),
            starts[last] + _column(lines[last], node.end_col_offset or 0),
        )


def _span(text: str, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
    return _Places(text).of(node)


def insert_before(text: str, line: int, code: str) -> str | None:
    """Insert lines of code before the statement that `line` belongs to, with its indentation; before the first of
    several."""
    statement = _covering(text, line)
    if statement is None:
        return None
    place = statement.lineno, statement.col_offset
    placed = ([each for each in block if hasattr(each, "lineno")] for block in blocks(ast.parse(text)))
    block = next(block for block in placed if place in ((each.lineno, each.col_offset) for each in block))
    statement = next(each for each in block if each.lineno == statement.lineno)
    lines = text.split("\n")
    row = statement.lineno - 1
    indent = lines[row][: _column(lines[row], statement.col_offset)]
    if indent.strip():
        return None if "\n" in code else _if_valid(_inline(lines, row, len(indent), f"{code}; "))
    lines[row:row] = [f"{indent}{one}" for one in code.split("\n")]
    return _if_valid("\n".join(lines))


def insert_after(text: str, line: int, code: str) -> str | None:
    """Insert lines of code after the statement that `line` belongs to, with its indentation."""
    statement = _covering(text, line)
    return after_statement(text, statement, code) if statement is not None else None


def after_statement(text: str, statement: ast.stmt, code: str) -> str | None:
    """Insert lines of code after a statement that comes from this very text, with its indentation."""
    lines = text.split("\n")
    row, end = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    indent = lines[row][: _column(lines[row], statement.col_offset)]
    if indent.strip():
        column = _column(lines[end], statement.end_col_offset or 0)
        return None if "\n" in code else _if_valid(_inline(lines, end, column, f"; {code}"))
    lines[end + 1 : end + 1] = [f"{indent}{one}" for one in code.split("\n")]
    return _if_valid("\n".join(lines))


def _inline(lines: list[str], row: int, column: int, code: str) -> str:
    lines[row] = lines[row][:column] + code + lines[row][column:]
    return "\n".join(lines)


def _covering(text: str, line: int) -> ast.stmt | None:
    """Return the innermost statement that `line` is a part of."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    found = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return max(found, key=lambda node: (node.lineno, node.col_offset)) if found else None


def without_statement(text: str, line: int) -> str | None:
    """Return the text without the simple statement at `line`; `pass` replaces it if it was alone in its block."""
    statement = _covering(text, line)
    if statement is None or isinstance(statement, _COMPOUND):
        return None
    lines = text.split("\n")
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    before = lines[first][: _column(lines[first], statement.col_offset)]
    after = lines[last][_column(lines[last], statement.end_col_offset or 0) :]
    if not before.strip() and (not after.strip() or after.lstrip().startswith("#")):
        shorter = _if_valid("\n".join([*lines[:first], *lines[last + 1 :]]))
        if shorter is not None:
            return shorter
    return replace_node(text, statement, "pass")


def replaced(text: str, node: ast.expr | ast.stmt, code: str) -> str | None:
    """Replace a statement that comes from this very text by several lines, with its indentation."""
    lines = text.split("\n")
    row = node.lineno - 1
    indent = lines[row][: _column(lines[row], node.col_offset)]
    if indent.strip():
        return None
    return replace_node(text, node, code.replace("\n", f"\n{indent}"))


def moved(text: str, line: int, *, before: int) -> str | None:
    """Move the simple statement at `line` before the one at an earlier line."""
    statement = _covering(text, line)
    code = ast.get_source_segment(text, statement) if statement is not None else None
    if code is None or "\n" in code or before >= line:
        return None
    shorter = without_statement(text, line)
    return insert_before(shorter, before, code) if shorter is not None else None


def moved_after(text: str, line: int, after: int, code: str) -> str | None:
    """Move the simple statement at `line`, written as `code`, behind the one at a later line."""
    longer = insert_after(text, after, code)
    return without_statement(longer, line) if longer is not None else None


def all_at_once(text: str, tree: ast.AST, changes: Mapping[ast.expr | ast.stmt, str | None]) -> str:
    """Replace many nodes of this very text's tree, none inside another, by code; a statement with None is removed, or
    becomes `pass` if a statement is required."""
    place = _Places(text)
    spans = [(*place.of(node), code) for node, code in changes.items() if code is not None]
    gone = {node for node, code in changes.items() if code is None}
    for block in blocks(tree):
        removed = [each for each in block if each in gone]
        for at, each in enumerate(removed):
            keeps = at == 0 and len(removed) == len(block)
            spans.append((*place.of(each), "pass") if keeps else _without(text, *place.of(each)))
    parts, at = [], 0
    for start, end, code in sorted(spans):
        parts += [text[at:start], code]
        at = end
    return "".join([*parts, text[at:]])


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements of a tree, each of which has one indentation."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and not (isinstance(node, ast.Module) and len(block) == 1):
                yield block
            elif isinstance(block, list):
                yield [*block, ast.Pass()]  # an empty text is fine


def _without(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return the place of a statement and its replacement: nothing, and whole lines if it is alone on them."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end) + 1 or len(text)
    rest = text[end:last].strip()
    if text[first:start].strip() or (rest and not rest.startswith("#")):
        return start, end, "pass"
    return first, last, ""
