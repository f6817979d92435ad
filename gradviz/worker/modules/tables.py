"""The tables and columns of `table_modules`.

A column is one of NumPy's arrays of numbers, truth values or texts; a table is columns of one length under their names.
A row of several types is a column of Python's own values. No cell is written in place: a table or column gets others.
Next: `table_values`, of which tables are made."""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self, SupportsFloat, SupportsIndex

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.modules.scratch_paths import Path, open_
from gradviz.worker.modules.table_values import (
    ONE_DIMENSION,
    REDUCING,
    Groups,
    Index,
    array_of,
    by_label,
    by_place,
    cast,
    cell_of,
    given_out,
    groups_of,
    labels_of,
    missing,
    name_of_type,
    names_of,
    numbered,
    operand,
    ranks_of,
    reduced,
    text_of_column,
    text_of_facts,
    text_of_table,
)
from gradviz.worker.modules.toy_sets import source_of
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import IN, to_numpy, to_snippet
from gradviz.worker.policy_names import HERE

# --- columns ---


class _Places:
    """`iloc` and `loc`: rows, or rows and columns, by position or by label."""

    __slots__ = ("_of", "_read")
    _of: Any
    _read: Callable[[Any, Array], Any]

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("places belong to a table in GradViz snippets")

    def __getitem__(self, key: Any) -> Any:
        of = self._of
        rows, columns = key if type(key) is tuple and len(key) == 2 else (key, slice(None))
        rows = self._read(rows, of._index)
        if isinstance(of, Series):
            if isinstance(rows, int):
                return cell_of(of._data[rows])
            return _series(of._data[rows], of._index[rows], of._name, of._title)
        names = np.array(list(of._columns), object)
        found = names[self._read(columns, names)]
        if not isinstance(found, np.ndarray):
            column = of._columns[found]
            if isinstance(rows, int):
                return cell_of(column[rows])
            return _series(column[rows], of._index[rows], found, of._title)
        if isinstance(rows, int):
            cells = [of._columns[name][rows] for name in found]
            texts = {each.dtype.kind == "U" for each in cells}
            data = np.array([each.item() for each in cells], object) if len(texts) > 1 else np.array(cells)
            return _series(data, np.array(names_of(found)), of._index[rows].item())
        return frame({name: of._columns[name][rows] for name in found}, of._index[rows], of._title)


def _places(of: object, read: Callable[[object, Array], object]) -> _Places:
    made: _Places = object.__new__(_Places)
    made._of, made._read = of, read
    return made


