"""What a person types for an argument of an operation, a factory or a backward call, by the kind of the parameter, and
how it is shown. `shaping.values` checks whether the operation takes it; numbers are read in `typed_numbers`."""

from __future__ import annotations

import re
from collections.abc import Callable

from gradviz.document.catalogue import Parameter
from gradviz.document.code.spelling import index_text
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.queries import label
from gradviz.document.typed_numbers import quoted, read_number, read_numbers, write

LISTS = ("dims", "ints", "shape")  # kinds written without brackets


def read_argument(parameter: Parameter, text: str) -> Literal:
    """Read a value; nothing means the default. Raises UserError if it is invalid."""
    word = text.strip()
    if not word:
        if parameter.required:
            raise UserError(f"{parameter.name} is needed; type {WANTED.get(parameter.kind, 'a value')}.")
        return parameter.default
    bare = word.strip("'\"")
    if bare in parameter.choices:
        return bare
    if word == "None" and (parameter.optional or (parameter.default is None and not parameter.required)):
        return None
    return READERS.get(parameter.kind, _text)(parameter, word)


def write_argument(parameter: Parameter, value: Literal) -> str:
    """Return the value as it is typed."""
    if value is None:
        return "None"
    if parameter.kind in LISTS and isinstance(value, tuple):
        return ", ".join(map(write, value))
    return write(value)


def _whole(parameter: Parameter, text: str) -> Literal:
    value = read_number(text) if re.fullmatch(r"[+\-−]?[\d_]+", text) else None
    if not isinstance(value, int):
        raise UserError(f"{parameter.name} is {WANTED['int']}, and {quoted(text)} is not.")
    return value


def _real(parameter: Parameter, text: str) -> Literal:
    value = read_number(text)
    if isinstance(value, bool | complex):
        raise UserError(f"{parameter.name} is {WANTED['float']}, and {quoted(text)} is not.")
    return float(value)


def _number(parameter: Parameter, text: str) -> Literal:
    return read_number(text)


def _wholes(parameter: Parameter, text: str) -> Literal:
    """Read `2, 3`, `(2, 3)`, `2×3` or a single integer."""
    inner = text.strip("()[] ")
    words = [word for word in re.split(r"\s*[,×x]\s*|\s+", inner) if word]
    values = tuple(_whole(parameter, word) for word in words)
    if len(values) == 1 and inner == text and parameter.kind != "shape":
        return values[0]
    return values


def _numbers(parameter: Parameter, text: str) -> Literal:
    return read_numbers(text)


def _text(parameter: Parameter, text: str) -> Literal:
    if parameter.kind == "choice":
        raise UserError(f"{parameter.name} is one of {', '.join(parameter.choices)}.")
    return text.strip("'\"")


def _index(parameter: Parameter, text: str) -> Literal:
    """Read what is in the brackets of `x[…]`."""
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") and "]" not in text[1:-1] else text
    if index_text(inner) is None:
        raise UserError(f"{quoted(text)} is no index. Type one such as 0, :, 0 or 1:3, and _ for a wired tensor.")
    return inner


READERS: dict[str, Callable[[Parameter, str], Literal]] = {
    **{"int": _whole, "dim": _whole, "float": _real, "number": _number, "dims": _wholes, "ints": _wholes},
    **{"shape": _wholes, "numbers": _numbers, "text": _text, "choice": _text, "dtype": _text, "index": _index},
}
WANTED = {
    "int": "a whole number such as 2",
    "dim": "a dimension such as 0 or -1",
    "float": "a number such as 0.5",
    "number": "a number such as 0.5",
    "dims": "dimensions such as 0, 1",
    "ints": "whole numbers such as 2, 3",
    "shape": "a shape such as 2, 3",
    "numbers": "numbers such as 1, 2",
    "index": "an index such as 0 or :, 1; _ is a wired tensor",
}


# -- the options of a backward call


def root_name(drawing: Drawing, root: Ref) -> str:
    """Return the name of what backward is called on."""
    node = drawing.by_id.get(root.node)
    if node is None:
        return "?"
    names = (node.name,) if isinstance(node, Leaf) else node.names
    return names[root.output] if root.output < len(names) else label(drawing, root.node)


def read_gradient(text: str) -> Literal:
    """Read `gradient=`: None, a number, or numbers with or without brackets."""
    text = text.strip()
    if text in ("", "None"):
        return None
    return read_numbers(text)


def write_gradient(call: BackwardCall) -> str:
    """Return it as text, "" for None."""
    return "" if call.gradient is None else write(call.gradient)


def read_inputs(drawing: Drawing, text: str) -> tuple[int, ...] | None:
    """Read `inputs=`: names of leaves; nothing, `all` or `None` for all of them."""
    words = text.replace("[", " ").replace("]", " ").replace(",", " ").split()
    if words in ([], ["all"], ["None"]):
        return None
    leaves = {node.name: node.id for node in drawing.nodes if isinstance(node, Leaf)}
    unknown = next((word for word in words if word not in leaves), None)
    if unknown is not None:
        some = ", ".join(list(leaves)[:2])
        raise UserError(f"There is no leaf {quoted(unknown)}. Type names of leaves such as {some}.")
    return tuple(dict.fromkeys(leaves[word] for word in words))


def write_inputs(drawing: Drawing, call: BackwardCall) -> str:
    """Return it as text, "" for all."""
    return ", ".join(label(drawing, id) for id in call.inputs or () if id in drawing.by_id)
