"""Numbers in rows and columns as a person types and changes them. Reads one number, a table from a spreadsheet or a CSV
file, an array as NumPy, PyTorch, JSON or MATLAB writes it, and writes numbers back. Nothing is computed: `2*3` is
refused. Text that is not a number is refused with a sentence that says where. What arrays are allowed is in
`shaping.values`.

Changes are pure functions from nested tuples to nested tuples: cells, rows, columns, blocks, slices of more dimensions,
other shapes. This module does not know which leaf the numbers belong to."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from math import prod

from gradviz.document.drawing import Literal
from gradviz.document.errors import UserError
from gradviz.document.shaping.values import check_numbers, flat

Value = bool | int | float | complex
Rows = tuple[tuple[Value, ...], ...]

LONGEST = 60  # characters of one number
DEEPEST = 16  # dimensions
SHOWN = 24  # characters of what was typed that are quoted in a sentence
WORDS: dict[str, Value] = {
    **dict.fromkeys(("true", "True"), True),
    **dict.fromkeys(("false", "False"), False),
    **dict.fromkeys(("∞", "+∞", "infinity", "Infinity"), math.inf),
    **dict.fromkeys(("-∞", "-infinity", "-Infinity"), -math.inf),
}
WRAPPED = re.compile(r"(?:[A-Za-z_]\w*\s*=\s*)?(?:[A-Za-z_]\w*\.)*(?:tensor|array|asarray|Parameter)\s*\((.*)\)", re.S)
ARGUMENT = re.compile(r",\s*(dtype|requires_grad|device|grad_fn)\s*=\s*(<[^>]*>|[^,]+?)\s*$", re.S)
TOKEN = re.compile(r"\([^()\[\],\s]*[jJ]\)|[\[\](),]|[^\s\[\](),]+")


@dataclass(frozen=True)
class Typed:
    """What was read. `is_array`: it was written as a complete array, with brackets; otherwise it is a part of a
    table."""

    data: Literal
    is_array: bool
    dtype: str = ""
    requires_grad: bool | None = None

    @property
    def rows(self) -> Rows | None:
        """Return it as rows and columns; None for more than two dimensions."""
        data = self.data if isinstance(self.data, tuple) else (self.data,)
        table = data if data and isinstance(data[0], tuple) else (data,)
        if any(isinstance(cell, tuple) for row in table if isinstance(row, tuple) for cell in row):
            return None
        return table  # type: ignore[return-value]


def quoted(text: str) -> str:
    """Quote a piece of what was typed in a sentence."""
    short = " ".join(text.split())
    return f"“{short if len(short) <= SHOWN else short[: SHOWN - 1] + '…'}”"


def read_number(text: str) -> Value:
    """Read one number, as Python writes it, or `inf`, `nan`, `True`."""
    word = text.strip().replace("−", "-")
    if word in WORDS:
        return WORDS[word]
    if not word:
        raise UserError("Type a number such as 0.5, -2 or 1e-3.")
    if len(word) <= LONGEST:
        for kind in (int, float, complex):
            try:
                value = kind(word.strip("()") if kind is complex else word)
            except ValueError:
                continue
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise UserError(f"{quoted(text)} is too large for a whole number; write it as 1e20.")
            return value
    if re.fullmatch(r"[+-]?\d+,\d+", word):
        raise UserError(f"Write {quoted(text)} with a point: {word.replace(',', '.')}.")
    raise UserError(f"{quoted(text)} is no number. Type one such as 0.5, 1e-3 or inf.")


def write_number(value: Value) -> str:
    """Return a number as it is shown and typed."""
    return repr(value).strip("()")


def write(value: Literal) -> str:
    """Return a value as it is shown and typed in one line."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(write, value))}]"
    return value if isinstance(value, str) or value is None else write_number(value)  # type: ignore[return-value]


