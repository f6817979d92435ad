"""Which steps the timeline shows: a span that is zoomed at the pointer, moved along and fitted, always inside the
trace. Pure numbers; a `Strip` fills a span with what was done in it."""

from __future__ import annotations

from dataclasses import dataclass

LEAST = 8.0  # steps that remain in view at the largest zoom
MARGIN = 0.06  # of the span: how far from its ends the cursor is kept


@dataclass(frozen=True)
class Span:
    """Steps from `start` up to `end`, in fractions of steps: a zoom does not end between two steps."""

    start: float
    end: float

    @property
    def width(self) -> float:
        """How many steps are in view."""
        return self.end - self.start

    def is_whole(self, steps: int) -> bool:
        """True if nothing is out of view."""
        return self.start <= 0 and self.end >= steps

    def zoomed(self, factor: float, at: float, steps: int) -> Span:
        """`factor` times as many steps (below 1: closer); the step `at` keeps its place."""
        width = min(max(self.width * factor, min(LEAST, steps)), steps)
        share = (at - self.start) / self.width if self.width else 0.5
        return Span(at - share * width, at + (1 - share) * width).inside(steps)

    def moved(self, by: float, steps: int) -> Span:
        """As many steps, further on."""
        return Span(self.start + by, self.end + by).inside(steps)

    def following(self, cursor: float, steps: int) -> Span:
        """The same span if the cursor is well inside, else moved just so far that it is."""
        margin = min(MARGIN * self.width, 3.0)
        if cursor < self.start + margin:
            return self.moved(cursor - self.start - margin, steps)
        if cursor > self.end - margin:
            return self.moved(cursor - self.end + margin, steps)
        return self

    def inside(self, steps: int) -> Span:
        """Moved, and cut if need be, so that it lies in 0..steps."""
        width = min(self.width, float(steps))
        start = min(max(self.start, 0.0), steps - width)
        return Span(start, start + width)


def whole(steps: int) -> Span:
    """All steps."""
    return Span(0.0, float(max(steps, 1)))
