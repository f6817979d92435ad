"""Calls in code that is read, and their arguments: plain Python values, what makes a leaf (`torch.tensor([...])`, the
factories, `nn.Parameter`), and for an operation which value goes to which port or parameter of its catalogue entry.
What surrounds calls is read in `statements`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

from gradviz.document.catalogue import Entry, Parameter, Port, named
from gradviz.document.code.scope import Dtype, Listed, Named, Plain, Scope, Several, Value, refuse
from gradviz.document.code.spelling import argument
from gradviz.document.drawing import Leaf, Literal, Number, Operand, Ref
from gradviz.document.leaf_kinds import FACTORIES, RANDOM, SHAPED
from gradviz.document.literals import DTYPES, as_floats

# -- plain values: numbers, lists of numbers, the arithmetic that people write in them (`1 / 3`, `2 * math.pi`).
# Computed here and bounded, so that no text can make it slow.

CONSTANTS: Mapping[str, float] = {
    "inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e, "math.inf": math.inf, "math.nan": math.nan,
    "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau,
}  # fmt: skip
_BINARY: Mapping[type[ast.operator], Callable[[complex, complex], complex]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
MOST_BITS = 1024  # of an integer
MOST_EXPONENT = 256
MOST_ITEMS = 10_000


def constant(node: ast.Constant) -> Plain:
    """Return a number, a text, True or None as written."""
    value = node.value
    if value is Ellipsis or isinstance(value, bytes):
        raise refuse(node, "this value can't be drawn. Write a number or a list of numbers.")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise refuse(node, "this number is too large for a tensor.")
    return Plain(value)


def is_number(value: Literal) -> bool:
    """Whether it is a number or a bool."""
    return isinstance(value, bool | int | float | complex)


def unary(node: ast.UnaryOp, value: Literal) -> Plain:
    """Evaluate `-2`, `+2`, `~3`, `not True` for a plain value."""
    if isinstance(node.op, ast.Not):
        return Plain(not value)
    if not is_number(value):
        raise refuse(node, "a sign can't stand before this. Write a number.")
    assert isinstance(value, bool | int | float | complex)
    if isinstance(node.op, ast.Invert):
        if isinstance(value, float | complex):
            raise refuse(node, "~ needs a whole number.")
        return Plain(~int(value))
    return Plain(-value if isinstance(node.op, ast.USub) else +value)


def binary(node: ast.BinOp, left: Literal, right: Literal) -> Plain:
    """Evaluate the arithmetic of two plain numbers."""
    repeated = _repeated(node, left, right)
    if repeated is not None:
        return repeated
    function = _BINARY.get(type(node.op))
    if function is None or not (is_number(left) and is_number(right)):
        raise refuse(node, "this can't be computed beforehand. Write the number.")
    assert isinstance(left, bool | int | float | complex) and isinstance(right, bool | int | float | complex)
    big = isinstance(node.op, ast.Pow) and (abs(right) > MOST_EXPONENT or abs(left) > 2**64)
    try:
        value = None if big else function(left, right)
    except (ArithmeticError, TypeError) as error:
        raise refuse(node, f"Python can't compute this: {error}.") from error
    if value is None or (isinstance(value, int) and value.bit_length() > MOST_BITS):
        raise refuse(node, "this number is too large for a tensor.")
    return Plain(value)


def _repeated(node: ast.BinOp, left: Literal, right: Literal) -> Plain | None:
    """Evaluate `[0.] * 3` and `[1, 2] + [3]`; None for anything else."""
    if isinstance(left, tuple) and isinstance(right, tuple) and isinstance(node.op, ast.Add):
        return Plain(left + right)
    if isinstance(left, int) and isinstance(right, tuple):
        left, right = right, left
    if isinstance(left, tuple) and isinstance(right, int) and isinstance(node.op, ast.Mult):
        if len(left) * right > MOST_ITEMS:
            raise refuse(node, "this list is too long to be written down. Use torch.full.")
        return Plain(left * right)
    return None


def called(node: ast.Call, name: str, values: list[Literal]) -> Plain | None:
    """Evaluate `float("inf")`, `complex(1, 2)`, `int(3.)`; None for any other call."""
    try:
        if name == "float" and len(values) == 1 and isinstance(values[0], str | int | float):
            return Plain(float(values[0]))
        if name == "int" and len(values) == 1 and isinstance(values[0], int | float):
            return Plain(int(values[0]))
        if name == "complex" and len(values) == 2 and all(isinstance(each, int | float) for each in values):
            real, imag = values
            assert isinstance(real, int | float) and isinstance(imag, int | float)
            return Plain(complex(real, imag))
        if name == "math.sqrt" and len(values) == 1 and isinstance(values[0], int | float):
            return Plain(math.sqrt(values[0]))
    except (ValueError, ArithmeticError) as error:
        raise refuse(node, f"Python can't compute this: {error}.") from error
    return None


OTHER_WORDS = {"axis": "dim", "keepdims": "keepdim", "self": "input", "a": "input"}
LEFT_OUT = frozenset({"device", "memory_format", "non_blocking", "copy", "inplace"})  # if they have the usual value


def listed(items: list[Value]) -> Value:
    """Return a list; a plain one if all its items are plain."""
    if all(isinstance(item, Plain) for item in items):
        return Plain(tuple(item.value for item in items if isinstance(item, Plain)))
    return Listed(tuple(items))


def operand(node: ast.AST, what: Value) -> Operand:
    """Return a value as an operand of a port: a tensor, a number, or None for nothing."""
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
    """Return the node of a call with these arguments."""
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
    """Assign the arguments to ports and parameters."""
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


# -- leaves

WRITTEN: Mapping[str, str] = {  # what takes numbers as they are: its dtype
    "tensor": "", "as_tensor": "", "asarray": "", "Tensor": "", "FloatTensor": "", "DoubleTensor": "float64",
    "LongTensor": "int64", "scalar_tensor": "",
}  # fmt: skip
DEEPEST = 16  # dimensions
OPTIONS = ("dtype", "requires_grad", "device", "layout", "pin_memory")


def makes_leaf(path: str) -> bool:
    """Whether a function makes a leaf."""
    return path in WRITTEN or path in FACTORIES


def made_leaf(scope: Scope, node: ast.Call, path: str, values: list[Value], named: dict[str, Value]) -> Ref:
    """Return the leaf of such a call."""
    dtype, requires_grad = _options(node, named)
    if path in WRITTEN:
        data = _numbers(node, path, values, named)
        floats = path in ("Tensor", "FloatTensor", "DoubleTensor")
        return scope.add(Leaf(
            scope.next_id, "", as_floats(data) if floats else data, dtype=dtype or WRITTEN[path],
            requires_grad=requires_grad,
        ))  # fmt: skip
    data = _shape(node, path, values, named) if path in SHAPED else _arguments(node, path, values, named)
    seed = None
    if path in RANDOM:
        seed, scope.seed = scope.seed, None
    return scope.add(Leaf(scope.next_id, "", data, path, seed=seed, dtype=dtype, requires_grad=requires_grad))


def _options(node: ast.Call, named: dict[str, Value]) -> tuple[str, bool]:
    dtype, requires = named.pop("dtype", Plain(None)), named.pop("requires_grad", Plain(False))
    device = named.pop("device", Plain("cpu"))
    for name in OPTIONS:
        named.pop(name, None)
    if device not in (Plain("cpu"), Plain(None)):
        raise refuse(node, "a drawing has its tensors on the CPU only. Leave device out.")
    if not isinstance(dtype, Dtype) and dtype != Plain(None):
        raise refuse(node, "dtype must be one of PyTorch's, such as torch.float64.")
    if not isinstance(requires, Plain):
        raise refuse(node, "requires_grad must be True or False.")
    return (dtype.name if isinstance(dtype, Dtype) and dtype.name in DTYPES else ""), bool(requires.value)


def _plain(node: ast.Call, path: str, value: Value) -> Literal:
    if not isinstance(value, Plain):
        raise refuse(node, f"{path} needs plain numbers here, no tensors.")
    return value.value


def _numbers(node: ast.Call, path: str, values: list[Value], named: dict[str, Value]) -> Literal:
    given = [*values, named.pop("data")] if "data" in named else values
    if len(given) != 1 or named:
        raise refuse(node, f"torch.{path} needs one list of numbers.")
    data = _plain(node, path, given[0])
    _check(node, data)
    return data


def _check(node: ast.Call, data: Literal) -> None:
    """Refuse what is not an array: a text, or lists of different lengths."""
    rows: list[Literal] = [data]
    dims = 0
    while any(isinstance(row, tuple) for row in rows):
        dims += 1
        if dims > DEEPEST:
            raise refuse(node, f"a tensor of a drawing has {DEEPEST} dimensions at most.")
        lengths = {len(row) if isinstance(row, tuple) else -1 for row in rows}
        if len(lengths) > 1:
            raise refuse(node, "these lists have different lengths. Give each row as many numbers.")
        rows = [each for row in rows if isinstance(row, tuple) for each in row]
    if not all(is_number(each) for each in rows):
        raise refuse(node, "a tensor holds numbers only. Leave out what is none.")


def _shape(node: ast.Call, path: str, values: list[Value], named: dict[str, Value]) -> Literal:
    if "size" in named:
        values = [*values, named.pop("size")]
    if named:
        raise refuse(node, f"{path} can't have {next(iter(named))} in a drawing. Leave it out.")
    sizes = [_plain(node, path, value) for value in values]
    if len(sizes) == 1 and isinstance(sizes[0], tuple):
        sizes = list(sizes[0])
    if not all(isinstance(size, int) for size in sizes):
        raise refuse(node, f"{path} needs whole numbers as its shape.")
    return tuple(sizes)


def _arguments(node: ast.Call, path: str, values: list[Value], named: dict[str, Value]) -> Literal:
    order = FACTORIES[path].arguments
    given: list[Literal] = [_plain(node, path, value) for value in values]
    if path == "arange" and not given and "start" not in named:
        order = ("end",)
    if path == "randint" and "low" not in named and len(given) + len(named) == 2:
        order = ("high", "size")
    for name in order[len(given) :]:
        if name in named:
            given.append(_plain(node, path, named.pop(name)))
        elif named:
            break
    if named:
        raise refuse(node, f"{path} can't have {next(iter(named))} in a drawing. Leave it out.")
    if not given or len(given) > len(order):
        raise refuse(node, f"{path} takes {', '.join(order)}.")
    return tuple(given)
