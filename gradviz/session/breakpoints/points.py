"""Breakpoints: on a line, an operation, a tensor, a kind of step, a condition, or several of these together. They refer
to the snippet, not to one trace, so they apply to the next run, too; playback (`Playback`) stops at them and loops
between two markers. Pure; `conditions` finds where they stop, and the window has the clock."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.session.state import Selection
    from gradviz.trace.table.folds import Folds
    from gradviz.trace.table.trace import Trace


class ConditionError(ValueError):
    """A sentence that says what is wrong, and the position of the character."""

    def __init__(self, sentence: str, column: int = 0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.column = column


class AbsentError(Exception):
    """A name has no meaning at this step, so the condition does not hold."""


MOST = 100
MOST_LINES = 1_000_000
_NUMBER = re.compile(r"[0-9]{1,9}")
_PLACE = re.compile(r"\s*(?P<what>line|kind|name)\s+(?P<word>[^=<>!]+?)\s*(?:\bwhen\b(?P<condition>.*))?$")


@dataclass(frozen=True)
class Breakpoint:
    """All given parts must hold; empty parts always do."""

    line: int = -1
    kind: str = ""  # "accumulate", from `condition_values.kind_words`
    name: str = ""  # "w" for a tensor, "mul" or "MulBackward0" for an operation
    nth: int = 0  # among the operations with that name on that line, from 1; 0 for all
    condition: str = ""
    enabled: bool = True

    @property
    def is_line(self) -> bool:
        """Whether it applies to a whole line, so that the editor shows it beside the line."""
        return self.line > 0 and not self.name

    @property
    def title(self) -> str:
        """ "line 9, when norm > 5"."""
        what = self.name
        if self.nth:
            what = f"{what} number {self.nth}"
        if self.line > 0:
            what = f"{what} on line {self.line}" if what else f"line {self.line}"
        if self.kind:
            what = f"{what}, {self.kind}" if what else f"every step of kind {self.kind}"
        when = f"when {self.condition}" if self.condition else ""
        return ", ".join(part for part in (what, when) if part) or "every step"


@dataclass(frozen=True)
class Hits:
    """Where the breakpoints stop: steps from 0, ascending, as far as the search has come."""

    steps: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()  # for each breakpoint the number of stops
    problems: tuple[str, ...] = ()  # for each breakpoint what is wrong with its condition, "" for nothing
    looked: int = 0  # how many steps have been searched
    steps_of_trace: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether all steps have been searched."""
        return self.looked >= self.steps_of_trace


@dataclass(frozen=True)
class Breakpoints:
    """All of them, and where they stop."""

    points: tuple[Breakpoint, ...] = ()
    hits: Hits = field(default_factory=Hits)

    def with_points(self, points: tuple[Breakpoint, ...]) -> Breakpoints:
        """Other breakpoints, whose stops have to be found again."""
        return Breakpoints(tuple(dict.fromkeys(points))[:MOST])

    def lines(self) -> dict[int, bool]:
        """The lines that have one, and whether one of them is enabled."""
        found: dict[int, bool] = {}
        for point in self.points:
            if point.is_line:
                found[point.line] = found.get(point.line, False) or point.enabled
        return found


def read_breakpoint(text: str, kinds: tuple[str, ...]) -> Breakpoint:
    """Parse what a person writes: "line 9", "kind accumulate", "name w", each with or without "when" and a condition;
    anything else is a condition. Raises ConditionError."""
    found = _PLACE.match(text)
    if found is None:
        return Breakpoint(condition=text.strip())
    what, word, condition = found["what"], found["word"].strip(), (found["condition"] or "").strip()
    if what == "line":
        if not _NUMBER.fullmatch(word) or not 0 < int(word) < MOST_LINES:
            raise ConditionError(f"{word} is not a line of the snippet.", found.start("word"))
        return Breakpoint(line=int(word), condition=condition)
    if what == "kind":
        if word.replace("_", " ") not in kinds:
            raise ConditionError(f"There is no kind of step called {word}: {', '.join(kinds)}.", found.start("word"))
        return Breakpoint(kind=word.replace("_", " "), condition=condition)
    return Breakpoint(name=word, condition=condition)


def toggled(points: tuple[Breakpoint, ...], point: Breakpoint) -> tuple[Breakpoint, ...]:
    """Without this breakpoint if it exists (with any condition, enabled or not), otherwise with it."""
    others = tuple(other for other in points if replace(other, enabled=True, condition="") != point)
    return others if len(others) < len(points) else (*points, point)


def shifted(points: tuple[Breakpoint, ...], old: str, new: str) -> tuple[Breakpoint, ...]:
    """The breakpoints after an edit: their lines move with the text, and disappear with it."""
    before, after = old.split("\n"), new.split("\n")
    limit = min(len(before), len(after))
    head = next((place for place in range(limit) if before[place] != after[place]), limit)
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    moved = []
    for point in points:
        if point.line <= head:
            moved.append(point)
        elif point.line > len(before) - tail:
            moved.append(replace(point, line=point.line + len(after) - len(before)))
        elif point.line <= len(after) - tail:
            moved.append(point)  # in the changed part, and the line still exists
    return tuple(dict.fromkeys(moved))


def of_selection(trace: Trace, thing: Selection, cursor: int) -> Breakpoint:
    """The breakpoint that stops at this operation or tensor; for a group, at the result of `groups.as_operation`."""
    import numpy as np

    if thing.kind == "tensor":
        return Breakpoint(name=trace.naming.name(thing.index, cursor))
    nodes = trace.nodes
    line, op = int(nodes.line[thing.index]), str(nodes.op[thing.index])
    alike = np.flatnonzero((nodes.line == line) & (nodes.op == op))
    nth = int(np.searchsorted(alike, thing.index)) + 1 if len(alike) > 1 else 0
    return Breakpoint(line=line, name=op, nth=nth)


def next_hit(hits: tuple[int, ...], cursor: int) -> int | None:
    """The first cursor after `cursor` at which a breakpoint stops."""
    at = bisect_left(hits, cursor)
    return hits[at] + 1 if at < len(hits) else None


def previous_hit(hits: tuple[int, ...], cursor: int) -> int | None:
    """The last cursor before `cursor` at which a breakpoint stops."""
    at = bisect_left(hits, cursor - 1) - 1
    return hits[at] + 1 if at >= 0 else None


@dataclass(frozen=True)
class Playback:
    """Playing forward (1) or backward (-1); between the cursors `a` and `b` (-1 if not set) it loops."""

    direction: int = 1
    a: int = -1
    b: int = -1

    @property
    def loops(self) -> bool:
        """Whether both markers are set."""
        return self.a >= 0 and self.b >= 0 and self.a != self.b

    def bounds(self, steps: int) -> tuple[int, int]:
        """The first and the last cursor that playback reaches."""
        low, high = (min(self.a, self.b), max(self.a, self.b)) if self.loops else (0, steps)
        return min(low, steps), min(high, steps)


@dataclass(frozen=True)
class Place:
    """The position of playback: a cursor including the fraction of the next step; `stops` if playback ends there."""

    at: float
    stops: bool = False


def advanced(
    at: float, amount: float, playback: Playback, steps: int, hits: tuple[int, ...], folds: Folds | None = None
) -> Place:
    """The place `amount` steps, or folds of steps, after `at`. A breakpoint on the way stops, and so does the end
    unless there is a loop."""
    low, high = playback.bounds(steps)
    if folds is not None:
        amount = abs(folds.moved(at, amount * playback.direction) - at)
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
