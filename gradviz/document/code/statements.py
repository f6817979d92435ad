"""Reads lines of code and the expressions in them. Lines: imports, assignments, `y += 1` if it may be read as `y = y
+ 1`, `torch.manual_seed`, `backward`; lines that only print are skipped and remembered.

Note [In place] `y += 1` changes the tensor y. It is read as `y = y + 1` if the difference can't be observed: nothing
else has used y or shares its name, and the operation that made y neither needs its own result for its gradient nor is a
view. Otherwise it is `y.add_(1)`.

An expression becomes a node for each operation in it. How arguments are assigned and what makes a leaf is in
`calls`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from gradviz.document.catalogue import Entry, catalogue, named
from gradviz.document.code.calls import (
    CONSTANTS,
    binary,
    called,
    constant,
    listed,
    made_leaf,
    makes_leaf,
    operand,
    operate,
    unary,
)
from gradviz.document.code.scope import Dtype, Listed, Named, Plain, Scope, Several, Value, refuse
from gradviz.document.code.spelling import index_text
from gradviz.document.drawing import BackwardCall, Leaf, Literal, Operation, Ref
from gradviz.document.literals import DTYPES, PLACE

# --- Expressions ---


DEEPEST = 150
SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.USub: "-",
    ast.Invert: "~",
}  # fmt: skip
_TELLS = frozenset({"item", "tolist", "numpy", "size", "numel", "dim", "element_size", "nelement", "stride"})
_NO_FIELD = {
    "grad": "a gradient is there only after backward, so it can't be drawn. Leave this line out, and look at the leaf.",
    "shape": "a shape is known only after a run. Write its numbers.",
    "data": ".data can't be drawn. Use .detach().",
}


@cache
def operators() -> Mapping[tuple[str, int], Entry]:
    """Return the operations that are written as signs, by sign and number of operands."""
    found = {(entry.operator, len(entry.ports)): entry for entry in catalogue().values() if entry.style == "operator"}
    return found


def check_depth(node: ast.AST) -> None:
    """Refuse an expression so deep that reading it would be risky; lists count, too."""
    waiting: list[tuple[ast.AST, int]] = [(node, 0)]
    while waiting:
        each, depth = waiting.pop()
        if depth > DEEPEST:
            raise refuse(node, "this expression is nested too deep to be drawn. Give its parts names of their own.")
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(each))


def value(scope: Scope, node: ast.expr) -> Value:
    """Return what an expression means. Call `check_depth` first, because this recurses into it."""
    match node:
        case ast.Constant():
            return constant(node)
        case ast.Name():
            if (
                node.id in ("float", "int", "complex", "abs", "pow", "list", "tuple", "print")
                and node.id not in scope.values
            ):
                return Named(f"builtins.{node.id}")
            return scope.look_up(node)
        case ast.List() | ast.Tuple():
            return listed([value(scope, each) for each in node.elts])
        case ast.UnaryOp():
            return _unary(scope, node)
        case ast.BinOp():
            left, right = value(scope, node.left), value(scope, node.right)
            if isinstance(left, Plain) and isinstance(right, Plain):
                return binary(node, left.value, right.value)
            return operate_sign(scope, node, SIGNS[type(node.op)], left, right)
        case ast.Compare():
            return _compare(scope, node)
        case ast.Attribute():
            return attribute(scope, node)
        case ast.Subscript():
            return _subscript(scope, node)
        case ast.Call():
            return _call(scope, node)
    raise refuse(node, f"{_word(node)} can't be drawn. {_ADVICE}")


_ADVICE = "Run it and choose Edit as Drawing to draw what it did."


def _word(node: ast.expr) -> str:
    words: Mapping[type[ast.expr], str] = {
        ast.ListComp: "a list comprehension", ast.GeneratorExp: "a loop in brackets", ast.Lambda: "a lambda",
        ast.IfExp: "a choice with if", ast.BoolOp: "and/or", ast.Dict: "a dictionary", ast.JoinedStr: "an f-string",
        ast.Starred: "a *", ast.NamedExpr: ":=", ast.Set: "a set", ast.DictComp: "a loop in brackets",
        ast.SetComp: "a loop in brackets",
    }  # fmt: skip
    return words.get(type(node), "this")


def operate_sign(scope: Scope, node: ast.AST, sign: str, *values: Value) -> Value:
    """Return the node of an operator."""
    entry = operators().get((sign, len(values)))
    if entry is None:
        raise refuse(node, f"the operator {sign} can't be drawn.")
    made = scope.operate(entry, tuple(operand(node, each) for each in values))
    assert isinstance(made, Ref)
    return made


def _unary(scope: Scope, node: ast.UnaryOp) -> Value:
    inner = value(scope, node.operand)
    if isinstance(inner, Plain):
        return unary(node, inner.value)
    if isinstance(node.op, ast.UAdd):
        return inner
    if isinstance(node.op, ast.Not):
        raise refuse(node, f"not can't be drawn. {_ADVICE}")
    return operate_sign(scope, node, SIGNS[type(node.op)], inner)


def _compare(scope: Scope, node: ast.Compare) -> Value:
    sign = SIGNS.get(type(node.ops[0]))
    if len(node.ops) > 1 or sign is None:
        raise refuse(node, "this comparison can't be drawn. Compare two tensors with one sign, such as x > 0.")
    return operate_sign(scope, node, sign, value(scope, node.left), value(scope, node.comparators[0]))


def attribute(scope: Scope, node: ast.Attribute) -> Value:
    """Read `torch.relu`, `x.T`, `x.max(dim=0).values`."""
    owner = value(scope, node.value)
    if isinstance(owner, Named):
        return below(owner, node.attr)
    if isinstance(owner, Several) and node.attr in owner.fields:
        return Ref(owner.node, owner.fields.index(node.attr))
    if not isinstance(owner, Ref):
        raise refuse(node, f".{node.attr} can't be drawn here.")
    if node.attr in _NO_FIELD:
        raise refuse(node, _NO_FIELD[node.attr])
    entry = named(f"Tensor.{node.attr}")
    if entry is None and node.attr in ("real", "imag"):
        entry = named(node.attr)
    if entry is None or (entry.style != "attribute" and node.attr not in ("real", "imag")):
        raise refuse(node, f".{node.attr} of a tensor can't be drawn. Leave it out, or write what it gives.")
    made = scope.operate(entry, (owner,))
    assert isinstance(made, Ref)
    return made


def below(module: Named, name: str) -> Value:
    """Return what a module has under a name."""
    path = f"{module.path}.{name}" if module.path else name
    if path in CONSTANTS:
        return Plain(CONSTANTS[path])
    if path in DTYPES:
        return Dtype(_DTYPE_NAMES.get(path, path))
    return Named(path)


_DTYPE_NAMES = {
    "float": "float32", "double": "float64", "half": "float16", "short": "int16", "int": "int32", "long": "int64",
    "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32",
}  # fmt: skip


def _call(scope: Scope, node: ast.Call) -> Value:
    """Return the result of a call."""
    if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
        raise refuse(node, "arguments with * can't be drawn. Write them one by one.")
    if isinstance(node.func, ast.Attribute):
        owner = value(scope, node.func.value)
        if not isinstance(owner, Named):
            return _method(scope, node, node.func.attr, owner)
        function = below(owner, node.func.attr)
    else:
        function = value(scope, node.func)
    if not isinstance(function, Named):
        raise refuse(node, "this can't be called in a drawing. Call a function of torch.")
    return _function(scope, node, function.path)


def _given(scope: Scope, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    return (
        [value(scope, each) for each in node.args],
        {str(each.arg): value(scope, each.value) for each in node.keywords},
    )


def _function(scope: Scope, node: ast.Call, path: str) -> Value:
    values, words = _given(scope, node)
    if path in ("nn.Parameter", "nn.parameter.Parameter"):
        return _parameter(scope, node, values, words)
    plain = [each.value for each in values if isinstance(each, Plain)]
    if path.startswith(("builtins.", "math.")):
        found = called(node, path.removeprefix("builtins."), plain) if len(plain) == len(values) else None
        if found is not None:
            return found
        path = path.partition(".")[2] if path in ("builtins.abs", "builtins.pow") else path
    only_numbers = len(plain) == len(values) and all(isinstance(each, Plain | Dtype) for each in words.values())
    if makes_leaf(path) and (path != "normal" or only_numbers):
        return made_leaf(scope, node, path, values, words)
    entry = named(path)
    if entry is None:
        raise refuse(node, f"{_shown(path)} can't be drawn. Look for another operation in the palette.")
    return operate(scope, node, entry, values, words)


def _shown(path: str) -> str:
    name = path.rpartition(".")[2]
    return name if path.startswith(("builtins.", "math.", "?")) else f"torch.{path}"


def _parameter(scope: Scope, node: ast.Call, values: list[Value], words: dict[str, Value]) -> Ref:
    given = values[0] if values else words.get("data", Plain(None))
    leaf = scope.leaf(node, given, "nn.Parameter")
    wanted = words.get("requires_grad", values[1] if len(values) > 1 else Plain(True))
    scope.nodes[leaf.id] = replace(leaf, requires_grad=wanted != Plain(False))
    return Ref(leaf.id)


def _method(scope: Scope, node: ast.Call, name: str, owner: Value) -> Value:
    if name == "requires_grad_":
        return _requires_grad(scope, node, owner)
    if not isinstance(owner, Ref):
        raise refuse(node, f".{name}() can't be drawn here. Call it on a tensor.")
    if name in _TELLS:
        raise refuse(node, f".{name}() is known only after a run. Write the number instead.")
    if name == "backward":
        raise refuse(node, "backward gives nothing. Let it stand on a line of its own.")
    entry = named(f"Tensor.{name}") or named(name)
    if entry is None or not entry.ports or entry.style == "attribute":
        raise refuse(node, f".{name}() of a tensor can't be drawn. Look for another operation in the palette.")
    values, words = _given(scope, node)
    return operate(scope, node, entry, [owner, *values], words)


def _requires_grad(scope: Scope, node: ast.Call, owner: Value) -> Ref:
    values, words = _given(scope, node)
    wanted = [*values, *words.values(), Plain(True)][0]
    leaf = scope.leaf(node, owner, "requires_grad_")
    scope.nodes[leaf.id] = replace(leaf, requires_grad=wanted != Plain(False))
    return Ref(leaf.id)


def _subscript(scope: Scope, node: ast.Subscript) -> Value:
    owner = value(scope, node.value)
    if isinstance(owner, Ref):
        return _index(scope, node, owner)
    at = value(scope, node.slice) if not isinstance(node.slice, ast.Slice) else None
    place = at.value if isinstance(at, Plain) and isinstance(at.value, int) else None
    if place is None:
        raise refuse(node, "write a whole number as the index.")
    if isinstance(owner, Several):
        return Ref(owner.node, _output(scope, node, owner, place))
    items = owner.items if isinstance(owner, Listed) else ()
    if isinstance(owner, Plain) and isinstance(owner.value, tuple):
        items = tuple(Plain(item) for item in owner.value)
    if not -len(items) <= place < len(items):
        raise refuse(node, "there is nothing at this index.")
    return items[place]


def _output(scope: Scope, node: ast.AST, owner: Several, place: int) -> int:
    """Return which output of a node is meant; if only a run can count them, they must have been unpacked."""
    count = owner.count or len(getattr(scope.nodes[owner.node], "names", ()))
    if not count and place == 0:
        return 0
    if not count:
        raise refuse(node, "only a run tells how many results there are. Give each a name: a, b = …")
    if not -count <= place < count:
        raise refuse(node, f"there are {count} results here.")
    return place % count


def _index(scope: Scope, node: ast.Subscript, owner: Ref) -> Value:
    """Return `x[0, :2]`, `x[mask]`, `x[:, rows]`: where a tensor stands there is a place for it."""
    tensors: list[Ref] = []
    several = isinstance(node.slice, ast.Tuple)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    known = [_place(scope, each, tensors) for each in items]
    inside: ast.expr = ast.Tuple(known, ast.Load()) if several else known[0]
    text = index_text(ast.unparse(ast.Subscript(ast.Name("x", ast.Load()), inside, ast.Load()))[2:-1])
    if text is None:
        raise refuse(node, _COMPUTED)
    made = scope.operate(catalogue()["Tensor.__getitem__"], (owner, *tensors), (("index", text),))
    assert isinstance(made, Ref)
    return made


_COMPUTED = "an index that is computed can't be drawn. Write its numbers, or give a tensor."


def _place(scope: Scope, item: ast.expr, tensors: list[Ref]) -> ast.expr:
    """Return one item of an index; the place of a tensor for one, which is added to `tensors`."""
    item = _with_numbers(scope, item)
    is_computed = any(isinstance(each, ast.Name | ast.Call) for each in ast.walk(item))
    if not is_computed:
        return item
    found = None if isinstance(item, ast.Slice) else value(scope, item)
    if isinstance(found, Ref):
        tensors.append(found)
        return ast.Name(PLACE, ast.Load())
    if isinstance(found, Plain):
        return ast.parse(repr(list(found.value) if isinstance(found.value, tuple) else found.value), mode="eval").body
    raise refuse(item, _COMPUTED)


def _with_numbers(scope: Scope, node: ast.expr) -> ast.expr:
    """Replace the names in an index by the numbers that they stand for."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            known = scope.values.get(name.id)
            if isinstance(known, Plain) and isinstance(known.value, int):
                return ast.copy_location(ast.Constant(known.value), name)
            return name

    replaced = Replace().visit(node)
    assert isinstance(replaced, ast.expr)
    return replaced


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
        scope.line = statement.lineno
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


