"""In a product, which element of the other operand a local derivative is: the row and column that meet in a matrix
product, or the element at the same position in an elementwise product. An element is named only if it equals the
derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.trace.words.elements import agree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.values import Value

    Cells = NDArray[np.int64]

Shape = tuple[int, ...]
# The slots of the two factors, and whether these are batches, matrices or vectors.
_PRODUCTS = {
    "mm": (0, 1, "ik,kj"),
    "addmm": (1, 2, "ik,kj"),
    "bmm": (0, 1, "nik,nkj"),
    "baddbmm": (1, 2, "nik,nkj"),
    "mv": (0, 1, "ik,k"),
    "addmv": (1, 2, "ik,k"),
    "dot": (0, 1, "k,k"),
}
_WINDOWS = {"convolution": (0, 1)}


def factors_of(op: str) -> tuple[int, int] | None:
    """The slots of the two operands whose elements an operation multiplies in pairs."""
    found = _PRODUCTS.get(op)
    return _WINDOWS.get(op) if found is None else found[:2]


def window(shape: Shape, cells: Cells) -> Cells:
    """The smallest block of a tensor that contains all these elements."""
    if not len(cells):
        return cells
    places = np.unravel_index(cells, shape)
    block = np.ix_(*(np.arange(at.min(), at.max() + 1) for at in places))
    numbers = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    return np.ravel(numbers[block])


def lines(op: str, first: Shape, second: Shape, place: Sequence[int]) -> tuple[Cells, Cells]:
    """The row of the first and the column of the second operand that make the element at a position of the product."""
    left, right = _PRODUCTS[op][2].split(",")
    at = dict(zip(_result(left, right), place, strict=True))
    return _cells(left, first, at), _cells(right, second, at)


def gradient_lines(op: str, slot: int, shapes: tuple[Shape, Shape, Shape], place: Sequence[int]) -> tuple[Cells, Cells]:
    """What meets in the gradient of an element of the first or second operand: elements of the incoming gradient and of
    the other operand. `shapes` are those of the result and of both operands."""
    result, first, second = shapes
    left, right = _PRODUCTS[op][2].split(",")
    mine, other, its = (left, right, second) if slot == _PRODUCTS[op][0] else (right, left, first)
    at = dict(zip(mine, place, strict=True))
    return _cells(_result(left, right), result, at), _cells(other, its, at)


def _result(left: str, right: str) -> str:
    return "".join(dict.fromkeys((left + right).replace("k", "")))


def _cells(letters: str, shape: Shape, at: dict[str, int]) -> Cells:
    """The elements of a tensor at which the given index letters have these values, in reading order."""
    numbers = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    found: Any = numbers[tuple(at.get(letter, slice(None)) for letter in letters)]
    return np.atleast_1d(found).reshape(-1)


def are_factors(value: Value | None, cells: Cells, derivatives: dict[int, complex | float], given: Cells) -> bool:
    """Whether these elements are the derivatives, by the positions of what they are multiplied by; positions that are
    not mentioned have derivative 0."""
    if value is None or value.array is None or len(cells) != len(given):
        return False
    numbers = value.array.reshape(-1)[cells].tolist()
    return all(agree(one, derivatives.get(at, 0.0)) for at, one in zip(given.tolist(), numbers, strict=True))
