"""An error in the third iteration that is caught, an optimizer step that fails, then an end by an error within a module."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(4):
    x = torch.randn(2, 4 if step == 2 else 3)
    try:
        loss = net(x).sum()
    except RuntimeError as e:
        print("skipped", e)
        continue
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())


def bad():
    raise KeyError("closure")


try:
    opt.step(bad)
except KeyError as e:
    print("caught", e)
loss = net(torch.ones(1, 3)).sum()
loss.backward()
opt.step()
print(loss.item())
y = net[1](net[0](torch.ones(1, 3)))
y.add_(1)
y.sum().backward()
