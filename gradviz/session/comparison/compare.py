"""Compares two runs of nearly the same snippet: which step, operation and tensor of one corresponds to which of the
other, which of them differ and how, and what differs on screen at a pair of cursors. Pure and vectorised; `differences`
puts it into words. On a common axis (`Merged`), corresponding steps are at the same place, and where one run has steps
that the other lacks, the other has a gap.

Note [Alignment] Each step has a key: its kind, its line, what ran, and what it was about. Common beginnings and ends
are aligned one to one. In between, the n-th step with some key is paired with the n-th of the other run; of these
pairs, the longest series that keeps the order of both runs is kept. Then the same is done again inside each gap. This
costs n log n, and is right whenever a change adds or removes steps without reordering the others."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.values import ALL

if TYPE_CHECKING:
    from gradviz.trace.table.tables import Table
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


# -- whether two values are the same, for a hundred thousand pairs at once: each value is boiled down to a few numbers
# that follow from every one of its elements and their places. Values of two runs of the same arithmetic are equal to
# the last digit; a difference in the seventh does not count as one.


TOLERANCE = 1e-6  # of the norm
MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """One row per value of a trace, and one more for no value."""

    shape: Array  # a number for the dtype and sizes
    total: Array  # sum of the finite elements, each weighted by its position
    norm: Array  # of the finite elements
    odd: Array  # the same sum over NaN and infinities


def fingerprints(trace: Trace) -> Fingerprints:
    """The fingerprints of all values in the trace."""
    rows, count = trace.values, len(trace.values)
    total, odd, square = np.zeros(count + 1), np.zeros(count + 1), np.zeros(count + 1)
    filled = np.flatnonzero(rows.count)
    filled = filled[np.lexsort((rows.offset[filled], rows.chunk[filled]))]
    chunks, starts = np.unique(rows.chunk[filled], return_index=True)
    ends = np.append(starts[1:], len(filled))[: len(starts)]
    for chunk, start, end in zip(chunks.tolist(), starts.tolist(), ends.tolist(), strict=True):
        mine = filled[start:end]
        data, offsets, counts = trace.store.piece(chunk), rows.offset[mine], rows.count[mine]
        wide = _real(data[offsets[0] : offsets[-1] + counts[-1]])
        begins = offsets - offsets[0]
        weight = _weights(np.arange(len(wide)) - np.repeat(begins, np.diff(np.append(begins, len(wide)))))
        finite = np.isfinite(wide)
        if finite.all():
            plain = wide
        else:
            plain = np.where(finite, wide, 0.0)
            code = np.where(np.isnan(wide), 1.0, np.where(wide > 0, 2.0, 3.0))
            odd[mine] = np.add.reduceat(np.where(finite, 0.0, code) * weight, begins)
        total[mine] = np.add.reduceat(plain * weight, begins)
        square[mine] = np.add.reduceat(np.square(plain), begins)
    norm = np.sqrt(square)
    cut = np.flatnonzero(rows.kept != ALL)  # only their edges are known, but the norm is that of all elements
    total[cut] += np.nan_to_num(rows.norm[cut], posinf=0.0)
    norm[cut] = np.nan_to_num(rows.norm[cut], posinf=0.0)
    shape = np.append(_shapes(trace), np.uint64(0))
    return Fingerprints(shape, total, norm, odd)


def _real(data: Array) -> Array:
    """Numbers in double precision; complex ones as two parts."""
    return data.real + np.pi * data.imag if data.dtype.kind == "c" else data.astype(np.float64)


def _weights(place: Array) -> Array:
    """A weight between 0.5 and 1.5 for each position in a value, in an order that no rearrangement preserves."""
    mixed: Array = place.astype(np.uint64) * MIX >> np.uint64(40)
    return 0.5 + mixed / float(1 << 24)


def _shapes(trace: Trace) -> Array:
    """A number for the dtype and the sizes of each value."""
    rows = trace.values
    found = rows.dtype.astype(np.uint64) + np.uint64(1)
    deep = np.flatnonzero(rows.ndim)
    if len(deep):
        starts = np.cumsum(rows.ndim[deep], dtype=np.int64) - rows.ndim[deep]
        place = np.arange(len(trace.dims.size)) - np.repeat(starts, rows.ndim[deep])
        sizes = (trace.dims.size.astype(np.uint64) + np.uint64(7)) * MIX ** (place.astype(np.uint64) + np.uint64(1))
        found[deep] += np.add.reduceat(sizes, starts)
    return found


def same(here: Fingerprints, there: Fingerprints, a: Array, b: Array) -> Array:
    """For each pair of values (-1 for none), whether they are the same."""
    shape, odd = here.shape[a] == there.shape[b], here.odd[a] == there.odd[b]
    room = TOLERANCE * np.maximum(here.norm[a], there.norm[b])
    near: Array = np.abs(here.total[a] - there.total[b]) <= room
    near &= np.abs(here.norm[a] - there.norm[b]) <= room
    found: Array = shape & odd & near
    return found


VALUE, GRADIENT, ALONE, BUFFER, TEXT = 1, 2, 4, 8, 16  # ways to differ
WORDS = {
    VALUE: "value differs",
    GRADIENT: "gradient differs",
    ALONE: "only in this run",
    BUFFER: "buffers freed in one run only",
    TEXT: "text differs",
}


@dataclass(frozen=True, eq=False)
class Marks:
    """What differs at a cursor of one run: a combination of the flags above, per tensor and per node."""

    tensors: Array
    nodes: Array


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two traces and their correspondence; `steps_here` and `steps_there` say how each step differs."""

    here: Trace
    there: Trace
    alignment: Alignment
    prints_here: Fingerprints
    prints_there: Fingerprints
    steps_here: Array
    steps_there: Array

    def flipped(self) -> Comparison:
        """The same from the point of view of the other run."""
        one = self.alignment
        turned = Alignment(one.steps.flipped(), one.nodes.flipped(), one.tensors.flipped())
        return Comparison(
            self.there,
            self.here,
            turned,
            self.prints_there,
            self.prints_here,
            self.steps_there,
            self.steps_here,
        )

    def same_values(self, a: Array, b: Array) -> Array:
        """For pairs of values (-1 for none), whether they are the same."""
        return same(self.prints_here, self.prints_there, a, b)

    @cached_property
    def _cursors(self) -> tuple[Array, Array]:
        steps = self.alignment.steps
        return _followed(steps.there, len(self.there)), _followed(steps.back, len(self.here))

    def cursor_there(self, cursor: int) -> int:
        """The cursor of the other run that matches this one: after the corresponding step, or after the last one before
        it."""
        return int(self._cursors[0][cursor])

    def cursor_here(self, cursor: int) -> int:
        """The same in the other direction."""
        return int(self._cursors[1][cursor])

    def next_difference(self, cursor: int, step: int = 1) -> int | None:
        """The nearest cursor after (1) or before (-1) this one at which a step differs or has no partner."""
        found = np.flatnonzero(self.steps_here) + 1
        found = found[found > cursor] if step > 0 else found[found < cursor][::-1]
        return int(found[0]) if len(found) else None

    def partner(self, kind: str, index: int) -> int:
        """The corresponding tensor or node of the other run, -1 for none."""
        if kind == "group":
            return -1
        if kind not in ("node", "tensor"):
            return -1
        match = self.alignment.nodes if kind == "node" else self.alignment.tensors
        return int(match.there[index]) if 0 <= index < len(match.there) else -1

    def marks(self, cursor_here: int, cursor_there: int) -> tuple[Marks, Marks]:
        """What differs when the runs are at these cursors."""
        one = self.alignment
        tensors, nodes = _alone(one.tensors), _alone(one.nodes)
        a, b = one.tensors.pairs
        both = (self.here.tensors.step[a] < cursor_here) & (self.there.tensors.step[b] < cursor_there)
        a, b = a[both], b[both]
        for flag, table in ((VALUE, "writes"), (GRADIENT, "grads"), (GRADIENT, "arrivals")):
            held = held_values(self.here, table, cursor_here)[a], held_values(self.there, table, cursor_there)[b]
            wrong = ~self.same_values(*held)
            tensors[0][a[wrong]] |= flag
            tensors[1][b[wrong]] |= flag
        a, b = one.nodes.pairs
        freed = _holding(self.here, cursor_here)[a] != _holding(self.there, cursor_there)[b]
        nodes[0][a[freed]] |= BUFFER
        nodes[1][b[freed]] |= BUFFER
        _mark_flows(nodes[0], self.here, self.steps_here, cursor_here)
        _mark_flows(nodes[1], self.there, self.steps_there, cursor_there)
        return Marks(tensors[0], nodes[0]), Marks(tensors[1], nodes[1])


