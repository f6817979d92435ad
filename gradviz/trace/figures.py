"""A plot that a snippet showed, as plain data: figures of axes of layers, read from a worker's message. The worker is
not trusted: anything malformed is refused with a `TraceFormatError`. Painting is in `gradviz.ui.figures`.

The header describes the figure; the payload has all numbers, one after the other, as little-endian float64: for each
layer, in order, the columns that `COLUMNS` lists for its kind. NumPy is imported when there is something to read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -- colour maps by name, each as a few colours between which is interpolated: what a plot's numbers are shown in, and
# what `plt.cm.viridis(0.5)` gives. The painter makes its tables from this, the worker its colours.
#
# The colours of viridis, plasma, magma, inferno and cividis are points of Matplotlib's own maps
# (https://bids.github.io/colormap, CC0); the others follow ColorBrewer's and the classic ones roughly.

REVERSED = "_r"
DEFAULT = "viridis"

_MAPS = {
    "viridis": "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
    "plasma": "0d0887 46039f 7201a8 9c179e bd3786 d8576b ed7953 fb9f3a fdca26 f0f921",
    "inferno": "000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4",
    "magma": "000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf",
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    "turbo": "30123b 4662d7 36aaf9 1ae4b6 72fe5e c8ef34 faba39 f66b19 ca2a04 7a0403",
    "gray": "000000 ffffff",
    "Greys": "ffffff d9d9d9 969696 525252 000000",
    "binary": "ffffff 000000",
    "bone": "000000 545474 a9c8c8 ffffff",
    "hot": "0b0000 ff0000 ffff00 ffffff",
    "jet": "00007f 0000ff 00ffff 7dff7a ffff00 ff0000 7f0000",
    "rainbow": "8000ff 00b5eb 80ffb4 ffb360 ff0000",
    "hsv": "ff0000 ffff00 00ff00 00ffff 0000ff ff00ff ff0000",
    "cool": "00ffff ff00ff",
    "spring": "ff00ff ffff00",
    "summer": "008066 ffff66",
    "autumn": "ff0000 ffff00",
    "winter": "0000ff 00ff80",
    "coolwarm": "3b4cc0 7b9ff9 c0d4f5 dddcdc f2cbb7 ee8468 b40426",
    "bwr": "0000ff ffffff ff0000",
    "seismic": "00004c 0000ff ffffff ff0000 7f0000",
    "RdBu": "67001f d6604d fddbc7 f7f7f7 d1e5f0 4393c3 053061",
    "RdYlBu": "a50026 f46d43 fee090 ffffbf e0f3f8 74add1 313695",
    "RdYlGn": "a50026 f46d43 fee08b ffffbf d9ef8b 66bd63 006837",
    "PiYG": "8e0152 de77ae fde0ef f7f7f7 e6f5d0 7fbc41 276419",
    "Spectral": "9e0142 f46d43 fee08b ffffbf e6f598 66c2a5 5e4fa2",
    "Blues": "f7fbff c6dbef 6baed6 2171b5 08306b",
    "Greens": "f7fcf5 c7e9c0 74c476 238b45 00441b",
    "Reds": "fff5f0 fcbba1 fb6a4a cb181d 67000d",
    "Oranges": "fff5eb fdd0a2 fd8d3c d94801 7f2704",
    "Purples": "fcfbfd dadaeb 9e9ac8 6a51a3 3f007d",
    "YlOrRd": "ffffcc fed976 fd8d3c e31a1c 800026",
    "YlGnBu": "ffffd9 c7e9b4 41b6c4 225ea8 081d58",
    "tab10": "1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf",
    "Set1": "e41a1c 377eb8 4daf4a 984ea3 ff7f00 ffff33 a65628 f781bf 999999",
    "Paired": "a6cee3 1f78b4 b2df8a 33a02c fb9a99 e31a1c fdbf6f ff7f00 cab2d6 6a3d9a ffff99 b15928",
}
_OTHER_NAMES = {
    "grey": "gray",
    "gist_gray": "gray",
    "gist_yarg": "binary",
    "Accent": "Set1",
    "Set2": "Set1",
    "tab20": "Paired",
}
STEPPED = ("tab10", "Set1", "Paired")  # separate colours without interpolation
NAMES = tuple(_MAPS) + tuple(_OTHER_NAMES)

RGB = tuple[int, int, int]


def is_map(name: str) -> bool:
    """Whether there is a colour map of this name."""
    return name.removesuffix(REVERSED) in NAMES


def anchors(name: str) -> tuple[RGB, ...]:
    """The colours of a map from its low to its high end, each 0..255; the default map for an unknown name."""
    plain = name.removesuffix(REVERSED)
    text = _MAPS.get(_OTHER_NAMES.get(plain, plain), _MAPS[DEFAULT])
    colours = tuple((int(each[:2], 16), int(each[2:4], 16), int(each[4:], 16)) for each in text.split())
    return colours[::-1] if name.endswith(REVERSED) else colours


def is_stepped(name: str) -> bool:
    """Whether the map has a few colours without interpolation."""
    plain = name.removesuffix(REVERSED)
    return _OTHER_NAMES.get(plain, plain) in STEPPED


def colour_at(name: str, share: float) -> RGB:
    """The colour of a map at a fraction of its range, 0..1, clamped."""
    colours = anchors(name)
    share = min(max(share, 0.0), 1.0) if share == share else 0.0
    if is_stepped(name):
        return colours[min(int(share * len(colours)), len(colours) - 1)]
    place = share * (len(colours) - 1)
    low = min(int(place), len(colours) - 2)
    part = place - low
    first, second = colours[low], colours[low + 1]
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(first, second, strict=True))
    return red, green, blue


MOST_FIGURES = 50  # per run
MOST_NUMBERS = 1_000_000  # per figure
MOST_AXES = 64
MOST_LAYERS = 1_000  # per figure
MOST_TEXT = 500  # characters of a title, a label, a word
MOST_TICKS = 500

COLUMNS = {
    "line": ("x", "y"),
    "points": ("x", "y", "size", "value"),  # size: one or each; value: none, or one each for the colour map
    "bars": ("left", "bottom", "right", "top"),
    "area": ("x", "low", "high"),
    "segments": ("x0", "y0", "x1", "y1"),
    "rule": ("x", "y"),  # lines across the whole axes: at x, or at y where x is NaN
    "image": ("value",),  # row by row, starting at the `top` end of the extent
    "words": ("x", "y"),
}
FREE = {"points": ("size", "value"), "image": ("value",)}  # columns whose length may differ from the first
SCALES = ("linear", "log")
DASHES = ("", "-", "--", "-.", ":", "none")  # "": not set by the snippet
MARKERS = ("", *".ovos^<>12348spP*hH+xXDd|_")
_COLOUR = re.compile(r"C[0-9]|#[0-9a-f]{6}|text|paper|none")

T = TypeVar("T")


@dataclass(frozen=True)
class Style:
    """How a layer looks. Colours are "C0" to "C9" (of the theme), "text", "paper", "none" or "#rrggbb"."""

    color: str = "C0"
    edge: str = "none"
    width: float = 1.5
    dash: str = ""
    marker: str = ""
    size: float = 6.0
    alpha: float = 1.0
    label: str = ""


@dataclass(frozen=True)
class Colours:
    """How numbers map to colours."""

    name: str
    low: float
    high: float
    label: str = ""
    bar: bool = False  # a colour bar explains the colours


@dataclass(frozen=True, eq=False)  # compared by identity
class Layer:
    """One layer of a drawing. `columns` are those of its kind, see `COLUMNS`."""

    kind: str
    style: Style
    columns: Mapping[str, NDArray[Any]]
    text: str = ""  # for text layers; the edge of their style is the colour of an arrow
    anchor: str = "left bottom"
    inside: bool = False  # text positioned by fractions of the axes
    shape: tuple[int, int, int] = (0, 0, 1)  # for images: rows, columns, and 1, 3 or 4 channels
    extent: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)  # left, right, bottom, top
    colours: Colours | None = None


@dataclass(frozen=True)
class Scale:
    """One direction of an axes. Limits and ticks are None if they follow from the data."""

    label: str = ""
    kind: str = "linear"
    limits: tuple[float, float] | None = None
    flipped: bool = False
    ticks: tuple[float, ...] | None = None
    names: tuple[str, ...] = ()  # tick labels, one per tick or none
    shared: int = -1  # the axes that shares its limits


@dataclass(frozen=True, eq=False)  # compared by identity
class Axes:
    """One coordinate system, positioned by fractions of the figure: left, top, width, height."""

    place: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    title: str = ""
    x: Scale = field(default_factory=Scale)
    y: Scale = field(default_factory=Scale)
    grid: bool = False
    legend: str = "none"  # "none", "best", or a place like "upper right"
    equal: bool = False
    frame: bool = True
    twin: int = -1  # drawn over this one, with its y axis on the right
    layers: tuple[Layer, ...] = ()


@dataclass(frozen=True, eq=False)  # compared by identity
class Figure:
    """One plot, with the number of steps after which, and the line of the snippet by which, it was shown."""

    title: str
    size: tuple[float, float]  # inches, as requested by the snippet
    step: int
    line: int
    axes: tuple[Axes, ...]

    @property
    def name(self) -> str:
        """Its title, or that of the first axes which has one."""
        return self.title or next((each.title for each in self.axes if each.title), "")


def read(header: Mapping[str, Any], payload: bytes) -> Figure:
    """The figure in a message; TraceFormatError if it is malformed."""
    import numpy as np

    from gradviz.trace.table.encoding import refuse_unless

    refuse_unless(len(payload) % 8 == 0 and len(payload) <= 8 * MOST_NUMBERS, "a figure has too many numbers")
    numbers = np.frombuffer(payload, "<f8").astype(float)
    numbers.flags.writeable = False
    return _Reader(header, numbers).figure()


def sent(figure: Figure) -> tuple[dict[str, Any], bytes]:
    """The header and payload from which `read` makes this figure."""
    layers = [layer for axes in figure.axes for layer in axes.layers]
    columns = [layer.columns[name] for layer in layers for name in COLUMNS[layer.kind]]
    return {**vars(figure), "axes": [_sent_axes(each) for each in figure.axes]}, b"".join(
        column.astype("<f8").tobytes() for column in columns
    )


def _sent_axes(axes: Axes) -> dict[str, Any]:
    layers = []
    for layer in axes.layers:
        given = {name: value for name, value in vars(layer).items() if name != "columns"}
        colours = None if layer.colours is None else vars(layer.colours)
        lengths = [len(layer.columns[name]) for name in COLUMNS[layer.kind]]
        layers.append({**given, "style": vars(layer.style), "colours": colours, "lengths": lengths})
    return {**vars(axes), "x": vars(axes.x), "y": vars(axes.y), "layers": layers}


class _Reader:
    """Validates a header from the outside in, and consumes the numbers in order."""

    def __init__(self, header: Mapping[str, Any], numbers: NDArray[Any]) -> None:
        self._header = header
        self._numbers = numbers
        self._taken = 0
        self._layers = 0
        self._axes = 0

    def figure(self) -> Figure:
        top = _Fields(self._header, "a figure")
        items = top.items("axes", MOST_AXES)
        self._axes = len(items)
        axes = tuple(self._one_axes(_Fields(each, "axes")) for each in items)
        top.refuse_unless(axes, "has no axes")
        top.refuse_unless(self._taken == len(self._numbers), "has more or fewer numbers than its layers")
        width, height = top.numbers("size", 2, 0.1, 200.0)
        figure = Figure(top.text("title"), (width, height), top.count("step"), top.count("line", least=-1), axes)
        top.end()
        return figure

    def _one_axes(self, given: _Fields) -> Axes:
        left, top, width, height = given.numbers("place", 4, 0.0, 1.0)
        axes = Axes(
            place=(left, top, width, height),
            title=given.text("title"),
            x=self._scale(_Fields(given.take("x", dict), "a scale")),
            y=self._scale(_Fields(given.take("y", dict), "a scale")),
            grid=given.flag("grid"),
            legend=given.text("legend"),
            equal=given.flag("equal"),
            frame=given.flag("frame"),
            twin=given.count("twin", least=-1, most=self._axes - 1),
            layers=tuple(self._layer(_Fields(each, "a layer")) for each in given.items("layers", MOST_LAYERS)),
        )
        given.end()
        return axes

    def _scale(self, given: _Fields) -> Scale:
        limits = given.optional("limits", lambda: given.numbers("limits", 2))
        ticks = given.optional("ticks", lambda: given.numbers("ticks", None))
        names = tuple(given.text_of(each) for each in given.items("names", MOST_TICKS))
        given.refuse_unless(not names or (ticks is not None and len(names) == len(ticks)), "has names without ticks")
        scale = Scale(
            label=given.text("label"),
            kind=given.one_of("kind", SCALES),
            limits=None if limits is None else (limits[0], limits[1]),
            flipped=given.flag("flipped"),
            ticks=ticks,
            names=names,
            shared=given.count("shared", least=-1, most=self._axes - 1),
        )
        given.end()
        return scale

    def _layer(self, given: _Fields) -> Layer:
        self._layers += 1
        given.refuse_unless(self._layers <= MOST_LAYERS, "is one too many")
        kind = given.one_of("kind", tuple(COLUMNS))
        rows, columns, channels = given.counts("shape", 3)
        left, right, bottom, top = given.numbers("extent", 4)
        layer = Layer(
            kind=kind,
            style=_style(_Fields(given.take("style", dict), "a style")),
            columns=self._columns(given, kind),
            text=given.text("text"),
            anchor=given.text("anchor"),
            inside=given.flag("inside"),
            shape=(rows, columns, channels),
            extent=(left, right, bottom, top),
            colours=given.optional("colours", lambda: _colours(_Fields(given.take("colours", dict), "colours"))),
        )
        given.refuse_unless(kind != "words" or len(layer.columns["x"]) == 1, "has not one place")
        if kind == "image":
            count = len(layer.columns["value"])
            given.refuse_unless(channels in (1, 3, 4) and count == rows * columns * channels > 0, "is no picture")
            given.refuse_unless(channels != 1 or layer.colours is not None, "has no colours")
        given.end()
        return layer

    def _columns(self, given: _Fields, kind: str) -> Mapping[str, NDArray[Any]]:
        names = COLUMNS[kind]
        lengths = given.counts("lengths", len(names))
        for name, length in zip(names, lengths, strict=True):
            fits = length == lengths[0] or (name in FREE.get(kind, ()) and length in (0, 1))
            given.refuse_unless(fits, "has columns of different lengths")
        found: dict[str, NDArray[Any]] = {}
        for name, length in zip(names, lengths, strict=True):
            found[name] = self._numbers[self._taken : self._taken + length]
            self._taken += length
        return found


def _style(given: _Fields) -> Style:
    style = Style(
        color=given.colour("color"),
        edge=given.colour("edge"),
        width=given.number("width", 0.0, 100.0),
        dash=given.one_of("dash", DASHES),
        marker=given.one_of("marker", MARKERS),
        size=given.number("size", 0.0, 1000.0),
        alpha=given.number("alpha", 0.0, 1.0),
        label=given.text("label"),
    )
    given.end()
    return style


def _colours(given: _Fields) -> Colours:
    name = given.text("name")
    given.refuse_unless(is_map(name), "has an unknown name")
    colours = Colours(
        name=name,
        low=given.number("low"),
        high=given.number("high"),
        label=given.text("label"),
        bar=given.flag("bar"),
    )
    given.end()
    return colours


class _Fields:
    """One JSON object: each field is taken once, with its type; at the end none may be left."""

    def __init__(self, given: Any, what: str) -> None:
        self._what = what
        self.refuse_unless(type(given) is dict, "is no object")
        self._given: Mapping[str, Any] = given
        self._left = set(given)

    def refuse_unless(self, holds: object, what: str) -> None:
        """Raise unless the condition holds."""
        from gradviz.trace.table.encoding import TraceFormatError

        if not holds:
            raise TraceFormatError(f"malformed plot: {self._what} {what}")

    def end(self) -> None:
        """Check that nothing is left."""
        self.refuse_unless(not self._left, "has unknown fields")

    def take(self, name: str, kind: type[T]) -> T:
        """Take the value of a field, which must have exactly this type."""
        self._left.discard(name)
        value = self._given.get(name)
        self.refuse_unless(type(value) is kind, f"has no {name}")
        return value  # type: ignore[return-value]

    def optional(self, name: str, read_it: Callable[[], T]) -> T | None:
        """None if the field is null or missing."""
        if self._given.get(name) is None:
            self._left.discard(name)
            return None
        return read_it()

    def items(self, name: str, most: int) -> list[Any]:
        """A list that is not too long."""
        found = self.take(name, list)
        self.refuse_unless(len(found) <= most, f"has too many {name}")
        return found

    def text(self, name: str) -> str:
        """A text that is not too long."""
        return self.text_of(self.take(name, str))

    def text_of(self, value: Any) -> str:
        """The same for what is in a list."""
        self.refuse_unless(type(value) is str and len(value) <= MOST_TEXT, "has a text that is too long")
        return str(value)

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str:
        """One of some words."""
        value = self.take(name, str)
        self.refuse_unless(value in allowed, f"has an unknown {name}")
        return value

    def colour(self, name: str) -> str:
        """A colour as `Style` has it."""
        value = self.take(name, str)
        self.refuse_unless(_COLOUR.fullmatch(value), f"has no {name}")
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        return self.take(name, bool)

    def count(self, name: str, least: int = 0, most: int = 2**31 - 1) -> int:
        """An integer between bounds."""
        return self._count(self.take(name, int), name, least, most)

    def counts(self, name: str, length: int) -> tuple[int, ...]:
        """This many counts."""
        found = self.items(name, length)
        self.refuse_unless(len(found) == length, f"has a wrong {name}")
        return tuple(self._count(each, name, 0, MOST_NUMBERS) for each in found)

    def _count(self, value: Any, name: str, least: int, most: int) -> int:
        self.refuse_unless(type(value) is int and least <= value <= most, f"has a wrong {name}")
        return int(value)

    def number(self, name: str, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite number between bounds."""
        self._left.discard(name)
        return self._number(self._given.get(name), name, least, most)

    def numbers(
        self, name: str, length: int | None, least: float = -math.inf, most: float = math.inf
    ) -> tuple[float, ...]:
        """This many finite numbers; any number of them if the length is None."""
        found = self.items(name, MOST_TICKS if length is None else length)
        self.refuse_unless(length is None or len(found) == length, f"has a wrong {name}")
        return tuple(self._number(each, name, least, most) for each in found)

    def _number(self, value: Any, name: str, least: float, most: float) -> float:
        self.refuse_unless(type(value) in (int, float), f"has a wrong {name}")
        try:
            number = float(value)
        except OverflowError:
            number = math.nan
        self.refuse_unless(math.isfinite(number) and least <= number <= most, f"has a wrong {name}")
        return number
