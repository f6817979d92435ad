"""One element of a value or gradient, the record of where it comes from, and the local derivatives that this is made
of. The derivatives come from a worker (`trace.record.partials`), so they are the engine's own: whatever came through
the pipe is validated here before it is used. `origins` makes the content."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.trace.table.schema import NO_PARTIALS
from gradviz.trace.table.values import edge_indices
from gradviz.trace.words.elements import Number, place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

    Array = NDArray[Any]

MOST_TERMS = 1_000  # terms of a sum that are listed
Ask = tuple[int, int, int, int]  # node, output, slot or -1, element


@dataclass(frozen=True)
class Element:
    """One number of a tensor: of its value, or of its gradient ("grad"), by its index in reading order."""

    tensor: int
    part: str
    index: int


@dataclass(frozen=True)
class Term:
    """The contribution of one element: its number times a factor."""

    element: Element
    number: Number
    factor: Number

    @property
    def amount(self) -> Number:
        """The product."""
        return self.number * self.factor


@dataclass(frozen=True, eq=False)
class Line:
    """One statement: `said` names the subject, `text` is the arithmetic. If `is_sum`, the terms and the total of the
    others, `rest`, add up to `result`."""

    said: str
    text: str
    terms: tuple[Term, ...] = ()
    more: int = 0
    rest: Number = 0
    result: Number | None = None
    is_sum: bool = False
    node: int = -1  # the operation that it is about
    beside: tuple[Term, ...] = ()  # the elements that are the factors


@dataclass(frozen=True, eq=False)
class Origin:
    """Where an element comes from. `asked` is what has to be asked of a worker before more can be said; `sentence` says
    why there is no more."""

    element: Element
    title: str
    lines: tuple[Line, ...] = ()
    sentence: str = ""
    asked: tuple[Ask, ...] = ()

    @property
    def lit(self) -> dict[tuple[int, str], dict[int, float]]:
        """The elements that it comes from, by tensor and part, each with its relative weight from 0 to 1."""
        found: dict[tuple[int, str], dict[int, float]] = {}
        for term in itertools.chain.from_iterable((*line.terms, *line.beside) for line in self.lines):
            weight = abs(term.amount)
            cells = found.setdefault((term.element.tensor, term.element.part), {})
            cells[term.element.index] = max(cells.get(term.element.index, 0.0), weight if weight == weight else 0.0)
        largest = max((weight for cells in found.values() for weight in cells.values()), default=0.0) or 1.0
        return {key: {at: weight / largest for at, weight in cells.items()} for key, cells in found.items()}


def at_index(value: Value, index: int) -> Number | None:
    """An element as a Python number; None if it was not kept."""
    if value.array is not None:
        return as_number(value.array.reshape(-1)[index])
    kept = []
    for at, size in zip(place(value.shape, index), value.shape, strict=True):
        known = edge_indices(size)
        if at not in known:
            return None
        kept.append(known.index(at))
    return as_number(value.edges[tuple(kept)])


def as_number(element: Any) -> Number:
    """An element of an array as a Python number."""
    found: Number = element.item() if hasattr(element, "item") else float(element)
    return found if isinstance(found, (bool, int, float, complex)) else float(element)


# -- a worker's answers


@dataclass(frozen=True, eq=False)
class Entries:
    """Where a row or column of a local Jacobian is not 0; `by_unit` has the same for the imaginary unit."""

    at: Array
    entries: Array
    by_unit: Array | None = None
    more: int = 0
    rest: float = 0.0

    def cut_short(self, numbers: Array) -> Entries:
        """The ones that contribute most, if there are very many: `numbers` are what they are multiplied by."""
        if len(self.at) <= MOST_TERMS or self.by_unit is not None:
            return self
        with np.errstate(all="ignore"):
            terms = self.entries.astype(np.result_type(self.entries, np.float64)) * numbers[self.at]
        order = np.argpartition(-np.abs(terms), MOST_TERMS)
        kept, left_out = np.sort(order[:MOST_TERMS]), terms[order[MOST_TERMS:]]
        rest = self.rest + (float("nan") if left_out.dtype.kind == "c" else float(left_out.sum()))
        return Entries(self.at[kept], self.entries[kept], None, self.more + len(left_out), rest)


Key = tuple[int, int, int, int, int]  # node, output, slot, element of the output, element of the operand


@dataclass(eq=False)
class Partials:
    """The known local derivatives of one run."""

    of: object = None  # `Trace.run` of the trace that they belong to
    _found: dict[tuple[Key, bool], tuple[Array | None, Array, int, float]] = field(default_factory=dict)
    _reasons: dict[tuple[int, int], str] = field(default_factory=dict)  # by node and output, -1 for all
    _asked: set[Ask] = field(default_factory=set)

    def learn(self, trace: Trace, answered: Trace, asked: Sequence[Ask]) -> None:
        """Add the answers from another run of the same snippet; `trace` is the one on screen."""
        self._asked.update(asked)
        rows = answered.partials
        nodes = {node for node, *_ in asked}
        different = {node for node in nodes if not _same_results(trace, answered, node)}
        for node in different:
            self._reasons[node, -1] = "it came to other numbers when the snippet ran once more"
        columns = ("node", "output", "slot", "element", "source")
        for row in range(len(rows)):
            node, output, slot, element, source = (int(getattr(rows, name)[row]) for name in columns)
            if node in different:
                continue
            if rows.reason[row]:
                self._reasons[node, output] = NO_PARTIALS[int(rows.reason[row])]
                continue
            made = _entries(answered, row)
            if made is not None:
                self._found[(node, output, slot, element, source), bool(rows.imaginary[row])] = made
        known = {key[0] for key, _ in self._found} | {node for node, _ in self._reasons}
        for node in nodes - known:
            self._reasons[node, -1] = "the run ended before it"

    def why_not(self, node: int, output: int) -> str:
        """Why nothing is known about an output of this node, "" if something is."""
        return self._reasons.get((node, -1)) or self._reasons.get((node, output), "")

    def lacks(self, ask: Ask) -> bool:
        """Whether this still has to be asked."""
        node = ask[0]
        if (node, -1) in self._reasons or ask in self._asked:
            return False
        return not any(key[0] == node and key[3:] == (-1, -1) for key, _ in self._found)

    def row(self, node: int, output: int, element: int, sizes: dict[int, int], size: int) -> dict[int, Entries]:
        """How an element of an output with `size` elements changes with those of each operand; `sizes` is by slot."""
        return {slot: found for slot, count in sizes.items()
                if (found := self._cut(node, output, slot, (element, -1), (size, count))) is not None}  # fmt: skip

    def column(self, node: int, output: int, slot: int, source: int, shape: tuple[int, int]) -> Entries | None:
        """How the elements of an output change with one element of an operand."""
        return self._cut(node, output, slot, (-1, source), shape)

    def _cut(
        self, node: int, output: int, slot: int, wanted: tuple[int, int], shape: tuple[int, int]
    ) -> Entries | None:
        parts = [self._part(node, output, slot, wanted, shape, unit) for unit in (False, True)]
        real, unit = parts
        if real is None:
            return None
        if unit is None:
            at, entries, more, rest = real
            return Entries(at, entries, None, more, rest)
        where = np.union1d(real[0], unit[0])
        both = [np.zeros(len(where), np.result_type(real[1], unit[1])) for _ in parts]
        for made, (at, entries, _, _) in zip(both, (real, unit), strict=True):
            made[np.searchsorted(where, at)] = entries
        return Entries(where, both[0], both[1], max(real[2], unit[2]))

    def _part(
        self, node: int, output: int, slot: int, wanted: tuple[int, int], shape: tuple[int, int], unit: bool
    ) -> tuple[Array, Array, int, float] | None:
        whole = self._found.get(((node, output, slot, -1, -1), unit))
        if whole is not None:
            matrix = whole[1]
            if matrix.shape != shape or not all(at < size for at, size in zip(wanted, shape, strict=True)):
                return None
            cut = matrix[wanted[0]] if wanted[1] < 0 else matrix[:, wanted[1]]
            at = np.flatnonzero(cut != 0)
            return at, cut[at], 0, 0.0
        found = self._found.get(((node, output, slot, *wanted), unit))
        if found is None:
            return None
        size = shape[1] if wanted[1] < 0 else shape[0]
        where, entries, more, rest = found
        at = np.empty(0, np.int64) if where is None else where
        fits = at.shape == entries.shape and at.ndim == 1 and (not len(at) or (at.min() >= 0 and at.max() < size))
        return (at, entries, more, rest) if fits else None


def _entries(answered: Trace, row: int) -> tuple[Array | None, Array, int, float] | None:
    rows = answered.partials
    at, value = answered.value(int(rows.at[row])), answered.value(int(rows.value[row]))
    if value is None or value.array is None or value.dtype == "bool":
        return None
    where = None
    if at is not None:
        if at.array is None or at.dtype != "int64":
            return None
        where = at.array
    array = value.array if value.array.dtype.kind in "fc" else value.array.astype(np.float64)
    return where, array, max(0, int(rows.more[row])), float(rows.rest[row])


def _same_results(trace: Trace, answered: Trace, node: int) -> bool:
    """Whether an operation had the same results in both runs."""
    if not (node < len(trace.nodes) and node < len(answered.nodes)):
        return node < len(trace.nodes)
    if trace.nodes.op[node] != answered.nodes.op[node]:
        return False
    pairs = zip(trace.outputs_of(node).tolist(), answered.outputs_of(node).tolist(), strict=False)
    values = [
        (trace.value(int(trace.tensors.value[a])), answered.value(int(answered.tensors.value[b]))) for a, b in pairs
    ]
    return all(one is not None and two is not None and same_values(one, two) for one, two in values)


def same_values(one: Value, two: Value) -> bool:
    """Whether all elements that were kept are the same."""
    if one.shape != two.shape or one.dtype != two.dtype or one.edges.shape != two.edges.shape:
        return False
    return bool(((one.edges == two.edges) | ((one.edges != one.edges) & (two.edges != two.edges))).all())
