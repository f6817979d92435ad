"""Compiled as one graph: a model, a function, and one that the graph breaks, whose error is the job's own."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
fast = torch.compile(model, fullgraph=True, backend="aot_eager")
scaled = torch.compile(lambda x: (x * 2).sin(), fullgraph=True, backend="aot_eager")
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(3):
    loss = (scaled(fast(x)) - y).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item().hex())
