"""The tree of what learners paste: a Python session with its prompts, a page with code between its fences, a notebook
cell with its magics, an indented piece.

Only text that Python itself can't parse is tried again, and only by leaving things out: no line or column moves, so
that what the trace marks is where the learner sees it. What still can't be parsed gets Python's own error. A session
prints the values of its expressions, as the prompt does. Next: `policy`."""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from typing import NamedTuple

from gradviz.document.snippet import CELL, MAGIC, SUFFIX

_LINE_END = re.compile(r"\r\n|\r|\n")  # as Python ends them: `splitlines` knows more
_PROMPT = re.compile(r"\s*(>>>|In \[\d+\]:|\.\.\.:?)( |$)")
_INPUT = re.compile(r"\s*In \[\d+\]: ")
_FENCE = re.compile(r"(\s*)(`{3,}|~{3,})\s*\{?\.?([\w-]*)")
_PYTHON = ("python", "python3", "py", "py3", "pycon", "ipython", "ipython3", "code-cell")  # names after a fence
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
        if _INPUT.match(text):  # which is an annotation, too
            return _copied(text, filename) or ast.parse(text, filename)
        tree = ast.parse(text, filename)
        return _showing_cells(tree, text) if filename.lower().endswith(SUFFIX) else tree
    except SyntaxError as error:
        for read in (_copied, _indented, _notebook):
            found = read(text, filename)
            if found is not None:
                return found
        line = _line_at(text, error.lineno)
        if MAGIC.match(line):
            raise NotebookLine(error.lineno or 1, line.strip()) from None
        if filename.lower().endswith(SUFFIX) and (begun := _until_broken(text, filename)) is not None:
            return begun
        raise


def _until_broken(text: str, filename: str) -> ast.Module | None:
    """Return the cells of a notebook before the first that Python can't parse, and its error raised after them, as a
    notebook runs one cell after the other; None if it is the first with code."""
    lines = _LINE_END.split(text)
    begins = [at for at, line in enumerate(lines) if line.startswith(CELL)]
    for begin, end in itertools.pairwise([*begins, len(lines)]):
        cell = "\n".join(lines[begin:end]) + "\n"
        if _parses(cell):
            continue
        above = _showing_cells(ast.parse("\n".join(lines[:begin]) + "\n", filename), text)
        try:
            ast.parse("\n" * begin + cell, filename)  # for its lines in the whole text
        except SyntaxError as error:
            return ast.Module([*above.body, _raising(error)], []) if above.body else None
    return None


def _raising(error: SyntaxError) -> ast.stmt:
    """Return a statement at the place of an error that raises it again."""
    place = (error.filename, error.lineno, error.offset, error.text, error.end_lineno, error.end_offset)
    (statement,) = ast.parse(f"raise {type(error).__name__}({error.msg!r}, {place!r})").body
    ast.increment_lineno(statement, (error.lineno or 1) - 1)
    return statement


def _showing_cells(tree: ast.Module, text: str) -> ast.Module:
    """Mark the last expression of each notebook cell, which shows its value unless a semicolon follows."""
    lines = _LINE_END.split(text)
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


class _Block(NamedTuple):
    """Code in a page: its lines, counted from 0, how far it is indented, and what is said to be its language."""

    lines: range
    indent: int
    language: str


