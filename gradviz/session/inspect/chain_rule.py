"""The chain rule made visible: the local derivative of one operation; the paths by which the gradient of a backward
call reaches a tensor, with the product of local derivatives along each and their sum; and what that gradient depends
on. Pure; the worker walked the paths (`gradviz.trace.record.chains`), and the graph is analysed here with networkx.

In a product it is said which element of the other operand a local derivative is: the row and column that meet in a
matrix product, or the element at the same position in an elementwise product. An element is named only if it equals
the derivative."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.expressions import Bracketed, Fraction, Math, Row, Sign, in_line, named, names_in
from gradviz.session.inspect.lineage import between
from gradviz.session.state import Selection
from gradviz.trace.table.name_text import ordinal
from gradviz.trace.table.values import FEW, array_text, number_text
from gradviz.trace.words.elements import agree
from gradviz.trace.words.formulas import (
    bracketed,
    factor,
    fill,
    formula_for,
    is_bracketed,
    is_complex,
    untransposed,
    written_for,
)

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

    Cells = NDArray[np.int64]

Shape = tuple[int, ...]
# The slots of the two factors, and whether these are batches, matrices or vectors.
_PRODUCTS = {
    "mm": (0, 1, "ik,kj"),
    "addmm": (1, 2, "ik,kj"),
    "bmm": (0, 1, "nik,nkj"),
    "baddbmm": (1, 2, "nik,nkj"),
    "mv": (0, 1, "ik,k"),
    "addmv": (1, 2, "ik,k"),
    "dot": (0, 1, "k,k"),
}
_WINDOWS = {"convolution": (0, 1)}


def factors_of(op: str) -> tuple[int, int] | None:
    """The slots of the two operands whose elements an operation multiplies in pairs."""
    found = _PRODUCTS.get(op)
    return _WINDOWS.get(op) if found is None else found[:2]


def window(shape: Shape, cells: Cells) -> Cells:
    """The smallest block of a tensor that contains all these elements."""
    if not len(cells):
        return cells
    places = np.unravel_index(cells, shape)
    block = np.ix_(*(np.arange(at.min(), at.max() + 1) for at in places))
    numbers = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    return np.ravel(numbers[block])


def lines(op: str, first: Shape, second: Shape, place: Sequence[int]) -> tuple[Cells, Cells]:
    """The row of the first and the column of the second operand that make the element at a position of the product."""
    left, right = _PRODUCTS[op][2].split(",")
    at = dict(zip(_result(left, right), place, strict=True))
    return _cells(left, first, at), _cells(right, second, at)


def gradient_lines(op: str, slot: int, shapes: tuple[Shape, Shape, Shape], place: Sequence[int]) -> tuple[Cells, Cells]:
    """What meets in the gradient of an element of the first or second operand: elements of the incoming gradient and of
    the other operand. `shapes` are those of the result and of both operands."""
    result, first, second = shapes
    left, right = _PRODUCTS[op][2].split(",")
    mine, other, its = (left, right, second) if slot == _PRODUCTS[op][0] else (right, left, first)
    at = dict(zip(mine, place, strict=True))
    return _cells(_result(left, right), result, at), _cells(other, its, at)


def _result(left: str, right: str) -> str:
    return "".join(dict.fromkeys((left + right).replace("k", "")))


def _cells(letters: str, shape: Shape, at: dict[str, int]) -> Cells:
    """The elements of a tensor at which the given index letters have these values, in reading order."""
    numbers = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    found: Any = numbers[tuple(at.get(letter, slice(None)) for letter in letters)]
    return np.atleast_1d(found).reshape(-1)


def are_factors(value: Value | None, cells: Cells, derivatives: dict[int, complex | float], given: Cells) -> bool:
    """Whether these elements are the derivatives, by the positions of what they are multiplied by; positions that are
    not mentioned have derivative 0."""
    if value is None or value.array is None or len(cells) != len(given):
        return False
    numbers = value.array.reshape(-1)[cells].tolist()
    return all(agree(one, derivatives.get(at, 0.0)) for at, one in zip(given.tolist(), numbers, strict=True))


# -- local derivatives in the snippet's names: "∂(w * x)/∂w = x = 2"; the formulas are those of the engine's rows

WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def local_derivative(frame: Frame, node: int, slot: int) -> Math | None:
    """The formula for the input in this slot; None if the operation's row has none or the input needs no gradient."""
    trace = frame.trace
    inputs, outputs = trace.slots_of(node), trace.outputs_of(node)
    row = trace.op_of(node)
    if row is None or slot not in inputs or not len(outputs) or not frame.requires_grad(inputs[slot]):
        return None
    formula = formula_for(trace, node, slot)
    if not formula or not trace.nodes.name[node]:
        return None
    operands = {row.inputs[at]: tensor for at, tensor in inputs.items() if at < len(row.inputs)}
    operands |= dict(zip(row.outputs, map(int, outputs), strict=False))
    numbers, made = _numbers(trace, node), [each for each in map(int, outputs) if frame.requires_grad(each)]
    if trace.nodes.op[node] == "_linalg_slogdet" and not is_complex(trace, node):
        made = made[-1:]  # the sign is constant
    above, below = _results(frame, made or [int(outputs[0])]), _operand_name(frame, inputs, slot)
    left = Fraction(Row((Sign("∂"), above)), Row((Sign("∂"), below)), "/")
    is_factor = len(made) < 2 and not is_complex(trace, node)  # not of several results, nor of what is conjugated
    plain, operands = untransposed(frame, formula, operands)
    written = written_for(trace, node, slot) if plain == formula else None
    if written is None:
        if is_formula(trace, node, formula):
            plain = WORD.sub(lambda word: numbers.get(word[0], word[0]), plain)
        alone = without_grad(plain) if is_factor else None
        text = f":  {_named(frame, plain, operands)}" if alone is None else f" = {_named(frame, alone, operands)}"
        number = "" if alone is None else _number(frame, alone, operands)
        is_said = not number or text == f" = {number}"
        return Row((left, Sign(text if is_said else f"{text} = {number}", "prose")))
    words: dict[str, Math] = {name: Sign(number, "number") for name, number in numbers.items()}
    words |= {name: _name(frame, tensor, factor) for name, tensor in operands.items()}
    product = factor_of(written) if is_factor else None
    if product is None:
        return Row((left, Sign(":  "), named(written, words)))
    product = product.inside if isinstance(product, Bracketed) and product.left == "(" else product
    if isinstance(product, Sign) and product.text in operands:  # alone it needs no brackets
        words[product.text] = Sign(frame.name(operands[product.text]), "name")
    number = _number(frame, product.text, operands) if isinstance(product, Sign) else ""
    is_said = not number or in_line(named(product, words)) == number
    equal = () if is_said else (Sign(" = "), Sign(number, "number"))
    return Row((left, Sign(" = "), named(product, words), *equal))