class _Column:
    """What a table and a column have in common."""

    __slots__ = ("_index", "_title")
    _index: Array
    _title: str  # what the index is called
    _each: Callable[[Callable[[Array], Array]], object]  # the same with what a function makes of each column

    @property
    def iloc(self) -> _Places:
        """Rows by position."""
        return _places(self, by_place)

    @property
    def loc(self) -> _Places:
        """Rows by label."""
        return _places(self, by_label)

    @property
    def index(self) -> Index:
        """The labels of the rows."""
        return labels_of(self._index.tolist())

    @property
    def empty(self) -> bool:
        """Whether there are no rows."""
        return not len(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __bool__(self) -> bool:
        raise ValueError(
            f"The truth value of a {type(self).__name__} is ambiguous. Use a.empty, a.item(), a.any() or a.all()."
        )

    @property
    def values(self) -> object:
        """All cells in one array; of texts, if a column has texts."""
        return given_out(_cells(self))

    def to_numpy(self, dtype: object = None) -> Any:
        """Return all cells in one array."""
        return given_out(_cells(self) if dtype is None else cast(_cells(self), dtype))

    def astype(self, dtype: object) -> Any:
        """Return it with another type."""
        return self._each(lambda data: cast(data, dtype))

    def isnull(self) -> Any:
        """Tell which cells are missing."""
        return self._each(missing)

    isna = isnull

    def _or_here(self, made: object, inplace: object) -> object:
        """Return what was made, or take its cells."""
        if not inplace:
            return made
        for name in (*_Column.__slots__, *(DataFrame if isinstance(made, DataFrame) else Series).__slots__):
            setattr(self, name, getattr(made, name))
        return None

    def fillna(self, value: object, inplace: object = False) -> object:
        """Return it with something in place of missing cells."""
        made = self._each(lambda data: np.where(missing(data), operand(value), data))
        return self._or_here(made, inplace)

    def round(self, decimals: SupportsIndex = 0) -> object:
        """Return it with numbers of fewer digits."""
        places = operator.index(decimals)
        return self._each(lambda data: np.round(data, places) if data.dtype.kind == "f" else data)

    def sort_index(self, ascending: object = True, inplace: object = False) -> object:
        """Return it in the order of its labels."""
        order = np.argsort(ranks_of(self._index, bool(ascending)), kind="stable")
        return self._or_here(self.iloc[to_snippet(order)], inplace)

    def copy(self, deep: object = True) -> Any:
        """Return a copy."""
        return self._each(np.copy)

    def __invert__(self) -> object:
        return self._each(operator.invert)

    def __neg__(self) -> object:
        return self._each(operator.neg)

    def head(self, n: SupportsIndex = 5) -> object:
        """Return the first rows."""
        return self.iloc[: operator.index(n)]

    def tail(self, n: SupportsIndex = 5) -> object:
        """Return the last rows."""
        return self.iloc[max(0, len(self) - operator.index(n)) :]

    def sample(
        self, n: SupportsIndex | None = None, frac: SupportsFloat | None = None, random_state: object = None
    ) -> object:
        """Return some rows, or all of them, in a random order."""
        count = operator.index(n) if n is not None else 1 if frac is None else round(float(frac) * len(self))
        return self.iloc[to_snippet(source_of(random_state).choice(len(self), size=count, replace=False))]


RUN: dict[str, Callable[[str], None]] = {"write": lambda text: None}  # what writes where `print` does


def _series(data: Array, index: Array | None = None, name: object = None, title: str = "") -> Series:
    if data.ndim != 1:
        raise ValueError(ONE_DIMENSION)
    made = object.__new__(Series)
    made._data, made._name, made._title = data, name, title
    made._index = numbered(len(data)) if index is None else index
    return made


_BINARY = "add sub mul truediv floordiv mod pow eq ne lt le gt ge and_ or_".split()


class Series(_Column):
    """A column."""

    __slots__ = ("_data", "_name")
    _data: Array
    _name: object

    def __init__(self, data: Any = (), index: Any = None, name: object = None) -> None:
        pairs = isinstance(data, dict)
        self._data = array_of(list(data.values()) if pairs else data)
        given = list(data) if pairs and index is None else index
        self._index = numbered(len(self._data)) if given is None else array_of(given)
        if len(self._index) != len(self._data):
            raise ValueError(
                f"Length of values ({len(self._data)}) does not match length of index ({len(self._index)})"
            )
        self._name, self._title = name if name is None else str.__str__(str(name)), ""

    name = property(lambda self: self._name, doc="Its name.")
    shape = property(lambda self: self._data.shape, doc="How many there are, in a tuple.")
    size = property(lambda self: self._data.size, doc="How many there are.")
    dtype = property(lambda self: name_of_type(self._data), doc="The name of its type.")

    def _each(self, act: Callable[[Array], Array]) -> Series:
        return _series(act(self._data), self._index, self._name, self._title)

    def tolist(self) -> list[object]:
        """Return its values."""
        return list(self._data.tolist())

    to_list = tolist

    def to_dict(self) -> dict[object, object]:
        """Return its values by label."""
        return dict(zip(self._index.tolist(), self._data.tolist(), strict=True))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._data.tolist())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Series):
            return self.iloc[_aligned(key, self._index)]
        return self.iloc[key] if isinstance(key, slice) else self.loc[key]

    def unique(self) -> object:
        """Return its different values in the order in which they come."""
        found, first = np.unique(self._data, return_index=True)
        return given_out(found[np.argsort(first)])

    def count(self) -> int:
        """Return how many values are not missing."""
        return int((~missing(self._data)).sum())

    def nunique(self) -> int:
        """Return how many different values it has."""
        return len(np.unique(self._data[~missing(self._data)]))

    def value_counts(self, normalize: object = False, ascending: object = False) -> Series:
        """Return how often each value comes, or its share, the most frequent first."""
        kept = self._data[~missing(self._data)]
        found, first, counts = np.unique(kept, return_index=True, return_counts=True)
        order = np.lexsort((first, counts if ascending else -counts))
        what = counts / len(kept) if normalize else counts
        return _series(what[order], found[order], "proportion" if normalize else "count", str(self._name or ""))

    def sort_values(self, ascending: object = True, inplace: object = False) -> object:
        """Return it in the order of its values, missing ones last."""
        order = np.argsort(ranks_of(self._data, bool(ascending)), kind="stable")
        return self._or_here(self.iloc[to_snippet(order)], inplace)

    def isin(self, values: Iterable[object]) -> Series:
        """Tell which values are among some others."""
        return self._each(lambda data: np.isin(data, operand(list(values))))

    def describe(self) -> Series:
        """Return the number, mean, spread and quantiles of its numbers."""
        found = frame({"": self._data}).describe()
        return _series(found._columns[""], found._index, self._name)

    def map(self, arg: Any) -> Series:
        """Return what a function, or a dict, makes of each value."""
        nothing = float("nan")
        act = arg if callable(arg) else lambda each: arg.get(each, nothing)
        return self._each(lambda data: array_of([act(each) for each in data.tolist()]))

    apply = map

    def dropna(self, inplace: object = False) -> object:
        """Return it without missing values."""
        kept = ~missing(self._data)
        return self._or_here(_series(self._data[kept], self._index[kept], self._name, self._title), inplace)

    def reset_index(self, drop: object = False) -> object:
        """Return it with rows numbered from 0, in a table with the labels that they had unless they are dropped."""
        name = 0 if self._name is None else self._name
        table = frame({name: self._data}, self._index, self._title).reset_index(drop)
        return table[name] if drop else table

    def __repr__(self) -> str:
        return text_of_column(self._data, self._index, self._name, self._title)


