"""Which comprehensions need a scope of their own.

Since 3.12, Python runs a list, set or dict comprehension in the scope around it, and keeps its variable where that
scope has a variable of this name. If an inner function takes that one, a cell is expected there: `locals()` and
`super()` read the value of the comprehension as if it were a cell, whatever it is. So in a scope with such a variable,
every comprehension runs in a generator. Next: `policy`, which rewrites them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Scope = ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.GeneratorExp


def shared_comprehensions(tree: ast.Module) -> set[ast.AST]:
    """Return the comprehensions whose scope has a variable that a comprehension and an inner function share."""
    found: set[ast.AST] = set()
    _Names(found, kind=ast.Module).add_all([tree])
    return found


class _Names:
    """The names in one scope, with those of its comprehensions."""

    def __init__(self, found: set[ast.AST], kind: type[ast.AST]) -> None:
        self._found = found
        self._kind = kind
        self._used: set[str] = set()
        self._bound: set[str] = set()
        self._declared: set[str] = set()  # to be of another scope
        self._taken: set[str] = set()  # by inner functions
        self._taken_within: set[str] = set()  # of the variables of comprehensions
        self._variables: set[str] = set()  # of comprehensions
        self._comprehensions: list[ast.AST] = []

    def add_all(self, nodes: list[ast.AST]) -> None:
        """Look at all statements of the scope."""
        for each in nodes:
            self._add(each)
        taken = self._taken_within if self._kind is ast.Module else self._taken_within | self._taken  # it has no cells
        if self._variables & taken:
            self._found.update(self._comprehensions)

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            (self._used if isinstance(node.ctx, ast.Load) else self._bound).add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self._declared.update(node.names)
        elif isinstance(node, ast.NamedExpr):
            self._declared.add(node.target.id)  # in a generator, it is of the scope around
            self._add(node.value)
        elif isinstance(node, _COMPREHENSIONS):
            self._add_comprehension(node)
        elif isinstance(node, _Scope):
            self._add_scope(node)
        else:
            for each in ast.iter_child_nodes(node):
                self._add(each)

    def _add_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> None:
        self._comprehensions.append(node)
        variables = _variables(node)
        self._variables |= variables
        self._add(node.generators[0].iter)
        used, bound, taken = self._used, self._bound, self._taken
        self._used, self._bound, self._taken = set(), set(), set()
        for each in _within(node):
            self._add(each)
        self._taken_within |= self._taken & variables
        self._used, self._bound, self._taken = used | (self._used - variables), bound, taken | self._taken

    def _add_scope(self, node: _Scope) -> None:
        for each in _around(node):
            self._add(each)
        inner = _Names(self._found, type(node))
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            inner._bound.update(each.arg for each in _arguments(node))
        inner.add_all(list(_within(node)))
        own = set() if inner._kind is ast.ClassDef else inner._bound - inner._declared
        self._taken |= (inner._used | inner._taken | inner._declared) - own


def _variables(node: _Comprehension) -> set[str]:
    targets = [part for each in node.generators for part in ast.walk(each.target)]
    return {each.id for each in targets if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _arguments(node: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    given = node.args
    several = [each for each in (given.vararg, given.kwarg) if each]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *several]


def _around(node: _Scope) -> Iterator[ast.AST]:
    """Yield the parts of an inner scope that run in the scope around it."""
    if isinstance(node, ast.GeneratorExp):
        yield node.generators[0].iter
        return
    if isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *node.keywords)
        return
    yield from (*node.args.defaults, *(each for each in node.args.kw_defaults if each))
    if isinstance(node, ast.FunctionDef):
        yield from (*node.decorator_list, *((node.returns,) if node.returns else ()))
        yield from (each.annotation for each in _arguments(node) if each.annotation)


def _within(node: _Scope | _Comprehension) -> Iterator[ast.AST]:
    """Yield the other parts."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield from node.body
    elif isinstance(node, ast.Lambda):
        yield node.body
    else:
        yield from (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for number, each in enumerate(node.generators):
            yield from (each.target, *each.ifs, *((each.iter,) if number else ()))
