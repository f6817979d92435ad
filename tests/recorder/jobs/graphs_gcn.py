"""A graph network by index_add, scatter_reduce, gather; in-place masks."""

import torch
from torch import nn

torch.manual_seed(0)
edges = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
x = torch.randn(4, 3)
y = torch.tensor([0, 1, 0, 1])


class Layer(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin = nn.Linear(a, b)

    def forward(self, x):
        src, dst = edges
        h = self.lin(x)
        agg = torch.zeros_like(h).index_add_(0, dst, h[src])
        top = torch.full_like(h, -9.0).scatter_reduce(0, dst[:, None].expand(-1, h.shape[1]), h[src], "amax")
        agg[agg < 0] *= 0.1
        return agg + top


net = nn.Sequential(Layer(3, 6), nn.ELU(), Layer(6, 2))
opt = torch.optim.Adam(net.parameters(), 0.01)
mask = torch.tensor([True, True, False, True])
for step in range(3):
    out = net(x)
    loss = nn.functional.nll_loss(out[mask].log_softmax(-1), y[mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item(), (out.argmax(1) == y).float().mean().item())
