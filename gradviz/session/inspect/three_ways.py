"""The gradient of a leaf computed in three ways, side by side: by autograd, by central differences from runs with one
element nudged (made by the worker, `gradviz.trace.record.finite_differences`), and, if everything is a single number,
by the symbolic derivative; with the cost of each, the accuracy of the differences, and the places without a derivative.
Pure; `Check` is in the state, `lines` is what the inspector says.

The symbolic derivative takes the recorded operations as a SymPy expression, differentiated, with the numbers of the run
substituted. SymPy comes with `pip install gradviz[symbolic]` and is imported here on demand; no text is evaluated.

Note [How exact differences are] The central difference of numbers of precision e has a rounding error of e · |root| /
h, and a truncation error of about e^(2/3) of the derivative if h is the cube root of e times the number. The sum of
both is shown with the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.kernel.expressions import Bracketed, Cases, Fraction, Math, Root, Row, Script, Sign, in_line
from gradviz.session.inspect.chain_rule import call_of
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.values import array_text, number_text, numpy_dtype, precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


# --- The symbolic derivative ---

MOST_OPERATIONS = 80
LONGEST = 400  # operations of a derivative that can be displayed
MISSING = "SymPy is not installed: pip install gradviz[symbolic]"
Expression = Any  # SymPy's, which has no types


class CannotError(Exception):
    """Why there is no expression."""


@dataclass(frozen=True)
class Symbolic:
    """The derivative, its value, its number of operations, and how long it took."""

    written: Math
    value: float
    operations: int
    seconds: float


def symbolic(trace: Trace, call: int, tensor: int) -> Symbolic | str:
    """The derivative of the root of a call by a leaf; a sentence if there is none."""
    try:
        import sympy
    except ImportError:
        return MISSING
    begun = time.perf_counter()
    try:
        root = _Graph(sympy, trace, call, tensor)
        found = _shortest(sympy, sympy.diff(root.expression, root.symbol))
        count = int(found.count_ops())
        if count > LONGEST:
            raise CannotError(f"its derivative has {count:,} operations")
        number = complex(found.subs(root.numbers).evalf())
        if number.imag or number != number:
            raise CannotError("it is no real number here")
        return Symbolic(_Written(sympy).of(found), number.real, count, time.perf_counter() - begun)
    except CannotError as why:
        return f"no symbolic derivative: {why}"
    except (TypeError, ValueError, ArithmeticError, RecursionError):
        return "no symbolic derivative: it has no number here"


def _shortest(sympy: Any, made: Expression) -> Expression:
    """An equal expression with the fewest operations; only forms that are found quickly are tried."""
    forms = [made]
    if made.count_ops() <= LONGEST:
        forms += [sympy.expand(made), sympy.factor_terms(made), sympy.factor_terms(sympy.expand(made))]
    return min(forms, key=lambda form: int(form.count_ops()))


class _Graph:
    """The operations from a leaf to the root of a call as one expression."""

    def __init__(self, sympy: Any, trace: Trace, call: int, tensor: int) -> None:
        self._sympy, self._trace = sympy, trace
        self._frame = trace.frame_at(int(trace.calls.step[call]))
        self._known: dict[int, Expression] = {}
        self.numbers: dict[Expression, Expression] = {}
        roots = trace.roots_of(call).tolist()
        if len(roots) != 1:
            raise CannotError("the call begins at several tensors")
        nodes = self._nodes(roots[0])
        self.symbol = self._symbol(tensor)
        for node in nodes:
            self._operate(node)
        self.expression = self._of(roots[0])

    def _nodes(self, root: int) -> list[int]:
        """The operations that lead to the root, in order."""
        producer, wants = self._trace.tensors.producer, self._trace.tensors.requires_grad
        found: set[int] = set()
        waiting = [root]
        while waiting:
            tensor = waiting.pop()
            node = int(producer[tensor])
            if node < 0 or node in found or not wants[tensor] or not self._trace.nodes.name[node]:
                continue
            found.add(node)
            if len(found) > MOST_OPERATIONS:
                raise CannotError(f"it has more than {MOST_OPERATIONS} operations")
            waiting += self._trace.slots_of(node).values()
        return sorted(found)

    def _of(self, tensor: int) -> Expression:
        return self._known[tensor] if tensor in self._known else self._symbol(tensor)

    def _symbol(self, tensor: int) -> Expression:
        value, name = self._frame.value(tensor), self._frame.name(tensor)
        if value is None or value.array is None or value.array.size != 1 or value.array.dtype.kind == "c":
            raise CannotError(f"{name} is more than one real number")
        number = value.array.reshape(-1)[0]
        symbol = self._sympy.Dummy(name, real=True)
        self.numbers[symbol] = self._sympy.Float(float(number), 17)
        self._known[tensor] = symbol
        return symbol

    def _operate(self, node: int) -> None:
        trace = self._trace
        op, outputs = str(trace.nodes.op[node]), trace.outputs_of(node).tolist()
        slots, params = trace.slots_of(node), _params(self._sympy, str(trace.nodes.params[node]))
        if op == "where" and 0 in slots:
            chosen = self._frame.value(slots[0])
            if chosen is None or chosen.array is None or chosen.array.size != 1:
                raise CannotError("a condition is more than one")
            slots = {0: slots[1] if bool(chosen.array.reshape(-1)[0]) else slots[2]}
        made = _OPERATIONS.get("alias" if op == "where" else op)
        if made is None or len(outputs) != 1:
            raise CannotError(f"{op} is not among the operations that it knows")
        operands = [self._of(slots[slot]) for slot in sorted(slots)]
        value = self._frame.value(outputs[0])
        if value is None or value.numel != 1:
            raise CannotError(f"{self._frame.name(outputs[0])} is more than one number")
        self._known[outputs[0]] = made(self._sympy, operands, params)


def _params(sympy: Any, text: str) -> dict[str, Expression]:
    """The numbers among the parameters of an operation."""
    found = {}
    for part in text.split(", "):
        name, _, given = part.partition("=")
        try:
            found[name] = sympy.Integer(int(given)) if given.lstrip("-").isdigit() else sympy.Float(float(given), 17)
        except ValueError:
            continue
    return found


Make = Callable[[Any, list[Expression], dict[str, Expression]], Expression]


def _second(a: list[Expression], p: dict[str, Expression], name: str = "other") -> Expression:
    """The second operand, a tensor or a number."""
    if len(a) > 1:
        return a[1]
    if name not in p:
        raise CannotError("a number is not recorded")
    return p[name]


def _power(s: Any, a: list[Expression], p: dict[str, Expression]) -> Expression:
    return p["base"] ** a[0] if "base" in p else a[0] ** _second(a, p, "exponent")


def _clamped(s: Any, a: list[Expression], p: dict[str, Expression]) -> Expression:
    cases = [(p["min"], a[0] < p["min"])] if "min" in p else []
    cases += [(p["max"], a[0] > p["max"])] if "max" in p else []
    return s.Piecewise(*cases, (a[0], True))


def _function(name: str) -> Make:
    return lambda s, a, p: getattr(s, name)(a[0])


_OPERATIONS: Mapping[str, Make] = {
    "add": lambda s, a, p: a[0] + p.get("alpha", 1) * _second(a, p),
    "sub": lambda s, a, p: a[0] - p.get("alpha", 1) * _second(a, p),
    "rsub": lambda s, a, p: _second(a, p) - p.get("alpha", 1) * a[0],
    "mul": lambda s, a, p: a[0] * _second(a, p),
    "div": lambda s, a, p: a[0] / _second(a, p),
    "pow": _power,
    "neg": lambda s, a, p: -a[0],
    "reciprocal": lambda s, a, p: 1 / a[0],
    "rsqrt": lambda s, a, p: 1 / s.sqrt(a[0]),
    "sigmoid": lambda s, a, p: 1 / (1 + s.exp(-a[0])),
    "silu": lambda s, a, p: a[0] / (1 + s.exp(-a[0])),
    "exp2": lambda s, a, p: 2 ** a[0],
    "expm1": lambda s, a, p: s.exp(a[0]) - 1,
    "log1p": lambda s, a, p: s.log(a[0] + 1),
    "log2": lambda s, a, p: s.log(a[0]) / s.log(2),
    "log10": lambda s, a, p: s.log(a[0]) / s.log(10),
    "relu": lambda s, a, p: s.Piecewise((a[0], a[0] > 0), (0, True)),
    "maximum": lambda s, a, p: s.Piecewise((a[0], a[0] > a[1]), (a[1], True)),
    "minimum": lambda s, a, p: s.Piecewise((a[0], a[0] < a[1]), (a[1], True)),
    "clamp": _clamped,
    "mse_loss": lambda s, a, p: (a[0] - a[1]) ** 2,
    "square": lambda s, a, p: a[0] ** 2,
    **{name: _function(name) for name in "exp log sqrt sin cos tan sinh cosh tanh asin acos atan erf".split()},
    "abs": _function("Abs"),
    **dict.fromkeys(
        "sum mean view reshape squeeze unsqueeze clone alias expand select t transpose permute".split(),
        lambda s, a, p: a[0],
    ),
}
_WORDS = {"log": "ln", "Abs": "|"}


class _Written:
    """A SymPy expression in typeset form."""

    def __init__(self, sympy: Any) -> None:
        self._sympy = sympy

    def of(self, one: Expression) -> Math:
        """The whole expression."""
        s = self._sympy
        if one.is_Symbol:
            return Sign(one.name, "name")
        if one.is_Rational and not one.is_Integer:
            made: Math = Fraction(Sign(str(abs(one.p)), "number"), Sign(str(one.q), "number"), "/")
            return Row((Sign("−"), made)) if one < 0 else made
        if one is s.pi:
            return Sign("π")
        if one.is_Number:
            return Sign(f"{float(one):.6g}".replace("-", "−"), "number")
        if one.is_Add:
            return self._sum(one)
        if isinstance(one, s.exp):
            return Script(Sign("e", "name"), self._within(one.args[0]))
        if one.is_Mul or (one.is_Pow and one.exp.could_extract_minus_sign()):
            return self._product(one)
        if one.is_Pow:
            half = one.exp == s.Rational(1, 2)
            return Root(self._within(one.base)) if half else Script(self._within(one.base), self._within(one.exp))
        if isinstance(one, s.Piecewise):
            return self._cases(one)
        if one.is_Relational:
            signs = {">": ">", "<": "<", ">=": "≥", "<=": "≤", "==": "=", "!=": "≠"}
            return Row((self.of(one.lhs), Sign(f" {signs[one.rel_op]} "), self.of(one.rhs)))
        if one.is_Function and len(one.args) == 1:
            word = _WORDS.get(one.func.__name__, one.func.__name__)
            inside = self.of(one.args[0])
            return Bracketed(inside, "|", "|") if word == "|" else Row((Sign(word, "word"), Bracketed(inside)))
        raise CannotError("it can't be written down")

    def _within(self, one: Expression) -> Math:
        """As a part that needs brackets only in one-line form."""
        return self.of(one) if one.is_Symbol or (one.is_Integer and one >= 0) else Bracketed(self.of(one))

    def _sum(self, one: Expression) -> Math:
        parts: list[Math] = []
        for term in one.as_ordered_terms():
            less = term.could_extract_minus_sign()
            parts.append(Sign((" − " if less else " + ") if parts else "−" if less else ""))
            parts.append(self._factor(-term if less else term, alone=True))
        return Row(tuple(part for part in parts if part != Sign("")))

    def _product(self, one: Expression) -> Math:
        above, below = self._sympy.fraction(one)
        if one.could_extract_minus_sign():
            return Row((Sign("−"), self.of(-one)))
        if below != 1:
            return Fraction(self._factor(above, alone=True), self._factor(below))
        parts: list[Math] = []
        for factor in one.as_ordered_factors():
            parts += [Sign(" · "), self._factor(factor)]
        return Row(tuple(parts[1:]))

    def _factor(self, one: Expression, alone: bool = False) -> Math:
        """As a factor of a product; `alone` it may be a product itself."""
        if one.is_Add or isinstance(one, self._sympy.Piecewise) or (one.is_Mul and not alone):
            return Bracketed(self.of(one))
        return self.of(one)

    def _cases(self, one: Expression) -> Math:
        (value, condition), *rest = one.args
        if condition == True or not rest:  # noqa: E712 a condition of SymPy
            return self.of(value)
        return Cases(self.of(value), self.of(condition), self.of(self._sympy.Piecewise(*rest)))
