import torch
from torch.autograd.functional import hvp, jvp, vhp, vjp

f = lambda x: x.exp().sum(dim=1)
x = torch.tensor([[0.0, 1.0], [2.0, 0.5]])
print(vjp(f, x, torch.tensor([1.0, 2.0])))
print(jvp(f, x, torch.ones(2, 2)))
g = lambda x: (x**3).sum()
y = torch.tensor([1.0, 2.0])
print(hvp(g, y, torch.tensor([1.0, 0.0])))
print(vhp(g, y, torch.tensor([0.0, 1.0])))
