"""Converts what a snippet gives to draw to arrays of float64: numbers, lists, tensors, arrays, ranges, dict views;
words become categories of a direction. Objects of the snippet never reach NumPy, see `arrays`."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.modules.plots.book import Direction, short

_ITERABLE: tuple[type, ...] = (
    type({}.keys()),
    type({}.values()),
    collections.deque,
    set,
    frozenset,
    range,
    map,
    zip,
    filter,
)


class Numbers:
    """Converts for one run; `plain` replaces the snippet's own objects in a value by plain ones."""

    __slots__ = ("_plain",)

    def __init__(self, plain: Callable[[object], object]) -> None:
        self._plain = plain

    def array(self, value: object) -> Array:
        """Return a new array of any number of dimensions."""
        found = self._any(value)
        if found.dtype.kind in "US":
            raise TypeError("words can't be drawn here; give numbers")
        return _real(found)

    def along(self, value: object, direction: Direction) -> Array:
        """Return numbers along x or y, at least one; words are the categories of that direction."""
        found = self._any(value)
        if found.dtype.kind not in "US":
            return np.atleast_1d(_real(found))
        words = [short(str(each)) for each in found.ravel()]
        for word in words:
            direction.words.setdefault(word, len(direction.words))
        return np.array([float(direction.words[word]) for word in words]).reshape(np.shape(np.atleast_1d(found)))

    def number(self, value: object) -> float:
        """Return one number."""
        found = self.array(value)
        if found.size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        return float(found.ravel()[0])

    def _any(self, value: Any) -> Array:
        if type(value) in _ITERABLE:
            value = list(value)
        return np.asarray(self._plain(value))


def _real(found: Array) -> Array:
    if found.dtype.kind == "O" and found.size and not all(_is_number(each) for each in found.ravel()):
        raise TypeError("float() argument must be a string or a real number")
    return np.array(found.real if found.dtype.kind == "c" else found, dtype=np.float64)


def _is_number(value: object) -> bool:
    return value is None or type(value) in (int, float, bool)
