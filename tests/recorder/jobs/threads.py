"""A worker thread runs a model and a backward pass beside the main one; evaluation in a pool."""

import threading, torch
from concurrent.futures import ThreadPoolExecutor
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
x = torch.randn(4, 3)
out = {}


def side():
    other = nn.Linear(3, 1)
    nn.init.constant_(other.weight, 0.5)
    nn.init.zeros_(other.bias)
    loss = other(x).sum()
    loss.backward()
    out["side"] = other.weight.grad.sum().item()


opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(2):
    thread = threading.Thread(target=side)
    loss = net(x).pow(2).mean()
    thread.start()
    thread.join()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item(), out["side"])
with ThreadPoolExecutor(2) as pool:
    print(sorted(pool.map(lambda s: float((net(x) * s).sum()), [1.0, 2.0])))