def _aligned(column: Series, index: Array) -> Series:
    """Return the column if its rows have these labels; pandas would put them in order."""
    if not np.array_equal(column._index, index):
        raise ValueError(
            "columns whose rows have different labels can't be combined in GradViz snippets; reset_index()"
        )
    return column


def _operator(name: str, turned: bool = False) -> Callable[[Series, object], Series]:
    act = getattr(operator, name)

    def operate(self: Series, other: object) -> Series:
        value = _aligned(other, self._index)._data if isinstance(other, Series) else operand(other)
        name = self._name if not isinstance(other, Series) or other._name == self._name else None
        return _series(act(value, self._data) if turned else act(self._data, value), self._index, name, self._title)

    return operate


def _reducer(name: str) -> Callable[[object], object]:
    def reduce(self: Any, numeric_only: object = False) -> object:
        if isinstance(self, Series):
            return to_snippet(reduced(self._data, name))
        used = {key: data for key, data in self._columns.items() if data.dtype.kind != "U" or not numeric_only}
        return _series(np.array([reduced(data, name) for data in used.values()]), np.array([str(key) for key in used]))

    reduce.__name__ = name
    return reduce


# --- tables ---


def frame(columns: dict[object, Array], index: Array | None = None, title: str = "") -> DataFrame:
    """Return a table of these columns, which belong to it from here on."""
    made = object.__new__(DataFrame)
    made._columns, made._title = columns, title
    made._index = numbered(len(next(iter(columns.values()), ()))) if index is None else index
    return made


