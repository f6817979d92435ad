"""The text of a snippet and its syntax tree, as the finders of mistakes ask about them. What happened when it ran is
added by `case`."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from gradviz.trace.table.name_text import tree_of

Place = tuple[int, int, int, int]


class Text:
    """A snippet and its syntax tree."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; empty where the text can't be read."""
        return tree_of(self.text)

    @cached_property
    def walked(self) -> list[ast.AST]:
        """Every node of the tree, in source order."""
        found = [node for node in ast.walk(self.tree) if hasattr(node, "lineno")]
        return sorted(found, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node around each node."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what is around a node, the innermost first."""
        at = self.parents.get(node)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def function_of(self, node: ast.AST) -> ast.AST | None:
        """Return the function around a node."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((each for each in self.around(node) if isinstance(each, kinds)), None)

    def loop_of(self, node: ast.AST) -> ast.For | ast.While | None:
        """Return the loop around a node, in the same function."""
        for each in self.around(node):
            if isinstance(each, (ast.For, ast.While)):
                return each
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return None
        return None

    def is_off(self, line: int) -> bool:
        """Whether the text around a line switches gradients off."""
        return off_at(self, line) > 0

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the class around a node."""
        return next((each for each in self.around(node) if isinstance(each, ast.ClassDef)), None)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """Every statement, in source order."""
        return [node for node in self.walked if isinstance(node, ast.stmt)]

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call, in source order."""
        return [node for node in self.walked if isinstance(node, ast.Call)]

    def statement(self, line: int) -> ast.stmt | None:
        """Return the innermost statement that covers a line."""
        found = None
        for node in self.statements:
            if node.lineno > line:
                break
            if line <= (node.end_lineno or node.lineno):
                found = node
        return found

    def on_line(self, line: int) -> list[ast.AST]:
        """Return the nodes of the statement that a line belongs to, or of several that begin on it; for a compound one
        only its head."""
        statement = self.statement(line)
        if statement is None:
            return []
        body = {part for part in getattr(statement, "body", []) if isinstance(part, ast.stmt)}
        around = {*self.around(statement)}
        found: list[ast.AST] = []
        queue: list[ast.AST] = [each for each in self.statements if each.lineno == line and each not in around | body]
        queue = queue if statement in queue else [statement]
        for each in queue:
            found.append(each)
            queue += [child for child in ast.iter_child_nodes(each) if child not in body]
        return found

    def source(self, node: ast.AST) -> str:
        """Return the source of a node; "" if it has no place."""
        if getattr(node, "end_lineno", None) is None:
            return ""
        first, start, last, end = self.place(node)  # type: ignore[arg-type]
        rows = self.lines[first - 1 : last]
        return "".join(rows)[start : sum(map(len, rows[:-1])) + end]

    def called(self, name: str, line: int = -1) -> ast.Call | None:
        """Return the first call of a function or method of this name (on a line)."""
        for call in self.calls:
            if name_of(call) == name and (line < 0 or call.lineno <= line <= (call.end_lineno or line)):
                return call
        return None

    @cached_property
    def expressions(self) -> dict[tuple[int, int, int, int], ast.expr]:
        """The expression at each place."""
        return {self.place(node): node for node in self.walked if isinstance(node, ast.expr)}

    @cached_property
    def given(self) -> dict[str, list[tuple[ast.stmt, ast.expr]]]:
        """The statements that assign to each target, or add to it, with the values; in source order."""
        found = defaultdict[str, list[tuple[ast.stmt, ast.expr]]](list)
        for node in self.statements:
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    found[self.source(target)].append((node, node.value))
        return dict(found)

    def assigned(self, name: str, line: int) -> ast.expr | None:
        """Return the value last assigned to a variable, up to a line."""
        given = [each for each in self.given.get(name, []) if each[0].lineno <= line]
        return next((value for statement, value in reversed(given) if not isinstance(statement, ast.AugAssign)), None)

    @cached_property
    def gradient_names(self) -> set[str]:
        """The names that are bound to gradients, to what was computed from them, or to what loops take from them."""
        found: set[str] = set()
        for each in [*self.statements, *self.statements]:
            value = each.iter if isinstance(each, ast.For) else getattr(each, "value", None)
            if isinstance(each, (ast.Assign, ast.For, ast.AugAssign)) and value and is_of_gradients(value, found):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                found |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        return found

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
        """Return where a node is, as the trace records it: columns in characters."""
        end = node.end_lineno or node.lineno
        return node.lineno, self._column(node.lineno, node.col_offset), end, self._column(end, node.end_col_offset or 0)

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them, with their ends."""
        return re.split(r"(?<=\n)|(?<=\r)(?!\n)", self.text)

    def _column(self, line: int, byte: int) -> int:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))


