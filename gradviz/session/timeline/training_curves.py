"""The progress of a training as curves over its iterations: losses, printed numbers, the norms of each parameter and
its gradient, how far an update moves it, and the distribution of the elements of a gradient. For the training page, for
snippets and recordings alike. Pure; functions that read the elements of many values are generators that yield their
progress."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.session.timeline.iterations import LEAST, Series, losses, times_of
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import NEVER
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import ALL, DTYPES
from gradviz.trace.words.explain import gap_span

Array = NDArray[Any]

MOST_LOSSES = 8
MOST_PRINTED = 12
NOT_RECORDED = " (not recorded)"
LONGEST = 500  # characters of a text that can be a progress line
MOST_ELEMENTS = 20_000_000  # of one parameter that are read; for longer trainings every second update, or every tenth
BLOCK = 1_000_000  # elements that are worked on at once
SHARES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)  # the quantiles of a distribution


@dataclass(frozen=True, eq=False)
class Axis:
    """Maps steps to iterations: iteration i extends from position i to i + 1. A gap in the recording extends over as
    many positions as there were iterations in it."""

    bounds: Array  # the first step of each iteration and gap, and the end of the last
    names: Array  # "t = 3"; empty for backward calls outside loops
    numbers: Array | None = None  # the positions of the bounds; None if they are consecutive

    @property
    def word(self) -> str:
        """The word for what is counted."""
        return "iteration" if len(self.names) else "backward call"

    def positions(self, steps: Array) -> Array:
        """Of steps."""
        return np.interp(steps, self.bounds, self._places)

    @property
    def _places(self) -> Array:
        return np.arange(len(self.bounds)) if self.numbers is None else self.numbers

    @property
    def length(self) -> int:
        """The position of its end."""
        return int(self._places[-1])

    def steps(self, positions: Array) -> Array:
        """The steps at positions, with fractions; the end where there are no iterations any more."""
        return np.interp(positions, self._places, self.bounds)

    def step(self, position: float) -> int:
        """The step at a position."""
        return int(self.steps(np.array([position]))[0])

    def title(self, step: int) -> str:
        """ "t = 3"; if a loop ran more than once, with the number among all iterations: "iteration 13 (i = 3)"."""
        row = min(max(int(np.searchsorted(self.bounds, step, "right")) - 1, 0), len(self.bounds) - 2)
        number = int(self._places[row])
        if not len(self.names):
            return f"backward call {number}"
        name = str(self.names[row])
        return name if name.endswith((f" {number}", NOT_RECORDED)) else f"iteration {number} ({name})"


@dataclass(frozen=True, eq=False)
class Parameter:
    """The leaf with a name, or the leaves that replace each other under it."""

    name: str
    tensor: int  # the latest
    gradient: Series  # the norm of each gradient that arrived
    norm: Series  # the norm of its values, from the first gradient on
    gradients: Array  # the values behind these two
    values: Array


@dataclass(frozen=True, eq=False)
class TrainingCurves:
    """Everything that is known without reading the elements of tensors."""

    axis: Axis
    losses: tuple[Series, ...]
    others: tuple[Series, ...]  # printed numbers, changing learning rates
    times: tuple[Series, ...]  # seconds from one update to the next, of a recorded job
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)
class Spread:
    """For each step the quantiles of the elements of a gradient: row i of `levels` has the `words[i]` of all steps."""

    steps: Array
    levels: Array
    words: tuple[str, ...]

    def at(self, row: int) -> str:
        """ "minimum −0.02, 5 % −0.01, …, maximum 0.03"; a number where all are the same."""
        if self.levels[0, row] == self.levels[-1, row]:
            return f"{self.levels[0, row]:.4g}"
        return ", ".join(f"{word} {level:.3g}" for word, level in zip(self.words, self.levels[:, row], strict=True))


def training_curves(trace: Trace, steps: int) -> TrainingCurves | None:
    """The curves of the first `steps` steps, None if nothing is trained."""
    began = int(np.searchsorted(trace.calls.step, steps))
    parameters = _parameters(trace, steps)
    found = losses(trace, began, MOST_LOSSES)
    if began < LEAST or not (parameters or found):
        return None
    others = (*_rates(trace, steps), *_printed(trace, steps, found))
    return TrainingCurves(_axis(trace, steps), tuple(found), others, _times(trace, steps), parameters)


# -- the axis


def _axis(trace: Trace, steps: int) -> Axis:
    """The iterations of the innermost loop in which backward calls begin; without a loop, the calls."""
    regions = trace.regions
    calls = trace.calls.step[trace.calls.step < steps]
    rows = np.flatnonzero((regions.kind == RegionKind.ITERATION) & (trace.nesting.first < NEVER))
    rows = rows[regions.step[rows] < steps]
    loops = regions.site[regions.parent[rows]]
    best = rows[:0]
    for loop in np.unique(loops).tolist():
        mine = rows[loops == loop]
        if len(mine) >= LEAST and len(mine) > len(best):
            held = np.unique(np.searchsorted(regions.step[mine], calls, "right"))
            if (held > 0).sum() > len(mine) / 2:
                best = mine
    starts = regions.step[best] if len(best) else calls
    starts, at = np.unique(np.maximum(starts, 0).astype(np.int64), return_index=True)
    names = regions.name[best][at] if len(best) else np.empty(0, object)
    return _with_gaps(trace, Axis(np.append(starts, max(steps, int(starts[-1]) + 1)), names))


def _with_gaps(trace: Trace, axis: Axis) -> Axis:
    """The same axis, including what was not recorded."""
    counts = trace.resumptions.count
    at = trace.gaps.step[: len(counts)].astype(np.int64)
    inside = (axis.bounds[0] < at) & (at < axis.bounds[-1]) & (counts > 0)
    if not len(axis.names) or not inside.any():
        return axis
    spans = [f"{gap_span(trace, gap)}{NOT_RECORDED}" for gap in np.flatnonzero(inside).tolist()]
    at, left_out = at[inside], np.append(0, np.cumsum(counts[inside]))
    places = np.arange(len(axis.bounds)) + left_out[np.searchsorted(at, axis.bounds)]
    before = np.searchsorted(axis.bounds, at) + left_out[:-1]
    bounds = np.concatenate((axis.bounds, at))
    order = np.argsort(bounds, kind="stable")
    names = np.concatenate((axis.names, np.array(["", *spans], object)))
    return Axis(bounds[order], names[order][:-1], np.concatenate((places, before))[order])


# -- numbers


def _rates(trace: Trace, steps: int) -> list[Series]:
    """The learning rate, if it changes."""
    updates = trace.updates
    count = int(np.searchsorted(updates.step, steps))
    rates: dict[int, float] = {}
    known: dict[str, float] = {}
    for step, settings in zip(updates.step[:count].tolist(), updates.settings[:count], strict=True):
        if settings not in known:
            match = re.search(r"\blr=([\d.e+-]+)", settings)
            known[settings] = _number(match[1]) if match else math.nan
        rates.setdefault(step, known[settings])
    if len({*rates.values()}) < 2:
        return []
    return [Series("learning rate", np.array([*rates], np.int64), np.array([*rates.values()]))]


def _times(trace: Trace, steps: int) -> tuple[Series, ...]:
    """How long updates took, with what led to them; where something was left out in between, that is not known."""
    at, seconds = times_of(trace, Kind.OPTIMIZER)
    at, seconds = at[at < steps], seconds[at < steps]
    gaps = np.diff(np.searchsorted(trace.gaps.step, at)) > 0
    took = np.where(gaps, np.nan, np.diff(seconds))
    return (Series("seconds", at[1:].astype(np.int64), took),) if len(took) >= LEAST else ()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


_TOKENS = re.compile(
    r"(?P<word>[^\W\d][\w.]*+)|(?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[-+]?\d++)?)", re.IGNORECASE
)
_WRAPPED = re.compile(r"\btensor\(|,\s*(?:grad_fn=<\w+>|device='[\w:]+'|dtype=[\w.]+|requires_grad=True)")


def _printed(trace: Trace, steps: int, known: list[Series]) -> Iterator[Series]:
    """Numbers that are printed repeatedly, by the text in front of them; no counters, and nothing already known."""
    texts = trace.texts
    count = int(np.searchsorted(texts.step, steps))
    gaps = set(trace.gaps.step.tolist())  # what is printed there has no place on the axis
    said: dict[tuple[int, str], list[tuple[int, float, float]]] = defaultdict(list)
    for step, stream, text in zip(texts.step[:count].tolist(), texts.stream[:count], texts.text[:count], strict=True):
        if stream == "out" and len(text) < LONGEST and step not in gaps:
            line = int(trace.steps.line[step]) if step >= 0 else -1
            for name, number, unit in _numbers_of(text):
                said[line, name].append((step, number, unit))
    shown = 0
    for (_, name), rows in said.items():
        at, numbers, units = (np.array(column) for column in zip(*rows, strict=True))
        series = Series(name, at, numbers)
        if len(rows) >= LEAST and not _counts(numbers) and not any(_repeats(series, units, one) for one in known):
            yield series
            shown += 1
        if shown == MOST_PRINTED:
            return


def _numbers_of(text: str) -> Iterator[tuple[str, float, float]]:
    """ "val loss: 0.25 | acc 91 %" has "val loss" and "acc", each with a unit of its last digit; a number without a
    name is the first, the second, ... of its line."""
    text = _WRAPPED.sub("", text)
    name, last, end, place = "", "", -1, 0
    for match in _TOKENS.finditer(text):
        if match["word"]:
            word = match["word"]
            name = f"{last} {word}" if last and text[end : match.start()] == " " else word
            last, end = word, match.end()
        else:
            place += 1
            digits, _, power = match["number"].lower().partition("e")
            unit = 10.0 ** (_number(power or "0") - len(digits.partition(".")[2]))
            yield name or f"printed, number {place}", _number(match["number"]), unit
            name = last = ""


def _counts(numbers: Array) -> bool:
    """Whether they only count, or never change."""
    steps = np.unique(np.diff(numbers))
    is_whole = bool((numbers == np.round(numbers)).all())
    return (len(steps) == 1 and (is_whole or steps[0] == 0)) or (
        is_whole and len(steps) == 2 and _starts_again(numbers)
    )


def _starts_again(numbers: Array) -> bool:
    """Whether it counts 0, 1, 2, 0, 1, 2: an inner loop."""
    jumps = np.diff(numbers)
    usual = np.median(jumps)
    return bool(usual > 0 and (numbers[1:][jumps != usual] == numbers[0]).all())


def _repeats(series: Series, units: Array, other: Series) -> bool:
    """Whether it is another one, perhaps in fewer digits, as it was when that was printed."""
    rows = np.searchsorted(other.steps, series.steps, "right") - 1
    near = [other.numbers[np.clip(rows + shift, 0, len(other.numbers) - 1)] for shift in (0, 1)]
    with np.errstate(all="ignore"):
        far = [np.abs(series.numbers - one) - 1e-6 * np.abs(one) for one in near]
    same = [(series.numbers == one) | (np.isnan(series.numbers) & np.isnan(one)) for one in near]
    return any(bool((alike | (away <= 0.51 * units)).all()) for alike, away in zip(same, far, strict=True))


# -- parameters


def _parameters(trace: Trace, steps: int) -> tuple[Parameter, ...]:
    """All leaves to which gradients come again and again, in the order in which they were made."""
    step, tensor, value = _gradients(trace, steps)
    by_name: dict[str, list[int]] = defaultdict(list)
    for each in np.unique(tensor).tolist():
        by_name[trace.naming.name(each, len(trace))].append(each)
    found = []
    for name, tensors in by_name.items():
        mine = np.isin(tensor, tensors)
        if mine.sum() < LEAST:
            continue
        first = int(step[mine][0])
        at, values = _values_of(trace, tensors, first, steps)
        norm = trace.values.norm
        gradient = Series(name, step[mine], norm[value[mine]])
        found.append(Parameter(name, max(tensors), gradient, Series(name, at, norm[values]), value[mine], values))
    return tuple(sorted(found, key=lambda one: one.tensor))


def _gradients(trace: Trace, steps: int) -> tuple[Array, Array, Array]:
    """Every .grad that a backward call wrote, and what autograd.grad gave of leaves: (step, tensor, value)."""
    grads, arrivals = trace.grads, trace.arrivals
    rows = np.flatnonzero((grads.step >= 0) & (grads.step < steps) & (grads.value >= 0))
    rows = rows[trace.steps.kind[grads.step[rows]] == Kind.ACCUMULATE]
    asked = np.unique(np.column_stack((trace.wanted.call, trace.wanted.tensor)), axis=0)
    whole = (arrivals.total >= 0) & (arrivals.arrived == arrivals.expected) & (arrivals.step < steps)
    whole &= np.isin(arrivals.call, asked[:, 0]) & (arrivals.step >= 0)
    given = np.flatnonzero(whole)
    given = given[trace.tensors.is_leaf[arrivals.tensor[given]] & (arrivals.tensor[given] >= 0)]
    pairs = {(int(call), int(tensor)) for call, tensor in asked}
    both = zip(arrivals.call[given].tolist(), arrivals.tensor[given].tolist(), strict=True)
    wrote = {*zip(grads.step[rows].tolist(), grads.tensor[rows].tolist(), strict=True)}
    is_asked = [
        pair in pairs and (step, pair[1]) not in wrote
        for pair, step in zip(both, arrivals.step[given].tolist(), strict=True)
    ]
    given = given[np.array(is_asked, bool)]
    step = np.concatenate((grads.step[rows], arrivals.step[given]))
    order = np.argsort(step, kind="stable")
    tensor = np.concatenate((grads.tensor[rows], arrivals.tensor[given]))
    value = np.concatenate((grads.value[rows], arrivals.total[given]))
    return step[order].astype(np.int64), tensor[order], value[order]


def _values_of(trace: Trace, tensors: list[int], first: int, steps: int) -> tuple[Array, Array]:
    """(step, value) of what these leaves held: what they had at the first gradient, then what was written."""
    writes = trace.writes
    rows = np.flatnonzero(np.isin(writes.tensor, tensors) & (writes.step < steps))
    step = np.concatenate((trace.tensors.step[tensors], writes.step[rows])).astype(np.int64)
    value = np.concatenate((trace.tensors.value[tensors], writes.value[rows]))
    order = np.argsort(step, kind="stable")
    step, value = step[order], value[order]
    before = max(int(np.searchsorted(step, first)) - 1, 0)
    step, value = step[before:], value[before:]
    step[0] = max(int(step[0]), first)
    fits = (value >= 0) & np.append(np.diff(step) > 0, True)  # of each step the last
    return step[fits], value[fits]


# -- what needs the elements


def update_ratio(trace: Trace, parameter: Parameter) -> Generator[float, None, Series]:
    """How far each update moved a parameter, compared with its norm before: ‖after − before‖ / ‖before‖. NaN where its
    elements were not kept."""
    values, steps = parameter.values, parameter.norm.steps[1:]
    rows = _every(trace, values[1:])
    rows = rows[trace.steps.kind[steps[rows]] != Kind.GAP]  # there it is moved by many at once
    before, after = values[:-1][rows], values[1:][rows]
    found = np.full(len(rows), math.nan)
    same = _sizes(trace, before) == _sizes(trace, after)
    for block in _blocks(trace, after, np.flatnonzero(same & _whole(trace, before) & _whole(trace, after))):
        old, new = _elements(trace, before[block]), _elements(trace, after[block])
        with np.errstate(all="ignore"):
            found[block] = np.sqrt((np.abs(new - old) ** 2).sum(1)) / trace.values.norm[before[block]]
        yield int(block[-1]) / len(rows)
    return Series(parameter.name, steps[rows], found)


def repeated(trace: Trace, tensor: int, steps: int) -> tuple[Array, Array]:
    """What the operation that made a tensor has made there again and again, such as the output of a layer in each
    iteration: (step, value). Nothing of a leaf, or of no tensor (-1)."""
    nodes, tensors = trace.nodes, trace.tensors
    made_by = int(tensors.producer[tensor]) if tensor >= 0 else -1
    if made_by < 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    same = [getattr(nodes, column) == getattr(nodes, column)[made_by] for column in ("site", "op", "scope")]
    rows = np.isin(tensors.producer, np.flatnonzero(np.logical_and.reduce(same)))
    rows &= (tensors.output_nr == tensors.output_nr[tensor]) & (tensors.step >= 0) & (tensors.step < steps)
    return tensors.step[rows].astype(np.int64), tensors.value[rows]


def spread(trace: Trace, steps: Array, values: Array) -> Generator[float, None, Spread]:
    """Quantiles of the elements of each value; where some were kept as summaries, mean and standard deviation."""
    rows = _every(trace, values)
    steps, values = steps[rows], values[rows]
    if not _whole(trace, values).all():
        return _of_summaries(trace, steps, values)
    levels = np.full((len(SHARES), len(values)), math.nan)
    for block in _blocks(trace, values, np.flatnonzero(_sizes(trace, values) > 0)):
        with np.errstate(all="ignore"):
            levels[:, block] = np.quantile(_elements(trace, values[block]), SHARES, axis=1)
        yield int(block[-1]) / len(values)
    words = ("minimum", "5 %", "25 %", "median", "75 %", "95 %", "maximum")
    return Spread(steps, levels, words)


def _of_summaries(trace: Trace, steps: Array, values: Array) -> Spread:
    levels = np.full((5, len(values)), math.nan)
    for at, value in enumerate(values.tolist()):
        found = trace.store.get(value)
        if found.is_known and found.numel:
            one = found.summary
            deviation = math.sqrt(max(one.norm**2 / found.numel - one.mean**2, 0.0))
            levels[:, at] = one.low, one.mean - deviation, one.mean, one.mean + deviation, one.high
    return Spread(steps, levels, ("minimum", "mean − σ", "mean", "mean + σ", "maximum"))


def _sizes(trace: Trace, values: Array) -> Array:
    found: Array = trace.values.count[values]
    return found


def _whole(trace: Trace, values: Array) -> Array:
    """Which of the values were kept whole."""
    found: Array = trace.values.kept[values] == ALL
    return found


def _every(trace: Trace, values: Array) -> Array:
    """The rows of values that are read: all, or as many as there is time for."""
    stride = max(1, math.ceil(float(_sizes(trace, values).sum(dtype=np.int64)) / MOST_ELEMENTS))
    return np.arange(0, len(values), stride)


def _blocks(trace: Trace, values: Array, rows: Array) -> Iterator[Array]:
    """Rows that follow each other and have values of one size, so many that they are worked on together."""
    sizes = _sizes(trace, values)[rows].astype(np.int64)
    if len(rows):
        cuts = (np.diff(sizes) != 0) | (np.diff(np.cumsum(sizes) // BLOCK) != 0)
        yield from np.split(rows, np.flatnonzero(cuts) + 1)


def _elements(trace: Trace, values: Array) -> Array:
    """The elements of values of one size, one value per row; of complex numbers the magnitudes are not taken."""
    store, rows = trace.store, trace.values
    size = int(rows.count[values[0]])
    found = np.empty((len(values), size), np.complex128 if _is_complex(trace, values) else np.float64)
    for chunk in np.unique(rows.chunk[values]).tolist():
        mine = np.flatnonzero(rows.chunk[values] == chunk)
        found[mine] = store.several(chunk, rows.offset[values[mine]], size)
    return found


def _is_complex(trace: Trace, values: Array) -> bool:
    return any(DTYPES[code].startswith("complex") for code in np.unique(trace.values.dtype[values]).tolist())
