"""What the drawing calls return: handles of lines, points, bars, texts and colour bars, with which a snippet changes
their style or data later; and the `Pen`, with which the drawing methods of an axes create them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.trace.figures import FREE
from gradviz.worker.modules.plots.book import AxesRecord, Book, FigureRecord, Layer, short
from gradviz.worker.modules.plots.colours import dress, map_name, options
from gradviz.worker.modules.plots.facade import Facade, absent, made, told
from gradviz.worker.modules.plots.numbers import Numbers
from gradviz.worker.objects.numpy_boundary import to_snippet

_LOOK = "remove draw update properties axes figure sticky_edges stale zorder add_callback pchanged norm cmap colorbar"


_OF_MATPLOTLIB = {  # by the kind of a layer, where no class here is that of Matplotlib
    "points": "collections.PathCollection",
    "image": "image.AxesImage",
    "area": "collections.FillBetweenPolyCollection",
    "segments": "collections.LineCollection",
    "bars": "patches.Rectangle",
}


class Artist(Facade):
    """A handle of some layers."""

    __slots__ = ("_axes", "_book", "_figure", "_layers", "_numbers")
    _axes: AxesRecord
    _book: Book
    _figure: FigureRecord
    _layers: list[Layer]
    _numbers: Numbers

    def __repr__(self) -> str:
        kind = self._layers[0].kind if self._layers else ""
        return told(self, self._of_matplotlib or _OF_MATPLOTLIB.get(kind, "artist.Artist"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return absent(f"'{type(self).__name__}' object", name, _LOOK, "", self._book.without)

    def set(self, **look: object) -> None:
        """Set several properties."""
        self._figure.changed = True
        given = options(look, type(self).__name__)
        for layer in self._layers:
            dress(layer, given)

    def set_color(self, color: object) -> None:
        """Set the colour."""
        self.set(color=color)

    set_facecolor = set_color

    def set_alpha(self, alpha: object) -> None:
        """Set the opacity."""
        self.set(alpha=alpha)

    def set_label(self, label: object) -> None:
        """Set the name in the legend."""
        self.set(label=label)

    def set_linewidth(self, width: object) -> None:
        """Set the line width."""
        self.set(linewidth=width)

    def set_linestyle(self, style: object) -> None:
        """Set the dash pattern."""
        self.set(linestyle=style)

    def set_marker(self, marker: object) -> None:
        """Set the marker."""
        self.set(marker=marker)

    def set_markersize(self, size: object) -> None:
        """Set the size of the markers."""
        self.set(markersize=size)

    def get_label(self) -> str:
        """Return the name in the legend."""
        return self._layers[0].label

    def get_color(self) -> str:
        """Return the colour, in a form that can be passed again."""
        return {"text": "k", "paper": "w"}.get(self._layers[0].color, self._layers[0].color)

    def set_visible(self, visible: bool) -> None:
        """Show or hide it."""
        self._figure.changed = True
        for layer in self._layers:
            layer.alpha = layer.alpha if visible else 0.0

    def remove(self) -> None:
        """Remove it."""
        self._figure.changed = True
        gone = {id(layer) for layer in self._layers}
        self._axes.layers[:] = [each for each in self._axes.layers if id(each) not in gone]


class Line2D(Artist):
    """A line or points of `plot`."""

    __slots__ = ()
    _of_matplotlib = "lines.Line2D"

    def set_data(self, *data: Any) -> None:
        """Replace the data."""
        x, y = data if len(data) == 2 else data[0]
        x, y = self._numbers.along(x, self._axes.x).ravel(), self._numbers.along(y, self._axes.y).ravel()
        if len(x) != len(y):
            raise ValueError(f"shape mismatch: objects have shapes {x.shape} and {y.shape}")
        self._figure.changed = True
        self._layers[0].columns = {"x": x, "y": y}

    def set_xdata(self, x: object) -> None:
        """Replace the numbers along x."""
        self.set_data(x, self._layers[0].columns["y"])

    def set_ydata(self, y: object) -> None:
        """Replace the numbers along y."""
        self.set_data(self._layers[0].columns["x"], y)

    def get_xdata(self, orig: bool = True) -> object:
        """Return the numbers along x."""
        return to_snippet(np.array(self._layers[0].columns["x"]))

    def get_ydata(self, orig: bool = True) -> object:
        """Return the numbers along y."""
        return to_snippet(np.array(self._layers[0].columns["y"]))

    def get_data(self, orig: bool = True) -> object:
        """Return the numbers along x and y."""
        return self.get_xdata(), self.get_ydata()


class Bar(Artist):
    """One bar of several."""

    __slots__ = ("_at",)
    _at: tuple[float, float, float, float]  # left, bottom, right, top

    def get_x(self) -> float:
        """Return its left edge."""
        return self._at[0]

    def get_y(self) -> float:
        """Return its lower edge."""
        return self._at[1]

    def get_width(self) -> float:
        """Return its width."""
        return self._at[2] - self._at[0]

    def get_height(self) -> float:
        """Return its height."""
        return self._at[3] - self._at[1]

    def set(self, **look: object) -> None:
        """Refused: a single bar can't be changed, because all are drawn together."""
        options(look, "Rectangle")


