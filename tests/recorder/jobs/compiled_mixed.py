"""torch.compile of a module and of a function, with a graph break, eager parts between."""

import torch
from torch import nn

torch.manual_seed(0)
inner = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.ReLU()), backend="aot_eager")


@torch.compile(backend="aot_eager")
def head(x, w):
    y = x @ w
    torch._dynamo.graph_break()
    return y.sin().sum()


w = nn.Parameter(torch.randn(8, 2))
opt = torch.optim.Adam([*inner.parameters(), w], 0.01)
for step in range(3):
    loss = head(inner(torch.randn(3, 4)) * 2, w)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item(), w.grad.norm().item())
