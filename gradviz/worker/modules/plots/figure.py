"""A figure for a snippet, and the grid of axes that `subplots` returns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.modules.plots.artists import Artist, Colorbar
from gradviz.worker.modules.plots.axes import Axes
from gradviz.worker.modules.plots.book import AxesRecord, Book, FigureRecord, Place, short
from gradviz.worker.modules.plots.facade import ACCEPTED, Accepted, Facade, Title, absent, made
from gradviz.worker.modules.plots.numbers import Numbers

LOOK = """autofmt_xdate align_labels align_xlabels align_ylabels supxlabel supylabel
canvas patch draw number dpi subfigures legend text add_artist get_axes"""
NOT_DRAWN = "figimage add_subfigure add_gridspec"
MOST_SIDE = 8  # rows or columns of axes


class AxesGrid(Facade):
    """Several axes in rows and columns, indexed like an array of them."""

    __slots__ = ("_held",)
    _held: Array  # of Axes

    def __repr__(self) -> str:
        return repr(self._held)

    def __str__(self) -> str:
        return str(self._held)

    def _part(self, found: object) -> object:
        return made(AxesGrid, held=found) if isinstance(found, np.ndarray) else found

    def __getitem__(self, key: Any) -> object:
        parts = key if type(key) is tuple else (key,)
        if not all(type(each) in (int, slice) or isinstance(each, np.integer) for each in parts):
            raise IndexError("axes are indexed with whole numbers and slices in GradViz snippets")
        return self._part(self._held[key])

    def __iter__(self) -> Iterator[Any]:
        return iter([self._part(each) for each in self._held])

    def __len__(self) -> int:
        return len(self._held)

    @property
    def flat(self) -> AxesGrid:
        """Return all axes in one row."""
        return made(AxesGrid, held=self._held.ravel())

    def flatten(self) -> AxesGrid:
        """Return all axes in one row."""
        return self.flat

    ravel = flatten

    def reshape(self, *shape: int) -> AxesGrid:
        """Return the same axes in other rows and columns."""
        return made(AxesGrid, held=self._held.reshape(*shape))

    def tolist(self) -> list[object]:
        """Return the axes as lists."""
        return self._held.tolist()  # type: ignore[no-any-return]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and columns."""
        return tuple(map(int, self._held.shape))

    @property
    def size(self) -> int:
        """The number of axes."""
        return int(self._held.size)

    @property
    def ndim(self) -> int:
        """1 for a row, 2 for rows and columns."""
        return self._held.ndim

    @property
    def T(self) -> AxesGrid:
        """The grid with rows and columns exchanged."""
        return made(AxesGrid, held=self._held.T)