class BarContainer(Artist):
    """The bars of one call."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<BarContainer object of {len(self)} artists>"

    @property
    def patches(self) -> list[Bar]:
        """One handle for each bar."""
        slots = {name: getattr(self, f"_{name}") for name in ("axes", "book", "figure", "numbers")}
        return [
            made(Bar, layers=[layer], at=tuple(map(float, at)), **slots)
            for layer in self._layers
            for at in zip(*(layer.columns[name] for name in ("left", "bottom", "right", "top")), strict=True)
        ]

    def __iter__(self) -> Iterator[Bar]:
        return iter(self.patches)

    def __len__(self) -> int:
        return sum(len(layer.columns["left"]) for layer in self._layers)

    def __getitem__(self, key: Any) -> Any:
        return self.patches[key]


class Coloured(Artist):
    """Points or an image whose numbers are shown in colours."""

    __slots__ = ()

    def set_cmap(self, cmap: object) -> None:
        """Set the colour map."""
        self._figure.changed = True
        for layer in self._layers:
            if layer.colours is not None:
                layer.colours["name"] = map_name(cmap)

    def set_clim(self, vmin: object = None, vmax: object = None) -> None:
        """Set the numbers that get the end colours."""
        self._figure.changed = True
        for layer in self._layers:
            if layer.colours is not None:
                known = np.array([layer.colours["low"], layer.colours["high"]])
                layer.colours["low"], layer.colours["high"] = number_range(known, vmin, vmax)

    def get_clim(self) -> tuple[float, float] | tuple[None, None]:
        """Return the numbers that get the end colours."""
        colours = self._layers[0].colours
        return (None, None) if colours is None else (colours["low"], colours["high"])

    def set_data(self, value: object) -> None:
        """Replace the picture by one of the same size."""
        layer = self._layers[0]
        found = self._numbers.array(value)
        if layer.kind != "image" or found.size != layer.columns["value"].size:
            self._book.without("images that change their size")
            return
        self._figure.changed = True
        layer.columns = {"value": found.ravel()}

    def set_array(self, value: object) -> None:
        """Replace the numbers for the colours."""
        if self._layers[0].kind == "image":
            self.set_data(value)


class Cells(Coloured):
    """Numbers in a grid of cells."""

    __slots__ = ()
    _of_matplotlib = "collections.QuadMesh"


class Contours(Coloured):
    """Lines or areas of equal height."""

    __slots__ = ()
    _of_matplotlib = "contour.QuadContourSet"


class Arrows(Artist):
    """A field of arrows."""

    __slots__ = ()
    _of_matplotlib = "quiver.Quiver"


class Words(Artist):
    """A text in a plot."""

    __slots__ = ()

    def __repr__(self) -> str:
        x, y = (float(self._layers[0].columns[name][0]) for name in ("x", "y"))
        return f"Text({x:g}, {y:g}, {self.get_text()!r})"

    def set_text(self, text: object) -> None:
        """Replace the text."""
        self._figure.changed = True
        self._layers[0].text = short(text)

    def get_text(self) -> str:
        """Return the text."""
        return self._layers[0].text

    def set_position(self, xy: Any) -> None:
        """Move it."""
        x, y = xy
        self._figure.changed = True
        self._layers[0].columns = {"x": self._numbers.array([x]), "y": self._numbers.array([y])}


class Colorbar(Artist):
    """The colour bar beside the axes."""

    __slots__ = ()
    _of_matplotlib = "colorbar.Colorbar"

    def set_label(self, label: object, **look: object) -> None:
        """Set the description of the numbers."""
        self._figure.changed = True
        for layer in self._layers:
            if layer.colours is not None:
                layer.colours["label"] = short(label)

    @property
    def ax(self) -> Colorbar:
        """Its own axes, of which only the label is drawn."""
        return self

    set_ylabel = set_title = set_xlabel = set_label


def colour_range(value: object, cmap: object, low: object, high: object) -> dict[str, Any]:
    """Return the colours of a layer's numbers, see `gradviz.trace.figures.Colours`."""
    least, most = number_range(value, low, high)
    return {"name": map_name(cmap), "low": least, "high": most, "label": "", "bar": False}


