"""The step of an optimizer is told as its rule with the numbers of each parameter."""

from __future__ import annotations

import pytest

from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.explain import explain
from tests.trace.running import run

TWO_STEPS = """
import torch
w = torch.tensor(3., requires_grad=True)
opt = torch.optim.{}
for _ in range(2):
    opt.zero_grad()
    (w * w).backward()
    opt.step()
"""


def steps(optimizer: str) -> list[str]:
    trace = run(TWO_STEPS.format(optimizer))
    return [explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == Kind.OPTIMIZER]


@pytest.mark.parametrize(
    ("optimizer", "first", "second"),
    [
        (
            "SGD([w], lr=0.1)",
            "w ← w − lr · w.grad = 3 − 0.1 × 6 = 2.4.",
            "w ← w − lr · w.grad = 2.4 − 0.1 × 4.8 = 1.92.",
        ),
        (
            "SGD([w], lr=0.1, weight_decay=0.5)",
            "w ← w − lr · (w.grad + weight_decay · w) = 3 − 0.1 × (6 + 0.5 × 3) = 2.25.",
            "w ← w − lr · (w.grad + weight_decay · w) = 2.25 − 0.1 × (4.5 + 0.5 × 2.25) = 1.688.",
        ),
        (
            "SGD([w], lr=0.1, momentum=0.5)",
            "m = w.grad = 6, w ← w − lr · m = 3 − 0.1 × 6 = 2.4.",
            "m = momentum · m + w.grad = 0.5 × 6 + 4.8 = 7.8, w ← w − lr · m = 2.4 − 0.1 × 7.8 = 1.62.",
        ),
        (
            "Adam([w], lr=0.1)",
            "m = β₁ · m + (1 − β₁) · w.grad, v = β₂ · v + (1 − β₂) · w.grad²: m = 0.6, v = 0.036; "
            "corrected for step 1, m̂ = m / (1 − β₁^1) = 6, v̂ = v / (1 − β₂^1) = 36; "
            "w ← w − lr · m̂ / (√v̂ + ε) = 3 − 0.1 × 6 / (√36 + 1e-08) = 2.9.",
            "= 2.9 − 0.1 × 5.895 / (√34.82 + 1e-08) = 2.8.",
        ),
        (
            "SGD([w], lr=0.1, maximize=True)",
            "SGD with lr = 0.1, maximize = 1 updates w: 3 → 3.6.",
            "SGD with lr = 0.1, maximize = 1 updates w: 3.6 → 4.32.",
        ),
    ],
)
def test_an_optimizer_step_is_its_rule_with_the_numbers(optimizer: str, first: str, second: str) -> None:
    one, two = steps(optimizer)
    assert one == first and two.endswith(second)


def test_further_parameters_of_a_long_rule_are_told_shortly() -> None:
    trace = run(
        TWO_STEPS.format("Adam([w, torch.nn.Parameter(torch.ones(()))], lr=0.1)").replace(
            "(w * w)", "sum(each * each for group in opt.param_groups for each in group['params'])"
        )
    )
    (sentence, _) = [
        explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == Kind.OPTIMIZER
    ]
    assert sentence.endswith(": 1 → 0.9.") and sentence.count("β₁ · m") == 1
