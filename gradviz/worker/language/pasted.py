"""The tree of what learners paste: a Python session with its prompts, a notebook cell with its magics, an indented
piece.

Only text that Python itself can't parse is tried again, and only by leaving things out: no line or column moves, so
that what the trace marks is where the learner sees it. What still can't be parsed gets Python's own error. A session
prints the values of its expressions, as the prompt does. Next: `policy`."""

from __future__ import annotations

import ast
import itertools
import re

from gradviz.document.snippet import CELL, MAGIC, SUFFIX

_PROMPT = re.compile(r"(\s*)(>>>|\.\.\.)( |$)")
_MOST = 100  # lines of a notebook that may be left out
_BLOCK = "if 1:\n"
ECHOES = "echoes"  # the attribute of an expression statement in a session
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class NotebookLine(Exception):
    """A line that only a notebook can run, and without which the rest can't be parsed either."""

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text
        super().__init__(text)


def parse(source: str, filename: str) -> ast.Module:
    """Return the tree of a snippet, or raise Python's own SyntaxError."""
    text = source.removeprefix("\ufeff")
    try:
        tree = ast.parse(text, filename)
        return _showing_cells(tree, text) if filename.lower().endswith(SUFFIX) else tree
    except SyntaxError as error:
        for read in (_session, _indented, _notebook):
            found = read(text, filename)
            if found is not None:
                return found
        line = _line_at(text, error.lineno)
        if MAGIC.match(line):
            raise NotebookLine(error.lineno or 1, line.strip()) from None
        raise


def _showing_cells(tree: ast.Module, text: str) -> ast.Module:
    """Mark the last expression of each notebook cell, which shows its value unless a semicolon follows."""
    lines = text.splitlines()
    begins = [node.lineno for node in tree.body[1:]]
    for node, after in itertools.zip_longest(tree.body, begins):
        end = node.end_lineno or node.lineno
        is_last = after is None or any(line.startswith(CELL) for line in lines[end : after - 1])
        if is_last and isinstance(node, ast.Expr) and not _is_silent(node, lines):
            setattr(node, ECHOES, True)
    return tree


def _is_silent(node: ast.Expr, lines: list[str]) -> bool:
    """Whether a semicolon follows."""
    line = lines[(node.end_lineno or node.lineno) - 1].encode()
    return line[node.end_col_offset or 0 :].lstrip().startswith(b";")


def _session(text: str, filename: str) -> ast.Module | None:
    """`>>> x = 1`: keep the lines with a prompt, without the output between them."""
    lines = text.splitlines()
    prompts = [_PROMPT.match(line) for line in lines]
    if not any(found and found[2] == ">>>" for found in prompts):
        return None
    kept = [line[found.end() :] if found else "" for line, found in zip(lines, prompts, strict=True)]
    widths = {found.end() for line, found in zip(lines, prompts, strict=True) if found and len(line) > found.end()}
    try:
        tree = ast.parse("\n".join(kept) + "\n", filename) if len(widths) <= 1 else None
    except SyntaxError:
        return None
    return tree and _echoing(_shifted(tree, max(widths, default=4)))


def _echoing(tree: ast.Module) -> ast.Module:
    """Mark the expressions whose value Python prints at a prompt: including those in loops, not in functions or
    classes."""
    open_ = [ast.iter_child_nodes(tree)]
    while open_:
        for node in open_.pop():
            if isinstance(node, ast.Expr):
                setattr(node, ECHOES, True)
            elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case) and not isinstance(node, _OWN_SCOPE):
                open_.append(ast.iter_child_nodes(node))
    return tree


def _indented(text: str, filename: str) -> ast.Module | None:
    """Parse a piece of a function or class that was copied with its indentation."""
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    return _inside_block(lines, filename) if first[:1] in (" ", "\t") else None


def _shifted(tree: ast.Module, columns: int) -> ast.Module:
    """The same tree, all of it so many columns further right."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.excepthandler | ast.arg | ast.keyword | ast.alias):
            node.col_offset += columns
            node.end_col_offset = (node.end_col_offset or 0) + columns
    return tree


def _inside_block(lines: list[str], filename: str) -> ast.Module | None:
    try:
        tree = ast.parse(_BLOCK + "\n".join(lines) + "\n", filename)
    except SyntaxError:
        return None
    (block,) = tree.body if len(tree.body) == 1 else (None,)
    if not isinstance(block, ast.If) or block.orelse:
        return None
    ast.increment_lineno(block, -1)
    return ast.Module(block.body, [])


def _notebook(text: str, filename: str) -> ast.Module | None:
    """Leave out `%matplotlib inline` and `!pip install torch` where Python stumbles over them. Raises the error of
    another line that can't be parsed once they are out."""
    lines, left_out = text.splitlines(), set[int]()
    for _ in range(_MOST):
        try:
            return ast.parse("\n".join(lines) + "\n", filename)
        except SyntaxError as error:
            number = error.lineno or 0
            line = _line_at("\n".join(lines), number)
            if not MAGIC.match(line):
                if left_out and number not in left_out:
                    raise
                return None
            left_out.add(number)
            lines[number - 1] = line[: len(line) - len(line.lstrip())] + "pass"
    return None


def _line_at(text: str, number: int | None) -> str:
    lines = text.splitlines()
    return lines[number - 1] if number and 0 < number <= len(lines) else ""
