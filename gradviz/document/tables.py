"""Changes of numbers in rows and columns, as pure functions from nested tuples to nested tuples: cells, rows, columns,
blocks, slices of more dimensions, other shapes. Typed input is read in `typed_numbers`; this module does not know which
leaf the numbers belong to."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from math import prod

from gradviz.document.drawing import Literal
from gradviz.document.errors import UserError
from gradviz.document.shaping.values import flat
from gradviz.document.typed_numbers import Rows, Value, write_number

Cell = tuple[int, int]


def shape_of(data: Literal) -> tuple[int, ...]:
    """Return the lengths of regular nested rows."""
    shape: list[int] = []
    while isinstance(data, tuple):
        shape.append(len(data))
        data = data[0] if data else None
    return tuple(shape)


MOST_ROWS, MOST_COLUMNS = 5, 5  # of a table of numbers on a card


def table_of(shape: Sequence[int]) -> tuple[int, int] | None:
    """Rows and columns of an array that a card shows as its numbers, one matrix or vector; None if it is too large, or
    if there are several matrices."""
    long = [size for size in shape if size != 1]
    rows, columns = long if len(long) == 2 else (prod(shape[:-1]), shape[-1] if shape else 1)
    few = rows * columns > 1 and rows <= MOST_ROWS and columns <= MOST_COLUMNS
    return (rows, columns) if few and len(long) <= 2 else None


def shaped(numbers: Sequence[Literal], shape: Sequence[int]) -> Literal:
    """Return these numbers, row by row, in this shape."""
    level = list(numbers)
    for size in reversed(shape[1:]):
        level = [tuple(level[at : at + size]) for at in range(0, len(level), size)] if size else [()] * prod(shape[:-1])
    return tuple(level) if shape else level[0]


def resized(data: Literal, shape: tuple[int, ...], fill: Value) -> Literal:
    """Return the numbers in another shape: those in both stay, the rest is filled. A shape with the same number of
    elements in other dimensions takes them row by row."""
    old, numbers = shape_of(data), flat(data)
    if len(old) != len(shape):
        count = prod(shape)
        return shaped((numbers + [fill] * count)[:count], shape)
    steps = [prod(old[at + 1 :]) for at in range(len(old))]
    places: list[int] = [0]  # for each number of the new shape its index in the old one, -1 if it has none
    for size, was, step in zip(shape, old, steps, strict=True):
        places = [place + step * at if place >= 0 and at < was else -1 for place in places for at in range(size)]
    return shaped([numbers[place] if place >= 0 else fill for place in places], shape)


def with_cells(rows: Rows, cells: Iterable[Cell], value: Value) -> Rows:
    """Put the same number into these cells."""
    chosen: dict[int, set[int]] = {}
    for row, column in cells:
        chosen.setdefault(row, set()).add(column)
    return tuple(
        tuple(value if at in chosen[number] else old for at, old in enumerate(row)) if number in chosen else row
        for number, row in enumerate(rows)
    )


def with_block(rows: Rows, block: Rows, at: Cell, fill: Value) -> Rows:
    """Put a block of numbers at this cell; the table grows if necessary."""
    height = max(len(rows), at[0] + len(block))
    width = max(len(rows[0]) if rows else 0, at[1] + len(block[0]))
    result = [[*row, *[fill] * (width - len(row))] for row in rows]
    result += [[fill] * width for _ in range(height - len(rows))]
    for number, row in enumerate(block, at[0]):
        result[number][at[1] : at[1] + len(row)] = row
    return tuple(map(tuple, result))


def with_row(rows: Rows, at: int, fill: Value) -> Rows:
    """Insert a row before the row `at`."""
    return (*rows[:at], (fill,) * (len(rows[0]) if rows else 1), *rows[at:])


def with_column(rows: Rows, at: int, fill: Value) -> Rows:
    """Insert a column before the column `at`."""
    return tuple((*row[:at], fill, *row[at:]) for row in rows)


def without_rows(rows: Rows, gone: Container[int]) -> Rows:
    """Remove rows, but not the last one."""
    left = tuple(row for at, row in enumerate(rows) if at not in gone)
    if not left:
        raise UserError("A matrix keeps one row at least; choose another kind of leaf instead.")
    return left


def without_columns(rows: Rows, gone: Container[int]) -> Rows:
    """Remove columns, but not the last one."""
    left = tuple(tuple(cell for at, cell in enumerate(row) if at not in gone) for row in rows)
    if not left or not left[0]:
        raise UserError("A table keeps one column at least; choose another kind of leaf instead.")
    return left


def transposed(rows: Rows) -> Rows:
    """Transpose."""
    return tuple(zip(*rows, strict=True))


def slice_of(data: Literal, index: Sequence[int]) -> Rows:
    """Return the rows and columns of one slice; a vector is one row, a number one cell."""
    for at in index:
        assert isinstance(data, tuple)
        data = data[at]
    if not isinstance(data, tuple):
        return ((data,),)  # type: ignore[return-value]
    return data if data and isinstance(data[0], tuple) else (data,)  # type: ignore[return-value]


def with_slice(data: Literal, index: Sequence[int], rows: Rows) -> Literal:
    """Return the data with other rows in one slice."""
    depth = len(shape_of(data)) - len(index)
    inner: Literal = rows if depth >= 2 else rows[0] if depth == 1 else rows[0][0]
    around: list[tuple[Literal, ...]] = []
    for at in index:
        assert isinstance(data, tuple)
        around.append(data)
        data = data[at]
    for outer, at in zip(reversed(around), reversed(index), strict=True):
        inner = (*outer[:at], inner, *outer[at + 1 :])
    return inner


def tabbed(rows: Iterable[Iterable[Value]]) -> str:
    """Return cells as tab-separated text for a spreadsheet."""
    return "\n".join("\t".join(map(write_number, row)) for row in rows)
