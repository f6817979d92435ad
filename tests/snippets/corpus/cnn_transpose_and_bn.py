import torch
import torch.nn as nn

torch.manual_seed(0)
up = nn.ConvTranspose2d(1, 1, 2, stride=2)
x = torch.ones(1, 1, 2, 2)
y = up(x)
print(y.shape)
print(y)
bn = nn.BatchNorm2d(1)
bn(y).pow(2).sum().backward()
print(bn.weight.grad, bn.bias.grad)