class DataFrame(_Column):
    """A table."""

    __slots__ = ("_columns",)
    _columns: dict[Any, Array]

    def __init__(self, data: Any = None, index: object = None, columns: object = None) -> None:
        given: dict[object, object] = {}
        if isinstance(data, DataFrame):
            found = dict(data._columns)
        elif isinstance(data, dict):
            given = {name: data[name] for name in names_of(data)}
            found = {name: array_of(each) for name, each in given.items()}
        elif type(data) in (list, tuple) and data and all(isinstance(row, dict) for row in data):
            names = list(dict.fromkeys(name for row in data for name in names_of(row)))
            found = {name: array_of([row.get(name) for row in data]) for name in names}
        elif type(data) in (list, tuple):
            rows = [row if type(row) in (list, tuple) else [row] for row in data]
            found = {number: array_of(list(column)) for number, column in enumerate(zip(*rows, strict=True))}
        else:
            table = np.zeros((0, 0)) if data is None else np.array(to_numpy(data))
            table = table[:, None] if table.ndim == 1 else table
            found = {number: array_of(column) for number, column in enumerate(table.T)}
        series = [each for each in given.values() if isinstance(each, Series)]
        index = series[0]._index if series and index is None else index
        for each in series:
            _aligned(each, series[0]._index)
        lengths = {len(column) for column in found.values()}
        if len(lengths) > 1:
            raise ValueError("All arrays must be of the same length")
        self._columns, self._index, self._title = found, numbered(max(lengths, default=0)), ""
        if columns is not None:
            chosen = isinstance(data, dict) and bool(found)
            self._columns = {name: found[name] for name in names_of(columns)} if chosen else self._renamed(columns)
        if index is not None:
            self._index = index if isinstance(index, np.ndarray) and series else array_of(index)
        if found and lengths != {len(self._index)}:
            raise ValueError(f"Length of values ({max(lengths)}) does not match length of index ({len(self._index)})")

    def _renamed(self, names: object) -> dict[object, Array]:
        given = names_of(names)
        columns = list(self._columns.values()) or [np.zeros(0) for _ in given]
        if len(given) != len(columns):
            raise ValueError(
                f"Length mismatch: Expected axis has {len(columns)} elements, new values have {len(given)} elements"
            )
        return dict(zip(given, columns, strict=True))

    @property
    def columns(self) -> Index:
        """The names of its columns."""
        return labels_of(list(self._columns))

    @columns.setter
    def columns(self, names: object) -> None:
        self._columns = self._renamed(names)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        return len(self._index), len(self._columns)

    def _each(self, act: Callable[[Array], Array]) -> DataFrame:
        return frame({name: act(data) for name, data in self._columns.items()}, self._index, self._title)

    @property
    def dtypes(self) -> Series:
        """The name of the type of each column."""
        types = np.array([name_of_type(data) for data in self._columns.values()], object)
        return _series(types, np.array(names_of(self._columns)))

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._columns))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str | int) and name in self._columns

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Series | slice):
            return self.iloc[_aligned(key, self._index) if isinstance(key, Series) else key]
        if type(key) is list or (hasattr(type(key), "__len__") and not isinstance(key, str | tuple)):
            return frame({name: self._column(name) for name in names_of(key)}, self._index, self._title)
        name = names_of([key])[0]
        return _series(self._column(name), self._index, name, self._title)

    def _column(self, name: object) -> Array:
        if name not in self._columns:
            raise KeyError(name)
        return self._columns[name]

    def __setitem__(self, key: object, value: object) -> None:
        data, count = array_of(value), len(self._index)
        if isinstance(value, Series) and self._columns:
            _aligned(value, self._index)
        if not self._columns:
            self._index, count = numbered(len(data)), len(data)
        if len(data) not in (1, count):
            raise ValueError(f"Length of values ({len(data)}) does not match length of index ({count})")
        self._columns = {**self._columns, names_of([key])[0]: data if len(data) == count else np.repeat(data, count)}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(f"DataFrame.{name} is not {HERE}, and no column has this name")
        return self[name]

    def drop(
        self, labels: Any = None, axis: object = 0, columns: Any = None, index: Any = None, inplace: object = False
    ) -> object:
        """Return it without some columns or rows."""
        by_column = axis in (1, "columns") or columns is not None
        left_out = columns if columns is not None else index if index is not None else labels
        given = [left_out] if isinstance(left_out, str | int) else list(left_out)
        if not by_column:
            unknown = [each for each in given if each not in self._index.tolist()]
            if not unknown:
                return self._or_here(self.iloc[to_snippet(~np.isin(self._index, operand(given)))], inplace)
        gone = names_of(given)
        unknown = [name for name in gone if name not in self._columns] if by_column else unknown
        if unknown:
            raise KeyError(f"{unknown} not found in axis")
        kept = {name: data for name, data in self._columns.items() if name not in gone}
        return self._or_here(frame(kept, self._index, self._title), inplace)

    def describe(self) -> DataFrame:
        """Return the number, mean, spread and quantiles of each column of numbers."""
        rows = {"count": len, "mean": np.mean, "std": lambda data: np.std(data, ddof=1), "min": np.min}
        quantiles = {f"{part}%": lambda data, part=part: np.percentile(data, part) for part in (25, 50, 75)}
        acts: list[Any] = [*rows.values(), *quantiles.values(), np.max]
        kept = {name: data[~missing(data)] for name, data in self._columns.items() if data.dtype.kind in "iuf"}
        found = {name: np.array([act(data) for act in acts], float) for name, data in kept.items()}
        return frame(found, np.array([*rows, *quantiles, "max"]))

    def info(self) -> None:
        """Print the types of its columns, and how many cells are not missing."""
        missed = {name: (data, missing(data)) for name, data in self._columns.items()}
        RUN["write"](text_of_facts(missed, self._index))

    def groupby(self, by: object, as_index: object = True) -> Groups:
        """Return its rows in groups that have the same value in a column."""
        name = names_of([by] if isinstance(by, str | int) else by)
        if len(name) > 1:
            raise TypeError("rows are grouped by a single column in GradViz snippets")
        return groups_of(self, name[0], bool(as_index))

    def dropna(self, inplace: object = False) -> object:
        """Return the rows without missing cells."""
        kept = ~np.any([missing(data) for data in self._columns.values()], axis=0)
        rows = {name: data[kept] for name, data in self._columns.items()}
        return self._or_here(frame(rows, self._index[kept], self._title), inplace)

    def reset_index(self, drop: object = False, inplace: object = False) -> Any:
        """Return it with rows numbered from 0."""
        name = self._title or ("level_0" if "index" in self._columns else "index")
        if not drop and name in self._columns:
            raise ValueError(f"cannot insert {name}, already exists")
        made = frame({**({} if drop else {name: self._index}), **self._columns}, numbered(len(self)))
        return self._or_here(made, inplace)

    def set_index(self, keys: object, inplace: object = False) -> Any:
        """Return it with a column as the labels of its rows."""
        [name] = names_of([keys] if isinstance(keys, str | int) else keys)
        if name not in self._columns:
            raise KeyError(f"None of {[name]} are in the columns")
        others = {each: data for each, data in self._columns.items() if each != name}
        return self._or_here(frame(others, self._columns[name], str(name)), inplace)

    def rename(self, columns: Any, inplace: object = False) -> object:
        """Return it with other names of columns."""
        act = columns if callable(columns) else lambda name: columns.get(name, name)
        renamed = {names_of([act(name)])[0]: data for name, data in self._columns.items()}
        return self._or_here(frame(renamed, self._index, self._title), inplace)

    def sort_values(self, by: object, ascending: object = True, inplace: object = False) -> object:
        """Return it in the order of one or more columns, missing cells last."""
        names = names_of([by] if isinstance(by, str | int) else by)
        rising = list(ascending) if isinstance(ascending, list | tuple) else [ascending] * len(names)
        if len(rising) != len(names):
            raise ValueError(f"Length of ascending ({len(rising)}) != length of by ({len(names)})")
        ranks = [ranks_of(self._column(name), bool(up)) for name, up in zip(names, rising, strict=True)]
        return self._or_here(self.iloc[to_snippet(np.lexsort(ranks[::-1]))], inplace)

    def corr(self, numeric_only: object = False) -> DataFrame:
        """Return how columns of numbers go together: Pearson's coefficients."""
        used = {name: data for name, data in self._columns.items() if data.dtype.kind != "U" or not numeric_only}
        found = np.atleast_2d(np.corrcoef(np.stack([data.astype(float) for data in used.values()])))
        return frame(dict(zip(used, found, strict=True)), array_of(list(used)))

    def iterrows(self) -> Iterator[tuple[object, object]]:
        """Go through the rows."""
        return ((label, self.iloc[at]) for at, label in enumerate(self._index.tolist()))

    def to_csv(self, path_or_buf: Any = None, sep: str = ",", index: object = True, header: object = True) -> object:
        """Write it to a file of the run, or return its text."""
        text = io.StringIO()
        writer = csv.writer(text, delimiter=str.__str__(sep), lineterminator="\n")
        if header:
            writer.writerow([*([""] if index else []), *self._columns])
        columns = [["" if each != each else each for each in data.tolist()] for data in self._columns.values()]
        for label, *cells in zip(self._index.tolist(), *columns, strict=True):
            writer.writerow([*([label] if index else []), *cells])
        if path_or_buf is None:
            return text.getvalue()
        if not isinstance(path_or_buf, str | Path):
            return path_or_buf.write(text.getvalue())
        with open_(path_or_buf, "w") as file:
            file.write(text.getvalue())
        return None

    def __repr__(self) -> str:
        return text_of_table(self._columns, self._index, self._title)