class Figure(Facade):
    """One figure."""

    __slots__ = ("_book", "_figure", "_numbers")
    _book: Book
    _figure: FigureRecord
    _numbers: Numbers

    def __repr__(self) -> str:
        count = len(self._figure.axes)
        return f"<Figure size {self._pixels()} with {count} Axes>"

    def __str__(self) -> str:
        return f"Figure({self._pixels()})"

    def _pixels(self) -> str:
        return "x".join(f"{100 * inches:g}" for inches in self._figure.size)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Figure' object has no attribute '{name}'")
        if name in ("canvas", "patch", "number", "dpi"):
            return self._figure.number if name == "number" else ACCEPTED
        return absent("'Figure' object", name, LOOK, NOT_DRAWN, self._book.without)

    def _axes_of(self, record: AxesRecord) -> Axes:
        return made(Axes, axes=record, book=self._book, figure=self._figure, numbers=self._numbers)

    def add_subplot(
        self, *args: object, projection: object = None, polar: bool = False, **more: object
    ) -> Accepted | Axes:
        """Return axes in a cell of a grid: 221, or 2, 2, 1; the same cell again returns the same axes."""
        kind = "polar" if polar else projection
        if kind is not None and kind != "rectilinear":
            self._book.without("3-D axes" if kind == "3d" else f"{short(kind)} axes")
            return ACCEPTED
        place = _cell(args)
        for record in self._figure.axes:
            if record.place == place and record.twin < 0:
                self._figure.current = record.index
                return self._axes_of(record)
        axes = self._axes_of(self._book.add_axes(self._figure, place))
        self._share(axes, more)
        return axes

    @staticmethod
    def _share(axes: Axes, more: dict[str, object]) -> None:
        for name in ("x", "y"):
            other = more.pop(f"share{name}", None)
            if isinstance(other, Axes):
                getattr(axes._axes, name).shared = other._axes.index
        axes.set(**{key: value for key, value in more.items() if key in ("title", "xlabel", "ylabel", "xlim", "ylim")})

    def add_axes(self, rect: Any, **more: object) -> Axes:
        """Add axes at [left, bottom, width, height], in fractions of the figure."""
        sides = [float(each) for each in rect]
        if not all(map(math.isfinite, sides)):
            raise ValueError(f"all entries in rect must be finite, not {tuple(sides)}")
        left, bottom, width, height = (min(max(each, 0.0), 1.0) for each in sides)
        place = (left, min(max(1.0 - bottom - height, 0.0), 1.0), max(width, 0.01), max(height, 0.01))
        return self._axes_of(self._book.add_axes(self._figure, place))

    def subplots(
        self,
        nrows: int = 1,
        ncols: int = 1,
        *,
        sharex: Any = False,
        sharey: Any = False,
        squeeze: bool = True,
        **more: object,
    ) -> object:
        """Add axes in rows and columns."""
        rows, columns = int(nrows), int(ncols)
        if rows < 1 or columns < 1:
            raise ValueError(f"Number of rows must be a positive integer, not {rows if rows < 1 else columns}")
        held = np.empty((rows, columns), dtype=object)
        first = len(self._figure.axes)
        for row in range(rows):
            for column in range(columns):
                place = (column / columns, row / rows, 1 / columns, 1 / rows)
                axes = self._axes_of(self._book.add_axes(self._figure, place))
                for direction, how in ((axes._axes.x, sharex), (axes._axes.y, sharey)):
                    leader = {"row": first + row * columns, "col": first + column}.get(how, first) if how else -1
                    direction.shared = -1 if leader == axes._axes.index or how == "none" else leader
                held[row, column] = axes
        if squeeze and rows == columns == 1:
            return held[0, 0]
        return made(AxesGrid, held=held.ravel() if squeeze and 1 in (rows, columns) else held)

    def gca(self) -> Axes:
        """Return the current axes."""
        self._book.current = self._figure.number
        return self._axes_of(self._book.current_axes())

    @property
    def axes(self) -> list[Axes]:
        """All axes."""
        return [self._axes_of(record) for record in self._figure.axes]

    def suptitle(self, t: object, **look: object) -> Title:
        """Set the title over all axes."""
        self._figure.title = text = short(t)
        self._figure.changed = True
        return made(Title, place=(0.5, 0.98), text=text, put=self.suptitle)

    def tight_layout(self, *args: object, **look: object) -> None:
        """Accepted: axes always leave room for what is written around them."""

    subplots_adjust = tight_layout

    def colorbar(
        self, mappable: object = None, cax: object = None, ax: object = None, label: object = "", **look: object
    ) -> Accepted | Colorbar:
        """Add a colour bar for points or an image beside its axes."""
        layers = mappable._layers if isinstance(mappable, Artist) else self._coloured()
        layers = [each for each in layers if each.colours is not None]
        if not layers:
            if mappable is ACCEPTED:
                return ACCEPTED
            raise RuntimeError(
                "No mappable was found to use for colorbar creation. First define a mappable such as an image (with "
                "imshow) or a contour set (with contourf)."
            )
        colours = layers[0].colours
        assert colours is not None
        colours |= {"bar": True, "label": short(label)}
        self._figure.changed = True
        axes = self._figure.axes[0]
        slots = {"axes": axes, "book": self._book, "figure": self._figure, "numbers": self._numbers}
        return made(Colorbar, layers=layers[:1], **slots)

    def _coloured(self) -> list[Any]:
        layers = self.gca()._axes.layers
        return [each for each in layers if each.colours is not None][-1:]

    def savefig(self, *args: object, **look: object) -> None:
        """Show the figure instead: a snippet has no files for it."""
        self._book.show(self._figure)

    def show(self, *args: object, **more: object) -> None:
        """Show the figure."""
        self._book.show(self._figure)

    def clf(self, *args: object, **more: object) -> None:
        """Remove all axes."""
        self._figure.axes.clear()
        self._figure.title, self._figure.current = "", -1

    clear = clf

    def set_size_inches(self, w: object, h: object = None, **more: object) -> None:
        """Set the size."""
        self._figure.size = size_of(w if h is None else (w, h))

    def set_figwidth(self, val: object, **more: object) -> None:
        """Set the width."""
        self._figure.size = size_of((val, self._figure.size[1]))

    def set_figheight(self, val: object, **more: object) -> None:
        """Set the height."""
        self._figure.size = size_of((self._figure.size[0], val))

    def get_size_inches(self) -> tuple[float, float]:
        """Return the size."""
        return self._figure.size


def size_of(figsize: Any) -> tuple[float, float]:
    """Return a size in inches, within limits."""
    width, height = (float(each) for each in figsize)
    if not (width > 0 and height > 0 and width + height < float("inf")):
        raise ValueError(f"figure size must be positive finite not {(width, height)}")
    return min(max(width, 0.5), 100.0), min(max(height, 0.5), 100.0)


def _cell(args: tuple[Any, ...]) -> Place:
    if len(args) == 0:
        args = (1, 1, 1)
    if len(args) == 1 and type(args[0]) is int and 110 < args[0] < 1000:
        args = tuple(int(each) for each in str(args[0]))
    if len(args) != 3:
        raise ValueError("subplot takes 1 or 3 positional arguments: a number like 221, or rows, columns, index")
    rows, columns = int(args[0]), int(args[1])
    first, last = args[2] if type(args[2]) in (tuple, list) else (args[2], args[2])
    first, last = int(first), int(last)
    if not 1 <= first <= last <= rows * columns:
        raise ValueError(f"num must be an integer with 1 <= num <= {rows * columns}, not {first}")
    row, column = divmod(first - 1, columns)
    end_row, end_column = divmod(last - 1, columns)
    return (
        min(column, end_column) / columns,
        row / rows,
        (abs(end_column - column) + 1) / columns,
        (end_row - row + 1) / rows,
    )
