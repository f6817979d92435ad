"""How a table or a column is written, in pandas' form: numbers with six digits, of which those that no number needs are
left out, long and wide tables without their middle. Next: `tables`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from gradviz.engine.kernel.dtypes import Array

_DIGITS = 6
_LONGEST, _SHOWN = 60, 5  # rows of a whole table; rows at each end of a longer one
_WIDEST = 80  # characters of a line
NOT_WHOLE = (
    "Cannot convert non-finite values (NA or inf) to integer. Replace or remove non-finite values or cast to an "
    "integer type that supports these values (e.g. 'Int64')"
)


def name_of_type(data: Array) -> str:
    """Return pandas' name for what a column holds."""
    return "str" if data.dtype.kind == "U" else str(data.dtype)


def text_of_table(columns: Mapping[object, Array], index: Array, title: str = "") -> str:
    """Return a table as text; `title` is what its index is called."""
    count = len(index)
    if not columns or not count:
        return f"Empty DataFrame\nColumns: [{', '.join(map(str, columns))}]\nIndex: []"
    short = count > _LONGEST
    labels = ["", title, *_labels(index, short)] if title else ["", *_labels(index, short)]
    width = max(map(len, labels))
    pieces = [_piece(name, data, short, bool(title)) for name, data in columns.items()]
    kept = _fitting([width, *(len(piece[0]) for piece in pieces)])
    if kept < len(pieces):
        pieces = [*pieces[: kept // 2], [" ..."] * len(labels), *pieces[len(pieces) - kept // 2 :]]
    text = "\n".join(" ".join([label.ljust(width), *cells]) for label, *cells in zip(labels, *pieces, strict=True))
    return f"{text}\n\n[{count} rows x {len(columns)} columns]" if short or kept < len(columns) else text


def _piece(name: object, data: Array, short: bool, titled: bool) -> list[str]:
    """Return the lines of one column, its name first."""
    head = str(name) if data.dtype.kind in "UO" else f" {name}"
    cells = _justified([head, *_cells(_ends(data, short))], short)
    return [cells[0], " " * len(cells[0]), *cells[1:]] if titled else cells


def _fitting(widths: list[int]) -> int:
    """Return how many columns are shown: one after the other is left out of the middle until the rest fits a line."""
    over = sum(widths) + len(widths) - 1 - _WIDEST + 1
    while over > 0 and len(widths) > 1:
        over -= widths.pop(round(len(widths) / 2)) + 1
    return max(len(widths) - 1, 2)


def text_of_column(data: Array, index: Array, name: object, title: str = "") -> str:
    """Return a column as text; `title` is what its index is called."""
    kind = name_of_type(data)
    called = "" if name is None else f"Name: {name}, "
    if not len(data):
        return f"Series([], {called}dtype: {kind})"
    short = len(data) > _LONGEST
    cells = _justified(_cells(_ends(data, short)), False)
    labels = _labels(index, short, "")
    if short:
        cells.insert(_SHOWN, ("..." if len(cells[0]) > 3 else "..").center(len(cells[0])))
    lines = [f"{label}   {cell}" for label, cell in zip(labels, cells, strict=True)]
    length = f"Length: {len(data)}, " if short else ""
    return "\n".join([*([title] if title else []), *lines, f"{called}{length}dtype: {kind}"])


def text_of_facts(columns: Mapping[object, tuple[Array, Array]], index: Array) -> str:
    """Return the type of each column, and how many cells are not missing, as text; with each column, which are."""
    count, whole = len(index), index.dtype.kind in "iu" and bool((np.diff(index) == 1).all())
    heads = [" #", "Column", "Non-Null Count", "Dtype"]
    rows = [heads, ["---", *("-" * len(each) for each in heads[1:])]]
    for at, (name, (data, gone)) in enumerate(columns.items()):
        rows.append([f" {at}", str(name), f"{count - gone.sum()} non-null", name_of_type(data)])
    widths = [max(3, *(len(row[0]) for row in rows)), *(max(len(row[at]) for row in rows) for at in (1, 2, 3))]
    kinds = Counter(name_of_type(data) for data, _ in columns.values())
    held = sum(8 if data.dtype.kind == "U" else data.dtype.itemsize for data, _ in columns.values()) * count
    held += 132 if whole else 8 * count
    return "\n".join(
        [
            "<class 'pandas.DataFrame'>",
            f"{'RangeIndex' if whole else 'Index'}: {count} entries"
            + (f", {index[0]} to {index[-1]}" if count else ""),
            f"Data columns (total {len(columns)} columns):",
            *("  ".join(each.ljust(width) for each, width in zip(row, widths, strict=True)) for row in rows),
            f"dtypes: {', '.join(f'{kind}({number})' for kind, number in sorted(kinds.items()))}",
            f"memory usage: {f'{held:.1f} bytes' if held < 1024 else f'{held / 1024:.1f} KB'}\n",
        ]
    )


def text_of_labels(labels: Sequence[object]) -> str:
    """Return the names of columns as text."""
    kind = "str" if all(type(each) is str for each in labels) else str(np.array(labels).dtype)
    lines, line = [], "Index(["
    for at, each in enumerate(labels):
        part = f"{each!r}, " if at < len(labels) - 1 else f"{each!r}]"
        if len(line + part.rstrip()) > _WIDEST - 1 and line.strip() != "Index([":
            lines.append(line.rstrip())
            line = " " * 7
        line += part
    wrapped = bool(lines) or len(f"{line}, dtype='{kind}')") > _WIDEST
    return "\n".join([*lines, f"{line},{chr(10) + ' ' * 5 if wrapped else ''} dtype='{kind}')"])


def _ends(data: Array, short: bool) -> Array:
    return np.concatenate([data[:_SHOWN], data[-_SHOWN:]]) if short else data


def _labels(index: Array, short: bool, dots: str | None = None) -> list[str]:
    found = [str(each) for each in _ends(index, short).tolist()]
    if short:
        found.insert(_SHOWN, dots if dots is not None else "..." if max(map(len, found)) > 3 else "..")
    width = max(map(len, found))
    return [each.ljust(width) for each in found]


def _justified(cells: list[str], short: bool) -> list[str]:
    """Return cells of one width, the name of the column first; `short` with dots in place of the middle."""
    width = max(map(len, cells))
    found = [each.rjust(width) for each in cells]
    if short:
        found.insert(_SHOWN + 1, ("..." if width > 3 else "..").rjust(width))
    return found


def _cells(data: Array) -> list[str]:
    """Return each cell with room for a sign."""
    if data.dtype.kind == "f":
        return _floats(data)
    return [f"{each: d}" if data.dtype.kind in "iu" else f" {_text(each)}" for each in data.tolist()]


def _text(value: object) -> str:
    if value == "nan" or value != value:
        return "NaN"
    return _floats(np.array([value]))[0].strip() if type(value) is float else str(value)


def _floats(data: Array) -> list[str]:
    known = np.abs(data[np.isfinite(data)])
    fixed = [f"{each: .{_DIGITS}f}" for each in data.tolist()]
    tiny = ((known < 10.0**-_DIGITS) & (known > 0)).any()
    if tiny or ((known > 1e6).any() and max(map(len, fixed)) > 2 * _DIGITS):
        fixed = [f"{each: .{_DIGITS}e}" for each in data.tolist()]
    elif len(known):
        spare = min(len(each) - len(each.rstrip("0")) for each in fixed if "." in each)
        spare = min(spare, _DIGITS - 1)
        fixed = [each[: len(each) - spare] if "." in each else each for each in fixed]
    return [" NaN" if each.strip() == "nan" else each for each in fixed]