def number_range(value: Any, low: Any, high: Any) -> tuple[float, float]:
    """Return the limits of a colour map: the given ones, or those of the finite numbers."""
    finite = value[np.isfinite(value)]
    least = float(finite.min()) if finite.size else 0.0
    most = float(finite.max()) if finite.size else 1.0
    least, most = (least if low is None else float(low)), (most if high is None else float(high))
    if not (np.isfinite(least) and np.isfinite(most)):
        raise ValueError("Autoscale limits cannot be NaN or Inf")
    return least, most


A = TypeVar("A", bound=Artist)


class Pen:
    """Draws into one axes of a figure. The drawing methods are in separate classes (`Lines`, `Bars`, `Images`), which
    hold nothing but a pen; a snippet holds neither."""

    __slots__ = ("axes", "book", "figure", "numbers")

    def __init__(self, axes: AxesRecord, book: Book, figure: FigureRecord, numbers: Numbers) -> None:
        self.axes = axes
        self.book = book
        self.figure = figure
        self.numbers = numbers

    def x(self, value: Any) -> Array:
        """Return numbers along x."""
        return self.numbers.along(value, self.axes.x).ravel()

    def y(self, value: Any) -> Array:
        """Return numbers along y."""
        return self.numbers.along(value, self.axes.y).ravel()

    def add(self, kind: str, columns: Mapping[str, Array], given: Mapping[str, object], **defaults: Any) -> Layer:
        """Draw a layer; `given` are the snippet's style options."""
        lengths = [len(column) for name, column in columns.items() if name not in FREE.get(kind, ())]
        if len(set(lengths)) > 1 or (kind == "words" and lengths != [1, 1]):
            raise ValueError(f"x and y must be the same size, but the sizes are {lengths}")
        layer = dress(Layer(kind, dict(columns), **defaults), given)
        return self.book.draw(self.figure, self.axes, layer)

    def handle(self, kind: type[A], *layers: Layer) -> A:
        """Return the snippet's handle for layers."""
        return made(kind, layers=list(layers), axes=self.axes, book=self.book, figure=self.figure, numbers=self.numbers)

    def colour(self, given: Mapping[str, object], *, filled: bool) -> str:
        """Return the next colour of the cycle unless one is given."""
        return "C0" if given.get("color") is not None else self.axes.next_colour(filled=filled)


def same_length(x: Array, y: Array) -> None:
    """Raise ValueError as `plot` does if the lengths differ."""
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"x and y must have same first dimension, but have shapes {x.shape} and {y.shape}")


def spread(*arrays: Array) -> tuple[Array, ...]:
    """Return one-dimensional arrays of equal length; single numbers are repeated."""
    return tuple(np.ravel(each).astype(np.float64) for each in np.broadcast_arrays(*map(np.atleast_1d, arrays)))
