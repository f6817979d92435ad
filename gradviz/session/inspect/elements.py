"""One element of a value or gradient, the record of where it comes from, and the local derivatives that this is made
of. The derivatives come from a worker (`trace.record.partials`), so they are the engine's own: whatever came through
the pipe is validated here before it is used. `origins` makes the content.

`forward` says where an element of an operation's result comes from: another element, a sum of elements, a formula,
or elements that it depends on. Gradients, and the entry point for both, are in `origins`.

Note [Sums of an element] A result is often linear in some of its operands: in all operands of a sum, or in one of
the two of a matrix product. Then it is the sum of their elements, each times its local derivative, which is an
element of the other operand. There is no table of which operands these are: it is tried, starting with the fewest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.session.inspect.chain_rule import are_factors, factors_of, lines, window
from gradviz.trace.table.schema import NO_PARTIALS
from gradviz.trace.table.values import edge_indices
from gradviz.trace.words.elements import (
    FORMULAS,
    Number,
    agree,
    cells_name,
    element_name,
    given_numbers,
    number,
    place,
    precision_of,
    products,
    variant,
    worked_out,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

    Array = NDArray[Any]
    from gradviz.trace.table.frame import Frame

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


MOST_LISTED = 8  # local derivatives that a line lists


@dataclass(frozen=True, eq=False)
class _Operand:
    """One operand of an operation, and where the element depends on it."""

    slot: int
    tensor: int
    name: str
    value: Value
    entries: Entries

    @cached_property
    def terms(self) -> list[Term]:
        """The elements that it depends on, as far as they were kept."""
        flat = None if self.value.array is None else self.value.array.reshape(-1)
        found = []
        for at, by in zip(self.entries.at.tolist(), self.factors(), strict=True):
            one = at_index(self.value, at) if flat is None else as_number(flat[at])
            if one is not None:
                found.append(Term(Element(self.tensor, "value", at), one, by))
        return found

    def factors(self) -> list[Number]:
        """The derivatives; for complex numbers, the conjugate of what is sent."""
        entries = self.entries.entries
        wide = entries.astype(np.complex128 if entries.dtype.kind == "c" else np.float64)
        found: list[Number] = np.conj(wide).tolist()
        return found

    def widened_to(self, cells: Any) -> _Operand:
        """The same, extended to all these elements."""
        entries = np.zeros(len(cells), self.entries.entries.dtype)
        entries[np.searchsorted(cells, self.entries.at)] = self.entries.entries
        return replace(self, entries=Entries(cells, entries))

    @property
    def is_linear(self) -> bool:
        """Whether it has a derivative at all: a function of complex numbers may have none."""
        unit = self.entries.by_unit
        return unit is None or bool(np.allclose(unit, 1j * self.entries.entries, rtol=1e-4, equal_nan=True))

    @property
    def is_whole(self) -> bool:
        return self.value.array is not None or len(self.terms) == len(self.entries.at)

    def cells(self) -> str:
        return cells_name(self.name, self.value.shape, self.entries.at, self.entries.more)


def _operands(frame: Frame, element: Element, node: int, known: Partials) -> list[_Operand]:
    trace = frame.trace
    before = trace.frame_at(max(0, int(trace.nodes.step[node])))
    output = int(trace.tensors.output_nr[element.tensor])
    size = numel(trace, element.tensor)
    slots = trace.slots_of(node)
    rows = known.row(node, output, element.index, {slot: numel(trace, one) for slot, one in slots.items()}, size)
    found = []
    for slot, entries in rows.items():
        value = at_start(trace, slots[slot], before)
        if value is not None:
            kept = entries if value.array is None else entries.cut_short(value.array.reshape(-1))
            found.append(_Operand(slot, slots[slot], frame.name(slots[slot]), value, kept))
    return found


def at_start(trace: Trace, tensor: int, before: Frame) -> Value | None:
    """The value of an operand when the operation ran; one that was made in the same step had it from the beginning."""
    if int(trace.tensors.step[tensor]) >= before.cursor:
        return trace.value(int(trace.tensors.value[tensor]))
    return before.value(tensor)


def numel(trace: Trace, tensor: int) -> int:
    return int(np.prod(trace.tensors.shape[tensor], dtype=np.int64))


def forward(frame: Frame, element: Element, value: Number, node: int, known: Partials) -> list[Line]:
    """What to say about an element of a result: it is another element, a sum or a formula, or it depends on some
    elements."""
    op = str(frame.trace.nodes.op[node])
    operands = _widened(frame, element, op, _operands(frame, element, node, known))
    if not all(each.is_whole or each.entries.more for each in operands):
        return []
    there = [each for each in operands if len(each.entries.at)]
    formula = _formula(frame, element, value, there, node)
    if formula is not None:
        return [formula]
    if not there:
        return [_flat(frame, element, value, node)]
    chosen = _linear(value, there, precision_of(str(frame.trace.tensors.dtype[element.tensor])))
    if chosen is None:
        return [_dependence(op, one, node) for one in there]
    return _summed(frame, element, value, chosen, there, node)


def _widened(frame: Frame, element: Element, op: str, operands: list[_Operand]) -> list[_Operand]:
    """The operands of a product with the complete row and column, or window, also where the other one is 0."""
    slots, by_slot = factors_of(op), {one.slot: one for one in operands}
    if slots is None or not all(slot in by_slot for slot in slots):
        return operands
    first, second = (by_slot[slot] for slot in slots)
    if op == "convolution":
        both = window(first.value.shape, first.entries.at), window(second.value.shape, second.entries.at)
    else:
        where = place(tuple(frame.trace.tensors.shape[element.tensor]), element.index)
        both = lines(op, first.value.shape, second.value.shape, where)
    if not (_meets(first, second, both) and _meets(second, first, (both[1], both[0]))):
        return operands
    return [one.widened_to(both[slots.index(one.slot)]) if one.slot in slots else one for one in operands]


def _meets(one: _Operand, other: _Operand, cells: tuple[Any, Any]) -> bool:
    """Whether the derivatives by these elements of an operand are those of the other one."""
    derivatives = dict(zip(one.entries.at.tolist(), one.factors(), strict=True))
    known = not one.entries.more and one.entries.by_unit is None and derivatives.keys() <= set(cells[0].tolist())
    return known and are_factors(other.value, cells[1], derivatives, cells[0])


def _summed(
    frame: Frame, element: Element, value: Number, chosen: Sequence[_Operand], there: Sequence[_Operand], node: int
) -> list[Line]:
    """What to say about a sum of elements of these operands."""
    terms = [term for one in chosen for term in one.terms]
    more, rest = sum(one.entries.more for one in chosen), sum(one.entries.rest for one in chosen)
    first = chosen[0]
    if len(terms) == 1 and not more and terms[0].factor == 1:
        at = terms[0].element.index
        said = f"{frame.trace.nodes.op[node]} takes {element_name(first.name, first.value.shape, at)}"
        if terms[0].number != value:
            said += f", rounded to {frame.trace.tensors.dtype[element.tensor]}"
        return [Line(said, number(terms[0].number), tuple(terms), 0, 0, value, True, node)]
    said = f"{frame.trace.nodes.op[node]} of {' and '.join(one.cells() for one in chosen)}"
    partner = _partner(first, there, chosen)
    if partner is not None:
        said = " and ".join([f"{first.cells()} · {partner.cells()}", *(one.cells() for one in chosen[1:])])
    in_full = partner is not None and len(chosen) == 1
    text = products([(term.number, term.factor) for term in terms], more, rest, in_full)
    lit = () if partner is None else tuple(partner.terms)
    return [Line(said, text, tuple(terms), more, rest, value, True, node, lit)]


def _linear(value: Number, operands: Sequence[_Operand], precision: float) -> tuple[_Operand, ...] | None:
    """The fewest operands whose elements, times their derivatives, add up to the value; None if it is no such sum."""
    linear = [one for one in operands if one.is_linear][:6]
    sums = {one.slot: _sum(one) for one in linear}
    for count in range(1, len(linear) + 1):
        for chosen in itertools.combinations(linear, count):
            total = sum(sums[one.slot][0] for one in chosen)
            if agree(total, value, max(sums[one.slot][1] for one in chosen), precision):
                return chosen
    return None


def _sum(operand: _Operand) -> tuple[Number, float]:
    """The sum of an operand's elements times their derivatives, and the magnitude of the terms."""
    amounts = [term.amount for term in operand.terms]
    return sum(amounts) + operand.entries.rest, max(map(abs, amounts), default=0.0)


