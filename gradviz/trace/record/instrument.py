"""Names for tensors: rewrites a snippet so that each binding is reported, `y = w * x` as `y = <n>("y", w * x)`, and
puts functions and loops that are regions on a stack while they run (see Note [The stack of regions] in `location.py`).
Lines and columns do not change, and names with `<` can't be typed. Rewritten code calls what is in `binding.py`.

Note [Regions in rewritten code] Everything inserted around and into a function or loop is a subscript of one list: no
call, no new variable, no frame. A `try` with only a `finally` costs nothing, keeps tracebacks, and undoes what was
pushed on every way out (`break`, `return`, an exception)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from gradviz.trace.record.location import (
    BEFORE,
    COUNT,
    ENDLESS,
    OPEN,
    ROW,
    TOTAL,
    UNKNOWN,
    WIDTH,
    Place,
    entry,
)
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import ELEMENT, LOCAL, PLAIN, REPLACING

# -- regions, see Note [Regions in rewritten code]

STACK = "<s>"
ITERATE, ALSO = "<i>", "<j>"  # the first variable of a loop, which counts the iterations; its other variables
SIZED, LEFT = "<t>", "<o>"  # what a loop iterates over; leaving the loop

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.While

RENAMES = rf"\b({REPLACING}|prune\W+identity|setattr)\W*$"
_REGISTERS = re.compile(r"register_\w*hook")
_AT_THE_END = 1 << 30
_MOST_BLOCKS = 19  # nested blocks that CPython allows in one function, not counting the function's own
_PLAIN_BODY = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)  # these have code objects of their own


def is_region(node: Function) -> bool:
    """Whether calls of a function are regions. `forward` and special methods are part of a module's call, and functions
    that autograd calls with `ctx` are part of an operation; bodies that can be suspended are not regions."""
    special = node.name == "forward" or (node.name.startswith("__") and node.name.endswith("__"))
    return not special and not suspends(node) and not _is_of_autograd(node)


def _is_of_autograd(node: Function) -> bool:
    """Whether it has a `ctx`, as the methods of a `torch.autograd.Function`: what they are given has better names."""
    first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    return first is not None and first.arg == "ctx"


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
    """Whether the loops of a body can have a `try` each: CPython limits the nesting of blocks."""
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
    """Push a region around the body of a function, except its docstring."""
    first = 1 if ast.get_docstring(node, clean=False) is not None else 0
    end = node.col_offset + len(f"def {node.name}".encode())
    pushed = entry(RegionKind.FUNCTION, node.name, (node.lineno, node.lineno, node.col_offset, end))
    if len(node.body) > first:
        node.body[first:] = _within(pushed, node.body[first:], node.body[-1])


def as_loop(node: Loop, counted: bool, can_end: bool) -> list[ast.stmt]:
    """Push a region around a loop; `counted`: the first statement of its body already counts the iterations. Leaving it
    other than by an error or `return` is reported."""
    header = node.iter if isinstance(node, ast.For) else node.test
    place: Place = (node.lineno, header.end_lineno, node.col_offset, header.end_col_offset)
    if not counted:
        begins = _call(node, ITERATE, _constant(node, ""), _constant(node, None))
        node.body[:0] = [ast.copy_location(ast.Expr(begins), node)]
    total = ENDLESS
    if isinstance(node, ast.For):
        _tell_size(node)
    elif can_end and _runs_until_break(node):
        total = OPEN
        goes_on = ast.Compare(_slot(node, TOTAL, ast.Load()), [ast.Eq()], [_constant(node, OPEN)])
        node.test = ast.copy_location(goes_on, node.test)
    if node.orelse:  # inside the loop, but not in an iteration
        node.orelse[:0] = [_assign(node, _slot(node, COUNT), BEFORE), _assign(node, _slot(node, ROW), UNKNOWN)]
    left = ast.copy_location(ast.Expr(_call(node, LEFT)), node)
    return [*_within(entry(RegionKind.LOOP, "", place, total), [node], node), left]


def _runs_until_break(loop: ast.While) -> bool:
    """Whether this is `while True` with a `break`, so that the code after it can run."""
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value) and not loop.orelse and _breaks(loop.body)


def _breaks(body: Iterable[ast.AST]) -> bool:
    return any(
        isinstance(each, ast.Break)
        or (not isinstance(each, (*_PLAIN_BODY, ast.For, ast.While)) and _breaks(ast.iter_child_nodes(each)))
        for each in body
    )


def _tell_size(loop: ast.For) -> None:
    """Pass on what a loop, or the `enumerate` in it, iterates over, so that its length can be determined."""
    gone = loop.iter
    numbered = isinstance(gone, ast.Call) and isinstance(gone.func, ast.Name) and gone.func.id == "enumerate"
    if numbered and gone.args and not isinstance(gone.args[0], ast.Starred):  # type: ignore[attr-defined]
        gone.args[0] = _call(gone.args[0], SIZED, gone.args[0])  # type: ignore[attr-defined]
    else:
        loop.iter = _call(gone, SIZED, gone)


def _call(at: ast.AST, hook: str, *given: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(hook, ast.Load()), at), [*given], []), at)


def _within(pushed: tuple[object, ...], body: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
    pop = ast.copy_location(ast.Delete([_slice(at, -WIDTH, ast.Del())]), at)
    guarded = ast.copy_location(ast.Try(body, [], [], [pop]), at)
    return [_assign(at, _slice(at, _AT_THE_END, ast.Store()), pushed), guarded]


def _assign(at: ast.AST, target: ast.expr, value: object) -> ast.stmt:
    return ast.copy_location(ast.Assign([target], _constant(at, value)), at)


def _constant(at: ast.AST, value: object) -> ast.expr:
    return ast.copy_location(ast.Constant(value), at)  # type: ignore[arg-type]  # a tuple of constants is one, too


def _slot(at: ast.AST, number: int, context: ast.expr_context | None = None) -> ast.Subscript:
    return _of_stack(at, _constant(at, number), context or ast.Store())


def _slice(at: ast.AST, first: int, context: ast.expr_context) -> ast.Subscript:
    return _of_stack(at, ast.copy_location(ast.Slice(_constant(at, first)), at), context)


def _of_stack(at: ast.AST, index: ast.expr, context: ast.expr_context) -> ast.Subscript:
    stack = ast.copy_location(ast.Name(STACK, ast.Load()), at)
    return ast.copy_location(ast.Subscript(stack, index, context), at)


HOOK = "<n>"
CATCH = "<e>"


def instrument(tree: ast.Module, can_end: bool = True) -> ast.Module:
    """Report every binding of a parsed snippet; the tree is changed and returned. `can_end`: `while True` asks the
    stack whether it goes on, which only code of one thread may do."""
    changed: ast.Module = _Instrument(has_room(tree.body), can_end, _hooks(tree)).visit(tree)
    return ast.fix_missing_locations(changed)


class _Instrument(ast.NodeTransformer):
    def __init__(self, loops: bool, can_end: bool, hooks: set[str | ast.AST]) -> None:
        self._hooks = hooks
        self._depth = 0  # functions and classes around
        self._loops = loops  # whether loops are regions here
        self._can_end = can_end
        self._turning: list[str] = []  # the variables of the enclosing loops
        self._silent = False  # in the forward() of a Function, in which no operation is a step

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
        if self._silent:
            return []
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
        """The value, reported under the names of simple targets, and the remaining targets."""
        rest = []
        for target in reversed(targets):
            name = _name(target)
            if name is None or self._silent:
                rest.append(target)
            else:
                rank = self._rank if isinstance(target, ast.Name) else max(self._rank, ELEMENT)
                value = self._report(name, value, value, rank)
        return value, rest[::-1]

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        self.generic_visit(node)
        node.value, rest = self._assigned(node.value, node.targets)
        named = [found for target in rest for found in self._after(target, self._rank)]
        return [node, *named, *(found for target in node.targets for found in self._placed(target))]

    def _placed(self, target: ast.expr) -> list[ast.stmt]:
        """A statement that reports into what something was put: `net` of `net[0].fc`; not `self`, in whose methods all
        attributes are set."""
        holder, parts = target, (ast.Attribute, ast.Subscript)
        while isinstance(holder, parts) or (isinstance(holder, ast.Call) and holder.args):  # or a guard around it
            holder = holder.value if isinstance(holder, parts) else holder.args[0]
        if holder is target or not isinstance(holder, ast.Name) or holder.id == "self" or "<" in holder.id:
            return []
        read = ast.copy_location(ast.Name(holder.id, ast.Load()), target)
        return [ast.copy_location(ast.Expr(self._report("", read, target, PLAIN)), target)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if node.value is not None:
            node.value, _ = self._assigned(node.value, [node.target])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """What a loop iterates over has better names than its variable, even if `p -= lr * p.grad` writes to it."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return [node]
        return [node, *self._after(node.target, LOCAL if node.target.id in self._turning else self._rank)]

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        """`prune.identity(lin, "weight")` gives a parameter of `lin` another name, `setattr(net, "fc", …)` those of
        `fc`, and `net.load_state_dict(…, assign=True)` puts others in their place."""
        call = node.value
        self.generic_visit(node)
        changed = _changed_by(call) if isinstance(call, ast.Call) else None
        if changed is None:
            return [node]
        of_loop = isinstance(changed, ast.Name) and changed.id in self._turning
        named = [] if of_loop else self._after(changed, self._rank)
        return [node, *named, *self._placed(ast.Attribute(changed, "", ast.Load()))]

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node)
        node.value, _ = self._assigned(node.value, [node.target])
        return node

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        outside = len(self._turning)
        self._turning += [each.id for each in _flat(node.target) if isinstance(each, ast.Name)]
        self.generic_visit(node)
        del self._turning[outside:]
        if not self._loops:
            node.body[:0] = self._after(node.target, LOCAL)
            return node
        variables, others = self._loop_variables(node.target)
        node.body[:0] = [*variables, *others]
        return as_loop(node, bool(variables), self._can_end)

    def _loop_variables(self, target: ast.expr) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Reports of the variables of a loop, the first of which counts, and of what else it binds."""
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
        return as_loop(node, False, self._can_end) if self._loops else node

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
        region, silent = is_region(node), self._silent
        self._silent = silent or (_is_of_autograd(node) and node.name == "forward")
        self.generic_visit(node)
        self._silent = silent
        self._depth -= 1
        self._loops = loops
        is_given = _is_of_autograd(node) or node.name in self._hooks  # which has better names outside
        names = [] if is_given else _parameters(node.args)
        first = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body[first:first] = [found for name in names for found in self._after(name, LOCAL)]
        if region:
            as_function(node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """`lambda t: t * t` as `lambda t: (<n>("t", t), t * t)[-1]`."""
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        names = [] if node in self._hooks else _parameters(node.args)
        reports = [self._report(name.id, name, node.body, LOCAL) for name in names]
        if reports:
            every = ast.copy_location(ast.Tuple([*reports, node.body], ast.Load()), node.body)
            node.body = ast.copy_location(ast.Subscript(every, _constant(node.body, -1), ast.Load()), node.body)
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


def _hooks(tree: ast.Module) -> set[str | ast.AST]:
    """The names of the functions that are registered as hooks, and of those that make them, and the lambdas."""
    found = set[str | ast.AST]()
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args or not _REGISTERS.fullmatch(_called(call)):
            continue
        hook = call.args[0]
        maker = hook if isinstance(hook, ast.Call) else None
        if maker and _called(maker) == "partial" and maker.args:
            hook, maker = maker.args[0], None
        if maker:
            made = [each for each in ast.walk(tree) if isinstance(each, Function) and each.name == _called(maker)]
            inside = [each for one in made for each in ast.walk(one) if each is not one]
            found.update(each.name for each in inside if isinstance(each, Function))
            found.update(each for each in inside if isinstance(each, ast.Lambda))
        elif isinstance(hook, (ast.Name, ast.Attribute)):
            found.add(hook.id if isinstance(hook, ast.Name) else hook.attr)
        else:
            found.add(hook)
    return found


def _called(call: ast.Call) -> str:
    """ "register_hook" of `x.register_hook(…)`."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _changed_by(call: ast.Call) -> ast.expr | None:
    """The module in which a call puts something in the place of a parameter."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("load_state_dict", "to_empty"):
        return call.func.value
    return call.args[0] if call.args and re.search(RENAMES, ast.unparse(call.func)) else None


def _parameters(given: ast.arguments) -> list[ast.Name]:
    """Reads of the parameters of a function."""
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    named = [arg for arg in every if arg.arg not in ("self", "cls") and arg.arg.strip("_")]
    return [ast.copy_location(ast.Name(arg.arg, ast.Load()), arg) for arg in named]


def _flat(target: ast.expr) -> list[ast.expr]:
    """The simple targets of nested ones, in order."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [found for each in target.elts for found in _flat(each)]
    return _flat(target.value) if isinstance(target, ast.Starred) else [target]


def _name(target: ast.expr) -> str | None:
    """The name for a target: "w", "self.w"; None for anything without a short name, a private one guarded by a policy,
    "_", which says that nobody asks for the value, or a part of a complex tensor, into which the value is copied."""
    if isinstance(target, ast.Name):
        return target.id if "<" not in target.id and target.id.strip("_") else None
    if isinstance(target, ast.Attribute) and "<" not in target.attr and target.attr not in ("real", "imag"):
        holder = target.value
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and "<" in holder.func.id and holder.args:
            holder = holder.args[0]  # a policy has wrapped a guard around the object
        before = _name(holder)
        return None if before is None else f"{before}.{target.attr}"
    return None
