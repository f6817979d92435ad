"""Where one element of a value or gradient comes from: which elements of which tensors, and by which arithmetic. The
local derivatives are the engine's own (`elements`), the numbers are those of the trace, and nothing is said unless they
add up to it. A gradient is always a sum: each element of the incoming gradient times the derivative of that element of
the result by this one. For values see `elements`; the words are in `gradviz.trace.words.elements`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.session.inspect.chain_rule import are_factors, factors_of, gradient_lines
from gradviz.session.inspect.elements import (
    Element,
    Entries,
    Line,
    Origin,
    Partials,
    Term,
    as_number,
    at_index,
    at_start,
    forward,
    numel,
    overwritten,
    same_values,
    spread_index,
    without_derivative,
)
from gradviz.session.inspect.ledger import ledger, since_cleared
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import in_brackets
from gradviz.trace.words.contributions import sender_name
from gradviz.trace.words.elements import Number, agree, cells_name, element_name, number, place, precision_of, products
from gradviz.trace.words.formulas import bracketed
from gradviz.trace.words.updates import update_sentence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

    Array = NDArray[Any]

CHANGED = "by another arithmetic: a hook changed it, or it depends on more than the operation's results"
LONGEST = 80  # characters of the code that made a tensor
MOST_USES = 12  # uses that contribute to a gradient and are listed one by one


def element_of(frame: Frame, element: Element) -> tuple[str, Number] | None:
    """The name of an element and its number, None if there is none or it was not kept."""
    value = value_of(frame, element.tensor, element.part)
    if value is None or not 0 <= element.index < value.numel:
        return None
    found = at_index(value, element.index)
    if found is None:
        return None
    name = element_name(frame.name(element.tensor), value.shape, element.index)
    return (name if element.part == "value" else f"gradient of {name}"), found


def value_of(frame: Frame, tensor: int, part: str) -> Value | None:
    """The value of a tensor, or its gradient."""
    if not 0 <= tensor < len(frame.trace.tensors):
        return None
    return frame.value(tensor) if part == "value" else _gradient(frame, tensor)


def _gradient(frame: Frame, tensor: int) -> Value | None:
    """The latest gradient that has arrived at a tensor so far, otherwise the content of its `.grad`."""
    rows = _arrived(frame, tensor)
    return _total(frame.trace, tensor, rows, frame.cursor) if len(rows) else frame.grad(tensor)


def first_of(frame: Frame, tensor: int) -> Element | None:
    """The first element of a tensor's gradient, once the backward pass has reached it; otherwise of its value."""
    arrived = _gradient(frame, tensor) is not None and frame.call >= 0
    for part in ("grad", "value") if arrived else ("value",):
        element = Element(tensor, part, 0)
        if element_of(frame, element) is not None:
            return element
    return None


def origin(frame: Frame, element: Element, known: Partials) -> Origin | None:
    """Where an element comes from, as far as that is known; None if there is no such element."""
    found = element_of(frame, element)
    if found is None:
        return None
    name, value = found
    title = f"{name} = {number(value)}"
    if element.part == "value":
        return _of_value(frame, element, value, title, known)
    return _of_gradient(frame, element, value, title, known)


# -- of a value


def _of_value(frame: Frame, element: Element, value: Number, title: str, known: Partials) -> Origin:
    trace, tensor = frame.trace, element.tensor
    written = _written(frame, element, value)
    if written is not None:
        return replace(written, title=title)
    node = int(trace.tensors.producer[tensor])
    if node < 0:
        line = int(trace.tensors.line[tensor])
        return Origin(
            element, title, sentence=f"No operation computed it: {_given(str(trace.tensors.label[tensor]), line)}."
        )
    if str(trace.nodes.op[node]) == "detach":
        return _copied(frame, element, value, title, node)
    if not str(trace.tensors.dtype[tensor]).startswith(("float", "bfloat", "complex")):
        alone = without_derivative(frame, element, value, node)
        said = f"{_op(trace, node)} makes {trace.tensors.dtype[tensor]} numbers, which have no derivative."
        return Origin(element, title, (alone,) if alone else (), said)
    ask = (node, int(trace.tensors.output_nr[tensor]), -1, element.index)
    if known.lacks(ask):
        return Origin(element, title, sentence="Working it out …", asked=(ask,))
    why = known.why_not(node, ask[1])
    if why:
        alone = without_derivative(frame, element, value, node)
        return Origin(
            element, title, (alone,) if alone else (), f"No arithmetic is shown for {_op(trace, node)}: {why}."
        )
    lines = forward(frame, element, value, node, known)
    sentence = "" if lines else "The numbers that it comes from were too large to keep."
    return Origin(element, title, tuple(lines), sentence)


