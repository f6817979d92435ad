"""Which edges of a drawing are painted, and which of them with dashes, where there are more than can be painted in a
frame or told apart: a tensor with 20,000 uses has edges across every screen. That depends on the drawing and on the
zoom alone, never on the part that is painted, so that a part looks the same as in the whole. `edge_painter` paints
them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
LONG = 4_000.0  # pixels: an edge so long passes several screens
PERIOD = 15.0  # pixels from dash to dash


@dataclass(frozen=True)
class Budget:
    """How many pixels are seen at once, and how many short edges, long edges and dashes of a graph are painted then."""

    width: float
    height: float
    short: int
    long: int
    dashes: int


SCREEN = Budget(1920.0, 1080.0, short=4_000, long=500, dashes=30_000)
PAGE = Budget(math.inf, math.inf, short=500_000, long=5_000, dashes=100_000)


@dataclass(frozen=True, eq=False)
class Crowd:
    """The edges of a drawing: the graph of each, whether it is long, and which of the long or the short ones of its
    graph it is; and by graph how many are short and long, how long these are together, and what the graph covers."""

    graph: Ints
    is_long: Flags
    nth: Ints
    short: Ints
    long: Ints
    short_length: Floats
    long_length: Floats
    area: Floats

    def painted(self, scale: float, budget: Budget) -> tuple[Flags, Flags]:
        """By edge: whether it is painted at this zoom, and whether with dashes where a gradient flows."""
        wide, high = budget.width / scale, budget.height / scale
        reach = self.short_length / np.maximum(self.short, 1)
        near = np.minimum(1.0, (wide + reach) * (high + reach) / self.area)
        doublings = np.ceil(np.log2(np.maximum(self.short * near / budget.short, 1.0)))
        every = (2**doublings).astype(np.int64)  # what is seen from further away is seen nearer, too
        every_long = np.maximum(-(-self.long // budget.long), 1)
        painted = self.nth % np.where(self.is_long, every_long[self.graph], every[self.graph]) == 0
        length = self.short_length * np.minimum(1.0, wide * high / self.area)
        short = length <= budget.dashes * PERIOD
        long = short & (every_long == 1)
        if math.isinf(wide):  # all of a long edge is seen there
            long &= length + self.long_length <= budget.dashes * PERIOD
        return painted, np.where(self.is_long, long[self.graph], short[self.graph])


def find_crowd(graph: Ints, length: Floats, area: Floats) -> Crowd:
    """The crowd of edges of such graphs and lengths; `area` is what each graph covers."""
    is_long = length > LONG
    key = 2 * graph + is_long
    order = np.argsort(key, kind="stable")
    nth = np.empty(len(key), np.int64)
    nth[order] = np.arange(len(key)) - np.searchsorted(key[order], key[order])
    count = np.bincount(key, minlength=2 * len(area)).reshape(-1, 2)
    lengths = np.bincount(key, length, 2 * len(area)).astype(np.float64).reshape(-1, 2)
    return Crowd(graph, is_long, nth, count[:, 0], count[:, 1], lengths[:, 0], lengths[:, 1], np.maximum(area, 1.0))