_PART = "a write to part of a tensor can't be drawn. Make a new tensor, e.g. with torch.where."
_ONLY_NAMES = "only names can be given a value in a drawing."


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
        if not _is_called_so(scope, target.id, given):
            scope.bind(target.id, given)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(scope, target, given)
    elif isinstance(target, ast.Attribute) and target.attr == "requires_grad" and isinstance(given, Plain):
        leaf = scope.leaf(target, value(scope, target.value), "requires_grad")
        scope.nodes[leaf.id] = replace(leaf, requires_grad=bool(given.value))
    elif isinstance(target, ast.Subscript):
        raise refuse(target, _PART)
    else:
        raise refuse(target, _ONLY_NAMES)


def _is_called_so(scope: Scope, name: str, given: Value) -> bool:
    """Whether this is `x = x.add_(1)`, whose result is called x anyway."""
    before = scope.values.get(name)
    changed = scope.now.get(before) if isinstance(before, Ref) else None
    while changed is not None and changed != given:
        changed = scope.now.get(changed)
    return changed is not None


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
        raise refuse(statement, _PART if isinstance(statement.target, ast.Subscript) else _ONLY_NAMES)
    name = statement.target.id
    old, given = scope.look_up(statement.target), value(scope, statement.value)
    if isinstance(old, Plain) and isinstance(given, Plain):
        whole = ast.copy_location(ast.BinOp(statement.target, statement.op, statement.value), statement)
        scope.bind(name, binary(whole, old.value, given.value))
        return
    sign = SIGNS[type(statement.op)]
    entry = operators().get((sign, 2))
    method = named(f"Tensor.{entry.key}_") if entry is not None else None
    if isinstance(old, Ref) and method is not None and not _is_alone(scope, old):
        scope.operate(method, (old, operand(statement, given)))
    else:
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
    root = scope.current(root)
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