def _name(frame: Frame, tensor: int, how: Callable[[str], str] = bracketed) -> Math:
    """The name of a tensor within a formula: in brackets if it is an expression."""
    name = frame.name(tensor)
    return Sign(name, "name") if how(name) == name else Bracketed(Sign(name, "name"))


def _results(frame: Frame, made: list[int]) -> Math:
    """The name of a result within a formula, or of several."""
    names = [frame.name(each) for each in made[:MOST_RESULTS]] + ["…"] * (len(made) > MOST_RESULTS)
    return _name(frame, made[0]) if len(made) < 2 else Bracketed(Sign(", ".join(names), "name"))


def _operand_name(frame: Frame, inputs: dict[int, int], slot: int) -> Math:
    """The name of an operand in the denominator of a derivative; "(1st y)" if the operation reads y more than once."""
    same = [at for at, tensor in inputs.items() if tensor == inputs[slot]]
    if len(same) > 1:
        return Bracketed(Sign(f"{ordinal(same.index(slot) + 1)} {frame.name(inputs[slot])}", "name"))
    return _name(frame, inputs[slot])


def is_formula(trace: Trace, node: int, formula: str) -> bool:
    """Whether it consists only of the operation's operands and numbers, and is not a sentence."""
    row = trace.op_of(node)
    known = () if row is None else (*row.inputs, *row.outputs)
    return set(WORD.findall(formula)) <= {"grad", *_numbers(trace, node), *known}


