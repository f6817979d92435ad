"""Modules and parameters that are put into a module's own tables, as books do."""

import torch
from torch import nn

torch.manual_seed(0)


class Chain(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        for number, part in enumerate(parts):
            self._modules[str(number)] = part

    def forward(self, x):
        for part in self._modules.values():
            x = part(x)
        return x


net = Chain(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
print(net, len(net._modules), list(net._modules), [tuple(p.shape) for p in net.parameters()])
net(torch.ones(2, 3)).sum().backward()
print(net._modules["0"].weight.grad, list(net.state_dict()))


class Keyed(Chain):
    def __init__(self, *parts):
        nn.Module.__init__(self)
        for part in parts:
            self._modules[part] = part


print(Keyed(nn.Linear(3, 2), nn.Tanh())(torch.ones(1, 3)))
step = nn.Linear(2, 1)
for name, each in step._parameters.items():
    step._parameters[name] = each - 0.5
print(step.weight, step.bias, step(torch.ones(1, 2)))
step._buffers["mean"] = torch.zeros(2)
print(step.mean, list(step.state_dict()), type(step._parameters["bias"]).__name__)
for name, child in net._modules.items():
    if isinstance(child, nn.ReLU):
        net._modules[name] = nn.Sigmoid()
print(net)
