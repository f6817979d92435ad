"""Names for tensors: rewrites a snippet so that each binding is reported, `y = w * x` as `y = <n>("y", w * x)`, and
says which functions and loops are regions, which `instrument_regions.py` puts on a stack. Lines and columns stay as
they are, and a name with `<` can't be typed by anybody. What the report does is in `instrumented.py`."""

from __future__ import annotations

import ast

from gradviz.trace.instrument_regions import Function, as_function, as_loop, has_room, is_region, suspends
from gradviz.trace.schema import ELEMENT, LOCAL, PLAIN

HOOK = "<n>"
CATCH = "<e>"
ITERATE, ALSO = "<i>", "<j>"  # the first variable of a loop, which counts the iteration; its other ones


def instrument(tree: ast.Module) -> ast.Module:
    """Report every binding of a parsed snippet; the tree is changed and returned."""
    changed: ast.Module = _Instrument(has_room(tree.body)).visit(tree)
    return ast.fix_missing_locations(changed)


class _Instrument(ast.NodeTransformer):
    def __init__(self, loops: bool) -> None:
        self._depth = 0  # functions and classes around
        self._loops = loops  # whether loops here are regions

    @property
    def _rank(self) -> int:
        return LOCAL if self._depth else PLAIN

    def _report(self, name: str, value: ast.expr, at: ast.AST, rank: int, hook: str = HOOK) -> ast.Call:
        arguments = [ast.Constant(name), value] + ([ast.Constant(rank)] if rank != PLAIN else [])
        call = ast.Call(ast.Name(hook, ast.Load()), arguments, [])
        for node in (call, call.func, call.args[0], *call.args[2:]):
            ast.copy_location(node, at)
        return call

    def _after(self, target: ast.expr, rank: int) -> list[ast.stmt]:
        """Statements that report what a target was bound to, by reading it."""
        parts = _flat(target)
        if parts != [target]:
            return [found for each in parts for found in self._after(each, rank)]
        name = _name(target)
        if name is None:
            return []
        read = ast.copy_location(ast.parse(name, mode="eval").body, target)
        for node in ast.walk(read):
            ast.copy_location(node, target)
        return [ast.copy_location(ast.Expr(self._report(name, read, target, rank)), target)]

    def _assigned(self, value: ast.expr, targets: list[ast.expr]) -> tuple[ast.expr, list[ast.expr]]:
        """The value, reported under the names of simple targets; and the targets that are left."""
        rest = []
        for target in reversed(targets):
            name = _name(target)
            if name is None:
                rest.append(target)
            else:
                rank = self._rank if isinstance(target, ast.Name) else max(self._rank, ELEMENT)
                value = self._report(name, value, value, rank)
        return value, rest[::-1]

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        self.generic_visit(node)
        node.value, rest = self._assigned(node.value, node.targets)
        return [node, *(found for target in rest for found in self._after(target, self._rank))]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if node.value is not None:
            node.value, _ = self._assigned(node.value, [node.target])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *(self._after(node.target, self._rank) if isinstance(node.target, ast.Name) else [])]

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node)
        node.value, _ = self._assigned(node.value, [node.target])
        return node

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if not self._loops:
            node.body[:0] = self._after(node.target, LOCAL)
            return node
        variables, others = self._loop_variables(node.target)
        node.body[:0] = [*variables, *others]
        return as_loop(node, counted=bool(variables))

    def _loop_variables(self, target: ast.expr) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Reports of the variables of a loop, the first of which counts; and of what else it binds."""
        variables: list[ast.stmt] = []
        others: list[ast.stmt] = []
        for each in _flat(target):
            if isinstance(each, ast.Name):
                hook = ALSO if variables else ITERATE
                report = self._report(each.id, ast.Name(each.id, ast.Load()), target, PLAIN, hook)
                variables.append(ast.copy_location(ast.Expr(report), target))
            else:
                others += self._after(each, LOCAL)
        return variables, others

    def visit_While(self, node: ast.While) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        return as_loop(node, counted=False) if self._loops else node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        self.generic_visit(node)
        for handler in node.handlers:
            if handler.type is None or "RecursionError" not in ast.unparse(handler.type):  # no room for a call there
                call = ast.copy_location(ast.Call(ast.Name(CATCH, ast.Load()), [], []), handler)
                ast.copy_location(call.func, handler)
                handler.body[:0] = [ast.copy_location(ast.Expr(call), handler)]
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        self.generic_visit(node)
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body[:0] = [found for target in targets for found in self._after(target, LOCAL)]
        return node

    def _visit_function(self, node: Function) -> Function:
        self._depth += 1
        loops, self._loops = self._loops, has_room(node.body) and not suspends(node)
        region = is_region(node)
        self.generic_visit(node)
        self._depth -= 1
        self._loops = loops
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        names = [
            ast.copy_location(ast.Name(arg.arg, ast.Load()), arg) for arg in every if arg.arg not in ("self", "cls")
        ]
        first = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body[first:first] = [found for name in names for found in self._after(name, LOCAL)]
        if region:
            as_function(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return self._visit_function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        self._depth += 1
        loops, self._loops = self._loops, has_room(node.body)
        self.generic_visit(node)
        self._depth -= 1
        self._loops = loops
        return node


def _flat(target: ast.expr) -> list[ast.expr]:
    """The simple targets of nested ones, in order."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [found for each in target.elts for found in _flat(each)]
    return _flat(target.value) if isinstance(target, ast.Starred) else [target]


def _name(target: ast.expr) -> str | None:
    """What to call a target: "w", "self.w"; None for what has no short name, or a private one that a policy guards."""
    if isinstance(target, ast.Name):
        return target.id if "<" not in target.id else None
    if isinstance(target, ast.Attribute) and "<" not in target.attr:
        holder = target.value
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and "<" in holder.func.id and holder.args:
            holder = holder.args[0]  # a policy has put a guard around the object
        before = _name(holder)
        return None if before is None else f"{before}.{target.attr}"
    return None
