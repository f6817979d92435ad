"""From numbers to pixels: the limits of the axes of a figure, ticks at round numbers, and the format of numbers."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.figures import Axes, Figure, Layer

Array = NDArray[np.float64]
MARGIN = 0.05  # share of the range added at both ends
FAR = 1e5  # pixels; beyond this, Qt does not draw reliably
LARGEST, SMALLEST = sys.float_info.max, math.ulp(0.0)
MOST_POWER = math.log10(LARGEST)
NARROWEST = 1e-9  # of the larger end; closer ends are the same number to a reader
NOTHING = 1e-287  # if both ends are smaller they count as 0, as in Matplotlib
MOST_TICKS = 200
COLUMNS = {
    "x": ("x", "left", "right", "x0", "x1"),
    "y": ("y", "bottom", "top", "low", "high", "y0", "y1"),
}
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Span:
    """One direction of an axes: numbers from `low` to `high`, as returned by `usable`, on pixels from `start` to
    `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def to(self, numbers: Array) -> Array:
        """Pixels; NaN where there is no position."""
        low, high = self._ends
        with np.errstate(all="ignore"):
            values = np.where(numbers > 0, np.log10(numbers), np.nan) if self.log else numbers
            # halves, because the difference of two numbers may overflow
            pixels = self.start + (values / 2 - low / 2) / (high / 2 - low / 2) * (self.end - self.start)
        return np.clip(pixels, -FAR, FAR)

    def at(self, number: float) -> float:
        """The pixel of a single number."""
        return float(self.to(np.array([number], dtype=float))[0])

    def back(self, pixel: float) -> float:
        """The number at a pixel; infinite or NaN if it overflows."""
        low, high = self._ends
        share = (pixel - self.start) / ((self.end - self.start) or 1.0)
        value = 2 * (low / 2 + share * (high / 2 - low / 2))
        if self.log:
            return 10**value if value < MOST_POWER else math.inf
        return value

    @property
    def width(self) -> float:
        """The distance between the ends, or the largest number if it overflows."""
        return min(self.high - self.low, LARGEST)

    @property
    def _ends(self) -> tuple[float, float]:
        return (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)


def limits(figure: Figure, axes: Axes, name: str) -> tuple[float, float]:
    """The numbers at the two ends of x or y: as set, otherwise those of everything drawn, with a margin."""
    scale = axes.x if name == "x" else axes.y
    group = sharing(figure, axes, name)
    for each in group:
        chosen = (each.x if name == "x" else each.y).limits
        if chosen is not None:
            return usable(*chosen, log=scale.kind == "log")
    parts = [_numbers(layer, name) for each in group for layer in each.layers]
    found = np.concatenate([np.zeros(0), *parts])
    found = found[np.isfinite(found)]
    log = scale.kind == "log"
    if log:
        found = found[found > 0]
    if not found.size:
        ticks = [each for each in scale.ticks or () if each > 0 or not log]
        return usable(min(ticks), max(ticks), log=log) if ticks else ((1.0, 10.0) if log else (0.0, 1.0))
    low, high = float(found.min()), float(found.max())
    kinds = {layer.kind for each in group for layer in each.layers if layer.kind != "words"}
    if kinds == {"image"}:
        return usable(low, high, log=log)
    if log:
        edge = (math.log10(high) - math.log10(low)) * MARGIN or 0.1
        return usable(max(low / 10**edge, SMALLEST), high * 10**edge, log=True)
    edge = high * MARGIN - low * MARGIN
    stands = "bars" in kinds and name == ("y" if _upright(group) else "x")
    return usable(low - (0.0 if stands and low == 0 else edge), high + (0.0 if stands and high == 0 else edge), log=log)


def sharing(figure: Figure, axes: Axes, name: str) -> list[Axes]:
    """The axes that share their limits with these."""

    def leader(one: Axes) -> int:
        shared = (one.x if name == "x" else one.y).shared
        return shared if shared >= 0 else figure.axes.index(one)

    return [each for each in figure.axes if each is axes or leader(each) == leader(axes)]


def _upright(group: list[Axes]) -> bool:
    bars = [layer for each in group for layer in each.layers if layer.kind == "bars"]
    return any(bool(np.all(layer.columns["bottom"] == 0)) for layer in bars)


def _numbers(layer: Layer, name: str) -> Array:
    if layer.kind == "image":
        return np.array(layer.extent[:2] if name == "x" else layer.extent[2:])
    if layer.kind == "words":
        return np.zeros(0)
    return np.concatenate([np.zeros(0), *(layer.columns[each] for each in COLUMNS[name] if each in layer.columns)])


def usable(low: float, high: float, *, log: bool = False) -> tuple[float, float]:
    """Two finite numbers, in order and far enough apart to be distinguished; above 0 for logarithmic scales."""
    low, high = (min(max(each, -LARGEST), LARGEST) for each in (min(low, high), max(low, high)))
    if log:
        high = high if high > 0 else 10.0
        low = low if low > 0 else max(high / 1000, SMALLEST)
        return (low, high) if high / low > 1.0001 else (max(low / 2, SMALLEST), min(high * 2, LARGEST))
    largest = max(abs(low), abs(high))
    if high - low > largest * NARROWEST and largest > NOTHING:
        return low, high
    wide = max(abs(low) * MARGIN, NOTHING) if largest > NOTHING else 0.5
    return max(low - wide, -LARGEST), min(high + wide, LARGEST)


def ticks(span: Span, room: float) -> list[float]:
    """Round numbers in the span, about one for every this many pixels."""
    count = min(max(2, int(abs(span.end - span.start) / max(1.0, room))), MOST_TICKS - 1)
    if span.log and span.high / span.low >= 10:
        first, last = math.ceil(math.log10(span.low) - 1e-9), math.floor(math.log10(span.high) + 1e-9)
        step = max(1, math.ceil((last - first + 1) / (count + 1)))
        return [10.0**power for power in range(first, last + 1, step) if 10.0**power > 0]
    gap = _round_step(span.high / count - span.low / count)
    begin = math.ceil(span.low / gap - 1e-6)
    places = [(begin + number) * gap for number in range(MOST_TICKS)]
    return [each for each in places if math.isfinite(each) and each - span.high <= gap * 1e-6]


def _round_step(rough: float) -> float:
    power = max(10.0 ** math.floor(math.log10(max(rough, SMALLEST))), SMALLEST)
    for factor in (1.0, 2.0, 2.5, 5.0):
        if factor * power >= rough * 0.999:
            return min(factor * power, LARGEST)
    return min(10.0 * power, LARGEST)


def written(places: list[float], *, log: bool = False) -> list[str]:
    """The tick labels, all with as many digits as one of them needs."""
    if log and len(places) > 1 and all(each > 0 and math.log10(each) == round(math.log10(each)) for each in places):
        return [f"10{str(round(math.log10(each))).translate(SUPERSCRIPT)}" for each in places]
    largest = max((abs(each) for each in places), default=0.0)
    if largest >= 1e6 or (0 < largest < 1e-4):
        return [f"{each:.3g}".replace("e+0", "e").replace("e-0", "e−") if each else "0" for each in places]
    gaps = [abs(b - a) for a, b in pairwise(places)]
    step = min(gaps, default=largest) or 1.0
    digits = max(0, min(8, -math.floor(math.log10(step) + 1e-9)))
    if digits < 8 and any(abs(round(each, digits) - each) > step * 1e-3 for each in places):
        digits += 1
    return [f"{each + 0.0:.{digits}f}".replace("-", "−") for each in places]


def short_number(value: float) -> str:
    """A number in the format of the line for the mouse position."""
    return f"{value:.6g}".replace("-", "−")
