"""Reads lines of code: imports, assignments, `y += 1` if it may be read as `y = y + 1`, `torch.manual_seed`,
`backward`; lines that only print are skipped and remembered. Expressions are in `expressions`.

Note [In place] `y += 1` changes the tensor y. A drawing has nothing like this, so it is read as `y = y + 1` only if the
difference can't be observed: nothing else has used y or shares its name, and the operation that made y neither needs
its own result for its gradient nor is a view."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from gradviz.document.code.calls import binary
from gradviz.document.code.expressions import SIGNS, below, check_depth, operate_sign, value
from gradviz.document.code.scope import Listed, Named, Plain, Scope, Several, Value, refuse
from gradviz.document.drawing import BackwardCall, Leaf, Literal, Operation, Ref

FRESH = frozenset({"add", "sub", "mul", "matmul", "mm", "neg", "div", "mean", "sum", "nn.functional.linear", "pow"})
LOOKING = frozenset({"print", "display", "input", "len", "type", "isinstance", "repr", "id"})
SETTINGS = frozenset({"set_printoptions", "set_default_dtype", "autograd.set_detect_anomaly", "set_num_threads",
                      "use_deterministic_algorithms"})  # fmt: skip
ALONE = frozenset({"retain_grad"})
_LATER = "Run it and choose Edit as Drawing to"
_REFUSED: Mapping[type[ast.stmt], str] = {
    ast.For: f"a loop can't be drawn. {_LATER} unroll it.",
    ast.While: f"a loop can't be drawn. {_LATER} unroll it.",
    ast.If: f"an if can't be drawn. {_LATER} draw what it did.",
    ast.FunctionDef: f"a function can't be drawn. {_LATER} draw what it did.",
    ast.ClassDef: f"a class can't be drawn. {_LATER} draw what it did.",
    ast.With: f"with can't be drawn. {_LATER} draw what it did.",
    ast.Try: f"try can't be drawn. {_LATER} draw what it did.",
    ast.Delete: "del can't be drawn. Leave it out.",
    ast.Match: f"match can't be drawn. {_LATER} draw what it did.",
}


def read(scope: Scope, body: list[ast.stmt]) -> None:
    """Read lines one after another."""
    for statement in body:
        check_depth(statement)
        _statement(scope, statement)
    if scope.seed is not None:
        scope.passed_over.append(f"The seed {scope.seed} has no random leaf after it, so the drawing does not have it.")


def _statement(scope: Scope, statement: ast.stmt) -> None:
    match statement:
        case ast.Import() | ast.ImportFrom():
            _imports(scope, statement)
        case ast.Assign():
            _assign(scope, statement)
        case ast.AnnAssign(value=ast.expr() as given):
            _bind(scope, statement.target, value(scope, given))
        case ast.AugAssign():
            _augmented(scope, statement)
        case ast.Expr():
            _alone(scope, statement.value)
        case ast.Pass() | ast.AnnAssign():
            pass
        case ast.Assert():
            scope.passed_over.append(f"Line {statement.lineno}: an assert is no part of a drawing.")
        case _:
            raise refuse(statement, _REFUSED.get(type(statement), "this line can't be drawn. Leave it out."))


def _imports(scope: Scope, statement: ast.Import | ast.ImportFrom) -> None:
    home = ""
    if isinstance(statement, ast.ImportFrom):
        home = f"{statement.module}."
    for alias in statement.names:
        full = home + alias.name
        if full != "torch" and not full.startswith(("torch.", "math", "__future__.")):
            name = full.partition(".")[0]
            scope.passed_over.append(f"Line {statement.lineno}: {name} is no part of a drawing.")
        elif alias.name == "*":
            raise refuse(statement, "import * can't be read. Import the names that you use.")
        elif home or alias.asname:
            path = "" if full == "torch" else full.removeprefix("torch.")
            owner, _, last = path.rpartition(".")
            scope.values[alias.asname or alias.name] = below(Named(owner), last) if last else Named("")
        else:
            top = full.partition(".")[0]
            scope.values[top] = Named("" if top == "torch" else top)


def _assign(scope: Scope, statement: ast.Assign) -> None:
    given = value(scope, statement.value)
    if isinstance(given, Named):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                scope.values[target.id] = given
        return
    for target in statement.targets:
        _bind(scope, target, given)


def _bind(scope: Scope, target: ast.expr, given: Value) -> None:
    if isinstance(target, ast.Name):
        scope.bind(target.id, given)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(scope, target, given)
    elif isinstance(target, ast.Attribute) and target.attr == "requires_grad" and isinstance(given, Plain):
        leaf = scope.leaf(target, value(scope, target.value), "requires_grad")
        scope.nodes[leaf.id] = replace(leaf, requires_grad=bool(given.value))
    elif isinstance(target, ast.Subscript):
        raise refuse(
            target, "this changes a tensor in place, which can't be drawn. Make a new tensor, e.g. with torch.where."
        )
    else:
        raise refuse(target, "only names can be given a value in a drawing.")


def _unpack(scope: Scope, target: ast.Tuple | ast.List, given: Value) -> None:
    count = len(target.elts)
    items: tuple[Value, ...]
    if isinstance(given, Several):
        node = scope.nodes[given.node]
        if not given.count and isinstance(node, Operation):
            scope.nodes[node.id] = replace(node, names=("",) * count)
        items = tuple(Ref(given.node, output) for output in range(given.count or count))
    elif isinstance(given, Listed):
        items = given.items
    elif isinstance(given, Plain) and isinstance(given.value, tuple):
        items = tuple(Plain(item) for item in given.value)
    else:
        raise refuse(target, "this is one tensor. Take it apart with .unbind(), or give it one name.")
    if len(items) != count:
        raise refuse(target, f"there are {count} names for {len(items)} results.")
    for each, item in zip(target.elts, items, strict=True):
        _bind(scope, each, item)


def _augmented(scope: Scope, statement: ast.AugAssign) -> None:
    if not isinstance(statement.target, ast.Name):
        raise refuse(statement, "this changes a tensor in place, which can't be drawn. Make a new tensor.")
    name = statement.target.id
    old, given = scope.look_up(statement.target), value(scope, statement.value)
    if isinstance(old, Plain) and isinstance(given, Plain):
        whole = ast.copy_location(ast.BinOp(statement.target, statement.op, statement.value), statement)
        scope.bind(name, binary(whole, old.value, given.value))
        return
    sign = SIGNS[type(statement.op)]
    if isinstance(old, Ref) and not _is_alone(scope, old):
        advice = f"Write {name} = {name} {sign} …"
        raise refuse(statement, f"{name} {sign}= … changes {name} in place, which others would see. {advice}")
    scope.bind(name, operate_sign(scope, statement, sign, old, given))


def _is_alone(scope: Scope, ref: Ref) -> bool:
    """Whether an in-place change of this tensor can't be observed; see Note [In place]."""
    node = scope.nodes.get(ref.node)
    if node is None or scope.uses[ref.node] or scope.called[ref] > 1:
        return False
    return not node.requires_grad if isinstance(node, Leaf) else node.op in FRESH


