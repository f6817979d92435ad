"""What a leaf and a parameter may contain: plain numbers, lists of them in regular rows, the arguments of a factory.
Refuses with a sentence what PyTorch would not accept; knows nothing of nodes and wires."""

from __future__ import annotations

from itertools import chain

from gradviz.document.catalogue import Parameter
from gradviz.document.drawing import Leaf, Literal
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import FACTORIES, SHAPED
from gradviz.lists import quantity

MOST = 50_000  # numbers that are written down (a 200 × 200 matrix fits); a factory makes more
DIFFERENTIABLE = frozenset({"float64", "float32", "float16", "bfloat16", "complex64", "complex128", "double", "float"})


def check_leaf(leaf: Leaf) -> Leaf:
    """Return the leaf, if PyTorch could make it."""
    if leaf.maker == "tensor":
        check_numbers(leaf.data)
    else:
        _check_factory(leaf)
    if leaf.requires_grad and not is_differentiable(leaf):
        now = f"has dtype {leaf.dtype}" if leaf.dtype else "holds whole numbers"
        raise UserError(f"Only floating point numbers can have a gradient, and {leaf.name} {now}; choose float32.")
    if leaf.slider is not None and not leaf.slider[0] < leaf.slider[1]:
        raise UserError("The slider's least value must be below its greatest; change one of them.")
    if leaf.seed is not None and not 0 <= leaf.seed < 2**63:
        raise UserError("A seed is a whole number from 0 to 2**63 - 1; choose another.")
    return leaf


def _check_factory(leaf: Leaf) -> None:
    if leaf.maker not in FACTORIES:
        raise UserError(f"There is no factory '{leaf.maker}'; choose one such as randn, zeros or arange.")
    sizes = leaf.data if isinstance(leaf.data, tuple) else (leaf.data,)
    if leaf.maker in SHAPED or leaf.maker == "eye":
        for size in sizes:
            if isinstance(size, bool) or not isinstance(size, int) or size < 0:
                raise UserError(f"A shape is made of whole numbers such as (2, 3), and {text(size)} is none.")


def is_differentiable(leaf: Leaf) -> bool:
    """Whether it has floating point (or complex) numbers and can get a gradient."""
    if leaf.dtype:
        return leaf.dtype in DIFFERENTIABLE
    if leaf.maker in ("randint", "randperm"):
        return False
    if leaf.maker == "tensor":
        return _has_fraction(leaf.data)
    if leaf.maker in ("arange", "full"):
        return _has_fraction(leaf.data)
    return True


def _has_fraction(data: Literal) -> bool:
    """Whether PyTorch makes floating point (or complex) numbers of these; it does of an empty list."""
    numbers = flat(data)
    return not numbers or any(isinstance(number, float | complex) for number in numbers)


def flat(data: Literal) -> list[Literal]:
    """Return all numbers, row by row."""
    level: list[Literal] = [data]
    while tuple in set(map(type, level)):
        level = list(chain.from_iterable(item if isinstance(item, tuple) else (item,) for item in level))
    return level


def check_numbers(data: Literal) -> tuple[int, ...]:
    """Return the shape of numbers in regular rows; refuses other values and irregular rows."""
    shape: list[int] = []
    level: list[Literal] = [data]
    while any(isinstance(item, tuple) for item in level):
        first = next(item for item in level if isinstance(item, tuple))
        for at, item in enumerate(level):
            if not isinstance(item, tuple):
                raise UserError(f"Row {at + 1} is the number {text(item)} among rows; write all of them as rows.")
            if len(item) != len(first):
                numbers = f"{quantity(len(item), 'number')}, another has {len(first)}"
                raise UserError(f"Row {at + 1} has {numbers}; give all rows the same length.")
        shape.append(len(first))
        level = [inner for item in level if isinstance(item, tuple) for inner in item]
        if len(level) > MOST:
            raise UserError(f"A leaf may hold {MOST:,} written numbers at most; use randn or zeros for a large one.")
    for item in level:
        if not isinstance(item, bool | int | float | complex):
            raise UserError(f"{text(item)} is no number; write numbers such as 1.5 or -2.")
    return tuple(shape)


def text(value: Literal) -> str:
    """Return a value as Python writes it, shortened."""
    written = repr(value)
    return written if len(written) <= 40 else written[:39] + "…"


def check_argument(parameter: Parameter, value: Literal, operation: str) -> Literal:
    """Return the value for a parameter; refuses one of the wrong kind."""
    if value is None and (parameter.optional or parameter.default is None):
        return None
    if isinstance(value, str) and value in parameter.choices:
        return value
    kinds = {
        "int": (_whole, "a whole number such as 2"),
        "dim": (_whole, "a whole number such as 0 or -1"),
        "float": (_real, "a number such as 0.5"),
        "number": (_number, "a number such as 0.5"),
        "bool": (_yes_or_no, "True or False"),
        "dims": (_wholes, "a whole number or several, such as 1 or (0, 1)"),
        "ints": (_wholes, "a whole number or several, such as 2 or (2, 3)"),
        "shape": (_wholes, "whole numbers such as (2, 3)"),
        "numbers": (_numbers, "a number or several, such as 2 or (1, 2)"),
        "text": (_text, "a text"),
        "index": (_text, "an index such as 0, 1:3"),
        "dtype": (_text, "a dtype such as float64"),
        "choice": (_text, "one of the choices"),
    }
    fits, wanted = kinds.get(parameter.kind, (_anything, ""))
    if not fits(value):
        raise UserError(f"{parameter.name} of {operation} is {wanted}, and {text(value)} is not.")
    if parameter.kind == "choice" and parameter.choices and value not in parameter.choices:
        raise UserError(f"{parameter.name} of {operation} is one of {', '.join(parameter.choices)}, not {value}.")
    return value


def _anything(value: Literal) -> bool:
    return True


def _whole(value: Literal) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _real(value: Literal) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Literal) -> bool:
    return isinstance(value, bool | int | float | complex)


def _yes_or_no(value: Literal) -> bool:
    return isinstance(value, bool)


def _wholes(value: Literal) -> bool:
    return _whole(value) or (isinstance(value, tuple) and all(map(_whole, value)))


def _numbers(value: Literal) -> bool:
    return _number(value) or (isinstance(value, tuple) and all(map(_numbers, value)))


def _text(value: Literal) -> bool:
    return isinstance(value, str)
