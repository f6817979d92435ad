"""Which step, operation and tensor of one run corresponds to which of another run of nearly the same snippet. Pure and
vectorised; `compare` finds what differs between them. On a common axis (`Merged`), corresponding steps are at the same
place, and where one run has steps that the other lacks, the other has a gap.

Note [Alignment] Each step has a key: its kind, its line, what ran, and what it was about. Common beginnings and ends
are aligned one to one. In between, the n-th step with some key is paired with the n-th of the other run; of these
pairs, the longest series that keeps the order of both runs is kept. Then the same is done again inside each gap. This
costs n log n, and is right whenever a change adds or removes steps without reordering the others."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


Array = NDArray[Any]
Pairs = tuple[Array, Array]  # rows of one run, and the corresponding rows of the other

PRIME = np.uint64(0x100000001B3)
ROUNDS = 2  # how often the gaps are searched again


@dataclass(frozen=True, eq=False)
class Match:
    """For each row, the row of the other run, -1 for none."""

    there: Array
    back: Array

    def flipped(self) -> Match:
        """From the point of view of the other run."""
        return Match(self.back, self.there)

    @property
    def pairs(self) -> Pairs:
        """The corresponding rows."""
        rows = np.flatnonzero(self.there >= 0)
        return rows, self.there[rows]


@dataclass(frozen=True, eq=False)
class Alignment:
    """The correspondence of two traces."""

    steps: Match
    nodes: Match
    tensors: Match


def align(here: Trace, there: Trace) -> Alignment:
    """Align two traces; lines are matched by the sources of both."""
    lines = line_map(here.source, there.source)
    words: dict[str, int] = {}
    a, b = _Keys(here, None, words), _Keys(there, lines, words)
    steps = _match(len(here), len(there), *align_keys(a.steps, b.steps))
    nodes = _by_step(steps, (here.nodes.step, a.ops), (there.nodes.step, b.ops))
    made = _by_step(steps, (here.tensors.step, a.births), (there.tensors.step, b.births))
    return Alignment(steps, nodes, _rest_by_name(made, a.tensors, b.tensors))


def line_map(here: str, there: str) -> Array:
    """For each line number of the second text (from 0, which is no line), that of the first; where there is none, a
    number beyond its end."""
    old, new = here.split("\n"), there.split("\n")
    if len(old) == len(new):
        return np.arange(len(new) + 1)
    found = np.arange(len(new) + 1) + len(old) + 1
    for _, i, upto, j, until in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        both = min(upto - i, until - j)
        found[j + 1 : j + 1 + both] = np.arange(i + 1, i + 1 + both)
    found[0] = 0
    return found


class _Keys:
    """Numbers that are equal for corresponding things."""

    def __init__(self, trace: Trace, lines: Array | None, words: dict[str, int]) -> None:
        self._trace, self._lines, self._words = trace, lines, words
        self.ops = self._numbers(trace.nodes.op)
        self._nodes = mixed(self.ops, self._line(trace.nodes.line))
        self.tensors = self._tensors()
        self.births = mixed(trace.tensors.output_nr, trace.tensors.producer >= 0)
        self.steps = self._steps()

    def _numbers(self, texts: Array) -> Array:
        words = self._words
        return np.array([words.setdefault(text, len(words)) for text in texts.tolist()], np.int64)

    def _line(self, lines: Array) -> Array:
        known = np.maximum(lines, 0)
        return known if self._lines is None else self._lines[np.minimum(known, len(self._lines) - 1)]

    def _tensors(self) -> Array:
        """By name; without one, by what made it, or by the expression."""
        tensors, names = self._trace.tensors, self._trace.names
        keys = mixed(self._numbers(tensors.label), self._line(tensors.line)) << np.uint64(1)
        made = np.flatnonzero(tensors.producer >= 0)
        keys[made] = mixed(self._nodes[tensors.producer[made]], tensors.output_nr[made]) << np.uint64(1)
        best = np.lexsort((np.arange(len(names)), names.rank, names.tensor))
        first = best[np.flatnonzero(np.diff(names.tensor[best], prepend=-1))]
        named = mixed(self._numbers(names.name[first]), self._numbers(names.owner[first])) << np.uint64(1)
        keys[names.tensor[first]] = named | np.uint64(1)
        return keys

    def _steps(self) -> Array:
        steps = self._trace.steps
        kind = np.where(steps.kind == Kind.INPLACE, Kind.FORWARD, steps.kind)
        about = np.zeros(len(steps), np.uint64)
        with_node, with_tensor = steps.node >= 0, (steps.node < 0) & (steps.tensor >= 0)
        about[with_node] = self._nodes[steps.node[with_node]]
        about[with_tensor] = self.tensors[steps.tensor[with_tensor]]
        to = np.flatnonzero((steps.kind == Kind.CONTRIBUTION) & (steps.tensor >= 0))
        about[to] = mixed(about[to], self.tensors[steps.tensor[to]])
        return mixed(kind, self._line(steps.line), about)


def mixed(*columns: Array) -> Array:
    """One number for each row of the columns."""
    result = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        result = (result ^ (column.astype(np.int64).view(np.uint64) if column.dtype != np.uint64 else column)) * PRIME
        result ^= result >> np.uint64(29)
    return result


def align_keys(a: Array, b: Array) -> Pairs:
    """Rows with equal keys, ascending on both sides. See Note [Alignment]."""
    least = min(len(a), len(b))
    wrong = np.flatnonzero(a[:least] != b[:least])
    start = int(wrong[0]) if len(wrong) else least
    wrong = np.flatnonzero(a[::-1][: least - start] != b[::-1][: least - start])
    tail = int(wrong[0]) if len(wrong) else least - start
    middle = _middle(a[start : len(a) - tail], b[start : len(b) - tail])
    head, last = np.arange(start), np.arange(tail)
    return (
        np.concatenate([head, middle[0] + start, last + len(a) - tail]),
        np.concatenate([head, middle[1] + start, last + len(b) - tail]),
    )


def _middle(a: Array, b: Array) -> Pairs:
    first, second = _ascending(*same_occurrence(a, b))
    for _ in range(ROUNDS):
        rest_a, rest_b = _without(len(a), first), _without(len(b), second)
        if not len(rest_a) or not len(rest_b):
            break
        gap_a, gap_b = np.searchsorted(first, rest_a), np.searchsorted(second, rest_b)
        more = same_occurrence(mixed(a[rest_a], gap_a), mixed(b[rest_b], gap_b))
        first = np.concatenate([first, rest_a[more[0]]])
        second = np.concatenate([second, rest_b[more[1]]])
        order = np.argsort(first)
        first, second = _ascending(first[order], second[order])
    return first, second


def _without(count: int, rows: Array) -> Array:
    left = np.ones(count, bool)
    left[rows] = False
    return np.flatnonzero(left)


def same_occurrence(a: Array, b: Array) -> Pairs:
    """The n-th row with some key on one side, paired with the n-th with the same key on the other; ascending on the
    first."""
    _, number = np.unique(np.concatenate([a, b]), return_inverse=True)
    left, right = _numbered(number[: len(a)]), _numbered(number[len(a) :])
    _, first, second = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    order = np.argsort(first)
    return first[order], second[order]


def _numbered(keys: Array) -> Array:
    """The key and the number of equal ones before it, as one number."""
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    place = np.arange(len(keys))
    begins = np.maximum.accumulate(np.where(np.diff(ranked, prepend=-1) != 0, place, 0)) if len(keys) else place
    before = np.empty(len(keys), np.int64)
    before[order] = place - begins
    return keys.astype(np.int64) << 32 | before


def _ascending(first: Array, second: Array) -> Pairs:
    """The longest subsequence of the pairs, which ascend on the first side, that ascends on the second."""
    if (np.diff(second) > 0).all():
        return first, second
    ends: list[int] = []  # the smallest last value of a series of each length
    at: list[int] = []
    before = np.empty(len(second), np.int64)
    for row, value in enumerate(second.tolist()):
        place = bisect_left(ends, value)
        ends[place : place + 1] = [value]
        at[place : place + 1] = [row]
        before[row] = at[place - 1] if place else -1
    kept = []
    row = at[-1]
    while row >= 0:
        kept.append(row)
        row = int(before[row])
    keep = np.array(kept[::-1])
    return first[keep], second[keep]


def _match(here: int, there: int, first: Array, second: Array) -> Match:
    forth, back = np.full(here, -1, np.int64), np.full(there, -1, np.int64)
    forth[first], back[second] = second, first
    return Match(forth, back)


def _by_step(steps: Match, here: Pairs, there: Pairs) -> Match:
    """Pairs of rows that belong to aligned steps; each side is (step of each row, key)."""
    known = np.append(steps.there, -1)[here[0]]
    mine = np.flatnonzero((known >= 0) | (here[0] < 0))
    theirs = np.flatnonzero((np.append(steps.back, -1)[there[0]] >= 0) | (there[0] < 0))
    a, b = mixed(known[mine], here[1][mine]), mixed(there[0][theirs], there[1][theirs])
    first, second = same_occurrence(a, b)
    return _match(len(here[0]), len(there[0]), mine[first], theirs[second])


def _rest_by_name(match: Match, here: Array, there: Array) -> Match:
    """Pair what has a name and no partner yet with the next one of that name on the other side."""
    named = np.uint64(1)
    mine = np.flatnonzero((match.there < 0) & (here & named).astype(bool))
    theirs = np.flatnonzero((match.back < 0) & (there & named).astype(bool))
    first, second = same_occurrence(here[mine], there[theirs])
    forth, back = match.there.copy(), match.back.copy()
    forth[mine[first]], back[theirs[second]] = theirs[second], mine[first]
    return Match(forth, back)


@dataclass(frozen=True, eq=False)
class Merged:
    """`here[step]` and `there[step]` are places from 0 to `count`; `step_here[place]` is -1 in a gap."""

    here: Array
    there: Array
    step_here: Array
    step_there: Array

    @property
    def count(self) -> int:
        """How many places there are."""
        return len(self.step_here)


def merge(steps: Match) -> Merged:
    """The places of all steps; of two stretches between the same neighbours, that of the first run comes first."""
    a, b = steps.pairs
    here = np.arange(len(steps.there))
    there = np.arange(len(steps.back))
    before_a = np.searchsorted(a, here)  # pairs before each step; for a step in a pair, without that pair
    before_b = np.searchsorted(b, there)
    others = np.append(0, b + 1)  # steps of the other run up to the end of the n-th pair
    reach = np.append(a, len(here))  # steps of this run before the next pair
    in_pair = steps.there >= 0
    with_there = np.where(in_pair, steps.there, others[before_a])
    place_here = here + with_there - before_a
    place_there = there + reach[before_b] - before_b
    place_there[b] = place_here[a]
    count = len(here) + len(there) - len(a)
    step_here, step_there = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    step_here[place_here], step_there[place_there] = here, there
    return Merged(place_here, place_there, step_here, step_there)