def off_at(text: Text, line: int, pattern: str = "no_grad|inference_mode") -> int:
    """Return the line of the `with` or of the decorator around a line that switches gradients off; -1 if there is
    none."""
    statement = text.statement(line)
    for each in [statement, *text.around(statement)] if statement is not None else ():
        heads: list[ast.expr] = []
        if isinstance(each, ast.With):
            heads = [item.context_expr for item in each.items]
        elif isinstance(each, ast.FunctionDef):
            heads = each.decorator_list
        for head in heads:
            if re.search(pattern, text.source(head)):
                return head.lineno
    return -1


def values_of(text: Text, name: str) -> Iterator[ast.expr]:
    """Yield what is assigned to a target anywhere, by itself or among others; for `held.best` also what a method
    assigns to `self.best`."""
    names = {name, f"self.{name.rpartition('.')[2]}"} if "." in name else {name}
    for node in [each for each in text.statements if isinstance(each, ast.Assign)]:
        for target in node.targets:
            pairs = paired(target, node.value) or [(target, node.value)]
            yield from (value for one, value in pairs if text.source(one) in names)


def paired(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the parts of `w, b = 1, 2`, each with its value; none if it is another assignment, or `w, *others = …`."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
        return []
    return list(zip(target.elts, value.elts, strict=True))


def names_in(node: ast.AST) -> set[str]:
    """Return the names that an expression or a statement contains."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def name_of(call: ast.Call) -> str:
    """Return the last part of what is called: "backward" for `loss.backward()`."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def uncalled(text: Text, method: str) -> ast.Attribute | None:
    """Return the first statement that only names a method, without the brackets: `model.eval`."""
    alone = [each.value for each in text.statements if isinstance(each, ast.Expr)]
    return next((each for each in alone if isinstance(each, ast.Attribute) and each.attr == method), None)


def receiver_of(call: ast.Call) -> ast.expr | None:
    """Return what a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def is_of_gradients(value: ast.AST, names: set[str]) -> bool:
    """Whether an expression or statement reads a .grad, what autograd.grad() returns, or one of these names."""
    return any(
        (isinstance(n, ast.Attribute) and n.attr == "grad" and isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.Call) and name_of(n) == "grad")
        for n in ast.walk(value)
    )


def collected(text: Text, expression: ast.expr) -> list[ast.expr]:
    """Return what was put into the list that an expression names."""
    given = text.assigned(expression.id, expression.lineno) if isinstance(expression, ast.Name) else expression
    if isinstance(given, ast.ListComp):
        return [given.elt]
    return [
        call.args[0]
        for call in text.calls
        if isinstance(expression, (ast.Name, ast.Attribute)) and name_of(call) == "append" and len(call.args) == 1
        and isinstance(call.func, ast.Attribute) and text.source(call.func.value) == text.source(expression)
    ]  # fmt: skip


def followed(text: Text, expression: ast.expr) -> Iterator[ast.expr]:
    """Return the parts of an expression, and recursively those of the values of its variables."""
    queue, names = [expression], set[str]()
    for part in queue:
        for node in ast.walk(part):
            if isinstance(node, ast.expr):
                yield node
            if isinstance(node, ast.Name) and node.id not in names:
                names.add(node.id)
                before = [value for one, value in text.given.get(node.id, []) if one.lineno < node.lineno]
                queue += [*before, *collected(text, node)]
            if isinstance(node, ast.Call) and name_of(node) not in names:
                names.add(name_of(node))
                returns = [each for each in text.statements if isinstance(each, ast.Return) and each.value is not None]
                queue += [
                    each.value for each in returns
                    if each.value is not None and getattr(text.function_of(each), "name", "") == name_of(node)
                ]  # fmt: skip


def first_line(text: Text, node: ast.expr) -> int:
    """Return the first line of the call that an expression is an argument of, otherwise its own, as in `dict(lr=8.0)`,
    where it has a name."""
    around = next((each for each in text.around(node) if not isinstance(each, (ast.keyword, ast.UnaryOp))), None)
    return around.lineno if isinstance(around, ast.Call) and name_of(around) != "dict" else node.lineno


def decorated_at(text: Text, line: int) -> ast.FunctionDef | None:
    """Return the function that has a decorator on a line."""
    functions = (each for each in text.statements if isinstance(each, ast.FunctionDef))
    return next((each for each in functions if any(one.lineno == line for one in each.decorator_list)), None)


def uses(text: Text, number: ast.expr, depth: int = 4, summed: bool = False) -> Iterator[ast.expr]:
    """Return where a number, or a multiple of it, is used, followed through a variable, through return values and
    through a loop over several; and the product that makes the multiple. With `summed`, also through a sum that
    includes it."""
    outer = text.parents.get(number)
    plain = isinstance(outer, ast.Call) and name_of(outer) == "float" and receiver_of(outer) is None
    multiple = isinstance(outer, ast.BinOp) and (
        isinstance(outer.op, (ast.Mult, ast.Pow))
        or any(isinstance(each, ast.Constant) for each in (outer.left, outer.right) if each is not number)
    )
    if isinstance(outer, ast.expr) and (isinstance(outer, ast.UnaryOp) or multiple or plain):
        yield outer
        yield from uses(text, outer, depth, summed)
    elif isinstance(outer, (ast.GeneratorExp, ast.ListComp)) and outer.elt is number:
        total = text.parents.get(outer)
        if isinstance(total, ast.Call) and name_of(total) == "sum" and outer in total.args:
            yield from uses(text, total, depth, summed)
            return
        yield number
    elif isinstance(outer, ast.expr):
        yield number
    function, again = text.function_of(number), list[ast.expr]()
    target: ast.expr | None = outer.targets[0] if isinstance(outer, ast.Assign) else None
    if summed and isinstance(outer, ast.AugAssign):
        target = outer.target
    if isinstance(outer, (ast.For, ast.comprehension)) and outer.iter is number:
        target = outer.target
    if isinstance(outer, ast.Dict) or isinstance(target, ast.Subscript):
        again += _read_by_key(text, number, outer if isinstance(outer, ast.Dict) else None, target)
    elif isinstance(target, ast.Name):
        names = [n for n in text.walked if isinstance(n, ast.Name) and n.id == target.id]
        again += [n for n in names if isinstance(n.ctx, ast.Load) and text.function_of(n) is function]
    elif isinstance(outer, ast.Return) and isinstance(function, ast.FunctionDef):
        again += [each for each in text.calls if name_of(each) == function.name]
    if summed and isinstance(outer, ast.Call) and name_of(outer) == "append" and isinstance(outer.func, ast.Attribute):
        whole = f"sum({text.source(outer.func.value)})"
        again += [each.args[0] for each in text.calls if text.source(each) == whole]
    for each in again if depth else ():
        yield from uses(text, each, depth - 1, summed)


def _read_by_key(text: Text, value: ast.expr, made: ast.Dict | None, target: ast.expr | None) -> Iterator[ast.expr]:
    """Yield where a value that a dict holds is read: by its key, or in the sum of all."""
    statement = text.parents.get(made) if made is not None else None
    if made is not None and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        held, key = statement.targets[0].id, made.keys[made.values.index(value)]
    elif isinstance(target, ast.Subscript):
        held, key = text.source(target.value), target.slice
    else:
        return
    whole = f"sum({held}.values())"
    for node in text.walked:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and text.source(node.value) == held:
            if isinstance(key, ast.Constant) and isinstance(node.slice, ast.Constant) and node.slice.value == key.value:
                yield node
        elif isinstance(node, ast.Call) and text.source(node) == whole:
            yield from node.args


def drawn_in_turn(text: Text, line: int) -> int:
    """Return the line of the only call that draws numbers into what a loop or a function receives, otherwise the given
    line."""
    found = set[int]()
    for call in text.calls:
        held = call.args[0] if "init" in text.source(call.func) and call.args else receiver_of(call)
        name = next((n.id for n in ast.walk(held) if isinstance(n, ast.Name)), "") if held is not None else ""
        loop, function = text.loop_of(call), text.function_of(call)
        turns = set[str]()
        if isinstance(loop, ast.For):
            turns |= names_in(loop.target)
        if isinstance(function, ast.FunctionDef):
            turns |= {each.arg for each in function.args.args}
        of_grad = "grad" in name_of(call) or (isinstance(held, ast.Attribute) and held.attr == "grad")
        if name in turns - {"self"} and name_of(call).endswith("_") and not of_grad:
            found.add(call.lineno)
    return found.pop() if len(found) == 1 else line


def asked_grads(text: Text) -> set[str]:
    """Return the expressions whose .grad the text reads; for `p` in a loop over several, each of them."""
    read = [n for n in text.walked if isinstance(n, ast.Attribute) and n.attr == "grad"]
    names = {text.source(node.value) for node in read if isinstance(node.ctx, ast.Load)}
    for node in text.walked:
        if isinstance(node, ast.For) and text.source(node.target) in names:
            names |= {text.source(each) for each in getattr(node.iter, "elts", [])}
    return names