def _given(label: str, line: int) -> str:
    """Where a tensor was made."""
    short = label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"
    return f"line {line} made it, {short}" if line > 0 and short else "it was there before the first step"


def _op(trace: Trace, node: int) -> str:
    return f"{trace.nodes.op[node]}{in_brackets(trace, int(trace.nodes.site[node]))}"


def _written(frame: Frame, element: Element, value: Number) -> Origin | None:
    """For an element that was overwritten since its tensor was made: by what."""
    trace, tensor = frame.trace, element.tensor
    row = trace.history("writes", "tensor").last(tensor, frame.cursor)
    if row < 0:
        return None
    first, now = (trace.value(int(each)) for each in (trace.tensors.value[tensor], trace.writes.value[row]))
    if first is not None and now is not None and same_values(first, now):
        return None
    step = int(trace.writes.step[row])
    line, node = int(trace.steps.line[step]), int(trace.steps.node[step])
    if trace.steps.kind[step] == Kind.OPTIMIZER:
        return Origin(element, "", sentence=update_sentence(trace.frame_at(step + 1)))
    who = f"Line {line}" if line > 0 else "An operation in place"
    sentence = f"{who} wrote it over what was there before, at step {step + 1}."
    mine = node >= 0 and trace.slots_of(node).get(0) == tensor
    made = overwritten(frame, element, value, node) if mine else None
    return Origin(element, "", () if made is None else (made,), sentence)


def _copied(frame: Frame, element: Element, value: Number, title: str, node: int) -> Origin:
    """An element of a tensor that shares the memory of another one."""
    source = int(frame.trace.inputs_of(node)[0])
    shape = tuple(frame.trace.tensors.shape[source])
    if shape != tuple(frame.trace.tensors.shape[element.tensor]):
        return Origin(element, title, sentence=f"It lies in the memory of {frame.name(source)}.")
    name = element_name(frame.name(source), shape, element.index)
    term = Term(Element(source, "value", element.index), value, 1)
    return Origin(element, title, (Line(f"it is {name}, in the same memory", number(value), (term,), result=value),))


# -- of a gradient


def _arrived(frame: Frame, tensor: int) -> Array:
    """The contributions so far of the latest backward call that sent any to this tensor."""
    trace = frame.trace
    rows = trace.history("arrivals", "tensor").before(tensor, frame.cursor)
    found: Array = rows[trace.arrivals.call[rows] == trace.arrivals.call[rows[-1]]] if len(rows) else rows
    return found


def _total(trace: Trace, tensor: int, rows: Array, cursor: int) -> Value | None:
    """The sum of what arrived, as the tensor's hooks left it."""
    hooks = trace.hooks
    changed = trace.history("hooks", "tensor").last(tensor, cursor)
    if changed >= 0 and hooks.after[changed] >= 0 and hooks.step[changed] >= trace.arrivals.step[rows[-1]]:
        return trace.value(int(hooks.after[changed]))
    return trace.value(int(trace.arrivals.total[rows[-1]]))


@dataclass(frozen=True)
class _Use:
    """One contribution to a gradient: who sent it, for which operand, and its value."""

    arrival: int
    node: int  # -1 for the backward call itself
    slot: int
    value: int


def _uses(trace: Trace, tensor: int, rows: Array) -> Iterator[_Use]:
    """The contributions in order. Those that one node sent for several of its operands are in the order of the
    operands."""
    arrivals, taken = trace.arrivals, dict[int, int]()
    for row in rows.tolist():
        node = int(arrivals.from_node[row])
        slot = -1
        if node >= 0:
            slots = [slot for slot, one in trace.slots_of(node).items() if one == tensor]
            at = taken.get(node, 0)
            taken[node] = at + 1
            slot = slots[at] if at < len(slots) else -1
        yield _Use(row, node, slot, int(arrivals.value[row]))