def _alone(scope: Scope, node: ast.expr) -> None:
    """Read a line that is only an expression."""
    if isinstance(node, ast.Constant):
        return
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name) and function.id in LOOKING:
            scope.passed_over.append(f"Line {node.lineno}: {function.id} is no part of a drawing.")
            return
        if isinstance(function, ast.Attribute) and _method_alone(scope, node, function):
            return
    value(scope, node)


def _method_alone(scope: Scope, node: ast.Call, function: ast.Attribute) -> bool:
    """Read `y.backward()`, `torch.manual_seed(0)` and the like; False for anything else."""
    name = function.attr
    if name in ("backward", *ALONE):
        owner = value(scope, function.value)
        if isinstance(owner, Named):
            raise refuse(node, "write loss.backward() instead; only that can be drawn.")
        if name == "backward":
            _backward(scope, node, owner)
        else:
            scope.passed_over.append(f"Line {node.lineno}: {name} is no part of a drawing.")
        return True
    if not isinstance(function.value, ast.Name | ast.Attribute):
        return False
    if name == "manual_seed" and isinstance(value(scope, function.value), Named):
        seed = value(scope, node.args[0]) if len(node.args) == 1 else None
        if not isinstance(seed, Plain) or not isinstance(seed.value, int):
            raise refuse(node, "manual_seed needs one whole number.")
        if not 0 <= seed.value < 2**63:
            raise refuse(node, "a seed is a whole number from 0 to 2**63 - 1. Choose another.")
        scope.seed = seed.value
        return True
    if isinstance(function.value, ast.Name) and isinstance(scope.values.get(function.value.id), Named):
        target = value(scope, function)
        if isinstance(target, Named) and target.path in SETTINGS:
            raise refuse(node, f"{name} can't be drawn. Leave it out.")
    return False