def compare(here: Trace, there: Trace) -> Comparison:
    """Compare two finished traces."""
    alignment = align(here, there)
    prints = fingerprints(here), fingerprints(there)
    steps = _alone(alignment.steps)
    found = Comparison(here, there, alignment, *prints, *steps)
    a, b = alignment.tensors.pairs
    _mark(found, VALUE, (here.tensors.step[a], here.tensors.value[a]), (there.tensors.step[b], there.tensors.value[b]))
    for table, owner, value, flag in (
        ("writes", "tensor", "value", VALUE),
        ("grads", "tensor", "value", GRADIENT),
        ("arrivals", "tensor", "total", GRADIENT),
        ("flows", "node", "value", GRADIENT),
    ):
        _mark_rows(found, table, owner, value, flag)
    _mark_texts(found)
    for marks, trace in ((found.steps_here, here), (found.steps_there, there)):
        marks[trace.steps.kind == Kind.FREE] &= ALONE  # what arrives after a node ran is noted at its last step
    return found


def _alone(match: Match) -> tuple[Array, Array]:
    return np.where(match.there < 0, ALONE, 0).astype(np.uint8), np.where(match.back < 0, ALONE, 0).astype(np.uint8)


def _followed(partner: Array, other: int) -> Array:
    """The other run's cursor for each cursor of this one; both reach their ends together."""
    after = np.maximum.accumulate(np.append(0, np.where(partner >= 0, partner + 1, 0)))
    after[-1] = other
    return after


