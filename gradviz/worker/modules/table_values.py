"""What goes into `tables`' columns and comes out of them: arrays of numbers, truth values or texts, what chooses rows
by place or by label, and the labels themselves."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.modules.table_texts import NOT_WHOLE, text_of_labels
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import numeric, to_numpy, to_snippet

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
