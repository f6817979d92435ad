"""The sentence about a backward step is true: its formula, with the snippet's values put in, and its formula in numbers
both give the gradient that it ends with."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradviz.trace.table.frame import Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.explain import explain, explain_fold
from tests.engine.shown_formulas import computed
from tests.trace.running import run

VALUES = {"x": 0.6, "y": 1.7}
CALLS = [
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "-x",
    "3 - x",
    "x * 4",
    "torch.add(x, y, alpha=3)",
    "torch.sub(x, y, alpha=-2)",
    "torch.rsub(x, y, alpha=4)",
    "x ** 3",
    "x ** y",
    "torch.exp(x)",
    "torch.exp2(x)",
    "torch.log(x)",
    "torch.log2(x)",
    "torch.log1p(x)",
    "torch.sqrt(x)",
    "torch.rsqrt(x)",
    "torch.sin(x)",
    "torch.cos(x)",
    "torch.tan(x)",
    "torch.asin(x)",
    "torch.acos(x)",
    "torch.atan(x)",
    "torch.sinh(x)",
    "torch.cosh(x)",
    "torch.tanh(x)",
    "torch.sigmoid(x)",
    "torch.relu(x)",
    "torch.abs(x)",
    "torch.square(x)",
    "torch.reciprocal(x)",
    "torch.erf(x)",
    "torch.atan2(x, y)",
    "torch.hypot(x, y)",
    "torch.xlogy(x, y)",
    "torch.logaddexp(x, y)",
    "torch.addcmul(x, x, y, value=0.5)",
    "torch.addcdiv(x, x, y, value=0.5)",
    "torch.lerp(x, y, 0.25)",
    "torch.lerp(x, y, x)",
    "torch.clamp(x, 0.1, 1.0)",
    "torch.where(x > y, x, y)",
    "F.silu(x)",
    "F.softplus(x)",
    "F.softplus(x, 2)",
    "F.elu(x, 2.0)",
    "F.celu(y)",
    "F.leaky_relu(x)",
    "F.gelu(x)",
    "F.mse_loss(x, y)",
    "torch.special.erfcx(x)",
    "torch.lgamma(x)",
]


def z_of(frame: Frame) -> float:
    """The result, which the snippet calls z."""
    (z,) = [at for at in range(len(frame.trace.tensors)) if frame.name(at) == "z"]
    value = frame.value(z)
    assert value is not None and value.scalar is not None
    return float(value.scalar)


RULE = re.compile(
    r"(?:∂z/∂[xy] =|[Gg]radient of [xy] =|[Tt]hrough (?:the \w+|this use of) [xy]:) "
    r"(.+?)(?=; (?:∂|grad|thr)|\.$|\. Here )"
)


@pytest.mark.parametrize("given", [1.0, 2.0])
@pytest.mark.parametrize("call", CALLS)
def test_the_formula_in_a_sentence_gives_the_gradient_that_it_ends_with(call: str, given: float) -> None:
    trace = run(f"""
import torch, torch.nn.functional as F
x = torch.tensor(0.6, requires_grad=True)
y = torch.tensor(1.7, requires_grad=True)
z = {call}
z.backward(torch.tensor({given}))
""")
    first = int(np.flatnonzero(trace.steps.kind == Kind.BACKWARD)[0])
    frame = trace.frame(first + 1)
    sentence = explain(frame).sentence
    assert given == 1 or "∂" not in sentence  # twice the derivative is not the derivative
    parts = RULE.findall(sentence)
    assert parts
    for part in parts:
        *formulas, sent = part.split(" = ")
        for formula in formulas:
            value = computed(formula.replace("×", "·"), VALUES | {"z": z_of(frame), "grad": given})
            assert value == pytest.approx(float(sent.replace("−", "-")), rel=2e-3), part


def test_a_gradient_that_is_retained_is_told() -> None:
    trace = run("""
import torch
x = torch.tensor(3.0, requires_grad=True)
h = x * 2
h.retain_grad()
(h * 5).backward(retain_graph=True)
(h * 7).backward()
""")
    told = [
        explain(trace.frame(step + 1)).sentence
        for step in np.flatnonzero(trace.steps.kind == Kind.BACKWARD).tolist()
        if trace.nodes.line[trace.steps.node[step]] == 4
    ]
    first, second = told
    assert "grad = 5 came in. h.retain_grad() was called, so h.grad takes it: None → 5. ∂(h * 5)/∂x" in first
    assert "h.retain_grad() was called, so it is added to h.grad: 5 + 7 = 12. ∂(h * 7)/∂x" in second


def test_what_is_made_to_require_grad_later_is_not_said_to_get_no_gradient() -> None:
    trace = run("""
import torch
w = torch.tensor(3.0)
b = torch.ones(2) * 2
for p in (w, b):
    p.requires_grad = True
