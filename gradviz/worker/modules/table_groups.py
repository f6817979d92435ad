"""The groups of rows of a table, and what reductions make of each. The tables they are made of, and that they make, are
`tables`'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.modules.table_values import REDUCING, missing, names_of, operand
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import to_snippet

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