def _copied(text: str, filename: str) -> ast.Module | None:
    """`>>> x = 1`, `In [1]: x = 1`, and pages with fences: keep the code, without the prompts, the output and the
    prose. Raises the error of code in a page that can't be parsed."""
    lines = _LINE_END.split(text)
    fenced = _fenced(lines)
    kept, widths, echoed = [""] * len(lines), dict[int, int](), set[int]()
    for block in fenced or [_Block(range(len(lines)), 0, "")]:
        prompts = {at: found for at in block.lines if (found := _PROMPT.match(lines[at]))}
        is_session = any(not found[1].startswith(".") for found in prompts.values())
        if is_session:
            echoed.update(at + 1 for at in prompts)
        elif not block.language and (not fenced or any(each.language for each in fenced)):
            continue  # output, perhaps
        elif not is_session and _is_output([lines[at] for at in block.lines]):
            continue
        for at in prompts if is_session else block.lines:
            blank = len(lines[at]) - len(lines[at].lstrip())
            widths[at + 1] = width = prompts[at].end() if is_session else min(block.indent, blank)
            kept[at] = lines[at][width:]
    if not any(kept):
        return None
    code = "\n".join(kept) + "\n"
    try:
        tree = _notebook(code, filename) or ast.parse(code, filename)
    except SyntaxError as error:
        if fenced:
            raise error from None
        return None
    return _echoing(_shifted(tree, widths), echoed)


def _fenced(lines: list[str]) -> list[_Block]:
    """The blocks of a page that may be Python; none where the fences may be in a string of a program."""
    blocks, prose, begin = list[_Block](), list[str](), 0
    opening: re.Match[str] | None = None
    for at, line in enumerate([*lines, ""]):
        if opening is None:
            opening, begin = _FENCE.match(line), at + 1
            prose += [] if opening is not None else [line]
        elif at == len(lines) or re.fullmatch(rf"\s*{opening[2]}+\s*", line):  # a page may end within its last block
            language = opening[3].lower()
            if language in ("", *_PYTHON):
                blocks.append(_Block(range(begin, at), len(opening[1]), language))
            opening = None
    return blocks if not any(quotes in line for line in prose for quotes in ('"""', "'''")) else []


def _is_output(lines: list[str]) -> bool:
    """Whether a block is what a program has printed, whatever is said to be its language: several lines, none of which
    Python can parse."""
    written = [line for line in lines if line.strip()]
    return len(written) > 1 and not any(map(_parses, [textwrap.dedent("\n".join(lines)), *map(str.strip, written)]))


def _parses(text: str) -> bool:
    try:
        ast.parse(text.strip("\n") + "\n")
    except SyntaxError:
        return False
    return True


def _echoing(tree: ast.Module, lines: set[int]) -> ast.Module:
    """Mark the expressions of these lines whose value Python prints at a prompt: including those in loops, not in
    functions or classes."""
    open_ = [ast.iter_child_nodes(tree)]
    while open_:
        for node in open_.pop():
            if isinstance(node, ast.Expr) and node.lineno in lines:
                setattr(node, ECHOES, True)
            elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case) and not isinstance(node, _OWN_SCOPE):
                open_.append(ast.iter_child_nodes(node))
    return tree


def _indented(text: str, filename: str) -> ast.Module | None:
    """Parse a piece of a function or class that was copied with its indentation."""
    lines = _LINE_END.split(text)
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    return _inside_block(lines, filename) if first[:1] in (" ", "\t") else None


def _shifted(tree: ast.Module, columns: dict[int, int]) -> ast.Module:
    """The same tree, each of its lines, counted from 1, so many columns further right."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.excepthandler | ast.arg | ast.keyword | ast.alias):
            node.col_offset += columns.get(node.lineno, 0)
            node.end_col_offset = (node.end_col_offset or 0) + columns.get(node.end_lineno or node.lineno, 0)
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
    lines, left_out = _LINE_END.split(text), set[int]()
    for _ in range(_MOST):
        try:
            return ast.parse("\n".join(lines) + "\n", filename)
        except SyntaxError as error:
            number = error.lineno or 0
            line = _line_at("\n".join(lines), number)
            if not MAGIC.match(line):
                if left_out and number not in left_out:
                    raise error from None
                return None
            left_out.add(number)
            lines[number - 1] = line[: len(line) - len(line.lstrip())] + "pass"
    return None


def _line_at(text: str, number: int | None) -> str:
    lines = _LINE_END.split(text)
    return lines[number - 1] if number and 0 < number <= len(lines) else ""
