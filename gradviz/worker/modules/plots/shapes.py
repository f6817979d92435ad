"""The drawing methods of an axes that draw lines, points or bars: `plot`, `scatter`, `step`, `errorbar`, `stem`, `bar`,
`hist`, `axhspan` and the like."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.trace.figures import MOST_TICKS
from gradviz.worker.modules.plots import colours
from gradviz.worker.modules.plots.artists import (
    Artist,
    BarContainer,
    Coloured,
    Line2D,
    Pen,
    colour_range,
    same_length,
    spread,
)
from gradviz.worker.modules.plots.book import Layer, short
from gradviz.worker.modules.plots.colours import options
from gradviz.worker.objects.numpy_boundary import to_snippet

MOST_GROUPS = 64  # different colours among the points of one call
SIZE = 6.0  # diameter in points


class Lines:
    """The methods that draw these with a pen."""

    __slots__ = ("_pen",)

    def __init__(self, pen: Pen) -> None:
        self._pen = pen

    def plot(self, *args: Any, data: Any = None, **look: object) -> list[Line2D]:
        """Draw lines: y, or x and y, or several pairs, each with or without a format string."""
        if data is not None:
            args = tuple(data[each] if type(each) is str and each in data else each for each in args)
        given, left = options(look, "Line2D"), list(args)
        drawn: list[Line2D] = []
        while left:
            first, second, form = left.pop(0), None, ""
            if left and type(left[0]) is not str:
                second = left.pop(0)
            if left and type(left[0]) is str:
                form = left.pop(0)
            x, y = self._pair(first, second)
            drawn += [self._line(*column, form, given, number) for number, column in enumerate(_columns(x, y))]
        return drawn

    def _pair(self, first: object, second: object) -> tuple[Array | None, Array]:
        if second is None:
            return None, self._pen.numbers.along(first, self._pen.axes.y)
        x, y = self._pen.numbers.along(first, self._pen.axes.x), self._pen.numbers.along(second, self._pen.axes.y)
        same_length(x, y)
        if x.ndim > 2 or y.ndim > 2:
            raise ValueError(f"x and y can be no greater than 2D, but have shapes {x.shape} and {y.shape}")
        return x, y

    def _line(self, x: Array, y: Array, form: str, given: dict[str, Any], number: int) -> Line2D:
        dash, marker, color = colours.format_string(form) if form else (None, None, None)
        if marker is not None and dash is None:
            dash = "none"
        said = {"linestyle": dash, "marker": marker, "color": color}
        mine = {key: value for key, value in said.items() if value is not None} | given
        if type(mine.get("label")) in (list, tuple):
            mine["label"] = mine["label"][number] if number < len(mine["label"]) else None
        return self._pen.handle(
            Line2D, self._pen.add("line", {"x": x, "y": y}, mine, color=self._pen.colour(mine, filled=False))
        )

    def semilogx(self, *args: object, **look: object) -> list[Line2D]:
        """`plot` with a logarithmic x."""
        self._pen.axes.x.kind = "log"
        return self.plot(*args, **_without_base(look))

    def semilogy(self, *args: object, **look: object) -> list[Line2D]:
        """`plot` with a logarithmic y."""
        self._pen.axes.y.kind = "log"
        return self.plot(*args, **_without_base(look))

    def loglog(self, *args: object, **look: object) -> list[Line2D]:
        """`plot` with both axes logarithmic."""
        self._pen.axes.x.kind = "log"
        return self.semilogy(*args, **look)

    def step(self, x: object, y: object, *form: object, where: str = "pre", **look: object) -> list[Line2D]:
        """Draw a staircase line."""
        across, up = self._pen.x(x), self._pen.y(y)
        same_length(across, up)
        return self.plot(*_stairs(across, up, where), *form, **look)

    def scatter(
        self,
        x: object,
        y: object,
        s: object = None,
        c: object = None,
        marker: object = "o",
        cmap: object = None,
        norm: object = None,
        vmin: object = None,
        vmax: object = None,
        clim: Any = None,
        **look: object,
    ) -> Coloured:
        """Draw points, with the given sizes and colours."""
        given = options(look, "PathCollection") | {"marker": marker or "o"}
        across, up = self._pen.x(x), self._pen.y(y)
        if across.shape != up.shape:
            raise ValueError("x and y must be the same size")
        size = np.sqrt(np.maximum(np.ravel(self._pen.numbers.array(SIZE**2 if s is None else s)), 0.0))
        if len(size) not in (1, len(across)):
            raise ValueError("s must be a scalar, or float array-like with the same size as x and y")
        groups = self._groups(given["color"] if c is None and "color" in given else c, len(across))
        given.pop("color", None)
        outlines = self._groups(given.pop("edgecolor", None), len(across))
        layers: list[Layer] = []
        for (color, of_color, value), (edge, of_edge, _) in itertools.product(groups, outlines):
            chosen = of_edge if type(of_color) is slice else of_color
            if type(of_color) is not slice and type(of_edge) is not slice:
                chosen = of_color & of_edge
            elif len(value):
                value = value[of_edge]
            columns = {"x": across[chosen], "y": up[chosen], "size": size if len(size) == 1 else size[chosen]}
            held = {**given, "color": color} if color is not None else given
            held = {**held, "edgecolor": edge} if edge is not None else held
            first = {**held, "label": None} if layers else held
            layer = self._pen.add(
                "points",
                {**columns, "value": value},
                first,
                color=self._pen.colour(held, filled=True),
                dash="none",
                colours=colour_range(value, cmap, *(clim or (vmin, vmax))) if len(value) else None,
            )
            layers.append(layer)
        return self._pen.handle(Coloured, *layers)

    def _groups(self, c: Any, count: int) -> list[tuple[Any, Any, Array]]:
        """Return (colour, which points, their numbers for the colour map); one group if all are alike."""
        none, every = np.zeros(0), slice(None)
        if c is None or type(c) is str or (type(c) is tuple and len(c) in (3, 4) and count != len(c)):
            return [(c, every, none)]
        if type(c) in (list, tuple) and len(c) and all(type(each) in (str, tuple, list) for each in c):
            if len(c) == 1:
                return [(c[0], every, none)]
            names = [colours.colour(each)[0] for each in c]
            _fits(len(names), count)
            order = list(dict.fromkeys(names))[:MOST_GROUPS]
            return [(_again(name), np.array([each == name for each in names]), none) for name in order]
        value = self._pen.numbers.array(c)
        if value.ndim == 2 and value.shape[1] in (3, 4) and value.shape[0] in (1, count):
            rows = [tuple(map(float, row)) for row in value]
            return self._groups(rows[0] if len(rows) == 1 else rows, count)
        _fits(value.size, count)
        return [(None, every, value.ravel())]

    def errorbar(
        self, x: object, y: object, yerr: object = None, xerr: object = None, fmt: str = "", **look: object
    ) -> tuple[Line2D, list[Artist], list[Artist]]:
        """Draw a line whose points have error bars."""
        ecolor = look.pop("ecolor", None)
        given = {key: value for key, value in look.items() if key not in ("capsize", "elinewidth", "capthick")}
        line = self.plot(x, y, *([fmt] if fmt and fmt != "none" else []), **given)[0]
        across, up = self._pen.x(x), self._pen.y(y)
        layer = line._layers[0]
        if fmt == "none":
            layer.dash = "none"
        bars: list[Artist] = []
        for error, upright in ((yerr, True), (xerr, False)):
            if error is None:
                continue
            low, high = _errors(self._pen.numbers.array(error), len(up))
            ends = (across, up - low, across, up + high) if upright else (across - low, up, across + high, up)
            columns = dict(zip(("x0", "y0", "x1", "y1"), ends, strict=True))
            added = self._pen.add("segments", columns, {"color": ecolor}, color=layer.color, marker="|")
            bars.append(self._pen.handle(Artist, added))
        return line, [], bars

    def stem(
        self, *args: object, bottom: float = 0, label: object = None, **look: object
    ) -> tuple[Line2D, Artist, Line2D]:
        """Draw points on stems."""
        numbers = [each for each in args if type(each) is not str]
        up = self._pen.y(numbers[-1])
        across = self._pen.x(numbers[0]) if len(numbers) > 1 else np.arange(len(up), dtype=float)
        same_length(across, up)
        marks = self.plot(across, up, "o", label=label)[0]
        base = np.full_like(up, float(bottom))
        color = marks._layers[0].color
        stems = self._pen.add("segments", {"x0": across, "y0": base, "x1": across, "y1": up}, {}, color=color)
        ends = np.array([across.min(), across.max()]) if len(across) else np.zeros(0)
        floor = self._pen.add("line", {"x": ends, "y": np.full_like(ends, float(bottom))}, {}, color="C3", dash="-")
        return marks, self._pen.handle(Artist, stems), self._pen.handle(Line2D, floor)

    def fill_between(
        self,
        x: object,
        y1: object,
        y2: object = 0,
        where: object = None,
        interpolate: bool = False,
        step: object = None,
        **look: object,
    ) -> Artist:
        """Fill the area between two lines."""
        chosen = np.ones(1) if where is None else self._pen.numbers.array(where)
        across, low, high, chosen = spread(self._pen.x(x), self._pen.y(y1), self._pen.y(y2), chosen)
        low, high = np.where(chosen != 0, low, np.nan), np.where(chosen != 0, high, np.nan)
        return self._area(across, low, high, look)

    def _area(self, across: Array, low: Array, high: Array, look: dict[str, object]) -> Artist:
        given = options(look, "FillBetweenPolyCollection")
        color = self._pen.colour(given, filled=True)
        return self._pen.handle(
            Artist, self._pen.add("area", {"x": across, "low": low, "high": high}, given, color=color)
        )

    def stackplot(self, x: object, *ys: object, labels: Any = (), colors: Any = None, **look: object) -> list[Artist]:
        """Draw areas on top of each other."""
        across, below, drawn = self._pen.x(x), np.zeros(1), []
        rows = [row for each in ys for row in np.atleast_2d(self._pen.numbers.array(each))]
        for number, row in enumerate(rows):
            across, low, high = spread(across, below, below + row)
            said = {"label": labels[number]} if number < len(labels) else {}
            said |= {"color": colors[number % len(colors)]} if colors else {}
            drawn.append(self._area(across, low, high, {**look, **said}))
            below = high
        return drawn

    def axhline(self, y: object = 0, xmin: float = 0, xmax: float = 1, **look: object) -> Line2D:
        """Draw a line across the axes."""
        return self._rule(np.array([np.nan]), self._pen.numbers.array([y]), look)

    def axvline(self, x: object = 0, ymin: float = 0, ymax: float = 1, **look: object) -> Line2D:
        """Draw a line from the bottom to the top."""
        return self._rule(self._pen.numbers.array([x]), np.array([np.nan]), look)

    def _rule(self, x: Array, y: Array, look: dict[str, object]) -> Line2D:
        given = options(look, "Line2D")
        color = self._pen.colour(given, filled=False)
        return self._pen.handle(Line2D, self._pen.add("rule", {"x": x, "y": y}, given, color=color, dash="-"))

    def hlines(
        self, y: object, xmin: object, xmax: object, colors: object = None, linestyles: object = "solid", **look: object
    ) -> Artist:
        """Draw horizontal lines."""
        up, low, high = spread(self._pen.y(y), self._pen.x(xmin), self._pen.x(xmax))
        return self._strokes((low, up, high, up), {"colors": colors, "linestyles": linestyles, **look})

    def vlines(
        self, x: object, ymin: object, ymax: object, colors: object = None, linestyles: object = "solid", **look: object
    ) -> Artist:
        """Draw vertical lines."""
        across, low, high = spread(self._pen.x(x), self._pen.y(ymin), self._pen.y(ymax))
        return self._strokes((across, low, across, high), {"colors": colors, "linestyles": linestyles, **look})

    def _strokes(self, ends: tuple[Array, ...], look: dict[str, Any]) -> Artist:
        if look.get("colors") is None or type(look["colors"]) in (list, tuple):
            look["colors"] = (look.get("colors") or ("C0",))[0] if "color" not in look else look.pop("color")
        given = options(look, "LineCollection")
        return self._pen.handle(
            Artist, self._pen.add("segments", dict(zip(("x0", "y0", "x1", "y1"), ends, strict=True)), given)
        )


def _columns(x: Array | None, y: Array) -> list[tuple[Array, Array]]:
    """Return the lines of a table of numbers: one per column."""
    if y.ndim > 2:
        raise ValueError(f"x and y can be no greater than 2D, but have shapes {(y.shape[0],)} and {y.shape}")
    if x is None:
        x = np.arange(y.shape[0], dtype=float)
    across = [x] if x.ndim == 1 else list(x.T)
    up = [y] if y.ndim == 1 else list(y.T)
    count = max(len(across), len(up))
    return [(across[min(i, len(across) - 1)], up[min(i, len(up) - 1)]) for i in range(count)]


def _without_base(look: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in look.items() if key not in ("base", "basex", "basey", "nonpositive", "subs")}


def _stairs(x: Array, y: Array, where: str) -> tuple[Array, Array]:
    if where == "mid":
        middle = (x[1:] + x[:-1]) / 2
        return np.concatenate([x[:1], np.repeat(middle, 2), x[-1:]]), np.repeat(y, 2)
    if where not in ("pre", "post"):
        raise ValueError(f"{where!r} is not a valid value for where; supported values are 'pre', 'post', 'mid'")
    twice = (np.repeat(x, 2), np.repeat(y, 2))
    return (twice[0][:-1], twice[1][1:]) if where == "pre" else (twice[0][1:], twice[1][:-1])


def _fits(size: int, count: int) -> None:
    if size != count:
        raise ValueError(f"'c' argument has {size} elements, which is inconsistent with 'x' and 'y' with size {count}.")


def _again(form: str) -> str:
    """Return a colour's form as a snippet writes it."""
    return {"text": "k", "paper": "w"}.get(form, form)


