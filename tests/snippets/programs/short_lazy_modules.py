import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
print(net[0])
print(net(torch.ones(3, 5)).shape, net[0], net[2].weight.shape)
lazy = nn.LazyConv2d(2, 3)
lazy(torch.ones(1, 3, 5, 5))
print(lazy)
