"""Inner loop with create_graph, functional weights, outer update."""

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), 0.01)
for step in range(2):
    outer = 0.0
    for task in range(2):
        x = torch.rand(6, 1)
        y = torch.sin(x + task)
        fast = dict(net.named_parameters())
        for _ in range(2):
            inner = (functional_call(net, fast, (x,)) - y).pow(2).mean()
            grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {k: v - 0.1 * g for (k, v), g in zip(fast.items(), grads)}
        outer = outer + (functional_call(net, fast, (x + 0.1,)) - y).pow(2).mean()
    opt.zero_grad()
    outer.backward()
    opt.step()
    print(step, outer.item(), net[0].weight.grad.norm().item())