def _numbers(trace: Trace, node: int) -> dict[str, str]:
    return dict(part.split("=", 1) for part in str(trace.nodes.params[node]).split(", ") if "=" in part)


def without_grad(formula: str) -> str | None:
    """The factor that multiplies grad; None if the formula has no such form."""
    if formula == "grad":
        return "1"
    rest = formula.removeprefix("grad · ")
    if rest != formula and "grad" not in rest:
        return rest
    rest = formula.removeprefix("grad / ")
    if rest != formula and "grad" not in rest:
        return f"1 / {rest}"
    return "−1" if formula in {"-grad", "−grad"} else None


GRAD = Sign("grad", "name")


def factor_of(written: Math) -> Math | None:
    """The factor that multiplies grad; None if the formula has no such form."""
    factor = _factor(written)
    return None if factor is None or "grad" in names_in(factor) else factor


def _factor(written: Math) -> Math | None:
    match written:
        case Sign("grad"):
            return Sign("1", "number")
        case Row((Sign("−"), Sign("grad"))):
            return Sign("−1", "number")
        case Row((Sign("−"), rest)):
            factor = _factor(rest)
            return None if factor is None else Row((Sign("−"), factor))
        case Row(parts) if GRAD in parts and all(each in PRODUCT for each in parts[1::2]):
            at = parts.index(GRAD)
            left = (*parts[: at - 1], *parts[at:][1:]) if at else parts[2:]
            return left[0] if len(left) == 1 else Row(left)
        case Fraction(above, below, between):
            factor = _factor(above)
            return None if factor is None else Fraction(factor, below, between)
    return None


PRODUCT = (Sign(" · "), Sign(" "), Sign(""))  # what separates factors


def _named(frame: Frame, formula: str, operands: dict[str, int]) -> str:
    text = fill(formula, {word: factor(frame.name(tensor)) for word, tensor in operands.items()})
    return text[1:-1] if is_bracketed(text) else text


def _number(frame: Frame, factor: str, operands: dict[str, int]) -> str:
    """The value, if the factor is just one tensor."""
    value = frame.value(operands[factor]) if factor in operands else None
    return value.brief() if value is not None else ""


MOST_RESULTS = 3  # that are named
MOST_IN_GRAPH = 20_000  # operations between two tensors beyond which the graph is not analysed


@dataclass(frozen=True)
class Step:
    """One operation of a path, from its result back to one of its operands. `local` is None if these are not single
    numbers."""

    node: int
    slot: int
    result: int  # row of trace.tensors
    operand: int
    local: float | None

    def words(self, frame: Frame) -> str:
        """ "∂y/∂x = 3"."""
        left = f"∂{bracketed(frame.name(self.result))}/∂{bracketed(frame.name(self.operand))}"
        return left if self.local is None else f"{left} = {number_text(self.local)}"


@dataclass(frozen=True, eq=False)
class Path:
    """A path from a root of the call to the tensor, and the gradient that arrives along it alone."""

    steps: tuple[Step, ...]
    value: Value

    @property
    def product(self) -> str:
        """ "3 × 2", or "" if not all local derivatives are single numbers."""
        factors = [step.local for step in self.steps]
        if not factors or any(factor is None for factor in factors):
            return ""
        written = [number_text(factor) for factor in factors if factor is not None]
        signed = [f"({one})" if one.startswith(("-", "−")) and at else one for at, one in enumerate(written)]
        return " × ".join(signed)

    def way(self, trace: Trace) -> tuple[tuple[str, int], ...]:
        """Identifies the path in another run."""
        frame = trace.frame_at(len(trace))
        return tuple((frame.name(step.operand), step.slot) for step in self.steps)


