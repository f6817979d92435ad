"""What the doctor does grows no faster than the run: a training of thousands of iterations is examined after each
run."""

from __future__ import annotations

import sys

import pytest

from gradviz.session.doctor.lessons import diagnose
from tests.trace.running import run

FEW, MANY = 100, 300  # iterations

ON_TWO_LOSSES = """
import torch
w = torch.zeros(3, requires_grad=True)
x = torch.arange(12.0).reshape(4, 3) / 10
y = x @ torch.tensor([1.0, 2.0, 3.0])
total, kept = 0.0, []
for t in range({count}):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    penalty = w.abs().sum()
    (0.01 * penalty).backward()
    kept.append(loss.detach())
    total += loss.item()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad.zero_()
print(torch.stack(kept).mean())
"""
WITH_LAYERS = """
import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.arange(8) % 2
model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for t in range({count}):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
ONE_PASS = """
import torch
w = torch.tensor(0.9, requires_grad=True)
h = torch.tensor(1.0)
for t in range({count}):
    h = torch.tanh(w * h)
h.backward()
"""


def _calls(text: str) -> int:
    """How many Python functions the doctor calls for a run."""
    trace, calls = run(text), 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        diagnose(trace)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("text", [ON_TWO_LOSSES, WITH_LAYERS, ONE_PASS], ids=["two losses", "layers", "one pass"])
def test_examining_grows_with_the_run(text: str) -> None:
    few, many = (_calls(text.format(count=count)) for count in (FEW, MANY))
    assert many < 1.1 * MANY / FEW * few


def test_the_way_back_is_walked_once_for_all_that_ask_about_it() -> None:
    text = ONE_PASS.format(count=MANY)
    assert _calls(text) < 20 * len(run(text))