def _partner(chosen: _Operand, operands: Sequence[_Operand], others: Sequence[_Operand]) -> _Operand | None:
    """The operand whose elements are the factors: the result is linear in it in the same way."""
    total, size = _sum(chosen)
    for one in operands:
        if one not in others and one.is_linear and agree(_sum(one)[0], total, size):
            mine = sorted((abs(term.number), abs(term.factor)) for term in chosen.terms if term.amount)
            its = sorted((abs(term.factor), abs(term.number)) for term in one.terms if term.amount)
            if len(mine) == len(its) and np.allclose(mine, its, rtol=1e-3, equal_nan=True):
                return one
    return None


def _formula(frame: Frame, element: Element, value: Number, there: Sequence[_Operand], node: int) -> Line | None:
    """The operation's own formula with its numbers, if it is written out."""
    op, trace = str(frame.trace.nodes.op[node]), frame.trace
    terms = [term for one in there for term in one.terms]
    numbers = [term.number for term in terms]
    if op in FORMULAS:
        beside = same_place(frame, element, node)
        if beside is None:
            return None
        factors = {(term.element.tensor, term.element.index): term.factor for term in terms}
        named = beside
        terms = [
            Term(one.element, one.number, factors.get((one.element.tensor, one.element.index), 0)) for one in beside
        ]
        numbers = [*(one.number for one in named), *given_numbers(op, str(trace.nodes.params[node]))]
    elif op in ("softmax", "log_softmax", "_safe_softmax") and len(there) == 1:
        own = at_index(there[0].value, element.index) if element.index < there[0].value.numel else None
        numbers = [] if own is None else [own, *numbers]
    elif op.startswith("native_") and there and there[0].slot == 0:
        numbers = _normalised_with(trace, element, there, node)
    text = worked_out(variant(op, str(trace.nodes.params[node])), numbers, value)
    if not text:
        return None
    by = "" if op == "mul" or {abs(term.factor) for term in terms} <= {0, 1} else f"; local {_listed(terms)}"
    cells = [_cells(frame, term) for term in terms] if op in FORMULAS else [one.cells() for one in there]
    return Line(f"{op} of {' and '.join(cells)}{by}", text, tuple(terms), result=value, node=node)


