"""The drawing methods of an axes that draw bars: `bar`, `barh`, `hist`, `axhspan`, `axvspan`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.trace.figures import MOST_TICKS
from gradviz.worker.modules.plots import colours
from gradviz.worker.modules.plots.artists import Artist, BarContainer, Pen, spread
from gradviz.worker.modules.plots.book import Layer, short
from gradviz.worker.modules.plots.colours import options
from gradviz.worker.objects.numpy_boundary import to_snippet

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
