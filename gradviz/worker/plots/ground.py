"""What all drawing methods of an axes stand on: its record, the book, conversion of numbers, adding a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from gradviz.trace.figures import FREE
from gradviz.worker.plots.artists import Artist
from gradviz.worker.plots.book import Array, AxesRecord, Book, FigureRecord, Layer
from gradviz.worker.plots.facade import Facade, made
from gradviz.worker.plots.numbers import Numbers
from gradviz.worker.plots.styling import dress

A = TypeVar("A", bound=Artist)


class Ground(Facade):
    """Base of the parts of `Axes`."""

    __slots__ = ("_axes", "_book", "_figure", "_numbers")
    _axes: AxesRecord
    _book: Book
    _figure: FigureRecord
    _numbers: Numbers

    def _x(self, value: Any) -> Array:
        return self._numbers.along(value, self._axes.x).ravel()

    def _y(self, value: Any) -> Array:
        return self._numbers.along(value, self._axes.y).ravel()

    def _add(self, kind: str, columns: Mapping[str, Array], given: Mapping[str, Any], **defaults: Any) -> Layer:
        lengths = [len(column) for name, column in columns.items() if name not in FREE.get(kind, ())]
        if len(set(lengths)) > 1 or (kind == "words" and lengths != [1, 1]):
            raise ValueError(f"x and y must be the same size, but the sizes are {lengths}")
        layer = dress(Layer(kind, dict(columns), **defaults), given)
        return self._book.draw(self._figure, self._axes, layer)

    def _handle(self, kind: type[A], *layers: Layer) -> A:
        return made(
            kind, layers=list(layers), axes=self._axes, book=self._book, figure=self._figure, numbers=self._numbers
        )

    def _colour(self, given: Mapping[str, Any], *, filled: bool) -> str:
        """The next colour, where none is given."""
        return "C0" if given.get("color") is not None else self._axes.next_colour(filled=filled)


def same_length(x: Array, y: Array) -> None:
    """ValueError as `plot` raises it."""
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"x and y must have same first dimension, but have shapes {x.shape} and {y.shape}")


def spread(*arrays: Array) -> tuple[Array, ...]:
    """One-dimensional and equally long, where single numbers count for all."""
    return tuple(np.ravel(each).astype(np.float64) for each in np.broadcast_arrays(*map(np.atleast_1d, arrays)))
