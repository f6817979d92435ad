"""The line search of `LBFGS(line_search_fn="strong_wolfe")`: a step length along a direction at which the loss has
fallen enough and its slope has become flat enough (Wolfe's conditions). First the length grows until an interval holds
such a point, then the interval shrinks around it; both guess by the cubic through two points and their slopes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.engine.tensor import Tensor

ENOUGH, FLAT, MOST = 1e-4, 0.9, 25


@dataclass(frozen=True)
class Point:
    """A length, and loss, gradient and slope there."""

    t: Any
    loss: float
    grad: Tensor
    slope: Any


def _guess(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points has its minimum, within bounds."""
    low, high = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    first = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = first**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    root = np.sqrt(square)
    left, right = (a, b) if a.t <= b.t else (b, a)
    share = (right.slope + root - first) / (right.slope - left.slope + 2 * root)
    return min(max(right.t - (right.t - left.t) * share, low), high)


class Search:
    """One search; `evaluate(t)` gives the point at length `t`."""

    def __init__(self, evaluate: Callable[[Any], Point], start: Point, largest: float, tolerance: float) -> None:
        self._evaluate = evaluate
        self._start = start
        self._largest = largest  # of the direction's elements
        self._tolerance = tolerance
        self.evaluations = 0
        self._rounds = 0

    def _at(self, t: Any) -> Point:
        self.evaluations += 1
        return self._evaluate(t)

    def _fell(self, point: Point) -> bool:
        return not point.loss > self._start.loss + ENOUGH * point.t * self._start.slope

    def _is_flat(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -FLAT * self._start.slope)

    def run(self, t: Any) -> Point:
        """The point to go to, beginning with length `t`."""
        before, now = self._start, self._at(t)
        while self._rounds < MOST:
            if not self._fell(now) or (self._rounds > 1 and now.loss >= before.loss):
                return self._shrink(before, now)
            if self._is_flat(now):
                return now
            if now.slope >= 0:
                return self._shrink(before, now)
            bounds = now.t + 0.01 * (now.t - before.t), now.t * 10
            longer = _guess(before, now, bounds)
            before, now = now, self._at(longer)
            self._rounds += 1
        return self._start if self._start.loss <= now.loss else now

    def _shrink(self, one: Point, two: Point) -> Point:
        """The lower end of the interval, once it is small or holds a flat point."""
        ends = [one, two]
        low = 0 if ends[0].loss <= ends[1].loss else 1
        stalled = False
        while self._rounds < MOST:
            if abs(ends[1].t - ends[0].t) * self._largest < self._tolerance:
                break
            t, stalled = self._inside(ends, stalled)
            now = self._at(t)
            self._rounds += 1
            if not self._fell(now) or now.loss >= ends[low].loss:
                ends[1 - low] = now
                low = 0 if ends[0].loss <= ends[1].loss else 1
                continue
            if self._is_flat(now):
                ends[low] = now
                break
            if now.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = now
        return ends[low]

    @staticmethod
    def _inside(ends: list[Point], stalled: bool) -> tuple[Any, bool]:
        """A length between the ends, not too near to one of them twice in a row."""
        t = _guess(ends[0], ends[1])
        small, large = min(ends[0].t, ends[1].t), max(ends[0].t, ends[1].t)
        margin = 0.1 * (large - small)
        if min(large - t, t - small) >= margin:
            return t, False
        if stalled or t >= large or t <= small:
            return (large - margin if abs(t - large) < abs(t - small) else small + margin), False
        return t, True
