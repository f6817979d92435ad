import torch
from torch.autograd.functional import hessian

f = lambda x: (x ** 3).sum() + x[0] * x[1]
print(hessian(f, torch.tensor([1., 2.])))
H = hessian(lambda x, y: (x * y).sum() + (x ** 2).sum(), (torch.tensor([1.]), torch.tensor([2.])))
print(H)
