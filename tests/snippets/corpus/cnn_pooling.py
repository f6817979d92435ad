import torch
import torch.nn as nn

x = torch.arange(16.0, requires_grad=True)
img = x.reshape(1, 1, 4, 4)
m = nn.MaxPool2d(2)(img)
a = nn.AvgPool2d(2)(img)
g = nn.AdaptiveAvgPool2d(1)(img)
print(m)
print(a)
print(g)
(m.sum() + a.sum() + g.sum()).backward()
print(x.grad)