(w * b).sum().backward()
""")
    assert explain(trace.frame(1)).sentence == "w = 3 (float32). It does not require grad yet: that is set later."
    ends = "b = [2, 2]. None of this is recorded for the backward pass; b is made to require grad afterwards."
    assert explain_fold(trace, 3).sentence.endswith(ends)


def test_what_data_returns_has_its_former_value_until_it_is_written_into() -> None:
    trace = run("import torch\nw = torch.ones(1, requires_grad=True)\nw.data += -0.5 * torch.ones(1)\n")
    said = [explain(trace.frame(cursor)).sentence for cursor in range(1, len(trace) + 1)]
    assert said[-2].startswith("w.data = 1. It shares the memory of w")
    assert said[-1] == (
        "w.data was overwritten: it is 1 − 0.5 = 0.5 now, version 1. w changed with it: they share memory."
    )


def test_a_given_number_has_as_many_digits_as_every_other() -> None:
    trace = run("import torch\nx = torch.ones(9, requires_grad=True)\n(x * 2**-0.5).sum().backward()\n")
    told = [explain(trace.frame(step + 1)).sentence for step in np.flatnonzero(trace.steps.kind == Kind.BACKWARD)]
    assert "∂loss" not in told[-1] and " = grad · 0.7071 = " in told[-1]


def test_the_sign_of_a_complex_number_has_a_gradient() -> None:
    trace = run("import torch\nz = torch.tensor([1 + 2j], requires_grad=True)\nz.sgn().real.sum().backward()\n")
    said = " ".join(explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1))
    rule = "(grad − Re(grad · conj(z.sgn())) · z.sgn()) / |z|, 0 where z is 0 = 0.3578-0.1789j"
    assert rule in said


HOOKED = """
import torch
a = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t * 3):
    y = torch.exp(a)
y.sum().backward()
"""


def test_what_a_hook_unpacks_is_not_taken_for_what_it_packed() -> None:
    trace = run(HOOKED)
    said = [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]
    assert any(each.startswith("y = e^a = [2.718, 2.718]. ExpBackward0 is made") for each in said)
    assert any(each.endswith("= grad · (y as unpacked) = [8.155, 8.155].") for each in said)
    assert not any("overwritten" in each for each in said)


def test_what_vmap_computes_is_said_for_each_example() -> None:
    trace = run("""
import torch
from torch.func import vmap, grad
def loss(b, w, x, y):
    return torch.nn.functional.mse_loss(x @ w + b, y)
def meta(b, w, x, y):
    return loss(b - 0.1 * grad(loss)(b, w, x, y), w, x, y)
x, y = torch.arange(12.).reshape(2, 3, 2), torch.ones(2, 3, 1)
b, w = torch.zeros(1, requires_grad=True), torch.ones(2, 1, requires_grad=True)
vmap(meta, in_dims=(None, None, 0, 0))(b, w, x, y).sum().backward()
vmap(grad(torch.nn.functional.cross_entropy))(x, torch.zeros(2, 3, dtype=torch.long))
vmap(grad(torch.nn.functional.cross_entropy))(x[:, 0], torch.zeros(2, dtype=torch.long))
""")
    said = " ".join(explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1))
    assert "= 1 · 2 ((x @ w + b)₁ − y₁) / 3 = " in said and ") / 6" not in said
    assert "= −grad / 3 at the class of each place" in said and "= −grad at the class of each row" in said
    assert "Gradient of b₁ = grad, summed over the broadcast dimensions = [[8], [32]]." in said


def _sentences(text: str) -> list[str]:
    trace = run(text)
    return [explain(trace.frame(at)).sentence for at in range(1, len(trace) + 1)]


def test_the_gradient_of_a_complex_exponent_has_its_conjugate() -> None:
    said = _sentences(
        """import torch
e = torch.tensor([1 + 1j], requires_grad=True)
torch.pow(-2, e).abs().sum().backward()
b = torch.tensor([3 + 1j], requires_grad=True)
(b ** e.detach()).abs().sum().backward()
"""
    )
    assert any("Gradient of e = grad · conj(torch.pow(-2, e) · ln(-2))" in each for each in said)
    assert any("Gradient of b = grad · conj(e.detach() · b^(e.detach() − 1))" in each for each in said)


def test_the_gradient_of_pairs_is_not_only_the_real_part() -> None:
    said = _sentences(
        """import torch
z = torch.tensor([[1., 2.]], requires_grad=True)
torch.view_as_complex(z).abs().sum().backward()
"""
    )
    assert any("/∂z = grad as pairs = [[0.4472, 0.8944]]" in each for each in said)


def test_a_slope_that_is_nearly_zero_has_the_digits_that_show_it() -> None:
    said = _sentences(
        """import torch
x = torch.tensor(7., requires_grad=True)
x.tanh().backward()
"""
    )
    assert any("= 1 × (1 − 0.99999833²) = 3.338e-06" in each for each in said)


def test_a_sparse_product_has_the_number_of_its_factor() -> None:
    text = """import torch
s = torch.eye(2).to_sparse()
d = torch.ones(2, 2, requires_grad=True)
torch.sparse.addmm(torch.zeros(2, 2), s, d, alpha=%s).sum().backward()
"""
    assert any("sᵀ @ grad = " in each for each in _sentences(text % 1))
    assert any("sᵀ @ grad · 3 = " in each for each in _sentences(text % 3))
