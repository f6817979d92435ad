"""What `tables` are made of: what goes into their columns and comes out of them (arrays of numbers, truth values or
texts), what chooses rows by place or by label, the labels themselves, and the groups of rows, with what reductions make
of each; and how a table or a column is written, in pandas' form: numbers with six digits, of which those that no number
needs are left out, long and wide tables without their middle. Next: `tables`."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import numeric, to_numpy, to_snippet

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


REDUCING = "sum mean min max std var median prod any all".split()


def array_of(values: Any) -> Array:
    """Return one column as an array that belongs to us."""
    if isinstance(values, str | bytes) or not hasattr(type(values), "__len__"):
        values = [values]
    if type(values) in (list, tuple) and any(isinstance(each, str) or each is None for each in values):
        values = [float("nan") if each is None else each for each in values]
        if any(isinstance(each, str) for each in values):
            return np.array([each if isinstance(each, str) else str(each) for each in values])
    found = np.arange(values.start, values.stop, values.step) if type(values) is range else np.array(to_numpy(values))
    if found.ndim != 1 or found.dtype.kind not in "biufU":
        raise ValueError(ONE_DIMENSION)
    return found


ONE_DIMENSION = "a column has one dimension, and numbers or texts"


def operand(value: Any) -> Array:
    """Return what a column is combined with as NumPy's array of numbers or texts: an array of objects would hold, and
    hand out, NumPy's own types."""
    found = np.asarray(to_numpy(value))
    if found.dtype.kind not in "biufcSU":
        raise TypeError("a column is combined with numbers or texts in GradViz snippets")
    return found


def missing(data: Array) -> Array:
    return np.isnan(data) if data.dtype.kind == "f" else data == "nan" if data.dtype.kind == "U" else data != data


def ranks_of(data: Array, ascending: bool) -> Array:
    """Return numbers in the order of a column's values, with what is missing last."""
    ranks = np.unique(data, return_inverse=True)[1]
    return np.where(missing(data), len(data), ranks if ascending else -ranks)


def cast(data: Array, dtype: object) -> Array:
    """Return a column with another type; texts as Python's own, so that an error holds and shows nothing of NumPy's."""
    if data.dtype.kind == "f" and numeric(dtype).kind in "iu" and not np.isfinite(data).all():
        raise ValueError(NOT_WHOLE)
    return data.astype(object if data.dtype.kind == "U" else data.dtype).astype(numeric(dtype))


def given_out(data: Array) -> object:
    """Return the snippet's own array."""
    return to_snippet(data.astype(str) if data.dtype.kind == "O" else data.copy())


def by_place(key: object, index: Array) -> object:
    """Return a key by position, as NumPy takes it."""
    if isinstance(key, slice):
        return slice(*(None if each is None else operator.index(each) for each in (key.start, key.stop, key.step)))
    found = np.asarray(to_numpy(list(key) if isinstance(key, tuple) else key))
    if found.dtype.kind not in "biu" or found.ndim > 1:
        raise TypeError("a place is a whole number, a slice, or an array of either whole numbers or truth values")
    return int(found) if found.ndim == 0 else found if found.size else found.astype(np.int64)


def by_label(key: Any, index: Array) -> Any:
    """Return a key by label, as NumPy takes it."""
    if isinstance(key, slice):
        begin, end = (None if each is None else by_label(each, index) for each in (key.start, key.stop))
        return slice(begin, None if end is None else end + 1, None if key.step is None else operator.index(key.step))
    if hasattr(type(key), "__len__") and not isinstance(key, str):
        found = operand(list(key))
        if found.ndim > 1:
            raise ValueError("Cannot index with multidimensional key")
        if found.dtype.kind == "b":
            return found
        return np.concatenate([np.zeros(0, int), *(np.atleast_1d(by_label(each, index)) for each in found.tolist())])
    places = np.flatnonzero(index == operand(key))
    if not places.size:
        raise KeyError(key)
    return int(places[0]) if len(places) == 1 else places


def own_value(value: object) -> object:
    """Return Python's own value of a cell."""
    return value.item() if isinstance(value, np.generic) else value


def names_of(given: Any) -> list[Any]:
    """Return names of columns: whole numbers, or texts."""
    return [each if type(each) is int else str.__str__(str(each)) for each in given]


def cell_of(value: Any) -> object:
    """A single value, which is NumPy's if it is a number."""
    return to_snippet(value) if isinstance(value, (np.number, np.bool_)) else own_value(value)


def numbered(count: int) -> Array:
    return np.arange(count)


_OF_SOME = "mean min max std var median".split()  # which are nan of nothing


def reduced(data: Array, name: str) -> object:
    if data.dtype.kind == "U" and name not in ("min", "max"):
        raise TypeError(f"Cannot perform reduction '{name}' with string dtype")
    kept = data[~missing(data)]
    more = {"ddof": 1} if name in ("std", "var") else {}
    if len(kept) <= len(more) and name in _OF_SOME:
        return np.float64("nan")
    return getattr(np, name)(kept, **more)