def _normalised_with(trace: Trace, element: Element, there: Sequence[_Operand], node: int) -> list[Number]:
    """The element itself, its weight, its bias and ε, and all elements over which mean and variance are computed."""
    own = at_index(there[0].value, element.index) if element.index < there[0].value.numel else None
    beside = {one.slot: one.terms[0].number for one in there[1:] if len(one.terms) == 1}
    eps = re.search(r"(?:^|, )eps=([\d.e+-]+)", str(trace.nodes.params[node]))
    if own is None or eps is None:
        return []
    return [own, beside.get(1, 1.0), beside.get(2, 0.0), float(eps[1]), *(term.number for term in there[0].terms)]


def _cells(frame: Frame, term: Term) -> str:
    tensor = term.element.tensor
    return element_name(frame.name(tensor), tuple(frame.trace.tensors.shape[tensor]), term.element.index)


def _listed(terms: Sequence[Term]) -> str:
    word = "derivative" if len(terms) == 1 else "derivatives"
    shown = ", ".join(number(term.factor) for term in terms[:MOST_LISTED])
    return f"{word} {shown}" + (f" and {len(terms) - MOST_LISTED:,} more" if len(terms) > MOST_LISTED else "")


def _dependence(op: str, operand: _Operand, node: int) -> Line:
    """What to say if the value is not a sum: the elements that it depends on, and how much."""
    terms = sorted(operand.terms, key=lambda term: -abs(term.factor))
    parts = []
    for term in terms[:MOST_LISTED]:
        name = element_name(operand.name, operand.value.shape, term.element.index)
        parts.append(f"{name} = {number(term.number)}: {number(term.factor)}")
    count = len(terms) - MOST_LISTED + operand.entries.more
    parts += [f"{count:,} more"] if count > 0 else []
    said = f"{op} depends on {operand.cells()}; the local derivatives are"
    return Line(said, "; ".join(parts), tuple(terms), operand.entries.more, node=node)


def _flat(frame: Frame, element: Element, value: Number, node: int) -> Line:
    """An element that does not change with any other."""
    line = without_derivative(frame, element, value, node)
    terms = () if line is None else line.terms
    said = f"{line.said}: " if line is not None else ""
    return Line(
        f"{said}every local derivative is 0, so that no small change of an operand changes it", "", terms, node=node
    )


def overwritten(frame: Frame, element: Element, value: Number, node: int) -> Line | None:
    """What an operation wrote in place, from what was there before; None if it is not plain arithmetic."""
    return _formula(frame, element, value, (), node)


def without_derivative(frame: Frame, element: Element, value: Number, node: int) -> Line | None:
    """The elements at the same position, for an elementwise operation."""
    op, terms = str(frame.trace.nodes.op[node]), same_place(frame, element, node)
    if not terms:
        return None
    parts = [f"{_cells(frame, term)} = {number(term.number)}" for term in terms]
    return Line(f"{op} of {' and '.join(parts)}", number(value), tuple(terms), result=value, node=node)


def same_place(frame: Frame, element: Element, node: int) -> list[Term] | None:
    """The elements of the operands that broadcasting aligns with the result's; None if their shapes do not fit, or a
    number was not kept."""
    trace = frame.trace
    shape = tuple(trace.tensors.shape[element.tensor])
    before = trace.frame_at(max(0, int(trace.nodes.step[node])))
    terms = []
    for tensor in trace.slots_of(node).values():
        its, value = tuple(trace.tensors.shape[tensor]), at_start(trace, tensor, before)
        at = spread_index(its, shape, element.index)
        one = at_index(value, at) if value is not None and at is not None else None
        if one is None or at is None:
            return None
        terms.append(Term(Element(tensor, "value", at), one, 0))
    return terms


def spread_index(its: tuple[int, ...], shape: tuple[int, ...], index: int) -> int | None:
    """The element of a tensor at a position of the shape that it is broadcast to; None if it is not broadcast to it."""
    wide = (1,) * (len(shape) - len(its)) + its
    if len(its) > len(shape) or any(mine not in (1, size) for mine, size in zip(wide, shape, strict=True)):
        return None
    if not shape:
        return 0
    where = [0 if mine == 1 else int(at) for mine, at in zip(wide, np.unravel_index(index, shape), strict=True)]
    return int(np.ravel_multi_index(where, wide))