def _backward(scope: Scope, node: ast.Call, root: Value) -> None:
    if not isinstance(root, Ref):
        raise refuse(node, "backward begins at one tensor. Name it.")
    order = ("gradient", "retain_graph", "create_graph", "inputs")
    if len(node.args) > len(order) or any(each.arg not in order for each in node.keywords):
        raise refuse(node, "backward takes gradient, retain_graph, create_graph and inputs.")
    given: dict[str, ast.expr] = dict(zip(order, node.args, strict=False))
    given |= {str(each.arg): each.value for each in node.keywords}
    gradient = _gradient(scope, given["gradient"], root) if "gradient" in given else None
    keep, create = _truth(scope, given.get("retain_graph")), _truth(scope, given.get("create_graph"))
    inputs = _inputs(scope, given["inputs"]) if "inputs" in given else None
    scope.calls.append(BackwardCall(root, gradient, keep, bool(create), inputs))


def _truth(scope: Scope, node: ast.expr | None) -> bool | None:
    if node is None:
        return None
    found = value(scope, node)
    if not isinstance(found, Plain) or not isinstance(found.value, bool | None):
        raise refuse(node, "write True or False here.")
    return found.value


def _inputs(scope: Scope, node: ast.expr) -> tuple[int, ...] | None:
    found = value(scope, node)
    if found == Plain(None):
        return None
    items = found.items if isinstance(found, Listed) else (found,)
    return tuple(scope.leaf(node, item, "inputs").id for item in items)


def _gradient(scope: Scope, node: ast.expr, root: Ref) -> Literal:
    """Return the numbers of `gradient`; the leaf in which they were written is not a node of the drawing unless
    something else uses it."""
    if isinstance(node, ast.Call):
        node.keywords = [each for each in node.keywords if each.arg != "dtype"]
        function = value(scope, node.func) if isinstance(node.func, ast.Attribute | ast.Name) else None
        if function == Named("ones_like") and node.args and value(scope, node.args[0]) == root:
            return "ones"
    found = value(scope, node)
    leaf = scope.nodes.get(found.node) if isinstance(found, Ref) else None
    if found == Plain(None):
        return None
    if isinstance(leaf, Leaf) and leaf.maker == "tensor":
        scope.asides.add(leaf.id)
        return leaf.data
    if isinstance(leaf, Leaf) and leaf.maker in ("ones", "zeros") and isinstance(leaf.data, tuple):
        numbers = _filled(leaf.data, 1.0 if leaf.maker == "ones" else 0.0)
        if numbers is not None:
            scope.asides.add(leaf.id)
            return numbers
    raise refuse(node, "write the numbers of the gradient, such as y.backward(torch.tensor([1., 1.])).")


def _filled(shape: tuple[Literal, ...], number: float) -> Literal | None:
    size = 1
    for length in shape:
        size *= length if isinstance(length, int) and 0 <= length <= 1000 else 10_000
    if size > 1000:
        return None
    data: Literal = number
    for length in reversed(shape):
        assert isinstance(length, int)
        data = (data,) * length
    return data
