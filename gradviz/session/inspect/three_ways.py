"""The gradient of a leaf computed in three ways, side by side: by autograd, by central differences from runs with one
element nudged (made by the worker, `gradviz.trace.record.finite_differences`), and, if everything is a single number,
by the symbolic derivative (`symbolic`); with the cost of each, the accuracy of the differences, and the places without
a derivative. Pure; `Check` is in the state, `lines` is what the inspector says.

Note [How exact differences are] The central difference of numbers of precision e has a rounding error of e · |root| /
h, and a truncation error of about e^(2/3) of the derivative if h is the cube root of e times the number. The sum of
both is shown with the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.engine.kernel.expressions import Fraction, Math, Row, Sign, in_line
from gradviz.session.inspect.chain_rule import call_of
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.values import array_text, number_text, numpy_dtype, precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.session.inspect.symbolic import Symbolic
    from gradviz.session.state import State
    from gradviz.trace.table.trace import Trace

MOST_ELEMENTS = 400
WRITTEN = 25  # elements that are written one by one
ROUNDINGS = 4  # error of a computed root in units of the last digit
STEADY = 0.7  # what stays of a difference of slopes at half the distance, where it is no curve but an edge


@dataclass(frozen=True)
class Difference:
    """The slope at one element: the central difference, its error, and the one-sided slopes."""

    element: int
    value: float
    error: float
    right: float
    left: float
    step: float
    is_edge: bool  # the one-sided slopes do not converge


@dataclass(frozen=True, eq=False)
class Check:
    """What is known about the gradient that a call of `trace` sent to a leaf. `sentence` says why there are no
    differences, or that they are being computed."""

    trace: Trace
    call: int
    tensor: int
    name: str
    differences: tuple[Difference, ...] = ()
    runs: int = 0
    seconds: float = 0.0
    symbolic: Symbolic | str = ""
    sentence: str = ""


def cannot_check(state: State, tensor: int) -> str:
    """Why the gradient of this tensor can't be compared with differences; "" if it can."""
    trace = state.trace
    if state.is_recording:
        return "Gradients are checked by running the program again, which a recording can't do."
    if trace is None or not state.is_trusted or state.is_stale:
        return "Run the snippet first; then its gradients can be checked."
    frame = trace.frame(state.cursor)
    name, size = frame.name(tensor), _size(trace, tensor)
    if not frame.is_leaf(tensor) or not frame.requires_grad(tensor):
        return f"{name} is no leaf that requires grad; differences are taken of leaves."
    if call_of(trace, state.cursor, tensor) < 0:
        return f"No backward call sends a gradient to {name}."
    if not 0 < size <= MOST_ELEMENTS:
        return f"{name} has {size:,} elements; each needs two runs, and up to {MOST_ELEMENTS} are checked."
    return ""


def _size(trace: Trace, tensor: int) -> int:
    return int(np.prod(trace.tensors.shape[tensor], dtype=np.int64))


def gradient(trace: Trace, call: int, tensor: int) -> NDArray[np.float64] | None:
    """The total that a call sent to a leaf; None if it was not kept."""
    arrivals = trace.arrivals
    rows = np.flatnonzero((arrivals.tensor == tensor) & (arrivals.call == call))
    value = trace.value(int(arrivals.total[rows[-1]])) if len(rows) else None
    return None if value is None or value.array is None else value.array.astype(np.float64).reshape(-1)


def differences(trace: Trace, call: int, tensor: int) -> tuple[Difference, ...]:
    """The results of the nudged runs, by element."""
    rows = trace.nudges
    ends = {str(trace.tensors.dtype[each]) for each in (tensor, *trace.roots_of(call).tolist())}
    digits = max(precision(numpy_dtype(dtype)) for dtype in ends)
    found: dict[int, Difference] = {}
    for at in range(len(rows)):
        element, up, down = int(rows.element[at]), float(rows.up[at]), float(rows.down[at])
        above, below, here = float(rows.above[at]), float(rows.below[at]), float(rows.here[at])
        if element < 0 or not up > 0 or not down > 0:
            continue
        with np.errstate(all="ignore"):
            one = _difference(element, up, down, above, below, here, digits, found.get(element))
        found[element] = one
    return tuple(found.values())


def _difference(
    element: int, up: float, down: float, above: float, below: float, here: float, digits: float,
    wider: Difference | None,
) -> Difference:  # fmt: skip
    value, right, left = (above - below) / (up + down), (above - here) / up, (here - below) / down
    rounding = ROUNDINGS * digits * max(abs(above), abs(below)) / (up + down)
    bend, middle = abs(right - left), (up + down) / 2
    if wider is None:
        return Difference(element, value, rounding + digits ** (2 / 3) * abs(value), right, left, middle, False)
    is_edge = bend > STEADY * abs(wider.right - wider.left) and bend > 4 * rounding
    curve = abs(value - wider.value) / 3
    return Difference(element, value, rounding + curve, right, left, middle, is_edge)


