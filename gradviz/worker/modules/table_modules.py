"""`import pandas` for a snippet: tables and columns as tutorials use them, to read a CSV file and hand numbers on.

Arrays go through `numpy_boundary`, texts among numbers as an array of texts; a file is read through the folder of the
run. Next: `tables`, the classes."""

from __future__ import annotations

import csv
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.scratch_paths import Path, open_
from gradviz.worker.modules.table_values import names_of, numbered
from gradviz.worker.modules.tables import RUN, DataFrame, Series, frame
from gradviz.worker.objects.numpy_boundary import numeric

VERSION = "3.1.1"
_MISSING = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "n/a", "#N/A", "<NA>", "-nan", "-NaN"}
_LONGEST = 1_000_000  # cells that a file may have
_TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


def _column_of(texts: Sequence[str]) -> Array:
    """Return the cells of a column as what they look like."""
    if all(each in _TRUTH for each in texts) and texts:
        return np.array([_TRUTH[each] for each in texts])
    numbers = ["nan" if each in _MISSING else each for each in map(str.strip, texts)]
    for kind in (np.int64, np.float64):
        try:
            if not any("_" in each for each in numbers):
                return np.array(numbers, dtype=str).astype(kind)
        except (ValueError, OverflowError):
            continue
    return np.array(["nan" if each in _MISSING else each for each in texts])


def read_csv(
    filepath_or_buffer: Any, sep: object = ",", delimiter: object = None, header: object = "infer",
    names: object = None, index_col: object = None, usecols: Iterable[object] | None = None,
    skiprows: SupportsIndex = 0, nrows: SupportsIndex | None = None, encoding: object = None,
    dtype: object = None, delim_whitespace: object = False, engine: object = None,
) -> DataFrame:  # fmt: skip
    """Read a file of the run."""
    if isinstance(filepath_or_buffer, str | Path):
        with open_(filepath_or_buffer) as file:
            text = str.__str__(file.read())
    else:
        text = str.__str__(filepath_or_buffer.read())
    between = str.__str__(delimiter or sep or ",")
    lines = [line for line in text.splitlines()[operator.index(skiprows) :] if line.strip()]
    if delim_whitespace or between in (r"\s+", " +"):
        rows = [line.split() for line in lines]
    else:
        rows = list(csv.reader(lines, delimiter=between[0] if len(between) == 1 else ",", skipinitialspace=False))
    if not rows:
        raise ValueError("No columns to parse from file")
    has_names = header is not None and not (header == "infer" and names is not None)
    titles: list[Any] = rows.pop(0) if has_names else list(range(len(rows[0])))
    titles = titles if names is None else names_of(names)
    rows = rows if nrows is None else rows[: operator.index(nrows)]
    if len(rows) * len(titles) > _LONGEST:
        raise MemoryError(f"a table has at most {_LONGEST:,} cells in GradViz snippets")
    table = frame({name: _column_of([row[at] if at < len(row) else "" for row in rows])
                    for at, name in enumerate(_titles(titles))}, numbered(len(rows)))  # fmt: skip
    if usecols is not None:
        chosen = list(usecols)
        every = list(table._columns)
        table = table[[every[each] if type(each) is int and has_names else each for each in chosen]]
    if index_col is not None and index_col is not False:
        table = table.set_index(list(table._columns)[index_col] if type(index_col) is int else index_col)
    return table if dtype is None else table.astype(dtype)


def _titles(given: Sequence[object]) -> list[object]:
    """Name columns without a name, and number those that come again."""
    found: dict[object, None] = {}
    times: Counter[object] = Counter()
    for at, name in enumerate(given):
        plain = name if name != "" else f"Unnamed: {at}"
        while (f"{plain}.{times[plain]}" if times[plain] else plain) in found:
            times[plain] += 1
        found[f"{plain}.{times[plain]}" if times[plain] else plain] = None
    return list(found)


def concat(objs: Any, axis: object = 0, ignore_index: object = False) -> DataFrame:
    """Return tables one below the other, or side by side."""
    tables = list(objs)
    if not all(isinstance(each, DataFrame) for each in tables):
        raise TypeError("concat takes tables in GradViz snippets")
    if axis in (1, "columns"):
        if any(list(each.index) != list(tables[0].index) for each in tables):
            raise ValueError("tables whose rows have different labels can't stand side by side; use reset_index()")
        return frame({name: data for each in tables for name, data in each._columns.items()}, tables[0]._index)
    index = np.concatenate([each._index for each in tables])
    columns = {name: np.concatenate([each._columns[name] for each in tables]) for name in tables[0]._columns}
    return frame(columns, None if ignore_index else index)


def isnull(obj: object) -> Any:
    """Tell what is missing."""
    return obj.isnull() if isinstance(obj, Series | DataFrame) else obj is None or obj != obj


def notnull(obj: object) -> object:
    """Tell what is not missing."""
    return ~isnull(obj) if isinstance(obj, Series | DataFrame) else not isnull(obj)


def get_dummies(data: Any, columns: object = None, dtype: object = bool) -> DataFrame:
    """Return a column of truth values for each text of a column of texts, behind the other columns."""
    table = data if isinstance(data, DataFrame) else frame({None: data._data}, data._index)
    kinds = {name: each.dtype.kind for name, each in table._columns.items()}
    chosen = [name for name, kind in kinds.items() if kind == "U"] if columns is None else names_of(columns)
    found = {name: each for name, each in table._columns.items() if name not in chosen}
    for name in chosen:
        for text in np.unique(table._columns[name]):
            key = text.item() if name is None else f"{name}_{text}"
            found[key] = (table._columns[name] == text).astype(numeric(dtype))
    return frame(found, table._index)


def table_modules(write: Callable[[str], None]) -> dict[str, object]:
    """Return the stand-in by module name; `write` is what `print` writes with."""
    RUN["write"] = write
    offered = (Series, DataFrame, read_csv, concat, isnull, notnull, get_dummies)
    names: dict[str, object] = {each.__name__: each for each in offered}
    return {"pandas": stand_in("pandas", {**names, "isna": isnull, "notna": notnull, "__version__": VERSION})}
