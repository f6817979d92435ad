import torch
from torch.autograd.functional import hessian

f = lambda x: (x**3).sum() + x[0] * x[1]
print(hessian(f, torch.tensor([1.0, 2.0])))
H = hessian(lambda x, y: (x * y).sum() + (x**2).sum(), (torch.tensor([1.0]), torch.tensor([2.0])))
print(H)
