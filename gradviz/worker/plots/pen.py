"""What all drawing methods of an axes work with: its record, the book, conversion of numbers, adding a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from gradviz.trace.figures import FREE
from gradviz.worker.plots.artists import Artist
from gradviz.worker.plots.book import Array, AxesRecord, Book, FigureRecord, Layer
from gradviz.worker.plots.facade import made
from gradviz.worker.plots.numbers import Numbers
from gradviz.worker.plots.styling import dress

A = TypeVar("A", bound=Artist)


class Pen:
    """Draws into one axes of a figure. The drawing methods are in classes of their own (`Lines`, `Bars`, `Images`),
    which hold nothing but a pen; a snippet holds neither."""

    __slots__ = ("axes", "book", "figure", "numbers")

    def __init__(self, axes: AxesRecord, book: Book, figure: FigureRecord, numbers: Numbers) -> None:
        self.axes = axes
        self.book = book
        self.figure = figure
        self.numbers = numbers

    def x(self, value: Any) -> Array:
        """Numbers along x."""
        return self.numbers.along(value, self.axes.x).ravel()

    def y(self, value: Any) -> Array:
        """Numbers along y."""
        return self.numbers.along(value, self.axes.y).ravel()

    def add(self, kind: str, columns: Mapping[str, Array], given: Mapping[str, Any], **defaults: Any) -> Layer:
        """Draw a layer; `given` is what the snippet says of its look."""
        lengths = [len(column) for name, column in columns.items() if name not in FREE.get(kind, ())]
        if len(set(lengths)) > 1 or (kind == "words" and lengths != [1, 1]):
            raise ValueError(f"x and y must be the same size, but the sizes are {lengths}")
        layer = dress(Layer(kind, dict(columns), **defaults), given)
        return self.book.draw(self.figure, self.axes, layer)

    def handle(self, kind: type[A], *layers: Layer) -> A:
        """What the snippet gets for layers."""
        return made(kind, layers=list(layers), axes=self.axes, book=self.book, figure=self.figure, numbers=self.numbers)

    def colour(self, given: Mapping[str, Any], *, filled: bool) -> str:
        """The next colour, where none is given."""
        return "C0" if given.get("color") is not None else self.axes.next_colour(filled=filled)


def same_length(x: Array, y: Array) -> None:
    """ValueError as `plot` raises it."""
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"x and y must have same first dimension, but have shapes {x.shape} and {y.shape}")


def spread(*arrays: Array) -> tuple[Array, ...]:
    """One-dimensional and equally long, where single numbers count for all."""
    return tuple(np.ravel(each).astype(np.float64) for each in np.broadcast_arrays(*map(np.atleast_1d, arrays)))
