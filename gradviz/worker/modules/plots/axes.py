"""The axes of a plot for a snippet: the drawing methods come from `shapes` and `images`; here are titles, labels,
limits, ticks, scales, the legend and twins."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gradviz.trace.figures import MOST_TICKS
from gradviz.worker.modules.plots.artists import Artist, Pen
from gradviz.worker.modules.plots.book import AxesRecord, Book, Direction, FigureRecord, Layer, short
from gradviz.worker.modules.plots.facade import ACCEPTED, Accepted, Facade, Legend, Title, absent, made
from gradviz.worker.modules.plots.images import INSIDE, Images, Inside
from gradviz.worker.modules.plots.numbers import Numbers
from gradviz.worker.modules.plots.shapes import Bars, Lines
from gradviz.worker.objects.numpy_boundary import to_snippet

LOOK = """tick_params margins locator_params ticklabel_format minorticks_on minorticks_off relim autoscale
autoscale_view spines xaxis yaxis transData patch label_outer autofmt_xdate use_sticky_edges sharex sharey add_artist
dataLim bbox name zorder can_zoom format_coord bar_label"""
NOT_DRAWN = """pie boxplot violinplot hexbin streamplot table eventplot specgram psd polar barbs tripcolor triplot
tricontour tricontourf spy broken_barh add_patch add_collection add_line inset_axes indicate_inset twiny
secondary_xaxis secondary_yaxis plot_surface plot_wireframe fill loglog_3d plot_date xcorr acorr magnitude_spectrum
cohere csd axline stairs ecdf grouped_bar"""
MARGIN = 0.05


R = TypeVar("R")


def drawn(part: Callable[[Pen], object], method: Callable[..., R]) -> Callable[..., R]:
    """Return a drawing method of a part as a method of the axes that it draws into."""

    @functools.wraps(method)
    def call(self: Axes, *args: object, **keywords: object) -> R:
        return method(part(_pen(self)), *args, **keywords)

    return call


def _pen(axes: Axes) -> Pen:
    return Pen(axes._axes, axes._book, axes._figure, axes._numbers)


class Axes(Facade):
    """One coordinate system."""

    __slots__ = ("_axes", "_book", "_figure", "_numbers")
    _axes: AxesRecord
    _book: Book
    _figure: FigureRecord
    _numbers: Numbers

    def __repr__(self) -> str:
        parts = [f"title={{'center': {self._axes.title!r}}}"] if self._axes.title else []
        for name in ("x", "y"):
            label = getattr(self._axes, name).label
            parts += [f"{name}label={label!r}"] if label else []
        return f"<Axes: {', '.join(parts)}>"

    plot = drawn(Lines, Lines.plot)
    semilogx = drawn(Lines, Lines.semilogx)
    semilogy = drawn(Lines, Lines.semilogy)
    loglog = drawn(Lines, Lines.loglog)
    step = drawn(Lines, Lines.step)
    scatter = drawn(Lines, Lines.scatter)
    errorbar = drawn(Lines, Lines.errorbar)
    stem = drawn(Lines, Lines.stem)
    fill_between = drawn(Lines, Lines.fill_between)
    stackplot = drawn(Lines, Lines.stackplot)
    axhline = drawn(Lines, Lines.axhline)
    axvline = drawn(Lines, Lines.axvline)
    hlines = drawn(Lines, Lines.hlines)
    vlines = drawn(Lines, Lines.vlines)
    bar = drawn(Bars, Bars.bar)
    barh = drawn(Bars, Bars.barh)
    hist = drawn(Bars, Bars.hist)
    axvspan = drawn(Bars, Bars.axvspan)
    axhspan = drawn(Bars, Bars.axhspan)
    imshow = drawn(Images, Images.imshow)
    matshow = drawn(Images, Images.matshow)
    pcolormesh = drawn(Images, Images.pcolormesh)
    pcolor = drawn(Images, Images.pcolor)
    contour = drawn(Images, Images.contour)
    contourf = drawn(Images, Images.contourf)
    hist2d = drawn(Images, Images.hist2d)
    quiver = drawn(Images, Images.quiver)
    arrow = drawn(Images, Images.arrow)
    text = drawn(Images, Images.text)
    annotate = drawn(Images, Images.annotate)
    clabel = drawn(Images, Images.clabel)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Axes' object has no attribute '{name}'")
        if name in LOOK.split():
            return ACCEPTED
        return absent("'Axes' object", name, LOOK, NOT_DRAWN, self._book.without)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axes) and other._axes is self._axes

    def __hash__(self) -> int:
        return id(self._axes)

    axes = property(lambda self: self, doc="Itself, as every artist of Matplotlib knows its axes.")
    title = property(
        lambda self: made(Title, place=(0.5, 1.0), text=self._axes.title, put=self.set_title), doc="Its title."
    )

    # titles and labels

    def _changed(self) -> AxesRecord:
        self._figure.changed = True
        return self._axes

    def set_title(self, label: object, *args: object, **look: object) -> Title:
        """Set the title."""
        self._changed().title = text = short(label)
        return made(Title, place=(0.5, 1.0), text=text, put=self.set_title)

    def set_xlabel(self, xlabel: object, *args: object, **look: object) -> Title:
        """Set the label of x."""
        self._changed().x.label = text = short(xlabel)
        return made(Title, place=(0.5, 0), text=text, put=self.set_xlabel)

    def set_ylabel(self, ylabel: object, *args: object, **look: object) -> Title:
        """Set the label of y."""
        self._changed().y.label = text = short(ylabel)
        return made(Title, place=(0, 0.5), text=text, put=self.set_ylabel)

    def get_title(self) -> str:
        """Return the title."""
        return self._axes.title

    def get_xlabel(self) -> str:
        """Return the label of x."""
        return self._axes.x.label

    def get_ylabel(self) -> str:
        """Return the label of y."""
        return self._axes.y.label

    def set(self, **what: object) -> None:
        """Set several properties at once: title, xlabel, xlim, …"""
        for name, value in what.items():
            setter = getattr(self, f"set_{short(name)}")
            setter(value)

    # limits and scales

    def set_xlim(
        self, left: object = None, right: object = None, *, xmin: object = None, xmax: object = None, **more: object
    ) -> tuple[float, float]:
        """Set the limits of x."""
        _limit(self, self._axes.x, left if xmin is None else xmin, right if xmax is None else xmax, self.get_xlim)
        return self.get_xlim()

    def set_ylim(
        self, bottom: object = None, top: object = None, *, ymin: object = None, ymax: object = None, **more: object
    ) -> tuple[float, float]:
        """Set the limits of y."""
        _limit(self, self._axes.y, bottom if ymin is None else ymin, top if ymax is None else ymax, self.get_ylim)
        return self.get_ylim()

    def get_xlim(self) -> tuple[float, float]:
        """Return the limits of x."""
        return _ends(self._axes.x, self._axes.layers, ("x", "left", "right", "x0", "x1"), slice(0, 2))

    def get_ylim(self) -> tuple[float, float]:
        """Return the limits of y."""
        return _ends(self._axes.y, self._axes.layers, ("y", "bottom", "top", "y0", "y1", "low", "high"), slice(2, 4))

    def set_xscale(self, value: object, **more: object) -> None:
        """Make x linear or logarithmic."""
        _scale(self, self._axes.x, value)

    def set_yscale(self, value: object, **more: object) -> None:
        """Make y linear or logarithmic."""
        _scale(self, self._axes.y, value)

    def invert_xaxis(self) -> None:
        """Let x grow to the left."""
        self._changed().x.flipped ^= True

    def invert_yaxis(self) -> None:
        """Let y grow downwards."""
        self._changed().y.flipped ^= True

    def set_aspect(self, aspect: object, *args: object, **more: object) -> None:
        """Set whether x and y have equal units."""
        self._changed().equal = aspect in ("equal", 1, 1.0)

    def axis(self, arg: Any = None, /, **more: Any) -> tuple[float, float, float, float]:
        """Turn the frame off or on, set equal units, or set four limits."""
        if type(arg) is str or type(arg) is bool:
            words = {"off": False, "on": True, False: False, True: True}
            if arg in words:
                self._changed().frame = words[arg]
            elif arg in ("equal", "scaled", "image", "square"):
                self._changed().equal = True
            elif arg not in ("tight", "auto"):
                raise ValueError(f"Unrecognized string {arg!r} to axis; try 'on' or 'off'")
        elif arg is not None:
            left, right, bottom, top = arg
            self.set_xlim(left, right)
            self.set_ylim(bottom, top)
        return (*self.get_xlim(), *self.get_ylim())

    def set_axis_off(self) -> None:
        """Turn off the frame and the ticks."""
        self._changed().frame = False

    def grid(self, visible: object = None, *args: object, **look: object) -> None:
        """Show lines at the ticks."""
        self._changed().grid = bool(
            not self._axes.grid if visible is None and not look and not args else visible is not False
        )

    # ticks

    def set_xticks(self, ticks: object, labels: object = None, **more: object) -> Accepted:
        """Set the places and names of the ticks of x."""
        return _ticks(self, self._axes.x, ticks, labels)

    def set_yticks(self, ticks: object, labels: object = None, **more: object) -> Accepted:
        """Set the places and names of the ticks of y."""
        return _ticks(self, self._axes.y, ticks, labels)

    def set_xticklabels(self, labels: object, **look: object) -> Accepted:
        """Set the names of the ticks of x."""
        return _names(self, self._axes.x, labels)

    def set_yticklabels(self, labels: object, **look: object) -> Accepted:
        """Set the names of the ticks of y."""
        return _names(self, self._axes.y, labels)

    # the legend, twins, clearing

    def legend(self, *args: object, **look: Any) -> Accepted:
        """Show the legend; names that are given go to what is drawn, in order."""
        labels = look.get("labels", args[-1] if args else None)
        handles = look.get("handles", args[0] if len(args) == 2 else None)
        shown = [each for each in self._axes.layers if each.kind not in ("words", "image")]
        if handles is not None and handles is not ACCEPTED:
            shown = [each._layers[0] for each in handles if isinstance(each, Artist)]
        if labels is not None and not (handles is None and len(args) == 1 and isinstance(args[0], Accepted)):
            for layer, label in zip(shown, [labels] if type(labels) is str else labels, strict=False):
                layer.label = short(label)
        place = look.get("loc", "best")
        self._changed().legend = (
            place if place in PLACES else NUMBERED.get(place, "best") if type(place) is int else "best"
        )
        return made(Legend)

    def get_legend_handles_labels(self) -> tuple[list[Artist], list[str]]:
        """Return what has a name, and the names."""
        named = [each for each in self._axes.layers if each.label]
        return [_pen(self).handle(Artist, each) for each in named], [each.label for each in named]

    def twinx(self) -> Axes:
        """Return axes over these, with another y on the right."""
        other = self._book.add_axes(self._figure, self._axes.place)
        other.twin = self._axes.index
        other.x.shared = self._axes.index
        return made(Axes, axes=other, book=self._book, figure=self._figure, numbers=self._numbers)

    def cla(self) -> None:
        """Remove everything."""
        record = self._changed()
        fresh = AxesRecord(record.place, record.index)
        for name in AxesRecord.__slots__:
            setattr(record, name, getattr(fresh, name))

    clear = cla

    @property
    def transAxes(self) -> Inside:
        """Places as fractions of the axes."""
        return INSIDE

    @property
    def figure(self) -> object:
        """The figure."""
        from gradviz.worker.modules.plots.figure import Figure

        return made(Figure, book=self._book, figure=self._figure, numbers=self._numbers)

    def get_lines(self) -> list[Artist]:
        """Return the lines in the axes."""
        return [_pen(self).handle(Artist, each) for each in self._axes.layers if each.kind == "line"]

    lines = property(get_lines, doc="The lines in the axes.")


def _limit(axes: Axes, direction: Direction, low: Any, high: object, now: Any) -> None:
    if low is not None and high is None and np.ndim(axes._numbers.array(low)) == 1:
        low, high = low
    known = now()
    ends = [known[i] if each is None else axes._numbers.number(each) for i, each in enumerate((low, high))]
    if not all(math.isfinite(each) for each in ends):
        raise ValueError("Axis limits cannot be NaN or Inf")
    axes._changed()
    direction.flipped = bool(ends[0] > ends[1])
    direction.limits = (min(ends), max(ends))


def _scale(axes: Axes, direction: Direction, value: object) -> None:
    names = ("linear", "log", "symlog", "logit", "asinh", "function")
    if value not in names:
        raise ValueError(f"{value!r} is not a valid value for scale; supported values are {', '.join(names)}")
    if value not in ("linear", "log"):
        axes._book.without(f"the {value} scale")
    axes._changed()
    direction.kind = "log" if value == "log" else "linear"


def _ticks(axes: Axes, direction: Direction, ticks: object, labels: object) -> Accepted:
    axes._changed()
    places = axes._numbers.along(ticks, direction) if np.size(axes._numbers.array(ticks)) else np.zeros(0)
    direction.ticks = tuple(float(each) for each in places.ravel() if math.isfinite(each))[:MOST_TICKS]
    direction.names = ()
    if labels is not None:
        _names(axes, direction, labels)
    return ACCEPTED


def _names(axes: Axes, direction: Direction, labels: Any) -> Accepted:
    if isinstance(labels, Accepted):
        return ACCEPTED
    names = tuple(short(each) for each in labels)[:MOST_TICKS]
    axes._changed()
    if direction.ticks is None:
        direction.ticks = tuple(float(place) for place in range(len(names)))
    if names and len(names) != len(direction.ticks):
        raise ValueError(
            f"The number of FixedLocator locations ({len(direction.ticks)}), usually from a call to set_ticks, "
            f"does not match the number of labels ({len(names)})."
        )
    direction.names = names if names else ("",) * len(direction.ticks)
    return ACCEPTED


PLACES = (
    "best",
    *(f"{up} {side}".strip() for up in ("upper", "lower", "center") for side in ("left", "center", "right")),
)
NUMBERED = dict(
    enumerate("best,upper right,upper left,lower left,lower right,best,center left,center right".split(","))
)


def _ends(direction: Direction, layers: list[Layer], names: tuple[str, ...], sides: slice) -> tuple[Any, Any]:
    """Return the limits: the given ones, or those of the numbers with a margin, which images go without."""
    if direction.limits is None:
        pictures = [layer.extent[sides] for layer in layers if layer.kind == "image"]
        parts = [layer.columns[name] for layer in layers for name in names if name in layer.columns]
        found = np.concatenate([np.zeros(0), *parts, *pictures])
        found = found[np.isfinite(found)]
        low, high = (found.min(), found.max()) if found.size else (np.float64(0.0), np.float64(1.0))
        edge = (high - low) * MARGIN if found.size and not pictures else 0.0
        low, high = to_snippet(low - edge), to_snippet(high + edge)
    else:
        low, high = direction.limits
    return (high, low) if direction.flipped else (low, high)