def read(text: str) -> Typed:
    """Read a number, a table or an array."""
    stripped = text.strip()
    if not stripped:
        raise UserError("There is nothing to read. Type a number, or [1, 2, 3].")
    if "..." in stripped or "…" in stripped:
        raise UserError("This array was printed in short, with “...” in it. Print all of it, then paste it again.")
    wrapped = WRAPPED.fullmatch(stripped)
    if wrapped is not None:
        return _wrapped(wrapped[1])
    if stripped[0] in "[(" and not re.fullmatch(r"\([^()\s,]*[jJ]\)", stripped):
        return Typed(_nested(stripped), True)
    return _table(text)


def read_numbers(text: str) -> Literal:
    """Read a number, or several with or without brackets around them."""
    return read(text if text[0] in "[(" or "," not in text else f"[{text}]").data


def _wrapped(inside: str) -> Typed:
    """Return the inside of `tensor(…)`: the numbers, without the keyword arguments."""
    dtype, requires_grad = "", None
    while (found := ARGUMENT.search(inside)) is not None:
        inside = inside[: found.start()]
        said = found[2].strip("'\"")
        if found[1] == "dtype":
            dtype = said.rpartition(".")[2]
        elif found[1] == "requires_grad":
            requires_grad = said == "True"
        elif found[1] == "grad_fn":
            requires_grad = True
    inside = inside.strip().rstrip(",")
    data = _nested(inside) if inside[:1] in ("[", "(") else read_number(inside)
    return Typed(data, True, dtype, requires_grad)


def _nested(text: str) -> Literal:
    """Read nested brackets, with commas or blanks between; semicolons may end rows."""
    if ";" in text:
        rows = text.strip("[]() \n").split(";")
        text = f"[{','.join(f'[{row}]' for row in rows if row.strip())}]"
    open_lists: list[list[Literal]] = [[]]
    for token in TOKEN.findall(text):
        if token in "[(":
            open_lists.append([])
            if len(open_lists) > DEEPEST + 1:
                raise UserError(f"These are more than {DEEPEST} brackets in each other; write fewer dimensions.")
        elif token in "])":
            if len(open_lists) < 2:
                raise UserError("There is a closing bracket too many; take it away or open another one.")
            done = tuple(open_lists.pop())
            open_lists[-1].append(done)
        elif token != ",":
            open_lists[-1].append(read_number(token))
    if len(open_lists) > 1:
        raise UserError("A bracket is not closed; write ] at the end.")
    if len(open_lists[0]) != 1 or not isinstance(open_lists[0][0], tuple):
        raise UserError("Write one array, with one bracket around all of it.")
    _check_even(open_lists[0][0])
    return open_lists[0][0]


def _check_even(data: tuple[Literal, ...]) -> None:
    check_numbers(data)


def _table(text: str) -> Typed:
    """Read lines with tabs, semicolons, commas or blanks between the numbers; one line is a vector."""
    lines = [line for line in text.replace("\r", "\n").strip("\n").split("\n") if line.strip()]
    mark = next((mark for mark in "\t;," if any(mark in line for line in lines)), None)
    rows: list[tuple[Value, ...]] = []
    for number, line in enumerate(lines, 1):
        cells = line.split() if mark is None else line.rstrip(f"{mark} ").split(mark)
        rows.append(tuple(_cell(cell, mark, number, at) for at, cell in enumerate(cells, 1)))
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise UserError(f"Line {number} has {len(row)} numbers and line 1 has {len(rows[0])}; make them equal.")
    if len(rows) == 1:
        return Typed(rows[0][0] if len(rows[0]) == 1 else rows[0], False)
    return Typed(tuple(rows), False)


def _cell(cell: str, mark: str | None, line: int, column: int) -> Value:
    word = cell.strip().strip('"')
    if mark in (";", "\t") and re.fullmatch(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?", word):
        word = word.replace(",", ".")
    try:
        return read_number(word)
    except UserError as error:
        if not word:
            raise UserError(f"Line {line} has no number in column {column}; write 0 there.") from None
        if mark is None and line == column == 1:
            raise
        raise UserError(f"Line {line}, column {column}: {error}") from None


# --- Changes in rows and columns ---

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
