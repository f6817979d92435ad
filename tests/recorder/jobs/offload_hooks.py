"""saved_tensors_hooks (pack to half), save_on_cpu, anomaly mode around one step, set_grad_enabled."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 5), nn.Sigmoid(), nn.Linear(5, 1))
opt = torch.optim.Rprop(net.parameters(), 0.01)
x = torch.randn(4, 3)
for step in range(3):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
        loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.autograd.graph.save_on_cpu():
        aux = net(x).exp().sum()
    with torch.autograd.detect_anomaly(check_nan=False) if step == 1 else torch.set_grad_enabled(True):
        g = torch.autograd.grad(aux, net[0].weight)[0]
    print(step, loss.item(), g.norm().item())
