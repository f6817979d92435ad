"""Parameters that are written to through what shares their memory: detach(), .data, lists of them, elements."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
net(torch.ones(1, 3)).sum().backward()
net.weight.detach().mul_(2)
net.bias.data.mul_(3)
weight = net.weight.detach()
torch._foreach_add_([weight, net.bias.data], 1.0)
with torch.no_grad():
    net.weight[0] = 7
    net.bias.view(2, 1)[1].fill_(5)
net.weight.grad.data.clamp_(max=0.5)
print(net.weight, net.bias, net.weight.grad, net.bias.grad)