def _cells(of: Any) -> Array:
    """Return all cells of a table or column in one array."""
    if isinstance(of, Series):
        return of._data
    columns = list(of._columns.values())
    if any(data.dtype.kind == "U" for data in columns):
        columns = [data.astype(str) for data in columns]
    return np.stack(columns, axis=1) if columns else np.zeros((len(of._index), 0))


def _by_column(act: Callable[[Series, object], Series]) -> Callable[[DataFrame, object], DataFrame]:
    def operate(self: DataFrame, other: object) -> DataFrame:
        """A column as the other operand has a value for each column of the table."""
        found = {}
        for name in self._columns:
            with_column = other[name] if isinstance(other, DataFrame) else None
            value = other.loc[name] if isinstance(other, Series) else other if with_column is None else with_column
            found[name] = act(self[name], value)._data
        return frame(found, self._index, self._title)

    return operate


_OPERATORS = {f"__{_name.rstrip('_')}__": _operator(_name) for _name in _BINARY}
_OPERATORS |= {f"__r{_name}__": _operator(_name, turned=True) for _name in ("add", "sub", "mul", "truediv")}
for _name, _act in _OPERATORS.items():
    setattr(Series, _name, _act)
    setattr(DataFrame, _name, _by_column(_act))
for _name in REDUCING:
    setattr(Series, _name, _reducer(_name))
    setattr(DataFrame, _name, _reducer(_name))
Series.__hash__ = DataFrame.__hash__ = None  # type: ignore[assignment]
for _class in (Series, DataFrame, _Places):
    _class.__module__ = "pandas"
keep_methods(_Places)
IN[Series], IN[DataFrame] = lambda column: to_numpy(given_out(column._data)), _cells
