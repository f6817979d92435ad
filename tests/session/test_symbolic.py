"""The symbolic derivative beside the gradient of the same run: for every operation that it knows, and what it says
where there is none."""

from __future__ import annotations

import sys

import pytest

from gradviz.engine.kernel.expressions import in_line
from gradviz.session.inspect.three_ways import MISSING, Symbolic, symbolic
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

pytest.importorskip("sympy")
HEAD = "import torch\nx = torch.tensor(0.7, requires_grad=True)\nw = torch.tensor(1.9, requires_grad=True)\n"
EXPRESSIONS = (
    "x * w + x",
    "w - x * x", "3 - x", "x / w", "2 / x", "x ** 3", "x ** w", "2 ** x", "-x * w", "x.exp()", "x.log()",
    "x.sqrt()", "x.rsqrt()", "x.sin() * w.cos()", "x.tan()", "x.tanh()", "x.sigmoid()",
    "torch.relu(x) + torch.relu(-w)",
    "(x - w).abs()", "x.reciprocal()", "torch.maximum(x, w)", "torch.minimum(x, w * 3)", "x.clamp(min=0.5) * w",
    "w.clamp(0, 1) + x", "torch.where(x > w, x, w * x)", "x.log1p() + x.expm1() + x.exp2()", "x.log2() + w.log10()",
    "x.asin() + x.acos() + w.atan()", "x.sinh() * x.cosh()", "x.erf()", "torch.add(x, w, alpha=3)",
    "torch.nn.functional.mse_loss(x, w)", "torch.nn.functional.silu(x)", "x.view(1).sum() * w.mean()",
    "torch.sub(x, 2, alpha=4) * 0.25",
)  # fmt: skip


def of(source: str, name: str) -> tuple[Symbolic | str, Trace, int]:
    trace = run(source)
    named = zip(trace.names.tensor, trace.names.name, strict=True)
    tensor = next(int(row) for row, each in named if each == name)
    return symbolic(trace, 0, tensor), trace, tensor


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_derivative_has_the_number_that_autograd_has(expression: str) -> None:
    found, trace, tensor = of(f"{HEAD}y = {expression}\ny.backward()\n", "x")
    assert isinstance(found, Symbolic), found
    grad = trace.frame(len(trace)).grad(tensor)
    assert found.value == pytest.approx(0.0 if grad is None or grad.array is None else float(grad.array), rel=1e-5)
    assert in_line(found.written)


def test_a_tensor_that_is_used_twice_is_one_symbol() -> None:
    source = "import torch\nw = torch.tensor(3., requires_grad=True)\nx = torch.tensor(2.)\ny = w * x\n"
    found, _, _ = of(f"{source}loss = y * y + w\nloss.backward()\n", "w")
    assert isinstance(found, Symbolic)
    assert in_line(found.written) in ("2 · x² · w + 1", "2 · w · x² + 1") and found.value == 25


def test_two_tensors_of_one_name_stay_two() -> None:
    source = "import torch\na = [torch.tensor(2., requires_grad=True), torch.tensor(5., requires_grad=True)]\n"
    found, _, _ = of(f"{source}x, y = a\nx2 = x\nz = x * y * y\nz.backward()\n", "x")
    assert isinstance(found, Symbolic) and found.value == 25


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = torch.ones(2, requires_grad=True)\nx.sum().backward()", "more than one real number"),
        ("x = torch.tensor(1., requires_grad=True)\ntorch.lgamma(x).backward()", "lgamma is not among the operations"),
        ("x = torch.tensor(0., requires_grad=True)\n(1 / x).backward()", "no real number here"),
        ("x = y = torch.tensor(1., requires_grad=True)\nfor _ in range(99): y = y * x\ny.backward()", "80 operations"),
    ],
)
def test_where_there_is_none_a_sentence_says_why(source: str, words: str) -> None:
    found, _, _ = of(f"import torch\n{source}\n", "x")
    assert isinstance(found, str) and words in found


def test_without_sympy_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    assert of(f"{HEAD}(x * w).backward()\n", "x")[0] == MISSING
