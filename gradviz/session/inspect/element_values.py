"""Where an element of an operation's result comes from: another element, a sum of elements, a formula, or elements that
it depends on. Gradients, and the entry point for both, are in `origins`.

Note [Sums of an element] A result is often linear in some of its operands: in all operands of a sum, or in one of the
two of a matrix product. Then it is the sum of their elements, each times its local derivative, which is an element of
the other operand. There is no table of which operands these are: it is tried, starting with the fewest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.session.inspect.elements import Element, Entries, Line, Partials, Term, as_number, at_index
from gradviz.session.inspect.factors import are_factors, factors_of, lines, window
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
    worked_out,
)

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

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
    by_tanh = op == "gelu" and "approximate=tanh" in str(trace.nodes.params[node])
    text = worked_out("gelu by tanh" if by_tanh else op, numbers, value)
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
