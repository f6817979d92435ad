"""The sentence about a backward step is true: its formula, with the snippet's values put in, and its formula in numbers
both give the gradient that it ends with."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradviz.trace.table.frame import Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.explain import explain
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
    r"(?:∂z/∂[xy] =|[Gg]radient of [xy] =|[Tt]hrough (?:the \w+|this use of) [xy]:) (.+?)(?=; (?:∂|grad|thr)|\.$)"
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
