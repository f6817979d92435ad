"""How playing goes on: in which direction, between which two markers it loops, at which breakpoint it stops. Pure; the
player in the window has the clock."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.session.breakpoints import next_hit, previous_hit


@dataclass(frozen=True)
class Playback:
    """Playing forward (1) or backward (-1); between cursors `a` and `b` (-1: not set) it begins again."""

    direction: int = 1
    a: int = -1
    b: int = -1

    @property
    def loops(self) -> bool:
        """True if both markers are set."""
        return self.a >= 0 and self.b >= 0 and self.a != self.b

    def bounds(self, steps: int) -> tuple[int, int]:
        """The first and the last cursor that playing comes to."""
        low, high = (min(self.a, self.b), max(self.a, self.b)) if self.loops else (0, steps)
        return min(low, steps), min(high, steps)


@dataclass(frozen=True)
class Place:
    """Where playing is: a cursor with the fraction of the next step; `stops` if it ends there."""

    at: float
    stops: bool = False


def advanced(at: float, amount: float, playback: Playback, steps: int, hits: tuple[int, ...]) -> Place:
    """After `amount` more steps from `at`. A breakpoint on the way, or the end where there is no loop, stops."""
    low, high = playback.bounds(steps)
    if playback.direction > 0:
        hit = next_hit(hits, int(at))
        target = at + amount
        if hit is not None and hit <= min(target, high):
            return Place(float(hit), stops=True)
        if target <= high:
            return Place(target)
        return Place(low + (target - high) % max(1, high - low)) if playback.loops else Place(float(high), stops=True)
    hit = previous_hit(hits, _up(at))
    target = at - amount
    if hit is not None and hit >= max(target, low):
        return Place(float(hit), stops=True)
    if target >= low:
        return Place(target)
    return Place(high - (low - target) % max(1, high - low)) if playback.loops else Place(float(low), stops=True)


def _up(at: float) -> int:
    return -int(-at // 1)
