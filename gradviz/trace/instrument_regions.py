"""Rewrites a function or a loop of a snippet so that it is on the stack of regions while it runs (see Note [The stack
of regions] in `region_stack.py`). Only what is put around and into them; which ones are rewritten, and the names, are
in `instrument.py`.

All of it is subscripts of one list: no call, no new variable, no frame. A `try` with only a `finally` costs nothing,
keeps tracebacks and lets every way out (`break`, `return`, an exception) take off what was put on.
"""

from __future__ import annotations

import ast

from gradviz.trace.region_stack import BEFORE, COUNT, ROW, UNKNOWN, WIDTH, entry
from gradviz.trace.regions import RegionKind
from gradviz.trace.sites import Place

STACK = "<s>"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.While

_AT_THE_END = 1 << 30
_MOST_BLOCKS = 19  # that CPython lets be nested in one function, without that of the function
_PLAIN_BODY = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)  # code of their own


def is_region(node: Function) -> bool:
    """Whether calls of a function are regions: `forward` and special methods are parts of a module's call, and what
    autograd calls with its `ctx` is part of an operation; a body that can be left and come back to is none."""
    first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    special = node.name == "forward" or (node.name.startswith("__") and node.name.endswith("__"))
    return not special and not suspends(node) and (first is None or first.arg != "ctx")


def suspends(node: Function) -> bool:
    """Whether a function is a generator or asynchronous."""
    if isinstance(node, ast.AsyncFunctionDef):
        return True
    left: list[ast.AST] = list(node.body)
    while left:
        each = left.pop()
        if isinstance(each, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(each, _PLAIN_BODY):
            left += ast.iter_child_nodes(each)
    return False


def has_room(body: list[ast.stmt]) -> bool:
    """Whether the loops of a body can have a `try` each: CPython lets only so many blocks be nested."""
    return _depth(body) <= _MOST_BLOCKS


def _depth(body: list[ast.stmt]) -> int:
    deepest = 0
    for each in body:
        if isinstance(each, _PLAIN_BODY):
            continue
        own = 2 if isinstance(each, (ast.For, ast.While)) else 3 if isinstance(each, ast.Try) else 1
        own = len(each.items) if isinstance(each, ast.With) else own
        inner: list[ast.stmt] = []
        for child in ast.iter_child_nodes(each):
            parts = child.body if isinstance(child, (ast.ExceptHandler, ast.match_case)) else [child]
            inner += [part for part in parts if isinstance(part, ast.stmt)]
        deepest = max(deepest, own + _depth(inner)) if inner else deepest
    return deepest


def as_function(node: Function) -> None:
    """Put the body of a function, but for its docstring, on the stack."""
    first = 1 if ast.get_docstring(node, clean=False) is not None else 0
    end = node.col_offset + len(f"def {node.name}".encode())
    pushed = entry(RegionKind.FUNCTION, node.name, (node.lineno, node.lineno, node.col_offset, end))
    if len(node.body) > first:
        node.body[first:] = _within(pushed, node.body[first:], node.body[-1])


def as_loop(node: Loop, counted: bool) -> list[ast.stmt]:
    """A loop on the stack; `counted`: the first statement of its body already counts the iterations."""
    header = node.iter if isinstance(node, ast.For) else node.test
    place: Place = (node.lineno, header.end_lineno, node.col_offset, header.end_col_offset)
    if not counted:
        node.body[:0] = [
            ast.copy_location(ast.AugAssign(_slot(node, COUNT), ast.Add(), _constant(node, 1)), node),
            _assign(node, _slot(node, ROW), UNKNOWN),
        ]
    if node.orelse:  # is in the loop, but in no iteration
        node.orelse[:0] = [_assign(node, _slot(node, COUNT), BEFORE), _assign(node, _slot(node, ROW), UNKNOWN)]
    return _within(entry(RegionKind.LOOP, "", place), [node], node)


def _within(pushed: tuple[object, ...], body: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
    pop = ast.copy_location(ast.Delete([_slice(at, -WIDTH, ast.Del())]), at)
    guarded = ast.copy_location(ast.Try(body, [], [], [pop]), at)
    return [_assign(at, _slice(at, _AT_THE_END, ast.Store()), pushed), guarded]


def _assign(at: ast.AST, target: ast.expr, value: object) -> ast.stmt:
    return ast.copy_location(ast.Assign([target], _constant(at, value)), at)


def _constant(at: ast.AST, value: object) -> ast.expr:
    return ast.copy_location(ast.Constant(value), at)  # type: ignore[arg-type]  # a tuple of constants is one, too


def _slot(at: ast.AST, number: int) -> ast.Subscript:
    return _of_stack(at, _constant(at, number), ast.Store())


def _slice(at: ast.AST, first: int, context: ast.expr_context) -> ast.Subscript:
    return _of_stack(at, ast.copy_location(ast.Slice(_constant(at, first)), at), context)


def _of_stack(at: ast.AST, index: ast.expr, context: ast.expr_context) -> ast.Subscript:
    stack = ast.copy_location(ast.Name(STACK, ast.Load()), at)
    return ast.copy_location(ast.Subscript(stack, index, context), at)
