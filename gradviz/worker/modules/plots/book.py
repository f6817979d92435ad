"""What is drawn in one run: the open figures with their axes and layers as plain records, which of them is the current
one, and how they are sent when they are shown. No names of Matplotlib; those are in `axes`, `figure` and `pyplot`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.trace.figures import COLUMNS, MOST_AXES, MOST_FIGURES, MOST_LAYERS, MOST_NUMBERS, MOST_TEXT, MOST_TICKS

Place = tuple[float, float, float, float]
NOT_DRAWN = "GradViz: plots are drawn without {}.\n"
TOO_MANY = f"GradViz: a run shows {MOST_FIGURES} plots at most; the others are left out.\n"
TOO_FULL = f"GradViz: a plot has {MOST_LAYERS:,} parts at most; the others are left out.\n"
THINNED = "GradViz: a plot of {:,} numbers is drawn with one of every {} of them.\n"


def short(value: object) -> str:
    """Return a text from the snippet as text that is not too long."""
    text = str.__str__(value if isinstance(value, str) else str(value))
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


@dataclass(slots=True)
class Layer:
    """One drawn layer, see `gradviz.trace.figures.Layer`; a style contains only what differs from the default."""

    kind: str
    columns: dict[str, Array]
    color: str = "C0"
    edge: str = "none"
    width: float = 1.5
    dash: str = ""
    marker: str = ""
    size: float = 6.0
    alpha: float = 1.0
    label: str = ""
    text: str = ""
    anchor: str = "left bottom"
    inside: bool = False
    shape: tuple[int, int, int] = (0, 0, 1)
    extent: Place = (0.0, 1.0, 0.0, 1.0)
    colours: dict[str, Any] | None = None

    def header(self, every: int) -> tuple[dict[str, Any], list[Array]]:
        """Return the description and every `step`-th of the numbers."""
        columns, shape = self.columns, self.shape
        if every > 1 and self.kind == "image":
            rows, wide, channels = shape
            kept = columns["value"].reshape(rows, wide, channels)[::every, ::every]
            columns, shape = {"value": kept.ravel()}, (kept.shape[0], kept.shape[1], channels)
        elif every > 1:
            columns = {name: each[::every] for name, each in columns.items()}
        arrays = [np.ascontiguousarray(columns[name], "<f8") for name in COLUMNS[self.kind]]
        names = ("color", "edge", "width", "dash", "marker", "size", "alpha", "label")
        described = {
            "kind": self.kind,
            "style": {name: getattr(self, name) for name in names},
            "lengths": [len(each) for each in arrays],
            **{name: getattr(self, name) for name in ("text", "anchor", "inside", "extent")},
            "shape": shape,
            "colours": self.colours,
        }
        return described, arrays


@dataclass(slots=True)
class Direction:
    """x or y of one axes, see `gradviz.trace.figures.Scale`."""

    label: str = ""
    kind: str = "linear"
    limits: tuple[float, float] | None = None
    flipped: bool = False
    ticks: tuple[float, ...] | None = None
    names: tuple[str, ...] = ()
    shared: int = -1
    words: dict[str, int] = field(default_factory=dict)  # categories in order of appearance

    def header(self) -> dict[str, Any]:
        """Return its description."""
        ticks, names = self.ticks, self.names
        if ticks is None and self.words:
            ticks, names = tuple(float(place) for place in range(len(self.words))), tuple(map(short, self.words))
            ticks, names = ticks[:MOST_TICKS], names[:MOST_TICKS]
        plain = {name: getattr(self, name) for name in ("label", "kind", "limits", "flipped", "shared")}
        return {**plain, "ticks": ticks, "names": list(names)}


@dataclass(slots=True)
class AxesRecord:
    """One coordinate system."""

    place: Place
    index: int
    title: str = ""
    x: Direction = field(default_factory=Direction)
    y: Direction = field(default_factory=Direction)
    grid: bool = False
    legend: str = "none"
    equal: bool = False
    frame: bool = True
    twin: int = -1
    layers: list[Layer] = field(default_factory=list)
    lines: int = 0  # how many colours of the cycle lines have used
    fills: int = 0  # and how many filled shapes have

    def next_colour(self, *, filled: bool) -> str:
        """Return the next colour of the cycle."""
        number = self.fills if filled else self.lines
        if filled:
            self.fills += 1
        else:
            self.lines += 1
        return f"C{number % 10}"

    def header(self, every: int) -> tuple[dict[str, Any], list[Array]]:
        """Return the description and the numbers."""
        parts = [layer.header(every) for layer in self.layers]
        plain = {name: getattr(self, name) for name in ("place", "title", "grid", "legend", "equal", "frame", "twin")}
        described = {**plain, "x": self.x.header(), "y": self.y.header(), "layers": [each for each, _ in parts]}
        return described, [array for _, arrays in parts for array in arrays]


@dataclass(slots=True)
class FigureRecord:
    """One figure."""

    number: int
    title: str = ""
    size: tuple[float, float] = (6.4, 4.8)
    axes: list[AxesRecord] = field(default_factory=list)
    current: int = -1
    changed: bool = False

    @property
    def count(self) -> int:
        """Return how many numbers are drawn."""
        return sum(len(each) for axes in self.axes for layer in axes.layers for each in layer.columns.values())


class Book:
    """The figures of one run."""

    __slots__ = ("_emit", "_said", "_shown", "_write", "current", "figures", "interactive")

    def __init__(self, write: Callable[[str], None], emit: Callable[[dict[str, Any], bytes], None]) -> None:
        self._write = write
        self._emit = emit
        self._said: set[str] = set()
        self._shown = 0
        self.figures: dict[int, FigureRecord] = {}
        self.current = 0
        self.interactive = False

    def say(self, sentence: str) -> None:
        """Write a sentence to the error stream, once per run."""
        if sentence not in self._said and len(self._said) < 100:
            self._said.add(sentence)
            self._write(sentence)

    def without(self, what: str) -> None:
        """Say that this is not drawn."""
        self.say(NOT_DRAWN.format(what))

    def figure(self, number: int | None = None) -> FigureRecord:
        """Return the figure with this number, created if necessary; None means a new one. It becomes the current
        one."""
        if number is None:
            number = max(self.figures, default=0) + 1
        if number not in self.figures:
            self.figures[number] = FigureRecord(number)
        self.current = number
        return self.figures[number]

    def current_figure(self) -> FigureRecord:
        """Return the current figure."""
        return self.figure(self.current if self.current in self.figures else None)

    def current_axes(self) -> AxesRecord:
        """Return the current axes of the current figure; if it has none, new axes that fill it."""
        figure = self.current_figure()
        return figure.axes[figure.current] if figure.axes else self.add_axes(figure, (0.0, 0.0, 1.0, 1.0))

    def add_axes(self, figure: FigureRecord, place: Place) -> AxesRecord:
        """Add axes, which become the current ones."""
        if len(figure.axes) >= MOST_AXES:
            raise ValueError(f"a figure has {MOST_AXES} axes at most in GradViz snippets")
        axes = AxesRecord(place, len(figure.axes))
        figure.axes.append(axes)
        figure.current = axes.index
        figure.changed = True
        return axes

    def draw(self, figure: FigureRecord, axes: AxesRecord, layer: Layer) -> Layer:
        """Add a layer."""
        figure.changed = True
        if layer.kind == "image" and not layer.columns["value"].size:
            return layer  # nothing of it would be visible
        if sum(len(each.layers) for each in figure.axes) < MOST_LAYERS:
            axes.layers.append(layer)
        else:
            self.say(TOO_FULL)
        return layer

    def show(self, figure: FigureRecord) -> None:
        """Send a figure in its current state, unless nothing is new in it."""
        if not figure.changed or not figure.axes:
            return
        figure.changed = False
        self._shown += 1
        if self._shown > MOST_FIGURES:
            self.say(TOO_MANY)
            return
        every = 1
        if figure.count > MOST_NUMBERS:
            every = _step(figure)
            self.say(THINNED.format(figure.count, every))
        parts = [axes.header(every) for axes in figure.axes]
        header = {"title": figure.title, "size": figure.size, "axes": [each for each, _ in parts]}
        self._emit(header, b"".join(array.tobytes() for _, arrays in parts for array in arrays))

    def show_all(self) -> None:
        """`plt.show()`: show every open figure, then close them."""
        for figure in self.figures.values():
            self.show(figure)
        if not self.interactive:
            self.figures.clear()

    def finish(self) -> None:
        """At the end of the run, show what is still open, as in a notebook."""
        self.interactive = False
        self.show_all()


def _step(figure: FigureRecord) -> int:
    """Return the smallest step that leaves few enough numbers."""
    every = 2
    while sum(_left(layer, every) for axes in figure.axes for layer in axes.layers) > MOST_NUMBERS:
        every += max(1, every // 4)
    return every


def _left(layer: Layer, every: int) -> int:
    if layer.kind == "image":
        rows, columns, channels = layer.shape
        return -(-rows // every) * -(-columns // every) * channels
    return sum(-(-len(each) // every) for each in layer.columns.values())
