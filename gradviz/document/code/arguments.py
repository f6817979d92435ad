"""The arguments of an operation in code that is read: which value goes to which port or parameter of its entry in the
catalogue, and the node that they make. What the values are is read in `expressions`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gradviz.document.catalogue import Entry, Parameter, Port, named
from gradviz.document.code.plain import is_number
from gradviz.document.code.scope import Dtype, Listed, Named, Plain, Scope, Several, Value, refuse
from gradviz.document.code.spelling import argument
from gradviz.document.drawing import Literal, Number, Operand, Ref

OTHER_WORDS = {"axis": "dim", "keepdims": "keepdim", "self": "input", "a": "input"}
LEFT_OUT = frozenset({"device", "memory_format", "non_blocking", "copy", "inplace"})  # if they say the usual


def listed(items: list[Value]) -> Value:
    """A list; a plain one if all in it is."""
    if all(isinstance(item, Plain) for item in items):
        return Plain(tuple(item.value for item in items if isinstance(item, Plain)))
    return Listed(tuple(items))


def operand(node: ast.AST, what: Value) -> Operand:
    """A value at a port: a tensor, a number, or None for nothing."""
    if isinstance(what, Ref):
        return what
    if isinstance(what, Plain):
        if what.value is None:
            return None
        if is_number(what.value):
            assert isinstance(what.value, bool | int | float | complex)
            return Number(what.value)
    if isinstance(what, Several):
        raise refuse(node, "this has several results. Give each a name: a, b = …")
    raise refuse(node, "a tensor or a number must stand here.")


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