# --- labels ---


@keep_methods
class Index:
    """The labels of rows, or the names of columns."""

    __slots__ = ("_labels",)
    _labels: tuple[object, ...]

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("an Index is made by a table in GradViz snippets")

    values = property(lambda self: to_snippet(np.array(self._labels)), doc="The labels.")

    def tolist(self) -> list[object]:
        """Return the labels."""
        return list(self._labels)

    to_list = tolist

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._labels)

    def __getitem__(self, key: Any) -> Any:
        return labels_of(self._labels[key]) if isinstance(key, slice) else self._labels[operator.index(key)]

    def __contains__(self, label: object) -> bool:
        return label in self._labels

    def __repr__(self) -> str:
        count = len(self._labels)
        if self._labels == tuple(range(count)):
            return f"RangeIndex(start=0, stop={count}, step=1)"
        return text_of_labels(self._labels)


def labels_of(labels: Sequence[object]) -> Index:
    """Return these labels."""
    made: Index = object.__new__(Index)
    made._labels = tuple(labels)
    return made


Index.__module__ = "pandas"


# --- Groups of rows ---

_REDUCING = [*REDUCING, "count", "nunique"]


class Groups:
    """The rows of a table that have the same value in a column."""

    __slots__ = ("_as_index", "_by", "_only", "_table")
    _table: Any
    _by: Any
    _as_index: bool
    _only: Any  # the columns that are shown: their names, or the name of the only one

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("groups are made by DataFrame.groupby in GradViz snippets")

    ngroups = property(lambda self: len(self), doc="How many groups there are.")

    def __len__(self) -> int:
        return len(self._keys())

    def _keys(self) -> Array:
        column = self._table._column(self._by)
        return np.unique(column[~missing(column)])

    def __getitem__(self, key: Any) -> Groups:
        only = names_of([key])[0] if isinstance(key, str | int) else names_of(key)
        return groups_of(self._table, self._by, self._as_index, only)

    def __getattr__(self, name: str) -> Groups:
        if name.startswith("_") or name not in self._table._columns:
            raise AttributeError(f"'DataFrameGroupBy' object has no attribute '{name}'")
        return self[name]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return ((key, self.get_group(key)) for key in self._keys().tolist())

    def get_group(self, name: object) -> object:
        """Return the rows of a group."""
        rows = self._table.iloc[to_snippet(self._table._column(self._by) == operand(name))]
        return rows if self._only is None else rows[self._only]

    def size(self) -> Any:
        """Return how many rows each group has."""
        return self._made({None if self._as_index else "size": [len(part) for _, part in self]}, alone=True)

    def apply(self, func: Callable[..., object]) -> object:
        """Return what a function makes of each group."""
        return self._made({self._only: [func(part) for _, part in self]}, alone=True)

    def agg(self, func: Any) -> object:
        """Return a table of what functions, given by their names, make of columns."""
        if isinstance(func, str):
            return _of_groups(func)(self)
        if isinstance(func, dict):
            return self._made({name: _of_each(self[name], each) for name, each in func.items()})
        return self._made({each: _of_each(self, each) for each in func})

    aggregate = agg

    def _made(self, columns: dict[object, list[object]], alone: bool = False) -> object:
        keys, table = to_snippet(self._keys()), type(self._table)
        if not self._as_index:
            return table({self._by: keys, **columns})
        made = table({str(name): each for name, each in columns.items()}, keys)
        made._title = str(self._by)
        if not alone:
            return made
        [name] = columns
        column = made[str(name)]
        column._name, column._title = name, made._title
        return column


def groups_of(table: object, by: object, as_index: bool, only: object = None) -> Groups:
    """Return the groups of a table."""
    made: Groups = object.__new__(Groups)
    made._table, made._by, made._as_index, made._only = table, by, as_index, only
    made._keys()
    return made


def _of_each(groups: Groups, name: object) -> list[object]:
    """Return what a reduction makes of each group of one column."""
    if type(name) is not str or name not in _REDUCING:
        raise TypeError(f"a function for groups is one of the texts {', '.join(_REDUCING)} in GradViz snippets")
    return [getattr(part, name)() for _, part in groups]


def _of_groups(name: str) -> Callable[..., object]:
    def reduce(self: Groups, numeric_only: object = False) -> object:
        if isinstance(self._only, str | int):
            return self._made({self._only: _of_each(self, name)}, alone=True)
        columns = [each for each in self._only or self._table._columns if each != self._by]
        kinds = {each: self._table._column(each).dtype.kind for each in columns}
        used = [each for each in columns if not numeric_only or kinds[each] != "U"]
        return self._made({each: _of_each(self[each], name) for each in used})

    reduce.__name__ = name
    return reduce


for _name in _REDUCING:
    setattr(Groups, _name, _of_groups(_name))
Groups.__module__ = "pandas"
keep_methods(Groups)
