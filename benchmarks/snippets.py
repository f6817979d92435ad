"""The snippets that the aims are measured with: what people bring, at the sizes that the aims name. Texts only."""

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
    """No chain and no loop to fold: each operation reads one earlier result from near and one from far."""
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


def transformer(layers: int) -> str:
    """A small language model of so many blocks, as tutorials write it."""
    return f"""\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)

class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (each.view(B, T, self.heads, C // self.heads).transpose(1, 2) for each in self.qkv(x).split(C, dim=2))
        att = (q @ k.transpose(-2, -1)) * (C // self.heads) ** -0.5
        att = att.masked_fill(torch.tril(torch.ones(T, T)) == 0, float("-inf"))
        return self.proj((F.softmax(att, dim=-1) @ v).transpose(1, 2).contiguous().view(B, T, C))

class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1 = nn.LayerNorm(d)
        self.attn = Attention(d, heads)
        self.ln2 = nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))

tok, pos = nn.Embedding(11, 16), nn.Embedding(8, 16)
blocks = nn.ModuleList([Block(16, 2) for _ in range({layers})])
head = nn.Linear(16, 11, bias=False)
idx = torch.randint(0, 11, (2, 8))
x = tok(idx) + pos(torch.arange(8))
for block in blocks:
    x = block(x)
loss = F.cross_entropy(head(x).view(-1, 11), torch.randint(0, 11, (16,)))
loss.backward()
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
