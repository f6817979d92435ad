import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(0.1), nn.Sequential(nn.Linear(3, 3), nn.ELU()))
print([type(m).__name__ for m in net.children()])
print([type(m).__name__ for m in net.modules()])
net.add_module("last", nn.Linear(3, 1))
print([n for n, _ in net.named_modules()])
out = net(torch.ones(1, 2))
out.backward()
print(net.last.weight.grad)