def _of_gradient(frame: Frame, element: Element, value: Number, title: str, known: Partials) -> Origin:
    trace = frame.trace
    rows = _arrived(frame, element.tensor)
    ledger = _ledger(frame, element)
    if not len(rows):
        return Origin(element, title, tuple(ledger), "No backward call sent it: it was put into .grad by hand.")
    uses = list(_uses(trace, element.tensor, rows[-MOST_USES:]))
    asks = [(use.node, 0, use.slot, element.index) for use in uses if use.node >= 0 and use.slot >= 0]
    asked = tuple(ask for ask in asks if known.lacks(ask))
    if asked:
        return Origin(element, title, sentence="Working it out …", asked=asked)
    lines = [line for use in uses for line in [_contribution(frame, element, use, known)] if line is not None]
    parts = [line.result for line in lines]
    if len(lines) > 1 and len(uses) == len(rows) and None not in parts:
        shown = [(part, 1) for part in parts if part is not None]
        lines.append(Line("together", products(shown), result=sum(one for one, _ in shown)))
    earlier = len(rows) - len(uses)
    sentence = f"{earlier:,} contributions came before these." if earlier else ""
    return Origin(element, title, tuple(lines + ledger), sentence)


def _contribution(frame: Frame, element: Element, use: _Use, known: Partials) -> Line | None:
    """One contribution to an element of a gradient: the elements of the incoming gradient times the local
    derivatives."""
    trace = frame.trace
    sent = trace.value(use.value)
    result = at_index(sent, element.index) if sent is not None and element.index < sent.numel else None
    if result is None:
        return None
    if use.node < 0:
        return Line("backward() starts here, with the gradient", number(result), result=result)
    name = sender_name(frame, use.node)
    why = _why_not(trace, use, known)
    if why:
        return Line(
            f"through {name}, whose arithmetic is not shown: {why}", number(result), result=result, node=use.node
        )
    chain = _chain(frame, element, use, known)
    if chain is None:
        kept = f"through {name}; the gradient that came in was too large to keep"
        return Line(kept, number(result), result=result, node=use.node)
    terms, more, rest = chain
    if not terms and abs(result) < 1e-9:
        return Line(f"through {name}: every local derivative by it is 0", number(result), result=result, node=use.node)
    total, size = sum(term.amount for term in terms) + rest, max((_size(term) for term in terms), default=0.0)
    if not agree(total, result, size, precision_of(str(trace.tensors.dtype[element.tensor]))):
        odd = f"through {name}, {CHANGED}"
        return Line(odd, number(result), tuple(terms), node=use.node, result=result)
    product = None if more else _product(frame, element, use, terms, name)
    if product is not None:
        return replace(product, result=result)
    said = f"through {name}: {_came_in(frame, terms, more)}"
    if any(term.factor != 1 for term in terms):
        said += ", times the local derivative" + ("s" if len(terms) > 1 else "")
    text = products([(term.number, term.factor) for term in terms], more, rest)
    return Line(said, text, tuple(terms), more, rest, result, True, use.node)


def _came_in(frame: Frame, terms: Sequence[Term], more: int) -> str:
    """The elements of the incoming gradients."""
    if more:
        tensors = dict.fromkeys(f"∇{bracketed(frame.name(term.element.tensor))}" for term in terms)
        return f"{len(terms) + more:,} elements of {' and '.join(tensors)}"
    groups = itertools.groupby(terms, key=lambda term: term.element.tensor)
    return " and ".join(
        _gradient_cells(frame, tensor, np.array([term.element.index for term in some])) for tensor, some in groups
    )


def _gradient_cells(frame: Frame, tensor: int, cells: Array) -> str:
    return cells_name(f"∇{bracketed(frame.name(tensor))}", tuple(frame.trace.tensors.shape[tensor]), cells)


def _product(frame: Frame, element: Element, use: _Use, terms: Sequence[Term], name: str) -> Line | None:
    """A contribution in which the derivatives are elements of another operand of a product."""
    trace, made = frame.trace, terms[0].element.tensor
    op, slots = str(trace.nodes.op[use.node]), trace.slots_of(use.node)
    pair = (0, 1) if op == "mul" else factors_of(op)
    if pair is None or op == "convolution" or use.slot not in pair or not all(slot in slots for slot in pair):
        return None
    other = slots[pair[1] if use.slot == pair[0] else pair[0]]
    shapes = [tuple(trace.tensors.shape[one]) for one in (made, slots[pair[0]], slots[pair[1]])]
    if op == "mul":
        given = np.array([term.element.index for term in terms])
        found = [spread_index(tuple(trace.tensors.shape[other]), shapes[0], at) for at in given.tolist()]
        cells = np.array([-1 if at is None else at for at in found])
    else:
        mine = shapes[1 if use.slot == pair[0] else 2]
        given, cells = gradient_lines(op, use.slot, (shapes[0], shapes[1], shapes[2]), place(mine, element.index))
    value = at_start(trace, other, trace.frame_at(max(0, int(trace.nodes.step[use.node]))))
    derivatives = {term.element.index: term.factor for term in terms}
    incoming = _incoming(trace, made, int(trace.arrivals.call[use.arrival]), int(trace.arrivals.step[use.arrival]))
    if incoming is None or incoming.array is None or not are_factors(value, cells, derivatives, given):
        return None
    gradient = incoming.array.reshape(-1)
    shown = [
        Term(Element(made, "grad", at), as_number(gradient[at]), derivatives.get(at, 0.0)) for at in given.tolist()
    ]
    beside = [
        Term(Element(other, "value", at), term.factor, term.number)
        for at, term in zip(cells.tolist(), shown, strict=True)
    ]
    its = cells_name(frame.name(other), tuple(trace.tensors.shape[other]), cells)
    said = f"through {name}: {_gradient_cells(frame, made, given)} · {its}"
    text = products([(term.number, term.factor) for term in shown], in_full=True)
    return Line(said, text, tuple(shown), 0, 0, None, True, use.node, tuple(beside))