def held_values(trace: Trace, table: str, cursor: int) -> Array:
    """For every tensor, the index of its value ("writes"), of its .grad ("grads"), or of the latest gradient that
    arrived ("arrivals"); -1 for none."""
    rows = trace.tables[table]
    step, tensor = _column(rows, "step"), _column(rows, "tensor")
    value = _column(rows, "total" if table == "arrivals" else "value")
    held = trace.tensors.value.astype(np.int64) if table == "writes" else np.full(len(trace.tensors), -1, np.int64)
    done = int(np.searchsorted(step, cursor))
    known = tensor[:done] >= 0
    held[tensor[:done][known]] = value[:done][known]
    return held


def plain(text: str) -> str:
    """Printed text without object addresses, which no two runs share."""
    return re.sub(r"\b0x[0-9a-f]+", "0x…", text)


def _holding(trace: Trace, cursor: int) -> Array:
    """Which nodes hold a saved buffer."""
    rows = trace.saved
    held = np.zeros(len(trace.nodes), bool)
    held[rows.node[(rows.step < cursor) & (rows.freed >= cursor)]] = True
    return held


def _mark_flows(nodes: Array, trace: Trace, differs: Array, cursor: int) -> None:
    """Mark nodes that have sent a different gradient than their partner."""
    steps = trace.steps
    sent = np.flatnonzero(((differs[:cursor] & GRADIENT) > 0) & (steps.kind[:cursor] == Kind.BACKWARD))
    ran = steps.node[sent]
    nodes[ran[ran >= 0]] |= GRADIENT


def _mark(found: Comparison, flag: int, here: tuple[Array, Array], there: tuple[Array, Array]) -> None:
    """Mark the steps of pairs whose values differ; each side is (step, value)."""
    wrong = ~found.same_values(here[1], there[1])
    for marks, steps in ((found.steps_here, here[0][wrong]), (found.steps_there, there[0][wrong])):
        marks[steps[steps >= 0]] |= flag


def _mark_rows(found: Comparison, table: str, owner: str, value: str, flag: int) -> None:
    """Compare the rows of a table: those of the same step and owner, in order."""
    ours, theirs = found.here.tables[table], found.there.tables[table]
    match = found.alignment.nodes if owner == "node" else found.alignment.tensors
    a_step, b_step = _column(ours, "step"), _column(theirs, "step")
    a = np.flatnonzero((a_step >= 0) & (np.append(found.alignment.steps.there, -1)[a_step] >= 0))
    b = np.flatnonzero((b_step >= 0) & (np.append(found.alignment.steps.back, -1)[b_step] >= 0))
    a_owner, b_owner = _column(ours, owner)[a], _column(theirs, owner)[b]
    a_key = mixed(found.alignment.steps.there[a_step[a]], np.append(match.there, -1)[a_owner], *_slots(ours, a))
    b_key = mixed(b_step[b], b_owner, *_slots(theirs, b))
    first, second = same_occurrence(a_key, b_key)
    left, right = a[first], b[second]
    values = _column(ours, value), _column(theirs, value)
    _mark(found, flag, (a_step[left], values[0][left]), (b_step[right], values[1][right]))
    for marks, steps in (
        (found.steps_here, np.delete(a_step[a], first)),
        (found.steps_there, b_step[np.delete(b, second)]),
    ):
        marks[steps] |= flag


def _column(table: Table, name: str) -> Array:
    column: Array = getattr(table, name)
    return column


def _slots(table: Table, rows: Array) -> list[Array]:
    slot = getattr(table, "slot", None)
    return [] if slot is None else [slot[rows]]


def _mark_texts(found: Comparison) -> None:
    """Mark prints and warnings at the same place with different text."""
    said = dict(zip(found.there.texts.step.tolist(), found.there.texts.text.tolist(), strict=True))
    for step, text in zip(found.here.texts.step.tolist(), found.here.texts.text.tolist(), strict=True):
        partner = int(found.alignment.steps.there[step]) if step >= 0 else -1
        if partner >= 0 and plain(said.get(partner, "")) != plain(text):
            found.steps_here[step] |= TEXT
            found.steps_there[partner] |= TEXT
