import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

base = torch.zeros(3, 3, requires_grad=True)
a = base * 1
a[0].add_(2)
a[:, 1] *= 3
b = a.view(9)
b.mul_(2)
a.sum().backward()
print(base.grad.tolist())
w = torch.ones(2, 2, requires_grad=True)
with torch.no_grad():
    w[:] = torch.arange(4.0).view(2, 2)
    w[0] += 1
    v = w.t()
    v.zero_()
print(w.tolist(), w._version)
