"""Reading a call: a function of torch, a method of a tensor. Arguments go to the ports and parameters of the
operation's entry in the catalogue. What makes a leaf is in `leaves`, `backward` and other lines in `statements`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from gradviz.document.catalogue import Entry, Parameter, Port, named
from gradviz.document.drawing import Literal, Operand, Ref
from gradviz.document.reading import leaves
from gradviz.document.reading.expressions import below, listed, operand, value
from gradviz.document.reading.plain import called
from gradviz.document.reading.scope import Dtype, Listed, Named, Plain, Scope, Several, Value, refuse
from gradviz.document.spelling import argument

OTHER_WORDS = {"axis": "dim", "keepdims": "keepdim", "self": "input", "a": "input"}
LEFT_OUT = frozenset({"device", "memory_format", "non_blocking", "copy", "inplace"})  # if they say the usual
_TELLS = frozenset({"item", "tolist", "numpy", "size", "numel", "dim", "element_size", "nelement", "stride"})


def call(scope: Scope, node: ast.Call) -> Value:
    """What a call gives."""
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
    if leaves.is_maker(path) and (path != "normal" or only_numbers):
        return leaves.make(scope, node, path, values, words)
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


def operate(scope: Scope, node: ast.Call, entry: Entry, values: list[Value], words: dict[str, Value]) -> Value:
    """The node of a call with these arguments."""
    if entry.key in ("max", "min") and any(isinstance(each, Ref) for each in (*values[1:], words.get("other"))):
        entry = named(f"{entry.key}imum") or entry
    if entry.key == "Tensor.to" and any(isinstance(each, Plain) and isinstance(each.value, str) for each in values):
        raise refuse(node, "a drawing has its tensors on the CPU only. Leave .to(…) out.")
    given = _bind(node, entry, values, words)
    inputs: list[Operand] = []
    for port in entry.ports:
        inputs += _at_port(node, entry, port, given.get(port.name))
    if entry.ports and not any(isinstance(each, Ref) for each in inputs):
        raise refuse(node, f"{entry.name} needs a tensor.")
    params = [
        (param.name, _param(node, entry, param, given[param.name])) for param in entry.params if param.name in given
    ]
    kept = tuple((name, plain) for name, plain in params if not _is_default(entry.param(name), plain))
    missing = [param.name for param in entry.params if param.required and param.name not in dict(kept)]
    if missing:
        raise refuse(node, f"{entry.name} needs {missing[0]}.")
    return scope.operate(entry, tuple(inputs), kept)


def _bind(node: ast.Call, entry: Entry, values: list[Value], words: dict[str, Value]) -> Mapping[str, Value]:
    """Which argument is given what."""
    order = [name for name in entry.order if not _only_by_name(entry, name)]
    given: dict[str, Value] = {}
    for at, each in enumerate(values):
        if at >= len(order):
            raise refuse(node, f"{entry.name} has no {at + 1}. argument in a drawing.")
        if _is_spread(entry, order[at]):
            rest = values[at:]
            given[order[at]] = rest[0] if len(rest) == 1 and _is_list(rest[0]) else listed(rest)
            break
        given[order[at]] = each
    for word, each in words.items():
        name = word if word in entry.order else OTHER_WORDS.get(word, word)
        if name in given:
            raise refuse(node, f"{entry.name} is given {name} twice.")
        if name in entry.order:
            given[name] = each
        elif word not in LEFT_OUT or each not in (Plain("cpu"), Plain(None), Plain(False)):
            raise refuse(node, f"{entry.name} can't have {word} in a drawing. Leave it out.")
    return given


def _is_list(given: Value) -> bool:
    return isinstance(given, Listed | Several) or (isinstance(given, Plain) and isinstance(given.value, tuple))


def _only_by_name(entry: Entry, name: str) -> bool:
    thing: Port | Parameter | None = entry.port(name) or entry.param(name)
    return thing is not None and thing.keyword_only


def _is_spread(entry: Entry, name: str) -> bool:
    thing: Port | Parameter | None = entry.port(name) or entry.param(name)
    return thing is not None and thing.spread


def _at_port(node: ast.Call, entry: Entry, port: Port, given: Value | None) -> list[Operand]:
    if port.variadic:
        if isinstance(given, Several):
            if not given.count:
                raise refuse(node, "only a run tells how many results there are. Give each a name: a, b = …")
            return [Ref(given.node, output) for output in range(given.count)]
        if not isinstance(given, Listed):
            raise refuse(node, f"{entry.name} needs a list of tensors.")
        return [operand(node, each) for each in given.items]
    if given is None or given == Plain(None):
        if not port.optional:
            raise refuse(node, f"{entry.name} needs {port.name}.")
        return [None]
    return [operand(node, given)]


def _param(node: ast.Call, entry: Entry, param: Parameter, given: Value) -> Literal:
    if isinstance(given, Ref | Listed | Several):
        raise refuse(node, f"{param.name} of {entry.name} must be plain numbers. Write them down.")
    if isinstance(given, Dtype):
        if param.kind != "dtype":
            raise refuse(node, f"{param.name} of {entry.name} can't be a dtype.")
        return given.name
    plain = given.value if isinstance(given, Plain) else None
    if isinstance(given, Named) or argument(param, plain) is None:
        raise refuse(node, f"{param.name} of {entry.name} can't be this.")
    return (plain,) if param.spread and not isinstance(plain, tuple) else plain


def _is_default(param: Parameter | None, plain: Literal) -> bool:
    if param is None or param.required:
        return False
    return plain == param.default and type(plain) is type(param.default)
