"""Checkpointing, reentrant and not, nested, with dropout."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a, self.b, self.drop = nn.Linear(d, d), nn.Linear(d, d), nn.Dropout(0.3)

    def forward(self, x):
        return x + self.drop(self.b(torch.relu(self.a(x))))


blocks = nn.ModuleList(Block(6) for _ in range(3))
tail = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 1))
opt = torch.optim.SGD([*blocks.parameters(), *tail.parameters()], lr=0.1, momentum=0.9)
for step in range(3):
    x = torch.randn(5, 6, requires_grad=True)
    h = x
    for i, block in enumerate(blocks):
        h = checkpoint(block, h, use_reentrant=(i == 1))
    out = checkpoint_sequential(tail, 2, h, use_reentrant=False)
    loss = out.pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    print(step, loss.item(), x.grad.norm().item())
