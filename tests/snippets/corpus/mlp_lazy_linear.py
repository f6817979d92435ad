import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyLinear(1))
try:
    print(sum(p.numel() for p in net.parameters()))
except ValueError as error:
    print(error)
net(torch.ones(2, 5))
print(net)
print([tuple(p.shape) for p in net.parameters()])