def _why_not(trace: Trace, use: _Use, known: Partials) -> str:
    """Why the arithmetic of a contribution is not known."""
    if use.slot < 0:
        return "its operands were not recorded"
    outputs = [int(trace.tensors.output_nr[made]) for made in trace.outputs_of(use.node).tolist()]
    return next((why for output in outputs if (why := known.why_not(use.node, output))), "")


def _size(term: Term) -> float:
    """The magnitude of a term; a small derivative that is a difference of larger numbers is not exact."""
    return max(abs(term.amount), 1e-2 * abs(term.number))


def _chain(frame: Frame, element: Element, use: _Use, known: Partials) -> tuple[list[Term], int, Number] | None:
    """The elements of the incoming gradients at a node times the derivatives of its results by one element, with the
    number of further ones and their total; None if they were not kept."""
    trace, terms, more, rest = frame.trace, list[Term](), 0, 0.0
    call, step = int(trace.arrivals.call[use.arrival]), int(trace.arrivals.step[use.arrival])
    size = numel(trace, element.tensor)
    for made in trace.outputs_of(use.node).tolist():
        output = int(trace.tensors.output_nr[made])
        incoming = _incoming(trace, made, call, step)
        if incoming is None:
            continue
        entries = known.column(use.node, output, use.slot, element.index, (incoming.numel, size))
        if entries is None:
            continue
        if incoming.array is None and len(entries.at):
            return None
        flat = incoming.edges.reshape(-1)
        entries = entries.cut_short(flat)
        more, rest = more + entries.more, rest + entries.rest
        for at, by, unit in zip(entries.at.tolist(), entries.entries, _units(entries), strict=True):
            if by == by or as_number(flat[at]):  # 0 · nan is not one of the terms
                terms.append(_term(Element(made, "grad", at), as_number(flat[at]), by, unit))
    return terms, more, rest


def _units(entries: Entries) -> list[Any]:
    return [None] * len(entries.at) if entries.by_unit is None else list(entries.by_unit)


def _term(element: Element, given: Number, by: Any, unit: Any) -> Term:
    """What an element of the incoming gradient passes on. The two parts of a complex one may be passed on with
    different factors; if the factors agree, it is a product."""
    factor: Number = complex(by) if np.iscomplexobj(by) else float(by)
    if unit is not None and given:
        sent = given.real * complex(by) + given.imag * complex(unit)
        factor = factor if abs(sent - given * factor) <= 1e-6 * abs(sent) else sent / given
    return Term(element, given, factor)


def _incoming(trace: Trace, tensor: int, call: int, step: int) -> Value | None:
    """The gradient of a result when its node ran in this call."""
    rows = trace.history("arrivals", "tensor").before(tensor, step + 1)
    rows = rows[trace.arrivals.call[rows] == call]
    return _total(trace, tensor, rows, step + 1) if len(rows) else None


def _ledger(frame: Frame, element: Element) -> list[Line]:
    """The content of `.grad` at this element, if it is more than the latest gradient."""
    if frame.grad(element.tensor) is None:
        return []
    held = since_cleared(ledger(frame, element.tensor))
    if len(held) < 2:
        return []
    now = frame.grad(element.tensor)
    result = at_index(now, element.index) if now is not None and element.index < now.numel else None
    parts = [at_index(one.value, element.index) for one in held if one.value is not None]
    if result is None or None in parts:
        return []
    numbers = [(one, 1) for one in parts if one is not None]
    said = f".grad holds the gradients of {len(parts)} backward calls, of which this is the last"
    if held[0].kind == "gap":
        said = ".grad holds what iterations left that were not recorded, and what was added since"
    return [Line(said, products(numbers), result=result)]
