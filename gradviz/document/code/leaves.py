"""Reading what makes a leaf: `torch.tensor([...])`, the factories, `nn.Parameter`. Other calls are in `calls`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gradviz.document.code.plain import is_number
from gradviz.document.code.scope import Dtype, Plain, Scope, Value, refuse
from gradviz.document.drawing import Leaf, Literal, Ref
from gradviz.document.factories import FACTORIES, RANDOM, SHAPED
from gradviz.document.literals import DTYPES, as_floats

WRITTEN: Mapping[str, str] = {  # what takes numbers as they are: its dtype
    "tensor": "", "as_tensor": "", "asarray": "", "Tensor": "", "FloatTensor": "", "DoubleTensor": "float64",
    "LongTensor": "int64", "scalar_tensor": "",
}  # fmt: skip
DEEPEST = 16  # dimensions
OPTIONS = ("dtype", "requires_grad", "device", "layout", "pin_memory")


def is_maker(path: str) -> bool:
    """True for a function that makes a leaf."""
    return path in WRITTEN or path in FACTORIES


def make(scope: Scope, node: ast.Call, path: str, values: list[Value], named: dict[str, Value]) -> Ref:
    """The leaf of such a call."""
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
    """Refuse what is no array: a text, or lists of different lengths."""
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
