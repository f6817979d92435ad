"""Where one element of a value or of a gradient comes from: of every case of the operations that is compared with
PyTorch, the local derivatives are those of `autograd.functional.jacobian`, and what is said adds up to the numbers of
the trace."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.engine.kernel.state import begin_run, set_observer, state
from gradviz.session.inspect.elements import Element, Line, Origin, Partials
from gradviz.session.inspect.origins import CHANGED, origin
from gradviz.trace.record.partials import Place, places_of
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.encoding import joined
from gradviz.trace.table.trace import Trace
from tests.engine.op_cases import Case, cases
from tests.trace.running import run

CASES = cases(torch)
HIDDEN = {"native_group_norm"}  # gradients of its mean and its 1/σ, which are no results of the trace
DRAWN = 2  # elements of each tensor that are looked at


@pytest.fixture(autouse=True)
def _as_in_a_new_run() -> None:
    """As a worker begins: a function transform of another test may have left its mark."""
    begin_run()


def recorded(function: Callable[[], Any], places: tuple[Place, ...] = ()) -> Trace:
    """What calling this records."""
    torch.manual_seed(0)
    state.sequence = 0
    recorder = Recorder("", "<none>", places=places)
    set_observer(recorder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function()
    finally:
        set_observer(None)
    trace = Trace("")
    parts = recorder.take_parts()
    if parts is not None:
        trace.extend(joined(parts))
    return trace


def operands(case: Case) -> list[Any]:
    made = []
    for feed, values in zip(case.inputs, case.values(), strict=True):
        if feed.differentiable:
            made.append(torch.tensor(values, dtype=torch.float64, requires_grad=True))
        elif feed.kind == "constant":
            made.append(torch.tensor(values, dtype=torch.float64))
        else:
            made.append(torch.tensor(values))
    return made


def with_backward(case: Case) -> None:
    """The case, and a backward pass from all its results, by a gradient that tells their elements apart."""
    results = case.run(*operands(case))
    roots = [one for one in tensors_in(results) if one.requires_grad]
    if roots:
        shapes = [
            torch.arange(1.0, one.numel() + 1, dtype=torch.float64).reshape(one.shape).to(one.dtype) for one in roots
        ]
        torch.autograd.backward(roots, shapes)


def tensors_in(results: Any) -> Iterator[Any]:
    if isinstance(results, torch.Tensor):
        yield results
    elif isinstance(results, (tuple, list)):
        for one in results:
            yield from tensors_in(one)


def all_places(trace: Trace) -> tuple[Place, ...]:
    return tuple(Place(node, 0, -1, 0) for node in range(len(trace.nodes)))


def asked_until_known(trace: Trace, again: Callable[[tuple[Place, ...]], Trace], element: Element, known: Partials,
                      cursor: int) -> Origin | None:  # fmt: skip
    for _ in range(3):
        found = origin(trace.frame(cursor), element, known)
        if found is None or not found.asked:
            return found
        numbers = [number for ask in found.asked for number in ask]
        known.learn(trace, again(places_of(numbers)), found.asked)
    raise AssertionError("it asks for ever")


PRECISION = {"float16": 4e-3, "bfloat16": 3e-2}


def problems(line: Line, dtype: str) -> Iterator[str]:
    """What does not hold of a line: its terms, and the arithmetic as it is written, add up to the number."""
    if line.is_sum:
        assert line.result is not None
        total = sum(term.amount for term in line.terms) + line.rest
        scale = max([abs(line.result), *(max(abs(one.amount), 0.01 * abs(one.number)) for one in line.terms)])
        if total == total and abs(total - line.result) > PRECISION.get(dtype, 2e-4) * scale:
            yield f"the terms are {total}, not {line.result}"
    computed = computed_from(line.text) if line.result is not None else None
    if computed is not None and line.result is not None and np.isfinite(line.result):
        numbers = [abs(float(one)) for one in re.findall(r"\d+\.?\d*(?:e[+-]?\d+)?", line.text)]
        if abs(computed - line.result) > max(1e-3, PRECISION.get(dtype, 0)) * max([*numbers, 1e-12]) ** 2 + 1e-3:
            yield f"{line.text} is {computed}, not {line.result}"


def computed_from(text: str) -> complex | None:
    """What the arithmetic of a line comes to, as it is read; None where it is a text."""
    text = text.replace("×", "*").replace("−", "-").replace("²", "**2").replace(",", "")
    text = re.sub(r"\+ … \d+ more together", "+", text)
    text = re.sub(r"\^", "**", re.sub(r"\be\^", f"{math.e}^", text))
    text = re.sub(r"√(\d[\d.e+-]*|\([^()]*\))", r"(\1)**0.5", text)
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    text = text.replace("³", "**3").replace("log₂", "logb").replace("log₁₀", "logd").replace("ln Γ", "lg")
    text = text.replace("⌈", "ceil(").replace("⌊", "floor(").replace("⌉", ")").replace("⌋", ")")
    text = (
        re.sub(r"\* j\b", "* 1j", text).replace("(j *", "(1j *").replace("+ j *", "+ 1j *").replace("/ √(", "/ root(")
    )
    functions = r"ln|sin|cos|tan|tanh|arc\w+|ar\w+h|[sc]inh|cosh|erf|logb|logd"
    number = r"\d[\d.]*(?:e[+-]?\d+)?|\((?:[^()]|\([^()]*\))*\)"
    text = re.sub(rf"\b({functions}) ?({number})", r"\1(\2)", text)
    text = re.sub(r"max\((.*?) 0\)", r"max(\1, 0)", text)
    names = {name: getattr(np, name) for name in ("sin", "cos", "tan", "tanh", "sinh", "cosh", "inf", "nan")}
    names |= {name: getattr(np, name) for name in ("arcsin", "arccos", "arctan", "ceil", "floor")}
    names |= {"arsinh": np.arcsinh, "arcosh": np.arccosh, "artanh": np.arctanh, "erf": math.erf, "lg": math.lgamma}
    names |= {"ln": np.log, "logb": np.log2, "logd": np.log10, "π": math.pi, "root": np.sqrt, "Φ": normal}
    try:
        return complex(eval(text, {"__builtins__": {}, "abs": abs, "max": max, "min": min, **names}))
    except (SyntaxError, NameError, TypeError, ZeroDivisionError):
        return None


def normal(x: float) -> float:
    """How likely a standard normal number is below x."""
    return (1 + math.erf(x / math.sqrt(2))) / 2


def looked_over(function: Callable[[], Any]) -> tuple[int, int, list[str]]:
    """How many elements were looked at, how many have no arithmetic, and what is wrong."""
    trace = recorded(function)
    known, wrong, seen, without = Partials(), [], 0, 0
    known.learn(trace, recorded(function, all_places(trace)), [(one.node, 0, -1, 0) for one in all_places(trace)])
    cursor = len(trace)
    frame = trace.frame(cursor)
    for tensor in range(len(trace.tensors)):
        value, grad = frame.value(tensor), frame.arriving(tensor)
        for part, held in (("value", value), ("grad", grad)):
            if held is None or held.array is None or not held.numel:
                continue
            for index in sorted({0, held.numel - 1, *range(0, held.numel, max(1, held.numel // DRAWN))}):
                found = asked_until_known(
                    trace, lambda places: recorded(function, places), Element(tensor, part, index), known, cursor
                )
                assert found is not None
                seen += 1
                without += bool(found.sentence) or any("not shown" in line.said for line in found.lines)
                wrong += [
                    f"{found.title}: {line.said}: {each}"
                    for line in found.lines
                    for each in problems(line, str(trace.tensors.dtype[tensor]))
                ]
                wrong += [f"{found.title}: {line.said}" for line in found.lines if CHANGED in line.said]
    return seen, without, wrong


# -- what is said of a few


SNIPPET = """
import torch
x = torch.tensor([[1., 2., 3.], [0., -1., 2.]], requires_grad=True)
W = torch.tensor([[0.5, 1.5], [0., 0.25], [2., -1.]], requires_grad=True)
b = torch.tensor([0.5, -0.25], requires_grad=True)
h = x @ W + b
r = torch.relu(h)
p = torch.softmax(b, dim=0)
image = torch.arange(9.).reshape(1, 1, 3, 3).requires_grad_()
k = torch.tensor([[[[1., -1.], [0.5, 2.]]]], requires_grad=True)
c = torch.nn.functional.conv2d(image, k)
top = torch.nn.functional.max_pool2d(c, 2)
m = h.mean()
t = x.sum(0)
loss = (h * h).sum()
loss.backward()
(x * 2).sum().backward()
with torch.no_grad():
    b -= 0.5 * b.grad
