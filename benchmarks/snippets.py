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