@dataclass(frozen=True, eq=False)
class Paths:
    """Everything found for one call and one tensor. `count` is the number of paths, of which `found` are the first."""

    trace: Trace
    call: int
    tensor: int
    count: float
    found: tuple[Path, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every path was walked."""
        return len(self.found) == self.count

    @cached_property
    def total(self) -> NDArray[Any] | None:
        """The sum over the paths; None if there are none, values were too large to keep, or the worker's data is
        inconsistent."""
        arrays = [path.value.array for path in self.found]
        whole = [array for array in arrays if array is not None]
        alike = len(whole) == len(arrays) and len({array.shape for array in whole}) == 1
        return np.sum(whole, axis=0) if alike else None

    def sum_words(self) -> str:
        """ "6 + 1.5 = 7.5"; only the sum if it is not a single number or there are very many."""
        total = self.total
        if total is None:
            return ""
        if total.size > 1 or len(self.found) > FEW + 4:
            return array_text(total) if total.size <= FEW else f"‖{number_text(float(np.linalg.norm(total)))}‖"
        parts = [path.value.brief() for path in self.found]
        text = " + ".join(parts).replace("+ -", "− ").replace("+ −", "− ")
        whole = number_text(float(total.reshape(-1)[0]))
        return f"{text} = {whole}" if len(parts) > 1 else whole


def paths(trace: Trace) -> Paths | None:
    """The worker's answer; None if it was asked nothing or could not walk the graph."""
    if not len(trace.answers):
        return None
    answers, links = trace.answers, trace.links
    call, tensor = int(answers.call[0]), int(answers.tensor[0])
    starts = np.searchsorted(links.chain, np.arange(len(trace.chains) + 1))
    roots = trace.roots_of(call)
    found = []
    for at in range(len(trace.chains)):
        rows = range(int(starts[at]), int(starts[at + 1]))
        value = trace.value(int(trace.chains.value[at]))
        assert value is not None
        found.append(Path(_steps(trace, int(roots[trace.chains.root[at]]), list(rows)), value))
    return Paths(trace, call, tensor, float(answers.paths[0]), tuple(found))


def _steps(trace: Trace, root: int, rows: list[int]) -> tuple[Step, ...]:
    links, result, found = trace.links, root, []
    for row in rows:
        node, slot, local = int(links.node[row]), int(links.slot[row]), float(links.local[row])
        operand = trace.slots_of(node).get(slot, -1)
        found.append(Step(node, slot, result, operand, None if math.isnan(local) else local))
        result = operand
    return tuple(found)


def call_of(trace: Trace, cursor: int, tensor: int) -> int:
    """The latest backward call before the cursor that sent a gradient to the tensor, otherwise the first of all; -1 if
    none ever did."""
    arrivals = trace.arrivals
    rows = np.flatnonzero((arrivals.tensor == tensor) & (arrivals.call >= 0))
    before = rows[arrivals.step[rows] < cursor]
    chosen = before[-1:] if len(before) else rows[:1]
    return int(arrivals.call[chosen[0]]) if len(chosen) else -1


@dataclass(frozen=True)
class Dependency:
    """A value that a gradient depends on: `tensor` was saved as `name` by the operation `node`."""

    tensor: int
    node: int
    name: str


@dataclass(frozen=True)
class Dependencies:
    """What the gradient of a tensor depends on. `bottlenecks` are the tensors on every path, starting at the root;
    `longest` is the number of operations on the longest path."""

    operations: tuple[int, ...]
    values: tuple[Dependency, ...]
    bottlenecks: tuple[int, ...]
    longest: int


def dependencies(trace: Trace, call: int, tensor: int) -> Dependencies:
    """The operations that the gradient passes through, and the values that they saved for it."""
    nodes, tensors = np.zeros(len(trace.nodes), bool), np.zeros(len(trace.tensors), bool)
    for root in trace.roots_of(call).tolist():
        family = between(trace, Selection("tensor", tensor), Selection("tensor", root))
        nodes |= family.nodes
        tensors |= family.tensors
    ordered = tuple(np.flatnonzero(nodes & (trace.nodes.name != "")).tolist())
    values: dict[int, Dependency] = {}
    for node in ordered:
        for one in _read_by(trace, node, tensors):
            values.setdefault(one.tensor, one)
    if len(ordered) > MOST_IN_GRAPH:
        return Dependencies(ordered, tuple(values.values()), (), 0)
    return Dependencies(ordered, tuple(values.values()), *_overlook(trace, ordered, call, tensor))


def _read_by(trace: Trace, node: int, onwards: NDArray[np.bool_]) -> list[Dependency]:
    """What the node reads to send a gradient on to these operands, according to its formulas."""
    low, high = np.searchsorted(trace.saved.node, [node, node + 1])
    held = [(str(trace.saved.name[at]), int(trace.saved.tensor[at])) for at in range(int(low), int(high))]
    words: set[str] = set()
    for slot, operand in trace.slots_of(node).items():
        if not onwards[operand]:
            continue
        formula = formula_for(trace, node, slot)
        spoken_of = set(WORD.findall(formula)) if formula and is_formula(trace, node, formula) else set()
        words |= spoken_of or {name for name, _ in held}
    return [Dependency(tensor, node, name) for name, tensor in held if tensor >= 0 and name in words]


def _overlook(trace: Trace, operations: tuple[int, ...], call: int, tensor: int) -> tuple[tuple[int, ...], int]:
    """The tensors on every path, and the length of the longest one."""
    import networkx as nx

    graph = _graph(trace, operations)
    start = -1  # precedes all roots
    graph.add_edges_from((start, root) for root in trace.roots_of(call).tolist() if root in graph)
    if tensor not in graph or start not in graph:
        return (), 0
    between_them = graph.subgraph(nx.ancestors(graph, tensor) | {tensor})
    above = nx.immediate_dominators(between_them, start)
    bottlenecks, at = [], tensor
    while (at := above.get(at, start)) not in (start, None):
        bottlenecks.append(at)
    return tuple(reversed(bottlenecks)), max(0, nx.dag_longest_path_length(between_them) - 1)


def _graph(trace: Trace, operations: tuple[int, ...]) -> nx.DiGraph:
    """Edges from results to operands: the direction of gradients."""
    import networkx as nx

    inside = np.zeros(len(trace.nodes) + 1, bool)
    inside[list(operations)] = True
    made = np.flatnonzero(inside[trace.tensors.producer])
    results: dict[int, list[int]] = defaultdict(list)
    for one in made.tolist():
        results[int(trace.tensors.producer[one])].append(one)
    graph = nx.DiGraph()
    rows = np.flatnonzero(inside[trace.inputs.node])
    wants = trace.tensors.requires_grad
    for node, operand in zip(trace.inputs.node[rows].tolist(), trace.inputs.tensor[rows].tolist(), strict=True):
        if wants[operand]:
            graph.add_edges_from((result, operand) for result in results[node])
    return graph


@dataclass(frozen=True, eq=False)
class ChainRule:
    """The paths by which a backward call of `trace` reaches a tensor. `at` is the path highlighted on the canvas, -1
    for none; `sentence` says why there is nothing to show, or that it is being computed."""

    trace: Trace
    call: int
    tensor: int
    name: str
    paths: Paths | None = None
    depends: Dependencies | None = None
    at: int = -1
    sentence: str = ""