def _errors(error: Array, count: int) -> tuple[Array, Array]:
    if error.size and float(np.nanmin(error)) < 0:
        raise ValueError("'yerr' must not contain negative values")
    if error.ndim == 2 and error.shape[0] == 2:
        return spread(error[0], np.zeros(count))[0], spread(error[1], np.zeros(count))[0]
    wide = spread(error, np.zeros(count))[0]
    return wide, wide


# --- Bars ---

MOST_BINS = 100_000
SIDES = ("left", "bottom", "right", "top")


class Bars:
    """The methods that draw bars with a pen."""

    __slots__ = ("_pen",)

    def __init__(self, pen: Pen) -> None:
        self._pen = pen

    def bar(
        self,
        x: object,
        height: object,
        width: object = 0.8,
        bottom: object = None,
        *,
        align: str = "center",
        **look: object,
    ) -> BarContainer:
        """Draw vertical bars."""
        across, high = self._pen.x(x), self._pen.y(height)
        wide, low = self._pen.numbers.array(width), self._pen.numbers.array(0 if bottom is None else bottom)
        across, high, wide, low = spread(across, high, wide, low)
        left = across - wide / 2 if align == "center" else across
        self._tick(across, look.pop("tick_label", None), upright=True)
        errors = look.pop("yerr", None)
        bars = self._bars((left, low, left + wide, low + high), look)
        if errors is not None:
            self._error(across, low + high, self._pen.numbers.array(errors))
        return bars

    def barh(
        self,
        y: object,
        width: object,
        height: object = 0.8,
        left: object = None,
        *,
        align: str = "center",
        **look: object,
    ) -> BarContainer:
        """Draw horizontal bars."""
        up, wide = self._pen.y(y), self._pen.x(width)
        high, start = self._pen.numbers.array(height), self._pen.numbers.array(0 if left is None else left)
        up, wide, high, start = spread(up, wide, high, start)
        low = up - high / 2 if align == "center" else up
        self._tick(up, look.pop("tick_label", None), upright=False)
        return self._bars((start, low, start + wide, low + high), look)

    def _tick(self, places: Array, names: Any, *, upright: bool) -> None:
        if names is not None:
            direction = self._pen.axes.x if upright else self._pen.axes.y
            words = [short(names)] * len(places) if type(names) is str else [short(each) for each in names]
            known = [pair for pair in zip(map(float, places), words, strict=False) if math.isfinite(pair[0])][
                :MOST_TICKS
            ]
            direction.ticks, direction.names = tuple(at for at, _ in known), tuple(word for _, word in known)

    def _error(self, across: Array, up: Array, error: Array) -> None:
        error = spread(error[-1] if error.ndim == 2 else error, up)[0]
        columns = {"x0": across, "y0": up - error, "x1": across, "y1": up + error}
        self._pen.add("segments", columns, {}, color="text", marker="|")

    def _bars(self, sides: tuple[Array, ...], look: dict[str, object]) -> BarContainer:
        """Draw bars, all in one colour or each in its own."""
        color: Any = look.get("color")
        label: Any = look.get("label")
        many = type(color) in (list, tuple) and not colours.is_colour(color) and len(color) > 0
        given = options(look, "Rectangle")
        if not many:
            given["label"] = None if type(label) in (list, tuple) else label
            given["color"] = color[0] if type(color) is list and len(color) == 1 else given.get("color")
            fill = self._pen.colour(given, filled=True)
            columns = dict(zip(SIDES, sides, strict=True))
            return self._pen.handle(BarContainer, self._pen.add("bars", columns, given, color=fill))
        layers: list[Layer] = []
        named = _named(color)
        for number, one in enumerate(list(dict.fromkeys(named))):
            chosen = np.array([named[i % len(named)] == one for i in range(len(sides[0]))])
            columns = {name: side[chosen] for name, side in zip(SIDES, sides, strict=True)}
            alone = label if not layers else None
            if type(label) in (list, tuple):
                alone = label[number] if number < len(label) else None
            held = {**given, "color": one, "label": alone}
            layers.append(self._pen.add("bars", columns, held))
        return self._pen.handle(BarContainer, *layers)

    def hist(
        self,
        x: object,
        bins: object = None,
        range: Any = None,
        density: bool = False,
        weights: object = None,
        cumulative: object = False,
        histtype: str = "bar",
        orientation: str = "vertical",
        stacked: bool = False,
        log: bool = False,
        **look: object,
    ) -> tuple[object, object, object]:
        """Count the numbers in each bin and draw the counts."""
        sets = self._sets(x)
        between = None if range is None else (float(range[0]), float(range[1]))
        every = np.concatenate(sets) if sets else np.zeros(0)
        every = every[np.isfinite(every)]
        edges = np.histogram_bin_edges(every, _bins(bins, self._pen.numbers), between)
        if len(edges) > MOST_BINS:
            raise ValueError(f"a histogram has {MOST_BINS:,} bins at most in GradViz snippets")
        mass = None if weights is None else self._pen.numbers.array(weights).ravel()
        counts = [_counted(each, edges, mass, bool(density), cumulative) for each in sets]
        if log:
            (self._pen.axes.y if orientation == "vertical" else self._pen.axes.x).kind = "log"
        drawn = self._columns_of(counts, edges, histtype, stacked, orientation == "vertical", look)
        several = len(sets) > 1
        return (
            [to_snippet(each) for each in counts] if several else to_snippet(counts[0]),
            to_snippet(edges),
            drawn if several else drawn[0],
        )

    def _sets(self, x: Any) -> list[Array]:
        several = type(x) in (list, tuple) and len(x) and not all(type(each) in (int, float, bool) for each in x)
        if several:
            found = [self._pen.numbers.array(each) for each in x]
            return [each.ravel() for each in found] if any(each.ndim for each in found) else [np.array(found)]
        table = self._pen.numbers.array(x)
        return list(table.T) if table.ndim == 2 else [table.ravel()]

    def _columns_of(
        self, counts: list[Array], edges: Array, kind: str, stacked: bool, upright: bool, look: dict[str, Any]
    ) -> list[BarContainer]:
        labels, chosen = look.pop("label", None), look.pop("color", None)
        base, drawn = np.zeros(len(edges) - 1), []
        beside = kind == "bar" and not stacked and len(counts) > 1
        wide = np.diff(edges)
        for number, count in enumerate(counts):
            said: dict[str, Any] = dict(look)
            if labels is not None:
                said["label"] = labels[number] if type(labels) in (list, tuple) else labels
            if chosen is not None:
                said["color"] = chosen[number] if len(counts) > 1 and type(chosen) in (list, tuple) else chosen
            left, right = edges[:-1], edges[1:]
            if beside:
                share = wide * 0.8 / len(counts)
                left = edges[:-1] + wide * 0.1 + number * share
                right = left + share
            sides = (left, base, right, base + count) if upright else (base, left, base + count, right)
            bars = self._bars(sides, said)
            if kind == "step":
                for layer in bars._layers:
                    layer.edge, layer.color = layer.color, "none"
            drawn.append(bars)
            base = base + count if stacked else base
        return drawn

    def axvspan(self, xmin: object, xmax: object, ymin: float = 0, ymax: float = 1, **look: object) -> Artist:
        """Draw a band from the bottom to the top."""
        low, high = (self._pen.numbers.array([each]) for each in (xmin, xmax))
        return self._bars((low, np.array([-np.inf]), high, np.array([np.inf])), look)

    def axhspan(self, ymin: object, ymax: object, xmin: float = 0, xmax: float = 1, **look: object) -> Artist:
        """Draw a band across the axes."""
        low, high = (self._pen.numbers.array([each]) for each in (ymin, ymax))
        return self._bars((np.array([-np.inf]), low, np.array([np.inf]), high), look)


def _named(color: Iterable[object]) -> list[str]:
    return [{"text": "k", "paper": "w"}.get(form, form) for form in (colours.colour(each)[0] for each in color)]


def _bins(bins: object, numbers: Any) -> Any:
    if bins is None:
        return 10
    if type(bins) is str:
        return bins
    found = numbers.array(bins)
    return min(int(found), MOST_BINS) if not found.shape else found


def _counted(values: Array, edges: Array, mass: Array | None, density: bool, cumulative: object) -> Array:
    kept = np.isfinite(values)
    count = np.histogram(values[kept], edges, weights=None if mass is None else mass[kept])[0].astype(float)
    total = count.sum()
    if density and total:
        count = count / total / np.diff(edges)
    if cumulative:
        count = np.cumsum(count * np.diff(edges)) if density else np.cumsum(count)
    return count