def agree(check: Check) -> list[bool]:
    """For each difference, whether autograd's number is within its error."""
    grad = gradient(check.trace, check.call, check.tensor)
    if grad is None:
        return []
    return [
        one.element < len(grad) and abs(one.value - grad[one.element]) <= 2 * one.error + 1e-12
        for one in check.differences
    ]


# -- in words


def lines(check: Check) -> list[tuple[str, str, str]]:
    """Label, text and tone of each line."""
    grad = gradient(check.trace, check.call, check.tensor)
    found = []
    if grad is not None:
        found.append(("autograd", f"{_array(check, grad)} · {_passes(check)}", "gradient"))
    if check.sentence:
        found.append(("differences", check.sentence, "muted"))
    elif check.differences:
        found += _difference_lines(check, grad)
    if isinstance(check.symbolic, str):
        if check.symbolic:
            found.append(("symbolic", check.symbolic, "muted"))
    else:
        one = check.symbolic
        cost = f"{one.operations} operation{'s' * (one.operations != 1)}, {_seconds(one.seconds)}"
        found.append(("symbolic", f"{number_text(one.value)} · {cost}", ""))
    return found


def _passes(check: Check) -> str:
    steps = check.trace.steps
    count = int(((steps.kind == Kind.BACKWARD) & (steps.call == check.call)).sum())
    return f"one backward pass, {count} node{'s' * (count != 1)}, for all leaves"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _array(check: Check, numbers: NDArray[np.float64]) -> str:
    shape, size = check.trace.tensors.shape[check.tensor], _size(check.trace, check.tensor)
    if size == 1 and len(numbers):
        return number_text(float(numbers[0]))
    return array_text(numbers.reshape(shape)) if size == len(numbers) and size <= WRITTEN else f"{size} numbers"


def _difference_lines(check: Check, grad: NDArray[np.float64] | None) -> list[tuple[str, str, str]]:
    rows = check.differences
    values = np.array([one.value for one in rows])
    steps = [one.step for one in rows]
    h = number_text(min(steps)) + ("" if len(set(steps)) == 1 else f" to {number_text(max(steps))}")
    error = max(one.error for one in rows)
    cost = f"{check.runs} runs, {_seconds(check.seconds)}"
    text = f"{_array(check, values)} ± {error:.1g} · h = {h} · {cost}"
    size = _size(check.trace, check.tensor)
    if len(rows) < size:
        text += f" · only {len(rows)} of {size} elements, then the time was up"
    found = [("differences", text, "")]
    edges = [one for one in rows if one.is_edge]
    if edges:
        found.append(("no derivative", _edge(check, edges, grad), "stale"))
    if grad is None:
        return found
    within = agree(check)
    off = [one for one, ok in zip(rows, within, strict=True) if not ok and not one.is_edge]
    if off:
        worst = max(off, key=lambda one: abs(one.value - grad[one.element]))
        place, ours = _place(check, worst.element), number_text(float(grad[worst.element]))
        why = (
            "Differences also follow what autograd was told not to: detach(), no_grad(), .data, a function of its own."
        )
        found.append(("they differ", f"{place}{number_text(worst.value)} beside {ours}. {why}", "stale"))
    elif not edges:
        found.append(("they agree", "within the error of the differences", ""))
    return found


def _edge(check: Check, edges: list[Difference], grad: NDArray[np.float64] | None) -> str:
    one = edges[0]
    taken = "" if grad is None else f"; autograd takes {number_text(float(grad[one.element]))}"
    more = f" ({len(edges)} such elements)" if len(edges) > 1 else ""
    left, right = number_text(one.left), number_text(one.right)
    return f"{_place(check, one.element)}slope {left} on the left, {right} on the right, within h of here{taken}{more}"


def _place(check: Check, element: int) -> str:
    shape, size = check.trace.tensors.shape[check.tensor], _size(check.trace, check.tensor)
    if size <= 1 or element >= size:
        return ""
    place = ", ".join(str(int(each)) for each in np.unravel_index(element, tuple(shape)))
    return f"at [{place}]: "


def derivative(check: Check) -> Math | None:
    """The symbolic derivative and its value; None if there is none."""
    found = check.symbolic
    if isinstance(found, str):
        return None
    frame = check.trace.frame_at(int(check.trace.calls.step[check.call]))
    root = frame.name(int(check.trace.roots_of(check.call)[0]))
    above, below = (Row((Sign("∂"), Sign(name, "name"))) for name in (root, check.name))
    number = Sign(number_text(found.value), "number")
    same = in_line(found.written) == number.text
    equal = () if same else (Sign(" = "), number)
    return Row((Fraction(above, below, "/"), Sign(" = "), found.written, *equal))
