"""The labels of the rows of a table, or the names of its columns, as `tables` hands them out."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from gradviz.worker.modules.table_texts import text_of_labels
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import to_snippet


@keep_methods
class Index:
    """The labels of rows, or the names of columns."""

    __slots__ = ("_labels",)
    _labels: tuple[Any, ...]

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("an Index is made by a table in GradViz snippets")

    values = property(lambda self: to_snippet(np.array(self._labels)), doc="The labels.")

    def tolist(self) -> list[Any]:
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


def labels_of(labels: Sequence[Any]) -> Index:
    """Return these labels."""
    made: Index = object.__new__(Index)
    made._labels = tuple(labels)
    return made


Index.__module__ = "pandas"
