"""`matplotlib`, `matplotlib.pyplot` and `seaborn` as modules: functions that act on the current figure and axes of the
book."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.plots.axes import Axes
from gradviz.worker.modules.plots.book import Book, FigureRecord
from gradviz.worker.modules.plots.colours import cm_module, get_cmap
from gradviz.worker.modules.plots.facade import ACCEPTED, Accepted, accept, made
from gradviz.worker.modules.plots.figure import Figure, size_of
from gradviz.worker.modules.plots.numbers import Numbers

_OF_AXES = """plot scatter bar barh hist hist2d imshow matshow pcolormesh pcolor contour contourf clabel fill_between
errorbar step stem stackplot semilogx semilogy loglog quiver axhline axvline axhspan axvspan hlines vlines text
annotate arrow legend grid axis pie boxplot violinplot hexbin streamplot table eventplot specgram polar fill spy
broken_barh twinx margins tick_params locator_params ticklabel_format autoscale minorticks_on plot_date psd"""
_SET = {"title": "set_title", "xlabel": "set_xlabel", "ylabel": "set_ylabel"}
_SCALES = ("xscale", "yscale")
_OF_FIGURE = "suptitle savefig tight_layout subplots_adjust"
_LOOK = """rc draw pause ion_update set_cmap gray viridis plasma inferno magma jet hot cool bone setp getp clim sci
rcdefaults rc_context xkcd switch_backend waitforbuttonpress thetagrids rgrids figlegend figtext get_backend
set_loglevel box"""
_PARTS = """style ticker colors animation patches gridspec lines dates patheffects font_manager offsetbox collections
transforms text cycler backends widgets projections legend_handler"""
_OF_SEABORN = "set set_theme set_style set_context set_palette reset_orig reset_defaults despine color_palette"
_MADE = """Line2D Rectangle Circle Polygon Arrow Text Normalize MaxNLocator FuncFormatter NullLocator MultipleLocator
FormatStrFormatter LinearLocator LogLocator NullFormatter ScalarFormatter"""
DEFAULTS = {"figure.figsize": [6.4, 4.8], "figure.dpi": 100.0, "font.size": 10.0, "lines.linewidth": 1.5}


class Pyplot:
    """The functions of one run."""

    def __init__(self, book: Book, numbers: Numbers) -> None:
        self._book = book
        self._numbers = numbers
        self.settings: dict[str, object] = dict(DEFAULTS)

    def names(self) -> dict[str, object]:
        """Return everything public of `matplotlib.pyplot`."""
        own = (
            *(self.figure, self.subplots, self.subplot, self.subplot_mosaic, self.axes, self.gca, self.gcf, self.show),
            *(self.close, self.clf, self.cla, self.sca, self.xlim, self.ylim, self.xticks, self.yticks, self.colorbar),
            *(self.get_cmap, self.ion, self.ioff, self.isinteractive, self.fignum_exists, self.get_fignums),
        )
        names: dict[str, object] = dict.fromkeys(_LOOK.split(), accept)
        names |= {name: self._through(self.gca, name) for name in _OF_AXES.split()}
        names |= {name: self._through(self.gca, setter) for name, setter in _SET.items()}
        names |= {name: self._through(self.gca, f"set_{name}") for name in _SCALES}
        names |= {name: self._through(self.gcf, name) for name in _OF_FIGURE.split()}
        names |= {function.__name__: function for function in own}
        cm = cm_module(self._numbers)
        names |= dict.fromkeys(_MADE.split(), ACCEPTED)
        return names | {"rcParams": self.settings, "cm": cm, "style": ACCEPTED, "Figure": Figure, "Axes": Axes}

    @staticmethod
    def _through(owner: Callable[[], object], method: str) -> Callable[..., object]:
        def call(*args: object, **keywords: object) -> Any:
            return getattr(owner(), method)(*args, **keywords)

        call.__name__ = call.__qualname__ = method
        return call

    def _figure_of(self, record: FigureRecord) -> Figure:
        return made(Figure, figure=record, book=self._book, numbers=self._numbers)

    # figures

    def figure(
        self, num: object = None, figsize: object = None, *args: object, clear: bool = False, **look: object
    ) -> Figure:
        """Return a new figure, or the one with this number."""
        number = num if type(num) is int and abs(num) < 1_000_000 else None
        fresh = number is None or number not in self._book.figures
        record = self._book.figure(number)
        if fresh or figsize is not None:
            record.size = size_of(self.settings.get("figure.figsize") if figsize is None else figsize)
        figure = self._figure_of(record)
        if clear:
            figure.clf()
        return figure

    def subplots(
        self, nrows: int = 1, ncols: int = 1, *, figsize: object = None, num: object = None, **more: Any
    ) -> object:
        """Return a new figure and its axes."""
        figure = self.figure(num, figsize)
        projection = (more.pop("subplot_kw", None) or {}).get("projection")
        if projection is not None:
            return figure, figure.add_subplot(projection=projection)
        return figure, figure.subplots(nrows, ncols, **more)

    def subplot_mosaic(self, mosaic: Any, **more: object) -> object:
        """Return named axes in rows and columns; only cells of equal size."""
        rows = [list(row) for row in (mosaic.split() if type(mosaic) is str else mosaic)]
        figure = self.figure(None, more.get("figsize"))
        count, wide = len(rows), len(rows[0])
        names = {name: None for row in rows for name in row if name != "."}
        cells = {
            name: [r * wide + c + 1 for r in range(count) for c in range(wide) if rows[r][c] == name] for name in names
        }
        return figure, {name: figure.add_subplot(count, wide, (min(at), max(at))) for name, at in cells.items()}

    def subplot(self, *args: object, **more: Any) -> Accepted | Axes:
        """Return axes in a cell of the current figure."""
        return self.gcf().add_subplot(*args, **more)

    def axes(self, arg: object = None, **more: Any) -> Accepted | Axes:
        """Add axes to the current figure."""
        if more.get("projection") is not None or arg is None:
            return self.gcf().add_subplot(**more)
        return self.gcf().add_axes(arg)

    def gcf(self) -> Figure:
        """Return the current figure."""
        fresh = self._book.current not in self._book.figures
        record = self._book.current_figure()
        if fresh:
            record.size = size_of(self.settings.get("figure.figsize", record.size))
        return self._figure_of(record)

    def gca(self) -> Axes:
        """Return the current axes."""
        return self.gcf().gca()

    def sca(self, ax: object) -> None:
        """Make these the current axes."""
        if isinstance(ax, Axes):
            self._book.current = ax._figure.number
            ax._figure.current = ax._axes.index

    def show(self, *args: object, **more: object) -> None:
        """Show every open figure."""
        self._book.show_all()

    def close(self, fig: Any = None) -> None:
        """Close a figure without showing what is new in it."""
        figures = self._book.figures
        if fig == "all":
            figures.clear()
        else:
            number = fig._figure.number if isinstance(fig, Figure) else fig if type(fig) is int else self._book.current
            figures.pop(number, None)

    def clf(self) -> None:
        """Remove the axes of the current figure."""
        self.gcf().clf()

    def cla(self) -> None:
        """Remove what the current axes show."""
        self.gca().cla()

    def ion(self) -> Accepted:
        """Keep figures open; they are shown at the end of the run."""
        self._book.interactive = True
        return ACCEPTED

    def ioff(self) -> Accepted:
        """Let show() show the figures."""
        self._book.interactive = False
        return ACCEPTED

    def isinteractive(self) -> bool:
        """Whether figures are kept open."""
        return self._book.interactive

    def fignum_exists(self, num: object) -> bool:
        """Whether this figure is open."""
        return num in self._book.figures

    def get_fignums(self) -> list[int]:
        """Return the numbers of the open figures."""
        return sorted(self._book.figures)

    # axes

    def xlim(self, *args: object, **keywords: object) -> tuple[float, float]:
        """Return the limits of x, after setting them if they are given."""
        return self.gca().set_xlim(*args, **keywords) if args or keywords else self.gca().get_xlim()

    def ylim(self, *args: object, **keywords: object) -> tuple[float, float]:
        """Return the limits of y, after setting them if they are given."""
        return self.gca().set_ylim(*args, **keywords) if args or keywords else self.gca().get_ylim()

    def xticks(self, ticks: object = None, labels: object = None, **look: object) -> tuple[Accepted, Accepted]:
        """Set the ticks of x."""
        if ticks is not None:
            self.gca().set_xticks(ticks, labels)
        return ACCEPTED, ACCEPTED

    def yticks(self, ticks: object = None, labels: object = None, **look: object) -> tuple[Accepted, Accepted]:
        """Set the ticks of y."""
        if ticks is not None:
            self.gca().set_yticks(ticks, labels)
        return ACCEPTED, ACCEPTED

    def colorbar(self, *args: object, **keywords: object) -> Any:
        """Add a colour bar for the last points or image."""
        return self.gcf().colorbar(*args, **keywords)

    def get_cmap(self, name: object = None, lut: object = None) -> Any:
        """Return a colour map by name."""
        return get_cmap(self._numbers, name, lut)


def _backend() -> str:
    """Accept any backend: plots are drawn by the program, without a window of their own."""
    return "agg"


def plot_modules(book: Book, plain: Callable[[object], object]) -> dict[str, object]:
    """Return `matplotlib`, `matplotlib.pyplot` and what is imported with them; `plain` as in `Numbers`."""
    numbers = Numbers(plain)
    pyplot = Pyplot(book, numbers)
    names = pyplot.names()
    plt = stand_in("matplotlib.pyplot", names)
    figure = stand_in("matplotlib.figure", {"Figure": Figure})
    axes = stand_in("matplotlib.axes", {"Axes": Axes, "Subplot": Axes})
    parts: dict[str, object] = {name: ACCEPTED for name in _PARTS.split()} | {"figure": figure, "axes": axes}
    parts |= {"cm": names["cm"], "pyplot": plt}
    maps = stand_in("matplotlib.colormaps", {"get_cmap": pyplot.get_cmap})
    root = stand_in(
        "matplotlib",
        {"use": accept, "rc": accept, "get_backend": _backend}
        | {"rcParams": pyplot.settings, "__version__": "3.10.0", "colormaps": maps, **parts},
    )
    solid = stand_in("mpl_toolkits.mplot3d", {"Axes3D": _solid_axes})
    toolkits = {"mpl_toolkits.mplot3d": solid, "mpl_toolkits": stand_in("mpl_toolkits", {"mplot3d": solid})}
    seaborn = stand_in("seaborn", dict.fromkeys(_OF_SEABORN.split(), accept) | {"heatmap": _heatmap(pyplot, numbers)})
    toolkits["seaborn"] = seaborn
    return {"matplotlib": root, **{f"matplotlib.{name}": part for name, part in parts.items()}, **toolkits}


def _heatmap(pyplot: Pyplot, numbers: Numbers) -> Callable[..., Axes]:
    def heatmap(
        data: Any, *, vmin: Any = None, vmax: Any = None, cmap: object = None, annot: Any = None, fmt: str = ".2g",
        cbar: object = True, xticklabels: Any = "auto", yticklabels: Any = "auto", ax: Any = None, **look: object,
    ) -> Axes:  # fmt: skip
        """Draw a table of numbers in colours, with the numbers if they are asked for."""
        form = str.__str__(fmt)
        table, axes = numbers.array(data), pyplot.gca() if ax is None else ax
        rows, columns = table.shape
        low, high = (given if given is not None else edge for given, edge in ((vmin, table.min()), (vmax, table.max())))
        look = {"cmap": cmap or "magma", "vmin": low, "vmax": high}
        drawn = axes.imshow(data, aspect="auto", extent=(0, columns, rows, 0), **look)
        if annot is not None and annot is not False:
            texts, colours = table if annot is True else numbers.array(annot), pyplot.get_cmap(look["cmap"])
            for (row, column), value in np.ndenumerate(table):
                red, green, blue = tuple(colours(float((value - low) / ((high - low) or 1))))[:3]
                shade = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.6 else "black"
                number = texts[row, column].item()
                text = format(int(number) if form.endswith("d") else number, form)
                axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=shade)
        for put, given, name, count in (
            (axes.set_xticks, xticklabels, "columns", columns),
            (axes.set_yticks, yticklabels, "index", rows),
        ):
            own = getattr(data, name) if hasattr(data, "columns") else range(count)
            names = own if given is True or isinstance(given, str) else given
            shown = [str.__str__(str(each)) for each in names or ()]
            put([at + 0.5 for at in range(len(shown))], shown)
        axes.set_xlim(0, columns)
        axes.set_ylim(rows, 0)
        if cbar:
            pyplot.gcf().colorbar(drawn, ax=axes)
        return axes

    return heatmap


def _solid_axes(fig: Any, *place: object, **look: object) -> object:
    """`Axes3D(fig)`, as before `projection="3d"`."""
    return fig.add_subplot(projection="3d")