whole = x.argmax()
"""


def tensor_called(trace: Trace, name: str) -> int:
    frame = trace.frame(len(trace))
    return max(row for row in range(len(trace.tensors)) if frame.name(row) == name)


def said(name: str, index: int, part: str = "value", cursor: int | None = None) -> list[str]:
    trace = run(SNIPPET)
    element = Element(tensor_called(trace, name), part, index)
    at = len(trace) if cursor is None else cursor
    found = asked_until_known(trace, lambda places: run(SNIPPET, places=places), element, Partials(), at)
    assert found is not None
    return [
        found.title,
        *(f"{line.said}: {line.text}" for line in found.lines),
        *([found.sentence] * bool(found.sentence)),
    ]


@pytest.mark.parametrize(
    ("name", "index", "lines"),
    [
        ("x @ W", 3, ["row 1 of x · column 1 of W: 0 × 1.5 + (-1) × 0.25 + 2 × (-1)"]),
        ("h", 0, ["add of (x @ W)[0, 0] and b[0]: 6.5 + 0.5"]),
        ("r", 3, ["relu of h[1, 1]: max(-2.5, 0)"]),
        ("c", 0, ["image[0, 0, 0:2, 0:2] · all 4 elements of k: 0 × 1 + 1 × (-1) + 3 × 0.5 + 4 × 2"]),
        ("top", 0, ["max_pool2d_with_indices takes c[0, 0, 1, 1]: 18.5"]),
        ("m", 0, ["mean of all 4 elements of h: (7 − 1.25 + 4.5 − 2.5) × 0.25"]),
        ("t", 1, ["sum of column 1 of x: 2 − 1"]),
        ("x", 2, ["No operation computed it: line 3 made it, torch.tensor([[1., 2., 3.], [0., -1., 2.]], requires_grad=True)."]),  # noqa: E501
        ("whole", 0, ["argmax (line 20) makes int64 numbers, which have no derivative."]),
        ("b", 0, ["sub of b[0] and (0.5 * b.grad)[0]: 0.5 − 11.5",
                   "Line 19 wrote it over what was there before, at step 37."]),
    ],
)  # fmt: skip
def test_an_element_of_a_value(name: str, index: int, lines: list[str]) -> None:
    assert said(name, index)[1:] == lines


def test_a_softmax_has_its_formula_and_its_row_of_the_jacobian() -> None:
    assert said("p", 1)[1:] == [
        "softmax of all 2 elements of b; local derivatives -0.2179, 0.2179: e^(-0.25) / (e^0.5 + e^(-0.25))"
    ]


@pytest.mark.parametrize(
    ("name", "index", "lines"),
    [
        ("W", 5, ["through MmBackward0 (line 6): column 1 of ∇(x @ W) · column 2 of x: (-2.5) × 3 + (-5) × 2"]),
        ("b", 0, ["through AddBackward0 (line 6): column 0 of ∇h: 14 + 9"]),
        ("h", 1, [
            "through MulBackward0 (line 15): ∇(h * h)[0, 1] · h[0, 1]: 1 × (-1.25)",
            "through MulBackward0 (line 15): ∇(h * h)[0, 1] · h[0, 1]: 1 × (-1.25)",
            "together: -1.25 − 1.25",
        ]),
        ("x", 0, [
            "through MulBackward0 (line 17): ∇(x * 2)[0, 0], times the local derivative: 1 × 2",
            ".grad holds the gradients of 2 backward calls, of which this is the last: 3.25 + 2",
        ]),
        ("loss", 0, ["backward() starts here, with the gradient: 1"]),
    ],
)  # fmt: skip
def test_an_element_of_a_gradient(name: str, index: int, lines: list[str]) -> None:
    assert said(name, index, "grad")[1:] == lines


WRITTEN = [  # an operation of x = [0.5, -2, 1.5], and what is said of its first or only element
    ("x.sinh()", "sinh 0.5"), ("x.asinh()", "arsinh 0.5"), ("x.atan()", "arctan 0.5"), ("x.exp2()", "2^0.5"),
    ("x.expm1()", "e^0.5 − 1"), ("(x * x).log1p()", "ln(1 + 0.25)"), ("(x * x).log2()", "log₂ 0.25"),
    ("x.erf()", "erf 0.5"), ("x.sinc()", "sin(π × 0.5) / (π × 0.5)"), ("x.ceil()", "⌈0.5⌉"),
    ("F.gelu(x)", "0.5 × Φ(0.5)"), ("F.elu(x[1:], 2.0)", "2 × (e^(-2) − 1)"), ("F.elu(x[1:])", "e^(-2) − 1"),
    ("F.gelu(x, approximate='tanh')", "0.5 / 2 × (1 + tanh(√(2 / π) × (0.5 + 0.044715 × 0.5³)))"),
    ("F.mish(x)", "0.5 × tanh(ln(1 + e^0.5))"), ("F.hardswish(x)", "0.5 × min(max(0.5 + 3, 0), 6) / 6"),
    ("F.logsigmoid(x)", "−ln(1 + e^(-0.5))"), ("F.glu(x[:2])", "0.5 / (1 + e^(−(-2)))"),
    ("torch.logaddexp(x, x + 1)", "ln(e^0.5 + e^1.5)"), ("torch.hypot(x, x + 1)", "√(0.5² + 1.5²)"),
    ("torch.complex(x, x + 1)", "0.5 + 1.5 × j"), ("x.var()", "((0.5 − 0)² + (-2 − 0)² + (1.5 − 0)²) / 2"),
    ("F.mse_loss(x, x + 1)", "((0.5 − 1.5)² + (-2 − (-1))² + (1.5 − 2.5)²) / 3"),
    ("F.mse_loss(x, x + 1, reduction='sum')", "(0.5 − 1.5)² + (-2 − (-1))² + (1.5 − 2.5)²"),
    ("F.layer_norm(x, (3,))", "(0.5 − 0) / √(2.167 + 1e-05)"),
    ("F.layer_norm(x, (3,), x + 3, x * 2)", "(0.5 − 0) / √(2.167 + 1e-05) × 3.5 + 1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), WRITTEN, ids=[row[0] for row in WRITTEN])
def test_the_arithmetic_of_an_operation_is_written_with_its_numbers(call: str, text: str) -> None:
    source = (
        "import torch, torch.nn.functional as F\n"
        f"x = torch.tensor([0.5, -2., 1.5], dtype=torch.float64, requires_grad=True)\nout = {call}\n"
    )
    trace = run(source)
    element = Element(tensor_called(trace, "out"), "value", 0)
    found = asked_until_known(trace, lambda places: run(source, places=places), element, Partials(), len(trace))
    assert found is not None
    (line,) = found.lines
    assert line.text.replace("2.1667", "2.167") == text
    assert not list(problems(line, "float64"))


def test_where_it_comes_from_is_lit_in_the_other_tensors() -> None:
    trace = run(SNIPPET)
    element = Element(tensor_called(trace, "x @ W"), "value", 3)
    found = asked_until_known(trace, lambda places: run(SNIPPET, places=places), element, Partials(), len(trace))
    assert found is not None
    lit = {(trace.frame(len(trace)).name(tensor), part): sorted(cells) for (tensor, part), cells in found.lit.items()}
    assert lit == {("x", "value"): [3, 4, 5], ("W", "value"): [1, 3, 5]}


def test_a_run_that_comes_to_other_numbers_is_not_believed() -> None:
    trace = run(SNIPPET)
    element = Element(tensor_called(trace, "r"), "value", 0)
    other = SNIPPET.replace("1., 2., 3.", "1., 2., 4.")
    known = Partials()
    found = asked_until_known(trace, lambda places: run(other, places=places), element, known, len(trace))
    assert found is not None
    assert found.sentence == (
        "No arithmetic is shown for relu (line 7): it came to other numbers when the snippet ran once more."
    )


def test_a_run_that_ends_too_soon_says_so() -> None:
    trace = run(SNIPPET)
    element = Element(tensor_called(trace, "t"), "value", 0)
    short = SNIPPET[: SNIPPET.index("t = x.sum")]
    found = asked_until_known(trace, lambda places: run(short, places=places), element, Partials(), len(trace))
    assert found is not None and found.sentence.endswith("the run ended before it.")


@pytest.mark.parametrize("name", list(CASES)[::15])
def test_of_large_operations_the_row_or_the_column_is_enough(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.trace.record.partials.MOST_ROWS", -1)
    _, _, wrong = looked_over(lambda: with_backward(CASES[name]))
    assert wrong == [] or name in HIDDEN


def test_of_a_long_sum_the_largest_terms_are_listed_and_the_rest_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.trace.record.partials.MOST_TERMS", 300)
    source = "import torch\nx = torch.arange(5000.).requires_grad_()\ny = x.sum()\nz = x * 2\n"
    monkeypatch.setattr("gradviz.trace.record.partials.MOST_ENTRIES", 300)
    trace = run(source)
    element = Element(tensor_called(trace, "y"), "value", 0)
    found = asked_until_known(trace, lambda places: run(source, places=places), element, Partials(), len(trace))
    assert found is not None and len(found.lines) == 1
    line = found.lines[0]
    assert line.more == 4700 and sum(term.amount for term in line.terms) + line.rest == 4999 * 2500
    assert line.text.startswith("4999 + 4998 + 4997") and line.text.endswith("4,988 more, together 1.2438e+07")


# -- every operation


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_said_of_an_element_adds_up(name: str) -> None:
    _, _, wrong = looked_over(lambda: with_backward(CASES[name]))
    assert wrong == [] or name in HIDDEN


# -- the local derivatives


class Matrices:
    """The local Jacobians that a run has answered with, as matrices of real numbers: a complex element has two rows and
    two columns, for its real part and its imaginary part."""

    def __init__(self, trace: Trace) -> None:
        self._trace, rows = trace, trace.partials
        self._found: dict[Any, Any] = {}
        for row in range(len(rows)):
            if not rows.reason[row] and rows.element[row] == rows.source[row] == -1:
                key = (int(rows.node[row]), int(rows.output[row]), int(rows.slot[row]), bool(rows.imaginary[row]))
                found = trace.value(int(rows.value[row]))
                self._found[key] = None if found is None else found.array

    def get(self, node: int, output: int, slot: int) -> Any:
        real, imaginary = (self._found.get((node, output, slot, unit)) for unit in (False, True))
        if real is None:
            return None
        rows = [each for each in (real, imaginary) if each is not None]
        stacked = np.stack(rows, axis=1).reshape(-1, real.shape[1])
        operand = self._trace.slots_of(node)[slot]
        if not str(self._trace.tensors.dtype[operand]).startswith("complex"):
            return stacked.astype(float)
        return np.stack([stacked.real, stacked.imag], axis=2).reshape(len(stacked), -1)


def chained(case: Case) -> tuple[int, dict[tuple[int, int], Any]]:
    """How many differentiable results a case has, and the Jacobian of each of them by each operand, multiplied together
    from what is answered about the single operations."""
    found: dict[str, Any] = {}

    def call() -> None:
        found["operands"] = operands(case)
        found["results"] = [one for one in tensors_in(case.run(*found["operands"])) if one.requires_grad]

    answered = recorded(call, all_places(recorded(call)))
    by: dict[int, dict[int, Any]] = {}  # of a tensor, by the leaves that it depends on
    for leaf in found["operands"]:
        if leaf.requires_grad and leaf._tag >= 0:
            by[leaf._tag] = {leaf._tag: np.eye(leaf.numel())}
    matrices = Matrices(answered)
    for node in np.flatnonzero(answered.nodes.name != "").tolist():
        for output, made in enumerate(answered.outputs_of(node).tolist()):
            by[made] = {}
            if not str(answered.tensors.dtype[made]).startswith(("float", "bfloat", "complex")):
                continue
            for slot, operand in answered.slots_of(node).items():
                matrix = matrices.get(node, output, slot)
                for leaf, before in by.get(operand, {}).items() if matrix is not None else ():
                    step = matrix @ before
                    by[made][leaf] = by[made].get(leaf, 0) + step
    tags = {leaf._tag: at for at, leaf in enumerate(found["operands"])}
    roots = enumerate(found["results"])
    return len(found["results"]), {
        (at, tags[leaf]): matrix for at, one in roots for leaf, matrix in by.get(one._tag, {}).items()
    }


def jacobians(case: Case, result: int) -> dict[int, Any]:
    """What `autograd.functional.jacobian` says of a result, by the operand; a complex one as pairs of real numbers."""
    held = operands(case)
    wanted = [at for at, one in enumerate(held) if one.requires_grad]

    def result_of(*given: Any) -> Any:
        torch.manual_seed(0)
        for at, one in zip(wanted, given, strict=True):
            held[at] = one
        found = [one for one in tensors_in(case.run(*held)) if one.requires_grad][result]
        return torch.view_as_real(found.resolve_conj()) if found.is_complex() else found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = torch.autograd.functional.jacobian(result_of, tuple(held[at] for at in wanted))
    return {at: one.detach().double().numpy() for at, one in zip(wanted, rows, strict=True)}


LARGE = {"norm_half"}  # its Jacobian has more than 65,536 elements
# Eigenvectors have no derivative one by one; 0 · nan in a product of matrices is what the backward pass leaves out.
ODD = {"eig_product", "avg_pool_of_nan", *HIDDEN}
DIFFERENTIABLE = [name for name in CASES if any(feed.differentiable for feed in CASES[name].inputs)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DIFFERENTIABLE if name not in LARGE | ODD])
def test_local_derivatives_make_the_jacobian(name: str) -> None:
    case = CASES[name]
    count, found = chained(case)
    close = 2e-2 if "bfloat16" in name else 2e-3 if "half" in name or "type" in name else 1e-6
    for result in range(count):
        for at, whole in jacobians(case, result).items():
            mine = found.get((result, at), np.zeros(whole.size)).reshape(-1)
            assert np.allclose(mine, whole.reshape(-1), rtol=close, atol=close, equal_nan=True)
