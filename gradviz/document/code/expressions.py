"""Reads one expression: what it means, with a node for each operation in it. How arguments are assigned and what makes
a leaf is in `calls`, `backward` and other lines in `statements`."""

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
from gradviz.document.drawing import Ref
from gradviz.document.literals import DTYPES

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
    if name.endswith("_") and not name.endswith("__"):
        plain = name.rstrip("_")
        raise refuse(
            node, f"{name} changes a tensor in place, which can't be drawn. Use {plain} and give its result a name."
        )
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
    written = ast.Subscript(ast.Name("x", ast.Load()), _with_numbers(scope, node.slice), ast.Load())
    text = index_text(ast.unparse(written)[2:-1])
    if text is None:
        raise refuse(node, "an index that is computed can't be drawn. Write its numbers, or use torch.index_select.")
    made = scope.operate(catalogue()["Tensor.__getitem__"], (owner,), (("index", text),))
    assert isinstance(made, Ref)
    return made


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
