"""The snippets that the aims are measured with: what people bring, at the sizes that the aims name. Texts only; the
networks are in `models`."""

from __future__ import annotations

import random


def recurrence(steps: int) -> str:
    """An unrolled recurrence with one shared weight, on numbers."""
    return f"""\
import torch
w = torch.tensor(0.9, requires_grad=True)
h = torch.tensor(1.0)
for t in range({steps}):
    h = torch.tanh(w * h)
h.backward()
print(w.grad)
"""


def chain(operations: int) -> str:
    """A chain of products and sums of numbers; five steps for two operations."""
    return f"""\
import torch
x = torch.tensor(1.0, requires_grad=True)
y = x
for i in range({operations // 2}):
    y = y * 1.0001 + 0.0001
y.backward()
"""


def tangle(operations: int) -> str:
    """No chain, though in one loop: each operation reads one earlier result from near and one from far."""
    dice = random.Random(0)
    far = [int(dice.expovariate(1 / 30)) for _ in range(operations)]
    near = [int(dice.expovariate(1 / 8)) for _ in range(operations)]
    return f"""\
import torch
v = [torch.tensor(1.0, requires_grad=True) for i in range(20)]
far, near = {far!r}, {near!r}
for i in range({operations}):
    a, b = v[max(0, len(v) - 1 - far[i])], v[max(0, len(v) - 1 - near[i])]
    v.append(a * b if i % 2 else a + b)
v[-1].backward()
"""


def large_values(count: int) -> str:
    """So many arrays of a quarter of a megabyte each, more than the budget of values when there are enough."""
    return f"""\
import torch
x = torch.rand(256, 256, requires_grad=True)
y = x
for i in range({count}):
    y = y * 1.0001
y.sum().backward()
"""


def training(iterations: int) -> str:
    """A polynomial that is fitted to a sine, with a Function of its own and updates by hand: small graphs, alike."""
    return f"""\
import math
import torch

class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x ** 3 - 3 * x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * 1.5 * (5 * x ** 2 - 1)

x = torch.linspace(-math.pi, math.pi, 50)
y = torch.sin(x)
a, b, c, d = [torch.tensor(v, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3)]
for t in range({iterations}):
    y_pred = a + b * LegendrePolynomial3.apply(c + d * x)
    loss = (y_pred - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 5e-5 * p.grad
            p.grad = None
"""


def network(iterations: int) -> str:
    """A small network that is trained with Adam."""
    return f"""\
import torch
torch.manual_seed(0)
x, y = torch.rand(32, 8), torch.rand(32, 1)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for t in range({iterations}):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
"""
