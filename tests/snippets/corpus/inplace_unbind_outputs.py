import torch

x = torch.ones(2, 2, requires_grad=True)
y = x * 2
a, b = y.unbind(0)
a.add_(1)
